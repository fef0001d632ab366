"""Costs: what is paid besides error, and the order it suggests."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, NeedsCost, SettingError
from stats_core.core.formatting import join_names
from stats_core.core.validation import (
    as_numbers,
    as_table,
    check_names,
    check_one_of,
    tie_groups,
)
from stats_core.data.results import Results

# how the costs of one data set are made comparable with those of another -> the name shown
COST_SCALES = {
    "largest": "divided by the largest on each data set",
    "sum": "divided by their sum on each data set",
    "min-max": "from 0 (cheapest) to 1 (costliest) on each data set",
    "rank": "ranks on each data set",
    "log": "mean logarithm",
}
# usual columns of costs -> the cost in words
COST_NAMES = {
    **dict.fromkeys(
        ("train_s", "training_s", "train_time", "training_time", "fit_s", "fit_time"),
        "training time",
    ),
    **dict.fromkeys(
        ("predict_s", "prediction_s", "predict_time", "prediction_time", "test_time"),
        "prediction time",
    ),
    **dict.fromkeys(("inference_s", "inference_time"), "inference time"),
    "score_time": "scoring time",
}


def cost_table(results: Results, cost: str) -> pd.DataFrame:
    """What does each algorithm cost on each data set?

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": ["a", "b"], "error": [0.1, 0.2], "time": [3.0, 1.0]})
    >>> cost_table(Results.from_frame(table, costs=["time"]), "time").loc["results"].tolist()
    [3.0, 1.0]
    """
    known = cost_columns(results)
    if cost not in known:
        raise NeedsCost(f'"{cost}" is none of {join_names(known, 8) or "the columns"}.')
    table = results.averages(cost)
    holes = table.isna()
    if holes.to_numpy().any():
        lacking = list(table.columns[holes.any()])
        where = table.index[holes[lacking[0]]][0]
        raise DataError(
            [
                f"An order by {cost} needs that cost for every algorithm on every data set. "
                f"{join_names(lacking, 4)} {'has' if len(lacking) == 1 else 'have'} no {cost}, first on "
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
    table = _checked(costs, negative=scale == "rank")
    values = table.to_numpy()
    if scale == "log" and not (values > 0).all():
        raise DataError(
            [
                f"Logarithms need costs above 0. {table.columns[(values <= 0).any(axis=0)][0]} has 0. "
                "Divide by the largest instead."
            ]
        )
    return pd.DataFrame(_scaled(values, scale), *table.axes).mean()


def combined_costs(
    tables: Mapping[str, pd.DataFrame], weights: Mapping[str, float]
) -> pd.DataFrame:
    """What does each algorithm cost, if several costs count, each by its weight?

    Examples
    --------
    >>> import pandas as pd
    >>> time, size = pd.DataFrame({"a": [1.0], "b": [2.0]}), pd.DataFrame({"a": [8.0], "b": [2.0]})
    >>> combined_costs({"time": time, "size": size}, {"time": 3, "size": 1}).iloc[0].tolist()
    [0.625, 0.8125]
    """
    tables, weights = _by_name(tables, "tables"), _by_name(weights, "weights")
    share = pd.Series(as_numbers(list(weights.values()), "weights"), list(weights))
    if not (np.isfinite(share) & (share >= 0)).all() or not share.sum() > 0:
        raise SettingError(
            "Weights must not be negative, and one must be above 0. "
            f"They are {weights!r}. Try 1 for each."
        )
    if unknown := [name for name in share.index if name not in tables]:
        raise SettingError(f"Every weight needs its cost. {join_names(unknown)} has none. Add it.")
    share = share / share.sum()
    checked = {name: _checked(tables[name]) for name in share.index}
    first = next(iter(checked))
    for name, table in checked.items():
        same_sets(table, checked[first], name, first)
    scaled = [
        weight * pd.DataFrame(_scaled(checked[name].to_numpy(), "largest"), *checked[name].axes)
        for name, weight in share.items()
    ]
    return sum(scaled[1:], start=scaled[0])


def prior_order(costs: pd.Series) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """In which order, from cheapest to costliest, and who costs the same?

    Examples
    --------
    >>> import pandas as pd
    >>> prior_order(pd.Series({"a": 2.0, "b": 1.0, "c": 2.0}))
    (('b', 'a', 'c'), (('a', 'c'),))
    """
    return prior_orders(pd.Series(costs).to_frame().T)[0]


def prior_orders(
    costs: pd.DataFrame,
) -> list[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]]:
    """Return `prior_order` of each row, data set x algorithm."""
    values = as_numbers(costs, "costs")
    lacking = costs.columns[~np.isfinite(values).all(axis=0)]
    if costs.empty or len(lacking):
        arrived = f"{join_names(lacking, 4)} {'has' if len(lacking) == 1 else 'have'} none"
        raise DataError(
            [
                "An order by cost needs the cost of every algorithm, a finite number. "
                f"{arrived if len(lacking) else 'There is no algorithm'}. Add "
                f"{'it' if len(lacking) == 1 else 'them'}."
            ]
        )
    names = [str(name) for name in costs.columns]
    groups = tie_groups(values, np.abs(values).max(axis=1))
    return [_in_groups(names, row) for row in groups.tolist()]


def _in_groups(
    names: list[str], groups: list[int]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    members: dict[int, list[str]] = {}
    for name, group in zip(names, groups, strict=True):
        members.setdefault(group, []).append(name)
    ordered = [members[group] for group in sorted(members)]
    ties = tuple(tuple(group) for group in ordered if len(group) > 1)
    return tuple(name for group in ordered for name in group), ties


def check_prior(prior: Sequence[str], algorithms: Sequence[str]) -> tuple[str, ...]:
    """Return an order typed by the user, without algorithms that are left out."""
    kept = tuple(name for name in check_names(prior, "prior") if name in set(algorithms))
    if sorted(kept) != sorted(algorithms):
        lacking = [name for name in algorithms if name not in kept]
        raise SettingError(
            "An order of your own must name every algorithm once. "
            f"{join_names(lacking, 6) or 'One'} {'is' if len(lacking) < 2 else 'are'} "
            f"{'missing' if lacking else 'named twice'}. Complete it."
        )
    return kept


def same_sets(table: pd.DataFrame, other: pd.DataFrame, name: str, others: str) -> None:
    """Refuse two tables, data set x algorithm, whose rows or columns have other names."""
    for axis, what in ((0, "data sets"), (1, "algorithms")):
        names, of_other = set(table.axes[axis]), set(other.axes[axis])
        if names != of_other:
            raise DataError(
                [
                    f'"{name}" and "{others}" must be of the same {what}. They share '
                    f"{len(names & of_other)} of {len(names | of_other)}. Leave out what only one "
                    "of them has."
                ]
            )


def _by_name(values: Any, name: str) -> dict:
    """Return a mapping by name."""
    try:
        return dict(values)
    except (TypeError, ValueError):
        pass
    raise SettingError(
        f"`{name}` must be a mapping by the name of the cost. A {type(values).__name__} is none. "
        "Pass a dict."
    )


def _checked(costs: pd.DataFrame, *, negative: bool = False) -> pd.DataFrame:
    """Return costs as floats, none missing, and none negative unless that is allowed."""
    costs = as_table(costs, "costs")
    values = as_numbers(costs, "costs")
    if not values.size:
        raise DataError(
            [
                "Costs need at least 1 data set (row) and 1 algorithm (column). They have "
                f"{len(costs)} and {costs.shape[1]}. Add them."
            ]
        )
    lacking = list(costs.columns[~np.isfinite(values).all(axis=0)])
    if lacking:
        raise DataError(
            [
                "Costs must be known for every algorithm on every data set. "
                f"{join_names(lacking, 4)} {'lacks' if len(lacking) == 1 else 'lack'} some. Add them."
            ]
        )
    below = list(costs.columns[(values < 0).any(axis=0)])
    if below and not negative:
        raise DataError(
            [
                f"Costs must not be negative. {join_names(below, 4)} "
                f"{'has' if len(below) == 1 else 'have'} some that are. Use their ranks, or "
                "another column."
            ]
        )
    return pd.DataFrame(values, *costs.axes)


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
