"""Differences of two algorithms per fold, with the intervals of one or more tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import (
    difference_axis_title,
    draw_region,
    draw_zero,
    names_axis,
    no_matter,
    side_labels,
    tick_axis,
    ticks,
    write_sides,
)
from foldwise.figures.label_placement import pack_rows
from foldwise.figures.paired_folds import hover_number
from foldwise.figures.theme import FADED, Style
from stats_core.core.formatting import format_count

#: Intervals are cut if they extend beyond the folds by more than this multiple of the folds'
#: range, so that folds remain distinguishable.
_MOST_SPANS = 1.5


def difference_interval(
    differences: pd.Series,
    intervals: pd.DataFrame,
    *,
    first: str,
    second: str,
    measure: str,
    higher_is_better: bool,
    style: Style,
    region: float | None = None,
    unit: str = "fold",
    selected: Collection[str] = (),
) -> go.Figure:
    """Draw the difference in each fold, with estimate and interval of each test below.

    Parameters
    ----------
    differences : Series
        `first` minus `second` per fold, with fold labels as index.
    intervals : DataFrame
        One row per test (the index its name), the decisive test first: estimate, low, high; NaN
        for a test without an interval, infinite for an open end.
    first, second : str
        The two algorithms.
    measure : str
        Name of the measure, for the axis.
    higher_is_better : bool
        Direction of the measure; it decides which algorithm is better on which side.
    style : Style
        Surface and width.
    region : float, optional
        Half-width of the equivalence region, drawn as a labelled light band around zero.
    unit : str
        Source of one result per algorithm: "fold" or "run".
    selected : collection of str
        Folds that keep full opacity while the others fade.

    Returns
    -------
    Figure
        Folds as hollow circles, equal ones stacked; a vertical stroke for the estimate and a bar
        for the interval of each test. Circles carry the label of their fold.
    """
    ends = (second, first) if higher_is_better else (first, second)
    font_size = style.size
    shown, left = _tests(intervals, style)
    margin = {"l": left, "r": style.px(14, 8), "b": style.px(38, 31)}
    width = style.width - margin["l"] - margin["r"]
    span = _reach(differences, intervals)
    half = max(_widths(_across(span, width, style)[1], style), default=0.0) / 2
    margin["l"], margin["r"] = max(margin["l"], half), max(margin["r"], half)
    width = style.width - margin["l"] - margin["r"]
    on_one_line, side_texts = _sides(ends, span, width, no_matter(region), style)
    margin["t"] = style.px(18, 13) if on_one_line else style.px(18, 13) + 1.25 * font_size
    values = differences.to_numpy(dtype=float)
    size, heights, stack_height = _stacks((values - span[0]) / (span[1] - span[0]) * width, style)
    bar, pitch = style.px(16, 10), style.px(28, 20)
    bottom = bar + pitch * (max(len(intervals), 1) - 1)
    fig = theme.new_figure(style, margin["t"] + stack_height + bottom + margin["b"], margin=margin)
    draw_region(fig, region, -bottom, stack_height, style)
    draw_zero(fig, -bottom, stack_height, style)
    rows = [-bar / 2 - pitch * index for index in range(len(intervals))]
    _rows(fig, intervals, rows, span, format_count(len(values), unit), style)
    _folds(fig, differences, size, heights, ends, selected, unit, style)
    positions, labels = _across(span, width, style)
    title = difference_axis_title(measure, ": ", first, second, width + 2 * margin["r"], 0.4, style)
    fig.update_xaxes(
        title={"text": title, "standoff": style.px(3, 2)},
        **tick_axis(positions, labels, list(span)),
    )
    fig.update_yaxes(
        ticklabelstandoff=style.px(10, 7),
        **names_axis(rows, [text.escape(name) for name in shown], [-bottom, stack_height]),
    )
    write_sides(
        fig, side_texts, "bottom", (0 if on_one_line else 1.25 * font_size, 0), style, region
    )
    return fig


def _across(span: tuple[float, float], width: float, style: Style) -> tuple[list[float], list[str]]:
    """Return the densest tick positions whose labels do not touch, and the labels."""
    width *= style.px(0.45, 1)  # a window may be half as wide as the layout
    n_ticks = width / (3.2 * style.tick_size)
    while True:
        positions, labels = ticks(*span, n_ticks)
        label_width = max(_widths(labels, style), default=0.0)
        step = (
            (positions[1] - positions[0]) / (span[1] - span[0]) * width
            if len(positions) > 1
            else width
        )
        if label_width + 1.2 * style.tick_size <= step or n_ticks <= 1:
            return positions, labels
        n_ticks *= 0.75


def _tests(intervals: pd.DataFrame, style: Style) -> tuple[list[str], float]:
    """Return the name to print for each test, and the left margin in px."""
    names = [str(name) for name in intervals.index]
    short = text.shorten(names, 0.25 * style.width, style.tick_size, serif=style.serif)
    widest = max(_widths(short.values(), style), default=0.0)
    return [short[name] for name in names], widest + style.px(26, 17)


def _widths(labels: Iterable[str], style: Style) -> list[float]:
    return [text.text_width(label, style.tick_size, style.serif) for label in labels]


def _reach(differences: pd.Series, intervals: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of the axis: all folds, zero, and intervals as far as legible."""
    estimates = intervals["estimate"].to_numpy(dtype=float)
    core = np.concatenate([differences.to_numpy(dtype=float), estimates, [0.0]])
    core = core[np.isfinite(core)]
    ends = intervals[["low", "high"]].to_numpy(dtype=float)
    ends = np.append(ends[np.isfinite(ends)], 0.0)
    largest_overhang = _MOST_SPANS * float(np.ptp(core)) or np.inf
    low = min(core.min(), max(ends.min(), core.min() - largest_overhang))
    high = max(core.max(), min(ends.max(), core.max() + largest_overhang))
    pad = 0.05 * (high - low) or 1.0
    return float(low - pad), float(high + pad)


