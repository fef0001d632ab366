"""Intervals and effect sizes of paired differences."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special, stats

from stats_core.core.formatting import ABOVE_ZERO
from stats_core.core.significance import significant
from stats_core.core.validation import TIE_TOLERANCE, check_paired, check_probability, ties_mask
from stats_core.inference.paired.signed_ranks import pairwise_means, sign_test, signed_rank_quantiles, wilcoxon
from stats_core.inference.paired.t_tests import TTestResult, corrected_t, paired_t

_LARGE_T = 1e4


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSizes:
    """Effect sizes of paired differences, first minus second.

    Attributes
    ----------
    mean, mean_low, mean_high : float
        Mean difference with its t interval.
    standardised, standardised_low, standardised_high : float
        Mean difference in standard deviations of the folds' differences (d_z).
    rank_biserial : float
        Matched rank-biserial correlation, from -1 to 1.
    """

    mean: float
    mean_low: float
    mean_high: float
    standardised: float
    standardised_low: float
    standardised_high: float
    rank_biserial: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per effect size: estimate, low, high."""
        return pd.DataFrame(
            [
                [self.mean, self.mean_low, self.mean_high],
                [self.standardised, self.standardised_low, self.standardised_high],
                [self.rank_biserial, np.nan, np.nan],
            ],
            index=["mean difference", "standardised difference", "rank-biserial"],
            columns=["estimate", "low", "high"],
        )


def effect_sizes(
    x: ArrayLike,
    y: ArrayLike,
    *,
    test_fraction: float | None = None,
    confidence: float = 0.95,
    max_df: int | None = None,
) -> EffectSizes:
    """How large is the difference of two algorithms on the same folds?

    Notes
    -----
    t is d_z sqrt(J / c) with c the overlap factor, so the interval of d_z holds the
    noncentralities that leave (1 - confidence)/2 on either side of the observed t. The
    rank-biserial correlation has none.

    References
    ----------
    Cumming and Finch, Educ. Psychol. Meas. 61 (2001) 532; Kerby, Innov. Teach. 3 (2014).

    Examples
    --------
    >>> sizes = effect_sizes([6.0, 7, 9, 8], [5.0, 5, 6, 7])
    >>> round(sizes.standardised, 3), sizes.rank_biserial
    (1.828, 1.0)
    """
    if test_fraction is None:
        test = paired_t(x, y, confidence=confidence)
    else:
        test = corrected_t(x, y, test_fraction=test_fraction, confidence=confidence, max_df=max_df)
    low, high = _noncentralities(test, confidence)
    scale = sqrt(test.factor / test.n)
    return EffectSizes(
        mean=test.estimate,
        mean_low=test.low,
        mean_high=test.high,
        standardised=test.statistic * scale,
        standardised_low=low * scale,
        standardised_high=high * scale,
        rank_biserial=wilcoxon(x, y).rank_biserial,
    )


def _noncentralities(test: TTestResult, confidence: float) -> tuple[float, float]:
    tail = (1 - confidence) / 2
    if abs(test.statistic) > _LARGE_T:  # the noncentral t is then t times a chi, and slow to invert
        ends = np.sqrt(stats.chi2.ppf([tail, 1 - tail], test.df) / test.df) * test.statistic
        return float(ends.min()), float(ends.max())
    low, high = (special.nctdtrinc(test.df, share, test.statistic) for share in (1 - tail, tail))
    return float(low), float(high)


