"""Ranks, bars, matrix and places: what the order over data sets is made of."""

from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from figures import cd_diagram as cd
from figures.rank_map import alt_rank_map, rank_map
from figures.theme import Style
from stats_core.order import Order
from stats_core.underlined_best import best_of_underlines
from stats_core.wording import count, listed, number, p_text
from ui import ordering_views, show, views

HOW_PLACES = (
    "Each row is a data set, each cell the place of an algorithm in the order found there, 1 is best; "
    "the {best} cells are best. Look for columns that change: there the order depends on the data "
    "set. A place counts cost and error together."
)
HOW_RANKS = (
    "Each row is a data set, each cell the rank of an algorithm there, 1 is best; the {best} cells are "
    "best. Look for columns that change. With one number per data set nothing can be tested there, "
    "so a rank knows no cost and no chance."
)
MOST_IN_MATRIX = 60


def parts(order: Order) -> None:
    """Show ranks, bars and the 0/1 matrix; the graph stands on the first tab."""
    best = best_of_underlines(list(order.scores.index), order.underlined, order.ordering.prior)
    if order.second is not None:
        _bars(order)
    else:
        st.markdown(f"**Groups by two-sided tests.** {show.escape(_braces(order.groups))}")
    st.markdown(f"**The best by groups alone, without the graph.** {show.escape(best.text)}")
    _matrix(order)
    _ranks(order)
    if order.second is not None:
        _places(order)


def _braces(groups: tuple[tuple[str, ...], ...]) -> str:
    return listed(["{" + ", ".join(group) + "}" for group in groups], 12)


def _bars(order: Order) -> None:
    ranks = order.second.average_ranks
    groups = [group for group in order.groups if len(group) > 1]

    def build(style: Style) -> go.Figure:
        return cd.cd_diagram(ranks, groups, style=style, pvalues=order.second.adjusted)

    show.figure(
        f"{'Average places' if order.each else 'Average ranks'} over data sets",
        build,
        name=f"order_ranks_{order.settings.measure}",
        how_to_read=views.HOW_CD,
        alt=cd.alt(
            ranks,
            groups,
            measure="places" if order.each else order.settings.measure,
            over=count(len(order.second.positions), "data set"),
        ),
        data=ranks.rename(ordering_views.score_name(order))
        .rename_axis("algorithm")
        .sort_values()
        .to_frame(),
        caption=lambda style: cd.caption(ranks, groups, style=style),
    )
    if not order.second.rejected:
        st.caption("Friedman's test does not reject, so no pair is tested: one bar over all.")


def _ranks(order: Order) -> None:
    """Show scores and costs of every algorithm, in the prior order."""
    prior = list(order.ordering.prior)
    score = ordering_views.score_name(order)
    table = pd.DataFrame({score: order.scores[prior]}, index=pd.Index(prior, name="algorithm"))
    formats = {score: partial(number, digits=2 if order.second is not None else 4)}
    if order.average_cost is not None:
        cost = ordering_views.cost_name(order)
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


def _places(order: Order) -> None:
    ranked = order.second.friedman.ranks
    ranks = ranked[list(order.scores.index)[:MOST_IN_MATRIX]]

    def build(style: Style) -> go.Figure:
        return rank_map(ranks, ranks, style=style)

    show.figure(
        "The order on each data set" if order.each else "Ranks on each data set",
        build,
        name=f"order_places_{order.settings.measure}",
        how_to_read=(HOW_PLACES if order.each else HOW_RANKS).format(
            best="light" if show.is_dark() else "dark"
        ),
        alt=alt_rank_map(ranks),
        data=ranked,
    )
