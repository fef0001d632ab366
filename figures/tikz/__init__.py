r"""Figures for papers as LaTeX source: TikZ and PGFPlots.

Builders are pure: plain data in, the source of one ``tikzpicture`` out, in plain ASCII but for
comments. The first line is a comment with the preamble the picture needs, ``\usepackage{tikz}``
or ``\usepackage{pgfplots}``; :func:`standalone` wraps any of them into a document of its own.
Pictures are set in the font of the paper, 8 points (7 where there is much to name), in black
and grey unless colour is asked for.

Lengths outside an axis are pixels of 1/96 inch, the unit of the Plotly figures, so that both
have the same layout. There is room for names in Computer Modern, the widest of the usual fonts.
A figure is exactly as wide as asked for, whatever its names need.

Everything is in the Debian package texlive-pictures and what that depends on.
"""

from __future__ import annotations

from figures.tikz.bricks import bricks_tikz
from figures.tikz.cd import cd_tikz
from figures.tikz.clouds import clouds_tikz
from figures.tikz.curves import curves_tikz
from figures.tikz.ordering import ordering_tikz
from figures.tikz.parts import standalone

__all__ = ["bricks_tikz", "cd_tikz", "clouds_tikz", "curves_tikz", "ordering_tikz", "standalone"]
