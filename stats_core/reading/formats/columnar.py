"""Parquet and Feather, by pyarrow, which comes with Streamlit."""

import io
from typing import Any

from stats_core.core.numbers import Table
from stats_core.reading.formats.grid import check_size, opening
from stats_core.reading.memory import texts_of
from stats_core.reading.tables import MAX_BYTES, as_table, refused

_DO = "Write it again, or write a CSV"


def is_parquet(content: bytes) -> bool:
    """Tell whether a file is Parquet."""
    return content.startswith(b"PAR1")


def is_feather(content: bytes) -> bool:
    """Tell whether a file is Feather or another Arrow file."""
    return content.startswith((b"ARROW1", b"FEA1"))


def read_parquet(name: str, content: bytes) -> Table:
    """Read a Parquet file."""
    with opening(name, "needs a complete Parquet file", _DO):
        import pyarrow.parquet as pq

        file = pq.ParquetFile(io.BytesIO(content))
        about = file.metadata
        check_size(name, about.num_rows, about.num_columns)
        groups = (about.row_group(i) for i in range(about.num_row_groups))
        _check_bytes(name, sum(group.total_byte_size for group in groups))
        return _table(name, file.read())


def read_feather(name: str, content: bytes) -> Table:
    """Read a Feather file."""
    with opening(name, "needs a complete Feather file", _DO):
        import pyarrow.feather as pf

        return _table(name, pf.read_table(io.BytesIO(content)))


def _check_bytes(name: str, size: int) -> None:
    if size > MAX_BYTES:
        raise refused(
            name,
            f"up to {MAX_BYTES // 1_000_000} MB once unpacked",
            "This file holds more",
            "Keep the columns that are needed",
        )


def _table(name: str, found: Any) -> Table:
    check_size(name, found.num_rows, found.num_columns)
    _check_bytes(name, found.nbytes)
    names = list(found.column_names)
    index = (found.schema.pandas_metadata or {}).get("index_columns", ())
    order = sorted(range(len(names)), key=lambda i: names[i] not in index)  # the index first
    texts = texts_of(found.select(order).rename_columns([str(i) for i in order]))
    texts.iloc[0] = ["" if names[i].startswith("__index_level_") else names[i] for i in order]
    texts.index = range(1, len(texts) + 1)
    return as_table(name, texts)
