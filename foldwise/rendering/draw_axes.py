"""Axes of a printed figure: geometry, lines, ticks, labels and titles."""

from __future__ import annotations

import math
from dataclasses import dataclass

from foldwise.rendering.markup import LINE, Font, TextBlock, layout_markup, set_block
from foldwise.rendering.plain_figure import FigureValues, PlainFigure
from foldwise.rendering.scene import Box, LineStyle, Scene, parse_color


@dataclass(slots=True, eq=False)
class Axis:
    """One axis: its layout, the defaults of the template, and its position on the page.

    Attributes
    ----------
    name : str
        "x", "x2", "y" ...
    said : plotly axis
        Of the figure.
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
        """Return the property of the figure or of the template, else `default`."""
        for source in (self.said, self.usual):
            value = _deep(source, path)
            if value is not None:
                return value
        return default

    @property
    def across(self) -> bool:
        """Whether the axis is horizontal."""
        return self.name.startswith("x")

    @property
    def side(self) -> str:
        """Side of the plot at which the axis is drawn."""
        return self.of("side", "bottom" if self.across else "left")

    def px(self, value: object) -> float:
        """Return the position of a value in px; NaN for None."""
        if value is None:
            return math.nan
        share = (float(value) - self.low) / (self.high - self.low)
        return self.start + (share if self.across else 1 - share) * self.length

    def share(self, value: float) -> float:
        """Return the px at a share of the axis length, from the left or the bottom."""
        return self.start + (value if self.across else 1 - value) * self.length

    def within(self, value: float, slack: float = 1e-9) -> bool:
        """Return whether a value lies in the range of the axis."""
        share = (float(value) - self.low) / (self.high - self.low)
        return -slack <= share <= 1 + slack


def _deep(source: PlainFigure, path: str) -> object:
    for key in path.split("."):
        if source is None:
            return None
        source = source[key]
    return source


@dataclass(slots=True, eq=False)
class AxisGeometry:
    """The plot area of a figure, its axes by name, and the axis pairs of its traces."""

    box: Box
    axes: dict[str, Axis]
    pairs: tuple[tuple[str, str], ...]

    def pair(self, x: str | None, y: str | None) -> tuple[Axis, Axis]:
        """Return the x axis and the y axis of a trace."""
        return self.axes[x or "x"], self.axes[y or "y"]

    def anchor(self, axis: Axis) -> Axis:
        """Return the perpendicular axis at which an axis is drawn."""
        own, opposite = (0, 1) if axis.across else (1, 0)
        partners = (pair[opposite] for pair in self.pairs if pair[own] == axis.name)
        name = axis.of("anchor") or next(partners, "yx"[own])
        return self.axes[name]


def panel_box(x: Axis, y: Axis) -> Box:
    """Return the box spanned by an x axis and a y axis."""
    return x.start, y.start, x.start + x.length, y.start + y.length


def axis_geometry(figure: FigureValues, top: float) -> AxisGeometry:
    """Return the axis positions of a figure, at least `top` px below the page's upper edge."""
    layout, template = figure.layout, figure.layout.template.layout
    margins = {
        side: _first(layout.margin[side], template.margin[side], default)
        for side, default in (("l", 80), ("r", 80), ("t", 100), ("b", 80))
    }
    box = (margins["l"], max(margins["t"], top), layout.width - margins["r"], layout.height - margins["b"])
    configured = [name for name in sorted(layout) if name.startswith(("xaxis", "yaxis"))]
    pairs = tuple(dict.fromkeys((trace.xaxis or "x", trace.yaxis or "y") for trace in figure.data))
    referenced = {f"{axis[0]}axis{axis[1:]}" for pair in pairs for axis in pair}
    axes = {}
    for name in dict.fromkeys(["xaxis", "yaxis", *configured, *sorted(referenced)]):
        axis = _axis(name, layout[name] or PlainFigure({}), template[name[:5]], box)
        if axis is not None:
            axes[axis.name] = axis
    for axis in axes.values():
        _square(axis, axes)
    return AxisGeometry(box, axes, pairs)


def _first(*values: object) -> object:
    return next(value for value in values if value is not None)


