"""Clicks on figures and tables: the first click selects, the second opens a page on the selection."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from foldwise.figures import payload
from foldwise.figures.traces import CLICK_ACTIONS
from foldwise.web import session
from foldwise.web.settings_registry import ALL_SETS, control, unbound_parameters
from stats_core.report.tables.table import ResultTable, pair_heads
from stats_core.robustness import algorithm_standing

Pick = tuple[str, tuple]  # kind of selection, and names


def answers_clicks(fig: go.Figure) -> bool:
    """Return whether a figure has clickable marks."""
    return any(trace.meta in CLICK_ACTIONS for trace in fig.data)


def picked_selection(fig: go.Figure, points: Iterable[dict]) -> Pick | None:
    """Return the selection represented by clicked points of a figure; None if they represent none."""
    for point in points:
        kind = fig.data[point["curve_number"]].meta
        selection = selection_of_mark(kind, payload.stands_for(fig, point))
        if selection is not None:
            return selection
    return None


def selection_of_mark(kind: str | None, customdata: Any) -> Pick | None:
    """Return the selection represented by a mark, given its kind and customdata; None if it represents none."""
    if kind not in CLICK_ACTIONS or customdata is None:
        return None
    if kind == "theta":
        return kind, (float(customdata),)
    names = [str(name) for name in selection_items(customdata)]
    if kind == "group":
        return ("group" if len(names) > 1 else "algorithm"), tuple(names)
    if kind == "pair":
        return (kind, tuple(names[:2])) if len(set(names[:2])) == 2 else None
    return (kind, tuple(names[:1])) if names else None


def selectable_marks(fig: go.Figure) -> dict[str, Pick]:
    """Return all selections that clicks in a figure can make, by label."""
    picks: dict[tuple, Pick] = {}  # marks (a, b) and (b, a) represent the same pair
    for trace in fig.data:
        for customdata in () if trace.customdata is None else trace.customdata:
            pick = selection_of_mark(trace.meta, customdata)
            if pick is not None:
                picks.setdefault((pick[0], frozenset(pick[1])), pick)
    return {describe_selection(*pick): pick for pick in picks.values()}


def describe_selection(kind: str, names: tuple) -> str:
    """Return the label of a selection.

    Examples
    --------
    >>> describe_selection("pair", ("knn", "svm"))
    'pair knn, svm'
    """
    return f"{kind} {', '.join(map(str, names))}"


def select_by_name(fig: go.Figure, key: str, on: str = "") -> None:
    """Draw a selectbox with the possible selections in a figure, as an accessible alternative to clicks."""
    picks = selectable_marks(fig)
    st.session_state[key] = next((words for words, pick in picks.items() if _holds(*pick)), None)
    choose = lambda: _choose(picks.get(st.session_state[key]), on)  # noqa: E731
    st.selectbox(**control("mark", key=key), options=list(picks), index=None, on_change=choose)


def _holds(kind: str, names: tuple) -> bool:
    """Return whether names are the current selection, or the current threshold."""
    return (
        st.session_state.get("theta") == names[0]
        if kind == "theta"
        else session.is_selected(kind, names)
    )


def _choose(pick: Pick | None, on: str) -> None:
    """Apply the selectbox's choice; callback before the rerun."""
    if pick is None:
        session.clear_selection()
    elif pick[0] == "theta":
        st.session_state[session.NEXT] = {"theta": pick[1][0]}
    elif not session.is_selected(*pick):
        session.select(pick[0], list(pick[1]), on)


def selection_items(customdata: Any) -> list:
    """Return the names in a mark's customdata as a flat list, empty for None."""
    if isinstance(customdata, str) or not isinstance(customdata, Iterable):
        return [] if customdata is None else [customdata]
    return [name for item in customdata for name in selection_items(item)]


def apply_click(pick: Pick | None, on: str = "") -> None:
    """Select the picked names, or set the threshold, and rerun; open the page of selected names; nothing for None."""
    if pick is None:
        return
    kind, names = pick
    st.session_state[session.CLICKS] = click_count() + 1
    if kind == "theta":
        if st.session_state.get("theta") != names[0]:
            st.session_state[session.NEXT] = {"theta": names[0]}
        st.rerun()
    repeated = session.is_selected(kind, names)
    target = page_about(kind, names, on) if repeated else None
    if target is not None:
        session.clear_selection()
        go_to(target[0], target[2])
    session.select(kind, list(names), on)
    st.rerun()


