"""Tests of inference on areas under ROC curves: other programs, enumeration, identities, invalid input."""

from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, log, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stats_core.core.errors import DataError, DegenerateError, DesignError, SettingError
from stats_core.curves.auc_intervals import (
    METHODS,
    auc_interval,
    auc_interval_from_errors,
    auc_interval_of,
    auc_sample_size,
    detectable_auc,
    exceedance_probabilities,
    expected_auc,
    hanley_mcneil_se,
)
from stats_core.curves.delong import delong, delong_covariance, delong_variance
from stats_core.curves.roc_pr import roc_auc
from tests.breast_cancer_data import assert_expected
from tests.conftest import REFERENCE, load_oracles

# label and two tied scores per case; both classes have at least two cases
two_rankings = st.lists(
    st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 5)), min_size=4, max_size=20
).filter(lambda cases: 2 <= sum(label for label, _, _ in cases) <= len(cases) - 2)


@cache
def cases():
    """Return label, fold and the scores of each algorithm for every case of the breast cancer data."""
    table = pd.read_csv(REFERENCE / "D_bc_cv10_instances.csv")
    scores = table.pivot(index=["fold", "instance", "y"], columns="algorithm", values="score")
    return scores.reset_index(["y", "fold"])


@cache
def oracles():
    return load_oracles("D_bc_roc")


def binormal(rng, n, separation):
    """Return labels and normal scores of n negatives and n positives, whose means differ by `separation`."""
    labels = np.repeat([0, 1], n)
    return labels, rng.normal(size=2 * n) + separation * labels


# ---- DeLong ---------------------------------------------------------------------------------


def test_delong_test_agrees_with_r_proc():
    oracle = oracles()["pooled.delong_paired_test"]
    for pair, expected in oracle["expected"].items():
        first, second = pair.split("|")
        outcome = delong(cases()["y"], cases()[first], cases()[second])

        assert_expected(outcome.statistic, oracle, expected["z"])
        assert_expected(outcome.pvalue, oracle, expected["p"])


def test_delong_variance_agrees_with_r_proc_pooled_and_in_every_fold():
    pooled, per_fold = (
        oracles()[f"{which}.auc_roc.delong_variance"] for which in ("pooled", "per_fold")
    )
    for algorithm, expected in pooled["expected"].items():
        assert_expected(delong_variance(cases()["y"], cases()[algorithm]), pooled, expected)
    for cell, expected in per_fold["expected"].items():
        fold, algorithm = cell.split("|")
        part = cases()[cases()["fold"] == int(fold)]

        assert_expected(delong_variance(part["y"], part[algorithm]), per_fold, expected)


def test_delong_interval_agrees_with_r_proc():
    oracle = oracles()["pooled.auc_roc.delong_ci95"]
    for algorithm, expected in oracle["expected"].items():
        interval = auc_interval(cases()["y"], cases()[algorithm])

        assert_expected(interval.low, oracle, expected["ci_low"])
        assert_expected(interval.high, oracle, expected["ci_high"])
        assert not interval.clipped_low
        assert not interval.clipped_high
        assert interval.warnings == ()


def definition(labels, scores):
    """Return DeLong's areas and covariance by their definition, from all pairs of a positive and a negative case."""
    labels, scores = np.asarray(labels), np.asarray(scores, dtype=float)
    positive, negative = scores[labels == 1], scores[labels == 0]
    wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    v10, v01 = wins.mean(axis=1), wins.mean(axis=0)
    covariance = np.cov(v10.T) / len(positive) + np.cov(v01.T) / len(negative)
    return wins.mean(axis=(0, 1)), covariance


@given(two_rankings)
def test_midranks_give_the_covariance_of_the_definition(rows):
    labels, *scores = np.array(rows).T
    areas, covariance = definition(labels, np.transpose(scores))
    found, of_found = delong_covariance(labels, np.transpose(scores))

    np.testing.assert_allclose(found, areas)
    np.testing.assert_allclose(of_found, covariance, atol=1e-15)
    assert found[0] == pytest.approx(roc_auc(labels, scores[0]))


