"""Reshape tables before they are interpreted: melted values, and headers in two rows."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from stats_core.core.errors import DataError, Problem
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.numbers import ABSENT, NumericTable, is_numeric, numbers_of
from stats_core.io.vocabulary import direction_of, known_cost, normalized_name

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


def spread_measures(
    table: NumericTable, roles: Mapping[str, str]
) -> tuple[NumericTable, list[Message]]:
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
    names = [
        c
        for c in frame.columns
        if normalized_name(c) in _NAMES and roles.get(c, "") in ("", "ignore")
    ]
    if not names or not {"algorithm", "dataset"} & set(roles.values()):
        return table, []
    values = [c for c in frame.columns if normalized_name(c) in _VALUES and is_numeric(table, c)]
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
    return replace(table, frame=first), [message("one value per row", measure=name, value=value)]


def _may_be_key(table: NumericTable, column: str) -> bool:
    """Tell whether a column can name rows: texts and whole numbers can, measurements cannot."""
    numbers = numbers_of(table, column)
    return numbers is None or bool((numbers.dropna() % 1 == 0).all())


@message_text("one value per row")
def _one_value_per_row(voice: Audience, measure: str, value: str) -> str:
    return f'"{measure}" names the measure, "{value}" holds its value.'


def _check_copies(table: NumericTable, keys: list[str]) -> None:
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


_NUMBER = re.compile(
    r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?\s*%?(?:\s*(?:\u00b1|\+/?-|\().*)?"
)
_TAGS = re.compile(r"<(?:a|span)\s[^<>]*>|</(?:a|span)>", re.IGNORECASE)
BETWEEN = " | "


def one_header(frame: pd.DataFrame) -> tuple[pd.DataFrame, list]:
    """Join a header of two rows into one, groups before the names under them.

    Parameters
    ----------
    frame : DataFrame of str
        All rows, the header first; a name over several columns stands in the first of them or
        is repeated.

    Returns
    -------
    (frame, notes)
        The same frame if its second row holds results.

    Examples
    --------
    >>> rows = [["", "rf", "", "svm", ""], ["set", "acc", "f1", "acc", "f1"], ["a", "1", "2", "3", "4"]]
    >>> list(one_header(pd.DataFrame(rows))[0].iloc[0])
    ['set', 'rf | acc', 'rf | f1', 'svm | acc', 'svm | f1']
    """
    if len(frame) < 3 or frame.shape[1] < 3 or not _is_double(frame):
        return frame, []
    groups, names, rest = list(frame.iloc[0]), list(frame.iloc[1]), frame.iloc[2:]
    first = rest.iloc[0]
    if (
        first.iloc[0] and (first.iloc[1:] == "").all()
    ):  # the name of the index, on a line of its own
        names[0], rest = names[0] or str(first.iloc[0]), rest.iloc[1:]
    if len(set(names)) < len(names) or "" in names:
        names = _joined(groups, names)
    head = pd.DataFrame([names], columns=frame.columns, index=[frame.index[1]])
    return pd.concat([head, rest]), [message("two header rows")]


def _is_double(frame: pd.DataFrame) -> bool:
    """Tell whether the first row names groups, the second columns, and numbers follow."""
    groups, names = list(frame.iloc[0]), list(frame.iloc[1])
    start = next((i for i, text in enumerate(groups) if text), len(groups))
    spanning = "" in groups[start:] or len(set(groups[start:])) < len(groups[start:])
    if not spanning or names.count("") > 2:
        return False
    if any(map(_is_number, names)) and not _number_the_columns(groups, names, frame.iloc[2:6]):
        return False
    if any(_is_number(text) for text in groups):
        return False
    below = frame.iloc[2 : min(5, len(frame))]
    return any(2 * sum(map(_is_number, row)) >= len(row) - 2 > 0 for row in below.to_numpy())


def _number_the_columns(groups: list[str], names: list[str], below: pd.DataFrame) -> bool:
    """Tell whether whole numbers under repeated names tell columns apart, over fractions."""
    pairs = [pair for pair in zip(_filled(groups), names, strict=True) if pair[1]]
    numbers = [name for _, name in pairs if _is_number(name)]
    if len(set(pairs)) < len(pairs) or len(set(numbers)) == len(numbers) < len(pairs):
        return False
    if not all(text.isdigit() for text in numbers) or len(numbers) < len(pairs) - 2:
        return False
    cells = [text for row in below.to_numpy() for text in row if _is_number(text)]
    return sum(not text.isdigit() for text in cells) > 0.5 * len(cells)


def _filled(groups: list[str]) -> list[str]:
    """Return the group of each column, where its name stands in the first of them only."""
    found, group = [], ""
    for text in groups:
        group = text or group
        found.append(group)
    return found


def names_only(cells: list[str]) -> bool:
    """Tell whether no cell of a row holds a number.

    Examples
    --------
    >>> names_only(["set", "acc"]), names_only(["iris", "0.9"])
    (True, False)
    """
    return not any(map(_is_number, cells))


def _is_number(text: str) -> bool:
    return bool(text) and text.lower() not in ABSENT and bool(_NUMBER.fullmatch(text))


def _joined(groups: list[str], names: list[str]) -> list[str]:
    found, group = [], ""
    for above, name in zip(groups, names, strict=True):
        group = above or group
        alone = not group or not name or group == name
        found.append((name or group) if alone else f"{group}{BETWEEN}{name}")
    return found


@message_text("two header rows")
def _two_header_rows(voice: Audience) -> str:
    return "The header stands in two rows; they were read as one."


def without_tags(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out the marks of links and emphasis that a page was written with."""
    if not any("<a href=" in cell for name in frame for cell in frame[name].to_list()[:3]):
        return frame
    return frame.apply(lambda column: column.str.replace(_TAGS, "", regex=True).str.strip())
