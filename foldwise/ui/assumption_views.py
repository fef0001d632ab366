"""What the analysis of variance assumes, drawn and in words."""

import streamlit as st

from foldwise.gallery import on_folds
from foldwise.gallery.drawing import Drawing
from foldwise.ui import show, table_views
from foldwise.ui.fold_views import HALF, palette
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.on_folds import OnFolds
from stats_core.core.errors import FoldwiseError
from stats_core.core.words import count


def assumption_figures(analysis: FoldsComparison, all_algorithms) -> None:
    """Draw the residuals against normal ones and by algorithm, under the table of checks."""
    table_views.tables(analysis, "checks")
    try:
        drawing = on_folds.qq_drawing(analysis)
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    left, right = st.columns(2)
    with left:
        qq_figure(analysis, drawing)
    with right:
        hues = palette(all_algorithms, ())
        show.figure_of(on_folds.spread_drawing(analysis, colours=hues), width=HALF)


def qq_figure(analysis: OnFolds, drawing: Drawing) -> None:
    """Draw residuals, or differences of two, against normal ones."""
    show.figure_of(drawing, width=HALF)
    if analysis.n_folds < 8:
        st.caption(f"With {count(analysis.n_folds, 'fold')} no check of normality can say much.")
