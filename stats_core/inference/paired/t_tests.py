"""Paired t tests over folds, corrected for overlap or of 5x2 cross-validation, and one-sided p-values by row."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from stats_core.core import validation
from stats_core.core.errors import DataError, DegenerateError, DesignError, SettingError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import Alternative, Method, PairedResult
from stats_core.inference import inference_text


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
        Interval for the mean difference, by this test.
    factor : float
        Variance inflation factor for overlapping training sets; 1 without correction.
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
    """Return the variance inflation factor of a mean over folds whose training sets overlap; 1 for no `test_fraction`.

    It is 1 + J f / (1 - f) for J results, `n_results`, with test fraction f. Raises SettingError
    for a `test_fraction` outside (0, 1), or `n_results` that is not a nonnegative whole number.

    References
    ----------
    Nadeau and Bengio, Mach. Learn. 52 (2003) 239; Bouckaert and Frank, PAKDD 2004.

    Examples
    --------
    Ten folds, and five times two:

    >>> round(overlap_factor(10, 0.1), 3), overlap_factor(10, 0.5)
    (2.111, 11.0)
    """
    validation.check_whole(n_results, "n_results")
    if test_fraction is None:
        return 1.0
    fraction = validation.check_probability(test_fraction, "test_fraction")
    return 1 + n_results * fraction / (1 - fraction)


MOST_RESULTS = 10  # up to which the conservative tests are the published ones


def conservative_df(n_results: int, measures: int = 1) -> int | None:
    """Return the maximum degrees of freedom of the conservative corrected test, None for at most 10 results.

    Parameters
    ----------
    n_results : int
        Number of results per algorithm.
    measures : int
        Number of measures tested jointly.

    Returns
    -------
    int or None
        Maximum degrees of freedom; None if there is no limit.

    Notes
    -----
    Repeated resampling of the same instances estimates the variance between splits, not between
    samples of instances. The maxima are calibrated, not derived: with all J - 1 degrees of freedom of J results, the type I error
    rates of the corrected tests reach three times alpha in `benchmarks/calibration.py` with 30 or 100
    results. `benchmarks/calibration.py --measures` measures the same for vectors of measures.

    Examples
    --------
    >>> conservative_df(10), conservative_df(100), conservative_df(100, measures=2)
    (None, 9, 8)
    """
    if n_results <= MOST_RESULTS:
        return None
    return MOST_RESULTS - (1 if measures < 2 else 2)


def at_most(df: int, max_df: int | None) -> int:
    """Return min(df, max_df), or `df` if `max_df` is None; raise SettingError for `max_df` below 1."""
    if max_df is None:
        return df
    if validation.check_whole(max_df, "max_df") < 1:
        raise SettingError.of("max_df too small")
    return min(df, int(max_df))


def corrected_df(n_results: int, df: int, measures: int = 1) -> int:
    """Return `df`, or the maximum for the conservative corrected test if that is smaller.

    Examples
    --------
    >>> corrected_df(10, 9), corrected_df(100, 99)
    (9, 9)
    """
    return at_most(df, conservative_df(n_results, measures))


def t_pvalues(t: float, df: float, *, identical: bool) -> dict[str, float]:
    """Return the two-sided and both one-sided p-values of a t statistic by field name; 1 for identical results."""
    # special.stdtr and stdtrit are a hundred times as fast as stats.t
    sides = np.ones(3) if identical else special.stdtr(df, [-abs(t), -t, t]) * [2, 1, 1]
    return dict(zip(("pvalue", "pvalue_greater", "pvalue_less"), sides.tolist(), strict=True))


def paired_t(
    x: ArrayLike,
    y: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> TTestResult:
    """Paired t test of two algorithms over folds, assumed independent.

    Parameters
    ----------
    x, y : array or Series, one value per fold
        Two Series are paired by label.
    alternative : {"two-sided", "greater", "less"}
        "greater" tests whether the mean of x is larger, "less" whether that of y is.
    confidence_level : float
        Coverage of the interval, which is two-sided for any alternative.

    Returns
    -------
    TTestResult
        t = dbar / (s / sqrt J) with J - 1 df, where dbar is the mean of the J differences and s
        their standard deviation.

    Raises
    ------
    DataError, DesignError, DegenerateError, SettingError
        Values do not pair up or are not finite; fewer than 2 folds; all differences equal, but not
        zero; `confidence_level` outside (0, 1); unknown `alternative`.

    Notes
    -----
    Assumes normal, independent differences. The training sets of cross-validation overlap, so with 10
    folds a nominal 5% level is about 15%: use `corrected_t`. If all results are equal, t = 0 and
    p = 1, with a warning.

    References
    ----------
    Dietterich, Neural Comput. 10 (1998) 1895, section 3.4.

    Examples
    --------
    >>> round(paired_t([6.0, 7, 9, 8], [5.0, 5, 6, 7]).pvalue, 4)
    0.0354
    """
    return _t_test(x, y, None, alternative, confidence_level, None)


def corrected_t(
    x: ArrayLike,
    y: ArrayLike,
    *,
    test_fraction: float,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    max_df: int | None = None,
) -> TTestResult:
    """Nadeau and Bengio's corrected t test of two algorithms over folds with overlapping training sets.

    Parameters
    ----------
    x, y : array or Series, one value per fold
        Results of k-fold, repeated k-fold or random partitions; two Series are paired by label.
    test_fraction : float
        n_test / (n_train + n_test), 0.1 for 10 folds. Not n_test / n_train.
    alternative : {"two-sided", "greater", "less"}
        As in `paired_t`.
    confidence_level : float
        As in `paired_t`.
    max_df : int, optional
        Upper bound on the degrees of freedom: 9 for the conservative test, which comparisons of
        more than ten results use. None for J - 1, as published.

    Returns
    -------
    TTestResult
        t = dbar / sqrt((1/J + f/(1-f)) s^2) with J - 1 df, at most `max_df`, where dbar is the mean
        of the J differences, s^2 their variance and f `test_fraction`.

    Raises
    ------
    DataError, DesignError, DegenerateError, SettingError
        As `paired_t`; `test_fraction` outside (0, 1); `max_df` below 1 or not a whole number.

    Notes
    -----
    Exact if the differences of any two folds have correlation f. The paired t is divided by the root of
    `overlap_factor`, and the interval is wider by the same factor.

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
    fraction = validation.check_probability(test_fraction, "test_fraction")
    return _t_test(x, y, fraction, alternative, confidence_level, max_df)


