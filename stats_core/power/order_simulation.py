"""Simulation of MultiTest and Multi2Test for algorithms of known error rates."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.validation import check_one_of
from stats_core.data.settings import Settings
from stats_core.power.order_error_rates import (
    POST_HOCS,
    OrderRunRules,
    PostHoc,
    check_rates,
    check_rules,
    check_whole,
    draw_edges,
    prior_first,
    rates_up_to,
)
from stats_core.power.simulation import Keeping, Progress, Simulation, Sums, run_simulation

_BLOCK = 2_000_000  # differences at a time, to bound memory


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderProbabilities:
    """Probability of each order, by lambda.

    Attributes
    ----------
    probabilities : DataFrame, lambda x order
        Share of runs; only orders that occurred, "2-3-1" for 2 first, those with the largest
        share at any lambda first.
    edges : DataFrame, lambda x (cheaper, costlier)
        Share of runs in which the costlier was found better.
    prior : str
        The prior order, cheapest first, as a column of `probabilities` would name it.
    runs : int
        Runs at each lambda.
    method : str
        What was done in each run.
    """

    probabilities: pd.DataFrame
    edges: pd.DataFrame
    prior: str
    runs: int
    method: str

    @property
    def standard_error(self) -> pd.DataFrame:
        """Monte-Carlo standard errors of the probabilities, lambda x order."""
        return np.sqrt(self.probabilities * (1 - self.probabilities) / self.runs)

    @property
    def half_power(self) -> pd.Series:
        """First lambda at which each pair has its edge in half of the runs, NaN if at none."""
        lambdas = self.edges.index.to_numpy(dtype=float)
        return self.edges.apply(lambda shares: _first_half(lambdas, shares.to_numpy()))

    @property
    def text(self) -> str:
        """The most frequent orders at both ends in one sentence."""
        first, last = self.probabilities.iloc[0], self.probabilities.iloc[-1]
        before, after = self.probabilities.index[[0, -1]]
        sentence = (
            f"The prior order {self.prior} comes out with probability "
            f"{first.get(self.prior, 0.0):.2f} at lambda {before:g}"
        )
        if len(self.probabilities) == 1:
            return f"{sentence}."
        top = last.idxmax()
        if top == self.prior:
            return f"{sentence} and {last[top]:.2f} at {after:g}."
        return f"{sentence}, {top} with {last[top]:.2f} at {after:g}."


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderRuns(Simulation):
    """Runs of MultiTest, or of Multi2Test, at every lambda.

    Attributes
    ----------
    rates : array, lambda x algorithm
        True error rates.
    lambdas : tuple of float
    names : tuple of str
        The algorithms, cheapest first.
    rules : Rules
        For one data set.
    over : PostHoc or None
        How average places are separated; None for MultiTest, on one data set.
    offset : tuple of float
        Between which numbers a data set moves all its rates.
    """

    rates: np.ndarray
    lambdas: tuple[float, ...]
    names: tuple[str, ...]
    rules: OrderRunRules
    over: PostHoc | None = None
    offset: tuple[float, float] = (0.0, 0.0)

    def draw(self, rng: np.random.Generator, n: int) -> Sums:
        """Return the counts of each order and of each edge, by lambda."""
        children = rng.spawn(len(self.rates))  # so that lambdas do not disturb each other
        found = [
            self._counts(child, row, n) for child, row in zip(children, self.rates, strict=True)
        ]
        orders, edges = (np.array(counts) for counts in zip(*found, strict=True))
        return {"orders": orders, "edges": edges}

    def _counts(
        self, rng: np.random.Generator, row: np.ndarray, n: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return counts at one lambda: of the places in `_orders`, and of edges."""
        k = len(self.names)
        sets = 1 if self.over is None else self.over.n
        most = max(1, _BLOCK // (sets * k * (k - 1) // 2 * self.rules.n_results))
        sizes = [min(most, n - start) for start in range(0, n, most)]
        edges = np.concatenate([self._edges(rng, row, size) for size in sizes])
        digits = prior_first(edges, k) @ k ** np.arange(k)
        order_numbers = {
            sum(p * k**exponent for exponent, p in enumerate(order)): i
            for i, order in enumerate(_orders(k))
        }
        counts = np.zeros(len(order_numbers), dtype=int)
        for digit, times in zip(*np.unique(digits, return_counts=True), strict=True):
            counts[order_numbers[int(digit)]] = times
        return counts, edges.sum(axis=0)

    def _edges(self, rng: np.random.Generator, row: np.ndarray, n: int) -> np.ndarray:
        """Return edges, run x pair."""
        if self.over is None:
            return draw_edges(rng, np.tile(row, (n, 1)), self.rules)
        shifts = rng.uniform(*self.offset, size=(n, self.over.n, 1))
        # never past the ends by rounding
        edges = draw_edges(rng, np.clip(row + shifts, 0, 1), self.rules)
        positions = np.argsort(prior_first(edges, len(self.names)), axis=-1) + 1
        return self.over.edges(positions.mean(axis=1))

    def result(self, sums: Sums, n: int) -> OrderProbabilities:
        """Return shares of runs; only of orders that occurred."""
        index = pd.Index(self.lambdas, name="lambda")
        labels = [
            _label([self.names[position] for position in order])
            for order in _orders(len(self.names))
        ]
        shares = pd.DataFrame(sums["orders"] / n, index=index, columns=labels)
        largest = shares.max().sort_values(ascending=False, kind="stable")
        cheap, costly = np.triu_indices(len(self.names), 1)
        pairs = [(self.names[i], self.names[j]) for i, j in zip(cheap, costly, strict=True)]
        columns = pd.MultiIndex.from_tuples(pairs, names=["cheaper", "costlier"])
        return OrderProbabilities(
            probabilities=shares[largest.index[largest > 0]],
            edges=pd.DataFrame(sums["edges"] / n, index=index, columns=columns),
            prior=_label(self.names),
            runs=n,
            method=f"{self._method}; {n:,} runs",
        )

    @property
    def _method(self) -> str:
        if self.over is None:
            return f"MultiTest: {self.rules.text}"
        return f"Multi2Test on {self.over.n} data sets: {self.rules.text}; Friedman, {self.over.method}"


def simulate_multitest(
    rates: pd.DataFrame,
    *,
    n_cases: int = 100,
    n_results: int = 10,
    test: str = "paired t",
    family: str = "holm",
    alpha: float = 0.05,
    runs: int = 1000,
    undivided: bool = False,
    test_fraction: float | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[Progress], object] | None = None,
    kept: Keeping | None = None,
) -> OrderProbabilities:
    """Which orders does MultiTest find on one data set, and how often?

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 4.6 and Fig. 4.

    Examples
    --------
    >>> from stats_core.power.order_error_rates import rates_of_three
    >>> simulate_multitest(rates_of_three([0, 0.1]), runs=200).probabilities.iloc[-1].idxmax()
    '3-2-1'
    """
    table = check_rates(rates)
    rules = OrderRunRules(
        n_cases=n_cases,
        n_results=n_results,
        test=test,
        family=family,
        alpha=alpha,
        test_fraction=test_fraction,
        undivided=undivided,
    )
    check_rules(rules)
    check_whole(runs, "runs", 1)

    return run_simulation(
        _runs(table, rules, runs, seed), executor=executor, progress=progress, kept=kept
    )


