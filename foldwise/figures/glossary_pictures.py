"""The pictures of the glossary: made-up numbers, drawn by the builders that the pages use."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.cd_diagram import cd_diagram
from foldwise.figures.clouds import contours
from foldwise.figures.cost_curves import cost_curves
from foldwise.figures.difference_ellipse import difference_ellipse
from foldwise.figures.difference_interval import difference_interval
from foldwise.figures.fold_histogram import fold_histogram
from foldwise.figures.ordering_graph import ordering_graph
from foldwise.figures.ordering_strip import ordering_strip
from foldwise.figures.paired_folds import paired_folds
from foldwise.figures.rank_map import rank_map
from foldwise.figures.roc import roc
from foldwise.figures.theme import Style
from stats_core.core.significance import significant
from stats_core.inference.multivariate.hotelling import hotelling_paired
from stats_core.inference.paired import corrected_t
from stats_core.inference.ranks import critical_difference
from stats_core.ordering.multitest import sort_by_edges

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
ORDER = sort_by_edges(BY_COST, BETTER).order


def _interval(first: str, x: pd.Series, y: pd.Series, style: Style) -> go.Figure:
    outcome = corrected_t(x, y, test_fraction=0.1)
    row = {"estimate": outcome.estimate, "low": outcome.low, "high": outcome.high}
    return difference_interval(
        x - y,
        pd.DataFrame([row], index=["corrected t"]),
        first=first,
        second="forest",
        measure="error",
        higher_is_better=False,
        style=style,
    )


def _pairs(style: Style) -> go.Figure:
    table = pd.DataFrame({"forest": FOREST, "bayes": BAYES})
    return paired_folds(table, measure="error", higher_is_better=False, style=style)


def points_of_two() -> dict[str, pd.DataFrame]:
    """Return the folds of two algorithms in two measures."""
    return {
        "forest": pd.DataFrame({"fpr": _FALSE_ALARMS, "tpr": 1 - FOREST}),
        "bayes": pd.DataFrame({"fpr": BAYES / 2 + 0.08, "tpr": 1.05 - BAYES - _FALSE_ALARMS}),
    }


def _contours(style: Style) -> go.Figure:
    points = points_of_two()
    return contours(points, {name: t.cov().to_numpy() for name, t in points.items()}, style=style)


def _ellipse(style: Style) -> go.Figure:
    points = points_of_two()
    outcome = hotelling_paired(points["forest"], points["bayes"], test_fraction=0.1)
    return difference_ellipse(
        points["forest"] - points["bayes"],
        outcome.region(0.95),
        first="forest",
        second="bayes",
        rejects=significant(outcome.pvalue, 0.05),
        style=style,
    )


def _roc(style: Style) -> go.Figure:
    x = np.linspace(0, 1, 101)
    curves = {
        name: pd.DataFrame({"x": x, "y": x**power, "low": np.nan, "high": np.nan})
        for name, power in (("forest", 0.15), ("bayes", 0.4))
    }
    return roc({}, curves, kind="roc", style=style, average="", band="none")


def _costs(style: Style) -> go.Figure:
    pc = np.linspace(0, 1, 101)
    trivial = np.minimum(pc, 1 - pc)
    curves = {
        "forest": pd.DataFrame({"pc": pc, "cost": np.minimum(trivial, 0.08 + 0.12 * pc)}),
        "bayes": pd.DataFrame({"pc": pc, "cost": np.minimum(trivial, 0.24 - 0.12 * pc)}),
    }
    return cost_curves(curves, style=style)


# name: builder, and what is drawn, for screen readers
PICTURES = {
    "ranks": (
        lambda style: rank_map(ERRORS.rank(axis=1), ERRORS, style=style),
        "ranks of three algorithms on three data sets.",
    ),
    "clique": (
        lambda style: cd_diagram(RANKS, [("a", "b"), ("b", "c")], style=style),
        "average ranks of a, b, c, d; one bar joins a and b, another b and c.",
    ),
    "critical": (
        lambda style: cd_diagram(
            RANKS,
            [("a", "b", "c"), ("b", "c", "d")],
            style=style,
            critical_difference=(critical_difference(4, 10, 0.05), "10 data sets"),
        ),
        "average ranks with a ruler as long as the critical difference.",
    ),
    "contour": (_contours, "two clouds of folds with contours of 50% and 90%."),
    "costs": (_costs, "two cost curves that cross."),
    "ellipse": (_ellipse, "paired differences; the origin lies outside the ellipse."),
    "folds": (
        lambda style: fold_histogram(
            pd.DataFrame({"forest": FOREST, "bayes": BAYES}),
            measure="error",
            higher_is_better=False,
            style=style,
            form="rows",
        ),
        "the errors of two algorithms on ten folds as bricks.",
    ),
    "interval": (
        lambda style: _interval("bayes", BAYES, FOREST, style),
        "differences of ten folds; the interval leaves out zero.",
    ),
    "not_separated": (
        lambda style: _interval("svm", SVM, FOREST, style),
        "differences of ten folds; the interval holds zero.",
    ),
    "order": (
        lambda style: ordering_graph(BY_COST, BETTER, style=style, taken=ORDER),
        "four algorithms by cost, with arrows to the costlier that are better.",
    ),
    "pairing": (_pairs, "lines that join the two results of each of ten folds."),
    "roc": (_roc, "two ROC curves above the diagonal."),
    "underlines": (
        lambda style: ordering_strip(
            pd.Series({"forest": 0.12, "svm": 0.13, "tree": 0.16, "bayes": 0.21}),
            [("forest", "svm"), ("svm", "tree")],
            style=style,
            higher_is_better=False,
            measure="error",
        ),
        "four names in order, two underlines.",
    ),
}
