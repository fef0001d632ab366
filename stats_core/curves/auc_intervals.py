"""Confidence intervals for the area under one ROC curve, from scores, the area or error counts, and sample sizes."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, floor, log, nan, sqrt
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from stats_core.core.errors import DataError, DegenerateError, SettingError
from stats_core.core.result_types import scalar_frame
from stats_core.core.validation import check_one_of, check_probability
from stats_core.curves import delong
from stats_core.curves.roc_pr import roc_auc
from stats_core.inference import inference_text

METHODS = ("hanley-mcneil", "delong", "agarwal")
_METHODS_WITHOUT_SCORES = ("hanley-mcneil", "agarwal")
_ERROR_INTERVALS = ("distribution-free", "clopper-pearson")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AucInterval:
    """An interval for the area under one ROC curve.

    Attributes
    ----------
    auc : float
        The area itself; for Cortes-Mohri the mean area of all rankings with that many errors.
    low, high : float
        The interval, within [0, 1].
    se : float or None
        Standard error used, None for a method without one.
    method : str
        The variant actually used.
    confidence_level : float
        Nominal coverage.
    positives, negatives : int
        Number of cases of each class.
    clipped_low, clipped_high : bool
        Whether the interval was cut at 0, or at 1.
    warnings : tuple of str
        Cautions on the interval.
    """

    auc: float
    low: float
    high: float
    se: float | None
    method: str
    confidence_level: float
    positives: int
    negatives: int
    clipped_low: bool
    clipped_high: bool
    warnings: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return a table of one row with the same columns for every method; se is NaN for a method without one."""
        return scalar_frame(self if self.se is not None else replace(self, se=nan))


def auc_interval(
    y_true: ArrayLike, score: ArrayLike, method: str = "delong", *, confidence_level: float = 0.95
) -> AucInterval:
    """Return an interval for the area under the ROC curve of a classifier.

    Parameters
    ----------
    y_true : array of bool or 0/1, one per case
        Whether the case is positive.
    score : array of float, one per case
        Higher means more positive.
    method : {"delong", "hanley-mcneil", "agarwal"}
        Variance from the scores; variance from the area alone, as if scores were exponential;
        or a bound that holds for every distribution and is wide.
    confidence_level : float
        Coverage.

    Returns
    -------
    AucInterval
        A +- z se for the first two, with A the area, se its standard error and z the normal
        quantile; A +- sqrt((m + n) ln(2 / delta) / (2 m n)) for Agarwal with delta = 1 -
        confidence_level, m positives and n negatives. The interval is cut to [0, 1].

    Raises
    ------
    DataError, DegenerateError
        Lengths differ, a score is not finite, a label is not 0 or 1; only one class.
    DesignError, SettingError
        Fewer than 2 cases of a class (DeLong); unknown method, `confidence_level` outside (0, 1).

    Notes
    -----
    The interval is for this classifier on new cases from the same population; scores of several
    folds must not be pooled. If the standard error is 0 (an area of 0 or 1, or only ties), normal
    intervals shrink to a point and are uninformative, and a warning is added.

    References
    ----------
    DeLong et al., Biometrics 44 (1988) 837; Hanley and McNeil, Radiology 143 (1982) 29; Agarwal
    et al., JMLR 6 (2005) 393.

    Examples
    --------
    >>> y, score = [1, 1, 1, 1, 0, 0, 0, 0], [8, 7, 5, 2, 6, 4, 3, 1]
    >>> interval = auc_interval(y, score)
    >>> interval.auc, round(interval.low, 3), interval.high, interval.clipped_high
    (0.75, 0.35, 1.0, True)
    """
    check_one_of(method, METHODS, "method")
    check_probability(confidence_level, "confidence_level")
    auc = roc_auc(y_true, score)
    positives = int(np.asarray(y_true, dtype=float).sum())
    negatives = np.size(y_true) - positives
    if method != "delong":
        return auc_interval_of(auc, positives, negatives, method, confidence_level=confidence_level)
    area = _Area(auc, positives, negatives, float(confidence_level))
    standard_error = sqrt(delong.delong_variance(y_true, score))
    return _normal_interval(area, standard_error, "DeLong, normal")


