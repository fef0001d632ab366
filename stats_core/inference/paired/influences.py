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
LARGEST_DIFFERENCES = {  # of measures whose values have bounds
    **dict.fromkeys((*SHARES, "balanced_accuracy", "macro_f1", "weighted_f1", *BY_RANKS), 1.0),
    **dict.fromkeys(("mcc", "kappa"), 2.0),
}
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
    return np.where(called, np.where(positive, 0, 1), np.where(positive, 3, 2))


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
            both = [_share(counts, *SHARES[name]) for name in ("tpr", "tnr")]
            return (both[0][0] + both[1][0]) / 2, (both[0][1] + both[1][1]) / 2
        if measure == "mcc":
            return _mcc(counts)
    raise SettingError.of("measure without counts", measure=measure, known=BY_COUNTS)


def _share(counts: np.ndarray, above: tuple, below: tuple) -> tuple[np.ndarray, np.ndarray]:
    top, bottom = counts @ np.array(above, dtype=float), counts @ np.array(below, dtype=float)
    value = top / bottom
    return value, (np.array(above) - value[..., None] * np.array(below)) / bottom[..., None]


def _mcc(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Matthews' correlation coefficient of counts (..., 4) of tp, fp, tn, fn, and its gradient."""
    tp, fp, tn, fn = np.moveaxis(counts, -1, 0)
    sums = (tp + fp, tp + fn, tn + fp, tn + fn)
    root = np.sqrt(np.prod(sums, axis=0))
    value = (tp * tn - fp * fn) / root
    members = np.array([[1, 1, 0, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1]])
    logs = np.stack([1 / total for total in sums], axis=-1) @ members / 2
    slope = np.stack([tn, -fn, tp, -fp], axis=-1) / root[..., None] - value[..., None] * logs
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
    if measure in BY_CLASSES and (positive.dtype != bool or measure not in BY_COUNTS):
        codes = positive.astype(int), predicted.astype(int)
        value, moved = class_value_and_moves(measure, np.ones((1, len(positive))), *codes)
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
    hit = true == predicted
    members = [
        np.eye(int(max(true.max(), predicted.max())) + 1)[labels]
        for labels in (true, true, predicted)
    ]
    members[0] = members[0] * hit[:, None]
    value, slopes = class_measures.class_measure_and_gradient(
        measure, *(ways @ member for member in members)
    )
    moved = slopes[0][:, true] * hit + slopes[1][:, true] + slopes[2][:, predicted]
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
    return float(np.sqrt((moved**2).sum() * n / (n - 1)))


def _mean(loss: np.ndarray) -> Moves:
    mean = float(loss.mean())
    return Moves(mean, (loss - mean) / len(loss) if np.isfinite(mean) else np.zeros(len(loss)))


def _area(positive: np.ndarray, score: np.ndarray) -> Moves:
    """Return the area under the ROC curve with the influence of each instance; NaN without both classes."""
    m = int(positive.sum())
    n = len(positive) - m
    if not (m and n):
        return Moves(np.nan, np.zeros(len(positive)))
    below, above = (
        _share_below(score[positive], score[~positive]),
        1 - _share_below(score[~positive], score[positive]),
    )
    area = float(below.mean())
    moves = np.empty(len(positive))
    moves[positive], moves[~positive] = (below - area) / m, (above - area) / n
    return Moves(area, moves)


def _macro_area(true: np.ndarray, scores: np.ndarray) -> Moves:
    """Return the mean area of each class that occurs against the rest, with influences; NaN with only one class.

    `scores` are instance x class; integers are twice their ranks, so that shares of lower scores
    are counted.
    """
    ranks = scores if scores.dtype.kind == "i" else double_ranks(scores)
    labels, own = np.unique(true.astype(int), return_inverse=True)  # Boolean ones would be a mask
    n, k = len(true), len(labels)
    if k < 2:
        return Moves(np.nan, np.zeros(n))
    width, of_class = 2 * n + 1, ranks[:, labels]
    places, mine = of_class + width * np.arange(k), of_class[np.arange(n), own] + width * own
    counts = np.stack(
        [np.bincount(index, minlength=k * width) for index in (places.ravel(), mine)]
    ).reshape(2, k, width)
    below = (counts.cumsum(axis=2) - counts / 2).reshape(
        2, -1
    )  # all and own scores below, equal ones as half
    m = np.bincount(own)
    above = 1 - below[1][places] / m
    above[np.arange(n), own] = (below[0] - below[1])[mine] / (n - m)[own]
    is_own = own[:, None] == np.arange(k)
    area = (above * is_own).sum(axis=0) / m
    return Moves(float(area.mean()), ((above - area) / np.where(is_own, m, n - m)).mean(axis=1))


def double_ranks(scores: np.ndarray) -> np.ndarray:
    """Return twice the mid-ranks within each column, as integers."""
    return (2 * stats.rankdata(scores, axis=0)).astype(np.int64)


def _share_below(scores: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the share of the other scores below each score, where equal scores count as half."""
    ordered = np.sort(others)
    return (
        (np.searchsorted(ordered, scores) + np.searchsorted(ordered, scores, "right"))
        / 2
        / len(ordered)
    )


def _area_pr(positive: np.ndarray, score: np.ndarray) -> Moves:
    """Return the trapezoidal precision-recall area, with influences of average precision; NaN without both classes."""
    order = np.argsort(-score, kind="stable")
    last = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))  # of equal scores
    tp = np.cumsum(positive[order])[last]
    m, called = tp[-1], last + 1
    if m in (0, len(score)):
        return Moves(np.nan, np.zeros(len(score)))
    precision, gain = tp / called, np.diff(tp, prepend=0)
    mean = (gain * precision).sum() / m
    area = (gain * (precision + np.append(1.0, precision[:-1]))).sum() / 2 / m
    # a case with this score enters every threshold at or below it, as one more called positive
    later = np.cumsum((gain / called)[::-1])[::-1]
    share = np.cumsum((gain * tp / called**2)[::-1])[::-1]
    positions = np.empty(len(score), dtype=int)
    positions[order] = np.repeat(np.arange(len(last)), np.diff(last, prepend=-1))
    entered = np.where(
        positive, later[positions] - share[positions] + precision[positions], -share[positions]
    )
    return Moves(float(area), (entered - np.where(positive, mean, 0.0)) / m)


_OTHERS: dict[str, Callable[[np.ndarray, np.ndarray], Moves]] = {
    "auc": _area,
    "auc_pr": _area_pr,
    MACRO_AUC: _macro_area,
    "brier": lambda positive, predicted: _mean(measures.case_losses("brier", positive, predicted)),
    "logloss": lambda positive, predicted: _mean(
        measures.case_losses("logloss", positive, predicted)
    ),
    MEAN: lambda _, values: _mean(values),
}
