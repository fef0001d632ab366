"""Tests of outlines around groups in the plane of two measures, and of the matrix of distances."""

import numpy as np
import pandas as pd
import pytest
from shapely import Point, Polygon

from foldwise import pair_matrix
from foldwise.figures.clique_plane import CliquePlane
from foldwise.figures.pair_matrix import PairMatrix
from tests.figures.drawn_figures import trace

NAMES = list("abcdefgh")


def plane(means, groups):
    return CliquePlane(means=means, groups=groups)


@pytest.mark.parametrize("seed", range(6))
def test_an_outline_holds_the_means_of_its_members_and_no_other(every_style, seed):
    rng = np.random.default_rng(seed)
    means = pd.DataFrame(rng.random((8, 2)), index=NAMES, columns=["fpr", "tpr"])
    groups = [tuple(rng.choice(NAMES, size, replace=False)) for size in (2, 3, 4, 5)] + [("h",)]

    fig = plane(means, groups).draw(every_style)

    drawn = [one for one in fig.data if one.meta == "group"]
    assert len(drawn) == 4
    for group, one in zip(groups, drawn, strict=False):
        assert list(one.customdata[0]) == list(group)
        shape = Polygon(list(zip(one.x, one.y, strict=True)))
        assert {name for name in NAMES if shape.contains(Point(means.loc[name]))} == set(group)


def test_a_band_goes_around_one_that_lies_between(style):
    means = pd.DataFrame({"x": [0.1, 0.2, 0.3], "y": [0.5, 0.6, 0.7]}, index=list("abc"))

    fig = plane(means, [("a", "c"), ("b",)]).draw(style)

    (one,) = (one for one in fig.data if one.meta == "group")
    shape = Polygon(list(zip(one.x, one.y, strict=True)))
    assert [shape.contains(Point(means.loc[name])) for name in "abc"] == [True, False, True]


def test_marks_carry_names_and_the_words_name_the_groups(style):
    means = pd.DataFrame({"x": [0.1, 0.2, 0.3], "y": [0.5, 0.5, 0.5]}, index=["a", "<b>", "c"])

    fig = plane(means, [("a", "<b>"), ("c",)]).draw(style)

    assert trace(fig, "means").customdata == ("a", "<b>", "c")
    assert "<b>" not in {note.text for note in fig.layout.annotations}
    assert plane(means, [("a",), ("<b>",), ("c",)]).alt.endswith("All pairs differ significantly.")
    assert "{a, " in plane(means, [("a", "<b>"), ("c",)]).alt


def test_distances_of_pairs_have_no_better_side(style):
    distance = pd.DataFrame([[0, 2.0, 0.5], [2.0, 0, 1.0], [0.5, 1.0, 0]], list("abc"), list("abc"))
    p = pd.DataFrame([[1, 0.01, 0.5], [0.01, 1, 0.4], [0.5, 0.4, 1]], list("abc"), list("abc"))
    about = {"alpha": 0.05, "order": list("abc"), "sided": False}

    said = trace(pair_matrix(distance, p, style=style, **about), "labels").text

    assert said[:2] == ("\N{BLACK CIRCLE} 2.0", "0.5")
    assert not any(sign in word for word in said for sign in "\u25b2\u25bc+")
    assert "better" not in PairMatrix(effects=distance, pvalues=p, **about).caption(style)
