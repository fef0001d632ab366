"""Measured type I error rates of the Diebold-Mariano test and of the permutation test on errors correlated in time.

Run with ``python -m benchmarks.forecast_error_rates [--draws 4000]``. The errors of two equally good models are independent
moving averages of h normal numbers, as those of optimal predictions h steps ahead, or autoregressive with coefficient rho.
The test compares squared errors at 0.05.
"""

import argparse

import numpy as np
from scipy.signal import lfilter

from benchmarks.benchmark_row import markdown
from stats_core.inference.paired.forecast_test import diebold_mariano
from stats_core.inference.paired.instance_tests import swap_test

ALPHA, PERMUTED = 0.05, 1000  # draws of the slower permutation test


def errors(n: int, rho: float, steps: int, rng: np.random.Generator) -> np.ndarray:
    """Return errors of two models, model x instance: autoregressive with `rho` if it is not 0, else averages of `steps`."""
    noise = rng.normal(size=(2, n + 200))
    filtered = lfilter([1.0], [1.0, -rho], noise) if rho else lfilter(np.ones(steps) / steps**0.5, [1.0], noise)
    return filtered[:, 200:]


def rates(n: int, rho: float, steps: int, draws: int) -> dict[str, str]:
    """Return the share of rejections of the test with several horizons and of the permutation test."""
    rng, horizons = np.random.default_rng([n, int(100 * rho), steps]), (1, 2, 4, 8)
    rejected: dict[str, list[bool]] = {f"horizon {h}": [] for h in horizons} | {"permutation": []}
    for draw in range(draws):
        losses = errors(n, rho, steps, rng) ** 2
        for h in horizons:
            rejected[f"horizon {h}"].append(diebold_mariano(*losses, horizon=h).pvalue <= ALPHA)
        if draw < PERMUTED:
            p = swap_test("mean", np.ones(n, dtype=bool), *losses, draws=499, seed=draw).pvalue
            rejected["permutation"].append(p <= ALPHA)
    return {
        name: f"{np.mean(r):.3f}±{(np.mean(r) * (1 - np.mean(r)) / len(r)) ** 0.5:.3f}" for name, r in rejected.items()
    }


def main() -> None:
    """Print a table of the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=4000)
    options = parser.parse_args()
    kinds = [(f"MA({h - 1})", 0.0, h) for h in (1, 2, 4)] + [(f"AR(1), {rho}", rho, 1) for rho in (0.3, 0.6, 0.9)]
    rows = [
        {"errors": name, "instances": n, **rates(n, rho, steps, options.draws)}
        for name, rho, steps in kinds
        for n in (50, 200)
    ]
    print(markdown(list(rows[0]), [row.values() for row in rows], 1))


if __name__ == "__main__":
    main()
