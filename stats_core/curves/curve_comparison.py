"""ROC and precision-recall curves of all folds of a data set: hulls, averages, areas, rates, and comparisons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DataError, DesignError, FoldwiseError, MissingCells, SettingError
from stats_core.core.formatting import join_names
from stats_core.core.result_types import cached
from stats_core.core.validation import as_numbers, check_one_of, check_probability
from stats_core.curves import roc_pr
from stats_core.curves.auc_intervals import AucInterval, auc_interval, auc_interval_from_errors
from stats_core.curves.delong import DeLongResult, delong
from stats_core.curves.thresholds import needs_scores, raw_thresholds, risk
from stats_core.data import measures, predictions, row_checks
from stats_core.data.measures import COUNTS
from stats_core.data.predictions import FoldCurves
from stats_core.data.results import Results
from stats_core.inference import fold_pairs, inference_text
from stats_core.inference.paired import t_tests

_COST_GRID = 101  # probability costs at which an envelope is given, next to its corners
BANDS = ("one standard error", "95% pointwise")
# methods of intervals from scores -> label
_SCORE_METHODS = {"hanley-mcneil": "Hanley-McNeil", "delong": "DeLong", "agarwal": "Agarwal"}


def roc_hull(roc: pd.DataFrame) -> pd.DataFrame:
    """Return the convex hull of a ROC curve: its points that minimize cost for some ratio of costs.

    The points are rows of `roc`, by increasing fpr, with (0, 0) in front if absent. Raises
    DataError without columns fpr and tpr.

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
    x = ordered["fpr"].to_numpy(dtype=float)
    y = ordered["tpr"].to_numpy(dtype=float)
    hull: list[int] = []
    for i in _possible_corners(x, y).tolist():
        while len(hull) > 1 and not _turns_right(x, y, hull[-2], hull[-1], i):
            hull.pop()
        hull.append(i)
    ends = ordered.iloc[hull].astype({"fpr": float, "tpr": float})
    if ends["fpr"].iloc[0] > 0 or ends["tpr"].iloc[0] > 0:
        origin = ordered.iloc[[0]].astype({"fpr": float, "tpr": float})
        origin[["fpr", "tpr"]] = 0.0
        ends = pd.concat([origin, ends])
    return ends.reset_index(drop=True)


