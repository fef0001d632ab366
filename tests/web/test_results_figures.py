"""Tests that the page Results shows the figures whose entries claim it, and tables where there are none."""

from types import SimpleNamespace

import pytest

from foldwise.figures import registry
from foldwise.web.views import results_views
from stats_core.report.entry import Place
from tests.golden.record import KINDS, NAMES, read, recorded_case
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


def test_the_page_makes_its_own_figures_only_of_entries_that_it_shows():
    makers = {each.make for each in registry.FIGURES if Place.RESULTS in each.where}

    assert set(results_views._ON_PAGE) <= makers


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
    assert "svm" in texts(app)
    assert len(app.dataframe)
