"""Excel input (.xlsx, .xlsm)."""

import io
import warnings
import zipfile
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from typing import Any

from stats_core.core.errors import DataError
from stats_core.core.messages import Message, message
from stats_core.io.limits import current_limits
from stats_core.io.problems import data_error
from stats_core.io.text_cells import TextTable
from stats_core.io.text_table import Row, first_numbers, open_workbook, table_from_rows

_MUST, _DO = "needs a complete Excel workbook", "Save it again, or save the sheet as CSV UTF-8"


def is_excel(content: bytes) -> bool:
    """Return whether a file is a workbook, not any other zip file."""
    return content.startswith(b"PK\x03\x04") and any(
        mark in content for mark in (b"xl/", b"[Content_Types].xml", b"opendocument.spreadsheet")
    )


def read_excel(name: str, content: bytes) -> TextTable:
    """Read the first sheet that holds a table; formulas give their cached values."""
    if b"opendocument.spreadsheet" in content[:200]:
        kind = "an OpenDocument sheet"
        raise data_error("not a table", name, kind=kind, do="Save it as .xlsx or as CSV")
    with open_workbook(name, _MUST, _DO):
        _check_unpacked(name, content)
        sheets = _sheets(name, content)
    if not sheets:
        raise data_error("no sheet", name)
    first_error: DataError | None = None
    for title, rows in sheets:
        try:
            return _table(name, title, rows, [other for other, _ in sheets if other != title])
        except DataError as error:
            first_error = first_error or error
    assert first_error is not None
    raise first_error


def _check_unpacked(name: str, content: bytes) -> None:
    """Refuse a workbook that unpacks to more than the limits, as declared in the zip file."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        unpacked_size = sum(part.file_size for part in packed.infolist())
        current_limits().check_unpacked(name, len(content), unpacked_size)


def _sheets(name: str, content: bytes) -> list[tuple[str, list[Row]]]:
    """Return the rows of every sheet that is not blank."""
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of unknown styles and extensions
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheets, cells = [], 0
        for sheet in book.worksheets:
            sheet.reset_dimensions()
            rows: list[Row] = []
            for line, values in enumerate(sheet.iter_rows(values_only=True), 1):
                cells += len(values)
                current_limits().check(name, "columns", len(values))
                current_limits().check(name, "cells", cells)
                texts = _texts(values)
                if texts:
                    rows.append((line, texts))
            if rows:
                sheets.append((sheet.title, rows))
        book.close()
    return sheets


def _texts(values: Iterable[Any]) -> list[str]:
    """Return the cells of a row as texts, without trailing empty cells."""
    texts = [_text(value) for value in values]
    while texts and not texts[-1].strip():
        texts.pop()
    return texts


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value)
    if isinstance(value, (date, time)):
        return value.isoformat()
    return str(value)


def _table(name: str, title: str, rows: Sequence[Row], others: list[str]) -> TextTable:
    """Return a sheet as a table, without the lines above its header."""
    notes: list[Message] = []
    width = max(_filled(cells) for _, cells in rows)
    start = next(i for i, (_, cells) in enumerate(rows) if _filled(cells) > 1 or width == 1)
    if start:
        notes.append(message("lines above the table", lines=start))
    if others:
        notes.append(message("one sheet read", sheet=title, others=tuple(others)))
    return first_numbers(table_from_rows(name, rows[start:], notes))


def _filled(cells: Sequence[str]) -> int:
    return sum(1 for cell in cells if cell.strip())