def share_interval(only_first: int, only_second: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval for the difference of two shares of the same instances.

    Notes
    -----
    The normal interval after half a case is added to each of the four counts. Without that, two
    that never disagree would have an interval of no width, as if nothing could be unseen.

    References
    ----------
    Agresti and Min, Stat. Med. 24 (2005) 729.

    Examples
    --------
    >>> [round(end, 4) for end in share_interval(0, 0, 98)]
    [-0.0196, 0.0196]
    """
    b, c, total = only_first + 0.5, only_second + 0.5, n + 2
    z = float(stats.norm.isf((1 - check_probability(confidence, "confidence")) / 2))
    difference = (b - c) / total
    margin = z * sqrt(b + c - (b - c) ** 2 / total) / total
    return difference - margin, difference + margin


def hodges_lehmann_interval(x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval for the median difference x - y by signed ranks.

    Notes
    -----
    The interval belongs to the Wilcoxon test of a symmetric difference: the (c+1)-th smallest
    and largest of the n(n+1)/2 pairwise means, c the largest integer with
    P(W+ <= c) <= (1 - confidence)/2 for ranks without ties. Ties and differences of zero change
    the distribution of the test; zero is outside exactly if `wilcoxon` rejects it.

    References
    ----------
    Hodges and Lehmann 1963; Hollander and Wolfe 1999, section 3.3.

    Examples
    --------
    >>> hodges_lehmann_interval([1, 2, 3, 4, 5, 6.5], [0] * 6)
    (1.0, 6.5)
    """
    check_probability(confidence, "confidence")
    x, y = check_paired(x, y)
    means = np.sort(pairwise_means(_differences(x, y)))
    skip = int(signed_rank_quantiles(len(x), np.array((1 - confidence) / 2)))
    test = wilcoxon(x, y)
    return consistent_interval(
        _inner(means, skip),
        rejects=significant(test.pvalue, 1 - confidence),
        ahead=test.w_plus - test.w_minus,
        scale=_scale(x, y),
    )


def typical_differences(x: np.ndarray, y: np.ndarray, *, confidence: ArrayLike) -> np.ndarray:
    """Return median differences of many pairs with intervals by signed ranks.

    Examples
    --------
    >>> typical_differences(np.array([[1, 2, 3, 4, 5, 6.5]]), np.zeros((1, 6)), confidence=0.95)
    array([[3.5, 1. , 6.5]])
    """
    n = x.shape[1]
    indices = np.flatnonzero(np.triu(np.ones((n, n), dtype=bool)))  # a pair of data sets once
    tails = (1 - np.broadcast_to(np.asarray(confidence, dtype=float), len(x))) / 2
    skips, last = signed_rank_quantiles(n, tails).tolist(), len(indices) - 1
    intervals = np.empty((len(x), 3))
    for pair, (exact, rounded) in enumerate(zip(x - y, _differences(x, y), strict=True)):
        sums = np.add.outer(rounded, rounded).take(indices)
        sums.sort()
        middle = sums
        if not np.array_equal(exact, rounded):
            middle = np.sort(np.add.outer(exact, exact).take(indices))
        intervals[pair, 0] = middle[last // 2] / 2 + middle[(last + 1) // 2] / 2
        intervals[pair, 1:] = _inner(sums, skips[pair])
    return intervals / 2


def sign_interval(x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval for the median difference x - y by signs.

    Notes
    -----
    The (c+1)-th smallest and largest difference, c the largest integer with
    P(Bin(n, 1/2) <= c) <= (1 - confidence)/2; zero is outside exactly if `sign_test` rejects it.

    References
    ----------
    Hollander and Wolfe 1999, section 3.6.

    Examples
    --------
    >>> sign_interval([1, 2, 3, 4, 5, 6, 7, 8, 9], [0] * 9)
    (2.0, 8.0)
    """
    check_probability(confidence, "confidence")
    x, y = check_paired(x, y)
    n = len(x)
    cumulative = stats.binom.cdf(np.arange(n + 1), n, 0.5)
    test = sign_test(x, y)
    return consistent_interval(
        _inner(np.sort(_differences(x, y)), int(significant(cumulative, (1 - confidence) / 2).sum()) - 1),
        rejects=significant(test.pvalue, 1 - confidence),
        ahead=test.wins - test.losses,
        scale=_scale(x, y),
    )


def consistent_interval(
    interval: tuple[float, float], *, rejects: bool, ahead: float, scale: float
) -> tuple[float, float]:
    """Return an interval that excludes zero exactly if its test rejects zero.

    Examples
    --------
    >>> consistent_interval((0.0, 2.0), rejects=True, ahead=1, scale=1.0)
    (5e-324, 2.0)
    >>> consistent_interval((0.5, 2.0), rejects=False, ahead=1, scale=1.0)
    (0.0, 2.0)
    """
    low, high = (0.0 if abs(end) <= TIE_TOLERANCE * scale else end for end in interval)
    if not rejects:
        return min(low, 0.0), max(high, 0.0)
    if ahead > 0:
        return max(low, ABOVE_ZERO), high if high > 0 else np.inf
    return low if low < 0 else -np.inf, min(high, -ABOVE_ZERO)


def mostly_equal(x: np.ndarray, y: np.ndarray) -> bool:
    """Return whether more than half of the differences are zero.

    The median difference is then zero, whatever the others are.

    Examples
    --------
    >>> mostly_equal(np.array([1.0, 1.0, 2.0]), np.array([1.0, 1.0, 9.0]))
    True
    """
    return 2 * int(ties_mask(x, y).sum()) > len(x)


def _inner(values: np.ndarray, skip: int) -> tuple[float, float]:
    if skip < 0:
        return -np.inf, np.inf
    return float(values[skip]), float(values[-1 - skip])


def _differences(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(ties_mask(x, y), 0.0, x - y)


def _scale(x: np.ndarray, y: np.ndarray) -> float:
    return float(max(np.abs(x).max(), np.abs(y).max()))
