"""The page Results: the answer, its figures, and the details behind it."""

import streamlit as st

from foldwise.web import components, inputs
from foldwise.web.views import comparison_views, results_views

context = components.page_context()
with st.container(key="results"):
    card, evidence, figures = (
        st.container(key="answer"),
        st.container(key="evidence"),
        st.container(),
    )
below = st.container()
settings = inputs.settings_over_datasets(context)
analysis = comparison_views.run_comparison(context, settings, card, title="Results")
with below:
    with comparison_views.remarks(context, analysis):
        options = results_views.diagram_options(analysis)
    drawings = results_views.main_figures(context, analysis, options)
with card:
    results_views.answer(context, analysis, drawings[0] if drawings else None)
with evidence:
    results_views.evidence(context, analysis)
with figures:
    results_views.figures(context, analysis, drawings)
inputs.draw_tabs(results_views.details(context, analysis), "tab")
results_views.name_hidden_pages(context)
