"""Which test the p-values of pairs over data sets come from, told by the size of the results."""

from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.significance import significant
from stats_core.data.settings import Settings, Source
from stats_core.inference.multiplicity.adjust_control import adjust_control
from stats_core.inference.rank_differences import least_rank_pvalue

# corrections with a control by which the last of equal p-values is not paid for
_STEP_UP = ("hochberg", "hommel", "rom", "li")


def advised_source(k: int, n: int, settings: Settings) -> Source:
    """Which test of pairs is advised, the pair's own or that of average ranks?

    Parameters
    ----------
    k, n : int
        Number of algorithms and of data sets.
    settings : Settings
        Gives the level, the correction and whether there is a control.

    Returns
    -------
    {"wilcoxon", "ranks"}
        The pair's own Wilcoxon test wherever it can decide at all: its smallest p-value, adjusted,
        is at most alpha. Else average ranks, which reach smaller ones. The results play no part.

    References
    ----------
    Benavoli, Corani and Mangili, JMLR 17 (2016) 5.

    Examples
    --------
    >>> advised_source(8, 10, Settings()), advised_source(8, 11, Settings())
    ('ranks', 'wilcoxon')
    >>> advised_source(8, 8, Settings(control="a"))
    'ranks'
    """
    if settings.correction in ("nemenyi", "bonferroni_dunn"):  # tests of average ranks by name
        return "ranks"
    least = smallest_control_pvalue if settings.control else smallest_pvalue
    reached = least(k, n, replace(settings, source="wilcoxon"))
    return "wilcoxon" if significant(reached, settings.alpha) else "ranks"


def smallest_pvalue(k: int, n: int, settings: Settings, *, exact: bool = True) -> float:
    """Return the smallest adjusted p-value one pair could reach with n data sets.

    Parameters
    ----------
    k, n : int
        Number of algorithms and of data sets.
    settings : Settings
        Gives the correction and the source of the p-values.
    exact : bool
        Whether p-values of average ranks are exact; those of published ranks are normal.

    Returns
    -------
    float
        If it exceeds alpha, no pair can be separated however large the difference.

    Examples
    --------
    Ten data sets cannot separate eight algorithms by the Wilcoxon test, but can by ranks:

    >>> smallest_pvalue(8, 10, Settings(source="wilcoxon"))
    0.0546875
    >>> print(f"{smallest_pvalue(8, 3, Settings(source='ranks')):.5f}")
    0.00032
    """
    pairs = 1 if settings.correction == "none" else k * (k - 1) // 2
    if settings.source != "ranks":
        return min(1.0, pairs * 2.0 ** (1 - n))
    z = (k - 1) / sqrt(k * (k + 1) / (6 * n))
    if settings.correction == "nemenyi":
        return float(stats.studentized_range.sf(sqrt(2) * z, k, inf))
    return min(1.0, pairs * (least_rank_pvalue(k, n) if exact else 2 * float(stats.norm.sf(z))))


def smallest_control_pvalue(k: int, n: int, settings: Settings) -> float:
    """Return the smallest adjusted p-value one comparison with a control could reach.

    Parameters
    ----------
    k, n : int
        Number of algorithms, the control among them, and of data sets.
    settings : Settings
        Gives the correction and the source of the p-values.

    Returns
    -------
    float

    Examples
    --------
    >>> smallest_control_pvalue(4, 7, Settings(source="wilcoxon", correction="holm"))
    0.046875
    """
    least = 2.0 ** (1 - n)
    if settings.source == "ranks":
        z = (k - 1) / sqrt(k * (k + 1) / (6 * n))
        dunn = settings.correction == "bonferroni_dunn"
        least = 2 * float(stats.norm.sf(z)) if dunn else least_rank_pvalue(k, n)
    family = pd.Series(np.minimum([least, *[1.0] * (k - 2)], 1.0))
    if settings.correction in _STEP_UP:
        family[:] = min(least, 1.0)  # these can use that all comparisons are extreme
    return float(adjust_control(family, settings.correction or "holm").iloc[0])
