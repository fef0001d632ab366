"""Tables of an order of the algorithms by results and cost."""

import pandas as pd

from stats_core.core.formatting import format_number, unused_label
from stats_core.data.costs import COST_SCALES
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.ordering.multitest import SecondPass
from stats_core.ordering.one_sided_evidence import TWO_SIDED_FAMILIES
from stats_core.ordering.order import Order
from stats_core.ordering.order_sensitivity import OrderChanges, OrderPaths
from stats_core.report.order_text import describe_costs, describe_rule
from stats_core.report.tables.table import (
    ResultTable,
    four_digits,
    name_index,
    table_text,
    tests_table,
    with_row_numbers,
    write_p,
    write_scores,
)


def tables_of_order(order: Order) -> list[ResultTable]:
    """Return the tables of the order, of its test and of the ranks on each data set."""
    tables = [places(order)]
    if order.second is not None:
        tables.append(_agreement(order, order.second))
        if order.each:
            tables.append(_places_on_each(order))
    return tables


def places(order: Order) -> ResultTable:
    """Return the algorithms in order, with the reason for each rank."""
    table, rules = order.table().set_index("place"), order.rules
    scaled = ""
    if order.second is not None and order.average_cost is not None:
        transformation = COST_SCALES[rules.scale] + ("" if rules.scale == "log" else " on each data set, then averaged")
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
        caption=f"Ordered by {describe_costs(rules)}, unless {order.measure} differs significantly. "
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
    """Return Friedman's test of the orders' ranks, or of the ranks of averages if there are no folds."""
    test, subject = second.friedman, "cost-aware ranks" if order.each else "ranks"
    return tests_table(
        {"Friedman": test},
        name="order_test",
        formats={"statistic": format_number, "p": write_p(order.settings.alpha)},
        **table_text("order", "agreement", subject=subject, test=test),
    )


def _places_on_each(order: Order) -> ResultTable:
    names = list(order.ordering.order)
    places_by_dataset = {name: order_on_dataset.ordering.places for name, order_on_dataset in order.each.items()}
    frame = pd.DataFrame(places_by_dataset).T[names].astype(float)
    frame.loc[unused_label("average rank", list(frame.index))] = frame.mean()
    return ResultTable(
        name="places",
        frame=name_index(frame, "data set"),
        formats=dict.fromkeys(names, "{:g}".format),
        summary=1,
        **table_text("order", "places_on_each", order=order),
    )


def prior_order_table(order: Order) -> ResultTable:
    """Return a table of results and costs in the prior order."""
    prior, score, cost = list(order.ordering.prior), score_name(order), cost_name(order)
    table = pd.DataFrame({score: order.scores[prior]}, index=pd.Index(prior, name="algorithm"))
    write = format_number if order.second is not None else write_scores(table)
    if order.average_cost is not None:
        table[cost] = order.average_cost[prior]
    table["rank in the order"] = order.ordering.places[prior]
    return ResultTable(
        name="order_ranks_table",
        frame=table,
        formats={score: write, cost: four_digits},
        **table_text("order", "prior_order_table", order=order),
    )


def edge_matrix_table(order: Order, *, as_p: bool) -> ResultTable:
    """Return a matrix of differing pairs as 0 and 1, or of p-values."""
    names = list(order.ordering.prior)
    matrix = order.adjusted if as_p else order.differs
    assert matrix is not None  # the caller has two-sided tests
    alpha = order.settings.alpha
    return ResultTable(
        name="order_matrix",
        title="Which pairs differ (two-sided)",
        frame=name_index(matrix.loc[names, names].astype(float if as_p else int), "algorithm"),
        formats=dict.fromkeys(names, write_p(alpha)) if as_p else {},
        caption="Adjusted p of the two-sided tests."
        if as_p
        else "1 where two algorithms differ significantly (two-sided test), else 0.",
    )


def order_steps_table(order: Order) -> ResultTable:
    """Return a table of the steps of the topological sort."""
    steps = order.ordering.steps
    return ResultTable(
        name="order_steps",
        frame=pd.DataFrame(
            {
                "taken": [step.chosen for step in steps],
                "why": [step.told(typed=bool(order.rules.prior)) for step in steps],
            },
            index=pd.Index([step.place for step in steps], name="step"),
        ),
        **table_text("order", "order_steps_table", describe_rule=describe_rule(order)),
    )


def edge_table(order: Order) -> ResultTable:
    """Return a table of the pairs in which the more expensive algorithm is better; it can be empty."""
    return ResultTable(
        name="order_edges",
        frame=with_row_numbers(arrows_table(order)),
        formats={"p adjusted": write_p(order.settings.alpha)},
        heads=("cheaper", "better"),
        **table_text("order", "edge_table"),
    )


def cost_scale_table(paths: OrderPaths) -> ResultTable:
    """Return a table of the orders by each way of scaling costs over data sets."""
    ways = paths.places.index
    same = paths.same
    sentence = (
        "All ways give the same order."
        if same
        else "They do not all give the same order, so a paper must say which it took."
    )
    return ResultTable(
        name="order_scales",
        frame=pd.DataFrame(
            {
                "order": [", ".join(names) for names in paths.sequences],
                "costs are": [COST_SCALES[name] for name in ways],
            },
            index=pd.Index(ways, name="way"),
        ),
        **table_text("order", "cost_scale_table", sentence=sentence),
    )


def order_changes_table(changes: OrderChanges) -> ResultTable:
    """Return a table of the changes of order on each data set by another measure."""
    frame = changes.table.sort_values(["same", "largest"], ascending=[True, False])
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
        frame=name_index(frame, "data set"),
        formats={"rank correlation": format_number, "largest move": "{:.0f}".format},
        **table_text("order", "order_changes_table"),
    )


def arrows_table(order: Order) -> pd.DataFrame:
    """Return one row per arrow: cheaper, better, test and adjusted p-value."""
    rows = [
        {
            "cheaper": cheaper,
            "better": better,
            "test": order_test_name(order),
            "p adjusted": order.pvalue(cheaper, better),
        }
        for cheaper, better in order.ordering.edges
    ]
    return pd.DataFrame(rows, columns=["cheaper", "better", "test", "p adjusted"])


def order_test_name(order: Order) -> str:
    """Return the name of the test behind the arrows."""
    if order.second is not None:
        return f"{CORRECTIONS[order.second.post_hoc]} on average ranks"
    evidence = next(iter(order.each.values())).evidence
    sided = "" if order.rules.family in ("shaffer", "bergmann_hommel") else ", one-sided"
    return f"{evidence.name}{sided}"


def score_name(order: Order) -> str:
    """Return the name of the score of each algorithm."""
    if order.second is None:
        return f"mean {order.settings.measure if order.rules.theta is None else 'risk'}"
    return "average cost-aware rank" if order.each else "average rank"


def cost_name(order: Order) -> str:
    """Return the name of the cost behind the prior order."""
    return order.rules.cost_label if order.second is None else f"average {order.rules.cost_label}"
