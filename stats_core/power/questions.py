"""The simulations that answer what users ask before and after an experiment, by one name each.

Each question is a function of `Results` and `Settings` that returns one frozen result with a frame:
`power_of`, `level_of`, `plan_of`. `describe_simulation` writes a result in words, from what `decide_power`, `decide_level`
or `decide_plan` make of it; `foldwise.figure_specs.simulation_figures` draws it. `biased_draws` and `null_worlds` return the
simulation itself, for `run_simulation` with `choose_workers`, `kept` chunks and `so_far`. `run_part` goes on for some seconds.
"""

from stats_core.power.error_rates import level_of, null_worlds
from stats_core.power.incremental import CHUNK, ORDERS, QUESTIONS, SimulationPart, run_part
from stats_core.power.null_models import LevelOnDesign
from stats_core.power.planning import Plan, plan_of
from stats_core.power.simulated_power import ProcedurePower, biased_draws, power_of
from stats_core.power.simulation import (
    Progress,
    Simulation,
    choose_workers,
    run_simulation,
    so_far,
)
from stats_core.power.simulation_text import (
    SimulationText,
    decide_level,
    decide_plan,
    decide_power,
    describe_simulation,
)

__all__ = [
    "CHUNK",
    "ORDERS",
    "QUESTIONS",
    "LevelOnDesign",
    "SimulationPart",
    "Plan",
    "ProcedurePower",
    "Progress",
    "SimulationText",
    "Simulation",
    "biased_draws",
    "decide_level",
    "decide_plan",
    "decide_power",
    "level_of",
    "null_worlds",
    "run_part",
    "plan_of",
    "power_of",
    "run_simulation",
    "describe_simulation",
    "so_far",
    "choose_workers",
]
