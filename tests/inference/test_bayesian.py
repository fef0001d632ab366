"""Tests of posterior probabilities: baycomp, exact relations, degenerate results."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stats_core.core.errors import DataError, DegenerateError, DesignError, SettingError
from stats_core.inference import bayesian as module
from stats_core.inference.bayesian import bayesian_signed_rank, correlated_t
from stats_core.inference.paired import corrected_t
from tests.conftest import REFERENCE, load_oracles, load_reference

differences = st.lists(st.integers(-30, 30), min_size=2, max_size=12).map(
    lambda values: np.array(values) / 100
)
varied = differences.filter(lambda values: len(set(values)) > 1)
ropes = st.integers(0, 10).map(lambda value: value / 200)
TESTS = [
    lambda values, rope: correlated_t(values, rope=rope, test_fraction=0.1),
    lambda values, rope: bayesian_signed_rank(values, rope=rope, draws=500),
]


def probabilities(outcome):
    return [outcome.left, outcome.rope, outcome.right]


@pytest.mark.parametrize("measure", ["error", "auc_roc", "auc_pr_trapz"])
def test_correlated_t_agrees_with_baycomp(measure):
    """Reference: baycomp 1.0.3 two_on_single on ten folds, and scipy's t; differences are second minus first."""
    oracle = load_oracles("D_bc")[f"{measure}.baycomp.two_on_single.rope_0.01"]
    folds = pd.read_csv(REFERENCE / "D_bc_cv10_folds.csv")
    wide = folds.pivot_table(index="fold", columns="algorithm", values=measure)

    for pair, expected in oracle["expected"].items():
        first, second = pair.split("|")
        outcome = correlated_t(wide[second] - wide[first], rope=0.01, test_fraction=0.1)
        np.testing.assert_allclose(
            probabilities(outcome),
            [expected["left"], expected["rope"], expected["right"]],
            rtol=oracle["tolerance"]["rel"],
            atol=oracle["tolerance"]["abs"],
        )


@pytest.mark.parametrize("name", ["A_gh2008", "C_demsar2006"])
def test_signed_rank_agrees_with_baycomp(name):
    """Reference: baycomp 1.0.3 SignedRankTest with 100,000 draws, and scmamp 0.3.2; second minus first."""
    oracle = load_oracles(f"{name}_bayes")["bayes.signed_rank"]
    scores = load_reference(name).scores

    for pair, expected in oracle["expected"].items():
        first, second = pair.split("|")
        outcome = bayesian_signed_rank(
            scores[second] - scores[first], rope=oracle["params"]["rope"]
        )
        np.testing.assert_allclose(
            probabilities(outcome),
            [expected["left"], expected["rope"], expected["right"]],
            rtol=0,
            atol=oracle["tolerance"]["abs"],
        )


@given(varied, st.sampled_from([0.1, 0.5, None]))
def test_without_a_region_the_sides_are_the_p_values_of_the_t_test(values, fraction):
    zero = np.zeros(len(values))
    outcome = correlated_t(values, rope=0, test_fraction=fraction)

    if fraction is None:
        greater = stats.ttest_1samp(values, 0, alternative="greater").pvalue
    else:
        greater = corrected_t(values, zero, test_fraction=fraction).pvalue_greater
    assert outcome.left == pytest.approx(greater, abs=1e-12)
    assert outcome.left + outcome.right == pytest.approx(1)


def test_shares_are_the_sums_over_pairs_of_the_definition():
    """The same weights are drawn and summed over pairs; the pseudo-difference of 0 comes first."""
    values = np.array([-0.04, -0.01, 0.005, 0.02, 0.03])
    outcome = bayesian_signed_rank(values, rope=0.009, draws=20, seed=3)
    weights = np.random.default_rng(3).dirichlet([0.5, 1, 1, 1, 1, 1], 20)
    z = np.concatenate([[0], values])
    sums = z[:, None] + z

    for draw, shares in zip(weights, outcome.shares, strict=True):
        product = np.outer(draw, draw)
        left, right = product[sums < -0.018].sum(), product[sums > 0.018].sum()
        np.testing.assert_allclose(shares, [left, 1 - left - right, right], atol=1e-12)


@pytest.mark.parametrize("test", TESTS)
@given(values=varied, rope=ropes)
@settings(max_examples=30)
def test_probabilities_are_probabilities(test, values, rope):
    outcome = test(values, rope)

    assert sum(probabilities(outcome)) == pytest.approx(1)
    assert all(0 <= probability <= 1 for probability in probabilities(outcome))
    assert not outcome.to_frame().isna().to_numpy().any()


