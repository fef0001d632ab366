"""Time of the simulations of orders, compared with drawing their random numbers alone.

``python -m benchmarks.ordering_speed [--runs 1000]`` prints for both published families, three
algorithms on one data set and four on thirty, the seconds of the simulation; how many times the
drawing of its binomials alone that is, which no program can do without; and how many times faster
it is than a loop over runs that calls scipy's t test and `stats_core` for one data set at a time,
timed on a few runs.

Reference: Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, Fig. 4 and 5.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.inference.multiplicity.adjust import adjust_family
from stats_core.inference.ranks import critical_difference, friedman
from stats_core.ordering.multitest import multitest
from stats_core.power.order_error_rates import rates_of_four, rates_of_three
from stats_core.power.order_simulation import simulate_multi2test, simulate_multitest

ALPHA = 0.05
RESULTS = 10
SETS = 30
FEW = {"three": 20, "four": 1}  # number of runs of the plain loop at each lambda


def seconds(work: Callable[[], object]) -> float:
    """Return the minimum seconds of three runs."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def draw(rates: pd.DataFrame, sets: int, n_cases: int, runs: int) -> None:
    """Draw the binomial numbers of a family of rates."""
    rng = np.random.default_rng(1)
    for row in rates.to_numpy():
        shifted = row + rng.uniform(-0.05, 0.05, size=(runs, sets, 1)) * (sets > 1)
        rng.binomial(n_cases, shifted[..., None], size=(*shifted.shape, RESULTS))


def order_one(rng: np.random.Generator, rates: pd.Series, n_cases: int, family: str) -> pd.Series:
    """Return the ranks of one run of MultiTest, computed test by test."""
    names = list(rates.index)
    errors = {name: rng.binomial(n_cases, rates[name], RESULTS) for name in names}
    pairs = [(i, j) for position, i in enumerate(names) for j in names[position + 1 :]]
    raw = [stats.ttest_rel(errors[i], errors[j], alternative="greater").pvalue for i, j in pairs]
    better = pd.DataFrame(False, names, names)
    for (i, j), p in zip(pairs, adjust_family(np.array(raw), family), strict=True):
        better.loc[j, i] = p <= ALPHA
    return multitest(names, better).places


def loop_of_three(rates: pd.DataFrame, runs: int) -> None:
    """Simulate MultiTest on one data set, run by run."""
    rng = np.random.default_rng(1)
    for _, row in rates.iterrows():
        for _ in range(runs):
            order_one(rng, row, 100, "holm")


def loop_of_four(rates: pd.DataFrame, runs: int) -> None:
    """Simulate Multi2Test on thirty data sets, run by run."""
    rng = np.random.default_rng(1)
    needed = critical_difference(rates.shape[1], SETS, ALPHA)
    for _, row in rates.iterrows():
        for _ in range(runs):
            shifts = rng.uniform(-0.05, 0.05, SETS)
            places = pd.DataFrame([order_one(rng, row + shift, 50, "none") for shift in shifts])
            outcome = friedman(places, higher_is_better=False)
            ranks = outcome.average_ranks
            lead = ranks.to_numpy() - ranks.to_numpy()[:, None]
            better = (lead >= needed) & (outcome.pvalue <= ALPHA)
            multitest(list(row.index), pd.DataFrame(better, row.index, row.index))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    three, four = rates_of_three(), rates_of_four()
    rows = [
        (
            "three algorithms, one data set",
            lambda: simulate_multitest(three, runs=runs),
            lambda: draw(three, 1, 100, runs),
            lambda: loop_of_three(three, FEW["three"]),
            FEW["three"],
        ),
        (
            "four algorithms, thirty data sets",
            lambda: simulate_multi2test(four, n_datasets=SETS, runs=runs),
            lambda: draw(four, SETS, 50, runs),
            lambda: loop_of_four(four, FEW["four"]),
            FEW["four"],
        ),
    ]
    for label, simulation, drawing, loop, n_runs in rows:
        took, least = seconds(simulation), seconds(drawing)
        start = time.perf_counter()
        loop()
        plain = (time.perf_counter() - start) * runs / n_runs
        print(
            f"{label}, {len(three)} lambdas, {runs:,} runs: {took:.2f} s, {took / least:.1f} times "
            f"drawing alone, {plain / took:,.0f} times faster than a plain loop ({plain:,.0f} s)"
        )


if __name__ == "__main__":
    main()
