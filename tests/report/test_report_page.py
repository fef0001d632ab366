"""Tests of the page of a report: complete, accessible, self-contained, with escaped names."""

from html.parser import HTMLParser

import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.cards.method_card import cited_as
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.ordering.order import order_of
from stats_core.report.html_report import to_html
from stats_core.report.paper_sentence import results_paragraph
from stats_core.report.references import references_of
from stats_core.report.report_content import ReportFigure, build_report, report_tables
from stats_core.report.verdict import verdict
from tests.report.report_cases import HOSTILE, KINDS, case, hostile, tables_in
from tests.samples import shipped


@pytest.fixture(params=KINDS)
def told(request):
    """An analysis of each kind, its order or None, and its tables by name."""
    analysis, order = case(request.param)
    return analysis, order, {table.name: table for table in report_tables(analysis, order)}


class Page(HTMLParser):
    """Parses a page into tags, texts and table cells, and checks that tags are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.cells, self.words, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "link", "img"):
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & set(self.open):
            self.cells[-1] += data
        if not {"style", "script"} & set(self.open):
            self.words.append(data)


def test_the_page_holds_every_cell_and_every_sentence(told):
    analysis, order, tables = told
    page = Page(to_html(analysis, order=order))
    words = " ".join("".join(page.words).split())

    assert not page.open
    cells = list(page.cells)
    for table in tables_in(build_report(analysis, order=order)):
        shown = table.texts
        expected = [shown.index.name or "", *shown.columns]
        for label, row in shown.iterrows():
            expected += [str(label), *row]
        assert cells[: len(expected)] == expected
        cells = cells[len(expected) :]
        assert table.title in words
    assert not cells
    assert " ".join(results_paragraph(analysis, order).split()) in words
    assert verdict(analysis).headline in words
    assert not analysis.results.digest or analysis.results.digest in words
    for key in references_of(analysis, order):
        assert cited_as(key) in words


def test_the_page_is_accessible_and_loads_nothing():
    figure = ReportFigure(name="f", title="F", caption="How.", html="<svg></svg>", alt="A box.")
    text = to_html(case("ranks")[0], figures=[figure], script='x = "</script><b>"')
    page = Page(text)
    tags = [tag for tag, _ in page.tags]

    assert dict(page.tags)["html"] == {"lang": "en"}
    assert {"header", "nav", "main", "footer", "h1"} <= set(tags)
    assert all("scope" in attrs for tag, attrs in page.tags if tag == "th")
    assert ("div", {"class": "drawn", "role": "group", "aria-label": "A box."}) in page.tags
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    for _, attrs in page.tags:
        assert not {"src", "srcset", "data"} & set(attrs)
        if "href" in attrs:
            assert attrs["href"][1:] in ids
        for name in attrs.get("aria-labelledby", "").split():
            assert name in ids
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    assert "url(" not in text
    assert "b" not in {tag for tag in tags[: tags.index("body")]}


@pytest.mark.parametrize("kind", ["folds, order", "thresholds"])
def test_captions_stand_beside_their_tables_so_that_a_narrow_page_shows_them(kind):
    analysis, order = case(kind)
    page = Page(to_html(analysis, order=order))
    described = [attrs["aria-describedby"] for tag, attrs in page.tags if tag == "table"]

    expected = [f"about-{table.name}" for table in tables_in(build_report(analysis, order=order))]
    assert described == expected
    assert [attrs["id"] for tag, attrs in page.tags if attrs.get("id") in described] == expected
    assert "caption" not in [tag for tag, _ in page.tags]


def test_wide_tables_are_printed_smaller_and_short_ones_whole():
    analysis, order = case("ranks with folds, order")
    page = Page(to_html(analysis, order=order))
    looks = [a["class"].split() for t, a in page.tags if "scroll" in a.get("class", "").split()]

    # 28 pairs; 38 data sets x 8 averages with their deviations, 15 letters each; 2 tests; ...
    assert looks[0] == ["scroll"]
    assert looks[1] == ["scroll", "wide"]
    assert looks[2] == ["scroll", "whole"]


def test_the_page_speaks_for_the_authors():
    table = hostile().frame.copy()
    table.loc[0, "err_%"] = None
    columns = ["dataset", "algorithm", "fold", "err_%"]
    results = Results.from_frame(table[columns], directions={"err_%": "lower"})
    page = to_html(analyse(results.resolve("worst rank"), Settings(correction="none")))

    assert (
        page.count("on 1 of 8 data sets was missing. Missing results were ranked worst.") >= 3
    )  # card, methods, choices
    assert "your choice" not in page.lower()


def test_hostile_names_stay_names():
    results = hostile()
    text = to_html(analyse(results), order=order_of(results))
    page = Page(text)

    assert "script" not in [tag for tag, _ in page.tags]
    for name in HOSTILE:
        assert name in page.cells
    assert "49" not in "".join(page.cells[:9])


def test_choices_are_named_where_they_count():
    """Overlap of training sets is named on folds only; the tests of the pairs are named in both reports."""
    counts = shipped("twoclass_counts.csv")
    pages = {
        kind: to_html(analyse(counts, settings))
        for kind, settings in {
            "ranks": Settings(measure="error"),
            "folds": Settings(measure="error", dataset="donors"),
        }.items()
    }

    assert (
        "<dd>pairwise tests of average ranks with Bergmann-Hommel adjustment</dd>" in pages["ranks"]
    )
    assert "overlap of training sets" not in pages["ranks"]
    assert "overlap of training sets" in pages["folds"]
    by_t = "conservative corrected t test with Bergmann-Hommel adjustment"
    assert f"<dd>{by_t}</dd>" in pages["folds"]
