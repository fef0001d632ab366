"""Views of comparisons over data sets: verdict with leave-one-out, figures and tables.

A long leave-one-out analysis runs in a worker process; the page is usable meanwhile and reruns at
its end.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.figures import dataset_figures
from foldwise.figures.cd_against_control import control_drawing
from foldwise.figures.cd_diagram import cd_drawing, describe_groups
from foldwise.figures.pair_figures import from_best_drawing
from foldwise.figures.pair_matrix import matrix_of_present, matrix_of_ranks
from foldwise.figures.rank_map import rank_map_of
from foldwise.figures.scatter import scatter_of_two
from foldwise.figures.spec import MOST_NAMES
from foldwise.web import (
    background_calls,
    cached_calls,
    clicks,
    components,
    inputs,
    session,
    sidebar,
    simulation_jobs,
)
from foldwise.web.background_calls import BackgroundCall
from foldwise.web.job_queue import Job
from foldwise.web.session import Context
from foldwise.web.session_cache import qualified_name, session_cache
from foldwise.web.settings_registry import HOLES
from foldwise.web.views import data_views, next_steps
from foldwise.web.views.fold_views import palette
from stats_core.comparison.kinds.control_and_pairs import (
    ControlComparison,
    PresentComparison,
    TwoComparison,
)
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.published_summaries import PublishedRanks
from stats_core.comparison.result import Comparison
from stats_core.core.errors import DegenerateError, FoldwiseError, MissingCells
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.corrections import corrections_for, fallback_message
from stats_core.report.verdict import among_all, verdict
from stats_core.robustness.leave_one_out import leave_one_out
from stats_core.robustness.other_measures import Finding
from stats_core.robustness.similar_datasets import SimilarSets, similar_sets
from stats_core.robustness.variations import describe_unchanged

AT_ONCE = 0.2  # seconds; longer leave-one-out analyses run in a worker process
TICK = 1.0  # seconds between checks for a finished job
CHECKING = "Leave-one-out: checking ..."
JOB, ENDED = "_robustness_job", "_robustness_ended"  # session keys


def in_card(key: str, analysis: Comparison) -> None:
    """Draw the result of leave-one-out in the verdict card, or its progress."""
    job_key = qualified_name(leave_one_out), key, analysis.settings
    call = BackgroundCall(leave_one_out, analysis)
    running, job = st.session_state.get(JOB, (None, None))
    if running == job_key and job is not None and job.done.is_set():
        _take(job_key, job)
    if why := st.session_state.get(ENDED, {}).get(job_key):
        st.caption(components.escape(f"Leave-one-out: not known. {why}"))
    elif job_key in session_cache(key) or background_calls.cost_of_resampling(call) <= min(
        AT_ONCE, background_calls.HERE
    ):
        result = cached_calls.leave_one_out(key, analysis.settings, analysis)
        st.markdown(components.escape(result.text), width=920)
    else:
        _watch(job_key, _job(job_key, call))


def _job(job_key: tuple, call: BackgroundCall) -> Job:
    """Return the session's job for this call; start it, and cancel any other, if needed."""
    running, job = st.session_state.get(JOB, (None, None))
    if job is not None and running == job_key:
        return job
    if job is not None:
        job.cancel()
    job = background_calls.job_queue().submit(call, cost=background_calls.cost_of_resampling(call))
    st.session_state[JOB] = job_key, job
    return job


def _take(job_key: tuple, job: Job) -> None:
    """Store the result of a finished job, or the reason why it has none."""
    del st.session_state[JOB]
    try:
        session_cache(job_key[1]).recall(job_key, job.result)
    except FoldwiseError as why:
        st.session_state.setdefault(ENDED, {})[job_key] = str(why)


@st.fragment(run_every=TICK)
def _watch(question: tuple, job: Job) -> None:
    """Draw the progress of a job; rerun the page when it is done."""
    if job.done.is_set():
        st.rerun()
    progress = f" {job.so_far[0]} of {job.so_far[1]}" if job.so_far else ""
    st.caption(components.escape(f"{CHECKING}{progress}"))


# option for many algorithms -> number of algorithms drawn, None for all
TOP = {"best 60": 60, "best 20": 20, "all": None}
KINDS_OF_SETS = ("none", "found", *map(str, range(2, 9)))


