"""Entry point of the Streamlit app: page configuration, navigation and the layout of all pages.

Start it with ``./fw run`` or ``streamlit run app.py``.
"""

import streamlit as st

from foldwise.paths import ICON
from foldwise.web.texts import page_text

st.set_page_config(
    page_title="Foldwise",
    page_icon=ICON,  # a local file: a named icon would be fetched from another server
    layout="wide",
    initial_sidebar_state="auto",
)

# Pages in the order of a typical analysis.
TITLES = {
    "data": "Data",
    "overview": "Overview",
    "pair": "Pair",
    "one_data_set": "One data set",
    "multivariate": "Multivariate",
    "curves": "Curves",
    "many_data_sets": "Many data sets",
    "ordering": "Ordering",
    "lab": "Lab",
    "export": "Export",
}
page = st.navigation(
    [
        *(
            st.Page(f"pages/{name}.py", title=title, default=name == "overview", help=page_text(f"app.{name}"))
            for name, title in TITLES.items()
        ),
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
    head.caption(page_text("app.promise"), width="stretch")

from foldwise.web import layout  # noqa: E402 - imported late, see above

layout.prepare_page(head.container(width="content"), page.title)
layout.run_page(page)
