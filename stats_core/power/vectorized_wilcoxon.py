"""The Wilcoxon signed-rank test for many runs of a simulation at once."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy import special

from stats_core.inference.paired.signed_ranks import EXACT_LIMIT, sign_flip_distribution

_KEPT = 4096  # null distributions; ten differences have 1024 patterns of ties and zeros


def wilcoxon_greater(differences: np.ndarray) -> np.ndarray:
    """Are differences larger than 0, by their signed ranks? One p-value for each row.

    Parameters
    ----------
    differences : array of int (..., J)
        First minus second algorithm, as numbers of errors: whole, so that ties are exact.

    Returns
    -------
    array (...)
        p-values, `pvalue_greater` of `stats_core.paired.wilcoxon` (zeros by Pratt).

    Notes
    -----
    The distribution of the rank sum under the null hypothesis depends on which ranks are tied and
    how many differences are zero, not on the differences themselves. Rows with the same pattern
    share one.

    References
    ----------
    Wilcoxon 1945; Pratt 1959.

    Examples
    --------
    >>> import numpy as np
    >>> wilcoxon_greater(np.array([[2, 3, 4, 5, -1], [0, 0, 0, 0, 0]])).tolist()
    [0.0625, 1.0]
    """
    return _by_pattern(differences, _upper_tail)


def wilcoxon_two_sided(differences: np.ndarray) -> np.ndarray:
    """Do differences lie on one side of 0, by their signed ranks? One p-value for each row.

    Parameters
    ----------
    differences : array of int (..., J)
        As `wilcoxon_greater`; only their order and their signs count.

    Returns
    -------
    array (...)
        `pvalue` of `stats_core.paired.wilcoxon` (zeros by Pratt).

    Examples
    --------
    >>> import numpy as np
    >>> wilcoxon_two_sided(np.array([[2, 3, 4, 5, -1], [0, 0, 0, 0, 0]])).tolist()
    [0.125, 1.0]
    """

    def tail(ranks: np.ndarray, sums: np.ndarray) -> np.ndarray:
        return np.minimum(1.0, 2 * _upper_tail(ranks, np.maximum(sums, ranks.sum() - sums)))

    return _by_pattern(differences, tail)


def _by_pattern(
    differences: np.ndarray, tail: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Let rows that have the same ties and zeros share the distribution of their rank sums."""
    rows = differences.reshape(-1, differences.shape[-1])
    signed = np.sort(2 * np.abs(rows) + (rows > 0), axis=1)
    sizes, above = signed >> 1, signed & 1
    first, pattern = _patterns(sizes)
    ranks = _doubled_ranks(sizes[first])
    sums = (ranks[pattern] * above).sum(axis=1)
    pvalues = np.empty(len(rows))
    by_pattern = np.split(np.argsort(pattern, kind="stable"), np.bincount(pattern).cumsum()[:-1])
    for own, members in zip(ranks, by_pattern, strict=True):
        pvalues[members] = tail(own[own > 0], sums[members])
    return pvalues.reshape(differences.shape[:-1])


def _patterns(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a row of each pattern of ties and zeros, and the number of each row's pattern."""
    before = np.concatenate([np.zeros((len(sizes), 1), sizes.dtype), sizes[:, :-1]], axis=1)
    bits = np.packbits(sizes > before, axis=1)  # no rise: tied with the one before, or zero
    words = np.zeros((len(sizes), -(-bits.shape[1] // 8) * 8), dtype=np.uint8)
    words[:, : bits.shape[1]] = bits
    numbers = words.view(np.uint64)
    _, first, pattern = np.unique(
        numbers[:, 0] if numbers.shape[1] == 1 else numbers,
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    return first, pattern.ravel()


def _doubled_ranks(sizes: np.ndarray) -> np.ndarray:
    """Return twice the mid-ranks of sizes sorted in each row, 0 where the size is 0."""
    places = np.arange(sizes.shape[1])
    rises = sizes[:, 1:] > sizes[:, :-1]
    edge = np.ones((len(sizes), 1), dtype=bool)
    starts = np.maximum.accumulate(np.where(np.hstack([edge, rises]), places, 0), axis=1)
    last = len(places) - 1
    ends = np.where(np.hstack([rises, edge]), places, last)[:, ::-1]
    ends = np.minimum.accumulate(ends, axis=1)[:, ::-1]
    return np.where(sizes > 0, starts + ends + 2, 0)


def _upper_tail(ranks: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Return P(2 W+ >= sum) for each sum, from twice the ranks of the differences but zero."""
    if len(ranks) <= EXACT_LIMIT:
        return _exact_tail(tuple(ranks.tolist()))[sums]
    z = (sums - ranks.sum() / 2) / np.sqrt((ranks.astype(float) ** 2).sum() / 4)
    return special.ndtr(-z)


@lru_cache(maxsize=_KEPT)
def _exact_tail(ranks: tuple[int, ...]) -> np.ndarray:
    distribution = sign_flip_distribution(np.array(ranks) / 2)
    return np.minimum(1.0, distribution[::-1].cumsum()[::-1])
