"""Smallest difference that an experiment of the same size would detect, and its description."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
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
_DRAWS, _BLOCK = 1500, 250  # experiments simulated, at a time
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
    if correction in (TUKEY, "nemenyi"):
        return _Family(name=name, short=short, level=alpha / m, correction=correction)
    level = 1 - (1 - alpha) ** (1 / m) if correction == "finner" else alpha / m
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
    shares = np.ones(1)
    if spread_df is not None:  # ratio of observed and true variance
        shares = stats.chi2.ppf((np.arange(_NODES) + 0.5) / _NODES, spread_df) / spread_df
    levels = np.atleast_1d(critical)[:, None]

    def surplus(value: float) -> float:
        return float(stats.ncf.sf(levels, *df, value * shares).mean()) - power

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
    no_difference = k * (k + 1) / 6

    def surplus(difference: float) -> float:
        spread = sqrt(min(no_difference, (k - 1) ** 2 - difference**2) / n)
        tails = stats.norm.sf((critical - difference) / spread) + stats.norm.cdf(
            (-critical - difference) / spread
        )
        return float(np.mean(tails)) - power

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
    """Return the mean difference that the t test detects with the given power; `factor` inflates the variance.

    `df` is n - 1 by default. Power is averaged over several levels and, with `averaged`, over the
    distribution of the true variance given the observed one.
    """
    n = len(differences)
    df = n - 1 if df is None else df
    critical = stats.f.isf(level, 1, df)
    critical = tuple(critical.tolist()) if np.ndim(critical) else float(critical)
    ncp = noncentrality(critical, (1, df), power, spread_df=df if averaged else None)
    return sqrt(ncp * factor / n) * float(differences.std(ddof=1))


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
    step = 2.0 ** (1 - n) if n <= ALL_FLIPS else 1e-4  # distance of the attainable p-values
    choices = floor(level / step * (1 + P_ROUNDING))
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
        error = (high - low) / (2 * stats.norm.isf(0.025))
        return float(error * (stats.norm.isf(level / 2) + stats.norm.ppf(power)))
    skip = int(signed_ranks.signed_rank_quantiles(n, np.array(level / 2)))
    if skip < 0:
        return nan
    rows, columns = np.triu_indices(n)
    return _shift(differences, lambda drawn: (drawn[:, rows] + drawn[:, columns]) / 2, skip, power)


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
    deciding = []
    for _ in range(_DRAWS // _BLOCK):
        drawn = rng.choice(residuals, (_BLOCK, n)) * rng.choice([-1.0, 1.0], (_BLOCK, n))
        means = means_of(drawn + bandwidth * rng.normal(size=drawn.shape))
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
    return lambda wins: np.minimum(1.0, 2 * stats.binom.sf(np.maximum(wins, n - wins) - 1, n, 0.5))


def chi_square_pvalue(n: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from numbers of wins out of n to McNemar's continuity-corrected p-values."""
    return lambda wins: stats.chi2.sf(np.maximum(np.abs(2 * wins - n) - 1, 0) ** 2 / n, 1)


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
    spread = sqrt(float(((halves[:, 0] - halves[:, 1]) ** 2).sum()) / 2 / 5)
    by_t = partial(noncentrality, float(stats.f.isf(level, 1, 5)), (1, 5), power)
    match statistic:
        case Statistic.CV52_F:
            ratio = 2 * float(stats.f.isf(level, 10, 5)) - 1
            return spread * sqrt(noncentrality(ratio, (5, 5), power) / 10)
        case Statistic.CV52_FIRST_T:
            return spread * sqrt(by_t())
        case Statistic.CV52_MEAN_T:
            return spread * sqrt(by_t() / 10)
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
    critical = float(stats.f.isf(level, *df)) if df[1] > 0 else inf
    return sqrt(noncentrality(critical, df, power) * factor / n) if critical < inf else nan


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
    v_h, v_e = a - 1, (a - 1) * (n - 1)
    v_e = at_most(v_e, max_df)
    t = 1.0 if p**2 + v_h**2 <= 5 else sqrt((p**2 * v_h**2 - 4) / (p**2 + v_h**2 - 5))
    df = (p * v_h, (v_e + v_h - (p + v_h + 1) / 2) * t - (p * v_h - 2) / 2)
    if v_e < p or not df[1] > 0:
        return nan, df
    noncentrality_per_fold = noncentrality(float(stats.f.isf(level, *df)), df, power) / (
        (v_h + v_e) * t
    )
    return sqrt((v_h + v_e) * ((1 + noncentrality_per_fold) ** t - 1) * factor / n), df


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
    family, outcome = _smallest_detectable(analysis, power, over_instances)
    result = {
        "smallest": analysis.least.pvalue,
        "size": str(analysis.counted),
        "reason": "",
    } | outcome
    smallest, size = result["smallest"], result["size"]
    can_reject = not isnan(smallest) and bool(significant(smallest, alpha))
    is_defined = can_reject or isnan(smallest)
    middle, low, high = result["values"] if is_defined else (nan, nan, nan)
    return Detectable(
        can_reject=can_reject,
        smallest_pvalue=smallest,
        difference=middle,
        low=low,
        high=high,
        unit=result["unit"],
        family=family.name,
        power=power,
        method=result["method"],
        size=f"{size} and {family.short}" if family.short else size,
        digits=score_digits(analysis.scores),
        alpha=alpha,
        reason=result["reason"],
        omnibus=result.get("omnibus", nan),
    )


