"""Graphs on a line, drawn: nodes side by side, arcs with arrowheads above them.

Both axes count pixels: x from the left edge of the plot area, y up from the middle of the nodes.
On the screen only x stretches with the window.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.cd_parts import GroupBar, consecutive_runs, drawn_groups
from foldwise.figures.graph_layout import Arc, Edge, GraphLayout, lay_out, route_edges
from foldwise.figures.label_placement import add_annotations, pack_rows
from foldwise.figures.theme import Style

__all__ = [
    "Arc",
    "Edge",
    "GraphLayout",
    "NodeStyle",
    "route_edges",
    "empty_graph_figure",
    "draw_arcs",
    "draw_ends",
    "draw_nodes",
    "draw_targets",
    "draw_underlines",
    "lay_out",
    "underlines",
]

_COVERED = 0.76  # the part of its end cells that an underline covers


@dataclass(frozen=True, slots=True)
class NodeStyle:
    """How a node is filled, outlined and written."""

    fill: str
    line: str
    ink: str


def empty_graph_figure(style: Style, layout: GraphLayout) -> go.Figure:
    """Return the empty figure; names and arcs have their room in it.

    On the screen nodes at the ends keep theirs in a narrow window, too: it is a margin.
    """
    hidden = {"visible": False, "fixedrange": True}
    edge = 0 if style.printed else layout.radius + layout.line
    return theme.new_figure(
        style,
        layout.height,
        margin={"l": edge, "r": edge, "t": 0, "b": 0},
        xaxis={"range": [edge, layout.width - edge], **hidden},
        yaxis={"range": [-layout.below, layout.above], **hidden},
    )


def draw_arcs(
    fig: go.Figure,
    drawn: Sequence[Arc],
    layout: GraphLayout,
    *,
    name: str,
    colour: str,
    wider: float = 1,
) -> None:
    """Draw arcs of one kind with their arrowheads."""
    if not drawn:
        return
    x: list[float | None] = []
    y: list[float | None] = []
    for arc in drawn:
        shaft = _shaft(arc, 0.6 * layout.head)
        x += [*shaft[:, 0].round(2).tolist(), None]
        y += [*shaft[:, 1].round(2).tolist(), None]
    traces.add_line(fig, x, y, name, colour, wider * layout.line, cliponaxis=False)
    tips = np.array([arc.points[-1] for arc in drawn])
    fig.add_scatter(
        x=tips[:, 0],
        y=tips[:, 1],
        mode="markers",
        name=f"{name}: arrowheads",
        customdata=[list(arc.edge) for arc in drawn],
        marker={
            "symbol": "arrow",
            "angle": [arc.angle for arc in drawn],
            "size": layout.head,
            "color": colour,
            "opacity": 1,
            "line": {"width": 0},
        },
        hoverinfo="skip",
        cliponaxis=False,
    )


def _shaft(arc: Arc, short: float) -> np.ndarray:
    """Return the points of an arc that ends inside its arrowhead, so that the tip stays sharp."""
    tip, angle = arc.points[-1], math.radians(arc.angle)
    far = np.linalg.norm(tip - arc.points, axis=1) > short
    return np.vstack([arc.points[far], tip - short * np.array([math.sin(angle), math.cos(angle)])])


def draw_targets(fig: go.Figure, drawn: Sequence[Arc], said: Mapping[Edge, str]) -> None:
    """Let every arc speak where the pointer meets it; points carry ``[from, to]``."""
    every = slice(3, -3, 3)
    places = [(point, arc.edge) for arc in drawn for point in arc.points[every]]
    if not places:
        return
    fig.add_scatter(
        x=[round(float(point[0]), 2) for point, _ in places],
        y=[round(float(point[1]), 2) for point, _ in places],
        mode="markers",
        name="edges",
        customdata=[list(edge) for _, edge in places],
        meta="pair",
        hovertext=[said[edge] for _, edge in places],
        hoverinfo="text",
        marker={"size": 10, "opacity": 0, "line": {"width": 0}},
        unselected={"marker": {"opacity": 0}},
        selected={"marker": {"opacity": 0}},
        cliponaxis=False,
    )


def draw_nodes(
    fig: go.Figure,
    layout: GraphLayout,
    looks: Mapping[str, NodeStyle],
    said: Mapping[str, str],
    style: Style,
) -> None:
    """Draw the nodes with their names inside or below; they carry their name."""
    names = layout.names
    traces.add_points(
        fig,
        [layout.x[name] for name in names],
        [0.0] * len(names),
        "nodes",
        2 * layout.radius,
        "circle",
        [looks[name].fill for name in names],
        edge=(layout.line, [looks[name].line for name in names]),
        said=[said[name] for name in names],
        customdata=list(names),
        meta="algorithm",
    )
    inner, lower = {"y": 0, "yanchor": "middle"}, {"y": -layout.radius - 4, "yanchor": "top"}
    words = [
        {
            "text": text.shortened_markup(layout.shown[name]),
            "x": layout.x[name],
            "xanchor": "center",
            "textangle": -90 if layout.upright else 0,
            "font": {"size": layout.size, "color": looks[name].ink if layout.inside else style.ink},
            **(inner if layout.inside else lower),
        }
        for name in names
        if layout.shown[name]
    ]
    add_annotations(fig, words)


def draw_ends(fig: go.Figure, layout: GraphLayout, ends: tuple[str, str], style: Style) -> None:
    """Write below the first and the last node what their places mean."""
    first = layout.x[layout.names[0]]
    for words, share, anchor in ((ends[0], 0.0, "left"), (ends[1], 1.0, "right")):
        fig.add_annotation(
            text=text.escape(words),
            x=first if anchor == "left" else layout.width - first,
            xanchor=anchor,
            xshift=-layout.radius if anchor == "left" else layout.radius,
            y=layout.foot - 0.3 * style.tick_size,
            yanchor="top",
            font={"size": style.tick_size, "color": style.faint},
            name=f"end {share:g}",
        )


def underlines(
    layout: GraphLayout, groups: Iterable[Sequence[str]], style: Style, top: float
) -> list[GroupBar]:
    """Lead an underline below every group of two or more, from node to node.

    Parameters
    ----------
    layout : Layout
    groups : iterable of sequences of str
        Maximal groups; a group may skip nodes between its members.
    style : Style
    top : float
        y of the first row.

    Returns
    -------
    list of Bar
        Solid below members side by side, dotted below a node that is not in the group. Two
        groups share a row only if a clear gap lies between them. If any group has a dotted
        stretch, every member of every group has a dot.
    """
    indices = drawn_groups(layout.names, groups)
    if not indices:
        return []
    x = [layout.x[name] for name in layout.names]
    cell = x[1] - x[0]
    half = min(_COVERED * cell / 2, x[0] - style.px(3, 2))
    apart = 1.0 if cell - 2 * half >= style.px(12, 8) else 2.0
    rows = pack_rows([(float(group[0]), float(group[-1])) for group in indices], apart)
    gaps = any(len(consecutive_runs(group)) > 1 for group in indices)
    bars = []
    for group, row in zip(indices, rows, strict=True):
        y = top - row * style.px(9, 6)
        solid = [(x[a] - half, y, x[b] + half, y) for a, b in consecutive_runs(group)]
        dotted = [(left[2], y, right[0], y) for left, right in itertools.pairwise(solid)]
        dots = tuple((x[i], y) for i in group) if gaps else ()
        members = tuple(layout.names[i] for i in group)
        bars.append(GroupBar(members, tuple(solid), tuple(dotted), dots))
    return bars


def draw_underlines(fig: go.Figure, bars: Sequence[GroupBar], style: Style) -> None:
    """Draw the underlines of groups; what takes the pointer carries the list of members."""
    if not bars:
        return
    thin, thick = style.px(1, 0.6), style.px(3, 1.8)
    kinds = (
        ("passed over", [s for bar in bars for s in bar.dotted], {"width": thin, "dash": "dot"}),
        ("groups", [s for bar in bars for s in bar.solid], {"width": thick}),
    )
    for name, segments, line in kinds:
        fig.add_scatter(
            x=[v for x0, _, x1, _ in segments for v in (x0, x1, None)],
            y=[v for _, y0, _, y1 in segments for v in (y0, y1, None)],
            mode="lines",
            name=name,
            line={"color": style.ink, **line},
            hoverinfo="skip",
            cliponaxis=False,
        )
    dots = [(x, y) for bar in bars for x, y in bar.dots]
    fig.add_scatter(
        x=[x for x, _ in dots],
        y=[y for _, y in dots],
        mode="markers",
        name="members",
        marker={"size": style.px(7, 4.6), "color": style.ink, "opacity": 1},
        hoverinfo="skip",
        cliponaxis=False,
    )
    _group_targets(fig, bars)


def _group_targets(fig: go.Figure, bars: Sequence[GroupBar]) -> None:
    """Let every underline speak in the middle of its stretches."""
    spots = []
    for number, bar in enumerate(bars, 1):
        names = text.join_escaped((text.escape(member) for member in bar.members), 6)
        said = f"<b>Group {number}</b>: {names}<br>not separated<br>{traces.click_hint('group')}"
        spots += [((x0 + x1) / 2, y, said, list(bar.members)) for x0, y, x1, _ in bar.solid]
    fig.add_scatter(
        x=[x for x, _, _, _ in spots],
        y=[y for _, y, _, _ in spots],
        mode="markers",
        name="group targets",
        customdata=[members for _, _, _, members in spots],
        meta="group",
        hovertext=[said for _, _, said, _ in spots],
        hoverinfo="text",
        marker={"size": 10, "opacity": 0, "line": {"width": 0}},
        unselected={"marker": {"opacity": 0}},
        selected={"marker": {"opacity": 0}},
        cliponaxis=False,
    )
