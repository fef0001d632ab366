"""Comparison of two orders of the same algorithms, such as test part against validation part."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.errors import DesignError
from stats_core.core.formatting import format_count, format_number, join_names
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.ordering.one_sided_evidence import FAMILIES
from stats_core.ordering.order import Order


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderChanges:
    """Differences between two orders of the same algorithms.

    Attributes
    ----------
    first, second : str
        What tells the one from the other: the measure or risk, the cost, the test, the level,
        the corrections, the file, whichever differ; for example "error" and "test_error".
    table : DataFrame by data set
        Columns same (whether the orders agree), correlation (Spearman's, of places), largest
        (the longest way an algorithm moved), moved (names of those that moved L/2 places or
        more).
    movers : Series by algorithm
        On how many data sets each moved L/2 places or more, most first.
    places : DataFrame
        The final place of each algorithm (columns) in both orders (rows).
    correlation : float
        Spearman's, of the final places; NaN for one algorithm.
    kendall : float
        Kendall's tau of the final places.
    """

    first: str
    second: str
    table: pd.DataFrame
    movers: pd.Series
    places: pd.DataFrame
    correlation: float
    kendall: float

    @property
    def same(self) -> int:
        """Number of data sets on which both orders are the same."""
        return int(self.table["same"].sum())

    @property
    def text(self) -> str:
        """Result in one or two sentences."""
        n = len(self.table)
        final = (
            "the final order is the same"
            if self.places.iloc[0].equals(self.places.iloc[1])
            else f"the final orders correlate by {format_number(self.correlation)} (Spearman)"
        )
        text = f"By {self.first} and by {self.second}, {final}"
        if n > 1:
            text += f"; on {self.same} of {format_count(n, 'data set')} the orders are the same"
        moved = self.movers[self.movers > 0]
        if not len(moved):
            return f"{text}. No algorithm moves half the places or more."
        who = join_names(
            [f"{a} on {format_count(times, 'data set')}" for a, times in moved.items()], 5
        )
        return f"{text}. Moving half the places or more: {who}."


def order_changes(first: Order, second: Order) -> OrderChanges:
    """Does one order of the algorithms predict another?

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 4.7: the same order on
    19 of 38 data sets by training time, on 24 by space.

    Examples
    --------
    See the page Ordering with the sample uci38_5x2.csv.
    """
    before, after = _positions(first), _positions(second)
    common = [name for name in before.index if name in after.index]
    if sorted(before.columns) != sorted(after.columns) or not common:
        raise DesignError(
            "Two orders can be compared if they have the same algorithms and a data set in common. "
            "They do not. Order the same selection by both."
        )
    names = list(before.columns)
    x, y = before.loc[common, names].to_numpy(), after.loc[common, names].to_numpy()
    moves = np.abs(x - y)
    far = moves >= len(names) / 2
    table = pd.DataFrame(
        {
            "same": (moves == 0).all(axis=1),
            "correlation": [
                _correlation((a, b), stats.spearmanr) for a, b in zip(x, y, strict=True)
            ],
            "largest": moves.max(axis=1),
            "moved": [", ".join(np.array(names, dtype=object)[row]) for row in far],
        },
        index=pd.Index(common, name="dataset"),
    )
    counted = Counter({name: int(times) for name, times in zip(names, far.sum(0), strict=True)})
    labels = _labels(first, second)
    positions = pd.DataFrame(
        [first.ordering.places[names], second.ordering.places[names]], index=list(labels)
    )
    return OrderChanges(
        first=labels[0],
        second=labels[1],
        table=table,
        movers=pd.Series(dict(counted.most_common()), dtype=int),
        places=positions,
        correlation=_correlation(positions.to_numpy(), stats.spearmanr),
        kendall=_correlation(positions.to_numpy(), stats.kendalltau),
    )


def _labels(first: Order, second: Order) -> tuple[str, str]:
    """Return labels of two orders by their differences, or by their sequence if there are none."""
    pairs = zip(_made_from(first), _made_from(second), strict=True)
    differing = [
        (first_label, second_label)
        for first_label, second_label in pairs
        if first_label and second_label and first_label != second_label
    ]
    if not differing:
        source = _made_from(first)[0]
        return f"{source} (first)", f"{source} (second)"
    first_label, second_label = zip(*differing, strict=True)
    return ", ".join(first_label), ", ".join(second_label)


def _made_from(order: Order) -> tuple[str, ...]:
    """Return the inputs of an order as phrases; "" for an input without effect."""
    settings, rules, second = order.settings, order.rules, order.second
    tests = join_names(
        list(dict.fromkeys(set_order.evidence.name for set_order in order.each.values()))
    )
    return (
        settings.measure if rules.theta is None else f"risk at theta {rules.theta:g}",
        f"your order {join_names(rules.prior, 6)}" if rules.prior else rules.cost_label,
        f"{tests}{', undivided' if rules.undivided else ''}" if order.each else "average ranks",
        f"{_adjusted(FAMILIES[rules.family])} on each data set" if order.each else "",
        f"{_adjusted(CORRECTIONS[second.post_hoc])} over data sets" if second else "",
        f"costs by {rules.scale}" if second and not rules.prior else "",
        f"alpha {settings.alpha:g}",
        order.results.source,
    )


def _adjusted(correction: str) -> str:
    return "unadjusted" if correction == "none" else correction


def _positions(order: Order) -> pd.DataFrame:
    """Return the positions on each data set."""
    if order.each:
        return pd.DataFrame(
            {name: set_order.ordering.places for name, set_order in order.each.items()}
        ).T
    assert order.second is not None  # what has no folds has places over all data sets only
    return order.second.positions


def _correlation(positions: Iterable[np.ndarray], by: Callable) -> float:
    """Return a rank correlation, NaN for a single position."""
    x, y = positions
    if len(x) < 2 or len(set(x)) < 2 or len(set(y)) < 2:
        return float("nan")
    return float(by(x, y).statistic)
