"""Smallest difference that an experiment of the same size would detect, with its description."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, singledispatch
from math import isfinite, isnan, nan, sqrt
from numbers import Real

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.detectable_inputs import (
    NO_FAMILY,
    AverageDetectableInput,
    DetectableInput,
    Family,
    FoldDetectableInput,
    ProportionDetectableInput,
    RankDetectableInput,
    TukeyDetectableInput,
    UnknownDetectableInput,
    VectorDetectableInput,
)
from stats_core.comparison.result import Comparison
from stats_core.core.errors import SettingError
from stats_core.core.formatting import format_count, score_digits
from stats_core.core.significance import significant
from stats_core.core.validation import all_within_rounding, ties_mask
from stats_core.inference.distributions import studentized_range_isf
from stats_core.inference.fold_tests import AS_IF_INDEPENDENT, CORRECTED, FoldPair
from stats_core.inference.paired import corrected_df, overlap_factor
from stats_core.inference.paired.t_tests import CONSERVATIVE
from stats_core.inference.paired.vectorized_pairs import T_TESTS
from stats_core.inference.rank_differences import exact_critical_gap
from stats_core.power import power_functions as _power

RANKS = "average ranks"
SHARE = "share of wins"
MAHALANOBIS = "standard deviations between folds, over all measures (Mahalanobis)"
_AVERAGED = "Power is averaged over the uncertainty of the spread."
# the t test, by noncentral t averaged over chi-square: 6, 10, 30 differences at 0.05
AS_OBSERVED = (
    "The observed spread is used as the true spread. This overstates power on average by 0.1 "
    "(6 normal differences), 0.06 (10) or 0.02 (30), and by more with heavy tails and in large families."
)
_SHIFT = (
    "Shift of symmetric differences with the observed spread and approximate shape (for skewed "
    "differences, power depends on the direction)"
)
_ON_CASES = ("McNemar", "McNemar chi-square")
_CV52 = "for ten independent normal differences"
_METHODS = {
    **dict.fromkeys(
        CORRECTED,
        "Noncentral t distribution for normal differences, with the test fraction as the correlation between folds",
    ),
    "paired t": "Noncentral t distribution for normal differences",
    "5x2 cv F": f"Noncentral F distribution with (5, 5) df of 2f − 1, {_CV52}",
    "5x2 cv t": f"Noncentral t distribution with 5 df, {_CV52}",
    "combined 5x2 cv t": f"Noncentral t distribution with 5 df, {_CV52}",
    "Wilcoxon": f"{_SHIFT}: simulated for up to 100 differences, otherwise from the Hodges–Lehmann interval",
    "sign test": "Exact binomial power without ties",
    "sign flips": f"{_SHIFT}: simulated for up to 14 differences, otherwise by the noncentral t distribution",
    **dict.fromkeys(_ON_CASES, "Exact binomial power with the observed number of disagreements"),
}


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
        If pairs differ in spread, that of the median pair.
    low, high : float
        The same for the pair of smallest and of largest spread; both `difference` if one
        number holds for all.
    omnibus : float
        The distance of two algorithms, all others halfway between them, that MANOVA finds with the
        same power; NaN where there is no MANOVA.
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


def _method_of(key: str, family: Family, *, on_folds: bool = True) -> str:
    """Return sentences on how the detectable difference of a test of pairs was computed."""
    parts = [f"{_METHODS[key]}."]
    if key in T_TESTS:
        parts.append(_AVERAGED)
    elif key not in ("sign test", *_ON_CASES):
        parts.append(AS_OBSERVED)
    if on_folds and key in AS_IF_INDEPENDENT:
        parts.append("Folds are assumed independent.")
    return " ".join(parts) + family.step


def _overlap(factor: float) -> str:
    """Return a phrase on the correction for overlapping training sets."""
    return f"corrected for overlap, c = {factor:.4g}" if factor != 1 else "folds assumed independent"


def detectable(analysis: Comparison, *, power: float = 0.8) -> Detectable:
    """Which difference would a new experiment of this size find, and which would it miss?

    Notes
    -----
    In a family of m hypotheses one given pair is tested at alpha / m, the first step of the
    correction; what later steps add is left out, which makes the difference named rather too large
    than too small. Li's level is not fixed: it is taken as where all others equal the control.
    Tukey, Nemenyi and Bonferroni-Dunn have one step and no such reserve.
    This plans a new experiment of the same size; it says nothing more about the one seen. By t
    tests and Tukey's its power is averaged over how large the true spread may be, given the one
    seen: sigma^2 = df s^2 / chi^2. By other tests the spread seen is taken as the true one, and
    `method` says so.

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
        raise SettingError(f"`power` must lie between 0.5 and 1. It is {power!r}. Try 0.8.")
    gap, alpha = analysis.gap(), analysis.settings.alpha
    result = {"smallest": analysis.least.pvalue, "size": str(analysis.counted), "reason": ""}
    result |= _found(gap, power)
    smallest, size = result["smallest"], result["size"]
    can_reject = not isnan(smallest) and bool(significant(smallest, alpha))
    known = can_reject or isnan(smallest)
    middle, low, high = result["values"] if known else (nan, nan, nan)
    return Detectable(
        can_reject=can_reject,
        smallest_pvalue=smallest,
        difference=middle,
        low=low,
        high=high,
        unit=result["unit"],
        family=gap.family.name,
        power=power,
        method=result["method"],
        size=f"{size} and {gap.family.short}" if gap.family.short else size,
        digits=score_digits(analysis.scores),
        alpha=alpha,
        reason=result["reason"],
        omnibus=result.get("omnibus", nan),
    )


