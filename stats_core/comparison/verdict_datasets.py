"""Verdicts on comparisons over data sets."""

from math import inf

from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.ranks import RanksComparison, TwoComparison, smallest_pvalue
from stats_core.comparison.verdict_words import (
    NO_PAIR,
    Verdict,
    differ_without_pair,
    leading,
    pairs_without_omnibus,
)
from stats_core.core.words import count, interval, listed, number, p_phrase, score_digits
from stats_core.data.settings import SOURCES
from stats_core.inference.families.corrections import CONTROL_CORRECTIONS, CORRECTIONS


def verdict_of_ranks(analysis: RanksComparison) -> Verdict:
    """Say what ranks over data sets show."""
    if analysis.smallest_pvalue > analysis.settings.alpha:
        return _too_few_datasets(analysis)
    separated = int(analysis.pairs()["separated"].sum())
    rejected = analysis.omnibus.pvalue <= analysis.settings.alpha
    if rejected and separated:
        badge, (headline, detail) = "Decided", _leaders(analysis, separated)
    elif rejected:
        badge, (headline, detail) = (
            NO_PAIR,
            differ_without_pair(
                _omnibus(analysis),
                _post(analysis),
                analysis.pairs().iloc[0],
                analysis.settings.alpha,
            ),
        )
    elif separated:
        badge, (headline, detail) = (
            "Decided",
            pairs_without_omnibus(_omnibus(analysis), _post(analysis), separated),
        )
    else:
        badge, (headline, detail) = "Not separated", _nothing(analysis)
    return Verdict(badge=badge, headline=headline, detail=detail, notes=_notes(analysis))


def verdict_of_two(analysis: TwoComparison) -> Verdict:
    """Say what paired averages over data sets show."""
    settings, test = analysis.settings, analysis.wilcoxon
    n_pairs = test.n - test.n_zero
    if n_pairs and 2.0 ** (1 - n_pairs) > settings.alpha:
        return _too_few_pairs(analysis, n_pairs)
    digits = score_digits(analysis.scores)
    better, worse = analysis.better, analysis.worse
    wins, ties, losses = analysis.record(better)
    numbers = (
        f"Typical difference, {analysis.first} less {analysis.second}: "
        f"{number(test.estimate, digits)} "
        f"{interval(*analysis.interval, digits)} (Wilcoxon, "
        f"{p_phrase(test.pvalue, settings.alpha)}, {count(test.n, 'data set')}; "
        f"{better} wins {wins}, ties {ties}, loses {losses})."
    )
    if n_pairs == 0:
        return Verdict(
            badge="Not separated",
            headline=f"{analysis.first} and {analysis.second} have the same "
            f"{settings.measure} on every data set; there is nothing to test.",
            detail="",
            notes=analysis.results.choices,
        )
    if test.pvalue <= settings.alpha:
        return Verdict(
            badge="Decided",
            headline=f"{better} is better than {worse} over {count(test.n, 'data set')}.",
            detail=numbers,
            notes=analysis.results.choices,
        )
    ruled = max(abs(bound) for bound in analysis.interval)
    reach = f" A true difference up to {number(ruled, digits)} is not ruled out."
    return Verdict(
        badge="Not separated",
        headline=f"The data do not separate {analysis.first} and {analysis.second}.",
        detail=numbers + (reach if ruled < inf else ""),
        notes=analysis.results.choices,
    )


def verdict_of_control(analysis: ControlComparison) -> Verdict:
    """Say who is better and who is worse than the control."""
    alpha, n = analysis.settings.alpha, analysis.friedman.n
    source = SOURCES[analysis.settings.source]
    post = f"{CONTROL_CORRECTIONS[analysis.settings.correction]} on {source}"
    if analysis.settings.correction == "none":
        post = f"Unadjusted p from {source}"
    if analysis.smallest_pvalue > alpha:
        return Verdict(
            badge="Limited",
            headline=f"{count(n, 'data set')} are too few to decide.",
            detail=f"Even an algorithm that differs from {analysis.control} as much as it can could "
            f"not fall below {p_phrase(analysis.smallest_pvalue, alpha)} by {post} "
            f"(alpha {alpha:g}).",
            notes=_notes(analysis),
        )
    better, worse, neither = analysis.sides()
    parts = [
        f"{len(names)} {word}"
        for names, word in ((better, "better"), (worse, "worse"), (neither, "not separated"))
    ]
    said = [
        f"{word}: {listed(names, 4)}"
        for names, word in ((better, "Better"), (worse, "Worse"), (neither, "Not separated"))
        if names
    ]
    closest = analysis.comparisons().iloc[0]
    return Verdict(
        badge="Decided" if better or worse else "Not separated",
        headline=f"Against {analysis.control}: {', '.join(parts)}.",
        detail=f"{'. '.join(said)}. {post}, {count(len(analysis.adjusted), 'comparison')} over "
        f"{count(n, 'data set')}; smallest adjusted {p_phrase(closest['p adjusted'], alpha)} "
        f"({closest['algorithm']}).",
        notes=_notes(analysis),
    )


