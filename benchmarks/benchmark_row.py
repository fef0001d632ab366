"""Rows of the table of benchmarks, and functions that measure seconds."""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import isnan, nan


@dataclass(frozen=True)
class Row:
    """A measurement with its target and an optional peer.

    Attributes
    ----------
    what : str
    value : float
        In `unit`.
    peer : float
        The value of another program or a lower bound, in the same unit; NaN if unavailable.
    beside : str
        Name of the peer.
    target : float
        Upper limit of `value`, or with `of_peer` of its ratio to the peer.
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
        """Whether the target is met; None if the peer is unavailable."""
        measured = self.value / self.peer if self.of_peer else self.value
        return None if isnan(measured) else measured <= self.target

    def __str__(self) -> str:
        """Return the row as a line of the table."""
        peer = "" if isnan(self.peer) else f"{self.peer:.3g}"
        ratio = "" if isnan(self.peer) else f"{self.value / self.peer:.2f}"
        target = f"{self.target:g} {'x' if self.of_peer else self.unit}"
        met = {True: "met", False: "MISSED", None: "no peer"}[self.met]
        measured = f"{self.value:.3g} {self.unit}"
        return (
            f"{self.what:50}{measured:>10}  {self.beside:24}{peer:>8}{ratio:>7}{target:>10}  {met}"
        )


def cpu(work: Callable[[], object], times: int = 1) -> float:
    """Return the minimum CPU seconds of a call over several repetitions."""

    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(times))


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the minimum wall-clock seconds of a call over several repetitions."""

    def once() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return min(once() for _ in range(times))


def started(code: str, python: str = sys.executable, times: int = 3) -> float:
    """Return the minimum CPU seconds of a new Python process that runs some code."""

    def once() -> float:
        usage_before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([python, "-c", code], check=True, stdout=subprocess.DEVNULL)
        usage_after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (
            usage_after.ru_utime
            + usage_after.ru_stime
            - usage_before.ru_utime
            - usage_before.ru_stime
        )

    return min(once() for _ in range(times))
