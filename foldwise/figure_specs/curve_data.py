"""From curves of single folds to what is drawn: thinned paths, marks, lines of equal cost."""

import numpy as np
import pandas as pd

from foldwise.figure_specs.spec_parts import fold_names
from foldwise.figures.thin_points import thin_curves
from stats_core.curves.curve_comparison import DataCurves
from stats_core.curves.curve_shapes import usable
from stats_core.curves.loss_sweep import iso_cost_slope


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
        paths[name] = dict(zip([labels[i] for i in kept], thin_curves(whole), strict=True))
    return paths


def operating_points(data: DataCurves, counts: np.ndarray, kind: str) -> pd.DataFrame:
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
