"""Registry of the tables of each kind of comparison."""

from collections.abc import Callable, Iterable

from stats_core.comparison.result import Comparison
from stats_core.core.result_types import cached
from stats_core.report.tables import (
    dataset_tables,
    fold_tables,
    instance_tables,
    procedure_tables,
    win_tables,
)
from stats_core.report.tables.table import ResultTable, groups_table

_ON_CASES: dict[str, Callable[..., ResultTable | Iterable[ResultTable] | None]] = {
    "scores": instance_tables.models,
    "pairs": instance_tables.pairs,
    "away": instance_tables.risk_difference_ranges,
    "thresholds": instance_tables.thresholds,
    "calibration": instance_tables.calibration,
    "losses": instance_tables.losses,
    "ranks": instance_tables.ranks,
}
# adjusted p-values of all pairs by every procedure, and their steps
_PROCEDURES: dict[str, Callable[..., ResultTable | Iterable[ResultTable] | None]] = {
    "procedures": procedure_tables.side_by_side,
    "steps": procedure_tables.step_tables,
    "acceptance": procedure_tables.acceptance,
}
# kind -> its tables by name, in reading order; a function returns none, one or several
TABLES: dict[str, dict[str, Callable[..., ResultTable | Iterable[ResultTable] | None]]] = {
    "ranks": {
        "scores": dataset_tables.scores,
        "tests": dataset_tables.first_tests,
        "pairs": dataset_tables.pairs_of_ranks,
        **_PROCEDURES,
        "symmetry": dataset_tables.symmetry,
        "benchmarks": instance_tables.benchmarks,
        "wins": dataset_tables.wins_of_ranks,
        "groups": groups_table,
    },
    "present": {
        "scores": dataset_tables.scores_of_present,
        "standing": dataset_tables.standing,
        "tests": dataset_tables.test_of_present,
        "pairs": dataset_tables.pairs_of_present,
        "groups": groups_table,
    },
    "control": {
        "scores": dataset_tables.scores,
        "tests": dataset_tables.first_tests,
        "comparisons": dataset_tables.comparisons,
        "marked_scores": dataset_tables.marked_scores,
        "symmetry": dataset_tables.symmetry,
    },
    "two": {
        "scores": dataset_tables.differences,
        "tests": dataset_tables.both_tests,
        "benchmarks": instance_tables.benchmarks,
        "symmetry": dataset_tables.symmetry,
    },
    "folds": {
        "means": fold_tables.means_of_all,
        "anova": fold_tables.variance,
        "pairs": fold_tables.pairs_on_folds,
        **_PROCEDURES,
        "groups": groups_table,
        "checks": fold_tables.checks,
    },
    "fold pair": {
        "means": fold_tables.means_of_two,
        "tests": fold_tables.every_test,
        "effects": fold_tables.effects,
    },
    "measures": {
        "means": fold_tables.means_of_measures,
        "tests": fold_tables.manova,
        "dimension": fold_tables.dimension,
        "pairs": fold_tables.pairs_of_vectors,
        **_PROCEDURES,
        "groups": groups_table,
        "measures": fold_tables.each_of_all,
    },
    "pair on measures": {
        "means": fold_tables.means_of_measures,
        "tests": fold_tables.tests_of_two,
        "one_measure": fold_tables.one_measure,
        "measures": fold_tables.each_of_two,
    },
    "wins": {
        "wins": win_tables.wins,
        "pairs": win_tables.pairs,
        "groups": groups_table,
        "datasets": win_tables.by_data_set,
        "winners": win_tables.winners,
        "tests": win_tables.tests,
        "skipped": win_tables.skipped,
        "risks": win_tables.risks,
        "thresholds": win_tables.thresholds,
    },
    "cases": _ON_CASES,
    "trainings": _ON_CASES,
    "benchmarks": {
        "scores": dataset_tables.untested_tables,
        "pairs": instance_tables.pairs_over_benchmarks,
        "benchmarks": instance_tables.benchmarks,
        "ranks": instance_tables.ranks,
        "groups": groups_table,
    },
    "untested": {"scores": dataset_tables.untested_tables},
    "published ranks": {
        "ranks": dataset_tables.published_ranks,
        "tests": dataset_tables.first_tests,
        "pairs": dataset_tables.published_pairs,
        **_PROCEDURES,
        "groups": groups_table,
    },
    "published wins": {
        "wins": dataset_tables.wins_of_ranks,
        "pairs": win_tables.pairs,
        "groups": groups_table,
    },
    "published decisions": {
        "order": dataset_tables.published_order,
        "decisions": dataset_tables.published_decisions,
        "pairs": dataset_tables.decided_pairs,
        "groups": groups_table,
    },
}


MAIN_TABLES = (
    "pairs",
    "comparisons",
    "measures",
    "tests",
    "scores",
)  # the first that a kind has is its main table

# tables with slow columns, computed by `filled`
_LATE = {("ranks", "pairs"): dataset_tables.lazy_pairs_of_ranks}


def tables_of(comparison: Comparison, *names: str, late: bool = False) -> list[ResultTable]:
    r"""Return the named tables of a comparison, or all, without empty ones; with `late`, slow columns are blank.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> [table.name for table in tables_of(analyse(results))]
    ['scores', 'tests']
    """
    kind, tables = comparison.kind, list[ResultTable]()
    for name in names or TABLES[kind]:
        make = TABLES[kind][name]
        if late:
            make = _LATE.get((kind, name), make)
        tables += _build_tables(comparison, make)
    return [table for table in tables if len(table.frame)]


@cached
def _build_tables(comparison: Comparison, make: Callable) -> list[ResultTable]:
    result = make(comparison)
    return [result] if isinstance(result, ResultTable) else list(result or ())


def main_table(comparison: Comparison, *, late: bool = False) -> list[ResultTable]:
    """Return a list of the main table, the first of `MAIN_TABLES` that the kind has; [] if it is empty."""
    makers = TABLES[comparison.kind]
    return tables_of(comparison, next(name for name in MAIN_TABLES if name in makers), late=late)
