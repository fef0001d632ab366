"""Predictions with true labels: one column per model, or one row per instance and algorithm."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from os.path import commonprefix

import numpy as np
import pandas as pd

from stats_core.core.messages import Message, message
from stats_core.data import label_matching, predictions, row_checks
from stats_core.data.predictions import EMPTY
from stats_core.io import text_cells, vocabulary
from stats_core.io.layouts import clusters
from stats_core.io.problems import guessed_roles, question_of, refusal_of
from stats_core.io.profile import (
    FAIR,
    FEW,
    NAME,
    STRONG,
    LayoutEvidence,
    LayoutHypothesis,
    Profile,
    observed,
    refused,
)
from stats_core.io.text_cells import TextTable

_MAX_CLASSES = 1000  # with more distinct labels, true values are numbers, not classes
_ROUNDED = 0.006  # tolerance of the sum of probabilities, per class


def _class_scores(table: TextTable, truth: str) -> dict[str, str]:
    """Return the columns of class probabilities, with the class of each; {} without them or for several models."""
    ordered = row_checks.natural_order(
        map(predictions.plain_label, set(table.frame[truth].to_list()))
    )
    labels = [str(label) for label in ordered if str(label).lower() not in EMPTY]
    if len(labels) > _MAX_CLASSES:
        return {}
    others = [name for name in table.frame if name != truth]
    by_name = vocabulary.class_columns(others)
    if by_name and _sum_to_one(_numbers(table, by_name)):
        return by_name
    families = [f for f in _families_of(others, labels).values() if _sum_to_one(_numbers(table, f))]
    return families[0] if len(families) == 1 else {}


def _families_of(columns: Iterable[str], labels: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return groups of columns whose names differ only in the class, by the common part of the name.

    Only groups with all classes are returned.
    """
    if len(labels) < 2:
        return {}
    families: dict[str, dict[str, str]] = {}
    for name in columns:
        for label in sorted(labels, key=len, reverse=True):
            label_last = re.fullmatch(rf"(?:(.+?)[\s_\-.:(\[]+)?{re.escape(label)}[)\]]?", name)
            if match := label_last or re.fullmatch(rf"{re.escape(label)}[\s_\-.:]+(.+)", name):
                families.setdefault(match[1] or "", {})[name] = label
                break
    return {
        shared: family
        for shared, family in families.items()
        if sorted(family.values()) == sorted(set(labels))
    }


def _sum_to_one(columns: Sequence[pd.Series | None]) -> bool:
    """Return whether columns hold fractions that sum to one in each row, up to rounding; False if one is None."""
    parts = [part for part in columns if part is not None]
    if len(parts) < len(columns):
        return False
    matrix = np.column_stack(parts)
    complete = matrix[~np.isnan(matrix).any(axis=1)]
    are_fractions = len(complete) > 0 and complete.min() >= 0 and complete.max() <= 1 + 1e-9
    return bool(are_fractions and (np.abs(complete.sum(axis=1) - 1) <= _ROUNDED * len(parts)).all())


def _numbers(table: TextTable, columns: Iterable[str]) -> list[pd.Series | None]:
    return [text_cells.numbers_of(table, name) for name in columns]


def by_class(columns: Sequence[str], labels: Iterable[str]) -> dict[str, str]:
    """Return the class of each probability column, {} if undetermined.

    If the names do not state every class, columns and classes are matched in natural order,
    provided there are equally many.

    Examples
    --------
    >>> by_class(["p1", "p2"], ["no", "yes"]), by_class(["p_yes", "p_no"], ["no", "yes"])
    ({'p1': 'no', 'p2': 'yes'}, {'p_yes': 'yes', 'p_no': 'no'})
    >>> by_class(["p1", "p2", "p3"], ["no", "yes"])
    {}
    """
    classes = row_checks.natural_order(
        {predictions.plain_label(label) for label in labels} - set(EMPTY)
    )
    column_classes = vocabulary.class_columns(columns)
    if len(column_classes) < len(
        columns
    ):  # what is left of each name without the leading words of all
        parts = {name: re.split(r"(?<=[\s_\-.:(\[])", name) for name in columns}
        shared = len(commonprefix([name_parts[:-1] for name_parts in parts.values()]))
        column_classes = {
            name: "".join(name_parts[shared:]).rstrip(")]") for name, name_parts in parts.items()
        }
    if set(classes) <= {predictions.plain_label(text) for text in column_classes.values()}:
        return column_classes
    if len(columns) != len(classes):
        return {}
    ordered = sorted(columns, key=lambda name: row_checks.natural_key(column_classes[name]))
    return dict(zip(ordered, classes, strict=True))


