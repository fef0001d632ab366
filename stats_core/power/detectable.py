"""Smallest difference that an experiment of the same size would detect, with its description."""

import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial, singledispatch
from importlib.resources import files
from itertools import combinations
from math import floor, inf, isfinite, isnan, nan, sqrt
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, stats

from stats_core.comparison.kinds.datasets import ControlComparison, PresentComparison, RanksComparison, TwoComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.kinds.measure_vectors import OnMeasures, PairOnMeasures, SeveralOnMeasures
from stats_core.comparison.kinds.published_summaries import PublishedDecisions, PublishedRanks, UntestedComparison
from stats_core.comparison.kinds.wins import OnWins
from stats_core.comparison.result import Comparison
from stats_core.core.errors import SettingError
from stats_core.core.formatting import format_count, score_digits
from stats_core.core.validation import ROUNDING, all_within_rounding, significant, ties_mask
from stats_core.data.settings import TUKEY
from stats_core.inference.anova import TukeyResult
from stats_core.inference.distributions import studentized_range_isf
from stats_core.inference.fold_pairs import T_TESTS
from stats_core.inference.fold_tests import AS_IF_INDEPENDENT, FoldPair
from stats_core.inference.multiplicity.corrections import CONTROL_CORRECTIONS, CORRECTIONS
from stats_core.inference.multivariate.hotelling import effective_space
from stats_core.inference.paired import at_most, corrected_df, hodges_lehmann_interval, overlap_factor
from stats_core.inference.paired.signed_ranks import MAX_ALL_FLIPS as ALL_FLIPS
from stats_core.inference.paired.signed_ranks import signed_rank_quantiles
from stats_core.inference.paired.t_tests import CONSERVATIVE
from stats_core.inference.ranks import exact_critical_gap

_DRAWS, _BLOCK = 1500, 250  # experiments simulated, at a time
_MANY = 100  # differences from which on the large-sample form is used
_SEED = 20120
_MIDPOINTS = (np.arange(400) + 0.5) / 400  # stand for a uniform number

_NODES = 200  # sizes of the true spread that power is averaged over


@dataclass(frozen=True, slots=True, kw_only=True)
class _Family:
    """Hypotheses tested together: their name and the level of the first step."""

    name: str
    short: str
    level: float
    step: str = ""
    correction: str = ""


_LI_IN_STEPS = (
    "The level of Li's procedure depends on the largest p-value. This discrete test often gives a "
    "largest p-value of 1, so no comparison can be significant."
)
# units and whether published -> why no detectable difference is known
_UNKNOWN = {
    ("cases", False): "The detectable difference depends on how often two models disagree, which the "
    "size of the test set does not determine.",
    ("nothing", False): "There is no test, so no difference can be significant.",
    ("nothing", True): "The detectable difference of published decisions is unknown.",
}
NO_FAMILY = _Family(name="none", short="", level=nan)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _DetectableInput:
    """Base class: the family of hypotheses."""

    family: _Family = NO_FAMILY


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _UnknownDetectableInput(_DetectableInput):
    """Reason why no detectable difference is computed."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _RankDetectableInput(_DetectableInput):
    """Average ranks of k algorithms on n data sets; `critical` is a critical difference.

    `exact` is True for exact p-values and False for the normal approximation.
    """

    k: int
    n: int
    alpha: float
    critical: float | None = None
    exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _AverageDetectableInput(_DetectableInput):
    """Averages on data sets of each pair, tested by Wilcoxon."""

    pairs: Sequence[tuple[np.ndarray, np.ndarray]]
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _ProportionDetectableInput(_DetectableInput):
    """Shares of wins on n data sets, tested by the sign test."""

    n: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _TukeyDetectableInput(_DetectableInput):
    """Means of k algorithms, tested by Tukey's test."""

    outcome: TukeyResult
    k: int
    alpha: float
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _FoldDetectableInput(_DetectableInput):
    """Paired results of each pair on folds or instances, tested by one pairwise test."""

    test: str
    pairs: Sequence[FoldPair]
    unit: str
    refused: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _VectorDetectableInput(_DetectableInput):
    """Vectors of measures on n folds, with the dimension of each pair and of the MANOVA."""

    n: int
    dimensions: Sequence[int]
    factor: float
    alpha: float
    max_df: int | None = None
    k: int = 0
    manova_dimension: int = 0


