"""Text on effect sizes, confidence intervals and equivalence; sentences are in `effect.toml`."""

from collections.abc import Collection, Iterable, Sequence
from math import isclose, isfinite, isnan, nan
from typing import Literal

import pandas as pd

from stats_core.comparison.decide import OBSTACLES, Decision
from stats_core.comparison.kinds import datasets
from stats_core.comparison.result import Comparison, everywhere
from stats_core.core.formatting import (
    MINUS,
    capitalize_first,
    format_count,
    format_interval,
    format_number,
    join_sentences,
    p_phrase,
)
from stats_core.core.messages import TextCatalog
from stats_core.core.validation import significant, ties_mask
from stats_core.inference.pair_intervals import Guarantee
from stats_core.inference.paired import signed_ranks

effect_text = TextCatalog("stats_core", "report/effect.toml")


Label = Literal["full", "brief", "bare"]
Form = Literal["estimate", "phrase", "in_paper"]


def describe_effect(
    c: Comparison,
    d: Decision,
    *,
    form: Form = "estimate",
    label: Label = "brief",
    first: str = "",
    tests: str = "",
) -> tuple[str, str]:
    """Return the reported difference with its interval as text, and a warning if the order contradicts it.

    The text is "" if there is nothing to report, the warning if there is no contradiction. Its
    `form` is a line below a headline ("estimate"), a phrase, or a sentence of a paper, which names
    any `tests` and has no p-value; `label` is that of `estimate_label`. The minuend is `first` or,
    if that is not given, the algorithm that the claim puts first, so that signs agree. With a
    control, it is the other algorithm.
    """
    if d.size is None:
        return "", ""
    row = c.pairs.of(*d.size)
    if not first and not c.shape.control:
        first = d.size[0]
    if first == row["second"]:
        swapped = {"first": first, "second": row["first"]}
        negated = {"estimate": -row["estimate"], "low": -row["high"], "high": -row["low"]}
        row = pd.Series({**row, **swapped, **negated})
    first, second, estimate = row["first"], row["second"], float(row["estimate"])
    if text := why_no_interval(c, first, second):
        return text, against_order(c, first, second, nan)
    if not estimate_label(c) or not isfinite(estimate):
        return "", ""
    labelled = estimate_label(c, label)
    number, interval = format_number(estimate, c.digits), describe_interval(c, row)
    if form == "in_paper":
        evidence = ", ".join(part for part in (interval, tests) if part)
        in_brackets = f" ({evidence})" if evidence else ""
        text = f"The {labelled} ({first} {MINUS} {second}) was {number}{in_brackets}."
    else:
        values = (number, interval, describe_pvalue(c, first, second))
        evidence = ", ".join(part for part in values if part)
        text = f"{labelled}, {first} {MINUS} {second}: {evidence}"
        text = f"{capitalize_first(text)}." if form == "estimate" else text
    return text, against_order(c, first, second, estimate)


def describe_pvalue(c: Comparison, first: str, second: str) -> str:
    """Return the p-value of a pair as text, with the published one if it differs; "" if there is none."""
    p = c.pairs.adjusted_p(first, second)
    if isnan(p):
        return ""
    alpha = c.settings.alpha
    published = published_p_phrase(p, c.pairs.published_p(first, second), alpha)
    return f"{p_phrase(p, alpha, pvalue_name(c))}{published}"


def published_p_phrase(
    p: float,
    published: float | None,
    alpha: float | None = None,
    before: str = ", and ",
    after: str = "",
) -> str:
    """Return the p-value with the published degrees of freedom as a phrase, "" if none is printed unlike `p`."""
    if published is None or p_phrase(published, alpha) == p_phrase(p, alpha):
        return ""
    return f"{before}{effect_text('effect.published', p=p_phrase(published, alpha))}{after}"


def pvalue_name(c: Comparison) -> str:
    """Return the name of the p-values used: "adjusted p", "unadjusted p", or "p" for one comparison."""
    if c.guarantee.comparisons == 1:
        return "p"
    return "adjusted p" if c.guarantee.adjusted else "unadjusted p"


def smallest_pvalue(c: Comparison) -> str:
    """Return the name of the p-value of the first row of `pairs`, by what it is smallest: "smallest p-value"."""
    rows = c.pairs.decisions
    for column in ("p adjusted", "p"):
        if column in rows and (rows[column] == rows[column].iloc[0]).sum() == 1:
            return effect_text(f"smallest.{column}")
    return effect_text("smallest.shared")


def no_difference_possible(c: Comparison) -> str:
    """Return a sentence if no difference could be significant, else ""."""
    alpha, least = c.settings.alpha, c.least.pvalue
    return (
        "" if significant(least, alpha) else effect_text("effect.impossible", p=least, alpha=alpha)
    )


