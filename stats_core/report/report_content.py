"""Content of a report, computed once for all output formats."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import cast

from stats_core.comparison import conclusion_scope
from stats_core.comparison.result import Comparison, PairComparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.messages import IN_PAPER, Message
from stats_core.core.result_types import cached
from stats_core.data.settings import tags_with_groups
from stats_core.ordering.order import Order, OrderRules
from stats_core.power import detectable
from stats_core.power.detectable import Detectable
from stats_core.report import analysis_steps, methods_text, paper_sentence, robustness_text, varied_verdicts
from stats_core.report.analysis_steps import Chain
from stats_core.report.methods_text import CitedText
from stats_core.report.order_text import order_verdict
from stats_core.report.tables import order_tables, robustness_tables, table_registry
from stats_core.report.tables.table import ResultTable
from stats_core.report.tables.table_registry import MAIN_TABLES
from stats_core.report.verdict import Verdict, verdict
from stats_core.robustness.leave_one_out import leave_one_out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportContent:
    """Content of HTML and LaTeX reports.

    Attributes
    ----------
    robustness : str
        Sentence on the leave-one-out runs in which a claim is lost; "" without data sets to leave out.
    verdict, order_verdict : Verdict
        Texts for a paper; None for the order without one.
    methods : tuple of Piece
        Pieces of text with their publications.
    results : str
        The findings in sentences.
    tables : list of ResultTable
        The main table, then those of the appendix.
    chain : Chain or None
        None with one algorithm.
    seen : Detectable
        Smallest detectable difference.
    references : tuple of str
        Keys of the publications, in the order in which they are cited.
    """

    robustness: str
    verdict: Verdict
    order_verdict: Verdict | None
    methods: tuple[CitedText, ...]
    results: str
    tables: list[ResultTable]
    chain: Chain | None
    seen: Detectable
    references: tuple[str, ...]


def build_content(comparison: Comparison, order: Order | None = None) -> ReportContent:
    """Return the content of a report on a comparison and the order of its algorithms."""
    verdict_text = verdict(comparison)
    order_text = (
        None
        if order is None
        else order_verdict(order, conclusion_scope.pairwise_comparison(order, comparison), in_paper=True)
    )
    seen = detectable.detectable(comparison)
    pieces = methods_text.methods_pieces(comparison, order)
    return ReportContent(
        robustness=robustness_text.describe_leave_one_out(leave_one_out(comparison)) if comparison.units else "",
        verdict=_by_authors(verdict_text),
        order_verdict=None if order_text is None else _by_authors(order_text),
        methods=pieces,
        results=paper_sentence.describe_results(comparison, order_text),
        tables=_main_first(report_tables(comparison, order)),
        chain=analysis_steps.chain_of(comparison) if len(comparison.results.algorithms) > 1 else None,
        seen=seen,
        references=tuple(dict.fromkeys(key for piece in pieces for key in piece.keys)),
    )


def _main_first(tables: list[ResultTable]) -> list[ResultTable]:
    """Return the tables with the main table first; the others are for an appendix."""
    main = [table for name in MAIN_TABLES for table in tables if table.name == name][:1]
    return main + [table for table in tables if table not in main]


def _by_authors(verdict_text: Verdict) -> Verdict:
    notes = (note.said(IN_PAPER) if isinstance(note, Message) else note for note in verdict_text.notes)
    return replace(verdict_text, notes=tuple(notes), advice="")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportFigure:
    """Figure of a report with caption and files.

    Attributes
    ----------
    name : str
        Start of its file names.
    title, caption : str
        Plain text; the caption says how to read it.
    file : str
        Name of its PDF in the folder figures/ next to the document, "" if there is none.
    tikz : str
        TikZ source, whose first line is a comment with the packages it needs; it is
        preferred to the PDF.
    html : str
        A fragment of HTML, inserted without escaping.
    alt : str
        For screen readers; the caption if empty.
    papers : tuple of str
        Keys of the publications that the caption cites.
    """

    name: str
    title: str
    caption: str = ""
    file: str = ""
    tikz: str = ""
    html: str = ""
    alt: str = ""
    papers: tuple[str, ...] = ()


def with_papers(keys: Iterable[str], figures: Iterable[ReportFigure]) -> tuple[str, ...]:
    """Return the keys of publications cited in the text, followed by those in figure captions."""
    cited = (key for figure in figures for key in figure.papers)
    return tuple(dict.fromkeys((*keys, *cited)))


def report_tables(analysis: Comparison, order: Order | None = None, *, late: bool = False) -> list[ResultTable]:
    """Return the tables of a report: comparison, equivalence, order, groups of data sets.

    With `late`, slow columns are blank, see `ResultTable.filled`.
    """
    ordered = [] if order is None else [table for table in order_tables.tables_of_order(order) if len(table.frame)]
    return [
        *table_registry.tables_of(analysis, late=late),
        *_of_region(analysis),
        *ordered,
        *_of_groups(analysis, order and order.rules),
    ]


@cached
def _of_region(analysis: Comparison) -> tuple[ResultTable, ...]:
    """Return the tables of Bayesian tests if an equivalence region is set."""
    return () if analysis.settings.region is None else tuple(_against(analysis))


def _against(analysis: Comparison) -> Iterator[ResultTable]:
    try:
        if analysis.shape.two and not analysis.shape.several_measures:
            yield robustness_tables.equivalence_table(cast(PairComparison, analysis))
        elif analysis.shape.averages and (table := robustness_tables.equivalences_table(analysis)) is not None:
            yield table
    except FoldwiseError:
        return  # the page shows the reason


@cached
def _of_groups(analysis: Comparison, rules: OrderRules | None) -> tuple[ResultTable, ...]:
    """Return the tables of the analysis by each tag of data sets; cached."""
    results, tables = analysis.results, []
    if len(results.datasets) < 2:
        return ()
    tags = tags_with_groups(results)
    for number, tag in enumerate(tags, 1):
        groups = varied_verdicts.by_group(results, analysis.settings, tag, rules=rules, whole=analysis)
        tables += robustness_tables.tables_by_group(groups, f"_{number}" if len(tags) > 1 else "")
    return tuple(tables)
