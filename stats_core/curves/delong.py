"""DeLong's test and variance of areas under ROC curves on the same instances."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DegenerateError, DesignError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import Method, PairedResult, TestResult
from stats_core.core.validation import check_probability
from stats_core.curves import roc_pr
from stats_core.inference import inference_text


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DeLongResult(PairedResult):
    """Result of DeLong's test of two areas under ROC curves on the same instances.

    Attributes
    ----------
    auc_a, auc_b : float
        The two areas.
    difference : float
        The first area minus the second.
    variance : float
        Variance of the difference.
    covariance : array (2, 2)
        Variances of the areas on the diagonal, their covariance next to it.
    low, high : float
        Normal interval for the difference at the requested confidence level, clipped to [-1, 1].
    """

    auc_a: float
    auc_b: float
    difference: float
    variance: float
    covariance: np.ndarray
    low: float
    high: float

    def interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Return the normal confidence interval for the difference of areas, clipped to [-1, 1]."""
        return _interval(
            self.difference, self.variance, check_probability(confidence_level, "confidence_level")
        )


def delong(
    y_true: ArrayLike, score_a: ArrayLike, score_b: ArrayLike, *, confidence_level: float = 0.95
) -> DeLongResult:
    """DeLong's test of the areas under the ROC curves of two classifiers on the same instances.

    Parameters
    ----------
    y_true : array of bool or 0/1, one per case
        Whether the case is positive.
    score_a, score_b : array of float, one per case
        Score of each classifier; higher means more positive. The same position must be the same
        case in all three arrays; this is not checked.
    confidence_level : float
        Coverage of the interval of the difference.

    Returns
    -------
    DeLongResult
        z = (A1 - A2) / sqrt(L S L') with L = (1, -1), S the covariance of the two areas; two-sided
        p from the normal distribution; n is the number of cases.

    Raises
    ------
    DataError
        Lengths differ, a score is not finite, a label is not 0 or 1.
    DegenerateError
        Only one class; or the difference has variance 0 while the areas differ.
    DesignError, SettingError
        Fewer than 2 positive or 2 negative cases; `confidence_level` outside (0, 1).

    Notes
    -----
    The conclusion is on these two classifiers and new cases from the same population: variability
    between runs is not covered. Scores of different folds are not on one scale, so test one
    fold at a time, or one common test set. If the variance is 0 and the areas are equal, p = 1, with a
    warning. Swapping the classifiers only changes the sign of z.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson, Biometrics 44 (1988) 837; Sun and Xu, IEEE Signal Process.
    Lett. 21 (2014) 1389 (mid-ranks).

    Examples
    --------
    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> outcome = delong(y, [8, 7, 6, 3, 5, 4, 2, 1], [8, 4, 3, 2, 7, 6, 5, 1])
    >>> outcome.auc_a, outcome.auc_b, round(outcome.pvalue, 4)
    (0.875, 0.4375, 0.0738)
    """
    check_probability(confidence_level, "confidence_level")
    positive, scores = _check_cases(y_true, [score_a, score_b])
    below, above = _placements(positive, scores)
    m = below.shape[1]
    n = above.shape[1]
    areas = below.mean(axis=1) / n
    difference = float((below[0] - below[1]).mean() / n)
    variance = _variance_of_difference(below, above)
    if variance == 0 and difference != 0:
        raise DegenerateError.of("The difference of two areas must vary", difference=difference)
    z = difference / sqrt(variance) if variance else 0.0
    low, high = _interval(difference, variance, confidence_level)
    return DeLongResult(
        about=inference_text("about.two_areas", m=m, n=n),
        statistic=z,
        pvalue=float(2 * stats.norm.sf(abs(z))),
        pvalue_greater=float(stats.norm.sf(z)),
        pvalue_less=float(stats.norm.cdf(z)),
        method=Method(inference_text("method.delong"), ("two-sided", "normal")),
        n=m + n,
        warnings=_warnings(areas, variance),
        auc_a=float(areas[0]),
        auc_b=float(areas[1]),
        difference=difference,
        variance=variance,
        covariance=_covariance(below, above),
        low=low,
        high=high,
    )


def _interval(difference: float, variance: float, confidence_level: float) -> tuple[float, float]:
    z = float(stats.norm.isf((1 - confidence_level) / 2))
    margin = z * sqrt(variance)
    return max(-1.0, difference - margin), min(1.0, difference + margin)


def delong_variance(y_true: ArrayLike, score: ArrayLike) -> float:
    """Return DeLong's variance of the area under one ROC curve.

    Raises DegenerateError for a class without instances, DesignError for a class with one,
    DataError for invalid labels or scores.

    Notes
    -----
    The variance is 0 for an area of 0 or 1, and if all scores are equal; this does not make the area certain.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson, Biometrics 44 (1988) 837.

    Examples
    --------
    >>> round(delong_variance([1, 1, 1, 0, 0], [5, 4, 2, 3, 1]), 6)
    0.055556
    """
    positive, scores = _check_cases(y_true, [score])
    return float(_covariance(*_placements(positive, scores))[0, 0])


