"""How algorithms are told apart in TikZ figures: by colour, dash and mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foldwise.figures import theme
from foldwise.figures.tikz.parts import bp

#: Digits of dashes as on print, in px; names as in :data:`foldwise.figures.theme.DASHES`.
_DASHES = {
    "solid": "solid",
    "dash": (5, 3),
    "dot": (1.5, 2),
    "dashdot": (5, 2, 1.5, 2),
    "longdash": (9, 3.5),
    "longdashdot": (9, 2.5, 1.5, 2.5),
}
#: Shapes as in :data:`foldwise.figures.theme.MARKERS`, filled and hollow by turns: marks of pgfplots.
MARKS = (
    ("*", "black"),
    ("square*", "white"),
    ("diamond*", "black"),
    ("+", "black"),
    ("x", "black"),
    ("triangle*", "white"),
    ("star", "black"),
    ("pentagon*", "black!35"),
)


@dataclass(frozen=True, slots=True)
class Pen:
    """How an algorithm is drawn: the name of its colour in TeX, and whether that needs an edge."""

    hue: str
    pale: bool = False

    def line(self, px: float, dashes: str, *, edged: bool = True) -> str:
        """Return the options of a line; a pale one has an edge of ink, unless it is thin."""
        edge = ""
        if self.pale and edged:
            edge = f", preaction={{draw=black, line width={bp(px + 1)}}}"
        return f"{self.hue}, line width={bp(px)}, {dash(dashes)}{edge}"

    def mark(self, place: int, radius: float) -> str:
        """Return the options of the mark of the algorithm at `place`, `radius` px large."""
        shape, fill = MARKS[place % len(MARKS)]
        stroked = shape in ("+", "x", "star")
        darker = f"{self.hue}!75!black" if self.pale else self.hue
        draw = darker if stroked else "black"
        fill = fill if self.hue == "black" else self.hue
        options = f"solid, draw={draw}, fill={fill}, line width={bp(0.9 if stroked else 0.6)}"
        return f"mark={shape}, mark size={bp(radius)}, mark options={{{options}}}"


def dash(name: str) -> str:
    """Return the pattern of a dash as TikZ writes it.

    Examples
    --------
    >>> dash("dash")
    'dash pattern=on 3.75bp off 2.25bp'
    """
    lengths = _DASHES[name]
    if isinstance(lengths, str):
        return lengths
    words = (f"{'off' if i % 2 else 'on'} {bp(px)}" for i, px in enumerate(lengths))
    return f"dash pattern={' '.join(words)}"


def hues_of(
    shown: Mapping[str, str], colours: Mapping[str, str] | None, colour: bool
) -> dict[str, str]:
    """Return the colour of every algorithm by the name that is printed; none without colour.

    Parameters
    ----------
    shown : mapping of str
        What is printed for each algorithm.
    colours : mapping of str, optional
        Colour per algorithm, by default :func:`foldwise.figures.theme.colours`; mid-grey without one.
    colour : bool
        Whether the figure may use colour.
    """
    if not colour:
        return {}
    known = theme.colours(list(shown)) if colours is None else colours
    return {now: known.get(name, theme.GREY) for name, now in shown.items()}


def pens(names: Sequence[str], hues: Mapping[str, str]) -> tuple[dict[str, Pen], list[str]]:
    r"""Return the pen of every algorithm, and the ``\definecolor`` lines they need.

    Parameters
    ----------
    names : sequence of str
    hues : mapping of str
        Colours as ``#0072B2``; algorithms without one are black.
    """
    used = dict.fromkeys(hues[name] for name in names if name in hues)
    known = {hue: f"foldwise{i}" for i, hue in enumerate(used, start=1)}
    lines = [rf"\definecolor{{{word}}}{{HTML}}{{{hue[1:]}}}" for hue, word in known.items()]
    drawn = {
        name: Pen(known[hues[name]], hues[name] in theme.PALE) if name in hues else Pen("black")
        for name in names
    }
    return drawn, lines
