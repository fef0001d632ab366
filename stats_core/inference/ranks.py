"""Tests on average ranks: Friedman, Iman-Davenport, Nemenyi, exact; also from published ranks."""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import factorial, inf, prod, sqrt
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core import validation
from stats_core.core.errors import DataError, DesignError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import Method, PairwiseResult, TestResult
from stats_core.data import published
from stats_core.inference import inference_text

Missing = Literal["refuse", "worst"]
FEW = 10  # data sets below which the approximations are called rough
TIES = "corrected for ties"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankTestResult(TestResult):
    """Result of an omnibus test on ranks.

    Attributes
    ----------
    df : tuple of float
        Degrees of freedom, (k - 1,) for chi-square, (k - 1, (k - 1)(N - 1)) for F.
    average_ranks : Series by algorithm
        1 is best.
    ranks : DataFrame, data set x algorithm
        Mid-ranks within each data set; without rows if only average ranks are known.
    uncorrected_statistic, uncorrected_pvalue : float
        `statistic` and `pvalue` without the correction for ties, as printed in most papers.
    kendall_w : float
        Agreement of the data sets about the order: 0 none, 1 complete. The effect size.
    """

    df: tuple[float, ...]
    average_ranks: pd.Series
    ranks: pd.DataFrame
    uncorrected_statistic: float
    uncorrected_pvalue: float
    kendall_w: float


def rank_rows(
    scores: pd.DataFrame, *, higher_is_better: bool, missing: Missing = "refuse"
) -> pd.DataFrame:
    """Return the ranks of the algorithms on each data set, 1 = best; tied algorithms get mid-ranks.

    `missing="worst"` ranks missing results last; "refuse" raises DataError. Also raises DataError
    for infinite results or repeated names, DesignError for fewer than two algorithms or no data
    set, SettingError for other `missing`.

    Examples
    --------
    >>> import pandas as pd
    >>> rank_rows(pd.DataFrame({"a": [0.9], "b": [0.8], "c": [0.8]}), higher_is_better=True)
         a    b    c
    0  1.0  2.5  2.5
    """
    validation.check_one_of(missing, ("refuse", "worst"), "missing")
    table = validation.check_scores(scores, allow_missing=missing == "worst")
    values = -table.to_numpy() if higher_is_better else table.to_numpy()
    present = np.where(np.isnan(values), 0, np.abs(values))
    groups = validation.tie_groups(values, present.max(axis=1))
    return pd.DataFrame(
        validation.mid_ranks(groups), index=table.index.copy(), columns=table.columns.copy()
    )


def friedman(
    scores: pd.DataFrame, *, higher_is_better: bool, missing: Missing = "refuse"
) -> RankTestResult:
    """Friedman's test of the average ranks of several algorithms.

    Parameters
    ----------
    scores : DataFrame, data set x algorithm
        Average result of each algorithm on each data set.
    higher_is_better : bool
        Direction of the measure.
    missing : {"refuse", "worst"}
        "refuse" raises an error for missing results; "worst" ranks them last.

    Returns
    -------
    RankTestResult
        Chi-square with k - 1 degrees of freedom for k algorithms, corrected for ties, and the
        uncorrected statistic.

    Raises
    ------
    DataError, DesignError, SettingError
        Missing cells, repeated names, or fewer than two algorithms or data sets; unknown `missing`.

    Notes
    -----
    With mid-ranks r, column sums S_j, N data sets and k algorithms,
    chi2 = (k - 1) sum (S_j - N(k+1)/2)^2 / (sum r^2 - N k (k+1)^2 / 4). If all algorithms tie
    everywhere the statistic is 0 and p is 1. The approximation is poor for few data sets.

    The 30 x 5 table of Garcia and Herrera (2008), shipped with the samples, gives 39.913
    (39.647 uncorrected, as printed there).

    References
    ----------
    Friedman 1937; Demsar, JMLR 7 (2006), section 3.2.2; Conover 1999, 5.8 (ties).

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame([[1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]], columns=list("abc"))
    >>> round(friedman(scores, higher_is_better=False).statistic, 3)
    6.5
    """
    return friedman_of_rows(rank_rows(scores, higher_is_better=higher_is_better, missing=missing))


