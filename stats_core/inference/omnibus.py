"""Alternatives to Friedman's test: aligned ranks, weighted ranks (Quade), and concordance."""

from dataclasses import dataclass, replace
from math import inf
from typing import cast

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.errors import DataError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import Method, TestResult
from stats_core.core.validation import TIE_TOLERANCE, check_scores, check_size
from stats_core.inference.incomplete_blocks import IncompleteBlocksResult, check_many, skillings_mack
from stats_core.inference.ranks import (
    Missing,
    RankTestResult,
    few_data_sets,
    friedman,
    rank_rows,
    unanimous_probability,
)

__all__ = [
    "AlignedRanksResult",
    "IncompleteBlocksResult",
    "QuadeResult",
    "friedman_aligned",
    "kendall_w",
    "quade",
    "skillings_mack",
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AlignedRanksResult(TestResult):
    """Result of Friedman's test on aligned ranks.

    Attributes
    ----------
    df : tuple of float
        (k - 1,).
    average_ranks : Series by algorithm
        Mean aligned rank, small is good; between 1 and k N.
    ranks : DataFrame, data set x algorithm
        1 to k N over the whole table.
    corrected_statistic, corrected_pvalue : float
        The same with the sum of squared ranks that the ties leave; the literature prints the
        statistic without.
    """

    df: tuple[float, ...]
    average_ranks: pd.Series
    ranks: pd.DataFrame
    corrected_statistic: float
    corrected_pvalue: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuadeResult(TestResult):
    """Result of Quade's test.

    Attributes
    ----------
    df : tuple of float
        (k - 1, (k - 1)(N - 1)).
    average_ranks : Series by algorithm
        Ranks averaged with the weights; 1 is best.
    ranks : DataFrame, data set x algorithm
        Mid-ranks within each data set.
    weights : Series by data set
        Rank of the range of the results there: 1 where the algorithms are closest.
    """

    df: tuple[float, ...]
    average_ranks: pd.Series
    ranks: pd.DataFrame
    weights: pd.Series


def friedman_aligned(scores: pd.DataFrame, *, higher_is_better: bool) -> AlignedRanksResult:
    """Do the algorithms differ, if differences are comparable across data sets?

    Notes
    -----
    From each result the mean of its data set is taken; the k N aligned values are ranked
    together, rank 1 the best. With rank sums R_j of the algorithms and R_i of the data sets,
    T = (k - 1)(sum R_j^2 - k N^2 (kN + 1)^2 / 4)
    / (kN (kN + 1)(2kN + 1) / 6 - sum R_i^2 / k).
    Sees more than Friedman's test for few algorithms. Ties make it cautious;
    `corrected_statistic` puts the sum of the squared ranks at hand in place of the first
    term below. All results equal: 0 and p = 1.

    References
    ----------
    Hodges and Lehmann 1962; Garcia et al., Inf. Sci. 180 (2010) 2044.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame([[1, 2, 4], [3, 5, 8], [2, 6, 7]], columns=list("abc"))
    >>> round(friedman_aligned(scores, higher_is_better=False).statistic, 3)
    5.415
    """
    table = _check_complete(scores)
    n, k = table.shape
    values = table.to_numpy() * (-1 if higher_is_better else 1)
    aligned = values - values.mean(axis=1, keepdims=True)
    scale = np.repeat(np.abs(values).max(axis=1), k)
    ranks = _pooled_ranks(aligned.ravel(), scale).reshape(n, k)
    total = n * k
    between = (ranks.sum(axis=0) ** 2).sum() - k * n**2 * (total + 1) ** 2 / 4
    blocks = (ranks.sum(axis=1) ** 2).sum() / k
    statistic = (k - 1) * between / (total * (total + 1) * (2 * total + 1) / 6 - blocks)
    spread = (ranks**2).sum() - blocks
    corrected = (k - 1) * between / spread if spread > 0 else 0.0
    labelled = pd.DataFrame(ranks, index=table.index, columns=table.columns)
    return AlignedRanksResult(
        about=f"aligned ranks of {k} algorithms over {n} data sets",
        statistic=float(statistic),
        pvalue=float(stats.chi2.sf(statistic, k - 1)),
        method=Method("Friedman test on aligned ranks", (f"chi-square with {k - 1} df",)),
        n=n,
        warnings=_warnings(n, k),
        df=(k - 1,),
        average_ranks=labelled.mean(),
        ranks=labelled,
        corrected_statistic=float(corrected),
        corrected_pvalue=float(stats.chi2.sf(corrected, k - 1)),
    )


def quade(scores: pd.DataFrame, *, higher_is_better: bool) -> QuadeResult:
    """Do the algorithms differ, with data sets weighted by their spread?

    Notes
    -----
    With mid-ranks r and Q_i the rank of the range of data set i, S_ij = Q_i (r_ij - (k+1)/2),
    A = sum S_ij^2, B = sum_j (sum_i S_ij)^2 / N and F = (N - 1) B / (A - B). If all data sets
    give the same S, so that A = B, F is infinite and p the exact probability of one order on
    all. All results equal: F = 0, p = 1. Two algorithms: a form of the Wilcoxon test.

    References
    ----------
    Quade 1979; Conover 1999, 5.8; Garcia et al., Inf. Sci. 180 (2010) 2044.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame([[1, 2, 4], [5, 3, 8], [2, 6, 7]], columns=list("abc"))
    >>> round(quade(scores, higher_is_better=False).statistic, 3)
    4.113
    """
    table = _check_complete(scores)
    n, k = table.shape
    ranks = rank_rows(table, higher_is_better=higher_is_better)
    values = table.to_numpy()
    ranges = values.max(axis=1) - values.min(axis=1)
    weights = pd.Series(_pooled_ranks(ranges, np.abs(values).max(axis=1)), index=table.index)
    signed = weights.to_numpy()[:, None] * (ranks.to_numpy() - (k + 1) / 2)
    df = (k - 1, (k - 1) * (n - 1))
    method = Method("Quade test", (f"F with {df[0]} and {df[1]} df",))
    statistic, pvalue = _quade_f(signed, df)
    if statistic == inf:
        same = "exact: every data set gives the same order and the same weight"
        method = Method("Quade test", (same,), exact=True)
        pvalue = cast(float, unanimous_probability(ranks.to_numpy()))
    return QuadeResult(
        about=f"weighted ranks of {k} algorithms over {n} data sets",
        statistic=statistic,
        pvalue=pvalue,
        method=method,
        n=n,
        warnings=_warnings(n, k),
        df=df,
        average_ranks=ranks.mul(weights, axis=0).sum() / weights.sum(),
        ranks=ranks,
        weights=weights,
    )


def kendall_w(scores: pd.DataFrame, *, higher_is_better: bool, missing: Missing = "refuse") -> RankTestResult:
    """How far do the data sets agree on the order of the algorithms?

    Notes
    -----
    W = chi2 / (N (k - 1)) with Friedman's chi-square. Without ties the rank correlation of two
    data sets is (N W - 1) / (N - 1) on average. All results equal: W = 0, p = 1.

    References
    ----------
    Kendall and Babington Smith 1939; Conover 1999, 5.8.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame([[1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]], columns=list("abc"))
    >>> kendall_w(scores, higher_is_better=False).statistic
    0.8125
    """
    base = friedman(scores, higher_is_better=higher_is_better, missing=missing)
    n, k = base.ranks.shape
    return replace(
        base,
        about=f"agreement of {n} data sets about {k} algorithms",
        statistic=base.kendall_w,
        uncorrected_statistic=base.uncorrected_statistic / (n * (k - 1)),
        method=Method("Kendall's W", (f"corrected for ties; p by chi-square with {k - 1} df",)),
    )


def _check_complete(scores: pd.DataFrame) -> pd.DataFrame:
    table = check_scores(scores, allow_missing=True)
    holes = int(table.isna().to_numpy().sum())
    if holes:
        raise DataError(
            [
                f"This test needs a result in every cell. {holes} are missing. Leave out those "
                "data sets or algorithms, or use `skillings_mack`."
            ]
        )
    check_size(table.to_numpy())
    check_many(len(table))
    return table


def _pooled_ranks(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Rank values computed from different data sets; `scale` is the size of their source."""
    order = np.argsort(values, kind="stable")
    near = TIE_TOLERANCE * np.maximum(scale[order][1:], scale[order][:-1])
    groups = np.zeros(len(values), dtype=int)
    groups[order[1:]] = (np.diff(values[order]) > near).cumsum()
    return stats.rankdata(groups)


def _quade_f(signed: np.ndarray, df: tuple[int, int]) -> tuple[float, float]:
    total = (signed**2).sum()
    if total == 0:
        return 0.0, 1.0
    if (signed == signed[0]).all():
        return inf, 0.0
    n = len(signed)
    between = (signed.sum(axis=0) ** 2).sum() / n
    statistic = (n - 1) * between / (total - between)
    return float(statistic), float(stats.f.sf(statistic, *df))


def _warnings(n: int, k: int) -> tuple[Message, ...]:
    two = message("two algorithms", so="the Wilcoxon test is simpler, and exact")
    return (*([two] if k == 2 else []), *few_data_sets(n))
