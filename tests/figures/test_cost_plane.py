"""Tests of the names in the scatter plot of performance against cost."""

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import theme
from foldwise.figures.cost_plane import CostPlaneFigure
from foldwise.figures.label_placement import numbered_marks
from stats_core.robustness.algorithm_standing import BEHIND, UNDOMINATED


def plane_of(n):
    """Two dense clouds of algorithms, of which the first three are on the Pareto front."""
    rng = np.random.default_rng(n)
    data = pd.DataFrame(
        {
            "cost": np.exp(rng.normal(0, 0.5, n)),
            "value": 0.8 + rng.normal(0, 0.002, n) + 0.1 * (np.arange(n) % 2),
        },
        index=[f"Random forest ({100 * i} trees, depth {i})" for i in range(n)],
    )
    data["standing"], data["by"] = [UNDOMINATED if i < 3 else BEHIND for i in range(n)], ""
    return CostPlaneFigure(
        data=data, cost="time", value="accuracy", higher_is_better=True, finding=""
    )


@pytest.mark.parametrize("style", [theme.screen(), theme.paper()])
def test_all_of_fifteen_algorithms_are_named_or_numbered_with_a_key(style):
    plane = plane_of(15)
    fig = plane.figure(style)
    assert {note.name for note in fig.layout.annotations} == {*plane.data.index}
    key, caption = numbered_marks(fig), plane.caption(style)
    assert len(key) >= 1
    assert all(f"{number} {name}" in caption for number, name in key.items())
    assert "not named" not in caption


def test_of_more_algorithms_those_on_the_front_are_named_and_the_caption_says_so():
    plane, style = plane_of(40), theme.screen()
    assert {note.name for note in plane.figure(style).layout.annotations} == {*plane.data.index[:3]}
    assert "Only the 3 Pareto-optimal algorithms are named." in plane.caption(style)