def friedman_of_rows(ranks: pd.DataFrame) -> RankTestResult:
    """Return Friedman's test of ranks, data set x algorithm; raise DesignError for fewer than two data sets."""
    n, k = ranks.shape
    if n < 2:
        raise DesignError.of("A test over data sets needs 2 data sets, there is 1")
    warnings = small_sample_warnings(n, k, is_sign=True)
    return _friedman_result(
        ranks.mean(), n, *_friedman_statistics(ranks.to_numpy()), TIES, ranks, warnings
    )


def _friedman_result(
    average_ranks: pd.Series,
    n: int,
    statistic: float,
    uncorrected: float,
    ties: str,
    ranks: pd.DataFrame,
    warnings: tuple[Message, ...],
) -> RankTestResult:
    """Return Friedman's test from its statistics; `ranks` is empty if only average ranks are known."""
    k = len(average_ranks)
    return RankTestResult(
        about=inference_text(
            "about.average_ranks", k=k, n=n, published="" if len(ranks) else "published "
        ),
        statistic=statistic,
        pvalue=float(stats.chi2.sf(statistic, k - 1)),
        method=Method("Friedman test", (f"chi-square with {k - 1} df", ties)),
        n=n,
        warnings=warnings,
        df=(k - 1,),
        average_ranks=average_ranks,
        ranks=ranks,
        uncorrected_statistic=uncorrected,
        uncorrected_pvalue=float(stats.chi2.sf(uncorrected, k - 1)),
        kendall_w=statistic / (n * (k - 1)),
    )


def iman_davenport(
    scores: pd.DataFrame, *, higher_is_better: bool, missing: Missing = "refuse"
) -> RankTestResult:
    """Iman-Davenport F test of average ranks, more powerful than Friedman's chi-square.

    Parameters
    ----------
    scores : DataFrame, data set x algorithm
        Average result of each algorithm on each data set.
    higher_is_better : bool
        Direction of the measure.
    missing : {"refuse", "worst"}
        "refuse" raises an error for missing results; "worst" ranks them last.

    Returns
    -------
    RankTestResult
        F with (k - 1, (k - 1)(N - 1)) degrees of freedom for k algorithms and N data sets,
        corrected for ties, and the uncorrected statistic.

    Raises
    ------
    DataError, DesignError, SettingError
        Missing cells, repeated names, or fewer than two algorithms or data sets; unknown `missing`.

    Notes
    -----
    F = (N - 1) chi2 / (N (k - 1) - chi2), where chi2 is Friedman's statistic. If every data set
    orders the algorithms alike, the denominator is 0: F is infinite, and p is the exact probability
    of that event, the number of distinct arrangements of one row to the power -(N - 1).

    The 30 x 5 table of Garcia and Herrera (2008) gives 14.453 (14.309 uncorrected, as printed
    there).

    References
    ----------
    Iman and Davenport 1980; Demsar, JMLR 7 (2006), section 3.2.2.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame([[1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]], columns=list("abc"))
    >>> round(iman_davenport(scores, higher_is_better=False).statistic, 3)
    13.0
    """
    return as_iman_davenport(friedman(scores, higher_is_better=higher_is_better, missing=missing))


def as_iman_davenport(base: RankTestResult) -> RankTestResult:
    """Return the Iman-Davenport form of a Friedman test; published ranks are assumed untied."""
    n = base.n
    k = len(base.average_ranks)
    df = (k - 1, (k - 1) * (n - 1))
    ranks = base.ranks.to_numpy() if len(base.ranks) else np.tile(np.arange(k), (n, 1))
    unanimous = unanimous_probability(ranks)
    statistic, pvalue = iman_davenport_f(base.statistic, n, k, unanimous)
    uncorrected, uncorrected_pvalue = iman_davenport_f(base.uncorrected_statistic, n, k, unanimous)
    parts: tuple[str, ...] = (f"F with {df[0]} and {df[1]} df", base.method.parts[-1])
    warnings = base.warnings
    if statistic == inf:
        parts = (inference_text("method.unanimous"),)
        warnings = tuple(warning for warning in warnings if warning.code != "few data sets")
    return replace(
        base,
        warnings=warnings,
        statistic=statistic,
        pvalue=pvalue,
        method=Method("Iman-Davenport test", parts, exact=statistic == inf),
        df=df,
        uncorrected_statistic=uncorrected,
        uncorrected_pvalue=uncorrected_pvalue,
    )


