"""Tests of Hotelling's T2 and MANOVA: other programs, identities, collinear measures, invalid input."""

from functools import cache, partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from stats_core.core.errors import DataError, DegenerateError, DesignError
from stats_core.inference.anova import anova
from stats_core.inference.multivariate.hotelling import (
    effective_space,
    hotelling_paired,
    hotelling_two_sample,
    mean_region,
    pairwise_hotelling,
)
from stats_core.inference.multivariate.manova import (
    manova,
    manova_dimension,
    shuffled_hotelling,
    shuffled_manova,
)
from stats_core.inference.paired import corrected_t, overlap_factor, paired_t
from tests.breast_cancer_data import assert_expected
from tests.conftest import REFERENCE, load_oracles
from tests.monte_carlo import draws, share

SETS = {
    "tpr_fpr": ["tpr", "fpr"],
    "precision_recall": ["precision", "recall"],
    "fp_fn": ["fp", "fn"],
    "err_roc_pr": ["error", "auc_roc", "auc_pr_trapz"],
}
ORDER = ["tree", "logreg", "knn", "nb", "rf", "svc"]
COUNTS = ["tp", "fp", "tn", "fn"]


@cache
def oracles():
    return load_oracles("D_bc")


@cache
def table():
    return pd.read_csv(REFERENCE / "D_bc_cv10_folds.csv")


def vectors(measures):
    """Return the results of ten folds, algorithm x fold x measure."""
    return np.stack(
        [
            table()[table()["algorithm"] == name].sort_values("fold")[measures].to_numpy(float)
            for name in ORDER
        ]
    )


@pytest.mark.parametrize("key", SETS)
def test_paired_hotelling_agrees_with_numpy_r_and_pingouin(key):
    oracle, runs = oracles()[f"{key}.hotelling_paired"], vectors(SETS[key])
    directions = oracles()[f"{key}.hotelling_paired.direction_w"]
    for pair, expected in oracle["expected"].items():
        i, j = (ORDER.index(name) for name in pair.split("|"))
        test = hotelling_paired(runs[i], runs[j], names=SETS[key])

        actual = [test.t2, test.statistic, *test.df, test.pvalue]
        assert_expected(actual, oracle, [expected[x] for x in ("T2", "F", "df1", "df2", "p")])
        w = list(directions["expected"][pair].values())
        assert_expected(test.direction.to_numpy(), directions, w)


@pytest.mark.parametrize("key", SETS)
def test_two_sample_hotelling_agrees_with_pingouin_and_r(key):
    oracle, runs = oracles()[f"{key}.hotelling_two_sample"], vectors(SETS[key])
    for pair, expected in oracle["expected"].items():
        i, j = (ORDER.index(name) for name in pair.split("|"))
        test = hotelling_two_sample(runs[i], runs[j])

        actual = [test.t2, test.statistic, *test.df, test.pvalue]
        assert_expected(actual, oracle, [expected[x] for x in ("T2", "F", "df1", "df2", "p")])


@pytest.mark.parametrize("key", SETS)
@pytest.mark.parametrize(("blocked", "prefix"), [(False, "manova"), (True, "manova_blocked")])
def test_manova_agrees_with_r_and_statsmodels(key, blocked, prefix):
    model = manova(vectors(SETS[key]), blocked=blocked)
    for name in ("Wilks", "Pillai", "Roy"):
        oracle = oracles()[f"{key}.{prefix}.{name}"]
        expected = [oracle["expected"][x] for x in ("stat", "F", "df1", "df2", "p")]
        assert_expected(model.table.loc[name].iloc[:5].to_numpy(float), oracle, expected)
    lawley = oracles()[f"{key}.{prefix}.Hotelling-Lawley"]
    assert_expected(
        model.table.loc["Hotelling-Lawley", "value"], lawley, lawley["expected"]["stat"]
    )
    both = lawley["params"]
    for row, said in (("Hotelling-Lawley", "R"), ("Hotelling-Lawley (McKeon)", "statsmodels")):
        expected = next(value for name, value in both.items() if f"approximation {said}" in name)
        actual = model.table.loc[row, ["F or chi2", "df1", "df2", "p"]].to_numpy(float)
        np.testing.assert_allclose(
            actual, [expected[x] for x in ("F", "df1", "df2", "p")], rtol=1e-7
        )
    eigen = oracles()[f"{key}.{prefix}.eigen"]
    assert_expected(model.eigenvalues, eigen, eigen["expected"]["values"])
    bartlett = oracles()[f"{key}.{prefix}.wilks_bartlett_chi2"]
    actual = model.table.loc["Wilks (Bartlett)", ["value", "F or chi2", "df1", "p"]]
    expected = [bartlett["expected"][x] for x in ("wilks", "chi2", "df", "p")]
    assert_expected(actual.to_numpy(float), bartlett, expected)


