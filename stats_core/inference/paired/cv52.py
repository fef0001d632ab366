"""Five replications of two-fold cross-validation: Dietterich's t and Alpaydin's F."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DataError, DegenerateError, DesignError
from stats_core.core.messages import message
from stats_core.core.result_types import Method, PairedResult
from stats_core.core.validation import IDENTICAL, all_within_rounding, as_numbers, as_table, check_probability

FIVE_BY_TWO = ("5x2 cv F", "5x2 cv t", "combined 5x2 cv t")  # keys of the tests of 5 x 2 folds
_NO_VARIANCE = (
    "The halves of each replication must differ somewhere. In all five the two differences are "
    "the same, so there is no variation to test against. Use more digits, or another measure."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cv52Result(PairedResult):
    """A test on five times two differences.

    Attributes
    ----------
    df : tuple of int
        (5,) for t, (10, 5) for F.
    estimate : float
        The difference the test looks at, first minus second.
    low, high : float
        The differences this test does not reject, NaN if it rejects them all.
    """

    df: tuple[int, ...]
    estimate: float
    low: float
    high: float


def cv52_t(differences: ArrayLike, *, confidence: float = 0.95) -> Cv52Result:
    """Do two algorithms differ, by the first of ten differences and five variances?

    Parameters
    ----------
    differences : array or DataFrame, replication x half, shape (5, 2)
        First minus second algorithm.
    confidence : float
        Coverage of the interval.

    Returns
    -------
    Cv52Result
        t = p_11 / sqrt(sum s_i^2 / 5) with 5 df, s_i^2 the variance of replication i.

    Raises
    ------
    DesignError, DataError, DegenerateError
        Not 5 x 2; a value is missing; no variation within any replication.

    Notes
    -----
    The numerator is the first difference alone, so the answer depends on which result comes
    first. `cv52_f` does not. All ten zero: t = 0, p = 1, with a warning.

    References
    ----------
    Dietterich, Neural Comput. 10 (1998) 1895, section 3.5.

    Examples
    --------
    >>> round(cv52_t([[3, 1], [2, 2], [1, 4], [2, 3], [0, 2]]).statistic, 4)
    2.2361
    """
    table, identical = _check(differences)
    parts = ("two-sided", "5 df", "the first difference decides")
    method = Method("5x2 cv t test (Dietterich)", parts)
    return _t(table, float(table[0, 0]), 1, method, identical, confidence)


def cv52_combined_t(differences: ArrayLike, *, confidence: float = 0.95) -> Cv52Result:
    """Do two algorithms differ, by the mean of ten differences and five variances?

    Notes
    -----
    Does not depend on the order of the ten, but takes them as independent, which they are not:
    it rejects too easily. `cv52_f` is the safer of the two.

    References
    ----------
    Alpaydin, Neural Comput. 11 (1999) 1885.

    Examples
    --------
    >>> round(cv52_combined_t([[3, 1], [2, 2], [1, 4], [2, 3], [0, 2]]).statistic, 4)
    4.714
    """
    table, identical = _check(differences)
    method = Method("combined 5x2 cv t test", ("two-sided", "5 df"))
    return _t(table, float(table.mean()), 10, method, identical, confidence)


def cv52_f(differences: ArrayLike, *, confidence: float = 0.95) -> Cv52Result:
    """Do two algorithms differ, by all ten squared differences and five variances?

    Parameters
    ----------
    differences : array or DataFrame, replication x half, shape (5, 2)
        First minus second algorithm.
    confidence : float
        Coverage of the interval.

    Returns
    -------
    Cv52Result
        f = sum p_ij^2 / (2 sum s_i^2) with (10, 5) df.

    Raises
    ------
    DesignError, DataError, DegenerateError
        As `cv52_t`.

    Notes
    -----
    One-sided p-values halve p on the side of the mean difference and are 1 - p/2 on the other,
    1/2 if the mean is zero: exact by symmetry. The interval holds the differences delta for
    which f of p_ij - delta is below its critical value; now and then it is empty.

    References
    ----------
    Alpaydin, Neural Comput. 11 (1999) 1885, equation 4.

    Examples
    --------
    >>> round(cv52_f([[3, 1], [2, 2], [1, 4], [2, 3], [0, 2]]).statistic, 4)
    2.8889
    """
    check_probability(confidence, "confidence")
    table, identical = _check(differences)
    variances = float(_variances(table).sum())
    squares, mean = float((table**2).sum()), float(table.mean())
    f = 0.0 if identical else squares / (2 * variances)
    pvalue = float(stats.f.sf(f, 10, 5))
    side = 0.0 if all_within_rounding(np.array([mean]), table) else mean  # rounding takes no side
    greater = pvalue / 2 if side > 0 else 1 - pvalue / 2 if side < 0 else 0.5
    reach = variances * float(stats.f.isf(1 - confidence, 10, 5)) / 5 - (squares / 10 - mean**2)
    margin = sqrt(max(reach, 0)) if identical or reach >= 0 else np.nan
    return Cv52Result(
        about="five times two differences",
        statistic=f,
        pvalue=pvalue,
        pvalue_greater=1.0 if identical else greater,
        pvalue_less=1.0 if identical else 1 - greater,
        method=Method("5x2 cv F test (Alpaydin)", ("two-sided", "(10, 5) df")),
        n=10,
        warnings=(IDENTICAL,) if identical else (message("no interval"),) if np.isnan(margin) else (),
        df=(10, 5),
        estimate=mean,
        low=mean - margin,
        high=mean + margin,
    )


def _t(table: np.ndarray, estimate: float, n: int, method: Method, identical: bool, confidence: float) -> Cv52Result:
    """Test the mean of n of the differences against their variance within replications."""
    check_probability(confidence, "confidence")
    error = sqrt(_variances(table).mean() / n)
    t = 0.0 if identical else estimate / error
    margin = error * float(stats.t.isf((1 - confidence) / 2, 5))
    return Cv52Result(
        about="five times two differences",
        statistic=t,
        pvalue=float(2 * stats.t.sf(abs(t), 5)),
        pvalue_greater=1.0 if identical else float(stats.t.sf(t, 5)),
        pvalue_less=1.0 if identical else float(stats.t.cdf(t, 5)),
        method=method,
        n=10,
        warnings=(IDENTICAL,) if identical else (),
        df=(5,),
        estimate=estimate,
        low=estimate - margin,
        high=estimate + margin,
    )


def _check(differences: ArrayLike) -> tuple[np.ndarray, bool]:
    """Return the ten differences as floats, and whether they are all zero."""
    table = as_numbers(as_table(differences, "differences"), "differences")
    if table.shape != (5, 2):
        raise DesignError(
            "The 5x2 tests need 5 replications of 2 folds. "
            f"The differences are {table.shape[0]} x {table.shape[1]}. Use the corrected t test."
        )
    if not np.isfinite(table).all():
        position = np.argwhere(~np.isfinite(table))[0] + 1
        raise DataError(
            [
                "The 5x2 tests need all ten differences. "
                f"Replication {position[0]}, half {position[1]} is missing. Run it again, or use the "
                "corrected t test on the folds there are."
            ]
        )
    identical = all_within_rounding(table, table)
    if not identical and all_within_rounding(table[:, 0] - table[:, 1], table):
        raise DegenerateError(_NO_VARIANCE)
    return table, identical


def _variances(table: np.ndarray) -> np.ndarray:
    """Return s_i^2 of each replication."""
    return ((table - table.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
