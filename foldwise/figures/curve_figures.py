"""Figures of the scores of one data set: curves, areas, thresholds and costs."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from foldwise.figures import auc_histogram, cost_curves, instance_figures, loss_winners, roc
from foldwise.figures.auc_histogram import AucHistogram
from foldwise.figures.cost_curves import CostCurves
from foldwise.figures.loss_winners import LossWinners
from foldwise.figures.roc import MOST_WITH_FOLDS, CurveForm, Emphasis, Kind, RocCurves
from foldwise.figures.spec import Colours, FigureSpec, fold_names
from stats_core.comparison.kinds.fold_pair import or_none
from stats_core.curves import curve_comparison, threshold_sweep, trained_models
from stats_core.curves.curve_comparison import AVERAGES, BANDS, DataCurves
from stats_core.curves.threshold_sweep import Sweep
from stats_core.data import predictions
from stats_core.data.predictions import CaseTable
from stats_core.data.results import Results
from stats_core.data.settings import Settings, corrected_share, tested_share

_SWEPT = ("tp", "fp", "tn", "fn")  # measures tested together in a threshold sweep
_MOST_SWEPT = 12  # largest number of algorithms in a sweep


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreCurves:
    """Curves of the algorithms of one data set, from which the figures of scores are drawn.

    Attributes
    ----------
    results : Results
        The results with scores.
    dataset : str
        The data set.
    data : DataCurves
        Its curves, also of other algorithms.
    names : tuple of str
        The algorithms drawn.
    settings : Settings
        Settings of the comparison.
    colours : mapping of str to str, optional
        Colours of all algorithms.
    theta : float
        The threshold that curves mark.
    """

    results: Results
    dataset: str
    data: DataCurves
    names: tuple[str, ...]
    settings: Settings
    colours: Colours
    theta: float

    @property
    def defined(self) -> np.ndarray:
        """Whether each fold has instances of both classes."""
        return (self.data.positives > 0) & (self.data.negatives > 0)

    @cached_property
    def counts(self) -> dict[str, np.ndarray]:
        """Confusion counts of every fold at theta, by algorithm."""
        return dict(zip(self.data.names, self.data.counts([self.theta])[0], strict=True))

    @cached_property
    def areas(self) -> dict[str, pd.DataFrame]:
        """Areas under the curves of every fold, by algorithm."""
        return self.data.areas()

    @cached_property
    def cases(self) -> CaseTable | None:
        """The instances of a single test set; None if folds have different ones."""
        return predictions.case_table(
            self.results.select(algorithms=list(self.names)), self.dataset
        )

    @cached_property
    def sweep(self) -> Sweep | None:
        """Decisions at every threshold; None for one or many algorithms, or if none is possible."""
        if not 2 <= len(self.names) <= _MOST_SWEPT:
            return None
        return or_none(
            threshold_sweep.sweep_curves,
            self.data,
            self.names,
            measures=_SWEPT,
            alpha=self.settings.alpha,
            rule=self.settings.win,
            test_fraction=corrected_share(self.results, self.dataset, self.settings),
        )


def score_curves(
    results: Results,
    dataset: str,
    algorithms: Collection[str],
    settings: Settings,
    *,
    colours: Colours = None,
    theta: float = 0.5,
    data: DataCurves | None = None,
) -> ScoreCurves | None:
    """Return the curves of one data set, or None if none is defined; `data` if they are known."""
    data = data or or_none(curve_comparison.curves_of_folds, results, dataset)
    if data is None:
        return None
    curves = ScoreCurves(
        results=results,
        dataset=dataset,
        data=data,
        names=tuple(name for name in data.names if name in set(algorithms)),
        settings=settings,
        colours=colours,
        theta=theta,
    )
    return curves if curves.names and curves.defined.any() else None


def roc_figure(curves: ScoreCurves) -> RocCurves:
    """Return the ROC curves."""
    return _curves_figure(curves, "roc")


def pr_figure(curves: ScoreCurves) -> RocCurves:
    """Return the precision-recall curves."""
    return _curves_figure(curves, "pr")


def _curves_figure(curves: ScoreCurves, kind: Kind) -> RocCurves:
    data, names = curves.data, curves.names
    fraction = tested_share(curves.results, curves.dataset, curves.settings)
    averages = curve_comparison.average_curves(data, kind, AVERAGES[0], BANDS[0], fraction)
    paths = roc.fold_paths(data, kind) if len(names) <= MOST_WITH_FOLDS else {}
    return roc.roc_drawing(
        data,
        {name: averages[name] for name in names},
        CurveForm(kind=kind, band=BANDS[0]),
        areas=curves.areas,
        points=roc.points_at(curves.theta, data, curves.counts, names, kind),
        paths={name: paths.get(name, {}) for name in names},
        emphasis=Emphasis(colours=curves.colours, control=curves.settings.control),
    )


def areas_figure(curves: ScoreCurves) -> AucHistogram:
    """Return the areas under the ROC curves of all folds, with the intervals of one fold."""
    data = curves.data
    position = int(curves.defined.argmax())
    values = auc_histogram.fold_areas(data, curves.areas, curves.names)
    bars = curve_comparison.one_fold_intervals(data, position)
    return auc_histogram.areas_drawing(
        data,
        values,
        {name: bars[name] for name in values},
        fold=fold_names(data.folds)[position],
        colours=curves.colours,
    )


def risks_figure(curves: ScoreCurves) -> FigureSpec | None:
    """Return the risk differences on one test set; None without a test set of several models."""
    table = curves.cases
    if table is None or not instance_figures.has_risks(table):
        return None
    bands = trained_models.risk_bands(table, control=curves.settings.control)
    return instance_figures.risks_drawing(table, bands, curves.theta)


def calibration_figure(curves: ScoreCurves) -> FigureSpec | None:
    """Return the reliability diagram of one test set; None without probabilities."""
    table = curves.cases
    if table is None or not instance_figures.has_risks(table) or not table.probabilities:
        return None
    bins = trained_models.calibration_bins(table)
    return instance_figures.calibration_drawing(table, bins, curves.colours)


def winners_figure(curves: ScoreCurves) -> LossWinners | None:
    """Return the winner at each threshold; None without a sweep of thresholds."""
    if curves.sweep is None:
        return None
    return loss_winners.sweep_drawing(
        curves.data,
        curves.sweep,
        theta=curves.theta,
        algorithms=curves.results.algorithms,
        colours=curves.colours,
    )


def costs_figure(curves: ScoreCurves) -> CostCurves | None:
    """Return the cost curves; None without a sweep of thresholds."""
    if curves.sweep is None:
        return None
    points = curve_comparison.average_curves(curves.data, "roc", AVERAGES[1], BANDS[0], None)
    return cost_curves.cost_drawing(
        curves.data,
        {name: points[name] for name in curves.names},
        curves.counts,
        theta=curves.theta,
        algorithms=curves.results.algorithms,
        colours=curves.colours,
    )
