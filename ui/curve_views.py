"""ROC and precision-recall curves of one data set as figures and tables."""

from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from figures.roc import MOST_WITH_FOLDS, alt_roc, caption_roc, roc
from figures.theme import Style
from stats_core.curve_shapes import BANDS, crossings, dominates
from stats_core.losses import iso_cost_slope, loss_ratio, risk
from stats_core.measures import confusion_measures
from stats_core.on_curves import DataCurves
from stats_core.thresholds import SCALES, threshold_sentence
from stats_core.wording import count, listed, number
from ui import cached, fold_views, inputs, show, state

KINDS = {"ROC": "roc", "Precision-recall": "pr", "Sensitivity-specificity": "sensitivity"}
AVERAGES = ("vertical average", "threshold average", "hull of all folds")
AT_THETA = ("error", "tpr", "fpr", "precision")
COUNTS = ["tp", "fp", "tn", "fn"]
HOW_ROC = (
    "Each thin line is one fold, the thick one their average with its band; the marks are where "
    "each fold works at theta. Look for a curve that is nowhere below another, and where curves "
    "cross: there the better algorithm depends on what errors cost. Bands hold at each point "
    "alone, and bands that overlap can still differ, because folds are paired."
)


def controls(data: DataCurves) -> dict[str, str]:
    """Ask what to draw."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = {
            "kind": KINDS[inputs.option("Curve", "kind", KINDS)],
            "average": inputs.option("Average", "average", AVERAGES),
            "band": inputs.option("Band", "band", BANDS),
        }
        chosen["scale"] = scale(data)
    return chosen


def scale(data: DataCurves) -> str:
    """Ask how scores outside [0, 1] become probabilities; nothing is asked for probabilities."""
    if data.probabilities:
        return next(iter(SCALES))
    return inputs.option("Scores to probabilities", "scale", SCALES, width=210)


@st.fragment
def curves_at_theta(
    context: state.Context, data: DataCurves, chosen: dict[str, str], fraction: float | None
) -> None:
    """Draw the curves with the point of work at theta; moving theta redraws only this."""
    names = [n for n in data.names if n not in context.settings.without_algorithms]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        theta = inputs.theta(context.read)
        with_folds = st.toggle("Folds", value=True, key="fold_curves")
        st.markdown(show.escape(threshold_sentence(theta)), width="content")
    counts = dict(zip(data.names, data.counts([theta], chosen["scale"])[0], strict=True))
    with st.container(horizontal=True):  # beside each other where there is room
        left, right = st.container(width=570), st.container(width=392)
    with left:
        curves_figure(context, data, names, chosen, counts, theta, fraction, folds=with_folds)
    with right:
        at_theta_table(data, names, counts, theta)


def curves_figure(
    context: state.Context,
    data: DataCurves,
    names: list[str],
    chosen: dict[str, str],
    counts: dict[str, np.ndarray],
    theta: float,
    fraction: float | None,
    *,
    folds: bool,
) -> None:
    """Draw F10 for the algorithms that are not left out."""
    kind, average, band = chosen["kind"], chosen["average"], chosen["band"]
    key = f"{context.read_key}/{data.dataset}"
    averages = cached.curve_averages(key, kind, average, band, fraction, data)
    averages = {name: averages[name] for name in names}
    detailed = names if len(names) <= MOST_WITH_FOLDS else list(context.highlight)
    drawn = cached.fold_paths(key, kind, data) if folds and detailed else {}
    drawn = {name: drawn.get(name, {}) for name in names if name in detailed}
    marks = {name: _marks(data, counts[name], kind) for name in names}
    hues = fold_views.palette(context.read.algorithms, context.highlight)
    lines = [_same_cost(data, marks, theta)] if kind == "roc" and 0 < theta < 1 else []
    said = "" if average == AVERAGES[2] else band
    areas = cached.curve_areas(key, data)
    column = "auc_pr" if kind == "pr" else "auc"

    def build(style: Style) -> go.Figure:
        return roc(
            drawn,
            averages,
            kind=kind,
            style=style,
            marks=marks,
            average=average,
            band=said,
            baseline=data.positive_share if kind == "pr" else None,
            lines=lines,
            colours=hues,
            selected=fold_views.selected_folds() if style.kind == "screen" else (),
        )

    name = f"{kind}_{data.dataset}"
    points = show.figure(
        {"roc": "ROC curves", "pr": "Precision-recall curves"}.get(kind, "Sensitivity curves"),
        build,
        name=name,
        how_to_read=HOW_ROC,
        alt=alt_roc(averages, kind=kind, areas={n: float(areas[n][column].mean()) for n in names}),
        data=pd.concat(averages, names=["algorithm", "point"]),
        caption=lambda _: caption_roc(kind, average, said, len(data.folds)),
        select=True,
        width=600,
    )
    fold_views.take_fold(points, name)


def _marks(data: DataCurves, counts: np.ndarray, kind: str) -> pd.DataFrame:
    """Return where each fold works at the threshold."""
    tp, fp, tn, fn = counts.T.astype(float)
    with np.errstate(invalid="ignore"):
        tpr, fpr, precision = tp / (tp + fn), fp / (fp + tn), tp / (tp + fp)
    x, y = {"roc": (fpr, tpr), "pr": (tpr, precision), "sensitivity": (1 - fpr, tpr)}[kind]
    return pd.DataFrame({"x": x, "y": y}, index=cached.fold_names(data.folds)).dropna()


def _same_cost(
    data: DataCurves, marks: dict[str, pd.DataFrame], theta: float
) -> tuple[float, float, str]:
    """Return the line of equal cost through the best mean point of work."""
    slope = iso_cost_slope(theta, int(data.positives.sum()), int(data.negatives.sum()))
    intercept = max(
        float(table["y"].mean() - slope * table["x"].mean())
        for table in marks.values()
        if len(table)
    )
    return slope, intercept, "same cost"


def at_theta_table(
    data: DataCurves, names: list[str], counts: dict[str, np.ndarray], theta: float
) -> None:
    """Show what each algorithm does at the threshold, mean over folds."""
    rows = {}
    for name in names:
        folds = pd.DataFrame(counts[name], columns=COUNTS)
        measures = confusion_measures(folds)[list(AT_THETA)].mean()
        cases = folds.sum(axis=1)
        rows[name] = {**measures, "risk": float((risk(counts[name], theta) / cases).mean())}
    table = pd.DataFrame(rows).T.rename_axis("algorithm")
    table = table.sort_values("risk", kind="stable")
    show.table(
        table,
        title=f"At theta {theta:.2f}",
        name="at_theta",
        formats=dict.fromkeys(table.columns, partial(number, digits=3)),
        caption=f"At theta {theta:.2f} on {data.dataset}: means over folds; risk per case is theta "
        "for a false positive and 1 - theta for a false negative.",
    )
    ratio = loss_ratio(theta)
    price = "any number of" if np.isinf(ratio) else f"{ratio:.3g}"
    st.caption(
        f"Means over folds, least risk first. Risk is per case: theta for a false positive, "
        f"1 \u2212 theta for a false negative (lambda = {price}). A fold without a positive call "
        "has no precision and is left out of that mean."
    )


def dominance(context: state.Context, data: DataCurves) -> None:
    """Say which average curve is nowhere below another, and where curves cross."""
    key = f"{context.read_key}/{data.dataset}"
    averages = cached.curve_averages(key, "roc", AVERAGES[0], BANDS[0], None, data)
    names = [n for n in data.names if n not in context.settings.without_algorithms]
    curves = {n: averages[n].rename(columns={"x": "fpr", "y": "tpr"}) for n in names}
    rows = []
    for a, b in combinations(names, 2):
        winner = dominates(curves[a], curves[b])
        where = [f"{x:.2f}" for x in crossings(curves[a], curves[b])]
        rows.append(
            {
                "first": a,
                "second": b,
                "nowhere below the other": {"first": a, "second": b}.get(winner, winner),
                "curves cross at fpr": listed(where, 5) if where else "",
            }
        )
    if not rows:
        return
    table = pd.DataFrame(rows).set_index(["first", "second"])
    above = (~table["nowhere below the other"].isin(["neither", "equal"])).sum()
    show.table(
        table,
        title=f"In {above} of {count(len(table), 'pair')} one average curve is nowhere below",
        name="dominance",
        formats={},
        caption=f"Average ROC curves on {data.dataset}: which is nowhere below, where they cross.",
    )
    st.caption(
        "Where one curve is nowhere below, it is the better choice at every cost of errors, as far "
        "as these averages tell; tests of the areas are on the next tab."
    )
