"""Natural sorting and validation of result rows, and checks for copies, summaries, codes and mixed scales."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, Problem
from stats_core.core.validation import check_one_of
from stats_core.data import data_text

KEYS = ("dataset", "algorithm", "repetition", "fold")
_MISSING_INSTANCES = 0.1  # share of a test set that an algorithm may lack
_MANY = 20_000  # rows from which codes are compared instead of tuples


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
    distinct = {str(name) for name in names}
    start = len(min(distinct, default="").rstrip("0123456789"))
    numbers = {name[start:] for name in distinct}
    if len({name[:start] for name in distinct}) == 1 and all(
        part.isascii() and part.isdigit() and len(part) < 19 for part in numbers
    ):  # as most folds: a number, or the same word and a number
        return tuple(sorted(sorted(distinct), key=lambda name: int(name[start:])))
    return tuple(sorted(distinct, key=natural_key))


def fold_key(label: tuple) -> tuple:
    """Return a natural sort key for a (repetition, fold) label."""
    return tuple(natural_key(part) for part in label)


def sort_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return rows sorted by their key columns in natural order, with these columns as texts."""
    texts, positions = {}, []
    for key in KEYS:
        codes, names = coded(table[key])
        order = {name: position for position, name in enumerate(natural_order(names))}
        positions.append(np.array([order[name] for name in names], dtype=np.int32)[codes])
        texts[key] = pd.array(list(order), dtype="str")
    places = np.lexsort(positions[::-1])
    if (places[1:] > places[:-1]).all():
        rows = table.reset_index(drop=True)
    else:
        rows = table.drop(columns=list(KEYS)).iloc[places].reset_index(drop=True)
        positions = [codes[places] for codes in positions]
    keys = {key: texts[key].take(codes) for key, codes in zip(KEYS, positions, strict=True)}
    return rows.assign(**keys)[list(table.columns)]


