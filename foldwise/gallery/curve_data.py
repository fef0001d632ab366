"""From curves of single folds to what is drawn: averages with bands, thinned paths, marks."""

import numpy as np
import pandas as pd

from foldwise.figures.decimate import thinned
from foldwise.gallery.parts import fold_names
from stats_core.curves.curve_shapes import (
    hull_in_pr,
    roc_hull,
    threshold_average,
    usable,
    vertical_average,
)
from stats_core.curves.curves import FoldCurves
from stats_core.curves.losses import iso_cost_slope
from stats_core.curves.on_curves import DataCurves

AVERAGES = ("vertical average", "threshold average", "hull of all folds")


def average_curves(
    data: DataCurves, kind: str, average: str, band: str, fraction: float | None
) -> dict[str, pd.DataFrame]:
    """Return the average curve of each algorithm.

    Parameters
    ----------
    data : DataCurves
    kind : {"roc", "pr", "sensitivity"}
        What x and y are.
    average : str
        One of `AVERAGES`.
    band : str
        One of `stats_core.curves.curve_shapes.BANDS`; a hull has none.
    fraction : float or None
        n_test / n, for the corrected band.

    Returns
    -------
    dict of algorithm to DataFrame
        Columns x, y, low, high.
    """
    return {
        name: _average(curves, kind, average, band, fraction)
        for name, curves in data.curves.items()
    }


def _average(
    curves: FoldCurves, kind: str, average: str, band: str, fraction: float | None
) -> pd.DataFrame:
    of = "pr" if kind == "pr" else "roc"
    if average == "hull of all folds":
        table = _hull(curves, of)
    else:
        over = threshold_average if average == "threshold average" else vertical_average
        table = over(curves, of, band=band, test_fraction=fraction)
    if kind == "sensitivity":
        table = table.assign(x=1 - table["x"]).iloc[::-1].reset_index(drop=True)
    return table


def _hull(curves: FoldCurves, of: str) -> pd.DataFrame:
    hull = roc_hull(pd.concat([curves.roc(i) for i in usable(curves)], ignore_index=True))
    if of == "pr":
        share = curves.positives.sum() / (curves.positives.sum() + curves.negatives.sum())
        hull = hull_in_pr(hull, float(share))
    table = hull.iloc[:, :2].set_axis(["x", "y"], axis=1)
    return table.assign(low=np.nan, high=np.nan)


def fold_paths(data: DataCurves, kind: str) -> dict[str, dict[str, pd.DataFrame]]:
    """Return the curve of every fold with as many points as the eye can tell apart."""
    labels = fold_names(data.folds)
    paths = {}
    for name, curves in data.curves.items():
        kept = usable(curves)
        whole = [curves.pr(i) if kind == "pr" else curves.roc(i) for i in kept]
        whole = [curve.set_axis(["x", "y", "threshold"], axis=1) for curve in whole]
        if kind == "sensitivity":
            whole = [curve.assign(x=1 - curve["x"]) for curve in whole]
        paths[name] = dict(zip([labels[i] for i in kept], thinned(whole), strict=True))
    return paths


def marks_at(data: DataCurves, counts: np.ndarray, kind: str) -> pd.DataFrame:
    """Return where each fold of one algorithm works, from its counts at the threshold.

    Parameters
    ----------
    data : DataCurves
    counts : array, fold x (tp, fp, tn, fn)
    kind : {"roc", "pr", "sensitivity"}
        What x and y are.

    Returns
    -------
    DataFrame, fold x (x, y)
        Without folds where either is undefined.
    """
    tp, fp, tn, fn = counts.T.astype(float)
    with np.errstate(invalid="ignore"):
        tpr, fpr, precision = tp / (tp + fn), fp / (fp + tn), tp / (tp + fp)
    x, y = {"roc": (fpr, tpr), "pr": (tpr, precision), "sensitivity": (1 - fpr, tpr)}[kind]
    return pd.DataFrame({"x": x, "y": y}, index=fold_names(data.folds)).dropna()


def same_cost(
    data: DataCurves, marks: dict[str, pd.DataFrame], theta: float
) -> tuple[float, float, str]:
    """Return slope, intercept and name of the line of equal cost through the best mean mark."""
    slope = iso_cost_slope(theta, int(data.positives.sum()), int(data.negatives.sum()))
    intercept = max(
        float(table["y"].mean() - slope * table["x"].mean())
        for table in marks.values()
        if len(table)
    )
    return slope, intercept, "same cost"
