"""The page Data: open files and check how they were read."""

from functools import partial

import streamlit as st

from foldwise.web import components, session
from foldwise.web.texts import page_text
from foldwise.web.views import data_views, upload_views

context = session.context()
upload_views.upload_box()
data_views.workspace_panel()
if context.error is not None:
    upload_views.question(context)
if isinstance(context, session.Context):
    upload_views.understood(context)
    upload_views.classes(context)
    components.in_expander("Displayed names", "names", data_views.edit_names)
    components.in_expander(
        "Algorithm families (colours)", "families", partial(upload_views.families, context)
    )
    upload_views.missing_data(context)
    reason = page_text("upload_views.undecided") if context.undecided else None
    if st.button(
        "Results",
        disabled=bool(reason),
        type="primary",
        icon=":material/arrow_forward:",
        help=reason,
    ):
        st.switch_page("pages/results.py")
    components.in_expander("Preview", "preview", partial(upload_views.preview, context))
components.in_expander("Examples", "samples", upload_views.samples)
