"""Symmetry of paired differences: what the Wilcoxon signed-rank test assumes, checked."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DegenerateError, DesignError
from stats_core.core.result_types import Method, TestResult
from stats_core.core.validation import check_paired, differences_vary

LEAST = 10  # differences, below which the test rejects almost nothing
_EQUAL = 1e-9  # of the largest difference: sums that close are equal but for rounding


def symmetric_differences(x: ArrayLike, y: ArrayLike) -> TestResult:
    """Are the paired differences of two algorithms symmetric about their median?

    Parameters
    ----------
    x, y : array or Series, one value per data set
        Two Series are paired by label.

    Returns
    -------
    Outcome
        The triples test of Randles, Fligner, Policello and Wolfe, two-sided; the statistic is
        positive if the differences are skewed to the right.

    Raises
    ------
    DataError, DesignError, DegenerateError
        Values do not pair up; fewer than 10 pairs; no difference varies.

    Notes
    -----
    Every triple of differences counts as right (left) skewed if its middle one is nearer to the
    smallest (largest). The statistic is asymptotically normal; with few data sets that rejects too
    often far in the tails, so it is compared with t of n / 2 degrees of freedom. In simulations at
    0.05 (0.005) symmetric differences were then rejected in 0.02 (0.001) of the samples of 20 if
    they were normal, in 0.06 (0.007) if they were normal of lognormal spread, and in 0.04 (0.004)
    and 0.06 (0.011) of the samples of 40. With few data sets it detects strong skewness only.

    References
    ----------
    Randles, Fligner, Policello and Wolfe, J. Am. Stat. Assoc. 75 (1980) 168; Hollander and Wolfe
    1999, section 3.9.

    Examples
    --------
    >>> rights = [0.0, 1, 1.1, 1.3, 1.6, 2, 2.6, 3.5, 5, 7.5, 11, 18]
    >>> round(symmetric_differences(rights, [0.0] * 12).pvalue, 3)
    0.027
    """
    x, y = check_paired(x, y)
    if len(x) < LEAST:
        raise DesignError(
            f"A test of symmetry needs at least {LEAST} pairs of results. There are {len(x)}. "
            "Use the sign test, which does not assume symmetry."
        )
    d = x - y
    if not differences_vary(d, x, y):
        raise DegenerateError(
            "A test of symmetry needs differences that vary. Here they do not. "
            "Use another measure, or more data sets."
        )
    z = _triples(d / np.abs(d).max())
    return TestResult(
        about=f"{len(d)} paired differences",
        statistic=z,
        pvalue=float(2 * stats.t.sf(abs(z), len(d) / 2)),
        method=Method("triples test of symmetry", ("t approximation",)),
        n=len(d),
    )


def _triples(d: np.ndarray) -> float:
    """Return the sum of signs over all triples by its standard error."""
    n, (i, j) = len(d), np.triu_indices(len(d), 1)
    ordered, a, b = np.sort(d), d[i], d[j]
    # for each pair the sum over all third differences; those of the pair itself cancel
    both = np.zeros((n, n))
    both[i, j] = (
        _signs(ordered, (a + b) / 2) - _signs(ordered, 2 * b - a) - _signs(ordered, 2 * a - b)
    )
    both += both.T
    one = both.sum(axis=1) / 2
    total = one.sum() / 3
    variance = (
        (n - 3) * (n - 4) / ((n - 1) * (n - 2)) * (one**2).sum()
        + (n - 3) / (n - 4) * (both[i, j] ** 2).sum()
        + n * (n - 1) * (n - 2) / 6
        - (1 - (n - 3) * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2))) * total**2
    )
    return float(total / np.sqrt(variance)) if variance > 0 else 0.0


def _signs(ordered: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return for each point how many values lie below it minus how many lie above it."""
    below = np.searchsorted(ordered, at - _EQUAL, side="left")
    return below + np.searchsorted(ordered, at + _EQUAL, side="right") - len(ordered)
