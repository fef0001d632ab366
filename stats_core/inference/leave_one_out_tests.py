"""Tests over data sets with each data set left out in turn, by updating sums."""

from collections.abc import Iterator

import numpy as np
from scipy import stats

from stats_core.core.validation import TIE_TOLERANCE, tie_groups, ties_mask
from stats_core.inference.paired.signed_ranks import EXACT_LIMIT, sign_pairs, signed_rank_rows
from stats_core.inference.ranks import iman_davenport_f, unanimous_probability

_CELLS = 2_000_000  # differences ranked at a time


def omnibus_without_each(ranks: np.ndarray) -> np.ndarray:
    """Return p of Iman and Davenport's test without each data set.

    Examples
    --------
    >>> ranks = np.array([[1.0, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]])
    >>> omnibus_without_each(ranks).round(3).tolist()
    [0.049, 0.049, 0.028, 0.049]
    """
    n, k = len(ranks) - 1, ranks.shape[1]
    between = ((ranks.sum(axis=0) - ranks - n * (k + 1) / 2) ** 2).sum(axis=1)
    squares = (ranks**2).sum(axis=1)
    spread = squares.sum() - squares - n * k * (k + 1) ** 2 / 4
    chi2 = np.divide((k - 1) * between, spread, out=np.zeros(n + 1), where=spread > 0)
    return np.array(
        [
            iman_davenport_f(
                float(value), n, k, unanimous_probability(np.delete(ranks, i, axis=0))
            )[1]
            for i, value in enumerate(chi2)
        ]
    )


def pairs_without_each(values: np.ndarray, test: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Return p-values and effects of all pairs without each data set.

    Notes
    -----
    Without a difference of rank r each larger one loses a rank and each tied one half of one. So
    sums of ranks and of their squares follow from sums over groups of ties, without ranking anew.
    That holds for pairs whose ties stay ties whichever data set is left out, and whose p-values are
    normal; the others are tested anew.

    Examples
    --------
    >>> values = np.array([[3.0, 1], [4, 1], [6, 2], [9, 4], [8, 9]])
    >>> [float(p[0]) for p, _ in pairs_without_each(values, "wilcoxon")]
    [0.25, 0.25, 0.25, 0.25, 0.125]
    """
    if test == "sign":
        yield from (sign_pairs(np.delete(values, i, axis=0)) for i in range(len(values)))
        return
    rows, columns = np.triu_indices(values.shape[1], 1)
    x, y = values.T[rows], values.T[columns]
    step = max(1, _CELLS // len(values))
    parts = [
        _updated(x[start : start + step], y[start : start + step])
        for start in range(0, len(x), step)
    ]
    pvalues, effects, known = (np.concatenate(part) for part in zip(*parts, strict=True))
    anew = ~known
    for i in range(len(values)):
        p, effect = pvalues[:, i].copy(), effects[:, i].copy()
        if anew.any():
            left = (np.delete(side[anew], i, axis=1) for side in (x, y))
            p[anew], effect[anew] = signed_rank_rows(*left)
        yield p, effect


def _updated(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return p and effect of each pair without each data set, and the pairs they hold for."""
    signs = np.sign(np.where(ties_mask(x, y), 0.0, x - y))
    sizes, counts = np.where(signs == 0, -np.inf, np.abs(x - y)), np.abs(signs)
    scales = np.sort(np.maximum(np.abs(x), np.abs(y)), axis=1)
    groups = tie_groups(sizes, scales[:, -1])
    known = (counts.sum(axis=1) > EXACT_LIMIT + 1) & _stay(sizes, groups, scales[:, -2])
    ranks = stats.rankdata(groups, axis=1)

    def of_groups(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return for each difference the sums over all larger ones and over its ties."""
        n = groups.shape[1]
        flat = groups + n * np.arange(len(groups))[:, None]
        sums = np.bincount(flat.ravel(), weights.ravel(), flat.size).reshape(groups.shape)
        above = sums.sum(axis=1, keepdims=True) - sums.cumsum(axis=1)
        return np.take_along_axis(above, groups, axis=1), np.take_along_axis(sums, groups, axis=1)

    def without(weights: np.ndarray) -> np.ndarray:
        """Return the weighted sum of the ranks without each data set."""
        above, tied = of_groups(weights)
        full_sum = (weights * ranks).sum(axis=1, keepdims=True)
        return full_sum - weights * ranks - above - (tied - weights) / 2

    more, (above, tied) = counts * ranks, of_groups(counts)
    above_ranks, tied_ranks = of_groups(more)
    squares = (more * ranks).sum(axis=1, keepdims=True) - more * ranks
    squares -= 2 * above_ranks - above + (tied_ranks - more) - (tied - counts) / 4
    signed, total = without(signs), without(counts)
    z = np.divide(np.abs(signed), np.sqrt(squares), out=np.zeros_like(signed), where=squares > 0)
    effects = np.divide(signed, total, out=np.zeros_like(signed), where=total > 0)
    return np.minimum(2 * stats.norm.sf(z), 1.0), effects, known


def _stay(sizes: np.ndarray, groups: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Return the pairs whose ties remain ties without the largest value."""
    order = np.argsort(sizes, axis=1, kind="stable")
    values, of = (np.take_along_axis(values_of, order, axis=1) for values_of in (sizes, groups))
    starts = np.diff(of, axis=1, prepend=-1) > 0
    first = np.maximum.accumulate(np.where(starts, np.arange(values.shape[1]), 0), axis=1)
    with np.errstate(invalid="ignore"):  # zeros are less than all others by infinity
        spread = values - np.take_along_axis(values, first, axis=1)
    return np.nan_to_num(spread, nan=0.0).max(axis=1) <= TIE_TOLERANCE * scales
