r"""What all TikZ figures share: the picture around the drawing, a document, numbers, greys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from figures import text, theme
from figures.theme import PX_PER_POINT, Style
from figures.tikz.letters import latex

TIKZ = r"\usepackage{tikz}"
PGFPLOTS = r"\usepackage{pgfplots}\pgfplotsset{compat=1.16}"
#: Commands of the first comment that belong into the preamble.
_PREAMBLE = re.compile(
    r"\\(?:usepackage|usetikzlibrary|usepgfplotslibrary|pgfplotsset)(?:\[[^]]*\])?\{[^}]*\}"
)
#: Digits of dashes as on print, in px; names as in :data:`figures.theme.DASHES`.
_DASHES = {
    "solid": "solid",
    "dash": (5, 3),
    "dot": (1.5, 2),
    "dashdot": (5, 2, 1.5, 2),
    "longdash": (9, 3.5),
    "longdashdot": (9, 2.5, 1.5, 2.5),
}
#: Shapes as in :data:`figures.theme.MARKERS`, filled and hollow by turns: marks of pgfplots.
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


def standalone(source: str) -> str:
    r"""Return a complete document with one figure, on a page of the figure's size.

    Parameters
    ----------
    source : str
        LaTeX whose first line is a comment with the packages it needs, such as
        ``% Needs \usepackage{tikz}``.

    Returns
    -------
    str
        A document for pdflatex, xelatex or lualatex; no class or package but those named.

    Examples
    --------
    >>> print(standalone("% Needs \\usepackage{tikz}\n\\tikz \\draw (0,0) -- (1,1);"), end="")
    \documentclass{article}
    \usepackage{tikz}
    \newsavebox{\figurebox}
    \begin{document}
    \begin{lrbox}{\figurebox}%
    % Needs \usepackage{tikz}
    \tikz \draw (0,0) -- (1,1);%
    \end{lrbox}
    % The page is as large as the figure.
    \ifdefined\pdfpagewidth\else\let\pdfpagewidth\pagewidth\let\pdfpageheight\pageheight\fi
    \hoffset=-1in \voffset=-1in
    \pdfpagewidth=\wd\figurebox
    \pdfpageheight=\dimexpr\ht\figurebox+\dp\figurebox\relax
    \shipout\box\figurebox
    \end{document}
    """
    first = source.lstrip().split("\n", 1)[0]
    packages = _PREAMBLE.findall(first) if first.startswith("%") else []
    return (
        "\n".join(
            [
                r"\documentclass{article}",
                *packages,
                r"\newsavebox{\figurebox}",
                r"\begin{document}",
                r"\begin{lrbox}{\figurebox}%",
                source.strip() + "%",
                r"\end{lrbox}",
                "% The page is as large as the figure.",
                r"\ifdefined\pdfpagewidth\else"
                r"\let\pdfpagewidth\pagewidth\let\pdfpageheight\pageheight\fi",
                r"\hoffset=-1in \voffset=-1in",
                r"\pdfpagewidth=\wd\figurebox",
                r"\pdfpageheight=\dimexpr\ht\figurebox+\dp\figurebox\relax",
                r"\shipout\box\figurebox",
                r"\end{document}",
            ]
        )
        + "\n"
    )


def picture(
    packages: str,
    comments: Iterable[str],
    options: Iterable[str],
    box: tuple[float, float, float, float],
    body: Iterable[str],
    *,
    down: bool = False,
) -> str:
    """Return a tikzpicture whose unit is one px.

    Parameters
    ----------
    packages : str
        What belongs into the preamble, for the first line.
    comments, options, body : iterable of str
        Comment lines; styles; lines of the drawing.
    box : (left, bottom, right, top)
        The area the picture takes, whatever its names need.
    down : bool
        Whether y runs down.
    """
    left, bottom, right, top = (number(side) for side in box)
    sign = "-" if down else ""
    units = f"x={bp(1)}, y={sign}{bp(1)}"
    return (
        "\n".join(
            [
                f"% Needs {packages}",
                *comments,
                r"\begin{tikzpicture}[",
                *(f"  {option}," for option in [units, *options]),
                "]",
                rf"\useasboundingbox ({left},{bottom}) rectangle ({right},{top});",
                *body,
                r"\end{tikzpicture}",
            ]
        )
        + "\n"
    )


def number(value: float, digits: int = 2) -> str:
    """Return a number rounded to `digits` decimals, short and without exponent.

    Examples
    --------
    >>> number(0.5), number(-0.001), number(12345.678)
    ('0.5', '0', '12345.68')
    """
    string = f"{value:.{digits}f}"
    string = string.rstrip("0").rstrip(".") if "." in string else string
    return "0" if string == "-0" else string


def bp(px: float) -> str:
    """Return a length given in px of 1/96 inch as TeX writes it.

    Examples
    --------
    >>> bp(4)
    '3bp'
    """
    return f"{number(px / PX_PER_POINT, 3)}bp"


def font(px: float) -> str:
    """Return the command for text `px` high: whole points, which every font has."""
    size = round(px / PX_PER_POINT)
    return rf"\fontsize{{{size}}}{{{number(1.2 * size)}}}\selectfont"


def text_style(px: float) -> str:
    """Return the options of a node that is placed by the middle of its digits.

    Its anchor is ``base``, ``base west`` or ``base east``.
    """
    return f"inner sep=0pt, outer sep=0pt, yshift={bp(-0.33 * px)}, font={font(px)}"


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


def wide(words: str, px: float) -> float:
    """Return how many px wide `words` are at most in Computer Modern, as wide as fonts get.

    Its letters are up to a tenth wider than those of Arial at 8 points, up to a fifth at 7.
    """
    return text.width(words, px) * _wider(px)


def shorten(names: Sequence[str], room: float, px: float) -> dict[str, str]:
    """Return what to print for each name so that none is wider than `room` px."""
    return text.shorten(names, room / _wider(px), px)


def _wider(px: float) -> float:
    return 1.1 if px / PX_PER_POINT > 7.5 else 1.19


@dataclass(frozen=True, slots=True)
class Pen:
    """How an algorithm is drawn: the name of its colour in TeX, and whether that needs an edge."""

    hue: str
    pale: bool = False

    def line(self, px: float, dashes: str) -> str:
        """Return the options of a line; a pale one has an edge of ink."""
        edge = f", preaction={{draw=black, line width={bp(px + 1)}}}" if self.pale else ""
        return f"{self.hue}, line width={bp(px)}, {dash(dashes)}{edge}"

    def mark(self, place: int, radius: float) -> str:
        """Return the options of the mark of the algorithm at `place`, `radius` px large."""
        shape, fill = MARKS[place % len(MARKS)]
        stroked = shape in ("+", "x", "star")
        draw = self.hue if stroked and not self.pale else "black"
        fill = fill if self.hue == "black" else self.hue
        options = f"solid, draw={draw}, fill={fill}, line width={bp(0.9 if stroked else 0.6)}"
        return f"mark={shape}, mark size={bp(radius)}, mark options={{{options}}}"


def pens(names: Sequence[str], colour: bool) -> tuple[dict[str, Pen], list[str]]:
    r"""Return the pen of every algorithm, and the ``\definecolor`` lines they need."""
    if not colour:
        return dict.fromkeys(names, Pen("black")), []
    hues = theme.colours(list(names))
    known = {hue: f"foldwise{i}" for i, hue in enumerate(dict.fromkeys(hues.values()), start=1)}
    lines = [rf"\definecolor{{{word}}}{{HTML}}{{{hue[1:]}}}" for hue, word in known.items()]
    return {name: Pen(known[hue], hue in theme.PALE) for name, hue in hues.items()}, lines


def axis_options(style: Style) -> list[str]:
    """Return the look of a pgfplots axis with its lower left corner at the origin."""
    line = bp(style.px(1.2, 0.8))
    return [
        "scale only axis, at={(0,0)}, anchor=south west, enlargelimits=false, clip=false",
        "tick align=outside, xtick pos=bottom, ytick pos=left, minor tick num=0",
        f"axis line style={{black, line width={line}}}",
        f"every tick/.style={{black, line width={line}}}, major tick length={bp(style.px(4, 3))}",
        f"tick label style={{font={font(style.tick_size)}, inner sep={bp(2)}}}",
    ]


def titles(
    x: str, y: str, side: tuple[float, float], margin: tuple[float, float], px: float
) -> list[str]:
    """Return the nodes of the two axis titles, placed at the edges of the figure.

    Parameters
    ----------
    x, y : str
        Titles; "" for none.
    side, margin : (float, float)
        Width and height of the plot; room to its left and below it.
    px : float
        Height of the text.
    """
    lines = []
    if x:
        low = number(0.7 * px - margin[1])
        lines.append(
            rf"\node[fw text, anchor=base] at ({number(side[0] / 2)},{low}) {{{latex(x)}}};"
        )
    if y:
        left, middle = number(px - margin[0]), number(side[1] / 2)
        turned = f"fw text, anchor=base, yshift={bp(0.33 * px)}, rotate=90"
        lines.append(rf"\node[{turned}] at ({left},{middle}) {{{latex(y)}}};")
    return lines
