"""Where the axes of a figure stand, and from numbers to pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from foldwise.rendering.plain_figure import PlainFigure, SaidFigure
from foldwise.rendering.scene import Box


@dataclass(slots=True, eq=False)
class Axis:
    """One axis: what its layout says, completed by the template, and its place.

    Attributes
    ----------
    name : str
        "x", "x2", "y" ...
    said : plotly axis
    usual : plotly axis
        Of the template.
    start, length : float
        px of its left or top end, and its length.
    low, high : float
        Range.
    """

    name: str
    said: PlainFigure
    usual: PlainFigure
    start: float
    length: float
    low: float
    high: float

    def of(self, path: str, default: object = None) -> object:
        """Return what layout or template say, else `default`."""
        for source in (self.said, self.usual):
            value = _deep(source, path)
            if value is not None:
                return value
        return default

    @property
    def across(self) -> bool:
        """Whether it runs from left to right."""
        return self.name.startswith("x")

    @property
    def side(self) -> str:
        """Where it stands."""
        return self.of("side", "bottom" if self.across else "left")

    def px(self, value: object) -> float:
        """Return the px at a value; NaN where there is none."""
        if value is None:
            return math.nan
        share = (float(value) - self.low) / (self.high - self.low)
        return self.start + (share if self.across else 1 - share) * self.length

    def share(self, value: float) -> float:
        """Return the px at a share of its length, from left or bottom."""
        return self.start + (value if self.across else 1 - value) * self.length

    def within(self, value: float, slack: float = 1e-9) -> bool:
        """Tell whether a value lies in its range."""
        share = (float(value) - self.low) / (self.high - self.low)
        return -slack <= share <= 1 + slack


def _deep(source: PlainFigure, path: str) -> object:
    for step in path.split("."):
        if source is None:
            return None
        source = source[step]
    return source


@dataclass(slots=True, eq=False)
class AxisGeometry:
    """The plot area of a figure and its axes by name."""

    box: Box
    axes: dict[str, Axis]
    pairs: tuple[tuple[str, str], ...]

    def pair(self, x: str | None, y: str | None) -> tuple[Axis, Axis]:
        """Return the axes that a trace names."""
        return self.axes[x or "x"], self.axes[y or "y"]

    def anchor(self, axis: Axis) -> Axis:
        """Return the axis that an axis stands at."""
        here, there = (0, 1) if axis.across else (1, 0)
        met = (pair[there] for pair in self.pairs if pair[here] == axis.name)
        name = axis.of("anchor") or next(met, "yx"[here])
        return self.axes[name]


def panel_box(x: Axis, y: Axis) -> Box:
    """Return the box of two axes."""
    return x.start, y.start, x.start + x.length, y.start + y.length


def axis_geometry(figure: SaidFigure, top: float) -> AxisGeometry:
    """Work out where the axes of a figure stand, at least `top` px below its upper edge.

    Raises
    ------
    ValueError
        An axis has no range, or is no axis of numbers.
    """
    layout, template = figure.layout, figure.layout.template.layout
    edge = {
        side: _first(layout.margin[side], template.margin[side], default)
        for side, default in (("l", 80), ("r", 80), ("t", 100), ("b", 80))
    }
    box = (edge["l"], max(edge["t"], top), layout.width - edge["r"], layout.height - edge["b"])
    named = [name for name in sorted(layout) if name.startswith(("xaxis", "yaxis"))]
    pairs = tuple(dict.fromkeys((one.xaxis or "x", one.yaxis or "y") for one in figure.data))
    used = {f"{axis[0]}axis{axis[1:]}" for pair in pairs for axis in pair}
    axes = {}
    for name in dict.fromkeys(["xaxis", "yaxis", *named, *sorted(used)]):
        axis = _axis(name, layout[name] or PlainFigure({}), template[name[:5]], box)
        if axis is not None:
            axes[axis.name] = axis
    for axis in axes.values():
        _square(axis, axes)
    return AxisGeometry(box, axes, pairs)


def _first(*values: object) -> object:
    return next(value for value in values if value is not None)


def _axis(name: str, said: PlainFigure, usual: PlainFigure, box: Box) -> Axis | None:
    short, across = name[0] + name[5:], name.startswith("x")
    if said.type not in (None, "-", "linear"):
        raise ValueError(f"{name} must be an axis of numbers; its type is {said.type!r}")
    if said.range is None:
        return None
    low, high = (0, 1) if said.domain is None else said.domain
    left, top, right, bottom = box
    if across:
        start, length = left + low * (right - left), (high - low) * (right - left)
    else:
        start, length = top + (1 - high) * (bottom - top), (high - low) * (bottom - top)
    return Axis(short, said, usual, start, length, *map(float, said.range))


def _square(axis: Axis, axes: dict[str, Axis]) -> None:
    """Shorten the longer of two axes that share a scale, around its middle."""
    if not axis.said.scaleanchor:
        return
    other = axes[axis.said.scaleanchor]
    scale = [one.length / abs(one.high - one.low) for one in (axis, other)]
    scale[0] /= axis.said.scaleratio or 1
    longer, share = (
        (axis, scale[1] / scale[0]) if scale[0] > scale[1] else (other, scale[0] / scale[1])
    )
    longer.start += (1 - share) / 2 * longer.length
    longer.length *= share
