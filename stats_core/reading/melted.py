"""Tables with one row per value: a column names the measure, another holds its value."""

from collections.abc import Mapping
from dataclasses import replace

from stats_core.core.errors import DataError, Problem
from stats_core.core.notes import Note, Voice, note, worded
from stats_core.core.numbers import Table, is_numeric, numbers_of
from stats_core.reading.columns import direction_of, known_cost, plain

_NAMES = (
    "metric",
    "measure",
    "metricname",
    "measurename",
    "evaluationmeasure",
    "scoring",
    "function",
)
_VALUES = ("value", "result", "score", "metricvalue", "measurevalue", "estimate")


def spread_measures(table: Table, roles: Mapping[str, str]) -> tuple[Table, list[Note]]:
    """Give each measure a column of its own if rows differ in nothing but the measure.

    Parameters
    ----------
    table : Table
    roles : mapping of column to role

    Returns
    -------
    (table, notes)
        The same table if no column names measures.
    """
    frame = table.frame
    names = [c for c in frame.columns if plain(c) in _NAMES and roles.get(c, "") in ("", "ignore")]
    if not names or not {"algorithm", "dataset"} & set(roles.values()):
        return table, []
    values = [c for c in frame.columns if plain(c) in _VALUES and is_numeric(table, c)]
    if not values:
        return table, []
    name, value = names[0], values[0]
    kinds = list(frame[name].unique())
    known = all(kind and (direction_of(kind) or known_cost(kind)) for kind in kinds)
    if not known or set(kinds) & set(frame.columns):
        return table, []
    keys = [c for c in frame.columns if c not in (name, value) and _may_be_key(table, c)]
    if len(kinds) > 1 and not frame.duplicated(keys).any():
        return table, []  # each row has a measure of its own, as in the OpenML AutoML benchmark
    _check_copies(table, [*keys, name])
    first = frame.drop_duplicates(keys).drop(columns=[name, value])
    labels = frame[keys].agg("\0".join, axis=1)
    for kind in kinds:
        rows = frame[name] == kind
        column = frame.loc[rows, value].set_axis(labels[rows])
        first[kind] = labels[first.index].map(column).fillna("")
    return replace(table, frame=first), [note("one value per row", measure=name, value=value)]


def _may_be_key(table: Table, column: str) -> bool:
    """Tell whether a column can name rows: texts and whole numbers can, measurements cannot."""
    numbers = numbers_of(table, column)
    return numbers is None or bool((numbers.dropna() % 1 == 0).all())


@worded("one value per row")
def _one_value_per_row(voice: Voice, measure: str, value: str) -> str:
    return f'"{measure}" names the measure, "{value}" holds its value.'


def _check_copies(table: Table, keys: list[str]) -> None:
    repeated = table.frame.duplicated(keys, keep=False)
    if not repeated.any():
        return
    line = int(repeated.idxmax())
    row = ", ".join(table.frame.loc[line, keys])
    raise DataError(
        [
            Problem(
                file=table.name,
                row=line,
                must="one row per data set, algorithm, fold and measure",
                found=f"There are {int(repeated.sum())} rows that are not alone, first ({row})",
                do="Add a repetition column or remove the copies",
            )
        ]
    )
