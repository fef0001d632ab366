"""Tests that figures cached for all significance levels are the same at every level."""

from dataclasses import replace
from inspect import Parameter, signature
from types import ModuleType

import pytest

from foldwise.figures import (
    clique_plane,
    clouds,
    fold_histogram,
    loadings,
    ordering_strip,
    paired_folds,
    qq,
    rank_map,
    scatter,
)
from foldwise.figures.theme import screen
from stats_core.comparison.analyse import analyse
from stats_core.core.errors import FoldwiseError
from stats_core.data.settings import Settings
from tests.samples import shipped

PAIR = ("Random forest", "Decision tree")
ON_ONE = {"dataset": "donors"}
ON_TWO_MEASURES = Settings(**ON_ONE, measures=("fpr", "tpr"))
CASES: dict[ModuleType, tuple[Settings, ...]] = {
    ordering_strip: (Settings(**ON_ONE),),
    fold_histogram: (Settings(**ON_ONE), ON_TWO_MEASURES, replace(ON_TWO_MEASURES, pair=PAIR)),
    loadings: (ON_TWO_MEASURES,),
    clouds: (ON_TWO_MEASURES,),
    paired_folds: (Settings(**ON_ONE, pair=PAIR),),
    qq: (Settings(**ON_ONE), Settings(**ON_ONE, pair=PAIR), ON_TWO_MEASURES),
    rank_map: (Settings(),),
    scatter: (Settings(pair=PAIR),),
}


def kept_for_all(module):
    found = [one for one in vars(module).values() if getattr(one, "at_every_level", False)]
    return [one for one in found if one.__module__ == module.__name__]


def more(draw, analysis):
    """Return the arguments that a drawing function needs besides the comparison: a measure, groups."""
    asked = signature(draw).parameters
    given = {"measure": "M1"} if "measure" in asked else {}
    if "groups" in asked and asked["groups"].default is Parameter.empty:
        given["groups"] = (analysis.order[:3],)
    return given


@pytest.mark.parametrize("module", CASES)
def test_the_level_changes_nothing(module):
    results, seen = shipped("twoclass_counts.csv"), set()
    for settings in CASES[module]:
        two = [analyse(results, replace(settings, alpha=alpha)) for alpha in (0.05, 0.4)]
        for draw in kept_for_all(module):
            try:
                drawn = [draw.__wrapped__(one, **more(draw, one)) for one in two]
            except (
                AttributeError,
                NotImplementedError,
                FoldwiseError,
            ):  # of another kind of comparison
                continue
            seen.add(draw.__name__)
            figures = [one.figure(screen()).to_json() for one in drawn]
            assert figures[0] == figures[1], draw.__name__
            assert drawn[0].title == drawn[1].title
            assert drawn[0].caption(screen()) == drawn[1].caption(screen())
            assert drawn[0].alt == drawn[1].alt
    assert seen == {draw.__name__ for draw in kept_for_all(module)}


def test_the_plane_of_groups_is_drawn_anew_where_the_groups_change():
    results = shipped("twoclass_counts.csv")
    asked = Settings(dataset="donors", measures=("fpr", "tpr"))
    two = [analyse(results, replace(asked, alpha=alpha)) for alpha in (0.05, 1e-9)]
    near = analyse(results, replace(asked, alpha=0.05001))
    figures = [clique_plane.plane_drawing(one).figure(screen()) for one in (*two, near)]
    assert two[0].groups == near.groups != two[1].groups
    assert figures[0] is figures[2]
    outlines = [
        [list(one.customdata[0]) for one in fig.data if one.meta == "group"] for fig in figures
    ]
    assert outlines[0] == [list(group) for group in two[0].groups if len(group) > 1]
    assert outlines[1] == [list(group) for group in two[1].groups if len(group) > 1]


def test_the_strip_is_drawn_anew_where_the_groups_change():
    results = shipped("twoclass_counts.csv")
    strict, usual, near = (
        analyse(results, Settings(**ON_ONE, alpha=alpha)) for alpha in (1e-9, 0.05, 0.05001)
    )
    figures = [ordering_strip.strip_drawing(one).figure(screen()) for one in (strict, usual, near)]
    assert usual.groups == near.groups != strict.groups
    assert figures[1] is figures[2]
    assert figures[0].to_json() != figures[1].to_json()
    captions = [ordering_strip.strip_drawing(one).caption(screen()) for one in (usual, near)]
    assert "\u03b1 = 0.05, " in captions[0]
    assert "0.05001" in captions[1]
