"""Does the order hold: other costs, weights and levels; test results instead of validation."""

from dataclasses import replace

import streamlit as st

from foldwise.figure_specs import order_change_tables
from foldwise.figure_specs.order_figures import changes_drawing, paths_drawing
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import order_graph_views
from foldwise.web.views.fold_views import palette
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_number
from stats_core.data.costs import COST_SCALES, cost_columns
from stats_core.ordering.order import Order
from stats_core.ordering.order_changes import OrderChanges


def order_by_cost_tab(context: session.Context, order: Order, found) -> None:
    """Show the order by every cost side by side, by weight of two costs, level and scale."""
    _plane(context, order)
    names = cost_columns(order.results)
    own = order.results.costs
    if len(own) > 1:
        marked = order.rules.cost if order.rules.cost in own else None
        _paths(context, order, found, "cost", own, "Order by each cost", marked=marked)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            first = inputs.page_option("Weight of", "wfirst", own, width=180)
            others = [name for name in own if name != first]
            second = inputs.page_option("against", "wsecond", others, width=180)
        title = f"Order by weight of {first} against {second}"
        _paths(context, order, found, "weight", (first, second), title)
    elif len(names) < 2:
        st.caption("There is one cost only, so none to compare it with.")
    level = f"Order by significance level (now {order.settings.alpha:g})"
    _paths(context, order, found, "alpha", (), level, marked=order.settings.alpha, log=True)
    if order.second is not None and not order.rules.prior:
        _scales(context, order, found)


def _plane(context: session.Context, order: Order) -> None:
    """Draw cost against the measure, with the tests that the other pages take."""
    results = order.results
    one = results.datasets[0] if len(results.datasets) == 1 else ""
    settings = replace(context.settings, dataset=one)
    try:
        analysis = cached_calls.analysis(context.key, settings, context.results)
    except FoldwiseError:
        return
    order_graph_views.plane_figure(analysis, order)


def _paths(
    context, order: Order, found, what: str, costs: tuple[str, ...], title: str, **options
) -> None:
    try:
        paths = cached_calls.order_paths(inputs.selection_key(context), order, found, what, costs)
    except FoldwiseError as error:
        st.caption(components.escape(str(error)))
        return
    for value, why in paths.refused.items():
        st.caption(components.escape(f"{what} {value}: {why}"))
    drawing = paths_drawing(
        order,
        paths,
        name=f"paths_{what}",
        title=title,
        colours=palette(context.results.algorithms, context.highlight),
        **options,
    )
    if drawing is not None:
        components.show_figure(drawing)


def _scales(context, order: Order, found) -> None:
    """Say whether it matters how costs of different data sets are made comparable."""
    paths = cached_calls.order_paths(inputs.selection_key(context), order, found, "scale")
    components.show_table(order_change_tables.cost_scale_table(paths))
    for value, why in paths.refused.items():
        st.caption(components.escape(f"{COST_SCALES.get(value, value)}: {why}"))


def order_on_test_part(context: session.Context, order: Order) -> None:
    """Order the same algorithms by another measure, such as the error on a test part."""
    results = order.results
    others = [name for name in results.measures if name != order.settings.measure]
    if order.rules.theta is not None:
        components.show_refusal(
            "This compares the order by one measure with that by another.",
            "Now the order is by risk. Under More, switch off Order by risk.",
        )
        return
    if not others:
        components.show_refusal(
            "This needs results of a second part, such as validation and test.",
            f"{results.source} has {order.settings.measure} only. Add a column such as test_error.",
            sample=cached_calls.catalogue()[0]["file"],
        )
        return
    others.sort(key=lambda name: "test" not in name.lower())
    other = inputs.page_option("Compare with the order by", "other_measure", others, width=220)
    settings = replace(order.settings, measure=other)
    try:
        key, about = inputs.selection_key(context), (order.rules, results.datasets)
        found = cached_calls.order_evidence(key, settings, order.rules, results)
        second = cached_calls.order(key, settings, *about, results, found)
        changes = cached_calls.changes_between(
            key, order.settings, settings, *about, (order, second)
        )
    except FoldwiseError as error:
        components.show_refusal("The two orders cannot be compared.", str(error))
        return
    st.markdown(f"**{components.escape(changes.text)}**")
    hues = palette(context.results.algorithms, context.highlight)
    components.show_figure(changes_drawing(order, changes, colours=hues))
    _change_tables(order, changes)


def _change_tables(order: Order, changes: OrderChanges) -> None:
    correlation = format_number(changes.correlation) if len(changes.places.columns) > 1 else "n/a"
    st.caption(
        f"Final orders: Spearman {correlation}, Kendall {format_number(changes.kendall)}. A move counts as "
        f"big from {len(changes.places.columns) / 2:g} places on."
    )
    if len(changes.table) < 2:
        return
    components.show_table(order_change_tables.order_changes_table(changes))
