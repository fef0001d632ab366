"""Numbers of a table as they are written on the screen."""

import re
from collections.abc import Callable

import pandas as pd
from pandas.api.types import is_numeric_dtype
from pandas.io.formats.style import Styler

_NUMBER = r"[<~]?[\u2212+-]?\d[\d.,]*(?:e[\u2212+-]?\d+)?(?: ?%)?"
# a number, one with its share, an interval, two degrees of freedom or W/T/L
_NUMERIC = re.compile(
    rf"{_NUMBER}(?:(?:, |/){_NUMBER})*(?: \({_NUMBER}\))?|\[.+, .+\]|\u2212?infinite"
)
_EMPTY = ("", "n/a", "nan", "None")


def written(frame: pd.DataFrame, formats: dict[str, Callable[[float], str]]) -> Styler:
    """Return a long table with its numbers as they are written, without the wait for styles.

    The numbers stay numbers, as `frame.style.format` leaves them. Pandas prepares a style for
    every cell, which takes seconds for ten thousand rows; only what is written is prepared here.
    """
    texts = {
        frame.columns.get_loc(name): [write(value) for value in frame[name]]
        for name, write in formats.items()
    }
    body = [
        [{"id": f"row{i}_col{j}", "display_value": column[i]} for j, column in texts.items()]
        for i in range(len(frame))
    ]
    styler = frame.style
    styler._compute = lambda: styler
    styler._translate = lambda *_: {"body": body}
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
