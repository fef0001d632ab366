"""Histograms of areas under curves over folds, with intervals computed from one fold, and of errors over folds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import fold_histogram, text, traces
from foldwise.figures.fold_histogram import MOST_ROWS, FoldHistogram
from foldwise.figures.fold_rows import Numbers, Place, RowsPlot
from foldwise.figures.spec import Colours, cached_figure, figure_text, fold_names, size_of_test_set
from foldwise.figures.theme import Style
from stats_core.comparison.cards import method_card
from stats_core.core.formatting import format_count
from stats_core.curves import curve_comparison
from stats_core.curves.curve_comparison import DataCurves

#: Intervals may widen the axis to this multiple of the folds' range; beyond it arrows continue
#: them.
_MOST_SPANS = 3.0


#: Methods of intervals and their cards; the first one is the default.
_CARDS = {
    "DeLong": "delong",
    "Hanley-McNeil": "hanley_mcneil",
    "Agarwal": "agarwal",
    "Cortes-Mohri": "cortes_mohri",
}
METHODS = tuple(_CARDS)
_LEFT, _CAP, _RIGHT = "triangle-left", "line-ns", "triangle-right"


class Interval(NamedTuple):
    """An interval of one algorithm, and whether its ends were cut at a limit."""

    algorithm: str
    method: str
    low: float
    high: float
    cut_low: bool
    cut_high: bool

    def ends(self, first: float, last: float) -> list[str]:
        """Return the symbols of both ends on an axis: caps, arrows where cut, or two equal arrows if outside it."""
        if self.high < first or self.low > last:
            return [_LEFT if self.high < first else _RIGHT] * 2
        starts = self.cut_low or self.low < first
        stops = self.cut_high or self.high > last
        return [_LEFT if starts else _CAP, _RIGHT if stops else _CAP]


@dataclass(frozen=True, kw_only=True, eq=False)
class AucHistogram(FoldHistogram):
    """Each algorithm's folds as a histogram, with intervals computed from one fold above them.

    The customdata of an interval is ``[algorithm, method]``. Without intervals the figure is a
    `FoldHistogram`.

    Attributes
    ----------
    intervals : mapping of algorithm to DataFrame
        The index names the method; columns low and high, and optionally the flags clipped_low
        and clipped_high of ends cut at a limit. Intervals with a missing end are left out.
    """

    zoom: ClassVar[str] = "x"
    intervals: Mapping[str, pd.DataFrame]

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure; raise ValueError without values, or if any is not finite."""
        if not any(self.bars):
            return super().draw(style)
        plot = self.plot(style)
        _draw(plot, self)
        return plot.fig

    @property
    def how_to_read(self) -> str:
        """Text on how to read the figure."""
        if self.how == "folds":
            return super().how_to_read
        return self.describe(f"auc_histogram.how_to_read_{self.how}")

    @cached_property
    def bars(self) -> list[list[Interval]]:
        """Intervals of each algorithm; those without two finite ends are left out."""
        bars = []
        for name in map(str, self.drawn.columns):
            ends = self.intervals.get(name, pd.DataFrame(columns=["low", "high"]))
            not_clipped = {"clipped_low": False, "clipped_high": False}
            table = pd.DataFrame({**not_clipped, **ends}, index=ends.index).rename(index=str)
            is_finite = np.isfinite(table[["low", "high"]].astype(float)).all(axis=1)
            columns = ["low", "high", "clipped_low", "clipped_high"]
            rows = table.loc[is_finite, columns].itertuples()
            bars.append([Interval(name, *row) for row in rows])
        return bars

    @cached_property
    def spans(self) -> list[tuple[float, float]]:
        """The range of each axis: all bins, and intervals as far as bins stay legible."""
        spans = []
        least_overhang = 0.0
        if len(self.values) == 1:
            # A single fold has no range, so an interval of median width is always shown in full.
            widths = [bar.high - bar.low for bars in self.bars for bar in bars]
            least_overhang = float(np.median(widths))
        for members, bins in self.axes:
            first = float(bins.edges[0])
            last = float(bins.edges[-1])
            overhang = max((_MOST_SPANS - 1) / 2 * (last - first), least_overhang)
            shown = [bar for i in members for bar in self.bars[i]]
            lowest = min((bar.low for bar in shown), default=first)
            highest = max((bar.high for bar in shown), default=last)
            low = min(first, max(lowest, first - overhang))
            high = max(last, min(highest, last + overhang))
            pad = 0.03 * (high - low)
            spans.append((low - pad, high + pad))
        return spans

    def caption(self, style: Style) -> str:
        """Return the caption sentences on bins, means and, if there are any, intervals."""
        if not any(self.bars):
            return super().caption(style)
        methods = [text.plain_text(method) for method in self.methods]
        has_arrows = any(
            bar.ends(*span) != [_CAP] * 2
            for (members, _), span in zip(self.axes, self.spans, strict=True)
            for i in members
            for bar in self.bars[i]
        )
        of_intervals = self.describe(
            "auc_histogram.caption",
            methods=text.join_escaped(list(dict.fromkeys(methods)), 4),
            n=len(self.values),
            arrows=has_arrows,
        )
        return f"{super().caption(style)} {of_intervals}"

    @property
    def methods(self) -> list[str]:
        """The methods of the intervals."""
        return list(dict.fromkeys(bar.method for bars in self.bars for bar in bars))

    @property
    def data(self) -> pd.DataFrame:
        """The intervals, or the results of the folds if there are no intervals."""
        if any(self.bars):
            return pd.concat(self.intervals, names=["algorithm", "method"])
        return self.values.rename_axis(self.unit)

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        values, unit = self.values, self.unit
        numbers = Numbers.of(values, self.measure)
        k = values.shape[1]
        n = len(values)
        measure = text.short_name(self.measure, 60)
        counted = format_count(n, unit) if n > 1 else "one test set"
        head = figure_text("auc_histogram.alt", measure=measure, k=k, counted=counted)
        parts = []
        columns = values[self.drawn.columns].astype(float).items()
        for (name, column), bars in zip(columns, self.bars, strict=True):
            low = numbers.say(column.min())
            high = numbers.say(column.max())
            ends = ", ".join(f"{bar.method} {bar.low:.2f} to {bar.high:.2f}" for bar in bars)
            range_text = f"{unit} range {low} to {high}" if n > 1 else low
            short = text.short_name(name, 40)
            parts.append(f"{short}: {range_text}{f', intervals {ends}' if ends else ''}")
        return text.fit_alt_text(f"{head} ", parts, ". ", ".", head, more=", ")