def allowed_settings(settings: Settings) -> Settings:
    """Return settings with a correction that suits the pairwise test; note a change."""
    correction = settings.correction
    if settings.control or not correction or correction in corrections_for(settings.source):
        return settings
    st.caption(str(fallback_message(correction, 0, source=settings.source)))
    return replace(settings, correction="holm")


def in_expander(label: str, key: str, draw: Callable[[], None]) -> None:
    """Draw an expander whose content is computed when it is opened."""
    box = st.expander(label, key=key, on_change="rerun")
    if box.open:
        with box:
            draw()


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
    if context.undecided and isinstance(error, MissingCells):
        must = "Every algorithm needs a result everywhere."
        components.show_refusal(must, f"{context.undecided}. Choose what to do.")
        data_views.choose_missing_treatment(context)
        return
    if isinstance(error, DegenerateError) and not settings.measures:
        components.show_refusal("No test can run: the differences do not vary.", str(error))
        if inputs.datasets_with_folds(context):
            st.page_link(
                "pages/pair.py",
                label="Look at two of them, fold by fold",
                icon=":material/arrow_forward:",
                query_params={"ds": settings.dataset} if settings.dataset else None,
            )
        return
    components.show_refusal("The comparison cannot run yet.", error)
    if st.session_state.get(HOLES) and isinstance(error, MissingCells):
        data_views.choose_missing_treatment(context)


def show_verdict(
    context: Context,
    analysis: Comparison,
    card: DeltaGenerator,
    links: dict[str, str],
    *,
    robust: bool = False,
) -> None:
    """Draw the verdict card with advice, alternative settings and links.

    With `robust`, it includes the number of leave-one-out runs in which a claim is lost.
    """
    words = cached_calls.words(context.key, analysis.settings, analysis)
    if analysis.shape.over == "cases":
        two = len(analysis.tests) == 1
        links = links or ({} if two else {"pages/pair.py": "Two of them"})
    key, show_robustness = inputs.selection_key(context), robust and bool(analysis.units)
    with card:
        components.verdict_card(
            words,
            analysis.advice if len(analysis.results.algorithms) > 1 else None,
            links,
            change=_changes(context.key, analysis),
            copied=lambda: cached_calls.copied(context.key, analysis.settings, analysis),
            robust=(lambda: in_card(key, analysis)) if show_robustness else None,
        )


