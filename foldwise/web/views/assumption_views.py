"""What the analysis of variance assumes, drawn and in words."""

import streamlit as st

from foldwise.figure_specs import fold_figures
from foldwise.figure_specs.figure_spec import FigureSpec
from foldwise.web import components
from foldwise.web.views import table_views
from foldwise.web.views.fold_views import HALF, palette
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.folds_base import OnFolds
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count


def assumption_figures(analysis: FoldsComparison, all_algorithms) -> None:
    """Draw the residuals against normal ones and by algorithm, under the table of checks."""
    table_views.tables(analysis, "checks")
    try:
        drawing = fold_figures.qq_drawing(analysis)
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    left, right = st.columns(2)
    with left:
        qq_figure(analysis, drawing)
    with right:
        hues = palette(all_algorithms, ())
        components.show_figure(fold_figures.spread_drawing(analysis, colours=hues), width=HALF)


def qq_figure(analysis: OnFolds, drawing: FigureSpec) -> None:
    """Draw residuals, or differences of two, against normal ones."""
    components.show_figure(drawing, width=HALF)
    if analysis.n_folds < 8:
        st.caption(
            f"With {format_count(analysis.n_folds, 'fold')} no check of normality can say much."
        )
