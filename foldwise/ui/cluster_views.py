"""A column that may say which cases belong together: one line, and a button that takes it."""

from dataclasses import replace

import streamlit as st

from foldwise.ui import show, state
from foldwise.ui.frame import known_mapping
from stats_core.reading.mapping import Mapping


def suggest(context: state.Context) -> None:
    """Say which column may hold clusters of cases, and offer to read it so."""
    for note in context.read.notes if context.read is not None else ():
        if note.code == "clusters suggested":
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(show.escape(str(note)), width="stretch")
                st.button(
                    f"Keep cases of one {show.escape(note['column'])} together",
                    key="clusters",
                    on_click=_take,
                    args=(context.source_key, note["column"]),
                )


def _take(key: str, column: str) -> None:
    known = known_mapping(key) or Mapping()
    state.set_mapping(key, replace(known, roles={**known.roles, column: "cluster"}))
