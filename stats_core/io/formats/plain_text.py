"""Readers of plain text: Markdown, whitespace-aligned columns, and ARFF."""

import html
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from stats_core.core.errors import DataError
from stats_core.core.messages import Message, message
from stats_core.io import formats, text_table, vocabulary
from stats_core.io.problems import current_limits, data_error
from stats_core.io.text_cells import ABSENT, TextTable
from stats_core.io.text_table import Row

_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*)")
_LONGEST = 300  # longest paragraph that is taken as a caption, in characters
_MARKUP = (
    (
        re.compile(r"!?\[([^\][]*)\](?:\((?:[^()]|\([^()]*\))*+\)|\[[^\][]*\])"),
        r"\1",
    ),  # pictures and links
    (re.compile(r"<[^<>]*>"), " "),
    (re.compile(r"(?<!`)`++([^`]*)`++"), r"\1"),
)


class _Emphasis(NamedTuple):
    """Marks of emphasis, longer ones first, where one may begin, and what may not follow."""

    marks: tuple[str, ...]
    begins: re.Pattern
    not_after: str


_EMPHASES = (
    _Emphasis(("***", "**", "*", "~~"), re.compile(r"[*~]"), ""),
    _Emphasis(("___", "__", "_"), re.compile(r"(?<!\w)_"), r"(?!\w)"),
)
# `html.unescape` fails for numbers of thousands of digits
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31}+);?")


def read_markdown(name: str, text: str, notes: Sequence[Message] = ()) -> TextTable:
    """Return the largest table of a Markdown text; its title is the caption or a heading above it, "" without one.

    The nearest of these that names a measure is taken, else the nearest.
    """
    current_limits().check_built(name, text.count("|"), 0)
    lines = text.splitlines()
    tables = [_rows(lines, rule, end) for rule, end in formats.markdown_tables(lines)]
    largest = max(tables, key=len)
    if len(tables) > 1:
        rows, line = len(largest) - 1, largest[0][0]
        notes = [*notes, message("largest table", tables=len(tables), rows=rows, line=line)]
    table = text_table.as_written(name, largest, notes, plain_cell)
    titles = [plain_cell(title) for title in _above(lines[: largest[0][0] - 1])]
    mentions = (title for title in titles if vocabulary.measure_in_text(title))
    return replace(table, title=next(mentions, titles[0] if titles else ""))


def _above(lines: Sequence[str]) -> Iterator[str]:
    """Yield the paragraph above a table if it is short, then the headings above it, nearest first."""
    text_lines = list(lines)
    while text_lines and not text_lines[-1].strip():
        text_lines.pop()
    first = len(text_lines)
    while first and text_lines[first - 1].strip() and not _HEADING.fullmatch(text_lines[first - 1]):
        first -= 1
    paragraph = " ".join(line.strip() for line in text_lines[first:])
    if paragraph and len(paragraph) <= _LONGEST and "|" not in paragraph:
        yield paragraph
    depth = 7
    for i in range(first - 1, -1, -1):
        heading = _HEADING.fullmatch(text_lines[i])
        if heading and len(heading[1]) < depth:
            depth = len(heading[1])
            yield heading[2].rstrip().rstrip("#").rstrip()


def _rows(lines: Sequence[str], rule: int, end: int) -> list[Row]:
    """Return line number and cells of each row of the table with this rule, which ends before `end`."""
    places = [rule - 1, *(i for i in range(rule + 1, end) if not formats.is_rule(lines[i]))]
    return [(i + 1, _cells(lines[i])) for i in places]


def _cells(line: str) -> list[str]:
    line = line.strip()
    line = line[1:] if line.startswith("|") else line
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [cell.strip() for cell in formats.BAR.split(line)]


def plain_cell(text: str) -> str:
    """Return a Markdown cell without links, emphasis, code marks and tags.

    Examples
    --------
    >>> plain_cell("_**0.27**_ (\u00b10.1)"), plain_cell("[Adult](https://x.org)"), plain_cell("a_b")
    ('0.27 (\u00b10.1)', 'Adult', 'a_b')
    """
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    for emphasis in (*_EMPHASES, _EMPHASES[0]):  # stars again, which may be within underscores
        text = _without_emphasis(text, emphasis)
    text = re.sub(r"\\([\\`*_{}\[\]()#+\-.!|~<>])", r"\1", text)
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return re.sub(r"\s+", " ", text).strip()


