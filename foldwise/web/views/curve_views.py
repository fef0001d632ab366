"""Curve views of the page Explore: ROC, areas, losses, calibration, threshold sweep."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.figures import auc_histogram, cost_curves, instance_figures, loss_winners, roc, spec
from foldwise.figures.roc import MOST_WITH_FOLDS, CurveForm, Emphasis, OperatingPoints
from foldwise.figures.spec import FigureSpec
from foldwise.web import cache, components, inputs, session
from foldwise.web.cache import cached
from foldwise.web.settings_registry import control
from foldwise.web.texts import page_text
from foldwise.web.views import comparison_views, fold_views, help_views
from foldwise.web.views.measure_views import RULES
from stats_core.comparison.cards import method_card
from stats_core.comparison.decide import LIMITED, NOT_SEPARATED
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count, label_tests
from stats_core.core.validation import significant
from stats_core.curves import (
    auc_intervals,
    curve_comparison,
    threshold_sweep,
    thresholds,
    trained_models,
)
from stats_core.curves.curve_comparison import AVERAGES, BANDS, DataCurves
from stats_core.curves.roc_pr import RANGES
from stats_core.curves.thresholds import SCALES
from stats_core.curves.trained_models import RiskBands
from stats_core.data import predictions
from stats_core.data.measures import AREAS
from stats_core.data.predictions import CaseTable
from stats_core.data.results import Results
from stats_core.data.settings import Settings, corrected_share, select
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.report import robustness_text
from stats_core.report.tables import curve_tables, instance_tables, table_registry, win_tables
from stats_core.report.verdict import Verdict
from stats_core.report.verdict import verdict as headline_of

TOGETHER = {
    ", ".join(names): names for names in (("tp", "fp", "tn", "fn"), ("precision", "recall"))
}


def loss_tab(context: session.Context, data: DataCurves) -> None:
    """Draw risks and best thresholds on one test set, else a threshold sweep, and cost curves; a note for one curve."""
    settings, card = replace(context.settings, dataset=data.dataset, measure="auc"), st.container()
    results, dataset = context.read, data.dataset
    names = tuple(inputs.with_curves(context, data))
    if len(names) < 2:
        st.caption(page_text("curve_views.too_few"))
        return
    key = f"{context.read_key}/{dataset}"
    table = cached((key, dataset, names), _instances, results, names=names, dataset=dataset)
    if table is not None:
        figure = st.container()
        with components.row():
            theta = inputs.threshold_slider(results)
            scale = score_scale_choice(data)
        bands = _risk_bands(context, key, table, scale)
        inputs.name_methods(context, "pointwise confidence intervals")
        with card:
            components.verdict_card(risk_verdict(bands), None)
        with figure:
            components.show_figure(instance_figures.risks_drawing(table, bands, theta))
        analysis = None
        with suppress(FoldwiseError):
            analysis = areas_analysis(context, settings)[0]
        views = {
            "Calibration": partial(_calibration_view, context, table),
            "Cost curves": partial(cost_figure, context, data, names, theta, scale),
            "Thresholds by pair": partial(
                components.show_table, instance_tables.away_of(table.dataset_label, bands)
            ),
        }
        if analysis is not None and analysis.shape.over == "cases":
            views["Best thresholds"] = partial(best_threshold_view, context, analysis)
            views["Tests of calibration"] = partial(
                components.show_tables, analysis, "calibration", "losses"
            )
        inputs.draw_sections(views, "ttab")
        return
    with components.row():
        theta = inputs.threshold_slider(results)
        more = components.options()
    with more:
        together = inputs.page_option("Measures", "sweep", TOGETHER, name_of=inputs.measures_name)
        rule = inputs.page_option("Win criterion", "rule", RULES, width=270)
        scale = score_scale_choice(data)
        settings = inputs.choose_test_fraction(results, dataset, context.settings)
        settings = inputs.choose_overlap(results, dataset, settings)
    left_out = tuple(name for name in results.algorithms if name not in names)
    settings = replace(settings, measures=together, win=rule, without_algorithms=left_out)
    share = corrected_share(results, dataset, settings)
    with components.refusing(page_text("curve_views.no_thresholds")):
        options = {
            "measures": together,
            "rule": rule,
            "alpha": settings.alpha,
            "test_fraction": share,
        }
        sweep = cache.cached_instances(
            key,
            threshold_sweep.sweep_curves,
            data,
            names,
            scale=scale,
            **options,
            doing="Sweeping thresholds ...",
        )
        with card:
            components.verdict_card(sweep_verdict(sweep), None)
        components.show_figure(
            loss_winners.sweep_drawing(data, sweep, theta=theta, **_figure_options(context))
        )
        components.show_table(curve_tables.threshold_wins_table(sweep, data.dataset_label))
        cost_figure(context, data, names, theta, scale)
        _over_data_sets(context, settings, scale)


def test_set_figures(
    context: session.Context, comparison: Comparison
) -> tuple[FigureSpec, FigureSpec | None, str]:
    """Return curves and risk differences of one test set, and a sentence on where risks differ.

    Risk differences are None and the sentence is "" if folds have different test sets.
    """
    dataset, names = comparison.results.datasets[0], comparison.results.algorithms
    key = f"{context.read_key}/{dataset}"
    data = comparison_views.curves_of(key, dataset, context.read)
    theta, scale = inputs.current_threshold(context.read)
    theta = inputs.NEUTRAL if theta is None else theta
    counts = dict(zip(data.names, data.counts([theta], scale)[0], strict=True))
    averages = cached(
        key, curve_comparison.average_curves, data, "roc", AVERAGES[0], BANDS[0], None
    )
    hues = components.palette(context.read.algorithms, context.highlight)
    curves = roc.roc_drawing(
        data,
        {name: averages[name] for name in names},
        CurveForm(kind="roc"),
        areas=cached(key, DataCurves.areas, data),
        points=OperatingPoints(
            {name: roc.operating_points(data, counts[name], "roc") for name in names}, theta
        ),
        paths={},
        emphasis=Emphasis(
            colours=hues, lit=session.highlighted(), control=context.settings.control
        ),
    )
    table = cached((key, dataset, names), _instances, context.read, names=names, dataset=dataset)
    if table is None:
        return curves, None, ""
    bands = _risk_bands(context, key, table, scale)
    return (
        curves,
        instance_figures.risks_drawing(table, bands, theta),
        robustness_text.describe_risks(bands),
    )


def _risk_bands(context: session.Context, key: str, table: CaseTable, scale: str) -> RiskBands:
    """Return the confidence bands of all risk differences; cached."""
    return cached(
        (key, table.names),
        trained_models.risk_bands,
        table,
        scale=scale,
        confidence_level=1 - context.settings.alpha,
        control=context.settings.control,
        doing="Bootstrapping instances ...",
        cost=_cost_of_bands,
    )


def risk_verdict(bands: RiskBands) -> Verdict:
    """Return the verdict on the thresholds at which expected costs differ."""
    differs = bands.away()[["less by first", "less by second"]].ne("").any(axis=None)
    return Verdict(
        badge=LIMITED if differs else NOT_SEPARATED, headline=robustness_text.describe_risks(bands)
    )


def sweep_verdict(sweep: threshold_sweep.Sweep) -> Verdict:
    """Return the verdict on the thresholds at which expected costs differ over folds."""
    differs = sweep.won_at()["thresholds"].any()
    headline, size = robustness_text.describe_sweep(sweep)
    return Verdict(
        badge=LIMITED if differs else NOT_SEPARATED,
        headline=headline,
        size=size,
        numbers=f"{sweep.method}. {page_text('curve_views.each_threshold')}",
    )


def _figure_options(context: session.Context) -> dict:
    """Return algorithms and colours as keyword arguments of figures."""
    names = context.read.algorithms
    return {"algorithms": names, "colours": components.palette(names, context.highlight)}


def cost_figure(
    context: session.Context, data: DataCurves, names: tuple[str, ...], theta: float, scale: str
) -> None:
    """Draw the cost curves."""
    key = f"{context.read_key}/{data.dataset}"
    points = cached(
        key,
        curve_comparison.average_curves,
        data,
        "roc",
        "threshold average",
        "one standard error",
        None,
    )
    counts = dict(zip(data.names, data.counts([theta], scale)[0], strict=True))
    points = {name: points[name] for name in names}
    drawing = cost_curves.cost_drawing(
        data, points, counts, theta=theta, **_figure_options(context)
    )
    components.show_figure(drawing, width=600)


def _over_data_sets(context: session.Context, settings: Settings, scale: str) -> None:
    """Draw wins of the threshold sweep over data sets, if the user asks for them."""
    sets = select(context.read, settings).datasets
    if len(sets) < 2:
        return
    if not st.toggle(f"Sweep all {format_count(len(sets), 'data set')}", key="sweep_all"):
        return
    won, skipped = wins_of_sweep(context.read_key, settings, scale, context.read)
    for name, why in skipped.items():
        components.caption(f"{name} is left out: {why}")
    if won is None:
        return
    components.paragraph(won.text, bold=True)
    components.show_table(curve_tables.sweep_wins(won))
    n = len(sets) - len(skipped)
    if not significant(threshold_sweep.least_of_sets(n), settings.alpha):
        st.caption(page_text("curve_views.few_sets", n=n, least=threshold_sweep.least_of_sets(n)))
        return
    sweeps, _ = _sweeps(context.read_key, settings, scale, context.read)
    if len(sweeps) > 1:
        st.caption(page_text("curve_views.sweep_wins"))
        components.show_table(
            win_tables.risks_table(
                cached(
                    (context.read_key, settings, scale), threshold_sweep.risks_over_sets, sweeps
                ),
                settings.alpha,
            )
        )


def _sweeps(key: str, settings: Settings, scale: str, read: Results) -> tuple[dict, dict[str, str]]:
    """Return the threshold sweep of each data set, and the reason for each skipped data set."""
    return cache.cached_instances(
        key, threshold_sweep.sweep_each, read, settings, scale=scale, doing="Sweeping data sets ..."
    )


def wins_of_sweep(
    key: str, settings: Settings, scale: str, read: Results
) -> tuple[Wins | None, dict[str, str]]:
    """Return the wins of the threshold sweep over data sets, None if all are skipped, and the reason for each skip."""
    sweeps, skipped = _sweeps(key, settings, scale, read)
    if not sweeps:
        return None, skipped
    return cached(
        (key, settings, scale), threshold_sweep.over_data_sets, sweeps, alpha=settings.alpha
    ), skipped


def _instances(results: Results, names: tuple[str, ...], dataset: str) -> CaseTable | None:
    """Return the instance predictions on one test set, None if folds have different test sets."""
    return predictions.case_table(results.select(algorithms=list(names)), dataset)


def _cost_of_bands(call: partial) -> float:
    table: CaseTable = call.args[0]
    return 2e-5 * len(table.cases) * len(table.names)


def _calibration_view(context: session.Context, table: CaseTable) -> None:
    """Draw the reliability diagrams, or why there are none."""
    if not table.probabilities:
        st.caption(page_text("curve_views.no_calibration"))
        return
    palette = components.palette(context.read.algorithms, context.highlight)
    components.show_figure(
        instance_figures.calibration_drawing(table, trained_models.calibration_bins(table), palette)
    )


def best_threshold_view(context: session.Context, analysis: Comparison) -> None:
    """Draw the choice of a target, and each model's best threshold for it."""
    settings = replace(analysis.settings, wish=inputs.threshold_goal())
    with st.spinner("Choosing thresholds ..."):
        # cached with what it computes
        wished_inputs = analysis.inputs.varied(settings=settings)
        wished = cached((context.key, settings), partial(replace, inputs=wished_inputs), analysis)
        components.show_tables(wished, "thresholds")


