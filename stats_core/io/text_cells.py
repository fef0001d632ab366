"""Text cells: numbers, Unicode characters, and rearrangement of cells, headers and rows."""

import ast
import json
import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import Problem
from stats_core.core.messages import Message, message
from stats_core.io import vocabulary
from stats_core.io.problems import data_error, problem_of

_WHOLE_LABEL = re.compile(r"^([+-]?\d+)\.0+$")


EMPTY = ("", "na", "nan", "none", "null")
# texts that mark a failed run
_FAILED = (
    *("failed", "fail", "failure", "error", "crash", "crashed", "exception", "diverged", "dnf"),
    *("timeout", "timed out", "time out", "oom", "out of memory", "memout"),
)
ABSENT = (*EMPTY, *_FAILED, "n/a", "-", "--", "---", "\u2013", "\u2014", "?", "*")
_ABSENT = frozenset(ABSENT)
_SPREAD = re.compile(r"(?<=[0-9])\s*(\u00b1|\+/?-|\().*$")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?%?")
_DECIMAL_POINT = re.compile(r"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?%?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")


# numbers that many programs use for missing values
_CODES = (-1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0, 999.0, 9999.0, 99999.0, 999999.0)


def failure_codes(values: pd.Series) -> list[float]:
    """Return the codes, such as -1 and -999, that seem to mark failed runs among nonnegative numbers.

    Examples
    --------
    >>> failure_codes(pd.Series([0.9, -1.0, 0.8])), failure_codes(pd.Series([5.0, -1.0, 3.0]))
    ([-1.0], [])
    """
    numbers, codes = values.to_numpy(dtype=float), []
    for code in (code for code in _CODES if (numbers == code).any()):
        others = numbers[(numbers != code) & ~np.isnan(numbers)]
        if len(others) < 2 or others.min() < 0:
            continue
        largest = float(others.max())
        if largest <= 1 if code == -1 else abs(code) > 9 * max(largest, 1.0):
            codes.append(code)
    return codes


@dataclass(frozen=True, kw_only=True, eq=False)
class TextTable:
    """Text cells of a file, indexed by line.

    Attributes
    ----------
    name : str
        Name of the file.
    frame : DataFrame of str
        Trimmed texts under trimmed column names, indexed by line (the header is line 1).
    notes : tuple of Message
        Assumptions made while reading.
    decimal_comma : bool
        Whether numbers are written 0,5.
    title : str
        The caption of the table, or the heading above it; "" if there is none.
    lines : dict of int to int
        The line of the file for each row if rows of the file were split, else empty.
    """

    name: str
    frame: pd.DataFrame
    notes: tuple[Message, ...] = ()
    decimal_comma: bool = False
    title: str = ""
    lines: dict[int, int] = field(default_factory=dict)

    @cached_property
    def _parsed(self) -> dict[str, "_Parsed"]:
        """Cache of the columns parsed so far."""
        return {}


# numbers (NaN if missing), mask of empty cells, and whether any cell has a percent sign
_Parsed = tuple[np.ndarray, np.ndarray, bool]


def to_numbers(table: TextTable, column: str) -> tuple[pd.Series, list[Problem], bool]:
    """Return a column as numbers, its problems, and whether any cell has a percent sign."""
    texts = table.frame[column]
    numbers, is_missing, percent = _parsed(table, column)
    bad = np.isnan(numbers) & ~is_missing
    unsigned = ~is_missing & ~bad & ~texts.str.endswith("%").to_numpy(dtype=bool) if percent else np.zeros(0, bool)
    faults = {"not a number": bad, "some percent signs": unsigned, "infinite": np.isinf(numbers)}
    problems = [_problem(table, column, code, mask) for code, mask in faults.items() if mask.any()]
    return pd.Series(numbers, index=texts.index, name=texts.name), problems, percent


def _problem(table: TextTable, column: str, code: str, mask: np.ndarray) -> Problem:
    """Return a problem of the cells in `mask`, located at the first one."""
    line = int(table.frame.index[mask.argmax()])
    return problem_of(code, table.name, line, column, text=table.frame.at[line, column], n=int(mask.sum()))


def numbers_of(table: TextTable, column: str) -> pd.Series | None:
    """Return a column as numbers, with standard deviations removed from its cells; None if it is not numeric."""
    numbers, empty, _ = _parsed(table, column)
    if not _mostly_numbers(numbers, empty):
        cells = table.frame[column].to_list()
        stripped = [_SPREAD.sub("", cell) for cell in cells]
        if stripped == cells:
            return None
        numbers, empty, _ = _parse(stripped, table.decimal_comma)
        if not _mostly_numbers(numbers, empty):
            return None
    return pd.Series(numbers, index=table.frame.index, name=column)


