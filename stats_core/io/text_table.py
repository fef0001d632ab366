"""From bytes to a table of texts."""

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, Problem
from stats_core.core.formatting import format_count, quote, unescape_spreadsheet_formula
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.numbers import NumericTable, check_thousands, uses_decimal_comma
from stats_core.io.limits import current_limits
from stats_core.io.reshape import one_header, without_tags
from stats_core.io.unicode_lookalikes import remove_invisible
from stats_core.io.vocabulary import guess_roles

_PIECE = 8_000_000  # bytes unpacked at a time
SEPARATORS = (",", ";", "\t", "|")

_AS_CSV = "Export the results as CSV"
_UNREADABLE = (
    (b"PK\x03\x04", "a zip file", "Unpack it and choose the files in it"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file", "In Excel: Save as > .xlsx or CSV UTF-8"),
    (b"%PDF", "a PDF file", "Copy the table and paste it as text, or export the results as CSV"),
    (b"\x89PNG", "a picture", _AS_CSV),
    (b"\x1f\x8b", "a gzip file inside a gzip file", "Unpack it once"),
    (b"BZh", "a bzip2 file", "Unpack it and choose the file in it"),
    (b"\xfd7zXZ", "an xz file", "Unpack it and choose the file in it"),
    (b"7z\xbc\xaf", "a 7z file", "Unpack it and choose the file in it"),
    (b"\xff\xd8\xff", "a picture", _AS_CSV),
    (b"\x89HDF", "an HDF5 file", _AS_CSV),
    (b"SQLite format", "a database", _AS_CSV),
    (b"\x93NUMPY", "a NumPy file", _AS_CSV),
    (b"\x80\x04", "a pickle", _AS_CSV),
    (b"RDX", "an R data file", _AS_CSV),
)
_BOLD = re.compile(r"^(\*{2,3})(?=\S)(.+?)(?<=\S)\1$")
_FEW = 200_000  # cells


def text_type(cells: int) -> pd.StringDtype:
    """Few texts are kept by Python, where each step over them begins at once; many by Arrow, in less memory."""
    return pd.StringDtype("python" if cells < _FEW else "pyarrow", na_value=np.nan)


def constant_column(text: str, lines: pd.Index) -> pd.Series:
    """Return a column that says the same on every line."""
    return pd.Series(text, index=lines, dtype=text_type(len(lines)))


def read_table(name: str, content: bytes) -> NumericTable:
    """Read the content of one CSV as a table of texts, or say why it is none."""
    text, notes = decode_text(name, decompress(name, content))
    return parse_delimited(name, text, notes)


def parse_delimited(name: str, text: str, notes: Sequence[Message] = ()) -> NumericTable:
    """Read a text whose cells are separated by a comma, semicolon, tab or |."""
    if text.lstrip().startswith("<") and not _starts_with_cells(text):
        raise not_a_table(name, "a web page or XML", _AS_CSV)
    separator, text = _separator(text)
    if not text.strip():
        raise _empty(name)
    frame = _parse(name, text, separator)
    frame.index = range(1, len(frame) + 1)
    return as_table(name, frame, notes, comma=separator == ",")


def _starts_with_cells(text: str) -> bool:
    """Tell whether the first two lines are cells, as many in both, though marks stand in them."""
    lines = text.lstrip().splitlines()[:2]
    found = [next(_rows_of([line]), (0, []))[1] for line in lines]
    return len(found) == 2 and len(found[0]) == len(found[1]) > 2


def as_table(
    name: str, frame: pd.DataFrame, notes: Sequence[Message] = (), *, comma: bool = False
) -> NumericTable:
    """Make a table of texts of which the first row that is not blank is the header."""
    frame, unseen = remove_invisible(_trimmed(name, frame))
    frame, doubled = one_header(without_tags(frame))
    frame, more = _drop_row_numbers(_tidy(name, frame))
    more = [*unseen, *doubled, *more]
    decimal_comma = not comma and uses_decimal_comma(frame)
    if decimal_comma:
        check_thousands(name, frame)
        more.append(message("decimal commas"))
    return NumericTable(name=name, frame=frame, notes=(*notes, *more), decimal_comma=decimal_comma)


message_text("decimal commas")(lambda voice: "Decimal commas were read as points.")
message_text("row numbers left out")(
    lambda voice: "The nameless first column only counts rows; it was left out."
)


@message_text("not UTF-8")
def _not_utf8(voice: Audience, file: str, word: str, sure: bool) -> str:
    what = "as Windows-1252" if sure else "as Windows-1252, which some of its letters are not"
    return f"{file} is not UTF-8; it was read {what}. See whether {quote(word, 40)} is right."


@message_text("UTF-16 without a mark")
def _without_a_mark(voice: Audience, file: str) -> str:
    return f"{file} does not say its encoding; it was read as UTF-16. See whether names are right."


def _without_mark(content: bytes) -> str:
    """Return the text of a file in UTF-16 that does not begin with its mark, "" if it is none."""
    head = content[:1000]
    for code, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if len(content) % 2 == 0 and zeros.count(0) > 0.7 * len(zeros):
            try:
                return content.decode(code)
            except UnicodeDecodeError:
                return ""
    return ""


def decompress(name: str, content: bytes) -> bytes:
    """Return the content of a gzip file, and any other as it is."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            return _streamed(name, file, len(content))
    except (OSError, EOFError, zlib.error) as error:
        raise file_error(
            name,
            "needs a complete gzip file",
            f"It cannot be unpacked ({error})",
            "Send it again",
        ) from None


def _streamed(name: str, file: gzip.GzipFile, packed: int) -> bytes:
    """Unpack piece by piece, as long as the whole stays within the budget."""
    pieces, size, lines = [], 0, 0
    while piece := file.read(_PIECE):
        pieces.append(piece)
        size, lines = size + len(piece), lines + piece.count(b"\n")
        current_limits().check_unpacked(name, packed, size)
        current_limits().check(name, "lines", lines)
    return b"".join(pieces)


def decode_text(name: str, content: bytes) -> tuple[str, list[Message]]:
    """Return the content of a file as text, or say what it is instead."""
    for magic, kind, do in _UNREADABLE:
        if content.startswith(magic):
            raise not_a_table(name, kind, do)
    notes: list[Message] = []
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", errors="replace")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("cp1252", errors="replace")
            odd = next((word for word in re.split(r"[\s,;|]+", text) if not word.isascii()), "")
            notes.append(message("not UTF-8", file=name, word=odd, sure="\ufffd" not in text))
    if "\0" in text and (wide := _without_mark(content)):
        text, notes = wide, [message("UTF-16 without a mark", file=name)]
    if "\0" in text:
        raise not_a_table(name, "a binary file", _AS_CSV)
    text = current_limits().composed(name, text)
    if not text.strip():
        raise _empty(name)
    return text, notes


def _separator(text: str) -> tuple[str, str]:
    """Return the separator, told by the header, and the text with what stands above it blanked.

    Above it may stand an Excel "sep=" line and remarks after "#"; lines keep their numbers.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n", 100)
    for i, line in enumerate(lines[:-1]):
        if match := re.fullmatch(r"sep=(.)", line.strip()):
            return match[1], "\n".join([*[""] * (i + 1), *lines[i + 1 :]])
        if line.strip() and not (line.startswith("#") and _separators_in(line) == 0):
            break
        lines[i] = ""
    text = "\n".join(lines)
    header = next((line for line in text.split("\n") if line.strip()), "")
    header = re.sub(r'"[^"]*"', "", header)
    return max(SEPARATORS, key=header.count), text


def _separators_in(line: str) -> int:
    return sum(line.count(mark) for mark in SEPARATORS)


def _parse(name: str, text: str, separator: str) -> pd.DataFrame:
    width = _width(name, text, separator)
    current_limits().check_size(name, text.count("\n") + 1, width)
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            header=None,
            dtype=text_type((text.count("\n") + 1) * width),
            keep_default_na=False,
            skip_blank_lines=False,
            skipinitialspace=True,
            names=range(width + 1),  # one more, to catch rows that are too long
            index_col=False,
        )
    except (pd.errors.ParserError, csv.Error, ValueError) as error:
        problems = [] if _unclosed(error) else _ragged(name, _widths(name, text, separator))
        raise DataError(problems or [_unreadable(name, error)]) from None
    if any(frame[width].to_list()) or not all(frame[width - 1].to_list()):
        widths = _widths(name, text, separator)
        if len(widths) > 1 and {n for _, n in widths[1:]} == {width + 1}:
            # R's write.table leaves out the header's first cell, over the names of the rows
            header = int((frame != "").any(axis=1).idxmax())
            frame.loc[header] = ["", *frame.loc[header, : width - 1]]
            return frame
        if problems := _ragged(name, widths):
            raise DataError(problems)
    return frame.iloc[:, :width]