def _axis(name: str, settings: PlainFigure, defaults: PlainFigure, box: Box) -> Axis | None:
    short, across = name[0] + name[5:], name.startswith("x")
    if settings.type not in (None, "-", "linear"):
        raise ValueError(f"{name} must be an axis of numbers; its type is {settings.type!r}")
    if settings.range is None:
        return None
    low, high = (0, 1) if settings.domain is None else settings.domain
    left, top, right, bottom = box
    if across:
        start, length = left + low * (right - left), (high - low) * (right - left)
    else:
        start, length = top + (1 - high) * (bottom - top), (high - low) * (bottom - top)
    return Axis(short, settings, defaults, start, length, *map(float, settings.range))


def _square(axis: Axis, axes: dict[str, Axis]) -> None:
    """Shorten the longer of two axes with a common scale, keeping its centre."""
    if not axis.said.scaleanchor:
        return
    other = axes[axis.said.scaleanchor]
    scale = [each_axis.length / abs(each_axis.high - each_axis.low) for each_axis in (axis, other)]
    scale[0] /= axis.said.scaleratio or 1
    longer, share = (axis, scale[1] / scale[0]) if scale[0] > scale[1] else (other, scale[0] / scale[1])
    longer.start += (1 - share) / 2 * longer.length
    longer.length *= share


_SIGNS = {ord("-"): "\N{MINUS SIGN}"}
_ROOM = {True: 80, False: 40}  # px per automatic tick label: horizontal, vertical


def axis_tick_labels(axis: Axis) -> list[tuple[float, str]]:
    """Return values and labels of the ticks within the range of an axis."""
    if axis.of("tickmode") == "array" or axis.said.tickvals is not None:
        labels = axis.said.ticktext
        values = [float(value) for value in axis.said.tickvals or ()]
        if labels is None:
            labels = [_number(value, axis, _decimals(values)) for value in values]
        return [pair for pair in zip(values, labels, strict=False) if axis.within(pair[0], 1e-4)]
    step = axis.of("dtick") or _step(axis)
    first = axis.of("tick0") or 0.0
    low, high = sorted((axis.low, axis.high))
    multiples = range(math.ceil((low - first) / step - 1e-4), math.floor((high - first) / step + 1e-4) + 1)
    values = [first + multiple * step for multiple in multiples]
    return [(value, _number(value, axis, _decimals([step]))) for value in values]


def _step(axis: Axis) -> float:
    """Return the tick distance, 1, 2 or 5 times a power of ten, as Plotly chooses it."""
    n_ticks = axis.of("nticks") or min(max(axis.length / _ROOM[axis.across], 4), 9) + 1
    least = abs(axis.high - axis.low) / n_ticks
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9)) * power


def _decimals(values: list[float]) -> int:
    fractions = (f"{value:.6f}".rstrip("0").partition(".")[2] for value in values)
    return max(map(len, fractions), default=0)


def _number(value: float, axis: Axis, decimals: int) -> str:
    """Return the tick label of a number."""
    code = axis.of("tickformat")
    value = 0.0 if abs(value) < 1e-12 else value
    label = format(value, code if code else f".{decimals}f")
    return label.translate(_SIGNS)


_OUT = {"bottom": 1, "right": 1, "top": -1, "left": -1}  # direction away from the plot


def draw_zero(scene: Scene, frame: AxisGeometry, axis: Axis) -> None:
    """Draw the zero line of an axis, unless zero lies at its end."""
    if axis.of("visible") is False or not axis.of("zeroline") or not axis.within(0, -1e-9):
        return
    pen = LineStyle(parse_color(axis.of("zerolinecolor", "#444")), axis.of("zerolinewidth", 1))
    position, crossing = axis.px(0), frame.anchor(axis)
    ends = [(position, crossing.start), (position, crossing.start + crossing.length)]
    scene.line(ends if axis.across else [(y, x) for x, y in ends], pen)


def draw_axis(scene: Scene, frame: AxisGeometry, axis: Axis) -> None:
    """Draw line, ticks, tick labels and title of an axis."""
    if axis.of("visible") is False:
        return
    direction, crossing = _OUT[axis.side], frame.anchor(axis)
    line_width = axis.of("linewidth", 1)
    edge = crossing.start + (crossing.length if direction > 0 else 0)
    middle = edge + direction * line_width / 2
    if axis.of("showline"):
        _line(scene, axis, middle, LineStyle(parse_color(axis.of("linecolor")), line_width), crossing)
    ticks = axis_tick_labels(axis)
    outside = axis.of("ticks") == "outside"
    if outside:
        pen = LineStyle(parse_color(axis.of("tickcolor")), axis.of("tickwidth", 1))
        tick_start = middle + direction * line_width / 2
        for value, _ in ticks:
            position = axis.px(value)
            ends = [(position, tick_start), (position, tick_start + direction * axis.of("ticklen", 5))]
            scene.line(ends if axis.across else [(y, x) for x, y in ends], pen)
    label_end = _words(scene, axis, ticks, middle, direction, outside)
    depth = max(direction * (label_end - edge), axis.of("ticklen", 5) if outside else 0)
    _title(scene, axis, edge, direction, depth)


