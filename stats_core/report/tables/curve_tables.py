"""Tables of curves, areas and thresholds on one data set."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import pandas as pd

from stats_core.core.formatting import format_number
from stats_core.curves.delong import DeLongResult
from stats_core.curves.threshold_sweep import DESCRIPTIVE, Sweep
from stats_core.curves.thresholds import loss_ratio
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.report.tables.table import (
    ResultTable,
    four_decimals,
    name_index,
    table_text,
    three_decimals,
    with_row_numbers,
    write_p,
)


def area_table(
    dataset: str,
    means: pd.DataFrame,
    hulls: Mapping[str, float],
    parts: Mapping[str, tuple[float, float]],
    part: str,
    unit: str = "fold",
) -> ResultTable:
    """Return a table of all kinds of area; `part` describes the range of the partial one."""
    kinds = {"auc": "AUC", "auc_pr": "AUC-PR", "davis-goadrich": "Davis-Goadrich"}
    table = means.rename(columns=kinds)
    table = table[["AUC", "sd", "AUC-PR", "average precision", "Davis-Goadrich"]]
    several = bool(table["sd"].notna().any())
    table = table if several else table.drop(columns="sd")
    table.insert(table.columns.get_loc("AUC-PR"), "hull", pd.Series(hulls))
    for position, kind in enumerate(("partial", "McClish") if parts else ()):
        table[kind] = pd.Series({name: raw_and_scaled[position] for name, raw_and_scaled in parts.items()})
    return ResultTable(
        name="areas",
        title=f"Areas, mean over {unit}s" if several else "Areas",
        frame=name_index(table, "algorithm"),
        formats=dict.fromkeys(table.columns, four_decimals),
        caption=f"Areas under the curves on {dataset}{f', means over {unit}s' if several else ''}. hull: "
        f"area under the convex hull{f' of each {unit}' if several else ''}. AUC-PR: trapezoids from (0, 1). partial: {part}; McClish maps chance to "
        "1/2 and the best to 1.",
    )


def delong(
    dataset: str, tests: Mapping[tuple[str, str], DeLongResult], names: Sequence[str], training: str, alpha: float
) -> ResultTable:
    """Return a table of DeLong's test of every pair on one shared test set."""
    rows = [
        {
            "first": first,
            "second": second,
            "difference of AUC": tests[first, second].difference,
            "low": tests[first, second].low,
            "high": tests[first, second].high,
            "z": tests[first, second].statistic,
            "p": tests[first, second].pvalue,
        }
        for first, second in combinations(names, 2)
        if (first, second) in tests
    ]
    return ResultTable(
        name="delong",
        frame=with_row_numbers(pd.DataFrame(rows)),
        formats={
            **dict.fromkeys(["difference of AUC", "low", "high"], four_decimals),
            "z": format_number,
            "p": write_p(alpha),
        },
        heads=("first", "second"),
        **table_text("curve", "delong", rows=rows, training=training, dataset=dataset),
    )


def threshold_table(dataset: str, table: pd.DataFrame, theta: float, folds: int, unit: str = "fold") -> ResultTable:
    """Return a table of rates at the threshold; `unit` names a fold."""
    ratio = loss_ratio(theta)
    price = "any number of" if ratio == float("inf") else f"{ratio:.3g}"
    return ResultTable(
        name="at_theta",
        title=f"At theta {theta:.2f}",
        frame=name_index(table, "algorithm"),
        formats=dict.fromkeys(table.columns, three_decimals),
        caption=f"On {dataset}{f', means over {unit}s' if folds > 1 else ''}, least risk first. Risk is "
        f"per case: theta for a false positive, 1 − theta for a false negative (lambda = {price}). "
        + (
            f"A {unit} without a positive call has no precision and is left out of that mean."
            if folds > 1
            else "Without a positive call there is no precision."
        ),
    )


def dominance_table(dataset: str, dominance: pd.DataFrame, *, folds: int) -> ResultTable:
    """Return a table of dominating curves and crossings."""
    table = with_row_numbers(dominance)
    above = (~table["dominating"].isin(["neither", "equal"])).sum()
    which = "average " if folds > 1 else ""
    return ResultTable(
        name="dominance",
        frame=table,
        heads=("first", "second"),
        **table_text("curve", "dominance_table", above=above, table=table, which=which, folds=folds, dataset=dataset),
    )


def threshold_wins_table(sweep: Sweep, dataset: str) -> ResultTable:
    """Return a table of the thresholds won, one row per pair."""
    table = sweep.tally()
    won = ["wins more often" if is_so else "" for is_so in table.pop("beats")]
    return ResultTable(
        name="tally",
        frame=with_row_numbers(table.assign(verdict=won)),
        formats={"p": write_p(sweep.alpha)},
        heads=("first", "second"),
        **table_text("curve", "threshold_wins_table", found=sweep, dataset=dataset, DESCRIPTIVE=DESCRIPTIVE),
    )


def sweep_wins(won: Wins) -> ResultTable:
    """Return a table of the data sets won in the sweep over thresholds."""
    table = won.to_frame().drop(columns="p")
    table["differs"] = ["yes" if is_so else "no" for is_so in table["differs"]]
    return ResultTable(
        name="sweep_wins",
        frame=with_row_numbers(table),
        formats={"p adjusted": write_p(won.alpha)},
        heads=("first", "second"),
        **table_text("curve", "sweep_wins", won=won),
    )
