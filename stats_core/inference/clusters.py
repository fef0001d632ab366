"""Variances, degrees of freedom and sign flips of clusters of instances of any sizes."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.validation import all_within_rounding, batches, significant

_DOUBLINGS = 60  # of the distance from the estimate, before an interval is unbounded
_PRECISION = 1e-6  # of an end of an interval, relative to its distance from the estimate
TIES = 1e-9  # statistics that differ by less tie


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterError:
    """Standard error of a mean over clusters of instances.

    Attributes
    ----------
    error : float
        CR2 standard error; 0 if the clusters vary by rounding errors only.
    independent : float
        Standard error if all instances were independent.
    df : float
        Degrees of freedom of the CR2 variance.
    """

    error: float
    independent: float
    df: float

    @property
    def for_intervals(self) -> float:
        """Standard error that is at least that of independent instances."""
        return max(self.error, self.independent)

    @property
    def design_effect(self) -> float:
        """Ratio of the variances for intervals and of independent instances; 1 if neither varies."""
        if self.independent == 0:
            return 1.0
        return (self.for_intervals / self.independent) ** 2


def effective_number(sizes: ArrayLike) -> float:
    """Return Kish's effective number of clusters with these numbers of instances.

    It is (sum of sizes)^2 / (sum of squared sizes): the number of clusters of equal size whose mean
    would have the same variance if all instances of a cluster were alike.

    References
    ----------
    Kish, Survey Sampling (1965), section 11.7.

    Examples
    --------
    >>> effective_number([5, 5, 5]), round(effective_number([60, 2, 2, 2]), 2)
    (3.0, 1.21)
    """
    of_cluster = np.asarray(sizes, dtype=float)
    return float(of_cluster.sum() ** 2 / (of_cluster**2).sum())


def satterthwaite_df(sizes: ArrayLike) -> float:
    """Return the degrees of freedom of the CR2 variance of a mean, by Bell and McCaffrey.

    They are G - 1 for G clusters of equal size, and fewer for others.

    Notes
    -----
    The variance is a quadratic form of the instances, which are independent with equal variances in
    the working model. Satterthwaite's df are 2 E^2 / Var of this form. With shares h of the
    instances, they are 1 / (sum h^2 + (sum c)^2 - sum c^2), where c = h^2 / (1 - h).

    References
    ----------
    Bell and McCaffrey, Surv. Methodol. 28 (2002) 169; Pustejovsky and Tipton, J. Bus. Econ. Stat.
    36 (2018) 672.

    Examples
    --------
    >>> satterthwaite_df([5] * 10), round(satterthwaite_df([60] + [2] * 9), 3)
    (9.0, 1.59)
    """
    of_cluster = np.asarray(sizes, dtype=float)
    if (of_cluster == of_cluster[0]).all():
        return len(of_cluster) - 1.0
    share = of_cluster / of_cluster.sum()
    paired = share**2 / (1 - share)
    inverse_df = (share**2).sum() + paired.sum() ** 2 - (paired**2).sum()
    return float(1 / inverse_df)


def adjusted_sums(by_case: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Return the sums of deviations by cluster 0, 1, ..., whose summed squares are the CR2 variance.

    `by_case` holds the deviation of each instance from the mean divided by their number, or its
    influence; instance, or instance x algorithm.

    Examples
    --------
    >>> adjusted_sums(np.array([0.1, 0.1, -0.1, -0.1]), np.array([0, 0, 1, 1])).round(4).tolist()
    [0.2828, -0.2828]
    """
    sizes = np.bincount(group)
    starts = np.cumsum(sizes) - sizes
    order = np.argsort(group, kind="stable")
    sums = np.add.reduceat(by_case[order], starts, axis=0)
    adjustment = np.sqrt(1 - sizes / len(group))
    if by_case.ndim > 1:
        adjustment = adjustment[:, None]
    return sums / adjustment


def cr2_error(by_case: ArrayLike, group: ArrayLike, *measured: ArrayLike) -> ClusterError:
    """Return the CR2 standard error of a mean over clusters 0, 1, ..., with its degrees of freedom.

    Parameters
    ----------
    by_case : array
        Deviation of each instance from the mean divided by their number, or its influence.
    group : array of int
        Cluster of each instance, 0, 1, ....
    measured : array
        Numbers from which `by_case` was computed, for the size of rounding errors.

    Returns
    -------
    ClusterError
        Standard errors over clusters and over independent instances.

    Notes
    -----
    The squared sum of each cluster is divided by 1 - h, where h is its share of the instances. The
    variance is unbiased for independent instances, whatever the sizes. For clusters of equal size
    it is the usual sandwich estimator with the factor G / (G - 1).

    References
    ----------
    Bell and McCaffrey, Surv. Methodol. 28 (2002) 169.

    Examples
    --------
    >>> found = cr2_error([0.1, 0.1, -0.1, -0.1], [0, 0, 1, 1])
    >>> round(found.error, 6), found.df, round(found.design_effect, 6)
    (0.4, 1.0, 3.0)
    """
    moved = np.asarray(by_case, dtype=float)
    cluster = np.asarray(group)
    n = len(moved)
    sums = adjusted_sums(moved, cluster)
    absolute_sums = np.bincount(cluster, weights=np.abs(moved))
    plain = 0.0 if all_within_rounding(moved, moved, *measured) else _norm(moved)
    error = 0.0 if all_within_rounding(sums, absolute_sums, *measured) else _norm(sums)
    return ClusterError(
        error=error,
        independent=float(plain * np.sqrt(n / (n - 1))),
        df=satterthwaite_df(np.bincount(cluster)),
    )


