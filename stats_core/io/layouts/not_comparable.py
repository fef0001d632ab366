"""Recognition of tables of duels, tuning trials or a single method, which cannot be compared."""

from collections.abc import Iterator

from stats_core.core.formatting import format_count, join_names
from stats_core.io.experiment_trackers import is_bookkeeping, is_setting
from stats_core.io.layouts.layout_messages import weighted_observation
from stats_core.io.profile import Profile
from stats_core.io.scoring import FAIR, STRONG, LayoutEvidence, LayoutHypothesis, NotResults
from stats_core.io.vocabulary import normalized_name

_STATES = {"complete", "completed", "pruned", "fail", "failed", "running", "waiting", "finished"}
_SIDES = (("modela", "modelb"), ("a", "b"), ("systema", "systemb"), ("method1", "method2"))
_TESTS = ("p", "pvalue", "pval", "pholm", "padj", "pcorrected")

Found = tuple[tuple[LayoutEvidence, ...], NotResults] | None


def match_not_comparable(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose refusals of tables without comparable results."""
    if profile.said:
        return
    for recognize in (_duels, _trials, _one_method):
        recognized = recognize(profile)
        if recognized is not None:
            evidence, refusal = recognized
            yield LayoutHypothesis(layout="no results", evidence=evidence, refusal=refusal)


def _duels(profile: Profile) -> Found:
    """Recognize duels: two columns of names with the winner or a test of each pair."""
    columns = {normalized_name(name): name for name in profile.columns}
    pair = next((sides for sides in _SIDES if set(sides) <= set(columns)), None)
    if pair is None or not all(profile[columns[side]].is_text for side in pair):
        return None
    first, second = (columns[side] for side in pair)
    if tested := [columns[name] for name in _TESTS if name in columns]:
        return (
            weighted_observation(3 * STRONG, "finished test", columns=tuple(tested)),
        ), NotResults(
            must="needs the results that were tested",
            found=f'This is a finished test of "{first}" against "{second}" ({join_names(tested)})',
            do="Upload the results of each algorithm per data set or fold",
        )
    winner_columns = [
        n
        for n in profile.texts
        if normalized_name(n) in ("winner", "preferred", "preference", "vote")
    ]
    if not winner_columns:
        return None
    return (
        weighted_observation(3 * STRONG, "duels", columns=(first, second, winner_columns[0])),
    ), NotResults(
        must="needs a score of every algorithm on every case",
        found=f'These are {format_count(len(profile.frame), "duel")}: "{winner_columns[0]}" says which of '
        f'"{first}" and "{second}" was preferred, none has a score of its own',
        do="Give the score or the rating of each on each case; duels are a matter for Bradley-Terry",
    )


def _trials(profile: Profile) -> Found:
    """Recognize a hyperparameter search: numbered trials with states or settings."""
    if set(profile.named.values()) & {"algorithm", "dataset", "fold", "true"}:
        return None
    numbered = [
        n
        for n in profile.numbers
        if normalized_name(n) in ("number", "trial", "trialid", "trialno")
    ]
    numbered = [n for n in numbered if profile[n].is_whole and profile[n].is_unique]
    settings = [n for n in profile.columns if is_setting(n)]
    states = [
        n
        for n in profile.texts
        if is_bookkeeping(n) and set(profile.frame[n].str.lower()) <= _STATES
    ]
    if not numbered or not (states or len(settings) >= 2):
        return None
    rows = format_count(len(profile.frame), "trial")
    return (
        weighted_observation(3 * STRONG, "tracker", columns=(*numbered, *states, *settings)[:4]),
    ), NotResults(
        must="needs results of two algorithms at least, of folds, seeds or data sets",
        found=f"These are {rows} of one search for settings, one number each: nothing can be tested",
        do="Run the best settings of each algorithm on the same folds, and give those scores",
    )


def _one_method(profile: Profile) -> Found:
    """Recognize measures of a single method: no column can name algorithms."""
    if profile.several or set(profile.named.values()) & {"algorithm", "true", "tp", "result"}:
        return None
    numbers = [n for n in profile.numbers if n not in profile.named and not profile[n].counts_up]
    texts = [n for n in profile.texts if n not in profile.named and not profile[n].is_constant]
    name_columns = [*texts, *(n for n, role in profile.named.items() if role == "dataset")]
    measures = [n for n in numbers if n in profile.measures]
    is_single_column = len(numbers) == 1 and len(profile.columns) == 1
    is_one_each = (
        len(name_columns) == 1
        and profile[name_columns[0]].is_unique
        and len(measures) == len(numbers) == 1
    )
    if not is_one_each and not is_single_column:
        return None
    return (
        weighted_observation(2 * STRONG, "one column of numbers", column=numbers[0]),
        weighted_observation(FAIR, "no repetition"),
    ), NotResults(
        must="needs the results of two algorithms at least",
        found=f'There is one column of results ("{numbers[0]}") and no name of an algorithm beside '
        "it: these are results of one method",
        do="Add those of another, and a column that names the algorithm, or upload a file for each",
    )
