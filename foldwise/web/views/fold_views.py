"""Views of the folds of one data set, for several and for two algorithms."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import streamlit as st

from foldwise.figures import (
    difference_interval,
    differences,
    fold_histogram,
    instance_figures,
    ordering_strip,
    pair_matrix,
    pair_panels,
    paired_folds,
    qq,
    raincloud,
    spec,
)
from foldwise.figures.fold_histogram import FoldHistogram
from foldwise.figures.fold_rows import FoldRows
from foldwise.figures.raincloud import Raincloud
from foldwise.figures.spec import Colours
from foldwise.web import cache, components, inputs, session
from foldwise.web.cache import cached
from foldwise.web.texts import page_text
from stats_core.comparison.kinds import instances
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison, OnFolds
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import capitalize_first, measure_name
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.fold_pairs import resampling_unit
from stats_core.report.tables import fold_tables, instance_tables, robustness_tables
from stats_core.report.tables.robustness_tables import MOST_PAIRS
from stats_core.report.verdict import if_chosen_beforehand, verdict
from stats_core.robustness import other_measures


def assumption_figures(analysis: FoldsComparison, all_algorithms: Sequence[str]) -> None:
    """Draw the checks of assumptions, and figures of the residuals."""
    components.show_tables(analysis, "checks")
    left, right = st.columns(2)
    with left, components.refusing():
        qq_figure(analysis)
        with right:
            hues = components.palette(all_algorithms, ())
            components.show_figure(
                fold_histogram.spread_drawing(analysis, colours=hues), width=HALF
            )


def qq_figure(analysis: FoldsComparison | FoldPairComparison) -> None:
    """Draw the normal Q-Q plot of residuals, or of the differences of two algorithms."""
    components.show_figure(qq.qq_drawing(analysis), width=HALF)
    if analysis.n_folds < 8:
        st.caption(page_text("fold_views.few_folds", n=analysis.n_folds))


POSTERIORS = "Drawing posteriors ..."
NOTATIONS = ("maximal groups", "underlines", "letters")


def fold_order_view(
    analysis: FoldsComparison,
    all_algorithms: Sequence[str],
    notation: str,
    highlight: tuple[str, ...],
) -> None:
    """Draw the algorithms ordered by mean, with groups in a notation, or in two if these disagree."""
    if notation == "letters" or not analysis.notations_disagree:
        ordering_figure(analysis, all_algorithms, highlight, notation=notation)
    else:
        groups, underlines = ordering_strip.strip_drawings(
            analysis,
            highlight=highlight,
            colours=components.palette(all_algorithms, highlight),
            selected=session.highlighted(),
        )
        components.show_figure(groups)

        def draw() -> None:
            components.show_figure(underlines)
            components.caption(analysis.disagreement)

        components.in_expander("Published grouping procedure", "underlines", draw)
    components.show_selected_group(analysis)
    if notation == "letters":
        letters = [f"{name} {text}" for name, text in analysis.letters.items()]
        components.caption(page_text("fold_views.letters", letters=letters))


def order_tab(
    context: session.Context, analysis: FoldsComparison, notation: str, form: str
) -> None:
    """Draw the order, the histograms, the analysis of variance and the other measures."""
    everyone, highlight = context.results.algorithms, context.highlight
    fold_order_view(analysis, everyone, notation, highlight)
    folds_figure(analysis, everyone, form=form, highlight=highlight)

    def draw_anova() -> None:
        components.show_tables(analysis, "anova")
        components.show_table(fold_tables.one_way(analysis))

    components.in_expander("Analysis of variance", "anova", draw_anova)
    _other_orderings(analysis, context)


def pairs_tab(analysis: FoldsComparison) -> None:
    """Draw all pairs as a matrix, a table and intervals."""
    components.show_figure(pair_matrix.matrix_of_pairs(analysis), on=analysis.dataset)
    components.show_pairs(analysis)
    drawing, pairs = differences.fold_intervals_drawing(analysis), len(analysis.pairs)
    components.show_figure(drawing)
    if drawing is None and pairs > differences.MOST_INTERVALS:
        st.caption(page_text("fold_views.many_pairs", most=differences.MOST_INTERVALS))


def ordering_figure(
    analysis: FoldsComparison,
    all_algorithms: Sequence[str],
    highlight: tuple[str, ...],
    *,
    notation: str = NOTATIONS[0],
) -> None:
    """Draw the algorithms ordered by mean, with groups in a notation."""
    drawing = ordering_strip.strip_drawing(
        analysis,
        notation=notation,
        highlight=highlight,
        colours=components.palette(all_algorithms, highlight),
        selected=session.highlighted(),
    )
    components.show_figure(drawing)


def _other_orderings(analysis: FoldsComparison, context: session.Context) -> None:
    """Draw the orders by other measures, if any, and the changed decisions, in an expander."""
    results = context.results
    other_names = [name for name in results.measures if name != analysis.settings.measure]
    if not other_names:
        return

    def draw() -> None:
        """Draw a choice of measures, the orders by them, and the pairs decided otherwise."""
        usual = [name for name in ("error", "auc", "auc_pr") if name in other_names]
        displayed = inputs.display_names(other_names)
        choice = st.multiselect(
            "Measures",
            other_names,
            default=(usual or other_names)[:2],
            format_func=lambda name: displayed[name],
            key="beside",
            max_selections=4,
        )
        analyses, refused = cache.cached_repeats(
            context.key,
            other_measures.other_measures,
            analysis,
            tuple(choice),
            doing="Trying other measures ...",
        )
        for other_analysis in analyses:
            ordering_figure(other_analysis, results.algorithms, context.highlight)
        for measure, reason in refused.items():
            components.caption(f"{measure_name(measure)}: {reason}")
        if not analyses:
            return
        table = robustness_tables.changed_pairs_table([analysis, *analyses])
        if table.frame.empty:
            names = [compared.measure_name for compared in (analysis, *analyses)]
            components.caption(page_text("fold_views.same_decisions", names=names))
        else:
            components.show_table(table)

    components.in_expander("Other measures", "other_measures", draw)


HALF = 482  # px, width of one of two columns


def selected_folds() -> tuple[str, ...]:
    """Return the selected folds, () if there are none."""
    choice = session.selection()
    return tuple(choice["ids"]) if choice.get("kind") == "fold" else ()


class FoldsDrawing(Protocol):
    """A function that draws the results per fold of the algorithms of a comparison."""

    def __call__(
        self,
        analysis: OnFolds,
        *,
        highlight: Collection[str],
        colours: Colours,
        selected: Collection[str],
        lit: Collection[str],
    ) -> FoldRows:
        """Return the figure with selected folds and algorithms."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """A form of the results per fold: the figure of a comparison, and of a single algorithm."""

    drawing: FoldsDrawing
    of_one: type[FoldRows]


FORMS = {
    "histogram": Form(drawing=fold_histogram.folds_drawing, of_one=FoldHistogram),
    "raincloud": Form(drawing=raincloud.raincloud_drawing, of_one=Raincloud),
}


def form_of_folds() -> str:
    """Draw the choice between histogram and raincloud, and return it."""
    return inputs.page_option("Form", "bricks", tuple(FORMS))


def folds_figure(
    analysis: OnFolds,
    all_algorithms: Sequence[str],
    *,
    form: str = "histogram",
    highlight: tuple[str, ...] = (),
    width: int = 980,
) -> None:
    """Draw histograms or rainclouds of the results per fold, the best algorithm on top."""
    drawing = FORMS[form].drawing(
        analysis,
        highlight=highlight,
        colours=components.palette(all_algorithms, highlight),
        selected=selected_folds(),
        lit=session.highlighted(),
    )
    if len(drawing.values.columns) < drawing.total:
        st.caption(
            page_text("fold_views.shown", shown=len(drawing.values.columns), n=drawing.total)
        )
    components.show_figure(drawing, on=analysis.dataset, width=width)


def folds_of_one(results: Results, dataset: str, measure: str, name: str, form: str) -> None:
    """Draw the histogram or raincloud of the folds of a single algorithm; nothing without results."""
    values = spec.fold_labels(results.matrix(dataset, measure)[[name]].dropna())
    if values.empty:
        return
    unit = resampling_unit(results.design_of(dataset))
    drawing = FORMS[form].of_one(
        name=f"folds_{dataset}_{measure}",
        title=f"{capitalize_first(measure_name(measure))} of {name} by {unit}",
        values=values,
        measure=measure_name(measure),
        higher_is_better=results.direction(measure) == "higher",
        unit=unit,
    )
    components.show_figure(drawing)


def folds_table(analysis: OnFolds) -> None:
    """Draw the results of every fold, or of the selected folds."""
    table = fold_tables.fold_by_fold(analysis)
    table = replace(table, frame=spec.fold_labels(table.frame.set_axis(analysis.matrix.index)))
    choice = table.frame.index.isin(selected_folds())
    components.show_table(table.only(choice) if choice.any() else table)


def equivalence_view(key: str, analysis: Comparison) -> None:
    """Draw the Bayesian equivalence test, or a note that no margin is set."""
    if analysis.settings.margin is None:
        st.caption(page_text("fold_views.equivalence"))
        return
    with components.refusing():
        components.show_table(
            cached(key, robustness_tables.equivalence_table, analysis, doing=POSTERIORS)
        )


def equivalence_of_pairs_view(key: str, analysis: Comparison) -> None:
    """Draw the Bayesian tests of all pairs over data sets, if a margin is set."""
    if analysis.settings.margin is None:
        return
    table = cached(key, robustness_tables.equivalences_table, analysis, doing=POSTERIORS)
    if table is None:
        st.caption(page_text("fold_views.no_bayes", most=MOST_PAIRS))
    else:
        components.show_table(table)


def instance_pair(key: str, settings: Settings, results: Results) -> CasesComparison:
    """Return the comparison of two models on one test set; cached."""
    return cache.cached_instances(
        key, instances.compare_pair_on_cases, results, settings, doing="Comparing instances ..."
    )


def answers_of_two(
    analysis: CasesComparison, all_algorithms: Sequence[str], *, apart: bool
) -> None:
    """Draw answers and scores of two models, `apart` in two columns, and in expanders the tests and the instances."""
    colours = components.palette(all_algorithms, ())
    drawings = (
        instance_figures.agreement_drawing(analysis) or differences.of_models_drawing(analysis),
        pair_panels.scores_drawing(analysis, colours),
    )
    drawings = tuple(filter(None, drawings))
    columns = (
        components.side_by_side(HALF, HALF)
        if apart and drawings[1:]
        else [st.container() for _ in drawings]
    )
    for column, drawing in zip(columns, drawings, strict=True):
        with column:
            components.show_figure(drawing, width=HALF if drawings[1:] or not apart else 980)

    def draw_instances() -> None:
        for table in instance_tables.disagreements(analysis):
            components.show_table(table)

    components.in_expander(
        "Tests", "tests_of_two", lambda: components.show_table(instance_tables.both_forms(analysis))
    )
    if analysis.has_one_answer:
        components.in_expander("Instances", "different_answers", draw_instances)


def over_trainings(key: str, on_cases: Comparison, analysis: Comparison, *, among: int) -> None:
    """Draw the test over instances and runs, and the verdict of the test over runs only.

    With `among` > 2 algorithms, a sentence on a pair chosen beforehand replaces that verdict.
    """
    components.show_tables(on_cases, "pairs")
    if among > 2:
        text = if_chosen_beforehand(analysis)
    else:
        words = cached(key, verdict, analysis)
        text = f"{words.headline} {words.detail}"
    st.markdown(page_text("fold_views.runs", verdict=components.escape(text)))
    st.caption(page_text("fold_views.one_test_set"))


def paired_figure(analysis: FoldPairComparison) -> None:
    """Draw both results of every fold, joined by a line, or a scatter plot of many folds."""
    components.show_figure(
        paired_folds.paired_drawing(analysis, selected=selected_folds()), width=HALF
    )


def interval_figure(analysis: FoldPairComparison) -> None:
    """Draw the fold differences with the intervals of the tests."""
    components.show_figure(
        difference_interval.interval_drawing(analysis, selected=selected_folds())
    )


def measures_tab(key: str, analysis: FoldPairComparison) -> None:
    """Draw the test of two algorithms by every measure."""
    table = cached(key, other_measures.by_measure, analysis, doing="Trying other measures ...")
    components.show_table(robustness_tables.by_measure_table(analysis, table))


def pair_tables(analysis: FoldPairComparison) -> None:
    """Draw all tests of a pair, and effect sizes or a note that there are none."""
    components.show_tables(analysis, "tests", "effects")
    if analysis.effects is None:
        st.caption(page_text("fold_views.no_effects"))
    components.caption(fold_tables.describe_record(analysis))


def normality_tab(analysis: FoldPairComparison) -> None:
    """Draw a normal Q-Q plot of the differences of two algorithms."""
    with components.refusing():
        qq_figure(analysis)
