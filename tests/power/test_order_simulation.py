"""Tests of simulations of MultiTest and Multi2Test.

Expected probabilities are those in Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772,
section 4.6, or read off Fig. 4 and 5. Vectorised steps are compared with the functions for one data
set.
"""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stats_core.core.errors import DegenerateError, DesignError, SettingError
from stats_core.inference.fold_tests import ONE_SIDED, one_sided
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity.adjust import adjust_family, adjust_pairs
from stats_core.inference.paired import (
    corrected_t,
    cv52_combined_t,
    cv52_f,
    cv52_t,
    paired_t,
    wilcoxon,
)
from stats_core.inference.paired.signed_ranks import EXACT_LIMIT, wilcoxon_greater
from stats_core.inference.ranks import friedman, nemenyi, post_hoc_z
from stats_core.ordering.multitest import multitest
from stats_core.power.order_simulation import (
    LAMBDAS,
    OrderRunRules,
    PostHoc,
    draw_edges,
    prior_first,
    rates_of_four,
    rates_of_three,
    rates_up_to,
    simulate_multi2test,
    simulate_multitest,
)
from stats_core.report.power_text import describe_order_probabilities

SCALAR = {
    "paired t": lambda d: paired_t(d, np.zeros(10)),
    "corrected t": lambda d: corrected_t(d, np.zeros(10), test_fraction=0.1),
    "corrected t, conservative": lambda d: corrected_t(
        d, np.zeros(10), test_fraction=0.1, max_df=9
    ),
    "5x2 cv F": lambda d: cv52_f(d.reshape(5, 2)),
    "5x2 cv t": lambda d: cv52_t(d.reshape(5, 2)),
    "combined 5x2 cv t": lambda d: cv52_combined_t(d.reshape(5, 2)),
}
ALIKE = [[0.0] * 10, [3.0] * 10, [-3.0] * 10]


# -- one-sided tests ---------------------------------------------------------------------------


def test_the_one_sided_tests_are_known_as_tests_of_two_algorithms():
    assert set(ONE_SIDED) == set(SCALAR)
    assert set(ONE_SIDED) <= set(PAIR_TESTS)


