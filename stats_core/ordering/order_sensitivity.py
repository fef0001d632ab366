"""Sensitivity of an order to its settings, and differences between two orders."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.errors import DesignError, FoldwiseError, SettingError
from stats_core.core.formatting import join_names, measure_name
from stats_core.data.costs import COST_SCALES, cost_name
from stats_core.inference import inference_text
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.ordering.one_sided_evidence import FAMILIES, OneSidedEvidence
from stats_core.ordering.order import Order, OrderRules, Shared, order_with

ALPHAS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2)
WEIGHTS = tuple(np.linspace(0, 1, 21).round(2).tolist())
Found = tuple[Mapping[str, OneSidedEvidence], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderPaths:
    """Ranks of algorithms in the order as one setting varies.

    Attributes
    ----------
    noun : str
        The varying setting: "alpha", "weight", "cost", "scale".
    of : str
        The cost whose weight varies; "" if another setting varies.
    places : DataFrame, value x algorithm
        Rank of each algorithm in the order; 1 is best.
    refused : dict of str to str
        Values without an order, with the reason.
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
        """Order of algorithms at each value of the setting."""
        return [list(row.sort_values().index) for _, row in self.places.iterrows()]

    @property
    def orders(self) -> pd.Series:
        """Order at each value of the setting, written "a < b < c"."""
        return pd.Series(map(" < ".join, self.sequences), index=self.places.index, dtype=object)

    @property
    def same(self) -> bool:
        """Whether all values that yield an order yield the same order; False if none does."""
        return len(self.places.drop_duplicates()) == 1


def shared_order_parts(order: Order, evidence: Found) -> Shared:
    """Return a new cache, with the evidence, for orders of the results of `order`."""
    return Shared(results=order.results, found=evidence)


def order_by_alpha(order: Order, evidence: Found, alphas: Sequence[float] = ALPHAS) -> OrderPaths:
    """Return the orders at several significance levels, including the order's own.

    `evidence` is the result of `evidence_over` for the same results and settings. A level without
    an order is in `refused`, with the reason.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core.data.results import Results
    >>> from stats_core.data.settings import Settings
    >>> from stats_core.ordering.one_sided_evidence import evidence_over
    >>> from stats_core.ordering.order import order_of
    >>> table = pd.DataFrame({"algorithm": list("ab") * 4, "fold": list("11223344"),
    ...                       "error": [0.2, 0.1, 0.3, 0.1, 0.3, 0.2, 0.2, 0.1],
    ...                       "time": [1.0, 9.0] * 4, "size": [5.0, 2.0] * 4})
    >>> results = Results.from_frame(table, costs=["time", "size"])
    >>> evidence = evidence_over(results, Settings())
    >>> order_by_alpha(order_of(results), evidence, [0.001]).orders.to_dict()
    {0.001: 'a < b', 0.05: 'b < a'}
    """
    return with_own_level(order_by_levels(order, evidence, alphas), order)


def order_by_levels(
    order: Order, evidence: Found, alphas: Sequence[float] = ALPHAS, *, shared: Shared | None = None
) -> OrderPaths:
    """Return `order_by_alpha` without the order's own level, so that the result is cacheable."""
    cases = ((a, replace(order.settings, alpha=a), order.rules) for a in sorted(alphas))
    return _paths("alpha", cases, order, evidence, shared)


def with_own_level(paths: OrderPaths, order: Order) -> OrderPaths:
    """Return orders at several levels, with the order at its own level added."""
    rows = {**dict(paths.places.iterrows()), order.settings.alpha: order.ordering.places}
    return _of_rows(paths, dict(sorted(rows.items())))


