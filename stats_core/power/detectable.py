"""What an analysis could have seen: whether it can reject at all, and how small a difference."""

from collections.abc import Callable, Iterable
from itertools import combinations
from math import isnan, nan, sqrt
from numbers import Real

import numpy as np
from scipy import stats

from stats_core.comparison.base import Comparison
from stats_core.comparison.kinds.cases import CasesComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.kinds.measures import SeveralOnMeasures
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.comparison.kinds.wins import WinsComparison
from stats_core.comparison.on_folds import least_pvalue
from stats_core.core.checks import near_nothing, near_zero
from stats_core.core.errors import SettingError
from stats_core.core.words import count
from stats_core.data.settings import TUKEY
from stats_core.inference.families.corrections import usable_correction
from stats_core.inference.fold_pairs import fold_pairs
from stats_core.inference.fold_tests import DISCRETE, FoldPair
from stats_core.inference.multivariate.effective import effective_space
from stats_core.inference.paired import overlap_factor
from stats_core.inference.studentized import studentized_range_isf
from stats_core.power import functions as _power
from stats_core.power.detectable_parts import (
    MAHALANOBIS,
    NO_FAMILY,
    ON_CASES,
    RANKS,
    SHARE,
    SPREAD,
    Detectable,
    Family,
    against_control,
    all_pairs,
    method_of,
    one_pair,
    overlap_words,
    worded,
)

_LI_IN_STEPS = (
    "By Li's procedure the level of one comparison depends on the largest p-value, which goes in "
    "steps by this test and is often 1, so that nothing can be found."
)
__all__ = ["Detectable", "detectable"]


def detectable(analysis: Comparison, *, power: float = 0.8) -> Detectable:
    """Which differences could this analysis have found, and which would it have missed?

    Parameters
    ----------
    analysis : Comparison
        From `analyse`. Its size, its level and how much its results vary are used; which
        differences were seen is not.
    power : float
        The chance of finding the difference, at least one half.

    Returns
    -------
    Detectable
        The smallest true difference of one given pair that is found with that chance.

    Raises
    ------
    SettingError
        `power` outside [0.5, 1).

    Notes
    -----
    In a family of m hypotheses one given pair is tested at alpha / m, the first step of the
    correction; what later steps add is left out, which makes the difference named rather too large
    than too small. Li's level is not fixed: it is taken as where all others equal the control.
    Tukey, Nemenyi and Bonferroni-Dunn have one step and no such reserve.
    The spread seen is taken as the true one, as in tables of power; averaged over how it may be
    seen, a paired t test of ten folds at 0.05 has power 0.74 at the difference named, not 0.80.
    This is the power of a new experiment of the same size, not of the one seen: "observed power"
    would only repeat the p-value.

    References
    ----------
    Hoenig and Heisey, Am. Stat. 55 (2001) 19; Lehmann, Nonparametrics (1975); Rencher, Methods of
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
    (True, 'one pair', 1.2)
    """
    if not (isinstance(power, Real) and 0.5 <= power < 1):
        raise SettingError(f"`power` must lie between 0.5 and 1. It is {power!r}. Try 0.8.")
    match analysis:
        case RanksComparison():
            found = _over_ranks(analysis, power)
        case ControlComparison():
            found = _with_control(analysis, power)
        case TwoComparison():
            found = _two(analysis, power)
        case WinsComparison():
            found = _of_wins(analysis, power)
        case FoldsComparison() if analysis.test == TUKEY:
            found = _by_tukey(analysis, power)
        case FoldPairComparison() | FoldsComparison():
            found = _on_folds(analysis, power)
        case PairOnMeasures() | SeveralOnMeasures():
            found = _on_measures(analysis, power)
        case CasesComparison():
            found = {"family": NO_FAMILY, "smallest": nan, "size": ""}
            found |= _unknown(
                "Which difference McNemar's test can find hangs on how often two models disagree, "
                "which no size of the test set tells."
            )
        case _:
            found = {"family": NO_FAMILY, "smallest": nan, "size": ""}
            found |= _unknown("There is no test, so no difference could be found, however large.")
    return worded(analysis, power, **found)


