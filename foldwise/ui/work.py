"""Long work for a page: a line of progress, the place in the queue, and Cancel."""

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from foldwise.ui.desk import Desk, Job, Stopped
from stats_core.data.results import Results

HERE = 0.5  # seconds of work up to which it is done at once, in the server's own process
PATIENCE = 0.5  # seconds before a line is shown
JOB, CANCELLED = "_job", "_cancelled"  # session keys: (key, job) that runs; key the visitor stopped


@cache
def desk() -> Desk:
    """Return the one desk of the server."""
    return Desk()


def run(function: Callable, *arguments: Any, key: Hashable, cost: float, doing: str) -> Any:
    """Call a function: at once if it is cheap, else in a process of its own while the page waits.

    Parameters
    ----------
    function, *arguments
        What to call; both must be picklable.
    key : hashable
        What is computed: a page that runs again finds its job by it.
    cost : float
        Seconds it will take, roughly.
    doing : str
        What to say: "Reading".

    Raises
    ------
    Stopped
        Cancelled, too long or too large.
    """
    if cost <= HERE or get_script_run_ctx(suppress_warning=True) is None:
        return function(*arguments)
    job = _job_of(key, function, arguments)
    if not job.done.wait(PATIENCE):
        place = st.empty()
        with place.container(horizontal=True, vertical_alignment="center"):
            line = st.empty()
            st.button("Cancel", on_click=_cancel, args=(key,), key=f"cancel_{hash(key)}")
            waited = PATIENCE
            while not job.done.wait(0.5):
                waited += 0.5
                line.markdown(_said(doing, desk().place(job), waited))
        place.empty()
    st.session_state.pop(JOB, None)
    return job.result()


def cost_of_reading(sources: tuple[tuple[str, bytes], ...]) -> float:
    """Return about how many seconds files take to read: 2 MB a second, packed ones tenfold."""
    plain = sum(len(c) * (1 if c[:2] not in (b"\x1f\x8b", b"PK") else 10) for _, c in sources)
    return plain / 2_000_000


def cost_of_comparing(results: Results) -> float:
    """Return about how many seconds a comparison takes: all pairs, each with all pairs of data sets."""
    k, n = len(results.algorithms), len(results.datasets)
    return 6e-4 * k**2 + 1.2e-7 * n**2 * k * (k - 1) / 2


def _job_of(key: Hashable, function: Callable, arguments: tuple) -> Job:
    """Return the session's job, which goes on while pages run again; any other one is ended."""
    known, job = st.session_state.get(JOB, (None, None))
    if job is not None and known == key:
        return job
    if job is not None:
        job.cancel()
    if st.session_state.pop(CANCELLED, None) == key:
        raise Stopped("This was cancelled before it was done. Ask for it again.")
    job = desk().submit(function, *arguments)
    st.session_state[JOB] = key, job
    return job


def _cancel(key: Hashable) -> None:
    known, job = st.session_state.pop(JOB, (None, None))
    if job is not None and known == key:
        job.cancel()
    st.session_state[CANCELLED] = key


def _said(doing: str, place: int, waited: float) -> str:
    if place:
        return f"The server is busy: {place} before this one."
    return f"{doing} ... {waited:.0f} s"
