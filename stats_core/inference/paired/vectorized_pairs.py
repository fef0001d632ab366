"""Vectorized p-values of all pairs of columns."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.result_types import PairedResult
from stats_core.inference.paired import corrected_df, overlap_factor, sign_flip_test, sign_test, wilcoxon
from stats_core.inference.paired.t_tests import CONSERVATIVE, PUBLISHED

# tests whose p-values need no more than the two columns, by keys of `PAIR_TESTS`
_COUNTING: dict[str, Callable[..., PairedResult]] = {
    "Wilcoxon": wilcoxon,
    "sign test": sign_test,
    "sign flips": sign_flip_test,
}
T_TESTS = (PUBLISHED, CONSERVATIVE, "paired t")
QUICK = (*T_TESTS, "5x2 cv F", *_COUNTING)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _PairsByT:
    """t tests of every pair of columns, in the order of `np.triu_indices(k, 1)`.

    Attributes
    ----------
    estimate, error : array
        Mean differences, first minus second, and their standard errors; 0 where two columns are
        the same.
    df : int
        Degrees of freedom.
    """

    estimate: np.ndarray
    error: np.ndarray
    df: int

    @property
    def statistic(self) -> np.ndarray:
        """t, 0 where two columns are the same."""
        size = np.zeros_like(self.estimate)
        return np.divide(self.estimate, self.error, out=size, where=self.error > 0)

    @property
    def pvalue(self) -> np.ndarray:
        """Two-sided, 1 where two columns are the same."""
        return 2 * stats.t.sf(np.abs(self.statistic), self.df)

    def interval(self, confidence: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return both ends; `confidence` may differ from pair to pair."""
        reach = stats.t.isf((1 - np.asarray(confidence)) / 2, self.df) * self.error
        return self.estimate - reach, self.estimate + reach


def pairs_by_t(matrix: np.ndarray, test: str, test_fraction: float | None) -> _PairsByT | None:
    """Return one of `T_TESTS` for every pair, or None as `quick_pvalues`."""
    values = np.asarray(matrix, dtype=float)
    n, k = values.shape
    rows, columns = np.triu_indices(k, 1)
    differences = values[:, rows] - values[:, columns]
    measured = np.abs(values).max(axis=0)
    noise = _noise(np.maximum(measured[rows], measured[columns]))
    identical = (np.abs(differences) <= noise).all(axis=0)
    estimate = differences.mean(axis=0)
    if ((np.abs(differences - estimate) <= noise).all(axis=0) & ~identical).any():
        return None
    factor = overlap_factor(n, None if test == "paired t" else test_fraction)
    error = differences.std(axis=0, ddof=1) * np.sqrt(factor / n)
    return _PairsByT(
        estimate=np.where(identical, 0.0, estimate),
        error=np.where(identical, 0.0, error),
        df=corrected_df(n, n - 1) if test == CONSERVATIVE else n - 1,
    )


def _noise(largest: np.ndarray) -> np.ndarray:
    return 1e-12 * np.maximum(1.0, largest)  # as `near_nothing` has it


def quick_pvalues(matrix: np.ndarray, test: str, test_fraction: float | None) -> np.ndarray | None:
    """Return the p-values of one of `PAIR_TESTS` for every pair, None if not vectorized.

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
    if test != "5x2 cv F":
        by_t = pairs_by_t(values, test, test_fraction)
        return None if by_t is None else _mirrored(by_t.pvalue, k)
    differences = values[:, rows] - values[:, columns]
    noise = _noise(np.abs(differences).max(axis=0))
    identical = (np.abs(differences) <= noise).all(axis=0)
    varying = differences[::2] - differences[1::2]
    if ((np.abs(varying) <= noise).all(axis=0) & ~identical).any():
        return None
    with np.errstate(invalid="ignore", divide="ignore"):  # identical columns
        upper = stats.f.sf((differences**2).sum(axis=0) / (varying**2).sum(axis=0), 10, 5)
    return _mirrored(np.where(identical, 1.0, upper), k)


def _mirrored(upper: ArrayLike, k: int) -> np.ndarray:
    """Return a symmetric array from its upper triangle, 1 on the diagonal."""
    rows, columns = np.triu_indices(k, 1)
    pvalues = np.ones((k, k))
    pvalues[rows, columns] = pvalues[columns, rows] = upper
    return pvalues
