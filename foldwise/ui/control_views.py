"""Comparisons with a control as a figure."""

from foldwise.gallery import over_datasets
from foldwise.ui import show
from stats_core.comparison.kinds.control import ControlComparison


def control_figure(analysis: ControlComparison, **options) -> None:
    """Draw the average ranks with the control marked."""
    show.figure_of(over_datasets.control_drawing(analysis, **options))
