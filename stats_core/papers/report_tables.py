"""What a report is put together from: figures, and the tables of a comparison and its order."""

from dataclasses import dataclass

from stats_core.comparison.base import Comparison
from stats_core.comparison.tables.every import tables_of
from stats_core.comparison.tables.orders import tables_of_order
from stats_core.comparison.tables.table import Table
from stats_core.ordering.order import Order


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportFigure:
    """A figure of a report, ready to be placed.

    Attributes
    ----------
    name : str
        Start of its file names.
    title, caption : str
        Plain text; the caption says how to read it.
    file : str
        Name of its PDF in the folder figures/ beside the document, "" if there is none.
    tikz : str
        TikZ or PGFPlots source, whose first line is a comment with the packages it needs; it is
        preferred to the PDF.
    html : str
        A fragment of HTML, trusted as it is.
    alt : str
        For screen readers; the caption if empty.
    """

    name: str
    title: str
    caption: str = ""
    file: str = ""
    tikz: str = ""
    html: str = ""
    alt: str = ""


def report_tables(analysis: Comparison, order: Order | None = None) -> list[Table]:
    """Return the tables of a report: those of the comparison, then those of its order."""
    ordered = (
        [] if order is None else [table for table in tables_of_order(order) if len(table.frame)]
    )
    return [*tables_of(analysis), *ordered]
