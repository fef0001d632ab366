"""One data set: the order of several algorithms on one set."""

from dataclasses import replace
from functools import partial

import streamlit as st

from foldwise.ui import (
    agreement_view,
    assumption_views,
    cached,
    fold_views,
    inputs,
    order_views,
    pair_views,
    published_views,
    show,
    state,
    table_views,
    views,
)
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds import FoldsComparison

context = state.context()
if context.results is None:
    show.refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()
published_views.needs(context, "One data set needs results per fold.")
results = context.results
with_folds = inputs.sets_with_folds(context)
if not with_folds:
    show.refusal(
        "One data set needs results per fold.",
        f"{results.source} has {results.design_label}.",
        sample=cached.catalogue()[0]["file"],
    )
    st.stop()

dataset = inputs.walk(context, with_folds)
card = st.container()
settings = replace(context.settings, dataset=dataset)
names = inputs.kept(context).algorithms
with st.container(horizontal=True, vertical_alignment="bottom"):
    if len(names) == 2:
        settings = inputs.fold_test(results, dataset, settings)
    elif len(names) > 2:
        settings = inputs.post_hoc(results, dataset, settings)
        notation = inputs.option("Notation", "notation", order_views.NOTATIONS)
    inputs.offer_theta(context)
analysis = views.compare(context, settings, card)
links = {1: "", 2: "Every test of these two"}
label = links.get(len(names), "Two of them")
views.say(context, analysis, card, {"pages/pair.py": label} if label else {})
if isinstance(analysis, FoldPairComparison):
    fold_views.bricks_figure(analysis, results.algorithms)
    pair_views.interval_figure(analysis)
    st.stop()
if len(names) == 1:
    fold_views.folds_of_one(results, dataset, settings.measure, names[0])
if not isinstance(analysis, FoldsComparison):
    st.stop()

order, pairs, assumptions, agreement = st.tabs(
    ["Order", "Pairs", "Assumptions", "Agreement"],
    key="view",
    on_change="rerun",
    bind="query-params",
)
if order.open:
    with order:
        show.selection_chip()
        order_views.orderings(analysis, results.algorithms, notation, context.highlight)
        fold_views.bricks_figure(analysis, results.algorithms, highlight=context.highlight)
        views.folded("Analysis of variance", "anova", partial(order_views.anova_tables, analysis))
        order_views.other_orderings(analysis, results, context.key, context.highlight)
if pairs.open:
    with pairs:
        show.selection_chip()
        fold_views.matrix_figure(analysis)
        table_views.pairs(analysis)
        fold_views.intervals_figure(analysis)
if assumptions.open:
    with assumptions:
        assumption_views.assumption_figures(analysis, results.algorithms)
if agreement.open:
    with agreement:
        agreement_view.agreement(context, settings)
