"""Session caches of computed values, and long computations in worker processes.

A session keeps its uploaded files until it ends, and computed values until it exceeds a number of
bytes; then the least recently used values are evicted. If all sessions together exceed their limit,
the session that ran longest ago loses its computed values, never its files. Values computed from a
shipped sample are shared by all sessions.
"""

import hashlib
import re
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from gc import get_referents, is_tracked
from itertools import chain
from math import ceil
from time import monotonic, thread_time
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar
from weakref import WeakSet, WeakValueDictionary, finalize, ref

import plotly.graph_objects as go
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from foldwise.figures.spec import FigureSpec
from foldwise.web.job_queue import CANCELLED, Job, JobCancelled, Reading, shared_queue
from foldwise.web.session import MEMORY, OF_A_SAMPLE, PREVIOUS, UPLOADS
from foldwise.web.settings_registry import FAMILIES, PRIOR, TYPED
from foldwise.web.texts import page_text
from foldwise.workspaces.store import MEGABYTE, limits
from stats_core.comparison.analyse import analyse, at_level
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError, InternalError
from stats_core.core.result_types import ResultCache
from stats_core.curves.curve_comparison import DataCurves
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.report.tables.table import ResultTable
from stats_core.report.verdict import verdict
from stats_core.robustness.other_measures import ASPECTS
from stats_core.robustness.variations import distinct_measures

HERE = 0.5  # seconds; cheaper calls run in the server process
UNASKED = 60.0  # seconds; longer repetitions of a comparison start on a click
PATIENCE = 0.5  # seconds before progress is displayed
RELOAD = 10.0  # seconds in which a page that was closed may be there again
TELLING = 0.25  # seconds; longer calls update the cost estimate of their kind
JOB, STOPPED, ASKED = (
    "_job",
    "_stopped",
    "_asked",
)  # session keys: (key, running job); (key, error); keys of starts
PER_INSTANCE = 2e-6  # approximate seconds
AGAIN = 10  # approximate number of comparisons in an analysis that repeats them
PACES: dict[str, float] = {}  # kind of call -> ratio of measured to estimated seconds
LEAST_PACE = 0.1  # so that quick calls do not bring slow ones, which the estimate fits, into the server process
SEPARATORS = (b",", b";", b"\t", rb"[|&]", b"  +")  # of cells
LARGE = 10_000  # bytes; larger objects are counted once, however many entries refer to them
SHARED = (Results, Comparison, ResultCache, ResultTable, FigureSpec, go.Figure)  # measured once
WEIGHTLESS = (type, ModuleType, CodeType, ref)
PLAIN = frozenset((str, int, float, bool, bytes, type(None)))  # refer to no other object

T = TypeVar("T")
_Look = tuple[dict[int, int], list[ref]]  # bytes by object id, and references to shared objects
_LOOKS: dict[int, tuple[tuple[int, int], _Look]] = {}  # object id -> (attribute counts, sizes)


