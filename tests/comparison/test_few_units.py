"""Tests of comparisons of few clusters or instances: what they can decide, and what they would detect."""

from math import isnan

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.data.settings import Settings
from stats_core.inference.clusters import effective_number
from stats_core.inference.paired.instance_tests import swap_test
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.power.cluster_power import (
    PilotUnits,
    detectable_by_flips,
    detectable_by_t,
    flip_power,
    t_power,
)
from stats_core.power.detectable import detectable
from stats_core.power.item_planning import plan_items
from stats_core.report.power_text import describe_simulation
from stats_core.report.text_report import to_text


def of_clusters(sizes, names="AB", seed=0, shares=(0.92, 0.4, 0.6)):
    """Return the comparison of models with these accuracies on instances of clusters of these sizes."""
    rng, group = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    answers = {
        name: (rng.random(len(group)) < share).astype(int)
        for name, share in zip(names, shares, strict=False)
    }
    table = pd.DataFrame(
        {"cluster": [f"d{g}" for g in group], "item": np.arange(len(group)), **answers}
    )
    mapping = Mapping(roles={"cluster": "cluster"})
    results = read_results(("a.csv", table.to_csv(index=False).encode()), mapping=mapping)
    return analyse(results, Settings(measure="accuracy"))


def of_scores(n, seed=0, ahead=0.1, noise=0.0):
    """Return the comparison of graded scores of two models on n items."""
    rng = np.random.default_rng(seed)
    second = rng.integers(0, 60, n) / 100
    first = (second + ahead + noise * rng.normal(size=n)).round(4)
    rows = [
        (f"q{i}", name, score)
        for i in range(n)
        for name, score in (("A", first[i]), ("B", second[i].round(2)))
    ]
    table = pd.DataFrame(rows, columns=["item", "algorithm", "score"])
    mapping = Mapping(directions={"score": "higher"})
    results = read_results(("a.csv", table.to_csv(index=False).encode()), mapping=mapping)
    return analyse(results, Settings(measure="score"))


MAKERS = {
    "clusters": lambda n: of_clusters([8] * n),
    "three models": lambda n: of_clusters([8] * n, "ABC"),
    "scores": lambda n: of_scores(n, noise=0.05),
    "constant scores": of_scores,
}


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8])
@pytest.mark.parametrize("kind", MAKERS)
def test_units_are_too_few_exactly_if_no_p_value_can_be_significant(kind, n):
    c = MAKERS[kind](n)
    least = (3 if kind == "three models" else 1) * 2 / 2**n
    text = to_text(c)

    assert c.least.pvalue == pytest.approx(min(least, 1))
    assert (decide(c).claim == "too few") == (least > 0.05)
    assert ("too few for a significant difference" in text) == (least > 0.05)
    if least > 0.05:
        assert "do not differ significantly" not in text
        assert "with 80% power" not in text
        assert isnan(detectable(c).difference)
        assert not detectable(c).can_reject
        needed = 7 if kind == "three models" else 6
        assert c.least.needed == needed


@pytest.mark.parametrize("n", [5, 6, 12])
def test_no_difference_of_zero_is_detected(n):
    assert isnan(detectable(of_scores(n)).difference)
    assert "0.0000 with 80% power" not in to_text(of_scores(n))


def test_clusters_of_different_sizes_have_their_effective_number():
    sizes = [30, 8, 4, 4, 3, 3, 2, 2]
    unequal, equal = of_clusters(sizes), of_clusters([8] * 8)
    number = f"{effective_number(sizes):.1f}"

    assert unequal.effective_clusters == pytest.approx(effective_number(sizes))
    assert f"8 clusters of instances (effective number {number})" in to_text(unequal)
    assert "effective number" not in to_text(equal)
    assert f"(effective number {number})" in to_text(of_clusters(sizes, "ABC", seed=2))


@pytest.mark.parametrize("n", [6, 7, 8, 10])
def test_a_detectable_difference_has_its_power_in_the_test_that_is_used(n):
    """Experiments of the pilot's model are tested by `swap_test`; before, the power was 0.44 to 0.71."""
    rng, sizes, runs = np.random.default_rng(n), np.full(n, 4), 80
    group = np.repeat(np.arange(n), sizes)
    sums = rng.normal(size=n) * 3
    pilot = PilotUnits(sums * np.sqrt(9 / (sums**2).mean()), sizes.astype(float))
    difference = detectable_by_flips(pilot, n, 0.05, 0.8, np.inf)
    rejected = 0
    for _ in range(runs):
        values = np.repeat(rng.normal(size=n) * 3 / 4, 4) + difference
        found = swap_test("mean", np.zeros(4 * n), values, np.zeros(4 * n), clusters=group)
        rejected += found.pvalue <= 0.05
    assert stats.binom.ppf(0.001, runs, 0.7) <= rejected <= stats.binom.ppf(0.999, runs, 0.9)


@pytest.mark.parametrize("level", [0.05, 0.01])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 8])
def test_power_is_zero_if_the_smallest_p_value_is_too_large(n, level):
    pilot = PilotUnits(np.array([-2.0, 1.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    power = flip_power(pilot, n, 1e6, level)

    assert power == (1.0 if 2 / 2**n <= level else 0.0)
    assert isnan(detectable_by_flips(pilot, n, level, 0.8, np.inf)) == (power == 0)


@pytest.mark.parametrize("df", [3.0, 9.0, 30.0])
def test_power_of_a_t_test_is_that_of_the_noncentral_t_distribution(df):
    critical = stats.t.isf(0.025, df)
    expected = stats.nct.sf(critical, df, 2.5) + stats.nct.cdf(-critical, df, 2.5)

    assert t_power([1.0], [df], 2.5, 0.05) == pytest.approx(expected, abs=0.003)
    assert t_power([1.0], [np.inf], 2.8016, 0.05) == pytest.approx(0.8, abs=1e-4)
    assert t_power([4.0], [df], detectable_by_t([4.0], [df], 0.05, 0.8), 0.05) == pytest.approx(0.8)


def test_a_plan_is_in_whole_clusters_and_averages_over_the_difference_first():
    c = of_clusters([7] * 11, shares=(0.75, 0.6), seed=3)
    plan = plan_items(c)
    words = describe_simulation(plan).headline

    assert plan.needed % 7 == 0
    assert plan.needed_if_exact % 7 == 0
    assert plan.needed > plan.needed_if_exact
    clusters = f"{plan.needed / 7:,.0f} clusters ({plan.needed:,.0f} instances)"
    assert words.startswith(f"About {clusters} are needed for 80% power, averaged over")
    exact = f"{plan.needed_if_exact / 7:,.0f} clusters"
    assert (
        f"If the true difference were exactly the observed one ({plan.difference:.3g}), {exact}"
        in words
    )
