"""Error rates and power of tests of few training runs, and of losses that are correlated in time.

``python -m benchmarks.few_runs_and_times [--draws N]`` prints two tables for the method cards.

* Two algorithms with R training runs on the same items: item effects, run effects and interactions
  are normal. The ratio is the variance of the mean difference over runs divided by that over items.
  Power is at a difference of three standard errors. Satterthwaite's degrees of freedom are the
  former rule.
* Loss differences that follow a first-order autoregression, tested without a horizon, and by the
  paired t test, which is the test with horizon 1.
"""

import argparse
from collections.abc import Iterator

import numpy as np
from scipy import fft, signal, special

from stats_core.inference.paired.forecast_test import cosine_df, diebold_mariano
from stats_core.inference.paired.influences import Moves
from stats_core.inference.paired.instance_tests import two_way_of_moves

ITEMS, ALPHA, AHEAD = 200, 0.05, 3.0
RATIOS = (0.1, 1.0, 4.0, 10.0)
CHECKED = 20  # samples of each setting that the library tests, too
INTERACTION = 0.5  # share of the variance over items that is new in each run


def share_with_error(rejected: np.ndarray) -> str:
    """Return a proportion with its standard error.

    Examples
    --------
    >>> share_with_error(np.array([True] * 5 + [False] * 95))
    '0.050 ± 0.022'
    """
    share = float(np.mean(rejected))
    return f"{share:.3f} ± {np.sqrt(share * (1 - share) / len(rejected)):.3f}"


def differences_of(
    draws: int, runs: int, ratio: float, ahead: float, rng: np.random.Generator
) -> np.ndarray:
    """Return differences, draw x run x item, with a mean of `ahead` standard errors."""
    over_items = 1 / ITEMS
    items = rng.normal(size=(draws, 1, ITEMS)) * np.sqrt(1 - INTERACTION / runs)
    of_runs = rng.normal(size=(draws, runs, 1)) * np.sqrt(ratio * over_items * runs)
    own = rng.normal(size=(draws, runs, ITEMS)) * np.sqrt(INTERACTION)
    return items + of_runs + own + ahead * np.sqrt(over_items * (1 + ratio))


def two_rejections(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return whether the two-way t test rejects, and with Satterthwaite's degrees of freedom.

    The first samples are compared with the function of the library.
    """
    _, runs, n = values.shape
    over_items = values.mean(axis=1).var(axis=1, ddof=1) / n
    of_runs = values.mean(axis=2)
    over_runs = of_runs.var(axis=1, ddof=1) / runs
    total = over_items + over_runs
    size = np.abs(of_runs.mean(axis=1)) / np.sqrt(total)
    quantiles = special.stdtrit([n - 1, runs - 1], ALPHA / 2) ** 2
    rejects = size**2 >= (over_items * quantiles[0] + over_runs * quantiles[1]) / total
    df = total**2 / (over_items**2 / (n - 1) + over_runs**2 / (runs - 1))
    zero = Moves(0.0, np.zeros(n))
    for sample, decision in zip(values[:CHECKED], rejects, strict=False):
        both = [(Moves(float(row.mean()), (row - row.mean()) / n), zero) for row in sample]
        test = two_way_of_moves("mean", both, np.arange(n), confidence_level=1 - ALPHA)
        assert (test.pvalue <= ALPHA) == decision
    return rejects, size >= -special.stdtrit(df, ALPHA / 2)


def of_runs(draws: int) -> Iterator[str]:
    """Yield the table of the two-way t test."""
    yield "| runs | ratio | level | level, Satterthwaite | power | power, Satterthwaite |"
    yield "|---|---|---|---|---|---|"
    for runs in (2, 3, 5, 10):
        for ratio in RATIOS:
            rng = np.random.default_rng([runs, int(10 * ratio)])
            cells = []
            for ahead in (0.0, AHEAD):
                values = differences_of(draws, runs, ratio, ahead, rng)
                cells += [share_with_error(rejects) for rejects in two_rejections(values)]
            yield f"| {runs} | {ratio:g} | {' | '.join(cells)} |"


def autoregressions(draws: int, n: int, phi: float, rng: np.random.Generator) -> np.ndarray:
    """Return stationary first-order autoregressions with unit innovations, draw x time."""
    innovations = rng.normal(size=(draws, n))
    innovations[:, 0] /= np.sqrt(1 - phi**2)
    return signal.lfilter([1], [1, -phi], innovations, axis=1)


def in_time(draws: int) -> Iterator[str]:
    """Yield the table of the Diebold-Mariano test; the first samples are compared with it."""
    yield "| instances | φ | level | level, horizon 1 | power | power, horizon 1 |"
    yield "|---|---|---|---|---|---|"
    for n in (30, 100, 400):
        for phi in (0.0, 0.1, 0.2, 0.3, 0.5):
            rng = np.random.default_rng([n, int(10 * phi)])
            cells = []
            for ahead in (0.0, AHEAD / np.sqrt(n) / (1 - phi)):
                values = autoregressions(draws, n, phi, rng) + ahead
                for horizon in (None, 1):
                    rejects = _rejections(values, horizon)
                    for sample, decision in zip(values[:CHECKED], rejects, strict=False):
                        test = diebold_mariano(sample, np.zeros(n), horizon=horizon)
                        assert (test.pvalue <= ALPHA) == decision
                    cells.append(share_with_error(rejects))
            yield f"| {n} | {phi:g} | {' | '.join(cells)} |"


def _rejections(values: np.ndarray, horizon: int | None) -> np.ndarray:
    """Return whether the test rejects, without a horizon or by the paired t test (horizon 1)."""
    n, means = values.shape[1], values.mean(axis=1)
    if horizon is None:
        df = cosine_df(n)
        waves = fft.dct(values - means[:, None], type=2, norm="ortho", axis=1)
        variance = (waves[:, 1 : df + 1] ** 2).mean(axis=1)
    else:
        df, variance = n - 1, values.var(axis=1, ddof=1)
    return np.abs(means) / np.sqrt(variance / n) >= -special.stdtrit(df, ALPHA / 2)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=8000)
    draws = parser.parse_args().draws
    for line in (*of_runs(draws), "", *in_time(draws)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