class SessionCache:
    """Cache with a limit in bytes, for which entries used in the current run or the run before are never evicted.

    Examples
    --------
    >>> session_cache = SessionCache(limit=1000)
    >>> session_cache.recall("a", lambda: "x" * 600), session_cache.recall("a", lambda: "never asked")
    ('xxx...
    >>> session_cache.begin_run(), session_cache.begin_run()
    (None, None)
    >>> len(session_cache.recall("b", lambda: "y" * 600)), len(session_cache)
    (600, 1)
    """

    def __init__(self, limit: int, together: "SharedBudget | None" = None) -> None:
        """Create an empty cache with a limit in bytes, and optionally a second limit shared with other caches."""
        self.limit, self.total_size, self.last_run = limit, 0, monotonic()
        self._together = together
        if together is not None:
            together.join(self)
        self._entries: OrderedDict[Hashable, tuple[Any, dict[int, int]]] = OrderedDict()
        self._file_sizes: dict[int, int] = {}
        self._sizes: dict[int, int] = {}
        self._holders: Counter[int] = Counter()
        self._used: set[Hashable] = set()
        self._used_before: set[Hashable] = set()
        self._lock = threading.Lock()
        self._gates: dict[Hashable, threading.Lock] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[Hashable]:
        return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def begin_run(self) -> None:
        """Mark the start of a run: entries used in neither this nor the last run may be evicted.

        What the last run used is likely to be used again, such as the curves of a page with another
        level.
        """
        self.last_run = monotonic()
        self._used_before, self._used = self._used, set()

    @property
    def files(self) -> int:
        """Size of the uploaded files in bytes."""
        return sum(self._file_sizes.values())

    def hold(self, files: Iterable[bytes]) -> None:
        """Count the bytes of uploaded files against the limit, in place of files counted before."""
        with self._lock:
            self._release(self._file_sizes)
            self._file_sizes = {id(content): _size(content) for content in files}
            self._count(self._file_sizes)
            self._make_room()

    def forget(self) -> None:
        """Remove all cached values; uploaded files remain counted."""
        with self._lock:
            for container in (self._entries, self._sizes, self._holders):
                container.clear()
            self.total_size = 0
            self._count(self._file_sizes)

    def recall(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return the cached value of a key, or compute and cache it; concurrent threads wait.

        A FoldwiseError other than JobCancelled and InternalError is cached, too, and raised again.
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
        """Add the sizes of an entry's objects; objects shared by several entries count once."""
        for object_id, size in sizes.items():
            self.total_size += size - self._sizes.get(object_id, 0)
            self._sizes[object_id] = size
        self._holders.update(sizes.keys())

    def _make_room(self) -> None:
        if self.total_size <= self.limit:
            return
        for key in [key for key in self._entries if key not in self._used | self._used_before]:
            _, sizes = self._entries.pop(key)
            self._release(sizes)
            if self.total_size <= self.limit:
                return

    def _release(self, sizes: dict[int, int]) -> None:
        for object_id in sizes:
            self._holders[object_id] -= 1
            if not self._holders[object_id]:
                del self._holders[object_id]
                self.total_size -= self._sizes.pop(object_id)


class SharedBudget:
    """Limit in bytes for all session caches together; the longest idle cache is cleared first."""

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit, self._members = limit, WeakSet[SessionCache]()
        self._lock = threading.Lock()

    def join(self, member: SessionCache) -> None:
        """Add a cache to those that share the limit."""
        with self._lock:
            self._members.add(member)

    def make_room(self, but: SessionCache) -> None:
        """Clear other caches but not their files, longest idle first, until all fit the limit or none is left."""
        with self._lock:
            members = sorted(self._members, key=lambda member: member.last_run)
        over = sum(member.total_size for member in members) - self._limit()
        for member in members:
            if over <= 0:
                return
            if member is not but:
                over -= member.total_size - member.files
                member.forget()

    def files(self, but: SessionCache) -> int:
        """Return the bytes of uploaded files in all caches except one."""
        with self._lock:
            return sum(member.files for member in self._members if member is not but)


@dataclass(frozen=True)
class _Refused:
    error: FoldwiseError


def _outcome(compute: Callable[[], Any]) -> Any:
    """Return the computed value, or as `_Refused` a FoldwiseError that may be cached."""
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
    """Return the sizes in bytes of an object with its small parts, and of its large and shared parts, by object id.

    Notes
    -----
    Objects of the types in `SHARED` are measured once, and again when they have cached more values.

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
            sizes, references = (
                _cached_sizes(current) if isinstance(current, SHARED) else _measure_sizes(current)
            )
            sizes_by_id |= sizes
            pending.extend(
                referred for reference in references if (referred := reference()) is not None
            )
    return sizes_by_id


def _cached_sizes(shared: Any) -> _Look:
    """Return the cached sizes of a shared object, measured again once it has cached more values."""
    counts = len(vars(shared)), getattr(shared, "writes", 0)
    if id(shared) not in _LOOKS:
        finalize(shared, _LOOKS.pop, id(shared), None)
    elif _LOOKS[id(shared)][0] == counts:
        return _LOOKS[id(shared)][1]
    measure = _sizes_of_values if isinstance(shared, ResultCache) else _measure_sizes
    _LOOKS[id(shared)] = counts, measure(shared)
    return _LOOKS[id(shared)][1]


def _sizes_of_values(results: ResultCache) -> _Look:
    """Return the sizes of the values of a cache, each measured once."""
    measured = vars(results).get("sizes", {})
    sizes = {
        key: measured.get(key)
        or (({}, [ref(value)]) if isinstance(value, SHARED) else _measure_sizes(value))
        for key, value in results.items()
    }
    vars(results)["sizes"] = sizes
    total: dict[int, int] = {}
    for each, _ in sizes.values():
        total |= each
    shared = [] if results.results is None else [ref(results.results)]
    return total, [*shared, *chain.from_iterable(references for _, references in sizes.values())]


def _measure_sizes(thing: Any) -> _Look:
    """Return sizes by object id, small parts added to the object itself, and references to its shared parts."""
    small = 0
    sizes: dict[int, int] = {}
    references: list[ref] = []
    seen_ids: set[int] = set()
    pending = [thing]
    while pending:
        current = pending.pop()
        if id(current) in seen_ids:
            continue
        seen_ids.add(id(current))
        if type(current) in PLAIN:
            size = sys.getsizeof(current)
        elif type(current) in (list, tuple) and PLAIN.issuperset(
            map(type, current)
        ):  # of many small parts
            parts = {id(part): sys.getsizeof(part) for part in current if id(part) not in seen_ids}
            seen_ids.update(parts)
            sizes |= {part_id: size for part_id, size in parts.items() if size >= LARGE}
            small += sum(size for size in parts.values() if size < LARGE)
            size = sys.getsizeof(current)
        elif isinstance(current, WEIGHTLESS):
            continue
        elif isinstance(current, SHARED) and current is not thing:
            references.append(ref(current))
            continue
        else:
            size = _size(current)
            pending.extend(_referents(current))
        if size < LARGE:
            small += size
        else:
            sizes[id(current)] = size
    sizes[id(thing)] = sizes.get(id(thing), 0) + small
    return sizes, references


def _size(thing: Any) -> int:
    """Return the shallow size of an object in bytes."""
    if hasattr(type(thing), "memory_usage"):
        return object.__sizeof__(thing)
    return int(thing.nbytes) if hasattr(type(thing), "nbytes") else sys.getsizeof(thing, 0)


def _referents(thing: Any) -> Iterable[Any]:
    """Return the objects referenced by an object; for a function, only closure and defaults."""
    if isinstance(thing, FunctionType):
        return thing.__closure__, thing.__defaults__
    if getattr(getattr(thing, "dtype", None), "kind", "") == "O" and not is_tracked(thing):
        return thing.tolist()
    return get_referents(thing)


SAMPLES = SessionCache(256 * MEGABYTE)
SESSIONS = SharedBudget(lambda: limits().memory_mb * MEGABYTE)


def session_cache(key: str = "") -> SessionCache:
    """Return this session's cache, or the cache common to all sessions for an unmodified sample."""
    if key.startswith(OF_A_SAMPLE) and not _renamed():
        return SAMPLES
    if MEMORY not in st.session_state:
        st.session_state[MEMORY] = SessionCache(limits().session_mb * MEGABYTE, SESSIONS)
    return st.session_state[MEMORY]


def _renamed() -> bool:
    """Return whether the session has names, families or an order of its own, which keys do not contain."""
    return any(map(st.session_state.get, (TYPED, FAMILIES, PRIOR)))


def begin_run() -> None:
    """Start a run: count this session's files, close previous ones above the limit, allow eviction of old entries."""
    cache, files = session_cache(), [content for _, content in st.session_state.get(UPLOADS, ())]
    previous_files = [content for _, content in st.session_state.get(PREVIOUS, ((),))[0]]
    cache.hold([*files, *previous_files])
    if previous_files and cache.files > cache.limit:  # drop the results open before
        del st.session_state[PREVIOUS]
        cache.hold(files)
    cache.begin_run()
    SAMPLES.begin_run()


def qualified_name(function: Callable) -> str:
    """Return module and qualified name of a function or of the function in a partial."""
    function = getattr(function, "func", function)
    return f"{function.__module__}.{function.__qualname__}"


def cached(
    key: str | tuple,
    function: Callable,
    *arguments: Any,
    doing: str = "",
    cost: Callable[[partial], float] | None = None,
    **options: Any,
) -> Any:
    """Return `function(*arguments, **options)` from the session cache, computed if necessary.

    The key identifies the first argument and all data bound by `functools.partial`; its first
    element identifies the results. The other arguments and options are part of the cache key, and
    so are the settings if the first argument is a comparison. With a progress message (`doing`),
    calls that take long by the estimate in seconds (`cost`) run in a worker process.
    """
    parts = key if isinstance(key, tuple) else (key,)
    settings = [argument.settings for argument in arguments[:1] if isinstance(argument, Comparison)]
    cache_key = (qualified_name(function), *parts, *settings, *arguments[1:], *options.items())
    call, store = partial(function, *arguments, **options), session_cache(parts[0])
    if not doing or cache_key in store:
        return store.recall(cache_key, call)
    seconds = (cost or robustness_seconds)(call)
    return store.recall(cache_key, in_background(call, key=cache_key, cost=seconds, doing=doing))


def analysis(key: str, settings: Settings, results: Results) -> Comparison:
    """Return the comparison for some settings, cached; tests are shared by all significance levels."""
    store, name = session_cache(key), qualified_name(analyse)
    cache_key = (name, key, settings)
    if cache_key in store:
        return store.recall(cache_key, lambda: None)
    first_key = (
        name,
        key,
        store.recall(("tests", key, replace(settings, alpha=0.05)), lambda: settings),
    )
    with suppress(FoldwiseError):  # the error may concern only the level of the first analysis
        first_analysis = store.recall(first_key, lambda: None) if first_key in store else None
        if (
            first_analysis is not None
            and (at_new_level := at_level(first_analysis, results, settings)) is not None
        ):
            return store.recall(cache_key, lambda: at_new_level)
    cost = comparison_seconds(partial(analyse, results))
    function = analyse_and_word if cost > HERE else _analyse_only
    call = in_background(
        partial(function, results, settings), key=cache_key, cost=cost, doing="Comparing ..."
    )

    def compute() -> Comparison:
        comparison, values = call()
        comparison.cache.add(values)
        return comparison

    return store.recall(cache_key, compute)


def analyse_and_word(results: Results, settings: Settings) -> tuple[Comparison, list]:
    """Return the comparison, and all that its verdict needs, as keys and values of its cache."""
    comparison = analyse(results, settings)
    with suppress(FoldwiseError):  # raised again where the verdict is drawn
        verdict(comparison)
    return comparison, comparison.cache.items()


def _analyse_only(results: Results, settings: Settings) -> tuple[Comparison, list]:
    return analyse(results, settings), []


def read_uploads(
    key: str | tuple,
    mapping: Mapping | None,
    sources: tuple[tuple[str, bytes], ...],
    reader: Callable = read_results,
    **options: Any,
) -> Any:
    """Return the results in uploaded files, or what another reader returns; cached.

    Only this function and `unpacked` hand bytes of a visitor to a parser, in a process of its own.
    Samples are read in this one.
    The key identifies the files, with its first element if it is a tuple.
    """
    reading = _Upload(key, mapping, sources, reader, options)
    call: Callable[[], Any] = reading.call
    if reading.runs_elsewhere and reading.cache_key not in reading.store:
        call = in_background(
            reading.call, key=reading.cache_key, cost=reading.cost, doing="Reading ..."
        )
    return reading.store.recall(reading.cache_key, call)


def begin_reading(key: str, sources: tuple[tuple[str, bytes], ...]) -> None:
    """Begin to read uploads, and raise why they cannot be read if this is known soon.

    `read_uploads` continues with what takes longer.
    """
    reading = _Upload(key, None, sources, read_results, {})
    if reading.cache_key in reading.store or not reading.runs_elsewhere:
        read_uploads(key, None, sources)
        return
    job = session_job(JOB, reading.cache_key, lambda: reading.call, reading.cost)
    if job.done.wait(PATIENCE):
        st.session_state.pop(JOB, None)
        reading.store.recall(reading.cache_key, job.result)


class _Upload:
    """A call that reads uploads, and where its result is cached."""

    def __init__(
        self,
        key: str | tuple,
        mapping: Mapping | None,
        sources: tuple[tuple[str, bytes], ...],
        reader: Callable,
        options: dict[str, Any],
    ) -> None:
        parts = key if isinstance(key, tuple) else (key,)
        self.call = Reading(reader, *sources, mapping=mapping, **options)
        self.cache_key = (qualified_name(reader), *parts, mapping, *options.items())
        self.store = session_cache(parts[0])
        self.runs_elsewhere = not parts[0].startswith(OF_A_SAMPLE)
        self.cost = reading_seconds(sources) if self.runs_elsewhere else 0.0


def unpacked(name: str, content: bytes, unpack: Callable[..., T], **options: Any) -> T:
    """Return what `unpack` returns for an uploaded file; not cached."""
    key = (qualified_name(unpack), hashlib.sha256(content).hexdigest())
    cost = reading_seconds(((name, content),))
    call = in_background(
        Reading(unpack, name, content, **options), key=key, cost=cost, doing="Reading ..."
    )
    return call()


def in_background(
    call: Callable[[], Any], *, key: tuple, cost: float, doing: str
) -> Callable[[], Any]:
    """Return a function with the result of a call; unless cheap or outside a page, the call has run in a worker process.

    A `Reading` always runs in one, whatever the estimate. The progress is drawn meanwhile. Raises
    JobCancelled if the call was stopped.
    """
    kind, seconds = key[0], _paced(key[0], cost)
    has_page = get_script_run_ctx(suppress_warning=True) is not None
    if not isinstance(call, Reading) and (seconds <= HERE or not has_page):
        return partial(_made_here, call, kind, cost)
    if not has_page:
        job = shared_queue().submit(call, cost=seconds)
        job.done.wait()
        return job.result
    _refuse_again(key)
    job = session_job(JOB, key, lambda: call, seconds)
    _show_progress(
        job,
        doing,
        lambda: st.button("Cancel", on_click=_cancel, args=(key,), key=f"cancel_{hash(key)}"),
    )
    st.session_state.pop(JOB, None)
    if not isinstance(call, Reading):  # most of the time of a small file starts the process
        _note_pace(kind, job.seconds, cost)
    try:
        job.result()
    except (JobCancelled, InternalError) as why:
        st.session_state[STOPPED] = key, why
        _refuse_again(key)
    except FoldwiseError:  # a result, too
        pass
    return job.result


def _show_progress(job: Job, doing: str, draw_button: Callable[[], Any] = lambda: None) -> None:
    """Draw the progress of a job until it ends."""
    if job.done.wait(PATIENCE):
        return
    placeholder = st.empty()
    with placeholder.container(horizontal=True, vertical_alignment="center"):
        line = st.empty()
        draw_button()
        waited = PATIENCE
        while not job.done.wait(0.5):
            waited += 0.5
            n_before = shared_queue().position_of(job)
            so_far = f"{job.so_far[0]} of {job.so_far[1]}, " if job.so_far else ""
            line.markdown(
                page_text("cache.queued", n=n_before)
                if n_before
                else f"{doing} {so_far}{waited:.0f} s"
            )
    placeholder.empty()


class DownloadCall:
    """The callback of a download button; expensive calls run once, in a worker process, for all sessions with the key.

    Streamlit runs the callback outside of any page, with a spinner on the button, so it cannot be
    cancelled.
    """

    def __init__(self, call: Callable[[], Any], *, key: tuple, cost: float) -> None:
        self._call, self._key, self._cost = call, key, cost
        self._jobs = _session_jobs()
        self._shared = self._jobs if _renamed() else RUNNING
        self._job: Job | None = None
        self._lock = threading.Lock()

    def __call__(self) -> Any:
        """Return the result once it is available, or raise the error of the call."""
        job = self._started_job()
        if job is None:
            return _made_here(self._call, self._key[0], self._cost)
        job.done.wait()
        _note_pace(self._key[0], job.seconds, self._cost)
        try:
            return job.result()
        except FoldwiseError:
            self._job = None
            raise

    def _started_job(self) -> Job | None:
        """Return the job, started by the button or by the page, whichever is first; None for a cheap call."""
        seconds = _paced(self._key[0], self._cost)
        with self._lock:
            if self._job is None and seconds > HERE:
                self._job = _join(
                    self._jobs, self._shared, "download", self._key, lambda: self._call, seconds
                )
            return self._job

    def show_progress(self, doing: str) -> None:
        """Draw the progress of an expensive call after a click, until it ends, and then why it failed, if it did."""
        if (job := self._started_job()) is not None:
            _show_progress(job, doing)
            try:
                job.result()
            except FoldwiseError as error:
                self._job = None  # the next click tries again
                st.warning(str(error), icon=":material/warning:")


def _made_here(call: Callable[[], Any], kind: str, cost: float) -> Any:
    start = thread_time()
    result = call()
    took = thread_time() - start
    if took > TELLING:
        _note_pace(kind, took, cost)
    return result


def ask_again() -> None:
    """Allow a cancelled or failed computation to be restarted."""
    st.session_state.pop(STOPPED, None)


def _refuse_again(key: Hashable) -> None:
    """Draw a button to try again and raise JobCancelled, if the job stopped last has this key."""
    stopped_key, why = st.session_state.get(STOPPED, (None, None))
    if stopped_key == key:
        st.button("Try again", on_click=ask_again)
        raise JobCancelled(str(why))


def reading_seconds(sources: tuple[tuple[str, bytes], ...]) -> float:
    """Return the estimated seconds to read files, by their formats and numbers of cells or of members."""
    return sum(map(_file_seconds, (content for _, content in sources)))


def _file_seconds(content: bytes) -> float:
    if content.startswith(b"PK"):  # zip, with 0.02 s for each of its files
        return 0.02 * content.count(b"PK\x01\x02") + 2.5e-6 * len(content)
    if content.startswith((b"\x1f\x8b", b"PAR1", b"ARROW1")):
        return 1e-6 * len(content)
    if content.startswith(b"<"):  # HTML, which is refused
        return 0.1
    if content.startswith((b"{", b"[")):
        return 3e-7 * len(content)
    line = (content[len(content) // 2 :][:100_000].split(b"\n") * 2)[1]
    cells = max((re.split(separator, line.strip()) for separator in SEPARATORS), key=len)
    names = sum(cell[:1].isalpha() for cell in cells)
    is_typeset = re.search(rb" [|&] |\S  +\S", line)
    # a row of a long table names a data set and an algorithm
    each = 2e-5 if is_typeset else 5e-7 if names > 1 else 5e-6
    return 0.02 + each * len(cells) * content.count(b"\n")


def comparison_seconds(call: partial) -> float:
    """Return the estimated seconds of `analyse`, from the numbers of results and of pairs on data sets or folds."""
    results: Results = call.args[0]
    k, n = len(results.algorithms), len(results.datasets)
    pairs, rows = k * (k - 1) / 2, results.n_rows
    per_row, units = (2.5e-5, rows / max(k, 1)) if n == 1 else (5e-6, n)
    return per_row * rows + pairs * (1e-4 + 5e-7 * units)


def robustness_seconds(call: partial) -> float:
    """Return the estimated seconds of an analysis that takes about as long as one comparison; 0 without results."""
    about = (
        getattr(argument, "results", argument) for argument in (*call.args, *call.keywords.values())
    )
    return next(
        (comparison_seconds(partial(analyse, each)) for each in about if isinstance(each, Results)),
        0.0,
    )


def repetition_seconds(call: partial) -> float:
    """Return the estimated seconds of an analysis that repeats the comparison many times."""
    return AGAIN * robustness_seconds(call)


def other_measures_seconds(call: partial) -> float:
    """Return the estimated seconds of a comparison by each other measure; its first argument is the comparison."""
    comparison: Comparison = call.args[0]
    results, k = comparison.results, len(comparison.order)
    rows = results.n_rows * (1.7e-5 if len(results.datasets) == 1 else 2e-7)
    instances = 0 if results.predictions is None else len(results.predictions)
    each = 0.012 + rows + 1e-5 * instances + 1.5e-5 * k**2 + (2.5e-7 * k**4 if k <= 30 else 0)
    return each * len(distinct_measures(comparison, ASPECTS))


def cost_of_resampling(call: partial, times: int = 0) -> float:
    """Return the estimated seconds of leaving out each data set once, or of `times` resamples.

    The first positional argument of `call` is the comparison.
    """
    comparison: Comparison = call.args[0]
    k = len(comparison.order)
    each = 0.008 + ((2.4e-6 if times else 2.7e-7) * k**2 if k > 30 else 1e-5 * k**2 + 1e-6 * k**4)
    each += 1e-7 * k**2 * len(comparison.units) if times else 0  # the tests of all pairs
    return (times or len(comparison.units)) * each


def started(cache_key: tuple, key: str, cost: float, doing: str) -> bool:
    """Return whether a computation has started; if it takes very long by the estimate, draw a button that starts it."""
    seconds, starts = _paced(cache_key[0], cost), st.session_state.setdefault(ASKED, set())
    if seconds <= UNASKED or cache_key in starts or cache_key in session_cache(key):
        return True
    label = page_text("cache.start", doing=doing.removesuffix(" ..."), minutes=ceil(seconds / 60))
    st.button(
        label, on_click=starts.add, args=(cache_key,), key=f"start_{hash((*cache_key, doing))}"
    )
    return False


def instances_seconds(call: partial) -> float:
    """Return the estimated seconds of a computation that is linear in the number of instances; 0 without instances."""
    for about in (*call.args, *call.keywords.values()):
        if isinstance(about, DataCurves):
            return PER_INSTANCE * sum(map(len, about.scores.values()))
        if isinstance(about, Results) and about.predictions is not None:
            return PER_INSTANCE * len(about.predictions)
    return 0.0


# `cached` for analyses that repeat the comparison many times, and for those of instances
cached_repeats = partial(cached, cost=repetition_seconds)
cached_instances = partial(cached, cost=instances_seconds)


def _paced(kind: str, cost: float) -> float:
    """Return the estimated seconds of a kind of call, corrected by what such calls took."""
    return cost * PACES.get(kind, 1.0)


def _note_pace(kind: str, seconds: float, cost: float) -> None:
    """Record the ratio of measured to estimated seconds of a kind of call, at least half of the last record."""
    if seconds and cost:
        PACES[kind] = max(seconds / cost, PACES.get(kind, 0.0) / 2, LEAST_PACE)


def session_job(slot: str, key: Hashable, call: Callable[[], Callable], seconds: float) -> Job:
    """Return the session's job of a slot, or one of another slot or session with the same key that still runs.

    The slot's job with another key is cancelled unless another slot or session has it, too.

    `call` returns the function that a new job runs, and `seconds` are the estimate for it.
    """
    running_key, job = st.session_state.get(slot, (None, None))
    ours = _session_jobs()
    if job is None or running_key != key or (id(ours), slot) not in job.slots:
        job = _join(ours, ours if _renamed() else RUNNING, slot, key, call, seconds, job)
        st.session_state[slot] = key, job
    return job


def _join(
    ours: "Jobs",
    shared: "Jobs",
    slot: str,
    key: Hashable,
    call: Callable,
    seconds: float,
    before: Job | None = None,
) -> Job:
    """Let a slot of a session wait for the job with this key, a new one if none runs, and no longer for another."""
    with _JOINING:
        if before is not None:
            before.leave(id(ours), slot)
        job = shared.get(key)
        if job is None or job.done.is_set():
            job = shared_queue().submit(call(), cost=seconds)
        job.slots.add((id(ours), slot))
        ours[key] = shared[key] = job
    return job


Jobs = WeakValueDictionary[Hashable, Job]
RUNNING = Jobs()  # jobs that sessions may share, by key
_JOINING = threading.Lock()


def _release(jobs: Jobs) -> None:
    """Leave the jobs of a session whose page was closed, a little later: if it was reloaded, the new session joins them."""

    def leave_all() -> None:
        for job in list(jobs.values()):
            leave(job, jobs)

    timer = threading.Timer(RELOAD, leave_all)
    timer.daemon = True
    timer.start()


@st.cache_resource(scope="session", on_release=_release, show_spinner=False)
def _session_jobs() -> Jobs:
    """Return the jobs of the session by key, which it leaves when the visitor does."""
    return Jobs()


def leave(job: Job, jobs: Jobs | None = None) -> None:
    """Let this session, or that of `jobs`, wait no longer for a job, which is cancelled unless another session does."""
    with _JOINING:
        job.leave(id(_session_jobs() if jobs is None else jobs))


def _cancel(key: Hashable) -> None:
    running_key, job = st.session_state.pop(JOB, (None, None))
    if job is not None and running_key == key:
        leave(job)
    st.session_state[STOPPED] = key, JobCancelled(CANCELLED)
