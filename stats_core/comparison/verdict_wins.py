"""Verdicts on wins over data sets."""

from stats_core.comparison.kinds.wins import WinsComparison, correction_name
from stats_core.comparison.verdict_words import Verdict
from stats_core.core.words import count, listed, p_phrase

_SAID = 3  # pairs named in the headline


def verdict_of_wins(analysis: WinsComparison) -> Verdict:
    """Say who wins on more data sets, errors weighed by their cost."""
    table, alpha = analysis.pairs(), analysis.settings.alpha
    sets = count(analysis.n, "data set")
    test = f"two-sided sign test over {sets}, ties split, {correction_name(analysis)}"
    notes = tuple(_notes(analysis))
    if analysis.smallest_pvalue > alpha:
        return Verdict(
            badge="Limited",
            headline=f"{sets} {'is' if analysis.n == 1 else 'are'} too few to say who wins more.",
            detail=f"Even if one won every one, the {test}, could not fall below "
            f"{p_phrase(analysis.smallest_pvalue, alpha)} (alpha {alpha:g}). "
            f"{_manova(analysis)}".rstrip(),
            notes=notes,
        )
    found = table[table["separated"]]
    if not len(found):
        return Verdict(
            badge="Not separated",
            headline=f"Over {sets} no pair is shown to differ in wins.",
            detail=f"Smallest adjusted {p_phrase(table['p adjusted'].min(), alpha)} ({test}). A win is "
            f"{analysis.win}. {_manova(analysis)}This is not evidence that they are equal.",
            notes=notes,
        )
    said = [
        f"{row.first} over {row.second} ({row.wins} to {row.losses})" for row in found.itertuples()
    ]
    return Verdict(
        badge="Decided",
        headline=f"More wins over {sets}: {listed(said, _SAID)}.",
        detail=f"{len(found)} of {count(len(table), 'pair')} "
        f"{'differs' if len(found) == 1 else 'differ'} ({test}). A win is {analysis.win}. "
        f"{_manova(analysis)}".rstrip(),
        notes=notes,
    )


def _manova(analysis: WinsComparison) -> str:
    """Say on how many data sets MANOVA rejects; nothing where it was not done."""
    if not len(analysis.manova):
        return ""
    rejects = int((analysis.manova <= analysis.settings.alpha).sum())
    return f"MANOVA rejects on {rejects} of {count(analysis.n, 'data set')}. "


def _notes(analysis: WinsComparison):
    if analysis.skipped:
        name, why = next(iter(analysis.skipped.items()))
        yield f"{count(len(analysis.skipped), 'data set')} left out, first {name}: {why}"
    yield from analysis.results.choices
