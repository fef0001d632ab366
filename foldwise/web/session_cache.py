"""Per-session cache of computations, with limits on memory.

A session keeps its uploaded files until it ends, and computed values until it exceeds a number of
bytes; then the least recently used values are evicted. If all sessions together exceed their limit,
the session that ran longest ago loses its computed values, never its files. Values computed from a
shipped sample are shared by all sessions.
"""

import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import partial, wraps
from gc import get_referents, is_tracked
from inspect import signature
from time import monotonic
from types import CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakSet, finalize, ref

import streamlit as st

from foldwise.web.background_calls import BackgroundCall, robustness_seconds, run_in_background
from foldwise.web.job_queue import JobCancelled
from foldwise.web.session import MEMORY, PREVIOUS, UPLOADS
from foldwise.web.settings_registry import FAMILIES, PRIOR, TYPED
from foldwise.workspaces.store import MEGABYTE, limits
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError, InternalError
from stats_core.core.result_cache import ResultCache
from stats_core.data.results import Results

OF_A_SAMPLE = "sample:"  # prefix of cache keys of samples
LARGE = 10_000  # bytes; larger objects are counted once, however many entries refer to them
SHARED = (Results, Comparison, ResultCache)  # types of objects that many entries refer to
WEIGHTLESS = (type, ModuleType, CodeType, ref)

_Look = tuple[dict[int, int], list[ref]]  # bytes by object id, and references to shared objects
_LOOKS: dict[int, tuple[tuple[int, int], _Look]] = {}  # object id -> (attribute counts, sizes)


