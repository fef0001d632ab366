"""The page One data set: the order of several algorithms on one data set."""

from dataclasses import replace
from functools import partial

import streamlit as st

from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import (
    agreement_views,
    comparison_views,
    fold_views,
    next_steps,
    overview_views,
    pair_views,
)

context = session.context()
if context.results is None:
    components.show_refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()
overview_views.needs(context, "One data set needs results per fold.")
results = context.results
with_folds = inputs.datasets_with_folds(context)
if not with_folds:
    components.show_refusal(
        "One data set needs results per fold.",
        f"{results.source} has {results.design_label}.",
        sample=cached_calls.catalogue()[0]["file"],
    )
    st.stop()

dataset = inputs.choose_dataset(context, with_folds)
card = st.container()
settings = replace(context.settings, dataset=dataset)
names = inputs.kept_input(context).algorithms
with st.container(horizontal=True, vertical_alignment="bottom"):
    if len(names) == 2:
        settings = inputs.fold_test(results, dataset, settings)
    elif len(names) > 2:
        settings = inputs.post_hoc(results, dataset, settings)
        notation = inputs.page_option("Notation", "notation", fold_views.NOTATIONS)
    inputs.offer_theta(context)
analysis = comparison_views.run_comparison(context, settings, card)
links = {1: "", 2: "Every test of these two"}
label = links.get(len(names), "Two of them")
comparison_views.show_verdict(context, analysis, card, {"pages/pair.py": label} if label else {})
if analysis.shape.folds and analysis.shape.two:
    fold_views.bricks_figure(analysis, results.algorithms)
    pair_views.interval_figure(analysis)
    st.stop()
if len(names) == 1:
    fold_views.folds_of_one(results, dataset, settings.measure, names[0])
if not analysis.shape.folds:
    st.stop()

order, pairs, assumptions, agreement = inputs.page_tabs(
    ["Order", "Pairs", "Assumptions", "Agreement"], "view"
)
if order.open:
    with order:
        components.selection_chip()
        fold_views.fold_order_view(analysis, results.algorithms, notation, context.highlight)
        fold_views.bricks_figure(analysis, results.algorithms, highlight=context.highlight)
        comparison_views.in_expander(
            "Analysis of variance", "anova", partial(fold_views.anova_tables, analysis)
        )
        fold_views.other_orderings(analysis, results, context.key, context.highlight)
if pairs.open:
    with pairs:
        components.selection_chip()
        fold_views.matrix_figure(analysis)
        next_steps.pairs(analysis)
        fold_views.intervals_figure(analysis)
if assumptions.open:
    with assumptions:
        fold_views.assumption_figures(analysis, results.algorithms)
if agreement.open:
    with agreement:
        agreement_views.agreement_tab(context, settings)
