"""Views of the page Data: names, clusters, the measure, missing results."""

from collections.abc import Mapping as Dictionary
from dataclasses import replace

import pandas as pd
import streamlit as st

from foldwise.web import cached_calls, components, inputs, session
from foldwise.web import display_names as shown_as
from foldwise.web.layout import known_mapping
from foldwise.web.settings_registry import BASELINE, HOLES, SHORT, SHOWN
from stats_core.core.errors import SettingError
from stats_core.data.labels import checked_names, short_names
from stats_core.data.missing import HoleCount, count_holes, list_holes
from stats_core.io.mapping import Mapping
from stats_core.io.scoring import UNNAMED
from stats_core.robustness.variations import NAMES, describe_missing_choices, describe_remainder


def names(context: session.Context) -> None:
    """Draw the editor of displayed names, which all pages, files and links use."""
    editor = st.expander("Names (shown as)", key="names", on_change="rerun")
    if not editor.open:
        return
    with editor:
        st.caption(
            "Figures, tables, reports and links use the names on the right. No two may be alike."
        )
        every = st.session_state[SHOWN]
        short, typed = bool(st.session_state.get(SHORT)), shown_as.typed_names()
        with st.container(horizontal=True):
            st.button(
                "Shorten long names",
                on_click=shown_as.use_display_names,
                args=(typed,),
                kwargs={"short": True},
                disabled=short or not _can_be_shorter(every),
                help="What all names share goes: beginnings, endings, parameters.",
                key="shorten",
            )
            st.button(
                "Names as in the file",
                on_click=shown_as.use_display_names,
                args=({},),
                kwargs={"short": False},
                disabled=not (short or typed),
                key="unshorten",
            )
        _editor(every, short=short)


def _can_be_shorter(every: shown_as.Names) -> bool:
    return any(
        new != old for kind in every.values() for old, new in short_names(tuple(kind)).items()
    )


def _editor(every: shown_as.Names, *, short: bool) -> None:
    rows = [
        (noun, old, new)
        for kind, noun in shown_as.KINDS.items()
        for old, new in every[kind].items()
    ]
    table = pd.DataFrame(rows, columns=["what", "name", "shown as"])
    edited = st.data_editor(
        table,
        hide_index=True,
        disabled=["what", "name"],
        key=f"names_table_{hash(str(every))}",
        column_config={"name": st.column_config.TextColumn("name in the file", width="medium")},
    )
    if edited["shown as"].equals(table["shown as"]):
        return
    try:
        typed = _typed(edited, every)
    except SettingError as error:
        st.error(components.escape(str(error)), icon=":material/warning:")
        return
    shown_as.use_display_names(typed, short=short)
    st.rerun()


def _typed(edited: pd.DataFrame, every: shown_as.Names) -> shown_as.Names:
    """Return the edited names that differ from the shortened ones; raise if invalid."""
    typed: shown_as.Names = {}
    for kind, noun in shown_as.KINDS.items():
        edited_names = edited[edited["what"] == noun].set_index("name")["shown as"].fillna("")
        new_names = {str(old): str(new).strip() for old, new in edited_names.items()}
        checked_names(tuple(every[kind]), new_names, kind.removesuffix("s"))
        by_rule = shown_as.rule_names(kind)
        typed[kind] = {old: new for old, new in new_names.items() if new != by_rule[old]}
    return typed


def suggest_cluster_column(context: session.Context) -> None:
    """Draw a suggestion to read a column as clusters of instances."""
    for note in context.read.notes if context.read is not None else ():
        if note.code == "clusters suggested":
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(components.escape(str(note)), width="stretch")
                st.button(
                    f"Keep cases of one {components.escape(note['column'])} together",
                    key="clusters",
                    on_click=_take,
                    args=(context.source_key, note["column"]),
                )


def _take(key: str, column: str) -> None:
    mapping = known_mapping(key) or Mapping()
    session.set_mapping(key, replace(mapping, roles={**mapping.roles, column: "cluster"}))


WAYS = {"higher": "Higher is better", "lower": "Lower is better"}
COMMON = ("accuracy", "error", "F1", "AUC", "log loss", "RMSE")  # offered as buttons


def answered(guess: Mapping, *, key: str) -> Mapping | None:
    """Draw widgets for the name or direction of a measure; return the mapping once given."""
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
            # the Enter key presses the first button
            read = st.form_submit_button("Read the table", key=f"read_{key}", type="primary")
            direction = _pressed(st.form_submit_button, WAYS, key=key)
    if not (read or direction):
        return _named(guess, chosen, "") if chosen else None
    name = name.strip()
    if read and not name:
        st.error("Type what the numbers measure, such as accuracy.", icon=":material/warning:")
        return None
    return _named(guess, name or UNNAMED, direction)


def without_guess(mapping: Mapping) -> Mapping:
    """Return the mapping without a placeholder for the name of the measure."""
    if mapping.measure_name != UNNAMED:
        return mapping
    directions = {
        name: direction for name, direction in mapping.directions.items() if name != UNNAMED
    }
    return replace(mapping, measure_name="", directions=directions)


