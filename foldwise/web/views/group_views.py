"""The same analysis on each group of data sets, side by side."""

from dataclasses import replace

import streamlit as st

from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import order_inputs
from foldwise.web.views.order_graph_views import MOST_UNASKED
from stats_core.comparison.result import Comparison
from stats_core.data.groups import tags_with_groups
from stats_core.robustness.by_group import tables_by_group

TAB = "By group"
MOST_TOLD = 8  # groups of which the verdict stands above the table, too


def group_tab_name(comparison: Comparison) -> list[str]:
    """Return the name of this tab, where there are groups."""
    return [TAB] if tags_with_groups(comparison.results) else []


def group_comparison(context: session.Context, comparison: Comparison) -> None:
    """Ask what groups the data sets, and show every analysis and order."""
    results, settings = comparison.results, comparison.settings
    tag = inputs.page_option("Groups by", "groupby", tags_with_groups(results), width=220)
    rules = None
    pairs = len(results.algorithms) * (len(results.algorithms) - 1) // 2
    chosen = order_inputs.saved_order_inputs(results)
    if chosen is not None and pairs * len(results.datasets) <= MOST_UNASKED:
        test, rules = chosen
        settings = replace(settings, test=test)
    found = cached_calls.by_group(
        inputs.selection_key(context), settings, tag, rules, results, comparison
    )
    for value, said in list(found.table["verdict"].items())[: MOST_TOLD + 1]:
        st.markdown(components.escape(f"{value}: {said}"))
    for table in tables_by_group(found):
        components.show_table(table)
    st.caption("To look at one group on every page, choose it in the sidebar: Only data sets of.")
