"""The page Results: the answer, its figures, and the details behind it."""

import streamlit as st

from foldwise.web import components, inputs
from foldwise.web.views import comparison_views, results_views

context = components.page_context()
analysis = comparison_views.run_comparison(context, inputs.settings_over_datasets(context), st.container())
drawings = results_views.main_figures(context, analysis)
results_views.answer(context, analysis, drawings[0] if drawings else None)
results_views.figures(context, analysis, drawings)
inputs.draw_tabs(results_views.details(context, analysis), "tab")
