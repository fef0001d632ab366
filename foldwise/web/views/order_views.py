"""Views of the page on orderings: graph, steps, costs and data sets."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from foldwise.figure_specs import order_figures
from foldwise.figure_specs.cost_figures import plane_drawing
from foldwise.figure_specs.order_figures import (
    bars_drawing,
    changes_drawing,
    graph_drawing,
    paths_drawing,
    places_drawing,
)
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import order_inputs
from foldwise.web.views.fold_views import palette
from stats_core.comparison.conclusion_scope import settings_beside
from stats_core.comparison.order_text import order_advice, order_verdict
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_number, join_names
from stats_core.data.costs import COST_SCALES, cost_columns
from stats_core.data.results import Results
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
    plane_figure(analysis, order)


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
    components.show_table(order_figures.cost_scale_table(paths))
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
    components.show_table(order_figures.order_changes_table(changes))


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
    components.show_table(order_figures.prior_order_table(order))
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
    components.show_table(order_figures.edge_matrix_table(order, as_p=as_p))


MOST_UNASKED = 20_000  # tests of a pair on a data set that are made without being asked for
STEP = "_order_step"  # (order, step) of the walk


def no_order_yet(results: Results) -> None:
    """Say what an order needs, where neither a cost was chosen nor an order typed."""
    other = ", choose a cost" if results.costs else ""
    with st.container(border=True):
        st.markdown("**An order needs a cost or an order of your own.**")
        st.text(
            f"No order is typed yet. Change a place in the table above{other}, or take the order of "
            "the names."
        )


def verdict(context: session.Context, order: Order) -> None:
    """Say the order, its criterion, and which pairs differ the other way on the measure alone."""
    components.verdict_card(order_verdict(order, _beside(context, order)), order_advice(order), {})
    if order.rules.theta is not None:
        st.caption(
            f"Here, better means lower risk at theta {order.rules.theta:g}, whatever the measure in the "
            "sidebar. Switch off Order by risk under More to order by the measure."
        )


def order_graph_view(order: Order) -> None:
    """Draw the graph at one step of the sort, with buttons to the steps before and after."""
    ordering = order.ordering
    last = len(ordering.steps)
    key = (ordering.prior, ordering.edges)
    known, step = st.session_state.get(STEP, (None, last))
    step = min(step, last) if known == key else last
    chosen = (
        session.selection().get("ids", []) if session.selection().get("kind") == "algorithm" else []
    )
    selected = next((name for name in chosen if name in ordering.prior), None)
    at = ordering.steps[step] if step < last else None
    sets = order.results.datasets
    drawing = graph_drawing(order, step=step, selected=selected)
    components.show_figure(drawing, on=sets[0] if len(sets) == 1 else "")
    _walk(
        key,
        step,
        last,
        at.told(typed=bool(order.rules.prior)) if at else "All algorithms are ordered.",
    )


def _walk(key: tuple, step: int, last: int, said: str) -> None:
    """Draw the buttons that go through the steps; the arrow keys press them."""
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, icon, to, keyboard in (
            ("Start", ":material/first_page:", 0, None),
            ("Back", ":material/chevron_left:", step - 1, "left"),
            ("Next", ":material/chevron_right:", step + 1, "right"),
            ("End", ":material/last_page:", last, None),
        ):
            st.button(
                label,
                icon=icon,
                type="tertiary",
                key=f"step_{label}",
                disabled=not 0 <= to <= last or to == step,
                on_click=_go,
                args=(key, to),
                shortcut=keyboard,
            )
        where = f"Step {step + 1} of {last}" if step < last else "Final order"
        st.markdown(f"**{where}.** {components.escape(said)}", width="stretch")


def _go(key: tuple, to: int) -> None:
    st.session_state[STEP] = (key, to)


def order_steps_view(order: Order) -> None:
    """List every step of the sort, and every edge."""
    components.show_table(order_figures.order_steps_table(order))
    edges = order_figures.edge_table(order)
    if not len(edges.frame):
        st.caption("No more expensive algorithm is significantly better than a cheaper one.")
        return
    components.show_table(edges)


def saved_order(context: session.Context, results: Results) -> tuple[Order | None, str]:
    """Return the order by what was last chosen on its page, or None and why there is none.

    Nothing is to be said where no cost was chosen, or nothing can be put in order.
    """
    chosen = None if results.published is not None else order_inputs.saved_order_inputs(results)
    pairs = len(results.algorithms) * (len(results.algorithms) - 1) // 2
    if chosen is None or not pairs or context.undecided:
        return None, ""
    if pairs * len(results.datasets) > MOST_UNASKED:
        return None, "So many algorithms are put in order by cost on the page Ordering only."
    test, rules = chosen
    settings, key = replace(context.settings, test=test, region=None), inputs.selection_key(context)
    try:
        found = cached_calls.order_evidence(key, settings, rules, results)
        return cached_calls.order(key, settings, rules, results.datasets, results, found), ""
    except FoldwiseError as error:
        return None, str(error)


def _beside(context: session.Context, order: Order) -> Comparison | None:
    """Return the comparison of the pairs on the results of the order, by the measure alone."""
    with suppress(FoldwiseError):
        settings = settings_beside(order, context.settings)
        return cached_calls.analysis(context.key, settings, context.results)
    return None


def plane_figure(analysis: Comparison, order: Order) -> None:
    """Draw what algorithms cost and what they achieve, where a cost is known."""
    drawing = plane_drawing(analysis, order)
    if drawing is not None:
        components.show_figure(drawing)


def on_overview(context: session.Context, analysis: Comparison) -> None:
    """Say the order by a cost that was named, or which costs there are, with the way to its page."""
    results = inputs.kept_input(context)
    order, _ = saved_order(context, results)
    if order is None:
        if results.costs and len(results.algorithms) > 1:
            them = "it" if len(results.costs) == 1 else "them"
            st.page_link(
                "pages/ordering.py",
                label=f"{components.escape(join_names(results.costs))} "
                f"{'is' if len(results.costs) == 1 else 'are'} in the file: Ordering weighs {them} "
                f"against {components.escape(context.settings.measure)}",
                icon=":material/arrow_forward:",
            )
        return
    said = order_verdict(order, _beside(context, order))
    by = "" if order.rules.prior else f" by {components.escape(order.rules.cost_label)}"
    st.markdown(f"## Cost-aware order{by}")
    st.markdown(components.escape(f"{said.headline} {said.detail}"))
    for remark in said.notes[:1]:
        st.caption(components.escape(str(remark)))
    plane_figure(analysis, order)
    st.page_link(
        "pages/ordering.py", label="How this order came about", icon=":material/arrow_forward:"
    )
