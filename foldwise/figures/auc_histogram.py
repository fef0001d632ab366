"""Fold histograms of the area under the curve, with intervals computed from single folds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.axis_parts import tick_step
from foldwise.figures.fold_histogram import MOST_ROWS, fold_histogram, format_means, write_margins
from foldwise.figures.fold_histogram_parts import (
    Bins,
    HistogramFolds,
    Numbers,
    annotate_at,
    axis_margin,
    draw_baselines,
    draw_bricks,
    draw_means,
    draw_ticks,
    fills_by_algorithm,
    set_axes,
    short_names,
)
from foldwise.figures.theme import Style
from stats_core.core.formatting import format_count

#: Intervals may widen the axis to this multiple of the folds' range; beyond it arrows continue them.
_MOST_SPANS = 6.0


def auc_histogram(
    values: pd.DataFrame,
    intervals: Mapping[str, pd.DataFrame],
    *,
    measure: str,
    style: Style,
    colours: Mapping[str, str] | None = None,
    higher_is_better: bool | None = None,
    unit: str = "fold",
) -> go.Figure:
    """Draw each algorithm's folds as bricks, with intervals computed from one fold above them.

    Parameters
    ----------
    values : DataFrame
        One row per fold (the index its label), one column per algorithm. No missing results.
    intervals : mapping of algorithm to DataFrame
        The index names the method; columns low and high, and optionally the flags clipped_low
        and clipped_high of ends cut at a limit. Intervals with a missing end are left out. Without any
        the figure is :func:`foldwise.figures.fold_histogram.fold_histogram` in rows.
    measure : str
        Name of the measure, for the axis.
    style : Style
        Surface and width.
    colours : mapping, optional
        Colour per algorithm. Print without colour ignores it.
    higher_is_better : bool, optional
        Direction of the measure, for the axis.
    unit : str
        Source of one value per algorithm, such as "fold".

    Returns
    -------
    Figure
        The pale band behind a row shows the range of the folds, for comparison with the intervals.
        Bricks and ticks carry the label of their fold; bars of intervals carry a list with
        algorithm and method.

    Raises
    ------
    ValueError
        If there is no value or one that is not finite.
    """
    names = [str(name) for name in values.columns]
    bars = [_bars(name, intervals.get(name)) for name in names]
    hues = dict(colours) if colours is not None else None
    if not any(bars):
        return fold_histogram(
            values,
            measure=measure,
            higher_is_better=higher_is_better,
            style=style,
            form="rows",
            colours=hues,
            unit=unit,
        )
    data = values.to_numpy(dtype=float)
    if not data.size or not np.isfinite(data).all():
        raise ValueError("`values` needs at least one fold and one algorithm, all values finite")
    folds = HistogramFolds(
        names=names,
        labels=[str(label) for label in values.index],
        values=data,
        measure=measure,
        higher_is_better=higher_is_better,
        bins=Bins.of(data),
        numbers=Numbers.of(values, measure),
        style=style,
        fills=fills_by_algorithm(names, hues, style, "rows"),
        lit=np.ones(len(values), dtype=bool),
        binned=len(names) <= MOST_ROWS,
        unit=unit,
    )
    return _draw(folds, bars)


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
        baselines = [
            height - (index + 1) * pitch + baseline_offset for index in range(len(folds.names))
        ]
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
    means = [
        text.text_width(mean_text, style.size, style.serif)
        for mean_text in [*format_means(folds), "mean"]
    ]
    methods = [
        text.text_width(text.escape(method), _small(style), style.serif)
        for method in _methods(bars)
    ]
    right = max(max(means) + style.px(20, 13), max(methods) + style.px(18, 12))
    margin = {"l": left, "r": right, "t": style.px(20, 15), "b": axis_margin(style)}
    fig = theme.new_figure(
        style, margin["t"] + rows.height + margin["b"], margin=margin, barmode="overlay"
    )
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
    largest_overhang = max(
        (_MOST_SPANS - 1) / 2 * (last - first), float(np.median(ends[:, 1] - ends[:, 0]))
    )
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
        fig,
        text.escape(_short(bar.method)),
        high,
        y,
        style,
        xanchor="left",
        xshift=style.px(8, 5),
        size=_small(style),
    )


def _ends(bar: _Bar, first: float, last: float) -> list[str]:
    """Return the symbols of both ends; twice the same arrow for an interval beyond the axis."""
    left, cap, right = "triangle-left", "line-ns", "triangle-right"
    if bar.high < first or bar.low > last:
        return [left if bar.high < first else right] * 2
    return [
        left if bar.cut_low or bar.low < first else cap,
        right if bar.cut_high or bar.high > last else cap,
    ]


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


def alt_auc_histogram(
    values: pd.DataFrame,
    intervals: Mapping[str, pd.DataFrame],
    *,
    measure: str = "AUC",
    unit: str = "fold",
) -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    numbers = Numbers.of(values, measure)
    k, n = values.shape[1], len(values)
    subject = (
        f"{text.truncate_text(text.plain_text(measure), 60)} for {k} algorithm{'s' * (k != 1)}"
    )
    sentence = f"{unit.capitalize()} histogram of {subject} on {format_count(n, unit)}."
    head = sentence if n > 1 else f"{subject} on one test set."
    parts = []
    for name in values.columns:
        column = values[name].to_numpy(dtype=float)
        low, high = (numbers.say(float(end)) for end in (column.min(), column.max()))
        bars = _bars(str(name), intervals.get(str(name)))
        ends = [f"{bar.method} {bar.low:.2f} to {bar.high:.2f}" for bar in bars]
        range_text = f"{unit} range {low} to {high}" if n > 1 else low
        part = f"{text.truncate_text(text.plain_text(name), 40)}: {range_text}"
        parts.append(part + (f"; intervals {', '.join(ends)}" if ends else ""))
    return text.fit_alt_text(f"{head} ", parts, "; ", ".", head)


def caption_auc_histogram(methods: Sequence[str], folds: int = 2, unit: str = "fold") -> str:
    """Return the caption sentences on bricks, means and intervals; `folds` is their number.

    Examples
    --------
    >>> caption_auc_histogram(["Hanley-McNeil", "DeLong"])[-75:]
    'interval goes on or was cut at a limit; one alone: it lies beyond the axis.'
    """
    sentences = f"Piles count {unit}s; triangles are means."
    named = text.join_escaped([text.plain_text(method) for method in methods], 4)
    if folds < 2:
        return (
            f"Triangles are the areas, bars their intervals ({named}) over cases. Arrowheads: the "
            "interval goes on or was cut at a limit; one alone: it lies beyond the axis."
        )
    if methods:
        sentences += (
            f" Bars are the intervals ({named}) that one test set gives, to be judged against the "
            f"pale band, the range of all {unit}s. Arrowheads: the interval goes on or was cut at a "
            "limit; one alone: it lies beyond the axis."
        )
    return sentences
