"""Views of curves and thresholds: curves, losses, calibration, winners at each threshold."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import streamlit as st

from foldwise.figures import curve_figures, instance_figures
from foldwise.figures.roc import MOST_WITH_FOLDS, operating_points, roc_drawing, same_cost
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.background_calls import BackgroundCall
from foldwise.web.session_cache import cached_in_session
from foldwise.web.views import fold_views, help_views, next_steps
from foldwise.web.views.measure_views import RULES
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count, format_percent
from stats_core.core.significance import significant
from stats_core.curves.curve_comparison import AVERAGES, DataCurves, rates_at_threshold
from stats_core.curves.curve_comparison import dominance as above_and_below
from stats_core.curves.curve_shapes import BANDS
from stats_core.curves.reliability import calibration_bins
from stats_core.curves.risk_difference_bands import RiskBands, risk_bands
from stats_core.curves.threshold_sweep import Sweep
from stats_core.curves.threshold_sweep_datasets import least_of_sets
from stats_core.curves.thresholds import SCALES, cost_sentence
from stats_core.data.instance_table import CaseTable, case_table
from stats_core.data.results import Results
from stats_core.data.settings import Settings, corrected_share, select
from stats_core.report.tables import curve_tables
from stats_core.report.tables.instance_tables import away_of
from stats_core.report.tables.win_tables import risks_table

TOGETHER = {
    "tp, fp, tn, fn": ("tp", "fp", "tn", "fn"),
    "precision, recall": ("precision", "recall"),
}


def loss_tab(context: session.Context, data: DataCurves, analysis: Comparison | None) -> None:
    """Draw the threshold sweep, risks and cost curves, or the instances of one test set."""
    results, dataset = context.read, data.dataset
    names = tuple(inputs.with_curves(context, data))
    if len(names) < 2:
        st.caption("Who wins needs two algorithms. Leave fewer out.")
        return
    key = f"{context.read_key}/{dataset}"
    table = instance_comparison(key, dataset, names, results)
    if table is not None:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            theta = inputs.threshold_slider(results)
            scale = score_scale_choice(data)
        risk_difference_view(context, key, table, scale, theta)
        best_threshold_view(context, table, analysis)
        cost_figure(context, data, names, theta, scale)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        theta = inputs.threshold_slider(results)
        together = inputs.page_option("Errors tested", "sweep", TOGETHER)
        rule = inputs.page_option("A win is", "rule", RULES, width=270)
        scale = score_scale_choice(data)
        settings = inputs.choose_test_fraction(results, dataset, context.settings)
        settings = inputs.choose_overlap(results, dataset, settings)
    left_out = tuple(name for name in results.algorithms if name not in names)
    settings = replace(settings, measures=together, win=rule, without_algorithms=left_out)
    share = corrected_share(results, dataset, settings)
    try:
        sweep = cached_calls.sweep_on(
            f"{context.read_key}/{dataset}/{names}",
            names,
            together,
            rule,
            settings.alpha,
            share,
            scale,
            data,
        )
    except FoldwiseError as error:
        components.show_refusal("The thresholds cannot be compared.", error)
        return
    sweep_figure(context, data, sweep, theta)
    components.show_table(curve_tables.threshold_wins_table(sweep, data.dataset))
    cost_figure(context, data, names, theta, scale)
    _over_data_sets(context, settings, scale)


def sweep_figure(context: session.Context, data: DataCurves, found: Sweep, theta: float) -> None:
    """Draw the winners at each threshold; a click on a column sets theta."""
    drawing = curve_figures.sweep_drawing(data, found, theta=theta, **_look(context))
    components.show_figure(drawing)
    st.caption(components.escape(f"{found.method}. Click a column to set theta."))


def _look(context: session.Context) -> dict:
    """Return the algorithms and their colours as keyword arguments of figures."""
    names = context.read.algorithms
    return {"algorithms": names, "colours": fold_views.palette(names, context.highlight)}


def cost_figure(
    context: session.Context, data: DataCurves, names: tuple[str, ...], theta: float, scale: str
) -> None:
    """Draw the cost curves: expected cost over the skew of classes and losses."""
    key = f"{context.read_key}/{data.dataset}"
    points = cached_calls.curve_averages(
        key, "roc", "threshold average", "one standard error", None, data
    )
    counts = dict(zip(data.names, data.counts([theta], scale)[0], strict=True))
    at = curve_figures.cost_share(data, theta)
    drawing = curve_figures.cost_drawing(
        data, {name: points[name] for name in names}, counts, at=at, **_look(context)
    )
    with st.container(horizontal=True):
        left, right = st.container(width=600), st.container(width=362)
    with left:
        components.show_figure(drawing, width=600)
    with right:
        st.caption(
            f"The vertical line is your theta: at theta {theta:.2f} and with "
            f"{format_percent(round(data.positive_share, 2))} positives, "
            f"{format_percent(round(at, 2))} of the possible cost lies with positives. Thin lines are what each "
            "algorithm costs if it keeps this threshold whatever the costs."
        )


def _over_data_sets(context: session.Context, settings: Settings, scale: str) -> None:
    """Draw the wins of the threshold sweep over all data sets, when switched on."""
    sets = select(context.read, settings).datasets
    if len(sets) < 2:
        return
    if not st.toggle(f"Sweep all {format_count(len(sets), 'data set')}", key="sweep_all"):
        return
    won, skipped = cached_calls.sweep_all(context.read_key, settings, scale, context.read)
    for name, why in skipped.items():
        st.caption(components.escape(f"{name} is left out: {why}"))
    if won is None:
        return
    st.markdown(f"**{components.escape(won.text)}**")
    components.show_table(curve_tables.sweep_wins(won))
    n = len(sets) - len(skipped)
    if not significant(least_of_sets(n), settings.alpha):
        st.caption(
            f"Whether risks differ over {format_count(n, 'data set')} cannot be decided: p could not fall "
            f"below {least_of_sets(n):g}."
        )
        return
    risks = cached_calls.risks_all(context.read_key, settings, scale, context.read)
    if risks is not None:
        st.caption(
            "A win needs folds that decide most thresholds of a data set, so most data sets are ties. "
            "The next table asks less: whether risks differ over the data sets."
        )
        components.show_table(risks_table(risks, settings.alpha))


@cached_in_session
def instance_comparison(
    key: str, dataset: str, names: tuple[str, ...], _results: Results
) -> CaseTable | None:
    """Return the instances of one test set, None if folds have different ones."""
    return case_table(_results.select(algorithms=list(names)), dataset)


def _cost_of_bands(call: BackgroundCall) -> float:
    table: CaseTable = call.args[0]
    return 2e-5 * len(table.cases) * len(table.names)


@cached_in_session(said="Drawing cases anew ...", cost=_cost_of_bands)
def risk_bands_cached(
    key: str, names: tuple[str, ...], scale: str, level: float, _table: CaseTable
) -> RiskBands:
    """Return the differences of risk over theta with bands."""
    return BackgroundCall(risk_bands, _table, scale=scale, level=level)


@cached_in_session
def with_threshold_goal(
    key: str, settings: Settings, _analysis: CasesComparison
) -> CasesComparison:
    """Return the comparison with other settings, cached with what it computes."""
    return replace(_analysis, settings=settings)


def risk_difference_view(
    context: session.Context, key: str, table: CaseTable, scale: str, theta: float
) -> None:
    """Draw the differences of risk over theta with bands, and where these exclude 0."""
    bands = risk_bands_cached(key, table.names, scale, 1 - context.settings.alpha, table)
    components.show_figure(instance_figures.risks_drawing(table, bands, theta))
    components.show_table(away_of(table.dataset, bands))


def calibration_view(context: session.Context, table: CaseTable) -> None:
    """Draw the calibration, or a note why there is none."""
    if not table.probabilities:
        st.caption("Calibration needs probabilities in [0, 1]; these scores are on another scale.")
        return
    palette = fold_views.palette(context.read.algorithms, context.highlight)
    components.show_figure(
        instance_figures.calibration_drawing(table, calibration_bins(table), palette)
    )


def best_threshold_view(
    context: session.Context, table: CaseTable, analysis: Comparison | None
) -> None:
    """Draw the best threshold of each model for a goal, calibration and test losses."""
    if analysis is None or analysis.shape.over != "cases":
        return
    st.markdown("## Best thresholds")
    settings = replace(analysis.settings, wish=inputs.threshold_goal())
    with st.spinner("Choosing thresholds ..."):
        wished = with_threshold_goal(context.key, settings, analysis)
        next_steps.tables(wished, "thresholds")
    calibration_view(context, table)
    with st.spinner("Testing losses ..."):
        next_steps.tables(analysis, "calibration", "losses")


KINDS = {"ROC": "roc", "Precision-recall": "pr", "Sensitivity-specificity": "sensitivity"}


def curve_controls(data: DataCurves) -> dict[str, str]:
    """Draw the widgets of the curves and return their values."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = {"kind": inputs.page_option("Curve", "kind", KINDS)}
        chosen |= {"average": AVERAGES[0], "band": BANDS[0]}
        if len(data.folds) > 1:  # otherwise there is nothing to average
            chosen["average"] = inputs.page_option("Average", "average", AVERAGES)
            chosen["band"] = inputs.page_option("Band", "band", BANDS)
        chosen["scale"] = score_scale_choice(data)
    return chosen