def coded(column: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Return the code of each value, also of missing ones, and the values by code."""
    if isinstance(column.dtype, pd.CategoricalDtype) and not column.hasnans:
        return column.cat.codes.to_numpy(), column.cat.categories.to_numpy(dtype=object)
    codes, names = pd.factorize(column, use_na_sentinel=False)
    return codes, np.asarray(names, dtype=object)  # faster to iterate over than texts of Arrow


def number_labels(table: pd.DataFrame, keys: Sequence[str]) -> tuple[list[tuple], np.ndarray]:
    """Return the distinct labels of rows in order of appearance, and each row's label index.

    Examples
    --------
    >>> labels, places = number_labels(pd.DataFrame({"fold": ["b", "a", "b"]}), ["fold"])
    >>> labels, places.tolist()
    ([('b',), ('a',)], [0, 1, 0])
    """
    if len(table) >= _MANY and len(keys):
        columns = [coded(table[key]) for key in keys]
        places, used = pd.factorize(_groups((codes, len(names)) for codes, names in columns))
        first = np.flatnonzero(np.diff(np.maximum.accumulate(places), prepend=-1))
        return list(
            zip(*(names[codes[first]].tolist() for codes, names in columns), strict=True)
        ), places
    index_of: dict[tuple, int] = {}
    rows = zip(*(table[key].to_list() for key in keys), strict=True)
    places = np.fromiter(
        (index_of.setdefault(row, len(index_of)) for row in rows), np.intp, len(table)
    )
    return list(index_of), places


def distinct_rows(table: pd.DataFrame, keys: Sequence[str]) -> int:
    """Return the number of distinct value combinations in the key columns.

    Examples
    --------
    >>> distinct_rows(pd.DataFrame({"fold": ["b", "a", "b"]}), ["fold"])
    2
    """
    if len(table) < _MANY or not len(keys):
        return len(set(zip(*(table[key].to_list() for key in keys), strict=True)))
    columns = (coded(table[key]) for key in keys)
    return len(group_sizes((codes, len(names)) for codes, names in columns))


def group_sizes(columns: Iterable[tuple[np.ndarray, int]]) -> np.ndarray:
    """Return the number of rows of each value combination of columns, given as codes and the number of values.

    Examples
    --------
    >>> group_sizes([(np.array([0, 1, 0, 1]), 2), (np.array([0, 0, 0, 1]), 2)])
    array([2, 1, 1])
    """
    sizes = np.bincount(_groups(columns))
    return sizes[sizes > 0]


def _groups(columns: Iterable[tuple[np.ndarray, int]]) -> np.ndarray:
    """Return a number for each row, equal for rows with the same values in all columns; see `group_sizes`."""
    group, n_groups = np.zeros(1, dtype=np.int64), 1
    for codes, n in columns:
        group, n_groups = group * n + codes, n_groups * n
        if n_groups > 4 * len(group):
            group, used = pd.factorize(group)
            n_groups = len(used)
    return group


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
    problems += _other_folds(table)
    if problems:
        raise DataError(problems)


def _other_folds(table: pd.DataFrame) -> list[Problem]:
    """Return a problem for a fold whose test sets of two algorithms differ in size."""
    if "n_test" not in table or table["algorithm"].nunique() < 2:
        return []
    folds = [key for key in KEYS if key != "algorithm"]
    sizes = table.groupby(folds, observed=True, sort=False)["n_test"].agg(["min", "max"])
    apart = sizes[sizes["max"] > sizes["min"] * (1 + _MISSING_INSTANCES)]
    if apart.empty:
        return []
    dataset = apart.index[0][folds.index("dataset")]
    least, most = (int(size) for size in apart.iloc[0])
    return [_problem("other folds", column="n_test", dataset=dataset, least=least, most=most)]


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


# numbers that many programs use for missing values
_CODES = (-1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0, 999.0, 9999.0, 99999.0, 999999.0)


def failure_codes(values: pd.Series) -> list[float]:
    """Return the codes, such as -1 and -999, that seem to mark failed runs among nonnegative numbers, [] if none.

    Examples
    --------
    >>> failure_codes(pd.Series([0.9, -1.0, 0.8])), failure_codes(pd.Series([5.0, -1.0, 3.0]))
    ([-1.0], [])
    """
    numbers, codes = values.to_numpy(dtype=float), []
    for code in (code for code in _CODES if (numbers == code).any()):
        others = numbers[(numbers != code) & ~np.isnan(numbers)]
        if len(others) < 2 or others.min() < 0:
            continue
        largest = float(others.max())
        if largest <= 1 if code == -1 else abs(code) > 9 * max(largest, 1.0):
            codes.append(code)
    return codes


_STATISTICS = (np.nanmean, np.nanmedian, np.nanmin, np.nanmax, np.nansum, np.nanstd)


def is_statistic(numbers: np.ndarray, matrix: np.ndarray) -> bool:
    """Return whether rounded numbers are, row by row, the mean or another statistic of two or more columns.

    Examples
    --------
    >>> is_statistic(np.array([0.9, 0.6]), np.array([[0.7, 0.9], [0.5, 0.6]]))
    True
    """
    if matrix.shape[1] < 2 or np.isnan(matrix).all(axis=1).any():
        return False
    present, tolerance = ~np.isnan(numbers), 0.006 * max(1.0, float(np.nanmax(np.abs(matrix))))
    return any(
        (np.abs(numbers - f(matrix, axis=1))[present] <= tolerance).all() for f in _STATISTICS
    )


def is_mean(numbers: np.ndarray, matrix: np.ndarray) -> bool:
    """Return whether numbers are the means of the rows of a matrix, too exactly for a coincidence.

    Examples
    --------
    >>> rows = np.array([[0.7, 0.9, 0.953], [0.5, 0.6, np.nan]])
    >>> is_mean(np.array([0.851, 0.55]), rows), is_mean(np.array([0.851, 0.56]), rows)
    (True, False)
    """
    if max(np.nanmax(np.abs(part), initial=0) for part in (numbers, matrix)) > 1e100:
        return False  # infinite, or its square would be
    known = ~np.isnan(numbers) & ~np.isnan(matrix).all(axis=1)
    numbers, matrix = numbers[known], matrix[known]
    if len(numbers) < 2 or np.ptp(matrix) == 0 or matrix.shape[1] < 2:
        return False
    decimals = next((d for d in range(9) if (np.abs(numbers - numbers.round(d)) <= 1e-10).all()), 9)
    digit = 10.0**-decimals
    if (np.abs(np.nanmean(matrix, axis=1) - numbers) > 0.51 * digit + 1e-9).any():
        return False
    by_chance = np.minimum(1, 0.4 * digit / np.maximum(np.nanstd(matrix, axis=1), 1e-12)).prod()
    return bool(by_chance < 0.001)


_CLEAR = 10.0  # a score above this is not a fraction
_LIKELY = 0.3  # scores of a data set whose maximum lies between this and 1 are fractions
_HUNDRED = (30.0, 300.0)  # ratio of two algorithms if only one is in percent
_DECIMALS = 6  # numbers with more decimals are not rounded


def mixed_fractions(rows: pd.DataFrame, measure: str, *, higher: bool) -> pd.Series:
    """Return a mask of values that seem to be fractions among percentages."""
    small = rows[measure] <= 1
    if not small.any():
        return small
    return _mixed_scores(rows, measure, small) if higher else _mixed_errors(rows, measure, small)


def _mixed_scores(rows: pd.DataFrame, measure: str, small: pd.Series) -> pd.Series:
    """Return a mask of scores that seem to be fractions among percentages.

    All scores of at most 1 count as fractions if they are more than a fifth. Otherwise, those on
    one data set do if its median exceeds 10, if all its scores above 1 exceed 10, or if its largest
    score is between 0.3 and 1.
    """
    if float(small.mean()) > 0.2:
        return small
    by_set = rows[measure].groupby(rows["dataset"])
    median, largest = by_set.transform("median"), by_set.transform("max")
    has_intermediate = ((rows[measure] > 1) & (rows[measure] <= _CLEAR)).groupby(rows["dataset"])
    separated = (largest > _CLEAR) & ~has_intermediate.transform("any")
    all_fractions = (largest <= 1) & (largest >= _LIKELY)
    return small & ((median > _CLEAR) | separated | all_fractions)


def _mixed_errors(rows: pd.DataFrame, measure: str, small: pd.Series) -> pd.Series:
    """Return a mask of errors that seem to be fractions among percentages.

    An error of 0.5 percent is common, so single small values are no evidence. It suffices that all
    errors of an algorithm are at most 1 while another algorithm has none so small. For a data set,
    or an algorithm on one data set, the number of decimals, the frequency or the ratio must confirm
    it.
    """
    none = small & False
    shares = small.groupby(rows["algorithm"]).transform("mean")
    if (shares == 1).any() and (shares == 0).any():
        return shares == 1
    finer = _more_decimals(rows[measure], small)
    small_shares = small.groupby(rows["dataset"]).mean()
    if small_shares.isin([0, 1]).all() and small_shares.nunique() > 1:
        is_frequent = (small_shares == 1).sum() >= 2 and float((small_shares == 1).mean()) > 0.2
        return small if finer or is_frequent else none
    cell = [rows["dataset"], rows["algorithm"]]
    all_small = small.groupby(cell).transform("all")
    for name in rows["dataset"][all_small].unique():
        on_dataset = rows["dataset"] == name
        block, others = on_dataset & all_small, on_dataset & ~all_small
        if not others.any() or small[others].any():
            continue
        ratio = rows[measure][others].median() / rows[measure][block].median()
        has_folds = (
            block.groupby(cell).sum().max() >= 3 and rows["algorithm"][others].nunique() >= 2
        )
        if _HUNDRED[0] <= ratio <= _HUNDRED[1] and (has_folds or finer):
            return block
    return none


def _more_decimals(values: pd.Series, small: pd.Series) -> bool:
    """Return whether the small values have at least two more decimals (in the median), as if divided by 100."""
    decimals = [_decimals(part) for part in (values[small], values[~small])]
    return max(decimals) <= _DECIMALS and decimals[0] >= decimals[1] + 2


def _decimals(values: pd.Series) -> int:
    """Return the median number of decimals of the first 1000 values."""
    texts = [f"{value:.12g}".partition(".")[2] for value in values.head(1000)]
    return int(np.median([len(text) for text in texts]))


_Label = tuple[str, ...]


def copied_blocks(
    table: pd.DataFrame, keys: list[str], measures: Sequence[str]
) -> dict[_Label, _Label]:
    """Return a mapping from blocks of rows to earlier blocks with identical numbers; {} for more than 2,000,000 rows.

    Few or rounded numbers may agree by chance. Data sets count only if three rows differ and have
    more than three decimals, folds only if each of the six or more folds of a data set has a copy.
    """
    if len(table) > 2_000_000 or not len(table):
        return {}
    labels, block_index = number_labels(table, keys)
    inner = number_labels(table, [key for key in KEYS if key not in keys])[1]
    numbers = np.column_stack([table[name].to_numpy(dtype=float) for name in measures])
    sums = np.zeros(len(labels), np.uint64)  # sums of row codes do not depend on row order
    np.add.at(sums, block_index, _codes([inner, *numbers.T]))
    blocks = dict(zip(labels, sums.tolist(), strict=True))
    if len(set(sums.tolist())) == len(labels):
        return {}
    if keys == ["dataset"]:
        varied = _exact_rows(numbers, block_index)
        return _pairs({label: blocks[label] for i, label in enumerate(labels) if varied[i] >= 3})
    duplicates: dict[_Label, _Label] = {}
    blocks_of_dataset: dict[str, dict[_Label, int]] = {}
    for label, code in blocks.items():
        blocks_of_dataset.setdefault(label[0], {})[label] = code
    for name, folds in blocks_of_dataset.items():
        repeats = Counter(folds.values())
        if len(folds) < 6 or not 3 <= len(repeats) <= len(folds) // 2 or min(repeats.values()) < 2:
            continue
        block_numbers = numbers[(table["dataset"] == name).to_numpy()]
        if min(len(np.unique(column)) for column in block_numbers.T) > len(repeats):
            duplicates |= _pairs(folds)
    return duplicates


def _exact_rows(numbers: np.ndarray, block_index: np.ndarray) -> Counter[int]:
    """Return the number of different rows in each block that seldom agree by chance."""
    exact = (np.abs(numbers - numbers.round(3)) > 1e-9).any(axis=1)
    rows = zip(block_index[exact].tolist(), _codes(numbers[exact].T).tolist(), strict=True)
    return Counter(block for block, _ in set(rows))


def _codes(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Return a hash of each row; equal rows have equal hashes."""
    codes = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        codes = pd.util.hash_array(codes * np.uint64(1_000_003) + pd.util.hash_array(column))
    return codes


def _pairs(part: dict[_Label, int]) -> dict[_Label, _Label]:
    """Return a mapping from the labels of duplicate blocks to the label of the first such block."""
    first: dict[int, _Label] = {}
    labels = sorted(part, key=lambda label: tuple(map(natural_key, label)))
    originals = [first.setdefault(part[label], label) for label in labels]
    return {
        label: original
        for label, original in zip(labels, originals, strict=True)
        if original != label
    }
