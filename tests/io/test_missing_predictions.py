"""Tests of predictions with empty cells, and of models with scores only next to models with labels."""

import numpy as np
import pandas as pd
import pytest

from stats_core.core.errors import DataError, NeedsMapping
from stats_core.io.mapping import Mapping
from stats_core.io.problems import problem_of, question_of
from stats_core.io.read import read_results

N = 24
COUNTS = ["tp", "fp", "tn", "fn"]


def long_table(labels=("0", "1")):
    """Return labels and scores of two algorithms on the same cases in three folds."""
    rng = np.random.default_rng(20261126)
    truth = np.arange(N) % len(labels)
    blocks = []
    for name in ("rf", "svm"):
        predicted = np.where(rng.random(N) < 0.85, truth, (truth + 1) % len(labels))
        block = {
            "dataset": "d",
            "algorithm": name,
            "fold": np.arange(N) // 2 % 3 + 1,
            "id": np.arange(N),
        }
        score = ((predicted == 1) + rng.random(N)) / 2
        scores = {
            "true": np.take(labels, truth),
            "predicted": np.take(labels, predicted),
            "score": score.round(3),
        }
        blocks.append(pd.DataFrame(block | scores))
    return pd.concat(blocks, ignore_index=True).astype(str)


def wide_table(*columns):
    """Return one row per case, with columns such as "rf_pred" and "svm_score"."""
    rows = long_table()
    models = {
        name: rows[rows["algorithm"] == name].reset_index(drop=True) for name in ("rf", "svm")
    }
    table = models["rf"][["id", "true"]]
    kinds = {"pred": "predicted", "score": "score"}
    return table.assign(**{c: models[c.split("_")[0]][kinds[c.split("_")[1]]] for c in columns})


def read(frame, name="p.csv", **said):
    return read_results((name, frame.to_csv(index=False).encode()), mapping=Mapping(**said))


def problems(frame):
    with pytest.raises(DataError) as caught:
        read(frame)
    return caught.value.problems


@pytest.mark.parametrize("labels", [("0", "1"), ("a", "b", "c")])
@pytest.mark.parametrize("places", [[3], [0], [5, 7, 30]])
@pytest.mark.parametrize("column", ["dataset", "algorithm", "fold"])
def test_a_row_without_a_name_is_refused_at_its_line(column, places, labels):
    frame = long_table(labels)
    frame.loc[places, column] = ""

    label = {"dataset": "data set"}.get(column, column)

    assert problems(frame) == (
        problem_of("name missing", "p.csv", places[0] + 2, label=label, n=len(places)),
    )


@pytest.mark.parametrize("places", [[3], [0], [5, 7, 20]])
@pytest.mark.parametrize(
    "columns", [(), ("rf_pred", "svm_pred"), ("rf_pred", "svm_score"), ("rf_score", "svm_score")]
)
def test_a_row_without_a_true_label_is_refused_at_its_line(columns, places):
    frame = wide_table(*columns) if columns else long_table()
    frame.loc[places, "true"] = ""

    found = problems(frame)

    assert found == (
        problem_of("true label missing", "p.csv", places[0] + 2, "true", n=len(places)),
    )


@pytest.mark.parametrize("labels", [("0", "1"), ("a", "b", "c")])
@pytest.mark.parametrize("places", [[3], [0, 4, 30], range(N), range(2 * N)])
def test_folds_of_an_empty_predicted_label_have_no_error(places, labels):
    frame = long_table(labels)
    full = read(frame).frame.set_index(["algorithm", "fold"])["error"]
    frame.loc[list(places), "predicted"] = ""
    failed = set(map(tuple, frame.loc[list(places), ["algorithm", "fold"]].to_numpy()))

    error = read(frame).frame.set_index(["algorithm", "fold"])["error"]

    assert set(error.index[error.isna()]) == failed
    pd.testing.assert_series_equal(error.dropna(), full[error.notna()], check_exact=True)


def test_folds_of_an_empty_score_have_an_error_and_no_areas():
    frame = long_table()
    full = read(frame).frame.set_index(["algorithm", "fold"])
    frame.loc[3, "score"] = ""  # row 3 is of fold 2

    table = read(frame).frame.set_index(["algorithm", "fold"])

    assert list(table.index[table["auc"].isna()]) == [("rf", "2")]
    pd.testing.assert_series_equal(table["error"], full["error"], check_exact=True)


