"""Plotly's text markup, split into lines and added to a scene."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace

from foldwise.figures import text
from foldwise.rendering.scene import Scene, SceneText, parse_color

LINE = 1.3  # line spacing, in font sizes
_TOKEN = re.compile(r"<[^<>]*>|[^<]+|<")
_SIZE, _COLOUR = (re.compile(r"font-size:\s*([\d.]+)px"), re.compile(r"(?<![-\w])color:\s*([^;\"']+)"))
_SMALL = {"sub": (0.7, 0.3), "sup": (0.7, -0.6)}  # relative size, and downward shift in font sizes


@dataclass(frozen=True, slots=True)
class Font:
    """Size, colour, family, weight and baseline shift of text."""

    size: float
    colour: str
    serif: bool
    bold: bool = False
    down: float = 0.0


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Lines of text, each split into runs of one font, with their sizes.

    Attributes
    ----------
    lines : tuple of tuple of (str, Font)
    font : Font
        Font of the text outside any tag.
    """

    lines: tuple[tuple[tuple[str, Font], ...], ...]
    font: Font

    @property
    def widths(self) -> tuple[float, ...]:
        """Length of each line in px."""
        return tuple(sum(_wide(run) for run in line) for line in self.lines)

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
    """Split text with markup into lines and runs of one font.

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
    if tag == "b":
        return replace(font, bold=True)
    if tag in _SMALL:
        size, down = _SMALL[tag]
        return replace(font, size=size * font.size, down=font.down + down * size * font.size)
    size, colour = _SIZE.search(token), _COLOUR.search(token)
    return replace(
        font, size=float(size[1]) if size else font.size, colour=colour[1].strip() if colour else font.colour
    )


def _wide(run: tuple[str, Font]) -> float:
    words, font = run
    return text.text_width(words, font.size, font.serif, font.bold)


def set_block(
    scene: Scene,
    made: TextBlock,
    x: float,
    baseline: float,
    anchor: str,
    *,
    opacity: float = 1.0,
    turn: tuple[float, float, float] | None = None,
) -> None:
    """Add a text block to a scene."""
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
    for row, (line, line_width) in enumerate(zip(made.lines, made.widths, strict=True)):
        x_start, y = x - share * line_width, baseline + row * LINE * made.font.size
        for words, font in line:
            start, angle = (x_start, y + font.down), 0.0
            if turn is not None:
                angle, start = turn[0], text.rotate_point(start, *turn)
            if words.strip():
                colour = parse_color(font.colour, opacity)
                length = _wide((words, font))
                fixed_share = share if len(line) == 1 else 0.0
                scene.parts.append(SceneText(words, *start, length, font.size, colour, font.bold, angle, fixed_share))
            x_start += _wide((words, font))
