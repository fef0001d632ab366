"""The Foldwise namespace: the public names of stats_core and the figure builders.

>>> import foldwise as fw
>>> fw.critical_difference(k=5, n_datasets=30, alpha=0.05)
1.1136092236789705

A name is loaded when it is first used: neither plotly nor streamlit come with the import.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stats_core import *  # noqa: F403 - type checkers cannot follow __getattr__

_FIGURES = (
    "auc_histogram cd_diagram cost_curves difference_ellipse difference_interval differences "
    "fold_histogram loadings loss_winners order_paths order_probability ordering_graph "
    "ordering_strip pair_matrix pair_panels paired_folds power_curves qq rank_map roc scatter "
    "sign_test_graph wins_table"
).split()
# names defined outside stats_core -> their module; most figures have a module of the same name
_HOMES = {name: f"foldwise.figures.{name}" for name in _FIGURES} | {
    "cd_diagram_control": "foldwise.figures.cd_diagram",
    "contour_matrix": "foldwise.figures.clouds",
    "contours": "foldwise.figures.clouds",
    "drawings": "foldwise.figures.registry",
}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted({*import_module("stats_core").__all__, *_HOMES})
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if not name.startswith("_") and name in (library := import_module("stats_core")).__all__:
        return getattr(library, name)
    raise AttributeError(f"module 'foldwise' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
