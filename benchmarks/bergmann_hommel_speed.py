"""Time of the Bergmann-Hommel procedure, compared with enumerating all partitions of 9 algorithms.

``python -m benchmarks.bergmann_hommel_speed`` prints seconds, and each as a ratio to listing the
21,147 partitions of 9 algorithms with their smallest p-values in plain numpy: the largest case that
published programs accept. No other program of this procedure was found on PyPI or CRAN (scmamp, in
R, is on GitHub only and stops at 9 as well), so the list of partitions is also the judge of the
result.
"""

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from stats_core.inference.multiplicity.bergmann_hommel import bergmann_hommel
from stats_core.inference.pairwise import pairwise
from stats_core.inference.ranks import post_hoc_z

N_DATASETS = 100


def seconds(work: Callable[[], object]) -> float:
    """Return the minimum seconds of three runs."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def partitions(k: int) -> np.ndarray:
    """Return the block number of each item, partition x item."""
    rows = np.zeros((1, 1), dtype=np.int8)
    for _ in range(k - 1):
        choices = rows.max(axis=1) + 2
        blocks = np.concatenate([np.arange(n, dtype=np.int8) for n in choices])
        rows = np.column_stack([np.repeat(rows, choices, axis=0), blocks])
    return rows


def every_partition(pvalues: pd.DataFrame) -> np.ndarray:
    """Return the adjusted p-values by the definition, one per pair."""
    blocks = partitions(len(pvalues))
    rows, columns = np.triu_indices(len(pvalues), 1)
    inside = blocks[:, rows] == blocks[:, columns]
    p = pvalues.to_numpy()[rows, columns]
    products = inside.sum(axis=1) * np.where(inside, p, 1).min(axis=1)
    return np.minimum(np.where(inside, products[:, None], 0).max(axis=0), 1)


def random_pvalues(rng: np.random.Generator, k: int) -> pd.DataFrame:
    """Return p-values that do not derive from ranks, about half of them small."""
    table = np.ones((k, k))
    table[np.triu_indices(k, 1)] = rng.beta(0.3, 0.6, size=k * (k - 1) // 2)
    return pd.DataFrame(np.minimum(table, table.T))


def own_scores(rng: np.random.Generator, k: int) -> pd.DataFrame:
    """Return random results on data sets; about half of all pairs are separated."""
    return pd.DataFrame(rng.normal(size=(N_DATASETS, k)) + rng.normal(scale=0.5, size=k))


def rank_pvalues(rng: np.random.Generator, k: int) -> tuple[pd.DataFrame, pd.Series]:
    """Return p-values of average ranks, and the ranks."""
    ranks = pd.Series(rng.uniform(1, k, size=k))
    return post_hoc_z(ranks, N_DATASETS).pvalues, ranks


def largest_difference(rng: np.random.Generator) -> float:
    """Return the largest deviation from the definition at 9 algorithms."""
    worst = 0.0
    for _ in range(20):
        anything, (of_ranks, ranks) = random_pvalues(rng, 9), rank_pvalues(rng, 9)
        for raw, average_ranks in [(anything, None), (of_ranks, None), (of_ranks, ranks)]:
            adjusted = bergmann_hommel(raw, average_ranks=average_ranks, monotone=False).to_numpy()
            gap = np.abs(adjusted[np.triu_indices(9, 1)] - every_partition(raw)).max()
            worst = max(worst, float(gap))
    return worst


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(1)
    print(f"largest difference from every partition, 9 algorithms: {largest_difference(rng):.1e}")
    nine = random_pvalues(rng, 9)
    unit = seconds(lambda: every_partition(nine))
    print(f"9 algorithms, every partition: {unit:.3f} s")
    for k in (9, 14, 30):
        raw = pairwise(own_scores(rng, k), "wilcoxon").pvalues
        took = seconds(lambda raw=raw: bergmann_hommel(raw))
        print(f"{k} algorithms, Wilcoxon p-values: {took:.3f} s, {took / unit:.1f} times")
        raw, _ = rank_pvalues(rng, k)
        took = seconds(lambda raw=raw: bergmann_hommel(raw))
        print(f"{k} algorithms, ranks not passed: {took:.3f} s, {took / unit:.1f} times")
    for k in (9, 14, 30, 50, 100):
        raw, ranks = rank_pvalues(rng, k)
        took = seconds(lambda raw=raw, ranks=ranks: bergmann_hommel(raw, average_ranks=ranks))
        print(f"{k} algorithms, p-values of ranks: {took:.3f} s, {took / unit:.1f} times")


if __name__ == "__main__":
    main()
