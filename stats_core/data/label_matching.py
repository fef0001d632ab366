"""Predicted labels written in another form than the true labels, and answers that are no label."""

from collections.abc import Collection, Iterable

import numpy as np
import pandas as pd

from stats_core.core.messages import Message, message
from stats_core.data import predictions

# forms of the two classes of a binary task, in lower case
_POSITIVE = ("1", "true", "t", "yes", "y", "pos", "positive")
_NEGATIVE = ("0", "-1", "false", "f", "no", "n", "neg", "negative")
# words for an answer that is no label, in lower case
_NO_ANSWERS = (
    *("refused", "refusal", "refuse", "unknown", "invalid", "error", "failed", "failure"),
    *("unparsed", "unparseable", "unparsable", "parse error", "no answer", "n/a", "abstain"),
    *("abstained", "timeout", "none of these", "?", "-", "--"),
)
NO_ANSWER = "no answer"  # the predicted label of an empty answer


def plain_label(text: str) -> str:
    """Return a label in its plainest form: without spaces around it, "1.0" and "+1" as "1".

    Examples
    --------
    >>> plain_label(" +1.0 "), plain_label("ham")
    ('1', 'ham')
    """
    plain = predictions.plain_label(text.strip())
    return plain[1:] if plain.startswith("+") and plain[1:].isdigit() else plain


def matched_labels(predicted: Iterable[str], true: Collection[str]) -> dict[str, str]:
    """Return the true label that each predicted label stands for, if any.

    Labels match if they are equal up to case, spaces and ".0". Those of two classes also match if
    both are forms of yes and no: 1, True, yes or positive, and 0, -1, False, no or negative. In
    predictions of 0, 1 and -1, the label that is no true label matches none.

    Examples
    --------
    >>> matched_labels(["True", "False"], ["0", "1"])
    {'True': '1', 'False': '0'}
    >>> matched_labels(["Ham", "refused"], ["ham", "spam"])
    {'Ham': 'ham'}
    >>> matched_labels(["-1", "0", "1"], ["0", "1"])
    {'0': '0', '1': '1'}
    """
    labels = list(dict.fromkeys(predicted))
    matches = {label: label for label in labels if label in true}
    for form in (plain_label, _folded):
        true_of = _unique({label: form(label) for label in true})
        matches |= {n: true_of[form(n)] for n in labels if n not in matches and form(n) in true_of}
    return matches | _matched_by_side([n for n in labels if n not in matches], labels, true)


def _matched_by_side(
    unmatched: list[str], labels: list[str], true: Collection[str]
) -> dict[str, str]:
    """Return the true labels of unmatched `labels`, if both classes are forms of yes and no."""
    true_of_side = {_side(label): label for label in true}
    if len(true) > 2 or None in true_of_side or len(true_of_side) < len(true):
        return {}
    both_zeros = {"0", "-1"} <= {plain_label(label) for label in labels}
    return {
        label: true_of_side[side]
        for label in unmatched
        if (side := _side(label)) in true_of_side
        and not (both_zeros and plain_label(label) in ("0", "-1"))
    }


def _folded(label: str) -> str:
    return plain_label(label).casefold()


def _side(label: str) -> bool | None:
    """Return whether a label is a form of yes or of no; None if of neither."""
    folded = _folded(label)
    return True if folded in _POSITIVE else False if folded in _NEGATIVE else None


def _unique(form_of: dict[str, str]) -> dict[str, str]:
    """Return the label of each form that only one label has."""
    forms = list(form_of.values())
    return {form: label for label, form in form_of.items() if forms.count(form) == 1}


def is_no_answer(label: str) -> bool:
    """Return whether a predicted label says that there is no answer."""
    folded = label.strip().casefold()
    return folded in _NO_ANSWERS or folded in predictions.EMPTY


def is_other_coding(predicted: Collection[str], true: Collection[str]) -> bool:
    """Return whether predicted labels seem to be another coding of the classes, rather than errors.

    That is so if no predicted label matches, or if an unknown label may stand for the one of two
    classes that is never predicted.

    Examples
    --------
    >>> is_other_coding({"ham", "junk"}, {"ham", "spam"})
    True
    >>> is_other_coding({"a", "b", "c"}, {"a", "b"})
    False
    """
    matches = matched_labels(predicted, true)
    unknown = [label for label in predicted if label not in matches and not is_no_answer(label)]
    never_predicted = set(true) - set(matches.values())
    return bool(unknown) and (not matches or (len(true) == 2 and bool(never_predicted)))


