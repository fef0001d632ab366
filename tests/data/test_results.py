"""Tests of tables of results: designs, averages, missing results and their treatment."""

import numpy as np
import pandas as pd
import pytest

from stats_core import Settings, analyse, to_text
from stats_core.core.errors import DataError, SettingError
from stats_core.core.messages import IN_PAPER
from stats_core.data.results import Results, natural_order


def make(repetitions=1, folds=3, algorithms=("a", "b"), datasets=("x", "y"), **columns):
    """Return a table of errors on folds with constant `columns`."""
    rows = [
        (d, a, str(r + 1), str(f + 1), (i + 2 * r + f) / 20)
        for d in datasets
        for i, a in enumerate(algorithms)
        for r in range(repetitions)
        for f in range(folds)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "repetition", "fold", "error"])
    return frame.assign(**columns)


@pytest.mark.parametrize(
    ("repetitions", "folds", "sizes", "design", "label", "fraction"),
    [
        (1, 1, None, "single", "one result per algorithm and data set", None),
        (1, 10, None, "k-fold", "10-fold cross-validation", 0.1),
        (5, 2, None, "5x2", "5 × 2-fold cross-validation", 0.5),
        (3, 10, None, "r x k-fold", "3 × 10-fold cross-validation", 0.1),
        (8, 1, None, "holdout", "8 random partitions", None),
        (1, 10, (50, 50), "holdout", "10 random partitions", 0.5),
        (1, 10, (9, 1), "leave-one-out", "leave-one-out cross-validation", 0.1),
        (1, 10, (90, 10), "k-fold", "10-fold cross-validation", 0.1),
    ],
)
def test_design_and_test_fraction(repetitions, folds, sizes, design, label, fraction):
    columns = {"n_train": sizes[0], "n_test": sizes[1]} if sizes else {}
    results = Results.from_frame(make(repetitions, folds, **columns))

    assert results.design == design
    assert results.design_label == label
    assert results.test_fraction("x") == (fraction and pytest.approx(fraction))


def test_repetitions_of_different_length_have_no_known_design():
    frame = make(2, 3)

    assert Results.from_frame(frame[~((frame.repetition == "2") & (frame.fold == "3"))]).design == (
        "unknown"
    )


def test_data_sets_of_different_design_are_unknown_together():
    frame = pd.concat([make(1, 3, datasets=("x",)), make(5, 2, datasets=("y",))])
    results = Results.from_frame(frame)

    assert results.design == "unknown"
    assert results.design_of("y") == "5x2"


def test_a_declared_design_wins():
    assert Results.from_frame(make(1, 30), design_hint="bootstrap").design == "bootstrap"


def test_names_are_in_natural_order():
    assert natural_order(["b10", "b9", "a", "B1", "10", "9"]) == ("9", "10", "a", "B1", "b9", "b10")
    folds = Results.from_frame(make(1, 12)).matrix("x", "error").index
    assert [fold for _, fold in folds] == [str(i + 1) for i in range(12)]


def test_a_fold_that_the_first_algorithm_lacks_has_its_natural_position():
    frame = make(folds=3, datasets=("x",))
    matrix = Results.from_frame(frame.iloc[1:]).matrix("x", "error")  # without fold 1 of a

    assert [fold for _, fold in matrix.index] == ["1", "2", "3"]
    assert matrix["b"].tolist() == frame["error"].tolist()[3:]
    assert matrix["a"].isna().tolist() == [True, False, False]


def test_averages_are_missing_where_any_fold_is():
    frame = make()
    frame.loc[0, "error"] = np.nan
    results = Results.from_frame(frame.drop(index=5))

    averages = results.averages("error")

    assert np.isnan(averages.loc["x", "a"])
    assert np.isnan(averages.loc["x", "b"])
    assert averages.loc["y", "a"] == pytest.approx(0.05)
    assert results.missing[["algorithm", "fold", "reason"]].to_numpy().tolist() == [
        ["a", "1", "no value"],
        ["b", "3", "row absent"],
    ]
    assert results.failures == "unresolved"


def test_an_algorithm_absent_from_a_data_set_is_missing_there():
    frame = make()
    results = Results.from_frame(frame[~((frame.dataset == "y") & (frame.algorithm == "b"))])

    assert list(results.missing.index) == [0, 1, 2]
    assert np.isnan(results.averages("error").loc["y", "b"])


