"""Text on effects, their intervals and equivalence regions."""

from math import isfinite, isnan, nan

from stats_core.comparison.decide import OBSTACLES, Decision
from stats_core.comparison.result import Comparison, everywhere
from stats_core.core.formatting import (
    MINUS,
    capitalize_first,
    format_count,
    format_interval,
    format_number,
    format_percent,
)
from stats_core.core.validation import significant, ties_mask
from stats_core.inference.paired.signed_ranks import mostly_equal

_ESTIMATES = {  # Hodges-Lehmann; median; `rank_shift`
    "wilcoxon": "median difference (Hodges-Lehmann)",
    "sign": "median difference",
    "ranks": "rank-based estimate of the difference",
}


def describe_effect(c: Comparison, d: Decision) -> tuple[str, str]:
    """Return a sentence on the deciding difference, and one if it contradicts the order.

    Both are "" if there is nothing to report.
    """
    if d.size is None:
        return "", ""
    row = c.sized(*d.size)
    first, second, estimate = row["first"], row["second"], float(row["estimate"])
    if text := why_no_interval(c, first, second):
        return text, against_order(c, first, second, nan)
    if not estimate_label(c) or not isfinite(estimate):
        return "", ""
    text = f"{capitalize_first(signed_label(c, first, second))}: {format_number(estimate, c.digits)}"
    if interval := describe_interval(c, row["low"], row["high"]):
        text = f"{text}, {interval}"
    return f"{text}.", against_order(c, first, second, estimate)


def no_difference_possible(c: Comparison) -> str:
    """Return a sentence if no difference could be significant, else ""."""
    alpha, least = c.settings.alpha, c.least.pvalue
    if significant(least, alpha):
        return ""
    return f"No difference can be significant, however large: p cannot fall below {least:.3g} (alpha {alpha:g})."


def against_order(c: Comparison, first: str, second: str, estimate: float) -> str:
    """Return a sentence if the average ranks and the difference of two algorithms disagree.

    `estimate` is the difference shown, NaN if none; the means are compared as well.
    """
    if not c.ordered_by_ranks:
        return ""
    ahead, other = sorted((first, second), key=c.order.index)
    means = c.scores[[first, second]].dropna().mean()
    sign = (1 if c.higher_is_better else -1) * (1 if ahead == first else -1)
    differences = {"difference": estimate, "mean": float(means[first] - means[second])}
    disagreeing = [name for name, value in differences.items() if sign * value < 0]
    if not disagreeing:
        return ""
    return (
        f"Average rank and {disagreeing[0]} disagree: {ahead} has the better average rank, "
        f"but the {disagreeing[0]} favours {other}."
    )


ADJUSTED = "adjusted for selection"


def interval_words(c: Comparison) -> str:
    """Return the kind of the intervals: "95% CI, adjusted for selection"."""
    adjustment = c.intervals_allow_for
    if adjustment == ADJUSTED:
        return f"{ci(c.settings.alpha)}, {adjustment}"
    return f"{adjustment} {ci(c.settings.alpha)}".strip()


def describe_interval(c: Comparison, low: float, high: float) -> str:
    """Return the interval of a pair with its kind; "" if there is none."""
    if isnan(low) or isnan(high):
        return ""
    adjustment, ends = c.intervals_allow_for, format_interval(low, high, c.digits)
    if adjustment == ADJUSTED:
        return f"{ci(c.settings.alpha)} {ends}, {adjustment}"
    return f"{adjustment} {ci(c.settings.alpha)} {ends}".strip()


def ci(alpha: float) -> str:
    """Return the name of a confidence interval: "95% CI".

    Examples
    --------
    >>> ci(0.05), ci(0.005)
    ('95% CI', '99.5% CI')
    """
    return f"{100 * (1 - alpha):.4g}% CI"


# result of `regions` -> text of a table cell
CELLS = {"better": "better by more", "worse": "worse by more", "equivalent": "equivalent", "not known": "not known"}

# shorter text next to a signed difference
BESIDE = CELLS | {"better": "by more", "worse": "by more"}


def region_column(c: Comparison) -> tuple[str, list[str]] | None:
    """Return heading and cells of the equivalence column; None if there is none."""
    results = c.regions()
    return (f"±{c.settings.region:g}", [CELLS[result] for result in results]) if results else None


def region_caption(c: Comparison) -> str:
    """Return the caption of the equivalence column; "" if there is none."""
    if not c.regions():
        return ""
    region = f"{c.settings.region:g}"
    return f" ±{region}: better or worse by more than that {_answers(c)}"


def region_steps_caption(c: Comparison) -> str:
    """Return the caption of the equivalence results that change with the slider."""
    return (
        f"At the right, by more than the region shown {_answers(c)} The slider's steps are the widths "
        f"from which on an answer is another; verdict and tables are at ±{c.settings.region:g}."
    )


def _answers(c: Comparison) -> str:
    alpha = c.settings.alpha
    return (
        f"(interval at {_percent(alpha)} beyond it, and separated), equivalent "
        f"({_percent(2 * alpha)} inside it: two one-sided tests), or not known; {region_family(c)}."
    )


