"""Measures of predicted classes, of class scores and of predicted numbers, per test set, and their derivatives."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from stats_core.core.messages import Message, message
from stats_core.core.result_types import cached
from stats_core.data import instance_checks, predictions
from stats_core.data.measures import LOSSES, MACRO_AUC, TOP, case_losses, fold_losses

if TYPE_CHECKING:
    from stats_core.data.results import Results

BY_CLASSES = ("balanced_accuracy", "mcc", "kappa", "macro_f1", "weighted_f1")
OF_NUMBERS = (
    "rmse",
    "mae",
    "r2",
)  # measures of predicted numbers that are functions of sums over instances
OF_SCORES = (*LOSSES, *TOP)  # measures of scores of all classes that are means over instances
_ROUNDED = 0.006  # tolerance of the sum of probabilities, per class
_MOST_CLASSES = 10  # with more different fractions, true values are numbers, not classes
_OFTEN_EQUAL, _CLOSE = (
    0.5,
    0.5,
)  # share of correct labels, and correlation of predicted numbers with true ones


def _over_classes(numbers: np.ndarray) -> np.ndarray:
    return numbers.sum(axis=-1, keepdims=True)


def class_measure_and_gradient(
    measure: str,
    hits: np.ndarray,
    true: np.ndarray,
    predicted: np.ndarray,
    total: Callable[[np.ndarray], np.ndarray] = _over_classes,
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return one of `BY_CLASSES` and its derivatives by `hits`, `true` and `predicted`; NaN where it is undefined.

    These hold the numbers of correct predictions, of instances and of predictions of each class.
    `total` adds numbers over the classes of a test set, by default along the last axis, and returns
    the sum for each class.

    References
    ----------
    Brodersen et al., ICPR 2010, 3121; Gorodkin, Comput. Biol. Chem. 28 (2004) 367; Cohen, Educ. Psychol. Meas. 20
    (1960) 37.

    Examples
    --------
    >>> value, _ = class_measure_and_gradient("kappa", np.array([2.0, 1, 1]), np.array([2.0, 2, 2]), np.array([3.0, 2, 1]))
    >>> value.tolist()
    [0.5]
    """
    n, none = total(true), np.zeros_like(hits, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure == "balanced_accuracy":
            weight = np.where(true > 0, 1 / (true * total(true > 0)), 0.0)
            return total(weight * hits), (
                weight,
                np.where(true > 0, -weight * hits / true, 0.0),
                none,
            )
        if measure in ("macro_f1", "weighted_f1"):
            both = true + predicted
            f = np.where(both > 0, 2 * hits / both, 0.0)
            weight = true / n if measure == "weighted_f1" else (both > 0) / total(both > 0)
            value, by_hit = total(weight * f), np.where(both > 0, weight / both, 0.0)
            by_size = (f - value) / n if measure == "weighted_f1" else none
            return value, (2 * by_hit, by_size - by_hit * f, -by_hit * f)
        chance = total(true * predicted)
        above = n * total(hits) - chance
        by_above = (n + none, total(hits) - predicted, -true)
        if measure == "kappa":
            value = above / (n**2 - chance)
            by_below = (none, 2 * n - predicted, -true)
            return value, tuple(
                (a - value * b) / (n**2 - chance) for a, b in zip(by_above, by_below, strict=True)
            )
        spreads = [n**2 - total(sizes**2) for sizes in (true, predicted)]
        root = np.sqrt(spreads[0] * spreads[1])
        value = above / root
        by_logs = (none, (n - true) / spreads[0] + n / spreads[1], -predicted / spreads[1])
        return value, tuple(a / root - value * b for a, b in zip(by_above, by_logs, strict=True))


def score_classes(
    instances: pd.DataFrame, keys: pd.DataFrame, group: np.ndarray, n_classes: tuple[int, int]
) -> predictions.ScoredFolds:
    """Return `ScoredFolds` of predicted labels and, if each class has a score, of scores; NaN if the run failed.

    `n_classes` are the smallest and the largest number of classes of a data set.
    """
    of_class = {
        predictions.plain_label(name.removeprefix(predictions.CLASS_SCORE)): name
        for name in instances
        if name.startswith(predictions.CLASS_SCORE)
    }
    scores, instances = (
        instances[list(of_class.values())],
        instances.drop(columns=list(of_class.values())),
    )
    n_least, n_most = n_classes
    labels = [str(name) for name in instances["true"].cat.categories]
    codes = {
        name: code
        for code, name in enumerate(
            dict.fromkeys([*labels, *instances["predicted"].cat.categories])
        )
    }
    true, predicted = (
        np.array([*(codes[str(name)] for name in column.categories), len(codes)])[
            column.codes.to_numpy()
        ]
        for column in (instances["true"].cat, instances["predicted"].cat)
    )
    table, notes = (
        fold_class_measures(group, true, predicted),
        [message("several classes", classes=n_most)],
    )
    rows, instances = predictions.without_failed(
        instances, keys, group, dict(table.items()), true == predicted
    )
    if of_class and set(labels) <= set(of_class):
        by_label = {
            predictions.CLASS_SCORE + label: scores[of_class[label]]
            for label in dict.fromkeys([*labels, *of_class])
        }
        matrix = np.stack(list(by_label.values()), axis=1)
        of_scores = fold_score_measures(group, true, matrix, n_least)
        if "instance" in instances:
            instances = instances.assign(**by_label)
        rows[list(of_scores)] = of_scores
        table = table.join(of_scores)
        notes += _infinite_losses(instances, matrix[np.arange(len(true)), true])
    return predictions.ScoredFolds(
        rows=rows, measures=list(table), notes=notes, instances=instances
    )


def _infinite_losses(instances: pd.DataFrame, own: np.ndarray) -> list[Message]:
    """Return a list with the note on true classes of probability 0, [] if there are none."""
    names = instances["algorithm"][own == 0].astype(str).unique()
    return (
        [message("no log loss", names=tuple(sorted(names)), n=int((own == 0).sum()))]
        if len(names)
        else []
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedNumbers:
    """True and predicted numbers of each instance; `doubtful` if they may as well be class labels."""

    true: np.ndarray
    predicted: np.ndarray
    doubtful: bool


def numbers_of(instances: pd.DataFrame) -> PredictedNumbers | None:
    """Return true and predicted values as numbers, None if they are class labels.

    Fractions are numbers unless they are few, or probabilities of classes. More than ten different
    whole numbers are doubtful if the predictions are close to the true values, but seldom equal.
    Raise DataError for predicted texts.
    """
    if "predicted" not in instances or "score" in instances:
        return None
    texts = _texts_of_numbers(instances)
    labels, values = (pd.to_numeric(part, errors="coerce").to_numpy(dtype=float) for part in texts)
    if len(set(labels)) < 3 or not np.isfinite(labels).all():
        return None
    are_many, are_fractions = len(set(labels)) > _MOST_CLASSES, _has_fractions(labels)
    empty = texts[1].str.lower().isin(predictions.EMPTY).to_numpy()
    true_codes, predicted_codes = (
        instances[name].cat.codes.to_numpy() for name in ("true", "predicted")
    )
    bad = ~np.isfinite(values) & ~empty
    if bad.any():
        if are_many and are_fractions:
            raise instance_checks.number_error(instances, np.append(bad, False)[predicted_codes])
        return None
    true, predicted = labels[true_codes], np.append(values, np.nan)[predicted_codes]
    doubtful = not (are_fractions or _has_fractions(values[~empty]))
    if _are_classes(labels, values[~empty], doubtful=doubtful):
        return None
    if doubtful and not _are_close(true, predicted):
        return None
    return PredictedNumbers(true=true, predicted=predicted, doubtful=doubtful)


def _texts_of_numbers(instances: pd.DataFrame) -> list[pd.Series]:
    """Return the distinct true and predicted values as text, with decimal points for commas."""
    texts = [
        pd.Series([str(name) for name in instances[column].cat.categories], dtype=object)
        for column in ("true", "predicted")
    ]
    if pd.concat(texts).str.contains(".", regex=False).any():
        return texts
    return [part.str.replace(",", ".") for part in texts]


def _has_fractions(numbers: np.ndarray) -> bool:
    return bool((numbers != numbers.round()).any())


def _are_classes(labels: np.ndarray, predicted: np.ndarray, *, doubtful: bool) -> bool:
    """Return whether true values are classes; `doubtful` if all numbers are whole."""
    if not len(predicted) or (predicted.min() >= 0 and predicted.max() <= 1 < labels.max()):
        return True
    few = len(set(labels)) <= _MOST_CLASSES
    return few and (doubtful or set(predicted) <= set(labels))


def _are_close(true: np.ndarray, predicted: np.ndarray) -> bool:
    """Return whether the given predictions are close to the true values, but seldom equal."""
    has_number = ~np.isnan(predicted)
    true, predicted = true[has_number], predicted[has_number]
    if np.ptp(predicted) == 0 or (true == predicted).mean() >= _OFTEN_EQUAL:
        return False
    return float(np.corrcoef(true, predicted)[0, 1]) > _CLOSE


def score_numbers(
    instances: pd.DataFrame,
    keys: pd.DataFrame,
    group: np.ndarray,
    true: np.ndarray,
    predicted: np.ndarray,
) -> predictions.ScoredFolds:
    """Return `ScoredFolds` of predicted numbers, NaN if the run failed; the instances get numbers as `predicted`."""
    failed = np.isnan(predicted)
    table = fold_number_measures(group, true, np.where(failed, true, predicted))
    rows, instances = predictions.without_failed(
        instances, keys, group, dict(table.items()), np.ones(len(true), dtype=bool)
    )
    notes = [message("numbers predicted")]
    return predictions.ScoredFolds(
        rows=rows,
        measures=list(table),
        notes=notes,
        instances=instances.assign(predicted=predicted),
    )


def fold_class_measures(group: np.ndarray, true: np.ndarray, predicted: np.ndarray) -> pd.DataFrame:
    """Return error, accuracy and `BY_CLASSES` of each test set, from class codes; NaN where undefined.

    Examples
    --------
    >>> fold_class_measures(np.zeros(4, int), np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])).round(3).iloc[0].to_dict()
    {'error': 0.25, 'accuracy': 0.75, 'balanced_accuracy': 0.833, 'mcc': 0.7, 'kappa': 0.636, 'macro_f1': 0.778, 'weighted_f1': 0.75}
    """
    n_classes = int(max(true.max(), predicted.max())) + 1
    cells = [
        group * np.int64(n_classes) + labels for labels in (true, predicted)
    ]  # test set and class
    used, position = np.unique(np.concatenate(cells), return_inverse=True)
    of_true, of_predicted = position[: len(group)], position[len(group) :]
    hit = true == predicted
    counts = [
        np.bincount(at, minlength=len(used)).astype(float)
        for at in (of_true[hit], of_true, of_predicted)
    ]
    owner = used // n_classes
    first = np.searchsorted(owner, np.arange(int(owner[-1]) + 1))
    accuracy = np.bincount(group, hit) / np.bincount(group)
    table = {"error": np.bincount(group, ~hit) / np.bincount(group), "accuracy": accuracy}

    def within(numbers: np.ndarray) -> np.ndarray:
        return np.bincount(owner, numbers)[owner]

    for measure in BY_CLASSES:
        value, _ = class_measure_and_gradient(measure, counts[0], counts[1], counts[2], within)
        table[measure] = value[first]
    return pd.DataFrame(table)


def fold_score_measures(
    group: np.ndarray, true: np.ndarray, scores: np.ndarray, n_classes: int
) -> pd.DataFrame:
    """Return Brier score, log loss, macro AUC and top-k accuracies of each test set from scores, instance x class.

    Values are NaN for test sets with a missing score of the true class. Other missing scores are of
    classes that a data set lacks. There are no losses if scores are not probabilities, no log loss
    if a true class has probability 0, and no top-k accuracy for k of `n_classes` or more. Macro AUC
    is the unweighted mean over the classes that occur.

    Examples
    --------
    >>> scores = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.4, 0.4, 0.2]])
    >>> fold_score_measures(np.zeros(3, int), np.array([0, 1, 2]), scores, 3).round(3).iloc[0].to_dict()
    {'brier': 0.533, 'logloss': 0.938, 'macro_auc': 0.833, 'top2_accuracy': 0.667}
    """
    own = scores[np.arange(len(true)), true]
    failed = np.bincount(group, np.isnan(own)) > 0
    table = pd.DataFrame(index=range(len(failed)))
    if are_probabilities(scores[~np.isnan(own)], n_classes):
        squares = np.where(failed, np.nan, _means(group, score_values("brier", true, scores)))
        table = fold_losses(group, np.ones(len(true), dtype=bool), own).assign(brier=squares)
    areas = class_areas(group, true, np.where(np.isnan(scores), -np.inf, scores))
    table[MACRO_AUC] = np.where(failed, np.nan, areas.mean(axis=1))
    for measure in [measure for measure, k in TOP.items() if k < n_classes]:
        table[measure] = np.where(
            failed, np.nan, _means(group, score_values(measure, true, scores))
        )
    return table


def are_probabilities(scores: np.ndarray, n_classes: int) -> bool:
    """Return whether the scores of each instance, missing ones left out, are fractions that sum to one."""
    sums_to_one = np.abs(np.nansum(scores, axis=-1) - 1) <= _ROUNDED * n_classes
    return bool(sums_to_one.all() and not ((scores < 0) | (scores > 1)).any())


def class_areas(group: np.ndarray, true: np.ndarray, scores: np.ndarray) -> pd.DataFrame:
    """Return the area under the ROC curve of each class against the rest, test set x class; NaN for absent classes."""
    columns = [
        predictions.fold_areas(group, true == label, column)["auc"]
        for label, column in enumerate(scores.T)
    ]
    return pd.concat(columns, axis=1)


def score_values(measure: str, true: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return one of `OF_SCORES` for each instance, whose mean is the measure; NaN without a score of the true class.

    `scores` are instance x class, with NaN for classes that a data set lacks. A true class whose
    score is tied counts with the probability that it is among the top k in random order. The Brier
    score adds the squared errors of all classes, so that it lies between 0 and 2 (Brier, Mon.
    Weather Rev. 78 (1950) 1).

    Examples
    --------
    >>> scores = np.array([[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.3, 0.3, 0.4]])
    >>> score_values("top2_accuracy", np.array([0, 1, 0]), scores).tolist()
    [1.0, 1.0, 0.5]
    """
    own = scores[np.arange(len(true)), true]
    if measure == "logloss":
        return case_losses(measure, np.ones(len(true), dtype=bool), own)
    if measure == "brier":
        return np.nansum(scores**2, axis=1) + 1 - 2 * own
    higher, equal = (
        (compared(scores, own[:, None])).sum(axis=1) for compared in (np.greater, np.equal)
    )
    return np.where(
        np.isnan(own), np.nan, np.clip((TOP[measure] - higher) / np.maximum(equal, 1), 0, 1)
    )


def fold_number_measures(
    group: np.ndarray, true: np.ndarray, predicted: np.ndarray
) -> pd.DataFrame:
    """Return RMSE, MAE, R2 and median absolute error of each test set; R2 is NaN if all true values are equal.

    Examples
    --------
    >>> fold_number_measures(np.zeros(3, int), np.array([1.0, 2, 3]), np.array([1.0, 2, 5])).round(3).iloc[0].to_list()
    [1.155, 0.667, -1.0, 0.0]
    """
    error = np.abs(predicted - true)
    square = _means(group, error**2)
    variance = _means(group, (true - _means(group, true)[group]) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        explained = np.where(variance > 0, 1 - square / variance, np.nan)
    median = pd.Series(error).groupby(group).median().to_numpy()
    return pd.DataFrame(
        {"rmse": np.sqrt(square), "mae": _means(group, error), "r2": explained, "medae": median}
    )


def _means(group: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the mean of each group, bit-identical for any order of the rows."""
    order = np.lexsort((values, group))
    return np.bincount(group[order], values[order]) / np.bincount(group)


def class_counts(results: "Results") -> dict[str, int]:
    """Return the number of classes of each data set with predicted classes, {} without such predictions."""
    block = results.predictions
    if block is None or "value" in block or pd.api.types.is_float_dtype(block.get("predicted")):
        return {}
    n_classes = (predictions.label_counts(block) > 0).sum(axis=1)
    return {
        str(name): int(n)
        for name, n in n_classes.items()
        if n == 2 or (n > 2 and "positive" not in block)
    }


OTHER = "other"  # predicted labels that are no true labels


@cached
def confusion_matrices(results: "Results", dataset: str) -> dict[str, pd.DataFrame]:
    r"""Return the confusion matrix of each algorithm, true x predicted class, summed over folds; {} without classes.

    Instances without a prediction are left out. Predicted labels that are no true labels form the
    class "other".

    Examples
    --------
    >>> from stats_core.io.read import read_results
    >>> text = b"instance,y,a,b\n1,1,1,0\n2,1,1,0\n3,1,1,1\n4,0,0,0\n5,0,0,0\n6,0,1,0\n"
    >>> confusion_matrices(read_results(("d.csv", text)), "d")["a"].to_numpy().tolist()
    [[2, 1], [0, 3]]
    """
    block = results.predictions
    if block is None or dataset not in class_counts(results):
        return {}
    block = block[(block["dataset"] == dataset).to_numpy() & block["correct"].notna().to_numpy()]
    counts = predictions.label_counts(block)
    labels = [str(name) for name in counts.columns[counts.loc[dataset] > 0]] if len(block) else []
    position = {label: i for i, label in enumerate(labels)}

    def codes(column: pd.Series) -> np.ndarray:
        of_category = [position.get(str(name), len(labels)) for name in column.cat.categories]
        return np.array([*of_category, len(labels)])[column.cat.codes.to_numpy()]

    true = codes(block["true"])
    if "positive" in block:  # of two classes, predictions are right or wrong
        predicted = np.where(block["correct"].to_numpy(dtype=bool), true, 1 - true)
    else:
        predicted = codes(block["predicted"])
    labels += [OTHER] if (predicted == len(labels)).any() else []
    k, matrices = len(labels), {}
    algorithm = block["algorithm"].astype(str).to_numpy()
    for name in results.algorithms:
        rows = algorithm == name
        matrix = np.bincount(true[rows] * k + predicted[rows], minlength=k * k).reshape(k, k)
        axes = (pd.Index(labels, name="true"), pd.Index(labels, name="predicted"))
        matrices[name] = pd.DataFrame(matrix, *axes)
    return matrices


def number_sums(measure: str, true: ArrayLike, predicted: ArrayLike) -> np.ndarray:
    """Return the numbers of each instance whose sums give one of `OF_NUMBERS`: instance x number."""
    true = np.asarray(true, dtype=float)
    error = np.asarray(predicted, dtype=float) - true
    ones, centred = np.ones(len(true)), true - true.mean()
    if measure == "mae":
        return np.stack([np.abs(error), ones], axis=1)
    return np.stack([error**2, ones, *([centred, centred**2] if measure == "r2" else [])], axis=1)


def number_measure_and_gradient(measure: str, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return one of `OF_NUMBERS` from sums of `number_sums` (..., number), and its gradient; NaN where undefined."""
    loss, n = sums[..., 0], sums[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure == "mae":
            return loss / n, np.stack([1 / n, -loss / n**2], axis=-1)
        if measure == "rmse":
            value = np.sqrt(loss / n)
            slope = np.where(value > 0, 1 / (2 * value), 0.0)
            return value, np.stack([slope / n, -slope * loss / n**2], axis=-1)
        mean = sums[..., 2] / n
        spread = sums[..., 3] - n * mean**2
        share = np.where(spread > 0, loss / spread, np.nan)
        return 1 - share, np.stack(
            [-1 / spread, share / spread * mean**2, -2 * share / spread * mean, share / spread], -1
        )
