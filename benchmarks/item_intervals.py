"""Type I error rate of the exact McNemar test, and coverage of Newcombe's and Wilson's intervals, near the edges too.

Run with ``python -m benchmarks.item_intervals [draws] [seed]``: for 50 to 5,000 instances, answers
of two models are drawn. Printed are the type I error rate for equal accuracies; for a true
difference the coverage of Newcombe's interval, as computed and adjusted to the test, and of
Wilson's interval; and the power of the exact test at planned sizes.
"""

import sys

import numpy as np
from scipy import stats

from stats_core.inference.paired import newcombe_interval, wilson_interval
from stats_core.inference.paired.signed_ranks import consistent_interval
from stats_core.power.item_planning import ItemVariance

SIZES = (50, 200, 1000, 5000)
# accuracy of the first model, share of disagreements, difference of the accuracies
MODELS = [(0.5, 0.3, 0.1), (0.77, 0.087, 0.033), (0.95, 0.06, 0.02), (0.99, 0.012, 0.005)]
PLANS = [(0.087, 0.033), (0.3, 0.05), (0.06, 0.02)]
ALPHA = 0.05


def counts_of(
    rng: np.random.Generator, n: int, accuracy: float, share: float, difference: float, draws: int
):
    """Return distinct counts (both, only first, only second, neither) and how often each was drawn."""
    first, second = (share + difference) / 2, (share - difference) / 2
    cells = [accuracy - first, first, second, 1 - accuracy - second]
    return np.unique(rng.multinomial(n, cells, draws), axis=0, return_counts=True)


def pvalues(counts: np.ndarray) -> np.ndarray:
    """Return the p-values of the exact McNemar test."""
    b, c = counts[:, 1], counts[:, 2]
    return np.minimum(1, 2 * stats.binom.sf(np.maximum(b, c) - 1, b + c, 0.5))


def share_with_error(hits: np.ndarray, times: np.ndarray) -> str:
    """Return a share of the draws with its standard error."""
    share = float(hits @ times / times.sum())
    return f"{share:.3f} ± {np.sqrt(share * (1 - share) / times.sum()):.3f}"


def coverage(
    rng: np.random.Generator, n: int, accuracy: float, share: float, difference: float, draws: int
) -> list:
    """Return the level of the test, and the coverages of Newcombe's interval as computed and shown, and of Wilson's."""
    equal, times = counts_of(rng, n, accuracy, share, 0.0, draws)
    level = share_with_error(pvalues(equal) <= ALPHA, times)
    counts, times = counts_of(rng, n, accuracy, share, difference, draws)
    covers = np.zeros((len(counts), 3), dtype=bool)
    for row, p, hits in zip(counts.tolist(), pvalues(counts), covers, strict=True):
        plain = newcombe_interval(*row)
        shown = consistent_interval(
            plain, rejects=bool(p <= ALPHA), ahead=row[1] - row[2], scale=1.0
        )
        of_first = wilson_interval(row[0] + row[1], n)
        pairs = [(plain, difference), (shown, difference), (of_first, accuracy)]
        hits[:] = [low <= true <= high for (low, high), true in pairs]
    return [level, *(share_with_error(hits, times) for hits in covers.T)]


def main(draws: int = 20_000, seed: int = 34) -> None:
    """Print both tables in Markdown."""
    rng = np.random.default_rng(seed)
    print(
        "| accuracy | disagreements | difference | instances | level of McNemar | Newcombe | Newcombe as shown | Wilson |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for accuracy, share, difference in MODELS:
        for n in SIZES:
            cells = [f"{accuracy:g}", f"{share:g}", f"{difference:g}", f"{n:,}"]
            print(
                "|",
                " | ".join([*cells, *coverage(rng, n, accuracy, share, difference, draws)]),
                "|",
                flush=True,
            )
    print("\n| disagreements | difference | planned instances | power |\n|---|---|---|---|")
    for share, difference in PLANS:
        parts = {
            "over_cases": 0.0,
            "over_trainings": 0.0,
            "design_effect": 1.0,
            "cluster_size": 1.0,
        }
        variance = ItemVariance(n=1, discordance=share, correlation=np.nan, **parts)
        n = int(variance.needed(difference, ALPHA, 0.8))
        counts, times = counts_of(rng, n, 0.7, share, difference, draws)
        print(
            f"| {share:g} | {difference:g} | {n:,} | {share_with_error(pvalues(counts) <= ALPHA, times)} |",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
