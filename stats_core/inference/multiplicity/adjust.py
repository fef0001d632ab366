"""Adjusted p-values of all pairs, and of all comparisons with a control."""

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError
from stats_core.core.result_types import labeled_matrix
from stats_core.core.validation import check_family, check_one_of, check_pvalues
from stats_core.inference.multiplicity.bergmann_hommel import bergmann_hommel
from stats_core.inference.multiplicity.step_procedures import adjust_rows

FAMILY_METHODS = ("none", "bonferroni", "holm", "hochberg", "hommel")
PAIR_METHODS = (*FAMILY_METHODS, "shaffer", "bergmann_hommel", "bergmann_hommel_plain")


def adjust_pairs(pvalues: pd.DataFrame, method: str, *, average_ranks: pd.Series | None = None) -> pd.DataFrame:
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


# in any family it is called otherwise
_DUNN = "bonferroni_dunn"
CONTROL_METHODS = ("none", _DUNN, "holm", "hochberg", "hommel", "finner", "li", "rom")


def adjust_control(pvalues: pd.Series, method: str) -> pd.Series:
    """Return the adjusted p-values of comparisons with one control.

    Parameters
    ----------
    pvalues : Series by algorithm
        Two-sided, one for each of the m = k - 1 algorithms that are not the control.
    method : {"none", "bonferroni_dunn", "holm", "hochberg", "hommel", "finner", "li", "rom"}
        The procedure. Bonferroni-Dunn and Holm hold whatever the dependence of the tests;
        Finner, Hochberg, Hommel and Rom need independent or positively dependent ones. Li hangs
        on the largest p-value: it finds much if that is small and little if it is near 1.

    Returns
    -------
    Series by algorithm
        Adjusted p-values in the same order, at most 1, to be compared with alpha directly.

    Raises
    ------
    DataError, SettingError
        A p-value outside [0, 1] or a repeated name; unknown method.

    Notes
    -----
    For p_(1) <= ... <= p_(m): Finner max over j <= i of 1 - (1 - p_(j))^(m/j);
    Li p_(i) / (p_(i) + 1 - p_(m)); Rom `rom_constants`, as Hochberg with larger constants.
    Equal p-values get equal adjusted ones. For every algorithm
    raw <= Rom <= Hochberg <= Holm <= Bonferroni-Dunn, and Finner and Hommel <= Holm.

    References
    ----------
    Finner, J. Am. Stat. Assoc. 88 (1993) 920; Rom, Biometrika 77 (1990) 663; Li 2008; Garcia,
    Fernandez, Luengo and Herrera, Inf. Sci. 180 (2010) 2044.

    Examples
    --------
    >>> import pandas as pd
    >>> adjust_control(pd.Series({"a": 0.01, "b": 0.04, "c": 0.8}), "finner").round(4).to_dict()
    {'a': 0.0297, 'b': 0.0594, 'c': 0.8}
    """
    check_one_of(method, CONTROL_METHODS, "method")
    family = _check_family(pvalues)
    adjusted = adjust_rows(family.to_numpy(), "bonferroni" if method == _DUNN else method)
    return pd.Series(adjusted, index=family.index, name=family.name)


def _check_family(pvalues: pd.Series) -> pd.Series:
    labelled = pd.Series(pvalues)
    family = pd.Series(check_family(labelled), labelled.index, name=labelled.name)
    if family.index.has_duplicates:
        repeated = sorted({str(name) for name in family.index[family.index.duplicated()]})
        raise DataError(
            [
                "`pvalues` must name every algorithm once. "
                f"Repeated: {', '.join(repeated[:5])}. Rename, and leave the control out."
            ]
        )
    return family
