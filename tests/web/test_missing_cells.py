"""Tests of missing results on the pages: questions about them, and consistent texts after the choice."""

import pytest

from foldwise.web.texts import page_text
from tests.web.conftest import texts, turn_to, upload

# three of twelve data sets lack a result of a
HOLES = b"dataset,a,b,c\n" + b"".join(
    f"d{i},{'' if i in (3, 5, 7) else f'{0.9 - i / 100:.3f}'},{0.5 + i % 3 / 100:.3f},{0.2 + i / 50:.3f}\n".encode()
    for i in range(12)
)
# only a has every result
FOLDS = b"dataset,algorithm,fold,error\n" + b"".join(
    f"d{i},{name},{fold},{'' if (i, fold) == (1, 2) and name != 'a' else level + fold / 50}\n".encode()
    for i in range(12)
    for name, level in (("a", 0.1), ("b", 0.2), ("c", 0.3))
    for fold in range(5)
)


@pytest.mark.parametrize("page", ["results"])
def test_the_choice_is_offered_where_missing_cells_stand_in_the_way(app, page):
    upload(app, ("holes_accuracy.csv", HOLES))
    turn_to(app, page).run()

    assert [title.value for title in app.title] == ["Results"]
    assert page_text("data_views.complete") in texts(app)
    assert (
        "3 accuracy values of a are missing on 3 of 12 data sets (3 of 36 cells). Choose a treatment of missing results."
        in texts(app)
    )
    assert not {"source", "form", "best"} & {box.key for box in app.main.selectbox}

    app.radio(key="hole_choice").set_value("sets").run()
    assert not app.exception
    assert "3 of 12 data sets were left out because of missing results" in texts(app)


def test_one_missing_cell_is_counted(app):
    one = HOLES.replace(b"d5,,", b"d5,0.8,").replace(b"d7,,", b"d7,0.8,")
    upload(app, ("holes_accuracy.csv", one))
    app.switch_page("pages/results.py").run()

    assert "1 accuracy value of a is missing on 1 of 12 data sets (1 of 36 cells)." in texts(app)


def test_what_was_left_out_is_one_story(app):
    upload(app, ("holes_accuracy.csv", HOLES))
    app.radio(key="hole_choice").set_value("sets").run()
    app.switch_page("pages/results.py").run()

    said = texts(app)
    assert "over 9 data sets" in said
    assert "no missing results" not in said
    assert "3 results missing: data sets left out" in "\n".join(
        str(badge.value) for badge in app.sidebar.markdown
    )


def test_worst_ranks_are_no_cells_left_out(app):
    upload(app, ("holes_accuracy.csv", HOLES))
    app.radio(key="hole_choice").set_value("worst").run()
    app.switch_page("pages/results.py").run()

    assert "3 results missing: ranked worst" in texts(app)
    assert "no missing results" not in texts(app)


def test_two_algorithms_can_choose_again_where_ranks_do_not_help(app):
    upload(app, ("holes_accuracy.csv", HOLES))
    app.radio(key="hole_choice").set_value("worst").run()
    app.switch_page("pages/results.py").run()
    app.multiselect(key="out").set_value(["c"]).run()
    assert "The Wilcoxon test needs results of both algorithms on every data set." in texts(app)

    app.radio(key="hole_choice").set_value("sets").run()
    assert "3 of 12 data sets were left out" in texts(app)


def test_one_algorithm_left_is_not_sent_where_two_are_needed(app):
    upload(app, ("folds.csv", FOLDS))
    app.radio(key="hole_choice").set_value("algorithms").run()
    app.switch_page("pages/results.py").run()

    assert "There is only one algorithm (a), so no comparison is possible." in texts(app)
    assert not app.exception


def test_the_value_of_a_baseline_is_asked_for_by_its_name(app):
    upload(app, ("holes_accuracy.csv", HOLES))
    app.radio(key="hole_choice").set_value("baseline").run()
    assert app.selectbox(key="hole_baseline").options == ["b", "c"]

    app.selectbox(key="hole_baseline").set_value("c").run()
    app.switch_page("pages/results.py").run()

    assert not app.exception
    assert "replaced by the accuracy of c" in texts(app)
    assert "".join(app.query_params["baseline"]) == "c"
    assert "".join(app.query_params["holes"]) == "baseline"


@pytest.mark.parametrize("page", ["results"])
def test_with_missing_cells_pairs_are_compared_where_both_have_results(app, page):
    upload(app, ("holes_accuracy.csv", HOLES))
    app.radio(key="hole_choice").set_value("present").run()
    turn_to(app, page).run()

    assert not app.exception
    assert "Skillings-Mack" in texts(app)
    assert "compared on the data sets with results of both algorithms" in texts(app)


def test_only_missing_cells_of_compared_data_sets_and_algorithms_count(app):
    upload(app, ("holes_accuracy.csv", HOLES))
    app.switch_page("pages/results.py").run()
    app.multiselect(key="outset").set_value(["d3", "d5"]).run()

    assert "1 accuracy value of a is missing on 1 of 10 data sets (1 of 30 cells)" in texts(app)
    app.multiselect(key="out").set_value(["a"]).run()
    assert not app.exception
    assert "Choose what to do" not in texts(app)


def test_what_each_choice_leads_to_is_shown_on_demand(app):
    upload(app, ("holes_accuracy.csv", HOLES))
    app.session_state["hole_verdicts"] = True
    app.run()

    assert not app.exception
    said = texts(app)
    assert "The verdict depends on the treatment of missing results: 5 treatments disagree" in said
