"""How long the multivariate tests take, against the same number of plain matrix solutions.

``python -m benchmarks.multivariate`` prints seconds, and each as a ratio to numpy solving as many
2 x 2 systems in one call: what any program must do at least.
"""

import time
from collections.abc import Callable

import numpy as np

from stats_core.inference.families.cliques import cliques
from stats_core.inference.multivariate.hotelling import pairwise_hotelling
from stats_core.inference.multivariate.shuffles import shuffled_hotelling, shuffled_manova


def seconds(work: Callable[[], object]) -> float:
    """Return the best of three runs."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(1)
    sets = rng.normal(size=(38, 8, 10, 2))
    names = [f"a{i}" for i in range(8)]
    one, many = rng.normal(size=(8, 10, 4)), rng.normal(size=(2, 30, 4))

    def all_pairs() -> None:
        for vectors in sets:
            cliques(pairwise_hotelling(vectors, names, test_fraction=0.1).pvalues, 0.05)

    def solve(n: int) -> Callable[[], object]:
        matrices, sides = np.eye(2) + rng.random((n, 2, 2)), rng.random((n, 2, 1))
        return lambda: np.linalg.solve(matrices, sides)

    rows = [
        ("all pairs of 8 algorithms on 38 data sets, and groups", all_pairs, 38 * 28),
        (
            "10,000 shuffles of 8 algorithms, 4 measures",
            lambda: shuffled_manova(one, draws=10_000),
            10_000,
        ),
        (
            "10,000 sign flips of 30 folds, 4 measures",
            lambda: shuffled_hotelling(many[0], many[1], draws=10_000),
            10_000,
        ),
    ]
    for label, work, n in rows:
        took = seconds(work)
        print(f"{label}: {took:.3f} s, {took / seconds(solve(n)):.0f} times the solutions alone")


if __name__ == "__main__":
    main()
