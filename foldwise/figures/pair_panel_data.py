"""Data of the panels that compare a pair of algorithms on one data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd


@dataclass(frozen=True, kw_only=True, eq=False)
class HistogramPanel:
    """The values of one measure over folds.

    Attributes
    ----------
    label : str
        The measure, such as ``"error"``.
    values : DataFrame
        Fold by algorithm, for the two algorithms of the pair. Undefined values are left out.
    note : str
        Result of the test, such as ``"t test p 0.41, accepts"``.
    unit : str
        Source of one value per algorithm, such as "fold".
    """

    label: str
    values: pd.DataFrame
    note: str = ""
    unit: str = "fold"


@dataclass(frozen=True, kw_only=True, eq=False)
class CurvePanel:
    """The curves of every fold in the unit square, and their averages.

    Attributes
    ----------
    label : str
        ``"ROC"`` or ``"PR"``; a diagonal is drawn for ROC.
    folds : mapping of algorithm to sequence of DataFrame
        Columns ``x`` and ``y`` per fold.
    averages : mapping of algorithm to DataFrame
        Columns ``x`` and ``y``.
    x_title, y_title, note : str
        Titles of the axes, and the result of the test.
    unit : str
        As for a histogram.
    """

    label: str
    folds: Mapping[str, Sequence[pd.DataFrame]]
    averages: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    x_title: str
    y_title: str
    note: str = ""
    unit: str = "fold"


@dataclass(frozen=True, kw_only=True, eq=False)
class ScatterPanel:
    """The folds in two measures, with an ellipse per algorithm.

    Attributes
    ----------
    label : str
        The measures, such as ``"(fpr, tpr)"``.
    points : mapping of algorithm to DataFrame
        Columns ``x`` and ``y``, one row per fold, the index its label.
    ellipses : mapping of algorithm to DataFrame
        Columns ``x`` and ``y``: a closed line.
    x_title, y_title, note : str
        Titles of the axes, and the result of the test.
    unit : str
        As for a histogram.
    """

    label: str
    points: Mapping[str, pd.DataFrame]
    ellipses: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    x_title: str
    y_title: str
    note: str = ""
    unit: str = "fold"


Panel = HistogramPanel | CurvePanel | ScatterPanel
