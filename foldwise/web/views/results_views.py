"""The page Results: the answer, its figures, and details in tabs."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.figures import differences
from foldwise.figures.cd_diagram import control_drawing
from foldwise.figures.ordering_graph import graph_of_ordered_decisions
from foldwise.figures.sign_test_graph import sign_graph_of_wins
from foldwise.web import cache, components, inputs, session
from foldwise.web.cache import cached
from foldwise.web.views import comparison_views, data_views, dataset_views, fold_views, order_views
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.data.published import DECISIONS
from stats_core.data.settings import Settings
from stats_core.power.detectable import NO_FAMILY, detectable
from stats_core.report.plan import chain
from stats_core.report.power_text import describe_detectable
from stats_core.report.robustness_text import describe_other_measures
from stats_core.report.text_report import comparison_line
from stats_core.robustness import other_measures
from stats_core.robustness.other_measures import decided_otherwise

FORMS = ("automatic", "diagram", "list")
Tabs = dict[str, Callable[[], None]]


def chosen_test(context: session.Context) -> Settings:
    """Draw the choice of the pairwise test over data sets, where there is one; return the settings with it."""
    selected = inputs.selected_results(context)
    published = selected.published is not None
    if published or context.undecided or len(selected.algorithms) < 3 or len(selected.datasets) < 2:
        return context.settings
    with components.row():
        return inputs.choose_pairwise_test(context.settings)


def answer(context: session.Context, analysis: Comparison, card: DeltaGenerator) -> None:
    """Draw the answer with its numbers and its sensitivity."""
    comparison_views.show_verdict(context, analysis, card, robust=True)
    if analysis.shape.over == "cases":
        data_views.suggest_cluster_column(context)
    other_measures_note(context, analysis)


def figures(context: session.Context, analysis: Comparison) -> None:
    """Draw the main figures of a comparison."""
    OF_KIND[analysis.kind](context, analysis)


def details(context: session.Context, analysis: Comparison) -> Tabs:
    """Return the views of the details of a comparison, by the label of their tab."""
    key = inputs.selection_key(context)
    views: Tabs = {"Why this test": partial(why_this_test, context, analysis)}
    shape = analysis.shape
    if not shape.averages or shape.published:
        return views
    if shape.incomplete:
        return {**views, "All pairs": partial(dataset_views.present_pairs, context.key, key, analysis)}
    if shape.control:
        return {**views, "Against the control": partial(dataset_views.against_control, context, analysis)}
    if shape.two:
        views["Differences"] = partial(dataset_views.differences_tab, context.key, analysis)
        views["Scatter plot"] = partial(dataset_views.scatter_figure, analysis)
    else:
        views["All pairs"] = partial(dataset_views.pairs_tab, context.key, analysis)
        views["Ranks by data set"] = partial(dataset_views.ranks_tab, analysis)
        views["Wins"] = partial(dataset_views.wins_tab, context, analysis)
    views["Sensitivity"] = partial(dataset_views.stability_tab, key, analysis)
    if not shape.two and analysis.results.with_folds:
        views["Agreement"] = partial(comparison_views.agreement_tab, context, context.settings)
    if dataset_views.has_groups(analysis):
        views["By group"] = partial(dataset_views.group_comparison, context, analysis)
    views["Other software"] = partial(dataset_views.other_software, key, analysis)
    return views


def why_this_test(context: session.Context, analysis: Comparison) -> None:
    """Draw the steps of the analysis, the omnibus tests and what an experiment of this size can detect."""
    components.caption(comparison_line(analysis))
    if analysis.shape.averages and analysis.shape.ranked_pairs:
        dataset_views.first_tests(context.key, analysis)
    order_views.on_overview(context, analysis)
    key, results = inputs.selection_key(context), inputs.selected_results(context)
    findings = cached(key, other_measures.findings, results, context.settings)
    if findings:
        st.markdown("## Exploratory findings")
        for finding in findings:
            comparison_views.finding_link(finding)
        st.caption("All pairs and data sets were scanned without correction for multiple testing.")
    detectable_difference(context, analysis)
    analysis_steps(context)


def ordering_page(context: session.Context) -> None:
    """Draw MultiTest on published decisions and the user's own order, and end the page."""
    results = context.results
    if results is None or results.published is None:
        return
    if results.published.what != DECISIONS or not results.published.sided:
        components.page_context("An order needs results, or decisions that name the winner.")
    order_views.own_order(results, results.published.names)
    card = st.container()
    analysis = comparison_views.run_comparison(context, context.settings, card)
    comparison_views.show_verdict(context, analysis, card)
    if analysis.shape.published and analysis.shape.over == "nothing":
        components.show_figure(graph_of_ordered_decisions(analysis))
        components.show_tables(analysis, "order", "decisions")
    st.stop()


