"""Wide predictions: one row per instance, with the true label and columns of each model."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from stats_core.io.class_scores import class_scores, families_of, sum_to_one
from stats_core.io.problems import NotResults, question_of, refusal_of, role_reason
from stats_core.io.profile import FEW, Profile
from stats_core.io.scoring import FAIR, NAME, STRONG, LayoutEvidence, LayoutHypothesis, observed
from stats_core.io.vocabulary import (
    WORDS,
    class_columns,
    is_true_label,
    normalized_name,
    role_in_name,
)

MAX_FRACTIONS = 10  # with more distinct fractions, true values are numbers, not classes
# words next to a model's name: word_pred and word_p_spam belong to one model, word
_LABEL, _SCORE = WORDS["labels of a model"], WORDS["scores of a model"]


@dataclass
class Model:
    """The columns of one model."""

    label: str = ""
    score: str = ""
    of_class: str = ""  # the class whose probability the score is, if the column name states it
    beside: tuple[str, ...] = ()  # the probabilities of the other classes


@dataclass(frozen=True)
class PredictionColumn:
    """The true label and the columns of each model in a table of predictions."""

    truth: str
    models: dict[str, Model] = field(default_factory=dict)
    agreement: float = 0.0


def match_wide_predictions(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose instances in rows and models in columns if columns agree with true labels."""
    named = profile.named
    if "algorithm" in named.values() or "measure" in named.values() or len(profile.frame) < 2:
        return
    truth = _truth(profile)
    if not truth or profile.said.get(truth, "true") != "true":
        return
    classes = profile.frame[truth].nunique()
    if profile[truth].is_number and not profile[truth].is_whole and classes > MAX_FRACTIONS:
        yield from _numbers_as_truth(profile, truth)
        return
    if unclear := _scores_for_many_classes(profile, truth):
        yield unclear
        return
    models, agreement = _models(profile, truth)
    if not models or (len(models) == 1 and {"predicted", "score"} & set(named.values())):
        return  # leave a single model in standard columns to the long layout
    yield _hypothesis(profile, truth, models, agreement)


def _truth(profile: Profile) -> str:
    """Return the column of true labels: chosen by the user, or by its name; "" if none."""
    by_role = [n for n, role in profile.named.items() if role == "true"]
    if by_role:
        return by_role[0]
    by_name = [n for n in profile.columns if role_in_name(n) == "true"]
    if by_name:
        return by_name[0]
    return next((n for n in profile.columns if is_true_label(n)), "")


def _models(profile: Profile, truth: str) -> tuple[dict[str, Model], float]:
    """Return the columns of each model and the agreement of its labels with the truth."""
    true = profile.frame[truth]
    declared = [n for n, role in profile.said.items() if role == "result"]
    free = [n for n in profile.columns if n != truth and n not in profile.said]
    of_class = class_scores(profile.table, truth)
    free = [n for n in free if not _names_cases(profile, n) and n not in of_class]
    likely = [n for n in free if _is_label(profile, n, true) or _is_score(profile, n, true)]
    likely = declared or [n for n in free if n in likely or _is_named_alike(profile, n, likely)]
    models = models_of(likely, profile.frame, true)
    labels = [m.label for m in models.values() if m.label]
    shares = [float((profile.frame[n] == true).mean()) for n in labels]
    return models, float(np.mean(shares)) if shares else 0.0


def _is_label(profile: Profile, name: str, true: pd.Series) -> bool:
    """Return whether a column holds labels that agree with the truth more often than by chance."""
    texts, classes = profile.frame[name], set(true)
    labels = set(texts) - {""}
    if not labels or not labels <= classes or not 2 <= len(classes) <= FEW:
        return False
    return float((texts == true).mean()) >= _by_chance(true, texts)


def _is_score(profile: Profile, name: str, true: pd.Series) -> bool:
    two = _as_two(true)
    return two is not None and _ranks_cases(profile[name].numbers, two)


def _is_named_alike(profile: Profile, name: str, likely: list[str]) -> bool:
    """Return whether a column's name follows the pattern of the model columns."""
    pattern = _pattern(name)
    siblings = [n for n in likely if pattern and _pattern(n) == pattern]
    if not siblings or profile[name].is_number != profile[siblings[0]].is_number:
        return False
    if not profile[name].is_number:
        return set(profile.frame[name]) <= set(profile.frame[siblings[0]]) | {""}
    low, high = profile[siblings[0]].limits
    are_fractions = 0 <= low and high <= 1
    return not are_fractions or profile[name].within(0, 1)


