"""From an analysis to figures, and to files for a paper: what pages and command line share."""

from foldwise.figure_specs.figure_registry import drawings, missing_drawings
from foldwise.figure_specs.figure_spec import FigureSpec

__all__ = ["FigureSpec", "drawings", "missing_drawings"]