def auc_interval_of(
    auc: float,
    positives: int,
    negatives: int,
    method: str = "hanley-mcneil",
    *,
    confidence_level: float = 0.95,
) -> AucInterval:
    """Return an interval for a reported area under the ROC curve, without the scores.

    `method` is "hanley-mcneil" or "agarwal", both as in `auc_interval`.

    Raises DataError for an area outside [0, 1] or numbers of instances that are not whole,
    DegenerateError for a class without instances, SettingError for other methods or a
    `confidence_level` outside (0, 1).

    References
    ----------
    Hanley and McNeil, Radiology 143 (1982) 29; Agarwal et al., JMLR 6 (2005) 393.

    Examples
    --------
    >>> interval = auc_interval_of(0.8, 50, 100)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.7192, 0.8808)
    """
    check_one_of(method, _METHODS_WITHOUT_SCORES, "method")
    check_probability(confidence_level, "confidence_level")
    auc = _check_area(auc)
    m, n = _check_classes(positives, negatives)
    area = _Area(auc, m, n, float(confidence_level))
    if method == "hanley-mcneil":
        return _normal_interval(area, hanley_mcneil_se(auc, m, n), "Hanley-McNeil, normal")
    margin = sqrt((m + n) * log(2 / (1 - confidence_level)) / (2 * m * n))
    return area.interval(auc - margin, auc + margin, None, inference_text("method.agarwal"))


def expected_auc(errors: int, positives: int, negatives: int) -> tuple[float, float]:
    """Return mean and standard deviation of the area under the ROC curve given the number of errors.

    Raises DataError for more errors than instances or numbers that are not whole, DegenerateError
    for a class without instances.

    Notes
    -----
    All rankings with this number of errors are assumed equally likely. Mean and standard deviation are exact sums over
    the number of false positives, and therefore also correct for more errors than instances of the smaller class,
    where the closed forms of the paper no longer hold.

    References
    ----------
    Cortes and Mohri, NIPS 2003 (mean) and 2004 (variance).

    Examples
    --------
    >>> mean, sd = expected_auc(88, 232, 136)
    >>> round(mean, 5), round(sd, 5)
    (0.71091, 0.02092)
    """
    k, m, n = _check_errors(errors, positives, negatives)
    return _area_moments(k, m, n, _log_factorials(m + n))


def auc_interval_from_errors(
    errors: int,
    positives: int,
    negatives: int,
    *,
    confidence_level: float = 0.95,
    error_interval: str = "distribution-free",
    large_sample: bool = False,
) -> AucInterval:
    """Return an interval for the area under the ROC curve from error counts alone.

    Parameters
    ----------
    errors : int
        Number of misclassified cases, of both kinds together.
    positives, negatives : int
        Number of cases of each class.
    confidence_level : float
        Coverage.
    error_interval : {"distribution-free", "clopper-pearson"}
        Interval for the error rate, at level 1 - e' = sqrt(confidence_level): Chebyshev's, k/N +- 1
        / (2 sqrt(N e')) for k errors on N cases, or the exact binomial.
    large_sample : bool
        Assume a normal area, given the errors, instead of using Chebyshev's bound.

    Returns
    -------
    AucInterval
        [min_k (E_k - c sd_k), max_k (E_k + c sd_k)] over the whole numbers of errors k within the
        error interval, cut to [0, 1]; E_k and sd_k are mean and standard deviation of the area
        given k errors (`expected_auc`). This step is also at level 1 - e', so that c = 1 /
        sqrt(e'); if `large_sample`, c is the upper e'/2 point of the normal distribution. `auc` and
        `se` are mean and standard deviation at `errors`.

    Raises
    ------
    DataError, DegenerateError, SettingError
        A count that is not whole, more errors than cases; no case of a class; `confidence_level`
        outside (0, 1), unknown `error_interval`.

    Notes
    -----
    Assumes that all rankings with this number of errors are equally likely, which need not be true for
    a real classifier. Intended for papers that report only errors.

    References
    ----------
    Cortes and Mohri, NIPS 2004; Clopper and Pearson 1934.

    Examples
    --------
    >>> interval = auc_interval_from_errors(39, 164, 139, error_interval="clopper-pearson")
    >>> round(interval.auc, 3), round(interval.low, 2), round(interval.high, 2)
    (0.869, 0.74, 0.97)
    """
    check_probability(confidence_level, "confidence_level")
    check_one_of(error_interval, _ERROR_INTERVALS, "error_interval")
    k, m, n = _check_errors(errors, positives, negatives)
    miss = 1 - sqrt(confidence_level)  # chance of an error for each of both intervals
    fewest, most = _error_range(k, m + n, miss, error_interval)
    means, sds = _moments_between(fewest, most, m, n)
    if large_sample:
        spread = "normal"
        factor = float(stats.norm.isf(miss / 2))
    else:
        spread = "Chebyshev"
        factor = 1 / sqrt(miss)
    low = float((means - factor * sds).min())
    high = float((means + factor * sds).max())
    method = inference_text(
        "method.cortes_mohri", spread=spread, interval=error_interval, low=fewest, high=most
    )
    auc = float(means[k - fewest])
    sd = float(sds[k - fewest])
    return _Area(auc, m, n, float(confidence_level)).interval(low, high, sd, method)