def _stacks(positions: np.ndarray, style: Style) -> tuple[float, list[float], float]:
    """Return circle size, heights, and total height of stacked circles at positions in px."""
    least, limit = style.px(24, 16), style.px(48, 34)
    sizes = [style.px(1, 0.58) * size for size in (8, 6.5, 5, 4, 3)]
    for size in sizes:
        levels = _levels(positions, 1.05 * size)
        step = 1.12 * size
        highest = max(levels, default=0)
        if step * highest + size <= limit:
            break
    else:
        step = (limit - size) / highest
    base = 0.5 * size + style.px(2, 1.4)
    return (
        size,
        [base + step * level for level in levels],
        max(least, base + step * highest + 0.5 * size),
    )


def _levels(positions: np.ndarray, width: float) -> list[int]:
    """Return the number of circles below each one: the fewest without overlap."""
    order = np.argsort(positions, kind="stable")
    levels = np.empty(len(positions), dtype=int)
    levels[order] = pack_rows(
        [(position, position) for position in positions[order].tolist()], width
    )
    return levels.tolist()


def _rows(
    fig: go.Figure,
    intervals: pd.DataFrame,
    rows: list[float],
    span: tuple[float, float],
    counted: str,
    style: Style,
) -> None:
    """Draw the interval and the estimate of each test, those of the first heavier."""
    estimates = intervals["estimate"].to_numpy(dtype=float)
    decimals = text.decimals_for(estimates[np.isfinite(estimates)].tolist()) + 1
    for index, (name, row) in enumerate(intervals.iterrows()):
        colour = style.faint if index else style.ink
        width = style.px(1.8, 1) if index else style.px(3, 1.8)
        low, high, estimate = (float(row[key]) for key in ("low", "high", "estimate"))
        estimate_text = (
            f" {text.format_signed(estimate, decimals)}" if np.isfinite(estimate) else ""
        )
        interval_text = text.format_interval(low, high, decimals).replace("inf", "\N{INFINITY}")
        hover = (
            f"<b>difference{estimate_text} {interval_text}".rstrip()
            + f"</b><br>{text.escape(name)}<br>"
        )
        options = {
            "hoverinfo": "text",
            "unselected": {"marker": {"opacity": 1}},
            "cliponaxis": False,
        }
        if not np.isnan([low, high]).any():
            fig.add_scatter(
                x=[float(np.clip(end, *span)) for end in (low, high)],
                y=[rows[index]] * 2,
                mode="lines+markers",
                name=f"interval {index + 1}",
                line={"color": colour, "width": width},
                marker={
                    "symbol": [
                        "triangle-left" if low < span[0] else "line-ns",
                        "triangle-right" if high > span[1] else "line-ns",
                    ],
                    "size": style.px(9, 5.5),
                    "opacity": 1,
                    "color": colour,
                    "line": {"width": width * 0.7, "color": colour},
                },
                hovertext=[hover + counted] * 2,
                **options,
            )
        if np.isfinite(estimate):
            fig.add_scatter(
                x=[estimate],
                y=[rows[index]],
                mode="markers",
                name=f"estimate {index + 1}",
                marker={
                    "symbol": "line-ns",
                    "size": style.px(10, 6.5),
                    "opacity": 1,
                    "line": {"width": style.px(2.4, 1.4), "color": colour},
                },
                hovertext=[hover + counted],
                **options,
            )


