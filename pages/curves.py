"""The page Curves: ranking of instances and errors at every threshold."""

from dataclasses import replace
from functools import partial

import streamlit as st

from foldwise.web import cached_calls, components, inputs
from foldwise.web.views import agreement_views, curve_views
from stats_core.core.errors import FoldwiseError
from stats_core.curves.thresholds import needs_scores
from stats_core.data.settings import select, tested_share

NEED = "This page needs predictions with scores."

context = components.page_context(NEED)
if reason := needs_scores(context.read):
    components.end_page(NEED, f"{context.read.source} {reason}.", "twoclass_scores.csv.gz")
sets = select(context.read, context.settings).datasets
dataset = inputs.choose_dataset(context, list(sets))
try:
    data = cached_calls.curves(f"{context.read_key}/{dataset}", dataset, context.read)
except FoldwiseError as error:
    components.end_page("These curves cannot be drawn.", error, sample="")
card = st.container()
settings = replace(context.settings, dataset=dataset, measure="auc")
analysis = curve_views.verdict(context, settings, card)
for sentence in data.one_class[:5]:
    st.caption(components.escape(sentence))
for name, why in data.left_out.items():
    st.caption(components.escape(f"{name} is left out: {why}."))
fraction = tested_share(context.read, dataset, context.settings)
inputs.draw_tabs(
    {
        "Curves": partial(curve_views.curves_tab, context, data, fraction),
        "Areas": partial(curve_views.auc_tab, context, data, analysis),
        "Thresholds and losses": partial(curve_views.loss_tab, context, data, analysis),
        "Agreement of tests": partial(agreement_views.four_cases, context),
    },
    "ctab",
)