@lru_cache(maxsize=100)
def _moments_between(fewest: int, most: int, m: int, n: int) -> np.ndarray:
    """Return `_area_moments` for each number of errors in a range, as two rows."""
    logs = _log_factorials(m + n)
    moments = [_area_moments(errors, m, n, logs) for errors in range(fewest, most + 1)]
    return np.array(moments).T


_FEW = 1_000  # values that are all used
_STRIDE = 8
_NEGLIGIBLE = 60.0  # difference of logarithms


def _area_moments(k: int, m: int, n: int, logs: np.ndarray) -> tuple[float, float]:
    """Return mean and standard deviation of the area over all rankings with k errors.

    x false positives, hence k - x false negatives, occur in C(m-k+2x, x) C(n+k-2x, k-x) rankings;
    within them the area has mean E_x and variance V_x. Of many x, those that change nothing in
    double precision are left out: first by one x in `_STRIDE`, since from one x to the next the
    number of rankings changes by a factor of at most m + n + 2.
    """

    def log_weights(x: np.ndarray) -> np.ndarray:
        above = m - k + 2 * x  # cases predicted positive
        below = n + k - 2 * x
        of_above = logs[above] - logs[x] - logs[above - x]
        of_below = logs[below] - logs[k - x] - logs[n - x]
        return of_above + of_below

    x = np.arange(max(0, k - m), min(k, n) + 1)
    if len(x) > _FEW:
        coarse = log_weights(x[::_STRIDE])
        least = coarse.max() - _NEGLIGIBLE - _STRIDE * log(m + n + 2)
        x = x[np.repeat(coarse >= least, _STRIDE)[: len(x)]]
        fine = log_weights(x)
        x = x[fine >= fine.max() - _NEGLIGIBLE]
    log_weight = log_weights(x)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    above = m - k + 2 * x
    below = n + k - 2 * x
    means = 1 - ((k - x) / m + x / n) / 2
    pairs = (above - x) * x * (above + 1.0) + (k - x) * (n - x) * (below + 1.0)
    mean = float(weight @ means)
    variance = weight @ (pairs / (12 * (m * n) ** 2) + (means - mean) ** 2)
    return mean, sqrt(variance)


def _log_factorials(largest: int) -> np.ndarray:
    """Return log(i!) for i = 0, 1, ..., largest."""
    return special.gammaln(np.arange(largest + 1) + 1.0)


def _error_range(k: int, total: int, miss: float, kind: str) -> tuple[int, int]:
    """Return the smallest and largest number of errors within the error-rate interval."""
    if kind == "clopper-pearson":
        low = float(stats.beta.ppf(miss / 2, k, total - k + 1)) if k > 0 else 0.0
        high = float(stats.beta.isf(miss / 2, k + 1, total - k)) if k < total else 1.0
    else:
        margin = 1 / (2 * sqrt(total * miss))
        low = max(0.0, k / total - margin)
        high = min(1.0, k / total + margin)
    return min(k, ceil(low * total)), max(k, floor(high * total))


def _normal_interval(area: "_Area", se: float, method: str) -> AucInterval:
    """Return the normal interval area +- z se; with se 0, a single point and a warning."""
    z = float(stats.norm.isf((1 - area.confidence_level) / 2))
    margin = z * se
    warnings = (inference_text("reason.zero_error", auc=area.auc),) if se == 0 else ()
    return area.interval(area.auc - margin, area.auc + margin, se, method, warnings)


