"""Traces as they are printed: lines, points, words, bars, cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from foldwise.rendering.draw_axes import Axis, AxisGeometry, panel_box
from foldwise.rendering.markup import LINE, Font, layout_markup, set_block
from foldwise.rendering.painter import is_line, symbol_outline
from foldwise.rendering.plain_figure import FigureValues, PlainFigure
from foldwise.rendering.scene import (
    CLEAR,
    Box,
    Colour,
    Disc,
    LineStyle,
    Scene,
    Shape,
    parse_color,
)

_DASHES = {"dot": (1, 1), "dash": (3, 3), "longdash": (5, 5), "dashdot": (3, 1, 1, 1)}
_DASHES["longdashdot"] = (5, 2, 1, 2)
_TEXT_PAD = 3  # px between a bar and the word beyond it


def line_style(
    line: PlainFigure, opacity: float = 1.0, default: str = "#444444", width: float = 2
) -> LineStyle:
    """Return the pen that a line of Plotly says."""
    wide = width if line.width is None else line.width
    return LineStyle(
        parse_color(line.color or default, opacity), wide, dash_lengths(line.dash, wide)
    )


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
    """Return one value per point."""
    if value is None or isinstance(value, str | int | float):
        return [default if value is None else value] * n
    return list(value)


def _shown(trace: PlainFigure) -> bool:
    return trace.visible in (None, True)


def draw_traces(scene: Scene, figure: FigureValues, frame: AxisGeometry) -> None:
    """Draw all traces: cells, then bars, then lines and points, as Plotly stacks them."""
    usual = figure.layout.template.layout.font
    for kind, draw in (("heatmap", _cells), ("bar", _bars), ("scatter", _scatter)):
        before: dict[tuple, list] = {}
        for trace in figure.data:
            if trace.type == kind and _shown(trace):
                x, y = frame.pair(trace.xaxis, trace.yaxis)
                clip = (
                    None
                    if trace.type != "heatmap" and trace.cliponaxis is False
                    else (panel_box(x, y))
                )
                draw(scene, trace, x, y, clip, Font(usual.size, usual.color, scene.serif), before)
    unknown = {trace.type for trace in figure.data} - {"heatmap", "bar", "scatter"}
    if unknown:
        raise ValueError(f"`figure` has traces that cannot be printed: {', '.join(unknown)}")


def _scatter(
    scene: Scene, trace: PlainFigure, x: Axis, y: Axis, clip: Box | None, font: Font, before: dict
) -> None:
    at = _points(trace, x, y)
    opacity = 1.0 if trace.opacity is None else trace.opacity
    mode = trace.mode or "lines"
    _fill(scene, trace, at, before.get((x.name, y.name)), clip, opacity)
    before[x.name, y.name] = at
    _errors(scene, trace, x, y, at, clip)
    if "lines" in mode:
        pen = line_style(trace.line, opacity)
        for run in _runs(at):
            scene.line(_stepped(run, trace.line.shape), pen, clip)
    if "markers" in mode:
        _markers(scene, trace, at, panel_box(x, y), clip, opacity)
    if "text" in mode:
        _texts(scene, trace, at, panel_box(x, y) if clip else None, font, opacity)


def _points(trace: PlainFigure, x: Axis, y: Axis) -> np.ndarray:
    xs = [] if trace.x is None else trace.x
    ys = [] if trace.y is None else trace.y
    return np.array([(x.px(a), y.px(b)) for a, b in zip(xs, ys, strict=False)]).reshape(-1, 2)


def _runs(at: np.ndarray) -> Iterator[np.ndarray]:
    """Yield stretches without a gap."""
    if not len(at):
        return
    whole = np.isfinite(at).all(axis=1)
    for run in np.split(np.arange(len(at)), np.flatnonzero(~whole)):
        run = run[whole[run]]
        if len(run) > 1:
            yield at[run]


def _stepped(run: np.ndarray, shape: str | None) -> np.ndarray:
    if shape in (None, "linear"):
        return run
    if shape != "hv":
        raise ValueError(f"`shape` must be linear or hv; got {shape!r}")
    steps = np.repeat(run, 2, axis=0)
    steps[1::2, 0] = np.append(run[1:, 0], run[-1, 0])
    return steps[:-1]


def _fill(
    scene: Scene,
    trace: PlainFigure,
    at: np.ndarray,
    before: np.ndarray | None,
    clip: Box | None,
    opacity: float,
) -> None:
    if trace.fill in (None, "none"):
        return
    if trace.fill not in ("toself", "tonexty"):
        raise ValueError(f"`fill` must be toself or tonexty; got {trace.fill!r}")
    colour = parse_color(trace.fillcolor, opacity)
    whole = at[np.isfinite(at).all(axis=1)]
    if trace.fill == "tonexty" and before is not None:
        whole = np.concatenate([whole, before[np.isfinite(before).all(axis=1)][::-1]])
        scene.parts.append(Shape((whole,), True, colour, clip=clip))
    elif trace.fill == "toself":
        scene.parts.append(Shape(tuple(_runs(at)), True, colour, clip=clip))


def _errors(
    scene: Scene, trace: PlainFigure, x: Axis, y: Axis, at: np.ndarray, clip: Box | None
) -> None:
    for said, axis in ((trace.error_x, x), (trace.error_y, y)):
        if said.array is None or said.visible is False:
            continue
        pen = LineStyle(parse_color(said.color), 2 if said.thickness is None else said.thickness)
        values = trace.x if axis.across else trace.y
        minus = said.array if said.arrayminus is None else said.arrayminus
        for (px, py), value, up, down in zip(at, values, said.array, minus, strict=False):
            ends = [axis.px(value + up), axis.px(value - down)]
            cap = [-said.width, said.width]
            lines = [
                [(px, ends[0]), (px, ends[1])],
                *([(px + c, end) for c in cap] for end in ends),
            ]
            if axis.across:
                lines = [
                    [(ends[0], py), (ends[1], py)],
                    *([(end, py + c) for c in cap] for end in ends),
                ]
            for line in lines:
                scene.line(line, pen, clip)


@lru_cache(maxsize=256)
def _symbol(symbol: str, radius: float, angle: float) -> tuple[np.ndarray, ...]:
    return symbol_outline(symbol, radius, angle)


def _outside(panel: Box, x: float, y: float) -> bool:
    """Tell whether a place lies beyond a panel."""
    left, top, right, bottom = panel
    return x < left - 1 or x > right + 1 or y < top - 1 or y > bottom + 1


def _markers(
    scene: Scene, trace: PlainFigure, at: np.ndarray, panel: Box, clip: Box | None, opacity: float
) -> None:
    marker, n = trace.marker, len(at)
    looks = zip(
        at,
        _each(marker.symbol, n, "circle"),
        _each(marker.size, n, 6),
        _each(marker.color, n, "#444444"),
        _each(marker.line.color, n, "#444444"),
        _each(marker.line.width, n, 0),
        _each(marker.opacity, n, 1.0),
        _each(marker.angle, n, 0.0),
        strict=False,
    )
    for (x, y), symbol, size, fill, edge, wide, share, angle in looks:
        if not math.isfinite(x + y) or not size or (clip and _outside(panel, x, y)):
            continue
        draw_mark(
            scene,
            (x, y),
            symbol,
            size / 2,
            parse_color(fill, opacity * share),
            LineStyle(parse_color(edge, opacity * share), wide),
            angle,
        )


def draw_mark(
    scene: Scene,
    at: tuple[float, float],
    symbol: str,
    radius: float,
    fill: Colour,
    pen: LineStyle,
    angle: float = 0.0,
) -> None:
    """Draw one symbol at a place, turned clockwise; nothing where it could not be seen."""
    kind = symbol.removesuffix("-open")
    if kind != symbol:
        fill, pen = CLEAR, LineStyle(fill, pen.width or 1)
    drawn = pen if pen.seen else None
    if not fill[3] and drawn is None:
        return
    if kind == "circle":
        scene.parts.append(Disc(*at, radius, fill, drawn))
        return
    rings = tuple(ring + np.array(at) for ring in _symbol(kind, radius, angle))
    closed = not is_line(kind)
    scene.parts.append(Shape(rings, closed, fill if closed else CLEAR, drawn))


def _texts(
    scene: Scene, trace: PlainFigure, at: np.ndarray, panel: Box | None, font: Font, opacity: float
) -> None:
    n, said = len(at), trace.textfont
    marker = trace.marker.size if "markers" in trace.mode else 0
    looks = zip(
        at,
        _each(trace.text, n, ""),
        _each(trace.textposition, n, "middle center"),
        _each(said.size, n, font.size),
        _each(said.color, n, font.colour),
        _each(marker, n, 6),
        strict=False,
    )
    for (x, y), words, place, size, colour, wide in looks:
        if not words or not math.isfinite(x + y) or (panel and _outside(panel, x, y)):
            continue
        made = layout_markup(words, Font(size, colour, font.serif))
        reach = wide / 2 / 0.8 + 1 if wide else 0
        up = -1 if "top" in place else 1 if "bottom" in place else 0
        side = -1 if "left" in place else 1 if "right" in place else 0
        lines = (len(made.lines) - 1) * LINE + 1
        down = 0.75 * size + up * reach + (up - 1) * lines * size / 2
        anchor = {-1: "end", 1: "start", 0: "middle"}[side]
        set_block(scene, made, x + side * reach, y + down, anchor, opacity=opacity)


def _bars(
    scene: Scene, trace: PlainFigure, x: Axis, y: Axis, clip: Box | None, font: Font, before: dict
) -> None:
    flat = trace.orientation == "h"
    along, across = (x, y) if flat else (y, x)
    values, places = (trace.x, trace.y) if flat else (trace.y, trace.x)
    n, line = len(values), trace.marker.line
    opacity = 1.0 if trace.opacity is None else trace.opacity
    looks = zip(
        places,
        values,
        _each(trace.base, n, 0),
        _each(trace.width, n, 0.8),
        _each(trace.marker.color, n, "#444444"),
        _each(line.color, n, "#444444"),
        _each(line.width, n, 0),
        _each(trace.text, n, ""),
        strict=False,
    )
    for place, value, base, wide, fill, edge, pen_width, words in looks:
        if value is None or not math.isfinite(value):
            continue
        sides = sorted((across.px(place - wide / 2), across.px(place + wide / 2)))
        begin, end = along.px(base or 0), along.px((base or 0) + value)
        ends = sorted((begin, end))
        box = (
            (ends[0], sides[0], ends[1], sides[1])
            if flat
            else ((sides[0], ends[0], sides[1], ends[1]))
        )
        pen = LineStyle(parse_color(edge, opacity), pen_width)
        pattern = trace.marker.pattern
        paint = pattern.bgcolor if pattern.shape else fill
        if box[0] != box[2] and box[1] != box[3]:
            scene.box(box, parse_color(paint, opacity), None, clip)
            if pattern.shape:
                _hatch(scene, box, pattern, opacity)
            if pen.seen:
                scene.box(box, CLEAR, pen, clip)
        if words:
            said = Font(
                trace.textfont.size or font.size, trace.textfont.color or font.colour, font.serif
            )
            _beyond(scene, box, flat, end >= begin, layout_markup(words, said))


def _hatch(scene: Scene, box: Box, pattern: PlainFigure, opacity: float) -> None:
    """Draw slanted lines over a box."""
    step = pattern.size * math.sqrt(2)
    pen = LineStyle(parse_color(pattern.fgcolor, opacity), pattern.solidity * pattern.size)
    left, top, right, bottom = box
    first = math.floor((left + top) / step)
    for i in range(first, math.ceil((right + bottom) / step) + 1):
        x = i * step
        scene.line([(x - bottom, bottom), (x - top, top)], pen, box)


def _beyond(scene: Scene, box: Box, flat: bool, onwards: bool, made: object) -> None:
    """Write a word beyond the end of a bar."""
    left, top, right, bottom = box
    if flat:
        pad = _TEXT_PAD if bottom - top > 2 * _TEXT_PAD else 0
        x = right + pad + made.width / 2 if onwards else left - pad - made.width / 2
        y = (top + bottom) / 2
    else:
        pad = _TEXT_PAD if right - left > 2 * _TEXT_PAD else 0
        x = (left + right) / 2
        y = bottom + pad + made.height / 2 if onwards else top - pad - made.height / 2
    set_block(scene, made, x, y - made.height / 2 + made.ascent, "middle")


def _cells(
    scene: Scene, trace: PlainFigure, x: Axis, y: Axis, clip: Box | None, font: Font, before: dict
) -> None:
    """Draw the cells of a grid of equal steps; one without a number stays empty."""
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
    at = [float(value) for value in middles]
    if len(at) == 1:
        return [at[0] - 0.5, at[0] + 0.5]
    inner = [(a + b) / 2 for a, b in zip(at, at[1:], strict=False)]
    return [2 * at[0] - inner[0], *inner, 2 * at[-1] - inner[-1]]


def _between(scale: list[tuple[float, Colour]], share: float) -> Colour:
    share = min(max(share, 0.0), 1.0)
    for (low, below), (high, above) in zip(scale, scale[1:], strict=False):
        if share <= high:
            part = (share - low) / (high - low) if high > low else 0.0
            return tuple(a + part * (b - a) for a, b in zip(below, above, strict=True))
    return scale[-1][1]
