"""Measured coverage of confidence intervals of comparisons over data sets.

Run with ``python -m benchmarks.interval_coverage [tables] [seed]``: for 3, 5 and 10 algorithms on
8, 20 and 40 data sets, tables are drawn from four populations and compared by the default tests.
Coverage is measured separately for all pairs, significant pairs, other pairs, and the pair in the
headline (also if significant), and compared with that of the unadjusted intervals of the same
tests. Standard errors are clustered by table.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.benchmark_row import results_of
from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.comparison.kinds.datasets import RanksComparison, compare_ranks
from stats_core.comparison.result import Comparison
from stats_core.core.validation import significant
from stats_core.data.settings import Settings
from stats_core.inference.pair_intervals import Compared, pair_intervals

ALPHA = 0.05
SIZES = [(k, n) for k in (3, 5, 10) for n in (8, 20, 40)]
POPULATIONS = {
    "normal, means evenly spaced over 1.5 SD": ("normal", "spaced"),
    "t with 3 df, means evenly spaced over 1.5 SD": ("t3", "spaced"),
    "normal, one algorithm 1 SD better": ("normal", "one"),
    "normal, no differences": ("normal", "none"),
}
GROUPS = ("all", "significant", "not significant", "headline", "headline, significant")


def means_of(pattern: str, k: int) -> np.ndarray:
    """Return the true means of a pattern; smaller is better."""
    if pattern == "spaced":
        return np.linspace(0, 1.5, k)
    return np.array([-1.0 if pattern == "one" and j == 0 else 0.0 for j in range(k)])


def noise(law: str, rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """Return random errors with variance 1 from a distribution."""
    return rng.standard_t(3, size) / np.sqrt(3) if law == "t3" else rng.standard_normal(size)


def compared(scores: pd.DataFrame, sized: Comparison) -> RanksComparison:
    """Return the comparison of a table with the settings of `sized`."""
    return compare_ranks(sized.inputs.varied(scores=scores))


def template(k: int, n: int) -> Comparison:
    """Return a default comparison of k algorithms on n data sets."""
    table = pd.DataFrame(np.outer(np.arange(n), np.arange(k)) % 7).add_prefix("a")
    return analyse(results_of(table), Settings(alpha=ALPHA))


def shown(c: RanksComparison, truth: dict[str, float]) -> Iterator[tuple[str, bool, bool]]:
    """Yield each group of each pair, and whether the pair's interval and its unadjusted interval cover the truth."""
    rows = c.details()
    pairs = list(zip(rows["first"], rows["second"], strict=True))
    true = np.array([truth[a] - truth[b] for a, b in pairs])
    covers = (rows["low"] <= true).to_numpy() & (true <= rows["high"]).to_numpy()
    plain_intervals = unadjusted(c, rows)
    plain = (plain_intervals["low"].to_numpy() <= true) & (
        true <= plain_intervals["high"].to_numpy()
    )
    differ = rows["separated"].to_numpy()
    size = decide(c).size or (c.order[0], c.order[1])
    for position, pair in enumerate(pairs):
        coverage = (bool(covers[position]), bool(plain[position]))
        yield "all", *coverage
        yield "significant" if differ[position] else "not significant", *coverage
        if {*pair} == {*size}:
            yield "headline", *coverage
            if differ[position]:
                yield "headline, significant", *coverage


def unadjusted(c: RanksComparison, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the unadjusted intervals of the same tests."""
    p = rows["p"].to_numpy()
    return pair_intervals(
        Compared(
            scores=c.scores,
            ranks=c.friedman.ranks,
            settings=replace(c.settings, correction="none"),
            higher_is_better=False,
            pairs=list(zip(rows["first"], rows["second"], strict=True)),
            p=p,
            adjusted=p,
            ahead=rows["statistic"].to_numpy(),
            selected=int(significant(p, ALPHA).sum()),
        )
    )


def measure(k: int, n: int, population: str, tables: int, rng: np.random.Generator) -> dict:
    """Return the source of the tests, and by group coverage, standard error, unadjusted coverage, number of tables."""
    law, pattern = POPULATIONS[population]
    sized = template(k, n)
    names = list(sized.results.algorithms)
    means = means_of(pattern, k)
    truth = dict(zip(names, means, strict=True))
    rows = []
    for table in range(tables):
        scores = pd.DataFrame(noise(law, rng, (n, k)) + means, columns=names)
        rows += [(table, *pair) for pair in shown(compared(scores, sized), truth)]
    pairs = pd.DataFrame(rows, columns=["table", "group", "covers", "plain"])
    row: dict[str, float | str] = {"source": sized.settings.source}
    for group in GROUPS:
        part = pairs[pairs["group"] == group]
        row[f"{group}: tables"] = part["table"].nunique()
        row[group], row[f"{group}: unadjusted"] = part[["covers", "plain"]].mean()
        spread = (part["covers"] - row[group]).groupby(part["table"]).sum()
        row[f"{group}: se"] = float(np.sqrt((spread**2).sum())) / max(len(part), 1)
    return row


def main() -> None:
    """Print one row per size and population."""
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng, start = np.random.default_rng(seed), time.process_time()
    for population in POPULATIONS:
        print(f"\n{population}, {tables} tables each; coverage ± se (unadjusted)")
        print("| k | n | tests | " + " | ".join(GROUPS) + " |")
        print("|---" * (3 + len(GROUPS)) + "|")
        for k, n in SIZES:
            row = measure(k, n, population, tables, rng)
            cells = [
                f".{round(1000 * row[g]):03d} ± .{round(1000 * row[f'{g}: se']):03d} "
                f"(.{round(1000 * row[f'{g}: unadjusted']):03d})".replace(".1000", "1.00")
                if row[f"{g}: tables"] >= 20
                else f"{row[f'{g}: tables']} tables"
                for g in GROUPS
            ]
            print(f"| {k} | {n} | {row['source']} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{time.process_time() - start:.0f} s of processor time, seed {seed}")


if __name__ == "__main__":
    main()