def test_without_algorithms_nothing_is_averaged_and_the_text_says_so():
    frame = make(algorithms=("a", "b"))
    frame.loc[frame["algorithm"] == "a", "error"] = np.nan
    results = Results.from_frame(frame).resolve("drop algorithms")

    nothing = analyse(results, Settings(without_algorithms=("b",)))

    assert nothing.scores.shape == (2, 0)
    assert "There is no algorithm to compare." in to_text(nothing)


def test_vectors_have_one_layer_per_measure():
    frame = make(other=1.0)
    results = Results.from_frame(frame, directions={"error": "lower", "other": "higher"})

    assert results.vectors("x", ["error", "other"]).shape == (2, 3, 2)


def test_choices_about_holes_are_recorded():
    frame = make(algorithms=("a", "b", "c"))
    frame.loc[0, "error"] = np.nan
    results = Results.from_frame(frame)

    sets = results.resolve("drop data sets")
    names = results.resolve("drop algorithms", "error")
    worst = results.resolve("worst rank")

    assert (sets.datasets, names.algorithms) == (("y",), ("b", "c"))
    (chosen,) = sets.choices
    assert (chosen.code, chosen["choice"], chosen["measure"]) == (
        "based on",
        "drop data sets",
        "error",
    )
    said = (
        "1 of 2 data sets was left out because of missing results, by your choice (x): 1 remains."
    )
    assert str(chosen) == said
    assert chosen.said(IN_PAPER) == (
        "1 of 2 data sets was left out because of missing results (x): 1 remained."
    )
    (chosen,) = names.choices
    assert (chosen["measure"], chosen["gone"]) == ("error", ("a",))
    assert str(chosen).startswith("1 of 3 algorithms was left out")
    said = "1 error value of a is missing on 1 of 2 data sets (1 of 6 cells). Missing results are ranked worst, by your choice."
    assert [*map(str, worst.choices)] == [said]
    assert (sets.failures, worst.failures) == ("none", "worst rank")
    assert np.isnan(worst.averages("error").loc["x", "a"])
    assert Results.from_frame(make()).resolve("drop data sets").choices == ()


def test_leaving_out_everything_is_refused():
    frame = make(datasets=("x",))
    frame.loc[0, "error"] = np.nan

    with pytest.raises(DataError, match="leaves nothing"):
        Results.from_frame(frame).resolve("drop data sets")


def test_select_keeps_what_is_named_and_refuses_what_is_unknown():
    results = Results.from_frame(make(algorithms=("a", "b", "c")))

    assert results.select(algorithms=["c", "a"]).algorithms == ("a", "c")
    assert results.select(datasets=["y"]).datasets == ("y",)
    assert results.select() is results
    with pytest.raises(SettingError, match='no algorithm "z". Choose from a, b and c'):
        results.select(algorithms=["z"])
    with pytest.raises(SettingError, match=r'These results have no measure "auc"\. Choose'):
        results.averages("auc")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda f: pd.concat([f, f.head(1)]),
            "table: Each row needs a unique combination of data set",
        ),
        (lambda f: f.assign(error=np.inf), "finite"),
        (lambda f: f.drop(columns="algorithm"), "lacks the columns algorithm"),
        (lambda f: f.drop(columns="error"), "known measure"),
    ],
)
def test_bad_frames_are_refused_with_the_reason(change, message):
    with pytest.raises(DataError, match=message):
        Results.from_frame(change(make()))


def test_results_are_equal_by_content_and_cannot_be_changed():
    frame = make()
    results = Results.from_frame(frame)
    same = Results.from_frame(frame.sample(frac=1, random_state=1), files=("other.csv",))

    assert results == same
    assert results != Results.from_frame(frame.assign(error=0.5))
    copy = results.frame
    copy.loc[0, "error"] = 99
    assert results == same
    with pytest.raises(AttributeError):
        results.source = "x"


def test_the_summary_names_what_was_read():
    assert Results.from_frame(make(1, 3, train_s=1.0), costs=["train_s"]).summary() == (
        "Read 12 results: 2 data sets, 2 algorithms, 3-fold cross-validation; measure error; cost train_s."
    )
