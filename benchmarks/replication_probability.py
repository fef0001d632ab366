"""Calibration of estimated replication probabilities against replications on new data sets.

``python -m benchmarks.replication_probability --data FOLDER [--experiments 16] [--resamples 100]``
draws two experiments of the same size from each population: disjoint halves of a published table,
or simulated results. `replication` estimates from the first the probability that each significant
difference is replicated; the second shows whether it is. The estimate is compared with the plain
bootstrap over data sets, which resamples the first experiment without shrinking effects. FOLDER
holds the folders amlb2019 and exreport_weka.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.benchmark_row import markdown, results_of
from stats_core.comparison.analyse import analyse
from stats_core.comparison.result import Comparison
from stats_core.robustness.leave_one_out import replication

ROOT = Path(__file__).parents[1]
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)
SIZES = ((12, 4), (20, 3), (20, 8), (40, 5), (20, 2))  # (data sets, algorithms), simulated
SPREADS = {"small": 0.3, "large": 0.8, "half equal": 0.6, "unlike noise": 0.5, "heavy tails": 0.5}
Draw = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]


def tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield tables of results, data set x algorithm; larger is better."""
    automl = pd.read_csv(folder / "amlb2019" / "results_long.csv")
    for budget in ("1h", "4h"):
        rows = automl[(automl["budget"] == budget) & (automl["algorithm"] != "constantpredictor")]
        yield f"AutoML, {budget}", _averages(rows, "imp_score")
    weka = pd.read_csv(folder / "exreport_weka" / "results_long.csv")
    for selection, rows in weka.groupby("feature_selection"):
        yield f"Weka, selection {selection}", _averages(rows, "accuracy")
    samples = ROOT / "sample_results"
    for name in ("uci38_5x2", "graded"):
        yield name, -_averages(pd.read_csv(samples / f"{name}.csv"), "error")
    wide = pd.read_csv(samples / "garcia_herrera_2008_accuracy.csv", index_col=0)
    yield "Garcia and Herrera", wide


def _averages(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    return rows.groupby(["dataset", "algorithm"])[measure].mean().unstack().dropna()


def halves(table: pd.DataFrame) -> Draw:
    """Return a function that splits a table randomly into two disjoint experiments."""
    values, size = table.to_numpy(), len(table) // 2

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        places = rng.permutation(len(values))
        return values[places[:size]], values[places[size : 2 * size]]

    return draw


def simulated(kind: str, n: int, k: int) -> Draw:
    """Return a function that simulates two experiments with the same true differences."""

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return the results of two experiments, data set x algorithm."""
        effects = rng.normal(size=k) * SPREADS[kind]
        if kind == "half equal":
            effects[: k // 2] = 0
        noise = np.exp(0.6 * rng.normal(size=k)) if kind == "unlike noise" else np.ones(k)
        heavy = kind == "heavy tails"

        def experiment() -> np.ndarray:
            errors = rng.standard_t(2.5, size=(n, k)) if heavy else rng.normal(size=(n, k))
            return 2 * rng.normal(size=(n, 1)) + effects + noise * errors

        return experiment(), experiment()

    return draw


def populations(folder: Path) -> Iterator[tuple[str, Draw]]:
    """Yield every population with its name."""
    yield from ((name, halves(table)) for name, table in tables(folder))
    for kind in SPREADS:
        for n, k in SIZES:
            yield f"simulated, {kind}", simulated(kind, n, k)


def compared(values: np.ndarray) -> Comparison:
    """Return the analysis of values by default settings."""
    return analyse(results_of(pd.DataFrame(values).add_prefix("a"), "score", "higher"))


def plain_bootstrap(
    comparison: Comparison, resamples: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the share of bootstrap samples in which the row is significantly better."""
    n = len(comparison.units)
    decisions = [comparison.resampled(rng.integers(0, n, n)).beats for _ in range(resamples)]
    return sum(table.astype(float) for table in decisions) / resamples


def trials(folder: Path, experiments: int, resamples: int, seed: int) -> pd.DataFrame:
    """Return by claim (a difference, all of them, the best algorithm) the estimates and whether it is replicated."""
    rng, rows, number = np.random.default_rng(seed), [], 0
    for name, draw in populations(folder):
        for _ in range(experiments if name.startswith("simulated") else 3 * experiments):
            first, second = (compared(values) for values in draw(rng))
            number += 1
            estimated = replication(first, resamples=resamples, seed=number)
            if not len(estimated.pairs):
                continue
            plain, beats = plain_bootstrap(first, resamples, rng), second.beats
            repeated = []
            for a, b, share in estimated.pairs[["first", "second", "probability"]].to_numpy():
                repeated.append(bool(beats.loc[a, b]))
                rows.append((name, number, "pair", repeated[-1], share, plain.loc[a, b]))
            rows.append((name, number, "all", all(repeated), estimated.every, np.nan))
            rows.append(
                (name, number, "best", first.order[0] in second.top, estimated.best, np.nan)
            )
    columns = ["population", "experiment", "claim", "repeated", "estimate", "plain"]
    return pd.DataFrame(rows, columns=columns)


def summed(rows: pd.DataFrame, by: pd.Series, estimate: str) -> pd.DataFrame:
    """Return mean estimate and replication rate by group, with standard errors clustered by experiment."""

    def of_group(group: pd.DataFrame) -> pd.Series:
        """Return size, mean estimate and replication rate of a group, with the standard error of the rate."""
        rate = group["repeated"].mean()
        off = (group["repeated"] - rate).groupby(group["experiment"]).sum()
        error = np.sqrt((off**2).sum()) / len(group)
        return pd.Series(
            {
                "differences": len(group),
                "experiments": group["experiment"].nunique(),
                "estimate": group[estimate].mean(),
                "repeated": rate,
                "standard error": error,
            }
        )

    return rows.groupby(by, observed=True).apply(of_group, include_groups=False)


def main() -> None:
    """Print the calibration tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--experiments", type=int, default=8)
    parser.add_argument("--resamples", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rows = trials(options.data, options.experiments, options.resamples, options.seed)
    pairs = rows[rows["claim"] == "pair"]
    for estimate in ("estimate", "plain"):
        edges = pd.cut(pairs[estimate], BINS, include_lowest=True)
        error = ((pairs[estimate] - pairs["repeated"]) ** 2).mean()
        print(f"\n{estimate}: by estimated probability (Brier score {error:.3f})\n")
        _print(summed(pairs, edges, estimate))
        print(f"\n{estimate}: by population\n")
        _print(summed(pairs, pairs["population"], estimate))
    for claim in ("all", "best"):
        print(f"\n{claim}\n")
        claims = rows[rows["claim"] == claim]
        _print(summed(claims, pd.cut(claims["estimate"], BINS, include_lowest=True), "estimate"))


def _print(table: pd.DataFrame) -> None:
    formats = ("{}", *["{:.0f}"] * 2, *["{:.3f}"] * 3)
    rows = (
        [form.format(cell) for form, cell in zip(formats, row, strict=True)]
        for row in table.itertuples()
    )
    print(markdown(["", *table.columns], rows))


if __name__ == "__main__":
    main()
