"""Headlines, sizes and counts by kind of comparison."""

from collections.abc import Sequence
from functools import singledispatch
from math import isfinite, isnan

import numpy as np
import pandas as pd

from stats_core.comparison.decide import FEW
from stats_core.comparison.kinds.control_and_pairs import ControlComparison, PresentComparison, TwoComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.instances import ERRORS, CasesComparison
from stats_core.comparison.kinds.measure_vectors import PairOnMeasures, SeveralOnMeasures
from stats_core.comparison.kinds.published_summaries import (
    PublishedDecisions,
    PublishedRanks,
    PublishedWins,
    UntestedComparison,
)
from stats_core.comparison.kinds.wins import OnWins, WinsComparison
from stats_core.comparison.result import Comparison, Units
from stats_core.core.formatting import (
    MANY,
    MINUS,
    capitalize_first,
    format_count,
    format_interval,
    format_number,
    join_names,
    p_phrase,
    published_p_phrase,
    score_digits,
)
from stats_core.core.significance import significant
from stats_core.report.effect_text import interval_said, why_no_interval

_SAID = 3  # maximum number of pairs listed in the text


@singledispatch
def word_claim(comparison: Comparison, claim: str, separated: int) -> tuple[str, str, str] | None:
    """Return headline, size and numbers if a kind words a claim itself, else None.

    If the size is "", the deciding difference is described instead.
    """
    return None


@singledispatch
def describe_sizes(comparison: Comparison, near: Sequence[str]) -> str:
    """Return a sentence with the results of the leaders or the differences; "" if none."""
    raise NotImplementedError(comparison.kind)


@singledispatch
def describe_tally(comparison: Comparison) -> str:
    """Return a sentence with counts for a comparison of two, such as wins; "" if none."""
    return ""


@describe_sizes.register
def _ranks_sizes(c: RanksComparison, near: Sequence[str]) -> str:
    """Return a sentence with the range of average ranks."""
    return f"Average ranks from {c.ordered_by.range} over {c.counted}."


@describe_sizes.register
def _present_sizes(c: PresentComparison, near: Sequence[str]) -> str:
    """Return a sentence with the range of average ranks and the numbers of data sets."""
    sets = c.standing["data sets"]
    over = format_count(int(sets.max()), "data set")
    if sets.min() < sets.max():
        over = f"{sets.min():,} to {over}"
    return f"Average ranks among those present from {c.ordered_by.range}, over {over} each."


@describe_sizes.register
def _control_sizes(c: ControlComparison, near: Sequence[str]) -> str:
    """Return a sentence with the average rank of the control."""
    rank = format_number(c.friedman.average_ranks[c.control])
    return f"Average rank of {c.control} {rank} of {len(c.order)}."


@word_claim.register
def _control_told(c: ControlComparison, claim: str, separated: int) -> tuple[str, str, str] | None:
    """Return headline, details and statistics: algorithms better or worse than the control."""
    if claim not in ("sides", "nothing", "no pair"):
        return None
    better, worse, not_separated = c.sides()
    closest, alpha = c.pairs().iloc[0], c.settings.alpha
    about, others = c.settings.measure, format_count(len(c.adjusted), "other algorithm")
    parts: list[str] = []
    for names, word in ((better, "better"), (worse, "worse")):
        if names:
            in_measure = "" if parts else f" in {about}"
            verb = "is" if len(names) == 1 else "are"
            parts.append(f"{join_names(names, MANY)} {verb} significantly {word} than {c.control}{in_measure}.")
    if parts and not_separated:
        verb = "does" if len(not_separated) == 1 else "do"
        parts.append(f"{join_names(not_separated, MANY)} {verb} not differ significantly from {c.control}.")
    nothing = f"None of {others} differs significantly from {c.control} in {about}."
    return (
        " ".join(parts) or nothing,
        "",
        f"{describe_sizes(c, [])} {capitalize_first(c.post)}, "
        f"{format_count(len(c.adjusted), 'comparison')} over {c.counted}; smallest adjusted "
        f"{p_phrase(closest['p adjusted'], alpha)} ({closest['first']}).",
    )


