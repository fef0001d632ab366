"""Table of results: columns, number formats, marked cells and caption."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.result import Comparison
from stats_core.core.formatting import (
    ABOVE_ZERO,
    MINUS,
    format_number,
    format_power_of_ten,
    p_text,
    score_digits,
    unused_label,
)
from stats_core.core.validation import tie_groups

LONGEST = 60  # maximum number of rows of a printed table; the CSV has all
_WORD = 20  # letters that fit a cell; longer text counts as several cells


@dataclass(frozen=True, kw_only=True, eq=False)  # without slots, for cached properties
class ResultTable:
    """A table for page, report, CSV and LaTeX.

    Attributes
    ----------
    name : str
        Start of its file names, and its key on a page.
    title : str
        Title of the table.
    frame : DataFrame
        Numbers and text; the index, whose labels are distinct, is the first column.
    formats : mapping of column to function
        How numbers are written; missing ones are left blank.
    best : mapping of row label to (columns, columns)
        Cells printed bold, and underlined.
    caption : str
        How to read it.
    spread : DataFrame or None
        Standard deviations over folds of some cells of `frame`, printed after them.
    summary : int
        How many of the last rows sum up the others; they are never left out.
    heads : tuple of str
        Columns that name a row; on the screen and in files they replace the number of the row.
    aside : tuple of str
        Columns for the screen and files, for which print has no room.
    late : callable or None
        Function that returns slow columns for row labels; they are blank until `filled`.
    """

    name: str
    title: str
    frame: pd.DataFrame
    formats: Mapping[str, Callable[[float], str]] = field(default_factory=dict)
    best: Mapping[Any, tuple[Sequence[str], Sequence[str]]] = field(default_factory=dict)
    caption: str = ""
    spread: pd.DataFrame | None = None
    summary: int = 0
    heads: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    late: Callable[[pd.Index], pd.DataFrame] | None = None

    def filled(self) -> "ResultTable":
        """Return the table with its `late` columns computed."""
        if self.late is None:
            return self
        late_columns = self.late(self.frame.index)
        frame = self.frame.assign(**{str(name): late_columns[name] for name in late_columns})
        return replace(self, frame=frame, late=None)

    @cached_property
    def texts(self) -> pd.DataFrame:
        """Text of every cell, missing ones blank."""
        columns = {name: self._column(name) for name in self.frame}
        return pd.DataFrame(columns, index=self.frame.index, dtype=object)

    @property
    def numeric(self) -> dict[str, bool]:
        """Whether each column is numeric, and so aligned right."""
        is_number = pd.api.types.is_numeric_dtype
        return {name: bool(is_number(self.frame[name])) for name in self.frame}

    @property
    def data(self) -> pd.DataFrame:
        """Numbers for a CSV: `frame`, with standard deviations in columns of their own."""
        frame = self.headed(self.frame)
        if self.spread is None:
            return frame
        spread = self.spread.reindex(frame.index)
        return pd.concat([frame, spread.add_suffix(" (sd)")], axis=1)

    def headed(self, cells: pd.DataFrame) -> pd.DataFrame:
        """Return the cells indexed by the columns that identify a row."""
        return cells.set_index(list(self.heads)) if self.heads else cells

    def only(self, rows: Sequence[int] | Sequence[bool]) -> "ResultTable":
        """Return the table with some rows, given by position or as a mask."""
        frame = self.frame.iloc[np.asarray(rows)]
        spread = self.spread
        return replace(
            self,
            frame=frame,
            best={label: self.best[label] for label in frame.index if label in self.best},
            spread=None if spread is None else spread[spread.index.isin(frame.index)],
        )

    def parts(self, cells: int) -> list[range]:
        """Return ranges of rows that have about the given number of cells each."""
        body = len(self.frame) - self.summary
        texts = (self.frame[name].to_numpy(dtype=object) for name, is_number in self.numeric.items() if not is_number)
        words = (text for column in texts for text in column if isinstance(text, str))
        letters = sum(len(text) - _WORD for text in words if len(text) > _WORD)
        cells_per_row = self.frame.shape[1] + letters / _WORD / max(1, len(self.frame))
        step = max(1, int(cells / cells_per_row)) if cells_per_row else 1
        return [range(start, min(start + step, body)) for start in range(0, max(1, body), step)]

    def part(self, rows: range) -> "ResultTable":
        """Return a range of rows with the summary, named in the caption."""
        part = self.only([*rows, *range(len(self.frame) - self.summary, len(self.frame))])
        return replace(part, caption=f"{self.caption} {self.rows_phrase(rows)}".strip())

    def rows_phrase(self, rows: range) -> str:
        """Return the sentence that names a range of rows."""
        body = len(self.frame) - self.summary
        return f"Rows {rows.start + 1:,} to {rows.stop:,} of {body:,}, which sort among themselves; Copy and Export have all."

    def printed(self, longest: int = LONGEST) -> "ResultTable":
        """Return the part that fits a page; the caption says what is left out."""
        shown = replace(self, frame=self.frame.drop(columns=list(self.aside)), aside=())
        body = len(self.frame) - self.summary
        if body <= longest:
            return shown
        note = f"Shown {longest} of {body}; all in the CSV."
        first_rows = shown.only([*range(longest), *range(body, len(self.frame))])
        return replace(first_rows, caption=f"{self.caption} {note}".strip())

    def _column(self, name: str) -> list[str]:
        """Return the cells of one column as text."""
        write, values = self.formats.get(name, str), list(self.frame[name])
        body = len(values) - self.summary
        texts = ["" if _missing(value) else write(value) for value in values[:body]]
        if self.spread is not None and name in self.spread:
            spread = self.spread[name].reindex(self.frame.index[:body])
            texts = [text if _missing(sd) else f"{text} ± {write(sd)}" for text, sd in zip(texts, spread, strict=True)]
        return [*texts, *map(_two_digits, values[body:])]


def _missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def _two_digits(value: Any) -> str:
    return "" if _missing(value) else format_number(value) if not isinstance(value, str) else value


def best_and_second(
    scores: pd.DataFrame, higher: bool | Mapping[str, bool], *, by_column: bool = False
) -> dict[object, tuple[list[str], list[str]]]:
    """Which cells of each row are best, and which second?

    Examples
    --------
    >>> best_and_second(pd.DataFrame({"a": [0.9], "b": [0.7], "c": [0.8]}, index=["iris"]), True)
    {'iris': (['a'], ['c'])}
    """
    marks: dict[object, tuple[list[str], list[str]]] = {}
    lines = scores.items() if by_column else scores.iterrows()
    for line, values in lines:
        higher_is_better = higher[line] if isinstance(higher, Mapping) else higher
        for rank, names in enumerate(_best_two(values.dropna() * (1 if higher_is_better else -1))):
            for name in names:
                row, column = (name, line) if by_column else (line, name)
                marks.setdefault(row, ([], []))[rank].append(column)
    return marks


def _best_two(values: pd.Series) -> tuple[list, list]:
    """Return the labels with the largest value and with the second largest."""
    if values.empty:
        return [], []
    numbers = -values.to_numpy(dtype=float)
    groups = tie_groups(numbers[None], np.abs(numbers).max(keepdims=True))[0]
    best, second = (list(values.index[groups == group]) for group in (0, 1))
    if not second:
        return [], []
    return best, second if len(values) > 2 else []


def write_p(alpha: float) -> Callable[[float], str]:
    """Return a function that formats p-values at a significance level."""
    return lambda p: p_text(p, alpha)


def write_scores(scores: pd.DataFrame) -> Callable[[float], str]:
    """Return a function that formats numbers with digits fitting these scores."""
    digits = score_digits(scores.fillna(0)) if scores.size else 4
    return lambda value: format_number(value, digits)


def write_sizes(comparison: Comparison) -> Callable[[float], str]:
    """Return a function that formats estimates with the digits of the comparison."""
    digits = comparison.digits
    return lambda value: format_number(value, digits)


def write_ends(write: Callable[[float], str]) -> Callable[[float], str]:
    """Return a function that formats interval ends, including ends open at zero.

    Examples
    --------
    >>> write = write_ends(four_decimals)
    >>> write(0.0), write(ABOVE_ZERO), write(-ABOVE_ZERO), write(float("inf"))
    ('0.0000', '> 0', '< 0', '∞')
    """
    return lambda end: {ABOVE_ZERO: "> 0", -ABOVE_ZERO: "< 0"}.get(end) or write(end)


def deviations(matrix: pd.DataFrame) -> pd.Series:
    """Return the standard deviation of each column without overflow of squares.

    Examples
    --------
    >>> deviations(pd.DataFrame({"a": [1e200, 3e200], "b": [1e200, 1e200]})).tolist()
    [1.414213562373095e+200, 0.0]
    """
    largest = matrix.abs().max().max()
    unit = largest if largest and not 1e-100 < largest < 1e100 else 1.0
    return (matrix / unit).std(ddof=1) * unit


def three_decimals(value: float) -> str:
    """Return a number with three decimals."""
    return format_number(value, 3)


def four_decimals(value: float) -> str:
    """Return a number with four decimals."""
    return format_number(value, 4)


def four_digits(value: float) -> str:
    """Return a number with four significant digits, or rounded if it is large.

    Examples
    --------
    >>> four_digits(-0.681512), four_digits(699), four_digits(123456.7)
    ('−0.6815', '699', '123,457')
    >>> four_digits(0.0000123)
    '1.23×10⁻⁵'
    """
    if np.isinf(value) or (value and not 1e-4 <= abs(value) < 1e12):
        return format_power_of_ten(value) if np.isfinite(value) else format_number(value)
    text = f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    return text.replace("-", MINUS)


def name_index(table: pd.DataFrame, label: str) -> pd.DataFrame:
    """Name the index, avoiding names of columns."""
    return table.rename_axis(index=unused_label(label, list(table.columns)), columns=None)


def with_row_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with rows numbered from 1."""
    return table.set_axis(pd.RangeIndex(1, len(table) + 1, name="no."))


def bold_significant(pairs: pd.DataFrame, column: str = "p adjusted") -> dict[int, tuple[list[str], list[str]]]:
    """Return marks that print p-values of differing pairs bold, rows numbered from 1."""
    return {number: ([column], []) for number, differs in enumerate(pairs["separated"], 1) if differs}


def format_records(pairs: pd.DataFrame) -> list[str]:
    """Return wins, ties and losses of each pair as "20/1/9"."""
    return [f"{w}/{t}/{x}" for w, t, x in zip(pairs["wins"], pairs["ties"], pairs["losses"], strict=True)]
