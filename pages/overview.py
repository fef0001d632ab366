"""The page Overview: the verdict and its certainty."""

import streamlit as st

from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import comparison_views, data_views, next_steps, order_views, overview_views
from stats_core.report.text_report import comparison_line

context = session.context()
if context.results is None:
    components.show_refusal(
        "An overview needs results.",
        "Nothing could be read yet; Data says what is missing."
        if context.error
        else "No file is open.",
        sample=cached_calls.catalogue()[0]["file"],
    )
    st.stop()

card = st.container()
analysis = comparison_views.run_comparison(context, context.settings, card)
view = overview_views.OF_KIND[analysis.kind]
comparison_views.show_verdict(context, analysis, card, view.links_of(analysis), robust=True)
if analysis.shape.over == "cases":
    data_views.suggest_cluster_column(context)
st.caption(components.escape(comparison_line(analysis)))
next_steps.other_measures_note(context, analysis)
view.draw(context, analysis)

next_steps.detectable_caption(context, analysis)
order_views.on_overview(context, analysis)

found = cached_calls.findings(
    inputs.selection_key(context), context.settings, inputs.kept_input(context)
)
if found:
    st.markdown("## Worth a look")
    for finding in found:
        comparison_views.finding_link(finding)
    st.caption("Found by looking at every pair and data set, each at its own level: not tests.")

next_steps.analysis_steps(context)
next_steps.next_page_links(context, analysis)
