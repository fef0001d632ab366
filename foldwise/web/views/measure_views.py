"""Views of several measures: over all data sets, contours, learned measures, the map of cases."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.figures import difference_ellipse, loadings, measure_figures, qq
from foldwise.figures.clouds import Form
from foldwise.figures.fold_histogram import first_drawing, projected_drawing
from foldwise.figures.loadings import formula
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.layout import unfit_pages
from foldwise.web.settings_registry import ALL_SETS
from foldwise.web.views import comparison_views, dataset_views, fold_views, next_steps
from stats_core.comparison.kinds.measure_vectors import (
    OnMeasures,
    PairOnMeasures,
    SeveralOnMeasures,
)
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_interval, format_set, p_phrase
from stats_core.curves.thresholds import needs_scores
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.inference.multivariate.learned_measures import LearnedMeasures
from stats_core.inference.multivariate.multivariate_permutation import PermutationResult
from stats_core.report.plan import Cell, map_of_cases
from stats_core.report.tables import robustness_tables
from stats_core.report.tables.measure_tables import one_way, pooled_covariance
from stats_core.robustness.other_measures import one_or_several

EVEN = 0.5  # weight of a false positive in the verdict
RULES = {
    "a significant difference of risk": "risk",
    "the multivariate test and lower risk": "thesis",
}


def over_datasets(
    context: session.Context, measures: tuple[str, ...], settings: Settings, card: DeltaGenerator
) -> None:
    """Draw the verdict on several measures over all data sets, wins and dimensions."""
    results = inputs.kept_input(context)
    if len(results.datasets) < 2:
        with card:
            components.show_refusal(
                "This needs at least two data sets.", f"There is {results.datasets[0]} only."
            )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rule = inputs.page_option("A win needs", "rule", RULES, width=320)
        if needs_scores(context.read):
            theta = st.number_input(
                "Weight of a false positive (theta)", 0.05, 0.95, 0.5, 0.05, key="weight"
            )
        else:  # set by the slider of the page
            theta = float(st.session_state["theta"])
    key = inputs.selection_key(context)
    joint_settings = replace(settings, win=rule, dataset="", pair=())
    decided = _say(context, joint_settings, card)
    won = decided.counts if decided is not None and decided.shape.wins else None
    if theta != EVEN and won is not None:
        won = cached_calls.wins_by_risk(key, joint_settings, measures, theta, results)
        st.markdown(f"**{components.escape(won.text)}**")
        st.caption("The verdict above weighs a false positive like a false negative.")
    _wins(won, decided)
    if len(results.algorithms) > 2:
        dims = cached_calls.dimensions(key, joint_settings, measures, results)
        components.show_table(robustness_tables.dimension_table(dims, measures, settings.alpha))
    with suppress(FoldwiseError):  # raised if no data set can be decided by both rules
        agree = cached_calls.agreement(key, *one_or_several(measures, settings), results)
        measure, together = settings.measure, f"({', '.join(measures)})"
        components.show_table(robustness_tables.agreement_table(agree, measure, together))


def _wins(won: Wins | None, decided: Comparison | None) -> None:
    """Draw the wins over data sets and their sign tests."""
    if won is None or decided is None:
        st.caption("Wins by risk need the counts tp, fp, tn, fn of every fold.")
        return
    dataset_views.draw_wins(won, decided.order, "wins less losses")
    st.caption(
        "A win needs that the paired Hotelling test of the measures rejects and that the risk is "
        "lower: significantly lower, too, or by the thesis' rule just lower, which names a winner at "
        "random where risks are equal."
    )


def _say(context: session.Context, settings: Settings, card: DeltaGenerator) -> Comparison | None:
    """Draw the verdict over all data sets, or why there is none; return the comparison."""
    try:
        comparison = cached_calls.analysis(
            inputs.selection_key(context), settings, inputs.kept_input(context)
        )
    except FoldwiseError as error:
        with card:
            components.show_refusal(
                "There is no verdict on these measures over all data sets.", error
            )
        return None
    comparison_views.show_verdict(context, comparison, card, {})
    return comparison


ROWS = {
    (False, False): "One measure",
    (True, False): "Several measures together",
    (True, True): "Several measures at many thresholds",
}
COLUMNS = {
    (False, False): "Two algorithms, one data set",
    (True, False): "Several algorithms, one data set",
    (False, True): "Two algorithms, several data sets",
    (True, True): "Several algorithms, several data sets",
}
OVER = {"mtab": "Over data sets"}
SWEEP = {"ctab": "Thresholds and losses"}


def draw_map(context: session.Context) -> None:
    """Draw the map of cases as cards with links; mark the case of the open results."""
    unfit = unfit_pages(context)
    results = None if context.results is None else inputs.kept_input(context)
    position = ()
    if results is not None and len(results.algorithms) > 1:
        position = (len(results.algorithms) > 2, results.n_datasets > 1)
        st.markdown(f"These results: **{COLUMNS[position].lower()}**.")
    cells = {(c.multivariate, c.thresholds, c.several, c.many): c for c in map_of_cases()}
    for row, title in ROWS.items():
        st.markdown(f"## {title}")
        for column, (which, words) in zip(st.columns(len(COLUMNS)), COLUMNS.items(), strict=True):
            if row == (True, True) and not cells[*row, *which].case:
                continue  # the papers have only one cell in this row
            with column:
                is_current = which == position and row == (False, False)
                _card(cells[*row, *which], words, unfit, context, here=is_current)
    st.caption(
        "Scenarios: Irsoy, Yildiz and Alpaydin 2012, Table II. Cases: Aslan 2009, Figure 7.1. These are "
        "the tests of the papers; each page says which it takes for your results, and why. What holds for "
        "several holds for a part of them: leave algorithms or data sets out in the sidebar."
    )


def _card(
    cell: Cell, words: str, unfit: frozenset[str], context: session.Context, *, here: bool
) -> None:
    with st.container(border=True, height="stretch"):
        if here:
            st.badge("You are here", color="blue")
        st.markdown(f"**{words}**")
        for reference in filter(None, (cell.scenario, cell.case)):
            st.caption(components.escape(reference))
        if not cell.scenario and not cell.case:
            st.caption("In neither paper.")
        page, label, parameters = _way(cell, context)
        if page in unfit or context.results is None:
            st.caption(f"{label} needs other results.")
        else:
            st.page_link(f"pages/{page}.py", label=label, query_params=parameters)


def _way(cell: Cell, context: session.Context) -> tuple[str, str, dict[str, str]]:
    """Return page, label and parameters of the link in a cell."""
    if cell.thresholds:
        return "curves", "Curves", SWEEP
    parameters = {"who": "all" if cell.several else "two"}
    if cell.multivariate:
        return "multivariate", "Multivariate", parameters | (OVER if cell.many else {})
    if cell.several:
        single_set = ("one_data_set", "One data set", {})
        return ("many_data_sets", "Many data sets", {}) if cell.many else single_set
    if cell.many:
        return "pair", "Pair", {"ds": ALL_SETS}
    folds = () if context.results is None else inputs.kept_input(context).with_folds
    return "pair", "Pair", {"ds": folds[0]} if folds else {}


SMALLEST_WEIGHT = 0.005  # smaller weights would be printed as 0.00


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
    """Draw the folds in two measures with contours, or a panel per pair of measures."""
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
    """Draw the paired differences of two measures with their confidence region."""
    drawing = difference_ellipse.ellipse_drawing(analysis, selected=fold_views.selected_folds())
    if drawing is not None:
        components.show_figure(drawing, width=fold_views.HALF)


def one_measure(context: session.Context, settings: Settings) -> None:
    """Draw the histogram of the single measure, for comparison."""
    single_settings = replace(settings, measures=(), test="")
    try:
        analysis_of_one = cached_calls.analysis(context.key, single_settings, context.results)
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    if analysis_of_one.shape.folds:
        fold_views.bricks_figure(
            analysis_of_one, context.results.algorithms, highlight=context.highlight
        )


def projected_figure(analysis: PairOnMeasures) -> None:
    """Draw the differences projected on the direction that separates the two most."""
    w = analysis.after["loading"].rename("difference")
    if not w.any():
        return
    st.markdown(f"`{formula(w)}`")
    components.show_figure(projected_drawing(analysis))


def joint_tests_view(analysis: OnMeasures) -> None:
    """Draw the joint tests, the tests of single measures, means and covariances."""
    if not analysis.shape.two:
        next_steps.tables(analysis, "tests", "dimension")
        plain = one_way(analysis)
        if plain is not None:
            components.show_table(plain)
    else:
        next_steps.tables(analysis, "tests", "measures")


def means_view(analysis: OnMeasures) -> None:
    """Draw means, pooled covariance and correlation."""
    next_steps.tables(analysis, "means")
    for column, table in zip(st.columns(2), pooled_covariance(analysis), strict=True):
        with column:
            components.show_table(table)


def orders_by_measure(
    context: session.Context, analysis: SeveralOnMeasures, settings: Settings
) -> None:
    """Draw the order by each measure alone, for comparison with the groups."""
    st.markdown("## Each measure alone")
    for measure in dict.fromkeys((settings.measure, *analysis.measures)):
        single_settings = replace(settings, measure=measure, measures=(), pair=(), test="")
        try:
            analysis_of_one = cached_calls.analysis(context.key, single_settings, context.results)
        except FoldwiseError as error:
            st.caption(components.escape(f"{measure}: {error}"))
            continue
        if analysis_of_one.shape.folds and not analysis_of_one.shape.two:
            fold_views.ordering_figure(
                analysis_of_one, context.results.algorithms, highlight=context.highlight
            )


def learned_measures_view(context_key: str, analysis: OnMeasures, all_algorithms) -> None:
    """Draw the learned measures and the algorithms along them."""
    try:
        learned = cached_calls.learned_measures_cached(context_key, analysis.settings, analysis)
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    model, permuted, crossed = learned.model, learned.permuted, learned.crossed
    for component in model.loadings.columns[:2]:
        st.markdown(f"`{formula(model.loadings[component])}`")
    if model.space.note:
        st.caption(components.escape(str(model.space.note)))
    components.show_figure(loadings.loadings_drawing(analysis, model))
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
    if not analysis.shape.two:
        groups = learned.groups(alpha)
        named = " ".join(format_set(group) for group in groups if len(group) > 1)
        st.markdown(
            components.escape(f"Groups not separated on the learned measures: {named or 'none'}")
        )
        st.caption(
            f"Learned on the same {unit}s, so pairs differ too easily here: a description, not a test."
        )
    _projected(analysis, model, all_algorithms)


def _projected(analysis: OnMeasures, model: LearnedMeasures, all_algorithms) -> None:
    """Draw the folds along the learned measures M1 and M2."""
    hues = fold_views.palette(all_algorithms, ())
    drawing = measure_figures.learned_drawing(analysis, model, colours=hues)
    if drawing is not None:
        components.show_figure(drawing, width=700)
    measure = named_with_direction(model.loadings["M1"], analysis.results.direction)
    components.show_figure(first_drawing(analysis, model, measure=measure, colours=hues))


def named_with_direction(loadings: pd.Series, direction: Callable[[str], str]) -> str:
    """Return the name of a learned measure, with a direction if its weights agree."""
    weights = loadings[loadings.abs() >= SMALLEST_WEIGHT]
    better = {(weight > 0) == (direction(name) == "higher") for name, weight in weights.items()}
    if len(better) != 1:
        return str(loadings.name)
    return f"{loadings.name} (larger is {'better' if better.pop() else 'worse'})"


def assumptions(context_key: str, analysis: OnMeasures) -> None:
    """Draw Mardia's tests, distances of the folds, and the permutation test on request."""
    checks = dict(analysis.normality)
    if analysis.shape.two:
        checks = {"differences (what the test uses)": analysis.normality_of_differences, **checks}
    components.show_table(robustness_tables.normality_table(analysis, checks))
    distances = qq.distances_drawing(analysis)
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
