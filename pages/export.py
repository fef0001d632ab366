"""The page Export: the article, figures, report, and files."""

from functools import partial

import streamlit as st

from foldwise.web import components, inputs
from foldwise.web.views import comparison_views, export_views, order_views

context = components.page_context()
settings = export_views.choose_subject(context)
card = st.container()
analysis = comparison_views.run_comparison(context, settings, card)
if inputs.open_tab("etab") != export_views.ARTICLE:  # which begins with the verdict
    comparison_views.show_verdict(context, analysis, card, brief=True)
order, why_none = order_views.saved_order(context, analysis.results)
inputs.draw_tabs(
    {
        export_views.ARTICLE: partial(export_views.article, context, analysis, order),
        "Figures": partial(export_views.figure_list, context, analysis, order),
        "Report": partial(
            inputs.draw_sections,
            {
                "Report": partial(export_views.report, context, analysis, order, why_none),
                "Files": partial(export_views.files, context, analysis, order),
            },
            "report",
        ),
    },
    "etab",
)
