"""Confidence intervals for the ranks of algorithms, and groups of algorithms without significant differences."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DataError, DesignError
from stats_core.core.result_types import Rng, labeled_matrix
from stats_core.core.validation import (
    align,
    all_within_rounding,
    check_draws,
    check_probability,
    check_scores,
    rounding_error,
    significant,
)
from stats_core.inference.clusters import adjusted_sums, satterthwaite_df
from stats_core.inference.multiplicity import cliques

_WORK = 100_000_000  # draws times differences; above it fewer are drawn, but at least `_FEWEST`
_FEWEST = 1999
_CANCELLED = 1e-6  # variances of differences that are this small, relative to those of the values
_AT_ONCE = 2_000_000  # simulated differences that are stored at once


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankIntervalsResult:
    """Confidence intervals for ranks.

    Attributes
    ----------
    table : DataFrame by algorithm, best first
        Columns `value`, the mean, and `error`, its standard error; `rank`, where equal means share
        the lowest rank; `low` and `high`, the interval for the rank of this algorithm; `low all`
        and `high all`, the simultaneous interval for the ranks of all algorithms.
    pvalues : DataFrame, algorithm x algorithm
        Adjusted p-value of the hypothesis that the row is not better than the column, in the
        family of all pairs in both directions; 1 on the diagonal.
    confidence_level : float
        Coverage of the intervals.
    n, items : int
        Number of items, or of clusters, and number of items.
    draws : int
        Number of simulated vectors of means.
    """

    table: pd.DataFrame
    pvalues: pd.DataFrame
    confidence_level: float
    n: int
    items: int
    draws: int

    def best(self, tau: int = 1) -> list:
        """Return the algorithms whose simultaneous interval contains rank `tau` or a better rank.

        They include all of the true `tau` best algorithms, and ties, with a probability of at least
        `confidence_level`.
        """
        return list(self.table.index[self.table["low all"] <= tau])

    def groups(self) -> list[tuple]:
        """Return the maximal groups of algorithms without a significant difference, see `cliques`."""
        both = np.minimum(self.pvalues, self.pvalues.T)
        return cliques.cliques(both, 1 - self.confidence_level)


def rank_intervals(
    values: pd.DataFrame,
    *,
    higher_is_better: bool,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    runs: pd.DataFrame | None = None,
    confidence_level: float = 0.95,
    draws: int = 9999,
    rng: Rng = 0,
) -> RankIntervalsResult:
    """Confidence intervals for the ranks of algorithms by their means over paired items.

    Parameters
    ----------
    values : DataFrame, item x algorithm
        Results on the same items, such as the questions of a benchmark or data sets.
    higher_is_better : bool
        Direction of the values. Rank 1 is the best.
    clusters : array, optional
        Cluster of each item, such as the document of a question. Clusters are the independent
        units.
    strata : array, optional
        Stratum of each item, such as its benchmark. Strata are fixed, and contain whole clusters.
    runs : DataFrame, run x algorithm, optional
        Mean of each run over the items. `values` are then means over the runs.
    confidence_level : float
        Coverage of the intervals.
    draws : int
        Number of simulated vectors of means. Fewer vectors, but at least 1,999, are drawn for more
        than 100 algorithms.
    rng : int or numpy.random.Generator
        Source of random numbers, or its seed.

    Returns
    -------
    RankIntervalsResult
        Marginal and simultaneous intervals, and adjusted p-values of all pairs.

    Raises
    ------
    DataError, DesignError, SettingError
        Values are missing or infinite, or `clusters` or `strata` has another length; fewer than two
        algorithms or runs, or fewer than two items or clusters in a stratum; `confidence_level`
        outside (0, 1), or `draws` below 1.

    Notes
    -----
    The rank of an algorithm is 1 plus the number of algorithms with a better true mean. The lower end of its interval
    is 1 plus the number of algorithms that are significantly better, and the upper end is k minus the number of
    algorithms that are significantly worse. Algorithms with equal true means share several ranks, and the intervals
    are constructed to contain all of these.

    Each difference of two means is divided by its standard error. The p-values are adjusted by the
    stepdown method: the largest statistic is compared with the maximum over all hypotheses, the
    next one with the maximum over the remaining hypotheses, and so on. The distribution of the
    maximum is simulated from a multivariate t distribution with the estimated covariance matrix and
    n - 1 degrees of freedom for n items. For many items it is a Gaussian multiplier bootstrap. The
    covariance matrix of clusters is CR2, with the degrees of freedom of Bell and McCaffrey, which
    are n - 1 for n clusters of equal size. No standard error is below that of independent items. A
    marginal interval uses the differences from one algorithm only, so it is narrower,
    but its coverage holds for one algorithm that is chosen in advance.

    With several strata, the variances of the strata are added. With several runs, the
    variance of their means is added. With few runs, the variance of one algorithm is uncertain, so
    at least the mean variance of all algorithms is used, apart from what the algorithms have in
    common in a run. Each difference then has Satterthwaite's degrees of freedom. Its statistic is
    transformed to the normal quantile of the same p-value, and the maximum is simulated from the
    multivariate normal distribution. The interaction of items and runs counts in both variances, so
    that intervals over runs are rather too wide.

    No adjusted p-value is below the p-value of the paired t test of the two algorithms. The
    standard error of a difference that is the same on all items, up to rounding errors, is computed
    as if it were 0 on one item. Its p-value is at least 2 / 2^n, that of sign flips of n items or
    clusters.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm, Rev. Econ. Stud. 91 (2024) 476; Romano and Wolf,
    J. Am. Stat. Assoc. 100 (2005) 94; Bell and McCaffrey, Surv. Methodol. 28 (2002) 169.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> correct = rng.random((500, 3)) < [0.8, 0.5, 0.5]
    >>> found = rank_intervals(pd.DataFrame(correct, columns=list("abc")), higher_is_better=True)
    >>> found.table[["rank", "low all", "high all"]].to_numpy().tolist()
    [[1, 1, 1], [2, 2, 3], [3, 2, 3]]
    >>> found.best(), found.groups()
    (['a'], [('a',), ('b', 'c')])
    """
    check_probability(confidence_level, "confidence_level")
    check_draws(draws)
    scores = check_scores(values)
    names = list(scores.columns)
    k = len(names)
    moments = paired_moments(scores, clusters=clusters, strata=strata, runs=runs)
    means = moments.means if higher_is_better else -moments.means
    statistics, errors = _studentized(means, moments, rounding_error(scores.to_numpy()))
    unadjusted = np.minimum(2 * stats.t.sf(statistics, moments.df), 1)
    is_constant = (moments.variances == 0) & (statistics > 0)
    least = 2.0 ** (1 - moments.n)
    unadjusted[is_constant] = np.maximum(unadjusted[is_constant], least)
    draws = min(draws, max(_FEWEST, _WORK // k**2))
    has_common_df = strata is None and runs is None
    df = float(moments.df.flat[0]) if has_common_df else None
    simulated = _simulated(moments.covariance, df, draws, np.random.default_rng(rng))
    if not has_common_df:  # statistics with different df, on one scale
        tails = stats.t.sf(np.abs(statistics), moments.df)
        statistics = np.sign(statistics) * stats.norm.isf(tails)
    first, second = np.nonzero(~np.eye(k, dtype=bool))
    pvalues = np.ones((k, k))
    pvalues[first, second] = _stepdown(simulated, statistics, errors, first, second)
    pvalues = np.maximum(pvalues, unadjusted)
    alpha = 1 - confidence_level
    n_better = np.empty(k, dtype=int)
    n_worse = np.empty(k, dtype=int)
    for algorithm in range(k):
        is_own = (first == algorithm) | (second == algorithm)
        better = first[is_own]
        worse = second[is_own]
        adjusted = _stepdown(simulated, statistics, errors, better, worse)
        rejected = significant(np.maximum(adjusted, unadjusted[better, worse]), alpha)
        n_better[algorithm] = (rejected & (worse == algorithm)).sum()
        n_worse[algorithm] = (rejected & (better == algorithm)).sum()
    is_better = significant(pvalues, alpha)
    columns = {
        "value": moments.means,
        "error": moments.errors,
        "rank": 1 + (statistics < 0).sum(axis=1),
        "low": 1 + n_better,
        "high": k - n_worse,
        "low all": 1 + is_better.sum(axis=0),
        "high all": k - is_better.sum(axis=1),
    }
    table = pd.DataFrame(columns, index=pd.Index(names, name="algorithm"))
    table = table.sort_values("rank", kind="stable")
    return RankIntervalsResult(
        table=table,
        pvalues=labeled_matrix(pvalues, names).loc[table.index, table.index],
        confidence_level=confidence_level,
        n=moments.n,
        items=len(scores),
        draws=draws,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairedMoments:
    """Means of algorithms over paired items, and the variances of their differences.

    Attributes
    ----------
    means : array by algorithm
    covariance : array, algorithm x algorithm
        Covariance matrix of the means.
    df : array, algorithm x algorithm
        Degrees of freedom of the variance of each difference, by Satterthwaite.
    n : int
        Number of items, or of clusters.
    errors : array by algorithm
        Standard error of each mean, at least that of independent items.
    variances : array, algorithm x algorithm
        Variance of each difference of two means, 0 if it varies by rounding errors only.
    independent : array, algorithm x algorithm
        The same if all items were independent.
    """

    means: np.ndarray
    covariance: np.ndarray
    df: np.ndarray
    n: int
    errors: np.ndarray
    variances: np.ndarray
    independent: np.ndarray


def paired_moments(
    values: pd.DataFrame,
    *,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    runs: pd.DataFrame | None = None,
) -> PairedMoments:
    """Return the means and variances of `rank_intervals`, with the same arguments; raises DataError and DesignError."""
    _, clusters, strata = align(values, clusters, strata)
    table = values.to_numpy(dtype=float)
    items, k = table.shape
    stratum = np.zeros(items, dtype=int) if strata is None else _codes(strata, items)
    cluster = np.arange(items) if clusters is None else _codes(clusters, items)
    n = 0
    parts = []  # covariance matrix and degrees of freedom of each source of variance
    independent = np.zeros((k, k))
    sums_of_clusters = []
    sums_of_items = []
    for code in np.unique(stratum):
        block = table[stratum == code]
        _, units = np.unique(cluster[stratum == code], return_inverse=True)
        n_units = int(units.max()) + 1
        if n_units < 2:
            raise DesignError.of("too few instances")
        deviations = (block - block.mean(axis=0)) / items
        sums = adjusted_sums(deviations, units)
        has_clusters = n_units < len(block)
        alone = adjusted_sums(deviations, np.arange(len(block))) if has_clusters else sums
        parts.append((sums.T @ sums, satterthwaite_df(np.bincount(units))))
        independent += alone.T @ alone
        sums_of_clusters.append(sums)
        sums_of_items.append(alone)
        n += n_units
    if runs is not None:
        covariance_of_runs, df_of_runs = _moments_of_runs(runs[list(values.columns)])
        parts.append((covariance_of_runs, df_of_runs))
        independent += covariance_of_runs
    covariance = np.sum([matrix for matrix, _ in parts], axis=0)
    variances = _variances(covariance)
    variances_of_items = _variances(independent)
    if runs is None:
        measured = table / items
        clusters_constant = _constant(np.concatenate(sums_of_clusters), covariance, measured)
        items_constant = _constant(np.concatenate(sums_of_items), independent, measured)
        variances[clusters_constant] = 0.0
        variances_of_items[items_constant] = 0.0
    if len(parts) == 1:
        df = np.full((k, k), float(parts[0][1]))
    else:
        df_of_items = float(n - len(np.unique(stratum)))
        spread = np.sum([_variances(matrix) ** 2 / df for matrix, df in parts], axis=0)
        df = np.divide(
            variances**2,
            spread,
            out=np.full((k, k), df_of_items),
            where=(spread > 0) & (variances > 0),  # rounding errors have no degrees of freedom
        )
    largest_variance = np.maximum(np.diag(covariance), np.diag(independent))
    return PairedMoments(
        means=table.mean(axis=0),
        covariance=covariance,
        df=df,
        n=n,
        errors=np.sqrt(largest_variance),
        variances=variances,
        independent=variances_of_items,
    )


def _moments_of_runs(runs: pd.DataFrame) -> tuple[np.ndarray, int]:
    """Return the covariance matrix of means over independent runs, and its degrees of freedom."""
    table = runs.to_numpy(dtype=float)
    n_runs, k = table.shape
    if n_runs < 2:
        raise DesignError.of("too few instances")
    deviations = table - table.mean(axis=0)
    deviations -= deviations.mean(axis=1, keepdims=True)  # what runs have in common
    variances = (deviations**2).sum(axis=0) * k / ((k - 1) * (n_runs - 1))
    covariance = np.diag(np.maximum(variances, variances.mean())) / n_runs
    return covariance, (n_runs - 1) * (k - 1)


def _constant(sums: np.ndarray, covariance: np.ndarray, measured: np.ndarray) -> np.ndarray:
    """Return whether each difference varies over units by rounding errors only, algorithm x algorithm."""
    variances = _variances(covariance)
    own = np.diag(covariance)
    constant = np.eye(len(own), dtype=bool)
    is_unclear = variances <= _CANCELLED * (own[:, None] + own)  # few digits are left
    for i, j in np.argwhere(np.triu(is_unclear, 1)):
        if all_within_rounding(sums[:, i] - sums[:, j], sums, measured):
            constant[i, j] = True
            constant[j, i] = True
    return constant


def _codes(labels: ArrayLike, items: int) -> np.ndarray:
    """Return the group 0, 1, ... of each item; raise DataError unless each item has one."""
    groups, _ = pd.factorize(np.ravel(labels))
    n_present = int((groups >= 0).sum())
    if len(groups) != items or n_present < items:
        raise DataError.of("clusters of other items", n=n_present, items=items)
    return groups


def _variances(covariance: np.ndarray) -> np.ndarray:
    """Return the variance of each difference."""
    variances = np.diag(covariance)
    return np.maximum(variances[:, None] + variances - 2 * covariance, 0)


def _studentized(
    means: np.ndarray, moments: PairedMoments, noise: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return differences, row minus column, divided by their standard errors, and the errors of simulated ones."""
    differences = means[:, None] - means
    differences = np.where(np.abs(differences) > noise, differences, 0.0)
    if_constant = np.abs(differences) / moments.df
    errors = np.where(moments.variances > 0, np.sqrt(moments.variances), if_constant)
    errors[errors == 0] = np.inf  # equal columns
    largest_errors = np.maximum(errors, np.sqrt(moments.independent))
    return differences / largest_errors, errors