def delong_covariance(y_true: ArrayLike, scores: ArrayLike) -> tuple[pd.Series, pd.DataFrame]:
    """Return areas under ROC curves and their covariance matrix, from scores, instance x classifier.

    Raises DegenerateError for a class without instances, DesignError for a class with one,
    DataError for invalid labels or scores.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson, Biometrics 44 (1988) 837, eq. 5.

    Examples
    --------
    >>> scores = [[5, 5], [4, 2], [2, 4], [3, 3], [1, 1]]
    >>> areas, covariance = delong_covariance([1, 1, 1, 0, 0], scores)
    >>> [float(x) for x in areas.round(4)], round(float(covariance.iloc[0, 1]), 4)
    ([0.8333, 0.8333], 0.0139)
    """
    table = pd.DataFrame(scores)
    names = table.columns
    positive, values = _check_cases(y_true, [table.iloc[:, i] for i in range(len(names))])
    below, above = _placements(positive, values)
    n_negative = above.shape[1]
    areas = pd.Series(below.mean(axis=1) / n_negative, index=names)
    return areas, pd.DataFrame(_covariance(below, above), index=names, columns=names)


def delong_all(y_true: ArrayLike, scores: ArrayLike) -> TestResult:
    """DeLong's test of the areas under several ROC curves, from scores, instance x classifier.

    Each column of `scores` is a classifier. `statistic` is d' S^- d, with d the differences of the
    areas from the first and S their covariance, and is compared with chi-square, with the rank of S
    as df. If no difference of areas varies, p = 1. Raises the errors of `delong_covariance`.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson, Biometrics 44 (1988) 837.

    Examples
    --------
    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a, b = [8, 7, 6, 3, 5, 4, 2, 1], [8, 4, 3, 2, 7, 6, 5, 1]
    >>> round(delong_all(y, np.column_stack([a, b])).pvalue, 4)  # of two as `delong`
    0.0738
    """
    areas, covariance = delong_covariance(y_true, scores)
    n_others = len(areas) - 1
    contrast = np.column_stack([-np.ones(n_others), np.eye(n_others)])
    differences = contrast @ areas.to_numpy()
    covariance_of_differences = contrast @ covariance.to_numpy() @ contrast.T
    df = int(np.linalg.matrix_rank(covariance_of_differences, hermitian=True))
    inverse = np.linalg.pinv(covariance_of_differences, hermitian=True)
    chi2 = float(differences @ inverse @ differences)
    return TestResult(
        about=inference_text("about.areas", n=len(areas)),
        statistic=chi2,
        pvalue=float(stats.chi2.sf(chi2, df)) if df > 0 else 1.0,
        method=Method(inference_text("method.delong_all"), ("chi-square", f"{df} df")),
        n=len(np.asarray(y_true)),
    )


def _placements(positive: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each positive the number of negatives below it, and for each negative that of positives above it.

    Both arrays have one row per classifier, and ties count one half. Mid-ranks give both by
    sorting: the rank among all cases minus the rank within the own class is the number of cases of
    the other class below. Counts are multiples of 1/2, hence exact.
    """
    n_positive = positive.sum()
    negative = ~positive
    below = []
    above = []
    for score in scores:
        among_all = stats.rankdata(score)
        n_below_positive = among_all[positive] - stats.rankdata(score[positive])
        n_below_negative = among_all[negative] - stats.rankdata(score[negative])
        below.append(n_below_positive)
        above.append(n_positive - n_below_negative)
    return np.array(below), np.array(above)


def _covariance(below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Return the DeLong covariance matrix of the areas, classifier x classifier."""
    m = below.shape[1]
    n = above.shape[1]
    over_positives = np.atleast_2d(np.cov(below / n)) / m
    over_negatives = np.atleast_2d(np.cov(above / m)) / n
    return over_positives + over_negatives


def _variance_of_difference(below: np.ndarray, above: np.ndarray) -> float:
    """Return the variance of the difference of two areas, exactly 0 if the placements differ by a constant."""
    m = below.shape[1]
    n = above.shape[1]
    on_positives = below[0] - below[1]
    on_negatives = above[0] - above[1]
    if np.ptp(on_positives) == 0 and np.ptp(on_negatives) == 0:
        return 0.0
    over_positives = np.var(on_positives / n, ddof=1) / m
    over_negatives = np.var(on_negatives / m, ddof=1) / n
    return float(over_positives + over_negatives)


def _warnings(areas: np.ndarray, variance: float) -> tuple[Message, ...]:
    if variance == 0:
        return (message("nothing to test", same="placements"),)
    has_extreme = np.isin(areas, (0, 1)).any()
    return (message("area of 0 or 1"),) if has_extreme else ()


def _check_cases(y_true: ArrayLike, scores: list) -> tuple[np.ndarray, np.ndarray]:
    """Return checked labels and scores; raise DesignError for a single instance of either class."""
    positive, values = roc_pr.check_labels_and_scores(y_true, scores)
    n_positive = int(positive.sum())
    n_negative = int((~positive).sum())
    if min(n_positive, n_negative) < 2:
        raise DesignError.of(
            "DeLong's variance needs 2 instances of each class",
            positives=n_positive,
            negatives=n_negative,
        )
    return positive, values