def _mostly_numbers(numbers: np.ndarray, empty: np.ndarray) -> bool:
    """Return whether at least half of the nonempty cells hold numbers."""
    filled = len(empty) - int(empty.sum())
    return filled > 0 and int((~np.isnan(numbers)).sum()) >= 0.5 * filled


def _parsed(table: TextTable, column: str) -> _Parsed:
    """Return the parsed column, cached in the table."""
    if column not in table._parsed:
        cells = table.frame[column].to_list()
        if vocabulary.is_listed(column, "scores") and {cell.lower() for cell in set(cells)} - {""} == {"true", "false"}:
            cells = [{"true": "1", "false": "0", "": ""}[cell.lower()] for cell in cells]
        table._parsed[column] = _parse(cells, table.decimal_comma)
    return table._parsed[column]


def _parse(cells: list[str], decimal_comma: bool) -> _Parsed:
    """Return numbers, empty cells and percent signs of texts, each distinct text being parsed once."""
    position = {text: i for i, text in enumerate(dict.fromkeys(cells))}
    numbers, empty, percent = _parse_texts(list(position), decimal_comma)
    if len(position) == len(cells):
        return numbers, empty, percent
    positions = np.fromiter(map(position.__getitem__, cells), np.intp, len(cells))
    return numbers[positions], empty[positions], percent


def _parse_texts(cells: list[str], decimal_comma: bool) -> _Parsed:
    """Return the numbers of texts, a mask of empty cells, and whether any text has a percent sign."""
    if decimal_comma:
        cells = [cell.replace(",", ".") for cell in cells]
    percent = any(cell.endswith("%") for cell in cells)
    if percent:
        cells = [cell.rstrip("%").strip() for cell in cells]
    empty = np.fromiter((cell.lower() in _ABSENT for cell in cells), bool, len(cells))
    filled = np.array(cells, dtype=object)
    filled[empty] = None
    return pd.to_numeric(filled, errors="coerce").astype(float), empty, percent


def without_spread(table: TextTable, columns: list[str]) -> tuple[TextTable, int]:
    """Return the table without spreads such as "0.93 +- 0.02" and "0.93 (2)", and the number of cells changed."""
    frame, n = table.frame.copy(), 0
    for column in columns:
        cells = frame[column].to_list()
        stripped = [_SPREAD.sub("", cell) for cell in cells]
        if stripped != cells:
            n += sum(map(operator.ne, stripped, cells))
            frame[column] = pd.Series(stripped, index=frame.index, dtype=str)
    return (replace(table, frame=frame) if n else table), n


def uses_decimal_comma(frame: pd.DataFrame) -> bool:
    """Return whether numbers in the first 2000 rows have a decimal comma, and none a decimal point."""
    head = frame.head(2000)
    cells = [cell for name in head.columns for cell in head[name].to_list()]
    cells = [_SPREAD.sub("", cell) if "\u00b1" in cell else cell for cell in cells]
    if not any(_DECIMAL_COMMA.fullmatch(cell) for cell in cells if "," in cell):
        return False
    return not any(map(_DECIMAL_POINT.fullmatch, cells))


def check_thousands(name: str, frame: pd.DataFrame) -> None:
    """Raise an error if all decimal commas may be thousands separators as well."""
    for column in frame.columns:
        cells = zip(frame.index, [_SPREAD.sub("", cell) for cell in frame[column].to_list()], strict=True)
        with_comma = [(row_number, cell) for row_number, cell in cells if _DECIMAL_COMMA.fullmatch(cell)]
        if not all(_THOUSANDS.fullmatch(cell) for _, cell in with_comma):
            return
        if with_comma:
            (line, text), column_name = with_comma[0], column
    values = {"text": text, "decimal": text.replace(",", "."), "whole": text.replace(",", "")}
    raise data_error("thousands or decimals", name, int(line), column_name, **values)


def plain_label(text: str) -> str:
    """Return a label with integers in a uniform format: "1.0" becomes "1"."""
    return _WHOLE_LABEL.sub(r"\1", text)


# zero width, soft hyphens, direction marks; joiners stay, as some scripts need them
_UNSEEN = dict.fromkeys(
    [0x00AD, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x2065)] + [*range(0x2066, 0x206A), 0xFEFF],
    "",
)
_BLANKS = dict.fromkeys([0x00A0, 0x2007, 0x202F, 0x3000], " ")
_ODD = {**_UNSEEN, **_BLANKS}
_ODD_LETTERS = frozenset(map(chr, _ODD))
# Cyrillic and Greek letters that look like Latin ones
_LOOKS = dict(
    zip(
        "авсԁеһіјӏмпорԛѕтԝхуАВСЕНІЈКМОРЅТХУԌΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυικ",
        "abcdehijlmnopqstwxyABCEHIJKMOPSTXYGABEZHIKMNOPTYXavopuik",
        strict=True,
    )
)


