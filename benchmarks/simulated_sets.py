"""How often do the tests over data sets name a difference where there is none, at level 0.05?

Run with ``python -m benchmarks.simulated_sets [repetitions]``; 5,000 repetitions take two minutes.
Results of an algorithm on a data set are drawn anew for each data set: normal, of the same spread
and centre for all algorithms, but for those that a world names. Tests are those of `stats_core`
for many experiments at once; on the first experiments of every world the decisions are compared
with `analyse`.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from benchmarks.benchmark_row import print_rates
from stats_core.comparison.analyse import analyse
from stats_core.core.significance import significant
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.assumptions import LEAST, symmetric_differences
from stats_core.power.simulated_power import Experiments, Procedure, compared_pairs

ALPHA, CHECKED, TOGETHER = 0.05, 2, 500
SIZES = tuple(product((3, 5, 10), (8, 10, 20, 40)))  # (algorithms, data sets)
PROCEDURES = (
    Procedure("wilcoxon", "bergmann_hommel"),
    Procedure("ranks", "bergmann_hommel"),
    Procedure("sign", "holm"),
)
NOISY = 10  # ratio of the noisy to the other standard deviations
FAR = 100.0  # difference that is always detected
SEEN = 200  # number of experiments tested for symmetry
# the median of an exponential minus a normal variable: P(E - c > Z) = 1/2, by quadrature
CENTRE = {1: 0.87580, 3: 0.74542}


@dataclass(frozen=True)
class World:
    """Simulated experiments in which some pairs do not differ.

    Attributes
    ----------
    name : str
    draw : callable
        Function of rng, repetitions, data sets and algorithms: repetition x set x algorithm.
    differ : int
        Number of algorithms, the last ones, that differ from all others.
    """

    name: str
    draw: Callable[[np.random.Generator, int, int, int], np.ndarray]
    differ: int = 0

    def true(self, k: int) -> np.ndarray:
        """Return whether the null hypothesis holds, per pair."""
        return compared_pairs(k, None)[1] < k - self.differ


def equal(rng: np.random.Generator, runs: int, n: int, k: int) -> np.ndarray:
    """Draw results of identical algorithms."""
    return rng.standard_normal((runs, n, k))


def half_noisy(rng: np.random.Generator, runs: int, n: int, k: int) -> np.ndarray:
    """Draw results where every second algorithm has a larger variance."""
    x = equal(rng, runs, n, k)
    x[..., ::2] *= NOISY
    return x


def skewed(times: int) -> Callable[[np.random.Generator, int, int, int], np.ndarray]:
    """Return a function that draws one exponential algorithm, with median differences of 0."""

    def draw(rng: np.random.Generator, runs: int, n: int, k: int) -> np.ndarray:
        x = equal(rng, runs, n, k)
        x[..., 0] = times * (rng.standard_exponential((runs, n)) - CENTRE[times])
        return x

    return draw


def one_far(rng: np.random.Generator, runs: int, n: int, k: int) -> np.ndarray:
    """Draw results where one algorithm is much better and half of the others are noisy."""
    x = half_noisy(rng, runs, n, k)
    x[..., -1] -= FAR
    return x


WORLDS = (
    World("all equal", equal),
    World(f"half of them with {NOISY} times the spread", half_noisy),
    World("one skewed, of the same spread", skewed(1)),
    World("one skewed, 3 times the spread", skewed(3)),
    World(f"one better, half of the others with {NOISY} times the spread", one_far, 1),
)


def experiments(x: np.ndarray) -> Experiments:
    """Return the ranks and signed ranks of results without ties."""
    first, second = compared_pairs(x.shape[2], None)
    d = x[..., first] - x[..., second]
    sizes = np.abs(d).argsort(axis=1).argsort(axis=1) + 1
    return Experiments(
        ranks=2 * (x.argsort(axis=2).argsort(axis=2) + 1),
        steps=(np.sign(d) * sizes).astype(int),
        patterns=np.zeros(x.shape[:2], dtype=int),
        first=first,
        second=second,
    )


def wrong(x: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return whether any true hypothesis is rejected, procedure x experiment."""
    tests, m = experiments(x), len(true)
    if true.all():  # each procedure rejects if the smallest p is at most alpha / m
        raw = (tests.pvalues(procedure.test).min(axis=1) for procedure in PROCEDURES)
        return np.stack([significant(least, ALPHA / m) for least in raw])
    adjusted = tests.adjusted(PROCEDURES)
    return np.stack([significant(adjusted[procedure][:, true], ALPHA).any(axis=1) for procedure in PROCEDURES])


def check(x: np.ndarray, true: np.ndarray) -> None:
    """Exit if `analyse` decides differently."""
    names = [f"a{i}" for i in range(x.shape[2])]
    ours = wrong(x, true)
    first_index, second_index = compared_pairs(len(names), None)
    for number, values in enumerate(x):
        table = pd.DataFrame(values, columns=names).rename_axis("dataset").reset_index()
        long = table.melt("dataset", var_name="algorithm", value_name="error")
        results = Results.from_frame(long, directions={"error": "lower"})
        for row, procedure in enumerate(PROCEDURES):
            settings = Settings(source=procedure.source, correction=procedure.correction)
            p = analyse(results, settings).adjusted.loc[names, names].to_numpy()[first_index, second_index]
            if bool(significant(p[true], ALPHA).any()) != ours[row, number]:
                raise SystemExit(f"{procedure.name}: the simulation and stats_core disagree")


def asymmetric(x: np.ndarray) -> float:
    """Return the share of experiments in which the test of symmetry rejects for any pair."""
    first, second = compared_pairs(x.shape[2], None)
    least = [
        min(symmetric_differences(scores[:, i], scores[:, j]).pvalue for i, j in zip(first, second, strict=True))
        for scores in x
    ]
    return float(np.mean(np.array(least) <= ALPHA / len(first)))


def simulate(world: World, k: int, n: int, repetitions: int, rng: np.random.Generator) -> dict:
    """Return the rates of one world and size."""
    true, rates, asymmetry = world.true(k), [], float("nan")
    for start in range(0, repetitions, TOGETHER):
        x = world.draw(rng, min(TOGETHER, repetitions - start), n, k)
        if not start:
            check(x[:CHECKED], true)
            subset = x[:SEEN] if k <= 5 else x[: SEEN // 4]
            asymmetry = asymmetric(subset) if n >= LEAST and not world.differ else asymmetry
        rates.append(wrong(x, true).mean(axis=1) * len(x))
    mean_rates = np.sum(rates, axis=0) / repetitions
    row = {"world": world.name, "algorithms": k, "data sets": n}
    row |= {procedure.name: rate for procedure, rate in zip(PROCEDURES, mean_rates, strict=True)}
    return row | {"asymmetry seen": asymmetry}


def main(repetitions: int = 5000) -> pd.DataFrame:
    """Print and return the family-wise error rate of every procedure in every world."""
    rng, start = np.random.default_rng(20062), time.perf_counter()
    rows = [simulate(world, k, n, repetitions, rng) for world, (k, n) in product(WORLDS, SIZES)]
    table = pd.DataFrame(rows)
    wide = table.pivot_table(
        index=["world", "algorithms"], columns="data sets", values=list(table.columns[3:]), sort=False
    )
    heads = ["world", "algorithms", *(f"{name}, {n} data sets" for name, n in wide.columns)]
    print_rates(heads, wide, repetitions, start)
    return table


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
