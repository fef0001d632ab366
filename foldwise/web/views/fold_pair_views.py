"""Two algorithms on one data set as figures and tables."""

import streamlit as st

from foldwise.figure_specs import fold_figures
from foldwise.web import components
from foldwise.web.views import table_views
from foldwise.web.views.assumption_views import qq_figure
from foldwise.web.views.fold_views import HALF, selected_folds
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.tables.fold_tables import describe_record
from stats_core.core.errors import FoldwiseError


def paired_figure(analysis: FoldPairComparison, *, width: int = HALF) -> None:
    """Draw the two results of every fold joined by a line."""
    drawing = fold_figures.paired_drawing(analysis, selected=selected_folds())
    components.show_figure(drawing, width=width)


def interval_figure(analysis: FoldPairComparison) -> None:
    """Draw the difference in every fold with the interval of the chosen test and of its twin."""
    drawing = fold_figures.interval_drawing(analysis, selected=selected_folds())
    if drawing is not None:
        components.show_figure(drawing)


def pair_tables(analysis: FoldPairComparison) -> None:
    """Show what every test says, and the effect sizes."""
    table_views.tables(analysis, "tests", "effects")
    if analysis.effects is None:
        st.caption("The differences do not vary, so there are no effect sizes.")
    st.caption(components.escape(describe_record(analysis)))


def differences_qq_figure(analysis: FoldPairComparison) -> None:
    """Draw the differences of two algorithms against normal ones."""
    try:
        drawing = fold_figures.qq_drawing(analysis)
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    qq_figure(analysis, drawing)
