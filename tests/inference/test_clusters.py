"""Tests of clusters of any sizes: R's clubSandwich, the matrix formulas of CR2, enumeration, and extremes."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import linalg, stats

from stats_core.core.errors import DataError, SettingError
from stats_core.inference.clusters import FlippedSums, cr2_error, effective_number, satterthwaite_df
from stats_core.inference.paired.instance_tests import mean_of_instances, swap_test, two_way_test
from stats_core.inference.rank_intervals import paired_moments, rank_intervals

OF_R = json.loads((Path(__file__).parents[1] / "reference" / "clusters_r.json").read_text())[
    "cases"
]
SIZES = [[3] * 4, [60] + [2] * 9, [40] + [3] * 7, [2, 5], [1, 2, 3, 4], [1] * 6]


def groups(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def values_of_r(sizes):
    """Return the values that R was given."""
    cluster = groups(sizes) + 1
    instance = np.arange(len(cluster)) + 1
    return np.round((instance * 7919 % 101) / 101 + (cluster * 31 % 7) / 10, 6)


@pytest.mark.parametrize("case", OF_R, ids=str)
def test_errors_and_degrees_of_freedom_are_those_of_club_sandwich(case):
    values = values_of_r(case["sizes"])
    found = cr2_error((values - values.mean()) / len(values), groups(case["sizes"]))

    assert values.mean() == pytest.approx(case["mean"], rel=1e-9)
    assert found.error == pytest.approx(case["error"], rel=1e-9)
    assert found.df == pytest.approx(case["df"], rel=1e-9)
    p = 2 * stats.t.sf(values.mean() / found.error, found.df)
    assert p == pytest.approx(case["p"], rel=1e-8)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_cr2_is_the_formula_with_matrices(sizes):
    """Bell and McCaffrey 2002: residuals times (I - H)^(-1/2) by cluster, df 2 E^2 / Var."""
    group, n = groups(sizes), sum(sizes)
    values = np.random.default_rng(3).normal(size=n)
    hat = np.full((n, n), 1 / n)
    variance, weights = 0.0, []
    for code in range(len(sizes)):
        own = group == code
        left = np.eye(own.sum()) - hat[np.ix_(own, own)]
        root = linalg.inv(linalg.sqrtm(left))
        of_cluster = np.zeros(n)
        of_cluster[own] = root.real @ np.ones(own.sum()) / n
        variance += (of_cluster @ (values - values.mean())) ** 2
        weights.append((np.eye(n) - hat) @ of_cluster)
    form = np.array(weights) @ np.array(weights).T
    found = cr2_error((values - values.mean()) / n, group)

    assert found.error == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert found.df == pytest.approx(np.trace(form) ** 2 / (form**2).sum(), rel=1e-9)
    assert found.df <= len(sizes) - 1 + 1e-9
    assert effective_number(sizes) == pytest.approx(n**2 / sum(m**2 for m in sizes))


@pytest.mark.parametrize("sizes", [[4] * 5, [1] * 9])
def test_equal_clusters_have_the_t_test_of_their_means(sizes):
    values, group = np.random.default_rng(1).normal(size=sum(sizes)), groups(sizes)
    found = cr2_error((values - values.mean()) / len(values), group)
    means = [values[group == code].mean() for code in range(len(sizes))]

    assert found.df == len(sizes) - 1
    assert found.error == pytest.approx(stats.sem(means))


def test_the_variance_of_independent_instances_is_unbiased_for_any_sizes():
    sizes = [30, 2, 2, 1]
    values = np.random.default_rng(2).normal(size=(4000, sum(sizes)))
    variances = [
        cr2_error((row - row.mean()) / len(row), groups(sizes)).error ** 2 for row in values
    ]
    error = np.std(variances) / np.sqrt(len(variances))

    assert np.mean(variances) == pytest.approx(1 / sum(sizes), abs=4 * error)


ALIKE = [(2, 3, 1), (3, 3, 1), (5, 10, 3), (6, 10, 7), (10, 3, 2)]


@pytest.mark.parametrize(("clusters", "size", "right"), ALIKE)
def test_equal_clusters_do_not_make_an_interval_narrower_than_independent_instances(
    clusters, size, right
):
    answers = np.tile(np.arange(size) < right, clusters)
    group, truth = groups([size] * clusters), np.ones(clusters * size, dtype=bool)
    alone = mean_of_instances("accuracy", truth, [answers], np.arange(len(group)))
    found = mean_of_instances("accuracy", truth, [answers], group)

    assert found["design effect"] == 1
    assert found["standard error"] == pytest.approx(alone["standard error"])
    assert found["low"] <= alone["low"] < alone["high"] <= found["high"]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_standard_errors_are_never_below_those_of_independent_instances(sizes):
    for seed in range(20):
        values = np.random.default_rng(seed).normal(size=sum(sizes)).round(1)
        found = cr2_error((values - values.mean()) / len(values), groups(sizes), values)
        assert found.for_intervals >= values.std(ddof=1) / np.sqrt(len(values)) * (1 - 1e-9)
        assert found.design_effect >= 1


# constant differences: the p-value counts the observed arrangement and its opposite


def shifted(n, seed, size=1):
    second = np.random.default_rng(seed).integers(0, 60, n * size) / 100
    return second + 0.1, second, groups([size] * n) if size > 1 else None


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 8, 10])
def test_constant_differences_have_p_of_two_arrangements(n, size):
    for seed in range(30):
        first, second, clusters = shifted(n, seed, size)
        found = swap_test("mean", np.zeros(n * size), first, second, clusters=clusters)
        assert found.pvalue == pytest.approx(2 / 2**n)
        assert (found.pvalue_greater, found.pvalue_less) == pytest.approx((1 / 2**n, 1))
        assert found.low < 0.1 < found.high
        assert (found.low > 0) == (found.pvalue <= 0.05)


def enumerated(differences, sizes, shift=0.0):
    """Return the exact p of the studentized sign-flip test of sums of clusters."""
    sizes, n = np.asarray(sizes, dtype=float), len(sizes)
    signs = np.array(list(product((1, -1), repeat=n)))
    sums = signs * (np.asarray(differences) - shift * sizes)
    means = sums.sum(axis=1) / sizes.sum()
    squares = ((sums - means[:, None] * sizes) ** 2).sum(axis=1)
    with np.errstate(divide="ignore"):
        size = np.abs(means) * sizes.sum() / np.sqrt(squares * n / (n - 1))
    return np.mean(size >= size[0] * (1 - 1e-9))


def flips_of(differences, sizes):
    n = len(sizes)
    ways = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    signs = np.packbits(ways.astype(np.uint8), axis=1)
    return FlippedSums.of(np.asarray(differences), np.asarray(sizes, float), signs, listed=True)


@pytest.mark.parametrize("sizes", [[1] * 7, [20, 3, 3, 2, 2, 1, 1], [1, 2, 3, 4, 5, 6, 7]], ids=str)
def test_intervals_hold_the_differences_that_are_not_rejected(sizes):
    differences = np.random.default_rng(5).normal(0.3, 0.5, len(sizes)) * sizes
    flips = flips_of(differences, sizes)
    low, high = flips.interval(0.05, (-np.inf, np.inf))
    width = high - low

    for shift in (0.0, 0.2, -1.0):
        assert flips.pvalue(shift) == pytest.approx(enumerated(differences, sizes, shift))
    for end, inward in ((low, 1), (high, -1)):
        assert enumerated(differences, sizes, end + inward * 1e-5 * width) > 0.05
        assert enumerated(differences, sizes, end - inward * 1e-5 * width) <= 0.05


def accuracies(sizes, seed, correlation=0.5):
    """Return truth and answers of two models of equal accuracy, correlated within clusters, and the clusters."""
    rng = np.random.default_rng(seed)
    group, n = groups(sizes), sum(sizes)
    both = [
        np.sqrt(correlation) * rng.normal(size=len(sizes))[group]
        + np.sqrt(1 - correlation) * rng.normal(size=n)
        < 0.5
        for _ in range(2)
    ]
    return np.ones(n, dtype=bool), *both, group


@pytest.mark.parametrize("measure", ["accuracy", "f", "mcc", "auc", "brier", "mean"])
@pytest.mark.parametrize("sizes", [[4] * 5, [4] * 8, [30] + [2] * 7], ids=str)
def test_intervals_of_clusters_agree_with_the_test_and_stay_within_the_range(measure, sizes):
    for seed in range(6):
        _, first, second, group = accuracies(sizes, seed)
        truth = np.random.default_rng(seed).random(len(group)) < 0.5
        found = swap_test(measure, truth, first.astype(float), second.astype(float), clusters=group)
        bound = np.inf if measure == "mean" else 2.0 if measure == "mcc" else 1.0
        assert -bound <= found.low <= found.estimate <= found.high <= bound
        assert (found.low > 0 or found.high < 0) == (found.pvalue <= 0.05)
        assert found.pvalue >= 2 / 2 ** len(sizes)
        if len(sizes) == 5:  # no difference can be rejected
            assert (found.low, found.high) == (-bound, bound)


def test_areas_of_clusters_have_fewer_degrees_of_freedom_if_one_is_large():
    truth, first, second, group = accuracies([30] + [2] * 9, 1)
    truth = np.random.default_rng(1).random(len(group)) < 0.5
    found = two_way_test("auc", truth, [first + 0.0], [second + 0.0], clusters=group)

    assert found.df == (satterthwaite_df([30] + [2] * 9),)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 8])
def test_constant_differences_have_the_documented_p_in_rank_intervals(n):
    """The difference is studentized as if it were 0 on one of n items, t = n - 1, and sign flips have p = 2 / 2^n."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        base = rng.random(n).round(2)
        table = pd.DataFrame({"a": base + 0.1, "b": base, "c": rng.random(n).round(2)})
        found = rank_intervals(table, higher_is_better=True, draws=999)
        least = max(2 * stats.t.sf(n - 1, n - 1), 2 / 2**n)
        assert least - 1e-12 <= found.pvalues.loc["a", "b"] <= least + 0.02