def _over_ranks(analysis: RanksComparison, power: float) -> dict:
    k, n, settings = len(analysis.order), analysis.friedman.n, analysis.settings
    family = all_pairs(k, settings.alpha, settings.correction)
    common = {"smallest": analysis.smallest_pvalue, "size": count(n, "data set")}
    if settings.source != "ranks":
        pairs = combinations(analysis.scores.columns, 2)
        return common | _by_source(analysis, settings.source, family, pairs, power)
    critical = analysis.critical_difference or _critical_gap(family.level, k, n)
    return common | _by_ranks(critical, k, n, family, power)


def _with_control(analysis: ControlComparison, power: float) -> dict:
    k, n, settings = len(analysis.order), analysis.friedman.n, analysis.settings
    family = against_control(analysis.control, k, settings.alpha, settings.correction)
    common = {"smallest": analysis.smallest_pvalue, "size": count(n, "data set")}
    if settings.correction == "li" and settings.source != "ranks":
        return common | {"family": family} | _unknown(_LI_IN_STEPS)
    if settings.correction == "li":
        critical = _critical_gap(_power.li_levels(k, n, settings.alpha), k, n)
        return common | _by_ranks(critical, k, n, family, power)
    if settings.source != "ranks":
        pairs = [(name, analysis.control) for name in analysis.adjusted.index]
        return common | _by_source(analysis, settings.source, family, pairs, power)
    return common | _by_ranks(_critical_gap(family.level, k, n), k, n, family, power)


def _two(analysis: TwoComparison, power: float) -> dict:
    n = analysis.wilcoxon.n - analysis.wilcoxon.n_zero
    pair = [(analysis.first, analysis.second)]
    return {
        "smallest": min(1.0, 2.0 ** (1 - n)),
        "size": count(analysis.wilcoxon.n, "data set"),
    } | _by_source(analysis, "wilcoxon", one_pair(analysis.settings.alpha), pair, power)


def _of_wins(analysis: WinsComparison, power: float) -> dict:
    """Return which share of data sets one algorithm has to win against another."""
    k, alpha = len(analysis.wins), analysis.settings.alpha
    family = one_pair(alpha) if k == 2 else all_pairs(k, alpha, analysis.correction)
    found = [_share(analysis.n, family.level, power)]
    method = method_of("sign test", family, on_folds=False)
    return {
        "family": family,
        "smallest": analysis.smallest_pvalue,
        "size": count(analysis.n, "data set"),
    } | _middle(found, SHARE, method)


def _by_ranks(critical: float | np.ndarray, k: int, n: int, family: Family, power: float) -> dict:
    """Return which gap of average ranks is found."""
    middle = float(np.median(critical))
    gap = nan if middle >= k - 1 else _power.gap_of_ranks(critical, k, n, power)
    if isnan(gap):
        return {"family": family} | _unknown(
            f"The first step asks for a gap of {middle:.2f}; average ranks of {k} algorithms are "
            f"never more than {k - 1} apart. Only several differences at once could be significant."
            if np.ndim(critical) == 0
            else "Its level depends on the largest p-value, and is too often so low that no gap of "
            f"average ranks of {k} algorithms over {count(n, 'data set')} could reach it."
        )
    usual = " half of the time" if np.ndim(critical) else ""
    return {
        "family": family,
        "values": (gap,) * 3,
        "unit": RANKS,
        "method": f"A gap above {middle:.2f} is significant{usual}. Gaps are normal and vary as they "
        "do when no algorithms differ: rather too much, but too little where one is first on some "
        f"data sets and last on others (then power may be lower by 0.1).{family.step}",
    }


def _critical_gap(level: float | np.ndarray, k: int, n: int) -> float | np.ndarray:
    critical = stats.norm.isf(np.asarray(level) / 2) * sqrt(k * (k + 1) / (6 * n))
    return critical if np.ndim(level) else float(critical)


def _by_source(
    analysis: Comparison,
    source: str,
    family: Family,
    pairs: Iterable[tuple[str, str]],
    power: float,
) -> dict:
    """Return which difference the Wilcoxon or the sign test of averages finds."""
    scores = analysis.scores
    if source == "sign":
        found = [_share(len(scores), family.level, power)]
    else:
        values = [(scores[a].to_numpy(), scores[b].to_numpy()) for a, b in pairs]
        found = [_signed_ranks(x, y, family.level, power) for x, y in _three(values)]
    key, unit = (
        ("sign test", SHARE) if source == "sign" else ("Wilcoxon", analysis.settings.measure)
    )
    return {"family": family} | _middle(found, unit, method_of(key, family, on_folds=False))


