"""Elements of a printed figure: lines, areas, discs and text at positions in px."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import cycle
from math import cos, pi, sin, sqrt

import numpy as np

from foldwise.figures import text
from stats_core.core.messages import TextCatalog
from stats_core.core.validation import check_one_of

rendering_text = TextCatalog("foldwise.rendering", "texts.toml")
#: Red, green, blue and opacity from 0 to 1.
Colour = tuple[float, float, float, float]
#: Left, top, right and bottom in px.
Box = tuple[float, float, float, float]
CLEAR: Colour = (0.0, 0.0, 0.0, 0.0)
Ring = list[tuple[float, float]]
LINE = 1.3  # line spacing, in font sizes
_NUMBER = re.compile(r"[\d.]+")
_TOKEN = re.compile(r"<[^<>]*>|[^<]+|<")
_SIZE, _COLOUR = (
    re.compile(r"font-size:\s*([\d.]+)px"),
    re.compile(r"(?<![-\w])color:\s*([^;\"']+)"),
)
_SMALL = {"sub": (0.7, 0.3), "sup": (0.7, -0.6)}  # relative size, and downward shift in font sizes


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
class ScenePath:
    """Closed or open paths that are filled, stroked, or both.

    Attributes
    ----------
    rings : tuple of ndarray, each points x 2
        Points in px from the left and the top of the figure.
    closed : bool
        Whether the paths are closed.
    fill : Colour
        Colour of the inside.
    pen : LineStyle or None
        Style of the outline; None for none.
    clip : Box or None
        Parts outside it are not drawn; None draws all.
    """

    rings: tuple[np.ndarray, ...]
    closed: bool
    fill: Colour = CLEAR
    pen: LineStyle | None = None
    clip: Box | None = None


@dataclass(frozen=True, slots=True)
class Disc:
    """Filled or stroked circle."""

    x: float
    y: float
    radius: float
    fill: Colour = CLEAR
    pen: LineStyle | None = None
    clip: Box | None = None


@dataclass(frozen=True, slots=True)
class SceneText:
    """Line of text in one font.

    Attributes
    ----------
    text : str
        The text, without markup.
    x, y : float
        Start of its baseline, in px from the left and the top.
    width, size : float
        Measured length of the text and its font size, in px.
    colour : Colour
        Colour of the text.
    bold : bool
        Whether the text is bold.
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


