"""Texts of a figure neither overlap each other nor leave the figure, for few and many algorithms and long names."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

from foldwise import figures
from foldwise.figures import theme
from foldwise.figures.spec import FigureSpec
from tests.figures.drawn_figures import faults_of_text, printed_hues
from tests.figures.sample_figures import GENERATED, generated, simulated

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
    ("measures", 17, "column"),
    ("wins", 8, "column"),
    ("scores", 2, "page"),
    ("scores", 5, "column"),
    ("published ranks", 16, "column"),
    ("published wins", 5, "screen"),
    ("published decisions", 8, "column"),
    ("simulations", 2, "column"),
    ("simulations", 8, "page"),
    ("simulations", 5, "screen"),
]
STYLES = {"screen": theme.screen(), "column": theme.paper(3.25), "page": theme.paper(6.75, serif=False, colour=True)}


def specs_of(kind, k):
    return simulated(k) if kind == "simulations" else generated(kind, k)


def test_every_kind_has_a_case():
    assert {kind for kind, *_ in CASES} == {*GENERATED, "simulations"}


def test_every_class_of_figures_is_drawn():
    modules = [import_module(f"foldwise.figures.{module.name}") for module in iter_modules(figures.__path__)]
    defined = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    kinds = {each for each in defined if issubclass(each, FigureSpec) and "draw" in vars(each)}
    drawn = {base for kind, k, _ in CASES for one in specs_of(kind, k) for base in type(one).__mro__}
    assert {each.__name__ for each in kinds - drawn} == set()


@pytest.mark.few(len(CASES))
@pytest.mark.parametrize(("kind", "k", "style"), CASES)
def test_no_text_overlaps_another_or_leaves_the_figure(kind, k, style):
    drawn = specs_of(kind, k)
    assert drawn
    assert {one.name: faults for one in drawn if (faults := faults_of_text(one, STYLES[style]))} == {}
    if style == "column":
        assert {one.name: hues for one in drawn if (hues := printed_hues(one, STYLES[style]))} == {}
