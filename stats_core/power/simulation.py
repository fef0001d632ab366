"""Monte Carlo simulations computed in reproducible chunks, locally or on a cluster."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, MutableMapping
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from hashlib import sha256
from multiprocessing import get_context
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from stats_core.core.errors import FoldwiseError, SettingError
from stats_core.core.version import VERSION

DRAWS = "draws"  # key of the number of draws in the sums of a chunk
_TRIES = 3  # attempts for a chunk whose worker died
_SOON = 5.0  # seconds; shorter simulations do not justify starting processes

Sums = dict[str, np.ndarray]
Kept = MutableMapping[int, Sums]
Keeping = Kept | Callable[[str], Kept]  # or a function from the key of a simulation to it


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulation(ABC):
    """Base class of Monte Carlo simulations that are computed in chunks of draws.

    A chunk is a function of the simulation and its own number: its random numbers are the child of
    the seed with that number. So it is the same wherever and whenever it is computed. Subclasses
    hold arrays, numbers, texts and tuples of these, so that they can be sent and distinguished.

    Attributes
    ----------
    draws : int
        Total number of draws.
    seed : int
        Seed of all random numbers.
    not_in_key : tuple of str
        Class attribute: fields on which the chunks do not depend.
    size, begin : int
        Class attributes: draws of one chunk, of which the last may have fewer. If `begin` is not 0,
        the first chunk has `begin` draws and the second the rest of `size`, for a first result
        soon.
    """

    size: ClassVar[int] = 250
    begin: ClassVar[int] = 50
    not_in_key: ClassVar[tuple[str, ...]] = (DRAWS,)
    draws: int
    seed: int

    @abstractmethod
    def draw(self, rng: np.random.Generator, n: int) -> Sums:
        """Return the sums of the simulated quantities over n draws."""

    @abstractmethod
    def result(self, sums: Sums, n: int) -> Any:
        """Return the final result from the sums over n draws."""

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        if self.begin and self.draws <= self.begin:
            return 1
        return -(-self.draws // self.size) + bool(self.begin)

    @property
    def key(self) -> str:
        """Hash of the parameters that determine a chunk; independent of the number of draws."""
        digest = sha256(f"{VERSION} {type(self).__qualname__} {self.size} {self.begin}".encode())
        for field in fields(self):
            if field.name not in self.not_in_key:
                digest.update(f"{field.name}={_written(getattr(self, field.name))};".encode())
        return digest.hexdigest()[:24]

    def drawn(self, number: int) -> int:
        """Return the number of draws in chunk `number`."""
        return min(self._end(number), self.draws) - (self._end(number - 1) if number else 0)

    def _end(self, number: int) -> int:
        """Return the cumulative number of draws at the end of chunk `number`."""
        if not self.begin:
            return (number + 1) * self.size
        return max(number * self.size, self.begin)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of a simulation.

    Attributes
    ----------
    done, total : int
        Numbers of completed chunks and of all chunks.
    draws, all_draws : int
        Numbers of draws in the completed chunks and in all chunks.
    seconds, left : float
        Seconds since the start, and estimated seconds remaining.
    so_far : callable
        Function that returns the result of the completed chunks.
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
    """Return the result of a simulation, from its chunks in `kept` and new ones, which are added to `kept`.

    `kept` maps the number of a chunk to its sums, or is a function from `simulation.key` to such a
    mapping; None for an empty one. `executor` computes chunks in parallel; None for one after
    another. `progress` is called with a `Progress` after each new chunk.

    Examples
    --------
    >>> from stats_core.power.order_simulation import rates_of_three, simulate_multitest
    >>> run_simulation(simulate_multitest.simulation(rates_of_three([0, 0.1]), runs=100)).runs
    100
    """
    store: Kept = {}
    if callable(kept):
        store = kept(simulation.key)
    elif kept is not None:
        store = kept
    complete = {
        number for number in range(simulation.chunks) if _is_whole(simulation, store, number)
    }
    missing = [number for number in range(simulation.chunks) if number not in complete]
    started = perf_counter()
    before = sum(map(simulation.drawn, complete))
    for number, sums in _computed(simulation, missing, executor):
        store[number] = sums
        complete.add(number)
        if progress is not None:
            seconds = perf_counter() - started
            drawn = sum(map(simulation.drawn, complete))
            left = seconds / (drawn - before) * (simulation.draws - drawn)
            progress(
                Progress(
                    done=len(complete),
                    total=simulation.chunks,
                    draws=drawn,
                    all_draws=simulation.draws,
                    seconds=seconds,
                    left=left,
                    so_far=lambda: so_far(simulation, store),
                )
            )
    return so_far(simulation, store)


def simulated(build: Callable[..., Simulation]) -> Any:
    """Return a function that builds a simulation with `build`, runs it and returns its result.

    It takes the options of `run_simulation`, too; its attribute `simulation` is `build`.
    """

    @wraps(build)
    def run(
        *about: Any,
        executor: Executor | None = None,
        progress: Callable[[Progress], object] | None = None,
        kept: Keeping | None = None,
        **options: Any,
    ) -> Any:
        return run_simulation(
            build(*about, **options), executor=executor, progress=progress, kept=kept
        )

    simulate: Any = run
    simulate.simulation = build
    return simulate


def so_far(simulation: Simulation, store: Kept) -> Any:
    """Return the result of the completed chunks; None if there are none."""
    numbers = [n for n in range(simulation.chunks) if _is_whole(simulation, store, n)]
    if not numbers:
        return None
    total = {name: np.array(values) for name, values in store[numbers[0]].items()}
    for number in numbers[1:]:
        for name, values in store[number].items():
            total[name] = total[name] + values
    return simulation.result(total, int(total.pop(DRAWS)))


@contextmanager
def choose_workers(n: int | None = None, *, scheduler: str = "") -> Iterator[Executor | None]:
    """Yield an executor: None for one process, a pool of `n` (default: all CPUs), or the Dask cluster of `scheduler`.

    Raise SettingError for `n` below 1, or if the cluster cannot be reached.
    """
    if scheduler:
        with _cluster(scheduler) as executor:
            yield executor
        return
    count = (os.cpu_count() or 1) if n is None else n
    if count < 1:
        raise SettingError.of("no workers", n=n)
    if count == 1:
        yield None
        return
    pool = Processes(count)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class Processes(Executor):
    """Process pool that starts on demand and is replaced after a crash."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._pool: ProcessPoolExecutor | None = None

    @property
    def started(self) -> bool:
        """Whether the processes have been started."""
        return self._pool is not None

    def _start(self) -> ProcessPoolExecutor:
        # not fork: it would copy locks held by other threads of a server
        return ProcessPoolExecutor(self._n, mp_context=get_context("spawn"))

    def submit(self, fn: Callable, /, *args: Any, **kwargs: Any) -> Future:
        """Return the future of a function submitted to the processes, which are started if needed."""
        self._pool = self._pool or self._start()
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenExecutor:
            self._pool = self._start()
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stop the processes, if started."""
        if self._pool is not None:
            self._pool.shutdown(wait, cancel_futures=cancel_futures)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    """Yield the executor of a Dask cluster; SettingError without Dask or if the scheduler cannot be reached."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise SettingError.of("A cluster needs Dask") from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError, TimeoutError) as error:
        raise SettingError.of(
            "scheduler must be the address of a Dask scheduler",
            address=address,
            error=type(error).__name__,
        ) from None
    with client:
        # Dask reassigns the chunks of a worker that dies; that is not a failure of the chunk
        yield client.get_executor(pure=False, retries=_TRIES)