def order_by_weight(
    order: Order,
    evidence: Found,
    costs: tuple[str, str],
    weights: Sequence[float] = WEIGHTS,
    *,
    shared: Shared | None = None,
) -> OrderPaths:
    """Return the orders by w times the first cost plus (1 - w) times the second; SettingError if these are equal.

    `evidence` is as for `order_by_alpha`; `shared` is `shared_order_parts(order, evidence)`, to
    share work with other orders. A weight without an order is in `refused`, with the reason.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core.data.results import Results
    >>> from stats_core.data.settings import Settings
    >>> from stats_core.ordering.one_sided_evidence import evidence_over
    >>> from stats_core.ordering.order import order_of
    >>> table = pd.DataFrame({"algorithm": list("ab") * 4, "fold": list("11223344"),
    ...                       "error": [0.2, 0.1, 0.3, 0.1, 0.3, 0.2, 0.2, 0.1],
    ...                       "time": [1.0, 9.0] * 4, "size": [5.0, 2.0] * 4})
    >>> results = Results.from_frame(table, costs=["time", "size"])
    >>> evidence = evidence_over(results, Settings())
    >>> order_by_weight(order_of(results), evidence, ("time", "size"), [0.0, 1.0]).orders.to_dict()
    {0.0: 'b < a', 1.0: 'b < a'}
    """
    first, second = costs
    if first == second:
        raise SettingError.of("same costs", first=first)
    cases = (
        (w, order.settings, _weighted(order.rules, {first: w, second: round(1 - w, 10)}))
        for w in weights
    )
    return _paths("weight", cases, order, evidence, shared, of=first)


def order_by_cost(
    order: Order, evidence: Found, costs: Sequence[str], *, shared: Shared | None = None
) -> OrderPaths:
    """Return the order by each of several costs; a cost without an order is in `refused`, with the reason.

    `evidence` and `shared` are as for `order_by_weight`.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core.data.results import Results
    >>> from stats_core.data.settings import Settings
    >>> from stats_core.ordering.one_sided_evidence import evidence_over
    >>> from stats_core.ordering.order import order_of
    >>> table = pd.DataFrame({"algorithm": list("ab") * 4, "fold": list("11223344"),
    ...                       "error": [0.2, 0.1, 0.3, 0.1, 0.3, 0.2, 0.2, 0.1],
    ...                       "time": [1.0, 9.0] * 4, "size": [5.0, 2.0] * 4})
    >>> results = Results.from_frame(table, costs=["time", "size"])
    >>> evidence = evidence_over(results, Settings())
    >>> order_by_cost(order_of(results), evidence, ["time", "size"]).orders.to_dict()
    {'time': 'b < a', 'size': 'b < a'}
    """
    rules = replace(order.rules, weights=(), prior=())
    cases = ((cost, order.settings, replace(rules, cost=cost)) for cost in costs)
    return _paths("cost", cases, order, evidence, shared)


def order_by_scale(order: Order, evidence: Found, *, shared: Shared | None = None) -> OrderPaths:
    """Return the order by each of `COST_SCALES`; a scale without an order is in `refused`, with the reason.

    `evidence` and `shared` are as for `order_by_weight`.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core.data.results import Results
    >>> from stats_core.data.settings import Settings
    >>> from stats_core.ordering.one_sided_evidence import evidence_over
    >>> from stats_core.ordering.order import order_of
    >>> table = pd.DataFrame({"algorithm": list("ab") * 4, "fold": list("11223344"),
    ...                       "error": [0.2, 0.1, 0.3, 0.1, 0.3, 0.2, 0.2, 0.1],
    ...                       "time": [1.0, 9.0] * 4, "size": [5.0, 2.0] * 4})
    >>> results = Results.from_frame(table, costs=["time", "size"])
    >>> evidence = evidence_over(results, Settings())
    >>> order_by_scale(order_of(results), evidence).orders["rank"]
    'b < a'
    """
    cases = ((scale, order.settings, replace(order.rules, scale=scale)) for scale in COST_SCALES)
    return _paths("scale", cases, order, evidence, shared)


def _weighted(rules: OrderRules, weights: dict[str, float]) -> OrderRules:
    return replace(rules, prior=(), weights=tuple(weights.items()))


def _paths(
    noun: str,
    cases: Iterable[tuple],
    order: Order,
    evidence: Found,
    shared: Shared | None,
    *,
    of: str = "",
) -> OrderPaths:
    """Return the ranks in the order of each case (value, settings, rules), and the reason where there is no order."""
    rows = {}
    refused = {}
    shared = shared or shared_order_parts(order, evidence)
    for value, settings, rules in cases:
        try:
            rows[value] = order_with(shared, settings, rules).ordering.places
        except FoldwiseError as error:
            refused[str(value)] = str(error)
    return _of_rows(OrderPaths(noun=noun, of=of, places=pd.DataFrame(), refused=refused), rows)