@given(two_rankings, st.randoms(use_true_random=False))
def test_what_changes_nothing_in_delong(rows, random):
    labels, a, b = np.array(rows).T
    try:
        outcome = delong(labels, a, b)
    except DegenerateError:
        with pytest.raises(DegenerateError):
            delong(labels, b, a)
        return
    order = random.sample(range(len(rows)), len(rows))
    flipped = delong(1 - labels, -a, -b)

    assert 0 <= outcome.pvalue <= 1
    assert delong(labels, b, a).statistic == pytest.approx(-outcome.statistic)
    assert delong(labels, b, a).pvalue == pytest.approx(outcome.pvalue)
    assert delong(labels, np.exp(a), b**3 - 7).statistic == pytest.approx(outcome.statistic)
    assert delong(labels[order], a[order], b[order]).variance == pytest.approx(outcome.variance)
    assert (flipped.auc_a, flipped.variance) == pytest.approx((outcome.auc_a, outcome.variance))
    assert delong(1 - labels, a, b).auc_a == pytest.approx(1 - outcome.auc_a)
    assert outcome.variance == pytest.approx(
        outcome.covariance[0, 0] + outcome.covariance[1, 1] - 2 * outcome.covariance[0, 1],
        abs=1e-15,
    )


def test_delong_outcome_says_what_was_compared():
    outcome = delong(cases()["y"], cases()["tree"], cases()["svc"])
    half = 1.959963984540054 * sqrt(outcome.variance)  # upper 2.5% point of the normal, tables

    assert outcome.n == 569
    assert outcome.about == "areas under two ROC curves, 212 positive and 357 negative instances"
    assert outcome.difference == pytest.approx(outcome.auc_a - outcome.auc_b)
    assert outcome.interval() == pytest.approx(
        (outcome.difference - half, outcome.difference + half)
    )
    assert outcome.interval(0.99)[0] < outcome.interval(0.9)[0]
    table = outcome.to_frame()
    assert table.loc[0, ["auc_a", "auc_b"]].tolist() == [outcome.auc_a, outcome.auc_b]
    with pytest.raises(SettingError, match="level"):
        outcome.interval(1)


def test_covariance_keeps_the_names_of_the_classifiers():
    scores = cases()[["svc", "tree", "knn"]]
    areas, covariance = delong_covariance(cases()["y"], scores)

    assert list(areas.index) == list(covariance.index) == list(covariance.columns)
    assert list(areas.index) == ["svc", "tree", "knn"]
    assert covariance.loc["svc", "svc"] == pytest.approx(
        delong_variance(cases()["y"], scores["svc"])
    )


def test_identical_rankings_are_not_told_apart():
    outcome = delong([1, 1, 0, 0], [4, 2, 3, 1], [40, 20, 30, 10])

    assert (outcome.statistic, outcome.pvalue, outcome.variance) == (0, 1, 0)
    assert "no test is possible" in str(outcome.warnings[0])
    assert outcome.interval() == (0, 0)


def test_areas_that_differ_without_variance_are_refused():
    with pytest.raises(DegenerateError, match=r"The difference between the two areas is 0\.5"):
        delong([1, 1, 0, 0], [4, 3, 2, 1], [1, 1, 1, 1])


def test_a_perfect_area_warns_that_the_variance_is_understated():
    perfect = delong([1, 1, 0, 0], [4, 3, 2, 1], [4, 2, 3, 1])

    assert "underestimated" in str(perfect.warnings[0])
    assert delong([1, 1, 0, 0], [4, 2, 3, 1], [2, 4, 3, 1]).warnings == ()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1, 1, 0, 0], [1, 2, 3, np.nan], [1, 2, 3, 4]), DataError, "finite"),
        (([1, 1, 0, 0], [1, 2, 3, 4], [1, 2, 3, np.inf]), DataError, "finite"),
        (([1, 1, 0, 2], [1, 2, 3, 4], [1, 2, 3, 4]), DataError, "0 or 1"),
        (([1, np.nan, 0, 0], [1, 2, 3, 4], [1, 2, 3, 4]), DataError, "0 or 1"),
        (([1, 1, 0, 0], [1, 2, 3, 4], [1, 2, 3]), DataError, "same length"),
        (([1, 0, 0], [1, 2, 3, 4], [1, 2, 3, 4]), DataError, "same length"),
        (([], [], []), DataError, "same length"),
        ((["yes", "no"], [1, 2], [1, 2]), DataError, "Recode"),
        (([1, 1, 1], [1, 2, 3], [1, 2, 3]), DegenerateError, "only one class"),
        (
            ([1, 0, 0], [1, 2, 3], [1, 2, 3]),
            DesignError,
            "DeLong's variance needs at least 2 positive",
        ),
    ],
)
def test_delong_refuses_hostile_input(arguments, error, message):
    with pytest.raises(error, match=message):
        delong(*arguments)


