"""Omnibus tests when only average ranks are known, as in publications."""

from math import factorial

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.errors import DataError, DesignError
from stats_core.core.messages import Audience, message, message_text
from stats_core.core.result_types import Method
from stats_core.data.published import sum_of_ranks, wrong_sum
from stats_core.inference.ranks import (
    RankTestResult,
    check_average_ranks,
    few_data_sets,
    iman_davenport_f,
)

_UNSEEN = "ties not seen"


def friedman_of_ranks(
    average_ranks: pd.Series, n_datasets: int, *, digits: int = 6
) -> RankTestResult:
    """Do average ranks differ by more than chance, where the ranks on each data set are not known?

    Notes
    -----
    chi2 = 12 N / (k (k + 1)) sum (R_j - (k + 1) / 2)^2. With ties on some data sets the corrected
    statistic is larger and its p smaller, so a rejection here would be one there.

    References
    ----------
    Friedman 1937; Demsar, JMLR 7 (2006), section 3.2.2.

    Examples
    --------
    The average ranks that Garcia and Herrera (2008) print, over 30 data sets; they give 39.647:

    >>> import pandas as pd
    >>> printed = pd.Series({"C4.5": 2.100, "1-NN": 3.250, "NB": 2.200, "Kernel": 4.333, "CN2": 3.117})
    >>> round(friedman_of_ranks(printed, 30, digits=3).statistic, 2)
    39.64
    """
    ranks = _checked(average_ranks, n_datasets, digits)
    k, n = len(ranks), n_datasets
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    statistic = min(12 * n / (k * (k + 1)) * spread, float(n * (k - 1)))
    pvalue = float(stats.chi2.sf(statistic, k - 1))
    return RankTestResult(
        about=f"published average ranks of {k} algorithms over {n} data sets",
        statistic=statistic,
        pvalue=pvalue,
        method=Method("Friedman test", (f"chi-square with {k - 1} df", _UNSEEN)),
        n=n,
        warnings=(*few_data_sets(n), message("ties not seen")),
        df=(k - 1,),
        average_ranks=ranks,
        ranks=pd.DataFrame(columns=ranks.index, dtype=float),
        uncorrected_statistic=statistic,
        uncorrected_pvalue=pvalue,
        kendall_w=statistic / (n * (k - 1)),
    )


def iman_davenport_of_ranks(
    average_ranks: pd.Series, n_datasets: int, *, digits: int = 6
) -> RankTestResult:
    """Do average ranks differ? Friedman's test in the sharper F form, from the ranks alone.

    Notes
    -----
    F = (N - 1) chi2 / (N (k - 1) - chi2). Where every data set has the same order F is infinite
    and p the chance of that, (1 / k!)^(N - 1).

    References
    ----------
    Iman and Davenport 1980; Demsar, JMLR 7 (2006), section 3.2.2.

    Examples
    --------
    Garcia and Herrera (2008) print 14.309:

    >>> import pandas as pd
    >>> printed = pd.Series({"C4.5": 2.100, "1-NN": 3.250, "NB": 2.200, "Kernel": 4.333, "CN2": 3.117})
    >>> round(iman_davenport_of_ranks(printed, 30, digits=3).statistic, 2)
    14.3
    """
    base = friedman_of_ranks(average_ranks, n_datasets, digits=digits)
    k, n = len(base.average_ranks), n_datasets
    df = (k - 1, (k - 1) * (n - 1))
    same = float(factorial(k)) ** -(n - 1)
    statistic, pvalue = iman_davenport_f(base.statistic, n, k, same)
    method = Method("Iman-Davenport test", (f"F with {df[0]} and {df[1]} df", _UNSEEN))
    if np.isinf(statistic):
        method = Method(
            "Iman-Davenport test", ("exact: every data set gives the same order",), True
        )
    return RankTestResult(
        about=base.about,
        statistic=statistic,
        pvalue=pvalue,
        method=method,
        n=n,
        warnings=base.warnings,
        df=df,
        average_ranks=base.average_ranks,
        ranks=base.ranks,
        uncorrected_statistic=statistic,
        uncorrected_pvalue=pvalue,
        kendall_w=base.kendall_w,
    )


def _checked(average_ranks: pd.Series, n_datasets: int, digits: int) -> pd.Series:
    ranks = check_average_ranks(average_ranks, n_datasets)
    if n_datasets < 2:
        raise DesignError(
            f"Average ranks need at least 2 data sets. There is {n_datasets}. Give the number of "
            "data sets that they are averages over."
        )
    total = wrong_sum(ranks, digits)
    if total is not None:
        k = len(ranks)
        raise DataError(
            [
                f"The average ranks of {k} algorithms must add up to {sum_of_ranks(k):g}. They add "
                f"up to {total:.6g}. Add those that are missing, or correct the ranks."
            ]
        )
    return ranks


@message_text("ties not seen")
def _ties(voice: Audience) -> str:
    return (
        "Average ranks do not show ties on data sets; with ties the statistic of all at once would "
        "be larger, never smaller."
    )
