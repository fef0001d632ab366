"""Figures of the glossary, drawn from made-up numbers."""

from collections.abc import Callable
from functools import partial
from typing import TypedDict

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import (
    cd_diagram,
    clouds,
    cost_curves,
    difference_ellipse,
    difference_interval,
    fold_histogram,
    ordering_graph,
    ordering_strip,
    paired_folds,
    rank_map,
    roc,
)
from foldwise.figures.theme import Style
from stats_core.core.validation import significant
from stats_core.inference import ranks
from stats_core.inference.multivariate import hotelling
from stats_core.inference.paired import corrected_t
from stats_core.ordering import multitest

_FOLDS = [str(i) for i in range(1, 11)]
BAYES = pd.Series([0.21, 0.19, 0.24, 0.22, 0.17, 0.20, 0.23, 0.18, 0.21, 0.25], _FOLDS)
FOREST = pd.Series([0.18, 0.17, 0.19, 0.21, 0.15, 0.18, 0.19, 0.17, 0.19, 0.20], _FOLDS)
SVM = pd.Series([0.19, 0.16, 0.21, 0.20, 0.16, 0.16, 0.20, 0.18, 0.17, 0.21], _FOLDS)
_FALSE_ALARMS = pd.Series([0.09, 0.12, 0.08, 0.11, 0.13, 0.10, 0.12, 0.09, 0.11, 0.10], _FOLDS)
RANKS = pd.Series({"a": 1.5, "b": 2.2, "c": 2.7, "d": 3.6})
ERRORS = pd.DataFrame(
    {"forest": [0.17, 0.26, 0.05], "svm": [0.18, 0.24, 0.07], "bayes": [0.21, 0.30, 0.09]},
    index=["heart", "soil", "wine"],
)
BY_COST = ("bayes", "tree", "forest", "svm")
BETTER = (("bayes", "forest"), ("bayes", "svm"), ("tree", "forest"))
ORDER = multitest.sort_by_edges(BY_COST, BETTER).order


class _Measure(TypedDict):
    measure: str
    higher_is_better: bool


_ERROR: _Measure = {"measure": "error", "higher_is_better": False}
TWO = pd.DataFrame({"forest": FOREST, "bayes": BAYES})


def _interval(first: str, folds: pd.Series, style: Style) -> go.Figure:
    outcome = corrected_t(folds, FOREST, test_fraction=0.1)
    row = {"estimate": outcome.estimate, "low": outcome.low, "high": outcome.high}
    tests = pd.DataFrame([row], index=["corrected t"])
    spec = difference_interval.DifferenceInterval(
        differences=folds - FOREST, intervals=tests, first=first, second="forest", **_ERROR
    )
    return spec.draw(style)


def points_of_two() -> dict[str, pd.DataFrame]:
    """Return made-up folds of two algorithms on two measures."""
    return {
        "forest": pd.DataFrame({"fpr": _FALSE_ALARMS, "tpr": 1 - FOREST}),
        "bayes": pd.DataFrame({"fpr": BAYES / 2 + 0.08, "tpr": 1.05 - BAYES - _FALSE_ALARMS}),
    }


def _contours(style: Style) -> go.Figure:
    points = points_of_two()
    covariances = {name: table.cov().to_numpy() for name, table in points.items()}
    return clouds.Contours(folds=points, covariances=covariances).draw(style)


def _ellipse(style: Style) -> go.Figure:
    forest, bayes = points_of_two().values()
    outcome = hotelling.hotelling_paired(forest, bayes, test_fraction=0.1)
    spec = difference_ellipse.DifferenceEllipse(
        differences=forest - bayes,
        shape=outcome.region(0.95),
        first="forest",
        second="bayes",
        rejects=significant(outcome.pvalue, 0.05),
    )
    return spec.draw(style)


def _roc(style: Style) -> go.Figure:
    x = np.linspace(0, 1, 101)
    powers = {"forest": 0.15, "bayes": 0.4}
    curves = {
        name: pd.DataFrame({"x": x, "y": x**power, "low": np.nan, "high": np.nan})
        for name, power in powers.items()
    }
    return roc.RocCurves(folds={}, averages=curves, kind="roc", average="", band="none").draw(style)


def _costs(style: Style) -> go.Figure:
    pc = np.linspace(0, 1, 101)
    costs = {"forest": 0.08 + 0.12 * pc, "bayes": 0.24 - 0.12 * pc}
    trivial = np.minimum(pc, 1 - pc)
    curves = {
        name: pd.DataFrame({"pc": pc, "cost": np.minimum(trivial, cost)})
        for name, cost in costs.items()
    }
    return cost_curves.CostCurves(envelopes=curves).draw(style)


_CD = (ranks.critical_difference(4, 10, 0.05), "10 data sets")
_MEANS = pd.Series({"forest": 0.12, "svm": 0.13, "tree": 0.16, "bayes": 0.21})
# name, with an alternative text in the catalog: function of a style that draws it
PICTURES: dict[str, Callable[..., go.Figure]] = {
    "ranks": rank_map.RankMap(ranks=ERRORS.rank(axis=1), values=ERRORS).draw,
    "clique": cd_diagram.CDDiagram(average_ranks=RANKS, groups=[("a", "b"), ("b", "c")]).draw,
    "critical": cd_diagram.CDDiagram(
        average_ranks=RANKS, groups=[("a", "b", "c"), ("b", "c", "d")], critical_difference=_CD
    ).draw,
    "contour": _contours,
    "costs": _costs,
    "ellipse": _ellipse,
    "folds": fold_histogram.FoldHistogram(values=TWO, **_ERROR).draw,
    "interval": partial(_interval, "bayes", BAYES),
    "not_separated": partial(_interval, "svm", SVM),
    "order": ordering_graph.OrderingGraph(prior=BY_COST, edges=BETTER, taken=ORDER).draw,
    "pairing": paired_folds.PairedFolds(values=TWO, **_ERROR).draw,
    "roc": _roc,
    "underlines": ordering_strip.OrderingStrip(
        means=_MEANS, groups=[("forest", "svm"), ("svm", "tree")], **_ERROR
    ).draw,
}