def click_count() -> int:
    """Return the number of clicks handled, which is part of the keys of figures."""
    return st.session_state.get(session.CLICKS, 0)


def page_about(kind: str, names: Iterable[str], on: str = "") -> tuple[str, str, dict] | None:
    """Return the page on a selection, its link label and its settings; None if there is no such page."""
    (name, *_) = names
    context = session.context()
    if (
        kind == "algorithm"
        and isinstance(context, session.Context)
        and "compare" not in st.session_state.get(session.HIDDEN_PAGES, ())
    ):
        ranked = algorithm_standing.best_first(context.results, context.settings.measure)
        others = [other for other in ranked if other != name]
        if name in context.results.algorithms and others:
            kind, names = "pair", (name, others[0])
    if kind == "pair":
        first, second = names
        parameters = {"a": first, "b": second, "ds": on or ALL_SETS}
        words = f"Compare {first} and {second} on {on or ALL_SETS}"
        return "pages/compare.py", words, parameters
    if (
        kind == "data set"
        and isinstance(context, session.Context)
        and name in context.results.with_folds
    ):
        return "pages/explore.py", f"Open data set {name}", {"look": "Folds", "ds": name}
    return None


def selection_of_row(table: ResultTable, row: int) -> Pick | None:
    """Return the pair, data set or algorithm that a table row is about; None for a summary row or other tables."""
    frame = table.frame
    if row >= len(frame) - table.summary:
        return None
    if table.heads == pair_heads():
        return "pair", tuple(str(frame[head].iloc[row]) for head in table.heads)
    if frame.index.name in ("data set", "algorithm"):
        return frame.index.name, (str(frame.index[row]),)
    return None


def take_cell(table: ResultTable, cells: Iterable[tuple[int, str]], on: str = "") -> bool:
    """Select the names in the row of a clicked cell; return whether they are selected."""
    key, clicked = f"_cell_{table.name}", list(cells)
    pick = selection_of_row(table, clicked[0][0]) if clicked else None
    if clicked != st.session_state.get(key, []):
        st.session_state[key] = clicked
        if pick is not None and not session.is_selected(*pick):
            apply_click(pick, on)
    return pick is not None and session.is_selected(*pick)


def go_to(page: str, where: dict) -> None:
    """Open a page with some of its settings changed."""
    st.session_state[session.NEXT] = dict(where)
    address: dict[str, Any] = {**unbound_parameters()}
    for name, value in where.items():
        value = str(value).lower() if isinstance(value, bool) else value
        # parameters bound to a widget of this page cannot be set; they follow the widget
        with suppress(st.errors.StreamlitAPIException):
            st.query_params[name] = value
            address[name] = value
    st.switch_page(page, query_params=address)


def outline_selection(fig: payload.Sent, colour: str) -> payload.Sent:
    """Return the figure with the selected pair or data set outlined, or itself if nothing is to be outlined."""
    choice = session.selection()
    if choice.get("kind") not in ("pair", "data set"):
        return fig
    lines = {}
    for position, trace in enumerate(fig.data):
        selected = _selected_marks(trace, choice["kind"], set(choice["ids"]))
        if any(selected):
            plain, width = trace.marker.line.color or colour, trace.marker.line.width or 0
            lines[position] = {
                "color": [colour if is_selected else plain for is_selected in selected],
                "width": [3 if is_selected else width for is_selected in selected],
            }
    return fig.with_lines(lines) if lines else fig


def _selected_marks(trace: Any, kind: str, ids: set[str]) -> list[bool]:
    """Return for each mark of a trace whether it is selected; [] for traces without visible marks of the kind."""
    if trace.meta != kind or trace.customdata is None:
        return []
    is_clear = trace.type != "bar" and trace.marker.color == "rgba(0,0,0,0)"
    if is_clear or trace.marker.opacity == 0:
        return []
    selections = [selection_of_mark(kind, customdata) for customdata in trace.customdata]
    return [
        selection is not None and selection[0] == kind and set(selection[1]) == ids
        for selection in selections
    ]
