"""Simulations in chunks: the same numbers in one process, in many, and on a cluster."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, MutableMapping
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, fields
from hashlib import sha256
from multiprocessing import get_context
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from stats_core.core.errors import FoldwiseError, SettingError
from stats_core.core.version import VERSION

DRAWS = "draws"  # every chunk tells how many it has
_TRIES = 3  # for a chunk whose worker ended
_SOON = 5.0  # seconds: what is done here by then is not worth the start of processes

Sums = dict[str, np.ndarray]
Kept = MutableMapping[int, Sums]
Keeping = Kept | Callable[[str], Kept]  # or what gives it for the key of a simulation


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulation(ABC):
    """A simulation: sums over draws, chunk by chunk, and one result of all.

    A chunk is a function of the simulation and its own number: its random numbers are the child of
    the seed with that number. So it is the same wherever and whenever it is computed. Subclasses
    hold arrays, numbers, texts and tuples of these, so that they can be sent and told apart.

    Attributes
    ----------
    draws : int
        How many in all.
    seed : int
        Gives all random numbers.
    size, begin : int
        Draws of one chunk; the last one may be smaller. If `begin` is not 0, the first chunk has so many
        and the second the rest of `size`, so that something is seen soon. (Of the class, not the object.)
    """

    size: ClassVar[int] = 250
    begin: ClassVar[int] = 50
    draws: int
    seed: int

    @abstractmethod
    def draw(self, rng: np.random.Generator, n: int) -> Sums:
        """Return sums over n draws."""

    @abstractmethod
    def result(self, sums: Sums, n: int) -> Any:
        """Return what the sums over n draws say."""

    @property
    def chunks(self) -> int:
        """How many there are."""
        if self.begin and self.draws <= self.begin:
            return 1
        return -(-self.draws // self.size) + bool(self.begin)

    @property
    def key(self) -> str:
        """What tells its chunks from those of any other simulation; more draws change nothing."""
        told = sha256(f"{VERSION} {type(self).__qualname__} {self.size} {self.begin}".encode())
        for field in fields(self):
            if field.name != DRAWS:
                told.update(f"{field.name}={_written(getattr(self, field.name))};".encode())
        return told.hexdigest()[:24]

    def drawn(self, number: int) -> int:
        """Return how many draws a chunk has."""
        return min(self._end(number), self.draws) - (self._end(number - 1) if number else 0)

    def _end(self, number: int) -> int:
        """Return how many draws there are by the end of a chunk."""
        if not self.begin:
            return (number + 1) * self.size
        return max(number * self.size, self.begin)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a simulation is.

    Attributes
    ----------
    done, total : int
        Chunks.
    draws, all_draws : int
        Of the chunks that are done, and of all.
    seconds, left : float
        Since it began, and to go if all goes on as it did.
    so_far : callable
        Returns the result of the chunks that are done.
    """

    done: int
    total: int
    draws: int
    all_draws: int
    seconds: float
    left: float
    so_far: Callable[[], Any]


def run_simulation(
    simulation: Simulation,
    *,
    executor: Executor | None = None,
    progress: Callable[[Progress], object] | None = None,
    kept: Keeping | None = None,
) -> Any:
    """What does a simulation find?"""
    held: Kept = {} if kept is None else kept(simulation.key) if callable(kept) else kept
    have = {number for number in range(simulation.chunks) if _is_whole(simulation, held, number)}
    missing = [number for number in range(simulation.chunks) if number not in have]
    started, before = perf_counter(), sum(map(simulation.drawn, have))
    for number, sums in _computed(simulation, missing, executor):
        held[number] = sums
        have.add(number)
        if progress is not None:
            seconds, drawn = perf_counter() - started, sum(map(simulation.drawn, have))
            left = seconds / (drawn - before) * (simulation.draws - drawn)
            progress(
                Progress(
                    done=len(have),
                    total=simulation.chunks,
                    draws=drawn,
                    all_draws=simulation.draws,
                    seconds=seconds,
                    left=left,
                    so_far=lambda: so_far(simulation, held),
                )
            )
    return so_far(simulation, held)


