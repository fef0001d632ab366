"""Differences of two algorithms per fold, with the confidence intervals of one or more tests."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import axis_parts, paired_folds, spec, text, theme, traces
from foldwise.figures.label_placement import pack_rows
from foldwise.figures.theme import FADED, Style
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.core.formatting import format_count

#: Intervals are cut if they extend beyond the folds by more than this multiple of the folds'
#: range, so that folds remain distinguishable.
_MOST_SPANS = 1.5


@dataclass(frozen=True, kw_only=True, eq=False)
class DifferenceInterval(spec.FigureSpec):
    """Difference in each fold, with estimate and confidence interval of each test below.

    Folds are hollow circles, with equal values stacked and the label of the fold as customdata. The
    estimate of each test is a vertical stroke, its interval a bar.

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
    how_to_read: ClassVar[str] = spec.figure_text("difference_interval.how_to_read")

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        names = [str(name) for name in self.intervals.index]
        short = text.shorten(names, 0.25 * style.width, style.tick_size, serif=style.serif)
        span = self._span
        left, right = (
            text.widest(short.values(), style.tick_size, style.serif) + style.px(26, 17),
            style.px(14, 8),
        )
        half = (
            text.widest(
                _ticks(span, style.width - left - right, style)[1], style.tick_size, style.serif
            )
            / 2
        )
        margin = {
            "l": max(left, half),
            "r": max(right, half),
            "t": style.px(18, 13),
            "b": style.px(38, 3.1 * style.size),
        }
        width = style.width - margin["l"] - margin["r"]
        on_one_line, side_texts = self._side_labels(width, style)
        lift = 0 if on_one_line else 1.25 * style.size
        margin["t"] += lift
        selected = self.differences.index.astype(str).isin(self.selected)
        folds = traces.thin_marks(self._values, selected=np.flatnonzero(selected))
        size, heights, stack_height = _stacks(
            (self._values[folds] - span[0]) / (span[1] - span[0]) * width, style
        )
        bar, pitch = style.px(16, 10), style.px(28, 20)
        bottom = bar + pitch * (max(len(names), 1) - 1)
        fig = theme.new_figure(
            style, margin["t"] + stack_height + bottom + margin["b"], margin=margin
        )
        axis_parts.draw_region(fig, self.region, -bottom, stack_height, style)
        axis_parts.draw_zero(fig, -bottom, stack_height, style)
        rows = [-bar / 2 - pitch * index for index in range(len(names))]
        self._draw_intervals(fig, rows, style)
        self._draw_folds(fig, folds, size, heights, style)
        room = width + 2 * margin["r"]
        title = axis_parts.difference_axis_title(
            self.measure, ": ", self.first, self.second, room, 0.4, style
        )
        axis = axis_parts.tick_axis(*_ticks(span, width, style), list(span))
        fig.update_xaxes(title={"text": title, "standoff": style.px(3, 2)}, **axis)
        labels = [text.escape(short[name]) for name in names]
        fig.update_yaxes(
            ticklabelstandoff=style.px(10, 7),
            **axis_parts.names_axis(rows, labels, [-bottom, stack_height]),
        )
        axis_parts.write_sides(fig, side_texts, "bottom", (lift, 0), style, self.region)
        return fig

    @cached_property
    def _values(self) -> np.ndarray:
        return self.differences.to_numpy(dtype=float)

    @cached_property
    def _span(self) -> tuple[float, float]:
        """Axis range that contains folds, zero, and intervals if not too long."""
        core = np.concatenate(
            [self._values, self.intervals["estimate"].to_numpy(dtype=float), [0.0]]
        )
        core = core[np.isfinite(core)]
        ends = self.intervals[["low", "high"]].to_numpy(dtype=float)
        ends = np.append(ends[np.isfinite(ends)], 0.0)
        largest_overhang = _MOST_SPANS * float(np.ptp(core)) or np.inf
        low = min(core.min(), max(ends.min(), core.min() - largest_overhang))
        high = max(core.max(), min(ends.max(), core.max() + largest_overhang))
        pad = 0.05 * (high - low) or 1.0
        return float(low - pad), float(high + pad)

    def _side_labels(self, width: float, style: Style) -> tuple[bool, tuple[str, str]]:
        """Return whether the side labels fit next to the label of zero, and these labels, shortened if they do not."""
        size, span = style.size, self._span

        def wide(label: str) -> float:
            return text.text_width(label, size, style.serif)

        labels = axis_parts.side_labels(*map(text.plain_text, self.ends))
        zero_px = -span[0] / (span[1] - span[0]) * width
        half_width = wide(axis_parts.zero_label(self.region)) / 2 + 1.2 * size
        if (
            wide(labels[0]) <= zero_px - half_width
            and wide(labels[1]) <= width - zero_px - half_width
        ):
            return True, labels
        room = width / 2 - wide(axis_parts.side_labels("", "")[0]) - 0.6 * size
        short = text.shorten(list(self.ends), max(room, 2 * size), size, serif=style.serif)
        return False, axis_parts.side_labels(*(short[name] for name in self.ends))

    def _draw_intervals(self, fig: go.Figure, rows: list[float], style: Style) -> None:
        """Draw interval and estimate of each test; the first test is emphasised."""
        estimates, span = self.intervals["estimate"].to_numpy(dtype=float), self._span
        decimals = text.decimals_for(estimates[np.isfinite(estimates)].tolist()) + 1
        counted = format_count(len(self._values), self.unit)
        for index, (name, row) in enumerate(self.intervals.iterrows()):
            colour, width = (
                (style.faint, style.px(1.8, 1)) if index else (style.ink, style.px(3, 1.8))
            )
            low, high, estimate = (float(row[key]) for key in ("low", "high", "estimate"))
            estimate_text = (
                f" {text.format_signed(estimate, decimals)}" if np.isfinite(estimate) else ""
            )
            interval_text = text.format_interval(low, high, decimals).replace("inf", "\N{INFINITY}")
            hover = (
                f"<b>difference{estimate_text} {interval_text}".rstrip()
                + f"</b><br>{text.escape(name)}<br>{counted}"
            )
            y, number = rows[index], index + 1
            if not np.isnan([low, high]).any():
                symbols = [
                    "triangle-left" if low < span[0] else "line-ns",
                    "triangle-right" if high > span[1] else "line-ns",
                ]
                x, edge = np.clip([low, high], *span).tolist(), (width * 0.7, colour)
                options = {
                    "hover_text": [hover] * 2,
                    "mode": "lines+markers",
                    "line": {"color": colour, "width": width},
                }
                size = style.px(9, 5.5)
                traces.add_points(
                    fig, x, [y, y], f"interval {number}", size, symbols, colour, edge, **options
                )
            if np.isfinite(estimate):
                edge, size = (style.px(2.4, 1.4), colour), style.px(10, 6.5)
                traces.add_points(
                    fig,
                    [estimate],
                    [y],
                    f"estimate {number}",
                    size,
                    "line-ns",
                    edge=edge,
                    hover_text=[hover],
                )

    def _draw_folds(
        self, fig: go.Figure, folds: np.ndarray, size: float, heights: list[float], style: Style
    ) -> None:
        """Draw the differences of folds as circles; those not selected fade if any is."""
        labels, values = list(map(str, self.differences.index[folds])), self._values[folds]
        decimals = text.decimals_for(self._values.tolist()) + 1
        for is_emphasised, indices in traces.split_by_selection(labels, self.selected):
            traces.add_points(
                fig,
                values[indices].tolist(),
                [heights[i] for i in indices],
                "folds" if is_emphasised else "other folds",
                size,
                "circle-open",
                style.ink,
                edge=(0.15 * size, style.ink),
                hover_text=[self._hover(labels[i], float(values[i]), decimals) for i in indices],
                opacity=1.0 if is_emphasised else FADED,
                customdata=[labels[i] for i in indices],
                meta="fold",
            )

    def _hover(self, label: str, value: float, decimals: int) -> str:
        winner = "the same result" if value == 0 else f"{text.escape(self.ends[value > 0])} better"
        number = (
            "0"
            if value == 0
            else ("+" if value > 0 else "") + paired_folds.hover_number(value, decimals)
        )
        hint = traces.click_hint("fold", noun=self.unit)
        return f"<b>{self.unit} {text.escape(label)}</b><br>{number}, {winner}<br>{hint}"

    def caption(self, style: Style) -> str:
        """Return the caption."""
        ends = self.intervals[["low", "high"]].astype(float)
        arrows = ((ends < self._span[0]) | (ends > self._span[1])).any(axis=None)
        caption = self.describe("difference_interval.caption", n=len(self._values), arrows=arrows)
        return caption + spec.thinned(len(self._values), self.unit)

    @property
    def data(self) -> pd.DataFrame:
        """Estimates and intervals of the tests."""
        return self.intervals

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        values = self._values
        better = (values > 0) if self.higher_is_better else (values < 0)
        a, b = (text.short_name(n, 60) for n in (self.first, self.second))
        mean = text.format_signed(float(values.mean()), text.decimals_for(values.tolist()) + 1)
        low, high = (
            self.intervals.iloc[0][["low", "high"]] if len(self.intervals) else (np.nan, np.nan)
        )
        excludes = None if np.isnan([low, high]).any() else low > 0 or high < 0
        parts = {"mean": mean, "first": a, "wins": int(better.sum()), "excludes": excludes}
        ending = spec.figure_text("difference_interval.alt_end", **parts)
        start = self.describe("difference_interval.alt", first=a, second=b, n=len(values))
        return f"{text.truncate_text(start, 299 - len(ending))} {ending}"

    @property
    def ends(self) -> tuple[str, str]:
        """Algorithms that are better at the left and the right end of the axis."""
        return (self.second, self.first) if self.higher_is_better else (self.first, self.second)


