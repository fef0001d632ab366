"""The page Overview: the verdict and its certainty."""

import streamlit as st

from foldwise.web import components, inputs
from foldwise.web.cache import cached
from foldwise.web.texts import page_text
from foldwise.web.views import comparison_views, data_views, order_views, overview_views
from stats_core.robustness import other_measures

context = components.page_context()
card = st.container()
analysis = comparison_views.run_comparison(context, context.settings, card)
comparison_views.show_verdict(context, analysis, card, robust=True)
if analysis.shape.over == "cases":
    data_views.suggest_cluster_column(context)
overview_views.other_measures_note(context, analysis)
overview_views.OF_KIND[analysis.kind](context, analysis)
order_views.on_overview(context, analysis)

key, results = inputs.selection_key(context), inputs.selected_results(context)
findings = cached(key, other_measures.findings, results, context.settings)
if findings:
    st.markdown("## Exploratory findings")
    for finding in findings:
        comparison_views.finding_link(finding)
    st.caption(page_text("page_overview.exploratory"))

overview_views.detectable_difference(context, analysis)
overview_views.analysis_steps(context)
