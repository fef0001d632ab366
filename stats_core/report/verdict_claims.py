"""Sentences of verdicts, in the present tense: headline, effect size and numbers of each claim.

Functions return whole sentences, "" if there is nothing to say, except those whose docstring names
a phrase.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import pandas as pd

from stats_core.comparison.decide import FEW, Decision, Pair
from stats_core.comparison.kinds import (
    BenchmarksComparison,
    CasesComparison,
    ControlComparison,
    FoldPairComparison,
    FoldsComparison,
    PairOnMeasures,
    PresentComparison,
    PublishedDecisions,
    PublishedRanks,
    PublishedWins,
    RanksComparison,
    SeveralOnMeasures,
    TrainingsComparison,
    TwoComparison,
    UntestedComparison,
    WinsComparison,
)
from stats_core.comparison.kinds.instances import PairsOfModels
from stats_core.comparison.kinds.wins import OnWins
from stats_core.comparison.result import FDR, Comparison, everywhere, rounding_only
from stats_core.core.formatting import (
    MANY,
    capitalize_first,
    format_count,
    format_number,
    format_percent,
    join_names,
    join_sentences,
    label_tests,
    noun_before,
    p_phrase,
)
from stats_core.core.validation import significant
from stats_core.power import detectable
from stats_core.report.claim_phrases import (
    PRESENT,
    better_than,
    contradicts_decisions,
    criterion,
    describe_means,
    describe_pairs,
    difference_of_means,
    few_differ,
    is_on_test_set,
    level,
    name_of_omnibus,
    outcome_alone,
    smallest_attainable,
)
from stats_core.report.effect_text import (
    estimate_label,
    published_p_phrase,
    pvalue_name,
    smallest_pvalue,
)

_NOT_EQUIVALENT = "A non-significant test is not evidence of equivalence."


class Claimed(NamedTuple):
    """Sentences on a claim.

    `headline` is the claim, `size` its evidence, "" if that is the size of the reported difference,
    and `numbers` are standing, tests and counts.
    """

    headline: str
    size: str = ""
    numbers: str = ""


def describe_claim(c: Comparison, d: Decision, most: int) -> Claimed:
    """Return the sentences on a claim, which names at most `most` algorithms."""
    claimed = _claim_of_kind(c, d) or _CLAIMS[d.claim](c, d, most)
    if not isinstance(c, BenchmarksComparison) or len(c.order) <= 2 or c.obstacle:
        return claimed
    return claimed._replace(headline=join_sentences(claimed.headline, _sizes_decide(c)))


# -- phrases ------------------------------------------------------------------------------------


def _are(names: Collection[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _differ(n: int) -> str:
    return "differs" if n == 1 else "differ"


def where(c: Comparison) -> str:
    """Return the phrase for criterion and data: "in error over 38 data sets"."""
    if isinstance(c, PublishedDecisions):
        return "according to the published decisions"
    return f"in {criterion(c)}{_on_units(c)}"


def _on_units(c: Comparison) -> str:
    """Return the phrase " over 38 data sets" or " on iris", "" without a test."""
    if c.shape.over == "data sets":
        return f" over {c.counted}"
    if isinstance(c, BenchmarksComparison):
        return f" over {c.where}"
    if c.shape.over == "nothing":
        return ""
    return f" on {'the single test set of ' if is_on_test_set(c) else ''}{c.dataset_label}"


def _top(c: Comparison, tied: Sequence[str] = ()) -> str:
    """Return the clause on the algorithm with the best value and those with the same value."""
    by, first = c.ordered_by, c.order[0]
    if by is None:
        return f"{first} has the largest difference between wins and losses over {c.counted}"
    have = f"{join_names([first, *tied])} {'have' if tied else 'has'}"
    return f"{have} the {by.best} {by.name} ({by.of(first)}){_on_units(c)}"


def _other_than(c: Comparison, names: Collection[str]) -> str:
    """Return the phrase for all algorithms but some, by name if they are few."""
    others = [name for name in c.order if name not in names]
    if len(others) <= FEW:
        return join_names(others, FEW)
    return f"each of the other {len(others)} {c.noun}s"


def _omnibus(c: Comparison) -> str:
    """Return the phrase for the omnibus test, which there is, and its p-value."""
    assert c.first_test is not None
    p, alpha = c.first_test.outcome.pvalue, c.settings.alpha
    published = published_p_phrase(p, c.first_test.published, alpha)
    return f"{name_of_omnibus(c)}: {p_phrase(p, alpha)}{published}"


def name_tests(c: Comparison) -> str:
    """Return the phrase for the pairwise tests, with the p-value of any omnibus test."""
    return c.test_name if c.first_test is None else f"{c.test_name} ({_omnibus(c)})"


def _significant_pairs(c: Comparison, n: int) -> str:
    of_all = len(c.pairs)
    number = "All" if n == of_all > 1 else f"{n:,} of"
    pairs = format_count(of_all, "pair")
    return f"{number} {pairs} {_differ(n)} significantly. {label_tests(name_tests(c))}."


def _smallest_p(c: Comparison, tests: str) -> str:
    """Return the pair with the smallest p-value, and that p-value if no difference is given."""
    closest, alpha, has_difference = (
        c.pairs.decisions.iloc[0],
        c.settings.alpha,
        bool(estimate_label(c)),
    )
    pairs, p = format_count(len(c.pairs), "pair"), closest["p adjusted"]
    phrase = p_phrase(p, alpha, pvalue_name(c))
    if p > 0.999:
        smallest = f"All {pairs} have {phrase}."
    else:
        first, second = closest["first"], closest["second"]
        published = published_p_phrase(p, c.pairs.published_p(first, second), alpha)
        in_brackets = "" if has_difference else f" ({phrase}{published})"
        smallest = f"Of {pairs}, {first} and {second} have the {smallest_pvalue(c)}{in_brackets}."
    return join_sentences(
        smallest,
        f"{label_tests(tests)}, {c.tested_units}{_effective_clusters(c)}.",
        "" if has_difference else _NOT_EQUIVALENT,
    )


def _no_two_differ(names: Sequence[str], most: int, noun: str) -> str:
    if len(names) < 2:
        return ""
    if len(names) == 2:
        return f"{join_names(names)} do not differ significantly."
    listed = join_names(names) if len(names) <= most else f"the {len(names)} best {noun}s"
    return f"No two of {listed} differ significantly."


def _effective_clusters(c: Comparison) -> str:
    """Return the phrase for Kish's number of clusters, "" if clusters do not differ in size."""
    if not isinstance(c, CasesComparison) or not c.n_clusters:
        return ""
    n = c.effective_clusters
    return f" (effective number {n:.1f})" if n < c.n_clusters - 0.05 else ""


