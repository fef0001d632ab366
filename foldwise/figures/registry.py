"""The figures of comparisons: the list `FIGURES`, and what one comparison offers."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypedDict, Unpack

from foldwise.figures import (
    cd_diagram,
    clique_plane,
    clouds,
    confusion,
    cost_plane,
    curve_figures,
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
    scatter,
    sign_test_graph,
    simulation_figures,
    theme,
    wins_table,
)
from foldwise.figures.curve_figures import ScoreCurves
from foldwise.figures.spec import Colours, FigureSpec
from stats_core.comparison.kinds.fold_pair import or_none
from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.curves import curve_comparison, thresholds
from stats_core.data.results import Results
from stats_core.ordering import order_sensitivity
from stats_core.ordering.order import Order
from stats_core.report import entry, varied_verdicts
from stats_core.report.entry import Entry, Evidence, Needs, Place
from stats_core.report.tables import order_tables
from stats_core.robustness import variations


@dataclass(frozen=True, kw_only=True, eq=False)
class Shown:
    """A comparison with what its figures show, and how they show it.

    Attributes
    ----------
    analysis : Comparison
        The comparison.
    order : Order or None
        The order by cost of the same algorithms.
    results : Results or None
        The results as read, with all algorithms and, for curves, scores.
    highlight : collection of str
        Algorithms that keep their colour if there are too many for a colour each.
    colours : mapping of str to str, optional
        Colours of all algorithms.
    chosen_colours : mapping of str to str, optional
        The colours that the user chose; None for those by position.
    theta : float
        The threshold that curves mark.
    by : collection of str
        Tags of data sets, or "measure", by which comparisons are drawn side by side.
    selected : collection of str
        Algorithms selected on a page.
    diagram : mapping
        Options of the critical-difference diagram.
    """

    analysis: Comparison
    order: Order | None
    results: Results | None
    highlight: Collection[str]
    colours: Colours
    chosen_colours: Colours
    theta: float
    by: Collection[str]
    selected: Collection[str]
    diagram: Mapping[str, Any]

    @cached_property
    def curves(self) -> ScoreCurves | None:
        """The curves of the only data set, whose scores are known; None if none is defined."""
        results = self.results
        dataset = self.analysis.results.datasets[0]
        assert results is not None
        _, data = self.analysis.cache.recall(  # the same at every level
            ("curves", id(results), dataset),
            lambda: (results, or_none(curve_comparison.curves_of_folds, results, dataset)),
        )
        return curve_figures.score_curves(
            results,
            dataset,
            self.analysis.results.algorithms,
            self.analysis.settings,
            colours=self.colours,
            theta=self.theta,
            data=data,
        )


Need = Callable[[Shown], str | None]
Figures = FigureSpec | Iterable[FigureSpec | None] | None
FigureEntry = Entry[Shown, Figures]


def _folds_lacking(shown: Shown) -> str | None:
    """Return why there are no results per fold of one measure."""
    analysis = shown.analysis
    results = analysis.results
    if analysis.shape.folds:
        return None
    if results.published is not None:
        return results.published.label
    if results.design == "single":
        return results.design_label
    if len(results.datasets) > 1:
        return "several data sets"
    if len(results.algorithms) < 2:
        return "one algorithm"
    return "one test set" if analysis.shape.over == "cases" else "several measures"


def _vectors_lacking(shown: Shown) -> str | None:
    """Return why several measures are not compared together."""
    results = shown.analysis.results
    if shown.analysis.together:
        return None
    if results.published is not None:
        return results.published.label
    if len(results.measures) < 2:
        return "one measure"
    return results.design_label if results.design == "single" else "one measure chosen"


def _curves_lacking(shown: Shown) -> str | None:
    """Return why there are no curves."""
    if shown.results is None or thresholds.needs_scores(shown.results):
        return "no scores"
    return "several data sets" if len(shown.analysis.results.datasets) > 1 else None


def _order_lacking(shown: Shown) -> str | None:
    """Return why there is no order by cost."""
    if shown.order is not None:
        return None
    return "not made" if shown.analysis.results.costs else "no cost"


RANKS: Evidence[Shown] = Evidence(
    name="average ranks", lacking=lambda shown: entry.average_ranks(shown.analysis)
)
FOLDS: Evidence[Shown] = Evidence(name="results per fold", lacking=_folds_lacking)
VECTORS: Evidence[Shown] = Evidence(name="several measures", lacking=_vectors_lacking)
CURVES: Evidence[Shown] = Evidence(name="ROC/PR curves", lacking=_curves_lacking)
ORDER: Evidence[Shown] = Evidence(name="order by cost", lacking=_order_lacking)


def _of(*needs: entry.Need) -> Need:
    """Return the need that is met if the comparison meets all of these."""
    condition = entry.every(*needs)
    return lambda shown: condition(shown.analysis)


def _either(*needs: entry.Need) -> Need:
    """Return the need that is met if the comparison meets one of these."""
    condition = entry.any_of(*needs)
    return lambda shown: condition(shown.analysis)


_ANYTHING = _of()
_ALL_RANKED = entry.every(entry.ranked, entry.all_pairs)
_INCOMPLETE = entry.every(entry.averages, entry.incomplete)
_TWO = _of(entry.averages, entry.two_algorithms)
_SEVERAL_ON_FOLDS = entry.every(entry.folds, entry.one_measure, entry.several_algorithms)
_SEVERAL_VECTORS = entry.every(entry.folds, entry.several_measures, entry.several_algorithms)
_ALL_OF_BENCHMARKS = entry.every(entry.benchmarks, entry.all_pairs)


def _three_models(comparison: Comparison) -> str | None:
    """More than two models."""
    return None if len(comparison.order) > 2 else "two models"


def _two_models(comparison: Comparison) -> str | None:
    """Two models."""
    return None if len(comparison.order) == 2 else "not two models"


def _significant_wins(comparison: Comparison) -> str | None:
    """Wins of which some are significant."""
    return None if comparison.beats.to_numpy().any() else "no significant difference"


def _unscored(*needs: entry.Need) -> Need:
    """Return the need that is met if the comparison meets all of these, and there are no curves."""
    condition = entry.every(*needs)

    def reason(shown: Shown) -> str | None:
        has_curves = CURVES.lacking(shown) is None
        return "scores" if has_curves else condition(shown.analysis)

    return reason


def _no_differences_from_best(shown: Shown) -> str | None:
    """Return why differences from the best algorithm on folds are not lacking."""
    why = _SEVERAL_ON_FOLDS(shown.analysis)
    if why is not None:
        return why
    has_differences = differences.from_best_drawing(shown.analysis) is not None
    return "differences from best" if has_differences else None


def _several_classes(shown: Shown) -> str | None:
    """Return why there are no confusion matrices of several classes on one data set."""
    datasets = shown.analysis.results.datasets
    if len(datasets) != 1:
        return "several data sets"
    with_classes = (
        () if shown.results is None else confusion.datasets_with_confusion(shown.results, 3)
    )
    return None if datasets[0] in with_classes else "two classes"


def _sequence(shown: Shown) -> str | None:
    """Return why comparisons are not drawn side by side."""
    if not shown.by:
        return "no groups"
    return None if rank_sequence.has_sequence(shown.analysis) else "no average ranks"


def _made_of(function: Callable[[Any], Figures]) -> Callable[[Shown], Figures]:
    """Return the function that makes a figure of the comparison alone."""
    return lambda shown: function(shown.analysis)


def _made_of_curves(function: Callable[[ScoreCurves], Figures]) -> Callable[[Shown], Figures]:
    """Return the function that makes a figure of curves; none if no curve is defined."""
    return lambda shown: None if shown.curves is None else function(shown.curves)


def _cd_diagram(shown: Shown) -> Figures:
    return cd_diagram.cd_drawing(
        shown.analysis, highlight=shown.highlight, colours=shown.chosen_colours, **shown.diagram
    )


def _order(shown: Shown) -> Figures:
    return ordering_strip.strip_drawings(shown.analysis, **_styling(shown))


def _order_with_selection(shown: Shown) -> Figures:
    return ordering_strip.strip_drawing(shown.analysis, **_styling(shown), selected=shown.selected)


def _folds(shown: Shown) -> Figures:
    return fold_histogram.folds_drawing(shown.analysis, **_styling(shown))


def _raincloud(shown: Shown) -> Figures:
    return raincloud.raincloud_drawing(shown.analysis, **_styling(shown))


def _contours(shown: Shown) -> Figures:
    return clouds.clouds_drawing(shown.analysis, **_styling(shown))


def _cliques(shown: Shown) -> Figures:
    return clique_plane.plane_drawing(shown.analysis, **_styling(shown))


class _Styling(TypedDict):
    """Colours of algorithms, and those that keep their colour, as options of figures."""

    highlight: Collection[str]
    colours: Colours


def _styling(shown: Shown) -> _Styling:
    return {"highlight": shown.highlight, "colours": shown.colours}


def _learned(shown: Shown) -> Figures:
    return or_none(partial(clouds.learned_drawing, colours=shown.colours), shown.analysis)


def _ranks_over_instances(shown: Shown) -> Figures:
    return ranks_with_intervals.ranks_over_instances(shown.analysis, shown.chosen_colours)


def _wins(shown: Shown) -> Figures:
    analysis: Any = shown.analysis
    return (
        wins_table.wins_over_datasets(analysis, analysis.order),
        sign_test_graph.sign_graph_of_wins(analysis, analysis.order),
    )


def _published_wins(shown: Shown) -> Figures:
    analysis: Any = shown.analysis
    return sign_test_graph.sign_graph_of_wins(analysis, analysis.order)


def _sweeps(shown: Shown) -> Figures:
    """Return the winners at each threshold, on each data set."""
    analysis: Any = shown.analysis
    return [
        loss_winners.sweep_drawing(
            curve_comparison.curves_of_folds(analysis.results, dataset),
            sweep,
            algorithms=analysis.results.algorithms,
        )
        for dataset, sweep in analysis.sweeps.items()
    ]


def _decided_pairs(shown: Shown) -> Figures:
    analysis: Any = shown.analysis
    return None if analysis.ordering is None else sign_test_graph.graph_of_decisions(analysis)


def _confusion(shown: Shown) -> Figures:
    results, analysis = shown.results, shown.analysis
    assert results is not None
    drawn = results.select(algorithms=list(analysis.results.algorithms))
    return confusion.confusion_drawing(drawn, analysis.results.datasets[0])


def _cost_plane(shown: Shown) -> Figures:
    return cost_plane.cost_plane_of(shown.analysis, shown.order)


def _made_of_order(function: Callable[[Order], Figures]) -> Callable[[Shown], Figures]:
    """Return the function that makes a figure of the order alone."""
    return lambda shown: None if shown.order is None else function(shown.order)


def _orders_by_cost(shown: Shown) -> Figures:
    """Return the orders by each weight of the costs; None with one cost."""
    order = shown.order
    assert order is not None
    costs = order.results.costs
    if len(costs) < 2:
        return None
    tested = {name: order_on_dataset.evidence for name, order_on_dataset in order.each.items()}
    paths = order_sensitivity.order_by_cost(order, (tested, order.skipped), costs)
    return order_paths.paths_of_order(
        order,
        paths,
        name="paths_cost",
        title="Orders by cost",
        colours=shown.colours,
        marked=order.rules.cost,
        tested=order_tables.order_test_line(order),
    )


def _sequences(shown: Shown) -> Iterator[FigureSpec]:
    """Return comparisons of groups of data sets, or by each measure, side by side."""
    for tag in shown.by:
        yield from rank_sequence.sequence_drawings(
            shown.analysis, _varied(shown.analysis, tag), tag
        )


def _varied(analysis: Comparison, by: str) -> dict[str, Comparison]:
    """Return the comparisons of the groups of a tag, or by each measure."""
    if by == rank_sequence.MEASURE and by not in analysis.results.tags:
        return variations.comparisons_by_measure(analysis)
    return varied_verdicts.by_group(
        analysis.results, analysis.settings, by, whole=analysis
    ).comparisons


# figures that the page Results makes in its own way
differences_of_two = _made_of(differences.difference_drawing)
roc_curves = _made_of_curves(curve_figures.roc_figure)
risk_differences = _made_of_curves(curve_figures.risks_figure)

REPORTED = frozenset({Place.REPORT})
PLOTTED = REPORTED | {Place.PLOT}
MAIN = PLOTTED | {Place.RESULTS}
ON_RESULTS = frozenset({Place.RESULTS})


def _figure(
    name: str, make: Callable[[Shown], Figures], needs: Needs | Need, where: frozenset[Place]
) -> FigureEntry:
    return Entry(name=name, make=make, needs=needs, where=where)


# the order of all places: the first figure of a comparison is its main one
FIGURES: tuple[FigureEntry, ...] = (
    _figure("cd", _cd_diagram, Needs(RANKS, _of(entry.all_pairs)), MAIN),
    _figure("cd", _made_of(cd_diagram.control_drawing), Needs(RANKS, _of(entry.control)), MAIN),
    _figure(
        "best",
        _made_of(differences.from_best_drawing),
        _either(_ALL_RANKED, _SEVERAL_ON_FOLDS, _ALL_OF_BENCHMARKS),
        MAIN,
    ),
    _figure(
        "best",
        _made_of(differences.from_best_drawing),
        _of(entry.instances, entry.all_pairs),
        PLOTTED,
    ),
    _figure(
        "intervals",
        _made_of(differences.intervals_drawing),
        _of(entry.benchmarks, entry.control),
        MAIN,
    ),
    _figure(
        "intervals",
        _made_of(differences.intervals_drawing),
        _of(entry.instances, entry.control),
        PLOTTED,
    ),
    _figure("intervals", differences_of_two, _TWO, MAIN),
    _figure(
        "intervals",
        _made_of(difference_interval.interval_drawing),
        Needs(FOLDS, _of(entry.two_algorithms)),
        MAIN,
    ),
    # of models on one test set, the page shows curves, or else differences and answers
    _figure("roc", roc_curves, Needs(CURVES, _of(entry.instances)), ON_RESULTS),
    _figure("risks", risk_differences, Needs(CURVES, _of(entry.instances)), ON_RESULTS),
    _figure(
        "best",
        _made_of(differences.from_best_drawing),
        _unscored(entry.instances, entry.all_pairs),
        ON_RESULTS,
    ),
    _figure(
        "intervals",
        _made_of(differences.intervals_drawing),
        _unscored(entry.instances, entry.control),
        ON_RESULTS,
    ),
    _figure(
        "agreement",
        _made_of(instance_figures.agreement_drawing),
        _unscored(entry.instances, _two_models),
        ON_RESULTS,
    ),
    _figure("order", _order_with_selection, _no_differences_from_best, ON_RESULTS),
    _figure("order", _order, _of(_SEVERAL_ON_FOLDS), PLOTTED),
    _figure("folds", _folds, Needs(FOLDS, _ANYTHING), MAIN),
    _figure("raincloud", _raincloud, Needs(FOLDS, _ANYTHING), PLOTTED),
    _figure(
        "paired",
        _made_of(paired_folds.paired_drawing),
        Needs(FOLDS, _of(entry.two_algorithms)),
        PLOTTED,
    ),
    _figure("scatter", _made_of(scatter.scatter_of_two), _TWO, MAIN),
    _figure(
        "agreement", _made_of(instance_figures.agreement_drawing), _of(entry.instances), PLOTTED
    ),
    _figure("contours", _contours, Needs(VECTORS, _of(entry.folds)), REPORTED),
    _figure("cliques", _cliques, Needs(VECTORS, _of(_SEVERAL_VECTORS)), REPORTED),
    _figure(
        "pairs",
        _made_of(pair_matrix.matrix_of_pairs),
        _either(_INCOMPLETE, entry.every(_ALL_OF_BENCHMARKS, _three_models)),
        MAIN,
    ),
    _figure(
        "pairs",
        _made_of(pair_matrix.matrix_of_pairs),
        _either(_ALL_RANKED, _SEVERAL_ON_FOLDS, _SEVERAL_VECTORS, entry.published_ranks),
        PLOTTED,
    ),
    _figure(
        "ellipse",
        _made_of(difference_ellipse.ellipse_drawing),
        Needs(VECTORS, _of(entry.folds, entry.two_algorithms)),
        REPORTED,
    ),
    _figure(
        "loadings",
        _made_of(partial(or_none, loadings.loadings_drawing)),
        Needs(VECTORS, _of(entry.folds)),
        REPORTED,
    ),
    _figure("learned", _learned, Needs(VECTORS, _of(entry.folds)), REPORTED),
    _figure(
        "distances", _made_of(qq.distances_drawing), Needs(VECTORS, _of(entry.folds)), REPORTED
    ),
    _figure("intervals", _made_of(differences.intervals_drawing), _of(_ALL_RANKED), PLOTTED),
    _figure(
        "intervals", _made_of(differences.intervals_drawing), _of(entry.ranked, entry.control), MAIN
    ),
    _figure(
        "intervals", _made_of(differences.fold_intervals_drawing), _of(_SEVERAL_ON_FOLDS), PLOTTED
    ),
    _figure(
        "rank_map", _made_of(rank_map.rank_map_of), _either(entry.ranked, _INCOMPLETE), PLOTTED
    ),
    _figure(
        "rank_intervals", _ranks_over_instances, _either(_ALL_RANKED, entry.benchmarks), PLOTTED
    ),
    _figure(
        "rank_intervals",
        _made_of(ranks_with_intervals.ranks_drawing),
        _of(entry.instances),
        PLOTTED,
    ),
    _figure("qq", _made_of(partial(or_none, qq.qq_drawing)), Needs(FOLDS, _ANYTHING), PLOTTED),
    _figure("wins", _wins, _of(entry.wins), PLOTTED),
    _figure("wins", _published_wins, _of(entry.published_wins), PLOTTED),
    _figure("wins", _published_wins, _of(entry.published_wins, _significant_wins), ON_RESULTS),
    _figure("thresholds", _sweeps, _of(entry.wins), PLOTTED),
    _figure(
        "decisions",
        _made_of(ordering_graph.graph_of_ordered_decisions),
        _of(entry.published_decisions),
        MAIN,
    ),
    _figure("decided_pairs", _decided_pairs, _of(entry.published_decisions), REPORTED),
    _figure("roc", roc_curves, Needs(CURVES, _ANYTHING), PLOTTED),
    _figure("pr", _made_of_curves(curve_figures.pr_figure), Needs(CURVES, _ANYTHING), PLOTTED),
    _figure("auc", _made_of_curves(curve_figures.areas_figure), Needs(CURVES, _ANYTHING), PLOTTED),
    _figure("risks", risk_differences, Needs(CURVES, _ANYTHING), PLOTTED),
    _figure(
        "calibration",
        _made_of_curves(curve_figures.calibration_figure),
        Needs(CURVES, _ANYTHING),
        PLOTTED,
    ),
    _figure(
        "thresholds",
        _made_of_curves(curve_figures.winners_figure),
        Needs(CURVES, _ANYTHING),
        PLOTTED,
    ),
    _figure(
        "costs", _made_of_curves(curve_figures.costs_figure), Needs(CURVES, _ANYTHING), PLOTTED
    ),
    _figure("confusion", _confusion, _several_classes, PLOTTED),
    _figure("cost_plane", _cost_plane, Needs(ORDER, _ANYTHING), REPORTED),
    _figure(
        "order_graph",
        _made_of_order(ordering_graph.graph_of_order),
        Needs(ORDER, _ANYTHING),
        REPORTED,
    ),
    _figure(
        "order_ranks",
        _made_of_order(cd_diagram.cd_diagram_of_order),
        Needs(ORDER, _ANYTHING),
        REPORTED,
    ),
    _figure(
        "order_places",
        _made_of_order(rank_map.rank_map_of_order),
        Needs(ORDER, _ANYTHING),
        REPORTED,
    ),
    _figure("orders_by_cost", _orders_by_cost, Needs(ORDER, _ANYTHING), REPORTED),
    _figure("groups", _sequences, _sequence, REPORTED),
)


def drawings(
    analysis: Comparison | HasComparison,
    *,
    order: Order | None = None,
    results: Results | None = None,
    highlight: Collection[str] = (),
    colours: Colours = None,
    theta: float | None = None,
    simulated: Collection[object] = (),
    by: Collection[str] = (),
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
    shown = to_show(
        analysis,
        order=order,
        results=results,
        highlight=highlight,
        colours=colours,
        theta=theta,
        by=by,
    )
    figures = [spec for _, spec in named_drawings(shown)]
    for simulation in simulated:
        figures += simulation_figures.lab_drawings(simulation)
    return figures


class ShowOptions(TypedDict, total=False):
    """Options of `drawings` on what the figures of a comparison show."""

    order: Order | None
    results: Results | None
    highlight: Collection[str]
    colours: Colours
    theta: float | None
    by: Collection[str]


def main_drawing(
    analysis: Comparison | HasComparison, **options: Unpack[ShowOptions]
) -> FigureSpec | None:
    """Return the first figure of `drawings`, without computing the others; None if there is none."""
    figures = named_drawings(to_show(analysis, **options))
    return next((spec for _, spec in figures), None)


def to_show(
    analysis: Comparison | HasComparison,
    *,
    order: Order | None = None,
    results: Results | None = None,
    highlight: Collection[str] = (),
    colours: Colours = None,
    theta: float | None = None,
    by: Collection[str] = (),
) -> Shown:
    """Return a comparison with what its figures show; the arguments are those of `drawings`."""
    analysis = comparison_of(analysis, "analysis")
    every = (results or analysis.results).algorithms
    return Shown(
        analysis=analysis,
        order=order,
        results=results,
        highlight=highlight,
        colours=theme.colours(every, highlight) if colours is None else colours,
        chosen_colours=colours,
        theta=thresholds.threshold_used(analysis.results) if theta is None else theta,
        by=by,
        selected=(),
        diagram={},
    )


def named_drawings(shown: Shown) -> Iterator[tuple[str, FigureSpec]]:
    """Yield the figures of reports, in their colours, with the names of their entries."""
    for name, spec in figures_in(shown, Place.REPORT):
        yield name, spec.in_colours(shown.colours)


def figures_in(shown: Shown, where: Place) -> Iterator[tuple[str, FigureSpec]]:
    """Yield the figures of a place with the names of their entries."""
    for each in entry.offered(FIGURES, shown, where):
        for spec in figures_of(each.make(shown)):
            yield each.name, spec


def figures_of(drawn: Figures) -> list[FigureSpec]:
    """Return what an entry makes as a list: one figure, several, or none."""
    if isinstance(drawn, FigureSpec):
        return [drawn]
    return [] if drawn is None else [spec for spec in drawn if spec is not None]


def missing_drawings(
    analysis: Comparison, *, order: Order | None = None, results: Results | None = None
) -> dict[str, str]:
    """Return why figures of reports are unavailable, by the name of the evidence that they need."""
    shown = to_show(analysis, order=order, results=results)
    return entry.lacking(FIGURES, shown, Place.REPORT)


def names_in(where: Place) -> tuple[str, ...]:
    """Return the names of the figures of a place, each once."""
    return tuple(dict.fromkeys(each.name for each in FIGURES if where in each.where))
