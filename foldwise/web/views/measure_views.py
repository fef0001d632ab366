"""Views of several measures on the page Explore: contours, tests, groups, discriminant measures."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from foldwise.figures import (
    clique_plane,
    clouds,
    difference_ellipse,
    fold_histogram,
    loadings,
    pair_matrix,
    qq,
)
from foldwise.web import cache, components, inputs, session
from foldwise.web.cache import cached
from foldwise.web.texts import page_text
from foldwise.web.views import comparison_views, dataset_views, fold_views, help_views
from stats_core.comparison.kinds import wins
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import OnFolds
from stats_core.comparison.kinds.measure_vectors import (
    OnMeasures,
    PairOnMeasures,
    SeveralOnMeasures,
)
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_interval, format_set, measure_name, p_phrase
from stats_core.curves import thresholds
from stats_core.data.settings import WINS, Settings
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.report.tables import fold_tables, robustness_tables
from stats_core.robustness import other_measures

OVER = "Over data sets"  # label of the tab of all data sets
EVEN = 0.5  # weight of a false positive in the verdict
RULES = {page_text(f"win_rules.{rule}"): rule for rule in WINS}


def over_datasets(context: session.Context, measures: tuple[str, ...], settings: Settings) -> None:
    """Draw the comparison on several measures over all data sets (verdict, wins, dimensions), or why there is none."""
    card = st.container()
    results = inputs.selected_results(context)
    if len(results.datasets) < 2:
        with card:
            components.show_refusal(
                page_text("measure_views.need_sets"), f"There is one: {results.datasets[0]}."
            )
        return
    with components.row():
        rule = inputs.page_option(
            "Win criterion", "rule", RULES, width=320, help=page_text("measure_views.rule")
        )
        if thresholds.needs_scores(context.read):
            theta = st.number_input("False-positive weight θ", 0.05, 0.95, 0.5, 0.05, key="weight")
        else:  # set by the slider of the page
            theta = float(st.session_state["theta"])
    key = inputs.selection_key(context)
    joint_settings = replace(settings, win=rule, dataset="", pair=())
    decided = None
    with card, components.refusing(page_text("measure_views.no_verdict")):
        decided = cache.analysis(key, joint_settings, results)
    if decided is not None:
        comparison_views.show_verdict(
            context, decided, card, brief=True, name="verdict_over_datasets"
        )
    won = decided.counts if isinstance(decided, wins.WinsComparison) else None
    long = partial(cache.cached_repeats, doing="Comparing data sets ...")
    if theta != EVEN and won is not None:
        won = long(key, wins.wins, results, measures, joint_settings, theta=theta)
        components.paragraph(won.text, bold=True)
        st.caption(page_text("measure_views.even"))
    _draw_wins(won, decided)
    if len(results.algorithms) > 2:  # tests are shared by all levels
        tests = long(
            key, wins.dimension_tests, results, measures, replace(joint_settings, alpha=0.05)
        )
        dimensions = wins.dimensions_at(tests, joint_settings.alpha)
        components.show_table(
            robustness_tables.dimension_table(dimensions, measures, settings.alpha)
        )
    with suppress(FoldwiseError):  # raised if no data set can be decided by both rules
        agree = comparison_views.agreement_of(
            key, *other_measures.one_or_several(measures, settings), results
        )
        measure, together = (
            measure_name(settings.measure),
            f"({', '.join(map(measure_name, measures))})",
        )
        components.show_table(robustness_tables.agreement_table(agree, measure, together))


def _draw_wins(won: Wins | None, decided: Comparison | None) -> None:
    """Draw the wins over data sets and their sign tests, or what they require."""
    if won is None or decided is None:
        st.caption(page_text("measure_views.need_counts"))
        return
    dataset_views.draw_wins(won, decided.order, "wins − losses")


SMALLEST_WEIGHT = 0.005  # smaller weights would be printed as 0.00


def folds_tab(
    context: session.Context,
    analysis: OnMeasures,
    *,
    levels: Sequence[float],
    regions: bool,
    pooled: bool,
    form: str,
) -> None:
    """Draw the folds in two measures with contours, or a panel per pair of measures.

    For two algorithms, also draw their paired differences with the confidence region.
    """
    selected = fold_views.selected_folds()
    drawing = clouds.clouds_drawing(
        analysis,
        levels=levels,
        regions=regions,
        pooled=pooled,
        form=form,
        colours=components.palette(context.results.algorithms, context.highlight),
        selected=selected,
        lit=session.highlighted(),
    )
    if not isinstance(analysis, PairOnMeasures):
        components.show_figure(drawing, on=analysis.dataset)
        return
    left, right = st.columns(2)
    with left:
        components.show_figure(drawing, on=analysis.dataset, width=fold_views.HALF)
    with right:
        ellipse = difference_ellipse.ellipse_drawing(analysis, selected=selected)
        components.show_figure(ellipse, width=fold_views.HALF)


def joint_tests_view(analysis: OnMeasures) -> None:
    """Draw multivariate tests.

    Two algorithms also have tests of single measures and projected differences, several the
    dimension of the means and, if it applies, a one-way MANOVA.
    """
    if not isinstance(analysis, SeveralOnMeasures):
        components.show_tables(analysis, "tests", "measures")
    else:
        components.show_tables(analysis, "tests", "dimension")
        plain = fold_tables.manova_one_way(analysis)
        if plain is not None:
            components.show_table(plain)
    help_views.glossary_popover("Dimension", "MANOVA")
    if isinstance(analysis, PairOnMeasures):
        weights = analysis.after["loading"].rename("difference")
        if weights.any():
            st.markdown(f"`{loadings.formula(weights)}`")
            components.show_figure(fold_histogram.projected_drawing(analysis))


def means_view(context: session.Context, analysis: OnMeasures, settings: Settings) -> None:
    """Draw the single-measure comparison, means, pooled covariance and correlation."""
    with components.refusing():
        single = cache.analysis(
            context.key, replace(settings, measures=(), test=""), context.results
        )
        if isinstance(single, OnFolds):
            fold_views.folds_figure(single, context.results.algorithms, highlight=context.highlight)
    components.show_tables(analysis, "means")
    for column, table in zip(st.columns(2), fold_tables.pooled_covariance(analysis), strict=True):
        with column:
            components.show_table(table)


MOST_LISTED = 20


def cliques_tab(context: session.Context, analysis: OnMeasures, settings: Settings) -> None:
    """Draw groups, pairs, and the order by each single measure; for two algorithms a note."""
    if analysis.shape.two:
        st.caption(page_text("measure_views.need_algorithms"))
        return
    colours = components.palette(context.results.algorithms, context.highlight)
    plane = clique_plane.plane_drawing(analysis, colours=colours, lit=session.highlighted())
    components.show_figure(plane, on=analysis.dataset)
    _list_groups(analysis)
    components.show_selected_group(analysis)
    components.show_figure(pair_matrix.matrix_of_pairs(analysis), on=analysis.dataset)
    components.show_pairs(analysis)
    components.show_tables(analysis, "procedures", "steps", "acceptance")
    _orders_by_measure(context, analysis, settings)


def _list_groups(analysis: Comparison) -> None:
    """Draw a button for each of the first `MOST_LISTED` maximal groups, and the algorithms without a group."""
    st.markdown(page_text("measure_views.groups"))
    real = [group for group in analysis.groups if len(group) > 1]
    singles = [group[0] for group in analysis.groups if len(group) == 1]
    if not real:
        st.caption(page_text("measure_views.no_groups"))
    for position, group in enumerate(real[:MOST_LISTED]):
        st.button(
            components.escape(format_set(group)),
            key=f"group_{position}",
            type="tertiary",
            on_click=session.select,
            args=("group", list(group)),
        )
    if real and singles:
        components.caption(page_text("measure_views.singles", names=singles))


def _orders_by_measure(context: session.Context, analysis: OnMeasures, settings: Settings) -> None:
    """Draw the order by each single measure."""
    st.markdown("## Single measures")
    for measure in dict.fromkeys((settings.measure, *analysis.measures)):
        single_settings = replace(settings, measure=measure, measures=(), pair=(), test="")
        with components.refusing(prefix=f"{measure_name(measure)}: "):
            single = cache.analysis(context.key, single_settings, context.results)
            if isinstance(single, FoldsComparison):
                fold_views.ordering_figure(single, context.results.algorithms, context.highlight)


def learned_measures_view(
    context_key: str, analysis: OnMeasures, all_algorithms: Sequence[str]
) -> None:
    """Draw the discriminant measures and the folds projected on them, or why there are none."""
    learned = None
    with components.refusing():  # the computation is shared by all levels
        shared = (context_key, replace(analysis.settings, alpha=0.05))
        learned = cached(
            shared,
            partial(other_measures.learned_measures_of, analysis),
            doing="Estimating measures ...",
        )
    if learned is None:
        return
    model, permuted, crossed = learned.model, learned.permuted, learned.crossed
    for component in model.loadings.columns[:2]:
        st.markdown(f"`{loadings.formula(model.loadings[component])}`")
    if model.space.note:
        components.caption(model.space.note)
    components.show_figure(loadings.loadings_drawing(analysis))
    alpha, unit = analysis.settings.alpha, analysis.unit
    refitted, cross_fitted, naive = (
        p_phrase(test.pvalue, alpha) for test in (permuted, crossed, model.naive)
    )
    tests = {"n": permuted.arrangements, "refitted": refitted, "cross_fitted": cross_fitted}
    components.paragraph(page_text("measure_views.learned", unit=unit, **tests))
    text = page_text("measure_views.naive", unit=unit, p=naive)
    components.in_expander("Naive ANOVA", "naive_anova", partial(components.paragraph, text))
    if not analysis.shape.two:
        groups = [format_set(group) for group in learned.groups(alpha) if len(group) > 1]
        components.paragraph(page_text("measure_views.learned_groups", groups=groups, unit=unit))
    hues = components.palette(all_algorithms, ())
    drawing = clouds.learned_drawing(analysis, colours=hues)
    components.show_figure(drawing, width=700)
    measure = named_with_direction(model.loadings["M1"], analysis.results.direction)
    components.show_figure(fold_histogram.first_drawing(analysis, measure=measure, colours=hues))


def named_with_direction(loadings: pd.Series, direction: Callable[[str], str]) -> str:
    """Return a discriminant measure's name, with "(larger is better)" or "(larger is worse)" if either is certain.

    It is certain if all weights except negligible ones favour the same direction.
    """
    weights = loadings[loadings.abs() >= SMALLEST_WEIGHT]
    better = {(weight > 0) == (direction(name) == "higher") for name, weight in weights.items()}
    if len(better) != 1:
        return str(loadings.name)
    return f"{loadings.name} (larger is {'better' if better.pop() else 'worse'})"


def assumptions(context_key: str, analysis: OnMeasures) -> None:
    """Draw Mardia's tests, Mahalanobis distances, and the permutation test on request."""
    checks = dict(analysis.normality)
    if isinstance(analysis, PairOnMeasures):
        checks = {"differences (tested)": analysis.normality_of_differences, **checks}
    components.show_table(robustness_tables.normality_table(analysis, checks))
    components.show_figure(qq.distances_drawing(analysis))
    st.markdown("## Permutation test")
    if not st.toggle(
        "Run 9,999 permutations",
        key="permute",
        help=page_text("measure_views.permutation", unit=analysis.unit),
    ):
        return
    test = cache.cached_repeats(
        context_key, other_measures.permutation_test_of, analysis, doing="Permuting ..."
    )
    between = "" if test.exact else f", 95% interval {format_interval(test.low, test.high, 4)}"
    components.paragraph(
        f"{p_phrase(test.pvalue, analysis.settings.alpha)}{between} ({test.method})."
    )
