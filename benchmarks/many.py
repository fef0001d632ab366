"""How long a table of 179 algorithms takes, against Friedman's test of scipy alone.

``python -m benchmarks.many`` simulates a table of the shape of Fernandez-Delgado et al., JMLR 15
(2014) 3133: 121 data sets, 179 algorithms, and 449 failed runs in places drawn at random, by
which few data sets stay complete. It prints seconds, each also as a ratio to
`scipy.stats.friedmanchisquare` on the same table before anything failed: what any program must do
at least. What takes more than 3 seconds is marked and named again at the end.
"""

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.multivariate import seconds
from stats_core import Results, Settings, analyse
from stats_core.data.settings import SOURCES
from stats_core.looks.other_definitions import other_definitions
from stats_core.looks.set_wins import set_wins

DATASETS, ALGORITHMS, HOLES = 121, 179, 449
LIMIT = 3.0


def simulate(seed: int = 2014) -> tuple[np.ndarray, np.ndarray]:
    """Return errors, data set x algorithm, and the same with 449 holes at random."""
    rng = np.random.default_rng(seed)
    hard = rng.beta(1.5, 5, size=(DATASETS, 1))
    skill = rng.normal(scale=0.4, size=ALGORITHMS)
    noise = rng.normal(scale=0.5, size=(DATASETS, ALGORITHMS))
    complete = 1 / (1 + np.exp(-(np.log(hard / (1 - hard)) + skill + noise)))
    holes = rng.choice(DATASETS * ALGORITHMS, HOLES, replace=False)
    missing = complete.copy()
    missing.flat[holes] = np.nan
    return complete, missing


def as_results(errors: np.ndarray) -> Results:
    """Return the table as results; NaN is a failed run."""
    datasets = [f"data set {i}" for i in range(1, DATASETS + 1)]
    algorithms = [f"algorithm {j}" for j in range(1, ALGORITHMS + 1)]
    table = pd.DataFrame(
        {
            "dataset": np.repeat(datasets, ALGORITHMS),
            "algorithm": np.tile(algorithms, DATASETS),
            "error": errors.ravel(),
        }
    )
    return Results.from_frame(table)


def steps(resolve: Callable[[], Results]) -> dict[str, Callable[[], object]]:
    """Return what is timed; `resolve` returns results without open holes."""
    results = resolve()
    analysis = analyse(results)
    return {
        "analyse, nothing known yet": lambda: analyse(resolve()),
        "analyse": lambda: analyse(results),
        "analyse, Shaffer": lambda: analyse(results, Settings(correction="shaffer")),
        "wins by average": lambda: set_wins(results, measure="error"),
        "other definitions": lambda: other_definitions(analysis),
    }


def once(work: Callable[[], object]) -> float:
    """Return the seconds of a single run, for what takes long."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    complete, missing = simulate()
    unit = seconds(lambda: stats.friedmanchisquare(*complete.T))
    print(f"scipy.stats.friedmanchisquare, {DATASETS} x {ALGORITHMS}: {unit:.3f} s")
    failed, whole = as_results(missing), as_results(complete)
    timed = {}
    for choice in ("worst rank", "drop data sets", "nothing failed"):

        def resolve(choice: str = choice) -> Results:
            return whole.select() if choice == "nothing failed" else failed.resolve(choice)

        n = len(resolve().datasets)
        for label, work in steps(resolve).items():
            timed[f"{choice} ({n} data sets), {label}"] = seconds(work)
    for source in ("sign", "wilcoxon"):
        label = f"nothing failed, analyse, pairs by {SOURCES[source]}, one run"
        timed[label] = once(lambda source=source: analyse(whole, Settings(source=source)))
    for label, took in timed.items():
        print(f"{label}: {took:.3f} s, {took / unit:.0f} times{' (!)' * (took > LIMIT)}")
    slow = [label for label, took in timed.items() if took > LIMIT]
    print(f"more than {LIMIT:g} s: {'; '.join(slow) or 'nothing'}")


if __name__ == "__main__":
    main()
