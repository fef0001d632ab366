"""Tables of ROC and precision-recall curves, areas and thresholds on one data set."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations

import pandas as pd

from stats_core.core.formatting import format_number
from stats_core.curves import thresholds
from stats_core.curves.delong import DeLongResult
from stats_core.curves.threshold_sweep import DESCRIPTIVE, Sweep
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.report.tables.table import PAIR, ResultTable, make_table, yes_no


def area_table(
    dataset: str,
    means: pd.DataFrame,
    hulls: Mapping[str, float],
    parts: Mapping[str, tuple[float, float]],
    part: str,
    unit: str = "fold",
) -> ResultTable:
    """Return a table of areas under the curves; `part` describes the range of the partial area."""
    columns = {
        "AUC": means["auc"],
        "sd of areas": means["sd"],
        "hull": pd.Series(hulls),
        "AUC-PR": means["auc_pr"],
        "average precision": means["average precision"],
        "Davis-Goadrich": means["davis-goadrich"],
        **{
            kind: pd.Series({name: both[position] for name, both in parts.items()})
            for position, kind in enumerate(("partial", "McClish") if parts else ())
        },
    }
    several = bool(means["sd"].notna().any())
    table = pd.DataFrame(columns, index=means.index).drop(columns=[] if several else "sd of areas")
    return make_table(
        "areas",
        table,
        index="algorithm",
        dataset=dataset,
        unit=unit,
        several=several,
        part=part if parts else "",
    )


def delong(
    dataset: str,
    tests: Mapping[tuple[str, str], DeLongResult],
    names: Sequence[str],
    training: str,
    alpha: float,
) -> ResultTable:
    """Return a table of DeLong's test of every tested pair of `names` on one shared test set."""
    by_pair = {pair: tests[pair] for pair in combinations(names, 2) if pair in tests}
    rows = [
        (*pair, test.difference, test.low, test.high, test.statistic, test.pvalue)
        for pair, test in by_pair.items()
    ]
    columns = [*PAIR, "difference of AUC", "low of AUC", "high of AUC", "z", "p"]
    return make_table(
        "delong",
        pd.DataFrame(rows, columns=columns),
        alpha=alpha,
        heads=PAIR,
        pairs=len(rows),
        training=training,
        dataset=dataset,
    )


def threshold_table(
    dataset: str, table: pd.DataFrame, theta: float, folds: int, unit: str = "fold"
) -> ResultTable:
    """Return a table of rates at a threshold; `unit` is the noun for a fold."""
    return make_table(
        "at_theta",
        table,
        index="algorithm",
        own=dict.fromkeys(table, partial(format_number, digits=3)),
        dataset=dataset,
        theta=theta,
        ratio=thresholds.loss_ratio(theta),
        folds=folds,
        unit=unit,
    )


def dominance_table(dataset: str, dominance: pd.DataFrame, *, folds: int) -> ResultTable:
    """Return a table of dominating ROC curves and crossings."""
    above = (~dominance["dominating"].isin(["neither", "equal"])).sum()
    return make_table(
        "dominance",
        dominance.rename_axis(None),
        heads=PAIR,
        above=above,
        pairs=len(dominance),
        folds=folds,
        dataset=dataset,
    )


def threshold_wins_table(sweep: Sweep, dataset: str) -> ResultTable:
    """Return a table of thresholds won, one row per pair."""
    table = sweep.tally()
    won = ["wins more often" if is_so else "" for is_so in table.pop("beats")]
    return make_table(
        "tally",
        table.assign(verdict=won).rename_axis(None),
        alpha=sweep.alpha,
        heads=PAIR,
        thresholds=len(sweep.thetas),
        dataset=dataset,
        DESCRIPTIVE=DESCRIPTIVE,
        method=sweep.method,
    )


def sweep_wins(won: Wins) -> ResultTable:
    """Return a table of data sets won in the threshold sweep."""
    table = won.to_frame().drop(columns="p")
    table = table.assign(differs=yes_no(table["differs"])).rename_axis(None)
    return make_table("sweep_wins", table, alpha=won.alpha, heads=PAIR, n=won.n)
