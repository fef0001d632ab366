"""Histograms of results per fold, one row per algorithm, with bins that follow the spread within algorithms."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import count
from typing import ClassVar, TypedDict

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import clouds, text, traces
from foldwise.figures.fold_rows import FoldRows, Place, RowsPlot, fill_and_edge
from foldwise.figures.spec import Colours, cached_figure, figure_text, fold_labels
from foldwise.figures.theme import FADED, GREY, PX_PER_INCH, Style
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison, OnFolds
from stats_core.comparison.kinds.measure_vectors import OnMeasures, PairOnMeasures
from stats_core.core.formatting import capitalize_first

#: Largest number of algorithms in the histograms of an analysis.
MOST_ROWS = 8
#: Ratio of the length of a line-ns marker to its size.
LINE_FACTOR = 1.4


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldHistogram(FoldRows):
    """Histograms of the results of all folds, in bins shared by the algorithms on an axis.

    Ticks below a histogram are the folds, and a triangle marks the mean.

    Examples
    --------
    >>> values = pd.DataFrame({"rf": [0.90, 0.95, 1.0], "knn": [0.88, 0.90, 0.91]})
    >>> figure = FoldHistogram(values=values, measure="accuracy")
    >>> [len(bins.edges) - 1 for _, bins in figure.axes]
    [12]
    """

    kind: ClassVar[str] = "fold_histogram"

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure; raise ValueError without values, or if any is not finite."""
        plot = self.plot(style)
        draw_histograms(plot)
        return plot.fig


def _shown_algorithms(analysis: OnFolds, highlight: Collection[str], most: int) -> list[str]:
    """Return the algorithms to draw: all if at most `most`, else up to `most` highlighted ones, or the best."""
    if isinstance(analysis, FoldPairComparison):
        return [analysis.first, analysis.second]
    names = list(analysis.means.index)
    if len(names) <= most:
        return names
    return [name for name in names if name in highlight][:most] or names[:most]


class FoldFields(TypedDict):
    """Fields of `FoldRows` that depend on the comparison."""

    title: str
    values: pd.DataFrame
    measure: str
    higher_is_better: bool
    algorithms: Sequence[str]
    highlight: Collection[str]
    unit: str
    total: int


def fold_fields(analysis: OnFolds, highlight: Collection[str], most: int) -> FoldFields:
    """Return the fields of a figure of the results per fold of at most `most` algorithms."""
    return {
        "title": figure_text(
            "fold_histogram.title",
            measure=capitalize_first(analysis.measure_name),
            unit=analysis.unit,
            dataset=analysis.dataset,
        ),
        "values": fold_labels(analysis.matrix[_shown_algorithms(analysis, highlight, most)]),
        "measure": analysis.measure_name,
        "higher_is_better": analysis.higher_is_better,
        "algorithms": analysis.results.algorithms,
        "highlight": highlight,
        "unit": analysis.unit,
        "total": 2 if analysis.shape.two else len(analysis.means),
    }


@cached_figure(at_every_level=True)
def folds_drawing(
    analysis: OnFolds,
    *,
    highlight: Collection[str] = (),
    colours: Colours = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
) -> FoldHistogram:
    """Return the histograms of at most `MOST_ROWS` algorithms."""
    return FoldHistogram(
        name=f"folds_{analysis.dataset}_{analysis.settings.measure}",
        **fold_fields(analysis, highlight, MOST_ROWS),
        colours=colours,
        selected=selected,
        lit=lit,
    )


@cached_figure(at_every_level=True)
def spread_drawing(analysis: FoldsComparison, *, colours: Colours = None) -> FoldHistogram:
    """Return the histograms of the residuals of the analysis of variance, for at most `MOST_ROWS` algorithms."""
    measure = analysis.measure_name
    return FoldHistogram(
        name=f"residuals_{analysis.dataset}_{analysis.settings.measure}",
        title=figure_text("fold_histogram.title_residuals", dataset=analysis.dataset),
        values=fold_labels(analysis.anova.residuals),
        measure=f"residual of {measure}",
        colours=colours,
        shown=analysis.means.index[:MOST_ROWS],
        total=len(analysis.means),
        unit=analysis.unit,
        how="residuals",
    )


@cached_figure(at_every_level=True)
def first_drawing(analysis: OnMeasures, *, measure: str, colours: Colours = None) -> FoldHistogram:
    """Return the histograms of the folds on the first discriminant measure, of at most `MOST_ROWS` algorithms."""
    values = pd.DataFrame(
        {name: table["M1"] for name, table in clouds.learned_folds(analysis).items()}
    )
    return FoldHistogram(
        name=f"m1_{analysis.dataset}",
        title=figure_text(
            "fold_histogram.title", measure="M1", unit=analysis.unit, dataset=analysis.dataset
        ),
        values=values,
        measure=measure,
        colours=colours,
        unit=analysis.unit,
        shown=values.mean().sort_values(kind="stable").index[:MOST_ROWS],
        total=values.shape[1],
    )