# -- claims of every kind -----------------------------------------------------------------------


def _too_few(c: Comparison, d: Decision, most: int) -> Claimed:
    units, needed = c.least.counted, c.least.needed
    assert units is not None  # there is no smallest p-value without units
    are = "is" if units.n == 1 else "are"
    remedy = (
        f"At least {needed} {units.several} are needed."
        if needed
        else f"It remains above α for any number of {units.several}."
    )
    return Claimed(
        headline=f"{units} {are} too few for a significant difference.",
        size=(
            "The smallest attainable p-value is not significant"
            f" ({smallest_attainable(c)}, {level(c)}). {remedy}"
        ),
        numbers=f"{label_tests(c.test_name)}.",
    )


def _leads(c: Comparison, d: Decision, most: int) -> Claimed:
    better = f"{join_names(d.ahead, most)} {_are(d.ahead)} significantly better than"
    return Claimed(
        headline=f"{better} {_other_than(c, d.ahead)} {where(c)}.",
        numbers=join_sentences(
            _no_two_differ(d.ahead, most, c.noun),
            describe_values(c),
            _significant_pairs(c, d.separated),
        ),
    )


def _behind(c: Comparison, d: Decision, most: int) -> Claimed:
    worse = f"{join_names(d.behind, most)} {_are(d.behind)} significantly worse than"
    first, by = d.near[0], c.ordered_by
    if len(d.ahead) + len(d.behind) == len(c.order):
        best = _no_two_differ(d.ahead, most, c.noun)
    else:
        best = "" if by is None else f"{first} has the {by.best} {by.name} ({by.of(first)})."
    return Claimed(
        headline=f"{worse} {_other_than(c, d.behind)} {where(c)}.",
        numbers=join_sentences(best, describe_values(c), _significant_pairs(c, d.separated)),
    )


