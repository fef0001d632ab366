"""A small simulation for tests of the simulation engine, which can end the process that computes it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from stats_core.power.simulation import Simulation

SEED = 5  # with it the third of five chunks, and no other, begins with a number in FATAL
FATAL = (0.6, 0.7)


@dataclass(frozen=True, kw_only=True, eq=False)
class Uniform(Simulation):
    """Simulates the mean of uniform numbers; with `marker`, one chunk ends its process, unless that file exists."""

    size: ClassVar[int] = 10
    begin: ClassVar[int] = 0
    marker: str = ""

    def draw(self, rng, n):
        values = rng.random(n)
        marker = Path(self.marker)
        if self.marker and FATAL[0] < values[0] < FATAL[1] and not marker.exists():
            marker.touch()
            os._exit(1)
        return {"sum": values.sum()}

    def result(self, sums, n):
        return n, float(sums["sum"] / n)
