"""The ticks of an axis: where they stand and what they say."""

from __future__ import annotations

import math
from dataclasses import dataclass

from foldwise.rendering.markup import LINE, Font, TextBlock, layout_markup, set_block
from foldwise.rendering.plain_figure import FigureValues, PlainFigure
from foldwise.rendering.scene import Box, LineStyle, Scene, parse_color


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


def axis_geometry(figure: FigureValues, top: float) -> AxisGeometry:
    """Work out where the axes of a figure stand, at least `top` px below its upper edge."""
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


_SIGNS = {ord("-"): "\N{MINUS SIGN}"}
_ROOM = {True: 80, False: 40}  # px that a label of its own finding takes, across and up


def axis_tick_labels(axis: Axis) -> list[tuple[float, str]]:
    """Return values and words of the ticks in the range of an axis."""
    if axis.of("tickmode") == "array" or axis.said.tickvals is not None:
        words = axis.said.ticktext
        values = [float(value) for value in axis.said.tickvals or ()]
        if words is None:
            words = [_number(value, axis, _decimals(values)) for value in values]
        return [pair for pair in zip(values, words, strict=False) if axis.within(pair[0], 1e-4)]
    step = axis.of("dtick") or _step(axis)
    first = axis.of("tick0") or 0.0
    low, high = sorted((axis.low, axis.high))
    at = range(math.ceil((low - first) / step - 1e-4), math.floor((high - first) / step + 1e-4) + 1)
    values = [first + i * step for i in at]
    return [(value, _number(value, axis, _decimals([step]))) for value in values]


