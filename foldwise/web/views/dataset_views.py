"""Views of comparisons over data sets: ranks, pairs, groups, wins, robustness."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from foldwise.figures import (
    differences,
    pair_matrix,
    rank_map,
    rank_sequence,
    scatter,
    sign_test_graph,
    wins_table,
)
from foldwise.figures.spec import MOST_NAMES, FigureSpec
from foldwise.web import cache, components, inputs, session
from foldwise.web.cache import cached
from foldwise.web.texts import page_text
from foldwise.web.views import fold_views, order_views
from foldwise.web.views.order_views import MOST_UNASKED
from stats_core.comparison.kinds.datasets import ByAverageRanks
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.result import Comparison
from stats_core.data.settings import TUKEY, tags_with_groups
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.inference.pairwise import contrast_estimation
from stats_core.report import robustness_text, varied_verdicts
from stats_core.report.tables import robustness_tables
from stats_core.robustness import dataset_decisions, leave_one_out, similar_datasets, variations
from stats_core.robustness.leave_one_out import RESAMPLES, What
from stats_core.robustness.other_definitions import other_definitions
from stats_core.robustness.similar_datasets import SimilarSets

NO_GROUPS = "none"
KINDS_OF_SETS = (NO_GROUPS, "found", *map(str, range(2, 9)))


def note_best(figure: str, n: int) -> None:
    """Draw a note if a figure shows only the best algorithms."""
    if n > MOST_NAMES:
        st.caption(page_text("dataset_views.best", figure=figure, shown=MOST_NAMES, n=n))


def pairs_tab(key: str, analysis: Comparison) -> None:
    """Draw all pairs: table, equivalence, intervals, matrix, contrasts, corrections."""
    components.show_pairs(analysis)
    fold_views.equivalence_of_pairs_view(key, analysis)
    components.show_figure(differences.intervals_drawing(analysis))
    note_best("matrix", len(analysis.order))
    components.show_figure(pair_matrix.matrix_of_pairs(analysis))
    components.in_expander("More tables", "more_pair_tables", partial(_more_tables, analysis))


def _more_tables(analysis: Comparison) -> None:
    """Draw contrasts, and details of the corrections."""
    with components.refusing():
        table = contrast_estimation(analysis.scores[analysis.order])
        components.show_table(robustness_tables.contrast_table(analysis, table))
    components.show_tables(analysis, "procedures", "steps", "acceptance", "symmetry")


def ranks_tab(analysis: ByAverageRanks) -> None:
    """Draw the ranks on each data set, and the scores."""
    rank_figure(analysis)
    components.show_tables(analysis, "scores")


def against_control(context: session.Context, analysis: ByAverageRanks) -> None:
    """Draw tables and ranks of the comparison with a control."""
    components.show_tables(analysis, "comparisons", "marked_scores", "symmetry")
    fold_views.equivalence_of_pairs_view(context.key, analysis)
    first_tests(context.key, analysis)
    ranks_tab(analysis)
    robustness(inputs.selection_key(context), analysis)
    if has_groups(analysis):
        st.markdown("## By group")
        group_comparison(context, analysis)


def present_pairs(key: str, selection_key: str, analysis: Comparison) -> None:
    """Draw the pairs on shared data sets, and ranks among the algorithms present."""
    components.show_tables(analysis, "standing", "pairs")
    fold_views.equivalence_of_pairs_view(key, analysis)
    components.show_figure(rank_map.rank_map_of(analysis, dark=components.is_dark()))
    components.show_tables(analysis, "tests", "groups", "scores")
    robustness(selection_key, analysis)


def differences_tab(key: str, analysis: Comparison) -> None:
    """Draw tests and scores of two algorithms over data sets."""
    components.show_tables(analysis, "tests", "symmetry")
    fold_views.equivalence_view(key, analysis)
    components.show_tables(analysis, "scores")


def pair_over_datasets(key: str, analysis: Comparison) -> None:
    """Draw differences, tests and scores of two algorithms over data sets."""

    def draw_tests() -> None:
        components.show_tables(analysis, "tests")
        fold_views.equivalence_view(key, analysis)

    components.show_figure(difference_drawing(key, analysis))
    components.in_expander("Tests", "ptests", draw_tests)
    scores = partial(components.show_tables, analysis, "scores")
    components.in_expander("Each data set", "pscores", scores)
    components.in_expander("Scatter plot", "pscatter", partial(scatter_figure, analysis))


def difference_drawing(key: str, analysis: Comparison) -> FigureSpec:
    """Return the figure of sorted differences over data sets; cached."""
    table = cached(key, dataset_decisions.by_dataset, analysis, doing="Comparing data sets ...")
    return differences.difference_drawing(analysis, table)


def scatter_figure(analysis: Comparison) -> None:
    """Draw a scatter plot of two algorithms over data sets."""
    components.show_figure(scatter.scatter_of_two(analysis))


def pair_tests_tab(key: str, analysis: FoldPairComparison) -> None:
    """Draw the interval and the tests of two algorithms on one data set."""
    fold_views.interval_figure(analysis)
    fold_views.pair_tables(analysis)
    components.in_expander(
        page_text("dataset_views.software"), "psoftware", partial(other_software, key, analysis)
    )
    fold_views.equivalence_view(key, analysis)


def rank_figure(analysis: ByAverageRanks) -> None:
    """Draw the heat map of ranks on each data set."""
    note_best("map", len(analysis.order))
    choice = inputs.page_option("Data set clusters", "kinds", KINDS_OF_SETS, width=220)
    groups = None
    if choice != NO_GROUPS:
        with components.refusing():
            groups = _similar_sets(
                analysis.friedman.ranks, None if choice == "found" else int(choice)
            )
    components.show_figure(rank_map.rank_map_of(analysis, groups=groups, dark=components.is_dark()))


def _similar_sets(ranks: pd.DataFrame, n_groups: int | None) -> SimilarSets:
    """Draw a description of clusters of data sets with similar ranks; return the clusters."""
    clusters = similar_datasets.similar_sets(ranks, groups=n_groups)
    components.paragraph(robustness_text.describe_similar_sets(clusters), bold=True)
    st.caption(page_text("dataset_views.similar_sets"))
    return clusters


def first_tests(key: str, analysis: Comparison) -> None:
    """Draw all omnibus tests; the slow exact test on request."""
    exact = st.toggle("Exact Friedman test", key="exact_friedman")
    rows, refused = cached(
        key, variations.every_omnibus, analysis, exact=exact, doing="Running omnibus tests ..."
    )
    components.show_table(robustness_tables.first_tests(analysis, rows))
    for name, why in refused.items():
        components.caption(f"{name}: {why}")


MOST_TOLD = 8  # groups with a verdict above the table


def has_groups(comparison: Comparison) -> bool:
    """Return whether tags divide the data sets into groups."""
    return bool(tags_with_groups(comparison.results))


def group_comparison(context: session.Context, comparison: Comparison) -> None:
    """Draw the verdict and order for each group of data sets."""
    results, settings = comparison.results, comparison.settings
    tag = inputs.page_option("Groups by", "groupby", tags_with_groups(results), width=220)
    rules = None
    pairs = len(results.algorithms) * (len(results.algorithms) - 1) // 2
    choice = order_views.saved_order_inputs(results)
    if choice is not None and pairs * len(results.datasets) <= MOST_UNASKED:
        test, rules = choice
        settings = replace(settings, test=test)
    key, call = inputs.selection_key(context), partial(varied_verdicts.by_group, whole=comparison)
    result = cache.cached_repeats(
        key, call, results, settings, tag, rules=rules, doing="Comparing groups ..."
    )
    for value, headline in list(result.table["verdict"].items())[: MOST_TOLD + 1]:
        components.paragraph(f"{value}: {headline}")
    for drawing in rank_sequence.sequence_drawings(comparison, result.comparisons, tag):
        components.show_figure(drawing)
    for table in robustness_tables.tables_by_group(result):
        components.show_table(table)
    st.caption(page_text("dataset_views.one_group"))


def measures_tab(key: str, analysis: Comparison) -> None:
    """Draw the average ranks by each measure."""
    varied = cache.cached_repeats(
        key, variations.comparisons_by_measure, analysis, doing="Other measures ..."
    )
    for drawing in rank_sequence.sequence_drawings(analysis, varied, rank_sequence.MEASURE):
        components.show_figure(drawing)


BY_AVERAGE = "average"
RECOMMENDED_TEST = "recommended test"
CORRECTIONS = {"Bonferroni": "bonferroni", "Holm": "holm", "none": "none"}


def wins_tab(context: session.Context, analysis: Comparison) -> None:
    """Draw widgets that define a win, and the wins with sign tests."""
    results = inputs.selected_results(context)
    with_folds = bool(results.with_folds)
    ways = [BY_AVERAGE, *((RECOMMENDED_TEST, TUKEY, *PAIR_TESTS) if with_folds else ())]
    with components.row():
        by = inputs.page_option("Win criterion", "winby", ways, width=230)
        within = "none"
        if by not in (BY_AVERAGE, TUKEY):
            within = inputs.page_option("Within-data-set correction", "within", CORRECTIONS)
        over = inputs.page_option("Sign-test correction", "signs", CORRECTIONS)
    settings, average = context.settings, by == BY_AVERAGE
    with components.refusing(page_text("dataset_views.no_wins")):
        wins = cached(
            inputs.selection_key(context),
            dataset_decisions.set_wins,
            results,
            measure=settings.measure,
            by="average" if average else "test",
            test="" if average or by == RECOMMENDED_TEST else by,
            correction=within,
            alpha=settings.alpha,
            sign_correction=over,
            overlap=settings.overlap == "corrected",
            test_fraction=settings.test_fraction,
            doing="Counting wins ...",
        )
        components.paragraph(wins.text, bold=True)
        for name, why in list(wins.skipped.items())[:5]:
            components.caption(f"{name} is left out: {why}")
        order = [name for name in analysis.order if name in wins.names]
        note_best("table", len(order))
        draw_wins(wins, order[:MOST_NAMES], "average rank")


def draw_wins(wins: Wins, order: list[str], by: str) -> None:
    """Draw wins and sign tests, and the data sets won by a selected pair."""
    components.show_figure(wins_table.wins_over_datasets(wins, order))
    _wins_of_pair(wins)
    choice = session.selection()
    algorithm = choice["ids"][0] if choice.get("kind") == "algorithm" else None
    selected = algorithm if algorithm in order else None
    components.show_figure(
        sign_test_graph.sign_graph_of_wins(wins, order, selected=selected, ordered_by=by)
    )


def _wins_of_pair(wins: Wins) -> None:
    """Draw the data sets on which the first of the selected pair wins; nothing without a selected pair."""
    choice = session.selection()
    if choice.get("kind") != "pair" or not set(choice["ids"]) <= set(wins.names):
        return
    first, second = choice["ids"]
    sets = wins.won.get((first, second), ())
    components.paragraph(page_text("dataset_views.won", first=first, second=second, sets=sets))


LEAVING = "Leave-one-out: checking ..."


def runs_key(key: str, analysis: Comparison, what: What) -> tuple:
    """Return the cache key of repeated comparisons, which includes the level only if the runs depend on it."""
    return key, replace(analysis.settings, alpha=0.5), *leave_one_out.runs_key(analysis, what)


def repeat(
    key: str,
    analysis: Comparison,
    what: What,
    doing: str,
    cost: Callable = cache.cost_of_resampling,
) -> bool:
    """Repeat a comparison, in a worker process if that takes long, and cache the runs with the comparison.

    Return whether there are runs; if they take very long, they start on a click.
    """
    call, about = partial(leave_one_out.repeated, analysis, what), runs_key(key, analysis, what)
    if not cache.started((cache.qualified_name(call), *about), key, cost(call), doing):
        return False
    runs = cached(about, call, doing=doing, cost=cost)
    analysis.cache.recall(leave_one_out.runs_key(analysis, what), lambda: runs)
    return True


def robustness(key: str, analysis: Comparison) -> None:
    """Draw leave-one-out results and replication probabilities."""
    if not repeat(key, analysis, "data set", LEAVING):
        return
    lost, repeated = leave_one_out.leave_one_out(analysis), None
    if lost.claimed and lost.n:
        cost = partial(cache.cost_of_resampling, times=RESAMPLES)
        with components.refusing(prefix="Probability of replication: "):
            if repeat(key, analysis, (RESAMPLES, 0), "Resampling ...", cost):
                repeated = cached(key, leave_one_out.replication, analysis, resamples=RESAMPLES)
                components.paragraph(robustness_text.describe_replication(repeated))
        components.show_table(robustness_tables.robustness(lost, repeated))
    if lost.lost:

        def draw() -> None:
            components.show_table(robustness_tables.left_out(lost))

        components.in_expander("More tables", "more_left_out", draw)


def stability_tab(key: str, analysis: Comparison) -> None:
    """Draw robustness and, in an expander, the leave-one-out runs; with many algorithms the runs only on request."""
    robustness(key, analysis)
    names = analysis.results.algorithms
    if len(names) > MOST_NAMES and not st.toggle(
        page_text("dataset_views.leave_out", n=len(names)), key="leave_out"
    ):
        return
    components.in_expander(
        "Leave-one-out runs", "more_stability_tables", partial(_leave_one_out_runs, key, analysis)
    )


def _leave_one_out_runs(key: str, analysis: Comparison) -> None:
    """Draw the results without each data set and without each algorithm."""
    with components.refusing(page_text("dataset_views.no_stability")):
        if not analysis.shape.two:
            repeat(key, analysis, "algorithm", "Leaving out ...", cache.repetition_seconds)
        result = cached(key, leave_one_out.stability, analysis)
        components.paragraph(robustness_text.describe_stability(result))
        if result.note:
            components.caption(result.note)
        if len(shares := list(result.winner_share.head(5).items())) > 1:
            components.paragraph(page_text("dataset_views.shares", shares=shares))
        for table in robustness_tables.stability(result):
            components.show_table(table)


def other_software(key: str, analysis: Comparison) -> None:
    """Draw the same tests as computed by other programs."""
    pair = None
    if analysis.shape.ranked_pairs:
        with components.row():
            pair = inputs.choose_two(analysis.order)
    with components.refusing(page_text("dataset_views.no_software")):
        table = cached(key, other_definitions, analysis, pair=pair)
        components.show_table(
            robustness_tables.other_definitions_table(table, analysis.settings.alpha)
        )
