"""From the start screen to Results, and what every page of the app has in common."""

import json

import pytest

from foldwise.web import session
from foldwise.web.texts import page_text
from foldwise.web.views.start_views import TILES
from tests.web.conftest import WIDE, page, texts, turn_to, upload, words_in_sight

SAMPLES = ("uci38_5x2.csv", "two_models.csv", "twoclass_counts.csv", "demsar_2006_auc.csv")
ACCURACY = ("accuracy.csv", WIDE, "text/csv")


def headline(at):
    """The answer on the page Results, "" on other pages and on the start screen."""
    return next((str(part.value).removeprefix("# ") for part in at.markdown if str(part.value).startswith("# ")), "")


def hidden_pages(at):
    """The pages that are hidden in the bar."""
    return at.session_state[session.HIDDEN_PAGES] if session.HIDDEN_PAGES in at.session_state else set()


def test_the_start_screen_promises_and_offers_three_samples(app):
    app.run()

    assert [title.value for title in app.title] == [page_text("start_views.promise")]
    assert [button.label for button in app.button if button.key in {f"start_{tile}" for tile in TILES}] == [
        page_text(f"start_views.{tile}") for tile in TILES
    ]
    assert app.file_uploader
    assert headline(app) == ""
    assert words_in_sight(app) <= 120


@pytest.mark.parametrize(("tile", "file"), TILES.items())
def test_a_tile_opens_its_sample_on_results(app, tile, file):
    app.run()
    app.button(key=f"start_{tile}").click().run()

    assert not app.exception
    assert app.session_state[session.SAMPLE] == file
    assert headline(app)


@pytest.mark.parametrize("name", ["compare", "explore", "tradeoffs", "plan", "export"])
def test_the_start_screen_stands_in_place_of_every_page(app, name):
    turn_to(app.run(), name).run()

    assert [title.value for title in app.title] == [page_text("start_views.promise")]


def test_an_upload_opens_results_with_no_further_action(app):
    app.run()
    app.file_uploader(key="uploader").set_value([ACCURACY]).run()

    assert not app.exception
    assert headline(app).startswith("a is significantly better than")


def test_a_question_stands_in_place_of_the_page_and_its_answer_opens_results(app):
    app.run()
    app.file_uploader(key="uploader").set_value([("results.csv", WIDE, "text/csv")]).run()

    assert headline(app) == ""
    assert "## Preview" in texts(app)
    (measure,) = [field for field in app.text_input if field.label == "Measure" and field.key.startswith("name")]
    measure.set_value("niceness")
    next(button for button in app.button if button.label == "Higher is better").click().run()

    assert not app.exception
    assert "niceness" in headline(app)


def test_the_slider_sets_the_level_of_the_page_and_of_the_sidebar(app):
    page(app, "uci38_5x2.csv", "results")
    before = headline(app), texts(app)
    slider = app.select_slider(key="level_slider")
    own = next(float(level) for level in slider.options if float(level) not in (0.01, 0.05, 0.1))
    slider.set_value(0.01).run()

    assert not app.exception
    assert app.segmented_control(key="alpha").value == "0.01"
    assert any("= 0.01" in caption.value.replace("\\", "") for caption in app.sidebar.caption)
    assert texts(app) != before[1]

    app.select_slider(key="level_slider").set_value(own).run()
    assert app.segmented_control(key="alpha").value == "other"
    assert app.number_input(key="level").value == own
    assert any(f"= {own:g}" in caption.value.replace("\\", "") for caption in app.sidebar.caption)


def test_a_selection_in_the_address_is_restored(app):
    selected = ["pair", ["sv2", "svr"], ""]
    app.query_params["sel"] = json.dumps(selected)
    page(app, "uci38_5x2.csv", "results")

    assert not app.exception
    assert "Selected: pair sv2, svr" in " ".join(button.label.replace("\\", "") for button in app.button)
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
@pytest.mark.few(4)
def test_pages_that_the_results_cannot_support_are_hidden(app, sample, hidden):
    page(app, sample, "results")

    assert hidden_pages(app) == hidden


def test_published_ranks_hide_what_needs_results(app):
    ranks = b"algorithm,average rank\nA,1.2\nB,2.1\nC,2.7\n"
    app.run()
    upload(app, ("average_ranks.csv", ranks))
    app.number_input[0].set_value(20)
    next(button for button in app.button if button.label in ("Confirm", "Select", "Use this number")).click().run()

    assert hidden_pages(app) == {"compare", "explore", "tradeoffs", "plan"}


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.few(4)
def test_few_words_are_in_sight(app, sample):
    page(app, sample, "results")
    assert words_in_sight(app) <= 150
    for name in ("compare", "explore", "Several measures", "tradeoffs", "plan"):
        turn_to(app, name).run()
        assert not app.exception
        assert words_in_sight(app) <= 120, name
