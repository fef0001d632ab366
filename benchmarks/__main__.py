"""Runner of all benchmarks in their short form, printed as one table.

``python -m benchmarks [name ...]``; names are those of `SHORT`. Each line has the measurement, a
peer or a lower bound, their ratio, the target, and whether it is met. The last line names the row
furthest from its target. ``attacks`` reads hostile files. ``clicks`` covers every page and tab of
three samples; ``python -m benchmarks.app_speed clicks`` lists them, and those of large tables.
``figures`` draws every figure of the samples. ``axe`` checks the accessibility of every page, see
``benchmarks.browser``. ``axe``, ``large``, ``orders`` and ``workers`` run only if named.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter

from benchmarks import app_speed, attacks, generated_tables, speed
from benchmarks.benchmark_row import Row
from benchmarks.browser import axe_rows

LONG = ("axe", "large", "orders", "workers")  # run only if named


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
    "attacks": attacks.rows,
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
        print(
            f"Furthest from its target: {furthest.what} ({furthest.of_target:.3g} times the target, {state})"
        )
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
