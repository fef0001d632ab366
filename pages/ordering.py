"""Ordering: one order, cost breaks ties."""

import streamlit as st

from foldwise.ui import (
    cached,
    hole_views,
    inputs,
    ordering_costs,
    ordering_inputs,
    ordering_parts,
    ordering_views,
    published_views,
    show,
    state,
)
from stats_core.comparison.tables.orders import places
from stats_core.core.errors import FoldwiseError

context = state.context()
if context.results is None:
    show.refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()
published_views.ordering_page(context)
if len(inputs.kept(context).algorithms) < 2:
    show.refusal(
        "An order needs at least two algorithms.",
        f"{context.results.source} has {len(inputs.kept(context).algorithms)} left.",
        sample=cached.catalogue()[0]["file"],
    )
    st.stop()
if context.undecided:
    show.refusal(
        "Every algorithm needs a result everywhere.",
        f"{context.undecided}. Choose what to do.",
    )
    hole_views.decide(context)
    st.stop()

results, settings, rules = ordering_inputs.ask(context)
order, found = None, None
if rules is None:
    ordering_views.no_order_yet(results)
else:
    try:
        found = cached.order_evidence(inputs.kept_key(context), settings, rules, results)
        order = cached.order(
            inputs.kept_key(context), settings, rules, results.datasets, results, found
        )
    except FoldwiseError as error:
        show.refusal("These results cannot be ordered this way.", error)
    else:
        ordering_views.verdict(context, order)

tabs = st.tabs(
    ["Order", "Steps", "Ranks and groups", "Costs", "Validation and test"],
    key="otab",
    on_change="rerun",
    bind="query-params",
)
whole, steps, parts, costs, validation = tabs
if order is not None:
    if whole.open:
        with whole:
            show.selection_chip()
            ordering_views.graph(order)
            show.table_of(places(order))
    if steps.open:
        with steps:
            ordering_views.steps(order)
    if parts.open:
        with parts:
            ordering_parts.parts(order)
    if costs.open:
        with costs:
            ordering_costs.costs(context, order, found)
    if validation.open:
        with validation:
            ordering_costs.validation(context, order)
else:
    st.caption("Here stands the order as soon as there is one.")
st.page_link(
    "pages/lab.py",
    label="Does this find the right order? Simulated classifiers, in the lab",
    icon=":material/arrow_forward:",
    query_params={"ltab": "Orders"},
)
