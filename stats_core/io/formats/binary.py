"""Readers of binary files: spreadsheets, Parquet and Feather by pyarrow, zip and tar archives."""

import io
import posixpath
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime, time
from typing import Any
from xml.etree import ElementTree

from stats_core.core.errors import DataError
from stats_core.core.messages import message
from stats_core.io import text_table, vocabulary
from stats_core.io.formats import is_excel
from stats_core.io.problems import current_limits, data_error, not_a_table
from stats_core.io.text_cells import TextTable
from stats_core.io.text_table import Row

_ELEMENT = re.compile(rb"<(?:\w+:)?(?:row|c|si)\b")  # row, cell or text of a sheet


def read_excel(name: str, content: bytes) -> TextTable:
    """Return the first sheet that holds a table, with cached values of formulas; raise DataError if there is none."""
    if b"opendocument.spreadsheet" in content[:200]:
        raise not_a_table("an OpenDocument sheet", name)
    with text_table.open_workbook(name, "Excel workbook"):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            parts = packed.infolist()
            current_limits().check_unpacked(name, len(content), sum(part.file_size for part in parts))
            files = {part.filename: read_member(packed, content, part) for part in parts}
        n_elements = sum(sum(1 for _ in _ELEMENT.finditer(part)) for part in files.values())
        current_limits().check(name, "markup", n_elements)
        sheets = _sheets(name, files)
    if not sheets:
        raise data_error("no sheet", name)
    first_error: DataError | None = None
    for title, rows in sheets:
        try:
            return _sheet_table(name, title, rows, [other for other, _ in sheets if other != title])
        except DataError as error:
            first_error = first_error or error
    assert first_error is not None
    raise first_error


def _related(files: dict[str, bytes], path: str) -> Iterator[tuple[str, str, str]]:
    """Yield ID, kind and path of the parts of a workbook to which one part refers."""
    folder, _, file = path.rpartition("/")
    for link in ElementTree.fromstring(files.get(f"{folder}/_rels/{file}.rels".lstrip("/"), b"<none/>")):
        target = posixpath.normpath(posixpath.join("/", folder, link.get("Target", ""))).lstrip("/")
        yield link.get("Id", ""), link.get("Type", "").rpartition("/")[2], target


def _elements(part: bytes, *names: str) -> Iterator[tuple[str, ElementTree.Element]]:
    """Yield elements of XML with these names, and the namespace of each; they are emptied afterwards."""
    for _, element in ElementTree.iterparse(io.BytesIO(part)):
        if element.tag.endswith(names):
            yield element.tag[: element.tag.rfind("}") + 1], element
            element.clear()


def _sheets(name: str, files: dict[str, bytes]) -> list[tuple[str, list[Row]]]:
    """Return title and rows of every sheet that is not blank; blank rows are left out."""
    book = next(path for _, kind, path in _related(files, "") if kind == "officeDocument")
    parts = {key: (kind, path) for key, kind, path in _related(files, book)}
    paths = {kind: path for kind, path in parts.values()}
    texts = [_shown(*part) for part in _elements(files.get(paths.get("sharedStrings", ""), b"<none/>"), "}si")]
    sheets, links, is_mac = [], [], False
    for _, element in _elements(files[book], "}sheet", "}workbookPr"):
        is_mac |= element.get("date1904") in ("1", "true")
        links += [(element.get("name", ""), value) for key, value in element.items() if key.endswith("}id")]
    dates = _date_styles(files.get(paths.get("styles", ""), b"<none/>"))
    for title, link in links:
        kind, path = parts[link]
        if kind == "worksheet" and (rows := list(_sheet_rows(name, files[path], texts, dates, is_mac=is_mac))):
            sheets.append((title, rows))
    return sheets


def _shown(space: str, element: ElementTree.Element) -> str:
    """Return the text of a string, without what is above it to tell its pronunciation."""
    runs = [element, *element.findall(f"{space}r")]
    return "".join(run.findtext(f"{space}t") or "" for run in runs).replace("x005F_", "")