def fold_areas(
    data: DataCurves, areas: Mapping[str, pd.DataFrame], names: Sequence[str]
) -> pd.DataFrame:
    """Return the AUC of the `MOST_ROWS` best algorithms, fold x algorithm, without folds in which any is undefined."""
    best = curve_comparison.mean_areas({name: areas[name] for name in names}).index[:MOST_ROWS]
    table = {name: areas[name]["auc"].to_numpy() for name in best}
    return pd.DataFrame(table, index=fold_names(data.folds)).dropna()


@cached_figure
def areas_drawing(
    data: DataCurves,
    values: pd.DataFrame,
    bars: Mapping[str, pd.DataFrame],
    *,
    fold: str,
    methods: Collection[str] = METHODS[:1],
    colours: Colours = None,
) -> AucHistogram:
    """Return the histograms of the AUC of all folds, with the intervals `bars` from one fold by each of `methods`."""
    several = len(values) > 1
    wanted = [method for method in METHODS if method in methods]
    cards = [method_card.method_card(_CARDS[method]) for method in wanted]
    intervals = {name: table[table.index.isin(wanted)] for name, table in bars.items()}
    return AucHistogram(
        name=f"auc_intervals_{data.dataset}",
        title=figure_text(
            "auc_histogram.title_areas" if several else "auc_histogram.title_of_one",
            unit=data.unit,
            fold=fold,
            dataset=data.dataset_label,
        ),
        papers=tuple(paper for card in cards for paper in card.papers),
        values=values,
        intervals=intervals if wanted else {},
        measure="AUC",
        higher_is_better=True,
        colours=colours,
        algorithms=data.names,
        total=len(data.names),
        unit=data.unit,
        how="areas" if several else "area_of_one",
        counted=size_of_test_set(data),
    )


