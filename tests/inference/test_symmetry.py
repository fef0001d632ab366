"""Tests of the test of symmetry: published statistic, level, and notes about it."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DegenerateError, DesignError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.assumptions import symmetric_differences
from stats_core.report.analysis_steps import describe_steps
from stats_core.report.tables.table_registry import tables_of

SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.random(n),
    "of unlike scales": lambda rng, n: rng.normal(size=n) * np.exp(rng.normal(size=n)),
}


def by_triples(d):
    """Return the statistic by its definition in Hollander and Wolfe 1999, section 3.9, over all triples."""
    n, of_one, of_two, total = len(d), np.zeros(len(d)), np.zeros((len(d), len(d))), 0.0
    for i, j, k in combinations(range(n), 3):
        sign = (
            np.sign(d[i] + d[j] - 2 * d[k])
            + np.sign(d[i] + d[k] - 2 * d[j])
            + np.sign(d[j] + d[k] - 2 * d[i])
        )
        total += sign
        of_one[[i, j, k]] += sign
        for a, b in ((i, j), (i, k), (j, k)):
            of_two[a, b] += sign
    variance = (
        (n - 3) * (n - 4) / ((n - 1) * (n - 2)) * (of_one**2).sum()
        + (n - 3) / (n - 4) * (of_two**2).sum()
        + n * (n - 1) * (n - 2) / 6
        - (1 - (n - 3) * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2))) * total**2
    )
    return total / np.sqrt(variance)


@pytest.mark.parametrize("unit", [1e-6, 0.1, 3.0])
def test_the_statistic_is_that_of_all_triples(rng, unit):
    for n in (10, 13, 20):
        whole = np.rint(rng.exponential(3, size=n) / unit)  # of a large unit many tie
        d = whole * unit
        found = symmetric_differences(d, np.zeros(n))
        assert found.statistic == pytest.approx(by_triples(whole))
        other = symmetric_differences(np.zeros(n), d)
        assert other.statistic == pytest.approx(-found.statistic)


@pytest.mark.parametrize("shape", SHAPES)
def test_symmetric_differences_are_seldom_rejected_and_skewed_ones_often(shape):
    rng, runs = np.random.default_rng(4), 500
    zero = np.zeros(40)

    def rejected(draw):
        found = (symmetric_differences(draw(rng, 40), zero).pvalue <= 0.05 for _ in range(runs))
        return np.mean(list(found))

    assert rejected(SHAPES[shape]) < 0.1 + 2 * np.sqrt(0.1 * 0.9 / runs)
    assert rejected(lambda rng, n: np.exp(SHAPES[shape](rng, n) * 1.5)) > 0.25


def test_what_cannot_be_checked_is_refused():
    with pytest.raises(DesignError, match="at least 10 pairs"):
        symmetric_differences(np.arange(9.0), np.zeros(9))
    with pytest.raises(DegenerateError, match="no variation"):
        symmetric_differences(np.ones(12), np.zeros(12))


def results_of(values):
    table = pd.DataFrame(values, columns=list("abc")).rename_axis("dataset").reset_index()
    long = table.melt("dataset", var_name="algorithm", value_name="error")
    return Results.from_frame(long, directions={"error": "lower"})


@pytest.mark.parametrize(
    "settings", [Settings(), Settings(control="c"), Settings(pair=("a", "c"))], ids=repr
)
def test_one_skewed_algorithm_is_named_with_the_test_that_does_not_assume_symmetry(settings):
    rng = np.random.default_rng(3)
    values = rng.normal(10, 0.2, size=(40, 3))
    fair = analyse(results_of(values), settings)
    values[:, 0] = 10 + rng.exponential(size=40) ** 2
    skewed = analyse(results_of(values), settings)

    assert not [one for one in fair.notes if one.code == "not symmetric"]
    (said,) = [one for one in skewed.notes if one.code == "not symmetric"]
    text = str(said)
    assert "a − c" in text or "c − a" in text
    assert "b − c" not in text
    assert "c − b" not in text
    assert "The Wilcoxon test assumes symmetry. The sign test" in text
    (table,) = tables_of(skewed, "symmetry")
    flagged = table.frame[table.frame["asymmetric"] == "yes"]
    assert all("a" in {*pair} for pair in flagged[["algorithm A", "algorithm B"]].to_numpy())
    assert any("asymmetric" in step.fails for step in describe_steps(skewed))


def test_nothing_is_said_of_symmetry_where_no_test_assumes_it():
    values = np.random.default_rng(3).normal(size=(40, 3))
    values[:, 0] = np.random.default_rng(4).exponential(size=40) ** 3
    for source in ("ranks", "sign"):
        analysis = analyse(results_of(values), Settings(source=source))
        assert not [one for one in analysis.notes if one.code == "not symmetric"]
        assert tables_of(analysis, "symmetry") == []