def test_moments_of_clusters_are_the_errors_of_their_differences():
    sizes = [20, 5, 3, 2, 2]
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(32, 3)), columns=list("abc"))
    moments = paired_moments(table, clusters=groups(sizes))
    difference = (table["a"] - table["c"]).to_numpy()
    found = cr2_error((difference - difference.mean()) / 32, groups(sizes))

    assert moments.variances[0, 2] == pytest.approx(found.error**2)
    assert moments.independent[0, 2] == pytest.approx(found.independent**2)
    assert moments.df[0, 2] == pytest.approx(found.df)


def test_means_of_equal_clusters_have_errors_of_independent_items_in_rank_intervals():
    table = pd.DataFrame({"a": [0.1, 0.2, 0.6] * 5, "b": np.random.default_rng(0).random(15)})
    found = rank_intervals(table, higher_is_better=True, clusters=np.arange(15) // 3, draws=99)

    assert found.table.loc["a", "error"] == pytest.approx(table["a"].sem())


def test_rank_intervals_cover_with_one_large_cluster():
    """Equal models; before, the coverage was 0.19."""
    sizes, covered, runs = [60] + [2] * 9, 0, 60
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        group = groups(sizes)
        table = rng.normal(size=(10, 3))[group] + rng.normal(size=(sum(sizes), 3))
        found = rank_intervals(
            pd.DataFrame(table, columns=list("abc")),
            higher_is_better=True,
            clusters=group,
            draws=199,
        ).table
        covered += (found["low all"] == 1).all() and (found["high all"] == 3).all()
    assert covered >= stats.binom.ppf(0.001, runs, 0.95)


def test_clusters_without_a_name_are_refused():
    truth, first, second = np.ones(4), [1, 0, 1, 1], [0, 0, 1, 1]
    with pytest.raises(DataError, match="clusters"):
        swap_test("accuracy", truth, first, second, clusters=[1, 1, np.nan, 2])


@pytest.mark.parametrize("clusters", [None, np.arange(12) // 2])
def test_one_sided_alternatives_have_the_p_value_of_their_side(clusters):
    first, second = np.random.default_rng(4).normal(size=(2, 12))
    options = {"clusters": clusters}
    two = swap_test("mean", np.zeros(12), first, second, **options)
    for alternative in ("greater", "less"):
        found = swap_test("mean", np.zeros(12), first, second, alternative=alternative, **options)
        assert found.pvalue == getattr(two, f"pvalue_{alternative}")
        assert (found.low, found.high) == (two.low, two.high)
    with pytest.raises(SettingError, match="alternative"):
        swap_test("mean", np.zeros(12), first, second, alternative="larger")