@pytest.mark.parametrize("test", SCALAR)
@given(data=st.data())
def test_each_p_is_that_of_the_test_of_two_algorithms(test, data):
    # errors among 100 cases, so that zeros, ties and rows without variation are frequent
    elements = data.draw(
        st.sampled_from([st.integers(-3, 3), st.integers(-100, 100), st.floats(-1, 1)])
    )
    rows = data.draw(arrays(float, (3, 10), elements=elements))

    found = one_sided(rows, test, test_fraction=0.1)

    for row, p in zip(rows, found, strict=True):
        try:
            wanted = SCALAR[test](row).pvalue_greater
        except DegenerateError:
            assert p in (0, 0.5, 1)  # the limits
        else:
            assert p == pytest.approx(wanted, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("test", SCALAR)
def test_rows_of_equal_differences_get_the_limit(test):
    # nothing to test: 1, as the tests of two algorithms; then t or f is infinite
    assert one_sided(np.array(ALIKE), test, test_fraction=0.1).tolist() == [1, 0, 1]


def test_halves_that_agree_but_cancel_have_no_side():
    # f is infinite, the mean zero: 1/2 as for every mean of zero
    cancel = np.array([2.0, 2, -2, -2, 0, 0, 0, 0, 0, 0])
    assert one_sided(cancel, "5x2 cv F") == 0.5


@given(rows=arrays(float, (4, 10), elements=st.integers(-20, 20)))
def test_the_undivided_f_is_two_sided_p_above_zero_and_one_elsewhere(rows):
    found = one_sided(rows, "5x2 cv F", undivided=True)

    for row, p in zip(rows, found, strict=True):
        try:
            two_sided = cv52_f(row.reshape(5, 2)).pvalue
        except DegenerateError:
            two_sided = 0.0
        assert p == pytest.approx(two_sided if row.sum() > 0 else 1.0, abs=1e-12)


@pytest.mark.parametrize("test", SCALAR)
def test_any_shape_and_gaps(rng, test):
    rows = rng.normal(size=(2, 3, 4, 10))
    found = one_sided(rows, test, test_fraction=0.1)
    assert found.shape == (2, 3, 4)
    assert found[1, 2, 3] == one_sided(rows[1, 2, 3], test, test_fraction=0.1)

    rows[0, 0, 0, 4] = np.nan
    holed = one_sided(rows, test, test_fraction=0.1)
    assert np.argwhere(np.isnan(holed)).tolist() == [[0, 0, 0]]
    if test == "5x2 cv F":
        assert np.isnan(one_sided(rows, test, undivided=True)).sum() == 1


def test_what_cannot_be_tested_is_refused():
    ten = np.ones((2, 10))
    with pytest.raises(
        SettingError, match="must be one of corrected t, conservative, corrected t, paired t"
    ):
        one_sided(ten, "McNemar")
    with pytest.raises(SettingError, match="needs the proportion of test instances"):
        one_sided(ten, "corrected t")
    with pytest.raises(SettingError, match="must lie strictly between 0 and 1"):
        one_sided(ten, "corrected t", test_fraction=1.0)
    with pytest.raises(SettingError, match="applies only to the 5x2 cv F test"):
        one_sided(ten, "5x2 cv t", undivided=True)
    with pytest.raises(DesignError, match="The 5x2 cv tests need ten differences, but"):
        one_sided(ten[:, :8], "5x2 cv F")
    with pytest.raises(DesignError, match="needs at least 2 folds, but `n_results` is 1"):
        one_sided(ten[:, :1], "paired t")


# -- Wilcoxon ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_results", [2, 5, 10, 15, EXACT_LIMIT, EXACT_LIMIT + 5])
@pytest.mark.parametrize("n_cases", [2, 20, 1000])
def test_wilcoxon_of_each_draw_is_that_of_two_algorithms(rng, n_results, n_cases):
    """Few cases give ties and zeros; with more than 60 results, the test is approximate."""
    first = rng.binomial(n_cases, 0.5, (3, 20, n_results))
    second = rng.binomial(n_cases, 0.45, (3, 20, n_results))

    found = wilcoxon_greater(first - second)

    assert found.shape == (3, 20)
    wanted = [
        [wilcoxon(x, y).pvalue_greater for x, y in zip(xs, ys, strict=True)]
        for xs, ys in zip(first, second, strict=True)
    ]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@given(rows=arrays(int, (6, 10), elements=st.integers(-4, 4)))
def test_wilcoxon_with_many_ties_and_zeros(rows):
    wanted = [wilcoxon(row, np.zeros(10)).pvalue_greater for row in rows]
    assert wilcoxon_greater(rows).tolist() == wanted  # sums of powers of two: exactly


def test_wilcoxon_by_hand():
    """Expected: the 2^3 sign choices of ranks 1, 2, 3, or with a zero of ranks 2, 3, 4 (Pratt)."""
    rows = np.array([[1, 2, 3], [-1, 2, 3], [1, -2, 3], [-1, -2, -3], [0, 0, 0]])
    assert wilcoxon_greater(rows).tolist() == [1 / 8, 2 / 8, 3 / 8, 1, 1]
    # sums of (2, 3, 4) from 5 on: 5, 6, 7, 9
    assert wilcoxon_greater(np.array([[0, 1, 2, -3]])).tolist() == [4 / 8]


@pytest.mark.parametrize("family", ["none", "holm"])
def test_edges_by_wilcoxon_are_adjusted_tests_of_the_drawn_errors(family):
    rates = np.tile([0.6, 0.5, 0.4], (60, 1))
    rules = OrderRunRules(n_cases=60, n_results=10, test="Wilcoxon", family=family, alpha=0.05)
    found = draw_edges(np.random.default_rng(5), rates, rules)
    errors = np.random.default_rng(5).binomial(60, rates[..., None], size=(60, 3, 10))

    for run, edges in zip(errors, found, strict=True):
        pairs = ((0, 1), (0, 2), (1, 2))
        raw = np.array([wilcoxon(run[i], run[j]).pvalue_greater for i, j in pairs])
        assert edges.tolist() == (adjust_family(raw, family) <= 0.05).tolist()
    assert 60 < found.sum() < 180  # neither always nor never


def test_wilcoxon_keeps_its_level_and_finds_what_the_t_test_finds():
    """With equal rates, at most 5% of the orders differ from the prior one; large differences are found."""
    found = simulate_multitest(rates_of_three([0, 0.1]), test="Wilcoxon")

    assert found.probabilities.loc[0, "1-2-3"] > 0.95 - 2 * sqrt(0.05 * 0.95 / 1000)
    assert found.probabilities.loc[0.1, "3-2-1"] > 0.95
    assert "Wilcoxon signed-rank test, one-sided, Holm" in found.method
    over = simulate_multi2test(rates_of_four([0, 0.1]), test="Wilcoxon", runs=100)
    assert over.probabilities.iloc[-1].idxmax() == "4-3-2-1"


# -- the steps for many runs at once -----------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 4, 6])
def test_orders_are_those_of_multitest(rng, k):
    names = [f"a{place}" for place in range(k)]
    cheap, costly = np.triu_indices(k, 1)
    edges = rng.random((80, len(cheap))) < rng.random((80, 1))

    for row, order in zip(edges, prior_first(edges, k), strict=True):
        better = np.zeros((k, k), dtype=bool)
        better[costly, cheap] = row
        wanted = multitest(names, pd.DataFrame(better, names, names)).order
        assert [names[place] for place in order] == list(wanted)


@pytest.mark.parametrize("family", ["none", "bonferroni", "holm"])
def test_edges_are_adjusted_one_sided_tests_of_the_drawn_errors(family):
    rates = np.tile([0.6, 0.5, 0.45, 0.4], (100, 1))
    rules = OrderRunRules(n_cases=60, n_results=10, test="paired t", family=family, alpha=0.1)
    found = draw_edges(np.random.default_rng(5), rates, rules)
    errors = np.random.default_rng(5).binomial(60, rates[..., None], size=(100, 4, 10))

    pairs = list(zip(*np.triu_indices(4, 1), strict=True))
    for run, edges in zip(errors, found, strict=True):
        raw = np.array([paired_t(run[i], run[j]).pvalue_greater for i, j in pairs])
        assert edges.tolist() == (adjust_family(raw, family) <= 0.1).tolist()
    assert 100 < found.sum() < 560  # of 600, neither always nor never


@pytest.mark.parametrize("method", ["nemenyi", "bonferroni", "holm"])
def test_edges_over_data_sets_are_those_of_friedman_and_the_post_hoc_test(rng, method):
    k, n, alpha = 4, 12, 0.1
    names = list("abcd")
    noise = rng.random((150, n, k)) - 0.15 * rng.random((150, 1, 1)) * np.arange(k)
    places = noise.argsort(axis=-1).argsort(axis=-1) + 1

    found = PostHoc(k=k, n=n, method=method, alpha=alpha).edges(places.mean(axis=1))

    rejected = 0
    for table, edges in zip(places, found, strict=True):
        outcome = friedman(pd.DataFrame(table, columns=names), higher_is_better=False)
        ranks = outcome.average_ranks
        adjusted = (
            nemenyi(ranks, n).pvalues
            if method == "nemenyi"
            else adjust_pairs(post_hoc_z(ranks, n).pvalues, method)
        )
        better = (adjusted.to_numpy() <= alpha) & np.less.outer(*[ranks.to_numpy()] * 2).T
        wanted = better[np.triu_indices(k, 1)] & (outcome.pvalue <= alpha)
        assert edges.tolist() == wanted.tolist()
        rejected += outcome.pvalue <= alpha
    assert 10 < rejected < 140
    assert found.any()


def test_data_sets_that_all_give_one_order_count_as_rejected():
    # two data sets, chi-square 4 with 2 df: p = 0.135, but the order is reversed on both
    reversed_twice = np.array([[3.0, 2.0, 1.0]])
    edges = PostHoc(k=3, n=2, method="bonferroni", alpha=0.14).edges(reversed_twice)
    # z of the outer pair is 2 / sqrt(3 * 4 / 12) = 2, p = 0.0455, times 3 is 0.1365
    assert edges.tolist() == [[False, True, False]]
    assert not PostHoc(k=3, n=2, method="bonferroni", alpha=0.13).edges(reversed_twice).any()
    nearly = np.array([[3.0, 1.5, 1.5]])  # not one order; chi-square 3, p = 0.22
    assert not PostHoc(k=3, n=2, method="bonferroni", alpha=0.14).edges(nearly).any()


# -- the published figures ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "family", "at_first", "at_last"),
    [
        ("paired t", "holm", 0.95, 1.00),
        ("5x2 cv F", "holm", 0.985, 0.97),
        ("5x2 cv F", "bonferroni", 0.985, 0.73),
    ],
)
def test_three_algorithms_as_in_the_paper(test, family, at_first, at_last):
    found = simulate_multitest(rates_of_three([0, 0.1]), test=test, family=family)

    assert found.probabilities.loc[0, "1-2-3"] == pytest.approx(at_first, abs=0.03)
    assert found.probabilities.loc[0.1, "3-2-1"] == pytest.approx(at_last, abs=0.03)


