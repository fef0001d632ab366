"""Conversion of result tables to styled and paginated tables on the screen."""

import re
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st
from pandas.api.types import is_numeric_dtype
from pandas.io.formats.style import Styler

from stats_core.report.tables.table import ResultTable

CELLS_SHOWN = 4_000  # cells per page, about 200 kB
NAME_WIDTH = 200  # px, largest width of a column of names
SHORT_WORDS = 20  # characters of a cell that is never truncated
_SHOWN = "shown"  # attribute of a table that stores its pages
_NUMBER = r"[<~]?[\u2212+-]?\d[\d.,]*(?:e[\u2212+-]?\d+)?(?: ?%)?"
# a number, optionally with a share; an interval; two degrees of freedom; or W/T/L
_NUMERIC = re.compile(
    rf"{_NUMBER}(?:(?:, |/){_NUMBER})*(?: \({_NUMBER}\))?|[\[(].+, .+[\])]|\u2212?\u221e|[<>] 0"
)
_EMPTY = ("", "n/a", "nan", "None")
# The option applies to the whole process: changing it per table would affect other sessions.
pd.set_option("styler.render.max_elements", 2**31)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Page:
    """One page of a table and the configuration of its columns.

    Attributes
    ----------
    table : Table
        The rows of the page, with all columns filled.
    columns : dict
        Column -> its configuration in Streamlit.
    """

    table: ResultTable
    columns: dict[str, Any]


def page_count(table: ResultTable) -> int:
    """Return the number of pages of a table."""
    return len(_parts(table))


def page_of(table: ResultTable, place: int) -> Page:
    """Return a page of a table, counted from 1; pages are cached with the table."""
    pages = vars(table).setdefault(_SHOWN, {})
    if place not in pages:
        row_ranges = _parts(table)
        pages[place] = _page(table.part(row_ranges[place - 1]) if len(row_ranges) > 1 else table)
    return pages[place]


def _parts(table: ResultTable) -> list[range]:
    pages = vars(table).setdefault(_SHOWN, {})
    if 0 not in pages:
        pages[0] = table.parts(CELLS_SHOWN)
    return pages[0]


def _page(part: ResultTable) -> Page:
    table = part.filled()
    frame = table.headed(table.frame)
    names = {
        label: st.column_config.TextColumn(width=min(NAME_WIDTH, _name_width(label, labels)))
        for label, labels in _index_columns(frame)
    }
    right = st.column_config.TextColumn(alignment="right")
    numbers = dict.fromkeys(numeric_texts(frame), right)
    return Page(table=table, columns=names | _sparse(frame) | numbers)


def _index_columns(frame: pd.DataFrame):
    """Return (name, values) of each named index level."""
    return [(label, frame.index.get_level_values(label)) for label in frame.index.names if label]


def _sparse(frame: pd.DataFrame) -> dict[str, Any]:
    """Fix the widths of sparse text columns, which Streamlit would size by the blanks."""
    columns = {}
    for name in frame:
        cells = frame[name]
        words = cells.dropna()
        if cells.isna().any() and len(words) and all(isinstance(word, str) for word in words):
            if max(map(len, words)) <= SHORT_WORDS:
                columns[name] = st.column_config.TextColumn(width=_name_width(str(name), words))
    return columns


def _name_width(header: str, labels: pd.Index | pd.Series) -> int:
    """Return the width in px that fits the header and the longest label."""
    return 30 + 8 * max(len(str(label)) for label in (header, *labels))


def displayed_table(table: ResultTable) -> Styler:
    """Return a Styler of a table with formatted cells, the best ones in bold.

    The numbers stay numbers, so columns can be sorted. Pandas prepares a style for every cell,
    which takes seconds for ten thousand rows; only what is written is prepared here.
    """
    frame, texts = table.headed(table.frame), table.headed(table.texts)
    positions = {name: position for position, name in enumerate(frame)}
    body = [
        [{"id": f"row{i}_col{j}", "display_value": text} for j, text in enumerate(row)]
        for i, row in enumerate(texts.to_numpy())
    ]
    marked = [
        f"row{i}_col{positions[name]}"
        for i, label in enumerate(table.frame.index)
        for name in table.best.get(label, ((), ()))[0]
        if name in positions
    ]
    bold = [{"props": [("font-weight", "bold")], "selectors": marked}] if marked else []
    styler = frame.style
    styler._compute = lambda: styler
    styler._translate = lambda *_: {"body": body, "cellstyle": bold}
    return styler


def numeric_texts(frame: pd.DataFrame) -> list[str]:
    """Return the columns of numbers written as text, which are aligned right.

    Examples
    --------
    >>> numeric_texts(pd.DataFrame({"p": ["<0.001", ""], "df": ["1, 9", "4"], "of": ["a", "2"]}))
    ['p', 'df']
    """
    columns = []
    for name in frame.columns[[not is_numeric_dtype(kind) for kind in frame.dtypes]]:
        texts = [text for text in map(str, frame[name].unique()) if text not in _EMPTY]
        if texts and all(_NUMERIC.fullmatch(text) for text in texts):
            columns.append(name)
    return columns
