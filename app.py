"""Entry point of the Streamlit app: page configuration, navigation and the layout of all pages.

Start it with ``./fw run`` or ``streamlit run app.py``.
"""

from typing import Literal

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from foldwise.paths import ICON

st.set_page_config(
    page_title="Foldwise",
    page_icon=ICON,  # a local file: a named icon would be fetched from another server
    layout="wide",
    initial_sidebar_state="auto",
)

# Pages in the order of a typical analysis; a page that the open results cannot support is hidden.
hidden = st.session_state.get("_hidden_pages", ())  # see foldwise.web.layout


def _page(
    name: str,
    title: str,
    *,
    default: bool = False,
    visibility: Literal["visible", "hidden"] = "visible",
) -> StreamlitPage:
    return st.Page(
        f"pages/{name}.py",
        title=title,
        default=default,
        visibility="hidden" if name in hidden else visibility,
    )


page = st.navigation(
    [
        _page("results", "Results", default=True),  # its address is /
        _page("compare", "Compare"),
        _page("explore", "Explore"),
        _page("tradeoffs", "Trade-offs"),
        _page("plan", "Plan"),
        _page("export", "Export"),
        _page("data", "Data", visibility="hidden"),
        _page("help", "Help", visibility="hidden"),
    ],
    position="top",
)
from foldwise.web import layout  # noqa: E402 - imported late: the navigation is drawn before the libraries are loaded

layout.draw_page(page)