def test_labels_and_scores_come_in_any_kind_of_array():
    plain = delong([1, 1, 0, 0, 1], [4, 2, 3, 1, 5], [2, 4, 3, 1, 3])
    kinds = delong(
        pd.Series([True, True, False, False, True], index=list("edcba")),
        pd.array([4, 2, 3, 1, 5], dtype="Int64"),
        (2.0, 4.0, 3.0, 1.0, 3.0),
    )

    assert (kinds.statistic, kinds.auc_a) == (plain.statistic, plain.auc_a)


def test_covariance_refuses_a_table_without_scores():
    with pytest.raises(DataError, match="same length"):
        delong_covariance([1, 1, 0, 0], pd.DataFrame(index=range(4)))


# ---- intervals from scores or from the area -------------------------------------------------


def test_hanley_mcneil_error_agrees_with_rational_arithmetic():
    oracle = oracles()["pooled.auc_roc.hanley_mcneil_se"]
    for algorithm, expected in oracle["expected"].items():
        interval = auc_interval(cases()["y"], cases()[algorithm], "hanley-mcneil")

        assert_expected(interval.se, oracle, expected)
        assert_expected(hanley_mcneil_se(interval.auc, 212, 357), oracle, expected)
        assert interval.high - interval.low == pytest.approx(2 * 1.959963984540054 * expected)


def test_hanley_mcneil_of_one_case_per_class_is_a_single_toss():
    assert hanley_mcneil_se(0.8, 1, 1) == pytest.approx(sqrt(0.8 * 0.2))  # variance of one win


def test_exceedance_probabilities_are_those_of_exponential_scores(rng):
    area, draws = 0.8, 200_000
    negative = rng.exponential(size=(2, draws))
    positive = rng.exponential(area / (1 - area), size=(2, draws))  # P(positive above) = area
    counted = (
        (positive.min(axis=0) > negative[0]).mean(),
        (positive[0] > negative.max(axis=0)).mean(),
    )

    assert counted == pytest.approx(exceedance_probabilities(area), abs=0.005)  # over 4 sd


def test_agarwal_margin_is_that_of_the_share_of_positives():
    # the form in the paper: with rho = m / N, N = 400 cases, and a miss of 10%
    margin = sqrt(log(2 / 0.1) / (2 * 0.25 * 0.75 * 400))
    interval = auc_interval_of(0.6, 100, 300, "agarwal", confidence_level=0.9)

    assert (interval.low, interval.high) == pytest.approx((0.6 - margin, 0.6 + margin))
    assert interval.se is None
    assert interval.warnings == ()


def test_agarwal_is_wider_than_both_others():
    for algorithm in ("tree", "logreg", "knn", "nb", "rf", "svc"):
        agarwal, *others = (
            auc_interval(cases()["y"], cases()[algorithm], method)
            for method in ("agarwal", "delong", "hanley-mcneil")
        )
        for other in others:
            assert agarwal.low < other.low
            assert agarwal.high > other.high


def test_intervals_are_cut_to_the_unit_interval_and_say_so():
    beyond_one = auc_interval_of(0.9, 10, 10, "agarwal")
    beyond_both = auc_interval_of(0.5, 2, 2, "agarwal")

    assert (beyond_one.high, beyond_one.clipped_low, beyond_one.clipped_high) == (1, False, True)
    assert beyond_one.warnings == ("The interval was truncated at 1.",)
    assert (beyond_both.low, beyond_both.high) == (0, 1)
    assert (beyond_both.clipped_low, beyond_both.clipped_high) == (True, True)
    assert beyond_both.warnings == ("The interval was truncated at 0 and 1.",)


