"""Fold histograms of the area under the curve, with intervals computed from single folds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.axis_parts import tick_step
from foldwise.figures.fold_histogram import MOST_ROWS, FoldHistogram, Form, format_means, write_margins
from foldwise.figures.fold_histogram_parts import (
    HistogramFolds,
    Numbers,
    annotate_at,
    axis_margin,
    draw_baselines,
    draw_bricks,
    draw_means,
    draw_ticks,
    set_axes,
    short_names,
)
from foldwise.figures.spec import Colours, cached_figure, fold_names
from foldwise.figures.theme import Style
from stats_core.comparison.cards.method_card import method_card
from stats_core.core.formatting import format_count
from stats_core.curves.curve_comparison import DataCurves, mean_areas

#: Intervals may widen the axis to this multiple of the folds' range; beyond it arrows continue them.
_MOST_SPANS = 6.0


HOW_AREAS = (
    "Each brick is the area of one {unit}; the bars above are 95% intervals that each method gives "
    "from a single {unit}. The two answer different questions: a bar says where the area of this one trained model may lie "
    "on new cases, the spread of bricks how the area varies with training and test cases. So neither "
    "has to be as wide as the other, and a bar does not see that another training set would give "
    "another classifier."
)
_HOW_ONE = (
    "Each mark is the area of one trained model; the bars are 95% intervals of several methods, and "
    "say where the area may lie on new cases. They do not see that another training would give "
    "another model, and bars that overlap can still differ, because both were tested on the same cases."
)
_HOW_ONE_ERROR = "Each mark is the error of one trained model on its one set of cases: no average."
_PAPERS = tuple(
    key for name in ("hanley_mcneil", "delong", "agarwal", "cortes_mohri") for key in method_card(name).papers
)


@dataclass(frozen=True, kw_only=True, eq=False)
class AucHistogram(FoldHistogram):
    """Each algorithm's folds as bricks, with intervals computed from one fold above them.

    The pale band behind a row shows the range of the folds, for comparison with the intervals.
    Bricks and ticks carry the label of their fold; bars of intervals carry a list with algorithm
    and method. Without intervals it is a `FoldHistogram` in rows.

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
        """Return the Plotly figure; ValueError without values or with values that are not finite."""
        bars = [_bars(name, self.intervals.get(name)) for name in map(str, self.values.columns)]
        return _draw(self.folds(style), bars) if any(bars) else super().draw(style)

    def caption(self, style: Style) -> str:
        """Return the caption sentences on bricks, means and intervals."""
        if not self.intervals:
            return ""
        methods = map(text.plain_text, next(iter(self.intervals.values())).index)
        named = text.join_escaped(list(methods), 4)
        ends = "Arrowheads: the interval goes on or was cut at a limit; one alone: it lies beyond the axis."
        if len(self.values) < 2:
            return f"Triangles are the areas, bars their intervals ({named}) over cases. {ends}"
        return (
            f"Piles count {self.unit}s; triangles are means. Bars are the intervals ({named}) that "
            f"one test set gives, to be judged against the pale band, the range of all {self.unit}s. "
            f"{ends}"
        )

    @property
    def data(self) -> pd.DataFrame:
        """The intervals, or the values without any."""
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
        subject = f"{measure} for {k} algorithm{'s' * (k != 1)}"
        sentence = f"{unit.capitalize()} histogram of {subject} on {format_count(n, unit)}."
        head = sentence if n > 1 else f"{subject} on one test set."
        parts = []
        for name in values.columns:
            column = values[name].to_numpy(dtype=float)
            low, high = (numbers.say(float(end)) for end in (column.min(), column.max()))
            bars = _bars(str(name), self.intervals.get(str(name)))
            ends = [f"{bar.method} {bar.low:.2f} to {bar.high:.2f}" for bar in bars]
            range_text = f"{unit} range {low} to {high}" if n > 1 else low
            part = f"{text.truncate_text(text.plain_text(name), 40)}: {range_text}"
            parts.append(part + (f"; intervals {', '.join(ends)}" if ends else ""))
        return text.fit_alt_text(f"{head} ", parts, "; ", ".", head)


