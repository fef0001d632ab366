"""The sign test as a graph: an arrow from the worse to the better of every pair that differs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import graph_traces, text, theme, traces
from foldwise.figures.graph_traces import Edge, NodeStyle
from foldwise.figures.theme import Style

#: Beyond this many algorithms only the arrows of one of them are drawn.
MOST_EDGES = 20


def sign_test_graph(
    order: Sequence[str],
    better: pd.DataFrame,
    *,
    style: Style,
    selected: str | None = None,
    hover: pd.DataFrame | None = None,
    ends: tuple[str, str] = ("best", "worst"),
    opens: bool = True,
) -> go.Figure:
    """Draw who is significantly better than whom, the algorithms side by side.

    Parameters
    ----------
    order : sequence of str
        Algorithms from best to worst, by average rank or by total of wins.
    better : DataFrame, algorithm x algorithm
        Whether the row is significantly better than the column.
    style : Style
        Surface and width.
    selected : str, optional
        The algorithm whose arrows stand out. With more than 20 algorithms only its arrows are
        drawn; the first one's if none is selected.
    hover : DataFrame, optional
        Per cell of `better` what hover adds to an arrow, in plain text, a line break between
        lines.
    ends : tuple of str
        What the left and the right end of the line mean.
    opens : bool
        Whether a page is about a pair.

    Returns
    -------
    Figure
        The best stands left; an arc above leads from the worse to the better. Arcs carry
        ``[worse, better]``, nodes their name.
    """
    names = [str(name) for name in order]
    edges = _edges(names, better)
    if selected is not None and str(selected) not in names:
        raise ValueError(f"`selected` must be one of `order`; got {selected!r}")
    chosen = _focus(names, selected) if len(names) > MOST_EDGES else selected
    lit = [edge for edge in edges if chosen is None or str(chosen) in edge]
    dim = [] if len(names) > MOST_EDGES else [edge for edge in edges if edge not in set(lit)]
    layout = graph_traces.lay_out(names, edges if dim or chosen is None else lit, style, notes=1)
    fig = graph_traces.empty_graph_figure(style, layout)
    arcs = graph_traces.route_edges(layout, [*dim, *lit], style)
    colour = style.ink if chosen is not None or style.printed else style.second
    graph_traces.draw_arcs(fig, arcs[: len(dim)], layout, name="others", colour=style.hairline)
    graph_traces.draw_arcs(fig, arcs[len(dim) :], layout, name="differ", colour=colour)
    added = None if hover is None else _named(hover)
    said = {edge: _said(edge, added, opens) for edge in [*dim, *lit]}
    graph_traces.draw_targets(fig, arcs, said)
    touched = {name for edge in lit for name in edge}
    looks = {name: _look(name, chosen, touched, style) for name in names}
    graph_traces.draw_nodes(fig, layout, looks, {n: _standing(n, edges) for n in names}, style)
    graph_traces.draw_ends(fig, layout, ends, style)
    return fig


def alt_sign_test_graph(
    order: Sequence[str],
    better: pd.DataFrame,
    *,
    measure: str = "",
    over: str = "",
    by: str = "the sign test",
) -> str:
    """Return the alternative text of the graph, at most 300 characters; `by` what two differ."""
    names = [str(name) for name in order]
    edges = _edges(names, better)
    head = f"Graph of who is better by {by}" + (f", in {measure}," if measure else "")
    head += f" for {len(names)} algorithms" + (f" on {over}" if over else "")
    pairs = len(names) * (len(names) - 1) // 2
    found = [f"{text.plain_text(b)} better than {text.plain_text(a)}" for a, b in edges]
    said = text.join_escaped(found, 4) if found else "none"
    return text.truncate_text(f"{head}. {len(edges)} of {pairs} pairs differ: {said}.")


def caption_sign_test_graph(
    *,
    ordered_by: str = "average rank",
    order: Sequence[str] = (),
    better: pd.DataFrame | None = None,
    selected: str | None = None,
    total: int = 0,
) -> str:
    """Return what places and arrows mean and which arrows are left out, for the caption."""
    names = [str(name) for name in order]
    edges = [] if better is None else _edges(names, better)
    said = [f"Algorithms by {ordered_by}, best left."]
    if total > len(names) > 0:
        said.append(f"Only the {len(names)} best of {total:,} are drawn.")
    if better is not None and not edges:
        return " ".join([*said, "The sign test over data sets separates no two of them: no arrow."])
    said.append(
        "An arrow leads from the worse to the better of two that the sign test over data sets "
        "separates."
    )
    if len(names) <= MOST_EDGES:
        said.append(
            "Where there is no arrow, no difference is shown, which does not make the two equal."
        )
        return " ".join(said)
    focus = _focus(names, selected)
    drawn = sum(focus in edge for edge in edges)
    name = text.plain_text(focus)
    said.append(
        f"Only the arrows of {name}, the filled one, are drawn: {drawn:,} of {len(edges):,}. An "
        f"algorithm without one is not shown to differ from {name}, which does not make them "
        "equal; of two others the figure says nothing."
    )
    return " ".join(said)


def _focus(names: list[str], selected: str | None) -> str:
    """Return the algorithm whose arrows are drawn where there are too many."""
    return names[0] if selected is None else str(selected)


def _edges(names: list[str], better: pd.DataFrame) -> list[Edge]:
    """Return (worse, better) of every pair that differs."""
    table = _named(better).loc[names, names].to_numpy(dtype=bool, copy=True)
    np.fill_diagonal(table, False)
    if (table & table.T).any():
        i, j = np.argwhere(table & table.T)[0]
        raise ValueError(
            f"`better` must not hold both ways; it does for {names[i]!r} and {names[j]!r}"
        )
    return [(names[j], names[i]) for i, j in np.argwhere(table)]


def _named(table: pd.DataFrame) -> pd.DataFrame:
    return table.rename(index=str, columns=str)


def _said(edge: Edge, hover: pd.DataFrame | None, opens: bool) -> str:
    worse, better = edge
    lines = [f"<b>{text.escape(better)} better than {text.escape(worse)}</b>"]
    if hover is not None:
        lines += [text.escape(line) for line in str(hover.loc[better, worse]).split("\n")]
    return "<br>".join([*lines, traces.click_hint("pair", opens=opens)])


def _standing(name: str, edges: list[Edge]) -> str:
    """Say whom a node is better and worse than."""
    above = [text.escape(b) for a, b in edges if a == name]
    below = [text.escape(a) for a, b in edges if b == name]
    lines = [f"<b>{text.escape(name)}</b>"]
    lines += [f"better than {text.join_escaped(below, 6)}"] if below else []
    lines += [f"worse than {text.join_escaped(above, 6)}"] if above else []
    if not above and not below:
        lines.append("not separated from any other")
    return "<br>".join([*lines, traces.click_hint("algorithm")])


def _look(name: str, chosen: str | None, touched: set[str], style: Style) -> NodeStyle:
    """Return the look of a node: selected, met by a drawn arrow, or neither."""
    if name == chosen:
        fill = theme.PALETTE_DARK[0] if style.dark else theme.PALETTE[0]
        grey = style.printed and not style.colour
        return NodeStyle(style.ink if grey else fill, style.ink, "#FFFFFF")
    if chosen is not None and name not in touched:
        return NodeStyle(style.blank, style.leader, style.faint)
    return NodeStyle(style.page, style.ink, style.ink)