def post_hoc_z(average_ranks: pd.Series, n_datasets: int) -> PairwiseResult:
    """Normal tests of all pairs of average ranks, unadjusted.

    Parameters
    ----------
    average_ranks : Series by algorithm
        1 is best.
    n_datasets : int
        Number of data sets the ranks are averages over.

    Returns
    -------
    PairwiseResult
        z (row minus column, so negative where the row ranks better) and two-sided p-values.

    Raises
    ------
    DesignError, SettingError, DataError
        Fewer than two algorithms, no data set or a rank that is not finite; `n_datasets` not a
        whole number; ranks outside 1 to the number of algorithms.

    Notes
    -----
    z = (R_i - R_l) / sqrt(k (k + 1) / (6 N)) for the average ranks R of k algorithms over N data sets.

    References
    ----------
    Demsar, JMLR 7 (2006), section 3.2.2; Garcia and Herrera, JMLR 9 (2008), section 2.

    Examples
    --------
    >>> import pandas as pd
    >>> ranks = pd.Series({"C4.5": 2.1, "1-NN": 3.25, "NB": 2.2, "Kernel": 13 / 3, "CN2": 187 / 60})
    >>> print(f"{post_hoc_z(ranks, 30).pvalues.loc['C4.5', '1-NN']:.5f}")
    0.00485
    """
    ranks = _check_average_ranks(average_ranks, n_datasets)
    z = _standardized_differences(ranks, n_datasets)
    method = Method(inference_text("method.normal_ranks"), ("unadjusted",))
    return _pairwise(z, 2 * stats.norm.sf(np.abs(z)), ranks, n_datasets, method)


def _standardized_differences(ranks: pd.Series, n_datasets: int) -> np.ndarray:
    """Return z of the differences of average ranks, row minus column."""
    values = ranks.to_numpy()
    differences = values[:, None] - values
    return differences / _standard_error(len(ranks), n_datasets)


def nemenyi(average_ranks: pd.Series, n_datasets: int) -> PairwiseResult:
    """Nemenyi's test of all pairs of average ranks.

    Parameters
    ----------
    average_ranks : Series by algorithm
        1 is best.
    n_datasets : int
        Number of data sets the ranks are averages over.

    Returns
    -------
    PairwiseResult
        The studentized range statistic sqrt(2) |z| with the sign of z, and p-values that are
        already adjusted for all pairs.

    Raises
    ------
    DesignError, SettingError, DataError
        Fewer than two algorithms, no data set or a rank that is not finite; `n_datasets` not a
        whole number; ranks outside 1 to the number of algorithms.

    Notes
    -----
    p = P(Q >= sqrt(2) |z|), with z of `post_hoc_z` and Q the studentized range of k normal values with
    infinite degrees of freedom. This is the test of Demsar; the "Nemenyi" column of Garcia and Herrera (2008)
    is Bonferroni on z, here `adjust_pairs(..., "bonferroni")`.

    References
    ----------
    Nemenyi 1963; Demsar, JMLR 7 (2006), section 3.2.2.

    Examples
    --------
    >>> import pandas as pd
    >>> ranks = pd.Series({"C4.5": 2.1, "1-NN": 3.25, "NB": 2.2, "Kernel": 13 / 3, "CN2": 187 / 60})
    >>> print(f"{nemenyi(ranks, 30).pvalues.loc['C4.5', '1-NN']:.4f}")
    0.0390
    """
    ranks = _check_average_ranks(average_ranks, n_datasets)
    q = sqrt(2) * _standardized_differences(ranks, n_datasets)
    distances, indices = np.unique(np.abs(q), return_inverse=True)  # each pair once
    tails = np.clip(stats.studentized_range.sf(distances, len(ranks), inf), 0, 1)
    method = Method("Nemenyi's test", ("studentized range", "infinite df"))
    return _pairwise(q, tails[indices], ranks, n_datasets, method)


