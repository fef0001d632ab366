"""Measures on the instances of a test set, and the influence of each instance."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from stats_core.core.errors import SettingError
from stats_core.data.measures import LOSSES, case_losses

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
_BY_RANKS = ("auc", "auc_pr")
OF_CASES = (*BY_COUNTS, *_BY_RANKS, *LOSSES)


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """A measure on one test set, with the influence of each instance.

    Attributes
    ----------
    value : float
        NaN where it is undefined, such as a precision without a case called positive; the log loss
        is infinite where a model is sure and wrong.
    by_case : array, one per case
        How far each case moves it, to first order; their sum is 0, and the sum of their squares
        the variance over test sets of such cases.
    """

    value: float
    by_case: np.ndarray


def confusion_cell(positive: np.ndarray, called: np.ndarray) -> np.ndarray:
    """Return the confusion count of each instance: 0 for tp, 1 for fp, 2 for tn, 3 for fn."""
    return np.where(called, np.where(positive, 0, 1), np.where(positive, 3, 2))


def measure_and_gradient(measure: str, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a measure of counts and its gradient.

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
    raise SettingError(f"{measure} is no measure of counts. Take one of {', '.join(BY_COUNTS)}.")


def _share(counts: np.ndarray, above: tuple, below: tuple) -> tuple[np.ndarray, np.ndarray]:
    top, bottom = counts @ np.array(above, dtype=float), counts @ np.array(below, dtype=float)
    value = top / bottom
    return value, (np.array(above) - value[..., None] * np.array(below)) / bottom[..., None]


def _mcc(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    tp, fp, tn, fn = np.moveaxis(counts, -1, 0)
    sums = (tp + fp, tp + fn, tn + fp, tn + fn)
    root = np.sqrt(np.prod(sums, axis=0))
    value = (tp * tn - fp * fn) / root
    members = np.array([[1, 1, 0, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1]])
    logs = np.stack([1 / total for total in sums], axis=-1) @ members / 2
    slope = np.stack([tn, -fn, tp, -fp], axis=-1) / root[..., None] - value[..., None] * logs
    return value, slope


def case_moves(measure: str, positive: np.ndarray, said: np.ndarray) -> Moves:
    """Return a measure on one test set and the influence of each instance on it.

    References
    ----------
    Hampel, J. Am. Stat. Assoc. 69 (1974) 383; for the area under the ROC curve DeLong et al. 1988.

    Examples
    --------
    >>> found = case_moves("error", np.array([1, 1, 0, 0]) == 1, np.array([1, 0, 0, 0]) == 1)
    >>> found.value, found.by_case.tolist()
    (0.25, [-0.0625, 0.1875, -0.0625, -0.0625])
    """
    if measure in BY_COUNTS:
        cell = confusion_cell(positive, said)
        value, slope = measure_and_gradient(measure, np.bincount(cell, minlength=4))
        return Moves(float(value), slope[cell])
    if measure not in _OTHERS:
        raise SettingError(
            f"{measure} does not come from counts or scores of cases. Take one of {', '.join(OF_CASES)}."
        )
    return _OTHERS[measure](positive, said)


def cluster_error(by_case: np.ndarray, group: np.ndarray) -> float:
    """Return the standard error from influences, summed within clusters.

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
    m = int(positive.sum())
    n = len(positive) - m
    if not (m and n):
        return Moves(np.nan, np.zeros(len(positive)))
    among_all = stats.rankdata(score)
    below = (among_all[positive] - stats.rankdata(score[positive])) / n
    above = 1 - (among_all[~positive] - stats.rankdata(score[~positive])) / m
    area = float(below.mean())
    moves = np.empty(len(positive))
    moves[positive], moves[~positive] = (below - area) / m, (above - area) / n
    return Moves(area, moves)


def _area_pr(positive: np.ndarray, score: np.ndarray) -> Moves:
    """Return the trapezoidal area, and the influences on mean precision of positives."""
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
    entered = np.where(positive, later[positions] - share[positions] + precision[positions], -share[positions])
    return Moves(float(area), (entered - np.where(positive, mean, 0.0)) / m)


_OTHERS: dict[str, Callable[[np.ndarray, np.ndarray], Moves]] = {
    "auc": _area,
    "auc_pr": _area_pr,
    "brier": lambda positive, said: _mean(case_losses("brier", positive, said)),
    "logloss": lambda positive, said: _mean(case_losses("logloss", positive, said)),
}
