"""Tests of paired permutation tests on cases: McNemar, DeLong, enumeration, level and coverage."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.curves.delong import delong, delong_all
from stats_core.data.class_measures import BY_CLASSES, MACRO_AUC
from stats_core.data.measures import LOSSES
from stats_core.inference.paired import mcnemar
from stats_core.inference.paired.influences import BY_COUNTS, OF_CASES, case_moves, cluster_error
from stats_core.inference.paired.instance_tests import swap_test, swap_tests_of_means, two_way_test


def two_models(n, seed=0, rate=0.4):
    """Return the true labels of n cases, and the probabilities predicted by two models."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < rate
    seen = rng.normal(size=n) + 1.2 * positive
    scores = [seen + spread * rng.normal(size=n) for spread in (0.5, 0.9)]
    return positive, *(1 / (1 + np.exp(0.6 - score)) for score in scores)


def as_said(measure, score):
    if measure == MACRO_AUC:
        return np.column_stack([1 - score, score])
    return score >= 0.5 if measure in (*BY_COUNTS, *BY_CLASSES) else score


@pytest.mark.parametrize("measure", OF_CASES)
def test_moves_are_what_leaving_out_a_case_changes_and_sum_to_nothing(measure):
    positive, score, _ = two_models(400)
    said = as_said(measure, score)
    found = case_moves(measure, positive, said)

    assert found.by_case.sum() == pytest.approx(0, abs=1e-9)
    kept = np.arange(400)
    change = [
        found.value - case_moves(measure, positive[kept != i], said[kept != i]).value
        for i in range(0, 400, 17)
    ]
    assert change == pytest.approx(found.by_case[::17], abs=2e-4)


def test_macro_area_is_the_mean_of_the_areas_of_the_classes_that_occur():
    rng = np.random.default_rng(1)
    true, scores = rng.choice([0, 1, 3], size=60), rng.random((60, 5)).round(1)  # with equal scores
    areas = [case_moves("auc", true == label, scores[:, label]) for label in (0, 1, 3)]
    found = case_moves(MACRO_AUC, true, scores)
    assert found.value == pytest.approx(np.mean([area.value for area in areas]), abs=1e-12)
    assert found.by_case == pytest.approx(
        np.mean([area.by_case for area in areas], axis=0), abs=1e-12
    )


def test_macro_area_of_two_classes_is_tested_as_their_area():
    positive, one, other = two_models(40)
    both = [np.column_stack([1 - score, score]) for score in (one, other)]
    found, area = swap_test(MACRO_AUC, positive, *both), swap_test("auc", positive, one, other)
    assert (found.pvalue, found.estimate, found.low) == pytest.approx(
        (area.pvalue, area.estimate, area.low)
    )
    with pytest.raises(DataError):
        swap_test(MACRO_AUC, positive, one, other)


def test_equal_scores_count_as_half_in_an_area():
    positive, score = np.array([True, True, False, False]), np.array([0.5, 0.8, 0.5, 0.2])
    assert case_moves("auc", positive, score).value == 0.875


@pytest.mark.parametrize("n", [30, 150])
def test_the_error_is_mcnemars_exact_test(n):
    for seed in range(8):
        positive, one, other = two_models(n, seed)
        a, b = one >= 0.5, other >= 0.5
        exact = mcnemar(a == positive, b == positive)
        found = swap_test("error", positive, a, b)
        assert found.pvalue == pytest.approx(exact.pvalue)
        assert found.estimate == pytest.approx(-exact.estimate)
        assert found.pvalue_less == pytest.approx(exact.pvalue_greater)


@pytest.mark.parametrize("measure", ["precision", "mcc", "tpr"])
def test_all_ways_are_counted_as_brute_force_counts_them(measure):
    positive, one, other = two_models(60, 4)
    a, b = one >= 0.5, other >= 0.5
    differ = np.flatnonzero(a != b)
    assert 4 <= len(differ) <= 12

    def statistic(ways):
        first, second = a.copy(), b.copy()
        first[differ], second[differ] = (
            np.where(ways, b[differ], a[differ]),
            np.where(ways, a[differ], b[differ]),
        )
        moves = [case_moves(measure, positive, said) for said in (first, second)]
        error = cluster_error(moves[0].by_case - moves[1].by_case, np.arange(60))
        return abs(moves[0].value - moves[1].value) / error if error else 0.0

    every = np.array([statistic(np.array(w, bool)) for w in product((0, 1), repeat=len(differ))])
    expected = np.mean(every >= every[0] - 1e-9)  # the first one swaps nothing
    assert swap_test(measure, positive, a, b).pvalue == pytest.approx(expected)


