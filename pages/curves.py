"""The page Curves: ranking of instances and errors at every threshold."""

from dataclasses import replace
from functools import partial

import streamlit as st

from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import (
    agreement_views,
    auc_views,
    comparison_views,
    curve_views,
    overview_views,
)
from stats_core.core.errors import FoldwiseError
from stats_core.curves.thresholds import needs_scores
from stats_core.data.settings import select, tested_share

SAMPLE = "twoclass_scores.csv.gz"

context = session.context()
if context.results is None:
    components.show_refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()
overview_views.needs(context, "This page needs predictions with scores.")
if reason := needs_scores(context.read):
    components.show_refusal(
        "This page needs predictions with scores.",
        f"{context.read.source} {reason}.",
        sample=SAMPLE,
    )
    st.stop()

sets = select(context.read, context.settings).datasets
dataset = inputs.choose_dataset(context, list(sets))
try:
    data = cached_calls.curves(f"{context.read_key}/{dataset}", dataset, context.read)
except FoldwiseError as error:
    components.show_refusal("These curves cannot be drawn.", error)
    st.stop()
card = st.container()
settings = replace(context.settings, dataset=dataset, measure="auc")
analysis = auc_views.verdict(context, settings, card)
for sentence in data.one_class[:5]:
    st.caption(components.escape(sentence))
for name, why in data.left_out.items():
    st.caption(components.escape(f"{name} is left out: {why}."))

curves, areas, losses, cases = inputs.page_tabs(
    ["Curves", "Areas", "Thresholds and losses", "Four cases"], "ctab"
)
fraction = tested_share(context.read, dataset, context.settings)
if curves.open:
    with curves:
        components.selection_chip()
        chosen = curve_views.curve_controls(data)
        curve_views.curves_at_theta(context, data, chosen, fraction)
        comparison_views.in_expander(
            "Which curve is nowhere below another, and where curves cross",
            "above",
            partial(curve_views.dominance, context, data),
        )
if areas.open:
    with areas:
        auc_views.auc_tab(context, data, analysis)
if losses.open:
    with losses:
        curve_views.loss_tab(context, data, analysis)
if cases.open:
    with cases:
        agreement_views.four_cases(context)