def test_mckeons_approximation_is_missing_where_its_denominator_is_not_positive(rng):
    """It divides by v_e - p - 3; two algorithms on three folds have v_e = 4, and here p = 2."""
    table = manova(rng.random((2, 3, 2)), blocked=False).table

    assert table.loc["Hotelling-Lawley (McKeon)", ["F or chi2", "df2", "p"]].isna().all()
    assert table.loc[["Wilks", "Hotelling-Lawley"], "p"].between(0, 1).all()


@pytest.mark.parametrize("key", SETS)
def test_dimension_tests_agree_with_r(key):
    oracle = oracles()[f"{key}.manova.dimension_tests"]
    found = manova_dimension(vectors(SETS[key]), blocked=False)

    for r, expected in oracle["expected"].items():
        actual = found.tests.loc[int(r), ["chi2", "df", "p"]].to_numpy(float)
        assert_expected(actual, oracle, [expected[x] for x in ("chi2", "df", "p")])
    rejected = [p <= 0.05 for p in found.tests["p"]]
    assert found.dimension == (rejected.index(False) if False in rejected else len(rejected))


def test_four_counts_carry_two_dimensions_where_r_gives_up():
    """R refuses the blocked test and the pairs ("rank 2 < 4"), and computes the unblocked test with 4 dimensions."""
    four, two = vectors(COUNTS), vectors(["fp", "fn"])
    space = effective_space(four, COUNTS)

    assert (space.dimension, space.constant) == (2, ("tp + fn", "fp + tn"))
    assert "four measures have only two dimensions" in str(space.note)
    for i, j in combinations(range(6), 2):
        all_four, only_two = hotelling_paired(four[i], four[j]), hotelling_paired(two[i], two[j])
        assert all_four.pvalue == pytest.approx(only_two.pvalue)
        assert all_four.df == (2, 8)
    assert manova(four).pvalue == pytest.approx(manova(two).pvalue)
    assert manova_dimension(four).largest == 2


def test_collinear_and_idle_measures_are_named():
    runs = vectors(["error", "tpr"])
    accuracy = 1 - runs[:, :, :1]
    size = np.broadcast_to(np.arange(10.0)[None, :, None], (6, 10, 1))
    space = effective_space(
        np.concatenate([runs, accuracy, size], axis=2), ["error", "tpr", "accuracy", "n"]
    )

    assert space.dimension == 2
    assert set(space.constant) == {"error + accuracy", "n"}
    assert "are the same for all algorithms" in str(space.note)


def test_one_measure_is_the_paired_t_and_anova():
    runs = vectors(["error"])
    test, t = hotelling_paired(runs[0], runs[3]), paired_t(runs[0, :, 0], runs[3, :, 0])

    assert test.t2 == pytest.approx(t.statistic**2)
    assert test.pvalue == pytest.approx(t.pvalue)
    matrix = pd.DataFrame(runs[:, :, 0].T)
    for blocked in (True, False):
        assert manova(runs, blocked=blocked).pvalue == pytest.approx(
            anova(matrix, blocked=blocked).pvalue
        )


