"""Views of comparisons over data sets: omnibus tests, groups, wins, robustness."""

from dataclasses import replace

import streamlit as st

from foldwise.figures import rank_figures
from foldwise.figures.pair_matrix import matrix_of_measures
from foldwise.figures.sign_test_graph import sign_graph_of_wins
from foldwise.figures.spec import MOST_NAMES
from foldwise.figures.wins_table import wins_over_datasets
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import fold_views, next_steps, order_inputs
from foldwise.web.views.order_views import MOST_UNASKED
from stats_core.comparison.kinds.control_and_pairs import ControlComparison, TwoComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.measure_vectors import SeveralOnMeasures
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import (
    capitalize_first,
    format_count,
    format_percent,
    format_set,
    join_names,
)
from stats_core.data.groups import tags_with_groups
from stats_core.data.settings import TUKEY
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.inference.pairwise import contrast_estimation
from stats_core.report.tables import robustness_tables
from stats_core.report.tables.group_tables import tables_by_group


def first_tests(key: str, analysis: RanksComparison | ControlComparison) -> None:
    """Draw every omnibus test; the slow exact one on request."""
    exact = st.toggle("Add the exact Friedman test (seconds)", key="exact_friedman")
    rows, refused = cached_calls.first_tests(key, analysis.settings, exact, analysis)
    components.show_table(robustness_tables.first_tests(analysis, rows))
    for name, why in refused.items():
        st.caption(components.escape(f"{name}: {why}"))


def contrast_view(analysis: RanksComparison) -> None:
    """Draw the median-based estimates of all differences, in units of the measure."""
    try:
        table = contrast_estimation(analysis.scores[analysis.order])
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    components.show_table(robustness_tables.contrast_table(analysis, table))


MOST_LISTED = 20


def groups(context: session.Context, analysis: SeveralOnMeasures) -> None:
    """Draw the groups of algorithms and all pairs on several measures."""
    components.selection_chip()
    colours = fold_views.palette(context.results.algorithms, context.highlight)
    plane = rank_figures.plane_drawing(analysis, colours=colours, lit=session.highlighted())
    if plane is not None:
        components.show_figure(plane, on=analysis.dataset)
    _list(analysis)
    next_steps.selected_group(analysis)
    components.show_figure(matrix_of_measures(analysis), on=analysis.dataset)
    next_steps.pairs(analysis)
    next_steps.tables(analysis, "procedures", "steps", "acceptance")


def _list(analysis: SeveralOnMeasures) -> None:
    """Draw buttons that select each maximal group, and list algorithms without a group."""
    st.markdown("## Groups not separated")
    real = [group for group in analysis.groups if len(group) > 1]
    singles = [group[0] for group in analysis.groups if len(group) == 1]
    if not real:
        st.caption("Every pair differs.")
    for position, group in enumerate(real[:MOST_LISTED]):
        st.button(
            components.escape(format_set(group)),
            key=f"group_{position}",
            type="tertiary",
            on_click=session.select,
            args=("group", list(group)),
        )
    if real and singles:
        st.caption(
            components.escape(
                f"In no group, as separated from all others: {join_names(singles, 60)}."
            )
        )


TAB = "By group"
MOST_TOLD = 8  # groups with a verdict above the table


def group_tab_name(comparison: Comparison) -> list[str]:
    """Return the name of the tab for groups of data sets, if there are any."""
    return [TAB] if tags_with_groups(comparison.results) else []


def group_comparison(context: session.Context, comparison: Comparison) -> None:
    """Draw the analysis and the order of every group of data sets."""
    results, settings = comparison.results, comparison.settings
    tag = inputs.page_option("Groups by", "groupby", tags_with_groups(results), width=220)
    rules = None
    pairs = len(results.algorithms) * (len(results.algorithms) - 1) // 2
    chosen = order_inputs.saved_order_inputs(results)
    if chosen is not None and pairs * len(results.datasets) <= MOST_UNASKED:
        test, rules = chosen
        settings = replace(settings, test=test)
    result = cached_calls.by_group(
        inputs.selection_key(context), settings, tag, rules, results, comparison
    )
    for value, headline in list(result.table["verdict"].items())[: MOST_TOLD + 1]:
        st.markdown(components.escape(f"{value}: {headline}"))
    for table in tables_by_group(result):
        components.show_table(table)
    st.caption("To look at one group on every page, choose it in the sidebar: Only data sets of.")


BY_AVERAGE = "average"
ADVISED = "advised test"
CORRECTIONS = {"Bonferroni": "bonferroni", "Holm": "holm", "none": "none"}


