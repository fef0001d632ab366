"""Test of whether independent estimates of a difference are equal."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.validation import align


class WelchResult(NamedTuple):
    """Result of Welch's test of equal means: F statistic, its degrees of freedom, and p-value."""

    statistic: float
    df: tuple[float, float]
    pvalue: float


def welch_test(estimates: ArrayLike, errors: ArrayLike, df: ArrayLike) -> WelchResult | None:
    """Return Welch's F test of equal means; None if an error is zero or undefined.

    Parameters
    ----------
    estimates, errors, df : array
        Mean, standard error and degrees of freedom of each group. Labels are matched.

    Returns
    -------
    WelchResult or None
        Statistic, degrees of freedom and p-value.

    Notes
    -----
    The weights are w = 1 / error^2. With one group per benchmark, and differences of two models as
    values, the hypothesis is that the difference is the same on all benchmarks.

    References
    ----------
    Welch, Biometrika 38 (1951) 330.

    Examples
    --------
    >>> found = welch_test([0.1, 0.3, 0.2], [0.05, 0.04, 0.1], [29, 59, 9])
    >>> round(found.statistic, 3), round(found.pvalue, 4)
    (4.769, 0.0179)
    """
    estimates, errors, df = align(estimates, errors, df)
    means = np.asarray(estimates, dtype=float)
    variances = np.asarray(errors, dtype=float) ** 2
    df_of_groups = np.asarray(df, dtype=float)
    is_usable = np.isfinite(variances) & (variances > 0)
    if len(means) < 2 or not is_usable.all():
        return None
    k = len(means)
    weights = 1 / variances
    share = weights / weights.sum()
    grand_mean = share @ means
    between = float((weights * (means - grand_mean) ** 2).sum()) / (k - 1)
    spread = float(((1 - share) ** 2 / df_of_groups).sum())
    correction = 1 + 2 * (k - 2) / (k**2 - 1) * spread
    statistic = between / correction
    df_within = (k**2 - 1) / (3 * spread)
    pvalue = float(stats.f.sf(statistic, k - 1, df_within))
    return WelchResult(statistic, (k - 1.0, df_within), pvalue)
