"""The elements of a printed figure: lines, areas, discs and text at positions in pixels."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

#: Red, green, blue and opacity from 0 to 1.
Colour = tuple[float, float, float, float]
#: Left, top, right and bottom in px.
Box = tuple[float, float, float, float]
CLEAR: Colour = (0.0, 0.0, 0.0, 0.0)
_NUMBER = re.compile(r"[\d.]+")


@dataclass(frozen=True, slots=True)
class LineStyle:
    """Style of a line: colour, width in px, lengths of dashes and gaps in px."""

    colour: Colour
    width: float
    dashes: tuple[float, ...] = ()

    @property
    def seen(self) -> bool:
        """Whether the line is visible."""
        return self.width > 0 and self.colour[3] > 0


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Closed or open paths that are filled, stroked, or both.

    Attributes
    ----------
    rings : tuple of ndarray, each points x 2
        In px from the left and the top.
    closed : bool
        Whether the paths are closed.
    fill : Colour
    pen : LineStyle or None
    clip : Box or None
        Parts outside it are not drawn.
    """

    rings: tuple[np.ndarray, ...]
    closed: bool
    fill: Colour = CLEAR
    pen: LineStyle | None = None
    clip: Box | None = None


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle."""

    x: float
    y: float
    radius: float
    fill: Colour = CLEAR
    pen: LineStyle | None = None
    clip: Box | None = None


@dataclass(frozen=True, slots=True)
class SceneText:
    """A line of text in a single font.

    Attributes
    ----------
    text : str
    x, y : float
        Start of its baseline, in px from the left and the top.
    width, size : float
        Its measured length and its font size, in px.
    colour : Colour
    bold : bool
    angle : float
        Clockwise rotation in degrees around (x, y).
    share : float
        Position along its length that stays fixed if another font is used: 0 for the start,
        0.5 for the middle, 1 for the end.
    """

    text: str
    x: float
    y: float
    width: float
    size: float
    colour: Colour
    bold: bool = False
    angle: float = 0.0
    share: float = 0.0


@dataclass(slots=True)
class Scene:
    """The elements of a printed figure, from back to front.

    Attributes
    ----------
    width, height : float
        In px, 96 to the inch.
    serif : bool
        Whether its text is set in a serif font.
    parts : list
    """

    width: float
    height: float
    serif: bool
    parts: list[Shape | Disc | SceneText] = field(default_factory=list)

    def line(self, points: object, pen: LineStyle, clip: Box | None = None) -> None:
        """Add a line through points unless it is invisible."""
        if pen.seen:
            self.parts.append(Shape((np.asarray(points, float),), False, pen=pen, clip=clip))

    def box(self, box: Box, fill: Colour, pen: LineStyle | None = None, clip: Box | None = None) -> None:
        """Add a rectangle."""
        left, top, right, bottom = box
        ring = np.array([(left, top), (right, top), (right, bottom), (left, bottom)], float)
        self.parts.append(Shape((ring,), True, fill, pen, clip))


def parse_color(name: object, opacity: float = 1.0) -> Colour:
    """Return the RGBA tuple of a Plotly colour: "#1F2937", "rgb(1,2,3)" or "rgba(1,2,3,0.5)".

    Examples
    --------
    >>> parse_color("rgba(255,0,0,0.5)", 0.5)
    (1.0, 0.0, 0.0, 0.25)
    """
    text = str(name)
    if text.startswith("#") and len(text) == 7:
        red, green, blue = (int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return red, green, blue, opacity
    numbers = [float(number) for number in _NUMBER.findall(text)]
    if text.startswith("rgb") and len(numbers) in (3, 4):
        share = numbers[3] if len(numbers) == 4 else 1.0
        return numbers[0] / 255, numbers[1] / 255, numbers[2] / 255, share * opacity
    raise ValueError(f"`name` must be a colour such as #1F2937 or rgba(0,0,0,0.5); got {name!r}")
