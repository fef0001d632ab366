"""One contract for clicks: what a mark stands for is selected; a second click opens its page."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from foldwise.figures import payload
from foldwise.figures.traces import CLICK_ACTIONS
from foldwise.web import session
from foldwise.web.address import ALL_SETS, KEPT
from stats_core.comparison.tables.table import ResultTable

Pick = tuple[str, tuple]  # what kind of thing, and its names


def answers_clicks(fig: go.Figure) -> bool:
    """Tell whether a figure has marks that answer a click."""
    return any(trace.meta in CLICK_ACTIONS for trace in fig.data)


def picked_selection(fig: go.Figure, points: Iterable[dict]) -> Pick | None:
    """Return what the clicked points of a figure stand for, None where they stand for nothing."""
    for point in points:
        kind = fig.data[point["curve_number"]].meta
        found = selection_of_mark(kind, payload.stands_for(fig, point))
        if found is not None:
            return found
    return None


def selection_of_mark(kind: str | None, customdata: Any) -> Pick | None:
    """Return what a mark of a kind stands for by the names that it carries."""
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
    """Return everything that a click in a figure can select or set, by the words for it."""
    found: dict[tuple, Pick] = {}  # two marks of a pair stand for the same
    for trace in fig.data:
        for one in () if trace.customdata is None else trace.customdata:
            pick = selection_of_mark(trace.meta, one)
            if pick is not None:
                found.setdefault((pick[0], frozenset(pick[1])), pick)
    return {describe_selection(*pick): pick for pick in found.values()}


def describe_selection(kind: str, names: tuple) -> str:
    """Return words for what is selected.

    Examples
    --------
    >>> describe_selection("pair", ("knn", "svm"))
    'pair knn, svm'
    """
    return f"{kind} {', '.join(map(str, names))}"


def select_by_name(fig: go.Figure, key: str, on: str = "") -> None:
    """List what a click in a figure selects, for whoever does not point at marks; `on` as in `apply_click`."""
    there = selectable_marks(fig)
    st.session_state[key] = next((words for words, pick in there.items() if _holds(*pick)), None)
    st.selectbox(
        "Select in the figure",
        list(there),
        index=None,
        key=key,
        placeholder="by name, as a click does",
        on_change=lambda: _choose(there.get(st.session_state[key]), on),
        width=320,
    )


def _holds(kind: str, names: tuple) -> bool:
    """Tell whether this is selected or set."""
    if kind == "theta":
        return st.session_state.get("theta") == names[0]
    return session.is_selected(kind, names)


def _choose(pick: Pick | None, on: str) -> None:
    """Select what was chosen in a list, before the page is drawn anew; nothing clears."""
    if pick is None:
        session.clear_selection()
    elif pick[0] == "theta":
        st.session_state[session.NEXT] = {"theta": pick[1][0]}
    elif not session.is_selected(*pick):
        session.select(pick[0], list(pick[1]), on)


def selection_items(customdata: Any) -> list:
    """Return what a mark carries: one thing, or a list of them."""
    if isinstance(customdata, str) or not isinstance(customdata, Iterable):
        return [] if customdata is None else [customdata]
    return [name for item in customdata for name in selection_items(item)]


def apply_click(pick: Pick | None, on: str = "") -> None:
    """Do what a click means, and draw the page anew."""
    if pick is None:
        return
    kind, names = pick
    st.session_state[session.CLICKS] = click_count() + 1
    if kind == "theta":
        if st.session_state.get("theta") != names[0]:
            st.session_state[session.NEXT] = {"theta": names[0]}
        st.rerun()
    again = session.is_selected(kind, names)
    way = page_about(kind, names, on) if again else None
    if way is not None:
        session.clear_selection()
        go_to(way[0], way[2])
    session.select(kind, list(names), on)
    st.rerun()


def click_count() -> int:
    """Return how many clicks were taken; figures drawn since then know of none."""
    return st.session_state.get(session.CLICKS, 0)


def page_about(kind: str, names: Iterable[str], on: str = "") -> tuple[str, str, dict] | None:
    """Return the page about what is selected, what the way there is called, and what is set there.

    None where there is no such page.
    """
    if kind == "pair":
        first, second = names
        where = {"a": first, "b": second, "ds": on or ALL_SETS}
        words = f"Open the pair: {first} against {second} on {on or ALL_SETS}"
        return "pages/pair.py", words, where
    (name, *_) = names
    results = session.context().results
    if kind == "data set" and results is not None and name in results.with_folds:
        return "pages/one_data_set.py", f"Open the data set: {name}", {"ds": name}
    return None


def selection_of_row(table: ResultTable, row: int) -> Pick | None:
    """Return what a row of a table stands for: a pair, a data set, or None."""
    frame = table.frame
    if row >= len(frame) - table.summary:
        return None
    if table.heads == ("first", "second"):
        return "pair", tuple(str(frame[head].iloc[row]) for head in table.heads)
    if frame.index.name == "data set":
        return "data set", (str(frame.index[row]),)
    return None


def take_cell(table: ResultTable, cells: Iterable[tuple[int, str]], on: str = "") -> bool:
    """Select what the row of a clicked cell stands for; a second click shows the cell, as in any table."""
    key, now = f"_cell_{table.name}", list(cells)
    pick = selection_of_row(table, now[0][0]) if now else None
    if now != st.session_state.get(key, []):
        st.session_state[key] = now
        if pick is not None and not session.is_selected(*pick):
            apply_click(pick, on)
    return pick is not None and session.is_selected(*pick)


def go_to(page: str, where: dict) -> None:
    """Open a page with some of its own settings; they are taken before its widgets are drawn."""
    st.session_state[session.NEXT] = dict(where)
    address = {name: st.query_params.get_all(name) for name in KEPT if name in st.query_params}
    for name, value in where.items():
        # the address of a parameter bound to a widget of this page follows that widget
        with suppress(st.errors.StreamlitAPIException):
            st.query_params[name] = value
            address[name] = value
    st.switch_page(page, query_params=address)


def outline_selection(fig: go.Figure, colour: str) -> go.Figure:
    """Return the figure with an outline around the pair or the data set that is selected."""
    chosen = session.selection()
    if chosen.get("kind") not in ("pair", "data set"):
        return fig
    found = {}
    for place, trace in enumerate(fig.data):
        unseen = trace.type != "bar" and "rgba(0,0,0,0)" == trace.marker.color
        if trace.meta != chosen["kind"] or trace.customdata is None or unseen:
            continue
        if trace.marker.opacity == 0:
            continue
        picks = [selection_of_mark(trace.meta, one) for one in trace.customdata]
        lit = [one is not None and session.is_selected(*one) for one in picks]
        if any(lit):
            found[place] = lit
    drawn = go.Figure(fig) if found else fig
    for place, lit in found.items():
        line = drawn.data[place].marker.line
        plain, width = line.color or colour, line.width or 0
        line.color = [colour if one else plain for one in lit]
        line.width = [3 if one else width for one in lit]
    return drawn
