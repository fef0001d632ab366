"""Adjusted p-values for comparisons of all algorithms with one control."""

import pandas as pd

from stats_core.core.errors import DataError
from stats_core.core.validation import check_family, check_one_of
from stats_core.inference.multiplicity.vectorized import adjust_rows

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
