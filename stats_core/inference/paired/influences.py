"""Measures of one test set, with the influence of each instance."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from stats_core.core.errors import SettingError
from stats_core.data import class_measures, measures
from stats_core.data.class_measures import BY_CLASSES, MACRO_AUC, OF_NUMBERS
from stats_core.data.measures import LOSSES

# measures that are shares of counts: weights of (tp, fp, tn, fn) above and below the line
SHARES = {
    "error": ((0, 1, 0, 1), (1, 1, 1, 1)),
    "accuracy": ((1, 0, 1, 0), (1, 1, 1, 1)),
    "tpr": ((1, 0, 0, 0), (1, 0, 0, 1)),
    "fpr": ((0, 1, 0, 0), (0, 1, 1, 0)),
    "tnr": ((0, 0, 1, 0), (0, 1, 1, 0)),
    "fnr": ((0, 0, 0, 1), (1, 0, 0, 1)),
    "precision": ((1, 0, 0, 0), (1, 1, 0, 0)),
    "f": ((2, 0, 0, 0), (2, 1, 0, 1)),
}
BY_COUNTS = (*SHARES, "balanced_accuracy", "mcc")
BY_RANKS = ("auc", "auc_pr", MACRO_AUC)
MEAN = "mean"  # the mean of one value per instance, such as a graded score
MEANS = (*LOSSES, MEAN)
_FRACTIONS = (*SHARES, "balanced_accuracy", "macro_f1", "weighted_f1", *BY_RANKS)
_CORRELATIONS = ("mcc", "kappa")  # from -1 to 1
# of measures whose values have bounds
LARGEST_DIFFERENCES = {**dict.fromkeys(_FRACTIONS, 1.0), **dict.fromkeys(_CORRELATIONS, 2.0)}
OF_CASES = (*dict.fromkeys((*BY_COUNTS, *BY_CLASSES)), *BY_RANKS, *MEANS, *OF_NUMBERS)


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Value of a measure on one test set, with the influence function of each instance.

    Attributes
    ----------
    value : float
        NaN if undefined, such as a precision without predicted positives; the log loss is infinite
        if a model assigns probability 0 to a true class.
    by_case : array, one per case
        Influence of each case on the value, to first order; they sum to 0, and their squares sum to
        the variance over test sets.
    """

    value: float
    by_case: np.ndarray


def confusion_cell(positive: np.ndarray, called: np.ndarray) -> np.ndarray:
    """Return the confusion-matrix cell of each instance: 0 tp, 1 fp, 2 tn, 3 fn."""
    of_positive = np.where(called, 0, 3)
    of_negative = np.where(called, 1, 2)
    return np.where(positive, of_positive, of_negative)


