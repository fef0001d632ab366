"""Smallest difference that an experiment of the same size would detect, and its description."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import floor, inf, isfinite, isnan, nan, sqrt
from numbers import Real
from typing import Any, Literal, assert_never

import numpy as np
import pandas as pd
from scipy import optimize, stats

from stats_core.comparison.kinds import strata
from stats_core.comparison.kinds.strata import StratifiedDifference
from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.core.errors import SettingError
from stats_core.core.formatting import format_count, measure_name, score_digits
from stats_core.core.messages import TextCatalog
from stats_core.core.result_types import cached
from stats_core.core.significance import P_ROUNDING
from stats_core.core.validation import all_within_rounding, significant, ties_mask
from stats_core.data.settings import TUKEY
from stats_core.inference import distributions, ranks
from stats_core.inference.anova import TukeyResult
from stats_core.inference.methods import (
    PAIR_TESTS,
    SIGN_TEST,
    WILCOXON,
    FoldPair,
    PairMethod,
    Statistic,
)
from stats_core.inference.multiplicity.adjust import CONTROL_CORRECTIONS, CORRECTIONS
from stats_core.inference.multivariate import hotelling
from stats_core.inference.paired import (
    at_most,
    corrected_df,
    hodges_lehmann_interval,
    overlap_factor,
    signed_ranks,
)
from stats_core.inference.paired.signed_ranks import MAX_ALL_FLIPS as ALL_FLIPS
from stats_core.power import cluster_power, item_planning

detectable_text = TextCatalog("stats_core.power", "detectable.toml")
_DRAWS = 1500  # experiments simulated
_BLOCK = 250  # at a time
_MANY = 100  # differences from which on the large-sample form is used
_SEED = 20120
_MIDPOINTS = (np.arange(400) + 0.5) / 400  # approximate a uniform distribution

Cv52Statistic = Literal[Statistic.CV52_F, Statistic.CV52_FIRST_T, Statistic.CV52_MEAN_T]
_NODES = 200  # sizes of the true spread that power is averaged over


@dataclass(frozen=True, slots=True, kw_only=True)
class _Family:
    """Family of hypotheses: its names, its correction, the level of the correction's first step, a note on the step."""

    name: str
    short: str
    level: float
    step: str = ""
    correction: str = ""


NO_FAMILY = _Family(name="none", short="", level=nan)


def _one_pair(alpha: float) -> _Family:
    """Return the family of a single hypothesis."""
    return _Family(name="one pair", short="", level=alpha)


def _all_pairs(k: int, alpha: float, correction: str) -> _Family:
    """Return the family of all pairwise hypotheses.

    Examples
    --------
    >>> family = _all_pairs(8, 0.05, "holm")
    >>> family.name, round(family.level, 5)
    ('all 28 pairs of 8 algorithms', 0.00179)
    """
    m = k * (k - 1) // 2
    name = f"all {format_count(m, 'pair')} of {k} algorithms"
    return _family(name, format_count(m, "pair"), m, alpha, correction, CORRECTIONS)


def _against_control(control: str, k: int, alpha: float, correction: str) -> _Family:
    """Return the family of all comparisons with a control."""
    name = f"{format_count(k - 1, 'comparison')} with {control}"
    return _family(name, name, k - 1, alpha, correction, CONTROL_CORRECTIONS)


def _family(
    name: str, short: str, m: int, alpha: float, correction: str, names: dict[str, str]
) -> _Family:
    if correction == "none":
        return _Family(name=f"{name}, unadjusted", short=short, level=alpha, correction="none")
    level = alpha / m
    if correction in (TUKEY, "nemenyi"):
        return _Family(name=name, short=short, level=level, correction=correction)
    if correction == "finner":
        level = 1 - (1 - alpha) ** (1 / m)
    step = detectable_text(
        "family.step", correction=correction, level=level, name=names[correction]
    )
    return _Family(name=name, short=short, level=level, step=step, correction=correction)


@lru_cache(maxsize=256)
def noncentrality(
    critical: float | tuple[float, ...],
    df: tuple[float, float],
    power: float,
    *,
    spread_df: float | None = None,
) -> float:
    """Return the noncentrality at which F exceeds its critical value with probability `power`.

    Power is averaged over several critical values and, with `spread_df`, over the true variance
    given an observed variance with that many degrees of freedom.

    References
    ----------
    Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 2 (1995), chapter 30.

    Examples
    --------
    A t test with 9 df at 0.05: the square of the noncentrality of t, about 3.15.

    >>> round(noncentrality(stats.f.isf(0.05, 1, 9), (1, 9), 0.8), 2)
    9.92

        Averaged over the distribution of the true variance, it is larger:

    >>> round(noncentrality(stats.f.isf(0.05, 1, 9), (1, 9), 0.8, spread_df=9), 2)
    12.0
    """
    variance_ratios = np.ones(1)  # of observed and true variance
    if spread_df is not None:
        probabilities = (np.arange(_NODES) + 0.5) / _NODES
        variance_ratios = stats.chi2.ppf(probabilities, spread_df) / spread_df
    levels = np.atleast_1d(critical)[:, None]

    def surplus(value: float) -> float:
        powers = stats.ncf.sf(levels, *df, value * variance_ratios)
        return float(powers.mean()) - power

    upper = 1.0
    while surplus(upper) < 0:
        upper *= 2
    return float(optimize.brentq(surplus, 0.0, upper))