def _rows_of(
    lines: Iterable[str], separator: str = ",", name: str = ""
) -> Iterator[tuple[int, list[str]]]:
    """Return the cells of each row with its last line; refuse a cell without end."""
    reader, before = csv.reader(lines, delimiter=separator, skipinitialspace=True), 0
    try:
        for row in reader:
            before = reader.line_num
            yield before, row
    except csv.Error:  # it takes up to 131,072 characters
        current_limits().check(name, "cell", current_limits().cell + 1, row=before + 1)


def _width(name: str, text: str, separator: str) -> int:
    """Return the number of columns of the header."""
    lines = (line for line in io.StringIO(text) if line.strip())
    return len(next(_rows_of(lines, separator, name))[1])


def _widths(name: str, text: str, separator: str) -> list[tuple[int, int]]:
    """Return line and number of cells of every row that is not blank, empty ends not counted."""
    widths: list[tuple[int, int]] = []
    for line, row in _rows_of(io.StringIO(text), separator, name):
        if any(cell.strip() for cell in row):
            filled = len(row)
            while not row[filled - 1].strip() and filled > (widths[0][1] if widths else 0):
                filled -= 1
            widths.append((line, filled))
    return widths


def _ragged(name: str, widths: list[tuple[int, int]]) -> list[Problem]:
    """Name the rows with more or fewer cells than the header."""
    if not widths:
        return []
    width = widths[0][1]
    return [wrong_width(name, line, n, width) for line, n in widths[1:] if n != width]