def test_the_undivided_f_finds_less():
    half, full = (
        simulate_multitest(rates_of_three([0.1]), test="5x2 cv F", undivided=undivided)
        for undivided in (False, True)
    )
    # the same random numbers, twice the p-values: no edge is gained, some are lost
    assert (full.edges <= half.edges).to_numpy().all()
    assert full.probabilities.loc[0.1, "3-2-1"] < half.probabilities.loc[0.1, "3-2-1"] - 0.05


def test_four_algorithms_over_thirty_data_sets_as_in_the_paper():
    found = simulate_multi2test(rates_of_four([0, 0.02, 0.1]))

    assert found.probabilities.loc[0, "1-2-3-4"] == pytest.approx(1, abs=0.03)
    assert found.probabilities.loc[0.02, "3-4-1-2"] == pytest.approx(0.5, abs=0.05)
    assert found.probabilities.loc[0.1, "4-3-2-1"] == pytest.approx(1, abs=0.03)


def test_offsets_move_all_rates_of_a_data_set():
    # shares of errors vary by p (1 - p) / N: less near 0.95 than near 0.5, so that the same
    # difference is found more often there
    still = simulate_multi2test(rates_of_three([0.02]), runs=200, offset=(0, 0))
    moved = simulate_multi2test(rates_of_three([0.02]), runs=200, offset=(0.45, 0.45))
    assert moved.edges.iloc[0].min() > still.edges.iloc[0].min() + 0.1


