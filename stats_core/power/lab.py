"""The simulations that answer what users ask before and after an experiment, by one name each.

Each question is a function of `Results` and `Settings` that returns one frozen result with a frame:
`power_of`, `level_of`, `plan_of`. `said` writes a result in words, from what `decide_power`, `decide_level`
or `decide_plan` make of it; `foldwise.gallery.lab` draws it. `biased_draws` and `null_worlds` return the
simulation itself, for `run` with `workers`, `kept` chunks and `so_far`. `part_of` goes on for some seconds.
"""

from stats_core.power.engine import Progress, Simulation, run, so_far, workers
from stats_core.power.lab_words import Said, decide_level, decide_plan, decide_power, said
from stats_core.power.level_of import level_of, null_worlds
from stats_core.power.part_of import CHUNK, ORDERS, QUESTIONS, Part, part_of
from stats_core.power.plan_of import Plan, plan_of
from stats_core.power.power_of import ProcedurePower, biased_draws, power_of
from stats_core.power.worlds import LevelOnDesign

__all__ = [
    "CHUNK",
    "ORDERS",
    "QUESTIONS",
    "LevelOnDesign",
    "Part",
    "Plan",
    "ProcedurePower",
    "Progress",
    "Said",
    "Simulation",
    "biased_draws",
    "decide_level",
    "decide_plan",
    "decide_power",
    "level_of",
    "null_worlds",
    "part_of",
    "plan_of",
    "power_of",
    "run",
    "said",
    "so_far",
    "workers",
]
