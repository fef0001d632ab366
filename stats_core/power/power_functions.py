"""Differences that tests detect with a given power.

Each function turns around the distribution its test has when there is a difference.
"""

from collections.abc import Callable
from functools import lru_cache
from math import floor, inf, nan, sqrt

import numpy as np
from scipy import optimize, stats

from stats_core.core.significance import ROUNDING, significant
from stats_core.inference.paired import at_most, hodges_lehmann_interval
from stats_core.inference.paired.sign_flip import EXACT_LIMIT as ALL_FLIPS
from stats_core.inference.paired.signed_ranks import signed_rank_quantiles

_DRAWS, _BLOCK = 1500, 250  # experiments simulated, at a time
_MANY = 100  # differences from which on the large-sample form is used
_SEED = 20120
_MIDPOINTS = (np.arange(400) + 0.5) / 400  # stand for a uniform number

_NODES = 200  # sizes of the true spread that power is averaged over


@lru_cache(maxsize=256)
def noncentrality(
    critical: float | tuple[float, ...], df: tuple[float, float], power: float, *, spread_df: float | None = None
) -> float:
    """Return the noncentrality at which F exceeds its critical value with the given chance.

    References
    ----------
    Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 2 (1995), chapter 30.

    Examples
    --------
    A t test with 9 df at 0.05: the square of the noncentrality of t, about 3.15.

    >>> round(noncentrality(stats.f.isf(0.05, 1, 9), (1, 9), 0.8), 2)
    9.92

    Averaged over how large the true spread may be, it takes more:

    >>> round(noncentrality(stats.f.isf(0.05, 1, 9), (1, 9), 0.8, spread_df=9), 2)
    12.0
    """
    shares = np.ones(1)
    if spread_df is not None:  # the spread seen over the true one, squared
        shares = stats.chi2.ppf((np.arange(_NODES) + 0.5) / _NODES, spread_df) / spread_df
    levels = np.atleast_1d(critical)[:, None]

    def surplus(value: float) -> float:
        return float(stats.ncf.sf(levels, *df, value * shares).mean()) - power

    upper = 1.0
    while surplus(upper) < 0:
        upper *= 2
    return float(optimize.brentq(surplus, 0.0, upper))


def gap_of_ranks(critical: float | np.ndarray, k: int, n: int, power: float) -> float:
    """Return the true gap of two average ranks that exceeds a critical gap with the given chance.

    Notes
    -----
    Normal, with the variance k (k + 1) / (6 n) that gaps have when no algorithms differ, but
    no more than ((k - 1)^2 - gap^2) / n, the most that values in [-(k - 1), k - 1] with that
    mean can have. That is too little where one is first on some data sets and last on others.
    """
    no_difference = k * (k + 1) / 6

    def surplus(gap: float) -> float:
        spread = sqrt(min(no_difference, (k - 1) ** 2 - gap**2) / n)
        tails = stats.norm.sf((critical - gap) / spread) + stats.norm.cdf((-critical - gap) / spread)
        return float(np.mean(tails)) - power

    largest = (k - 1) * (1 - 1e-12)
    return float(optimize.brentq(surplus, 0.0, largest)) if surplus(largest) > 0 else nan


def li_levels(k: int, n: int, alpha: float) -> np.ndarray:
    """Return equally likely levels at which Li's procedure tests one of k - 1 comparisons.

    Notes
    -----
    Li rejects p if p <= (1 - largest p) alpha / (1 - alpha). The largest p is that of k - 2 others
    that equal the control, taken as independent: real differences, and the control they share,
    make it smaller and the level higher. Differences of rank sums are whole numbers, so that the
    largest p can be 1 and the level 0.

    References
    ----------
    Li, J. Stat. Plan. Inference 138 (2008) 1521; Garcia et al., Inf. Sci. 180 (2010) 2044.

    Examples
    --------
    Half of the time it is below 0.01, that of Bonferroni 0.0125.

    >>> round(float(np.median(li_levels(5, 30, 0.05))), 2)
    0.01
    """
    largest = _MIDPOINTS ** (1 / (k - 2))
    step = 1 / sqrt(n * k * (k + 1) / 6)
    z = np.round(stats.norm.isf(largest / 2) / step) * step
    return (1 - 2 * stats.norm.sf(z)) * alpha / (1 - alpha)


def shift_by_t(
    differences: np.ndarray,
    level: float | np.ndarray,
    power: float,
    factor: float = 1.0,
    df: int | None = None,
    *,
    averaged: bool = False,
) -> float:
    """Return the mean difference that the t test detects.

    Of several levels each is as likely as the others. `averaged`: over how large the true spread
    may be, given the one seen.
    """
    n = len(differences)
    df = n - 1 if df is None else df
    critical = stats.f.isf(level, 1, df)
    critical = tuple(critical.tolist()) if np.ndim(critical) else float(critical)
    ncp = noncentrality(critical, (1, df), power, spread_df=df if averaged else None)
    return sqrt(ncp * factor / n) * float(differences.std(ddof=1))


