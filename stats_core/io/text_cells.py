"""Text cells: numbers, Unicode characters, and rearrangement of cells, headers and rows."""

import ast
import json
import operator
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import Problem
from stats_core.core.formatting import BLANKS, MINUS, UNSEEN, join_names, without_controls
from stats_core.core.messages import Message, message
from stats_core.data import row_checks
from stats_core.data.predictions import EMPTY, distinct_names
from stats_core.io import vocabulary
from stats_core.io.problems import current_limits, data_error, problem_of

# texts that mark a failed run
_FAILED = (
    *("failed", "fail", "failure", "error", "crash", "crashed", "exception", "diverged", "dnf"),
    *("timeout", "timed out", "time out", "oom", "out of memory", "memout"),
)
ABSENT = (*EMPTY, *_FAILED, "n/a", "-", "--", "---", "\u2013", "\u2014", "?", "*")
_ABSENT = frozenset(ABSENT)
_SHORT = 500  # rows
_DIGITS_OF_FLOATS = 15  # significant decimal digits that every float holds
_MOST_KINDS = 100  # spellings of kinds of data, or of marks, in a column
_SPREAD = re.compile(r"(?<=[0-9])\s*+(\u00b1|\+/?-|\()(?s:.*)")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?%?")
_DECIMAL_POINT = re.compile(r"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?%?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")

