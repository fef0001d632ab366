"""Tables as LaTeX with booktabs rules: whole to be pasted, and in parts that fit the pages of a report."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil

import pandas as pd

from stats_core.report import latex_characters, text_report
from stats_core.report.latex_characters import latex_prose
from stats_core.report.tables.table import ResultTable

LINE = 469.0  # text width of the document in points
_SHRINK = 1.3  # tables up to this ratio to the line are scaled, wider ones are split
_ROWS = 40  # maximum rows of one part
_GAP = 12.0  # points between columns
_LONG_TEXT = 150.0  # width in points from which text columns wrap
_TURNED = 100.0  # width in points from which long column heads are rotated


_cell_text = lru_cache(maxsize=10_000)(latex_prose)  # cells of long tables repeat names and numbers


@dataclass(frozen=True, slots=True)
class _LatexColumn:
    """Column of a table: header and cells as text, commands that mark the cells, column type."""

    head: str
    cells: list[str]
    marks: list[str]
    kind: str
    rotated: bool = False

    @property
    def width(self) -> float:
        """Width of the widest cell in points."""
        return max(map(text_width_points, self.cells), default=0.0)

    def header(self) -> str:
        """Return the header as LaTeX."""
        head = latex_characters.to_latex_text(self.head, keep=True)
        return rf"\rotatebox{{90}}{{{head}}}" if self.rotated else head

    def cell(self, row: int) -> str:
        """Return a cell as LaTeX; only wrapped columns allow line breaks within words."""
        text, mark = (
            _cell_text(self.cells[row], breaks=self.kind not in ("l", "r")),
            self.marks[row],
        )
        return rf"\{mark}{{{text}}}" if text and mark else text


def table_to_latex(table: ResultTable) -> str:
    r"""Return a whole table as LaTeX that needs only the package booktabs.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a_1": [0.25]}, index=["iris"])
    >>> print(table_to_latex(ResultTable(name="x", title="X", frame=frame, formats={"a_1": "{:.2f}".format})))
    \begin{table}
    \centering
    \begin{tabular}{lr}
    \toprule
     & a\_1 \\
    \midrule
    iris & 0.25 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    columns = _columns(table, table.headed(table.texts), table.headed(table.frame), str)
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{latex_prose(table.caption)}}}"] if table.caption else []),
        _tabular(columns, range(len(table.frame)), table.summary),
        r"\end{table}",
    ]
    return "\n".join(lines)


def table_parts(table: ResultTable, spelled: Callable[[object], str]) -> list[str]:
    """Return a table as one or more `table` environments of a report."""
    columns = [_fitted(column) for column in _columns(table, table.texts, table.frame, spelled)]
    row_blocks = _row_blocks(len(table.frame), table.summary)
    parts = [
        _tabular(block, rows, table.summary)
        for block in _column_blocks(columns)
        for rows in row_blocks
    ]
    return [
        _float(table, body, number, len(parts), spelled)
        for number, body in enumerate(parts, start=1)
    ]


def _columns(
    table: ResultTable, texts: pd.DataFrame, values: pd.DataFrame, spelled: Callable[[object], str]
) -> list[_LatexColumn]:
    """Return the columns of a table as text, those of the index first."""
    n_index, marked = (
        texts.index.nlevels,
        [table.best.get(label, ((), ())) for label in table.frame.index],
    )
    texts, values = text_report.with_index_columns(texts), text_report.with_index_columns(values)
    columns = []
    for position, name in enumerate(texts):
        cells = [*map(spelled, texts[name])]
        marks = [
            "textbf" if name in best else "underline" if name in second else ""
            for best, second in marked
        ]
        starts = (cell if position < n_index else cell[:1] for cell in cells)
        is_number = pd.api.types.is_numeric_dtype(values[name]) or all(
            not text or text.isdigit() for text in starts
        )
        columns.append(_LatexColumn(spelled(name), cells, marks, "r" if is_number else "l"))
    return columns


