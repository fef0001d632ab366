"""Readers of spreadsheets by openpyxl, and of the files in zip and tar archives."""

import bz2
import io
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from stats_core.core.errors import DataError
from stats_core.core.messages import message
from stats_core.io import text_table, vocabulary
from stats_core.io.formats import MOST_MEMBERS, is_excel, tar_files
from stats_core.io.problems import current_limits, data_error, not_a_table, phrase
from stats_core.io.text_cells import TextTable
from stats_core.io.text_table import Row, parsed_by, parser_boundary

_EXCEL = "Excel workbook"
_MOST_PARTS = 50_000
_PART = re.compile(rb"<(?:\w+:)?(?:xf|mergeCell|definedName|Override|sheet|hyperlink)\b")
_SHEET = re.compile(rb"<(?:\w+:)?sheet\b")
_MOST_SHEETS = 1_000
_MOST_EMPTY_ROWS = 150_000
_MOST_TAGS, _TAGS_OF_CELL = 400_000, 30  # in all parts of a workbook, and those of one cell
_ROW, _CELL = (
    re.compile(rb"<(?:\w+:)?(?:%s)\b" % names) for names in (b"row", b"c|si")
)  # si: a text of a sheet
_ENTITY = re.compile(rb"<!(?:DOCTYPE|ENTITY)")  # texts that stand for longer ones; Excel has none


def read_excel(name: str, content: bytes) -> TextTable:
    """Return the first sheet that holds a table, with cached values of formulas; raise DataError if there is none."""
    if b"opendocument.spreadsheet" in content[:200]:
        raise not_a_table("an OpenDocument sheet", name)
    n_present = _checked_parts(name, content)
    with parser_boundary(name, _EXCEL):
        sheets = _sheets_of(content)
    checks, reads = (_Limited(name, len(content), n_present) for _ in range(2))
    parts = {sheet.part: sheet for sheet in sheets}  # several sheets may be the same part
    filled = {part for part, sheet in parts.items() if any(True for _ in checks.rows(sheet))}
    titles = [sheet.title for sheet in sheets if sheet.part in filled]
    errors: dict[str, DataError] = {}
    for sheet in sheets:
        if sheet.part not in filled or sheet.part in errors:
            continue
        rows = list(reads.rows(sheet))
        others = [title for title in titles if title != sheet.title]
        try:
            return _sheet_table(name, sheet.title, rows, others)
        except DataError as error:
            errors[sheet.part] = error
    raise next(iter(errors.values()), data_error("no sheet", name))


def _checked_parts(name: str, content: bytes) -> int:
    """Return the rows and cells stored in a workbook; raise DataError for too many parts.

    Parts are found by what they hold, since their names are free.
    """
    limits = current_limits()
    n_rows = n_cells = n_parts = n_sheets = n_tags = 0
    for part in _parts(name, content):
        is_wide = b"\0" in part[:4] or part.startswith((b"\xff\xfe", b"\xfe\xff"))  # UTF-16
        if not is_wide and part.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"<":
            continue  # a picture, for example
        if _ENTITY.search(part.replace(b"\0", b"") if is_wide else part):
            raise data_error("broken file", name, kind=_EXCEL)
        n_rows += len(_ROW.findall(part))
        n_cells += len(_CELL.findall(part))
        n_parts += len(_PART.findall(part))
        n_sheets += len(_SHEET.findall(part))
        n_tags += part.count(b"<\0") + part.count(b"\0<") if is_wide else part.count(b"<")
    _check_number(name, "parts", n_parts, _MOST_PARTS)
    _check_number(name, "sheets", n_sheets, _MOST_SHEETS)
    _check_number(name, "empty rows", n_rows - n_cells, _MOST_EMPTY_ROWS)
    limits.check(name, "markup", n_rows + n_cells)
    _check_number(name, "parts", n_tags - _TAGS_OF_CELL * (n_rows + n_cells), _MOST_TAGS)
    return n_rows + n_cells


def _check_number(name: str, what: str, n: int, limit: int) -> None:
    """Raise DataError for too many parts of a workbook."""
    if n > limit:
        raise data_error("workbook parts", name, what=what, limit=f"{limit:,}", n=f"{n:,}")


