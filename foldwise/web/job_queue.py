"""Long work in processes of its own, with limits of memory and time, in the order it came.

A job that is cancelled or passes its limits ends alone, with its process. `multiprocessing` would run
the main module again, which in a server is a page; so the processes are our own. `FOLDWISE_WORK="seconds=60 megabytes=2000 at_once=2"` sets the limits.
"""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from time import monotonic
from typing import Any

from foldwise.web.job_worker import DONE
from stats_core.core.errors import FoldwiseError, SettingError

VARIABLE = "FOLDWISE_WORK"
CANCELLED = "This was cancelled before it was done."
_TRIES = 20  # to write a call that others add to meanwhile
LONG = 5.0  # seconds from which on a job leaves a place to others


class JobCancelled(FoldwiseError):
    """A job ended without an answer: cancelled, too long, or too large."""


@dataclass(frozen=True, kw_only=True)
class JobLimits:
    """What one job may take, and how many run at once; long ones leave one place to others."""

    seconds: int = 300
    megabytes: int = 4_000
    at_once: int = max(2, (os.cpu_count() or 2) - 1)


def limits() -> JobLimits:
    """Return the limits in force: those of the environment, where it names any."""
    known = {field.name for field in fields(JobLimits)}
    asked: dict[str, int] = {}
    for part in os.environ.get(VARIABLE, "").split():
        name, _, value = part.partition("=")
        if name not in known or not value.isdigit() or int(value) < 1:
            raise SettingError(
                f'{VARIABLE} must hold limits such as seconds=60, each at least 1. It holds "{part}". '
                f"There are {', '.join(sorted(known))}."
            )
        asked[name] = int(value)
    return JobLimits(**asked)


class Worker:
    """A process that has loaded the library and answers one call after the other."""

    def __init__(self, megabytes: int) -> None:
        command = [sys.executable, "-m", "foldwise.web.job_worker", str(megabytes)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def make(self, call: Callable, tell: Callable) -> tuple[bool, Any, float]:
        """Make a call and tell how far it is; blocks."""
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answers is not None
        asked.write(_pickled(call))
        asked.flush()
        while True:
            kind, *said = pickle.load(answers)  # from our own process
            if kind == DONE:
                outcome, seconds = said
                return *pickle.loads(outcome), seconds
            tell(*said)

    def kill(self) -> None:
        """End it now."""
        self._process.kill()
        self._process.wait()
        for end in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was not sent yet need not be
                end.close()  # type: ignore[union-attr]


class Job:
    """One call in a process of its own; `Desk.submit` makes it.

    Attributes
    ----------
    long : bool
        Whether it is expected to take so long that others must not wait for it.
    so_far : tuple of (int, int) or None
        How much is done, of how much; None where the call does not tell.
    seconds : float
        Of the processor that it took, 0 until it is done.
    done : Event
        Set at its end.
    """

    def __init__(self, call: Callable, held: JobLimits, *, long: bool) -> None:
        self._call, self._limits, self.long = call, held, long
        self.so_far: tuple[int, int] | None = None
        self.seconds = 0.0
        self._worker: Worker | None = None
        self._outcome: tuple[bool, Any] | None = None
        self.done = threading.Event()
        self._lock = threading.Lock()

    def work(self, worker: Worker) -> bool:
        """Let a worker answer within the limits; return whether it can go on; blocks."""
        with self._lock:
            if self.done.is_set():
                return True
            self._worker = worker
        late = threading.Timer(self._limits.seconds, self._stop, [_too_long(self._limits.seconds)])
        late.start()
        try:
            answered, value, self.seconds = worker.make(self._call, self._tell)
            return self._end((answered, value))
        except (EOFError, OSError, pickle.UnpicklingError):  # killed: late, cancelled, or too large
            self._end((False, _too_large(self._limits.megabytes)))
            return False
        finally:
            late.cancel()

    def _stop(self, why: JobCancelled) -> None:
        """End it with its process; one that is done already has left that to others."""
        with self._lock:
            if not self.done.is_set():
                self._outcome = False, why
                self.done.set()
                if self._worker is not None:
                    self._worker.kill()

    def cancel(self) -> None:
        """End it now, or never let it begin."""
        self._stop(JobCancelled(CANCELLED))

    def result(self) -> Any:
        """Return what came out, or raise what was raised; only once it is done."""
        assert self._outcome is not None
        answered, value = self._outcome
        if answered:
            return value
        raise value

    def _tell(self, done: int, total: int) -> None:
        self.so_far = done, total

    def _end(self, outcome: tuple[bool, Any]) -> bool:
        """Take an outcome unless it was stopped before; tell whether it counts."""
        with self._lock:
            counts = not self.done.is_set()
            if counts:
                self._outcome = outcome
                self.done.set()
            return counts


class JobQueue:
    """Takes jobs and runs as many at once as the machine has cores to spare."""

    def __init__(self, held: JobLimits | None = None) -> None:
        self._limits = held
        self._queue: list[Job] = []
        self._idle: list[tuple[Worker, float]] = []  # and since when
        self._running: list[Job] = []
        self._lock = threading.Lock()

    def submit(self, call: Callable[[], Any], cost: float = 0.0) -> Job:
        """Take a job, which goes to another process, so it must be picklable; `cost` in seconds."""
        job = Job(call, self._limits or limits(), long=cost > LONG)
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
            begun = [job for job in list(self._queue) if self._begins(job)]
        for job in begun:
            threading.Thread(target=self._run, args=(job,), daemon=True).start()

    def _begins(self, job: Job) -> bool:
        """Take a job out of the queue if there is a place for it; the last one is for short ones."""
        most = (self._limits or limits()).at_once
        long = sum(other.long for other in self._running)
        if len(self._running) >= most or (job.long and long >= max(1, most - 1)):
            return False
        self._queue.remove(job)
        self._running.append(job)
        return True

    def _run(self, job: Job) -> None:
        worker = None
        try:
            with self._lock:
                worker = self._idle.pop()[0] if self._idle else None
            worker = worker or Worker((self._limits or limits()).megabytes)
            if not job.work(worker):
                worker.kill()
                worker = None
        except Exception as error:  # the page that waits says it
            job._end((False, error))
            if worker is not None:  # perhaps ended while it was asked
                worker.kill()
                worker = None
        finally:
            with self._lock:
                self._running.remove(job)
                if worker is not None:
                    self._idle.append((worker, monotonic()))
            self._next()

    def close(self, rested: float = 0.0) -> None:
        """End the processes that have waited for work for so many seconds."""
        with self._lock:
            since = monotonic() - rested
            ended = [worker for worker, at in self._idle if at <= since]
            self._idle = [one for one in self._idle if one[1] > since]
        for worker in ended:
            worker.kill()


def _pickled(call: Callable) -> bytes:
    """Return a call as bytes.

    Other sessions may keep facts in what it is about at the same time: then it is written again.
    """
    for _ in range(_TRIES):
        with suppress(RuntimeError):  # a dictionary changed its size meanwhile
            return pickle.dumps(call, protocol=5)
    return pickle.dumps(call, protocol=5)


def _too_long(seconds: int) -> JobCancelled:
    return JobCancelled(
        f"An answer needs to come within {seconds} seconds here. This took longer. Try fewer "
        "results, or run it on your own machine."
    )


def _too_large(megabytes: int) -> JobCancelled:
    return JobCancelled(
        f"An answer needs to fit into {megabytes:,} MB of memory here. This did not. Try fewer "
        "results, or run it on your own machine."
    )