Coded = tuple[
    np.ndarray, list[str]
]  # for each cell the position of its text, and the distinct texts
# numbers (NaN if missing), mask of empty cells, and whether any cell has a percent sign
_Parsed = tuple[np.ndarray, np.ndarray, bool]


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
    roles : dict of column to role
        Roles that the structure of a data frame sets; {} for files.
    """

    name: str
    frame: pd.DataFrame
    notes: tuple[Message, ...] = ()
    decimal_comma: bool = False
    title: str = ""
    lines: dict[int, int] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    _parsed: dict[str, _Parsed] = field(
        default_factory=dict, init=False, repr=False
    )  # columns parsed so far
    codes: dict[str, Coded] = field(
        default_factory=dict, init=False, repr=False
    )  # columns whose texts are numbered
    _numbers: dict[str, pd.Series | None] = field(
        default_factory=dict, init=False, repr=False
    )  # see numbers_of
    profiles: dict[str, Any] = field(
        default_factory=dict, init=False, repr=False
    )  # facts of columns known so far
    layouts: list[tuple] = field(
        default_factory=list, init=False, repr=False
    )  # settings and their hypotheses so far


def to_numbers(table: TextTable, column: str) -> tuple[pd.Series, list[Problem], bool]:
    """Return a column as numbers, NaN for other cells, its problems, and whether any cell has a percent sign."""
    numbers, is_missing, percent = _parsed(table, column)
    faults = {"not a number": np.isnan(numbers) & ~is_missing, "infinite": np.isinf(numbers)}
    if percent:
        is_signed = table.frame[column].str.endswith("%").to_numpy(dtype=bool)
        unsigned = ~is_missing & ~faults["not a number"] & ~is_signed
        faults = {"not a number": faults["not a number"], "some percent signs": unsigned, **faults}
    problems = []
    for code, mask in faults.items():
        if mask.any():
            first = int(mask.argmax())
            values = {"text": table.frame[column].iloc[first], "n": int(mask.sum())}
            problems.append(
                problem_of(code, table.name, int(table.frame.index[first]), column, **values)
            )
    return pd.Series(numbers, index=table.frame.index, name=column), problems, percent


def numbers_of(table: TextTable, column: str) -> pd.Series | None:
    """Return a column as numbers, "0.9 +- 0.1" as 0.9; None if fewer than half of its filled cells are numbers."""
    if column not in table._numbers:
        table._numbers[column] = _numbers_of(table, column)
    return table._numbers[column]


def _numbers_of(table: TextTable, column: str) -> pd.Series | None:
    numbers, empty, _ = _parsed(table, column)
    if not _mostly_numbers(numbers, empty):
        codes, texts = coded(table, column)
        stripped = [_SPREAD.sub("", text) for text in texts]
        if stripped == texts:
            return None
        numbers, empty = (part[codes] for part in _parse(stripped, table.decimal_comma)[:2])
        if not _mostly_numbers(numbers, empty):
            return None
    return pd.Series(numbers, index=table.frame.index, name=column)


def times_of(texts: pd.Series) -> pd.Series | None:
    """Return numbers or ISO dates as numbers that increase with time, None if a cell is neither.

    Examples
    --------
    >>> times_of(pd.Series(["2026-01-02", "2026-01-01"])).diff().iloc[-1] < 0, times_of(pd.Series(["1", "x"]))
    (np.True_, None)
    """
    numbers = pd.to_numeric(texts, errors="coerce").astype(float)
    if numbers.isna().any():
        dates = pd.to_datetime(texts, errors="coerce", format="ISO8601", utc=True)
        numbers = (dates - pd.Timestamp(0, tz="UTC")).dt.total_seconds()
    return None if numbers.isna().any() else numbers


def _mostly_numbers(numbers: np.ndarray, empty: np.ndarray) -> bool:
    """Return whether at least half of the nonempty cells hold numbers; False without such cells."""
    filled = len(empty) - int(empty.sum())
    return filled > 0 and int((~np.isnan(numbers)).sum()) >= 0.5 * filled


def _parsed(table: TextTable, column: str) -> _Parsed:
    """Return the parsed column, cached; true and false are 1 and 0 in a column of scores."""
    if column not in table._parsed:
        codes, texts = coded(table, column)
        is_outcome = vocabulary.is_listed(column, "scores")
        is_outcome |= vocabulary.mentions(column, "right answers")
        if is_outcome and {text.lower() for text in texts} - {""} == {"true", "false"}:
            texts = [{"true": "1", "false": "0", "": ""}[text.lower()] for text in texts]
        numbers, empty, percent = _parse(texts, table.decimal_comma)
        table._parsed[column] = numbers[codes], empty[codes], percent
    return table._parsed[column]


def coded(table: TextTable, column: str) -> Coded:
    """Return the distinct texts of a column and their positions, cached in the table."""
    if column not in table.codes:
        table.codes[column] = _distinct(table.frame[column])
    return table.codes[column]


def _distinct(texts: pd.Series) -> Coded:
    """Return the position of each text among the distinct ones, and these; plain Python is faster for short columns."""
    if len(texts) > _SHORT:
        codes, distinct = pd.factorize(texts)
        return codes, distinct.tolist()
    places: dict[str, int] = {}
    codes = np.array(
        [places.setdefault(text, len(places)) for text in texts.to_list()], dtype=np.intp
    )
    return codes, list(places)


def _parse(texts: list[str], decimal_comma: bool) -> _Parsed:
    """Return the numbers of texts (NaN for others), a mask of empty ones, and whether any has a percent sign."""
    texts = [text.replace(",", ".") for text in texts] if decimal_comma else texts
    numbers = pd.to_numeric(np.array(texts, dtype=object), errors="coerce").astype(float)
    empty = np.isnan(numbers)
    others = empty.nonzero()[0].tolist()
    if percent := any(texts[i].endswith("%") for i in others):
        texts = [text.rstrip("%").strip() for text in texts]
        numbers = pd.to_numeric(np.array(texts, dtype=object), errors="coerce").astype(float)
    empty[others] = [texts[i].lower() in _ABSENT for i in others]
    return numbers, empty, percent


def marks_of(texts: pd.Series) -> pd.Series | None:
    """Return marks such as "correct" and "wrong" as 1 and 0, NaN for empty cells; None for other texts or one kind.

    Examples
    --------
    >>> marks_of(pd.Series(["pass", "fail", ""])).tolist()
    [1.0, 0.0, nan]
    """
    places, distinct = _distinct(texts)
    if not are_marks(distinct):
        return None
    right = vocabulary.WORDS["marks of right answers"]
    values = [
        float(text.lower().removesuffix(".0") in right) if text else np.nan for text in distinct
    ]
    return pd.Series(np.array(values)[places], index=texts.index)


def _is_plain_number(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text))


def are_marks(texts: Sequence[str]) -> bool:
    """Return whether distinct texts are right and wrong answers, or empty."""
    right, wrong = (vocabulary.WORDS[f"marks of {kind} answers"] for kind in ("right", "wrong"))
    if len(texts) > _MOST_KINDS:
        return False
    cells = {text.lower().removesuffix(".0") for text in texts}
    return not (cells.isdisjoint(right) or cells.isdisjoint(wrong)) and cells <= {
        *right,
        *wrong,
        "",
    }


def without_spread(table: TextTable, columns: list[str]) -> tuple[TextTable, int]:
    """Return the table with "0.93 +- 0.02" and "0.93 (2)" as "0.93" in `columns`, and the number of such cells."""
    frame, n = table.frame.copy(), 0
    for column in columns:
        cells = frame[column].to_list()
        stripped = [_SPREAD.sub("", cell) for cell in cells]
        if stripped != cells:
            n += sum(map(operator.ne, stripped, cells))
            frame[column] = pd.Series(stripped, index=frame.index, dtype=str)
    return (replace(table, frame=frame) if n else table), n


def uses_decimal_comma(frame: pd.DataFrame) -> bool:
    """Return whether any number in the first 2000 rows has a decimal comma, and none a decimal point."""
    head = frame.head(2000)
    cells = [cell for name in head.columns for cell in head[name].to_list()]
    cells = [_SPREAD.sub("", cell) if "\u00b1" in cell else cell for cell in cells]
    if not any(_DECIMAL_COMMA.fullmatch(cell) for cell in cells if "," in cell):
        return False
    return not any(map(_DECIMAL_POINT.fullmatch, cells))


def check_thousands(name: str, frame: pd.DataFrame) -> None:
    """Raise DataError if all decimal commas may be thousands separators as well."""
    cells = (
        (line, column, _SPREAD.sub("", cell))
        for column in frame
        for line, cell in frame[column].items()
    )
    with_comma = [located for located in cells if _DECIMAL_COMMA.fullmatch(located[2])]
    if all(_THOUSANDS.fullmatch(text) for *_, text in with_comma):
        line, column, text = with_comma[0]
        values = {"text": text, "decimal": text.replace(",", "."), "whole": text.replace(",", "")}
        raise data_error("thousands or decimals", name, int(line), column, **values)


_ODD_LETTERS = frozenset(map(chr, (*UNSEEN, *BLANKS)))
# a number as Foldwise prints it: a true minus, thin blanks between thousands, a power of ten
_PRINTED = re.compile(
    r"([-+\u2212]?)(\d{1,3}(?:[\u2009\u202f]\d{3})+|\d*+)((?:[.,]\d+)?)"
    r"(?:\s?\u00d7\s?10([\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]++))?"
    r"((?s:\s*+(?:[%*\u00b1(\[\u2020\u2021].*|\+/?-.*)?))"
)
_PRINTED_LETTERS = frozenset("\u2212\u2009\u202f\u00d7")
_LOWERED = str.maketrans(
    "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "-0123456789"
)


def has_odd_letters(texts: Iterable[str]) -> bool:
    """Return whether texts hold invisible characters, unusual blanks or typographic numbers."""
    joined = "".join(texts)
    if joined.isprintable() and joined.isascii():
        return False
    letters = set(joined)
    return not (_ODD_LETTERS.isdisjoint(letters) and _PRINTED_LETTERS.isdisjoint(letters))


def typed_number(text: str) -> str:
    """Return a number in typographic form as programs write it, any other text unchanged.

    Examples
    --------
    >>> typed_number("\u22120.51"), typed_number("1.23\u00d710\u207b\u2075")
    ('-0.51', '1.23e-5')
    >>> typed_number("model \u22121")
    'model −1'
    """
    if _PRINTED_LETTERS.isdisjoint(text) or not (match := _PRINTED.fullmatch(text)):
        return text
    sign, whole, fraction, power, rest = match.groups()
    if not whole and not fraction:
        return text
    whole = whole.replace("\u2009", "").replace("\u202f", "")
    exponent = f"e{power.translate(_LOWERED)}" if power else ""
    return f"{sign.replace(MINUS, '-')}{whole}{fraction}{exponent}{rest}"


def remove_invisible(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Message]]:
    """Return a table of texts with visible characters, plain blanks and numbers, and notes."""
    odd = [name for name in frame if has_odd_letters(distinct_names(frame[name]))]
    if not odd:
        return frame, []
    frame, affected = frame.copy(), list[str]()
    for name in odd:
        texts = distinct_names(frame[name])
        plain = {text: without_controls(typed_number(text.strip())).strip() for text in texts}
        unseen = [text for text in texts if not UNSEEN.keys().isdisjoint(map(ord, text))]
        affected += frame[name][frame[name].isin(unseen)].to_list() if unseen else []
        is_coded = isinstance(frame[name].dtype, pd.CategoricalDtype)
        frame[name] = frame[name].astype(object if is_coded else frame[name].dtype).map(plain)
    if not affected:
        return frame, []
    letter = next(f"U+{ord(c):04X}" for c in affected[0] if ord(c) in UNSEEN)
    name = without_controls(affected[0])
    return frame, [message("invisible letters", cells=len(affected), letter=letter, name=name)]


def visible_text(text: str) -> str:
    """Return a text on one line without invisible characters and surrogates."""
    visible = without_controls(text).encode("utf-8", "replace").decode()
    return " ".join(visible.split())


def lost_digits(table: TextTable, columns: Sequence[str]) -> list[Message]:
    """Return a note on values of columns whose digits a float cannot hold, [] if there are none.

    These are whole numbers that change, and different numbers that become equal. Only texts long
    enough for that are looked at.
    """
    of_float: dict[float, tuple[Decimal, str, str]] = {}
    lost: dict[str, tuple[str, str]] = {}
    for column in columns:
        for text in coded(table, column)[1]:
            if len(text) <= _DIGITS_OF_FLOATS:
                continue
            typed = text.rstrip("%").strip()
            typed = typed.replace(",", ".") if table.decimal_comma else typed
            with suppress(ValueError, InvalidOperation):
                number, exact = float(typed), Decimal(typed)
                first, first_text, first_column = of_float.setdefault(number, (exact, text, column))
                if not isfinite(number):
                    continue
                if exact == exact.to_integral_value() and exact != Decimal(number):
                    lost[text] = column, repr(number)
                elif first != exact:
                    lost |= {first_text: (first_column, repr(number)), text: (column, repr(number))}
    if not lost:
        return []
    text, (column, read) = next(iter(lost.items()))
    return [message("digits lost", n=len(lost), text=text, column=column, read=read)]


_LIST = re.compile(r"[\[(][-+0-9.eE,;\s]++[\])]")
_MOST = 1000  # values in a cell; longer lists are predictions or curves, not folds
_MOST_REPEATED = 10  # cells of other columns that are repeated for each value of a list, uncounted


def spread_cells(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the table with lists in cells as one row per fold and dicts in cells as columns, and notes.

    Lists remain if their lengths differ, if the table names folds, or if all are costs or settings.
    """
    table, notes = _with_columns(table)
    listed = [name for name in table.frame if _LIST.fullmatch(coded(table, name)[1][0])]
    if len(table.frame) > 1:  # the same list in every row is a setting
        listed = [name for name in listed if len(coded(table, name)[1]) > 1]
    lists = {name: values for name in listed if (values := _lists(table.frame[name]))}
    lengths = {len(row) for values in lists.values() for row in values}
    if len(lengths) != 1 or "fold" in map(vocabulary.normalized_name, table.frame):
        return table, notes
    if all(vocabulary.known_cost(name) or vocabulary.is_setting(name) for name in lists):
        return table, notes  # call times or layer sizes
    (size,) = lengths
    n_values = len(lists) * size * len(table.frame)
    if (n_cells := table.frame.size * size) > _MOST_REPEATED * n_values:
        current_limits().check_built(table.name, n_cells, n_values)
    summary_columns = [
        n for n in table.frame if n not in lists and vocabulary.mentions(n, "summaries of cells")
    ]
    frame = table.frame.drop(columns=summary_columns).loc[table.frame.index.repeat(size)].copy()
    for name, values in lists.items():
        frame[name] = [value for row in values for value in row]
    frame["fold"] = [str(i + 1) for _ in range(len(table.frame)) for i in range(size)]
    lines = {i: int(line) for i, line in enumerate(frame.index, 2)}
    frame.index = pd.Index(list(lines))
    note = message("scores in one cell", columns=tuple(lists), n=size)
    return replace(table, frame=frame, lines=lines), [*notes, note]


