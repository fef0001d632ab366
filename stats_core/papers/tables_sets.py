"""Tables of comparisons over data sets."""

import numpy as np
import pandas as pd

from stats_core.comparison.base import Comparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.core.words import number
from stats_core.papers.report_parts import (
    ReportTable,
    best_and_second,
    deviations,
    differing,
    distinct,
    groups_table,
    indexed,
    numbered,
    records,
    significant,
    three_decimals,
    write_p,
    write_scores,
)

_STATISTICS = {"ranks": "z", "wilcoxon": "rank-biserial", "sign": "wins - losses"}


def tables_of_ranks(analysis: RanksComparison) -> list[ReportTable]:
    """Scores with average ranks, the tests of all, pairs, wins and groups."""
    ranks = analysis.friedman.average_ranks
    return [
        _scores(analysis, analysis.order),
        _all_at_once(analysis),
        _pairs(analysis),
        _wins(analysis),
        groups_table(analysis, analysis.groups, ranks, "rank"),
    ]


def tables_of_control(analysis: ControlComparison) -> list[ReportTable]:
    """Scores with average ranks, the tests of all, and each against the control."""
    return [_scores(analysis, analysis.order), _all_at_once(analysis), _comparisons(analysis)]


def tables_of_two(analysis: TwoComparison) -> list[ReportTable]:
    """Both averages with their difference, and both tests."""
    table = analysis.differences()
    names = [analysis.first, analysis.second]
    best = best_and_second(table[names], analysis.higher_is_better)
    write = write_scores(analysis.scores)
    difference, size = (distinct(name, names) for name in ("difference", "rank of size"))
    table = table.set_axis([*names, difference, size], axis=1)
    scores = ReportTable(
        name="scores",
        title=f"{_measured(analysis)} on each data set",
        frame=indexed(table, "data set"),
        formats={**dict.fromkeys([*names, difference], write), size: "{:g}".format},
        best=best,
        caption=f"Average {analysis.measure_label}{_with_spread(analysis)}; the better one bold. "
        f"Difference: {analysis.first} − {analysis.second}.",
        spread=_spread(analysis, names),
    )
    tests = analysis.table().set_index("test")
    return [
        scores,
        ReportTable(
            name="tests",
            title="Tests",
            frame=tests,
            formats={
                "n": "{:d}".format,
                "statistic": significant,
                "p": write_p(analysis.settings.alpha),
                **dict.fromkeys(["difference", "low", "high"], write),
            },
            caption=f"Two-sided tests of {analysis.first} − {analysis.second}; the typical "
            f"difference with its {_percent(analysis)} interval (Hodges and Lehmann). The Wilcoxon "
            "test decides.",
        ),
    ]


def untested(analysis: Comparison) -> list[ReportTable]:
    """Return the averages where nothing can be tested."""
    if not analysis.scores.size:
        return []
    return [_scores(analysis, list(analysis.scores.columns))]


def _scores(analysis: Comparison, order: list[str]) -> ReportTable:
    """Return the averages, best algorithm first, with average ranks below."""
    scores = analysis.scores[order]
    frame, ranked = scores.copy(), hasattr(analysis, "friedman")
    if ranked:
        label = distinct("average rank", list(frame.index))
        frame.loc[label] = analysis.friedman.average_ranks[order]
    caption = f"Average {analysis.measure_label}{_with_spread(analysis)}; "
    caption += "best bold, second underlined." if len(order) > 2 else "the better one bold."
    if scores.isna().to_numpy().any():
        caption += " Blank: failed runs" + (", ranked worst." if ranked else ".")
    return ReportTable(
        name="scores",
        title=f"{_measured(analysis)} on each data set",
        frame=indexed(frame, "data set"),
        formats=dict.fromkeys(order, write_scores(scores)),
        best=best_and_second(scores, analysis.higher_is_better),
        caption=caption,
        spread=_spread(analysis, order),
        summary=int(ranked),
    )


def _all_at_once(analysis: RanksComparison | ControlComparison) -> ReportTable:
    rows = {"Friedman": analysis.friedman, "Iman-Davenport": analysis.omnibus}
    table = pd.DataFrame(
        {
            "statistic": [test.statistic for test in rows.values()],
            "df": [", ".join(f"{df:g}" for df in test.df) for test in rows.values()],
            "p": [test.pvalue for test in rows.values()],
        },
        index=pd.Index(list(rows), name="test"),
    )
    return ReportTable(
        name="tests",
        title="Tests of all algorithms at once",
        frame=table,
        formats={"statistic": three_decimals, "p": write_p(analysis.settings.alpha)},
        caption=f"{analysis.friedman.n} data sets. Friedman's chi-square and the F of Iman and "
        f"Davenport, which decides. Kendall's W is {number(analysis.friedman.kendall_w)}.",
    )


