"""Fast reader of large prediction files in plain CSV, parsed in blocks of several megabytes.

Only unambiguous files are read here. Anything unusual (quoted line breaks, other encodings,
comments above the header, text among the scores) is left to the general reader, which returns the
same results for plain files and reports the problems of broken ones.
"""

import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError
from stats_core.data import predictions
from stats_core.io.infer_layout import accept_or_ask, infer_layout, left_out
from stats_core.io.limits import current_limits
from stats_core.io.mapping import Mapping
from stats_core.io.parse_layout import FileTable
from stats_core.io.text_cells import EMPTY
from stats_core.io.text_table import read_table
from stats_core.io.vocabulary import class_columns, is_listed, names_clusters, with_role

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[int, int], None]

SMALLEST = 1_000_000  # bytes; the general reader is fast enough for smaller files
_LARGE = 20_000_000  # bytes, up to which possible cluster columns need the general reader
_HEAD = 200_000  # bytes used to infer columns and number formats
_BLOCK = 4_000_000  # bytes parsed at once, between two reports of progress
_WORKERS = min(os.cpu_count() or 1, 4)  # parsing releases the GIL
_COLUMNS = ("dataset", "algorithm", "repetition", "fold", "instance", "true", "predicted", "score")
_NULLS = sorted({text for word in EMPTY for text in (word, word.upper(), word.title(), "NaN")})


def quick_predictions(
    name: str, content: bytes, mapping: Mapping, progress: Progress | None = None
) -> FileTable | None:
    """Read predictions by columns, or return None to leave the file to the general reader."""
    end = content.rfind(b"\n", 0, _HEAD)
    if len(content) < SMALLEST or end < 0 or content.startswith((b"\x1f\x8b", b"\xff", b"\xfe")):
        return None
    try:
        head = read_table(name, content[: end + 1])
        layout_match = accept_or_ask(infer_layout(head, mapping, several=False), mapping)
    except DataError:
        return None
    columns = list(head.frame.columns)
    roles = {name: role for name, role in layout_match.roles.items() if role != "ignore"}
    role_columns = {role: with_role(roles, role) for role in _COLUMNS}
    separator = _separator(content, columns)
    if (
        head.notes
        or head.decimal_comma
        or not separator
        or (b'"' in content and b' "' in content)
        or layout_match.taken.layout != "predictions"
        or not role_columns["algorithm"]
        or not (role_columns["score"] or role_columns["predicted"])
        or any(len(names) > 1 for names in role_columns.values())
        or not set(roles.values()) <= {*_COLUMNS, "ignore"}
        or any(is_listed(column, "parts") for column in columns)
        or class_columns(columns)
        or (len(content) < _LARGE and any(map(names_clusters, columns)))
    ):
        return None
    names = {role: names[0] for role, names in role_columns.items() if names}
    try:
        piece = _piece(name, _parse(content, separator, head.frame, names, progress))
    except (ValueError, OverflowError, _UnusualError):  # pyarrow raises ValueErrors
        return None
    piece.notes = left_out(layout_match)
    return piece


class _UnusualError(Exception):
    """The file needs the general reader."""


def _separator(content: bytes, columns: list[str]) -> str:
    """Return the separator if the first line is exactly the header, else ""."""
    first = content[: content.find(b"\n")].removeprefix(b"\xef\xbb\xbf")
    for separator in (",", ";", "\t"):
        try:
            cells = [cell.strip() for cell in first.decode().split(separator)]
        except UnicodeDecodeError:
            return ""
        if cells == columns:
            return separator
    return ""


