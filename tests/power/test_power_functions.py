"""Tests of the differences that tests detect with a given power, by simulation of the tests.

A simulated power is the share of random experiments, with the stated difference, in which the test
of `stats_core` rejects. With 2000 experiments, its standard error is 0.009.
"""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from stats_core.inference.multiplicity.adjust import adjust_control
from stats_core.inference.multivariate.hotelling import hotelling_paired
from stats_core.inference.multivariate.manova import manova
from stats_core.inference.paired import (
    corrected_t,
    mcnemar,
    overlap_factor,
    sign_flip_test,
    sign_test,
    wilcoxon,
)
from stats_core.power import detectable as _power
from stats_core.power.detectable import detectable_text
from tests.monte_carlo import draws, share

RUNS = 2000
NEAR = pytest.approx(0.8, abs=0.03)


def unit_spread(rng, n):
    """Return n random numbers with standard deviation 1."""
    values = rng.normal(size=n)
    return values / values.std(ddof=1)


def rejections(rejects, draw, draws=RUNS):
    """Return the share of simulated experiments in which the test rejects."""
    return np.mean([rejects(draw()) for _ in range(draws)])


@pytest.mark.parametrize(("n", "fraction"), [(10, 0.1), (20, 0.3)])
def test_corrected_t_simulated(rng, n, fraction):
    seen = unit_spread(rng, n)
    shift = _power.shift_by_t(seen, 0.05, 0.8, overlap_factor(n, fraction), n - 1)

    def draw():  # formula 6.18, scaled so that the spread between folds is 1
        shared = sqrt(fraction / (1 - fraction)) * rng.normal()
        return shift + shared + rng.normal(size=n)

    def rejects(x):
        return corrected_t(x, np.zeros(n), test_fraction=fraction).pvalue <= 0.05

    assert rejections(rejects, draw) == NEAR


SHAPES = {  # how to draw differences, their centre (median pairwise mean, mean) and variance
    "normal": (lambda rng, shape: rng.normal(size=shape), (0.0, 0.0), 1.0),
    "heavy tails": (lambda rng, shape: rng.standard_t(3, size=shape), (0.0, 0.0), 3.0),
    # exponential: the mean of two is Gamma(2) / 2
    "skewed": (
        lambda rng, shape: rng.exponential(size=shape),
        (stats.gamma(2).median() / 2, 1.0),
        1.0,
    ),
}


def normal_scores(n):
    """Return n normal quantiles, scaled to standard deviation 1."""
    scores = stats.norm.ppf((np.arange(n) + 0.5) / n)
    return scores / scores.std(ddof=1)


def named(shift_by, seen, variance):
    """Return the root mean square of the results of `shift_by` for the experiments in `seen`, scaled to `variance`.

    Shifts are proportional to the standard deviation, so this corrects for the sampling error of
    the variance in few experiments.
    """
    squares = [shift_by(row, 0.05, 0.8) ** 2 for row in seen]
    return sqrt(np.mean(squares) * variance / np.mean(seen.var(axis=1, ddof=1)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [8, 10, 20, 30])
def test_new_experiments_confirm_the_shift_that_wilcoxon_names(rng, n, shape):
    """Power is simulated by scipy's own test.

    For n = 8, 10, 20 and 30, it is 0.79 to 0.81 for normal differences, 0.87 to 0.90 with heavy
    tails, and 0.81 to 0.84 if skewed. If distances were cut off at the largest one observed, it
    would be 0.70 and 0.73 for 8 and 10 normal differences.
    """
    draw, (centre, _), variance = SHAPES[shape]
    shift = named(_power.shift_by_signed_ranks, draw(rng, (30, n)), variance)
    new = draw(rng, (RUNS, n)) - centre

    # skewed differences: one shifted up, the next experiment down
    new[::2] *= -1
    power = (stats.wilcoxon(new + shift, axis=1, method="exact").pvalue <= 0.05).mean()
    assert 0.75 < power < (0.92 if shape == "heavy tails" else 0.90)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [8, 10])
def test_new_experiments_confirm_the_shift_that_sign_flips_name(rng, n, shape):
    """For n = 8 and 10, power is .80 and .80 (normal), .87 and .88 (heavy tails), .87 and .88 (skewed)."""
    draw, (_, centre), variance = SHAPES[shape]
    shift = named(_power.shift_by_flips, draw(rng, (12, n)), variance)
    new = draw(rng, (RUNS, n)) - centre

    new[::2] *= -1
    found = [sign_flip_test(row + shift, np.zeros(n)).pvalue <= 0.05 for row in new]
    assert 0.75 < np.mean(found) < 0.90


