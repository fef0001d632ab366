"""The key of a figure as it is printed: line, mark and name of every trace, in rows on top."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from foldwise.rendering.markup import LINE, Font, TextBlock, layout_markup, set_block
from foldwise.rendering.plain_figure import FigureValues, PlainFigure
from foldwise.rendering.scene import LineStyle, Scene, parse_color
from foldwise.rendering.trace_shapes import dash_lengths, draw_mark

_TO_WORDS, _GAP, _SWATCH = 40.0, 5.0, (5.0, 35.0)  # px


@dataclass(frozen=True, slots=True)
class PrintedLegend:
    """Traces with their names, laid out in rows.

    Attributes
    ----------
    items : tuple of (trace, Block)
    font : Font
    left, room : float
        px where rows begin, and their length.
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
        """Yield trace, name, left and middle of each item."""
        widths = [made.width + _TO_WORDS for _, made in self.items]
        if sum(widths) + _GAP * (len(widths) - 1) > self.room:
            widths = [max(widths)] * len(widths)
        x, row = 0.0, 0
        for (trace, made), wide in zip(self.items, widths, strict=True):
            if x and x + wide > self.room:
                x, row = 0.0, row + 1
            yield trace, made, self.left + x, _GAP + (row + 0.5) * self.row
            x += wide + _GAP

    @property
    def height(self) -> float:
        """Height of all rows with the space around them, in px; 0 without one."""
        lowest = max((middle for *_, middle in self.places()), default=None)
        return 0.0 if lowest is None else lowest + self.row / 2 + _GAP


def printed_legend(figure: FigureValues, serif: bool) -> PrintedLegend:
    """Return the key that a figure asks for; without items if it asks for none."""
    layout, usual = figure.layout, figure.layout.template.layout.font
    said = layout.legend.font
    font = Font(said.size or usual.size, said.color or usual.color, serif)
    items = tuple(
        (trace, layout_markup(trace.name, font))
        for trace in figure.data
        if layout.showlegend and trace.showlegend is not False and trace.visible in (None, True)
    )
    left = layout.margin.l or 0
    return PrintedLegend(items, font, left, layout.width - left - (layout.margin.r or 0))


def draw_key(scene: Scene, key: PrintedLegend) -> None:
    """Draw swatch and name of every item."""
    for trace, made, x, middle in key.places():
        _swatch(scene, trace, x, middle)
        set_block(scene, made, x + _TO_WORDS, middle + 0.3 * LINE * key.font.size, "start")


def _swatch(scene: Scene, trace: PlainFigure, x: float, y: float) -> None:
    """Draw the line and the mark of a trace."""
    middle = (x + sum(_SWATCH) / 2, y)
    if trace.type == "bar":
        line, pattern = trace.marker.line, trace.marker.pattern
        box = (middle[0] - 6, y - 6, middle[0] + 6, y + 6)
        paint = pattern.bgcolor if pattern.shape else trace.marker.color
        scene.box(
            box,
            parse_color(paint),
            LineStyle(parse_color(line.color or "#444444"), line.width or 0),
        )
        return
    if "lines" in (trace.mode or "lines"):
        wide = min(trace.line.width or 2, 10)
        pen = LineStyle(parse_color(trace.line.color), wide, dash_lengths(trace.line.dash, wide))
        scene.line([(x + _SWATCH[0], y), (x + _SWATCH[1], y)], pen)
    if "markers" in (trace.mode or ""):
        marker = trace.marker
        pen = LineStyle(parse_color(marker.line.color or "#444444"), marker.line.width or 0)
        radius = min(max(marker.size or 6, 2), 16) / 2
        draw_mark(scene, middle, marker.symbol or "circle", radius, parse_color(marker.color), pen)
