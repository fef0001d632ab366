"""Layout and traces of graphs with nodes in a row and arcs above them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go

from foldwise.figures import cd_layout, text, theme, traces
from foldwise.figures.cd_layout import GroupBar
from foldwise.figures.label_placement import add_annotations
from foldwise.figures.theme import LEAST_POINTS, PX_PER_POINT, Style

Edge = tuple[str, str]  # from, to

_REFERENCE_WIDTH = 700  # px for which the layout is computed; screen figures stretch
_POINTS = 33  # points of an arc
_HEADS_APART = 0.25  # in arrowhead sizes: closer arrowheads are merged
_MANY, _THINNER = 40, 0.7  # with more arrows than this all are thinner
_STEEP, _FLAT = (math.radians(14), math.radians(62))  # angles at which arcs meet a node, from the vertical


@dataclass(frozen=True, slots=True)
class Arc:
    """The path of one edge between nodes."""

    edge: Edge  # from, to
    points: np.ndarray  # the last is the tip of the arrowhead
    angle: float  # direction at the tip in degrees clockwise from up
    controls: np.ndarray  # the two inner control points of the cubic Bezier curve


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """Positions of the nodes and sizes of the elements, in px; draws the elements of a graph."""

    style: Style
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
    inside: bool  # whether names are written inside the nodes
    upright: bool
    foot: float  # y below the nodes and their names

    def new_figure(self) -> go.Figure:
        """Return an empty figure with room for names and arcs.

        On the screen the room for the outermost nodes is a margin, so it remains in a narrow window.
        """
        hidden = {"visible": False, "fixedrange": True}
        edge = 0 if self.style.printed else self.radius + self.line
        return theme.new_figure(
            self.style,
            self.above + self.below,
            margin={"l": edge, "r": edge, "t": 0, "b": 0},
            xaxis={"range": [edge, self.width - edge], **hidden},
            yaxis={"range": [-self.below, self.above], **hidden},
        )

    def draw_edges(
        self, fig: go.Figure, kinds: Iterable[tuple[str, Sequence[Edge], str, float]], said: Mapping[Edge, str]
    ) -> list[Arc]:
        """Draw arcs with arrowheads and hover targets; return the arcs.

        Each kind of edges has a name, its edges, a colour, and a width relative to the usual one.
        Targets carry ``[from, to]``.
        """
        kinds = list(kinds)
        arcs = route_edges(self, [edge for _, edges, _, _ in kinds for edge in edges])
        remaining = iter(arcs)
        for name, edges, colour, wider in kinds:
            self._draw_arcs(fig, list(itertools.islice(remaining, len(edges))), name, colour, wider * self.line)
        targets = [(point, arc.edge) for arc in arcs for point in arc.points[3:-3:3].round(2).tolist()]
        edges = [edge for _, edge in targets]
        options = {"customdata": list(map(list, edges)), "meta": "pair"}
        traces.add_targets(fig, [point for point, _ in targets], "edges", [said[edge] for edge in edges], **options)
        return arcs

    def _draw_arcs(self, fig: go.Figure, arcs: Sequence[Arc], name: str, colour: str, width: float) -> None:
        if not arcs:
            return
        shafts = [_shaft(arc, 0.6 * self.head).round(2).tolist() for arc in arcs]
        traces.add_paths(fig, shafts, name, colour, width)
        tips = np.array([arc.points[-1] for arc in arcs])
        marker = {"symbol": "arrow", "angle": [arc.angle for arc in arcs], "size": self.head, "color": colour}
        fig.add_scatter(
            x=tips[:, 0],
            y=tips[:, 1],
            mode="markers",
            name=f"{name}: arrowheads",
            customdata=[list(arc.edge) for arc in arcs],
            marker={**marker, "opacity": 1, "line": {"width": 0}},
            hoverinfo="skip",
            cliponaxis=False,
        )

    def draw_nodes(self, fig: go.Figure, looks: Mapping[str, NodeStyle], said: Mapping[str, str]) -> None:
        """Draw the nodes with their names inside or below; nodes carry their name."""
        names = self.names
        traces.add_points(
            fig,
            [self.x[name] for name in names],
            [0.0] * len(names),
            "nodes",
            2 * self.radius,
            "circle",
            [looks[name].fill for name in names],
            edge=(self.line, [looks[name].line for name in names]),
            said=[said[name] for name in names],
            customdata=list(names),
            meta="algorithm",
        )
        at = {"y": 0, "yanchor": "middle"} if self.inside else {"y": -self.radius - 4, "yanchor": "top"}
        at |= {"xanchor": "center", "textangle": -90 if self.upright else 0}
        inks = {name: looks[name].ink if self.inside else self.style.ink for name in names}
        labels = [
            {
                "text": text.shortened_markup(self.shown[name]),
                "x": self.x[name],
                "font": {"size": self.size, "color": inks[name]},
                **at,
            }
            for name in names
            if self.shown[name]
        ]
        add_annotations(fig, labels)

    def draw_ends(self, fig: go.Figure, ends: tuple[str, str]) -> None:
        """Write the meaning of both ends below the first and the last node."""
        first, y = self.x[self.names[0]], self.foot - 0.3 * self.style.tick_size
        for side, (label, anchor) in enumerate(zip(ends, ("left", "right"), strict=True)):
            x, shift = (self.width - first, self.radius) if side else (first, -self.radius)
            at = {"anchor": f"{anchor}, top", "shift": (shift, None), "name": f"end {side}"}
            traces.add_text(fig, text.escape(label), x, y, self.style.tick_size, self.style.faint, **at)

    def underlines(self, groups: Iterable[Sequence[str]], top: float) -> list[GroupBar]:
        """Return an underline for each group of two or more."""
        indices = cd_layout.drawn_groups(self.names, groups)
        if not indices:
            return []
        x = [self.x[name] for name in self.names]
        half = min(cd_layout.COVERED * (x[1] - x[0]) / 2, x[0] - self.style.px(3, 2))
        return cd_layout.underlines(self.names, indices, x, half, top, -self.style.px(9, 6), self.style)[0]


def lay_out(names: Sequence[str], edges: Collection[Edge], style: Style, *, notes: int = 0) -> GraphLayout:
    """Return the layout of nodes placed from left to right."""
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
    name_height = text.row_height(shown.values(), size, 1.2 * size)
    name_room = 0 if inside else 4 + (widest if upright else name_height)
    start = pad + (max(radius, widest / 2) if not upright else radius)
    step = (width - 2 * start) / max(k - 1, 1)
    index_of = {name: i for i, name in enumerate(names)}
    span = max((abs(index_of[a] - index_of[b]) for a, b in edges), default=0)
    return GraphLayout(
        style=style,
        names=tuple(names),
        shown=shown,
        x={name: start + i * step if k > 1 else width / 2 for name, i in index_of.items()},
        width=width,
        above=radius + (arc_height(span, style) if span else 0) + pad,
        below=radius + name_room + pad + notes * 1.5 * style.tick_size,
        radius=radius,
        head=style.px(9, 5.5) * (1 if k <= 20 else 0.7),
        line=style.px(1.4, 0.7) * (1 if len(edges) <= _MANY else _THINNER),
        size=size,
        inside=inside,
        upright=upright,
        foot=-radius - name_room,
    )


def _widest(names: Sequence[str], size: float, style: Style) -> float:
    return max((text.text_width(name, size, style.serif) for name in names), default=0.0)


def arc_height(span: int, style: Style) -> float:
    """Return the height in px above its nodes of an arc over `span` steps."""
    return style.px(18 + 26 * math.sqrt(span), 11 + 15 * math.sqrt(span))


def route_edges(layout: GraphLayout, edges: Iterable[Edge]) -> list[Arc]:
    """Return an arc per edge, fanned out where several meet a node."""
    edges = list(edges)
    index_of = {name: i for i, name in enumerate(layout.names)}
    edges_by_side: dict[tuple[str, bool], list[tuple[int, Edge]]] = {}
    for a, b in edges:
        span = abs(index_of[a] - index_of[b])
        for end, other in ((a, b), (b, a)):
            edges_by_side.setdefault((end, index_of[other] > index_of[end]), []).append((-span, (a, b)))
    end_points: dict[tuple[str, Edge], tuple[float, float]] = {}
    bundles: list[list[Edge]] = []
    for (name, to_the_right), group in edges_by_side.items():
        fan = _fan(len(group))
        angles = {edge: angle for (_, edge), angle in zip(sorted(group), fan, strict=True)}
        incoming = [edge for edge in angles if edge[1] == name]
        if incoming and _cover_each_other(fan, layout):
            angles |= dict.fromkeys(incoming, np.mean([angles[edge] for edge in incoming]))
            bundles.append(incoming)
        for edge, angle in angles.items():
            side = math.sin(angle) * (1 if to_the_right else -1)
            end_points[name, edge] = (layout.x[name] + layout.radius * side, layout.radius * math.cos(angle))
    arcs = {}
    for a, b in edges:
        rise = arc_height(abs(index_of[a] - index_of[b]), layout.style)
        ends = end_points[a, (a, b)], end_points[b, (a, b)]
        arcs[a, b] = _arc((a, b), *ends, rise + layout.radius, layout.radius)
    for incoming in bundles:
        shared = float(np.mean([arcs[edge].angle % 360 for edge in incoming]))
        arcs |= {edge: replace(arcs[edge], angle=shared) for edge in incoming}
    return [arcs[edge] for edge in edges]


def _fan(n: int) -> np.ndarray:
    """Return the angles at which n arcs on one side meet a node, the innermost first."""
    return np.array([math.radians(38)]) if n == 1 else np.linspace(_STEEP, _FLAT, n)


def _cover_each_other(fan: np.ndarray, layout: GraphLayout) -> bool:
    """Return whether arrowheads at these angles would overlap by more than half."""
    distances = layout.radius * np.diff(np.sin(fan))
    return len(fan) > 1 and bool(distances.min() < _HEADS_APART * layout.head)


def _arc(edge: Edge, start: tuple[float, float], end: tuple[float, float], top: float, radius: float) -> Arc:
    """Return a cubic Bezier arc whose highest point is at `top`."""
    p0, p3 = np.array(start), np.array(end)
    lift = (top - (p0[1] + p3[1]) / 8) / 0.75  # the curve reaches 3/4 of its control points
    reach = math.copysign(min(0.4 * radius, 0.2 * abs(p3[0] - p0[0])), p3[0] - p0[0])
    p1, p2 = np.array([p0[0] + reach, lift]), np.array([p3[0] - reach, lift])
    t = np.linspace(0, 1, _POINTS)[:, None]
    points = (1 - t) ** 3 * p0 + 3 * t * (1 - t) ** 2 * p1 + 3 * t**2 * (1 - t) * p2 + t**3 * p3
    dx, dy = p3 - p2
    return Arc(edge, points, math.degrees(math.atan2(dx, dy)), np.array([p1, p2]))


@dataclass(frozen=True, slots=True)
class NodeStyle:
    """Fill, outline and text colour of a node."""

    fill: str
    line: str
    ink: str


def _shaft(arc: Arc, distance: float) -> np.ndarray:
    """Return the points of an arc that ends inside its arrowhead, so that the tip stays sharp."""
    tip, angle = arc.points[-1], math.radians(arc.angle)
    outside = np.linalg.norm(tip - arc.points, axis=1) > distance
    return np.vstack([arc.points[outside], tip - distance * np.array([math.sin(angle), math.cos(angle)])])


def draw_underlines(fig: go.Figure, bars: Sequence[GroupBar], style: Style) -> None:
    """Draw the underlines of groups; hover targets carry the list of members."""
    dotted = [segment for bar in bars for segment in bar.dotted]
    traces.add_paths(fig, dotted, "passed over", style.ink, style.px(1, 0.6), dash="dot")
    solid = [segment for bar in bars for segment in bar.solid]
    traces.add_paths(fig, solid, "groups", style.ink, style.px(3, 1.8))
    if dots := [dot for bar in bars for dot in bar.dots]:
        traces.add_points(fig, *map(list, zip(*dots, strict=True)), "members", style.px(7, 4.6), colour=style.ink)
    _group_targets(fig, bars)


def _group_targets(fig: go.Figure, bars: Sequence[GroupBar]) -> None:
    """Draw an invisible hover target in the middle of each stretch of an underline."""
    targets = []
    for number, bar in enumerate(bars, 1):
        names = text.join_escaped((text.escape(member) for member in bar.members), 6)
        hover = f"<b>Group {number}</b>: {names}<br>not separated<br>{traces.click_hint('group')}"
        targets += [(((x0 + x1) / 2, y), hover, list(bar.members)) for (x0, y), (x1, _) in bar.solid]
    points, hover_texts, members = zip(*targets, strict=True) if targets else ((), (), ())
    traces.add_targets(fig, points, "group targets", hover_texts, customdata=members, meta="group")


def hover_text(lines: Sequence[str], added: object, hint: str) -> str:
    """Return a hover text: lines of markup, lines of added plain text if any, and a click hint."""
    plain = [] if added is None else str(added).split("\n")
    return "<br>".join([*lines, *map(text.escape, plain), hint])


def list_neighbours(name: str, edges: Iterable[Edge], above: str, below: str) -> list[str]:
    """Return lines on the algorithms at the other ends of the arrows from and to a node."""
    edges = list(edges)
    better = [text.escape(b) for a, b in edges if a == name]
    worse = [text.escape(a) for a, b in edges if b == name]
    lines = {above: better, below: worse}
    return [f"{label} {text.join_escaped(names, 6)}" for label, names in lines.items() if names]


def selected_node(style: Style) -> NodeStyle:
    """Return the style of the node that is selected or taken now."""
    palette = theme.PALETTE_DARK if style.dark else theme.PALETTE
    return NodeStyle(palette[0] if style.colour else style.ink, style.ink, "#FFFFFF")
