"""Leave-one-out in the card: at once where that is quick, else beside the server.

The page can be used meanwhile; it runs again once the answer is there.
"""

import streamlit as st

from foldwise.web import background_calls, cached_calls, components
from foldwise.web.background_calls import BackgroundCall
from foldwise.web.job_queue import Job
from foldwise.web.session_cache import qualified_name, session_cache
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.robustness.leave_one_out_claims import leave_one_out

AT_ONCE = 0.2  # seconds of work that the page waits for
TICK = 1.0  # seconds between looks at a job
CHECKING = "Leave-one-out: checking ..."
JOB, ENDED = "_robustness_job", "_robustness_ended"  # session keys


def in_card(key: str, analysis: Comparison) -> None:
    """Say in how many leave-one-out runs a claim is lost, or that this is being computed.

    Parameters
    ----------
    key : str
        Identifies the results.
    analysis : Comparison
    """
    question = qualified_name(leave_one_out), key, analysis.settings
    call = BackgroundCall(leave_one_out, analysis)
    known, job = st.session_state.get(JOB, (None, None))
    if known == question and job is not None and job.done.is_set():
        _take(question, job)
    if why := st.session_state.get(ENDED, {}).get(question):
        st.caption(components.escape(f"Leave-one-out: not known. {why}"))
    elif question in session_cache(key) or background_calls.cost_of_resampling(call) <= min(
        AT_ONCE, background_calls.HERE
    ):
        found = cached_calls.leave_one_out(key, analysis.settings, analysis)
        st.markdown(components.escape(found.text), width=920)
    else:
        _watch(question, _job(question, call))


def _job(question: tuple, call: BackgroundCall) -> Job:
    """Return the session's job, which ends any other one."""
    known, job = st.session_state.get(JOB, (None, None))
    if job is not None and known == question:
        return job
    if job is not None:
        job.cancel()
    job = background_calls.job_queue().submit(call, cost=background_calls.cost_of_resampling(call))
    st.session_state[JOB] = question, job
    return job


def _take(question: tuple, job: Job) -> None:
    """Keep what a job that is done has found, or note why it ended without."""
    del st.session_state[JOB]
    try:
        session_cache(question[1]).recall(question, job.result)
    except FoldwiseError as why:
        st.session_state.setdefault(ENDED, {})[question] = str(why)


@st.fragment(run_every=TICK)
def _watch(question: tuple, job: Job) -> None:
    """Show how far it is; the page runs again at its end."""
    if job.done.is_set():
        st.rerun()
    done = f" {job.so_far[0]} of {job.so_far[1]}" if job.so_far else ""
    st.caption(components.escape(f"{CHECKING}{done}"))