def gap_of_ranks(critical: float | np.ndarray, k: int, n: int, power: float) -> float:
    """Return the true difference of two average ranks that is detected with the given power, NaN if none is.

    Notes
    -----
    Power is averaged over several critical values. Uses the normal distribution with variance k (k + 1) / (6 n),
    that of differences of average ranks if no algorithms differ, but at most ((k - 1)^2 - gap^2) / n, the
    largest variance of values in [-(k - 1), k - 1] with that mean. The result is too small if an algorithm is
    first on some data sets and last on others.
    """
    variance_without_difference = k * (k + 1) / 6

    def surplus(difference: float) -> float:
        largest_variance = (k - 1) ** 2 - difference**2
        spread = sqrt(min(variance_without_difference, largest_variance) / n)
        above = stats.norm.sf((critical - difference) / spread)
        below = stats.norm.cdf((-critical - difference) / spread)
        return float(np.mean(above + below)) - power

    largest = (k - 1) * (1 - 1e-12)
    return float(optimize.brentq(surplus, 0.0, largest)) if surplus(largest) > 0 else nan


def li_levels(k: int, n: int, alpha: float) -> np.ndarray:
    """Return equally likely levels at which Li's procedure tests one of k - 1 comparisons.

    Notes
    -----
    Li rejects p if p <= (1 - largest p) alpha / (1 - alpha). The largest p is assumed to be that of
    k - 2 independent comparisons without a difference. True differences, and the shared control,
    make it smaller and the level higher. Differences of rank sums are whole numbers, so the largest
    p can be 1 and the level 0.

    References
    ----------
    Li, J. Stat. Plan. Inference 138 (2008) 1521; Garcia et al., Inf. Sci. 180 (2010) 2044.

    Examples
    --------
        The median; the level of Bonferroni-Dunn is 0.0125.

    >>> round(float(np.median(li_levels(5, 30, 0.05))), 2)
    0.01
    """
    largest_p = _MIDPOINTS ** (1 / (k - 2))
    step = 1 / sqrt(n * k * (k + 1) / 6)  # of z, since sums of ranks are whole
    z = np.round(stats.norm.isf(largest_p / 2) / step) * step
    largest_p = 2 * stats.norm.sf(z)
    return (1 - largest_p) * alpha / (1 - alpha)


def shift_by_t(
    differences: np.ndarray,
    level: float | np.ndarray,
    power: float,
    factor: float = 1.0,
    df: int | None = None,
    *,
    averaged: bool = False,
) -> float:
    """Return the mean difference that the t test detects with the given power; `factor` inflates the variance.

    `df` is n - 1 by default. Power is averaged over several levels and, with `averaged`, over the
    distribution of the true variance given the observed one.
    """
    n = len(differences)
    df = n - 1 if df is None else df
    critical = stats.f.isf(level, 1, df)
    hashable = tuple(critical.tolist()) if np.ndim(critical) > 0 else float(critical)
    ncp = noncentrality(hashable, (1, df), power, spread_df=df if averaged else None)
    standard_deviation = float(differences.std(ddof=1))
    return sqrt(ncp * factor / n) * standard_deviation


def shift_by_flips(differences: np.ndarray, level: float, power: float) -> float:
    """Return the mean difference that the sign-flip test detects with the given power; NaN if none is.

    Notes
    -----
    Let c be the number of sign flips, the identity included, whose sum may reach the observed sum at
    this level. The test rejects in favour of the first algorithm exactly if the c-th smallest mean of
    a subset of the differences is above zero, since flipping a subset lowers the sum by twice the
    subset's sum. That mean is simulated for up to 14 differences.

    Above, the test draws 9999 sign flips and is approximated by a t test. It rejects if at most c -
    1 drawn sums reach the observed one, that is, if its p over all flips is below the c-th smallest
    of 9999 uniform numbers: a level distributed as Beta(c, 10000 - c). With fewer than 25 of the
    2^(n - 1) pairs of opposite flips that is too inaccurate, and the result is NaN.

    References
    ----------
    Hartigan, JASA 64 (1969) 1303.
    """
    n = len(differences)
    is_exact = n <= ALL_FLIPS
    step = 2.0 ** (1 - n) if is_exact else 1e-4  # distance of the attainable p-values
    n_rejecting = floor(level / step * (1 + P_ROUNDING))
    if n_rejecting < 1:
        return nan
    if not is_exact:
        if n_rejecting * step * 2.0 ** (n - 1) < 25:
            return nan
        levels = stats.beta.ppf(_MIDPOINTS, n_rejecting, 10_000 - n_rejecting)
        return shift_by_t(differences, levels, power)
    subsets = np.arange(1, 2**n)[:, None] >> np.arange(n) & 1
    weights = (subsets / subsets.sum(axis=1, keepdims=True)).T
    return _shift(differences, lambda drawn: drawn @ weights, n_rejecting - 1, power)


