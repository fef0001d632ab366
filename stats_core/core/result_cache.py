"""Bounded cache of values computed from results: details, tables and figures."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial, wraps
from hashlib import sha256
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pandas as pd

_MOST = 100  # values per cache; the least recently used is evicted
_MISSING = object()


class ResultCache:
    """Values by key, the least recently used evicted; pickled as an empty cache.

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

    def __len__(self) -> int:
        return len(self._values)

    def __reduce__(self) -> tuple:
        return ResultCache, ()

    def recall(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return the value of a key, computed if it is not cached."""
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


def cache_of(results: Any, settings: Any) -> ResultCache:
    """Return the cache of all analyses of these results that differ in alpha only."""
    return _CACHES.setdefault((id(results), replace(settings, alpha=0.5)), ResultCache(results))


def cached(function: Callable | None = None, *, across_alpha: bool = False) -> Callable:
    """Cache the result of a function in the cache of its first argument.

    The first argument is an analysis with a `cache`, such as a comparison, or any other object,
    which then gets a cache of its own. Other arguments are a part of the key, tables by their
    contents; calls with other unhashable arguments are not cached. Results that do not depend on
    alpha are shared by the analyses at all levels, with `across_alpha`.
    """
    if function is None:
        return partial(cached, across_alpha=across_alpha)
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def recalled(subject: Any, *arguments: Any, **options: Any) -> Any:
        cache, alpha = getattr(subject, "cache", None), None
        if cache is None:
            cache = vars(subject).setdefault("_cache", ResultCache()) if hasattr(subject, "__dict__") else ResultCache()
        elif not across_alpha:
            alpha = subject.settings.alpha
        try:
            key = (name, type(subject), alpha, hashable(arguments), hashable(options))
        except TypeError:  # unhashable argument
            return function(subject, *arguments, **options)
        return cache.recall(key, lambda: function(subject, *arguments, **options))

    return recalled


def hashable(value: Any) -> Hashable:
    """Return a hashable key of a value, of arrays and tables by their contents."""
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
    hash(value)
    return value
