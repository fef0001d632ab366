"""Phrases on a claim that the verdict and the sentences of a paper share."""

from collections.abc import Callable, Sequence
from math import isnan
from typing import NamedTuple

from stats_core.comparison.decide import Decision, Pair
from stats_core.comparison.kinds import (
    BenchmarksComparison,
    PairOnMeasures,
    PublishedDecisions,
    PublishedRanks,
)
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import (
    format_interval,
    format_number,
    join_names,
    measure_name,
    p_phrase,
    score_digits,
)
from stats_core.core.result_types import PairedResult
from stats_core.report.effect_text import ci

# omnibus tests whose name takes the word "test"
_NAMED_AFTER_AUTHORS = ("Iman-Davenport", "Skillings-Mack", "Cochran's Q")


def level(c: Comparison) -> str:
    """Return the significance level: "α = 0.05"."""
    return f"α = {c.settings.alpha:g}"


def criterion(c: Comparison) -> str:
    """Return what is compared: a measure, several as a vector, "(FPR, TPR)", ranks or wins."""
    if c.shape.wins:
        return "wins"
    if isinstance(c, PublishedRanks):
        return "average rank"
    if c.together:
        return f"({', '.join(map(measure_name, c.together))})"
    return c.measure_name


def is_on_test_set(c: Comparison) -> bool:
    """Return whether folds have one test set, which the name of the data set does not say."""
    return c.scope == "test set" and c.dataset_label != "the test set"


def name_of_omnibus(c: Comparison) -> str:
    """Return the name of the omnibus test, which there is."""
    assert c.first_test is not None
    name = c.first_test.name
    return f"{name} test" if name in _NAMED_AFTER_AUTHORS else name


def smallest_attainable(c: Comparison) -> str:
    """Return the smallest p-value that a pair can attain, with its name."""
    adjusted = c.guarantee.comparisons > 1 and c.guarantee.adjusted
    return p_phrase(c.least.pvalue, c.settings.alpha, "adjusted p" if adjusted else "p")


def difference_of_means(c: BenchmarksComparison) -> str:
    """Return the difference of two models in the mean of the benchmarks, with any interval."""
    row = c.pairs.frame.iloc[0]
    difference, low, high = row["macro"], row["macro low"], row["macro high"]
    number = format_number(difference, c.digits)
    if isnan(low):
        return number
    return f"{number}, {ci(c.settings.alpha)} {format_interval(low, high, c.digits)}"


# -- pairs --------------------------------------------------------------------------------------


class Tense(NamedTuple):
    """Verbs of clauses on pairs that differ."""

    singular: str
    plural: str
    differ: str


PRESENT = Tense("is", "are", "differs significantly from")
PAST = Tense("was", "were", "differed significantly from")
_Listed = Callable[[list[str], str], str]  # names, and the algorithm that they are compared with


def describe_pairs(c: Comparison, pairs: Sequence[Pair], tense: Tense, listed: _Listed) -> str:
    """Return the clauses on pairs that differ, names joined by `listed`, as few as possible."""
    firsts, seconds = (list(dict.fromkeys(names)) for names in zip(*pairs, strict=True))
    is_directed = all(c.beats.loc[pair] for pair in pairs)
    if is_directed and len(seconds) == 1:
        (worse,) = seconds
        verb = tense.singular if len(firsts) == 1 else tense.plural
        return f"{listed(firsts, worse)} {verb} significantly better than {worse}"
    if is_directed and len(firsts) == 1:
        (better,) = firsts
        return f"{better} {tense.singular} significantly better than {listed(seconds, better)}"
    shared = next((name for name in pairs[0] if all(name in pair for pair in pairs)), None)
    if shared is not None and not is_directed:
        partners = [name for name in dict.fromkeys((*firsts, *seconds)) if name != shared]
        return f"{shared} {tense.differ} {listed(partners, shared)}"
    better_than = f"{tense.singular} significantly better than"
    others: dict[tuple[str, str], list[str]] = {}  # by first algorithm and verb
    for a, b in pairs:
        verb = better_than if c.beats.loc[a, b] else tense.differ
        others.setdefault((a, verb), []).append(b)
    clauses = [f"{a} {verb} {listed(names, a)}" for (a, verb), names in others.items()]
    return join_names(clauses) if len(clauses) == len(pairs) else ", and ".join(clauses)


def few_differ(c: Comparison, d: Decision) -> bool:
    """Return whether only few of the pairs differ, so that they are listed by name."""
    return 0 < len(d.named) < len(c.pairs)


def better_than(c: Comparison, first: str) -> list[str]:
    """Return the algorithms significantly better than `first`."""
    return [name for name in c.order if c.beats.loc[name, first]]


# -- several measures ---------------------------------------------------------------------------


class BetterMean(NamedTuple):
    """A measure on which the mean of one of two algorithms is better, with both means as text."""

    direction: str  # "higher" or "lower"
    measure: str
    better: str
    other: str

    def __str__(self) -> str:
        """Return a phrase: "a lower FPR (0.10 vs. 0.20)"."""
        return f"a {self.direction} {self.measure} ({self.better} vs. {self.other})"


def ahead_by_measure(c: PairOnMeasures) -> dict[str, list[BetterMean]]:
    """Return for each of two algorithms the measures on which its mean is better."""
    ahead: dict[str, list[BetterMean]] = {c.first: [], c.second: []}
    means, digits = c.means, score_digits(c.means)
    for measure in c.measures:
        a, b = means.loc[c.first, measure], means.loc[c.second, measure]
        if a == b:
            continue
        higher = c.results.direction(measure) == "higher"
        winner = c.first if (a > b) == higher else c.second
        better, other = (a, b) if winner == c.first else (b, a)
        ahead[winner].append(
            BetterMean(
                direction="higher" if higher else "lower",
                measure=measure_name(measure),
                better=format_number(better, digits),
                other=format_number(other, digits),
            )
        )
    return ahead


def describe_means(c: PairOnMeasures, has: str) -> str:
    """Return for each algorithm on which measures its mean is better, with the verb `has`."""
    return " ".join(
        f"{name} {has} {join_names([str(mean) for mean in means])}."
        for name, means in ahead_by_measure(c).items()
        if means
    )


def outcome_alone(c: PairOnMeasures) -> PairedResult | None:
    """Return the test on the single measure of the settings; None if it is not possible."""
    return None if c.on_one_measure is None else c.on_one_measure.chosen.outcome


def contradicts_decisions(c: PublishedDecisions) -> bool:
    """Return whether an algorithm stands before one that is significantly better, as in a cycle of decisions."""
    assert c.ordering is not None
    names = c.ordering.order
    return any(
        bool(c.beats.loc[later, earlier])
        for position, earlier in enumerate(names)
        for later in names[position + 1 :]
    )
