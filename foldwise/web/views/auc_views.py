"""Views of areas under the curves on one data set: verdict, intervals, tests, sample size."""

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.figures.auc_histogram import areas_drawing, errors_drawing, fold_areas
from foldwise.figures.spec import fold_names
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import comparison_views, fold_views, help_views, next_steps
from stats_core.comparison.cards.bibliography import cited_as
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_percent
from stats_core.curves.auc_intervals import areas_to_compare, auc_sample_size, detectable_auc
from stats_core.curves.curve_comparison import DataCurves, errors_at, mean_areas
from stats_core.curves.roc_pr import RANGES
from stats_core.data.settings import Settings
from stats_core.report.tables import curve_tables


def verdict(
    context: session.Context, settings: Settings, card: DeltaGenerator
) -> Comparison | None:
    """Draw the verdict on the areas and a caption with the verdict on the error."""
    results, key = _without_holes(context, settings.dataset, "auc")
    try:
        analysis = cached_calls.analysis(key, settings, results)
    except FoldwiseError as error:
        with card:
            components.show_refusal("The areas cannot be compared.", error)
        return None
    with_auc = replace(context, key=key, results=results)
    several = analysis.shape.over in ("folds", "cases") and len(analysis.order) > 2
    link = {"pages/pair.py": "Two of them"} if several else {}
    comparison_views.show_verdict(with_auc, analysis, card, link)
    with card:
        st.caption(f"By error instead: {components.escape(_on_error(context, settings))}")
    return analysis


def _without_holes(context: session.Context, dataset: str, measure: str):
    """Return the results of a data set without folds that lack a measure, and their key."""
    results = cached_calls.kept(context.key, Settings(dataset=dataset), context.results)
    key = f"{context.key}/{dataset}"
    if results.holes(measure).empty:
        return context.results, context.key
    try:
        return cached_calls.resolve_missing_cached(
            f"{key}/{measure}", "drop folds", measure, results
        ), f"{key}/{measure}"
    except FoldwiseError:
        return context.results, context.key


def _on_error(context: session.Context, settings: Settings) -> str:
    """Return the headline about the error on the same data set."""
    try:
        results, key = _without_holes(context, settings.dataset, "error")
        analysis = cached_calls.analysis(key, replace(settings, measure="error"), results)
    except FoldwiseError as error:
        return str(error)
    return cached_calls.words(key, analysis.settings, analysis).headline


def auc_tab(context: session.Context, data: DataCurves, analysis: Comparison | None) -> None:
    """Draw the areas with intervals and their tests."""
    names = inputs.with_curves(context, data)
    intervals_figure(context, data, names)
    areas_table(context, data, names)
    if analysis is not None and analysis.shape.folds and analysis.shape.two:
        next_steps.tables(analysis, "tests")
    elif analysis is not None and analysis.shape.over in ("folds", "cases"):
        _tests_heading(analysis)
        next_steps.pairs(analysis)
    _pr_test(context, data)
    delong_table(context, data, names)
    sample_size(context, data, names)


def _tests_heading(analysis: Comparison) -> None:
    """Draw a heading with the names of the tests in the table that follows."""
    measure = components.escape(analysis.settings.measure)
    st.markdown(f"## Pairwise tests of {measure}")
    st.caption(components.escape(f"Tests: {analysis.post}, {analysis.counted}."))


def intervals_figure(context: session.Context, data: DataCurves, names: list[str]) -> None:
    """Draw the areas of all folds, with the intervals computed from one of them."""
    areas = cached_calls.curve_areas(f"{context.read_key}/{data.dataset}", data)
    labels = fold_names(data.folds)
    values = fold_areas(data, areas, names)
    if values.empty:
        st.caption(f"No {data.unit} has cases of both classes, so there is no area.")
        return
    shown = list(values)
    fold = values.index[0]
    if len(values) > 1:
        fold = inputs.page_option(
            f"Intervals from {data.unit}", "afold", list(values.index), width=160
        )
    position = labels.index(fold)
    bars = cached_calls.area_intervals(f"{context.read_key}/{data.dataset}", position, data)
    bars = {name: bars[name] for name in shown}
    hues = fold_views.palette(context.read.algorithms, context.highlight)
    with st.container(horizontal=True):  # wraps in a narrow window
        left, right = (st.container(width=fold_views.HALF) for _ in range(2))
    with left:
        drawing = areas_drawing(data, values, bars, fold=fold, colours=hues)
        components.show_figure(drawing, width=fold_views.HALF)
    with right:
        theta, scale = inputs.current_threshold(context.read)
        errors = errors_at(data, shown, inputs.NEUTRAL if theta is None else theta, scale)
        errors = errors.set_axis(labels)
        components.show_figure(errors_drawing(data, errors, colours=hues), width=fold_views.HALF)
    st.caption(
        "Cortes-Mohri starts from the number of errors alone, so two algorithms with the same error "
        "get the same interval, however differently they rank."
    )