def _simulated(
    covariance: np.ndarray, df: float | None, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Return draws from the multivariate t distribution with this scale matrix, normal without `df`, draw x algorithm."""
    sizes, directions = np.linalg.eigh(covariance)
    # unique, unlike the directions
    root = (directions * np.sqrt(np.maximum(sizes, 0))) @ directions.T
    normal = rng.standard_normal((draws, len(covariance))) @ root
    if df is None:
        return normal
    scale = np.sqrt(rng.chisquare(df, size=(draws, 1)) / df)
    return normal / scale


def _stepdown(
    simulated: np.ndarray,
    statistics: np.ndarray,
    errors: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
) -> np.ndarray:
    """Return the stepdown p-values of the hypotheses that `first` is not better than `second`."""
    observed = statistics[first, second]
    order = np.argsort(observed, kind="stable")
    observed = observed[order]
    a = first[order]
    b = second[order]
    counts = np.zeros(len(order), dtype=int)
    step = max(1, _AT_ONCE // len(order))
    for start in range(0, len(simulated), step):
        part = simulated[start : start + step].T
        studentized = (part[a] - part[b]) / errors[a, b, None]
        largest = np.maximum.accumulate(studentized, axis=0)
        counts += (largest >= observed[:, None]).sum(axis=1)
    shares = (counts + 1) / (len(simulated) + 1)
    pvalues = np.empty(len(order))
    pvalues[order] = np.maximum.accumulate(shares[::-1])[::-1]
    return pvalues
