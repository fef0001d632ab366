"""Tests of the pages for models on the instances of a few benchmarks."""

import re

import pandas as pd
import pytest

from tests.web.conftest import texts, turn_to, upload

# right answers of the models of 100 and 200 instances
RIGHT = {"x": (90, 70, 60), "y": (190, 150, 120)}
SIZES = {"x": 100, "y": 200}


def answers(n_models) -> bytes:
    """Return a CSV of answers of two or three models on two benchmarks."""
    tables = [
        pd.DataFrame(
            {
                "question_id": [f"{name}{i}" for i in range(SIZES[name])],
                "benchmark": name,
                "model": model,
                "correct": [int((i * 7 + place) % SIZES[name] < right) for i in range(SIZES[name])],
            }
        )
        for name, of_models in RIGHT.items()
        for place, (model, right) in enumerate(zip("abc", of_models, strict=True))
        if place < n_models
    ]
    return pd.concat(tables).to_csv(index=False).encode()


@pytest.mark.parametrize("page", ["results", "compare", "explore", "tradeoffs", "plan", "export"])
@pytest.mark.parametrize("n_models", [2, 3])
def test_pages_say_what_the_sentence_says(app, n_models, page):
    upload(app, ("marks.csv", answers(n_models)))
    turn_to(app, page).run()

    assert not app.exception
    said = texts(app)
    assert not re.search(r"Tests?: (Wilcoxon|pairwise tests of)|Median difference|Hodges", said)
    if page == "results":
        assert "over all 300 instances of these 2 benchmarks" in said
        assert "stratified exact McNemar test" in said


@pytest.mark.parametrize("tab", ["Why this test", "All pairs", "By benchmark"])
@pytest.mark.parametrize("n_models", [2, 3])
def test_the_tabs_of_results_agree_with_the_sentence(app, n_models, tab):
    upload(app, ("marks.csv", answers(n_models)))
    app.query_params["tab"] = tab
    turn_to(app, "results").run()

    assert not app.exception
    assert [each.label for each in app.tabs] == ["Why this test", "All pairs", "By benchmark"]
    said = texts(app)
    if tab == "All pairs":
        assert "over all 300 instances of these 2 benchmarks with" in said
    if tab == "By benchmark":
        assert "Welch's test of heterogeneity" in said
