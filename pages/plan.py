"""The page Plan: sample size, power and type I error, by simulation."""

from functools import partial

from foldwise.web import components, inputs
from foldwise.web.views import simulation_views

context = components.page_context()
inputs.draw_tabs(
    {
        "Sample size": partial(simulation_views.plan_question, context),
        "Power": partial(simulation_views.power_tab, context),
        "Type I error": partial(simulation_views.level_question, context),
    },
    "ltab",
)
