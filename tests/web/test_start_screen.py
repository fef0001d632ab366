"""Tests of the start screen, the way to Results, and what all pages share."""

import json

import pytest

from foldwise.web import session
from foldwise.web.texts import page_text
from foldwise.web.views.start_views import TILES
from tests.web.conftest import WIDE, page, specs, texts, turn_to, words_in_sight

ACCURACY = ("accuracy.csv", WIDE, "text/csv")


def headline(at):
    """Return the answer on the page Results, "" on other pages and on the start screen."""
    return next(
        (
            str(part.value).replace("\u00a0", " ").removeprefix("# ")
            for part in at.markdown
            if str(part.value).startswith("# ")
        ),
        "",
    )


def hidden_pages(at):
    """Return the pages that are hidden in the navigation bar."""
    return (
        at.session_state[session.HIDDEN_PAGES]
        if session.HIDDEN_PAGES in at.session_state
        else set()
    )


def test_the_start_screen_stands_in_place_of_every_page_with_the_answer_of_an_example(app):
    for name in ("export", "results", "compare", "explore", "tradeoffs", "plan"):
        turn_to(app, name).run()

        assert not app.exception
        assert [title.value for title in app.title] == [page_text("start_views.promise")]
        assert headline(app) == ""
        assert [one.key for one in app.file_uploader] == ["uploader"]
        assert hidden_pages(app) == {"compare", "explore", "tradeoffs", "plan", "export"}
    said = texts(app)
    assert "over 38 data sets, but does not differ significantly from SVM (RBF)" in said
    assert "Example: Eight classifiers on 38 UCI data sets" in said
    assert len(specs(app)) == 1
    assert [
        button.label for button in app.button if button.key in {f"start_{tile}" for tile in TILES}
    ] == [page_text(f"start_views.{tile}") for tile in TILES]
    assert words_in_sight(app) <= 120


@pytest.mark.parametrize(
    ("tile", "said"),
    [("datasets", "over 38 data sets"), ("test_set", "on the test set"), ("table", "AUC")],
)
def test_a_tile_opens_its_sample_on_results(app, tile, said):
    app.run()
    app.button(key=f"start_{tile}").click().run()

    assert not app.exception
    assert app.session_state[session.SAMPLE] == app.query_params["sample"] == TILES[tile]
    assert said in headline(app).replace("\\", "")
    assert "Example data: " in texts(app)


def test_an_upload_opens_results_with_no_further_action(app):
    app.run()
    app.file_uploader(key="uploader").set_value([ACCURACY]).run()

    assert not app.exception
    assert headline(app).startswith("a is significantly better than b and c")


def test_a_question_stands_in_place_of_the_page_and_its_answer_opens_results(app):
    app.run()
    app.file_uploader(key="uploader").set_value([("results.csv", WIDE, "text/csv")]).run()

    assert headline(app) == ""
    assert "## Preview" in texts(app)
    (measure,) = [
        field
        for field in app.text_input
        if field.label == "Measure" and field.key.startswith("name")
    ]
    measure.set_value("niceness")
    next(button for button in app.button if button.label == "Higher is better").click().run()

    assert not app.exception
    assert "niceness" in headline(app)


def test_the_slider_sets_the_level_of_every_page_and_of_the_sidebar(app):
    page(app, "uci38_5x2.csv", "results")
    before = texts(app)
    slider = app.select_slider(key="level_slider")
    assert slider.value == 0.05
    lowest = slider.options[0]
    own = next(
        float(level) for level in slider.options[1:] if float(level) not in (0.01, 0.05, 0.1)
    )
    slider.set_value(0.01).run()

    assert not app.exception
    assert app.segmented_control(key="alpha").value == "0.01"
    assert any(
        "= 0.01" in caption.value.replace("\\", "").replace("\u00a0", " ")
        for caption in app.sidebar.caption
    )
    assert texts(app) != before

    app.select_slider(key="level_slider").set_value(own).run()
    assert app.segmented_control(key="alpha").value == "other"
    assert app.number_input(key="level").value == own
    assert any(
        f"= {own:g}" in caption.value.replace("\\", "").replace("\u00a0", " ")
        for caption in app.sidebar.caption
    )

    app.select_slider(key="level_slider").set_value(float(lowest)).run()
    assert f"α = {lowest} · all pairs" in texts(app)
    assert app.select_slider(key="level_slider").value == float(lowest)
    turn_to(app, "compare").run()
    assert f"α = {lowest} · all pairs" in texts(app)
    app.segmented_control(key="alpha").set_value("0.10").run()
    turn_to(app, "results").run()
    assert app.select_slider(key="level_slider").value == 0.1


def test_a_selection_in_the_address_is_restored(app):
    selected = ["pair", ["SVM (degree 2)", "SVM (RBF)"], ""]
    app.query_params["sel"] = json.dumps(selected)
    page(app, "uci38_5x2.csv", "results")

    assert not app.exception
    assert "Selected: pair SVM (degree 2), SVM (RBF)" in " ".join(
        button.label.replace("\\", "") for button in app.button
    )
    assert json.loads(app.query_params["sel"]) == selected


@pytest.mark.parametrize(
    ("sample", "hidden"),
    [
        ("uci38_5x2.csv", set()),
        ("two_models.csv", set()),
        ("twoclass_counts.csv", set()),
        ("demsar_2006_auc.csv", {"explore"}),
    ],
)
def test_few_words_are_in_sight_and_pages_that_need_other_results_are_hidden(app, sample, hidden):
    page(app, sample, "results")
    assert words_in_sight(app) <= 150
    assert hidden_pages(app) == hidden
    for name in ("compare", "explore", "Several measures", "tradeoffs", "plan"):
        turn_to(app, name).run()
        assert not app.exception
        assert words_in_sight(app) <= 120, name