def _of_rows(paths: OrderPaths, rows: dict) -> OrderPaths:
    """Return `paths` with the ranks in `rows` (setting value to ranks), columns ordered as in the first row."""
    positions = pd.DataFrame(rows).T
    if len(positions):
        names = rows[next(iter(rows))].sort_values().index
        positions = positions[list(names)].astype(int)
    return replace(paths, places=positions.rename_axis(paths.what))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderChanges:
    """Differences between two orders of the same algorithms, by data set.

    Attributes
    ----------
    first, second : str
        Labels that distinguish the orders by what differs: measure or risk, cost, test, level,
        corrections or file; for example "error" and "test_error".
    table : DataFrame by data set
        Columns same (whether the orders agree), correlation (Spearman's rho of the ranks), largest
        (largest change of an algorithm's rank), moved (names of algorithms whose rank changes by
        L/2 or more, with L algorithms).
    movers : Series by algorithm
        Number of data sets on which each algorithm's rank changes by L/2 or more, most first.
    places : DataFrame, order x algorithm
        The final rank of each algorithm in both orders.
    correlation : float
        Spearman's rho of the final ranks; NaN for one algorithm.
    kendall : float
        Kendall's tau of the final ranks; NaN for one algorithm.
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


def order_changes(first: Order, second: Order) -> OrderChanges:
    """Return the changes of the order on each common data set; DesignError if there is none or algorithms differ.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 4.7: the same order on
    19 of 38 data sets by training time, on 24 by space.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core.data.results import Results
    >>> from stats_core.ordering.order import OrderRules, order_of
    >>> table = pd.DataFrame({"algorithm": list("ab") * 4, "fold": list("11223344"),
    ...                       "error": [0.2, 0.1, 0.3, 0.1, 0.3, 0.2, 0.2, 0.1],
    ...                       "time": [1.0, 9.0] * 4, "size": [5.0, 2.0] * 4})
    >>> results = Results.from_frame(table, costs=["time", "size"])
    >>> by_time, by_size = (order_of(results, rules=OrderRules(cost=cost)) for cost in ("time", "size"))
    >>> order_changes(by_time, by_size).table["same"].tolist()
    [True]
    """
    before = _positions(first)
    after = _positions(second)
    common = [name for name in before.index if name in after.index]
    if sorted(before.columns) != sorted(after.columns) or not common:
        raise DesignError.of("Two orders can be compared if they share algorithms")
    names = list(before.columns)
    x = before.loc[common, names].to_numpy()
    y = after.loc[common, names].to_numpy()
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
    """Return labels naming the settings in which two orders differ; the measure and (first), (second) if in none."""
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
    """Return the inputs of an order as phrases; "" for an input that has no effect."""
    settings = order.settings
    rules = order.rules
    second = order.second
    tests = join_names(
        list(dict.fromkeys(set_order.evidence.name for set_order in order.each.values()))
    )
    return (
        measure_name(settings.measure)
        if rules.theta is None
        else f"expected cost at θ = {rules.theta:g}",
        f"your order {join_names(rules.prior, 6)}" if rules.prior else rules.label_cost(cost_name),
        f"{tests}{', undivided' if rules.undivided else ''}" if order.each else "average ranks",
        inference_text("order.on_each", correction=_adjusted(FAMILIES[rules.family]))
        if order.each
        else "",
        f"{_adjusted(CORRECTIONS[second.post_hoc])} over data sets" if second else "",
        f"costs: {COST_SCALES[rules.scale]}" if second and not rules.prior else "",
        f"α = {settings.alpha:g}",
        order.results.source,
    )


def _adjusted(correction: str) -> str:
    return "unadjusted" if correction == "none" else correction


def _positions(order: Order) -> pd.DataFrame:
    """Return the ranks on each data set, data set x algorithm: in the order, or by the measure without folds."""
    if order.each:
        return pd.DataFrame(
            {name: set_order.ordering.places for name, set_order in order.each.items()}
        ).T
    assert order.second is not None  # results without folds have ranks over all data sets only
    return order.second.positions


def _correlation(positions: Iterable[np.ndarray], by: Callable) -> float:
    """Return the rank correlation `by` of two rows of ranks, NaN if either has fewer than two different ranks."""
    x, y = positions
    if len(x) < 2 or len(set(x)) < 2 or len(set(y)) < 2:
        return float("nan")
    return float(by(x, y).statistic)
