"""Curves, areas, thresholds and costs of one data set as drawings, from its scores."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from foldwise.figures.roc import MOST_WITH_FOLDS
from foldwise.gallery import curves
from foldwise.gallery.curve_data import fold_paths, marks_at, same_cost
from foldwise.gallery.drawing import Drawing
from foldwise.gallery.on_cases import case_drawings
from foldwise.gallery.parts import Colours, fold_names
from stats_core.core.errors import FoldwiseError
from stats_core.curves.curve_shapes import BANDS
from stats_core.curves.on_curves import DataCurves, curves_on, one_fold_intervals
from stats_core.curves.over_sweeps import sweep_curves
from stats_core.curves.summed_up import AVERAGES, average_curves
from stats_core.curves.sweep import Sweep
from stats_core.data.case_table import case_table
from stats_core.data.results import Results
from stats_core.data.settings import Settings, corrected_share, tested_share

SWEPT = ("tp", "fp", "tn", "fn")  # measures that a sweep over thresholds tests together
MOST_SWEPT = 12  # algorithms


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scores:
    """The curves of one data set and how they are looked at."""

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
) -> list[Drawing]:
    """Return the figures of scores on one data set: curves, areas, thresholds, costs.

    Parameters
    ----------
    results : Results
        With a score per instance.
    dataset : str
        Its name.
    algorithms : collection of str
        Which of them to draw.
    settings : Settings
        Only `alpha`, `overlap`, `test_fraction` and `win` count.
    colours : mapping of str, optional
        Colours of all algorithms.
    theta : float
        The threshold that is marked.
    """
    try:
        data = curves_on(results, dataset)
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
    found = [_curves(scores, "roc"), _curves(scores, "pr"), _areas(scores, int(defined.argmax()))]
    cases = case_table(results.select(algorithms=list(names)), dataset)
    if cases is not None:
        found += case_drawings(cases, colours, theta)
    swept = _sweep(
        scores,
        alpha=settings.alpha,
        rule=settings.win,
        test_fraction=corrected_share(results, dataset, settings),
    )
    if swept is not None:
        everyone = results.algorithms
        found.append(
            curves.sweep_drawing(data, swept, theta=theta, algorithms=everyone, colours=colours)
        )
        points = average_curves(data, "roc", AVERAGES[1], BANDS[0], None)
        found.append(
            curves.cost_drawing(
                data,
                {name: points[name] for name in names},
                scores.counts,
                at=curves.cost_share(data, theta),
                algorithms=everyone,
                colours=colours,
            )
        )
    return found


def _curves(scores: _Scores, kind: str) -> Drawing:
    data, names = scores.data, scores.names
    averages = average_curves(data, kind, AVERAGES[0], BANDS[0], scores.fraction)
    marks = {name: marks_at(data, scores.counts[name], kind) for name in names}
    known = any(len(table) for table in marks.values())
    lines = []
    if kind == "roc" and known and 0 < scores.theta < 1:
        lines = [same_cost(data, marks, scores.theta)]
    paths = fold_paths(data, kind) if len(names) <= MOST_WITH_FOLDS else {}
    return curves.roc_drawing(
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


def _areas(scores: _Scores, place: int) -> Drawing:
    """Return the areas, with the intervals from the first fold that has both classes."""
    labels = fold_names(scores.data.folds)
    table = curves.areas_of_folds(scores.data, scores.areas, scores.names)
    bars = one_fold_intervals(scores.data, place)
    return curves.areas_drawing(
        scores.data,
        table,
        {name: bars[name] for name in table},
        fold=labels[place],
        colours=scores.colours,
    )


def _sweep(scores: _Scores, **options) -> Sweep | None:
    """Return who wins at which threshold, None where that cannot be tested."""
    if not 2 <= len(scores.names) <= MOST_SWEPT:
        return None
    try:
        return sweep_curves(scores.data, scores.names, measures=SWEPT, **options)
    except FoldwiseError:
        return None
