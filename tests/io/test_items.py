"""Reading of marks and scores of single items, and the comparison of models on them."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DataError, NeedsMapping
from stats_core.data.settings import Settings
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results

N = 120


@pytest.fixture(scope="module")
def marks():
    """Return the marks of three models on the same questions, with a common difficulty of each question."""
    draws = np.random.default_rng(5)
    difficulty = draws.normal(size=N)
    chances = {
        name: 1 / (1 + np.exp(-(level + 1.5 * difficulty)))
        for name, level in zip("abc", (1.6, 0.9, 0.8), strict=True)
    }
    return pd.DataFrame(
        {name: (draws.random(N) < chance).astype(int) for name, chance in chances.items()}
    )


def long(marks, columns=("question_id", "model", "correct")):
    """Return one row per question and model with the given column names."""
    table = marks.rename_axis(columns[0]).reset_index()
    return table.melt(columns[0], var_name=columns[1], value_name=columns[2])


def read_as_marks(table):
    """Return the results of a table; if asked, its columns of 0 and 1 are marks."""
    try:
        return read(table)
    except NeedsMapping as asked:
        return read(table, asked.options[0][1])


def read(table, mapping=None):
    """Return the results read from the CSV text of a table."""
    return read_results(
        ("bench.csv", table.to_csv(index=False).encode()), mapping=mapping or Mapping()
    )


@pytest.mark.parametrize(
    "shape",
    [
        long,
        lambda marks: marks,
        lambda marks: marks.assign(doc_id=[f"doc {i}" for i in range(N)]),
        lambda marks: long(marks, ("item", "model", "acc")),
        lambda marks: long(marks).replace({"correct": {1: "pass", 0: "fail"}}),
        lambda marks: long(marks).assign(correct=lambda table: table["correct"] == 1),
    ],
    ids=["long", "wide", "wide with names", "accuracy", "words", "booleans"],
)
def test_marks_are_accuracy_on_one_test_set(marks, shape):
    comparison = analyse(read_as_marks(shape(marks)))

    assert comparison.kind == "cases"
    assert (comparison.n_cases, comparison.way, comparison.settings.measure) == (
        N,
        "mcnemar",
        "accuracy",
    )
    assert comparison.values.to_dict() == pytest.approx(marks.mean().to_dict())
    b, c = int((marks["a"] > marks["b"]).sum()), int((marks["a"] < marks["b"]).sum())
    assert comparison.tests["a", "b"].pvalue == pytest.approx(stats.binomtest(b, b + c).pvalue)


def test_columns_of_0_and_1_without_telling_names_may_be_marks_or_labels(marks):
    """It is asked which of the columns holds true labels, unless the names are of models."""
    with pytest.raises(NeedsMapping, match="Both layouts fit") as asked:
        read(marks)

    assert "true" not in asked.value.options[0][1].roles.values()
    assert any("true" in mapping.roles.values() for _, mapping in asked.value.options[1:])
    named = read(marks.set_axis(["svm", "forest", "boosting"], axis=1))
    assert named.averages("accuracy").iloc[0]["svm"] == pytest.approx(marks["a"].mean())


def test_marks_of_errors_are_turned(marks):
    results = read(long(1 - marks, ("question_id", "model", "error")))

    assert results.averages("accuracy").iloc[0].to_dict() == pytest.approx(marks.mean().to_dict())


def test_graded_scores_are_compared_by_permutation(marks):
    scores = (0.7 * marks + 0.3 * np.random.default_rng(6).random(marks.shape)).round(3)

    comparison = analyse(
        read(
            long(scores, ("question_id", "model", "reward")),
            Mapping(directions={"reward": "higher"}),
        )
    )

    assert (comparison.kind, comparison.way, comparison.omnibus) == ("cases", "swaps", None)
    assert comparison.values.to_dict() == pytest.approx(scores.mean().to_dict())
    difference = scores["a"] - scores["b"]
    # the p-value of 9,999 permutations is only near that of the t test
    assert comparison.tests["a", "b"].error == pytest.approx(stats.sem(difference))
    assert comparison.tests["a", "b"].pvalue == pytest.approx(
        stats.ttest_1samp(difference, 0).pvalue, rel=0.2, abs=0.005
    )


def test_seeds_are_repetitions_on_the_same_items(marks):
    comparison = analyse(read(pd.concat([long(marks).assign(seed=seed) for seed in (0, 1, 2)])))

    assert (comparison.kind, comparison.n_trainings, comparison.n_cases) == ("trainings", 3, N)


def test_items_of_one_document_are_a_cluster(marks):
    table = long(marks).assign(document=lambda table: table["question_id"] // 4)

    comparison = analyse(read(table, Mapping(roles={"document": "cluster"})))

    assert (comparison.way, comparison.n_clusters) == ("clusters", N // 4)


def test_unusual_names_are_asked_about(marks):
    with pytest.raises(NeedsMapping) as asked:
        read(long(marks, ("zork", "blub", "flup")))

    assert asked.value.guess.roles == {"zork": "instance", "blub": "algorithm", "flup": "measure"}
    results = read(long(marks, ("zork", "blub", "flup")), asked.value.options[0][1])
    assert analyse(results).n_cases == N


def test_a_missing_item_of_one_model_is_named(marks):
    with pytest.raises(DataError, match=r"a has 119 of 120 instances"):
        read(long(marks).iloc[1:])


def test_columns_named_as_predictions_are_no_marks(marks):
    with pytest.raises(NeedsMapping):
        read(marks.add_suffix("_pred"))


def test_few_rows_of_marks_are_no_items(marks):
    with pytest.raises(NeedsMapping):
        read(marks.head(12))


def test_columns_of_0_and_1_may_be_labels():
    draws = np.random.default_rng(7)
    truth = draws.integers(0, 2, N)
    table = pd.DataFrame(
        {name: np.where(draws.random(N) < 0.85, truth, 1 - truth) for name in "bcd"}
    )

    with pytest.raises(NeedsMapping):
        read(table.assign(zork=truth))


LANGUAGE_MODELS = ["gpt-4o", "claude-3.5-sonnet", "llama-3-70b", "o1-mini", "mistral-7b"]


def named_as_models(marks, names=LANGUAGE_MODELS):
    """Return marks of models with common difficulty, in columns with these names, and the number of each question."""
    draws = np.random.default_rng(3)
    columns = {
        name: (marks["abc"[i % 3]] ^ (draws.random(N) < 0.1)).astype(int)
        for i, name in enumerate(names)
    }
    return pd.DataFrame({"question": [f"q{i}" for i in range(N)], **columns})


def test_columns_named_as_models_hold_no_true_labels(marks):
    table = named_as_models(marks)

    results = read(table)

    assert set(results.algorithms) == set(LANGUAGE_MODELS)
    shares = results.averages("accuracy").loc["bench"]
    assert shares.to_dict() == pytest.approx(table[LANGUAGE_MODELS].mean().to_dict())


def test_only_a_column_without_a_models_name_may_hold_true_labels(marks):
    table = named_as_models(marks, ["human", *LANGUAGE_MODELS])
    truth = table["human"]
    for i, name in enumerate(LANGUAGE_MODELS):  # four in five answers are that of the first column
        table[name] = np.where(np.random.default_rng(i).random(N) < 0.8, truth, 1 - truth)

    with pytest.raises(NeedsMapping) as asked:
        read(table)

    of_marks, of_labels = (str(description) for description, _ in asked.value.options)
    assert "6 algorithms" in of_marks
    assert "True label: human" in of_labels


@pytest.mark.parametrize("item", ["question", "prompt", "query", "task_id", "problem"])
@pytest.mark.parametrize("mark", ["correct", "passed", "resolved", "pass"])
def test_tasks_with_one_mark_per_model_are_items(item, mark):
    """A column that has one mark of each model in every row is an item, whatever else its name may mean."""
    rows = "".join(
        f"{i},{model},{i * step % 3 // 2}\n"
        for i in range(60)
        for model, step in (("a", 1), ("b", 5))
    )
    results = read_results(("marks.csv", f"{item},model,{mark}\n{rows}".encode()))
    assert results.is_one_test_set
    assert results.measures == ("accuracy",)


@pytest.mark.parametrize("measure", ["ndcg@10", "ndcg", "mrr"])
def test_scores_of_queries_are_read_as_items(measure):
    share = np.random.default_rng(1).beta(3, 3, size=(N, 3)).round(4)
    rows = "\n".join(f"q{i},{name},{share[i, j]}" for j, name in enumerate("abc") for i in range(N))
    results = read_results(("trec.csv", f"query,model,{measure}\n{rows}\n".encode()))

    assert dict(results.directions) == {measure: "higher"}
    assert results.design == "single"
    assert analyse(results).n_cases == N
    assert results.averages(measure).iloc[0].tolist() == pytest.approx(share.mean(axis=0).tolist())


@pytest.mark.parametrize("shape", ["long", "wide"])
def test_texts_and_documents_of_items_are_kept(marks, shape):
    questions = [f"What is {i} times {i}?" for i in range(N)]
    described = marks.assign(question=questions, passage=[f"text {i // 5}" for i in range(N)])
    table = described.rename_axis("item").reset_index()
    if shape == "long":
        table = table.melt(["item", "question", "passage"], var_name="model", value_name="correct")
    results = read(table)

    assert results.item_texts["bench", 7] == questions[7]
    assert analyse(results).n_clusters == N // 5


def test_several_values_of_items_are_several_measures(marks):
    draws = np.random.default_rng(8)
    table = long(marks, ("question_id", "model", "acc"))
    table = table.assign(
        acc_norm=1 - table["acc"], f1=draws.random(len(table)).round(3), seconds=1.5
    )
    results = read(table)

    assert results.directions == {"accuracy": "higher", "f": "higher", "acc_norm": "higher"}
    for measure, column, way in (
        ("accuracy", "acc", "mcnemar"),
        ("acc_norm", "acc_norm", "mcnemar"),
        ("f", "f1", "swaps"),
    ):
        comparison = analyse(results, Settings(measure=measure))
        assert comparison.way == way
        assert comparison.values.to_dict() == pytest.approx(
            table.groupby("model")[column].mean().to_dict()
        )


def test_scores_of_few_questions_are_items(marks):
    table = long(marks.head(30), ("question_id", "model", "f1"))
    results = read(table.assign(f1=np.random.default_rng(9).random(len(table)).round(3)))

    assert (results.design, results.measures) == ("single", ("f1",))
    with pytest.raises(NeedsMapping) as asked:
        read(table.assign(f1=table["f1"] / 2).rename(columns={"question_id": "case"}))
    roles = [mapping.roles["case"] for _, mapping in asked.value.options]
    assert sorted(roles) == ["dataset", "fold", "instance"]


def test_scores_of_queries_in_columns_of_models_are_items():
    scores = np.random.default_rng(2).beta(3, 3, size=(40, 3)).round(4)
    table = pd.DataFrame(scores, columns=list("abc")).assign(query=[f"q{i}" for i in range(40)])
    with pytest.raises(NeedsMapping) as asked:
        read(table)
    mapping = dataclasses.replace(
        asked.value.guess, measure_name="relevance", directions={"relevance": "higher"}
    )

    for results in (
        read_results(("ndcg.csv", table.to_csv(index=False).encode())),
        read(table, mapping),
    ):
        assert (results.design, analyse(results).n_cases) == ("single", 40)
        assert results.averages(results.measures[0]).iloc[0].tolist() == pytest.approx(
            scores.mean(axis=0).tolist()
        )


@pytest.mark.parametrize(
    ("name", "asks"), [("q", True), ("HumanEval/", True), ("dataset", False), ("iris-", False)]
)
def test_numbered_rows_of_averages_may_be_items(name, asks):
    scores = np.random.default_rng(3).beta(3, 3, size=(130, 3)).round(4)
    labels = [
        f"{name}{'' if asks or name == 'dataset' else 'abcdefghijklmnopqrstuvwxyz'[i % 26]}{i}"
        for i in range(130)
    ]
    source = "accuracy.csv", pd.DataFrame(scores, labels, list("abc")).to_csv().encode()
    if not asks:
        assert len(read_results(source).datasets) == 130
        return

    with pytest.raises(NeedsMapping) as asked:
        read_results(source)

    designs = {
        mapping.rows: read_results(source, mapping=mapping) for _, mapping in asked.value.options
    }
    assert {rows: len(results.datasets) for rows, results in designs.items()} == {
        "cases": 1,
        "datasets": 130,
    }
    assert analyse(designs["cases"]).n_cases == 130


def test_a_number_of_each_row_is_no_item():
    rng = np.random.default_rng(4)
    rows = [(d, a, f) for d in ("iris", "wine") for f in range(10) for a in ("svm", "rf")]
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold"]).assign(
        accuracy=lambda frame: rng.random(len(frame)).round(3), id=1000 + rng.permutation(len(rows))
    )

    for results in (
        read(table),
        read(table.rename(columns={"fold": "part"}), Mapping(roles={"part": "fold"})),
    ):
        assert (results.design, results.measures) == ("k-fold", ("accuracy",))
