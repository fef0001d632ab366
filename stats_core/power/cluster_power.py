"""Power of tests of sign flips of clusters or instances, and of t tests with several sources of variance."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, isfinite, isnan, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from stats_core.core.validation import significant
from stats_core.inference.clusters import adjusted_sums, cr2_error

MOST_UNITS = 40  # up to which power is simulated
_DRAWS = 300  # experiments simulated
_ALL_FLIPS = 9  # units up to which all flips are used
_SOME_FLIPS = 299  # flips drawn for more units, at least
_MOST_FLIPS = 4095
_SEED = 20120
_TIES = 1e-5  # statistics in single precision that differ by less tie
_PRECISION = 1e-3  # of a simulated detectable difference, relative
_NODES = 60  # of the distribution of an estimated variance


@dataclass(frozen=True, slots=True, eq=False)
class PilotUnits:
    """Clusters, or instances, of a pilot, whose differences vary as much as their standard error says.

    Attributes
    ----------
    sums : array
        Sum of the deviations of the differences from their mean, by unit, scaled to the variance
        that the standard error of the mean has for intervals.
    sizes : array
        Number of instances, by unit.
    """

    sums: np.ndarray
    sizes: np.ndarray

    @classmethod
    def of(cls, by_case: np.ndarray, group: np.ndarray, *measured: ArrayLike) -> "PilotUnits":
        """Return the units of deviations from a mean difference, each divided by their number.

        `measured` are as in `cr2_error`.
        """
        n = len(group)
        sizes = np.bincount(group).astype(float)
        sums = adjusted_sums(by_case, group) * n
        error = cr2_error(by_case, group, *measured)
        sum_of_squares = (error.for_intervals * n) ** 2
        if error.error == 0:  # clusters that are equal by chance
            return cls(np.sqrt(sizes * sum_of_squares / n), sizes)
        return cls(sums * sqrt(sum_of_squares / float(sums @ sums)), sizes)

    @property
    def varies(self) -> bool:
        """Whether the differences vary."""
        return bool(self.sums.any())


@dataclass(frozen=True, slots=True, eq=False)
class _Experiments:
    """Simulated experiments, and their sums over units under sign flips, flip x experiment.

    The first row is the observed arrangement. `squares` holds, by experiment, the sum of the
    squared sums, of the products of sums and sizes, and of the squared sizes.
    """

    sums: np.ndarray
    sizes: np.ndarray
    sums_by_size: np.ndarray
    squared: np.ndarray
    squares: np.ndarray
    totals: np.ndarray
    units: int

    def power(self, difference: float, level: float) -> float:
        """Return the share of experiments in which the difference is significant."""
        of_sums, of_both, of_sizes = self.squares
        d = np.float32(difference)
        g = self.units
        moved = self.sizes * d
        moved += self.sums
        mean = moved / self.totals
        square = self.squared * d
        square += self.sums_by_size
        square *= -2
        square += mean * of_sizes
        square *= mean
        square += of_sums + 2 * d * of_both + d**2 * of_sizes
        np.maximum(square, 0, out=square)
        square *= np.float32(g / (g - 1))
        moved *= moved
        square += moved
        moved /= np.maximum(square, np.finfo(np.float32).tiny)
        p = (moved >= moved[0] - _TIES).mean(axis=0)
        return float(significant(p, level).mean())


@lru_cache(maxsize=8)
def _experiments(pilot: PilotUnits, n: int, level: float) -> _Experiments:
    """Return experiments of n units that are drawn from those of the pilot.

    Signs are drawn, too, and normal noise lets sums lie between and beyond those of the pilot
    (Silverman's bandwidth), without a change of the variance. Larger experiments contain the units
    of smaller ones.
    """
    rng = np.random.default_rng(_SEED)
    shape = (MOST_UNITS, _DRAWS)
    positions = rng.integers(0, len(pilot.sums), shape)[:n]
    signs = rng.choice([-1.0, 1.0], shape)[:n]
    noise = rng.normal(size=shape)[:n]
    bandwidth = 1.06 * len(pilot.sums) ** -0.2  # in standard deviations
    standard_deviation = sqrt(float((pilot.sums**2).mean()))
    smoothed = pilot.sums[positions] * signs + bandwidth * standard_deviation * noise
    sums = smoothed / sqrt(1 + bandwidth**2)
    sizes = pilot.sizes[positions]
    flips = _flips(n, level)

    def flipped(column: np.ndarray) -> np.ndarray:
        return flips @ column.astype(np.float32)

    squares = [(sums**2).sum(axis=0), (sums * sizes).sum(axis=0), (sizes**2).sum(axis=0)]
    return _Experiments(
        sums=flipped(sums),
        sizes=flipped(sizes),
        sums_by_size=flipped(sums * sizes),
        squared=flipped(sizes**2),
        squares=np.stack(squares).astype(np.float32),
        totals=sizes.sum(axis=0).astype(np.float32),
        units=n,
    )


def _flips(n: int, level: float) -> np.ndarray:
    """Return signs of n units, flip x unit, none changed in the first row; all different ones if they are few."""
    if n <= _ALL_FLIPS:  # opposite flips have the same statistic
        is_flipped = np.arange(2 ** (n - 1))[:, None] >> np.arange(n) & 1
    else:
        n_flips = min(_MOST_FLIPS, max(_SOME_FLIPS, ceil(20 / level)))
        rng = np.random.default_rng(_SEED)
        is_flipped = rng.integers(0, 2, (n_flips + 1, MOST_UNITS))[:, :n]
        is_flipped[0] = 0
    return (1 - 2 * is_flipped).astype(np.float32)


def flip_power(pilot: PilotUnits, n: int, difference: float, level: float) -> float:
    """Return the power of the sign-flip test of n units for a mean difference.

    Parameters
    ----------
    pilot : PilotUnits
        Clusters or instances of a pilot.
    n : int
        Number of clusters or instances of the experiment.
    difference : float
        True mean difference.
    level : float
        Two-sided significance level.

    Returns
    -------
    float
        Share of simulated experiments with a significant difference. 0 if no p-value is small
        enough: the smallest is 2 / 2^n.

    Examples
    --------
    >>> pilot = PilotUnits(np.array([-2.0, -1.0, 0.0, 1.0, 2.0]), np.full(5, 4.0))
    >>> flip_power(pilot, 5, 3.0, 0.05), flip_power(pilot, 12, 3.0, 0.05)
    (0.0, 1.0)
    """
    if not _can_reject(n, level):
        return 0.0
    return _experiments(pilot, n, level).power(difference, level)


def _can_reject(n: int, level: float) -> bool:
    """Return whether any difference of n units can be significant."""
    return n >= 2 and bool(significant(2.0 ** (1 - n), level))


def detectable_by_flips(
    pilot: PilotUnits, n: int, level: float, power: float, largest: float
) -> float:
    """Return the mean difference up to `largest` that the sign-flip test of n units detects; NaN if none."""
    if not _can_reject(n, level) or not pilot.varies:
        return nan
    experiments = _experiments(pilot, n, level)
    variance = float((pilot.sums**2).mean()) / (n * float(pilot.sizes.mean()) ** 2)
    low = 0.0
    high = 3 * sqrt(variance)
    while experiments.power(high, level) < power:
        low = high
        high = 1.5 * high
        if low > largest:
            return nan
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        if experiments.power(middle, level) >= power:
            high = middle
        else:
            low = middle
    return high if high <= largest else nan


def t_power(
    variances: Sequence[float], dfs: Sequence[float], difference: float, level: float
) -> float:
    """Return the power of a t test whose variance is the sum of estimated variances.

    Notes
    -----
    The test rejects if the squared difference exceeds the sum of the estimated variances, each
    times the squared t quantile of its degrees of freedom (Banerjee). With one variance this is the
    t test, with infinite df the z test. Power is averaged over the estimated variances.

    References
    ----------
    Banerjee, Sankhya 22 (1960) 357.

    Examples
    --------
    >>> round(t_power([1.0], [9.0], 3.0, 0.05), 3), round(t_power([1.0], [np.inf], 2.8, 0.05), 3)
    (0.761, 0.8)
    """
    probabilities = (np.arange(_NODES) + 0.5) / _NODES
    squared_critical = np.zeros(1)
    for variance, df in zip(variances, dfs, strict=True):
        if not isfinite(df):
            squared_critical = squared_critical + variance * special.ndtri(level / 2) ** 2
            continue
        ratio = special.chdtri(df, probabilities) / df  # of the estimated to the true variance
        part = variance * ratio * special.stdtrit(df, level / 2) ** 2
        squared_critical = (squared_critical[:, None] + part).ravel()
    critical = np.sqrt(squared_critical)
    error = sqrt(sum(variances))
    above = special.ndtr((difference - critical) / error)
    below = special.ndtr((-critical - difference) / error)
    return float((above + below).mean())


def detectable_by_t(
    variances: Sequence[float], dfs: Sequence[float], level: float, power: float
) -> float:
    """Return the difference that the test of `t_power` detects with this power; NaN without variance."""
    error = sqrt(sum(variances))
    if error == 0 or isnan(error):
        return nan

    def surplus(difference: float) -> float:
        return t_power(variances, dfs, difference, level) - power

    high = error
    while surplus(high) < 0:
        high *= 2
    return float(optimize.brentq(surplus, 0.0, high))
