"""Tests of average ranks: printed values, other programs, identities, degenerate tables."""

from itertools import pairwise
from math import factorial, inf, isfinite

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.inference.ranks import (
    critical_difference,
    friedman,
    iman_davenport,
    nemenyi,
    post_hoc_z,
    rank_rows,
)
from tests.conftest import load_reference

TABLES = ["A_gh2008", "C_demsar2006", "C_demsar2006_untied"]
tables = arrays(
    float, st.tuples(st.integers(2, 12), st.integers(2, 7)), elements=st.integers(0, 6).map(float)
).map(lambda values: pd.DataFrame(values, columns=[f"a{j}" for j in range(values.shape[1])]))


@pytest.mark.parametrize("name", TABLES)
def test_friedman_agrees_with_r_scipy_and_the_papers_formula(name):
    reference = load_reference(name)

    actual = friedman(reference.scores, higher_is_better=True)

    reference.assert_close(actual.average_ranks, "mean_ranks")
    reference.assert_close(actual.statistic, "friedman.tie_corrected", "chi2")
    reference.assert_close(actual.pvalue, "friedman.tie_corrected", "p")
    reference.assert_close(actual.uncorrected_statistic, "friedman.uncorrected", "chi2")
    reference.assert_close(actual.uncorrected_pvalue, "friedman.uncorrected", "p")
    reference.assert_close(actual.kendall_w, "kendall_W.tie_corrected")


@pytest.mark.parametrize("name", TABLES)
def test_iman_davenport_agrees_with_other_programs(name):
    reference = load_reference(name)

    actual = iman_davenport(reference.scores, higher_is_better=True)

    reference.assert_close(actual.statistic, "iman_davenport.tie_corrected", "F")
    reference.assert_close(actual.pvalue, "iman_davenport.tie_corrected", "p")
    reference.assert_close(actual.uncorrected_statistic, "iman_davenport.uncorrected", "F")
    reference.assert_close(actual.uncorrected_pvalue, "iman_davenport.uncorrected", "p")


@pytest.mark.parametrize("name", TABLES)
def test_pairs_of_ranks_agree_with_other_programs(name):
    reference = load_reference(name)
    ranks = friedman(reference.scores, higher_is_better=True).average_ranks
    n = len(reference.scores)

    z, range_test = post_hoc_z(ranks, n), nemenyi(ranks, n)

    reference.assert_close(z.statistics, "posthoc.z")
    reference.assert_close(z.pvalues, "posthoc.p_unadjusted")
    reference.assert_close(range_test.pvalues, "posthoc.nemenyi_p.studentized_range")
    for alpha in ("0.01", "0.05", "0.1"):
        actual = critical_difference(len(ranks), n, float(alpha))
        reference.assert_close(actual, f"nemenyi.cd.alpha_{alpha}")


def test_garcia_and_herrera_2008_as_printed(garcia_herrera):
    """JMLR 9 (2008): average ranks in Table 2, statistics in section 2.2, z and p in Table 3."""
    chi2 = friedman(garcia_herrera.scores, higher_is_better=True)
    f = iman_davenport(garcia_herrera.scores, higher_is_better=True)
    z = post_hoc_z(chi2.average_ranks, 30)

    assert chi2.average_ranks.round(3).tolist() == [2.1, 3.25, 2.2, 4.333, 3.117]
    assert round(chi2.uncorrected_statistic, 3) == 39.647
    assert round(chi2.statistic, 3) == 39.913
    assert round(f.uncorrected_statistic, 3) == 14.309
    assert round(f.statistic, 3) == 14.453
    printed = {
        ("C4.5", "Kernel"): (5.471, 4.487e-8),
        ("NaiveBayes", "Kernel"): (5.226, 1.736e-7),
        ("Kernel", "CN2"): (2.98, 0.0029),
        ("C4.5", "1-NN"): (2.817, 0.0048),
        ("1-NN", "Kernel"): (2.654, 0.008),
        ("1-NN", "NaiveBayes"): (2.572, 0.0101),
        ("C4.5", "CN2"): (2.49, 0.0128),
        ("NaiveBayes", "CN2"): (2.245, 0.0247),
        ("1-NN", "CN2"): (0.327, 0.744),
        ("C4.5", "NaiveBayes"): (0.245, 0.8065),
    }
    for pair, (statistic, pvalue) in printed.items():
        assert abs(z.statistics.loc[pair]) == pytest.approx(statistic, abs=6e-4)
        assert z.pvalues.loc[pair] == pytest.approx(pvalue, rel=2e-3, abs=6e-5)


