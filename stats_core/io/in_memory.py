"""Conversion of data frames and dicts, such as those of scikit-learn, to CSV."""

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError
from stats_core.io.problems import data_error


def is_in_memory(source: Any) -> bool:
    """Return whether a source is a data frame or a dict."""
    return isinstance(source, (Mapping, pd.DataFrame)) or _native(source) is not None


def as_csv(source: Any, name: str) -> bytes:
    """Return a data frame or a dict as CSV with all digits."""
    if isinstance(source, Mapping):
        source = _frame(source, name)
    texts = texts_of(source)
    plain = not texts.empty and texts.iat[0, 0][:1].isalnum()
    quoting = 0 if plain else 1  # quoted text cannot look like a comment or another format
    return texts.to_csv(index=False, header=False, quoting=quoting).encode(errors="replace")


def _frame(source: Mapping, name: str) -> pd.DataFrame:
    if is_folds(source):
        return pd.DataFrame(list(fold_records(source)))
    columns = {key: _list(value) for key, value in source.items()}
    if not columns or any(column is None for column in columns.values()):
        raise _unknown(name, "Found a dict of something else")
    if len({len(column) for column in columns.values() if column is not None}) > 1:
        raise _unknown(name, "Found columns of several lengths")
    return pd.DataFrame(columns)


def _unknown(name: str, description: str) -> DataError:
    return data_error("unknown object", name, found=description)


def is_folds(source: Mapping) -> bool:
    """Return whether a dict maps names to arrays over folds, as from `cross_validate`."""
    return bool(source) and all(
        isinstance(fold_arrays, Mapping) and any(_list(values) is not None for values in fold_arrays.values())
        for fold_arrays in source.values()
    )


def fold_records(source: Mapping) -> Iterator[dict[str, Any]]:
    """Yield one record per algorithm and fold, with scalar values only."""
    for algorithm, fold_arrays in source.items():
        columns = {key: _list(values) for key, values in fold_arrays.items()}
        arrays = {k: v for k, v in columns.items() if v is not None and all(map(_is_plain, v))}
        for i in range(max(map(len, arrays.values()), default=0)):
            values = {key: array[i] for key, array in arrays.items() if i < len(array)}
            yield {"algorithm": str(algorithm), "fold": str(i + 1), **values}


def _list(values: Any) -> list | None:
    """Return the values of a list or one-dimensional array, None for anything else."""
    if isinstance(values, (str, bytes, Mapping)):
        return None
    if isinstance(values, (list, tuple)):
        return list(values)
    if getattr(values, "ndim", 0) == 1:
        return list(values)
    return None


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, np.number, np.bool_))


def texts_of(source: Any) -> pd.DataFrame:
    """Return a data frame as texts, with the column names in the first row.

    Index columns come first. Numbers are written with all their digits.
    """
    if isinstance(source, pd.DataFrame):
        source = _with_index(source)
        names = [_joined(name) for name in source.columns]
        columns = [source.iloc[:, i] for i in range(len(names))]
    else:
        native = _native(source)
        names = list(native.columns)
        columns = [native[name] for name in names]
    order = sorted(range(len(names)), key=lambda i: not names[i].startswith("__index_level_"))
    headers = ["" if names[i].startswith("__index_level_") else names[i] for i in order]
    columns_out = [[name, *_written(columns[i])] for name, i in zip(headers, order, strict=True)]
    return pd.DataFrame(dict(enumerate(columns_out)), dtype=object)


def _native(source: Any) -> Any:
    """Return a data frame of any library as a narwhals frame, None for other objects."""
    if isinstance(source, (str, bytes, bytearray, memoryview, PathLike)):
        return None
    import narwhals

    native = narwhals.from_native(source, eager_only=True, pass_through=True)
    return native if isinstance(native, narwhals.DataFrame) else None


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Move an index to columns unless it only numbers the rows."""
    if isinstance(frame.index, pd.RangeIndex):
        return frame
    unnamed = frame.index.nlevels == 1 and frame.index.name is None
    if unnamed and pd.api.types.is_integer_dtype(frame.index.dtype):
        return frame
    names = [_joined(name) if name is not None else "" for name in frame.index.names]
    unique_names = [name if name not in frame.columns else f"{name} (index)" for name in names]
    index = frame.index.to_frame(index=False).set_axis(unique_names, axis=1)
    return pd.concat([index, frame.reset_index(drop=True)], axis=1)


def _joined(name: Any) -> str:
    """Return a column name as text; names in several rows are joined."""
    parts = name if isinstance(name, tuple) else (name,)
    return " ".join(str(part) for part in parts if str(part))


def _written(column: Any) -> list[str]:
    """Return the values of a column as texts, "" if missing."""
    values = column.to_list()
    kind = getattr(column.dtype, "kind", "")
    is_single = kind == "f" and column.dtype.itemsize < 8 or str(column.dtype) == "Float32"
    if is_single:  # as Python floats they would be written with spurious digits
        values = [v if pd.isna(v) else str(np.float32(v)) for v in values]
    return [_text(value) for value in values]


def _text(value: Any) -> str:
    if value is None or value is pd.NaT or value is pd.NA or value != value:
        return ""
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)
