"""Simulation of MultiTest and Multi2Test for algorithms with known error rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from stats_core.core.errors import SettingError
from stats_core.core.validation import check_one_of, check_probability, significant
from stats_core.data.settings import Settings
from stats_core.inference import inference_text
from stats_core.inference.fold_tests import ONE_SIDED, one_sided
from stats_core.inference.methods import PAIR_TESTS, Statistic
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.inference.paired import signed_ranks
from stats_core.inference.ranks import critical_difference
from stats_core.power import simulation
from stats_core.power.simulation import Simulation, Sums

_FAMILIES = ("none", "bonferroni", "holm")
# tests of simulated orders, by key
SIMULATED = tuple(
    key
    for key, method in PAIR_TESTS.items()
    if key in ONE_SIDED or method.statistic is Statistic.SIGNED_RANKS
)
_POST_HOCS = ("nemenyi", "bonferroni", "holm")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRunRules:
    """Settings of the simulation: how one data set is drawn and tested.

    Attributes
    ----------
    n_cases, n_results : int
        Instances behind one result, and results of each algorithm.
    test : str
        Key of a test with one-sided p-values by row, or "Wilcoxon".
    family : {"none", "bonferroni", "holm"}
        Correction over the pairs.
    alpha : float
        Significance level of the family.
    test_fraction : float or None
        Test fraction for the correction of overlap.
    undivided : bool
        Whether the p-value of the 5x2 cv F test is used one-sided without halving it.
    """

    n_cases: int = 100
    n_results: int = 10
    test: str = "paired t"
    family: str = "holm"
    alpha: float = 0.05
    test_fraction: float | None = None
    undivided: bool = False

    @property
    def text(self) -> str:
        """Description of the settings as text."""
        family = "unadjusted" if self.family == "none" else self.family.capitalize()
        values = {
            "n_results": self.n_results,
            "n": self.n_cases,
            "test": PAIR_TESTS[self.test].name,
            "alpha": self.alpha,
        }
        return inference_text("order.label", **values, undivided=self.undivided, family=family)


def prior_first(edges: np.ndarray, k: int) -> np.ndarray:
    """Return the MultiTest order of k algorithms (..., place), for every set of edges (..., pair).

    Examples
    --------
    Edges 0-2 and 1-2: the most expensive algorithm is better than both cheaper ones.

    >>> import numpy as np
    >>> prior_first(np.array([[False, True, True]]), 3).tolist()
    [[2, 0, 1]]
    """
    graph = np.zeros((*edges.shape[:-1], k, k), dtype=bool)
    cheap, costly = np.triu_indices(k, 1)
    graph[..., cheap, costly] = edges
    remaining = np.ones(graph.shape[:-1], dtype=bool)
    order = np.empty(graph.shape[:-1], dtype=int)
    for position in range(k):
        beaten = (graph & remaining[..., None, :]).any(axis=-1)
        next_algorithm = (remaining & ~beaten).argmax(axis=-1)  # the first, so the cheapest
        order[..., position] = next_algorithm
        np.put_along_axis(remaining, next_algorithm[..., None], False, axis=-1)
    return order


def draw_edges(rng: np.random.Generator, rates: np.ndarray, rules: OrderRunRules) -> np.ndarray:
    """Return whether the more expensive algorithm of each pair is significantly better in drawn results."""
    errors = rng.binomial(rules.n_cases, rates[..., None], size=(*rates.shape, rules.n_results))
    cheap, costly = np.triu_indices(rates.shape[-1], 1)
    # numbers of errors, not shares: whole, so that a mean of zero is exactly zero
    differences = errors.take(cheap, axis=-2) - errors.take(costly, axis=-2)
    if PAIR_TESTS[rules.test].statistic is Statistic.SIGNED_RANKS:
        pvalues = signed_ranks.wilcoxon_greater(differences)
    else:
        pvalues = one_sided(
            differences, rules.test, test_fraction=rules.test_fraction, undivided=rules.undivided
        )
    return significant(adjust.adjust_rows(pvalues, rules.family), rules.alpha)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostHoc:
    """Friedman's test and its post hoc test (`method`) for k algorithms on n data sets, vectorized over runs."""

    k: int
    n: int
    method: str
    alpha: float

    def edges(self, ranks: np.ndarray) -> np.ndarray:
        """Return edges (run, pair) from average ranks (run, algorithm)."""
        cheap, costly = np.triu_indices(self.k, 1)
        lead = ranks[:, cheap] - ranks[:, costly]
        return self._rejects(ranks)[:, None] & (lead > 0) & self._separates(lead)

    def _rejects(self, ranks: np.ndarray) -> np.ndarray:
        scale = 12 * self.n / (self.k * (self.k + 1))
        deviations = ranks - (self.k + 1) / 2
        statistic = scale * (deviations**2).sum(axis=1)
        is_unanimous = statistic > self.n * (self.k - 1) - 1e-9
        pvalues = special.chdtrc(self.k - 1, statistic)
        return is_unanimous | significant(pvalues, self.alpha)

    def _separates(self, lead: np.ndarray) -> np.ndarray:
        if self.method == "nemenyi":
            return lead >= critical_difference(self.k, self.n, self.alpha)
        error = sqrt(self.k * (self.k + 1) / (6 * self.n))
        pvalues = 2 * special.ndtr(-np.abs(lead) / error)
        return significant(adjust.adjust_rows(pvalues, self.method), self.alpha)