def test_two_algorithms_are_hotellings():
    runs = vectors(["tpr", "fpr"])[:2]
    paired, apart = hotelling_paired(*runs), hotelling_two_sample(*runs)

    assert manova(runs, blocked=True).pvalue == pytest.approx(paired.pvalue)
    assert 9 * manova(runs).eigenvalues[0] == pytest.approx(paired.t2)
    assert manova(runs, blocked=False).pvalue == pytest.approx(apart.pvalue)


def test_an_invertible_map_of_the_measures_changes_nothing(rng):
    runs = vectors(["error", "auc_roc", "auc_pr_trapz"])
    mixed = runs @ rng.normal(size=(3, 3)) + 7
    shuffled = runs[:, rng.permutation(10)]

    for other in (mixed, shuffled, -runs):
        assert manova(other).pvalue == pytest.approx(manova(runs).pvalue, rel=1e-6)
        assert hotelling_paired(other[0], other[1]).pvalue == pytest.approx(
            hotelling_paired(runs[0], runs[1]).pvalue, rel=1e-6
        )
    assert manova(runs[::-1]).pvalue == pytest.approx(manova(runs).pvalue)


def test_overlap_divides_t2_and_eigenvalues():
    runs, c = vectors(["tpr", "fpr"]), overlap_factor(10, 0.1)
    plain, corrected = hotelling_paired(*runs[:2]), hotelling_paired(*runs[:2], test_fraction=0.1)

    assert corrected.t2 == pytest.approx(plain.t2 / c)
    assert corrected.plain_pvalue == plain.pvalue
    np.testing.assert_allclose(
        manova(runs, test_fraction=0.1).eigenvalues, manova(runs).eigenvalues / c
    )
    assert manova(runs, test_fraction=0.1).plain_pvalue == pytest.approx(manova(runs).pvalue)


@pytest.mark.parametrize("fraction", [None, 0.1])
def test_zero_lies_outside_the_region_exactly_when_the_test_rejects(fraction):
    runs = vectors(["tpr", "fpr"])
    for i, j in combinations(range(6), 2):
        test = hotelling_paired(runs[i], runs[j], test_fraction=fraction)
        for alpha in (0.01, 0.05, 0.3):
            d = test.difference.to_numpy()
            outside = d @ np.linalg.solve(test.region(1 - alpha), d) > 1
            assert outside == (test.pvalue < alpha)


def test_more_than_ten_overlapping_results_count_as_few(rng):
    """Otherwise, equal algorithms differ in up to 32 of 100 samples of 10 x 10 folds (calibration)."""
    runs = rng.normal(size=(4, 30, 2))
    x, y = runs[0], runs[1] + [0.9, 0]
    conservative = {"test_fraction": 0.1, "max_df": 8}
    test, plain = hotelling_paired(x, y, **conservative), hotelling_paired(x, y)

    assert (test.df, test.plain_df, plain.df) == ((2, 7), (2, 28), (2, 28))
    assert test.plain_pvalue == plain.pvalue
    # as if 9 results had shown this mean and this covariance
    d = x - y
    t2 = d.mean(axis=0) @ np.linalg.solve(np.cov(d.T), d.mean(axis=0)) * 30 / test.factor
    assert test.statistic == pytest.approx(7 / (2 * 8) * t2)
    for alpha in (test.pvalue * 1.01, test.pvalue * 0.99):
        d = test.difference.to_numpy()
        assert (d @ np.linalg.solve(test.region(1 - alpha), d) > 1) == (test.pvalue < alpha)

    two = manova(np.stack([x, y]), **conservative)
    assert (two.df, two.pvalue) == (test.df, pytest.approx(test.pvalue))
    assert manova(runs, **conservative).scatter_df == (3, 8)
    assert manova_dimension(runs, **conservative).pvalue > manova_dimension(runs).pvalue


