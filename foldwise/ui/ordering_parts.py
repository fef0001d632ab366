"""Ranks, bars, matrix and places: what the order over data sets is made of."""

from functools import partial

import pandas as pd
import streamlit as st

from foldwise.gallery.ordering import bars_drawing, cost_name, places_drawing, score_name
from foldwise.ui import show
from stats_core.core.words import listed, number, p_text
from stats_core.inference.families.underlined_best import best_of_underlines
from stats_core.ordering.order import Order

MOST_IN_MATRIX = 60


def parts(order: Order) -> None:
    """Show ranks, bars and the 0/1 matrix; the graph stands on the first tab."""
    best = best_of_underlines(list(order.scores.index), order.underlined, order.ordering.prior)
    bars = bars_drawing(order)
    if bars is not None:
        show.figure_of(bars)
        if not order.second.rejected:
            st.caption("Friedman's test does not reject, so no pair is tested: one bar over all.")
    else:
        st.markdown(f"**Groups by two-sided tests.** {show.escape(_braces(order.groups))}")
    st.markdown(f"**The best by groups alone, without the graph.** {show.escape(best.text)}")
    _matrix(order)
    _ranks(order)
    places = places_drawing(order, dark=show.is_dark())
    if places is not None:
        show.figure_of(places)


def _braces(groups: tuple[tuple[str, ...], ...]) -> str:
    return listed(["{" + ", ".join(group) + "}" for group in groups], 12)


def _ranks(order: Order) -> None:
    """Show scores and costs of every algorithm, in the prior order."""
    prior = list(order.ordering.prior)
    score = score_name(order)
    table = pd.DataFrame({score: order.scores[prior]}, index=pd.Index(prior, name="algorithm"))
    formats = {score: partial(number, digits=2 if order.second is not None else 4)}
    if order.average_cost is not None:
        cost = cost_name(order)
        table[cost] = order.average_cost[prior]
        formats[cost] = "{:.4g}".format
    table["place"] = order.ordering.places[prior]
    show.table(
        table,
        title="Ranks and costs, cheapest first",
        name="order_ranks_table",
        formats=formats,
        caption=f"Algorithms by {order.rules.cost_label}, cheapest first.",
    )


def _matrix(order: Order) -> None:
    """Show which pairs differ as 0 and 1, with the p-values to choose."""
    if order.adjusted is None:
        return
    names = list(order.ordering.prior)
    if len(names) > MOST_IN_MATRIX:
        st.caption(f"The matrix is shown up to {MOST_IN_MATRIX} algorithms.")
        return
    as_p = st.toggle("p-values instead of 0 and 1", key="order_matrix_p")
    adjusted = order.adjusted.loc[names, names]
    table = adjusted if as_p else (adjusted <= order.settings.alpha).astype(int)
    show.table(
        table.rename_axis("algorithm"),
        title="Which pairs differ (two-sided)",
        name="order_matrix",
        formats=dict.fromkeys(names, partial(p_text, alpha=order.settings.alpha)) if as_p else {},
        caption="1 where the two differ by the two-sided test, else 0.",
    )
