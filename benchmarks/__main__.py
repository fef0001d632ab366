"""Runner of all benchmarks in their short form, printed as one table.

``python -m benchmarks [name ...]``; names are those of `SHORT`. Each line has the measurement, a
peer or a lower bound, their ratio, the target, and whether it is met. The last line names the row furthest from its target.
``attacks`` reads hostile files. ``clicks`` covers every page
and tab of three samples; ``python -m benchmarks.app_speed clicks`` lists them, and those of large
tables. ``figures`` draws every figure of the samples. ``axe`` checks the accessibility of every page, see ``benchmarks.browser``.
``axe``, ``large``, ``orders`` and ``workers`` run only if named.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from pathlib import Path

from benchmarks import app_speed, generated_tables, speed
from benchmarks.benchmark_row import Row, in_new_process
from benchmarks.browser import axe_rows
from tests.io import bad_files, test_formats, test_limits
from tests.workspaces.test_workspace_file import FAR_LARGER

LONG = ("axe", "large", "orders", "workers")  # run only if named
TO_READ, TO_REFUSE, MEMORY = 2, 1, 500  # CPU seconds, and MB
_READ = """
from foldwise.workspaces.store import unpack
from stats_core import FoldwiseError, read_results
def run(path):
    try:
        if path.endswith(".foldwise"):
            with open(path, "rb") as file:
                unpack("a.foldwise", file.read(), most_mb=200)
        else:
            read_results(path)
    except FoldwiseError as error:
        return " ".join(str(error).replace(path, path.rpartition("/")[2]).split())
    return ""
"""


def hostile_files() -> dict[str, tuple[str, bytes]]:
    """Return what is hostile about a file -> its name and content."""
    columns = b"".join(b"@attribute c%d numeric\n" % i for i in range(19_000))
    return {
        "ARFF of 19,000 columns": ("a.arff", b"@relation x\n" + columns + b"@data\n" + b"0," * 18_999 + b"0\n"),
        "Markdown of 6 MB": ("a.md", b"|a|b|\n|---|---|\n" + b"|x|1|\n" * 1_000_000),
        "LaTeX of 6 MB": ("a.tex", b"\\begin{tabular}{lc}\n" + b"a&1\\\\\n" * 1_000_000 + b"\\end{tabular}"),
        "JSON of 6 MB": ("a.json", b"[" + b",".join([b'{"a": 1}'] * 700_000) + b"]"),
        "two values of a key": ("a.json", test_formats.TWO_VALUES),
        **{title: ("a.csv", test_formats.encoded(title)) for title in test_formats.ENCODED},
        **{
            f"unknown letters {n}": ("a.csv", test_formats.HEAD + text)
            for n, (text, _) in enumerate(test_formats.UNKNOWN, 1)
        },
        **{what: ("a", content) for what, content in test_formats.HOSTILE.items()},
        **test_limits.FAR,
        **test_limits.MANY,
        **{what: (name, text.encode()) for what, (name, text) in test_limits.ENDLESS.items()},
        **test_limits.bombs(),
        "workspace of zeros": ("a.foldwise", FAR_LARGER[0]),
        "workspace of many files": ("a.foldwise", FAR_LARGER[1]),
        **{what: (name, content) for what, name, content in bad_files.FILES if len(content) > 10_000},
    }


def attacks() -> Iterator[Row]:
    """Yield CPU seconds, with what became of the file, and additional memory for each hostile file, read in a new process.

    Most files are those of the tests. Hosts, workers, clocks and damaged stores are attacked by tests only, since they have no
    time to measure.
    """
    with tempfile.TemporaryDirectory() as folder:
        for what, (name, content) in hostile_files().items():
            path = Path(folder) / name
            path.write_bytes(content)
            _, spent, memory, answer = in_new_process(_READ, str(path))
            note, target = (f"refused: {answer[:90]}", TO_REFUSE) if answer else ("read", TO_READ)
            yield Row(f"attack: {what}"[:50], spent, target, note=note)
            yield Row("the same, additional memory", memory / 1e6, MEMORY, unit="MB")


SHORT: dict[str, Callable[[], Iterator[Row]]] = {
    "start": speed.start,
    "tables": speed.growing_tables,
    "bergmann_hommel": speed.bergmann_hommel_rows,
    "curves": speed.curve_areas,
    "export": speed.export,
    "orders": speed.simulated_orders,
    "workers": speed.simulation_workers,
    "reading": speed.reading,
    "large_files": speed.large_files,
    "attacks": attacks,
    "generated": generated_tables.rows,
    "figures": app_speed.figure_rows,
    "clicks": partial(app_speed.click_rows, app_speed.SAMPLES),
    "large": partial(app_speed.click_rows, tuple(app_speed.TABLES)),
    "users": app_speed.visitors,
    "axe": axe_rows,
}


def main(names: list[str]) -> int:
    """Print the table; return 1 if a name is unknown, a benchmark fails or a target is missed, else 0."""
    unknown = [name for name in names if name not in SHORT]
    if unknown:
        print(f"There is no benchmark {unknown[0]}. There are {', '.join(SHORT)}.")
        return 1
    heads = f"{'measured':>10}  {'compared with':24}{'peer':>8}{'ratio':>7}{'target':>10}"
    print(f"{'what':50}{heads}")
    missed, measured = 0, []
    for name in names or [name for name in SHORT if name not in LONG]:
        try:
            for row in SHORT[name]():
                missed += row.met is False
                measured += [row] * (row.met is not None)
                print(row, flush=True)
        except Exception as error:  # the other benchmarks still run
            missed += 1
            print(f"{name} broke off: {error!r}", flush=True)
    if measured:
        furthest = max(measured, key=attrgetter("of_target"))
        state = "met" if furthest.met else "MISSED"
        print(f"Furthest from its target: {furthest.what} ({furthest.of_target:.3g} times the target, {state})")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
