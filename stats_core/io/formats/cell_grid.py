"""Tables from rows of cells, and numbers followed by other text."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pandas as pd

from stats_core.core.errors import DataError, FoldwiseError
from stats_core.core.formatting import lower_first
from stats_core.core.messages import Message, message
from stats_core.io.cell_numbers import ABSENT, TextTable
from stats_core.io.limits import current_limits
from stats_core.io.problems import data_error
from stats_core.io.reshape import names_only
from stats_core.io.text_table import as_table, text_type, wrong_width

Row = tuple[int, list[str]]  # line and cells

MAX_MARKUP = 2_000  # characters of a cell; longer cells are neither names nor numbers
_NUMBER = r"([+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?\s*%?)"
_REST = r"(\s*(?:\u00b1|\+/?-|[(\[]).*|\s*[*\u2020\u2021\u00a7\u00b6#\u2217\u22c6\u2605\u2022]+)"
_WITH_REST = re.compile(f"^{_NUMBER}{_REST}?$", re.DOTALL)
_ARROWS = {"\u2191": "higher is better", "\u2193": "lower is better"}


def table_from_rows(name: str, rows: Sequence[Row], notes: Sequence[Message] = ()) -> TextTable:
    """Return a table of rows of equal width; the first header cell may be missing."""
    if not rows:
        raise data_error("no table in text", name)
    line, header = rows[0]
    if rows[1:] and names_only(rows[1][1]) and len(rows[1][1]) > len(header):
        # a row of groups above a second header
        header = [*header, *[""] * (len(rows[1][1]) - len(header))]
    elif rows[1:] and {len(cells) for _, cells in rows[1:]} == {len(header) + 1}:
        header = ["", *header]
    rows = [
        (line, header),
        *((row_line, _trimmed(cells, len(header))) for row_line, cells in rows[1:]),
    ]
    width = len(header)
    if problems := [
        wrong_width(name, row_line, len(c), width) for row_line, c in rows if len(c) > width
    ]:
        do = "Check the marks between its cells"
        raise DataError([replace(problem, do=do) for problem in problems])
    current_limits().check_size(name, len(rows), width)
    filled = [cells + [""] * (width - len(cells)) for _, cells in rows]
    return as_table(
        name,
        pd.DataFrame(
            filled, index=[row_line for row_line, _ in rows], dtype=text_type(len(filled) * width)
        ),
        notes,
    )


def _trimmed(cells: list[str], width: int) -> list[str]:
    """Drop empty cells beyond the header."""
    end = len(cells)
    while end > width and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


@contextmanager
def open_workbook(name: str, must: str, do: str) -> Iterator[None]:
    """Convert errors of a file library into errors that name the file and the remedy.

    Libraries may raise any exception for broken files.
    """
    try:
        yield
    except FoldwiseError:
        raise
    except ImportError as error:
        package = str(error.name or "").partition(".")[0]
        raise data_error(
            "package missing", name, must=must, package=package, do=lower_first(do)
        ) from None
    except Exception:
        raise data_error("broken file", name, must=must, do=do) from None


def as_written(
    name: str, rows: Sequence[Row], notes: Sequence[Message], clean: Callable[[str], str]
) -> TextTable:
    """Return a table without the markup of papers and web pages.

    Markup is removed; the first of several numbers in a cell is the result; an arrow behind the name
    of a column is its direction.
    """
    plain = [
        (row_line, [clean(c) if len(c) <= MAX_MARKUP else c for c in cells])
        for row_line, cells in rows
    ]
    if plain:
        line, header = plain[0]
        plain[0] = line, [_with_direction(text) for text in header]
    return first_numbers(table_from_rows(name, plain, notes))


def _with_direction(name: str) -> str:
    stripped = name.rstrip(" ()\u2191\u2193")
    directions = {_ARROWS[mark] for mark in name[len(stripped) :] if mark in _ARROWS}
    return f"{stripped} ({directions.pop()})" if stripped and len(directions) == 1 else name


def first_numbers(table: TextTable) -> TextTable:
    """Keep the first number of cells such as "0.93 (2) +1 %" in columns of such cells."""
    frame, n, example = table.frame.copy(), 0, ""
    for position in range(frame.shape[1]):
        texts = frame.iloc[:, position]
        cells = texts.to_list()
        matches = [_WITH_REST.match(cell) for cell in cells]
        remainders = [
            remainder for match in matches if match and (remainder := (match[2] or "").strip())
        ]
        filled = sum(cell.lower() not in ABSENT for cell in cells)
        if not remainders or sum(match is not None for match in matches) < 0.5 * filled:
            continue
        n += len(remainders)
        example = example or remainders[0]
        numbers = [m[1].strip() if m else cell for m, cell in zip(matches, cells, strict=True)]
        frame.isetitem(position, pd.Series(numbers, index=texts.index, dtype=texts.dtype))
    if not n:
        return table
    note = message("first number read", cells=n, example=example[:40])
    return replace(table, frame=frame, notes=(*table.notes, note))
