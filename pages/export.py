"""The page Export: figures, report, tables and script."""

from functools import partial

import streamlit as st

from foldwise.web import components, inputs
from foldwise.web.views import comparison_views, export_views, order_views

context = components.page_context()
settings = export_views.choose_subject(context)
card = st.container()
analysis = comparison_views.run_comparison(context, settings, card)
comparison_views.show_verdict(context, analysis, card, brief=True)
order, why_none = order_views.saved_order(context, analysis.results)
inputs.draw_tabs(
    {
        "Figures": partial(export_views.figure_list, context, analysis, order),
        "Report": partial(export_views.report, context, analysis, order, why_none),
        "Tables and data": partial(export_views.tables, context, analysis, order),
        "Reproduce": partial(export_views.reproduction_downloads, context, analysis),
    },
    "etab",
)