def shift_by_flips(differences: np.ndarray, level: float, power: float) -> float:
    """Return the mean difference that the sign-flip test detects.

    Notes
    -----
    With c the number of sign choices that may reach the sum seen, itself included, the test
    rejects in favour of a larger first exactly where the c-th smallest mean of a subset of the
    differences is above zero: flipping a subset lowers the sum by twice its own. That mean is
    simulated up to 14 differences. Above, where 9999 signs are drawn, the test is taken as a t
    test. It rejects if at most c - 1 of the drawn sums reach the one seen: if its p over all
    signs is below the c-th smallest of 9999 uniform numbers, a level that varies as
    Beta(c, 10000 - c). Below 25 of the 2^(n - 1) pairs of opposite sign choices that is too
    rough, and there is no answer.

    References
    ----------
    Hartigan, JASA 64 (1969) 1303.
    """
    n = len(differences)
    step = 2.0 ** (1 - n) if n <= ALL_FLIPS else 1e-4  # between the p-values it can give
    choices = floor(level / step * (1 + ROUNDING))
    if choices < 1:
        return nan
    if n > ALL_FLIPS:
        if choices * step * 2.0 ** (n - 1) < 25:
            return nan
        levels = stats.beta.ppf(_MIDPOINTS, choices, 10_000 - choices)
        return shift_by_t(differences, levels, power)
    subsets = (np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1
    weights = (subsets / subsets.sum(axis=1, keepdims=True)).T
    return _shift(differences, lambda drawn: drawn @ weights, choices - 1, power)


def shift_by_signed_ranks(differences: np.ndarray, level: float, power: float) -> float:
    """Return the median difference that the Wilcoxon test detects.

    Notes
    -----
    With c the critical value of the smaller rank sum, the test rejects in favour of a larger
    first exactly where the (c+1)-th smallest pairwise mean of the differences is above zero.
    That mean is simulated up to 100 differences. Above, the shift is (z_level + z_power) times
    the standard error that the Hodges-Lehmann interval gives.

    References
    ----------
    Hodges and Lehmann 1963; Lehmann, Nonparametrics (1975), section 4.2.
    """
    n = len(differences)
    if n > _MANY:
        low, high = hodges_lehmann_interval(differences, np.zeros(n), confidence=0.95)
        error = (high - low) / (2 * stats.norm.isf(0.025))
        return float(error * (stats.norm.isf(level / 2) + stats.norm.ppf(power)))
    skip = int(signed_rank_quantiles(n, np.array(level / 2)))
    if skip < 0:
        return nan
    rows, columns = np.triu_indices(n)
    return _shift(differences, lambda drawn: (drawn[:, rows] + drawn[:, columns]) / 2, skip, power)


def _shift(differences: np.ndarray, means_of: Callable[[np.ndarray], np.ndarray], position: int, power: float) -> float:
    """Return the shift that makes the sorted mean at one position positive.

    Simulated by a smoothed bootstrap: distances from the mean are drawn from those seen, each with
    a random sign; normal noise lets them lie between and beyond these; then they are scaled to
    the unbiased variance of those seen. The noise is wide (Silverman's bandwidth for normal data,
    0.67 standard deviations for ten differences), so that few differences count as nearly normal
    and many by their own shape. Silverman and Young, Biometrika 74 (1987) 469; Davison and
    Hinkley, Bootstrap Methods and their Application (1997), section 3.4.
    """
    n = len(differences)
    bandwidth = 1.06 * n**-0.2  # in standard deviations
    residuals = (differences - differences.mean()) / differences.std()
    rng = np.random.default_rng(_SEED)
    deciding = []
    for _ in range(_DRAWS // _BLOCK):
        drawn = rng.choice(residuals, (_BLOCK, n)) * rng.choice([-1.0, 1.0], (_BLOCK, n))
        means = means_of(drawn + bandwidth * rng.normal(size=drawn.shape))
        deciding.append(np.partition(means, position, axis=1)[:, position])
    scale = float(differences.std(ddof=1)) / sqrt(1 + bandwidth**2)
    return float(-np.quantile(deciding, 1 - power)) * scale


def share_of_wins(n: int, pvalue: Callable[[np.ndarray], np.ndarray], level: float, power: float) -> float:
    """Return the win probability that an exact test of n wins and losses detects."""
    wins = np.arange(n + 1)
    rejects = significant(pvalue(wins), level)
    if not rejects[-1]:
        return nan

    def surplus(share: float) -> float:
        return float(stats.binom.pmf(wins[rejects], n, share).sum()) - power

    return float(optimize.brentq(surplus, 0.5, 1.0))


def binomial_pvalue(n: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return the exact two-sided p-values of 0..n wins at win probability 1/2."""
    return lambda wins: np.minimum(1.0, 2 * stats.binom.sf(np.maximum(wins, n - wins) - 1, n, 0.5))


def chi_square_pvalue(n: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return McNemar's p-values of 0..n wins by chi-square with continuity correction."""
    return lambda wins: stats.chi2.sf(np.maximum(np.abs(2 * wins - n) - 1, 0) ** 2 / n, 1)


def shift_by_cv52(halves: np.ndarray, test: str, level: float, power: float) -> float:
    """Return the difference that a test on 5x2 cross-validation detects.

    Notes
    -----
    As the tests assume, the ten differences are independent with one variance. Then
    f = (1 + A/B) / 2, A/B a ratio of independent mean squares of the five replication means
    and the five variances: noncentral F with (5, 5) df, noncentrality 10 d^2 / s^2. The t
    tests have 5 df and the noncentrality of one difference, or of the mean of ten.

    References
    ----------
    Dietterich, Neural Comput. 10 (1998) 1895; Alpaydin, Neural Comput. 11 (1999) 1885.
    """
    spread = sqrt(float(((halves[:, 0] - halves[:, 1]) ** 2).sum()) / 2 / 5)
    if test == "5x2 cv F":
        ratio = 2 * float(stats.f.isf(level, 10, 5)) - 1
        return spread * sqrt(noncentrality(ratio, (5, 5), power) / 10)
    results = 1 if test == "5x2 cv t" else 10
    return spread * sqrt(noncentrality(float(stats.f.isf(level, 1, 5)), (1, 5), power) / results)


def distance_by_hotelling(
    n: int, p: int, factor: float, level: float, power: float, *, max_df: int | None = None
) -> float:
    """Return the Mahalanobis distance from zero that the paired Hotelling test detects.

    References
    ----------
    Rencher, Methods of Multivariate Analysis, section 5.7; Anderson, Introduction to
    Multivariate Statistical Analysis (2003), section 5.4.
    """
    df = hotelling_df(n, p, max_df)
    critical = float(stats.f.isf(level, *df)) if df[1] > 0 else inf
    return sqrt(noncentrality(critical, df, power) * factor / n) if critical < inf else nan


def hotelling_df(n: int, p: int, max_df: int | None) -> tuple[int, int]:
    """Return the degrees of freedom of the paired Hotelling test of n folds in p dimensions."""
    return p, at_most(n - 1, max_df) + 1 - p


def distance_by_manova(
    a: int, n: int, p: int, factor: float, level: float, power: float, *, max_df: int | None = None
) -> tuple[float, tuple[float, float]]:
    """Return the Mahalanobis distance of two algorithms at which the blocked MANOVA rejects.

    Notes
    -----
    All others lie halfway between the two, where they add least. Then H has one eigenvalue
    w = n d' S^-1 d in units of the residuals. Rao's F of Wilks' lambda is taken as noncentral F,
    its noncentrality N t ((1 + w/N)^(1/t) - 1) with N = v_H + v_E and Rao's t: exact where the
    effective dimension is one, elsewhere the power given is met or passed by a few hundredths.

    References
    ----------
    Muller and Peterson, Comput. Stat. Data Anal. 2 (1984) 143; O'Brien and Shieh 1992; Rencher,
    Methods of Multivariate Analysis, chapter 6.

    Examples
    --------
    Three algorithms on ten folds and two measures.

    >>> distance, df = distance_by_manova(3, 10, 2, 1.0, 0.05, 0.8)
    >>> round(distance, 2), df
    (1.27, (4, 34.0))
    """
    v_h, v_e = a - 1, (a - 1) * (n - 1)
    v_e = at_most(v_e, max_df)
    t = 1.0 if p**2 + v_h**2 <= 5 else sqrt((p**2 * v_h**2 - 4) / (p**2 + v_h**2 - 5))
    df = (p * v_h, (v_e + v_h - (p + v_h + 1) / 2) * t - (p * v_h - 2) / 2)
    if v_e < p or not df[1] > 0:
        return nan, df
    noncentrality_per_fold = noncentrality(float(stats.f.isf(level, *df)), df, power) / ((v_h + v_e) * t)
    return sqrt((v_h + v_e) * ((1 + noncentrality_per_fold) ** t - 1) * factor / n), df
