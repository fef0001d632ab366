"""Export: leave with everything."""

import streamlit as st

from foldwise.ui import export_views, ordering_views, show, state, views

context = state.context()
if context.results is None:
    show.refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()

settings = export_views.subject(context)
card = st.container()
analysis = views.compare(context, settings, card)
views.say(context, analysis, card, {"pages/overview.py": "Overview"})
order, why_none = ordering_views.remembered(context, analysis.results)

figures, report, tables, repeat = st.tabs(
    ["Figures", "Report", "Tables and data", "Repeat it"],
    key="etab",
    on_change="rerun",
    bind="query-params",
)
if figures.open:
    with figures:
        export_views.figures(context, analysis, order)
if report.open:
    with report:
        export_views.report(context, analysis, order, why_none)
if tables.open:
    with tables:
        export_views.tables(context, analysis, order)
if repeat.open:
    with repeat:
        export_views.repeat(context, analysis)
