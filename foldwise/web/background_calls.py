"""Long computations for a page, run in worker processes with progress display and cancellation."""

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

HERE = 0.5  # seconds; cheaper calls run in the server process
PATIENCE = 0.5  # seconds before progress is displayed
TELLING = 0.25  # seconds; longer calls update the cost estimate of their kind
JOB, STOPPED = "_job", "_stopped"  # session keys: (key, running job); (key, error)
CASE = 2e-6  # approximate seconds per instance
LOOK = 2e-6  # approximate seconds per result and algorithm
AGAIN = 10  # approximate number of comparisons in an analysis that repeats them
PACES: dict[str, float] = {}  # kind of call -> ratio of measured to estimated seconds


class BackgroundCall(partial):
    """A call that may take long; `cached_in_session` passes it to `run_in_background`."""


@cache
def job_queue() -> JobQueue:
    """Return the job queue of the server process."""
    return JobQueue()


def run_in_background(call: Callable[[], Any], *, key: tuple, cost: float, doing: str) -> Any:
    """Run a cheap call directly and any other in a worker process while the page waits."""
    kind, seconds = key[0], cost * PACES.get(key[0], 1.0)
    if seconds <= HERE or get_script_run_ctx(suppress_warning=True) is None:
        return _made_here(call, kind, cost)
    _refuse_again(key)
    job = session_job(JOB, key, lambda: call, seconds)
    if not job.done.wait(PATIENCE):
        placeholder = st.empty()
        with placeholder.container(horizontal=True, vertical_alignment="center"):
            line = st.empty()
            st.button("Cancel", on_click=_cancel, args=(key,), key=f"cancel_{hash(key)}")
            waited = PATIENCE
            while not job.done.wait(0.5):
                waited += 0.5
                line.markdown(_progress_text(doing, job_queue().place(job), job.so_far, waited))
        placeholder.empty()
    st.session_state.pop(JOB, None)
    _note_pace(kind, job.seconds, cost)
    try:
        return job.result()
    except JobCancelled as why:
        st.session_state[STOPPED] = key, why
        raise


def download_call(call: Callable[[], Any], *, kind: str, cost: float) -> Callable[[], Any]:
    """Return the callback of a download button, which runs cheap calls directly.

    Other calls run in a worker process. Streamlit runs the callback outside of any page, with a
    spinner on the button, so it cannot be cancelled.
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
    result = call()
    took = thread_time() - start
    if took > TELLING:
        _note_pace(kind, took, cost)
    return result


def ask_again() -> None:
    """Allow the cancelled or failed computation to start again."""
    st.session_state.pop(STOPPED, None)


def why_stopped(kind: str) -> JobCancelled | None:
    """Return the exception that ended the last job of this kind, or None."""
    key, why = st.session_state.get(STOPPED, ("", None))
    return why if key and key[0] == kind else None


def is_running(key: Hashable) -> bool:
    """Return whether the session waits for this job; its button is disabled meanwhile."""
    return st.session_state.get(JOB, (None, None))[0] == key


def _refuse_again(key: Hashable) -> None:
    """Raise JobCancelled instead of restarting a job that was cancelled or exceeded limits."""
    stopped_key, why = st.session_state.get(STOPPED, (None, None))
    if stopped_key == key:
        st.button("Try again", on_click=ask_again)
        raise JobCancelled(str(why))


def reading_seconds(sources: tuple[tuple[str, bytes], ...]) -> float:
    """Estimate the seconds to read files, at 2 MB/s; compressed files count tenfold."""
    plain = sum(len(c) * (1 if c[:2] not in (b"\x1f\x8b", b"PK") else 10) for _, c in sources)
    return plain / 2_000_000


def comparison_seconds(call: BackgroundCall) -> float:
    """Estimate the seconds of `analyse`: all pairs of algorithms and of data sets."""
    results: Results = call.args[0]
    k, n = len(results.algorithms), len(results.datasets)
    return 6e-4 * k**2 + 1.2e-7 * n**2 * k * (k - 1) / 2


def robustness_seconds(call: partial) -> float:
    """Estimate the seconds of a robustness analysis from the numbers of results and algorithms."""
    for about in (*call.args, *call.keywords.values()):
        results = getattr(about, "results", about)
        if isinstance(results, Results):
            return LOOK * results.n_rows * len(results.algorithms)
    return 0.0


def repetition_seconds(call: BackgroundCall) -> float:
    """Estimate the seconds of an analysis that repeats the comparison many times."""
    return AGAIN * robustness_seconds(call)


def cost_of_resampling(call: BackgroundCall, times: int = 0) -> float:
    """Estimate the seconds of leaving out each data set, or of `times` resamples."""
    comparison: Comparison = call.args[0]
    k = len(comparison.order)
    return (times or len(comparison.units)) * (0.008 + 1e-5 * k**2 + 1e-6 * min(k, 30) ** 4)


def instances_seconds(call: BackgroundCall) -> float:
    """Estimate the seconds of a computation that is linear in the number of instances."""
    for about in (*call.args, *call.keywords.values()):
        if isinstance(about, DataCurves):
            return CASE * sum(map(len, about.scores.values()))
        if isinstance(about, Results) and about.predictions is not None:
            return CASE * len(about.predictions)
    return 0.0


def _note_pace(kind: str, seconds: float, cost: float) -> None:
    """Record how long a kind of call took; an earlier slow call loses weight gradually."""
    if seconds and cost:
        PACES[kind] = max(seconds / cost, PACES.get(kind, 0.0) / 2)


def session_job(slot: str, key: Hashable, call: Callable[[], Callable], seconds: float) -> Job:
    """Return the job of a slot of the session; start it, and cancel another one, if needed.

    `call` is called to get the call of a new job.
    """
    running_key, job = st.session_state.get(slot, (None, None))
    if job is not None and running_key == key:
        return job
    if job is not None:
        job.cancel()
    job = job_queue().submit(call(), cost=seconds)
    st.session_state[slot] = key, job
    return job


def _cancel(key: Hashable) -> None:
    running_key, job = st.session_state.pop(JOB, (None, None))
    if job is not None and running_key == key:
        job.cancel()
    st.session_state[STOPPED] = key, JobCancelled(CANCELLED)


def _progress_text(doing: str, n_before: int, so_far: tuple[int, int] | None, waited: float) -> str:
    if n_before:
        return f"The server is busy. Computations ahead in the queue: {n_before}."
    progress = f"{so_far[0]} of {so_far[1]}, " if so_far else ""
    return f"{doing} {progress}{waited:.0f} s"
