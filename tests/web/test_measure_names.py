"""Tests of the page's question about the measure: names typed or chosen, Enter or a click."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import stats_core as fw
from foldwise.web.views.data_views import COMMON, WAYS
from stats_core.core.errors import NeedsMapping, SettingError
from stats_core.core.formatting import measure_name
from tests.measure_names import KNOWN, UNDEFINED, WIDE, opposite, unknown_words
from tests.strategies import few_examples
from tests.web.conftest import texts, upload

FILE = ("results.csv", WIDE.encode())
READ = "Read the table"


def questions():
    """Draw the question of the Data page n times, as the script of an AppTest."""
    import streamlit as st

    from foldwise.web.views import data_views
    from stats_core.core.errors import NeedsMapping

    guess, n = st.session_state["guess"], st.session_state["n"]
    error = NeedsMapping([], guess=guess, preview=None, question="", about="direction")
    answers = [data_views.answered(error, key=str(place)) for place in range(n)]
    st.session_state["answers"] = answers


def drawn(n):
    """Return an app that asks n times what a wide table measures."""
    with pytest.raises(NeedsMapping) as error:
        fw.read_results(FILE)
    at = AppTest.from_function(questions, default_timeout=60)
    at.session_state["guess"], at.session_state["n"] = error.value.guess, n
    return at.run()


@pytest.fixture(scope="module")
def asked():
    """An app that asks this question once."""
    return drawn(1)


def answer(at, *answers):
    """Type a name and press a button for each answer; return the answers that the app received."""
    inputs = {text.key: text for text in at.text_input}
    buttons = {(button.key.rpartition("_")[2], button.label): button for button in at.button}
    for place, (name, press) in enumerate(answers):
        inputs[f"name_{place}"].set_value(name)
        buttons[str(place), press].click()
    at.run()
    return at.session_state["answers"]


def test_known_measures_are_read_by_name_alone():
    some = [*KNOWN.items()][2::8]  # all of them are tried without the page
    at = drawn(len(some))
    for (name, way), said in zip(
        some, answer(at, *((name, READ) for name, _ in some)), strict=True
    ):
        assert fw.read_results(FILE, mapping=said).directions == {name: way}


def test_every_known_measure_is_read_with_its_direction_and_not_with_the_other():
    some = [*KNOWN.items()][::8]  # all of them are tried without the page
    at = drawn(len(some))
    right = answer(at, *((name, WAYS[way]) for name, way in some))
    wrong = answer(at, *((name, WAYS[opposite(way)]) for name, way in some))
    for (name, way), said, against in zip(some, right, wrong, strict=True):
        assert fw.read_results(FILE, mapping=said).directions == {name: way}
        if name in UNDEFINED:
            continue
        with pytest.raises(SettingError, match="by definition"):
            fw.read_results(FILE, mapping=against)


def test_enter_presses_the_button_that_needs_no_direction(asked):
    """On Enter, Streamlit presses the first button of a form."""
    assert [b.label for b in asked.button] == [READ, *WAYS.values()]


@few_examples
@given(unknown_words, st.sampled_from(["higher", "lower"]))
def test_any_other_word_needs_a_direction_and_is_kept(asked, name, way):
    with pytest.raises(NeedsMapping, match="needs (the name of the measure|a direction)"):
        fw.read_results(FILE, mapping=answer(asked, (name, READ))[0])
    (said,) = answer(asked, (name, WAYS[way]))
    assert fw.read_results(FILE, mapping=said).directions == {name: way}


def test_common_measures_are_chosen_by_one_click(asked):
    answer(asked, ("niceness", READ))  # a pill goes before what was typed earlier
    for name in COMMON:
        asked.pills[0].set_value(name).run()
        (said,) = asked.session_state["answers"]
        assert fw.read_results(FILE, mapping=said).measures == (name,)
    asked.pills[0].set_value(None).run()


def start(app, number):
    """Upload a table that depends on `number`, and leave its question open."""
    upload(app, (f"{number}.csv", WIDE.replace("0.900", f"0.9{number:02d}").encode()))
    assert "What do the numbers measure" in texts(app)


def press(app, name, label):
    """Type the name of the measure and press a button; return the texts of the page."""
    next(t for t in app.text_input if t.label == "Measure").set_value(name)
    next(b for b in app.button if b.label == label).click()
    app.run()
    assert not app.exception
    return texts(app)


@pytest.mark.parametrize(
    ("name", "label", "shown"),
    [
        ("Accuracy", READ, "Measure (higher is better)"),
        ("accuracy", "Higher is better", "Measure (higher is better)"),
        ("error_rate", READ, "Measure (lower is better)"),
        ("log loss", "Lower is better", "Measure (lower is better)"),
        ("niceness", "Lower is better", "Measure (lower is better)"),
    ],
)
def test_the_page_reads_the_table_under_the_name_given(app, name, label, shown):
    start(app, 1)
    said = press(app, name, label)

    assert f"measure {measure_name(name)}." in said
    box = app.selectbox(key="measure")
    assert (box.value, box.label) == (name, shown)


def test_the_page_says_what_is_missing_and_goes_on(app):
    start(app, 1)
    assert "Type the name of the measure" in press(app, "", READ)
    assert "The direction of niceness is not known. Press" in press(app, "niceness", READ)
    assert "because lower values are better by definition" in press(app, "RMSE", "Higher is better")
    assert "measure RMSE." in press(app, "RMSE", READ)


def test_the_message_does_not_move_the_buttons(app):
    """The message is below the row of buttons, not among them."""
    start(app, 1)
    press(app, "niceness", READ)

    (error,) = [one for one in app.error if "The direction" in one.value]
    (row,) = {id(holder(app.main, b)) for b in app.button if b.label in (READ, *WAYS.values())}
    assert row != id(holder(app.main, error))


def holder(block, element):
    """Return the innermost block that contains an element, None if there is none."""
    for child in block.children.values():
        if child is element:
            return block
        if hasattr(child, "children") and (found := holder(child, element)) is not None:
            return found
    return None


def test_orientation_and_direction_are_asked_at_once(app):
    rows = "".join(f"{name},1.9,1.8,1.7\n" for name in ("Random Forest", "SVM", "kNN", "MLP"))
    upload(app, ("table.csv", f",iris,wine,zoo\n{rows}".encode()))
    selects = [b.key for b in app.button if b.label.startswith("Select")]
    assert len(selects) == 4
    assert "What do the numbers measure" in texts(app)
    app.button(key=selects[0]).click().run()

    assert "3 data sets" in texts(app)
    assert "4 algorithms" in texts(app)
