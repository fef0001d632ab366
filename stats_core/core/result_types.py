"""Base classes of test results, tables of pairs, and the cache of values computed from results."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial, wraps
from hashlib import sha256
from typing import Any, Literal, Self
from weakref import WeakValueDictionary

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from stats_core.core.errors import SettingError
from stats_core.core.messages import Message

Alternative = Literal["two-sided", "greater", "less"]
Rng = int | np.random.Generator  # source of random numbers; a number is a seed


@dataclass(frozen=True, slots=True)
class Method:
    """The variant of a test that was used.

    Attributes
    ----------
    name : str
        Name of the test.
    parts : tuple of str
        Sides, reference distribution, degrees of freedom, ties, zeros, as far as they apply.
    exact : bool
        Whether the p-value is exact, not approximate.
    overlap : float
        Factor on the variance that corrects for overlapping training sets, 1 without correction.

    Examples
    --------
    >>> print(Method("paired t test", ("two-sided", "9 df"), overlap=19 / 9))
    paired t test, two-sided, 9 df, corrected for overlap (c = 2.111)
    """

    name: str
    parts: tuple[str, ...] = ()
    exact: bool = False
    overlap: float = 1.0

    def __str__(self) -> str:
        """Return the name of the test and its variant as one phrase."""
        corrected = f"corrected for overlap (c = {self.overlap:.4g})"
        return ", ".join([self.name, *self.parts, *([corrected] if self.overlap != 1 else [])])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TestResult:
    """The result of one test.

    Attributes
    ----------
    about : str
        The algorithms or measures compared.
    statistic : float
        The test statistic.
    pvalue : float
        Two-sided unless `method` states another alternative.
    method : Method
        The variant used: exact or approximate, ties, zeros, degrees of freedom.
    n : int
        Number of independent units in the test (data sets, folds, pairs of results).
    warnings : tuple of Message
        Cautions on the interpretation.
    """

    about: str
    statistic: float
    pvalue: float
    method: Method
    n: int
    warnings: tuple[Message, ...] = ()

    @property
    def nothing_to_test(self) -> bool:
        """Whether there was nothing to test, as when all results are equal."""
        return any(warning.code == "nothing to test" for warning in self.warnings)

    def __iter__(self) -> Iterator[float]:
        """Yield statistic and pvalue, for `statistic, pvalue = wilcoxon(x, y)`."""
        return iter((self.statistic, self.pvalue))

    def to_frame(self) -> pd.DataFrame:
        """Return the scalar fields, and method and warnings as text, as a table with one row."""
        return scalar_frame(self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairedResult(TestResult):
    """The result of a test of two algorithms on the same folds, data sets or instances.

    Attributes
    ----------
    pvalue_greater, pvalue_less : float
        One-sided p-values, for the alternatives that the first tends to larger and to smaller
        values.
    """

    pvalue_greater: float
    pvalue_less: float

    def at_alternative(self, alternative: Alternative) -> Self:
        """Return the result with the p-value of an alternative; raise SettingError for an unknown one."""
        if alternative == "two-sided":
            return self
        if alternative not in ("greater", "less"):
            options = "two-sided, greater, less"
            raise SettingError.of(
                "unknown option", name="alternative", value=alternative, options=options
            )
        parts = tuple(alternative if part == "two-sided" else part for part in self.method.parts)
        pvalue = self.pvalue_greater if alternative == "greater" else self.pvalue_less
        return replace(self, pvalue=pvalue, method=replace(self.method, parts=parts))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairwiseResult(TestResult):
    """The results for all pairs of algorithms.

    Attributes
    ----------
    statistics : DataFrame, algorithm x algorithm
        The statistic of each pair, antisymmetric where it has a sign (row minus column).
    pvalues : DataFrame, algorithm x algorithm
        Symmetric, 1 on the diagonal.

    Notes
    -----
    `statistic` and `pvalue` are those of the most extreme pair.
    """

    statistics: pd.DataFrame
    pvalues: pd.DataFrame

    @classmethod
    def of(
        cls,
        statistics: np.ndarray,
        pvalues: np.ndarray,
        names: Iterable[str],
        *,
        by_statistic: bool = False,
        **fields: Any,
    ) -> Self:
        """Return the result of square arrays, with `statistic` and `pvalue` of the most extreme pair.

        The most extreme pair has the smallest p, or if `by_statistic` the largest absolute
        statistic.
        """
        extreme = np.abs(statistics).argmax() if by_statistic else pvalues.argmin()
        return cls(
            statistic=float(statistics.flat[extreme]),
            pvalue=float(pvalues.flat[extreme]),
            statistics=labeled_matrix(statistics, names),
            pvalues=labeled_matrix(pvalues, names),
            **fields,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair, in the order of the algorithms."""
        return pairs_table(statistic=self.statistics, pvalue=self.pvalues)


def pairs_table(**matrices: pd.DataFrame) -> pd.DataFrame:
    """Return a table with one row per unordered pair: first, second, and one column per square matrix.

    Examples
    --------
    >>> import pandas as pd
    >>> p = pd.DataFrame([[1, 0.2], [0.2, 1]], index=["a", "b"], columns=["a", "b"])
    >>> pairs_table(p=p)
      first second    p
    0     a      b  0.2
    """
    names = next(iter(matrices.values())).index
    rows, columns = np.triu_indices(len(names), 1)
    table = {"first": names[rows], "second": names[columns]}
    for label, matrix in matrices.items():
        table[label] = matrix.to_numpy()[rows, columns]
    return pd.DataFrame(table)