@dataclass(frozen=True, slots=True)
class _Area:
    """Area under a ROC curve, its numbers of positives and negatives, and the confidence level of its interval."""

    auc: float
    positives: int
    negatives: int
    confidence_level: float

    def interval(
        self, low: float, high: float, se: float | None, method: str, warnings: tuple[str, ...] = ()
    ) -> AucInterval:
        """Return the interval clipped to [0, 1], with a warning if it was clipped."""
        ends = []
        if low < 0:
            ends.append("0")
        if high > 1:
            ends.append("1")
        if ends:
            warnings += (inference_text("reason.cut", ends=" and ".join(ends)),)
        return AucInterval(
            auc=self.auc,
            positives=self.positives,
            negatives=self.negatives,
            confidence_level=self.confidence_level,
            low=max(low, 0.0),
            high=min(high, 1.0),
            clipped_low=low < 0,
            clipped_high=high > 1,
            se=se,
            method=method,
            warnings=warnings,
        )


def _check_errors(errors: int, positives: int, negatives: int) -> tuple[int, int, int]:
    m, n = _check_classes(positives, negatives)
    k = _check_count(errors, "errors")
    if k > m + n:
        raise DataError.of("errors must be at most the number of instances", k=k, cases=m + n)
    return k, m, n


def hanley_mcneil_se(auc: float, positives: int, negatives: int) -> float:
    """Return Hanley and McNeil's standard error of an area under the ROC curve.

    It depends only on the area and the class sizes, as if scores were exponential. Errors are those
    of `auc_interval_of`.

    References
    ----------
    Hanley and McNeil, Radiology 143 (1982) 29.

    Examples
    --------
    >>> round(hanley_mcneil_se(0.8, 50, 100), 5)
    0.04125
    """
    auc = _check_area(auc)
    m, n = _check_classes(positives, negatives)
    q1, q2 = exceedance_probabilities(auc)
    within = (m - 1) * (q1 - auc**2) + (n - 1) * (q2 - auc**2)
    variance = (auc * (1 - auc) + within) / (m * n)
    return sqrt(max(variance, 0.0))


def areas_to_compare(areas: Iterable[float]) -> tuple[float, float]:
    """Return the first two of `areas`, given best first, rounded and made distinct, as defaults for planning.

    Areas are clipped to [0.5, 0.999], undefined ones ignored, and missing ones replaced by 0.8 and
    0.85.

    Examples
    --------
    >>> areas_to_compare([0.9968, 0.9951]), areas_to_compare([0.91, 0.91]), areas_to_compare([])
    ((0.997, 0.995), (0.91, 0.9), (0.8, 0.85))
    """
    finite = [area for area in areas if np.isfinite(area)]
    best = (*finite, 0.8, 0.85)[:2]
    first, second = (round(min(max(area, 0.5), 0.999), 3) for area in best)
    if first == second:
        second = round(first - 0.01 if first > 0.51 else first + 0.01, 3)
    return first, second


def exceedance_probabilities(auc: float) -> tuple[float, float]:
    """Return Hanley and McNeil's Q1 and Q2 as functions of the area.

    Q1 is the probability that two positives score above one negative, Q2 that one positive scores
    above two negatives, both for exponentially distributed scores.

    Examples
    --------
    >>> exceedance_probabilities(0.5)
    (0.3333333333333333, 0.3333333333333333)
    """
    return auc / (2 - auc), 2 * auc**2 / (1 + auc)


def auc_sample_size(
    first: float, second: float, *, alpha: float = 0.05, power: float = 0.8, two_sided: bool = True
) -> int:
    """Return the number of positives (and of negatives) needed to detect a difference of two areas.

    Parameters
    ----------
    first, second : float
        The two areas under the ROC curve, in (0, 1).
    alpha : float
        Significance level.
    power : float
        Probability of a significant difference.
    two_sided : bool
        Whether the test is two-sided.

    Returns
    -------
    int
        Number of positive instances, and of negative instances, for each classifier.

    Raises
    ------
    SettingError
        The areas are equal or outside (0, 1), `alpha` is outside (0, 0.5), or `power` outside
        [0.5, 1).

    Notes
    -----
    Assumes that each classifier is tested on instances of its own. On the same instances, the
    areas are correlated, and fewer instances usually suffice. The standard error is that of two
    areas equal to `first`. It decreases as the area grows above 0.5, so a test that estimates
    both, such as DeLong's, has more power for a `second` above `first`.

    References
    ----------
    Hanley and McNeil, Radiology 143 (1982) 29.

    Examples
    --------
    >>> auc_sample_size(0.8, 0.9), auc_sample_size(0.8, 0.9, two_sided=False)
    (142, 111)
    """
    first = _check_open_area(first, "first")
    second = _check_open_area(second, "second")
    if first == second:
        raise SettingError.of("areas equal", first=first)
    z_alpha, z_beta = _normal_points(alpha, power, two_sided)
    required = _standard_errors(first, second, z_alpha, z_beta)
    return ceil((required / (second - first)) ** 2)


