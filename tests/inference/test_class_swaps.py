"""Permutation tests of several classes and of predicted numbers, against enumeration in this file and scipy."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from stats_core import DataError, DesignError
from stats_core.data.class_measures import BY_CLASSES, OF_NUMBERS
from stats_core.inference.paired.influences import case_moves, cluster_error
from stats_core.inference.paired.instance_tests import swap_test

SCORES = {
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "macro_f1": lambda t, p: metrics.f1_score(t, p, average="macro"),
    "weighted_f1": lambda t, p: metrics.f1_score(t, p, average="weighted"),
    "rmse": metrics.root_mean_squared_error,
    "mae": metrics.mean_absolute_error,
    "r2": metrics.r2_score,
}


def labels(n=12, seed=1, k=3):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    first, second = (
        np.where(rng.random(n) < share, truth, rng.integers(0, k, n)) for share in (0.9, 0.4)
    )
    return truth, first, second


def numbers(n=11, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(10, 3, n)
    return truth, truth + rng.normal(0, 1, n), truth + rng.normal(0, 2, n)


def answers(measure, **options):
    return labels(**options) if measure in BY_CLASSES else numbers(**options)


@pytest.mark.parametrize("measure", SCORES)
def test_values_are_those_of_scikit_learn(measure):
    truth, first, second = answers(measure)
    found = swap_test(measure, truth, first, second)
    expected = [SCORES[measure](truth, one) for one in (first, second)]
    assert found.values == pytest.approx(expected, abs=1e-12)
    assert found.estimate == pytest.approx(expected[0] - expected[1], abs=1e-12)


@pytest.mark.parametrize("measure", SCORES)
def test_p_is_the_share_of_all_swaps_with_as_large_a_statistic(measure):
    """Every swap is made, and its studentized difference computed from the influences of the instances."""
    truth, first, second = answers(measure)
    found = swap_test(measure, truth, first, second)

    def statistic(one, other):
        moves = [case_moves(measure, truth, column) for column in (one, other)]
        error = cluster_error(moves[0].by_case - moves[1].by_case, np.arange(len(truth)))
        return (moves[0].value - moves[1].value) / error if error else 0.0

    sizes = []
    for swap in product((False, True), repeat=len(truth)):
        sizes.append(abs(statistic(np.where(swap, second, first), np.where(swap, first, second))))
    observed = abs(statistic(first, second))
    assert found.method.exact
    assert found.pvalue == pytest.approx(
        np.mean(np.array(sizes) >= observed * (1 - 1e-9)), abs=1e-12
    )
    assert (found.low > 0 or found.high < 0) == (found.pvalue <= 0.05)


@pytest.mark.parametrize("measure", SCORES)
def test_influences_sum_to_zero_and_give_the_jackknife_error(measure):
    truth, first, _ = answers(measure, n=300)
    moves = case_moves(measure, truth, first)
    assert moves.by_case.sum() == pytest.approx(0, abs=1e-12)
    rest = [SCORES[measure](np.delete(truth, i), np.delete(first, i)) for i in range(300)]
    jackknife = np.sqrt(299 / 300 * ((np.array(rest) - np.mean(rest)) ** 2).sum())
    assert cluster_error(moves.by_case, np.arange(300)) == pytest.approx(jackknife, rel=0.03)


@pytest.mark.parametrize("measure", SCORES)
def test_drawn_swaps_of_instances_and_of_clusters_of_one_agree(measure):
    truth, first, second = answers(measure, n=200)
    single = swap_test(measure, truth, first, second)
    assert not single.method.exact
    doubled = [np.repeat(column, 2) for column in (truth, first, second)]
    clustered = swap_test(measure, *doubled, clusters=np.repeat(np.arange(200), 2))
    assert clustered.estimate == pytest.approx(single.estimate, abs=1e-12)
    assert clustered.pvalue == pytest.approx(single.pvalue, abs=0.02)
    assert clustered.error == pytest.approx(single.error, rel=1e-9)


def test_two_classes_as_several_give_the_same_test():
    """The codes 2 and 5 have the test of several classes, 0 and 1 that of two classes."""
    truth, first, second = labels(n=40, k=2)
    for measure in ("mcc", "balanced_accuracy"):
        two = swap_test(measure, truth, first, second)
        several = swap_test(measure, 2 + 3 * truth, 2 + 3 * first, 2 + 3 * second)
        assert several.pvalue == pytest.approx(two.pvalue, abs=1e-12)
        assert (several.low, several.high) == pytest.approx((two.low, two.high), abs=1e-9)


def test_absolute_errors_have_the_permutation_test_of_scipy():
    truth, first, second = numbers(n=10)
    losses = abs(first - truth), abs(second - truth)
    found = swap_test("mae", truth, first, second)
    expected = stats.permutation_test(
        losses,
        lambda a, b: stats.ttest_rel(a, b).statistic,
        permutation_type="samples",
        n_resamples=np.inf,
    )
    assert found.pvalue == pytest.approx(expected.pvalue, abs=1e-12)


def test_equal_predictions_have_p_one():
    for measure in SCORES:
        truth, first, _ = answers(measure)
        assert swap_test(measure, truth, first, first).pvalue == 1


@pytest.mark.parametrize(("measure", "error"), [("mcc", DesignError), ("r2", DesignError)])
def test_undefined_measures_are_refused(measure, error):
    truth, first, second = answers(measure)
    constant = np.full(len(truth), 2)
    with pytest.raises(error, match="undefined"):
        swap_test(
            measure,
            constant if measure == "r2" else truth,
            constant if measure == "mcc" else first,
            second,
        )


def test_invalid_values_are_refused():
    truth, first, second = labels()
    with pytest.raises(DataError):
        swap_test("kappa", truth, first - 1, second)
    truth, first, second = numbers()
    with pytest.raises(DataError):
        swap_test("rmse", truth, first, np.where(second > 10, np.nan, second))


@pytest.mark.parametrize("measure", ["macro_f1", "rmse"])
def test_equal_models_reject_as_often_as_alpha_says(measure):
    rng, rejected, runs = np.random.default_rng(5), 0, 200
    for _ in range(runs):
        truth = rng.integers(0, 4, 60) if measure == "macro_f1" else rng.normal(size=60)
        if measure == "macro_f1":
            one, other = (
                np.where(rng.random(60) < 0.7, truth, rng.integers(0, 4, 60)) for _ in range(2)
            )
        else:
            one, other = truth + rng.standard_t(4, 60), truth + rng.standard_t(4, 60)
        rejected += swap_test(measure, truth, one, other, draws=199).pvalue <= 0.05
    assert stats.binomtest(int(rejected), runs, 0.05).pvalue > 0.001


def test_measures_of_numbers_are_tested():
    assert {*BY_CLASSES, *OF_NUMBERS} == {*SCORES}
