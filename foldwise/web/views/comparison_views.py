"""Leave-one-out in the card: at once where that is quick, else beside the server.

The page can be used meanwhile; it runs again once the answer is there.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.figure_specs import dataset_figures, incomplete_figures, rank_figures
from foldwise.figure_specs.figure_spec import MOST_NAMES
from foldwise.figure_specs.pair_figures import from_best_drawing
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
from foldwise.web.views import data_views, next_steps
from foldwise.web.views.fold_views import palette
from stats_core.comparison.kinds.average_ranks import RanksComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.incomplete import PresentComparison
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.kinds.published_summaries import PublishedDecisions, PublishedRanks
from stats_core.comparison.kinds.two_algorithms import TwoComparison
from stats_core.comparison.kinds.untested import UntestedComparison
from stats_core.comparison.pair_in_family import among_all
from stats_core.comparison.result import Comparison
from stats_core.comparison.verdict import verdict
from stats_core.core.errors import DegenerateError, FoldwiseError, MissingCells
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.corrections import corrections_for, fallback_message
from stats_core.robustness.leave_one_out_claims import leave_one_out
from stats_core.robustness.multivariate_findings import Finding
from stats_core.robustness.sensitivity import describe_unchanged
from stats_core.robustness.similar_datasets import SimilarSets, similar_sets

AT_ONCE = 0.2  # seconds of work that the page waits for
TICK = 1.0  # seconds between looks at a job
CHECKING = "Leave-one-out: checking ..."
JOB, ENDED = "_robustness_job", "_robustness_ended"  # session keys


def in_card(key: str, analysis: Comparison) -> None:
    """Say in how many leave-one-out runs a claim is lost, or that this is being computed."""
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


# what a diagram of many algorithms shows -> how many that is, None for all
TOP = {"best 60": 60, "best 20": 20, "all": None}
KINDS_OF_SETS = ("none", "found", *map(str, range(2, 9)))


def choice(label: str, key: str, options: dict[str, str]) -> str:
    """Ask for one of a page's own settings, by its name; kept in the address and across pages."""
    names = {name: option for option, name in options.items()}
    chosen = st.selectbox(
        label,
        list(names),
        key=key,
        bind="query-params",
        persist_state="session",
        width=160,
    )
    return names[chosen]


def allowed_settings(settings: Settings) -> Settings:
    """Return the settings with a correction that the test of pairs allows; say where it is another."""
    asked = settings.correction
    if settings.control or not asked or asked in corrections_for(settings.source):
        return settings
    st.caption(str(fallback_message(asked, 0, source=settings.source)))
    return replace(settings, correction="holm")


def in_expander(label: str, key: str, draw: Callable[[], None]) -> None:
    """Keep under a plain name what is drawn when somebody opens it."""
    box = st.expander(label, key=key, on_change="rerun")
    if box.open:
        with box:
            draw()


def run_comparison(context: Context, settings: Settings, card: DeltaGenerator) -> Comparison:
    """Return the analysis, or say in the card why there is none and end the page."""
    try:
        found = cached_calls.analysis(context.key, settings, context.results)
    except FoldwiseError as error:
        with card:
            _refuse(context, settings, error)
        st.stop()
    simulation_jobs.warn_inflated_error(context.key, settings)
    sidebar.name_tests(context, found)
    return found


def _refuse(context: Context, settings: Settings, error: FoldwiseError) -> None:
    """Say why there is no comparison, with what can be done about it here."""
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
    if st.session_state.get(session.HOLES) and isinstance(error, MissingCells):
        data_views.choose_missing_treatment(context)


def show_verdict(
    context: Context,
    analysis: Comparison,
    card: DeltaGenerator,
    links: dict[str, str],
    *,
    robust: bool = False,
) -> None:
    """Draw the verdict, what explains it, what would change it and where to go on.

    Where `robust`, say in how many leave-one-out runs a claim is lost.
    """
    said = cached_calls.words(context.key, analysis.settings, analysis)
    if isinstance(analysis, CasesComparison):
        two = len(analysis.tests) == 1
        links = links or ({} if two else {"pages/pair.py": "Two of them"})
    key, shown = inputs.selection_key(context), robust and bool(analysis.units)
    with card:
        components.verdict_card(
            said,
            analysis.advice if len(analysis.results.algorithms) > 1 else None,
            links,
            change=_changes(context.key, analysis),
            copied=lambda: cached_calls.copied(context.key, analysis.settings, analysis),
            robust=(lambda: in_card(key, analysis)) if shown else None,
        )


def say_pair(
    context: Context,
    own: Comparison,
    family: Settings,
    card: DeltaGenerator,
    links: dict[str, str],
) -> None:
    """Draw what all pairs decide about a pair, then what its own test gives.

    The verdict of `own` where it is not about two of several algorithms, or where all pairs cannot
    be compared.
    """
    said, every = None, None
    if family.control not in ("", *own.order):
        family = replace(family, control="", correction="")
    if len(own.order) == 2 < len(inputs.kept_input(context).algorithms):
        with suppress(FoldwiseError):
            every = cached_calls.analysis(context.key, family, context.results)
            said = among_all(own, every)
    if every is None or said is None:
        show_verdict(context, own, card, links)
        return
    sidebar.name_tests(context, every)
    with card:
        components.verdict_card(said, every.advice, links)


def finding_link(finding: Finding) -> None:
    """Lead to the page that shows what one measure hides, with that measure in the sidebar."""
    where = {
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
        args=(finding, where),
    ):
        clicks.go_to("pages/multivariate.py", where)


