"""The tables of a comparison on a page."""

from dataclasses import replace

from foldwise.ui import show, state
from stats_core.comparison.base import Comparison
from stats_core.comparison.tables.every import tables_of
from stats_core.core.words import count


def tables(comparison: Comparison, *names: str) -> None:
    """Show tables of a comparison by their names."""
    for table in tables_of(comparison, *names):
        show.table_of(table)


def pairs(comparison: Comparison, *, name: str = "pairs", title: str = "") -> None:
    """Show every pair, or those that what is selected concerns: within a group, or with one."""
    chosen = state.selection()
    for table in tables_of(comparison, "pairs"):
        if chosen.get("kind") in ("group", "algorithm"):
            inside = table.frame[["first", "second"]].isin(chosen["ids"])
            kept = inside.all(axis=1) if len(chosen["ids"]) > 1 else inside.any(axis=1)
            table = table.only(kept)
            table = replace(table, title=count(len(table.frame), "pair"))
        show.table_of(replace(table, name=name, title=title or table.title))
