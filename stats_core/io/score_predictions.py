"""Fold results from predictions of instances: counts, areas under curves, losses and error."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stats_core.core.errors import NeedsMapping
from stats_core.core.messages import Message, message
from stats_core.data.fold_curves import fold_areas
from stats_core.data.measures import LOSSES, case_losses
from stats_core.data.predictions import FOLD, first_places, group_numbers, rename_categories
from stats_core.data.row_checks import natural_order
from stats_core.io.instance_checks import check_instances, check_labels, missing_predictions
from stats_core.io.mapping import Mapping
from stats_core.io.parse_layout import CLASS_SCORE
from stats_core.io.problems import data_error, problem_of
from stats_core.io.text_cells import plain_label

_POSITIVE = ("1", "1.0", "+1", "pos", "positive", "yes", "true", "t", "y", "case", "+")
_COARSE, _FINE = 2.0**-19, 2.0**-49  # see `_loss_sums`
_ROWS = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredFolds:
    """Fold results computed from predictions.

    Attributes
    ----------
    rows : DataFrame
        One row per fold: counts, or error if there are more than two classes, and areas.
    measures : list of str
        The measures among its columns.
    notes : list of Message
    Notes on what was inferred.
    instances : DataFrame
        The instances with `correct`, missing if the run failed; `positive`,
        whether the true label is the positive class (two classes); `score`, higher meaning
        more positive.
    """

    rows: pd.DataFrame
    measures: list[str]
    notes: list[Message]
    instances: pd.DataFrame


def fold_rows(instances: pd.DataFrame, mapping: Mapping, file: str) -> ScoredFolds:
    """Return counts, areas and losses (two classes) or error (more) of each fold."""
    group, keys = group_numbers(instances, FOLD)
    first = first_places(group)
    keys["line"] = instances.index.take(first).to_numpy()  # take() keeps a range index
    keys["file"] = instances["file"].iloc[first].astype(str).to_numpy()
    check_instances(instances, group, keys)
    for name in ("true", "predicted"):
        if name in instances:
            instances[name] = rename_categories(instances[name], plain_label)
    check_labels(instances)
    label_counts = _label_counts(instances)
    n_classes = int((label_counts > 0).sum(axis=1).max())
    if n_classes > 2 and not mapping.positive:
        return _several_classes(instances, group, keys, label_counts, file)
    positive_class = {name: _positive_class(row, mapping.positive, file) for name, row in label_counts.iterrows()}
    actual = _is_class(instances, positive_class)
    instances, notes = _one_score(instances, positive_class, mapping.score_direction)
    predicted_positive, thresholds = _called(instances, positive_class)
    failed = missing_predictions(instances)
    rows = keys.assign(**case_counts(group, actual, predicted_positive))
    has_failed = np.bincount(group[failed], minlength=len(keys)) > 0
    if has_failed.any():
        rows.loc[has_failed, ["tp", "fp", "tn", "fn"]] = np.nan
    notes = [_positive_note(positive_class, label_counts), *notes, *_threshold_notes(thresholds)]
    measures = []
    if "score" in instances:
        areas = _areas(instances["score"].to_numpy(), group, actual)
        rows[["auc", "auc_pr"]] = areas
        measures = ["auc", "auc_pr"]
        notes += _below_one_half(areas["auc"])
        losses, infinite = _losses(instances, group, actual)
        rows[list(losses)] = losses
        measures += list(losses)
        notes += infinite
    correct = pd.array(actual == predicted_positive, dtype="boolean")
    correct[failed] = pd.NA
    return ScoredFolds(
        rows=rows, measures=measures, notes=notes, instances=instances.assign(correct=correct, positive=actual)
    )


def _label_counts(instances: pd.DataFrame) -> pd.DataFrame:
    """Return the number of each label per data set: data set x label in natural order."""
    data, label = instances["dataset"].cat, instances["true"].cat
    sets, labels = list(data.categories), list(label.categories)
    cell_index = data.codes.to_numpy().astype(np.int32) * len(labels) + label.codes.to_numpy()
    counts = np.bincount(cell_index, minlength=len(sets) * len(labels)).reshape(len(sets), -1)
    table = pd.DataFrame(counts, index=sets, columns=labels)
    return table.loc[table.sum(axis=1) > 0, list(natural_order(labels))]


def _positive_class(counts: pd.Series, positive: str, file: str) -> str:
    """Return the positive class: as set, by a usual name, or the rarer class."""
    classes = [str(name) for name in counts.index[counts > 0]]
    if positive:
        if positive not in classes:
            raise data_error("unknown positive class", file, classes=classes, positive=positive)
        return positive
    named = [name for name in classes if name.lower() in _POSITIVE]
    rarest = min(classes, key=lambda name: (counts[name], -classes.index(name)))
    return named[0] if len(named) == 1 else rarest


def _is_class(instances: pd.DataFrame, chosen: dict[str, str], column: str = "true") -> np.ndarray:
    """Return a mask of instances whose label is the positive class of their data set."""
    data, label = instances["dataset"].cat, instances[column].cat
    labels = {str(name): code for code, name in enumerate(label.categories)}
    class_codes = [labels.get(chosen.get(str(name), ""), -2) for name in data.categories]
    return label.codes.to_numpy() == np.array(class_codes, dtype=np.int32)[data.codes.to_numpy()]


def _one_score(instances: pd.DataFrame, chosen: dict[str, str], direction: str) -> tuple[pd.DataFrame, list[Message]]:
    """Return the instances with one score, higher meaning more positive, and notes."""
    of_class = [name for name in instances if str(name).startswith(CLASS_SCORE)]
    if of_class and "score" not in instances:
        data = instances["dataset"].astype(str).map(chosen)
        score = pd.Series(np.nan, index=instances.index)
        for name in of_class:
            label = plain_label(name.removeprefix(CLASS_SCORE))  # labels are normalized already
            score = score.mask(data == label, instances[name])
        return instances.drop(columns=of_class).assign(score=score), [message("score is probability")]
    instances = instances.drop(columns=of_class)
    if "score" not in instances:
        return instances, []
    inferred = direction or _direction_of_labels(instances, chosen)
    if inferred != "lower":
        return instances, [message("higher scores positive")]
    score = instances["score"]
    flipped = 1 - score if score.min() >= 0 and score.max() <= 1 else -score
    formula = "1 - score" if flipped.min() >= 0 else "-score"
    note = message("lower scores positive", told=bool(direction), now=formula)
    return instances.assign(score=flipped), [note]


def _direction_of_labels(instances: pd.DataFrame, chosen: dict[str, str]) -> str:
    """Return which scores the predicted positives have, "" without predicted labels."""
    if "predicted" not in instances:
        return ""
    score = instances["score"].to_numpy()
    known = ~np.isnan(score)
    predicted_positive = _is_class(instances, chosen, "predicted")[known]
    if predicted_positive.all() or not predicted_positive.any():
        return ""
    score = score[known]
    return "higher" if score[predicted_positive].mean() >= score[~predicted_positive].mean() else "lower"


def _called(instances: pd.DataFrame, chosen: dict[str, str]) -> tuple[np.ndarray, set[float | None]]:
    """Return which instances are predicted positive, and the score thresholds used."""
    if "predicted" in instances:
        return _is_class(instances, chosen, "predicted"), {None}
    scores = instances["score"]
    if scores.min() >= 0 and scores.max() <= 1:
        return scores.to_numpy() >= 0.5, {0.5}
    # each algorithm may have its own scale
    block, _ = group_numbers(instances, ["dataset", "algorithm"])
    are_probabilities = np.bincount(block, weights=(scores < 0) | (scores > 1)) == 0
    threshold = np.where(are_probabilities, 0.5, 0.0)[block]
    return scores.to_numpy() >= threshold, set(np.unique(threshold).tolist())


def _areas(score: np.ndarray, group: np.ndarray, actual: np.ndarray) -> pd.DataFrame:
    """Return the areas under the curves of every fold, NaN if the run failed."""
    failed = np.isnan(score)
    areas = fold_areas(group, actual, np.where(failed, 0.0, score) if failed.any() else score)
    areas = areas[["auc", "auc_pr"]]
    has_failed = np.bincount(group[failed], minlength=len(areas)) > 0
    areas[has_failed] = np.nan
    return areas


def _loss_sums(name: str, group: np.ndarray, actual: np.ndarray, probability: np.ndarray) -> np.ndarray:
    """Return the summed loss of each group, bit for bit independent of the row order.

    Each loss is cut into two multiples of powers of two. Sums of either are exact in any order, as
    long as they are below 2**53 such multiples: up to 2**23 losses of at most 745, -log(5e-324).
    """
    n_groups = int(group.max()) + 1
    sums = np.zeros((2, n_groups))
    for start in range(0, len(group), _ROWS):  # process blocks of rows to limit memory
        part = slice(start, start + _ROWS)
        values = case_losses(name, actual[part], probability[part])
        coarse = np.rint(values / _COARSE) * _COARSE
        fine = np.rint((values - coarse) / _FINE) * _FINE
        sums[0] += np.bincount(group[part], coarse, minlength=n_groups)
        sums[1] += np.bincount(group[part], fine, minlength=n_groups)
    return sums.sum(axis=0)


def _losses(instances: pd.DataFrame, group: np.ndarray, actual: np.ndarray) -> tuple[pd.DataFrame, list[Message]]:
    """Return Brier score and log loss of every fold if scores are probabilities.

    NaN if the run failed. Log loss is left out if a true class has probability 0.
    """
    score = instances["score"].to_numpy()
    failed = np.isnan(score)
    low, high = np.fmin.reduce(score), np.fmax.reduce(score)
    if not (low >= 0 and high <= 1):  # NaN, if no score is known, fails both comparisons
        return pd.DataFrame(index=range(int(group.max()) + 1)), []
    probability = np.where(failed, 0.5, score) if failed.any() else score
    has_failed, n = (np.bincount(group[failed], minlength=int(group.max()) + 1) > 0, np.bincount(group))
    # probability 0 of a positive instance, or 1 of a negative one
    wrong = probability == ~actual if low == 0 or high == 1 else np.zeros(1, dtype=bool)
    names = [name for name in LOSSES if name != "logloss" or not wrong.any()]
    with ThreadPoolExecutor() as pool:  # numpy releases the GIL
        sums = pool.map(lambda name: _loss_sums(name, group, actual, probability), names)
        losses = {name: np.where(has_failed, np.nan, sum_ / n) for name, sum_ in zip(names, sums, strict=True)}
    if not wrong.any():
        return pd.DataFrame(losses), []
    names = instances["algorithm"][wrong].astype(str).unique()
    return pd.DataFrame(losses), [message("no log loss", names=tuple(sorted(names)), n=int(wrong.sum()))]


def _positive_note(chosen: dict[str, str], label_counts: pd.DataFrame) -> Message:
    shares = [label_counts.at[name, label] / label_counts.loc[name].sum() for name, label in chosen.items()]
    return message(
        "positive class",
        classes=tuple(sorted(set(chosen.values()))),
        least=float(min(shares)),
        most=float(max(shares)),
        others=bool(((label_counts > 0).sum(axis=1) > 2).any()),
    )


def _threshold_notes(thresholds: set[float | None]) -> list[Message]:
    used_thresholds = tuple(sorted(value for value in thresholds if value is not None))
    return [message("score counts as positive", thresholds=used_thresholds)] if used_thresholds else []


def _below_one_half(areas: pd.Series) -> list[Message]:
    mean = float(areas.mean())
    return [message("areas below chance", mean=mean, where="below")] if mean < 0.5 else []


def case_counts(group: np.ndarray, actual: np.ndarray, called: np.ndarray) -> dict[str, np.ndarray]:
    """Return tp, fp, tn and fn of every fold."""
    cell_index = group * 4
    cell_index += actual * np.int8(2)
    cell_index += called
    counts = np.bincount(cell_index, minlength=4 * (int(group.max()) + 1)).reshape(-1, 4).astype(float)
    return {"tp": counts[:, 3], "fp": counts[:, 1], "tn": counts[:, 0], "fn": counts[:, 2]}


def _several_classes(
    instances: pd.DataFrame, group: np.ndarray, keys: pd.DataFrame, label_counts: pd.DataFrame, file: str
) -> ScoredFolds:
    classes = int((label_counts > 0).sum(axis=1).max())
    if "predicted" not in instances:
        raise _ask_for_class(instances, label_counts, file)
    of_class = [name for name in instances if str(name).startswith(CLASS_SCORE)]
    instances = instances.drop(columns=of_class)
    labels = {str(name): code for code, name in enumerate(instances["true"].cat.categories)}
    predicted = instances["predicted"].cat
    codes = np.array([labels.get(str(name), -2) for name in predicted.categories])
    is_correct = instances["true"].cat.codes.to_numpy() == codes[predicted.codes.to_numpy()]
    failed = missing_predictions(instances)
    error = np.bincount(group, weights=~is_correct) / np.bincount(group)
    error[np.bincount(group[failed], minlength=len(keys)) > 0] = np.nan
    correct = pd.array(is_correct, dtype="boolean")
    correct[failed] = pd.NA
    return ScoredFolds(
        rows=keys.assign(error=error),
        measures=["error"],
        notes=[message("several classes", classes=classes)],
        instances=instances.assign(correct=correct),
    )


def _ask_for_class(instances: pd.DataFrame, label_counts: pd.DataFrame, file: str) -> NeedsMapping:
    """Return the question which class the scores refer to."""
    classes = [str(name) for name in label_counts.columns[(label_counts > 0).any()]]
    return NeedsMapping(
        [problem_of("class of scores", file, n=len(classes), classes=classes)],
        guess=Mapping(),
        preview=instances.head(8),
        question="Which class do the scores speak for?",
        classes=tuple(classes),
    )