def _describe_pairs(c: Comparison, pairs: Sequence[Pair]) -> str:
    """Return the clauses on pairs that differ."""
    return describe_pairs(c, pairs, PRESENT, lambda names, _: join_names(names))


def _few_pairs(c: Comparison, d: Decision) -> str:
    others = len(c.pairs) - len(d.apart)
    rest = (
        "The other pair does not differ significantly."
        if others == 1
        else "Neither of the other two pairs differs significantly."
        if others == 2
        else f"None of the other {others:,} pairs differs significantly."
    )
    return f"{_describe_pairs(c, d.apart)} {where(c)}. {rest}"


def _few(c: Comparison, d: Decision, most: int) -> Claimed:
    return Claimed(
        headline=_few_pairs(c, d),
        numbers=join_sentences(describe_values(c), f"{label_tests(name_tests(c))}."),
    )


def _best(c: Comparison, d: Decision, most: int) -> Claimed:
    first, others, by = d.near[0], list(d.near[1:]), c.ordered_by
    tied = [name for name in others if by is not None and by.values[name] == by.values[first]]
    has_values = by is not None and not tied and len(others) <= most
    if len(others) == len(c.order) - 1:
        unlike = f"any other {c.noun}"
    else:
        listed = by.valued(others) if by is not None and has_values else others
        unlike = join_names(listed, most, "or")
    headline = _top(c, tied)
    if others:
        but = f". {first}" if tied else ", but"
        headline = f"{headline}{but} does not differ significantly from {unlike}"
    return Claimed(
        headline=f"{headline}.",
        numbers=join_sentences(describe_values(c), _significant_pairs(c, d.separated)),
    )


def _contested(c: Comparison, d: Decision, most: int) -> Claimed:
    first = d.near[0]
    better = better_than(c, first)
    are_better = f"{join_names(better, most)} {_are(better)} significantly better than {first}"
    return Claimed(
        headline=f"{_top(c)}, but {are_better} in pairwise tests.",
        numbers=join_sentences(describe_values(c), _significant_pairs(c, d.separated)),
    )


def _circle(c: Comparison, d: Decision, most: int) -> Claimed:
    worse = f"is significantly worse than at least one other {c.noun}"
    return Claimed(
        headline=f"Each of the {len(c.order)} {c.noun}s {worse} {where(c)}.",
        numbers=join_sentences(describe_values(c), _significant_pairs(c, d.separated)),
    )


def _better(c: Comparison, d: Decision, most: int) -> Claimed:
    return Claimed(
        headline=f"{c.order[0]} is significantly better than {c.order[1]} {where(c)}.",
        numbers=join_sentences(describe_values(c), _record(c)),
    )


def _some_differ(c: Comparison, d: Decision, most: int) -> Claimed:
    if few_differ(c, d):
        headline = _few_pairs(c, d)
    else:
        pairs = format_count(len(c.pairs), "pair")
        headline = f"{d.separated} of {pairs} {_differ(d.separated)} significantly {where(c)}."
    tests = f"{label_tests(name_tests(c))}, {c.counted}."
    return Claimed(headline=headline, numbers=join_sentences(tests, describe_values(c)))


def _pairs_only(c: Comparison, d: Decision, most: int) -> Claimed:
    pairs, differ = format_count(d.separated, "pair"), _differ(d.separated)
    although = f"although the omnibus test is not significant ({_omnibus(c)})"
    return Claimed(
        headline=f"{pairs} {differ} significantly {where(c)}, {although}.",
        size=_errors_without_omnibus(c),
        numbers=join_sentences(
            "Demšar (2006) recommends pairwise tests only if the omnibus test is significant.",
            f"{_describe_pairs(c, d.named)}." if d.named else "",
            describe_values(c),
        ),
    )


