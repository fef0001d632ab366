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
    folded: list[object] = []
    for i, part in enumerate(parts):
        is_number = i % 2 == 1  # `split` returns texts and numbers in turn
        folded.append(_by_size(part) if is_number else part.casefold())
    return tuple(folded), str(name)


def _by_size(digits: str) -> tuple[int, str]:
    """Return a sort key for a digit string by numeric value, without converting it to an integer."""
    significant = digits.lstrip("0")
    return len(significant), significant


def natural_order(names: Iterable) -> tuple[str, ...]:
    """Return the distinct names in natural order."""
    distinct = {str(name) for name in names}
    start = len(min(distinct, default="").rstrip("0123456789"))
    if _are_numbered(distinct, start):  # as most folds are
        in_order = sorted(distinct)  # so that 1 and 01 have a definite order
        in_order.sort(key=lambda name: int(name[start:]))
        return tuple(in_order)
    return tuple(sorted(distinct, key=natural_key))


def _are_numbered(names: set[str], start: int) -> bool:
    """Return whether names are the same word, of length `start`, and a number."""
    words = {name[:start] for name in names}
    if len(words) != 1:
        return False
    numbers = {name[start:] for name in names}
    return all(text.isascii() and text.isdigit() and len(text) < 19 for text in numbers)


def fold_key(label: tuple) -> tuple:
    """Return a natural sort key for a (repetition, fold) label."""
    return tuple(natural_key(part) for part in label)


