"""One row of the table of benchmarks: what, how much, beside what, and whether that is enough."""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import isnan, nan


@dataclass(frozen=True)
class Row:
    """What was measured.

    Attributes
    ----------
    what : str
    value : float
        In `unit`.
    peer : float
        What another program or the least possible takes, in the same unit; NaN where none is here.
    beside : str
        What the peer is.
    target : float
        The most that is allowed of `value`, or with `of_peer` of its ratio to the peer.
    unit : str
    of_peer : bool
    """

    what: str
    value: float
    target: float
    peer: float = nan
    beside: str = ""
    unit: str = "s"
    of_peer: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where the peer it is about is missing."""
        measured = self.value / self.peer if self.of_peer else self.value
        return None if isnan(measured) else measured <= self.target

    def __str__(self) -> str:
        """Write it as a line of the table."""
        peer = "" if isnan(self.peer) else f"{self.peer:.3g}"
        ratio = "" if isnan(self.peer) else f"{self.value / self.peer:.2f}"
        target = f"{self.target:g} {'x' if self.of_peer else self.unit}"
        met = {True: "met", False: "MISSED", None: "no peer"}[self.met]
        measured = f"{self.value:.3g} {self.unit}"
        return (
            f"{self.what:50}{measured:>10}  {self.beside:24}{peer:>8}{ratio:>7}{target:>10}  {met}"
        )


def cpu(work: Callable[[], object], times: int = 1) -> float:
    """Return the least seconds of CPU that something takes here, of some times."""

    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(times))


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the least seconds that something takes, of some times."""

    def once() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return min(once() for _ in range(times))


def started(code: str, python: str = sys.executable, times: int = 3) -> float:
    """Return the least seconds of CPU of a new Python that runs some code."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([python, "-c", code], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(times))