@pytest.mark.parametrize("max_df", [None, 9])
def test_one_measure_after_many_results_is_the_corrected_t(rng, max_df):
    options = {"test_fraction": 0.1, "max_df": max_df}
    runs = rng.normal(size=(3, 30, 1))
    t = corrected_t(runs[0, :, 0], runs[1, :, 0], **options)
    matrix = pd.DataFrame(runs[:, :, 0].T)
    two, f, several = (
        hotelling_paired(*runs[:2], **options),
        anova(matrix, **options),
        manova(runs, **options),
    )

    assert (two.pvalue, two.published_pvalue) == pytest.approx((t.pvalue, t.published_pvalue))
    assert several.pvalue == pytest.approx(f.pvalue)
    assert several.published_pvalue == pytest.approx(f.published_pvalue)


def test_too_many_measures_of_overlapping_results_are_refused(rng):
    runs = rng.normal(size=(3, 30, 9))

    conservative = {"test_fraction": 0.1, "max_df": 8}

    for test in (
        lambda: hotelling_paired(*runs[:2], **conservative),
        lambda: pairwise_hotelling(runs, list("abc"), **conservative),
        lambda: manova(runs, **conservative),
    ):
        with pytest.raises(DesignError, match="at most 8 measures, but there are 9"):
            test()
    assert hotelling_paired(*runs[:2], test_fraction=0.1).df == (9, 21)


@pytest.mark.parametrize("measures", [["tpr", "fpr"], COUNTS, ["error"]])
def test_all_pairs_at_once_are_the_single_tests(measures):
    runs = vectors(measures)
    every = pairwise_hotelling(runs, ORDER, test_fraction=0.1)
    for i, j in combinations(range(6), 2):
        alone = hotelling_paired(runs[i], runs[j], test_fraction=0.1)
        assert every.pvalues.iloc[i, j] == pytest.approx(alone.pvalue)
        assert every.statistics.iloc[j, i] == pytest.approx(alone.t2)


def test_identical_algorithms_among_others():
    runs = vectors(["tpr", "fpr"])
    twins = np.concatenate([runs, runs[:1]])
    every = pairwise_hotelling(twins, [*ORDER, "twin"])

    assert every.pvalues.loc["tree", "twin"] == 1
    assert hotelling_paired(runs[0], runs[0]).pvalue == 1
    assert manova(runs[[0, 0, 0]]).pvalue == 1
    assert "no test is possible" in str(manova(runs[[0, 0]]).warnings[0])
    assert manova_dimension(runs[[0, 0, 0]]).dimension == 0


def test_too_few_folds_are_refused_with_what_would_work():
    runs = vectors(["error", "auc_roc", "auc_pr_trapz"])[:, :3]
    with pytest.raises(
        DesignError, match="needs at least 4 folds, but there are 3.*at most 2 measures"
    ):
        hotelling_paired(runs[0], runs[1])
    with pytest.raises(DesignError, match="more folds"):
        manova(runs[:2])
    with pytest.raises(DataError, match="algorithm × fold × measure"):
        manova(runs[0])
    with pytest.raises(DegenerateError, match="no variation"):
        hotelling_paired(runs[0], runs[0] + 1)


@draws(300, 2000)
def test_simulated_size_of_hotelling_under_overlap(rng, draws):
    """Formulas 6.18: with ten folds and two measures, .183 without the factor and .05 with it."""
    g = rng.standard_normal((draws, 1, 2))
    d = np.sqrt(0.1) * g + np.sqrt(0.9) * rng.standard_normal((draws, 10, 2))
    zero = np.zeros((10, 2))
    plain = np.mean([hotelling_paired(x, zero).pvalue <= 0.05 for x in d])
    corrected = np.mean([hotelling_paired(x, zero, test_fraction=0.1).pvalue <= 0.05 for x in d])

    assert plain == share(0.183, draws)
    assert corrected == share(0.05, draws)


def test_as_many_draws_as_arrangements_try_each_once(rng):
    """Eight folds have 2^8 choices of signs and as many orders of two algorithms, one of them observed.

    For two algorithms, Wilks' lambda falls as T2 rises, so both p-values count the same
    arrangements.
    """
    runs = rng.normal(size=(2, 8, 2))

    flips, orders = shuffled_hotelling(*runs, draws=255), shuffled_manova(runs, draws=255)

    assert (flips.exact, flips.arrangements) == (orders.exact, orders.arrangements) == (True, 256)
    assert flips.pvalue == orders.pvalue
    assert not shuffled_hotelling(*runs, draws=254).exact
    assert not shuffled_manova(runs, draws=254).exact


