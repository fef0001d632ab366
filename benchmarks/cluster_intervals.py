"""Coverage of intervals, and level of tests, for clusters of equal and of different sizes.

Run with ``python -m benchmarks.cluster_intervals``. It prints, for each choice of cluster sizes and
each correlation within clusters, the coverage of 95% intervals: of a mean and of an accuracy, once
with the plain sandwich variance and G - 1 degrees of freedom and once as Foldwise computes them; of
the difference of two means by the cluster permutation test, once with the quantile of the
permutations of the observed differences and once by test inversion, with the level of the test; and
of simultaneous rank intervals of three equal models. ± is a Monte Carlo standard error.
"""

import argparse
from math import ceil, sqrt

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.inference.clusters import FlippedSums, effective_number
from stats_core.inference.paired.influences import cluster_error
from stats_core.inference.paired.instance_tests import mean_of_instances, swap_test
from stats_core.inference.paired.proportions import score_interval
from stats_core.inference.rank_intervals import rank_intervals

SIZES = {
    "10 × 5": [5] * 10,
    "20 + 9 × 5": [20] + [5] * 9,
    "Zipf, 10": [ceil(50 / i) for i in range(1, 11)],
    "Zipf, 30": [ceil(200 / i) for i in range(1, 31)],
    "40 + 7 × 3": [40] + [3] * 7,
    "60 + 9 × 2": [60] + [2] * 9,
}
CORRELATIONS = (0.0, 0.1, 0.5)
DIFFERENCE = 0.5  # in standard deviations of an instance's difference
ACCURACY = 0.8
DRAWS = 499


def values(rng: np.random.Generator, sizes: list[int], correlation: float) -> np.ndarray:
    """Return standard normal values of instances with this correlation within clusters."""
    shared = np.repeat(rng.normal(size=len(sizes)), sizes)
    return sqrt(correlation) * shared + sqrt(1 - correlation) * rng.normal(size=sum(sizes))


def plain_interval(measured: np.ndarray, group: np.ndarray, *, share: bool) -> tuple[float, float]:
    """Return the interval with the sandwich variance and G - 1 degrees of freedom."""
    n, clusters = len(group), int(group[-1]) + 1
    mean = float(measured.mean())
    error, t = cluster_error((measured - mean) / n, group), stats.t.isf(0.025, clusters - 1)
    if not share:
        return mean - t * error, mean + t * error
    effective = mean * (1 - mean) / error**2 if error else clusters
    return score_interval(mean * effective, effective, t)


def uncentred_interval(difference: np.ndarray, sizes: list[int]) -> tuple[float, float]:
    """Return estimate +- q standard errors, with q from sign flips of the observed differences."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    signs = np.random.default_rng(0).integers(0, 2, (DRAWS + 1, len(sizes)), dtype=np.uint8)
    signs[0] = 0
    sums = np.bincount(group, weights=difference)
    flips = FlippedSums.of(
        sums, np.array(sizes, dtype=float), np.packbits(signs, axis=1), listed=False
    )
    size = np.abs(flips.statistics(0.0))
    size = size[size < 1 - 1e-9]
    q = np.quantile(size / np.sqrt(1 - size**2), 0.95)
    mean = float(difference.mean())
    error = cluster_error((difference - mean) / len(group), group)
    return mean - q * error, mean + q * error


def one_experiment(
    rng: np.random.Generator, sizes: list[int], correlation: float
) -> dict[str, bool]:
    """Return whether the intervals of a mean and of an accuracy hold the true value."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    score = values(rng, sizes, correlation)
    right = values(rng, sizes, correlation) < stats.norm.ppf(ACCURACY)
    low, high = plain_interval(score, group, share=False)
    mean = mean_of_instances("mean", np.zeros(len(group)), [score], group)
    low_share, high_share = plain_interval(right.astype(float), group, share=True)
    share = mean_of_instances("accuracy", np.ones(len(group), dtype=bool), [right], group)
    return {
        "mean, plain": low <= 0 <= high,
        "mean": mean["low"] <= 0 <= mean["high"],
        "accuracy, plain": low_share <= ACCURACY <= high_share,
        "accuracy": share["low"] <= ACCURACY <= share["high"],
    }


def one_comparison(
    rng: np.random.Generator, sizes: list[int], correlation: float
) -> dict[str, bool]:
    """Return whether the test rejects equal models, and whether intervals hold the true differences and ranks."""
    group, zero = np.repeat(np.arange(len(sizes)), sizes), np.zeros(sum(sizes))
    noise = values(rng, sizes, correlation)
    level = swap_test("mean", zero, noise, zero, clusters=group, draws=DRAWS)
    shifted = swap_test("mean", zero, noise + DIFFERENCE, zero, clusters=group, draws=DRAWS)
    low, high = uncentred_interval(noise + DIFFERENCE, sizes)
    models = {name: values(rng, sizes, correlation) for name in "abc"}
    ranks = rank_intervals(
        pd.DataFrame(models), higher_is_better=True, clusters=group, draws=DRAWS
    ).table
    return {
        "level": level.pvalue <= 0.05,
        "difference, uncentred": low <= DIFFERENCE <= high,
        "difference": shifted.low <= DIFFERENCE <= shifted.high,
        "ranks": bool((ranks["low all"] == 1).all() and (ranks["high all"] == 3).all()),
    }


def shares(experiments: list[dict[str, bool]]) -> dict[str, str]:
    """Return the share of each outcome with its Monte Carlo standard error, as text."""
    table, n = pd.DataFrame(experiments), len(experiments)
    means = table.mean()
    return {
        name: f"{share:.3f} ± {sqrt(max(share * (1 - share), 1 / n) / n):.3f}"
        for name, share in means.items()
    }


def main() -> None:
    """Print one row per sizes and correlation, as a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--means", type=int, default=2000, help="experiments for means")
    parser.add_argument("--pairs", type=int, default=800, help="experiments for comparisons")
    parser.add_argument("--only", choices=SIZES, nargs="*", default=list(SIZES), help="sizes")
    arguments = parser.parse_args()
    header = None
    for name in arguments.only:
        sizes = SIZES[name]
        for correlation in CORRELATIONS:
            rng = np.random.default_rng(
                [20261129, list(SIZES).index(name), round(10 * correlation)]
            )
            row = {
                "sizes": name,
                "effective": f"{effective_number(sizes):.1f}",
                "correlation": f"{correlation:g}",
                **shares([one_experiment(rng, sizes, correlation) for _ in range(arguments.means)]),
                **shares([one_comparison(rng, sizes, correlation) for _ in range(arguments.pairs)]),
            }
            if header is None:
                header = list(row)
                print("| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
            print("| " + " | ".join(row.values()) + " |", flush=True)


if __name__ == "__main__":
    main()
