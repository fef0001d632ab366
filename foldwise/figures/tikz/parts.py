r"""What all TikZ figures share: the picture around the drawing, a document, numbers, greys."""

from __future__ import annotations

import re
from collections.abc import Iterable

from foldwise.figures.theme import PX_PER_POINT, Style
from foldwise.figures.tikz.letters import latex
from foldwise.figures.tikz.words import Face, Headline

TIKZ = r"\usepackage{tikz}"
PGFPLOTS = r"\usepackage{pgfplots}\pgfplotsset{compat=1.16}"
#: Commands of the first comment that belong into the preamble.
_PREAMBLE = re.compile(
    r"\\(?:usepackage|usetikzlibrary|usepgfplotslibrary|pgfplotsset)(?:\[[^]]*\])?\{[^}]*\}"
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
    face: Face,
    title: str = "",
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
    face : Face
        Of all its words.
    title : str
        Written above, in lines of their own; the picture grows by their height.
    down : bool
        Whether y runs down.
    """
    left, bottom, right, top = box
    head = Headline.of(title, face, right - left)
    up = -1 if down else 1
    top += up * head.height
    units = f"x={bp(1)}, y={bp(up)}"
    corners = f"({number(left)},{number(bottom)}) rectangle ({number(right)},{number(top)})"
    return (
        "\n".join(
            [
                f"% Needs {packages}{face.packages}",
                *head.comments,
                *comments,
                r"\begin{tikzpicture}[",
                *(f"  {option}," for option in [units, *options]),
                "]",
                rf"\useasboundingbox {corners};",
                *body,
                *(
                    rf"\node[{text_style(face)}, anchor=base west] "
                    rf"at ({number(x)},{number(top - up * y)}) {{{words}}};"
                    for x, y, words in head.places(left)
                ),
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


def text_style(face: Face) -> str:
    """Return the options of a node that is placed by the middle of its digits.

    Its anchor is ``base``, ``base west`` or ``base east``.
    """
    return f"inner sep=0pt, outer sep=0pt, yshift={bp(-0.33 * face.px)}, font={face.command}"


def below(face: Face) -> float:
    """Return the px that the ticks, labels and title of a horizontal axis need."""
    return 3 + 2.9 * face.px


def axis_options(style: Style) -> list[str]:
    """Return the look of a pgfplots axis with its lower left corner at the origin."""
    line = bp(style.px(1.2, 0.8))
    return [
        "scale only axis, at={(0,0)}, anchor=south west, enlargelimits=false, clip=false",
        "tick align=outside, xtick pos=bottom, ytick pos=left, minor tick num=0",
        f"axis line style={{black, line width={line}}}",
        f"every tick/.style={{black, line width={line}}}, major tick length={bp(style.px(4, 3))}",
        f"tick label style={{font={Face.of(style).command}, inner sep={bp(2)}}}",
    ]


def titles(
    x: str, y: str, side: tuple[float, float], margin: tuple[float, float], face: Face
) -> list[str]:
    """Return the nodes of the two axis titles, placed at the edges of the figure.

    Parameters
    ----------
    x, y : str
        Titles; "" for none.
    side, margin : (float, float)
        Width and height of the plot; room to its left and below it.
    face : Face
        Of the text.
    """
    lines, px = [], face.px
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
