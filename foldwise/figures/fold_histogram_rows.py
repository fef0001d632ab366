"""The fold histogram with one row per algorithm: bricks, or only ticks where there are many."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.fold_histogram_parts import (
    annotate_at,
    axis_margin,
    draw_baselines,
    draw_bricks,
    draw_means,
    draw_ticks,
    set_axes,
)
from foldwise.figures.fold_histogram_values import HistogramFolds, short_names

#: With more algorithms in print the text is seven points high.
_MOST_LARGE = 12


def histogram_rows(folds: HistogramFolds) -> go.Figure:
    """Draw one row of bricks per algorithm on one axis, ticks and mean below its baseline."""
    style = folds.style
    pitch, room = style.px(69, 41), style.px(44, 26)
    tick, gap = style.px(8, 5.5), style.px(2, 1.5)
    tallest = max(folds.tallest(j) for j in range(len(folds.names)))
    unit = min(style.px(12, 7), room / tallest)
    fig, height = _frame(folds, pitch, style.tick_size)
    baselines = [height - i * pitch - room for i in range(len(folds.names))]
    for j, y in enumerate(baselines):
        draw_bricks(fig, folds, j, y, unit)
    draw_baselines(fig, baselines, style.px(style.leader, style.ink), style)
    for j, y in enumerate(baselines):
        draw_ticks(fig, folds, j, y - gap / 2 - tick / 2, tick)
    size = style.px(9, 6)
    below = [y - gap - tick - size / 2 for y in baselines]
    draw_means(fig, folds, below, ["triangle-up"] * len(below), size=size)
    write_margins(fig, folds, [y + room / 2 for y in baselines], style.tick_size, 6)
    if folds.bins.constant:
        for y in baselines:
            _beside(fig, folds, y + room / 2)
    return fig


def tick_rows(folds: HistogramFolds) -> go.Figure:
    """Draw one narrow row of ticks per algorithm with a triangle at its mean."""
    style = folds.style
    small = style.printed and len(folds.names) > _MOST_LARGE
    size = 7 * theme.PX_PER_POINT if small else style.tick_size
    pitch = style.px(22, 1.3 * size)
    fig, height = _frame(folds, pitch, size)
    middles = [height - (i + 0.5) * pitch for i in range(len(folds.names))]
    draw_baselines(fig, middles, style.hairline, style)
    tick, mark = style.px(9, 5.5), style.px(9, 5.5)
    for j, y in enumerate(middles):
        draw_ticks(fig, folds, j, y + tick / 4, tick, style.px(style.second, style.ink))
    below = [y - tick / 4 - mark / 2 - style.px(0.5, 0.3) for y in middles]
    fills = None if style.printed and not style.colour else folds.fills
    draw_means(fig, folds, below, ["triangle-up"] * len(below), fills=fills, size=mark)
    write_margins(fig, folds, middles, size, 6)
    if folds.bins.constant:
        value = float(folds.values.flat[0])
        head = {"yref": "paper", "yshift": style.px(6, 6), "size": style.tick_size}
        annotate_at(fig, folds.constant_words(), value, 1, style, **head)
    return fig


def _frame(folds: HistogramFolds, pitch: float, size: float) -> tuple[go.Figure, float]:
    """Return an empty figure with its axes, and the height of the plot."""
    style = folds.style
    left = short_names(folds, 0.32, size, pitch)[1] + style.px(16, 10)
    means = [*format_means(folds), "mean"]
    right = max(text.text_width(m, style.size, style.serif) for m in means) + style.px(20, 13)
    top = style.px(14, 12)
    margin = {"l": left, "r": right, "t": top, "b": axis_margin(style)}
    height = len(folds.names) * pitch + style.px(4, 3)
    fig = theme.new_figure(style, top + height + margin["b"], margin=margin, barmode="overlay")
    set_axes(fig, folds, style.width - left - right, height, size)
    return fig, height


def format_means(folds: HistogramFolds) -> list[str]:
    """Return the mean of every algorithm as printed."""
    return [folds.numbers.say(float(m)) for m in folds.values.mean(axis=0)]


def write_margins(
    fig: go.Figure, folds: HistogramFolds, heights: list[float], size: float, lift: float
) -> None:
    """Write the names to the left of the rows and the means to the right, under their head."""
    style = folds.style
    pitch = heights[0] - heights[1] if len(heights) > 1 else math.inf
    fig.update_yaxes(tickvals=heights, ticktext=short_names(folds, 0.32, size, pitch)[0])
    shift = fig.layout.margin.r - style.px(8, 5)
    how = {"xref": "paper", "xanchor": "right", "xshift": shift}
    for y, mean in zip(heights, format_means(folds), strict=True):
        annotate_at(fig, mean, 1, y, style, size=size, **how)
    if len(folds.values) == 1:  # nothing is averaged
        return
    head = {"yref": "paper", "yshift": lift, "size": style.tick_size, "colour": style.second}
    annotate_at(fig, "mean", 1, 1, style, **head, **how)


def _beside(fig: go.Figure, folds: HistogramFolds, y: float) -> None:
    """Write to the right of the only column that all values are equal."""
    edge = float(folds.bins.edges[1])
    words = folds.constant_words()
    annotate_at(fig, words, edge, y, folds.style, xanchor="left", xshift=folds.style.px(8, 5))