@describe_sizes.register
def _two_sizes(c: TwoComparison, near: Sequence[str]) -> str:
    """Return a sentence with the median difference and its interval."""
    test = c.wilcoxon
    by = f"Wilcoxon, {p_phrase(test.pvalue, c.settings.alpha)}, {c.counted}"
    if reason := why_no_interval(c, c.first, c.second):
        return f"{reason} {capitalize_first(by)}."
    return (
        f"{capitalize_first(c.estimated(c.first, c.second))}: "
        f"{format_number(test.estimate, c.digits)}, {interval_said(c, *c.interval)} ({by})."
    )


@describe_tally.register
def _two_tally(c: TwoComparison) -> str:
    """Return a sentence with wins, ties and losses of the better algorithm."""
    wins, ties, losses = c.record(c.better)
    return f"{c.better} wins {wins}, ties {ties}, loses {losses}."


def _not_ruled_out(low: float, high: float, digits: int) -> str:
    """Return a sentence on how large an undetected difference may be, with a leading blank."""
    reach = max(abs(low), abs(high))
    if not isfinite(reach):
        return " This is not evidence that they are equal."
    return f" A true difference up to {format_number(reach, digits)} is not ruled out."


@describe_sizes.register
def _folds_sizes(c: FoldsComparison, near: Sequence[str]) -> str:
    """Return a sentence with the range of means."""
    return f"{capitalize_first(c.ordered_by.name)} from {c.ordered_by.range} over {c.counted}."


@describe_sizes.register
def _fold_pair_sizes(c: FoldPairComparison, near: Sequence[str]) -> str:
    """Return a sentence with both means and the difference with its interval."""
    answer, digits, means = c.chosen, c.digits, c.matrix.mean()
    alpha = c.settings.alpha
    published = published_p_phrase(c.published_p(c.first, c.second), alpha, ", ")
    outcome, row = answer.outcome, c.details().iloc[0]
    assert outcome is not None
    interval = "" if isnan(answer.low) else f" {format_interval(answer.low, answer.high, digits)}"
    of_folds = outcome.n == c.n_folds
    size = c.counted if of_folds else Units(n=outcome.n, noun="case")
    text = (
        f"Mean {c.settings.measure} {format_number(means[c.first], digits)} ({c.first}) against "
        f"{format_number(means[c.second], digits)} ({c.second}): difference {c.first} {MINUS} "
        f"{c.second} {format_number(row['estimate'], digits)}{interval} ({answer.name}, "
        f"{p_phrase(outcome.pvalue, alpha)}{published}, {size})."
    )
    return text if near else f"{text}{_not_ruled_out(answer.low, answer.high, digits)}"


@word_claim.register
def _fold_pair_told(c: FoldPairComparison, claim: str, separated: int) -> tuple[str, str, str] | None:
    """Return the headline and reason if the requested test cannot be used."""
    if claim != "test refused":
        return None
    name = c.chosen.name
    return (f"{capitalize_first(name)} cannot decide between {c.first} and {c.second}.", c.chosen.reason, "")


@describe_sizes.register
def _several_measures_sizes(c: SeveralOnMeasures, near: Sequence[str]) -> str:
    """Return a sentence on the dimension of the means and the result on one measure."""
    parts = []
    if significant(c.manova.pvalue, c.settings.alpha):
        parts.append(f"Their means spread over {_dimension_text(c)}.")
    single = c.on_one_measure
    if single is not None:
        n_separated = int(single.pairs()["separated"].sum())
        parts.append(f"{c.settings.measure} alone separates {format_count(n_separated, 'pair')}.")
    return " ".join(parts)


def _dimension_text(c: SeveralOnMeasures) -> str:
    result, words = c.dimension, {0: "point", 1: "line", 2: "plane"}
    shape = f" (a {words[result.dimension]})" if result.dimension in words else ""
    return f"{result.dimension} of {format_count(result.largest, 'dimension')}{shape}"


