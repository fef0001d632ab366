"""What the analysis of variance assumes, drawn and in words."""

import pandas as pd
import streamlit as st

from figures.bricks import alt_bricks, bricks, caption_bricks
from figures.qq import alt_qq, qq
from stats_core.analyse import FoldPairAnalysis, FoldsAnalysis, OnFolds
from stats_core.assumptions import normal_qq
from stats_core.errors import FoldwiseError
from stats_core.outcome import Outcome
from stats_core.wording import count, number, p_phrase
from ui import show
from ui.fold_views import HALF, fold_labels, palette

HOW_QQ = (
    "Each point is one residual against what a normal one would be at its place; the band holds "
    "95 % of simulated ones. Look for points outside it, above all at the ends. With few folds "
    "points inside the band are not evidence of normality."
)


def assumption_figures(analysis: FoldsAnalysis, all_algorithms) -> None:
    """Draw the residuals against normal ones and by algorithm, with the checks in words."""
    st.markdown("\n".join(f"- {show.escape(line)}" for line in _check_lines(analysis)))
    try:
        points = normal_qq(analysis.matrix)
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    labels = [
        f"{name}, {fold}"
        for fold, name in zip(
            fold_labels(points.droplevel(-1)).index, points.index.get_level_values(-1), strict=True
        )
    ]
    points = points.set_axis(pd.Index(labels, name="residual"))
    left, right = st.columns(2)
    with left:
        qq_figure(analysis, points)
    with right:
        _spread_figure(analysis, all_algorithms)


def _check_lines(analysis: FoldsAnalysis) -> list[str]:
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


def _spread_figure(analysis: FoldsAnalysis, all_algorithms) -> None:
    residuals = fold_labels(analysis.anova.residuals)
    about = {"measure": f"residual of {analysis.settings.measure}", "higher_is_better": None}
    hues = palette(all_algorithms, ())
    shown = residuals[list(analysis.means.index)[:8]]
    show.figure(
        "Spread by algorithm",
        lambda style: bricks(shown, **about, style=style, form="rows", colours=hues),
        name=f"residuals_{analysis.dataset}_{analysis.settings.measure}",
        how_to_read="Each brick is a result less what its algorithm and its fold explain. Look for "
        "algorithms whose bricks spread much wider than others'. With few folds spreads differ by "
        "chance.",
        alt=alt_bricks(shown, **about),
        data=residuals,
        caption=lambda _: caption_bricks(shown, measure=about["measure"], form="rows"),
        width=HALF,
    )


def qq_figure(analysis: OnFolds, points: pd.DataFrame) -> None:
    """Draw residuals, or differences of two, against normal ones."""
    check = (
        analysis.normality
        if isinstance(analysis, FoldPairAnalysis)
        else analysis.checks["normality"]
    )
    note = (
        f"W {number(check.statistic, 3)}, {p_phrase(check.pvalue)}"
        if isinstance(check, Outcome)
        else ""
    )
    title = f"{analysis.settings.measure} on {analysis.dataset}"
    show.figure(
        "Residuals against normal ones",
        lambda style: qq({title: points}, notes={title: note}, style=style),
        name=f"qq_{analysis.dataset}_{analysis.settings.measure}",
        how_to_read=HOW_QQ,
        alt=alt_qq({title: points}),
        data=points,
        width=HALF,
    )
    if analysis.n_folds < 8:
        st.caption(f"With {count(analysis.n_folds, 'fold')} no check of normality can say much.")
