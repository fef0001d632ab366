"""Tests that the page Results has the figures and tabs whose entries claim it, and tables where there are none."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import registry
from foldwise.web.views import results_views
from foldwise.web.views.results_views import TABS, Opened
from stats_core.comparison.analyse import analyse
from stats_core.io.read import read_results
from stats_core.report import entry
from stats_core.report.entry import Place
from tests.golden.record import KINDS, NAMES, read, recorded_case
from tests.report.report_cases import benchmarks
from tests.web.conftest import texts, upload


@pytest.mark.parametrize("name", NAMES)
def test_figures_of_the_page_are_those_of_its_entries(name):
    comparison, _ = recorded_case(name)
    source = read(KINDS[name][0]) if name in KINDS else comparison.results
    context = SimpleNamespace(
        results=source,
        read=source,
        highlight=(),
        key="key",
        read_key="key",
        settings=comparison.settings,
    )
    shown = registry.to_show(comparison, results=source)

    drawn = results_views.main_figures(context, comparison, {})

    expected = [spec.name for _, spec in registry.figures_in(shown, Place.RESULTS)]
    assert [spec.name for spec in drawn] == expected
    assert len(drawn) <= 2


@pytest.mark.parametrize(
    ("column", "numbers", "code"),
    [
        ("seed", (2, 4), "repeated answers"),
        ("attempt", (3, 3), None),
        ("split", (1, 1), "column splits instances"),
        ("item", (1, 1), None),
    ],
)
def test_notes_on_what_is_tested_are_beside_the_answer(column, numbers, code):
    rng = np.random.default_rng(4)
    rows = [
        (model, run, item, int(rng.random() < 0.6))
        for model, number in zip("ab", numbers, strict=True)
        for run in range(number)
        for item in range(60)
    ]
    table = pd.DataFrame(rows, columns=["model", "run", "item", "correct"])
    if column == "split":
        table["split"] = table["item"] % 5 + 1
    table = (
        table.drop(columns="run") if max(numbers) == 1 else table.rename(columns={"run": column})
    )
    comparison = analyse(read_results(("t.csv", table.to_csv(index=False).encode())))

    notes = results_views.notes_on_answer(comparison)

    assert [note.code for note in notes] == ([code] if code else [])


def test_the_page_makes_its_own_figures_only_of_entries_that_it_shows():
    makers = {each.make for each in registry.FIGURES if Place.RESULTS in each.where}

    assert set(results_views._own_figures(None, None)) <= makers


def tabs_of(name):
    """Return the entries of the tabs of a recorded comparison."""
    opened = Opened(context=None, analysis=recorded_case(name)[0])
    return [*entry.offered(TABS, opened, Place.RESULTS)]


@pytest.mark.parametrize("name", NAMES)
def test_tabs_of_the_page_are_those_of_its_entries(name):
    comparison, _ = recorded_case(name)
    names = [tab.name for tab in tabs_of(name)]

    assert list(results_views.details(None, comparison)) == names
    assert len(names) == len(set(names))


def test_every_tab_is_offered_by_a_comparison():
    offered = [id(tab) for name in NAMES for tab in tabs_of(name)]
    right = {f"b{i}": (60, 70 + i, 65 - i, 50) for i in range(12)}
    stratified = Opened(context=None, analysis=analyse(benchmarks(right, (100,) * 12)))
    offered += [id(tab) for tab in entry.offered(TABS, stratified, Place.RESULTS)]

    assert [tab.name for tab in TABS if id(tab) not in offered] == []


@pytest.mark.parametrize(
    "table",
    [
        b"differ,svm,rf,nb\nsvm,0,0,1\nrf,0,0,1\nnb,1,1,0\n",
        b"row beats column,svm,rf,nb\nsvm,,9/3/8,9/1/10\nrf,8/3/9,,9/2/9\nnb,10/1/9,9/2/9,\n",
    ],
)
def test_published_results_without_a_figure_have_a_table(app, table):
    upload(app, ("published.csv", table))
    app.switch_page("pages/results.py").run()

    assert not app.exception
    assert re.search(r"\bsvm\b|No two of the 3 algorithms", texts(app))
    assert len(app.dataframe)
