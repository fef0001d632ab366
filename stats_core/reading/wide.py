"""Which columns and rows of a wide table are algorithms and data sets, and which only sum up."""

import re

import numpy as np
import pandas as pd

from stats_core.core.notes import Note, Voice, note, worded
from stats_core.core.numbers import Table, to_numbers
from stats_core.core.words import listed
from stats_core.reading.columns import known_cost, plain

_SIZES = re.compile(
    r"(n|num|no|number|numberof|#)?(of)?"
    r"(instances|examples|samples|cases|features|attributes|classes|dimensions|rows|columns)"
)
_SUMS = re.compile(
    r"(average|avg|mean|median|total|sum|best|min|max|std|stdev)(s|of)?(rank|ranks|ranking|error|"
    r"accuracy|auc|score)?|ranks?|(avg|average|mean)?rank(s|ing)?|w(in)?t(ie)?l(oss)?|"
    r"(wins|losses|ties)+"
)


def split_columns(table: Table, numeric: list[str]) -> tuple[list[str], list[str]]:
    """Return the columns of algorithms, and those that describe data sets, cost or sum up."""
    others = [c for c in numeric if known_cost(c) or _is_size(table, c)]
    algorithms = [c for c in numeric if c not in others]
    values = {c: to_numbers(table, c)[0] for c in algorithms if _SUMS.fullmatch(plain(c))}
    for column, numbers in values.items():
        rest = [c for c in algorithms if c not in values]
        if _sums_up(numbers, pd.DataFrame({c: to_numbers(table, c)[0] for c in rest})):
            others.append(column)
    return [c for c in algorithms if c not in others], others


def without_summary_rows(frame: pd.DataFrame, names: str) -> tuple[pd.DataFrame, list[Note]]:
    """Leave out rows under the table that hold averages or ranks, and say so."""
    sums = frame[names].map(lambda text: bool(_SUMS.fullmatch(plain(text))))
    below = sums[::-1].cummin()[::-1].astype(bool)
    if not below.any() or below.all():
        return frame, []
    return frame[~below], [note("rows that sum up", names=tuple(frame.loc[below, names]))]


@worded("rows that sum up")
def _rows_that_sum_up(voice: Voice, names: tuple) -> str:
    left = listed([f'"{name}"' for name in names], 6)
    return f"Rows that only sum up were left out: {left}."


def _is_size(table: Table, column: str) -> bool:
    """Tell whether a column counts cases, features or classes, by its name and its values."""
    if not _SIZES.fullmatch(plain(column).replace("#", "")):
        return False
    numbers = to_numbers(table, column)[0].dropna()
    return bool((numbers == numbers.round()).all() and (numbers >= 2).all())


def _sums_up(numbers: pd.Series, rest: pd.DataFrame) -> bool:
    """Tell whether a column is the mean, median, best or worst of the others in every row."""
    if rest.shape[1] < 2:
        return False
    scale = 0.006 * max(1.0, float(np.nanmax(np.abs(rest.to_numpy()), initial=0.0)))
    options = (rest.mean(axis=1), rest.median(axis=1), rest.min(axis=1), rest.max(axis=1))
    return any(bool(((numbers - option).abs().dropna() <= scale).all()) for option in options)
