"""Ranks, bars, matrix and places: what the order over data sets is made of."""

import streamlit as st

from foldwise.figure_specs import order_change_tables
from foldwise.figure_specs.order_figures import bars_drawing, places_drawing
from foldwise.web import components
from stats_core.core.formatting import join_names
from stats_core.ordering.order import Order

MOST_IN_MATRIX = 60


def order_parts_tab(order: Order) -> None:
    """Show ranks, bars and the 0/1 matrix; the graph stands on the first tab."""
    best = order.best_by_groups
    bars = bars_drawing(order)
    if bars is not None:
        components.show_figure(bars)
        if not order.second.rejected:
            st.caption("Friedman's test does not reject, so no pair is tested: one bar over all.")
    else:
        st.markdown(f"**Groups by two-sided tests.** {components.escape(_braces(order.groups))}")
    st.markdown(f"**The best by groups alone, without the graph.** {components.escape(best.text)}")
    _matrix(order)
    components.show_table(order_change_tables.prior_order_table(order))
    places = places_drawing(order, dark=components.is_dark())
    if places is not None:
        components.show_figure(places)


def _braces(groups: tuple[tuple[str, ...], ...]) -> str:
    return join_names(["{" + ", ".join(group) + "}" for group in groups], 12)


def _matrix(order: Order) -> None:
    """Show which pairs differ as 0 and 1, with the p-values to choose."""
    if order.adjusted is None:
        return
    if len(order.ordering.prior) > MOST_IN_MATRIX:
        st.caption(f"The matrix is shown up to {MOST_IN_MATRIX} algorithms.")
        return
    as_p = st.toggle("p-values instead of 0 and 1", key="order_matrix_p")
    components.show_table(order_change_tables.edge_matrix_table(order, as_p=as_p))
