"""Operations on curves: convex hull, dominance, averages over folds."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DataError, SettingError
from stats_core.core.formatting import join_names
from stats_core.core.validation import as_numbers, check_one_of, check_probability
from stats_core.data.predictions import FoldCurves
from stats_core.inference.paired.t_tests import corrected_df, overlap_factor

_COST_GRID = 101  # probability costs at which an envelope is given, next to its corners
BANDS = ("one standard error", "95% pointwise")


def roc_hull(roc: pd.DataFrame) -> pd.DataFrame:
    """Return the points of a ROC curve that are optimal for some cost of errors.

    Notes
    -----
    Any point between two neighbours of the hull can be reached by choosing one of their thresholds at
    random for each case.

    References
    ----------
    Provost and Fawcett, Mach. Learn. 42 (2001) 203.

    Examples
    --------
    >>> points = pd.DataFrame({"fpr": [0, 0.5, 0.5, 1], "tpr": [0, 0.2, 0.8, 1]})
    >>> roc_hull(points)["tpr"].tolist()
    [0.0, 0.8, 1.0]
    """
    _check_columns(roc, ("fpr", "tpr"))
    ordered = roc.sort_values(["fpr", "tpr"], kind="stable")
    x, y = (ordered[name].to_numpy(dtype=float) for name in ("fpr", "tpr"))
    upper = np.maximum.accumulate(y)
    hull: list[int] = []
    for i in np.flatnonzero((y == upper) & ((x[1:] != x[:-1]).tolist() + [True])).tolist():
        while len(hull) > 1 and not _turns_right(x, y, hull[-2], hull[-1], i):
            hull.pop()
        hull.append(i)
    ends = ordered.iloc[hull].astype({"fpr": float, "tpr": float})
    if ends["fpr"].iloc[0] > 0 or ends["tpr"].iloc[0] > 0:
        origin = ordered.iloc[[0]].astype({"fpr": float, "tpr": float})
        origin[["fpr", "tpr"]] = 0.0
        ends = pd.concat([origin, ends])
    return ends.reset_index(drop=True)


def _turns_right(x: np.ndarray, y: np.ndarray, a: int, b: int, c: int) -> bool:
    return (x[b] - x[a]) * (y[c] - y[a]) < (y[b] - y[a]) * (x[c] - x[a])


def cost_envelope(fpr: ArrayLike, tpr: ArrayLike, *, grid: int = _COST_GRID) -> pd.DataFrame:
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
        raise SettingError(f"`grid` must be at least 2. It is {grid!r}. Try {_COST_GRID}.")
    points = {"fpr": np.append(x, [0.0, 1.0]), "tpr": np.append(y, [0.0, 1.0])}
    hull = roc_hull(pd.DataFrame(points)).to_numpy()
    steps = np.diff(hull, axis=0)
    corners = steps[:, 0] / steps.sum(axis=1)
    pc = np.union1d(np.linspace(0, 1, grid), corners)
    # between two corners the hull point between the two segments is the cheapest
    best = hull[np.searchsorted(corners, pc, side="left")]
    cost = (1 - best[:, 1]) * pc + best[:, 0] * (1 - pc)
    return pd.DataFrame({"pc": pc, "cost": cost})


def _check_rates(fpr: ArrayLike, tpr: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    x, y = as_numbers(fpr, "fpr"), as_numbers(tpr, "tpr")
    if x.ndim != 1 or x.shape != y.shape:
        raise DataError.of("fpr and tpr must be two rows", shape_x=x.shape, shape_y=y.shape)
    both = np.concatenate([x, y])
    if not ((both >= 0) & (both <= 1)).all():
        raise DataError("`fpr` and `tpr` must lie in [0, 1]. Some do not. Divide counts by their class.")
    return x, y


def hull_in_pr(hull: pd.DataFrame, share: float, *, steps: int = 100) -> pd.DataFrame:
    """Return precision and recall along the ROC hull.

    References
    ----------
    Davis and Goadrich, ICML 2006, the achievable precision-recall curve.

    Examples
    --------
    >>> hull = pd.DataFrame({"fpr": [0.0, 0.5, 1.0], "tpr": [0.0, 0.8, 1.0]})
    >>> hull_in_pr(hull, 0.5, steps=1)["precision"].round(3).tolist()
    [0.615, 0.615, 0.5]
    """
    _check_columns(hull, ("fpr", "tpr"))
    check_probability(share, "share")
    positions = np.arange(len(hull))
    fine = np.linspace(0, len(hull) - 1, steps * (len(hull) - 1) + 1)
    fpr, tpr = (np.interp(fine, positions, hull[name].to_numpy(dtype=float)) for name in ("fpr", "tpr"))
    tp, fp = tpr * share, fpr * (1 - share)
    has_tp = tp > 0
    recall, precision = tpr[has_tp], tp[has_tp] / (tp + fp)[has_tp]
    if not has_tp[0]:  # on the first segment the precision is the same all the way from recall 0
        recall, precision = np.insert(recall, 0, 0.0), np.insert(precision, 0, precision[0])
    return pd.DataFrame({"recall": recall, "precision": precision})


def dominates(first: pd.DataFrame, second: pd.DataFrame) -> str:
    """Return whether one ROC curve is nowhere below another.

    References
    ----------
    Davis and Goadrich, ICML 2006, theorem 3.2; Provost and Fawcett 2001.

    Examples
    --------
    >>> low = pd.DataFrame({"fpr": [0, 0.5, 1], "tpr": [0, 0.5, 1]})
    >>> dominates(low, pd.DataFrame({"fpr": [0, 0, 1], "tpr": [0, 0.5, 1]}))
    'second'
    """
    _, difference = _differences(first, second)
    above, below = (difference > 1e-12).any(), (difference < -1e-12).any()
    if above and below:
        return "neither"
    return "first" if above else "second" if below else "equal"


def crossings(first: pd.DataFrame, second: pd.DataFrame) -> list[float]:
    """Return the false positive rates at which two ROC curves cross.

    Examples
    --------
    >>> bent = pd.DataFrame({"fpr": [0, 0.1, 1], "tpr": [0, 0.6, 1]})
    >>> crossings(bent, pd.DataFrame({"fpr": [0, 0.4, 1], "tpr": [0, 0.9, 1]}))
    [0.307692]
    """
    x, difference = _differences(first, second)
    sides = np.flatnonzero(np.abs(difference) > 1e-12)
    turns = [(a, b) for a, b in zip(sides[:-1], sides[1:], strict=True) if difference[a] * difference[b] < 0]
    # where the curves run together for a while, they change places where they meet
    met = [x[a + 1] if b > a + 1 else _zero(x[a], x[b], difference[a], difference[b]) for a, b in turns]
    return [round(float(position), 6) for position in met]


def describe_crossings(first: pd.DataFrame, second: pd.DataFrame, limit: int = 5) -> str:
    """Return the positions where two ROC curves cross, in words, with sufficient decimals.

    Examples
    --------
    >>> low = pd.DataFrame({"fpr": [0, 0.1, 1], "tpr": [0, 0.6, 1]})
    >>> describe_crossings(low, pd.DataFrame({"fpr": [0, 0.4, 1], "tpr": [0, 0.9, 1]}))
    '0.31'
    """
    positions = sorted(set(crossings(first, second)))
    written = {digits: [f"{x:.{digits}f}" for x in positions] for digits in range(2, 7)}
    apart = (
        texts
        for texts in written.values()
        if len(set(texts)) == len(texts)
        and all(float(text) > 0 or x == 0 for text, x in zip(texts, positions, strict=True))
    )
    return join_names(next(apart, written[6]), limit)


def _zero(x0: float, x1: float, gap0: float, gap1: float) -> float:
    """Return the zero of the straight line between two differences of opposite sign."""
    return x0 + (x1 - x0) * gap0 / (gap0 - gap1)


def _differences(first: pd.DataFrame, second: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return each fpr twice, with tpr of the first less that of the second before and after it."""
    x = np.unique(np.concatenate([_fpr(first), _fpr(second)]))
    lower = _below(first, x) - _below(second, x)
    upper = _at(first, x) - _at(second, x)
    return np.repeat(x, 2), np.stack([lower, upper], axis=1).ravel()