@describe_sizes.register
def _measure_pair_sizes(c: PairOnMeasures, near: Sequence[str]) -> str:
    """Return a sentence with the measures in which each algorithm has the better mean."""
    ahead: dict[str, list[str]] = {c.first: [], c.second: []}
    means, digits = c.means, score_digits(c.means)
    for measure in c.measures:
        a, b = means.loc[c.first, measure], means.loc[c.second, measure]
        if a == b:
            continue
        higher = c.results.direction(measure) == "higher"
        winner = c.first if (a > b) == higher else c.second
        best, other = (a, b) if winner == c.first else (b, a)
        ahead[winner].append(
            f"{'higher' if higher else 'lower'} {measure} ({format_number(best, digits)} against "
            f"{format_number(other, digits)})"
        )
    parts = [f"{name} has {join_names(phrases, 4)}" for name, phrases in ahead.items() if phrases]
    return f"{', '.join(parts)}." if parts else ""


@word_claim.register
def _measure_pair_told(c: PairOnMeasures, claim: str, separated: int) -> tuple[str, str, str] | None:
    """Return the headline comparing the test of vectors with the test of one measure."""
    if claim == "identical":
        return None
    measure, alpha, names = (c.settings.measure, c.settings.alpha, (c.first, c.second))
    single = c.on_one_measure
    outcome = single.chosen.outcome if single is not None else None
    by_measure = outcome is not None and significant(outcome.pvalue, alpha)
    published = published_p_phrase(c.published_p(*names), alpha, ", ")
    statistics = f"{c.label}: {p_phrase(c.hotelling.pvalue, alpha)}{published} ({c.post}, {c.counted})."
    if outcome is not None and single is not None:
        published = published_p_phrase(single.published_p(*names), alpha, ", ")
        statistics = f"{measure}: {p_phrase(outcome.pvalue, alpha)}{published}. {statistics}"
    if claim == "differ" and outcome is not None and not by_measure:
        headline = f"{measure} does not separate {join_names(names)}, but they err differently."
    elif claim == "differ":
        headline = f"{join_names(names)} differ {c.where}."
    elif by_measure:
        headline = f"{measure} separates {join_names(names)}; {c.label} together does not."
    else:
        headline = f"The data do not separate {join_names(names)} on {c.label}, at this level."
    tail = describe_sizes(c, []) if separated else "This is not evidence that they are equal."
    return headline, f"{statistics} {tail}".strip(), ""


@word_claim.register
def _on_wins_told(c: OnWins, claim: str, separated: int) -> tuple[str, str, str] | None:
    """Return headline, details and statistics with the winners and their counts."""
    table = c.details()
    if claim == "nothing" and len(table) == 1:
        (row,) = table.itertuples()
        return (
            f"The data do not separate {row.first} and {row.second} {c.where}, at this level.",
            f"{row.wins} to {row.losses}, {p_phrase(row.p, c.settings.alpha)} ({c.post}). "
            "This is not evidence that they are equal.",
            describe_sizes(c, []),
        )
    separated_rows = table[table["separated"]]
    if not 0 < len(separated_rows) <= FEW:
        return None
    pvalue = f", {p_phrase(separated_rows['p'].iloc[0], c.settings.alpha)}" if len(table) == 1 else ""
    labels = [f"{row.first} over {row.second} ({row.wins} to {row.losses})" for row in separated_rows.itertuples()]
    return (
        f"More wins over {c.counted}: {join_names(labels)}.",
        "",
        f"{separated} of {format_count(len(table), 'pair')} {'differs' if separated == 1 else 'differ'}"
        f"{pvalue} ({c.post}). {describe_sizes(c, [])}",
    )


@describe_sizes.register
def _wins_sizes(c: WinsComparison, near: Sequence[str]) -> str:
    """Return a sentence that defines a win."""
    limit = " Each holds on its test set." if c.on_one_test_set else ""
    return f"A win is {c.win}.{limit}"


