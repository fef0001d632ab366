"""All pairs of algorithms on one data set as figures."""

from foldwise.gallery import on_folds
from foldwise.ui import show
from foldwise.ui.fold_views import flat
from stats_core.comparison.kinds.folds import FoldsComparison


def matrix_figure(analysis: FoldsComparison) -> list[str]:
    """Draw all pairs; return the two names of a clicked cell."""
    points = show.figure_of(on_folds.matrix_drawing(analysis), select=True)
    picked = next((point["customdata"] for point in points if point.get("customdata")), None)
    return flat(picked)[:2] if picked is not None else []


def intervals_figure(analysis: FoldsComparison) -> None:
    """Draw the difference of every pair with its interval, largest first."""
    drawing = on_folds.intervals_drawing(analysis)
    if drawing is not None:
        show.figure_of(drawing)
