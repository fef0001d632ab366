"""Predicted labels written in another form than the true labels, and answers that are no label."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

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
    unsigned = plain.removeprefix("+")
    return unsigned if unsigned.isdigit() else plain


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
        true_of_form = _unique({label: form(label) for label in true})
        for label in labels:
            if label not in matches and form(label) in true_of_form:
                matches[label] = true_of_form[form(label)]
    unmatched = [label for label in labels if label not in matches]
    return matches | _matched_by_side(unmatched, labels, true)


def _matched_by_side(
    unmatched: list[str], labels: list[str], true: Collection[str]
) -> dict[str, str]:
    """Return the true labels of unmatched `labels`, if both classes are forms of yes and no."""
    true_of_side = {_side(label): label for label in true}
    if len(true) > 2 or None in true_of_side or len(true_of_side) < len(true):
        return {}
    zeros = {"0", "-1"}
    is_ambiguous = zeros <= {plain_label(label) for label in labels}
    matches = {}
    for label in unmatched:
        side = _side(label)
        if side not in true_of_side or (is_ambiguous and plain_label(label) in zeros):
            continue
        matches[label] = true_of_side[side]
    return matches


def _folded(label: str) -> str:
    return plain_label(label).casefold()


def _side(label: str) -> bool | None:
    """Return whether a label is a form of yes or of no; None if of neither."""
    folded = _folded(label)
    if folded in _POSITIVE:
        return True
    return False if folded in _NEGATIVE else None


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
    if not unknown:
        return False
    never_predicted = set(true) - set(matches.values())
    lacks_class = len(true) == 2 and len(never_predicted) > 0
    return not matches or lacks_class


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
    true_labels = {str(label) for label in counts.columns}
    if not set(labels) <= true_labels:
        return False
    return bool((counts[labels] > 0).all(axis=None))


def match_labels(instances: pd.DataFrame) -> tuple[pd.DataFrame, list[Message]]:
    """Return predictions with predicted labels in the form of the true ones, and notes.

    An empty answer on the only test set is an error if the algorithm labels most of the instances.
    Labels that match no true label stay, and the note counts them.
    """
    if "predicted" not in instances or all_known(instances):
        return instances, []
    is_missing = predictions.missing_predictions(instances) | predictions.lacks_label(instances)
    answered = ~is_missing | _empty_answers(instances)
    if not answered.any():
        return instances, []
    rows = instances.loc[answered, ["dataset", "algorithm", "predicted"]]
    group, groups = predictions.group_numbers(rows, ["dataset", "algorithm", "predicted"])
    n_rows = np.bincount(group, minlength=len(groups))
    match_of_labels = _matches_by_algorithm(instances, rows)
    matched: dict[tuple[str, str], None] = {}  # an ordered set of pairs
    unknown: Counter[tuple[str, str]] = Counter()
    new_labels = []
    for (dataset, algorithm, label), n in zip(groups.to_numpy(), n_rows, strict=True):
        true_label = match_of_labels[dataset, algorithm].get(label)
        new_label = true_label or _readable_answer(label)
        new_labels.append(new_label)
        if true_label is None:
            unknown[algorithm, new_label] += int(n)
        elif true_label != label:
            matched[label, true_label] = None
    if new_labels != list(groups["predicted"]):
        texts = instances["predicted"].to_numpy(dtype=object, na_value=None)
        texts[answered] = np.array(new_labels, dtype=object)[group]
        instances = instances.assign(predicted=predictions.to_category(*pd.factorize(texts)))
    notes = []
    if matched:
        notes.append(message("labels matched", pairs=tuple(matched)))
    if unknown:
        notes.append(_unknown_note(unknown))
    return instances, notes


def _matches_by_algorithm(
    instances: pd.DataFrame, rows: pd.DataFrame
) -> dict[tuple, dict[str, str]]:
    """Return the true label of each predicted label, by data set and algorithm."""
    true_labels = distinct_labels(instances, "true", "dataset")
    predicted = distinct_labels(rows, "predicted", "dataset", "algorithm")
    matches = {}
    for (dataset, algorithm), labels in predicted.items():
        matches[dataset, algorithm] = matched_labels(labels, true_labels[(dataset,)])
    return matches


def _readable_answer(label: str) -> str:
    return NO_ANSWER if label.lower() in predictions.EMPTY else label


def _unknown_note(unknown: Mapping[tuple[str, str], int]) -> Message:
    """Return the note on answers that are no true label, from their numbers."""
    counts: Counter[str] = Counter()
    for (algorithm, _), n in unknown.items():
        counts[algorithm] += n
    labels = dict.fromkeys(label for _, label in unknown)
    has_empty = NO_ANSWER in labels
    named = tuple(label for label in labels if label != NO_ANSWER)
    return message("labels unknown", counts=tuple(counts.items()), labels=named, empty=has_empty)


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
    _, test_sets = predictions.group_numbers(instances, predictions.TEST_SET)
    has_single_set = test_sets.groupby("dataset")["fold"].size() == 1
    run, runs = predictions.group_numbers(instances, ["dataset", "algorithm"])
    n_rows = np.bincount(run)
    n_empty = np.bincount(run, empty)
    is_mostly_labelled = n_empty < n_rows / 2
    on_single_set = runs["dataset"].map(has_single_set).to_numpy()
    return empty & (is_mostly_labelled & on_single_set)[run]
