"""The page Results: the answer, its figure, and the details behind it; without results, the start screen."""

import streamlit as st

from foldwise.web import components, inputs
from foldwise.web.views import comparison_views, results_views

context = components.page_context()
settings = results_views.chosen_test(context)
card = st.container()
analysis = comparison_views.run_comparison(context, settings, card)
results_views.answer(context, analysis, card)
results_views.figures(context, analysis)
inputs.draw_tabs(results_views.details(context, analysis), "tab")
