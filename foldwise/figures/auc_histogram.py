"""Histograms of the area under the curve over folds, with confidence intervals from single folds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.axis_parts import tick_step
from foldwise.figures.fold_histogram import MOST_ROWS, FoldHistogram, Form, HistogramPlot, Numbers
from foldwise.figures.spec import Colours, cached_figure, figure_text, fold_names
from foldwise.figures.theme import Style
from stats_core.comparison.cards import method_card
from stats_core.core.formatting import format_count
from stats_core.curves import curve_comparison
from stats_core.curves.curve_comparison import DataCurves

#: Intervals may widen the axis to this multiple of the folds' range; beyond it arrows continue them.
_MOST_SPANS = 6.0


_PAPERS = tuple(
    key
    for name in ("hanley_mcneil", "delong", "agarwal", "cortes_mohri")
    for key in method_card.method_card(name).papers
)


@dataclass(frozen=True, kw_only=True, eq=False)
class AucHistogram(FoldHistogram):
    """Histogram of each algorithm's areas over folds, with confidence intervals from one fold above.

    The pale band behind a row shows the range of the folds, for comparison with the intervals.
    The customdata of a box or tick is the label of its fold, that of an interval ``[algorithm,
    method]``. Without intervals the figure is a `FoldHistogram` in rows.

    Attributes
    ----------
    intervals : mapping of algorithm to DataFrame
        The index names the method; columns low and high, and optionally the flags clipped_low
        and clipped_high of ends cut at a limit. Intervals with a missing end are left out.
    """

    zoom: ClassVar[str] = "x"
    intervals: Mapping[str, pd.DataFrame]
    form: Form = "rows"

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure; raise ValueError without values or with non-finite values."""
        if not any(self.bars):
            return super().draw(style)
        plot = self.plot(style)
        _draw(plot, self.bars)
        return plot.fig

    @property
    def how_to_read(self) -> str:
        """Text on how to read the figure."""
        if self.how == "folds":
            return super().how_to_read
        return figure_text(f"auc_histogram.how_to_read_{self.how}", unit=self.unit)

    @property
    def bars(self) -> list[list[_Bar]]:
        """Intervals of each algorithm that have finite ends."""
        bars = []
        for name in map(str, self.values.columns):
            table = self.intervals.get(name, pd.DataFrame(columns=["low", "high"]))
            table = pd.DataFrame({"clipped_low": False, "clipped_high": False, **table}, index=table.index)
            table = table[np.isfinite(table[["low", "high"]].astype(float)).all(axis=1)]
            rows = table.rename(index=str)[["low", "high", "clipped_low", "clipped_high"]].itertuples()
            bars.append([_Bar(name, *row) for row in rows])
        return bars

    def caption(self, style: Style) -> str:
        """Return the caption sentences on unit cells, means and intervals."""
        if not self.intervals:
            return ""
        methods = text.join_escaped(map(text.plain_text, next(iter(self.intervals.values())).index), 4)
        n = len(self.values)
        values = {"measure": self.measure, "n": n, "several": n > 1, "unit": self.unit}
        return figure_text("auc_histogram.caption", methods=methods, **values)

    @property
    def data(self) -> pd.DataFrame:
        """The intervals, or the results of the folds if there are no intervals."""
        if self.intervals:
            return pd.concat(self.intervals, names=["algorithm", "method"])
        return self.values.rename_axis(self.unit)

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        values, unit = self.values, self.unit
        numbers = Numbers.of(values, self.measure)
        k, n = values.shape[1], len(values)
        measure = text.truncate_text(text.plain_text(self.measure), 60)
        counted = format_count(n, unit) if n > 1 else "one test set"
        head, parts = figure_text("auc_histogram.alt", measure=measure, k=k, counted=counted), []
        for (name, column), bars in zip(values.astype(float).items(), self.bars, strict=True):
            low, high = numbers.say(column.min()), numbers.say(column.max())
            ends = ", ".join(f"{bar.method} {bar.low:.2f} to {bar.high:.2f}" for bar in bars)
            range_text = f"{unit} range {low} to {high}" if n > 1 else low
            short = text.truncate_text(text.plain_text(name), 40)
            parts.append(f"{short}: {range_text}{f', intervals {ends}' if ends else ''}")
        return text.fit_alt_text(f"{head} ", parts, ". ", ".", head, more=", ")