@cached_figure(at_every_level=True)
def projected_drawing(analysis: PairOnMeasures) -> FoldHistogram:
    """Return the histogram of paired differences, projected on the direction in which the algorithms differ most."""
    return FoldHistogram(
        name=f"projected_{analysis.dataset}",
        title=f"Projected differences on {analysis.dataset}",
        values=fold_labels(analysis.projected).rename("difference").to_frame(),
        measure=f"{analysis.first} \N{MINUS SIGN} {analysis.second}, projected",
        colours={"difference": GREY},
        unit=analysis.unit,
        zero="no difference",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _RowHeights:
    """Heights in px of the parts of a row with a histogram, from the top to the bottom.

    A single fold has a triangle and a tick only.
    """

    name: float  # and the mean
    above: float  # what others draw above the histogram
    bars: float
    tick: float
    mark: float  # the triangle at the mean
    space: float  # above and below the ticks

    @classmethod
    def of(cls, plot: RowsPlot, above: float) -> _RowHeights:
        """Return the heights in the style of a plot."""
        px = plot.style.px
        bars = px(44, 20 if plot.is_small else 26) if len(plot.labels) > 1 else px(2, 1)
        return cls(
            name=1.35 * plot.size,
            above=above,
            bars=bars,
            tick=px(6, 4),
            mark=px(8, 5.5),
            space=px(2, 1.5),
        )

    @property
    def baseline(self) -> float:
        """Height of the lower end of the bars."""
        return self.tick + self.mark + 2 * self.space

    @property
    def ticks(self) -> float:
        """Height of the centre of the ticks of the folds."""
        return self.baseline - self.space - self.tick / 2

    @property
    def means(self) -> float:
        """Height of the centre of the triangle at the mean."""
        return (self.mark + self.space) / 2

    @property
    def upper_end(self) -> float:
        """Height of the upper end of the tallest bar."""
        return self.baseline + self.bars

    @property
    def names(self) -> float:
        """Height of the centre of the name."""
        return self.upper_end + self.above + self.name / 2

    @property
    def row(self) -> float:
        """Height of the whole row."""
        return self.upper_end + self.above + self.name


def draw_histograms(
    plot: RowsPlot,
    above: float = 0,
    *,
    right: float | None = None,
    spans: Sequence[tuple[float, float]] = (),
) -> float:
    """Draw a row per algorithm; return the height in px of the histogram's upper end above the lower end of a row.

    From top to bottom: name and mean, `above` px of space, histogram, ticks of the folds, triangle
    at the mean. Printed rows of more than `MOST_HIGH` algorithms are set in columns two inches wide
    unless `above` is positive. A single fold has no bars. `right` is the right margin in px, and
    `spans` are the ranges of the x axes, by default those of the bins.
    """
    style = plot.style
    heights = _RowHeights.of(plot, above)
    counts = _count_ticks(plot, heights.bars) if len(plot.labels) > 1 else []
    in_columns = plot.is_small and not above
    plot.start(
        heights.row,
        _left_margin(plot, counts),
        style.px(24, 14) if right is None else right,
        top=style.px(6, 4),
        columns=max(1, round(style.width / PX_PER_INCH / 2)) if in_columns else 1,
        spans=spans,
    )
    unit = heights.bars / counts[-1] if counts else 0.0
    short = _write_names(plot, heights, bool(counts))
    for row in plot.places:
        if counts:
            _draw_bars(plot, row, row.bottom + heights.baseline, unit)
        plot.draw_folds(
            row,
            np.full(len(plot.labels), row.bottom + heights.ticks),
            heights.tick / LINE_FACTOR,
            "line-ns",
            edge=(style.px(1.3, 0.7), style.ink),
        )
        if row.bins.constant and counts:
            value = plot.numbers.say(float(plot.values[0, row.algorithm]))
            words = f"all {len(plot.labels)} {plot.spec.unit}s {value}"
            plot.write(words, row, (0.56, heights.baseline + heights.bars / 2))
    _draw_axes(plot, heights.baseline, unit, counts)
    plot.draw_means(heights.means, heights.mark, "triangle-up", style.ink)
    if plot.spec.zero:
        plot.draw_zeros(below=heights.name)
        plot.write(plot.spec.zero, plot.places[0], (0.5, heights.names), anchor="center, middle")
    plot.finish(short)
    return heights.upper_end


def _left_margin(plot: RowsPlot, counts: Sequence[int]) -> float:
    """Return the left margin in px, with room for numbers of folds if there are any."""
    style = plot.style
    least = style.px(24, 14)
    if not counts:
        return least
    digits = text.widest(map(str, counts), plot.size, style.serif)
    return max(digits + 1.4 * style.size + style.px(16, 9), least)


def _write_names(plot: RowsPlot, heights: _RowHeights, has_bars: bool) -> dict[str, str]:
    """Write the name and the mean of each algorithm; return the shortened names."""
    before = "mean " if has_bars and not plot.is_small else ""
    means = [f"{before}{plot.numbers.say(mean)}" for mean in plot.means]
    widest = text.widest(means, plot.size, plot.style.serif)
    short = plot.short_names(plot.width - widest - 2 * plot.size)
    for row in plot.places:
        name = short[plot.names[row.algorithm]]
        mean = means[row.algorithm]
        plot.write(text.shortened_markup(name), row, (0, heights.names))
        plot.write(mean, row, (1, heights.names), anchor="right, middle", colour=plot.style.second)
    return short


#: Factors of powers of ten that are distances of ticks at numbers of folds.
_COUNT_STEPS = np.array([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8])


def _count_ticks(plot: RowsPlot, room: float) -> list[int]:
    """Return at least three numbers of folds, of which the last is at least the tallest bar."""
    tallest = max(
        int(np.bincount(bins.index(plot.values[:, algorithm])).max())
        for members, bins in plot.axes
        for algorithm in members
    )
    most = max(2, int(room / (1.15 * plot.size)))
    steps = (step for power in count() for step in 10**power * _COUNT_STEPS)
    whole_steps = (int(step) for step in steps if step == int(step))
    step = next(step for step in whole_steps if math.ceil(tallest / step) <= most)
    return [step * i for i in range(max(2, math.ceil(tallest / step)) + 1)]


def _draw_bars(plot: RowsPlot, row: Place, baseline: float, unit: float) -> None:
    """Draw a bar per bin, the part of selected folds below the part of faded folds."""
    style, bins = plot.style, row.bins
    fill, edge = fill_and_edge(plot.fills[row.algorithm], style)
    name = text.escape(plot.names[row.algorithm])
    table = pd.DataFrame({"bin": bins.index(plot.values[:, row.algorithm]), "lit": plot.lit})
    counts = table.groupby("bin")["lit"].agg(["sum", "size"])
    hovers = []
    for index, size in counts["size"].items():
        folds = [plot.labels[i] for i in np.flatnonzero(table["bin"] == index)]
        bin_text = "" if bins.constant else f"bin {bins.name(index)}: {size}<br>"
        folds_text = f"{plot.spec.unit}s {text.escape(text.join_escaped(folds, 6))}"
        hovers.append(f"<b>{name}</b><br>{bin_text}{folds_text}")
    lit = counts["sum"]
    every = counts["size"]
    for below, above, opacity in ((0 * lit, lit, 1), (lit, every, FADED)):
        if (above - below).any():
            plot.fig.add_bar(
                x=[bins.middle(index) for index in counts.index],
                y=((above - below) * unit).tolist(),
                base=(baseline + below * unit).tolist(),
                width=bins.width,
                name=name,
                hovertext=hovers,
                hoverinfo="text",
                marker={"color": fill, "line": {"width": style.px(0.8, 0.6), "color": edge}},
                opacity=opacity,
                unselected={"marker": {"opacity": 1}},
                **row.on,
            )


def _draw_axes(plot: RowsPlot, foot: float, unit: float, counts: list[int]) -> None:
    """Draw a baseline for every row and, if it has bars, an axis of numbers of folds at its left."""
    style = plot.style
    for rows in plot.panels():
        on = rows[0].on
        low, high = plot.spans_of(rows[0])
        heights = [row.bottom + foot for row in rows]
        baselines = [[(low, y), (high, y)] for y in heights]
        colour = style.ink if style.printed else style.leader
        traces.add_paths(plot.fig, baselines, "baselines", colour, style.px(1, 0.6), **on)
        if counts:
            axes = [[(low, y), (low, y + counts[-1] * unit)] for y in heights]
            traces.add_paths(plot.fig, axes, "count axes", style.ink, style.px(1.2, 0.8), **on)
            plot.fig.layout[f"yaxis{rows[0].y[1:]}"].update(
                ticks="outside",
                tickvals=[y + counted * unit for y in heights for counted in counts],
                ticktext=[str(counted) for _ in rows for counted in counts],
                title={"text": f"{plot.spec.unit}s", "standoff": 4},
            )