def _step(axis: Axis) -> float:
    """Return 1, 2 or 5 times a power of ten, as Plotly finds it."""
    most = axis.of("nticks") or min(max(axis.length / _ROOM[axis.across], 4), 9) + 1
    rough = abs(axis.high - axis.low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    return next(n for n in (1, 2, 5, 10) if n * power >= rough * (1 - 1e-9)) * power


def _decimals(values: list[float]) -> int:
    found = (f"{value:.6f}".rstrip("0").partition(".")[2] for value in values)
    return max(map(len, found), default=0)


def _number(value: float, axis: Axis, places: int) -> str:
    """Return a number as it stands at a tick."""
    code = axis.of("tickformat")
    value = 0.0 if abs(value) < 1e-12 else value
    said = format(value, code if code else f".{places}f")
    return said.translate(_SIGNS)


_OUT = {"bottom": 1, "right": 1, "top": -1, "left": -1}  # away from the plot, in px


def draw_zero(scene: Scene, frame: AxisGeometry, axis: Axis) -> None:
    """Draw the line at zero, if the axis has one that is not at its end."""
    if axis.of("visible") is False or not axis.of("zeroline") or not axis.within(0, -1e-9):
        return
    pen = LineStyle(parse_color(axis.of("zerolinecolor", "#444")), axis.of("zerolinewidth", 1))
    at, other = axis.px(0), frame.anchor(axis)
    ends = [(at, other.start), (at, other.start + other.length)]
    scene.line(ends if axis.across else [(y, x) for x, y in ends], pen)


def draw_axis(scene: Scene, frame: AxisGeometry, axis: Axis) -> None:
    """Draw line, ticks, words and title of an axis."""
    if axis.of("visible") is False:
        return
    out, other = _OUT[axis.side], frame.anchor(axis)
    wide = axis.of("linewidth", 1)
    edge = other.start + (other.length if out > 0 else 0)
    middle = edge + out * wide / 2
    if axis.of("showline"):
        _line(scene, axis, middle, LineStyle(parse_color(axis.of("linecolor")), wide), other)
    ticks = axis_tick_labels(axis)
    outside = axis.of("ticks") == "outside"
    if outside:
        pen = LineStyle(parse_color(axis.of("tickcolor")), axis.of("tickwidth", 1))
        begin = middle + out * wide / 2
        for value, _ in ticks:
            at = axis.px(value)
            ends = [(at, begin), (at, begin + out * axis.of("ticklen", 5))]
            scene.line(ends if axis.across else [(y, x) for x, y in ends], pen)
    far = _words(scene, axis, ticks, middle, out, outside)
    depth = max(out * (far - edge), axis.of("ticklen", 5) if outside else 0)
    _title(scene, axis, edge, out, depth)


def _line(scene: Scene, axis: Axis, at: float, pen: LineStyle, other: Axis) -> None:
    begin, end = axis.start, axis.start + axis.length
    if axis.across:
        lined = other.of("showline") and other.of("visible") is not False
        corner = other.of("linewidth", 1) if lined else 0
        begin -= corner if other.side == "left" else 0
        end += corner if other.side == "right" else 0
        scene.line([(begin, at), (end, at)], pen)
    else:
        scene.line([(at, begin), (at, end)], pen)


def _font(scene: Scene, axis: Axis, path: str) -> Font:
    return Font(axis.of(f"{path}.size"), axis.of(f"{path}.color"), scene.serif)


def _words(
    scene: Scene,
    axis: Axis,
    ticks: list[tuple[float, str]],
    middle: float,
    out: int,
    outside: bool,
) -> float:
    """Write what ticks say and return the px of their far side."""
    far = middle
    if axis.of("showticklabels") is False:
        return far
    font = _font(scene, axis, "tickfont")
    gap = axis.of("ticklen", 5) if outside else 0
    gap += 0.2 * font.size if outside or axis.of("showline") else 0
    gap += axis.of("linewidth", 1) / 2 + axis.of("ticklabelstandoff", 0)
    for value, words in ticks:
        if not str(words).strip():
            continue
        made = layout_markup(words, font)
        if axis.across:
            far = _across(scene, axis, made, axis.px(value), middle + out * gap, out, far)
        else:
            x = middle + out * gap
            lift = LINE * font.size * (len(made.lines) - 1) / 2
            baseline = axis.px(value) + 0.35 * font.size - lift
            set_block(scene, made, x, baseline, "end" if out < 0 else "start")
            far = min(far, x - made.width) if out < 0 else max(far, x + made.width)
    return far


def _across(
    scene: Scene, axis: Axis, made: TextBlock, x: float, y: float, out: int, far: float
) -> float:
    """Write one label of an axis that runs from left to right; return the far side so far."""
    size, angle = made.font.size, axis.of("tickangle")
    baseline = y + size * (1 if out > 0 else -0.2)
    if out < 0:
        baseline -= LINE * size * (len(made.lines) - 1)
    if isinstance(angle, int | float) and angle:
        anchor = "end" if angle * out < 0 else "start"
        set_block(scene, made, x, baseline, anchor, turn=(angle, x, baseline - size / 2))
        return far + out * made.width
    set_block(scene, made, x, baseline, "middle")
    top = baseline - made.ascent
    return max(far, top + made.height) if out > 0 else min(far, top)


def _title(scene: Scene, axis: Axis, edge: float, out: int, depth: float) -> None:
    words = axis.of("title.text")
    if not words:
        return
    made = layout_markup(words, _font(scene, axis, "title.font"))
    size, gap = made.font.size, axis.of("title.standoff", 6)
    middle = axis.start + axis.length / 2
    if axis.across and out > 0:
        too_near = max(0.0, 2 - gap - (0.7 * size - made.ascent))
        baseline = edge + depth + gap + 0.7 * size + too_near
        lowest = scene.height - (made.height - made.ascent)
        set_block(scene, made, middle, min(baseline, lowest), "middle")
        return
    more = LINE * size * (len(made.lines) - 1)
    away = depth + gap + size * (0.7 if out > 0 else 0.35) + (more if out < 0 else 0)
    at = edge + out * away
    if axis.across:
        set_block(scene, made, middle, at, "middle")
    else:
        at = max(at, made.ascent)  # never off the paper
        set_block(scene, made, at, middle, "middle", turn=(-90, at, middle))
