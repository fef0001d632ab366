"""The difference of two algorithms in every fold, with the interval of one or more tests."""

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

#: Intervals are cut where they would reach beyond the folds by more than this many times their
#: span: folds drawn in less room could not be told apart.
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
    """Draw each fold's difference above the mean and its interval.

    Parameters
    ----------
    differences : Series
        `first` minus `second` per fold, the index its label.
    intervals : DataFrame
        One row per test (the index its name), the one of the verdict on top: estimate, low,
        high; NaN where a test has no interval, infinite where it has no end.
    first, second : str
        The two algorithms.
    measure : str
        What was measured, for the axis.
    higher_is_better : bool
        Its direction; it decides who is better on which side.
    style : Style
        Surface and width.
    region : float, optional
        Differences up to this do not matter: a light band around zero, named above it.
    unit : str
        What one result of each algorithm comes from: "fold", "run".
    selected : collection of str
        Folds that keep full strength while the others fade.

    Returns
    -------
    Figure
        Folds as hollow circles, equal ones stacked; an upright stroke for the estimate and a bar
        for the interval of each test. Circles carry the label of their fold.
    """
    ends = (second, first) if higher_is_better else (first, second)
    em = style.size
    shown, left = _tests(intervals, style)
    margin = {"l": left, "r": style.px(14, 8), "b": style.px(38, 31)}
    width = style.width - margin["l"] - margin["r"]
    span = _reach(differences, intervals)
    half = max(_widths(_across(span, width, style)[1], style), default=0.0) / 2
    margin["l"], margin["r"] = max(margin["l"], half), max(margin["r"], half)
    width = style.width - margin["l"] - margin["r"]
    beside, words = _sides(ends, span, width, no_matter(region), style)
    margin["t"] = style.px(18, 13) if beside else style.px(18, 13) + 1.25 * em
    values = differences.to_numpy(dtype=float)
    size, heights, room = _stacks((values - span[0]) / (span[1] - span[0]) * width, style)
    bar, pitch = style.px(16, 10), style.px(28, 20)
    bottom = bar + pitch * (max(len(intervals), 1) - 1)
    fig = theme.new_figure(style, margin["t"] + room + bottom + margin["b"], margin=margin)
    draw_region(fig, region, -bottom, room, style)
    draw_zero(fig, -bottom, room, style)
    rows = [-bar / 2 - pitch * place for place in range(len(intervals))]
    _rows(fig, intervals, rows, span, format_count(len(values), unit), style)
    _folds(fig, differences, size, heights, ends, selected, unit, style)
    at, labels = _across(span, width, style)
    named = difference_axis_title(measure, ": ", first, second, width + 2 * margin["r"], 0.4, style)
    fig.update_xaxes(
        title={"text": named, "standoff": style.px(3, 2)}, **tick_axis(at, labels, list(span))
    )
    fig.update_yaxes(
        ticklabelstandoff=style.px(10, 7),
        **names_axis(rows, [text.escape(name) for name in shown], [-bottom, room]),
    )
    write_sides(fig, words, "bottom", (0 if beside else 1.25 * em, 0), style, region)
    return fig


def _across(span: tuple[float, float], width: float, style: Style) -> tuple[list[float], list[str]]:
    """Return the closest places whose numbers have room beside each other, and the numbers."""
    width *= style.px(0.45, 1)  # the window may be half as wide as the figure was laid out for
    most = width / (3.2 * style.tick_size)
    while True:
        at, labels = ticks(*span, most)
        wide = max(_widths(labels, style), default=0.0)
        step = (at[1] - at[0]) / (span[1] - span[0]) * width if len(at) > 1 else width
        if wide + 1.2 * style.tick_size <= step or most <= 1:
            return at, labels
        most *= 0.75


def _tests(intervals: pd.DataFrame, style: Style) -> tuple[list[str], float]:
    """Return what to print for each test, and the margin that it needs."""
    names = [str(name) for name in intervals.index]
    short = text.shorten(names, 0.25 * style.width, style.tick_size, serif=style.serif)
    widest = max(_widths(short.values(), style), default=0.0)
    return [short[name] for name in names], widest + style.px(26, 17)


def _widths(words: Iterable[str], style: Style) -> list[float]:
    return [text.text_width(word, style.tick_size, style.serif) for word in words]


