"""Figures of scores on one data set: curves, areas under them, thresholds, costs."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figure_specs.figure_spec import FigureSpec, cached_figure
from foldwise.figure_specs.fold_figures import how_to_read_histogram
from foldwise.figure_specs.spec_parts import (
    Colours,
    colors_of,
    fold_names,
    screen_selection,
)
from foldwise.figure_specs.sweep_text import (
    cell_words,
    describe_threshold_wins,
    wins_by_algorithm,
)
from foldwise.figures.auc_histogram import (
    alt_auc_histogram,
    auc_histogram,
    caption_auc_histogram,
)
from foldwise.figures.cost_curves import alt_cost_curves, caption_cost_curves, cost_curves
from foldwise.figures.loss_winners import (
    alt_loss_winners,
    caption_loss_winners,
    loss_winners,
)
from foldwise.figures.roc import MOST_WITH_FOLDS, alt_roc, caption_roc, roc
from foldwise.figures.theme import MARKERS, Style
from foldwise.figures.zoom import enable_zoom
from stats_core.comparison.cards.method_card import method_card
from stats_core.curves.curve_comparison import DataCurves
from stats_core.curves.curve_summary import AVERAGES, mean_areas
from stats_core.curves.loss_sweep import cost_envelope
from stats_core.curves.threshold_sweep import Sweep

MOST_ROWS = 8  # algorithms with areas of their own
MOST_PAIRS = 10  # of a sweep; more are counted by algorithm
PAPERS = {
    "roc": method_card("roc_curve").papers,
    "pr": method_card("pr_curve").papers,
    "sensitivity": method_card("roc_curve").papers,
    "auc": tuple(
        key
        for name in ("hanley_mcneil", "delong", "agarwal", "cortes_mohri")
        for key in method_card(name).papers
    ),
    "cost": method_card("cost_envelope").papers,
}
TITLES = {
    "roc": "ROC curves",
    "pr": "Precision-recall curves",
    "sensitivity": "Sensitivity curves",
}

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
HOW_ONE_AREA = (
    "Each mark is the area of one trained model; the bars are 95 % intervals of several methods, and "
    "say where the area may lie on new cases. They do not see that another training would give "
    "another model, and bars that overlap can still differ, because both were tested on the same cases."
)
HOW_AREAS = (
    "Each brick is the area of one {unit}; the bars above are 95 % intervals that each method gives "
    "from a single {unit}. The two answer different questions: a bar says where the area of this one trained model may lie "
    "on new cases, the spread of bricks how the area varies with training and test cases. So neither "
    "has to be as wide as the other, and a bar does not see that another training set would give "
    "another classifier."
)
HOW_ONE_ERROR = "Each mark is the error of one trained model on its one set of cases: no average."
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
    """Return the curves of one data set.

    Parameters
    ----------
    data : DataCurves
    averages : mapping of algorithm to DataFrame
        Average curves, from `average_curves`; these algorithms are drawn.
    areas : mapping of algorithm to DataFrame
        From `data.areas()`.
    kind : {"roc", "pr", "sensitivity"}
        What x and y are.
    average, band : str
        What the averages and their bands are, in words.
    paths : mapping of algorithm to mapping of fold to DataFrame, optional
        Curves of single folds, of the algorithms whose folds are to be drawn.
    marks : mapping of algorithm to DataFrame, optional
        Where each fold works at the threshold.
    lines : sequence of (slope, intercept, name)
        Straight lines, such as that of equal cost.
    colours : mapping of str, optional
        Colours of all algorithms.
    selected : collection of str
        Folds selected on the screen.
    lit : collection of str
        Algorithms selected there.
    """
    column = "auc_pr" if kind == "pr" else "auc"
    one = len(data.folds) == 1
    said = "" if one or average == AVERAGES[2] else band
    base = data.positive_share if kind == "pr" else None
    detailed = [name for name in averages if (paths or {}).get(name)]

    @lru_cache(maxsize=2)  # the caption says what the figure has
    def build(style: Style) -> go.Figure:
        return roc(
            paths or {},
            averages,
            kind=kind,
            style=style,
            marks=marks,
            average="" if one else average,
            band=said,
            baseline=base,
            lines=lines,
            lit=[name for name in lit if name in averages],
            colours=colors_of(colours, data.names, (), style),
            detailed=detailed,
            unit=data.unit,
            selected=screen_selection(selected, style),
        )

    def caption(style: Style) -> str:
        few = len(averages) <= MOST_WITH_FOLDS  # on paper the bands of more would tangle
        return caption_roc(
            kind,
            average,
            said if few or not style.printed else "",
            len(data.folds),
            folds_of=() if style.printed else detailed,
            unit=data.unit,
            inset=any(trace.name == "inset" for trace in build(style).data),
        )

    means = mean_areas(areas)[column].loc[list(averages)].to_dict()
    return FigureSpec(
        name=f"{kind}_{data.dataset}",
        title=TITLES[kind],
        how_to_read=HOW_ONE_ROC if one else HOW_ROC.format(unit=data.unit),
        alt=alt_roc(averages, kind=kind, areas=means, folds=len(data.folds)),
        data=pd.concat(averages, names=["algorithm", "point"]),
        build=enable_zoom(build),
        caption=caption,
        papers=PAPERS[kind],
    )


def fold_areas(
    data: DataCurves, areas: Mapping[str, pd.DataFrame], names: Sequence[str]
) -> pd.DataFrame:
    """Return the area of every fold that has one, by the algorithms that are drawn, best first."""
    best = mean_areas({name: areas[name] for name in names}).index[:MOST_ROWS]
    table = {name: areas[name]["auc"].to_numpy() for name in best}
    return pd.DataFrame(table, index=fold_names(data.folds)).dropna()


@cached_figure
def areas_drawing(
    data: DataCurves,
    values: pd.DataFrame,
    bars: Mapping[str, pd.DataFrame],
    *,
    fold: str,
    colours: Colours = None,
) -> FigureSpec:
    """Return the areas of all folds and the intervals that one of them gives.

    Parameters
    ----------
    data : DataCurves
    values : DataFrame, fold x algorithm
        Areas under the ROC curve.
    bars : mapping of algorithm to DataFrame
        From `one_fold_intervals`.
    fold : str
        Whose intervals they are.
    colours : mapping of str, optional
        Colours of all algorithms.
    """

    def build(style: Style) -> go.Figure:
        given = colors_of(colours, data.names, (), style)
        return auc_histogram(
            values,
            bars,
            measure="AUC",
            style=style,
            colours=given,
            higher_is_better=True,
            unit=data.unit,
        )

    return FigureSpec(
        name=f"auc_intervals_{data.dataset}",
        title=f"AUC of every {data.unit}, intervals from {data.unit} {fold}"
        if len(values) > 1
        else "AUC with its intervals",
        how_to_read=HOW_AREAS.format(unit=data.unit) if len(values) > 1 else HOW_ONE_AREA,
        alt=alt_auc_histogram(values, bars, unit=data.unit),
        data=pd.concat(bars, names=["algorithm", "method"]),
        build=enable_zoom(build, "x"),
        caption=lambda _: caption_auc_histogram(
            list(next(iter(bars.values())).index), len(values), data.unit
        ),
        papers=PAPERS["auc"],
    )


@cached_figure
def errors_drawing(
    data: DataCurves, errors: pd.DataFrame, *, colours: Colours = None
) -> FigureSpec:
    """Return the error of every fold in the form of the areas, to stand beside them.

    Parameters
    ----------
    data : DataCurves
    errors : DataFrame, fold x algorithm
        Share of cases that are wrong.
    colours : mapping of str, optional
        Colours of all algorithms.
    """

    def build(style: Style) -> go.Figure:
        given = colors_of(colours, data.names, (), style)
        return auc_histogram(
            errors,
            {},
            measure="error",
            style=style,
            colours=given,
            higher_is_better=False,
            unit=data.unit,
        )

    return FigureSpec(
        name=f"error_folds_{data.dataset}",
        title=f"Error of every {data.unit}" if len(errors) > 1 else "Error",
        how_to_read=how_to_read_histogram(data.unit) if len(errors) > 1 else HOW_ONE_ERROR,
        alt=alt_auc_histogram(errors, {}, measure="error", unit=data.unit),
        data=errors.rename_axis(data.unit),
        build=enable_zoom(build, "x"),
    )


@cached_figure
def sweep_drawing(
    data: DataCurves,
    found: Sweep,
    *,
    theta: float = 0.5,
    algorithms: Sequence[str] = (),
    colours: Colours = None,
) -> FigureSpec:
    """Return who wins at which threshold, pair by pair, or how often where there are many pairs.

    Parameters
    ----------
    data : DataCurves
    found : Sweep
    theta : float
        The threshold that is marked.
    algorithms : sequence of str
        All algorithms, in the order of the data; it decides their marks.
    colours : mapping of str, optional
        Colours of all algorithms.
    """
    pairs = len(found.pairs) <= MOST_PAIRS
    winners = found.winners if pairs else wins_by_algorithm(found)
    said = {"tallies": describe_threshold_wins(found), "hover": cell_words(found)} if pairs else {}
    names = list(algorithms or data.names)

    def build(style: Style) -> go.Figure:
        return loss_winners(
            winners,
            found.risks,
            style=style,
            theta=min(found.thetas, key=lambda t: abs(t - theta)),
            colours=colors_of(colours, names, (), style),
            symbols_of=_symbols(names),
            **said,
        )

    return FigureSpec(
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
    """Return the expected cost of every algorithm at every skew of classes and losses.

    Parameters
    ----------
    data : DataCurves
    points : mapping of algorithm to DataFrame
        Threshold averages in ROC space; these algorithms are drawn.
    counts : mapping of algorithm to array, fold x (tp, fp, tn, fn)
        At the threshold.
    at : float
        Share of the possible cost that lies with positives, marked.
    algorithms, colours
        As for `sweep_drawing`.
    """
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

    return FigureSpec(
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
    """Return which share of the possible cost lies with positives at theta."""
    share = data.positive_share
    return share * (1 - theta) / (share * (1 - theta) + (1 - share) * theta)


def _symbols(names: Sequence[str]) -> dict[str, str]:
    return {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(names)}