def _errors_without_omnibus(c: Comparison) -> str:
    """Return which error rate is controlled if the omnibus test is not significant."""
    also = f"is also controlled if the omnibus test is not significant ({c.test_name})."
    match c.guarantee.bounds:
        case "family":
            return f"The family-wise error rate {also}"
        case "global null":
            only = f"only if no algorithms differ ({c.test_name})"
            return f"The family-wise error rate is controlled {only}."
        case result if result == FDR:
            return f"The false discovery rate {also}"
        case "each":
            unadjusted = "The p-values are not adjusted for multiple comparisons"
            return f"{unadjusted}, so some differences may be false positives."
    liberal = "The pairwise test is liberal on results of this design"
    return f"{liberal}, so some differences may be false positives."


def _no_pair(c: Comparison, d: Decision, most: int) -> Claimed:
    differ = f"The {c.noun}s differ significantly {where(c)} ({_omnibus(c)})"
    return Claimed(
        headline=f"{differ}, but no pair differs significantly.",
        numbers=join_sentences(_smallest_p(c, c.test_name), describe_values(c)),
    )


def _nothing(c: Comparison, d: Decision, most: int) -> Claimed:
    if len(c.order) == 2:
        closest = c.pairs.decisions.iloc[0]
        names = f"{closest['first']} and {closest['second']}"
        return Claimed(
            headline=f"{names} do not differ significantly {where(c)}.",
            numbers=join_sentences(describe_values(c), _record(c)),
        )
    return Claimed(
        headline=f"No two of the {len(c.order)} {c.noun}s differ significantly {where(c)}.",
        numbers=join_sentences(
            _smallest_p(c, name_tests(c)), describe_values(c) if c.shape.wins else ""
        ),
    )


def _one_algorithm(c: Comparison, d: Decision, most: int) -> Claimed:
    if not c.results.algorithms:
        return Claimed("There is no algorithm to compare.")
    only = f"There is only one algorithm ({c.results.algorithms[0]})"
    return Claimed(f"{only}, so no comparison is possible.")


def _one_number(c: Comparison, d: Decision, most: int) -> Claimed:
    needed = "A test needs the results of all folds, or results on several data sets."
    return Claimed(
        headline="There is one result per algorithm, so no test is possible.",
        size=join_sentences(describe_values(c), needed),
    )


def _unnamed_instances(c: Comparison, d: Decision, most: int) -> Claimed:
    return Claimed(
        headline="The instances have no identifiers, so no paired test is possible.",
        size=describe_values(c),
        numbers='Add a column "instance" with the same identifiers for all algorithms.',
    )


def _identical(c: Comparison, d: Decision, most: int) -> Claimed:
    names = join_names(c.order) if len(c.order) == 2 else f"All {len(c.order)} {c.noun}s"
    but = " except for rounding errors" if rounding_only(c) else ""
    same = f"{names} have the same {criterion(c)}{but} {everywhere(c)}"
    return Claimed(f"{same}, so no test is possible.")


# claim -> its sentences, unless the kind has its own
_CLAIMS: dict[str, Callable[[Comparison, Decision, int], Claimed]] = {
    "too few": _too_few,
    "leads": _leads,
    "behind": _behind,
    "few": _few,
    "best": _best,
    "contested": _contested,
    "circle": _circle,
    "better": _better,
    "differ": _some_differ,
    "pairs only": _pairs_only,
    "no pair": _no_pair,
    "nothing": _nothing,
    "one algorithm": _one_algorithm,
    "one number": _one_number,
    "unnamed cases": _unnamed_instances,
    "identical": _identical,
}


# -- claims that a kind words itself ------------------------------------------------------------


def _claim_of_kind(c: Comparison, d: Decision) -> Claimed | None:
    """Return the sentences of this kind of comparison on a claim; None if it has none."""
    match c:
        case ControlComparison():
            return _against_control(c, c.control, d)
        case FoldPairComparison() if d.claim == "test refused":
            return _refused(c)
        case PairOnMeasures() if d.claim != "identical":
            return _pair_on_measures(c, d)
        case OnWins():
            return _by_wins(c, d)
        case BenchmarksComparison() | CasesComparison() if c.control:
            return _against_control(c, c.control, d)
        case BenchmarksComparison():
            return _two_on_benchmarks(c, d)
        case CasesComparison():
            return _two_on_instances(c, d)
        case PublishedDecisions() if d.claim != "one algorithm":
            return _published_decisions(c, d)
    return None


