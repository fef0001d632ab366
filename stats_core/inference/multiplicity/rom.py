"""Critical constants of Rom's procedure, and the levels that p-values reach by them."""

import numpy as np
from scipy.special import comb


def rom_constants(m: int, alpha: float) -> np.ndarray:
    """Return the constants that Rom's procedure compares with the sorted p-values.

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


def rom_levels(ordered: np.ndarray) -> np.ndarray:
    """Return the level at which each p-value equals its constant.

    Examples
    --------
    >>> rom_levels(np.array([0.025, 0.2])).round(6).tolist()
    [0.05, 0.2]
    """
    m = ordered.shape[-1]
    steps = np.arange(m, 0, -1)  # of each p-value from the largest
    targets, index = ordered.ravel(), np.broadcast_to(steps - 1, ordered.shape).ravel()
    low, high = targets.copy(), np.minimum(steps * ordered, 1).ravel()
    for _ in range(60):
        middle = (low + high) / 2
        enough = _constants(m, middle)[np.arange(len(index)), index] >= targets
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high.reshape(ordered.shape)


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
