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
# measures of predicted numbers that are functions of sums over instances
OF_NUMBERS = ("rmse", "mae", "r2")
# measures of scores of all classes that are means over instances
OF_SCORES = (*LOSSES, *TOP)
_ROUNDED = 0.006  # tolerance of the sum of probabilities, per class
_MOST_CLASSES = 10  # with more different fractions, true values are numbers, not classes
_OFTEN_EQUAL = 0.5  # share of correct labels
_CLOSE = 0.5  # correlation of predicted numbers with true ones

_Total = Callable[[np.ndarray], np.ndarray]
# the value, and its derivatives by hits, true and predicted
_ValueAndGradient = tuple[np.ndarray, tuple[np.ndarray, ...]]


def _over_classes(numbers: np.ndarray) -> np.ndarray:
    return numbers.sum(axis=-1, keepdims=True)


def class_measure_and_gradient(
    measure: str,
    hits: np.ndarray,
    true: np.ndarray,
    predicted: np.ndarray,
    total: _Total = _over_classes,
) -> _ValueAndGradient:
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
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure == "balanced_accuracy":
            return _balanced_accuracy(hits, true, total)
        if measure in ("macro_f1", "weighted_f1"):
            return _mean_f1(measure, hits, true, predicted, total)
        return _chance_corrected(measure, hits, true, predicted, total)


def _balanced_accuracy(hits: np.ndarray, true: np.ndarray, total: _Total) -> _ValueAndGradient:
    """Return the mean of the recalls of the classes that occur, and its derivatives."""
    n_occurring = total(true > 0)
    weight = np.where(true > 0, 1 / (true * n_occurring), 0.0)
    by_true = np.where(true > 0, -weight * hits / true, 0.0)
    by_predicted = np.zeros_like(hits, dtype=float)
    return total(weight * hits), (weight, by_true, by_predicted)


def _mean_f1(
    measure: str, hits: np.ndarray, true: np.ndarray, predicted: np.ndarray, total: _Total
) -> _ValueAndGradient:
    """Return the macro or the weighted F1, and its derivatives."""
    n = total(true)
    both = true + predicted
    f1 = np.where(both > 0, 2 * hits / both, 0.0)
    is_weighted = measure == "weighted_f1"
    weight = true / n if is_weighted else (both > 0) / total(both > 0)
    value = total(weight * f1)
    share = np.where(both > 0, weight / both, 0.0)
    by_weight = (f1 - value) / n if is_weighted else np.zeros_like(hits, dtype=float)
    return value, (2 * share, by_weight - share * f1, -share * f1)


def _chance_corrected(
    measure: str, hits: np.ndarray, true: np.ndarray, predicted: np.ndarray, total: _Total
) -> _ValueAndGradient:
    """Return kappa or Matthews' correlation, and its derivatives."""
    none = np.zeros_like(hits, dtype=float)
    n = total(true)
    n_hits = total(hits)
    chance = total(true * predicted)
    above_chance = n * n_hits - chance
    numerator_gradient = (n + none, n_hits - predicted, -true)
    if measure == "kappa":
        denominator = n**2 - chance
        value = above_chance / denominator
        denominator_gradient = (none, 2 * n - predicted, -true)
        gradient = tuple(
            (top - value * bottom) / denominator
            for top, bottom in zip(numerator_gradient, denominator_gradient, strict=True)
        )
        return value, gradient
    true_spread = n**2 - total(true**2)
    predicted_spread = n**2 - total(predicted**2)
    denominator = np.sqrt(true_spread * predicted_spread)
    value = above_chance / denominator
    by_true = (n - true) / true_spread + n / predicted_spread
    log_gradient = (none, by_true, -predicted / predicted_spread)  # of the denominator
    gradient = tuple(
        top / denominator - value * bottom
        for top, bottom in zip(numerator_gradient, log_gradient, strict=True)
    )
    return value, gradient


