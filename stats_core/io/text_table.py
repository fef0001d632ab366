"""Text tables read from file contents or from tables in memory."""

import codecs
import csv
import gzip
import io
import logging
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from importlib.util import find_spec
from itertools import chain
from os import PathLike
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, FoldwiseError, Problem
from stats_core.core.formatting import unescape_spreadsheet_formula
from stats_core.core.messages import Message, message, read_texts
from stats_core.core.validation import align, has_labels
from stats_core.io import digit_groups, fold_arrays, frames, text_cells, vocabulary
from stats_core.io.mapping import Mapping as ColumnMapping
from stats_core.io.problems import TEXTS, current_limits, data_error, not_a_table, problem_of
from stats_core.io.text_cells import ABSENT, TextTable

_PIECE = 8_000_000  # bytes unpacked at a time
_LONGEST_HEADER = 1_000_000  # bytes of the first line in which separators are counted
_MOST_MEMBERS = 100_000  # parts of a gzip file, each of which takes time even if it is empty
_SEPARATORS = (",", ";", "\t", "|")

_BOLD = re.compile(r"^(\*{2,3})(?=\S)(.+?)(?<=\S)\1$")
_ABOVE = re.compile(r"(?:\s*\n|#[^,;\t|\n]*\n)+")  # blank lines and comments
_FRACTION = re.compile(r"[+-]?\d*[.,]\d+.*")
_FEW_LINES = 5_000
_FEW = 200_000  # distinct texts of a column
_MOST_PROBLEMS = 100  # rows of other widths that are listed
_SINGLE = (
    "float32",
    "float16",
    "Float32",
    "float",
    "halffloat",
)  # dtypes of pandas, polars and Arrow
_LOG = logging.getLogger("foldwise")
_LONGEST_REASON = 200  # characters kept of the message of a parser
_Item = TypeVar("_Item")
_PLAIN = (str, int, float, np.number, np.bool_, type(None))


class FrameBytes(bytes):
    """A data frame as CSV, with its cells as texts and the roles that its structure sets."""

    texts: pd.DataFrame
    roles: dict[str, str]


def is_in_memory(source: Any) -> bool:
    """Return whether a source is a data frame, or an object that holds one."""
    return (
        isinstance(source, (Mapping, pd.DataFrame))
        or frames.records(source)
        or frames.is_labelled(source)
        or frames.is_lazy(source)
        or _native(source) is not None
    )


def frame_bytes(source: Any, name: str, mapping: ColumnMapping) -> FrameBytes:
    """Return a data frame or a dict with all digits; raise DataError for another dict."""
    if isinstance(source, Mapping):
        source = _frame(source, name)
    elif frames.records(source):
        source = pd.DataFrame(source)
    source = frames.flattened(source, mapping.measure_name, mapping.roles)
    if isinstance(source, pd.DataFrame):
        shape = source = frames.with_positions(source, mapping)
    else:
        source = _native(source)
        shape = frames.pandas_shape(source)
    roles = frames.roles_of(shape, mapping)
    frames.check_rows(shape, roles, mapping)
    texts = texts_of(source, results={name for name, role in roles.items() if role == "result"})
    content = FrameBytes(_as_csv(texts))
    content.texts, content.roles = texts, roles
    return content


def table_of_frame(name: str, content: FrameBytes) -> TextTable:
    """Return the table of a data frame; raise DataError if names or rows are faulty."""
    texts, limits = content.texts, current_limits()
    limits.check(name, "lines", len(texts))
    limits.check(name, "columns", texts.shape[1])
    if not content.isascii() or content.find(b"\1") >= 0:
        texts = texts.map(cache(partial(_decoded_text, name)))
    texts = texts.set_axis(pd.RangeIndex(1, len(texts) + 1))
    return replace(as_table(name, texts, comma=True, named=True), roles=content.roles)


def _decoded_text(name: str, text: str) -> str:
    """Return a cell as it would be decoded from a file."""
    return current_limits().composed(
        name, text.replace("\0", "\1").encode(errors="replace").decode()
    )


def _as_csv(texts: pd.DataFrame) -> bytes:
    plain = not texts.empty and texts.iat[0, 0][:1].isalnum()
    quoting = 0 if plain else 1  # quoted text cannot look like a comment or another format
    text = texts.to_csv(index=False, header=False, quoting=quoting)
    # a null byte would make the file binary; another control character is removed with a note
    return text.replace("\0", "\1").encode(errors="replace")


def _frame(source: Mapping, name: str) -> pd.DataFrame:
    """Return a dict of columns, or of arrays over folds, also by data set, as a data frame; DataError for other dicts."""
    if is_folds(source):
        return pd.DataFrame(list(fold_records(source)))
    if source and all(isinstance(each, Mapping) and is_folds(each) for each in source.values()):
        return pd.DataFrame(
            [
                {"dataset": str(dataset), **row}
                for dataset, each in source.items()
                for row in fold_records(each)
            ]
        )
    if source and all(map(_are_labelled, source.values())):
        return pd.DataFrame({key: pd.Series(dict(value)) for key, value in source.items()})
    labelled = align(*source.values())
    source = dict(zip(source, labelled, strict=True))
    columns = {key: _list(value) for key, value in source.items()}
    lengths = {-1 if column is None else len(column) for column in columns.values()} or {-1}
    if len(lengths) != 1 or -1 in lengths:
        raise data_error("unknown object", name, lengths=1 if -1 in lengths else len(lengths))
    same_rows = all(map(has_labels, labelled))
    return pd.DataFrame(columns, index=labelled[0].index if same_rows else None)


