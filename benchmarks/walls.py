"""What grows with the table, and the start: seconds of CPU beside a target or a peer.

``python -m benchmarks.walls`` prints one line for each, with the ratio to its target; what
misses it is marked.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from stats_core import Results, Settings, analyse, tukey, verdict
from stats_core.inference.pairwise import pairwise
from stats_core.looks.stability import stability


def spent(work: Callable[[], object]) -> float:
    """Return the seconds of CPU that something takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def started(code: str) -> float:
    """Return the least seconds of CPU of a new Python that runs some code, of three."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(3))


def table(n: int, k: int) -> pd.DataFrame:
    """Return simulated errors, data set x algorithm."""
    values = np.random.default_rng(1).normal(size=(n, k)) + np.linspace(0, 1, k)
    return pd.DataFrame(values, [f"set {i}" for i in range(n)], [f"a{j}" for j in range(k)])


def compared(n: int, k: int, source: str = "") -> object:
    """Return the comparison of a simulated table."""
    long = table(n, k).rename_axis("dataset").reset_index()
    rows = long.melt("dataset", var_name="algorithm", value_name="error")
    return analyse(Results.from_frame(rows), Settings(source=source))


def main() -> None:
    """Print the table."""
    many = compared(121, 179)
    by_source = {source: compared(1000, 8, source) for source in ("wilcoxon", "ranks")}
    scipy = started("import scipy.stats")
    lines = [
        ("import stats_core, to 1.2 import scipy.stats", started("import stats_core"), 1.2 * scipy),
        ("the same with all names", started("from stats_core import *"), 1.2 * scipy),
        (
            "foldwise --help",
            started(
                "import runpy, sys; sys.argv[1:] = ['--help']\n"
                "try: runpy.run_module('foldwise', run_name='__main__')\nexcept SystemExit: pass"
            ),
            0.3,
        ),
        ("Wilcoxon, 60 x 200", spent(lambda: pairwise(table(60, 200), "wilcoxon")), 3),
        (
            "Wilcoxon with ties, 60 x 200",
            spent(lambda: pairwise(table(60, 200).round(1), "wilcoxon")),
            5,
        ),
        ("Tukey, 30 x 112", spent(lambda: tukey(table(30, 112), blocked=True)), 1),
        ("verdict with intervals, 121 x 179", spent(lambda: verdict(many)), 5),
        *(
            (f"stability by {source}, 1000 x 8", spent(lambda it=it: stability(it)), 10)
            for source, it in by_source.items()
        ),
    ]
    for label, took, target in lines:
        print(f"{label:46}{took:8.2f}{target:8.2f}{took / target:7.2f}{' *' * (took > target)}")


if __name__ == "__main__":
    main()
