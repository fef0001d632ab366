"""Simulations that go on part by part in other processes while their page shows what is there.

A part takes some seconds; then whoever waits has a turn. Nothing goes on while nobody looks: the next
part is asked for by the page. Parts are kept by `session_cache`, their chunks in the workspace, too.
"""

from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from foldwise.web import background_calls, choice_history, components, session
from foldwise.web.job_queue import CANCELLED, Job, JobCancelled
from foldwise.web.session_cache import session_cache
from foldwise.workspaces.simulation_chunks import WorkspaceChunks
from foldwise.workspaces.workspace_config import limits
from stats_core.core.formatting import format_count
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.power.null_models import LevelOnDesign
from stats_core.power.questions import SimulationPart, run_part
from stats_core.power.simulation_text import decide_level, describe_simulation

SECONDS = 2.0  # of a part
TICK = 0.5  # seconds between looks at a part
UNASKED = 20.0  # seconds, roughly, up to which a first part begins by itself
JOB, ENDED, LAST = "_lab_job", "_lab_ended", "_lab_last"  # session keys
STOPPED = "Stopped: what is done by now is kept."


@dataclass(frozen=True)
class Asked:
    """A question to a simulation, whatever the number of draws.

    Attributes
    ----------
    question : str
        One of `QUESTIONS`, or `ORDERS`.
    key : str
        Identifies the results; "" where there are none.
    settings : Settings
    options : tuple of (str, object)
    """

    question: str
    key: str
    settings: Settings
    options: tuple[tuple[str, object], ...] = ()


def simulation_result(
    asked: Asked, results: Results | None, draws: int, cost: float
) -> SimulationPart | None:
    """Return what is found by now, and let it go on up to so many draws; None before the first part."""
    _take()
    parts = _parts(asked, draws)
    part = parts[-1] if parts else None
    done = part.draws if part else 0
    ended = st.session_state.setdefault(ENDED, {})
    if part is None and cost > UNASKED and asked not in ended:
        ended[asked] = f"A first answer may take {cost:.0f} seconds or more."
    if done >= draws:
        ended.pop(asked, None)
    elif asked in ended:
        _offer(asked, done)
    else:
        job = _job(asked, done, partial(_call, asked, results, draws, parts))
        if job.done.wait(background_calls.PATIENCE if part is None else 0):
            return simulation_result(asked, results, draws, cost)
        _watch(asked, done, draws, part.each if part else 0.0)
    if part is not None:
        st.session_state.setdefault(LAST, {})[asked.question] = asked, done
    return part


def last_results(key: str, settings: Settings) -> list[tuple[Asked, SimulationPart]]:
    """Return the last answer to each question about these results under these settings."""
    found = []
    for asked, draws in st.session_state.get(LAST, {}).values():
        if asked.key == key and _about(asked.settings) == _about(settings):
            parts = _parts(asked, draws)
            found += [(asked, parts[-1])] if parts else []
    return found


def warn_inflated_error(key: str, settings: Settings) -> None:
    """Say below a verdict that its procedure does not keep its level here, if that was found."""
    settings = replace(settings, wish=(), region=None)
    for asked, part in last_results(key, settings):
        level = part.found
        if isinstance(level, LevelOnDesign) and asked.settings == settings:
            if decide_level(level).held == "above":
                st.warning(
                    components.escape(describe_simulation(level).warning), icon=":material/warning:"
                )
                st.page_link(
                    "pages/lab.py",
                    label=f"How that was seen, in {level.draws:,} draws",
                    icon=":material/arrow_forward:",
                    query_params={"ltab": "Does it keep its level?"},
                )


def _about(settings: Settings) -> tuple:
    """Return the settings that all pages share."""
    return (
        *(settings.measure, settings.alpha, settings.only),
        *(settings.without_algorithms, settings.without_datasets),
    )


def _place(asked: Asked, done: int) -> tuple:
    return ("part", asked.key, asked, done)  # as all that is kept: what, and of which results


def _parts(asked: Asked, draws: int) -> list[SimulationPart]:
    """Return the parts that are kept, each of which begins where the last one ended."""
    parts: list[SimulationPart] = []
    kept, done = session_cache(asked.key), 0
    while done < draws and (place := _place(asked, done)) in kept:
        parts.append(kept.recall(place, _gone))
        done = parts[-1].draws
    return parts


def _gone() -> None:
    raise JobCancelled(STOPPED)  # between two looks another session took its place


def _call(
    asked: Asked, results: Results | None, draws: int, parts: list[SimulationPart]
) -> partial:
    """Return the call of the next part."""
    held = choice_history.workspace()
    stored = None
    if held is not None and held.link and not st.session_state.get(session.SAMPLE):
        stored = WorkspaceChunks(limits(), held.link)
    have = {number: sums for part in parts for number, sums in part.chunks.items()}
    lean = results and replace(results, predictions=None, undecided=None)
    seconds = SECONDS if parts else 0.0  # the first one is one chunk, to be seen soon
    about = asked.question, lean, asked.settings, dict(asked.options)
    return partial(run_part, *about, draws=draws, seconds=seconds, have=have, stored=stored)


def _job(asked: Asked, done: int, call) -> Job:
    """Return the session's job, which ends any other one."""
    known, job = st.session_state.get(JOB, (None, None))
    if job is not None and known == (asked, done):
        return job
    if job is not None:
        job.cancel()
    job = background_calls.job_queue().submit(
        call(), cost=UNASKED
    )  # who asks for the next click comes first
    st.session_state[JOB] = (asked, done), job
    return job


def _take() -> None:
    """Keep what a job that is done has found, or note why it ended without."""
    known, job = st.session_state.get(JOB, (None, None))
    if job is None or not job.done.is_set():
        return
    del st.session_state[JOB]
    try:
        session_cache(known[0].key).recall(_place(*known), job.result)
    except JobCancelled as why:
        st.session_state.setdefault(ENDED, {})[known[0]] = str(why)


def _cancel(asked: Asked) -> None:
    known, job = st.session_state.pop(JOB, (None, None))
    if job is not None and known[0] == asked:
        job.cancel()
    st.session_state.setdefault(ENDED, {})[asked] = STOPPED if known else CANCELLED


def _go_on(asked: Asked) -> None:
    st.session_state.get(ENDED, {}).pop(asked, None)


def _offer(asked: Asked, done: int) -> None:
    """Say why it does not go on, and offer to."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(components.escape(st.session_state[ENDED][asked]), width="content")
        label = "Go on" if done else "Begin"
        st.button(label, on_click=_go_on, args=(asked,), key=f"go_on_{asked.question}")


@st.fragment(run_every=TICK)
def _watch(asked: Asked, done: int, draws: int, each: float) -> None:
    """Show how far it is while it goes on; the page runs again with every part."""
    known, job = st.session_state.get(JOB, (None, None))
    if known != (asked, done) or job.done.is_set():
        st.rerun()
    before = background_calls.job_queue().place(job)
    drawn, total = job.so_far or (done, draws)
    left = f", about {each * (total - drawn):.0f} s left" if each else ""
    words = f"{drawn:,} of {format_count(total, 'draw')}{left}" if drawn else "The first draws ..."
    if before:
        words = f"The server is busy: {before} before this one. {words}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(drawn / total, text=words, width=480)
        st.button("Cancel", on_click=_cancel, args=(asked,), key=f"cancel_{asked.question}")
