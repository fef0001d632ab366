"""All pairs of algorithms on one data set as figures and tables."""

from functools import partial

import pandas as pd
import plotly.graph_objects as go

from figures.differences import alt_differences, differences
from figures.pair_matrix import alt_matrix, pair_matrix
from figures.theme import Style
from stats_core.analyse import TUKEY, FoldsAnalysis
from stats_core.wording import count, interval, number, p_text, score_digits
from ui import show, state
from ui.fold_views import (
    flat,
    level,
)

HOW_MATRIX = (
    "Above the diagonal how much better the row is, \u25b2 where it is better and \u25bc where the "
    "column is; below it the adjusted p-value, bold where the pair differs. Click a cell to open "
    "the pair. A small p is not a large difference."
)
HOW_INTERVALS = (
    "Each row is a pair: the dot is the difference of the means, the bar its interval. Look for "
    "bars that leave out zero. Intervals of different pairs do not say how those pairs compare "
    "with each other."
)


def matrix_figure(analysis: FoldsAnalysis) -> list[str]:
    """Draw all pairs; return the two names of a clicked cell."""
    sign = 1 if analysis.higher_is_better else -1
    means = analysis.means
    effects = pd.DataFrame(
        sign * (means.to_numpy()[:, None] - means.to_numpy()),
        index=means.index,
        columns=means.index,
    )
    wins = _records(analysis)

    def build(style: Style) -> go.Figure:
        return pair_matrix(
            effects,
            analysis.adjusted,
            alpha=analysis.settings.alpha,
            style=style,
            order=analysis.order,
            wins=wins,
            effect_name=f"advantage in {analysis.settings.measure}",
        )

    name = f"pairs_{analysis.dataset}_{analysis.settings.measure}"
    points = show.figure(
        "All pairs at a glance",
        build,
        name=name,
        how_to_read=HOW_MATRIX,
        alt=alt_matrix(
            effects,
            analysis.adjusted,
            alpha=analysis.settings.alpha,
            order=analysis.order,
            measure=analysis.settings.measure,
            over=count(analysis.n_folds, "fold"),
        ),
        data=analysis.pairs().set_index(["first", "second"]),
        select=True,
    )
    picked = next((point["customdata"] for point in points if point.get("customdata")), None)
    return flat(picked)[:2] if picked is not None else []


def _records(analysis: FoldsAnalysis) -> pd.DataFrame:
    wins, ties = analysis.wins, analysis.ties
    return pd.DataFrame(
        [
            [f"{wins.loc[a, b]}/{ties.loc[a, b]}/{wins.loc[b, a]}" for b in wins.columns]
            for a in wins.index
        ],
        index=wins.index,
        columns=wins.columns,
    )


def intervals_figure(analysis: FoldsAnalysis) -> None:
    """Draw the difference of every pair with its interval, largest first."""
    pairs = analysis.pairs()
    if pairs["low"].isna().all():
        return
    table = pairs[["difference", "low", "high"]].set_axis(
        pd.Index(pairs["first"] + " \u2212 " + pairs["second"], name="pair")
    )
    about = {
        "first": "the first",
        "second": "the second",
        "measure": analysis.settings.measure,
        "higher_is_better": analysis.higher_is_better,
    }

    def build(style: Style) -> go.Figure:
        return differences(table, **about, style=style)

    kind = "simultaneous " if analysis.test == TUKEY else ""
    show.figure(
        f"Differences of all pairs with {kind}{level(analysis)} intervals",
        build,
        name=f"intervals_{analysis.dataset}_{analysis.settings.measure}",
        how_to_read=HOW_INTERVALS,
        alt=alt_differences(table, **about).replace("data sets", "pairs"),
        data=table,
    )


def pairs_table(analysis: FoldsAnalysis) -> None:
    """Show every pair with its difference, interval, p-values and wins."""
    pairs = analysis.pairs()
    chosen = state.selection()
    if chosen.get("kind") in ("group", "algorithm"):
        inside = pairs[["first", "second"]].isin(chosen["ids"])
        pairs = pairs[inside.all(axis=1) if len(chosen["ids"]) > 1 else inside.any(axis=1)]
    digits = score_digits(analysis.matrix)
    write_p = partial(p_text, alpha=analysis.settings.alpha)
    table = pd.DataFrame(
        {
            "better": pairs["first"],
            "other": pairs["second"],
            "difference": pairs["difference"],
            "interval": [
                "" if pd.isna(low) else interval(low, high, digits)
                for low, high in zip(pairs["low"], pairs["high"], strict=True)
            ],
            "statistic": pairs["statistic"],
            "p raw": pairs["p raw"],
            "p adjusted": pairs["p adjusted"],
        }
    )
    if "p uncorrected" in pairs:
        table["p if folds were independent"] = pairs["p uncorrected"]
    table["W/T/L"] = [
        f"{wins}/{ties}/{losses}"
        for wins, ties, losses in zip(pairs["wins"], pairs["ties"], pairs["losses"], strict=True)
    ]
    table["verdict"] = ["better" if done else "not separated" for done in pairs["separated"]]
    show.table(
        table.set_index(["better", "other"]),
        title=count(len(table), "pair"),
        name="fold_pairs",
        formats={
            "difference": partial(number, digits=digits),
            "statistic": number,
            **{name: write_p for name in table if name.startswith("p ")},
        },
        caption=f"All pairs on {analysis.dataset} by {analysis.settings.measure}: difference of "
        "means with interval, p-values, folds won/tied/lost.",
    )
