"""Risks at many thresholds over data sets, all tested at once."""

import numpy as np
import pytest
from scipy import stats

from stats_core.curves.threshold_sweep_datasets import signs_turned


def test_one_difference_is_wilcoxons_exact_test(rng):
    x = rng.normal(0.4, 1, (9, 1))
    _, single, adjusted = signs_turned(x)

    assert single == pytest.approx(stats.wilcoxon(x[:, 0], method="exact").pvalue)
    assert adjusted == single


def test_what_differs_is_found_beside_thresholds_that_do_not_and_dependence_costs_little(rng):
    shared = rng.normal(size=(12, 1))
    alike = shared + 0.01 * rng.normal(size=(12, 40))  # nearly one and the same
    apart = rng.uniform(1, 2, (12, 1))
    _, single, adjusted = signs_turned(np.hstack([apart, alike]))

    assert adjusted[0] == adjusted.min() <= 2 * single[0]
    assert (adjusted >= single).all()
    assert adjusted[1:].max() <= 1
    assert adjusted[1:].min() < 5 * single[1:].min()  # Bonferroni's factor is 41