def auc_histogram(
    values: pd.DataFrame, intervals: Mapping[str, pd.DataFrame], *, style: Style, **options: Any
) -> go.Figure:
    """Draw folds and intervals; `options` are the fields of `AucHistogram`."""
    return AucHistogram(values=values, intervals=intervals, **options).draw(style)


def fold_areas(data: DataCurves, areas: Mapping[str, pd.DataFrame], names: Sequence[str]) -> pd.DataFrame:
    """Return the AUC of the best algorithms, fold x algorithm, without undefined folds."""
    best = mean_areas({name: areas[name] for name in names}).index[:MOST_ROWS]
    table = {name: areas[name]["auc"].to_numpy() for name in best}
    return pd.DataFrame(table, index=fold_names(data.folds)).dropna()


@cached_figure
def areas_drawing(
    data: DataCurves, values: pd.DataFrame, bars: Mapping[str, pd.DataFrame], *, fold: str, colours: Colours = None
) -> AucHistogram:
    """Return the figure of the areas of all folds and intervals from one fold."""
    several = len(values) > 1
    return AucHistogram(
        name=f"auc_intervals_{data.dataset}",
        title=f"AUC of every {data.unit}, intervals from {data.unit} {fold}" if several else "AUC with its intervals",
        papers=_PAPERS,
        values=values,
        intervals=bars,
        measure="AUC",
        higher_is_better=True,
        colours=colours,
        algorithms=data.names,
        unit=data.unit,
        how=HOW_AREAS if several else _HOW_ONE,
    )


@cached_figure
def errors_drawing(data: DataCurves, errors: pd.DataFrame, *, colours: Colours = None) -> AucHistogram:
    """Return the figure of the error of every fold, in the form of the figure of areas."""
    several = len(errors) > 1
    return AucHistogram(
        name=f"error_folds_{data.dataset}",
        title=f"Error of every {data.unit}" if several else "Error",
        values=errors,
        intervals={},
        measure="error",
        higher_is_better=False,
        colours=colours,
        algorithms=data.names,
        unit=data.unit,
        **({} if several else {"how": _HOW_ONE_ERROR}),
    )


@dataclass(frozen=True, slots=True)
class _Bar:
    """One interval of one algorithm."""

    algorithm: str
    method: str
    low: float
    high: float
    cut_low: bool
    cut_high: bool