def against_order(c: Comparison, first: str, second: str, estimate: float) -> str:
    """Return a sentence if the average ranks and the difference of two algorithms disagree, else "".

    `estimate` is the difference shown, NaN if none; the means are compared as well.
    """
    if not c.shape.ordered_by_ranks or (
        c.ordered_by and isclose(*c.ordered_by.values[[first, second]])
    ):
        return ""
    ahead, other = sorted((first, second), key=c.order.index)
    means = c.scores[[first, second]].dropna().mean()
    sign = (1 if c.higher_is_better else -1) * (1 if ahead == first else -1)
    differences = {"difference": estimate, "mean": float(means[first] - means[second])}
    disagreeing = [name for name, value in differences.items() if sign * value < 0]
    return (
        effect_text("disagreement.order", ahead=ahead, other=other, name=disagreeing[0])
        if disagreeing
        else ""
    )


def interval_words(c: Comparison, separated: Iterable[bool] | None = None) -> str:
    """Return the name of the intervals with what they guarantee: "simultaneous 95% CI".

    `separated` are the decisions on the pairs shown, by default on all pairs.
    """
    return guaranteed_ci(c.settings.alpha, c.pairs.guarantees(separated))


def guaranteed_ci(alpha: float, guarantees: Collection[Guarantee]) -> str:
    """Return the name of confidence intervals with the guarantees that they have.

    Examples
    --------
    >>> guaranteed_ci(0.05, ["simultaneous"]), guaranteed_ci(0.05, [""])
    ('simultaneous 95% CI', '95% CI')
    """
    if len(guarantees) > 1:
        return effect_text("intervals.by_decision", ci=ci(alpha))
    return " ".join([*guarantees, ci(alpha)]).strip()


def describe_interval(c: Comparison, row: pd.Series) -> str:
    """Return the interval of a row of `pairs` as text with what it guarantees; "" if there is none."""
    low, high = row["low"], row["high"]
    if isnan(low) or isnan(high):
        return ""
    return f"{interval_words(c, [row['separated']])} {format_interval(low, high, c.digits)}"


def ci(alpha: float) -> str:
    """Return the name of a confidence interval: "95% CI".

    Examples
    --------
    >>> ci(0.05), ci(0.005)
    ('95% CI', '99.5% CI')
    """
    return f"{100 * (1 - alpha):.4g}% CI"


# result of `Equivalence.results` -> text of a table cell
CELLS = {
    "better": "better by more",
    "worse": "worse by more",
    "equivalent": "equivalent",
    "not known": "inconclusive",
}

# shorter text next to a signed difference
BESIDE = CELLS | {"better": "by more", "worse": "by more"}


def region_column(c: Comparison) -> tuple[str, list[str]] | None:
    """Return header and cells of the equivalence column; None if there is none."""
    results = c.equivalence.results
    return (f"±{c.settings.margin:g}", [CELLS[result] for result in results]) if results else None


def identical_caption() -> str:
    """Return the sentence on identical results in a caption."""
    return effect_text("effect.not_tested")


def region_caption(c: Comparison) -> str:
    """Return the caption of the equivalence column; "" if there is none."""
    return (
        effect_text("margin.column", region=_region(c), rule=_rule(c))
        if c.equivalence.results
        else ""
    )


def region_steps_caption(c: Comparison, *, slider: bool = True) -> str:
    """Return the caption of pairwise equivalence results; `slider` if the page has a slider for the margin."""
    return join_sentences(
        effect_text("margin.steps", rule=_rule(c)),
        effect_text("margin.slider", region=_region(c)) if slider else "",
    )


def _region(c: Comparison) -> str:
    return f"{c.settings.margin:g}"


def _rule(c: Comparison) -> str:
    alpha = c.settings.alpha
    return effect_text(
        "margin.rule", region=_region(c), ci=ci(alpha), narrow=ci(2 * alpha), tests=region_family(c)
    )


def describe_equivalence(c: Comparison) -> str:
    """Return sentences on equivalence of the one pair, or of all pairs and the best two; "" without margin or pairs."""
    if c.settings.margin is None or c.obstacle or not len(c.pairs):
        return ""
    results, region = c.equivalence.results, _region(c)
    if not results:
        unit = "several measures" if c.together else c.measure_name
        return effect_text("equivalence.no_interval", region=region, unit=unit)
    liberal = c.guarantee.bounds == "nothing" and c.shape.over == "folds"
    liberal &= {*results} != {"not known"}
    warning = [effect_text("equivalence.liberal")] if liberal else []
    if len(results) == 1:
        return " ".join([_of_pair(c, 0), *warning])
    if {*results} == {"not known"}:
        every = "both pairs" if len(results) == 2 else f"all {format_count(len(results), 'pair')}"
        return f"The equivalence test within ±{region} is inconclusive for {every}."
    names, pairs = set(c.order[:2]), c.pairs.decisions
    best_two = [
        _of_pair(c, position)
        for position, (a, b) in enumerate(zip(pairs["first"], pairs["second"], strict=True))
        if {a, b} == names and {*results} != {"equivalent"}
    ]
    intervals = f"The equivalence tests use {region_family(c)}."
    counts = describe_equivalence_counts(results, region)
    return " ".join([counts, *best_two, intervals, *warning])


