"""Lab: what an experiment can find, by simulation."""

import streamlit as st

from foldwise.ui import cached, inputs, lab_views, published_views, show, simulation_views, state

context = state.context()
if context.results is None:
    show.refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()

power, level, plan, orders = st.tabs(
    ["Would it find it?", "Does it keep its level?", "How much more do I need?", "Orders"],
    key="ltab",
    on_change="rerun",
    bind="query-params",
)
if orders.open:
    with orders:
        simulation_views.simulation(context.settings.alpha)
for tab, draw in ((power, lab_views.power), (level, lab_views.level), (plan, lab_views.plan)):
    if not tab.open:
        continue
    with tab:
        published_views.needs(context, "Simulations need results, not a summary of them.")
        if len(names := inputs.kept(context).algorithms) < 2:
            show.refusal(
                "Simulations need at least two algorithms.",
                f"{context.results.source} has {len(names)} left.",
                sample=cached.catalogue()[0]["file"],
            )
        elif not lab_views.undecided(context):
            draw(context)
