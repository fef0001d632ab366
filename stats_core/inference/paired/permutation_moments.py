"""Distribution of a statistic when the answers of two models to the same instances are swapped."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.data.measures import LOSSES, case_losses
from stats_core.inference.paired.instance_influence import (
    BY_COUNTS,
    case_moves,
    cluster_error,
    confusion_cell,
    measure_and_gradient,
)

EXACT_LIMIT = 14  # clusters up to which all ways to swap are tried
LARGEST_GRID = 1_000_000  # ways to swap, counted by what they change, that are all tried
WORK = 20_000_000  # draws times clusters; above it fewer are drawn, but at least `FEWEST`
FEWEST = 1999
_AT_ONCE = 200_000  # signs that are numbers at once
MOST_RANKED, FEWEST_RANKED = 1999, 499  # of measures whose every draw must be sorted anew


@dataclass(frozen=True, slots=True, eq=False)
class Swapped:
    """Distribution of the statistic under swapped answers.

    Attributes
    ----------
    statistics : array
        Statistic of every swap, or of the drawn ones.
    weights : array or None
        Probability of each swap if all are listed; None if they were drawn.
    how : str
        Description in words.
    """

    statistics: np.ndarray
    weights: np.ndarray | None
    how: str


def studentize(difference: ArrayLike, error: ArrayLike) -> np.ndarray:
    """Divide by the error; 0 without a difference, infinite if undefined."""
    difference, error = np.asarray(difference, dtype=float), np.asarray(error, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(np.abs(difference) < 1e-12, 0.0, difference / error)
    return np.where(np.isnan(ratio), np.inf, ratio)


def permuted_statistics(
    measure: str,
    truth: np.ndarray,
    one: np.ndarray,
    other: np.ndarray,
    group: np.ndarray,
    draws: int,
    seed: int,
) -> Swapped:
    """Return the statistic under all swaps, or under random ones."""
    n, rng = int(group.max()) + 1, np.random.default_rng(seed)
    if measure in BY_COUNTS and n == len(truth):
        return _swapped_cells(measure, truth, one, other, draws, rng)
    if measure in (*BY_COUNTS, *LOSSES):
        signs, weights = _ways(n, min(draws, max(FEWEST, WORK // n)), rng)
        if measure in LOSSES:
            d = case_losses(measure, truth, one) - case_losses(measure, truth, other)
            statistics = _swapped_sums(d, group, signs)
        else:
            statistics = _swapped_counts(measure, truth, one, other, group, signs)
        return Swapped(statistics, weights, _how(signs, weights))
    fewer = min(draws, MOST_RANKED, max(FEWEST_RANKED, WORK // 20 // len(truth)))
    signs, weights = _ways(n, fewer, rng)
    return Swapped(
        _swapped_ranks(measure, truth, one, other, group, signs), weights, _how(signs, weights)
    )


def _how(signs: np.ndarray, weights: np.ndarray | None) -> str:
    return f"{'all' if weights is not None else 'drawn'} {len(signs):,} ways to swap"


def _ways(n: int, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
    """Return swaps, way x cluster, 1 where swapped, and their probabilities if all are listed."""
    if n <= EXACT_LIMIT:
        ways = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        return ways.astype(np.int8), np.full(2**n, 0.5**n)
    return rng.integers(0, 2, size=(draws, n), dtype=np.int8), None


def _summed(signs: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return `signs @ columns`, computed in batches to bound memory."""
    step = max(1, _AT_ONCE // signs.shape[1])
    starts = range(0, len(signs), step)
    return np.concatenate([signs[start : start + step].astype(float) @ columns for start in starts])


def _swapped_cells(
    measure: str,
    truth: np.ndarray,
    first_calls: np.ndarray,
    second_calls: np.ndarray,
    draws: int,
    rng: np.random.Generator,
) -> Swapped:
    """Swap single instances; only the counts of swapped discordant instances matter."""
    cells = np.bincount(4 * truth + 2 * first_calls + second_calls, minlength=8).astype(float)
    differ = [int(cells[base + 1] + cells[base + 2]) for base in (0, 4)]  # negatives, positives
    grid = (differ[0] + 1) * (differ[1] + 1)
    weights, description = None, f"drawn {draws:,} ways to swap"
    if grid <= LARGEST_GRID:
        chances = [stats.binom.pmf(np.arange(d + 1), d, 0.5) for d in differ]
        weights = np.outer(*chances).ravel()
        first = [index.ravel() for index in np.indices([d + 1 for d in differ])]
        description = f"all 2^{sum(differ)} ways to swap"
    else:
        first = [rng.binomial(d, 0.5, size=draws) for d in differ]
    ways = np.broadcast_to(cells, (len(first[0]), 8)).copy()
    for base, total, calls in zip((0, 4), differ, first, strict=True):
        ways[:, base + 2], ways[:, base + 1] = calls, total - calls  # only one, only the other
    return Swapped(_of_cells(measure, ways), weights, description)


def _of_cells(measure: str, ways: np.ndarray) -> np.ndarray:
    """Return the statistic for counts of instances by truth and by both calls."""
    cell = np.arange(8)
    truth, first_calls, second_calls = cell >> 2 == 1, cell >> 1 & 1 == 1, cell & 1 == 1
    cell_one, cell_other = confusion_cell(truth, first_calls), confusion_cell(truth, second_calls)
    value_one, slope_one = measure_and_gradient(measure, ways @ np.eye(4)[cell_one])
    value_other, slope_other = measure_and_gradient(measure, ways @ np.eye(4)[cell_other])
    moved = slope_one[:, cell_one] - slope_other[:, cell_other]
    n = ways[0].sum()
    error = np.sqrt(np.einsum("wc,wc->w", ways, moved**2) * n / (n - 1))
    return studentize(value_one - value_other, error)


def _swapped_counts(
    measure: str,
    truth: np.ndarray,
    first_calls: np.ndarray,
    second_calls: np.ndarray,
    group: np.ndarray,
    signs: np.ndarray,
) -> np.ndarray:
    """Swap clusters: swap their counts, and the squares and products of these."""
    n = int(group.max()) + 1
    counts = [
        np.bincount(4 * group + confusion_cell(truth, calls), minlength=4 * n)
        .reshape(n, 4)
        .astype(float)
        for calls in (first_calls, second_calls)
    ]
    squares = [np.einsum("gi,gj->gij", a, b).reshape(n, 16) for a, b in _both(counts)]

    def under(plain: np.ndarray, turned: np.ndarray) -> np.ndarray:
        return plain.sum(axis=0) + _summed(signs, turned - plain)

    value_one, slope_one = measure_and_gradient(measure, under(counts[0], counts[1]))
    value_other, slope_other = measure_and_gradient(measure, under(counts[1], counts[0]))
    both = [under(squares[a], squares[b]).reshape(-1, 4, 4) for a, b in ((0, 1), (1, 0), (2, 3))]
    square = np.einsum("wi,wij,wj->w", slope_one, both[0], slope_one)
    square += np.einsum("wi,wij,wj->w", slope_other, both[1], slope_other)
    square -= 2 * np.einsum("wi,wij,wj->w", slope_one, both[2], slope_other)
    error = np.sqrt(np.maximum(square, 0) * n / (n - 1))
    return studentize(value_one - value_other, error)


def _both(own: list[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(own[0], own[0]), (own[1], own[1]), (own[0], own[1]), (own[1], own[0])]


def _swapped_sums(by_case: np.ndarray, group: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """Swap clusters for a mean over instances: the signs of cluster sums flip."""
    n, total = int(group.max()) + 1, len(by_case)
    sums, sizes = np.bincount(group, weights=by_case), np.bincount(group)
    both = np.stack([sums, sums * sizes], axis=1)
    mean, weighted = (both.sum(axis=0) - 2 * _summed(signs, both)).T
    mean = mean / total
    square = (sums**2).sum() - 2 * mean * weighted + mean**2 * (sizes**2).sum()
    return studentize(mean, np.sqrt(np.maximum(square, 0) * n / (n - 1)) / total)


def _swapped_ranks(
    measure: str,
    truth: np.ndarray,
    first_scores: np.ndarray,
    second_scores: np.ndarray,
    group: np.ndarray,
    signs: np.ndarray,
) -> np.ndarray:
    """Swap ranks, since the scores of two models are on different scales."""
    ranks = [stats.rankdata(scores) for scores in (first_scores, second_scores)]
    moments = np.empty((len(signs), 2))
    for index, way in enumerate(signs):
        swap = way[group] > 0
        values = tuple(
            case_moves(measure, truth, np.where(swap, a, b))
            for a, b in ((ranks[1], ranks[0]), (ranks[0], ranks[1]))
        )
        by_case = values[0].by_case - values[1].by_case
        moments[index] = values[0].value - values[1].value, cluster_error(by_case, group)
    return studentize(moments[:, 0], moments[:, 1])