@describe_sizes.register
def _cases_sizes(c: CasesComparison, near: Sequence[str]) -> str:
    """Return a sentence with the range of values, or with the difference of two models."""
    best, last = c.order[0], c.order[-1]
    digits = c.digits
    high, low = (format_number(c.values[best], digits), format_number(c.values[last], digits))
    measure = c.settings.measure
    name = capitalize_first(measure) if measure.isalpha() and len(measure) > 4 else f"By {measure},"
    if len(c.tests) > 1:
        return f"{name} from {c.ordered_by.range} on {c.counted}."
    row, (test,) = c.details().iloc[0], c.tests.values()
    interval = "" if np.isnan(row["low"]) else f" {format_interval(row['low'], row['high'], digits)}"
    p = p_phrase(test.pvalue, c.settings.alpha)
    statistics = f"({c.how.short}, {p}, {c.counted})."
    if c.way == "mcnemar":
        statistics = (
            f". {best} alone is right on {format_count(row['only first'], 'case')}, {last} alone on "
            f"{row['only second']:,} {statistics}"
        )
    return (
        f"{name} {high} ({best}) against {low} ({last}): difference {row['first']} {MINUS} "
        f"{row['second']} {format_number(row['estimate'], digits)}{interval}"
        f"{statistics if statistics[0] == '.' else ' ' + statistics}"
        f"{'' if near else ' This is not evidence that they are equal.'}"
    )


@word_claim.register
def _cases_told(c: CasesComparison, claim: str, separated: int) -> tuple[str, str, str] | None:
    """Return the headline for two trained models, or algorithms trained often, that differ."""
    if claim != "leads" or len(c.tests) > 1:
        return None
    best, last = c.order
    measure, this = c.settings.measure, "this trained " if c.scope == "cases" else ""
    by_errors = measure in ERRORS and c.scope == "cases"
    does = "errs less than" if by_errors else f"has a better {measure} than"
    headline = f"{capitalize_first(this)}{best} {does} {this}{last} on {c.dataset}."
    return headline, describe_sizes(c, [best]), ""


@describe_sizes.register
def _untested_sizes(c: UntestedComparison, near: Sequence[str]) -> str:
    """Return a sentence that names the algorithm with the best average."""
    averages = c.scores.iloc[0].dropna() if len(c.scores) else pd.Series(dtype=float)
    if averages.empty:
        return "No algorithm has a complete result."
    name = averages.idxmax() if c.higher_is_better else averages.idxmin()
    return f"{name} has the best average {c.settings.measure}, {format_number(averages[name], c.digits)}."


@describe_sizes.register
def _published_ranks_sizes(c: PublishedRanks, near: Sequence[str]) -> str:
    """Return a sentence with the range of average ranks."""
    return f"Average ranks from {c.ordered_by.range}."


@describe_sizes.register
def _published_decisions_sizes(c: PublishedDecisions, near: Sequence[str]) -> str:
    """Return a sentence that names the first algorithm of the order."""
    if c.ordering is None:
        return ""
    return f"MultiTest puts {c.ordering.order[0]} first."


@word_claim.register
def _published_decisions_told(c: PublishedDecisions, claim: str, separated: int) -> tuple[str, str, str] | None:
    """Return headline and details: the order, or the pairs that differ."""
    if claim == "one algorithm":
        return None
    pairs = format_count(c.counted.n, "pair")
    source_sentence = "Decisions are taken as given; nothing was tested here."
    if not separated:
        return f"By the decisions given none of {pairs} differs.", source_sentence, ""
    counts = f"{separated} of {pairs} {'differs' if separated == 1 else 'differ'}."
    if c.ordering is not None:
        ordered = join_names(c.ordering.order, 6)
        whose = "your order" if c.settings.prior else "the order of the table"
        reason = "because the given decisions find no later algorithm better"
        if c.ordering.edges:
            reason = "except where the given decisions find a later algorithm better"
        return (f"Ordered by {whose}, {reason}: {ordered}.", f"MultiTest: {counts} {source_sentence}", "")
    rows = c.details()[["first", "second", "separated"]]
    named = [f"{a} and {b}" for a, b, differs in rows.to_numpy() if differs]
    ending = f"; and {len(named) - _SAID} more" if len(named) > _SAID else ""
    return (f"By the decisions given {counts}", f"{'; '.join(named[:_SAID])}{ending}. {source_sentence}", "")


@describe_sizes.register
def _published_wins_sizes(c: PublishedWins, near: Sequence[str]) -> str:
    """Return a sentence that the wins were taken as published."""
    return "Wins are taken as published."
