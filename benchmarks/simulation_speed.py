"""How much faster are simulations on more workers, and are the numbers the same?

``python -m benchmarks.simulation_speed [--draws 100000] [--scheduler tcp://host:8786]`` runs the
power of six procedures among all pairs of 8 algorithms at 21 biases, here and on two processes, and
on a Dask cluster if one is named; prints seconds, once with the start of the processes and once
without; and stops if any number differs. The published experiment has 1,000 draws.

Reference: Garcia and Herrera, JMLR 9 (2008) 2677, section 4.
"""

import argparse
import time
from concurrent.futures import Executor
from pathlib import Path

from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.power.simulated_power import biased_draws
from stats_core.power.simulation import choose_workers, run_simulation

SAMPLE = Path(__file__).parents[1] / "sample_results" / "uci38_5x2.csv"
SIX = (
    "nemenyi",
    "holm on z",
    "shaffer on z",
    "bergmann-hommel on z",
    "holm on wilcoxon",
    "bergmann-hommel on wilcoxon",
)


def main() -> None:
    """Print the seconds of each kind of worker."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--scheduler", default="")
    options = parser.parse_args()
    results = read_results(SAMPLE)
    common = {"pair": ("svr", "mdt"), "procedures": SIX}
    settings = Settings(measure="error")
    published = biased_draws(results, settings, draws=1000, **common)
    work = biased_draws(results, settings, draws=options.draws, **common)

    def seconds(simulation, executor: Executor | None):
        start = time.perf_counter()
        return run_simulation(simulation, executor=executor), time.perf_counter() - start

    expected, of_one_process = seconds(work, None)
    print(f"1,000 draws here: {seconds(published, None)[1]:.2f} s")
    print(f"{options.draws:,} draws here: {of_one_process:.1f} s")
    kinds = {"2 processes": choose_workers(2)}
    if options.scheduler:
        kinds["Dask"] = choose_workers(scheduler=options.scheduler)
    for name, kind in kinds.items():
        with kind as executor:
            result, with_start = seconds(work, executor)
            without_start = seconds(work, executor)[1]
        if not result.frame.equals(expected.frame):
            raise SystemExit(f"{name}: the numbers are not those of one process")
        print(
            f"{name}: {with_start:.1f} s, {without_start:.1f} s once started: {of_one_process / without_start:.2f} times as fast"
        )


if __name__ == "__main__":
    main()
