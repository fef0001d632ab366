"""Text cells: their numbers, invisible characters, and letters that look like others."""

import operator
import re
import unicodedata
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from stats_core.core.errors import Problem
from stats_core.core.messages import Message, message
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
    """Return numbers that seem to mark failed runs: far from all others, which are nonnegative.

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
    """The text cells of a file, indexed by line.

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
        The caption of the table, or the heading above it.
    lines : dict of int to int
        The line of the file for each row, if rows of the file were split.
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
    """Return the problem of some cells, with the first of them."""
    line, more = int(table.frame.index[mask.argmax()]), int(mask.sum()) - 1
    row = None if code == "infinite" else line
    and_more = f" (and {more} more)" if more else ""
    text = table.frame.at[line, column]
    return problem_of(code, table.name, row, column, line=line, text=text, and_more=and_more)


def numbers_of(table: TextTable, column: str) -> pd.Series | None:
    """Return the numbers of a column without spreads, None if the column is not numeric."""
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
        table._parsed[column] = _parse(table.frame[column].to_list(), table.decimal_comma)
    return table._parsed[column]


def _parse(cells: list[str], decimal_comma: bool) -> _Parsed:
    """Parse each distinct text once."""
    position = {text: i for i, text in enumerate(dict.fromkeys(cells))}
    numbers, empty, percent = _parse_texts(list(position), decimal_comma)
    if len(position) == len(cells):
        return numbers, empty, percent
    positions = np.fromiter(map(position.__getitem__, cells), np.intp, len(cells))
    return numbers[positions], empty[positions], percent


def _parse_texts(cells: list[str], decimal_comma: bool) -> _Parsed:
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
    """Strip spreads as in "0.93 +- 0.02" and "0.93 (2)"; return the table and their number."""
    frame, n = table.frame.copy(), 0
    for column in columns:
        cells = frame[column].to_list()
        stripped = [_SPREAD.sub("", cell) for cell in cells]
        if stripped != cells:
            n += sum(map(operator.ne, stripped, cells))
            frame[column] = pd.Series(stripped, index=frame.index, dtype=str)
    return (replace(table, frame=frame) if n else table), n


def uses_decimal_comma(frame: pd.DataFrame) -> bool:
    """Return whether numbers are written with a decimal comma."""
    head = frame.head(2000)
    cells = [cell for name in head.columns for cell in head[name].to_list()]
    if not any(_DECIMAL_COMMA.fullmatch(cell) for cell in cells if "," in cell):
        return False
    return not any(map(_DECIMAL_POINT.fullmatch, cells))


def check_thousands(name: str, frame: pd.DataFrame) -> None:
    """Refuse commas that may separate either decimals or thousands."""
    for column in frame.columns:
        cells = zip(frame.index, frame[column].to_list(), strict=True)
        with_comma = [(row_number, cell) for row_number, cell in cells if _DECIMAL_COMMA.fullmatch(cell)]
        if not all(_THOUSANDS.fullmatch(cell) for _, cell in with_comma):
            return
        if with_comma:
            (line, text), column_name = with_comma[0], column
    values = {"text": text, "decimal": text.replace(",", "."), "whole": text.replace(",", "")}
    raise data_error("thousands or decimals", name, int(line), column_name, **values)


def plain_label(text: str) -> str:
    """Return a label with integers in a common form: "1.0" becomes "1"."""
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
    """Return a table of texts without invisible characters, with plain blanks.

    Examples
    --------
    >>> frame, notes = remove_invisible(pd.DataFrame([["rf", "s\u200bvm"]]))
    >>> frame.iloc[0].tolist()
    ['rf', 'svm']
    >>> print(notes[0])
    Invisible letters were left out of 1 cell, such as U+200B in "svm".
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
    """Return a name with look-alike letters replaced by Latin letters.

    Examples
    --------
    >>> latin_skeleton("ѕvм") == latin_skeleton("svm")
    True
    """
    if name.isascii():
        return name
    return "".join(_LOOKS.get(c, c) for c in unicodedata.normalize("NFKC", name[:1000]))


def odd_letters(name: str, usual: str) -> str:
    """Return a description of the first letter in a name that the other name lacks."""
    odd = next((c for c in name if c not in usual), name[0])
    letter_name = unicodedata.name(odd, "a letter without a name").capitalize()
    return f"the letter {letter_name} (U+{ord(odd):04X})"