def _are_labelled(values: Any) -> bool:
    """Return whether values are a dict of single numbers or texts by name."""
    return isinstance(values, Mapping) and all(
        isinstance(value, _PLAIN) for value in values.values()
    )


def is_folds(source: Mapping) -> bool:
    """Return whether every value is a dict with a list or array, such as a result of sklearn's `cross_validate`."""
    return bool(source) and all(
        isinstance(arrays, Mapping) and any(_list(values) is not None for values in arrays.values())
        for arrays in source.values()
    )


def fold_records(source: Mapping) -> Iterator[dict[str, Any]]:
    """Yield one record per algorithm and fold, without arrays that contain other objects than numbers and texts."""
    _check_folds(source)
    labelled = iter(align(*(values for own in source.values() for values in own.values())))
    for algorithm, own in source.items():
        columns = {key: _list(next(labelled)) for key in own}
        arrays = {
            k: v
            for k, v in columns.items()
            if v is not None and all(isinstance(x, _PLAIN) for x in v)
        }
        rows: list[dict[str, Any]] = [
            {"algorithm": str(algorithm), "fold": str(i + 1)}
            for i in range(max(map(len, arrays.values()), default=0))
        ]
        for key, array in arrays.items():
            for row, value in zip(rows, array, strict=False):
                row[key] = value
        yield from rows


def _check_folds(source: Mapping) -> None:
    """Raise DataError if algorithms differ in the number of folds or in known test instances."""
    n_folds = {}
    for algorithm, arrays in source.items():
        lists = [values for values in map(_list, arrays.values()) if values is not None]
        n_folds[str(algorithm)] = max(map(len, lists), default=0)
    fold_arrays.check_numbers_of_folds(n_folds)
    tests = {str(name): fold_arrays.test_instances(arrays) for name, arrays in source.items()}
    fold_arrays.check_test_instances({name: test for name, test in tests.items() if test})


def _list(values: Any) -> list | None:
    """Return the values of a list or one-dimensional array, None for other objects."""
    return (
        list(values)
        if isinstance(values, (list, tuple)) or getattr(values, "ndim", 0) == 1
        else None
    )


def texts_of(source: Any, *, results: Collection[str] = ()) -> pd.DataFrame:
    """Return a data frame as strings, with column names in the first row.

    Index columns come first; an unnamed index of integers is left out. Numbers have all their
    digits, missing values are "", and truth values in columns of results are 1 and 0.
    """
    if isinstance(source, pd.DataFrame):
        source = _with_index(source)
        columns = [(_joined(name), source.iloc[:, i]) for i, name in enumerate(source.columns)]
    else:
        native = _native(source)
        columns = [(name, native[name]) for name in native.columns]
    columns = [
        (name, frames.truths_as_numbers(column) if name in results else column)
        for name, column in columns
    ]
    texts = [[name, *_written(_own(column))] for name, column in columns]
    return pd.DataFrame(dict(enumerate(texts)), dtype=object)


def _native(source: Any) -> Any:
    """Return a data frame of any library as a narwhals frame, None for other objects."""
    if isinstance(source, (str, bytes, bytearray, memoryview, PathLike)):
        return None
    import narwhals

    native = narwhals.from_native(frames.collected(source), eager_only=True, pass_through=True)
    return native if isinstance(native, narwhals.DataFrame) else None