def _line(scene: Scene, axis: Axis, position: float, pen: LineStyle, crossing: Axis) -> None:
    start, end = axis.start, axis.start + axis.length
    if axis.across:
        has_line = crossing.of("showline") and crossing.of("visible") is not False
        corner = crossing.of("linewidth", 1) if has_line else 0
        start -= corner if crossing.side == "left" else 0
        end += corner if crossing.side == "right" else 0
        scene.line([(start, position), (end, position)], pen)
    else:
        scene.line([(position, start), (position, end)], pen)


def _font(scene: Scene, axis: Axis, path: str) -> Font:
    return Font(axis.of(f"{path}.size"), axis.of(f"{path}.color"), scene.serif)


def _words(
    scene: Scene, axis: Axis, ticks: list[tuple[float, str]], middle: float, direction: int, outside: bool
) -> float:
    """Draw the tick labels and return the px of their outer edge."""
    outer_edge = middle
    if axis.of("showticklabels") is False:
        return outer_edge
    font = _font(scene, axis, "tickfont")
    gap = axis.of("ticklen", 5) if outside else 0
    gap += 0.2 * font.size if outside or axis.of("showline") else 0
    gap += axis.of("linewidth", 1) / 2 + axis.of("ticklabelstandoff", 0)
    for value, label in ticks:
        if not str(label).strip():
            continue
        block = layout_markup(label, font)
        if axis.across:
            outer_edge = _across(scene, axis, block, axis.px(value), middle + direction * gap, direction, outer_edge)
        else:
            x = middle + direction * gap
            half_height = LINE * font.size * (len(block.lines) - 1) / 2
            baseline = axis.px(value) + 0.35 * font.size - half_height
            set_block(scene, block, x, baseline, "end" if direction < 0 else "start")
            outer_edge = min(outer_edge, x - block.width) if direction < 0 else max(outer_edge, x + block.width)
    return outer_edge


def _across(scene: Scene, axis: Axis, block: TextBlock, x: float, y: float, direction: int, outer_edge: float) -> float:
    """Draw one tick label of a horizontal axis and return the outermost edge so far."""
    size, angle = block.font.size, axis.of("tickangle")
    baseline = y + size * (1 if direction > 0 else -0.2)
    if direction < 0:
        baseline -= LINE * size * (len(block.lines) - 1)
    if isinstance(angle, int | float) and angle:
        anchor = "end" if angle * direction < 0 else "start"
        set_block(scene, block, x, baseline, anchor, turn=(angle, x, baseline - size / 2))
        return outer_edge + direction * block.width
    set_block(scene, block, x, baseline, "middle")
    top = baseline - block.ascent
    return max(outer_edge, top + block.height) if direction > 0 else min(outer_edge, top)


def _title(scene: Scene, axis: Axis, edge: float, direction: int, depth: float) -> None:
    title = axis.of("title.text")
    if not title:
        return
    block = layout_markup(title, _font(scene, axis, "title.font"))
    size, gap = block.font.size, axis.of("title.standoff", 6)
    middle = axis.start + axis.length / 2
    if axis.across and direction > 0:
        correction = max(0.0, 2 - gap - (0.7 * size - block.ascent))
        baseline = edge + depth + gap + 0.7 * size + correction
        largest_baseline = scene.height - (block.height - block.ascent)
        set_block(scene, block, middle, min(baseline, largest_baseline), "middle")
        return
    extra_lines = LINE * size * (len(block.lines) - 1)
    distance = depth + gap + size * (0.7 if direction > 0 else 0.35) + (extra_lines if direction < 0 else 0)
    position = edge + direction * distance
    if axis.across:
        set_block(scene, block, middle, position, "middle")
    else:
        position = max(position, block.ascent)  # keeps the title on the page
        set_block(scene, block, position, middle, "middle", turn=(-90, position, middle))
