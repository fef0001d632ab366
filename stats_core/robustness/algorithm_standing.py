"""Orders of algorithms and data sets, differences within a group of algorithms, and performance against cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.result import Comparison
from stats_core.core.result_types import cached
from stats_core.data.results import Results
from stats_core.inference import ranks


@cached
def best_first(results: Results, measure: str) -> tuple[str, ...]:
    """Return the algorithms from best to worst average rank; missing results rank worst.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("d", "a", 0.3), ("d", "b", 0.1), ("d", "c", 0.2)]
    >>> table = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    >>> best_first(Results.from_frame(table.assign(fold=1)), "error")
    ('b', 'c', 'a')
    """
    if len(results.algorithms) < 2:
        return results.algorithms
    average_ranks = _ranks(results, measure).mean()
    return tuple(average_ranks.sort_values(kind="stable").index)


def datasets_by_difference(results: Results, measure: str, among: Sequence[str]) -> list[str]:
    """Return the data sets `among` by decreasing differences between algorithms.

    Notes
    -----
    The order is that of F of the blocked analysis of variance without correction for overlap. Data sets with a
    single result per algorithm, missing results, or no variation follow in the given order.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(d, a, f, x + f * f / 10 * (a == "b")) for d, xs in {"u": (1, 1.01), "v": (1, 2)}.items()
    ...         for a, x in zip("ab", xs) for f in (1, 2, 3)]
    >>> table = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "error"])
    >>> datasets_by_difference(Results.from_frame(table), "error", ("u", "v"))
    ['v', 'u']
    """
    statistics = {name: _blocked_f(results.matrix(name, measure)) for name in among}
    return sorted(among, key=lambda name: -statistics[name])


def advantages_by_dataset(results: Results, measure: str, datasets: Sequence[str]) -> pd.DataFrame:
    """Return a table of "data set" and "advantages": a list of each algorithm's difference from the worst."""
    averages = results.averages(measure).reindex(list(datasets))
    higher = results.direction(measure) == "higher"
    worst = averages.min(axis=1) if higher else averages.max(axis=1)
    advantages = averages.sub(worst, axis=0).abs()
    return pd.DataFrame({"data set": averages.index, "advantages": advantages.to_numpy().tolist()})


def _blocked_f(matrix: pd.DataFrame) -> float:
    """Return F of the blocked analysis of variance, inf without residual variation, -1 if it is undefined."""
    values = matrix.to_numpy(dtype=float)
    n, k = values.shape
    if n < 2 or k < 2 or not np.isfinite(values).all():
        return -1.0
    means = values.mean(axis=0)
    between = n * means.var(ddof=1)
    residuals = values - values.mean(axis=1, keepdims=True) - means + values.mean()
    error = (residuals**2).sum() / ((n - 1) * (k - 1))
    if error > 0:
        return float(between / error)
    return np.inf if between > 0 else -1.0


def _ranks(results: Results, measure: str) -> pd.DataFrame:
    """Return ranks on each data set, data set x algorithm; 1 is best."""
    higher = results.direction(measure) == "higher"
    return ranks.rank_rows(results.averages(measure), higher_is_better=higher, missing="worst")


def inside_group(comparison: Comparison, members: Sequence[str]) -> dict[str, Any] | None:
    """Return the results of the pairwise tests within a group; None for one algorithm or a pair without adjusted p.

    Keys: members; pairs and separated (numbers of pairs, and of significant ones); nearest and
    level (the pair with the smallest adjusted p, and that p); farthest and largest (likewise for
    the largest); alpha (of the comparison).

    Notes
    -----
    A pair differs if its adjusted p is at most alpha, so a group splits at every level from the
    smallest adjusted p of its pairs on.

    Examples
    --------
    >>> import pandas as pd
    >>> from types import SimpleNamespace
    >>> from stats_core.comparison.pairs import Pairs
    >>> rows = pd.DataFrame(
    ...     [("a", "b", 0.3), ("a", "c", 0.062), ("b", "c", 0.9)],
    ...     columns=["first", "second", "p adjusted"],
    ... ).assign(separated=False)
    >>> pairs = Pairs(decisions=rows, correction="holm")
    >>> found = inside_group(
    ...     SimpleNamespace(pairs=pairs, settings=SimpleNamespace(alpha=0.05)), ["a", "b", "c"]
    ... )
    >>> found["nearest"], found["level"]
    (('a', 'c'), 0.062)
    """
    names = list(dict.fromkeys(members))
    all_pairs = comparison.pairs.decisions
    pairs = all_pairs[all_pairs["first"].isin(names) & all_pairs["second"].isin(names)]
    n_expected = len(names) * (len(names) - 1) // 2
    if not len(pairs) or len(pairs) < n_expected or pairs["p adjusted"].isna().any():
        return None
    ordered = pairs.sort_values("p adjusted", kind="stable")
    closest = ordered.iloc[0]
    farthest = ordered.iloc[-1]
    return dict(
        members=tuple(names),
        pairs=len(pairs),
        separated=int(pairs["separated"].sum()),
        nearest=(str(closest["first"]), str(closest["second"])),
        level=float(closest["p adjusted"]),
        farthest=(str(farthest["first"]), str(farthest["second"])),
        largest=float(farthest["p adjusted"]),
        alpha=float(comparison.settings.alpha),
    )