def _own(column: Any) -> Any:
    """Return a column of narwhals as that of its library, others unchanged."""
    return column.to_native() if hasattr(column, "to_native") else column


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with its index as first columns; unchanged if the index holds integers and has no name."""
    names = frames.names_of_index(frame)
    if not names:
        return frame
    index = frame.index.to_frame(index=False).set_axis(names, axis=1)
    return pd.concat([index, frame.reset_index(drop=True)], axis=1)


def _joined(name: Any) -> str:
    """Return a column name as a string, several levels joined by blanks."""
    parts = name if isinstance(name, tuple) else (name,)
    return " ".join(str(part) for part in parts if str(part))


def _written(column: Any) -> list[str]:
    """Return the values of a column as strings, "" if missing."""
    kind = str(column.dtype if hasattr(column, "dtype") else column.type)
    # as Python floats, numbers in single precision would be written with spurious digits
    write = (
        text_of
        if kind not in _SINGLE
        else lambda value: "" if pd.isna(value) else str(np.float32(value))
    )
    if hasattr(column, "dictionary_encode"):  # of Arrow: each distinct value is written once
        column = (
            column.cast(column.type.value_type) if kind.startswith("dictionary") else column
        ).combine_chunks()
        with suppress(NotImplementedError):  # for lists
            coded = column.dictionary_encode("encode")
            return np.array(list(map(write, coded.dictionary.to_pylist())), dtype=object)[
                coded.indices
            ].tolist()
    return list(
        map(write, column.to_pylist() if hasattr(column, "to_pylist") else column.to_list())
    )


def text_of(value: Any) -> str:
    """Return a value as text with all digits, "" if missing."""
    if value is None or value is pd.NaT or value is pd.NA or value != value:
        return ""
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def text_type(cells: int) -> pd.StringDtype:
    """Return the string dtype: Python objects for few distinct texts (faster), Arrow, if installed, for many (less memory)."""
    return pd.StringDtype(
        "pyarrow" if cells >= _FEW and find_spec("pyarrow") else "python", na_value=np.nan
    )


def parse_delimited(name: str, text: str, notes: Sequence[Message] = ()) -> TextTable:
    """Return the table in text separated by comma, semicolon, tab or |; raise DataError if there is none."""
    if text.lstrip().startswith("<"):
        raise not_a_table("a web page or XML", name)
    separator, text = _separator(text)
    if not text.strip():
        raise data_error("empty file", name)
    return as_table(name, parse_lines(name, text, separator), notes, comma=separator == ",")


def as_table(
    name: str,
    frame: pd.DataFrame,
    notes: Sequence[Message] = (),
    *,
    comma: bool = False,
    named: bool = False,
) -> TextTable:
    """Return a table of texts whose first nonblank row is the header; raise DataError if header or rows are faulty.

    If `named`, the header is known to hold names, also if these are numbers.
    """
    frame, invisible_notes = text_cells.remove_invisible(_trimmed(name, frame))
    frame, header_notes = (frame, []) if named else text_cells.one_header(frame)
    frame, coded = _decoded(_tidy(name, frame, named=named))
    frame, other_notes = _drop_row_numbers(frame)
    frame, fill_notes = text_cells.filled_down(frame)
    other_notes = [*other_notes, *fill_notes]
    plain, group_notes = (
        ({}, []) if named else digit_groups.without_groups(name, frame, comma=comma)
    )
    frame = frame.assign(**plain) if plain else frame
    filled = {str(name) for note in fill_notes for name in note["columns"]}
    coded = {name: codes for name, codes in coded.items() if name not in {*plain, *filled}}
    other_notes = [*invisible_notes, *header_notes, *other_notes, *group_notes]
    decimal_comma = not comma and text_cells.uses_decimal_comma(frame)
    if decimal_comma:
        text_cells.check_thousands(name, frame)
        other_notes.append(message("decimal commas"))
    table = TextTable(
        name=name, frame=frame, notes=(*notes, *other_notes), decimal_comma=decimal_comma
    )
    table.codes.update(coded)
    return table


def decompress(name: str, content: bytes) -> bytes:
    """Return the decompressed content of a gzip file, other content unchanged; raise DataError for a broken file."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    pieces, size, lines = [], 0, 0
    limits = current_limits()
    if content.count(b"\x1f\x8b\x08") > _MOST_MEMBERS:
        raise data_error("broken gzip", name, error=f"more than {_MOST_MEMBERS:,} parts")
    with (
        parser_boundary(name, "gzip file", "broken gzip"),
        gzip.GzipFile(fileobj=io.BytesIO(content)) as file,
    ):
        while piece := file.read(_PIECE):  # refused as soon as it exceeds a limit
            pieces.append(piece)
            size, lines = size + len(piece), lines + piece.count(b"\n")
            limits.check_unpacked(name, len(content), size)
            limits.check(name, "lines", lines)
    return b"".join(pieces)


def cells_of(content: bytes) -> int:
    """Return about how many cells a file of delimited text has, 0 for other files.

    These are its lines times the cells of its first line.
    """
    first = content.lstrip()[:_LONGEST_HEADER].partition(b"\n")[0]
    if not first or b"\0" in first or first[:1] in b"{[" or first.startswith((b"PK", b"<")):
        return 0
    return content.count(b"\n") * (1 + max(first.count(mark.encode()) for mark in _SEPARATORS))


def decode_text(name: str, content: bytes, encoding: str = "") -> tuple[str, list[Message]]:
    """Return content decoded as text, with notes; raise DataError for another kind of file or an empty one.

    The encoding that the user has named applies to content that is not UTF-8.
    """
    for kind, entry in TEXTS["other files"].items():
        if content.startswith(tuple(start.encode("latin-1") for start in entry["starts"])):
            raise not_a_table(kind, name)
    marked = next((encoding for mark, encoding in _MARKED if content.startswith(mark)), "")
    likely = [marked] if marked else _encodings_of(name, content, encoding)
    try:
        text = content.decode(likely[0])
    except UnicodeError as error:
        raise _undecided(name, content, getattr(error, "start", 0), encoding) from None
    notes = []
    if likely[0] in _ENCODINGS and not encoding:
        words = (match[0] for match in _WORD.finditer(text) if not match[0].isascii())
        odd = next(words, text[:40])
        values = {"file": name, "encoding": _ENCODINGS[likely[0]], "word": odd}
        notes = [message("not UTF-8", **values)]
        if len(likely) > 1:
            letters = other_letters(*likely[:2])
            word = next(
                (word for word in chain([odd], words) if word.translate(letters) != word), odd
            )
            values |= {
                "word": word,
                "other": _ENCODINGS[likely[1]],
                "other_word": word.translate(letters),
            }
            notes = [message("two encodings", **values, likely=tuple(likely))]
    if likely[0] == "utf-7":  # which can hold lone surrogates
        text = text.encode(errors="replace").decode()
    if "\0" in text:
        raise not_a_table("a binary file", name)
    text = current_limits().composed(name, text)
    if not text.strip():
        raise data_error("empty file", name)
    return text, notes


def other_letters(encoding: str, other: str) -> dict[int, str]:
    """Return a table for `str.translate` from text in one encoding of single bytes to the same bytes in another."""
    high = bytes(range(128, 256))
    return {
        ord(a): b
        for a, b in zip(
            high.decode(encoding, "replace"), high.decode(other, "replace"), strict=True
        )
    }