def _bars(name: str, table: pd.DataFrame | None) -> list[_Bar]:
    """Return the intervals of one algorithm with two finite ends."""
    if table is None:
        return []
    return [
        _Bar(
            name,
            str(method),
            float(row["low"]),
            float(row["high"]),
            bool(row.get("clipped_low", False)),
            bool(row.get("clipped_high", False)),
        )
        for method, row in table.iterrows()
        if np.isfinite([row["low"], row["high"]]).all()
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _AucRows:
    """Heights in px: rows, bricks, distance between intervals, and baselines."""

    pitch: float
    room: float
    step: float
    height: float
    baselines: list[float]

    @classmethod
    def of(cls, folds: HistogramFolds, bars: list[list[_Bar]]) -> _AucRows:
        """Return the heights of rows with intervals, bricks, baseline, ticks and mean."""
        style, most = folds.style, max(len(algorithm_bars) for algorithm_bars in bars)
        step = style.px(12, 9)
        pitch = style.px(69, 41) + style.px(10, 8) * most
        room = style.px(44, 26) - (step - style.px(10, 8)) * most
        if not folds.binned:
            pitch, room = style.px(30, 19) + step * most, style.px(6, 4)
        height = len(folds.names) * pitch + style.px(4, 3)
        baseline_offset = style.px(23, 14)
        baselines = [height - (index + 1) * pitch + baseline_offset for index in range(len(folds.names))]
        return cls(pitch=pitch, room=room, step=step, height=height, baselines=baselines)

    def of_interval(self, row: int, place: int) -> float:
        """Return the height of an interval; higher `place` lies higher."""
        return self.baselines[row] + self.room + (place + 0.5) * self.step


def _draw(folds: HistogramFolds, bars: list[list[_Bar]]) -> go.Figure:
    style, rows = folds.style, _AucRows.of(folds, bars)
    fig = _frame(folds, bars, rows)
    tick, gap, size = style.px(8, 5.5), style.px(2, 1.5), style.px(9, 6)
    tallest = max(folds.tallest(j) for j in range(len(folds.names)))
    unit = min(style.px(12, 7), rows.room / tallest)
    _ranges(fig, folds, rows, bars)
    for j, y in enumerate(rows.baselines):
        if folds.binned:
            draw_bricks(fig, folds, j, y, unit)
    draw_baselines(fig, rows.baselines, style.px(style.leader, style.ink), style)
    for j, y in enumerate(rows.baselines):
        draw_ticks(fig, folds, j, y - gap / 2 - tick / 2, tick)
    mean_heights = [y - gap - tick - size / 2 for y in rows.baselines]
    draw_means(fig, folds, mean_heights, ["triangle-up"] * len(mean_heights), size=size)
    for j, algorithm_bars in enumerate(bars):
        for position, bar in enumerate(reversed(algorithm_bars)):
            _interval(fig, bar, rows.of_interval(j, position), folds, j)
    middles = [y + rows.room / 2 for y in rows.baselines]
    if not folds.binned:
        middles = [y - style.px(6, 4) for y in rows.baselines]
    write_margins(fig, folds, middles, style.tick_size, style.px(10, 8))
    return fig


def _frame(folds: HistogramFolds, bars: list[list[_Bar]], rows: _AucRows) -> go.Figure:
    """Return the empty figure, with room at the right for the name of any interval."""
    style = folds.style
    left = short_names(folds, 0.32, style.tick_size, rows.pitch)[1] + style.px(16, 10)
    means = [text.text_width(mean_text, style.size, style.serif) for mean_text in [*format_means(folds), "mean"]]
    methods = [text.text_width(text.escape(method), _small(style), style.serif) for method in _methods(bars)]
    right = max(max(means) + style.px(20, 13), max(methods) + style.px(18, 12))
    margin = {"l": left, "r": right, "t": style.px(20, 15), "b": axis_margin(style)}
    fig = theme.new_figure(style, margin["t"] + rows.height + margin["b"], margin=margin, barmode="overlay")
    plot = style.width - left - right
    set_axes(fig, folds, plot, rows.height)
    low, high = _reach(folds, bars)
    step = tick_step(high - low, plot / (4.2 * style.tick_size))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    fig.update_xaxes(
        range=[low, high],
        tickmode="linear",
        tick0=0,
        dtick=step,
        tickformat=f".{decimals}f",
        tickvals=None,
        ticktext=None,
    )
    return fig


def _small(style: Style) -> float:
    return style.px(11, 8)


def _methods(bars: list[list[_Bar]]) -> list[str]:
    """Return the names of the methods as printed, at most about 22 characters."""
    return [_short(bar.method) for algorithm_bars in bars for bar in algorithm_bars]


def _short(method: str) -> str:
    return text.shorten([method], 22, 1.7)[method]


def _reach(folds: HistogramFolds, bars: list[list[_Bar]]) -> tuple[float, float]:
    """Return the ends of the axis: all bins, and intervals as far as bricks stay legible."""
    first, last = float(folds.bins.edges[0]), float(folds.bins.edges[-1])
    ends = np.array([(bar.low, bar.high) for algorithm_bars in bars for bar in algorithm_bars])
    # A single fold has no range, so an interval of median width is always shown in full.
    largest_overhang = max((_MOST_SPANS - 1) / 2 * (last - first), float(np.median(ends[:, 1] - ends[:, 0])))
    low = min(first, max(float(ends[:, 0].min()), first - largest_overhang))
    high = max(last, min(float(ends[:, 1].max()), last + largest_overhang))
    pad = 0.03 * (high - low)
    return low - pad, high + pad


def _ranges(fig: go.Figure, folds: HistogramFolds, rows: _AucRows, bars: list[list[_Bar]]) -> None:
    """Draw a pale band behind every row, from its smallest to its largest fold."""
    style = folds.style
    low, high = folds.values.min(axis=0), folds.values.max(axis=0)
    band_heights = [rows.room + rows.step * len(algorithm_bars) for algorithm_bars in bars]
    fig.add_bar(
        x=((low + high) / 2).tolist(),
        y=band_heights,
        base=rows.baselines,
        width=(high - low).tolist(),
        name="range",
        hovertext=[_range_words(folds, j) for j in range(len(folds.names))],
        hoverinfo="text",
        marker={"color": style.px(style.hairline, "#E4E4E4"), "line": {"width": 0}},
    )
    if high[0] > low[0]:
        annotate_at(
            fig,
            f"range of {folds.unit}s",
            float(low[0] + high[0]) / 2,
            rows.baselines[0] + band_heights[0],
            style,
            yanchor="bottom",
            yshift=2,
            size=_small(style),
            colour=style.second,
        )


def _range_words(folds: HistogramFolds, algorithm: int) -> str:
    column, counted = folds.values[:, algorithm], format_count(len(folds.labels), folds.unit)
    low, high = (folds.numbers.say(float(end)) for end in (column.min(), column.max()))
    name = text.escape(folds.names[algorithm])
    return f"<b>{name}, range of {counted}</b><br>{low} to {high}"


def _interval(fig: go.Figure, bar: _Bar, y: float, folds: HistogramFolds, algorithm: int) -> None:
    """Draw one interval as a bar with caps or arrowheads, and its name at the right."""
    style = folds.style
    first, last = fig.layout.xaxis.range
    low, high = (min(max(end, first), last) for end in (bar.low, bar.high))
    thickness = style.px(3, 1.8)
    hover = _interval_words(bar, folds, algorithm)
    colour = folds.fills[algorithm] if style.colour else style.ink
    options = {"hoverinfo": "text", "unselected": {"marker": {"opacity": 1}}}
    fig.add_bar(
        x=[(low + high) / 2],
        y=[thickness],
        base=[y - thickness / 2],
        width=[high - low],
        name=text.escape(bar.method),
        customdata=[[bar.algorithm, bar.method]],
        hovertext=[hover],
        marker={"color": colour, "line": {"width": 0}},
        **options,
    )
    fig.add_scatter(
        x=[low, high],
        y=[y, y],
        mode="markers",
        name=f"{text.escape(bar.method)} ends",
        customdata=[[bar.algorithm, bar.method]] * 2,
        hovertext=[hover] * 2,
        marker={
            "symbol": _ends(bar, first, last),
            "size": style.px(8, 5.5),
            "opacity": 1,
            "color": colour,
            "line": {"width": style.px(2, 1.2), "color": colour},
        },
        cliponaxis=False,
        **options,
    )
    annotate_at(
        fig, text.escape(_short(bar.method)), high, y, style, xanchor="left", xshift=style.px(8, 5), size=_small(style)
    )


def _ends(bar: _Bar, first: float, last: float) -> list[str]:
    """Return the symbols of both ends; twice the same arrow for an interval beyond the axis."""
    left, cap, right = "triangle-left", "line-ns", "triangle-right"
    if bar.high < first or bar.low > last:
        return [left if bar.high < first else right] * 2
    return [left if bar.cut_low or bar.low < first else cap, right if bar.cut_high or bar.high > last else cap]


def _interval_words(bar: _Bar, folds: HistogramFolds, algorithm: int) -> str:
    """Return the hover text: ends, width, number of folds inside, and clipped ends."""
    column = folds.values[:, algorithm]
    inside = int(((column >= bar.low) & (column <= bar.high)).sum())
    width = bar.high - bar.low
    decimals = max(2, text.decimals_for([width]))
    low, high = (text.format_minus(end, decimals) for end in (bar.low, bar.high))
    lines = [
        f"<b>{text.escape(bar.algorithm)}, {text.escape(bar.method)}</b>",
        f"{low} to {high}, width {width:.{decimals}f}",
        *([f"holds {inside} of {len(column)} {folds.unit}s"] if len(column) > 1 else []),
    ]
    clipped = [low] * bar.cut_low + [high] * bar.cut_high
    if clipped:
        lines.append(f"cut at {' and '.join(clipped)}")
    return "<br>".join(lines)