def test_areas_agree_with_delong_on_many_cases():
    positive, one, other = two_models(400)
    swapped, known = swap_test("auc", positive, one, other, draws=499), delong(positive, one, other)

    assert swapped.estimate == pytest.approx(known.difference)
    assert swapped.error == pytest.approx(np.sqrt(known.variance), rel=0.01)
    assert abs(swapped.pvalue - known.pvalue) < 0.02
    by_t = two_way_test("auc", positive, [one], [other])
    assert by_t.pvalue == pytest.approx(known.pvalue, rel=0.15)
    both = delong_all(positive, np.column_stack([one, other]))
    assert both.pvalue == pytest.approx(known.pvalue)


@pytest.mark.parametrize("measure", OF_CASES)
@pytest.mark.parametrize("clustered", [False, True])
def test_an_interval_leaves_out_0_exactly_where_the_test_rejects(measure, clustered):
    for seed in range(6):
        positive, one, other = two_models(90, seed)
        clusters = np.arange(90) // 3 if clustered else None
        found = swap_test(
            measure, positive, as_said(measure, one), as_said(measure, other),
            clusters=clusters, draws=199, confidence_level=0.8,
        )  # fmt: skip
        assert (found.low > 0 or found.high < 0) == (found.pvalue <= 0.2)


def shares_of(make, measure, clusters, runs=150):
    """Return how often the test rejects at 0.05, and how often its interval contains the true difference of 0."""
    found = [swap_test(measure, *make(seed), clusters=clusters) for seed in range(runs)]
    return np.mean([f.pvalue <= 0.05 for f in found]), np.mean(
        [f.low <= 0 <= f.high for f in found]
    )


def test_level_and_coverage_hold_where_only_the_measure_is_equal():
    def unlike(seed):  # the same precision, one calls two and a half times as many
        rng = np.random.default_rng(seed)
        positive, u = rng.random(200) < 0.5, rng.random(200)
        return positive, u < np.where(positive, 0.32, 0.08), u < np.where(positive, 0.8, 0.2)

    level, covered = shares_of(unlike, "precision", None)
    assert level <= 0.09  # 0.05 and two standard errors
    assert covered >= 0.91


def test_level_holds_where_cases_of_a_cluster_are_alike():
    clusters = np.repeat(np.arange(25), 8)

    def alike(seed):
        rng = np.random.default_rng(seed)
        positive = rng.random(200) < 0.5
        shared = [np.repeat(rng.normal(size=25), 8) for _ in range(2)]
        return positive, *(
            1.5 * positive + one + 0.7 * rng.normal(size=200) > 0.75 for one in shared
        )

    assert shares_of(alike, "f", clusters)[0] <= 0.09
    assert shares_of(alike, "f", None)[0] > 0.09  # as if cases were independent


def test_trainings_alone_see_less_than_cases_and_trainings():
    def said(seed):  # errors that belong to the case and the algorithm, equal in the population
        rng = np.random.default_rng(seed)
        hard = [rng.random(80) < 0.2 for _ in range(2)]
        return [[h ^ (rng.random(80) < 0.05) for _ in range(12)] for h in hard]

    truth = np.ones(80, dtype=bool)
    rejected = {"both": 0, "trainings": 0}
    for seed in range(100):
        one, other = said(seed)
        found = two_way_test("error", truth, one, other)
        rejected["both"] += found.pvalue <= 0.05
        rejected["trainings"] += abs(found.estimate) > 2.2 * found.over_trainings
    assert rejected["both"] <= 10
    assert rejected["trainings"] > 50


def test_models_with_equal_predictions_are_not_tested():
    positive, one, _ = two_models(30)
    for measure in OF_CASES:
        said = as_said(measure, one)
        found = swap_test(measure, positive, said, said.copy())
        assert (found.pvalue, found.estimate, found.nothing_to_test) == (1.0, 0.0, True)
        assert two_way_test(measure, positive, [said], [said]).pvalue == 1.0