_MARKED = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_DATA = read_texts("io/encodings.toml")
_ENCODINGS = _DATA["titles"]
_LATIN = (
    "cp1252",
    "iso-8859-15",
    "cp1250",
    "iso-8859-2",
    "mac_roman",
    "cp437",
    "cp1254",
    "cp1257",
    "cp1258",
)
_OF_ONE_LANGUAGE = {
    "cp1257": "baltic",
    "cp1258": "vietnamese",
}  # which other readings of few letters exclude
_FEW_LETTERS = 2
_UNUSED = re.compile("|".join(_DATA["unused"]["patterns"]), re.IGNORECASE)
_WORD = re.compile(r"[^\s,;|\"{}\[\]]+")
_WORDS = re.compile(r"[^\W\d_]+")
_SIGNS = frozenset("±–—‘’“”„°§µ×…·•€£«»²³†‡")
_UTF_7 = re.compile(rb"\+A[C-P][AEIMQUYcgkosw048]-")  # a Latin letter with an accent
_LETTERS = 1_000_000  # bytes whose letters decide on the encoding
_MOST_LETTERS = 100_000  # beyond ASCII, that decide between Asian encodings
_CONTROL = re.compile("[\x80-\x9f]")  # unused letters of ISO 8859, which other encodings use
_WITHOUT_ASCII = bytes(i if i == ord("\n") or i > 127 else ord(" ") for i in range(256))


def _encodings_of(name: str, content: bytes, named: str) -> list[str]:
    """Return the encodings in which content without a mark can be read, likeliest first; raise DataError if there is none."""
    for encoding, zeros, others in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        head = content[:1000]
        if head[zeros::2].count(0) > 0.3 * len(head) / 2 and not head[others::2].count(0):
            return [named or encoding]
    try:
        content.decode()
        return [
            (named or "utf-7")
            if content.isascii() and (named or _UTF_7.search(content))
            else "utf-8"
        ]
    except UnicodeDecodeError as error:
        start = error.start
    if named or b"\0" in content:
        return [named or "utf-8"]  # which a binary file is not
    lines = set(content.translate(_WITHOUT_ASCII).split(b"\n"))
    if any(line.decode(errors="ignore").encode() == line for line in lines if not line.isascii()):
        raise _undecided(name, content, start, mixed=True)
    longest = max(
        len(run) for line in lines for run in line.split()
    )  # European words have few accents in a row
    fitting, readable = _readings(content) if longest < 5 else ([], [])
    asian = [
        encoding for encoding, is_likely in _ASIAN.items() if is_likely(_letters(content, encoding))
    ]
    likely = [encodings for encodings in (asian, _scripts_of(content)) if encodings]
    if (fitting or longest < 4) and (fitting and longest < 4 or not likely):
        return fitting or readable
    is_other = asian == ["euc_jp"] and not re.search("[\u3041-\u30fe]", _letters(content, "euc_jp"))
    if len(likely) != 1 or len(asian) > 1 or is_other:  # may be Chinese or Korean
        raise _undecided(name, content, start)
    return likely[0]


def encoding_for(content: bytes, named: str) -> str:
    """Return the encoding that the user has named, "" if this one of several files more likely has another."""
    if (
        not named or len(bytes(range(256)).decode(named, "replace")) < 256
    ):  # several bytes for a letter
        return named
    codec, scripts = (
        codecs.lookup(named),
        [codecs.lookup(encoding) for encoding in _scripts_of(content)],
    )
    if any(
        codec == codecs.lookup(encoding)
        for script in _DATA["scripts"].values()
        for encoding in script["encodings"]
    ):
        return named if codec in scripts else ""
    with suppress(UnicodeDecodeError):
        return named if not scripts and _is_spelled(content.decode(named)[:_LETTERS]) else ""
    return ""


def _readings(content: bytes) -> tuple[list[str], list[str]]:
    """Return the Latin encodings in which content is plausible text, and all in which it is text, likeliest first."""
    texts, sample = dict[str, str](), _accented_words(content)
    for encoding in _LATIN:
        with suppress(UnicodeDecodeError):
            text = unicodedata.normalize("NFC", sample.decode(encoding))
            if not _CONTROL.search(text):
                texts.setdefault(text, encoding)
    fitting: list[str] = []
    for text, encoding in texts.items():
        if not _is_spelled(text):
            continue
        words = {
            "".join(c.lower()[0] for c in word)
            for word in _WORDS.findall(text)
            if not word.isascii()
        }
        if group := _OF_ONE_LANGUAGE.get(encoding):
            letters = {letter for word in words for letter in word if not letter.isascii()}
            others = {
                letter for other in texts if texts[other] in fitting for letter in other.lower()
            }
            fits = any(letters <= {*alphabet} for alphabet in _DATA["latin"][group])
            fits &= len(fitting) != 1 or len(letters - others) >= _FEW_LETTERS
        else:
            groups = (_DATA["latin"][group] for group in ("western", "central"))
            fits = any(
                all(
                    any({c for c in word if not c.isascii()} <= {*letters} for letters in group)
                    for word in words
                )
                for group in groups
            )
        fitting += [encoding] * fits
    return fitting, [*texts.values()]


def _accented_words(content: bytes) -> bytes:
    """Return the distinct words with letters beyond ASCII in the beginning of content, separated by blanks."""
    words = dict.fromkeys(re.findall(rb"[\w\x80-\xff]+", content[:_LETTERS]))
    return b" ".join(word for word in words if not word.isascii())


def _is_spelled(text: str) -> bool:
    """Return whether letters form words: no capital follows a small letter, no sign a letter, nothing is in `_UNUSED`."""
    for match in re.finditer("[^\0-\x7f]", text):
        start, letter = match.start(), match[0]
        before, after = text[max(start - 1, 0) : start], text[start + 1 : start + 2]
        if not letter.isalpha() or letter in "µªº":
            if letter not in _SIGNS or (before.isalpha() and letter not in "†‡²³’”»"):
                return False
            if after.isalpha() and letter not in "’“„«‘µ":
                return False
        elif letter.isupper() and before.islower():
            return False
    return not _UNUSED.search(text)