KINDS = {"ROC": "roc", "Precision-recall": "pr", "Sensitivity-specificity": "sensitivity"}


def curve_form(data: DataCurves) -> CurveForm:
    """Draw the widgets of curve options; return their values."""
    kind = inputs.page_option("Curve", "kind", KINDS)
    if len(data.folds) == 1:  # there is nothing to average
        return CurveForm(kind, AVERAGES[0], BANDS[0])
    average = inputs.page_option("Average", "average", AVERAGES)
    return CurveForm(kind, average, inputs.page_option("Band", "band", BANDS))


def score_scale_choice(data: DataCurves) -> str:
    """Return the scale of scores; unless they are probabilities, draw a selectbox for it."""
    if data.probabilities:
        return next(iter(SCALES))
    return inputs.page_option("Probability scale", "scale", list(SCALES), width=210)


def curves_tab(context: session.Context, data: DataCurves, fraction: float | None) -> None:
    """Draw the curves with their options, and a table of dominating and crossing curves."""
    with components.options(key="options_of_tab"):
        form, scale = curve_form(data), score_scale_choice(data)
    _curves_at_theta(context, data, form, scale, fraction)
    components.in_expander("Dominance and crossings", "above", partial(dominance, context, data))


@st.fragment
def _curves_at_theta(
    context: session.Context, data: DataCurves, form: CurveForm, scale: str, fraction: float | None
) -> None:
    """Draw the curves with operating points at theta, as a fragment."""
    names = inputs.with_curves(context, data)
    figures = st.container(horizontal=True)  # wraps in a narrow window
    with components.row():
        theta = inputs.threshold_slider(context.read)
        folds_of = _folds_of(names, context.highlight, data.unit) if len(data.folds) > 1 else []
        with st.popover("Cost ratio", type="tertiary"):
            components.paragraph(thresholds.cost_sentence(theta))
    counts = dict(zip(data.names, data.counts([theta], scale)[0], strict=True))
    with figures:
        left, right = st.container(width=570), st.container(width=392)
    with left:
        curves_figure(context, data, names, form, counts, theta, fraction, folds_of)
    with right:
        table = curve_comparison.rates_at_threshold(data, names, theta, scale)
        folds, unit = len(data.folds), data.unit
        components.show_table(
            curve_tables.threshold_table(data.dataset_label, table, theta, folds, unit)
        )
        help_views.glossary_popover("Threshold (θ)", "Loss ratio (λ)")


