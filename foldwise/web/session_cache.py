"""What was computed, kept with the session it belongs to and gone with it.

A session keeps its visitor's files, and what came of them until it ends or passes a number of bytes;
then what was used longest ago leaves. Where all sessions together pass theirs, the one that ran
longest ago forgets what it computed, never the files. What comes of a shipped sample is nobody's: all
sessions share it.
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

from foldwise.figure_specs.figure_spec import DRAWINGS
from foldwise.web.background_calls import (
    BackgroundCall,
    robustness_seconds,
    run_in_background,
)
from foldwise.web.job_queue import JobCancelled
from foldwise.web.session import FAMILIES, MEMORY, PREVIOUS, PRIOR, TYPED, UPLOADS
from foldwise.workspaces.workspace_config import MEGABYTE, limits
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError, InternalError
from stats_core.data.results import Results

OF_A_SAMPLE = "sample:"  # begins the key of what was read of a shipped sample
LARGE = 10_000  # bytes, from which on something is counted once, however many entries hold it
SHARED = (Results, Comparison)  # what many entries refer to
WEIGHTLESS = (type, ModuleType, CodeType, ref)

_Look = tuple[dict[int, int], list[ref]]  # bytes by identity, and what is shared
_LOOKS: dict[int, tuple[tuple[int, int], _Look]] = {}  # how much had been kept, and the look


class SessionCache:
    """Entries by key, up to so many bytes; what this run has used stays in any case.

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
        """Let go what earlier runs used, should others need the place."""
        self.last_run = monotonic()
        self._used.clear()

    @property
    def files(self) -> int:
        """Return how many bytes the visitor brought."""
        return sum(self._brought.values())

    def hold(self, files: Iterable[bytes]) -> None:
        """Count what the visitor brought, which stays and leaves less to what is computed of it."""
        with self._lock:
            self._release(self._brought)
            self._brought = {id(content): _size(content) for content in files}
            self._count(self._brought)
            self._make_room()

    def forget(self) -> None:
        """Let go of everything but the files."""
        with self._lock:
            for kept in (self._entries, self._sizes, self._holders):
                kept.clear()
            self.held = 0
            self._count(self._brought)

    def recall(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return what is kept under a key, computed by one caller while others wait for it.

        A refusal is kept, too, and raised again.
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
                found = _outcome(compute)
                parts = deep_size(found)
                with self._lock:
                    self._entries[key] = found, parts
                    self._count(parts)
                    self._used.add(key)
                    self._make_room()
            finally:
                self._gates.pop(key, None)
        if self._together is not None:
            self._together.make_room(self)
        return _answered(found)

    def _touch(self, key: Hashable) -> Any:
        self._entries.move_to_end(key)
        self._used.add(key)
        return self._entries[key][0]

    def _count(self, parts: dict[int, int]) -> None:
        """Count what one more entry holds; what several hold counts once."""
        for part, size in parts.items():
            self.held += size - self._sizes.get(part, 0)
            self._sizes[part] = size
        self._holders.update(parts.keys())

    def _make_room(self) -> None:
        if self.held <= self.limit:
            return
        for key in [key for key in self._entries if key not in self._used]:
            _, parts = self._entries.pop(key)
            self._release(parts)
            if self.held <= self.limit:
                return

    def _release(self, parts: dict[int, int]) -> None:
        for part in parts:
            self._holders[part] -= 1
            if not self._holders[part]:
                del self._holders[part]
                self.held -= self._sizes.pop(part)


class SharedBudget:
    """Memories that share a number of bytes: who ran longest ago forgets first."""

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit, self._members = limit, WeakSet[SessionCache]()
        self._lock = threading.Lock()

    def join(self, one: SessionCache) -> None:
        """Count one from now on."""
        with self._lock:
            self._members.add(one)

    def make_room(self, but: SessionCache) -> None:
        """Let others forget until all hold no more than the limit, or one alone is left."""
        with self._lock:
            members = sorted(self._members, key=lambda one: one.last_run)
        over = sum(one.held for one in members) - self._limit()
        for one in members:
            if over <= 0:
                return
            if one is not but:
                over -= one.held - one.files
                one.forget()

    def files(self, but: SessionCache) -> int:
        """Return how many bytes all but one hold of what their visitors brought."""
        with self._lock:
            return sum(one.files for one in self._members if one is not but)


@dataclass(frozen=True)
class _Refused:
    error: FoldwiseError


def _outcome(compute: Callable[[], Any]) -> Any:
    """Return what was computed, or why that is refused, without what it was computed from."""
    try:
        return compute()
    except (JobCancelled, InternalError):  # the next time it may be answered
        raise
    except FoldwiseError as error:
        return _Refused(copy(error))


def _answered(found: Any) -> Any:
    if isinstance(found, _Refused):
        raise copy(found.error)
    return found


def deep_size(thing: Any) -> dict[int, int]:
    """How many bytes does a thing hold with all it refers to?

    Notes
    -----
    Results and comparisons, which many things refer to, are looked at once, and again where they have
    kept more since.

    Examples
    --------
    >>> small, large = sorted(deep_size(["x" * 20_000]).values())
    >>> 0 < small < 1000, round(large, -3)
    (True, 20000)
    """
    found: dict[int, int] = {}
    left = [thing]
    while left:
        one = left.pop()
        if id(one) not in found:
            sizes, others = _known_look(one) if isinstance(one, SHARED) else _look(one)
            found |= sizes
            left.extend(other for refer in others if (other := refer()) is not None)
    return found


def _known_look(one: Results | Comparison) -> _Look:
    """Return the last look at what many things refer to, unless it has kept more since."""
    has = len(vars(one)), len(vars(one).get(DRAWINGS, ()))
    if id(one) not in _LOOKS:
        finalize(one, _LOOKS.pop, id(one), None)
    elif _LOOKS[id(one)][0] == has:
        return _LOOKS[id(one)][1]
    _LOOKS[id(one)] = has, _look(one)
    return _LOOKS[id(one)][1]


def _look(thing: Any) -> _Look:
    """Return the bytes of a thing but for the results and comparisons it refers to, and those."""
    small, sizes, others, seen, left = 0, {}, [], set(), [thing]
    while left:
        one = left.pop()
        if id(one) in seen or isinstance(one, WEIGHTLESS):
            continue
        seen.add(id(one))
        if isinstance(one, SHARED) and one is not thing:
            others.append(ref(one))
            continue
        size = _size(one)
        if size < LARGE:
            small += size
        else:
            sizes[id(one)] = size
        left.extend(_parts(one))
    sizes[id(thing)] = sizes.get(id(thing), 0) + small
    return sizes, others


def _size(one: Any) -> int:
    """Return the bytes of one thing without its parts; tables would count theirs themselves."""
    if hasattr(type(one), "memory_usage"):
        return object.__sizeof__(one)
    return int(one.nbytes) if hasattr(type(one), "nbytes") else sys.getsizeof(one, 0)


def _parts(one: Any) -> Iterable[Any]:
    """Return what a thing refers to; of a function what it encloses, not the module it stands in."""
    if isinstance(one, FunctionType):
        return one.__closure__, one.__defaults__
    if getattr(getattr(one, "dtype", None), "kind", "") == "O" and not is_tracked(one):
        return one.tolist()
    return get_referents(one)


SAMPLES = SessionCache(256 * MEGABYTE)
SESSIONS = SharedBudget(lambda: limits().memory_mb * MEGABYTE)


def session_cache(key: str = "") -> SessionCache:
    """Return the memory of this session, or the common one for what came of a sample alone."""
    own = any(st.session_state.get(typed) for typed in (TYPED, FAMILIES, PRIOR))
    if key.startswith(OF_A_SAMPLE) and not own:
        return SAMPLES
    if MEMORY not in st.session_state:
        st.session_state[MEMORY] = SessionCache(limits().session_mb * MEGABYTE, SESSIONS)
    return st.session_state[MEMORY]


def begin_run() -> None:
    """Count the files of this session; let what its earlier runs used make room for others."""
    own, files = session_cache(), [content for _, content in st.session_state.get(UPLOADS, ())]
    before = [content for _, content in st.session_state.get(PREVIOUS, ((),))[0]]
    own.hold([*files, *before])
    if before and own.files > own.limit:  # what was open before leaves, and the way back to it
        del st.session_state[PREVIOUS]
        own.hold(files)
    own.begin_run()
    SAMPLES.begin_run()


def qualified_name(function: Callable) -> str:
    """Return what tells a function from all others."""
    return f"{function.__module__}.{function.__qualname__}"


def cached_in_session(
    compute: Callable | None = None,
    *,
    said: str = "",
    name: str = "",
    cost: Callable[[BackgroundCall], float] = robustness_seconds,
) -> Callable:
    """Keep what a function returns, by its arguments but those that begin with an underscore."""
    if compute is None:
        return partial(cached_in_session, said=said, name=name, cost=cost)
    parameters, name = signature(compute), name or qualified_name(compute)

    @wraps(compute)
    def recalled(*args: Any, **options: Any) -> Any:
        given = parameters.bind(*args, **options).arguments
        asked = tuple(value for of, value in given.items() if of[0] != "_")

        store, question = session_cache(str(given.get("key", ""))), (name, *asked)

        def answer() -> Any:
            found = compute(*args, **options)
            if not isinstance(found, BackgroundCall):
                return found
            return run_in_background(found, key=question, cost=cost(found), doing=said)

        return store.recall(question, answer)

    return recalled
