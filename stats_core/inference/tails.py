"""Tails of laws as plain functions: scipy's own look at their arguments ten times as long."""

from math import nan

from scipy import special


def f_tail(statistic: float, df1: float, df2: float) -> float:
    """Return P(F > statistic), NaN without degrees of freedom.

    Examples
    --------
    >>> round(f_tail(4.0, 2, 10), 4)
    0.0529
    """
    return float(special.fdtrc(df1, df2, max(statistic, 0.0))) if df2 > 0 else nan


def chi2_tail(statistic: float, df: float) -> float:
    """Return P(chi-square > statistic).

    Examples
    --------
    >>> round(chi2_tail(4.0, 2), 4)
    0.1353
    """
    return float(special.chdtrc(df, statistic))
