"""Entry point of the Streamlit app: page configuration, navigation and the layout of all pages.

Start it with ``./fw run`` or ``streamlit run app.py``.
"""

import json
from typing import Literal
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.pages_manager import PagesManager

from foldwise.paths import ICON

# Address of an earlier version -> page and parameters now
MOVED = {
    "results": ("results", {}),
    "overview": ("results", {}),
    "many_data_sets": ("results", {}),
    "pair": ("compare", {}),
    "one_data_set": ("explore", {"look": "Folds"}),
    "multivariate": ("explore", {"look": "Several measures"}),
    "curves": ("explore", {"look": "Curves"}),
    "ordering": ("tradeoffs", {}),
    "lab": ("plan", {}),
    "map": ("help", {"htab": "Example files", "files_map_of_cases": "true"}),
}

# Streamlit serves the first request of a process from the folder pages/, which lacks addresses of
# earlier versions.
url, query = st.context.url or "", {key: st.query_params.get_all(key) for key in st.query_params}
if PagesManager.uses_pages_directory and url.rpartition("/")[2] in MOVED:
    PagesManager.uses_pages_directory = False
    address = json.dumps(f"{url}?{urlencode(query, doseq=True)}")
    st.html(f"<script>location.replace({address})</script>", unsafe_allow_javascript=True)
    st.stop()

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
    url_path: str | None = None,
    default: bool = False,
    visibility: Literal["visible", "hidden"] = "visible",
) -> StreamlitPage:
    return st.Page(
        f"pages/{name}.py",
        title=title,
        url_path=url_path,
        default=default,
        visibility="hidden" if name in hidden else visibility,
    )


def _moved() -> None:
    """Draw nothing: page at an address of an earlier version, which the app redirects; see `MOVED`."""


page = st.navigation(
    [
        _page(
            "results", "Results", default=True, url_path="start"
        ),  # its address is /, as of every default page
        _page("compare", "Compare"),
        _page("explore", "Explore"),
        _page("tradeoffs", "Trade-offs"),
        _page("plan", "Plan"),
        _page("export", "Export"),
        _page("data", "Data", visibility="hidden"),
        _page("help", "Help", visibility="hidden"),
        *(st.Page(_moved, title=name, url_path=name, visibility="hidden") for name in MOVED),
    ],
    position="top",
)
if page.url_path in MOVED:
    name, parameters = MOVED[page.url_path]
    st.switch_page(f"pages/{name}.py", query_params={**parameters, **query})

from foldwise.web import layout  # noqa: E402 - imported late: the navigation is drawn before the libraries are loaded

layout.draw_page(page)
