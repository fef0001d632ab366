"""Which lines of the file rows of results stood on, for messages."""

from dataclasses import replace

import pandas as pd

from stats_core.core.numbers import NumericTable
from stats_core.io.parse_layout import FileTable


def file_rows(rows: pd.DataFrame) -> int:
    """Return on how many rows of the files some results stood; one row may hold several.

    Examples
    --------
    >>> file_rows(pd.DataFrame({"line": [2, 2, 3], "algorithm": ["rf", "svm", "rf"]}))
    2
    """
    places = [name for name in ("file", "line") if name in rows]
    return len(rows[places].drop_duplicates()) if "line" in rows else len(rows)


def put_lines(piece: FileTable, table: NumericTable) -> None:
    """Number the rows of a piece as the file does, where a row of the file was taken apart."""
    if not table.lines:
        return
    if "line" in piece.rows:
        piece.rows["line"] = [table.lines.get(int(line), line) for line in piece.rows["line"]]
    piece.problems = [
        problem if problem.row is None else replace(problem, row=table.lines.get(problem.row))
        for problem in piece.problems
    ]


def file_column(row: pd.Series, measure: str) -> str:
    """Return the column of the file that a result stood in; of a wide table it is the algorithm."""
    return str(row.get("column") or measure)
