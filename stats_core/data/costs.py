"""Costs of algorithms, and the orders they imply."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, NeedsCost, SettingError
from stats_core.core.formatting import measure_name
from stats_core.core.validation import as_numbers, as_table, check_names, check_one_of, tie_groups
from stats_core.data.results import Results
from stats_core.data.settings import Analysed, selected_results

# scaling of costs to make data sets comparable -> label
COST_SCALES = {
    "largest": "divided by maximum",
    "sum": "divided by sum",
    "min-max": "scaled to [0, 1]",
    "rank": "ranks",
    "log": "mean logarithm",
}
IN_SECONDS = "(?i)_s(ec|ecs|econds)?$"  # pattern of the unit in the name of a column
# common names of cost columns -> label
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


def cost_name(cost: str) -> str:
    """Return the displayed name of a cost column, without a unit of seconds.

    Examples
    --------
    >>> cost_name("train_s"), cost_name("Train_Time_s"), cost_name("latency_s"), cost_name("model_size")
    ('training time', 'training time', 'latency', 'model size')
    """
    without_unit = re.sub(IN_SECONDS, "", cost)
    for name in (cost, without_unit):
        if name.lower() in COST_NAMES:
            return COST_NAMES[name.lower()]
    return measure_name(without_unit)


def cost_table(results: Results | Analysed, cost: str) -> pd.DataFrame:
    """Return mean costs over folds, data set x algorithm; NeedsCost for an unknown cost, DataError if any is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": ["a", "b"], "error": [0.1, 0.2], "time": [3.0, 1.0]})
    >>> cost_table(Results.from_frame(table, costs=["time"]), "time").loc["results"].tolist()
    [3.0, 1.0]
    """
    results = selected_results(results)
    available = cost_columns(results)
    if cost not in available:
        raise NeedsCost.of("unknown cost", cost=cost, columns=available)
    table = results.averages(cost)
    is_missing = table.isna()
    if is_missing.to_numpy().any():
        incomplete = list(table.columns[is_missing.any()])
        lacks_first = is_missing[incomplete[0]]
        first_dataset = table.index[lacks_first][0]
        raise DataError.of("no cost somewhere", cost=cost, names=incomplete, dataset=first_dataset)
    return table


def cost_columns(results: Results) -> tuple[str, ...]:
    """Return the columns usable as cost: costs, then measures for which lower is better."""
    low = (name for name in results.measures if results.direction(name) == "lower")
    return (*results.costs, *low)


def average_cost(costs: pd.DataFrame, scale: str = "largest") -> pd.Series:
    """Return the average cost of each algorithm over data sets, scaled within each data set by one of `COST_SCALES`.

    Notes
    -----
    If all costs of a data set are 0, or equal under "min-max", they are scaled to 0. DataError is raised for missing or
    infinite costs, negative ones unless `scale` is "rank", and zeros if it is "log"; SettingError for another scale.

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
    if scale == "log":
        has_zero = (table <= 0).any()
        if has_zero.any():
            raise DataError.of("cost of zero", name=table.columns[has_zero][0])
    return _scaled_table(table, scale).mean()


def combined_costs(
    tables: Mapping[str, pd.DataFrame], weights: Mapping[str, float]
) -> pd.DataFrame:
    """Return the weighted mean of several costs, data set x algorithm; each is divided by its maximum on a data set.

    Weights need not sum to 1; tables without a weight are ignored. Raises DataError if tables
    differ in names or a cost is missing or negative, SettingError for a weight that is negative,
    infinite or without a table, or if no weight is positive.

    Examples
    --------
    >>> import pandas as pd
    >>> time, size = pd.DataFrame({"a": [1.0], "b": [2.0]}), pd.DataFrame({"a": [8.0], "b": [2.0]})
    >>> combined_costs({"time": time, "size": size}, {"time": 3, "size": 1}).iloc[0].tolist()
    [0.625, 0.8125]
    """
    tables = _by_name(tables, "tables")
    weights = _by_name(weights, "weights")
    share = pd.Series(as_numbers(list(weights.values()), "weights"), list(weights))
    is_valid = np.isfinite(share) & (share >= 0)
    if not is_valid.all() or not share.sum() > 0:
        raise SettingError.of("wrong weights", weights=weights)
    unknown = [name for name in share.index if name not in tables]
    if unknown:
        raise SettingError.of("weight without cost", names=unknown)
    share = share / share.sum()
    checked = {name: _checked(tables[name]) for name in share.index}
    first = next(iter(checked))
    for name, table in checked.items():
        same_sets(table, checked[first], name, first)
    scaled = [weight * _scaled_table(checked[name], "largest") for name, weight in share.items()]
    return sum(scaled[1:], start=scaled[0])