def _scripts_of(content: bytes) -> list[str]:
    """Return the encodings of other alphabets than Latin in which content is plausible text, likeliest first.

    The letters of each distinct word are compared with their frequencies in a language. Encodings
    are left out that are a hundred times less likely than the likeliest one.
    """
    scores, sample = dict[str, float](), _accented_words(content)
    for script in _DATA["scripts"].values():
        for encoding in script["encodings"]:
            with suppress(UnicodeDecodeError):
                text = sample.decode(encoding)
                words = {word for word in _WORDS.findall(text) if not word.isascii()}
                if words and _is_spelled(text):
                    scores[encoding] = max(
                        _likelihood(words, letters) for letters in script["letters"]
                    )
    best = max(scores.values(), default=-np.inf)
    likely = [
        encoding for encoding in scores if scores[encoding] > max(best - np.log(100), -np.inf)
    ]
    return sorted(likely, key=lambda encoding: -scores[encoding])


def _likelihood(words: set[str], letters: str) -> float:
    """Return the log-likelihood of words whose letters have falling frequencies, minus infinity for other letters."""
    n = len(letters)
    ranks = [letters.find(letter) for word in words for letter in word.lower()]
    n_capitals = sum(
        letter.isupper() for word in words for letter in word[1:]
    )  # small letters are e times as likely
    if min(ranks) < 0 or np.mean(ranks) > n / 2 or n_capitals > len(ranks) / 2:
        return -np.inf
    return -n_capitals - sum(3 * rank / n + np.log(n * (1 - np.exp(-3)) / 3) for rank in ranks)


def _letters(content: bytes, encoding: str) -> str:
    """Return the letters beyond ASCII in content, "" if it is not in this encoding."""
    with suppress(UnicodeDecodeError):
        return re.sub(r"[\0-\x7f]+", "", content.decode(encoding)[:_LETTERS])[:_MOST_LETTERS]
    return ""


def _are_chinese(letters: str) -> bool:
    """Return whether most letters are common Chinese ones, and some are in a range that Korean does not use."""
    leads = [code[0] for letter in letters if len(code := letter.encode("gb2312", "replace")) == 2]
    common = sum(0xB0 <= lead <= 0xD7 for lead in leads)
    return (
        any(0xC8 < lead <= 0xD7 for lead in leads)
        and not {0xA4, 0xA5} & {*leads}
        and common > 0.7 * len(letters)
    )


def _are_japanese(letters: str) -> bool:
    """Return whether all letters are kana, common kanji or of full width, and some are no signs."""
    kana = re.findall("[\u3041-\u30fe]", letters)
    common = sum(
        0x88 <= letter.encode("cp932")[0] <= 0x97
        for letter in re.findall("[\u4e00-\u9fff]", letters)
    )
    signs = re.findall("[\u3000-\u303f\uff01-\uff5e]", letters)
    return len(kana) + common > 0 and len(kana) + common + len(signs) > 0.9 * len(letters)


def _are_traditional(letters: str) -> bool:
    """Return whether most letters are common ones of Big5, and some have a second byte that other encodings lack."""
    codes = [code for letter in letters if len(code := letter.encode("big5", "replace")) == 2]
    return any(code[1] < 0x80 for code in codes) and sum(
        0xA4 <= c[0] <= 0xC6 for c in codes
    ) > 0.9 * len(letters)


def _are_korean(letters: str) -> bool:
    """Return whether letters are Korean syllables, of which a third or more are frequent."""
    frequent = sum(letter in _DATA["syllables"]["korean"] for letter in letters)
    return bool(re.fullmatch("[\uac00-\ud7a3]+", letters)) and 3 * frequent >= len(letters)


_ASIAN = {
    **{
        "gb18030": _are_chinese,
        "cp932": _are_japanese,
        "big5": _are_traditional,
        "euc_kr": _are_korean,
    },
    "euc_jp": lambda letters: (
        _are_japanese(letters) and not _are_korean(_letters(letters.encode("euc_jp"), "euc_kr"))
    ),
}


def _undecided(
    name: str, content: bytes, start: int, encoding: str = "", *, mixed: bool = False
) -> DataError:
    """Return the error for content in several, unknown or another encoding, with the place of the first such byte."""
    line, byte = content.count(b"\n", 0, start) + 1, start - content.rfind(b"\n", 0, start)
    if encoding:
        return data_error("other encoding", name, line, byte=byte, encoding=encoding)
    return data_error("unknown encoding", name, line, byte=byte, mixed=mixed)