def _folds_of(names: list[str], highlight: Collection[str], unit: str) -> list[str]:
    """Draw a multiselect for the algorithms with single-fold curves, or a toggle for few; return names, [] for none."""
    if len(names) <= MOST_WITH_FOLDS:
        return names if st.toggle(f"{unit.capitalize()}s", value=True, key="fold_curves") else []
    if not set(st.session_state.get("folds_of", ())) <= set(names):
        st.session_state.pop("folds_of", None)
    default = [name for name in names if name in highlight][:MOST_WITH_FOLDS]
    return st.multiselect(
        f"{unit.capitalize()}s of",
        names,
        default=default,
        key="folds_of",
        width=250,
        max_selections=MOST_WITH_FOLDS,
        placeholder=f"none, up to {MOST_WITH_FOLDS}",
    )


def curves_figure(
    context: session.Context,
    data: DataCurves,
    names: list[str],
    form: CurveForm,
    counts: Mapping[str, Any],
    theta: float,
    fraction: float | None,
    folds_of: list[str],
) -> None:
    """Draw the ROC or other curves of the selected algorithms."""
    kind, average, band = form
    key = f"{context.read_key}/{data.dataset}"
    averages = cached(key, curve_comparison.average_curves, data, kind, average, band, fraction)
    averages = {name: averages[name] for name in names}
    paths = cached(key, roc.fold_paths, data, kind) if folds_of else {}
    paths = {name: paths.get(name, {}) for name in folds_of}
    drawing = roc.roc_drawing(
        data,
        averages,
        form,
        areas=cached(key, DataCurves.areas, data),
        points=roc.points_at(theta, data, counts, names, kind),
        paths=paths,
        emphasis=Emphasis(
            colours=components.palette(context.read.algorithms, context.highlight),
            selected=fold_views.selected_folds(),
            lit=session.highlighted(),
            control=context.settings.control,
        ),
    )
    components.show_figure(drawing, on=data.dataset, width=600)


