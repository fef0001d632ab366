"""Tables of how an order by results and cost came about, and of what would change it."""

import pandas as pd

from foldwise.figure_specs.order_figures import arrows_table, cost_name, score_name
from stats_core.comparison.order_text import describe_rule
from stats_core.comparison.tables.table import (
    ResultTable,
    four_digits,
    name_index,
    with_row_numbers,
    write_p,
    write_scores,
)
from stats_core.core.formatting import format_number
from stats_core.data.costs import COST_SCALES
from stats_core.ordering.order import Order
from stats_core.ordering.order_changes import OrderChanges
from stats_core.ordering.order_sensitivity import OrderPaths


def prior_order_table(order: Order) -> ResultTable:
    """Return result and cost of every algorithm in the prior order."""
    prior, score, cost = list(order.ordering.prior), score_name(order), cost_name(order)
    table = pd.DataFrame({score: order.scores[prior]}, index=pd.Index(prior, name="algorithm"))
    write = format_number if order.second is not None else write_scores(table)
    if order.average_cost is not None:
        table[cost] = order.average_cost[prior]
    table["rank in the order"] = order.ordering.places[prior]
    return ResultTable(
        name="order_ranks_table",
        title="Ranks and costs, cheapest first",
        frame=table,
        formats={score: write, cost: four_digits},
        caption=f"Algorithms by {order.rules.cost_label}, cheapest first. The last column is the rank in "
        "the cost-aware order.",
    )


def edge_matrix_table(order: Order, *, as_p: bool) -> ResultTable:
    """Return which pairs differ as 0 and 1, or the p-values that say so."""
    names = list(order.ordering.prior)
    shown = order.adjusted if as_p else order.differs.astype(int)
    alpha = order.settings.alpha
    return ResultTable(
        name="order_matrix",
        title="Which pairs differ (two-sided)",
        frame=name_index(shown.loc[names, names], "algorithm"),
        formats=dict.fromkeys(names, write_p(alpha)) if as_p else {},
        caption="Adjusted p of the two-sided tests."
        if as_p
        else "1 where two algorithms differ significantly (two-sided test), else 0.",
    )


def order_steps_table(order: Order) -> ResultTable:
    """Return every step of the sort."""
    found = order.ordering.steps
    return ResultTable(
        name="order_steps",
        title="Steps of the sort",
        frame=pd.DataFrame(
            {
                "taken": [step.chosen for step in found],
                "why": [step.told(typed=bool(order.rules.prior)) for step in found],
            },
            index=pd.Index([step.place for step in found], name="step"),
        ),
        caption=f"Topological sort. {describe_rule(order)}",
    )


def edge_table(order: Order) -> ResultTable:
    """Return every pair in which the costlier algorithm is better; it can be empty."""
    return ResultTable(
        name="order_edges",
        title="Arrows",
        frame=with_row_numbers(arrows_table(order)),
        formats={"p adjusted": write_p(order.settings.alpha)},
        caption="Pairs in which the more expensive algorithm is significantly better.",
        heads=("cheaper", "better"),
    )


def cost_scale_table(paths: OrderPaths) -> ResultTable:
    """Return the order by each way to make costs of data sets comparable."""
    ways = paths.places.index
    same = paths.same
    said = (
        "All ways give the same order."
        if same
        else "They do not all give the same order, so a paper must say which it took."
    )
    return ResultTable(
        name="order_scales",
        title="Costs made comparable in other ways",
        frame=pd.DataFrame(
            {
                "order": [", ".join(names) for names in paths.sequences],
                "costs are": [COST_SCALES[name] for name in ways],
            },
            index=pd.Index(ways, name="way"),
        ),
        caption=f"The final order by each way to average costs over data sets. {said}",
    )


def order_changes_table(found: OrderChanges) -> ResultTable:
    """Return whether the order on each data set holds by another measure, and who moves."""
    frame = found.table.sort_values(["same", "largest"], ascending=[True, False])
    frame["same"] = ["yes" if same else "no" for same in frame["same"]]
    frame = frame.rename(
        columns={
            "same": "same order",
            "correlation": "rank correlation",
            "largest": "largest move",
            "moved": "big moves",
        }
    )
    return ResultTable(
        name="order_changes_table",
        title="Data set by data set",
        frame=name_index(frame, "data set"),
        formats={"rank correlation": format_number, "largest move": "{:.0f}".format},
        caption="Whether the order on a data set holds, and who moves half the places or more.",
    )
