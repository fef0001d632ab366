"""Axes as they are printed: lines, ticks, words at ticks, titles and lines at zero."""

from __future__ import annotations

from foldwise.rendering.axis_geometry import Axis, AxisGeometry
from foldwise.rendering.axis_ticks import axis_tick_labels
from foldwise.rendering.markup import LINE, Font, TextBlock, layout_markup, set_block
from foldwise.rendering.scene import LineStyle, Scene, parse_color

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