def score_classes(
    instances: pd.DataFrame, keys: pd.DataFrame, group: np.ndarray, n_classes: tuple[int, int]
) -> predictions.ScoredFolds:
    """Return `ScoredFolds` of predicted labels and, if each class has a score, of scores; NaN if the run failed.

    `n_classes` are the smallest and the largest number of classes of a data set.
    """
    n_least, n_most = n_classes
    score_column_of = {
        predictions.plain_label(name.removeprefix(predictions.CLASS_SCORE)): name
        for name in instances
        if name.startswith(predictions.CLASS_SCORE)
    }
    score_columns = list(score_column_of.values())
    scores = instances[score_columns]
    instances = instances.drop(columns=score_columns)
    labels = [str(name) for name in instances["true"].cat.categories]
    true, predicted = _class_codes(instances)
    table = fold_class_measures(group, true, predicted)
    notes = [message("several classes", classes=n_most)]
    of_labels = dict(table.items())
    rows, instances = predictions.without_failed(
        instances, keys, group, of_labels, true == predicted
    )
    if score_column_of and set(labels) <= set(score_column_of):
        score_of_class = {
            predictions.CLASS_SCORE + label: scores[score_column_of[label]]
            for label in dict.fromkeys([*labels, *score_column_of])
        }
        matrix = np.stack(list(score_of_class.values()), axis=1)
        of_scores = fold_score_measures(group, true, matrix, n_least)
        if "instance" in instances:
            instances = instances.assign(**score_of_class)
        rows[list(of_scores)] = of_scores
        table = table.join(of_scores)
        score_of_true = matrix[np.arange(len(true)), true]
        notes += _infinite_losses(instances, score_of_true)
    return predictions.ScoredFolds(
        rows=rows, measures=list(table), notes=notes, instances=instances
    )


