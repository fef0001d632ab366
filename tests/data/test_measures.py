"""Tests of measures from counts: scikit-learn, identities, and 0/0."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from stats_core.core.errors import DataError, SettingError
from stats_core.data.measures import DERIVED, MEASURES, confusion_measures

counts = st.tuples(*[st.integers(0, 20)] * 4).filter(lambda c: sum(c) > 0)


def measured(tp, fp, tn, fn, **options):
    table = pd.DataFrame({"tp": [tp], "fp": [fp], "tn": [tn], "fn": [fn]})
    return confusion_measures(table, **options).iloc[0]


@given(st.tuples(*[st.integers(1, 20)] * 4))
def test_agrees_with_scikit_learn(cells):
    tp, fp, tn, fn = cells
    true = np.repeat([1, 0, 0, 1], cells)
    predicted = np.repeat([1, 1, 0, 0], cells)
    expected = {
        "accuracy": metrics.accuracy_score,
        "precision": metrics.precision_score,
        "recall": metrics.recall_score,
        "f": metrics.f1_score,
        "balanced_accuracy": metrics.balanced_accuracy_score,
        "mcc": metrics.matthews_corrcoef,
    }

    actual = measured(tp, fp, tn, fn)

    for name, function in expected.items():
        assert actual[name] == pytest.approx(function(true, predicted), abs=1e-12)


@given(counts)
def test_identities(cells):
    m = measured(*cells)

    assert m["error"] + m["accuracy"] == pytest.approx(1)
    for first, second in [("tpr", "fnr"), ("tnr", "fpr")]:
        assert np.isnan(m[first]) == np.isnan(m[second])
        if not np.isnan(m[first]):
            assert m[first] + m[second] == pytest.approx(1)
    for name, measure in MEASURES.items():
        if measure.same_as:
            np.testing.assert_equal(m[name], m[measure.same_as])
    assert ((m.drop("mcc").dropna() >= 0) & (m.drop("mcc").dropna() <= 1)).all()


@given(counts)
def test_swapping_the_classes_swaps_the_rates(cells):
    tp, fp, tn, fn = cells
    here, there = measured(tp, fp, tn, fn), measured(tn, fn, tp, fp)

    np.testing.assert_allclose(here["tpr"], there["tnr"])
    np.testing.assert_allclose(here["mcc"], there["mcc"], atol=1e-12)
    assert here["error"] == pytest.approx(there["error"])


def test_zero_over_zero_is_undefined_unless_chosen():
    assert np.isnan(measured(0, 0, 5, 5)["precision"])
    assert measured(0, 0, 5, 5, undefined=0)["precision"] == 0
    assert measured(0, 0, 5, 5, undefined=1)["precision"] == 1
    assert measured(0, 5, 5, 0, undefined=1)["precision"] == 0


def test_every_derived_measure_has_a_direction_and_a_formula():
    assert set(DERIVED) < set(measured(1, 1, 1, 1).index)
    for measure in MEASURES.values():
        assert measure.direction in ("lower", "higher")
        assert measure.formula


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"tp": [1], "fp": [1], "tn": [1]}), "Missing: fn"),
        (pd.DataFrame({"tp": [-1], "fp": [1], "tn": [1], "fn": [1]}), "nonnegative"),
    ],
)
def test_bad_counts_are_refused_with_the_reason(table, message):
    with pytest.raises(DataError, match=message):
        confusion_measures(table)


def test_undefined_is_none_zero_or_one():
    with pytest.raises(SettingError, match="None, 0, 1"):
        measured(1, 1, 1, 1, undefined=2)
