"""ARFF input, as written by Weka, KEEL and OpenML."""

import re
from collections.abc import Iterator, Sequence

from stats_core.core.messages import Message
from stats_core.io.limits import current_limits
from stats_core.io.problems import data_error
from stats_core.io.text_cells import TextTable
from stats_core.io.text_table import Row, table_from_rows

_ATTRIBUTE = re.compile(r"@attribute\s+(\"(?:\\.|[^\"])*\"|'(?:\\.|[^'])*'|[^\s{]+)", re.IGNORECASE)
_CELL = re.compile(r"\s*(\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[^,]*?)\s*(?:,|$)")


def is_arff(text: str) -> bool:
    """Return whether the first line that is not a comment declares a relation."""
    first = next((line for line in text.splitlines() if line.strip() and line[0] != "%"), "")
    return first.strip().lower().startswith("@relation")


def read_arff(name: str, text: str, notes: Sequence[Message] = ()) -> TextTable:
    """Read the data of an ARFF file with its attribute names as header."""
    lines = [(i, line.strip()) for i, line in enumerate(text.splitlines(), 1)]
    lines = [(i, line) for i, line in lines if line and not line.startswith("%")]
    start = next((position for position, (_, line) in enumerate(lines) if line.lower() == "@data"), None)
    names = [_bare(m[1]) for _, line in lines[:start] if (m := _ATTRIBUTE.match(line))]
    if start is None or not names:
        missing = "@data" if names else "@attribute"
        raise data_error("arff incomplete", name, missing=missing)
    current_limits().check_size(name, len(lines) - start, len(names))
    header = (lines[start][0], names)
    return table_from_rows(name, [header, *_rows(lines[start + 1 :], len(names))], notes)


def _rows(lines: Sequence[tuple[int, str]], width: int) -> Iterator[Row]:
    for number, line in lines:
        if line.startswith("{"):
            yield number, _sparse(line, width)
        else:
            yield number, _cells(line)


def _cells(line: str) -> list[str]:
    """Return the cells of a row; missing values ("?") become ""."""
    cells, position = [], 0
    while position < len(line):
        match = _CELL.match(line, position)
        if match is None:  # a quotation mark inside a word
            cells.append(line[position:].strip())
            break
        cells.append(_bare(match[1]))
        position = match.end()
    return ["" if cell == "?" else cell for cell in cells] + [""] * line.endswith(",")


def _sparse(line: str, width: int) -> list[str]:
    """Return the cells of a sparse row, which lists only nonzero values."""
    cells = ["0"] * width
    for part in _cells(line.strip("{} ")):
        column, _, value = part.partition(" ")
        if column.isdigit() and int(column) < width:
            cells[int(column)] = "" if value.strip() == "?" else _bare(value.strip())
    return cells


def _bare(text: str) -> str:
    if len(text) > 1 and text[0] in "\"'" and text[0] == text[-1]:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
