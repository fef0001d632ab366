"""Costs: what is paid besides error, and the order it suggests."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from stats_core._check import check_one_of, tie_groups
from stats_core.errors import DataError, SettingError
from stats_core.results import Results
from stats_core.wording import listed

# how the costs of one data set are made comparable with those of another -> the name shown
COST_SCALES = {
    "largest": "divided by the largest on each data set",
    "sum": "divided by their sum on each data set",
    "min-max": "from 0 (cheapest) to 1 (costliest) on each data set",
    "rank": "ranks on each data set",
    "log": "mean logarithm",
}


def cost_table(results: Results, cost: str) -> pd.DataFrame:
    """What does each algorithm cost on each data set?

    Parameters
    ----------
    results : Results
    cost : str
        A cost column, or a measure of which less is better.

    Returns
    -------
    DataFrame, data set x algorithm
        Averages over folds, none missing.

    Raises
    ------
    SettingError, DataError
        No such column; a cost is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": ["a", "b"], "error": [0.1, 0.2], "time": [3.0, 1.0]})
    >>> cost_table(Results.from_frame(table, costs=["time"]), "time").loc["results"].tolist()
    [3.0, 1.0]
    """
    known = cost_columns(results)
    if cost not in known:
        raise SettingError(
            f'An order needs a cost. "{cost}" is none of {listed(known, 8) or "the columns"}. '
            "Mark a cost on Data, or give an order of your own."
        )
    table = results.averages(cost)
    holes = table.isna()
    if holes.to_numpy().any():
        lacking = list(table.columns[holes.any()])
        where = table.index[holes[lacking[0]]][0]
        raise DataError(
            [
                f"An order by {cost} needs that cost for every algorithm on every data set. "
                f"{listed(lacking, 4)} {'has' if len(lacking) == 1 else 'have'} no {cost}, first on "
                f"{where}. Give one, or leave {'it' if len(lacking) == 1 else 'them'} out."
            ]
        )
    return table


def cost_columns(results: Results) -> tuple[str, ...]:
    """Return the columns that can serve as a cost: costs first, then measures to be kept low."""
    low = (name for name in results.measures if results.direction(name) == "lower")
    return (*results.costs, *low)


def average_cost(costs: pd.DataFrame, scale: str = "largest") -> pd.Series:
    """What does each algorithm cost on average, data sets made comparable?

    Parameters
    ----------
    costs : DataFrame, data set x algorithm
        None missing.
    scale : str
        One of `COST_SCALES`: each cost divided by the largest, or by the sum, of its data set;
        from 0 for the cheapest there to 1 for the costliest; its rank; or its logarithm, which
        does not depend on any unit.

    Returns
    -------
    Series by algorithm
        Mean over data sets.

    Raises
    ------
    SettingError, DataError
        Unknown scale; a missing or a negative cost; logarithms of a cost that is 0.

    Notes
    -----
    Where all costs of a data set are 0, or equal under "min-max", it counts as 0 for all.

    References
    ----------
    Ulas, Yildiz and Alpaydin 2012, Table 2, line 8 ("average normalized cost").

    Examples
    --------
    >>> import pandas as pd
    >>> costs = pd.DataFrame({"a": [1.0, 30.0], "b": [2.0, 10.0]})
    >>> average_cost(costs).round(3).tolist(), average_cost(costs, "rank").tolist()
    ([0.75, 0.667], [1.5, 1.5])
    """
    check_one_of(scale, COST_SCALES, "scale")
    values = _checked(costs, negative=scale == "rank")
    if scale == "log" and not (values > 0).all():
        raise DataError(
            [
                f"Logarithms need costs above 0. {costs.columns[(values <= 0).any(axis=0)][0]} has 0. "
                "Divide by the largest instead."
            ]
        )
    return pd.DataFrame(_scaled(values, scale), costs.index, costs.columns).mean()


def combined_costs(
    tables: Mapping[str, pd.DataFrame], weights: Mapping[str, float]
) -> pd.DataFrame:
    """What does each algorithm cost, if several costs count, each by its weight?

    Parameters
    ----------
    tables : mapping of name to DataFrame, data set x algorithm
        The costs.
    weights : mapping of name to float
        Not negative, not all 0; only their ratios matter.

    Returns
    -------
    DataFrame, data set x algorithm
        Weighted mean of the costs, each divided by its largest on the data set.

    Raises
    ------
    SettingError, DataError
        A weight is negative or not a number, all are 0, or one has no table; a cost is missing
        or negative.

    Examples
    --------
    >>> import pandas as pd
    >>> time, size = pd.DataFrame({"a": [1.0], "b": [2.0]}), pd.DataFrame({"a": [8.0], "b": [2.0]})
    >>> combined_costs({"time": time, "size": size}, {"time": 3, "size": 1}).iloc[0].tolist()
    [0.625, 0.8125]
    """
    share = pd.Series(dict(weights), dtype=float)
    if not (np.isfinite(share) & (share >= 0)).all() or not share.sum() > 0:
        raise SettingError(
            "Weights must not be negative, and one must be above 0. "
            f"They are {dict(weights)!r}. Try 1 for each."
        )
    if unknown := [name for name in share.index if name not in tables]:
        raise SettingError(f"Every weight needs its cost. {listed(unknown)} has none. Add it.")
    share = share / share.sum()
    scaled = [
        weight * pd.DataFrame(_scaled(_checked(tables[name]), "largest"), *tables[name].axes)
        for name, weight in share.items()
    ]
    return sum(scaled[1:], start=scaled[0])


def prior_order(costs: pd.Series) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """In which order, from cheapest to costliest, and who costs the same?

    Parameters
    ----------
    costs : Series by algorithm

    Returns
    -------
    tuple of str, tuple of tuple of str
        The order, equal costs (within 1e-9 of the largest) in the order of the Series; and the
        groups with equal costs.

    Examples
    --------
    >>> import pandas as pd
    >>> prior_order(pd.Series({"a": 2.0, "b": 1.0, "c": 2.0}))
    (('b', 'a', 'c'), (('a', 'c'),))
    """
    values = costs.to_numpy(dtype=float)[None]
    groups = tie_groups(values, np.abs(values).max(axis=1))[0]
    names = [str(name) for name in costs.index]
    members: dict[int, list[str]] = {}
    for name, group in zip(names, groups.tolist(), strict=True):
        members.setdefault(group, []).append(name)
    ordered = [members[group] for group in sorted(members)]
    ties = tuple(tuple(group) for group in ordered if len(group) > 1)
    return tuple(name for group in ordered for name in group), ties


def check_prior(prior: Sequence[str], algorithms: Sequence[str]) -> tuple[str, ...]:
    """Return an order typed by the user, without algorithms that are left out."""
    kept = tuple(name for name in prior if name in set(algorithms))
    if sorted(kept) != sorted(algorithms):
        lacking = [name for name in algorithms if name not in kept]
        raise SettingError(
            "An order of your own must name every algorithm once. "
            f"{listed(lacking, 6) or 'One'} {'is' if len(lacking) < 2 else 'are'} "
            f"{'missing' if lacking else 'named twice'}. Complete it."
        )
    return kept


def _checked(costs: pd.DataFrame, *, negative: bool = False) -> np.ndarray:
    """Return costs as floats, none missing, and none negative unless that is allowed."""
    values = costs.to_numpy(dtype=float)
    lacking = list(costs.columns[~np.isfinite(values).all(axis=0)])
    if lacking:
        raise DataError(
            [
                "Costs must be known for every algorithm on every data set. "
                f"{listed(lacking, 4)} {'lacks' if len(lacking) == 1 else 'lack'} some. Add them."
            ]
        )
    below = list(costs.columns[(values < 0).any(axis=0)])
    if below and not negative:
        raise DataError(
            [
                f"Costs must not be negative. {listed(below, 4)} "
                f"{'has' if len(below) == 1 else 'have'} some that are. Use their ranks, or "
                "another column."
            ]
        )
    return values


def _scaled(values: np.ndarray, scale: str) -> np.ndarray:
    """Scale the costs of each data set (row)."""
    if scale == "log":
        return np.log(values)
    if scale == "rank":
        groups = tie_groups(values, np.abs(values).max(axis=1))
        below = groups[:, :, None] > groups[:, None, :]
        same = groups[:, :, None] == groups[:, None, :]
        return below.sum(axis=2) + (same.sum(axis=2) + 1) / 2
    if scale == "min-max":
        values = values - values.min(axis=1, keepdims=True)
    whole = (values.sum if scale == "sum" else values.max)(axis=1, keepdims=True)
    return np.divide(values, whole, out=np.zeros_like(values), where=whole > 0)
