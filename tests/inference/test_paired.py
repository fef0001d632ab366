"""Tests of Wilcoxon's test and the sign test: other programs, identities, degenerate pairs."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stats_core.core.errors import DataError, SettingError
from stats_core.inference.paired import (
    corrected_t,
    hodges_lehmann_interval,
    paired_t,
    sign_test,
    wilcoxon,
)
from stats_core.inference.paired.signed_ranks import sign_flip_test, sign_pairs, signed_rank_pairs
from tests.conftest import load_reference

pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12).map(
    lambda rows: tuple(np.array(rows, dtype=float).T)
)


@pytest.mark.parametrize("name", ["A_gh2008", "C_demsar2006"])
@pytest.mark.parametrize(
    ("zeros", "key"), [("pratt", "wilcoxon.pratt_exact"), ("wilcox", "wilcoxon.exact_drop_zeros")]
)
def test_exact_p_agrees_with_r_coin(name, zeros, key):
    reference = load_reference(name)
    names = reference.scores.columns
    actual = pd.DataFrame(
        [
            [
                wilcoxon(reference.scores[a], reference.scores[b], zero_method=zeros).pvalue
                for b in names
            ]
            for a in names
        ],
        index=names,
        columns=names,
    )

    reference.assert_close(actual, key)


@pytest.mark.parametrize("name", ["A_gh2008", "C_demsar2006"])
def test_rank_sums_agree_with_r(name):
    reference = load_reference(name)
    for pair, expected in reference.expected("wilcoxon.counts").items():
        a, b = pair.split("|")
        outcome = wilcoxon(reference.scores[a], reference.scores[b], zero_method="wilcox")

        assert (outcome.w_plus, outcome.w_minus) == (expected["Wplus"], expected["Wminus"])
        assert outcome.n - outcome.n_zero == expected["n_nonzero"]
        assert outcome.statistic == min(expected["Wplus"], expected["Wminus"])


def test_split_zeros_share_their_ranks(garcia_herrera):
    """NaiveBayes and CN2 tie on two of thirty data sets: R+ = 368.5, R- = 96.5 (scmamp, numpy)."""
    scores = garcia_herrera.scores

    outcome = wilcoxon(scores["NaiveBayes"], scores["CN2"], zero_method="split")

    expected = garcia_herrera.expected("wilcoxon.zsplit_demsar")["NaiveBayes|CN2"]
    assert (outcome.w_plus, outcome.w_minus) == (expected["Rplus"], expected["Rminus"])


def test_an_odd_zero_is_dropped_when_split():
    x, y = np.array([1.0, 2, 3, 5, 5, 5]), np.array([0.0, 0, 0, 5, 5, 5])

    outcome = wilcoxon(x, y, zero_method="split")

    assert outcome.w_plus + outcome.w_minus == 5 * 6 / 2
    assert outcome.w_minus == (1 + 2) / 2


@pytest.mark.parametrize("name", ["A_gh2008", "C_demsar2006"])
def test_sign_test_agrees_with_r_and_scipy(name):
    reference = load_reference(name)
    names = reference.scores.columns
    actual = pd.DataFrame(
        [
            [sign_test(reference.scores[a], reference.scores[b]).pvalue for b in names]
            for a in names
        ],
        index=names,
        columns=names,
    )

    reference.assert_close(actual, "sign_test.split_ties")


@pytest.mark.parametrize(
    ("wins", "losses", "expected"), [(5, 0, 0.0625), (8, 2, 0.109375), (0, 5, 0.0625), (3, 3, 1.0)]
)
def test_sign_test_counts_the_observed_value(wins, losses, expected):
    """By the binomial distribution, 5 of 5 has p = .0625 and 8 of 10 has p = .109; strict tails give 0 and .021."""
    x, y = [1] * wins + [0] * losses, [0] * wins + [1] * losses

    assert sign_test(x, y).pvalue == pytest.approx(expected)


@given(pairs)
def test_one_sided_sign_tests_overlap_in_one_point(both):
    x, y = both
    upper, lower = (sign_test(a, b, alternative="greater") for a, b in ((x, y), (y, x)))

    n = round(upper.statistic + lower.statistic)
    point = stats.binom.pmf(upper.statistic, n, 0.5) if n else 1
    assert upper.pvalue + lower.pvalue == pytest.approx(1 + point)


@given(pairs, st.sampled_from(["pratt", "wilcox", "split"]))
def test_exact_wilcoxon_equals_enumeration_of_all_signs(both, zeros):
    x, y = both
    outcome = wilcoxon(x, y, zero_method=zeros)
    differences = x - y
    if zeros == "wilcox":
        differences = differences[differences != 0]
    if zeros == "split" and (differences == 0).sum() % 2:
        differences = np.delete(differences, np.flatnonzero(differences == 0)[0])
    ranks = stats.rankdata(np.abs(differences))[differences != 0] if len(differences) else []
    signs = np.sign(differences[differences != 0])
    sums = np.array([np.dot(ranks, choice) for choice in product([0, 1], repeat=len(ranks))])
    observed = np.dot(ranks, signs > 0)
    expected = min(1, 2 * min((sums <= observed).mean(), (sums >= observed).mean()))

    assert outcome.pvalue == pytest.approx(expected)


@given(pairs, st.sampled_from(["pratt", "wilcox", "split"]))
def test_swapping_and_shuffling_change_nothing(both, zeros):
    x, y = both
    order = np.random.default_rng(len(x)).permutation(len(x))
    here, swapped = wilcoxon(x, y, zero_method=zeros), wilcoxon(y, x, zero_method=zeros)

    assert swapped.pvalue == pytest.approx(here.pvalue)
    assert (swapped.w_plus, swapped.w_minus) == (here.w_minus, here.w_plus)
    assert swapped.rank_biserial == -here.rank_biserial
    assert wilcoxon(x[order], y[order], zero_method=zeros).pvalue == pytest.approx(here.pvalue)


def test_normal_approximation_above_sixty_pairs_agrees_with_scipy(rng):
    x, y = rng.integers(0, 40, (2, 150)).astype(float)
    expected = stats.wilcoxon(x, y, zero_method="pratt", method="asymptotic")

    outcome = wilcoxon(x, y)

    assert outcome.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    assert "normal" in str(outcome.method)


def test_five_wins_of_five_cannot_reach_five_percent():
    assert wilcoxon([1, 2, 3, 4, 5], [0] * 5).pvalue == 0.0625


def test_identical_results_have_p_one_and_say_so():
    for test in (wilcoxon, sign_test):
        outcome = test([1.0, 2.0], [1.0, 2.0])

        assert outcome.pvalue == 1
        assert "no test is possible" in str(outcome.warnings[0])
    assert wilcoxon([1.0], [1.0]).rank_biserial == 0


def test_pairs_are_matched_by_label_not_by_order():
    x = pd.Series({"a": 1.0, "b": 5.0, "c": 9.0})
    y = pd.Series({"c": 0.0, "a": 1.0, "b": 4.0})

    assert wilcoxon(x, y).w_plus == wilcoxon([1, 5, 9], [1, 4, 0]).w_plus
    with pytest.raises(DataError, match="share only 2 of 4"):
        wilcoxon(x, y.rename({"a": "z"}))


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [([1.0, 2.0], [1.0], "same length"), ([np.nan], [1.0], "finite"), ([], [], "same length")],
)
def test_bad_pairs_are_refused_with_the_reason(x, y, message):
    for test in (wilcoxon, sign_test):
        with pytest.raises(DataError, match=message):
            test(x, y)


def test_bad_options_are_refused_with_the_reason():
    with pytest.raises(SettingError, match="pratt, wilcox, split"):
        wilcoxon([1], [2], zero_method="drop")
    for test in (wilcoxon, sign_test, paired_t, sign_flip_test):
        with pytest.raises(SettingError, match="two-sided, greater, less, but is 'up'"):
            test([1, 3], [2, 2], alternative="up")


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_alternatives_and_unpacking_are_those_of_scipy(alternative):
    x, y = [3.0, 4.0, 6.0, 9.0, 2.5, 1.0], [1.0, 1.5, 2.0, 4.0, 3.0, 2.0]
    side = {"alternative": alternative}

    statistic, pvalue = wilcoxon(x, y, zero_method="wilcox", **side)
    assert (statistic, pvalue) == pytest.approx(tuple(stats.wilcoxon(x, y, **side)))
    assert tuple(paired_t(x, y, **side)) == pytest.approx(tuple(stats.ttest_rel(x, y, **side)))
    _, pvalue = sign_test(x, y, **side)
    assert pvalue == pytest.approx(stats.binomtest(4, 6, **side).pvalue)
    flips = stats.permutation_test(
        (x, y), lambda x, y: np.mean(np.subtract(x, y)), permutation_type="samples", **side
    )
    assert tuple(sign_flip_test(x, y, **side)) == pytest.approx((flips.statistic, flips.pvalue))
    corrected = corrected_t(x, y, test_fraction=0.2, max_df=3, **side)
    scaled = corrected.statistic
    assert corrected.pvalue == pytest.approx(
        {
            "two-sided": 2 * stats.t.sf(abs(scaled), 3),
            "greater": stats.t.sf(scaled, 3),
            "less": stats.t.cdf(scaled, 3),
        }[alternative]
    )
    assert alternative in str(corrected.method)


def test_random_numbers_come_from_a_seed_or_a_generator():
    x, y = np.random.default_rng(1).normal(size=(2, 30))
    first, again = (
        sign_flip_test(x, y, draws=99, rng=rng).pvalue for rng in (7, np.random.default_rng(7))
    )
    assert first == again


def test_interval_agrees_with_hollander_and_wolfe():
    """Depression scale in Hollander and Wolfe, Table 3.1: estimate -0.46, 96% CI (-0.786, -0.010)."""
    x = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    y = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]

    assert wilcoxon(x, y).estimate == pytest.approx(-0.46, abs=1e-9)
    assert hodges_lehmann_interval(x, y, confidence_level=0.96) == pytest.approx((-0.786, -0.01))


@given(pairs)
def test_interval_excludes_zero_only_where_the_untied_test_rejects(both):
    x, y = both
    differences = np.abs(x - y)
    if (differences == 0).any() or len(set(differences)) < len(differences):
        return
    low, high = hodges_lehmann_interval(x, y, confidence_level=0.9)

    assert (low > 0 or high < 0) == (wilcoxon(x, y).pvalue <= 0.1 + 1e-12)


def test_too_few_pairs_leave_the_interval_open():
    assert hodges_lehmann_interval([1, 2, 3], [0, 0, 0]) == (-np.inf, np.inf)


@pytest.mark.parametrize("ties", [0, 1, 2, 3])
def test_a_tie_is_dropped_only_where_ties_cannot_be_split(ties):
    """Demsar, JMLR 7 (2006), section 3.1.4: ties are split evenly; if their number is odd, one is ignored."""
    outcome = sign_test(np.array([1.0, 1, 1] + [0] * ties), np.zeros(3 + ties))

    assert outcome.statistic == 3 + ties // 2
    assert ("one tie dropped" in str(outcome.method)) == (ties % 2 == 1)


@given(st.integers(2, 70), st.integers(0, 3), st.integers(0, 99))
def test_all_pairs_ranked_at_once_are_the_single_tests(n, digits, seed):
    values = np.random.default_rng(seed).normal(size=(n, 3)).round(digits)
    values[:, 2] = np.where(seed % 5, values[:, 2], values[:, 0])
    pvalues, effects = signed_rank_pairs(values)

    for place, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        alone = wilcoxon(values[:, i], values[:, j])
        assert (pvalues[place], effects[place]) == (alone.pvalue, alone.rank_biserial)


@given(st.integers(1, 70), st.integers(0, 2), st.integers(0, 99))
def test_all_pairs_counted_at_once_are_the_single_sign_tests(n, digits, seed):
    values = np.random.default_rng(seed).normal(size=(n, 3)).round(digits)
    pvalues, balance = sign_pairs(values)

    for place, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        alone = sign_test(values[:, i], values[:, j])
        assert (pvalues[place], balance[place]) == (alone.pvalue, alone.wins - alone.losses)


_MANY_FOLDS = """
import resource
import numpy as np, pandas as pd
from stats_core import Results, analyse
from stats_core.inference.paired.signed_ranks import hodges_lehmann_interval, sign_flip_test, wilcoxon
resource.setrlimit(resource.RLIMIT_DATA, (500_000_000,) * 2)
x, y = np.random.default_rng(0).normal(0.8, 0.05, size=(2, 100_000)).round(4)
low, high = hodges_lehmann_interval(x, y)
assert low <= wilcoxon(x, y).estimate <= high
sign_flip_test(x, y, draws=99)
n = 20_000
table = pd.DataFrame({"algorithm": ["a"] * n + ["b"] * n, "fold": [*range(n)] * 2, "error": np.r_[x[:n], y[:n]]})
print(analyse(Results.from_frame(table, directions={"error": "lower"})).kind)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit counts all data on Linux only")
def test_many_folds_fit_in_half_a_gigabyte():
    """All sums of pairs of 20,000 folds would need 1.6 GB, and 9,999 sign flips of them as numbers as much again."""
    command, alone = [sys.executable, "-c", _MANY_FOLDS], os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    root = Path(__file__).parents[2]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root, env=alone)
    assert done.stdout == "fold pair\n"