@pytest.mark.parametrize("method", ["delong", "hanley-mcneil"])
@pytest.mark.parametrize(("score", "auc"), [([4, 3, 2, 1], 1), ([1, 2, 3, 4], 0)])
def test_normal_intervals_have_nothing_to_say_of_perfect_rankings(method, score, auc):
    interval = auc_interval([1, 1, 0, 0], score, method)

    assert (interval.low, interval.high, interval.se) == (auc, auc, 0)
    assert "the interval is a single point" in interval.warnings[0]
    assert (interval.clipped_low, interval.clipped_high) == (False, False)


def test_only_delong_is_silenced_by_ties():
    tied = ([1, 1, 0, 0], [5, 5, 5, 5])

    assert "the interval is a single point" in auc_interval(*tied).warnings[0]
    assert auc_interval(*tied, "hanley-mcneil").se > 0.2


@given(two_rankings, st.sampled_from(METHODS))
def test_flipping_both_keeps_the_interval_and_flipping_labels_mirrors_it(rows, method):
    labels, score, _ = np.array(rows).T
    plain = auc_interval(labels, score, method)
    both, mirrored = (auc_interval(1 - labels, sign * score, method) for sign in (-1, 1))

    assert 0 <= plain.low <= plain.auc <= plain.high <= 1
    assert (plain.positives, plain.negatives) == (both.negatives, both.positives)
    if method != "hanley-mcneil":  # whose exponential model treats the classes unlike
        assert (both.low, both.high) == pytest.approx((plain.low, plain.high))
        assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((plain.low, plain.high))


def test_hanley_mcneil_mirrors_the_area_with_the_classes():
    # Q1 - A^2 and Q2 - A^2 trade places when A becomes 1 - A
    assert hanley_mcneil_se(0.7, 20, 90) == pytest.approx(hanley_mcneil_se(0.3, 90, 20))


def test_intervals_of_all_methods_make_one_table():
    table = pd.concat(
        [auc_interval(cases()["y"], cases()["nb"], method).to_frame() for method in METHODS]
    )

    assert table["se"].isna().tolist() == [False, False, True]
    assert table["confidence_level"].tolist() == [0.95] * 3
    assert table["method"].is_unique


@pytest.mark.parametrize("method", ["delong", "hanley-mcneil"])
def test_normal_intervals_cover_the_area_of_binormal_scores(rng, method):
    area = stats.norm.cdf(1 / sqrt(2))  # of two unit normals one apart
    draws = 500
    intervals = [auc_interval(*binormal(rng, 50, 1.0), method) for _ in range(draws)]
    covered = np.mean([interval.low <= area <= interval.high for interval in intervals])

    assert covered == pytest.approx(0.95, abs=4 * sqrt(0.95 * 0.05 / draws))  # 4 sd of a share


@pytest.mark.parametrize("method", METHODS)
def test_interval_refuses_hostile_scores(method):
    with pytest.raises(DegenerateError, match="only one class"):
        auc_interval([1, 1], [0.1, 0.2], method)
    with pytest.raises(DataError, match="same length"):
        auc_interval([1, 0], [0.1], method)
    with pytest.raises(DataError, match="finite"):
        auc_interval([1, 0], [0.1, np.nan], method)
    with pytest.raises(SettingError, match="level"):
        auc_interval([1, 1, 0, 0], [1, 2, 3, 4], method, confidence_level=95)


def test_interval_refuses_unknown_methods():
    with pytest.raises(SettingError, match="hanley-mcneil, delong, agarwal"):
        auc_interval([1, 0], [1, 2], "bootstrap")
    with pytest.raises(SettingError, match="hanley-mcneil, agarwal"):
        auc_interval_of(0.8, 50, 50, "delong")


@pytest.mark.parametrize("auc", [-0.1, 1.1, np.nan, "0.8", None])
@pytest.mark.parametrize("method", ["hanley-mcneil", "agarwal"])
def test_interval_refuses_what_is_no_area(auc, method):
    with pytest.raises(DataError, match="`auc` must lie in .0, 1."):
        auc_interval_of(auc, 50, 50, method)


