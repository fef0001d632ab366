"""Tests of the equivalence margin: two one-sided tests, and differences beyond the margin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import ttost_paired

from stats_core.core.errors import SettingError
from stats_core.inference.pair_intervals import against_region, check_margin
from stats_core.inference.paired import hodges_lehmann_interval, paired_t, wilcoxon

ends = st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted).map(tuple)


def of_t(x, y, region, alpha=0.05):
    """Return the equivalence result for two algorithms on independent folds, by intervals of the paired t test."""
    decides, narrow = (paired_t(x, y, confidence_level=1 - level) for level in (alpha, 2 * alpha))
    return against_region((decides.low, decides.high), (narrow.low, narrow.high), region)


@pytest.mark.parametrize("seed", range(8))
def test_equivalence_on_independent_folds_is_that_of_statsmodels(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(0.8, 0.02, 10), rng.normal(0.805, 0.02, 10)
    found = set()

    for region in np.linspace(0.002, 0.06, 40):
        p = ttost_paired(x, y, -region, region)[0]
        place = of_t(x, y, region)
        found.add(place)
        if place in ("above", "below"):
            assert p > 0.05
        else:
            assert (place == "equivalent") == (p < 0.05)

    assert {"equivalent", "not known"} <= found


def test_beyond_the_region_is_a_test_of_a_shifted_difference():
    """Wilcoxon's test of differences minus the margin rejects exactly if the interval is above the margin."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(0.83, 0.02, 14), rng.normal(0.80, 0.02, 14)
    decides = hodges_lehmann_interval(x, y)

    for region in np.linspace(0.001, 0.05, 50):
        shifted = wilcoxon(x - region, y)
        rejects = shifted.pvalue <= 0.05 and shifted.w_plus > shifted.w_minus
        assert (against_region(decides, decides, region) == "above") == rejects


@given(ends)
def test_nothing_is_equivalent_within_nothing(interval):
    assert against_region(interval, interval, 0) != "equivalent"


@given(ends)
def test_everything_with_an_interval_is_equivalent_within_a_huge_region(interval):
    assert against_region(interval, interval, 1.01) == "equivalent"


@given(ends, ends, st.floats(0, 1))
def test_who_is_first_changes_the_side_only(decides, narrow, region):
    turned = against_region(*((-high, -low) for low, high in (decides, narrow)), region)
    other = {"above": "below", "below": "above"}

    assert other.get(turned, turned) == against_region(decides, narrow, region)


@pytest.mark.parametrize("end", [np.nan, np.inf])
def test_without_an_interval_nothing_is_known(end):
    assert against_region((-end, end), (-end, end), 0.1) == "not known"


@pytest.mark.parametrize("region", [-0.01, np.inf, np.nan, "0.01", None, True])
def test_what_is_no_region_is_refused(region):
    with pytest.raises(SettingError, match="0 or a positive number"):
        check_margin(region)
