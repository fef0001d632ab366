"""Readers of binary files: spreadsheets by openpyxl, Parquet and Feather by pyarrow, zip and tar archives."""

import io
import re
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime, time
from typing import Any

from stats_core.core.errors import DataError
from stats_core.core.messages import message
from stats_core.io import text_table, vocabulary
from stats_core.io.formats import is_excel
from stats_core.io.problems import current_limits, data_error, not_a_table
from stats_core.io.text_cells import TextTable
from stats_core.io.text_table import Row

_MOST_PARTS = 50_000
_PART = re.compile(rb"<(?:\w+:)?(?:xf|mergeCell|definedName|Override|sheet|hyperlink)\b")
_MOST_EMPTY_ROWS = 150_000
_ROW, _CELL = (
    re.compile(rb"<(?:\w+:)?(?:%s)\b" % names) for names in (b"row", b"c|si")
)  # si: a text of a sheet


def read_excel(name: str, content: bytes) -> TextTable:
    """Return the first sheet that holds a table, with cached values of formulas; raise DataError if there is none."""
    if b"opendocument.spreadsheet" in content[:200]:
        raise not_a_table("an OpenDocument sheet", name)
    with text_table.open_workbook(name, "Excel workbook"):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            parts = packed.infolist()
            current_limits().check_unpacked(
                name, len(content), sum(part.file_size for part in parts)
            )
            members = [read_member(packed, content, part) for part in parts]
        n_rows, n_cells, n_parts = (
            sum(len(p.findall(member)) for member in members) for p in (_ROW, _CELL, _PART)
        )
        for n, limit in ((n_parts, _MOST_PARTS), (n_rows - n_cells, _MOST_EMPTY_ROWS)):
            if n > limit:
                raise data_error(
                    "workbook parts",
                    name,
                    limit=f"{limit:,}",
                    n=f"{n:,}",
                    rows=limit != _MOST_PARTS,
                )
        current_limits().check(name, "markup", n_rows + n_cells)
        sheets = _sheets(name, content, n_rows + n_cells)
    if not sheets:
        raise data_error("no sheet", name)
    errors = []
    for title, rows in sheets:
        try:
            return _sheet_table(name, title, rows, [other for other, _ in sheets if other != title])
        except DataError as error:
            errors.append(error)
    raise errors[0]


def _sheets(name: str, content: bytes, n_present: int) -> list[tuple[str, list[Row]]]:
    """Return title and rows of every sheet that is not blank; blank rows are left out."""
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of unknown styles and extensions
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheets, cells, limits = [], 0, current_limits()
        for sheet in book.worksheets:
            sheet.reset_dimensions()
            rows: list[Row] = []
            for line, values in enumerate(sheet.iter_rows(values_only=True), 1):
                cells += len(values) or 1  # openpyxl adds missing cells and rows up to the last one
                limits.check(name, "columns", len(values))
                limits.check_built(name, cells, n_present)
                if texts := text_table.without_empty_ends(list(map(_text, values))):
                    rows.append((line, texts))
            if rows:
                sheets.append((sheet.title, rows))
        book.close()
    return sheets


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


def read_parquet(name: str, content: bytes) -> TextTable:
    """Return the table in a Parquet file; raise DataError if it is broken or too large."""
    with text_table.open_workbook(name, "Parquet file"):
        import pyarrow.parquet as pq

        file = pq.ParquetFile(io.BytesIO(content))
        metadata = file.metadata
        current_limits().check_size(name, metadata.num_rows, metadata.num_columns)
        groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
        n_cells = metadata.num_rows * metadata.num_columns
        current_limits().check_unpacked(
            name, len(content), max(n_cells, sum(group.total_byte_size for group in groups))
        )
        texts = [column.path for column in file.schema if column.physical_type == "BYTE_ARRAY"]
        # keep repeated texts as a dictionary
        parquet_file = pq.ParquetFile(io.BytesIO(content), read_dictionary=texts)
        return _arrow_table(name, parquet_file.read(), len(content))


def read_feather(name: str, content: bytes) -> TextTable:
    """Return the table in a Feather file; raise DataError if it is broken or too large."""
    with text_table.open_workbook(name, "Feather file"):
        import pyarrow.feather as pf

        return _arrow_table(name, pf.read_table(io.BytesIO(content)), len(content))