def _separator(text: str) -> tuple[str, str]:
    """Return the separator, from a "sep=" line or else the header, and the text with lines before the header blanked.

    Comments ("#") may precede the header, too. Line numbers do not change.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    above = _ABOVE.match(text)
    start = above.end() if above else 0
    line = text[start : text.find("\n", start) + 1 or len(text)]
    if match := re.fullmatch(r"sep=(.)", line.strip()):
        return match[1], "\n" * (text.count("\n", 0, start) + 1) + text[start + len(line) :]
    header = re.sub(r'"[^"]*"', "", line)
    return max(_SEPARATORS, key=header.count), "\n" * text.count("\n", 0, start) + text[
        start:
    ] if start else text


def parse_lines(
    name: str, text: str, separator: str, quote: str = '"', first: int = 1
) -> pd.DataFrame:
    """Return the cells of delimited text, indexed by line, also blank ones; raise DataError for unequal widths.

    The first line has the number `first`.
    """
    dialect: dict[str, Any] = {"quotechar": quote, "skipinitialspace": True}
    dialect["escapechar"] = None if quote == '"' else "\\"
    lines = (line for line in io.StringIO(text) if line.strip())
    header = next(_rows_of(lines, name, first, delimiter=separator, **dialect))[1]
    width, n_lines = len(header), text.count("\n") + 1
    current_limits().check_size(name, n_lines, width)
    ragged = partial(_ragged, name, text, first, delimiter=separator, **dialect)
    most_cells = max(len(text) + 1, current_limits().markup)  # as many as letters
    lacks_cells = text.lstrip().count("\n") * width > most_cells
    is_checked = lacks_cells or not header[-1].strip() or not _is_even(text, separator, quote)
    problems, lacks_corner = ragged() if is_checked else ([], False)
    if lacks_cells or (problems and not lacks_corner):
        raise DataError(problems or [problem_of("broken table", name)])
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            header=None,
            dtype=object,
            low_memory=False,
            keep_default_na=False,
            na_filter=False,
            skip_blank_lines=False,
            names=range(width + 1),  # one extra column catches rows that are too long
            index_col=False,
            **dialect,
        )
    except (pd.errors.ParserError, csv.Error, ValueError) as error:
        if "EOF inside string" in str(error):  # pandas reports it only as text
            raise data_error("open quotation mark", name) from None
        raise DataError(ragged()[0] or [problem_of("broken table", name)]) from None
    frame.index = range(first, first + len(frame))
    if lacks_corner:  # R's write.table omits the header cell above the row names
        row = int((frame != "").any(axis=1).idxmax())
        frame.loc[row] = ["", *frame.loc[row, : width - 1]]
        return frame
    if not is_checked and (
        (frame[width] != "").any() or (quote in text and (frame[width - 1] == "").any())
    ):
        if problems := ragged()[0]:
            raise DataError(problems)
    return frame.iloc[:, :width]


def _is_even(text: str, separator: str, quote: str) -> bool:
    """Return whether all lines except empty ones have equally many separators, apart from quoted ones.

    Quotation marks within a cell are taken for those around it.
    """
    letters = np.frombuffer(text.encode(errors="replace"), np.uint8)
    is_end, is_separator = letters == ord("\n"), letters == ord(separator)
    if quote in text:
        is_unquoted = np.cumsum(letters == ord(quote), dtype=np.uint8) % 2 == 0
        if not is_unquoted[-1]:
            return True  # the parser reports the open quotation mark
        is_end &= is_unquoted
        is_separator &= is_unquoted
    ends = np.append(np.flatnonzero(is_end), len(letters))
    counts = np.diff(np.searchsorted(np.flatnonzero(is_separator), ends), prepend=0)
    return len(np.unique(counts[np.diff(ends, prepend=-1) > 1])) < 2


def _rows_of(
    lines: Iterable[str], name: str, first: int, **dialect: Any
) -> Iterator[tuple[int, list[str]]]:
    """Yield last line number and cells of each row; raise DataError for a cell that is too long."""
    reader, last_line = csv.reader(lines, **dialect), first - 1
    try:
        for row in reader:
            last_line = reader.line_num + first - 1
            yield last_line, row
    except csv.Error:  # the csv module accepts up to 131,072 characters
        current_limits().check(name, "cell", current_limits().cell + 1, row=last_line + 1)


def _ragged(name: str, text: str, first: int, **dialect: Any) -> tuple[list[Problem], bool]:
    """Return the problems of the first rows with more or fewer cells than the header, and whether all have one more.

    Neither blank rows nor empty cells beyond the header's last name count.
    """
    problems: list[Problem] = []
    width, lacks_corner = 0, True
    for line, row in _rows_of(io.StringIO(text), name, first, **dialect):
        if row and len(row) == width and row[-1]:
            lacks_corner = False
        elif any(map(str.strip, row)):
            n = len(without_empty_ends(row, width))
            lacks_corner &= not width or n == width + 1
            if width and n != width and len(problems) < _MOST_PROBLEMS:
                code = "too many cells" if n > width else "too few cells"
                problems.append(problem_of(code, name, line, width=width, cells=n))
            width = width or n
        if len(problems) == _MOST_PROBLEMS and not lacks_corner:
            break
    return problems, lacks_corner and bool(problems)


def _trimmed(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with stripped texts and without blank rows; DataError if all are blank or a cell is too long."""
    columns, filled = {}, np.zeros(len(frame), dtype=bool)
    for position, column in frame.items():
        places, labels = np.arange(len(column)), column.to_numpy()
        if is_long := len(column) > _FEW_LINES:
            places, labels = pd.factorize(labels, use_na_sentinel=False)
        bare = _bare(labels.tolist())
        lengths = np.fromiter(map(len, bare), int, len(bare))
        if lengths.max(initial=0) > current_limits().cell:
            row = int(frame.index[(places == lengths.argmax()).argmax()])
            current_limits().check(name, "cell", int(lengths.max()), row=row)
        filled |= lengths[places] > 0
        texts = np.array(bare, dtype=object)
        if is_long and (texts != labels).any():
            merged, texts = pd.factorize(texts)
            places = merged[places]
        categories = pd.Index(texts, dtype=object)
        columns[position] = pd.Categorical.from_codes(places, categories) if is_long else texts
    if not filled.any():
        raise data_error("empty file", name)
    trimmed = pd.DataFrame(
        columns, index=frame.index, dtype=None if len(frame) > _FEW_LINES else text_type(0)
    )
    return trimmed if filled.all() else trimmed[filled]


def _decoded(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, text_cells.Coded]]:
    """Return the table with categorical columns as texts, and these as codes and distinct texts, by column."""
    columns, coded = dict(frame), {}
    for name, column in frame.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes, used = pd.factorize(column.cat.codes.to_numpy())
            texts = column.cat.categories.to_numpy(dtype=object)[used]
            coded[str(name)] = codes, texts.tolist()
            columns[name] = pd.Series(texts[codes], index=frame.index, dtype=text_type(len(texts)))
    return (pd.DataFrame(columns) if coded else frame), coded


