"""Instance predictions as categorical columns, so that millions of rows stay small and fast."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from stats_core.data.row_checks import natural_order

FOLD = ["dataset", "algorithm", "repetition", "fold"]
TEXTS = (*FOLD, "true", "predicted", "file")
_DENSE = 1_000_000  # most combinations that are counted in a dense array


def as_categories(rows: pd.DataFrame) -> pd.DataFrame:
    """Return predictions with categorical texts, indexed by line."""
    table = rows.set_index("line") if "line" in rows else rows
    for name in TEXTS:
        if name in table and not isinstance(table[name].dtype, pd.CategoricalDtype):
            table[name] = to_category(*pd.factorize(table[name]))
    if "instance" in table and table["instance"].dtype == "str":
        table["instance"] = _case_names(table["instance"])
    return table


def to_category(codes: np.ndarray, names: Sequence[str]) -> pd.Categorical:
    """Return codes as a categorical column, names distinct and in natural order; -1 is missing."""
    ordered = {name: new_codes for new_codes, name in enumerate(natural_order(names))}
    positions = [ordered[str(name)] for name in names]
    if positions == list(range(len(names))):
        return pd.Categorical.from_codes(codes, list(ordered))
    new_codes = np.array([*positions, -1], dtype=code_kind(len(ordered)))
    return pd.Categorical.from_codes(new_codes[codes], list(ordered))


def code_kind(n: int) -> type[np.signedinteger]:
    """Return the smallest integer type for codes of n names."""
    return np.int8 if n < 2**7 else np.int16 if n < 2**15 else np.int32


def fill_keys(table: pd.DataFrame) -> None:
    """Add absent key columns with the value "1"."""
    for name in FOLD:
        if name not in table:
            table[name] = same("1", len(table))


def same(text: str, n: int) -> pd.Categorical:
    """Return a categorical column with the same value in every row."""
    return pd.Categorical.from_codes(np.zeros(n, dtype=np.int8), [text])


def rename_categories(column: pd.Series, rename: Callable[[str], str]) -> pd.Series:
    """Rename the categories of a column, merging those with equal new names."""
    old = [str(name) for name in column.cat.categories]
    new = [rename(name) for name in old]
    if new == old:
        return column
    return pd.Series(to_category(column.cat.codes.to_numpy(), new), index=column.index)


def group_numbers(table: pd.DataFrame, columns: Sequence[str]) -> tuple[np.ndarray, pd.DataFrame]:
    """Return the number of each row's combination of names, and the combinations."""
    sizes = [len(table[name].cat.categories) for name in columns]
    dtype = np.int32 if np.prod(sizes, dtype=float) < 2**31 else np.int64
    number: np.ndarray = np.zeros(len(table), dtype=dtype)
    for name, size in zip(columns, sizes, strict=True):
        if size == 1:
            continue
        number *= dtype(size)
        number += table[name].cat.codes.to_numpy()
    if np.prod(sizes, dtype=float) <= max(_DENSE, len(table)):
        used = np.flatnonzero(np.bincount(number))
        new_number = np.zeros(int(used[-1]) + 1, dtype=np.int32)
        new_number[used] = np.arange(len(used))
        number = new_number[number]
    else:
        used, number = np.unique(number, return_inverse=True)
    parts = np.unravel_index(used, sizes)
    names = {
        name: table[name].cat.categories.to_numpy(dtype=object)[part] for name, part in zip(columns, parts, strict=True)
    }
    return number, pd.DataFrame(names)


def case_numbers(instance: pd.Series) -> tuple[np.ndarray, int]:
    """Return the instances as numbers from 0, and an upper bound of the count."""
    if isinstance(instance.dtype, pd.CategoricalDtype):
        return instance.cat.codes.to_numpy().astype(np.int64), len(instance.cat.categories)
    values = instance.to_numpy(dtype=np.int64)
    low, high = int(values.min()), int(values.max())
    if high - low >= 2**30:  # identifiers rather than consecutive numbers
        values, names = pd.factorize(values)
        return values, len(names)
    return values - low, high - low + 1


def _case_names(texts: pd.Series) -> pd.Series:
    if texts.str.fullmatch(r"0|[1-9][0-9]{0,8}").all():
        return texts.astype("int32")
    return texts.astype("category")


def first_places(group: np.ndarray) -> np.ndarray:
    """Return the first position of each number from 0."""
    changes = np.concatenate([[0], np.flatnonzero(np.diff(group)) + 1])
    positions = np.empty(int(group.max()) + 1, dtype=np.int64)
    positions[group[changes[::-1]]] = changes[::-1]
    return positions


def stack_predictions(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Concatenate the instances of several files."""
    if len(tables) == 1:
        return tables[0].reset_index(drop=True)
    columns = {}
    for name in dict.fromkeys(name for table in tables for name in table):
        parts = [table.get(name, pd.Series(pd.NA, index=table.index)) for table in tables]
        if any(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
            texts = [part.astype("str").astype("category") for part in parts]
            combined = union_categoricals(texts)
            columns[name] = pd.Series(to_category(combined.codes, list(combined.categories)))
        else:
            columns[name] = pd.concat(parts, ignore_index=True)
    return pd.DataFrame(columns)
