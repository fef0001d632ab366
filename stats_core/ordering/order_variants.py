"""What orders of the same results by other costs, weights, levels and scales have in common."""

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

MOST_TESTS = 200  # of places, kept at a time


@dataclass(slots=True, kw_only=True, eq=False)
class Shared:
    """The costs and the tests that several orders share, each made once; a level only compares.

    Attributes
    ----------
    results : Results
        The results that are ordered.
    found : tuple
        From `evidence_over`; empty where there are no folds, or before they are tested.
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
        asked = (cost, weights)
        if asked not in self._costs:
            self._costs[asked] = (
                combined_costs({name: self._table(name) for name, _ in weights}, dict(weights))
                if weights
                else self._table(cost)
            )
        return self._costs[asked]

    def priors(self, cost: str, weights: tuple[tuple[str, float], ...]) -> dict[str, tuple]:
        """Return the costs on each data set, the order they suggest, and who costs the same."""
        asked = (cost, weights)
        if asked not in self._priors:
            table = self.costs(cost, weights)
            rows = zip(table.T.items(), prior_orders(table), strict=True)
            self._priors[asked] = {name: (row, *prior) for (name, row), prior in rows}
        return self._priors[asked]

    def sort(self, dataset: str, prior: tuple[str, ...], family: str, alpha: float) -> Ordering:
        """Return the order on one data set; most weights give the same prior order there."""
        asked = (dataset, prior, family)
        if asked not in self._least:
            self._least[asked] = self.found[0][dataset].least_levels(prior, family)
        return sort_by_edges(prior, edges_at(prior, self._least[asked], alpha))

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
        """Return `multi2test` of the positions; where they are the same, its tests are, too."""
        average: pd.Series | None = None
        ties: tuple[tuple[str, ...], ...] = ()
        if prior is None:
            average = average_cost(costs, scale)
            prior, ties = prior_order(average)
        asked = (positions.to_numpy().tobytes(), tuple(positions.index), post_hoc)
        tests = self._tests.get(asked)
        if tests is None:
            if len(self._tests) >= MOST_TESTS:
                self._tests.clear()
            tests = self._tests[asked] = place_tests(positions, prior, post_hoc)
        return tests.at(alpha, prior, average, ties)

    def _table(self, cost: str) -> pd.DataFrame:
        if cost not in self._tables:
            self._tables[cost] = cost_table(self.results, cost)
        return self._tables[cost]