@pytest.mark.parametrize("n", [8, 10, 13])
def test_flips_and_ranks_need_no_less_than_t(n):
    """For normal differences, the t test is the most powerful, so its shift is the smallest."""
    seen = normal_scores(n)
    t = _power.shift_by_t(seen, 0.05, 0.8)

    # p-values in steps: with 8 differences Wilcoxon tests at 0.039
    assert 0.99 < _power.shift_by_flips(seen, 0.05, 0.8) / t < 1.06
    assert 0.99 < _power.shift_by_signed_ranks(seen, 0.05, 0.8) / t < 1.12


@pytest.mark.parametrize(("n", "level"), [(6, 0.05), (12, 0.05 / 6), (38, 0.05 / 28)])
def test_wilcoxon_in_a_family_simulated(rng, n, level):
    shift = _power.shift_by_signed_ranks(normal_scores(n), level, 0.8)

    def draw():
        return shift + rng.normal(size=n)

    assert rejections(lambda x: wilcoxon(x, np.zeros(n)).pvalue <= level, draw) == NEAR


def test_wilcoxon_of_many_differences_simulated(rng):
    seen = rng.normal(size=400)
    shift = _power.shift_by_signed_ranks(seen, 0.05, 0.8)

    def draw():
        return shift + seen.std() * rng.normal(size=400)

    # the large-sample form also has to estimate the error: a little more room
    power = rejections(lambda x: stats.wilcoxon(x, method="approx").pvalue <= 0.05, draw)
    assert power == pytest.approx(0.8, abs=0.06)


def test_wilcoxon_of_normal_differences_is_near_its_efficiency(rng):
    seen = stats.norm.ppf((np.arange(60) + 0.5) / 60)
    t = _power.shift_by_t(seen, 0.05, 0.8)
    shift = _power.shift_by_signed_ranks(seen, 0.05, 0.8)
    # asymptotic relative efficiency 3 / pi, so a shift larger by the root of pi / 3 = 1.023
    assert shift / t == pytest.approx(sqrt(np.pi / 3), abs=0.05)


@pytest.mark.parametrize(("n", "level"), [(6, 0.05), (10, 0.05 / 6), (13, 0.05 / 200)])
def test_sign_flips_in_a_family_simulated(rng, n, level):
    shift = _power.shift_by_flips(normal_scores(n), level, 0.8)

    def draw():
        return shift + rng.normal(size=n)

    assert rejections(lambda x: sign_flip_test(x, np.zeros(n)).pvalue <= level, draw) == NEAR


@pytest.mark.parametrize(("n", "level"), [(6, 0.05), (38, 0.05 / 28)])
def test_the_sign_test_simulated(rng, n, level):
    share = _power.share_of_wins(n, _power.binomial_pvalue(n), level, 0.8)

    def draw():
        return np.where(rng.random(n) < share, 1.0, -1.0)

    assert rejections(lambda x: sign_test(x, np.zeros(n)).pvalue <= level, draw) == NEAR


@pytest.mark.parametrize("exact", [True, False])
def test_mcnemar_simulated(rng, exact):
    n, pvalue = 40, (_power.binomial_pvalue if exact else _power.chi_square_pvalue)(40)
    share = _power.share_of_wins(n, pvalue, 0.05, 0.8)

    def draw():
        return rng.random(n) < share

    power = rejections(lambda won: mcnemar(won, ~won, exact=exact).pvalue <= 0.05, draw)
    assert power == NEAR


@draws(500, 2000)
@pytest.mark.parametrize(("n", "p", "fraction"), [(10, 2, 0.1), (15, 3, None)])
def test_hotelling_simulated(rng, n, p, fraction, draws):
    distance = _power.distance_by_hotelling(n, p, overlap_factor(n, fraction), 0.05, 0.8)
    root = rng.normal(size=(p, p)) + 2 * np.eye(p)  # of the covariance between folds
    mean = root @ (distance * np.eye(p)[0])  # at that Mahalanobis distance from zero

    def draw():
        shared = 0.0 if fraction is None else sqrt(fraction / (1 - fraction)) * rng.normal(size=p)
        return mean + (shared + rng.normal(size=(n, p))) @ root.T

    def rejects(d):
        return hotelling_paired(d, np.zeros((n, p)), test_fraction=fraction).pvalue <= 0.05

    assert rejections(rejects, draw, draws) == share(0.8, draws)