def test_what_does_not_fit_is_refused_with_what_to_do():
    positive, one, other = two_models(30)
    with pytest.raises(DataError, match="same length"):
        swap_test("error", positive, one[:5] > 0.5, other > 0.5)
    with pytest.raises(DataError, match="must be 0 or 1"):
        swap_test("error", positive, one, other)
    with pytest.raises(DataError, match=r"probabilities in \[0, 1\]"):
        swap_test(LOSSES[0], positive, one + 1, other)
    with pytest.raises(DesignError, match="precision is undefined"):
        swap_test("precision", positive, one > 2, other > 0.5)
    with pytest.raises(DesignError, match="2 instances or clusters"):
        swap_test("error", positive, one > 0.5, other > 0.5, clusters=np.zeros(30))
    with pytest.raises(SettingError, match="lift is not derived from"):
        swap_test("lift", positive, one, other)
    with pytest.raises(SettingError, match="`draws`"):
        swap_test("error", positive, one > 0.5, other > 0.5, draws=0)
    with pytest.raises(DataError, match="same number of runs"):
        two_way_test("auc", positive, [one], [other, other])


def test_a_model_that_is_sure_and_wrong_has_no_log_loss_to_test():
    truth, sure, other = np.array([1, 1, 0, 0]), np.array([0.0, 1, 0, 0]), np.full(4, 0.5)

    assert case_moves("logloss", truth == 1, sure).value == np.inf
    with pytest.raises(DesignError, match="Use the Brier score"):
        swap_test("logloss", truth, sure, other)
    with pytest.raises(DesignError, match="Use the Brier score"):
        two_way_test("logloss", truth, [sure, sure], [other, other])


@pytest.mark.parametrize("n", [4, 8])
def test_a_constant_difference_has_the_interval_of_its_decision(n):
    values = np.linspace(0.2, 0.6, n)

    result = swap_test("mean", np.ones(n), values, values + 0.25)

    reach = stats.t.isf(0.025, n - 1) * 0.25 / (n - 1) if n > 5 else np.inf  # 2 / 2^5 > 0.05
    assert result.pvalue == pytest.approx(2 / 2**n)
    assert (result.low, result.high) == pytest.approx((-0.25 - reach, -0.25 + reach))


@pytest.mark.parametrize("runs", [1, 3])
def test_a_difference_that_varies_nowhere_is_tested_by_sign_flips_of_instances(runs):
    right, wrong = [np.ones(6)] * runs, [np.zeros(6)] * runs
    assert two_way_test("error", np.ones(6), right, wrong).pvalue == pytest.approx(2 / 2**6)
    values = np.linspace(0.2, 0.6, 8)
    more = [values + 0.1] * runs
    assert two_way_test("mean", np.ones(8), [values] * runs, more).pvalue == pytest.approx(2 / 2**8)
    noise = [values + 1e-17] * runs
    assert two_way_test("mean", np.ones(8), [values] * runs, noise).pvalue == 1


@pytest.mark.parametrize("size", [1, 3, 12])
@pytest.mark.parametrize("measure", ["accuracy", "error", *LOSSES, "mean"])
def test_all_pairs_at_once_have_the_tests_of_each_pair(measure, size):
    """Clusters of `size` cases; without clusters, accuracies and errors have the exact McNemar test instead."""
    positive, one, other = two_models(120)
    scores = {"a": one, "b": other, "c": (one + other) / 2, "d": one.copy()}
    said = {name: as_said(measure, score) for name, score in scores.items()}
    levels = {pair: 0.9 + 0.01 * place for place, pair in enumerate(combinations(said, 2))}
    clusters = np.arange(120) // size
    found = swap_tests_of_means(measure, positive, said, clusters=clusters)(levels)

    assert list(found) == list(levels)
    if size == 1 and measure in BY_COUNTS:
        return
    for (a, b), test in found.items():
        known = swap_test(
            measure, positive, said[a], said[b], clusters=clusters, confidence_level=levels[a, b]
        )
        for name in (
            "estimate",
            "error",
            "statistic",
            "pvalue",
            "pvalue_greater",
            "pvalue_less",
            "low",
            "high",
        ):
            assert getattr(test, name) == pytest.approx(getattr(known, name), nan_ok=True), (
                a,
                b,
                name,
            )
        assert (test.method, test.n, test.about) == (known.method, known.n, known.about)