def _bare(cells: list) -> list[str]:
    """Return stripped cells without bold markers and formula-escaping apostrophes, "" if missing."""
    texts = [cell.strip() if isinstance(cell, str) else "" for cell in cells]
    joined = "".join(texts)
    if "**" in joined:
        texts = [_BOLD.sub(r"\2", text) for text in texts]
    if "'" not in joined:
        return texts
    return [unescape_spreadsheet_formula(text) if text.startswith("'") else text for text in texts]


def _tidy(name: str, frame: pd.DataFrame, *, named: bool) -> pd.DataFrame:
    """Return the table with its first row as header, without empty columns; DataError if faulty or without rows."""
    header, body = frame.head(1).astype(object).iloc[0], frame.iloc[1:]
    filled = [bool(text) or _holds_words(body[position]) for position, text in header.items()]
    if not all(filled):
        body, header = body.loc[:, filled], header[filled]
    # unnamed index columns, as pandas writes them
    for position in range(1, next((i for i, text in enumerate(header) if text), 1)):
        header.iloc[position] = f"row {position + 1}"
    body.columns = list(header)
    problems = _header_problems(name, header, body, named=named) if len(header) else []
    if not problems and body.empty:
        problems = [problem_of("only a header", name, header=len(header) > 0)]
    if problems:
        raise DataError(problems)
    return body


def _holds_words(cells: pd.Series) -> bool:
    """Return whether a column holds more than one mark, which only decorates its neighbour."""
    distinct = set(text_cells.distinct_names(cells)) - {""}
    return len(distinct) > 1 or any(character.isalnum() for text in distinct for character in text)


def _are_names(numbers: list[str], body: pd.DataFrame) -> bool:
    """Return whether headers that are numbers count up from 0 or 1, like resamples, or are integers above fractions."""
    if len(numbers) > 2 and any(
        numbers == [str(i + first) for i in range(len(numbers))] for first in (0, 1)
    ):
        return True
    if (
        not all(text.isdigit() for text in numbers)
        or len(set(numbers)) < max(2, len(numbers))
        or body.empty
    ):
        return False
    cells = body.iloc[:, 1:].map(str)
    return bool(
        cells.apply(lambda column: column.str.contains(r"[.,]\d", regex=True).mean() > 0.5).all()
    )


def _header_problems(
    name: str, header: pd.Series, body: pd.DataFrame, *, named: bool
) -> list[Problem]:
    """Return the problems of a header, such as repeated names or numbers as names; [] if there are none."""
    texts = list(header)
    current_limits().check(name, "name", max(map(len, texts)), row=1)
    if len(texts) == 1:
        return [problem_of("one column", name, 1, name=texts[0])]
    are_numbers = pd.notna(pd.to_numeric(np.array(texts, dtype=object), errors="coerce"))
    has_fraction = any(re.fullmatch(r"[+-]?[0-9]*[.][0-9]+", text) for text in texts)
    all_numbers = are_numbers[1:].all()
    only_numbers = all_numbers and not _are_names(texts[1:], body)
    is_result = only_numbers or (has_fraction and not vocabulary.guess_roles(texts))
    if is_result and not named:
        examples = ", ".join(text[:80] for text in texts[:3])
        return [
            problem_of(
                "no column names",
                name,
                1,
                numbers=all_numbers and are_numbers[0],
                examples=examples,
            )
        ]
    counts = {text: n for text, n in Counter(texts).items() if text and n > 1}
    second, below = (
        list(body.iloc[0]) if counts and len(body) > 1 else [],
        body.iloc[1:4].to_numpy().ravel(),
    )
    if len(set(zip(texts, second, strict=False))) == len(texts) and not any(
        map(_FRACTION.fullmatch, second)
    ):
        if any(map(_FRACTION.fullmatch, below)):  # the second row makes the names unique
            first, n = next(iter(counts.items()))
            above = ", ".join(text[:80] for text in second[1:4])
            values = {
                "name": first,
                "n": n,
                "below": second[texts.index(first)],
                "second_header": above,
            }
            return [problem_of("two rows of names", name, 1, **values)]
    problems = [
        problem_of("repeated column name", name, 1, text, n=n) for text, n in counts.items()
    ]
    if broken := [text for text in texts if "\n" in text]:
        problems.append(problem_of("column name on several lines", name, 1, name=broken[0]))
    if "" in texts[1:]:
        problems.append(problem_of("column without name", name, 1, place=texts.index("", 1) + 1))
    return problems


def _drop_row_numbers(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Message]]:
    """Return the table without an unnamed first column of row numbers, as R and pandas write it, and a note.

    Numbers that repeat, as in concatenated pandas tables, are kept as the fold unless texts
    distinguish the rows; other values are kept as "row". Then there is no note, [], and "Unnamed:
    0" keeps its name.
    """
    if frame.columns[0] not in ("", "Unnamed: 0"):
        return frame, []
    numbers = pd.to_numeric(frame.iloc[:, 0], errors="coerce")
    repeats = numbers.notna().all() and numbers.duplicated().any()
    texts = [n for n in frame.columns[1:] if repeats and 2 * frame[n].nunique() <= len(frame)]
    texts = [n for n in texts if pd.to_numeric(frame[n], errors="coerce").isna().all()]
    counts = numbers.notna().all() and (numbers.diff().dropna() == 1).all()
    if not counts and (not texts or frame[texts].duplicated().any()):
        name = (
            "fold"
            if repeats and "fold" not in vocabulary.guess_roles(frame.columns).values()
            else "row"
        )
        while name in frame.columns:
            name = f"{name} "
        return frame.rename(columns={"": name}), []
    return frame.iloc[:, 1:], [message("row numbers left out")]