def describe_equivalence(c: Comparison) -> str:
    """Return sentences on equivalence of the pair, or of all pairs and the two best."""
    if c.settings.region is None or not len(c.pairs()):
        return ""
    results, region = c.regions(), f"{c.settings.region:g}"
    if not results:
        return f"Against ±{region} nothing can be said: the pairs have no interval in {_unit(c)}."
    warning = ""
    if c.guarantee.bounds == "nothing" and {*results} != {"not known"}:
        warning = " Overlap of training sets is not allowed for, so this is said too easily."
    if len(results) == 1:
        return f"{_of_pair(c, 0)}{warning}"
    n_beyond, n_equivalent, n_unknown = (
        sum(result in kinds for result in results) for kinds in (("better", "worse"), ("equivalent",), ("not known",))
    )
    total = format_count(len(results), "pair")
    if n_unknown == len(results):
        return f"Of none of {total} is it known whether they differ by more than {region}."
    counts = (
        f"Of {total} {n_beyond:,} {'is' if n_beyond == 1 else 'are'} shown to differ by more than {region} "
        f"and {n_equivalent:,} to be equivalent within it; of {n_unknown:,} neither is known"
    )
    names, pairs = set(c.order[:2]), c.pairs()
    positions = [
        position for position, (a, b) in enumerate(zip(pairs["first"], pairs["second"], strict=True)) if {a, b} == names
    ]
    best_two = f" {_of_pair(c, positions[0])}" if positions else ""
    return f"{counts}.{best_two}{warning}"


def _of_pair(c: Comparison, position: int) -> str:
    row, result, region = c.pairs().iloc[position], c.regions()[position], f"{c.settings.region:g}"
    first, second = row["first"], row["second"]
    if result in ("better", "worse"):
        better, worse = (first, second) if result == "better" else (second, first)
        return f"{better} is better than {worse} by more than {region}."
    if result == "equivalent":
        yet = "differ, yet " if row["separated"] else ""
        return f"{first} and {second} {yet}are equivalent within ±{region}."
    return f"Whether {first} and {second} differ by more than {region} is not known."


def region_family(c: Comparison) -> str:
    """Return a phrase on the test and the adjustment behind intervals against the region."""
    return f"{_by(c)}, {_family(c)}"


def _by(c: Comparison) -> str:
    intervals = c.intervals(c.settings.alpha)
    assert intervals is not None
    return f"by {intervals.by}"


def _family(c: Comparison) -> str:
    """Return a phrase on the adjustment of the intervals for multiplicity."""
    intervals, family = c.intervals(c.settings.alpha), c.guarantee
    if family.comparisons == 1:
        return "of one comparison"
    if intervals is not None and intervals.together:
        return "which hold together"
    if family.adjusted:
        return f"adjusted by Bonferroni for {format_count(family.comparisons, 'comparison')}"
    return "not adjusted for being many"


def _unit(c: Comparison) -> str:
    return "common units" if c.together else c.settings.measure


def _percent(level: float) -> str:
    return format_percent(1 - level)


def why_no_interval(c: Comparison, first: str, second: str) -> str:
    """Return the text shown instead of an estimate with interval; "" if there is an interval.

    If more than half of the differences are zero, the median is zero regardless of the others.
    """
    if c.shape.over not in ("data sets", "folds") or c.paired_results is None:
        return ""
    if {first, second} in map(set, c.identical):
        return f"{first} and {second} are identical {everywhere(c)}."
    if not c.shape.averages:
        return ""
    paired = c.scores[[first, second]].dropna()
    x, y = (paired[name].to_numpy() for name in (first, second))
    if not len(paired) or not mostly_equal(x, y):
        return ""
    measure, mean = c.settings.measure, format_number(float((x - y).mean()), c.digits)
    return (
        f"Difference in mean {measure}, {first} − {second}: {mean}. There is no confidence interval: "
        f"{first} and {second} have the same {measure} on {int(ties_mask(x, y).sum())} of "
        f"{format_count(len(paired), 'data set')}."
    )


def estimate_label(c: Comparison) -> str:
    """Return the label of the estimate, "difference in mean error"; "" if it has no unit."""
    shape, measure = c.shape, c.settings.measure
    if shape.several_measures or shape.wins:
        return ""
    if shape.averages:
        return f"{_ESTIMATES['wilcoxon' if shape.two else c.settings.source]} in {measure}"
    if shape.ranks:
        return "difference in average rank"
    return f"difference in {measure}" if shape.over == "cases" else f"difference in mean {measure}"


def signed_label(c: Comparison, first: str, second: str) -> str:
    """Return the label of the estimate with its sign: "..., a − b"; low ranks win."""
    names = (second, first) if c.shape.published else (first, second)
    return f"{estimate_label(c)}, {f' {MINUS} '.join(names)}"


def preface(c: Comparison, d: Decision) -> str:
    """Return the sentence required before a claim; "" if nothing could be tested."""
    if d.claim in (*OBSTACLES, "too few") or not c.data_sets_needed:
        return ""
    return f"More data sets are needed: at least {c.data_sets_needed} for Wilcoxon tests, here {c.counted.n}."
