"""Differences of two algorithms per fold, with the intervals of one or more tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

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
from foldwise.figures.spec import FigureSpec, cached_figure, coverage_text, fold_labels
from foldwise.figures.theme import FADED, Style
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.core.formatting import format_count
from stats_core.inference.fold_tests import ON_CASES
from stats_core.inference.paired.t_tests import CONSERVATIVE, PUBLISHED

#: Intervals are cut if they extend beyond the folds by more than this multiple of the folds'
#: range, so that folds remain distinguishable.
_MOST_SPANS = 1.5


_HOW = (
    "Each circle is the difference in one {unit}, the upright stroke their mean, the bar the "
    "differences that the test does not rule out. Look whether the bar leaves out zero. A bar "
    "that holds zero is not evidence that the two are equal."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class DifferenceInterval(FigureSpec):
    """The difference in each fold, with estimate and interval of each test below.

    Folds are hollow circles, equal ones stacked, which carry the label of their fold; the estimate
    of each test is a vertical stroke, its interval a bar.

    Attributes
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
    region : float, optional
        Half-width of the equivalence region, drawn as a labelled light band around zero.
    unit : str
        Source of one result per algorithm: "fold" or "run".
    selected : collection of str
        Folds that keep full opacity while the others fade.
    """

    zoom: ClassVar[str] = "x"
    differences: pd.Series
    intervals: pd.DataFrame
    first: str
    second: str
    measure: str
    higher_is_better: bool
    region: float | None = None
    unit: str = "fold"
    selected: Collection[str] = ()

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        font_size, intervals, region = style.size, self.intervals, self.region
        shown, left = _tests(intervals, style)
        margin = {"l": left, "r": style.px(14, 8), "b": style.px(38, 31)}
        width = style.width - margin["l"] - margin["r"]
        span = _reach(self.differences, intervals)
        half = max(_widths(_across(span, width, style)[1], style), default=0.0) / 2
        margin["l"], margin["r"] = max(margin["l"], half), max(margin["r"], half)
        width = style.width - margin["l"] - margin["r"]
        on_one_line, side_texts = _sides(self.ends, span, width, no_matter(region), style)
        margin["t"] = style.px(18, 13) if on_one_line else style.px(18, 13) + 1.25 * font_size
        values = self.differences.to_numpy(dtype=float)
        size, heights, stack_height = _stacks((values - span[0]) / (span[1] - span[0]) * width, style)
        bar, pitch = style.px(16, 10), style.px(28, 20)
        bottom = bar + pitch * (max(len(intervals), 1) - 1)
        fig = theme.new_figure(style, margin["t"] + stack_height + bottom + margin["b"], margin=margin)
        draw_region(fig, region, -bottom, stack_height, style)
        draw_zero(fig, -bottom, stack_height, style)
        rows = [-bar / 2 - pitch * index for index in range(len(intervals))]
        _rows(fig, intervals, rows, span, format_count(len(values), self.unit), style)
        _folds(fig, self, size, heights, style)
        positions, labels = _across(span, width, style)
        names = (self.first, self.second)
        room = width + 2 * margin["r"]
        title = difference_axis_title(self.measure, ": ", *names, room, 0.4, style)
        fig.update_xaxes(title={"text": title, "standoff": style.px(3, 2)}, **tick_axis(positions, labels, list(span)))
        fig.update_yaxes(
            ticklabelstandoff=style.px(10, 7),
            **names_axis(rows, [text.escape(name) for name in shown], [-bottom, stack_height]),
        )
        lifts = (0 if on_one_line else 1.25 * font_size, 0)
        write_sides(fig, side_texts, "bottom", lifts, style, region)
        return fig

    def caption(self, style: Style) -> str:
        """Return the caption sentence on marks and bars."""
        return (
            f"Circles are the {self.unit}s, the upright strokes their mean, the bars what each test does not rule out."
        )

    @property
    def data(self) -> pd.DataFrame:
        """The intervals."""
        return self.intervals

    @property
    def how_to_read(self) -> str:
        """What circles and bars mean."""
        return _HOW.format(unit=self.unit)

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        values = self.differences.to_numpy(dtype=float)
        better = (values > 0) if self.higher_is_better else (values < 0)
        a, b = (text.truncate_text(text.plain_text(n), 60) for n in (self.first, self.second))
        mean = text.format_signed(float(values.mean()), text.decimals_for(values.tolist()) + 1)
        ending = f"Mean {mean}, {a} better in {int(better.sum())}."
        if len(self.intervals):
            low, high = (float(self.intervals.iloc[0][key]) for key in ("low", "high"))
            if not np.isnan([low, high]).any():
                ending += f" Interval {'excludes' if low > 0 or high < 0 else 'includes'} zero."
        measure = text.plain_text(self.measure)
        start = f"{a} minus {b} in {len(values)} {self.unit}s: differences in {measure}."
        return f"{text.truncate_text(start, 299 - len(ending))} {ending}"

    @property
    def ends(self) -> tuple[str, str]:
        """The algorithms that are better at the left and at the right end of the axis."""
        return (self.second, self.first) if self.higher_is_better else (self.first, self.second)


def difference_interval(differences: pd.Series, intervals: pd.DataFrame, *, style: Style, **options: Any) -> go.Figure:
    """Draw differences and intervals; `options` are the fields of `DifferenceInterval`."""
    return DifferenceInterval(differences=differences, intervals=intervals, **options).draw(style)


@cached_figure
def interval_drawing(analysis: FoldPairComparison, *, selected: Collection[str] = ()) -> DifferenceInterval | None:
    """Return the figure of the differences per fold with intervals, None without a test."""
    intervals = _intervals_of_tests(analysis)
    if not len(intervals):
        return None
    pair = f"{analysis.first} \N{MINUS SIGN} {analysis.second}"
    return DifferenceInterval(
        name=f"difference_{analysis.dataset}_{analysis.settings.measure}",
        title=f"{pair}, with its {coverage_text(analysis)} interval",
        differences=fold_labels(analysis.differences),
        intervals=intervals,
        first=analysis.first,
        second=analysis.second,
        measure=analysis.settings.measure,
        higher_is_better=analysis.higher_is_better,
        region=analysis.settings.region,
        unit=analysis.unit,
        selected=selected,
    )


def _intervals_of_tests(analysis: FoldPairComparison) -> pd.DataFrame:
    """Return the intervals of the chosen test and its counterpart, if they apply."""
    keys = dict.fromkeys([analysis.test, CONSERVATIVE, PUBLISHED, "paired t"])
    available = {answer.key for answer in analysis.answers}
    answers = [analysis.answer(key) for key in keys if key in available]
    answers = [answer for answer in answers if answer.outcome is not None]
    mean = float(analysis.differences.mean())
    rows = pd.DataFrame(
        {
            "estimate": [getattr(answer.outcome, "estimate", mean) for answer in answers],
            "low": [answer.low for answer in answers],
            "high": [answer.high for answer in answers],
        },
        index=pd.Index([answer.key for answer in answers], name="test"),
    )
    rows.loc[[key for key in rows.index if key in ON_CASES], "estimate"] = mean
    return rows


def _across(span: tuple[float, float], width: float, style: Style) -> tuple[list[float], list[str]]:
    """Return the densest tick positions whose labels do not touch, and the labels."""
    width *= style.px(0.45, 1)  # a window may be half as wide as the layout
    n_ticks = width / (3.2 * style.tick_size)
    while True:
        positions, labels = ticks(*span, n_ticks)
        label_width = max(_widths(labels, style), default=0.0)
        step = (positions[1] - positions[0]) / (span[1] - span[0]) * width if len(positions) > 1 else width
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
    return (size, [base + step * level for level in levels], max(least, base + step * highest + 0.5 * size))


def _levels(positions: np.ndarray, width: float) -> list[int]:
    """Return the number of circles below each one: the fewest without overlap."""
    order = np.argsort(positions, kind="stable")
    levels = np.empty(len(positions), dtype=int)
    levels[order] = pack_rows([(position, position) for position in positions[order].tolist()], width)
    return levels.tolist()


def _rows(
    fig: go.Figure, intervals: pd.DataFrame, rows: list[float], span: tuple[float, float], counted: str, style: Style
) -> None:
    """Draw the interval and the estimate of each test, those of the first heavier."""
    estimates = intervals["estimate"].to_numpy(dtype=float)
    decimals = text.decimals_for(estimates[np.isfinite(estimates)].tolist()) + 1
    for index, (name, row) in enumerate(intervals.iterrows()):
        colour = style.faint if index else style.ink
        width = style.px(1.8, 1) if index else style.px(3, 1.8)
        low, high, estimate = (float(row[key]) for key in ("low", "high", "estimate"))
        estimate_text = f" {text.format_signed(estimate, decimals)}" if np.isfinite(estimate) else ""
        interval_text = text.format_interval(low, high, decimals).replace("inf", "\N{INFINITY}")
        hover = f"<b>difference{estimate_text} {interval_text}".rstrip() + f"</b><br>{text.escape(name)}<br>"
        options = {"hoverinfo": "text", "unselected": {"marker": {"opacity": 1}}, "cliponaxis": False}
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


def _folds(fig: go.Figure, spec: DifferenceInterval, size: float, heights: list[float], style: Style) -> None:
    labels = [str(label) for label in spec.differences.index]
    values = spec.differences.to_numpy(dtype=float)
    decimals = text.decimals_for(values.tolist()) + 1
    for is_emphasised, indices in traces.split_by_selection(labels, spec.selected):
        traces.add_points(
            fig,
            [float(values[i]) for i in indices],
            [heights[i] for i in indices],
            "folds" if is_emphasised else "other folds",
            size,
            "circle-open",
            style.ink,
            edge=(0.15 * size, style.ink),
            said=[_hover(labels[i], float(values[i]), spec, decimals) for i in indices],
            opacity=1.0 if is_emphasised else FADED,
            customdata=[labels[i] for i in indices],
            meta="fold",
        )


def _hover(label: str, value: float, spec: DifferenceInterval, decimals: int) -> str:
    winner = "the same result" if value == 0 else f"{text.escape(spec.ends[value > 0])} better"
    number = "0" if value == 0 else ("+" if value > 0 else "") + hover_number(value, decimals)
    hint = traces.click_hint("fold", noun=spec.unit)
    return f"<b>{spec.unit} {text.escape(label)}</b><br>{number}, {winner}<br>{hint}"


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