def _t_test(
    x: ArrayLike,
    y: ArrayLike,
    test_fraction: float | None,
    alternative: Alternative,
    confidence_level: float,
    max_df: int | None,
) -> TTestResult:
    """Return the t test of the mean difference, corrected for overlap unless `test_fraction` is None."""
    validation.check_probability(confidence_level, "confidence_level")
    x, y = validation.check_paired(x, y)
    n = validation.check_results(len(x))
    differences = x - y
    varies = validation.differences_vary(differences, x, y)
    factor = overlap_factor(n, test_fraction)
    df = at_most(n - 1, max_df)
    unit = validation.unit_of(differences)
    mean = float((differences / unit).mean()) if varies else 0.0
    error = float((differences / unit).std(ddof=1)) * sqrt(factor / n) if varies else 0.0
    t = mean / error if varies else 0.0
    mean *= unit
    margin = error * abs(float(special.stdtrit(df, (1 - confidence_level) / 2))) * unit
    published = t_pvalues(t, n - 1, identical=not varies)
    result = TTestResult(
        about="paired differences",
        statistic=t,
        **t_pvalues(t, df, identical=not varies),
        method=Method("paired t test", ("two-sided", f"{df} df"), overlap=factor),
        n=n,
        warnings=() if varies else (validation.IDENTICAL,),
        df=df,
        estimate=mean,
        low=mean - margin,
        high=mean + margin,
        factor=factor,
        published_pvalue=published.get(f"pvalue_{alternative}", published["pvalue"]),
    )
    return result.at_alternative(alternative)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cv52Result(PairedResult):
    """Result of a 5x2 cv test, based on five times two differences.

    Attributes
    ----------
    df : tuple of int
        (5,) for t, (10, 5) for F.
    estimate : float
        The difference that is tested, first minus second.
    low, high : float
        Confidence interval: the differences this test does not reject; NaN if it rejects all.
    """

    df: tuple[int, ...]
    estimate: float
    low: float
    high: float


def cv52_t(differences: ArrayLike, *, confidence_level: float = 0.95) -> Cv52Result:
    """Dietterich's 5x2 cv t test, with the first of the ten differences in the numerator.

    Parameters
    ----------
    differences : array or DataFrame, replication x half, shape (5, 2)
        First minus second algorithm.
    confidence_level : float
        Coverage of the interval.

    Returns
    -------
    Cv52Result
        t = p_11 / sqrt(sum s_i^2 / 5) with 5 df, where p_11 is the first difference and s_i^2 the
        variance of the two differences of replication i, that is the sum of squares about their
        mean.

    Raises
    ------
    DesignError, DataError, DegenerateError, SettingError
        Not 5 x 2; a value is missing; no variation within any replication; `confidence_level`
        outside (0, 1).

    Notes
    -----
    The numerator is the first difference alone, so the result depends on the order of the replications;
    that of `cv52_f` does not. If all ten are zero, t = 0 and p = 1, with a warning.

    References
    ----------
    Dietterich, Neural Comput. 10 (1998) 1895, section 3.5.

    Examples
    --------
    >>> round(cv52_t([[3, 1], [2, 2], [1, 4], [2, 3], [0, 2]]).statistic, 4)
    2.2361
    """
    table, identical = _check_halves(differences)
    parts = ("two-sided", "5 df", inference_text("method.first_difference"))
    method = Method("5x2 cv t test", parts)
    return _t(table, float(table[0, 0]), 1, method, identical, confidence_level)


