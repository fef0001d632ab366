"""p-values of every pair of columns without the rest that a test of a pair returns."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.outcomes import PairedOutcome
from stats_core.inference.paired import (
    corrected_df,
    overlap_factor,
    sign_flip_test,
    sign_test,
    wilcoxon,
)

# tests whose p-values need no more than the two columns, by keys of `PAIR_TESTS`
_COUNTING: dict[str, Callable[..., PairedOutcome]] = {
    "Wilcoxon": wilcoxon,
    "sign test": sign_test,
    "sign flips": sign_flip_test,
}
QUICK = ("corrected t", "paired t", "5x2 cv F", *_COUNTING)


def quick_pvalues(matrix: np.ndarray, test: str, test_fraction: float | None) -> np.ndarray | None:
    """Return what one test of `PAIR_TESTS` says of every pair, the same as pair by pair.

    Parameters
    ----------
    matrix : array, fold x algorithm
        None missing; ten rows, replication by replication, for the 5x2 F.
    test : str
        One of `QUICK`.
    test_fraction : float or None
        n_test / (n_train + n_test), for the corrected t.

    Returns
    -------
    array, algorithm x algorithm, or None
        Two-sided p-values, unadjusted, 1 where two columns are the same. None if some pair
        keeps the same distance in all folds: then the test itself says why it refuses.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.array([[6.0, 5], [7, 5], [9, 6], [8, 7]])
    >>> round(float(quick_pvalues(runs, "corrected t", 0.25)[0, 1]), 4)
    0.0965
    """
    values = np.asarray(matrix, dtype=float)
    n, k = values.shape
    rows, columns = np.triu_indices(k, 1)
    if test in _COUNTING:
        run = _COUNTING[test]
        upper = [run(values[:, i], values[:, j]).pvalue for i, j in zip(rows, columns, strict=True)]
        return _mirrored(upper, k)
    differences = values[:, rows] - values[:, columns]
    five_by_two = test == "5x2 cv F"
    measured = np.abs(differences if five_by_two else values).max(axis=0)
    largest = measured if five_by_two else np.maximum(measured[rows], measured[columns])
    noise = 1e-12 * np.maximum(1.0, largest)  # as `near_nothing` has it
    identical = (np.abs(differences) <= noise).all(axis=0)
    varying = differences - differences.mean(axis=0)
    if five_by_two:
        varying = differences[::2] - differences[1::2]
    if ((np.abs(varying) <= noise).all(axis=0) & ~identical).any():
        return None
    with np.errstate(invalid="ignore", divide="ignore"):  # identical columns
        if five_by_two:
            upper = stats.f.sf((differences**2).sum(axis=0) / (varying**2).sum(axis=0), 10, 5)
        else:
            corrected = test == "corrected t"
            factor = overlap_factor(n, test_fraction if corrected else None)
            df = corrected_df(n, n - 1) if corrected else n - 1
            error = differences.std(axis=0, ddof=1) * np.sqrt(factor / n)
            upper = 2 * stats.t.sf(np.abs(differences.mean(axis=0)) / error, df)
    return _mirrored(np.where(identical, 1.0, upper), k)


def _mirrored(upper: ArrayLike, k: int) -> np.ndarray:
    """Return a symmetric array from its upper triangle, 1 on the diagonal."""
    rows, columns = np.triu_indices(k, 1)
    pvalues = np.ones((k, k))
    pvalues[rows, columns] = pvalues[columns, rows] = upper
    return pvalues