def dominance(context: session.Context, data: DataCurves) -> None:
    """Draw a table of dominating and crossing curves, if there are two."""
    key = f"{context.read_key}/{data.dataset}"
    averages = cached(
        key, curve_comparison.average_curves, data, "roc", AVERAGES[0], BANDS[0], None
    )
    names = inputs.with_curves(context, data)
    relations = curve_comparison.dominance(
        {name: averages[name] for name in names}, context.settings.control
    )
    if len(relations):
        components.show_table(
            curve_tables.dominance_table(data.dataset_label, relations, folds=len(data.folds))
        )


def verdict(context: session.Context, settings: Settings, card: DeltaGenerator) -> None:
    """Draw the verdict on the areas, or why there is none."""
    with card, components.refusing(page_text("curve_views.no_areas")):
        analysis, compared = areas_analysis(context, settings)
        inputs.name_tests(context, analysis)
        comparison_views.show_verdict(compared, analysis, card)


def measure_of_curve(context: session.Context) -> str:
    """Return the area below the chosen kind of curve, as a measure."""
    kind = st.session_state.get("kind", st.query_params.get("kind"))
    has_other = KINDS.get(kind) == "pr" and "auc_pr" in context.results.measures
    return "auc_pr" if has_other else "auc"


def areas_analysis(
    context: session.Context, settings: Settings
) -> tuple[Comparison, session.Context]:
    """Return the comparison of the areas, and the context of the compared results."""
    results, key = _without_missing(context, settings.dataset, settings.measure)
    return cache.analysis(key, settings, results), replace(context, key=key, results=results)