def _ranks(context: session.Context, comparison: Comparison) -> None:
    components.selection_chip()
    dataset_views.cd_figure(comparison, context.highlight)
    components.show_figure(differences.from_best_drawing(comparison))


def _present(context: session.Context, comparison: Comparison) -> None:
    dataset_views.present_figures(comparison)
    components.show_tables(comparison, "standing", "pairs")


def _control(context: session.Context, comparison: Comparison) -> None:
    components.show_figure(control_drawing(comparison))
    components.show_figure(differences.intervals_drawing(comparison))
    components.show_tables(comparison, "comparisons")


def _two(context: session.Context, comparison: Comparison) -> None:
    dataset_views.difference_figure(context.key, comparison)


def _folds(context: session.Context, comparison: Comparison) -> None:
    components.selection_chip()
    everyone = context.results.algorithms
    fold_views.fold_order_view(comparison, everyone, "maximal groups", context.highlight)
    components.show_figure(differences.from_best_drawing(comparison))
    fold_views.bricks_figure(comparison, everyone, highlight=context.highlight)


def _fold_pair(context: session.Context, comparison: Comparison) -> None:
    components.selection_chip()
    fold_views.bricks_figure(comparison, context.results.algorithms)
    fold_views.interval_figure(comparison)


def _scores(context: session.Context, comparison: Comparison) -> None:
    pairs = ["pairs"] if comparison.shape.over == "cases" else []
    components.show_tables(comparison, *pairs, "scores")


def _published_ranks(context: session.Context, comparison: Comparison) -> None:
    components.selection_chip()
    dataset_views.cd_figure(comparison, context.highlight)
    components.show_tables(comparison, "pairs", "tests", "ranks")


def _published_wins(context: session.Context, comparison: Comparison) -> None:
    components.show_tables(comparison, "wins", "pairs")
    if comparison.beats.to_numpy().any():
        components.show_figure(sign_graph_of_wins(comparison, comparison.order))


def _published_decisions(context: session.Context, comparison: Comparison) -> None:
    components.show_figure(graph_of_ordered_decisions(comparison))
    components.show_tables(comparison)


# kind of comparison -> function that draws its main figures on the Overview
OF_KIND: dict[str, Callable[[session.Context, Comparison], None]] = {
    "ranks": _ranks,
    "present": _present,
    "control": _control,
    "two": _two,
    "folds": _folds,
    "fold pair": _fold_pair,
    "measures": _scores,
    "pair on measures": _scores,
    "wins": _scores,
    "cases": _scores,
    "trainings": _scores,
    "untested": _scores,
    "published ranks": _published_ranks,
    "published wins": _published_wins,
    "published decisions": _published_decisions,
}


def other_measures_note(context: session.Context, analysis: Comparison) -> None:
    """Draw which other measures lead to other decisions, if any."""
    with suppress(FoldwiseError):
        key = inputs.selection_key(context)
        doing, cost = "Trying other measures ...", cache.repetition_seconds
        others = cached(key, decided_otherwise, analysis, doing=doing, cost=cost)
        if sentence := describe_other_measures(others):
            st.markdown(components.escape(sentence), width=920)


def detectable_difference(context: session.Context, analysis: Comparison) -> None:
    """Draw the difference that an experiment of this size could detect, in an expander."""
    with suppress(FoldwiseError):
        effect = cached(inputs.selection_key(context), detectable, analysis)
        if sentence := describe_detectable(effect):
            with st.expander("Detectable difference", key="detectable"):
                components.paragraph(sentence)
                if effect.family != NO_FAMILY.name:
                    components.caption(f"Family: {effect.family}.")
                components.caption(effect.method)


def analysis_steps(context: session.Context) -> None:
    """Draw the analysis steps with reasons and references, in an expander."""

    def draw() -> None:
        with components.refusing():
            key, results = inputs.selection_key(context), inputs.selected_results(context)
            steps = cached(key, chain, results, context.settings, doing="Looking at each step ...")
            components.caption(f"{steps.scenario}. {steps.case}.")
            for number, step in enumerate(steps.steps, 1):
                lines = [
                    f"**{number}. {components.escape(step.question)}** {components.escape(step.test)}.",
                    f"{components.escape(step.why)} ({components.escape(step.reference)})",
                ]
                if step.papers:
                    lines.append(f"In the papers: {components.escape(step.papers)}")
                if step.fails:
                    lines.append(f"Violated assumption: {components.escape(step.fails)}")
                st.markdown("  \n".join(lines))

    components.in_expander("Analysis steps and references", "chain", draw)