def sort_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return rows sorted by their key columns in natural order, with these columns as texts."""
    texts = {}
    ranks = {}
    for key in KEYS:
        codes, names = coded(table[key])
        in_order = natural_order(names)
        rank_of = {name: rank for rank, name in enumerate(in_order)}
        rank_of_code = np.array([rank_of[name] for name in names], dtype=np.int32)
        ranks[key] = rank_of_code[codes]
        texts[key] = pd.array(list(in_order), dtype="str")
    order = np.lexsort([ranks[key] for key in reversed(KEYS)])
    is_sorted = (order[1:] > order[:-1]).all()
    if is_sorted:
        rows = table.reset_index(drop=True)
    else:
        rows = table.drop(columns=list(KEYS)).iloc[order].reset_index(drop=True)
        ranks = {key: rank[order] for key, rank in ranks.items()}
    keys = {key: texts[key].take(ranks[key]) for key in KEYS}
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
        return _number_coded_labels(table, keys)
    index_of: dict[tuple, int] = {}
    rows = _rows_of(table, keys)
    indices = (index_of.setdefault(row, len(index_of)) for row in rows)
    places = np.fromiter(indices, np.intp, len(table))
    return list(index_of), places


def _number_coded_labels(
    table: pd.DataFrame, keys: Sequence[str]
) -> tuple[list[tuple], np.ndarray]:
    """Return what `number_labels` returns, fast for many rows."""
    columns = [coded(table[key]) for key in keys]
    places, _ = pd.factorize(_groups(_with_sizes(columns)))
    highest_so_far = np.maximum.accumulate(places)
    first_rows = np.flatnonzero(np.diff(highest_so_far, prepend=-1))
    values = [names[codes[first_rows]].tolist() for codes, names in columns]
    return list(zip(*values, strict=True)), places


def _rows_of(table: pd.DataFrame, keys: Sequence[str]) -> Iterable[tuple]:
    """Return the values of the key columns, row by row."""
    columns = [table[key].to_list() for key in keys]
    return zip(*columns, strict=True)


def _with_sizes(
    columns: Iterable[tuple[np.ndarray, np.ndarray]],
) -> Iterable[tuple[np.ndarray, int]]:
    """Return columns of `coded` as codes and the number of values."""
    for codes, names in columns:
        yield codes, len(names)


def distinct_rows(table: pd.DataFrame, keys: Sequence[str]) -> int:
    """Return the number of distinct value combinations in the key columns.

    Examples
    --------
    >>> distinct_rows(pd.DataFrame({"fold": ["b", "a", "b"]}), ["fold"])
    2
    """
    if len(table) < _MANY or not len(keys):
        return len(set(_rows_of(table, keys)))
    columns = (coded(table[key]) for key in keys)
    return len(group_sizes(_with_sizes(columns)))


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
    group = np.zeros(1, dtype=np.int64)
    n_groups = 1
    for codes, n_values in columns:
        group = group * n_values + codes
        n_groups *= n_values
        if n_groups > 4 * len(group):
            group, used = pd.factorize(group)
            n_groups = len(used)
    return group


def check_frame(table: pd.DataFrame, directions: Mapping[str, str], costs: Sequence[str]) -> None:
    """Raise DataError if a required column is absent or there is no measure, SettingError if a direction is unknown."""
    required = ("algorithm", *directions, *costs)
    absent = [name for name in required if name not in table]
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
        first = repeated.iloc[0]
        problems.append(_problem("repeated", n=len(repeated), key=tuple(first[list(KEYS)])))
    for name in table:
        if name not in KEYS and np.isinf(table[name].to_numpy(dtype=float)).any():
            problems.append(_problem("infinite", column=name))
    problems += _other_folds(table)
    if problems:
        raise DataError(problems)


def _other_folds(table: pd.DataFrame) -> list[Problem]:
    """Return a problem for a fold whose test sets of two algorithms differ in size."""
    if "n_test" not in table or table["algorithm"].nunique() < 2:
        return []
    folds = [key for key in KEYS if key != "algorithm"]
    n_test = table.groupby(folds, observed=True, sort=False)["n_test"]
    sizes = n_test.agg(["min", "max"])
    largest_allowed = sizes["min"] * (1 + _MISSING_INSTANCES)
    apart = sizes[sizes["max"] > largest_allowed]
    if apart.empty:
        return []
    label = apart.index[0]
    problem = _problem(
        "other folds",
        column="n_test",
        dataset=label[folds.index("dataset")],
        least=int(apart["min"].iloc[0]),
        most=int(apart["max"].iloc[0]),
    )
    return [problem]


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
    numbers = values.to_numpy(dtype=float)
    return [code for code in _CODES if _marks_failures(code, numbers)]


def _marks_failures(code: float, numbers: np.ndarray) -> bool:
    """Return whether a code that occurs is far from all other numbers, which are nonnegative."""
    is_code = numbers == code
    if not is_code.any():
        return False
    others = numbers[~is_code & ~np.isnan(numbers)]
    if len(others) < 2 or others.min() < 0:
        return False
    largest = float(others.max())
    if code == -1:
        return largest <= 1
    return abs(code) > 9 * max(largest, 1.0)


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
    is_present = ~np.isnan(numbers)
    largest = float(np.nanmax(np.abs(matrix)))
    tolerance = 0.006 * max(1.0, largest)
    for statistic in _STATISTICS:
        deviations = np.abs(numbers - statistic(matrix, axis=1))
        if (deviations[is_present] <= tolerance).all():
            return True
    return False


def is_mean(numbers: np.ndarray, matrix: np.ndarray) -> bool:
    """Return whether numbers are the means of the rows of a matrix, too exactly for a coincidence.

    Examples
    --------
    >>> rows = np.array([[0.7, 0.9, 0.953], [0.5, 0.6, np.nan]])
    >>> is_mean(np.array([0.851, 0.55]), rows), is_mean(np.array([0.851, 0.56]), rows)
    (True, False)
    """
    for part in (numbers, matrix):
        if np.nanmax(np.abs(part), initial=0) > 1e100:
            return False  # infinite, or its square would be
    is_known = ~np.isnan(numbers) & ~np.isnan(matrix).all(axis=1)
    numbers = numbers[is_known]
    matrix = matrix[is_known]
    if len(numbers) < 2 or np.ptp(matrix) == 0 or matrix.shape[1] < 2:
        return False
    last_digit = 10.0 ** -_places_of_rounding(numbers)
    deviations = np.abs(np.nanmean(matrix, axis=1) - numbers)
    if (deviations > 0.51 * last_digit + 1e-9).any():
        return False
    spread = np.maximum(np.nanstd(matrix, axis=1), 1e-12)
    chance_of_row = np.minimum(1, 0.4 * last_digit / spread)
    return bool(chance_of_row.prod() < 0.001)


def _places_of_rounding(numbers: np.ndarray) -> int:
    """Return the number of decimals to which numbers are rounded, at most 9."""
    for decimals in range(9):
        if (np.abs(numbers - numbers.round(decimals)) <= 1e-10).all():
            return decimals
    return 9


_CLEAR = 10.0  # a score above this is not a fraction
_LIKELY = 0.3  # scores of a data set whose maximum lies between this and 1 are fractions
_HUNDRED = (30.0, 300.0)  # ratio of two algorithms if only one is in percent
_DECIMALS = 6  # numbers with more decimals are not rounded


def mixed_fractions(rows: pd.DataFrame, measure: str, *, higher: bool) -> pd.Series:
    """Return a mask of values that seem to be fractions among percentages."""
    small = rows[measure] <= 1
    if not small.any():
        return small
    if higher:
        return _mixed_scores(rows, measure, small)
    return _mixed_errors(rows, measure, small)


def _mixed_scores(rows: pd.DataFrame, measure: str, small: pd.Series) -> pd.Series:
    """Return a mask of scores that seem to be fractions among percentages.

    All scores of at most 1 count as fractions if they are more than a fifth. Otherwise, those on
    one data set do if its median exceeds 10, if all its scores above 1 exceed 10, or if its largest
    score is between 0.3 and 1.
    """
    if float(small.mean()) > 0.2:
        return small
    scores = rows[measure]
    by_dataset = scores.groupby(rows["dataset"])
    median = by_dataset.transform("median")
    largest = by_dataset.transform("max")
    is_intermediate = (scores > 1) & (scores <= _CLEAR)
    has_intermediate = is_intermediate.groupby(rows["dataset"]).transform("any")
    are_separated = (largest > _CLEAR) & ~has_intermediate
    are_fractions = (largest <= 1) & (largest >= _LIKELY)
    return small & ((median > _CLEAR) | are_separated | are_fractions)


def _mixed_errors(rows: pd.DataFrame, measure: str, small: pd.Series) -> pd.Series:
    """Return a mask of errors that seem to be fractions among percentages.

    An error of 0.5 percent is common, so single small values are no evidence. It suffices that all
    errors of an algorithm are at most 1 while another algorithm has none so small. For a data set,
    or an algorithm on one data set, the number of decimals, the frequency or the ratio must confirm
    it.
    """
    none = small & False
    share_of_algorithm = small.groupby(rows["algorithm"]).transform("mean")
    if (share_of_algorithm == 1).any() and (share_of_algorithm == 0).any():
        return share_of_algorithm == 1
    is_finer = _more_decimals(rows[measure], small)
    share_of_dataset = small.groupby(rows["dataset"]).mean()
    if share_of_dataset.isin([0, 1]).all() and share_of_dataset.nunique() > 1:
        all_small = share_of_dataset == 1
        is_frequent = all_small.sum() >= 2 and float(all_small.mean()) > 0.2
        return small if is_finer or is_frequent else none
    block = _small_block(rows, measure, small, is_finer=is_finer)
    return none if block is None else block


def _small_block(
    rows: pd.DataFrame, measure: str, small: pd.Series, *, is_finer: bool
) -> pd.Series | None:
    """Return the mask of small errors on a data set that are a hundredth of the others, if any."""
    cell = [rows["dataset"], rows["algorithm"]]
    all_small = small.groupby(cell).transform("all")
    for name in rows["dataset"][all_small].unique():
        on_dataset = rows["dataset"] == name
        block = on_dataset & all_small
        others = on_dataset & ~all_small
        if not others.any() or small[others].any():
            continue
        ratio = rows[measure][others].median() / rows[measure][block].median()
        n_folds = block.groupby(cell).sum().max()
        n_others = rows["algorithm"][others].nunique()
        has_evidence = is_finer or (n_folds >= 3 and n_others >= 2)
        if _HUNDRED[0] <= ratio <= _HUNDRED[1] and has_evidence:
            return block
    return None


def _more_decimals(values: pd.Series, small: pd.Series) -> bool:
    """Return whether the small values have at least two more decimals (in the median), as if divided by 100."""
    of_small = _decimals(values[small])
    of_others = _decimals(values[~small])
    return max(of_small, of_others) <= _DECIMALS and of_small >= of_others + 2


def _decimals(values: pd.Series) -> int:
    """Return the median number of decimals of the first 1000 values."""
    texts = [f"{value:.12g}" for value in values.head(1000)]
    numbers = [len(text.partition(".")[2]) for text in texts]
    return int(np.median(numbers))


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
    inner_keys = [key for key in KEYS if key not in keys]
    _, inner = number_labels(table, inner_keys)
    numbers = np.column_stack([table[name].to_numpy(dtype=float) for name in measures])
    # sums of row codes do not depend on row order
    sums = np.zeros(len(labels), np.uint64)
    np.add.at(sums, block_index, _codes([inner, *numbers.T]))
    code_of: dict[_Label, int] = dict(zip(labels, sums.tolist(), strict=True))
    if len(set(code_of.values())) == len(labels):
        return {}
    if keys == ["dataset"]:
        n_exact = _exact_rows(numbers, block_index)
        varied = {label: code_of[label] for i, label in enumerate(labels) if n_exact[i] >= 3}
        return _pairs(varied)
    return _copied_folds(code_of, numbers, table["dataset"])


def _copied_folds(
    code_of: dict[_Label, int], numbers: np.ndarray, dataset: pd.Series
) -> dict[_Label, _Label]:
    """Return copies of folds, from the code of each fold; see `copied_blocks`."""
    folds_of_dataset: dict[str, dict[_Label, int]] = {}
    for label, code in code_of.items():
        folds_of_dataset.setdefault(label[0], {})[label] = code
    duplicates: dict[_Label, _Label] = {}
    for name, folds in folds_of_dataset.items():
        n_copies = Counter(folds.values())
        if len(folds) < 6 or min(n_copies.values()) < 2:
            continue
        n_different = len(n_copies)
        if not 3 <= n_different <= len(folds) // 2:
            continue
        block = numbers[(dataset == name).to_numpy()]
        n_distinct = [len(np.unique(column)) for column in block.T]
        if min(n_distinct) > n_different:
            duplicates |= _pairs(folds)
    return duplicates


def _exact_rows(numbers: np.ndarray, block_index: np.ndarray) -> Counter[int]:
    """Return the number of different rows in each block that seldom agree by chance."""
    is_exact = (np.abs(numbers - numbers.round(3)) > 1e-9).any(axis=1)
    blocks = block_index[is_exact].tolist()
    codes = _codes(numbers[is_exact].T).tolist()
    distinct = set(zip(blocks, codes, strict=True))
    return Counter(block for block, _ in distinct)


def _codes(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Return a hash of each row; equal rows have equal hashes."""
    multiplier = np.uint64(1_000_003)
    codes = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        column_codes = pd.util.hash_array(column)
        codes = pd.util.hash_array(codes * multiplier + column_codes)
    return codes


def _pairs(part: dict[_Label, int]) -> dict[_Label, _Label]:
    """Return a mapping from the labels of duplicate blocks to the label of the first such block."""
    original_of: dict[int, _Label] = {}
    copies = {}
    for label in sorted(part, key=fold_key):
        original = original_of.setdefault(part[label], label)
        if original != label:
            copies[label] = original
    return copies