def areas_table(context: session.Context, data: DataCurves, names: list[str]) -> None:
    """Draw a table of all kinds of area, averaged over folds."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        over = inputs.page_option("Partial area over", "over", RANGES, width=150)
        low, high = st.slider("from, to", 0.0, 1.0, (0.0, 0.1), 0.01, key="part", width=300)
    areas = cached_calls.curve_areas(f"{context.read_key}/{data.dataset}", data)
    key = f"{context.read_key}/{data.dataset}"
    hulls = {name: cached_calls.hull_area(key, name, data) for name in names}
    partial = {}
    if high > low:
        partial = {
            name: cached_calls.partial_areas(key, name, over, low, high, data) for name in names
        }
    means = mean_areas({name: areas[name] for name in names})
    range_text = f"{over} from {low:g} to {high:g}"
    components.show_table(
        curve_tables.area_table(data.dataset, means, hulls, partial, range_text, data.unit)
    )
    help_views.glossary_popover("Hull", "Area under the curve (AUC)")


def _pr_test(context: session.Context, data: DataCurves) -> None:
    """Draw the AUC-PR test of all pairs, or of the two algorithms."""
    settings = replace(context.settings, dataset=data.dataset, measure="auc_pr")
    try:
        results, key = _without_holes(context, data.dataset, "auc_pr")
        analysis = cached_calls.analysis(key, settings, results)
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    words = cached_calls.words(key, analysis.settings, analysis)
    st.markdown(
        f"**AUC-PR: {components.escape(words.headline)}**  \n{components.escape(words.detail)}"
    )
    if analysis.shape.over in ("folds", "cases") and not analysis.shape.two:
        of = "all pairs" if len(analysis.order) > 2 else "the pair"
        next_steps.pairs(analysis, name="auc_pr_pairs", title=f"AUC-PR test of {of}")


def delong_table(context: session.Context, data: DataCurves, names: list[str]) -> None:
    """Draw DeLong's tests on one shared test set, if there is one."""
    design = context.read.design_of(data.dataset)
    if design != "common test set" or len(names) < 2:  # the verdict shows it
        return
    st.markdown("## DeLong's test for one training run")
    fold = inputs.page_option("Training", "dfold", fold_names(data.folds), width=160)
    position = fold_names(data.folds).index(fold)
    try:
        tests = cached_calls.delong_pairs(
            f"{context.read_key}/{data.dataset}", data.dataset, position, context.read, data
        )
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    alpha = context.settings.alpha
    components.show_table(curve_tables.delong(data.dataset, tests, names, fold, alpha))


def sample_size(context: session.Context, data: DataCurves, names: list[str]) -> None:
    """Draw the number of instances needed to detect a difference of areas."""
    areas = cached_calls.curve_areas(f"{context.read_key}/{data.dataset}", data)
    preset = areas_to_compare(mean_areas({name: areas[name] for name in names})["auc"])
    st.markdown("## How many cases would show a difference of areas?")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first_area = st.number_input(
            "One AUC", 0.5, 0.999, preset[0], 0.005, "%.3f", key="size1", width=130
        )
        second_area = st.number_input(
            "Another", 0.5, 0.999, preset[1], 0.005, "%.3f", key="size2", width=130
        )
        power = st.number_input("Power", 0.5, 0.99, 0.8, 0.05, key="size_power", width=110)
    alpha = context.settings.alpha
    try:
        n = auc_sample_size(first_area, second_area, alpha=alpha, power=power)
        sentence = (
            f"{n:,} positive and {n:,} negative cases for each algorithm, tested on separate cases, "
            f"show {first_area:.3f} against {second_area:.3f} with power {format_percent(power)} at level {alpha:g}."
        )
    except FoldwiseError as error:
        sentence = str(error)
    st.markdown(components.escape(sentence))
    size = data.rarer_class
    try:
        least = detectable_auc(first_area, size, alpha=alpha, power=power)
    except FoldwiseError:
        return
    if least is not None:
        st.caption(
            f"With {size:,} different cases of each class, as many as the rarer one has here, the "
            f"smallest area above {first_area:.3f} that could be told from it is {least:.3f} "
            f"({cited_as('hanley1982')}). The same cases for both algorithms need fewer, as pairing "
            "helps."
        )
