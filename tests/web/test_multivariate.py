"""Tests of the tab Several measures of the page Explore, and of links to it."""

import pandas as pd
import pytest

from foldwise.web.views.measure_views import named_with_direction
from tests.web.conftest import open_section, page, select, specs, texts

TABS = ["Folds", "Cliques", "Discriminant measures", "Assumptions", "Over data sets"]


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("who", ["all", "two"])
def test_every_tab(app, tab, who):
    if tab != "Folds":
        open_section(app, "mtab", tab)
    app.query_params["who"] = who
    page(app, "twoclass_scores.csv.gz", "Several measures")

    assert not app.exception
    assert "(FPR, TPR)" in texts(app)


def test_same_error_different_errors(app):
    app.query_params |= {"who": "two", "a": "LDA", "b": "Decision tree", "ds": "acceptors"}
    page(app, "twoclass_counts.csv", "Several measures")

    assert "Decision tree and LDA differ significantly in (FPR, TPR) on acceptors." in texts(app)
    assert "If the pair was chosen beforehand" in texts(app)
    words = {note.get("text") for note in specs(app)[1]["layout"]["annotations"]}
    assert "origin outside the region: significant" in words


def test_four_counts_are_a_matrix_of_panels_and_two_dimensions(app):
    page(app, "twoclass_counts.csv", "Several measures")
    assert "xaxis7" in specs(app)[0]["layout"], "seven algorithms have a panel each"
    select(app, "panels", "no")
    assert "xaxis2" not in specs(app)[0]["layout"]
    select(app, "together", "tp, fp, tn, fn")

    assert "so four measures have only two dimensions" in texts(app)
    assert "xaxis9" in specs(app)[0]["layout"]


def test_nearly_collinear_measures_are_not_preselected(app):
    page(app, "vehicle_scores.csv.gz", "Several measures")

    assert app.multiselect(key="own").value == ["logloss", "error"]  # the catalogue's measure first
    assert "have only one dimension" not in texts(app)


def test_results_leads_to_what_error_hides(app):
    app.query_params["sample"] = "twoclass_counts.csv"
    app.run()

    assert "Exploratory findings" in [box.label for box in app.expander]
    labels = [button.label for button in app.button]
    assert any(r"but not in error\." in label for label in labels)
    assert any("not adjacent in error" in label for label in labels)

    next(button for button in app.button if r"but not in F1\." in button.label).click().run()

    assert not app.exception
    assert app.selectbox(key="measure").value == "f"
    assert (
        "Decision tree and Random forest differ significantly in (recall, precision) on german"
        in texts(app)
    )


def test_groups_that_skip_over_the_order_by_error_are_shown_beside_it(app):
    app.query_params["sample"] = "twoclass_counts.csv"
    app.run()
    next(button for button in app.button if "not adjacent in error" in button.label).click().run()

    assert not app.exception
    assert "Single measures" in texts(app)
    assert "Order by mean error" in texts(app)
    assert "Selected: group Random forest, 10-NN, LDA" in "".join(
        button.label.replace("\\", "") for button in app.button
    )


def test_a_common_test_set_has_one_word_for_its_results(app):
    open_section(app, "mtab", "Tests")
    """thesis_counts: 30 runs share one test set; none of them is a fold."""
    page(app, "thesis_counts.csv", "Several measures")

    said = texts(app)
    assert "30 runs" in said
    assert "30 folds" not in said
    assert "runs as blocks (30 runs" in said
    assert any("p without correction for overlap" in frame.value for frame in app.dataframe)


def test_m1_has_a_direction_only_where_all_its_loadings_agree():
    directions = {"error": "lower", "fpr": "lower", "tpr": "higher"}.get
    loadings = pd.Series({"error": 0.9, "fpr": 0.4, "tpr": -0.2}, name="M1")

    assert named_with_direction(loadings, directions) == "M1 (larger is worse)"
    assert named_with_direction(-loadings, directions) == "M1 (larger is better)"
    assert named_with_direction(loadings.abs(), directions) == "M1"
    assert named_with_direction(pd.Series({"error": 1, "tpr": 0.004}, name="M1"), directions) == (
        "M1 (larger is worse)"
    )


def test_decisions_over_data_sets_say_what_one_decision_is(app):
    open_section(app, "mtab", "Over data sets")
    page(app, "twoclass_counts.csv", "Several measures")

    assert "7 data sets are too few for a significant difference." in texts(
        app
    )  # a verdict of its own
    assert "Wins over 7 data sets" in texts(app)
    assert "Algorithms are sorted by wins − losses, from the best (left) to the worst." in texts(
        app
    )
    assert "1,470 decisions" in texts(app)
    assert (
        "21 pairs on 7 data sets, tested in each of 70 repetitions of a cross-validation."
        in texts(app)
    )


def test_a_permutation_runs_when_asked(app):
    open_section(app, "mtab", "Assumptions")
    page(app, "twoclass_scores.csv.gz", "Several measures")
    app.toggle(key="permute").set_value(True).run()

    assert "permutations within folds" in texts(app)


def test_averages_and_single_measures_are_refused_in_words(app):
    page(app, "garcia_herrera_2008_accuracy.csv", "Several measures")

    assert "This page needs results per fold or predictions with scores." in texts(app)


def test_the_rule_of_wins_can_be_changed(app):
    open_section(app, "mtab", "Over data sets")
    page(app, "twoclass_counts.csv", "Several measures")
    before = specs(app)
    select(app, "rule", "lower expected cost (thesis)")

    assert specs(app) != before