def critical_difference(k: int, n_datasets: int, alpha: float) -> float:
    """Return the critical difference of average ranks by Nemenyi's test.

    Parameters
    ----------
    k : int
        Number of algorithms.
    n_datasets : int
        Number of data sets.
    alpha : float
        Level for the whole family of pairs.

    Returns
    -------
    float
        q / sqrt(2) * sqrt(k (k + 1) / (6 N)) for N data sets, with q the upper `alpha` point of the
        studentized range of k means with infinite degrees of freedom.

    Raises
    ------
    SettingError, DesignError
        `alpha` outside (0, 1), `k` or `n_datasets` not a whole number; fewer than two algorithms or
        no data set.

    References
    ----------
    Demsar, JMLR 7 (2006), section 3.2.2.

    Examples
    --------
    >>> round(critical_difference(4, 14, 0.05), 3)
    1.254
    """
    validation.check_probability(alpha, "alpha")
    validation.check_sizes(k, n_datasets)
    q = stats.studentized_range.isf(alpha, k, inf)
    return float(q / sqrt(2) * _standard_error(k, n_datasets))


def _friedman_statistics(ranks: np.ndarray) -> tuple[float, float]:
    """Return Friedman's statistic, corrected and not corrected for ties."""
    n, k = ranks.shape
    mean_sum = n * (k + 1) / 2
    between = ((ranks.sum(axis=0) - mean_sum) ** 2).sum()
    total = (ranks**2).sum() - n * k * (k + 1) ** 2 / 4
    corrected = (k - 1) * between / total if total > 0 else 0.0
    uncorrected = 12 * between / (n * k * (k + 1))
    return float(corrected), float(uncorrected)


def iman_davenport_f(chi2: float, n: int, k: int, unanimous: float | None) -> tuple[float, float]:
    """Return F and its p-value from Friedman's chi-square; for infinite F, p is `unanimous`, or 1 if that is None."""
    room = n * (k - 1) - chi2
    if room <= 1e-9 * n * (k - 1):
        return inf, 1.0 if unanimous is None else unanimous
    statistic = (n - 1) * chi2 / room
    return statistic, float(stats.f.sf(statistic, k - 1, (k - 1) * (n - 1)))


def unanimous_probability(ranks: np.ndarray) -> float | None:
    """Return the probability under random orders that all rows agree with the first; None if they do not agree."""
    if not (ranks == ranks[0]).all():
        return None
    n, k = ranks.shape
    _, tie_sizes = np.unique(ranks[0], return_counts=True)
    n_orders = factorial(k) // prod(factorial(int(size)) for size in tie_sizes)
    return float(n_orders) ** -(n - 1)


def small_sample_warnings(
    n: int, k: int, *, is_sign: bool | None = None, exact: bool = False
) -> tuple[Message, ...]:
    """Return warnings for fewer than ten data sets unless p is exact and, unless `is_sign` is None, for two algorithms."""
    warnings = []
    if k == 2 and is_sign is not None:
        warnings.append(message("two algorithms", is_sign=is_sign))
    if n < FEW and not exact:
        warnings.append(message("few data sets", n=n))
    return tuple(warnings)


def _check_average_ranks(average_ranks: pd.Series, n_datasets: int) -> pd.Series:
    """Return average ranks as floats; raise DataError, DesignError or SettingError if they are invalid."""
    if not np.iterable(average_ranks):
        raise DataError.of(
            "average_ranks must be a Series by algorithm", average_ranks=average_ranks
        )
    labelled = pd.Series(average_ranks)
    ranks = pd.Series(validation.as_numbers(labelled, "average_ranks"), labelled.index)
    k = len(ranks)
    validation.check_sizes(k, n_datasets)
    if not np.isfinite(ranks).all():
        raise DesignError.of("average ranks not finite")
    if ranks.min() < 1 - 1e-9 or ranks.max() > k + 1e-9:
        raise DataError.of(
            "Average ranks must lie between 1 and k", k=k, low=ranks.min(), high=ranks.max()
        )
    return ranks


def _standard_error(k: int, n_datasets: int) -> float:
    return sqrt(k * (k + 1) / (6 * n_datasets))


def _pairwise(
    statistics: np.ndarray, pvalues: np.ndarray, ranks: pd.Series, n_datasets: int, method: Method
) -> PairwiseResult:
    np.fill_diagonal(pvalues, 1)
    about = inference_text("about.pairs_of_ranks", k=len(ranks), n=n_datasets)
    return PairwiseResult.of(
        statistics,
        pvalues,
        ranks.index,
        by_statistic=True,
        about=about,
        method=method,
        n=n_datasets,
    )


