"""Over data sets: wins, stability, and what other programs would print."""

import streamlit as st

from foldwise.gallery import tables_of_sets
from foldwise.gallery import wins as drawn
from foldwise.gallery.parts import MOST_NAMES
from foldwise.ui import cached, inputs, show, state
from stats_core.comparison.base import Comparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.words import capital, count, percent
from stats_core.data.settings import TUKEY
from stats_core.inference.families.win_counts import Wins
from stats_core.inference.fold_tests import PAIR_TESTS

BY_AVERAGE = "average"
ADVISED = "advised test"
CORRECTIONS = {"Bonferroni": "bonferroni", "Holm": "holm", "none": "none"}


def wins(context: state.Context, analysis: RanksComparison) -> None:
    """Ask what a win is, and draw wins, their sign test and its graph."""
    results = inputs.kept(context)
    with_folds = bool(results.with_folds)
    ways = [BY_AVERAGE, *((ADVISED, TUKEY, *PAIR_TESTS) if with_folds else ())]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = inputs.option("A win on a data set is by", "winby", ways, width=230)
        within = "none"
        if by not in (BY_AVERAGE, TUKEY):
            within = CORRECTIONS[inputs.option("Adjusted on a data set", "within", CORRECTIONS)]
        over = CORRECTIONS[inputs.option("Sign test adjusted", "signs", CORRECTIONS)]
    try:
        found = cached.wins_over_sets(
            inputs.kept_key(context), context.settings, by, within, over, results
        )
    except FoldwiseError as error:
        show.refusal("Wins cannot be counted this way.", error)
        return
    st.markdown(f"**{show.escape(found.text)}**")
    for name, why in list(found.skipped.items())[:5]:
        st.caption(show.escape(f"{name} is left out: {why}"))
    order = [name for name in analysis.order if name in found.names]
    if len(order) > MOST_NAMES:
        order = order[:MOST_NAMES]
        st.caption(f"The best {MOST_NAMES} of {len(found.names)} by average rank are drawn.")
    draw_wins(found, order, "average rank")


def draw_wins(found: Wins, order: list[str], by: str) -> None:
    """Draw wins in an order, and by what it is one, name the data sets behind a selected pair, and draw the sign test."""
    show.figure_of(drawn.wins_drawing(found, order))
    _who_won(found)
    chosen = state.selection()
    alone = chosen["ids"][0] if chosen.get("kind") == "algorithm" else None
    selected = alone if alone in order else None
    show.figure_of(drawn.graph_drawing(found, order, selected=selected, ordered_by=by))
    st.caption(show.escape(f"{capital(found.method)}."))


def _who_won(found: Wins) -> None:
    """Name the data sets on which the first of the selected pair wins."""
    chosen = state.selection()
    if chosen.get("kind") != "pair" or not set(chosen["ids"]) <= set(found.names):
        return
    first, second = chosen["ids"]
    sets = found.won.get((first, second), ())
    named = f": {', '.join(sets)}" if sets else ""
    said = f"{first} wins over {second} on {count(len(sets), 'data set')}{named}."
    st.markdown(show.escape(said))


def robustness(key: str, analysis: Comparison) -> None:
    """Say what is lost without one data set, and how probably a new experiment repeats it."""
    lost, repeated = cached.leave_one_out(key, analysis.settings, analysis), None
    st.markdown(f"**{show.escape(lost.text)}**")
    if lost.claimed and lost.n:
        try:
            repeated = cached.replication(key, analysis.settings, analysis)
        except FoldwiseError as error:
            st.caption(show.escape(f"Replication: not known. {error}"))
        else:
            st.markdown(show.escape(repeated.text))
        show.table_of(tables_of_sets.robustness(lost, repeated))
    if lost.lost:
        show.table_of(tables_of_sets.left_out(lost))


def stability(key: str, analysis: RanksComparison | TwoComparison) -> None:
    """Say what is lost without one data set, and every decision without one or one algorithm."""
    robustness(key, analysis)
    names = analysis.results.algorithms
    if len(names) > MOST_NAMES and not st.toggle(
        f"Leave out each of {len(names)} algorithms and each data set (may take a minute)",
        key="leave_out",
    ):
        return
    try:
        found = cached.stability(key, analysis.settings, analysis)
    except FoldwiseError as error:
        show.refusal("Stability cannot be shown.", str(error))
        return
    st.markdown(show.escape(found.text))
    if found.note:
        st.caption(show.escape(str(found.note)))
    *first, runs = tables_of_sets.stability(found, analysis.settings.alpha)
    for table in first:
        show.table_of(table)
    share = found.winner_share
    said = ", ".join(f"{name} {percent(round(value, 2))}" for name, value in share.head(5).items())
    if said:
        st.markdown(show.escape(f"Best average rank in the runs without one data set: {said}."))
    show.table_of(runs)


def other_definitions(
    key: str, analysis: RanksComparison | TwoComparison | FoldPairComparison
) -> None:
    """Show the same comparison as other programs define it."""
    pair = None
    if isinstance(analysis, RanksComparison):
        if st.session_state.get("b") not in analysis.order and "b" not in st.query_params:
            st.session_state["b"] = analysis.order[1]
        with st.container(horizontal=True, vertical_alignment="bottom"):
            first = inputs.option("First", "a", analysis.order)
            second = inputs.option("Second", "b", analysis.order)
        pair = (first, second) if first != second else None
    try:
        table = cached.other_definitions(key, analysis.settings, pair, analysis)
    except FoldwiseError as error:
        show.refusal("Other definitions cannot be shown.", str(error))
        return
    show.table_of(tables_of_sets.definitions(table, analysis.settings.alpha))