def _class_codes(instances: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return true and predicted class codes, true labels first; the highest is a missing label."""
    true = instances["true"].cat
    predicted = instances["predicted"].cat
    labels = dict.fromkeys(str(name) for name in [*true.categories, *predicted.categories])
    code_of = {label: code for code, label in enumerate(labels)}
    codes = []
    for column in (true, predicted):
        code_of_category = [code_of[str(name)] for name in column.categories]
        code_of_category.append(len(code_of))  # category -1 takes the last
        codes.append(np.array(code_of_category)[column.codes.to_numpy()])
    return codes[0], codes[1]


def _infinite_losses(instances: pd.DataFrame, own: np.ndarray) -> list[Message]:
    """Return a list with the note on true classes of probability 0, [] if there are none."""
    is_impossible = own == 0
    names = sorted(instances["algorithm"][is_impossible].astype(str).unique())
    if not names:
        return []
    return [message("no log loss", names=tuple(names), n=int(is_impossible.sum()))]


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
    true_texts, predicted_texts = _texts_of_numbers(instances)
    labels = pd.to_numeric(true_texts, errors="coerce").to_numpy(dtype=float)
    values = pd.to_numeric(predicted_texts, errors="coerce").to_numpy(dtype=float)
    n_labels = len(set(labels))
    if n_labels < 3 or not np.isfinite(labels).all():
        return None
    are_fractions = _has_fractions(labels)
    predicted_codes = instances["predicted"].cat.codes.to_numpy()
    is_empty = predicted_texts.str.lower().isin(predictions.EMPTY).to_numpy()
    is_text = ~np.isfinite(values) & ~is_empty
    if is_text.any():
        if n_labels > _MOST_CLASSES and are_fractions:
            wrong = np.append(is_text, False)[predicted_codes]
            raise instance_checks.number_error(instances, wrong)
        return None
    true = labels[instances["true"].cat.codes.to_numpy()]
    predicted = np.append(values, np.nan)[predicted_codes]
    doubtful = not (are_fractions or _has_fractions(values[~is_empty]))
    if _are_classes(labels, values[~is_empty], doubtful=doubtful):
        return None
    if doubtful and not _are_close(true, predicted):
        return None
    return PredictedNumbers(true=true, predicted=predicted, doubtful=doubtful)


def _texts_of_numbers(instances: pd.DataFrame) -> list[pd.Series]:
    """Return the distinct true and predicted values as text, with decimal points for commas."""
    texts = []
    for column in ("true", "predicted"):
        names = [str(name) for name in instances[column].cat.categories]
        texts.append(pd.Series(names, dtype=object))
    if pd.concat(texts).str.contains(".", regex=False).any():
        return texts
    return [part.str.replace(",", ".") for part in texts]


def _has_fractions(numbers: np.ndarray) -> bool:
    return bool((numbers != numbers.round()).any())


def _are_classes(labels: np.ndarray, predicted: np.ndarray, *, doubtful: bool) -> bool:
    """Return whether true values are classes; `doubtful` if all numbers are whole."""
    if not len(predicted):
        return True
    are_probabilities = predicted.min() >= 0 and predicted.max() <= 1 < labels.max()
    if are_probabilities:
        return True
    are_few = len(set(labels)) <= _MOST_CLASSES
    return are_few and (doubtful or set(predicted) <= set(labels))


def _are_close(true: np.ndarray, predicted: np.ndarray) -> bool:
    """Return whether the given predictions are close to the true values, but seldom equal."""
    has_number = ~np.isnan(predicted)
    true = true[has_number]
    predicted = predicted[has_number]
    if np.ptp(predicted) == 0 or (true == predicted).mean() >= _OFTEN_EQUAL:
        return False
    correlation = float(np.corrcoef(true, predicted)[0, 1])
    return correlation > _CLOSE


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
    all_correct = np.ones(len(true), dtype=bool)
    numbers = dict(table.items())
    rows, instances = predictions.without_failed(instances, keys, group, numbers, all_correct)
    return predictions.ScoredFolds(
        rows=rows,
        measures=list(table),
        notes=[message("numbers predicted")],
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
    first_cell = group * np.int64(n_classes)  # a cell is a test set and a class
    cells = np.concatenate([first_cell + true, first_cell + predicted])
    used, position = np.unique(cells, return_inverse=True)
    of_true = position[: len(group)]
    of_predicted = position[len(group) :]
    is_hit = true == predicted
    hits = np.bincount(of_true[is_hit], minlength=len(used)).astype(float)
    true_sizes = np.bincount(of_true, minlength=len(used)).astype(float)
    predicted_sizes = np.bincount(of_predicted, minlength=len(used)).astype(float)
    test_set = used // n_classes
    n_sets = int(test_set[-1]) + 1
    first = np.searchsorted(test_set, np.arange(n_sets))

    def within(numbers: np.ndarray) -> np.ndarray:
        return np.bincount(test_set, numbers)[test_set]

    n_instances = np.bincount(group)
    table = {
        "error": np.bincount(group, ~is_hit) / n_instances,
        "accuracy": np.bincount(group, is_hit) / n_instances,
    }
    for measure in BY_CLASSES:
        value, _ = class_measure_and_gradient(measure, hits, true_sizes, predicted_sizes, within)
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
    score_of_true = scores[np.arange(len(true)), true]
    is_failed = np.isnan(score_of_true)
    failed = np.bincount(group, is_failed) > 0

    def means_of(measure: str) -> np.ndarray:
        means = _means(group, score_values(measure, true, scores))
        return np.where(failed, np.nan, means)

    table = pd.DataFrame(index=range(len(failed)))
    if are_probabilities(scores[~is_failed], n_classes):
        all_positive = np.ones(len(true), dtype=bool)
        losses = fold_losses(group, all_positive, score_of_true)
        table = losses.assign(brier=means_of("brier"))
    areas = class_areas(group, true, np.where(np.isnan(scores), -np.inf, scores))
    table[MACRO_AUC] = np.where(failed, np.nan, areas.mean(axis=1))
    for measure, k in TOP.items():
        if k < n_classes:
            table[measure] = means_of(measure)
    return table


def are_probabilities(scores: np.ndarray, n_classes: int) -> bool:
    """Return whether the scores of each instance, missing ones left out, are fractions that sum to one."""
    deviation_of_sum = np.abs(np.nansum(scores, axis=-1) - 1)
    is_outside = (scores < 0) | (scores > 1)
    sums_to_one = deviation_of_sum <= _ROUNDED * n_classes
    return bool(sums_to_one.all() and not is_outside.any())


def class_areas(group: np.ndarray, true: np.ndarray, scores: np.ndarray) -> pd.DataFrame:
    """Return the area under the ROC curve of each class against the rest, test set x class; NaN for absent classes."""
    columns = []
    for label, score in enumerate(scores.T):
        areas = predictions.fold_areas(group, true == label, score)
        columns.append(areas["auc"])
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
    score_of_true = scores[np.arange(len(true)), true]
    if measure == "logloss":
        return case_losses(measure, np.ones(len(true), dtype=bool), score_of_true)
    if measure == "brier":
        return np.nansum(scores**2, axis=1) + 1 - 2 * score_of_true
    n_higher = (scores > score_of_true[:, None]).sum(axis=1)
    n_equal = (scores == score_of_true[:, None]).sum(axis=1)
    n_left = TOP[measure] - n_higher  # places among the top k for the tied classes
    chance = np.clip(n_left / np.maximum(n_equal, 1), 0, 1)
    return np.where(np.isnan(score_of_true), np.nan, chance)


def fold_number_measures(
    group: np.ndarray, true: np.ndarray, predicted: np.ndarray
) -> pd.DataFrame:
    """Return RMSE, MAE, R2 and median absolute error of each test set; R2 is NaN if all true values are equal.

    Examples
    --------
    >>> fold_number_measures(np.zeros(3, int), np.array([1.0, 2, 3]), np.array([1.0, 2, 5])).round(3).iloc[0].to_list()
    [1.155, 0.667, -1.0, 0.0]
    """
    absolute_error = np.abs(predicted - true)
    mean_square = _means(group, absolute_error**2)
    mean_of_group = _means(group, true)
    variance = _means(group, (true - mean_of_group[group]) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        explained = np.where(variance > 0, 1 - mean_square / variance, np.nan)
    columns = {
        "rmse": np.sqrt(mean_square),
        "mae": _means(group, absolute_error),
        "r2": explained,
        "medae": pd.Series(absolute_error).groupby(group).median().to_numpy(),
    }
    return pd.DataFrame(columns)


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
    is_binary = "positive" in block
    counts = {}
    for name, n in n_classes.items():
        if n == 2 or (n > 2 and not is_binary):
            counts[str(name)] = int(n)
    return counts


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
    on_dataset = (block["dataset"] == dataset).to_numpy()
    is_predicted = block["correct"].notna().to_numpy()
    block = block[on_dataset & is_predicted]
    counts = predictions.label_counts(block)
    labels: list[str] = []
    if len(block):
        labels = [str(name) for name in counts.columns[counts.loc[dataset] > 0]]
    true = _positions(block["true"], labels)
    if "positive" in block:  # of two classes, predictions are right or wrong
        is_correct = block["correct"].to_numpy(dtype=bool)
        predicted = np.where(is_correct, true, 1 - true)
    else:
        predicted = _positions(block["predicted"], labels)
    has_other = (predicted == len(labels)).any()
    if has_other:
        labels.append(OTHER)
    k = len(labels)
    cell = true * k + predicted
    algorithm = block["algorithm"].astype(str).to_numpy()
    matrices = {}
    for name in results.algorithms:
        matrix = np.bincount(cell[algorithm == name], minlength=k * k).reshape(k, k)
        matrices[name] = pd.DataFrame(
            matrix, index=pd.Index(labels, name="true"), columns=pd.Index(labels, name="predicted")
        )
    return matrices


def _positions(column: pd.Series, labels: list[str]) -> np.ndarray:
    """Return the position of each value among `labels`; their number if it is none of them."""
    position_of = {label: position for position, label in enumerate(labels)}
    n_labels = len(labels)
    positions = [position_of.get(str(name), n_labels) for name in column.cat.categories]
    positions.append(n_labels)  # code -1 takes the last
    return np.array(positions)[column.cat.codes.to_numpy()]


def number_sums(measure: str, true: ArrayLike, predicted: ArrayLike) -> np.ndarray:
    """Return the numbers of each instance whose sums give one of `OF_NUMBERS`: instance x number."""
    true = np.asarray(true, dtype=float)
    error = np.asarray(predicted, dtype=float) - true
    ones = np.ones(len(true))
    if measure == "mae":
        return np.stack([np.abs(error), ones], axis=1)
    numbers = [error**2, ones]
    if measure == "r2":
        centred = true - true.mean()
        numbers += [centred, centred**2]
    return np.stack(numbers, axis=1)


def number_measure_and_gradient(measure: str, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return one of `OF_NUMBERS` from sums of `number_sums` (..., number), and its gradient; NaN where undefined."""
    loss = sums[..., 0]
    n = sums[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure == "mae":
            return loss / n, np.stack([1 / n, -loss / n**2], axis=-1)
        if measure == "rmse":
            value = np.sqrt(loss / n)
            slope = np.where(value > 0, 1 / (2 * value), 0.0)
            return value, np.stack([slope / n, -slope * loss / n**2], axis=-1)
        mean = sums[..., 2] / n
        spread = sums[..., 3] - n * mean**2
        unexplained = np.where(spread > 0, loss / spread, np.nan)
        by_loss = -1 / spread
        by_n = unexplained / spread * mean**2
        by_sum = -2 * unexplained / spread * mean
        by_squares = unexplained / spread
        return 1 - unexplained, np.stack([by_loss, by_n, by_sum, by_squares], axis=-1)