def cv52_combined_t(differences: ArrayLike, *, confidence_level: float = 0.95) -> Cv52Result:
    """5x2 cv t test with the mean of the ten differences in the numerator.

    Arguments and errors are those of `cv52_t`.

    Notes
    -----
    t = sqrt(10) pbar / sqrt(sum s_i^2 / 5) with 5 df, where pbar is the mean of the ten differences.
    Does not depend on the order of the ten differences, but assumes that they are independent, which
    they are not: its type I error rate is inflated. Prefer `cv52_f`.

    References
    ----------
    Alpaydin, Neural Comput. 11 (1999) 1885.

    Examples
    --------
    >>> round(cv52_combined_t([[3, 1], [2, 2], [1, 4], [2, 3], [0, 2]]).statistic, 4)
    4.714
    """
    table, identical = _check_halves(differences)
    method = Method("combined 5x2 cv t test", ("two-sided", "5 df"))
    return _t(table, float(table.mean()), 10, method, identical, confidence_level)


def cv52_f(differences: ArrayLike, *, confidence_level: float = 0.95) -> Cv52Result:
    """Alpaydin's combined 5x2 cv F test, based on all ten squared differences.

    Parameters
    ----------
    differences : array or DataFrame, replication x half, shape (5, 2)
        First minus second algorithm.
    confidence_level : float
        Coverage of the interval.

    Returns
    -------
    Cv52Result
        f = sum p_ij^2 / (2 sum s_i^2) with (10, 5) df, where p_ij is difference j of replication i
        and s_i^2 is as in `cv52_t`.

    Raises
    ------
    DesignError, DataError, DegenerateError, SettingError
        As `cv52_t`.

    Notes
    -----
    One-sided p-values halve p on the side of the mean difference and are 1 - p/2 on the other,
    1/2 if the mean is zero: exact by symmetry. The interval contains the differences delta for which
    f of p_ij - delta is below its critical value; it can be empty. If all ten differences are zero,
    f = 0 and every p is 1, with a warning.

    References
    ----------
    Alpaydin, Neural Comput. 11 (1999) 1885, equation 4.

    Examples
    --------
    >>> round(cv52_f([[3, 1], [2, 2], [1, 4], [2, 3], [0, 2]]).statistic, 4)
    2.8889
    """
    validation.check_probability(confidence_level, "confidence_level")
    table, identical = _check_halves(differences)
    unit = validation.unit_of(table)
    table = table / unit
    variances = float(_variances(table).sum())
    squares = float((table**2).sum())
    mean = float(table.mean())
    f = 0.0 if identical else squares / (2 * variances)
    pvalue = float(stats.f.sf(f, 10, 5))
    if identical:
        greater = less = 1.0
    elif validation.all_within_rounding(np.array([mean]), table):
        greater = less = 0.5  # rounding errors do not decide the sign
    else:
        greater = pvalue / 2 if mean > 0 else 1 - pvalue / 2
        less = 1 - greater
    critical = float(stats.f.isf(1 - confidence_level, 10, 5))
    squared_margin = variances * critical / 5 - (squares / 10 - mean**2)
    margin = np.nan
    warnings: tuple[Message, ...] = ()
    if identical:
        warnings = (validation.IDENTICAL,)
    if identical or squared_margin >= 0:
        margin = sqrt(max(squared_margin, 0)) * unit
    else:
        warnings = (message("no interval"),)
    mean *= unit
    return Cv52Result(
        about=inference_text("about.five_by_two"),
        statistic=f,
        pvalue=pvalue,
        pvalue_greater=greater,
        pvalue_less=less,
        method=Method("5x2 cv F test", ("two-sided", "(10, 5) df")),
        n=10,
        warnings=warnings,
        df=(10, 5),
        estimate=mean,
        low=mean - margin,
        high=mean + margin,
    )


def _t(
    table: np.ndarray,
    estimate: float,
    n: int,
    method: Method,
    identical: bool,
    confidence_level: float,
) -> Cv52Result:
    """Return the t test of the mean of n differences against the variance within replications."""
    validation.check_probability(confidence_level, "confidence_level")
    unit = validation.unit_of(table)
    error = sqrt(_variances(table / unit).mean() / n)
    t = 0.0 if identical else estimate / unit / error
    margin = error * abs(float(special.stdtrit(5, (1 - confidence_level) / 2))) * unit
    return Cv52Result(
        about=inference_text("about.five_by_two"),
        statistic=t,
        **t_pvalues(t, 5, identical=identical),
        method=method,
        n=10,
        warnings=(validation.IDENTICAL,) if identical else (),
        df=(5,),
        estimate=estimate,
        low=estimate - margin,
        high=estimate + margin,
    )