def _pattern(name: str) -> str:
    """Return a column name with the model replaced by "*": "prob_*", or "" for a bare name."""
    for ends in (_LABEL, _SCORE):
        if (stem := _stem(name, ends)) != name:
            before, _, after = name.rpartition(stem)
            return f"{before}*{after}"
    return ""


def models_of(columns: list[str], frame: pd.DataFrame, true: pd.Series) -> dict[str, Model]:
    """Return the models by name, with their columns of labels and scores.

    Columns belong to the model named by the rest of the column name: word_pred and
    word_p_spam are of the model word.
    """
    classes = set(true)
    of_labels = [n for n in columns if set(frame[n]) - {""} <= classes]
    models = {_stem(name, _LABEL): Model(label=name) for name in reversed(of_labels)}
    models = dict(reversed(models.items()))
    by_models = {n: n for n in columns if n not in of_labels}
    for shared, family in families_of(by_models, sorted(classes)[:FEW]).items():
        numbers = [pd.to_numeric(frame[n].str.replace(",", "."), errors="coerce") for n in family]
        if shared and sum_to_one(numbers):  # rf_cat and rf_dog belong to one model, rf
            first, *other_scores = family
            model = Model(score=first, of_class=family[first], beside=tuple(other_scores))
            models[_stem(shared, _SCORE)] = model
            by_models = {n: n for n in by_models if n not in family}
    for name in by_models:
        stem, of_class = _stem_of_score(name, classes)
        prefixes = sorted((m for m in models if name.startswith(m)), key=len, reverse=True)
        model = models.setdefault((*prefixes, stem)[0], Model())
        if not model.score:
            model.score, model.of_class = name, of_class
    return models


def _names_cases(profile: Profile, name: str) -> bool:
    column = profile[name]
    return column.is_unique and (column.is_text or column.counts_up or column.is_whole)


def _as_two(true: pd.Series) -> np.ndarray | None:
    """Return the true labels as booleans, None unless there are two classes."""
    names = sorted(set(true) - {""})
    return (true == names[1]).to_numpy() if len(names) == 2 else None


def _by_chance(true: pd.Series, predicted: pd.Series) -> float:
    """Return the agreement of two label columns expected by chance."""
    a, b = true.value_counts(normalize=True), predicted.value_counts(normalize=True)
    return float((a * b.reindex(a.index, fill_value=0)).sum())


def _ranks_cases(numbers: pd.Series | None, positive: np.ndarray) -> bool:
    """Return whether fractions or decision values separate the two classes."""
    if numbers is None or numbers.isna().mean() > 0.1:
        return False
    known = numbers.notna().to_numpy()
    values, positive = numbers[known], positive[known]
    if values.nunique() < 3 or not (0 < positive.sum() < len(positive)):
        return False
    are_fractions = values.min() >= 0 and values.max() <= 1
    straddle_zero = values.min() < 0 < values.max()
    ranks = values.rank().to_numpy()
    n = int(positive.sum())
    area = (ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(ranks) - n))
    return bool((are_fractions or straddle_zero) and abs(area - 0.5) > 0.1)


def _stem(name: str, ends: Collection[str]) -> str:
    """Return a model's name: the column name without words such as "pred" or "score"."""
    parts = re.split(r"([\s_\-.]+)", name)
    model_parts = [p for i, p in enumerate(parts) if i % 2 == 1 or normalized_name(p) not in ends]
    return re.sub(r"^[\s_\-.]+|[\s_\-.]+$", "", "".join(model_parts)) or name


def _stem_of_score(name: str, classes: set[str]) -> tuple[str, str]:
    """Return a model's name and the class of its score, "" if the name has no class."""
    for label in sorted(classes, key=len, reverse=True):
        match = re.fullmatch(rf"(.+?)[\s_\-.]+{re.escape(label)}", name)
        if match and _stem(match[1], _SCORE) != match[1]:
            return _stem(match[1], _SCORE), label
    return _stem(name, (*_SCORE, *_LABEL)), ""


