"""Tests of the best algorithms, of evidence within a group, and of cost against performance."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.inference.anova import anova
from stats_core.io.read import read_results
from stats_core.report.robustness_text import describe_cost_plane, describe_group
from stats_core.robustness.algorithm_standing import (
    BEATEN,
    UNDOMINATED,
    advantages_by_dataset,
    best_first,
    cost_plane,
    datasets_by_difference,
    inside_group,
)
from tests.samples import SAMPLES, shipped

UCI = "uci38_5x2.csv"


@pytest.fixture(scope="module")
def ranked():
    return analyse(shipped(UCI), Settings())


def test_a_group_splits_at_the_level_that_is_told(ranked):
    whole = [group for group in ranked.groups if len(group) > 2]
    assert whole
    for group in whole:
        found = inside_group(ranked, group)
        assert found["separated"] == 0
        assert found["pairs"] == len(group) * (len(group) - 1) // 2
        assert ranked.settings.alpha < found["level"] <= found["largest"]
        if found["level"] > 0.5:
            continue
        split = analyse(shipped(UCI), replace(ranked.settings, alpha=found["level"]))
        assert not any(set(group) <= set(one) for one in split.groups)
        below = analyse(shipped(UCI), replace(ranked.settings, alpha=0.999 * found["level"]))
        assert any(set(group) <= set(one) for one in below.groups)
        assert f"{found['level']:.3f}"[1:] in describe_group(found)


def test_what_is_no_group_is_said_to_be_none(ranked):
    assert "do not form a group" in describe_group(inside_group(ranked, ranked.order))
    assert inside_group(ranked, ["nobody", "SVM (RBF)"]) is None


def test_a_control_has_no_groups():
    against = analyse(shipped(UCI), Settings(control="C4.5"))
    assert inside_group(against, ["SVM (RBF)", "Neural network", "C4.5"]) is None


@pytest.mark.parametrize(("dataset", "measure"), [("", "error"), ("", "f"), ("donors", "f")])
def test_dominated_algorithms_are_those_found_pair_by_pair(dataset, measure):
    results = read_results(SAMPLES / "twoclass_counts.csv")
    found = analyse(results, Settings(measure=measure, dataset=dataset))
    names = list(found.scores.columns)
    costs = pd.Series(np.random.default_rng(1).integers(1, 5, len(names)), index=names)
    plane = cost_plane(found, costs, "price")
    sign = -1 if plane.higher_is_better else 1
    assert plane.higher_is_better == (bool(dataset) and measure == "f")
    for name, row in plane.table.iterrows():
        ahead, beaten = [], []
        for other in names:
            cost, value = (
                costs[other] - row["cost"],
                sign * (plane.table.value[other] - row["value"]),
            )
            if cost <= 0 and value <= 0 and (cost or value):
                ahead.append(other)
            if cost <= 0 and found.beats.at[other, name]:
                beaten.append(other)
        assert (row["standing"] == BEATEN) == bool(beaten)
        assert (row["standing"] == UNDOMINATED) == (not ahead and not beaten)
        assert set(row["by"].split(", ")) - {""} == set(beaten or ahead)


def test_the_cheapest_and_best_is_no_disagreement():
    found = analyse(read_results(SAMPLES / "garcia_herrera_2008_accuracy.csv"), Settings())
    costs = pd.Series(range(len(found.order)), index=found.order)

    best, plane = found.order[0], cost_plane(found, costs, "price")
    assert describe_cost_plane(plane).startswith(f"{best} has the lowest cost (price) and the best")
    other = cost_plane(found, costs[::-1].set_axis(found.order), "price")
    assert f"{best} has the best average rank" in describe_cost_plane(other)


@pytest.mark.parametrize("measure", ["error", "precision"])
def test_the_best_two_are_those_of_the_comparison(measure):
    results = read_results(SAMPLES / "twoclass_counts.csv")

    assert list(best_first(results, measure)) == analyse(results, Settings(measure=measure)).order
    one = results.select(datasets=["donors"])
    assert list(best_first(one, measure)) == analyse(one, Settings(measure=measure)).order


def test_data_sets_are_listed_by_f_of_the_blocked_analysis_of_variance():
    results = read_results(SAMPLES / "uci38_5x2.csv")
    statistics = {name: anova(results.matrix(name, "error")).statistic for name in results.datasets}

    listed = datasets_by_difference(results, "error", results.datasets)
    assert listed == sorted(results.datasets, key=lambda name: -statistics[name])
    errors = results.averages("error").loc[listed[0]]
    advantages = advantages_by_dataset(results, "error", listed[:1])["advantages"][0]
    assert advantages == pytest.approx([errors.max() - error for error in errors])
