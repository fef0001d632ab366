"""Does MultiTest find the right order? Algorithms of known error rates, tested again and again."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stats_core.core.checks import check_one_of
from stats_core.core.errors import SettingError
from stats_core.power.order_draws import (
    POST_HOCS,
    PostHoc,
    Rules,
    check_rules,
    check_whole,
    draw_edges,
    prior_first,
)

LAMBDAS = tuple(step / 200 for step in range(21))
FEWEST, MOST = 2, 6  # algorithms
_BLOCK = 2_000_000  # differences at a time, to bound memory

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderProbabilities:
    """How often every order came out.

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
        """First lambda at which each pair gets its edge in half of the runs, NaN if at none."""
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


def rates_of(slopes: Sequence[float], lambdas: Sequence[float] = LAMBDAS) -> pd.DataFrame:
    """Return error rates .5 + slope times lambda, lambda x algorithm, named "1", "2", ...

    Examples
    --------
    >>> rates_of((1, 0), [0.2]).loc[0.2].round(2).tolist()
    [0.7, 0.5]
    """
    index = pd.Index([float(value) for value in lambdas], name="lambda")
    columns = [str(place) for place in range(1, len(slopes) + 1)]
    return pd.DataFrame(0.5 + np.outer(index, slopes), index=index, columns=columns)


def rates_up_to(slopes: Sequence[float], most: float, *, shift: float = 0.0) -> pd.DataFrame:
    """Return `rates_of` 21 lambdas from 0 to `most`, if all of them can be error rates.

    Parameters
    ----------
    slopes : sequence of float
        One per classifier, cheapest first.
    most : float
        The largest lambda.
    shift : float
        By how much data sets move all rates up or down.

    Raises
    ------
    SettingError
        Too few or too many classifiers, a slope that is not finite, a rate outside [0, 1].

    Examples
    --------
    >>> rates_up_to((2, 0, -2), 0.1).iloc[-1].round(2).tolist()
    [0.7, 0.5, 0.3]
    """
    if not FEWEST <= len(slopes) <= MOST:
        raise SettingError(
            f"It takes {FEWEST} to {MOST} classifiers, one number each. Found {len(slopes)}."
        )
    if not np.isfinite(slopes).all():
        raise SettingError("Every number must be finite. Try 2, 0, -2.")
    rates = rates_of(slopes, [most * step / 20 for step in range(21)])
    least, largest = min(rates.min().min(), 0.5) - shift, max(rates.max().max(), 0.5) + shift
    if least < 0 or largest > 1:
        raise SettingError(
            f"Error rates must lie between 0 and 1. These reach from {least:.4g} to "
            f"{largest:.4g}. Take a smaller lambda, or smaller numbers."
        )
    return rates


def rates_of_three(lambdas: Sequence[float] = LAMBDAS) -> pd.DataFrame:
    """Return error rates .5 + 2 lambda, .5 and .5 - 2 lambda, lambda x algorithm.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 4.6 and Fig. 4.

    Examples
    --------
    >>> rates_of_three([0.1]).loc[0.1].round(2).tolist()
    [0.7, 0.5, 0.3]
    """
    return rates_of((2, 0, -2), lambdas)


