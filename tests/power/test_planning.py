"""Tests of plans: parts of the variance, simulated power, and published levels of interim analyses."""

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, optimize, stats

from stats_core.core.errors import DesignError, SettingError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.power.planning import (
    REPETITIONS,
    SETS,
    ExperimentSize,
    Pilot,
    always_valid_t,
    plan_of,
    spent_levels,
)
from stats_core.report.power_text import describe_simulation

BETWEEN, SPREAD, SHARE, SPLITS = 0.02, 0.03, 0.1, 10


def pilot(n_sets, seed=1):
    """Return results of two algorithms, whose differences vary by BETWEEN and SPREAD, on folds correlated by SHARE."""
    rng = np.random.default_rng(seed)
    means = 0.01 + BETWEEN * rng.normal(size=(n_sets, 1))
    shared = np.sqrt(SHARE) * rng.normal(size=(n_sets, 1))
    own = np.sqrt(1 - SHARE) * rng.normal(size=(n_sets, SPLITS))
    differences = means + SPREAD * (shared + own)
    rows = [
        (f"s{place:03}", fold + 1, name, value)
        for (place, fold), d in np.ndenumerate(differences)
        for name, value in (("a", 0.5 - d / 2), ("b", 0.5 + d / 2))
    ]
    table = pd.DataFrame(rows, columns=["dataset", "fold", "algorithm", "error"])
    return Results.from_frame(table, directions={"error": "lower"})


def test_the_parts_of_the_variance_are_told_apart():
    plan = plan_of(pilot(200), looks=1, draws=2)

    wanted = {
        "between": BETWEEN**2,
        "overlap": SPREAD**2 * SHARE,
        "folds": SPREAD**2 * (1 - SHARE) / SPLITS,
    }
    assert plan.pair == ("a", "b")
    # standard errors: 14% of the part between 200 data sets, 3% of those within
    assert plan.variance["between"] == pytest.approx(wanted["between"], rel=0.42)
    assert plan.variance["overlap"] == pytest.approx(wanted["overlap"], rel=0.1)
    assert plan.variance["folds"] == pytest.approx(wanted["folds"], rel=0.1)
    low, high = plan.between
    assert low < wanted["between"] / sum(wanted.values()) < high
    now, repeated = plan.options.loc["now"], plan.options.loc[REPETITIONS]
    least = (plan.variance["between"] + plan.variance["overlap"]) / plan.variance.sum()
    ratio = (repeated["half_width"] / now["half_width"]) ** 2
    assert ratio == pytest.approx(least + (1 - least) / 11, rel=1e-9)  # 1 repetition becomes 11


@pytest.mark.parametrize("difference", [None, 0.015])
def test_the_chance_is_the_share_of_simulated_experiments_that_decide(difference):
    plan = plan_of(pilot(10, seed=3), difference=difference, more_sets=8, looks=1, draws=6000)

    (look,) = plan.looks.itertuples()
    assert look.n_sets == 18
    assert 0.2 < look.decided < 0.95
    se = plan.looks["decided se"].iloc[0]
    assert abs(look.decided - plan.options.loc[SETS, "chance"]) < 4 * se
    assert abs(look.false - 0.05) < 4 * plan.looks["false se"].iloc[0]


def test_looks_together_keep_their_level():
    plan = plan_of(pilot(10, seed=3), more_sets=30, looks=4, draws=8000, spending="pocock")

    assert plan.looks["n_sets"].tolist() == [10, 20, 30, 40]
    assert plan.looks["decided"].is_monotonic_increasing
    last = plan.looks.iloc[-1]
    # t of ten data sets has about normal tails: within a fifth of the level
    assert last["false"] < 0.05 * 1.2 + 4 * last["false se"]
    assert last["false"] > plan.looks["false"].iloc[0]
    assert last["always false"] < last["false"]
    assert last["always half_width"] > last["half_width"]
    assert (plan.looks["level"] < 0.05).all()


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
def test_looks_spend_what_lan_and_demets_say(spending):
    """Expected: the joint normal distribution of up to five interim analyses, by scipy."""
    shares = np.arange(1, 6) / 5
    bounds = stats.norm.isf(spent_levels(shares, 0.05, spending) / 2)
    spent = {
        "obrien-fleming": 4 * stats.norm.sf(stats.norm.isf(0.05 / 4) / np.sqrt(shares)),
        "pocock": 0.05 * np.log(1 + (np.e - 1) * shares),
    }

    for looks in range(1, 6):
        times = shares[:looks]
        together = np.minimum.outer(times, times) / np.sqrt(np.multiply.outer(times, times))
        law = stats.multivariate_normal(cov=together, seed=1)
        inside = law.cdf(bounds[:looks], lower_limit=-bounds[:looks])
        assert 1 - inside == pytest.approx(spent[spending][looks - 1], abs=4e-5)


