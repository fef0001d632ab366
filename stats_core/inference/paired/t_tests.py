"""The paired t test on folds, plain and corrected for overlapping training sets."""

from dataclasses import dataclass
from math import sqrt

from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import SettingError
from stats_core.core.result_types import Method, PairedResult
from stats_core.core.validation import (
    IDENTICAL,
    check_paired,
    check_probability,
    check_results,
    check_whole,
    differences_vary,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TTestResult(PairedResult):
    """Result of a t test of a mean difference.

    Attributes
    ----------
    df : int
        Degrees of freedom: the number of folds minus one, or `max_df` if that is smaller.
    estimate : float
        Mean difference, first minus second.
    low, high : float
        Interval for it, by this test.
    factor : float
        By how much overlapping training sets inflate the variance of the mean; 1 if not
        corrected.
    published_pvalue : float
        p with all degrees of freedom, as published; the same where `max_df` changes nothing.
    """

    df: int
    estimate: float
    low: float
    high: float
    factor: float
    published_pvalue: float


def overlap_factor(n_results: int, test_fraction: float | None) -> float:
    """Return the variance factor of a mean over folds with overlapping training sets.

    References
    ----------
    Nadeau and Bengio, Mach. Learn. 52 (2003) 239; Bouckaert and Frank, PAKDD 2004.

    Examples
    --------
    Ten folds, and five times two:

    >>> round(overlap_factor(10, 0.1), 3), overlap_factor(10, 0.5)
    (2.111, 11.0)
    """
    check_whole(n_results, "n_results")
    if test_fraction is None:
        return 1.0
    fraction = check_probability(test_fraction, "test_fraction")
    return 1 + n_results * fraction / (1 - fraction)


MOST_RESULTS = 10  # up to which the conservative tests are the published ones
# keys of the corrected t test as published, and with at most 9 degrees of freedom
PUBLISHED, CONSERVATIVE = "corrected t", "corrected t, conservative"


def conservative_df(n_results: int, measures: int = 1) -> int | None:
    """Return the limit of the degrees of freedom in the conservative form of a corrected test.

    Notes
    -----
    Repeating a resampling of the same cases shows how results vary with the split, not how they
    vary with the cases. The maxima are calibrated, not derived: with J - 1 degrees of freedom
    the corrected tests reject up to three times as often as alpha in `benchmarks/calibration.py`
    after 30 or 100 results. `benchmarks/calibration_measures.py` measures the same for vectors
    of measures.

    Examples
    --------
    >>> conservative_df(10), conservative_df(100), conservative_df(100, measures=2)
    (None, 9, 8)
    """
    if n_results <= MOST_RESULTS:
        return None
    return MOST_RESULTS - (1 if measures < 2 else 2)


def at_most(df: int, max_df: int | None) -> int:
    """Return the smaller number of degrees of freedom; `df` without a maximum."""
    if max_df is None:
        return df
    if check_whole(max_df, "max_df") < 1:
        raise SettingError("`max_df` must be at least 1. It is 0. Try 9.")
    return min(df, int(max_df))


def corrected_df(n_results: int, df: int, measures: int = 1) -> int:
    """Return the degrees of freedom of the conservative form of a corrected test.

    Examples
    --------
    >>> corrected_df(10, 9), corrected_df(100, 99)
    (9, 9)
    """
    return at_most(df, conservative_df(n_results, measures))


def paired_t(x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95) -> TTestResult:
    """Do two algorithms differ in their mean over folds, taking the folds as independent?

    Parameters
    ----------
    x, y : array or Series, one value per fold
        Two Series are paired by label.
    confidence : float
        Coverage of the interval.

    Returns
    -------
    TTestResult
        t = dbar / (s / sqrt J) with J - 1 df.

    Raises
    ------
    DataError, DesignError, DegenerateError
        Values do not pair up or are not finite; fewer than 2 folds; all differences equal.

    Notes
    -----
    Assumes normal, independent differences. The training sets of cross-validation overlap, so
    on 10 folds a nominal 5% is about 15 %: use `corrected_t`. The same result everywhere:
    t = 0, p = 1, with a warning.

    References
    ----------
    Dietterich, Neural Comput. 10 (1998) 1895, section 3.4.

    Examples
    --------
    >>> round(paired_t([6.0, 7, 9, 8], [5.0, 5, 6, 7]).pvalue, 4)
    0.0354
    """
    return _t_test(x, y, None, confidence, None)


def corrected_t(
    x: ArrayLike, y: ArrayLike, *, test_fraction: float, confidence: float = 0.95, max_df: int | None = None
) -> TTestResult:
    """Do two algorithms differ in their mean over folds whose training sets overlap?

    Parameters
    ----------
    x, y : array or Series, one value per fold
        Results of k-fold, repeated k-fold or random partitions; two Series are paired by label.
    test_fraction : float
        n_test / (n_train + n_test), 0.1 for 10 folds. Not n_test / n_train.
    confidence : float
        Coverage of the interval.
    max_df : int, optional
        Use at most so many degrees of freedom: 9 for the conservative test, which comparisons of
        more than ten results use. None for J - 1, as published.

    Returns
    -------
    TTestResult
        t = dbar / sqrt((1/J + f/(1-f)) s^2) with J - 1 df.

    Raises
    ------
    DataError, DesignError, DegenerateError, SettingError
        As `paired_t`; `test_fraction` outside (0, 1); `max_df` below 1 or not a whole number.

    Notes
    -----
    Exact if any two folds' differences correlate by f. The plain t is divided by the root of
    `overlap_factor`, the interval grows by it.

    References
    ----------
    Nadeau and Bengio, Mach. Learn. 52 (2003) 239; Bouckaert and Frank, PAKDD 2004.

    Examples
    --------
    >>> x, y = [6.0, 7, 9, 8], [5.0, 5, 6, 7]
    >>> round(corrected_t(x, y, test_fraction=0.25).pvalue, 4)
    0.0965
    >>> round(corrected_t(x, y, test_fraction=0.25, max_df=2).pvalue, 4)
    0.1391
    """
    fraction = check_probability(test_fraction, "test_fraction")
    return _t_test(x, y, fraction, confidence, max_df)


def _t_test(
    x: ArrayLike, y: ArrayLike, test_fraction: float | None, confidence: float, max_df: int | None
) -> TTestResult:
    check_probability(confidence, "confidence")
    x, y = check_paired(x, y)
    n = check_results(len(x))
    differences = x - y
    varies = differences_vary(differences, x, y)
    factor = overlap_factor(n, test_fraction)
    df = at_most(n - 1, max_df)
    mean = float(differences.mean()) if varies else 0.0
    error = float(differences.std(ddof=1)) * sqrt(factor / n) if varies else 0.0
    t = mean / error if varies else 0.0
    margin = error * float(stats.t.isf((1 - confidence) / 2, df))
    return TTestResult(
        about="paired differences",
        statistic=t,
        pvalue=float(2 * stats.t.sf(abs(t), df)),
        pvalue_greater=float(stats.t.sf(t, df)) if varies else 1.0,
        pvalue_less=float(stats.t.cdf(t, df)) if varies else 1.0,
        method=Method("paired t test", ("two-sided", f"{df} df"), overlap=factor),
        n=n,
        warnings=() if varies else (IDENTICAL,),
        df=df,
        estimate=mean,
        low=mean - margin,
        high=mean + margin,
        factor=factor,
        published_pvalue=float(2 * stats.t.sf(abs(t), n - 1)),
    )
