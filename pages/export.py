"""The page Export: figures, report, tables and script."""

import streamlit as st

from foldwise.web import components, inputs, session
from foldwise.web.views import comparison_views, export_views, order_views

context = session.context()
if context.results is None:
    components.show_refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()

settings = export_views.choose_subject(context)
card = st.container()
analysis = comparison_views.run_comparison(context, settings, card)
comparison_views.show_verdict(context, analysis, card, {"pages/overview.py": "Overview"})
order, why_none = order_views.saved_order(context, analysis.results)

figures, report, tables, repeat = inputs.page_tabs(
    ["Figures", "Report", "Tables and data", "Repeat it"], "etab"
)
if figures.open:
    with figures:
        export_views.figure_list(context, analysis, order)
if report.open:
    with report:
        export_views.report(context, analysis, order, why_none)
if tables.open:
    with tables:
        export_views.tables(context, analysis, order)
if repeat.open:
    with repeat:
        export_views.reproduction_downloads(context, analysis)