# ---- Cortes and Mohri -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "mean", "sd"),
    [  # by enumeration and by the closed forms of the papers, to the digits shown
        ((88, 232, 136), 0.71091, 0.02092),
        ((39, 164, 139), 0.86924, 0.01171),
    ],
)
def test_expected_area_has_known_values(counts, mean, sd):
    assert expected_auc(*counts) == pytest.approx((mean, sd), abs=5e-6)


def test_expected_area_of_seven_cases():
    mean, sd = expected_auc(
        2, 3, 4
    )  # by enumeration of the rankings of seven cases: .70270, variance .0242269

    assert mean == pytest.approx(0.70270, abs=5e-6)
    assert sd**2 == pytest.approx(0.0242269, abs=5e-8)


@cache
def areas_by_errors(positives, negatives):
    """Return the areas of all rankings cut at all positions, by the number of errors of the cut."""
    total = positives + negatives
    listed = {errors: [] for errors in range(total + 1)}
    for places in combinations(range(total), positives):  # places of the positives, best first
        labels = np.isin(np.arange(total), places)
        area = roc_auc(labels, -np.arange(total))
        for cut in range(total + 1):
            listed[int((~labels[:cut]).sum() + labels[cut:].sum())].append(area)
    return listed


@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 4), (4, 3), (5, 2), (6, 4)])
def test_expected_area_is_that_of_all_rankings(m, n):
    for errors, areas in areas_by_errors(m, n).items():  # beyond min(m, n) errors too
        assert expected_auc(errors, m, n) == pytest.approx(
            (np.mean(areas), np.std(areas)), abs=1e-7
        )


@pytest.mark.parametrize(("m", "n"), [(5, 5), (7, 12), (30, 11), (2, 6)])
def test_closed_form_of_the_mean_up_to_the_smaller_class(m, n):
    total = m + n
    for k in range(min(m, n) + 1):
        z1 = Fraction(
            sum(comb(total, x) for x in range(k)), sum(comb(total + 1, x) for x in range(k + 1))
        )
        skew = Fraction((n - m) ** 2 * (total + 1), 4 * m * n)
        closed = 1 - Fraction(k, total) - skew * (Fraction(k, total) - z1)

        assert expected_auc(k, m, n)[0] == pytest.approx(float(closed))


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_identities_of_the_expected_area(m, n, data):
    k = data.draw(st.integers(0, m + n))
    mean, sd = expected_auc(k, m, n)

    assert expected_auc(k, n, m) == pytest.approx((mean, sd), abs=1e-7)  # classes exchanged
    assert expected_auc(m + n - k, m, n) == pytest.approx((1 - mean, sd), abs=1e-7)  # reversed
    assert 0 <= mean <= 1


def test_balanced_classes_expect_the_accuracy():
    assert expected_auc(3, 10, 10)[0] == pytest.approx(0.85)  # the closed form with m = n
    assert expected_auc(0, 10, 5) == (1, 0)
    assert expected_auc(np.float64(3), np.int64(10), 10.0) == expected_auc(3, 10, 10)


def test_many_cases_are_no_obstacle():
    mean, sd = expected_auc(10_000, 50_000, 50_000)

    assert mean == pytest.approx(0.9)
    assert 0 < sd < 0.001


def test_interval_from_errors_is_the_range_over_likely_errors():
    # written out for 20 cases: e' = 1 - sqrt(.95), Clopper-Pearson by scipy's own exact interval
    miss = 1 - sqrt(0.95)
    exact = stats.binomtest(4, 20).proportion_ci(1 - miss)
    likely = [k for k in range(21) if exact.low <= k / 20 <= exact.high]
    moments = [expected_auc(k, 12, 8) for k in likely]
    interval = auc_interval_from_errors(4, 12, 8, error_interval="clopper-pearson")
    normal = auc_interval_from_errors(4, 12, 8, error_interval="clopper-pearson", large_sample=True)
    z = stats.norm.ppf(1 - miss / 2)

    assert interval.low == pytest.approx(
        max(0, min(mean - sd / sqrt(miss) for mean, sd in moments))
    )
    assert normal.low == pytest.approx(max(0, min(mean - z * sd for mean, sd in moments)))
    assert normal.low > interval.low
    assert (interval.auc, interval.se) == pytest.approx(expected_auc(4, 12, 8))