def _fpr(curve: pd.DataFrame) -> np.ndarray:
    _check_columns(curve, ("fpr", "tpr"))
    return curve["fpr"].to_numpy(dtype=float)


def _at(roc: pd.DataFrame, x: np.ndarray) -> np.ndarray:
    """Return the tpr at each fpr, the upper one at a jump."""
    return np.interp(x, roc["fpr"].to_numpy(dtype=float), roc["tpr"].to_numpy(dtype=float))


def _below(roc: pd.DataFrame, x: np.ndarray) -> np.ndarray:
    """Return the tpr at each fpr, the lower one at a jump."""
    fpr, tpr = roc["fpr"].to_numpy(dtype=float)[::-1], roc["tpr"].to_numpy(dtype=float)[::-1]
    return np.interp(-x, -fpr, tpr)


def vertical_average(
    curves: FoldCurves, kind: str = "roc", *, grid: int = 101, band: str = BANDS[0], test_fraction: float | None = None
) -> pd.DataFrame:
    """Return the mean curve over folds at fixed false positive rates or recalls.

    References
    ----------
    Fawcett, Pattern Recognit. Lett. 27 (2006) 861, algorithm 3; Davis and Goadrich, ICML 2006,
    for the precision between thresholds.

    Examples
    --------
    >>> from stats_core.data.predictions import fold_curves
    >>> curves = fold_curves([0, 0, 0, 1, 1, 1], [1, 1, 0, 1, 0, 1], [3, 2, 1, 3, 2, 1])
    >>> vertical_average(curves, grid=3)["y"].tolist()
    [0.75, 0.75, 1.0]
    """
    check_one_of(kind, ("roc", "pr"), "kind")
    x = np.linspace(0, 1, grid)
    rows = [_tpr_at(curves, i, x) if kind == "roc" else _precision_at(curves, i, x) for i in usable(curves)]
    return pd.DataFrame({"x": x, **_band(np.array(rows), band, test_fraction)})


