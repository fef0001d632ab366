"""Adjusted p-values for all pairs and for any family of tests."""

import numpy as np
import pandas as pd

from stats_core.core.result_types import labeled_matrix
from stats_core.core.validation import check_family, check_one_of, check_pvalues
from stats_core.inference.multiplicity.bergmann_hommel import bergmann_hommel
from stats_core.inference.multiplicity.vectorized import adjust_rows

FAMILY_METHODS = ("none", "bonferroni", "holm", "hochberg", "hommel")
PAIR_METHODS = (*FAMILY_METHODS, "shaffer", "bergmann_hommel", "bergmann_hommel_plain")


def adjust_pairs(
    pvalues: pd.DataFrame, method: str, *, average_ranks: pd.Series | None = None
) -> pd.DataFrame:
    """Return the adjusted p-values of all pairs of algorithms.

    Parameters
    ----------
    pvalues : DataFrame, algorithm x algorithm
        Symmetric, two-sided, one family: all k (k - 1) / 2 pairs.
    method : str
        "none", "bonferroni", "holm", "hochberg", "hommel", "shaffer", "bergmann_hommel" (as in
        the published table: a larger p-value never gets a smaller adjusted one) or
        "bergmann_hommel_plain" (as in the published procedure). Hochberg and Hommel need
        independent or positively dependent tests, which all pairs of the same algorithms do not
        guarantee; the others hold always.
    average_ranks : Series by algorithm, optional
        The ranks behind the p-values, which let Bergmann-Hommel do without a limit on the
        number of algorithms. The other procedures do not use them.

    Returns
    -------
    DataFrame, algorithm x algorithm
        Adjusted p-values, at most 1, to be compared with alpha directly; 1 on the diagonal.

    Raises
    ------
    DataError, SettingError
        The matrix is not square, symmetric and within [0, 1]; ranks of other algorithms;
        unknown method.
    DesignError
        Bergmann-Hommel for more than 30 algorithms whose p-values do not follow average ranks.

    Notes
    -----
    Equal raw p-values get equal adjusted ones, but for the plain Bergmann-Hommel, which looks
    at which pairs they are. For every pair raw <= Hommel <= Hochberg <= Holm <= Bonferroni and
    raw <= Bergmann-Hommel <= Shaffer <= Holm.

    References
    ----------
    Holm 1979; Hochberg 1988; Hommel 1988; Wright, Biometrics 48 (1992) 1005; Shaffer 1986;
    Bergmann and Hommel 1988; Garcia and Herrera, JMLR 9 (2008) 2677.

    Examples
    --------
    >>> import pandas as pd
    >>> p = pd.DataFrame([[1, 0.01, 0.02], [0.01, 1, 0.9], [0.02, 0.9, 1]])
    >>> adjust_pairs(p, "holm").iloc[0].tolist()
    [1.0, 0.03, 0.04]
    >>> adjust_pairs(p, "bergmann_hommel").iloc[0].tolist()
    [1.0, 0.03, 0.03]
    """
    check_one_of(method, PAIR_METHODS, "method")
    table = check_pvalues(pvalues)
    if method in ("bergmann_hommel", "bergmann_hommel_plain"):
        monotone = method == "bergmann_hommel"
        return bergmann_hommel(table, average_ranks=average_ranks, monotone=monotone)
    rows, columns = np.triu_indices(len(table), 1)
    family = table.to_numpy()[rows, columns]
    adjusted = np.ones(table.shape)
    adjusted[rows, columns] = adjusted[columns, rows] = (
        adjust_rows(family, method) if method == "shaffer" else adjust_family(family, method)
    )
    return labeled_matrix(adjusted, table.index)


def adjust_family(pvalues: np.ndarray, method: str) -> np.ndarray:
    """Return the adjusted p-values of any family of tests.

    Examples
    --------
    >>> import numpy as np
    >>> adjust_family(np.array([0.01, 0.04]), "holm").tolist()
    [0.02, 0.04]
    """
    check_one_of(method, FAMILY_METHODS, "method")
    raw = check_family(pvalues)
    return adjust_rows(raw, method)
