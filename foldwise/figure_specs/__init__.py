"""Figure specifications of analyses and files for papers, shared by web app and command line."""

from foldwise.figure_specs.figure_registry import drawings, missing_drawings
from foldwise.figure_specs.figure_spec import FigureSpec

__all__ = ["FigureSpec", "drawings", "missing_drawings"]