def test_distribution_free_error_interval_is_chebyshevs():
    # 1000 cases, e' = .0253206: half-width 1 / (2 sqrt(25.3206)) = .0993653, 200 +- 99.4 errors
    interval = auc_interval_from_errors(200, 400, 600)

    assert "101 to 299 errors" in interval.method
    assert "0 to 26 errors" in auc_interval_from_errors(10, 500, 500, confidence_level=0.01).method


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_interval_from_errors_holds_its_mean_and_grows_with_the_level(m, n, data):
    k = data.draw(st.integers(0, m + n))
    kind = data.draw(st.sampled_from(["distribution-free", "clopper-pearson"]))
    narrow, wide = (
        auc_interval_from_errors(k, m, n, confidence_level=level, error_interval=kind)
        for level in (0.8, 0.99)
    )

    assert 0 <= wide.low <= narrow.low <= narrow.auc <= narrow.high <= wide.high <= 1


def test_error_intervals_at_the_ends():
    none = auc_interval_from_errors(0, 50, 50, error_interval="clopper-pearson")
    all_wrong = auc_interval_from_errors(100, 50, 50, error_interval="clopper-pearson")

    assert (none.auc, none.high) == (1, 1)
    assert none.low == pytest.approx(1 - all_wrong.high)
    assert (all_wrong.auc, all_wrong.low) == (0, 0)


@pytest.mark.parametrize(
    ("counts", "error", "message"),
    [
        ((11, 5, 5), DataError, "`errors` must be at most the number of"),
        ((-1, 5, 5), DataError, "`errors` must be a nonnegative integer"),
        ((1.5, 5, 5), DataError, "`errors` must be a nonnegative integer"),
        ((np.nan, 5, 5), DataError, "`errors` must be a nonnegative integer"),
        (("2", 5, 5), DataError, "`errors` must be a nonnegative integer"),
        ((1, 5.5, 5), DataError, "`positives` must be a nonnegative integer"),
        ((1, 5, np.inf), DataError, "`negatives` must be a nonnegative integer"),
        ((1, 0, 5), DegenerateError, "there are 0 positive and 5 negative"),
        ((1, 5, 0), DegenerateError, "there are 5 positive and 0 negative"),
    ],
)
@pytest.mark.parametrize("function", [expected_auc, auc_interval_from_errors])
def test_counts_that_cannot_be_are_refused(function, counts, error, message):
    with pytest.raises(error, match=message):
        function(*counts)


def test_interval_from_errors_refuses_unknown_settings():
    with pytest.raises(SettingError, match="distribution-free, clopper-pearson"):
        auc_interval_from_errors(1, 5, 5, error_interval="wald")
    with pytest.raises(SettingError, match="level"):
        auc_interval_from_errors(1, 5, 5, confidence_level=0)


# ---- how many cases -------------------------------------------------------------------------


def test_sample_size_is_that_of_the_formula():
    # .8 against .9 in fractions: V = Q1 + Q2 - 2 A^2; normal points 1.959964 and .841621
    v1 = Fraction(2, 3) + Fraction(32, 45) - Fraction(32, 25)
    v2 = Fraction(9, 11) + Fraction(81, 95) - Fraction(81, 50)
    n = ((1.959964 * sqrt(2 * v1) + 0.841621 * sqrt(v1 + v2)) / 0.1) ** 2

    assert auc_sample_size(0.8, 0.9) == int(np.ceil(n)) == 142


