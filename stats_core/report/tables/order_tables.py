"""Tables of the cost-aware order of algorithms."""

import re
from collections.abc import Callable

import pandas as pd

from stats_core.comparison import comparison_text, plan
from stats_core.core.formatting import format_count, format_number, measure_name, unused_label
from stats_core.core.result_types import cached
from stats_core.data.costs import COST_SCALES, IN_SECONDS
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.ordering.one_sided_evidence import TWO_SIDED_FAMILIES
from stats_core.ordering.order import Order
from stats_core.ordering.order_sensitivity import OrderChanges, OrderPaths
from stats_core.report import entry, order_text
from stats_core.report.entry import Entry, Place
from stats_core.report.tables.table import (
    ResultTable,
    make_table,
    tests_table,
    write_p,
    write_scores,
    yes_no,
)


def tables_of_order(order: Order) -> list[ResultTable]:
    """Return the tables of an order in reports, without empty ones."""
    tables = [each.make(order) for each in entry.offered(ORDER_TABLES, order, Place.REPORT)]
    return [table for table in tables if len(table.frame)]


@cached
def places(order: Order) -> ResultTable:
    """Return a table of the order with the reason for each rank."""
    table = order.table().set_index("place").rename_axis("rank")
    if order.average_cost is None:
        table = table.drop(columns="cost")
    else:
        table["cost"] = table["cost"].astype(float)
    value = order.value_name
    write = write_scores(table[["mean"]]) if value == "mean" else format_number
    return make_table(
        "order",
        table,
        alpha=order.settings.alpha,
        own={value: write},
        order=order,
        cost=cost_title(order),
        costs=order_text.describe_costs(order.rules),
        rule=order_text.describe_rule(order),
        one_sided=order.second is None and order.rules.family not in TWO_SIDED_FAMILIES,
        scaled=COST_SCALES[order.rules.scale]
        if order.second is not None and order.average_cost is not None
        else "",
    )


def _agreement(order: Order) -> ResultTable:
    """Return a table of Friedman's test of the cost-aware ranks or, without folds, of the averages."""
    assert order.second is not None
    test = order.second.friedman
    subject = "cost-aware ranks" if order.each else "ranks"
    return tests_table(
        "order_test",
        {"Friedman": test},
        None,
        alpha=order.settings.alpha,
        subject=subject,
        n=test.n,
    )


def _places_on_each(order: Order) -> ResultTable:
    names = list(order.ordering.order)
    places_by_dataset = {
        name: order_on_dataset.ordering.places for name, order_on_dataset in order.each.items()
    }
    frame = pd.DataFrame(places_by_dataset).T[names].astype(float)
    frame.loc[unused_label("average rank", list(frame.index))] = frame.mean()
    own = dict.fromkeys(names, "{:g}".format)
    return make_table("places", frame, index="data set", own=own, summary=1, order=order)


def _several_data_sets(order: Order) -> str | None:
    """Several data sets, over which ranks are tested."""
    return "one data set" if order.second is None else None


def _order_on_each(order: Order) -> str | None:
    """An order on each of several data sets."""
    return _several_data_sets(order) or (None if order.each else "no folds")


def _table(
    name: str, make: Callable[[Order], ResultTable], needs: Callable[[Order], str | None]
) -> Entry[Order, ResultTable]:
    return Entry(name=name, make=make, needs=needs, where=frozenset({Place.REPORT}))


# tables of a cost-aware order, in reading order
ORDER_TABLES: tuple[Entry[Order, ResultTable], ...] = (
    _table("order", places, lambda order: None),
    _table("order_test", _agreement, _several_data_sets),
    _table("places", _places_on_each, _order_on_each),
)


def prior_order_table(order: Order) -> ResultTable:
    """Return a table of results and costs, sorted by the prior order."""
    prior, score = list(order.ordering.prior), score_name(order)
    table = pd.DataFrame({score: order.scores[prior]}, index=pd.Index(prior, name="algorithm"))
    own = {score: format_number if order.second is not None else write_scores(table)}
    if order.average_cost is not None:
        table["cost"] = order.average_cost[prior]
    table["order rank"] = order.ordering.places[prior]
    return make_table(
        "prior_order", table, name="order_ranks_table", own=own, order=order, cost=cost_title(order)
    )