def distinct_labels(instances: pd.DataFrame, column: str, *keys: str) -> dict[tuple, list[str]]:
    """Return the distinct labels in a column, by the values of the key columns."""
    if instances.empty:
        return {}
    _, groups = predictions.group_numbers(instances, [*keys, column])
    return {key: list(block[column]) for key, block in groups.groupby([*keys], sort=False)}


def all_known(instances: pd.DataFrame) -> bool:
    """Return whether each predicted label is a true label of every data set."""
    labels = [str(label) for label in instances["predicted"].cat.categories]
    counts = predictions.label_counts(instances)
    return set(labels) <= set(map(str, counts.columns)) and bool(
        (counts[labels] > 0).all(axis=None)
    )


def match_labels(instances: pd.DataFrame) -> tuple[pd.DataFrame, list[Message]]:
    """Return predictions with predicted labels in the form of the true ones, and notes.

    An empty answer on the only test set is an error if the algorithm labels most of the instances.
    Labels that match no true label stay, and the note counts them.
    """
    if "predicted" not in instances or all_known(instances):
        return instances, []
    empty = _empty_answers(instances)
    answered = ~(predictions.missing_predictions(instances) | predictions.lacks_label(instances))
    answered |= empty
    if not answered.any():
        return instances, []
    rows = instances.loc[answered, ["dataset", "algorithm", "predicted"]]
    group, groups = predictions.group_numbers(rows, ["dataset", "algorithm", "predicted"])
    true = distinct_labels(instances, "true", "dataset")
    pairs: dict[tuple[str, str], None] = {}
    unknown: dict[tuple[str, str], int] = {}
    new = []
    matches = {
        key: matched_labels(labels, true[key[:1]])
        for key, labels in distinct_labels(rows, "predicted", "dataset", "algorithm").items()
    }
    sizes = np.bincount(group, minlength=len(groups))
    for (dataset, algorithm, label), n in zip(groups.to_numpy(), sizes, strict=True):
        true_label = matches[dataset, algorithm].get(label)
        new.append(true_label or (NO_ANSWER if label.lower() in predictions.EMPTY else label))
        if true_label is None:
            unknown[algorithm, new[-1]] = unknown.get((algorithm, new[-1]), 0) + int(n)
        elif true_label != label:
            pairs[label, true_label] = None
    if new != list(groups["predicted"]):
        texts = instances["predicted"].to_numpy(dtype=object, na_value=None)
        texts[answered] = np.array(new, dtype=object)[group]
        instances = instances.assign(predicted=predictions.to_category(*pd.factorize(texts)))
    return instances, [
        *([message("labels matched", pairs=tuple(pairs))] if pairs else []),
        *([_unknown_note(unknown)] if unknown else []),
    ]


def _unknown_note(unknown: dict[tuple[str, str], int]) -> Message:
    """Return the note on answers that are no true label, from their numbers."""
    counts: dict[str, int] = {}
    for (algorithm, _), n in unknown.items():
        counts[algorithm] = counts.get(algorithm, 0) + n
    labels = tuple(dict.fromkeys(label for _, label in unknown if label != NO_ANSWER))
    has_empty = any(label == NO_ANSWER for _, label in unknown)
    return message("labels unknown", counts=tuple(counts.items()), labels=labels, empty=has_empty)


def _empty_answers(instances: pd.DataFrame) -> np.ndarray:
    """Return a mask of empty labels of algorithms that label most of the only test set.

    In folds, an empty label means a failed run. Instances with a score are not empty answers.
    """
    lacks_label = predictions.lacks_label(instances)
    empty = predictions.missing_predictions(instances) & ~lacks_label
    if "score" in instances:
        empty &= instances["score"].isna().to_numpy()
    if not empty.any() or "instance" not in instances:
        return np.zeros(len(instances), dtype=bool)
    _, sets = predictions.group_numbers(instances, predictions.TEST_SET)
    single = sets.groupby("dataset")["fold"].size() == 1
    run, runs = predictions.group_numbers(instances, ["dataset", "algorithm"])
    is_mostly_labelled = np.bincount(run, empty) < np.bincount(run) / 2
    return empty & (is_mostly_labelled & runs["dataset"].map(single).to_numpy())[run]
