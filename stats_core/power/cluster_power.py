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
_ALL_FLIPS, _SOME_FLIPS = 9, 299  # units up to which all flips are used; flips drawn for more
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
        sizes, n = np.bincount(group).astype(float), len(group)
        sums, error = adjusted_sums(by_case, group) * n, cr2_error(by_case, group, *measured)
        target = (error.for_intervals * n) ** 2  # of the sum of squares
        if not error.error:  # clusters that are equal by chance
            return cls(np.sqrt(sizes * target / n), sizes)
        return cls(sums * sqrt(target / float(sums @ sums)), sizes)

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
        d, g = np.float32(difference), self.units
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
    rng, bandwidth = np.random.default_rng(_SEED), 1.06 * len(pilot.sums) ** -0.2
    shape = (MOST_UNITS, _DRAWS)
    positions = rng.integers(0, len(pilot.sums), shape)[:n]
    signs, noise = rng.choice([-1.0, 1.0], shape)[:n], rng.normal(size=shape)[:n]
    sizes, spread = pilot.sizes[positions], sqrt(float((pilot.sums**2).mean()))
    sums = (pilot.sums[positions] * signs + bandwidth * spread * noise) / sqrt(1 + bandwidth**2)
    flips = _flips(n, level)
    columns = {"sums": sums, "sizes": sizes, "sums_by_size": sums * sizes, "squared": sizes**2}
    squares = [(sums**2).sum(axis=0), (sums * sizes).sum(axis=0), (sizes**2).sum(axis=0)]
    return _Experiments(
        **{name: flips @ column.astype(np.float32) for name, column in columns.items()},
        squares=np.stack(squares).astype(np.float32),
        totals=sizes.sum(axis=0).astype(np.float32),
        units=n,
    )


def _flips(n: int, level: float) -> np.ndarray:
    """Return signs of n units, flip x unit, none changed in the first row; all different ones if they are few."""
    if n <= _ALL_FLIPS:  # opposite flips have the same statistic
        ways = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1
    else:
        rows = min(_MOST_FLIPS, max(_SOME_FLIPS, ceil(20 / level)))
        ways = np.random.default_rng(_SEED).integers(0, 2, (rows + 1, MOST_UNITS))[:, :n]
        ways[0] = 0
    return (1 - 2 * ways).astype(np.float32)


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
    if n < 2 or not significant(2.0 ** (1 - n), level):
        return 0.0
    return _experiments(pilot, n, level).power(difference, level)


def detectable_by_flips(
    pilot: PilotUnits, n: int, level: float, power: float, largest: float
) -> float:
    """Return the mean difference up to `largest` that the sign-flip test of n units detects; NaN if none."""
    if n < 2 or not significant(2.0 ** (1 - n), level) or not pilot.varies:
        return nan
    experiments = _experiments(pilot, n, level)
    variance = float((pilot.sums**2).mean()) / (n * float(pilot.sizes.mean()) ** 2)
    low, high = 0.0, 3 * sqrt(variance)
    while experiments.power(high, level) < power:
        low, high = high, 1.5 * high
        if low > largest:
            return nan
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        low, high = (low, middle) if experiments.power(middle, level) >= power else (middle, high)
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
    critical = np.zeros(1)
    for variance, df in zip(variances, dfs, strict=True):
        if not isfinite(df):
            critical = critical + variance * special.ndtri(level / 2) ** 2
            continue
        ratio = special.chdtri(df, (np.arange(_NODES) + 0.5) / _NODES) / df
        part = variance * ratio * special.stdtrit(df, level / 2) ** 2
        critical = (critical[:, None] + part).ravel()
    reach, error = np.sqrt(critical), sqrt(sum(variances))
    tails = special.ndtr((difference - reach) / error) + special.ndtr((-reach - difference) / error)
    return float(tails.mean())


def detectable_by_t(
    variances: Sequence[float], dfs: Sequence[float], level: float, power: float
) -> float:
    """Return the difference that the test of `t_power` detects with this power; NaN without variance."""
    error = sqrt(sum(variances))
    if not error or isnan(error):
        return nan
    high = error
    while t_power(variances, dfs, high, level) < power:
        high *= 2
    return float(
        optimize.brentq(lambda value: t_power(variances, dfs, value, level) - power, 0.0, high)
    )
