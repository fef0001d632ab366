"""Sequential testing: alpha spending at looks, and always-valid bounds of t."""

from math import e, sqrt

import numpy as np
from scipy import optimize, stats

from stats_core.core.errors import SettingError
from stats_core.core.validation import check_one_of, check_probability

SPENDINGS = {"obrien-fleming": "O'Brien and Fleming's", "pocock": "Pocock's"}
_NODES = 1201  # grid points of the density of the undecided sum


def spent_levels(shares: np.ndarray, alpha: float, spending: str) -> np.ndarray:
    """Return the two-sided level of each look that spends alpha over all looks.

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
    grid, density = np.zeros(1), np.ones(1)  # values and density of the sum while undecided
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


def always_valid_t(counts: np.ndarray, alpha: float) -> np.ndarray:
    """Return bounds of |t| that hold at any number of looks.

    Notes
    -----
    With a standardized difference from N(0, v), and the spread from its invariant law, the mean likelihood ratio of n
    values, (1 + n v)^(-1/2) ((1 + t^2 / (n - 1)) / (1 + t^2 / ((n - 1) (1 + n v))))^(n/2), is a martingale if there
    is no difference; it ever reaches 1 / alpha with a chance of at most alpha. v is chosen to make the bound at
    the last count smallest, so that count must be named before. Normal values are assumed: over 499 looks it
    was reached in 0.034 of simulated normal experiments at 0.05, in 0.11 of exponential ones.

    References
    ----------
    Wang and Ramdas, Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance,
    arXiv:2310.03722 (2023); Lai, Ann. Stat. 4 (1976) 265.

    Examples
    --------
    >>> always_valid_t(np.array([10, 20, 40]), 0.05).round(2).tolist()
    [4.99, 3.48, 3.2]
    """
    check_probability(alpha, "alpha")
    n = np.asarray(counts, dtype=float)
    if not len(n) or n[0] < 2 or (np.diff(n) <= 0).any():
        raise SettingError("`counts` of looks must increase from 2 or more. Try 10, 20.")
    log_v = optimize.minimize_scalar(
        lambda log: float(_t_bound(n[-1:], alpha, np.exp(log))[0]), bounds=(-9, 9), method="bounded"
    ).x
    return _t_bound(n, alpha, float(np.exp(log_v)))


def _t_bound(n: np.ndarray, alpha: float, v: float) -> np.ndarray:
    """Return the |t| at which the mean likelihood ratio is 1 / alpha."""
    wide = 1 + n * v
    ratio = np.exp((np.log(wide) - 2 * np.log(alpha)) / n)
    reached = ratio < wide
    below = np.where(reached, 1 - ratio / wide, 1.0)
    return np.where(reached, np.sqrt((n - 1) * (ratio - 1) / below), np.inf)


def _spent(times: np.ndarray, alpha: float, spending: str) -> np.ndarray:
    if spending == "pocock":
        return alpha * np.log1p((e - 1) * times)
    return 4 * stats.norm.sf(
        stats.norm.isf(alpha / 4) / np.sqrt(times)
    )  # half of alpha on each side


def _bound(grid: np.ndarray, density: np.ndarray, step: float, spend: float) -> float:
    """Return the symmetric bound that the sum exceeds with probability `spend`, by bisection."""
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        beyond = 2 * float(stats.norm.sf(middle, grid, step) @ density)
        low, high = (middle, high) if beyond > spend else (low, middle)
    return high
