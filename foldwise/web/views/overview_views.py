"""Views of the page Overview and of published ranks, wins and decisions."""

from collections.abc import Callable
from contextlib import suppress

import streamlit as st

from foldwise.figures import differences
from foldwise.figures.cd_diagram import control_drawing
from foldwise.figures.ordering_graph import graph_of_ordered_decisions
from foldwise.figures.sign_test_graph import sign_graph_of_wins
from foldwise.web import cache, components, inputs, session
from foldwise.web.cache import cached
from foldwise.web.texts import page_text
from foldwise.web.views import comparison_views, dataset_views, fold_views, order_views
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.data.published import DECISIONS
from stats_core.power.detectable import NO_FAMILY, detectable
from stats_core.report.plan import chain
from stats_core.report.power_text import describe_detectable
from stats_core.report.robustness_text import describe_other_measures
from stats_core.robustness.other_measures import decided_otherwise


def ordering_page(context: session.Context) -> None:
    """Draw MultiTest on published decisions and the user's own order, and end the page."""
    results = context.results
    if results is None or results.published is None:
        return
    if results.published.what != DECISIONS or not results.published.sided:
        components.page_context(page_text("overview_views.order_needs"))
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
        doing, cost = "Other measures ...", cache.repetition_seconds
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
            steps = cached(key, chain, results, context.settings, doing="Analysis steps ...")
            components.caption(f"{steps.scenario}. {steps.case}.")
            for number, step in enumerate(steps.steps, 1):
                fields = ("question", "test", "why", "reference", "papers", "fails")
                texts = {name: components.escape(getattr(step, name)) for name in fields}
                st.markdown(page_text("overview_views.step", number=number, **texts))

    components.in_expander("Analysis steps", "chain", draw)