def _spread_out(column: Any) -> int:
    """Return the size in bytes of a column after expansion of its dictionary encoding."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        return column.nbytes
    if pa.types.is_primitive(column.type.value_type):
        return 8 * len(column)
    texts = (
        (pc.binary_length(chunk.dictionary.cast(pa.large_binary())), chunk.indices)
        for chunk in column.chunks
    )
    return sum(pc.sum(sizes.take(indices)).as_py() or 0 for sizes, indices in texts)


def _arrow_table(name: str, arrow_table: Any, packed: int) -> TextTable:
    """Return an Arrow table as texts, its index columns first; raise DataError if it is too large."""
    current_limits().check_size(name, arrow_table.num_rows, arrow_table.num_columns)
    current_limits().check_unpacked(name, packed, sum(map(_spread_out, arrow_table.columns)))
    names = list(arrow_table.column_names)
    index = (arrow_table.schema.pandas_metadata or {}).get("index_columns", ())
    order = sorted(range(len(names)), key=lambda i: names[i] not in index)  # the index first
    texts = text_table.texts_of(arrow_table.select(order).rename_columns([str(i) for i in order]))
    texts.iloc[0] = ["" if names[i].startswith("__index_level_") else names[i] for i in order]
    texts.index = range(1, len(texts) + 1)
    return text_table.as_table(name, texts)


ZIP = b"PK\x03\x04"
_MOST_MEMBERS = 30_000  # files in an archive, also those without tables
_ZSTD = 93  # compression method that zipfile reads from Python 3.14 on
# errors of broken archives
BROKEN = (
    OSError,
    EOFError,
    RuntimeError,
    ValueError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)


def unpacked(sources: Sequence[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Return files, with archives replaced by the tables and logs in them; logs of Inspect remain zip files."""
    return [file for name, content in sources for file in _files_of(name, content)]


def _files_of(name: str, content: bytes) -> list[tuple[str, bytes]]:
    """Return the file, or the files of an archive; raise DataError if the archive is broken or has none."""
    n_packed, content = len(content), text_table.decompress(name, content)
    is_zip, is_tar = content.startswith(ZIP) and not is_excel(content), content[257:262] == b"ustar"
    if not is_zip and not is_tar:
        return [(name, content)]
    try:
        if content.count(b"PK\1\2" if is_zip else b"ustar") > _MOST_MEMBERS:
            raise OSError(f"more than {_MOST_MEMBERS:,} files")
        if is_zip and not set(LOG_HEADS).isdisjoint(_names(content)):
            return [(name, content)]
        files, size = [], 0
        for path, member in (_zip_members if is_zip else _tar_members)(name, content):
            files.append((path, text_table.decompress(path, member)))
            size += len(files[-1][1])
            current_limits().check(name, "files", len(files))
            current_limits().check_unpacked(name, n_packed, size)
    except DataError:
        raise
    except BROKEN as error:
        raise data_error("broken archive", name, error=error) from None
    if not files:
        raise data_error("archive without tables", name)
    return files


LOG_HEADS = ("header.json", "_journal/start.json")  # files in a log of Inspect


def _names(content: bytes) -> list[str]:
    """Return the names in a zip archive, [] if it cannot be a log of Inspect."""
    if not any(name.encode() in content for name in LOG_HEADS):
        return []
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return packed.namelist()


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
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        infos = [
            info for info in packed.infolist() if not info.is_dir() and _is_wanted(info.filename)
        ]
        _check_members(name, content, [(info.filename, info.file_size) for info in infos])
        for info in infos:
            yield info.filename, read_member(packed, content, info)


def _check_members(name: str, content: bytes, members: Sequence[tuple[str, int]]) -> None:
    """Raise DataError for too many files in an archive, too long paths, or too large sizes as the archive states them."""
    current_limits().check(name, "files", len(members))
    current_limits().check(name, "name", max((len(path) for path, _ in members), default=0))
    current_limits().check_unpacked(name, len(content), sum(size for _, size in members))


def _tar_members(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files in a tar archive that may hold tables."""
    with tarfile.open(fileobj=io.BytesIO(content)) as packed:
        members = [member for member in packed if member.isfile() and _is_wanted(member.name)]
        _check_members(name, content, [(member.name, member.size) for member in members])
        for member in members:
            if file := packed.extractfile(member):
                yield member.name, file.read()


def read_member(packed: zipfile.ZipFile, content: bytes, info: zipfile.ZipInfo) -> bytes:
    """Return an unpacked file of a zip archive, also if it is compressed with Zstandard."""
    if info.compress_type != _ZSTD:
        with packed.open(
            info
        ) as member:  # `read` would unpack all before it cuts to the stated size
            return member.read(info.file_size)
    import pyarrow as pa

    lengths = content[
        info.header_offset + 26 : info.header_offset + 30
    ]  # of the name and of other data
    start = (
        info.header_offset + 30 + sum(int.from_bytes(lengths[i : i + 2], "little") for i in (0, 2))
    )
    with pa.CompressedInputStream(
        pa.BufferReader(content[start : start + info.compress_size]), "zstd"
    ) as stream:
        return stream.read(info.file_size)
