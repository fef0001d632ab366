"""The page Plan: sample size, power and type I error, by simulation."""

from functools import partial

from foldwise.web import components, inputs
from foldwise.web.views import simulation_views

context = components.page_context()
inputs.draw_tabs(
    {
        simulation_views.SAMPLE_SIZE: partial(simulation_views.plan_question, context),
        simulation_views.POWER: partial(simulation_views.power_tab, context),
        simulation_views.TYPE_I_ERROR: partial(simulation_views.level_question, context),
    },
    "ltab",
    default=simulation_views.first_possible_tab(context),
)
