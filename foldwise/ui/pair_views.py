"""Two algorithms on one data set as figures and tables."""

from functools import partial

import pandas as pd
import streamlit as st

from foldwise.gallery import on_folds
from foldwise.gallery.parts import level
from foldwise.ui import show
from foldwise.ui.assumption_views import qq_figure
from foldwise.ui.fold_views import HALF, selected_folds, take_fold
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.outcomes import Outcome
from stats_core.core.words import count, interval, number, p_text, score_digits
from stats_core.inference.fold_tests import PairAnswer


def paired_figure(analysis: FoldPairComparison, *, width: int = HALF) -> None:
    """Draw the two results of every fold joined by a line."""
    drawing = on_folds.paired_drawing(analysis, selected=selected_folds())
    take_fold(show.figure_of(drawing, select=True, width=width), drawing.name)


def interval_figure(analysis: FoldPairComparison) -> None:
    """Draw the difference in every fold with the interval of the chosen test and of its twin."""
    drawing = on_folds.interval_drawing(analysis, selected=selected_folds())
    if drawing is not None:
        take_fold(show.figure_of(drawing, select=True), drawing.name)


def tests_table(analysis: FoldPairComparison) -> None:
    """Show what every test says, those that do not apply with the reason."""
    alpha = analysis.settings.alpha
    write = partial(p_text, alpha=alpha)
    rows = []
    for said in analysis.answers:
        outcome = said.outcome
        rows.append(
            {
                "test": said.name,
                "statistic": number(outcome.statistic, 3) if outcome else "",
                "df": _df(outcome),
                "p": write(outcome.pvalue) if outcome else "",
                f"p {analysis.first} larger": write(outcome.pvalue_greater) if outcome else "",
                f"p {analysis.first} smaller": write(outcome.pvalue_less) if outcome else "",
                "verdict": _decision(outcome, alpha),
                "allowed here?": _allowed(said, decides=said.key == analysis.test),
                "assumes": said.assumes,
            }
        )
    show.table(
        pd.DataFrame(rows).set_index("test"),
        title="Tests",
        name="tests",
        formats={},
        caption=f"Every test of {analysis.first} against {analysis.second} on "
        f"{analysis.dataset}, {analysis.settings.measure}.",
    )


def _df(outcome: Outcome | None) -> str:
    df = getattr(outcome, "df", "")
    return ", ".join(str(part) for part in df) if isinstance(df, tuple) else str(df)


def _decision(outcome: Outcome | None, alpha: float) -> str:
    if outcome is None:
        return ""
    return "differs" if outcome.pvalue <= alpha else "not separated"


def _allowed(said: PairAnswer, *, decides: bool) -> str:
    if said.outcome is None:
        return f"no: {said.reason}"
    if decides:
        return f"decides: {said.reason}" if said.reason else "decides"
    return f"with care: {said.reason}" if said.reason else "yes"


def effects_table(analysis: FoldPairComparison) -> None:
    """Show the effect sizes with their intervals."""
    if analysis.effects is None:
        st.caption("The differences do not vary, so there are no effect sizes.")
        return
    digits = score_digits(analysis.matrix)
    table = analysis.effects.to_frame()
    written = pd.DataFrame(
        {
            "estimate": [
                number(value, digits if name == "mean difference" else 2)
                for name, value in table["estimate"].items()
            ],
            f"{level(analysis)} interval": [
                ""
                if pd.isna(row["low"])
                else interval(row["low"], row["high"], digits if name == "mean difference" else 2)
                for name, row in table.iterrows()
            ],
        },
        index=pd.Index(table.index, name="effect size"),
    )
    show.table(
        written,
        title="Effect sizes",
        name="effects",
        formats={},
        caption=f"Effect sizes of {analysis.first} minus {analysis.second}.",
    )
    wins, ties, losses = analysis.record(analysis.first)
    st.caption(
        show.escape(
            f"Differences are {analysis.first} minus {analysis.second}; the standardised one is in "
            f"standard deviations of the {analysis.unit}s' differences. {analysis.first} wins {wins}, "
            f"ties {ties} and loses {losses} of {count(analysis.n_folds, analysis.unit)}. "
            f"{analysis.effects_by}"
        )
    )


def measures_table(table: pd.DataFrame, analysis: FoldPairComparison) -> None:
    """Show the same pair by every measure."""
    write_p = partial(p_text, alpha=analysis.settings.alpha)
    show.table(
        table,
        title="By measure",
        name="measures",
        formats={
            **{name: partial(number, digits=4) for name in table.columns[:3]},
            "p": write_p,
        },
        caption=f"{analysis.first} and {analysis.second} on {analysis.dataset} by every measure, "
        "each at its own level.",
    )
    st.caption(
        "Each measure at its own level: looking for one that separates them is a search, so say "
        "how many you looked at."
    )


def differences_qq_figure(analysis: FoldPairComparison) -> None:
    """Draw the differences of two algorithms against normal ones."""
    try:
        drawing = on_folds.qq_drawing(analysis)
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    qq_figure(analysis, drawing)