def _one_pair(alpha: float) -> _Family:
    """Return the family of a single comparison."""
    return _Family(name="one pair", short="", level=alpha)


def _all_pairs(k: int, alpha: float, correction: str) -> _Family:
    """Return the family of all pairs.

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
    """Return the family of all comparisons with one algorithm."""
    name = f"{format_count(k - 1, 'comparison')} with {control}"
    return _family(name, name, k - 1, alpha, correction, CONTROL_CORRECTIONS)


def _family(name: str, short: str, m: int, alpha: float, correction: str, names: dict[str, str]) -> _Family:
    if correction == "none":
        return _Family(name=f"{name}, not adjusted", short=short, level=alpha, correction="none")
    if correction in (TUKEY, "nemenyi"):
        return _Family(name=name, short=short, level=alpha / m, correction=correction)
    level = 1 - (1 - alpha) ** (1 / m) if correction == "finner" else alpha / m
    step = f" The level is {level:.3g}, the first step of {names[correction]}. Later steps are more powerful."
    if correction == "li":
        level = alpha / m
        step = (
            " Li's level depends on the largest p-value. All other algorithms are assumed equal to the "
            "control, the least favourable case."
        )
    if correction in ("bonferroni", "bonferroni_dunn"):
        step = f" The level is {level:.3g} ({names[correction]})."
    return _Family(name=name, short=short, level=level, step=step, correction=correction)


@singledispatch
def detectable_input(comparison: Comparison) -> _DetectableInput:
    """Return the input for the smallest difference that the test of a comparison can detect."""
    raise NotImplementedError(comparison.kind)


def _of_averages(c: Comparison, family: _Family, pairs: Iterable[tuple[str, str]]) -> _DetectableInput:
    """Return the input for Wilcoxon or sign tests of averages on data sets."""
    scores, settings = c.scores, c.settings
    if settings.source == "sign":
        return _ProportionDetectableInput(family=family, n=len(scores))
    averages = dict(zip(scores, scores.to_numpy().T, strict=True))
    values = [(averages[a], averages[b]) for a, b in pairs]
    return _AverageDetectableInput(family=family, pairs=values, unit=settings.measure)


@detectable_input.register
def _ranks_input(c: RanksComparison | PublishedRanks) -> _DetectableInput:
    settings, k = c.settings, len(c.order)
    family = _all_pairs(k, settings.alpha, settings.correction)
    if settings.source != "ranks":
        return _of_averages(c, family, combinations(c.scores.columns, 2))
    ranked: dict[str, Any] = {"k": k, "n": c.friedman.n, "alpha": settings.alpha, "critical": c.critical_difference}
    return _RankDetectableInput(family=family, exact=not c.shape.published, **ranked)


@detectable_input.register
def _control_input(c: ControlComparison) -> _DetectableInput:
    k, settings = len(c.order), c.settings
    family = _against_control(c.control, k, settings.alpha, settings.correction)
    if settings.source == "ranks":
        exact = settings.correction != "bonferroni_dunn"
        return _RankDetectableInput(family=family, k=k, n=c.friedman.n, alpha=settings.alpha, exact=exact)
    if settings.correction == "li":
        return _UnknownDetectableInput(family=family, reason=_LI_IN_STEPS)
    return _of_averages(c, family, c.compared_pairs())


@detectable_input.register
def _two_input(c: TwoComparison) -> _DetectableInput:
    pair = c.scores[c.first].to_numpy(), c.scores[c.second].to_numpy()
    return _AverageDetectableInput(family=_one_pair(c.settings.alpha), pairs=[pair], unit=c.settings.measure)


@detectable_input.register
def _present_input(c: PresentComparison) -> _DetectableInput:
    settings = c.settings
    family = _all_pairs(len(c.order), settings.alpha, settings.correction)
    if settings.source == "sign":
        reason = "Pairs share different numbers of data sets, so there is no common win probability."
        return _UnknownDetectableInput(family=family, reason=reason)
    rows = c.details()[["first", "second"]].itertuples(index=False)
    pairs = [pair for pair in (c.shared_results(*names) for names in rows) if len(pair[0]) > 1]
    return _AverageDetectableInput(family=family, pairs=pairs, unit=settings.measure)


@detectable_input.register
def _folds_input(c: FoldsComparison) -> _DetectableInput:
    k, alpha, unit = len(c.order), c.settings.alpha, c.settings.measure
    if isinstance(c.raw, TukeyResult):
        return _TukeyDetectableInput(family=_all_pairs(k, alpha, TUKEY), outcome=c.raw, k=k, alpha=alpha, unit=unit)
    pairs = c.pairs_of_folds(combinations(c.order, 2))
    return _FoldDetectableInput(family=_all_pairs(k, alpha, c.correction), test=c.test, pairs=pairs, unit=unit)


@detectable_input.register
def _fold_pair_input(c: FoldPairComparison) -> _DetectableInput:
    return _FoldDetectableInput(
        family=_one_pair(c.settings.alpha),
        test=c.test,
        pairs=c.pairs_of_folds([(c.first, c.second)]),
        unit=c.settings.measure,
        refused="" if c.chosen.outcome is not None else c.chosen.reason,
    )


@detectable_input.register
def _measures_input(c: SeveralOnMeasures) -> _DetectableInput:
    k, alpha = len(c.names), c.settings.alpha
    pairs = combinations(range(k), 2)  # each pair has its own effective dimension
    return _VectorDetectableInput(
        family=_all_pairs(k, alpha, c.correction),
        dimensions=[effective_space(c.vectors[[i, j]]).dimension for i, j in pairs],
        k=k,
        manova_dimension=c.space.dimension,
        **_of_folds(c),
    )


@detectable_input.register
def _measure_pair_input(c: PairOnMeasures) -> _DetectableInput:
    family = _one_pair(c.settings.alpha)
    return _VectorDetectableInput(family=family, dimensions=[c.hotelling.df[0]], **_of_folds(c))


def _of_folds(c: OnMeasures) -> dict[str, Any]:
    factor = overlap_factor(c.n_folds, c.test_fraction)
    return {"n": c.n_folds, "factor": factor, "alpha": c.settings.alpha, "max_df": c.max_df}


@detectable_input.register
def _wins_input(c: OnWins) -> _DetectableInput:
    k, alpha = len(c.wins), c.settings.alpha
    family = _one_pair(alpha) if k == 2 else _all_pairs(k, alpha, c.correction)
    return _ProportionDetectableInput(family=family, n=c.n)


@detectable_input.register
def _unknown_input(c: CasesComparison | UntestedComparison | PublishedDecisions) -> _DetectableInput:
    return _UnknownDetectableInput(reason=_UNKNOWN[c.shape.over, c.shape.published])


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
    """Return the true difference of two average ranks that is detected with the given power.

    Notes
    -----
    Uses the normal distribution with variance k (k + 1) / (6 n), that of differences of average ranks
    if no algorithms differ, but at most ((k - 1)^2 - gap^2) / n, the largest variance of values in
    [-(k - 1), k - 1] with that mean. Too small if an algorithm is first on some data sets and last
    on other ones.
    """
    no_difference = k * (k + 1) / 6

    def surplus(difference: float) -> float:
        spread = sqrt(min(no_difference, (k - 1) ** 2 - difference**2) / n)
        tails = stats.norm.sf((critical - difference) / spread) + stats.norm.cdf((-critical - difference) / spread)
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

    Several levels are equally likely. With `averaged`, power is averaged over the distribution of the
    true variance given the observed one.
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
    Let c be the number of sign flips, the identity included, whose sum may reach the observed sum at
    this level. The test rejects in favour of the first algorithm exactly if the c-th smallest mean of
    a subset of the differences is above zero, since flipping a subset lowers the sum by twice the
    subset's sum. That mean is simulated for up to 14 differences.

    Above, the test draws 9999 sign flips and is approximated by a t test. It rejects if at most c - 1
    drawn sums reach the observed one, that is, if its p over all flips is below the c-th smallest of
    9999 uniform numbers: a level distributed as Beta(c, 10000 - c). With fewer than 25 of the
    2^(n - 1) pairs of opposite flips that is too inaccurate, and the result is NaN.

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

    Simulated by a smoothed bootstrap: distances from the mean are drawn from those observed, each with
    a random sign; normal noise lets them lie between and beyond these; then they are scaled to
    the unbiased variance of those observed. The noise is wide (Silverman's bandwidth for normal data,
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
    noncentrality_per_fold = noncentrality(float(stats.f.isf(level, *df)), df, power) / ((v_h + v_e) * t)
    return sqrt((v_h + v_e) * ((1 + noncentrality_per_fold) ** t - 1) * factor / n), df


RANKS = "average ranks"
SHARE = "share of wins"
MAHALANOBIS = "standard deviations between folds, over all measures (Mahalanobis)"
_TEXTS = tomllib.loads(files(__package__).joinpath("detectable.toml").read_text(encoding="utf-8"))
AS_OBSERVED = _TEXTS["as_observed"]
_ON_CASES = ("McNemar", "McNemar chi-square")


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """The smallest difference that an analysis could detect.

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
        The distance of two algorithms, all other means halfway between them, that MANOVA detects with
        the same power; NaN without MANOVA.
    unit : str
        The measure, "average ranks", "share of wins" or the unit of a distance.
    family : str
        The hypotheses that share the level.
    power : float
        The probability of detecting it.
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