def _possible_corners(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the positions of points that may be on the hull, and of all its corners."""
    is_highest = y == np.maximum.accumulate(y)
    is_last_of_x = np.append(x[1:] != x[:-1], True)
    corners = np.flatnonzero(is_highest & is_last_of_x)
    n_before = np.inf
    while n_before > 1.1 * len(corners):
        n_before = len(corners)
        # drop all that lie below the line between their neighbours
        inner = corners[1:-1]
        is_above = _turns_right(x, y, corners[:-2], inner, corners[2:])
        corners = np.concatenate([corners[:1], inner[is_above], corners[1:][-1:]])
    return corners


def _turns_right(x: np.ndarray, y: np.ndarray, a: Any, b: Any, c: Any) -> Any:
    """Return whether the lines from points `a` to `b` to `c` turn right."""
    return (x[b] - x[a]) * (y[c] - y[a]) < (y[b] - y[a]) * (x[c] - x[a])


def cost_envelope(fpr: ArrayLike, tpr: ArrayLike, *, grid: int = _COST_GRID) -> pd.DataFrame:
    """Return the lower envelope of normalized expected cost over the probability cost (pc); columns pc, cost.

    `fpr` and `tpr` are the points of a curve, `grid` is the number of probability costs next to the
    corners. Raises DataError for rates outside [0, 1] or arrays that differ in length, SettingError
    for a `grid` below 2.

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
        raise SettingError.of("grid too small", grid=grid, usual=_COST_GRID)
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
    x = as_numbers(fpr, "fpr")
    y = as_numbers(tpr, "tpr")
    if x.ndim != 1 or x.shape != y.shape:
        raise DataError.of("fpr and tpr must be two rows", shape_x=x.shape, shape_y=y.shape)
    for rates in (x, y):
        if not ((rates >= 0) & (rates <= 1)).all():
            raise DataError.of("rates out of range")
    return x, y


def hull_in_pr(hull: pd.DataFrame, share: float, *, steps: int = 100) -> pd.DataFrame:
    """Return the ROC hull as a precision-recall curve, for a `share` of positives; columns recall, precision.

    Each segment of the hull is divided into `steps`. Raises DataError without columns fpr and tpr,
    SettingError for a `share` outside (0, 1).

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
    n_segments = len(hull) - 1
    corners = np.arange(len(hull))
    positions = np.linspace(0, n_segments, steps * n_segments + 1)
    fpr = np.interp(positions, corners, hull["fpr"].to_numpy(dtype=float))
    tpr = np.interp(positions, corners, hull["tpr"].to_numpy(dtype=float))
    tp = tpr * share
    fp = fpr * (1 - share)
    has_tp = tp > 0
    recall = tpr[has_tp]
    precision = tp[has_tp] / (tp + fp)[has_tp]
    if not has_tp[0]:  # on the first segment the precision is the same all the way from recall 0
        recall = np.insert(recall, 0, 0.0)
        precision = np.insert(precision, 0, precision[0])
    return pd.DataFrame({"recall": recall, "precision": precision})


def dominates(first: pd.DataFrame, second: pd.DataFrame) -> str:
    """Return which ROC curve is nowhere below the other: "first", "second", "equal" or "neither".

    Raises DataError for a curve without columns fpr and tpr.

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
    is_above = (difference > 1e-12).any()
    is_below = (difference < -1e-12).any()
    if is_above and is_below:
        return "neither"
    if is_above:
        return "first"
    return "second" if is_below else "equal"


def crossings(first: pd.DataFrame, second: pd.DataFrame) -> list[float]:
    """Return the false positive rates at which two ROC curves cross, to six decimals; [] if nowhere.

    Raises DataError for a curve without columns fpr and tpr.

    Examples
    --------
    >>> bent = pd.DataFrame({"fpr": [0, 0.1, 1], "tpr": [0, 0.6, 1]})
    >>> crossings(bent, pd.DataFrame({"fpr": [0, 0.4, 1], "tpr": [0, 0.9, 1]}))
    [0.307692]
    """
    x, difference = _differences(first, second)
    apart = np.flatnonzero(np.abs(difference) > 1e-12)
    positions = []
    for a, b in pairwise(apart):
        if difference[a] * difference[b] > 0:
            continue
        if b > a + 1:  # curves that run together for a while change sides where they meet
            position = x[a + 1]
        else:
            position = _zero(x[a], x[b], difference[a], difference[b])
        positions.append(round(float(position), 6))
    return positions


def describe_crossings(first: pd.DataFrame, second: pd.DataFrame, limit: int = 5) -> str:
    """Return the false positive rates at which two ROC curves cross, as text with enough decimals to be distinct.

    If there are more than `limit`, the last ones are only counted; "" if there are none.

    Examples
    --------
    >>> low = pd.DataFrame({"fpr": [0, 0.1, 1], "tpr": [0, 0.6, 1]})
    >>> describe_crossings(low, pd.DataFrame({"fpr": [0, 0.4, 1], "tpr": [0, 0.9, 1]}))
    '0.31'
    """
    positions = sorted(set(crossings(first, second)))
    texts: list[str] = []
    for digits in range(2, 7):
        texts = [f"{x:.{digits}f}" for x in positions]
        are_distinct = len(set(texts)) == len(texts)
        rounds_to_zero = any(
            x != 0 and float(text) == 0 for x, text in zip(positions, texts, strict=True)
        )
        if are_distinct and not rounds_to_zero:
            break
    return join_names(texts, limit)


def _zero(x0: float, x1: float, gap0: float, gap1: float) -> float:
    """Return the zero of the line through (x0, gap0) and (x1, gap1), gaps of opposite sign."""
    return x0 + (x1 - x0) * gap0 / (gap0 - gap1)


def _differences(first: pd.DataFrame, second: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return each fpr twice, and at it the difference (first minus second) of the lower, then of the upper tpr."""
    x = np.unique(np.concatenate([_fpr(first), _fpr(second)]))
    lower = _lower_tpr(first, x) - _lower_tpr(second, x)
    upper = _upper_tpr(first, x) - _upper_tpr(second, x)
    return np.repeat(x, 2), np.stack([lower, upper], axis=1).ravel()


def _fpr(curve: pd.DataFrame) -> np.ndarray:
    _check_columns(curve, ("fpr", "tpr"))
    return curve["fpr"].to_numpy(dtype=float)


def _upper_tpr(roc: pd.DataFrame, x: np.ndarray) -> np.ndarray:
    """Return the tpr at each fpr `x`; the upper value at a jump."""
    return np.interp(x, roc["fpr"].to_numpy(dtype=float), roc["tpr"].to_numpy(dtype=float))


def _lower_tpr(roc: pd.DataFrame, x: np.ndarray) -> np.ndarray:
    """Return the tpr at each fpr `x`; the lower value at a jump."""
    fpr = roc["fpr"].to_numpy(dtype=float)[::-1]
    tpr = roc["tpr"].to_numpy(dtype=float)[::-1]
    return np.interp(-x, -fpr, tpr)


def vertical_average(
    curves: FoldCurves,
    kind: str = "roc",
    *,
    grid: int = 101,
    band: str = BANDS[0],
    test_fraction: float | None = None,
) -> pd.DataFrame:
    """Return the mean curve over folds at fixed false positive rates or recalls; columns x, y, low, high.

    `kind` is "roc" (y is the true positive rate) or "pr" (y is the precision), at `grid` values of
    x from 0 to 1. `band`, one of `BANDS`, defines low and high: one standard error, or a pointwise
    95% t interval, which `test_fraction` corrects for overlapping training sets, with the degrees
    of freedom of the conservative test. Folds with one class are left out; DataError is raised if
    none is left, SettingError for an unknown `kind` or `band`.

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
    y_at = _tpr_at if kind == "roc" else _precision_at
    rows = np.array([y_at(curves, i, x) for i in usable(curves)])
    return pd.DataFrame({"x": x, **_band(rows, band, test_fraction)})


def threshold_average(
    curves: FoldCurves,
    kind: str = "roc",
    *,
    grid: int = 101,
    band: str = BANDS[0],
    test_fraction: float | None = None,
) -> pd.DataFrame:
    """Return the mean point over folds at each threshold; columns x, y, low, high, threshold.

    Arguments and errors are those of `vertical_average`; `grid` is the largest number of finite
    thresholds.

    Notes
    -----
    Scores of different folds must be comparable, as probabilities are. The precision of a fold without
    predicted positives is omitted from the mean, and thresholds without any precision from the curve.

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
    folds = usable(curves)
    scores = [curves.threshold[curves.start[i] : curves.start[i + 1]] for i in folds]
    finite = np.unique(np.quantile(np.concatenate(scores), np.linspace(1, 0, grid)))
    thresholds = np.concatenate([[np.inf], finite[::-1]])
    counts = curves.counts_at(thresholds)[:, folds].astype(float)
    tp, fp, tn, fn = np.moveaxis(counts, 2, 0)
    tpr = tp / (tp + fn)
    if kind == "roc":
        x = fp / (fp + tn)
        y = tpr
    else:
        called = tp + fp
        x = tpr
        y = np.where(called > 0, tp / np.maximum(called, 1), np.nan)
    is_defined = ~np.isnan(y).all(axis=1)
    summary = _band(y[is_defined].T, band, test_fraction)
    mean_x = x[is_defined].mean(axis=1)
    return pd.DataFrame({"x": mean_x, **summary, "threshold": thresholds[is_defined]})


def usable(curves: FoldCurves) -> np.ndarray:
    """Return the indices of curves whose test sets contain both classes; raise DataError if there are none."""
    has_both = (curves.positives > 0) & (curves.negatives > 0)
    if not has_both.any():
        raise DataError.of("one class per fold")
    return np.flatnonzero(has_both)


def _tpr_at(curves: FoldCurves, i: int, fpr: np.ndarray) -> np.ndarray:
    """Return the tpr of curve `i` at each fpr; the upper value at a jump."""
    points = curves.points(i)
    fp = _cases(fpr, curves.negatives[i])
    return np.interp(fp, points["fp"], points["tp"] / curves.positives[i])


def _precision_at(curves: FoldCurves, i: int, recall: np.ndarray) -> np.ndarray:
    """Return the precision of curve `i` at each recall, the highest if several thresholds share a recall."""
    points = curves.points(i)
    tp_points = points["tp"].to_numpy()
    fp_points = points["fp"].to_numpy()
    tp = _cases(recall, curves.positives[i])
    fp = np.interp(-tp, -tp_points[::-1], fp_points[::-1])  # the fewest false alarms for each tp
    first = int(np.argmax(tp_points > 0))
    start = 0.0
    if fp_points[first - 1] == 0:
        start = tp_points[first] / (tp_points[first] + fp_points[first])
    return np.where(tp > 0, tp / np.maximum(tp + fp, 1e-300), start)


def _cases(share: np.ndarray, n: int) -> np.ndarray:
    """Return shares of n instances as counts, rounded to integers within rounding error."""
    cases = share * n
    rounded = cases.round()
    return np.where(np.abs(cases - rounded) < 1e-7, rounded, cases)


def _band(rows: np.ndarray, band: str, test_fraction: float | None) -> dict[str, np.ndarray]:
    """Return y, the mean over folds at each point, and low and high, its `band` (of `BANDS`) clipped to [0, 1]."""
    check_one_of(band, BANDS, "band")
    n_folds = len(rows)
    n = (~np.isnan(rows)).sum(axis=0)
    mean = np.nanmean(rows, axis=0)
    variance = np.nansum((rows - mean) ** 2, axis=0) / np.maximum(n - 1, 1)
    reach = np.sqrt(variance / n)
    if band != BANDS[0]:
        most_df = n_folds - 1
        factor = 1.0
        if test_fraction:
            most_df = t_tests.corrected_df(n_folds, n_folds - 1)
            factor = t_tests.overlap_factor(n_folds, test_fraction)
        df = np.clip(n - 1, 1, max(most_df, 1))
        reach = reach * np.sqrt(factor) * stats.t.ppf(0.975, df)
    return {"y": mean, "low": np.clip(mean - reach, 0, 1), "high": np.clip(mean + reach, 0, 1)}


def _check_columns(curve: pd.DataFrame, names: Sequence[str]) -> None:
    absent = [name for name in names if name not in curve]
    if absent:
        raise DataError.of("curve lacks columns", columns=names, missing=absent)


@dataclass(frozen=True, kw_only=True, eq=False)
class DataCurves:
    """ROC and precision-recall curves of every algorithm on every fold of one data set.

    Attributes
    ----------
    dataset, dataset_label : str
        Name of the data set as a key, and in sentences.
    names : tuple of str
        The algorithms.
    folds : DataFrame
        repetition and fold of each curve, the same for all algorithms.
    curves : dict of algorithm to FoldCurves
        Curves of each algorithm, in the order of `folds`.
    scores : dict of algorithm to array
        All scores of each algorithm, sorted.
    one_class : tuple of str
        Descriptions of folds with one class only, whose curves are not used.
    left_out : dict of str to str
        Algorithms without curves, with the reason.
    different : tuple of int
        Numbers of distinct positive and negative cases; a case tested in several folds counts once.
    unit : str
        Noun for the resampling unit with one curve per algorithm, such as "fold".
    """

    dataset: str
    dataset_label: str
    names: tuple[str, ...]
    folds: pd.DataFrame
    curves: dict[str, FoldCurves]
    scores: dict[str, np.ndarray]
    one_class: tuple[str, ...]
    left_out: dict[str, str]
    different: tuple[int, int]
    unit: str

    @property
    def positives(self) -> np.ndarray:
        """Number of positive instances in each fold."""
        return next(iter(self.curves.values())).positives

    @property
    def negatives(self) -> np.ndarray:
        """Number of negative instances in each fold."""
        return next(iter(self.curves.values())).negatives

    @property
    def rarer_class(self) -> int:
        """Number of distinct instances of the rarer class."""
        return min(self.different)

    @property
    def positive_share(self) -> float:
        """Share of positives among all test instances."""
        positives = self.positives.sum()
        return float(positives / (positives + self.negatives.sum()))

    @property
    def probabilities(self) -> bool:
        """Whether all scores lie within [0, 1]."""
        for scores in self.scores.values():  # in ascending order
            if len(scores) and (scores[0] < 0 or scores[-1] > 1):
                return False
        return True

    def counts(self, thetas: Sequence[float] | np.ndarray, scale: str = "logistic") -> np.ndarray:
        """Return (tp, fp, tn, fn) at each theta, theta x algorithm x fold x 4; `scale` as in `raw_thresholds`."""
        parts = []
        for name in self.names:
            thresholds = raw_thresholds(self.scores[name], thetas, scale)
            parts.append(self.curves[name].counts_at(thresholds))
        return np.stack(parts, axis=1)

    def areas(self) -> dict[str, pd.DataFrame]:
        """Return auc, auc_pr, average precision and davis-goadrich of each algorithm, one row per fold."""
        tables = {}
        for name, curves in self.curves.items():
            tables[name] = curves.areas()
            tables[name]["davis-goadrich"] = curves.davis_goadrich()
        return tables


def curves_of_folds(results: Results, dataset: str) -> DataCurves:
    r"""Return the curves of all algorithms on the folds that all of them share.

    Algorithms with a failed fold are left out, with the reason. Raises MissingCells if no algorithm
    or no shared fold is left, DesignError without scores of two classes.

    Examples
    --------
    >>> from stats_core.io.read import read_results
    >>> text = b"algorithm,fold,true,score\na,1,1,0.6\na,1,0,0.3\na,2,1,0.9\na,2,0,0.7\n"
    >>> curves_of_folds(read_results(text), "results").counts([0.8])[0, 0].tolist()
    [[0, 0, 1, 1], [1, 0, 1, 0]]
    """
    reason = needs_scores(results)
    if reason:
        raise DesignError.of(
            "Curves need a score for each instance", source=results.source, reason=reason
        )
    cases = results.predictions
    assert cases is not None  # or `needs_scores` has a reason
    cases = cases[(cases["dataset"] == dataset).to_numpy()]
    group, keys = predictions.group_numbers(cases, ["algorithm", "repetition", "fold"])
    score = cases["score"].to_numpy()
    positive = cases["positive"].to_numpy()
    present = set(keys["algorithm"])
    failed = sorted(set(keys["algorithm"].iloc[group[np.isnan(score)]]))
    names = tuple(n for n in results.algorithms if n in present and n not in failed)
    folds = _shared_folds(keys, names)
    if not names or not len(folds):
        raise MissingCells.of("curves incomplete", dataset=dataset)
    labels = pd.MultiIndex.from_frame(keys[["repetition", "fold"]])
    fold_of_group = pd.MultiIndex.from_frame(folds).get_indexer(labels)
    curves = {}
    scores = {}
    for name in names:
        fold = np.where(keys["algorithm"] == name, fold_of_group, -1)[group]
        is_own = fold >= 0
        curves[name] = predictions.fold_curves(fold[is_own], positive[is_own], score[is_own])
        scores[name] = np.sort(score[is_own])
    first = curves[names[0]]
    return DataCurves(
        dataset=dataset,
        dataset_label=results.dataset_label(dataset),
        names=names,
        folds=folds,
        curves=curves,
        scores=scores,
        one_class=_one_class_texts(dataset, folds, first),
        left_out=dict.fromkeys(failed, inference_text("reason.failed_fold")),
        different=_different(results, dataset, cases, first, folds),
        unit=fold_pairs.resampling_unit(results.design_of(dataset)),
    )


def _one_class_texts(dataset: str, folds: pd.DataFrame, curves: FoldCurves) -> tuple[str, ...]:
    """Return a sentence on each fold with instances of one class only."""
    lacks_class = (curves.positives == 0) | (curves.negatives == 0)
    texts = []
    for i in np.flatnonzero(lacks_class):
        label = "positive" if curves.positives[i] == 0 else "negative"
        fold = folds["fold"].iloc[i]
        texts.append(inference_text("reason.one_class", dataset=dataset, fold=fold, label=label))
    return tuple(texts)


def _different(
    results: Results, dataset: str, cases: pd.DataFrame, first: FoldCurves, folds: pd.DataFrame
) -> tuple[int, int]:
    """Return the numbers of distinct positive and negative instances.

    Without names of the instances, they are counted in the first repetition if its folds partition
    the data; for other designs, each number is the largest of any fold.
    """
    if "instance" in cases:
        distinct = cases.drop_duplicates("instance")
        n_positive = int(distinct["positive"].sum())
        return n_positive, len(distinct) - n_positive
    if results.design_of(dataset) in ("k-fold", "r x k-fold", "5x2", "leave-one-out"):
        is_first = (folds["repetition"] == folds["repetition"].iloc[0]).to_numpy()
        return int(first.positives[is_first].sum()), int(first.negatives[is_first].sum())
    return int(first.positives.max()), int(first.negatives.max())


@cached
def one_fold_intervals(data: DataCurves, index: int, *, confidence_level: float = 0.95) -> dict:
    """Return for each algorithm a table of area intervals on one fold; methods without an interval are omitted.

    `index` is the position of the fold. Rows are methods; columns low, high, clipped_low,
    clipped_high. The Cortes-Mohri interval is from the errors at the threshold 0.5. Raises
    DegenerateError for a fold with one class.

    References
    ----------
    Hanley and McNeil 1982; DeLong et al. 1988; Agarwal et al. 2005; Cortes and Mohri 2004; Aslan's
    thesis 2009, figures 3.5 and 3.6.
    """
    counts = data.counts([0.5])[0]
    n_errors = counts[:, index, COUNTS.index("fp")] + counts[:, index, COUNTS.index("fn")]
    n_positive = int(data.positives[index])
    n_negative = int(data.negatives[index])
    columns = ["low", "high", "clipped_low", "clipped_high"]
    tables = {}
    for i, name in enumerate(data.names):
        intervals = _score_intervals(data.curves[name], index, confidence_level)
        intervals["Cortes-Mohri"] = auc_interval_from_errors(
            int(n_errors[i]), n_positive, n_negative, confidence_level=confidence_level
        )
        rows = {}
        for label, interval in intervals.items():
            rows[label] = [getattr(interval, column) for column in columns]
        tables[name] = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return tables


def _score_intervals(
    curves: FoldCurves, index: int, confidence_level: float
) -> dict[str, AucInterval]:
    """Return the intervals from scores on one fold by label, without methods that have none."""
    labels, scores = _cases_of(curves, index)
    intervals = {}
    for method, label in _SCORE_METHODS.items():
        try:
            intervals[label] = auc_interval(
                labels, scores, method, confidence_level=confidence_level
            )
        except FoldwiseError:
            continue
    return intervals


def _cases_of(curves: FoldCurves, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores of the instances behind curve `i`, the positives first."""
    points = curves.points(i)
    scores = points["threshold"].to_numpy()[1:]
    n_positive = np.diff(points["tp"].to_numpy())
    n_negative = np.diff(points["fp"].to_numpy())
    labels = np.repeat([1, 0], [n_positive.sum(), n_negative.sum()])
    scores_of_both = [np.repeat(scores, n_positive), np.repeat(scores, n_negative)]
    return labels, np.concatenate(scores_of_both)


def pairwise_delong(
    results: Results, dataset: str, fold: tuple[str, str]
) -> dict[tuple[str, str], DeLongResult]:
    """Return DeLong's test of each pair (first, second) of algorithms on one fold, given as (repetition, fold).

    Pairs that cannot be tested are left out. Raises DesignError without predictions that name their
    instances.
    """
    cases = results.predictions
    if cases is None or "instance" not in cases:
        raise DesignError.of(
            "DeLong's test needs predictions that name their instances", source=results.source
        )
    repetition_name, fold_name = fold
    in_repetition = (cases["dataset"] == dataset) & (cases["repetition"] == repetition_name)
    cases = cases[in_repetition & (cases["fold"] == fold_name)]
    scores = cases.pivot(index="instance", columns="algorithm", values="score")
    labels = cases.drop_duplicates("instance").set_index("instance")["positive"]
    labels = labels.reindex(scores.index)
    names = [name for name in results.algorithms if name in scores]
    tests = {}
    for first, second in combinations(names, 2):
        try:
            tests[first, second] = delong(labels, scores[first], scores[second])
        except FoldwiseError:
            continue
    return tests


def _shared_folds(keys: pd.DataFrame, names: tuple[str, ...]) -> pd.DataFrame:
    """Return the folds on which every algorithm has results, in natural order."""
    keys = keys[keys["algorithm"].isin(names)]
    sizes = keys.groupby(["repetition", "fold"])["algorithm"].count()
    complete = sorted(sizes.index[sizes == len(names)], key=row_checks.fold_key)
    return pd.DataFrame(list(complete), columns=["repetition", "fold"])


AVERAGES = ("vertical average", "threshold average", "hull of folds")
_AREAS = ("auc", "auc_pr", "average precision", "davis-goadrich")
_AT_THETA = ("error", "tpr", "fpr", "precision")


def average_curves(
    data: DataCurves, kind: str, average: str, band: str, fraction: float | None
) -> dict[str, pd.DataFrame]:
    """Return the average curve over folds of each algorithm; columns x, y, low, high.

    `average` is one of `AVERAGES`; hulls have NaN as low and high, threshold averages also a column
    threshold. `kind` is "roc", "pr" or "sensitivity", for which x is the specificity.
    """
    return {
        name: _average(curves, kind, average, band, fraction)
        for name, curves in data.curves.items()
    }


def _average(
    curves: FoldCurves, kind: str, average: str, band: str, fraction: float | None
) -> pd.DataFrame:
    """Return one average curve, as `average_curves` describes."""
    curve = "pr" if kind == "pr" else "roc"
    if average == "hull of folds":
        table = _hull(curves, curve)
    else:
        average_of = threshold_average if average == "threshold average" else vertical_average
        table = average_of(curves, curve, band=band, test_fraction=fraction)
    if kind == "sensitivity":
        table = table.assign(x=1 - table["x"]).iloc[::-1].reset_index(drop=True)
    return table


def _hull(curves: FoldCurves, of: str) -> pd.DataFrame:
    points = [curves.roc(i) for i in usable(curves)]
    hull = roc_hull(pd.concat(points, ignore_index=True))
    if of == "pr":
        n_positive = curves.positives.sum()
        share = n_positive / (n_positive + curves.negatives.sum())
        hull = hull_in_pr(hull, float(share))
    table = hull.iloc[:, :2].set_axis(["x", "y"], axis=1)
    return table.assign(low=np.nan, high=np.nan)


def mean_areas(areas: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return mean areas and the SD of AUC over folds that have them, one row per algorithm, largest AUC first.

    Examples
    --------
    >>> one, other = pd.DataFrame({"auc": [0.5, 0.6]}), pd.DataFrame({"auc": [0.8, None]})
    >>> mean_areas({"a": one, "b": other})["auc"].round(2).to_dict()
    {'b': 0.8, 'a': 0.55}
    """
    rows = {name: {**table.mean(), "sd": table["auc"].std()} for name, table in areas.items()}
    means = pd.DataFrame(rows, index=[*_AREAS, "sd"]).T
    return means.sort_values("auc", ascending=False, kind="stable")


def hull_area(curves: FoldCurves) -> float:
    """Return the area under the ROC convex hull, averaged over folds with both classes."""
    hulls = [roc_hull(curves.roc(i)) for i in usable(curves)]
    return float(np.mean([np.trapezoid(hull["tpr"], hull["fpr"]) for hull in hulls]))


def partial_areas(curves: FoldCurves, over: str, low: float, high: float) -> tuple[float, float]:
    """Return the partial area averaged over folds with both classes, raw and scaled; see `partial_area`."""
    parts = []
    for i in usable(curves):
        roc = curves.roc(i)
        raw = roc_pr.partial_area(roc, over=over, low=low, high=high, scaled=False)
        scaled = roc_pr.partial_area(roc, over=over, low=low, high=high, scaled=True)
        parts.append([raw, scaled])
    mean_raw, mean_scaled = np.mean(parts, axis=0)
    return float(mean_raw), float(mean_scaled)


def errors_at(
    data: DataCurves, names: Sequence[str], theta: float, scale: str = "logistic"
) -> pd.DataFrame:
    """Return the error of each algorithm on each fold at a threshold, fold x algorithm."""
    counts = data.counts([theta], scale)[0]
    wrong = counts[:, :, COUNTS.index("fp")] + counts[:, :, COUNTS.index("fn")]
    errors = pd.DataFrame((wrong / counts.sum(axis=2)).T, columns=list(data.names))
    return errors[list(names)]


def rates_at_threshold(
    data: DataCurves, names: Sequence[str], theta: float, scale: str = "logistic"
) -> pd.DataFrame:
    """Return mean error, tpr, fpr, precision and risk per instance over folds, by algorithm, lowest risk first."""
    counts = dict(zip(data.names, data.counts([theta], scale)[0], strict=True))
    rows = {}
    for name in names:
        folds = pd.DataFrame(counts[name], columns=list(COUNTS))
        means = measures.confusion_measures(folds)[list(_AT_THETA)].mean()
        per_case = risk(counts[name], theta) / folds.sum(axis=1)
        rows[name] = {**means, "risk": float(per_case.mean())}
    return pd.DataFrame(rows).T.sort_values("risk", kind="stable")


def dominance(averages: Mapping[str, pd.DataFrame], control: str = "") -> pd.DataFrame:
    """Return one row per pair of average ROC curves, or per pair with the control: first, second, dominating, crossing FPR.

    dominating is the name of an algorithm, "equal" or "neither"; crossing FPR is as in
    `describe_crossings`.
    """
    lines = {
        name: table.rename(columns={"x": "fpr", "y": "tpr"}) for name, table in averages.items()
    }
    rows = []
    for a, b in combinations(lines, 2):
        if control in lines and control not in (a, b):
            continue
        winner = dominates(lines[a], lines[b])
        name_of = {"first": a, "second": b}
        dominating = name_of.get(winner, winner)
        rows.append((a, b, dominating, describe_crossings(lines[a], lines[b])))
    return pd.DataFrame(rows, columns=["first", "second", "dominating", "crossing FPR"])
