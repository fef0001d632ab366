"""Where the nodes of a graph on a line stand, and how arcs lead from one to the other.

Both axes count pixels: x from the left edge of the plot area, y up from the middle of the nodes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from foldwise.figures import text
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
    """Place the nodes from left to right.

    Parameters
    ----------
    names : sequence of str
        The nodes in order.
    edges : collection of (from, to)
        Every edge that may be drawn; the longest one sets the height.
    style : Style
        Surface and width.
    notes : int
        Lines of text to leave room for below the nodes.
    """
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
    """Lead every edge from node to node, side by side where several meet.

    Parameters
    ----------
    layout : Layout
    edges : iterable of (from, to)
    style : Style

    Returns
    -------
    list of Arc
        In the order of the edges. At a node the longest arc of each side stands innermost, so
        that arrowheads stand side by side. Where they would cover each other they share one
        tip and one direction, and look as one.
    """
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