@pytest.mark.parametrize("test", TESTS)
@given(values=varied, rope=ropes, random=st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_order_changes_nothing(test, values, rope, random):
    shuffled = list(values)
    random.shuffle(shuffled)

    expected = probabilities(test(values, rope))

    assert probabilities(test(shuffled, rope)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(varied, ropes)
def test_swapping_the_two_swaps_the_sides_of_the_t_test(values, rope):
    forth = correlated_t(values, rope=rope, test_fraction=0.1)
    back = correlated_t(-values, rope=rope, test_fraction=0.1)

    assert probabilities(back) == pytest.approx(probabilities(forth)[::-1])


def test_swapping_the_two_nearly_swaps_the_sides_of_the_signed_rank_test(rng):
    """Draws differ; the tolerance is four standard errors of 0.0045, for 20,000 draws and p near 1/2."""
    values = rng.normal(0.01, 0.05, 15)

    forth = bayesian_signed_rank(values, rope=0.01, draws=20_000)
    back = bayesian_signed_rank(-values, rope=0.01, draws=20_000)

    assert 0.05 < forth.right < 0.95
    assert probabilities(back) == pytest.approx(probabilities(forth)[::-1], abs=0.02)


@pytest.mark.parametrize("test", TESTS)
@given(values=varied)
@settings(max_examples=20)
def test_a_wider_region_holds_more(test, values):
    inside = [test(values, rope).rope for rope in (0, 0.01, 0.05, 0.2, 1)]

    assert inside == sorted(inside)


@given(varied, ropes)
@settings(max_examples=20)
def test_the_unit_of_the_measure_does_not_matter(values, rope):
    plain = correlated_t(values, rope=rope, test_fraction=0.1)
    percent = correlated_t(100 * values, rope=100 * rope, test_fraction=0.1)

    assert probabilities(percent) == pytest.approx(probabilities(plain), rel=1e-6, abs=1e-9)


def test_overlap_makes_one_less_sure():
    values = [0.02, 0.03, 0.01, 0.04, 0.03]

    free = correlated_t(values, rope=0.005, test_fraction=None)
    overlapping = correlated_t(values, rope=0.005, test_fraction=0.2)

    assert free.right > overlapping.right
    assert overlapping.scale / free.scale == pytest.approx(np.sqrt(1 + 5 * 0.25))


def test_the_ends_belong_to_the_region():
    """In floating point, 0.81 - 0.8 is slightly larger than 0.01."""
    values = [0.81 - 0.8, 0.91 - 0.9, 0.71 - 0.7]

    assert bayesian_signed_rank(values, rope=0.01, draws=100).rope == 1
    assert bayesian_signed_rank(values, rope=0.0099, draws=100).right > 0.5


def test_the_same_seed_gives_the_same_draws_and_blocks_do_not_matter(monkeypatch):
    values = np.linspace(-0.05, 0.08, 9)
    expected = bayesian_signed_rank(values, rope=0.01, seed=5, draws=300)

    monkeypatch.setattr(module, "_BLOCK", 70)
    same = bayesian_signed_rank(values, rope=0.01, seed=5, draws=300)
    other = bayesian_signed_rank(values, rope=0.01, seed=6, draws=300)

    np.testing.assert_allclose(same.shares, expected.shares, rtol=1e-12)
    assert not np.allclose(other.shares, expected.shares)
    assert "seed 5" in expected.method


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("rope", [0, 0.01])
@pytest.mark.parametrize("values", [[0.0] * 4, [0.1 + 0.2 - 0.3] * 4])
def test_identical_algorithms_are_equivalent_for_sure(test, rope, values):
    outcome = test(values, rope)

    assert probabilities(outcome) == [0, 1, 0]
    assert "identical results" in str(outcome.warnings[0])


def test_a_constant_difference_on_folds_is_refused():
    with pytest.raises(DegenerateError, match="no variation to test against"):
        correlated_t([0.5, 0.5, 0.5], rope=0.01, test_fraction=0.1)


def test_a_constant_difference_over_data_sets_is_an_answer():
    """With 20 equal differences, the pseudo-difference of 0 rarely has half of the weight."""
    assert bayesian_signed_rank([0.5] * 20, rope=0.01, draws=1000).right == 1


def test_a_single_difference_is_refused():
    with pytest.raises(DesignError, match="at least 2 folds"):
        correlated_t([0.1], rope=0.01, test_fraction=0.1)
    with pytest.raises(DesignError, match=r"at least 2 data sets.*correlated_t"):
        bayesian_signed_rank([0.1], rope=0.01)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("values", "rope", "message"),
    [
        ([0.1, np.nan], 0.01, "finite"),
        ([0.1, np.inf], 0.01, "finite"),
        ([], 0.01, "one-dimensional"),
        ([[0.1, 0.2]], 0.01, "one-dimensional"),
        ([0.1, 0.2], -0.01, "0 or a positive number"),
        ([0.1, 0.2], np.nan, "0 or a positive number"),
        ([0.1, 0.2], np.inf, "0 or a positive number"),
    ],
)
def test_bad_input_is_refused_with_the_reason(test, values, rope, message):
    with pytest.raises((DataError, SettingError), match=message):
        test(values, rope)


def test_bad_options_are_refused_with_the_reason():
    with pytest.raises(SettingError, match="test_fraction"):
        correlated_t([0.1, 0.2], rope=0.01, test_fraction=1.5)
    with pytest.raises(SettingError, match="at least 1"):
        bayesian_signed_rank([0.1, 0.2], rope=0.01, draws=0)


def test_the_table_has_one_row_of_plain_numbers():
    frame = bayesian_signed_rank([0.1, 0.2, 0.3], rope=0.01, draws=50).to_frame()

    assert len(frame) == 1
    assert {"left", "rope", "right", "half_width", "n", "draws", "seed"} <= set(frame.columns)
    assert "shares" not in frame
