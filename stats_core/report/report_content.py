"""Content of a report, computed once for all formats."""

from dataclasses import dataclass, replace

from stats_core.comparison.conclusion_scope import pairs_beside
from stats_core.comparison.result import Comparison
from stats_core.core.messages import IN_PAPER, Message
from stats_core.ordering.order import Order
from stats_core.power.detectable import Detectable, detectable
from stats_core.report.methods_text import CitedText, describe_results, methods_pieces
from stats_core.report.order_text import order_verdict
from stats_core.report.plan import Chain, chain_of
from stats_core.report.report_tables import report_tables
from stats_core.report.robustness_text import describe_leave_one_out
from stats_core.report.tables.table import ResultTable
from stats_core.report.verdict import Verdict, verdict
from stats_core.robustness.leave_one_out import leave_one_out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportContent:
    """Content of HTML and LaTeX reports.

    Attributes
    ----------
    robustness : str
        In how many leave-one-out runs a claim is lost; "" where there are no data sets to leave out.
    verdict, order_verdict : Verdict
        In the words of the authors; of the order None without one.
    methods : tuple of Piece
        Stretches of text with their publications.
    results : str
        The findings in sentences.
    tables : list of Table
        In reading order.
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
    order_text = None if order is None else order_verdict(order, pairs_beside(order, comparison))
    seen = detectable(comparison)
    pieces = methods_pieces(comparison, order, seen=seen)
    return ReportContent(
        robustness=describe_leave_one_out(leave_one_out(comparison)) if comparison.units else "",
        verdict=_by_authors(verdict_text),
        order_verdict=None if order_text is None else _by_authors(order_text),
        methods=pieces,
        results=describe_results(comparison, verdict_text, order_text),
        tables=report_tables(comparison, order),
        chain=chain_of(comparison) if len(comparison.results.algorithms) > 1 else None,
        seen=seen,
        references=tuple(dict.fromkeys(key for piece in pieces for key in piece.keys)),
    )


def _by_authors(verdict_text: Verdict) -> Verdict:
    notes = (note.said(IN_PAPER) if isinstance(note, Message) else note for note in verdict_text.notes)
    return replace(verdict_text, notes=tuple(notes), advice="")
