"""Tables of curves, areas and thresholds on one data set."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import pandas as pd

from stats_core.comparison.tables.table import (
    Table,
    four_decimals,
    indexed,
    numbered,
    three_decimals,
    write_p,
)
from stats_core.core.words import count, number
from stats_core.curves.delong import DeLongOutcome
from stats_core.curves.losses import loss_ratio
from stats_core.curves.sweep import DESCRIPTIVE, Sweep
from stats_core.inference.families.win_counts import Wins


def areas(
    dataset: str,
    means: pd.DataFrame,
    hulls: Mapping[str, float],
    parts: Mapping[str, tuple[float, float]],
    part: str,
    unit: str = "fold",
) -> Table:
    """Return every kind of area, from `mean_areas`; `part` says what the partial one is over."""
    kinds = {"auc": "AUC", "auc_pr": "AUC-PR", "davis-goadrich": "Davis-Goadrich"}
    table = means.rename(columns=kinds)
    table = table[["AUC", "sd", "AUC-PR", "average precision", "Davis-Goadrich"]]
    several = bool(table["sd"].notna().any())
    table = table if several else table.drop(columns="sd")
    table.insert(table.columns.get_loc("AUC-PR"), "hull", pd.Series(hulls))
    for place, kind in enumerate(("partial", "McClish") if parts else ()):
        table[kind] = pd.Series({name: both[place] for name, both in parts.items()})
    return Table(
        name="areas",
        title=f"Areas, mean over {unit}s" if several else "Areas",
        frame=indexed(table, "algorithm"),
        formats=dict.fromkeys(table.columns, four_decimals),
        caption=f"Areas under the curves on {dataset}{f', means over {unit}s' if several else ''}. hull: "
        f"area under the convex hull{f' of each {unit}' if several else ''}. AUC-PR: trapezoids from (0, 1). partial: {part}; McClish maps chance to "
        "1/2 and the best to 1.",
    )


def delong(
    dataset: str,
    found: Mapping[tuple[str, str], DeLongOutcome],
    names: Sequence[str],
    training: str,
    alpha: float,
) -> Table:
    """Return DeLong's test of every pair on the cases of one shared test set."""
    rows = [
        {
            "first": a,
            "second": b,
            "difference of AUC": found[a, b].difference,
            "low": found[a, b].low,
            "high": found[a, b].high,
            "z": found[a, b].statistic,
            "p": found[a, b].pvalue,
        }
        for a, b in combinations(names, 2)
        if (a, b) in found
    ]
    return Table(
        name="delong",
        title=f"{count(len(rows), 'pair')}, training {training}",
        frame=numbered(pd.DataFrame(rows)),
        formats={
            **dict.fromkeys(["difference of AUC", "low", "high"], four_decimals),
            "z": number,
            "p": write_p(alpha),
        },
        caption=f"DeLong's test of areas on {dataset}, one training each, with 95 % intervals. Speaks "
        "of these trained classifiers on new cases, not of the algorithms: training randomness is "
        "not seen. p is not adjusted for the number of pairs.",
        heads=("first", "second"),
    )


def at_threshold(
    dataset: str, table: pd.DataFrame, theta: float, folds: int, unit: str = "fold"
) -> Table:
    """Return what each algorithm does at the threshold, from `at_theta`; `unit` is one of the folds."""
    ratio = loss_ratio(theta)
    price = "any number of" if ratio == float("inf") else f"{ratio:.3g}"
    return Table(
        name="at_theta",
        title=f"At theta {theta:.2f}",
        frame=indexed(table, "algorithm"),
        formats=dict.fromkeys(table.columns, three_decimals),
        caption=f"On {dataset}{f', means over {unit}s' if folds > 1 else ''}, least risk first. Risk is "
        f"per case: theta for a false positive, 1 − theta for a false negative (lambda = {price}). "
        + (
            f"A {unit} without a positive call has no precision and is left out of that mean."
            if folds > 1
            else "Without a positive call there is no precision."
        ),
    )


def dominance(dataset: str, found: pd.DataFrame, *, folds: int) -> Table:
    """Return which curve is nowhere below another, and where they cross; averages if of folds."""
    table = numbered(found)
    above = (~table["nowhere below the other"].isin(["neither", "equal"])).sum()
    which = "average " if folds > 1 else ""
    return Table(
        name="dominance",
        title=f"In {above} of {count(len(table), 'pair')} one {which}curve is nowhere below",
        frame=table,
        caption=f"{'Average ' if folds > 1 else ''}ROC curves on {dataset}: which is nowhere below, "
        "where they cross. Where one curve is nowhere below, it is the better choice at every cost of errors, as far "
        "as these curves tell, which no test here asks; tests of the areas are on the next tab.",
        heads=("first", "second"),
    )


def tally(found: Sweep, dataset: str) -> Table:
    """Return wins over thresholds, pair by pair."""
    table = found.tally()
    won = ["wins more often" if is_so else "" for is_so in table.pop("beats")]
    return Table(
        name="tally",
        title=f"Thresholds won, of {len(found.thetas)}",
        frame=numbered(table.assign(verdict=won)),
        formats={"p": write_p(found.alpha)},
        caption=f"Thresholds at which the first wins on {dataset}; right-tailed sign test. "
        f"{DESCRIPTIVE}",
        heads=("first", "second"),
    )


def sweep_wins(won: Wins) -> Table:
    """Return on how many data sets each wins the sweep over thresholds."""
    table = won.to_frame().drop(columns="p")
    table["differs"] = ["yes" if is_so else "no" for is_so in table["differs"]]
    return Table(
        name="sweep_wins",
        title=f"Data sets won, of {won.n}",
        frame=numbered(table),
        formats={"p adjusted": write_p(won.alpha)},
        caption="Data sets on which the first wins the sweep over thresholds; two-tailed sign test, "
        "Bonferroni over pairs.",
        heads=("first", "second"),
    )
