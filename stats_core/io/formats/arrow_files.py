"""Readers of Parquet and Feather files by pyarrow, which does not check sizes itself."""

import json
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from stats_core.io import text_table
from stats_core.io.formats import arrow_sizes
from stats_core.io.problems import current_limits, data_error
from stats_core.io.text_cells import TextTable
from stats_core.io.text_table import parser_boundary

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_METADATA = 10_000_000  # bytes of pandas' metadata
_NESTED = 3  # levels of lists and structs in a cell
_ROWS_AT_ONCE = 1_000  # of texts that may each repeat the one before
_ARROW_SCHEMA = b"ARROW:schema"


def read_parquet(name: str, content: bytes) -> TextTable:
    """Return the table in a Parquet file; raise DataError if it is broken or too large."""
    kind = "Parquet file"
    content = _without_arrow_schema(content)
    with parser_boundary(name, kind):
        import pyarrow as pa
        import pyarrow.parquet as pq

        metadata = pq.ParquetFile(pa.BufferReader(content)).metadata
    current_limits().check_size(name, metadata.num_rows, metadata.num_columns)
    with parser_boundary(name, kind):
        sizes = arrow_sizes.sizes_of_parquet(content, metadata)
    _check(name, content, sizes)
    with parser_boundary(name, kind):
        # repeated texts are kept as a dictionary
        columns = [metadata.schema.column(i) for i in range(metadata.num_columns)]
        texts = [
            column.path
            for column in columns
            if column.physical_type == "BYTE_ARRAY" and column.path == column.name
        ]
        texts = [] if sizes.can_repeat else texts  # pyarrow cannot read differences so
        file = pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts)
        schema = file.schema_arrow
    _check_types(name, kind, schema)
    if sizes.can_repeat:
        return _table(name, kind, _read_in_parts(name, kind, file, len(content)), len(content))
    with parser_boundary(name, kind):
        table = file.read()
    return _table(name, kind, table, len(content))


def _without_arrow_schema(content: bytes) -> bytes:
    """Return a Parquet file without the schema of Arrow in its metadata.

    It may be larger than the file by its references, and the schema of Parquet suffices.
    """
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    offset = content.find(_ARROW_SCHEMA, max(start, 0))
    if offset < 0:
        return content
    changed = bytearray(content)
    while offset >= 0:
        changed[offset : offset + len(_ARROW_SCHEMA)] = b"-" * len(_ARROW_SCHEMA)
        offset = changed.find(_ARROW_SCHEMA, offset)
    return bytes(changed)


def _read_in_parts(name: str, kind: str, file: Any, packed: int) -> "pa.Table":
    """Return a Parquet table read in parts; raise DataError as soon as its texts exceed a limit."""
    import pyarrow as pa

    parts, size = [], 0
    for part in text_table.parsed_by(name, kind, file.iter_batches(_ROWS_AT_ONCE)):
        part = pa.Table.from_batches([part])
        _validate(name, kind, part)
        size += sum(map(_characters, part.columns))
        current_limits().check_unpacked(name, packed, size)
        parts.append(part)
    with parser_boundary(name, kind):
        return pa.concat_tables(parts) if parts else file.read()


def read_feather(name: str, content: bytes) -> TextTable:
    """Return the table in a Feather file; raise DataError if it is broken or too large."""
    kind = "Feather file"
    if content.startswith(b"FEA1"):
        raise data_error("old Feather file", name)
    with parser_boundary(name, kind):
        import pyarrow as pa

        sizes = arrow_sizes.sizes_of_arrow(content, current_limits().columns)
    _check(name, content, sizes)
    with parser_boundary(name, kind):
        reader = pa.ipc.open_file(pa.py_buffer(content))
        schema = reader.schema
    _check_types(name, kind, schema)
    with parser_boundary(name, kind):
        table = reader.read_all()
    return _table(name, kind, table, len(content))


def _check(name: str, content: bytes, sizes: arrow_sizes.Sizes) -> None:
    """Raise DataError for a file that would build too much."""
    limits = current_limits()
    limits.check_size(name, sizes.rows, sizes.columns)
    limits.check(name, "cells", sizes.cells)
    limits.check(name, "name", sizes.longest_name)
    limits.check_unpacked(name, len(content), sizes.size)
    limits.check_expanded(name, len(content), max(sizes.cells, sizes.rows * sizes.columns))


def _check_types(name: str, kind: str, schema: "pa.Schema") -> None:
    """Raise DataError for a column of a type that cannot safely be written as text."""
    for field in schema:
        if not _is_known(field.type, _NESTED):
            raise data_error(
                "column type", name, None, field.name, kind=kind, type=str(field.type)[:80]
            )


