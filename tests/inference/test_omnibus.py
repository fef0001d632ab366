"""Tests of aligned ranks, Quade, Kendall's W and Skillings-Mack: other programs, identities, missing results."""

from fractions import Fraction
from math import inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.core.messages import message
from stats_core.inference.omnibus import (
    friedman_aligned,
    kendall_w,
    quade,
    shuffled_skillings_mack,
    skillings_mack,
)
from stats_core.inference.paired import wilcoxon
from stats_core.inference.ranks import friedman
from tests.conftest import load_reference

TABLES = ["A_gh2008", "C_demsar2006", "C_demsar2006_untied"]
COMPLETE = [friedman_aligned, quade, kendall_w, skillings_mack]
NAN = np.nan

tables = arrays(
    float, st.tuples(st.integers(2, 10), st.integers(2, 6)), elements=st.integers(0, 6).map(float)
).map(lambda values: pd.DataFrame(values, columns=[f"a{j}" for j in range(values.shape[1])]))


@st.composite
def holed_tables(draw):
    """Draw tables with missing results, of which the first two rows are complete."""
    scores = draw(tables)
    values = scores.to_numpy().copy()
    holes = draw(arrays(bool, values.shape))
    holes[:2] = False
    values[holes] = NAN
    return pd.DataFrame(values, columns=scores.columns)


@pytest.fixture
def assembly():
    """Times of four assembly methods in nine blocks, the example of R's Skillings.Mack 1.10."""
    return pd.DataFrame(
        [
            [3.2, 4.1, 3.8, 4.2],
            [3.1, 3.9, 3.4, 4.0],
            [4.3, 3.5, 4.6, 4.8],
            [3.5, 3.6, 3.9, 4.0],
            [3.6, 4.2, 3.7, 3.9],
            [4.5, 4.7, 3.7, NAN],
            [NAN, 4.2, 3.4, NAN],
            [4.3, 4.6, 4.4, 4.9],
            [3.5, NAN, 3.7, 3.9],
        ],
        columns=list("ABCD"),
    )


@pytest.mark.parametrize("name", TABLES)
def test_aligned_ranks_and_quade_agree_with_other_programs(name):
    """Reference: exact rational arithmetic, and quade.test of R 4.2.2."""
    reference = load_reference(name)

    aligned = friedman_aligned(reference.scores, higher_is_better=True)
    weighted = quade(reference.scores, higher_is_better=True)

    reference.assert_close(aligned.statistic, "friedman_aligned_ranks", "T")
    reference.assert_close(aligned.pvalue, "friedman_aligned_ranks", "p")
    reference.assert_close(weighted.statistic, "quade", "F")
    reference.assert_close(weighted.pvalue, "quade", "p")


@pytest.mark.parametrize("name", TABLES)
def test_kendall_w_agrees_with_other_programs(name):
    reference = load_reference(name)

    agreement = kendall_w(reference.scores, higher_is_better=True)

    reference.assert_close(agreement.statistic, "kendall_W.tie_corrected")
    reference.assert_close(agreement.pvalue, "friedman.tie_corrected", "p")


def test_skillings_mack_on_the_assembly_data(assembly):
    """R's Skillings.Mack prints 15.493049, p = 0.001440 and 3 df for its example."""
    outcome = skillings_mack(assembly, higher_is_better=False)

    assert round(outcome.statistic, 6) == 15.493049
    assert round(outcome.pvalue, 6) == 0.00144
    assert outcome.df == (3,)
    assert outcome.uncorrected_statistic == pytest.approx(outcome.statistic)
    assert outcome.runs.tolist() == [8, 8, 9, 7]
    assert outcome.ranks.loc[6].tolist() == [1.5, 2, 1, 1.5]
    assert outcome.adjusted_sums.idxmin() == "A"
    assert "9 data sets" in str(outcome.warnings[0])


def test_shuffling_the_assembly_data_agrees_with_r(assembly):
    """R's Monte Carlo p-value is 0.001 with 1000 draws, and its chi-square p-value 0.0014."""
    outcome = shuffled_skillings_mack(assembly, higher_is_better=False)

    assert outcome.statistic == pytest.approx(15.493049, abs=1e-6)
    assert 1e-4 <= outcome.pvalue < 0.0014
    assert (outcome.arrangements, outcome.exact) == (10_000, False)
    assert outcome.pvalue == shuffled_skillings_mack(assembly, higher_is_better=False).pvalue