def again(mapping: Mapping) -> None:
    """Draw an error that the direction of the measure is missing."""
    st.error(
        f"Which values of {components.escape(mapping.measure_name)} are better? Press *Higher is better* "
        "or *Lower is better*.",
        icon=":material/warning:",
    )


def _direction_of_columns(guess: Mapping, columns: list[str], *, key: str) -> Mapping | None:
    undirected = replace(guess, directions={})
    unknown = [name for name in columns if not undirected.direction_of(name)]
    words = {
        direction: f"{undirected}{' for all' * (len(unknown) > 1)}"
        for direction, undirected in WAYS.items()
    }
    with st.container(horizontal=True):
        direction = _pressed(st.button, words, key=key)
    if not direction:
        return None
    return replace(guess, directions={**guess.directions, **dict.fromkeys(unknown, direction)})


def _pressed(button, words: Dictionary[str, str], *, key: str) -> str:
    """Draw one button per direction; return the one pressed, "" if none."""
    pressed = [
        direction for direction, label in words.items() if button(label, key=f"{direction}_{key}")
    ]
    return pressed[0] if pressed else ""


def _named(guess: Mapping, name: str, direction: str) -> Mapping:
    """Return the mapping with another name and direction of the measure."""
    guess = without_guess(guess)
    directions = {n: w for n, w in guess.directions.items() if n != guess.measure_name}
    return replace(
        guess,
        measure_name=name,
        directions={**directions, **({name: direction} if direction else {})},
    )


PAGE = 200  # rows per page


def choose_missing_treatment(context: session.Context) -> None:
    """Draw the choice of a treatment of missing results, without a preset."""
    holes = describe_missing(context)
    labels = {
        key: NAMES[choice]
        for key, choice in session.HOLE_CHOICES.items()
        if (holes.undefined or key not in ("zero", "one"))
        and (key != "folds" or holes.of_runs > holes.of_cells)
    }
    chosen = st.session_state.get(HOLES, "")
    st.radio(
        "What to do with the missing cells?",
        list(labels),
        index=list(labels).index(chosen) if chosen in labels else None,
        format_func=labels.get,
        key="hole_choice",
        on_change=_take_choice,
    )
    if chosen == "baseline":
        _ask_for_baseline(context)
    _every_choice(context)


def describe_missing(context: session.Context) -> HoleCount:
    """Return the number of missing results before any treatment."""
    return count_holes(inputs.selected_before_missing(context), context.settings.measure)


def list_missing(context: session.Context) -> None:
    """Draw the missing results, one row per data set and algorithm, in pages."""
    table = list_holes(inputs.selected_before_missing(context), context.settings.measure)
    first = 0
    if len(table) > PAGE:
        starts = list(range(0, len(table), PAGE))
        first = st.selectbox(
            "Rows",
            starts,
            format_func=lambda at: f"{at + 1:,} to {min(at + PAGE, len(table)):,}",
            key="hole_rows",
            width=200,
        )
    page = table.iloc[first : first + PAGE]
    st.dataframe(
        page,
        hide_index=True,
        column_config={"data set": st.column_config.TextColumn(pinned=True)},
        height=min(400, 38 + 35 * len(page)),
    )


def _ask_for_baseline(context: session.Context) -> None:
    """Draw a selectbox of the algorithms without missing runs."""
    lacking = count_holes(context.raw, context.settings.measure).algorithms
    names = [name for name in context.raw.algorithms if name not in lacking]
    if not names:
        st.caption("No algorithm has every run, so none can stand for others.")
        return
    chosen = st.session_state.get(BASELINE, "")
    st.selectbox(
        "Baseline",
        names,
        index=names.index(chosen) if chosen in names else None,
        placeholder="whose value stands for a missing run",
        key="hole_baseline",
        on_change=_take_baseline,
        width=360,
    )


def _every_choice(context: session.Context) -> None:
    """Draw the consequences of every treatment in an expander."""
    details = st.expander("What would each choice lead to?", key="hole_verdicts", on_change="rerun")
    if not details.open:
        return
    baseline = st.session_state.get(BASELINE, "")
    key = f"{context.raw_key}/{baseline}"
    table = cached_calls.hole_choices(key, context.settings, baseline, context.raw)
    rows = [
        {
            "choice": f"{NAMES[row['choice']]}{f' ({name})' if (name := row['baseline']) else ''}",
            "leaves": describe_remainder(row),
            "verdict": row["verdict"],
            "pairs separated": str(row["separated"]) if row["decided"] else "",
        }
        for _, row in table.iterrows()
    ]
    with details:
        st.markdown(f"**{components.escape(describe_missing_choices(table))}**")
        st.table(
            [{name: components.escape(text) for name, text in row.items()} for row in rows],
            hide_index=True,
        )
        st.caption("Choose for a reason, not for the verdict that suits; report which you chose.")


def _take_choice() -> None:
    st.session_state[HOLES] = st.session_state["hole_choice"] or ""


def _take_baseline() -> None:
    st.session_state[BASELINE] = st.session_state["hole_baseline"] or ""
