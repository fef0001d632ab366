"""A table as it is written on the screen."""

import re

import pandas as pd
from pandas.api.types import is_numeric_dtype
from pandas.io.formats.style import Styler

from stats_core.comparison.tables.table import Table

_NUMBER = r"[<~]?[\u2212+-]?\d[\d.,]*(?:e[\u2212+-]?\d+)?(?: ?%)?"
# a number, one with its share, an interval, two degrees of freedom or W/T/L
_NUMERIC = re.compile(
    rf"{_NUMBER}(?:(?:, |/){_NUMBER})*(?: \({_NUMBER}\))?|\[.+, .+\]|\u2212?infinite"
)
_EMPTY = ("", "n/a", "nan", "None")
# Of the whole process, so it is said once: changed for one table, another session's would fail.
pd.set_option("styler.render.max_elements", 2**31)


def written(table: Table) -> Styler:
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
