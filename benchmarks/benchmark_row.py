"""Rows and tables of benchmarks, and functions that measure time."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import inf, isnan, nan, sqrt
from pathlib import Path
from typing import Any

import pandas as pd

from stats_core.data.results import Results


@dataclass(frozen=True)
class Row:
    """A measurement with its target and an optional peer.

    Attributes
    ----------
    what : str
        Name of the measurement.
    value : float
        In `unit`.
    peer : float
        The value of another program or a lower bound, in the same unit; NaN if unavailable.
    peer_name : str
        Name of the peer.
    target : float
        Upper limit of `value`, or with `of_peer` of its ratio to the peer.
    unit : str
        Unit of value and peer, "" for a pure number.
    of_peer : bool
        Whether the target is a ratio to the peer.
    note : str
        Text at the end of the line.
    """

    what: str
    value: float
    target: float
    peer: float = nan
    peer_name: str = ""
    unit: str = "s"
    of_peer: bool = False
    note: str = ""

    @property
    def of_target(self) -> float:
        """What was measured as a multiple of the target; NaN if the peer is unavailable."""
        measured = self.value / self.peer if self.of_peer else self.value
        return measured / self.target if self.target else inf * measured if measured else 0.0

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if the peer is unavailable."""
        return None if isnan(self.of_target) else self.of_target <= 1

    def __str__(self) -> str:
        """Return the row as a line of the table."""
        peer = "" if isnan(self.peer) else f"{self.peer:.3g}"
        ratio = "" if isnan(self.peer) else f"{self.value / self.peer:.2f}"
        target = f"{self.target:g} {'x' if self.of_peer else self.unit}"
        met = {True: "met", False: "MISSED", None: "no peer"}[self.met]
        measured = f"{self.value:.3g} {self.unit}"
        return f"{self.what:50}{measured:>10}  {self.peer_name:24}{peer:>8}{ratio:>7}{target:>10}  {met} {self.note}".rstrip()


def cpu(work: Callable[[], object], times: int = 1) -> float:
    """Return the minimum CPU seconds of a call over `times` repetitions."""
    return _least(work, times, time.process_time)


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the minimum wall-clock seconds of a call over `times` repetitions."""
    return _least(work, times, time.perf_counter)


def _least(work: Callable[[], object], times: int, clock: Callable[[], float]) -> float:
    def once() -> float:
        start = clock()
        work()
        return clock() - start

    return min(once() for _ in range(times))


def started(code: str, python: str = sys.executable, times: int = 3) -> float:
    """Return the minimum CPU seconds of a new Python process that runs `code`."""

    def clock() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    command = [python, "-c", code]
    run = partial(subprocess.run, command, check=True, stdout=subprocess.DEVNULL)
    return _least(run, times, clock)


_IN_NEW_PROCESS = """
import json, resource, sys, time
def peak():
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with open("/proc/self/status") as file:  # ru_maxrss begins with the memory of the parent process
        return 1024 * int(file.read().partition("VmHWM:")[2].split()[0])
at_start, start, cpu_start = peak(), time.perf_counter(), time.process_time()
answer = run(*sys.argv[1:])
print(json.dumps([time.perf_counter() - start, time.process_time() - cpu_start, peak() - at_start, answer]))
"""


def in_new_process(
    code: str, *arguments: str, checkout: Path | None = None, most_seconds: float | None = None
) -> tuple[float, float, float, Any]:
    """Return seconds, CPU seconds and additional memory in bytes of `run`, which `code` defines, and its answer.

    The function is called in a new Python process, so neither imports by `code` nor former work
    count. `checkout` is the folder of the version of Foldwise that runs, by default this one.
    `subprocess.TimeoutExpired` is raised after `most_seconds`.
    """
    command = [sys.executable, "-c", code + _IN_NEW_PROCESS, *arguments]
    env = os.environ | ({"PYTHONPATH": str(checkout)} if checkout else {})
    output = subprocess.check_output(command, cwd=checkout, env=env, timeout=most_seconds)
    return tuple(json.loads(output.splitlines()[-1]))


def results_of(table: pd.DataFrame, measure: str = "error", direction: str = "lower") -> Results:
    """Return a table data set x algorithm as results."""
    long = (
        table.rename_axis("dataset")
        .reset_index()
        .melt("dataset", var_name="algorithm", value_name=measure)
    )
    return Results.from_frame(long, directions={measure: direction})


def markdown(heads: list[str], rows: Iterable[Iterable], n_labels: int = 1) -> str:
    """Return a table in Markdown; the first `n_labels` columns are labels."""
    alignment = [":--"] * n_labels + ["--:"] * (len(heads) - n_labels)
    lines = [heads, alignment, *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def print_rates(heads: list[str], wide: pd.DataFrame, repetitions: int, start: float) -> None:
    """Print rates at level 0.05 with their standard error and the seconds since `start`."""
    rows = (
        [*index, *("" if isnan(value) else f"{value:.3f}" for value in values)]
        for index, values in zip(wide.index, wide.to_numpy(), strict=True)
    )
    print(markdown(heads, rows, wide.index.nlevels))
    error = sqrt(0.05 * 0.95 / repetitions)
    print(
        f"{repetitions:,} repetitions at 0.05, standard error {error:.4f}, {time.perf_counter() - start:.0f} s"
    )
