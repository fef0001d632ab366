"""Tables of wins over data sets."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.wins import WinsComparison, correction_name
from stats_core.core.words import count, listed
from stats_core.curves.sweep import Sweep
from stats_core.papers.report_parts import (
    ReportTable,
    differing,
    distinct,
    groups_table,
    indexed,
    numbered,
    records,
    write_p,
)


def tables_of_wins(analysis: WinsComparison) -> list[ReportTable]:
    """Wins of row over column, pairs, groups, and who won on which data set."""
    tables = [
        _wins(analysis),
        _pairs(analysis),
        groups_table(analysis, analysis.groups, None, ""),
        *([_records(analysis)] if len(analysis.wins) > 2 else []),  # else it says nothing more
        _winners(analysis),
        *([] if analysis.sweeps else [_tests(analysis)]),
        _skipped(analysis),
    ]
    for place, (dataset, found) in enumerate(analysis.sweeps.items(), start=1):
        tables.append(_thresholds(f"thresholds_{place}", dataset, found, analysis.settings.alpha))
    return tables


def _wins(analysis: WinsComparison) -> ReportTable:
    order, better = analysis.order, analysis.beats
    frame = analysis.wins.loc[order, order].astype(float)
    frame = frame.mask(np.eye(len(order), dtype=bool))
    total = distinct("total", order)
    frame[total] = analysis.total[order].astype(float)
    marks = {name: ([b for b in order if better.loc[name, b]], []) for name in order}
    return ReportTable(
        name="wins",
        title="Wins over data sets",
        frame=indexed(frame, "algorithm"),
        formats=dict.fromkeys(frame.columns, "{:.0f}".format),
        best={name: mark for name, mark in marks.items() if mark[0]},
        caption=f"Of {count(analysis.n, 'data set')}, those on which the row wins over the column; "
        "bold where the sign test shows that it wins on more of them. The last column counts data "
        f"sets on which it wins over at least one other. A win is {analysis.win}.",
    )


def _pairs(analysis: WinsComparison) -> ReportTable:
    pairs, alpha = analysis.details(), analysis.settings.alpha
    table = pairs[["first", "second", "p adjusted"]].copy()
    table.insert(2, "won/tied/lost", records(pairs))
    table["differs"] = np.where(pairs["separated"], "yes", "no")
    said = correction_name(analysis)
    adjusted = "not adjusted" if said in ("unadjusted", "one pair") else f"adjusted by {said}"
    return ReportTable(
        name="pairs",
        title="All pairs",
        frame=numbered(table),
        formats={"p adjusted": write_p(alpha)},
        best=differing(pairs),
        caption=f"Data sets won, tied and lost by the first; two-sided sign test, p {adjusted}, bold "
        f"where the pair differs at {alpha:g}.",
    )


def _decided(analysis: WinsComparison) -> list[str]:
    return [name for name in analysis.results.datasets if name not in analysis.skipped]


def _beaten(analysis: WinsComparison, winner: str, dataset: str) -> list[str]:
    """Return over whom an algorithm wins on a data set."""
    others = (name for name in analysis.order if name != winner)
    return [name for name in others if dataset in analysis.won[winner, name]]


def _records(analysis: WinsComparison) -> ReportTable:
    order, rows, marks = analysis.order, {}, {}
    for dataset in _decided(analysis):
        beats = {name: _beaten(analysis, name, dataset) for name in order}
        lost = {name: sum(name in beaten for beaten in beats.values()) for name in order}
        ties = {name: len(order) - 1 - len(beats[name]) - lost[name] for name in order}
        rows[dataset] = {name: f"{len(beats[name])}/{ties[name]}/{lost[name]}" for name in order}
        marks[dataset] = ([name for name in order if beats[name] and not lost[name]], [])
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=order, dtype=object)
    return ReportTable(
        name="datasets",
        title="Who wins on which data set",
        frame=indexed(frame, "data set"),
        best={dataset: mark for dataset, mark in marks.items() if mark[0]},
        caption=f"Of the other {count(len(order) - 1, 'algorithm')}, those won over, tied with and "
        "lost to on the data set; bold where somebody is won over and nobody lost to.",
    )


def _winners(analysis: WinsComparison) -> ReportTable:
    rows = [
        (dataset, name, listed(beaten, len(beaten)))
        for dataset in _decided(analysis)
        for name in analysis.order
        if (beaten := _beaten(analysis, name, dataset))
    ]
    table = pd.DataFrame(rows, columns=["data set", "algorithm", "wins over"], dtype=object)
    return ReportTable(
        name="winners",
        title="Who wins over whom",
        frame=numbered(table),
        caption="Every win, data set by data set.",
    )


def _tests(analysis: WinsComparison) -> ReportTable:
    """Return what the tests on each data set said; of two algorithms in full."""
    alpha, tests = analysis.settings.alpha, analysis.tests
    by_risk = analysis.settings.win == "risk"
    if len(analysis.wins) == 2:
        table = tests.set_index("data set")[["p measures", "p risk", "winner", "reason"]]
        table = table if by_risk else table.drop(columns="p risk")
        said = "Hotelling's p of the measures" + (", p of the t test of risk" if by_risk else "")
        return ReportTable(
            name="tests",
            title="The tests on each data set",
            frame=indexed(table, "data set"),
            formats=dict.fromkeys(["p measures", "p risk"], _p_or_none(alpha)),
            caption=f"{said}, who wins, and why nobody does.",
        )
    found = tests.assign(
        differ=tests["p measures"] <= alpha,
        won=tests["winner"] != "",
        untested=tests["p measures"].isna(),
    )
    table = found.groupby("data set", sort=False)[["differ", "won", "untested"]].sum()
    table = table.astype(float).rename(
        columns={"differ": "pairs that differ", "won": "of these won", "untested": "not tested"}
    )
    table.insert(0, "p of MANOVA", analysis.manova)
    if not table["not tested"].any():
        table = table.drop(columns="not tested")
    risk = "shown by the t test of risk, too" if by_risk else "as in Aslan's thesis"
    pairs = count(len(tests) // analysis.n, "pair")
    return ReportTable(
        name="tests",
        title="The tests on each data set",
        frame=indexed(table, "data set"),
        formats={
            name: _p_or_none(alpha) if name == "p of MANOVA" else "{:.0f}".format for name in table
        },
        caption=f"MANOVA of {listed(analysis.measures, 9)}, folds as blocks; of {pairs} those whose "
        f"vectors differ by the paired Hotelling test, and those won by the lower risk, {risk}.",
    )


def _p_or_none(alpha: float) -> Callable[[float], str]:
    write = write_p(alpha)
    return lambda p: "" if np.isnan(p) else write(p)


def _skipped(analysis: WinsComparison) -> ReportTable:
    frame = pd.DataFrame({"reason": analysis.skipped}, dtype=object)
    return ReportTable(
        name="skipped",
        title="Data sets that could not be decided",
        frame=indexed(frame, "data set"),
        caption="They are in no count.",
    )


def _thresholds(name: str, dataset: str, found: Sweep, alpha: float) -> ReportTable:
    """Return who wins at which thresholds of one data set."""
    beats = {
        (row["first"], row["second"])
        for row in found.tally(alpha).to_dict("records")
        if row["beats"]
    }
    rows, marks = [], {}
    for place, (pair, winners) in enumerate(
        zip(found.pairs, found.winners.to_numpy(), strict=True), start=1
    ):
        won = {who: winners == who for who in pair}
        first, second = sorted(pair, key=lambda who: -won[who].sum())
        n, lost = int(won[first].sum()), int(won[second].sum())
        rows.append(
            {
                "first": first,
                "second": second,
                "won/tied/lost": f"{n}/{len(winners) - n - lost}/{lost}",
                "first wins at": spans(found.thetas, won[first]),
                "second wins at": spans(found.thetas, won[second]),
            }
        )
        if (first, second) in beats:
            marks[place] = (["first"], [])
    return ReportTable(
        name=name,
        title=f"Winners by threshold on {dataset}",
        frame=numbered(pd.DataFrame(rows, dtype=object)),
        best=marks,
        caption=f"Of {len(found.thetas)} thresholds, those won, tied and lost by the first, and where "
        "each wins; the first is bold if it wins the data set.",
    )


def spans(thetas: Sequence[float], chosen: Sequence[bool]) -> str:
    """Write which thresholds are chosen, neighbours as a span.

    Examples
    --------
    >>> spans([0, 0.25, 0.5, 0.75, 1], [True, True, True, False, True])
    '0 to 0.5, 1'
    """
    places = np.flatnonzero(chosen)
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    return ", ".join(
        f"{thetas[run[0]]:g} to {thetas[run[-1]]:g}" if len(run) > 1 else f"{thetas[run[0]]:g}"
        for run in runs
        if len(run)
    )