def test_hotelling_on_one_measure_is_the_t_test(rng):
    seen = unit_spread(rng, 12)
    assert _power.distance_by_hotelling(12, 1, 1.0, 0.05, 0.8) == pytest.approx(
        _power.shift_by_t(seen, 0.05, 0.8)
    )


def test_the_gap_of_ranks_for_many_data_sets_is_the_textbook_sum():
    k, n = 8, 400
    error = sqrt(k * (k + 1) / (6 * n))
    critical = stats.norm.isf(0.025) * error
    expected = critical + stats.norm.ppf(0.8) * error  # the other tail has no weight here
    assert _power.gap_of_ranks(critical, k, n, 0.8) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(("k", "n"), [(3, 15), (5, 30), (8, 38), (8, 3)])
def test_ranks_of_shifted_scores_are_found_at_least_as_often(rng, k, n):
    critical = stats.norm.isf(0.05 / (k * (k - 1))) * sqrt(k * (k + 1) / (6 * n))
    gap = _power.gap_of_ranks(critical, k, n, 0.8)
    noise = rng.normal(size=(20000, k))

    def ranks(scores, shift):
        moved = scores.copy()
        moved[..., 0] -= shift
        moved[..., -1] += shift
        places = stats.rankdata(moved, axis=-1)
        return places[..., -1] - places[..., 0]

    shift = optimize.brentq(lambda s: ranks(noise, s).mean() - gap, 0, 20)
    gaps = ranks(rng.normal(size=(RUNS, n, k)), shift).mean(axis=1)

    assert 0.77 < (gaps >= critical).mean() < 0.99  # gaps vary less than the bound used
    assert critical < gap < k - 1


def test_many_p_values_below_the_level_make_drawn_sign_flips_a_t_test(rng):
    seen = unit_spread(rng, 16)
    assert _power.shift_by_flips(seen, 0.05, 0.8) == pytest.approx(
        _power.shift_by_t(seen, 0.05, 0.8), rel=1e-3
    )
    # 9999 draws give p = 0.0001 at least
    assert np.isnan(_power.shift_by_flips(unit_spread(rng, 30), 0.00009, 0.8))
    # 0.0002 of 2^15 is 6.6 choices: the t test is far from the test by signs
    assert np.isnan(_power.shift_by_flips(seen, 0.0002, 0.8))


@pytest.mark.parametrize(("n", "level"), [(16, 0.0009), (24, 0.00025)])
def test_drawn_sign_flips_with_few_p_values_below_the_level_simulated(rng, n, level):
    """Drawn p-values are multiples of 0.0001, nine of them up to 0.0009 and two up to 0.00025."""
    runs = 500
    shift = _power.shift_by_flips(unit_spread(rng, n), level, 0.8)
    found = [
        sign_flip_test(shift + rng.normal(size=n), np.zeros(n), rng=run).pvalue <= level
        for run in range(runs)
    ]

    # three standard errors of 500 experiments, and the t test stands for the one by signs
    assert np.mean(found) == pytest.approx(0.8, abs=3 * sqrt(0.16 / runs) + 0.02)


@pytest.mark.parametrize(("k", "n"), [(3, 10), (4, 12), (5, 20), (8, 38)])
def test_ranks_of_all_or_nothing_are_missed_more_often_by_a_tenth(k, n):
    """One algorithm is first and another last, or the reverse, so that the gap has its largest variance."""
    critical = stats.norm.isf(0.05 / (k * (k - 1))) * sqrt(k * (k + 1) / (6 * n))
    gap = _power.gap_of_ranks(critical, k, n, 0.8)

    wins = np.arange(n + 1)
    found = (2 * wins / n - 1) * (k - 1) > critical
    power = stats.binom.pmf(wins[found], n, (1 + gap / (k - 1)) / 2).sum()
    # 0.84, 0.81, 0.71, 0.71: the note says "may be lower by 0.1"
    assert 0.70 < power < 0.86


