"""Does the order hold: other costs, weights and levels; test results instead of validation."""

from dataclasses import replace

import streamlit as st

from foldwise.gallery import tables_of_orders
from foldwise.gallery.ordering import changes_drawing, paths_drawing
from foldwise.ui import cached, inputs, ordering_views, show, state
from foldwise.ui.fold_views import palette
from stats_core.core.errors import FoldwiseError
from stats_core.core.words import number
from stats_core.data.costs import COST_SCALES, cost_columns
from stats_core.ordering.changes import OrderChanges
from stats_core.ordering.order import Order


def costs(context: state.Context, order: Order, found) -> None:
    """Show the order by every cost side by side, by weight of two costs, level and scale."""
    _plane(context, order)
    names = cost_columns(order.results)
    own = order.results.costs
    if len(own) > 1:
        marked = order.rules.cost if order.rules.cost in own else None
        _paths(context, order, found, "cost", own, "Order by each cost", marked=marked)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            first = inputs.option("Weight of", "wfirst", own, width=180)
            others = [name for name in own if name != first]
            second = inputs.option("against", "wsecond", others, width=180)
        title = f"Order by weight of {first} against {second}"
        _paths(context, order, found, "weight", (first, second), title)
    elif len(names) < 2:
        st.caption("There is one cost only, so none to compare it with.")
    level = f"Order by significance level (now {order.settings.alpha:g})"
    _paths(context, order, found, "alpha", (), level, marked=order.settings.alpha, log=True)
    if order.second is not None and not order.rules.prior:
        _scales(context, order, found)


def _plane(context: state.Context, order: Order) -> None:
    """Draw cost against the measure, with the tests that the other pages take."""
    results = order.results
    one = results.datasets[0] if len(results.datasets) == 1 else ""
    settings = replace(context.settings, dataset=one)
    try:
        analysis = cached.analysis(context.key, settings, context.results)
    except FoldwiseError:
        return
    ordering_views.plane_figure(analysis, order)


def _paths(
    context, order: Order, found, what: str, costs: tuple[str, ...], title: str, **options
) -> None:
    try:
        paths = cached.order_paths(inputs.kept_key(context), order, found, what, costs)
    except FoldwiseError as error:
        st.caption(show.escape(str(error)))
        return
    for value, why in paths.refused.items():
        st.caption(show.escape(f"{what} {value}: {why}"))
    drawing = paths_drawing(
        order,
        paths,
        name=f"paths_{what}",
        title=title,
        colours=palette(context.results.algorithms, context.highlight),
        **options,
    )
    if drawing is not None:
        show.figure_of(drawing)


def _scales(context, order: Order, found) -> None:
    """Say whether it matters how costs of different data sets are made comparable."""
    paths = cached.order_paths(inputs.kept_key(context), order, found, "scale")
    show.table_of(tables_of_orders.scales(paths))
    for value, why in paths.refused.items():
        st.caption(show.escape(f"{COST_SCALES.get(value, value)}: {why}"))


def validation(context: state.Context, order: Order) -> None:
    """Order the same algorithms by another measure, such as the error on a test part."""
    results = order.results
    others = [name for name in results.measures if name != order.settings.measure]
    if order.rules.theta is not None:
        show.refusal(
            "This compares the order by one measure with that by another.",
            "Now the order is by risk. Under More, switch off Order by risk.",
        )
        return
    if not others:
        show.refusal(
            "This needs results of a second part, such as validation and test.",
            f"{results.source} has {order.settings.measure} only. Add a column such as test_error.",
            sample=cached.catalogue()[0]["file"],
        )
        return
    others.sort(key=lambda name: "test" not in name.lower())
    other = inputs.option("Compare with the order by", "other_measure", others, width=220)
    settings = replace(order.settings, measure=other)
    try:
        key, about = inputs.kept_key(context), (order.rules, results.datasets)
        found = cached.order_evidence(key, settings, order.rules, results)
        second = cached.order(key, settings, *about, results, found)
        changes = cached.changes_between(key, order.settings, settings, *about, (order, second))
    except FoldwiseError as error:
        show.refusal("The two orders cannot be compared.", str(error))
        return
    st.markdown(f"**{show.escape(changes.text)}**")
    hues = palette(context.results.algorithms, context.highlight)
    show.figure_of(changes_drawing(order, changes, colours=hues))
    _change_tables(order, changes)


def _change_tables(order: Order, changes: OrderChanges) -> None:
    correlation = number(changes.correlation) if len(changes.places.columns) > 1 else "n/a"
    st.caption(
        f"Final orders: Spearman {correlation}, Kendall {number(changes.kendall)}. A move counts as "
        f"big from {len(changes.places.columns) / 2:g} places on."
    )
    if len(changes.table) < 2:
        return
    show.table_of(tables_of_orders.changes(changes))
