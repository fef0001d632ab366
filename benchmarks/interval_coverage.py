"""Measured coverage of confidence intervals of comparisons over data sets.

Run with ``python -m benchmarks.interval_coverage [tables] [seed]``: for 3, 5 and 10 algorithms on
8, 20 and 40 data sets, tables are drawn from four populations and compared by the default tests.
Coverage is measured separately for all pairs, significant pairs, other pairs, the pair in the
headline (also if significant), and the two best algorithms if they do not differ significantly. It
is compared with that of the unadjusted intervals of the same tests. Standard errors are clustered
by table. With ``python -m benchmarks.interval_coverage nonsignificant [tables] [seed]``, coverage
of nonsignificant pairs is compared with that at the error rate alpha p / adjusted p, and the share
of tables is arguments in which any of these intervals misses.
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
GROUPS = (
    "all",
    "significant",
    "not significant",
    "headline",
    "headline, significant",
    "two best, not significant",
)
# k, n and population of the comparison of error rates of nonsignificant pairs
NONSIGNIFICANT = [
    (k, n, population) for k, n in ((3, 20), (3, 40), (5, 20)) for population in [*POPULATIONS][:2]
]


class AtAdjustedShare(Compared):
    """Pairs whose nonsignificant ones have intervals at alpha p / adjusted p."""

    @property
    def rates(self) -> np.ndarray:
        """Error rate of each interval."""
        return self.settings.alpha * self.p / self.adjusted


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


def shown(c: RanksComparison, truth: dict[str, float]) -> Iterator[tuple[str, bool, bool, bool]]:
    """Yield each group of each pair, and whether its interval, unadjusted and at alpha p / adjusted p, covers."""
    rows = c.pairs.frame
    pairs = list(zip(rows["first"], rows["second"], strict=True))
    true = np.array([truth[a] - truth[b] for a, b in pairs])
    covers = (rows["low"] <= true).to_numpy() & (true <= rows["high"]).to_numpy()
    plain, share = (
        ((ends["low"] <= true) & (true <= ends["high"])).to_numpy()
        for ends in (other_intervals(c, rows), other_intervals(c, rows, AtAdjustedShare))
    )
    differ = rows["separated"].to_numpy()
    size = decide(c).size or (c.order[0], c.order[1])
    for position, pair in enumerate(pairs):
        coverage = (bool(covers[position]), bool(plain[position]), bool(share[position]))
        yield "all", *coverage
        yield "significant" if differ[position] else "not significant", *coverage
        if {*pair} == {*size}:
            yield "headline", *coverage
            if differ[position]:
                yield "headline, significant", *coverage
        if {*pair} == {*c.order[:2]} and not differ[position]:
            yield "two best, not significant", *coverage


def other_intervals(
    c: RanksComparison, rows: pd.DataFrame, of: type[Compared] = Compared
) -> pd.DataFrame:
    """Return the unadjusted intervals of the same tests, or those at the rates of `AtAdjustedShare`."""
    p, plain = rows["p"].to_numpy(), of is Compared
    return pair_intervals(
        of(
            scores=c.scores,
            ranks=c.friedman.ranks,
            settings=replace(c.settings, correction="none") if plain else c.settings,
            higher_is_better=False,
            pairs=list(zip(rows["first"], rows["second"], strict=True)),
            p=p,
            adjusted=p if plain else rows["p adjusted"].to_numpy(),
            ahead=rows["statistic"].to_numpy(),
        )
    )


def simulated(
    k: int, n: int, population: str, tables: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Return one row per pair of each table and group: table, group, covers, plain and share, as in `shown`."""
    law, pattern = POPULATIONS[population]
    sized = template(k, n)
    names = list(sized.results.algorithms)
    means = means_of(pattern, k)
    truth = dict(zip(names, means, strict=True))
    rows = []
    for table in range(tables):
        scores = pd.DataFrame(noise(law, rng, (n, k)) + means, columns=names)
        rows += [(table, *pair) for pair in shown(compared(scores, sized), truth)]
    return pd.DataFrame(rows, columns=["table", "group", "covers", "plain", "share"])


def coverage_of(part: pd.DataFrame, column: str = "covers") -> tuple[float, float]:
    """Return coverage and its standard error, clustered by table."""
    coverage = float(part[column].mean())
    spread = (part[column] - coverage).groupby(part["table"]).sum()
    return coverage, float(np.sqrt((spread**2).sum())) / max(len(part), 1)


def measure(k: int, n: int, population: str, tables: int, rng: np.random.Generator) -> dict:
    """Return the source of the tests, and by group coverage, standard error, unadjusted coverage, number of tables."""
    pairs = simulated(k, n, population, tables, rng)
    row: dict[str, float | str] = {"source": template(k, n).settings.source}
    for group in GROUPS:
        part = pairs[pairs["group"] == group]
        row[f"{group}: tables"] = part["table"].nunique()
        row[group], row[f"{group}: se"] = coverage_of(part)
        row[f"{group}: unadjusted"] = part["plain"].mean()
    return row


def cell(value: float, se: float) -> str:
    """Return a proportion with its standard error: ".952 ± .007"."""
    return f".{round(1000 * value):03d} ± .{round(1000 * se):03d}".replace(".1000", "1.00")


def compare_rates(tables: int, rng: np.random.Generator) -> None:
    """Print coverage of significant pairs, and of others at alpha p / adjusted p and as shown."""
    groups = ("not significant", "two best, not significant")
    heads = [f"{group}: {rate}" for group in groups for rate in ("α p / adjusted p", "α / m")]
    print("| k | n | population | significant | " + " | ".join(heads) + " | any misses | pairs |")
    print("|---" * (6 + len(heads)) + "|")
    for k, n, population in NONSIGNIFICANT:
        pairs = simulated(k, n, population, tables, rng)
        parts = {group: pairs[pairs["group"] == group] for group in GROUPS}
        cells = [cell(*coverage_of(parts["significant"]))]
        for group in groups:
            cells += [cell(*coverage_of(parts[group], rate)) for rate in ("share", "covers")]
        others = parts["not significant"]
        missed = float((~others.groupby("table")["covers"].all()).sum()) / tables
        cells.append(cell(missed, np.sqrt(missed * (1 - missed) / tables)))
        cells.append(", ".join(str(len(parts[group])) for group in groups))
        print(f"| {k} | {n} | {population.split(',')[0]} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    """Print one row per size and population."""
    arguments = sys.argv[1:]
    only_rates = arguments[:1] == ["nonsignificant"]
    tables, seed = (*map(int, arguments[only_rates:]), *(400, 1)[len(arguments[only_rates:]) :])
    rng, start = np.random.default_rng(seed), time.process_time()
    if only_rates:
        compare_rates(tables, rng)
        return
    for population in POPULATIONS:
        print(f"\n{population}, {tables} tables each; coverage ± se (unadjusted)")
        print("| k | n | tests | " + " | ".join(GROUPS) + " |")
        print("|---" * (3 + len(GROUPS)) + "|")
        for k, n in SIZES:
            row = measure(k, n, population, tables, rng)
            cells = [
                f"{cell(row[g], row[f'{g}: se'])} "
                f"(.{round(1000 * row[f'{g}: unadjusted']):03d})".replace(".1000", "1.00")
                if row[f"{g}: tables"] >= 20
                else f"{row[f'{g}: tables']} tables"
                for g in GROUPS
            ]
            print(f"| {k} | {n} | {row['source']} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{time.process_time() - start:.0f} s of processor time, seed {seed}")


if __name__ == "__main__":
    main()
