"""Metamorphic tests: names of algorithms and data sets change no number of a comparison."""

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.inference.pair_intervals import rank_shift
from stats_core.io.read import read_results

ENDS = ["estimate", "low", "high"]


def over_sets(k, n, digits, seed):
    """Return errors with many ties: with few digits, average ranks tie, too."""
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 8 * 10**digits, (n, k)) / (10 * 10**digits)
    table = pd.DataFrame(values, columns=list("abcdef")[:k])
    return table.assign(dataset=[f"d{i}" for i in range(n)]).melt("dataset", var_name="algorithm")


def on_folds(k, n, digits, seed):
    """Return errors on the folds of one data set."""
    return over_sets(k, n, digits, seed).rename(columns={"dataset": "fold"}).assign(dataset="one")


def answers(k, n, seed, runs=1):
    """Return right and wrong answers of models to the same items."""
    rng = np.random.default_rng(seed)
    parts = [
        pd.DataFrame(
            {
                "item": np.arange(n),
                "algorithm": name,
                "accuracy": (rng.random(n) < 0.7).astype(int),
                **({"seed": run} if runs > 1 else {}),
            }
        )
        for run in range(runs)
        for name in list("abcdef")[:k]
    ]
    return pd.concat(parts)


def compared(table, **settings):
    table = table.rename(columns={"value": "error"})
    results = read_results(("results.csv", table.to_csv(index=False).encode()))
    return analyse(results, Settings(**settings))


def pairs_of(comparison, original):
    """Return the rows of the pairs by original names, turned so that these are in order."""
    rows = {}
    for row in comparison.pairs.frame.to_dict("records"):
        first, second = original.get(row["first"]), original.get(row["second"])
        numbers = [row.get(name, np.nan) for name in ENDS]
        if first > second:
            first, second = second, first
            numbers = [-numbers[0], -numbers[2], -numbers[1]]
        rows[first, second] = [*numbers, row["p"], row["p adjusted"], row["separated"]]
    return rows


CASES = {
    **{
        f"{k} x {n} by {source}, {digits} digits": (over_sets(k, n, digits, k), {"source": source})
        for k, n, digits in ((3, 5, 0), (3, 10, 1), (4, 8, 0), (5, 12, 0))
        for source in ("ranks", "wilcoxon", "sign")
    },
    "average ranks by Nemenyi": (
        over_sets(4, 9, 0, 5),
        {"source": "ranks", "correction": "nemenyi"},
    ),
    "two algorithms": (over_sets(2, 9, 1, 6), {}),
    "folds": (on_folds(3, 10, 1, 7), {}),
    "folds by Tukey": (on_folds(3, 10, 1, 8), {"test": "Tukey"}),
    "a pair on folds": (on_folds(2, 10, 1, 9), {}),
    "items": (answers(3, 60, 10), {}),
    "items and runs": (answers(3, 60, 11, runs=3), {}),
}


@pytest.mark.parametrize("name", CASES)
def test_names_of_algorithms_and_data_sets_change_no_number(name):
    table, settings = CASES[name]
    names = sorted(table["algorithm"].unique())
    others = dict(zip(names, reversed([f"m{i}" for i in range(len(names))]), strict=True))
    renamed = table.assign(algorithm=table["algorithm"].map(others))
    if "dataset" in table:
        sets = sorted(table["dataset"].unique())
        labels = dict(zip(sets, reversed([f"s{i:02}" for i in range(len(sets))]), strict=True))
        renamed["dataset"] = table["dataset"].map(labels)
    before = pairs_of(compared(table, **settings), dict(zip(names, names, strict=True)))
    after = pairs_of(compared(renamed, **settings), {other: name for name, other in others.items()})
    assert before.keys() == after.keys()
    for pair, numbers in before.items():
        assert after[pair] == pytest.approx(numbers, rel=1e-9, abs=1e-12, nan_ok=True), pair


@pytest.mark.parametrize("seed", range(6))
def test_a_rank_shift_of_the_other_order_has_the_other_sign(seed):
    rng = np.random.default_rng(seed)
    badness = rng.normal(size=(8, 4)).round(1)
    badness[rng.random((8, 4)) < 0.1] = np.inf  # failures
    for critical in (3.0, 9.0):
        estimate, low, high = rank_shift(badness, (0, 2), critical)
        other = rank_shift(badness, (2, 0), critical)
        assert other == pytest.approx((-estimate, -high, -low))


def test_a_rank_shift_makes_the_rank_sums_equal():
    """By ranking again after both algorithms are moved by half of the shift."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        badness = rng.normal(size=(7, 5))
        estimate, low, high = rank_shift(badness, (1, 3), 10.0)

        def difference(shift, badness=badness):
            moved = badness.copy()
            moved[:, 1] -= shift / 2
            moved[:, 3] += shift / 2
            ranks = moved.argsort(axis=1).argsort(axis=1)
            return (ranks[:, 1] - ranks[:, 3]).sum()

        step = 1e-9
        assert difference(estimate - step) >= 0 >= difference(estimate + step)
        if np.isfinite(low):
            assert difference(low - step) >= 10 > difference(low + step)
        if np.isfinite(high):
            assert difference(high + step) <= -10 < difference(high - step)
