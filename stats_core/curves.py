"""Areas under ROC and precision-recall curves, of one test set or of every fold at once."""

import numpy as np
import pandas as pd

from stats_core._check import check_one_of
from stats_core.errors import DataError, DegenerateError

PR_METHODS = ("trapezoid", "average precision")


def roc_auc(y_true, score) -> float:
    """How likely does a positive case score above a negative one?

    Parameters
    ----------
    y_true : array of bool or 0/1, one per case
        Whether the case is positive.
    score : array of float, one per case
        Higher means more positive.

    Returns
    -------
    float
        Trapezoidal area under the ROC curve; ties count one half.

    Raises
    ------
    DataError, DegenerateError
        Lengths differ, a score is not finite, a label is not 0 or 1; only one class.

    References
    ----------
    Fawcett, Pattern Recognit. Lett. 27 (2006) 861; Hanley and McNeil, Radiology 143 (1982) 29.

    Examples
    --------
    >>> roc_auc([1, 1, 0, 1, 0], [0.9, 0.7, 0.7, 0.4, 0.2])
    0.75
    """
    return float(_areas_of_one(y_true, score)["auc"])


def pr_auc(y_true, score, *, method: str = "trapezoid") -> float:
    """How precise does a ranking stay while it finds the positives?

    Parameters
    ----------
    y_true : array of bool or 0/1, one per case
        Whether the case is positive.
    score : array of float, one per case
        Higher means more positive.
    method : {"trapezoid", "average precision"}
        Straight lines between the points of the curve, from (0, 1) on, or the mean precision
        weighted by the gain in recall.

    Returns
    -------
    float
        Area under the precision-recall curve.

    Raises
    ------
    DataError, DegenerateError, SettingError
        As `roc_auc`; unknown method.

    References
    ----------
    Davis and Goadrich, ICML 2006.

    Examples
    --------
    >>> round(pr_auc([1, 1, 0, 1, 0], [0.9, 0.7, 0.7, 0.4, 0.2]), 4)
    0.8472
    """
    check_one_of(method, PR_METHODS, "method")
    return float(_areas_of_one(y_true, score)[{"trapezoid": "auc_pr"}.get(method, method)])


def fold_areas(group: np.ndarray, positive: np.ndarray, score: np.ndarray) -> pd.DataFrame:
    """Return the areas of many test sets in one pass.

    Parameters
    ----------
    group : array of int, one per case
        The test set a case belongs to, numbered from 0.
    positive : array of bool, one per case
    score : array of float, one per case
        Not NaN.

    Returns
    -------
    DataFrame
        One row per group: auc, auc_pr, average precision; NaN where a class is missing.

    Examples
    --------
    >>> import numpy as np
    >>> fold_areas(np.array([0, 0, 1, 1]), np.array([True, False] * 2), np.arange(4))["auc"].tolist()
    [0.0, 0.0]
    """
    order = np.lexsort((-score, group))
    group, positive, score = group[order], positive[order], score[order]
    first = np.concatenate([[True], group[1:] != group[:-1]])
    last_of_tie = np.concatenate([first[1:] | (score[1:] != score[:-1]), [True]])
    tp = _cumulative(positive, first)[last_of_tie].astype(float)
    fp = _cumulative(~positive, first)[last_of_tie].astype(float)
    group = group[last_of_tie]
    start = np.concatenate([[True], group[1:] != group[:-1]])
    previous_tp, previous_fp = _previous(tp, start, 0.0), _previous(fp, start, 0.0)
    precision = tp / (tp + fp)
    parts = {
        "auc": (fp - previous_fp) * (tp + previous_tp) / 2,
        "auc_pr": (tp - previous_tp) * (precision + _previous(precision, start, 1.0)) / 2,
        "average precision": (tp - previous_tp) * precision,
    }
    table = pd.DataFrame(parts).groupby(group).sum()
    ends = pd.DataFrame({"tp": tp, "fp": fp}).groupby(group).last()
    positives = ends["tp"].where((ends["tp"] > 0) & (ends["fp"] > 0))
    table["auc"] /= positives * ends["fp"]
    table["auc_pr"] /= positives
    table["average precision"] /= positives
    return table


def _areas_of_one(y_true, score) -> pd.Series:
    labels, scores = np.asarray(y_true, dtype=float), np.asarray(score, dtype=float)
    if labels.ndim != 1 or labels.shape != scores.shape or not len(labels):
        raise DataError(
            [
                "`y_true` and `score` must be two rows of the same length. "
                f"Their shapes are {labels.shape} and {scores.shape}. Pair them by case."
            ]
        )
    if not np.isin(labels, (0, 1)).all() or not np.isfinite(scores).all():
        raise DataError(
            ["Labels must be 0 or 1 and scores finite. Some are not. Leave out those cases."]
        )
    areas = fold_areas(np.zeros(len(labels), dtype=int), labels == 1, scores).iloc[0]
    if areas.isna().any():
        raise DegenerateError(
            "A curve needs positive and negative cases. Only one class is there. "
            "Use another fold, or pool folds."
        )
    return areas


def _cumulative(hits: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Count hits from the start of each group on."""
    total = hits.cumsum()
    before = (total - hits)[first]
    return total - before[first.cumsum() - 1]


def _previous(values: np.ndarray, start: np.ndarray, initial: float) -> np.ndarray:
    """Return the value before each one, `initial` at the start of a group."""
    return np.where(start, initial, np.concatenate([[initial], values[:-1]]))