def _against_control(
    c: ControlComparison | PairsOfModels, control: str, d: Decision
) -> Claimed | None:
    if d.claim not in ("sides", "nothing", "no pair"):
        return None
    n, smallest = len(c.pairs), ""
    if n > 1 and not d.separated:
        closest = c.pairs.decisions["first"].iloc[0]
        smallest = f"Of {n} comparisons with {control}, {closest} has the {smallest_pvalue(c)}."
    return Claimed(
        headline=_sides(c, control),
        numbers=join_sentences(describe_values(c), smallest, f"{label_tests(c.test_name)}."),
    )


def _sides(c: ControlComparison | PairsOfModels, control: str) -> str:
    """Return which algorithms are better than the control, worse, and not different."""
    better, worse, others = c.sides()
    if not better and not worse and len(others) > 1:
        counted = format_count(len(others), f"other {c.noun}")
        return f"None of {counted} differs significantly from {control} {where(c)}."
    do = "does" if len(others) == 1 else "do"
    first, *rest = [
        f"{join_names(names, MANY)} {verb} {control}"
        for names, verb in (
            (better, f"{_are(better)} significantly better than"),
            (worse, f"{_are(worse)} significantly worse than"),
            (others, f"{do} not differ significantly from"),
        )
        if names
    ]
    return " ".join(f"{sentence}." for sentence in (f"{first} {where(c)}", *rest))


def _refused(c: FoldPairComparison) -> Claimed:
    cannot = f"{c.first} and {c.second} cannot be compared by the {c.chosen.name}."
    return Claimed(headline=cannot, size=c.chosen.reason)


def _pair_on_measures(c: PairOnMeasures, d: Decision) -> Claimed:
    return Claimed(
        headline=_pair_together_and_alone(c, d),
        size=_pvalues_together_and_alone(c),
        numbers=join_sentences(
            f"{label_tests(c.test_name)}, {c.counted}.",
            describe_values(c),
            "" if d.separated else _NOT_EQUIVALENT,
        ),
    )


def _pair_together_and_alone(c: PairOnMeasures, d: Decision) -> str:
    """Return whether two algorithms differ on the measures together, and on one alone."""
    names, outcome = join_names([c.first, c.second]), outcome_alone(c)
    differ_alone = outcome is not None and significant(outcome.pvalue, c.settings.alpha)
    if d.claim == "differ":
        if outcome is None or differ_alone:
            return f"{names} differ significantly {where(c)}."
        alone = f"{names} do not differ significantly in {c.measure_name}"
        return f"{alone}, but differ significantly {where(c)}."
    if differ_alone:
        return f"{names} differ significantly in {c.measure_name}, but not {where(c)}."
    return f"{names} do not differ significantly {where(c)}."


def _pvalues_together_and_alone(c: PairOnMeasures) -> str:
    """Return the p-values of the measures together, and of the one of the settings."""
    alpha, single, outcome = c.settings.alpha, c.on_one_measure, outcome_alone(c)
    tested = [(c.label, c.hotelling.pvalue, c.pairs.published_p(c.first, c.second))]
    if single is not None and outcome is not None:
        published = single.pairs.published_p(c.first, c.second)
        tested.append((capitalize_first(c.measure_name), outcome.pvalue, published))
    return " ".join(
        f"{name}: {p_phrase(p, alpha)}{published_p_phrase(p, published, alpha, ' (', ')')}."
        for name, p, published in tested
    )


