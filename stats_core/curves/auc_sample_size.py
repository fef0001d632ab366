"""How sure is an area under the ROC curve of a given size, and how many cases tell two apart?"""

from collections.abc import Iterable
from math import ceil, sqrt
from numbers import Real

import numpy as np
from scipy import optimize, stats

from stats_core.core.errors import DataError, DegenerateError, SettingError


def hanley_mcneil_se(auc: float, positives: int, negatives: int) -> float:
    """How uncertain is an area under the ROC curve, from its size and the counts alone?

    Parameters
    ----------
    auc : float
        The area.
    positives, negatives : int
        Number of cases of each class.

    Returns
    -------
    float
        Root of (A(1-A) + (m-1)(Q1-A^2) + (n-1)(Q2-A^2)) / (mn), Q1 = A/(2-A), Q2 = 2A^2/(1+A).

    Raises
    ------
    DataError, DegenerateError
        An area outside [0, 1], a count that is not whole; no case of a class.

    References
    ----------
    Hanley and McNeil, Radiology 143 (1982) 29.

    Examples
    --------
    >>> round(hanley_mcneil_se(0.8, 50, 100), 5)
    0.04125
    """
    auc = check_area(auc)
    m, n = check_classes(positives, negatives)
    q1, q2 = exceedance_probabilities(auc)
    within = (m - 1) * (q1 - auc**2) + (n - 1) * (q2 - auc**2)
    return sqrt(max((auc * (1 - auc) + within) / (m * n), 0.0))


def areas_to_compare(areas: Iterable[float]) -> tuple[float, float]:
    """Which two areas are worth planning for: the two best, told apart if they print the same.

    Parameters
    ----------
    areas : iterable of float
        Of the algorithms, the best first; missing ones are passed over.

    Examples
    --------
    >>> areas_to_compare([0.9968, 0.9951]), areas_to_compare([0.91, 0.91]), areas_to_compare([])
    ((0.997, 0.995), (0.91, 0.9), (0.8, 0.85))
    """
    known = [area for area in areas if np.isfinite(area)]
    first, second = (round(min(max(area, 0.5), 0.999), 3) for area in (*known, 0.8, 0.85)[:2])
    if first == second:
        second = round(first - 0.01 if first > 0.51 else first + 0.01, 3)
    return first, second


def exceedance_probabilities(auc: float) -> tuple[float, float]:
    """Return Q1 and Q2: two positives above one negative, one positive above two negatives.

    Both under exponential scores, as functions of the area.

    Examples
    --------
    >>> exceedance_probabilities(0.5)
    (0.3333333333333333, 0.3333333333333333)
    """
    return auc / (2 - auc), 2 * auc**2 / (1 + auc)


def auc_sample_size(
    first: float, second: float, *, alpha: float = 0.05, power: float = 0.8, two_sided: bool = True
) -> int:
    """How many positives and negatives show that two areas under ROC curves differ?

    Parameters
    ----------
    first, second : float
        The two areas, strictly between 0 and 1; `first` is the one that holds if they are equal.
    alpha : float
        Level of the test, below one half.
    power : float
        Chance of a significant result if the areas are these, at least one half.
    two_sided : bool
        Whether the test looks in both directions.

    Returns
    -------
    int
        Positives, and as many negatives, in each of two independent samples:
        n = ((z_alpha sqrt(2 V1) + z_beta sqrt(V1 + V2)) / (A1 - A2))^2, rounded up, with
        V = Q1 + Q2 - 2 A^2, z_alpha the upper alpha/2 point if two-sided.

    Raises
    ------
    SettingError
        An area outside (0, 1), equal areas, alpha not in (0, 0.5), power not in [0.5, 1).

    Notes
    -----
    Each classifier is measured on cases of its own; on the same cases their areas correlate and
    fewer usually suffice. The test behind the formula takes the standard error that would hold if
    both areas were `first`. The larger the area the smaller its error, so a test that estimates
    both, such as DeLong's, sees a `second` above `first` (both from 0.5 on) with more power.

    References
    ----------
    Hanley and McNeil, Radiology 143 (1982) 29.

    Examples
    --------
    >>> auc_sample_size(0.8, 0.9), auc_sample_size(0.8, 0.9, two_sided=False)
    (142, 111)
    """
    first, second = _check_open_area(first, "first"), _check_open_area(second, "second")
    if first == second:
        raise SettingError(
            f"The two areas must differ. Both are {first:g}. Give two areas that are to be told apart."
        )
    z_alpha, z_beta = _normal_points(alpha, power, two_sided)
    return ceil((_standard_errors(first, second, z_alpha, z_beta) / (second - first)) ** 2)


