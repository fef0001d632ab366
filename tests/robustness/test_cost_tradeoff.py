import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.robustness.cost_tradeoff import BEATEN, UNDOMINATED, cost_plane
from tests.samples import SAMPLES


@pytest.mark.parametrize(("dataset", "measure"), [("", "error"), ("", "f"), ("donors", "f")])
def test_who_is_dominated_is_what_every_pair_says(dataset, measure):
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

    assert "agree on it" in cost_plane(found, costs, "price").text
    assert "disagree" in cost_plane(found, costs[::-1].set_axis(found.order), "price").text
