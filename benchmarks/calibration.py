"""How often do the advised tests on folds name a difference between learners that are equally good?

Run with ``python -m benchmarks.calibration --data FOLDER [--samples 500] [--keep FOLDER]
[--only-kept]``. Samples of real data sets (`calibration_data`) are resampled by every design, and
the tests that are advised for two and for four algorithms judge them at 0.05; beside them, what was
advised before. All samples are judged at once; on the first few of every design the p-values are
compared with those of `stats_core`. What is drawn is kept in chunks of a hundred samples, so the
script can be run in pieces.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import exp, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.calibration_data import (
    ALGORITHMS,
    COMMON,
    DESIGNS,
    SIZE,
    Population,
    populations,
    sample,
)
from stats_core.comparison.analyse import analyse
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.paired import corrected_df, overlap_factor
from stats_core.inference.studentized import studentized_range_isf

ALPHA, CHUNK, CHECKED = 0.05, 100, 3
APART = "spambase, naive bayes"  # far worse than all others by any test, so it has its own column
PAIRS = tuple(combinations(range(ALGORITHMS), 2))
# design -> share tested, and how a file would tell the design
TESTED: dict[str, tuple[float | None, str]] = {
    "5x2": (1 / 2, ""),
    "10-fold": (1 / 10, ""),
    "10 x 10-fold": (1 / 10, ""),
    "30 partitions, 10 % tested": (1 / 10, "holdout"),
    "30 partitions, 1/3 tested": (67 / 200, "holdout"),
    "bootstrap x 30": (exp(-1), "bootstrap"),
    "bootstrap x 10": (exp(-1), "bootstrap"),
    COMMON: (None, "common test set"),
}


@dataclass(frozen=True)
class Judged:
    """Whether a procedure named differences; sample x pair, and sample."""

    procedure: str
    pairs: np.ndarray
    family: np.ndarray


def file_of(folder: Path, population: str, design: str, start: int) -> Path:
    """Return where a chunk of samples is kept."""
    name = f"{population.replace(', ', '-')},_{design.replace('/', '-').replace('%', 'pc')}_{start}"
    return folder / f"{name.replace(' ', '_')}.npy"


def drawn(
    population: Population, design: str, samples: int, folder: Path, *, only_kept: bool
) -> np.ndarray | None:
    """Return results, sample x result x algorithm x class, None without any that may be drawn."""
    chunks = []
    for start in range(0, samples, CHUNK):
        file = file_of(folder, population.name, design, start)
        if not file.exists():
            if only_kept:
                continue
            seeds = range(start, start + CHUNK)
            np.save(file, np.array([sample(population, design, seed) for seed in seeds]))
        chunks.append(np.load(file))
    return np.concatenate(chunks)[:samples] if chunks else None


def differences(x: np.ndarray) -> np.ndarray:
    """Return sample x pair x result."""
    return np.stack([x[:, :, a] - x[:, :, b] for a, b in PAIRS], axis=1)


def pair_pvalues(x: np.ndarray, fraction: float | None, df: int) -> np.ndarray:
    """Return p of the (corrected) t test, sample x pair."""
    d = differences(x)
    n, spread = d.shape[2], d.std(axis=2, ddof=1)
    varies = spread > 1e-12
    error = np.where(varies, spread, 1.0) * sqrt(overlap_factor(n, fraction) / n)
    return np.where(varies, 2 * stats.t.sf(np.abs(d.mean(axis=2)) / error, df), 1.0)


def five_by_two_pvalues(x: np.ndarray) -> np.ndarray:
    """Return p of Alpaydin's F, sample x pair."""
    d = differences(x)
    halves = d.reshape(*d.shape[:2], 5, 2)
    within = 4 * halves.var(axis=3).sum(axis=2)
    f = (d**2).sum(axis=2) / np.where(within > 0, within, 1)
    return np.where(within > 0, stats.f.sf(f, 10, 5), 1.0)


def tukey_rejects(x: np.ndarray, fraction: float | None, df: int) -> np.ndarray:
    """Return whether Tukey's test separates some pair, by sample."""
    _, n, a = x.shape
    means, folds = x.mean(axis=1, keepdims=True), x.mean(axis=2, keepdims=True)
    residuals = x - means - folds + x.mean(axis=(1, 2), keepdims=True)
    error = (residuals**2).sum(axis=(1, 2)) / ((a - 1) * (n - 1))
    reach = np.ptp(x.mean(axis=1), axis=1)
    critical = studentized_range_isf(ALPHA, a, df)
    return reach > critical * np.sqrt(error / n * overlap_factor(n, fraction))


def advised(x: np.ndarray, design: str) -> Judged:
    """Judge by what is advised now."""
    fraction, n = TESTED[design][0], x.shape[1]
    df, error = n - 1, (ALGORITHMS - 1) * (n - 1)
    if fraction is not None:
        df, error = corrected_df(n, df), corrected_df(n, error)
    name = "paired t, Tukey" if fraction is None else f"corrected t, {df} df, Tukey, {error} df"
    pairs = pair_pvalues(x, fraction, df) <= ALPHA
    return Judged(name, pairs, tukey_rejects(x, fraction, error))