def _pairs(analysis: RanksComparison) -> ReportTable:
    pairs, alpha = analysis.details(), analysis.settings.alpha
    statistic = _STATISTICS[analysis.settings.source]
    table = pairs.rename(
        columns={"estimate": "rank difference", "statistic": statistic, "p": "p raw"}
    )
    table["won/tied/lost"] = records(pairs)
    table["differs"] = np.where(pairs["separated"], "yes", "no")
    table = table.drop(columns=["wins", "ties", "losses", "separated"])
    columns = ["rank difference", "low", "high", statistic]
    note = (
        " The intervals are by the studentized range; a sharper procedure can separate a pair "
        "whose interval holds zero."
        if analysis.settings.correction != "nemenyi"
        else ""
    )
    return ReportTable(
        name="pairs",
        title="All pairs",
        frame=numbered(table),
        formats={
            **dict.fromkeys(columns, number),
            **dict.fromkeys(["p raw", "p adjusted"], write_p(alpha)),
        },
        best=differing(pairs),
        caption="The better ranked first: difference of average ranks with simultaneous "
        f"{_percent(analysis)} interval, p before and after adjusting (bold where the pair differs "
        f"at {alpha:g}), data sets won, tied and lost by the first.{note}",
    )


def _wins(analysis: RanksComparison) -> ReportTable:
    order = analysis.order
    wins, ties = analysis.wins.loc[order, order], analysis.ties.loc[order, order]
    table = pd.DataFrame("", index=order, columns=order, dtype=object)
    for first in order:
        for second in order:
            if first != second:
                won, lost = wins.loc[first, second], wins.loc[second, first]
                table.loc[first, second] = f"{won}/{ties.loc[first, second]}/{lost}"
    return ReportTable(
        name="wins",
        title="Wins, ties and losses",
        frame=indexed(table, "algorithm"),
        caption="Data sets on which the row is better than, ties with, or is worse than the column.",
    )


def _comparisons(analysis: ControlComparison) -> ReportTable:
    found, alpha = analysis.details(), analysis.settings.alpha
    statistic = _STATISTICS[analysis.settings.source]
    table = found.rename(
        columns={"estimate": "rank difference", "statistic": statistic, "p": "p raw"}
    )
    table = table.rename(columns={"first": "algorithm"})
    table = table.drop(columns=["second", "low", "high", "separated", "wins", "ties", "losses"])
    table.insert(len(table.columns) - 1, "won/tied/lost", records(found))
    return ReportTable(
        name="comparisons",
        title=f"Each against {analysis.control}",
        frame=numbered(table),
        formats={
            **dict.fromkeys(["rank difference", statistic], number),
            **dict.fromkeys(["p raw", "p adjusted"], write_p(alpha)),
        },
        best=differing(found),
        caption=f"Average rank of {analysis.control} less that of the other, so positive where the "
        f"other is better; adjusted p bold where it differs at {alpha:g}; data sets won, tied and "
        "lost by the other.",
    )


def _spread(analysis: Comparison, names: list[str]) -> pd.DataFrame | None:
    """Return standard deviations over folds, data set x algorithm, where there are folds."""
    results, rows = analysis.results, {}
    for dataset in results.datasets:
        if results.design_of(dataset) != "single":
            matrix = results.matrix(dataset, analysis.settings.measure).reindex(columns=names)
            rows[dataset] = deviations(matrix).where(analysis.scores.loc[dataset, names].notna())
    table = pd.DataFrame.from_dict(rows, orient="index", columns=names)
    return table if table.notna().to_numpy().any() else None


def _with_spread(analysis: Comparison) -> str:
    folds = any(analysis.results.design_of(name) != "single" for name in analysis.results.datasets)
    return " ± standard deviation over folds" if folds else ""


def _measured(analysis: Comparison) -> str:
    measure = analysis.settings.measure
    return measure[:1].upper() + measure[1:]


def _percent(analysis: Comparison) -> str:
    return f"{100 * (1 - analysis.settings.alpha):.4g} %"
