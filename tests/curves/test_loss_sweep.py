"""Costs of errors: loss ratios, risk, iso-cost lines, cost curves."""

from math import inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from stats_core.core.errors import DataError, SettingError
from stats_core.curves.loss_sweep import (
    cost_envelope,
    iso_cost_slope,
    loss_ratio,
    risk,
    threshold_for_costs,
)

rates = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=12)


def trivial(envelope):
    """Cost of the better of "always positive" and "always negative"."""
    return np.minimum(envelope["pc"], 1 - envelope["pc"])


# Aslan's thesis 2009, equations 2.10 to 2.12
@pytest.mark.parametrize(("ratio", "theta"), [(0.5, 1 / 3), (1, 1 / 2), (2, 2 / 3)])
def test_thresholds_and_loss_ratios_as_printed(ratio, theta):
    assert threshold_for_costs(ratio) == pytest.approx(theta)
    assert loss_ratio(theta) == pytest.approx(ratio)


def test_ends_of_the_scale():
    assert loss_ratio(0) == 0
    assert loss_ratio(1) == inf
    assert threshold_for_costs(0) == 0
    assert threshold_for_costs(inf) == 1


@given(st.floats(0, 0.999))
def test_theta_and_loss_ratio_are_inverse(theta):
    assert threshold_for_costs(loss_ratio(theta)) == pytest.approx(theta)


@pytest.mark.parametrize("theta", [-0.1, 1.1, float("nan")])
def test_a_threshold_lies_between_0_and_1(theta):
    with pytest.raises(SettingError, match=r"`theta` must lie in \[0, 1\]"):
        loss_ratio(theta)
    with pytest.raises(SettingError, match="`theta` must lie"):
        risk(np.ones((2, 4)), theta)


@pytest.mark.parametrize("ratio", [-1, float("nan")])
def test_a_loss_ratio_is_not_negative(ratio):
    with pytest.raises(SettingError, match="0 or more"):
        threshold_for_costs(ratio)


def test_risk_weighs_false_positives_by_theta():
    counts = np.array([[8, 1, 9, 2], [7, 3, 7, 3]])  # tp fp tn fn

    # by hand: 0.8 x 1 + 0.2 x 2 and 0.8 x 3 + 0.2 x 3
    np.testing.assert_allclose(risk(counts, 0.8), [1.2, 3.0])
    np.testing.assert_array_equal(risk(counts, 1), counts[:, 1])
    np.testing.assert_array_equal(risk(counts, 0), counts[:, 3])
    # half the number of errors
    np.testing.assert_allclose(risk(counts, 0.5), (counts[:, 1] + counts[:, 3]) / 2)


def test_risk_takes_one_theta_per_row_and_columns_in_any_order():
    counts = np.array([[8, 1, 9, 2], [7, 3, 7, 3]])
    table = pd.DataFrame(counts, columns=["tp", "fp", "tn", "fn"])[["fn", "tp", "tn", "fp"]]

    np.testing.assert_allclose(risk(counts, [0.8, 0.0]), [1.2, 3.0])
    np.testing.assert_allclose(risk(table, 0.8), [1.2, 3.0])
    with pytest.raises(DataError, match="last dimension"):
        risk(counts[:, :3], 0.5)


def test_points_on_an_iso_cost_line_have_the_same_risk():
    positives, negatives, theta = 30, 70, 0.6
    slope = iso_cost_slope(theta, positives, negatives)
    fpr = np.array([0.1, 0.2, 0.3])
    tpr = 0.2 + slope * fpr
    counts = np.column_stack(
        [tpr * positives, fpr * negatives, (1 - fpr) * negatives, (1 - tpr) * positives]
    )

    np.testing.assert_allclose(np.diff(risk(counts, theta)), 0, atol=1e-12)


def test_iso_cost_lines_of_the_ends_and_of_one_class():
    assert iso_cost_slope(1, 10, 10) == inf
    assert iso_cost_slope(0, 10, 10) == 0
    with pytest.raises(SettingError, match="both classes"):
        iso_cost_slope(0.5, 0, 10)


@given(rates)
def test_an_envelope_is_the_cheapest_point_at_every_cost_and_concave(points):
    fpr, tpr = np.array([*points, (0, 0), (1, 1)]).T
    found = cost_envelope(fpr, tpr, grid=21)
    pc, cost = found["pc"].to_numpy(), found["cost"].to_numpy()
    every = (1 - tpr) * pc[:, None] + fpr * (1 - pc[:, None])  # the definition

    np.testing.assert_allclose(cost, every.min(axis=1), atol=1e-12)
    assert (cost <= trivial(found) + 1e-12).all()
    # a tpr one rounding step below 1 leaves that step as cost
    np.testing.assert_allclose([cost[0], cost[-1]], 0, atol=1e-12)
    middle = (pc[1:-1] - pc[:-2]) / (pc[2:] - pc[:-2])
    chord = cost[:-2] + middle * (cost[2:] - cost[:-2])
    assert (cost[1:-1] >= chord - 1e-12).all()


def test_perfect_and_useless_classifiers():
    perfect = cost_envelope([0], [1])
    useless = cost_envelope([0.3, 0.7], [0.3, 0.7])
    none = cost_envelope([], [])

    assert (perfect["cost"] == 0).all()
    np.testing.assert_allclose(useless["cost"], trivial(useless))
    np.testing.assert_allclose(none["cost"], trivial(none))
    assert (np.diff(none["pc"]) > 0).all()


def test_corners_of_one_operating_point_are_exact():
    """fpr = fnr = e: the envelope is min(pc, e, 1 - pc), its area e (1 - e)."""
    e = 0.137
    found = cost_envelope([e], [1 - e], grid=2)

    np.testing.assert_allclose(found["pc"], [0, e, 1 - e, 1])
    np.testing.assert_allclose(found["cost"], [0, e, e, 0], atol=1e-15)
    assert np.trapezoid(found["cost"], found["pc"]) == pytest.approx(e * (1 - e))


def test_the_area_is_the_brier_score_of_calibrated_scores(rng):
    """Area under the envelope = Brier score after isotonic calibration, classes weighed alike."""
    label = rng.random(400) < 0.3
    score = rng.normal(size=400) + label
    order = np.argsort(score)
    label = label[order]
    weight = np.where(label, 0.5 / label.sum(), 0.5 / (~label).sum())
    calibrated = isotonic_regression(label.astype(float), weights=weight).x
    brier = (weight * (label - calibrated) ** 2).sum()
    fpr = np.cumsum(~label[::-1]) / (~label).sum()
    tpr = np.cumsum(label[::-1]) / label.sum()
    found = cost_envelope(fpr, tpr)

    assert np.trapezoid(found["cost"], found["pc"]) == pytest.approx(brier, abs=1e-12)


@pytest.mark.parametrize(
    ("fpr", "tpr", "message"),
    [
        ([0.1], [0.5, 0.6], "same length"),
        ([1.2], [0.5], r"lie in \[0, 1\]"),
        ([float("nan")], [0.5], r"lie in \[0, 1\]"),
    ],
)
def test_rates_are_rates(fpr, tpr, message):
    with pytest.raises(DataError, match=message):
        cost_envelope(fpr, tpr)


def test_a_grid_has_two_ends():
    with pytest.raises(SettingError, match="at least 2"):
        cost_envelope([0.1], [0.9], grid=1)
