"""Cells that hold several values: the scores of all folds, or the settings of a run."""

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from stats_core.core.errors import DataError, Problem
from stats_core.core.formatting import join_names
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.numbers import ABSENT, NumericTable, is_numeric, numbers_of
from stats_core.io.experiment_trackers import is_setting
from stats_core.io.vocabulary import direction_of, known_cost, normalized_name, words_of

_LIST = re.compile(r"[\[(]\s*[-+0-9.eE,;\s]+[\])]")
_NAMED = re.compile(r"\{.*:.*\}", re.DOTALL)
_SUMMED = {"mean", "avg", "average", "std", "stdev", "sd", "var", "median", "sem"}
_MOST = 1000  # values in a cell; longer ones are predictions or curves, not folds


def spread_cells(table: NumericTable) -> tuple[NumericTable, list[Message]]:
    """Give the scores that stand together in a cell a row each, and named values a column each."""
    table, notes = _with_columns(table)
    lists = {name: found for name in table.frame if (found := _lists(table.frame[name]))}
    if not lists:
        return table, notes
    if all(known_cost(name) or is_setting(name) for name in lists):
        return table, notes  # times of single calls, or sizes of layers
    lengths = {tuple(map(len, found)) for found in lists.values()}
    size = len(next(iter(lists.values()))[0])
    if lengths != {(size,) * len(table.frame)} or "fold" in map(normalized_name, table.frame):
        return table, notes
    summed = [n for n in table.frame if n not in lists and _SUMMED & set(words_of(n))]
    frame = table.frame.drop(columns=summed).loc[table.frame.index.repeat(size)].copy()
    for name, found in lists.items():
        frame[name] = [value for row in found for value in row]
    frame["fold"] = [str(i + 1) for _ in range(len(table.frame)) for i in range(size)]
    lines = {i: int(line) for i, line in enumerate(frame.index, 2)}
    frame.index = pd.Index(list(lines))
    said = message("scores in one cell", columns=tuple(lists), n=size)
    return replace(table, frame=frame, lines=lines), [*notes, said]


def _lists(texts: pd.Series) -> list[list[str]]:
    """Return the numbers in each cell, none if a cell holds no list of two or more."""
    cells = texts.to_list()
    if not cells or not all(_LIST.fullmatch(cell) for cell in cells):
        return []
    found = [re.split(r"[\s,;]+", cell.strip("[]() \n\t")) for cell in cells]
    found = [[value for value in row if value] for row in found]
    return found if all(1 < len(row) <= _MOST for row in found) else []


def _with_columns(table: NumericTable) -> tuple[NumericTable, list[Message]]:
    """Make columns of cells such as {"lr": 0.1, "seed": 3}."""
    frame, parted = table.frame, []
    for name in table.frame:
        cells = frame[name].to_list()
        if not any(cells) or not all(_NAMED.fullmatch(cell) for cell in cells if cell):
            continue
        found = [_named_values(cell) for cell in cells]
        if any(values is None for values in found) or normalized_name(name) == "params":
            continue  # cv_results_ names its candidates by the whole cell
        columns = pd.DataFrame(found, index=frame.index).fillna("").astype(str)
        columns.columns = [f"{name}.{key}" for key in columns]
        if set(columns) & set(frame):
            continue
        frame = pd.concat([frame.drop(columns=name), columns], axis=1)
        parted.append(name)
    said = [message("named values in one cell", columns=tuple(parted))] if parted else []
    return (replace(table, frame=frame), said) if parted else (table, [])


def _named_values(text: str) -> dict[str, Any] | None:
    if not text:
        return {}
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(found, dict):
            return {
                str(key): "" if value is None else str(value)
                for key, value in found.items()
                if not isinstance(value, (dict, list, tuple)) and not str(key).startswith("_")
            }
    return None


@message_text("scores in one cell")
def _scores_in_one_cell(voice: Audience, columns: tuple, n: int) -> str:
    return (
        f"{join_names(list(columns))} held {n} numbers in a cell; they were read as folds 1 to {n}."
    )


@message_text("named values in one cell")
def _named_values_in_one_cell(voice: Audience, columns: tuple) -> str:
    return (
        f"Named values in the cells of {join_names(list(columns))} were given columns of their own."
    )


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
    """Give each measure a column of its own if rows differ in nothing but the measure."""
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
