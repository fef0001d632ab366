"""Every page answers for items with documents, repeated answers, runs and several benchmarks."""

import io
from itertools import product

import numpy as np
import pandas as pd
import pytest

from tests.web.conftest import texts, turn_to, upload

PAGES = ["results", "compare", "explore", "tradeoffs", "plan", "export"]
DESIGNS = {  # columns besides model, question_id and correct, and the number of models
    "documents": (["document"], 2),
    "answers": (["attempt"], 2),
    "answers in documents": (["attempt", "document"], 3),
    "runs in documents": (["seed", "document"], 2),
    "benchmarks with documents": (["benchmark", "document"], 3),
    "benchmarks with answers": (["benchmark", "attempt"], 2),
    "benchmarks with answers in documents": (["benchmark", "attempt", "document"], 3),
    "benchmarks with runs": (["benchmark", "seed"], 3),
}


def items(columns: list[str], n_models: int) -> bytes:
    """Return a CSV of answers to 24 questions of 8 documents on each benchmark."""
    rng = np.random.default_rng(5)
    levels = {
        "benchmark": ["x", "y"] if "benchmark" in columns else ["x"],
        "question": range(24),
        "attempt": range(3) if "attempt" in columns else [0],
        "seed": range(3) if "seed" in columns else [0],
        "model": list("abc")[:n_models],
    }
    table = pd.DataFrame(product(*levels.values()), columns=[*levels])
    table["document"] = table["benchmark"] + "-" + (table["question"] // 3).astype(str)
    table["question_id"] = table["document"] + "-" + table["question"].astype(str)
    share = table["model"].map({"a": 0.8, "b": 0.5, "c": 0.4})
    table["correct"] = (rng.random(len(table)) < share).astype(int)
    return table[["model", "question_id", *columns, "correct"]].to_csv(index=False).encode()


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("page", PAGES)
def test_every_page_answers_for_items(app, page, design):
    columns, n_models = DESIGNS[design]
    upload(app, ("items.csv", items(columns, n_models)))
    turn_to(app, page).run()

    assert not app.exception
    said = texts(app)
    assert "internal error" not in said
    assert "items.csv" in said
    if page == "results":
        assert ("benchmarks" in said) == ("benchmark" in columns)
        assert ("clusters of instances" in said) == ("document" in columns)


@pytest.mark.parametrize(
    ("column", "answer"),
    [
        ("topic", r"With 8 clusters (topic) instead of independent instances"),
        ("document", r"With 24 independent instances instead of clusters (document)"),
    ],
)
def test_a_column_of_clusters_comes_with_both_answers(app, column, answer):
    table = items(["document"], 2).decode().replace("document", column, 1)
    upload(app, ("items.csv", table.encode()))
    turn_to(app, "results").run()

    assert answer in texts(app)


def test_a_pair_on_benchmarks_has_its_tests_below_the_verdict(app):
    columns, n_models = DESIGNS["benchmarks with documents"]
    upload(app, ("items.csv", items(columns, n_models)))
    turn_to(app, "compare").run()

    assert "below are unadjusted" in texts(app)
    pairs, benchmarks = (table.value for table in app.dataframe[-2:])
    assert len(pairs) == 1
    assert list(benchmarks.index[:2]) == ["x", "y"]


def test_every_column_of_clusters_has_an_answer_and_a_button(app):
    table = pd.read_csv(io.BytesIO(items(["document"], 2)))
    table["type"] = (
        table["question_id"].str.rpartition("-")[2].astype(int).map(lambda i: "xyz"[i % 3])
    )
    upload(app, ("items.csv", table.to_csv(index=False).encode()))
    turn_to(app, "results").run()

    said = texts(app)
    assert "With 24 independent instances instead of clusters (document)" in said
    assert "With 3 clusters (type) instead of 8 clusters" in said
    (button,) = (each for each in app.button if each.label == "Use type as clusters")
    button.click().run()
    assert "With 8 clusters (document) instead of 3 clusters" in texts(app)


def test_every_page_compares_averages_of_runs_that_not_every_model_has(app):
    rng = np.random.default_rng(8)
    rows = [
        (model, run, item, int(rng.random() < rate))
        for model, rate, runs in (("a", 0.5, 2), ("b", 0.8, 4), ("c", 0.7, 3))
        for run in range(runs)
        for item in range(60)
    ]
    frame = pd.DataFrame(rows, columns=["model", "seed", "item", "correct"])
    upload(app, ("runs.csv", frame.to_csv(index=False).encode()))
    turn_to(app, "results").run()

    assert "a is significantly worse than b and c" in texts(app)
    assert "results missing" not in texts(app)
    turn_to(app, "compare").run()
    assert not app.exception
    assert "b and c do not differ significantly in accuracy on the test set" in texts(app)
    assert "Each algorithm has 1 run" not in texts(app)
    for page in ("explore", "plan", "export"):
        turn_to(app, page).run()
        assert not app.exception
        assert "Tests on folds need every result" not in texts(app)
