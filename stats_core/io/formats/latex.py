"""Reader of LaTeX: tabular environments, or table rows without one."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from stats_core.core.messages import Message, message, read_texts
from stats_core.io import text_cells, text_table
from stats_core.io.formats import LATEX_COMMENT, TABULAR
from stats_core.io.problems import current_limits
from stats_core.io.text_cells import TextTable
from stats_core.io.text_table import Row

# Every pattern takes time proportional to the text, also if a bracket is never closed: an argument
# in brackets holds no other one, one in braces only flat ones, blanks and the inside of braces are
# matched possessively, and numbers of columns and rows have at most four digits.
_OPTION = r"(?:\[[^\][]*\])?"
_FLOAT = re.compile(r"\\(begin|end)\s*\{\w{0,20}(?:table|figure)\w{0,20}\*?\}")
_CAPTION = re.compile(rf"\\caption(?:of\s*\{{\w+\}})?\*?\s*+{_OPTION}\s*+(?=\{{)")
_ROW_END = re.compile(r"(?<!\\)(?:\\\\(?:\*?\s*\[[^\][]*\])?|\\tabularnewline\b|\\cr\b)")
_ARGUMENT = r"\{((?:[^{}]++|\{[^{}]*+\})*+)\}"
_RULES = re.compile(
    rf"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|addlinespace)\b{_OPTION}"
    rf"|\\(?:cmidrule|cline)\b{_OPTION}(?:\([^()]*\))?{_OPTION}\{{[^{{}}]*\}}|\\specialrule(?:\{{[^{{}}]*\}}){{3}}"
    rf"|\\(?:rowcolor|noalign|caption|label)\b{_OPTION}{_ARGUMENT}"
)
_SPAN = re.compile(
    r"\\multicolumn\s*\{\s*(\d{1,4})\s*\}\s*\{(?:[^{}]++|\{[^{}]*+\})*+\}\s*" + _ARGUMENT
)
_MULTIROW = re.compile(
    rf"\\multirow{_OPTION}\s*\{{\s*(\d{{1,4}})\s*\}}\s*+{_OPTION}\s*+\{{[^{{}}]*\}}"
)
_CHARACTERS = read_texts("io/formats/latex.toml")
_SYMBOLS, _MARKS = _CHARACTERS["commands"], _CHARACTERS["accents"]
_ACCENT = re.compile(r"\\([\"'`^~])\s*\{?([A-Za-z])\}?")
# commands whose first argument is not text: a color, a reference
_SILENT = re.compile(
    r"\\(?:cellcolor|color|cite[a-z]*|ref|footnote|footnotemark|label|vspace|hspace|rowcolor)\*?"
    rf"\s*{_OPTION}\s*(?:\{{[^{{}}]*\}})?"
)
_FIRST_SILENT = re.compile(
    rf"\\(?:textcolor|colorbox|fontsize|rotatebox|raisebox|resizebox|scalebox)\*?{_OPTION}\{{[^{{}}]*\}}"
)


def read_latex(name: str, text: str, notes: Sequence[Message] = ()) -> TextTable:
    """Return the largest table of a LaTeX text, with its caption as title; raise DataError if it has no rows."""
    text = LATEX_COMMENT.sub("", text)
    current_limits().check_built(name, text.count("&"), 0)
    bodies = list(_bodies(text))
    tables = [list(_rows(text[body.start : body.end], body.line)) for body in bodies]
    index = max(range(len(tables)), key=lambda i: len(tables[i]))
    largest, title = tables[index], _caption(text, bodies[index].start)
    if len(tables) > 1:
        first = largest[0][0] if largest else 1
        notes = [
            *notes,
            message("largest table", tables=len(tables), rows=max(len(largest) - 1, 0), line=first),
        ]
    with_numbers = (
        i
        for i, (_, cells) in enumerate(largest)
        if not text_cells.names_only(list(map(plain_cell, cells)))
    )
    first = next(with_numbers, 0)
    above = [row for row in largest[:first] if len(list(filter(None, row[1]))) > 1]
    current_limits().check_built(name, sum(_width(cell) for _, cells in above for cell in cells), 0)
    header_rows = [
        (
            line,
            [
                text
                for cell in cells
                for text in (_SPAN.sub(r"\2", cell), *[""] * (_width(cell) - 1))
            ],
        )
        for line, cells in above
    ]  # with the columns that each cell spans
    single = (
        (line, cells) for line, cells in largest[first:] if all(n < 2 for n in map(_width, cells))
    )
    rows = [
        *header_rows,
        *((line, [_SPAN.sub(r"\2", cell) for cell in cells]) for line, cells in single),
    ]
    if n_dropped := len(largest) - len(rows):
        notes = [*notes, message("spanning rows", rows=n_dropped)]
    return replace(text_table.as_written(name, _repeated(rows), notes, plain_cell), title=title)


class _Body(NamedTuple):
    """Where the body of a tabular starts and ends in a text, and the number of its first line."""

    start: int
    end: int
    line: int


def _bodies(text: str) -> Iterator[_Body]:
    """Yield the body of each tabular, or the complete text if there is none.

    A tabular without an end reaches to the next one.
    """
    matches = list(TABULAR.finditer(text))
    if not matches:
        yield _Body(0, len(text), 1)
        return
    after_arguments = _ends_of_arguments(text)
    line_ends = [match.start() for match in re.finditer("\n", text)]
    for match, following in zip_longest(matches, matches[1:]):
        start = after_arguments.get(match.end(), match.end())
        stop = following.start() if following else len(text)
        end = text.find(f"\\end{{{match[1]}}}", start, stop)
        stop = max(start, end if end >= 0 else stop)
        yield _Body(start, stop, bisect_left(line_ends, start) + 1)


def _caption(text: str, body_start: int) -> str:
    """Return the caption in the float around a table body, "" if there is none."""
    floats = [(match[1], match.start()) for match in _FLOAT.finditer(text)]
    start = max((position for _, position in floats if position < body_start), default=0)
    end = min(
        (position for boundary, position in floats if boundary == "end" and position > body_start),
        default=len(text),
    )
    caption = _CAPTION.search(text, start, end)
    if caption is None:
        return ""
    return plain_cell(text[caption.end() : _ends_of_arguments(text)[caption.end()]])


def _ends_of_arguments(text: str) -> dict[int, int]:
    """Return for each opening brace or bracket where the arguments that begin there end.

    An argument in braces may hold any bracket and the other way round; without an end it reaches to
    the end of the text.
    """
    opened: dict[str, list[int]] = {"}": [], "]": []}
    closing = {"{": "}", "[": "]"}
    ends: dict[int, int] = {}
    for match in re.finditer(r"[{}\[\]]", text):
        if mark := closing.get(match[0]):
            opened[mark].append(match.start())
            ends[match.start()] = len(text)
        elif opened[match[0]]:
            ends[opened[match[0]].pop()] = match.end()
    for start in reversed(ends):  # from the last one on, so that the end of the next is complete
        ends[start] = ends.get(ends[start], ends[start])
    return ends


def _rows(body: str, line: int) -> Iterator[Row]:
    """Yield first line number and cells of each row of a table body; rows of one cell are skipped."""
    position, counted, body = 0, 0, _without_inner_ends(body)
    for end in [*(m for m in _ROW_END.finditer(body)), None]:
        stop = end.start() if end else len(body)
        row = _RULES.sub(
            lambda rule: "\n" * rule[0].count("\n"), body[position:stop]
        )  # keeps line numbers
        line, counted = line + body.count("\n", counted, position), position
        start = line + row[: -len(row.lstrip()) or None].count("\n")
        if row.strip() and "&" in row:
            yield start, [cell.strip() for cell in re.split(r"(?<!\\)&", row)]
        position = end.end() if end else stop


def _without_inner_ends(body: str) -> str:
    r"""Return the body with row ends within braces, as in \makecell{two\\lines}, replaced by blanks."""
    pieces, depth = [], 0
    for piece in re.findall(r"\\.|[{}]|[^\\{}]+|\\", body, re.DOTALL):
        depth += (piece == "{") - (piece == "}")
        pieces.append("  " if piece == "\\\\" and depth > 0 else piece)
    return "".join(pieces)


def _width(cell: str) -> int:
    """Return the number of columns that a cell spans."""
    span = _SPAN.search(cell)
    return int(span[1]) if span else 1


def _repeated(rows: Sequence[Row]) -> list[Row]:
    r"""Return the rows, changed in place, with each \multirow text repeated in the empty cells it spans."""
    pending: dict[int, tuple[int, str]] = {}
    filled_rows = []
    for line, cells in rows:
        for column, cell in enumerate(cells):
            if match := _MULTIROW.search(cell):
                cells[column] = cell[: match.start()] + cell[match.end() :]
                pending[column] = int(match[1]) - 1, cells[column]
            elif column in pending and pending[column][0] > 0 and not cell:
                n_left, text = pending[column]
                cells[column], pending[column] = text, (n_left - 1, text)
        filled_rows.append((line, cells))
    return filled_rows


def plain_cell(text: str) -> str:
    r"""Return a LaTeX cell as plain text.

    Examples
    --------
    >>> plain_cell(r"\textbf{0.93} $\pm$ 0.02"), plain_cell(r"$0.9_{\pm 0.1}^{\dagger}$")
    ('0.93 ± 0.02', '0.9±0.1†')
    >>> plain_cell(r"Na\"{i}ve Bayes~\cite{a}"), plain_cell(r"10\,\%"), plain_cell(r"C4.5\_u")
    ('Naïve Bayes', '10%', 'C4.5_u')
    """
    text = _SILENT.sub("", _FIRST_SILENT.sub("", text))
    text = re.sub(
        _ACCENT, lambda match: unicodedata.normalize("NFC", match[2] + _MARKS[match[1]]), text
    )
    text = re.sub(r"\\[,;:!> ]", "", text).replace("~", " ").replace("---", "-").replace("--", "-")
    text = re.sub(rf"\\([A-Za-z]+)\*?\s?{_OPTION}", lambda match: _SYMBOLS.get(match[1], ""), text)
    text = re.sub(r"(?<!\\)[_^]\s*(?=[{\u00b1\u2020\u2021*+-])", "", text)
    text = re.sub(r"(?<!\\)[{}$]", "", text)
    text = re.sub(r"\\([%&_#${}])", r"\1", text)
    return re.sub(r"\s+", " ", text.replace("\\", "")).strip()
