"""What the analysis of variance assumes, drawn and in words."""

import streamlit as st

from foldwise.gallery import on_folds
from foldwise.gallery.drawing import Drawing
from foldwise.ui import show
from foldwise.ui.fold_views import HALF, palette
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.on_folds import OnFolds
from stats_core.core.errors import FoldwiseError
from stats_core.core.outcomes import Outcome
from stats_core.core.words import count, number, p_phrase


def assumption_figures(analysis: FoldsComparison, all_algorithms) -> None:
    """Draw the residuals against normal ones and by algorithm, with the checks in words."""
    st.markdown("\n".join(f"- {show.escape(line)}" for line in _check_lines(analysis)))
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


def _check_lines(analysis: FoldsComparison) -> list[str]:
    words = {
        "normality": "Normal residuals",
        "equal variances": "Equal variances",
        "sphericity": "All pairs vary alike (sphericity)",
    }
    lines = []
    for key, check in analysis.checks.items():
        if not isinstance(check, Outcome):
            lines.append(f"{words[key]}: not checked. {check}")
            continue
        doubt = "doubtful" if check.pvalue <= 0.05 else "nothing speaks against it"
        lines.append(
            f"{words[key]}: {doubt} ({check.method}, statistic {number(check.statistic, 3)}, "
            f"{p_phrase(check.pvalue)})."
        )
    lines.append(
        f"Independent folds: not so, training sets overlap; the factor "
        f"{number(analysis.anova.factor)} allows for that."
        if analysis.anova.factor != 1
        else "Independent folds: taken for granted here."
    )
    return lines


def qq_figure(analysis: OnFolds, drawing: Drawing) -> None:
    """Draw residuals, or differences of two, against normal ones."""
    show.figure_of(drawing, width=HALF)
    if analysis.n_folds < 8:
        st.caption(f"With {count(analysis.n_folds, 'fold')} no check of normality can say much.")