def _without_emphasis(text: str, emphasis: _Emphasis) -> str:
    """Return a text without pairs of marks, the first before and the second after a letter.

    The places of all second marks are found first, so that no mark is searched for twice.
    """
    if not any(mark in text for mark in emphasis.marks):
        return text
    seconds = {
        mark: [
            m.start()
            for m in re.finditer(
                rf"(?<=[^\s{mark[0]}])(?={re.escape(mark)}{emphasis.not_after})", text
            )
        ]
        for mark in emphasis.marks
    }
    pieces, position = list[str](), 0
    for match in emphasis.begins.finditer(text):
        start = match.start()
        for mark in emphasis.marks if start >= position else ():
            inside = start + len(mark)
            follows = text[inside : inside + 1]
            if not text.startswith(mark, start) or follows == mark[0] or not follows.strip():
                continue
            places = seconds[mark]
            following = bisect_left(places, inside + 1)
            if following < len(places):
                pieces += [text[position:start], text[inside : places[following]]]
                position = places[following] + len(mark)
                break
    return "".join([*pieces, text[position:]])


_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?%?[^\w\s]*")
_LETTERS = re.compile("[A-Za-z]{2}")
_JOINED = re.compile(r"(?<!\s)\s*+(\u00b1|\+/-|\+-)\s*")
_LINE = re.compile(r"[\s\-=_+|\u2500]+")
_CAPTION_START = re.compile(
    r"\s*(?:Tab(?:le|elle|\.)\s*\S+|Notes?\b|[*\u2020\u2021])", re.IGNORECASE
)
_TWO_NUMBERS = re.compile(r"(?<!\S)[+-]?[0-9.]+\s+[+-]?[0-9.]+(?!\S)")
_SENTENCE_END = (".", ":", "!", "?")
_MOST_CAPTION_LINES = 10  # above or below a table

MAX_LINES, MAX_WIDTH, MAX_CHARACTERS = 100_000, 5_000, 5_000_000


def read_aligned(name: str, text: str, notes: Sequence[Message] = ()) -> TextTable | None:
    """Return the table in text with whitespace-separated columns, None if there is none or the text is too large."""
    if len(text) > MAX_CHARACTERS:
        return None
    printed = [
        (number, line.rstrip())
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not _LINE.fullmatch(line)
    ]
    if not 2 < len(printed) <= MAX_LINES or max(len(line) for _, line in printed) > MAX_WIDTH:
        return None
    for start, end in _bounds(printed):
        if table := _aligned(name, printed[start:end], notes):
            return replace(table, title=_title(printed[:start], printed[end:]))
    return None


def _bounds(printed: Sequence[tuple[int, str]]) -> list[tuple[int, int]]:
    """Return the bounds of possible tables between captions, likeliest first, last all lines.

    The rows of a table are the longest run of lines that end in numbers. Its header is the line
    above them, or the first of them. Empty lines may part rows or captions.
    """
    may_be_row = np.array([_may_be_row(line) for _, line in printed])
    is_apart = np.diff([number for number, _ in printed], prepend=0) > 1
    runs = (_longest_run(may_be_row), _longest_run(may_be_row & ~is_apart))
    bounds = [(first - 1, end) for first, end in runs if first] + list(runs)
    between = [(start, end) for start, end in bounds if _are_captions(printed, start, end)]
    return list(dict.fromkeys([*between, (0, len(printed))]))


def _title(above: Sequence[tuple[int, str]], below: Sequence[tuple[int, str]]) -> str:
    """Return the first caption that names a measure, else the one above or below the table."""
    captions = [" ".join(word for _, line in x for word in line.split()) for x in (above, below)]
    mentions = (caption for caption in captions if vocabulary.measure_in_text(caption))
    return next(mentions, captions[0] or captions[1])


