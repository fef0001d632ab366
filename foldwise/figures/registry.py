"""Figures of each kind of analysis, and the reasons why others are unavailable."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from foldwise.figures import (
    auc_histogram,
    cd_diagram,
    clique_plane,
    clouds,
    confusion,
    cost_curves,
    cost_plane,
    difference_ellipse,
    difference_interval,
    differences,
    fold_histogram,
    instance_figures,
    loadings,
    loss_winners,
    order_paths,
    ordering_graph,
    ordering_strip,
    pair_matrix,
    paired_folds,
    qq,
    raincloud,
    rank_map,
    rank_sequence,
    ranks_with_intervals,
    roc,
    scatter,
    sign_test_graph,
    simulation_figures,
    theme,
    wins_table,
)
from foldwise.figures.roc import MOST_WITH_FOLDS
from foldwise.figures.spec import Colours, FigureSpec, fold_names
from stats_core.comparison.kinds.fold_pair import or_none
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.comparison.kinds.wins import WinsComparison
from stats_core.comparison.result import Comparison
from stats_core.core.validation import check_kind
from stats_core.curves import curve_comparison, threshold_sweep, thresholds
from stats_core.curves.curve_comparison import AVERAGES, BANDS, DataCurves
from stats_core.data import predictions
from stats_core.data.results import Results
from stats_core.data.settings import Settings, corrected_share, tested_share
from stats_core.ordering import order_sensitivity
from stats_core.ordering.order import Order
from stats_core.report import varied_verdicts
from stats_core.report.tables import order_tables
from stats_core.robustness import variations

_SWEPT = ("tp", "fp", "tn", "fn")  # measures tested together in a threshold sweep
_MOST_SWEPT = 12  # largest number of algorithms in a sweep


def drawings(  # noqa: PLR0913
    analysis: Comparison,
    *,
    order: Order | None = None,
    results: Results | None = None,
    highlight: Collection[str] = (),
    colours: Colours = None,
    theta: float | None = None,
    simulated: Collection[object] = (),
    by: Collection[str] = (),
    main: bool = False,
) -> list[FigureSpec]:
    """Return all figures of an analysis.

    Parameters
    ----------
    analysis : Comparison
        The comparison that the figures show.
    order : Order, optional
        The order by cost of the same algorithms.
    results : Results, optional
        The results as read, with all algorithms and, for curves, scores.
    highlight : collection of str
        Algorithms that keep their colour if there are too many for a colour each.
    colours : mapping of str, optional
        Colours of all algorithms, such as those of families; by default by position in
        `results`.
    theta : float, optional
        The threshold that curves mark; by default the one in force.
    simulated : collection
        Results of `power_of`, `level_of`, `plan_of` and `items_of`.
    by : collection of str
        Tags of data sets, or "measure": figures that compare the groups or the measures are added.
    main : bool
        Whether to return only the first figure of the comparison, if it has any, without computing
        the others.

    Returns
    -------
    list of FigureSpec
        Figures of the comparison and its explanation, then of curves, the order, and simulations.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core import Results, analyse
    >>> rows = [(f"set {i}", name, 0.1 + 0.01 * i * j) for i in range(6) for j, name in enumerate("abc", 1)]
    >>> table = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    >>> [spec.name for spec in drawings(analyse(Results.from_frame(table)))][:2]
    ['ranks_error', 'from_best_error']
    """
    check_kind(analysis, Comparison, "analysis", "Use `analyse`")
    theta = thresholds.threshold_used(analysis.results) if theta is None else theta
    every = (results or analysis.results).algorithms
    palette = theme.colours(every, highlight) if colours is None else colours
    styling = {"highlight": highlight, "colours": palette}
    of_kind = (
        spec for spec in OF_KIND[analysis.kind](analysis, styling, colours) if spec is not None
    )
    specs = [*islice(of_kind, 1 if main else None)]
    if main and specs:
        return [specs[0].in_colours(palette)]
    if not _without_curves(analysis, results):
        dataset, algorithms = analysis.results.datasets[0], analysis.results.algorithms
        key, curves = (
            ("curves", id(results), dataset),
            partial(curve_comparison.curves_of_folds, results, dataset),
        )
        _, recalled = analysis.cache.recall(
            key, lambda: (results, or_none(curves))
        )  # the same at every level
        about = {"colours": palette, "theta": theta, "data": recalled}
        specs += curve_drawings(results, dataset, algorithms, analysis.settings, **about)
    datasets = analysis.results.datasets
    if (
        results is not None
        and len(datasets) == 1
        and datasets[0] in confusion.datasets_with_confusion(results, 3)
    ):
        drawn = results.select(algorithms=list(analysis.results.algorithms))
        specs += [
            spec for spec in [confusion.confusion_drawing(drawn, datasets[0])] if spec is not None
        ]
    if order is not None:
        specs += _of_order(analysis, order, palette)
    for tag in by:
        if rank_sequence.has_sequence(analysis):  # before other groups and measures are analysed
            specs += rank_sequence.sequence_drawings(analysis, _varied(analysis, tag), tag)
    specs = [spec.in_colours(palette) for spec in specs]
    return specs + [
        drawing
        for simulation in simulated
        for drawing in simulation_figures.lab_drawings(simulation)
    ]


def _varied(analysis: Comparison, by: str) -> dict[str, Comparison]:
    """Return the comparisons of the groups of a tag, or by each measure."""
    if by == rank_sequence.MEASURE and by not in analysis.results.tags:
        return variations.comparisons_by_measure(analysis)
    return varied_verdicts.by_group(
        analysis.results, analysis.settings, by, whole=analysis
    ).comparisons


def _sweeps(analysis: WinsComparison) -> list[FigureSpec]:
    return [
        loss_winners.sweep_drawing(
            curve_comparison.curves_of_folds(analysis.results, dataset),
            sweep,
            algorithms=analysis.results.algorithms,
        )
        for dataset, sweep in analysis.sweeps.items()
    ]


def _learned(analysis: OnMeasures, styling: dict) -> list[FigureSpec | None]:
    return [
        or_none(loadings.loadings_drawing, analysis),
        or_none(partial(clouds.learned_drawing, colours=styling["colours"]), analysis),
        qq.distances_drawing(analysis),
    ]


def curve_drawings(
    results: Results,
    dataset: str,
    algorithms: Collection[str],
    settings: Settings,
    *,
    colours: Colours = None,
    theta: float = 0.5,
    data: DataCurves | None = None,
) -> list[FigureSpec]:
    """Return the figures of scores on one data set: curves, areas, thresholds, costs; [] without defined curves.

    `data` are the curves if they are known.
    """
    data = data or or_none(curve_comparison.curves_of_folds, results, dataset)
    if data is None:
        return []
    names = tuple(name for name in data.names if name in set(algorithms))
    defined = (data.positives > 0) & (data.negatives > 0)
    if not names or not defined.any():
        return []
    counts = dict(zip(data.names, data.counts([theta])[0], strict=True))
    fraction, areas = tested_share(results, dataset, settings), data.areas()
    specs: list[FigureSpec] = []
    for kind in ("roc", "pr"):
        averages = curve_comparison.average_curves(data, kind, AVERAGES[0], BANDS[0], fraction)
        marks = {name: roc.operating_points(data, counts[name], kind) for name in names}
        has_line = kind == "roc" and any(map(len, marks.values())) and 0 < theta < 1
        paths = roc.fold_paths(data, kind) if len(names) <= MOST_WITH_FOLDS else {}
        specs.append(
            roc.roc_drawing(
                data,
                {name: averages[name] for name in names},
                areas=areas,
                kind=kind,
                band=BANDS[0],
                paths={name: paths.get(name, {}) for name in names},
                marks=marks,
                theta=theta,
                lines=[roc.same_cost(data, marks, theta)] if has_line else [],
                colours=colours,
                control=settings.control,
            )
        )
    position = int(defined.argmax())  # of the fold that intervals are computed from
    values, bars = (
        auc_histogram.fold_areas(data, areas, names),
        curve_comparison.one_fold_intervals(data, position),
    )
    bars = {name: bars[name] for name in values}
    specs.append(
        auc_histogram.areas_drawing(
            data, values, bars, fold=fold_names(data.folds)[position], colours=colours
        )
    )
    cases = predictions.case_table(results.select(algorithms=list(names)), dataset)
    if cases is not None:
        specs += instance_figures.case_drawings(cases, colours, theta, settings.control)
    share = corrected_share(results, dataset, settings)
    options = {
        "measures": _SWEPT,
        "alpha": settings.alpha,
        "rule": settings.win,
        "test_fraction": share,
    }
    if 2 <= len(names) <= _MOST_SWEPT and (
        sweep := or_none(threshold_sweep.sweep_curves, data, names, **options)
    ):
        styling = {"theta": theta, "algorithms": results.algorithms, "colours": colours}
        specs.append(loss_winners.sweep_drawing(data, sweep, **styling))
        points = curve_comparison.average_curves(data, "roc", AVERAGES[1], BANDS[0], None)
        specs.append(
            cost_curves.cost_drawing(
                data, {name: points[name] for name in names}, counts, **styling
            )
        )
    return specs


def _of_ranks(analysis: Any, styling: dict, colours: Colours) -> Iterator[FigureSpec | None]:
    yield cd_diagram.cd_drawing(analysis, highlight=styling["highlight"], colours=colours)
    yield differences.from_best_drawing(analysis)
    yield pair_matrix.matrix_of_pairs(analysis)
    yield differences.intervals_drawing(analysis)
    yield rank_map.rank_map_of(analysis)
    yield ranks_with_intervals.ranks_over_instances(analysis, colours)


def _of_folds(analysis: Any, styling: dict, colours: Colours) -> Iterator[FigureSpec | None]:
    yield from ordering_strip.strip_drawings(analysis, **styling)
    yield differences.from_best_drawing(analysis)
    yield fold_histogram.folds_drawing(analysis, **styling)
    yield raincloud.raincloud_drawing(analysis, **styling)
    yield pair_matrix.matrix_of_pairs(analysis)
    yield differences.fold_intervals_drawing(analysis)
    yield or_none(qq.qq_drawing, analysis)


# kind of analysis -> function that returns its figures, in the order of the argument, or None in
# place of a figure; of the analysis, highlighted algorithms and colours of all, and the colours
# given
OF_KIND: dict[str, Callable[[Any, dict, Colours], Iterable[FigureSpec | None]]] = {
    "ranks": _of_ranks,
    "present": lambda analysis, styling, colours: [
        pair_matrix.matrix_of_pairs(analysis),
        rank_map.rank_map_of(analysis),
    ],
    "control": lambda analysis, styling, colours: [
        cd_diagram.control_drawing(analysis),
        differences.intervals_drawing(analysis),
        rank_map.rank_map_of(analysis),
    ],
    "two": lambda analysis, styling, colours: [
        differences.difference_drawing(analysis),
        scatter.scatter_of_two(analysis),
    ],
    "wins": lambda analysis, styling, colours: [
        wins_table.wins_over_datasets(analysis, analysis.order),
        sign_test_graph.sign_graph_of_wins(analysis, analysis.order),
        *_sweeps(analysis),
    ],
    "folds": _of_folds,
    "fold pair": lambda analysis, styling, colours: [
        fold_histogram.folds_drawing(analysis, **styling),
        raincloud.raincloud_drawing(analysis, **styling),
        paired_folds.paired_drawing(analysis),
        difference_interval.interval_drawing(analysis),
        or_none(qq.qq_drawing, analysis),
    ],
    "measures": lambda analysis, styling, colours: [
        clouds.clouds_drawing(analysis, **styling),
        clique_plane.plane_drawing(analysis, **styling),
        pair_matrix.matrix_of_pairs(analysis),
        *_learned(analysis, styling),
    ],
    "pair on measures": lambda analysis, styling, colours: [
        clouds.clouds_drawing(analysis, **styling),
        difference_ellipse.ellipse_drawing(analysis),
        *_learned(analysis, styling),
    ],
    "published ranks": lambda analysis, styling, colours: [
        cd_diagram.cd_drawing(analysis, highlight=styling["highlight"], colours=colours),
        pair_matrix.matrix_of_pairs(analysis),
    ],
    "published wins": lambda analysis, styling, colours: [
        sign_test_graph.sign_graph_of_wins(analysis, analysis.order)
    ],
    "published decisions": lambda analysis, styling, colours: (
        []
        if analysis.ordering is None
        else [
            ordering_graph.graph_of_ordered_decisions(analysis),
            sign_test_graph.graph_of_decisions(analysis),
        ]
    ),
    **dict.fromkeys(
        ("cases", "trainings"),
        lambda analysis, styling, colours: [
            differences.of_models_drawing(analysis),
            instance_figures.agreement_drawing(analysis),
            ranks_with_intervals.ranks_drawing(analysis),
        ],
    ),
    "benchmarks": lambda analysis, styling, colours: [
        differences.of_models_drawing(analysis),
        pair_matrix.matrix_of_pairs(analysis) if len(analysis.order) > 2 else None,
        ranks_with_intervals.ranks_over_instances(analysis, colours),
    ],
    "untested": lambda analysis, styling, colours: [],
}
# kind of analysis -> why it has no average ranks, if it has data sets
_NO_RANKS = {
    "ranks": "",
    "present": "missing results",
    "control": "",
    "wins": "several measures",
    "two": "two algorithms",
    "benchmarks": "few data sets",
    "untested": "one algorithm",
    "published ranks": "",
    "published wins": "wins only",
    "published decisions": "decisions only",
}


def _of_order(analysis: Comparison, order: Order, colours: Colours) -> list[FigureSpec]:
    """Return the figures of an order: cost plane, graph, rank diagram, heat map, and orders by cost."""
    specs = [
        cost_plane.cost_plane_of(analysis, order),
        ordering_graph.graph_of_order(order),
        cd_diagram.cd_diagram_of_order(order),
        rank_map.rank_map_of_order(order),
    ]
    costs = order.results.costs
    if len(costs) > 1:
        tested = {name: order_on_dataset.evidence for name, order_on_dataset in order.each.items()}
        paths = order_sensitivity.order_by_cost(order, (tested, order.skipped), costs)
        about = {
            "name": "paths_cost",
            "title": "Orders by cost",
            "colours": colours,
            "marked": order.rules.cost,
        }
        about["tested"] = order_tables.order_test_line(order)
        specs.append(order_paths.paths_of_order(order, paths, **about))
    return [spec for spec in specs if spec is not None]


def missing_drawings(
    analysis: Comparison, *, order: Order | None = None, results: Results | None = None
) -> dict[str, str]:
    """Return the reason why each kind of figure that an analysis lacks is unavailable, by its name."""
    reasons = {}
    if why := _without_ranks(analysis):
        reasons["average ranks"] = why
    if analysis.kind not in ("folds", "fold pair") and (why := _without_folds(analysis)):
        reasons["results per fold"] = why
    if not analysis.together and (why := _without_measures(analysis)):
        reasons["several measures"] = why
    if why := _without_curves(analysis, results):
        reasons["ROC/PR curves"] = why
    if order is None:
        has_costs = analysis.results.costs
        reasons["order by cost"] = "not made" if has_costs else "no cost"
    return reasons


def _without_ranks(analysis: Comparison) -> str:
    several = analysis.results.n_datasets != 1 or analysis.kind in ("ranks", "control")
    return _NO_RANKS[analysis.kind] if several else "one data set"


def _without_folds(analysis: Comparison) -> str:
    if analysis.results.published is not None:
        return analysis.results.published.label
    if analysis.results.design == "single":
        return analysis.results.design_label
    if len(analysis.results.datasets) > 1:
        return "several data sets"
    return "one algorithm" if len(analysis.results.algorithms) < 2 else "several measures"


def _without_measures(analysis: Comparison) -> str:
    if analysis.results.published is not None:
        return analysis.results.published.label
    if len(analysis.results.measures) < 2:
        return "one measure"
    return (
        analysis.results.design_label
        if analysis.results.design == "single"
        else "one measure chosen"
    )


def _without_curves(analysis: Comparison, results: Results | None) -> str:
    if results is None or thresholds.needs_scores(results):
        return "no scores"
    return "several data sets" if len(analysis.results.datasets) > 1 else ""