_KEYS = ("dataset", "algorithm", "repetition", "fold", "instance")
_CASES = 30  # fewest rows that are recognised as instances by content
_CLEAR_LEAD = 0.02  # in mean agreement with the other columns, of the true labels
_EXPLAINED = 0.8  # most squared error of predicted numbers, in variances of the true ones
_LEAST_INTERVALS = 8  # rows that show that columns are limits of intervals
_MOST_NUMBERS = 8  # with more columns of numbers, they are results
_MAX_FRACTIONS = 10  # with more distinct fractions, true values are numbers, not classes
# words next to a model's name: word_pred and word_p_spam belong to one model, word
_LABEL, _SCORE = vocabulary.WORDS["labels of a model"], vocabulary.WORDS["scores of a model"]


@dataclass
class _Model:
    """Label and score columns of one model, "" if it has none."""

    label: str = ""
    score: str = ""
    of_class: str = ""  # the class whose probability the score is, if the column name states it
    other_scores: tuple[str, ...] = ()  # the probabilities of the other classes


def match_wide_predictions(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis of one column or more per model, or its refusal, for each likely column of true labels."""
    if profile.has_role("algorithm", "measure") or len(profile.frame) < 2:
        return
    truths = [n for n in _truths(profile) if profile.declared.get(n, "true") == "true"]
    yield from filter(None, (_with_truth(profile, truth) for truth in truths))


def _with_truth(profile: Profile, truth: str) -> LayoutHypothesis | None:
    """Return the hypothesis of columns of models next to a column of true labels, or its refusal, else None."""
    if columns := _number_columns(profile, truth):
        if len(columns) == 1 and profile.has_role("predicted"):
            return None  # left to the long layout
        models = models_of([], profile.frame, profile.frame[truth], columns)
        return _wide_hypothesis(profile, truth, models, 0.0, "predicted")
    if unclear := _scores_for_many_classes(profile, truth):
        return unclear
    models, agreement = _models(profile, truth)
    if not models or (len(models) == 1 and profile.has_role("predicted", "score")):
        return None  # leave a single model in standard columns to the long layout
    return _wide_hypothesis(profile, truth, models, agreement)


def _truths(profile: Profile) -> list[str]:
    """Return a list of the column of true labels, as set or found by name or content; two if in doubt, [] if none."""
    by_name = [n for n in profile.columns if vocabulary.role_in_name(n) == "true"]
    likely = filter(vocabulary.is_true_label, profile.columns)
    named = [*vocabulary.with_role(profile.named, "true"), *by_name, *likely]
    return named[:1] or _separated_labels(profile) or _shared_labels(profile)


def _separated_labels(profile: Profile) -> list[str]:
    """Return the only two-valued column, as a list, if all others except IDs predict its two classes; else []."""
    two = [n for n, column in profile.columns.items() if column.distinct == 2]
    others = [n for n in profile.columns if n not in two and not _names_cases(profile, n)]
    if len(two) != 1 or len(others) < 2 or len(profile.frame) < _CASES or profile.declared:
        return []
    return two if all(_is_score(profile, n, profile.frame[two[0]]) for n in others) else []


def _shared_labels(profile: Profile) -> list[str]:
    """Return the one or two columns that agree most with others of the same labels, as true labels do; [] if none."""
    labels = [
        n
        for n, column in profile.columns.items()
        if 2 <= column.distinct <= FEW and not column.is_unique
    ]
    if len(labels) < 3 or len(profile.frame) < _CASES or profile.declared:
        return []
    if len({frozenset(profile[n].coded[1]) for n in labels}) > 1:
        return []
    codes = pd.DataFrame(
        {n: pd.factorize(profile.frame[n], sort=True)[0] for n in labels}
    ).to_numpy()
    agreement = (codes[:, :, None] == codes[:, None, :]).mean(axis=0)
    np.fill_diagonal(agreement, -1.0)
    shared = agreement.sum(axis=0) / len(labels)
    lead = max(_CLEAR_LEAD, 0.5 / np.sqrt(len(codes)))
    central = np.argsort(-shared, kind="stable")[:2]
    nearest = np.isin(agreement.argmax(axis=1), central).mean()
    outer = [i for i in (0, len(labels) - 1) if shared.max() - shared[i] < lead][
        :1
    ]  # where true labels usually are
    likely = [i for i in central if shared.max() - shared[i] < _CLEAR_LEAD]
    models = [n for n in labels if vocabulary.model_among([n])]
    if 2 * len(models) > len(
        labels
    ):  # another column with a model's name, or between two, has the same role
        ends = [i for i in (0, len(labels) - 1) if labels[i] not in models]
        outer, likely = ([i for i in places if i in ends] for places in (outer, likely))
    return [labels[i] for i in dict.fromkeys([*outer, *likely])][:2] if nearest > 0.5 else []


def _names_truth(profile: Profile, name: str) -> bool:
    """Return whether a column is declared or named as true labels."""
    return vocabulary.is_true_label(name) or profile.declared.get(name) == "true"


def _models(profile: Profile, truth: str) -> tuple[dict[str, _Model], float]:
    """Return the columns of each model, and the mean agreement of their labels with the truth, 0 without labels."""
    true = profile.frame[truth]
    declared = vocabulary.with_role(profile.declared, "result")
    free = [n for n in profile.columns if n != truth and n not in profile.declared]
    of_class = _class_scores(profile.table, truth)
    free = [n for n in free if not _names_cases(profile, n) and n not in of_class]
    likely = [n for n in free if _is_label(profile, n, true) or _is_score(profile, n, true)]
    if likely and _names_truth(profile, truth):  # a constant prediction is one, too
        likely += [n for n in free if profile[n].is_constant and profile[n].within(0, 1)]
    likely = declared or [n for n in free if n in likely or _is_named_alike(profile, n, likely)]
    models = models_of(likely, profile.frame, true)
    labels = [m.label for m in models.values() if m.label]
    shares = [float((_as_labels(profile.frame[n], true) == true).mean()) for n in labels]
    return models, float(np.mean(shares)) if shares else 0.0


def _is_label(profile: Profile, name: str, true: pd.Series) -> bool:
    """Return whether a column holds labels that agree with the truth at least as often as by chance.

    Labels in another form than the true ones, and answers that are no label, need named true labels.
    """
    classes = set(true.unique())
    labels = set(profile[name].coded[1]) - {""}
    if not labels or not 2 <= len(classes) <= FEW:
        return False
    is_marks = vocabulary.mentions(name, "right answers")
    if not labels <= classes and (is_marks or not _names_truth(profile, str(true.name))):
        return False
    texts = _as_labels(profile.frame[name], true)
    if texts is None:
        return False
    a, b = true.value_counts(normalize=True), texts.value_counts(normalize=True)
    by_chance = float((a * b.reindex(a.index, fill_value=0)).sum())
    return float((texts == true).mean()) >= by_chance


def _as_labels(texts: pd.Series, true: pd.Series) -> pd.Series | None:
    """Return a column with labels in the form of the true ones; None if it holds no labels.

    At least half of the cells are labels, and the other answers are no numbers.
    """
    classes, cells = set(true.unique()), set(texts.unique()) - {""}
    if cells <= classes:
        return texts
    if len(classes) > FEW or len(cells) > _MAX_CLASSES:
        return None
    matches = label_matching.matched_labels(cells, classes)
    others = [text for text in cells if text not in matches]
    if label_matching.is_other_coding(cells, classes) or any(map(_is_number, others)):
        return None
    labels = texts.map(lambda text: matches.get(text, text))
    return labels if texts.isin(list(matches)).mean() >= 0.5 else None


def _is_number(text: str) -> bool:
    """Return whether a text is a number, other than the usual code -1 of an invalid answer."""
    number = pd.to_numeric(text.replace(",", "."), errors="coerce")
    return bool(pd.notna(number)) and number != -1


def _is_score(profile: Profile, name: str, true: pd.Series) -> bool:
    """Return whether the values of a column differ between the instances of two classes more than by chance."""
    names = sorted(set(true.unique()) - {""})
    return len(names) == 2 and _ranks_cases(profile[name].numbers, (true == names[1]).to_numpy())


def _is_named_alike(profile: Profile, name: str, likely: list[str]) -> bool:
    """Return whether a column has the name pattern and the type, numbers or texts, of one of the likely columns."""
    pattern = _pattern(name)
    siblings = [profile[n] for n in likely if pattern and _pattern(n) == pattern]
    return any(sibling.is_number == profile[name].is_number for sibling in siblings)


def _pattern(name: str) -> str:
    """Return a column name with the model replaced by "*", such as "prob_*"; "" if no word means labels or scores."""
    for ends in (_LABEL, _SCORE):
        if (stem := _stem(name, ends)) != name:
            before, _, after = name.rpartition(stem)
            return f"{before}*{after}"
    return ""


def models_of(
    columns: list[str], frame: pd.DataFrame, true: pd.Series, numbers: Sequence[str] = ()
) -> dict[str, _Model]:
    """Return the label and score columns of each model, by its name; columns of predicted `numbers` are labels.

    Columns belong to the model named by the rest of the column name: word_pred and
    word_p_spam are of the model word.
    """
    classes = set(true)
    of_labels = [n for n in columns if _as_labels(frame[n], true) is not None] + [*numbers]
    marks = [
        _LABEL & map(vocabulary.normalized_name, re.split(r"[\s_\-.]+", name)) for name in of_labels
    ]
    shared_marks = set.intersection(*marks) if marks else set()
    ends: Collection[str] = _LABEL
    if len(of_labels) == len(columns) + len(numbers) > 1:
        ends = shared_marks
    models = {_stem(name, ends): _Model(label=name) for name in reversed(of_labels)}
    models = dict(reversed(models.items()))
    by_models = {n: n for n in columns if n not in of_labels}
    for shared, family in _families_of(by_models, sorted(classes)[:FEW]).items():
        numbers = [pd.to_numeric(frame[n].str.replace(",", "."), errors="coerce") for n in family]
        if shared and _sum_to_one(numbers):  # rf_cat and rf_dog belong to one model, rf
            first, *other_scores = family
            model = _Model(score=first, of_class=family[first], other_scores=tuple(other_scores))
            models[_stem(shared, _SCORE)] = model
            by_models = {n: n for n in by_models if n not in family}
    for name in by_models:
        stem, of_class = _stem_of_score(name, classes)
        prefixes = [m for m in models if re.match(rf"{re.escape(m)}(?:[\s_\-.]|$)", name)]
        prefixes.sort(key=len, reverse=True)
        model = models.setdefault((*prefixes, stem)[0], _Model())
        model.score, model.of_class = name, of_class
    return models


def _names_cases(profile: Profile, name: str) -> bool:
    column = profile[name]
    return column.is_unique and (column.is_text or column.counts_up or column.is_whole)


def _ranks_cases(numbers: pd.Series | None, positive: np.ndarray) -> bool:
    """Return whether a column of fractions, or of numbers on both sides of 0, has |AUC - 0.5| above 0.1."""
    if numbers is None or numbers.isna().mean() > 0.1:
        return False
    finite = numbers.notna().to_numpy()
    values, positive = numbers[finite], positive[finite]
    if values.nunique() < 3 or not (0 < positive.sum() < len(positive)):
        return False
    are_fractions = values.min() >= 0 and values.max() <= 1
    straddle_zero = values.min() < 0 < values.max()
    ranks = values.rank().to_numpy()
    n = int(positive.sum())
    area = (ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(ranks) - n))
    return bool((are_fractions or straddle_zero) and abs(area - 0.5) > 0.1)


def _stem(name: str, ends: Collection[str]) -> str:
    """Return the model in a column name: the name without the words in `ends`, or unchanged if nothing is left."""
    parts = re.split(r"([\s_\-.]+)", name)
    model_parts = [
        p for i, p in enumerate(parts) if i % 2 == 1 or vocabulary.normalized_name(p) not in ends
    ]
    return re.sub(r"^[\s_\-.]+|[\s_\-.]+$", "", "".join(model_parts)) or name


def _stem_of_score(name: str, classes: set[str]) -> tuple[str, str]:
    """Return the model's name in a score column's name, and the class in it, "" if it names none."""
    for label in sorted(classes, key=len, reverse=True):
        match = re.fullmatch(rf"(.+?)[\s_\-.]+{re.escape(label)}", name)
        if match and _stem(match[1], _SCORE) != match[1]:
            return _stem(match[1], _SCORE), label
    return _stem(name, (*_SCORE, *_LABEL)), ""


def _wide_hypothesis(
    profile: Profile, truth: str, models: dict[str, _Model], agreement: float, role: str = "result"
) -> LayoutHypothesis:
    """Return the hypothesis of columns of labels or scores per model; it is refused if a lone file has one model.

    `role` is that of the columns, "predicted" for predicted numbers.
    """
    scores = [m.score for m in models.values() if m.score]
    labels = [m.label for m in models.values() if m.label]
    other_scores = [n for m in models.values() for n in m.other_scores]
    used = [*labels, *scores, *other_scores]
    roles = profile.ignored | {truth: "true"} | dict.fromkeys(used, role)
    evidence: list[LayoutEvidence] = []
    if _names_truth(profile, truth):
        evidence.append(observed(FAIR, "truth named", column=truth))
    if labels and agreement:
        evidence.append(observed(STRONG, "agreement", columns=labels[:4], share=agreement))
    if role == "predicted":
        evidence.append(observed(STRONG, "numbers predicted", columns=labels[:4]))
    if labels and all(map(_pattern, labels)):
        evidence.append(observed(FAIR, "prediction named", column=labels[0]))
    if scores:
        evidence.append(observed(FAIR, "ranking", columns=scores[:4]))
    if instance_column := next(
        (n for n, role in roles.items() if role == "ignore" and _names_cases(profile, n)), ""
    ):
        roles[instance_column] = "instance"
        evidence.append(observed(NAME, "case column", column=instance_column))
    roles |= {n: r for n, r in profile.declared.items() if r != "result"}
    unused = [n for n in profile.numbers if roles[n] == "ignore" and not profile[n].is_unique]
    if len(unused) >= len(used) and not profile.declared:
        evidence.append(observed(-2 * STRONG, "columns unused", columns=unused[:4]))

    why = {n: "constant" for n, c in profile.columns.items() if c.is_constant}
    why |= dict.fromkeys(labels, "labels of a model" if role == "result" else "numbers of a model")
    why |= dict.fromkeys(other_scores, "score of a class")
    ranking = [n for n in scores if _is_score(profile, n, profile.frame[truth])]
    why |= (
        dict.fromkeys(scores, "named as a model")
        | dict.fromkeys(ranking, "scores of a model")
        | {truth: "truth"}
    )
    why |= {instance_column: "case"} if instance_column else {}
    is_alone = len(models) == 1 and not profile.several and not profile.declared
    is_certain = truth in profile.declared or _names_truth(profile, truth)
    if role == "predicted" and not profile.declared:
        is_certain = is_certain and _are_surely_models(profile, truth, labels)
    return profile.hypothesis(
        "wide predictions",
        roles,
        why,
        evidence,
        asks=() if is_certain else (question_of("true labels", truth=truth, used=used),),
        refusal=refusal_of("one model", columns=scores + labels) if is_alone else None,
    )


def _scores_for_many_classes(profile: Profile, truth: str) -> LayoutHypothesis | None:
    """Return a refusal if models have single scores but there are more than two classes, else None."""
    labels = set(profile.frame[truth]) - {""}
    scores = [n for n in vocabulary.class_columns(profile.columns) if profile[n].is_number]
    if (
        not 3 <= len(labels) <= FEW
        or len(scores) < 2
        or profile.declared
        or _class_scores(profile.table, truth)
    ):
        return None
    if any(set(profile.frame[n]) - {""} <= labels for n in profile.columns if n != truth):
        return None  # predicted labels
    return refused(
        STRONG + FAIR, "scores of many classes", scores=scores, truth=truth, n=len(labels)
    )


def _number_columns(profile: Profile, truth: str) -> list[str]:
    """Return the columns that predict the numbers in the column of true values; [] if the true values are classes.

    They have the scale of the true values. If one is closer to these than their mean, so may be a
    model that is bad: no model is left out for its errors. Limits of intervals are no models.
    """
    declared = vocabulary.with_role(profile.declared, "predicted")
    true = profile[truth]
    if (
        declared
        or not true.is_number
        or true.distinct < 3
        or (true.is_whole and profile.has_role("score"))
    ):
        return declared[1:] and declared
    free = [
        n
        for n in profile.numbers
        if n != truth and n not in profile.declared and not profile[n].counts_up
    ]
    free = [n for n in free if not _is_label(profile, n, profile.frame[truth])]
    are_classes = true.is_whole or true.distinct <= _MAX_FRACTIONS
    if are_classes and not any(not profile[n].is_whole and profile[n].limits[1] > 1 for n in free):
        return []
    alike = [n for n in free if _has_scale(profile, n, truth)]
    limits = _limits_among(profile, alike)
    alike = [n for n in alike if n not in limits]
    named = [n for n in alike if _pattern(n) and not are_classes]
    close = [n for n in alike if _explains(profile, n, truth)]
    if named or not close or not _names_truth(profile, truth):
        return [n for n in alike if n in named or n in close]
    return alike


def _limits_among(profile: Profile, names: list[str]) -> set[str]:
    """Return the columns that enclose another one in every row, as limits of intervals do."""
    if not 3 <= len(names) <= _MOST_NUMBERS or len(profile.frame) < _LEAST_INTERVALS:
        return set()
    columns = dict(zip(names, profile.matrix(names).T, strict=True))
    limits: set[str] = set()
    for low, middle, high in permutations(names, 3):
        below = columns[low] <= columns[middle]
        above = columns[middle] <= columns[high]
        if (below & above).all() and (columns[low] < columns[high]).all():
            limits |= {low, high}
    return limits


def _are_surely_models(profile: Profile, truth: str, names: list[str]) -> bool:
    """Return whether each column predicts the truth or is named as a prediction or model."""
    return all(
        _explains(profile, name, truth) or _pattern(name) or vocabulary.model_among([name])
        for name in names
    )


def _has_scale(profile: Profile, name: str, truth: str) -> bool:
    """Return whether the numbers of a column overlap with those of the truth, and spread less than ten times as far."""
    (low, high), (least, most) = profile[truth].limits, profile[name].limits
    return bool(least < high and most > low and most - least < 10 * (high - low))


def _explains(profile: Profile, name: str, truth: str) -> bool:
    """Return whether the numbers of a column are closer to those of the truth than the mean of the truth is."""
    true, numbers = (column.numbers for column in (profile[truth], profile[name]))
    if true is None or numbers is None:
        return False
    return float(((numbers - true) ** 2).mean()) < _EXPLAINED * float(true.var(ddof=0))


def match_long_predictions(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis of one row per instance and algorithm, by column names or relations of columns."""
    named = profile.named
    if profile.has_role("result"):
        return
    truth = vocabulary.first_with_role(named, "true")
    classes = _class_scores(profile.table, truth) if truth else {}
    if truth and (classes or profile.has_role("predicted", "score")):
        # a score column takes precedence over class probabilities
        free = (
            [] if profile.has_role("score") else [n for n in classes if n not in profile.declared]
        )
        yield _by_names(profile, named, truth, free)
        return
    yield from _by_relations(profile)


def _by_names(
    profile: Profile, named: dict[str, str], truth: str, classes: list[str]
) -> LayoutHypothesis:
    """Return the hypothesis of one row per instance and algorithm, by the names of columns."""
    evidence = [observed(STRONG, "truth named", column=truth)]
    evidence += [
        observed(FAIR, "algorithms named", column=n)
        for n in vocabulary.with_role(named, "algorithm")
    ]
    evidence += [
        observed(FAIR, "prediction named", column=n)
        for n, r in named.items()
        if r in ("predicted", "score")
    ]
    evidence += [observed(FAIR, "class columns", columns=classes)] if classes else []
    roles = profile.ignored | dict.fromkeys(classes, "score") | named
    is_resampled = bool({"fold", "repetition"} & set(named.values()))  # such as repeats of folds
    answers = {} if is_resampled else answers_of_items(profile, named)
    roles |= answers
    notes = [message("answers of items", column=n) for n in answers]
    # only the first rows of large files are profiled
    reasons = {n: "not needed" if role == "ignore" else "name" for n, role in roles.items()}
    reasons |= dict.fromkeys(classes, "score of a class")
    reasons |= dict.fromkeys(answers, "answer to an item")
    units, unit_notes = _units_of_named(profile, roles)
    roles |= units
    notes += unit_notes
    reasons |= dict.fromkeys(units, "cluster of items")
    asks = []
    algorithm, instance = _crossed_cases(profile, roles, truth)
    if instance and "instance" not in roles.values():
        roles[instance], reasons[instance] = "instance", "shared case"
        evidence.append(observed(NAME, "shared cases", column=instance))
    if (
        algorithm
        and not {"algorithm", "dataset"} & set(roles.values())
        and not (profile.several or profile.declared)
    ):
        roles[algorithm], reasons[algorithm] = "algorithm", "needed key"
        asks = [guessed_roles({algorithm: "algorithm"})]
    return profile.hypothesis(
        "predictions", roles, reasons, evidence, asks=tuple(asks), notes=tuple(notes)
    )


def _units_of_named(
    profile: Profile, roles: dict[str, str]
) -> tuple[dict[str, str], list[Message]]:
    """Return the role of the unit within which the instances are numbered, and the note on it."""
    if "instance" not in roles.values() or "cluster" in roles.values():
        return {}, []
    units = clusters.numbering_units(profile, roles)[:1]
    ignored = clusters.ignored_units(profile, units)
    if ignored or not units:
        return {}, [*ignored]
    (unit,) = units
    return {unit: "cluster"}, [message("items of clusters", column=unit, n=profile[unit].distinct)]


def answers_of_items(profile: Profile, named: dict[str, str]) -> dict[str, str]:
    """Return the role "answer" of a column that numbers the answers to items, else {}.

    Keys are unique with it only. A column such as "run" may number anything that all items share.
    """
    roles = {n: role for n, role in named.items() if role not in ("cluster", "text", "ignore")}
    numbered = {
        n: "answer"
        for n in vocabulary.with_role(roles, "repetition")
        if vocabulary.is_listed(n, "answers of items") and n not in profile.declared
    }
    keys = [n for n, role in roles.items() if role in _KEYS]
    if "fold" in roles.values():
        return {}
    if numbered or {"repetition", "answer"} & set(roles.values()) or profile.unique(keys):
        return numbered
    likely = [
        n for n in profile.columns if n not in named and vocabulary.is_listed(n, "answers of items")
    ]
    return dict.fromkeys([n for n in likely if profile.unique([*keys, n])][:1], "answer")


def _crossed_cases(profile: Profile, roles: dict[str, str], truth: str) -> tuple[str, str]:
    """Return the algorithm column, and that of instances which all algorithms share with one true label; "" if none."""
    keys = [n for n, role in roles.items() if role in ("dataset", "repetition", "fold")]
    free = [
        n for n in profile.columns if roles.get(n, "ignore") == "ignore" and profile[n].distinct > 1
    ]
    few = [n for n in profile.texts if n in free and 2 * profile[n].distinct <= len(profile.frame)]
    named_algorithm = vocabulary.first_with_role(roles, "algorithm")
    named = vocabulary.with_role(roles, "instance")
    for algorithm in [named_algorithm] if named_algorithm else few:
        larger = named or [
            n for n in free if n != algorithm and profile[n].distinct > profile[algorithm].distinct
        ]
        keyed = [n for n in larger if profile.unique([*keys, algorithm, n])]
        cases = [n for n in keyed if _are_shared(profile, keys, algorithm, n, truth)]
        if len(cases) == 1:
            return algorithm, cases[0]
    return named_algorithm, ""


def _are_shared(
    profile: Profile, keys: list[str], algorithm: str, instance: str, truth: str
) -> bool:
    """Return whether all algorithms share the instances of each test set, and their true labels."""
    sizes = (
        profile.frame.groupby(keys)[algorithm].nunique().max()
        if keys
        else profile[algorithm].distinct
    )
    by_instance = profile.frame.groupby([*keys, instance])
    shared = by_instance[algorithm].nunique() == sizes
    return bool(sizes > 1 and shared.all() and (by_instance[truth].nunique() == 1).all())


def _by_relations(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis of predictions if an instance determines only one of two columns of labels or numbers.

    A further column may state whether both labels agree.
    """
    categorical = [
        n for n, c in profile.columns.items() if 2 <= c.distinct <= FEW and not c.is_unique
    ]
    categorical = [
        n for n in categorical if n not in profile.declared and not vocabulary.is_listed(n, "items")
    ]
    if len(categorical) > FEW:
        return  # settings of runs
    cells = {n: profile.frame[n].to_numpy(dtype=object) for n in categorical}
    labels = {n: set(profile[n].coded[1]) - {""} for n in categorical}
    complete = [n for n in categorical if not profile[n].has_blanks]  # no true label is missing
    marks = {n: text_cells.marks_of(profile.frame[n]) for n in complete if profile[n].holds_marks}
    answers = {n: values.to_numpy() == 1 for n, values in marks.items() if values is not None}
    for truth, predicted in permutations(categorical, 2):
        agrees = cells[truth] == cells[predicted]
        if truth not in complete or not 0.02 < agrees.mean() < 1:
            continue
        shares = {
            n: (flags == agrees).mean()
            for n, flags in answers.items()
            if n not in (truth, predicted)
        }
        correct = next((n for n, share in shares.items() if share >= 0.98), "")
        is_pair = labels[predicted] <= labels[truth] and _is_label(
            profile, predicted, profile.frame[truth]
        )
        if not (correct or is_pair):
            continue
        for instance, algorithm in _case_keys(profile, (truth, predicted, correct)):
            if correct or _are_shared(profile, [], algorithm, instance, truth):
                yield _triple_hypothesis(profile, correct, truth, predicted, instance, algorithm)
                return
    free = (
        [n for n in profile.free_numbers if n not in profile.measures]
        if not profile.declared
        else []
    )
    numbers = [
        n
        for n in free
        if profile[n].distinct > _MAX_FRACTIONS and not vocabulary.is_listed(n, "items")
    ]
    numbers += [n for n, role in profile.named.items() if role == "predicted"]
    for truth, predicted in permutations(numbers if len(numbers) <= _MOST_NUMBERS else (), 2):
        if _has_scale(profile, predicted, truth) and _explains(profile, predicted, truth):
            for instance, algorithm in _case_keys(profile, (truth, predicted, "")):
                if _are_shared(profile, [], algorithm, instance, truth):
                    yield _triple_hypothesis(profile, "", truth, predicted, instance, algorithm)
                    return


def _case_keys(profile: Profile, used: tuple[str, str, str]) -> Iterator[tuple[str, str]]:
    """Yield instance and algorithm columns that identify the rows, if the instance determines only the true label."""
    keys = [n for n, c in profile.columns.items() if n not in used and c.distinct > 1]
    cases = [n for n in keys if profile[n].distinct ** 2 >= len(profile.frame)]
    for instance in sorted(cases, key=lambda n: -profile[n].distinct):
        if not profile.determines(instance, used[0]) or profile.determines(instance, used[1]):
            continue
        fewer = [n for n in keys if profile[n].distinct < profile[instance].distinct]
        yield from ((instance, n) for n in fewer if profile.unique([n, instance]))


def _triple_hypothesis(
    profile: Profile, correct_column: str, truth: str, predicted: str, instance: str, algorithm: str
) -> LayoutHypothesis:
    """Return the hypothesis of predictions, with a question about their columns; `correct_column` may be ""."""
    roles = {truth: "true", predicted: "predicted", instance: "instance", algorithm: "algorithm"}
    keys = {
        name: role
        for name, role in profile.named.items()
        if role in ("dataset", "repetition", "fold")
    }
    reasons = dict.fromkeys(keys, "name")
    reasons |= {
        truth: "truth",
        predicted: "labels of a model",
        instance: "case",
        algorithm: "needed key",
    }
    share = float((profile.frame[truth] == profile.frame[predicted]).mean())
    agreement = observed(STRONG + FAIR, "agreement", columns=(predicted,), share=share)
    if profile[truth].is_number and profile[truth].distinct > _MAX_FRACTIONS and not correct_column:
        agreement = observed(2 * STRONG + FAIR, "numbers predicted", columns=(predicted,))
        reasons[predicted] = "numbers of a model"
    if correct_column:
        agreement = observed(
            2 * STRONG, "right answers", right=correct_column, columns=(predicted, truth)
        )
    evidence = (agreement, observed(NAME, "case column", column=instance))
    question = question_of("right answers", algorithm=algorithm, predicted=predicted, truth=truth)
    return profile.hypothesis("predictions", keys | roles, reasons, evidence, asks=(question,))