def _is_known(kind: "pa.DataType", levels: int) -> bool:
    """Return whether values of a type, written as text, take no more than is counted."""
    import pyarrow as pa

    kind = getattr(kind, "storage_type", kind)
    if pa.types.is_dictionary(kind):
        return levels == _NESTED and _is_single(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return levels > 0 and _is_known(kind.value_type, levels - 1)
    if pa.types.is_struct(kind) or pa.types.is_map(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        return levels > 0 and all(_is_known(field.type, levels - 1) for field in fields)
    return _is_single(kind) and (levels == _NESTED or not _is_view(kind))


def _is_view(kind: "pa.DataType") -> bool:
    """Return whether texts refer to their letters, so that many of them may share the same ones."""
    return str(kind) in ("string_view", "binary_view")


def _is_single(kind: "pa.DataType") -> bool:
    """Return whether values of a type are single numbers, texts, times or missing."""
    import pyarrow as pa

    types = pa.types
    tests: list[Callable[[Any], bool]] = [
        *(types.is_null, types.is_boolean, types.is_integer, types.is_floating, types.is_decimal),
        *(types.is_date, types.is_time, types.is_timestamp, types.is_duration),
        *(types.is_string, types.is_large_string, types.is_binary, types.is_large_binary),
        *(types.is_fixed_size_binary, _is_view),
    ]
    return any(test(kind) for test in tests)


def _validate(name: str, kind: str, table: "pa.Table") -> None:
    """Raise DataError for an invalid table; no other function may see it before."""
    with parser_boundary(name, kind):
        table.validate(full=True)


def _table(name: str, kind: str, table: "pa.Table", packed: int) -> TextTable:
    """Return an Arrow table as texts, index columns first; DataError if it is too large."""
    _validate(name, kind, table)
    current_limits().check_size(name, table.num_rows, table.num_columns)
    current_limits().check_unpacked(name, packed, sum(map(_characters, table.columns)))
    names = list(table.column_names)
    of_index = _index_columns(table.schema.metadata or {})
    order = sorted(range(len(names)), key=lambda i: names[i] not in of_index)  # the index first
    with parser_boundary(name, kind):
        columns = [_as_plain(table.column(i)) for i in order]
        plain = type(table).from_arrays(columns, names=[str(i) for i in order])
        texts = text_table.texts_of(plain)
    texts.iloc[0] = ["" if names[i].startswith("__index_level_") else names[i] for i in order]
    texts.index = range(1, len(texts) + 1)
    return text_table.as_table(name, texts)


def _index_columns(metadata: dict[bytes, bytes]) -> Sequence[str]:
    """Return the columns that pandas' metadata names as the index; () without any."""
    text = metadata.get(b"pandas", b"")
    if len(text) > _MOST_METADATA:
        return ()
    with suppress(ValueError, RecursionError):
        about = json.loads(text)
        index = about.get("index_columns") if isinstance(about, dict) else None
        return [name for name in index if isinstance(name, str)] if isinstance(index, list) else ()
    return ()


def _characters(column: "pa.ChunkedArray") -> int:
    """Return the bytes of a valid column after expansion of dictionaries and shared texts."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        return sum(
            int(_lengths(chunk.dictionary)[_codes(chunk)].sum())
            for chunk in column.chunks
            if len(chunk.dictionary)
        )
    if _is_view(column.type):
        return sum(int(_lengths(chunk).sum()) for chunk in column.chunks)
    return column.nbytes


def _codes(chunk: "pa.DictionaryArray") -> np.ndarray:
    """Return the positions in the dictionary of the values that are not missing."""
    return chunk.indices.drop_null().to_numpy()


def _lengths(values: "pa.Array") -> np.ndarray:
    """Return the bytes of each value, 8 for numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if _is_view(values.type):  # 16 bytes for each, of which the first 4 are its length
        start, end = values.offset, values.offset + len(values)
        lengths = np.frombuffer(values.buffers()[1], np.int32)[4 * start : 4 * end : 4]
        return np.where(values.is_valid(), lengths, 0).astype(np.int64)
    if pa.types.is_primitive(values.type) or pa.types.is_null(values.type):
        return np.full(len(values), 8)
    if pa.types.is_decimal(values.type) or pa.types.is_fixed_size_binary(values.type):
        return np.full(len(values), values.type.byte_width)
    lengths = pc.binary_length(values).fill_null(0)
    return lengths.to_numpy(zero_copy_only=False).astype(np.int64)


def _as_plain(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Return a column without views and extensions, and bytes as text if they are UTF-8."""
    import pyarrow as pa

    if isinstance(column.type, pa.BaseExtensionType):
        if column.type.extension_name == "arrow.uuid":
            values = [
                uuid.UUID(bytes=each) if each else None for each in _storage(column).to_pylist()
            ]
            return pa.chunked_array(
                [pa.array([each and str(each) for each in values], pa.string())]
            )
        column = _storage(column)
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if kind in (pa.binary(), pa.large_binary()) or _is_view(kind):
        with suppress(pa.ArrowInvalid):
            return column.cast(pa.large_string())
    return column


def _storage(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Return the values of an extension type as they are stored."""
    import pyarrow as pa

    return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
