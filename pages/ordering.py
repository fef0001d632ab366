"""The page Ordering: an order in which cost breaks ties."""

import streamlit as st

from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import data_views, order_inputs, order_views, overview_views
from stats_core.core.errors import FoldwiseError
from stats_core.report.tables.order_tables import places

context = session.context()
if context.results is None:
    components.show_refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()
overview_views.ordering_page(context)
if len(inputs.kept_input(context).algorithms) < 2:
    components.show_refusal(
        "An order needs at least two algorithms.",
        f"{context.results.source} has {len(inputs.kept_input(context).algorithms)} left.",
        sample=cached_calls.catalogue()[0]["file"],
    )
    st.stop()
if context.undecided:
    components.show_refusal(
        "Every algorithm needs a result everywhere.", f"{context.undecided}. Choose what to do."
    )
    data_views.choose_missing_treatment(context)
    st.stop()

results, settings, rules = order_inputs.order_inputs(context)
order, found = None, None
if rules is None:
    order_views.no_order_yet(results)
else:
    try:
        found = cached_calls.order_evidence(inputs.selection_key(context), settings, rules, results)
        order = cached_calls.order(
            inputs.selection_key(context), settings, rules, results.datasets, results, found
        )
    except FoldwiseError as error:
        components.show_refusal("These results cannot be ordered this way.", error)
    else:
        order_views.verdict(context, order)

tabs = inputs.page_tabs(
    ["Order", "Steps", "Ranks and groups", "Costs", "Validation and test"], "otab"
)
whole, steps, parts, costs, validation = tabs
if order is not None:
    if whole.open:
        with whole:
            components.selection_chip()
            order_views.order_graph_view(order)
            components.show_table(places(order))
    if steps.open:
        with steps:
            order_views.order_steps_view(order)
    if parts.open:
        with parts:
            order_views.order_parts_tab(order)
    if costs.open:
        with costs:
            order_views.order_by_cost_tab(context, order, found)
    if validation.open:
        with validation:
            order_views.order_on_test_part(context, order)
else:
    st.caption("Here stands the order as soon as there is one.")
st.page_link(
    "pages/lab.py",
    label="Does this find the right order? Simulated classifiers, in the lab",
    icon=":material/arrow_forward:",
    query_params={"ltab": "Orders"},
)