@singledispatch
def _found(gap: DetectableInput, power: float) -> dict:
    """Compute the detectable difference for one kind of input; each kind is registered below."""
    raise TypeError(f"{type(gap).__name__} has no computation.")


@_found.register
def _unknown_gap(gap: UnknownDetectableInput, power: float) -> dict:
    unknown = {"smallest": nan, "size": ""} if gap.family is NO_FAMILY else {}
    return unknown | _unknown(gap.reason)


@_found.register
def _rank_gap(gap: RankDetectableInput, power: float) -> dict:
    k, n, family = gap.k, gap.n, gap.family
    level: float | np.ndarray = family.level
    if family.correction == "li":
        level = _power.li_levels(k, n, gap.alpha)
        gap = replace(gap, exact=False)
    if gap.critical:
        return _by_ranks(gap.critical, k, n, family, power)
    if not gap.exact:
        return _by_ranks(_critical_gap(level, k, n), k, n, family, power)
    return _by_ranks(exact_critical_gap(family.level, k, n), k, n, family, power, step=1 / n)


@_found.register
def _share_gap(gap: ProportionDetectableInput, power: float) -> dict:
    """Return the smallest share of wins over data sets that the sign test detects."""
    shares = [_share(gap.n, gap.family.level, power)]
    return _middle(shares, SHARE, _method_of("sign test", gap.family, on_folds=False))


@_found.register
def _average_gap(gap: AverageDetectableInput, power: float) -> dict:
    """Return the smallest difference of averages that the Wilcoxon test detects."""
    shifts = [_signed_ranks(x, y, gap.family.level, power) for x, y in _three(list(gap.pairs))]
    return _middle(shifts, gap.unit, _method_of("Wilcoxon", gap.family, on_folds=False))


def _by_ranks(critical: float | np.ndarray, k: int, n: int, family: Family, power: float, step: float = 0.0) -> dict:
    """Return the detectable gap of average ranks; exact tests have gaps in steps of `step`."""
    middle = float(np.median(critical))
    gap = nan if middle >= k - 1 else _power.gap_of_ranks(critical - step / 2, k, n, power)
    if step and isfinite(middle) and middle >= k - 1:
        return _unknown(
            "Only the largest possible difference in average rank, first and last on all "
            f"{format_count(n, 'data set')}, can be significant at the first step."
        )
    if isnan(gap):
        return _unknown(
            "No single difference in average rank can be significant at the first step. Only several "
            "differences at once could be significant."
            if np.ndim(critical) == 0
            else "The level of Li depends on the largest p-value. It is often too low for any difference "
            f"in average rank over {format_count(n, 'data set')}."
        )
    least = f"of {middle:.2f} or more" if step else f"above {middle:.2f}"
    return {
        "values": (gap,) * 3,
        "unit": RANKS,
        "method": f"A difference {least} is significant{' half of the time' if np.ndim(critical) else ''}. "
        "Differences in average rank are assumed normal with their variance under the null hypothesis. "
        "Power may be lower by 0.1 where one algorithm is first on some data sets and last on others."
        f"{family.step}",
    }


def _critical_gap(level: float | np.ndarray, k: int, n: int) -> float | np.ndarray:
    critical = stats.norm.isf(np.asarray(level) / 2) * sqrt(k * (k + 1) / (6 * n))
    return critical if np.ndim(level) else float(critical)


@_found.register
def _tukey_gap(gap: TukeyDetectableInput, power: float) -> dict:
    outcome = gap.outcome
    if outcome.nothing_to_test:
        return _unknown("The results do not vary, so there is nothing to compare with.")
    q = studentized_range_isf(gap.alpha, gap.k, outcome.df)
    ncp = _power.noncentrality(q**2 / 2, (1, outcome.df), power, spread_df=outcome.df)
    return {
        "values": (outcome.half_width / q * sqrt(2 * ncp),) * 3,
        "unit": gap.unit,
        "method": f"Noncentral t distribution with {outcome.df} df for one pair of Tukey's test, assuming "
        f"normal residuals and sphericity ({_overlap(outcome.factor)}). {_AVERAGED} With heavy tails, "
        "power is lower by 0.05 to 0.1 on average.",
    }