def _norm(values: np.ndarray) -> float:
    return float(np.sqrt((values**2).sum()))


@dataclass(frozen=True, slots=True, eq=False)
class FlippedSums:
    """Sums of differences by cluster under sign flips, for any shift of the differences.

    Attributes
    ----------
    sums, sizes : array by cluster
        Sum of the differences of the instances, and their number.
    flipped : array, flip x 4
        Sums over clusters with flipped signs: of `sums`, of `sizes`, and both times `sizes`. The
        first row is the observed arrangement.
    listed : bool
        Whether the flips are all there are; else they were drawn, apart from the first.
    """

    sums: np.ndarray
    sizes: np.ndarray
    flipped: np.ndarray
    listed: bool

    def statistics(self, shift: float) -> np.ndarray:
        """Return t / sqrt(1 + t^2) of each flip for differences minus `shift`, in [-1, 1]."""
        total, squares = self._total_and_squares(shift)
        return bounded(total, np.sqrt(squares))

    def _total_and_squares(self, shift: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the sum of each flip of differences minus `shift`, and its squared standard error."""
        n = self.sizes.sum()
        g = len(self.sums)
        moved = self.sums - shift * self.sizes
        sums, sizes, sums_by_size, squared_sizes = self.flipped.T
        total = sums - shift * sizes
        weighted = (sums_by_size - shift * squared_sizes) * (2 / n)
        mean_square_size = self.sizes @ self.sizes / n**2
        square = (moved @ moved) - total * (weighted - total * mean_square_size)
        return total, np.maximum(square, 0) * (g / (g - 1))

    def pvalue(self, shift: float) -> float:
        """Return the two-sided p-value of the hypothesis that the mean difference is `shift`."""
        total, squares = self._total_and_squares(shift)
        # in place: this is called for many shifts
        total *= total
        squares += total
        size = np.divide(total, squares, out=np.zeros(len(total)), where=squares > 0)
        n_extreme = np.count_nonzero(size >= size[0] - TIES)
        return float(n_extreme / len(size))

    @classmethod
    def of(
        cls, sums: np.ndarray, sizes: np.ndarray, signs: np.ndarray, *, listed: bool
    ) -> "FlippedSums":
        """Return the flipped sums for packed masks of the clusters whose sign changes, none in the first row."""
        columns = np.stack([sums, sizes, sums * sizes, sizes**2], axis=1)
        flipped = columns.sum(axis=0) - 2 * masked_sums(signs, columns)
        return cls(sums, sizes, np.asfortranarray(flipped), listed)

    def interval(self, alpha: float, limits: tuple[float, float]) -> tuple[float, float]:
        """Return the smallest and the largest shift within `limits` with a p-value above `alpha`."""
        n = self.sizes.sum()
        g = len(self.sums)
        estimate = float(self.sums.sum() / n)
        deviations = self.sums - estimate * self.sizes
        error = float(np.sqrt(deviations @ deviations * g / (g - 1)) / n)
        reach = error * float(stats.t.isf(alpha / 2, g - 1))
        step = max(reach, abs(estimate) * _PRECISION)
        if step == 0:
            return estimate, estimate

        def rejected(shift: float) -> bool:
            return bool(significant(self.pvalue(shift), alpha))

        low = _end(rejected, estimate, limits[0], -step)
        high = _end(rejected, estimate, limits[1], step)
        return low, high


def _end(rejected: Callable[[float], bool], estimate: float, limit: float, step: float) -> float:
    """Return the end of the values from `estimate` towards `limit` that are not rejected.

    The search begins at the distance `step`.
    """
    inside = 0.0
    outside = 1.1 * step
    for _ in range(_DOUBLINGS):
        if rejected(estimate + outside):
            break
        inside = outside
        outside = 2 * outside
    else:
        return limit
    if inside == 0 and not rejected(estimate + 0.9 * step):
        inside = 0.9 * step
    while abs(outside - inside) > _PRECISION * abs(outside):
        middle = (inside + outside) / 2
        if rejected(estimate + middle):
            outside = middle
        else:
            inside = middle
    end = estimate + inside
    return min(end, limit) if step > 0 else max(end, limit)


def masked_sums(signs: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the product of packed masks, mask x bits of clusters, and columns, cluster x column."""
    n_clusters = len(columns)
    sums = []
    for part in batches(len(signs), n_clusters):
        masks = np.unpackbits(signs[part], axis=1, count=n_clusters)
        sums.append(masks.astype(float) @ columns)
    return np.concatenate(sums)


def bounded(difference: ArrayLike, error: ArrayLike) -> np.ndarray:
    """Return difference / sqrt(difference^2 + error^2): t / sqrt(1 + t^2), 0 for 0 / 0.

    Unlike t, it loses no digits if the error is only a rounding error, so that equal arrangements
    have equal statistics.

    Examples
    --------
    >>> bounded([1.0, 0.0, 3.0], [0.0, 0.0, 4.0]).tolist()
    [1.0, 0.0, 0.6]
    """
    numerator = np.asarray(difference, dtype=float)
    root = np.hypot(difference, error)
    return np.divide(numerator, root, out=np.zeros(root.shape), where=root > 0)
