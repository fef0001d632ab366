"""Layout of small graphs, and their nodes and arrows as traces."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.cd_parts import GroupBar, consecutive_runs, drawn_groups
from foldwise.figures.label_placement import add_annotations, pack_rows
from foldwise.figures.theme import LEAST_POINTS, PX_PER_POINT, Style

Edge = tuple[str, str]  # from, to

_REFERENCE_WIDTH = 700  # screen figures stretch; px they are laid out for
_POINTS = 33  # of an arc
_HEADS_APART = 0.25  # in heads: closer arrowheads become one
_MANY, _THINNER = 40, 0.7  # more arrows than this are thinner
_STEEP, _FLAT = math.radians(14), math.radians(62)  # where arcs meet a node, from the vertical


@dataclass(frozen=True, slots=True)
class Arc:
    """The way of one edge from node to node."""

    edge: Edge  # from, to
    points: np.ndarray  # the last is the tip of the arrowhead
    angle: float  # direction at the tip in degrees clockwise from up
    controls: np.ndarray  # the two inner control points of the cubic Bezier curve


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """Where nodes stand and how large everything is, in px."""

    names: tuple[str, ...]
    shown: dict[str, str]
    x: dict[str, float]
    width: float
    above: float
    below: float
    radius: float
    head: float
    line: float
    size: float  # of names
    inside: bool  # whether names stand inside the nodes
    upright: bool

    foot: float  # y below the nodes and their names

    @property
    def height(self) -> float:
        """Height of the figure."""
        return self.above + self.below


def lay_out(
    names: Sequence[str], edges: Collection[Edge], style: Style, *, notes: int = 0
) -> GraphLayout:
    """Place the nodes from left to right."""
    names = [str(name) for name in names]
    k = len(names)
    width = float(style.width if style.printed else min(style.width, _REFERENCE_WIDTH))
    pad, radius, size = style.px(10, 5), style.px(20, 12), style.tick_size
    pitch = (width - 2 * pad) / max(k, 1)
    widest = _widest([text.plain_text(name) for name in names], size, style)
    inside = widest <= 2 * radius - 4 and 2.3 * radius <= pitch
    upright = not inside and widest > pitch - 6 and pitch < 5.5 * size
    if not inside:
        radius = min(style.px(8, 5), 0.36 * pitch)
    if upright:
        size = min(size, max(0.95 * pitch, 8))
    room = 0.22 * width if upright else max(pitch - 6, 2 * radius)
    lines = 1 if inside or upright else 3
    shown = text.shorten(names, room, size, serif=style.serif, lines=lines)
    if style.printed and not all(text.is_whole(shown[name], name) for name in names):
        size = min(size, max(0.8 * size, LEAST_POINTS * PX_PER_POINT))
        shown = text.shorten(names, room, size, serif=style.serif, lines=lines)
    widest = _widest(list(shown.values()), size, style)
    level = text.row_height(shown.values(), size, 1.2 * size)
    tall = 0 if inside else 4 + (widest if upright else level)
    start = pad + (max(radius, widest / 2) if not upright else radius)
    step = (width - 2 * start) / max(k - 1, 1)
    place = {name: i for i, name in enumerate(names)}
    span = max((abs(place[a] - place[b]) for a, b in edges), default=0)
    return GraphLayout(
        names=tuple(names),
        shown=shown,
        x={name: start + i * step if k > 1 else width / 2 for name, i in place.items()},
        width=width,
        above=radius + (arc_height(span, style) if span else 0) + pad,
        below=radius + tall + pad + notes * 1.5 * style.tick_size,
        radius=radius,
        head=style.px(9, 5.5) * (1 if k <= 20 else 0.7),
        line=style.px(1.4, 0.7) * (1 if len(edges) <= _MANY else _THINNER),
        size=size,
        inside=inside,
        upright=upright,
        foot=-radius - tall,
    )


def _widest(names: Sequence[str], size: float, style: Style) -> float:
    return max((text.text_width(name, size, style.serif) for name in names), default=0.0)


def arc_height(span: int, style: Style) -> float:
    """Return how far above its nodes an arc over `span` steps rises."""
    return style.px(18 + 26 * math.sqrt(span), 11 + 15 * math.sqrt(span))


def route_edges(layout: GraphLayout, edges: Iterable[Edge], style: Style) -> list[Arc]:
    """Lead every edge from node to node, side by side where several meet."""
    edges = list(edges)
    place = {name: i for i, name in enumerate(layout.names)}
    meets: dict[tuple[str, bool], list[tuple[int, Edge]]] = {}
    for a, b in edges:
        span = abs(place[a] - place[b])
        for end, other in ((a, b), (b, a)):
            meets.setdefault((end, place[other] > place[end]), []).append((-span, (a, b)))
    at: dict[tuple[str, Edge], tuple[float, float]] = {}
    bundles: list[list[Edge]] = []
    for (name, to_the_right), group in meets.items():
        fan = _fan(len(group))
        angles = {edge: angle for (_, edge), angle in zip(sorted(group), fan, strict=True)}
        heads = [edge for edge in angles if edge[1] == name]
        if heads and _cover_each_other(fan, layout):
            angles |= dict.fromkeys(heads, np.mean([angles[edge] for edge in heads]))
            bundles.append(heads)
        for edge, angle in angles.items():
            side = math.sin(angle) * (1 if to_the_right else -1)
            at[name, edge] = (
                layout.x[name] + layout.radius * side,
                layout.radius * math.cos(angle),
            )
    found = {}
    for a, b in edges:
        rise = arc_height(abs(place[a] - place[b]), style)
        ends = at[a, (a, b)], at[b, (a, b)]
        found[a, b] = _arc((a, b), *ends, rise + layout.radius, layout.radius)
    for heads in bundles:
        shared = float(np.mean([found[edge].angle % 360 for edge in heads]))
        found |= {edge: replace(found[edge], angle=shared) for edge in heads}
    return [found[edge] for edge in edges]


def _fan(n: int) -> np.ndarray:
    """Return the angles at which n arcs of one side meet a node, the innermost first."""
    return np.array([math.radians(38)]) if n == 1 else np.linspace(_STEEP, _FLAT, n)


def _cover_each_other(fan: np.ndarray, layout: GraphLayout) -> bool:
    """Whether arrowheads at these angles would cover more than half of each other."""
    apart = layout.radius * np.diff(np.sin(fan))
    return len(fan) > 1 and bool(apart.min() < _HEADS_APART * layout.head)


def _arc(
    edge: Edge, start: tuple[float, float], end: tuple[float, float], top: float, radius: float
) -> Arc:
    """Bend a cubic Bezier curve whose peak lies at `top`."""
    p0, p3 = np.array(start), np.array(end)
    lift = (top - (p0[1] + p3[1]) / 8) / 0.75  # the curve reaches 3/4 of its control points
    reach = math.copysign(min(0.4 * radius, 0.2 * abs(p3[0] - p0[0])), p3[0] - p0[0])
    p1, p2 = np.array([p0[0] + reach, lift]), np.array([p3[0] - reach, lift])
    t = np.linspace(0, 1, _POINTS)[:, None]
    points = (1 - t) ** 3 * p0 + 3 * t * (1 - t) ** 2 * p1 + 3 * t**2 * (1 - t) * p2 + t**3 * p3
    run, climb = p3 - p2
    return Arc(edge, points, math.degrees(math.atan2(run, climb)), np.array([p1, p2]))


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
    """Lead an underline below every group of two or more, from node to node."""
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
