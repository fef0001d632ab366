"""Tests of median contrasts: exact arithmetic, identities, degenerate tables."""

from fractions import Fraction
from statistics import median

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stats_core.core.errors import DataError, DesignError
from stats_core.inference.pairwise import contrast_estimation, contrast_estimators
from tests.conftest import REFERENCE, load_reference

tables = arrays(
    float, st.tuples(st.integers(1, 9), st.integers(2, 6)), elements=st.integers(-20, 20).map(float)
).map(lambda values: pd.DataFrame(values, columns=[f"a{j}" for j in range(values.shape[1])]))


@pytest.mark.parametrize("name", ["A_gh2008", "C_demsar2006"])
def test_exact_arithmetic_on_the_printed_decimals_gives_the_same(name):
    """Expected: medians of fractions in the formula of Garcia et al. 2010, section 3.3."""
    text = pd.read_csv(REFERENCE / f"{name}.csv", index_col=0, dtype=str)
    columns = {name: [Fraction(cell) for cell in text[name]] for name in text}
    means = {
        first: sum(
            median(a - b for a, b in zip(columns[first], columns[second], strict=True))
            for second in columns
        )
        / len(columns)
        for first in columns
    }

    actual = contrast_estimation(load_reference(name).scores)

    for first in columns:
        for second in columns:
            expected = float(means[first] - means[second])
            assert actual.loc[first, second] == pytest.approx(expected, rel=1e-12, abs=1e-15)


@given(tables)
def test_contrasts_add_up(scores):
    contrasts = contrast_estimation(scores).to_numpy()

    np.testing.assert_array_equal(contrasts, -contrasts.T)
    np.testing.assert_allclose(contrasts[:, :1] + contrasts[:1, :], contrasts, atol=1e-9)
    assert contrast_estimators(scores).sum() == pytest.approx(0, abs=1e-9)


@given(tables, st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_changes_nothing(scores, random):
    rows, columns = list(scores.index), list(scores.columns)
    random.shuffle(rows)
    random.shuffle(columns)

    actual = contrast_estimation(scores.loc[rows, columns]).loc[scores.columns, scores.columns]

    pd.testing.assert_frame_equal(actual, contrast_estimation(scores))


@given(tables, st.integers(-20, 20))
def test_a_constant_per_data_set_changes_nothing_and_one_per_algorithm_is_found(scores, by):
    first = scores.columns[0]
    shifted = scores.add(7.0 * np.arange(len(scores)), axis=0)
    raised = scores.assign(**{first: scores[first] + by})
    expected = contrast_estimation(scores)

    pd.testing.assert_frame_equal(contrast_estimation(shifted), expected)
    moved = contrast_estimation(raised).loc[first] - expected.loc[first]
    np.testing.assert_allclose(moved.iloc[1:], by, atol=1e-9)


@given(tables)
def test_two_algorithms_give_the_median_difference(scores):
    pair = scores.iloc[:, :2]

    actual = contrast_estimation(pair).iloc[0, 1]

    assert actual == pytest.approx(np.median(pair["a0"] - pair["a1"]))


@given(tables)
def test_negated_scores_negate_the_contrasts(scores):
    np.testing.assert_allclose(contrast_estimation(-scores), -contrast_estimation(scores))


def test_one_odd_data_set_moves_nothing():
    scores = pd.DataFrame({"a": [0.8] * 7, "b": [0.7] * 7})
    scores.loc[0, "b"] = -1e6

    assert contrast_estimation(scores).loc["a", "b"] == pytest.approx(0.1)


def test_constant_tables_differ_by_nothing():
    assert (contrast_estimation(pd.DataFrame(np.ones((4, 3)))) == 0).all(axis=None)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (pd.DataFrame({"a": [1.0]}), "at least 2 algorithms"),
        (pd.DataFrame({"a": [1.0, np.nan], "b": [2.0, 1]}), "finite"),
        (pd.DataFrame({"a": [1e80], "b": [2.0]}), "be below"),
    ],
)
def test_bad_tables_are_refused_with_the_reason(scores, message):
    with pytest.raises((DataError, DesignError), match=message):
        contrast_estimation(scores)
