"""Cache of costs and tests shared by orders of the same results under other rules."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from stats_core.data.costs import (
    average_cost,
    combined_costs,
    cost_table,
    prior_order,
    prior_orders,
)
from stats_core.data.results import Results
from stats_core.ordering.multitest import (
    Ordering,
    PlaceTests,
    SecondPass,
    place_tests,
    sort_by_edges,
)
from stats_core.ordering.one_sided_evidence import OneSidedEvidence, edges_at

MOST_TESTS = 200  # entries of the cache of place tests


@dataclass(slots=True, kw_only=True, eq=False)
class Shared:
    """Cache of the costs and the tests that several orders of the same results share.

    Attributes
    ----------
    results : Results
        The results that are ordered.
    found : tuple
        From `evidence_over`; empty without folds, or before the tests are run.
    """

    results: Results
    found: tuple[Mapping[str, OneSidedEvidence], Mapping[str, str]] = ({}, {})
    _tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    _costs: dict[tuple, pd.DataFrame] = field(default_factory=dict)
    _priors: dict[tuple, dict[str, tuple]] = field(default_factory=dict)
    _least: dict[tuple, np.ndarray] = field(default_factory=dict)
    _tests: dict[tuple, PlaceTests] = field(default_factory=dict)

    def costs(self, cost: str, weights: tuple[tuple[str, float], ...]) -> pd.DataFrame:
        """Return one cost, or several by their weights, data set x algorithm."""
        key = (cost, weights)
        if key not in self._costs:
            self._costs[key] = (
                combined_costs({name: self._table(name) for name, _ in weights}, dict(weights))
                if weights
                else self._table(cost)
            )
        return self._costs[key]

    def priors(self, cost: str, weights: tuple[tuple[str, float], ...]) -> dict[str, tuple]:
        """Return for each data set the costs, the order they imply, and ties of equal cost."""
        key = (cost, weights)
        if key not in self._priors:
            table = self.costs(cost, weights)
            rows = zip(table.T.items(), prior_orders(table), strict=True)
            self._priors[key] = {name: (row, *prior) for (name, row), prior in rows}
        return self._priors[key]

    def sort(self, dataset: str, prior: tuple[str, ...], family: str, alpha: float) -> Ordering:
        """Return the order on one data set."""
        key = (dataset, prior, family)
        if key not in self._least:
            self._least[key] = self.found[0][dataset].least_levels(prior, family)
        return sort_by_edges(prior, edges_at(prior, self._least[key], alpha))

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
        """Return `multi2test` of the positions; its tests are cached by the positions."""
        average: pd.Series | None = None
        ties: tuple[tuple[str, ...], ...] = ()
        if prior is None:
            average = average_cost(costs, scale)
            prior, ties = prior_order(average)
        key = (positions.to_numpy().tobytes(), tuple(positions.index), post_hoc)
        tests = self._tests.get(key)
        if tests is None:
            if len(self._tests) >= MOST_TESTS:
                self._tests.clear()
            tests = self._tests[key] = place_tests(positions, prior, post_hoc)
        return tests.at(alpha, prior, average, ties)

    def _table(self, cost: str) -> pd.DataFrame:
        if cost not in self._tables:
            self._tables[cost] = cost_table(self.results, cost)
        return self._tables[cost]