def _method_of(key: str, family: _Family, *, on_folds: bool = True) -> str:
    """Return sentences on how the detectable difference of a test of pairs was computed."""
    parts = [_TEXTS["tests"][key]]
    if key in T_TESTS:
        parts.append(_TEXTS["averaged"])
    elif key not in ("sign test", *_ON_CASES):
        parts.append(AS_OBSERVED)
    if on_folds and key in AS_IF_INDEPENDENT:
        parts.append(_TEXTS["independent"])
    return " ".join(parts) + family.step


def _overlap(factor: float) -> str:
    """Return a phrase on the correction for overlapping training sets."""
    return f"corrected for overlap, c = {factor:.4g}" if factor != 1 else "folds assumed independent"


def detectable(analysis: Comparison, *, power: float = 0.8) -> Detectable:
    """Return the smallest difference that a new experiment of this size detects with a given power.

    Notes
    -----
    In a family of m hypotheses, a given pair is tested at alpha / m, the first step of the correction.
    The power gained by later steps is ignored, so the difference is rather too large than too small;
    Tukey, Nemenyi and Bonferroni-Dunn have a single step. Li's level is not fixed: it is computed
    for no difference between the other algorithms and the control.

    The result plans a new experiment of the same size; it is no further evidence on this one. For t
    tests and Tukey's test, power is averaged over the distribution of the true variance given the
    observed one, sigma^2 = df s^2 / chi^2. For other tests the observed variance is assumed to be the
    true one, as `method` states.

    References
    ----------
    Lehmann, Nonparametrics (1975); Rencher, Methods of
    Multivariate Analysis; Demsar, JMLR 7 (2006).

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
    if not (isinstance(power, Real) and 0.5 <= power < 1):
        raise SettingError.of("power out of range", power=power)
    inputs, alpha = detectable_input(analysis), analysis.settings.alpha
    result = {"smallest": analysis.least.pvalue, "size": str(analysis.counted), "reason": ""}
    result |= _smallest_detectable(inputs, power)
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
        family=inputs.family.name,
        power=power,
        method=result["method"],
        size=f"{size} and {inputs.family.short}" if inputs.family.short else size,
        digits=score_digits(analysis.scores),
        alpha=alpha,
        reason=result["reason"],
        omnibus=result.get("omnibus", nan),
    )


@singledispatch
def _smallest_detectable(inputs: _DetectableInput, power: float) -> dict:
    """Compute the detectable difference for one kind of input; each kind is registered below."""
    raise TypeError(f"{type(inputs).__name__} has no computation.")


@_smallest_detectable.register
def _unknown_gap(inputs: _UnknownDetectableInput, power: float) -> dict:
    unknown = {"smallest": nan, "size": ""} if inputs.family is NO_FAMILY else {}
    return unknown | _refused(inputs.reason)


@_smallest_detectable.register
def _rank_gap(inputs: _RankDetectableInput, power: float) -> dict:
    k, n, family = inputs.k, inputs.n, inputs.family
    level: float | np.ndarray = family.level
    if family.correction == "li":
        level = li_levels(k, n, inputs.alpha)
        inputs = replace(inputs, exact=False)
    if inputs.critical:
        return _by_ranks(inputs.critical, k, n, family, power)
    if not inputs.exact:
        return _by_ranks(_critical_gap(level, k, n), k, n, family, power)
    return _by_ranks(exact_critical_gap(family.level, k, n), k, n, family, power, step=1 / n)


@_smallest_detectable.register
def _share_gap(inputs: _ProportionDetectableInput, power: float) -> dict:
    """Return the smallest detectable share of wins over data sets by the sign test."""
    shares = [_share(inputs.n, inputs.family.level, power)]
    return _middle(shares, SHARE, _method_of("sign test", inputs.family, on_folds=False))


@_smallest_detectable.register
def _average_gap(inputs: _AverageDetectableInput, power: float) -> dict:
    """Return the smallest difference of averages that the Wilcoxon test detects."""
    shifts = [_signed_ranks(x, y, inputs.family.level, power) for x, y in _three(list(inputs.pairs))]
    return _middle(shifts, inputs.unit, _method_of("Wilcoxon", inputs.family, on_folds=False))


def _by_ranks(critical: float | np.ndarray, k: int, n: int, family: _Family, power: float, step: float = 0.0) -> dict:
    """Return the detectable difference of average ranks; `step` is the step of exact tests."""
    middle = float(np.median(critical))
    difference = nan if middle >= k - 1 else gap_of_ranks(critical - step / 2, k, n, power)
    if step and isfinite(middle) and middle >= k - 1:
        return _unknown("largest", datasets=format_count(n, "data set"))
    if isnan(difference):
        return _unknown("several" if np.ndim(critical) == 0 else "li", datasets=format_count(n, "data set"))
    least = f"of {middle:.2f} or more" if step else f"above {middle:.2f}"
    often = " half of the time" if np.ndim(critical) else ""
    method = _TEXTS["ranks"].format(least=least, often=often, step=family.step)
    return {"values": (difference,) * 3, "unit": RANKS, "method": method}


def _critical_gap(level: float | np.ndarray, k: int, n: int) -> float | np.ndarray:
    critical = stats.norm.isf(np.asarray(level) / 2) * sqrt(k * (k + 1) / (6 * n))
    return critical if np.ndim(level) else float(critical)


@_smallest_detectable.register
def _tukey_gap(inputs: _TukeyDetectableInput, power: float) -> dict:
    outcome = inputs.outcome
    if outcome.nothing_to_test:
        return _unknown("constant")
    q = studentized_range_isf(inputs.alpha, inputs.k, outcome.df)
    ncp = noncentrality(q**2 / 2, (1, outcome.df), power, spread_df=outcome.df)
    overlap, averaged = _overlap(outcome.factor), _TEXTS["averaged"]
    method = _TEXTS["tukey"].format(df=outcome.df, overlap=overlap, averaged=averaged)
    return {"values": (outcome.half_width / q * sqrt(2 * ncp),) * 3, "unit": inputs.unit, "method": method}


@_smallest_detectable.register
def _fold_gap(inputs: _FoldDetectableInput, power: float) -> dict:
    """Return the difference that a test of pairs on folds or on instances detects."""
    key, level, pairs = inputs.test, inputs.family.level, inputs.pairs
    common = {}
    if key in _ON_CASES:
        splits = [_disagreements(pair, key) for pair in pairs]
        least = [float(pvalue(np.array([n]))[0]) for n, pvalue in splits if n]
        multiplier = 1 if inputs.family.correction in ("", "none") else len(pairs)
        common = {
            "smallest": min(1.0, multiplier * min(least, default=1.0)),
            "size": format_count(len(_cases(pairs[0])), "instance"),
        }
    if inputs.refused:
        return common | _refused(inputs.refused)
    if key in ("Wilcoxon", "sign flips"):  # simulated, so only for three of the pairs
        values = _three([(pair.x.to_numpy(), pair.y.to_numpy()) for pair in pairs])
        shift = _signed_ranks if key == "Wilcoxon" else _flips
        differences = [shift(x, y, level, power) for x, y in values]
    else:
        differences = [_by_pair_test(pair, key, level, power) for pair in pairs]
    unit = SHARE if key == "sign test" else inputs.unit
    return common | _middle(differences, unit, _method_of(key, inputs.family))


def _by_pair_test(pair: FoldPair, key: str, level: float, power: float) -> float:
    """Return the difference that one test detects for one pair."""
    differences = (pair.x - pair.y).to_numpy()
    n = len(differences)
    if key == "sign test":
        return _share(n, level, power)
    if key in _ON_CASES:
        n, pvalue = _disagreements(pair, key)
        share = share_of_wins(n, pvalue, level, power) if n else nan
        return (2 * share - 1) * n / len(_cases(pair))
    if key in T_TESTS:
        if key == "paired t":
            return shift_by_t(differences, level, power, averaged=True)
        factor = overlap_factor(n, pair.test_fraction)
        df = corrected_df(n, n - 1) if key == CONSERVATIVE else n - 1
        return shift_by_t(differences, level, power, factor, df, averaged=True)
    return shift_by_cv52(pair.five_by_two(), key, level, power)


@_smallest_detectable.register
def _vector_gap(inputs: _VectorDetectableInput, power: float) -> dict:
    """Return the distances that the paired Hotelling test and MANOVA detect."""
    n, factor, omnibus, manova_text = inputs.n, inputs.factor, nan, ""
    if inputs.manova_dimension:
        omnibus, df = distance_by_manova(
            inputs.k, n, inputs.manova_dimension, factor, inputs.alpha, power, max_df=inputs.max_df
        )
        manova_text = _TEXTS["manova"].format(df1=df[0], df2=df[1])
    common = {"smallest": 0.0, "size": format_count(n, "fold")}
    dfs = {p: hotelling_df(n, p, inputs.max_df) for p in sorted(set(inputs.dimensions)) if p}
    testable = [p for p, (_, left) in dfs.items() if left > 0]
    if not testable:
        return common | _unknown("same")
    level = inputs.family.level
    distance = partial(distance_by_hotelling, max_df=inputs.max_df)
    distances = {p: distance(n, p, factor, level, power) for p in testable}
    middle = sorted(p for p in inputs.dimensions if p in distances)
    df_text = " or ".join(str(dfs[p]) for p in testable)
    return common | {
        "values": (distances[middle[len(middle) // 2]], distances[testable[0]], distances[testable[-1]]),
        "unit": MAHALANOBIS,
        "method": _TEXTS["hotelling"].format(
            df=df_text, overlap=_overlap(factor), step=inputs.family.step, manova=manova_text
        ),
        "omnibus": omnibus,
    }


def _share(n: int, level: float, power: float) -> float:
    return share_of_wins(n, binomial_pvalue(n), level, power)


def _signed_ranks(x: np.ndarray, y: np.ndarray, level: float, power: float) -> float:
    """Return the shift that the Wilcoxon test detects; ties are left out, as in the test."""
    values = (x - y)[~ties_mask(x, y)]
    if not len(values) or all_within_rounding(values - values.mean(), x, y):
        return nan
    return shift_by_signed_ranks(values, level, power)


def _flips(x: np.ndarray, y: np.ndarray, level: float, power: float) -> float:
    differences = x - y
    if all_within_rounding(differences - differences.mean(), x, y):
        return nan
    return shift_by_flips(differences, level, power)


def _three(values: list[tuple[np.ndarray, np.ndarray]]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the pairs of smallest, middle and largest spread of their differences."""
    differences = [x - y for x, y in values]
    same_length = len({len(difference) for difference in differences}) == 1
    spreads = np.std(differences, axis=1) if same_length else [difference.std() for difference in differences]
    order = np.argsort(spreads, kind="stable")
    positions = sorted({0, len(order) // 2, len(order) - 1})
    return [values[order[position]] for position in positions]


def _cases(pair: FoldPair) -> pd.DataFrame:
    """Return whether each algorithm is right on each instance."""
    assert pair.correct is not None
    return pair.correct


def _disagreements(pair: FoldPair, key: str) -> tuple[int, Callable]:
    """Return the number of discordant instances, and the p-values of their splits."""
    correct = _cases(pair)
    n = int((correct.iloc[:, 0] != correct.iloc[:, 1]).sum())
    return n, (binomial_pvalue if key == "McNemar" else chi_square_pvalue)(n)


def _middle(differences: list[float], unit: str, method: str) -> dict:
    """Return the median, smallest and largest detectable difference of the pairs."""
    defined = sorted(value for value in differences if value > 0)
    if not defined:
        return _unknown("none")
    values = (defined[len(defined) // 2], defined[0], defined[-1])
    return {"values": values, "unit": unit, "method": method}


def _unknown(code: str, **values: str) -> dict:
    return _refused(_TEXTS["reasons"][code].format(**values))


def _refused(reason: str) -> dict:
    return {"values": (nan, nan, nan), "unit": "", "method": "", "reason": reason}
