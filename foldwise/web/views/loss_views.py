"""Thresholds and losses: who wins at which cost of errors, on one data set and on all."""

from dataclasses import replace

import streamlit as st

from foldwise.figure_specs import curve_figures, curve_tables
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import curve_views, fold_views, instance_threshold_views
from foldwise.web.views.measures_over_datasets_views import RULES
from stats_core.comparison.result import Comparison
from stats_core.comparison.tables.win_tables import risks_table
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count, format_percent
from stats_core.core.significance import significant
from stats_core.curves.curve_comparison import DataCurves
from stats_core.curves.threshold_sweep import Sweep
from stats_core.curves.threshold_tests_datasets import least_of_sets
from stats_core.data.settings import Settings, corrected_share, select

TOGETHER = {
    "tp, fp, tn, fn": ("tp", "fp", "tn", "fn"),
    "precision, recall": ("precision", "recall"),
}


def loss_tab(context: session.Context, data: DataCurves, analysis: Comparison | None) -> None:
    """Draw the sweep over thresholds, the risks and the cost curves; of one test set the cases."""
    results, dataset = context.read, data.dataset
    names = tuple(inputs.with_curves(context, data))
    if len(names) < 2:
        st.caption("Who wins needs two algorithms. Leave fewer out.")
        return
    key = f"{context.read_key}/{dataset}"
    table = instance_threshold_views.instance_comparison(key, dataset, names, results)
    if table is not None:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            theta = inputs.threshold_slider(results)
            scale = curve_views.score_scale_choice(data)
        instance_threshold_views.risk_difference_view(context, key, table, scale, theta)
        instance_threshold_views.best_threshold_view(context, table, analysis)
        cost_figure(context, data, names, theta, scale)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        theta = inputs.threshold_slider(results)
        together = TOGETHER[inputs.page_option("Errors tested", "sweep", TOGETHER)]
        rule = RULES[inputs.page_option("A win is", "rule", RULES, width=270)]
        scale = curve_views.score_scale_choice(data)
        settings = inputs.choose_test_fraction(results, dataset, context.settings)
        settings = inputs.choose_overlap(results, dataset, settings)
    left_out = tuple(name for name in results.algorithms if name not in names)
    settings = replace(settings, measures=together, win=rule, without_algorithms=left_out)
    share = corrected_share(results, dataset, settings)
    try:
        found = cached_calls.sweep_on(
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
    sweep_figure(context, data, found, theta)
    components.show_table(curve_tables.threshold_wins_table(found, data.dataset))
    cost_figure(context, data, names, theta, scale)
    _over_data_sets(context, settings, scale)


def sweep_figure(context: session.Context, data: DataCurves, found: Sweep, theta: float) -> None:
    """Draw F12; a click on a column sets theta."""
    drawing = curve_figures.sweep_drawing(data, found, theta=theta, **_look(context))
    components.show_figure(drawing)
    st.caption(components.escape(f"{found.method}. Click a column to set theta."))


def _look(context: session.Context) -> dict:
    """Return what gives every algorithm its colour and its mark."""
    names = context.read.algorithms
    return {"algorithms": names, "colours": fold_views.palette(names, context.highlight)}


def cost_figure(
    context: session.Context, data: DataCurves, names: tuple[str, ...], theta: float, scale: str
) -> None:
    """Draw the expected cost of every algorithm at every skew of classes and losses."""
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
    """Count on how many data sets each algorithm wins the sweep, when asked."""
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