def shift_by_signed_ranks(differences: np.ndarray, level: float, power: float) -> float:
    """Return the median difference that the Wilcoxon test detects with the given power; NaN if none is.

    Notes
    -----
    With c the critical value of the smaller rank sum, the test finds the first algorithm significantly
    larger exactly if the (c+1)-th smallest pairwise mean of the differences is above zero.
    That mean is simulated up to 100 differences. Above, the shift is (z_level + z_power) times
    the standard error that the Hodges-Lehmann interval gives.

    References
    ----------
    Hodges and Lehmann 1963; Lehmann, Nonparametrics (1975), section 4.2.
    """
    n = len(differences)
    if n > _MANY:
        low, high = hodges_lehmann_interval(differences, np.zeros(n), confidence_level=0.95)
        standard_error = (high - low) / (2 * stats.norm.isf(0.025))
        return float(standard_error * (stats.norm.isf(level / 2) + stats.norm.ppf(power)))
    skip = int(signed_ranks.signed_rank_quantiles(n, np.array(level / 2)))
    if skip < 0:
        return nan
    rows, columns = np.triu_indices(n)

    def walsh_averages(drawn: np.ndarray) -> np.ndarray:
        return (drawn[:, rows] + drawn[:, columns]) / 2

    return _shift(differences, walsh_averages, skip, power)