def test_demsar_2006_as_printed():
    """JMLR 7 (2006), section 3.2.2: 9.28, 3.69 and CD 1.25 need the unrounded value for `voting`."""
    untied = load_reference("C_demsar2006_untied").scores
    rounded = load_reference("C_demsar2006").scores

    assert round(friedman(untied, higher_is_better=True).uncorrected_statistic, 2) == 9.28
    assert round(iman_davenport(untied, higher_is_better=True).uncorrected_statistic, 2) == 3.69
    assert round(critical_difference(4, 14, 0.05), 2) == 1.25
    printed, f = (test(rounded, higher_is_better=True) for test in (friedman, iman_davenport))
    assert round(printed.uncorrected_statistic, 3) == 9.857
    assert round(f.uncorrected_statistic, 3) == 3.987
    assert round(printed.statistic, 3) == 10.952
    assert round(f.statistic, 3) == 4.586


def test_critical_difference_uses_k_not_k_plus_1():
    """For k = 3, q is 2.344 (Demsar 2006, Table 5a); 2.569, the value for k = 4, is a known error."""
    assert critical_difference(3, 30, 0.05) / np.sqrt(3 * 4 / (6 * 30)) == pytest.approx(
        2.343, abs=1.5e-3
    )


@given(tables)
def test_friedman_equals_scipy_where_scipy_is_defined(scores):
    if scores.shape[1] < 3 or (scores.nunique(axis=1) == 1).all():
        return
    expected = stats.friedmanchisquare(*scores.to_numpy().T)

    actual = friedman(scores, higher_is_better=False)

    assert actual.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
    assert actual.pvalue == pytest.approx(expected.pvalue, rel=1e-7, abs=1e-12)


@given(tables, st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_changes_nothing(scores, random):
    rows, columns = list(scores.index), list(scores.columns)
    random.shuffle(rows)
    random.shuffle(columns)

    expected = iman_davenport(scores, higher_is_better=True)
    actual = iman_davenport(scores.loc[rows, columns], higher_is_better=True)

    assert actual.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert actual.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    pd.testing.assert_series_equal(actual.average_ranks[scores.columns], expected.average_ranks)


@given(tables)
def test_flipping_scores_and_direction_changes_nothing(scores):
    expected = rank_rows(scores, higher_is_better=True)

    pd.testing.assert_frame_equal(rank_rows(-scores, higher_is_better=False), expected)
    pd.testing.assert_frame_equal(rank_rows(np.exp(scores), higher_is_better=True), expected)


@given(tables)
def test_ranks_of_a_row_sum_to_the_same(scores):
    k = scores.shape[1]

    assert (rank_rows(scores, higher_is_better=True).sum(axis=1) == k * (k + 1) / 2).all()


@given(tables)
def test_every_answer_is_defined(scores):
    for test in (friedman, iman_davenport):
        outcome = test(scores, higher_is_better=True)

        assert 0 <= outcome.pvalue <= 1
        assert outcome.statistic >= 0
        assert -1e-12 <= outcome.kendall_w <= 1 + 1e-12


def test_two_algorithms_reduce_to_the_sign_test_in_its_normal_form(rng):
    scores = pd.DataFrame(rng.random((25, 2)), columns=["a", "b"])
    wins = (scores["a"] > scores["b"]).sum()

    outcome = friedman(scores, higher_is_better=True)

    assert outcome.statistic == pytest.approx((2 * wins - 25) ** 2 / 25)
    assert "sign test" in str(outcome.warnings[0])


@pytest.mark.parametrize(("rows", "ties"), [([1, 2, 3, 4], 1), ([1, 2, 2, 4], 2)])
def test_unanimous_data_sets_have_an_exact_p(rows, ties):
    outcome = iman_davenport(pd.DataFrame([rows] * 3), higher_is_better=False)

    assert outcome.statistic == inf
    assert outcome.pvalue == pytest.approx((factorial(4) / ties) ** -2)
    assert outcome.method.exact
    assert "exact" in str(outcome.method)


def test_all_ties_give_p_one():
    outcome = iman_davenport(pd.DataFrame(np.ones((5, 3))), higher_is_better=True)

    assert (outcome.statistic, outcome.pvalue) == (0, 1)


def test_rounding_noise_breaks_no_tie():
    scores = pd.DataFrame([[0.1 + 0.2, 0.3, 0.5]])

    assert rank_rows(scores, higher_is_better=True).iloc[0].tolist() == [2.5, 2.5, 1]


def test_failures_share_the_last_places_only_if_asked():
    scores = pd.DataFrame([[0.9, np.nan, np.nan, 0.1]], columns=list("abcd"), index=["iris"])

    assert rank_rows(scores, higher_is_better=True, missing="worst").iloc[0].tolist() == [
        1,
        3.5,
        3.5,
        2,
    ]
    with pytest.raises(DataError, match="2 values are not, the first in row 'iris', column 'b'"):
        friedman(scores, higher_is_better=True)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (pd.DataFrame({"a": [1.0]}), "at least 2 algorithms"),
        (pd.DataFrame({"a": [1.0], "b": [2.0]}), "at least 2 data sets"),
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), "only numbers"),
        (pd.DataFrame([[1.0, 2.0]] * 2, index=["x", "x"]), "Repeated: x"),
        (pd.DataFrame([[1.0, inf]] * 2), "finite"),
    ],
)
def test_bad_tables_are_refused_with_the_reason(scores, message):
    with pytest.raises((DataError, DesignError), match=message):
        friedman(scores, higher_is_better=True)


