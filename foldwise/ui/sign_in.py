"""Signing in, where the configuration asks for it; nothing is shown before."""

import streamlit as st

from foldwise.ui import show


def gate() -> None:
    """Stop the page for who must sign in first; say in the sidebar who is signed in."""
    if "is_logged_in" not in st.user:  # no provider is configured
        return
    if not st.user["is_logged_in"]:
        st.markdown("Sign in to bring results and to open your workspaces.")
        st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)
        st.stop()


def signed_in() -> None:
    """Say who is signed in, with the way out."""
    if not st.user.get("is_logged_in"):
        return
    who = st.user.get("email") or st.user.get("name") or st.user.get("sub")
    with st.sidebar.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Signed in as {show.escape(str(who))}", width="content")
        st.button("Sign out", type="tertiary", on_click=st.logout, key="sign_out")
