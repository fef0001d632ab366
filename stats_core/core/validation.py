"""Checks of arguments, and comparisons of numbers and p-values that allow for rounding errors."""

from collections.abc import Collection, Iterator
from math import inf
from numbers import Real
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from stats_core.core.errors import DataError, DegenerateError, DesignError, SettingError
from stats_core.core.formatting import MINUS
from stats_core.core.messages import message
from stats_core.core.significance import significant as significant

_Kind = TypeVar("_Kind")

LARGEST = 1e70  # so that fourth powers do not overflow
SMALLEST = 1e-70  # so that these do not underflow
TIE_TOLERANCE = 1e-9  # relative to the largest absolute value compared


IDENTICAL = message("nothing to test", same="two results")


_BATCH = 1_000_000  # numbers of a batch

ROUNDING = 1e-12  # of the largest number that enters a sum or a difference


def batches(n: int, width: int) -> Iterator[slice]:
    """Yield slices of n rows in order, so short that an array of a slice with `width` numbers in a row is small.

    All but the last have a multiple of four rows: random bytes are drawn in fours, so batches hold
    the same as a whole.

    Examples
    --------
    >>> list(batches(10, 200_000)), list(batches(10, 5))
    ([slice(0, 4, None), slice(4, 8, None), slice(8, 10, None)], [slice(0, 10, None)])
    """
    rows_of_batch = _BATCH // max(width, 1)
    step = max(4, rows_of_batch // 4 * 4)
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def check_probability(value: float, name: str) -> float:
    """Return `value` as a float; raise SettingError unless it lies strictly between 0 and 1."""
    if not (isinstance(value, Real) and 0 < value < 1):
        raise SettingError.of("no probability", name=name, value=value)
    return float(value)


def check_margin(margin: float) -> float:
    """Return an equivalence margin as a float; raise SettingError unless it is finite and >= 0.

    Examples
    --------
    >>> check_margin(0.01)
    0.01
    """
    is_number = isinstance(margin, Real) and not isinstance(margin, bool)
    if not (is_number and 0 <= margin < inf):
        raise SettingError.of("margin must be 0 or a positive number", margin=margin)
    return float(margin)


def check_one_of(value: Any, options: Collection[Any], name: str) -> Any:
    """Return `value`; raise SettingError unless it is one of `options`."""
    if value not in list(options):
        listed = ", ".join(str(option) for option in options if option != "")
        raise SettingError.of("unknown option", name=name, value=value, options=listed)
    return value


def check_whole(value: float, name: str) -> int:
    """Return `value` as an int; raise SettingError unless it is a nonnegative whole number."""
    if not _is_count(value):
        raise SettingError.of("no count", name=name, value=value)
    return int(value)


def check_count(value: float, name: str) -> int:
    """Return a count as an int; raise DataError unless it is a nonnegative whole number."""
    if not _is_count(value):
        raise DataError.of("no count", name=name, value=value)
    return int(value)


def _is_count(value: float) -> bool:
    """Return whether a value is a nonnegative whole number."""
    return isinstance(value, Real) and float(value).is_integer() and value >= 0


def check_draws(draws: int, usual: int = 9999) -> None:
    """Raise SettingError if the number of draws is below one."""
    if draws < 1:
        raise SettingError.of("no draws", draws=draws, usual=usual)


def check_sizes(k: int, n_datasets: int) -> None:
    """Raise DesignError for k < 2 algorithms or no data set, SettingError unless both are nonnegative whole numbers."""
    n_algorithms = check_whole(k, "k")
    n = check_whole(n_datasets, "n_datasets")
    if n_algorithms < 2 or n < 1:
        raise DesignError.of("too few to rank", k=k, n_datasets=n_datasets)


def check_kind(value: Any, kinds: type | tuple[type, ...], name: str, do: str) -> Any:
    """Return `value`; raise SettingError with the remedy `do` unless it is an instance of one of `kinds`."""
    if isinstance(value, kinds):
        return value
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    raise SettingError.of(
        "argument kind",
        name=name,
        do=do,
        kinds=list(dict.fromkeys(kind.__name__ for kind in kinds)),  # numpy has a "bool", too
        kind=type(value).__name__,
    )


def given_or_new(value: Any, kind: type[_Kind], name: str) -> _Kind:
    """Return an argument, or a new object for None; raise SettingError for another kind."""
    return kind() if value is None else check_kind(value, kind, name, f"Use `{kind.__name__}(...)`")


def check_names(names: Any, name: str) -> tuple[str, ...]:
    """Return the names of algorithms as a tuple of texts; raise DataError if they cannot be iterated."""
    if not np.iterable(names):
        raise DataError.of("no names", name=name, names=names)
    return tuple(str(label) for label in names)


def as_table(values: Any, name: str) -> pd.DataFrame:
    """Return tabular values as a DataFrame, or raise DataError."""
    try:
        if values is not None:
            return pd.DataFrame(values)
    except (TypeError, ValueError):
        pass
    raise DataError.of("no table", name=name, kind=type(values).__name__)


def as_numbers(values: Any, name: str) -> np.ndarray:
    """Return values as an array of floats, or raise DataError."""
    try:
        if isinstance(values, pd.DataFrame):  # ten times as fast as np.asarray
            return values.to_numpy(dtype=float)
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        reason = str(error).rstrip(".")
    raise DataError.of("not numbers", name=name, reason=reason)


def check_scores(scores: pd.DataFrame, *, allow_missing: bool = False) -> pd.DataFrame:
    """Return a table, data set x algorithm, as floats.

    Raises DataError for values that are no numbers, infinite, or NaN (unless `allow_missing`), and
    for repeated names; DesignError for fewer than two algorithms or no data set.
    """
    table = as_table(scores, "scores")
    _check_names(table)
    table = pd.DataFrame(as_numbers(table, "scores"), *table.axes)
    if table.shape[1] < 2:
        raise DesignError.of("one algorithm", n=table.shape[1])
    if not len(table):
        raise DesignError.of("no data set")
    _check_finite(table, allow_missing)
    return table


def check_matrix(matrix: pd.DataFrame) -> pd.DataFrame:
    """Return a fold x algorithm table as finite floats; raise DataError or DesignError for an unsuitable one."""
    table = as_table(matrix, "matrix")
    if not len(table):
        raise DesignError.of("no folds")
    table = check_scores(table.set_axis(range(len(table)))).set_axis(table.index)
    check_results(len(table))
    check_size(table.to_numpy())
    check_squares(table.to_numpy())
    return table


def check_size(values: np.ndarray) -> None:
    """Raise DataError for numbers above 1e70 in size, whose fourth powers could overflow."""
    largest = float(np.abs(values).max())
    if largest > LARGEST:
        raise DataError.of("results too large", limit=LARGEST, largest=largest)


def check_squares(*columns: np.ndarray) -> None:
    """Raise DataError if the numbers of a column are all below 1e-70: squares could underflow."""
    for column in columns:
        largest = largest_size(column)
        if 0 < largest < SMALLEST:
            raise DataError.of("results too small", limit=SMALLEST, largest=largest)


def _check_names(table: pd.DataFrame) -> None:
    for axis, label in ((table.columns, "algorithm"), (table.index, "data set")):
        if not axis.is_unique:
            repeated = sorted({str(name) for name in axis[axis.duplicated()]})
            raise DataError.of("names repeated", label=label, names=repeated[:5])


def _check_finite(table: pd.DataFrame, allow_missing: bool) -> None:
    values = table.to_numpy()
    is_invalid = np.isinf(values) if allow_missing else ~np.isfinite(values)
    if not is_invalid.any():
        return
    row, column = np.argwhere(is_invalid)[0]
    raise DataError.of(
        "scores not finite",
        n=int(is_invalid.sum()),
        row=table.index[row],
        column=table.columns[column],
    )


def check_pvalues(pvalues: pd.DataFrame) -> pd.DataFrame:
    """Return a symmetric matrix of p-values as floats, or raise DataError; the diagonal may hold any numbers."""
    table = as_table(pvalues, "pvalues")
    values = as_numbers(table, "pvalues")
    table = pd.DataFrame(values, *table.axes)
    if values.shape[0] != values.shape[1] or list(table.index) != list(table.columns):
        raise DataError.of("p-values not square", shape=values.shape)
    is_pair = ~np.eye(len(values), dtype=bool)
    check_family(values[is_pair])
    if not np.allclose(values, values.T, rtol=1e-9, atol=0, equal_nan=True):
        raise DataError.of("p-values not symmetric")
    return table


def check_family(pvalues: ArrayLike) -> np.ndarray:
    """Return p-values as a float array; raise DataError unless all lie within [0, 1]."""
    values = as_numbers(pvalues, "pvalues")
    if not ((values >= 0) & (values <= 1)).all():  # also catches NaN
        raise DataError.of("p-values out of range")
    return values


def align(*values: Any) -> list[Any]:
    """Return values with their rows in the order of the first that has labels, others unchanged.

    Series and data frames of pandas, and one-dimensional arrays of xarray, have labels. Raises
    DataError if the labels of two differ or, in another order, occur more than once.

    Examples
    --------
    >>> x, y = pd.Series([1, 2], ["a", "b"]), pd.Series([3, 4], ["b", "a"])
    >>> align(x, y)[1].tolist()
    [4, 3]
    """
    aligned = [_with_labels(value) for value in values]
    labels = next((value.index for value in aligned if has_labels(value)), pd.Index([]))
    for i, value in enumerate(aligned):
        if not has_labels(value) or value.index.equals(labels):
            continue
        own_names = set(value.index)
        names = set(labels)
        if own_names != names:
            n_shared = len(own_names & names)
            raise DataError.of("other labels", shared=n_shared, n=len(own_names | names))
        if labels.has_duplicates or value.index.has_duplicates:
            raise DataError.of("repeated labels")
        aligned[i] = value.reindex(labels)
    return aligned


def has_labels(value: Any) -> bool:
    """Return whether a value is a Series or a data frame of pandas, whose rows have labels."""
    return isinstance(value, pd.Series | pd.DataFrame)


def _with_labels(value: Any) -> Any:
    """Return a one-dimensional array of xarray as a Series, other values unchanged."""
    is_array = hasattr(value, "coords") and getattr(value, "ndim", 0) == 1
    return value.to_series() if is_array else value


def check_paired(x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return two finite arrays of one length, see `align`; raise DataError if not possible."""
    first, second = align(x, y)
    first = as_numbers(first, "x")
    second = as_numbers(second, "y")
    if first.ndim != 1 or first.shape != second.shape or not len(first):
        raise DataError.of("not paired", first=first.shape, second=second.shape)
    both = np.concatenate([first, second])
    if not np.isfinite(both).all():
        raise DataError.of("pairs not finite")
    check_size(both)
    return first, second


def check_results(n: int, least: int = 2) -> int:
    """Return the number of results, or raise DesignError if it is below `least`."""
    if n < least:
        raise DesignError.of("too few folds", least=least, n=n)
    return n


def largest_size(*measured: ArrayLike, axis: int | None = None) -> Any:
    """Return the largest absolute value of all arrays, a float or along `axis`."""
    sizes = [np.abs(np.asarray(array, dtype=float)).max(axis=axis) for array in measured]
    largest = np.maximum.reduce(sizes)
    return float(largest) if axis is None else largest


def rounding_error(*measured: ArrayLike, axis: int | None = None) -> Any:
    """Return the largest rounding error of sums, means and differences of `measured`.

    A float, or an array of errors along `axis`.

    Smaller variation is no variation. The error is relative to the largest absolute value, so
    results of any size vary or not as the same results in another unit. For sums over groups,
    `measured` are the sums of absolute values over these groups. The variation is compared before
    anything is squared: the root of a rounding error is no rounding error.

    Examples
    --------
    >>> rounding_error([0.3, 0.1 + 0.2]) > 0.1 + 0.2 - 0.3 > 0
    True
    >>> rounding_error([2e-180, 3e-180]) < 1e-180
    True
    """
    return ROUNDING * largest_size(*measured, axis=axis)


def all_within_rounding(values: ArrayLike, *measured: ArrayLike) -> bool:
    """Return whether all values are zero up to the rounding error of `measured`."""
    return bool((np.abs(values) <= rounding_error(*measured)).all())


def differences_vary(differences: np.ndarray, *measured: ArrayLike) -> bool:
    """Return whether paired differences vary, False if all are 0; raise DegenerateError if all equal another number."""
    if all_within_rounding(differences, *measured):
        return False
    if all_within_rounding(differences - differences.mean(), *measured):
        raise DegenerateError.of(
            "equal differences", n=len(differences), difference=_signed(differences[0])
        )
    return True


def paired_differences(x: ArrayLike, y: ArrayLike) -> np.ndarray:
    """Return x - y without rounding errors.

    Differences that are equal up to these are equal, those that are 0 up to these are 0. This is
    for tests of differences, which do not know how large the results were.

    Examples
    --------
    >>> paired_differences([0.3, 0.9, 0.8], [0.1 + 0.2, 0.8, 0.7]).tolist()[0]
    0.0
    >>> np.unique(paired_differences([0.3, 0.9, 0.8], [0.2, 0.8, 0.7])).size
    1
    """
    first = np.asarray(x, dtype=float)
    second = np.asarray(y, dtype=float)
    differences = first - second
    noise = rounding_error(first, second)
    order = np.argsort(differences, kind="stable")
    is_new = np.diff(differences[order]) > noise
    groups = np.concatenate([[0], is_new.cumsum()])
    means = np.bincount(groups, differences[order]) / np.bincount(groups)
    means[np.abs(means) <= noise] = 0.0
    cleaned = np.empty_like(differences)
    cleaned[order] = means[groups]
    return cleaned


def unit_of(*measured: ArrayLike, axis: int | None = None) -> Any:
    """Return the power of two next to the largest absolute value, 1 if all are 0.

    A float, or an array along `axis`.

    Numbers divided by it lose no digits, and their squares neither underflow nor overflow.

    Examples
    --------
    >>> unit_of([-6.0, 3.0]), unit_of([0.0]), unit_of([2.0**-600]) == 2.0**-600
    (4.0, 1.0, True)
    """
    largest = largest_size(*measured, axis=axis)
    _, exponent = np.frexp(largest)
    unit = np.where(largest > 0, np.ldexp(1.0, exponent - 1), 1.0)
    return float(unit) if axis is None else unit


def _signed(value: float) -> str:
    return f"{value:.6g}".replace("-", MINUS)


def ties_mask(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return a mask of paired values that tie up to rounding errors."""
    scale = np.maximum(np.abs(x), np.abs(y))
    return np.abs(x - y) <= TIE_TOLERANCE * scale


def shares_of_ties(values: np.ndarray) -> np.ndarray:
    """Return, column x column, the share of rows in which the values of two columns tie up to rounding errors.

    Only rows with both values count; the share is 0 if there are none.

    Examples
    --------
    >>> shares_of_ties(np.array([[0.1, 0.1, 0.2], [0.3, 0.3 + 1e-16, np.nan]])).tolist()[0]
    [1.0, 1.0, 0.0]
    """
    is_present = (~np.isnan(values)).astype(float)
    n_both = is_present.T @ is_present
    n_ties = np.array([ties_mask(column[:, None], values).sum(axis=0) for column in values.T])
    return n_ties / np.maximum(n_both, 1)


def tie_groups(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return the index of each value's tie group in its row, smallest first, NaN last; ties are relative to `scale`."""
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    is_missing = np.isnan(ordered)
    with np.errstate(invalid="ignore"):
        is_step = np.diff(ordered, axis=1) > TIE_TOLERANCE * scale[:, None]
    is_step |= is_missing[:, 1:] & ~is_missing[:, :-1]
    numbers = np.zeros(values.shape, dtype=int)
    numbers[:, 1:] = is_step.cumsum(axis=1)
    groups = np.empty_like(numbers)
    np.put_along_axis(groups, order, numbers, axis=1)
    return groups


def mid_ranks(groups: np.ndarray) -> np.ndarray:
    """Return the ranks in each row of `tie_groups`, from 1; ties get the mean of their ranks.

    Examples
    --------
    >>> mid_ranks(np.array([[0, 2, 1, 1]])).tolist()
    [[1.0, 4.0, 2.5, 2.5]]
    """
    n_rows, n = groups.shape
    cell = groups + n * np.arange(n_rows)[:, None]
    sizes = np.bincount(cell.ravel(), minlength=cell.size).reshape(groups.shape)
    rank_of_group = sizes.cumsum(axis=1) - (sizes - 1) / 2
    return np.take_along_axis(rank_of_group, groups, axis=1)
