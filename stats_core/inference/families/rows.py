"""Adjusted p-values of many families at once, one family in each row."""

from collections.abc import Callable

import numpy as np

from stats_core.core.checks import check_one_of
from stats_core.core.errors import DesignError
from stats_core.inference.families.rom import rom_levels
from stats_core.inference.families.shaffer import shaffer_factors
from stats_core.inference.families.tied_pvalues import TIE

Steps = Callable[[np.ndarray], np.ndarray]  # p-values ascending in each row -> adjusted, ascending


def adjust_rows(pvalues: np.ndarray, method: str) -> np.ndarray:
    """What do the p-values of each row become when all of the row is tested?

    Parameters
    ----------
    pvalues : array (..., m)
        One family in each row.
    method : str
        "none", "bonferroni", "holm", "hochberg", "hommel", "finner", "li" or "rom"; "shaffer",
        where a row holds all pairs of some algorithms.

    Returns
    -------
    array (..., m)
        Adjusted p-values in the same order, at most 1; equal p-values of a row stay equal.

    Raises
    ------
    SettingError, DesignError
        Unknown method; rows for Shaffer that are not all pairs of some algorithms.

    Notes
    -----
    Shaffer: the i-th smallest becomes the maximum over j <= i of t_j p_(j), `shaffer_factors`;
    never larger than Holm, whatever the dependence of the tests. The other formulas stand with `adjust_pairs` and `adjust_control`, which adjust one family by this.

    References
    ----------
    Holm 1979; Hochberg 1988; Hommel 1988; Shaffer 1986; Finner 1993; Li 2008; Rom 1990.

    Examples
    --------
    >>> adjust_rows(np.array([[0.01, 0.04], [0.5, 0.2]]), "holm").tolist()
    [[0.02, 0.04], [0.5, 0.4]]
    """
    check_one_of(method, STEPS, "method")
    if method == "none" or not pvalues.size:
        return pvalues.copy()
    order = np.argsort(pvalues, axis=-1, kind="stable")
    ordered = np.take_along_axis(pvalues, order, -1)
    found = np.minimum(_share_ties(ordered, STEPS[method](ordered)), 1)
    adjusted = np.empty_like(found)
    np.put_along_axis(adjusted, order, found, -1)
    return adjusted


def _share_ties(ordered: np.ndarray, adjusted: np.ndarray) -> np.ndarray:
    """Give equal p-values the adjusted value of the last of them, the largest."""
    places = np.arange(ordered.shape[-1])
    last = np.ones(ordered.shape, dtype=bool)
    last[..., :-1] = np.diff(ordered, axis=-1) > TIE * ordered[..., 1:]
    ends = np.where(last, places, places[-1])[..., ::-1]
    return np.take_along_axis(adjusted, np.minimum.accumulate(ends, axis=-1)[..., ::-1], -1)


def _step_down(ordered: np.ndarray, factors: np.ndarray) -> np.ndarray:
    return np.maximum.accumulate(factors * ordered, axis=-1)


def _left(ordered: np.ndarray) -> np.ndarray:
    """Return how many hypotheses are left at each step: m, m - 1, ..., 1."""
    return np.arange(ordered.shape[-1], 0, -1)


def _holm(ordered: np.ndarray) -> np.ndarray:
    return _step_down(ordered, _left(ordered))


def _shaffer(ordered: np.ndarray) -> np.ndarray:
    m = ordered.shape[-1]
    factors = shaffer_factors(round((1 + (1 + 8 * m) ** 0.5) / 2))
    if len(factors) != m:
        raise DesignError(
            "Shaffer needs the p-values of all pairs, 3 for 3 algorithms, 6 for 4. "
            f"There are {m}. Test every pair, or use Holm."
        )
    return _step_down(ordered, factors)


def _from_largest(values: np.ndarray) -> np.ndarray:
    return np.minimum.accumulate(values[..., ::-1], axis=-1)[..., ::-1]


def _hochberg(ordered: np.ndarray) -> np.ndarray:
    return _from_largest(_left(ordered) * ordered)


def _hommel(ordered: np.ndarray) -> np.ndarray:
    """Follow Wright's steps: for the j largest, the least of j p_(i) / (their place)."""
    adjusted = ordered.copy()
    for j in range(ordered.shape[-1], 1, -1):
        largest, others = ordered[..., -j:], ordered[..., :-j]
        least = (j * largest / np.arange(1, j + 1)).min(axis=-1, keepdims=True)
        adjusted[..., -j:] = np.maximum(adjusted[..., -j:], least)
        adjusted[..., :-j] = np.maximum(adjusted[..., :-j], np.minimum(j * others, least))
    return adjusted


def _finner(ordered: np.ndarray) -> np.ndarray:
    m = ordered.shape[-1]
    with np.errstate(divide="ignore"):  # p = 1 gives log 0: its adjusted value is 1
        steps = -np.expm1(np.log1p(-ordered) * m / np.arange(1, m + 1))
    return np.maximum.accumulate(steps, axis=-1)


def _li(ordered: np.ndarray) -> np.ndarray:
    # p = 0 next to a largest p of 1 is 0 / 0: rejected at every level
    return ordered / np.where(ordered > 0, ordered + (1 - ordered[..., -1:]), 1)


def _rom(ordered: np.ndarray) -> np.ndarray:
    return _from_largest(rom_levels(ordered))


STEPS: dict[str, Steps] = {
    "none": np.copy,
    "bonferroni": lambda ordered: ordered.shape[-1] * ordered,
    "holm": _holm,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "shaffer": _shaffer,
    "finner": _finner,
    "li": _li,
    "rom": _rom,
}
