"""The key of a figure as it is printed: line, mark and name of every trace, in rows on top."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from foldwise.figures.printing.markup import LINE, Block, Font, block, set_block
from foldwise.figures.printing.said import Said, SaidFigure
from foldwise.figures.printing.scene import Pen, Scene, colour_of
from foldwise.figures.printing.traces import dashes, draw_mark

_TO_WORDS, _GAP, _SWATCH = 40.0, 5.0, (5.0, 35.0)  # px


@dataclass(frozen=True, slots=True)
class Key:
    """Traces with their names, laid out in rows.

    Attributes
    ----------
    items : tuple of (trace, Block)
    font : Font
    left, room : float
        px where rows begin, and their length.
    """

    items: tuple[tuple[object, Block], ...]
    font: Font
    left: float
    room: float

    @property
    def row(self) -> float:
        """Height of a row in px."""
        return max(LINE * self.font.size, 16) + 3

    def places(self) -> Iterator[tuple[object, Block, float, float]]:
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


def key_of(figure: SaidFigure, serif: bool) -> Key:
    """Return the key that a figure asks for; without items if it asks for none."""
    layout, usual = figure.layout, figure.layout.template.layout.font
    said = layout.legend.font
    font = Font(said.size or usual.size, said.color or usual.color, serif)
    items = tuple(
        (trace, block(trace.name, font))
        for trace in figure.data
        if layout.showlegend and trace.showlegend is not False and trace.visible in (None, True)
    )
    left = layout.margin.l or 0
    return Key(items, font, left, layout.width - left - (layout.margin.r or 0))


def draw_key(scene: Scene, key: Key) -> None:
    """Draw swatch and name of every item."""
    for trace, made, x, middle in key.places():
        _swatch(scene, trace, x, middle)
        set_block(scene, made, x + _TO_WORDS, middle + 0.3 * LINE * key.font.size, "start")


def _swatch(scene: Scene, trace: Said, x: float, y: float) -> None:
    """Draw the line and the mark of a trace."""
    middle = (x + sum(_SWATCH) / 2, y)
    if trace.type == "bar":
        line, pattern = trace.marker.line, trace.marker.pattern
        box = (middle[0] - 6, y - 6, middle[0] + 6, y + 6)
        paint = pattern.bgcolor if pattern.shape else trace.marker.color
        scene.box(box, colour_of(paint), Pen(colour_of(line.color or "#444444"), line.width or 0))
        return
    if "lines" in (trace.mode or "lines"):
        wide = min(trace.line.width or 2, 10)
        pen = Pen(colour_of(trace.line.color), wide, dashes(trace.line.dash, wide))
        scene.line([(x + _SWATCH[0], y), (x + _SWATCH[1], y)], pen)
    if "markers" in (trace.mode or ""):
        marker = trace.marker
        pen = Pen(colour_of(marker.line.color or "#444444"), marker.line.width or 0)
        radius = min(max(marker.size or 6, 2), 16) / 2
        draw_mark(scene, middle, marker.symbol or "circle", radius, colour_of(marker.color), pen)
