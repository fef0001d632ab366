"""Methods and results paragraphs for a paper."""

from collections.abc import Iterable

import pandas as pd

from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.conclusion_scope import pairs_beside
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count, format_set, join_names, p_phrase
from stats_core.core.messages import IN_PAPER
from stats_core.data.missing import holes_left
from stats_core.data.settings import describe_group
from stats_core.ordering.order import Order
from stats_core.power.detectable import Detectable, detectable
from stats_core.power.detectable_inputs import NO_FAMILY
from stats_core.report.cited_text import CitedText, ending_sentence, family_text
from stats_core.report.effect_text import no_difference_possible, region_methods
from stats_core.report.kind_methods import describe_methods, describe_origin
from stats_core.report.order_text import cost_said, method_clause, order_verdict
from stats_core.report.reproduce import versions
from stats_core.report.verdict import Verdict, verdict

__all__ = ["CitedText", "methods_paragraph", "methods_pieces", "results_paragraph"]

_NAMED = 12  # maximum number of algorithms and pairs listed by name


def methods_paragraph(analysis: Comparison, order: Order | None = None) -> str:
    r"""How was it compared, in words for a paper?

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(methods_paragraph(analyse(results)).split(". ")[0])
    We compared 2 algorithms (rf and svm) on 2 data sets by accuracy (higher is better)
    """
    return "".join(piece.marked for piece in methods_pieces(analysis, order)).strip()


def methods_pieces(
    analysis: Comparison, order: Order | None = None, *, seen: Detectable | None = None
) -> tuple[CitedText, ...]:
    """Return the methods paragraph as pieces of text, each with its citations."""
    detectable_difference = seen or detectable(analysis)
    return (
        *_compared(analysis),
        *describe_methods(analysis),
        *region_methods(analysis),
        *_family(analysis, detectable_difference),
        *_ordered(order),
        *_holes(analysis),
        *_cannot(analysis),
        *_software(),
    )


def results_paragraph(analysis: Comparison, order: Order | None = None) -> str:
    """What do the results say, in words for a paper?"""
    ordered = None if order is None else order_verdict(order, pairs_beside(order, analysis))
    return describe_results(analysis, verdict(analysis), ordered)


def describe_results(analysis: Comparison, said: Verdict, ordered: Verdict | None) -> str:
    """Return the paragraph of `results_paragraph` from the verdicts."""
    parts = [said.said(), _pairs_named(analysis), _groups_named(analysis)]
    if ordered is not None:
        parts.append(ordered.said())
    return " ".join(part for part in parts if part)


def compared_on(comparison: Comparison) -> str:
    """Return the phrase for the data sets compared, " on 38 data sets", or "" if unknown."""
    results, settings = comparison.results, comparison.settings
    datasets = results.datasets
    phrase = f" on {datasets[0]}" if len(datasets) == 1 else f" on {results.size_label}"
    if results.published is not None:
        phrase = f" on {results.size_label}" if results.size_label else ""
    elif settings.only and not settings.dataset:
        all_datasets = f"on the {len(datasets)} data sets"
        single_dataset = f"on {datasets[0]}, a data set" if datasets else all_datasets
        phrase = f" {single_dataset if len(datasets) == 1 else all_datasets} {describe_group(settings)}"
    return phrase


def _compared(comparison: Comparison) -> Iterable[CitedText]:
    results, settings = comparison.results, comparison.settings
    by = comparison.measure_label
    if comparison.together:
        by = f"{join_names(comparison.together, 9)} together"
    names = join_names(results.algorithms, _NAMED)
    yield ending_sentence(
        f"We compared {format_count(len(results.algorithms), 'algorithm')} ({names}){compared_on(comparison)} by {by}"
    )
    yield describe_origin(comparison)
    for note in results.notes:
        if note.code in ("renamed", "cases in order"):
            yield CitedText(f" {note.said(IN_PAPER)}")
    for left_out, noun in ((settings.without_algorithms, "algorithm"), (settings.without_datasets, "data set")):
        if left_out:
            verb = "was" if len(left_out) == 1 else "were"
            plural = noun if len(left_out) == 1 else f"{noun}s"
            yield ending_sentence(f"The {plural} {join_names(left_out, _NAMED)} {verb} left out by our choice")


