"""Verdicts on comparisons on the folds of one data set."""

from math import isfinite, isnan

import pandas as pd

from stats_core.comparison.kinds.folds import (
    FoldPairComparison,
    FoldsComparison,
    OnFolds,
    least_pvalue,
    paid_pairs,
)
from stats_core.comparison.verdict_words import (
    NO_PAIR,
    Verdict,
    differ_without_pair,
    leading,
    pairs_without_omnibus,
)
from stats_core.core.outcomes import Outcome
from stats_core.core.words import count, interval, listed, number, p_phrase, score_digits
from stats_core.data.settings import TUKEY
from stats_core.inference.families.corrections import CORRECTIONS, replaced, usable_correction
from stats_core.inference.fold_tests import (
    AS_IF_INDEPENDENT,
    DISCRETE,
    OVERLAP,
    PAIR_TESTS,
    PairAnswer,
)

_CHECK_LEVEL = 0.05  # at which a check of an assumption is said to fail
_TRAINING_ONLY = (
    "All training sets share one test set: this speaks of training randomness only, not of other "
    "cases."
)
_BOOTSTRAP = "Bootstrap samples overlap; no correction for that is defined."


def verdict_of_pair(analysis: FoldPairComparison) -> Verdict:
    """Say what the folds show about two algorithms."""
    said, settings = analysis.chosen, analysis.settings
    measure, dataset = settings.measure, analysis.dataset
    if not analysis.differences.any():
        return Verdict(
            badge="Not separated",
            headline=f"{analysis.first} and {analysis.second} have the same {measure} in every "
            f"{analysis.unit}; there is nothing to test.",
            detail="",
            notes=analysis.results.choices,
        )
    if said.outcome is None:
        return Verdict(
            badge="Limited",
            headline=f"{said.name[0].upper()}{said.name[1:]} cannot decide between "
            f"{analysis.first} and {analysis.second}.",
            detail=said.reason,
            notes=analysis.results.choices,
        )
    least = least_pvalue(said.key, analysis.n_folds)
    if said.key in DISCRETE and least > settings.alpha:
        return _too_few(analysis, analysis.better, said.name, least, 1)
    numbers = _pair_numbers(analysis, said)
    if said.outcome.pvalue <= settings.alpha:
        badge, headline = "Decided", f"{analysis.better} is better than {analysis.worse}"
        headline += f" on {dataset}."
    else:
        badge = "Not separated"
        headline = f"The data do not separate {analysis.first} and {analysis.second} on {dataset}."
        numbers += _not_ruled_out(analysis, said)
    return Verdict(badge=badge, headline=headline, detail=numbers, notes=_pair_notes(analysis))


def verdict_of_folds(analysis: FoldsComparison) -> Verdict:
    """Say what the folds show about several algorithms."""
    settings = analysis.settings
    if analysis.smallest_pvalue > settings.alpha:
        k = len(analysis.order)
        pairs = paid_pairs(settings, k)
        name = PAIR_TESTS[analysis.test].name
        return _too_few(analysis, analysis.order[0], name, analysis.smallest_pvalue, pairs)
    separated = int(analysis.pairs()["separated"].sum())
    omnibus = analysis.omnibus
    rejected = omnibus is None or omnibus.pvalue <= settings.alpha
    if separated and rejected:
        badge, (headline, detail) = "Decided", _leaders(analysis, separated)
    elif separated:
        badge, (headline, detail) = (
            "Decided",
            pairs_without_omnibus(_omnibus(analysis), _post(analysis), separated),
        )
    elif rejected and omnibus is not None:
        badge, (headline, detail) = (
            NO_PAIR,
            differ_without_pair(
                _omnibus(analysis),
                _post(analysis),
                analysis.pairs().iloc[0],
                analysis.settings.alpha,
            ),
        )
    else:
        badge, (headline, detail) = "Not separated", _nothing(analysis)
    return Verdict(badge=badge, headline=headline, detail=detail, notes=_several_notes(analysis))


def disagreement(analysis: FoldsComparison) -> str:
    """Say how underlines and maximal groups disagree."""
    drawn = len(analysis.underlined)
    whole = sum(len(group) > 1 for group in analysis.groups)
    gives = (
        f"gives {count(drawn, 'group')}, the complete one {whole}"
        if drawn != whole
        else "gives other groups than the complete one"
    )
    return (
        f"The published procedure (leave out ends) {gives}: it does not look inside a group it "
        "has accepted."
    )


def _pair_numbers(analysis: FoldPairComparison, said: PairAnswer) -> str:
    digits = score_digits(analysis.matrix)
    means = analysis.matrix.mean()
    mean = means[analysis.first] - means[analysis.second]
    difference = getattr(said.outcome, "estimate", mean)
    between = "" if isnan(said.low) else f" {interval(said.low, said.high, digits)}"
    return (
        f"Mean {analysis.settings.measure} {number(means[analysis.first], digits)} against "
        f"{number(means[analysis.second], digits)}: difference {number(difference, digits)}"
        f"{between} ({said.name}, {p_phrase(said.outcome.pvalue, analysis.settings.alpha)}, "
        f"{_size(analysis, said.outcome)})."
    )


