"""The order as a graph that can be walked through, as a table, and step by step."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from foldwise.figure_specs import order_change_tables
from foldwise.figure_specs.cost_figures import plane_drawing
from foldwise.figure_specs.order_figures import graph_drawing
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import order_inputs
from stats_core.comparison.conclusion_scope import settings_beside
from stats_core.comparison.order_text import order_advice, order_verdict
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import join_names
from stats_core.data.results import Results
from stats_core.ordering.order import Order

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
    components.show_table(order_change_tables.order_steps_table(order))
    edges = order_change_tables.edge_table(order)
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
