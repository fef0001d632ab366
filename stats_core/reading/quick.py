"""The quick way through large files of predictions: plain CSV, parsed a million rows at a time.

Only what cannot be misread is read here. Anything unusual (quoted line breaks, other encodings,
remarks above the header, text among the scores) is left to the careful reader, which finds the
same results in plain files and the words for what is wrong in broken ones.
"""

import io
import re
from collections.abc import Callable

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError
from stats_core.core.numbers import EMPTY
from stats_core.data.instances import TEXTS, category, same
from stats_core.reading.budget import budget
from stats_core.reading.clusters import told_as_cluster
from stats_core.reading.columns import class_columns, plain
from stats_core.reading.layouts import Piece, by_role
from stats_core.reading.mapping import Mapping
from stats_core.reading.runs import PARTS
from stats_core.reading.tables import read_table
from stats_core.reading.understand import left_out, settled, understand

Progress = Callable[[int, int], None]

SMALLEST = 1_000_000  # bytes; smaller files are read carefully in no time
_LARGE = 20_000_000  # bytes, up to which a column of patients is looked at with care
_HEAD = 200_000  # bytes that show the columns and how their numbers are written
_ROWS = 1_000_000  # read between two reports of progress
_COLUMNS = ("dataset", "algorithm", "repetition", "fold", "instance", "true", "predicted", "score")
_NUMBERED = ("repetition", "fold", "true", "predicted")  # where 1.0 is read as 1
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
    try:
        found = settled(understand(head, mapping, several=False), mapping)
    except DataError:
        return None
    roles = {name: role for name, role in found.roles.items() if role != "ignore"}
    wanted = {role: by_role(roles, role) for role in _COLUMNS}
    separator = _separator(content, columns)
    if (
        head.notes
        or head.decimal_comma
        or not separator
        or (b'"' in content and b' "' in content)
        or found.taken.layout != "predictions"
        or not wanted["algorithm"]
        or not (wanted["score"] or wanted["predicted"])
        or any(len(names) > 1 for names in wanted.values())
        or not set(roles.values()) <= {*_COLUMNS, "ignore"}
        or any(plain(column) in PARTS for column in columns)
        or class_columns(columns)
        or (len(content) < _LARGE and any(map(told_as_cluster, columns)))
    ):
        return None
    names = {role: names[0] for role, names in wanted.items() if names}
    try:
        piece = _piece(name, _parse(content, separator, head.frame, names, progress))
    except (ValueError, OverflowError, _UnusualError):  # pandas' and our own are ValueErrors
        return None
    piece.notes = left_out(found)
    return piece


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


def _parse(
    content: bytes,
    separator: str,
    head: pd.DataFrame,
    names: dict[str, str],
    progress: Progress | None,
) -> dict[str, np.ndarray | pd.Categorical]:
    """Return the columns by role: codes for texts, numbers for scores and numbered cases."""
    kinds: dict[str, type | str] = dict.fromkeys(names.values(), "category")
    if "score" in names:
        kinds[names["score"]] = float
    if "instance" in names and head[names["instance"]].str.fullmatch(r"0|[1-9][0-9]{0,8}").all():
        kinds[names["instance"]] = "int32"
    reader = pd.read_csv(
        io.BytesIO(content),
        sep=separator,
        header=0,
        names=list(head.columns),
        index_col=False,
        usecols=list(kinds),
        dtype=kinds,
        keep_default_na=False,
        na_values={names["score"]: _NULLS} if "score" in names else None,
        chunksize=_ROWS,
        encoding="utf-8-sig",
    )
    columns = {role: _Column(_writing(head[name], role)) for role, name in names.items()}
    rows, expected = 0, content.count(b"\n") - 1 if progress else 0
    for part in reader:
        for role, name in names.items():
            columns[role].add(part[name])
        rows += len(part)
        if progress:
            progress(rows, max(rows, expected))
    _check_widths(content, separator, head.shape[1], columns.get("score"))
    return {role: column.joined(role) for role, column in columns.items()}


def _writing(texts: pd.Series, role: str) -> str:
    """Return how whole numbers are written in a column, "" if not in one plain way."""
    if role in _NUMBERED and texts.str.fullmatch(r"(-?[1-9][0-9]{0,14}|0)(\.0+)?").all():
        return "{}"
    if texts.str.fullmatch(r"-?[1-9][0-9]{0,17}|0").all():
        return "{}"
    return "{}.0" if texts.str.fullmatch(r"-?[1-9][0-9]{0,14}\.0|0\.0").all() else ""


class _Column:
    """The parts of one column, texts as codes of names that all parts share.

    pandas turns categories into numbers where it can; `writing` turns them back.
    """

    def __init__(self, writing: str):
        self.writing = writing
        self.parts: list[np.ndarray] = []
        self.names: dict[str, int] = {}

    def add(self, part: pd.Series) -> None:
        if not isinstance(part.dtype, pd.CategoricalDtype):
            self.parts.append(part.to_numpy())
            return
        codes = part.cat.codes.to_numpy()
        if codes.min() < 0:  # a row with too few cells
            raise _UnusualError
        names = part.cat.categories
        if names.dtype != "str":
            if not self.writing or names.dtype.kind not in "if" or (names % 1 != 0).any():
                raise _UnusualError
            names = [self.writing.format(int(number)) for number in names]
        seen = [self.names.setdefault(name, len(self.names)) for name in names]
        kind = np.int16 if len(self.names) < 2**15 else np.int32
        self.parts.append(np.array(seen, dtype=kind)[codes])

    def joined(self, role: str) -> np.ndarray | pd.Categorical:
        values = np.concatenate(self.parts)
        self.parts.clear()
        if not self.names:
            return values
        names = [budget().composed("", text).strip() for text in self.names]
        if role in ("repetition", "fold"):
            names = [re.sub(r"^(\d+)\.0+$", r"\1", text) for text in names]
        if any("\n" in text or "\0" in text or "\ufffd" in text for text in names):
            raise _UnusualError
        return category(values, names)


def _check_widths(content: bytes, separator: str, width: int, scores: _Column | None) -> None:
    """Leave it to the careful reader if an empty score may be a row that is too short."""
    if scores is None or not any(np.isnan(part).any() for part in scores.parts):
        return
    rows = sum(len(part) for part in scores.parts) + 1
    if content.count(separator.encode()) != rows * (width - 1):
        raise _UnusualError


def _piece(name: str, columns: dict[str, np.ndarray | pd.Categorical]) -> Piece:
    n = len(columns["true"])
    scores = columns.get("score")
    if scores is not None:
        known = scores[~np.isnan(scores)]
        if not len(known) or np.isinf(known).any():
            raise _UnusualError
        if "predicted" not in columns and known.min() >= 0 and known.max() > 1:
            raise _UnusualError
    columns["file"] = same(name, n)
    rows = pd.DataFrame(columns, index=pd.RangeIndex(2, n + 2), copy=False)
    named = [role for role in TEXTS[:5] if role in columns]
    if any("" in rows[role].cat.categories for role in named):
        raise _UnusualError
    if any(str(label).lower() in EMPTY for label in rows["true"].cat.categories):
        raise _UnusualError
    return Piece(rows=rows, layout="predictions")
