"""Signing in, where the configuration asks for it; nothing is shown before."""

from importlib.util import find_spec

import streamlit as st

from foldwise.web import components, session

# The provider sends everybody back to the first page, whatever address was asked for: the tab remembers it.
_LEAVE = "<script>sessionStorage.setItem('foldwise', location.pathname + location.search)</script>"
_RETURN = """<script>
const asked = sessionStorage.getItem('foldwise')
sessionStorage.removeItem('foldwise')
if (asked && asked !== location.pathname + location.search) location.replace(asked)
</script>"""


def require_sign_in() -> None:
    """Stop the page for who must sign in first, and lead who has to the address asked for."""
    if "is_logged_in" not in st.user:  # no provider is configured
        return
    if not st.user["is_logged_in"]:
        if find_spec("authlib") is None:
            st.error("This server asks for a sign-in, which needs a package: foldwise[login].")
            st.stop()
        st.markdown("Sign in to bring results and to open your workspaces.")
        st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)
        st.html(_LEAVE, unsafe_allow_javascript=True)
        st.stop()
    if session.LINK not in st.session_state:
        st.html(_RETURN, unsafe_allow_javascript=True)


def signed_in() -> None:
    """Say in the sidebar who is signed in, with the way out."""
    if not st.user.get("is_logged_in"):
        return
    who = st.user.get("email") or st.user.get("name") or st.user.get("sub")
    with st.sidebar.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Signed in as {components.escape(str(who))}", width="content")
        st.button("Sign out", type="tertiary", on_click=st.logout, key="sign_out")