def _parts(name: str, content: bytes) -> Iterator[bytes]:
    """Yield the unpacked parts of a workbook, within the limits."""
    packed = opened(name, content, "broken file", _EXCEL)
    parts = packed.infolist()
    current_limits().check_unpacked(name, len(content), sum(part.file_size for part in parts))
    for part in parts:
        with parser_boundary(name, _EXCEL):
            member = read_member(packed, content, part)
        yield member


@dataclass(frozen=True, kw_only=True)
class _Sheet:
    """A sheet of a workbook.

    Attributes
    ----------
    title : str
        Its title.
    part : str
        Where it is stored; several sheets may name the same place.
    open : callable
        Returns openpyxl's worksheet.
    """

    title: str
    part: str
    open: Any


def _sheets_of(content: bytes) -> list[_Sheet]:
    """Return the sheets of a workbook, none of which is parsed yet."""
    from openpyxl.reader.excel import ExcelReader
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

    sheets: list[_Sheet] = []

    class Reader(ExcelReader):
        """Reader that opens no charts and no relations of sheets."""

        def read_worksheets(self) -> None:
            self.parser.assign_names = list  # names of cell ranges are not needed
            for sheet, relation in self.parser.find_sheets():
                if relation.target in self.valid_files and "chartsheet" not in relation.Type:
                    path, title = relation.target, str(sheet.name)
                    sheets.append(_Sheet(title=title, part=path, open=lambda p=path: worksheet(p)))

    reader = Reader(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)

    def worksheet(path: str) -> Any:
        return ReadOnlyWorksheet(reader.wb, path, path, reader.shared_strings)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of unknown styles and extensions
        reader.read()
    return sheets


class _Limited:
    """Reader of rows that counts empty cells too, and letters as often as they are used."""

    def __init__(self, name: str, packed: int, present: int) -> None:
        self._name, self._packed, self._present = name, packed, present
        self._cells = self._letters = 0

    def rows(self, sheet: _Sheet) -> Iterator[Row]:
        """Yield line and texts of each row that is not blank; raise DataError beyond a limit."""
        limits = current_limits()
        with parser_boundary(self._name, _EXCEL):
            opened = sheet.open()
            opened.reset_dimensions()
        rows = parsed_by(self._name, _EXCEL, opened.iter_rows(values_only=True))
        for line, values in enumerate(rows, 1):
            self._cells += len(values) or 1  # openpyxl adds missing cells and rows up to the last
            limits.check(self._name, "columns", len(values))
            limits.check_built(self._name, self._cells, self._present)
            if texts := text_table.without_empty_ends(list(map(_text, values))):
                self._letters += sum(map(len, texts))
                limits.check_unpacked(self._name, self._packed, self._letters)
                yield line, texts


def _text(value: Any) -> str:
    """Return the value of a cell as text, dates in ISO format; "" for None."""
    is_date = isinstance(value, datetime) and value.time() == time()
    return text_table.text_of(value.date() if is_date else value)


def _sheet_table(name: str, title: str, rows: Sequence[Row], others: list[str]) -> TextTable:
    """Return a sheet as a table from its first row of two or more cells on; raise DataError if it is no table."""
    filled = [sum(bool(cell.strip()) for cell in cells) for _, cells in rows]
    start = next(i for i, n in enumerate(filled) if n > 1 or max(filled) == 1)
    notes = [message("lines above the table", lines=start)] if start else []
    notes += [message("one sheet read", sheet=title, others=tuple(others))] if others else []
    return text_table.first_numbers(text_table.table_from_rows(name, rows[start:], notes))


ZIP = b"PK\x03\x04"
_BZIP2, _ZSTD = 12, 93  # methods of compression; zipfile reads the second from Python 3.14 on


