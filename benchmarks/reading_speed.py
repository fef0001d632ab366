"""Time and memory of reading 5 million predictions, compared with plain CSV readers.

``python -m benchmarks.reading_speed`` writes a file of about 190 MB to a temporary folder and reads
it three times by each reader, each time in a fresh process. It prints the best seconds, as a ratio
to the fastest plain reader too, and the most memory beyond the imports as a ratio to the file's
size. Plain readers only parse; `read_results` also checks, pairs and computes the areas of every
fold. Readers that are not installed are left out.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import numpy as np

ROOT = Path(__file__).parents[1]
DATASETS, ALGORITHMS, FOLDS, CASES, RUNS = 5, 5, 20, 10_000, 3
# name -> required package
READERS = {
    "read_results": "stats_core",
    "pandas, C engine": "pandas",
    "pandas, pyarrow engine": "pyarrow",
    "pyarrow.csv": "pyarrow",
    "polars": "polars",
}


def write(path: Path) -> None:
    """Write predictions of every algorithm on the same instances of every fold."""
    rng = np.random.default_rng(1)
    labels = rng.random((DATASETS, FOLDS, CASES)) < 0.3
    with path.open("w", encoding="ascii") as file:
        file.write("dataset,algorithm,fold,label,score\n")
        for i, j, k in np.ndindex(DATASETS, ALGORITHMS, FOLDS):
            true_labels = labels[i, k]
            scores = rng.beta(2 + true_labels, 3 - true_labels)
            start = f"dataset {i + 1},algorithm {j + 1},{k + 1}"
            pairs = zip(true_labels, scores, strict=True)
            file.writelines(f"{start},{label:d},{score:.10f}\n" for label, score in pairs)


def reader(name: str) -> Callable[[str], dict[str, float]]:
    """Return a function that reads a file and returns the seconds of its steps, if known."""
    if name == "read_results":
        from stats_core.io import read  # imported before memory is measured

        return partial(ours, read)
    if name == "pyarrow.csv":
        from pyarrow import csv

        plain: Callable = csv.read_csv
    elif name == "polars":
        import polars

        plain = polars.read_csv
    else:
        import pandas as pd

        plain = partial(pd.read_csv, engine="pyarrow" if "pyarrow" in name else "c")
    return lambda path: {} if len(plain(path)) else {}


def ours(read: ModuleType, path: str) -> dict[str, float]:
    """Run `read_results` and return the seconds spent on parsing."""
    parse, steps = read.quick_predictions, {}

    def timed(*args):
        start = time.perf_counter()
        result = parse(*args)
        steps["parsing"] = time.perf_counter() - start
        return result

    read.quick_predictions = timed
    results = read.read_results(path)
    assert results.n_rows == DATASETS * ALGORITHMS * FOLDS
    return steps


def measure(name: str, path: str) -> dict[str, float]:
    """Read the file once; return seconds, and bytes beyond the imports."""
    read = reader(name)
    at_start = peak()
    start, worked = time.perf_counter(), time.process_time()
    steps = read(path)
    spent = {"all": time.perf_counter() - start, "cpu": time.process_time() - worked}
    return {**spent, "memory": peak() - at_start, **steps}


def peak() -> int:
    """Return the peak memory of this process in bytes."""
    maximum = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return maximum if sys.platform == "darwin" else maximum * 1024


def in_fresh_process(name: str, path: Path) -> dict[str, float]:
    """Return the measurements of one run in a new process."""
    command = [sys.executable, "-m", "benchmarks.reading_speed", name, str(path)]
    completed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(completed.stdout)


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.csv"
        write(path)
        size = os.path.getsize(path)
        names = [name for name, package in READERS.items() if find_spec(package)]
        # in turns, so that other load on the machine affects all readers
        rounds = [{name: in_fresh_process(name, path) for name in names} for _ in range(RUNS)]
    by_name = {name: [runs[name] for runs in rounds] for name in names}
    best_runs = {name: min(runs, key=lambda run: run["all"]) for name, runs in by_name.items()}
    rows = DATASETS * ALGORITHMS * FOLDS * CASES
    fastest = min(run["all"] for name, run in best_runs.items() if name != "read_results")
    print(f"{rows:,} rows, {size / 1e6:.0f} MB, best of {RUNS}")
    for name, run in best_runs.items():
        print(
            f"{name}: {run['all']:.2f} s, {run['all'] / fastest:.1f} times the fastest plain "
            f"reader; {run['cpu']:.2f} s of processor time; memory {run['memory'] / size:.1f} times the file"
        )
    own_run = best_runs["read_results"]
    parsing, deriving = own_run["parsing"], own_run["all"] - own_run["parsing"]
    print(
        f"of read_results: parsing {parsing:.2f} s ({parsing / fastest:.1f} times), "
        f"checking and deriving {deriving:.2f} s ({deriving / fastest:.1f} times)"
    )


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(measure(*sys.argv[1:])))
    else:
        main()
