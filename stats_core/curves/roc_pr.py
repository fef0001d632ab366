"""ROC and precision-recall curves and the areas under them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from stats_core.core.errors import DataError, DegenerateError, SettingError
from stats_core.core.validation import align, check_one_of
from stats_core.data import predictions
from stats_core.data.predictions import FoldCurves

_PR_METHODS = ("trapezoid", "average precision", "davis-goadrich")
RANGES = ("fpr", "tpr")


def roc_curve(y_true: ArrayLike, score: ArrayLike) -> pd.DataFrame:
    """Return the ROC curve: false and true positive rate at each threshold.

    Parameters
    ----------
    y_true : array of bool or 0/1, one per case
        Whether the case is positive.
    score : array of float, one per case
        Higher means more positive.

    Returns
    -------
    DataFrame
        fpr, tpr, threshold; from (0, 0), threshold infinite, to (1, 1); one more point than
        distinct scores.

    Raises
    ------
    DataError, DegenerateError
        Lengths differ, a score is not finite, a label is not 0 or 1; only one class.

    References
    ----------
    Fawcett, Pattern Recognit. Lett. 27 (2006) 861.

    Examples
    --------
    >>> roc_curve([1, 1, 0, 1, 0], [0.9, 0.7, 0.7, 0.4, 0.2])["tpr"].round(2).tolist()
    [0.0, 0.33, 0.67, 1.0, 1.0]
    """
    return _curve_of_one(y_true, score).roc(0)


def pr_curve(y_true: ArrayLike, score: ArrayLike, *, start: str = "one") -> pd.DataFrame:
    """Return the precision-recall curve.

    Parameters
    ----------
    y_true, score
        As in `roc_curve`.
    start : {"one", "first precision"}
        The precision at recall 0: 1, or that of the highest finite threshold.

    Returns
    -------
    DataFrame
        recall, precision, threshold; from recall 0, threshold infinite, to recall 1; one more point
        than distinct scores.

    Raises
    ------
    DataError, DegenerateError, SettingError
        As `roc_curve`; unknown `start`.

    References
    ----------
    Davis and Goadrich, ICML 2006.

    Examples
    --------
    >>> pr_curve([1, 1, 0, 1, 0], [0.9, 0.7, 0.7, 0.4, 0.2])["precision"].round(2).tolist()
    [1.0, 1.0, 0.67, 0.75, 0.6]
    """
    return _curve_of_one(y_true, score).pr(0, start)


def roc_auc(y_true: ArrayLike, score: ArrayLike) -> float:
    """Return the area under the ROC curve.

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
    return float(_curve_of_one(y_true, score).areas()["auc"].iloc[0])


def pr_auc(
    y_true: ArrayLike, score: ArrayLike, *, method: str = "trapezoid", start: str = "one"
) -> float:
    """Return the area under the precision-recall curve.

    Parameters
    ----------
    y_true : array of bool or 0/1, one per case
        Whether the case is positive.
    score : array of float, one per case
        Higher means more positive.
    method : {"trapezoid", "average precision", "davis-goadrich"}
        Straight lines between the points of the curve, the mean precision weighted by the gain
        in recall, or the curve that thresholds between the points would give.
    start : {"one", "first precision"}
        Precision of the trapezoid at recall 0; ignored by the other methods.

    Returns
    -------
    float
        Area under the precision-recall curve.

    Raises
    ------
    DataError, DegenerateError, SettingError
        As `roc_curve`; unknown method or start.

    Notes
    -----
    Davis and Goadrich let fp grow in proportion to tp between the points. This bends the curve
    below the straight line where the precision falls, as it mostly does, and above it elsewhere.

    References
    ----------
    Davis and Goadrich, ICML 2006.

    Examples
    --------
    >>> round(pr_auc([1, 1, 0, 1, 0], [0.9, 0.7, 0.7, 0.4, 0.2]), 4)
    0.8472
    """
    check_one_of(method, _PR_METHODS, "method")
    curves = _curve_of_one(y_true, score)
    if method == "davis-goadrich":
        return float(curves.davis_goadrich()[0])
    column = "auc_pr" if method == "trapezoid" else method
    return float(curves.areas(start)[column].iloc[0])


