"""The tables of comparisons: `TABLES`, and the tables that one comparison offers."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from stats_core.comparison.kinds.fold_pair import or_none
from stats_core.comparison.result import Comparison
from stats_core.core.result_types import cached
from stats_core.report import entry
from stats_core.report.entry import Entry, Place, every
from stats_core.report.tables import (
    dataset_tables,
    fold_tables,
    instance_tables,
    procedure_tables,
    robustness_tables,
    win_tables,
)
from stats_core.report.tables.table import ResultTable, groups_table

Tables = ResultTable | Iterable[ResultTable] | None
TableEntry = Entry[Any, Tables]

LISTED = frozenset({Place.REPORT, Place.COMMAND})
SUMMARY = LISTED | {Place.SUMMARY}
MAIN = SUMMARY | {Place.ARTICLE}  # each comparison has one
SHOWN = LISTED | {Place.RESULTS}  # shown on the page Results if it has no figure

_ALL_RANKED = every(entry.ranked, entry.all_pairs)
_CONTROL = every(entry.ranked, entry.control)
_INCOMPLETE = every(entry.averages, entry.incomplete)
_TWO = every(entry.averages, entry.two_algorithms)
_FOLDS = every(entry.folds, entry.one_measure, entry.several_algorithms)
_FOLD_PAIR = every(entry.folds, entry.one_measure, entry.two_algorithms)
_VECTORS = every(entry.folds, entry.several_measures)
_SEVERAL_VECTORS = every(_VECTORS, entry.several_algorithms)
_PAIR_OF_VECTORS = every(_VECTORS, entry.two_algorithms)


def _adjusted_pairs(comparison: Comparison) -> str | None:
    """One test of each pair of several algorithms, which procedures adjust."""
    if comparison.shape.ranks:
        return entry.all_pairs(comparison)
    return entry.folds(comparison) or entry.several_algorithms(comparison)


def _groups(comparison: Comparison) -> str | None:
    """Decisions on all pairs, except of instances, whose table of ranks has the groups."""
    if entry.instances(comparison) is None:
        return "one test set"
    if entry.untested(comparison) is None:
        return "no test"
    return entry.several_algorithms(comparison) or entry.all_pairs(comparison)


# comparisons that may be stratified by test set
_STRATIFIED = entry.any_of(entry.benchmarks, every(entry.averages, entry.complete, entry.all_pairs))


def _has_region(comparison: Comparison) -> str | None:
    """An equivalence margin."""
    return "no equivalence margin" if comparison.settings.margin is None else None


_REGION_OF_TWO = every(_has_region, entry.two_algorithms, entry.one_measure)
_REGION = every(_has_region, entry.averages, entry.several_algorithms)


def _table(
    name: str, make: Callable[[Any], Tables], needs: entry.Need, where: frozenset[Place]
) -> TableEntry:
    return Entry(name=name, make=make, needs=needs, where=where)


# in reading order; entries of one name have needs that exclude each other
TABLES: tuple[TableEntry, ...] = (
    _table("scores", dataset_tables.scores, entry.ranked, SHOWN),
    _table("scores", dataset_tables.scores_of_present, _INCOMPLETE, SHOWN),
    _table("scores", dataset_tables.differences, _TWO, SHOWN),
    _table("scores", instance_tables.models, entry.instances, SHOWN),
    _table("scores", dataset_tables.untested_tables, entry.benchmarks, SHOWN),
    _table("scores", dataset_tables.untested_tables, entry.untested, MAIN | SHOWN),
    _table("means", fold_tables.means_of_all, _FOLDS, LISTED),
    _table("means", fold_tables.means_of_two, _FOLD_PAIR, LISTED),
    _table("means", fold_tables.means_of_measures, _VECTORS, LISTED),
    _table("ranks", dataset_tables.published_ranks, entry.published_ranks, LISTED),
    _table("wins", win_tables.wins, entry.wins, LISTED),
    _table("wins", dataset_tables.wins_of_ranks, entry.published_wins, SHOWN),
    _table("order", dataset_tables.published_order, entry.published_decisions, LISTED),
    _table("decisions", dataset_tables.published_decisions, entry.published_decisions, SHOWN),
    _table("standing", dataset_tables.standing, _INCOMPLETE, LISTED),
    _table("anova", fold_tables.variance, _FOLDS, LISTED),
    _table("tests", dataset_tables.first_tests, entry.average_ranks, LISTED),
    _table("tests", dataset_tables.test_of_present, _INCOMPLETE, LISTED),
    _table("tests", dataset_tables.both_tests, _TWO, MAIN),
    _table("tests", fold_tables.every_test, _FOLD_PAIR, MAIN),
    _table("tests", fold_tables.manova, _SEVERAL_VECTORS, LISTED),
    _table("tests", fold_tables.tests_of_two, _PAIR_OF_VECTORS, LISTED),
    _table("effects", fold_tables.effects, _FOLD_PAIR, LISTED),
    _table("dimension", fold_tables.dimension, _SEVERAL_VECTORS, LISTED),
    _table("one_measure", fold_tables.one_measure, _PAIR_OF_VECTORS, LISTED),
    _table("comparisons", dataset_tables.comparisons, _CONTROL, MAIN),
    _table("marked_scores", dataset_tables.marked_scores, _CONTROL, LISTED),
    _table("pairs", dataset_tables.pairs_of_ranks, _ALL_RANKED, MAIN),
    _table("pairs", dataset_tables.pairs_of_present, _INCOMPLETE, MAIN),
    _table("pairs", fold_tables.pairs_on_folds, _FOLDS, MAIN),
    _table("pairs", fold_tables.pairs_of_vectors, _SEVERAL_VECTORS, MAIN),
    _table("pairs", win_tables.pairs, entry.wins, MAIN),
    _table("pairs", win_tables.pairs, entry.published_wins, MAIN),
    _table("pairs", instance_tables.pairs, entry.instances, MAIN),
    _table("pairs", instance_tables.pairs_over_benchmarks, entry.benchmarks, MAIN),
    _table("pairs", dataset_tables.published_pairs, entry.published_ranks, MAIN),
    _table("pairs", dataset_tables.decided_pairs, entry.published_decisions, MAIN),
    # adjusted p-values of all pairs by every procedure, and their steps
    _table("procedures", procedure_tables.side_by_side, _adjusted_pairs, LISTED),
    _table("steps", procedure_tables.step_tables, _adjusted_pairs, LISTED),
    _table("acceptance", procedure_tables.acceptance, _adjusted_pairs, LISTED),
    _table("symmetry", dataset_tables.symmetry, every(entry.averages, entry.complete), LISTED),
    _table("benchmarks", instance_tables.benchmarks, _STRATIFIED, SUMMARY),
    _table("away", instance_tables.risk_difference_ranges, entry.instances, LISTED),
    _table("thresholds", instance_tables.thresholds, entry.instances, LISTED),
    _table("calibration", instance_tables.calibration, entry.instances, LISTED),
    _table("losses", instance_tables.losses, entry.instances, LISTED),
    _table("ranks", instance_tables.ranks, entry.models, LISTED),
    _table("wins", dataset_tables.wins_of_ranks, _ALL_RANKED, LISTED),
    _table("groups", groups_table, _groups, LISTED),
    _table("checks", fold_tables.checks, _FOLDS, LISTED),
    _table("measures", fold_tables.each_of_all, _SEVERAL_VECTORS, LISTED),
    _table("measures", fold_tables.each_of_two, _PAIR_OF_VECTORS, MAIN),
    _table("datasets", win_tables.by_data_set, entry.wins, LISTED),
    _table("winners", win_tables.winners, entry.wins, LISTED),
    _table("tests", win_tables.tests, entry.wins, LISTED),
    _table("skipped", win_tables.skipped, entry.wins, LISTED),
    _table("risks", win_tables.risks, entry.wins, LISTED),
    _table("thresholds", win_tables.thresholds, entry.wins, LISTED),
    _table("bayes", partial(or_none, robustness_tables.equivalence_table), _REGION_OF_TWO, LISTED),
    _table("bayes", partial(or_none, robustness_tables.equivalences_table), _REGION, LISTED),
)
# table with slow columns -> function that returns it with these columns blank until `filled`
_LATE: dict[Callable, Callable[[Any], ResultTable]] = {
    dataset_tables.pairs_of_ranks: dataset_tables.lazy_pairs_of_ranks
}


def entries_of(comparison: Comparison, where: Place) -> dict[str, TableEntry]:
    """Return the entries of a place for a comparison by name, also of tables without rows."""
    return {each.name: each for each in entry.offered(TABLES, comparison, where)}


def why_lacking(comparison: Comparison, name: str) -> str | None:
    """Return why a comparison has no table of a name; None if it has one, or no comparison has."""
    reasons = [each.needs(comparison) for each in TABLES if each.name == name]
    return None if None in reasons else next(iter(reasons), None)


def tables_of(comparison: Comparison, *names: str, late: bool = False) -> list[ResultTable]:
    r"""Return the named tables of a comparison, or all, without empty ones.

    With `late`, slow columns are blank until `filled`.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> [table.name for table in tables_of(analyse(results))]
    ['scores', 'tests']
    """
    entries = entries_of(comparison, Place.REPORT)
    return _tables(comparison, [entries[name] for name in names or entries], late=late)


def tables_in(comparison: Comparison, where: Place, *, late: bool = False) -> list[ResultTable]:
    """Return the tables of a place, without empty ones; `late` as in `tables_of`."""
    return _tables(comparison, entries_of(comparison, where).values(), late=late)


def main_table(comparison: Comparison, *, late: bool = False) -> list[ResultTable]:
    """Return a list of the main table; [] if it is empty."""
    return tables_in(comparison, Place.ARTICLE, late=late)


def _tables(
    comparison: Comparison, entries: Iterable[TableEntry], *, late: bool
) -> list[ResultTable]:
    tables = list[ResultTable]()
    for each in entries:
        make = _LATE.get(each.make, each.make) if late else each.make
        tables += _build_tables(comparison, make)
    return [table for table in tables if len(table.frame)]


@cached
def _build_tables(comparison: Comparison, make: Callable) -> list[ResultTable]:
    result = make(comparison)
    return [result] if isinstance(result, ResultTable) else list(result or ())
