"""Effects, their intervals and equivalence regions in words."""

from collections.abc import Iterable
from math import isfinite, isnan, nan

from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.cited_text import CitedText, ending_sentence
from stats_core.comparison.claims import Decision
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import (
    capitalize_first,
    format_count,
    format_interval,
    format_number,
    format_percent,
)


def describe_effect(c: Comparison, d: Decision) -> tuple[str, str]:
    """Say the difference that counts with its interval: of the best and the runner-up, mostly.

    Then where it goes against the order; both "" where there is none to tell.
    """
    if d.size is None:
        return "", ""
    row = c.sized(*d.size)
    first, second, estimate = row["first"], row["second"], float(row["estimate"])
    if said := c.unsized(first, second):
        return said, against_order(c, first, second, nan)
    if not c.estimated(first, second) or not isfinite(estimate):
        return "", ""
    said = f"{capitalize_first(c.estimated(first, second))}: {format_number(estimate, c.digits)}"
    if interval := interval_said(c, row["low"], row["high"]):
        said = f"{said}, {interval}"
    return f"{said}.", against_order(c, first, second, estimate)


def against_order(c: Comparison, first: str, second: str, estimate: float) -> str:
    """Say that average rank and difference of two disagree; "" where they agree.

    `estimate` is the difference that is shown, NaN where there is none; the mean is looked at, too.
    """
    if not c.ordered_by_ranks:
        return ""
    ahead, other = sorted((first, second), key=c.order.index)
    means = c.scores[[first, second]].dropna().mean()
    sign = (1 if c.higher_is_better else -1) * (1 if ahead == first else -1)
    shown = {"difference": estimate, "mean": float(means[first] - means[second])}
    against = [name for name, value in shown.items() if sign * value < 0]
    if not against:
        return ""
    return (
        f"Average rank and {against[0]} disagree: {ahead} has the better average rank, "
        f"but the {against[0]} favours {other}."
    )


ADJUSTED = "adjusted for selection"


def interval_words(c: Comparison) -> str:
    """Name the intervals beside decisions: "95% CI, adjusted for selection" or "unadjusted 95% CI"."""
    allowed = c.intervals_allow_for
    if allowed == ADJUSTED:
        return f"{ci(c.settings.alpha)}, {allowed}"
    return f"{allowed} {ci(c.settings.alpha)}".strip()


def interval_said(c: Comparison, low: float, high: float) -> str:
    """Write the interval of a pair with what it allows for; "" where there is none."""
    if isnan(low) or isnan(high):
        return ""
    allowed, ends = c.intervals_allow_for, format_interval(low, high, c.digits)
    if allowed == ADJUSTED:
        return f"{ci(c.settings.alpha)} {ends}, {allowed}"
    return f"{allowed} {ci(c.settings.alpha)} {ends}".strip()


def interval_methods(c: Comparison) -> Iterable[CitedText]:
    """Say, for a paper, how the intervals of pairs allow for selection; nothing where they do not."""
    if c.intervals_allow_for != ADJUSTED:
        return
    named = f" {ci(c.settings.alpha)}s of the differences were adjusted for selection"
    yield CitedText(named, ("benjamini2005",))
    yield ending_sentence(", so that they exclude 0 exactly where a pair differs significantly")


def ci(alpha: float) -> str:
    """Name a confidence interval by its level.

    Examples
    --------
    >>> ci(0.05), ci(0.005)
    ('95% CI', '99.5% CI')
    """
    return f"{100 * (1 - alpha):.4g}% CI"


# what `regions` finds of a pair -> the cell of a table
CELLS = {
    "better": "better by more",
    "worse": "worse by more",
    "equivalent": "equivalent",
    "not known": "not known",
}

# the same beside a difference, whose side tells who is better
BESIDE = CELLS | {"better": "by more", "worse": "by more"}


def region_column(c: Comparison) -> tuple[str, list[str]] | None:
    """Return the head and the cells of the column beside p; None where there is none."""
    found = c.regions()
    return (f"±{c.settings.region:g}", [CELLS[place] for place in found]) if found else None


