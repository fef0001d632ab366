"""The page Explore: views of one data set in tabs."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property, partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.figures import confusion, instance_figures
from foldwise.figures.spec import FigureSpec
from foldwise.web import cache, components, inputs, session
from foldwise.web.settings_registry import linked
from foldwise.web.texts import page_text
from foldwise.web.views import comparison_views, curve_views, fold_views, measure_views
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.core.errors import FoldwiseError
from stats_core.curves.curve_comparison import DataCurves
from stats_core.curves.thresholds import needs_scores, threshold_message
from stats_core.data.settings import select, tested_share
from stats_core.report import entry
from stats_core.report.entry import Entry, Evidence, Needs, Place
from stats_core.report.tables import instance_tables

LIST, VIEW = 250, 810  # px, widths of the two columns
LEVELS = {"50% and 90%": (0.5, 0.9), "90%": (0.9,), "50%": (0.5,), "95%": (0.95,)}
COVARIANCES = ("of each algorithm", "pooled")
FORMS = {"automatic": "automatic", "yes": "apart", "no": "together"}


def explore(context: session.Context) -> None:
    """Draw the list of data sets, and tabs with all applicable views of the chosen one."""
    results = context.results
    with_folds = inputs.datasets_with_folds(context)
    with_scores = (
        [] if needs_scores(context.read) else list(select(context.read, context.settings).datasets)
    )
    with_classes = confusion.datasets_with_confusion(context.read)
    with_items = inputs.datasets_with_items(
        inputs.selected_results(context), context.settings.measure
    )
    names = [
        name
        for name in results.datasets
        if name in {*with_folds, *with_scores, *with_classes, *with_items}
    ]
    if not names:
        components.end_page(
            page_text("explore_views.need"), f"{results.source} has {results.design_label}."
        )
    left = right = st.container()
    if len(names) > 1:
        left, right = components.side_by_side(LIST, VIEW)
    with left:
        dataset = inputs.choose_dataset(context, names)
        if len(names) > 1:
            with st.container(key="listed"):
                inputs.list_datasets(context, names, "dataset_list")
    explored = Explored(
        context=context,
        dataset=dataset,
        with_folds=with_folds,
        with_scores=with_scores,
        with_classes=with_classes,
        with_items=with_items,
    )
    tabs = [*entry.offered(TABS, explored, Place.EXPLORE)]
    with right:
        if not tabs:
            components.end_page(
                page_text("explore_views.need"), f"{results.source} has {results.design_label}."
            )
        inputs.draw_tabs({tab.name: partial(tab.make, explored) for tab in tabs}, "look")
    components.name_missing(*entry.lacking(TABS, explored, Place.EXPLORE).values())


@dataclass(frozen=True, kw_only=True, eq=False)
class Explored:
    """The data set of the page Explore, and which data sets have what.

    Attributes
    ----------
    context : Context
        The open results.
    dataset : str
        The chosen data set.
    with_folds, with_scores, with_classes, with_items : collection of str
        Data sets with results per fold, scores, confusion matrices, and instances of one test set.
    """

    context: session.Context
    dataset: str
    with_folds: Collection[str]
    with_scores: Collection[str]
    with_classes: Collection[str]
    with_items: Collection[str]

    @cached_property
    def models(self) -> CasesComparison | None:
        """The comparison of models on the instances of the data set; None if there is none."""
        if self.dataset not in self.with_items:
            return None
        context = self.context
        settings = replace(context.settings, dataset=self.dataset, test="")
        try:
            analysis = cache.analysis(
                inputs.selection_key(context), settings, inputs.selected_results(context)
            )
        except FoldwiseError:
            return None
        return analysis if isinstance(analysis, CasesComparison) else None

    @cached_property
    def clusters(self) -> FigureSpec | None:
        """The figure of accuracies by cluster; None without models or clusters."""
        if self.models is None:
            return None
        hues = components.palette(self.models.results.algorithms, ())
        return instance_figures.clusters_drawing(self.models, hues)


def _folds_lacking(explored: Explored) -> str | None:
    """Return that the data set has no results per fold, None if it has."""
    has_folds = explored.dataset in explored.with_folds
    return None if has_folds else page_text("components.lacks_folds")


def _measures_lacking(explored: Explored) -> str | None:
    """Return that the results per fold have one measure only, None if they have several, or if there are none."""
    if _folds_lacking(explored) is not None or inputs.several_measures(explored.context.results):
        return None
    return page_text("components.lacks_measures")


def _scores_lacking(explored: Explored) -> str | None:
    """Return that the data set has no scores, None if it has."""
    has_scores = explored.dataset in explored.with_scores
    return None if has_scores else page_text("components.lacks_scores")


def _no_more(explored: Explored) -> str | None:
    """Return None: nothing more is needed."""
    return None


FOLDS: Evidence[Explored] = Evidence(name="folds", lacking=_folds_lacking)
MEASURES: Evidence[Explored] = Evidence(name="measures", lacking=_measures_lacking)
SCORES: Evidence[Explored] = Evidence(name="scores", lacking=_scores_lacking)


def _classes(explored: Explored) -> str | None:
    return None if explored.dataset in explored.with_classes else "no predicted classes"


def _three_models(explored: Explored) -> str | None:
    has_three = explored.models is not None and len(explored.models.order) > 2
    return None if has_three else "two models"


def _clusters(explored: Explored) -> str | None:
    return None if explored.clusters is not None else "no clusters"


def _tab(
    name: str, make: Callable[[Explored], None], needs: Callable[[Explored], str | None]
) -> Entry[Explored, None]:
    return Entry(name=name, make=make, needs=needs, where=frozenset({Place.EXPLORE}))


# tabs of the page Explore, in order
TABS: tuple[Entry[Explored, None], ...] = (
    _tab(
        "Folds", lambda explored: folds(explored.context, explored.dataset), Needs(FOLDS, _no_more)
    ),
    _tab(
        "Several measures",
        lambda explored: several_measures(explored.context, explored.dataset),
        Needs(MEASURES, _folds_lacking),
    ),
    _tab(
        "Curves",
        lambda explored: curves(explored.context, explored.dataset),
        Needs(SCORES, _no_more),
    ),
    _tab(
        "Thresholds",
        lambda explored: thresholds(explored.context, explored.dataset),
        Needs(SCORES, _no_more),
    ),
    _tab("Confusion", lambda explored: _confusion(explored.context, explored.dataset), _classes),
    _tab("Difficulty", lambda explored: _difficulty(explored.models), _three_models),
    _tab("Clusters", lambda explored: components.show_figure(explored.clusters), _clusters),
)


def _difficulty(analysis: CasesComparison | None) -> None:
    """Draw how many models answer the instances correctly, and all instances, the hardest first."""
    if analysis is None:
        return
    components.show_figure(instance_figures.difficulty_drawing(analysis))
    components.show_table(instance_tables.difficulty(analysis))


def _confusion(context: session.Context, dataset: str) -> None:
    """Draw the confusion matrices of the selected algorithms at the threshold in force, and its slider."""
    names = inputs.selected_results(context).algorithms
    inputs.offer_theta(context)
    drawing = confusion.confusion_drawing(context.raw.select(algorithms=list(names)), dataset)
    if drawing is not None:
        components.show_figure(drawing)
        if stated := threshold_message(context.raw):
            components.caption(stated)


def folds(context: session.Context, dataset: str) -> None:
    """Draw the comparison of all algorithms on the folds of one data set."""
    results = context.results
    card = st.container()
    settings = replace(context.settings, dataset=dataset)
    names = inputs.selected_results(context).algorithms
    notation = fold_views.NOTATIONS[0]
    with components.options(key="options_of_tab"):
        if len(names) == 2:
            settings = inputs.fold_test(results, dataset, settings)
        elif len(names) > 2:
            settings = inputs.post_hoc(results, dataset, settings)
            notation = inputs.page_option("Notation", "notation", fold_views.NOTATIONS)
        form = fold_views.form_of_folds()
        inputs.offer_theta(context)
    analysis = comparison_views.run_comparison(context, settings, card)
    comparison_views.show_dataset_verdict(context, analysis, card)
    if isinstance(analysis, FoldPairComparison):
        fold_views.folds_figure(analysis, results.algorithms, form=form)
        fold_views.interval_figure(analysis)
        return
    if len(names) == 1:
        fold_views.folds_of_one(results, dataset, settings.measure, names[0], form)
    if isinstance(analysis, FoldsComparison):
        inputs.draw_sections(
            {
                "Order": partial(fold_views.order_tab, context, analysis, notation, form),
                "All pairs": partial(fold_views.pairs_tab, analysis),
                "Assumptions": partial(fold_views.assumption_figures, analysis, results.algorithms),
                "Agreement": partial(comparison_views.agreement_tab, context, settings),
            },
            "view",
        )


def several_measures(context: session.Context, dataset: str) -> None:
    """Draw the comparison on several measures together, or only the verdict if it is not possible."""
    results = context.results
    card, more = st.container(), components.options("Measures", key="options_of_tab")
    with more, components.row():
        measures = inputs.measures(results)
        pair = inputs.choose_all_or_pair(context)
    settings = replace(context.settings, dataset=dataset, measures=measures, pair=pair)
    with more:
        settings = inputs.choose_test_fraction(results, dataset, settings)
        settings = inputs.choose_overlap(results, dataset, settings)
        settings = inputs.degrees(results, dataset, settings)
        levels = inputs.page_option("Contours", "levels", LEVELS)
        regions = st.toggle(**linked("mean_regions"))
        pooled = inputs.page_option("Covariance", "covariance", COVARIANCES) == "pooled"
        form = FORMS["automatic"]
        if len(measures) == 2:
            form = inputs.page_option(
                "Separate panels", "panels", FORMS, help=page_text("explore_views.panels")
            )
        inputs.offer_theta(context)
    analysis = comparison_views.run_comparison(context, settings, card)
    family = replace(settings, pair=())
    comparison_views.show_pair_verdict(context, analysis, family, card)
    if not isinstance(analysis, OnMeasures):
        return
    draw_folds = partial(
        measure_views.folds_tab,
        context,
        analysis,
        levels=levels,
        regions=regions,
        pooled=pooled,
        form=form,
    )
    everyone = results.algorithms
    inputs.draw_sections(
        {
            "Folds": draw_folds,
            "Tests": partial(measure_views.joint_tests_view, analysis),
            "Means": partial(measure_views.means_view, context, analysis, settings),
            "Cliques": partial(measure_views.cliques_tab, context, analysis, settings),
            "Discriminant measures": partial(
                measure_views.learned_measures_view, context.key, analysis, everyone
            ),
            "Assumptions": partial(measure_views.assumptions, context.key, analysis),
            measure_views.OVER: partial(measure_views.over_datasets, context, measures, settings),
        },
        "mtab",
    )


def curves(context: session.Context, dataset: str) -> None:
    """Draw ROC and precision-recall curves with their areas, or why there are none."""
    data, card = _curves(context, dataset)
    if data is None:
        return
    measure = curve_views.measure_of_curve(context)
    curve_views.verdict(context, replace(context.settings, dataset=dataset, measure=measure), card)
    fraction = tested_share(context.read, dataset, context.settings)
    inputs.draw_sections(
        {
            "Curves": partial(curve_views.curves_tab, context, data, fraction),
            "Areas": partial(curve_views.auc_tab, context, data),
            "Agreement of tests": partial(comparison_views.four_cases, context),
        },
        "ctab",
    )


def thresholds(context: session.Context, dataset: str) -> None:
    """Draw expected costs by threshold, the best thresholds and calibration, or why there are none."""
    data, card = _curves(context, dataset)
    if data is not None:
        with card:
            curve_views.loss_tab(context, data)


def _curves(context: session.Context, dataset: str) -> tuple[DataCurves | None, DeltaGenerator]:
    """Return the curves of a data set, None if there are none, and a place above the notes on them."""
    data, card = None, st.container()
    with components.refusing(page_text("explore_views.no_curves")):
        data = comparison_views.curves_of(f"{context.read_key}/{dataset}", dataset, context.read)
    if data is not None:
        components.caption(*data.one_class[:5])
        for name, why in data.left_out.items():
            components.caption(f"{name} is left out: {why}.")
    return data, card
