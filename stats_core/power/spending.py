"""Looking more than once: which level each look may take so that all together keep alpha."""

from math import e, sqrt

import numpy as np
from scipy import stats

from stats_core.core.checks import check_one_of, check_probability
from stats_core.core.errors import SettingError

SPENDINGS = {"obrien-fleming": "O'Brien and Fleming's", "pocock": "Pocock's"}
_NODES = 1201  # of the density of what has not been decided yet


def spent_levels(shares: np.ndarray, alpha: float, spending: str) -> np.ndarray:
    """Which two-sided level may each look take, if looks together are to keep alpha?

    Parameters
    ----------
    shares : array, look
        Of the data that there will be at the last look: increasing, the last one 1.
    alpha : float
    spending : {"obrien-fleming", "pocock"}
        How much of alpha is used up by a share t: 4 - 4 Phi(z / sqrt(t)), z exceeded with chance
        alpha / 4, which is careful at first; or alpha ln(1 + (e - 1) t), about the same at each look.

    Returns
    -------
    array, look
        Levels to compare p with.

    Raises
    ------
    SettingError
        Shares that do not increase to 1, an unknown spending, alpha outside (0, 1).

    Notes
    -----
    Sums of independent normal values are looked at; the chance to leave the bounds first at each look is
    what is spent there, by recursive integration (Armitage, McPherson and Rowe). Neither how many
    looks there are nor when need be known before, but for the last one. t tests at these levels
    are as good as the normal law is for them: with few data sets see the simulated false decisions.

    References
    ----------
    Lan and DeMets, Biometrika 70 (1983) 659; Armitage, McPherson and Rowe, J. R. Stat. Soc. A 132
    (1969) 235.

    Examples
    --------
    >>> spent_levels(np.array([0.5, 1.0]), 0.05, "obrien-fleming").round(4).tolist()
    [0.0031, 0.049]
    """
    check_probability(alpha, "alpha")
    check_one_of(spending, SPENDINGS, "spending")
    times = np.asarray(shares, dtype=float)
    if not len(times) or times[0] <= 0 or (np.diff(times) <= 0).any() or abs(times[-1] - 1) > 1e-12:
        raise SettingError("`shares` of looks must increase from above 0 to 1. Try 0.5, 1.")
    spends = np.diff(_spent(times, alpha, spending), prepend=0.0)
    bounds = np.empty(len(times))
    grid, density = np.zeros(1), np.ones(1)  # where the sum stands, if nothing is decided
    before = 0.0
    for look, (time, spend) in enumerate(zip(times, spends, strict=True)):
        step = sqrt(time - before)
        bounds[look] = _bound(grid, density, step, spend)
        wide = np.linspace(-bounds[look], bounds[look], _NODES)
        reached = stats.norm.pdf(wide[:, None], grid, step) @ density
        weights = np.full(_NODES, wide[1] - wide[0])
        weights[[0, -1]] /= 2
        grid, density, before = wide, reached * weights, time
    return 2 * stats.norm.sf(bounds / np.sqrt(times))


def _spent(times: np.ndarray, alpha: float, spending: str) -> np.ndarray:
    if spending == "pocock":
        return alpha * np.log1p((e - 1) * times)
    return 4 * stats.norm.sf(stats.norm.isf(alpha / 4) / np.sqrt(times))  # half of it on each side


def _bound(grid: np.ndarray, density: np.ndarray, step: float, spend: float) -> float:
    """Return beyond which the sum lies with this chance; by bisection, both sides alike."""
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        beyond = 2 * float(stats.norm.sf(middle, grid, step) @ density)
        low, high = (middle, high) if beyond > spend else (low, middle)
    return high
