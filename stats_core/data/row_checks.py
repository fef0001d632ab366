"""Validation and natural sorting of result rows."""

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, Problem
from stats_core.core.validation import check_one_of
from stats_core.data import data_text

KEYS = ("dataset", "algorithm", "repetition", "fold")


def natural_key(name: object) -> tuple:
    """Return a sort key with "fold 2" before "fold 10", ignoring case.

    Examples
    --------
    >>> sorted(["b10", "B9", "a"], key=natural_key)
    ['a', 'B9', 'b10']
    """
    parts = re.split(r"([0-9]+)", str(name))
    folded = [_by_size(part) if i % 2 else part.casefold() for i, part in enumerate(parts)]
    return tuple(folded), str(name)


def _by_size(digits: str) -> tuple[int, str]:
    """Return a sort key for a digit string by numeric value, without converting it to an integer."""
    significant = digits.lstrip("0")
    return len(significant), significant


def natural_order(names: Iterable) -> tuple[str, ...]:
    """Return the distinct names in natural order."""
    return tuple(sorted({str(name) for name in names}, key=natural_key))


def fold_key(label: tuple) -> tuple:
    """Return a natural sort key for a (repetition, fold) label."""
    return tuple(natural_key(part) for part in label)


def sort_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return rows sorted by their key columns in natural order."""
    positions = []
    for key in KEYS:
        names = table[key].to_list()
        order = {name: position for position, name in enumerate(natural_order(set(names)))}
        positions.append([order[name] for name in names])
    return table.iloc[np.lexsort(positions[::-1])].reset_index(drop=True)


def number_labels(table: pd.DataFrame, keys: Sequence[str]) -> tuple[list[tuple], np.ndarray]:
    """Return the distinct labels of rows in order of appearance, and each row's label index.

    Examples
    --------
    >>> labels, places = number_labels(pd.DataFrame({"fold": ["b", "a", "b"]}), ["fold"])
    >>> labels, places.tolist()
    ([('b',), ('a',)], [0, 1, 0])
    """
    index_of: dict[tuple, int] = {}
    rows = zip(*(table[key].to_list() for key in keys), strict=True)
    places = np.fromiter((index_of.setdefault(row, len(index_of)) for row in rows), np.intp, len(table))
    return list(index_of), places


def distinct_rows(table: pd.DataFrame, keys: Sequence[str]) -> int:
    """Return the number of distinct value combinations in the key columns.

    Examples
    --------
    >>> distinct_rows(pd.DataFrame({"fold": ["b", "a", "b"]}), ["fold"])
    2
    """
    return len(set(zip(*(table[key].to_list() for key in keys), strict=True)))


def check_frame(table: pd.DataFrame, directions: Mapping[str, str], costs: Sequence[str]) -> None:
    """Raise DataError if a required column is absent or there is no measure, SettingError if a direction is unknown."""
    absent = [name for name in ("algorithm", *directions, *costs) if name not in table]
    if absent:
        raise DataError.of("columns absent", columns=absent)
    if not directions:
        raise DataError.of("no measure")
    for name, direction in directions.items():
        check_one_of(direction, ("lower", "higher"), f"directions[{name!r}]")


def check_rows(table: pd.DataFrame) -> None:
    """Raise DataError for repeated keys or infinite values."""
    problems = []
    if distinct_rows(table, KEYS) < len(table):
        repeated = table[table.duplicated(list(KEYS), keep=False)]
        key = tuple(repeated.iloc[0][list(KEYS)])
        problems.append(_problem("repeated", n=len(repeated), key=key))
    numbers = [name for name in table if name not in KEYS]
    infinite = [name for name in numbers if np.isinf(table[name].to_numpy(dtype=float)).any()]
    problems += [_problem("infinite", column=name) for name in infinite]
    if problems:
        raise DataError(problems)


def _problem(code: str, *, column: str = "", **values: object) -> Problem:
    must, finding, remedy = data_text(f"rows.{code}", **values).split("\n")
    return Problem(column=column, must=must, found=finding, do=remedy)


def tidy_tags(tags: pd.DataFrame | Mapping | None) -> pd.DataFrame:
    """Return tags as stripped strings, indexed by data set; an empty table for None."""
    table = pd.DataFrame(tags)
    if not len(table.columns):
        return table
    table.index = table.index.map(str)
    table.columns = [str(name) for name in table.columns]
    return table.fillna("").astype(str).apply(lambda column: column.str.strip())