def edge_matrix_table(order: Order, *, as_p: bool) -> ResultTable:
    """Return a matrix of significant pairs as 0 and 1, or of p-values if `as_p`, in the prior order."""
    names = list(order.ordering.prior)
    matrix = order.adjusted if as_p else order.differs
    assert matrix is not None  # the caller has two-sided tests
    frame = matrix.loc[names, names].astype(float if as_p else int)
    own = dict.fromkeys(names, write_p(order.settings.alpha) if as_p else str)
    return make_table("order_matrix", frame, index="algorithm", own=own, as_p=as_p)


def order_steps_table(order: Order) -> ResultTable:
    """Return a table of the steps of the topological sort."""
    rows = [
        (step.chosen, step.describe(typed=bool(order.rules.prior))) for step in order.ordering.steps
    ]
    index = pd.Index([step.place for step in order.ordering.steps], name="step")
    frame = pd.DataFrame(rows, index, columns=["placed", "reason"])
    return make_table("order_steps", frame, rule=order_text.describe_rule(order))


def edge_table(order: Order) -> ResultTable:
    """Return a table of the pairs in which the more expensive algorithm is significantly better."""
    return make_table(
        "order_edges", arrows_table(order), alpha=order.settings.alpha, heads=("cheaper", "better")
    )


def cost_scale_table(paths: OrderPaths) -> ResultTable:
    """Return a table of the orders by each way of scaling costs."""
    ways = paths.places.index
    columns = {
        "order": map(", ".join, paths.sequences),
        "costs": [COST_SCALES[name] for name in ways],
    }
    frame = pd.DataFrame(
        {name: list(cells) for name, cells in columns.items()}, index=pd.Index(ways, name="scale")
    )
    return make_table("order_scales", frame, same=paths.same)


def order_changes_table(changes: OrderChanges) -> ResultTable:
    """Return a table of the differences between two orders on each data set."""
    frame = changes.table.sort_values(["same", "largest"], ascending=[True, False])
    frame = frame.assign(same=yes_no(frame["same"])).rename(
        columns={"same": "same order", "largest": "largest move"}
    )
    return make_table("order_changes", frame, name="order_changes_table", index="data set")


def arrows_table(order: Order) -> pd.DataFrame:
    """Return one row per edge: cheaper, better, test and adjusted p-value."""
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
    """Return the name of the test behind the edges of the graph."""
    if order.second is not None:
        if order.second.post_hoc == "nemenyi":
            return comparison_text("tests.nemenyi")
        tests = comparison_text("tests.ranks")
        return plan.adjusted_tests(tests, CORRECTIONS[order.second.post_hoc])
    evidence = next(iter(order.each.values())).evidence
    return (
        evidence.name if order.rules.family in TWO_SIDED_FAMILIES else f"one-sided {evidence.name}"
    )


def order_test_line(order: Order) -> str:
    """Return one line on the tests of the edges of the graph: name, level, and number of data sets or results."""
    if order.second is not None:
        counted = format_count(len(order.second.positions), "data set")
    else:
        evidence = next(iter(order.each.values())).evidence
        counted = f"{format_count(evidence.n, 'result')} on {evidence.dataset}"
    return f"{order_test_name(order)}, \N{GREEK SMALL LETTER ALPHA} = {order.settings.alpha:g}, {counted}"


def score_name(order: Order) -> str:
    """Return the name of the value listed for each algorithm."""
    if order.second is None:
        return f"mean {measure_name(order.settings.measure) if order.rules.theta is None else 'expected cost'}"
    return "average cost-aware rank" if order.each else "average rank"


def cost_title(order: Order) -> str:
    """Return the name of the cost with its unit, "prediction time (s)", or of its scaled average over data sets."""
    name = order_text.describe_costs(order.rules)
    if order.second is not None:
        return f"average {name} (scaled)"
    return (
        f"{name} (s)"
        if re.search(IN_SECONDS, order.rules.cost) and not order.rules.weights
        else name
    )