def test_bad_options_are_refused_with_the_reason():
    with pytest.raises(SettingError, match="between 0 and 1"):
        critical_difference(5, 30, 5)
    with pytest.raises(SettingError, match="refuse, worst"):
        rank_rows(pd.DataFrame([[1.0, 2]]), higher_is_better=True, missing="mean")
    with pytest.raises(DesignError, match="at least 2 algorithms"):
        post_hoc_z(pd.Series([1.0]), 10)


@given(st.lists(st.integers(10, 50), min_size=2, max_size=9), st.integers(2, 60))
def test_pairwise_matrices_are_symmetric_and_within_0_and_1(numerators, n):
    ranks = pd.Series(np.minimum(np.array(numerators) / 10, len(numerators)))
    for test in (post_hoc_z, nemenyi):
        outcome = test(ranks, n)
        p, z = outcome.pvalues.to_numpy(), outcome.statistics.to_numpy()

        assert (p == p.T).all()
        assert ((p >= 0) & (p <= 1)).all()
        assert (np.diag(p) == 1).all()
        assert (z == -z.T).all()
        assert isfinite(outcome.statistic)
        assert outcome.pvalue == p.min()


def test_nemenyi_p_equals_alpha_at_the_critical_difference():
    ranks = pd.Series([1.0, 1.0 + critical_difference(6, 20, 0.05), 3, 3, 3, 3])

    assert nemenyi(ranks, 20).pvalues.iloc[0, 1] == pytest.approx(0.05, abs=1e-9)


def test_nemenyi_is_never_below_the_unadjusted_p():
    ranks = pd.Series(np.linspace(1, 9, 9))

    raw, adjusted = post_hoc_z(ranks, 12).pvalues, nemenyi(ranks, 12).pvalues

    assert (adjusted.to_numpy() >= raw.to_numpy() - 1e-12).all()
    ordered = [adjusted.iloc[0, j] for j in range(1, 9)]
    assert all(later < earlier for earlier, later in pairwise(ordered))


def test_a_hundred_and_seventy_nine_algorithms(rng):
    scores = pd.DataFrame(rng.random((121, 179)))

    ranks = friedman(scores, higher_is_better=True).average_ranks

    assert nemenyi(ranks, 121).pvalues.shape == (179, 179)


def test_degrees_of_freedom_as_demsar_prints_them(demsar):
    """JMLR 7 (2006), section 3.2: four algorithms and 14 data sets have 3 and 39 df."""
    outcome = iman_davenport(demsar.scores, higher_is_better=True)

    assert "F with 3 and 39 df" in str(outcome.method)
