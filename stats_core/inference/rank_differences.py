"""Differences in the measure's units, and exact tests, by the test of average ranks."""

from functools import lru_cache
from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.errors import DataError
from stats_core.core.result_types import Method, PairwiseResult
from stats_core.core.significance import significant
from stats_core.core.validation import check_probability, check_sizes
from stats_core.inference.ranks import post_hoc_z

Shift = tuple[float, float, float]


def rank_shift(badness: np.ndarray, ranks: np.ndarray, pair: tuple[int, int], critical: float) -> Shift:
    """Which differences of two algorithms would the test of average ranks not reject?

    Notes
    -----
    All results of the first are shifted by the same amount and ranked anew among the others. The
    rank sums of the two part as the shift moves, so the shifts that are not rejected form an
    interval; the estimate is the shift at which both rank sums are the same (Hodges and Lehmann's
    principle). As the test, it depends on which other algorithms take part. No tie is allowed for
    but those that are there.

    References
    ----------
    Hodges and Lehmann 1963.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[1.0, 3.0, 9.0], [2.0, 5.0, 9.0], [2.0, 4.5, 9.0]])
    >>> rank_shift(scores, np.tile([1.0, 2.0, 3.0], (3, 1)), (0, 1), 4.0)
    (-2.5, -7.0, inf)
    """
    first, second = pair
    steps, weights, start = _steps(badness, ranks, first, second)
    order = np.argsort(steps, kind="stable")
    steps, gaps = steps[order], start - weights[order].cumsum()
    low = -np.inf if start < critical else _where(steps, gaps < critical)
    high = _where(steps, gaps <= -critical)
    return _middle(_where(steps, gaps <= 1e-9), _where(steps, gaps < -1e-9)), low, high


def as_loss(scores: pd.DataFrame, *, higher_is_better: bool) -> np.ndarray:
    """Return scores with smaller as better, infinite for failed runs."""
    values = scores.to_numpy(dtype=float) * (-1 if higher_is_better else 1)
    return np.where(np.isnan(values), np.inf, values)


