"""The t test over instances and training runs: critical values, level with two and three runs."""

import numpy as np
import pytest
from scipy import special, stats

from stats_core.core.errors import SettingError
from stats_core.inference.distributions import summed_t_isf, summed_t_sf
from stats_core.inference.paired.influences import Moves
from stats_core.inference.paired.instance_tests import (
    mean_of_instances,
    two_way_of_moves,
    two_way_test,
)

QUANTILES = (np.arange(4000) + 0.5) / 4000


def level_of(runs, ratio, level):
    """Return the exact level for known variance over items: the mean over the law of the other."""
    estimated = ratio * stats.chi2.ppf(QUANTILES, runs - 1) / (runs - 1)
    weights = estimated / (1 + estimated)
    squared = (1 - weights) * stats.norm.isf(level / 2) ** 2
    squared += weights * special.stdtrit(runs - 1, level / 2) ** 2
    return float(2 * stats.norm.sf(np.sqrt(squared * (1 + estimated) / (1 + ratio))).mean())


@pytest.mark.parametrize("level", [0.2, 0.05, 0.01, 0.001])
@pytest.mark.parametrize("runs", [2, 3, 5, 10])
def test_the_critical_value_holds_every_level_for_every_ratio_of_variances(runs, level):
    """By integration, not by the code under test; adjusted p-values need the small levels."""
    levels = [level_of(runs, ratio, level) for ratio in np.geomspace(0.01, 1000, 21)]
    assert max(levels) <= level * 1.001
    for ratio in (0.1, 1.0, 10.0):
        weights = np.array([1, ratio]) / (1 + ratio)
        squares = stats.t.isf(level / 2, [10_000, runs - 1]) ** 2
        expected = float(np.sqrt(weights @ squares))
        critical = summed_t_isf(level / 2, [1.0, ratio], [10_000, runs - 1])
        assert critical == pytest.approx(expected, rel=1e-9)
        assert summed_t_sf(critical, [1.0, ratio], [10_000, runs - 1]) == pytest.approx(level / 2)


@pytest.mark.parametrize("t", [0.0, 1e-3, 2.0, 40.0, 1e6])
def test_one_variance_has_the_law_of_t(t):
    for variances in ([2.0], [2.0, 0.0], [0.0, 2.0]):
        dfs = [7, 1] if len(variances) == 2 else [7]
        df = 1 if variances[0] == 0 else 7
        assert summed_t_sf(t, variances, dfs) == pytest.approx(stats.t.sf(t, df), rel=1e-9)
        assert summed_t_sf(-t, variances, dfs) == pytest.approx(stats.t.cdf(t, df), rel=1e-9)


def test_a_p_value_lies_between_those_of_both_degrees_of_freedom():
    rng = np.random.default_rng(0)
    for _ in range(50):
        variances, t = rng.exponential(size=2), rng.exponential() * 5
        p = summed_t_sf(t, variances, [99, 2])
        assert stats.t.sf(t, 99) <= p * (1 + 1e-9)
        assert p <= stats.t.sf(t, 2) * (1 + 1e-9)


def runs_of(runs, over_runs, rng, items=200):
    """Return influences of two algorithms without a difference, whose runs vary."""
    shared, own = rng.normal(size=items), rng.normal(size=(runs, items))
    values = shared + 0.5 * own + over_runs * rng.normal(size=(runs, 1))
    zero = Moves(0.0, np.zeros(items))
    return [(Moves(float(row.mean()), (row - row.mean()) / items), zero) for row in values]


@pytest.mark.parametrize("runs", [2, 3])
def test_two_and_three_runs_do_not_inflate_the_level(runs):
    """Satterthwaite's degrees of freedom reject .126 (2 runs) and .078 (3 runs) at this ratio."""
    rng, rejected = np.random.default_rng(runs), []
    for _ in range(600):
        both = runs_of(runs, 0.32, rng)  # variance over runs about ten times that over items
        test = two_way_of_moves("mean", both, np.arange(200), confidence_level=0.95)
        rejected.append(test.pvalue <= 0.05)
        assert (test.low > 0 or test.high < 0) == rejected[-1]
    assert np.mean(rejected) < 0.068  # 0.05 and two standard errors


def test_the_interval_of_one_model_covers_with_two_runs():
    rng, covered = np.random.default_rng(7), []
    for _ in range(600):
        values = rng.normal(size=100) + 0.5 * rng.normal(size=(2, 1))
        interval = mean_of_instances("mean", np.ones(100), values, np.arange(100))
        covered.append(interval["low"] <= 0 <= interval["high"])
    assert np.mean(covered) > 0.93


def test_one_sided_p_values_add_up_to_one():
    truth = np.array([1, 1, 1, 0, 0, 0])
    first = [np.array([1, 1, 1, 0, 0, 0]), np.array([1, 1, 1, 0, 0, 1])]
    second = [np.array([1, 1, 0, 0, 1, 1]), np.array([1, 0, 0, 0, 0, 1])]
    tests = {
        side: two_way_test("error", truth, first, second, alternative=side)
        for side in ("two-sided", "greater", "less")
    }
    assert tests["less"].pvalue == pytest.approx(tests["two-sided"].pvalue / 2)
    assert tests["greater"].pvalue == pytest.approx(1 - tests["less"].pvalue)
    assert "less" in str(tests["less"].method)
    with pytest.raises(SettingError, match="alternative"):
        two_way_test("error", truth, first, second, alternative="smaller")