def remove_invisible(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Message]]:
    """Return a table of texts without invisible characters, with plain blanks, and a note if any were removed.

    Examples
    --------
    >>> frame, notes = remove_invisible(pd.DataFrame([["rf", "s\u200bvm"]]))
    >>> frame.iloc[0].tolist()
    ['rf', 'svm']
    >>> print(notes[0])
    Invisible characters were removed from 1 cell. For example, U+200B was removed from "svm".
    """
    cells, example, changed = 0, ("", ""), {}
    for position, (_, texts) in enumerate(frame.items()):
        joined = "".join(texts.to_list())
        if joined.isascii() or _ODD_LETTERS.isdisjoint(joined):
            continue
        visible = texts.str.translate(_ODD)
        differs = visible != texts
        affected = texts[differs & texts.map(lambda text: any(ord(c) in _UNSEEN for c in text))]
        cells += len(affected)
        if len(affected) and not example[0]:
            letter = next(c for c in affected.iloc[0] if ord(c) in _UNSEEN)
            example = (f"U+{ord(letter):04X}", visible[affected.index[0]])
        changed[position] = visible.str.strip()
    if not changed:
        return frame, []
    frame = frame.copy()
    for position, texts in changed.items():
        frame.isetitem(position, texts)
    notes = [message("invisible letters", cells=cells, letter=example[0], name=example[1])]
    return frame, notes if cells else []


def visible_text(text: str) -> str:
    r"""Return a text on one line without invisible characters.

    Examples
    --------
    >>> visible_text(" balanced\u00a0accu\u200bracy\n")
    'balanced accuracy'
    """
    visible = (c for c in text.translate(_ODD) if c.isspace() or unicodedata.category(c) not in ("Cc", "Cs"))
    return " ".join("".join(visible).split())


def latin_skeleton(name: str) -> str:
    """Return a name with look-alike letters replaced by Latin letters, cut after 1000 characters unless it is ASCII.

    Examples
    --------
    >>> latin_skeleton("ѕvм") == latin_skeleton("svm")
    True
    """
    if name.isascii():
        return name
    return "".join(_LOOKS.get(c, c) for c in unicodedata.normalize("NFKC", name[:1000]))


def odd_letters(name: str, usual: str) -> str:
    """Return a description of the first letter in a name that is absent from the usual name, else of its first one."""
    odd = next((c for c in name if c not in usual), name[0])
    letter_name = unicodedata.name(odd, "a letter without a name").capitalize()
    return f"the letter {letter_name} (U+{ord(odd):04X})"


_LIST = re.compile(r"[\[(]\s*[-+0-9.eE,;\s]+[\])]")
_NAMED = re.compile(r"\{.*:.*\}", re.DOTALL)
_MOST = 1000  # values in a cell; longer lists are predictions or curves, not folds


def _is_numeric(table: TextTable, column: str) -> bool:
    """Return whether a column is numeric, apart from empty cells and a few errors."""
    return numbers_of(table, column) is not None


