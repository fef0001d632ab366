"""Tests of error rates of intervals, which exclude zero exactly if the adjusted p-value is at most alpha."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core import adjust_control, adjust_pairs
from stats_core.core.result_types import labeled_matrix
from stats_core.core.validation import significant
from stats_core.inference.multiplicity.adjust import CONTROL_METHODS, PAIR_METHODS, adjust_family
from stats_core.inference.pair_intervals import SIMULTANEOUS, error_rates, guarantee_of

TIED = [0.0, 0.001, 0.01, 0.05 / 3, 0.05, 1.0]
PVALUES = st.lists(st.one_of(st.floats(1e-9, 1), st.sampled_from(TIED)), min_size=10, max_size=10)


def of_pairs(p, method):
    """Return unadjusted and adjusted p-values of all pairs of as many algorithms as there are p-values for."""
    k = next(k for k in range(5, 1, -1) if k * (k - 1) // 2 <= len(p))
    upper = np.triu_indices(k, 1)
    table = np.ones((k, k))
    table[upper] = table.T[upper] = p[: len(upper[0])]
    found = adjust_pairs(labeled_matrix(table, pd.Index([*"abcde"[:k]])), method)
    return np.array(p[: len(upper[0])]), found.to_numpy()[upper]


def of_control(p, method):
    p = pd.Series(p, index=[*"abcdefghij"])
    return p.to_numpy(), adjust_control(p, method).to_numpy()


@pytest.mark.parametrize(
    ("adjust", "method"),
    [
        *((of_pairs, method) for method in PAIR_METHODS),
        *((of_control, method) for method in CONTROL_METHODS),
    ],
)
@given(p=PVALUES)
def test_zero_is_excluded_exactly_where_the_adjusted_p_is_significant(adjust, method, p):
    """An interval with error rate e excludes zero exactly if p <= e."""
    p, adjusted = adjust(p, method)
    rates = error_rates(p, adjusted, 0.05)
    assert (rates <= 0.05 * (1 + 1e-12)).all()
    assert (significant(p, rates) == significant(adjusted, 0.05)).all()


def test_selected_pairs_get_the_rate_of_benjamini_and_yekutieli():
    """With R of m pairs selected, the rate is alpha R / m (Benjamini and Yekutieli 2005, section 3)."""
    p = [0.0001, 0.0002, 0.3, 0.4, 0.5]
    assert error_rates(p, adjust_family(np.array(p), "holm"), 0.05)[:2] == pytest.approx(
        0.05 * 2 / 5
    )


def test_the_rate_reaches_as_far_as_the_procedure_rejects():
    """Shaffer's procedure may reject p = 0.04, so the interval needs at least that error rate."""
    assert error_rates([0.001, 0.04, 0.6], [0.003, 0.04, 0.6], 0.05)[1] == pytest.approx(0.05)


def test_one_pair_has_the_ordinary_interval():
    assert error_rates([0.2], [0.2], 0.05) == pytest.approx([0.05])
    assert error_rates([0.0], [0.0], 0.05) == pytest.approx([0.05])


@pytest.mark.parametrize("method", [*PAIR_METHODS])
@given(p=PVALUES)
def test_nonsignificant_pairs_share_alpha(method, p):
    """All m intervals at error rates of at most alpha / m cover jointly (Bonferroni), whatever is significant."""
    p, adjusted = of_pairs(p, method)
    rates = error_rates(p, adjusted, 0.05, correction=method)
    expected = 0.05 if method == "none" else 0.05 / len(p)
    assert rates[~significant(adjusted, 0.05)] == pytest.approx(expected)


@pytest.mark.parametrize("method", [*CONTROL_METHODS])
@given(p=PVALUES)
def test_nonsignificant_comparisons_with_a_control_share_alpha(method, p):
    """Li's procedure may accept p < alpha / m, whose interval needs an error rate below p to contain zero."""
    p, adjusted = of_control(p, method)
    rates = error_rates(p, adjusted, 0.05, correction=method)
    accepted = ~significant(adjusted, 0.05)
    assert (rates[accepted] <= 0.05 / (1 if method == "none" else 10) * (1 + 1e-9)).all()
    if method not in ("li", "none"):
        assert rates[accepted] == pytest.approx(0.05 / 10)


@pytest.mark.parametrize("method", [*SIMULTANEOUS])
def test_simultaneous_procedures_have_one_rate(method):
    assert error_rates([0.001, 0.3], [0.002, 0.6], 0.05, correction=method) == pytest.approx(0.025)
    assert guarantee_of(method, separated=True) == "simultaneous"


def test_a_part_of_the_family_keeps_the_size_of_the_family():
    assert error_rates([0.001], [0.01], 0.05, family=10) == pytest.approx([0.005])


def test_pairs_without_a_test_have_no_rate():
    assert np.isnan(error_rates([np.nan, 0.01], [np.nan, 0.01], 0.05)).tolist() == [True, False]
