"""The Foldwise namespace: the public names of stats_core and the functions that draw figures.

>>> import foldwise as fw
>>> fw.critical_difference(k=5, n_datasets=30, alpha=0.05)
1.1136092236789705

Names are loaded at first use, so that the import loads neither plotly nor streamlit.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stats_core import *  # noqa: F403 - type checkers cannot follow __getattr__

# drawing functions -> their classes, in foldwise.figures
_FIGURES = {
    "agreement_tables": "instance_figures.AgreementTables",
    "auc_histogram": "auc_histogram.AucHistogram",
    "cd_diagram": "cd_diagram.CDDiagram",
    "cd_diagram_control": "cd_diagram.CDControlDiagram",
    "contour_matrix": "clouds.Contours",
    "contours": "clouds.Contours",
    "cost_curves": "cost_curves.CostCurves",
    "difference_ellipse": "difference_ellipse.DifferenceEllipse",
    "difference_interval": "difference_interval.DifferenceInterval",
    "differences": "differences.Differences",
    "differences_by_group": "rank_sequence.DifferencesByGroup",
    "fold_histogram": "fold_histogram.FoldHistogram",
    "loadings": "loadings.Loadings",
    "loss_winners": "loss_winners.LossWinners",
    "order_paths": "order_paths.OrderPathFigure",
    "order_probability": "order_probability.OrderProbability",
    "ordering_graph": "ordering_graph.OrderingGraph",
    "ordering_strip": "ordering_strip.OrderingStrip",
    "pair_matrix": "pair_matrix.PairMatrix",
    "pair_panels": "pair_panels.PairPanels",
    "paired_folds": "paired_folds.PairedFolds",
    "power_curves": "power_curves.PowerCurves",
    "qq": "qq.NormalQQ",
    "raincloud": "raincloud.Raincloud",
    "rank_map": "rank_map.RankMap",
    "rank_sequence": "rank_sequence.RankSequence",
    "roc": "roc.RocCurves",
    "scatter": "scatter.Scatter",
    "sign_test_graph": "sign_test_graph.SignTestGraph",
    "wins_table": "wins_table.WinsTable",
}


@cache
def _drawing_function(name: str) -> Any:
    """Return the public function that draws figures of a specification class."""
    module, figure = _FIGURES[name].split(".")
    spec = getattr(import_module(f"foldwise.figures.{module}"), figure)
    return import_module("foldwise.figures.spec").drawing_function(spec, name)


def __getattr__(name: str) -> Any:
    """Return the object with a public name, or the list `__all__`; raise AttributeError for other names."""
    if name == "__all__":
        return sorted({*import_module("stats_core").__all__, *_FIGURES, "drawings"})
    if name in _FIGURES:
        return _drawing_function(name)
    if name == "drawings":
        return import_module("foldwise.figures.registry").drawings
    if not name.startswith("_") and name in (library := import_module("stats_core")).__all__:
        return getattr(library, name)
    raise AttributeError(f"module 'foldwise' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
