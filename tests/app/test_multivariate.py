"""The page Multivariate and the ways to it."""

import pytest

from tests.app.conftest import texts
from tests.app.test_fold_pages import page, select
from tests.app.test_pages import specs

TABS = ["Folds", "Cliques", "Learned measure", "Assumptions", "Over data sets"]


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("who", ["all", "two"])
def test_every_tab(app, tab, who):
    app.query_params["mtab"] = tab
    app.query_params["who"] = who
    page(app, "twoclass_scores.csv.gz", "multivariate")

    assert not app.exception
    assert "(fpr, tpr)" in texts(app)


def test_same_error_different_errors(app):
    app.query_params |= {"who": "two", "a": "lda", "b": "tree", "ds": "acceptors"}
    page(app, "twoclass_counts.csv", "multivariate")

    assert "error does not separate lda and tree, but they err differently." in texts(app)
    words = {note.get("text") for note in specs(app)[1]["layout"]["annotations"]}
    assert "origin outside: differs" in words


def test_four_counts_are_a_matrix_of_panels_and_two_dimensions(app):
    page(app, "twoclass_counts.csv", "multivariate")
    select(app, "together", "tp, fp, tn, fn")

    assert "four measures carry two dimensions" in texts(app)
    assert "xaxis9" in specs(app)[0]["layout"]


def test_the_overview_leads_to_what_error_hides(app):
    app.query_params["sample"] = "twoclass_counts.csv"
    app.run()

    assert "Worth a look" in texts(app)
    labels = [link.proto.label for link in app.get("page_link")]
    assert any("error cannot separate" in label for label in labels)
    assert any("f cannot separate" in label for label in labels)
    assert any("are not separated" in label for label in labels)


def test_a_permutation_runs_when_asked(app):
    app.query_params["mtab"] = "Assumptions"
    page(app, "twoclass_scores.csv.gz", "multivariate")
    app.toggle(key="permute").set_value(True).run()

    assert "shuffles within folds" in texts(app)


def test_averages_and_single_measures_are_refused_in_words(app):
    page(app, "garcia_herrera_2008.csv", "multivariate")

    assert "Multivariate needs two or more measures." in texts(app)


def test_the_rule_of_wins_can_be_changed(app):
    app.query_params["mtab"] = "Over data sets"
    page(app, "twoclass_counts.csv", "multivariate")
    before = [frame.value.to_csv() for frame in app.dataframe]
    select(app, "rule", "the multivariate test and lower risk")

    assert [frame.value.to_csv() for frame in app.dataframe] != before
