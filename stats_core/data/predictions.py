"""Predictions of single cases as columns of codes, so that millions of rows stay small and fast."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from stats_core.data.row_checks import natural_order

FOLD = ["dataset", "algorithm", "repetition", "fold"]
TEXTS = (*FOLD, "true", "predicted", "file")
_DENSE = 1_000_000  # combinations that may be counted in a table of their own


def as_categories(rows: pd.DataFrame) -> pd.DataFrame:
    """Return predictions with their texts as categories, indexed by line; absent keys are "1"."""
    table = rows.set_index("line") if "line" in rows else rows
    for name in TEXTS:
        if name in table and not isinstance(table[name].dtype, pd.CategoricalDtype):
            table[name] = to_category(*pd.factorize(table[name]))
    if "instance" in table and table["instance"].dtype == "str":
        table["instance"] = _case_names(table["instance"])
    return table


def to_category(codes: np.ndarray, names: Sequence[str]) -> pd.Categorical:
    """Return texts as a column of codes, the names in natural order and each once; -1 is missing."""
    ordered = {name: place for place, name in enumerate(natural_order(names))}
    places = [ordered[str(name)] for name in names]
    if places == list(range(len(names))):
        return pd.Categorical.from_codes(codes, list(ordered))
    place = np.array([*places, -1], dtype=code_kind(len(ordered)))
    return pd.Categorical.from_codes(place[codes], list(ordered))


def code_kind(n: int) -> type[np.signedinteger]:
    """Return the shortest kind of number that n names need."""
    return np.int8 if n < 2**7 else np.int16 if n < 2**15 else np.int32


def fill_keys(table: pd.DataFrame) -> None:
    """Give every case a repetition and a fold where the file has none."""
    for name in FOLD:
        if name not in table:
            table[name] = same("1", len(table))


def same(text: str, n: int) -> pd.Categorical:
    """Return a column that says the same in every row."""
    return pd.Categorical.from_codes(np.zeros(n, dtype=np.int8), [text])


def rename_categories(column: pd.Series, rename: Callable[[str], str]) -> pd.Series:
    """Rename the categories of a column; those that get the same name become one."""
    old = [str(name) for name in column.cat.categories]
    new = [rename(name) for name in old]
    if new == old:
        return column
    return pd.Series(to_category(column.cat.codes.to_numpy(), new), index=column.index)


def group_numbers(table: pd.DataFrame, columns: Sequence[str]) -> tuple[np.ndarray, pd.DataFrame]:
    """Number the combinations of names that occur."""
    sizes = [len(table[name].cat.categories) for name in columns]
    kind = np.int32 if np.prod(sizes, dtype=float) < 2**31 else np.int64
    number: np.ndarray = np.zeros(len(table), dtype=kind)
    for name, size in zip(columns, sizes, strict=True):
        if size == 1:
            continue
        number *= kind(size)
        number += table[name].cat.codes.to_numpy()
    if np.prod(sizes, dtype=float) <= max(_DENSE, len(table)):
        used = np.flatnonzero(np.bincount(number))
        place = np.zeros(int(used[-1]) + 1, dtype=np.int32)
        place[used] = np.arange(len(used))
        number = place[number]
    else:
        used, number = np.unique(number, return_inverse=True)
    parts = np.unravel_index(used, sizes)
    names = {
        name: table[name].cat.categories.to_numpy(dtype=object)[part]
        for name, part in zip(columns, parts, strict=True)
    }
    return number, pd.DataFrame(names)


def case_numbers(instance: pd.Series) -> tuple[np.ndarray, int]:
    """Return the cases as numbers from 0, and how many numbers there may be."""
    if isinstance(instance.dtype, pd.CategoricalDtype):
        return instance.cat.codes.to_numpy().astype(np.int64), len(instance.cat.categories)
    values = instance.to_numpy(dtype=np.int64)
    low, high = int(values.min()), int(values.max())
    if high - low >= 2**30:  # identifiers rather than counts
        values, names = pd.factorize(values)
        return values, len(names)
    return values - low, high - low + 1


def _case_names(texts: pd.Series) -> pd.Series:
    if texts.str.fullmatch(r"0|[1-9][0-9]{0,8}").all():
        return texts.astype("int32")
    return texts.astype("category")


def first_places(group: np.ndarray) -> np.ndarray:
    """Return where each number from 0 occurs first."""
    changes = np.concatenate([[0], np.flatnonzero(np.diff(group)) + 1])
    places = np.empty(int(group.max()) + 1, dtype=np.int64)
    places[group[changes[::-1]]] = changes[::-1]
    return places


def stack_predictions(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put the cases of several files below each other."""
    if len(tables) == 1:
        return tables[0].reset_index(drop=True)
    columns = {}
    for name in dict.fromkeys(name for table in tables for name in table):
        parts = [table.get(name, pd.Series(pd.NA, index=table.index)) for table in tables]
        if any(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
            texts = [part.astype("str").astype("category") for part in parts]
            together = union_categoricals(texts)
            columns[name] = pd.Series(to_category(together.codes, list(together.categories)))
        else:
            columns[name] = pd.concat(parts, ignore_index=True)
    return pd.DataFrame(columns)
