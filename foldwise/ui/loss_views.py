"""Thresholds and losses: who wins at which cost of errors, on one data set and on all."""

from dataclasses import replace

import streamlit as st

from foldwise.gallery import curves, tables_of_curves
from foldwise.ui import cached, case_threshold_views, curve_views, fold_views, inputs, show, state
from foldwise.ui.over_measure_views import RULES
from stats_core.comparison.base import Comparison
from stats_core.comparison.tables.wins import risks_table
from stats_core.core.errors import FoldwiseError
from stats_core.core.significance import significant
from stats_core.core.words import count, percent
from stats_core.curves.on_curves import DataCurves
from stats_core.curves.over_thresholds import least_of_sets
from stats_core.curves.sweep import Sweep
from stats_core.data.settings import Settings, corrected_share, select

TOGETHER = {
    "tp, fp, tn, fn": ("tp", "fp", "tn", "fn"),
    "precision, recall": ("precision", "recall"),
}


def losses(context: state.Context, data: DataCurves, analysis: Comparison | None) -> None:
    """Draw the sweep over thresholds, the risks and the cost curves; of one test set the cases."""
    results, dataset = context.read, data.dataset
    names = tuple(inputs.with_curves(context, data))
    if len(names) < 2:
        st.caption("Who wins needs two algorithms. Leave fewer out.")
        return
    key = f"{context.read_key}/{dataset}"
    table = case_threshold_views.of_cases(key, dataset, names, results)
    if table is not None:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            theta = inputs.theta(results)
            scale = curve_views.scale(data)
        case_threshold_views.risks(context, key, table, scale, theta)
        case_threshold_views.beside(context, table, analysis)
        cost_figure(context, data, names, theta, scale)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        theta = inputs.theta(results)
        together = TOGETHER[inputs.option("Errors tested", "sweep", TOGETHER)]
        rule = RULES[inputs.option("A win is", "rule", RULES, width=270)]
        scale = curve_views.scale(data)
        settings = inputs.given_fraction(results, dataset, context.settings)
        settings = inputs.overlap(results, dataset, settings)
    left_out = tuple(name for name in results.algorithms if name not in names)
    settings = replace(settings, measures=together, win=rule, without_algorithms=left_out)
    share = corrected_share(results, dataset, settings)
    try:
        found = cached.sweep_on(
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
        show.refusal("The thresholds cannot be compared.", error)
        return
    sweep_figure(context, data, found, theta)
    show.table_of(tables_of_curves.tally(found, data.dataset))
    cost_figure(context, data, names, theta, scale)
    _over_data_sets(context, settings, scale)


def sweep_figure(context: state.Context, data: DataCurves, found: Sweep, theta: float) -> None:
    """Draw F12; a click on a column sets theta."""
    drawing = curves.sweep_drawing(data, found, theta=theta, **_look(context))
    show.figure_of(drawing)
    st.caption(show.escape(f"{found.method}. Click a column to set theta."))


def _look(context: state.Context) -> dict:
    """Return what gives every algorithm its colour and its mark."""
    names = context.read.algorithms
    return {"algorithms": names, "colours": fold_views.palette(names, context.highlight)}


def cost_figure(
    context: state.Context, data: DataCurves, names: tuple[str, ...], theta: float, scale: str
) -> None:
    """Draw the expected cost of every algorithm at every skew of classes and losses."""
    key = f"{context.read_key}/{data.dataset}"
    points = cached.curve_averages(
        key, "roc", "threshold average", "one standard error", None, data
    )
    counts = dict(zip(data.names, data.counts([theta], scale)[0], strict=True))
    at = curves.cost_share(data, theta)
    drawing = curves.cost_drawing(
        data, {name: points[name] for name in names}, counts, at=at, **_look(context)
    )
    with st.container(horizontal=True):
        left, right = st.container(width=600), st.container(width=362)
    with left:
        show.figure_of(drawing, width=600)
    with right:
        st.caption(
            f"The vertical line is your theta: at theta {theta:.2f} and with "
            f"{percent(round(data.positive_share, 2))} positives, "
            f"{percent(round(at, 2))} of the possible cost lies with positives. Thin lines are what each "
            "algorithm costs if it keeps this threshold whatever the costs."
        )


def _over_data_sets(context: state.Context, settings: Settings, scale: str) -> None:
    """Count on how many data sets each algorithm wins the sweep, when asked."""
    sets = select(context.read, settings).datasets
    if len(sets) < 2:
        return
    if not st.toggle(f"Sweep all {count(len(sets), 'data set')}", key="sweep_all"):
        return
    won, skipped = cached.sweep_all(context.read_key, settings, scale, context.read)
    for name, why in skipped.items():
        st.caption(show.escape(f"{name} is left out: {why}"))
    if won is None:
        return
    st.markdown(f"**{show.escape(won.text)}**")
    show.table_of(tables_of_curves.sweep_wins(won))
    n = len(sets) - len(skipped)
    if not significant(least_of_sets(n), settings.alpha):
        st.caption(
            f"Whether risks differ over {count(n, 'data set')} cannot be decided: p could not fall "
            f"below {least_of_sets(n):g}."
        )
        return
    risks = cached.risks_all(context.read_key, settings, scale, context.read)
    if risks is not None:
        st.caption(
            "A win needs folds that decide most thresholds of a data set, so most data sets are ties. "
            "The next table asks less: whether risks differ over the data sets."
        )
        show.table_of(risks_table(risks, settings.alpha))