def test_the_region_of_a_mean_holds_it_as_often_as_it_says(rng):
    """Coverage is simulated; 1500 draws have a standard error of 0.008."""
    points = rng.standard_normal((1500, 6, 2)) @ np.array([[3.0, 0.0], [2.0, 0.5]])
    inside = 0
    for one in points:
        shape = mean_region(np.cov(one, rowvar=False), 6, confidence_level=0.9)
        inside += one.mean(axis=0) @ np.linalg.solve(shape, one.mean(axis=0)) <= 1

    assert inside / 1500 == pytest.approx(0.9, abs=0.025)


@pytest.mark.parametrize("fraction", [None, 0.1])
def test_the_region_of_a_mean_is_that_of_the_paired_test_and_follows_the_units(fraction):
    x, y = vectors(["tpr", "fpr"])[:2]
    gap = np.cov(x - y, rowvar=False)
    test = hotelling_paired(x, y, test_fraction=fraction)
    turn = np.array([[1e3, 5.0], [-2.0, 1e-3]])
    region = mean_region(gap, 10, test_fraction=fraction, confidence_level=0.99)
    turned = mean_region(turn @ gap @ turn.T, 10, test_fraction=fraction, confidence_level=0.99)
    alone = mean_region(gap[:1, :1], 10, test_fraction=fraction)
    t = paired_t if fraction is None else partial(corrected_t, test_fraction=fraction)
    interval = t(x[:, 0], y[:, 0])

    np.testing.assert_allclose(region, test.region(0.99), rtol=1e-12)
    np.testing.assert_allclose(turned, turn @ region @ turn.T, rtol=1e-9)
    assert np.sqrt(alone[0, 0]) == pytest.approx((interval.high - interval.low) / 2)
    counts = np.stack([x[:, 0], 1 - x[:, 0], x[:, 1]], axis=1)  # three of which two can differ
    two, both = mean_region(np.cov(counts.T), 10, dimension=2), np.ix_([0, 2], [0, 2])
    np.testing.assert_allclose(two[both], mean_region(np.cov(counts.T[[0, 2]]), 10))
    flat = np.outer([1.0, -2.0], [1.0, -2.0]) * gap[0, 0]  # tp falls by what fn gains
    np.testing.assert_allclose(
        mean_region(flat, 10, test_fraction=fraction), np.outer([1, -2], [1, -2]) * alone[0, 0]
    )


def test_regions_of_means_that_do_not_meet_belong_to_a_pair_that_differs(rng):
    """Ellipses that do not meet are separated by a line: their extents along its normal do not overlap."""
    angles = np.linspace(0, np.pi, 721)
    ways = np.column_stack([np.cos(angles), np.sin(angles)])
    apart = 0
    for _ in range(60):
        shared = rng.normal(size=(10, 2)) * rng.uniform(-1, 1)
        x, y = rng.normal(size=(10, 2)) + shared, rng.normal(1.5, 1, size=(10, 2)) - shared
        reach = sum(
            np.sqrt(np.einsum("wi,ij,wj->w", ways, mean_region(np.cov(z.T), 10), ways))
            for z in (x, y)
        )
        if (np.abs(ways @ (x - y).mean(axis=0)) > reach).any():
            apart += 1
            assert hotelling_paired(x, y).pvalue < 0.05

    assert 10 < apart < 60


def test_the_region_of_a_mean_refuses_what_it_cannot_answer():
    assert not mean_region(np.zeros((2, 2)), 10).any()
    with pytest.raises(DesignError, match="at least 3 folds"):
        mean_region(np.eye(2), 2)
    with pytest.raises(DataError, match="measure × measure"):
        mean_region(np.eye(2)[:1], 10)
