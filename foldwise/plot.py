"""Figures of a comparison or of plain numbers, for the screen or, with `paper()`, for print.

>>> import foldwise as fw
>>> figure = fw.plot.cd_diagram({"rf": 1.2, "svm": 1.9, "knn": 2.9}, [[1, 0.3, 0.01], [0.3, 1, 0.04], [0.01, 0.04, 1]])
>>> len(figure.data) > 0
True
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from foldwise.figures import registry
from foldwise.figures.auc_histogram import AucHistogram
from foldwise.figures.cd_diagram import CDControlDiagram, CDDiagram
from foldwise.figures.clouds import Contours
from foldwise.figures.cost_curves import CostCurves
from foldwise.figures.difference_ellipse import DifferenceEllipse
from foldwise.figures.difference_interval import DifferenceInterval
from foldwise.figures.differences import Differences
from foldwise.figures.fold_histogram import FoldHistogram
from foldwise.figures.instance_figures import AgreementTables
from foldwise.figures.loadings import Loadings
from foldwise.figures.loss_winners import LossWinners
from foldwise.figures.order_paths import OrderPathFigure
from foldwise.figures.order_probability import OrderProbability
from foldwise.figures.ordering_graph import OrderingGraph
from foldwise.figures.ordering_strip import OrderingStrip
from foldwise.figures.pair_matrix import PairMatrix
from foldwise.figures.pair_panels import PairPanels
from foldwise.figures.paired_folds import PairedFolds
from foldwise.figures.power_curves import PowerCurves
from foldwise.figures.qq import NormalQQ
from foldwise.figures.raincloud import Raincloud
from foldwise.figures.rank_map import RankMap
from foldwise.figures.rank_sequence import DifferencesByGroup, RankSequence
from foldwise.figures.roc import RocCurves
from foldwise.figures.scatter import Scatter
from foldwise.figures.sign_test_graph import SignTestGraph
from foldwise.figures.spec import FigureSpec, drawing_function
from foldwise.figures.theme import Style
from foldwise.figures.theme import paper as paper
from foldwise.figures.theme import screen as screen
from foldwise.figures.wins_table import WinsTable
from stats_core.comparison.result import Comparison, HasComparison, comparison_of, has_comparison
from stats_core.core.errors import SettingError
from stats_core.core.result_types import labeled_matrix
from stats_core.core.validation import as_table, check_names, check_pvalues
from stats_core.inference.multiplicity.cliques import cliques


def cd_diagram(
    average_ranks: Mapping[str, float] | pd.Series | Comparison | HasComparison,
    pvalues: pd.DataFrame | ArrayLike | None = None,
    *,
    groups: Sequence[Sequence[str]] | None = None,
    alpha: float | None = None,
    style: Style | None = None,
    **options: Any,
) -> go.Figure:
    """Return a critical-difference diagram of average ranks, with a bar over each group without significant differences.

    Parameters
    ----------
    average_ranks : dict or Series, algorithm to average rank, or Comparison
        The lowest rank is the best. A comparison has all that the diagram needs.
    pvalues : DataFrame or array, algorithm x algorithm, optional
        Adjusted p-values of all pairs, symmetric. A DataFrame is matched by name, an array is in
        the order of `average_ranks`.
    groups : sequence of sequences of str, optional
        The groups, instead of those that `pvalues` give at `alpha`.
    alpha : float, optional
        Significance level, 0.05 by default.
    style : Style, optional
        `screen()`, the default, or `paper()`.
    **options
        Attributes of the figure, such as `measure`, `over`, or `critical_difference=(1.11,
        "Nemenyi")`.

    Returns
    -------
    plotly.graph_objects.Figure
        The diagram.

    Raises
    ------
    SettingError, DataError
        Neither `pvalues` nor `groups` is given; p-values are not symmetric, or of other algorithms;
        the comparison has no such diagram.

    References
    ----------
    Demsar, JMLR 7 (2006), section 3.2.2.

    Examples
    --------
    >>> figure = cd_diagram({"rf": 1.2, "svm": 1.9, "knn": 2.9}, groups=[("rf", "svm")], style=paper(3.5))
    >>> figure.layout.width
    336
    """
    style = screen() if style is None else style
    if has_comparison(average_ranks):
        return replace(_figure_of(average_ranks, CDDiagram, "cd_diagram"), **options).draw(style)
    ranks = pd.Series(average_ranks, dtype=float)
    ranks.index = ranks.index.map(str)
    if pvalues is not None:
        table = as_table(pvalues, "pvalues")
        if not isinstance(pvalues, pd.DataFrame) and table.shape == (len(ranks), len(ranks)):
            table = labeled_matrix(table.to_numpy(), ranks.index)
        pvalues = table = table.rename(index=str, columns=str)
        shared = ranks.index.intersection(table.index)
        if not len(shared) == len(table) == len(ranks):
            sizes = {"n_table": len(table), "n_ranks": len(ranks), "n_shared": len(shared)}
            raise SettingError.of("average_ranks must name the algorithms of pvalues", **sizes)
    if groups is None:
        if pvalues is None:
            raise SettingError.of("diagram without groups")
        alpha, order = 0.05 if alpha is None else alpha, ranks.sort_values(kind="stable").index
        groups = cliques(check_pvalues(pvalues).loc[order, order], alpha)
    members = [check_names(group, "groups") for group in groups]
    return CDDiagram(
        average_ranks=ranks, groups=members, pvalues=pvalues, alpha=alpha, **options
    ).draw(style)


def _figure_of(source: Any, spec: type[FigureSpec], name: str) -> FigureSpec:
    """Return the figure of a kind in a comparison; SettingError, which names others, without one."""
    kinds: dict[type[FigureSpec], FigureSpec] = {}
    for results in (None, getattr(source, "results", comparison_of(source).results)):
        shown = registry.to_show(source, results=results)
        for _, figure in registry.named_drawings(shown):
            kinds.setdefault(type(figure), figure)
        if spec in kinds:
            return kinds[spec]
    functions = {"cd_diagram": CDDiagram} | {
        each: vars(draw)["kind"]
        for each, draw in globals().items()
        if "kind" in getattr(draw, "__dict__", {})
    }
    present = [each for each, kind in functions.items() if kind in kinds]
    raise SettingError.of("no such figure of a comparison", name=name, known=present)


agreement_tables = drawing_function(AgreementTables, "agreement_tables", _figure_of)
auc_histogram = drawing_function(AucHistogram, "auc_histogram", _figure_of)
cd_diagram_control = drawing_function(CDControlDiagram, "cd_diagram_control", _figure_of)
contour_matrix = drawing_function(Contours, "contour_matrix", _figure_of)
contours = drawing_function(Contours, "contours", _figure_of)
cost_curves = drawing_function(CostCurves, "cost_curves", _figure_of)
difference_ellipse = drawing_function(DifferenceEllipse, "difference_ellipse", _figure_of)
difference_interval = drawing_function(DifferenceInterval, "difference_interval", _figure_of)
differences = drawing_function(Differences, "differences", _figure_of)
differences_by_group = drawing_function(DifferencesByGroup, "differences_by_group", _figure_of)
fold_histogram = drawing_function(FoldHistogram, "fold_histogram", _figure_of)
loadings = drawing_function(Loadings, "loadings", _figure_of)
loss_winners = drawing_function(LossWinners, "loss_winners", _figure_of)
order_paths = drawing_function(OrderPathFigure, "order_paths", _figure_of)
order_probability = drawing_function(OrderProbability, "order_probability", _figure_of)
ordering_graph = drawing_function(OrderingGraph, "ordering_graph", _figure_of)
ordering_strip = drawing_function(OrderingStrip, "ordering_strip", _figure_of)
pair_matrix = drawing_function(PairMatrix, "pair_matrix", _figure_of)
pair_panels = drawing_function(PairPanels, "pair_panels", _figure_of)
paired_folds = drawing_function(PairedFolds, "paired_folds", _figure_of)
power_curves = drawing_function(PowerCurves, "power_curves", _figure_of)
qq = drawing_function(NormalQQ, "qq", _figure_of)
raincloud = drawing_function(Raincloud, "raincloud", _figure_of)
rank_map = drawing_function(RankMap, "rank_map", _figure_of)
rank_sequence = drawing_function(RankSequence, "rank_sequence", _figure_of)
roc = drawing_function(RocCurves, "roc", _figure_of)
scatter = drawing_function(Scatter, "scatter", _figure_of)
sign_test_graph = drawing_function(SignTestGraph, "sign_test_graph", _figure_of)
wins_table = drawing_function(WinsTable, "wins_table", _figure_of)
