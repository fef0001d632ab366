"""Recognition of tables without comparable results, such as finished tests or training curves."""

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from stats_core.io import vocabulary
from stats_core.io.problems import NotResults, refusal_of
from stats_core.io.profile import FAIR, FEW, NAME, STRONG, LayoutEvidence, LayoutHypothesis, Profile, observed
from stats_core.io.vocabulary import is_listed, mentions, with_role

_SIDES = (("modela", "modelb"), ("a", "b"), ("systema", "systemb"), ("method1", "method2"))

# the refusal and the evidence, None if the table may hold results
_Refused = tuple[NotResults, *tuple[LayoutEvidence, ...]] | None


def match_not_results(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose refusals of tables that hold something other than results."""
    if profile.declared:
        return
    for detect in _DETECTORS:
        if detected := detect(profile):
            refusal, *evidence = detected
            yield LayoutHypothesis(layout="no results", evidence=tuple(evidence), refusal=refusal)


def _named_as(profile: Profile, word_list: str) -> list[str]:
    """Return the columns whose names are in a list of words."""
    return [name for name in profile.columns if is_listed(name, word_list)]


def _finished_test(profile: Profile) -> _Refused:
    tested = _named_as(profile, "finished test")
    if (
        not tested
        or (profile.measures and len(tested) < 2)
        or {vocabulary.normalized_name(n) for n in tested} == {"cd"}
    ):
        return None
    return refusal_of("finished test", tested=tested), observed(3 * STRONG, "finished test", columns=tested)


def _course_of_training(profile: Profile) -> _Refused:
    """Recognize training histories: a rising step column and smoothly changing measures."""
    keys = [n for n, role in profile.named.items() if role in ("algorithm", "dataset", "fold")]
    has_validation = any(n.startswith("val_") and n[4:] in profile.columns for n in profile.numbers)
    for name in profile.numbers:
        if not is_listed(name, "training steps"):
            continue
        rises = _rises_within(profile, keys, name) if keys else profile[name].rises
        if rises and (not keys or has_validation or _changes_smoothly(profile, keys)):
            return refusal_of("course of training", column=name), observed(3 * STRONG, "steps", column=name)
    tracked = [n for n in profile.columns if n.endswith(("__MIN", "__MAX"))]
    if len(tracked) < 2:
        return None
    return refusal_of("curves of a tracker", columns=tracked), observed(3 * STRONG, "tracker", columns=tracked[:2])


def _rises_within(profile: Profile, keys: list[str], step: str) -> bool:
    """Return whether a column rises within each group of rows, each of five or more."""
    steps = profile.grouped(step, keys)
    rises = steps.apply(lambda part: (part.diff().dropna() > 0).all())
    return bool((steps.size() >= 5).all() and rises.all())


def _changes_smoothly(profile: Profile, keys: list[str]) -> bool:
    """Return whether measures change less between rows of one key than overall."""
    parts = [part for name in profile.measures for _, part in profile.grouped(name, keys) if len(part) >= 5]
    ratios = [part.diff().abs().median() / part.std() for part in parts if part.std() > 0]
    return bool(ratios) and float(np.median(ratios)) < 0.6


def _curve(profile: Profile) -> _Refused:
    """Recognize a single curve: two numeric columns, the first rising."""
    if len(profile.numbers) != 2 or len(profile.columns) != 2 or profile.several:
        return None
    first, second = profile.numbers
    if not profile[first].rises or vocabulary.role_in_name(second) in ("true", "predicted"):
        return None
    if profile.named.get(first) in ("fold", "repetition"):
        return None
    return refusal_of("curve", first=first, second=second), observed(2 * STRONG, "curve", first=first, second=second)


def _metrics_of_models(profile: Profile) -> _Refused:
    """Recognize one row per model and one column per measure without repetition."""
    numbers = [n for n in profile.numbers if not profile[n].counts_up]
    measures = [
        n for n in numbers if vocabulary.known_measure(n) or vocabulary.is_spread(n) or vocabulary.speaks_of_measure(n)
    ]
    keys = [n for n in profile.texts if profile[n].is_unique]
    if profile.several or not numbers or not keys or 2 * len(measures) < len(numbers):
        return None
    if profile.has_role("dataset", "fold", "repetition", "true"):
        return None
    if len(numbers) < 2 and not vocabulary.is_spread(numbers[0]):
        return None
    repeated = [n for n in profile.texts if 1 < profile[n].distinct < len(profile.frame)]
    if any(profile.unique(pair) for pair in combinations(repeated[:6], 2)):
        return None  # rows cross two keys, so there are several numbers per model
    return (
        refusal_of("one number per model", key=keys[0] or "row", n_rows=len(profile.frame), measures=measures),
        observed(STRONG, "measures named", columns=measures[:4]),
        observed(FAIR, "one unique key", column=keys[0]),
        observed(FAIR, "no repetition"),
    )


def _average_ranks(profile: Profile) -> _Refused:
    """Recognize average ranks that cannot be read: without names, or among other files."""
    ranks = [n for n in profile.numbers if {"rank", "ranks"} & set(vocabulary.words_of(n))]
    if len(profile.numbers) > 2 or not ranks or len(profile.frame) > 1000 or profile.has_role("dataset", "fold"):
        return None
    code = "ranks among others" if any(profile[n].is_unique for n in profile.texts) else "ranks without names"
    return refusal_of(code, column=ranks[0]), observed(STRONG + FAIR, "average ranks", column=ranks[0])


def _sizes_of_datasets(profile: Profile) -> _Refused:
    """Recognize tables of data set properties: columns named after sizes."""
    sizes = [n for n in profile.numbers if mentions(n, "sizes of data sets")]
    others = [n for n in profile.numbers if n not in sizes and not profile[n].counts_up]
    if len(sizes) < max(3, len(others)) or profile.measures or profile.has_role("algorithm", "fold"):
        return None
    evidence = observed(2 * STRONG + FAIR, "sizes of data sets", columns=sizes[:4])
    return refusal_of("sizes of data sets", columns=sizes), evidence


def _one_models_folds(profile: Profile) -> _Refused:
    """Recognize the folds of a single model: columns are measures, rows have no name."""
    numbers = profile.free_numbers
    abbreviated = _named_as(profile, "abbreviated measures")
    measures = [n for n in numbers if vocabulary.known_measure(n) or n in abbreviated]
    fewest = 1 if profile.has_role("fold", "repetition") else 2
    if profile.several or len(measures) < fewest or 2 * len(measures) < len(numbers) or profile.free_texts:
        return None
    if profile.has_role("algorithm", "dataset", "true", "tp"):
        return None
    return (
        refusal_of("folds of one model", n_rows=len(profile.frame), measures=measures),
        observed(2 * STRONG, "measures named", columns=measures[:4]),
        observed(FAIR, "no key"),
    )


def _raw_data(profile: Profile) -> _Refused:
    """Recognize raw data: columns of many kinds, none named after a measure or algorithm."""
    if profile.measures or profile.has_role("algorithm", "predicted", "score"):
        return None
    texts = profile.free_texts
    numbers = [n for n in profile.numbers if not profile[n].is_unique or not profile[n].is_whole]
    coded = [n for n in numbers if profile[n].is_whole and profile[n].distinct <= FEW]
    if len(texts) < 2 or len(profile.frame) < 20 or not 1 <= len(coded) < len(numbers) or len(texts) + len(coded) < 4:
        return None
    evidence = observed(2 * STRONG, "many kinds", texts=len(texts), numbers=len(numbers))
    return refusal_of("raw data", columns=[*texts[:2], *coded[:2]]), evidence


def _features_and_class(profile: Profile) -> _Refused:
    """Recognize raw data: numeric features with a class in the last column."""
    *_, label = profile.columns.values()
    numbers = [n for n in profile.numbers if n != label.name and not profile[n].counts_up]
    numbers = [n for n in numbers if vocabulary.role_in_name(n) != "instance"]
    is_class = label.is_text or (label.is_whole and label.distinct <= 10)
    if len(profile.frame) < 20 or len(numbers) < 3 or not (is_class and 2 <= label.distinct <= FEW):
        return None
    if set(profile.texts) - {label.name} or profile.measures or profile.has_role("algorithm", "dataset", "fold"):
        return None
    if all(set(profile[n].values.unique()) <= set(label.values.unique()) for n in numbers):
        return None  # labels next to labels
    if all(profile[n].within(0, 1) for n in numbers):
        return None  # scores next to labels
    evidence = observed(2 * STRONG, "many kinds", texts=int(label.is_text), numbers=len(numbers))
    return refusal_of("features and class", columns=numbers, class_column=label.name), evidence


def _confusion(profile: Profile) -> _Refused:
    """Recognize a confusion matrix: the same classes in rows and columns."""
    if len(profile.texts) != 1 or len(profile.numbers) < 2:
        return None
    key = profile[profile.texts[0]]
    labels = set(key.texts)
    named_by_class = [n for n in profile.numbers if any(n.endswith(label) for label in labels)]
    if not key.is_unique or not len(named_by_class) >= len(labels) >= 2:
        return None
    if not all(profile[n].is_whole for n in profile.numbers):
        return None
    return refusal_of("confusion"), observed(3 * STRONG, "confusion", column=key.name)


def _labels_without_truth(profile: Profile) -> _Refused:
    """Recognize predictions without true labels: an instance number and one label."""
    if len(profile.columns) != 2 or len(profile.frame) < 20 or profile.has_role("true"):
        return None
    first, second = profile.columns.values()
    if not first.is_unique or not all(column.is_whole or column.is_text for column in (first, second)):
        return None
    if second.distinct > FEW:
        return None
    return (
        refusal_of("labels without truth", column=second.name),
        observed(2 * STRONG, "case column", column=first.name),
        observed(NAME, "labels only", column=second.name),
    )


def _runs(profile: Profile) -> _Refused:
    """Recognize the run list of an experiment tracker without known measures."""
    columns = _named_as(profile, "runs of a tracker")
    if len(columns) < 2 or profile.measures:
        return None
    evidence = observed(2 * STRONG, "tracker", columns=columns)
    return refusal_of("list of runs", n_rows=len(profile.frame), columns=columns), evidence


def _matrix_of_itself(profile: Profile) -> _Refused:
    """Recognize a square matrix with the same names in rows and columns."""
    key = profile.texts[0] if profile.texts else ""
    names = list(profile.frame[key]) if key else []
    if len(names) < 2 or not set(names) <= set(profile.numbers) or not profile[key].is_unique:
        return None
    matrix = profile.matrix(names)
    present = ~np.isnan(matrix) & ~np.isnan(matrix.T)
    mirrored = np.allclose(matrix[present], matrix.T[present])
    content = "similarities or p-values" if mirrored else "wins or decisions"
    return refusal_of("matrix of itself", content=content), observed(3 * STRONG, "matrix of itself", column=key)


def _duels(profile: Profile) -> _Refused:
    """Recognize duels: two columns of names with the winner or a test of each pair."""
    columns = {vocabulary.normalized_name(name): name for name in profile.columns}
    pair = next((sides for sides in _SIDES if set(sides) <= set(columns)), None)
    if pair is None or not all(profile[columns[side]].is_text for side in pair):
        return None
    first, second = (columns[side] for side in pair)
    if tested := [columns[name] for name in vocabulary.WORDS["p-values"] if name in columns]:
        evidence = observed(3 * STRONG, "finished test", columns=tested)
        return refusal_of("tested duels", first=first, second=second, tested=tested), evidence
    winner = next((n for n in _named_as(profile, "winner of a duel") if profile[n].is_text), "")
    if not winner:
        return None
    refusal = refusal_of("duels", n_rows=len(profile.frame), winner=winner, first=first, second=second)
    return refusal, observed(3 * STRONG, "duels", columns=(first, second, winner))


def _trials(profile: Profile) -> _Refused:
    """Recognize a hyperparameter search: numbered trials with states or settings."""
    if profile.has_role("algorithm", "dataset", "fold", "true"):
        return None
    numbered = [n for n in _named_as(profile, "number of a trial") if profile[n].is_whole and profile[n].is_unique]
    settings = [n for n in profile.columns if vocabulary.is_setting(n)]
    known_states = vocabulary.WORDS["states of a trial"]
    states = [
        n for n in profile.texts if vocabulary.is_bookkeeping(n) and set(profile[n].texts.str.lower()) <= known_states
    ]
    if not numbered or not (states or len(settings) >= 2):
        return None
    evidence = observed(3 * STRONG, "tracker", columns=[*numbered, *states, *settings][:4])
    return refusal_of("trials", n_rows=len(profile.frame)), evidence


def _one_method(profile: Profile) -> _Refused:
    """Recognize measures of a single method: no column can name algorithms."""
    numbers = profile.free_numbers
    if profile.several or len(numbers) != 1 or profile.has_role("algorithm", "true", "tp", "result"):
        return None
    names = [n for n in profile.free_texts if not profile[n].is_constant] + with_role(profile.named, "dataset")
    is_one_each = len(names) == 1 and profile[names[0]].is_unique and numbers[0] in profile.measures
    if not is_one_each and len(profile.columns) > 1:
        return None
    return (
        refusal_of("one method", column=numbers[0]),
        observed(2 * STRONG, "one column of numbers", column=numbers[0]),
        observed(FAIR, "no repetition"),
    )


_DETECTORS: tuple[Callable[[Profile], _Refused], ...] = (
    *(_finished_test, _course_of_training, _curve, _metrics_of_models, _average_ranks, _sizes_of_datasets),
    *(_one_models_folds, _raw_data, _features_and_class, _confusion, _labels_without_truth, _runs),
    *(_matrix_of_itself, _duels, _trials, _one_method),
)
