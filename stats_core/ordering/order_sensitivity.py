"""Sensitivity of an order to the significance level, the cost, and the weights of costs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from stats_core.core.errors import FoldwiseError, SettingError
from stats_core.core.formatting import format_count, join_names
from stats_core.data.costs import COST_SCALES
from stats_core.ordering.one_sided_evidence import OneSidedEvidence
from stats_core.ordering.order import Order, OrderRules, order_with
from stats_core.ordering.order_variants import Shared

ALPHAS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2)
WEIGHTS = tuple(np.linspace(0, 1, 21).round(2).tolist())
Found = tuple[Mapping[str, OneSidedEvidence], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderPaths:
    """Positions of algorithms as one setting varies.

    Attributes
    ----------
    noun : str
        What varies: "alpha", "weight", "cost", "scale".
    of : str
        Of which cost it is the weight, else "".
    places : DataFrame
        Its values by algorithm, the place of each; 1 is best.
    refused : dict of str to str
        Values that give no order, with the reason.
    """

    noun: str
    of: str
    places: pd.DataFrame
    refused: dict[str, str]

    @property
    def what(self) -> str:
        """Name of the varying setting, for example "weight of train_s"."""
        return f"{self.noun} of {self.of}" if self.of else self.noun

    @property
    def sequences(self) -> list[list[str]]:
        """The order at each value."""
        return [list(row.sort_values().index) for _, row in self.places.iterrows()]

    @property
    def orders(self) -> pd.Series:
        """Order at each value, written "a < b < c"."""
        return pd.Series(map(" < ".join, self.sequences), index=self.places.index, dtype=object)

    @property
    def same(self) -> bool:
        """Whether all values that give an order give the same one."""
        return len(self.places.drop_duplicates()) == 1

    @property
    def text(self) -> str:
        """Number of changes of the order, in one sentence."""
        if not len(self.places):
            return f"No {self.what} gives an order."
        different = len(self.places.drop_duplicates())
        if different == 1:
            return f"The order is the same at every {self.what} tried."
        firsts = list(dict.fromkeys(self.places.idxmin(axis=1)))
        algorithms = (
            f"{firsts[0]} is always first"
            if len(firsts) == 1
            else f"{join_names(firsts, last='or')} comes first"
        )
        tried = format_count(len(self.places), self.noun) + (f" of {self.of}" if self.of else "")
        return f"{format_count(different, 'order')} over {tried}; {algorithms}."


def shared_order_parts(order: Order, found: Found) -> Shared:
    """Return the cache shared by all orders of the same results."""
    return Shared(results=order.results, found=found)


def order_by_alpha(order: Order, found: Found, alphas: Sequence[float] = ALPHAS) -> OrderPaths:
    """Return the orders at other significance levels."""
    return with_own_level(order_by_levels(order, found, alphas), order)


def order_by_levels(
    order: Order, found: Found, alphas: Sequence[float] = ALPHAS, *, shared: Shared | None = None
) -> OrderPaths:
    """Return `order_by_alpha` without the order's own level, so that it can be cached."""
    return _paths(
        "alpha",
        ((a, replace(order.settings, alpha=a), order.rules) for a in sorted(alphas)),
        shared or shared_order_parts(order, found),
    )


def with_own_level(paths: OrderPaths, order: Order) -> OrderPaths:
    """Return orders at other levels with the one of the order itself among them."""
    rows = {**dict(paths.places.iterrows()), order.settings.alpha: order.ordering.places}
    return _of_rows(paths, dict(sorted(rows.items())))


def order_by_weight(
    order: Order,
    found: Found,
    costs: tuple[str, str],
    weights: Sequence[float] = WEIGHTS,
    *,
    shared: Shared | None = None,
) -> OrderPaths:
    """Return the orders by other weights of two costs."""
    first, second = costs
    if first == second:
        raise SettingError(f"Weights need two different costs. Both are {first}. Choose another.")
    return _paths(
        "weight",
        (
            (w, order.settings, _weighted(order.rules, {first: w, second: round(1 - w, 10)}))
            for w in weights
        ),
        shared or shared_order_parts(order, found),
        of=first,
    )


def order_by_cost(
    order: Order, found: Found, costs: Sequence[str], *, shared: Shared | None = None
) -> OrderPaths:
    """Return the orders by other costs."""
    rules = replace(order.rules, weights=(), prior=())
    return _paths(
        "cost",
        ((cost, order.settings, replace(rules, cost=cost)) for cost in costs),
        shared or shared_order_parts(order, found),
    )


def order_by_scale(order: Order, found: Found, *, shared: Shared | None = None) -> OrderPaths:
    """Return the orders by other ways to make costs of data sets comparable."""
    return _paths(
        "scale",
        ((scale, order.settings, replace(order.rules, scale=scale)) for scale in COST_SCALES),
        shared or shared_order_parts(order, found),
    )


def _weighted(rules: OrderRules, weights: dict[str, float]) -> OrderRules:
    return replace(rules, prior=(), weights=tuple(weights.items()))


def _paths(noun: str, cases: Iterable[tuple], shared: Shared, *, of: str = "") -> OrderPaths:
    rows, refused = {}, {}
    for value, settings, rules in cases:
        try:
            rows[value] = order_with(shared, settings, rules).ordering.places
        except FoldwiseError as error:
            refused[str(value)] = str(error)
    return _of_rows(OrderPaths(noun=noun, of=of, places=pd.DataFrame(), refused=refused), rows)


def _of_rows(paths: OrderPaths, rows: dict) -> OrderPaths:
    """Return the paths of these positions by value, columns as in the first order."""
    positions = pd.DataFrame(rows).T
    if len(positions):
        names = rows[next(iter(rows))].sort_values().index
        positions = positions[list(names)].astype(int)
    return replace(paths, places=positions.rename_axis(paths.what))