def _hypothesis(
    profile: Profile, truth: str, models: dict[str, Model], agreement: float
) -> LayoutHypothesis:
    scores = [m.score for m in models.values() if m.score]
    labels = [m.label for m in models.values() if m.label]
    other_scores = [n for m in models.values() for n in m.beside]
    used = [*labels, *scores, *other_scores]
    roles = (
        dict.fromkeys(profile.columns, "ignore") | {truth: "true"} | dict.fromkeys(used, "result")
    )
    instance_column = next(
        (
            n
            for n in profile.columns
            if n not in roles or roles[n] == "ignore" and _names_cases(profile, n)
        ),
        "",
    )
    evidence: list[LayoutEvidence] = []
    if role_in_name(truth) == "true" or is_true_label(truth) or profile.said.get(truth) == "true":
        evidence.append(observed(FAIR, "truth named", column=truth))
    if labels and agreement:
        evidence.append(observed(STRONG, "agreement", columns=tuple(labels[:4]), share=agreement))
    if scores:
        evidence.append(observed(FAIR, "ranking", columns=tuple(scores[:4])))
    if instance_column:
        roles[instance_column] = "instance"
        evidence.append(observed(NAME, "case column", column=instance_column))
    roles |= {n: r for n, r in profile.said.items() if r != "result"}
    unused = [n for n in profile.numbers if roles[n] == "ignore" and not profile[n].is_unique]
    if len(unused) >= len(used) and not profile.said:
        evidence.append(observed(-2 * STRONG, "columns unused", columns=tuple(unused[:4])))
    kinds = (used, labels, other_scores)
    reasons = {n: role_reason(_why(profile, n, roles[n], truth, kinds)) for n in profile.columns}
    return LayoutHypothesis(
        layout="wide predictions",
        roles=roles,
        reasons=reasons,
        evidence=tuple(evidence),
        asks=tuple(_asks(profile, truth, models, used)),
        refusal=_one_model(profile, models, scores + labels),
    )


def _why(profile: Profile, name: str, role: str, truth: str, kinds: tuple[list[str], ...]) -> str:
    used, labels, other_scores = kinds
    if name in profile.said:
        return "said"
    if name == truth:
        return "truth"
    if name in used:
        if name in labels:
            return "labels of a model"
        if name in other_scores:
            return "score of a class"
        is_positive = _as_two(profile.frame[truth])
        ranks = is_positive is not None and _ranks_cases(profile[name].numbers, is_positive)
        return "scores of a model" if ranks else "named as a model"
    if role == "instance":
        return "case"
    column = profile[name]
    return "empty" if column.is_empty else "constant" if column.is_constant else "not needed"


def _asks(profile: Profile, truth: str, models: dict[str, Model], used: list[str]) -> list:
    """Return the question whether the true-label column is right, unless its name states it."""
    if truth in profile.said or role_in_name(truth) == "true" or is_true_label(truth):
        return []
    return [question_of("true labels", truth=truth, used=used)]


def _one_model(profile: Profile, models: dict[str, Model], columns: list[str]) -> NotResults | None:
    if len(models) > 1 or profile.several or profile.said:
        return None
    return refusal_of("one model", columns=columns)


def _scores_for_many_classes(profile: Profile, truth: str) -> LayoutHypothesis | None:
    """Return a refusal if each model has one score but there are over two classes."""
    labels = set(profile.frame[truth]) - {""}
    scores = [n for n in class_columns(profile.columns) if profile[n].is_number]
    if len(labels) < 3 or len(labels) > FEW or len(scores) < 2 or profile.said:
        return None
    models = models_of(scores, profile.frame, profile.frame[truth])
    if class_scores(profile.table, truth) or len(models) < len(scores):
        return None
    predictions = [
        n for n in profile.columns if n != truth and set(profile.frame[n]) - {""} <= labels
    ]
    if predictions:
        return None
    return LayoutHypothesis(
        layout="no results",
        evidence=(
            observed(STRONG, "truth named", column=truth),
            observed(FAIR, "many classes", n=len(labels)),
        ),
        refusal=refusal_of("scores of many classes", scores=scores, truth=truth, n=len(labels)),
    )


def _numbers_as_truth(profile: Profile, truth: str) -> Iterator[LayoutHypothesis]:
    """Refuse numeric predictions and propose alternatives."""
    true = profile[truth].numbers
    assert true is not None  # the caller checked that the column is numeric
    predictions = []
    for name in profile.numbers:
        if name != truth and not profile[name].counts_up:
            paired = pd.concat([true, profile[name].numbers], axis=1).dropna()
            if len(paired) > 3 and _overlap(paired.iloc[:, 0], paired.iloc[:, 1]):
                predictions.append(name)
    if not predictions:
        return
    yield LayoutHypothesis(
        layout="no results",
        evidence=(
            observed(FAIR, "truth named", column=truth),
            observed(STRONG, "case column", column=truth),
        ),
        refusal=refusal_of(
            "numbers as truth", truth=truth, min=true.min(), max=true.max(), predictions=predictions
        ),
    )


def _overlap(a: pd.Series, b: pd.Series) -> bool:
    """Return whether two numeric columns have overlapping ranges of similar width."""
    width = max(float(a.max() - a.min()), 1e-12)
    return bool(b.min() < a.max() and b.max() > a.min() and (b.max() - b.min()) < 10 * width)