_GRADES = {"C": "1", "P": "0.5", "I": "0", "N": "0", "": ""}  # of Inspect


def read_grades(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the table with grades (C, P, I, N) in columns of scores as numbers that are better if higher, and notes."""
    names = [name for name in table.frame if vocabulary.words_of(name)[:1] == ("score",)]
    graded = [name for name in names if {"C", "I"} <= set(table.frame[name]) <= _GRADES.keys()]
    if not graded:
        return table, []
    numbers = {name: table.frame[name].map(_GRADES) for name in graded}
    scorers = {name: f"{name[5:].strip(' _.') or name} (higher is better)" for name in graded}
    frame = table.frame.assign(**numbers).rename(columns=scorers)
    return replace(table, frame=frame), [message("grades read", columns=tuple(graded))]


def _lists(texts: pd.Series) -> list[list[str]]:
    """Return the numbers listed in each cell, as texts; [] unless every cell lists 2 to 1000."""
    cells = texts.to_list()
    if not all(map(_LIST.fullmatch, cells)):
        return []
    values = [re.split(r"[\s,;]+", cell.strip("[](),; \n\t")) for cell in cells]
    return values if all(1 < len(row) <= _MOST for row in values) else []


def _with_columns(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the table with cells such as {"lr": 0.1, "seed": 3} as one column per key, and notes, [] if unchanged."""
    frame, expanded = table.frame, []
    for name in table.frame:
        distinct = coded(table, name)[1]
        if next(filter(None, distinct), "")[:1] != "{":
            continue
        cells = frame[name].to_list()
        if not any(cells) or not all(
            cell[0] + cell[-1] == "{}" and ":" in cell for cell in cells if cell
        ):
            continue
        parsed = [_named_values(cell) for cell in cells]
        if any(values is None for values in parsed) or re.fullmatch(
            r"params|.+[_.\s]config", name, re.IGNORECASE
        ):
            continue  # the settings of a candidate, which cv_results_ identifies by the complete cell
        n_keys = len({key for values in parsed for key in values or ()})
        current_limits().check_built(
            table.name, n_keys * len(parsed), sum(len(values or ()) for values in parsed)
        )
        columns = pd.DataFrame(parsed, index=frame.index).fillna("").astype(str)
        columns.columns = [f"{name}.{key}" for key in columns]
        if set(columns) & set(frame):
            continue
        frame = pd.concat([frame.drop(columns=name), columns], axis=1)
        expanded.append(name)
    notes = [message("named values in one cell", columns=tuple(expanded))] if expanded else []
    return (replace(table, frame=frame), notes) if expanded else (table, [])


def _named_values(text: str) -> dict[str, Any] | None:
    """Return the scalars of a JSON or Python dict as texts, without keys like "_x"; {} for "", None for other texts."""
    if not text:
        return {}
    for parse in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            if isinstance(parsed := parse(text), dict):
                plain = {
                    str(key): value
                    for key, value in parsed.items()
                    if not isinstance(value, (dict, list, tuple))
                }
                return {
                    k: "" if v is None else str(v)
                    for k, v in plain.items()
                    if not k.startswith("_")
                }
    return None


def spread_measures(table: TextTable, roles: Mapping[str, str]) -> tuple[TextTable, list[Message]]:
    """Return a table whose rows name a measure and its value with one column per measure instead, and a note.

    Return any other table unchanged, and []. Raise DataError for two rows of the same keys and
    measure.
    """
    frame = table.frame
    free = [n for n in frame if roles.get(n, "") in ("", "ignore")]
    listed = [n for n in free if vocabulary.is_listed(n, "names of measures")]
    names = listed or [n for n in free if 1 < len(coded(table, n)[1]) <= _MOST_MEASURES]
    names = [n for n in names if _name_measures(coded(table, n)[1], 0.5 if n in listed else 1)]
    if not names:
        return table, []
    numeric = [n for n in frame if n not in names and numbers_of(table, n) is not None]
    values = [n for n in numeric if vocabulary.is_listed(n, "values of measures")]
    values = values or [
        n for n in numeric if not (_may_be_key(table, n) or vocabulary.direction_of(n))
    ]
    if not values or (not listed and len(values) > 1):
        return table, []
    name, value = names[0], values[0]
    measures = list(frame[name].unique())
    is_keyed = len(measures) > 1 or bool({"algorithm", "dataset"} & set(roles.values()))
    if not is_keyed or set(measures) & set(frame.columns):
        return table, []
    keys = [c for c in frame.columns if c not in (name, value) and _may_be_key(table, c)]
    if not keys or (len(measures) > 1 and not frame.duplicated(keys).any()):
        return table, []  # each row has only one measure, as in the OpenML AutoML benchmark
    n_rows = int((~frame.duplicated(keys)).sum())
    current_limits().check_built(table.name, n_rows * len(measures), len(frame))
    repeated = frame.duplicated([*keys, name], keep=False)
    if repeated.any():
        line = int(repeated.idxmax())
        row = ", ".join(frame.loc[line, [*keys, name]])
        raise data_error("repeated measure", table.name, line, n=int(repeated.sum()), row=row)
    pivoted = frame.drop_duplicates(keys).drop(columns=[name, value])
    labels = frame.groupby(keys, sort=False).ngroup()
    for kind in measures:
        rows = frame[name] == kind
        column = frame.loc[rows, value].set_axis(labels[rows])
        pivoted[kind] = labels[pivoted.index].map(column).fillna("")
    return replace(table, frame=pivoted), [message("one value per row", measure=name, value=value)]


_MOST_MEASURES = 20  # named in a column whose own name is unusual


def _name_measures(cells: Sequence[str], share: float) -> bool:
    """Return whether no cell is empty, and at least a share of the cells name measures or costs."""
    enough = share * len(cells)
    if not all(cells) or (
        share == 1 and not (vocabulary.direction_of(cells[0]) or vocabulary.known_cost(cells[0]))
    ):
        return False
    return (
        sum(bool(vocabulary.direction_of(cell) or vocabulary.known_cost(cell)) for cell in cells)
        >= enough
    )


def _may_be_key(table: TextTable, column: str) -> bool:
    """Return whether a column may identify rows: texts or whole numbers."""
    numbers = numbers_of(table, column)
    return numbers is None or bool((numbers.dropna() % 1 == 0).all())


_NUMBER = re.compile(
    r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?(?:\s*+%)?(?:\s*+(?:\u00b1|\+/?-|\().*)?"
)


def one_header(frame: pd.DataFrame) -> tuple[pd.DataFrame, list]:
    """Return the table with two header rows merged into one, and a note; a table with one is unchanged, with [].

    Group names are put before column names only if these are incomplete or repeat.

    Examples
    --------
    >>> rows = [["", "rf", "", "svm", ""], ["set", "acc", "f1", "acc", "f1"], ["a", "1", "2", "3", "4"]]
    >>> list(one_header(pd.DataFrame(rows))[0].iloc[0])
    ['set', 'rf | acc', 'rf | f1', 'svm | acc', 'svm | f1']
    """
    if len(frame) < 3 or frame.shape[1] < 3 or not _is_double(frame.head(6).astype(object)):
        return frame, []
    groups, names, body = list(frame.iloc[0]), list(frame.iloc[1]), frame.iloc[2:]
    first_row = body.iloc[0]
    # pandas writes the index name on a separate line
    if first_row.iloc[0] and (first_row.iloc[1:] == "").all():
        names[0], body = names[0] or str(first_row.iloc[0]), body.iloc[1:]
    if len(set(names)) < len(names) or "" in names:
        pairs = zip(_filled(groups), names, strict=True)
        names = [
            f"{group} | {name}" if group and name and group != name else name or group
            for group, name in pairs
        ]
    header = pd.DataFrame([names], columns=frame.columns, index=[frame.index[1]])
    return pd.concat([header, body]), [message("two header rows")]


def _is_double(frame: pd.DataFrame) -> bool:
    """Return whether the header has two rows: group names and column names."""
    groups, names = list(frame.iloc[0]), list(frame.iloc[1])
    start = next((i for i, text in enumerate(groups) if text), len(groups))
    has_spans = "" in groups[start:] or len(set(groups[start:])) < len(groups[start:])
    if not has_spans or names.count("") > 2 or any(map(_is_number, groups)):
        return False
    if any(map(_is_number, names)) and not _number_the_columns(groups, names, frame.iloc[2:6]):
        return False
    return any(
        2 * sum(map(_is_number, row)) >= len(row) - 2 > 0 for row in frame.iloc[2:5].to_numpy()
    )


def _number_the_columns(groups: list[str], names: list[str], body: pd.DataFrame) -> bool:
    """Return whether whole numbers in `names`, with the groups, tell apart columns that mostly hold fractions."""
    pairs = [pair for pair in zip(_filled(groups), names, strict=True) if pair[1]]
    numbers = [name for _, name in pairs if _is_number(name)]
    if len(set(pairs)) < len(pairs) or len(set(numbers)) == len(numbers) < len(pairs):
        return False
    if not all(text.isdigit() for text in numbers) or len(numbers) < len(pairs) - 2:
        return False
    cells = [text for row in body.to_numpy() for text in row if _is_number(text)]
    return sum(not text.isdigit() for text in cells) > 0.5 * len(cells)


def _filled(groups: list[str]) -> list[str]:
    """Return group names with the first cell of each group repeated over its columns; "" before the first group."""
    filled: list[str] = []
    for text in groups:
        filled.append(text or (filled[-1] if filled else ""))
    return filled


def names_only(cells: list[str]) -> bool:
    """Return whether no cell of a row is a number."""
    return not any(map(_is_number, cells))


def _is_number(text: str) -> bool:
    return bool(text) and text.lower() not in ABSENT and bool(_NUMBER.fullmatch(text))


def nested_runs(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the table with child runs as folds of their parents, and a note; unchanged, with [], if none are nested.

    Runs without a parent are left out. The algorithm is the name of the parent, or its ID if it is
    not in the table.
    """
    frame, columns = table.frame, {vocabulary.normalized_name(name): name for name in table.frame}
    ends = ("parentrunid", "runname")
    parent_column, name_column = (
        next((n for text, n in columns.items() if text.endswith(end)), "") for end in ends
    )
    id_column = columns.get("runid")
    if not id_column or not parent_column or not name_column or "algorithm" in columns:
        return table, []
    is_child = frame[parent_column].ne("")
    if not frame.loc[is_child, name_column].str.fullmatch(vocabulary.FOLD_NAMES, case=False).all():
        return table, []
    names = frame.set_index(id_column)[name_column]
    names = names[~names.index.duplicated()]
    parents = frame.loc[is_child, parent_column]
    children = frame[is_child].assign(algorithm=parents.map(names).fillna(parents))
    children = children.assign(fold=children[name_column]).drop(
        columns=[name_column, parent_column]
    )
    note = message("nested runs", runs=len(children), groups=int(parents.nunique()))
    return replace(table, frame=children), [note]


PINBALL = "pinball_loss"


def pinball_losses(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the table with the pinball loss of each instance instead of its predicted quantiles, and a note.

    The loss of prediction q of the quantile at level p is max(p (y - q), (p - 1)(y - q)), averaged
    over the levels. The table is unchanged, with [], without columns of levels, true and predicted
    numbers. Raises DataError if an instance lacks a level.

    References
    ----------
    Koenker and Bassett, Econometrica 46 (1978) 33.
    """
    frame, columns = table.frame, {vocabulary.role_in_name(name): name for name in table.frame}
    level_column = next(
        (name for name in frame if vocabulary.is_listed(name, "levels of quantiles")), ""
    )
    names = (level_column, columns.get("true", ""), columns.get("predicted", ""))
    numbers = [numbers_of(table, name) for name in names if name]
    parts = [part.to_numpy() for part in numbers if part is not None]
    if len(parts) < 3 or not ((parts[0] > 0) & (parts[0] < 1)).all() or np.isnan(parts[1:]).any():
        return table, []
    level, true, predicted = parts
    keys = [name for name in frame if name not in names]
    losses = frame[keys].assign(
        loss=np.maximum(level * (true - predicted), (level - 1) * (true - predicted))
    )
    groups = losses.assign(level=level, line=frame.index).groupby(keys, sort=False)
    levels = tuple(np.unique(level).tolist())
    if not (groups["level"].nunique() == len(levels)).all() or (groups.size() != len(levels)).any():
        texts = {"levels": join_names([f"{p:g}" for p in levels])}
        raise data_error("quantiles differ", table.name, None, level_column, **texts)
    means = (
        groups.agg(**{PINBALL: ("loss", "mean"), "line": ("line", "min")})
        .reset_index()
        .set_index("line")
    )
    means = means.rename_axis(None).assign(**{PINBALL: means[PINBALL].map(repr)})
    return replace(table, frame=means, decimal_comma=False), [
        message("pinball losses", levels=levels)
    ]


def filled_down(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Message]]:
    """Return the table with names repeated in the empty cells below them, and a note.

    The first column must hold a name in the first row and in every k-th row after it, and nothing
    between. Irregular gaps are missing names.

    Examples
    --------
    >>> table = pd.DataFrame({"set": ["a", "", "b", ""], "model": list("xyxy"), "auc": list("1234")})
    >>> filled_down(table)[0]["set"].tolist()
    ['a', 'a', 'b', 'b']
    """
    if frame.shape[1] < 3 or not len(frame):
        return frame, []
    first = frame.columns[0]
    texts = frame[first].to_list()
    if not texts[0] or "" not in texts:
        return frame, []
    starts = [position for position, text in enumerate(texts) if text]
    steps = set(np.diff([*starts, len(texts)]).tolist())
    if len(starts) < 2 or len(steps) != 1 or any(map(_is_plain_number, filter(None, texts))):
        return frame, []
    (step,) = steps
    repeated = [texts[position - position % step] for position in range(len(texts))]
    frame = frame.assign(**{str(first): pd.Series(repeated, index=frame.index, dtype=str)})
    return frame, [message("names repeated", columns=(str(first),), n=step)]


_LONGEST_MARK = 12  # characters of a word that marks missing results


def without_marks(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the table with empty cells for the only word among its decimals, and a note.

    If columns of decimals hold the same word and no other, it can only stand for no result.
    """
    words: dict[str, int] = {}
    columns = []
    for name in table.frame:
        numbers, is_missing, _ = _parsed(table, name)
        others = np.isnan(numbers) & ~is_missing
        distinct = table.frame[name][others].nunique()
        if not distinct or (distinct > 1 and not _mostly_numbers(numbers, is_missing)):
            continue
        finite = numbers[np.isfinite(numbers)]
        if len(finite) < 2 or (finite == finite.round()).all():
            continue
        columns.append(name)
        for text, n in table.frame[name][others].value_counts().items():
            words[str(text)] = words.get(str(text), 0) + int(n)
    if len(words) != 1 or len(columns) < 2:
        return table, []
    ((word, n),) = words.items()
    if len(word) > _LONGEST_MARK or any(character.isdigit() for character in word):
        return table, []
    emptied = {name: table.frame[name].where(table.frame[name] != word, "") for name in columns}
    note = message("word for no result", word=word, n=n)
    return replace(table, frame=table.frame.assign(**emptied)), [note]


_MOST_SUMMARIES = 6  # rows at the end of a table


def without_summary_rows(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the table without trailing rows that summarize the others, and a note; unchanged, with [], if none do."""
    frame = table.frame
    last, cells = len(frame), frame.iloc[:, 0].to_list()
    while last and _names_summary_row(cells[last - 1]):
        last -= 1
    fewest = max(2, len(frame) - _MOST_SUMMARIES)
    repeated = {
        cell for cell, n in Counter(cells).items() if cell and n > 1
    }  # labels of results, not of summaries
    tails = [i for i in range(fewest, len(frame)) if repeated.isdisjoint(cells[i:])]
    if last == len(frame) and not tails:
        return table, []
    numbers = {
        name: column.to_numpy()
        for name in frame.columns[1:]
        if (column := numbers_of(table, name)) is not None
    }
    start = min([last, *tails])
    texts, matrix = (
        frame[list(numbers)].iloc[start:].to_numpy(dtype=object),
        np.array(list(numbers.values())).reshape(len(numbers), len(frame)),
    )

    def sums_up(position: int, last: int, *, named: bool = False) -> bool:
        row = texts[position - start]
        is_filled = row != ""
        return _sums_up(
            row[is_filled].tolist(), matrix[is_filled, :last], table.decimal_comma, named=named
        )

    def is_pooled(position: int, last: int) -> bool:
        within = matrix[:, position], matrix[:, :last]
        return _names_pooled_row(cells[position]) and _lies_within(*within)

    are_confirmed = all(
        sums_up(i, last, named=True) or is_pooled(i, last) for i in range(last, len(frame))
    )
    last = last if are_confirmed else len(frame)
    last = next((i for i in tails if sums_up(i, i)), last)
    if last in (0, len(frame)):
        return table, []
    return replace(table, frame=frame[:last]), [
        message("rows that sum up", names=tuple(cells[last:]))
    ]


_COUNT = re.compile(r"\s*\(\s*(?:n\s*=\s*)?[0-9,]+\s*\)\s*$", re.IGNORECASE)


def _names_summary_row(cell: str) -> bool:
    """Return whether the label of a row names a summary, also with a count, as "Overall (37)"."""
    name = re.sub(r"\W+", "", _COUNT.sub("", cell))
    return vocabulary.names_summary(name) or _names_pooled_row(cell)


def _names_pooled_row(cell: str) -> bool:
    """Return whether the label of a row names the results of all rows together."""
    return vocabulary.is_listed(_COUNT.sub("", cell), "rows of all data")


def _lies_within(numbers: np.ndarray, matrix: np.ndarray) -> bool:
    """Return whether each number lies in the range of its row; False without numbers."""
    is_known = ~np.isnan(numbers) & ~np.isnan(matrix).all(axis=1)
    if not is_known.any() or matrix.shape[1] < 2:
        return False
    low, high = np.nanmin(matrix[is_known], axis=1), np.nanmax(matrix[is_known], axis=1)
    return bool(((low <= numbers[is_known]) & (numbers[is_known] <= high)).all())


def _sums_up(cells: list[str], matrix: np.ndarray, decimal_comma: bool, *, named: bool) -> bool:
    """Return whether cells are the means or mean ranks of the rows of a matrix; if named, any statistic of them.

    A row that is named as a summary needs no numbers, such as one of wins and losses.
    """
    numbers = _parse([_SPREAD.sub("", cell) for cell in cells], decimal_comma)[0]
    is_known, k = ~np.isnan(numbers), len(cells)
    if named and not is_known.any():
        return True
    if named:
        numbers, matrix = numbers[is_known], matrix[is_known]
        are_ranks = (
            min(numbers) >= 1 and max(numbers) <= k and abs(numbers.mean() / (k + 1) - 0.5) < 0.05
        )
        return are_ranks or row_checks.is_statistic(numbers, matrix)
    decimals = min((len(cell.replace(",", ".").partition(".")[2]) for cell in cells), default=0)
    if k < 2 or not np.isfinite(numbers).all() or not (decimals or (numbers % 1).any()):
        return False
    if row_checks.is_mean(numbers, matrix):
        return True
    if numbers.min() < 1 or numbers.max() > k:
        return False
    ranks = [pd.DataFrame(sign * matrix).rank().to_numpy() for sign in (1, -1)]
    are_results = (
        (numbers >= np.nanmin(matrix, axis=1)) & (numbers <= np.nanmax(matrix, axis=1))
    ).any()
    if not are_results or decimals > 1:  # two decimals are too exact for a coincidence
        return any(
            (np.abs(numbers - np.nanmean(ranked, axis=1)) < 0.0051).all() for ranked in ranks
        )
    return k > 2 and any(row_checks.is_mean(numbers, ranked) for ranked in ranks)


def split_test_rows(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Return the rows of test data without the column that names the data, and notes; the table and [] without one."""
    for name in table.frame.columns:
        distinct = coded(table, name)[1]
        values = {cell.lower() for cell in distinct[:_MOST_KINDS]}
        if (
            len(distinct) > _MOST_KINDS
            or "test" not in values
            or not values <= vocabulary.WORDS["kinds of data"]
        ):
            continue
        cells = table.frame[name].to_list()
        if len(values) > 1 or vocabulary.is_listed(name, "parts"):
            frame = table.frame[[cell.lower() == "test" for cell in cells]].drop(columns=name)
            n_dropped = len(table.frame) - len(frame)
            notes = [message("only test rows", column=name, left=n_dropped)] if n_dropped else []
            return replace(table, frame=frame), notes
    return table, []
