"""Parquet and Feather input, read by pyarrow."""

import io
from typing import Any

from stats_core.io.in_memory import texts_of
from stats_core.io.limits import current_limits
from stats_core.io.text_cells import TextTable
from stats_core.io.text_table import as_table, open_workbook

_DO = "Write it again, or write a CSV"


def is_parquet(content: bytes) -> bool:
    """Return whether a file is Parquet."""
    return content.startswith(b"PAR1")


def is_feather(content: bytes) -> bool:
    """Return whether a file is Feather or another Arrow file."""
    return content.startswith((b"ARROW1", b"FEA1"))


def read_parquet(name: str, content: bytes) -> TextTable:
    """Read a Parquet file."""
    with open_workbook(name, "needs a complete Parquet file", _DO):
        import pyarrow.parquet as pq

        file = pq.ParquetFile(io.BytesIO(content))
        metadata = file.metadata
        current_limits().check_size(name, metadata.num_rows, metadata.num_columns)
        groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
        unpacked_size = sum(group.total_byte_size for group in groups)
        current_limits().check_unpacked(name, len(content), unpacked_size)
        texts = [column.path for column in file.schema if column.physical_type == "BYTE_ARRAY"]
        # keep repeated texts as a dictionary
        parquet_file = pq.ParquetFile(io.BytesIO(content), read_dictionary=texts)
        return _table(name, parquet_file.read())


def read_feather(name: str, content: bytes) -> TextTable:
    """Read a Feather file."""
    with open_workbook(name, "needs a complete Feather file", _DO):
        import pyarrow.feather as pf

        return _table(name, pf.read_table(io.BytesIO(content)))


def _spread_out(column: Any) -> int:
    """Return the bytes of a column with dictionary-encoded texts expanded."""
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


def _table(name: str, arrow_table: Any) -> TextTable:
    current_limits().check_size(name, arrow_table.num_rows, arrow_table.num_columns)
    current_limits().check(name, "size", sum(map(_spread_out, arrow_table.columns)))
    names = list(arrow_table.column_names)
    index = (arrow_table.schema.pandas_metadata or {}).get("index_columns", ())
    order = sorted(range(len(names)), key=lambda i: names[i] not in index)  # the index first
    texts = texts_of(arrow_table.select(order).rename_columns([str(i) for i in order]))
    texts.iloc[0] = ["" if names[i].startswith("__index_level_") else names[i] for i in order]
    texts.index = range(1, len(texts) + 1)
    return as_table(name, texts)
