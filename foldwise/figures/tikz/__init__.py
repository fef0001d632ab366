r"""Figures for papers as LaTeX source: TikZ and PGFPlots.

Builders are pure: plain data in, the source of one ``tikzpicture`` out, in plain ASCII but for
comments. The first line is a comment with the preamble the picture needs, ``\usepackage{tikz}``
or ``\usepackage{pgfplots}``; :func:`standalone` wraps any of them into a document of its own.
Pictures are set in the fonts of the paper, in the family and size asked for (seven eighths of it
where there is much to name, never below 6 points), in black and grey unless colour is asked for,
with the colours, dashes and marks of the Plotly figures. :func:`remarks_of` tells what a caption
has to add where there was no room for a name.

Lengths outside an axis are pixels of 1/96 inch, the unit of the Plotly figures, so that both
have the same layout. There is room for names in Computer Modern, the widest of the usual fonts.
A figure is exactly as wide as asked for, whatever its names need.

Everything is in the Debian package texlive-pictures and what that depends on.
"""

from __future__ import annotations

from foldwise.figures.tikz.bricks import bricks_tikz, tikz_form
from foldwise.figures.tikz.cd import cd_tikz
from foldwise.figures.tikz.clouds import clouds_tikz
from foldwise.figures.tikz.curves import caption_curves, curves_tikz
from foldwise.figures.tikz.ordering import ordering_tikz
from foldwise.figures.tikz.parts import standalone
from foldwise.figures.tikz.words import remarks_of

__all__ = [
    "bricks_tikz",
    "caption_curves",
    "cd_tikz",
    "clouds_tikz",
    "curves_tikz",
    "ordering_tikz",
    "remarks_of",
    "standalone",
    "tikz_form",
]
