"""The legend of a printed figure, in rows above the plot."""

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
    font = Font(
        legend_font.size or default_font.size, legend_font.color or default_font.color, serif
    )
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
        scene.box(
            box,
            parse_color(paint),
            LineStyle(parse_color(line.color or "#444444"), line.width or 0),
        )
        return
    if "lines" in (trace.mode or "lines"):
        line_width = min(trace.line.width or 2, 10)
        pen = LineStyle(
            parse_color(trace.line.color), line_width, dash_lengths(trace.line.dash, line_width)
        )
        scene.line([(x + _SWATCH[0], y), (x + _SWATCH[1], y)], pen)
    if "markers" in (trace.mode or ""):
        marker = trace.marker
        pen = LineStyle(parse_color(marker.line.color or "#444444"), marker.line.width or 0)
        radius = min(max(marker.size or 6, 2), 16) / 2
        draw_mark(scene, middle, marker.symbol or "circle", radius, parse_color(marker.color), pen)
