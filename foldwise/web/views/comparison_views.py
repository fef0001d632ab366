"""Views of comparisons shared by pages: analysis, verdict with leave-one-out, other settings.

A long leave-one-out analysis runs in a worker process; the page is usable meanwhile and reruns at
its end.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.web import background_calls, cached_calls, clicks, components, inputs, session, sidebar, simulation_jobs
from foldwise.web.background_calls import BackgroundCall
from foldwise.web.job_queue import Job
from foldwise.web.session import Context
from foldwise.web.session_cache import qualified_name, session_cache
from foldwise.web.settings_registry import HOLES
from foldwise.web.views import data_views
from stats_core.comparison.result import Comparison
from stats_core.core.errors import DegenerateError, FoldwiseError, MissingCells
from stats_core.data.settings import ASKED_SOURCES, Settings
from stats_core.inference.multiplicity.corrections import corrections_for, fallback_message
from stats_core.report.advice import advice_on
from stats_core.report.robustness_text import describe_finding, describe_leave_one_out
from stats_core.report.varied_verdicts import describe_unchanged
from stats_core.report.verdict import among_all, verdict
from stats_core.robustness.leave_one_out import leave_one_out
from stats_core.robustness.other_measures import Finding

AT_ONCE = 0.2  # seconds; longer leave-one-out analyses run in a worker process
TICK = 1.0  # seconds between checks for a finished job
JOB, ENDED = "_robustness_job", "_robustness_ended"  # session keys


def _leave_one_out(key: str, analysis: Comparison) -> None:
    """Draw the result of leave-one-out in the verdict card, or its progress."""
    job_key = qualified_name(leave_one_out), key, analysis.settings
    call = BackgroundCall(leave_one_out, analysis)
    running, job = st.session_state.get(JOB, (None, None))
    if running == job_key and job is not None and job.done.is_set():
        _take(job_key, job)
    cost = background_calls.cost_of_resampling(call)
    if why := st.session_state.get(ENDED, {}).get(job_key):
        st.caption(components.escape(f"Leave-one-out was not completed. {why}"))
    elif job_key in session_cache(key) or cost <= min(AT_ONCE, background_calls.HERE):
        result = cached_calls.leave_one_out(key, analysis.settings, analysis)
        st.markdown(components.escape(describe_leave_one_out(result)), width=920)
    else:
        _watch(background_calls.session_job(JOB, job_key, lambda: call, cost))


def _take(job_key: tuple, job: Job) -> None:
    """Store the result of a finished job, or the reason why it has none."""
    del st.session_state[JOB]
    try:
        session_cache(job_key[1]).recall(job_key, job.result)
    except FoldwiseError as why:
        st.session_state.setdefault(ENDED, {})[job_key] = str(why)


@st.fragment(run_every=TICK)
def _watch(job: Job) -> None:
    """Draw the progress of a job; rerun the page when it is done."""
    if job.done.is_set():
        st.rerun()
    progress = f": {job.so_far[0]} of {job.so_far[1]}" if job.so_far else ""
    st.caption(f"Leave-one-out is running{progress} ...")


def choose_pairwise_test(settings: Settings) -> Settings:
    """Draw a selectbox of the pairwise test over data sets; return the settings with it."""
    options = inputs.labels_of(ASKED_SOURCES)
    source = inputs.page_option("Pairwise test", "source", options, width=160)
    return allowed_settings(replace(settings, source=source))


def allowed_settings(settings: Settings) -> Settings:
    """Return settings with a correction that suits the pairwise test; note a change."""
    correction = settings.correction
    if settings.control or not correction or correction in corrections_for(settings.source):
        return settings
    st.caption(str(fallback_message(correction, 0, source=settings.source)))
    return replace(settings, correction="holm")


def run_comparison(context: Context, settings: Settings, card: DeltaGenerator) -> Comparison:
    """Return the analysis, or draw why there is none and end the page."""
    try:
        result = cached_calls.analysis(context.key, settings, context.results)
    except FoldwiseError as error:
        with card:
            _refuse(context, settings, error)
        st.stop()
    simulation_jobs.warn_inflated_error(context.key, settings)
    sidebar.name_tests(context, result)
    return result


def _refuse(context: Context, settings: Settings, error: FoldwiseError) -> None:
    """Draw why there is no comparison, and what can be done about it."""
    missing = isinstance(error, MissingCells)
    if missing:
        data_views.end_page_if_undecided(context)
    if isinstance(error, DegenerateError) and not settings.measures:
        components.show_refusal("No test can run: the differences do not vary.", str(error))
        return
    components.show_refusal("The comparison cannot run yet.", error)
    if missing and st.session_state.get(HOLES):
        data_views.choose_missing_treatment(context)


def show_verdict(
    context: Context, analysis: Comparison, card: DeltaGenerator, *, robust: bool = False, brief: bool = False
) -> None:
    """Draw the verdict card with advice and alternative settings.

    With `robust`, it includes the number of leave-one-out runs in which a claim is lost. A `brief`
    card repeats the verdict of the Overview: its notes are folded.
    """
    key, settings = context.key, analysis.settings
    leave_out = partial(_leave_one_out, inputs.selection_key(context), analysis)
    with card:
        components.verdict_card(
            cached_calls.words(key, settings, analysis),
            advice_on(analysis) if len(analysis.results.algorithms) > 1 else None,
            change=_changes(key, analysis),
            copied=lambda: cached_calls.copied(key, settings, analysis),
            robust=leave_out if robust and analysis.units else None,
            brief=brief,
        )


def show_pair_verdict(context: Context, own: Comparison, family: Settings, card: DeltaGenerator) -> None:
    """Draw the verdict on a pair among all pairs, followed by that of its own test.

    If there are only two algorithms or all pairs cannot be compared, draw the verdict of `own`.
    """
    words, all_pairs = None, None
    if family.control not in ("", *own.order):
        family = replace(family, control="", correction="")
    if len(own.order) == 2 < len(inputs.kept_input(context).algorithms):
        with suppress(FoldwiseError):
            all_pairs = cached_calls.analysis(context.key, family, context.results)
            words = among_all(own, all_pairs)
    if all_pairs is None or words is None:
        show_verdict(context, own, card)
        return
    sidebar.name_tests(context, all_pairs)
    with card:
        components.verdict_card(words, advice_on(all_pairs))


def finding_link(finding: Finding) -> None:
    """Draw a link to the page that shows a finding on several measures."""
    parameters = {
        "ds": finding.dataset,
        "together": ", ".join(finding.measures),
        "who": "two" if finding.pair else "all",
        "mtab": "Folds" if finding.pair else "Cliques",
        **dict(zip(("a", "b"), finding.pair, strict=False)),
    }
    if st.button(
        components.escape(describe_finding(finding)),
        key="_".join(("finding", finding.dataset, finding.measure, *finding.pair)),
        type="tertiary",
        icon=":material/arrow_forward:",
        on_click=_show_finding,
        args=(finding, parameters),
    ):
        clicks.go_to("pages/multivariate.py", parameters)


def _show_finding(finding: Finding, parameters: dict[str, str]) -> None:
    """Set the options of the page Multivariate, the measure, and the selected group."""
    st.session_state.update(parameters, measure=finding.measure)
    group = list(finding.group)
    if group and session.selection().get("ids") != group:
        session.select("group", group)


def _changes(key: str, analysis: Comparison) -> Callable[[], None] | None:
    """Return a function that draws the verdict under other settings; None without tests."""
    if analysis.shape.over in ("cases", "nothing"):
        return None

    def draw() -> None:
        table = cached_calls.changes(key, analysis.settings, analysis)
        changes_table(table, verdict(analysis).headline)
        st.caption("Choose settings before looking at the results, and report them.")

    return draw


def changes_table(table: pd.DataFrame, headline: str) -> None:
    """Draw which pairs and headlines change under other settings.

    Settings that change nothing are only counted.
    """
    shown = table.loc[table["changed"], ["setting", "changes", "verdict then"]].copy()
    shown.loc[shown["verdict then"] == headline, "verdict then"] = "no change"
    if len(shown):
        shown.columns = ["setting", "pairs that change", "new headline"]
        st.table(shown.map(components.escape), hide_index=True)
    if unchanged := describe_unchanged(table):
        st.caption(components.escape(unchanged))
