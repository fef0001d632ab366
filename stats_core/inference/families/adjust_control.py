"""Adjusted p-values when every algorithm is compared with one control."""

import numpy as np
import pandas as pd
from scipy.special import comb

from stats_core.core.checks import check_family, check_one_of
from stats_core.core.errors import DataError
from stats_core.inference.families.adjust import adjust_family
from stats_core.inference.families.tied_pvalues import share_ties

# name of the procedure here -> the same procedure for any family
_ANY_FAMILY = {
    "none": "none",
    "bonferroni_dunn": "bonferroni",
    "holm": "holm",
    "hochberg": "hochberg",
    "hommel": "hommel",
}
CONTROL_METHODS = (*_ANY_FAMILY, "finner", "li", "rom")


def adjust_control(pvalues: pd.Series, method: str) -> pd.Series:
    """What does each p-value become when all algorithms are compared with one control?

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
    p = family.to_numpy()
    if not len(p):
        return family
    if method in _ANY_FAMILY:
        adjusted = adjust_family(p, _ANY_FAMILY[method])
    else:
        adjusted = share_ties(p, {"finner": _finner, "li": _li, "rom": _rom}[method](p))
    return pd.Series(np.minimum(adjusted, 1), index=family.index, name=family.name)


def rom_constants(m: int, alpha: float) -> np.ndarray:
    """With what is the largest, second largest, ... p-value compared in Rom's procedure?

    Parameters
    ----------
    m : int
        Number of hypotheses.
    alpha : float
        Level for the whole family.

    Returns
    -------
    array, m
        c_1 = alpha for the largest p-value, c_2 = alpha / 2, then a little above the alpha / i
        of Hochberg.

    Notes
    -----
    c_i = (sum over j = 1..i-1 of alpha^j - sum over j = 1..i-2 of C(i, j) c_(j+1)^(i-j)) / i.

    References
    ----------
    Rom, Biometrika 77 (1990) 663.

    Examples
    --------
    >>> rom_constants(5, 0.05).round(6).tolist()
    [0.05, 0.025, 0.016875, 0.012713, 0.010193]
    """
    return _constants(m, np.array([alpha]))[0]


def _constants(m: int, alpha: np.ndarray) -> np.ndarray:
    """Return Rom's constants c_1..c_m for many levels, level x constant."""
    c = np.zeros((len(alpha), m))
    c[:, 0] = alpha
    powers = np.zeros(len(alpha))  # alpha + alpha^2 + ... + alpha^(i-1)
    for i in range(2, m + 1):
        powers += alpha ** (i - 1)
        j = np.arange(1, i - 1)
        c[:, i - 1] = (powers - (comb(i, j) * c[:, j] ** (i - j)).sum(axis=1)) / i
    return c


def _finner(p: np.ndarray) -> np.ndarray:
    order = np.argsort(p, kind="stable")
    m = len(p)
    with np.errstate(divide="ignore"):  # p = 1 gives log 0: its adjusted value is 1
        steps = -np.expm1(np.log1p(-p[order]) * m / np.arange(1, m + 1))
    adjusted = np.empty(m)
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def _li(p: np.ndarray) -> np.ndarray:
    # p = 0 next to a largest p of 1 is 0 / 0: rejected at every level
    return p / np.where(p > 0, p + (1 - p.max()), 1)


def _rom(p: np.ndarray) -> np.ndarray:
    order = np.argsort(-p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum.accumulate(_rom_levels(p[order]))
    return adjusted


def _rom_levels(descending: np.ndarray) -> np.ndarray:
    """Return the level whose i-th constant is the i-th largest p-value, at most 1.

    c_i grows with the level and lies between level / i and the level: bisection.
    """
    m = len(descending)
    low, high = descending.copy(), np.minimum(np.arange(1, m + 1) * descending, 1)
    for _ in range(60):
        middle = (low + high) / 2
        enough = np.diagonal(_constants(m, middle)) >= descending
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


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
