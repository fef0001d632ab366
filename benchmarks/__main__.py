"""Runner of all benchmarks in their short form, printed as one table.

``python -m benchmarks [name ...]``; names are those of `SHORT`. Each line has the measurement, a
peer or a lower bound, their ratio, the target, and whether it is met. `click_times` covers every
page and tab of the samples; ``python -m benchmarks.click_times`` lists them, and those of large
tables. ``large``, ``orders`` and ``workers`` run only if named.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from math import nan
from pathlib import Path
from statistics import quantiles

from benchmarks import click_times, concurrent_users, reading_speed, speed
from benchmarks.benchmark_row import Row
from tests.websocket_clients import served, visitor

LONG = ("large", "orders", "workers")  # run only if named
PAUSE = 1.0  # mean seconds that a user reads between two clicks


def large_file() -> Iterator[Row]:
    """Yield the time and memory of reading 5 million predictions, compared with a plain reader."""
    plain = "polars" if find_spec("polars") else "pandas, C engine"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.csv"
        reading_speed.write(path)
        ours, peer = (reading_speed.in_fresh_process(name, path) for name in ("read_results", plain))
        size = path.stat().st_size
    for label, clock in (("read 5 M predictions", "all"), ("the same, processor time", "cpu")):
        yield Row(label, ours[clock], 1.5, peer[clock], f"{plain}, plain", of_peer=True)
    yield Row("memory of reading", ours["memory"] / size, 2.5, peer["memory"] / size, plain, "files")


def visitors(many: int = 5, lasts: float = 15) -> Iterator[Row]:
    """Yield the times of clicks of one user and of several at once."""
    p95_of_one = nan
    with served("-m", "foldwise.web.launcher") as (address, _):
        with visitor(address) as browser:  # import everything before the measurement
            for page in concurrent_users.PAGES:
                browser.open(page, sample=concurrent_users.SAMPLES[0])
        for count in (1, many):
            took, _ = concurrent_users.turn(address, count, lasts, pause=PAUSE, busy=False)
            p95 = quantiles(took, n=20, method="inclusive")[18]
            yield Row(f"click, p95, users: {count}", p95, 1, p95_of_one, "one user" if count > 1 else "")
            p95_of_one = p95


SHORT: dict[str, Callable[[], Iterator[Row]]] = {
    "start": speed.start,
    "walls": speed.growing_tables,
    "bergmann_hommel": speed.bergmann_hommel_rows,
    "curves": speed.curve_areas,
    "export": speed.export,
    "orders": speed.simulated_orders,
    "workers": speed.simulation_workers,
    "reading": large_file,
    "clicks": partial(click_times.rows, click_times.SAMPLES),
    "large": partial(click_times.rows, tuple(click_times.TABLES)),
    "users": visitors,
}


def main(asked: list[str]) -> int:
    """Print the table; return 1 if a target is missed, else 0."""
    unknown = [name for name in asked if name not in SHORT]
    if unknown:
        print(f"There is no benchmark {unknown[0]}. There are {', '.join(SHORT)}.")
        return 1
    heads = f"{'measured':>10}  {'beside':24}{'peer':>8}{'ratio':>7}{'target':>10}"
    print(f"{'what':50}{heads}")
    missed = 0
    for name in asked or [name for name in SHORT if name not in LONG]:
        try:
            for row in SHORT[name]():
                missed += row.met is False
                print(row, flush=True)
        except Exception as error:  # the other benchmarks still run
            missed += 1
            print(f"{name} broke off: {error!r}", flush=True)
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
