"""The question what the numbers of a table measure, and which of them are better."""

from collections.abc import Mapping as Dictionary
from dataclasses import replace

import streamlit as st

from foldwise.web import components
from stats_core.io.layouts.layout_messages import UNNAMED
from stats_core.io.mapping import Mapping

WAYS = {"higher": "Higher is better", "lower": "Lower is better"}
COMMON = ("accuracy", "error", "F1", "AUC", "log loss", "RMSE")  # offered for one click


def answered(guess: Mapping, *, key: str) -> Mapping | None:
    """Ask for the measure of a table, or for the direction of measures that columns name.

    Parameters
    ----------
    guess : Mapping
        The guess of the reader.
    key : str
        Part of the keys of the widgets.

    Returns
    -------
    Mapping or None
        The answer, None before the visitor gives one. A direction is in it only if the visitor
        chose one: the reader knows those of common measures.
    """
    columns = [name for name, role in guess.roles.items() if role == "measure"]
    if columns:
        return _direction_of_columns(guess, columns, key=key)
    named = "" if guess.measure_name == UNNAMED else guess.measure_name
    chosen = None if named else st.pills("Common measures", COMMON, key=f"common_{key}")
    with st.form(f"measure_{key}", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.text_input(
                "Measure",
                named,
                key=f"name_{key}",
                width=280,
                placeholder="such as accuracy",
                help="Any name will do, and it is shown as given. The direction of a common measure "
                "is known from its name.",
            )
            # Enter presses the first one
            read = st.form_submit_button("Read the table", key=f"read_{key}", type="primary")
            way = _pressed(st.form_submit_button, WAYS, key=key)
    if not (read or way):
        return _named(guess, chosen, "") if chosen else None
    name = name.strip()
    if read and not name:
        st.error("Type what the numbers measure, such as accuracy.", icon=":material/warning:")
        return None
    return _named(guess, name or UNNAMED, way)


def without_guess(mapping: Mapping) -> Mapping:
    """Return what was said without a measure that nobody named: it is asked for next."""
    if mapping.measure_name != UNNAMED:
        return mapping
    kept = {name: way for name, way in mapping.directions.items() if name != UNNAMED}
    return replace(mapping, measure_name="", directions=kept)


def again(mapping: Mapping) -> None:
    """Ask for the direction that the name given does not tell."""
    st.error(
        f"Which values of {components.escape(mapping.measure_name)} are better? Press *Higher is better* "
        "or *Lower is better*.",
        icon=":material/warning:",
    )


def _direction_of_columns(guess: Mapping, columns: list[str], *, key: str) -> Mapping | None:
    said = replace(guess, directions={})
    unknown = [name for name in columns if not said.direction_of(name)]
    words = {way: f"{said}{' for all' * (len(unknown) > 1)}" for way, said in WAYS.items()}
    with st.container(horizontal=True):
        way = _pressed(st.button, words, key=key)
    if not way:
        return None
    return replace(guess, directions={**guess.directions, **dict.fromkeys(unknown, way)})


def _pressed(button, words: Dictionary[str, str], *, key: str) -> str:
    """Draw one button for each direction; return the one that was pressed, "" if none."""
    pressed = [way for way, said in words.items() if button(said, key=f"{way}_{key}")]
    return pressed[0] if pressed else ""


def _named(guess: Mapping, name: str, way: str) -> Mapping:
    """Return the guess with the name and the direction given instead of its own."""
    guess = without_guess(guess)
    kept = {n: w for n, w in guess.directions.items() if n != guess.measure_name}
    return replace(guess, measure_name=name, directions={**kept, **({name: way} if way else {})})
