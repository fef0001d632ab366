"""The tables of a comparison on a page."""

from dataclasses import replace

import streamlit as st

from foldwise.web import components, session
from stats_core.comparison.result import Comparison
from stats_core.comparison.tables.table_registry import tables_of
from stats_core.core.formatting import format_count
from stats_core.robustness.group_evidence import inside_group


def tables(comparison: Comparison, *names: str) -> None:
    """Show tables of a comparison by their names."""
    for table in tables_of(comparison, *names):
        components.show_table(table)


def selected_group(comparison: Comparison) -> None:
    """Say of a selected group on which evidence it is one, and what would split it."""
    chosen = session.selection()
    if chosen.get("kind") == "group":
        said = inside_group(comparison, chosen["ids"])
        if said is not None:
            components.selection_chip()
            st.markdown(components.escape(str(said)))


def pairs(comparison: Comparison, *, name: str = "pairs", title: str = "") -> None:
    """Show every pair, or those that what is selected concerns: itself, within a group, or with one."""
    for table in tables_of(comparison, "pairs", late=True):  # intervals of what is shown
        if names := session.highlighted():
            inside = table.frame[["first", "second"]].isin(names)
            kept = inside.all(axis=1) if len(names) > 1 else inside.any(axis=1)
            if kept.any():
                table = table.only(kept)
                table = replace(table, title=format_count(len(table.frame), "pair"))
        if (name, title or table.title) != (table.name, table.title):
            table = replace(table, name=name, title=title or table.title)
        components.show_table(table, on=getattr(comparison, "dataset", ""))
