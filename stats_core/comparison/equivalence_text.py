"""What is said of a region of differences that do not matter: one place for every output."""

from collections.abc import Iterable

from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.cited_text import CitedText, ending_sentence
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count, format_percent

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
