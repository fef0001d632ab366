"""The page Many data sets: which algorithms differ over data sets."""

from dataclasses import replace

import streamlit as st

from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import (
    agreement_views,
    comparison_views,
    dataset_views,
    next_steps,
    overview_views,
    pair_views,
)
from stats_core.comparison.kinds.control_and_pairs import (
    ControlComparison,
    PresentComparison,
    TwoComparison,
)
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.data.settings import ASKED_SOURCES

FORMS = ("automatic", "diagram", "list")

context = session.context()
if context.results is None:
    components.show_refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()
overview_views.needs(context, "This page needs results on each data set.")

settings = context.settings
card = st.container()
several = len(inputs.kept_input(context).algorithms) > 2
if several and not context.undecided:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = inputs.page_option(
            "p-values from", "source", inputs.labels_of(ASKED_SOURCES), width=160
        )
        form = inputs.page_option("Form", "form", FORMS, width=160)
        best = inputs.page_option("Best on the", "best", ("left", "right"), width=160)
    settings = comparison_views.allowed_settings(replace(settings, source=source))

analysis = comparison_views.run_comparison(context, settings, card)

if not isinstance(
    analysis, RanksComparison | PresentComparison | TwoComparison | ControlComparison
):
    sets, names = analysis.results.datasets, analysis.results.algorithms
    few_sets = len(sets) < 2
    what, has = ("data sets", sets) if few_sets else ("algorithms", names)
    with card:
        components.show_refusal(
            f"This page needs at least two {what}.",
            f"{analysis.results.source} has one ({', '.join(has)}).",
            sample=cached_calls.catalogue()[0]["file"],
        )
    st.stop()

comparison_views.show_verdict(
    context, analysis, card, {"pages/overview.py": "Overview"}, robust=True
)

if analysis.shape.averages and analysis.shape.two:
    differences, scatter, stable, other, *grouped = inputs.page_tabs(
        [
            "Differences",
            "One against the other",
            "Stability",
            "Why another number?",
            *dataset_views.group_tab_name(analysis),
        ],
        "two",
    )
    if stable.open:
        with stable:
            dataset_views.stability_tab(inputs.selection_key(context), analysis)
    if other.open:
        with other:
            dataset_views.other_definitions(inputs.selection_key(context), analysis)
    if differences.open:
        with differences:
            comparison_views.difference_figure(context.key, analysis)
            next_steps.tables(analysis, "tests", "symmetry")
            pair_views.equivalence_view(context.key, analysis)
            next_steps.tables(analysis, "scores")
    if scatter.open:
        with scatter:
            comparison_views.scatter_figure(analysis)
    for one in grouped:
        if one.open:
            with one:
                dataset_views.group_comparison(context, analysis)
    st.stop()

if analysis.shape.incomplete:
    next_steps.tables(analysis, "standing", "pairs")
    pair_views.equivalence_of_pairs_view(context.key, analysis)
    comparison_views.present_figures(analysis)
    next_steps.tables(analysis, "tests", "groups", "scores")
    dataset_views.robustness(inputs.selection_key(context), analysis)
    st.stop()

if analysis.shape.control:
    comparison_views.control_figure(analysis, form=form, best=best)
    next_steps.tables(analysis, "comparisons", "symmetry")
    comparison_views.intervals_figure(analysis)
    pair_views.equivalence_of_pairs_view(context.key, analysis)
    dataset_views.first_tests(context.key, analysis)
    comparison_views.rank_figure(analysis)
    next_steps.tables(analysis, "scores")
    dataset_views.robustness(inputs.selection_key(context), analysis)
    if dataset_views.group_tab_name(analysis):
        st.markdown("## By group")
        dataset_views.group_comparison(context, analysis)
    st.stop()

has_folds = bool(analysis.results.with_folds)
diagram, pairs, ranks, won, stable, other, *more = inputs.page_tabs(
    [
        "Diagram",
        "Pairs",
        "Ranks by data set",
        "Wins",
        "Stability",
        "Why another number?",
        *(["Agreement"] if has_folds else []),
        *dataset_views.group_tab_name(analysis),
    ],
    "tab",
)
if diagram.open:
    with diagram:
        components.selection_chip()
        comparison_views.cd_figure(analysis, context.highlight, form=form, best=best)
        comparison_views.groups_line(analysis)
        dataset_views.first_tests(context.key, analysis)
if pairs.open:
    with pairs:
        components.selection_chip()
        next_steps.pairs(analysis)
        pair_views.equivalence_of_pairs_view(context.key, analysis)
        comparison_views.intervals_figure(analysis)
        comparison_views.matrix_figure(analysis)
        dataset_views.contrast_view(analysis)
        next_steps.tables(analysis, "procedures", "steps", "acceptance", "symmetry")
if ranks.open:
    with ranks:
        comparison_views.rank_figure(analysis)
        next_steps.tables(analysis, "scores")
if won.open:
    with won:
        dataset_views.wins_tab(context, analysis)
if stable.open:
    with stable:
        dataset_views.stability_tab(inputs.selection_key(context), analysis)
if other.open:
    with other:
        dataset_views.other_definitions(inputs.selection_key(context), analysis)
if has_folds and more[0].open:
    with more[0]:
        agreement_views.agreement_tab(context, settings)
for one in more[has_folds:]:
    if one.open:
        with one:
            dataset_views.group_comparison(context, analysis)