def so_far(simulation: Simulation, kept: Kept) -> Any:
    """Return the result of the chunks that are there; None if there are none."""
    numbers = [n for n in range(simulation.chunks) if _is_whole(simulation, kept, n)]
    if not numbers:
        return None
    total = {name: np.array(values) for name, values in kept[numbers[0]].items()}
    for number in numbers[1:]:
        for name, values in kept[number].items():
            total[name] = total[name] + values
    return simulation.result(total, int(total.pop(DRAWS)))


@contextmanager
def choose_workers(n: int | None = None, *, scheduler: str = "") -> Iterator[Executor | None]:
    """Give what computes chunks: this process, processes of this machine, or a Dask cluster."""
    if scheduler:
        with _cluster(scheduler) as executor:
            yield executor
        return
    count = (os.cpu_count() or 1) if n is None else n
    if count < 1:
        raise SettingError(f"`workers` must be 1 or more processes. It is {n}. Try 2.")
    if count == 1:
        yield None
        return
    pool = Processes(count)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class Processes(Executor):
    """Processes of this machine, started when needed; where one ends, the next chunk finds new ones."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._pool: ProcessPoolExecutor | None = None

    @property
    def started(self) -> bool:
        """Whether there are processes."""
        return self._pool is not None

    def _start(self) -> ProcessPoolExecutor:
        # a fork would copy whatever threads of a server hold at that moment
        return ProcessPoolExecutor(self._n, mp_context=get_context("spawn"))

    def submit(self, fn: Callable, /, *args: Any, **kwargs: Any) -> Future:
        """Let a process call the function."""
        self._pool = self._pool or self._start()
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenExecutor:
            self._pool = self._start()
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait, cancel_futures=cancel_futures)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise SettingError(
            "A cluster needs Dask. It is not installed. Install it: pip install foldwise[cluster]."
        ) from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError, TimeoutError) as error:
        raise SettingError(
            f"`scheduler` must be the address of a Dask scheduler that runs. {address}: "
            f"{type(error).__name__}. Start one by: dask scheduler."
        ) from None
    with client:
        # a worker that ends is not a chunk that fails: Dask gives its chunks to others
        yield client.get_executor(pure=False, retries=_TRIES)


def compute_chunk(simulation: Simulation, number: int) -> Sums:
    """Return the sums of one chunk, with how many draws they are of."""
    rng = np.random.default_rng(np.random.SeedSequence(simulation.seed, spawn_key=(number,)))
    n = simulation.drawn(number)
    return {DRAWS: np.array(n), **simulation.draw(rng, n)}


def _is_whole(simulation: Simulation, kept: Kept, number: int) -> bool:
    return number in kept and int(kept[number][DRAWS]) == simulation.drawn(number)


def _computed(
    simulation: Simulation, missing: list[int], executor: Executor | None
) -> Iterator[tuple[int, Sums]]:
    """Yield chunks as they are done: here, or elsewhere if that takes long."""
    brief = isinstance(executor, Processes) and not executor.started
    began, here = perf_counter(), 0
    while here < len(missing) and (executor is None or brief):
        yield missing[here], compute_chunk(simulation, missing[here])
        here += 1
        done, rest = (sum(map(simulation.drawn, part)) for part in (missing[:here], missing[here:]))
        brief = brief and (perf_counter() - began) / done * rest < _SOON
    if executor is not None:
        yield from _elsewhere(simulation, missing[here:], executor)


def _elsewhere(
    simulation: Simulation, missing: list[int], executor: Executor
) -> Iterator[tuple[int, Sums]]:
    """Yield chunks as they are done; those of workers that ended are tried again."""
    for _ in range(_TRIES):
        futures = {executor.submit(compute_chunk, simulation, number): number for number in missing}
        lost = []
        try:
            for future in as_completed(futures):
                try:
                    sums = future.result()
                except BrokenExecutor:
                    lost.append(futures[future])
                else:
                    yield futures[future], sums
        finally:
            for future in futures:
                future.cancel()
        if not lost:
            return
        missing = sorted(lost)
    raise FoldwiseError(
        f"Every worker must live until its chunk is done. {_TRIES} times one ended before, perhaps "
        "for want of memory. Take fewer workers, or more memory; what was done is kept."
    )


def _written(value: Any) -> str:
    """Write a field so that equal values look alike and others do not."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple):
        return f"({','.join(map(_written, value))})"
    return repr(value)
