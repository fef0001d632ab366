"""The tables of a report, as data: what is compared, which pairs differ, groups, orders."""

from stats_core.comparison.base import Comparison
from stats_core.comparison.kinds.cases import CasesComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.kinds.measures import SeveralOnMeasures
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.comparison.kinds.wins import WinsComparison
from stats_core.ordering.order import Order
from stats_core.papers.report_parts import ReportFigure, ReportTable, places_table
from stats_core.papers.tables_cases import tables_of_cases
from stats_core.papers.tables_folds import (
    tables_of_fold_pair,
    tables_of_folds,
    tables_of_pair_on_measures,
    tables_of_several_on_measures,
)
from stats_core.papers.tables_sets import (
    tables_of_control,
    tables_of_ranks,
    tables_of_two,
    untested,
)
from stats_core.papers.tables_wins import tables_of_wins

__all__ = ["ReportFigure", "ReportTable", "report_tables"]

_BY_KIND = {
    RanksComparison: tables_of_ranks,
    ControlComparison: tables_of_control,
    TwoComparison: tables_of_two,
    FoldsComparison: tables_of_folds,
    FoldPairComparison: tables_of_fold_pair,
    SeveralOnMeasures: tables_of_several_on_measures,
    PairOnMeasures: tables_of_pair_on_measures,
    WinsComparison: tables_of_wins,
    CasesComparison: tables_of_cases,
}


def report_tables(analysis: Comparison, order: Order | None = None) -> list[ReportTable]:
    r"""Which tables does a report of this analysis hold?

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.
    order : Order, optional
        From `order_of`, if the algorithms were also put in order.

    Returns
    -------
    list of ReportTable
        In the order of thought: what was measured, the tests of all at once, the comparisons,
        groups, the order. Names are distinct and fit for files.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.reading.reading import read_results
    >>> results = read_results(b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n")
    >>> [table.name for table in report_tables(analyse(results))]
    ['scores', 'tests']
    """
    tables = _BY_KIND.get(type(analysis), untested)(analysis)
    if order is not None:
        tables += places_table(order)
    return [table for table in tables if len(table.frame)]
