"""The quick way through large files of predictions: plain CSV, parsed by columns.

Only what cannot be misread is read here. Anything unusual (quoted line breaks, other encodings,
remarks above the header, text among the scores) is left to the careful reader, which finds the
same results in plain files and the words for what is wrong in broken ones.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv

from stats_core._columns import class_columns, guess_roles, plain
from stats_core._instances import TEXTS, category, same
from stats_core._layouts import Piece, by_role, layout_of
from stats_core._mapping import Mapping
from stats_core._numbers import EMPTY
from stats_core._runs import PARTS
from stats_core._tables import read_table
from stats_core.errors import DataError

Progress = Callable[[int, int], None]

SMALLEST = 1_000_000  # bytes; smaller files are read carefully in no time
_HEAD = 50_000  # bytes that show the columns
_BLOCK = 32_000_000  # bytes between two reports of progress
_COLUMNS = ("dataset", "algorithm", "repetition", "fold", "instance", "true", "predicted", "score")
_NULLS = sorted({text for word in EMPTY for text in (word, word.upper(), word.title(), "NaN")})


def quick_predictions(
    name: str, content: bytes, mapping: Mapping, progress: Progress | None = None
) -> Piece | None:
    """Read predictions by columns, or return None to leave the file to the careful reader.

    Parameters
    ----------
    name : str
        Name of the file.
    content : bytes
        Its content.
    mapping : Mapping
        What the user says about the columns.
    progress : callable, optional
        Called with the rows read so far and the rows expected.
    """
    end = content.rfind(b"\n", 0, _HEAD)
    if len(content) < SMALLEST or end < 0 or content.startswith((b"\x1f\x8b", b"\xff", b"\xfe")):
        return None
    try:
        head = read_table(name, content[: end + 1])
    except DataError:
        return None
    columns = list(head.frame.columns)
    roles = {**guess_roles(columns), **{c: r for c, r in mapping.roles.items() if c in columns}}
    wanted = {role: by_role(roles, role) for role in _COLUMNS}
    separator = _separator(content, columns)
    if (
        head.notes
        or head.decimal_comma
        or not separator
        or layout_of(head, roles) != "predictions"
        or not wanted["algorithm"]
        or not (wanted["score"] or wanted["predicted"])
        or any(len(names) > 1 for names in wanted.values())
        or not set(roles.values()) <= {*_COLUMNS, "ignore"}
        or any(plain(column) in PARTS for column in columns)
        or class_columns(columns)
    ):
        return None
    names = {role: names[0] for role, names in wanted.items() if names}
    try:
        table = _parse(content, separator, columns, names, progress)
        return _piece(name, table, names)
    except (pa.ArrowInvalid, _UnusualError):
        return None


class _UnusualError(Exception):
    """The careful reader has to look at this."""


def _separator(content: bytes, columns: list[str]) -> str:
    """Return the separator if the first line is the header as it stands, else ""."""
    first = content[: content.find(b"\n")].removeprefix(b"\xef\xbb\xbf")
    for separator in (",", ";", "\t"):
        try:
            cells = [cell.strip() for cell in first.decode().split(separator)]
        except UnicodeDecodeError:
            return ""
        if cells == columns:
            return separator
    return ""


def _blocks(content: bytes) -> Iterator[memoryview]:
    """Cut the content at ends of lines, the header left out."""
    view, at = memoryview(content), content.find(b"\n") + 1
    quoted = b'"' in content  # a quoted text may hold an end of line
    while at < len(content):
        end = len(content) if quoted else content.find(b"\n", at + _BLOCK) + 1
        end = end or len(content)
        yield view[at:end]
        at = end


def _parse(
    content: bytes,
    separator: str,
    columns: list[str],
    names: dict[str, str],
    progress: Progress | None,
) -> pa.Table:
    text = pa.dictionary(pa.int32(), pa.string())
    types = {names[role]: text for role in names if role not in ("instance", "score")}
    if "score" in names:
        types[names["score"]] = pa.float64()
    options = csv.ConvertOptions(
        column_types=types,
        include_columns=list(names.values()),
        null_values=_NULLS,
        strings_can_be_null=False,
    )
    parts, rows, seen = [], 0, 0
    for block in _blocks(content):
        part = csv.read_csv(
            pa.BufferReader(pa.py_buffer(block)),
            read_options=csv.ReadOptions(column_names=columns),
            parse_options=csv.ParseOptions(delimiter=separator),
            convert_options=options,
        )
        parts.append(part)
        rows, seen = rows + part.num_rows, seen + len(block)
        if progress:
            progress(rows, round(rows * (len(content) / seen)))
    return pa.concat_tables(parts).unify_dictionaries()


def _piece(name: str, table: pa.Table, names: dict[str, str]) -> Piece:
    columns = {}
    for role, column in names.items():
        if role == "score":
            columns[role] = _scores(table.column(column))
        elif role == "instance":
            columns[role] = _cases(table.column(column))
        else:
            columns[role] = _texts(table.column(column), numbered=role in ("repetition", "fold"))
        table = table.drop_columns(column)  # each is held once
    n = len(columns["true"])
    if "score" in columns and "predicted" not in columns:
        scores = columns["score"]
        low, high = np.nanmin(scores), np.nanmax(scores)
        if np.isnan(low) or (low >= 0 and high > 1):
            raise _UnusualError
    columns["file"] = same(name, n)
    rows = pd.DataFrame(columns, index=pd.RangeIndex(2, n + 2), copy=False)
    if any("" in rows[role].cat.categories for role in names if role in TEXTS[:5]):
        raise _UnusualError
    return Piece(rows=rows, layout="predictions")


def _texts(column: pa.ChunkedArray, *, numbered: bool) -> pd.Categorical:
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in column.chunks])
    names = [
        unicodedata.normalize("NFC", text).strip()
        for text in column.chunk(0).dictionary.to_pylist()
    ]
    names = [re.sub(r"^(\d+)\.0+$", r"\1", text) for text in names] if numbered else names
    if any("\n" in text or "\0" in text for text in names):
        raise _UnusualError
    return category(codes, names)


def _scores(column: pa.ChunkedArray) -> np.ndarray:
    scores = column.to_numpy()
    if np.isinf(scores).any():
        raise _UnusualError
    return scores


def _cases(column: pa.ChunkedArray) -> np.ndarray | pd.Categorical:
    if pa.types.is_integer(column.type) and not column.null_count:
        values = column.to_numpy()
        if values.min() >= 0 and values.max() < 10**9:
            return values.astype(np.int32)
    elif column.type == pa.string():
        codes, names = pd.factorize(column.to_pandas().str.strip())
        return category(codes, list(names))
    raise _UnusualError
