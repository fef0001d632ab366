"""What stands beside the diagram of ranks: other first tests, effects."""

from dataclasses import replace

import streamlit as st

from foldwise.figure_specs import rank_figures, robustness_tables
from foldwise.figure_specs import win_figures as drawn
from foldwise.figure_specs.figure_spec import MOST_NAMES
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import fold_views, next_steps, order_inputs
from foldwise.web.views.order_views import MOST_UNASKED
from stats_core.comparison.kinds.average_ranks import RanksComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.several_measures import SeveralOnMeasures
from stats_core.comparison.kinds.two_algorithms import TwoComparison
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
from stats_core.inference.contrasts import contrast_estimation
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.robustness.by_group import tables_by_group


def first_tests(key: str, analysis: RanksComparison | ControlComparison) -> None:
    """Show every test of all algorithms at once; the slow exact one when asked."""
    exact = st.toggle("Add the exact Friedman test (seconds)", key="exact_friedman")
    rows, refused = cached_calls.first_tests(key, analysis.settings, exact, analysis)
    components.show_table(robustness_tables.first_tests(analysis, rows))
    for name, why in refused.items():
        st.caption(components.escape(f"{name}: {why}"))


def contrast_view(analysis: RanksComparison) -> None:
    """Show the median-based estimate of every difference, in units of the measure."""
    try:
        table = contrast_estimation(analysis.scores[analysis.order])
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    components.show_table(robustness_tables.contrast_table(analysis, table))


MOST_LISTED = 20


def groups(context: session.Context, analysis: SeveralOnMeasures) -> None:
    """Draw the groups in the plane, list them with those alone, and draw and list the pairs."""
    components.selection_chip()
    colours = fold_views.palette(context.results.algorithms, context.highlight)
    plane = rank_figures.plane_drawing(analysis, colours=colours, lit=session.highlighted())
    if plane is not None:
        components.show_figure(plane, on=analysis.dataset)
    _list(analysis)
    next_steps.selected_group(analysis)
    components.show_figure(rank_figures.matrix_drawing(analysis), on=analysis.dataset)
    next_steps.pairs(analysis)
    next_steps.tables(analysis, "procedures", "steps", "acceptance")


def _list(analysis: SeveralOnMeasures) -> None:
    """List the maximal groups, and those in none; a click lights one everywhere."""
    st.markdown("## Groups not separated")
    real = [group for group in analysis.groups if len(group) > 1]
    alone = [group[0] for group in analysis.groups if len(group) == 1]
    if not real:
        st.caption("Every pair differs.")
    for place, group in enumerate(real[:MOST_LISTED]):
        st.button(
            components.escape(format_set(group)),
            key=f"group_{place}",
            type="tertiary",
            on_click=session.select,
            args=("group", list(group)),
        )
    if real and alone:
        st.caption(
            components.escape(
                f"In no group, as separated from all others: {join_names(alone, 60)}."
            )
        )


TAB = "By group"
MOST_TOLD = 8  # groups of which the verdict stands above the table, too


def group_tab_name(comparison: Comparison) -> list[str]:
    """Return the name of this tab, where there are groups."""
    return [TAB] if tags_with_groups(comparison.results) else []


def group_comparison(context: session.Context, comparison: Comparison) -> None:
    """Ask what groups the data sets, and show every analysis and order."""
    results, settings = comparison.results, comparison.settings
    tag = inputs.page_option("Groups by", "groupby", tags_with_groups(results), width=220)
    rules = None
    pairs = len(results.algorithms) * (len(results.algorithms) - 1) // 2
    chosen = order_inputs.saved_order_inputs(results)
    if chosen is not None and pairs * len(results.datasets) <= MOST_UNASKED:
        test, rules = chosen
        settings = replace(settings, test=test)
    found = cached_calls.by_group(
        inputs.selection_key(context), settings, tag, rules, results, comparison
    )
    for value, said in list(found.table["verdict"].items())[: MOST_TOLD + 1]:
        st.markdown(components.escape(f"{value}: {said}"))
    for table in tables_by_group(found):
        components.show_table(table)
    st.caption("To look at one group on every page, choose it in the sidebar: Only data sets of.")


