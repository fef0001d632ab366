"""What is said of the differences an analysis could find: families, methods, sentences."""

from dataclasses import dataclass
from math import isnan, nan

from stats_core.comparison.detectable_inputs import Family
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import capitalize_first, format_number, p_text, score_digits
from stats_core.core.significance import significant
from stats_core.inference.fold_tests import AS_IF_INDEPENDENT, CORRECTED
from stats_core.inference.paired.vectorized_pairs import T_TESTS

RANKS = "average ranks"
SHARE = "share of wins"
MAHALANOBIS = "standard deviations between folds, over all measures (Mahalanobis)"
SPREAD = "The spread seen is taken as the true one"
AVERAGED = "Power is averaged over how large the true spread may be, given the one seen"
# the t test, by noncentral t averaged over chi-square: 6, 10, 30 differences at 0.05
ROUGH = (
    "so that on average power is lower: by 0.1 (6 normal differences), 0.06 (10), 0.02 (30), by more "
    "with heavy tails and in large families"
)
_SHIFT = (
    "A shift of differences that vary symmetrically, as much as those seen and about in their "
    "shape (skewed ones are found more often in one direction, less often in the other)"
)
ON_CASES = ("McNemar", "McNemar chi-square")
_CV52 = "the ten differences normal and independent"
_CASES = "Exact binomial power, with as many disagreements as seen"
METHODS = {
    **dict.fromkeys(
        CORRECTED,
        "Noncentral t; differences normal, any two folds correlated by the share tested",
    ),
    "paired t": "Noncentral t; differences normal",
    "5x2 cv F": f"Noncentral F with (5, 5) df for 2f - 1; {_CV52}",
    "5x2 cv t": f"Noncentral t with 5 df; {_CV52}",
    "combined 5x2 cv t": f"Noncentral t with 5 df; {_CV52}",
    "Wilcoxon": f"{_SHIFT}: simulated up to 100 of them, above that from the interval of Hodges and "
    "Lehmann",
    "sign test": "Exact binomial power, no ties",
    "sign flips": f"{_SHIFT}: simulated up to 14 of them, above that by noncentral t",
    "McNemar": _CASES,
    "McNemar chi-square": _CASES,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """What one analysis could have seen.

    Attributes
    ----------
    can_reject : bool
        Whether any difference, however large, could be significant.
    smallest_pvalue : float
        The smallest (adjusted) p-value possible at this size: 0 for a test without such a bound,
        NaN where there is no test.
    difference : float
        The smallest true difference found with the given power; NaN where it cannot be said.
        In a family of pairs that vary differently, that of the pair in the middle.
    low, high : float
        The same for the steadiest and for the least steady pair; both `difference` where one
        number holds for all.
    omnibus : float
        The distance of two algorithms, all others halfway between them, that MANOVA finds with the
        same power; NaN where there is no MANOVA.
    unit : str
        The measure, "average ranks", "share of wins" or the unit of a distance.
    family : str
        The hypotheses that share the level.
    power : float
        The chance of finding it.
    method : str
        How it was computed, and what that assumes.
    text : str
        All this in one or two sentences.
    clause : str
        The same without its full stop, for a citation to follow; "" where only a reason is named.
    reason : str
        Why there is no difference to name, else "".
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
    text: str
    clause: str = ""
    reason: str = ""
    omnibus: float = nan


def describe_detectable_method(key: str, family: Family, *, on_folds: bool = True) -> str:
    """Say how the difference that a test of pairs finds was computed."""
    taken = [] if key in ("sign test", *ON_CASES) else [f"{SPREAD}, {ROUGH}"]
    if key in T_TESTS:
        taken = [AVERAGED]
    if on_folds and key in AS_IF_INDEPENDENT:
        taken.append("folds are taken as independent")
    said = f"{'; '.join(taken)}." if taken else ""
    said = capitalize_first(said)
    return f"{METHODS[key]}. {said}".rstrip() + family.step


def overlap_words(factor: float) -> str:
    """Say what is done about training sets that overlap."""
    return f"overlap corrected (c = {factor:.4g})" if factor != 1 else "folds independent"


def describe_detectable(
    analysis: Comparison,
    power: float,
    *,
    family: Family,
    smallest: float,
    size: str,
    values: tuple[float, float, float],
    unit: str,
    method: str,
    reason: str = "",
    omnibus: float = nan,
) -> Detectable:
    """Put what was found into words.

    Parameters
    ----------
    analysis : Comparison
    power : float
    family : Family
    smallest : float
        The smallest p-value possible.
    size : str
        For example "38 data sets".
    values : tuple of float
        The difference that can be found: for the pair in the middle, the steadiest, the least
        steady.
    unit, method, reason : str
    omnibus : float
        As in `Detectable`.
    """
    alpha = analysis.settings.alpha
    if not isnan(smallest) and not significant(smallest, alpha):
        values = (nan, nan, nan)
        reason = (
            f"{_with(size, family)} can show no difference, however large: p cannot fall below "
            f"{p_text(smallest, alpha)} (alpha {alpha:g})."
        )
    middle, low, high = values
    clause = (
        f"Planning a new experiment: with {_with(size, family)}, "
        f"{_said(values, unit, score_digits(analysis.scores))} would be found in "
        f"{100 * power:.3g} of 100; smaller ones can easily be missed"
    )
    if reason:
        clause = ""
    if not isnan(omnibus):
        clause = f"{clause}. " if clause else f"{reason} "
        clause += (
            f"MANOVA would find two algorithms {format_number(omnibus, 1)} such standard deviations "
            "apart, all others halfway between them, as often"
        )
    text = f"{clause}." if clause else reason
    return Detectable(
        can_reject=not isnan(smallest) and significant(smallest, alpha),
        smallest_pvalue=smallest,
        difference=middle,
        low=low,
        high=high,
        unit=unit,
        family=family.name,
        power=power,
        method=method,
        text=text,
        clause=clause,
        reason=reason,
        omnibus=omnibus,
    )


def _with(size: str, family: Family) -> str:
    return f"{size} and {family.short}" if family.short else size


def _said(values: tuple[float, float, float], unit: str, digits: int) -> str:
    middle, low, high = values
    if unit == RANKS:
        return f"a gap of {format_number(middle, 1)} average ranks"
    if unit == SHARE:
        return f"an algorithm that wins {100 * middle:.0f} of 100 times"
    if unit == MAHALANOBIS:
        spread = (
            f" (from {format_number(low, 1)} to {format_number(high, 1)}, by pair)"
            if low < high
            else ""
        )
        return f"a difference of {format_number(middle, 1)} {unit}{spread}"
    said = f"a difference of {_amount(middle, digits)} in {unit}"
    if low == high:
        return said
    return f"{said} (from {_amount(low, digits)} to {_amount(high, digits)}, by pair)"


def _amount(value: float, digits: int) -> str:
    """Write a size with fixed decimals, or with three figures where those would not do."""
    return format_number(value, digits) if 10**-digits <= value < 1e7 else f"{value:.3g}"
