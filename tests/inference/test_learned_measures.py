"""Tests of multivariate normality, permutation tests and discriminant measures."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats import multivariate

from stats_core.core.errors import DegenerateError, DesignError, SettingError
from stats_core.inference.assumptions import box_m, distances_qq, mardia
from stats_core.inference.multiplicity.adjust import adjust_pairs
from stats_core.inference.multiplicity.cliques import cliques
from stats_core.inference.multivariate.hotelling import hotelling_paired, pairwise_hotelling
from stats_core.inference.multivariate.learned_measures import (
    learned_crossfit,
    learned_groups,
    learned_measures,
    learned_permutation,
)
from stats_core.inference.multivariate.manova import shuffled_hotelling, shuffled_manova
from tests.breast_cancer_data import assert_expected
from tests.inference.test_multivariate import COUNTS, ORDER, SETS, oracles, vectors
from tests.monte_carlo import draws, share


@pytest.mark.parametrize("key", SETS)
def test_mardia_agrees_with_r_mvn_and_pingouin(key):
    oracle, runs = oracles()[f"{key}.mardia.ml_covariance"], vectors(SETS[key])
    for name, expected in oracle["expected"].items():
        test = mardia(runs[ORDER.index(name)])
        if key == "err_roc_pr" and test.dimension < 3:
            continue
        actual = [test.skewness, test.kurtosis, test.statistic, test.pvalue]
        fields = ("b1p", "b2p", "skew_small_chi2", "skew_small_p")
        assert_expected(actual, oracle, [expected[field] for field in fields])
        plain = test.asymptotic
        assert_expected(
            [plain.loc["skewness", "statistic"], plain.loc["skewness", "p"]],
            oracle,
            [expected["skew_chi2"], expected["skew_p"]],
        )
        assert_expected(
            [plain.loc["kurtosis", "statistic"], plain.loc["kurtosis", "p"]],
            oracle,
            [expected["kurt_z"], expected["kurt_p"]],
        )


@draws(500, 3000)
def test_mardia_keeps_its_level_on_ten_folds_where_the_asymptotic_forms_never_reject(rng, draws):
    """Formulas 6.8: rejection rates .053 and .044; asymptotic forms .004 and .000."""
    tests = [mardia(rng.normal(size=(10, 2))) for _ in range(draws)]
    skew = np.mean([test.pvalue <= 0.05 for test in tests])
    kurtosis = np.mean([test.kurtosis_pvalue <= 0.05 for test in tests])

    assert skew == share(0.053, draws)
    assert kurtosis == share(0.044, draws)
    assert np.mean([test.asymptotic.loc["skewness", "p"] <= 0.05 for test in tests]) < 0.015
    assert np.mean([test.asymptotic.loc["kurtosis", "p"] <= 0.05 for test in tests]) < 0.005


def test_mardia_does_not_depend_on_units_and_counts_collinear_measures_once(rng):
    x = rng.normal(size=(20, 2))
    double = np.column_stack([x, x.sum(axis=1), np.full(20, 3.0)])

    assert mardia(x @ np.array([[2, 1], [0, 3.0]])).pvalue == pytest.approx(mardia(x).pvalue)
    assert mardia(double).dimension == 2
    assert mardia(double).pvalue == pytest.approx(mardia(x).pvalue)
    with pytest.raises(DegenerateError):
        mardia(np.ones((9, 2)))
    for p in (1, 2):
        with pytest.raises(DesignError, match="at least 4 folds"):
            mardia(rng.normal(size=(3, p)))


def test_distances_are_mahalanobis_and_the_envelope_holds_them(rng):
    x = rng.normal(size=(30, 3))
    table = distances_qq(x, [f"f{i}" for i in range(30)])
    centred = x - x.mean(axis=0)
    inverse = np.linalg.inv(centred.T @ centred / 30)

    assert table["observed"]["f7"] == pytest.approx(centred[7] @ inverse @ centred[7])
    assert table["observed"].sum() == pytest.approx(90)
    assert ((table["observed"] < table["low"]) | (table["observed"] > table["high"])).mean() < 0.2
    wild = distances_qq(np.vstack([x, [[15, 15, 15]]]))
    assert wild["observed"].iloc[-1] > wild["high"].iloc[-1]


@pytest.mark.parametrize(("sizes", "p"), [((8, 12, 30), 3), ((10, 10, 10), 2), ((6, 40), 2)])
def test_box_m_agrees_with_statsmodels(rng, sizes, p):
    groups = [(1 + place) * rng.normal(size=(n, p)) for place, n in enumerate(sizes)]
    covariances = [np.cov(x, rowvar=False) for x in groups]

    found, expected = box_m(groups), multivariate.test_cov_oneway(covariances, sizes)

    assert found.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-10)


def test_box_m_of_one_measure_is_nearly_bartletts_test(rng):
    """Both tests correct the same statistic M, one to F and one to chi-square."""
    groups = [(1 + place) * rng.normal(size=(n, 1)) for place, n in enumerate((9, 7))]
    bartlett = stats.bartlett(*(x[:, 0] for x in groups))

    assert box_m(groups).pvalue == pytest.approx(bartlett.pvalue, rel=0.01)


def test_box_m_keeps_its_level_for_independent_groups_and_sees_a_difference(rng):
    null = [box_m([rng.normal(size=(15, 2)) for _ in range(3)]).pvalue <= 0.05 for _ in range(800)]

    assert np.mean(null) == share(0.05, 800)
    assert box_m([rng.normal(size=(30, 2)), 4 * rng.normal(size=(30, 2))]).pvalue < 0.001
    one = [rng.normal(size=(15, 1)) for _ in range(2)]
    assert 0 < box_m(one).pvalue < 1
    with pytest.raises(DegenerateError):
        box_m([np.ones((9, 2)), rng.normal(size=(9, 2))])


def test_sign_flips_of_vectors_are_all_of_them_on_few_folds(rng):
    x, y = rng.normal(0.4, 1, (7, 2)), rng.normal(size=(7, 2))
    test = shuffled_hotelling(x, y)
    d = x - y
    values = [
        hotelling_paired(d * np.array(signs)[:, None], np.zeros((7, 2))).t2
        for signs in product((1, -1), repeat=7)
    ]

    assert test.exact
    assert test.arrangements == 128
    assert test.pvalue == np.mean(np.array(values) >= hotelling_paired(x, y).t2 - 1e-9)


def test_drawn_permutations_bracket_the_exact_p(rng):
    x, y = rng.normal(0.4, 1, (10, 2)), rng.normal(size=(10, 2))
    drawn, exact = shuffled_hotelling(x, y, draws=500), shuffled_hotelling(x, y)

    assert exact.exact
    assert not drawn.exact
    assert drawn.low <= exact.pvalue <= drawn.high
    assert shuffled_hotelling(x, y, draws=500).pvalue == drawn.pvalue


def test_shuffles_within_folds_are_all_of_them_where_they_are_few(rng):
    runs = rng.normal(size=(2, 8, 2))
    runs[0] += 0.8
    exact = shuffled_manova(runs)

    assert exact.exact
    assert exact.arrangements == 256
    assert exact.pvalue == shuffled_hotelling(runs[0], runs[1]).pvalue


def test_permutations_keep_their_level_without_normality(rng):
    rejected = [
        shuffled_manova(rng.exponential(size=(3, 8, 2)) ** 2, draws=199, rng=i).pvalue <= 0.05
        for i in range(300)
    ]

    assert np.mean(rejected) == pytest.approx(0.05, abs=0.045)


def test_identical_algorithms_are_not_shuffled():
    same = np.broadcast_to(np.arange(16.0).reshape(1, 8, 2), (3, 8, 2))

    assert shuffled_manova(same).pvalue == 1
    assert shuffled_hotelling(same[0], same[1]).pvalue == 1
    with pytest.raises(SettingError, match="draws"):
        shuffled_manova(same, draws=0)


@pytest.mark.parametrize("key", ["tpr_fpr", "precision_recall", "fp_fn"])
@pytest.mark.parametrize(("blocked", "prefix"), [(False, "manova"), (True, "manova_blocked")])
def test_loadings_agree_with_r_and_numpy(key, blocked, prefix):
    oracle = oracles()[f"{key}.{prefix}.eigen"]
    learned = learned_measures(vectors(SETS[key]), SETS[key], blocked=blocked)
    expected = np.array(oracle["expected"]["vectors_unit"]).T

    assert_expected(learned.eigenvalues.to_numpy(), oracle, oracle["expected"]["values"])
    assert_expected(learned.shares.to_numpy(), oracle, oracle["expected"]["share"])
    signs = np.sign((learned.loadings.to_numpy() * expected).sum(axis=0))
    np.testing.assert_allclose(learned.loadings.to_numpy(), expected * signs, rtol=1e-6)


def test_four_counts_teach_what_two_do():
    four, two = (learned_measures(vectors(m), m) for m in (COUNTS, ["fp", "fn"]))

    np.testing.assert_allclose(four.eigenvalues, two.eigenvalues)
    assert four.loadings.shape == (4, 2)
    inside = (four.scores[:, :, 0] - four.scores[:, :, 0].mean(axis=0)).ravel()
    other = (two.scores[:, :, 0] - two.scores[:, :, 0].mean(axis=0)).ravel()
    assert abs(np.corrcoef(inside, other)[0, 1]) == pytest.approx(1)
    # minimum length: nothing along tp + fn or fp + tn, once counts are scaled
    assert four.space.constant == ("tp + fn", "fp + tn")


def test_larger_means_worse():
    learned = learned_measures(vectors(COUNTS), COUNTS)
    errors = vectors(["fp"])[:, :, 0] + vectors(["fn"])[:, :, 0]

    for component in range(2):
        assert np.corrcoef(learned.scores[:, :, component].ravel(), errors.ravel())[0, 1] >= 0


def test_components_are_uncorrelated_within_and_unit_long():
    runs = vectors(["error", "auc_roc", "auc_pr_trapz"])
    learned = learned_measures(runs, ["error", "auc_roc", "auc_pr_trapz"])
    centred = learned.scores - learned.scores.mean(axis=0)
    residuals = (centred - centred.mean(axis=1, keepdims=True)).reshape(60, -1)
    scatter = residuals.T @ residuals

    np.testing.assert_allclose(np.linalg.norm(learned.loadings, axis=0), 1)
    off = scatter - np.diag(np.diag(scatter))
    assert np.abs(off).max() < 1e-8 * np.diag(scatter).max()
    assert learned.naive.statistic == pytest.approx(learned.eigenvalues.iloc[0] * 45 / 5)


@draws(80, 400)
def test_the_naive_test_on_m1_is_too_eager_and_both_repairs_are_not(rng, draws):
    """Formulas 6.7: with two measures, the type I error rate of the naive test is .17."""
    runs = rng.normal(size=(draws, 3, 10, 2))
    naive = np.mean([learned_measures(x).naive.pvalue <= 0.05 for x in runs])
    shuffled = np.mean([learned_permutation(x, draws=99).pvalue <= 0.05 for x in runs])
    crossed = np.mean([learned_crossfit(x).pvalue <= 0.05 for x in runs])

    assert naive == share(0.17, draws)
    assert shuffled == share(0.05, draws)
    assert crossed < 0.12


def test_learning_needs_something_to_learn():
    same = np.ones((3, 5, 2))
    for learn in (learned_measures, learned_permutation, learned_crossfit):
        with pytest.raises(DegenerateError, match="same results"):
            learn(same)
    with pytest.raises(DesignError, match="at least 3 folds"):
        learned_crossfit(np.random.default_rng(1).normal(size=(3, 2, 2)))


def test_a_difference_is_learned(rng):
    runs = rng.normal(size=(3, 10, 2))
    runs[0] += [2.0, -2.0]
    learned = learned_measures(runs, ["fpr", "tpr"])

    assert learned.loadings.loc["fpr", "M1"] > 0 > learned.loadings.loc["tpr", "M1"]
    assert learned_permutation(runs, draws=199).pvalue == pytest.approx(1 / 200)
    assert learned_crossfit(runs).pvalue < 0.01
    assert isinstance(learned.shares, pd.Series)


def test_groups_on_learned_measures_are_those_of_the_measures_themselves():
    """Two components are an invertible map of two measures, so tests and groups are the same."""
    runs = vectors(["tpr", "fpr"])
    groups = learned_groups(learned_measures(runs, ["tpr", "fpr"]), ORDER, test_fraction=0.1)
    raw = pairwise_hotelling(runs, ORDER, test_fraction=0.1).pvalues

    assert groups == cliques(adjust_pairs(raw, "holm"), 0.05)