@spec.cached_figure
def interval_drawing(
    analysis: FoldPairComparison, *, selected: Collection[str] = ()
) -> DifferenceInterval | None:
    """Return the figure of fold differences with intervals; None without a test."""
    intervals = analysis.intervals_of_tests()
    if not len(intervals):
        return None
    pair = f"{analysis.first} \N{MINUS SIGN} {analysis.second}"
    return DifferenceInterval(
        name=f"difference_{analysis.dataset}_{analysis.settings.measure}",
        title=f"{pair} on {analysis.dataset} with {spec.coverage_text(analysis)} CI",
        differences=spec.fold_labels(analysis.differences),
        intervals=intervals,
        **spec.pair_fields(analysis),
        unit=analysis.unit,
        selected=selected,
    )


def _ticks(span: tuple[float, float], width: float, style: Style) -> tuple[list[float], list[str]]:
    """Return positions and labels of ticks, made fewer until labels do not touch or one tick is asked for."""
    width *= style.px(0.45, 1)  # a window may be half as wide as the layout
    n_ticks = width / (3.2 * style.tick_size)
    while True:
        positions, labels = axis_parts.ticks(*span, n_ticks)
        step = (
            (positions[1] - positions[0]) / (span[1] - span[0]) * width
            if len(positions) > 1
            else width
        )
        if (
            text.widest(labels, style.tick_size, style.serif) + 1.2 * style.tick_size <= step
            or n_ticks <= 1
        ):
            return positions, labels
        n_ticks *= 0.75


def _stacks(positions: np.ndarray, style: Style) -> tuple[float, list[float], float]:
    """Return size, heights and total height of stacked circles at x positions in px."""
    least, limit = style.px(24, 16), style.px(48, 34)
    for size in (style.px(1, 0.58) * relative_size for relative_size in (8, 6.5, 5, 4, 3)):
        levels = _levels(positions, 1.05 * size)
        step, highest = 1.12 * size, max(levels, default=0)
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
    """Return the level of each circle in its stack, as low as possible without overlap."""
    order = np.argsort(positions, kind="stable")
    levels = np.empty(len(positions), dtype=int)
    levels[order] = pack_rows(
        [(position, position) for position in positions[order].tolist()], width
    )
    return levels.tolist()
