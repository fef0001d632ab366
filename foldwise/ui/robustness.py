"""Leave-one-out in the card: at once where that is quick, else beside the server.

The page can be used meanwhile; it runs again once the answer is there.
"""

import streamlit as st

from foldwise.ui import cached, show, work
from foldwise.ui.desk import Job
from foldwise.ui.memory import memory, name_of
from foldwise.ui.work import Long
from stats_core.comparison.base import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.looks.robustness import leave_one_out

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
    question = name_of(leave_one_out), key, analysis.settings
    call = Long(leave_one_out, analysis)
    known, job = st.session_state.get(JOB, (None, None))
    if known == question and job is not None and job.done.is_set():
        _take(question, job)
    if why := st.session_state.get(ENDED, {}).get(question):
        st.caption(show.escape(f"Leave-one-out: not known. {why}"))
    elif question in memory(key) or work.cost_of_resampling(call) <= min(AT_ONCE, work.HERE):
        found = cached.leave_one_out(key, analysis.settings, analysis)
        st.markdown(show.escape(found.text), width=920)
    else:
        _watch(question, _job(question, call))


def _job(question: tuple, call: Long) -> Job:
    """Return the session's job, which ends any other one."""
    known, job = st.session_state.get(JOB, (None, None))
    if job is not None and known == question:
        return job
    if job is not None:
        job.cancel()
    job = work.desk().submit(call, cost=work.cost_of_resampling(call))
    st.session_state[JOB] = question, job
    return job


def _take(question: tuple, job: Job) -> None:
    """Keep what a job that is done has found, or note why it ended without."""
    del st.session_state[JOB]
    try:
        memory(question[1]).recall(question, job.result)
    except FoldwiseError as why:
        st.session_state.setdefault(ENDED, {})[question] = str(why)


@st.fragment(run_every=TICK)
def _watch(question: tuple, job: Job) -> None:
    """Show how far it is; the page runs again at its end."""
    if job.done.is_set():
        st.rerun()
    done = f" {job.so_far[0]} of {job.so_far[1]}" if job.so_far else ""
    st.caption(show.escape(f"{CHECKING}{done}"))
