"""Entry point of the Streamlit app: page configuration, navigation and the layout of all pages.

Start it with ``./fw run`` or ``streamlit run app.py``.
"""

import streamlit as st

from foldwise.paths import ICON

PROMISE = "Compare learning algorithms: which differences are statistically significant, and how large?"

st.set_page_config(
    page_title="Foldwise",
    page_icon=ICON,  # a local file: a named icon would be fetched from another server
    layout="wide",
    initial_sidebar_state="auto",
)

# Pages in the order of a typical analysis.
page = st.navigation(
    [
        st.Page("pages/data.py", title="Data", help="Open results and check the columns."),
        st.Page("pages/overview.py", title="Overview", default=True, help="Main result and its certainty."),
        st.Page("pages/pair.py", title="Pair", help="Difference between two algorithms."),
        st.Page("pages/one_data_set.py", title="One data set", help="Comparison on the folds of one data set."),
        st.Page("pages/multivariate.py", title="Multivariate", help="Comparison by several measures together."),
        st.Page("pages/curves.py", title="Curves", help="ROC and precision-recall curves, thresholds and losses."),
        st.Page("pages/many_data_sets.py", title="Many data sets", help="Comparison over data sets."),
        st.Page(
            "pages/ordering.py",
            title="Ordering",
            help="Cost-aware order: the cheaper algorithm first unless a more expensive one is better.",
        ),
        st.Page("pages/lab.py", title="Lab", help="Power, type I error and sample size by simulation."),
        st.Page("pages/export.py", title="Export", help="Figures, report, tables and script."),
        st.Page("pages/map.py", title="Map", visibility="hidden"),
        st.Page("pages/help.py", title="Help", visibility="hidden"),
    ],
    position="top",
)

# Navigation and title are drawn before the libraries are imported: a fast first paint.
head = st.container(horizontal=True, vertical_alignment="center", key="header")
landing = page.title == "Overview"
head.title("Foldwise" if landing else page.title, width="content" if landing else "stretch")
if landing:
    head.caption(PROMISE, width="stretch")

from foldwise.web import layout  # noqa: E402 - imported late, see above

layout.prepare_page(head.container(width="content"), page.title)
layout.run_page(page)
