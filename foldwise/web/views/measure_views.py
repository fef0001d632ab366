"""Several measures at once as figures and tables."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import streamlit as st

from foldwise.figure_specs import fold_figures, measure_figures, robustness_tables
from foldwise.figure_specs.spec_parts import fold_labels
from foldwise.figures.clouds import Form
from foldwise.figures.loadings import formula
from foldwise.figures.theme import GREY
from foldwise.web import cached_calls, components, session
from foldwise.web.views import fold_order_views, fold_views, table_views
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.folds_base import OnFolds
from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.kinds.measures_base import OnMeasures
from stats_core.comparison.kinds.several_measures import SeveralOnMeasures
from stats_core.comparison.tables.measure_tables import one_way, pooled_covariance
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_interval, format_set, p_phrase
from stats_core.data.settings import Settings
from stats_core.inference.multivariate.learned_measures import LearnedMeasures
from stats_core.inference.multivariate.multivariate_permutation import PermutationResult

SMALLEST_WEIGHT = 0.005  # below, a formula prints 0.00


def clouds_figure(
    analysis: OnMeasures,
    all_algorithms,
    levels: tuple[float, ...],
    highlight,
    *,
    pooled: bool,
    form: Form,
    width: int,
) -> None:
    """Draw the folds in two measures with contours, or a panel for each pair of measures."""
    drawing = measure_figures.clouds_drawing(
        analysis,
        levels=levels,
        pooled=pooled,
        form=form,
        colours=fold_views.palette(all_algorithms, highlight),
        selected=fold_views.selected_folds(),
        lit=session.highlighted(),
    )
    components.show_figure(drawing, on=analysis.dataset, width=width)


def difference_figure(analysis: PairOnMeasures) -> None:
    """Draw the paired differences of two measures with their region."""
    drawing = measure_figures.ellipse_drawing(analysis, selected=fold_views.selected_folds())
    if drawing is not None:
        components.show_figure(drawing, width=fold_views.HALF)


def one_measure(context: session.Context, settings: Settings) -> None:
    """Draw the histogram of the one measure beside, to see what it cannot tell apart."""
    alone = replace(settings, measures=(), test="")
    try:
        one = cached_calls.analysis(context.key, alone, context.results)
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    if isinstance(one, OnFolds):
        fold_views.bricks_figure(one, context.results.algorithms, highlight=context.highlight)


def projected_figure(analysis: PairOnMeasures) -> None:
    """Draw the differences along the direction that separates the two most."""
    w = analysis.after["loading"].rename("difference")
    if not w.any():
        return
    st.markdown(f"`{formula(w)}`")
    drawing = fold_figures.plain_bricks_drawing(
        fold_labels(analysis.projected).rename("difference").to_frame(),
        measure=f"{analysis.first} \u2212 {analysis.second} along the direction",
        name=f"projected_{analysis.dataset}",
        title="Differences along the direction in which the two differ most",
        colours={"difference": GREY},
        unit=analysis.unit,
    )
    components.show_figure(drawing)


def joint_tests_view(analysis: OnMeasures) -> None:
    """Show the tests of all measures together, each measure alone, means and covariances."""
    if isinstance(analysis, SeveralOnMeasures):
        table_views.tables(analysis, "tests", "dimension")
        plain = one_way(analysis)
        if plain is not None:
            components.show_table(plain)
    else:
        table_views.tables(analysis, "tests", "measures")


def means_view(analysis: OnMeasures) -> None:
    """Show means, pooled covariance and correlation."""
    table_views.tables(analysis, "means")
    for column, table in zip(st.columns(2), pooled_covariance(analysis), strict=True):
        with column:
            components.show_table(table)


def orders_by_measure(
    context: session.Context, analysis: SeveralOnMeasures, settings: Settings
) -> None:
    """Draw the order by each measure alone, the one of the sidebar first, to compare with groups."""
    st.markdown("## Each measure alone")
    for measure in dict.fromkeys((settings.measure, *analysis.measures)):
        alone = replace(settings, measure=measure, measures=(), pair=(), test="")
        try:
            one = cached_calls.analysis(context.key, alone, context.results)
        except FoldwiseError as error:
            st.caption(components.escape(f"{measure}: {error}"))
            continue
        if isinstance(one, FoldsComparison):
            fold_order_views.ordering_figure(
                one, context.results.algorithms, highlight=context.highlight
            )


def learned_measures_view(context_key: str, analysis: OnMeasures, all_algorithms) -> None:
    """Show the learned measures, their two repairs, and the algorithms along them."""
    try:
        found = cached_calls.learned_measures_cached(context_key, analysis.settings, analysis)
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    model, permuted, crossed = found.model, found.permuted, found.crossed
    for component in model.loadings.columns[:2]:
        st.markdown(f"`{formula(model.loadings[component])}`")
    if model.space.note:
        st.caption(components.escape(str(model.space.note)))
    components.show_figure(measure_figures.loadings_drawing(analysis, model))
    alpha, unit = analysis.settings.alpha, analysis.unit
    st.markdown(
        components.escape(
            f"Do the algorithms differ along M1? Learned anew for each of {permuted.arrangements:,} "
            f"shuffles within {unit}s: {p_phrase(permuted.pvalue, alpha)}. Each {unit} projected by "
            f"what the others teach: {p_phrase(crossed.pvalue, alpha)}."
        )
    )
    st.caption(
        components.escape(
            f"Naive analysis of variance on M1, learned on the same {unit}s: "
            f"{p_phrase(model.naive.pvalue, alpha)}. It rejects .17 of true null hypotheses with two "
            "measures and .5 with four, so it is no test. The permutation does without normality, not "
            f"without independent {unit}s."
        )
    )
    if isinstance(analysis, SeveralOnMeasures):
        groups = found.groups(alpha)
        named = " ".join(format_set(group) for group in groups if len(group) > 1)
        st.markdown(
            components.escape(f"Groups not separated on the learned measures: {named or 'none'}")
        )
        st.caption(
            f"Learned on the same {unit}s, so pairs differ too easily here: a description, not a test."
        )
    _projected(analysis, model, all_algorithms)


def _projected(analysis: OnMeasures, model: LearnedMeasures, all_algorithms) -> None:
    """Draw the folds along M1 and M2."""
    hues = fold_views.palette(all_algorithms, ())
    drawing = measure_figures.learned_drawing(analysis, model, colours=hues)
    if drawing is not None:
        components.show_figure(drawing, width=700)
    measure = named_with_direction(model.loadings["M1"], analysis.results.direction)
    components.show_figure(
        measure_figures.first_drawing(analysis, model, measure=measure, colours=hues)
    )


def named_with_direction(loadings: pd.Series, direction: Callable[[str], str]) -> str:
    """Name a learned measure, with a direction if all that it is made of agree in it."""
    weights = loadings[loadings.abs() >= SMALLEST_WEIGHT]
    better = {(weight > 0) == (direction(name) == "higher") for name, weight in weights.items()}
    if len(better) != 1:
        return str(loadings.name)
    return f"{loadings.name} (larger is {'better' if better.pop() else 'worse'})"


def assumptions(context_key: str, analysis: OnMeasures) -> None:
    """Show Mardia's tests, distances of the folds, and the permutation test on request."""
    checks = dict(analysis.normality)
    if isinstance(analysis, PairOnMeasures):
        checks = {"differences (what the test uses)": analysis.normality_of_differences, **checks}
    components.show_table(robustness_tables.normality_table(analysis, checks))
    distances = measure_figures.distances_drawing(analysis)
    if distances is not None:
        components.show_figure(distances)
    _permutation(context_key, analysis)


def _permutation(context_key: str, analysis: OnMeasures) -> None:
    st.markdown("## Permutation test")
    st.caption(
        f"Flips whole differences, or shuffles algorithms within {analysis.unit}s. It does "
        "without normality, not without independence: training sets that overlap make it reject too "
        "easily."
    )
    if not st.toggle("Run 9,999 permutations", key="permute"):
        return
    test: PermutationResult = cached_calls.shuffled(context_key, analysis.settings, analysis)
    between = "" if test.exact else f", 95 % interval {format_interval(test.low, test.high, 4)}"
    st.markdown(
        components.escape(
            f"{p_phrase(test.pvalue, analysis.settings.alpha)}{between} ({test.method})."
        )
    )