def _trimmed(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Trim texts and leave out blank rows."""
    columns, filled = {}, np.zeros(len(frame), dtype=bool)
    kept = text_type(frame.size)
    for place, column in frame.items():
        cells = _bare(column.to_list())
        _check_lengths(name, cells, frame.index)
        filled |= np.fromiter(map(bool, cells), bool, len(cells))
        columns[place] = pd.Series(cells, index=frame.index, dtype=kept)
    if not filled.any():
        raise _empty(name)
    trimmed = pd.DataFrame(columns)
    return trimmed if filled.all() else trimmed[filled]


def _bare(cells: list) -> list[str]:
    """Trim texts; take away stars that print bold, and a spreadsheet's apostrophe before formulas."""
    texts = [cell.strip() if isinstance(cell, str) else "" for cell in cells]
    whole = "".join(texts)
    if "**" in whole:
        texts = [_BOLD.sub(r"\2", text) for text in texts]
    if "'" not in whole:
        return texts
    return [unescape_spreadsheet_formula(text) if text.startswith("'") else text for text in texts]


def _check_lengths(name: str, cells: list[str], lines: pd.Index) -> None:
    """Refuse cells that nobody wrote on purpose."""
    longest = max(cells, key=len, default="")
    if len(longest) > current_limits().cell:
        current_limits().check(name, "cell", len(longest), row=int(lines[cells.index(longest)]))


def _tidy(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Use the first row as header, count lines as a spreadsheet does."""
    header, body = frame.iloc[0], frame.iloc[1:]
    filled = [bool(text) or any(body[place].to_list()) for place, text in header.items()]
    if not all(filled):
        body, header = body.loc[:, filled], header[filled]
    for place in range(1, next((i for i, text in enumerate(header) if text), 1)):
        header.iloc[place] = f"row {place + 1}"  # names of rows in several columns, as pandas'
    body.columns = list(header)
    problems = _header_problems(name, header, body) if len(header) else []
    if not problems and body.empty:
        problems = [
            Problem(
                file=name,
                must="needs at least one row under the header",
                found="There is only a header" if len(header) else "All cells are blank",
                do="Add the results",
            )
        ]
    if problems:
        raise DataError(problems)
    return body


def _is_second_header(texts: list[str], body: pd.DataFrame) -> bool:
    """Tell whether the row under the header tells columns of one name apart, and holds no result."""
    if len(body) < 2:
        return False
    below, rest = list(body.iloc[0]), body.iloc[1:4].to_numpy().ravel()
    fraction = re.compile(r"[+-]?\d*[.,]\d+.*")
    apart = len(set(zip(texts, below, strict=True))) == len(texts)
    results = any(fraction.fullmatch(cell) for cell in rest)
    return apart and results and not any(fraction.fullmatch(cell) for cell in below)


def _names_by_number(texts: list[str], body: pd.DataFrame) -> bool:
    """Tell whether whole numbers over fractions are names, as sizes of batches or of trees are."""
    if (
        not texts[0]
        or any(not text.isdigit() for text in texts[1:])
        or len(set(texts)) < len(texts)
    ):
        return False
    if pd.notna(pd.to_numeric(texts[0], errors="coerce")) or len(texts) < 3 or body.empty:
        return False
    cells = body.iloc[:, 1:].map(str)
    return bool(
        cells.apply(lambda column: column.str.contains(r"[.,]\d", regex=True).mean() > 0.5).all()
    )


def _header_problems(name: str, header: pd.Series, body: pd.DataFrame) -> list[Problem]:
    texts = list(header)
    current_limits().check(name, "name", max(map(len, texts)), row=1)
    if len(texts) == 1:
        return [
            Problem(
                file=name,
                row=1,
                must="needs columns separated by comma, semicolon or tab",
                found=f"Found one column, {quote(texts[0])}",
                do="Export the results as CSV",
            )
        ]
    cells = np.array(texts[1:] or texts, dtype=object)
    numbers = pd.notna(pd.to_numeric(cells, errors="coerce"))
    value = any(re.fullmatch(r"[+-]?[0-9]*[.][0-9]+", text) for text in texts)
    alone = numbers.all() and not _counts_on(texts[1:]) and not _names_by_number(texts, body)
    if alone or (value and not guess_roles(texts)):
        shown = ", ".join(text[:80] for text in texts[:3])
        first = pd.notna(pd.to_numeric(texts[0], errors="coerce"))
        what = "numbers only" if numbers.all() and first else "a first result"
        return [
            Problem(
                file=name,
                row=1,
                must="needs column names",
                found=f"Found {what} ({shown} ...)",
                do="Add a first line such as dataset,algorithm,fold,error",
            )
        ]
    problems = []
    twice = [t for t in dict.fromkeys(texts) if t and texts.count(t) > 1]
    if twice and _is_second_header(texts, body):
        below = ", ".join(text[:80] for text in list(body.iloc[0])[1:4])
        return [
            Problem(
                file=name,
                row=1,
                must="needs column names in one row",
                found=f'Found two rows of them: "{twice[0]}" stands {texts.count(twice[0])} times, '
                f"over {below} ...",
                do=f'Join the two, for example to "{twice[0]} {body.iloc[0, texts.index(twice[0])]}"',
            )
        ]
    for text in twice:
        problems.append(
            Problem(
                file=name,
                row=1,
                column=text,
                must="every column needs a name of its own",
                found=f"This name stands {texts.count(text)} times",
                do="Rename all but one",
            )
        )
    if broken := [text for text in texts if "\n" in text]:
        problems.append(
            Problem(
                file=name,
                row=1,
                must="needs names on one line",
                found=f"Found {quote(broken[0], 40)}",
                do="Close the quotation mark",
            )
        )
    unnamed = [i + 1 for i, text in enumerate(texts) if not text and i > 0]
    if unnamed:
        problems.append(
            Problem(
                file=name,
                row=1,
                must="every column needs a name",
                found=f"Column {unnamed[0]} has none",
                do="Name it or remove it",
            )
        )
    return problems


def _counts_on(texts: list[str]) -> bool:
    """Tell whether headers are 0, 1, 2 ... or 1, 2, 3 ..., as resamples are numbered."""
    starts = (range(len(texts)), range(1, len(texts) + 1))
    return len(texts) > 2 and any(texts == [str(i) for i in start] for start in starts)


def _drop_row_numbers(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Message]]:
    """Drop a nameless first column that only counts the rows, as R and pandas write it.

    If it counts again and again from the start it is the fold, as pandas writes joined tables.
    """
    if frame.columns[0] not in ("", "Unnamed: 0") or len(frame.columns) < 2:
        return frame, []
    numbers = pd.to_numeric(frame.iloc[:, 0], errors="coerce")
    if numbers.isna().any() or not (numbers.diff().dropna() == 1).all():
        repeats = numbers.notna().all() and numbers.duplicated().any()
        name = "fold" if repeats and "fold" not in guess_roles(frame.columns).values() else "row"
        while name in frame.columns:
            name = f"{name} "
        return frame.rename(columns={"": name}), []
    return frame.iloc[:, 1:], [message("row numbers left out")]


def wrong_width(name: str, line: int, cells: int, width: int) -> Problem:
    """Return the problem of a row with more or fewer cells than the header."""
    return Problem(
        file=name,
        row=line,
        must=f"needs {format_count(width, 'cell')}, as the header",
        found=f"It has {cells}",
        do="Put names that contain the separator in quotation marks"
        if cells > width
        else "Fill in the missing cells, or leave them empty between separators",
    )


def _unclosed(error: Exception) -> bool:
    """Tell whether a quotation mark is never closed; pandas says so in its message only."""
    return "EOF inside string" in str(error)


def _unreadable(name: str, error: Exception) -> Problem:
    if _unclosed(error):
        found, do = "A quotation mark is opened and never closed", "Close or remove it"
    else:
        found, do = "Its rows cannot be told apart", "Export the results again as CSV"
    return Problem(file=name, must="needs a table of rows and columns", found=found, do=do)


def not_a_table(name: str, kind: str, do: str) -> DataError:
    """Return the refusal of a file that holds something else."""
    must = "needs a table: CSV, Excel, Parquet, Feather, JSON, ARFF, Markdown or LaTeX"
    return file_error(name, must, f"This is {kind}", do)


def _empty(name: str) -> DataError:
    return file_error(name, "needs a table", "The file is empty", "Export the results again as CSV")


def file_error(name: str, must: str, found: str, do: str) -> DataError:
    """Return the refusal of a whole file."""
    return DataError([Problem(file=name, must=must, found=found, do=do)])