UNDOMINATED = "Pareto-optimal"
BEATEN = "dominated (significantly)"
BEHIND = "dominated (not significantly)"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CostPlane:
    """Algorithms by cost and performance, with the Pareto-optimal ones marked.

    Attributes
    ----------
    cost : str
        Name of the cost.
    value : str
        Name of the performance value: "average rank for error", or "mean error" on one data set.
    higher_is_better : bool
        Direction of the value; False for ranks.
    table : DataFrame by algorithm, the cheapest first
        Columns cost, value, standing (`UNDOMINATED`; `BEATEN` if an algorithm that costs no more is
        significantly better; `BEHIND` if one is no worse in value, and not equal in cost and value)
        and by (these algorithms).
    best_beats_cheapest : bool
        Whether the algorithm with the best value is significantly better than the cheapest.
    """

    cost: str
    value: str
    higher_is_better: bool
    table: pd.DataFrame
    best_beats_cheapest: bool


def cost_plane(comparison: Comparison, costs: pd.Series, cost: str) -> CostPlane:
    """Return cost and performance of the algorithms with a cost, with Pareto-optimal and dominated ones marked.

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
    {'c': 'Pareto-optimal', 'a': 'Pareto-optimal', 'b': 'dominated (significantly)'}
    """
    names = [name for name in comparison.scores.columns if name in costs.index]
    scores = comparison.scores[names]
    higher = comparison.higher_is_better
    if len(scores) > 1:
        values = ranks.rank_rows(scores, higher_is_better=higher, missing="worst").mean()
        value = f"average rank for {comparison.measure_name}"
        higher = False
    else:
        values = scores.iloc[0]
        value = f"mean {comparison.measure_name}"
    table = pd.DataFrame({"cost": costs[names].astype(float), "value": values})
    better = comparison.beats.reindex(index=names, columns=names, fill_value=False)
    rows = {name: _standing(table, better, name, higher) for name in names}
    standings = pd.DataFrame.from_dict(rows, orient="index", columns=["standing", "by"])
    table = table.join(standings).sort_values("cost", kind="stable").rename_axis("algorithm")
    best = table["value"].idxmax() if higher else table["value"].idxmin()
    cheapest = table.index[0]
    return CostPlane(
        cost=cost,
        value=value,
        higher_is_better=higher,
        table=table,
        best_beats_cheapest=bool(better.at[best, cheapest]),
    )


def _standing(table: pd.DataFrame, better: pd.DataFrame, name: str, higher: bool) -> tuple:
    """Return the standing of an algorithm, and the names of those that dominate it as text, "" if Pareto-optimal."""
    row = table.loc[name]
    is_affordable = table["cost"] <= row["cost"]
    winners = [other for other in table.index[is_affordable] if better.at[other, name]]
    if winners:
        return BEATEN, ", ".join(winners)
    is_ahead = table["value"] >= row["value"] if higher else table["value"] <= row["value"]
    differs = (table["cost"] != row["cost"]) | (table["value"] != row["value"])
    ahead = list(table.index[is_affordable & is_ahead & differs])
    if ahead:
        return BEHIND, ", ".join(ahead)
    return UNDOMINATED, ""