def _date_styles(part: bytes) -> dict[int, bool]:
    """Return whether each style of dates and times is one of durations, by its number."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format

    codes, styles = dict(BUILTIN_FORMATS), []
    for space, element in _elements(part, "}numFmt", "}cellXfs"):
        if "formatCode" in element.attrib:
            codes[int(element.get("numFmtId", "0"))] = element.get("formatCode")
        styles += [codes.get(int(style.get("numFmtId", "0"))) for style in element.findall(f"{space}xf")]
    return {i: is_timedelta_format(code) for i, code in enumerate(styles) if is_date_format(code)}


def _sheet_rows(
    name: str, part: bytes, texts: Sequence[str], dates: dict[int, bool], *, is_mac: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield line and cells of the rows of a sheet that are not blank; raise DataError for too many or too far cells."""
    from openpyxl.utils import datetime as days
    from openpyxl.utils import get_column_letter

    columns = {get_column_letter(i): i for i in range(1, 16_385)}
    epoch = days.MAC_EPOCH if is_mac else days.WINDOWS_EPOCH

    def value_of(space: str, cell: ElementTree.Element) -> Any:
        kind, value = cell.get("t", "n"), cell.findtext(f"{space}v")
        if kind == "inlineStr":
            shown = cell.find(f"{space}is")
            return None if shown is None else _shown(space, shown)
        if not value:
            return None
        if kind == "s":
            return texts[int(value)]
        if kind == "b":
            return bool(int(value))
        if kind == "d":
            return days.from_ISO8601(value)
        if kind != "n":
            return value
        number = int(value) if value.isdigit() else float(value) if {".", "E", "e"} & {*value} else int(value)
        if dates and (style := int(cell.get("s", "0"))) in dates:
            try:
                return days.from_excel(number, epoch, timedelta=dates[style])
            except (OverflowError, ValueError):
                return "#VALUE!"
        return number

    line, built, present, limits = 0, 0, 0, current_limits()
    for space, row in _elements(part, "}row"):
        line = int(float(row.get("r") or line + 1))
        cells: list[str] = []
        for cell in row:
            letters = cell.get("r", "").rstrip("0123456789")
            column = columns[letters] if letters else len(cells) + 1
            if column > len(cells):
                cells += [""] * (column - len(cells))
            cells[column - 1] = _text(value_of(space, cell))
        built, present = built + (len(cells) or 1), present + len(row)
        limits.check(name, "columns", len(cells))
        limits.check_built(name, built, present)
        if cells := text_table.without_empty_ends(cells):
            yield line, cells


def _text(value: Any) -> str:
    """Return the value of a cell as text, dates in ISO format; "" for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value)
    return str(value.date() if isinstance(value, datetime) and value.time() == time() else value)


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
    value_type, n_bytes = column.type.value_type, 0
    if pa.types.is_primitive(value_type):
        return 8 * len(column)
    for chunk in column.chunks:
        sizes = pc.binary_length(chunk.dictionary.cast(pa.large_binary()))
        n_bytes += pc.sum(sizes.take(chunk.indices)).as_py() or 0
    return n_bytes


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
_ZSTD = 93  # compression method that zipfile reads from Python 3.14 on
# errors of broken archives
BROKEN = (OSError, EOFError, RuntimeError, ValueError, tarfile.TarError, zipfile.BadZipFile, zlib.error)


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
        if is_zip and not {"header.json", "_journal/start.json"}.isdisjoint(_names(content)):
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


def _names(content: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return packed.namelist()


def _is_wanted(path: str) -> bool:
    """Return whether a file of an archive may hold a table or a log, by its ending."""
    is_hidden = any(part.startswith((".", "__MACOSX")) for part in path.split("/"))
    return (
        not is_hidden and path.removesuffix(".gz").rpartition(".")[2].lower() in vocabulary.WORDS["files of archives"]
    )


def _zip_members(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files in a zip archive that may hold tables, within the limits."""
    size = 0
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        for info in packed.infolist():
            if not info.is_dir() and _is_wanted(info.filename):
                size += info.file_size
                current_limits().check_unpacked(name, len(content), size)
                yield info.filename, read_member(packed, content, info)


def _tar_members(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files in a tar archive that may hold tables."""
    with tarfile.open(fileobj=io.BytesIO(content)) as packed:
        for member in packed:
            if member.isfile() and _is_wanted(member.name) and (file := packed.extractfile(member)):
                yield member.name, file.read()


def read_member(packed: zipfile.ZipFile, content: bytes, info: zipfile.ZipInfo) -> bytes:
    """Return an unpacked file of a zip archive, also if it is compressed with Zstandard."""
    if info.compress_type != _ZSTD:
        with packed.open(info) as member:  # `read` would unpack all before it cuts to the stated size
            return member.read(info.file_size)
    import pyarrow as pa

    lengths = content[info.header_offset + 26 : info.header_offset + 30]  # of the name and of other data
    start = info.header_offset + 30 + sum(int.from_bytes(lengths[i : i + 2], "little") for i in (0, 2))
    with pa.CompressedInputStream(pa.BufferReader(content[start : start + info.compress_size]), "zstd") as stream:
        return stream.read(info.file_size)
