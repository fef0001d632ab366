"""Titles, annotations, shapes and the legend of a printed figure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from foldwise.rendering.draw_axes import Axis, AxisGeometry, panel_box
from foldwise.rendering.markup import LINE, Font, TextBlock, layout_markup, set_block
from foldwise.rendering.plain_figure import FigureValues, PlainFigure
from foldwise.rendering.scene import CLEAR, Box, LineStyle, Scene, parse_color
from foldwise.rendering.trace_shapes import dash_lengths, draw_mark, line_style


def _place(frame: AxisGeometry, reference: str, value: float, horizontal: bool) -> float:
    """Return the px of a coordinate given on an axis, an axis domain, or the plot area."""
    if reference == "paper":
        left, top, right, bottom = frame.box
        return left + value * (right - left) if horizontal else bottom - value * (bottom - top)
    name, _, domain = reference.partition(" ")
    axis = frame.axes[name]
    return axis.share(value) if domain else axis.px(value)


def draw_shapes(scene: Scene, figure: FigureValues, frame: AxisGeometry, layer: str) -> None:
    """Draw the lines and rectangles of a layer, "below" or "above"."""
    for shape in figure.layout.shapes:
        if (shape.layer or "above") != layer or shape.visible is False:
            continue
        x0, x1 = _ends(frame, shape, "x")
        y0, y1 = _ends(frame, shape, "y")
        pen = line_style(shape.line, 1.0 if shape.opacity is None else shape.opacity)
        clip = _clip(frame, shape)
        if shape.type == "line":
            scene.line([(x0, y0), (x1, y1)], pen, clip)
        elif shape.type == "rect":
            fill = CLEAR if shape.fillcolor is None else parse_color(shape.fillcolor)
            box = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
            scene.box(box, fill, pen if pen.seen else None, clip)
        else:
            raise ValueError(f"`figure` has a shape that cannot be printed: {shape.type}")


def _ends(frame: AxisGeometry, shape: PlainFigure, letter: str) -> tuple[float, float]:
    reference = shape[f"{letter}ref"] or letter
    values = shape[f"{letter}0"], shape[f"{letter}1"]
    horizontal = letter == "x"
    if shape[f"{letter}sizemode"] == "pixel":
        base = _place(frame, reference, shape[f"{letter}anchor"], horizontal)
        return tuple(base + (value if horizontal else -value) for value in values)
    return tuple(_place(frame, reference, value, horizontal) for value in values)


def _clip(frame: AxisGeometry, shape: PlainFigure) -> Box | None:
    """Return the panel that clips a shape, None if it does not refer to two axes."""
    names = [shape.xref or "x", shape.yref or "y"]
    if not all(name in frame.axes for name in names):
        return None
    return panel_box(*(frame.axes[name] for name in names))


def draw_annotations(scene: Scene, figure: FigureValues, frame: AxisGeometry) -> None:
    """Draw the annotations with their backgrounds and arrows."""
    template = figure.layout.template.layout
    default_font, defaults = template.font, template.annotationdefaults
    for note in figure.layout.annotations:
        if note.visible is False or not str(note.text or "") or _off(frame, note):
            continue
        font = Font(note.font.size or default_font.size, note.font.color or default_font.color, scene.serif)
        arrow = note.showarrow if note.showarrow is not None else defaults.showarrow
        pad = _first(note.borderpad, defaults.borderpad, 1) + _first(note.borderwidth, defaults.borderwidth, 1)
        _draw_note(scene, frame, note, layout_markup(note.text, font), bool(arrow), pad)


def _first(*values: object) -> float:
    return next(value for value in values if value is not None)


def _off(frame: AxisGeometry, note: PlainFigure) -> bool:
    """Return whether an annotation lies at a value outside its axis."""
    for reference, value in ((note.xref or "x", note.x), (note.yref or "y", note.y)):
        axis: Axis | None = frame.axes.get(reference)
        if axis is not None and not axis.within(value):
            return True
    return False


def _draw_note(scene: Scene, frame: AxisGeometry, note: PlainFigure, block: TextBlock, arrow: bool, pad: float) -> None:
    width, height = block.width + 2 * pad, block.height + 2 * pad
    angle = note.textangle or 0
    radians = math.radians(angle)
    shift = (note.xshift or 0, -(note.yshift or 0))
    head = [_place(frame, note.xref or "x", note.x, True), _place(frame, note.yref or "y", note.y, False)]
    tail = list(head)
    if arrow:
        tail = [head[0] + (note.ax or 0), head[1] + (note.ay or 0)]
        sizes = [(width * math.cos(radians), height * math.sin(radians))]
        sizes.append((width * math.cos(radians - math.pi / 2), height * math.sin(radians - math.pi / 2)))
        fractions = _fraction(note.xanchor, 0.5, True), _fraction(note.yanchor, 0.5, False)
        offsets = [a * fractions[0] - b * fractions[1] for a, b in sizes]
    else:
        spans = [
            abs(width * math.cos(radians)) + abs(height * math.sin(radians)),
            abs(width * math.sin(radians)) + abs(height * math.cos(radians)),
        ]
        fractions = (
            _fraction(note.xanchor, _auto(note.xref, note.x), True),
            _fraction(note.yanchor, _auto(note.yref, 1 - note.y), False),
        )
        offsets = [span * fraction for span, fraction in zip(spans, fractions, strict=True)]
    middle = [tail[i] + offsets[i] + shift[i] for i in (0, 1)]
    if arrow:
        _arrow(scene, note, [tail[i] + shift[i] for i in (0, 1)], [head[i] + shift[i] for i in (0, 1)])
    left, top = middle[0] - width / 2, middle[1] - height / 2
    pen = LineStyle(parse_color(note.bordercolor or "rgba(0,0,0,0)"), note.borderwidth or 0)
    fill = parse_color(note.bgcolor) if note.bgcolor else CLEAR
    if pen.seen or fill[3]:
        inset = pen.width / 2
        box = (left + inset, top + inset, left + width - inset, top + height - inset)
        scene.box(box, fill, pen if pen.seen else None)
    align = {"left": "start", "right": "end"}.get(note.align, "middle")
    x = left + pad + {"start": 0, "middle": 0.5, "end": 1}[align] * block.width
    rotation = (angle, *middle) if angle else None
    opacity = 1.0 if note.opacity is None else note.opacity
    set_block(scene, block, x, top + pad + block.ascent, align, turn=rotation, opacity=opacity)


def _auto(reference: str | None, share: float) -> float:
    """Return the position in the plot area that decides an automatic anchor."""
    return share if reference and ("paper" in reference or "domain" in reference) else 0.5


def _fraction(anchor: str | None, share: float, horizontal: bool) -> float:
    """Return the offset from anchor to centre as a fraction of the size of the text."""
    if anchor in (None, "auto"):
        low, high = ("left", "right") if horizontal else ("top", "bottom")
        anchor = low if share < 1 / 3 else high if share > 2 / 3 else "middle"
    return {"left": 0.5, "right": -0.5, "top": 0.5, "bottom": -0.5}.get(anchor, 0.0)


def _arrow(scene: Scene, note: PlainFigure, tail: list[float], head: list[float]) -> None:
    """Draw the shaft of an arrow; arrowheads are not supported."""
    if note.arrowhead not in (None, 0):
        raise ValueError("`figure` has an arrow with a head, which cannot be printed")
    pen = LineStyle(parse_color(note.arrowcolor or "#444444"), note.arrowwidth or 1)
    start, end = np.array(tail), np.array(head)
    length = float(np.hypot(*(end - start)))
    if length <= (note.standoff or 0) + (note.startstandoff or 0):
        return
    unit = (end - start) / length
    begin = start + unit * (note.startstandoff or 0)
    scene.line([begin, end - unit * (note.standoff or 0)], pen)


def draw_title(scene: Scene, figure: FigureValues) -> None:
    """Draw the title above a figure, left-aligned."""
    title, default_font = figure.layout.title, figure.layout.template.layout.font
    if not title.text:
        return
    font = Font(title.font.size or default_font.size, title.font.color or default_font.color, scene.serif)
    block = layout_markup(title.text, font)
    set_block(scene, block, title.pad.l or 0, (title.pad.t or 0) + 0.7 * font.size, "start")


_TO_WORDS, _GAP, _SWATCH = 40.0, 5.0, (5.0, 35.0)  # px


@dataclass(frozen=True, slots=True)
class PrintedLegend:
    """Traces with their names, laid out in rows.

    Attributes
    ----------
    items : tuple of (trace, TextBlock)
    font : Font
    left, room : float
        Start and length of the rows in px.
    """

    items: tuple[tuple[object, TextBlock], ...]
    font: Font
    left: float
    room: float

    @property
    def row(self) -> float:
        """Height of a row in px."""
        return max(LINE * self.font.size, 16) + 3

    def places(self) -> Iterator[tuple[object, TextBlock, float, float]]:
        """Yield trace, name, left edge and vertical centre of each item."""
        widths = [block.width + _TO_WORDS for _, block in self.items]
        if sum(widths) + _GAP * (len(widths) - 1) > self.room:
            widths = [max(widths)] * len(widths)
        x, row = 0.0, 0
        for (trace, block), item_width in zip(self.items, widths, strict=True):
            if x and x + item_width > self.room:
                x, row = 0.0, row + 1
            yield trace, block, self.left + x, _GAP + (row + 0.5) * self.row
            x += item_width + _GAP

    @property
    def height(self) -> float:
        """Height of all rows with their padding, in px; 0 without items."""
        lowest = max((middle for *_, middle in self.places()), default=None)
        return 0.0 if lowest is None else lowest + self.row / 2 + _GAP


def printed_legend(figure: FigureValues, serif: bool) -> PrintedLegend:
    """Return the legend of a figure, without items if the figure hides it."""
    layout, default_font = figure.layout, figure.layout.template.layout.font
    legend_font = layout.legend.font
    font = Font(legend_font.size or default_font.size, legend_font.color or default_font.color, serif)
    items = tuple(
        (trace, layout_markup(trace.name, font))
        for trace in figure.data
        if layout.showlegend and trace.showlegend is not False and trace.visible in (None, True)
    )
    left = layout.margin.l or 0
    return PrintedLegend(items, font, left, layout.width - left - (layout.margin.r or 0))


def draw_key(scene: Scene, key: PrintedLegend) -> None:
    """Draw swatch and name of every legend item."""
    for trace, block, x, middle in key.places():
        _swatch(scene, trace, x, middle)
        set_block(scene, block, x + _TO_WORDS, middle + 0.3 * LINE * key.font.size, "start")


def _swatch(scene: Scene, trace: PlainFigure, x: float, y: float) -> None:
    """Draw a sample of the line and the marker of a trace."""
    middle = (x + sum(_SWATCH) / 2, y)
    if trace.type == "bar":
        line, pattern = trace.marker.line, trace.marker.pattern
        box = (middle[0] - 6, y - 6, middle[0] + 6, y + 6)
        paint = pattern.bgcolor if pattern.shape else trace.marker.color
        scene.box(box, parse_color(paint), LineStyle(parse_color(line.color or "#444444"), line.width or 0))
        return
    if "lines" in (trace.mode or "lines"):
        line_width = min(trace.line.width or 2, 10)
        pen = LineStyle(parse_color(trace.line.color), line_width, dash_lengths(trace.line.dash, line_width))
        scene.line([(x + _SWATCH[0], y), (x + _SWATCH[1], y)], pen)
    if "markers" in (trace.mode or ""):
        marker = trace.marker
        pen = LineStyle(parse_color(marker.line.color or "#444444"), marker.line.width or 0)
        radius = min(max(marker.size or 6, 2), 16) / 2
        draw_mark(scene, middle, marker.symbol or "circle", radius, parse_color(marker.color), pen)
