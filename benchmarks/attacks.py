"""Hostile files, each read in a new process: CPU time, additional memory, and whether it is read or refused.

``python -m benchmarks attacks`` reads them; ``python -m benchmarks.attacks CHECKOUT`` also reads
them with the version of Foldwise in that folder, for comparison. Most files are those of the tests.
A refusal is to take at most one second, reading at most two. Hosts, workers, clocks and damaged
stores are attacked by tests only (`tests/web`, `tests/workspaces`), since they have no time to
measure.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from math import nan
from pathlib import Path

from benchmarks.benchmark_row import Row, in_new_process
from tests.io import bad_files, test_formats, test_hostile_binary, test_limits
from tests.workspaces.test_workspace_file import FAR_LARGER

TO_READ, TO_REFUSE, MEMORY = 2, 1, 500  # CPU seconds, and MB
OF_OTHER = 60  # wall-clock seconds after which another version is stopped
_READ = """
from stats_core import FoldwiseError, read_results
def run(path):
    try:
        if path.endswith(".foldwise"):
            from foldwise.workspaces.store import unpack
            with open(path, "rb") as file:
                unpack("a.foldwise", file.read(), most_mb=200)
        else:
            read_results(path)
    except FoldwiseError as error:
        return " ".join(str(error).replace(path, path.rpartition("/")[2]).split())
    return ""
"""


def files() -> dict[str, tuple[str, bytes]]:
    """Return what is hostile about a file -> its name and content."""
    columns = b"".join(b"@attribute c%d numeric\n" % i for i in range(19_000))
    return {
        "ARFF of 19,000 columns": (
            "a.arff",
            b"@relation x\n" + columns + b"@data\n" + b"0," * 18_999 + b"0\n",
        ),
        "Markdown of 6 MB": ("a.md", b"|a|b|\n|---|---|\n" + b"|x|1|\n" * 1_000_000),
        "LaTeX of 6 MB": (
            "a.tex",
            b"\\begin{tabular}{lc}\n" + b"a&1\\\\\n" * 1_000_000 + b"\\end{tabular}",
        ),
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
        **test_hostile_binary.hostile(),
        "workspace of zeros": ("a.foldwise", FAR_LARGER[0]),
        "workspace of many files": ("a.foldwise", FAR_LARGER[1]),
        **{
            what: (name, content)
            for what, name, content in bad_files.FILES
            if len(content) > 10_000
        },
    }


def rows(other: Path | None = None) -> Iterator[Row]:
    """Yield CPU seconds, with what became of the file, and additional memory for each file, also for the version in `other`."""
    with tempfile.TemporaryDirectory() as folder:
        for what, (name, content) in files().items():
            path = Path(folder) / name
            path.write_bytes(content)
            spent, memory, outcome = _read(path)
            target = TO_READ if outcome == "read" else TO_REFUSE
            before, memory_before, outcome_before = (
                _read_with_other(path, other) if other else (nan, nan, "")
            )
            peer = other.name if other else ""
            note = f"{outcome}; {peer}: {outcome_before}" if other else outcome
            yield Row(f"attack: {what}"[:50], spent, target, before, peer, note=note)
            yield Row(
                "the same, additional memory", memory / 1e6, MEMORY, memory_before / 1e6, peer, "MB"
            )


def _read(
    path: Path, checkout: Path | None = None, most_seconds: float | None = None
) -> tuple[float, float, str]:
    _, spent, memory, answer = in_new_process(
        _READ, str(path), checkout=checkout, most_seconds=most_seconds
    )
    return spent, memory, f"refused: {answer[:90]}" if answer else "read"


def _read_with_other(path: Path, other: Path) -> tuple[float, float, str]:
    """Return CPU seconds, additional memory and outcome of another version, which is stopped at a time limit."""
    try:
        return _read(path, other, OF_OTHER)
    except subprocess.TimeoutExpired:
        return OF_OTHER, nan, "stopped at the time limit"
    except subprocess.CalledProcessError:
        return nan, nan, "unexpected exception"


if __name__ == "__main__":
    for row in rows(*map(Path, sys.argv[1:])):
        print(row, flush=True)
