"""The figures of each kind of analysis, and the reasons why others are missing."""

from collections.abc import Callable, Collection

from foldwise.figures import (
    clique_plane,
    clouds,
    difference_ellipse,
    difference_interval,
    differences,
    fold_figures,
    loadings,
    paired_folds,
    qq,
    theme,
)
from foldwise.figures.cd_diagram import cd_diagram_of_order, cd_drawing, control_drawing
from foldwise.figures.cost_plane import cost_plane_of
from foldwise.figures.curve_figures import sweep_drawing
from foldwise.figures.fold_histogram import bricks_drawing
from foldwise.figures.order_paths import paths_of_order
from foldwise.figures.ordering_graph import graph_of_order, graph_of_ordered_decisions
from foldwise.figures.pair_matrix import matrix_of_folds, matrix_of_measures, matrix_of_present, matrix_of_ranks
from foldwise.figures.rank_map import rank_map_of, rank_map_of_order
from foldwise.figures.scatter import scatter_of_two
from foldwise.figures.score_figures import curve_drawings
from foldwise.figures.sign_test_graph import graph_of_decisions, sign_graph_of_wins
from foldwise.figures.simulation_figures import lab_drawings
from foldwise.figures.spec import Colours, FigureSpec
from foldwise.figures.wins_table import wins_over_datasets
from stats_core.comparison.kinds.control_and_pairs import ControlComparison, PresentComparison, TwoComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.measure_vectors import OnMeasures, PairOnMeasures, SeveralOnMeasures
from stats_core.comparison.kinds.published_summaries import PublishedDecisions, PublishedRanks, PublishedWins
from stats_core.comparison.kinds.wins import WinsComparison
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.curves.curve_comparison import curves_of_folds
from stats_core.curves.thresholds import needs_scores
from stats_core.data.results import Results
from stats_core.inference.multivariate.learned_measures import learned_measures
from stats_core.ordering.order import Order
from stats_core.ordering.order_sensitivity import order_by_cost


def drawings(
    analysis: Comparison,
    *,
    order: Order | None = None,
    results: Results | None = None,
    highlight: Collection[str] = (),
    colours: Colours = None,
    theta: float = 0.5,
    simulated: Collection[object] = (),
) -> list[FigureSpec]:
    """Which figures does this analysis have?

    Parameters
    ----------
    analysis : Comparison
    order : Order, optional
        The order by cost of the same algorithms.
    results : Results, optional
        The results as read, with all algorithms and, for curves, scores.
    highlight : collection of str
        Algorithms that keep their colour if there are too many for a colour each.
    colours : mapping of str, optional
        Colours of all algorithms, such as those of families; by default by position in
        `results`.
    theta : float
        The threshold that curves mark.
    simulated : collection
        Results of `power_of`, `level_of` and `plan_of`.

    Returns
    -------
    list of FigureSpec
        The comparison first, then what explains it, then curves, the order, and simulations.
    """
    palette = colours
    if palette is None:
        palette = theme.colours((results or analysis.results).algorithms, highlight)
    look = {"highlight": highlight, "colours": palette}
    specs = [spec for spec in OF_KIND[analysis.kind](analysis, look, colours) if spec is not None]
    if not _without_curves(analysis, results):
        specs += curve_drawings(
            results,
            analysis.results.datasets[0],
            analysis.results.algorithms,
            analysis.settings,
            colours=palette,
            theta=theta,
        )
    if order is not None:
        specs += _of_order(analysis, order, palette)
    return specs + [drawing for one in simulated for drawing in lab_drawings(one)]


def _ranks(analysis: RanksComparison, look: dict, colours: Colours) -> list[FigureSpec | None]:
    return [
        cd_drawing(analysis, highlight=look["highlight"], colours=colours),
        differences.from_best_drawing(analysis),
        matrix_of_ranks(analysis),
        differences.intervals_drawing(analysis),
        rank_map_of(analysis),
    ]


def _present(analysis: PresentComparison, look: dict, colours: Colours) -> list[FigureSpec | None]:
    return [matrix_of_present(analysis), rank_map_of(analysis)]


def _control(analysis: ControlComparison, look: dict, colours: Colours) -> list[FigureSpec | None]:
    return [control_drawing(analysis), differences.intervals_drawing(analysis), rank_map_of(analysis)]


def _two(analysis: TwoComparison, look: dict, colours: Colours) -> list[FigureSpec | None]:
    return [differences.difference_drawing(analysis), scatter_of_two(analysis)]


def _wins(analysis: WinsComparison, look: dict, colours: Colours) -> list[FigureSpec | None]:
    order = analysis.order
    specs = [wins_over_datasets(analysis, order), sign_graph_of_wins(analysis, order)]
    for dataset, sweep in analysis.sweeps.items():
        data = curves_of_folds(analysis.results, dataset)
        specs.append(sweep_drawing(data, sweep, algorithms=analysis.results.algorithms))
    return specs


def _folds(analysis: FoldsComparison, look: dict, colours: Colours) -> list[FigureSpec | None]:
    return [
        *fold_figures.strip_drawings(analysis, **look),
        differences.from_best_drawing(analysis),
        bricks_drawing(analysis, **look),
        matrix_of_folds(analysis),
        fold_figures.intervals_drawing(analysis),
        _or_none(qq.qq_drawing, analysis),
    ]