def test_shuffled_p_is_uniform_where_nothing_differs(rng):
    pvalues = []
    for seed in range(60):
        values = rng.random((6, 3))
        values[0, 0] = values[1, 2] = NAN
        table = pd.DataFrame(values)
        pvalues.append(
            shuffled_skillings_mack(table, higher_is_better=True, draws=199, rng=seed).pvalue
        )

    assert stats.kstest(pvalues, "uniform").pvalue > 0.01


@given(tables)
def test_skillings_mack_of_a_complete_table_is_friedman(scores):
    expected = friedman(scores, higher_is_better=True)

    actual = skillings_mack(scores, higher_is_better=True)

    close = {"rel": 1e-9, "abs": 1e-9}
    assert actual.statistic == pytest.approx(expected.statistic, **close)
    assert actual.uncorrected_statistic == pytest.approx(expected.uncorrected_statistic, **close)
    assert actual.pvalue == pytest.approx(expected.pvalue, **close)


@given(holed_tables())
def test_skillings_mack_solves_the_equations_of_the_paper(scores):
    """Expected: the printed definition with a pseudo-inverse of the covariance."""
    k = scores.shape[1]
    sums, counts = np.zeros(k), np.zeros((k, k))
    for row in scores.to_numpy():
        present = ~np.isnan(row)
        size = present.sum()
        if size >= 2:
            ranks = stats.rankdata(-row[present])
            sums[present] += np.sqrt(12 / (size + 1)) * (ranks - (size + 1) / 2)
            counts += np.outer(present, present)
    np.fill_diagonal(counts, 0)
    covariance = np.diag(counts.sum(axis=0)) - counts

    actual = skillings_mack(scores, higher_is_better=True)

    expected = sums @ np.linalg.pinv(covariance) @ sums
    assert actual.uncorrected_statistic == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert actual.statistic >= actual.uncorrected_statistic - 1e-9
    assert 0 <= actual.pvalue <= 1


def test_balanced_incomplete_blocks_give_durbins_test():
    """Durbin 1951 on 4 algorithms, every pair once: 12 (k-1)/(r k (s-1)(s+1)) sum (R - mean)^2."""
    scores = pd.DataFrame(
        [
            [1, 2, NAN, NAN],
            [1, NAN, 2, NAN],
            [1, NAN, NAN, 2],
            [NAN, 2, 1, NAN],
            [NAN, 1, NAN, 2],
            [NAN, NAN, 1, 2],
        ]
    )
    sums = np.array([3, 5, 4, 6])  # ranks summed by hand
    durbin = 12 * 3 / (3 * 4 * 1 * 3) * ((sums - 4.5) ** 2).sum()

    assert skillings_mack(scores, higher_is_better=False).statistic == pytest.approx(durbin)


def test_data_sets_with_one_result_say_nothing(assembly):
    more = assembly.copy()
    more.loc["single"] = [1.0, NAN, NAN, NAN]
    more.loc["none"] = NAN

    outcome = skillings_mack(more, higher_is_better=False)

    assert outcome.statistic == skillings_mack(assembly, higher_is_better=False).statistic
    assert outcome.n == 9
    assert outcome.warnings[0] == message("data sets without two results", n=2)


def test_groups_that_never_meet_are_named():
    """Each of two pairs has four wins of four: chi-square 4 + 4 with 1 + 1 df."""
    scores = pd.DataFrame([[1, 2, NAN, NAN]] * 4 + [[NAN, NAN, 1, 2]] * 4, columns=list("abcd"))

    outcome = skillings_mack(scores, higher_is_better=False)

    assert outcome.statistic == pytest.approx(8)
    assert outcome.df == (2,)
    assert "not compared with each other: {a, b} and {c, d}." in str(outcome.warnings[0])


