"""Simulations that run in parts in worker processes while their page shows intermediate results.

A part takes a few seconds; then other waiting jobs have a turn. The page requests the next part, so
nothing runs without an open page. Parts are stored in `session_cache`, their chunks also in the
workspace.
"""

from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from foldwise.web import background_calls, choice_history, components, session
from foldwise.web.job_queue import CANCELLED, JobCancelled
from foldwise.web.session_cache import session_cache
from foldwise.workspaces.store import WorkspaceChunks, limits
from stats_core.core.formatting import format_count
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.power.error_rates import LevelOnDesign
from stats_core.power.questions import SimulationPart, run_part
from stats_core.report.power_text import decide_level, describe_simulation

SECONDS = 2.0  # seconds per part
TICK = 0.5  # seconds between checks for a finished part
UNASKED = 20.0  # estimated seconds; longer first parts need a click to begin
JOB, ENDED, LAST = "_lab_job", "_lab_ended", "_lab_last"  # session keys
STOPPED = "The simulation was stopped. The runs so far are kept."


@dataclass(frozen=True)
class Asked:
    """A question to a simulation, without the number of draws.

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


def simulation_result(asked: Asked, results: Results | None, draws: int, cost: float) -> SimulationPart | None:
    """Return the result so far and start the next part; None before the first part is done."""
    _take()
    parts = _parts(asked, draws)
    part = parts[-1] if parts else None
    n_done = part.draws if part else 0
    ended = st.session_state.setdefault(ENDED, {})
    if part is None and cost > UNASKED and asked not in ended:
        ended[asked] = f"The first result may take {cost:.0f} seconds or more."
    if n_done >= draws:
        ended.pop(asked, None)
    elif asked in ended:
        _offer(asked, n_done)
    else:
        call = partial(_call, asked, results, draws, parts)
        # a high cost makes it a long job, so that short ones are not delayed
        job = background_calls.session_job(JOB, (asked, n_done), call, UNASKED)
        if job.done.wait(background_calls.PATIENCE if part is None else 0):
            return simulation_result(asked, results, draws, cost)
        _watch(asked, n_done, draws, part.each if part else 0.0)
    if part is not None:
        st.session_state.setdefault(LAST, {})[asked.question] = asked, n_done
    return part


def last_results(key: str, settings: Settings) -> list[tuple[Asked, SimulationPart]]:
    """Return the last result of each question on these results and settings."""
    answers = []
    for asked, draws in st.session_state.get(LAST, {}).values():
        if asked.key == key and _about(asked.settings) == _about(settings):
            parts = _parts(asked, draws)
            answers += [(asked, parts[-1])] if parts else []
    return answers


def warn_inflated_error(key: str, settings: Settings) -> None:
    """Warn below a verdict if a simulation showed that its procedure exceeds the level."""
    settings = replace(settings, wish=(), region=None)
    for asked, part in last_results(key, settings):
        level = part.found
        if isinstance(level, LevelOnDesign) and asked.settings == settings:
            if decide_level(level).held == "above":
                st.warning(components.escape(describe_simulation(level).warning), icon=":material/warning:")
                st.page_link(
                    "pages/lab.py",
                    label=f"Simulation of the type I error ({level.draws:,} runs)",
                    icon=":material/arrow_forward:",
                    query_params={"ltab": "Type I error"},
                )


def _about(settings: Settings) -> tuple:
    """Return the settings shared by all pages on which simulations depend."""
    return (
        *(settings.measure, settings.alpha, settings.only),
        *(settings.without_algorithms, settings.without_datasets),
    )


def _place(asked: Asked, done: int) -> tuple:
    return ("part", asked.key, asked, done)  # the second element names the results


def _parts(asked: Asked, draws: int) -> list[SimulationPart]:
    """Return the cached parts of a simulation in their order."""
    parts: list[SimulationPart] = []
    cache, n_done = session_cache(asked.key), 0
    while n_done < draws and (key := _place(asked, n_done)) in cache:
        parts.append(cache.recall(key, _gone))
        n_done = parts[-1].draws
    return parts


def _gone() -> None:
    raise JobCancelled(STOPPED)  # evicted by another session since the last check


def _call(asked: Asked, results: Results | None, draws: int, parts: list[SimulationPart]) -> partial:
    """Return the call that computes the next part."""
    workspace = choice_history.workspace()
    stored = None
    if workspace is not None and workspace.link and not st.session_state.get(session.SAMPLE):
        stored = WorkspaceChunks(limits(), workspace.link)
    have = {number: sums for part in parts for number, sums in part.chunks.items()}
    lean = results and replace(results, predictions=None, undecided=None)
    seconds = SECONDS if parts else 0.0  # the first part is one chunk, for an early result
    about = asked.question, lean, asked.settings, dict(asked.options)
    return partial(run_part, *about, draws=draws, seconds=seconds, have=have, stored=stored)


def _take() -> None:
    """Store the result of a finished job, or the reason why it has none."""
    finished, job = st.session_state.get(JOB, (None, None))
    if job is None or not job.done.is_set():
        return
    del st.session_state[JOB]
    try:
        session_cache(finished[0].key).recall(_place(*finished), job.result)
    except JobCancelled as why:
        st.session_state.setdefault(ENDED, {})[finished[0]] = str(why)


def _cancel(asked: Asked) -> None:
    cancelled, job = st.session_state.pop(JOB, (None, None))
    if job is not None and cancelled[0] == asked:
        job.cancel()
    st.session_state.setdefault(ENDED, {})[asked] = STOPPED if cancelled else CANCELLED


def _go_on(asked: Asked) -> None:
    st.session_state.get(ENDED, {}).pop(asked, None)


def _offer(asked: Asked, done: int) -> None:
    """Draw why the simulation stopped, and a button that continues it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(components.escape(st.session_state[ENDED][asked]), width="content")
        label = "Continue" if done else "Start"
        st.button(label, on_click=_go_on, args=(asked,), key=f"go_on_{asked.question}")


@st.fragment(run_every=TICK)
def _watch(asked: Asked, done: int, draws: int, each: float) -> None:
    """Draw the progress and a Cancel button; rerun the page when a part is done."""
    running, job = st.session_state.get(JOB, (None, None))
    if running != (asked, done) or job.done.is_set():
        st.rerun()
    n_before = background_calls.job_queue().place(job)
    drawn, total = job.so_far or (done, draws)
    remaining = f", about {each * (total - drawn):.0f} s left" if each else ""
    words = f"{drawn:,} of {format_count(total, 'run')}{remaining}" if drawn else "First runs ..."
    if n_before:
        words = f"The server is busy. Computations ahead in the queue: {n_before}. {words}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(drawn / total, text=words, width=480)
        st.button("Cancel", on_click=_cancel, args=(asked,), key=f"cancel_{asked.question}")
