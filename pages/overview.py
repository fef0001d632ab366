"""The page Overview: the verdict and its certainty."""

import streamlit as st

from foldwise.web import cached_calls, components, inputs
from foldwise.web.views import comparison_views, data_views, order_views, overview_views
from stats_core.report.text_report import comparison_line

context = components.page_context()
card = st.container()
analysis = comparison_views.run_comparison(context, context.settings, card)
comparison_views.show_verdict(context, analysis, card, robust=True)
if analysis.shape.over == "cases":
    data_views.suggest_cluster_column(context)
st.caption(components.escape(comparison_line(analysis)))
overview_views.other_measures_note(context, analysis)
overview_views.OF_KIND[analysis.kind](context, analysis)
order_views.on_overview(context, analysis)

findings = cached_calls.findings(inputs.selection_key(context), context.settings, inputs.kept_input(context))
if findings:
    st.markdown("## Exploratory findings")
    for finding in findings:
        comparison_views.finding_link(finding)
    st.caption("All pairs and data sets were scanned without correction for multiple testing.")

overview_views.detectable_difference(context, analysis)
overview_views.analysis_steps(context)
