"""Tables of an order of the algorithms by results and cost."""

import pandas as pd

from stats_core.core.formatting import format_number, unused_label
from stats_core.data.costs import COST_SCALES
from stats_core.ordering.one_sided_evidence import TWO_SIDED_FAMILIES
from stats_core.ordering.order import Order, SecondPass
from stats_core.report.order_text import cost_said, describe_rule
from stats_core.report.tables.table import (
    ResultTable,
    four_digits,
    name_index,
    write_p,
    write_scores,
)
from stats_core.report.tables.table_parts import tests_table


def tables_of_order(order: Order) -> list[ResultTable]:
    """Return the tables of the order, of its test and of the places on each data set."""
    tables = [places(order)]
    if order.second is not None:
        tables.append(_agreement(order, order.second))
        if order.each:
            tables.append(_places_on_each(order))
    return tables


def places(order: Order) -> ResultTable:
    """Return the algorithms in order, with the reason for each place."""
    table, rules = order.table().set_index("place"), order.rules
    scaled = ""
    if order.second is not None and order.average_cost is not None:
        transformation = COST_SCALES[rules.scale] + (
            "" if rules.scale == "log" else ", then averaged"
        )
        scaled = f" Average cost: {transformation}. It is not in the unit of the cost."
    value = order.value_name
    if order.average_cost is None:
        table = table.drop(columns="cost")
    else:
        table["cost"] = table["cost"].astype(float)
    return ResultTable(
        name="order",
        title="Order" if rules.prior else f"Cost-aware order by {rules.cost_label}",
        frame=table,
        formats={
            value: write_scores(table[["mean"]]) if value == "mean" else format_number,
            "cost": four_digits,
            "p adjusted": write_p(order.settings.alpha),
        },
        caption=f"Ordered by {cost_said(rules)}, unless {order.measure} differs significantly. "
        f"{describe_rule(order)}{_sided(order)}{scaled}",
    )


def _sided(order: Order) -> str:
    """Return a sentence on whether p-values of the steps are one- or two-sided."""
    one_sided = order.second is None and order.rules.family not in TWO_SIDED_FAMILIES
    if order.adjusted is None:
        return ""
    later = "later" if order.rules.prior else "more expensive"
    if one_sided:
        return (
            f" Where the test decided a step, p is one-sided (the {later} algorithm is better). "
            "Elsewhere p is two-sided."
        )
    return " p is two-sided."


def _agreement(order: Order, second: SecondPass) -> ResultTable:
    """Return Friedman's test of the places, or of the ranks if there are no folds."""
    test, subject = second.friedman, "cost-aware ranks" if order.each else "ranks"
    return tests_table(
        {"Friedman": test},
        name="order_test",
        title=f"Test of the {subject} behind the order",
        formats={"statistic": format_number, "p": write_p(order.settings.alpha)},
        caption=f"Test of whether {test.n} data sets agree on the {subject}. If it does not reject, the "
        "cost alone decides.",
    )


def _places_on_each(order: Order) -> ResultTable:
    names = list(order.ordering.order)
    places_by_dataset = {
        name: order_on_dataset.ordering.places for name, order_on_dataset in order.each.items()
    }
    frame = pd.DataFrame(places_by_dataset).T[names].astype(float)
    frame.loc[unused_label("average rank", list(frame.index))] = frame.mean()
    return ResultTable(
        name="places",
        title="Cost-aware ranks on each data set",
        frame=name_index(frame, "data set"),
        formats=dict.fromkeys(names, "{:g}".format),
        caption=f"Ranks in the order by {order.rules.cost_label} and {order.settings.measure} on each "
        "data set (MultiTest). Rank 1 is first in that order, not always the best result.",
        summary=1,
    )