def _by_wins(c: OnWins, d: Decision) -> Claimed | None:
    rows = list(c.pairs.frame.itertuples())
    differing = [row for row in rows if row.separated]
    if d.claim == "nothing" and len(rows) == 1:
        (row,) = rows
        return Claimed(
            headline=(
                f"{row.first} and {row.second} do not differ significantly {where(c)}"
                f" ({row.wins} to {row.losses})."
            ),
            size=f"{_test_of_wins(c, row.p)} {_NOT_EQUIVALENT}",
            numbers=describe_values(c),
        )
    if not 0 < len(differing) <= FEW:
        return None
    clauses = [
        f"{row.first} wins significantly more often than {row.second} ({row.wins} to {row.losses})"
        for row in differing
    ]
    counted = f"{d.separated} of {format_count(len(rows), 'pair')} {_differ(d.separated)}"
    tests = (
        _test_of_wins(c, differing[0].p)
        if len(rows) == 1
        else f"{counted} significantly. {label_tests(c.test_name)}."
    )
    return Claimed(
        headline=f"{join_names(clauses)} over {c.counted}.",
        numbers=join_sentences(tests, describe_values(c)),
    )


def _test_of_wins(c: OnWins, p: float) -> str:
    return f"{capitalize_first(c.test_name)}: {p_phrase(p, c.settings.alpha)}."


def _two_on_instances(c: CasesComparison, d: Decision) -> Claimed | None:
    if d.claim != "leads" or len(c.tests) > 1:
        return None
    (first, second), the_model = c.order, ""
    if not isinstance(c, TrainingsComparison):
        the_model = noun_before("model", first, second)
    higher = "higher" if c.higher_is_better else "lower"
    has = f"{capitalize_first(the_model)}{first} has significantly {higher} {c.measure_name}"
    return Claimed(
        headline=f"{has} than {the_model}{second} on {c.dataset_label}.", numbers=describe_values(c)
    )


def _two_on_benchmarks(c: BenchmarksComparison, d: Decision) -> Claimed | None:
    """Return the sentences on two models over fewer benchmarks than a test over them needs."""
    if len(c.order) > 2 or d.claim not in ("leads", "nothing"):
        return None
    row = c.pairs.frame.iloc[0]
    first, second = row["first"], row["second"]
    compared = (
        f"{first} is significantly better than {second}"
        if d.separated
        else f"{first} and {second} do not differ significantly"
    )
    unlike = _unlike_in_mean(c, row) if row["weights decide"] else ""
    return Claimed(headline=f"{compared} {where(c)}{unlike}.", numbers=describe_values(c))


def _unlike_in_mean(c: BenchmarksComparison, row: pd.Series) -> str:
    """Return the clause on two models that compare differently in the mean of the benchmarks."""
    if not significant(row["macro p"], c.settings.alpha):
        unlike = "not in"
    elif row["separated"]:
        unlike = "significantly worse in"
    else:
        is_first = (row["macro"] > 0) == c.higher_is_better
        better = row["first" if is_first else "second"]
        unlike = f"{better} is significantly better in"
    return f", but {unlike} the mean of the benchmarks, so the benchmark sizes decide"


def _sizes_decide(c: BenchmarksComparison) -> str:
    """Return for which of several pairs of models the sizes of the benchmarks decide."""
    pairs = c.weights_decide()
    if not pairs:
        return ""
    if len(pairs) <= FEW:
        named = join_names([f"{first} vs. {second}" for first, second in pairs])
    else:
        named = f"{len(pairs)} of {format_count(len(c.pairs), 'pair')}"
    return f"The benchmark sizes decide for {named}."


def _published_decisions(c: PublishedDecisions, d: Decision) -> Claimed:
    n, pairs = d.separated, format_count(c.counted.n, "pair")
    as_published = "The decisions are taken as published, without a test."
    if not n:
        headline = f"None of {pairs} differs significantly {where(c)}."
        return Claimed(headline=headline, size=as_published)
    differ = f"{n} of {pairs} {_differ(n)} significantly"
    if c.ordering is not None:
        return Claimed(headline=_order_by_decisions(c), size=as_published, numbers=f"{differ}.")
    table = c.pairs.frame
    named = table.loc[table["separated"], ["first", "second"]].itertuples(index=False)
    pairs_are = "pair is" if n == 1 else "pairs are"
    listed = join_names([f"{row.first} vs. {row.second}" for row in named])
    return Claimed(
        headline=f"{differ} {where(c)}.",
        size=as_published,
        numbers=f"The significant {pairs_are} {listed}.",
    )


