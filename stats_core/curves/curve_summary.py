"""The curves of all folds of a data set summed up: averages, areas, what happens at a threshold."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from stats_core.curves.curve_comparison import DataCurves
from stats_core.curves.curve_shapes import (
    describe_crossings,
    dominates,
    hull_in_pr,
    roc_hull,
    threshold_average,
    usable,
    vertical_average,
)
from stats_core.curves.loss_sweep import risk
from stats_core.curves.roc_pr import FoldCurves, partial_area
from stats_core.data.measures import COUNTS, confusion_measures

AVERAGES = ("vertical average", "threshold average", "hull of all folds")
AREAS = ("auc", "auc_pr", "average precision", "davis-goadrich")
AT_THETA = ("error", "tpr", "fpr", "precision")


def average_curves(
    data: DataCurves, kind: str, average: str, band: str, fraction: float | None
) -> dict[str, pd.DataFrame]:
    """What is the average curve of each algorithm over the folds?

    Parameters
    ----------
    data : DataCurves
    kind : {"roc", "pr", "sensitivity"}
        What x and y are.
    average : str
        One of `AVERAGES`.
    band : str
        One of `curve_shapes.BANDS`; a hull has none.
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


def mean_areas(areas: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """What area does each algorithm reach over the folds, the best first?

    Parameters
    ----------
    areas : mapping of algorithm to DataFrame
        From `DataCurves.areas`, one row per fold.

    Returns
    -------
    DataFrame, algorithm x kind of area
        Means over the folds that have an area, with `sd`, the standard deviation of `auc`.

    Examples
    --------
    >>> one, other = pd.DataFrame({"auc": [0.5, 0.6]}), pd.DataFrame({"auc": [0.8, None]})
    >>> mean_areas({"a": one, "b": other})["auc"].round(2).to_dict()
    {'b': 0.8, 'a': 0.55}
    """
    rows = {name: {**table.mean(), "sd": table["auc"].std()} for name, table in areas.items()}
    return pd.DataFrame(rows, index=[*AREAS, "sd"]).T.sort_values(
        "auc", ascending=False, kind="stable"
    )


def hull_area(curves: FoldCurves) -> float:
    """Return the mean area under the convex hulls of the ROC curves of all folds."""
    hulls = [roc_hull(curves.roc(i)) for i in usable(curves)]
    return float(np.mean([np.trapezoid(hull["tpr"], hull["fpr"]) for hull in hulls]))


def partial_areas(curves: FoldCurves, over: str, low: float, high: float) -> tuple[float, float]:
    """Return the mean partial area over all folds, raw and scaled; see `partial_area`."""
    parts = [
        [
            partial_area(curves.roc(i), over=over, low=low, high=high, scaled=scaled)
            for scaled in (False, True)
        ]
        for i in usable(curves)
    ]
    raw, scaled = np.mean(parts, axis=0)
    return float(raw), float(scaled)


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
    """What does each algorithm do at a threshold, least risk first?

    Parameters
    ----------
    data : DataCurves
    names : sequence of str
        The algorithms to look at.
    theta : float
        In [0, 1].
    scale : str
        How scores become probabilities, see `raw_thresholds`.

    Returns
    -------
    DataFrame, algorithm x (error, tpr, fpr, precision, risk)
        Means over folds; risk is per case, theta for a false positive and 1 - theta for a false
        negative. A fold without a positive call has no precision and is left out of that mean.
    """
    counts = dict(zip(data.names, data.counts([theta], scale)[0], strict=True))
    rows = {}
    for name in names:
        folds = pd.DataFrame(counts[name], columns=list(COUNTS))
        means = confusion_measures(folds)[list(AT_THETA)].mean()
        per_case = risk(counts[name], theta) / folds.sum(axis=1)
        rows[name] = {**means, "risk": float(per_case.mean())}
    return pd.DataFrame(rows).T.sort_values("risk", kind="stable")


def dominance(averages: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Whose average ROC curve is nowhere below another's, and where do they cross?

    Parameters
    ----------
    averages : mapping of algorithm to DataFrame
        From `average_curves`, of kind "roc".

    Returns
    -------
    DataFrame
        One row per pair: first, second, nowhere below the other (one of both, "neither" or
        "equal"), curves cross at fpr.
    """
    lines = {
        name: table.rename(columns={"x": "fpr", "y": "tpr"}) for name, table in averages.items()
    }
    rows = []
    for a, b in combinations(lines, 2):
        winner = dominates(lines[a], lines[b])
        above = {"first": a, "second": b}.get(winner, winner)
        rows.append((a, b, above, describe_crossings(lines[a], lines[b])))
    return pd.DataFrame(
        rows, columns=["first", "second", "nowhere below the other", "curves cross at fpr"]
    )