def _fitted(column: _LatexColumn) -> _LatexColumn:
    """Return a column that wraps long text, with its header rotated if much wider than its cells."""
    width, kind = column.width, column.kind
    if kind == "l" and width > _LONG_TEXT:
        kind = rf">{{\raggedright\arraybackslash}}p{{{min(0.5, max(0.3, width / LINE)):.2f}\linewidth}}"
    return replace(
        column, kind=kind, rotated=text_width_points(column.head) > max(2 * width, _TURNED)
    )


def _float(
    table: ResultTable, body: str, number: int, n: int, spelled: Callable[[object], str]
) -> str:
    """Return one part of a table as a `table` environment; the first part has caption and label."""
    title = f"{table.title}, part {number} of {n}." if n > 1 else f"{table.title}."
    caption = f"{title} {table.caption}".strip() if number == 1 else title
    lines = [
        r"\begin{table}[htbp]",
        *([r"\addtocounter{table}{-1}"] if number > 1 else []),
        r"\centering\small",
        rf"\caption{{{latex_prose(spelled(caption))}}}",
        *([rf"\label{{{label_of('tab', table.name)}}}"] if number == 1 else []),
        r"\par\smallskip",
        r"\begin{lrbox}{\foldwisebox}",
        body,
        r"\end{lrbox}\foldwisefit",
        r"\end{table}",
    ]
    return "\n".join(lines)


def label_of(kind: str, name: str) -> str:
    """Return a label for cross-references; characters other than ASCII letters and digits become hyphens.

    Examples
    --------
    >>> label_of("fig", "cd_diagram")
    'fig:cd-diagram'
    """
    plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in name)
    return f"{kind}:{plain}"


def _tabular(columns: list[_LatexColumn], rows: range, summary: int) -> str:
    """Return rows of some columns as a `tabular`, with a rule above the summary rows."""
    lines = [
        rf"\begin{{tabular}}{{{''.join(column.kind for column in columns)}}}",
        r"\toprule",
        _line(column.header() for column in columns),
        r"\midrule",
    ]
    for row in rows:
        if summary and row == len(columns[0].cells) - summary != rows.start:
            lines.append(r"\midrule")
        lines.append(_line(column.cell(row) for column in columns))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _line(cells: Iterable[str]) -> str:
    row = " & ".join(cells)
    # After a row end TeX would parse a star or bracket as an option of that command.
    guard = "{}" if row.startswith(("*", "[")) else ""
    return rf"{guard}{row} \\"


def _row_blocks(n: int, summary: int) -> list[range]:
    """Return evenly sized ranges of rows; summary rows stay in the last range."""
    body = n - summary
    count = max(1, ceil(body / _ROWS))
    size = ceil(body / count) if body else 0
    starts = [index * size for index in range(count)]
    return [
        range(start, n if index == count - 1 else start + size)
        for index, start in enumerate(starts)
    ]


def _column_blocks(columns: list[_LatexColumn]) -> list[list[_LatexColumn]]:
    """Return groups of columns, each about as wide as a text line and led by the first column."""
    first, *others = columns
    available_width = max(_SHRINK * LINE - min(_LONG_TEXT, first.width) - _GAP, 1.0)
    count = min(max(1, ceil(sum(map(_width, others)) / available_width)), max(1, len(others)))
    size = ceil(len(others) / count) if others else 1
    return [[first, *others[start : start + size]] for start in range(0, len(others), size)] or [
        [first]
    ]


def _width(column: _LatexColumn) -> float:
    """Return the width of a column with the gap after it, in points."""
    width = column.width
    if width > _LONG_TEXT:
        return min(width, 0.5 * LINE) + _GAP
    return max(width, min(text_width_points(column.head), max(2 * width, _TURNED))) + _GAP


def text_width_points(text: str) -> float:
    """Return the estimated width of text at the font size of tables, in points."""
    return sum(
        4.7
        if c.isdigit()
        else 6.8
        if c.isupper() or c in "mw±−%@"
        else 2.9
        if c in " .,il"
        else 4.6
        for c in text
    )
