"""CPU time of imports and of computations that grow with the table."""

import os
import subprocess
from collections.abc import Iterator
from math import nan

import numpy as np
import pandas as pd

from benchmarks.benchmark_row import Row, cpu, started
from foldwise.figures.roc import roc
from foldwise.figures.theme import screen
from foldwise.web.displayed_table import displayed_table
from stats_core import Results, Settings, analyse, to_text, tukey, verdict
from stats_core.core.formatting import format_number
from stats_core.curves.threshold_sweep import sweep
from stats_core.inference.pairwise import pairwise
from stats_core.inference.ranks import friedman
from stats_core.report.tables.table import ResultTable
from stats_core.robustness.similar_datasets import similar_sets
from stats_core.robustness.stability import stability

HELP = (
    "import runpy, sys; sys.argv[1:] = ['--help']\n"
    "try: runpy.run_module('foldwise', run_name='__main__')\nexcept SystemExit: pass"
)
# the same table, test and report by autorank, in the Python that AUTORANK names
PEER = """
import contextlib, io, time, warnings
import pandas as pd
from autorank import autorank, create_report
warnings.simplefilter("ignore")
table = pd.read_json(io.StringIO({table!r}))
def once():
    start = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        create_report(autorank(table, alpha=0.05, verbose=False, order="ascending"))
    return time.process_time() - start
once()
print(min(once() for _ in range(5)))
"""


def table(n: int, k: int) -> pd.DataFrame:
    """Return a table of simulated errors, data set x algorithm."""
    values = np.exp(np.random.default_rng(1).normal(size=(n, k)) + np.linspace(0, 1, k))
    return pd.DataFrame(values, [f"set {i}" for i in range(n)], [f"a{j}" for j in range(k)])


def results(n: int, k: int) -> Results:
    """Return a simulated table as results."""
    long = table(n, k).rename_axis("dataset").reset_index()
    return Results.from_frame(long.melt("dataset", var_name="algorithm", value_name="error"))


def start_rows() -> Iterator[Row]:
    """Yield the times of imports and of the help text."""
    scipy = started("import scipy.stats")
    for code in ("import stats_core", "from stats_core import *"):
        yield Row(code, started(code), 1.2, scipy, "import scipy.stats", of_peer=True)
    yield Row("foldwise --help", started(HELP), 0.3)


def rows() -> Iterator[Row]:
    """Yield the times of computations that grow with the table."""
    large_analysis = analyse(results(121, 179))
    yield Row(
        "Wilcoxon of all pairs, 60 x 200", cpu(lambda: pairwise(table(60, 200), "wilcoxon")), 3
    )
    tied = table(60, 200).round(1)
    yield Row("Wilcoxon with ties, 60 x 200", cpu(lambda: pairwise(tied, "wilcoxon")), 5)
    yield Row("Tukey, 30 x 112", cpu(lambda: tukey(table(30, 112), blocked=True)), 1)
    yield Row("verdict with intervals, 121 x 179", cpu(lambda: verdict(large_analysis)), 5)
    for source in ("wilcoxon", "ranks"):
        comparison = analyse(results(1000, 8), Settings(source=source))
        yield Row(
            f"stability by {source}, 1000 x 8",
            cpu(lambda comparison_bound=comparison: stability(comparison_bound)),
            10,
        )
    ranks = friedman(table(179, 121), higher_is_better=False).ranks
    yield Row("similar data sets, 179 x 121", cpu(lambda: similar_sets(ranks)), 1)
    yield _pairs_written()
    yield _swept()
    yield _curves_drawn()


def _pairs_written() -> Row:
    """Return the time of formatting a table of all pairs of 179 algorithms."""
    numbers = pd.DataFrame({name: [0.5] * 15_931 for name in "pzdr"})
    pairs = ResultTable(
        name="x", title="X", frame=numbers, formats=dict.fromkeys(numbers, format_number)
    )
    return Row("write 15,931 pairs on a page", cpu(lambda: displayed_table(pairs)), 1)


def _swept() -> Row:
    """Return the time of a threshold sweep of eight algorithms at 21 thresholds on ten folds."""
    fn, fp = np.random.default_rng(1).integers(5, 20, (2, 21, 8, 10))
    counts = np.stack([100 - fn, fp, 100 - fp, fn], axis=-1)
    return Row("sweep of 8 algorithms", cpu(lambda: sweep(counts, list("abcdefgh"))), 1.5)


def _curves_drawn() -> Row:
    """Return the time of a figure of five algorithms with thirty curves of 400 points each."""
    x = np.linspace(0, 1, 400)
    folds = {
        str(i): pd.DataFrame({"x": x, "y": x ** (0.2 + i / 100), "threshold": 1 - x})
        for i in range(30)
    }
    mean = pd.DataFrame({"x": x, "y": x**0.3, "low": x**0.3 - 0.02, "high": x**0.3 + 0.02})
    paths, averages = dict.fromkeys("abcde", folds), dict.fromkeys("abcde", mean)
    style = screen(dark=False)
    took = cpu(lambda: roc(paths, averages, kind="roc", style=style, lit=list("abcde")), 3)
    return Row("draw 5 x 30 curves of 400 points", took, 0.3)


def autorank_row() -> Row:
    """Return the time of a whole analysis with text, compared with autorank if available."""
    python, peer = os.environ.get("AUTORANK", ""), nan
    if python:
        code = PEER.format(table=table(50, 10).reset_index(drop=True).to_json())
        completed = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
        peer = float(completed.stdout)
    read = results(50, 10)
    took = cpu(lambda: to_text(analyse(read.select())), 5)
    return Row("analyse with report, 50 x 10", took, 1, peer, "autorank", of_peer=True)
