"""Figures of the scores on one data set: curves, areas, thresholds and costs."""

from collections.abc import Collection
from typing import Any

from foldwise.figures import cost_curves, instance_figures, loss_winners
from foldwise.figures.auc_histogram import areas_drawing, fold_areas
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
    counts = dict(zip(data.names, data.counts([theta])[0], strict=True))
    fraction, areas = tested_share(results, dataset, settings), data.areas()
    specs: list[FigureSpec] = []
    for kind in ("roc", "pr"):
        averages = average_curves(data, kind, AVERAGES[0], BANDS[0], fraction)
        marks = {name: operating_points(data, counts[name], kind) for name in names}
        has_line = kind == "roc" and any(map(len, marks.values())) and 0 < theta < 1
        paths = fold_paths(data, kind) if len(names) <= MOST_WITH_FOLDS else {}
        specs.append(
            roc_drawing(
                data,
                {name: averages[name] for name in names},
                areas=areas,
                kind=kind,
                band=BANDS[0],
                paths={name: paths.get(name, {}) for name in names},
                marks=marks,
                lines=[same_cost(data, marks, theta)] if has_line else [],
                colours=colours,
            )
        )
    position = int(defined.argmax())  # of the fold that intervals are computed from
    values, bars = fold_areas(data, areas, names), one_fold_intervals(data, position)
    bars = {name: bars[name] for name in values}
    specs.append(areas_drawing(data, values, bars, fold=fold_names(data.folds)[position], colours=colours))
    cases = case_table(results.select(algorithms=list(names)), dataset)
    if cases is not None:
        specs += instance_figures.case_drawings(cases, colours, theta)
    share = corrected_share(results, dataset, settings)
    sweep = _sweep(data, names, alpha=settings.alpha, rule=settings.win, test_fraction=share)
    if sweep is not None:
        look = {"theta": theta, "algorithms": results.algorithms, "colours": colours}
        specs.append(loss_winners.sweep_drawing(data, sweep, **look))
        points = average_curves(data, "roc", AVERAGES[1], BANDS[0], None)
        specs.append(cost_curves.cost_drawing(data, {name: points[name] for name in names}, counts, **look))
    return specs


def _sweep(data: DataCurves, names: tuple[str, ...], **options: Any) -> Sweep | None:
    """Return the winners at each threshold, None if they cannot be tested."""
    if not 2 <= len(names) <= MOST_SWEPT:
        return None
    try:
        return sweep_curves(data, names, measures=SWEPT, **options)
    except FoldwiseError:
        return None