def fold_areas(data: DataCurves, areas: Mapping[str, pd.DataFrame], names: Sequence[str]) -> pd.DataFrame:
    """Return the AUC of the given algorithms, fold x algorithm, without folds where it is undefined."""
    best = curve_comparison.mean_areas({name: areas[name] for name in names}).index[:MOST_ROWS]
    table = {name: areas[name]["auc"].to_numpy() for name in best}
    return pd.DataFrame(table, index=fold_names(data.folds)).dropna()


@cached_figure
def areas_drawing(
    data: DataCurves, values: pd.DataFrame, bars: Mapping[str, pd.DataFrame], *, fold: str, colours: Colours = None
) -> AucHistogram:
    """Return the histogram of areas over folds, with intervals from one fold."""
    several = len(values) > 1
    return AucHistogram(
        name=f"auc_intervals_{data.dataset}",
        title=figure_text(
            "auc_histogram.title_areas" if several else "auc_histogram.title_of_one",
            unit=data.unit,
            fold=fold,
            dataset=data.dataset,
        ),
        papers=_PAPERS,
        values=values,
        intervals=bars,
        measure="AUC",
        higher_is_better=True,
        colours=colours,
        algorithms=data.names,
        unit=data.unit,
        how="areas" if several else "area_of_one",
    )


@cached_figure
def errors_drawing(data: DataCurves, errors: pd.DataFrame, *, colours: Colours = None) -> AucHistogram:
    """Return the histogram of errors over folds."""
    several = len(errors) > 1
    return AucHistogram(
        name=f"error_folds_{data.dataset}",
        title=f"Error per {data.unit} on {data.dataset}" if several else f"Error on {data.dataset}",
        values=errors,
        intervals={},
        measure="error",
        higher_is_better=False,
        colours=colours,
        algorithms=data.names,
        unit=data.unit,
        **({} if several else {"how": "error_of_one"}),
    )


class _Bar(NamedTuple):
    """Interval of one algorithm, and whether its ends are clipped."""

    algorithm: str
    method: str
    low: float
    high: float
    cut_low: bool
    cut_high: bool


def _draw(plot: HistogramPlot, bars: list[list[_Bar]]) -> None:
    """Draw one histogram row per algorithm, with its intervals above and its range behind."""
    style, most, count = plot.style, max(map(len, bars)), len(plot.names)
    step = style.px(12, 9)  # height of an interval
    pitch = style.px(69, 41) + style.px(10, 8) * most
    room = style.px(44, 26) - (step - style.px(10, 8)) * most
    if not plot.binned:
        pitch, room = style.px(30, 19) + step * most, style.px(6, 4)
    height = count * pitch + style.px(4, 3)
    _start(plot, bars, pitch, height)
    baselines = [height - (row + 1) * pitch + style.px(23, 14) for row in range(count)]
    _draw_ranges(plot, baselines, [room + step * len(row) for row in bars])
    plot.rows(baselines, room)
    for algorithm, (baseline, row) in enumerate(zip(baselines, bars, strict=True)):
        for position, bar in enumerate(reversed(row)):
            _draw_interval(plot, bar, baseline + room + (position + 0.5) * step, algorithm)
    shift = room / 2 if plot.binned else -style.px(6, 4)
    plot.write_margins([y + shift for y in baselines], style.tick_size, style.px(10, 8))


def _start(plot: HistogramPlot, bars: list[list[_Bar]], pitch: float, height: float) -> None:
    """Start the figure, with room at the right for the names of intervals.

    The axis contains all bins, and intervals as far as unit cells stay legible.
    """
    style = plot.style
    left = plot.short_names(0.32, style.tick_size, pitch)[1] + style.px(16, 10)
    methods = [text.escape(_short(bar.method)) for row in bars for bar in row]
    widest = max(text.text_width(method, _small(style), style.serif) for method in methods)
    right = max(plot.mean_width() + style.px(20, 13), widest + style.px(18, 12))
    width = plot.start(height, left, right, style.px(20, 15), style.tick_size)
    first, last = float(plot.bins.edges[0]), float(plot.bins.edges[-1])
    ends = np.array([(bar.low, bar.high) for row in bars for bar in row])
    # A single fold has no range, so an interval of median width is always shown in full.
    largest_overhang = max((_MOST_SPANS - 1) / 2 * (last - first), float(np.median(ends[:, 1] - ends[:, 0])))
    low = min(first, max(float(ends[:, 0].min()), first - largest_overhang))
    high = max(last, min(float(ends[:, 1].max()), last + largest_overhang))
    pad = 0.03 * (high - low)
    low, high = low - pad, high + pad
    step = tick_step(high - low, width / (4.2 * style.tick_size))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = {"tickmode": "linear", "tick0": 0, "dtick": step, "tickvals": None, "ticktext": None}
    plot.fig.update_xaxes(range=[low, high], tickformat=f".{decimals}f", **ticks)


