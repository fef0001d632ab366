"""A column that may say which cases belong together: one line, and a button that takes it."""

from dataclasses import replace

import streamlit as st

from foldwise.web import components, session
from foldwise.web.layout import known_mapping
from stats_core.io.mapping import Mapping


def suggest_cluster_column(context: session.Context) -> None:
    """Say which column may hold clusters of cases, and offer to read it so."""
    for note in context.read.notes if context.read is not None else ():
        if note.code == "clusters suggested":
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(components.escape(str(note)), width="stretch")
                st.button(
                    f"Keep cases of one {components.escape(note['column'])} together",
                    key="clusters",
                    on_click=_take,
                    args=(context.source_key, note["column"]),
                )


def _take(key: str, column: str) -> None:
    known = known_mapping(key) or Mapping()
    session.set_mapping(key, replace(known, roles={**known.roles, column: "cluster"}))