def compute_chunk(simulation: Simulation, number: int) -> Sums:
    """Return the sums of one chunk, including its number of draws."""
    rng = np.random.default_rng(np.random.SeedSequence(simulation.seed, spawn_key=(number,)))
    n = simulation.drawn(number)
    return {DRAWS: np.array(n), **simulation.draw(rng, n)}


def _is_whole(simulation: Simulation, store: Kept, number: int) -> bool:
    return number in store and int(store[number][DRAWS]) == simulation.drawn(number)


def _computed(
    simulation: Simulation, missing: list[int], executor: Executor | None
) -> Iterator[tuple[int, Sums]]:
    """Yield (number, sums) of the missing chunks, computed here without executor or before a pool is worth starting."""
    short = isinstance(executor, Processes) and not executor.started
    began = perf_counter()
    position = 0
    while position < len(missing) and (executor is None or short):
        yield missing[position], compute_chunk(simulation, missing[position])
        position += 1
        done = sum(map(simulation.drawn, missing[:position]))
        remaining = sum(map(simulation.drawn, missing[position:]))
        short = short and (perf_counter() - began) / done * remaining < _SOON
    if executor is not None:
        yield from _elsewhere(simulation, missing[position:], executor)


def _elsewhere(
    simulation: Simulation, missing: list[int], executor: Executor
) -> Iterator[tuple[int, Sums]]:
    """Yield chunks completed by the executor; FoldwiseError if one is lost with its worker repeatedly."""
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
    raise FoldwiseError.of("A worker process ended before its part was done", tries=_TRIES)


def _written(value: Any) -> str:
    """Return a string representation that is equal only for equal field values."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{sha256(value.tobytes()).hexdigest()}"
    return f"({','.join(map(_written, value))})" if isinstance(value, tuple) else repr(value)