@_found.register
def _fold_gap(gap: FoldDetectableInput, power: float) -> dict:
    """Return the difference that a test of pairs on folds or on instances detects."""
    key, level, pairs = gap.test, gap.family.level, gap.pairs
    common = {}
    if key in _ON_CASES:
        splits = [_disagreements(pair, key) for pair in pairs]
        least = [float(pvalue(np.array([n]))[0]) for n, pvalue in splits if n]
        multiplier = 1 if gap.family.correction in ("", "none") else len(pairs)
        common = {
            "smallest": min(1.0, multiplier * min(least, default=1.0)),
            "size": format_count(len(_cases(pairs[0])), "instance"),
        }
    if gap.refused:
        return common | _unknown(gap.refused)
    if key in ("Wilcoxon", "sign flips"):  # simulated, so only for three of the pairs
        values = _three([(pair.x.to_numpy(), pair.y.to_numpy()) for pair in pairs])
        shift = _signed_ranks if key == "Wilcoxon" else _flips
        differences = [shift(x, y, level, power) for x, y in values]
    else:
        differences = [_by_pair_test(pair, key, level, power) for pair in pairs]
    unit = SHARE if key == "sign test" else gap.unit
    return common | _middle(differences, unit, _method_of(key, gap.family))


def _by_pair_test(pair: FoldPair, key: str, level: float, power: float) -> float:
    """Return the difference that one test detects for one pair."""
    differences = (pair.x - pair.y).to_numpy()
    n = len(differences)
    if key == "sign test":
        return _share(n, level, power)
    if key in _ON_CASES:
        n, pvalue = _disagreements(pair, key)
        share = _power.share_of_wins(n, pvalue, level, power) if n else nan
        return (2 * share - 1) * n / len(_cases(pair))
    if key in T_TESTS:
        if key == "paired t":
            return _power.shift_by_t(differences, level, power, averaged=True)
        factor = overlap_factor(n, pair.test_fraction)
        df = corrected_df(n, n - 1) if key == CONSERVATIVE else n - 1
        return _power.shift_by_t(differences, level, power, factor, df, averaged=True)
    return _power.shift_by_cv52(pair.five_by_two(), key, level, power)


@_found.register
def _vector_gap(gap: VectorDetectableInput, power: float) -> dict:
    """Return the distances that the paired Hotelling test and MANOVA detect."""
    n, factor, omnibus, manova_text = gap.n, gap.factor, nan, ""
    if gap.manova_dimension:
        omnibus, df = _power.distance_by_manova(
            gap.k, n, gap.manova_dimension, factor, gap.alpha, power, max_df=gap.max_df
        )
        manova_text = (
            f" MANOVA (Wilks): noncentral F distribution with ({df[0]}, {df[1]:.4g}) df, with all other "
            "algorithms halfway between two (elsewhere they increase the power)."
        )
    common = {"smallest": 0.0, "size": format_count(n, "fold")}
    dfs = {p: _power.hotelling_df(n, p, gap.max_df) for p in sorted(set(gap.dimensions)) if p}
    testable = [p for p, (_, left) in dfs.items() if left > 0]
    if not testable:
        return common | _unknown("The results differ in no fold, so there is nothing to test.")
    level = gap.family.level
    distance = partial(_power.distance_by_hotelling, max_df=gap.max_df)
    distances = {p: distance(n, p, factor, level, power) for p in testable}
    middle = sorted(p for p in gap.dimensions if p in distances)
    df_text = " or ".join(str(dfs[p]) for p in testable)
    return common | {
        "values": (distances[middle[len(middle) // 2]], distances[testable[0]], distances[testable[-1]]),
        "unit": MAHALANOBIS,
        "method": f"Noncentral F distribution with {df_text} df for the paired Hotelling T² test, assuming "
        f"multivariate normal differences ({_overlap(factor)}).{gap.family.step}{manova_text}",
        "omnibus": omnibus,
    }


def _share(n: int, level: float, power: float) -> float:
    return _power.share_of_wins(n, _power.binomial_pvalue(n), level, power)


def _signed_ranks(x: np.ndarray, y: np.ndarray, level: float, power: float) -> float:
    """Return the shift that the Wilcoxon test detects; ties are left out, as in the test."""
    values = (x - y)[~ties_mask(x, y)]
    if not len(values) or all_within_rounding(values - values.mean(), x, y):
        return nan
    return _power.shift_by_signed_ranks(values, level, power)


def _flips(x: np.ndarray, y: np.ndarray, level: float, power: float) -> float:
    differences = x - y
    if all_within_rounding(differences - differences.mean(), x, y):
        return nan
    return _power.shift_by_flips(differences, level, power)


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
    return n, (_power.binomial_pvalue if key == "McNemar" else _power.chi_square_pvalue)(n)


def _middle(differences: list[float], unit: str, method: str) -> dict:
    """Return the median, smallest and largest detectable difference of the pairs."""
    known = sorted(value for value in differences if value > 0)
    if not known:
        return _unknown(
            "No difference can be stated: the differences do not vary, too few of them are nonzero, or "
            "the test has too few possible p-values below this level."
        )
    values = (known[len(known) // 2], known[0], known[-1])
    return {"values": values, "unit": unit, "method": method}


def _unknown(reason: str) -> dict:
    return {"values": (nan, nan, nan), "unit": "", "method": "", "reason": reason}