def _order_by_decisions(c: PublishedDecisions) -> str:
    assert c.ordering is not None
    names, most = c.ordering.order, 6
    entered = "as you entered" if c.settings.prior else "as in the table"
    but = "except where a" if c.ordering.edges else "because no"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    if contradicts_decisions(c):
        return (
            f"No order agrees with all significant differences {where(c)}. MultiTest gives"
            f" {', '.join(names[:most])}{more}."
        )
    return (
        f"Ordered {entered}, {but} later algorithm is significantly better {where(c)}:"
        f" {', '.join(names[:most])}{more}."
    )


# -- values -------------------------------------------------------------------------------------


def describe_values(c: Comparison) -> str:
    """Return the best and the worst value of all algorithms, or the values and test of two."""
    return _VALUES[type(c)](c)


def _ranks(c: RanksComparison | PublishedRanks) -> str:
    return f"The average ranks range from {c.ordered_by.range}."


def _ranks_of_present(c: PresentComparison) -> str:
    sets = c.standing["data sets"]
    fewest = f"{sets.min():,} to " if sets.min() < sets.max() else ""
    n_sets = f"{fewest}{format_count(int(sets.max()), 'data set')}"
    assert c.ordered_by is not None  # the average ranks
    return f"The average ranks range from {c.ordered_by.range}, over {n_sets} per algorithm."


def _rank_of_control(c: ControlComparison) -> str:
    named = f"{capitalize_first(noun_before('control', c.control))}{c.control}"
    rank = format_number(c.friedman.average_ranks[c.control])
    return f"{named} has average rank {rank} among {len(c.order)} algorithms."


def _test_of_two(c: TwoComparison) -> str:
    return f"Test: Wilcoxon signed-rank test, {c.counted}."


def _record(c: Comparison) -> str:
    """Return the record of the better of two algorithms; "" unless over data sets."""
    if not isinstance(c, TwoComparison):
        return ""
    wins, ties, losses = c.record(c.better)
    return f"{c.better} wins on {wins}, ties on {ties} and loses on {losses} of {c.counted}."


def _means_on_folds(c: FoldsComparison) -> str:
    assert c.ordered_by is not None  # the means
    return f"The {c.ordered_by.name} ranges from {c.ordered_by.range} over {c.counted}."


def _means_of_fold_pair(c: FoldPairComparison) -> str:
    first, second = (format_number(c.matrix[name].mean(), c.digits) for name in (c.first, c.second))
    means = f"{first} ({c.first}) and {second} ({c.second})"
    return f"The mean {c.measure_name} is {means}. Test: {c.chosen.name}, {c.tested_units}."


def _several_on_measures(c: SeveralOnMeasures) -> str:
    along, alone = "", ""
    if significant(c.manova.pvalue, c.settings.alpha):
        of_all = format_count(c.dimension.largest, "dimension")
        along = f"The mean vectors differ along {c.dimension.dimension} of {of_all}."
    if c.on_one_measure is not None:
        n = int(c.on_one_measure.pairs.decisions["separated"].sum())
        pairs = format_count(n, "pair") if n else "no pair"
        alone = f"In {c.measure_name} alone, {pairs} {_differ(n or 1)} significantly."
    return join_sentences(along, alone)


def _means_on_measures(c: PairOnMeasures) -> str:
    return describe_means(c, "has")


def _definition_of_win(c: WinsComparison) -> str:
    one_set = "Each win refers to one test set." if c.on_one_test_set else ""
    return join_sentences(f"A win is {c.win}.", one_set)


def _values_on_instances(c: CasesComparison) -> str:
    by, measure = c.ordered_by, c.measure_name
    assert by is not None  # the values on the instances
    units = f"{c.counted}{_effective_clusters(c)}"
    if len(c.tests) > 1:
        values = f"The {measure} ranges from {by.range} on {units}."
    else:
        best, last = c.order[0], c.order[-1]
        both = f"{by.of(best)} ({best}) and {by.of(last)} ({last})"
        values = f"The {measure} is {both}. Test: {c.test_name}, {units}."
    several = len(c.tests) > 1
    return join_sentences(
        values,
        "" if several or c.way != "mcnemar" else _correct_by_one(c),
        _detectable_difference(c, "A test set of this size gives", several=several),
    )