# -- what comes back ---------------------------------------------------------------------------


def test_shares_add_up_and_come_with_their_errors():
    found = simulate_multitest(rates_of_three(), runs=300)
    shares = found.probabilities

    assert shares.index.tolist() == list(LAMBDAS)
    assert shares.index.name == "lambda"
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert shares.max().is_monotonic_decreasing
    assert (shares.max() > 0).all()
    assert found.edges.columns.tolist() == [("1", "2"), ("1", "3"), ("2", "3")]
    # every edge moves the costlier before the cheaper: the prior order comes without any
    assert (shares["1-2-3"] <= 1 - found.edges.max(axis=1) + 1e-12).all()
    p = shares.iloc[4]
    np.testing.assert_allclose(found.standard_error.iloc[4], np.sqrt(p * (1 - p) / 300))
    assert found.method == (
        "MultiTest: 10 results of 100 instances each, paired t test, one-sided, Holm, α = 0.05; 300 runs"
    )


def test_half_power_lies_between_the_lambdas_around_it():
    found = simulate_multitest(rates_of_three([0, 0.01, 0.02, 0.03]), runs=500)
    shares = found.edges[("1", "3")]
    assert shares[0.01] < 0.5 < shares[0.02]

    # the line through (0.01, a) and (0.02, b) is at 1/2 here
    wanted = 0.01 + 0.01 * (0.5 - shares[0.01]) / (shares[0.02] - shares[0.01])
    assert found.half_power["1", "3"] == pytest.approx(wanted)
    short = simulate_multitest(rates_of_three([0, 0.001]), runs=100)
    assert short.half_power.isna().all()
    late = simulate_multitest(rates_of_three([0.1]), runs=100)
    assert late.half_power.tolist() == [0.1] * 3  # reached from the start