def test_bounds_of_t_that_hold_at_any_look():
    """The mean likelihood ratio has expectation 1 and the bound 1 / alpha, which is rarely reached."""
    counts = np.arange(2, 151)
    bounds = always_valid_t(counts, 0.05)

    def ratio(t, n, v):
        wide = 1 + n * v
        inner = (1 + t**2 / (n - 1)) / (1 + t**2 / ((n - 1) * wide))
        return wide**-0.5 * inner ** (n / 2)

    at = always_valid_t(np.array([20, 40]), 0.05)
    # v is chosen for the last look, so it makes the ratio largest there
    best = optimize.minimize_scalar(
        lambda v: -ratio(at[1], 40, v), bounds=(0.01, 5), method="bounded"
    )
    v = best.x
    assert -best.fun == pytest.approx(20, rel=1e-6)
    for n in (20, 40):
        law = stats.t(n - 1)
        mean, _ = integrate.quad(lambda t, n=n, law=law: ratio(t, n, v) * law.pdf(t), -200, 200)
        assert mean == pytest.approx(1, abs=1e-3)
    assert ratio(at[0], 20, v) == pytest.approx(20, rel=2e-2)
    values = np.random.default_rng(2).normal(size=(4000, 150))
    sums, squares = values.cumsum(axis=1)[:, 1:], (values**2).cumsum(axis=1)[:, 1:]
    t = sums / np.sqrt(counts * (squares - sums**2 / counts) / (counts - 1))
    share = (np.abs(t) > bounds).any(axis=1).mean()
    assert 0.01 < share < 0.05
    # about 0.5 by looks at a fixed level
    assert (np.abs(t) > stats.t.isf(0.025, counts - 1)).any(axis=1).mean() > 0.25
    with pytest.raises(SettingError, match="increase and be at least 2"):
        always_valid_t(np.array([1, 2]), 0.05)


def test_more_folds_are_those_of_the_same_cases():
    """With equal variance of cases, the variance of the mean difference does not depend on the folds of the pilot."""
    of_case, cases = 0.3, 500

    def of(folds):
        spread = of_case * folds / cases  # a fold's mean is over so many fewer cases
        design = ExperimentSize(n_sets=4, folds=folds, repetitions=3)
        shares = np.full(4, 1 / folds)
        results = np.full(4, design.results)
        means = np.array([-0.2, 0.1, 0.3, 0.2])
        return Pilot(
            means=means, spreads=np.full(4, spread), shares=shares, results=results, design=design
        )

    two, ten = of(2), of(10)
    assert two.crossed
    gain = two.variance(two.design) - two.variance(ten.design)
    assert gain == pytest.approx(of_case / cases * (2 - 10 / 9))


def test_without_variance_between_data_sets_the_variance_seen_is_scaled():
    calm = Pilot(
        means=np.array([0.1, 0.11, 0.12, 0.1]),
        spreads=np.full(4, 0.09),
        shares=np.full(4, 0.5),
        results=np.full(4, 10),
        design=ExperimentSize(n_sets=4, folds=2, repetitions=5),
    )

    assert calm.parts["between"] == 0
    assert calm.variance(calm.design) == pytest.approx(calm.total)
    twice = calm.variance(calm.design.grown(repetitions=5))
    assert twice == pytest.approx(calm.total * (1 + 0.05) / (1 + 0.1))


def test_words_and_refusals():
    plan = plan_of(pilot(6), draws=200)
    words = describe_simulation(plan)
    assert words.headline.startswith(
        "About 23 more data sets would be needed for power 0.80, averaged over the differences"
    )
    assert "were exactly the observed one, 12 more data sets would be enough." in words.headline
    assert words.detail.startswith(
        "Adding 30 more data sets narrows the confidence interval of a − b more than adding"
    )
    assert "than adding 10 more repetitions or 10 more folds." in words.detail
    assert f"{plan.options.loc[SETS, 'trainings']:,.0f} runs" in words.detail
    with pytest.raises(DesignError, match="A plan needs at least 3 data sets to"):
        plan_of(pilot(2))
    for asked, what in (
        ({"difference": 0.0}, "must be a nonzero number"),
        ({"looks": 0}, "at least 1"),
        ({"spending": "all"}, "all"),
        ({"pair": ("a", "z")}, "a and z"),
    ):
        with pytest.raises(SettingError, match=what):
            plan_of(pilot(4), **asked)
    with pytest.raises(SettingError, match="increase from above 0 to 1"):
        spent_levels(np.array([0.5, 0.4]), 0.05, "pocock")
    averages = pilot(4).averages("error").reset_index().melt("dataset", value_name="error")
    with pytest.raises(DesignError):
        plan_of(Results.from_frame(averages, directions={"error": "lower"}))
    three = plan_of(pilot(4), Settings(alpha=0.01), draws=2)
    assert three.level == 0.01


def test_the_data_sets_needed_are_those_of_the_noncentral_t_test():
    """Expected: power of the t test by scipy's noncentral t at the observed variance, with hundreds of data sets."""
    results = pilot(200)
    plan = plan_of(results, difference=0.004, draws=2)

    def power(n):
        return stats.nct(n - 1, 0.004 / np.sqrt(plan.variance.sum() / n)).sf(
            stats.t.isf(0.025, n - 1)
        )

    needed = next(n for n in range(200, 500) if power(n) >= 0.8) - 200
    assert abs(plan.needed - needed) <= 10  # the variance of 200 data sets is uncertain by 10%
    assert plan_of(results, difference=0.004, power=0.5, draws=2).needed < plan.needed
    assert plan.target == 0.004


def test_the_words_on_data_sets_needed():
    """The headline names the number, or says that it is above the range, or 0, or that the difference is too small."""

    def words(seed, **options):
        return describe_simulation(plan_of(pilot(8, seed=seed), draws=50, **options))

    some = words(1)
    assert some.warning.startswith("The observed difference is uncertain: ")
    assert "A smaller true difference needs more data sets." in some.warning
    assert words(1, difference=0.5).headline.startswith(
        "No more data sets are needed to detect a difference of 0.5"
    )
    assert words(1, difference=0.5).warning == ""  # it is not the observed one
    assert words(1, difference=0.0001).headline.startswith(
        "The difference between a and b is too small to plan for."
    )
    assert words(1, difference=0.004, power=0.95).headline.startswith(
        "More than 200 more data sets would be needed"
    )
    with pytest.raises(SettingError, match="power"):
        plan_of(pilot(4), power=1.0)
