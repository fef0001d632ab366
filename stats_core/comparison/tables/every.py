"""Which tables each kind of comparison has: the register of tables."""

from collections.abc import Callable, Iterable

from stats_core.comparison.base import Comparison
from stats_core.comparison.tables import (
    cases,
    folds,
    measures,
    present,
    procedures,
    published,
    sets,
    shared,
    wins,
)
from stats_core.comparison.tables.table import Table
from stats_core.core.stays import StaysHere

_MADE = "tables"  # under which name they are kept with their comparison
_ON_CASES: dict[str, Callable[..., Table | Iterable[Table] | None]] = {
    "scores": shared.untested_tables,
    "pairs": cases.pairs,
    "away": cases.away,
    "thresholds": cases.thresholds,
    "calibration": cases.calibration,
    "losses": cases.losses,
}
# all pairs under every procedure, and how those come about
_PROCEDURES: dict[str, Callable[..., Table | Iterable[Table] | None]] = {
    "procedures": procedures.side_by_side,
    "steps": procedures.steps,
    "acceptance": procedures.acceptance,
}
# kind -> its tables by name, in the order of thought; one function may give none, one or several
TABLES: dict[str, dict[str, Callable[..., Table | Iterable[Table] | None]]] = {
    "ranks": {
        "scores": sets.scores,
        "tests": sets.first_tests,
        "pairs": sets.pairs_of_ranks,
        **_PROCEDURES,
        "symmetry": sets.symmetry,
        "wins": sets.wins_of_ranks,
        "groups": sets.groups_of_ranks,
    },
    "present": {
        "scores": present.scores,
        "standing": present.standing,
        "tests": present.first_test,
        "pairs": present.pairs,
        "groups": present.groups,
    },
    "control": {
        "scores": sets.scores,
        "tests": sets.first_tests,
        "comparisons": sets.comparisons,
        "symmetry": sets.symmetry,
    },
    "two": {"scores": sets.differences, "tests": sets.both_tests, "symmetry": sets.symmetry},
    "folds": {
        "means": folds.means_of_all,
        "anova": folds.variance,
        "pairs": folds.pairs_on_folds,
        **_PROCEDURES,
        "groups": folds.groups_on_folds,
        "checks": folds.checks,
    },
    "fold pair": {
        "means": folds.means_of_two,
        "tests": folds.every_test,
        "effects": folds.effects,
    },
    "measures": {
        "means": measures.means,
        "tests": measures.manova,
        "dimension": measures.dimension,
        "pairs": measures.pairs,
        **_PROCEDURES,
        "groups": measures.groups,
        "measures": measures.each_of_all,
    },
    "pair on measures": {
        "means": measures.means,
        "tests": measures.tests_of_two,
        "one_measure": measures.one_measure,
        "measures": measures.each_of_two,
    },
    "wins": {
        "wins": wins.wins,
        "pairs": wins.pairs,
        "groups": wins.groups,
        "datasets": wins.by_data_set,
        "winners": wins.winners,
        "tests": wins.tests,
        "skipped": wins.skipped,
        "risks": wins.risks,
        "thresholds": wins.thresholds,
    },
    "cases": _ON_CASES,
    "trainings": _ON_CASES,
    "untested": {"scores": shared.untested_tables},
    "published ranks": {
        "ranks": published.ranks,
        "tests": published.first_tests,
        "pairs": published.pairs_of_ranks,
        **_PROCEDURES,
        "groups": published.groups_of_ranks,
    },
    "published wins": {"wins": published.wins, "pairs": wins.pairs, "groups": wins.groups},
    "published decisions": {
        "order": published.order,
        "decisions": published.decisions,
        "pairs": published.decided_pairs,
        "groups": published.groups,
    },
}


# those with columns that take long, to be `filled`
_LATE = {("ranks", "pairs"): sets.late_pairs_of_ranks}


def tables_of(comparison: Comparison, *names: str, late: bool = False) -> list[Table]:
    r"""Which tables does a comparison have?

    Parameters
    ----------
    comparison : Comparison
        From `analyse`.
    *names : str
        Only these; all if none is given.
    late : bool
        Whether columns that take long are left blank, see `Table.filled`.

    Returns
    -------
    list of Table
        Made once; nobody changes them. In the order of thought: what was measured, the tests of all at once, the comparisons,
        groups. Empty ones are left out; names are distinct and fit for files.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.reading.reading import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> [table.name for table in tables_of(analyse(results))]
    ['scores', 'tests']
    """
    kind, found = comparison.kind, list[Table]()
    kept = vars(comparison).setdefault(_MADE, StaysHere())
    for name in names or TABLES[kind]:
        make = TABLES[kind][name]
        if late:
            make = _LATE.get((kind, name), make)
        if make not in kept:
            made = make(comparison)
            kept[make] = [made] if isinstance(made, Table) else list(made or ())
        found += kept[make]
    return [table for table in found if len(table.frame)]


def main_table(comparison: Comparison) -> list[Table]:
    """Return the one table that says most: a row per comparison; of results without any, theirs."""
    own = TABLES[comparison.kind]
    order = ("pairs", "comparisons", "measures", "tests", "scores")
    return tables_of(comparison, next(name for name in order if name in own))