def labeled_matrix(values: np.ndarray | bool, names: Iterable[str]) -> pd.DataFrame:
    """Return a square array as a DataFrame with algorithm names on rows and columns."""
    # reuse an index, whose lookup table is built once
    labels = names.rename(None) if isinstance(names, pd.Index) else pd.Index(list(names))
    return pd.DataFrame(values, index=labels, columns=labels)


def scalar_frame(result: Any) -> pd.DataFrame:
    """Return the scalar fields of a result, and its method and warnings as text, as a table with one row."""
    row = {field.name: getattr(result, field.name) for field in fields(result)}
    row |= {"method": str(result.method), "warnings": " ".join(map(str, result.warnings))}
    return pd.DataFrame([{name: value for name, value in row.items() if np.isscalar(value)}])


def square_matrix(
    k: int, upper: ArrayLike, lower: ArrayLike | None = None, *, diagonal: float = 0.0
) -> np.ndarray:
    """Return a k x k array from values above the diagonal, in `np.triu_indices` order.

    Below the diagonal, `lower` holds the values in the same order of pairs; if None, `upper` is
    mirrored.

    Examples
    --------
    >>> square_matrix(2, [0.2], diagonal=1.0).tolist(), square_matrix(2, [0.2], [-0.2]).tolist()
    ([[1.0, 0.2], [0.2, 1.0]], [[0.0, 0.2], [-0.2, 0.0]])
    """
    upper = np.asarray(upper)
    square = np.full((k, k), diagonal, dtype=np.result_type(upper, type(diagonal)))
    rows, columns = np.triu_indices(k, 1)
    square[rows, columns] = upper
    square[columns, rows] = upper if lower is None else lower
    return square


_MOST = 100  # values per cache; the least recently used is evicted
_MISSING = object()


class ResultCache:
    """Up to 100 values by key, the least recently used evicted; pickled as an empty cache.

    The cache keeps `results` alive, and `writes` counts the computed values.

    Examples
    --------
    >>> cache = ResultCache()
    >>> cache.recall("a", lambda: 1), cache.recall("a", lambda: 2), len(cache)
    (1, 1, 1)
    """

    def __init__(self, results: Any = None) -> None:
        self.results = results
        self.writes = 0
        self._values: dict[Hashable, Any] = {}

    @classmethod
    def shared(cls, results: Any, settings: Any) -> "ResultCache":
        """Return the cache shared by all analyses of the same results whose settings differ in alpha only."""
        return _CACHES.setdefault((id(results), replace(settings, alpha=0.5)), cls(results))

    def __len__(self) -> int:
        return len(self._values)

    def __reduce__(self) -> tuple:
        return ResultCache, ()

    def items(self) -> list[tuple[Hashable, Any]]:
        """Return the keys and values."""
        return list(self._values.items())

    def add(self, values: Iterable[tuple[Hashable, Any]]) -> None:
        """Cache values computed in another process."""
        for key, value in values:
            self._values[key] = value
            self.writes += 1

    def recall(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return the cached value of a key, or compute and cache it."""
        value = self._values.pop(key, _MISSING)
        if value is _MISSING:
            value = compute()
            self.writes += 1
            while len(self._values) >= _MOST:
                self._values.pop(next(iter(self._values)), None)
        self._values[key] = value
        return value


# id of the results, which their cache keeps alive, and settings without alpha -> cache
_CACHES: WeakValueDictionary[Hashable, ResultCache] = WeakValueDictionary()


def cached(function: Callable | None = None, *, across_alpha: bool = False) -> Callable:
    """Return `function` with its results in the cache of its first argument; without `function`, a decorator.

    The first argument is an analysis with a `cache`, such as a comparison, or any other object that
    allows new attributes and gets a cache of its own. Other arguments are a part of the key, tables
    by their contents; calls with other unhashable arguments are not cached. With `across_alpha`,
    for functions that do not depend on alpha, the analyses at all levels share the results.
    """
    if function is None:
        return partial(cached, across_alpha=across_alpha)
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def recalled(subject: Any, *arguments: Any, **options: Any) -> Any:
        """Return the cached result of a call, or compute and cache it."""
        cache = getattr(subject, "cache", None)
        alpha = None
        if cache is None:
            cache = own_cache(subject)
        elif not across_alpha:
            alpha = subject.settings.alpha
        try:
            key = (name, type(subject), alpha, hashable(arguments), hashable(options))
        except TypeError:  # unhashable argument
            return function(subject, *arguments, **options)
        return cache.recall(key, lambda: function(subject, *arguments, **options))

    return recalled


def own_cache(subject: Any) -> ResultCache:
    """Return the cache of values computed from an object alone, a new one if the object allows no attributes."""
    return (
        vars(subject).setdefault("_cache", ResultCache())
        if hasattr(subject, "__dict__")
        else ResultCache()
    )


def hashable(value: Any) -> Hashable:
    """Return a hashable key for a value, by contents for arrays and tables; raise TypeError if there is none."""
    if isinstance(value, dict):
        return tuple((name, hashable(item)) for name, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(hashable, value))
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, pd.DataFrame | pd.Series):
        return tuple(hashable(array.to_numpy()) for array in (*value.axes, value))
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return hashable(value.tolist())
        return value.shape, value.dtype.str, sha256(value.tobytes()).digest()
    if isinstance(value, np.random.Generator):
        raise TypeError  # its next numbers are other ones
    hash(value)
    return value