def prior_order(costs: pd.Series) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the algorithms from cheapest to most expensive, and the groups of two or more with equal cost.

    Algorithms of equal cost keep their order in `costs`. Raises DataError if `costs` are empty or
    one is not finite.

    Examples
    --------
    >>> import pandas as pd
    >>> prior_order(pd.Series({"a": 2.0, "b": 1.0, "c": 2.0}))
    (('b', 'a', 'c'), (('a', 'c'),))
    """
    return prior_orders(pd.Series(costs).to_frame().T)[0]


def prior_orders(costs: pd.DataFrame) -> list[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]]:
    """Return `prior_order` of each row of a table, data set x algorithm; DataError if empty or a cost is not finite."""
    values = as_numbers(costs, "costs")
    is_complete = np.isfinite(values).all(axis=0)
    if costs.empty or not is_complete.all():
        raise DataError.of("no order of costs", names=list(costs.columns[~is_complete]))
    names = [str(name) for name in costs.columns]
    groups = tie_groups(values, np.abs(values).max(axis=1))
    return [_in_groups(names, row) for row in groups.tolist()]


def _in_groups(
    names: list[str], groups: list[int]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return names in the order of their groups, and the groups of two or more."""
    members: dict[int, list[str]] = {group: [] for group in sorted(set(groups))}
    for name, group in zip(names, groups, strict=True):
        members[group].append(name)
    order = [name for group in members.values() for name in group]
    ties = [tuple(group) for group in members.values() if len(group) > 1]
    return tuple(order), tuple(ties)


def check_prior(prior: Sequence[str], algorithms: Sequence[str]) -> tuple[str, ...]:
    """Return a user-defined order restricted to `algorithms`; raise SettingError unless it names each once."""
    named = check_names(prior, "prior")
    order = tuple(name for name in named if name in set(algorithms))
    if sorted(order) != sorted(algorithms):
        absent = [name for name in algorithms if name not in order]
        repeated = [name for name in algorithms if order.count(name) > 1]
        raise SettingError.of("order incomplete", absent=absent, repeated=repeated)
    return order


def same_sets(table: pd.DataFrame, other: pd.DataFrame, name: str, others: str) -> None:
    """Raise DataError if two tables, data set x algorithm, differ in row or column names."""
    for axis, label in ((0, "data sets"), (1, "algorithms")):
        names = set(table.axes[axis])
        other_names = set(other.axes[axis])
        if names != other_names:
            raise DataError.of(
                "other names",
                first=name,
                second=others,
                noun=label,
                shared=len(names & other_names),
                n=len(names | other_names),
            )


def _by_name(values: Any, name: str) -> dict:
    """Return a mapping of names to values as a dict, or raise SettingError."""
    try:
        return dict(values)
    except (TypeError, ValueError):
        pass
    raise SettingError.of("no mapping of costs", name=name, kind=type(values).__name__)


def _checked(costs: pd.DataFrame, *, negative: bool = False) -> pd.DataFrame:
    """Return costs as floats; raise DataError if one is not finite, negative (unless `negative`), or there are none."""
    costs = as_table(costs, "costs")
    values = as_numbers(costs, "costs")
    if not values.size:
        raise DataError.of("no costs", shape=costs.shape)
    is_complete = np.isfinite(values).all(axis=0)
    if not is_complete.all():
        raise DataError.of("unknown costs", names=list(costs.columns[~is_complete]))
    has_negative = (values < 0).any(axis=0)
    if has_negative.any() and not negative:
        raise DataError.of("negative costs", names=list(costs.columns[has_negative]))
    return pd.DataFrame(values, *costs.axes)


def _scaled_table(table: pd.DataFrame, scale: str) -> pd.DataFrame:
    return pd.DataFrame(_scaled(table.to_numpy(), scale), *table.axes)


def _scaled(values: np.ndarray, scale: str) -> np.ndarray:
    """Return costs scaled within each data set (row) by one of `COST_SCALES`; 0 where the divisor is 0."""
    if scale == "log":
        return np.log(values)
    if scale == "rank":
        groups = tie_groups(values, np.abs(values).max(axis=1))
        n_cheaper = (groups[:, :, None] > groups[:, None, :]).sum(axis=2)
        n_equal = (groups[:, :, None] == groups[:, None, :]).sum(axis=2)
        return n_cheaper + (n_equal + 1) / 2
    if scale == "min-max":
        values = values - values.min(axis=1, keepdims=True)
    if scale == "sum":
        divisor = values.sum(axis=1, keepdims=True)
    else:
        divisor = values.max(axis=1, keepdims=True)
    return np.divide(values, divisor, out=np.zeros_like(values), where=divisor > 0)