def say_pair(
    context: Context, own: Comparison, family: Settings, card: DeltaGenerator, links: dict[str, str]
) -> None:
    """Draw the verdict on a pair among all pairs, with its own test below.

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
        show_verdict(context, own, card, links)
        return
    sidebar.name_tests(context, all_pairs)
    with card:
        components.verdict_card(words, all_pairs.advice, links)


def finding_link(finding: Finding) -> None:
    """Draw a link to the page that shows what a single measure hides."""
    parameters = {
        "ds": finding.dataset,
        "together": ", ".join(finding.measures),
        "who": "two" if finding.pair else "all",
        "mtab": "Folds" if finding.pair else "Cliques",
        **dict(zip(("a", "b"), finding.pair, strict=False)),
    }
    if st.button(
        components.escape(finding.text),
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
        changes_table(
            cached_calls.changes(key, analysis.settings, analysis), verdict(analysis).headline
        )
        st.caption("Choose a setting before you look, not the one that suits; report which.")

    return draw


SHOWN = ["setting", "changes", "verdict then", "changed"]


def changes_table(table: pd.DataFrame, headline: str) -> None:
    """Draw which pairs and headlines change under other settings.

    Settings that change nothing are only counted.
    """
    rows = [
        [
            components.escape(label),
            components.escape(changes),
            "the same" if new_headline == headline else components.escape(new_headline),
        ]
        for label, changes, new_headline, changed in table[SHOWN].itertuples(index=False)
        if changed
    ]
    if rows:
        named = pd.DataFrame(rows, columns=["setting", "what changes", "headline then"])
        st.table(named, hide_index=True)
    if unchanged := describe_unchanged(table):
        st.caption(components.escape(unchanged))


def _most(analysis: RanksComparison | PublishedRanks) -> int | None:
    """Draw a selectbox for the number of algorithms in a diagram; return None for all."""
    if len(analysis.order) <= MOST_NAMES:
        return None
    chosen = inputs.page_option("Shown", "top", list(TOP))
    if TOP[chosen] is not None:
        st.caption(
            f"{len(analysis.order)} algorithms: the diagram shows the {chosen} (all in the table)."
        )
    return TOP[chosen]


def cd_figure(
    analysis: RanksComparison | PublishedRanks, highlight: tuple[str, ...], **options
) -> None:
    """Draw the critical-difference diagram; a click selects a group or an algorithm."""
    hues = palette(analysis.results.algorithms, highlight) if session.families() else None
    drawing = cd_drawing(
        analysis,
        highlight=highlight,
        colours=hues,
        selected=session.highlighted(),
        most=_most(analysis),
        **options,
    )
    next_steps.selected_group(analysis)
    components.show_figure(drawing)


def difference_figure(key: str, analysis: TwoComparison) -> None:
    """Draw the sorted differences over data sets, with intervals if there are folds."""
    table = cached_calls.datasets(key, analysis.settings, analysis)
    drawing = dataset_figures.difference_drawing(analysis, table)
    components.show_figure(drawing)


def scatter_figure(analysis: TwoComparison) -> None:
    """Draw a scatter plot of two algorithms over data sets."""
    components.show_figure(scatter_of_two(analysis))


def matrix_figure(analysis: RanksComparison) -> None:
    """Draw the matrix of all pairs: effect sizes above, adjusted p-values below the diagonal."""
    n_algorithms = len(analysis.order)
    if n_algorithms > MOST_NAMES:
        st.caption(f"The matrix shows the best {MOST_NAMES} of {n_algorithms}; the table has all.")
    components.show_figure(matrix_of_ranks(analysis))


def intervals_figure(analysis: RanksComparison | ControlComparison) -> None:
    """Draw the intervals of all pairwise differences, or of those from the control."""
    drawing = dataset_figures.intervals_drawing(analysis)
    if drawing is not None:
        components.show_figure(drawing)


def from_best_figure(analysis: Comparison) -> None:
    """Draw the differences from the best algorithm, if the tests have intervals."""
    drawing = from_best_drawing(analysis)
    if drawing is not None:
        components.show_figure(drawing)


def rank_figure(analysis: RanksComparison | ControlComparison) -> None:
    """Draw the ranks on each data set as a heat map."""
    n_algorithms = len(analysis.order)
    if n_algorithms > MOST_NAMES:
        st.caption(
            f"The map shows the best {MOST_NAMES} of {n_algorithms} algorithms, with their ranks among "
            "themselves."
        )
    chosen = inputs.page_option("Groups of similar data sets", "kinds", KINDS_OF_SETS, width=220)
    groups = None
    if chosen != KINDS_OF_SETS[0]:
        groups = _kinds(analysis.friedman.ranks, chosen)
    components.show_figure(rank_map_of(analysis, groups=groups, dark=components.is_dark()))


def present_figures(analysis: PresentComparison) -> None:
    """Draw all pairs on shared data sets, and the ranks among present algorithms."""
    components.show_figure(matrix_of_present(analysis))
    components.show_figure(rank_map_of(analysis, dark=components.is_dark()))


def _kinds(ranks: pd.DataFrame, chosen: str) -> SimilarSets | None:
    """Return clusters of data sets with similar ranks, and draw their description."""
    try:
        clusters = similar_sets(ranks, groups=None if chosen == "found" else int(chosen))
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return None
    st.markdown(f"**{components.escape(clusters.text)}**")
    st.caption(
        "Found by looking at these ranks, so tests within a group of them are not honest. W is "
        "Kendall's concordance within a group."
    )
    return clusters


def averages_view(analysis: Comparison) -> None:
    """Draw the compared scores; for trained models the pairs first."""
    names = ("pairs", "scores") if analysis.shape.over == "cases" else ("scores",)
    next_steps.tables(analysis, *names)


def groups_line(analysis: RanksComparison) -> None:
    """Draw the groups of algorithms that are not separated."""
    text = describe_groups(analysis.groups, analysis.settings.alpha)
    st.markdown(components.escape(text))


def control_figure(analysis: ControlComparison, **options) -> None:
    """Draw the average ranks with the control marked."""
    components.show_figure(control_drawing(analysis, **options))