def simulate_multi2test(
    rates: pd.DataFrame,
    *,
    n_datasets: int = 30,
    offset: tuple[float, float] = (-0.05, 0.05),
    n_cases: int = 50,
    n_results: int = 10,
    test: str = "paired t",
    family: str = "none",
    post_hoc: str = "nemenyi",
    alpha: float = 0.05,
    runs: int = 1000,
    undivided: bool = False,
    test_fraction: float | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[Progress], object] | None = None,
    kept: Keeping | None = None,
) -> OrderProbabilities:
    """Which orders does Multi2Test find over many data sets, and how often?

    Notes
    -----
    MultiTest orders the algorithms on each data set, their places are ranks without ties, and the
    Friedman test asks if the average places differ; where all data sets give the same order it
    counts as rejected. If it rejects, an edge leads to a costlier algorithm whose average place
    is separated and lower, and MultiTest orders them again; else the prior order remains.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 3.2, 4.6 and Fig. 5.

    Examples
    --------
    >>> from stats_core.power.order_error_rates import rates_of_four
    >>> found = simulate_multi2test(rates_of_four([0, 0.1]), runs=50)
    >>> found.text
    'The prior order 1-2-3-4 comes out with probability 1.00 at lambda 0, 4-3-2-1 with 1.00 at 0.1.'
    """
    table = check_rates(rates, offset)
    rules = OrderRunRules(
        n_cases=n_cases,
        n_results=n_results,
        test=test,
        family=family,
        alpha=alpha,
        test_fraction=test_fraction,
        undivided=undivided,
    )
    check_rules(rules)
    check_whole(runs, "runs", 1)
    check_whole(n_datasets, "n_datasets", 2)
    check_one_of(post_hoc, POST_HOCS, "post_hoc")
    over = PostHoc(k=table.shape[1], n=n_datasets, method=post_hoc, alpha=alpha)
    work = _runs(table, rules, runs, seed, over=over, offset=(float(offset[0]), float(offset[1])))
    return run_simulation(work, executor=executor, progress=progress, kept=kept)


def orders_of(
    _: object,
    settings: Settings,
    *,
    slopes: Sequence[float],
    most: float,
    draws: int,
    n_datasets: int = 1,
    shift: float = 0.0,
    **options: Any,
) -> OrderProbabilities:
    """Return `simulate_multi2test`, or `simulate_multitest` for one data set."""
    rates = rates_up_to(slopes, most, shift=shift)
    options |= {"alpha": settings.alpha, "runs": draws}
    if n_datasets == 1:
        return simulate_multitest(rates, **options)
    return simulate_multi2test(rates, n_datasets=n_datasets, offset=(-shift, shift), **options)


def _runs(
    table: pd.DataFrame, rules: OrderRunRules, runs: int, seed: int, **others: Any
) -> OrderRuns:
    return OrderRuns(
        rates=table.to_numpy(),
        lambdas=tuple(float(value) for value in table.index),
        names=tuple(str(name) for name in table.columns),
        rules=rules,
        draws=int(runs),
        seed=seed,
        **others,
    )


def _orders(k: int) -> list[tuple[int, ...]]:
    """Return every order of k algorithms."""
    return list(permutations(range(k)))


def _label(names: Sequence[str]) -> str:
    """Return the label of an order, for example 2-3-1; spaced if a name has a hyphen."""
    return (" - " if any("-" in name for name in names) else "-").join(names)


def _first_half(lambdas: np.ndarray, shares: np.ndarray) -> float:
    """Return where the shares first reach one half, interpolated between the lambdas."""
    reached = np.flatnonzero(shares >= 0.5)
    if not len(reached):
        return np.nan
    ends = slice(max(reached[0] - 1, 0), reached[0] + 1)
    return float(np.interp(0.5, shares[ends], lambdas[ends]))