def _parse(
    content: bytes, separator: str, head: pd.DataFrame, names: dict[str, str], progress: Progress | None
) -> dict[str, np.ndarray | pd.Categorical]:
    """Return the columns by role: codes of texts, numbers of scores and instances."""
    import pyarrow as pa
    from pyarrow import csv

    column_types = dict.fromkeys(names.values(), pa.string())
    if "score" in names:
        column_types[names["score"]] = pa.float64()
    if "instance" in names and head[names["instance"]].str.fullmatch(r"0|[1-9][0-9]{0,8}").all():
        column_types[names["instance"]] = pa.int32()
    convert = csv.ConvertOptions(
        include_columns=list(column_types), column_types=column_types, null_values=_NULLS, strings_can_be_null=False
    )
    buffer, quoted = pa.py_buffer(content), b'"' in content

    def parsed(span: tuple[int, int]) -> dict[str, _Part]:
        start, end = span
        part = csv.read_csv(
            pa.BufferReader(buffer.slice(start, end - start)),
            csv.ReadOptions(column_names=list(head.columns), block_size=end - start + 1, use_threads=False),
            csv.ParseOptions(delimiter=separator, newlines_in_values=quoted),
            convert,
        )
        return {role: _Part.of(part[name].combine_chunks()) for role, name in names.items()}

    spans = _spans(content, _BLOCK if not quoted else len(content))
    columns = {role: _Column() for role in names}
    rows, expected = 0, content.count(b"\n") - 1 if progress else 0
    with ThreadPoolExecutor(_WORKERS) as pool:
        for parts in pool.map(parsed, spans):
            for role, part in parts.items():
                columns[role].add(part)
            rows += len(parts["true"].values)
            if progress:
                progress(rows, max(rows, expected))
    return {role: column.joined(role) for role, column in columns.items()}


def _spans(content: bytes, size: int) -> list[tuple[int, int]]:
    """Return start and end of blocks of complete lines below the header."""
    spans, start = [], content.find(b"\n") + 1
    while start < len(content):
        end = content.find(b"\n", start + size) + 1 or len(content)
        spans.append((start, end))
        start = end
    return spans


@dataclass(frozen=True, slots=True)
class _Part:
    """A block of one column: numbers, or codes of the texts in `names`."""

    values: np.ndarray
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, column: "pa.Array") -> "_Part":
        """Return the block of a parsed Arrow column."""
        from pyarrow import compute, types

        if not types.is_string(column.type):
            if column.null_count and types.is_integer(column.type):  # an instance without a number
                raise _UnusualError
            return cls(column.to_numpy(zero_copy_only=False).copy())  # copy to free the Arrow table
        runs = compute.run_end_encode(column)  # run-length encoding looks up repeated texts once
        texts = runs.values.dictionary_encode()
        names = tuple(texts.dictionary.to_pylist())
        codes = texts.indices.to_numpy().astype(predictions.code_kind(len(names)))
        return cls(np.repeat(codes, np.diff(runs.run_ends.to_numpy(), prepend=0)), names)


class _Column:
    """The blocks of one column, with text codes shared by all blocks."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []
        self.names: dict[str, int] = {}

    def add(self, part: _Part) -> None:
        codes = [self.names.setdefault(name, len(self.names)) for name in part.names]
        same = codes == list(range(len(codes)))
        kind = predictions.code_kind(len(self.names))
        self.parts.append(part.values if same else np.array(codes, dtype=kind)[part.values])

    def joined(self, role: str) -> np.ndarray | pd.Categorical:
        if not self.parts:
            raise _UnusualError
        values = np.concatenate(self.parts)
        self.parts.clear()
        if not self.names:
            return values
        names = [current_limits().composed("", text).strip() for text in self.names]
        if role in ("repetition", "fold"):
            names = [re.sub(r"^(\d+)\.0+$", r"\1", text) for text in names]
        if any("\n" in text or "\0" in text or "\ufffd" in text for text in names):
            raise _UnusualError
        return predictions.to_category(values, names)


def _piece(name: str, columns: dict[str, np.ndarray | pd.Categorical]) -> FileTable:
    n = len(columns["true"])
    scores = columns.get("score")
    if scores is not None:
        low, high = np.fmin.reduce(scores), np.fmax.reduce(scores)
        if not (np.isfinite(low) and np.isfinite(high)):  # NaN if no score is known
            raise _UnusualError
        if "predicted" not in columns and low >= 0 and high > 1:
            raise _UnusualError
    columns["file"] = predictions.same(name, n)
    rows = pd.DataFrame(columns, index=pd.RangeIndex(2, n + 2), copy=False)
    text_roles = [role for role in predictions.TEXTS[:5] if role in columns]
    if any("" in rows[role].cat.categories for role in text_roles):
        raise _UnusualError
    if any(str(label).lower() in EMPTY for label in rows["true"].cat.categories):
        raise _UnusualError
    return FileTable(rows=rows, layout="predictions")
