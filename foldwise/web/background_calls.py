"""Long work for a page: a line of progress, the place in the queue, and Cancel."""

from collections.abc import Callable, Hashable
from functools import cache, partial
from time import thread_time
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from foldwise.web.job_queue import CANCELLED, Job, JobCancelled, JobQueue
from stats_core.comparison.result import Comparison
from stats_core.curves.curve_comparison import DataCurves
from stats_core.data.results import Results
from stats_core.ordering.order import Order

HERE = 0.5  # seconds of work up to which it is done at once, in the server's own process
PATIENCE = 0.5  # seconds before a line is shown
TELLING = 0.25  # seconds from which on work done at once says how long more of its kind takes
JOB, STOPPED = "_job", "_stopped"  # session keys: (key, job) that runs; (key, why) that ended
CASE = 2e-6  # seconds, roughly, to look at one case
LOOK = 2e-6  # seconds, roughly, to look at one result and one algorithm
AGAIN = 10  # comparisons, roughly, of a look that repeats them, as far as time goes
PACES: dict[str, float] = {}  # kind of work -> how many times its cost the last one took


class BackgroundCall(partial):
    """A call that may take long: `memory.keep` leaves it to `run_in_background`."""


@cache
def job_queue() -> JobQueue:
    """Return the one desk of the server."""
    return JobQueue()


def run_in_background(call: Callable[[], Any], *, key: tuple, cost: float, doing: str) -> Any:
    """Make a call: at once if it is cheap, else in a process of its own while the page waits."""
    kind, seconds = key[0], cost * PACES.get(key[0], 1.0)
    if seconds <= HERE or get_script_run_ctx(suppress_warning=True) is None:
        return _made_here(call, kind, cost)
    _refuse_again(key)
    job = _job_of(key, call, seconds)
    if not job.done.wait(PATIENCE):
        place = st.empty()
        with place.container(horizontal=True, vertical_alignment="center"):
            line = st.empty()
            st.button("Cancel", on_click=_cancel, args=(key,), key=f"cancel_{hash(key)}")
            waited = PATIENCE
            while not job.done.wait(0.5):
                waited += 0.5
                line.markdown(_said(doing, job_queue().place(job), job.so_far, waited))
        place.empty()
    st.session_state.pop(JOB, None)
    _note_pace(kind, job.seconds, cost)
    try:
        return job.result()
    except JobCancelled as why:
        st.session_state[STOPPED] = key, why
        raise


def download_call(call: Callable[[], Any], *, kind: str, cost: float) -> Callable[[], Any]:
    """Return a call for a button that downloads: made once it is asked for, where `run_in_background` would make it.

    Streamlit waits for it outside of any page, with a sign on the button; so there is no Cancel.
    """

    def asked() -> Any:
        seconds = cost * PACES.get(kind, 1.0)
        if seconds <= HERE:
            return _made_here(call, kind, cost)
        job = job_queue().submit(call, cost=seconds)
        job.done.wait()
        _note_pace(kind, job.seconds, cost)
        return job.result()

    return asked


def _made_here(call: Callable[[], Any], kind: str, cost: float) -> Any:
    start = thread_time()
    found = call()
    took = thread_time() - start
    if took > TELLING:
        _note_pace(kind, took, cost)
    return found


def ask_again() -> None:
    """Let what was cancelled begin anew."""
    st.session_state.pop(STOPPED, None)


def why_stopped(kind: str) -> JobCancelled | None:
    """Return why the last work of this kind ended without an answer, None if it did not."""
    key, why = st.session_state.get(STOPPED, ("", None))
    return why if key and key[0] == kind else None


def is_running(key: Hashable) -> bool:
    """Tell whether the session waits for this work: what asked for it may not be pressed any more."""
    return st.session_state.get(JOB, (None, None))[0] == key


def _refuse_again(key: Hashable) -> None:
    """Do not begin again by itself what was cancelled or passed its limits."""
    known, why = st.session_state.get(STOPPED, (None, None))
    if known == key:
        st.button("Try again", on_click=ask_again)
        raise JobCancelled(str(why))


def reading_seconds(sources: tuple[tuple[str, bytes], ...]) -> float:
    """Return about how many seconds files take to read: 2 MB a second, packed ones tenfold."""
    plain = sum(len(c) * (1 if c[:2] not in (b"\x1f\x8b", b"PK") else 10) for _, c in sources)
    return plain / 2_000_000


def comparison_seconds(call: BackgroundCall) -> float:
    """Return about how many seconds `analyse` takes: all pairs, each with all pairs of data sets."""
    results: Results = call.args[0]
    k, n = len(results.algorithms), len(results.datasets)
    return 6e-4 * k**2 + 1.2e-7 * n**2 * k * (k - 1) / 2


def robustness_seconds(call: partial) -> float:
    """Return about how many seconds a second look takes: every result, against all algorithms."""
    for about in (*call.args, *call.keywords.values()):
        results = about.results if isinstance(about, Comparison | Order) else about
        if isinstance(results, Results):
            return LOOK * results.n_rows * len(results.algorithms)
    return 0.0


def repetition_seconds(call: BackgroundCall) -> float:
    """Return about how many seconds a look takes that repeats the comparison in many ways."""
    return AGAIN * robustness_seconds(call)


def cost_of_resampling(call: BackgroundCall, times: int = 0) -> float:
    """Return about how many seconds a comparison takes without each data set, or so many times."""
    comparison: Comparison = call.args[0]
    k = len(comparison.order)
    return (times or len(comparison.units)) * (0.008 + 1e-5 * k**2 + 1e-6 * min(k, 30) ** 4)


def instances_seconds(call: BackgroundCall) -> float:
    """Return about how many seconds something takes that looks at every case."""
    for about in (*call.args, *call.keywords.values()):
        if isinstance(about, DataCurves):
            return CASE * sum(map(len, about.scores.values()))
        if isinstance(about, Results) and about.predictions is not None:
            return CASE * len(about.predictions)
    return 0.0


def _note_pace(kind: str, seconds: float, cost: float) -> None:
    """Remember how long work of a kind took; what was slow once is only forgotten by and by."""
    if seconds and cost:
        PACES[kind] = max(seconds / cost, PACES.get(kind, 0.0) / 2)


def _job_of(key: Hashable, call: Callable[[], Any], seconds: float) -> Job:
    """Return the session's job, which goes on while pages run again; any other one is ended."""
    known, job = st.session_state.get(JOB, (None, None))
    if job is not None and known == key:
        return job
    if job is not None:
        job.cancel()
    job = job_queue().submit(call, cost=seconds)
    st.session_state[JOB] = key, job
    return job


def _cancel(key: Hashable) -> None:
    known, job = st.session_state.pop(JOB, (None, None))
    if job is not None and known == key:
        job.cancel()
    st.session_state[STOPPED] = key, JobCancelled(CANCELLED)


def _said(doing: str, place: int, so_far: tuple[int, int] | None, waited: float) -> str:
    if place:
        return f"The server is busy: {place} before this one."
    done = f"{so_far[0]} of {so_far[1]}, " if so_far else ""
    return f"{doing} {done}{waited:.0f} s"
