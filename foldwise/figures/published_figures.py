"""Figures of published decisions: better algorithms, and the order by MultiTest."""

from foldwise.figures.ordering_graph import (
    alt_ordering_graph,
    caption_ordering_graph,
    ordering_graph,
)
from foldwise.figures.spec import BuiltSpec, FigureSpec, cached_figure
from stats_core.comparison.kinds.published_summaries import PublishedDecisions

HOW_ORDER = (
    "The algorithms are arranged in the prior order, cheapest left. An arrow leads from an algorithm to "
    "a later one that is better by the given decisions. Numbers are ranks in the cost-aware order. "
    "A long arrow shows a more expensive algorithm that is worth its cost."
)


@cached_figure
def order_drawing(analysis: PublishedDecisions) -> FigureSpec | None:
    """Return the graph of MultiTest on the decisions; None if they have no direction."""
    ordering = analysis.ordering
    if ordering is None:
        return None
    cost = "your order" if analysis.settings.prior else "the order of the table"
    in_print = "our order" if analysis.settings.prior else cost
    groups = [group for group in analysis.groups if 1 < len(group) < len(ordering.prior)]

    def caption(prior: str) -> str:
        return caption_ordering_graph(
            cost=prior, prior=ordering.prior, edges=ordering.edges, groups=groups, many=False
        )

    return BuiltSpec(
        name="order_by_decisions",
        title="Order by the decisions given",
        how_to_read=HOW_ORDER,
        alt=alt_ordering_graph(ordering.prior, ordering.edges, ordering.order, cost=cost),
        data=analysis.details()[["first", "second", "separated"]].set_index(["first", "second"]),
        build=lambda style: ordering_graph(
            ordering.prior, ordering.edges, style=style, taken=ordering.order, groups=groups
        ),
        caption=lambda style: caption(in_print if style.printed else cost),
    )
