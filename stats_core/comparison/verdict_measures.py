"""Verdicts on comparisons on several measures at once."""

from dataclasses import replace

from stats_core.comparison.kinds.folds import (
    FoldPairComparison,
    FoldsComparison,
    compare_on_folds,
    compare_pair_on_folds,
)
from stats_core.comparison.kinds.measures import OnMeasures, PairOnMeasures, SeveralOnMeasures
from stats_core.comparison.verdict_words import NO_PAIR, Verdict
from stats_core.core.errors import FoldwiseError
from stats_core.core.words import count, listed, number, p_phrase, score_digits
from stats_core.inference.families.corrections import CORRECTIONS, usable_correction
from stats_core.inference.fold_pairs import unit_of
from stats_core.inference.multivariate.multinormal import MardiaOutcome

_CHECK_LEVEL = 0.05


def verdict_of_pair_on_measures(analysis: PairOnMeasures) -> Verdict:
    """Say what several measures show about two algorithms."""
    settings, test = analysis.settings, analysis.hotelling
    first, second, label = analysis.first, analysis.second, analysis.label
    if test.warnings:
        return Verdict(
            badge="Not separated",
            headline=f"{first} and {second} have the same {label} in every "
            f"{unit_of(analysis.design)}; there is nothing to test.",
            detail="",
            notes=analysis.results.choices,
        )
    alone = on_one_measure(analysis)
    rejects = test.pvalue <= settings.alpha
    one = settings.measure
    by_one = alone.chosen.outcome if alone is not None else None
    one_rejects = by_one is not None and by_one.pvalue <= settings.alpha
    said = (
        f"{label}: {p_phrase(test.pvalue, settings.alpha)} (paired Hotelling T2, {_size(analysis)})"
    )
    if by_one is not None:
        said = f"{one}: {p_phrase(by_one.pvalue, settings.alpha)}. {said}"
    if rejects and not one_rejects and by_one is not None:
        headline = f"{one} does not separate {first} and {second}, but they err differently."
    elif rejects:
        headline = f"{first} and {second} differ on {label} on {analysis.dataset}."
    elif one_rejects:
        headline = f"{one} separates {first} and {second}; {label} together does not."
    else:
        headline = f"The data do not separate {first} and {second} on {label}."
    tail = f" {_means(analysis)}" if rejects else " This is not evidence that they are equal."
    return Verdict(
        badge="Decided" if rejects else "Not separated",
        headline=headline,
        detail=f"{said}.{tail}",
        notes=measure_notes(analysis),
    )


def verdict_of_several_on_measures(analysis: SeveralOnMeasures) -> Verdict:
    """Say what several measures show about several algorithms."""
    settings, k = analysis.settings, len(analysis.names)
    separated = int(analysis.pairs()["separated"].sum())
    total = k * (k - 1) // 2
    rejects = analysis.manova.pvalue <= settings.alpha
    omnibus = f"MANOVA {p_phrase(analysis.manova.pvalue, settings.alpha)}"
    badge = "Not separated"
    if separated:
        badge, verb = "Decided", "differs" if separated == 1 else "differ"
        headline = f"On {analysis.label}, {separated} of {count(total, 'pair')} {verb} on {analysis.dataset}."
    elif rejects:
        badge = NO_PAIR
        headline = f"The algorithms differ on {analysis.label}, but no single pair can be named."
    else:
        headline = f"The data do not separate these {k} algorithms on {analysis.label}."
    detail = f"{omnibus} (Wilks, {_size(analysis)}), then paired Hotelling T2, {_post(analysis)}. "
    if rejects:
        detail += f"Their means spread over {_dimension(analysis)}. "
    else:
        detail += "This is not evidence that they are equal. "
    return Verdict(
        badge=badge,
        headline=headline,
        detail=(detail + _compared_with_one(analysis, separated)).strip(),
        notes=measure_notes(analysis),
    )


