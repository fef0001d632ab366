"""Speed and memory of computations, compared with other programs, lower bounds or fixed limits.

Each function that yields rows says what it is compared with. autorank is a peer if AUTORANK names a
Python interpreter that has it, and Dask if SCHEDULER is set.

Reference: Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, Fig. 4 and 5.
"""

import io
import os
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.metrics import auc, average_precision_score, roc_curve

from benchmarks.app_speed import items, many_rows
from benchmarks.benchmark_row import Row, cpu, in_new_process, results_of, seconds, started
from foldwise.figures.registry import drawings
from foldwise.figures.roc import RocCurves
from foldwise.figures.spec import FigureSpec
from foldwise.figures.theme import screen
from foldwise.rendering.figure_files import StylePanel, bundle
from foldwise.web.components import displayed_table
from stats_core import Results, Settings, analyse, to_text, tukey, verdict
from stats_core.core.formatting import format_number
from stats_core.curves.threshold_sweep import sweep
from stats_core.data.predictions import fold_areas
from stats_core.inference.multiplicity.bergmann_hommel import bergmann_hommel
from stats_core.inference.paired import hodges_lehmann_interval
from stats_core.inference.pairwise import pairwise
from stats_core.inference.ranks import friedman, post_hoc_z
from stats_core.io.read import read_results
from stats_core.ordering.order import order_of
from stats_core.power.order_simulation import (
    rates_of_four,
    rates_of_three,
    simulate_multi2test,
    simulate_multitest,
)
from stats_core.power.simulated_power import power_of
from stats_core.power.simulation import choose_workers, run_simulation
from stats_core.report.tables.table import ResultTable
from stats_core.robustness.leave_one_out import stability
from stats_core.robustness.similar_datasets import similar_sets

SAMPLES = Path(__file__).parents[1] / "sample_results"
PANEL = StylePanel()