def spread_cells(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the table with lists in cells as rows and mappings in cells as columns, and notes."""
    table, notes = _with_columns(table)
    lists = {name: values for name in table.frame if (values := _lists(table.frame[name]))}
    if all(vocabulary.known_cost(name) or vocabulary.is_setting(name) for name in lists):
        return table, notes  # no lists, or lists of call times or layer sizes
    lengths = {len(row) for values in lists.values() for row in values}
    if len(lengths) > 1 or "fold" in map(vocabulary.normalized_name, table.frame):
        return table, notes
    (size,) = lengths
    summary_columns = [n for n in table.frame if n not in lists and vocabulary.mentions(n, "summaries of cells")]
    frame = table.frame.drop(columns=summary_columns).loc[table.frame.index.repeat(size)].copy()
    for name, values in lists.items():
        frame[name] = [value for row in values for value in row]
    frame["fold"] = [str(i + 1) for _ in range(len(table.frame)) for i in range(size)]
    lines = {i: int(line) for i, line in enumerate(frame.index, 2)}
    frame.index = pd.Index(list(lines))
    note = message("scores in one cell", columns=tuple(lists), n=size)
    return replace(table, frame=frame, lines=lines), [*notes, note]


def _lists(texts: pd.Series) -> list[list[str]]:
    """Return the numbers listed in each cell; [] unless every cell lists two or more."""
    cells = texts.to_list()
    if not cells or not all(_LIST.fullmatch(cell) for cell in cells):
        return []
    values = [re.split(r"[\s,;]+", cell.strip("[]() \n\t")) for cell in cells]
    values = [[value for value in row if value] for row in values]
    return values if all(1 < len(row) <= _MOST for row in values) else []


def _with_columns(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the table with cells such as {"lr": 0.1, "seed": 3} as one column per key, and notes."""
    frame, expanded = table.frame, []
    for name in table.frame:
        cells = frame[name].to_list()
        if not any(cells) or not all(_NAMED.fullmatch(cell) for cell in cells if cell):
            continue
        parsed = [_named_values(cell) for cell in cells]
        if any(values is None for values in parsed) or re.fullmatch(r"params|.+[_.\s]config", name, re.IGNORECASE):
            continue  # the settings of a candidate, which cv_results_ identifies by the complete cell
        columns = pd.DataFrame(parsed, index=frame.index).fillna("").astype(str)
        columns.columns = [f"{name}.{key}" for key in columns]
        if set(columns) & set(frame):
            continue
        frame = pd.concat([frame.drop(columns=name), columns], axis=1)
        expanded.append(name)
    notes = [message("named values in one cell", columns=tuple(expanded))] if expanded else []
    return (replace(table, frame=frame), notes) if expanded else (table, [])


def _named_values(text: str) -> dict[str, Any] | None:
    """Return the plain values of a JSON or Python dict as texts, without private keys; {} for "", None for others."""
    if not text:
        return {}
    for parse in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            if isinstance(parsed := parse(text), dict):
                plain = {str(key): value for key, value in parsed.items() if not isinstance(value, (dict, list, tuple))}
                return {k: "" if v is None else str(v) for k, v in plain.items() if not k.startswith("_")}
    return None


def spread_measures(table: TextTable, roles: Mapping[str, str]) -> tuple[TextTable, list[Message]]:
    """Return the table with measures as columns, and notes, or unchanged if no column of cells names measures.

    Raise DataError for two rows of the same keys and measure.
    """
    frame = table.frame
    free = [n for n in frame if roles.get(n, "") in ("", "ignore")]
    listed = [n for n in free if vocabulary.is_listed(n, "names of measures")]
    names = listed or [n for n in free if 1 < frame[n].nunique() <= _MOST_MEASURES]
    names = [n for n in names if _name_measures(frame[n].unique(), 0.5 if n in listed else 1)]
    numeric = [n for n in frame if n not in names and _is_numeric(table, n)]
    values = [n for n in numeric if vocabulary.is_listed(n, "values of measures")]
    values = values or [n for n in numeric if not (_may_be_key(table, n) or vocabulary.direction_of(n))]
    if not names or not values or (not listed and len(values) > 1):
        return table, []
    name, value = names[0], values[0]
    measures = list(frame[name].unique())
    is_keyed = len(measures) > 1 or bool({"algorithm", "dataset"} & set(roles.values()))
    if not is_keyed or set(measures) & set(frame.columns):
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


_MOST_MEASURES = 20  # named in a column whose own name is unusual


def _name_measures(cells: Sequence[str], share: float) -> bool:
    """Return whether no cell is empty, and a share of them names measures or costs."""
    measures = [cell for cell in cells if vocabulary.direction_of(cell) or vocabulary.known_cost(cell)]
    return all(cells) and len(measures) >= share * len(cells)


def _may_be_key(table: TextTable, column: str) -> bool:
    """Return whether a column may identify rows: texts or whole numbers."""
    numbers = numbers_of(table, column)
    return numbers is None or bool((numbers.dropna() % 1 == 0).all())


_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?\s*%?(?:\s*(?:\u00b1|\+/?-|\().*)?")
_TAGS = re.compile(r"<(?:a|span)\s[^<>]*>|</(?:a|span)>", re.IGNORECASE)


def one_header(frame: pd.DataFrame) -> tuple[pd.DataFrame, list]:
    """Return the table with two header rows merged, group name before column name, and a note; else unchanged.

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
    """Return whether the header has two rows: group names and column names."""
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
    """Return whether a row of whole numbers distinguishes the columns of groups of fractions."""
    pairs = [pair for pair in zip(_filled(groups), names, strict=True) if pair[1]]
    numbers = [name for _, name in pairs if _is_number(name)]
    if len(set(pairs)) < len(pairs) or len(set(numbers)) == len(numbers) < len(pairs):
        return False
    if not all(text.isdigit() for text in numbers) or len(numbers) < len(pairs) - 2:
        return False
    cells = [text for row in body.to_numpy() for text in row if _is_number(text)]
    return sum(not text.isdigit() for text in cells) > 0.5 * len(cells)


def _filled(groups: list[str]) -> list[str]:
    """Return group names with the first cell of each group repeated over its columns."""
    filled: list[str] = []
    for text in groups:
        filled.append(text or (filled[-1] if filled else ""))
    return filled


def names_only(cells: list[str]) -> bool:
    """Return whether no cell of a row is a number.

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
    """Return the table without HTML link and span tags; unchanged without a link in its first three rows."""
    if not any("<a href=" in cell for name in frame for cell in frame[name].to_list()[:3]):
        return frame
    return frame.apply(lambda column: column.str.replace(_TAGS, "", regex=True).str.strip())


def nested_runs(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the table with child runs as folds of their parent run, without parents, and a note; else unchanged."""
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


_MOST_SUMMARIES = 6  # rows at the end of a table


def without_summary_rows(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the table without trailing rows that summarize the others by numbers or names, and a note."""
    frame = table.frame
    last, cells = len(frame), frame.iloc[:, 0].to_list()
    while last and vocabulary.names_summary(re.sub(r"\W+", "", cells[last - 1])):
        last -= 1
    fewest = max(2, len(frame) - _MOST_SUMMARIES)
    repeated = {cell for cell, n in Counter(cells).items() if cell and n > 1}  # labels of results, not of summaries
    tails = (i for i in range(fewest, len(frame)) if repeated.isdisjoint(cells[i:]))
    last = next((i for i in tails if _sums_up(table, i)), last)
    if last in (0, len(frame)):
        return table, []
    return replace(table, frame=frame[:last]), [message("rows that sum up", names=tuple(cells[last:]))]


def _sums_up(table: TextTable, position: int) -> bool:
    """Return whether each number of a row is the mean of the column above it, or all are the mean ranks."""
    columns = [n for n in table.frame.columns[1:] if table.frame[n].iloc[position] and _is_numeric(table, n)]
    row = [_SPREAD.sub("", table.frame[name].iloc[position]) for name in columns]
    numbers = _parse(row, table.decimal_comma)[0]
    if len(columns) < 2 or np.isnan(numbers).any() or not (numbers % 1).any():
        return False
    above = [numbers_of(table, name) for name in columns]
    matrix = np.array([column.iloc[:position] for column in above if column is not None])
    if is_mean(numbers, matrix):
        return True
    ranks = (pd.DataFrame(sign * matrix).rank().to_numpy() for sign in (1, -1))
    # mean ranks are 1 or more
    return len(columns) > 2 and numbers.min() > 0.9 and any(is_mean(numbers, ranked) for ranked in ranks)


def is_mean(numbers: np.ndarray, matrix: np.ndarray) -> bool:
    """Return whether numbers are the means of the rows of a matrix, too exactly for a coincidence.

    Examples
    --------
    >>> rows = np.array([[0.7, 0.9, 0.953], [0.5, 0.6, np.nan]])
    >>> is_mean(np.array([0.851, 0.55]), rows), is_mean(np.array([0.851, 0.56]), rows)
    (True, False)
    """
    if np.isinf(numbers).any() or np.isinf(matrix).any():
        return False
    known = ~np.isnan(numbers) & ~np.isnan(matrix).all(axis=1)
    numbers, matrix = numbers[known], matrix[known]
    if len(numbers) < 2 or np.ptp(matrix) == 0 or matrix.shape[1] < 2:
        return False
    decimals = next((d for d in range(9) if (np.abs(numbers - numbers.round(d)) <= 1e-10).all()), 9)
    digit = 10.0**-decimals
    if (np.abs(np.nanmean(matrix, axis=1) - numbers) > 0.51 * digit + 1e-9).any():
        return False
    by_chance = np.minimum(1, 0.4 * digit / np.maximum(np.nanstd(matrix, axis=1), 1e-12)).prod()
    return bool(by_chance < 0.001)


def split_test_rows(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the test results, and a note, if a column distinguishes training and test data; else the table."""
    for name in table.frame.columns:
        cells = table.frame[name].to_list()
        values = {cell.lower() for cell in set(cells)}
        if "test" not in values or not values <= vocabulary.WORDS["kinds of data"]:
            continue
        if len(values) > 1 or vocabulary.is_listed(name, "parts"):
            frame = table.frame[[cell.lower() == "test" for cell in cells]].drop(columns=name)
            n_dropped = len(table.frame) - len(frame)
            notes = [message("only test rows", column=name, left=n_dropped)] if n_dropped else []
            return replace(table, frame=frame), notes
    return table, []