def _check_halves(differences: ArrayLike) -> tuple[np.ndarray, bool]:
    """Return the ten differences as floats, and whether all are zero; raise FoldwiseError if no test is defined."""
    table = validation.as_numbers(validation.as_table(differences, "differences"), "differences")
    if table.shape != (5, 2):
        raise DesignError.of(
            "The 5x2 tests need 5 replications of 2 folds",
            rows=table.shape[0],
            columns=table.shape[1],
        )
    if not np.isfinite(table).all():
        position = np.argwhere(~np.isfinite(table))[0] + 1
        raise DataError.of(
            "The 5x2 tests need all ten differences", replication=position[0], half=position[1]
        )
    identical = validation.all_within_rounding(table, table)
    if not identical and validation.all_within_rounding(table[:, 0] - table[:, 1], table):
        raise DegenerateError.of("The halves of each replication must differ somewhere")
    return table, identical


def _variances(table: np.ndarray) -> np.ndarray:
    """Return the variance s_i^2 of the two differences of each replication."""
    return ((table - table.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)


def corrected_t_rows(
    differences: np.ndarray, noise: np.ndarray, fraction: float | None, df: int | None = None
) -> np.ndarray:
    """Return one-sided p-values of the t test on folds, corrected for overlap if `fraction` is given."""
    n = differences.shape[-1]
    mean = differences.mean(axis=-1)
    residuals = differences - mean[..., None]
    constant = np.abs(residuals).max(axis=-1) <= noise
    squares = np.einsum("...j,...j->...", residuals, residuals)
    error = np.sqrt(squares * (overlap_factor(n, fraction) / (n * (n - 1))))
    return _upper_t(mean, error, n - 1 if df is None else df, constant)


def conservative_t_rows(
    differences: np.ndarray, noise: np.ndarray, fraction: float | None
) -> np.ndarray:
    """Return one-sided p-values of the corrected t test with the maximum degrees of freedom."""
    n = differences.shape[-1]
    return corrected_t_rows(differences, noise, fraction, corrected_df(n, n - 1))


def paired_t_rows(differences: np.ndarray, noise: np.ndarray, fraction: float | None) -> np.ndarray:
    """Return one-sided p-values of the t test on independent folds."""
    return corrected_t_rows(differences, noise, None)


def cv52_t_rows(differences: np.ndarray, noise: np.ndarray, fraction: float | None) -> np.ndarray:
    """Return one-sided p-values of Dietterich's 5x2 cv t test, based on the first difference."""
    variances, constant = _variances_of_rows(differences, noise)
    return _upper_t(differences[..., 0], np.sqrt(variances / 5), 5, constant)


def cv52_combined_t_rows(
    differences: np.ndarray, noise: np.ndarray, fraction: float | None
) -> np.ndarray:
    """Return one-sided p-values of the combined 5x2 cv t test, based on the mean difference."""
    variances, constant = _variances_of_rows(differences, noise)
    return _upper_t(sqrt(10) * differences.mean(axis=-1), np.sqrt(variances / 5), 5, constant)


def cv52_f_rows(differences: np.ndarray, noise: np.ndarray, fraction: float | None) -> np.ndarray:
    """Return one-sided p-values of the 5x2 cv F test: p / 2 on the side of the mean, else 1 - p / 2."""
    variances, constant = _variances_of_rows(differences, noise)
    squares = np.einsum("...j,...j->...", differences, differences)
    f = np.divide(squares, 2 * variances, out=np.full_like(squares, np.inf), where=~constant)
    half = special.fdtrc(10, 5, f) / 2
    mean = differences.mean(axis=-1)
    return np.where(np.abs(mean) <= noise, 0.5, np.where(mean < 0, 1 - half, half))


def _variances_of_rows(differences: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum of the five variances of each row, and a mask of rows without variance."""
    apart = differences[..., 0::2] - differences[..., 1::2]
    return np.einsum("...i,...i->...", apart, apart) / 2, np.abs(apart).max(axis=-1) <= noise


def _upper_t(estimate: np.ndarray, error: np.ndarray, df: int, constant: np.ndarray) -> np.ndarray:
    """Return P(T > estimate / error); for rows without variance its limit."""
    t = np.divide(estimate, error, out=np.zeros_like(estimate), where=~constant)
    return np.where(constant, 0.5 - 0.5 * np.sign(estimate), special.stdtr(df, -t))