_HELP = (
    "import runpy, sys; sys.argv[1:] = ['--help']\n"
    "try: runpy.run_module('foldwise', run_name='__main__')\nexcept SystemExit: pass"
)
# the same table, test and report by autorank, in the Python that AUTORANK names
_AUTORANK = """
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


def _table(n: int, k: int) -> pd.DataFrame:
    """Return a table of simulated errors, data set x algorithm."""
    values = np.exp(np.random.default_rng(1).normal(size=(n, k)) + np.linspace(0, 1, k))
    return pd.DataFrame(values, [f"set {i}" for i in range(n)], [f"a{j}" for j in range(k)])


def _results(n: int, k: int) -> Results:
    """Return a simulated table as results."""
    return results_of(_table(n, k))


# name -> the package it needs, and code that imports it as `read`
_READERS = {
    "read_results": ("stats_core", "from stats_core.io.read import read_results as read"),
    "pandas": ("pandas", "from pandas import read_csv as read"),
    "pandas, pyarrow engine": (
        "pyarrow",
        "import pandas as pd; read = lambda path: pd.read_csv(path, engine='pyarrow')",
    ),
    "pyarrow.csv": ("pyarrow", "from pyarrow.csv import read_csv as read"),
    "polars": ("polars", "from polars import read_csv as read"),
}


_ANALYSE = """
from stats_core import analyse, read_results, to_text
def run(path): to_text(analyse(read_results(path)))
"""


def reading(runs: int = 3) -> Iterator[Row]:
    """Yield time and memory of reading 5 million predictions, compared with plain readers, which only parse.

    `read_results` also checks, pairs and computes the areas of every fold. Each run is in a fresh
    process; readers take turns, so that other load on the machine affects all of them.
    """
    rng, shape = np.random.default_rng(1), (5, 20, 10_000)  # data set, fold, instance
    labels = rng.random(shape) < 0.3
    readers = {name: code for name, (package, code) in _READERS.items() if find_spec(package)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.csv"
        with path.open("w", encoding="ascii") as file:
            file.write("dataset,algorithm,fold,label,score\n")
            for i, j, k in np.ndindex(5, 5, 20):
                scores = rng.beta(2 + labels[i, k], 3 - labels[i, k])
                keys = f"dataset {i + 1},algorithm {j + 1},{k + 1}"
                pairs = zip(labels[i, k], scores, strict=True)
                file.writelines(f"{keys},{label:d},{score:.10f}\n" for label, score in pairs)
        size = path.stat().st_size
        measured = {name: [] for name in readers}
        for name, code in [*readers.items()] * runs:
            measured[name].append(
                in_new_process(f"{code}\ndef run(path): read(path)", str(path))[:3]
            )
    best = {name: min(times) for name, times in measured.items()}
    ours = best.pop("read_results")
    for name in _READERS.keys() - {"read_results"} - best.keys():
        yield Row(
            "read 5 M predictions", ours[0], 2, peer_name=f"{name}, not installed", of_peer=True
        )
    for name, (wall, in_cpu, memory) in best.items():
        yield Row(
            "read 5 M predictions",
            ours[0],
            2 if name == "polars" else 1.5,
            wall,
            name,
            of_peer=True,
        )
        yield Row("the same, processor time", ours[1], 1.5, in_cpu, name, of_peer=True)
        yield Row("memory of reading, file sizes", ours[2] / size, 2.5, memory / size, name, "")


def large_files() -> Iterator[Row]:
    """Yield CPU seconds of reading and of a report of large files, and the memory of analysing 10^5 folds."""
    with tempfile.TemporaryDirectory() as folder:
        path, output = str(Path(folder) / "folds.csv"), str(Path(folder) / "report")
        Path(path).write_bytes(many_rows("fold", 200_000, 20))
        took = in_new_process(f"{_READERS['read_results'][1]}\ndef run(path): read(path)", path)
        yield Row("read 4 M rows of fold scores", took[1], 10)
        Path(path).write_bytes(many_rows("fold", 100_000, 2))
        took = in_new_process(_ANALYSE, path)
        yield Row("analyse 10^5 folds x 2", took[1], 10)
        yield Row("the same, additional memory", took[2] / 1e6, 500, unit="MB")
        Path(path).write_bytes(items(2))
        report = f"from foldwise.cli.main import main; main(['report', {path!r}, '-o', {output!r}])"
        yield Row("report of 10^6 instances, 2 models", started(report, times=1), 30)


def start() -> Iterator[Row]:
    """Yield the times of imports, of the help text and of a whole analysis."""
    scipy = started("import scipy.stats")
    for code in ("import stats_core", "from stats_core import *"):
        yield Row(code, started(code), 1.2, scipy, "import scipy.stats", of_peer=True)
    yield Row("foldwise --help", started(_HELP), 0.3)
    yield _autorank_row()


def growing_tables() -> Iterator[Row]:
    """Yield the times of computations that grow with the table."""
    large_analysis = analyse(_results(121, 179))
    yield Row(
        "Wilcoxon of all pairs, 60 x 200", cpu(lambda: pairwise(_table(60, 200), "wilcoxon")), 3
    )
    x, y = np.random.default_rng(1).normal(size=(2, 100_000))
    yield Row(
        "Wilcoxon with interval, 100,000 pairs", cpu(lambda: hodges_lehmann_interval(x, y)), 3
    )
    many = (_table(20_000, 2) / 1000).rename_axis("dataset").to_csv().encode()
    yield Row("read averages, 20,000 x 2", cpu(lambda: read_results(("error.csv", many))), 5)
    tied = _table(60, 200).round(1)
    yield Row("Wilcoxon with ties, 60 x 200", cpu(lambda: pairwise(tied, "wilcoxon")), 5)
    yield Row("Tukey, 30 x 112", cpu(lambda: tukey(_table(30, 112), blocked=True)), 1)
    yield Row("verdict with intervals, 121 x 179", cpu(lambda: verdict(large_analysis)), 5)
    for source in ("wilcoxon", "ranks"):
        comparison = analyse(_results(1000, 8), Settings(source=source))
        yield Row(f"stability by {source}, 1000 x 8", cpu(partial(stability, comparison)), 10)
    ranks = friedman(_table(179, 121), higher_is_better=False).ranks
    yield Row("similar data sets, 179 x 121", cpu(lambda: similar_sets(ranks)), 1)
    numbers = pd.DataFrame({name: [0.5] * 15_931 for name in "pzdr"})
    pairs = ResultTable(
        name="x", title="X", frame=numbers, formats=dict.fromkeys(numbers, format_number)
    )
    yield Row("write 15,931 pairs on a page", cpu(lambda: displayed_table(pairs)), 1)
    fn, fp = np.random.default_rng(1).integers(5, 20, (2, 21, 8, 10))  # 21 thresholds, 10 folds
    counts = np.stack([100 - fn, fp, 100 - fp, fn], axis=-1)
    yield Row("sweep of 8 algorithms", cpu(lambda: sweep(counts, list("abcdefgh"))), 1.5)
    yield _curves_drawn()


def _curves_drawn() -> Row:
    """Return the time of drawing 5 algorithms with 30 curves of 400 points each."""
    x = np.linspace(0, 1, 400)
    folds = {
        str(i): pd.DataFrame({"x": x, "y": x ** (0.2 + i / 100), "threshold": 1 - x})
        for i in range(30)
    }
    mean = pd.DataFrame({"x": x, "y": x**0.3, "low": x**0.3 - 0.02, "high": x**0.3 + 0.02})
    paths, averages = dict.fromkeys("abcde", folds), dict.fromkeys("abcde", mean)
    style = screen(dark=False)
    took = cpu(
        lambda: RocCurves(folds=paths, averages=averages, kind="roc", lit=list("abcde")).draw(
            style
        ),
        3,
    )
    return Row("draw 5 x 30 curves of 400 points", took, 0.3)


def _autorank_row() -> Row:
    """Return the time of a whole analysis with text, compared with autorank if available."""
    python, peer = os.environ.get("AUTORANK", ""), nan
    if python:
        code = _AUTORANK.format(table=_table(50, 10).reset_index(drop=True).to_json())
        completed = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
        peer = float(completed.stdout)
    read = _results(50, 10)
    took = cpu(lambda: to_text(analyse(read.select())), 5)
    return Row("analyse with report, 50 x 10", took, 1, peer, "autorank", of_peer=True)


_GROUPS, _CASES = 100, 10_000


def curve_areas() -> Iterator[Row]:
    """Yield the times of both areas of all test sets, compared with a loop over scikit-learn."""
    rng = np.random.default_rng(1)
    positive = rng.random(_GROUPS * _CASES) < 0.3
    # distinct scores, or rounded ones, as many programs write them
    fine, group = rng.beta(2 + positive, 3 - positive), np.repeat(np.arange(_GROUPS), _CASES)
    labels = positive.reshape(_GROUPS, _CASES)
    for label, score in (("distinct scores", fine), ("scores of 3 digits", fine.round(3))):
        pairs = list(zip(labels, score.reshape(_GROUPS, _CASES), strict=True))
        took = seconds(lambda score=score: fold_areas(group, positive, score))
        peer = seconds(lambda pairs=pairs: [_areas_by_sklearn(*pair) for pair in pairs], 1)
        label = f"ROC and PR areas, 1 M {label}"
        yield Row(label, took, 1, peer, "scikit-learn", of_peer=True)


def _areas_by_sklearn(labels: np.ndarray, scores: np.ndarray) -> tuple[float, float]:
    """Return ROC AUC and average precision of one test set by scikit-learn."""
    fpr, tpr, _ = roc_curve(labels, scores)
    return auc(fpr, tpr), average_precision_score(labels, scores)


def figures_of(file: str, settings: Settings) -> list[FigureSpec]:
    """Return the figures of one analysis of a sample."""
    results = read_results(SAMPLES / file)
    analysis = analyse(results, settings)
    order = order_of(analysis.results, analysis.settings) if results.costs else None
    return drawings(analysis, order=order, results=results)


def _plain_figures(count: int) -> None:
    """Save a figure of a single line by matplotlib, repeatedly."""
    for _ in range(count):
        figure = Figure(figsize=(3.5, 2))
        figure.subplots().plot([0, 1], [0, 1])
        figure.savefig(io.BytesIO(), format="pdf")


def export() -> Iterator[Row]:
    """Yield the time of one zip of twenty figures in each format."""
    specs = [
        *figures_of("uci38_5x2.csv", Settings()),
        *figures_of("twoclass_scores.csv.gz", Settings(dataset="acceptors", measure="auc")),
        *figures_of("twoclass_counts.csv", Settings(dataset="donors", measures=("fpr", "tpr"))),
    ][:20]
    _plain_figures(1)
    limit = seconds(lambda: _plain_figures(len(specs)), 1)
    for fmt in ("pdf", "svg", "png", "tikz"):
        took = seconds(lambda fmt=fmt: bundle(specs, PANEL, [fmt]), 1)
        yield Row(f"{len(specs)} figures as {fmt}", took, 3, limit, "a line by matplotlib")


def _random_pvalues(rng: np.random.Generator, k: int) -> pd.DataFrame:
    """Return p-values that do not derive from ranks, about half of them small."""
    table = np.ones((k, k))
    table[np.triu_indices(k, 1)] = rng.beta(0.3, 0.6, size=k * (k - 1) // 2)
    return pd.DataFrame(np.minimum(table, table.T))


def bergmann_hommel_rows() -> Iterator[Row]:
    """Yield the times of Bergmann-Hommel. Each is measured once, since results are cached."""
    rng = np.random.default_rng(1)
    for k, most in ((9, 1), (14, 5)):
        took = seconds(partial(bergmann_hommel, _random_pvalues(rng, k)), 1)
        yield Row(f"Bergmann-Hommel, {k} algorithms", took, most)
    for k in (30, 50, 100):
        ranks = pd.Series(rng.uniform(1, k, size=k))
        took = seconds(
            partial(bergmann_hommel, post_hoc_z(ranks, 100).pvalues, average_ranks=ranks), 1
        )
        yield Row(f"Bergmann-Hommel on ranks, {k} algorithms", took, 2 if k <= 50 else 30)
    scores = rng.normal(size=(100, 30)) + rng.normal(scale=0.5, size=30)
    raw = pairwise(pd.DataFrame(scores), "wilcoxon").pvalues
    yield Row(
        "Bergmann-Hommel on Wilcoxon, 30 algorithms", seconds(partial(bergmann_hommel, raw), 1), 30
    )


_SETS = 30  # data sets of simulated orders


def _draw_binomials(rates: pd.DataFrame, sets: int, n_cases: int, runs: int) -> None:
    """Draw the numbers of errors of all simulated runs, as a lower bound on the time of a simulation."""
    rng = np.random.default_rng(1)
    for row in rates.to_numpy():
        shifted = row + rng.uniform(-0.05, 0.05, size=(runs, sets, 1)) * (sets > 1)
        rng.binomial(n_cases, shifted[..., None], size=(*shifted.shape, 10))


def simulated_orders(runs: int = 1000) -> Iterator[Row]:
    """Yield the times of both published simulations, compared with drawing alone."""
    three, four = rates_of_three(), rates_of_four()
    for label, simulation, drawing in (
        ("3 algorithms", partial(simulate_multitest, three), (three, 1, 100)),
        (
            "4 algorithms, 30 data sets",
            partial(simulate_multi2test, four, n_datasets=_SETS),
            (four, _SETS, 50),
        ),
    ):
        took, least = (
            seconds(partial(simulation, runs=runs)),
            seconds(partial(_draw_binomials, *drawing, runs)),
        )
        yield Row(f"orders of {label}", took, 20, least, "drawing alone", of_peer=True)


def simulation_workers(draws: int = 100_000) -> Iterator[Row]:
    """Yield the times of a power simulation in two processes and, if SCHEDULER is set, on Dask; exit if numbers differ.

    They are compared with one process. The power of six procedures among all pairs of 8 algorithms
    is simulated at 21 biases.
    """
    procedures = [f"{name} on z" for name in ("holm", "shaffer", "bergmann-hommel")]
    procedures += ["nemenyi", "holm on wilcoxon", "bergmann-hommel on wilcoxon"]
    results, settings = read_results(SAMPLES / "uci38_5x2.csv"), Settings(measure="error")
    work = power_of.simulation(
        results,
        settings,
        draws=draws,
        pair=("SVM (RBF)", "Multivariate tree"),
        procedures=tuple(procedures),
    )
    outcomes = []

    def simulate(executor: object = None) -> None:
        outcomes.append(run_simulation(work, executor=executor).frame)

    here = seconds(simulate, 1)
    kinds = {"2 processes": choose_workers(2)}
    if scheduler := os.environ.get("SCHEDULER", ""):
        kinds["Dask"] = choose_workers(scheduler=scheduler)
    for name, kind in kinds.items():
        with kind as executor:
            for label in (f"{name}, started", name):
                took = seconds(partial(simulate, executor), 1)
                yield Row(f"{draws:,} draws, {label}", took, 1, here, "one process", of_peer=True)
        if not outcomes[-1].equals(outcomes[0]):
            raise SystemExit(f"{name}: the numbers are not those of one process")
