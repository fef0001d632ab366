"""Tests that the page Compare has the sections of its entries, and that orders have the tables of theirs."""

from types import SimpleNamespace

import pytest

from foldwise.web.views.compare_views import SECTIONS, PairOnFolds
from stats_core.report import entry
from stats_core.report.entry import Place
from stats_core.report.tables.order_tables import ORDER_TABLES, tables_of_order
from tests.report.report_cases import case
from tests.samples import shipped


@pytest.mark.parametrize(
    ("sample", "sections", "lacking"),
    [
        ("uci38_5x2.csv", ["Folds", "Interval and tests", "By measure", "Normality"], []),
        (
            "garcia_herrera_2008_accuracy.csv",
            ["Folds", "Interval and tests", "Normality"],
            ["By measure needs a second measure"],
        ),
    ],
)
def test_sections_are_those_that_the_measures_allow(sample, sections, lacking):
    pair = PairOnFolds(
        context=SimpleNamespace(results=shipped(sample)), comparison=None, form="histogram"
    )

    assert [each.name for each in entry.offered(SECTIONS, pair, Place.COMPARE)] == sections
    assert [*entry.lacking(SECTIONS, pair, Place.COMPARE).values()] == lacking


def test_orders_have_the_tables_whose_needs_they_meet():
    of_sets, of_folds = (case(name)[1] for name in ("ranks with folds, order", "folds, order"))

    assert [table.name for table in tables_of_order(of_sets)] == ["order", "order_test", "places"]
    assert [table.name for table in tables_of_order(of_folds)] == ["order"]
    assert [each.needs(of_folds) for each in ORDER_TABLES] == [None, *["one data set"] * 2]
