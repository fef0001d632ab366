"""Coverage of the confidence intervals for ranks, for simulated benchmarks of questions.

``python -m benchmarks.rank_coverage [--experiments 1000] [--sizes 50,5 200,20]`` simulates correct
and wrong answers of correlated models with known accuracies, many of them equal. An interval covers
if it contains all ranks that equal models share. Rows: proportions of experiments in which the
simultaneous intervals cover the ranks of all models, in which the marginal interval covers the rank
of the first model, and in which two equal models differ significantly, with standard errors.
"""

import argparse

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.inference.rank_intervals import rank_intervals

SIZES = ("50,5", "200,5", "200,20", "1000,20", "5000,50")  # items, models
CLUSTER = 5  # items in a cluster
KINDS = (
    "equal",
    "equal near 1",
    "groups",
    "spread",
    "clusters",
    "strata",
    "3 runs",
    "10 runs",
    "3 unequal runs",
)
STRATA = (0.5, 0.3, 0.2)  # shares of the items in benchmarks of different difficulty


def accuracies(kind: str, k: int) -> np.ndarray:
    """Return the true accuracies of k models."""
    if kind in ("equal", "clusters", "strata") or kind.endswith("runs"):
        return np.full(k, 0.7)
    if kind == "equal near 1":
        return np.full(k, 0.98)
    groups = np.arange(k) // max(2, k // 4)
    return 0.8 - 0.4 * (groups if kind == "groups" else np.arange(k)) / k


def strata_of(n: int) -> np.ndarray:
    """Return the benchmark of each item."""
    return np.searchsorted(np.cumsum(STRATA)[:-1], (np.arange(n) + 0.5) / n)


def answers(truth: np.ndarray, n: int, kind: str, rng: np.random.Generator) -> np.ndarray:
    """Return whether each answer is correct, item x model, with correlated difficulties; with runs, run x item x model.

    A run has its own effect on the answers of each model, in unequal runs only of every second
    model.
    """
    items = rng.normal(size=(n, 1))
    if kind.endswith("runs"):
        sd = 0.2 * (np.arange(len(truth)) % 2 if "unequal" in kind else np.ones(len(truth)))
        effects = sd * rng.normal(size=(int(kind.split()[0]), 1, len(truth)))
        noise = np.sqrt(0.5 - sd**2) * rng.normal(size=(len(effects), n, len(truth)))
        return np.sqrt(0.5) * items + noise + effects < stats.norm.ppf(truth)
    if kind == "clusters":
        items = (
            0.6 * items
            + 0.8 * np.repeat(rng.normal(size=(-(-n // CLUSTER), 1)), CLUSTER, axis=0)[:n]
        )
    latent = np.sqrt(0.6) * items + np.sqrt(0.4) * rng.normal(size=(n, len(truth)))
    if kind == "clusters":  # models differ by cluster
        own = np.repeat(rng.normal(size=(-(-n // CLUSTER), len(truth))), CLUSTER, axis=0)[:n]
        latent = np.sqrt(0.7) * latent + np.sqrt(0.3) * own
    if (
        kind == "strata"
    ):  # which models are better depends on the benchmark, but all are equal on average
        signs = np.where(np.arange(len(truth)) % 2, 1, -1)
        truth = truth + signs * np.array([0.2, -0.2, -0.2])[strata_of(n)][:, None]
    return latent < stats.norm.ppf(truth)


def coverage(kind: str, n: int, k: int, experiments: int) -> list[float]:
    """Return the proportions for one population: simultaneous, marginal, false differences."""
    rng, truth = np.random.default_rng(n + k), accuracies(kind, k)
    best = 1 + (truth > truth[:, None] + 1e-12).sum(axis=1)
    worst = k - (truth < truth[:, None] - 1e-12).sum(axis=1)
    groups = {
        "clusters": {"clusters": np.arange(n) // CLUSTER},
        "strata": {"strata": strata_of(n)},
    }.get(kind, {})
    hits = np.zeros(3)
    for seed in range(experiments):
        correct = answers(truth, n, kind, rng).astype(float)
        runs = {"runs": pd.DataFrame(correct.mean(axis=1))} if correct.ndim > 2 else {}
        values = pd.DataFrame(correct.mean(axis=0) if runs else correct)
        result = rank_intervals(
            values, higher_is_better=True, draws=1999, rng=seed, **groups, **runs
        )
        table, differs = (
            result.table.sort_index(),
            result.pvalues.sort_index()[range(k)].to_numpy() <= 0.05,
        )
        covered = (table["low all"] <= best) & (table["high all"] >= worst)
        hits += [covered.all(), table["low"][0] <= best[0] and table["high"][0] >= worst[0],
                 (differs & (truth[:, None] == truth)).any()]  # fmt: skip
    return list(hits / experiments)


def main() -> None:
    """Print one row per population and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=1000)
    parser.add_argument("--sizes", nargs="*", default=SIZES)
    parser.add_argument("--kinds", nargs="*", default=KINDS)
    options = parser.parse_args()
    for size in options.sizes:
        n, k = map(int, size.split(","))
        for kind in options.kinds:
            shares = coverage(kind, n, k, options.experiments)
            cells = [f"{p:.3f} ({np.sqrt(p * (1 - p) / options.experiments):.3f})" for p in shares]
            print(
                f"{n} items, {k} models, {kind}:",
                "simultaneous {}, marginal {}, false {}".format(*cells),
                flush=True,
            )


if __name__ == "__main__":
    main()