Row = tuple[int, list[str]]  # line and cells

_MAX_MARKUP = 300  # characters of a cell; longer cells are neither names nor numbers
_NUMBER = r"([+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?(?:\s*+%)?)"
_REST = r"\s*+((?:\u00b1|\+/?-|[(\[]).*|[*\u2020\u2021\u00a7\u00b6#\u2217\u22c6\u2605\u2022]+)"
_WITH_REST = re.compile(f"^{_NUMBER}{_REST}?$", re.DOTALL)
_ARROWS = {"\u2191": "higher is better", "\u2193": "lower is better"}


def table_from_rows(name: str, rows: Sequence[Row], notes: Sequence[Message] = ()) -> TextTable:
    """Return a table built from rows, shorter ones filled up; the first header cell may be missing.

    Raise DataError if there are no rows, or for rows longer than the header, apart from empty cells
    at their ends.
    """
    if not rows:
        raise data_error("no table in text", name)
    line, header = rows[0]
    if rows[1:] and text_cells.names_only(rows[1][1]) and len(rows[1][1]) > len(header):
        # a row of groups above a second header
        header = [*header, *[""] * (len(rows[1][1]) - len(header))]
    elif {len(cells) for _, cells in rows[1:]} == {len(header) + 1}:
        header = ["", *header]
    width = len(header)
    rows = [
        (line, header),
        *((row_line, without_empty_ends(cells, width)) for row_line, cells in rows[1:]),
    ]
    if long := [(row_line, len(cells)) for row_line, cells in rows if len(cells) > width]:
        raise DataError(
            [
                problem_of("cells of markup", name, row_line, width=width, cells=n)
                for row_line, n in long
            ]
        )
    current_limits().check(name, "columns", width)
    current_limits().check_built(name, len(rows) * width, sum(len(cells) for _, cells in rows))
    filled = [cells + [""] * (width - len(cells)) for _, cells in rows]
    return as_table(
        name, pd.DataFrame(filled, index=[row_line for row_line, _ in rows], dtype=object), notes
    )


def without_empty_ends(cells: list[str], width: int = 0) -> list[str]:
    """Return the cells without trailing empty ones, but at least `width` cells."""
    end = len(cells)
    while end > width and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


@contextmanager
def parser_boundary(
    name: str, kind: str, code: str = "broken file", **values: Any
) -> Iterator[None]:
    """Convert exceptions of a parser, of any type, into the DataError with a code.

    It stands around calls of other libraries only, so that faults of Foldwise still reach the log
    as such. The values of the code are `kind` and `error`, besides the given ones.
    """
    try:
        yield
    except FoldwiseError:
        raise
    except ImportError as error:
        package = str(error.name or "").partition(".")[0]
        raise data_error("package missing", name, kind=kind, package=package) from None
    except MemoryError:
        raise data_error("too little memory", name, kind=kind) from None
    except Exception as error:
        _LOG.info("%s: %r", kind, error)
        shown = text_cells.visible_text(str(error))[:_LONGEST_REASON] or type(error).__name__
        raise data_error(code, name, kind=kind, error=shown, **values) from None


def parsed_by(name: str, kind: str, items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield what a parser yields, with its exceptions converted as by `parser_boundary`."""
    with parser_boundary(name, kind):
        yield from items


def as_written(
    name: str, rows: Sequence[Row], notes: Sequence[Message], clean: Callable[[str], str]
) -> TextTable:
    """Return a table without the markup of papers and web pages.

    `clean` removes the markup of a cell; the first of several numbers in a cell is the result; an
    arrow after the name of a column states its direction.
    """
    clean = cache(clean)
    plain = [
        (row_line, [clean(c) if len(c) <= _MAX_MARKUP else c for c in cells])
        for row_line, cells in rows
    ]
    if plain:
        line, header = plain[0]
        plain[0] = line, [_with_direction(text) for text in header]
    return first_numbers(table_from_rows(name, plain, notes))


def _with_direction(name: str) -> str:
    stripped = name.rstrip(" ()\u2191\u2193")
    directions = {_ARROWS[mark] for mark in name[len(stripped) :] if mark in _ARROWS}
    return f"{stripped} ({directions.pop()})" if stripped and len(directions) == 1 else name


def first_numbers(table: TextTable) -> TextTable:
    """Return the table with cells like "0.93 (2)" cut to their first number and a note added; else unchanged."""
    frame, remainders = table.frame.copy(), []
    for name, texts in table.frame.items():
        codes, distinct = text_cells.coded(table, name)
        matches = [_WITH_REST.match(cell) for cell in distinct]
        if not any(match and match[2] for match in matches):
            continue
        counts = np.bincount(codes, minlength=len(distinct)).tolist()
        filled = sum(
            n for cell, n in zip(distinct, counts, strict=True) if cell.lower() not in ABSENT
        )
        if sum(n for match, n in zip(matches, counts, strict=True) if match) >= 0.5 * filled:
            remainders += [rest for code in codes if (rest := matches[code] and matches[code][2])]
            numbers = [
                m[1].strip() if m else cell for m, cell in zip(matches, distinct, strict=True)
            ]
            frame[name] = pd.Series(
                np.array(numbers, dtype=object)[codes], index=texts.index, dtype=texts.dtype
            )
    if not remainders:
        return table
    note = message("first number read", cells=len(remainders), example=remainders[0][:40])
    return replace(table, frame=frame, notes=(*table.notes, note))
