"""Reshaping of tables: lists in cells, measures in rows, two header rows, markup."""

import ast
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pandas as pd

from stats_core.core.messages import Message, message
from stats_core.io import vocabulary
from stats_core.io.problems import data_error
from stats_core.io.text_cells import ABSENT, TextTable, numbers_of
from stats_core.io.vocabulary import is_listed, mentions

_LIST = re.compile(r"[\[(]\s*[-+0-9.eE,;\s]+[\])]")
_NAMED = re.compile(r"\{.*:.*\}", re.DOTALL)
_MOST = 1000  # values in a cell; longer lists are predictions or curves, not folds


def _is_numeric(table: TextTable, column: str) -> bool:
    """Return whether a column holds numbers, apart from empty cells and a few errors."""
    return numbers_of(table, column) is not None


def spread_cells(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Expand lists in cells into one row per value, and mappings into one column per key."""
    table, notes = _with_columns(table)
    lists = {name: values for name in table.frame if (values := _lists(table.frame[name]))}
    if all(vocabulary.known_cost(name) or vocabulary.is_setting(name) for name in lists):
        return table, notes  # no lists, or lists of call times or layer sizes
    lengths = {len(row) for values in lists.values() for row in values}
    if len(lengths) > 1 or "fold" in map(vocabulary.normalized_name, table.frame):
        return table, notes
    (size,) = lengths
    summary_columns = [n for n in table.frame if n not in lists and mentions(n, "summaries of cells")]
    frame = table.frame.drop(columns=summary_columns).loc[table.frame.index.repeat(size)].copy()
    for name, values in lists.items():
        frame[name] = [value for row in values for value in row]
    frame["fold"] = [str(i + 1) for _ in range(len(table.frame)) for i in range(size)]
    lines = {i: int(line) for i, line in enumerate(frame.index, 2)}
    frame.index = pd.Index(list(lines))
    note = message("scores in one cell", columns=tuple(lists), n=size)
    return replace(table, frame=frame, lines=lines), [*notes, note]


def _lists(texts: pd.Series) -> list[list[str]]:
    """Return the numbers in each cell, [] unless every cell lists two or more."""
    cells = texts.to_list()
    if not cells or not all(_LIST.fullmatch(cell) for cell in cells):
        return []
    values = [re.split(r"[\s,;]+", cell.strip("[]() \n\t")) for cell in cells]
    values = [[value for value in row if value] for row in values]
    return values if all(1 < len(row) <= _MOST for row in values) else []


def _with_columns(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Expand cells such as {"lr": 0.1, "seed": 3} into one column per key."""
    frame, expanded = table.frame, []
    for name in table.frame:
        cells = frame[name].to_list()
        if not any(cells) or not all(_NAMED.fullmatch(cell) for cell in cells if cell):
            continue
        parsed = [_named_values(cell) for cell in cells]
        if any(values is None for values in parsed) or vocabulary.normalized_name(name) == "params":
            continue  # cv_results_ identifies candidates by the complete cell
        columns = pd.DataFrame(parsed, index=frame.index).fillna("").astype(str)
        columns.columns = [f"{name}.{key}" for key in columns]
        if set(columns) & set(frame):
            continue
        frame = pd.concat([frame.drop(columns=name), columns], axis=1)
        expanded.append(name)
    notes = [message("named values in one cell", columns=tuple(expanded))] if expanded else []
    return (replace(table, frame=frame), notes) if expanded else (table, [])


def _named_values(text: str) -> dict[str, Any] | None:
    if not text:
        return {}
    for parse in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            if isinstance(parsed := parse(text), dict):
                plain = {str(key): value for key, value in parsed.items() if not isinstance(value, (dict, list, tuple))}
                return {k: "" if v is None else str(v) for k, v in plain.items() if not k.startswith("_")}
    return None


def spread_measures(table: TextTable, roles: Mapping[str, str]) -> tuple[TextTable, list[Message]]:
    """Pivot measures from rows to columns if rows differ only in the measure."""
    frame = table.frame
    names = [n for n in frame if is_listed(n, "names of measures") and roles.get(n, "") in ("", "ignore")]
    values = [n for n in frame if is_listed(n, "values of measures") and _is_numeric(table, n)]
    if not names or not values or not {"algorithm", "dataset"} & set(roles.values()):
        return table, []
    name, value = names[0], values[0]
    measures = list(frame[name].unique())
    recognized = all(kind and (vocabulary.direction_of(kind) or vocabulary.known_cost(kind)) for kind in measures)
    if not recognized or set(measures) & set(frame.columns):
        return table, []
    keys = [c for c in frame.columns if c not in (name, value) and _may_be_key(table, c)]
    if len(measures) > 1 and not frame.duplicated(keys).any():
        return table, []  # each row has only one measure, as in the OpenML AutoML benchmark
    repeated = frame.duplicated([*keys, name], keep=False)
    if repeated.any():
        line = int(repeated.idxmax())
        row = ", ".join(frame.loc[line, [*keys, name]])
        raise data_error("repeated measure", table.name, line, n=int(repeated.sum()), row=row)
    pivoted = frame.drop_duplicates(keys).drop(columns=[name, value])
    labels = frame[keys].agg("\0".join, axis=1)
    for kind in measures:
        rows = frame[name] == kind
        column = frame.loc[rows, value].set_axis(labels[rows])
        pivoted[kind] = labels[pivoted.index].map(column).fillna("")
    return replace(table, frame=pivoted), [message("one value per row", measure=name, value=value)]


def _may_be_key(table: TextTable, column: str) -> bool:
    """Return whether a column can identify rows: text or whole numbers."""
    numbers = numbers_of(table, column)
    return numbers is None or bool((numbers.dropna() % 1 == 0).all())


_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?\s*%?(?:\s*(?:\u00b1|\+/?-|\().*)?")
_TAGS = re.compile(r"<(?:a|span)\s[^<>]*>|</(?:a|span)>", re.IGNORECASE)


def one_header(frame: pd.DataFrame) -> tuple[pd.DataFrame, list]:
    """Join a header of two rows into one, group names before column names.

    Examples
    --------
    >>> rows = [["", "rf", "", "svm", ""], ["set", "acc", "f1", "acc", "f1"], ["a", "1", "2", "3", "4"]]
    >>> list(one_header(pd.DataFrame(rows))[0].iloc[0])
    ['set', 'rf | acc', 'rf | f1', 'svm | acc', 'svm | f1']
    """
    if len(frame) < 3 or frame.shape[1] < 3 or not _is_double(frame):
        return frame, []
    groups, names, body = list(frame.iloc[0]), list(frame.iloc[1]), frame.iloc[2:]
    first_row = body.iloc[0]
    # pandas writes the index name on a separate line
    if first_row.iloc[0] and (first_row.iloc[1:] == "").all():
        names[0], body = names[0] or str(first_row.iloc[0]), body.iloc[1:]
    if len(set(names)) < len(names) or "" in names:
        names = _joined(groups, names)
    header = pd.DataFrame([names], columns=frame.columns, index=[frame.index[1]])
    return pd.concat([header, body]), [message("two header rows")]


def _is_double(frame: pd.DataFrame) -> bool:
    """Return whether the table has a row of groups and a row of names above numbers."""
    groups, names = list(frame.iloc[0]), list(frame.iloc[1])
    start = next((i for i, text in enumerate(groups) if text), len(groups))
    has_spans = "" in groups[start:] or len(set(groups[start:])) < len(groups[start:])
    if not has_spans or names.count("") > 2:
        return False
    if any(map(_is_number, names)) and not _number_the_columns(groups, names, frame.iloc[2:6]):
        return False
    if any(_is_number(text) for text in groups):
        return False
    body = frame.iloc[2 : min(5, len(frame))]
    return any(2 * sum(map(_is_number, row)) >= len(row) - 2 > 0 for row in body.to_numpy())


def _number_the_columns(groups: list[str], names: list[str], body: pd.DataFrame) -> bool:
    """Return whether whole numbers distinguish columns within groups, above fractions."""
    pairs = [pair for pair in zip(_filled(groups), names, strict=True) if pair[1]]
    numbers = [name for _, name in pairs if _is_number(name)]
    if len(set(pairs)) < len(pairs) or len(set(numbers)) == len(numbers) < len(pairs):
        return False
    if not all(text.isdigit() for text in numbers) or len(numbers) < len(pairs) - 2:
        return False
    cells = [text for row in body.to_numpy() for text in row if _is_number(text)]
    return sum(not text.isdigit() for text in cells) > 0.5 * len(cells)


def _filled(groups: list[str]) -> list[str]:
    """Return the group of each column, given only in the first column of each group."""
    filled: list[str] = []
    for text in groups:
        filled.append(text or (filled[-1] if filled else ""))
    return filled


def names_only(cells: list[str]) -> bool:
    """Return whether no cell of a row holds a number.

    Examples
    --------
    >>> names_only(["set", "acc"]), names_only(["iris", "0.9"])
    (True, False)
    """
    return not any(map(_is_number, cells))


def _is_number(text: str) -> bool:
    return bool(text) and text.lower() not in ABSENT and bool(_NUMBER.fullmatch(text))


def _joined(groups: list[str], names: list[str]) -> list[str]:
    pairs = zip(_filled(groups), names, strict=True)
    return [f"{group} | {name}" if group and name and group != name else name or group for group, name in pairs]


def without_tags(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table without HTML link and span tags."""
    if not any("<a href=" in cell for name in frame for cell in frame[name].to_list()[:3]):
        return frame
    return frame.apply(lambda column: column.str.replace(_TAGS, "", regex=True).str.strip())


def nested_runs(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Read child runs as folds of their parent runs, and drop the parents' averages."""
    columns = {vocabulary.normalized_name(name): name for name in table.frame}
    id_column, parent_column = columns.get("runid"), _ending(columns, "parentrunid")
    name_column = _ending(columns, "runname") or columns.get("name")
    if not id_column or not parent_column or not name_column or "algorithm" in columns:
        return table, []
    frame = table.frame
    is_child = frame[parent_column].ne("") & frame[name_column].str.fullmatch(vocabulary.FOLD_NAMES, case=False)
    if not is_child.any() or (frame[parent_column].ne("") & ~is_child).any():
        return table, []
    names = frame.set_index(id_column)[name_column]
    names = names[~names.index.duplicated()]
    parents = frame.loc[is_child, parent_column]
    children = frame[is_child].assign(algorithm=parents.map(names).fillna(parents))
    children = children.assign(fold=children[name_column]).drop(columns=[name_column, parent_column])
    note = message("nested runs", runs=len(children), groups=int(parents.nunique()))
    return replace(table, frame=children), [note]


def _ending(columns: dict[str, str], end: str) -> str:
    return next((name for text, name in columns.items() if text.endswith(end)), "")


def without_summary_rows(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Message]]:
    """Drop trailing rows that hold averages or ranks, with a note."""
    last = len(frame)
    cells = frame.iloc[:, 0].to_list()
    while last and vocabulary.names_summary(re.sub(r"\W+", "", cells[last - 1])):
        last -= 1
    if last in (0, len(frame)):
        return frame, []
    return frame[:last], [message("rows that sum up", names=tuple(cells[last:]))]


def split_test_rows(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Keep the results on test data if a column separates test from training data."""
    for name in table.frame.columns:
        cells = table.frame[name].to_list()
        values = {cell.lower() for cell in set(cells)}
        if "test" not in values or not values <= vocabulary.WORDS["kinds of data"]:
            continue
        if len(values) > 1 or is_listed(name, "parts"):
            frame = table.frame[[cell.lower() == "test" for cell in cells]].drop(columns=name)
            n_dropped = len(table.frame) - len(frame)
            notes = [message("only test rows", column=name, left=n_dropped)] if n_dropped else []
            return replace(table, frame=frame), notes
    return table, []