def test_an_algorithm_that_never_ran_is_named():
    scores = pd.DataFrame([[1, 2, NAN]] * 4, columns=["a", "b", "idle"])

    outcome = skillings_mack(scores, higher_is_better=False)

    assert outcome.statistic == pytest.approx(4)
    assert outcome.df == (1,)
    assert "{a, b} and {idle}" in str(outcome.warnings[0])


@pytest.mark.parametrize("test", COMPLETE)
@given(scores=tables, random=st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_changes_nothing(test, scores, random):
    rows, columns = list(scores.index), list(scores.columns)
    random.shuffle(rows)
    random.shuffle(columns)

    expected = test(scores, higher_is_better=True)
    actual = test(scores.loc[rows, columns], higher_is_better=True)

    assert actual.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
    assert actual.pvalue == pytest.approx(expected.pvalue, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("test", COMPLETE)
@given(scores=tables)
def test_flipping_scores_and_direction_changes_nothing(test, scores):
    expected = test(scores, higher_is_better=True)
    actual = test(-scores, higher_is_better=False)

    assert actual.statistic == expected.statistic
    assert actual.pvalue == expected.pvalue


@given(tables, st.integers(-50, 50))
def test_a_constant_per_data_set_changes_neither_aligned_ranks_nor_quade(scores, constant):
    shifted = scores.add(constant * np.arange(len(scores)), axis=0)

    for test in (friedman_aligned, quade):
        expected = test(scores, higher_is_better=True)
        actual = test(shifted, higher_is_better=True)
        assert actual.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
        pd.testing.assert_series_equal(actual.average_ranks, expected.average_ranks)


@given(holed_tables())
def test_monotone_maps_change_nothing_where_only_ranks_count(scores):
    expected = skillings_mack(scores, higher_is_better=True).statistic

    actual = skillings_mack(np.exp(scores), higher_is_better=True).statistic

    assert actual == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("test", COMPLETE)
@given(scores=tables)
def test_every_answer_is_defined(test, scores):
    outcome = test(scores, higher_is_better=True)

    assert 0 <= outcome.pvalue <= 1
    assert outcome.statistic >= -1e-9
    assert not outcome.to_frame().isna().to_numpy().any()


@given(tables)
def test_quade_of_two_algorithms_is_a_form_of_wilcoxon(scores):
    """With k = 2, B = W^2 / 2N and A = sum Q^2 / 2, where W = W+ - W- with Pratt's ranks."""
    scores = scores.iloc[:, :2]
    signed = wilcoxon(scores["a0"], scores["a1"], zero_method="pratt")
    squares = (stats.rankdata(np.abs(scores["a0"] - scores["a1"])) ** 2).sum()
    w2 = (signed.w_plus - signed.w_minus) ** 2
    zeros = stats.rankdata(np.abs(scores["a0"] - scores["a1"]))[(scores["a0"] == scores["a1"])]
    room = len(scores) * (squares - (zeros**2).sum()) - w2

    outcome = quade(scores, higher_is_better=True)

    if room > 1e-9:
        assert outcome.statistic == pytest.approx((len(scores) - 1) * w2 / room, abs=1e-9)
    else:
        assert outcome.statistic in (0, inf)
    assert "Wilcoxon" in str(outcome.warnings[0])


def test_aligned_ranks_of_two_algorithms_by_hand():
    """Differences 1, 2, 3: ranks 3 2 1 | 4 5 6, so T = 1 (6^2 + 15^2 - 2 * 9 * 49/4) / 17.5."""
    scores = pd.DataFrame({"a": [1.0, 1, 1], "b": [2.0, 3, 4]})

    outcome = friedman_aligned(scores, higher_is_better=False)

    assert outcome.average_ranks.tolist() == [2, 5]
    expected = Fraction(36 + 225) - Fraction(2 * 9 * 49, 4)
    below = Fraction(6 * 7 * 13, 6) - Fraction(3 * 49, 2)
    assert outcome.statistic == pytest.approx(float(expected / below))


def test_the_correction_for_ties_changes_nothing_without_ties(rng):
    outcome = friedman_aligned(pd.DataFrame(rng.random((8, 4))), higher_is_better=True)

    assert outcome.corrected_statistic == pytest.approx(outcome.statistic)
    assert outcome.corrected_pvalue == pytest.approx(outcome.pvalue)


def test_noise_breaks_no_tie_of_aligned_values_or_ranges():
    """In floating point, 0.3 - 0.1 and 0.9 - 0.7 differ in the last bit; integers have no such differences."""
    tenths = pd.DataFrame([[1, 3, 2], [7, 9, 9], [4, 6, 5], [2, 2, 4]])

    for test in (friedman_aligned, quade):
        expected = test(tenths, higher_is_better=True).statistic
        assert test(tenths / 10, higher_is_better=True).statistic == pytest.approx(expected)


def test_tiny_differences_beside_a_large_data_set_are_no_ties():
    scores = pd.DataFrame([[1e-6, 2e-6, 4e-6], [3e-6, 5e-6, 9e-6], [1e6, 2.5e6, 3e6]])

    ranks = friedman_aligned(scores, higher_is_better=False).ranks

    assert len(np.unique(ranks)) == 9


def test_one_order_and_one_weight_everywhere_has_an_exact_p():
    """Three data sets have the same one of 3! orders with probability (1/6)^2."""
    outcome = quade(pd.DataFrame([[1, 2, 3]] * 3), higher_is_better=False)

    assert outcome.statistic == inf
    assert outcome.pvalue == pytest.approx(1 / 36)
    assert outcome.method.exact
    assert "exact" in str(outcome.method)
    assert kendall_w(pd.DataFrame([[1, 2, 3]] * 3), higher_is_better=False).statistic == 1


def test_one_order_with_different_weights_is_finite():
    outcome = quade(pd.DataFrame([[1, 2, 3], [1, 3, 5], [1, 4, 7]]), higher_is_better=False)

    assert outcome.weights.tolist() == [1, 2, 3]
    assert outcome.average_ranks.tolist() == [1, 2, 3]
    assert outcome.statistic == pytest.approx(2 * 24 / (28 - 24))  # A = 2 * 14, B = 2 * 36 / 3


@pytest.mark.parametrize("test", COMPLETE)
@pytest.mark.parametrize("k", [2, 4])
def test_constant_tables_give_p_one(test, k):
    outcome = test(pd.DataFrame(np.ones((5, k))), higher_is_better=True)

    assert (outcome.statistic, outcome.pvalue) == (0, 1)


def test_a_constant_table_is_shuffled_in_vain():
    outcome = shuffled_skillings_mack(pd.DataFrame(np.ones((5, 3))), higher_is_better=True)

    assert (outcome.statistic, outcome.pvalue) == (0, 1)


@pytest.mark.parametrize("test", [friedman_aligned, quade])
def test_holes_are_refused_with_the_way_out(test):
    with pytest.raises(DataError, match=r"1 result is missing.*skillings_mack"):
        test(pd.DataFrame([[1, 2, NAN], [1, 2, 3]]), higher_is_better=True)


@pytest.mark.parametrize("test", [*COMPLETE, shuffled_skillings_mack])
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (pd.DataFrame({"a": [1.0, 2]}), "at least 2 algorithms"),
        (pd.DataFrame({"a": [1.0], "b": [2.0]}), "there is 1"),
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), "only numbers"),
        (pd.DataFrame([[1.0, 2.0]] * 2, index=["x", "x"]), "Repeated: x"),
        (pd.DataFrame([[1.0, inf]] * 2), "finite"),
    ],
)
def test_bad_tables_are_refused_with_the_reason(test, scores, message):
    with pytest.raises((DataError, DesignError), match=message):
        test(scores, higher_is_better=True)


def test_too_many_holes_are_refused():
    with pytest.raises(DesignError, match="A test over data sets needs at least 2 data"):
        skillings_mack(pd.DataFrame([[1, NAN], [NAN, 2], [1, 2]]), higher_is_better=True)
    with pytest.raises(SettingError, match="at least 1"):
        shuffled_skillings_mack(pd.DataFrame([[1, 2]] * 3), higher_is_better=True, draws=0)


def test_failures_may_rank_worst_in_kendall_w():
    scores = pd.DataFrame([[1, 2, NAN]] * 3)

    assert kendall_w(scores, higher_is_better=False, missing="worst").statistic == 1
