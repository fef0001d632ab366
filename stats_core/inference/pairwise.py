"""Two-sample tests over data sets, for every pair of algorithms."""

from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.result_types import Method, PairwiseResult, labeled_matrix
from stats_core.core.significance import significant
from stats_core.core.validation import check_one_of, check_scores, check_size, ties_mask
from stats_core.data.settings import Settings, Source
from stats_core.inference.multiplicity.adjust_control import adjust_control
from stats_core.inference.paired import at_most, overlap_factor
from stats_core.inference.paired.signed_ranks import sign_pairs, signed_rank_pairs
from stats_core.inference.rank_differences import least_rank_pvalue


def pairwise(scores: pd.DataFrame, test: str) -> PairwiseResult:
    """Which pairs of algorithms differ over the data sets, each pair tested on its own?

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [3.0, 4, 6, 9, 8], "b": [1.0, 1, 2, 4, 9]})
    >>> pairwise(scores, "wilcoxon").pvalue
    0.125
    """
    check_one_of(test, ("wilcoxon", "sign"), "test")
    table = check_scores(scores)
    values, k = table.to_numpy(), table.shape[1]
    check_size(values)
    rows, columns = np.triu_indices(k, 1)
    statistics, pvalues = np.zeros((k, k)), np.ones((k, k))
    p, effects = signed_rank_pairs(values) if test == "wilcoxon" else sign_pairs(values)
    pvalues[rows, columns] = pvalues[columns, rows] = p
    statistics[rows, columns], statistics[columns, rows] = effects, -effects
    row, column = np.unravel_index(pvalues.argmin(), pvalues.shape)
    method = Method("sign test", ("unadjusted",))
    if test == "wilcoxon":
        method = Method("Wilcoxon signed-rank test", ("Pratt zeros", "unadjusted"))
    return PairwiseResult(
        about=f"all pairs of {k} algorithms over {len(table)} data sets",
        statistic=float(statistics[row, column]),
        pvalue=float(pvalues[row, column]),
        method=method,
        n=len(table),
        statistics=labeled_matrix(statistics, table.columns),
        pvalues=labeled_matrix(pvalues, table.columns),
    )


def pairwise_t(
    matrix: np.ndarray, test_fraction: float | None, *, max_df: int | None = None
) -> np.ndarray:
    """Return the paired t tests of all pairs of columns at once.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.array([[6.0, 5], [7, 5], [9, 6], [8, 7]])
    >>> round(float(pairwise_t(runs, None)[0, 1]), 4)
    0.0354
    """
    values = np.asarray(matrix, dtype=float)
    n = len(values)
    differences = values[:, :, None] - values[:, None, :]
    spread = differences.std(axis=0, ddof=1)
    varies = spread > 1e-12 * max(1.0, float(np.abs(values).max()))
    error = np.where(varies, spread, 1.0) * np.sqrt(overlap_factor(n, test_fraction) / n)
    t = np.abs(differences.mean(axis=0)) / error
    return np.where(varies, 2 * stats.t.sf(t, at_most(n - 1, max_df)), 1.0)


def count_wins(
    scores: pd.DataFrame, *, higher_is_better: bool
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return on how many data sets each algorithm beats, and ties with, each other one.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [3.0, 4, 6], "b": [1.0, 4, 7]})
    >>> wins, ties = count_wins(scores, higher_is_better=True)
    >>> int(wins.loc["a", "b"]), int(wins.loc["b", "a"]), int(ties.loc["a", "b"])
    (1, 1, 1)
    """
    table = check_scores(scores, allow_missing=True)
    values = table.to_numpy() * (1 if higher_is_better else -1)
    failed = np.isnan(values)
    k = values.shape[1]
    wins, ties = np.zeros((k, k), dtype=int), np.zeros((k, k), dtype=int)
    for i in range(k):  # against all at once
        x, x_failed = values[:, [i]], failed[:, [i]]
        tied = ties_mask(x, values) | (x_failed & failed)  # NaN is near nothing
        wins[i] = (((x > values) & ~tied) | (failed & ~x_failed)).sum(axis=0)
        ties[i] = tied.sum(axis=0)
    np.fill_diagonal(ties, 0)
    return labeled_matrix(wins, table.columns), labeled_matrix(ties, table.columns)


# corrections with a control by which the last of equal p-values is not paid for
_STEP_UP = ("hochberg", "hommel", "rom", "li")


def advised_source(k: int, n: int, settings: Settings) -> Source:
    """Return the recommended source of p-values of pairs: own tests or average ranks.

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