def former(x: np.ndarray, design: str) -> Judged | None:
    """Judge by what was advised before, None where that was the same."""
    fraction, n = TESTED[design][0], x.shape[1]
    if design == "5x2":
        p = five_by_two_pvalues(x)
        # some pair is separated by Bergmann-Hommel if the least p is below alpha over all pairs
        least = p.min(axis=1) <= ALPHA / len(PAIRS)
        return Judged("5x2 cv F, Bergmann-Hommel", p <= ALPHA, least)
    fraction = None if design.startswith("bootstrap") else fraction
    df, error = n - 1, (ALGORITHMS - 1) * (n - 1)
    if n <= 10 and fraction == TESTED[design][0] or design == COMMON:
        return None
    kind = "paired t" if fraction is None else "corrected t"
    name = f"{kind}, {df} df, Tukey, {error} df"
    pairs = pair_pvalues(x, fraction, df) <= ALPHA
    return Judged(name, pairs, tukey_rejects(x, fraction, error))


def as_results(one: np.ndarray, design: str) -> Results:
    """Return one sample as a file would give it."""
    folds = {"5x2": 2, "10-fold": 10, "10 x 10-fold": 10}.get(design, len(one))
    share, hint = TESTED[design]
    tested = SIZE * (share or 0)
    rows = [
        {
            "dataset": "sample",
            "algorithm": f"a{algorithm}",
            "repetition": at // folds + 1,
            "fold": at % folds + 1,
            "error": value,
        }
        | ({"n_train": round(SIZE - tested), "n_test": round(tested)} if hint == "holdout" else {})
        for at, results in enumerate(one)
        for algorithm, value in enumerate(results)
    ]
    return Results.from_frame(
        pd.DataFrame(rows), directions={"error": "lower"}, design_hint=hint or None
    )


def check(x: np.ndarray, design: str) -> None:
    """Stop if the advised analyses of the library decide otherwise on the first samples."""
    ours = advised(x[:CHECKED], design)
    for at in range(min(CHECKED, len(x))):
        results = as_results(x[at], design)
        several = analyse(results, Settings(measure="error"))
        decided = [bool(several.pairs()["separated"].any())]
        for a, b in PAIRS:
            pair = Settings(measure="error", pair=(f"a{a}", f"a{b}"))
            decided.append(bool(analyse(results, pair).pairs()["separated"].any()))
        if decided != [ours.family[at], *ours.pairs[at]]:
            raise SystemExit(f"{design}: the calibration and stats_core disagree")


def rows_of(design: str, every: dict[str, np.ndarray]) -> Iterator[dict]:
    """Sum up both procedures of a design over populations."""
    for judge in (former, advised):
        found = {name: judge(x, design) for name, x in every.items()}
        judged = {name: one for name, one in found.items() if one is not None}
        if judged:
            yield _row(design, judged, "before" if judge is former else "now")


def _row(design: str, judged: dict[str, Judged], when: str) -> dict:
    single = {name: one.pairs.mean(axis=1) for name, one in judged.items()}
    family = {name: one.family for name, one in judged.items()}
    held = [1 - rates.mean() for name, rates in single.items() if name != APART]
    return {
        "design": design,
        "procedure": f"{next(iter(judged.values())).procedure} ({when})",
        **levels("a pair", single),
        **levels("one of six pairs", family),
        "its interval holds 0": f"{np.mean(held):.3f}",
    }


def levels(what: str, rates: dict[str, np.ndarray]) -> dict[str, str]:
    """Write the mean over populations with its standard error, the worst, and the one apart.

    The pairs of a sample hang together, so `rates` has one number for each sample.
    """
    means = {name: each.mean() for name, each in rates.items() if name != APART}
    squares = [np.var(rates[name], ddof=1) / len(rates[name]) for name in means]
    worst = max(means, key=means.__getitem__)
    return {
        what: f"{np.mean(list(means.values())):.3f} ± {sqrt(sum(squares)) / len(means):.3f}",
        f"{what}, worst of the others": f"{means[worst]:.3f} {worst}",
        f"{what}, {APART}": f"{rates[APART].mean():.3f}" if APART in rates else "",
    }


def markdown(rows: list[dict]) -> str:
    """Return the table as docs/methods.md has it."""
    head = list(rows[0])
    lines = [[name.strip() for name in head], [":--"] * 2 + ["--:"] * (len(head) - 2)]
    lines += [[str(row[name]) for name in head] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def arguments(about: str | None) -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=(about or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--keep", type=Path, default=Path("calibration"), help="folder of samples")
    parser.add_argument("--only-kept", action="store_true", help="draw nothing")
    asked = parser.parse_args()
    asked.keep.mkdir(parents=True, exist_ok=True)
    return asked


def samples_of(design: str, asked: argparse.Namespace) -> dict[str, np.ndarray]:
    """Return the samples of every population that has some, drawing what may be drawn."""
    found = {
        population.name: drawn(
            population, design, asked.samples, asked.keep, only_kept=asked.only_kept
        )
        for population in populations(asked.data)
    }
    return {name: x for name, x in found.items() if x is not None}


def main() -> None:
    """Print the table."""
    asked = arguments(__doc__)
    rows: list[dict] = []
    for design in (*DESIGNS, COMMON):
        samples = {name: x.sum(axis=3) for name, x in samples_of(design, asked).items()}
        if not samples:
            continue
        for x in samples.values():
            check(x, design)
        rows += rows_of(design, samples)
        print(design, {name: len(x) for name, x in samples.items()}, flush=True)
    print(markdown(rows))


if __name__ == "__main__":
    main()