def describe_equivalence_counts(results: Sequence[str], region: str) -> str:
    """Return how many pairs differ by more than the margin, are equivalent, or neither."""
    unlike = sum(result in ("better", "worse") for result in results)
    alike, unknown = results.count("equivalent"), results.count("not known")
    pairs = format_count(len(results), "pair")
    every = "Both pairs" if len(results) == 2 else f"All {pairs}"
    if unlike == len(results):
        return f"{every} differ by more than {region}."
    if alike == len(results):
        return f"{every} are equivalent within ±{region}."
    clauses = [
        f"{unlike} {'differs' if unlike == 1 else 'differ'} by more than {region}",
        f"{alike} {'is' if alike == 1 else 'are'} equivalent within ±{region}",
        f"the equivalence test is inconclusive for {unknown}",
    ]
    counted = [clause for clause, n in zip(clauses, (unlike, alike, unknown), strict=True) if n]
    return f"Of {pairs}, {', '.join(counted[:-1])}, and {counted[-1]}."


def _of_pair(c: Comparison, position: int) -> str:
    """Return a sentence on the equivalence result of one row of `pairs`."""
    row, result, region = (
        c.pairs.decisions.iloc[position],
        c.equivalence.results[position],
        _region(c),
    )
    first, second = row["first"], row["second"]
    if result in ("better", "worse"):
        better, worse = (first, second) if result == "better" else (second, first)
        return effect_text("equivalence.better", better=better, worse=worse, region=region)
    names = {"first": first, "second": second, "region": region}
    if result == "equivalent":
        differ = bool(row["separated"])
        return effect_text(
            "equivalence.differ_equivalent" if differ else "equivalence.equivalent", **names
        )
    return effect_text("equivalence.inconclusive", **names)


def region_family(c: Comparison) -> str:
    """Return a phrase on the intervals of the equivalence tests and their adjustment."""
    intervals, family = c.intervals(c.settings.alpha), c.guarantee
    assert intervals is not None
    if family.comparisons == 1:
        return intervals.by
    if intervals.together:
        return effect_text("intervals.simultaneous", by=intervals.by)
    if family.adjusted:
        return effect_text("intervals.bonferroni", by=intervals.by, n=family.comparisons)
    return effect_text("intervals.unadjusted", by=intervals.by)


def why_no_interval(c: Comparison, first: str, second: str) -> str:
    """Return the text in place of an interval if a pair's results are identical or mostly equal, else ""."""
    if c.shape.over not in ("data sets", "folds") or c.paired_results is None:
        return ""
    measure = c.measure_name
    if {first, second} in map(set, c.identical):
        return effect_text(
            "effect.identical",
            measure=measure,
            first=first,
            second=second,
            everywhere=everywhere(c),
        )
    if not c.shape.averages:
        return ""
    paired = c.scores[[first, second]].dropna()
    x, y = (paired[name].to_numpy() for name in (first, second))
    if not len(paired) or not signed_ranks.mostly_equal(x, y):
        return ""
    mean, p = format_number(float((x - y).mean()), c.digits), describe_pvalue(c, first, second)
    names = {"measure": measure, "first": first, "second": second}
    ties = {"ties": int(ties_mask(x, y).sum()), "n": len(paired)}
    return join_sentences(
        f"Difference in mean {measure}, {first} {MINUS} {second}: {', '.join(filter(None, (mean, p)))}.",
        effect_text("effect.same_on_most", **names, **ties),
    )


def estimate_label(c: Comparison, label: Label = "full") -> str:
    """Return the label of the estimate, "difference in mean error"; "" if it has no unit.

    A "brief" label does not say of a named estimate that it is of the difference in the measure; a
    "bare" one, after the name of the measure, names it for means only.
    """
    if c.estimate is None:
        return ""
    return effect_text(f"estimate.{label} {c.estimate.value}", measure=c.measure_name)


def needs_more_sets(c: Comparison, d: Decision) -> str:
    """Return a caution if a claim rests on too few data sets for the usual test, else ""."""
    if d.claim in (*OBSTACLES, "too few"):
        return ""
    needed = datasets.data_sets_needed(c)
    return "" if needed is None else effect_text("effect.more_sets", needed=needed)
