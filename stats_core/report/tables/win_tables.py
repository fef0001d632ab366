"""Tables of wins over data sets."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.wins import OnWins, WinsComparison, correction_name
from stats_core.core.formatting import format_count, join_names, unused_label
from stats_core.core.validation import significant
from stats_core.curves.threshold_sweep import Sweep
from stats_core.report.tables.table import (
    Pairs,
    ResultTable,
    groups_table,
    name_index,
    pairs_table,
    table_text,
    with_row_numbers,
    write_p,
)

Marks = dict[Any, tuple[list[str], list[str]]]  # row -> columns printed bold, underlined


def wins(c: WinsComparison) -> ResultTable:
    """Return the matrix of data sets won by rows over columns."""
    order = c.order
    return wins_table(c.wins.loc[order, order], c.total[order], c.beats, c.n, f"A win is {c.win}.")


def wins_table(counts: pd.DataFrame, total: pd.Series, beats: pd.DataFrame, n: int, win_text: str) -> ResultTable:
    """Return the matrix of wins, bold where there are significantly more."""
    names = list(counts.index)
    frame = counts.astype(float).mask(np.eye(len(names), dtype=bool))
    frame[unused_label("total", names)] = total.astype(float)
    marks: Marks = {name: ([other for other in names if beats.loc[name, other]], []) for name in names}
    return ResultTable(
        name="wins",
        frame=name_index(frame, "algorithm"),
        formats=dict.fromkeys(frame.columns, "{:.0f}".format),
        best={name: mark for name, mark in marks.items() if mark[0]},
        **table_text("win", "wins_table", n=n, said=win_text),
    )


def pairs(c: OnWins) -> ResultTable:
    """Return all pairs with their wins."""
    name = correction_name(c)
    adjusted = "not adjusted" if name in ("unadjusted", "one pair") else f"adjusted by {name}"
    return pairs_table(
        c, Pairs(estimate="", statistic="", raw=False, **table_text("win", "pairs", adjusted=adjusted, c=c))
    )


def groups(c: OnWins) -> ResultTable:
    """Return the groups, without values."""
    return groups_table(c)


def _decided(c: WinsComparison) -> list[str]:
    return [name for name in c.results.datasets if name not in c.skipped]


def _beaten(c: WinsComparison, winner: str, dataset: str) -> list[str]:
    """Return the algorithms that the winner beats on a data set."""
    others = (name for name in c.order if name != winner)
    return [name for name in others if dataset in c.won[winner, name]]


def by_data_set(c: WinsComparison) -> ResultTable | None:
    """Return wins, ties and losses per data set and algorithm; None for two algorithms."""
    if len(c.wins) == 2:
        return None
    order, rows = c.order, {}
    marks: Marks = {}
    for dataset in _decided(c):
        beats = {name: _beaten(c, name, dataset) for name in order}
        lost = {name: sum(name in beaten for beaten in beats.values()) for name in order}
        ties = {name: len(order) - 1 - len(beats[name]) - lost[name] for name in order}
        rows[dataset] = {name: f"{len(beats[name])}/{ties[name]}/{lost[name]}" for name in order}
        marks[dataset] = ([name for name in order if beats[name] and not lost[name]], [])
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=order, dtype=object)
    return ResultTable(
        name="datasets",
        frame=name_index(frame, "data set"),
        best={dataset: mark for dataset, mark in marks.items() if mark[0]},
        **table_text("win", "by_data_set", order=order),
    )


def winners(c: WinsComparison) -> ResultTable:
    """Return one row per winner and data set."""
    rows = [
        (dataset, name, join_names(beaten, len(beaten)))
        for dataset in _decided(c)
        for name in c.order
        if (beaten := _beaten(c, name, dataset))
    ]
    table = pd.DataFrame(rows, columns=["data set", "algorithm", "wins over"], dtype=object)
    return ResultTable(name="winners", frame=with_row_numbers(table), **table_text("win", "winners"))


def tests(c: WinsComparison) -> ResultTable | None:
    """Return the results of the tests on each data set, in full for two algorithms."""
    if c.sweeps:
        return None
    alpha, rows = c.settings.alpha, c.tests
    by_risk = c.settings.win == "risk"
    if len(c.wins) == 2:
        table = rows.set_index("data set")[["p measures", "p risk", "winner", "reason"]]
        table = table if by_risk else table.drop(columns="p risk")
        caption = "Hotelling's p of the measures" + (", p of the t test of risk" if by_risk else "")
        return ResultTable(
            name="tests",
            frame=name_index(table, "data set"),
            formats=dict.fromkeys(["p measures", "p risk"], write_p(alpha)),
            **table_text("win", "tests_2", caption=caption),
        )
    decisions = rows.assign(
        differ=significant(rows["p measures"], alpha), won=rows["winner"] != "", untested=rows["p measures"].isna()
    )
    table = decisions.groupby("data set", sort=False)[["differ", "won", "untested"]].sum()
    table = table.astype(float).rename(
        columns={"differ": "pairs that differ", "won": "of these won", "untested": "not tested"}
    )
    table.insert(0, "p of MANOVA", c.manova)
    if not table["not tested"].any():
        table = table.drop(columns="not tested")
    risk = "shown by the t test of risk, too" if by_risk else "as in Aslan's thesis"
    pairs = format_count(len(rows) // c.n, "pair")
    return ResultTable(
        name="tests",
        frame=name_index(table, "data set"),
        formats={name: write_p(alpha) if name == "p of MANOVA" else "{:.0f}".format for name in table},
        **table_text("win", "tests", c=c, pairs=pairs, risk=risk),
    )


def skipped(c: WinsComparison) -> ResultTable:
    """Return the data sets that were not decided, with the reason."""
    frame = pd.DataFrame({"reason": c.skipped}, dtype=object)
    return ResultTable(name="skipped", frame=name_index(frame, "data set"), **table_text("win", "skipped"))


def risks(c: WinsComparison) -> list[ResultTable]:
    """Return the thresholds at which risks differ over data sets."""
    tests_of_risks = c.risks()
    return [] if tests_of_risks is None else [risks_table(tests_of_risks, c.settings.alpha)]


def risks_table(risks: pd.DataFrame, alpha: float) -> ResultTable:
    """Return the thresholds with different risks over data sets, one row per pair."""
    rows = []
    for (first, second), pair_rows in risks.groupby(["first", "second"], sort=False):
        differs = significant(pair_rows["p adjusted"], alpha)
        thetas = pair_rows["theta"].to_list()
        lower, higher = (differs & (sign * pair_rows["statistic"] < 0) for sign in (1, -1))
        smallest = pair_rows["p adjusted"].min()
        rows.append((first, second, spans(thetas, lower), spans(thetas, higher), smallest))
    columns = ["first", "second", "first has less risk at", "second has less risk at", "p adjusted"]
    table = pd.DataFrame(rows, columns=columns, dtype=object).astype({"p adjusted": float})
    return ResultTable(
        name="risks",
        frame=with_row_numbers(table.sort_values("p adjusted", kind="stable")),
        formats={"p adjusted": write_p(alpha)},
        heads=("first", "second"),
        **table_text("win", "risks_table", alpha=alpha),
    )


def thresholds(c: WinsComparison) -> list[ResultTable]:
    """Return the winners by threshold, one table per data set."""
    return [
        _thresholds(f"thresholds_{number}", dataset, sweep, c.settings.alpha)
        for number, (dataset, sweep) in enumerate(c.sweeps.items(), start=1)
    ]


def _thresholds(name: str, dataset: str, sweep: Sweep, alpha: float) -> ResultTable:
    """Return the thresholds of one data set at which each algorithm wins."""
    beats = {(row["first"], row["second"]) for row in sweep.tally(alpha).to_dict("records") if row["beats"]}
    rows: list[dict] = []
    marks: Marks = {}
    for row_number, (pair, winners) in enumerate(zip(sweep.pairs, sweep.winners.to_numpy(), strict=True), start=1):
        won = {algorithm: winners == algorithm for algorithm in pair}
        first, second = sorted(pair, key=lambda algorithm: -won[algorithm].sum())
        n, lost = int(won[first].sum()), int(won[second].sum())
        rows.append(
            {
                "first": first,
                "second": second,
                "won/tied/lost": f"{n}/{len(winners) - n - lost}/{lost}",
                "first wins at": spans(sweep.thetas, won[first]),
                "second wins at": spans(sweep.thetas, won[second]),
            }
        )
        if (first, second) in beats:
            marks[row_number] = (["first"], [])
    return ResultTable(
        name=name,
        frame=with_row_numbers(pd.DataFrame(rows, dtype=object)),
        best=marks,
        **table_text("win", "thresholds", dataset=dataset, sweep=sweep),
    )


def spans(thetas: Sequence[float], included: Sequence[bool]) -> str:
    """Return the chosen thresholds as text, neighbours as a span.

    Examples
    --------
    >>> spans([0, 0.25, 0.5, 0.75, 1], [True, True, True, False, True])
    '0 to 0.5, 1'
    """
    positions = np.flatnonzero(included)
    runs = np.split(positions, np.flatnonzero(np.diff(positions) > 1) + 1)
    return ", ".join(
        f"{thetas[run[0]]:g} to {thetas[run[-1]]:g}" if len(run) > 1 else f"{thetas[run[0]]:g}"
        for run in runs
        if len(run)
    )