def _check_rules(rules: OrderRunRules) -> None:
    """Raise SettingError for invalid settings of a simulation."""
    check_one_of(rules.test, SIMULATED, "test")
    check_one_of(rules.family, _FAMILIES, "family")
    check_probability(rules.alpha, "alpha")
    check_whole(rules.n_cases, "n_cases", 1)
    check_whole(rules.n_results, "n_results", 2)
    if PAIR_TESTS[rules.test].five_by_two and rules.n_results != 10:
        raise SettingError.of("The 5x2 tests need ten results", n_results=rules.n_results)
    if PAIR_TESTS[rules.test].statistic is Statistic.SIGNED_RANKS and rules.undivided:
        raise SettingError.of("undivided needs F", test="Wilcoxon test")


def check_whole(value: int, name: str, least: int) -> None:
    """Raise SettingError for a value that is not an integer or is below `least`."""
    is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_integer or value < least:
        raise SettingError.of("number too small", name=name, least=least, value=value)


LAMBDAS = tuple(step / 200 for step in range(21))
_FEWEST = 2  # algorithms
_MOST = 6


def _rates_of(slopes: Sequence[float], lambdas: Sequence[float] = LAMBDAS) -> pd.DataFrame:
    """Return error rates 0.5 + slope * lambda, lambda x algorithm, with columns "1", "2", ...

    Examples
    --------
    >>> _rates_of((1, 0), [0.2]).loc[0.2].round(2).tolist()
    [0.7, 0.5]
    """
    index = pd.Index([float(value) for value in lambdas], name="lambda")
    columns = [str(number) for number in range(1, len(slopes) + 1)]
    return pd.DataFrame(0.5 + np.outer(index, slopes), index=index, columns=columns)