BY_AVERAGE = "average"
ADVISED = "advised test"
CORRECTIONS = {"Bonferroni": "bonferroni", "Holm": "holm", "none": "none"}


def wins_tab(context: session.Context, analysis: RanksComparison) -> None:
    """Ask what a win is, and draw wins, their sign test and its graph."""
    results = inputs.kept_input(context)
    with_folds = bool(results.with_folds)
    ways = [BY_AVERAGE, *((ADVISED, TUKEY, *PAIR_TESTS) if with_folds else ())]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = inputs.page_option("A win on a data set is by", "winby", ways, width=230)
        within = "none"
        if by not in (BY_AVERAGE, TUKEY):
            within = CORRECTIONS[
                inputs.page_option("Adjusted on a data set", "within", CORRECTIONS)
            ]
        over = CORRECTIONS[inputs.page_option("Sign test adjusted", "signs", CORRECTIONS)]
    try:
        found = cached_calls.wins_over_sets(
            inputs.selection_key(context), context.settings, by, within, over, results
        )
    except FoldwiseError as error:
        components.show_refusal("Wins cannot be counted this way.", error)
        return
    st.markdown(f"**{components.escape(found.text)}**")
    for name, why in list(found.skipped.items())[:5]:
        st.caption(components.escape(f"{name} is left out: {why}"))
    order = [name for name in analysis.order if name in found.names]
    if len(order) > MOST_NAMES:
        order = order[:MOST_NAMES]
        st.caption(f"The best {MOST_NAMES} of {len(found.names)} by average rank are drawn.")
    draw_wins(found, order, "average rank")


def draw_wins(found: Wins, order: list[str], by: str) -> None:
    """Draw wins in an order, and by what it is one, name the data sets behind a selected pair, and draw the sign test."""
    components.show_figure(drawn.wins_drawing(found, order))
    _who_won(found)
    chosen = session.selection()
    alone = chosen["ids"][0] if chosen.get("kind") == "algorithm" else None
    selected = alone if alone in order else None
    components.show_figure(drawn.graph_drawing(found, order, selected=selected, ordered_by=by))
    st.caption(components.escape(f"{capitalize_first(found.method)}."))


def _who_won(found: Wins) -> None:
    """Name the data sets on which the first of the selected pair wins."""
    chosen = session.selection()
    if chosen.get("kind") != "pair" or not set(chosen["ids"]) <= set(found.names):
        return
    first, second = chosen["ids"]
    sets = found.won.get((first, second), ())
    named = f": {', '.join(sets)}" if sets else ""
    said = f"{first} wins over {second} on {format_count(len(sets), 'data set')}{named}."
    st.markdown(components.escape(said))


def robustness(key: str, analysis: Comparison) -> None:
    """Say what is lost without one data set, and how probably a new experiment repeats it."""
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
    """Say what is lost without one data set, and every decision without one or one algorithm."""
    robustness(key, analysis)
    names = analysis.results.algorithms
    if len(names) > MOST_NAMES and not st.toggle(
        f"Leave out each of {len(names)} algorithms and each data set (may take a minute)",
        key="leave_out",
    ):
        return
    try:
        found = cached_calls.stability(key, analysis.settings, analysis)
    except FoldwiseError as error:
        components.show_refusal("Stability cannot be shown.", str(error))
        return
    st.markdown(components.escape(found.text))
    if found.note:
        st.caption(components.escape(str(found.note)))
    *first, runs = robustness_tables.stability(found, analysis.settings.alpha)
    for table in first:
        components.show_table(table)
    share = found.winner_share
    said = ", ".join(
        f"{name} {format_percent(round(value, 2))}" for name, value in share.head(5).items()
    )
    if said:
        st.markdown(
            components.escape(f"Best average rank in the runs without one data set: {said}.")
        )
    components.show_table(runs)


def other_definitions(
    key: str, analysis: RanksComparison | TwoComparison | FoldPairComparison
) -> None:
    """Show the same comparison as other programs define it."""
    pair = None
    if isinstance(analysis, RanksComparison):
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