@pytest.mark.parametrize(("first", "second"), [(0.7, 0.8), (0.8, 0.9)])
def test_sample_size_has_the_promised_power(rng, first, second):
    # Exponential scores, for which Q1 and Q2 hold; the test takes the standard error of equal
    # areas, as the formula does. Areas by counting: scipy's Mann-Whitney U over n^2.
    n, draws = auc_sample_size(first, second), 1000

    def areas(auc):
        negative = rng.exponential(size=(draws, n))
        positive = rng.exponential(auc / (1 - auc), size=(draws, n))
        return stats.mannwhitneyu(positive, negative, axis=1, method="asymptotic").statistic / n**2

    critical = 1.959964 * sqrt(2) * hanley_mcneil_se(first, n, n)
    power = np.mean(np.abs(areas(first) - areas(second)) > critical)

    assert power == pytest.approx(0.8, abs=4 * sqrt(0.8 * 0.2 / draws))  # 4 sd of a share


@given(
    st.floats(0.5, 0.95),
    st.floats(0.01, 1),
    st.floats(0.001, 0.2),
    st.floats(0.5, 0.99),
    st.booleans(),
)
def test_identities_of_the_sample_size(first, step, alpha, power, two_sided):
    second = first + step * (0.99 - first)
    options = {"alpha": alpha, "power": power, "two_sided": two_sided}
    n = auc_sample_size(first, second, **options)
    seen = detectable_auc(first, n, **options)

    assert n >= 1
    assert seen <= second + 1e-9  # n was rounded up
    assert auc_sample_size(first, min(seen * (1 + 1e-9), 1 - 1e-12), **options) <= n
    assert auc_sample_size(first, second, alpha=alpha, power=0.995, two_sided=two_sided) >= n
    assert auc_sample_size(first, second, alpha=alpha / 2, power=power, two_sided=False) == (
        auc_sample_size(first, second, alpha=alpha, power=power, two_sided=True)
    )


def test_more_cases_detect_smaller_differences():
    detected = [detectable_auc(0.8, n) for n in (50, 200, 10_000)]

    assert detected == sorted(detected, reverse=True)
    assert detected[-1] - 0.8 < 0.02
    assert detectable_auc(0.9, 50) is None
    assert detectable_auc(0.9, 50, power=0.5, two_sided=False) is not None


def test_sample_size_also_looks_below():
    assert auc_sample_size(0.8, 0.6) > auc_sample_size(0.8, 0.5) > 1


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0.8, 0.8), {}, "two different areas"),
        ((1.0, 0.8), {}, "`first` must be an area"),
        ((0.8, 0), {}, "`second` must be an area"),
        ((0.8, np.nan), {}, "`second` must be an area"),
        (("0.8", 0.9), {}, "`first` must be an area"),
        ((0.8, 0.9), {"alpha": 0.5}, "`alpha` must lie strictly between 0 and 0.5"),
        ((0.8, 0.9), {"alpha": 0}, "`alpha` must lie"),
        ((0.8, 0.9), {"power": 1}, "`power` must lie strictly between 0.5 and 1"),
        ((0.8, 0.9), {"power": 0.4}, "`power` must lie"),
    ],
)
def test_sample_size_refuses_impossible_plans(arguments, options, message):
    with pytest.raises(SettingError, match=message):
        auc_sample_size(*arguments, **options)


@pytest.mark.parametrize("n", [0, -5, 2.5, np.nan, np.inf, "100"])
def test_detectable_area_needs_a_number_of_cases(n):
    with pytest.raises(SettingError, match="`n_per_class` must be a positive integer"):
        detectable_auc(0.8, n)


@pytest.mark.parametrize(
    ("errors", "positives", "negatives"), [(1500, 2000, 4000), (1500, 1500, 1500)]
)
def test_rankings_left_out_do_not_change_the_area_expected_from_errors(
    errors, positives, negatives
):
    """Compared with sums over all numbers of false positives, in exact integers."""
    weights, areas = [], []
    for x in range(max(0, errors - positives), min(errors, negatives) + 1):
        misses = errors - x
        weights.append(comb(positives - misses + x, x) * comb(negatives - x + misses, misses))
        areas.append(1 - (misses / positives + x / negatives) / 2)
    total = sum(weights)
    mean = sum(weight / total * area for weight, area in zip(weights, areas, strict=True))

    assert expected_auc(errors, positives, negatives)[0] == pytest.approx(mean, rel=1e-12)
