"""Two algorithms on one data set as figures and tables."""

from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from figures.difference_interval import alt_difference_interval, difference_interval
from figures.paired_folds import MOST_SLOPES, alt_paired_folds, paired_folds
from figures.theme import Style
from stats_core.analyse import FoldPairAnalysis
from stats_core.assumptions import differences_qq
from stats_core.errors import FoldwiseError
from stats_core.fold_tests import PairAnswer
from stats_core.outcome import Outcome
from stats_core.wording import count, interval, number, p_text, score_digits
from ui import show
from ui.assumption_views import qq_figure
from ui.fold_views import (
    HALF,
    fold_labels,
    level,
    selected_folds,
    take_fold,
)

HOW_PAIRED = (
    "Each line joins the two results of one fold: solid where the first is better, dashed where "
    "the second is. Look for lines that all lean the same way. Steep lines in a few folds are "
    "not a difference in general."
)
HOW_AGAINST = (
    "Each mark is one fold: the first algorithm up, the second across. On the diagonal both have "
    "the same result. Look for marks that all lie on one side. A few far from it are not a "
    "difference in general."
)
HOW_INTERVAL = (
    "Each circle is the difference in one fold, the upright stroke their mean, the bar the "
    "differences that the test does not rule out. Look whether the bar leaves out zero. A bar "
    "that holds zero is not evidence that the two are equal."
)


def paired_figure(analysis: FoldPairAnalysis, *, width: int = HALF) -> None:
    """Draw the two results of every fold joined by a line."""
    values = fold_labels(analysis.matrix[[analysis.first, analysis.second]])
    about = {"measure": analysis.settings.measure, "higher_is_better": analysis.higher_is_better}

    def build(style: Style) -> go.Figure:
        chosen = selected_folds() if style.kind == "screen" else ()
        return paired_folds(values, **about, style=style, selected=chosen)

    name = f"paired_{analysis.dataset}_{analysis.settings.measure}"
    points = show.figure(
        "Fold by fold",
        build,
        name=name,
        how_to_read=HOW_PAIRED if len(values) <= MOST_SLOPES else HOW_AGAINST,
        alt=alt_paired_folds(values, **about),
        data=values,
        select=True,
        width=width,
    )
    take_fold(points, name)


def interval_figure(analysis: FoldPairAnalysis) -> None:
    """Draw the difference in every fold with the interval of the chosen test and of its twin."""
    folds = fold_labels(analysis.differences)
    keys = list(dict.fromkeys([analysis.test, "corrected t", "paired t"]))
    said = [analysis.answer(key) for key in keys]
    said = [answer for answer in said if answer.outcome is not None]
    if not said:
        return
    mean = float(analysis.differences.mean())
    rows = pd.DataFrame(
        {
            "estimate": [getattr(answer.outcome, "estimate", mean) for answer in said],
            "low": [answer.low for answer in said],
            "high": [answer.high for answer in said],
        },
        index=pd.Index([answer.key for answer in said], name="test"),
    )
    rows.loc[[key for key in rows.index if key.startswith("McNemar")], "estimate"] = mean
    about = {
        "first": analysis.first,
        "second": analysis.second,
        "measure": analysis.settings.measure,
        "higher_is_better": analysis.higher_is_better,
    }

    def build(style: Style) -> go.Figure:
        chosen = selected_folds() if style.kind == "screen" else ()
        return difference_interval(folds, rows, **about, style=style, selected=chosen)

    name = f"difference_{analysis.dataset}_{analysis.settings.measure}"
    points = show.figure(
        f"{analysis.first} \u2212 {analysis.second}, with its {level(analysis)} interval",
        build,
        name=name,
        how_to_read=HOW_INTERVAL,
        alt=alt_difference_interval(folds, rows, **about),
        data=rows,
        select=True,
    )
    take_fold(points, name)


def tests_table(analysis: FoldPairAnalysis) -> None:
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


def effects_table(analysis: FoldPairAnalysis) -> None:
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
            f"standard deviations of the folds' differences. {analysis.first} wins {wins}, ties "
            f"{ties} and loses {losses} of {count(analysis.n_folds, 'fold')}."
        )
    )


def measures_table(table: pd.DataFrame, analysis: FoldPairAnalysis) -> None:
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


def differences_qq_figure(analysis: FoldPairAnalysis) -> None:
    """Draw the differences of two algorithms against normal ones."""
    try:
        points = differences_qq(analysis.matrix[analysis.first], analysis.matrix[analysis.second])
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    qq_figure(analysis, fold_labels(points))