def test_one_sentence_says_what_came_out():
    reversed_ = simulate_multitest(rates_of_three([0, 0.1]), runs=200)
    said = describe_order_probabilities(reversed_)
    assert said.startswith("The prior order 1-2-3 has probability 0.9")
    assert said.endswith("The most probable order at λ = 0.1 is 3-2-1 (1.00).")
    same = simulate_multi2test(rates_of_three([0, 0.0001]), runs=50)
    assert describe_order_probabilities(same) == (
        "The prior order 1-2-3 has probability 1.00 at λ = 0. The most probable order at λ = 0.0001 is 1-2-3 (1.00)."
    )
    one = simulate_multitest(rates_of_three([0.1]), runs=50)
    assert describe_order_probabilities(one) == (
        "The prior order 1-2-3 has probability 0.00 at λ = 0.1."
    )


def test_names_with_hyphens_stay_apart():
    rates = rates_of_three([0.1]).set_axis(["5-nn", "c4.5", "svm"], axis=1)
    found = simulate_multitest(rates, runs=50)
    assert found.prior == "5-nn - c4.5 - svm"
    assert "svm - c4.5 - 5-nn" in found.probabilities


def test_the_seed_repeats_and_lambdas_do_not_disturb_each_other():
    once = simulate_multitest(rates_of_three([0, 0.02, 0.1]), runs=200, seed=3)
    again = simulate_multitest(rates_of_three([0, 0.02, 0.1]), runs=200, seed=3)
    pd.testing.assert_frame_equal(once.probabilities, again.probabilities)
    changed = simulate_multitest(rates_of_three([0, 0.05, 0.1]), runs=200, seed=3)
    assert changed.edges.loc[0].equals(once.edges.loc[0])
    assert changed.edges.loc[0.1].equals(once.edges.loc[0.1])
    other = simulate_multitest(rates_of_three([0, 0.02, 0.1]), runs=200, seed=4)
    assert not other.edges.equals(once.edges)


def test_runs_go_on_where_they_were_stopped_and_are_the_same_on_threads():
    ask = partial(simulate_multi2test, rates_of_four([0, 0.05]), n_datasets=5, runs=300)
    kept, told = {}, []

    def stop(now):
        told.append((now.draws, now.all_draws, now.so_far().runs))
        if now.done == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        ask(kept=kept, progress=stop)
    assert told == [(50, 300, 50), (250, 300, 250)]
    went_on = ask(kept=kept, progress=stop)

    assert told[2:] == [(300, 300, 300)]
    with ThreadPoolExecutor(2) as two:
        beside = ask(executor=two)
    for other in (went_on, beside):
        pd.testing.assert_frame_equal(other.probabilities, ask().probabilities)
        pd.testing.assert_frame_equal(other.edges, ask().edges)


