"""Exact tests of differences of average ranks, ties on data sets included."""

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

LARGEST_EXACT = 20_000  # algorithms times data sets; above, the normal approximation
_TOGETHER = 64  # data sets: one by one takes five times as long, all two and two four times


def exact_rank_pairs(ranks: pd.DataFrame) -> PairwiseResult:
    """Which pairs of average ranks differ, by the exact distribution of their difference?

    Parameters
    ----------
    ranks : DataFrame, data set x algorithm
        Ranks within each data set, ties sharing the mean of their places, as `rank_rows`.

    Returns
    -------
    PairwiseOutcome
        Unadjusted two-sided p-values; the statistics are those of `post_hoc_z`.

    Raises
    ------
    DesignError, DataError
        Fewer than two algorithms, no data set, or rows that are no ranks.

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
    """How likely is it that two rank sums differ by so much, if no algorithms differ?

    Parameters
    ----------
    ranks : array, data set x algorithm
        Mid-ranks.

    Returns
    -------
    array
        P(2 |D| >= i) at i = 0, 1, ..., twice the largest difference there can be.

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
    """Return it from sorted rows in sorted order: which algorithm has which rank is all the same."""
    rows, places = np.unique(
        np.frombuffer(cells, dtype=int).reshape(shape), axis=0, return_inverse=True
    )
    of_rows = [_two_cells(row) for row in rows]
    probabilities = np.ones(1)
    for start in range(0, len(places), _TOGETHER):
        block = [of_rows[place] for place in places[start : start + _TOGETHER]]
        probabilities = np.convolve(probabilities, _sum_of(block))
    middle = len(probabilities) // 2
    upper = 2 * probabilities[:middle:-1].cumsum()[::-1]
    tail = np.concatenate([[1.0], np.minimum(upper, 1.0)])
    found = np.repeat(tail, step)[step - 1 :]
    found.flags.writeable = False
    return found


def _sum_of(parts: list[np.ndarray]) -> np.ndarray:
    """Return the distribution of a sum: two and two, then two of those."""
    while len(parts) > 1:
        odd = parts[len(parts) // 2 * 2 :]
        parts = [*map(np.convolve, parts[::2], parts[1::2]), *odd]
    return parts[0]


def untied_tail(k: int, n: int) -> np.ndarray:
    """Return `two_sided_tail` of k algorithms on n data sets without ties."""
    check_sizes(k, n)
    return two_sided_tail(np.tile(np.arange(1.0, k + 1), (n, 1)))


def exact_critical_gap(level: float, k: int, n: int) -> float:
    """Which gap of two average ranks is the smallest that an exact test rejects?

    Parameters
    ----------
    level : float
        Of the two-sided test.
    k, n : int
        Number of algorithms and of data sets.

    Returns
    -------
    float
        Without ties; infinite where no gap reaches the level. Above 20,000 algorithms times data
        sets by the normal approximation.

    Raises
    ------
    SettingError, DesignError
        A level outside (0, 1); sizes that are none.

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
    """Return the smallest p-value of one pair: first and last on every data set.

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