def score_scale_choice(data: DataCurves) -> str:
    """Draw a selectbox for the mapping of scores to [0, 1]; none for probabilities."""
    if data.probabilities:
        return next(iter(SCALES))
    return inputs.page_option("Scores to probabilities", "scale", list(SCALES), width=210)


@st.fragment
def curves_at_theta(
    context: session.Context, data: DataCurves, chosen: dict[str, str], fraction: float | None
) -> None:
    """Draw the curves with the operating points at theta; theta reruns this fragment only."""
    names = inputs.with_curves(context, data)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        theta = inputs.threshold_slider(context.read)
        folds_of = _folds_of(names, context.highlight, data.unit) if len(data.folds) > 1 else []
        st.markdown(components.escape(cost_sentence(theta)), width="content")
    counts = dict(zip(data.names, data.counts([theta], chosen["scale"])[0], strict=True))
    with st.container(horizontal=True):  # wraps in a narrow window
        left, right = st.container(width=570), st.container(width=392)
    with left:
        curves_figure(context, data, names, chosen, counts, theta, fraction, folds_of)
    with right:
        table = rates_at_threshold(data, names, theta, chosen["scale"])
        folds, unit = len(data.folds), data.unit
        components.show_table(curve_tables.threshold_table(data.dataset, table, theta, folds, unit))
        help_views.glossary_popover("Threshold (theta)", "Loss ratio (lambda)")


