"""A table as it is written on the screen."""

import re
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st
from pandas.api.types import is_numeric_dtype
from pandas.io.formats.style import Styler

from stats_core.comparison.tables.table import ResultTable

CELLS_SHOWN = 4_000  # of a table at a time, some 200 kB
NAME_WIDTH = 200  # px for a column of names
SHORT_WORDS = 20  # letters of a cell that is never cut
_SHOWN = "shown"  # under which name pages are kept with their table
_NUMBER = r"[<~]?[\u2212+-]?\d[\d.,]*(?:e[\u2212+-]?\d+)?(?: ?%)?"
# a number, one with its share, an interval, two degrees of freedom or W/T/L
_NUMERIC = re.compile(
    rf"{_NUMBER}(?:(?:, |/){_NUMBER})*(?: \({_NUMBER}\))?|[\[(].+, .+[\])]|\u2212?\u221e|[<>] 0"
)
_EMPTY = ("", "n/a", "nan", "None")
# Of the whole process, so it is said once: changed for one table, another session's would fail.
pd.set_option("styler.render.max_elements", 2**31)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Page:
    """What is shown at a time of a table, and how its columns are.

    Attributes
    ----------
    table : Table
        Some rows of it, all columns filled.
    columns : dict
        Column -> its configuration in Streamlit.
    """

    table: ResultTable
    columns: dict[str, Any]


def page_count(table: ResultTable) -> int:
    """Return how many pages a table has."""
    return len(_parts(table))


def page_of(table: ResultTable, place: int) -> Page:
    """Return a page of a table, the first is 1; made once."""
    kept = vars(table).setdefault(_SHOWN, {})
    if place not in kept:
        parts = _parts(table)
        kept[place] = _page(table.part(parts[place - 1]) if len(parts) > 1 else table)
    return kept[place]


def _parts(table: ResultTable) -> list[range]:
    kept = vars(table).setdefault(_SHOWN, {})
    if 0 not in kept:
        kept[0] = table.parts(CELLS_SHOWN)
    return kept[0]


def _page(part: ResultTable) -> Page:
    table = part.filled()
    shown = table.headed(table.frame)
    names = {
        label: st.column_config.TextColumn(width=min(NAME_WIDTH, _name_width(label, labels)))
        for label, labels in _index_columns(shown)
    }
    right = st.column_config.TextColumn(alignment="right")
    numbers = dict.fromkeys(numeric_texts(shown), right)
    return Page(table=table, columns=names | _sparse(shown) | numbers)


def _index_columns(frame: pd.DataFrame):
    """Return the index columns by name with their texts."""
    return [(label, frame.index.get_level_values(label)) for label in frame.index.names if label]


def _sparse(shown: pd.DataFrame) -> dict[str, Any]:
    """Give columns of a few short words the width of the longest; blanks would take it from them."""
    found = {}
    for name in shown:
        cells = shown[name]
        words = cells.dropna()
        if cells.isna().any() and len(words) and all(isinstance(word, str) for word in words):
            if max(map(len, words)) <= SHORT_WORDS:
                found[name] = st.column_config.TextColumn(width=_name_width(str(name), words))
    return found


def _name_width(header: str, labels: pd.Index | pd.Series) -> int:
    """Return pixels that hold the header and the longest of these names."""
    return 30 + 8 * max(len(str(label)) for label in (header, *labels))


def displayed_table(table: ResultTable) -> Styler:
    """Return a table with its cells as they are printed and the best ones bold, for the screen.

    The numbers stay numbers, so columns can be sorted. Pandas prepares a style for every cell, which
    takes seconds for ten thousand rows; only what is written is prepared here.
    """
    shown, texts = table.headed(table.frame), table.headed(table.texts)
    places = {name: place for place, name in enumerate(shown)}
    body = [
        [{"id": f"row{i}_col{j}", "display_value": text} for j, text in enumerate(row)]
        for i, row in enumerate(texts.to_numpy())
    ]
    marked = [
        f"row{i}_col{places[name]}"
        for i, label in enumerate(table.frame.index)
        for name in table.best.get(label, ((), ()))[0]
        if name in places
    ]
    bold = [{"props": [("font-weight", "bold")], "selectors": marked}] if marked else []
    styler = shown.style
    styler._compute = lambda: styler
    styler._translate = lambda *_: {"body": body, "cellstyle": bold}
    return styler


def numeric_texts(frame: pd.DataFrame) -> list[str]:
    """Return the columns that hold numbers written as text, which stand right as numbers do.

    Examples
    --------
    >>> numeric_texts(pd.DataFrame({"p": ["<0.001", ""], "df": ["1, 9", "4"], "of": ["a", "2"]}))
    ['p', 'df']
    """
    found = []
    for name in frame.columns[[not is_numeric_dtype(kind) for kind in frame.dtypes]]:
        texts = [text for text in map(str, frame[name].unique()) if text not in _EMPTY]
        if texts and all(_NUMERIC.fullmatch(text) for text in texts):
            found.append(name)
    return found