def threshold_average(
    curves: FoldCurves, kind: str = "roc", *, grid: int = 101, band: str = BANDS[0], test_fraction: float | None = None
) -> pd.DataFrame:
    """Return the mean point over folds at each threshold.

    Notes
    -----
    Scores of different folds must be comparable, as probabilities are. The precision of a fold without
    predicted positives is omitted from the mean.

    References
    ----------
    Fawcett, Pattern Recognit. Lett. 27 (2006) 861, algorithm 4.

    Examples
    --------
    >>> from stats_core.data.predictions import fold_curves
    >>> curves = fold_curves([0, 0, 1, 1], [1, 0, 1, 0], [0.9, 0.1, 0.4, 0.6])
    >>> threshold_average(curves, grid=3)[["x", "y"]].iloc[2].tolist()
    [0.5, 0.5]
    """
    check_one_of(kind, ("roc", "pr"), "kind")
    usable_curves = usable(curves)
    scores = np.concatenate([curves.threshold[curves.start[i] : curves.start[i + 1]] for i in usable_curves])
    thresholds = np.unique(np.quantile(scores, np.linspace(1, 0, grid)))[::-1]
    thresholds = np.concatenate([[np.inf], thresholds])
    tp, fp, tn, fn = np.moveaxis(curves.counts_at(thresholds)[:, usable_curves], 2, 0).astype(float)
    tpr = tp / (tp + fn)
    if kind == "roc":
        x, y = fp / (fp + tn), tpr
    else:
        called = tp + fp
        x, y = tpr, np.where(called > 0, tp / np.maximum(called, 1), np.nan)
    some = ~np.isnan(y).all(axis=1)
    summary = _band(y[some].T, band, test_fraction)
    return pd.DataFrame({"x": x[some].mean(axis=1), **summary, "threshold": thresholds[some]})


def usable(curves: FoldCurves) -> np.ndarray:
    """Return which curves have instances of both classes; refuse if none has."""
    both_classes = np.flatnonzero((curves.positives > 0) & (curves.negatives > 0))
    if not len(both_classes):
        raise DataError("A curve needs positive and negative instances. No fold has both. Pool folds.")
    return both_classes


def _tpr_at(curves: FoldCurves, i: int, fpr: np.ndarray) -> np.ndarray:
    """Return the tpr at each fpr, the upper one at a jump."""
    points = curves.points(i)
    return np.interp(_cases(fpr, curves.negatives[i]), points["fp"], points["tp"] / curves.positives[i])


def _precision_at(curves: FoldCurves, i: int, recall: np.ndarray) -> np.ndarray:
    """Return the precision at each recall, the best where several thresholds have the same."""
    points = curves.points(i)
    tp_points, false = points["tp"].to_numpy(), points["fp"].to_numpy()
    tp = _cases(recall, curves.positives[i])
    fp = np.interp(-tp, -tp_points[::-1], false[::-1])  # the fewest false alarms for each tp
    first = int(np.argmax(tp_points > 0))
    start = tp_points[first] / (tp_points[first] + false[first]) if false[first - 1] == 0 else 0.0
    return np.where(tp > 0, tp / np.maximum(tp + fp, 1e-300), start)


def _cases(share: np.ndarray, n: int) -> np.ndarray:
    """Return shares of n instances as counts, rounded if they are nearly whole."""
    cases = share * n
    rounded = cases.round()
    return np.where(np.abs(cases - rounded) < 1e-7, rounded, cases)


def _band(rows: np.ndarray, band: str, test_fraction: float | None) -> dict[str, np.ndarray]:
    """Return the mean of fold x point with its band, clipped to [0, 1]."""
    check_one_of(band, BANDS, "band")
    n = (~np.isnan(rows)).sum(axis=0)
    mean = np.nanmean(rows, axis=0)
    spread = np.sqrt(np.nansum((rows - mean) ** 2, axis=0) / np.maximum(n - 1, 1) / n)
    if band != BANDS[0]:
        most = corrected_df(len(rows), len(rows) - 1) if test_fraction else len(rows) - 1
        df = np.clip(n - 1, 1, max(most, 1))
        factor = overlap_factor(len(rows), test_fraction) if test_fraction else 1.0
        spread = spread * np.sqrt(factor) * stats.t.ppf(0.975, df)
    return {"y": mean, "low": np.clip(mean - spread, 0, 1), "high": np.clip(mean + spread, 0, 1)}


def _check_columns(curve: pd.DataFrame, names: Sequence[str]) -> None:
    absent = [name for name in names if name not in curve]
    if absent:
        raise DataError(f"A curve needs the columns {', '.join(names)}. It lacks {', '.join(absent)}. Add them.")
