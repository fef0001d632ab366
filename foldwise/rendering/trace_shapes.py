"""Conversion of Plotly traces (heatmap, bar, scatter) to shapes of a scene."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from foldwise.rendering.draw_axes import Axis, AxisGeometry, panel_box
from foldwise.rendering.markup import LINE, Font, layout_markup, set_block
from foldwise.rendering.painter import is_line, symbol_outline
from foldwise.rendering.plain_figure import FigureValues, PlainFigure
from foldwise.rendering.scene import CLEAR, Box, Colour, Disc, LineStyle, Scene, Shape, parse_color

_DASHES = {"dot": (1, 1), "dash": (3, 3), "longdash": (5, 5), "dashdot": (3, 1, 1, 1)}
_DASHES["longdashdot"] = (5, 2, 1, 2)
_TEXT_PAD = 3  # px between a bar and the text beyond its end


def line_style(line: PlainFigure, opacity: float = 1.0, default: str = "#444444", width: float = 2) -> LineStyle:
    """Return the line style of a Plotly line."""
    line_width = width if line.width is None else line.width
    return LineStyle(parse_color(line.color or default, opacity), line_width, dash_lengths(line.dash, line_width))


def dash_lengths(name: str | None, width: float) -> tuple[float, ...]:
    """Return the lengths of dashes and gaps in px.

    Examples
    --------
    >>> dash_lengths("dash", 1), dash_lengths("4px,2px", 1), dash_lengths("solid", 1)
    ((9, 9), (4.0, 2.0), ())
    """
    if name in (None, "", "solid"):
        return ()
    if name in _DASHES:
        return tuple(max(width, 3) * part for part in _DASHES[name])
    return tuple(float(part.removesuffix("px")) for part in name.replace(" ", "").split(","))


def _each(value: object, n: int, default: object = None) -> Sequence:
    """Return one value per point, repeating a scalar."""
    if value is None or isinstance(value, str | int | float):
        return [default if value is None else value] * n
    return list(value)


def _shown(trace: PlainFigure) -> bool:
    return trace.visible in (None, True)


def draw_traces(scene: Scene, figure: FigureValues, frame: AxisGeometry) -> None:
    """Draw all traces in Plotly's order: heatmaps, then bars, then lines and points."""
    default_font = figure.layout.template.layout.font
    for kind, draw in (("heatmap", _cells), ("bar", _bars), ("scatter", _scatter)):
        previous: dict[tuple, list] = {}
        for trace in figure.data:
            if trace.type == kind and _shown(trace):
                x, y = frame.pair(trace.xaxis, trace.yaxis)
                clip = None if trace.type != "heatmap" and trace.cliponaxis is False else (panel_box(x, y))
                draw(scene, trace, x, y, clip, Font(default_font.size, default_font.color, scene.serif), previous)
    unknown = {trace.type for trace in figure.data} - {"heatmap", "bar", "scatter"}
    if unknown:
        raise ValueError(f"`figure` has traces that cannot be printed: {', '.join(unknown)}")


def _scatter(scene: Scene, trace: PlainFigure, x: Axis, y: Axis, clip: Box | None, font: Font, before: dict) -> None:
    points = _points(trace, x, y)
    opacity = 1.0 if trace.opacity is None else trace.opacity
    mode = trace.mode or "lines"
    _fill(scene, trace, points, before.get((x.name, y.name)), clip, opacity)
    before[x.name, y.name] = points
    _errors(scene, trace, x, y, points, clip)
    if "lines" in mode:
        pen = line_style(trace.line, opacity)
        for segment in _runs(points):
            scene.line(_stepped(segment, trace.line.shape), pen, clip)
    if "markers" in mode:
        _markers(scene, trace, points, panel_box(x, y), clip, opacity)
    if "text" in mode:
        _texts(scene, trace, points, panel_box(x, y) if clip else None, font, opacity)


def _points(trace: PlainFigure, x: Axis, y: Axis) -> np.ndarray:
    xs = [] if trace.x is None else trace.x
    ys = [] if trace.y is None else trace.y
    return np.array([(x.px(x_value), y.px(y_value)) for x_value, y_value in zip(xs, ys, strict=False)]).reshape(-1, 2)