@dataclass(frozen=True, slots=True)
class Font:
    """Size, colour, family, weight and baseline shift of text."""

    size: float
    colour: str
    serif: bool
    bold: bool = False
    down: float = 0.0

    def width(self, words: str) -> float:
        """Return the length of words in px."""
        return text.text_width(words, self.size, self.serif, self.bold)


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Lines of text, each split into runs of one font.

    Attributes
    ----------
    lines : tuple of tuple of (str, Font)
        Text and font of each run, by line.
    font : Font
        Font of the text outside any tag.
    """

    lines: tuple[tuple[tuple[str, Font], ...], ...]
    font: Font

    @property
    def widths(self) -> tuple[float, ...]:
        """Length of each line in px."""
        return tuple(sum(font.width(words) for words, font in line) for line in self.lines)

    @property
    def width(self) -> float:
        """Length of the longest line in px."""
        return max(self.widths, default=0.0)

    @property
    def ascent(self) -> float:
        """Height above the first baseline, in px."""
        return text.text_extent(self.font.size, self.font.serif)[0]

    @property
    def height(self) -> float:
        """Height from the top of the first line to the bottom of the last, in px."""
        descent = text.text_extent(self.font.size, self.font.serif)[1]
        return self.ascent + descent + LINE * self.font.size * (len(self.lines) - 1)


def layout_markup(words: object, font: Font) -> TextBlock:
    """Return text with Plotly markup as lines and runs of one font.

    Examples
    --------
    >>> made = layout_markup("a<br><b>b</b> &lt; c", Font(10, "#000000", serif=True))
    >>> [[(words, font.bold) for words, font in line] for line in made.lines]
    [[('a', False)], [('b', True), (' < c', False)]]
    """
    lines: list[list[tuple[str, Font]]] = [[]]
    stack = [font]
    for token in _TOKEN.findall(str(words)):
        tag = token.strip("<>/ ").split(" ")[0].lower() if token.startswith("<") else ""
        if tag == "br":
            lines.append([])
        elif token.startswith("</") and len(stack) > 1:
            stack.pop()
        elif tag:
            stack.append(_within(stack[-1], tag, token))
        else:
            lines[-1].append((html.unescape(token), stack[-1]))
    return TextBlock(tuple(map(tuple, lines)), font)


def _within(font: Font, tag: str, token: str) -> Font:
    """Return the font within a tag: bold, sub- or superscript, or of the size and colour that the tag states."""
    if tag == "b":
        return replace(font, bold=True)
    if tag in _SMALL:
        share, down = _SMALL[tag]
        return replace(font, size=share * font.size, down=font.down + down * share * font.size)
    size = _SIZE.search(token)
    colour = _COLOUR.search(token)
    return replace(
        font,
        size=float(size[1]) if size else font.size,
        colour=colour[1].strip() if colour else font.colour,
    )


@dataclass(slots=True)
class Scene:
    """Elements of a printed figure, from back to front.

    Attributes
    ----------
    width, height : float
        Size in px, 96 to the inch.
    serif : bool
        Whether its text is set in a serif font.
    parts : list
        The elements, from back to front.
    """

    width: float
    height: float
    serif: bool
    parts: list[ScenePath | Disc | SceneText] = field(default_factory=list)

    def line(self, points: object, pen: LineStyle, clip: Box | None = None) -> None:
        """Add a line through points, unless it is invisible."""
        if pen.seen:
            self.parts.append(ScenePath((np.asarray(points, float),), False, pen=pen, clip=clip))

    def box(
        self, box: Box, fill: Colour, pen: LineStyle | None = None, clip: Box | None = None
    ) -> None:
        """Add a rectangle."""
        left, top, right, bottom = box
        ring = np.array([(left, top), (right, top), (right, bottom), (left, bottom)], float)
        self.parts.append(ScenePath((ring,), True, fill, pen, clip))

    def write(
        self,
        block: TextBlock,
        x: float,
        baseline: float,
        anchor: str,
        *,
        opacity: float = 1.0,
        turn: tuple[float, float, float] | None = None,
    ) -> None:
        """Add a text block at its anchor; `turn` is the clockwise angle in degrees, and x and y of the centre."""
        share = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        for row, (line, line_width) in enumerate(zip(block.lines, block.widths, strict=True)):
            x_start = x - share * line_width
            y = baseline + row * LINE * block.font.size
            for words, font in line:
                start = (x_start, y + font.down)
                angle = 0.0
                if turn is not None:
                    angle = turn[0]
                    start = text.rotate_point(start, *turn)
                length = font.width(words)
                if words.strip():
                    colour = parse_color(font.colour, opacity)
                    fixed_share = share if len(line) == 1 else 0.0
                    self.parts.append(
                        SceneText(
                            words, *start, length, font.size, colour, font.bold, angle, fixed_share
                        )
                    )
                x_start += length


def parse_color(name: object, opacity: float = 1.0) -> Colour:
    """Return a Plotly colour ("#1F2937", "rgb(1,2,3)" or "rgba(1,2,3,0.5)") as RGBA, its opacity times `opacity`.

    Raises ValueError for other text.

    Examples
    --------
    >>> parse_color("rgba(255,0,0,0.5)", 0.5)
    (1.0, 0.0, 0.0, 0.25)
    """
    code = str(name)
    if code.startswith("#") and len(code) == 7:
        red, green, blue = (channel / 255 for channel in bytes.fromhex(code[1:]))
        return red, green, blue, opacity
    numbers = [float(number) for number in _NUMBER.findall(code)]
    if code.startswith("rgb") and len(numbers) in (3, 4):
        red, green, blue, *shares = numbers
        own_opacity = shares[0] if shares else 1.0
        return red / 255, green / 255, blue / 255, own_opacity * opacity
    raise ValueError(rendering_text("scene.no_colour", name=name))


def _corners(number: int, *reaches: float) -> Ring:
    """Return the vertices of a star or polygon at distances `reaches` in turn from its centre, the first at the top."""
    angles = [2 * pi * i / number for i in range(number)]
    return [
        (reach * sin(angle), -reach * cos(angle))
        for angle, reach in zip(angles, cycle(reaches), strict=False)
    ]


_DIAGONAL, _ARM = 0.8 / sqrt(2), 0.4
_X = [
    (0, 1),
    (1, 2),
    (2, 1),
    (1, 0),
    (2, -1),
    (1, -2),
    (0, -1),
    (-1, -2),
    (-2, -1),
    (-1, 0),
    (-2, 1),
    (-1, 2),
]
_PLUS = [
    (3, 1),
    (1, 1),
    (1, 3),
    (-1, 3),
    (-1, 1),
    (-3, 1),
    (-3, -1),
    (-1, -1),
    (-1, -3),
    (1, -3),
    (1, -1),
    (3, -1),
]
_TIP = (2 * cos(pi / 2.5), 2 * sin(pi / 2.5))
#: Paths of radius 1 around the origin.
CLOSED: dict[str, Ring] = {
    "square": [(1, 1), (-1, 1), (-1, -1), (1, -1)],
    "diamond": _corners(4, 1.3),
    "cross": [(_ARM * x, _ARM * y) for x, y in _PLUS],
    "x": [(_DIAGONAL * x, _DIAGONAL * y) for x, y in _X],
    "triangle-up": [(2 / sqrt(3) * x, y) for x, y in ((-1, 0.5), (1, 0.5), (0, -1))],
    "hexagon": _corners(6, 1),
    "star": _corners(10, 1.4, 1.4 * 0.382),
    "arrow": [(0, 0), (-_TIP[0], _TIP[1]), _TIP],
}
CLOSED |= {
    "triangle-down": [(x, -y) for x, y in CLOSED["triangle-up"]],
    "triangle-left": [(y, x) for x, y in CLOSED["triangle-up"]],
    "triangle-right": [(-y, x) for x, y in CLOSED["triangle-up"]],
}
_OPEN: dict[str, list[Ring]] = {
    "cross-thin": [[(0, 1.4), (0, -1.4)], [(1.4, 0), (-1.4, 0)]],
    "x-thin": [[(1, 1), (-1, -1)], [(1, -1), (-1, 1)]],
    "line-ns": [[(0, 1.4), (0, -1.4)]],
}
_RINGS = {**{symbol: [ring] for symbol, ring in CLOSED.items()}, **_OPEN}


@lru_cache(maxsize=256)
def mark_outline(symbol: str, radius: float, angle: float = 0.0) -> tuple[np.ndarray, ...]:
    """Return the outline paths of a marker symbol around the origin, in px.

    Raises ValueError for other symbols, and for circles, which are drawn as discs.
    """
    check_one_of(symbol, _RINGS, "symbol")
    cosine = cos(angle * pi / 180)
    sine = sin(angle * pi / 180)
    rotation = np.array([[cosine, sine], [-sine, cosine]])
    return tuple(radius * np.array(ring, float) @ rotation for ring in _RINGS[symbol])