def _show_finding(finding: Finding, where: dict[str, str]) -> None:
    """Set what the page Multivariate asks for and the measure, and light a group up."""
    st.session_state.update(where, measure=finding.measure)
    group = list(finding.group)
    if group and session.selection().get("ids") != group:
        session.select("group", group)


def _changes(key: str, analysis: Comparison) -> Callable[[], None] | None:
    """Return what draws the verdict under other settings; None where nothing was tested."""
    if isinstance(analysis, UntestedComparison | CasesComparison | PublishedDecisions):
        return None

    def draw() -> None:
        changes_table(
            cached_calls.changes(key, analysis.settings, analysis), verdict(analysis).headline
        )
        st.caption("Choose a setting before you look, not the one that suits; report which.")

    return draw


SHOWN = ["setting", "changes", "verdict then", "changed"]


def changes_table(table: pd.DataFrame, headline: str) -> None:
    """Show what other settings change: which pairs, and the headline if it is another one.

    Settings that change nothing are counted in one line.
    """
    rows = [
        [
            components.escape(label),
            components.escape(changes),
            "the same" if then == headline else components.escape(then),
        ]
        for label, changes, then, changed in table[SHOWN].itertuples(index=False)
        if changed
    ]
    if rows:
        named = pd.DataFrame(rows, columns=["setting", "what changes", "headline then"])
        st.table(named, hide_index=True)
    if said := describe_unchanged(table):
        st.caption(components.escape(said))


def _most(analysis: RanksComparison | PublishedRanks) -> int | None:
    """Ask how many of many algorithms to draw, the best ones; None for all."""
    if len(analysis.order) <= MOST_NAMES:
        return None
    chosen = inputs.page_option("Shown", "top", TOP)
    if TOP[chosen] is not None:
        st.caption(
            f"{len(analysis.order)} algorithms: the diagram shows the {chosen} (all in the table)."
        )
    return TOP[chosen]


def cd_figure(
    analysis: RanksComparison | PublishedRanks, highlight: tuple[str, ...], **options
) -> None:
    """Draw the critical-difference diagram; clicks select a group or an algorithm."""
    hues = palette(analysis.results.algorithms, highlight) if session.families() else None
    drawing = rank_figures.cd_drawing(
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
    """Draw the sorted differences over data sets, with intervals from folds; a click opens one."""
    table = cached_calls.datasets(key, analysis.settings, analysis)
    drawing = dataset_figures.difference_drawing(analysis, table)
    components.show_figure(drawing)


def scatter_figure(analysis: TwoComparison) -> None:
    """Draw one algorithm against the other over data sets."""
    components.show_figure(dataset_figures.scatter_drawing(analysis))


def matrix_figure(analysis: RanksComparison) -> None:
    """Draw all pairs: effect above the diagonal, adjusted p below."""
    every = len(analysis.order)
    if every > MOST_NAMES:
        st.caption(f"The matrix shows the best {MOST_NAMES} of {every}; the table has all.")
    components.show_figure(dataset_figures.matrix_drawing(analysis))


def intervals_figure(analysis: RanksComparison | ControlComparison) -> None:
    """Draw the differences of all pairs, or from the control, with their intervals."""
    drawing = dataset_figures.intervals_drawing(analysis)
    if drawing is not None:
        components.show_figure(drawing)


def from_best_figure(analysis: Comparison) -> None:
    """Draw how far the best is from each of the others, where the tests have intervals."""
    drawing = from_best_drawing(analysis)
    if drawing is not None:
        components.show_figure(drawing)


def rank_figure(analysis: RanksComparison | ControlComparison) -> None:
    """Draw the ranks on each data set as a heat map."""
    every = len(analysis.order)
    if every > MOST_NAMES:
        st.caption(
            f"The map shows the best {MOST_NAMES} of {every} algorithms, with their ranks among "
            "themselves."
        )
    chosen = inputs.page_option("Groups of similar data sets", "kinds", KINDS_OF_SETS, width=220)
    groups = None
    if chosen != KINDS_OF_SETS[0]:
        groups = _kinds(analysis.friedman.ranks, chosen)
    components.show_figure(
        dataset_figures.rank_drawing(analysis, groups=groups, dark=components.is_dark())
    )


def present_figures(analysis: PresentComparison) -> None:
    """Draw all pairs on shared data sets, and the ranks among those present."""
    components.show_figure(incomplete_figures.matrix_drawing(analysis))
    components.show_figure(incomplete_figures.rank_drawing(analysis, dark=components.is_dark()))


def _kinds(ranks: pd.DataFrame, chosen: str) -> SimilarSets | None:
    """Find groups of data sets that rank alike, and say what was found."""
    try:
        found = similar_sets(ranks, groups=None if chosen == "found" else int(chosen))
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return None
    st.markdown(f"**{components.escape(found.text)}**")
    st.caption(
        "Found by looking at these ranks, so tests within a group of them are not honest. W is "
        "Kendall's concordance within a group."
    )
    return found


def averages_view(analysis: Comparison) -> None:
    """Show what was compared; of trained models their cases first."""
    names = ("pairs", "scores") if isinstance(analysis, CasesComparison) else ("scores",)
    next_steps.tables(analysis, *names)


def groups_line(analysis: RanksComparison) -> None:
    """Name the groups of which no pair is separated."""
    said = rank_figures.describe_groups(analysis.groups, analysis.settings.alpha)
    st.markdown(components.escape(said))


def control_figure(analysis: ControlComparison, **options) -> None:
    """Draw the average ranks with the control marked."""
    components.show_figure(rank_figures.control_drawing(analysis, **options))