def leaders(analysis: RanksComparison) -> list[str]:
    """Return the algorithms that no other is better than, best average rank first.

    No two of them are separated. Tests of single pairs can go round in a circle, a better than
    b, b than c, c than a; so there may be none.
    """
    beaten = analysis.better.any()
    return [name for name in analysis.order if not beaten[name]]


def _leaders(analysis: RanksComparison, separated: int) -> tuple[str, str]:
    k, ahead, near = len(analysis.order), leaders(analysis), analysis.order
    headline = f"None of {k} algorithms leads: each is worse than some other."
    if ahead:
        first = ahead[0]
        others = (name for name in analysis.order if name != first)
        near = [first, *(name for name in others if not analysis.separated(first, name))]
        what = f"on {analysis.settings.measure}"
        headline = leading(near, k, one_group=near == ahead, what=what)
    ranks = analysis.friedman.average_ranks[near]
    low, high = number(ranks.min()), number(ranks.max())
    places = {1: low, 2: f"{low} and {high}"}.get(len(near), f"{low} to {high}")
    noun = "Average rank" if len(near) == 1 else "Average ranks"
    detail = (
        f"{noun} {places} over {count(analysis.friedman.n, 'data set')}. "
        f"{separated:,} of {_pairs(analysis)} {'differs' if separated == 1 else 'differ'} "
        f"({_omnibus(analysis)}, then {_post(analysis)})."
    )
    return headline, detail


def _nothing(analysis: RanksComparison) -> tuple[str, str]:
    return (
        f"The data do not separate these {len(analysis.order)} algorithms.",
        f"{_omnibus(analysis)}, {count(analysis.friedman.n, 'data set')}. "
        "This is not evidence that they are equal.",
    )


def _too_few_datasets(analysis: RanksComparison) -> Verdict:
    settings, n, k = analysis.settings, analysis.friedman.n, len(analysis.order)
    needed = next(
        size for size in range(n + 1, 1000) if smallest_pvalue(k, size, settings) <= settings.alpha
    )
    return Verdict(
        badge="Limited",
        headline=f"{count(n, 'data set')} are too few to decide.",
        detail=f"Even if {analysis.order[0]} won every one, {_post(analysis)} could not fall below "
        f"{p_phrase(analysis.smallest_pvalue, settings.alpha)} (alpha {settings.alpha:g}). "
        f"It takes at least {needed}.",
        notes=_notes(analysis),
    )


def _too_few_pairs(analysis: TwoComparison, n: int) -> Verdict:
    settings = analysis.settings
    needed = next(size for size in range(n, 100) if 2.0 ** (1 - size) <= settings.alpha)
    kind = "data sets that differ" if analysis.wilcoxon.n_zero else "data sets"
    return Verdict(
        badge="Limited",
        headline=f"{n} {kind} are too few to decide.",
        detail=f"Even if {analysis.better} won every one, the Wilcoxon test could not fall below "
        f"{p_phrase(2.0 ** (1 - n), settings.alpha)} (alpha {settings.alpha:g}). "
        f"It takes at least {needed}.",
        notes=analysis.results.choices,
    )


def _notes(analysis: RanksComparison | ControlComparison) -> tuple[str, ...]:
    against = _against_ranks(analysis) if isinstance(analysis, RanksComparison) else ""
    said = (*analysis.results.choices, *analysis.omnibus.warnings, against)
    return tuple(note for note in said if note)


def _against_ranks(analysis: RanksComparison) -> str:
    """Say for which pairs the test of the pair and the average ranks do not agree."""
    ranks, better = analysis.friedman.average_ranks, analysis.better
    against = [
        f"{first} before {second}"
        for first in analysis.order
        for second in analysis.order
        if better.loc[first, second] and ranks[first] >= ranks[second]
    ]
    if not against:
        return ""
    test = SOURCES[analysis.settings.source].removesuffix(" test")
    return f"The {test} test puts {listed(against, 3)}; the average ranks do not."


def _pairs(analysis: RanksComparison) -> str:
    k = len(analysis.order)
    return count(k * (k - 1) // 2, "pair")


def _omnibus(analysis: RanksComparison) -> str:
    return f"Iman-Davenport {p_phrase(analysis.omnibus.pvalue, analysis.settings.alpha)}"


def _post(analysis: RanksComparison) -> str:
    settings = analysis.settings
    if settings.correction == "nemenyi":
        return "Nemenyi"
    source = SOURCES[settings.source]
    if settings.correction == "none":
        return f"unadjusted p from {source}"
    return f"{CORRECTIONS[settings.correction]} on {source}"
