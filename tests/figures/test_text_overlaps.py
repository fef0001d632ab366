"""Texts of a figure neither overlap each other nor leave the figure, for few and many algorithms and long names."""

import pytest

from foldwise.figures import theme
from tests.figures.drawn_figures import faults_of_text, printed_hues
from tests.figures.sample_figures import GENERATED, generated

# `python -m benchmarks.browser figures FOLDER` counts the overlaps of every kind with 2, 5, 8, 16 and 40 algorithms
CASES = [
    ("data sets", 2, "column"),
    ("data sets", 8, "column"),
    ("data sets", 16, "screen"),
    ("data sets", 40, "page"),
    ("control", 16, "column"),
    ("missing", 8, "page"),
    ("folds", 2, "screen"),
    ("folds", 5, "column"),
    ("folds", 16, "page"),
    ("measures", 2, "column"),
    ("measures", 5, "page"),
    ("wins", 8, "column"),
    ("scores", 2, "page"),
    ("scores", 5, "column"),
    ("published ranks", 16, "column"),
    ("published wins", 5, "screen"),
    ("published decisions", 8, "column"),
]
STYLES = {"screen": theme.screen(), "column": theme.paper(3.25), "page": theme.paper(6.75, serif=False, colour=True)}


def test_every_kind_has_a_case():
    assert {kind for kind, *_ in CASES} == set(GENERATED)


@pytest.mark.few(len(CASES))
@pytest.mark.parametrize(("kind", "k", "style"), CASES)
def test_no_text_overlaps_another_or_leaves_the_figure(kind, k, style):
    drawn = generated(kind, k)
    assert drawn
    assert {one.name: faults for one in drawn if (faults := faults_of_text(one, STYLES[style]))} == {}
    if style == "column":
        assert {one.name: hues for one in drawn if (hues := printed_hues(one, STYLES[style]))} == {}
