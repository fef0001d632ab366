"""Views of the page Ordering: graph, steps, costs and data sets."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from foldwise.figures.cd_diagram import cd_diagram_of_order
from foldwise.figures.cost_plane import cost_plane_of
from foldwise.figures.order_paths import changes_of_order, paths_of_order
from foldwise.figures.ordering_graph import graph_of_order
from foldwise.figures.rank_map import rank_map_of_order
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import order_inputs
from foldwise.web.views.fold_views import palette
from stats_core.comparison.conclusion_scope import settings_beside
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_number, join_names
from stats_core.data.costs import COST_SCALES, cost_columns
from stats_core.data.results import Results
from stats_core.ordering.order import Order
from stats_core.ordering.order_changes import OrderChanges
from stats_core.report.order_text import order_advice, order_verdict
from stats_core.report.tables import order_tables


def order_by_cost_tab(context: session.Context, order: Order, found) -> None:
    """Draw the orders by every cost, by weights, level and scale of costs."""
    _plane(context, order)
    names = cost_columns(order.results)
    costs = order.results.costs
    if len(costs) > 1:
        marked = order.rules.cost if order.rules.cost in costs else None
        _paths(context, order, found, "cost", costs, "Order by each cost", marked=marked)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            first = inputs.page_option("Weight of", "wfirst", costs, width=180)
            other_costs = [name for name in costs if name != first]
            second = inputs.page_option("against", "wsecond", other_costs, width=180)
        title = f"Order by weight of {first} against {second}"
        _paths(context, order, found, "weight", (first, second), title)
    elif len(names) < 2:
        st.caption("There is one cost only, so none to compare it with.")
    level = f"Order by significance level (now {order.settings.alpha:g})"
    _paths(context, order, found, "alpha", (), level, marked=order.settings.alpha, log=True)
    if order.second is not None and not order.rules.prior:
        _scales(context, order, found)


def _plane(context: session.Context, order: Order) -> None:
    """Draw cost against the measure, with the tests used by the other pages."""
    results = order.results
    dataset = results.datasets[0] if len(results.datasets) == 1 else ""
    settings = replace(context.settings, dataset=dataset)
    try:
        analysis = cached_calls.analysis(context.key, settings, context.results)
    except FoldwiseError:
        return
    plane_figure(analysis, order)


def _paths(
    context, order: Order, evidence, varied: str, costs: tuple[str, ...], title: str, **options
) -> None:
    try:
        paths = cached_calls.order_paths(
            inputs.selection_key(context), order, evidence, varied, costs
        )
    except FoldwiseError as error:
        st.caption(components.escape(str(error)))
        return
    for value, why in paths.refused.items():
        st.caption(components.escape(f"{varied} {value}: {why}"))
    drawing = paths_of_order(
        order,
        paths,
        name=f"paths_{varied}",
        title=title,
        colours=palette(context.results.algorithms, context.highlight),
        **options,
    )
    if drawing is not None:
        components.show_figure(drawing)


def _scales(context, order: Order, evidence) -> None:
    """Draw the order by each way of making costs of data sets comparable."""
    paths = cached_calls.order_paths(inputs.selection_key(context), order, evidence, "scale")
    components.show_table(order_tables.cost_scale_table(paths))
    for value, why in paths.refused.items():
        st.caption(components.escape(f"{COST_SCALES.get(value, value)}: {why}"))


def order_on_test_part(context: session.Context, order: Order) -> None:
    """Draw the order by another measure, such as the error on a test set."""
    results = order.results
    other_measures = [name for name in results.measures if name != order.settings.measure]
    if order.rules.theta is not None:
        components.show_refusal(
            "This compares the order by one measure with that by another.",
            "Now the order is by risk. Under More, switch off Order by risk.",
        )
        return
    if not other_measures:
        components.show_refusal(
            "This needs results of a second part, such as validation and test.",
            f"{results.source} has {order.settings.measure} only. Add a column such as test_error.",
            sample=cached_calls.catalogue()[0]["file"],
        )
        return
    other_measures.sort(key=lambda name: "test" not in name.lower())
    other_measure = inputs.page_option(
        "Compare with the order by", "other_measure", other_measures, width=220
    )
    settings = replace(order.settings, measure=other_measure)
    try:
        key, about = inputs.selection_key(context), (order.rules, results.datasets)
        evidence = cached_calls.order_evidence(key, settings, order.rules, results)
        second = cached_calls.order(key, settings, *about, results, evidence)
        changes = cached_calls.changes_between(
            key, order.settings, settings, *about, (order, second)
        )
    except FoldwiseError as error:
        components.show_refusal("The two orders cannot be compared.", str(error))
        return
    st.markdown(f"**{components.escape(changes.text)}**")
    hues = palette(context.results.algorithms, context.highlight)
    components.show_figure(changes_of_order(order, changes, colours=hues))
    _change_tables(order, changes)


def _change_tables(order: Order, changes: OrderChanges) -> None:
    correlation = format_number(changes.correlation) if len(changes.places.columns) > 1 else "n/a"
    st.caption(
        f"Final orders: Spearman {correlation}, Kendall {format_number(changes.kendall)}. A move counts as "
        f"big from {len(changes.places.columns) / 2:g} places on."
    )
    if len(changes.table) < 2:
        return
    components.show_table(order_tables.order_changes_table(changes))


MOST_IN_MATRIX = 60


def order_parts_tab(order: Order) -> None:
    """Draw ranks, bars and the 0/1 matrix of an order."""
    best = order.best_by_groups
    bars = cd_diagram_of_order(order)
    if bars is not None:
        components.show_figure(bars)
        if not order.second.rejected:
            st.caption("Friedman's test does not reject, so no pair is tested: one bar over all.")
    else:
        st.markdown(f"**Groups by two-sided tests.** {components.escape(_braces(order.groups))}")
    st.markdown(f"**The best by groups alone, without the graph.** {components.escape(best.text)}")
    _matrix(order)
    components.show_table(order_tables.prior_order_table(order))
    places = rank_map_of_order(order, dark=components.is_dark())
    if places is not None:
        components.show_figure(places)


def _braces(groups: tuple[tuple[str, ...], ...]) -> str:
    return join_names(["{" + ", ".join(group) + "}" for group in groups], 12)


def _matrix(order: Order) -> None:
    """Draw the matrix of differing pairs, as 0 and 1 or as p-values."""
    if order.adjusted is None:
        return
    if len(order.ordering.prior) > MOST_IN_MATRIX:
        st.caption(f"The matrix is shown up to {MOST_IN_MATRIX} algorithms.")
        return
    as_p = st.toggle("p-values instead of 0 and 1", key="order_matrix_p")
    components.show_table(order_tables.edge_matrix_table(order, as_p=as_p))


MOST_UNASKED = 20_000  # largest number of pairwise tests on data sets run without a request
STEP = "_order_step"  # session key: (order, step of the sort shown)


def no_order_yet(results: Results) -> None:
    """Draw a note on what an order needs."""
    alternative = ", choose a cost" if results.costs else ""
    with st.container(border=True):
        st.markdown("**An order needs a cost or an order of your own.**")
        st.text(
            f"No order is typed yet. Change a place in the table above{alternative}, or take the order of "
            "the names."
        )


def verdict(context: session.Context, order: Order) -> None:
    """Draw the verdict on the order and its criterion."""
    components.verdict_card(order_verdict(order, _beside(context, order)), order_advice(order), {})
    if order.rules.theta is not None:
        st.caption(
            f"Here, better means lower risk at theta {order.rules.theta:g}, whatever the measure in the "
            "sidebar. Switch off Order by risk under More to order by the measure."
        )


def order_graph_view(order: Order) -> None:
    """Draw the graph at one step of the sort, with buttons for the other steps."""
    ordering = order.ordering
    n_steps = len(ordering.steps)
    key = (ordering.prior, ordering.edges)
    shown_order, step = st.session_state.get(STEP, (None, n_steps))
    step = min(step, n_steps) if shown_order == key else n_steps
    chosen = (
        session.selection().get("ids", []) if session.selection().get("kind") == "algorithm" else []
    )
    selected = next((name for name in chosen if name in ordering.prior), None)
    current_step = ordering.steps[step] if step < n_steps else None
    sets = order.results.datasets
    drawing = graph_of_order(order, step=step, selected=selected)
    components.show_figure(drawing, on=sets[0] if len(sets) == 1 else "")
    _walk(
        key,
        step,
        n_steps,
        current_step.told(typed=bool(order.rules.prior))
        if current_step
        else "All algorithms are ordered.",
    )


def _walk(key: tuple, step: int, n_steps: int, description: str) -> None:
    """Draw the buttons that step through the sort, with arrow keys as shortcuts."""
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, icon, to, keyboard in (
            ("Start", ":material/first_page:", 0, None),
            ("Back", ":material/chevron_left:", step - 1, "left"),
            ("Next", ":material/chevron_right:", step + 1, "right"),
            ("End", ":material/last_page:", n_steps, None),
        ):
            st.button(
                label,
                icon=icon,
                type="tertiary",
                key=f"step_{label}",
                disabled=not 0 <= to <= n_steps or to == step,
                on_click=_go,
                args=(key, to),
                shortcut=keyboard,
            )
        position = f"Step {step + 1} of {n_steps}" if step < n_steps else "Final order"
        st.markdown(f"**{position}.** {components.escape(description)}", width="stretch")


def _go(key: tuple, to: int) -> None:
    st.session_state[STEP] = (key, to)


def order_steps_view(order: Order) -> None:
    """Draw tables of the steps of the sort and of the edges."""
    components.show_table(order_tables.order_steps_table(order))
    edges = order_tables.edge_table(order)
    if not len(edges.frame):
        st.caption("No more expensive algorithm is significantly better than a cheaper one.")
        return
    components.show_table(edges)


def saved_order(context: session.Context, results: Results) -> tuple[Order | None, str]:
    """Return the order by the choices on its page, or None and the reason.

    The reason is "" if no cost was chosen or there is nothing to order.
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
        evidence = cached_calls.order_evidence(key, settings, rules, results)
        return cached_calls.order(key, settings, rules, results.datasets, results, evidence), ""
    except FoldwiseError as error:
        return None, str(error)


