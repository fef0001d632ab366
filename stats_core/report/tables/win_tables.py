"""Tables of wins over data sets."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.wins import OnWins, WinsComparison
from stats_core.core.formatting import join_names, unused_label
from stats_core.core.validation import significant
from stats_core.curves.threshold_sweep import Sweep
from stats_core.report.tables.table import PAIR, ResultTable, make_table, pairs_table


def wins(c: WinsComparison) -> ResultTable:
    """Return a matrix of the data sets on which the row algorithm wins over the column algorithm."""
    order = c.order
    return wins_table(c.wins.loc[order, order], c.total[order], c.beats, c.n, c.win)


def wins_table(
    counts: pd.DataFrame, total: pd.Series, beats: pd.DataFrame, n: int, win: str = ""
) -> ResultTable:
    """Return a matrix of wins, significant ones bold; `win` is the definition of a win."""
    names = list(counts.index)
    frame = counts.astype(float).mask(np.eye(len(names), dtype=bool))
    frame[unused_label("any win", names)] = total.astype(float)
    bold = {name: beats.loc[names, name] for name in names}
    return make_table(
        "wins",
        frame,
        index="algorithm",
        own=dict.fromkeys(frame, "{:.0f}".format),
        bold=bold,
        n=n,
        win=win,
    )


def pairs(c: OnWins) -> ResultTable:
    """Return a table of all pairs with their wins."""
    return pairs_table("pairs_by_wins", c, size=False, statistic="", raw=False)


def _wins_by_dataset(c: WinsComparison) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Yield each decided data set with the algorithms that each algorithm beats there."""
    for dataset in c.results.datasets:
        if dataset not in c.skipped:
            won = {a: [b for b in c.order if b != a and dataset in c.won[a, b]] for a in c.order}
            yield dataset, won


def by_data_set(c: WinsComparison) -> ResultTable | None:
    """Return a table of wins, ties and losses per data set and algorithm; None for two algorithms."""
    if len(c.wins) == 2:
        return None
    rows, unbeaten = {}, {}
    for dataset, won in _wins_by_dataset(c):
        lost = {name: sum(name in beaten for beaten in won.values()) for name in won}
        rows[dataset] = {
            a: f"{len(won[a])}/{len(won) - 1 - len(won[a]) - lost[a]}/{lost[a]}" for a in won
        }
        unbeaten[dataset] = {name: bool(won[name]) and not lost[name] for name in won}
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=c.order, dtype=object)
    bold = pd.DataFrame.from_dict(unbeaten, orient="index", columns=c.order)
    own = dict.fromkeys(c.order, str)
    return make_table(
        "wins_by_dataset",
        frame,
        c,
        name="datasets",
        index="data set",
        own=own,
        bold=dict(bold.items()),
    )


def winners(c: WinsComparison) -> ResultTable:
    """Return a table with one row per data set and winning algorithm."""
    rows = [
        (dataset, name, join_names(beaten, len(beaten)))
        for dataset, won in _wins_by_dataset(c)
        for name, beaten in won.items()
        if beaten
    ]
    return make_table(
        "winners",
        pd.DataFrame(rows, columns=["data set", "algorithm", "wins over"], dtype=object),
        c,
    )


def tests(c: WinsComparison) -> ResultTable | None:
    """Return a table of the tests on each data set, in detail for two algorithms; None for a sweep over thresholds."""
    if c.sweeps:
        return None
    by_risk, rows = c.settings.win == "risk", c.tests
    if len(c.wins) == 2:
        columns = ["p measures", *(["p risk"] if by_risk else []), "winner", "reason"]
        return make_table(
            "tests_on_datasets",
            rows.set_index("data set")[columns],
            c,
            name="tests",
            by_risk=by_risk,
        )
    counts = pd.DataFrame(
        {
            "pairs that differ": significant(rows["p measures"], c.settings.alpha),
            "pairs won": rows["winner"] != "",
            "not tested": rows["p measures"].isna(),
        }
    )
    table = counts.groupby(rows["data set"], sort=False).sum().astype(float)
    table.insert(0, "p of MANOVA", c.manova)
    if not table["not tested"].any():
        table = table.drop(columns="not tested")
    return make_table(
        "tests_of_pairs", table, c, name="tests", pairs=len(rows) // c.n, by_risk=by_risk
    )


def skipped(c: WinsComparison) -> ResultTable:
    """Return a table of the data sets without a decision, with the reason."""
    return make_table(
        "skipped", pd.DataFrame({"reason": c.skipped}, dtype=object), c, index="data set"
    )


def risks(c: WinsComparison) -> list[ResultTable]:
    """Return a table of the thresholds at which risks differ over data sets; [] if they are not tested."""
    tests_of_risks = c.risks()
    return [] if tests_of_risks is None else [risks_table(tests_of_risks, c.settings.alpha)]


def risks_table(risks: pd.DataFrame, alpha: float) -> ResultTable:
    """Return a table of the thresholds at which risks differ over data sets, one row per pair."""
    rows = []
    for pair, pair_rows in risks.groupby(list(PAIR), sort=False):
        differs, thetas = significant(pair_rows["p adjusted"], alpha), pair_rows["theta"].to_list()
        lower, higher = (
            spans(thetas, differs & (sign * pair_rows["statistic"] < 0)) for sign in (1, -1)
        )
        rows.append((*pair, lower, higher, pair_rows["p adjusted"].min()))
    columns = [*PAIR, "lower first", "lower second", "p adjusted"]
    table = pd.DataFrame(rows, columns=columns, dtype=object).astype({"p adjusted": float})
    return make_table(
        "risks", table.sort_values("p adjusted", kind="stable"), alpha=alpha, heads=PAIR
    )


def thresholds(c: WinsComparison) -> list[ResultTable]:
    """Return a table per data set of the thresholds at which each algorithm wins; [] without a sweep."""
    return [
        _thresholds(f"thresholds_{number}", dataset, sweep, c.settings.alpha)
        for number, (dataset, sweep) in enumerate(c.sweeps.items(), start=1)
    ]


def _thresholds(name: str, dataset: str, sweep: Sweep, alpha: float) -> ResultTable:
    """Return a table of the thresholds at which each algorithm wins on one data set."""
    beats = {
        (row["first"], row["second"])
        for row in sweep.tally(alpha).to_dict("records")
        if row["beats"]
    }
    rows: list[tuple[str, ...]] = []
    for pair, winners in zip(sweep.pairs, sweep.winners.to_numpy(), strict=True):
        won = {algorithm: winners == algorithm for algorithm in pair}
        first, second = sorted(pair, key=lambda algorithm: -won[algorithm].sum())
        n, lost = int(won[first].sum()), int(won[second].sum())
        record = f"{n}/{len(winners) - n - lost}/{lost}"
        rows.append(
            (
                first,
                second,
                record,
                spans(sweep.thetas, won[first]),
                spans(sweep.thetas, won[second]),
            )
        )
    frame = pd.DataFrame(
        rows, columns=[*PAIR, "record", "first wins at", "second wins at"], dtype=object
    )
    bold = {"first": [row[:2] in beats for row in rows]}
    return make_table(
        "winners_by_threshold", frame, name=name, bold=bold, dataset=dataset, n=len(sweep.thetas)
    )


def spans(thetas: Sequence[float], included: Sequence[bool]) -> str:
    """Return the included thresholds as text, consecutive ones as a range.

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