def _compared_with_one(analysis: SeveralOnMeasures, separated: int) -> str:
    alone = on_one_measure(analysis)
    if not isinstance(alone, FoldsComparison):
        return ""
    by_one = int(alone.pairs()["separated"].sum())
    return f"{analysis.settings.measure} alone separates {count(by_one, 'pair')}."


def on_one_measure(analysis: OnMeasures) -> FoldPairComparison | FoldsComparison | None:
    """Compare the same algorithms on the one measure of the settings."""
    settings = replace(analysis.settings, measures=(), test="")
    common = {
        "results": analysis.results,
        "settings": settings,
        "higher_is_better": analysis.higher_is_better,
        "scores": analysis.scores,
        "advice": analysis.advice,
    }
    try:
        if isinstance(analysis, PairOnMeasures):
            return compare_pair_on_folds(common)
        return compare_on_folds(common)
    except FoldwiseError:
        return None


def _means(analysis: PairOnMeasures) -> str:
    """Say in which measures each of the two is better, by their means."""
    means, better = analysis.means, {analysis.first: [], analysis.second: []}
    digits = score_digits(means)
    for measure in analysis.measures:
        a, b = means.loc[analysis.first, measure], means.loc[analysis.second, measure]
        if a == b:
            continue
        higher = analysis.results.direction(measure) == "higher"
        winner = analysis.first if (a > b) == higher else analysis.second
        word = "higher" if higher else "lower"
        best, other = (a, b) if winner == analysis.first else (b, a)
        better[winner].append(
            f"{word} {measure} ({number(best, digits)} against {number(other, digits)})"
        )
    parts = [f"{name} has {listed(what, 4)}" for name, what in better.items() if what]
    return f"{', '.join(parts)}." if parts else ""


def _dimension(analysis: SeveralOnMeasures) -> str:
    found = analysis.dimension
    words = {0: "point", 1: "line", 2: "plane"}
    shape = f" (a {words[found.dimension]})" if found.dimension in words else ""
    return f"{found.dimension} of {count(found.largest, 'dimension')}{shape}"


def _size(analysis: OnMeasures) -> str:
    return count(analysis.n_folds, unit_of(analysis.design))


def _post(analysis: SeveralOnMeasures) -> str:
    correction = usable_correction(analysis.settings.correction, len(analysis.names))
    if correction == "none":
        return "unadjusted"
    return CORRECTIONS[correction]


def measure_notes(analysis: OnMeasures) -> tuple[str, ...]:
    """Say what the reader of several measures must know."""
    notes = [analysis.space.note] if analysis.space.note else []
    if analysis.design == "common test set":
        notes.append(
            "All training sets share one test set: this speaks of training randomness only."
        )
    elif analysis.test_fraction is None:
        notes.append("Overlap of training sets is not corrected: this rejects too easily.")
    elif isinstance(analysis, PairOnMeasures):
        p, q = analysis.hotelling.plain_pvalue, analysis.hotelling.pvalue
        if (p <= analysis.settings.alpha) != (q <= analysis.settings.alpha):
            notes.append(
                f"Taking the folds as independent would give {p_phrase(p, analysis.settings.alpha)}; "
                "their training sets overlap."
            )
    notes += _normality(analysis)
    return (*notes, *analysis.results.choices)


def _normality(analysis: OnMeasures) -> list[str]:
    if isinstance(analysis, PairOnMeasures):
        check = analysis.normality_of_differences
        if isinstance(check, MardiaOutcome) and min(check.pvalue, check.kurtosis_pvalue) <= (
            _CHECK_LEVEL / 2
        ):
            return [
                "Normality of the differences is doubtful (Mardia); see the permutation test under "
                "Assumptions."
            ]
        return []
    doubtful = [
        name
        for name, check in analysis.normality.items()
        if isinstance(check, MardiaOutcome)
        and min(check.pvalue, check.kurtosis_pvalue) <= _CHECK_LEVEL / 2 / len(analysis.names)
    ]
    if not doubtful:
        return []
    return [
        f"Normality is doubtful for {listed(doubtful, 4)} (Mardia); see the permutation test under "
        "Assumptions."
    ]