def wins_tab(context: session.Context, analysis: RanksComparison) -> None:
    """Draw widgets that define a win, the wins, and their sign tests."""
    results = inputs.kept_input(context)
    with_folds = bool(results.with_folds)
    ways = [BY_AVERAGE, *((ADVISED, TUKEY, *PAIR_TESTS) if with_folds else ())]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = inputs.page_option("A win on a data set is by", "winby", ways, width=230)
        within = "none"
        if by not in (BY_AVERAGE, TUKEY):
            within = inputs.page_option("Adjusted on a data set", "within", CORRECTIONS)
        over = inputs.page_option("Sign test adjusted", "signs", CORRECTIONS)
    try:
        wins = cached_calls.wins_over_sets(
            inputs.selection_key(context), context.settings, by, within, over, results
        )
    except FoldwiseError as error:
        components.show_refusal("Wins cannot be counted this way.", error)
        return
    st.markdown(f"**{components.escape(wins.text)}**")
    for name, why in list(wins.skipped.items())[:5]:
        st.caption(components.escape(f"{name} is left out: {why}"))
    order = [name for name in analysis.order if name in wins.names]
    if len(order) > MOST_NAMES:
        order = order[:MOST_NAMES]
        st.caption(f"The best {MOST_NAMES} of {len(wins.names)} by average rank are drawn.")
    draw_wins(wins, order, "average rank")


def draw_wins(found: Wins, order: list[str], by: str) -> None:
    """Draw the wins and their sign tests in a given order, and the wins of a selected pair."""
    components.show_figure(wins_over_datasets(found, order))
    _who_won(found)
    chosen = session.selection()
    algorithm = chosen["ids"][0] if chosen.get("kind") == "algorithm" else None
    selected = algorithm if algorithm in order else None
    components.show_figure(sign_graph_of_wins(found, order, selected=selected, ordered_by=by))
    st.caption(components.escape(f"{capitalize_first(found.method)}."))


def _who_won(wins: Wins) -> None:
    """Draw the data sets on which the first of the selected pair wins."""
    chosen = session.selection()
    if chosen.get("kind") != "pair" or not set(chosen["ids"]) <= set(wins.names):
        return
    first, second = chosen["ids"]
    sets = wins.won.get((first, second), ())
    named = f": {', '.join(sets)}" if sets else ""
    sentence = f"{first} wins over {second} on {format_count(len(sets), 'data set')}{named}."
    st.markdown(components.escape(sentence))


def robustness(key: str, analysis: Comparison) -> None:
    """Draw the results of leave-one-out and the probability of replication."""
    lost, repeated = cached_calls.leave_one_out(key, analysis.settings, analysis), None
    st.markdown(f"**{components.escape(lost.text)}**")
    if lost.claimed and lost.n:
        try:
            repeated = cached_calls.replication(key, analysis.settings, analysis)
        except FoldwiseError as error:
            st.caption(components.escape(f"Replication: not known. {error}"))
        else:
            st.markdown(components.escape(repeated.text))
        components.show_table(robustness_tables.robustness(lost, repeated))
    if lost.lost:
        components.show_table(robustness_tables.left_out(lost))


def stability_tab(key: str, analysis: RanksComparison | TwoComparison) -> None:
    """Draw the decisions without each data set or each algorithm."""
    robustness(key, analysis)
    names = analysis.results.algorithms
    if len(names) > MOST_NAMES and not st.toggle(
        f"Leave out each of {len(names)} algorithms and each data set (may take a minute)",
        key="leave_out",
    ):
        return
    try:
        result = cached_calls.stability(key, analysis.settings, analysis)
    except FoldwiseError as error:
        components.show_refusal("Stability cannot be shown.", str(error))
        return
    st.markdown(components.escape(result.text))
    if result.note:
        st.caption(components.escape(str(result.note)))
    *tables, runs = robustness_tables.stability(result, analysis.settings.alpha)
    for table in tables:
        components.show_table(table)
    share = result.winner_share
    shares = ", ".join(
        f"{name} {format_percent(round(value, 2))}" for name, value in share.head(5).items()
    )
    if shares:
        st.markdown(
            components.escape(f"Best average rank in the runs without one data set: {shares}.")
        )
    components.show_table(runs)


def other_definitions(
    key: str, analysis: RanksComparison | TwoComparison | FoldPairComparison
) -> None:
    """Draw the same comparison as defined by other programs."""
    pair = None
    if analysis.shape.ranked_pairs:
        if st.session_state.get("b") not in analysis.order and "b" not in st.query_params:
            st.session_state["b"] = analysis.order[1]
        with st.container(horizontal=True, vertical_alignment="bottom"):
            first = inputs.page_option("First", "a", analysis.order)
            second = inputs.page_option("Second", "b", analysis.order)
        pair = (first, second) if first != second else None
    try:
        table = cached_calls.other_definitions(key, analysis.settings, pair, analysis)
    except FoldwiseError as error:
        components.show_refusal("Other definitions cannot be shown.", str(error))
        return
    components.show_table(robustness_tables.other_definitions_table(table, analysis.settings.alpha))
