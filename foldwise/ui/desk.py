"""Long work in processes of its own, with limits of memory and time, in the order it came.

One process per job, forked from one that has loaded the library: so a job that is cancelled or
passes its limits ends alone. `FOLDWISE_WORK="seconds=60 megabytes=2000 at_once=2"` sets the limits.
"""

import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from multiprocessing.connection import Connection
from typing import Any

from stats_core.core.errors import FoldwiseError, SettingError
from stats_core.core.wall import wall

VARIABLE = "FOLDWISE_WORK"
_PRELOADED = ["stats_core.reading.reading", "stats_core.comparison.analyse"]


class Stopped(FoldwiseError):
    """A job ended without an answer: cancelled, too long, or too large."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one job may take, and how many run at once."""

    seconds: int = 120
    megabytes: int = 4_000
    at_once: int = max(1, (os.cpu_count() or 2) - 1)


def limits() -> Limits:
    """Return the limits in force: those of the environment, where it names any."""
    known = {field.name for field in fields(Limits)}
    asked: dict[str, int] = {}
    for part in os.environ.get(VARIABLE, "").split():
        name, _, value = part.partition("=")
        if name not in known or not value.isdigit() or int(value) < 1:
            raise SettingError(
                f'{VARIABLE} must hold limits such as seconds=60, each at least 1. It holds "{part}". '
                f"There are {', '.join(sorted(known))}."
            )
        asked[name] = int(value)
    return Limits(**asked)


class Job:
    """One call in a process of its own; `Desk.submit` makes it."""

    def __init__(self, call: tuple[Callable, tuple], held: Limits) -> None:
        self._call, self._limits = call, held
        self._process: Any = None
        self._ends: Connection | None = None
        self._outcome: tuple[bool, Any] | None = None
        self.started = 0.0
        self.done = threading.Event()

    def start(self) -> None:
        """Begin, in a process that has the library loaded."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_PRELOADED)
        self._ends, theirs = context.Pipe(duplex=False)
        given = (theirs, self._limits.megabytes, *self._call)
        self._process = context.Process(target=_work, args=given, daemon=True)
        self._process.start()
        theirs.close()
        self.started = time.monotonic()

    def finish(self) -> None:
        """Wait for the answer, as long as the limit allows; blocks."""
        assert self._ends is not None
        try:
            if self._ends.poll(self._limits.seconds):
                self._end(self._ends.recv())
            else:
                self._end((False, _too_long(self._limits.seconds)))
        except (EOFError, OSError):  # killed, by the system if memory was short
            self._end((False, _too_large(self._limits.megabytes)))
        finally:
            self._process.kill()
            self._process.join()

    def cancel(self) -> None:
        """End it now, or never let it begin."""
        self._end((False, Stopped("This was cancelled before it was done. Ask for it again.")))
        if self._process is not None:
            self._process.kill()

    def result(self) -> Any:
        """Return what came out, or raise what was raised; only once it is done."""
        assert self._outcome is not None
        answered, value = self._outcome
        if answered:
            return value
        raise value

    def _end(self, outcome: tuple[bool, Any]) -> None:
        if self._outcome is None:  # the first one counts
            self._outcome = outcome
            self.done.set()


class Desk:
    """Takes jobs and runs as many at once as the machine has cores to spare."""

    def __init__(self, held: Limits | None = None) -> None:
        self._limits = held
        self._queue: list[Job] = []
        self._running = 0
        self._lock = threading.Lock()

    def submit(self, function: Callable, *arguments: Any) -> Job:
        """Take a job; function and arguments go to another process, so both must be picklable."""
        job = Job((function, arguments), self._limits or limits())
        with self._lock:
            self._queue.append(job)
        self._next()
        return job

    def place(self, job: Job) -> int:
        """Return how many jobs stand before this one, 0 once it runs."""
        with self._lock:
            return self._queue.index(job) + 1 if job in self._queue else 0

    def _next(self) -> None:
        with self._lock:
            self._queue = [job for job in self._queue if not job.done.is_set()]
            free = (self._limits or limits()).at_once - self._running
            begun, self._queue = self._queue[:free], self._queue[max(free, 0) :]
            self._running += len(begun)
        for job in begun:
            threading.Thread(target=self._run, args=(job,), daemon=True).start()

    def _run(self, job: Job) -> None:
        try:
            job.start()
            if job.done.is_set():  # cancelled meanwhile
                job.cancel()
            job.finish()
        except Exception as error:  # the page that waits says it
            job._end((False, error))
        finally:
            with self._lock:
                self._running -= 1
            self._next()


def _work(ends: Connection, megabytes: int, function: Callable, arguments: tuple) -> None:
    """Call in a process of its own, with a limit of memory, and send what came out."""
    _limit_memory(megabytes)
    try:
        with wall("This"):
            outcome = (True, function(*arguments))
    except Exception as error:
        error.__cause__ = None  # the log of this process holds it
        outcome = (False, error)
    try:
        ends.send(outcome)
    except MemoryError:
        ends.send((False, _too_large(megabytes)))


def _limit_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes * 1_000_000,) * 2)


def _too_long(seconds: int) -> Stopped:
    return Stopped(
        f"An answer needs to come within {seconds} seconds here. This took longer. Try fewer "
        "results, or run it on your own machine."
    )


def _too_large(megabytes: int) -> Stopped:
    return Stopped(
        f"An answer needs to fit into {megabytes:,} MB of memory here. This did not. Try fewer "
        "results, or run it on your own machine."
    )
