"""Graph of the sign test: an arrow from worse to better algorithm of each significant pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import graph_traces, text, theme, traces
from foldwise.figures.graph_traces import Edge, NodeStyle
from foldwise.figures.theme import Style

#: With more algorithms only the arrows of one of them are drawn.
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
    """Draw the algorithms side by side, with arrows for significant differences.

    Parameters
    ----------
    order : sequence of str
        Algorithms from best to worst, by average rank or by total of wins.
    better : DataFrame, algorithm x algorithm
        Whether the row is significantly better than the column.
    style : Style
        Surface and width.
    selected : str, optional
        The algorithm whose arrows are emphasised. With more than 20 algorithms only its arrows are
        drawn, or those of the first algorithm if none is selected.
    hover : DataFrame, optional
        Additional hover text of the arrow for each cell of `better`, plain, with line breaks
        between lines.
    ends : tuple of str
        Meaning of the left and the right end of the row of nodes.
    opens : bool
        Whether a second click on an arrow opens the page of the pair.

    Returns
    -------
    Figure
        The best algorithm is at the left; an arc leads from the worse to the better. Arcs carry
        ``[worse, better]``, nodes their name.
    """
    names = [str(name) for name in order]
    edges = _edges(names, better)
    if selected is not None and str(selected) not in names:
        raise ValueError(f"`selected` must be one of `order`; got {selected!r}")
    focus = _focus(names, selected) if len(names) > MOST_EDGES else selected
    emphasised = [edge for edge in edges if focus is None or str(focus) in edge]
    faded = (
        [] if len(names) > MOST_EDGES else [edge for edge in edges if edge not in set(emphasised)]
    )
    layout = graph_traces.lay_out(
        names, edges if faded or focus is None else emphasised, style, notes=1
    )
    fig = graph_traces.empty_graph_figure(style, layout)
    arcs = graph_traces.route_edges(layout, [*faded, *emphasised], style)
    colour = style.ink if focus is not None or style.printed else style.second
    graph_traces.draw_arcs(fig, arcs[: len(faded)], layout, name="others", colour=style.hairline)
    graph_traces.draw_arcs(fig, arcs[len(faded) :], layout, name="differ", colour=colour)
    hover_table = None if hover is None else _named(hover)
    hover_texts = {edge: _said(edge, hover_table, opens) for edge in [*faded, *emphasised]}
    graph_traces.draw_targets(fig, arcs, hover_texts)
    connected = {name for edge in emphasised for name in edge}
    node_styles = {name: _look(name, focus, connected, style) for name in names}
    graph_traces.draw_nodes(
        fig, layout, node_styles, {node: _standing(node, edges) for node in names}, style
    )
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
    """Return the alternative text, at most 300 characters; `by` names the test."""
    names = [str(name) for name in order]
    edges = _edges(names, better)
    head = f"Graph of who is better by {by}" + (f", in {measure}," if measure else "")
    head += f" for {len(names)} algorithms" + (f" on {over}" if over else "")
    pairs = len(names) * (len(names) - 1) // 2
    phrases = [f"{text.plain_text(b)} better than {text.plain_text(a)}" for a, b in edges]
    listed = text.join_escaped(phrases, 4) if phrases else "none"
    return text.truncate_text(f"{head}. {len(edges)} of {pairs} pairs differ: {listed}.")


def caption_sign_test_graph(
    *,
    ordered_by: str = "average rank",
    order: Sequence[str] = (),
    better: pd.DataFrame | None = None,
    selected: str | None = None,
    total: int = 0,
) -> str:
    """Return the caption sentences on order, arrows and omitted arrows."""
    names = [str(name) for name in order]
    edges = [] if better is None else _edges(names, better)
    sentences = [f"Algorithms by {ordered_by}, best left."]
    if total > len(names) > 0:
        sentences.append(f"Only the {len(names)} best of {total:,} are drawn.")
    if better is not None and not edges:
        return " ".join(
            [*sentences, "The sign test over data sets separates no two of them: no arrow."]
        )
    sentences.append(
        "An arrow leads from the worse to the better of two that the sign test over data sets "
        "separates."
    )
    if len(names) <= MOST_EDGES:
        sentences.append(
            "Where there is no arrow, no difference is shown, which does not make the two equal."
        )
        return " ".join(sentences)
    focus = _focus(names, selected)
    drawn = sum(focus in edge for edge in edges)
    name = text.plain_text(focus)
    sentences.append(
        f"Only the arrows of {name}, the filled one, are drawn: {drawn:,} of {len(edges):,}. An "
        f"algorithm without one is not shown to differ from {name}, which does not make them "
        "equal; of two others the figure says nothing."
    )
    return " ".join(sentences)


def _focus(names: list[str], selected: str | None) -> str:
    """Return the algorithm whose arrows are drawn if there are too many for all."""
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
    """Return the hover text of a node: the algorithms it is better and worse than."""
    above = [text.escape(b) for a, b in edges if a == name]
    below = [text.escape(a) for a, b in edges if b == name]
    lines = [f"<b>{text.escape(name)}</b>"]
    lines += [f"better than {text.join_escaped(below, 6)}"] if below else []
    lines += [f"worse than {text.join_escaped(above, 6)}"] if above else []
    if not above and not below:
        lines.append("not separated from any other")
    return "<br>".join([*lines, traces.click_hint("algorithm")])


def _look(name: str, chosen: str | None, touched: set[str], style: Style) -> NodeStyle:
    """Return the style of a node: selected, unconnected, or other."""
    if name == chosen:
        fill = theme.PALETTE_DARK[0] if style.dark else theme.PALETTE[0]
        is_grey = style.printed and not style.colour
        return NodeStyle(style.ink if is_grey else fill, style.ink, "#FFFFFF")
    if chosen is not None and name not in touched:
        return NodeStyle(style.blank, style.leader, style.faint)
    return NodeStyle(style.page, style.ink, style.ink)