def _family(comparison: Comparison, detectable_difference: Detectable) -> Iterable[CitedText]:
    guarantee = comparison.guarantee
    if detectable_difference.family == NO_FAMILY.name:
        return
    yield from family_text(
        detectable_difference.family, comparison.settings.alpha, guarantee.comparisons, adjusted=guarantee.adjusted
    )


def _ordered(order: Order | None) -> Iterable[CitedText]:
    if order is None:
        return
    yield CitedText(
        f" Algorithms that did not differ significantly in {order.measure} were ordered by "
        f"{'our prior order' if order.rules.prior else cost_said(order.rules)}",
        ("yildiz2006", *(("ulas2012",) if order.second is not None else ())),
    )
    tests = {order_on_dataset.evidence.test for order_on_dataset in order.each.values()}
    procedures = [order.rules.family] if order.each else []
    if order.second is not None:
        procedures.append(order.second.post_hoc)
    keys = [key for test in (*sorted(tests), *procedures) for key in method_card(test).papers]
    yield CitedText(f": {method_clause(order, IN_PAPER)}", tuple(dict.fromkeys(keys)))
    yield CitedText(".")


def _holes(analysis: Comparison) -> Iterable[CitedText]:
    results = analysis.results
    for choice in results.choices:
        yield CitedText(f" {choice.said(IN_PAPER)}")
    is_complete = results.published is None and not holes_left(results, analysis.measures_compared)
    if is_complete and not results.choices:
        yield ending_sentence("No result was missing")


def _cannot(analysis: Comparison) -> Iterable[CitedText]:
    """Yield a sentence if no difference could have been significant."""
    if sentence := no_difference_possible(analysis):
        yield CitedText(f" {sentence}")


def _software() -> Iterable[CitedText]:
    version_of = versions()
    libraries = ", ".join(f"{name} {version_of[name]}" for name in ("numpy", "scipy", "pandas"))
    yield ending_sentence(
        f"The computations were done with Foldwise {version_of['foldwise']} on Python "
        f"{version_of['python']} ({libraries})"
    )


def _pairs_named(comparison: Comparison) -> str:
    """Return a sentence with the pairs that differ, if they are few; "" for two algorithms."""
    pairs = comparison.pairs()
    rows = pairs[pairs["separated"].astype(bool)].to_dict("records")
    if comparison.claim in ("better", "sides") or not rows or len(rows) > _NAMED or _two_vectors(comparison):
        return ""
    labels = "; ".join(_pair_said(comparison, row) for row in rows)
    noun = "pair that differs is" if len(rows) == 1 else "pairs that differ are"
    adjustment = "adjusted" if comparison.guarantee.adjusted else "unadjusted"
    has_pvalues = bool(pairs["p adjusted"].notna().all())
    with_p = f", with {adjustment} p," if has_pvalues and len(pairs) > 1 else ""
    return f"The {noun}{with_p} {labels}."


def _two_vectors(comparison: Comparison) -> bool:
    return bool(comparison.together) and comparison.claim == "differ" and len(comparison.order) == 2


def _pair_said(comparison: Comparison, row: dict) -> str:
    """Return a pair as text with its direction; it names the algorithm the test favours."""
    first, second, beats = row["first"], row["second"], comparison.beats
    if pd.isna(row["p adjusted"]):  # a published decision
        connective = comparison.ahead if beats.loc[first, second] else "and"
        return f"{first} {connective} {second}"
    p = p_phrase(row["p adjusted"], comparison.settings.alpha)
    if not beats.loc[first, second] and not beats.loc[second, first]:
        return f"{first} and {second} ({p})"
    if row["estimate"] == 0 or beats.loc[second, first]:
        favoured = first if beats.loc[first, second] else second
        return f"{first} and {second} ({p}, in favour of {favoured})"
    return f"{first} {comparison.ahead} {second} ({p})"


def _groups_named(comparison: Comparison) -> str:
    """Return a sentence with the groups without a separated pair, if they are few."""
    groups = [group for group in comparison.groups if len(group) > 1 and len(comparison.order) > 2]
    if not groups or len(groups) > _NAMED or max(map(len, groups)) > _NAMED:
        return ""
    labels = "; ".join(format_set(group) for group in groups)
    noun = "group" if len(groups) == 1 else "groups"
    return f"Not separated within themselves: the {noun} {labels}."