@cached_figure
def errors_drawing(
    data: DataCurves, errors: pd.DataFrame, *, colours: Colours = None
) -> FoldHistogram:
    """Return the histograms of the error of every fold."""
    several = len(errors) > 1
    return FoldHistogram(
        name=f"error_folds_{data.dataset}",
        title=f"Error per {data.unit} on {data.dataset_label}"
        if several
        else f"Error on {data.dataset_label}",
        values=errors,
        measure="error",
        higher_is_better=False,
        colours=colours,
        algorithms=data.names,
        unit=data.unit,
        counted=size_of_test_set(data),
        how="folds" if several else "error_of_one",
    )


def _draw(plot: RowsPlot, figure: AucHistogram) -> None:
    """Draw histograms, each with the intervals of its algorithm above it."""
    style, methods = plot.style, figure.methods
    step = style.px(13, 9.5)
    labels = {method: text.escape(_short(method)) for method in methods}
    widest = text.widest(labels.values(), _small(style), style.serif)
    base = fold_histogram.draw_histograms(
        plot,
        step * len(methods),
        right=max(style.px(24, 14), widest + style.px(16, 10)),
        spans=figure.spans,
    )
    named: set[str] = set()
    for row in plot.places:
        first, last = plot.spans_of(row)
        for bar in figure.bars[row.algorithm]:
            steps = len(methods) - methods.index(bar.method) - 0.5
            height = row.bottom + base + steps * step
            _draw_interval(plot, bar, height, row)
            if bar.method not in named:  # once in the figure
                named.add(bar.method)
                traces.add_text(
                    plot.fig,
                    labels[bar.method],
                    min(max(bar.high, first), last),
                    height,
                    _small(style),
                    refs=f"{row.x}, {row.y}",
                    anchor="left, middle",
                    shift=(style.px(8, 5), 0),
                )


def _small(style: Style) -> float:
    return style.px(11, 8)


def _short(method: str) -> str:
    """Return the printed name of a method, shortened to about 22 characters."""
    return text.shorten([method], 22, 1.7)[method]


def _draw_interval(plot: RowsPlot, bar: Interval, y: float, row: Place) -> None:
    """Draw one interval as a bar with caps or arrowheads."""
    style = plot.style
    method = text.escape(bar.method)
    first, last = plot.spans_of(row)
    low, high = (min(max(end, first), last) for end in (bar.low, bar.high))
    thickness = style.px(3, 1.8)
    hover = _interval_words(bar, plot, row.algorithm)
    colour = plot.fills[row.algorithm] if style.colour else style.ink
    clicked = [bar.algorithm, bar.method]
    traces.add_areas(
        plot.fig,
        [(low + high) / 2],
        [thickness],
        method,
        colour,
        [hover],
        base=[y - thickness / 2],
        width=[high - low],
        customdata=[clicked],
        **row.on,
    )
    traces.add_points(
        plot.fig,
        [low, high],
        [y, y],
        f"{method} ends",
        style.px(8, 5.5),
        bar.ends(first, last),
        colour,
        (style.px(2, 1.2), colour),
        hover_text=[hover] * 2,
        customdata=[clicked] * 2,
        **row.on,
    )


def _interval_words(bar: Interval, plot: RowsPlot, algorithm: int) -> str:
    """Return the hover text: ends, width, number of folds inside if there are several, clipped ends."""
    column = plot.values[:, algorithm]
    width = bar.high - bar.low
    decimals = max(2, text.decimals_for([width]))
    low, high = (text.format_minus(end, decimals) for end in (bar.low, bar.high))
    lines = [
        f"<b>{text.escape(bar.algorithm)}, {text.escape(bar.method)}</b>",
        f"{low} to {high}, width {width:.{decimals}f}",
    ]
    if len(column) > 1:
        n_inside = int(((column >= bar.low) & (column <= bar.high)).sum())
        lines.append(f"contains {n_inside} of {len(column)} {plot.spec.unit}s")
    ends = ((low, bar.cut_low), (high, bar.cut_high))
    cut_ends = [end for end, is_cut in ends if is_cut]
    if cut_ends:
        lines.append(f"cut at {' and '.join(cut_ends)}")
    return "<br>".join(lines)
