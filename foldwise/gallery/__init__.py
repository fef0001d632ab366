"""From an analysis to figures, and to files for a paper: what pages and command line share."""

from foldwise.gallery.drawing import Drawing
from foldwise.gallery.every import drawings, missing_drawings

__all__ = ["Drawing", "drawings", "missing_drawings"]
