"""Differences of two algorithms per fold, with the confidence intervals of one or more tests."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
        margin = self._margin(list(short.values()), style)
        width = style.width - margin["l"] - margin["r"]
        on_one_line, side_texts = self._side_labels(width, style)
        lift = 0 if on_one_line else 1.25 * style.size
        margin["t"] += lift
        low, high = span = self._span
        selected = self.differences.index.astype(str).isin(self.selected)
        folds = traces.thin_marks(self._values, selected=np.flatnonzero(selected))
        fold_positions = (self._values[folds] - low) / (high - low) * width
        size, heights, stack_height = _stacks(fold_positions, style)
        bar = style.px(16, 10)
        pitch = style.px(28, 20)
        bottom = bar + pitch * (max(len(names), 1) - 1)
        height = margin["t"] + stack_height + bottom + margin["b"]
        fig = theme.new_figure(style, height, margin=margin)
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
        names_axis = axis_parts.names_axis(rows, labels, [-bottom, stack_height])
        fig.update_yaxes(**{**names_axis, "ticklabelstandoff": style.px(10, 7)})
        axis_parts.write_sides(fig, side_texts, "bottom", (lift, 0), style, self.region)
        return fig

    def _margin(self, names: Sequence[str], style: Style) -> dict[str, float]:
        """Return margins in px that fit the names of the tests and the tick labels."""
        left = text.widest(names, style.tick_size, style.serif) + style.px(26, 17)
        right = style.px(14, 8)
        _, tick_labels = _ticks(self._span, style.width - left - right, style)
        half_label = text.widest(tick_labels, style.tick_size, style.serif) / 2
        return {
            "l": max(left, half_label),
            "r": max(right, half_label),
            "t": style.px(18, 13),
            "b": style.px(38, 3.1 * style.size),
        }

    @cached_property
    def _values(self) -> np.ndarray:
        return self.differences.to_numpy(dtype=float)

    @cached_property
    def _span(self) -> tuple[float, float]:
        """Axis range that contains folds, zero, and intervals if not too long."""
        estimates = self.intervals["estimate"].to_numpy(dtype=float)
        core = np.concatenate([self._values, estimates, [0.0]])
        core = core[np.isfinite(core)]
        least, most = core.min(), core.max()
        ends = self.intervals[["low", "high"]].to_numpy(dtype=float)
        ends = np.append(ends[np.isfinite(ends)], 0.0)
        largest_overhang = _MOST_SPANS * float(np.ptp(core)) or np.inf
        low = min(least, max(ends.min(), least - largest_overhang))
        high = max(most, min(ends.max(), most + largest_overhang))
        pad = 0.05 * (high - low) or 1.0
        return float(low - pad), float(high + pad)

    def _side_labels(self, width: float, style: Style) -> tuple[bool, tuple[str, str]]:
        """Return whether the side labels fit next to the label of zero, and these labels, shortened if they do not."""
        size, (low, high) = style.size, self._span

        def wide(label: str) -> float:
            return text.text_width(label, size, style.serif)

        labels = axis_parts.side_labels(*map(text.plain_text, self.ends))
        zero_px = -low / (high - low) * width
        half_width = wide(axis_parts.zero_label(self.region)) / 2 + 1.2 * size
        fits_left = wide(labels[0]) <= zero_px - half_width
        fits_right = wide(labels[1]) <= width - zero_px - half_width
        if fits_left and fits_right:
            return True, labels
        room = width / 2 - wide(axis_parts.side_labels("", "")[0]) - 0.6 * size
        short = text.shorten(list(self.ends), max(room, 2 * size), size, serif=style.serif)
        left, right = self.ends
        return False, axis_parts.side_labels(short[left], short[right])

    def _draw_intervals(self, fig: go.Figure, rows: list[float], style: Style) -> None:
        """Draw interval and estimate of each test; the first test is emphasised."""
        estimates, (left, right) = self.intervals["estimate"].to_numpy(dtype=float), self._span
        decimals = text.decimals_for(estimates[np.isfinite(estimates)].tolist()) + 1
        for index, (name, row) in enumerate(self.intervals.astype(float).iterrows()):
            low = row["low"]
            high = row["high"]
            estimate = row["estimate"]
            hover = self._interval_words(name, low, high, estimate, decimals)
            y = rows[index]
            if not np.isnan([low, high]).any():
                colour = style.faint if index else style.ink
                width = style.px(1.8, 1) if index else style.px(3, 1.8)
                traces.add_points(
                    fig,
                    np.clip([low, high], left, right).tolist(),
                    [y, y],
                    f"interval {index + 1}",
                    style.px(9, 5.5),
                    [
                        "triangle-left" if low < left else "line-ns",
                        "triangle-right" if high > right else "line-ns",
                    ],
                    colour,
                    (width * 0.7, colour),
                    hover_text=[hover] * 2,
                    mode="lines+markers",
                    line={"color": colour, "width": width},
                )
            if np.isfinite(estimate):
                colour = style.faint if index else style.ink
                traces.add_points(
                    fig,
                    [float(estimate)],
                    [y],
                    f"estimate {index + 1}",
                    style.px(10, 6.5),
                    "line-ns",
                    edge=(style.px(2.4, 1.4), colour),
                    hover_text=[hover],
                )

    def _interval_words(
        self, test: object, low: float, high: float, estimate: float, decimals: int
    ) -> str:
        """Return the hover text of a test: estimate, interval, test, number of folds."""
        parts = ["difference"]
        if np.isfinite(estimate):
            parts.append(text.format_signed(estimate, decimals))
        parts.append(text.format_interval(low, high, decimals).replace("inf", "\N{INFINITY}"))
        counted = format_count(len(self._values), self.unit)
        return f"<b>{' '.join(parts).rstrip()}</b><br>{text.escape(test)}<br>{counted}"

    def _draw_folds(
        self, fig: go.Figure, folds: np.ndarray, size: float, heights: list[float], style: Style
    ) -> None:
        """Draw the differences of folds as circles; those not selected fade if any is."""
        labels = list(map(str, self.differences.index[folds]))
        values = self._values[folds]
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
        left, right = self.ends
        outcome = "0, the same result"
        if value != 0:
            sign, winner = ("+", right) if value > 0 else ("", left)
            number = paired_folds.hover_number(value, decimals)
            outcome = f"{sign}{number}, {text.escape(winner)} better"
        hint = traces.click_hint("fold", noun=self.unit)
        return f"<b>{self.unit} {text.escape(label)}</b><br>{outcome}<br>{hint}"

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
        first = text.short_name(self.first, 60)
        second = text.short_name(self.second, 60)
        excludes_zero = None
        if len(self.intervals):
            low, high = self.intervals.iloc[0][["low", "high"]]
            if not np.isnan([low, high]).any():
                excludes_zero = low > 0 or high < 0
        ending = spec.figure_text(
            "difference_interval.alt_end",
            mean=text.format_signed(float(values.mean()), text.decimals_for(values.tolist()) + 1),
            first=first,
            wins=int(better.sum()),
            excludes=excludes_zero,
        )
        start = self.describe("difference_interval.alt", first=first, second=second, n=len(values))
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
    low, high = span
    width *= style.px(0.45, 1)  # a window may be half as wide as the layout
    n_ticks = width / (3.2 * style.tick_size)
    while True:
        positions, labels = axis_parts.ticks(low, high, n_ticks)
        step = width
        if len(positions) > 1:
            step = (positions[1] - positions[0]) / (high - low) * width
        needed = text.widest(labels, style.tick_size, style.serif) + 1.2 * style.tick_size
        if needed <= step or n_ticks <= 1:
            return positions, labels
        n_ticks *= 0.75


def _stacks(positions: np.ndarray, style: Style) -> tuple[float, list[float], float]:
    """Return size, heights and total height of stacked circles at x positions in px."""
    least = style.px(24, 16)
    limit = style.px(48, 34)
    for relative_size in (8, 6.5, 5, 4, 3):
        size = style.px(1, 0.58) * relative_size
        levels = _levels(positions, 1.05 * size)
        step = 1.12 * size
        highest = max(levels, default=0)
        if step * highest + size <= limit:
            break
    else:
        step = (limit - size) / highest
    base = 0.5 * size + style.px(2, 1.4)
    heights = [base + step * level for level in levels]
    return size, heights, max(least, base + step * highest + 0.5 * size)


def _levels(positions: np.ndarray, width: float) -> list[int]:
    """Return the level of each circle in its stack, as low as possible without overlap."""
    order = np.argsort(positions, kind="stable")
    levels = np.empty(len(positions), dtype=int)
    levels[order] = pack_rows(
        [(position, position) for position in positions[order].tolist()], width
    )
    return levels.tolist()