def partial_auc(
    y_true: ArrayLike,
    score: ArrayLike,
    *,
    over: str = "fpr",
    low: float = 0.0,
    high: float = 0.1,
    scaled: bool = False,
) -> float:
    """Return the area under the ROC curve within a range of false or true positive rates.

    Parameters
    ----------
    y_true, score
        As in `roc_curve`.
    over : {"fpr", "tpr"}
        Whether the range is one of false positive rates (area below the curve) or of true
        positive rates (area to the right of the curve).
    low : float
        Lower end of the range, at least 0.
    high : float
        Upper end of the range, at most 1.
    scaled : bool
        Whether to rescale the area so that random scores give 1/2 and perfect scores 1 (McClish).

    Returns
    -------
    float
        The area, at most high - low unless scaled.

    Raises
    ------
    DataError, DegenerateError, SettingError
        As `roc_curve`; not 0 <= `low` < `high` <= 1; unknown `over`.

    References
    ----------
    McClish, Med. Decis. Making 9 (1989) 190.

    Examples
    --------
    >>> round(partial_auc([1, 1, 0, 1, 0], [0.9, 0.7, 0.7, 0.4, 0.2], high=0.5), 4)
    0.25
    """
    _check_range(low, high)
    check_one_of(over, RANGES, "over")
    roc = _curve_of_one(y_true, score).roc(0)
    return partial_area(roc, over=over, low=low, high=high, scaled=scaled)


def partial_area(
    roc: pd.DataFrame, *, over: str = "fpr", low: float, high: float, scaled: bool = False
) -> float:
    """Return the partial area of a ROC curve with columns fpr, tpr; see `partial_auc`."""
    fpr = roc["fpr"].to_numpy()
    tpr = roc["tpr"].to_numpy()
    if over == "tpr":  # turn the square around, so that the range lies on the x axis
        fpr, tpr = 1 - tpr[::-1], 1 - fpr[::-1]
        low, high = 1 - high, 1 - low
    start, end = np.interp([low, high], fpr, tpr)  # the upper value at a jump
    is_at_end = fpr == high
    if is_at_end.any():
        end = tpr[is_at_end].min()
    is_inner = (fpr > low) & (fpr < high)
    x = np.concatenate([[low], fpr[is_inner], [high]])
    y = np.concatenate([[start], tpr[is_inner], [end]])
    area = float(np.trapezoid(y, x))
    if not scaled:
        return area
    area_of_chance = (high**2 - low**2) / 2
    largest = high - low
    return (1 + (area - area_of_chance) / (largest - area_of_chance)) / 2


def _check_range(low: float, high: float) -> None:
    """Raise SettingError unless 0 <= low < high <= 1."""
    if not 0 <= low < high <= 1:
        raise SettingError.of("A range must lie within 0 and 1", low=low, high=high)


def check_labels_and_scores(
    y_true: ArrayLike, scores: Sequence[ArrayLike]
) -> tuple[np.ndarray, np.ndarray]:
    """Return Boolean labels, and scores, classifier x instance; DataError if invalid, DegenerateError if one class."""
    y_true, *scores = align(y_true, *scores)
    try:
        labels = np.asarray(y_true, dtype=float)
        values = [np.asarray(score, dtype=float) for score in scores]
    except (TypeError, ValueError) as error:
        raise DataError.of("labels not numbers", error=error) from None
    shapes = [array.shape for array in (labels, *values)]
    if labels.ndim != 1 or not len(labels) or len(shapes) < 2 or len(set(shapes)) > 1:
        raise DataError.of("Labels and scores must be rows", shapes=", ".join(map(str, shapes)))
    are_finite = all(np.isfinite(row).all() for row in values)
    if not np.isin(labels, (0, 1)).all() or not are_finite:
        raise DataError.of("labels not binary")
    if labels.min() == labels.max():
        raise DegenerateError.of("A ROC curve needs positive and negative instances")
    return labels == 1, np.array(values)


def _curve_of_one(y_true: ArrayLike, score: ArrayLike) -> FoldCurves:
    positive, (scores,) = check_labels_and_scores(y_true, [score])
    single_group = np.zeros(len(positive), dtype=np.int64)
    return predictions.fold_curves(single_group, positive, scores)