def rates_up_to(slopes: Sequence[float], most: float, *, shift: float = 0.0) -> pd.DataFrame:
    """Return error rates 0.5 + slope * lambda at 21 lambdas from 0 to `most`.

    SettingError unless two to six algorithms have rates within [0, 1], also if shifted by up to
    `shift`.

    Examples
    --------
    >>> rates_up_to((2, 0, -2), 0.1).iloc[-1].round(2).tolist()
    [0.7, 0.5, 0.3]
    """
    if not _FEWEST <= len(slopes) <= _MOST:
        raise SettingError.of(
            "The simulation needs a few classifiers",
            fewest=_FEWEST,
            most=_MOST,
            n_slopes=len(slopes),
        )
    if not np.isfinite(slopes).all():
        raise SettingError.of("numbers not finite")
    rates = _rates_of(slopes, [most * step / 20 for step in range(21)])
    values = rates.to_numpy()
    least = min(values.min(), 0.5) - shift
    largest = max(values.max(), 0.5) + shift
    if least < 0 or largest > 1:
        raise SettingError.of("Error rates must lie between 0 and 1", least=least, largest=largest)
    return rates


def rates_of_three(lambdas: Sequence[float] = LAMBDAS) -> pd.DataFrame:
    """Return error rates 0.5 + 2 lambda, 0.5 and 0.5 - 2 lambda, lambda x algorithm.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 4.6 and Fig. 4.

    Examples
    --------
    >>> rates_of_three([0.1]).loc[0.1].round(2).tolist()
    [0.7, 0.5, 0.3]
    """
    return _rates_of((2, 0, -2), lambdas)


def rates_of_four(lambdas: Sequence[float] = LAMBDAS) -> pd.DataFrame:
    """Return error rates 0.5 + slope * lambda for slopes 3, 1, -1 and -3, lambda x algorithm.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 4.6 and Fig. 5.

    Examples
    --------
    >>> rates_of_four([0.1]).loc[0.1].round(2).tolist()
    [0.8, 0.6, 0.4, 0.2]
    """
    return _rates_of((3, 1, -1, -3), lambdas)


def _check_rates(rates: pd.DataFrame, offset: tuple[float, float] = (0.0, 0.0)) -> pd.DataFrame:
    """Return rates as floats; SettingError unless 2 to 6 distinct names, increasing lambdas, rates within [0, 1]."""
    table = pd.DataFrame(rates)
    names = [str(name) for name in table.columns]
    if not _FEWEST <= len(names) <= _MOST or len(set(names)) < len(names):
        raise SettingError.of(
            "rates needs a few algorithms",
            fewest=_FEWEST,
            most=_MOST,
            n_names=len(names),
            n_different=len(set(names)),
        )
    lambdas = np.asarray(pd.to_numeric(table.index, errors="coerce"), dtype=float)
    if not len(lambdas) or not np.isfinite(lambdas).all() or (np.diff(lambdas) <= 0).any():
        raise SettingError.of("rates needs lambdas that increase", n_lambdas=len(lambdas))
    low, high = offset
    if not -1 <= low <= high <= 1:
        raise SettingError.of("no offset", low=low, high=high)
    table = table.apply(pd.to_numeric, errors="coerce").astype(float)
    least = table.to_numpy().min() + low
    most = table.to_numpy().max() + high
    if not (least >= 0 and most <= 1):
        raise SettingError.of(
            "Error rates with their offset must lie between 0 and 1", least=least, most=most
        )
    return table