def _correct_by_one(c: CasesComparison) -> str:
    """Return on how many instances only one of two models is correct."""
    row = c.pairs.frame.iloc[0]
    only_first = format_count(int(row["only first"]), "instance")
    correct = f"Only {c.order[0]} is correct on {only_first}"
    return f"{correct}, and only {c.order[-1]} on {int(row['only second']):,}."


def _values_on_benchmarks(c: BenchmarksComparison) -> str:
    several = len(c.order) > 2
    if several:
        values = f"The {c.measure_name} over all instances ranges from {c.ordered_by.range}."
    else:
        p = p_phrase(c.pairs.frame["macro p"].iloc[0], c.settings.alpha)
        values = join_sentences(
            f"{label_tests(c.test_name)}, {c.counted}.",
            f"Averaged over the benchmarks, each with the same weight, the difference is {difference_of_means(c)}, {p}.",
            _heterogeneity(c),
        )
    subject = "A new experiment of this size has"
    return join_sentences(values, _detectable_difference(c, subject, several=several))


def _heterogeneity(c: BenchmarksComparison) -> str:
    p, alpha = c.pairs.frame["heterogeneity p"].iloc[0], c.settings.alpha
    if pd.isna(p):
        return ""
    vary = "vary" if significant(p, alpha) else "do not vary significantly"
    return f"The differences {vary} between benchmarks (Welch test: {p_phrase(p, alpha)})."


def _detectable_difference(c: PairsOfModels, subject: str, *, several: bool) -> str:
    """Return which difference would be detected, after subject and verb; "" if unknown."""
    least = detectable.detectable(c)
    if not least.difference > 0:
        return ""
    size = (
        f"{format_number(least.difference, c.digits)}{' (median of all pairs)' if several else ''}"
    )
    return f"{subject} {format_percent(least.power)} power to detect a difference of {size}."


def _best_untested(c: UntestedComparison) -> str:
    """Return the algorithm with the best average on the first data set."""
    averages = c.scores.iloc[0].dropna() if len(c.scores) else pd.Series(dtype=float)
    if averages.empty:
        return "No algorithm has complete results."
    name = averages.idxmax() if c.higher_is_better else averages.idxmin()
    best = "highest" if c.higher_is_better else "lowest"
    average = "average " if len(c.results.datasets) > 1 else ""
    value = format_number(averages[name], c.digits)
    return f"{name} has the {best} {average}{c.measure_name} ({value})."


def _wins_as_published(c: PublishedWins) -> str:
    return "The wins are taken as published."


def _none(c: PublishedDecisions) -> str:
    return ""


# kind of comparison -> sentences on the values of its algorithms
_VALUES: dict[type[Comparison], Callable[..., str]] = {
    RanksComparison: _ranks,
    PresentComparison: _ranks_of_present,
    ControlComparison: _rank_of_control,
    TwoComparison: _test_of_two,
    FoldsComparison: _means_on_folds,
    FoldPairComparison: _means_of_fold_pair,
    SeveralOnMeasures: _several_on_measures,
    PairOnMeasures: _means_on_measures,
    WinsComparison: _definition_of_win,
    CasesComparison: _values_on_instances,
    TrainingsComparison: _values_on_instances,
    BenchmarksComparison: _values_on_benchmarks,
    UntestedComparison: _best_untested,
    PublishedRanks: _ranks,
    PublishedWins: _wins_as_published,
    PublishedDecisions: _none,
}


# -- one pair among all -------------------------------------------------------------------------


def pair_among_all(every: Comparison, first: str, second: str, scope: str) -> str:
    """Return whether two algorithms differ by the tests of all pairs; `scope` is as in `where`."""
    if not every.pairs.differ(first, second):
        return f"{first} and {second} do not differ significantly {scope}."
    if every.beats.loc[first, second]:
        return f"{first} is significantly better than {second} {scope}."
    return f"{first} and {second} differ significantly {scope}."


def if_chosen_beforehand(own: Comparison, evidence: str) -> str:
    """Return the unadjusted test of a pair, with its evidence, for a pair chosen beforehand."""
    unadjusted = f"no adjustment is needed ({own.test_name})"
    return f"If the pair was chosen beforehand, {unadjusted}: {evidence}"
