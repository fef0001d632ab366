r"""Text in TikZ figures: its face, the title above them, and what their captions have to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from foldwise.figures import text
from foldwise.figures.lines import wrapped
from foldwise.figures.theme import PX_PER_POINT, Style
from foldwise.figures.tikz.letters import comment, kept, latex, name_comments

#: Nothing is set smaller, unless all text is.
LEAST_POINTS = 6.0
#: How much wider than Arial, and than Times, Computer Modern is at most below so many points.
_ROMAN = ((6.5, 1.28, 1.36), (7.5, 1.19, 1.27), (float("inf"), 1.1, 1.18))
_SANS, _BOLD = (1.05, 1.14), 1.16
#: Sizes that Computer Modern has, in points; others need the package fix-cm.
_SIZES = frozenset(range(5, 13))
#: Beside a title, in px, and its lines as shares of the text size, as above the Plotly figures.
_PAD, _LINE, _GAP = 4.0, 1.25, 0.35
_CAPTION = "% Caption: "


@dataclass(frozen=True, slots=True)
class Face:
    """Text of one size, in px of 1/96 inch, and of one family of the paper."""

    px: float
    serif: bool = True

    @classmethod
    def of(cls, style: Style) -> Face:
        """Return the face of all words of a figure in `style`."""
        return cls(style.size, style.serif)

    @property
    def points(self) -> float:
        """Its size in points, as it is written."""
        return round(self.px / PX_PER_POINT, 1)

    @property
    def smaller(self) -> Face:
        """Seven eighths of the size, for crowded words; none below 6 points unless it was."""
        least = min(self.px, LEAST_POINTS * PX_PER_POINT)
        return replace(self, px=max(7 / 8 * self.px, least))

    @property
    def command(self) -> str:
        r"""What sets text in this face.

        Examples
        --------
        >>> Face(12, serif=False).command
        '\\sffamily\\fontsize{9}{10.8}\\selectfont'
        """
        family = r"\rmfamily" if self.serif else r"\sffamily"
        return rf"{family}\fontsize{{{self.points:g}}}{{{1.2 * self.points:.4g}}}\selectfont"

    @property
    def packages(self) -> str:
        """What the preamble needs for its size."""
        return "" if self.points in _SIZES else r"\usepackage{fix-cm}"

    def wide(self, words: str, *, bold: bool = False) -> float:
        """Return how many px wide `words` are at most.

        Computer Modern Roman is as wide as fonts get: its letters are up to a tenth wider than
        those of Arial at 8 points, up to a fifth at 7.
        """
        return text.width(words, self.px) * self._wider[0] * (_BOLD if bold else 1.0)

    def shorten(self, names: Sequence[str], room: float) -> dict[str, str]:
        """Return what to print for each name so that none is wider than `room` px."""
        return text.shorten(names, room / self._wider[0], self.px)

    @property
    def beyond_times(self) -> float:
        """How much wider than Times it is at most."""
        return self._wider[1]

    @property
    def _wider(self) -> tuple[float, float]:
        if not self.serif:
            return _SANS
        return next(shares for below, *shares in _ROMAN if self.points < below)


@dataclass(frozen=True, slots=True)
class Headline:
    """The title above a figure: its lines, and the px they take."""

    lines: tuple[str, ...]
    face: Face
    spelled: str

    @classmethod
    def of(cls, title: str, face: Face, width: float) -> Headline:
        """Break a title into at most three lines of a figure `width` px wide."""
        room = width - 2 * _PAD
        lines = wrapped(
            kept(title), room, wide=face.wide, cut=lambda line: face.shorten([line], room)[line]
        )
        return cls(tuple(lines), face, title)

    @property
    def height(self) -> float:
        """Its height in px, 0 without a title."""
        return (_LINE * len(self.lines) + _GAP) * self.face.px if self.lines else 0.0

    @property
    def comments(self) -> list[str]:
        """What stands in it for letters that cannot be printed."""
        return name_comments({self.spelled: kept(self.spelled)}) if self.lines else []

    def places(self, left: float) -> list[tuple[float, float, str]]:
        """Return x of the start, px from the top of the figure to the middle, and words by line."""
        return [
            (left + _PAD, (0.1 + _LINE * (row + 0.5)) * self.face.px, latex(line))
            for row, line in enumerate(self.lines)
        ]


def remark(words: str) -> str:
    """Return a sentence for the caption of a figure, as a comment in its source."""
    return _CAPTION + comment(words).removeprefix("% ")


def remarks_of(source: str) -> str:
    r"""Return what the caption of a picture has to say because of how it is laid out.

    Parameters
    ----------
    source : str
        From one of the builders.

    Returns
    -------
    str
        Sentences: names that had to be shortened or left out; "" if there is nothing to say.

    Examples
    --------
    >>> remarks_of("% Caption: Shortened names: a...z = abcz.\n\\begin{tikzpicture}")
    'Shortened names: a...z = abcz.'
    """
    lines = (line for line in source.splitlines() if line.startswith(_CAPTION))
    return " ".join(line.removeprefix(_CAPTION) for line in lines)


def shortened(shown: Mapping[str, str]) -> list[str]:
    """Return the remark on names that are printed in a shorter form."""
    cut = {name: now for name, now in shown.items() if now and now != text.plain(name)}
    if not cut:
        return []
    said = "; ".join(f"{now} = {text.plain(name)}" for name, now in cut.items())
    return [remark(f"Shortened names: {said}.")]
