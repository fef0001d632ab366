"""Cells that hold several values: the scores of all folds, or the settings of a run."""

import ast
import json
import re
from dataclasses import replace
from typing import Any

import pandas as pd

from stats_core.core.formatting import join_names
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.numbers import NumericTable
from stats_core.io.experiment_trackers import is_setting
from stats_core.io.vocabulary import known_cost, normalized_name, words_of

_LIST = re.compile(r"[\[(]\s*[-+0-9.eE,;\s]+[\])]")
_NAMED = re.compile(r"\{.*:.*\}", re.DOTALL)
_SUMMED = {"mean", "avg", "average", "std", "stdev", "sd", "var", "median", "sem"}
_MOST = 1000  # values in a cell; longer ones are predictions or curves, not folds


def spread_cells(table: NumericTable) -> tuple[NumericTable, list[Message]]:
    """Give the scores that stand together in a cell a row each, and named values a column each.

    Parameters
    ----------
    table : Table

    Returns
    -------
    (table, notes)
        The same table if every cell holds one value.
    """
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
