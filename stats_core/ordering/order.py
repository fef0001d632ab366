"""Orders of algorithms: MultiTest on each data set, Multi2Test over all data sets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, DesignError, NeedsCost, SettingError
from stats_core.core.formatting import join_names, measure_name
from stats_core.core.messages import message
from stats_core.core.result_types import labeled_matrix
from stats_core.core.validation import (
    check_names,
    check_one_of,
    check_probability,
    given_or_new,
    significant,
)
from stats_core.data.costs import (
    COST_SCALES,
    average_cost,
    check_prior,
    combined_costs,
    cost_table,
    prior_order,
    prior_orders,
)
from stats_core.data.missing import LEAVE_HOLES
from stats_core.data.results import Results
from stats_core.data.settings import Analysed, Settings, results_and_settings
from stats_core.inference import inference_text, pairwise, ranks
from stats_core.inference.multiplicity.adjust import FAMILY_WISE
from stats_core.inference.multiplicity.cliques import cliques, underlines
from stats_core.inference.ranks import Missing
from stats_core.ordering import multitest, one_sided_evidence
from stats_core.ordering.multitest import COST, Ordering, SecondPass
from stats_core.ordering.one_sided_evidence import FAMILIES, OneSidedEvidence

_MAX_CACHED = 5000  # costs, prior orders, levels and tests of ranks


@dataclass(frozen=True, slots=True, kw_only=True)
class _UnderlinedBest:
    """Best algorithm by the published rules for underlines and costs, if the rules determine one.

    Attributes
    ----------
    best : str
        Name of the best algorithm, "" if there is none.
    condition : int
        Number of the condition that applies, 0 if none.
    text : str
        The result in a sentence.
    """

    best: str
    condition: int
    text: str


def best_of_underlines(
    order: Sequence[str], underlined: Sequence[Sequence[str]], prior: Sequence[str]
) -> _UnderlinedBest:
    """Return the best algorithm by the published rules, given only underlines and the prior order.

    `order` is from best to worst by the tests, `prior` from cheapest to most expensive. Raises
    DataError if names differ or repeat in `prior`, there are none, or an underline skips an
    algorithm.

    Notes
    -----
    Implements the paper's four conditions, interpreted so that its five examples are reproduced. A line
    within another is ignored. MultiTest does not need these conditions: it always gives a best algorithm.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 2.2.

    Examples
    --------
    >>> best_of_underlines("4321", ["432", "321"], "1234").best
    ''
    >>> best_of_underlines("4132", ["413", "32"], "1234").best
    '1'
    """
    names = check_names(order, "order")
    cheapest_first = check_names(prior, "prior")
    stretches = underlined if np.iterable(underlined) else [underlined]
    drawn = {frozenset(check_names(line, "underlined")) for line in stretches}
    _check_same_names(names, cheapest_first, drawn)
    for line in drawn:
        _check_stretch(line, names)
    lines = [line for line in drawn if len(line) > 1 and not any(line < other for other in drawn)]
    first = names[0]
    under = next((line for line in lines if first in line), None)
    if under is None:
        return _underlined(first, first, 1)
    others = [other for other in lines if other != under]
    overlap = {name for name in under for other in others if name in other}
    cheapest = min(under, key=cheapest_first.index)
    if not overlap:
        return _underlined(first, cheapest, 2)
    if cheapest in overlap:
        return _underlined(first)
    return _underlined(first, cheapest, 3 if cheapest == first else 4)


def _check_same_names(
    names: tuple[str, ...], cheapest_first: tuple[str, ...], drawn: set[frozenset[str]]
) -> None:
    """Raise DataError unless order and prior name the same algorithms, and lines no others."""
    same = names and sorted(names) == sorted(set(cheapest_first))
    repeated = len(set(cheapest_first)) < len(cheapest_first)
    if not same or repeated or not frozenset().union(*drawn) <= set(names):
        raise DataError.of(
            "order, underlined and prior must name the same algorithms",
            names=join_names(names, 6),
            cheapest_first=join_names(cheapest_first, 6),
        )


def _check_stretch(line: frozenset[str], names: tuple[str, ...]) -> None:
    """Raise DataError for an underline that skips an algorithm of the order."""
    positions = [i for i, name in enumerate(names) if name in line]
    if positions and positions[-1] - positions[0] >= len(line):
        over = [names[i] for i in positions]
        between = [name for name in names[positions[0] : positions[-1]] if name not in line]
        raise DataError.of(
            "A line must be a stretch of the order",
            over=join_names(over, 6),
            between=join_names(between, 6),
        )


def _underlined(first: str, best: str = "", condition: int = 0) -> _UnderlinedBest:
    text = inference_text("order.underlines", first=first, best=best, condition=condition)
    return _UnderlinedBest(best=best, condition=condition, text=text)


@dataclass(slots=True, kw_only=True, eq=False)
class Shared:
    """Cache of costs and tests shared by several orders of the same results.

    Attributes
    ----------
    results : Results
        The results that are ordered.
    found : tuple
        Result of `evidence_over`; empty without folds, or before the tests are run.
    """

    results: Results
    found: tuple[Mapping[str, OneSidedEvidence], Mapping[str, str]] = ({}, {})
    _cache: dict[tuple, Any] = field(default_factory=dict)

    def _cached(self, key: tuple, compute: Callable[[], Any]) -> Any:
        """Return the cached value of a key, or compute and cache it."""
        if key not in self._cache:
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            self._cache[key] = compute()
        return self._cache[key]

    def costs(self, cost: str, weights: tuple[tuple[str, float], ...]) -> pd.DataFrame:
        """Return one cost, or the weighted sum of several, data set x algorithm."""
        if not weights:
            return self._cached(("cost", cost), lambda: cost_table(self.results, cost))
        tables = {name: self.costs(name, ()) for name, _ in weights}
        return self._cached(("weights", weights), lambda: combined_costs(tables, dict(weights)))

    def priors(self, cost: str, weights: tuple[tuple[str, float], ...]) -> dict[str, tuple]:
        """Return for each data set its costs, the prior order by cost, and groups of equal cost."""

        def by_dataset() -> dict[str, tuple]:
            table = self.costs(cost, weights)
            rows = zip(table.T.items(), prior_orders(table), strict=True)
            return {name: (row, *prior) for (name, row), prior in rows}

        return self._cached(("prior", cost, weights), by_dataset)

    def sort(self, dataset: str, prior: tuple[str, ...], family: str, alpha: float) -> Ordering:
        """Return the MultiTest order on one data set."""
        evidence = self.found[0][dataset]
        least = self._cached(
            ("least", dataset, prior, family), lambda: evidence.least_levels(prior, family)
        )
        return multitest.sort_by_edges(prior, one_sided_evidence.edges_at(prior, least, alpha))

    def join(
        self,
        positions: pd.DataFrame,
        prior: tuple[str, ...] | None,
        *,
        costs: pd.DataFrame | None,
        scale: str,
        post_hoc: str,
        alpha: float,
    ) -> SecondPass:
        """Return `multi2test` of the ranks on each data set; its tests are cached."""
        average: pd.Series | None = None
        ties: tuple[tuple[str, ...], ...] = ()
        if prior is None:
            average = average_cost(costs, scale)
            prior, ties = prior_order(average)
        key = ("tests", positions.to_numpy().tobytes(), tuple(positions.index), post_hoc)
        tests = self._cached(key, lambda: multitest.place_tests(positions, prior, post_hoc))
        return tests.at(alpha, prior, average, ties)


_AGREES = "cost and test"  # ordered by cost, and also better by a two-sided test


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRules:
    """Rules that determine an order: cost, prior order, corrections.

    Attributes
    ----------
    cost : str
        The column of costs that determines the prior order; the first cost of the results if empty.
    weights : tuple of (str, float)
        Weights of several costs that are combined, in place of one.
    prior : tuple of str
        The user's prior order, from cheapest to most expensive, in place of a cost.
    family : str
        One of `FAMILIES`: correction of the tests on one data set.
    undivided : bool
        Whether the p-value of the 5x2 cv F test is used one-sided without halving it.
    theta : float, optional
        Order by the risk at this theta instead of the measure.
    scale : str
        One of `COST_SCALES`: how costs of different data sets are made comparable.
    post_hoc : str
        One of `FAMILY_WISE`: correction of the two-sided tests of average ranks in the second pass,
        or of those behind `Order.groups` on one data set.
    """

    cost: str = ""
    weights: tuple[tuple[str, float], ...] = ()
    prior: tuple[str, ...] = ()
    family: str = "holm"
    undivided: bool = False
    theta: float | None = None
    scale: str = "largest"
    post_hoc: str = "bergmann_hommel"

    @property
    def cost_label(self) -> str:
        """Column of the cost behind the prior order, or a sum of weighted columns."""
        return self.label_cost(str)

    def label_cost(self, name_of: Callable[[str], str]) -> str:
        """Return the cost behind the prior order, with columns named by `name_of`."""
        if self.prior:
            return "your order"
        if self.weights:
            weighted = [(name, weight) for name, weight in self.weights if weight]
            if len(weighted) == 1:  # only ratios matter
                return name_of(weighted[0][0])
            return " + ".join(
                name_of(name) if w == 1 else f"{w:g} {name_of(name)}" for name, w in weighted
            )
        return name_of(self.cost)


@dataclass(frozen=True, kw_only=True, eq=False)  # no slots, so that p-values can be cached on it
class SetOrder:
    """MultiTest order on one data set, with its tests and costs.

    Attributes
    ----------
    evidence : OneSidedEvidence
        The tests of all ordered pairs.
    family : str
        One of `FAMILIES`: correction of its tests.
    alpha : float
        Level of the family.
    costs : Series by algorithm or None
        Cost of each algorithm; None if the user gave the order.
    ties : tuple of tuple of str
        Algorithms of equal cost, ordered by name.
    ordering : Ordering
        The graph, the steps of its sort and the order.
    """

    evidence: OneSidedEvidence
    family: str
    alpha: float
    costs: pd.Series | None
    ties: tuple[tuple[str, ...], ...]
    ordering: Ordering

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        return self.evidence.dataset

    @property
    def tests(self) -> pd.DataFrame:
        """Tests of all pairs; columns cheaper, costlier, p raw, p adjusted, better."""
        prior = self.ordering.prior
        return self.evidence.tests(prior, family=self.family, alpha=self.alpha)

    def adjusted(self, cheaper: str, costlier: str) -> float:
        """Return the adjusted p-value of the test that the more expensive algorithm is better."""
        return self._adjusted_of_pairs[cheaper, costlier]

    @cached_property
    def _adjusted_of_pairs(self) -> dict[tuple[str, str], float]:
        """Adjusted p-values by (cheaper, costlier)."""
        tests = self.tests
        pairs = zip(tests["cheaper"], tests["costlier"], strict=True)
        return dict(zip(pairs, tests["p adjusted"].tolist(), strict=True))


@dataclass(frozen=True, kw_only=True, eq=False)  # no slots, so that results can be cached on it
class Order:
    """Cost-aware order of algorithms, with its tests and costs.

    Attributes
    ----------
    results : Results
        The results that are ordered.
    settings : Settings
        The settings, with the measure filled in.
    rules : OrderRules
        The rules, with the cost filled in.
    measure : str
        Measure that was compared, with its direction, or the risk.
    each : dict of str to SetOrder
        The orders on single data sets; empty if they have no results per fold.
    skipped : dict of str to str
        Data sets left out, with the reason.
    second : SecondPass or None
        Pass that joins the orders of two or more data sets; None for one tested data set or one
        algorithm.
    costs : DataFrame, data set x algorithm, or None
        Costs; None if the user gave the order.
    """

    results: Results
    settings: Settings
    rules: OrderRules
    measure: str
    each: dict[str, SetOrder]
    skipped: dict[str, str]
    second: SecondPass | None
    costs: pd.DataFrame | None

    @property
    def ordering(self) -> Ordering:
        """Final graph, the steps of its sort and the resulting order."""
        if self.second is not None:
            return self.second.ordering
        if not self.each:  # one algorithm
            return multitest.sort_by_edges(tuple(self.results.algorithms), ())
        return next(iter(self.each.values())).ordering

    @property
    def ties(self) -> tuple[tuple[str, ...], ...]:
        """Groups of algorithms with equal cost in the final prior order; () if there are none."""
        if self.second is not None:
            return self.second.ties
        return next(iter(self.each.values())).ties if self.each else ()

    @cached_property
    def scores(self) -> pd.Series:
        """Average rank of each algorithm over data sets, best first; the mean for a single data set or algorithm."""
        if self.second is not None:
            return self.second.average_ranks.sort_values(kind="stable")
        if len(self.each) != 1:  # one algorithm, with or without folds
            return self.results.averages(self.settings.measure).mean()
        evidence = next(iter(self.each.values())).evidence
        return evidence.means.sort_values(ascending=not evidence.higher_is_better, kind="stable")

    @property
    def value_name(self) -> str:
        """Name of `scores`: "average cost-aware rank", "average rank" or "mean"."""
        if self.second is None:
            return "mean"
        return "average cost-aware rank" if self.each else "average rank"

    @property
    def average_cost(self) -> pd.Series | None:
        """Cost of each algorithm, on the one data set or averaged over data sets; None if the user gave the order."""
        if self.second is not None:
            return self.second.average_cost
        if len(self.each) != 1:
            return None if self.costs is None else self.costs.mean()
        return next(iter(self.each.values())).costs

    @property
    def adjusted(self) -> pd.DataFrame | None:
        """Two-sided adjusted p-values behind `groups`; None if Friedman's test does not reject."""
        if self.second is not None:
            return self.second.adjusted
        if len(self.results.algorithms) < 2:
            return labeled_matrix(np.ones((1, 1)), list(self.results.algorithms))
        return next(iter(self.each.values())).evidence.adjusted(self.rules.post_hoc)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Maximal groups without a difference by two-sided tests, best first; all in one if `adjusted` is None."""
        return self._divided(
            lambda names, adjusted: cliques(adjusted.loc[names, names], self.settings.alpha)
        )

    @property
    def underlined(self) -> tuple[tuple[str, ...], ...]:
        """Runs of algorithms that the published procedure underlines, best first; one of all if `adjusted` is None."""
        return self._divided(
            lambda names, adjusted: underlines(names, adjusted, self.settings.alpha)
        )

    def _divided(
        self, divide: Callable[[list[str], pd.DataFrame], Iterable]
    ) -> tuple[tuple[str, ...], ...]:
        """Return the algorithms divided by their adjusted p-values, undivided without these."""
        names = list(self.scores.index)
        adjusted = self.adjusted
        return (tuple(names),) if adjusted is None else tuple(divide(names, adjusted))

    @property
    def differs(self) -> pd.DataFrame | None:
        """Whether each pair differs significantly by the tests behind `groups`; None if `adjusted` is None."""
        return None if self.adjusted is None else significant(self.adjusted, self.settings.alpha)

    @property
    def best_by_groups(self) -> _UnderlinedBest:
        """Best algorithm by the published rules, which use underlines and costs instead of the graph."""
        return best_of_underlines(list(self.scores.index), self.underlined, self.ordering.prior)

    def table(self) -> pd.DataFrame:
        """Return one row per position in the order.

        Columns: place (rank in the order), algorithm, `value_name` (mean; over data sets the
        average rank), cost, placed by ("test", "cost", or "cost and test": what puts the algorithm
        before the next one), p adjusted (of that pair if it was tested: one-sided, that the more
        expensive algorithm is better, where the test decided on one data set; otherwise two-sided).
        In the last row placed by is empty and p adjusted NaN.
        """
        decisions = {first: (second, by) for first, second, by in self.ordering.decisions}
        rows = []
        for position, name in enumerate(self.ordering.order, 1):
            following, by = decisions.get(name, ("", ""))
            rows.append(
                {
                    "place": position,
                    "algorithm": name,
                    self.value_name: self.scores[name],
                    "cost": None if self.average_cost is None else self.average_cost[name],
                    "placed by": _AGREES if self._agrees(name, following, by) else by,
                    "p adjusted": self._p_of_step(name, following, by),
                }
            )
        return pd.DataFrame(rows)

    def _agrees(self, first: str, second: str, by: str) -> bool:
        """Return whether cost put `first` before `second` and a two-sided test also favours `first`."""
        if by != COST or self.differs is None:
            return False
        scores = list(self.scores.index)
        ahead = scores.index(first) < scores.index(second)
        return ahead and bool(self.differs.loc[first, second])

    def _p_of_step(self, first: str, second: str, by: str) -> float:
        """Return the adjusted p-value of two consecutive algorithms in the order, NaN if not tested."""
        if not second or self.adjusted is None:
            return float("nan")
        return float(self.adjusted.loc[first, second]) if by == COST else self.pvalue(first, second)

    def pvalue(self, first: str, second: str) -> float:
        """Return the adjusted p-value of a pair in the final pass, one-sided on one data set; NaN if not tested."""
        if self.second is not None:
            adjusted = self.second.adjusted
            return float("nan") if adjusted is None else float(adjusted.loc[first, second])
        prior = self.ordering.prior
        cheaper, costlier = sorted((first, second), key=prior.index)
        return next(iter(self.each.values())).adjusted(cheaper, costlier)


def order_of(
    results: Results | Analysed,
    settings: Settings | None = None,
    rules: OrderRules | None = None,
    *,
    found: tuple[Mapping[str, OneSidedEvidence], Mapping[str, str]] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Order:
    """Order algorithms by cost and tests: MultiTest on one data set, Multi2Test over many.

    Parameters
    ----------
    results : Results
        Missing values resolved.
    settings : Settings, optional
        Only `measure`, `alpha`, the `test` on a data set, `df`, `test_fraction`, `overlap` and the
        selection are used, and `region` is refused; `rules` set the correction for multiple tests.
    rules : OrderRules, optional
        Cost and corrections.
    found : tuple, optional
        Result of `evidence_over` with the same settings, to order by other costs or levels without
        testing again.
    progress : callable, optional
        Called after each data set with the number of data sets done and the total.

    Returns
    -------
    Order
        By MultiTest on one data set. By Multi2Test on several: the order on each data set gives
        ranks, which Friedman's test compares. If it rejects, the post hoc test of the average ranks
        decides which algorithms are better in the second pass of MultiTest, on the average
        normalised cost; otherwise the order is that of the cost. Data sets with a single result
        per algorithm are skipped; if there are no others, the ranks are those of the measure.

    Raises
    ------
    SettingError, DataError, DesignError
        No cost and no prior order (NeedsCost); a cost is missing; no data set can be tested; a
        `region` is set; `results` are published summaries.

    Notes
    -----
    A rejection by Friedman's test of these ranks shows a consistent order by cost and error together,
    not different errors. If every data set has the same order it counts as rejected.

    References
    ----------
    Yildiz and Alpaydin, IEEE TPAMI 28 (2006) 392; Ulas, Yildiz and Alpaydin, Pattern Recognition
    45 (2012) 1772, Table 2.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": list("ab") * 4, "fold": list("11223344"),
    ...                       "error": [0.2, 0.1, 0.3, 0.1, 0.3, 0.2, 0.2, 0.1],
    ...                       "time": [1.0, 9.0] * 4})
    >>> order_of(Results.from_frame(table, costs=["time"])).ordering.order
    ('b', 'a')
    """
    results, settings = results_and_settings(results, settings)
    if results.published is not None:
        raise DesignError.of("An order by cost is made from results", lacks=results.published.lacks)
    results, settings = pairwise.apply_selection(results, settings)
    settings, rules = _filled(results, settings, given_or_new(rules, OrderRules, "rules"))
    shared = Shared(results=results, found=_evidence_of(results, found) or ({}, {}))
    _known_costs(shared, rules)  # refuses before the tests take their time
    if found is None and _has_folds(results):
        shared.found = one_sided_evidence.evidence_over(
            results, settings, theta=rules.theta, undivided=rules.undivided, progress=progress
        )
    return order_with(shared, settings, rules)


def _evidence_of(results: Results, evidence_and_skipped: tuple | None) -> tuple | None:
    """Return the given evidence on the data sets of these results, or None; SettingError if its algorithms differ."""
    if evidence_and_skipped is None:
        return None
    others = {tuple(evidence.means.index) for evidence in evidence_and_skipped[0].values()} - {
        tuple(results.algorithms)
    }
    if others:
        raise SettingError.of(
            "found must be of the algorithms that are ordered",
            algorithms=join_names(results.algorithms, 8),
            others=join_names(others.pop(), 8),
        )
    at_hand = set(results.datasets)
    return tuple(
        {name: evidence for name, evidence in part.items() if name in at_hand}
        for part in evidence_and_skipped
    )


def order_with(shared: Shared, settings: Settings, rules: OrderRules) -> Order:
    """Return the order as `order_of` does, or raise its errors, with evidence and costs from the cache `shared`."""
    results = shared.results
    settings, rules = _filled(results, settings, rules)
    costs = _known_costs(shared, rules)
    folds = _has_folds(results)
    single = len(results.algorithms) < 2
    each = {}
    skipped = {}
    if folds:
        skipped = dict(shared.found[1])
        each = {name: _order_on(shared, name, settings, rules) for name in shared.found[0]}
        positions = _positions(each, results.algorithms)
        results = _none_ranked_worst(results)
    elif not single:
        positions = _ranks(results, settings, rules)
    if not (single or len(positions)):
        name, why = next(iter(skipped.items()))
        raise DesignError.of("no order", dataset=name, reason=why)
    second = None
    if not single and (len(positions) > 1 or not folds):
        second = shared.join(
            positions[list(results.algorithms)],
            check_prior(rules.prior, results.algorithms) if rules.prior else None,
            costs=None if costs is None else costs.loc[list(positions.index)],
            scale=rules.scale,
            post_hoc=rules.post_hoc,
            alpha=settings.alpha,
        )
    higher = "higher" if results.direction(settings.measure) == "higher" else "lower"
    label = f"{measure_name(settings.measure)} ({higher} is better)"
    if rules.theta is not None:
        label = inference_text("order.risk", theta=rules.theta)
    return Order(
        results=results,
        settings=settings,
        rules=rules,
        measure=label,
        each=each,
        skipped=skipped,
        second=second,
        costs=costs,
    )


def _order_on(shared: Shared, dataset: str, settings: Settings, rules: OrderRules) -> SetOrder:
    """Return the order on one data set, by its costs or by `rules.prior`."""
    evidence = shared.found[0][dataset]
    if rules.prior:
        costs = None
        prior = check_prior(rules.prior, list(evidence.means.index))
        ties = ()
    else:
        costs, prior, ties = shared.priors(rules.cost, rules.weights)[dataset]
    return SetOrder(
        evidence=evidence,
        family=rules.family,
        alpha=settings.alpha,
        costs=costs,
        ties=ties,
        ordering=shared.sort(dataset, prior, rules.family, settings.alpha),
    )


def _none_ranked_worst(results: Results) -> Results:
    """Return results with any "worst rank" or "present" choice replaced by a note: tests on folds need every result."""
    code = LEAVE_HOLES.get(results.failures, "")
    if not any(choice.code == code for choice in results.choices):
        return results
    others = (choice for choice in results.choices if choice.code != code)
    return replace(results, choices=(*others, message("none ranked worst", about=code)))


def _has_folds(results: Results) -> bool:
    return bool(results.with_folds)


def _filled(results: Results, settings: Settings, rules: OrderRules) -> tuple[Settings, OrderRules]:
    """Return settings and rules with default measure and cost filled in; raise an error if they are invalid."""
    check_probability(settings.alpha, "alpha")
    if settings.margin is not None:
        raise SettingError.of("An order has no equivalence margin", margin=settings.margin)
    check_one_of(rules.family, FAMILIES, "family")
    check_one_of(rules.scale, COST_SCALES, "scale")
    check_one_of(rules.post_hoc, FAMILY_WISE, "post_hoc")
    if not (results.algorithms and results.datasets):
        raise DataError.of("nothing to order")
    settings = replace(settings, measure=settings.measure or results.measures[0])
    results.direction(settings.measure)
    if not (rules.prior or rules.weights or rules.cost):
        if not results.costs:
            raise NeedsCost.of("no cost column")
        rules = replace(rules, cost=results.costs[0])
    return settings, rules


def _known_costs(shared: Shared, rules: OrderRules) -> pd.DataFrame | None:
    if rules.prior:
        check_prior(rules.prior, shared.results.algorithms)
        return None
    return shared.costs(rules.cost, rules.weights)


def _positions(orders: Mapping[str, SetOrder], algorithms: Sequence[str]) -> pd.DataFrame:
    """Return the rank of each algorithm in the order on each data set, data set x algorithm."""
    rows = []
    for set_order in orders.values():
        position = {name: i for i, name in enumerate(set_order.ordering.order, 1)}
        rows.append([position[name] for name in algorithms])
    return pd.DataFrame(rows, list(orders), list(algorithms), dtype=float)


def _ranks(results: Results, settings: Settings, rules: OrderRules) -> pd.DataFrame:
    """Return ranks of averages, data set x algorithm; DesignError for risks, which need folds, or one data set."""
    if rules.theta is not None:
        raise DesignError.of("risk without folds")
    if len(results.datasets) < 2:
        raise DesignError.of(
            "An order needs results per fold, or two data sets", dataset=results.datasets[0]
        )
    scores = results.averages(settings.measure)
    missing: Missing = "worst" if results.failures == "worst rank" else "refuse"
    higher = results.direction(settings.measure) == "higher"
    return ranks.friedman(scores, higher_is_better=higher, missing=missing).ranks