_BLOCK = 2_000_000  # differences at a time, to bound memory


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderProbabilities:
    """Estimated probability of each order, by lambda.

    Attributes
    ----------
    probabilities : DataFrame, lambda x order
        Share of runs with each order that occurred ("2-3-1": algorithm 2 first), sorted by its
        largest share at any lambda, descending.
    edges : DataFrame, lambda x (cheaper, more expensive)
        Share of runs in which the more expensive algorithm is significantly better.
    prior : str
        The prior order, cheapest first, as a column of `probabilities` would name it.
    runs : int
        Runs at each lambda.
    method : str
        Description of each run.
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
        """Smallest lambda, interpolated, at which each pair is significant in half of the runs; NaN if none."""
        lambdas = self.edges.index.to_numpy(dtype=float)
        return self.edges.apply(lambda shares: _first_half(lambdas, shares.to_numpy()))


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderRuns(Simulation):
    """Simulated runs of MultiTest or Multi2Test at each lambda.

    Attributes
    ----------
    rates : array, lambda x algorithm
        True error rates.
    lambdas : tuple of float
        Values of the parameter on which the error rates depend.
    names : tuple of str
        The algorithms, cheapest first.
    rules : OrderRunRules
        Rules of the tests on one data set.
    over : PostHoc or None
        Post hoc test of average ranks; None for MultiTest, on one data set.
    offset : tuple of float
        Range of the uniform offset that each data set adds to all error rates.
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
        orders = []
        edges = []
        for child, row in zip(children, self.rates, strict=True):
            order_counts, edge_counts = self._counts(child, row, n)
            orders.append(order_counts)
            edges.append(edge_counts)
        return {"orders": np.array(orders), "edges": np.array(edges)}

    def _counts(
        self, rng: np.random.Generator, row: np.ndarray, n: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return how often each order of `_orders`, and each edge, occurs at one lambda."""
        k = len(self.names)
        n_sets = 1 if self.over is None else self.over.n
        cells_of_run = n_sets * k * (k - 1) // 2 * self.rules.n_results
        most = max(1, _BLOCK // cells_of_run)
        sizes = [min(most, n - start) for start in range(0, n, most)]
        edges = np.concatenate([self._edges(rng, row, size) for size in sizes])
        digits = k ** np.arange(k)  # an order is a number to base k
        numbers, times = np.unique(prior_first(edges, k) @ digits, return_counts=True)
        times_of = dict(zip(numbers.tolist(), times.tolist(), strict=True))
        counts = [times_of.get(int(np.array(order) @ digits), 0) for order in _orders(k)]
        return np.array(counts, dtype=int), edges.sum(axis=0)

    def _edges(self, rng: np.random.Generator, row: np.ndarray, n: int) -> np.ndarray:
        """Return the significant pairs of n runs at one lambda, run x pair."""
        if self.over is None:
            return draw_edges(rng, np.tile(row, (n, 1)), self.rules)
        shifts = rng.uniform(*self.offset, size=(n, self.over.n, 1))
        # never past the ends by rounding
        edges = draw_edges(rng, np.clip(row + shifts, 0, 1), self.rules)
        positions = np.argsort(prior_first(edges, len(self.names)), axis=-1) + 1
        return self.over.edges(positions.mean(axis=1))

    def result(self, sums: Sums, n: int) -> OrderProbabilities:
        """Return the share of runs with each order; orders that never occurred are omitted."""
        index = pd.Index(self.lambdas, name="lambda")
        labels = []
        for order in _orders(len(self.names)):
            labels.append(_label([self.names[position] for position in order]))
        shares = pd.DataFrame(sums["orders"] / n, index=index, columns=labels)
        largest = shares.max().sort_values(ascending=False, kind="stable")
        pairs = list(combinations(self.names, 2))
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
        return f"Multi2Test ({self.over.n} data sets): {self.rules.text}; Friedman, {CORRECTIONS[self.over.method]}"


@simulation.simulated
def simulate_multitest(
    rates: pd.DataFrame, *, runs: int = 1000, seed: int = 0, **rules: Any
) -> OrderRuns:
    """Return the simulated probability of each MultiTest order on one data set.

    Parameters
    ----------
    rates : DataFrame, lambda x algorithm
        True error rates, the cheapest algorithm first.
    runs : int
        Runs at each lambda.
    seed : int
        Random seed.
    rules
        Fields of `OrderRunRules`, among them `n_cases` (100), `test` ("paired t"), `family`
        ("holm").

    Returns
    -------
    OrderProbabilities
        Shares of runs with each order and each edge, by lambda.

    Raises
    ------
    SettingError
        Rates, rules or number of runs are invalid.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 4.6 and Fig. 4.

    Examples
    --------
    >>> from stats_core.power.order_simulation import rates_of_three
    >>> simulate_multitest(rates_of_three([0, 0.1]), runs=200).probabilities.iloc[-1].idxmax()
    '3-2-1'
    """
    return _runs(_check_rates(rates), OrderRunRules(**rules), runs, seed)


@simulation.simulated
def simulate_multi2test(
    rates: pd.DataFrame,
    *,
    n_datasets: int = 30,
    offset: tuple[float, float] = (-0.05, 0.05),
    post_hoc: str = "nemenyi",
    runs: int = 1000,
    seed: int = 0,
    **rules: Any,
) -> OrderRuns:
    """Return the simulated probability of each Multi2Test order over data sets.

    Parameters
    ----------
    rates : DataFrame, lambda x algorithm
        True error rates, the cheapest algorithm first.
    n_datasets : int
        Data sets of one run.
    offset : tuple of float
        Range of the uniform offset that each data set adds to all error rates.
    post_hoc : {"nemenyi", "bonferroni", "holm"}
        Post hoc test of average ranks.
    runs : int
        Runs at each lambda.
    seed : int
        Random seed.
    rules
        Fields of `OrderRunRules`, among them `n_cases` (50), `test` ("paired t"), `family`
        ("none").

    Returns
    -------
    OrderProbabilities
        Shares of runs with each order and each edge, by lambda.

    Raises
    ------
    SettingError
        Rates, also with their offset, rules, post hoc test or numbers are invalid.

    Notes
    -----
    MultiTest orders the algorithms on each data set, which gives ranks without ties. Friedman's test
    compares the average ranks; if all data sets give the same order it counts as rejected. If it
    rejects, an edge leads to each more expensive algorithm with a significantly lower average rank,
    and MultiTest orders the algorithms again; otherwise the prior order remains.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 3.2, 4.6 and Fig. 5.

    Examples
    --------
    >>> from stats_core.power.order_simulation import rates_of_four
    >>> found = simulate_multi2test(rates_of_four([0, 0.1]), runs=50)
    >>> found.probabilities.idxmax(axis=1).tolist()
    ['1-2-3-4', '4-3-2-1']
    """
    table = _check_rates(rates, offset)
    of_one = OrderRunRules(**dict[str, Any](n_cases=50, family="none") | rules)
    check_whole(n_datasets, "n_datasets", 2)
    check_one_of(post_hoc, _POST_HOCS, "post_hoc")
    over = PostHoc(k=table.shape[1], n=n_datasets, method=post_hoc, alpha=of_one.alpha)
    return _runs(table, of_one, runs, seed, over=over, offset=(float(offset[0]), float(offset[1])))


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
    """Return the result of `simulate_multi2test` (one data set: `simulate_multitest`) at the rates `rates_up_to`."""
    rates = rates_up_to(slopes, most, shift=shift)
    options |= {"alpha": settings.alpha, "runs": draws}
    if n_datasets == 1:
        return simulate_multitest(rates, **options)
    return simulate_multi2test(rates, n_datasets=n_datasets, offset=(-shift, shift), **options)


def _runs(
    table: pd.DataFrame, rules: OrderRunRules, runs: int, seed: int, **others: Any
) -> OrderRuns:
    """Return the simulation of orders, after a check of its settings."""
    _check_rules(rules)
    check_whole(runs, "runs", 1)
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
    """Return the label of an order, such as "2-3-1"; with spaces if a name contains a hyphen."""
    has_hyphen = any("-" in name for name in names)
    return (" - " if has_hyphen else "-").join(names)


def _first_half(lambdas: np.ndarray, shares: np.ndarray) -> float:
    """Return the lambda at which the share first reaches 0.5, by linear interpolation; NaN if it never does."""
    reached = np.flatnonzero(shares >= 0.5)
    if not len(reached):
        return np.nan
    ends = slice(max(reached[0] - 1, 0), reached[0] + 1)
    return float(np.interp(0.5, shares[ends], lambdas[ends]))