def _folds_of(names: list[str], highlight: Collection[str], unit: str) -> list[str]:
    """Draw a widget for the algorithms whose single folds are drawn."""
    if len(names) <= MOST_WITH_FOLDS:
        return names if st.toggle(f"{unit.capitalize()}s", value=True, key="fold_curves") else []
    if not set(st.session_state.get("folds_of", ())) <= set(names):
        st.session_state.pop("folds_of", None)
    return st.multiselect(
        f"{unit.capitalize()}s of",
        names,
        default=[name for name in names if name in highlight][:MOST_WITH_FOLDS],
        max_selections=MOST_WITH_FOLDS,
        key="folds_of",
        placeholder=f"none, up to {MOST_WITH_FOLDS}",
        width=250,
    )


def curves_figure(
    context: session.Context,
    data: DataCurves,
    names: list[str],
    chosen: dict[str, str],
    counts: Mapping,
    theta: float,
    fraction: float | None,
    folds_of: list[str],
) -> None:
    """Draw the ROC or other curves of the selected algorithms."""
    kind, average, band = chosen["kind"], chosen["average"], chosen["band"]
    key = f"{context.read_key}/{data.dataset}"
    averages = cached_calls.curve_averages(key, kind, average, band, fraction, data)
    averages = {name: averages[name] for name in names}
    paths = cached_calls.fold_paths(key, kind, data) if folds_of else {}
    paths = {name: paths.get(name, {}) for name in folds_of}
    marks = {name: operating_points(data, counts[name], kind) for name in names}
    drawing = roc_drawing(
        data,
        averages,
        areas=cached_calls.curve_areas(key, data),
        kind=kind,
        average=average,
        band=band,
        paths=paths,
        marks=marks,
        lines=[same_cost(data, marks, theta)] if kind == "roc" and 0 < theta < 1 else (),
        colours=fold_views.palette(context.read.algorithms, context.highlight),
        selected=fold_views.selected_folds(),
        lit=session.highlighted(),
    )
    components.show_figure(drawing, on=data.dataset, width=600)


def dominance(context: session.Context, data: DataCurves) -> None:
    """Draw which curves dominate others, and where curves cross."""
    key = f"{context.read_key}/{data.dataset}"
    averages = cached_calls.curve_averages(key, "roc", AVERAGES[0], BANDS[0], None, data)
    names = inputs.with_curves(context, data)
    relations = above_and_below({name: averages[name] for name in names})
    if len(relations):
        components.show_table(
            curve_tables.dominance_table(data.dataset, relations, folds=len(data.folds))
        )