def _fold_pair(analysis: FoldPairComparison, look: dict, colours: Colours) -> list[FigureSpec | None]:
    return [
        bricks_drawing(analysis, **look),
        paired_folds.paired_drawing(analysis),
        difference_interval.interval_drawing(analysis),
        _or_none(qq.qq_drawing, analysis),
    ]


def _measures(analysis: SeveralOnMeasures, look: dict, colours: Colours) -> list[FigureSpec | None]:
    return [
        clouds.clouds_drawing(analysis, **look),
        clique_plane.plane_drawing(analysis, **look),
        matrix_of_measures(analysis),
        *_learned(analysis, look),
    ]


def _measure_pair(analysis: PairOnMeasures, look: dict, colours: Colours) -> list[FigureSpec | None]:
    return [
        clouds.clouds_drawing(analysis, **look),
        difference_ellipse.ellipse_drawing(analysis),
        *_learned(analysis, look),
    ]


def _learned(analysis: OnMeasures, look: dict) -> list[FigureSpec | None]:
    model = _or_none(learned_measures, analysis.vectors, analysis.measures)
    specs = (
        []
        if model is None
        else [
            loadings.loadings_drawing(analysis, model),
            clouds.learned_drawing(analysis, model, colours=look["colours"]),
        ]
    )
    return [*specs, qq.distances_drawing(analysis)]


def _published_ranks(analysis: PublishedRanks, look: dict, colours: Colours) -> list[FigureSpec | None]:
    return [cd_drawing(analysis, highlight=look["highlight"], colours=colours), matrix_of_ranks(analysis)]


def _published_wins(analysis: PublishedWins, look: dict, colours: Colours) -> list[FigureSpec | None]:
    return [sign_graph_of_wins(analysis, analysis.order)]


def _published_decisions(analysis: PublishedDecisions, look: dict, colours: Colours) -> list[FigureSpec | None]:
    if analysis.ordering is None:
        return []
    return [graph_of_ordered_decisions(analysis), graph_of_decisions(analysis)]


def _nothing(analysis: Comparison, look: dict, colours: Colours) -> list[FigureSpec | None]:
    return []


def _or_none(make: Callable, *arguments: object):
    try:
        return make(*arguments)
    except FoldwiseError:
        return None


# kind of analysis -> its figures, in the order of the argument
OF_KIND: dict[str, Callable] = {
    "ranks": _ranks,
    "present": _present,
    "control": _control,
    "two": _two,
    "wins": _wins,
    "folds": _folds,
    "fold pair": _fold_pair,
    "measures": _measures,
    "pair on measures": _measure_pair,
    "cases": _nothing,
    "trainings": _nothing,
    "untested": _nothing,
    "published ranks": _published_ranks,
    "published wins": _published_wins,
    "published decisions": _published_decisions,
}
# kind of analysis -> why it has no average ranks, if it has data sets
_NO_RANKS = {
    "ranks": "",
    "present": "not every algorithm on every data set",
    "control": "",
    "wins": "several measures at once",
    "two": "two algorithms",
    "untested": "one algorithm",
    "published ranks": "",
    "published wins": "wins only",
    "published decisions": "decisions only",
}


def _of_order(analysis: Comparison, order: Order, colours: Colours) -> list[FigureSpec]:
    specs = [
        cost_plane_of(analysis, order),
        graph_of_order(order),
        cd_diagram_of_order(order),
        rank_map_of_order(order),
    ]
    costs = order.results.costs
    if len(costs) > 1:
        tested = {name: order_on_dataset.evidence for name, order_on_dataset in order.each.items()}
        paths = order_by_cost(order, (tested, order.skipped), costs)
        specs.append(
            paths_of_order(
                order, paths, name="paths_cost", title="Order by each cost", colours=colours, marked=order.rules.cost
            )
        )
    return [order_on_dataset for order_on_dataset in specs if order_on_dataset is not None]


def missing_drawings(
    analysis: Comparison, *, order: Order | None = None, results: Results | None = None
) -> dict[str, str]:
    """Which figures does this analysis not have, and why?"""
    reasons = {}
    if why := _without_ranks(analysis):
        reasons["average ranks"] = why
    if analysis.kind not in ("folds", "fold pair") and (why := _without_folds(analysis)):
        reasons["fold by fold"] = why
    if not analysis.together and (why := _without_measures(analysis)):
        reasons["several measures at once"] = why
    if why := _without_curves(analysis, results):
        reasons["ROC and precision-recall curves"] = why
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
        return "several data sets; choose one"
    return "one algorithm" if len(analysis.results.algorithms) < 2 else "other measures at once"


def _without_measures(analysis: Comparison) -> str:
    if analysis.results.published is not None:
        return analysis.results.published.label
    if len(analysis.results.measures) < 2:
        return "one measure"
    if analysis.results.design == "single":
        return analysis.results.design_label
    return "one measure chosen"


def _without_curves(analysis: Comparison, results: Results | None) -> str:
    if results is None or needs_scores(results):
        return "no scores"
    if len(analysis.results.datasets) > 1:
        return "several data sets; choose one"
    return ""
