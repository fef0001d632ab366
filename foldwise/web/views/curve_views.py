"""ROC and precision-recall curves of one data set as figures and tables."""

from collections.abc import Collection, Mapping

import streamlit as st

from foldwise.figure_specs import curve_figures, curve_tables
from foldwise.figure_specs.curve_data import operating_points, same_cost
from foldwise.figures.roc import MOST_WITH_FOLDS
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import fold_views, help_views
from stats_core.curves.curve_comparison import DataCurves
from stats_core.curves.curve_shapes import BANDS
from stats_core.curves.curve_summary import AVERAGES, rates_at_threshold
from stats_core.curves.curve_summary import dominance as above_and_below
from stats_core.curves.thresholds import SCALES, cost_sentence

KINDS = {"ROC": "roc", "Precision-recall": "pr", "Sensitivity-specificity": "sensitivity"}


def curve_controls(data: DataCurves) -> dict[str, str]:
    """Ask what to draw."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = {"kind": KINDS[inputs.page_option("Curve", "kind", KINDS)]}
        chosen |= {"average": AVERAGES[0], "band": BANDS[0]}
        if len(data.folds) > 1:  # else nothing is averaged
            chosen["average"] = inputs.page_option("Average", "average", AVERAGES)
            chosen["band"] = inputs.page_option("Band", "band", BANDS)
        chosen["scale"] = score_scale_choice(data)
    return chosen


def score_scale_choice(data: DataCurves) -> str:
    """Ask how scores outside [0, 1] become probabilities; nothing is asked for probabilities."""
    if data.probabilities:
        return next(iter(SCALES))
    return inputs.page_option("Scores to probabilities", "scale", SCALES, width=210)


@st.fragment
def curves_at_theta(
    context: session.Context, data: DataCurves, chosen: dict[str, str], fraction: float | None
) -> None:
    """Draw the curves with the point of work at theta; moving theta redraws only this."""
    names = inputs.with_curves(context, data)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        theta = inputs.threshold_slider(context.read)
        folds_of = _folds_of(names, context.highlight, data.unit) if len(data.folds) > 1 else []
        st.markdown(components.escape(cost_sentence(theta)), width="content")
    counts = dict(zip(data.names, data.counts([theta], chosen["scale"])[0], strict=True))
    with st.container(horizontal=True):  # beside each other where there is room
        left, right = st.container(width=570), st.container(width=392)
    with left:
        curves_figure(context, data, names, chosen, counts, theta, fraction, folds_of)
    with right:
        table = rates_at_threshold(data, names, theta, chosen["scale"])
        folds, unit = len(data.folds), data.unit
        components.show_table(curve_tables.threshold_table(data.dataset, table, theta, folds, unit))
        help_views.glossary_popover("Threshold (theta)", "Loss ratio (lambda)")


def _folds_of(names: list[str], highlight: Collection[str], unit: str) -> list[str]:
    """Ask whose single folds are drawn: of up to three algorithms all or none, of more whose."""
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
    """Draw F10 for the algorithms that are not left out."""
    kind, average, band = chosen["kind"], chosen["average"], chosen["band"]
    key = f"{context.read_key}/{data.dataset}"
    averages = cached_calls.curve_averages(key, kind, average, band, fraction, data)
    averages = {name: averages[name] for name in names}
    drawn = cached_calls.fold_paths(key, kind, data) if folds_of else {}
    drawn = {name: drawn.get(name, {}) for name in folds_of}
    marks = {name: operating_points(data, counts[name], kind) for name in names}
    drawing = curve_figures.roc_drawing(
        data,
        averages,
        areas=cached_calls.curve_areas(key, data),
        kind=kind,
        average=average,
        band=band,
        paths=drawn,
        marks=marks,
        lines=[same_cost(data, marks, theta)] if kind == "roc" and 0 < theta < 1 else (),
        colours=fold_views.palette(context.read.algorithms, context.highlight),
        selected=fold_views.selected_folds(),
        lit=session.highlighted(),
    )
    components.show_figure(drawing, on=data.dataset, width=600)


def dominance(context: session.Context, data: DataCurves) -> None:
    """Say which curve is nowhere below another, and where curves cross."""
    key = f"{context.read_key}/{data.dataset}"
    averages = cached_calls.curve_averages(key, "roc", AVERAGES[0], BANDS[0], None, data)
    names = inputs.with_curves(context, data)
    found = above_and_below({name: averages[name] for name in names})
    if len(found):
        components.show_table(
            curve_tables.dominance_table(data.dataset, found, folds=len(data.folds))
        )