def rates_of_four(lambdas: Sequence[float] = LAMBDAS) -> pd.DataFrame:
    """Return error rates .5 + 3, 1, -1 and -3 lambda, lambda x algorithm.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 4.6 and Fig. 5.

    Examples
    --------
    >>> rates_of_four([0.1]).loc[0.1].round(2).tolist()
    [0.8, 0.6, 0.4, 0.2]
    """
    return rates_of((3, 1, -1, -3), lambdas)


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
    progress: Progress | None = None,
) -> OrderProbabilities:
    """Which orders does MultiTest find on one data set, and how often?

    Parameters
    ----------
    rates : DataFrame, lambda x algorithm
        True error rates; algorithms in the prior order, cheapest first, lambdas increasing.
    n_cases, n_results : int
        Each algorithm has `n_results` error rates, each from `n_cases` independent cases.
    test : str
        One-sided test of each pair: "paired t", "corrected t", "5x2 cv F", "5x2 cv t",
        "combined 5x2 cv t" or "Wilcoxon".
    family : {"holm", "bonferroni", "none"}
        Adjustment over all pairs.
    alpha : float
        Level of an edge.
    runs : int
        Simulated data sets at each lambda.
    undivided : bool
        The authors' form of the one-sided 5x2 cv F test: its p is not halved.
    test_fraction : float, optional
        For the corrected t, though the simulated results do not overlap.
    seed : int
        Each lambda has random numbers of its own, which depend on `seed` and its place.
    progress : callable, optional
        Told (done, total) after each lambda; what it raises ends the simulation.

    Returns
    -------
    OrderProbabilities
        Shares of runs by lambda.

    Raises
    ------
    SettingError
        Rates outside [0, 1], fewer than 2 or more than 6 algorithms, lambdas that do not
        increase; a number out of its range; a 5x2 test without ten results, the corrected t
        without a fraction; an unknown test or family.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 4.6 and Fig. 4.

    Examples
    --------
    >>> simulate_multitest(rates_of_three([0, 0.1]), runs=200).probabilities.iloc[-1].idxmax()
    '3-2-1'
    """
    table = _check_rates(rates)
    rules = Rules(
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

    def find(rng: np.random.Generator, row: np.ndarray, n: int) -> np.ndarray:
        return draw_edges(rng, np.tile(row, (n, 1)), rules)

    return _simulate(
        table, find, f"MultiTest: {rules.text}", runs, _pairs(table) * n_results, seed, progress
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
    progress: Progress | None = None,
) -> OrderProbabilities:
    """Which orders does Multi2Test find over many data sets, and how often?

    Parameters
    ----------
    rates : DataFrame, lambda x algorithm
        True error rates of an average data set; algorithms in the prior order of every data
        set, cheapest first.
    n_datasets : int
        Data sets of each run.
    offset : tuple of float
        Every data set of every run adds to the rates of all algorithms one number drawn
        uniformly between these.
    post_hoc : {"nemenyi", "bonferroni", "holm"}
        How average places are separated once the Friedman test rejects: by one critical
        difference, or by adjusted two-sided z tests.
    alpha : float
        Level of an edge on a data set, of the Friedman test and of the post hoc test.
    n_cases, n_results, test, family, runs, undivided, test_fraction, seed, progress
        As `simulate_multitest`.

    Returns
    -------
    OrderProbabilities
        Shares of runs by lambda; edges are those over the data sets.

    Raises
    ------
    SettingError
        As `simulate_multitest`; rates with an offset outside [0, 1]; fewer than 2 data sets; an
        unknown post hoc test.

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
    >>> found = simulate_multi2test(rates_of_four([0, 0.1]), runs=50)
    >>> found.text
    'The prior order 1-2-3-4 comes out with probability 1.00 at lambda 0, 4-3-2-1 with 1.00 at 0.1.'
    """
    table = _check_rates(rates, offset)
    rules = Rules(
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
    k = table.shape[1]
    over = PostHoc(k=k, n=n_datasets, method=post_hoc, alpha=alpha)

    def find(rng: np.random.Generator, row: np.ndarray, n: int) -> np.ndarray:
        shifts = rng.uniform(*offset, size=(n, n_datasets, 1))
        edges = draw_edges(
            rng, np.clip(row + shifts, 0, 1), rules
        )  # never past the ends by rounding
        places = np.argsort(prior_first(edges, k), axis=-1) + 1
        return over.edges(places.mean(axis=1))

    method = f"Multi2Test on {n_datasets} data sets: {rules.text}; Friedman, {post_hoc}"
    per_run = n_datasets * _pairs(table) * n_results
    return _simulate(table, find, method, runs, per_run, seed, progress)


def _simulate(
    table: pd.DataFrame,
    find: Callable[[np.random.Generator, np.ndarray, int], np.ndarray],
    method: str,
    runs: int,
    per_run: int,
    seed: int,
    progress: Progress | None,
) -> OrderProbabilities:
    """Count orders and edges; `find` draws n runs, each with `per_run` differences in memory."""
    names = [str(name) for name in table.columns]
    generators = np.random.default_rng(seed).spawn(len(table))
    orders, shares = [], []
    for done, (rng, row) in enumerate(zip(generators, table.to_numpy(), strict=True), 1):
        edges = np.concatenate([find(rng, row, n) for n in _blocks(runs, per_run)])
        orders.append(_count(prior_first(edges, len(names)), names))
        shares.append(edges.mean(axis=0))
        if progress is not None:
            progress(done, len(table))
    cheap, costly = np.triu_indices(len(names), 1)
    pairs = [(names[i], names[j]) for i, j in zip(cheap, costly, strict=True)]
    found = pd.DataFrame(orders, index=table.index).fillna(0.0)
    return OrderProbabilities(
        probabilities=found[found.max().sort_values(ascending=False, kind="stable").index],
        edges=pd.DataFrame(
            shares,
            index=table.index,
            columns=pd.MultiIndex.from_tuples(pairs, names=["cheaper", "costlier"]),
        ),
        prior=_label(names),
        runs=runs,
        method=f"{method}; {runs:,} runs",
    )


def _blocks(runs: int, per_run: int) -> Iterator[int]:
    """Yield numbers of runs that fit into memory, `runs` in all."""
    most = max(1, _BLOCK // per_run)
    for start in range(0, runs, most):
        yield min(most, runs - start)


def _count(orders: np.ndarray, names: Sequence[str]) -> dict[str, float]:
    """Return the share of each order among the rows of `orders`."""
    found, counts = np.unique(orders, axis=0, return_counts=True)
    return {
        _label([names[place] for place in order]): count / len(orders)
        for order, count in zip(found, counts, strict=True)
    }


def _label(names: Sequence[str]) -> str:
    """Write an order, for example 2-3-1; with blanks if a name has a hyphen itself."""
    return (" - " if any("-" in name for name in names) else "-").join(names)


def _first_half(lambdas: np.ndarray, shares: np.ndarray) -> float:
    """Return where the shares first reach one half, on straight lines between the lambdas."""
    reached = np.flatnonzero(shares >= 0.5)
    if not len(reached):
        return np.nan
    ends = slice(max(reached[0] - 1, 0), reached[0] + 1)
    return float(np.interp(0.5, shares[ends], lambdas[ends]))


def _pairs(table: pd.DataFrame) -> int:
    return table.shape[1] * (table.shape[1] - 1) // 2


def _check_rates(rates: pd.DataFrame, offset: tuple[float, float] = (0.0, 0.0)) -> pd.DataFrame:
    """Return the rates as floats if every rate is one, with any offset, and lambdas increase."""
    table = pd.DataFrame(rates)
    names = [str(name) for name in table.columns]
    if not FEWEST <= len(names) <= MOST or len(set(names)) < len(names):
        raise SettingError(
            f"`rates` needs {FEWEST} to {MOST} algorithms (columns) with names of their own. "
            f"It has {len(names)}, {len(set(names))} different. Name each once, or leave some out."
        )
    lambdas = np.asarray(pd.to_numeric(table.index, errors="coerce"), dtype=float)
    if not len(lambdas) or not np.isfinite(lambdas).all() or (np.diff(lambdas) <= 0).any():
        raise SettingError(
            "`rates` needs at least one lambda (row), and lambdas that increase. "
            f"It has {len(lambdas)}. Sort them and keep each once."
        )
    low, high = offset
    if not -1 <= low <= high <= 1:
        raise SettingError(
            "`offset` must be two shares, the smaller first. "
            f"It is ({low}, {high}). Try (-0.05, 0.05)."
        )
    table = table.apply(pd.to_numeric, errors="coerce").astype(float)
    least, most = table.to_numpy().min() + low, table.to_numpy().max() + high
    if not (least >= 0 and most <= 1):
        raise SettingError(
            "Error rates must lie between 0 and 1. "
            f"With the offset they reach from {least:.4g} to {most:.4g}. "
            "Take smaller lambdas or offsets."
        )
    return table