def _by_tukey(analysis: FoldsComparison, power: float) -> dict:
    outcome, k, alpha = analysis.raw, len(analysis.order), analysis.settings.alpha
    family = all_pairs(k, alpha, TUKEY)
    common = {
        "family": family,
        "smallest": analysis.smallest_pvalue,
        "size": count(analysis.n_folds, analysis.unit),
    }
    if outcome.warnings:
        return common | _unknown("The results do not vary, so there is nothing to compare with.")
    q = studentized_range_isf(alpha, k, outcome.df)
    found = _power.noncentrality(q**2 / 2, (1, outcome.df), power)
    return common | {
        "values": (outcome.half_width / q * sqrt(2 * found),) * 3,
        "unit": analysis.settings.measure,
        "method": f"Tukey's test of one pair by noncentral t with {outcome.df} df; residuals normal, "
        f"all pairs equally variable, {overlap_words(outcome.factor)}. {SPREAD}; with "
        "heavy tails power is on average lower by 0.05 to 0.1.",
    }


def _on_folds(analysis: FoldPairComparison | FoldsComparison, power: float) -> dict:
    """Return which difference a test of pairs on folds, or on cases, finds."""
    key, settings = analysis.test, analysis.settings
    if isinstance(analysis, FoldPairComparison):
        family, names = one_pair(settings.alpha), [(analysis.first, analysis.second)]
    else:
        k = len(analysis.order)
        correction = usable_correction(settings.correction, k)
        family, names = all_pairs(k, settings.alpha, correction), combinations(analysis.order, 2)
    pairs = _fold_pairs(analysis, names)
    on_cases = key in ON_CASES
    size = count(len(pairs[0].correct), "case") if on_cases else ""
    common = {
        "family": family,
        "smallest": _smallest(analysis, pairs, settings.alpha / family.level),
        "size": size or count(analysis.n_folds, analysis.unit),
    }
    if isinstance(analysis, FoldPairComparison) and analysis.chosen.outcome is None:
        return common | _unknown(analysis.chosen.reason)
    if key in ("Wilcoxon", "sign flips"):  # simulated, so for three of the pairs only
        values = _three([(pair.x.to_numpy(), pair.y.to_numpy()) for pair in pairs])
        shift = _signed_ranks if key == "Wilcoxon" else _flips
        found = [shift(x, y, family.level, power) for x, y in values]
    else:
        found = [_by_pair_test(pair, key, family.level, power) for pair in pairs]
    unit = SHARE if key == "sign test" else settings.measure
    return common | _middle(found, unit, method_of(key, family))


def _fold_pairs(
    analysis: FoldPairComparison | FoldsComparison, names: Iterable[tuple[str, str]]
) -> list[FoldPair]:
    shared = {
        "dataset": analysis.dataset,
        "matrix": analysis.matrix,
        "design": analysis.design,
        "design_label": analysis.design_label,
        "test_fraction": analysis.test_fraction,
    }
    return list(fold_pairs(analysis.results, shared, analysis.settings.measure, names).values())


def _by_pair_test(pair: FoldPair, key: str, level: float, power: float) -> float:
    """Return the difference that one test of one pair finds."""
    differences = (pair.x - pair.y).to_numpy()
    n = len(differences)
    if key == "sign test":
        return _share(n, level, power)
    if key in ON_CASES:
        n, pvalue = _disagreements(pair, key)
        share = _power.share_of_wins(n, pvalue, level, power) if n else nan
        return (2 * share - 1) * n / len(pair.correct)
    if key in ("corrected t", "paired t"):
        factor = overlap_factor(n, pair.test_fraction if key == "corrected t" else None)
        return _power.shift_by_t(differences, level, power, factor)
    return _power.shift_by_cv52(pair.five_by_two(), key, level, power)


