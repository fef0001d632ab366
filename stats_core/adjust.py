"""Adjusted p-values: paying for many comparisons."""

import numpy as np
import pandas as pd
from statsmodels.stats.multitest import multipletests

from stats_core._check import check_one_of, check_pvalues
from stats_core.outcome import square

# name of the procedure here -> its name in statsmodels
_STATSMODELS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "hommel": "hommel",
}
PAIR_METHODS = ("none", *_STATSMODELS)


def adjust_pairs(
    pvalues: pd.DataFrame, method: str, *, average_ranks: pd.Series | None = None
) -> pd.DataFrame:
    """What does each pair's p-value become when all pairs are tested?

    Parameters
    ----------
    pvalues : DataFrame, algorithm x algorithm
        Symmetric, two-sided, one family: all k (k - 1) / 2 pairs.
    method : {"none", "bonferroni", "holm", "hochberg", "hommel"}
        The procedure. Hochberg and Hommel need independent or positively dependent tests,
        which all pairs of the same algorithms do not guarantee.
    average_ranks : Series by algorithm, optional
        Not used by these procedures.

    Returns
    -------
    DataFrame, algorithm x algorithm
        Adjusted p-values, at most 1, to be compared with alpha directly; 1 on the diagonal.

    Raises
    ------
    DataError, SettingError
        The matrix is not square, symmetric and within [0, 1]; unknown method.

    Notes
    -----
    Equal raw p-values get equal adjusted ones. For every pair
    raw <= Hommel <= Hochberg <= Holm <= Bonferroni.

    References
    ----------
    Holm 1979; Hochberg 1988; Hommel 1988; Wright, Biometrics 48 (1992) 1005.

    Examples
    --------
    >>> import pandas as pd
    >>> p = pd.DataFrame([[1, 0.01, 0.02], [0.01, 1, 0.9], [0.02, 0.9, 1]])
    >>> adjust_pairs(p, "holm").iloc[0].tolist()
    [1.0, 0.03, 0.04]
    """
    check_one_of(method, PAIR_METHODS, "method")
    table = check_pvalues(pvalues)
    rows, columns = np.triu_indices(len(table), 1)
    adjusted = np.ones(table.shape)
    family = adjust_family(table.to_numpy()[rows, columns], method)
    adjusted[rows, columns] = adjusted[columns, rows] = family
    return square(adjusted, table.index)


def adjust_family(pvalues: np.ndarray, method: str) -> np.ndarray:
    """What do the p-values of any one family become when all of it is tested?

    Parameters
    ----------
    pvalues : array
        One family, for example one test for each measure.
    method : {"none", "bonferroni", "holm", "hochberg", "hommel"}
        As `adjust_pairs`.

    Returns
    -------
    array
        Adjusted p-values in the same order, at most 1.

    Raises
    ------
    SettingError
        Unknown method.

    Examples
    --------
    >>> import numpy as np
    >>> adjust_family(np.array([0.01, 0.04]), "holm").tolist()
    [0.02, 0.04]
    """
    check_one_of(method, PAIR_METHODS, "method")
    if method == "none" or not len(pvalues):
        return np.minimum(pvalues, 1)
    found = multipletests(pvalues, method=_STATSMODELS[method])[1]
    return np.minimum(_share_ties(np.asarray(pvalues), found), 1)


def _share_ties(raw: np.ndarray, adjusted: np.ndarray) -> np.ndarray:
    """Give equal raw p-values (to 1e-9, relative) the largest adjusted value of their group."""
    order = np.argsort(raw, kind="stable")
    ordered = raw[order]
    starts = np.concatenate([[True], np.diff(ordered) > 1e-9 * ordered[1:]])
    group = starts.cumsum() - 1
    largest = np.maximum.reduceat(adjusted[order], np.flatnonzero(starts))
    shared = np.empty_like(adjusted)
    shared[order] = largest[group]
    return shared
