"""The page Lab: what an experiment can detect, by simulation."""

import streamlit as st

from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import overview_views, simulation_views

context = session.context()
if context.results is None:
    components.show_refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()

power, level, plan, orders = inputs.page_tabs(
    ["Would it find it?", "Does it keep its level?", "How much more do I need?", "Orders"], "ltab"
)
if orders.open:
    with orders:
        simulation_views.simulation(context.settings.alpha)
for tab, draw in (
    (power, simulation_views.power),
    (level, simulation_views.level_question),
    (plan, simulation_views.plan_question),
):
    if not tab.open:
        continue
    with tab:
        overview_views.needs(context, "Simulations need results, not a summary of them.")
        if len(names := inputs.kept_input(context).algorithms) < 2:
            components.show_refusal(
                "Simulations need at least two algorithms.",
                f"{context.results.source} has {len(names)} left.",
                sample=cached_calls.catalogue()[0]["file"],
            )
        elif not simulation_views.missing_treatment_open(context):
            draw(context)