def unpacked(sources: Sequence[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Return files, with archives replaced by the tables and logs in them; logs of Inspect remain zip files."""
    return [file for name, content in sources for file in _files_of(name, content)]


def _files_of(name: str, content: bytes) -> list[tuple[str, bytes]]:
    """Return the file, or the files of an archive; raise DataError if the archive is broken or has none."""
    limits, n_packed = current_limits(), len(content)
    content = text_table.decompress(name, content)
    is_zip, is_tar = content.startswith(ZIP) and not is_excel(content), tar_files.is_tar(content)
    if not is_zip and not is_tar:
        if n_packed < len(content):
            limits.check_expanded(name, n_packed, text_table.cells_of(content))
        return [(name, content)]
    if is_zip and not set(LOG_HEADS).isdisjoint(_names(name, content)):
        return [(name, content)]
    files, size, cells = [], 0, 0
    for path, member in (_zip_members if is_zip else _tar_members)(name, content):
        files.append((path, text_table.decompress(path, member)))
        size += len(files[-1][1])
        cells += text_table.cells_of(files[-1][1])
        limits.check(name, "files", len(files))
        limits.check_unpacked(name, n_packed, size)
        limits.check_expanded(name, n_packed, cells)
    if not files:
        raise data_error("archive without tables", name)
    return files


LOG_HEADS = ("header.json", "_journal/start.json")  # files in a log of Inspect


def archive_boundary(name: str) -> AbstractContextManager[None]:
    """Convert exceptions of whatever unpacks an archive into DataError."""
    return parser_boundary(name, "archive", "broken archive")


def opened(
    name: str, content: bytes, code: str = "broken archive", kind: str = "archive"
) -> zipfile.ZipFile:
    """Return an opened zip archive; raise DataError if it is broken or has too many files."""
    if content.count(b"PK\1\2") > MOST_MEMBERS:
        reason = phrase("archive: files", limit=MOST_MEMBERS)
        raise data_error(code, name, kind=kind, error=reason)
    with parser_boundary(name, kind, code):
        return zipfile.ZipFile(io.BytesIO(content))


def _names(name: str, content: bytes) -> list[str]:
    """Return the names in a zip archive, [] if it cannot be a log of Inspect."""
    if not any(head.encode() in content for head in LOG_HEADS):
        return []
    return opened(name, content).namelist()


def _is_wanted(path: str) -> bool:
    """Return whether a file of an archive may hold a table or a log, by its ending."""
    is_hidden = any(part.startswith((".", "__MACOSX")) for part in path.split("/"))
    return (
        not is_hidden
        and path.removesuffix(".gz").rpartition(".")[2].lower()
        in vocabulary.WORDS["files of archives"]
    )


def _zip_members(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files in a zip archive that may hold tables, within the limits."""
    packed = opened(name, content)
    infos = [info for info in packed.infolist() if _is_wanted(info.filename)]
    _check_members(name, content, [(info.filename, info.file_size) for info in infos])
    for info in infos:
        with archive_boundary(name):
            member = read_member(packed, content, info)
        yield info.filename, member


def _check_members(name: str, content: bytes, members: Sequence[tuple[str, int]]) -> None:
    """Raise DataError for too many files in an archive, too long paths, or too large sizes as the archive states them."""
    current_limits().check(name, "files", len(members))
    current_limits().check(name, "name", max((len(path) for path, _ in members), default=0))
    current_limits().check_unpacked(name, len(content), sum(size for _, size in members))


def _tar_members(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files in a tar archive that may hold tables."""
    try:
        members = [member for member in tar_files.members(content) if _is_wanted(member.path)]
    except tar_files.BrokenTar as error:
        reason = phrase(f"archive: {error}", limit=MOST_MEMBERS)
        raise data_error("broken archive", name, error=reason) from None
    _check_members(name, content, [(member.path, member.size) for member in members])
    for member in members:
        yield member.path, content[member.start : member.start + member.size]


def read_member(packed: zipfile.ZipFile, content: bytes, info: zipfile.ZipInfo) -> bytes:
    """Return an unpacked file of a zip archive, also if it is compressed with Zstandard.

    No more is unpacked than the stated size, whatever the file really holds.
    """
    if info.compress_type not in (_BZIP2, _ZSTD):
        with packed.open(info) as member:  # `read` would unpack all before it cuts
            return member.read(info.file_size)
    lengths = content[info.header_offset + 26 : info.header_offset + 30]  # of name and other data
    start = info.header_offset + 30 + sum(struct.unpack("<HH", lengths))
    data = content[start : start + info.compress_size]
    if info.compress_type == _BZIP2:  # of which zipfile unpacks 4 kB at once, to any size
        unpacked = bz2.BZ2Decompressor().decompress(data, info.file_size)
    else:
        import pyarrow as pa

        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            unpacked = stream.read(info.file_size)
    if zlib.crc32(unpacked) != info.CRC:
        raise zipfile.BadZipFile("a file is damaged")
    return unpacked
