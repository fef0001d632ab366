"""Figures of the scores on one data set: curves, areas, thresholds and costs."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from foldwise.figures.auc_histogram import areas_drawing, fold_areas
from foldwise.figures.cost_curves import cost_drawing
from foldwise.figures.instance_figures import case_drawings
from foldwise.figures.loss_winners import sweep_drawing
from foldwise.figures.roc import MOST_WITH_FOLDS, fold_paths, operating_points, roc_drawing, same_cost
from foldwise.figures.spec import Colours, FigureSpec, fold_names
from stats_core.core.errors import FoldwiseError
from stats_core.curves.curve_comparison import AVERAGES, DataCurves, average_curves, curves_of_folds, one_fold_intervals
from stats_core.curves.curve_shapes import BANDS
from stats_core.curves.threshold_sweep import Sweep, sweep_curves
from stats_core.data.predictions import case_table
from stats_core.data.results import Results
from stats_core.data.settings import Settings, corrected_share, tested_share

SWEPT = ("tp", "fp", "tn", "fn")  # measures tested together in a threshold sweep
MOST_SWEPT = 12  # largest number of algorithms in a sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scores:
    """Curves of one data set with the options of their figures."""

    data: DataCurves
    names: tuple[str, ...]
    counts: dict[str, np.ndarray]
    colours: Colours
    theta: float
    fraction: float | None
    areas: dict[str, pd.DataFrame]


def curve_drawings(
    results: Results,
    dataset: str,
    algorithms: Collection[str],
    settings: Settings,
    *,
    colours: Colours = None,
    theta: float = 0.5,
) -> list[FigureSpec]:
    """Return the figures of scores on one data set: curves, areas, thresholds, costs."""
    try:
        data = curves_of_folds(results, dataset)
    except FoldwiseError:
        return []
    names = tuple(name for name in data.names if name in set(algorithms))
    defined = (data.positives > 0) & (data.negatives > 0)
    if not names or not defined.any():
        return []
    scores = _Scores(
        data=data,
        names=names,
        counts=dict(zip(data.names, data.counts([theta])[0], strict=True)),
        colours=colours,
        theta=theta,
        fraction=tested_share(results, dataset, settings),
        areas=data.areas(),
    )
    specs = [_curves(scores, "roc"), _curves(scores, "pr"), _areas(scores, int(defined.argmax()))]
    cases = case_table(results.select(algorithms=list(names)), dataset)
    if cases is not None:
        specs += case_drawings(cases, colours, theta)
    swept = _sweep(
        scores, alpha=settings.alpha, rule=settings.win, test_fraction=corrected_share(results, dataset, settings)
    )
    if swept is not None:
        everyone = results.algorithms
        specs.append(sweep_drawing(data, swept, theta=theta, algorithms=everyone, colours=colours))
        points = average_curves(data, "roc", AVERAGES[1], BANDS[0], None)
        specs.append(
            cost_drawing(
                data,
                {name: points[name] for name in names},
                scores.counts,
                theta=theta,
                algorithms=everyone,
                colours=colours,
            )
        )
    return specs


def _curves(scores: _Scores, kind: str) -> FigureSpec:
    data, names = scores.data, scores.names
    averages = average_curves(data, kind, AVERAGES[0], BANDS[0], scores.fraction)
    marks = {name: operating_points(data, scores.counts[name], kind) for name in names}
    has_marks = any(len(table) for table in marks.values())
    lines = []
    if kind == "roc" and has_marks and 0 < scores.theta < 1:
        lines = [same_cost(data, marks, scores.theta)]
    paths = fold_paths(data, kind) if len(names) <= MOST_WITH_FOLDS else {}
    return roc_drawing(
        data,
        {name: averages[name] for name in names},
        areas=scores.areas,
        kind=kind,
        band=BANDS[0],
        paths={name: paths.get(name, {}) for name in names},
        marks=marks,
        lines=lines,
        colours=scores.colours,
    )


def _areas(scores: _Scores, position: int) -> FigureSpec:
    """Return the figure of areas, with intervals from the fold at a position."""
    labels = fold_names(scores.data.folds)
    table = fold_areas(scores.data, scores.areas, scores.names)
    bars = one_fold_intervals(scores.data, position)
    return areas_drawing(
        scores.data, table, {name: bars[name] for name in table}, fold=labels[position], colours=scores.colours
    )


def _sweep(scores: _Scores, **options) -> Sweep | None:
    """Return the winners at each threshold, None if they cannot be tested."""
    if not 2 <= len(scores.names) <= MOST_SWEPT:
        return None
    try:
        return sweep_curves(scores.data, scores.names, measures=SWEPT, **options)
    except FoldwiseError:
        return None