def _without_missing(context: session.Context, dataset: str, measure: str) -> tuple[Results, str]:
    """Return a data set without folds that lack a measure, or all results if none do or too few remain; and the key."""
    results = cached(context.key, select, context.results, Settings(dataset=dataset))
    if not results.missing_of(measure).empty:
        key = f"{context.key}/{dataset}/{measure}"
        with suppress(FoldwiseError):
            return cached(key, Results.resolve, results, "drop folds", measure), key
    return context.results, context.key


def auc_tab(context: session.Context, data: DataCurves) -> None:
    """Draw the areas under the curves with intervals, and the verdict and tests of each area."""
    names = inputs.with_curves(context, data)
    intervals_figure(context, data, names)
    areas_table(context, data, names)
    for measure in AREAS:
        _area_tests(context, replace(context.settings, dataset=data.dataset, measure=measure))
    delong_table(context, data, names)
    components.in_expander("Sample size", "sample_size", partial(sample_size, context, data, names))


def intervals_figure(context: session.Context, data: DataCurves, names: list[str]) -> None:
    """Draw the areas of all folds, with intervals computed from one fold, and the errors; a note without areas."""
    areas = cached(f"{context.read_key}/{data.dataset}", DataCurves.areas, data)
    labels = spec.fold_names(data.folds)
    values = auc_histogram.fold_areas(data, areas, names)
    if values.empty:
        st.caption(page_text("curve_views.no_area", unit=data.unit))
        return
    shown = list(values)
    fold, every = values.index[0], auc_histogram.METHODS
    with components.row():
        if len(values) > 1:
            label = f"{data.unit.capitalize()} of the intervals"
            fold = inputs.page_option(label, "afold", list(values.index), width=160)
        why = page_text("curve_views.cortes_mohri")
        methods = st.multiselect(
            options=every, **control("interval_methods", default=every[:1], help=why)
        )
    position = labels.index(fold)
    bars = cached(
        f"{context.read_key}/{data.dataset}", curve_comparison.one_fold_intervals, data, position
    )
    bars = {name: bars[name] for name in shown}
    hues = components.palette(context.read.algorithms, context.highlight)
    with st.container(horizontal=True):  # wraps in a narrow window
        left, right = (st.container(width=fold_views.HALF) for _ in range(2))
    with left:
        drawing = auc_histogram.areas_drawing(
            data, values, bars, fold=fold, methods=methods, colours=hues
        )
        components.show_figure(drawing, width=fold_views.HALF)
    with right:
        theta, scale = inputs.current_threshold(context.read)
        errors = curve_comparison.errors_at(
            data, shown, inputs.NEUTRAL if theta is None else theta, scale
        )
        errors = errors.set_axis(labels)
        components.show_figure(
            auc_histogram.errors_drawing(data, errors, colours=hues), width=fold_views.HALF
        )