class SessionCache:
    """A cache with a limit in bytes; entries used in the current run are never evicted.

    Examples
    --------
    >>> session_cache = SessionCache(limit=1000)
    >>> session_cache.recall("a", lambda: "x" * 600), session_cache.recall("a", lambda: "never asked")
    ('xxx...
    >>> session_cache.begin_run()
    >>> len(session_cache.recall("b", lambda: "y" * 600)), len(session_cache)
    (600, 1)
    """

    def __init__(self, limit: int, together: "SharedBudget | None" = None) -> None:
        self.limit, self.held, self.last_run = limit, 0, monotonic()
        self._together = together
        if together is not None:
            together.join(self)
        self._entries: OrderedDict[Hashable, tuple[Any, dict[int, int]]] = OrderedDict()
        self._brought: dict[int, int] = {}
        self._sizes: dict[int, int] = {}
        self._holders: Counter[int] = Counter()
        self._used: set[Hashable] = set()
        self._lock = threading.Lock()
        self._gates: dict[Hashable, threading.Lock] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[Hashable]:
        return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def begin_run(self) -> None:
        """Allow the eviction of entries used in earlier runs."""
        self.last_run = monotonic()
        self._used.clear()

    @property
    def files(self) -> int:
        """Return the number of bytes of uploaded files."""
        return sum(self._brought.values())

    def hold(self, files: Iterable[bytes]) -> None:
        """Count the bytes of uploaded files, which are never evicted, against the limit."""
        with self._lock:
            self._release(self._brought)
            self._brought = {id(content): _size(content) for content in files}
            self._count(self._brought)
            self._make_room()

    def forget(self) -> None:
        """Remove all entries; the bytes of files remain counted."""
        with self._lock:
            for container in (self._entries, self._sizes, self._holders):
                container.clear()
            self.held = 0
            self._count(self._brought)

    def recall(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return the value of a key, computed by one thread while others wait for it.

        A FoldwiseError is cached, too, and raised again.
        """
        with self._lock:
            if key in self._entries:
                return _answered(self._touch(key))
            gate = self._gates.setdefault(key, threading.Lock())
        with gate:
            with self._lock:
                if key in self._entries:
                    return _answered(self._touch(key))
            try:
                outcome = _outcome(compute)
                sizes = deep_size(outcome)
                with self._lock:
                    self._entries[key] = outcome, sizes
                    self._count(sizes)
                    self._used.add(key)
                    self._make_room()
            finally:
                self._gates.pop(key, None)
        if self._together is not None:
            self._together.make_room(self)
        return _answered(outcome)

    def _touch(self, key: Hashable) -> Any:
        self._entries.move_to_end(key)
        self._used.add(key)
        return self._entries[key][0]

    def _count(self, sizes: dict[int, int]) -> None:
        """Add the objects of an entry; objects shared by several entries count once."""
        for object_id, size in sizes.items():
            self.held += size - self._sizes.get(object_id, 0)
            self._sizes[object_id] = size
        self._holders.update(sizes.keys())

    def _make_room(self) -> None:
        if self.held <= self.limit:
            return
        for key in [key for key in self._entries if key not in self._used]:
            _, sizes = self._entries.pop(key)
            self._release(sizes)
            if self.held <= self.limit:
                return

    def _release(self, sizes: dict[int, int]) -> None:
        for object_id in sizes:
            self._holders[object_id] -= 1
            if not self._holders[object_id]:
                del self._holders[object_id]
                self.held -= self._sizes.pop(object_id)


class SharedBudget:
    """A byte limit shared by caches: the one that ran longest ago is cleared first."""

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit, self._members = limit, WeakSet[SessionCache]()
        self._lock = threading.Lock()

    def join(self, one: SessionCache) -> None:
        """Add a cache."""
        with self._lock:
            self._members.add(one)

    def make_room(self, but: SessionCache) -> None:
        """Clear other caches, longest idle first, until all together fit into the limit."""
        with self._lock:
            members = sorted(self._members, key=lambda member: member.last_run)
        over = sum(member.held for member in members) - self._limit()
        for member in members:
            if over <= 0:
                return
            if member is not but:
                over -= member.held - member.files
                member.forget()

    def files(self, but: SessionCache) -> int:
        """Return the bytes of uploaded files of all caches except one."""
        with self._lock:
            return sum(member.files for member in self._members if member is not but)


@dataclass(frozen=True)
class _Refused:
    error: FoldwiseError


def _outcome(compute: Callable[[], Any]) -> Any:
    """Return the computed value, or a `_Refused` with the FoldwiseError raised."""
    try:
        return compute()
    except (JobCancelled, InternalError):  # not cached: the next attempt may succeed
        raise
    except FoldwiseError as error:
        return _Refused(copy(error))


def _answered(outcome: Any) -> Any:
    if isinstance(outcome, _Refused):
        raise copy(outcome.error)
    return outcome


def deep_size(thing: Any) -> dict[int, int]:
    """Return the sizes in bytes of an object and all it refers to, by object id.

    Notes
    -----
    Results and comparisons, to which many objects refer, are measured once, and again when they have
    cached more attributes.

    Examples
    --------
    >>> small, large = sorted(deep_size(["x" * 20_000]).values())
    >>> 0 < small < 1000, round(large, -3)
    (True, 20000)
    """
    sizes_by_id: dict[int, int] = {}
    pending = [thing]
    while pending:
        current = pending.pop()
        if id(current) not in sizes_by_id:
            sizes, references = _known_look(current) if isinstance(current, SHARED) else _look(current)
            sizes_by_id |= sizes
            pending.extend(referred for reference in references if (referred := reference()) is not None)
    return sizes_by_id


def _known_look(shared: Results | Comparison | ResultCache) -> _Look:
    """Return the cached sizes of a shared object, measured again if it has grown."""
    counts = len(vars(shared)), getattr(shared, "writes", 0)
    if id(shared) not in _LOOKS:
        finalize(shared, _LOOKS.pop, id(shared), None)
    elif _LOOKS[id(shared)][0] == counts:
        return _LOOKS[id(shared)][1]
    _LOOKS[id(shared)] = counts, _look(shared)
    return _LOOKS[id(shared)][1]


def _look(thing: Any) -> _Look:
    """Return the sizes of an object, and references to the shared objects it refers to."""
    small, sizes, references, seen_ids, pending = 0, {}, [], set(), [thing]
    while pending:
        current = pending.pop()
        if id(current) in seen_ids or isinstance(current, WEIGHTLESS):
            continue
        seen_ids.add(id(current))
        if isinstance(current, SHARED) and current is not thing:
            references.append(ref(current))
            continue
        size = _size(current)
        if size < LARGE:
            small += size
        else:
            sizes[id(current)] = size
        pending.extend(_parts(current))
    sizes[id(thing)] = sizes.get(id(thing), 0) + small
    return sizes, references


def _size(thing: Any) -> int:
    """Return the bytes of one object without those it refers to."""
    if hasattr(type(thing), "memory_usage"):
        return object.__sizeof__(thing)
    return int(thing.nbytes) if hasattr(type(thing), "nbytes") else sys.getsizeof(thing, 0)


def _parts(thing: Any) -> Iterable[Any]:
    """Return the objects referred to; of a function only its closure and defaults."""
    if isinstance(thing, FunctionType):
        return thing.__closure__, thing.__defaults__
    if getattr(getattr(thing, "dtype", None), "kind", "") == "O" and not is_tracked(thing):
        return thing.tolist()
    return get_referents(thing)


SAMPLES = SessionCache(256 * MEGABYTE)
SESSIONS = SharedBudget(lambda: limits().memory_mb * MEGABYTE)


def session_cache(key: str = "") -> SessionCache:
    """Return the cache of this session, or the one shared by all for an unmodified sample."""
    modified = any(st.session_state.get(typed) for typed in (TYPED, FAMILIES, PRIOR))
    if key.startswith(OF_A_SAMPLE) and not modified:
        return SAMPLES
    if MEMORY not in st.session_state:
        st.session_state[MEMORY] = SessionCache(limits().session_mb * MEGABYTE, SESSIONS)
    return st.session_state[MEMORY]


def begin_run() -> None:
    """Count the files of this session and allow the eviction of entries of earlier runs."""
    cache, files = session_cache(), [content for _, content in st.session_state.get(UPLOADS, ())]
    previous_files = [content for _, content in st.session_state.get(PREVIOUS, ((),))[0]]
    cache.hold([*files, *previous_files])
    if previous_files and cache.files > cache.limit:  # drop the results open before
        del st.session_state[PREVIOUS]
        cache.hold(files)
    cache.begin_run()
    SAMPLES.begin_run()


def qualified_name(function: Callable) -> str:
    """Return module and qualified name of a function."""
    return f"{function.__module__}.{function.__qualname__}"


def cached_in_session(
    compute: Callable | None = None,
    *,
    said: str = "",
    name: str = "",
    cost: Callable[[BackgroundCall], float] = robustness_seconds,
) -> Callable:
    """Cache a function per session, by its arguments without a leading underscore."""
    if compute is None:
        return partial(cached_in_session, said=said, name=name, cost=cost)
    parameters, name = signature(compute), name or qualified_name(compute)

    @wraps(compute)
    def recalled(*args: Any, **options: Any) -> Any:
        bound = parameters.bind(*args, **options).arguments
        key_values = tuple(value for parameter, value in bound.items() if parameter[0] != "_")

        store, cache_key = session_cache(str(bound.get("key", ""))), (name, *key_values)

        def answer() -> Any:
            result = compute(*args, **options)
            if not isinstance(result, BackgroundCall):
                return result
            return run_in_background(result, key=cache_key, cost=cost(result), doing=said)

        return store.recall(cache_key, answer)

    return recalled