@cached
def _smallest_detectable(c: Any, power: float, over_instances: bool) -> tuple[_Family, dict]:
    """Return the family of hypotheses of a comparison, and a dict of its detectable difference; "reason" if none."""
    shape, alpha = c.shape, c.settings.alpha
    if shape.over == "cases":
        return _instance_gap(c, power)
    if over_instances or shape.over == "benchmarks":
        stratified = strata.stratified_of(c)
        if stratified is not None:
            return _stratified_gap(c, stratified, power)
    if shape.over == "nothing":
        reason = detectable_text(f"unknown.{'published' if shape.published else shape.over}")
        return NO_FAMILY, {"smallest": nan, "size": ""} | _refused(reason)
    if shape.several_measures:
        return _vector_gap(c, power)
    if shape.over == "folds":
        return _fold_gap(c, power)
    if shape.wins:
        k = len(c.wins)
        family = _one_pair(alpha) if k == 2 else _all_pairs(k, alpha, c.correction)
        return family, _share_gap(c.n, family, power)
    return _average_gap(c, power)


def _instance_gap(c: Any, power: float) -> tuple[_Family, dict]:
    """Return the family, and a dict of the smallest detectable difference on instances; "reason" if none."""
    alpha, pairs, k = c.settings.alpha, c.compared_pairs(), len(c.order)
    if c.control:
        family = _against_control(c.control, k, alpha, c.correction)
    else:
        family = _one_pair(alpha) if len(pairs) == 1 else _all_pairs(k, alpha, c.correction)
    pairs.sort(key=lambda pair: c.turned(*pair)[1].error)
    parts = [
        item_planning.item_variance(c, *pairs[i])
        for i in sorted({0, len(pairs) // 2, len(pairs) - 1})
    ]
    exact, clustered = c.way == "mcnemar", bool(c.n_clusters)
    if exact:
        method = detectable_text(
            "method.instances", exact=exact, clustered=clustered, step=family.step
        )
    else:
        simulated = parts[0].is_simulated(c.n_cases)
        method = detectable_text(
            "method.units", simulated=simulated, clustered=clustered, step=family.step
        )
    differences = [part.detectable(family.level, power) for part in parts]
    shown = _summarize_pairs(differences, c.measure_name, method)
    if not exact:
        return family, shown
    multiplier = 1 if family.correction in ("", "none") else len(pairs)
    most = max(round(part.discordance * part.n) for part in parts)
    return family, {"smallest": min(1.0, multiplier * 2 * 0.5**most)} | shown


def _stratified_gap(c: Any, s: StratifiedDifference, power: float) -> tuple[_Family, dict]:
    """Return the family, and a dict of the detectable difference over all instances of several benchmarks."""
    alpha, pairs, n = c.settings.alpha, c.n_comparisons, int(s.frame["instances"].sum())
    correction = getattr(c, "correction", "bonferroni")
    if pairs == 1:
        family = _one_pair(alpha)
    elif c.settings.control:
        family = _against_control(c.settings.control, len(c.order), alpha, correction)
    else:
        family = _all_pairs(len(c.order), alpha, correction)
    if s.exact:
        variance = item_planning.ItemVariance.of_difference(n, s.error, s.discordance)
        difference = variance.detectable(family.level, power)
        multiplier = 1 if family.correction in ("", "none") else pairs
        smallest = min(1.0, multiplier * 2 * 0.5 ** round(s.discordance * n))
    else:
        difference = cluster_power.detectable_by_t(s.variances, s.df, family.level, power)
        smallest = c.least.pvalue if c.shape.over == "benchmarks" else nan
    method = detectable_text(
        "method.instances", exact=s.exact, clustered=not s.exact, step=family.step
    )
    size = f"{format_count(n, 'instance')} of these {format_count(len(s.frame), 'benchmark')}"
    shown = {"size": size} | _summarize_pairs([difference], c.measure_name, method)
    return family, {"smallest": smallest} | shown


def _average_gap(c: Any, power: float) -> tuple[_Family, dict]:
    """Return the family, and a dict of the smallest detectable difference over data sets; "reason" if none."""
    shape, settings, family = c.shape, c.settings, _average_family(c)
    if settings.source == "ranks" and shape.ranks:
        return family, _rank_gap(c, family, power)
    if shape.control and settings.correction == "li":
        return family, _unknown("li_discrete")
    if settings.source == "sign" and not shape.two:
        return family, _unknown("shared") if shape.incomplete else _share_gap(
            len(c.scores), family, power
        )
    values = [pair for pair in _pairs_of_averages(c) if len(pair[0]) > 1]
    three = [values[position] for position in _typical_and_extreme(values)]
    shifts = [_signed_ranks(x, y, family.level, power) for x, y in three]
    return family, _summarize_pairs(
        shifts, measure_name(settings.measure), _method_of(WILCOXON, family, on_folds=False)
    )


def _average_family(c: Any) -> _Family:
    """Return the family of tests over data sets."""
    k, alpha, correction = len(c.order), c.settings.alpha, c.settings.correction
    if c.shape.two:
        return _one_pair(alpha)
    if c.shape.control:
        return _against_control(c.control, k, alpha, correction)
    return _all_pairs(k, alpha, correction)


def _pairs_of_averages(c: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the averages of both algorithms of each tested pair on their data sets."""
    if c.shape.incomplete:
        for names in c.details()[["first", "second"]].itertuples(index=False):
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


def _rank_gap(c: Any, family: _Family, power: float) -> dict:
    """Return a dict of the smallest detectable difference of average ranks; "reason" if none."""
    k, n, alpha, correction = len(c.order), c.friedman.n, c.settings.alpha, family.correction
    critical = None if c.shape.control else c.critical_difference
    if critical:
        return _by_ranks(critical, k, n, family, power)
    if correction in ("li", "bonferroni_dunn") or c.shape.published:
        level = li_levels(k, n, alpha) if correction == "li" else family.level
        return _by_ranks(_critical_gap(level, k, n), k, n, family, power)
    return _by_ranks(ranks.exact_critical_gap(family.level, k, n), k, n, family, power, step=1 / n)


def _share_gap(n: int, family: _Family, power: float) -> dict:
    """Return a dict of the smallest share of wins over data sets that the sign test detects; "reason" if none."""
    return _summarize_pairs(
        [_share(n, family.level, power)], SHARE, _method_of(SIGN_TEST, family, on_folds=False)
    )


def _by_ranks(
    critical: float | np.ndarray, k: int, n: int, family: _Family, power: float, step: float = 0.0
) -> dict:
    """Return a dict of the detectable difference of average ranks; "reason" if none. `step` is that of exact tests."""
    middle = float(np.median(critical))
    difference = nan if middle >= k - 1 else gap_of_ranks(critical - step / 2, k, n, power)
    if step and isfinite(middle) and middle >= k - 1:
        return _unknown("largest", datasets=format_count(n, "data set"))
    if isnan(difference):
        return _unknown(
            "several" if np.ndim(critical) == 0 else "li", datasets=format_count(n, "data set")
        )
    values = {
        "middle": middle,
        "exact": bool(step),
        "often": bool(np.ndim(critical)),
        "step": family.step,
    }
    method = detectable_text("method.ranks", **values)
    return {"values": (difference,) * 3, "unit": RANKS, "method": method}


def _critical_gap(level: float | np.ndarray, k: int, n: int) -> float | np.ndarray:
    critical = stats.norm.isf(np.asarray(level) / 2) * sqrt(k * (k + 1) / (6 * n))
    return critical if np.ndim(level) else float(critical)


def _tukey_gap(c: Any, power: float) -> dict:
    outcome = c.raw
    if outcome.nothing_to_test:
        return _unknown("constant")
    q = distributions.studentized_range_isf(c.settings.alpha, len(c.order), outcome.df)
    ncp = noncentrality(q**2 / 2, (1, outcome.df), power, spread_df=outcome.df)
    method = detectable_text("method.tukey", df=outcome.df, factor=outcome.factor)
    return {
        "values": (outcome.half_width / q * sqrt(2 * ncp),) * 3,
        "unit": c.measure_name,
        "method": method,
    }


def _fold_gap(c: Any, power: float) -> tuple[_Family, dict]:
    """Return the family, and a dict of the smallest detectable difference on folds or instances; "reason" if none."""
    k, alpha = len(c.order), c.settings.alpha
    if not c.shape.two and isinstance(c.raw, TukeyResult):
        return _all_pairs(k, alpha, TUKEY), _tukey_gap(c, power)
    method = PAIR_TESTS[c.test]
    family = _one_pair(alpha) if c.shape.two else _all_pairs(k, alpha, c.correction)
    pairs = c.pairs_of_folds([(c.first, c.second)] if c.shape.two else combinations(c.order, 2))
    common = _on_instances(pairs, method, family) if method.on_instances else {}
    if c.shape.two and c.chosen.outcome is None:
        return family, common | _refused(c.chosen.reason)
    if method.statistic in (Statistic.SIGNED_RANKS, Statistic.SIGN_FLIPS):
        values = [(pair.x.to_numpy(), pair.y.to_numpy()) for pair in pairs]
        # simulated, so only for three of the pairs
        pairs = [pairs[position] for position in _typical_and_extreme(values)]
    differences = [_by_pair_test(pair, method, family.level, power) for pair in pairs]
    unit = SHARE if method.statistic is Statistic.SIGNS else c.measure_name
    return family, common | _summarize_pairs(differences, unit, _method_of(method, family))


def _on_instances(pairs: Sequence[FoldPair], method: PairMethod, family: _Family) -> dict:
    """Return the smallest attainable adjusted p-value on instances, and their number."""
    splits = [_disagreements(pair, method.statistic) for pair in pairs]
    least = [float(pvalue(np.array([n]))[0]) for n, pvalue in splits if n]
    multiplier = 1 if family.correction in ("", "none") else len(pairs)
    return {
        "smallest": min(1.0, multiplier * min(least, default=1.0)),
        "size": format_count(len(_cases(pairs[0])), "instance"),
    }


def _by_pair_test(pair: FoldPair, method: PairMethod, level: float, power: float) -> float:
    """Return the difference, or for the sign test the share of wins, that a test detects for one pair; NaN if none."""
    x, y = pair.x.to_numpy(), pair.y.to_numpy()
    n, statistic = len(x), method.statistic
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
            discordant, pvalue = _disagreements(pair, statistic)
            share = share_of_wins(discordant, pvalue, level, power) if discordant else nan
            return (2 * share - 1) * discordant / len(_cases(pair))
        case _:
            assert_never(statistic)


def _vector_gap(c: Any, power: float) -> tuple[_Family, dict]:
    """Return the family, and a dict of the distances that Hotelling's test and MANOVA detect; "reason" if none."""
    n, alpha, max_df, manova = c.n_folds, c.settings.alpha, c.max_df, {}
    factor, k = overlap_factor(n, c.test_fraction), len(c.names)
    if c.shape.two:
        family, dimensions, omnibus = _one_pair(alpha), [c.hotelling.df[0]], nan
    else:
        family, omnibus = _all_pairs(k, alpha, c.correction), nan
        # each pair has its own effective dimension
        dimensions = [
            hotelling.effective_space(c.vectors[[i, j]]).dimension
            for i, j in combinations(range(k), 2)
        ]
        if c.space.dimension:
            omnibus, manova_df = distance_by_manova(
                k, n, c.space.dimension, factor, alpha, power, max_df=max_df
            )
            manova = {"df": manova_df}
    common = {"smallest": 0.0, "size": format_count(n, "fold")}
    dfs = {p: hotelling_df(n, p, max_df) for p in sorted(set(dimensions)) if p}
    testable = [p for p, (_, left) in dfs.items() if left > 0]
    if not testable:
        return family, common | _unknown("same")
    distances = {
        p: distance_by_hotelling(n, p, factor, family.level, power, max_df=max_df) for p in testable
    }
    middle = sorted(p for p in dimensions if p in distances)
    values = {
        "df": [dfs[p] for p in testable],
        "factor": factor,
        "step": family.step,
        "manova": manova,
    }
    return family, common | {
        "values": (
            distances[middle[len(middle) // 2]],
            distances[testable[0]],
            distances[testable[-1]],
        ),
        "unit": MAHALANOBIS,
        "method": detectable_text("method.hotelling", **values),
        "omnibus": omnibus,
    }


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
    same_length = len({len(difference) for difference in differences}) == 1
    spreads = (
        np.std(differences, axis=1)
        if same_length
        else [difference.std() for difference in differences]
    )
    order = np.argsort(spreads, kind="stable")
    positions = sorted({0, len(order) // 2, len(order) - 1})
    return [int(order[position]) for position in positions]


def _cases(pair: FoldPair) -> pd.DataFrame:
    """Return whether each algorithm classifies each instance correctly."""
    assert pair.correct is not None
    return pair.correct


def _disagreements(pair: FoldPair, statistic: Statistic) -> tuple[int, Callable]:
    """Return the number of discordant instances, and a function from wins to p-values."""
    correct = _cases(pair)
    n = int((correct.iloc[:, 0] != correct.iloc[:, 1]).sum())
    by_chi_square = statistic is Statistic.DISAGREEMENTS_CHI_SQUARE
    return n, (chi_square_pvalue if by_chi_square else binomial_pvalue)(n)


def _summarize_pairs(differences: list[float], unit: str, method: str) -> dict:
    """Return a dict of the median and range of the pairs' detectable differences; "reason" if none is defined."""
    defined = sorted(value for value in differences if value > 0)
    if not defined:
        return _unknown("none")
    values = (defined[len(defined) // 2], defined[0], defined[-1])
    return {"values": values, "unit": unit, "method": method}


def _unknown(code: str, **values: str) -> dict:
    return _refused(detectable_text(f"unknown.{code}", **values))


def _refused(reason: str) -> dict:
    return {"values": (nan, nan, nan), "unit": "", "method": "", "reason": reason}
