"""Two-sample tests over data sets, for every pair of algorithms."""

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.result_types import Method, PairwiseResult, labeled_matrix
from stats_core.core.validation import check_one_of, check_scores, check_size, ties_mask
from stats_core.inference.paired import at_most, overlap_factor
from stats_core.inference.paired.signed_ranks import sign_pairs, signed_rank_pairs


def pairwise(scores: pd.DataFrame, test: str) -> PairwiseResult:
    """Which pairs of algorithms differ over the data sets, each pair tested on its own?

    Parameters
    ----------
    scores : DataFrame, data set x algorithm
        One average per cell, none missing.
    test : {"wilcoxon", "sign"}
        The test for two paired samples; its default variant.

    Returns
    -------
    PairwiseOutcome
        Unadjusted two-sided p-values; statistics are the rank-biserial correlation (Wilcoxon)
        or wins minus losses (sign), row against column, positive where the row has the larger
        scores.

    Raises
    ------
    DataError, SettingError
        A cell is missing, names repeat, unknown test.

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
    """What does the paired t test say of every pair of columns, all computed at once?

    Parameters
    ----------
    matrix : array, fold x algorithm
        None missing.
    test_fraction : float or None
        n_test / (n_train + n_test) if training sets overlap; None for no correction.
    max_df : int, optional
        Degrees of freedom at most, as `corrected_t`.

    Returns
    -------
    array, algorithm x algorithm
        Two-sided p-values, unadjusted; 1 where two columns keep the same distance.

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
    """On how many data sets does each algorithm beat, and tie with, each other one?

    Parameters
    ----------
    scores : DataFrame, data set x algorithm
        One average per cell; a missing cell is a failed run that loses to any result and ties
        with another failure.
    higher_is_better : bool
        Direction of the measure.

    Returns
    -------
    (wins, ties) : tuple of DataFrame, algorithm x algorithm
        `wins` counts where the row beats the column; `ties` is symmetric, 0 on its diagonal.

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
