"""Tests of paired tests of two algorithms on folds of one data set: other programs, identities, invalid input."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from stats_core.core.errors import DataError, DegenerateError, DesignError, SettingError
from stats_core.inference.assumptions import normal_differences
from stats_core.inference.paired import (
    cochran_q,
    corrected_t,
    cv52_combined_t,
    cv52_f,
    cv52_t,
    effect_sizes,
    mcnemar,
    overlap_factor,
    paired_t,
    sign_flip_test,
    sign_test,
    wilcoxon,
)
from tests.breast_cancer_data import MEASURES, assert_expected, oracles, runs
from tests.conftest import REFERENCE, load_oracles

five_by_two = st.lists(st.integers(-9, 9), min_size=10, max_size=10).map(
    lambda values: np.array(values, dtype=float).reshape(5, 2)
)
samples = st.lists(
    st.tuples(st.floats(0, 1, width=32), st.floats(0, 1, width=32)), min_size=3, max_size=12
).map(lambda rows: tuple(np.array(rows).T))


@pytest.mark.parametrize("measure", MEASURES)
def test_paired_t_agrees_with_scipy_r_and_pingouin(measure):
    oracle, table = oracles()[f"{measure}.paired_t"], runs("cv10", measure)
    for pair, expected in oracle["expected"].items():
        a, b = pair.split("|")
        test = paired_t(table[a], table[b])

        actual = [test.estimate, test.statistic, test.df, test.pvalue, test.low, test.high]
        fields = ("mean_diff", "t", "df", "p", "ci_low", "ci_high")
        assert_expected(actual, oracle, [expected[field] for field in fields])


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("scheme", ["cv10", "10x10cv"])
def test_corrected_t_agrees_with_numpy_r_and_baycomp(measure, scheme):
    oracle = oracles()[f"{measure}.nadeau_bengio_corrected_t.{scheme}"]
    table = runs("cv10" if scheme == "cv10" else "rcv10x10", measure)
    for pair, expected in oracle["expected"].items():
        a, b = pair.split("|")
        test = corrected_t(table[a], table[b], test_fraction=0.1)

        actual = [test.statistic, test.df, test.pvalue]
        assert_expected(actual, oracle, [expected[field] for field in ("t", "df", "p")])


@pytest.mark.parametrize("measure", MEASURES)
def test_5x2_t_and_f_agree_with_three_programs(measure):
    oracle, table = oracles()[f"{measure}.cv5x2"], runs("cv5x2", measure)
    for pair, expected in oracle["expected"].items():
        a, b = pair.split("|")
        differences = (table[a] - table[b]).to_numpy().reshape(5, 2)
        t, f = cv52_t(differences), cv52_f(differences)

        actual = [t.statistic, t.df[0], t.pvalue, f.statistic, *f.df, f.pvalue]
        fields = ("t", "t_df", "t_p", "F", "F_df1", "F_df2", "F_p")
        assert_expected(actual, oracle, [expected[field] for field in fields])


@pytest.mark.parametrize("measure", MEASURES)
def test_normality_of_differences_agrees_with_scipy_and_r(measure):
    oracle, table = oracles()[f"{measure}.shapiro_of_differences"], runs("cv10", measure)
    for pair, expected in oracle["expected"].items():
        a, b = pair.split("|")
        test = normal_differences(table[a], table[b])

        assert_expected([test.statistic, test.pvalue], oracle, [expected["W"], expected["p"]])


def correct_cases():
    cases = pd.read_csv(REFERENCE / "D_bc_cv10_instances.csv")
    cases["correct"] = cases["y"] == cases["pred"]
    return cases.pivot(index="instance", columns="algorithm", values="correct")


def test_mcnemar_agrees_with_statsmodels_and_r():
    oracle, correct = load_oracles("D_bc_roc")["pooled.mcnemar"], correct_cases()
    for pair, expected in oracle["expected"].items():
        a, b = pair.split("|")
        exact = mcnemar(correct[a], correct[b])
        chi2 = mcnemar(correct[a], correct[b], exact=False)

        assert (exact.only_first, exact.only_second) == (expected["b"], expected["c"])
        assert_expected(exact.pvalue, oracle, expected["p_exact"])
        if expected["b"] != expected["c"]:  # there the other programs count |0| - 1 as 1
            actual = [chi2.statistic, chi2.pvalue]
            assert_expected(actual, oracle, [expected["chi2_cc"], expected["p_cc"]])


def test_cochran_q_agrees_with_statsmodels_and_r():
    oracle = load_oracles("D_bc_roc")["pooled.cochran_q"]
    test = cochran_q(correct_cases())

    expected = [oracle["expected"][field] for field in ("Q", "df", "p")]
    assert_expected([test.statistic, test.df, test.pvalue], oracle, expected)


def test_cochran_q_of_two_is_mcnemar_without_continuity_correction():
    correct = correct_cases()[["tree", "knn"]]
    test = mcnemar(correct["tree"], correct["knn"])
    b, c = test.only_first, test.only_second

    assert cochran_q(correct).statistic == pytest.approx((b - c) ** 2 / (b + c))


def test_the_overlap_factors_of_the_usual_designs():
    """10-fold: 1 + 10/9, 10 x 10-fold: 1 + 100/9, 5 x 2: 11 (Nadeau and Bengio 2003)."""
    factors = [overlap_factor(10, 0.1), overlap_factor(100, 0.1), overlap_factor(10, 0.5)]

    assert factors == pytest.approx([1 + 10 / 9, 1 + 100 / 9, 11])
    assert overlap_factor(10, None) == 1


@given(samples)
def test_the_corrected_t_divides_t_and_widens_the_interval_by_the_same_root(sample):
    x, y = sample
    if np.ptp(x - y) < 1e-3:
        return
    published = {"test_fraction": 1 / len(x)}
    plain, corrected = paired_t(x, y), corrected_t(x, y, **published)
    root = np.sqrt(overlap_factor(len(x), 1 / len(x)))

    assert plain.statistic == pytest.approx(corrected.statistic * root)
    assert corrected.high - corrected.low == pytest.approx(root * (plain.high - plain.low))
    assert (corrected.low <= 0 <= corrected.high) == (corrected.pvalue >= 0.05)


ORDER_FREE = [
    paired_t,
    lambda x, y: corrected_t(x, y, test_fraction=0.1),
    wilcoxon,
    sign_test,
    sign_flip_test,
]


@pytest.mark.parametrize("test", ORDER_FREE)
@given(sample=samples)
def test_swapping_algorithms_swaps_sides_and_folds_have_no_order(test, sample):
    x, y = sample
    if np.ptp(x - y) < 1e-3:
        return
    one, other = test(x, y), test(y, x)
    shuffled = test(x[::-1], y[::-1])

    assert other.pvalue == pytest.approx(one.pvalue)
    assert (other.pvalue_greater, other.pvalue_less) == pytest.approx(
        (one.pvalue_less, one.pvalue_greater)
    )
    assert shuffled.pvalue == pytest.approx(one.pvalue)
    assert one.pvalue == pytest.approx(min(1, 2 * min(one.pvalue_greater, one.pvalue_less)))


@given(five_by_two)
def test_5x2_f_does_not_depend_on_the_order_of_the_ten(differences):
    if (differences[:, 0] == differences[:, 1]).all():
        return
    expected = cv52_f(differences)
    swapped = differences.copy()
    swapped[2] = swapped[2, ::-1]

    for other in (swapped, differences[::-1], -differences):
        assert cv52_f(other).pvalue == pytest.approx(expected.pvalue)
        assert abs(cv52_combined_t(other).statistic) == pytest.approx(
            abs(cv52_combined_t(differences).statistic)
        )
    assert cv52_f(-differences).pvalue_greater == pytest.approx(expected.pvalue_less)


def test_5x2_t_depends_on_which_result_is_first_and_says_so():
    differences = np.array([[3.0, 1], [2, 2], [1, 4], [2, 3], [0, 2]])

    assert cv52_t(differences).statistic > cv52_t(differences[:, ::-1]).statistic > 0
    assert "first of the ten differences" in str(cv52_t(differences).method)


@given(five_by_two, st.floats(-12, 12))
def test_the_interval_of_5x2_f_holds_what_it_does_not_reject(differences, shift):
    if (differences[:, 0] == differences[:, 1]).all():
        return
    test = cv52_f(differences)
    shifted = cv52_f(differences - shift)

    if abs(shifted.pvalue - 0.05) > 1e-6:
        assert (shifted.pvalue > 0.05) == (test.low < shift < test.high)


def test_5x2_f_without_any_acceptable_difference_has_no_interval():
    test = cv52_f([[9, 9.1], [-9, -9.1], [9, 9.1], [-9, -9.1], [0, 0.1]])

    assert np.isnan([test.low, test.high]).all()
    assert [warning.code for warning in test.warnings] == ["no interval"]


def test_one_sided_p_of_5x2_f():
    """The p-value is p / 2 on the side of the mean, and 1 - p / 2 on the other (formulas 6.2)."""
    test = cv52_f([[3, 1], [2, 2], [1, 4], [2, 3], [0, 2]])

    assert test.pvalue == pytest.approx(stats.f.sf(52 / 18, 10, 5))
    assert test.pvalue_greater == pytest.approx(test.pvalue / 2)
    assert test.pvalue_less == pytest.approx(1 - test.pvalue / 2)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
def test_sign_flips_count_every_choice(differences):
    d = np.array(differences, dtype=float)
    sums = np.array([np.dot(signs, d) for signs in product((1, -1), repeat=len(d))])
    test = sign_flip_test(d, np.zeros_like(d))

    assert test.pvalue == (np.abs(sums) >= abs(d.sum())).mean()
    if d.any():
        assert test.pvalue_greater == (sums >= d.sum()).mean()


def test_sign_flips_agree_with_scipy_when_drawn(rng):
    x, y = rng.normal(0.3, 1, 30), rng.normal(0, 1, 30)
    test = sign_flip_test(x, y, draws=20_000)
    other = stats.permutation_test(
        (x, y), lambda a, b: (a - b).mean(), permutation_type="samples", n_resamples=20_000, rng=1
    )

    assert test.pvalue == pytest.approx(other.pvalue, abs=0.015)
    assert "20,000 random" in str(test.method)
    assert sign_flip_test(x, y).pvalue == sign_flip_test(x, y).pvalue


def test_the_interval_of_the_standardised_difference_leaves_equal_tails():
    """At each end, the noncentral t has 2.5% beyond the observed t (Cumming and Finch 2001)."""
    table = runs("cv10", "error")
    sizes = effect_sizes(table["nb"], table["svc"])
    t = sizes.standardised * np.sqrt(10)

    assert t == pytest.approx(paired_t(table["nb"], table["svc"]).statistic)
    for bound, tail in ((sizes.standardised_low, 0.975), (sizes.standardised_high, 0.025)):
        # scipy finds the noncentrality to about six digits
        assert special.nctdtr(9, bound * np.sqrt(10), t) == pytest.approx(tail, rel=1e-5)
    wider = effect_sizes(table["nb"], table["svc"], test_fraction=0.1)
    assert wider.standardised == pytest.approx(sizes.standardised)
    assert wider.standardised_low < sizes.standardised_low
    assert sizes.rank_biserial == wilcoxon(table["nb"], table["svc"]).rank_biserial


SAME = np.array([0.1, 0.2, 0.3, 0.1])
ON_FOLDS = [paired_t, lambda x, y: corrected_t(x, y, test_fraction=0.25), effect_sizes]


@pytest.mark.parametrize("test", [*ON_FOLDS[:2], wilcoxon, sign_test, sign_flip_test])
def test_identical_algorithms_get_p_1_and_a_word(test):
    outcome = test(SAME, SAME)

    assert outcome.pvalue == 1
    assert min(outcome.pvalue_greater, outcome.pvalue_less) > 0.5
    assert "no test is possible" in str(outcome.warnings[0])


@pytest.mark.parametrize("test", ON_FOLDS)
def test_equal_differences_are_refused(test):
    with pytest.raises(DegenerateError, match="no variation"):
        test(SAME, SAME + 0.1)


@pytest.mark.parametrize("test", ON_FOLDS)
def test_one_fold_is_refused(test):
    with pytest.raises(DesignError, match="at least 2"):
        test([0.1], [0.2])


@pytest.mark.parametrize("fraction", [0, 1, -0.1, 10])
def test_a_test_fraction_that_is_no_fraction_is_refused(fraction):
    with pytest.raises(SettingError, match="test_fraction"):
        corrected_t(SAME, SAME, test_fraction=fraction)


@pytest.mark.parametrize("test", [cv52_t, cv52_f, cv52_combined_t])
def test_what_is_not_five_times_two_is_refused(test):
    with pytest.raises(DesignError, match="5 replications of 2"):
        test(np.ones((10, 1)))
    hole = np.ones((5, 2))
    hole[3, 1] = np.nan
    with pytest.raises(DataError, match="The 5x2 cv tests need all ten differences"):
        test(hole)
    with pytest.raises(
        DegenerateError, match="In all five replications, the two differences are the same"
    ):
        test(np.arange(5.0)[:, None] * np.ones(2) + 0.1)
    assert test(np.zeros((5, 2))).pvalue == 1


def test_mcnemar_where_nobody_disagrees():
    test = mcnemar([1, 0, 1], [1, 0, 1])

    assert (test.pvalue, test.estimate) == (1, 0)
    assert mcnemar([1, 0, 1], [1, 0, 1], exact=False).pvalue == 1
    assert mcnemar([1, 0], [0, 1], exact=False).pvalue == 1  # one each: |0| - 1 counts as 0
    assert cochran_q(pd.DataFrame({"a": [1, 0], "b": [1, 0]})).pvalue == 1


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_mcnemar_counts_as_the_binomial_does(cases):
    a, b = np.array(cases, dtype=bool).T
    test = mcnemar(a, b)
    n = test.only_first + test.only_second

    if n:
        assert test.pvalue == pytest.approx(stats.binomtest(test.only_first, n).pvalue)
    assert mcnemar(b, a).pvalue_greater == test.pvalue_less


def test_mcnemar_wants_right_or_wrong():
    with pytest.raises(DataError, match=r"Correctness must be coded as 1 \(correct\) or"):
        mcnemar([0.5, 1], [1, 0])
    with pytest.raises(DesignError, match="at least 2"):
        cochran_q(pd.DataFrame({"a": [1, 0]}))


def test_series_pair_by_label():
    x = pd.Series(SAME, index=list("abcd"))
    y = pd.Series([0.3, 0.1, 0.25, 0.2], index=list("dcba"))

    assert paired_t(x, y).pvalue == paired_t(x, y[list("abcd")].to_numpy()).pvalue


def test_every_pair_of_the_reference_is_compared():
    names = runs("cv10", "error").columns

    assert len(oracles()["error.paired_t"]["expected"]) == len(list(combinations(names, 2))) == 15