def _on_measures(analysis: PairOnMeasures | SeveralOnMeasures, power: float) -> dict:
    """Return at which distance the paired Hotelling test finds two algorithms, and MANOVA two."""
    n, settings = analysis.n_folds, analysis.settings
    factor, omnibus, said = overlap_factor(n, analysis.test_fraction), nan, ""
    if isinstance(analysis, PairOnMeasures):
        family, dimensions = one_pair(settings.alpha), [analysis.hotelling.df[0]]
    else:
        k = len(analysis.names)
        family = all_pairs(k, settings.alpha, usable_correction(settings.correction, k))
        dimensions = _dimensions(analysis)
        p = analysis.space.dimension
        if p:
            omnibus, df = _power.distance_by_manova(k, n, p, factor, settings.alpha, power)
            said = (
                f" MANOVA (Wilks) by noncentral F with ({df[0]}, {df[1]:.4g}) df, two algorithms "
                "apart and all others halfway between them; others elsewhere add to it."
            )
    common = {"family": family, "smallest": 0.0, "size": count(n, "fold")}
    possible = sorted({p for p in dimensions if 0 < p < n})
    if not possible:
        return common | _unknown("The results differ in no fold, so there is nothing to test.")
    found = {p: _power.distance_by_hotelling(n, p, factor, family.level, power) for p in possible}
    middle = sorted(p for p in dimensions if p in found)
    dfs = " or ".join(f"({p}, {n - p})" for p in possible)
    return common | {
        "values": (found[middle[len(middle) // 2]], found[possible[0]], found[possible[-1]]),
        "unit": MAHALANOBIS,
        "method": f"Paired Hotelling T2 by noncentral F with {dfs} df; differences normal "
        f"together, {overlap_words(factor)}.{family.step}{said}",
        "omnibus": omnibus,
    }


def _dimensions(analysis: SeveralOnMeasures) -> list[int]:
    """Return in how many directions each pair differs; a pair is tested in its own space."""
    pairs = combinations(range(len(analysis.names)), 2)
    return [effective_space(analysis.vectors[[i, j]]).dimension for i, j in pairs]


def _share(n: int, level: float, power: float) -> float:
    return _power.share_of_wins(n, _power.binomial_pvalue(n), level, power)


def _signed_ranks(x: np.ndarray, y: np.ndarray, level: float, power: float) -> float:
    """Return what the Wilcoxon test finds; pairs that tie tell it nothing and are left out."""
    values = (x - y)[~near_zero(x, y)]
    if not len(values) or near_nothing(values - values.mean(), x, y):
        return nan
    return _power.shift_by_signed_ranks(values, level, power)


def _flips(x: np.ndarray, y: np.ndarray, level: float, power: float) -> float:
    differences = x - y
    if near_nothing(differences - differences.mean(), x, y):
        return nan
    return _power.shift_by_flips(differences, level, power)


def _three(values: list[tuple[np.ndarray, np.ndarray]]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the pairs of smallest, middle and largest spread of their differences."""
    order = np.argsort([(x - y).std() for x, y in values], kind="stable")
    places = sorted({0, len(order) // 2, len(order) - 1})
    return [values[order[place]] for place in places]


def _disagreements(pair: FoldPair, key: str) -> tuple[int, Callable]:
    """Return on how many cases exactly one of the two is right, and the p-values of their split."""
    n = int((pair.correct.iloc[:, 0] != pair.correct.iloc[:, 1]).sum())
    return n, (_power.binomial_pvalue if key == "McNemar" else _power.chi_square_pvalue)(n)


def _smallest(
    analysis: FoldPairComparison | FoldsComparison, pairs: list[FoldPair], paid: float
) -> float:
    """Return the smallest adjusted p-value that a test of pairs could give."""
    if analysis.test in ON_CASES:
        splits = [_disagreements(pair, analysis.test) for pair in pairs]
        least = [float(pvalue(np.array([n]))[0]) for n, pvalue in splits if n]
        return min(1.0, paid * min(least, default=1.0))
    if isinstance(analysis, FoldsComparison):
        return analysis.smallest_pvalue
    return least_pvalue(analysis.test, analysis.n_folds) if analysis.test in DISCRETE else 0.0


def _middle(found: list[float], unit: str, method: str) -> dict:
    """Return the middle, the smallest and the largest of what the pairs can show."""
    known = sorted(value for value in found if value > 0)
    if not known:
        return _unknown(
            "It cannot be said: the differences do not vary, too few of them are not zero, or the "
            "test gives too few p-values below this level."
        )
    values = (known[len(known) // 2], known[0], known[-1])
    return {"values": values, "unit": unit, "method": method}


def _unknown(reason: str) -> dict:
    return {"values": (nan, nan, nan), "unit": "", "method": "", "reason": reason}