def region_caption(c: Comparison) -> str:
    """Say what the column beside p is, after a caption; "" where there is none."""
    if not c.regions():
        return ""
    region = f"{c.settings.region:g}"
    return f" ±{region}: better or worse by more than that {_answers(c)}"


def region_steps_caption(c: Comparison) -> str:
    """Say what stands beside differences whose region a slider moves."""
    return (
        f"At the right, by more than the region shown {_answers(c)} The slider's steps are the widths "
        f"from which on an answer is another; verdict and tables are at ±{c.settings.region:g}."
    )


def _answers(c: Comparison) -> str:
    alpha = c.settings.alpha
    return (
        f"(interval at {_percent(alpha)} beyond it, and separated), equivalent "
        f"({_percent(2 * alpha)} inside it: two one-sided tests), or not known; {_by(c)}, {_family(c)}."
    )


def describe_equivalence(c: Comparison) -> str:
    """Say of the pair, or of all pairs and the two best, what is known against the region."""
    if c.settings.region is None or not len(c.pairs()):
        return ""
    found, region = c.regions(), f"{c.settings.region:g}"
    if not found:
        return f"Against ±{region} nothing can be said: the pairs have no interval in {_unit(c)}."
    easily = ""
    if c.guarantee.bounds == "nothing" and {*found} != {"not known"}:
        easily = " Overlap of training sets is not allowed for, so this is said too easily."
    if len(found) == 1:
        return f"{_of_pair(c, 0)}{easily}"
    more, alike, open_ = (
        sum(place in places for place in found)
        for places in (("better", "worse"), ("equivalent",), ("not known",))
    )
    total = format_count(len(found), "pair")
    if open_ == len(found):
        return f"Of none of {total} is it known whether they differ by more than {region}."
    said = (
        f"Of {total} {more:,} {'is' if more == 1 else 'are'} shown to differ by more than {region} "
        f"and {alike:,} to be equivalent within it; of {open_:,} neither is known"
    )
    names, pairs = set(c.order[:2]), c.pairs()
    best = [
        place
        for place, (a, b) in enumerate(zip(pairs["first"], pairs["second"], strict=True))
        if {a, b} == names
    ]
    best_two = f" {_of_pair(c, best[0])}" if best else ""
    return f"{said}.{best_two}{easily}"


def _of_pair(c: Comparison, place: int) -> str:
    row, found, region = c.pairs().iloc[place], c.regions()[place], f"{c.settings.region:g}"
    first, second = row["first"], row["second"]
    if found in ("better", "worse"):
        better, worse = (first, second) if found == "better" else (second, first)
        return f"{better} is better than {worse} by more than {region}."
    if found == "equivalent":
        yet = "differ, yet " if row["separated"] else ""
        return f"{first} and {second} {yet}are equivalent within ±{region}."
    return f"Whether {first} and {second} differ by more than {region} is not known."


def region_methods(c: Comparison) -> Iterable[CitedText]:
    """Tell, for a paper, how pairs were held against the region."""
    if not c.regions():
        return
    alpha, region = c.settings.alpha, f"{c.settings.region:g}"
    yield CitedText(
        f" Differences in {_unit(c)} up to {region} were taken not to matter: two algorithms were "
        f"called equivalent if the {_percent(2 * alpha)} interval of their difference lay inside "
        f"±{region}, which is two one-sided tests at {alpha:g}",
        method_card("against_region").papers[:1],
    )
    yield ending_sentence(
        f", and one better by more than that if the pair was separated and its {_percent(alpha)} "
        f"interval lay beyond; {_by(c)}, {_family(c)}"
    )


def _by(c: Comparison) -> str:
    found = c.intervals(c.settings.alpha)
    assert found is not None
    return f"by {found.by}"


def _family(c: Comparison) -> str:
    """Say whether the answers are adjusted for being many."""
    found, family = c.intervals(c.settings.alpha), c.guarantee
    if family.comparisons == 1:
        return "of one comparison"
    if found is not None and found.together:
        return "which hold together"
    if family.adjusted:
        return f"adjusted by Bonferroni for {format_count(family.comparisons, 'comparison')}"
    return "not adjusted for being many"


def _unit(c: Comparison) -> str:
    return "common units" if c.together else c.settings.measure


def _percent(level: float) -> str:
    return format_percent(1 - level)