def friedman_of_ranks(
    average_ranks: pd.Series, n_datasets: int, *, digits: int = 6
) -> RankTestResult:
    """Friedman's test from average ranks alone, which are rounded to `digits` decimals.

    Raises DataError if a rank is not within 1 to the number of algorithms or rounding cannot
    explain their sum, DesignError for fewer than two algorithms or data sets or a rank that is not
    finite, SettingError for `n_datasets` that is not whole.

    Notes
    -----
    chi2 = 12 N / (k (k + 1)) sum (R_j - (k + 1) / 2)^2 for the average ranks R_j of k algorithms over N data sets,
    with k - 1 df. With ties on some data sets the corrected
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
    k = len(ranks)
    n = n_datasets
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    statistic = min(12 * n / (k * (k + 1)) * spread, float(n * (k - 1)))
    warnings = (*small_sample_warnings(n, k), message("ties not seen"))
    unknown = pd.DataFrame(columns=ranks.index, dtype=float)
    return _friedman_result(ranks, n, statistic, statistic, "ties unknown", unknown, warnings)


def iman_davenport_of_ranks(
    average_ranks: pd.Series, n_datasets: int, *, digits: int = 6
) -> RankTestResult:
    """Iman-Davenport F test from average ranks alone, which are rounded to `digits` decimals.

    Arguments and errors are those of `friedman_of_ranks`.

    Notes
    -----
    F = (N - 1) chi2 / (N (k - 1) - chi2) with k - 1 and (k - 1)(N - 1) df, chi2 that of `friedman_of_ranks`.
    If every data set has the same order, F is infinite and p is the probability of that event, (1 / k!)^(N - 1).

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
    return as_iman_davenport(friedman_of_ranks(average_ranks, n_datasets, digits=digits))


def _checked(average_ranks: pd.Series, n_datasets: int, digits: int) -> pd.Series:
    """Return checked average ranks; DesignError for one data set, DataError if rounding cannot explain their sum."""
    ranks = _check_average_ranks(average_ranks, n_datasets)
    if n_datasets < 2:
        raise DesignError.of("Average ranks need at least 2 data sets", n_datasets=n_datasets)
    total = published.wrong_sum(ranks, digits)
    if total is not None:
        k = len(ranks)
        raise DataError.of(
            "The average ranks have a wrong sum",
            k=k,
            expected=published.sum_of_ranks(k),
            total=total,
        )
    return ranks


Shift = tuple[float, float, float]


LARGEST_EXACT = 20_000  # algorithms times data sets; above, the normal approximation
_TOGETHER = 64  # data sets per block; one by one takes five times as long


def exact_rank_pairs(ranks: pd.DataFrame) -> PairwiseResult:
    """Exact tests of all pairs of average ranks, given the ranks on each data set, data set x algorithm.

    Raises DataError if the ranks of k algorithms do not add up to k (k + 1) / 2 on every data set,
    DesignError for fewer than two algorithms or no data set.

    Notes
    -----
    If no algorithms differ, every order on a data set is equally likely, so the ranks of two
    algorithms are drawn from its ranks without replacement. Their difference is convolved over data
    sets: p = P(|D| >= |d|), d the difference of the rank sums. Without ties this is the distribution
    of Eisinga et al. It assumes the global null hypothesis, so a pair's p-value depends on which other
    algorithms are compared. Above 20,000 algorithms times data sets p is normal.

    References
    ----------
    Eisinga, Heskes, Pelzer and te Grotenhuis, BMC Bioinform. 18 (2017) 68; Benavoli, Corani and
    Mangili, JMLR 17 (2016) 5.

    Examples
    --------
    On two data sets, three algorithms have 36 equally likely pairs of orders. The first algorithm is best and
    the third worst on both in one of them, and the reverse holds in another one:

    >>> import pandas as pd
    >>> ranks = pd.DataFrame([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], columns=list("abc"))
    >>> round(float(exact_rank_pairs(ranks).pvalues.loc["a", "c"]), 4)
    0.0556
    """
    values = _check_ranks(ranks)
    n, k = values.shape
    normal = post_hoc_z(ranks.mean(), n)
    if n * k > LARGEST_EXACT:
        return normal
    tail = two_sided_tail(values)
    sums = np.rint(2 * values.sum(axis=0)).astype(int)
    pvalues = tail[np.abs(sums[:, None] - sums)]
    method = Method(
        inference_text("method.rank_difference"), ("exact", "ties included", "unadjusted")
    )
    return PairwiseResult.of(
        normal.statistics.to_numpy(),
        pvalues,
        normal.pvalues.index,
        about=normal.about,
        method=method,
        n=n,
    )


