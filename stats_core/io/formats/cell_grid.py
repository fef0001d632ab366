"""From rows of cells to a table, and numbers that stand with something beside them."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pandas as pd

from stats_core.core.errors import DataError, FoldwiseError
from stats_core.core.formatting import format_count
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.numbers import ABSENT, NumericTable
from stats_core.io.limits import current_limits
from stats_core.io.reshape import names_only
from stats_core.io.text_table import as_table, file_error, text_type, wrong_width

Row = tuple[int, list[str]]  # its line and its cells

MAX_MARKUP = 2_000  # characters of a cell; longer ones are no names and no numbers
_NUMBER = r"([+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?\s*%?)"
_REST = r"(\s*(?:\u00b1|\+/?-|[(\[]).*|\s*[*\u2020\u2021\u00a7\u00b6#\u2217\u22c6\u2605\u2022]+)"
_WITH_REST = re.compile(f"^{_NUMBER}{_REST}?$", re.DOTALL)
_ARROWS = {"\u2191": "higher is better", "\u2193": "lower is better"}


def table_from_rows(name: str, rows: Sequence[Row], notes: Sequence[Message] = ()) -> NumericTable:
    """Make a table of rows as people write them: of one width, but for the first name."""
    if not rows:
        raise file_error(name, "needs a table", "There is none in this text", "Add the results")
    line, header = rows[0]
    if rows[1:] and names_only(rows[1][1]) and len(rows[1][1]) > len(header):
        header = [*header, *[""] * (len(rows[1][1]) - len(header))]  # groups over a second header
    elif rows[1:] and {len(cells) for _, cells in rows[1:]} == {len(header) + 1}:
        header = ["", *header]
    rows = [(line, header), *((at, _trimmed(cells, len(header))) for at, cells in rows[1:])]
    width = len(header)
    if wide := [wrong_width(name, at, len(c), width) for at, c in rows if len(c) > width]:
        do = "Check the marks between its cells"
        raise DataError([replace(problem, do=do) for problem in wide])
    current_limits().check_size(name, len(rows), width)
    filled = [cells + [""] * (width - len(cells)) for _, cells in rows]
    return as_table(
        name,
        pd.DataFrame(filled, index=[at for at, _ in rows], dtype=text_type(len(filled) * width)),
        notes,
    )


def _trimmed(cells: list[str], width: int) -> list[str]:
    """Leave out empty cells beyond the header."""
    end = len(cells)
    while end > width and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


@contextmanager
def open_workbook(name: str, must: str, do: str) -> Iterator[None]:
    """Say in our words what a package cannot open, and what is missing to open it.

    Packages that unpack broken files raise whatever their depths raise.
    """
    try:
        yield
    except FoldwiseError:
        raise
    except ImportError as error:
        package = str(error.name or "").partition(".")[0]
        found = f"The package {package}, which reads it, is not installed"
        raise file_error(name, must, found, f"Install it, or: {do[0].lower()}{do[1:]}") from None
    except Exception:
        raise file_error(name, must, "It is broken, or cut off", do) from None


def as_written(
    name: str, rows: Sequence[Row], notes: Sequence[Message], clean: Callable[[str], str]
) -> NumericTable:
    """Make a table of what papers and pages print around names and numbers.

    Markup goes; of several numbers in a cell the first is the result; an arrow behind the name
    of a column tells which values are better.
    """
    plain = [(at, [clean(c) if len(c) <= MAX_MARKUP else c for c in cells]) for at, cells in rows]
    if plain:
        line, header = plain[0]
        plain[0] = line, [_with_direction(text) for text in header]
    return first_numbers(table_from_rows(name, plain, notes))


def _with_direction(name: str) -> str:
    bare = name.rstrip(" ()\u2191\u2193")
    way = {_ARROWS[mark] for mark in name[len(bare) :] if mark in _ARROWS}
    return f"{bare} ({way.pop()})" if bare and len(way) == 1 else name


def first_numbers(table: NumericTable) -> NumericTable:
    """Keep the first number of cells such as "0.93 (2) +1 %", in columns of such cells."""
    frame, n, example = table.frame.copy(), 0, ""
    for place in range(frame.shape[1]):
        texts = frame.iloc[:, place]
        cells = texts.to_list()
        found = [_WITH_REST.match(cell) for cell in cells]
        beside = [rest for match in found if match and (rest := (match[2] or "").strip())]
        filled = sum(cell.lower() not in ABSENT for cell in cells)
        if not beside or sum(match is not None for match in found) < 0.5 * filled:
            continue
        n += len(beside)
        example = example or beside[0]
        kept = [m[1].strip() if m else cell for m, cell in zip(found, cells, strict=True)]
        frame.isetitem(place, pd.Series(kept, index=texts.index, dtype=texts.dtype))
    if not n:
        return table
    said = message("first number read", cells=n, example=example[:40])
    return replace(table, frame=frame, notes=(*table.notes, said))


@message_text("first number read")
def _first_number_read(voice: Audience, cells: int, example: str) -> str:
    return f"In {format_count(cells, 'cell')} only the first number was read; {example} was left, and the like."