@pytest.mark.parametrize(("n", "lower"), [(6, 0.1), (10, 0.06), (30, 0.02)])
def test_not_knowing_the_spread_costs_what_the_note_says(n, lower):
    """Power of the t test at the returned shift is averaged over the sample variance: chi-square with n - 1 df."""
    shares = stats.chi2.ppf((np.arange(500) + 0.5) / 500, n - 1) / (n - 1)
    shift = _power.shift_by_t(normal_scores(n), 0.05, 0.8)
    critical = stats.f.isf(0.05, 1, n - 1)
    power = stats.ncf.sf(critical, 1, n - 1, n * shift**2 * shares).mean()

    assert power == pytest.approx(0.8 - lower, abs=0.005)
    assert f"{lower:g} ({n}" in detectable_text.texts["method"]["pair"]


@pytest.mark.parametrize(("k", "n"), [(4, 15), (5, 30), (8, 38)])
def test_li_against_a_control_simulated(rng, k, n):
    """One algorithm differs from the control and all others equal it: the most difficult case for Li."""
    error = sqrt(k * (k + 1) / (6 * n))
    critical = stats.norm.isf(_power.li_levels(k, n, 0.05) / 2) * error
    gap = _power.gap_of_ranks(critical, k, n, 0.8)

    def gaps(scores, shift):  # of every algorithm to the control, the last one
        moved = scores.copy()
        moved[..., 0] -= shift
        places = stats.rankdata(moved, axis=-1)
        return places[..., -1:] - places[..., :-1]

    noise = rng.normal(size=(20000, k))
    shift = optimize.brentq(lambda s: gaps(noise, s)[:, 0].mean() - gap, 0, 20)
    seen = gaps(rng.normal(size=(RUNS, n, k)), shift).mean(axis=1)
    pvalues = 2 * stats.norm.sf(np.abs(seen) / error)
    rejects = [adjust_control(pd.Series(row), "li")[0] <= 0.05 for row in pvalues]

    assert 0.77 < np.mean(rejects) < 0.99  # never missed more often than said
    assert gap > _power.gap_of_ranks(stats.norm.isf(0.025) * error, k, n, 0.8)


def test_li_over_few_data_sets_has_no_gap():
    # the largest p is so often 1 that no gap is found four times out of five
    critical = stats.norm.isf(_power.li_levels(12, 4, 0.05) / 2) * sqrt(12 * 13 / 24)
    assert np.isnan(_power.gap_of_ranks(critical, 12, 4, 0.8))


@draws(300, 2000)
@pytest.mark.parametrize(
    ("a", "n", "p", "fraction"),
    [(3, 10, 2, None), (5, 10, 2, 0.1), (4, 8, 4, None), (6, 12, 3, 0.1)],
)
def test_manova_simulated(rng, a, n, p, fraction, draws):
    distance, df = _power.distance_by_manova(a, n, p, overlap_factor(n, fraction), 0.05, 0.8)
    root = rng.normal(size=(p, p)) + 2 * np.eye(p)
    means = np.zeros((a, 1, p))
    # differences between folds have twice the covariance of one algorithm
    means[0, 0] = root @ (distance * sqrt(2) * np.eye(p)[0]) / 2
    means[-1] = -means[0]

    def draw():
        shape = (a, 1, p)
        shared = (
            0.0 if fraction is None else sqrt(fraction / (1 - fraction)) * rng.normal(size=shape)
        )
        return means + (shared + rng.normal(size=(a, n, p))) @ root.T

    found = manova(draw(), test_fraction=fraction).table.loc["Wilks"]
    assert (found["df1"], found["df2"]) == pytest.approx(df)
    power = rejections(lambda x: manova(x, test_fraction=fraction).pvalue <= 0.05, draw, draws)
    # 20,000 experiments by other code gave 0.808 to 0.816 here: a little cautious
    assert power == share(0.81, draws)


def test_manova_of_two_is_hotelling_and_on_one_measure_the_analysis_of_variance():
    two, _ = _power.distance_by_manova(2, 15, 3, 1.0, 0.05, 0.8)
    assert two == pytest.approx(_power.distance_by_hotelling(15, 3, 1.0, 0.05, 0.8), rel=0.02)
    one, df = _power.distance_by_manova(4, 10, 1, 1.0, 0.05, 0.8)
    f = stats.f.isf(0.05, 3, 27)
    assert df == (3, 27)
    assert stats.ncf.sf(f, 3, 27, 10 * one**2) == pytest.approx(0.8)
    assert np.isnan(_power.distance_by_manova(3, 2, 5, 1.0, 0.05, 0.8)[0])