def _size(analysis: OnFolds, outcome: Outcome) -> str:
    noun = analysis.unit if outcome.n == analysis.n_folds else "case"
    return count(outcome.n, noun)


def _not_ruled_out(analysis: FoldPairComparison, said: PairAnswer) -> str:
    reach = max(abs(said.low), abs(said.high))
    if not isfinite(reach):
        return ""
    digits = score_digits(analysis.matrix)
    return f" A true difference up to {number(reach, digits)} is not ruled out."


def _pair_notes(analysis: FoldPairComparison) -> tuple[str, ...]:
    settings, said = analysis.settings, analysis.chosen
    notes = [*design_notes(analysis)]
    if said.reason and analysis.test_fraction is not None:
        notes.append(f"{said.name[0].upper()}{said.name[1:]} {said.reason}.")
    plain = analysis.answer("paired t").outcome
    if said.key == "corrected t" and plain is not None:
        p, q = plain.pvalue, said.outcome.pvalue
        if (p <= settings.alpha) != (q <= settings.alpha):
            notes.append(
                "The plain t test is too eager on overlapping folds "
                f"({p_phrase(p, settings.alpha)}); the corrected test gives "
                f"{p_phrase(q, settings.alpha)}."
            )
    higher = (analysis.differences.mean() > 0) == analysis.higher_is_better
    if analysis.differences.mean() and higher != (analysis.better == analysis.first):
        notes.append(
            f"The mean over folds points the other way: {analysis.worse} has the better one."
        )
    check, other = analysis.normality, analysis.answer("sign flips").outcome
    by_normal = said.key not in (*DISCRETE, "McNemar", "McNemar chi-square")
    if by_normal and check is not None and other is not None and check.pvalue <= _CHECK_LEVEL:
        same = (other.pvalue <= settings.alpha) == (said.outcome.pvalue <= settings.alpha)
        notes.append(
            f"Normality of the differences is doubtful ({p_phrase(check.pvalue)}); the sign-flip "
            "test, which does without it but not without independent folds, says "
            f"{'the same' if same else 'the opposite'} ({p_phrase(other.pvalue, settings.alpha)})."
        )
    notes += [warning for warning in said.outcome.warnings if warning not in notes]
    return (*notes, *analysis.results.choices)


def _several_notes(analysis: FoldsComparison) -> tuple[str, ...]:
    notes = [*design_notes(analysis), *_overlap_note(analysis)]
    if analysis.test == TUKEY:
        notes += assumption_notes(analysis)
    elif analysis.test in AS_IF_INDEPENDENT and analysis.test_fraction is not None:
        name = PAIR_TESTS[analysis.test].name
        notes.append(f"{name[0].upper()}{name[1:]} {OVERLAP}.")
    notes += _against_means(analysis)
    if analysis.notations_disagree:
        notes.append(disagreement(analysis))
    if analysis.test != TUKEY:
        said = replaced(analysis.settings.correction, len(analysis.adjusted))
        notes += [said] if said else []
    return (*notes, *analysis.results.choices)


def design_notes(analysis: OnFolds) -> list[str]:
    """Say what the design keeps from being known."""
    if analysis.design == "common test set":
        return [_TRAINING_ONLY]
    if analysis.design == "bootstrap":
        return [_BOOTSTRAP]
    if analysis.test_fraction is None:
        return ["The share of cases tested is not known, so overlap is not corrected."]
    if analysis.settings.overlap == "ignored" and isinstance(analysis, FoldsComparison):
        return ["Overlap of training sets is ignored, by your choice: this rejects too easily."]
    return []


def _overlap_note(analysis: FoldsComparison) -> list[str]:
    if analysis.uncorrected is None:
        return []
    alpha = analysis.settings.alpha
    upper = [(a, b) for i, a in enumerate(analysis.order) for b in analysis.order[i + 1 :]]
    corrected = sum(analysis.adjusted.loc[pair] <= alpha for pair in upper)
    plain = sum(analysis.uncorrected.loc[pair] <= alpha for pair in upper)
    if plain == corrected:
        return []
    return [
        f"Taking the folds as independent would separate {count(plain, 'pair')}; their training "
        f"sets overlap, and allowing for that leaves {corrected}."
    ]


def assumption_notes(analysis: FoldsComparison) -> list[str]:
    """Name each assumption that fails, and what the test that does without it says."""
    model, decision = analysis.anova, analysis.anova.pvalue <= analysis.settings.alpha
    without = {
        "sphericity": ("Equal variation of all pairs", "Greenhouse-Geisser", model.pvalue_gg),
        "normality": (
            "Normality of the residuals",
            "Friedman over folds",
            analysis.friedman.pvalue,
        ),
    }
    failed = []
    for key, (name, other, p) in without.items():
        check = analysis.checks[key]
        if isinstance(check, Outcome) and check.pvalue <= _CHECK_LEVEL:
            failed.append((name, check.pvalue, other, p))
    return [
        f"{name} is doubtful ({p_phrase(doubt)}); {other}, which does without it, says "
        f"{_same(p <= analysis.settings.alpha, decision)} of all at once "
        f"({p_phrase(p, analysis.settings.alpha)})."
        for name, doubt, other, p in failed
    ]


