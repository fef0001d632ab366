"""Simulations split into parts of a few seconds, so that several sessions can take turns."""

from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.power import error_rates, order_simulation, planning, simulated_power
from stats_core.power.error_rates import LevelOnDesign
from stats_core.power.item_planning import ItemPlan
from stats_core.power.order_simulation import OrderProbabilities
from stats_core.power.planning import Plan
from stats_core.power.simulated_power import ProcedurePower
from stats_core.power.simulation import DRAWS, Progress, Simulation, Sums

QUESTIONS: dict[str, Callable] = {
    "power": simulated_power.power_of,
    "level": error_rates.level_of,
    "plan": planning.plan_of,
}
ORDERS = "orders"  # this question needs no results
_SIMULATE: dict[str, Any] = {**QUESTIONS, ORDERS: order_simulation.orders_of}
# question about results -> function that raises its errors without drawing, in much less than a second
_CHECKS: dict[str, Callable] = {
    "power": simulated_power.power_of.simulation,
    "level": error_rates.level_of.simulation,
    "plan": planning.check_plan,
}
CHUNK = Simulation.size  # draws


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationQuestion:
    """What a simulation is to answer.

    Attributes
    ----------
    name : str
        Key of `QUESTIONS`, or `ORDERS`.
    results : Results or None
        The results; None for `ORDERS`.
    settings : Settings
        The settings of the simulated procedure.
    options : mapping of str to value
        Keyword arguments of the function that answers it.
    """

    name: str
    results: Results | None
    settings: Settings
    options: Mapping[str, Any]


class Chunks(Protocol):
    """Persistent storage of simulation chunks."""

    def load(self, key: str) -> dict[int, Sums]:
        """Return the stored chunks of a simulation."""

    def save(self, key: str, chunks: Mapping[int, Sums]) -> None:
        """Add chunks of a simulation to the storage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationPart:
    """Result of a simulation after one part of its draws.

    Attributes
    ----------
    result : ProcedurePower, LevelOnDesign, Plan, ItemPlan or OrderProbabilities
        Result of all draws so far.
    draws : int
        Number of draws so far.
    chunks : dict of int to dict
        Chunks computed in this part.
    each : float
        Seconds per draw; 0 if no draw was computed.
    """

    result: ProcedurePower | LevelOnDesign | Plan | ItemPlan | OrderProbabilities
    draws: int
    chunks: dict[int, Sums]
    each: float


class _Enough(Exception):
    """Raised when the time limit of a part is reached, or if draws are missing."""


def check_question(question: SimulationQuestion) -> None:
    """Raise the error of one of `QUESTIONS` that its results or settings do not allow."""
    _CHECKS[question.name](question.results, question.settings, **question.options)


def finished_part(
    question: SimulationQuestion, *, draws: int, stored: Chunks
) -> SimulationPart | None:
    """Return a simulation whose draws are all in `stored`; None if any is missing."""

    def chunks_of(key: str) -> dict[int, Sums]:
        chunks = stored.load(key)
        if sum(int(sums[DRAWS]) for sums in chunks.values()) < draws:
            raise _Enough
        return chunks

    try:
        result = _simulate(question, draws=draws, kept=chunks_of)
    except _Enough:
        return None
    return SimulationPart(result=result, draws=draws, chunks={}, each=0.0)


def run_part(
    question: SimulationQuestion,
    *,
    draws: int,
    seconds: float,
    have: Mapping[int, Sums] | None = None,
    stored: Chunks | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> SimulationPart:
    r"""Return a simulation continued from `have` and `stored` for about `seconds`; at least one missing chunk is added.

    Examples
    --------
    >>> table = "dataset,a,b\n" + "".join(f"d{i},{0.1 + i % 3 / 50},{0.2 + i % 5 / 50}\n" for i in range(9))
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("error.csv", table.encode()))
    >>> level = SimulationQuestion(name="level", results=results, settings=Settings(), options={})
    >>> first = run_part(level, draws=1000, seconds=0)
    >>> first.draws, run_part(level, draws=500, seconds=60, have=first.chunks).chunks.keys()
    (50, dict_keys([1, 2]))
    """
    new: dict[int, Sums] = {}
    reports: list[Progress] = []
    simulation_key = ""

    def stored_chunks(key: str) -> ChainMap:
        nonlocal simulation_key
        simulation_key = key
        of_caller = {} if have is None else dict(have)
        return ChainMap(new, of_caller, stored.load(key) if stored else {})

    def report(now: Progress) -> None:
        reports.append(now)
        if progress is not None:
            progress(now.draws, now.all_draws)
        if now.seconds > seconds and now.done < now.total:
            raise _Enough

    try:
        result = _simulate(question, draws=draws, kept=stored_chunks, progress=report)
    except _Enough:
        draws = reports[-1].draws
        result = reports[-1].so_far()
    if stored and new:
        stored.save(simulation_key, new)
    drawn = sum(int(sums[DRAWS]) for sums in new.values())
    seconds_per_draw = reports[-1].seconds / drawn if new else 0.0
    return SimulationPart(result=result, draws=draws, chunks=new, each=seconds_per_draw)


def _simulate(question: SimulationQuestion, **options: Any) -> Any:
    """Return the answer to a question by draws."""
    simulate = _SIMULATE[question.name]
    return simulate(question.results, question.settings, **question.options, **options)