def measure_and_gradient(measure: str, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return one of `BY_COUNTS` of counts (..., 4) of tp, fp, tn, fn, and its gradient; NaN where undefined.

    Raises SettingError for other measures.

    Examples
    --------
    >>> value, slope = measure_and_gradient("precision", np.array([3.0, 1, 4, 2]))
    >>> float(value), slope.tolist()
    (0.75, [0.0625, -0.1875, 0.0, 0.0])
    """
    counts = np.asarray(counts, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure in SHARES:
            return _share(counts, *SHARES[measure])
        if measure == "balanced_accuracy":
            tpr, tpr_slope = _share(counts, *SHARES["tpr"])
            tnr, tnr_slope = _share(counts, *SHARES["tnr"])
            return (tpr + tnr) / 2, (tpr_slope + tnr_slope) / 2
        if measure == "mcc":
            return _mcc(counts)
    raise SettingError.of("measure without counts", measure=measure, known=BY_COUNTS)


def _share(counts: np.ndarray, above: tuple, below: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Return the ratio of two weighted sums of counts (..., 4), and its gradient."""
    numerator_weights = np.array(above, dtype=float)
    denominator_weights = np.array(below, dtype=float)
    denominator = counts @ denominator_weights
    value = (counts @ numerator_weights) / denominator
    slope = numerator_weights - value[..., None] * denominator_weights
    return value, slope / denominator[..., None]


def _mcc(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Matthews' correlation coefficient of counts (..., 4) of tp, fp, tn, fn, and its gradient."""
    tp, fp, tn, fn = np.moveaxis(counts, -1, 0)
    sums = (tp + fp, tp + fn, tn + fp, tn + fn)
    root = np.sqrt(np.prod(sums, axis=0))
    value = (tp * tn - fp * fn) / root
    members = np.array([[1, 1, 0, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1]])  # of each sum
    inverse_sums = np.stack([1 / total for total in sums], axis=-1)
    log_slope_of_root = inverse_sums @ members / 2
    numerator_slope = np.stack([tn, -fn, tp, -fp], axis=-1)
    slope = numerator_slope / root[..., None] - value[..., None] * log_slope_of_root
    return value, slope


def case_moves(measure: str, positive: np.ndarray, predicted: np.ndarray) -> Moves:
    """Return the value of a measure on one test set, and the influence of each instance.

    `predicted` contains Boolean predictions for measures of counts, else scores, probabilities or,
    for "mean", values. `positive` says whether each instance is positive. For several classes, both
    contain class codes (for macro AUC, `predicted` holds scores, instance x class), and for
    measures of predicted numbers, these numbers. Raises SettingError for other measures than
    `OF_CASES`.

    References
    ----------
    Hampel, J. Am. Stat. Assoc. 69 (1974) 383; for the area under the ROC curve DeLong et al. 1988.

    Examples
    --------
    >>> found = case_moves("error", np.array([1, 1, 0, 0]) == 1, np.array([1, 0, 0, 0]) == 1)
    >>> found.value, found.by_case.tolist()
    (0.25, [-0.0625, 0.1875, -0.0625, -0.0625])
    """
    if measure in OF_NUMBERS:
        sums = class_measures.number_sums(measure, positive, predicted)
        value, slope = class_measures.number_measure_and_gradient(measure, sums.sum(axis=0))
        return Moves(float(value), sums @ slope)
    has_classes = positive.dtype != bool
    if measure in BY_CLASSES and (has_classes or measure not in BY_COUNTS):
        each_once = np.ones((1, len(positive)))
        true_codes = positive.astype(int)
        predicted_codes = predicted.astype(int)
        value, moved = class_value_and_moves(measure, each_once, true_codes, predicted_codes)
        return Moves(float(value[0]), moved[0])
    if measure in BY_COUNTS:
        cell = confusion_cell(positive, predicted)
        value, slope = measure_and_gradient(measure, np.bincount(cell, minlength=4))
        return Moves(float(value), slope[cell])
    if measure not in _OTHERS:
        raise SettingError.of(
            "measure does not come from counts or scores",
            measure=measure,
            known=", ".join(OF_CASES),
        )
    return _OTHERS[measure](positive, predicted)


def class_value_and_moves(
    measure: str, ways: np.ndarray, true: np.ndarray, predicted: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return a measure of several classes by way, and the influence of one instance of each kind, way x kind.

    `ways` holds the numbers of instances of each kind, way x kind. `true` and `predicted` are the
    class codes of each kind.

    Examples
    --------
    >>> value, moved = class_value_and_moves("kappa", np.ones((1, 3)), np.array([0, 1, 2]), np.array([0, 1, 1]))
    >>> value.round(3).tolist(), bool(abs(moved.sum()) < 1e-12)
    ([0.5], True)
    """
    is_hit = true == predicted
    n_classes = int(max(true.max(), predicted.max())) + 1
    is_class = np.eye(n_classes)
    of_true = is_class[true]
    of_predicted = is_class[predicted]
    hits = ways @ (of_true * is_hit[:, None])
    value, slopes = class_measures.class_measure_and_gradient(
        measure, hits, ways @ of_true, ways @ of_predicted
    )
    by_hits, by_true, by_predicted = slopes
    moved = by_hits[:, true] * is_hit + by_true[:, true] + by_predicted[:, predicted]
    return value[:, 0], moved


def cluster_error(by_case: np.ndarray, group: np.ndarray) -> float:
    """Return the standard error of a measure from influences of instances, summed within clusters 0, 1, ....

    Examples
    --------
    >>> cluster_error(np.array([0.1, 0.1, -0.1, -0.1]), np.array([0, 0, 1, 1])).__round__(6)
    0.4
    """
    moved = np.bincount(group, weights=by_case)
    n = len(moved)
    sum_of_squares = (moved**2).sum()
    return float(np.sqrt(sum_of_squares * n / (n - 1)))


def _mean(loss: np.ndarray) -> Moves:
    mean = float(loss.mean())
    if not np.isfinite(mean):
        return Moves(mean, np.zeros(len(loss)))
    return Moves(mean, (loss - mean) / len(loss))


def _area(positive: np.ndarray, score: np.ndarray) -> Moves:
    """Return the area under the ROC curve with the influence of each instance; NaN without both classes."""
    m = int(positive.sum())
    n = len(positive) - m
    if m == 0 or n == 0:
        return Moves(np.nan, np.zeros(len(positive)))
    negative = ~positive
    below_positive = _share_below(score[positive], score[negative])
    above_negative = 1 - _share_below(score[negative], score[positive])
    area = float(below_positive.mean())
    moves = np.empty(len(positive))
    moves[positive] = (below_positive - area) / m
    moves[negative] = (above_negative - area) / n
    return Moves(area, moves)


def _macro_area(true: np.ndarray, scores: np.ndarray) -> Moves:
    """Return the mean area of each class that occurs against the rest, with influences; NaN with only one class.

    `scores` are instance x class; integers are twice their ranks, so that shares of lower scores
    are counted.
    """
    ranks = scores if scores.dtype.kind == "i" else double_ranks(scores)
    labels, own = np.unique(true.astype(int), return_inverse=True)  # Boolean ones would be a mask
    n = len(true)
    k = len(labels)
    if k < 2:
        return Moves(np.nan, np.zeros(n))
    rank_in_class = ranks[:, labels]
    own_rank = rank_in_class[np.arange(n), own]
    # scores of all instances, and of the class itself, in one histogram of ranks per class
    width = 2 * n + 1
    cell = rank_in_class + width * np.arange(k)
    own_cell = own_rank + width * own
    all_below = _cumulated(np.bincount(cell.ravel(), minlength=k * width).reshape(k, width))
    own_below = _cumulated(np.bincount(own_cell, minlength=k * width).reshape(k, width))
    m = np.bincount(own)
    n_others = n - m
    above = 1 - own_below[cell] / m
    above[np.arange(n), own] = (all_below - own_below)[own_cell] / n_others[own]
    is_own = own[:, None] == np.arange(k)
    area = (above * is_own).sum(axis=0) / m
    moves = (above - area) / np.where(is_own, m, n_others)
    return Moves(float(area.mean()), moves.mean(axis=1))


def _cumulated(counts: np.ndarray) -> np.ndarray:
    """Return how many are below each rank, equal ones as half, of class x rank, flattened."""
    return (counts.cumsum(axis=1) - counts / 2).ravel()


def double_ranks(scores: np.ndarray) -> np.ndarray:
    """Return twice the mid-ranks within each column, as integers."""
    return (2 * stats.rankdata(scores, axis=0)).astype(np.int64)


def _share_below(scores: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the share of the other scores below each score, where equal scores count as half."""
    ordered = np.sort(others)
    n_below = np.searchsorted(ordered, scores, "left")
    n_up_to = np.searchsorted(ordered, scores, "right")
    return (n_below + n_up_to) / 2 / len(ordered)


def _area_pr(positive: np.ndarray, score: np.ndarray) -> Moves:
    """Return the trapezoidal precision-recall area, with influences of average precision; NaN without both classes."""
    order = np.argsort(-score, kind="stable")
    is_last = np.append(np.diff(score[order]) != 0, True)  # of equal scores
    last = np.flatnonzero(is_last)
    tp = np.cumsum(positive[order])[last]
    m = tp[-1]
    called = last + 1
    if m in (0, len(score)):
        return Moves(np.nan, np.zeros(len(score)))
    gain = np.diff(tp, prepend=0)
    precision = tp / called
    precision_before = np.append(1.0, precision[:-1])
    average_precision = (gain * precision).sum() / m
    area = (gain * (precision + precision_before)).sum() / 2 / m
    # a case with this score enters every threshold at or below it, as one more called positive
    later = _sum_of_later(gain / called)
    share = _sum_of_later(gain * tp / called**2)
    threshold = np.empty(len(score), dtype=int)
    threshold[order] = np.repeat(np.arange(len(last)), np.diff(last, prepend=-1))
    of_negative = -share[threshold]
    of_positive = later[threshold] - share[threshold] + precision[threshold]
    entered = np.where(positive, of_positive, of_negative)
    return Moves(float(area), (entered - np.where(positive, average_precision, 0.0)) / m)


def _sum_of_later(values: np.ndarray) -> np.ndarray:
    """Return the sum of each value and those after it."""
    return np.cumsum(values[::-1])[::-1]


def _brier(positive: np.ndarray, probability: np.ndarray) -> Moves:
    return _mean(measures.case_losses("brier", positive, probability))


def _log_loss(positive: np.ndarray, probability: np.ndarray) -> Moves:
    return _mean(measures.case_losses("logloss", positive, probability))


def _mean_value(_: np.ndarray, values: np.ndarray) -> Moves:
    return _mean(values)


_OTHERS: dict[str, Callable[[np.ndarray, np.ndarray], Moves]] = {
    "auc": _area,
    "auc_pr": _area_pr,
    MACRO_AUC: _macro_area,
    "brier": _brier,
    "logloss": _log_loss,
    MEAN: _mean_value,
}