def _small(style: Style) -> float:
    return style.px(11, 8)


def _short(method: str) -> str:
    """Return the name of a method as printed, at most about 22 characters."""
    return text.shorten([method], 22, 1.7)[method]


def _draw_ranges(plot: HistogramPlot, baselines: list[float], heights: list[float]) -> None:
    """Draw a pale band behind each row, from the smallest to the largest fold."""
    style, unit = plot.style, plot.spec.unit
    low, high = plot.values.min(axis=0), plot.values.max(axis=0)
    counted = format_count(len(plot.labels), unit)
    hover_text = [
        f"<b>{text.escape(name)}, range of {counted}</b><br>{plot.numbers.span(column)}"
        for name, column in zip(plot.names, plot.values.T, strict=True)
    ]
    plot.fig.add_bar(
        x=((low + high) / 2).tolist(),
        y=heights,
        base=baselines,
        width=(high - low).tolist(),
        name="range",
        hovertext=hover_text,
        hoverinfo="text",
        marker={"color": style.px(style.hairline, "#E4E4E4"), "line": {"width": 0}},
    )
    if high[0] > low[0]:
        x, y = float(low[0] + high[0]) / 2, baselines[0] + heights[0]
        plot.write(f"range of {unit}s", x, y, _small(style), style.second, yanchor="bottom", yshift=2)


def _draw_interval(plot: HistogramPlot, bar: _Bar, y: float, algorithm: int) -> None:
    """Draw one interval as a bar with caps or arrowheads, with its name at the right."""
    style, method = plot.style, text.escape(bar.method)
    first, last = plot.fig.layout.xaxis.range
    low, high = (min(max(end, first), last) for end in (bar.low, bar.high))
    thickness = style.px(3, 1.8)
    hover = _interval_words(bar, plot, algorithm)
    colour = plot.fills[algorithm] if style.colour else style.ink
    of = [bar.algorithm, bar.method]
    plot.fig.add_bar(
        x=[(low + high) / 2],
        y=[thickness],
        base=[y - thickness / 2],
        width=[high - low],
        name=method,
        customdata=[of],
        hovertext=[hover],
        hoverinfo="text",
        marker={"color": colour, "line": {"width": 0}},
        unselected={"marker": {"opacity": 1}},
    )
    marker = (style.px(8, 5.5), _end_symbols(bar, first, last), colour, (style.px(2, 1.2), colour))
    traces.add_points(
        plot.fig, [low, high], [y, y], f"{method} ends", *marker, hover_text=[hover] * 2, customdata=[of] * 2
    )
    at_right = {"xanchor": "left", "xshift": style.px(8, 5)}
    plot.write(text.escape(_short(bar.method)), high, y, _small(style), **at_right)


def _end_symbols(bar: _Bar, first: float, last: float) -> list[str]:
    """Return the symbols of both interval ends; two equal arrows if the interval is outside the axis."""
    left, cap, right = "triangle-left", "line-ns", "triangle-right"
    if bar.high < first or bar.low > last:
        return [left if bar.high < first else right] * 2
    return [left if bar.cut_low or bar.low < first else cap, right if bar.cut_high or bar.high > last else cap]


def _interval_words(bar: _Bar, plot: HistogramPlot, algorithm: int) -> str:
    """Return the hover text of an interval: ends, width, folds inside, clipping."""
    column = plot.values[:, algorithm]
    inside = int(((column >= bar.low) & (column <= bar.high)).sum())
    width = bar.high - bar.low
    decimals = max(2, text.decimals_for([width]))
    low, high = (text.format_minus(end, decimals) for end in (bar.low, bar.high))
    lines = [
        f"<b>{text.escape(bar.algorithm)}, {text.escape(bar.method)}</b>",
        f"{low} to {high}, width {width:.{decimals}f}",
        *([f"contains {inside} of {len(column)} {plot.spec.unit}s"] if len(column) > 1 else []),
    ]
    clipped = [low] * bar.cut_low + [high] * bar.cut_high
    if clipped:
        lines.append(f"cut at {' and '.join(clipped)}")
    return "<br>".join(lines)
