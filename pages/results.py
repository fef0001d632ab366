"""The page Results: the answer, its figures, and the details behind it."""

import streamlit as st

from foldwise.web import components, inputs
from foldwise.web.views import comparison_views, results_views

context = components.page_context()
card, figures, below = (st.container() for _ in range(3))
analysis = comparison_views.run_comparison(context, inputs.settings_over_datasets(context), card)
with below:
    drawings = results_views.main_figures(context, analysis, results_views.diagram_options(analysis))
with card:
    results_views.answer(context, analysis, drawings[0] if drawings else None)
with figures:
    results_views.figures(context, analysis, drawings)
inputs.draw_tabs(results_views.details(context, analysis), "tab")