def _may_be_row(line: str) -> bool:
    """Return whether a line ends in a number, or a mark of a missing one, and begins no caption."""
    return _is_number(line.split()[-1]) and not _CAPTION_START.match(line)


def _longest_run(flags: np.ndarray) -> tuple[int, int]:
    """Return the bounds of the longest run of true values, (0, 0) if none is true."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False)).reshape(-1, 2)
    return max(
        ((int(a), int(b)) for a, b in edges), key=lambda run: run[1] - run[0], default=(0, 0)
    )


def _are_captions(printed: Sequence[tuple[int, str]], start: int, end: int) -> bool:
    """Return whether only captions, or a few sentences, stand around the lines of a table."""
    if end - start < 2:
        return False
    for lines, inner, outer in ((printed[:start], start - 1, start), (printed[end:], end - 1, end)):
        if not lines:
            continue
        words = [word for _, line in lines for word in line.split()]
        is_apart = printed[outer][0] - printed[inner][0] > 1
        is_sentence = lines[-1][1].endswith(_SENTENCE_END)
        is_text = len(words) > 2 and (is_apart or is_sentence)
        if not (is_text or _CAPTION_START.match(lines[0][1])):
            return False
        if len(lines) > _MOST_CAPTION_LINES or any(_has_numbers(line) for _, line in lines):
            return False
    return True


def _has_numbers(line: str) -> bool:
    """Return whether a line has two adjacent numbers, or is half of numbers, as rows are."""
    words = line.split()
    n_numbers = sum(map(_is_number, words))
    return 2 * n_numbers >= len(words) or _TWO_NUMBERS.search(line) is not None


def _aligned(
    name: str, printed: Sequence[tuple[int, str]], notes: Sequence[Message]
) -> TextTable | None:
    """Return the table in numbered lines, None if they form none."""
    lines = [
        (n, (_JOINED.sub(r"\1", text) if "+" in text or "\u00b1" in text else text).strip())
        for n, text in printed
    ]
    for rows in (_by_gaps(lines), _by_places(printed), _by_numbers(lines)):
        if rows and _are_results([cells[-1] for _, cells in rows[1:]]):
            try:
                return text_table.first_numbers(
                    text_table.table_from_rows(name, rows, [*notes, message("parted by blanks")])
                )
            except DataError:
                continue
    return None


def _are_results(cells: Sequence[str]) -> bool:
    """Return whether cells are numbers or marks of missing ones, and at least one is a number."""
    return all(map(_is_number, cells)) and any(cell not in ABSENT for cell in cells)


def _by_gaps(lines: Sequence[tuple[int, str]]) -> list[Row]:
    """Return the rows, split at tabs and at runs of two or more blanks; [] if they form no table.

    Rows below the header have the same number of cells, at least two; the header may have one
    fewer.
    """
    rows = [(number, re.split(r"\s{2,}|\t", line)) for number, line in lines]
    widths = {len(cells) for _, cells in rows[1:]}
    header_width = len(rows[0][1])
    return (
        rows
        if len(widths) == 1 and widths <= {header_width, header_width + 1} and max(widths) > 1
        else []
    )


def _by_places(lines: Sequence[tuple[int, str]]) -> list[Row]:
    """Return the rows, split at positions that are blank in every line; [] for one column, or if any line has a tab."""
    text, lengths = "".join(line for _, line in lines), np.array([len(line) for _, line in lines])
    if "\t" in text:
        return []
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    places = np.arange(len(letters)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    filled = np.zeros(lengths.max(), dtype=bool)
    filled[places[~np.isin(letters, [ord(letter) for letter in set(text) if letter.isspace()])]] = (
        True
    )
    spans = np.flatnonzero(np.diff(filled, prepend=False, append=False)).reshape(-1, 2).tolist()
    if len(spans) < 2 or len(spans) * len(lines) > current_limits().markup:
        return []
    return [(number, [line[start:end].strip() for start, end in spans]) for number, line in lines]


def _by_numbers(lines: Sequence[tuple[int, str]]) -> list[Row]:
    """Return the rows, split at all blanks if the header fits, else only at the last numbers; [] if neither fits."""
    number, line = lines[0]
    header = re.sub("^(data) (?=sets?\\b)", r"\1", line, flags=re.IGNORECASE).split()
    words = [
        (number, re.sub(r"(?<!\s)\s++([(\[])", r"\1", line).split()) for number, line in lines[1:]
    ]
    widths = {len(cells) for _, cells in words}
    if widths <= {len(header), len(header) + 1} and len(widths) == 1 and len(header) > 1:
        return [(number, header), *words]
    n = min((len(list(takewhile(_is_number, reversed(cells)))) for _, cells in words), default=0)
    if not 0 < n < len(header) + 1 or len(header) - n > 1:
        return []
    return [
        (number, header),
        *((i, [" ".join(c[: len(c) - n]), *c[len(c) - n :]]) for i, c in words),
    ]


def _is_number(cell: str) -> bool:
    return bool(_NUMBER.match(cell)) and not _LETTERS.search(cell) or cell in ABSENT


_ATTRIBUTE = re.compile(
    r"@attribute\s+(\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\])*+'|[^\s{]+)", re.IGNORECASE
)
_CELL = re.compile(r"\s*+((?:\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\])*+')\s*+(?=,)|[^,]*),")


_DATA = re.compile(r"^[ \t]*@data[ \t]*$", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*%.*", re.MULTILINE)
_SPARSE = re.compile(r"^[ \t]*\{", re.MULTILINE)
_DOUBLE = re.compile(
    r"""(^|,)[ \t]*"([^"'\\\n]*)"[ \t]*(?=,|$)""", re.MULTILINE
)  # a quoted cell without special characters
_UNKNOWN = re.compile(r"(^|,)[ \t]*\?[ \t]*(?=,|$)", re.MULTILINE)