def test_memory_is_bounded_however_many_runs_are_asked():
    tracemalloc.start()
    try:
        simulate_multi2test(rates_of_four([0.02]), n_datasets=40, runs=3000)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 300e6  # 3000 x 40 x 6 differences of ten are 58 MB per array already


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rates": rates_of_three([0.3])}, r"Error rates with the offset must lie in \[0"),
        ({"rates": rates_of_three([0.1]) * np.nan}, "range from nan to nan"),
        ({"rates": rates_of_three([0.1])[["1"]]}, "has 1 column and 1 different name\\."),
        (
            {"rates": rates_of_three([0.1]).set_axis(list("aab"), axis=1)},
            "has 3 columns and 2 different names",
        ),
        ({"rates": pd.DataFrame(0.5, [0.0], range(7))}, "has 7 columns and 7 different names"),
        ({"rates": rates_of_three([])}, "at least one λ"),
        ({"rates": rates_of_three([0.1, 0])}, "in increasing order"),
        ({"rates": rates_of_three([0.1]).rename({0.1: "x"})}, "in increasing order"),
        ({"n_results": 1}, "`n_results` must be an integer of at least 2"),
        ({"n_cases": 0}, "`n_cases` must be an integer of at least 1"),
        ({"runs": 2.5}, "`runs` must be an integer of at least 1, but is 2.5"),
        ({"alpha": 1}, "`alpha` must lie strictly between 0 and 1, but is 1"),
        ({"test": "5x2 cv F", "n_results": 8}, "need ten results of each algorithm"),
        ({"test": "corrected t"}, "needs the proportion of test instances"),
        ({"undivided": True, "test": "Wilcoxon"}, "not to the Wilcoxon test"),
        ({"test": "sign test"}, "`test` must be one of"),
        ({"family": "shaffer"}, "`family` must be one of none, bonferroni, holm"),
        ({"undivided": True}, "applies only to the 5x2 cv F test"),
    ],
)
@pytest.mark.parametrize("simulate", [simulate_multitest, simulate_multi2test])
def test_settings_out_of_range_are_refused(simulate, change, said):
    settings = {"rates": rates_of_three([0.1]), "runs": 2} | change
    with_offset = simulate is simulate_multi2test and "reach from -0.1" in said
    with pytest.raises(
        SettingError, match=r"Error rates with the offset must lie in \[0" if with_offset else said
    ):
        simulate(settings.pop("rates"), **settings)


def test_settings_over_data_sets_are_refused():
    rates = rates_of_three([0.1])
    with pytest.raises(SettingError, match="`n_datasets` must be an integer of at least 2"):
        simulate_multi2test(rates, n_datasets=1)
    with pytest.raises(SettingError, match="`post_hoc` must be one of nemenyi, bonferroni, holm"):
        simulate_multi2test(rates, post_hoc="dunn")
    with pytest.raises(SettingError, match="two proportions in increasing order"):
        simulate_multi2test(rates, offset=(0.1, 0.0))
    with pytest.raises(SettingError, match=r"Error rates with the offset must lie in \[0"):
        simulate_multi2test(rates, offset=(0.0, 0.4))


def test_offsets_up_to_the_ends_do_not_leave_them():
    rates = pd.DataFrame({"a": [0.7], "b": [0.3]}, index=[0.0])
    found = simulate_multi2test(rates, offset=(-0.3, 0.3), n_datasets=5, runs=200)
    assert found.probabilities.loc[0.0, "b-a"] == 1


@pytest.mark.parametrize("slopes", [(2, 0, -2), (2, 1, 0), (0, -1, -2)])
def test_what_cannot_be_error_rates_is_refused(slopes):
    """Rates are 1/2 plus lambda times the slope, and reach 0 or 1 at lambda = 0.25."""
    assert len(rates_up_to(slopes, 0.25)) == 21
    for most, shift in ((0.26, 0.0), (0.25, 0.01)):
        with pytest.raises(SettingError, match=r"Error rates must lie in \[0, 1\], but range"):
            rates_up_to(slopes, most, shift=shift)