def detectable_auc(
    first: float,
    n_per_class: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    two_sided: bool = True,
) -> float | None:
    """Which larger area under the ROC curve can so many cases tell from a given one?

    Parameters
    ----------
    first : float
        The area to compare with, strictly between 0 and 1.
    n_per_class : int
        Positives, and as many negatives, in each of two independent samples.
    alpha, power, two_sided
        As `auc_sample_size`.

    Returns
    -------
    float or None
        The smallest area above `first` seen with that power; None if there is none below 1.

    Raises
    ------
    SettingError
        As `auc_sample_size`; `n_per_class` not a whole number of at least 1.

    References
    ----------
    Hanley and McNeil, Radiology 143 (1982) 29.

    Examples
    --------
    >>> round(detectable_auc(0.8, 142), 4), detectable_auc(0.9, 10)
    (0.9, None)
    """
    first = _check_open_area(first, "first")
    n = _check_number(n_per_class)
    z_alpha, z_beta = _normal_points(alpha, power, two_sided)

    def surplus(second: float) -> float:
        """By how much the difference exceeds what n cases per class need, times sqrt(n)."""
        return (second - first) * sqrt(n) - _standard_errors(first, second, z_alpha, z_beta)

    if surplus(1.0) <= 0:
        return None
    return float(optimize.brentq(surplus, first, 1.0))


def _standard_errors(first: float, second: float, z_alpha: float, z_beta: float) -> float:
    """Return how far apart the areas must lie, times the root of the cases per class."""
    v1, v2 = _spread(first), _spread(second)
    return z_alpha * sqrt(2 * v1) + z_beta * sqrt(v1 + v2)


def _spread(auc: float) -> float:
    """Return V, the variance of an area times the cases per class, for many cases."""
    q1, q2 = exceedance_probabilities(auc)
    return max(q1 + q2 - 2 * auc**2, 0.0)


def _normal_points(alpha: float, power: float, two_sided: bool) -> tuple[float, float]:
    """Return z_alpha and z_beta, neither of them negative."""
    if not (isinstance(alpha, Real) and 0 < alpha < 0.5):
        raise SettingError(f"`alpha` must lie between 0 and 0.5. It is {alpha!r}. Try 0.05.")
    if not (isinstance(power, Real) and 0.5 <= power < 1):
        raise SettingError(f"`power` must lie between 0.5 and 1. It is {power!r}. Try 0.8.")
    tail = alpha / 2 if two_sided else alpha
    return float(stats.norm.isf(tail)), float(stats.norm.ppf(power))


def _check_open_area(value: float, name: str) -> float:
    if not (isinstance(value, Real) and 0 < value < 1):
        raise SettingError(
            f"`{name}` must be an area strictly between 0 and 1. It is {value!r}. Try 0.8."
        )
    return float(value)


def _check_number(value: int) -> int:
    if not (isinstance(value, Real) and np.isfinite(value) and value >= 1 and value == int(value)):
        raise SettingError(
            f"`n_per_class` must be a whole number of at least 1. It is {value!r}. Try 100."
        )
    return int(value)


def check_area(auc: float) -> float:
    """Return the area as a float if it lies in [0, 1]."""
    if not (isinstance(auc, Real) and 0 <= auc <= 1):
        raise DataError([f"`auc` must lie between 0 and 1. It is {auc!r}. Give it as a share."])
    return float(auc)


def check_count(value: int, name: str) -> int:
    """Return a number of cases as an int if it is whole and not negative."""
    if not (isinstance(value, Real) and value >= 0 and float(value).is_integer()):
        raise DataError(
            [
                f"`{name}` must be a whole number, 0 or more. It is {value!r}. Count cases, not shares."
            ]
        )
    return int(value)


def check_classes(positives: int, negatives: int) -> tuple[int, int]:
    """Return the numbers of cases of both classes if there is at least one of each."""
    m, n = check_count(positives, "positives"), check_count(negatives, "negatives")
    if not (m and n):
        raise DegenerateError(
            "An area under the ROC curve needs positive and negative cases. "
            f"There are {m} and {n}. Use another fold, or pool folds."
        )
    return m, n