def _steps(badness: np.ndarray, ranks: np.ndarray, first: int, second: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the shifts at which the first overtakes, and their effects on the rank sums.

    The last value is the gap of the rank sums where the first is last on every data set.
    """
    k = badness.shape[1]
    others = [column for column in range(k) if column != first]
    scores = badness[:, [first]]
    with np.errstate(invalid="ignore"):
        steps = scores - badness[:, others]
    weights = np.broadcast_to(np.where(np.array(others) == second, 2.0, 1.0), steps.shape).copy()
    both_failed = np.isnan(steps)  # two failures tie at any shift
    steps[both_failed], weights[both_failed] = -np.inf, weights[both_failed] / 2
    mine, theirs = ranks[:, first], ranks[:, second]
    beaten = np.where(mine < theirs, 1.0, np.where(mine > theirs, 0.0, 0.5))
    return steps.ravel(), weights.ravel(), float((k - (theirs - beaten)).sum())


def _where(steps: np.ndarray, reached: np.ndarray) -> float:
    """Return the first shift at which `reached` holds, infinite if there is none."""
    return float(steps[reached.argmax()]) if reached.any() else np.inf


def _middle(first: float, second: float) -> float:
    """Return the mean of two shifts, or the finite one of them."""
    if np.isfinite(first) and np.isfinite(second):
        return (first + second) / 2
    return next((shift for shift in (first, second) if np.isfinite(shift)), 0.0)


LARGEST_EXACT = 20_000  # algorithms times data sets; above, the normal approximation
_TOGETHER = 64  # data sets per block; one by one takes five times as long


def exact_rank_pairs(ranks: pd.DataFrame) -> PairwiseResult:
    """Which pairs of average ranks differ, by the exact distribution of their difference?

    Notes
    -----
    If no algorithms differ, every order on a data set is equally likely; the ranks of two of them
    there are two distinct cells drawn at random from its ranks. Their difference is convolved over
    data sets: p = P(|D| >= |d|), d the difference of the rank sums. Without ties that is the
    distribution of Eisinga and others. It assumes the complete null, so a pair's answer depends on
    which other algorithms take part. Above 20,000 algorithms times data sets p is normal.

    References
    ----------
    Eisinga, Heskes, Pelzer and te Grotenhuis, BMC Bioinform. 18 (2017) 68; Benavoli, Corani and
    Mangili, JMLR 17 (2016) 5.

    Examples
    --------
    On two data sets three algorithms have 36 equally likely pairs of orders; twice the first before
    the third is one of 36, and so is the other way round:

    >>> import pandas as pd
    >>> ranks = pd.DataFrame([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], columns=list("abc"))
    >>> round(float(exact_rank_pairs(ranks).pvalues.loc["a", "c"]), 4)
    0.0556
    """
    values = _checked(ranks)
    n, k = values.shape
    normal = post_hoc_z(ranks.mean(), n)
    if n * k > LARGEST_EXACT:
        return normal
    tail = two_sided_tail(values)
    sums = np.rint(2 * values.sum(axis=0)).astype(int)
    pvalues = tail[np.abs(sums[:, None] - sums)]
    row, column = np.unravel_index(pvalues.argmin(), pvalues.shape)
    return PairwiseResult(
        about=normal.about,
        statistic=float(normal.statistics.iloc[row, column]),
        pvalue=float(pvalues[row, column]),
        method=Method("difference of average ranks", ("exact", "ties included", "unadjusted")),
        n=n,
        statistics=normal.statistics,
        pvalues=pd.DataFrame(pvalues, normal.pvalues.index, normal.pvalues.columns),
    )


def two_sided_tail(ranks: np.ndarray) -> np.ndarray:
    """Return tail probabilities of the difference of two rank sums if no algorithms differ.

    Examples
    --------
    >>> import numpy as np
    >>> two_sided_tail(np.array([[1.0, 2.0, 3.0]])).round(3).tolist()
    [1.0, 1.0, 1.0, 0.333, 0.333]
    """
    doubled = np.sort(np.rint(2 * np.asarray(ranks)).astype(int), axis=1)
    step = 2 if (doubled % 2 == 0).all() else 1  # without half ranks every other place is empty
    half = doubled[np.lexsort(doubled.T)] // step
    return _tail_of(half.shape, half.tobytes(), step)


@lru_cache(maxsize=32)
def _tail_of(shape: tuple[int, int], cells: bytes, step: int) -> np.ndarray:
    """Return `two_sided_tail` of sorted rows of ranks in sorted order; cached."""
    rows, indices = np.unique(np.frombuffer(cells, dtype=int).reshape(shape), axis=0, return_inverse=True)
    of_rows = [_two_cells(row) for row in rows]
    probabilities = np.ones(1)
    for start in range(0, len(indices), _TOGETHER):
        block = [of_rows[index] for index in indices[start : start + _TOGETHER]]
        probabilities = np.convolve(probabilities, _sum_of(block))
    middle = len(probabilities) // 2
    upper = 2 * probabilities[:middle:-1].cumsum()[::-1]
    tail = np.concatenate([[1.0], np.minimum(upper, 1.0)])
    result = np.repeat(tail, step)[step - 1 :]
    result.flags.writeable = False
    return result


def _sum_of(parts: list[np.ndarray]) -> np.ndarray:
    """Return the distribution of a sum by pairwise convolution."""
    while len(parts) > 1:
        odd = parts[len(parts) // 2 * 2 :]
        parts = [*map(np.convolve, parts[::2], parts[1::2]), *odd]
    return parts[0]


def untied_tail(k: int, n: int) -> np.ndarray:
    """Return `two_sided_tail` of k algorithms on n data sets without ties."""
    check_sizes(k, n)
    return two_sided_tail(np.tile(np.arange(1.0, k + 1), (n, 1)))


def exact_critical_gap(level: float, k: int, n: int) -> float:
    """Return the smallest gap of two average ranks that the exact test rejects.

    Examples
    --------
    >>> exact_critical_gap(0.05, 4, 8), exact_critical_gap(0.001, 3, 2)
    (1.375, inf)
    """
    check_probability(level, "level")
    if k * n > LARGEST_EXACT:
        return float(stats.norm.isf(level / 2)) * sqrt(k * (k + 1) / (6 * n))
    rejected = np.flatnonzero(significant(untied_tail(k, n)[::2], level))
    return float(rejected[0]) / n if len(rejected) else float("inf")


def least_rank_pvalue(k: int, n: int) -> float:
    """Return the smallest possible p-value of one pair.

    Examples
    --------
    >>> least_rank_pvalue(3, 2) == 2 / 36
    True
    """
    return min(1.0, 2.0 * float(k * (k - 1)) ** -n)


def _two_cells(row: np.ndarray) -> np.ndarray:
    """Return the distribution of the difference of two distinct cells drawn from a row."""
    counts = np.bincount(row - row.min()).astype(float)
    pairs = np.convolve(counts, counts[::-1])
    pairs[len(counts) - 1] -= len(row)  # a cell and itself
    return pairs / pairs.sum()


def _checked(ranks: pd.DataFrame) -> np.ndarray:
    values = np.asarray(ranks, dtype=float)
    check_sizes(values.shape[1] if values.ndim == 2 else 0, len(values))
    expected = values.shape[1] * (values.shape[1] + 1) / 2
    if not np.isfinite(values).all() or (np.abs(values.sum(axis=1) - expected) > 1e-6).any():
        raise DataError(
            [
                f"Ranks of {values.shape[1]} algorithms must add up to {expected:g} on every data "
                "set. Some do not. Rank the scores with `rank_rows` first."
            ]
        )
    return values