@pytest.mark.parametrize("first", ["rf", "svm"])
def test_a_model_with_scores_only_is_read_as_in_a_file_of_its_own(first):
    second = {"rf": "svm", "svm": "rf"}[first]
    columns = (f"{first}_pred", f"{second}_score")
    table = wide_table(*columns)

    together = read(table).frame.set_index("algorithm")

    labels = long_table().groupby("algorithm").get_group(first)
    scores = long_table().groupby("algorithm").get_group(second)
    truth = scores["true"].to_numpy() == "1"
    called = scores["score"].astype(float).to_numpy() >= 0.5
    error = np.mean(labels["true"] != labels["predicted"])
    assert together.loc[first, "error"] == pytest.approx(error, abs=1e-15)
    assert together.loc[second, "error"] == pytest.approx(np.mean(truth != called), abs=1e-15)
    assert np.isnan(together.loc[first, "auc"])
    parts = [
        labels[["algorithm", "id", "true", "predicted"]],
        scores[["algorithm", "id", "true", "score"]],
    ]
    files = [
        (f"{i}.csv", part.assign(dataset="p").to_csv(index=False).encode())
        for i, part in enumerate(parts)
    ]
    apart = read_results(*files).frame.set_index("algorithm")
    pd.testing.assert_series_equal(together["auc"], apart["auc"], check_exact=True)
    pd.testing.assert_series_equal(together["error"], apart["error"], check_exact=True)
    assert [dict(n.values) for n in read(table).notes if n.code == "score counts as positive"] == [
        {"thresholds": (0.5,)}
    ]


def test_an_empty_cell_of_a_model_with_scores_only_is_a_failed_run():
    table = wide_table("rf_pred", "svm_score")
    table.loc[4, "svm_score"] = ""

    results = read(table).frame.set_index("algorithm")

    assert results.loc["svm", ["error", "auc"]].isna().all()
    assert (
        results.loc["rf", "error"]
        == read(wide_table("rf_pred", "svm_score")).frame["error"].iloc[0]
    )


def test_labels_of_one_model_do_not_count_as_labels_of_a_model_with_scores_only():
    """The direction of scores follows from the labels of the same model."""
    table = wide_table("rf_pred", "rf_score", "svm_score")

    results = read(table).frame.set_index("algorithm")

    alone = read_results(("p.csv", long_table().assign(fold="1").to_csv(index=False).encode()))
    areas = alone.frame.set_index("algorithm")["auc"]
    assert results["auc"].to_dict() == pytest.approx(areas.to_dict(), abs=1e-15)


def test_a_score_of_a_class_next_to_a_score_without_class():
    table = wide_table("rf_pred", "svm_score").replace({"0": "neg", "1": "pos"})
    scores = table.pop("svm_score").astype(float)
    table = table.assign(prob_svm_pos=scores, prob_nb=1 - scores / 2)
    table.loc[table["true"] == "pos", "prob_nb"] = 0.9

    results = read(table).frame.set_index("algorithm")

    truth = (table["true"] == "pos").to_numpy()
    assert set(results.index) == {"rf", "svm", "nb"}
    assert results.loc["svm", "error"] == pytest.approx(
        np.mean(truth != (scores >= 0.5).to_numpy()), abs=1e-15
    )
    assert results.loc["nb", "error"] == pytest.approx(
        np.mean(truth != (table["prob_nb"] >= 0.5)), abs=1e-15
    )


def test_three_classes_and_a_model_with_scores_only_ask_for_the_class():
    frame = long_table(("a", "b", "c"))
    rf, svm = (frame[frame["algorithm"] == name].reset_index(drop=True) for name in ("rf", "svm"))
    table = rf[["id", "true"]].assign(rf_pred=rf["predicted"], svm_score=svm["score"])
    roles = {"id": "instance", "true": "true", "rf_pred": "result", "svm_score": "result"}

    with pytest.raises(NeedsMapping) as caught:
        read(table, roles=roles)
    chosen = read(table, roles=roles, positive="b").frame.set_index("algorithm")

    assert caught.value.classes == ("a", "b", "c")
    assert caught.value.problems == (
        question_of("class of scores", n=3, classes=["a", "b", "c"]).problem("p.csv"),
    )
    truth = (rf["true"] == "b").to_numpy()
    assert chosen.loc["rf", "error"] == pytest.approx(
        np.mean(truth != (rf["predicted"] == "b")), abs=1e-15
    )
    called = svm["score"].astype(float).to_numpy() >= 0.5
    assert chosen.loc["svm", "error"] == pytest.approx(np.mean(truth != called), abs=1e-15)


@pytest.mark.parametrize("others", ["b,1,2,1,1\n", "b,1,,1,1\nb,1,,1,1\n"])
def test_an_empty_instance_id_is_refused_with_its_cell(others):
    text = f"algorithm,fold,case,true,pred\na,1,1,0,0\na,1,,1,1\nb,1,1,0,0\n{others}"

    with pytest.raises(DataError) as refused:
        read_results(("p.csv", text.encode()))

    (problem,) = refused.value.problems
    assert (problem.file, problem.row, problem.column) == ("p.csv", 3, "case")