def _runs(points: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the segments of a line between missing points."""
    if not len(points):
        return
    is_finite = np.isfinite(points).all(axis=1)
    for indices in np.split(np.arange(len(points)), np.flatnonzero(~is_finite)):
        indices = indices[is_finite[indices]]
        if len(indices) > 1:
            yield points[indices]


def _stepped(run: np.ndarray, shape: str | None) -> np.ndarray:
    if shape in (None, "linear"):
        return run
    if shape != "hv":
        raise ValueError(f"`shape` must be linear or hv; got {shape!r}")
    steps = np.repeat(run, 2, axis=0)
    steps[1::2, 0] = np.append(run[1:, 0], run[-1, 0])
    return steps[:-1]


def _fill(
    scene: Scene, trace: PlainFigure, points: np.ndarray, before: np.ndarray | None, clip: Box | None, opacity: float
) -> None:
    if trace.fill in (None, "none"):
        return
    if trace.fill not in ("toself", "tonexty"):
        raise ValueError(f"`fill` must be toself or tonexty; got {trace.fill!r}")
    colour = parse_color(trace.fillcolor, opacity)
    outline = points[np.isfinite(points).all(axis=1)]
    if trace.fill == "tonexty" and before is not None:
        outline = np.concatenate([outline, before[np.isfinite(before).all(axis=1)][::-1]])
        scene.parts.append(Shape((outline,), True, colour, clip=clip))
    elif trace.fill == "toself":
        scene.parts.append(Shape(tuple(_runs(points)), True, colour, clip=clip))


def _errors(scene: Scene, trace: PlainFigure, x: Axis, y: Axis, points: np.ndarray, clip: Box | None) -> None:
    for error_bar, axis in ((trace.error_x, x), (trace.error_y, y)):
        if error_bar.array is None or error_bar.visible is False:
            continue
        pen = LineStyle(parse_color(error_bar.color), 2 if error_bar.thickness is None else error_bar.thickness)
        values = trace.x if axis.across else trace.y
        minus = error_bar.array if error_bar.arrayminus is None else error_bar.arrayminus
        for (px, py), value, plus, minus_value in zip(points, values, error_bar.array, minus, strict=False):
            ends = [axis.px(value + plus), axis.px(value - minus_value)]
            cap = [-error_bar.width, error_bar.width]
            lines = [[(px, ends[0]), (px, ends[1])], *([(px + offset, end) for offset in cap] for end in ends)]
            if axis.across:
                lines = [[(ends[0], py), (ends[1], py)], *([(end, py + offset) for offset in cap] for end in ends)]
            for line in lines:
                scene.line(line, pen, clip)


@lru_cache(maxsize=256)
def _symbol(symbol: str, radius: float, angle: float) -> tuple[np.ndarray, ...]:
    return symbol_outline(symbol, radius, angle)


def _outside(panel: Box, x: float, y: float) -> bool:
    """Return whether a point lies outside a panel."""
    left, top, right, bottom = panel
    return x < left - 1 or x > right + 1 or y < top - 1 or y > bottom + 1


def _markers(
    scene: Scene, trace: PlainFigure, points: np.ndarray, panel: Box, clip: Box | None, opacity: float
) -> None:
    marker, count = trace.marker, len(points)
    attributes = zip(
        points,
        _each(marker.symbol, count, "circle"),
        _each(marker.size, count, 6),
        _each(marker.color, count, "#444444"),
        _each(marker.line.color, count, "#444444"),
        _each(marker.line.width, count, 0),
        _each(marker.opacity, count, 1.0),
        _each(marker.angle, count, 0.0),
        strict=False,
    )
    for (x, y), symbol, size, fill, edge, edge_width, marker_opacity, angle in attributes:
        if not math.isfinite(x + y) or not size or (clip and _outside(panel, x, y)):
            continue
        draw_mark(
            scene,
            (x, y),
            symbol,
            size / 2,
            parse_color(fill, opacity * marker_opacity),
            LineStyle(parse_color(edge, opacity * marker_opacity), edge_width),
            angle,
        )


def draw_mark(
    scene: Scene, at: tuple[float, float], symbol: str, radius: float, fill: Colour, pen: LineStyle, angle: float = 0.0
) -> None:
    """Draw one symbol, rotated clockwise by `angle`; draw nothing if it is invisible."""
    kind = symbol.removesuffix("-open")
    if kind != symbol:
        fill, pen = CLEAR, LineStyle(fill, pen.width or 1)
    visible_pen = pen if pen.seen else None
    if not fill[3] and visible_pen is None:
        return
    if kind == "circle":
        scene.parts.append(Disc(*at, radius, fill, visible_pen))
        return
    rings = tuple(ring + np.array(at) for ring in _symbol(kind, radius, angle))
    closed = not is_line(kind)
    scene.parts.append(Shape(rings, closed, fill if closed else CLEAR, visible_pen))


def _texts(scene: Scene, trace: PlainFigure, points: np.ndarray, panel: Box | None, font: Font, opacity: float) -> None:
    count, text_font = len(points), trace.textfont
    sizes = trace.marker.size if "markers" in trace.mode else 0
    attributes = zip(
        points,
        _each(trace.text, count, ""),
        _each(trace.textposition, count, "middle center"),
        _each(text_font.size, count, font.size),
        _each(text_font.color, count, font.colour),
        _each(sizes, count, 6),
        strict=False,
    )
    for (x, y), markup, text_position, size, colour, marker_size in attributes:
        if not markup or not math.isfinite(x + y) or (panel and _outside(panel, x, y)):
            continue
        block = layout_markup(markup, Font(size, colour, font.serif))
        clearance = marker_size / 2 / 0.8 + 1 if marker_size else 0
        vertical = -1 if "top" in text_position else 1 if "bottom" in text_position else 0
        horizontal = -1 if "left" in text_position else 1 if "right" in text_position else 0
        lines = (len(block.lines) - 1) * LINE + 1
        baseline_shift = 0.75 * size + vertical * clearance + (vertical - 1) * lines * size / 2
        anchor = {-1: "end", 1: "start", 0: "middle"}[horizontal]
        set_block(scene, block, x + horizontal * clearance, y + baseline_shift, anchor, opacity=opacity)


def _bars(scene: Scene, trace: PlainFigure, x: Axis, y: Axis, clip: Box | None, font: Font, before: dict) -> None:
    horizontal = trace.orientation == "h"
    along, across = (x, y) if horizontal else (y, x)
    values, positions = (trace.x, trace.y) if horizontal else (trace.y, trace.x)
    count, line = len(values), trace.marker.line
    opacity = 1.0 if trace.opacity is None else trace.opacity
    attributes = zip(
        positions,
        values,
        _each(trace.base, count, 0),
        _each(trace.width, count, 0.8),
        _each(trace.marker.color, count, "#444444"),
        _each(line.color, count, "#444444"),
        _each(line.width, count, 0),
        _each(trace.text, count, ""),
        strict=False,
    )
    for position, value, base, bar_width, fill, edge, pen_width, markup in attributes:
        if value is None or not math.isfinite(value):
            continue
        breadth = sorted((across.px(position - bar_width / 2), across.px(position + bar_width / 2)))
        start, end = along.px(base or 0), along.px((base or 0) + value)
        ends = sorted((start, end))
        box = (ends[0], breadth[0], ends[1], breadth[1]) if horizontal else ((breadth[0], ends[0], breadth[1], ends[1]))
        pen = LineStyle(parse_color(edge, opacity), pen_width)
        pattern = trace.marker.pattern
        paint = pattern.bgcolor if pattern.shape else fill
        if box[0] != box[2] and box[1] != box[3]:
            scene.box(box, parse_color(paint, opacity), None, clip)
            if pattern.shape:
                _hatch(scene, box, pattern, opacity)
            if pen.seen:
                scene.box(box, CLEAR, pen, clip)
        if markup:
            text_font = Font(trace.textfont.size or font.size, trace.textfont.color or font.colour, font.serif)
            _beyond(scene, box, horizontal, end >= start, layout_markup(markup, text_font))


def _hatch(scene: Scene, box: Box, pattern: PlainFigure, opacity: float) -> None:
    """Draw slanted hatching lines over a box."""
    step = pattern.size * math.sqrt(2)
    pen = LineStyle(parse_color(pattern.fgcolor, opacity), pattern.solidity * pattern.size)
    left, top, right, bottom = box
    first = math.floor((left + top) / step)
    for i in range(first, math.ceil((right + bottom) / step) + 1):
        x = i * step
        scene.line([(x - bottom, bottom), (x - top, top)], pen, box)


def _beyond(scene: Scene, box: Box, horizontal: bool, forward: bool, block: object) -> None:
    """Write a text block beyond the end of a bar."""
    left, top, right, bottom = box
    if horizontal:
        pad = _TEXT_PAD if bottom - top > 2 * _TEXT_PAD else 0
        x = right + pad + block.width / 2 if forward else left - pad - block.width / 2
        y = (top + bottom) / 2
    else:
        pad = _TEXT_PAD if right - left > 2 * _TEXT_PAD else 0
        x = (left + right) / 2
        y = bottom + pad + block.height / 2 if forward else top - pad - block.height / 2
    set_block(scene, block, x, y - block.height / 2 + block.ascent, "middle")


def _cells(scene: Scene, trace: PlainFigure, x: Axis, y: Axis, clip: Box | None, font: Font, before: dict) -> None:
    """Draw the cells of a heatmap with equal steps; cells without a value stay empty."""
    scale = [(share, parse_color(name)) for share, name in trace.colorscale]
    low, high = trace.zmin, trace.zmax
    xs, ys = _edges(trace.x), _edges(trace.y)
    for row, values in enumerate(trace.z):
        for column, value in enumerate(values):
            if value is None or not math.isfinite(value):
                continue
            across = sorted((x.px(xs[column]), x.px(xs[column + 1])))
            down = sorted((y.px(ys[row]), y.px(ys[row + 1])))
            fill = _between(scale, (value - low) / (high - low) if high > low else 0.0)
            scene.box((across[0], down[0], across[1], down[1]), fill, LineStyle(fill, 0.2), clip)


def _edges(middles: Sequence[float]) -> list[float]:
    centres = [float(value) for value in middles]
    if len(centres) == 1:
        return [centres[0] - 0.5, centres[0] + 0.5]
    inner = [(a + b) / 2 for a, b in zip(centres, centres[1:], strict=False)]
    return [2 * centres[0] - inner[0], *inner, 2 * centres[-1] - inner[-1]]


def _between(scale: list[tuple[float, Colour]], share: float) -> Colour:
    share = min(max(share, 0.0), 1.0)
    for (low, start), (high, end) in zip(scale, scale[1:], strict=False):
        if share <= high:
            fraction = (share - low) / (high - low) if high > low else 0.0
            return tuple(a + fraction * (b - a) for a, b in zip(start, end, strict=True))
    return scale[-1][1]