def detectable_auc(
    first: float,
    n_per_class: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    two_sided: bool = True,
) -> float | None:
    """Return the smallest area above `first` that is detected with the given power, None if no area up to 1 is.

    `n_per_class` is the number of positives, and of negatives. Assumptions are those of
    `auc_sample_size`. Raises SettingError unless 0 < `first` < 1, `n_per_class` is a positive whole
    number, 0 < `alpha` < 0.5 and 0.5 <= `power` < 1.

    References
    ----------
    Hanley and McNeil, Radiology 143 (1982) 29.

    Examples
    --------
    >>> round(detectable_auc(0.8, 142), 4), detectable_auc(0.9, 10)
    (0.9, None)
    """
    first = _check_open_area(first, "first")
    is_whole = isinstance(n_per_class, Real) and float(n_per_class).is_integer()
    if not is_whole or n_per_class < 1:
        raise SettingError.of("too few per class", n_per_class=n_per_class)
    z_alpha, z_beta = _normal_points(alpha, power, two_sided)

    def surplus(second: float) -> float:
        """Return sqrt(n_per_class) times the difference of the areas, minus its required value."""
        required = _standard_errors(first, second, z_alpha, z_beta)
        return (second - first) * sqrt(n_per_class) - required

    if surplus(1.0) <= 0:
        return None
    return float(optimize.brentq(surplus, first, 1.0))


def _standard_errors(first: float, second: float, z_alpha: float, z_beta: float) -> float:
    """Return the required difference of two areas times sqrt(instances per class)."""
    first_variance = _spread(first)
    second_variance = _spread(second)
    return z_alpha * sqrt(2 * first_variance) + z_beta * sqrt(first_variance + second_variance)


def _spread(auc: float) -> float:
    """Return the large-sample variance of an area, times the number of instances per class."""
    q1, q2 = exceedance_probabilities(auc)
    return max(q1 + q2 - 2 * auc**2, 0.0)


def _normal_points(alpha: float, power: float, two_sided: bool) -> tuple[float, float]:
    """Return normal quantiles z_alpha and z_beta; raise SettingError unless 0 < alpha < 0.5 and 0.5 <= power < 1."""
    if not (isinstance(alpha, Real) and 0 < alpha < 0.5):
        raise SettingError.of("alpha out of range", alpha=alpha)
    if not (isinstance(power, Real) and 0.5 <= power < 1):
        raise SettingError.of("power out of range", power=power)
    tail = alpha / 2 if two_sided else alpha
    return float(stats.norm.isf(tail)), float(stats.norm.ppf(power))


def _check_open_area(value: float, name: str) -> float:
    if not (isinstance(value, Real) and 0 < value < 1):
        raise SettingError.of("area out of range", name=name, value=value)
    return float(value)


def _check_area(auc: float) -> float:
    """Return an area as a float, or raise DataError if it is outside [0, 1]."""
    if not (isinstance(auc, Real) and 0 <= auc <= 1):
        raise DataError.of("auc out of range", auc=auc)
    return float(auc)


def _check_count(value: int, name: str) -> int:
    """Return a number of instances as an int, or raise DataError if it is not a nonnegative integer."""
    if not (isinstance(value, Real) and value >= 0 and float(value).is_integer()):
        raise DataError.of("no number of instances", name=name, value=value)
    return int(value)


def _check_classes(positives: int, negatives: int) -> tuple[int, int]:
    """Return the numbers of positives and negatives; DegenerateError if either is 0, DataError unless whole."""
    m = _check_count(positives, "positives")
    n = _check_count(negatives, "negatives")
    if m == 0 or n == 0:
        raise DegenerateError.of("An area under the ROC curve needs both classes", m=m, n=n)
    return m, n
