"""Plain-text tables with columns separated by blanks."""

import re
from collections.abc import Sequence

from stats_core.core.errors import DataError
from stats_core.core.messages import Message, message
from stats_core.io.text_cells import ABSENT, TextTable
from stats_core.io.text_table import Row, first_numbers, table_from_rows

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?%?[^\w\s]*")
_JOINED = re.compile(r"\s*(\u00b1|\+/-|\+-)\s*")
_RULE = re.compile(r"[\s\-=_+|\u2500]+")

MAX_LINES, MAX_WIDTH = 100_000, 5_000


def read_aligned(name: str, text: str, notes: Sequence[Message] = ()) -> TextTable | None:
    """Read lines that blanks divide into columns, None if they do not."""
    printed = [
        (number, line.rstrip())
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not _RULE.fullmatch(line)
    ]
    if not 2 < len(printed) <= MAX_LINES or max(len(line) for _, line in printed) > MAX_WIDTH:
        return None
    lines = [(number, _JOINED.sub(r"\1", line.strip())) for number, line in printed]
    for rows in (_by_gaps(lines), _by_places(printed), _by_numbers(lines)):
        if rows and _has_numbers(rows):
            try:
                return first_numbers(table_from_rows(name, rows, [*notes, message("parted by blanks")]))
            except DataError:
                continue
    return None


def _by_gaps(lines: Sequence[tuple[int, str]]) -> list[Row]:
    """Split cells at two or more blanks or a tab."""
    rows = [(number, re.split(r"\s{2,}|\t", line)) for number, line in lines]
    widths = {len(cells) for _, cells in rows[1:]}
    header_width = len(rows[0][1])
    return rows if len(widths) == 1 and widths <= {header_width, header_width + 1} and max(widths) > 1 else []


def _by_places(lines: Sequence[tuple[int, str]]) -> list[Row]:
    """Split cells at positions that are blank in every line."""
    width = max(len(line) for _, line in lines)
    if any("\t" in line for _, line in lines):
        return []
    filled = "".join("x" if any(line[i : i + 1].strip() for _, line in lines) else " " for i in range(width))
    spans = [match.span() for match in re.finditer("x+", filled)]
    if len(spans) < 2:
        return []
    return [(number, [line[start:end].strip() for start, end in spans]) for number, line in lines]


def _by_numbers(lines: Sequence[tuple[int, str]]) -> list[Row]:
    """Split numbers off the end of each line; the text before them is the name."""
    number, line = lines[0]
    header = line.split()
    words = [(number, re.sub(r"\s+([(\[])", r"\1", line).split()) for number, line in lines[1:]]
    widths = {len(cells) for _, cells in words}
    if widths <= {len(header), len(header) + 1} and len(widths) == 1 and len(header) > 1:
        return [(number, header), *words]
    n = min(map(_numbers_at_end, (cells for _, cells in words)))
    if not 0 < n < len(header) + 1 or len(header) - n > 1:
        return []
    return [(number, header), *((i, [" ".join(c[: len(c) - n]), *c[len(c) - n :]]) for i, c in words)]


def _numbers_at_end(cells: Sequence[str]) -> int:
    n = 0
    while n < len(cells) and _is_number(cells[-1 - n]):
        n += 1
    return n


def _is_number(cell: str) -> bool:
    return bool(_NUMBER.match(cell)) and not re.search("[A-Za-z]{2}", cell) or cell in ABSENT


def _has_numbers(rows: Sequence[Row]) -> bool:
    """Return whether the last cell of each row is a number, unlike in prose."""
    return all(_is_number(cells[-1]) for _, cells in rows[1:])
