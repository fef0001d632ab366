"""Algorithms in the plane of cost and performance."""

from dataclasses import dataclass

import pandas as pd

from stats_core.comparison.result import Comparison
from stats_core.core.formatting import join_names
from stats_core.inference.ranks import rank_rows

UNDOMINATED = "undominated"
BEATEN = "a cheaper one is better"
BEHIND = "behind a cheaper one, not separated"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CostPlane:
    """Algorithms by cost and performance.

    Attributes
    ----------
    cost : str
        Name of the cost.
    value : str
        Name of the performance value: "average rank on error", or "mean error" on one data set.
    higher_is_better : bool
        Direction of the value; ranks are better low.
    table : DataFrame by algorithm, the cheapest first
        Columns cost, value, standing (`UNDOMINATED`; `BEATEN` where the test of the pair says
        so; `BEHIND` where only the numbers do) and by (the algorithms that are cheaper, or as
        cheap, and better by the test, or else by the numbers).
    text : str
        Where cost and result disagree, in a line.
    """

    cost: str
    value: str
    higher_is_better: bool
    table: pd.DataFrame
    text: str


def cost_plane(comparison: Comparison, costs: pd.Series, cost: str) -> CostPlane:
    """Who costs more than another and does no better, and where do cost and result disagree?

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core import Results, analyse
    >>> rows = [(f"d{d}", a, v + d / 100 + (d % 3) / 1000 * (a == "b"))
    ...         for d in range(9) for a, v in {"a": 0.1, "b": 0.2, "c": 0.3}.items()]
    >>> table = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    >>> found = cost_plane(
    ...     analyse(Results.from_frame(table.assign(fold=1))), pd.Series({"a": 2, "b": 5, "c": 1}), "size"
    ... )
    >>> found.table["standing"].to_dict()
    {'c': 'undominated', 'a': 'undominated', 'b': 'a cheaper one is better'}
    """
    names = [name for name in comparison.scores.columns if name in costs.index]
    scores, measure = comparison.scores[names], comparison.settings.measure
    higher = comparison.higher_is_better
    if len(scores) > 1:
        values = rank_rows(scores, higher_is_better=higher, missing="worst").mean()
        value, higher = f"average rank on {measure}", False
    else:
        values, value = scores.iloc[0], f"mean {measure}"
    table = pd.DataFrame({"cost": costs[names].astype(float), "value": values})
    better = comparison.beats.reindex(index=names, columns=names, fill_value=False)
    rows = {name: _standing(table, better, name, higher) for name in names}
    standings = pd.DataFrame.from_dict(rows, orient="index", columns=["standing", "by"])
    table = table.join(standings).sort_values("cost", kind="stable").rename_axis("algorithm")
    return CostPlane(
        cost=cost,
        value=value,
        higher_is_better=higher,
        table=table,
        text=_text(table, better, cost, measure, value, higher),
    )


def _standing(table: pd.DataFrame, better: pd.DataFrame, name: str, higher: bool) -> tuple:
    """Return the standing of one algorithm and the names of those ahead of it."""
    row = table.loc[name]
    not_dearer = table["cost"] <= row["cost"]
    if beaten := [cheaper for cheaper in table.index[not_dearer] if better.at[cheaper, name]]:
        return BEATEN, ", ".join(beaten)
    ahead = table["value"] >= row["value"] if higher else table["value"] <= row["value"]
    differs = (table["cost"] != row["cost"]) | (table["value"] != row["value"])
    if behind := list(table.index[not_dearer & ahead & differs]):
        return BEHIND, ", ".join(behind)
    return UNDOMINATED, ""


def _text(
    table: pd.DataFrame, better: pd.DataFrame, cost: str, measure: str, value: str, higher: bool
) -> str:
    """Return sentences on whether cost and performance disagree."""
    cheapest = table.index[0]
    best = table["value"].idxmax() if higher else table["value"].idxmin()
    if best == cheapest:
        text = f"{best} costs least and has the best {value}: {cost} and {measure} agree on it."
    else:
        relation = (
            "is better by the test" if better.at[best, cheapest] else "is not separated from it"
        )
        text = (
            f"{cost} and {measure} disagree: {cheapest} costs least; {best} has the best {value} and "
            f"{relation}."
        )
    beaten = list(table.index[table["standing"] == BEATEN])
    if beaten:
        subject = "one that costs no more"
        text += f" By the tests {subject} is better than {join_names(beaten, 6)}."
    return text