def two_sided_tail(ranks: np.ndarray) -> np.ndarray:
    """Return P(|D| >= i / 2) for i = 0, 1, ..., where D is the difference of the rank sums of two algorithms.

    `ranks` are data set x algorithm. The array is cached and read-only.

    Examples
    --------
    >>> import numpy as np
    >>> two_sided_tail(np.array([[1.0, 2.0, 3.0]])).round(3).tolist()
    [1.0, 1.0, 1.0, 0.333, 0.333]
    """
    doubled = np.sort(np.rint(2 * np.asarray(ranks)).astype(int), axis=1)
    has_half_ranks = (doubled % 2 == 1).any()
    step = 1 if has_half_ranks else 2  # without half ranks every other entry is zero
    rows = doubled[np.lexsort(doubled.T)] // step
    return _tail_of(rows.shape, rows.tobytes(), step)


@lru_cache(maxsize=32)
def _tail_of(shape: tuple[int, int], cells: bytes, step: int) -> np.ndarray:
    """Return `two_sided_tail` of sorted integers as bytes: twice the ranks, divided by `step`; cached, read-only."""
    table = np.frombuffer(cells, dtype=int).reshape(shape)
    rows, indices = np.unique(table, axis=0, return_inverse=True)
    of_rows = [_two_cells(row) for row in rows]
    probabilities = np.ones(1)
    for start in range(0, len(indices), _TOGETHER):
        block = [of_rows[index] for index in indices[start : start + _TOGETHER]]
        probabilities = np.convolve(probabilities, _sum_of(block))
    middle = len(probabilities) // 2
    upper = probabilities[:middle:-1].cumsum()[::-1]
    tail = np.concatenate([[1.0], np.minimum(2 * upper, 1.0)])
    result = np.repeat(tail, step)[step - 1 :]
    result.flags.writeable = False
    return result


def _sum_of(parts: list[np.ndarray]) -> np.ndarray:
    """Return the distribution of a sum of independent variables by pairwise convolution."""
    while len(parts) > 1:
        odd = parts[len(parts) // 2 * 2 :]
        parts = [*map(np.convolve, parts[::2], parts[1::2]), *odd]
    return parts[0]


def untied_tail(k: int, n: int) -> np.ndarray:
    """Return `two_sided_tail` for k algorithms on n data sets without ties."""
    validation.check_sizes(k, n)
    return two_sided_tail(np.tile(np.arange(1.0, k + 1), (n, 1)))


def exact_critical_gap(alpha: float, k: int, n: int) -> float:
    """Return the smallest difference of two average ranks significant by the exact test, inf if there is none.

    `k` algorithms on `n` data sets are assumed to have no ties. Above 20,000 algorithms times data
    sets the test is normal.

    Examples
    --------
    >>> exact_critical_gap(0.05, 4, 8), exact_critical_gap(0.001, 3, 2)
    (1.375, inf)
    """
    validation.check_probability(alpha, "alpha")
    if k * n > LARGEST_EXACT:
        return float(stats.norm.isf(alpha / 2)) * sqrt(k * (k + 1) / (6 * n))
    rejected = np.flatnonzero(validation.significant(untied_tail(k, n)[::2], alpha))
    return float(rejected[0]) / n if len(rejected) else float("inf")


def _two_cells(row: np.ndarray) -> np.ndarray:
    """Return the distribution of the difference of two distinct entries drawn from a row of ranks."""
    counts = np.bincount(row - row.min()).astype(float)
    pairs = np.convolve(counts, counts[::-1])
    pairs[len(counts) - 1] -= len(row)  # a cell and itself
    return pairs / pairs.sum()


def _check_ranks(ranks: pd.DataFrame) -> np.ndarray:
    values = np.asarray(ranks, dtype=float)
    k = values.shape[1] if values.ndim == 2 else 0
    validation.check_sizes(k, len(values))
    expected = published.sum_of_ranks(k)
    deviations = np.abs(values.sum(axis=1) - expected)
    if not np.isfinite(values).all() or (deviations > 1e-6).any():
        raise DataError.of("Ranks must add up on every data set", k=k, expected=expected)
    return values
