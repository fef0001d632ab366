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
from scipy import special

from stats_core.inference.paired.forecast_test import diebold_mariano
from stats_core.inference.paired.influences import Moves
from stats_core.inference.paired.instance_tests import two_way_of_moves

ITEMS, ALPHA, AHEAD = 200, 0.05, 3.0
RATIOS = (0.1, 1.0, 4.0, 10.0)
INTERACTION = 0.5  # share of the variance over items that is new in each run


def share_with_error(rejected: list[bool]) -> str:
    """Return a proportion with its standard error.

    Examples
    --------
    >>> share_with_error([True] * 5 + [False] * 95)
    '0.050 ± 0.022'
    """
    share = float(np.mean(rejected))
    return f"{share:.3f} ± {np.sqrt(share * (1 - share) / len(rejected)):.3f}"


def differences_of(runs: int, ratio: float, ahead: float, rng: np.random.Generator) -> np.ndarray:
    """Return differences, run x item, with a mean of `ahead` standard errors."""
    over_items = 1 / ITEMS
    items = rng.normal(size=ITEMS) * np.sqrt(1 - INTERACTION / runs)
    of_runs = rng.normal(size=(runs, 1)) * np.sqrt(ratio * over_items * runs)
    own = rng.normal(size=(runs, ITEMS)) * np.sqrt(INTERACTION)
    return items + of_runs + own + ahead * np.sqrt(over_items * (1 + ratio))


def two_pvalues(values: np.ndarray) -> tuple[float, float]:
    """Return p of the two-way t test, and with Satterthwaite's degrees of freedom."""
    runs, n = values.shape
    zero = Moves(0.0, np.zeros(n))
    both = [(Moves(float(row.mean()), (row - row.mean()) / n), zero) for row in values]
    test = two_way_of_moves("mean", both, np.arange(n), confidence_level=0.95)
    parts = test.over_cases**2, test.over_trainings**2
    df = sum(parts) ** 2 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (runs - 1))
    return test.pvalue, float(2 * special.stdtr(df, -abs(test.statistic)))


def of_runs(draws: int) -> Iterator[str]:
    """Yield the table of the two-way t test."""
    yield "| runs | ratio | level | level, Satterthwaite | power | power, Satterthwaite |"
    yield "|---|---|---|---|---|---|"
    for runs in (2, 3, 5, 10):
        for ratio in RATIOS:
            rng = np.random.default_rng([runs, int(10 * ratio)])
            cells = []
            for ahead in (0.0, AHEAD):
                drawn = (differences_of(runs, ratio, ahead, rng) for _ in range(draws))
                pvalues = np.array([two_pvalues(values) for values in drawn])
                cells += [share_with_error(rejects) for rejects in (pvalues <= ALPHA).T]
            yield f"| {runs} | {ratio:g} | {' | '.join(cells)} |"


def autoregression(n: int, phi: float, rng: np.random.Generator) -> np.ndarray:
    """Return n values of a stationary first-order autoregression with unit innovations."""
    values = rng.normal(size=n)
    values[0] /= np.sqrt(1 - phi**2)
    for i in range(1, n):
        values[i] += phi * values[i - 1]
    return values


def in_time(draws: int) -> Iterator[str]:
    """Yield the table of the Diebold-Mariano test."""
    yield "| instances | φ | level | level, horizon 1 | power | power, horizon 1 |"
    yield "|---|---|---|---|---|---|"
    for n in (30, 100):
        for phi in (0.0, 0.1, 0.2, 0.3, 0.5):
            rng = np.random.default_rng([n, int(10 * phi)])
            cells = []
            for ahead in (0.0, AHEAD / np.sqrt(n) / (1 - phi)):
                drawn = [autoregression(n, phi, rng) + ahead for _ in range(draws)]
                for horizon in (None, 1):
                    tests = (diebold_mariano(d, np.zeros(n), horizon=horizon) for d in drawn)
                    cells.append(share_with_error([test.pvalue <= ALPHA for test in tests]))
            yield f"| {n} | {phi:g} | {' | '.join(cells)} |"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5400)
    draws = parser.parse_args().draws
    for line in (*of_runs(draws), "", *in_time(draws)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
