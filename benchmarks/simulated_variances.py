"""How often is a pair of equal algorithms separated on folds if one algorithm varies more?

Run with ``python -m benchmarks.simulated_variances [repetitions]``. Normal results of which any two
folds correlate by the share tested (`simulated_folds`), judged at 0.05 by the default, the
conservative corrected t test of each pair with Bergmann and Hommel's procedure (with ten results
the published one), by the same with the published degrees of freedom, and by Tukey's test. In a
second world one more algorithm is far better, so that the procedure may use that its pairs differ.
On the first repetitions the decisions of the default are compared with `analyse`.
"""

import sys
import time
from itertools import product
from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.benchmark_row import print_rates
from benchmarks.calibration import ALPHA, MOST_DF, as_results
from benchmarks.simulated_folds import FIVE_BY_TWO, TEN_BY_TEN, TEN_FOLD, ResamplingDesign, anova_f, simulate
from stats_core.comparison.analyse import analyse
from stats_core.core.significance import significant
from stats_core.data.settings import Settings
from stats_core.inference.distributions import studentized_range_isf
from stats_core.inference.multiplicity.bergmann_hommel import bergmann_hommel_rows

PARTITIONS = ResamplingDesign("30 partitions, 10% tested", 30, 0.1)
# names as in `calibration`, which knows the design hint of each
DESIGNS = {"10-fold": TEN_FOLD, "10 x 10-fold": TEN_BY_TEN, "5x2": FIVE_BY_TWO}
DESIGNS |= {PARTITIONS.name: PARTITIONS}
ALGORITHMS = (3, 5, 8)
TIMES = (1, 4, 10)  # variance of one algorithm; that of all others is 1
FAR = 100.0
CHECKED, TOGETHER = 2, 500


def conservative(n: int, df: int) -> int:
    """Return the degrees of freedom of the conservative tests."""
    return min(df, MOST_DF) if n > MOST_DF + 1 else df


def pvalues(x: np.ndarray, design: ResamplingDesign, df: int) -> np.ndarray:
    """Return the p-values of the corrected t test, repetition x pair."""
    first, second = np.triu_indices(x.shape[2], 1)
    d = x[..., first] - x[..., second]
    t = d.mean(axis=1) / (d.std(axis=1, ddof=1) * sqrt(design.factor / design.n))
    return 2 * stats.t.sf(np.abs(t), df)


def by_tukey(x: np.ndarray, design: ResamplingDesign, true: np.ndarray) -> np.ndarray:
    """Return whether Tukey's test rejects any true hypothesis, per repetition."""
    k = x.shape[2]
    df = conservative(design.n, (k - 1) * (design.n - 1))
    _, error, _ = anova_f(x)
    first, second = (side[true] for side in np.triu_indices(k, 1))
    means = x.mean(axis=1)
    reach = np.abs(means[:, first] - means[:, second]).max(axis=1)
    return reach > studentized_range_isf(ALPHA, k, df) * np.sqrt(error / design.n * design.factor)


def judged(x: np.ndarray, design: ResamplingDesign, true: np.ndarray) -> dict[str, np.ndarray]:
    """Return whether each procedure rejects any true hypothesis, per repetition."""

    def of_pairs(df: int) -> np.ndarray:
        p = bergmann_hommel_rows(pvalues(x, design, df))
        return significant(p[:, true], ALPHA).any(axis=1)

    full = design.n - 1
    df = conservative(design.n, full)
    decisions = {"corrected t, conservative": of_pairs(df)} if df < full else {}
    return decisions | {"corrected t": of_pairs(full), "Tukey": by_tukey(x, design, true)}


def check(x: np.ndarray, name: str, true: np.ndarray, ours: np.ndarray) -> None:
    """Exit if the default of the library decides differently."""
    k = x.shape[2]
    names = [f"a{i}" for i in range(k)]
    first, second = np.triu_indices(k, 1)
    for scores, decided in zip(x, ours, strict=True):
        adjusted = analyse(as_results(scores, name), Settings(measure="error")).adjusted
        p = adjusted.loc[names, names].to_numpy()[first, second]
        if bool(significant(p[true], ALPHA).any()) != bool(decided):
            raise SystemExit(f"{name}, {k} algorithms: the simulation and stats_core disagree")


def row(name: str, k: int, times: int, far: bool, repetitions: int, rng) -> dict:
    """Return the share of repetitions with a true hypothesis rejected, by procedure."""
    design, sums = DESIGNS[name], dict[str, float]()
    true = np.triu_indices(k, 1)[1] < k - far
    for start in range(0, repetitions, TOGETHER):
        x = simulate(design, min(TOGETHER, repetitions - start), k, rng)
        x[..., 0] *= sqrt(times)
        x[..., -1] -= FAR * far
        decisions = judged(x, design, true)
        if not start:
            check(x[:CHECKED], name, true, next(iter(decisions.values()))[:CHECKED])
        for procedure, wrong in decisions.items():
            sums[procedure] = sums.get(procedure, 0.0) + wrong.sum() / repetitions
    return {"design": name, "algorithms": k, "variance": times, "far": far, **sums}


def main(repetitions: int = 10_000) -> pd.DataFrame:
    """Print and return the family-wise error rates."""
    rng, start = np.random.default_rng(20063), time.perf_counter()
    rows = [
        row(name, k, times, far, repetitions, rng)
        for name, k, far, times in product(DESIGNS, ALGORITHMS, (False, True), TIMES)
    ]
    table = pd.DataFrame(rows)
    long = table.melt(["design", "algorithms", "variance", "far"], var_name="test")
    wide = long.dropna().pivot_table(index=["design", "algorithms", "test"], columns=["far", "variance"], sort=False)[
        "value"
    ]
    worlds = [f"{'one far, ' if far else ''}variance {times}" for far, times in wide.columns]
    print_rates(["design", "algorithms", "test", *worlds], wide, repetitions, start)
    return table


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
