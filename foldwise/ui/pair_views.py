"""Two algorithms on one data set as figures and tables."""

import streamlit as st

from foldwise.gallery import on_folds
from foldwise.ui import show, table_views
from foldwise.ui.assumption_views import qq_figure
from foldwise.ui.fold_views import HALF, selected_folds
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.tables.folds import record_said
from stats_core.core.errors import FoldwiseError


def paired_figure(analysis: FoldPairComparison, *, width: int = HALF) -> None:
    """Draw the two results of every fold joined by a line."""
    drawing = on_folds.paired_drawing(analysis, selected=selected_folds())
    show.figure_of(drawing, width=width)


def interval_figure(analysis: FoldPairComparison) -> None:
    """Draw the difference in every fold with the interval of the chosen test and of its twin."""
    drawing = on_folds.interval_drawing(analysis, selected=selected_folds())
    if drawing is not None:
        show.figure_of(drawing)


def tables(analysis: FoldPairComparison) -> None:
    """Show what every test says, and the effect sizes."""
    table_views.tables(analysis, "tests", "effects")
    if analysis.effects is None:
        st.caption("The differences do not vary, so there are no effect sizes.")
    st.caption(show.escape(record_said(analysis)))


def differences_qq_figure(analysis: FoldPairComparison) -> None:
    """Draw the differences of two algorithms against normal ones."""
    try:
        drawing = on_folds.qq_drawing(analysis)
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    qq_figure(analysis, drawing)
