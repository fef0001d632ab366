"""Views of the page Pair."""

import streamlit as st

from foldwise.figures import difference_interval, paired_folds, qq
from foldwise.web import cached_calls, components
from foldwise.web.background_calls import BackgroundCall, instances_seconds
from foldwise.web.session_cache import cached_in_session
from foldwise.web.views import next_steps
from foldwise.web.views.fold_views import HALF, qq_figure, selected_folds
from stats_core.comparison.compare_instances import compare_pair_on_cases
from stats_core.comparison.kinds.control_and_pairs import TwoComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.report.tables.equivalence_tables import MOST_PAIRS
from stats_core.report.tables.fold_tables import describe_record
from stats_core.report.tables.instance_tables import agreement_counts, both_forms
from stats_core.report.verdict import if_chosen_beforehand


def equivalence_view(key: str, analysis: TwoComparison | FoldPairComparison) -> None:
    """Draw the Bayesian test of equivalence, or a note that no region is set."""
    if analysis.settings.region is None:
        st.caption(
            components.escape(
                "Not significant is not equivalent. Say in the sidebar which differences in "
                f"{analysis.settings.measure} do not matter, and here stands what speaks for equivalence."
            )
        )
        return
    try:
        table = cached_calls.bayes(key, analysis.settings, analysis)
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    components.show_table(table)


def equivalence_of_pairs_view(key: str, analysis: Comparison) -> None:
    """Draw the Bayesian tests of every pair over data sets, if a region is set."""
    if analysis.settings.region is None:
        return
    table = cached_calls.every_bayes(key, analysis.settings, analysis)
    if table is None:
        st.caption(f"Bayesian tests are shown for up to {MOST_PAIRS} pairs; leave algorithms out.")
    else:
        components.show_table(table)


@cached_in_session(said="Comparing cases ...", cost=instances_seconds)
def instance_pair(key: str, settings: Settings, _results: Results) -> CasesComparison:
    """Compare two trained models on the instances of one test set."""
    return BackgroundCall(compare_pair_on_cases, _results, settings)


def two_tables(analysis: CasesComparison) -> None:
    """Draw the four counts of two models, and both forms of McNemar's test."""
    components.show_table(agreement_counts(analysis))
    components.show_table(both_forms(analysis))


def over_trainings(
    key: str, on_cases: CasesComparison, analysis: Comparison, *, among: int
) -> None:
    """Draw the test over instances and training runs, then over training runs alone.

    No second headline is drawn if the pair is `among` more than two algorithms.
    """
    next_steps.tables(on_cases, "pairs")
    if among > 2:
        text = if_chosen_beforehand(analysis)
    else:
        words = cached_calls.words(key, analysis.settings, analysis)
        text = f"{words.headline} {words.detail}"
    st.markdown(f"## Training runs on this test set only  \n{components.escape(text)}")
    st.caption(
        "These results compare training runs on the same instances. A difference may be specific to "
        "this test set."
    )


def paired_figure(analysis: FoldPairComparison, *, width: int = HALF) -> None:
    """Draw the two results of every fold, joined by a line."""
    drawing = paired_folds.paired_drawing(analysis, selected=selected_folds())
    components.show_figure(drawing, width=width)


def interval_figure(analysis: FoldPairComparison) -> None:
    """Draw the differences per fold with the intervals of the test and its counterpart."""
    drawing = difference_interval.interval_drawing(analysis, selected=selected_folds())
    if drawing is not None:
        components.show_figure(drawing)


def pair_tables(analysis: FoldPairComparison) -> None:
    """Draw the results of every test, and the effect sizes."""
    next_steps.tables(analysis, "tests", "effects")
    if analysis.effects is None:
        st.caption("The differences do not vary, so there are no effect sizes.")
    st.caption(components.escape(describe_record(analysis)))


def differences_qq_figure(analysis: FoldPairComparison) -> None:
    """Draw a normal Q-Q plot of the differences of two algorithms."""
    try:
        drawing = qq.qq_drawing(analysis)
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    qq_figure(analysis, drawing)
