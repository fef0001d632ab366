"""Tests that tables are reachable wherever their entries claim."""

from dataclasses import replace

import pytest

from foldwise.cli import commands
from stats_core.comparison.analyse import analyse
from stats_core.core.errors import SettingError
from stats_core.report import entry
from stats_core.report.entry import Place
from stats_core.report.report_content import build_report, report_tables
from stats_core.report.tables import table_registry
from stats_core.report.tables.table_registry import TABLES
from tests.golden.record import NAMES, recorded_case


def test_every_table_is_offered_by_a_comparison():
    comparisons = [recorded_case(name)[0] for name in NAMES]
    for name in ("two", "control"):
        comparison = recorded_case(name)[0]
        settings = replace(comparison.settings, margin=0.02)
        comparisons.append(analyse(comparison.results, settings))
    offered = {
        id(each)
        for comparison in comparisons
        for each in entry.offered(TABLES, comparison, Place.REPORT)
    }

    assert [each.name for each in TABLES if id(each) not in offered] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_comparison_offers_a_name_once_and_has_one_main_table(name):
    comparison, _ = recorded_case(name)
    for place in Place:
        names = [each.name for each in entry.offered(TABLES, comparison, place)]
        assert len(names) == len(set(names)), place

    assert len(table_registry.entries_of(comparison, Place.ARTICLE)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_tables_are_in_the_report_and_are_printed_by_the_command(name):
    comparison, order = recorded_case(name)
    reported = {table.name for table in report_tables(comparison, order)}
    page = build_report(comparison, order=order).page
    on_page = {node.name for section in page for node in section.nodes if hasattr(node, "frame")}
    for place in Place:
        for table in table_registry.tables_in(comparison, place):
            assert table.name in reported & on_page

    for asked in table_registry.entries_of(comparison, Place.COMMAND):
        tables = table_registry.tables_of(comparison, asked)
        if tables:
            text = commands._named_tables(comparison, [asked], "text")
            assert all(table.title in text for table in tables)
        else:
            with pytest.raises(SettingError, match="empty"):
                commands._named_tables(comparison, [asked], "text")


@pytest.mark.parametrize("name", NAMES)
def test_a_table_that_is_lacking_has_a_reason(name):
    comparison, _ = recorded_case(name)
    offered = table_registry.entries_of(comparison, Place.COMMAND)
    for asked in {each.name for each in TABLES}:
        why = table_registry.why_lacking(comparison, asked)
        assert (why is None) == (asked in offered)
        assert why is None or why.strip()