def _folds(
    fig: go.Figure,
    differences: pd.Series,
    size: float,
    heights: list[float],
    ends: tuple[str, str],
    selected: Collection[str],
    unit: str,
    style: Style,
) -> None:
    labels = [str(label) for label in differences.index]
    values = differences.to_numpy(dtype=float)
    decimals = text.decimals_for(values.tolist()) + 1
    for is_emphasised, indices in traces.split_by_selection(labels, selected):
        traces.add_points(
            fig,
            [float(values[i]) for i in indices],
            [heights[i] for i in indices],
            "folds" if is_emphasised else "other folds",
            size,
            "circle-open",
            style.ink,
            edge=(0.15 * size, style.ink),
            said=[_hover(labels[i], float(values[i]), ends, decimals, unit) for i in indices],
            opacity=1.0 if is_emphasised else FADED,
            customdata=[labels[i] for i in indices],
            meta="fold",
        )


def _hover(label: str, value: float, ends: tuple[str, str], decimals: int, unit: str) -> str:
    winner = "the same result" if value == 0 else f"{text.escape(ends[value > 0])} better"
    number = "0" if value == 0 else ("+" if value > 0 else "") + hover_number(value, decimals)
    hint = traces.click_hint("fold", noun=unit)
    return f"<b>{unit} {text.escape(label)}</b><br>{number}, {winner}<br>{hint}"


def _sides(
    ends: tuple[str, str], span: tuple[float, float], width: float, middle: str, style: Style
) -> tuple[bool, tuple[str, str]]:
    """Return whether the side labels fit beside the label of zero, and the side labels."""
    font_size, serif = style.size, style.serif

    labels = side_labels(*(text.plain_text(name) for name in ends))
    zero_px = -span[0] / (span[1] - span[0]) * width
    half_width = text.text_width(middle, font_size, serif) / 2 + 1.2 * font_size
    left, right = (text.text_width(label, font_size, serif) for label in labels)
    if left <= zero_px - half_width and right <= width - zero_px - half_width:
        return True, labels
    room = width / 2 - text.text_width(side_labels("", "")[0], font_size, serif) - 0.6 * font_size
    short = text.shorten(list(ends), max(room, 2 * font_size), font_size, serif=serif)
    return False, side_labels(short[ends[0]], short[ends[1]])


def alt_difference_interval(
    differences: pd.Series,
    intervals: pd.DataFrame,
    *,
    first: str,
    second: str,
    measure: str,
    higher_is_better: bool,
    unit: str = "fold",
) -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    values = differences.to_numpy(dtype=float)
    better = (values > 0) if higher_is_better else (values < 0)
    a, b = (text.truncate_text(text.plain_text(name), 60) for name in (first, second))
    mean = text.format_signed(float(values.mean()), text.decimals_for(values.tolist()) + 1)
    ending = f"Mean {mean}, {a} better in {int(better.sum())}."
    if len(intervals):
        low, high = (float(intervals.iloc[0][key]) for key in ("low", "high"))
        if not np.isnan([low, high]).any():
            ending += f" Interval {'excludes' if low > 0 or high < 0 else 'includes'} zero."
    start = f"{a} minus {b} in {len(values)} {unit}s: differences in {text.plain_text(measure)}."
    return f"{text.truncate_text(start, 299 - len(ending))} {ending}"