def _shift(
    differences: np.ndarray,
    means_of: Callable[[np.ndarray], np.ndarray],
    position: int,
    power: float,
) -> float:
    """Return the shift at which the mean at `position` (0 for the smallest) is positive with probability `power`.

    Simulated by a smoothed bootstrap: distances from the mean are drawn from those observed, each
    with a random sign; normal noise lets them lie between and beyond these; then they are scaled to
    the unbiased variance of those observed. The noise is wide (Silverman's bandwidth for normal
    data, 0.67 standard deviations for ten differences), so that few differences count as nearly
    normal and many by their own shape. Silverman and Young, Biometrika 74 (1987) 469; Davison and
    Hinkley, Bootstrap Methods and their Application (1997), section 3.4.
    """
    n = len(differences)
    bandwidth = 1.06 * n**-0.2  # in standard deviations
    residuals = (differences - differences.mean()) / differences.std()
    rng = np.random.default_rng(_SEED)
    shape = (_BLOCK, n)
    deciding = []
    for _ in range(_DRAWS // _BLOCK):
        symmetric = rng.choice(residuals, shape) * rng.choice([-1.0, 1.0], shape)
        smoothed = symmetric + bandwidth * rng.normal(size=shape)
        means = means_of(smoothed)
        deciding.append(np.partition(means, position, axis=1)[:, position])
    scale = float(differences.std(ddof=1)) / sqrt(1 + bandwidth**2)
    return float(-np.quantile(deciding, 1 - power)) * scale


def share_of_wins(
    n: int, pvalue: Callable[[np.ndarray], np.ndarray], level: float, power: float
) -> float:
    """Return the share of wins that a test of n results detects with this power; NaN if n wins are not significant."""
    wins = np.arange(n + 1)
    rejects = significant(pvalue(wins), level)
    if not rejects[-1]:
        return nan

    def surplus(share: float) -> float:
        return float(stats.binom.pmf(wins[rejects], n, share).sum()) - power

    return float(optimize.brentq(surplus, 0.5, 1.0))


def binomial_pvalue(n: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from numbers of wins out of n to exact two-sided binomial p-values."""

    def pvalue(wins: np.ndarray) -> np.ndarray:
        most = np.maximum(wins, n - wins)
        return np.minimum(1.0, 2 * stats.binom.sf(most - 1, n, 0.5))

    return pvalue


def chi_square_pvalue(n: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from numbers of wins out of n to McNemar's continuity-corrected p-values."""

    def pvalue(wins: np.ndarray) -> np.ndarray:
        corrected = np.maximum(np.abs(2 * wins - n) - 1, 0)
        return stats.chi2.sf(corrected**2 / n, 1)

    return pvalue


def shift_by_cv52(
    halves: np.ndarray, statistic: Cv52Statistic, level: float, power: float
) -> float:
    """Return the mean difference that a 5x2 cv test detects with this power, given differences (replication x half).

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
    sum_of_squares = float(((halves[:, 0] - halves[:, 1]) ** 2).sum())
    standard_deviation = sqrt(sum_of_squares / 2 / 5)
    match statistic:
        case Statistic.CV52_F:
            ratio = 2 * float(stats.f.isf(level, 10, 5)) - 1
            return standard_deviation * sqrt(noncentrality(ratio, (5, 5), power) / 10)
        case Statistic.CV52_FIRST_T | Statistic.CV52_MEAN_T:
            ncp = noncentrality(float(stats.f.isf(level, 1, 5)), (1, 5), power)
            n_averaged = 1 if statistic is Statistic.CV52_FIRST_T else 10
            return standard_deviation * sqrt(ncp / n_averaged)
        case _:
            assert_never(statistic)


def distance_by_hotelling(
    n: int, p: int, factor: float, level: float, power: float, *, max_df: int | None = None
) -> float:
    """Return the Mahalanobis distance that the paired Hotelling test detects; NaN without degrees of freedom.

    References
    ----------
    Rencher, Methods of Multivariate Analysis, section 5.7; Anderson, Introduction to
    Multivariate Statistical Analysis (2003), section 5.4.
    """
    df = hotelling_df(n, p, max_df)
    if df[1] <= 0:
        return nan
    critical = float(stats.f.isf(level, *df))
    if critical == inf:
        return nan
    return sqrt(noncentrality(critical, df, power) * factor / n)


def hotelling_df(n: int, p: int, max_df: int | None) -> tuple[int, int]:
    """Return both degrees of freedom of the paired Hotelling test; with too few folds the second is below 1."""
    return p, at_most(n - 1, max_df) + 1 - p


def distance_by_manova(
    a: int, n: int, p: int, factor: float, level: float, power: float, *, max_df: int | None = None
) -> tuple[float, tuple[float, float]]:
    """Return the Mahalanobis distance of two algorithms that the blocked MANOVA detects, NaN if none, and the df of F.

    Notes
    -----
    All other means lie halfway between the two, where they contribute least. Then H has one eigenvalue
    w = n d' S^-1 d in units of the residuals. Rao's F of Wilks' lambda is assumed noncentral F, with
    noncentrality N t ((1 + w/N)^(1/t) - 1), N = v_H + v_E and Rao's t. This is exact if the effective
    dimension is one; otherwise the actual power is at most a few hundredths higher.

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
    v_h = a - 1
    v_e = at_most((a - 1) * (n - 1), max_df)
    is_exact = p**2 + v_h**2 <= 5
    t = 1.0 if is_exact else sqrt((p**2 * v_h**2 - 4) / (p**2 + v_h**2 - 5))
    df1 = p * v_h
    df2 = (v_e + v_h - (p + v_h + 1) / 2) * t - (p * v_h - 2) / 2
    df = (df1, df2)
    if v_e < p or not df2 > 0:
        return nan, df
    critical = float(stats.f.isf(level, *df))
    ncp_per_fold = noncentrality(critical, df, power) / ((v_h + v_e) * t)
    return sqrt((v_h + v_e) * ((1 + ncp_per_fold) ** t - 1) * factor / n), df


@dataclass(frozen=True, slots=True, kw_only=True)
class _Detected:
    """Detectable differences (typical, smallest and largest), or the reason that there are none.

    `smallest` is the smallest attainable p-value, and `size` the size of the experiment as text;
    None if they are those of the comparison.
    """

    values: tuple[float, float, float] = (nan, nan, nan)
    unit: str = ""
    method: str = ""
    reason: str = ""
    smallest: float | None = None
    size: str | None = None
    omnibus: float = nan


RANKS = "average ranks"
SHARE = "share of wins"
MAHALANOBIS = detectable_text("unit.mahalanobis")


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """Smallest difference that an analysis would detect with a given power.

    Attributes
    ----------
    can_reject : bool
        Whether any difference, however large, could be significant.
    smallest_pvalue : float
        The smallest (adjusted) p-value possible at this size: 0 for a test without such a bound,
        NaN where there is no test.
    difference : float
        The smallest true difference detected with the given power; NaN if it is unknown.
        If pairs differ in variance, that of the median pair.
    low, high : float
        The same for the pairs of smallest and largest variance; both equal `difference` if it is
        the same for all pairs.
    omnibus : float
        The distance of two algorithms, all other means halfway between them, that MANOVA detects
        with the same power; NaN without MANOVA.
    unit : str
        The measure, "average ranks", "share of wins" or the unit of a distance.
    family : str
        The hypotheses that share the level.
    power : float
        The probability of detecting `difference`.
    method : str
        Method of computation and its assumptions.
    size : str
        Numbers of data sets, folds or instances, and of hypotheses.
    digits : int
        Decimals of the scores.
    alpha : float
        The level of the analysis.
    reason : str
        Why no difference can be stated, else "".
    """

    can_reject: bool
    smallest_pvalue: float
    difference: float
    low: float
    high: float
    unit: str
    family: str
    power: float
    method: str
    size: str
    digits: int
    alpha: float
    reason: str = ""
    omnibus: float = nan


def _method_of(method: PairMethod, family: _Family, *, on_folds: bool = True) -> str:
    """Return a description of how the detectable difference of a pairwise test is computed."""
    variance = _variance_of(method.statistic)
    return detectable_text(
        "method.pair",
        test=detectable_text(f"tests.{method.statistic.value}", corrected=method.corrects_overlap),
        averaged=variance == "averaged",
        observed=variance == "observed",
        independent=on_folds and method.ignores_overlap,
        step=family.step,
    )


def _variance_of(statistic: Statistic) -> Literal["averaged", "observed", "none"]:
    """Return whether power is averaged over the variance, or assumes that observed, or none."""
    match statistic:
        case Statistic.MEAN_T:
            return "averaged"
        case Statistic.CV52_F | Statistic.CV52_FIRST_T | Statistic.CV52_MEAN_T:
            return "observed"
        case Statistic.SIGNED_RANKS | Statistic.SIGN_FLIPS:
            return "observed"
        case Statistic.SIGNS | Statistic.DISAGREEMENTS | Statistic.DISAGREEMENTS_CHI_SQUARE:
            return "none"
        case _:
            assert_never(statistic)


def detectable(
    analysis: Comparison | HasComparison, *, power: float = 0.8, over_instances: bool = False
) -> Detectable:
    """Return the smallest difference that a new experiment of this size detects with the given power.

    With `over_instances`, it is that of the test over all instances of several benchmarks, if they
    are known. Raise SettingError unless 0.5 <= power < 1.

    Notes
    -----
    In a family of m hypotheses, a given pair is tested at alpha / m, the first step of the correction.
    The power gained by later steps is ignored, so the difference is rather too large than too small;
    Tukey, Nemenyi and Bonferroni-Dunn have a single step. Li's level is not fixed: it is computed
    for no difference between the other algorithms and the control.

    The result plans a new experiment of the same size; it is no further evidence on this one. For t
    tests and Tukey's test, power is averaged over the distribution of the true variance given the
    observed one, sigma^2 = df s^2 / chi^2. For other tests the observed variance is assumed to be
    the true one, as `method` states.

    References
    ----------
    Lehmann, Nonparametrics (1975); Rencher, Methods of
    Multivariate Analysis; Demsar, JMLR 7 (2006); Connor, Biometrics 43 (1987) 207.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from stats_core import Results, analyse
    >>> noise = np.random.default_rng(1).normal(size=(10, 2))
    >>> folds = pd.DataFrame(noise, columns=["a", "b"]).rename_axis("fold").reset_index()
    >>> table = folds.melt("fold", var_name="algorithm", value_name="error")
    >>> table = table.assign(dataset="made", n_train=90, n_test=10)
    >>> seen = detectable(analyse(Results.from_frame(table)))
    >>> seen.can_reject, seen.family, round(seen.difference, 2)
    (True, 'one pair', 1.32)
    """
    analysis = comparison_of(analysis, "analysis")
    if not (isinstance(power, Real) and 0.5 <= power < 1):
        raise SettingError.of("power out of range", power=power)
    alpha = analysis.settings.alpha
    family, detected = _smallest_detectable(analysis, power, over_instances)
    smallest = analysis.least.pvalue if detected.smallest is None else detected.smallest
    size = str(analysis.counted) if detected.size is None else detected.size
    is_unknown = isnan(smallest)
    can_reject = not is_unknown and bool(significant(smallest, alpha))
    middle, low, high = detected.values if can_reject or is_unknown else (nan, nan, nan)
    return Detectable(
        can_reject=can_reject,
        smallest_pvalue=smallest,
        difference=middle,
        low=low,
        high=high,
        unit=detected.unit,
        family=family.name,
        power=power,
        method=detected.method,
        size=f"{size} and {family.short}" if family.short else size,
        digits=score_digits(analysis.scores),
        alpha=alpha,
        reason=detected.reason,
        omnibus=detected.omnibus,
    )


@cached
def _smallest_detectable(c: Any, power: float, over_instances: bool) -> tuple[_Family, _Detected]:
    """Return the family of hypotheses of a comparison, and its detectable difference."""
    shape = c.shape
    alpha = c.settings.alpha
    if shape.over == "cases":
        return _instance_gap(c, power)
    if over_instances or shape.over == "benchmarks":
        stratified = strata.stratified_of(c)
        if stratified is not None:
            return _stratified_gap(c, stratified, power)
    if shape.over == "nothing":
        key = "published" if shape.published else shape.over
        return NO_FAMILY, replace(_unknown(key), smallest=nan, size="")
    if shape.several_measures:
        return _vector_gap(c, power)
    if shape.over == "folds":
        return _fold_gap(c, power)
    if shape.wins:
        k = len(c.wins)
        family = _one_pair(alpha) if k == 2 else _all_pairs(k, alpha, c.correction)
        return family, _share_gap(c.n, family, power)
    return _average_gap(c, power)


def _instance_gap(c: Any, power: float) -> tuple[_Family, _Detected]:
    """Return the family, and the smallest detectable difference on instances."""
    alpha = c.settings.alpha
    k = len(c.order)
    pairs = c.compared_pairs()
    if c.control:
        family = _against_control(c.control, k, alpha, c.correction)
    else:
        family = _one_pair(alpha) if len(pairs) == 1 else _all_pairs(k, alpha, c.correction)
    pairs.sort(key=lambda pair: c.turned(*pair)[1].error)
    shown_pairs = [pairs[i] for i in _first_middle_last(len(pairs))]
    parts = [item_planning.item_variance(c, *pair) for pair in shown_pairs]
    is_exact = c.way == "mcnemar"
    has_clusters = c.n_clusters > 0
    if is_exact:
        method = detectable_text(
            "method.instances", exact=True, clustered=has_clusters, step=family.step
        )
    else:
        is_simulated = parts[0].is_simulated(c.n_cases)
        method = detectable_text(
            "method.units", simulated=is_simulated, clustered=has_clusters, step=family.step
        )
    differences = [part.detectable(family.level, power) for part in parts]
    detected = _summarize_pairs(differences, c.measure_name, method)
    if not is_exact:
        return family, detected
    most_discordant = max(round(part.discordance * part.n) for part in parts)
    return family, replace(detected, smallest=_least_mcnemar(most_discordant, family, len(pairs)))


def _least_mcnemar(n_discordant: int, family: _Family, n_pairs: int) -> float:
    """Return the smallest attainable adjusted p-value of McNemar's exact test."""
    return min(1.0, _multiplier(family, n_pairs) * 2 * 0.5**n_discordant)


def _multiplier(family: _Family, n_pairs: int) -> int:
    """Return the factor by which the smallest p-value of a family is adjusted."""
    return 1 if family.correction in ("", "none") else n_pairs


def _first_middle_last(n: int) -> list[int]:
    """Return the distinct positions of the first, the middle and the last of n values."""
    return sorted({0, n // 2, n - 1})


def _stratified_gap(c: Any, s: StratifiedDifference, power: float) -> tuple[_Family, _Detected]:
    """Return the family, and the detectable difference over all instances of several benchmarks."""
    alpha = c.settings.alpha
    n_pairs = c.guarantee.comparisons
    n = int(s.frame["instances"].sum())
    correction = getattr(c, "correction", "bonferroni")
    if n_pairs == 1:
        family = _one_pair(alpha)
    elif c.settings.control:
        family = _against_control(c.settings.control, len(c.order), alpha, correction)
    else:
        family = _all_pairs(len(c.order), alpha, correction)
    if s.exact:
        variance = item_planning.ItemVariance.of_difference(n, s.error, s.discordance)
        difference = variance.detectable(family.level, power)
        smallest = _least_mcnemar(round(s.discordance * n), family, n_pairs)
    else:
        difference = cluster_power.detectable_by_t(s.variances, s.df, family.level, power)
        smallest = c.least.pvalue if c.shape.over == "benchmarks" else nan
    method = detectable_text(
        "method.instances", exact=s.exact, clustered=not s.exact, step=family.step
    )
    detected = _summarize_pairs([difference], c.measure_name, method)
    size = f"{format_count(n, 'instance')} of these {format_count(len(s.frame), 'benchmark')}"
    return family, replace(detected, smallest=smallest, size=size)


def _average_gap(c: Any, power: float) -> tuple[_Family, _Detected]:
    """Return the family, and the smallest detectable difference over data sets."""
    shape = c.shape
    settings = c.settings
    family = _average_family(c)
    if settings.source == "ranks" and shape.ranks:
        return family, _rank_gap(c, family, power)
    if shape.control and settings.correction == "li":
        return family, _unknown("li_discrete")
    if settings.source == "sign" and not shape.two:
        if shape.incomplete:
            return family, _unknown("shared")
        return family, _share_gap(len(c.scores), family, power)
    values = [pair for pair in _pairs_of_averages(c) if len(pair[0]) > 1]
    shifts = []
    for position in _typical_and_extreme(values):
        x, y = values[position]
        shifts.append(_signed_ranks(x, y, family.level, power))
    method = _method_of(WILCOXON, family, on_folds=False)
    return family, _summarize_pairs(shifts, measure_name(settings.measure), method)


def _average_family(c: Any) -> _Family:
    """Return the family of tests over data sets."""
    k = len(c.order)
    alpha = c.settings.alpha
    correction = c.settings.correction
    if c.shape.two:
        return _one_pair(alpha)
    if c.shape.control:
        return _against_control(c.control, k, alpha, correction)
    return _all_pairs(k, alpha, correction)


def _pairs_of_averages(c: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the averages of both algorithms of each tested pair on their data sets."""
    if c.shape.incomplete:
        for names in c.pairs.decisions[["first", "second"]].itertuples(index=False):
            yield c.shared_results(*names)
        return
    averages = dict(zip(c.scores, c.scores.to_numpy().T, strict=True))
    if c.shape.two:
        named = [(c.first, c.second)]
    elif c.shape.control:
        named = c.compared_pairs()
    else:
        named = list(combinations(averages, 2))
    for a, b in named:
        yield averages[a], averages[b]


def _rank_gap(c: Any, family: _Family, power: float) -> _Detected:
    """Return the smallest detectable difference of average ranks."""
    k = len(c.order)
    n = c.friedman.n
    correction = family.correction
    critical = None if c.shape.control else c.critical_difference
    if critical:
        return _by_ranks(critical, k, n, family, power)
    if correction == "li":
        levels = li_levels(k, n, c.settings.alpha)
        return _by_ranks(_critical_gap(levels, k, n), k, n, family, power)
    if correction == "bonferroni_dunn" or c.shape.published:
        return _by_ranks(_critical_gap(family.level, k, n), k, n, family, power)
    return _by_ranks(ranks.exact_critical_gap(family.level, k, n), k, n, family, power, step=1 / n)


def _share_gap(n: int, family: _Family, power: float) -> _Detected:
    """Return the smallest share of wins over data sets that the sign test detects."""
    share = _share(n, family.level, power)
    return _summarize_pairs([share], SHARE, _method_of(SIGN_TEST, family, on_folds=False))


def _by_ranks(
    critical: float | np.ndarray, k: int, n: int, family: _Family, power: float, step: float = 0.0
) -> _Detected:
    """Return the detectable difference of average ranks; `step` is that of exact tests, else 0."""
    middle = float(np.median(critical))
    exceeds_largest = middle >= k - 1
    datasets = format_count(n, "data set")
    if step > 0 and isfinite(middle) and exceeds_largest:
        return _unknown("largest", datasets=datasets)
    has_several_levels = np.ndim(critical) > 0
    difference = nan if exceeds_largest else gap_of_ranks(critical - step / 2, k, n, power)
    if isnan(difference):
        return _unknown("li" if has_several_levels else "several", datasets=datasets)
    method = detectable_text(
        "method.ranks", middle=middle, exact=step > 0, often=has_several_levels, step=family.step
    )
    return _Detected(values=(difference,) * 3, unit=RANKS, method=method)


def _critical_gap(level: float | np.ndarray, k: int, n: int) -> float | np.ndarray:
    standard_error = sqrt(k * (k + 1) / (6 * n))
    critical = stats.norm.isf(np.asarray(level) / 2) * standard_error
    return critical if np.ndim(level) > 0 else float(critical)


def _tukey_gap(c: Any, power: float) -> _Detected:
    outcome = c.raw
    if outcome.nothing_to_test:
        return _unknown("constant")
    q = distributions.studentized_range_isf(c.settings.alpha, len(c.order), outcome.df)
    ncp = noncentrality(q**2 / 2, (1, outcome.df), power, spread_df=outcome.df)
    difference = outcome.half_width / q * sqrt(2 * ncp)
    method = detectable_text("method.tukey", df=outcome.df, factor=outcome.factor)
    return _Detected(values=(difference,) * 3, unit=c.measure_name, method=method)


def _fold_gap(c: Any, power: float) -> tuple[_Family, _Detected]:
    """Return the family, and the smallest detectable difference on folds or instances."""
    k = len(c.order)
    alpha = c.settings.alpha
    if not c.shape.two and isinstance(c.raw, TukeyResult):
        return _all_pairs(k, alpha, TUKEY), _tukey_gap(c, power)
    method = PAIR_TESTS[c.test]
    family = _one_pair(alpha) if c.shape.two else _all_pairs(k, alpha, c.correction)
    pairs = c.pairs_of_folds([(c.first, c.second)] if c.shape.two else combinations(c.order, 2))
    if c.shape.two and c.chosen.outcome is None:
        detected = _Detected(reason=c.chosen.reason)
    else:
        detected = _gap_of_pairs(c, pairs, method, family, power)
    if method.on_instances:
        size = format_count(len(_cases(pairs[0])), "instance")
        detected = replace(detected, smallest=_least_on_instances(pairs, method, family), size=size)
    return family, detected


def _gap_of_pairs(
    c: Any, pairs: Sequence[FoldPair], method: PairMethod, family: _Family, power: float
) -> _Detected:
    """Return the differences that a test of two algorithms on folds detects."""
    if method.statistic in (Statistic.SIGNED_RANKS, Statistic.SIGN_FLIPS):
        values = [(pair.x.to_numpy(), pair.y.to_numpy()) for pair in pairs]
        # simulated, so only for three of the pairs
        pairs = [pairs[position] for position in _typical_and_extreme(values)]
    differences = [_by_pair_test(pair, method, family.level, power) for pair in pairs]
    unit = SHARE if method.statistic is Statistic.SIGNS else c.measure_name
    return _summarize_pairs(differences, unit, _method_of(method, family))


def _least_on_instances(pairs: Sequence[FoldPair], method: PairMethod, family: _Family) -> float:
    """Return the smallest attainable adjusted p-value on instances."""
    least = 1.0
    for pair in pairs:
        n_discordant, pvalue = _disagreements(pair, method.statistic)
        if n_discordant > 0:
            least = min(least, float(pvalue(np.array([n_discordant]))[0]))
    return min(1.0, _multiplier(family, len(pairs)) * least)


def _by_pair_test(pair: FoldPair, method: PairMethod, level: float, power: float) -> float:
    """Return the difference, or for the sign test the share of wins, that a test detects for one pair; NaN if none."""
    x = pair.x.to_numpy()
    y = pair.y.to_numpy()
    n = len(x)
    statistic = method.statistic
    match statistic:
        case Statistic.MEAN_T:
            factor = overlap_factor(n, pair.test_fraction if method.corrects_overlap else None)
            df = corrected_df(n, n - 1) if method.bounded_df else n - 1
            return shift_by_t(x - y, level, power, factor, df, averaged=True)
        case Statistic.CV52_F | Statistic.CV52_FIRST_T | Statistic.CV52_MEAN_T:
            return shift_by_cv52(pair.five_by_two(), statistic, level, power)
        case Statistic.SIGNED_RANKS:
            return _signed_ranks(x, y, level, power)
        case Statistic.SIGNS:
            return _share(n, level, power)
        case Statistic.SIGN_FLIPS:
            return _flips(x, y, level, power)
        case Statistic.DISAGREEMENTS | Statistic.DISAGREEMENTS_CHI_SQUARE:
            n_discordant, pvalue = _disagreements(pair, statistic)
            if n_discordant == 0:
                return nan
            share = share_of_wins(n_discordant, pvalue, level, power)
            return (2 * share - 1) * n_discordant / len(_cases(pair))
        case _:
            assert_never(statistic)


def _vector_gap(c: Any, power: float) -> tuple[_Family, _Detected]:
    """Return the family, and the distances that Hotelling's test and MANOVA detect."""
    n = c.n_folds
    k = len(c.names)
    alpha = c.settings.alpha
    max_df = c.max_df
    factor = overlap_factor(n, c.test_fraction)
    omnibus = nan
    manova: dict[str, Any] = {}
    if c.shape.two:
        family = _one_pair(alpha)
        dimensions = [c.hotelling.df[0]]
    else:
        family = _all_pairs(k, alpha, c.correction)
        # each pair has its own effective dimension
        spaces = [
            hotelling.effective_space(c.vectors[[i, j]]) for i, j in combinations(range(k), 2)
        ]
        dimensions = [space.dimension for space in spaces]
        p = c.space.dimension
        if p > 0:
            omnibus, df = distance_by_manova(k, n, p, factor, alpha, power, max_df=max_df)
            manova = {"df": df}
    size = format_count(n, "fold")
    df_of_dimension = {}
    distances = {}
    for p in sorted(set(dimensions)):
        df_of_dimension[p] = hotelling_df(n, p, max_df)
        if p > 0 and df_of_dimension[p][1] > 0:
            distances[p] = distance_by_hotelling(n, p, factor, family.level, power, max_df=max_df)
    if not distances:
        return family, replace(_unknown("same"), smallest=0.0, size=size)
    testable = list(distances)
    of_pairs = sorted(p for p in dimensions if p in distances)
    typical = of_pairs[len(of_pairs) // 2]
    method = detectable_text(
        "method.hotelling",
        df=[df_of_dimension[p] for p in testable],
        factor=factor,
        step=family.step,
        manova=manova,
    )
    detected = _Detected(
        values=(distances[typical], distances[testable[0]], distances[testable[-1]]),
        unit=MAHALANOBIS,
        method=method,
        smallest=0.0,
        size=size,
        omnibus=omnibus,
    )
    return family, detected


def _share(n: int, level: float, power: float) -> float:
    return share_of_wins(n, binomial_pvalue(n), level, power)


def _signed_ranks(x: np.ndarray, y: np.ndarray, level: float, power: float) -> float:
    """Return the shift that the Wilcoxon test detects, given the nonzero differences; NaN if these do not vary."""
    values = (x - y)[~ties_mask(x, y)]
    if not len(values) or all_within_rounding(values - values.mean(), x, y):
        return nan
    return shift_by_signed_ranks(values, level, power)


def _flips(x: np.ndarray, y: np.ndarray, level: float, power: float) -> float:
    differences = x - y
    if all_within_rounding(differences - differences.mean(), x, y):
        return nan
    return shift_by_flips(differences, level, power)


def _typical_and_extreme(values: list[tuple[np.ndarray, np.ndarray]]) -> list[int]:
    """Return the positions of the pairs with the smallest, median and largest variance."""
    differences = [x - y for x, y in values]
    lengths = {len(difference) for difference in differences}
    if len(lengths) == 1:  # faster
        spreads = np.std(differences, axis=1)
    else:
        spreads = np.array([difference.std() for difference in differences])
    order = np.argsort(spreads, kind="stable")
    return [int(order[position]) for position in _first_middle_last(len(order))]


def _cases(pair: FoldPair) -> pd.DataFrame:
    """Return whether each algorithm classifies each instance correctly."""
    assert pair.correct is not None
    return pair.correct


def _disagreements(pair: FoldPair, statistic: Statistic) -> tuple[int, Callable]:
    """Return the number of discordant instances, and a function from wins to p-values."""
    correct = _cases(pair)
    is_discordant = correct.iloc[:, 0] != correct.iloc[:, 1]
    n = int(is_discordant.sum())
    if statistic is Statistic.DISAGREEMENTS_CHI_SQUARE:
        return n, chi_square_pvalue(n)
    return n, binomial_pvalue(n)


def _summarize_pairs(differences: list[float], unit: str, method: str) -> _Detected:
    """Return the median and range of the pairs' detectable differences."""
    defined = sorted(value for value in differences if value > 0)
    if not defined:
        return _unknown("none")
    middle = defined[len(defined) // 2]
    return _Detected(values=(middle, defined[0], defined[-1]), unit=unit, method=method)


def _unknown(code: str, **values: str) -> _Detected:
    return _Detected(reason=detectable_text(f"unknown.{code}", **values))
