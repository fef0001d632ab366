"""Cost of false positives and false negatives: risk, iso-cost lines, cost curves."""

from collections.abc import Sequence
from math import inf, isinf
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from stats_core.core.errors import DataError, SettingError
from stats_core.core.validation import as_numbers
from stats_core.data.measures import COUNTS

COST_GRID = 101  # probability costs at which an envelope is given, beside its corners


def loss_ratio(theta: float) -> float:
    """Return the cost of a false positive in false negatives if `theta` is the best threshold.

    References
    ----------
    Aslan's thesis 2009, equation 2.9.

    Examples
    --------
    >>> loss_ratio(0.5), loss_ratio(0.75), loss_ratio(1)
    (1.0, 3.0, inf)
    """
    theta = float(check_thresholds(theta))
    return inf if theta == 1 else theta / (1 - theta)


def threshold_for_costs(loss_ratio: float) -> float:
    """Return the threshold of smallest risk for a ratio of costs.

    References
    ----------
    Aslan's thesis 2009, equations 2.9 to 2.12.

    Examples
    --------
    >>> threshold_for_costs(1), threshold_for_costs(4), threshold_for_costs(float("inf"))
    (0.5, 0.8, 1.0)
    """
    if not (isinstance(loss_ratio, Real) and loss_ratio >= 0):
        raise SettingError(
            f"`loss_ratio` must be 0 or more. It is {loss_ratio!r}. Use 1 for equal costs."
        )
    return 1.0 if isinf(loss_ratio) else loss_ratio / (1 + loss_ratio)


def risk(counts: ArrayLike, theta: ArrayLike) -> np.ndarray:
    """Return the total cost of the errors on a test set.

    References
    ----------
    Aslan's thesis 2009, section 7.1.

    Examples
    --------
    >>> risk([[8, 1, 9, 2], [7, 3, 7, 3]], 0.5).tolist()
    [1.5, 3.0]
    """
    if isinstance(counts, pd.DataFrame):
        counts = counts[list(COUNTS)]
    values = np.asarray(counts, dtype=float)
    if not values.ndim or values.shape[-1] != len(COUNTS):
        raise DataError(
            [
                "`counts` must hold tp, fp, tn, fn along its last dimension. "
                f"Its shape is {values.shape}. Stack the four counts there."
            ]
        )
    weight = check_thresholds(theta)
    return weight * values[..., 1] + (1 - weight) * values[..., 3]


def iso_cost_slope(theta: float, positives: float, negatives: float) -> float:
    """Return the slope of the lines of equal risk in ROC space.

    Notes
    -----
    theta = 0.5 gives the lines of equal error.

    References
    ----------
    Provost and Fawcett, Mach. Learn. 42 (2001) 203, section 3.

    Examples
    --------
    >>> iso_cost_slope(0.5, positives=20, negatives=80), iso_cost_slope(0.2, 20, 80)
    (4.0, 1.0)
    """
    if not (0 < positives < inf and 0 < negatives < inf):
        raise SettingError(
            "Lines of equal risk need cases of both classes. "
            f"There are {positives:g} positive and {negatives:g} negative ones. Pool the folds."
        )
    return loss_ratio(theta) * negatives / positives


def cost_envelope(fpr: ArrayLike, tpr: ArrayLike, *, grid: int = COST_GRID) -> pd.DataFrame:
    """Return the cost at each probability cost, with the best threshold at each.

    Notes
    -----
    A corner lies where two neighbours on the convex hull of the ROC curve cost the same, at
    pc = dfpr / (dfpr + dtpr). With equal shares and losses pc = 1/2; in general pc is the share
    of positives times the cost of a false negative, over that plus the share of negatives times
    the cost of a false positive. The envelope is concave, between 0 and min(pc, 1 - pc).

    References
    ----------
    Drummond and Holte, Mach. Learn. 65 (2006) 95.

    Examples
    --------
    >>> cost_envelope([0.2], [0.8], grid=3).round(2).to_numpy().tolist()
    [[0.0, 0.0], [0.2, 0.2], [0.5, 0.2], [0.8, 0.2], [1.0, 0.0]]
    """
    x, y = _check_rates(fpr, tpr)
    if not grid >= 2:
        raise SettingError(f"`grid` must be at least 2. It is {grid!r}. Try {COST_GRID}.")
    hull = _upper_hull(np.append(x, [0.0, 1.0]), np.append(y, [0.0, 1.0]))
    steps = np.diff(hull, axis=0)
    corners = steps[:, 0] / steps.sum(axis=1)
    pc = np.union1d(np.linspace(0, 1, grid), corners)
    # between two corners the hull point between the two segments is the cheapest
    best = hull[np.searchsorted(corners, pc, side="left")]
    cost = (1 - best[:, 1]) * pc + best[:, 0] * (1 - pc)
    return pd.DataFrame({"pc": pc, "cost": cost})


def check_thresholds(theta: ArrayLike) -> np.ndarray:
    """Return one or many thresholds as floats if they lie in [0, 1], the ends included."""
    values = as_numbers(theta, "theta")
    if not ((values >= 0) & (values <= 1)).all():
        raise SettingError(f"`theta` must lie in [0, 1]. It is {theta!r}. Use 0.5 for equal costs.")
    return values


def _check_rates(fpr: ArrayLike, tpr: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    x, y = as_numbers(fpr, "fpr"), as_numbers(tpr, "tpr")
    if x.ndim != 1 or x.shape != y.shape:
        raise DataError(
            [
                "`fpr` and `tpr` must be two rows of the same length. "
                f"Their shapes are {x.shape} and {y.shape}. Pair them by threshold."
            ]
        )
    both = np.concatenate([x, y])
    if not ((both >= 0) & (both <= 1)).all():
        raise DataError(
            ["`fpr` and `tpr` must lie in [0, 1]. Some do not. Divide counts by their class."]
        )
    return x, y


def _upper_hull(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the corners of the upper convex hull from (0, 0) to (1, 1) (monotone chain)."""
    hull: list[tuple[float, float]] = []
    for point in np.unique(np.column_stack([x, y]), axis=0).tolist():
        while len(hull) >= 2 and _turns_left(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return np.array(hull)


def _turns_left(first: Sequence[float], second: Sequence[float], third: Sequence[float]) -> bool:
    """Return whether the middle of three points lies on or below the line of the others."""
    ahead = (second[0] - first[0]) * (third[1] - first[1])
    return ahead >= (second[1] - first[1]) * (third[0] - first[0])