def areas_table(context: session.Context, data: DataCurves, names: list[str]) -> None:
    """Draw a table of all kinds of area."""
    with components.row():
        over = inputs.page_option("Partial area over", "over", RANGES, width=150)
        low, high = st.slider("Range", 0.0, 1.0, (0.0, 0.1), 0.01, key="part", width=300)
    key = f"{context.read_key}/{data.dataset}"
    areas = cached(key, DataCurves.areas, data)
    curves = {name: data.curves[name] for name in names}
    hulls = {
        name: cached(f"{key}/{name}", curve_comparison.hull_area, curve)
        for name, curve in curves.items()
    }
    parts = {}
    if high > low:
        parts = {
            name: cached(f"{key}/{name}", curve_comparison.partial_areas, curve, over, low, high)
            for name, curve in curves.items()
        }
    means = curve_comparison.mean_areas({name: areas[name] for name in names})
    range_text = f"{over} from {low:g} to {high:g}"
    components.show_table(
        curve_tables.area_table(data.dataset_label, means, hulls, parts, range_text, data.unit)
    )
    help_views.glossary_popover("Hull")


def _area_tests(context: session.Context, settings: Settings) -> None:
    """Draw the verdict on one area, its tests and their table; a note if they are refused."""
    with components.refusing():
        analysis, compared = areas_analysis(context, settings)
        if analysis.shape.over not in ("folds", "cases"):  # the card says why nothing is tested
            return
        words = cached(compared.key, headline_of, analysis)
        st.markdown(f"## Pairwise tests of {components.escape(analysis.measure_name)}")
        components.paragraph(words.headline, bold=True)
        components.caption(f"{label_tests(analysis.test_name)}, {analysis.counted}.")
        if analysis.shape.folds and analysis.shape.two:
            for table in table_registry.tables_of(analysis, "tests"):
                components.show_table(replace(table, name=f"{settings.measure}_tests"))
        else:
            components.show_pairs(analysis, name=f"{settings.measure}_pairs")


def delong_table(context: session.Context, data: DataCurves, names: list[str]) -> None:
    """Draw DeLong's tests of one run if all runs share a test set."""
    design = context.read.design_of(data.dataset)
    if design != "common test set" or len(names) < 2:  # the verdict shows it
        return
    st.markdown(page_text("curve_views.delong"))
    fold = inputs.page_option("Run", "dfold", spec.fold_names(data.folds), width=160)
    position = spec.fold_names(data.folds).index(fold)
    key, row = f"{context.read_key}/{data.dataset}", tuple(data.folds.iloc[position])
    with components.refusing():
        tests = cache.cached_instances(
            key,
            curve_comparison.pairwise_delong,
            context.read,
            data.dataset,
            row,
            doing="Testing areas ...",
        )
        components.show_table(
            curve_tables.delong(data.dataset_label, tests, names, fold, context.settings.alpha)
        )


def sample_size(context: session.Context, data: DataCurves, names: list[str]) -> None:
    """Draw the number of instances needed to detect a difference between two areas, and any detectable area."""
    areas = cached(f"{context.read_key}/{data.dataset}", DataCurves.areas, data)
    preset = auc_intervals.areas_to_compare(
        curve_comparison.mean_areas({name: areas[name] for name in names})["auc"]
    )
    with components.row():
        first_area = st.number_input(**control("size1", value=preset[0]))
        second_area = st.number_input(**control("size2", value=preset[1]))
        power = st.number_input(**control("size_power"))
    alpha = context.settings.alpha
    try:
        n = auc_intervals.auc_sample_size(first_area, second_area, alpha=alpha, power=power)
        values = {"first": first_area, "second": second_area, "power": power, "alpha": alpha}
        sentence = page_text("curve_views.sample_size", n=n, **values)
    except FoldwiseError as error:
        sentence = components.without_code(error)
    components.paragraph(sentence)
    size = data.rarer_class
    try:
        least = auc_intervals.detectable_auc(first_area, size, alpha=alpha, power=power)
    except FoldwiseError:
        return
    if least is not None:
        source = method_card.cited_as("hanley1982")
        st.caption(
            page_text(
                "curve_views.detectable", n=size, first=first_area, least=least, source=source
            )
        )