def _beside(context: session.Context, order: Order) -> Comparison | None:
    """Return the comparison of the ordered results by the measure alone, None if impossible."""
    with suppress(FoldwiseError):
        settings = settings_beside(order, context.settings)
        return cached_calls.analysis(context.key, settings, context.results)
    return None


def plane_figure(analysis: Comparison, order: Order) -> None:
    """Draw cost against the measure, if a cost is known."""
    drawing = cost_plane_of(analysis, order)
    if drawing is not None:
        components.show_figure(drawing)


def on_overview(context: session.Context, analysis: Comparison) -> None:
    """Draw the order by the chosen cost, or the available costs, with a link."""
    results = inputs.kept_input(context)
    order, _ = saved_order(context, results)
    if order is None:
        if results.costs and len(results.algorithms) > 1:
            pronoun = "it" if len(results.costs) == 1 else "them"
            st.page_link(
                "pages/ordering.py",
                label=f"{components.escape(join_names(results.costs))} "
                f"{'is' if len(results.costs) == 1 else 'are'} in the file: Ordering weighs {pronoun} "
                f"against {components.escape(context.settings.measure)}",
                icon=":material/arrow_forward:",
            )
        return
    words = order_verdict(order, _beside(context, order))
    by = "" if order.rules.prior else f" by {components.escape(order.rules.cost_label)}"
    st.markdown(f"## Cost-aware order{by}")
    st.markdown(components.escape(f"{words.headline} {words.detail}"))
    for remark in words.notes[:1]:
        st.caption(components.escape(str(remark)))
    plane_figure(analysis, order)
    st.page_link(
        "pages/ordering.py", label="How this order came about", icon=":material/arrow_forward:"
    )