def _same(one: bool, other: bool) -> str:
    return "the same" if one == other else "the opposite"


def _leaders(analysis: FoldsComparison, separated: int) -> tuple[str, str]:
    k, beaten = len(analysis.order), set(_better(analysis)["second"])
    ahead = [name for name in analysis.order if name not in beaten]
    headline = f"None of {k} algorithms leads: each is worse than some other."
    if ahead:
        first = ahead[0]
        others = (name for name in analysis.order if name != first)
        near = [first, *(name for name in others if not analysis.separated(first, name))]
        headline = leading(near, k, one_group=near == ahead, what=f"on {analysis.dataset}")
    digits, means = score_digits(analysis.matrix), analysis.means
    best, last = analysis.order[0], analysis.order[-1]
    detail = (
        f"Mean {analysis.settings.measure} from {number(means[best], digits)} ({best}) to "
        f"{number(means[last], digits)} ({last}) over {count(analysis.n_folds, analysis.unit)}. "
        f"{separated:,} of {_pairs(analysis)} {'differs' if separated == 1 else 'differ'} "
        f"({_chain(analysis)})."
    )
    return headline, detail


def _better(analysis: FoldsComparison) -> pd.DataFrame:
    """Return the pairs in which the first is better than the second by the test that decides.

    By tests that count or look at single folds this can be the one with the worse mean. The 5x2 F
    takes no side, so the mean does; equal means have none.
    """
    pairs = analysis.pairs()
    sides = (pairs["difference"] != 0) | (analysis.test != "5x2 cv F")
    return pairs[pairs["separated"] & sides]


def _against_means(analysis: FoldsComparison) -> list[str]:
    """Say for which pairs the test of the pair and the means do not agree."""
    place = {name: at for at, name in enumerate(analysis.order)}
    against = [
        f"{first} before {second}"
        for first, second in _better(analysis)[["first", "second"]].itertuples(index=False)
        if place[first] > place[second]
    ]
    if not against:
        return []
    name = PAIR_TESTS[analysis.test].name.split(",")[0]
    return [f"{name[0].upper()}{name[1:]} puts {listed(against, 3)}; the means do not."]


def _nothing(analysis: FoldsComparison) -> tuple[str, str]:
    closest = analysis.pairs().iloc[0]
    return (
        f"The data do not separate these {len(analysis.order)} algorithms on {analysis.dataset}.",
        f"Smallest adjusted {p_phrase(closest['p adjusted'], analysis.settings.alpha)} "
        f"({closest['first']}, {closest['second']}; {_chain(analysis)}), "
        f"{count(analysis.n_folds, analysis.unit)}. This is not evidence that they are equal.",
    )


def _too_few(analysis: OnFolds, best: str, name: str, least: float, pairs: int) -> Verdict:
    alpha, n = analysis.settings.alpha, analysis.n_folds
    key = analysis.test
    enough = (size for size in range(n, 1100) if pairs * least_pvalue(key, size) <= alpha)
    needed = next(enough, None)
    more = f"It takes at least {needed}." if needed else "More folds alone do not help."
    return Verdict(
        badge="Limited",
        headline=f"{count(n, analysis.unit)} {'is' if n == 1 else 'are'} too few to decide.",
        detail=f"Even if {best} won every one, the {name} could not fall below "
        f"{p_phrase(least, alpha)} (alpha {alpha:g}). {more}",
        notes=analysis.results.choices,
    )


def _pairs(analysis: FoldsComparison) -> str:
    k = len(analysis.order)
    return count(k * (k - 1) // 2, "pair")


def _omnibus(analysis: FoldsComparison) -> str:
    outcome = analysis.omnibus
    name = {analysis.anova: "analysis of variance", analysis.friedman: "Friedman over folds"}.get(
        outcome, "Cochran's Q"
    )
    return f"{name} {p_phrase(outcome.pvalue, analysis.settings.alpha)}"


def _post(analysis: FoldsComparison) -> str:
    if analysis.test == TUKEY:
        return "Tukey's test"
    settings, name = analysis.settings, PAIR_TESTS[analysis.test].name
    if settings.correction == "none":
        return f"{name}, unadjusted"
    correction = usable_correction(settings.correction, len(analysis.adjusted))
    return f"{name}, {CORRECTIONS[correction]}"


def _chain(analysis: FoldsComparison) -> str:
    if analysis.omnibus is None:
        return _post(analysis)
    return f"{_omnibus(analysis)}, then {_post(analysis)}"
