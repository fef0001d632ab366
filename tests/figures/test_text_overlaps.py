"""Tests that no text of a figure overlaps another or leaves the figure, for few and many algorithms and long names."""

from importlib import import_module
from itertools import product
from pkgutil import iter_modules

import pytest

from foldwise import figures
from foldwise.figures import theme
from foldwise.figures.spec import FigureSpec
from tests.figures.drawn_figures import faults_of_text, printed_hues
from tests.figures.sample_figures import GENERATED, generated, simulated

KINDS = [*GENERATED, "simulations"]
STYLES = {
    "screen": theme.screen(),
    "phone": theme.screen(width=340),
    "column": theme.paper(3.25),
    "page": theme.paper(6.75, serif=False, colour=True),
}
SIZES = [2, 5, 8, 16, 40]
# three sizes of each kind in one style by default, such that sizes and styles take turns; all with
# `./fw test --all`
FIRST = [
    (kind, k, list(STYLES)[turn % len(STYLES)])
    for turn, (kind, k) in enumerate(product(KINDS, SIZES))
]
CASES = [
    (kind, k, style)
    for kind, k, first in FIRST
    for style in sorted(STYLES, key=lambda name: name != first)
]


def specs_of(kind, k):
    return simulated(k) if kind == "simulations" else generated(kind, k)


def test_every_class_of_figures_is_drawn():
    modules = [
        import_module(f"foldwise.figures.{module.name}")
        for module in iter_modules(figures.__path__)
    ]
    defined = {
        each for module in modules for each in vars(module).values() if isinstance(each, type)
    }
    kinds = {each for each in defined if issubclass(each, FigureSpec) and "draw" in vars(each)}
    drawn = {
        base
        for kind, k in product(KINDS, SIZES[:3])
        for one in specs_of(kind, k)
        for base in type(one).__mro__
    }
    assert {each.__name__ for each in kinds - drawn} == set()


@pytest.mark.parametrize(("kind", "k", "style"), CASES)
def test_no_text_overlaps_another_or_leaves_the_figure(kind, k, style):
    drawn = specs_of(kind, k)
    assert drawn
    if style == "phone" and (kind == "simulations" or not 2 < k < 40):
        pytest.skip(
            "The browser makes these figures wider, and they scroll; see `giveRoom` in figures.js."
        )
    assert {
        one.name: faults for one in drawn if (faults := faults_of_text(one, STYLES[style]))
    } == {}
    if style == "column":
        assert {one.name: hues for one in drawn if (hues := printed_hues(one, STYLES[style]))} == {}
