"""The page Curves: ranking of instances and errors at every threshold."""

from dataclasses import replace
from functools import partial

import streamlit as st

from foldwise.web import components, inputs
from foldwise.web.texts import page_text
from foldwise.web.views import comparison_views, curve_views
from stats_core.curves.thresholds import needs_scores
from stats_core.data.settings import select, tested_share

NEED = page_text("page_curves.need")

context = components.page_context(NEED)
if reason := needs_scores(context.read):
    components.end_page(NEED, f"{context.read.source} {reason}.", "twoclass_scores.csv.gz")
sets = select(context.read, context.settings).datasets
dataset = inputs.choose_dataset(context, list(sets))
data = None
with components.refusing(page_text("page_curves.refused")):
    data = comparison_views.curves_of(f"{context.read_key}/{dataset}", dataset, context.read)
if data is None:
    st.stop()
card = st.container()
settings = replace(context.settings, dataset=dataset, measure="auc")
analysis = curve_views.verdict(context, settings, card, brief=inputs.open_tab("ctab") != "Curves")
for sentence in data.one_class[:5]:
    components.caption(sentence)
for name, why in data.left_out.items():
    components.caption(f"{name} is left out: {why}.")
fraction = tested_share(context.read, dataset, context.settings)
inputs.draw_tabs(
    {
        "Curves": partial(curve_views.curves_tab, context, data, fraction),
        "Areas": partial(curve_views.auc_tab, context, data, analysis),
        "Thresholds and losses": partial(curve_views.loss_tab, context, data, analysis),
        "Agreement of tests": partial(comparison_views.four_cases, context),
    },
    "ctab",
)
