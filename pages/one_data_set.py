"""The page One data set: the order of several algorithms on one data set."""

from dataclasses import replace
from functools import partial

import streamlit as st

from foldwise.web import components, inputs
from foldwise.web.texts import page_text
from foldwise.web.views import comparison_views, fold_views

NEED = page_text("page_one_data_set.need")

context = components.page_context(NEED)
results = context.results
with_folds = inputs.datasets_with_folds(context)
if not with_folds:
    components.end_page(NEED, f"{results.source} has {results.design_label}.")

dataset = inputs.choose_dataset(context, with_folds)
card = st.container()
settings = replace(context.settings, dataset=dataset)
names = inputs.selected_results(context).algorithms
with components.row():
    if len(names) == 2:
        settings = inputs.fold_test(results, dataset, settings)
    elif len(names) > 2:
        settings = inputs.post_hoc(results, dataset, settings)
        notation = inputs.page_option("Notation", "notation", fold_views.NOTATIONS)
    inputs.offer_theta(context)
analysis = comparison_views.run_comparison(context, settings, card)
comparison_views.show_verdict(context, analysis, card, brief=len(names) > 2 and inputs.open_tab("view") != "Order")
if analysis.shape.folds and analysis.shape.two:
    fold_views.bricks_figure(analysis, results.algorithms)
    fold_views.interval_figure(analysis)
    st.stop()
if len(names) == 1:
    fold_views.folds_of_one(results, dataset, settings.measure, names[0])
if analysis.shape.folds:
    inputs.draw_tabs(
        {
            "Order": partial(fold_views.order_tab, context, analysis, notation),
            "Pairs": partial(fold_views.pairs_tab, analysis),
            "Assumptions": partial(fold_views.assumption_figures, analysis, results.algorithms),
            "Agreement": partial(comparison_views.agreement_tab, context, settings),
        },
        "view",
    )