def _reach(differences: pd.Series, intervals: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of the axis: all folds, zero, and intervals as far as they stay readable."""
    estimates = intervals["estimate"].to_numpy(dtype=float)
    inner = np.concatenate([differences.to_numpy(dtype=float), estimates, [0.0]])
    inner = inner[np.isfinite(inner)]
    ends = intervals[["low", "high"]].to_numpy(dtype=float)
    ends = np.append(ends[np.isfinite(ends)], 0.0)
    reach = _MOST_SPANS * float(np.ptp(inner)) or np.inf
    low = min(inner.min(), max(ends.min(), inner.min() - reach))
    high = max(inner.max(), min(ends.max(), inner.max() + reach))
    pad = 0.05 * (high - low) or 1.0
    return float(low - pad), float(high + pad)


def _stacks(places: np.ndarray, style: Style) -> tuple[float, list[float], float]:
    """Stack circles that would overlap, each given its place along the axis in px."""
    usual, most = style.px(24, 16), style.px(48, 34)
    sizes = [style.px(1, 0.58) * size for size in (8, 6.5, 5, 4, 3)]
    for size in sizes:
        levels = _levels(places, 1.05 * size)
        step = 1.12 * size
        highest = max(levels, default=0)
        if step * highest + size <= most:
            break
    else:
        step = (most - size) / highest
    base = 0.5 * size + style.px(2, 1.4)
    return (
        size,
        [base + step * level for level in levels],
        max(usual, base + step * highest + 0.5 * size),
    )


def _levels(places: np.ndarray, width: float) -> list[int]:
    """Return how many circles each one lies above: the fewest that keep it clear of the others."""
    order = np.argsort(places, kind="stable")
    levels = np.empty(len(places), dtype=int)
    levels[order] = pack_rows([(place, place) for place in places[order].tolist()], width)
    return levels.tolist()


def _rows(
    fig: go.Figure,
    intervals: pd.DataFrame,
    rows: list[float],
    span: tuple[float, float],
    counted: str,
    style: Style,
) -> None:
    """Draw the bar and the estimate of each test, those of the first heavier."""
    known = intervals["estimate"].to_numpy(dtype=float)
    places = text.decimals_for(known[np.isfinite(known)].tolist()) + 1
    for place, (name, row) in enumerate(intervals.iterrows()):
        colour = style.faint if place else style.ink
        width = style.px(1.8, 1) if place else style.px(3, 1.8)
        low, high, estimate = (float(row[key]) for key in ("low", "high", "estimate"))
        middle = f" {text.format_signed(estimate, places)}" if np.isfinite(estimate) else ""
        inside = text.format_interval(low, high, places).replace("inf", "\N{INFINITY}")
        said = f"<b>difference{middle} {inside}".rstrip() + f"</b><br>{text.escape(name)}<br>"
        drawn = {"hoverinfo": "text", "unselected": {"marker": {"opacity": 1}}, "cliponaxis": False}
        if not np.isnan([low, high]).any():
            fig.add_scatter(
                x=[float(np.clip(end, *span)) for end in (low, high)],
                y=[rows[place]] * 2,
                mode="lines+markers",
                name=f"interval {place + 1}",
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
                hovertext=[said + counted] * 2,
                **drawn,
            )
        if np.isfinite(estimate):
            fig.add_scatter(
                x=[estimate],
                y=[rows[place]],
                mode="markers",
                name=f"estimate {place + 1}",
                marker={
                    "symbol": "line-ns",
                    "size": style.px(10, 6.5),
                    "opacity": 1,
                    "line": {"width": style.px(2.4, 1.4), "color": colour},
                },
                hovertext=[said + counted],
                **drawn,
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
    places = text.decimals_for(values.tolist()) + 1
    for lit, part in traces.split_by_selection(labels, selected):
        traces.add_points(
            fig,
            [float(values[i]) for i in part],
            [heights[i] for i in part],
            "folds" if lit else "other folds",
            size,
            "circle-open",
            style.ink,
            edge=(0.15 * size, style.ink),
            said=[_hover(labels[i], float(values[i]), ends, places, unit) for i in part],
            opacity=1.0 if lit else FADED,
            customdata=[labels[i] for i in part],
            meta="fold",
        )


def _hover(label: str, value: float, ends: tuple[str, str], places: int, unit: str) -> str:
    said = "the same result" if value == 0 else f"{text.escape(ends[value > 0])} better"
    number = "0" if value == 0 else ("+" if value > 0 else "") + hover_number(value, places)
    offer = traces.click_hint("fold", noun=unit)
    return f"<b>{unit} {text.escape(label)}</b><br>{number}, {said}<br>{offer}"


def _sides(
    ends: tuple[str, str], span: tuple[float, float], width: float, middle: str, style: Style
) -> tuple[bool, tuple[str, str]]:
    """Return whether the sides fit beside the name of the middle, and what to write at each."""
    em, serif = style.size, style.serif

    full = side_labels(*(text.plain_text(name) for name in ends))
    zero = -span[0] / (span[1] - span[0]) * width
    half = text.text_width(middle, em, serif) / 2 + 1.2 * em
    left, right = (text.text_width(word, em, serif) for word in full)
    if left <= zero - half and right <= width - zero - half:
        return True, full
    room = width / 2 - text.text_width(side_labels("", "")[0], em, serif) - 0.6 * em
    short = text.shorten(list(ends), max(room, 2 * em), em, serif=serif)
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
    words = f"{a} minus {b} in {len(values)} {unit}s: differences in {text.plain_text(measure)}."
    return f"{text.truncate_text(words, 299 - len(ending))} {ending}"
