"""Figures of ROC, precision-recall and cost curves, areas, and threshold sweeps."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.axis_parts import enable_zoom
from foldwise.figures.cost_curves import alt_cost_curves, caption_cost_curves, cost_curves
from foldwise.figures.loss_winners import alt_loss_winners, caption_loss_winners, loss_winners
from foldwise.figures.roc import MOST_WITH_FOLDS, roc
from foldwise.figures.roc_traces import alt_roc, caption_roc
from foldwise.figures.spec import (
    BuiltSpec,
    Colours,
    FigureSpec,
    cached_figure,
    colors_of,
    fold_names,
    screen_selection,
)
from foldwise.figures.theme import MARKERS, Style
from foldwise.figures.traces import thin_curves
from stats_core.comparison.cards.method_card import method_card
from stats_core.core.formatting import format_number, p_phrase
from stats_core.curves.curve_comparison import AVERAGES, DataCurves, mean_areas
from stats_core.curves.curve_shapes import usable
from stats_core.curves.loss_sweep import cost_envelope, iso_cost_slope
from stats_core.curves.threshold_sweep import Sweep


def fold_paths(data: DataCurves, kind: str) -> dict[str, dict[str, pd.DataFrame]]:
    """Return the curve of every fold, thinned to the points visible in a figure."""
    labels = fold_names(data.folds)
    paths = {}
    for name, curves in data.curves.items():
        indices = usable(curves)
        curves_of_folds_kept = [curves.pr(i) if kind == "pr" else curves.roc(i) for i in indices]
        curves_of_folds_kept = [
            curve.set_axis(["x", "y", "threshold"], axis=1) for curve in curves_of_folds_kept
        ]
        if kind == "sensitivity":
            curves_of_folds_kept = [
                curve.assign(x=1 - curve["x"]) for curve in curves_of_folds_kept
            ]
        paths[name] = dict(
            zip([labels[i] for i in indices], thin_curves(curves_of_folds_kept), strict=True)
        )
    return paths


def operating_points(data: DataCurves, counts: np.ndarray, kind: str) -> pd.DataFrame:
    """Return the operating point of each fold from the counts at the threshold."""
    tp, fp, tn, fn = counts.T.astype(float)
    with np.errstate(invalid="ignore"):
        tpr, fpr, precision = tp / (tp + fn), fp / (fp + tn), tp / (tp + fp)
    x, y = {"roc": (fpr, tpr), "pr": (tpr, precision), "sensitivity": (1 - fpr, tpr)}[kind]
    return pd.DataFrame({"x": x, "y": y}, index=fold_names(data.folds)).dropna()


def same_cost(
    data: DataCurves, marks: dict[str, pd.DataFrame], theta: float
) -> tuple[float, float, str]:
    """Return slope, intercept and name of the iso-cost line through the best mean point."""
    slope = iso_cost_slope(theta, int(data.positives.sum()), int(data.negatives.sum()))
    intercept = max(
        float(table["y"].mean() - slope * table["x"].mean())
        for table in marks.values()
        if len(table)
    )
    return slope, intercept, "same cost"


def wins_by_algorithm(found: Sweep) -> pd.DataFrame:
    """Return the number of algorithms each one beats, algorithm x threshold."""
    table = pd.DataFrame(0, index=list(found.names), columns=found.winners.columns)
    for name in found.names:
        table.loc[name] = (found.winners == name).sum().to_numpy()
    return table


def describe_threshold_wins(found: Sweep) -> pd.DataFrame:
    """Return text and hover text on the thresholds won, one row per pair."""
    tally = found.tally().set_index(["first", "second"])
    rows = []
    for a, b in found.pairs:
        ahead = (a, b) if tally.at[(a, b), "wins"] >= tally.at[(b, a), "wins"] else (b, a)
        row = tally.loc[ahead]
        p = p_phrase(row["p"], found.alpha)
        rows.append(
            {
                "text": f"{ahead[0]} {row['wins']} : {row['losses']}, {p}",
                "hover": f"{ahead[0]} wins at {row['wins']} thresholds, loses at {row['losses']}, "
                f"ties at {row['ties']}\nright-tailed sign test {p}",
            }
        )
    return pd.DataFrame(rows, index=found.winners.index)


def cell_words(found: Sweep) -> pd.DataFrame:
    """Return the hover text of each cell: winner and risks, or why nobody wins."""
    table = found.reasons.copy()
    for (a, b), label in zip(found.pairs, found.winners.index, strict=True):
        for theta in found.winners.columns:
            winner = found.winners.at[label, theta]
            if not winner:
                continue
            risks = found.risks.loc[theta]
            p = p_phrase(found.pvalues.at[label, theta], found.alpha)
            table.at[label, theta] = (
                f"{winner} wins, {p}\nrisk per case {a} {format_number(risks[a], 4)}, "
                f"{b} {format_number(risks[b], 4)}"
            )
    return table


MOST_ROWS = 8  # largest number of algorithms in the figure of areas
MOST_PAIRS = 10  # largest number of pairs in a sweep; more are counted by algorithm
PAPERS = {
    "roc": method_card("roc_curve").papers,
    "pr": method_card("pr_curve").papers,
    "sensitivity": method_card("roc_curve").papers,
    "cost": method_card("cost_envelope").papers,
}
TITLES = {"roc": "ROC curves", "pr": "Precision-recall curves", "sensitivity": "Sensitivity curves"}

HOW_ROC = (
    "Each thin line is one {unit}, the thick one their average with its band; the marks are where "
    "each {unit} works at theta. Look for a curve that is nowhere below another, and where curves "
    "cross: there the better algorithm depends on what errors cost. Bands hold at each point "
    "alone, and bands that overlap can still differ, because {unit}s are paired."
)
HOW_ONE_ROC = (
    "Each line is one trained model on its one set of cases. Look for a curve that is nowhere below "
    "another, and where curves cross: there the better model depends on what errors cost. Which "
    "differences are more than chance the test above says, not the picture."
)
HOW_SWEEP = (
    "Each column is a threshold theta; below it stands the cost ratio that weights the risk. A mark says who wins: the "
    "errors differ by the multivariate test, and the winner's total risk is lower, significantly so "
    "unless the thesis' rule was chosen. A dot says that no difference is shown. Look where the "
    "winner changes. Neighbouring columns share their cases, so a long run of marks is not many pieces of evidence."
)
HOW_COST = (
    "Across: how much of the possible cost lies with positives, from class shares and losses "
    "together; up: the expected cost, 1 being always wrong. Each curve is the best an algorithm can "
    "do when its threshold suits the cost. Look which curve is lowest where your costs lie. Curves "
    "are averages over {unit}s without a test: the sweep above tests."
)


@cached_figure
def roc_drawing(
    data: DataCurves,
    averages: Mapping[str, pd.DataFrame],
    *,
    areas: Mapping[str, pd.DataFrame],
    kind: str = "roc",
    average: str = AVERAGES[0],
    band: str = "",
    paths: Mapping[str, Mapping[str, pd.DataFrame]] | None = None,
    marks: Mapping[str, pd.DataFrame] | None = None,
    lines: Sequence[tuple[float, float, str]] = (),
    colours: Colours = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
) -> FigureSpec:
    """Return the figure of the curves of one data set."""
    column = "auc_pr" if kind == "pr" else "auc"
    single = len(data.folds) == 1
    band_shown = "" if single or average == AVERAGES[2] else band
    base = data.positive_share if kind == "pr" else None
    detailed = [name for name in averages if (paths or {}).get(name)]

    @lru_cache(maxsize=2)  # the caption depends on the figure, so both share one build per style
    def build(style: Style) -> go.Figure:
        return roc(
            paths or {},
            averages,
            kind=kind,
            style=style,
            marks=marks,
            average="" if single else average,
            band=band_shown,
            baseline=base,
            lines=lines,
            lit=[name for name in lit if name in averages],
            colours=colors_of(colours, data.names, (), style),
            detailed=detailed,
            unit=data.unit,
            selected=screen_selection(selected, style),
        )

    def caption(style: Style) -> str:
        has_bands = len(averages) <= MOST_WITH_FOLDS  # no bands of more algorithms on paper
        return caption_roc(
            kind,
            average,
            band_shown if has_bands or not style.printed else "",
            len(data.folds),
            folds_of=() if style.printed else detailed,
            unit=data.unit,
            inset=any(trace.name == "inset" for trace in build(style).data),
        )

    means = mean_areas(areas)[column].loc[list(averages)].to_dict()
    return BuiltSpec(
        name=f"{kind}_{data.dataset}",
        title=TITLES[kind],
        how_to_read=HOW_ONE_ROC if single else HOW_ROC.format(unit=data.unit),
        alt=alt_roc(averages, kind=kind, areas=means, folds=len(data.folds)),
        data=pd.concat(averages, names=["algorithm", "point"]),
        build=enable_zoom(build),
        caption=caption,
        papers=PAPERS[kind],
    )


def fold_areas(
    data: DataCurves, areas: Mapping[str, pd.DataFrame], names: Sequence[str]
) -> pd.DataFrame:
    """Return the AUC of the best algorithms, fold x algorithm, without undefined folds."""
    best = mean_areas({name: areas[name] for name in names}).index[:MOST_ROWS]
    table = {name: areas[name]["auc"].to_numpy() for name in best}
    return pd.DataFrame(table, index=fold_names(data.folds)).dropna()


@cached_figure
def sweep_drawing(
    data: DataCurves,
    found: Sweep,
    *,
    theta: float = 0.5,
    algorithms: Sequence[str] = (),
    colours: Colours = None,
) -> FigureSpec:
    """Return the figure of winners at each threshold, by pair or by algorithm."""
    pairs = len(found.pairs) <= MOST_PAIRS
    winners = found.winners if pairs else wins_by_algorithm(found)
    texts = {"tallies": describe_threshold_wins(found), "hover": cell_words(found)} if pairs else {}
    names = list(algorithms or data.names)

    def build(style: Style) -> go.Figure:
        return loss_winners(
            winners,
            found.risks,
            style=style,
            theta=min(found.thetas, key=lambda t: abs(t - theta)),
            colours=colors_of(colours, names, (), style),
            symbols_of=_symbols(names),
            **texts,
        )

    return BuiltSpec(
        name=f"sweep_{data.dataset}_{'_'.join(found.measures)}",
        title=f"Who wins at which loss, by {', '.join(found.measures)}",
        how_to_read=HOW_SWEEP,
        alt=alt_loss_winners(winners),
        data=found.to_frame(),
        build=enable_zoom(build, "x"),
        caption=lambda _: caption_loss_winners(counts=not pairs, rule=found.rule),
        papers=method_card("sweep").papers,
    )


@cached_figure
def cost_drawing(
    data: DataCurves,
    points: Mapping[str, pd.DataFrame],
    counts: Mapping[str, np.ndarray],
    *,
    at: float,
    algorithms: Sequence[str] = (),
    colours: Colours = None,
) -> FigureSpec:
    """Return the figure of cost curves: expected cost over skew of classes and losses."""
    envelopes = {name: cost_envelope(table["x"], table["y"]) for name, table in points.items()}
    lines = {}
    for name in points:
        tp, fp, tn, fn = counts[name].sum(axis=0).astype(float)
        lines[name] = pd.DataFrame({"fpr": [fp / (fp + tn)], "fnr": [fn / (fn + tp)]})
    names = list(algorithms or data.names)

    def build(style: Style) -> go.Figure:
        return cost_curves(
            envelopes,
            style=style,
            lines=lines,
            at=at,
            colours=colors_of(colours, names, (), style),
            symbols_of=_symbols(names),
        )

    return BuiltSpec(
        name=f"cost_{data.dataset}",
        title="Cost curves",
        how_to_read=HOW_COST.format(unit=data.unit),
        alt=alt_cost_curves(envelopes),
        data=pd.concat(envelopes, names=["algorithm", "point"]),
        build=enable_zoom(build),
        caption=lambda _: caption_cost_curves(lines=True, folds=len(data.folds), unit=data.unit),
        papers=PAPERS["cost"],
    )


def cost_share(data: DataCurves, theta: float) -> float:
    """Return the share of the possible cost caused by positives at theta."""
    share = data.positive_share
    return share * (1 - theta) / (share * (1 - theta) + (1 - share) * theta)


def _symbols(names: Sequence[str]) -> dict[str, str]:
    return {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(names)}
