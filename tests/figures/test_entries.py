"""Tests that figures are reachable wherever their entries claim."""

import inspect
import re
from pathlib import Path

import pytest

from foldwise.api import ComparisonPlots
from foldwise.figures import registry
from foldwise.figures.differences import MOST_NAMED
from foldwise.figures.pair_matrix import matrix_of_pairs
from foldwise.figures.rank_sequence import MEASURE
from foldwise.figures.registry import FIGURES
from foldwise.rendering.report_files import html_report
from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.report import entry
from stats_core.report.entry import Needs, Place
from tests.figures.sample_figures import COUNTS, CURVES, made
from tests.golden.record import KINDS, NAMES, figures_of, generated, read, recorded_case

GALLERY = Path(__file__).parents[2] / "docs" / "site" / "gallery.md"


def shown(name):
    """Return a recorded comparison with what its figures show."""
    comparison, order = recorded_case(name)
    source = read(KINDS[name][0]) if name in KINDS else comparison.results
    return registry.to_show(comparison, order=order, results=source)


def others():
    """Yield subjects that no recorded comparison has: curves of folds, groups, and many algorithms."""
    analysis, order, _ = made(CURVES, Settings(dataset="acceptors", measure="auc"))
    yield registry.to_show(analysis, order=order, results=read(CURVES))
    yield registry.to_show(analyse(read(COUNTS)), by=(MEASURE,))
    many = generated(1, MOST_NAMED + 1, 5, 1)
    yield registry.to_show(analyse(many, Settings(correction="holm")))


def test_every_figure_is_drawn_of_a_comparison():
    drawn = set()
    for subject in (*map(shown, NAMES), *others()):
        for place in Place:
            for each in entry.offered(FIGURES, subject, place):
                if id(each) not in drawn and registry.figures_of(each.make(subject)):
                    drawn.add(id(each))

    assert [each.name for each in FIGURES if id(each) not in drawn] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_comparison_offers_a_name_once_in_each_place(name):
    for place in Place:
        names = [each.name for each in entry.offered(FIGURES, shown(name), place)]
        assert len(names) == len(set(names)), place


@pytest.mark.parametrize("name", NAMES)
def test_evidence_is_lacking_where_no_figure_of_it_is_offered(name):
    subject = shown(name)
    lacking = registry.missing_drawings(
        subject.analysis, order=subject.order, results=subject.results
    )
    reported = [*entry.offered(FIGURES, subject, Place.REPORT)]
    offered = {each.needs.evidence.name for each in reported if isinstance(each.needs, Needs)}

    assert not offered & set(lacking)
    assert all(lacking.values())
    for each in FIGURES:
        if Place.REPORT in each.where and each not in reported:
            assert each.needs(subject)


@pytest.mark.parametrize("name", NAMES)
def test_a_comparison_has_a_matrix_of_pairs_if_its_entry_says_so(name):
    subject = shown(name)
    offered = [each.name for each in entry.offered(FIGURES, subject, Place.REPORT)]
    few_models = len(subject.analysis.order) < 3 and subject.analysis.shape.over == "benchmarks"
    on_instances = subject.analysis.shape.over == "cases"

    matrix = matrix_of_pairs(subject.analysis)

    if not (few_models or on_instances):  # shown on pages, but not in reports
        assert (matrix is not None) == ("pairs" in offered)


@pytest.mark.parametrize("name", ["ranks", "pair on folds", "published differences"])
def test_figures_are_in_the_report(name):
    comparison, order = recorded_case(name)
    page = html_report(comparison, figures_of(name), order=order)

    assert page.count("<figure") >= len(figures_of(name))


def test_every_figure_of_plot_is_a_method_and_in_reports():
    methods = {
        name
        for name, _ in inspect.getmembers(ComparisonPlots, inspect.isfunction)
        if not name.startswith("_") and name not in ("specs", "spec")
    }

    assert methods == set(registry.names_in(Place.PLOT)) <= set(registry.names_in(Place.REPORT))


def test_every_figure_of_plot_is_in_the_gallery():
    """Wins and decisions are drawn of summaries, which the gallery has no example of."""
    drawn = set(re.findall(r"\.plot\.(\w+)\(\)", GALLERY.read_text(encoding="utf-8")))

    assert set(registry.names_in(Place.PLOT)) - drawn == {"decisions", "wins"}
