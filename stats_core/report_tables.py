"""The tables of a report, as data: what is compared, which pairs differ, groups, orders."""

from stats_core._report_parts import ReportFigure, ReportTable, places_table
from stats_core._tables_cases import tables_of_cases
from stats_core._tables_folds import (
    tables_of_fold_pair,
    tables_of_folds,
    tables_of_pair_on_measures,
    tables_of_several_on_measures,
)
from stats_core._tables_sets import tables_of_control, tables_of_ranks, tables_of_two, untested
from stats_core._tables_wins import tables_of_wins
from stats_core.against_control import ControlAnalysis
from stats_core.analysis import Analysis
from stats_core.on_cases import CasesAnalysis
from stats_core.on_folds import FoldPairAnalysis, FoldsAnalysis
from stats_core.on_measures import PairOnMeasures, SeveralOnMeasures
from stats_core.on_wins import WinsAnalysis
from stats_core.order import Order
from stats_core.over_datasets import RanksAnalysis, TwoAnalysis

__all__ = ["ReportFigure", "ReportTable", "report_tables"]

_BY_KIND = {
    RanksAnalysis: tables_of_ranks,
    ControlAnalysis: tables_of_control,
    TwoAnalysis: tables_of_two,
    FoldsAnalysis: tables_of_folds,
    FoldPairAnalysis: tables_of_fold_pair,
    SeveralOnMeasures: tables_of_several_on_measures,
    PairOnMeasures: tables_of_pair_on_measures,
    WinsAnalysis: tables_of_wins,
    CasesAnalysis: tables_of_cases,
}


def report_tables(analysis: Analysis, order: Order | None = None) -> list[ReportTable]:
    r"""Which tables does a report of this analysis hold?

    Parameters
    ----------
    analysis : Analysis
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
    >>> from stats_core.analyse import analyse
    >>> from stats_core.reading import read_results
    >>> results = read_results(b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n")
    >>> [table.name for table in report_tables(analyse(results))]
    ['scores', 'tests']
    """
    tables = _BY_KIND.get(type(analysis), untested)(analysis)
    if order is not None:
        tables += places_table(order)
    return [table for table in tables if len(table.frame)]
