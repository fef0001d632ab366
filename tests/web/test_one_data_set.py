"""Tests of one data set with one or two algorithms, and of constant differences."""

import json

import pytest

from tests.web.conftest import texts, turn_to, upload

LEVELS = {"rf": 0.1, "svm": 0.13, "knn": 0.2}


def folds(*names, noise=True) -> bytes:
    """Return a CSV of ten folds of one data set; without noise, all differences are constant."""
    rows = [
        f"iris,{name},{fold},{LEVELS[name] + fold / 50 + noise * (fold * len(name) % 7) / 100:.3f}"
        for name in names
        for fold in range(10)
    ]
    return ("dataset,algorithm,fold,error\n" + "\n".join(rows) + "\n").encode()


def open_page(app, content):
    upload(app, ("mine.csv", content))
    turn_to(app, "Folds").run()
    assert not app.exception
    return app


def links(at):
    return {link.proto.label.replace("\\", ""): link.proto.page for link in at.main.get("page_link")}


def test_two_algorithms_are_asked_for_the_test_of_a_pair(app):
    open_page(app, folds("rf", "svm"))

    keys = {box.key for box in app.main.selectbox}
    assert "test" in keys
    assert not {"posthoc", "notation", "overlap"} & keys
    assert app.selectbox(key="test").help == "Recommended for this design: corrected t."
    assert "Tukey" not in texts(app)

    app.selectbox(key="test").set_value("sign test").run()
    assert "sign test" in texts(app)


def test_one_algorithm_shows_its_folds(app):
    open_page(app, folds("rf"))

    said = texts(app)
    assert "There is only one algorithm (rf), so no comparison is possible." in said
    assert "Tukey" not in said
    assert "Error of rf by fold" in said
    assert not {"posthoc", "notation", "test"} & {box.key for box in app.main.selectbox}
    assert len(app.get("plotly_chart")) == 1
    assert json.loads(app.get("plotly_chart")[0].proto.spec)["data"]


@pytest.mark.parametrize("page", ["Folds", "results"])
def test_differences_that_do_not_vary_lead_to_the_differences(app, page):
    upload(app, ("mine.csv", folds("rf", "svm", "knn", noise=False)))
    turn_to(app, page).run()

    assert not app.exception
    assert "The differences do not vary, so no test applies." in texts(app)


def test_a_test_that_cannot_decide_starts_a_sentence(app):
    upload(app, ("mine.csv", folds("rf", "svm", noise=False)))
    app.switch_page("pages/compare.py").run()

    assert "**rf and svm cannot be compared by the Nadeau-Bengio corrected t test.**" in texts(app)
    assert "All 10 differences are \u22120.03, so" in texts(app)


def test_predictions_in_the_order_of_time_have_a_horizon(app):
    days = [f"2026-01-{day:02d}" for day in range(1, 31)]
    rows = [
        f"{m},{day},{i % 7}.5,{i % 7 + shift * (i % 3)}.1"
        for m, shift in (("a", 1), ("b", 2))
        for i, day in enumerate(days)
    ]
    upload(app, ("rain.csv", "\n".join(["model,date,true,predicted", *rows]).encode()))
    turn_to(app, "compare").run()
    assert "Diebold-Mariano test" in texts(app)
    before = texts(app)

    app.number_input(key="horizon").set_value(4).run()
    assert not app.exception
    assert texts(app) != before
    assert "Agreement of a and b" not in texts(app)  # numbers are not right or wrong