def read_arff(name: str, text: str, notes: Sequence[Message] = ()) -> TextTable:
    """Return the data of an ARFF file with its attribute names as header; raise DataError if either is absent."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    start = _DATA.search(text)
    head = text[: start.start()] if start else text
    names = [_bare(m[1]) for line in head.splitlines() if (m := _ATTRIBUTE.match(line.strip()))]
    if start is None or not names:
        missing = "@data" if names else "@attribute"
        raise data_error("arff incomplete", name, missing=missing)
    first, body = head.count("\n") + 1, _COMMENT.sub("", text[start.end() :])
    current_limits().check(name, "columns", len(names))
    if '"' in body:
        body = _DOUBLE.sub(r"\1'\2'", body)
    if body.strip() and '"' not in body and not _SPARSE.search(body):
        header = ",".join("'" + re.sub(r"([\\'])", r"\\\1", text) + "'" for text in names)
        frame = text_table.parse_lines(name, header + _UNKNOWN.sub(r"\1", body), ",", "'", first)
        return text_table.as_table(name, frame, notes, comma=True)
    lines = [(i, line) for i, text in enumerate(body.splitlines(), first) if (line := text.strip())]
    current_limits().check_built(name, (len(lines) + 1) * len(names), 0)
    rows = [
        (i, _sparse(line, len(names)) if line.startswith("{") else _values(line))
        for i, line in lines
    ]
    return text_table.table_from_rows(name, [(first, names), *rows], notes)


def _values(line: str) -> list[str]:
    """Return the cells of a row, "" for missing values ("?")."""
    cells = [_bare(match[1].rstrip()) for match in _CELL.finditer(line + ",")]
    return ["" if cell == "?" else cell for cell in cells]


def _sparse(line: str, width: int) -> list[str]:
    """Return the cells of a sparse row, which lists only nonzero values; the others are "0"."""
    cells = ["0"] * width
    for part in _values(line.strip("{} ")):
        column, _, value = part.partition(" ")
        if column.isdigit() and int(column) < width:
            cells[int(column)] = "" if value.strip() == "?" else _bare(value.strip())
    return cells


def _bare(text: str) -> str:
    if len(text) > 1 and text[0] in "\"'" and text[0] == text[-1]:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
