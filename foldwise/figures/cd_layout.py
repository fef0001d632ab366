"""Layout and drawing of rank diagrams: axis, labels, leader lines, group bars, list form.

Positions are in px: x from the left edge of the plot area, y down from the top of the figure.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.label_placement import pack_rows, spread_apart
from foldwise.figures.spec import figure_text
from foldwise.figures.theme import FADED, LEAST_POINTS, PX_PER_POINT, Style
from stats_core.core.formatting import p_phrase

Point = tuple[float, float]
Segment = tuple[Point, Point]
Side = Literal["left", "right"]
Form = Literal["automatic", "diagram", "list"]

#: Layout width of screen figures in px, which stretch in wider windows.
REFERENCE_WIDTH = 820
#: Width in px of the narrowest page beside an open sidebar, where tick labels must not touch.
NARROWEST = 560
#: With more algorithms the list form is used.
MOST_IN_DIAGRAM = 24
#: Share of its end cells covered by an underline.
COVERED = 0.76
#: Spare px for renderers that set names wider than measured.
_SPARE = 4
#: Px by which the plot area extends into the margins, so that nothing at its ends is clipped.
_BLEED = 4


class Measures:
    """Text and line sizes in px for a style and number of algorithms.

    Text is at most `most` px in size, for names that would otherwise leave no room.
    """

    def __init__(self, style: Style, k: int, most: float = math.inf) -> None:
        """Set all sizes, with text of at most `most` px; print with more than twelve algorithms has smaller text."""
        scale = min(7 / 8 if style.printed and k > 12 else 1.0, most / style.size)
        self.size = style.size * scale
        self.tick_size = style.tick_size * scale
        self.serif = style.serif
        self.tick = style.px(5, 3)
        self.shoulder = style.px(12, 8)
        self.pitch = style.px(10, 6)
        self.bar = style.px(3, 1.8)
        self.dot = style.px(7, 4.6)
        self.separation = style.px(9, 6)
        self.overhang = style.px(2.5, 1.5)
        self.apart = style.px(27, 18)
        self.row = 1.5 * self.size
        self.list_row = (1.22 if style.printed and k > 40 else 1.45) * self.size
        self.spacing = style.px(6, 5)
        self.between = style.px(9, 8)  # px between value and name
        self.pad = style.px(8, 6)
        self.axis = style.px(1.2, 0.8)
        self.thin = style.px(1, 0.6)

    def wide(self, string: str, bold: bool = False) -> float:
        """Return the width of `string` at text size."""
        return text.text_width(string, self.size, self.serif, bold)

    def column(self, strings: Sequence[str]) -> float:
        """Return the width of the widest of `strings`, 0 if there are none."""
        return max((self.wide(string) for string in strings), default=0.0)


@dataclass(frozen=True, slots=True)
class Text:
    """Line of text, vertically centred at `y`.

    `x` is measured from the edge of the plot area given by `edge`; `name` is the algorithm it
    belongs to, if any.
    """

    string: str
    x: float
    y: float
    anchor: Literal["left", "center", "right"]
    role: Literal["name", "value", "tick", "ruler", "note"]
    width: float
    edge: Side = "left"
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Leader:
    """Leader line from an algorithm's rank on the axis to its label."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class GroupBar:
    """Bar of a group: solid over consecutive members, dotted where it skips others; `dots` mark the members."""

    members: tuple[str, ...]
    solid: tuple[Segment, ...]
    dotted: tuple[Segment, ...]
    dots: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Ruler:
    """Critical difference as a line; `open_end` if it is longer than the axis."""

    start: float
    end: float
    y: float
    open_end: bool


@dataclass(slots=True, kw_only=True)
class DiagramLayout:
    """Positions of all elements of a diagram, in px.

    `rows` is the number of rows of bars, in the list form the number of columns. `axis_start` is
    the x of the left end of the axis, which ends at the right edge of the plot area.
    """

    form: Literal["diagram", "list"]
    measures: Measures
    left: float
    right: float
    plot: float
    height: float = 0.0
    axis_start: float = 0.0
    axis_y: float = 0.0
    ticks: tuple[float, ...] = ()
    minor: tuple[float, ...] = ()
    texts: list[Text] = field(default_factory=list)
    leaders: list[Leader] = field(default_factory=list)
    bars: list[GroupBar] = field(default_factory=list)
    marks: list[tuple[str, float, float]] = field(default_factory=list)
    targets: list[tuple[str, float, float]] = field(default_factory=list)
    ruler: Ruler | None = None
    rows: int = 0
    bar_width: float
    dot_width: float
    shown: dict[str, str]

    @property
    def width(self) -> float:
        """Width of the figure in px."""
        return self.left + self.plot + self.right

    @property
    def shortened(self) -> dict[str, str]:
        """Shortened names, by full name."""
        return {name: shown for name, shown in self.shown.items() if not text.is_whole(shown, name)}

    @property
    def dotted(self) -> bool:
        """Whether any group skips an algorithm ranked between its members."""
        return any(bar.dotted for bar in self.bars)


def axis_range(ranks: Sequence[float]) -> tuple[int, int]:
    """Return the ends of the rank axis: 1 and k for k <= 10 algorithms (at least 2), else integers around the ranks."""
    k = len(ranks)
    if k <= 10:
        return 1, max(k, 2)
    low, high = math.floor(min(ranks)), math.ceil(max(ranks))
    return (low, high) if high > low else (max(low - 1, 1), high + 1)


def tick_values(low: int, high: int, room: float, least: float) -> list[int]:
    """Return integer ranks to label: multiples of a round step at least `least` px apart.

    The ends of the axis are labelled too if they are far enough from the multiples.
    """
    unit = room / (high - low)
    steps = (factor * 10**power for power in range(6) for factor in (1, 2, 5))
    step = next(
        candidate for candidate in steps if candidate * unit >= least or candidate > high - low
    )
    inner = [rank for rank in range(low, high + 1) if rank % step == 0]
    least_gap = least / unit
    first = [low] if not inner or inner[0] - low >= least_gap else []
    last = [high] if not inner or high - inner[-1] >= least_gap else []
    if first and last and high - low < least_gap:
        last = []
    return first + inner + last


def consecutive_runs(indices: Iterable[int]) -> list[tuple[int, int]]:
    """Return runs of consecutive integers in ascending `indices` as (first, last)."""
    runs = itertools.groupby(enumerate(indices), lambda item: item[1] - item[0])
    return [(run[0][1], run[-1][1]) for run in (list(items) for _, items in runs)]


def skips(groups: Iterable[Iterable[int]]) -> bool:
    """Return whether any group of ascending indices is not consecutive."""
    return any(len(consecutive_runs(group)) > 1 for group in groups)


def drawn_groups(names: Sequence[str], groups: Iterable[Iterable[str]]) -> list[tuple[int, ...]]:
    """Return the distinct groups of two or more algorithms as sorted index tuples."""
    index_of = {name: index for index, name in enumerate(names)}
    distinct = {tuple(sorted({index_of[member] for member in group})) for group in groups}
    return sorted(group for group in distinct if len(group) > 1)


def group_bars(
    names: Sequence[str],
    groups: Sequence[Sequence[int]],
    at: Sequence[float] | Mapping[int, float],
    across: Sequence[float],
    *,
    half: float = 0.0,
    least: float = 0.0,
    dots: bool,
    vertical: bool = False,
) -> list[GroupBar]:
    """Return one bar per group: members at positions `at` along the bar, the bar at `across`.

    Solid parts extend beyond their outermost members by `half` px, and a bar of members at the same
    position by at least `least` px. Members are marked if `dots`; x and y are swapped if `vertical`.
    """
    bars = []
    for group, line in zip(groups, across, strict=True):
        spans = sorted(sorted((at[a], at[b])) for a, b in consecutive_runs(group))
        beyond = max(half, least) if spans[0][0] == spans[-1][1] else half
        ends = [(low - beyond, high + beyond) for low, high in spans]

        def segments(spans: Iterable[Sequence[float]], line: float = line) -> tuple[Segment, ...]:
            pairs = [((a, line), (b, line)) for a, b in spans]
            return tuple(
                ((y, x), (v, u)) if vertical else ((x, y), (u, v)) for (x, y), (u, v) in pairs
            )

        bars.append(
            GroupBar(
                members=tuple(names[i] for i in group),
                solid=segments(span for span in ends if span[1] > span[0]),
                dotted=segments(
                    (before[1], after[0]) for before, after in itertools.pairwise(ends)
                ),
                dots=tuple((line, at[i]) if vertical else (at[i], line) for i in group)
                if dots
                else (),
            )
        )
    return bars


def underlines(
    names: Sequence[str],
    groups: Sequence[Sequence[int]],
    x: Sequence[float],
    half: float,
    first: float,
    pitch: float,
    style: Style,
) -> tuple[list[GroupBar], int]:
    """Return one underline per group and the number of rows that they need.

    Underlines in one row are separated by a small gap or, in cells so narrow that the gap would not
    be visible, by a whole cell.
    """
    separation = 1.0 if abs(x[1] - x[0]) - 2 * half >= style.px(12, 8) else 2.0
    rows = pack_rows([(float(group[0]), float(group[-1])) for group in groups], separation)
    y = [first + row * pitch for row in rows]
    return group_bars(names, groups, x, y, half=half, dots=skips(groups)), max(rows, default=-1) + 1


class RankAxis:
    """Sorted ranks with sizes and printed names, from which both forms of the diagram are laid out."""

    beyond = 0.0  # px kept free at the right of the list form

    def __init__(  # noqa: PLR0913
        self,
        ranks: pd.Series,
        groups: Sequence[Sequence[str]],
        style: Style,
        *,
        critical_difference: tuple[float, str] | None = None,
        best: Side = "left",
        note: str | None = None,
        bold: Collection[str] = (),
        most: float = math.inf,
        lines: int = 2,
        dot_row: bool = False,
        least_rows: int = 0,
    ) -> None:
        """Set ranks, groups and options.

        `critical_difference` is its value and origin, `best` the side of the best rank, `bold` the
        algorithms with bold names, and `most` the largest text size in px. `note` is a line above
        the axis; if it is None and there is no group to draw, the line states that all pairs
        differ.
        """
        self.names = [str(name) for name in ranks.index]
        self.ranks = [float(rank) for rank in ranks]
        self.groups = drawn_groups(self.names, groups)
        self.style, self.best, self.cd = style, best, critical_difference
        self.lines, self.dot_row, self.least_rows = lines, dot_row, least_rows
        self.bold = frozenset(bold)
        self.k = len(self.names)
        pairs = self.k * (self.k - 1) // 2
        self.note = (
            ("" if self.groups else figure_text("cd_layout.all_differ", pairs=pairs))
            if note is None
            else note
        )
        self.measures = Measures(style, self.k, most)
        self.total = style.width if style.printed else min(style.width, REFERENCE_WIDTH)
        self.share = style.px(0.4, 0.3)  # least share of the width that the axis takes
        self.low, self.high = axis_range(self.ranks)
        self.values = [f"{rank:.2f}" for rank in self.ranks]

    def at(self, rank: float, start: float, end: float) -> float:
        """Return the x in px of a rank on an axis from `start` to `end`."""
        share = (rank - self.low) / (self.high - self.low)
        return (
            end - share * (end - start) if self.best == "right" else start + share * (end - start)
        )

    def least_length(self, layout: DiagramLayout) -> float:
        """Return the axis length in px in the narrowest window; in print its only length."""
        length, plot = layout.plot - layout.axis_start, layout.plot
        if self.style.printed or self.style.width < NARROWEST:
            return length
        return length * min(max(NARROWEST - layout.left - layout.right, 0.1 * plot) / plot, 1.0)

    def shorten(self, room: float) -> dict[str, str]:
        """Return the printed form of each name, at most `room` px wide."""
        m = self.measures
        return text.shorten(
            self.names, room, m.size, serif=m.serif, bold=bool(self.bold), lines=self.lines
        )

    def wide(self, name: str, string: str) -> float:
        """Return the width in px of an algorithm's printed name."""
        return self.measures.wide(string, name in self.bold)

    def new_layout(self, form: Literal["diagram", "list"], **fields: Any) -> DiagramLayout:
        """Return an empty layout of the given form."""
        m = self.measures
        return DiagramLayout(
            **{"form": form, "measures": m, "bar_width": m.bar, "dot_width": m.dot, **fields}
        )

    def add_head(self, layout: DiagramLayout) -> None:
        """Lay out ruler, note, axis and tick labels."""
        m, start, end = self.measures, layout.axis_start, layout.plot
        y = 2.0
        if self.cd is not None:
            y = self._add_ruler(layout, y)
        if self.note:
            y = self._add_note(layout, y)
        layout.axis_y = y + 1.25 * m.tick_size + m.tick
        values = tick_values(self.low, self.high, self.least_length(layout), 2.2 * m.tick_size)
        layout.ticks = tuple(self.at(rank, start, end) for rank in values)
        if (end - start) / (self.high - self.low) >= 4:
            minor = [rank for rank in range(self.low, self.high + 1) if rank not in values]
            layout.minor = tuple(self.at(rank, start, end) for rank in minor)
        self.add_ticks(layout, map(str, values), y)

    def add_ticks(self, layout: DiagramLayout, strings: Iterable[str], y: float) -> None:
        """Add the labels of the ticks."""
        m = self.measures
        for string, x in zip(strings, layout.ticks, strict=True):
            width = text.text_width(string, m.tick_size, m.serif)
            layout.texts.append(Text(string, x, y + 0.65 * m.tick_size, "center", "tick", width))

    def _add_note(self, layout: DiagramLayout, y: float) -> float:
        """Lay out the note, next to a ruler's label only if it fits there; return the y below it."""
        m, end = self.measures, layout.plot + layout.right
        width = m.wide(self.note)
        if layout.ruler:
            ruler_label = layout.texts[-1]
            x = max(ruler_label.x + ruler_label.width, layout.ruler.end) + 2 * m.size
            if x + width <= end - m.pad:
                layout.texts.append(Text(self.note, x, ruler_label.y, "left", "note", width))
                return y
        x = max(min(layout.axis_start, end - m.pad - width), 2 - layout.left)
        layout.texts.append(Text(self.note, x, y + 0.75 * m.size, "left", "note", width))
        return y + 1.7 * m.size

    def _add_ruler(self, layout: DiagramLayout, y: float) -> float:
        """Lay out the ruler with its label at the best end of the axis; return the y below it."""
        m, start, end, first = self.measures, layout.axis_start, layout.plot, 2 - layout.left
        value, origin = self.cd or (0.0, "")
        unit = (end - start) / (self.high - self.low)
        length = min(value * unit, end - start)
        open_end = value * unit > end - start + 1e-9
        ruler_start, ruler_end = (
            (start, start + length) if self.best == "left" else (end - length, end)
        )
        string = f"CD = {value:.3f}"
        if origin and not self.style.printed:
            string += f" ({origin})"
        if open_end:
            string += figure_text("cd_layout.longer")
        width = m.wide(string)
        spacing = m.spacing + 2
        ruler_y = text_y = y + m.size
        if ruler_end + spacing + width <= end + layout.right - 2:
            x = ruler_end + spacing
        elif ruler_start - spacing - width >= first:
            x = ruler_start - spacing - width
        else:
            x = min(
                max((ruler_start + ruler_end - width) / 2, first),
                max(end + layout.right - width - 2, first),
            )
            text_y, ruler_y = y + 0.65 * m.size, y + 1.9 * m.size
        layout.ruler = Ruler(ruler_start, ruler_end, ruler_y, open_end)
        layout.texts.append(Text(string, x, text_y, "left", "ruler", width))
        return ruler_y + m.size

    def _add_label(
        self, layout: DiagramLayout, i: int, y: float, edge: Side, values: float
    ) -> None:
        """Lay out value and name of an algorithm; `values` is the width in px of the right-aligned values."""
        m, name, value = self.measures, self.names[i], self.values[i]
        offset = m.spacing + values + m.between
        x_value, x_name = (-m.spacing, -offset) if edge == "left" else (m.spacing + values, offset)
        string, anchor = layout.shown[name], "right" if edge == "left" else "left"
        layout.texts += [
            Text(value, x_value, y, "right", "value", m.wide(value), edge, name),
            Text(string, x_name, y, anchor, "name", self.wide(name, string), edge, name),
        ]

    def _halves(self) -> tuple[list[int], list[int]]:
        """Return the indices of left and right labels, from top to bottom."""
        order = list(range(self.k))
        if self.best == "right":
            order.reverse()
        half = (self.k + 1) // 2
        return order[:half], order[half:][::-1]

    def _side_widths(self, shown: Mapping[str, str]) -> list[float]:
        """Return left and right margin in px required by values, names and gaps."""
        m, widths = self.measures, []
        for side in self._halves():
            values = m.column([self.values[i] for i in side])
            names = max(
                (self.wide(name, shown[name]) for name in (self.names[i] for i in side)),
                default=0.0,
            )
            widths.append(m.spacing + values + m.between + names + _SPARE + m.pad)
        return widths

    def _cramped(self) -> bool:
        """Return whether full names leave the axis too little of the width, or leader lines do not fit."""
        shown = self._side_names()
        if not all(text.is_whole(string, name) for name, string in shown.items()):
            return True
        plot = self.total - sum(self._side_widths(shown))
        return plot < self.share * self.total or self.k * self.measures.separation > 0.9 * plot

    def _side_names(self) -> dict[str, str]:
        """Return printed names for the classic form, whose axis takes at least `share` of the width."""
        any_bold = bool(self.bold)
        full_widths = [
            max(self.measures.wide(self.names[i], any_bold) for i in side)
            for side in self._halves()
        ]
        available = (1 - self.share) * self.total - sum(
            self._side_widths(dict.fromkeys(self.names, ""))
        )
        if sum(full_widths) <= available:
            return self.shorten(max(full_widths) + 1)
        # The side with the shorter names gets its full width, up to one half.
        return self.shorten(
            max(available - min(*full_widths, available / 2), self.measures.size * 2)
        )

    def classic_form(self) -> DiagramLayout | None:
        """Return the classic layout (labels on both sides), None if it would be illegible."""
        if self._cramped():
            return None
        layout, separation = self.diagram(), self.measures.separation
        ranks = sorted(leader.points[0][0] for leader in layout.leaders)
        apart = spread_apart(ranks, separation, 0.0, layout.plot)
        crowded = max(map(abs, np.subtract(apart, ranks))) > 2 * separation + 1e-6
        return None if crowded else layout

    def _stems(self, rank_x: Sequence[float], plot: float, dots: bool) -> list[float]:
        """Return the x of each leader line below the axis: that of its rank.

        Algorithms of almost equal rank are moved apart only if a group contains just one of them,
        so that the bar of the group does not reach the other.
        """
        m = self.measures
        # from left to right; algorithms of equal rank in the order of the names, as in groups
        order = range(self.k) if self.best == "left" else range(self.k - 1, -1, -1)
        distance = (m.dot / 2 if dots else m.overhang) + 1.5 * m.thin
        memberships = [{group for group in self.groups if i in group} for i in order]
        apart = [distance * (before != after) for before, after in itertools.pairwise(memberships)]
        return [
            x
            for _, x in sorted(
                zip(order, spread_apart([rank_x[i] for i in order], apart, 0.0, plot), strict=True)
            )
        ]

    def diagram(self) -> DiagramLayout:
        """Return the classic layout."""
        m, shown, halves = self.measures, self._side_names(), self._halves()
        left, right = self._side_widths(shown)
        plot, pitch = self.total - left - right, text.row_height(shown.values(), m.size, m.row)
        layout = self.new_layout("diagram", left=left, right=right, plot=plot, shown=shown)
        self.add_head(layout)
        rank_x = [self.at(rank, 0.0, plot) for rank in self.ranks]
        order, dots = halves[0] + halves[1][::-1], skips(self.groups)
        stems = self._stems(rank_x, plot, dots)
        top = layout.axis_y + m.shoulder
        # Group bars are packed from left to right.
        groups = sorted(self.groups, key=lambda group: sorted(order.index(i) for i in group))
        rows = pack_rows([sorted((stems[group[0]], stems[group[-1]])) for group in groups], m.apart)
        y = [top + 0.6 * m.pitch + row * m.pitch for row in rows]
        layout.bars = group_bars(
            self.names,
            groups,
            stems,
            y,
            half=0.0 if dots else m.overhang,
            least=(m.dot + m.thin) / 2,
            dots=dots,
        )
        layout.rows = max(rows, default=-1) + 1
        marks = self._add_marks(layout, stems, top) if self.dot_row else 0
        first_label = (
            top + max(layout.rows, self.least_rows, marks) * m.pitch + 0.4 * m.size + pitch / 2
        )
        for edge, side in zip(("left", "right"), halves, strict=True):
            values = m.column([self.values[i] for i in side])
            x_label, x_target = (0.0, 8.0) if edge == "left" else (plot, plot - 8.0)
            for row, i in enumerate(side):
                y_label, name = first_label + row * pitch, self.names[i]
                points = (
                    (rank_x[i], layout.axis_y),
                    (stems[i], top),
                    (stems[i], y_label),
                    (x_label, y_label),
                )
                layout.leaders.append(Leader(name, points))
                self._add_label(layout, i, y_label, edge, values)
                layout.targets.append((name, x_target, y_label))
        layout.height = first_label + (len(halves[0]) - 0.5) * pitch + 2
        return layout

    def _add_marks(self, layout: DiagramLayout, stems: Sequence[float], top: float) -> int:
        """Lay out one mark per algorithm, those of almost equal rank below each other; return the number of rows."""
        m = self.measures
        order = sorted(range(self.k), key=lambda i: stems[i])
        rows = pack_rows([(stems[i], stems[i]) for i in order], m.separation)
        layout.marks = [
            (self.names[i], stems[i], top + (0.6 + row) * m.pitch)
            for i, row in zip(order, rows, strict=True)
        ]
        return max(rows) + 1

    def list_form(self) -> DiagramLayout:
        """Return the list layout: one row per algorithm, one column per group."""
        m = self.measures
        columns = pack_rows([(float(group[0]), float(group[-1])) for group in self.groups], 2.0)
        n_columns = max(columns, default=-1) + 1
        count = max(n_columns, self.least_rows)
        values = m.column(self.values)
        right = m.pad + m.tick_size + self.beyond
        fixed_width = m.spacing + values + m.between + _SPARE + m.pad + right
        room = self.total - fixed_width
        pitch = min(m.pitch, 0.4 * room / max(count, 1))
        bars_width = count * pitch + (m.pitch if count else 0.0)
        shown = self.shorten(
            max(min(0.45 * self.total, room - bars_width - 0.28 * self.total), 3 * m.size)
        )
        left = fixed_width - right + max(self.wide(name, shown[name]) for name in self.names)
        layout = self.new_layout(
            "list",
            left=left,
            right=right,
            plot=self.total - left - right,
            shown=shown,
            axis_start=bars_width,
            rows=n_columns,
            bar_width=min(m.bar, 0.5 * pitch),
            dot_width=min(m.dot, 0.85 * pitch),
        )
        self.add_head(layout)
        step = text.row_height(shown.values(), m.size, m.list_row)
        y = [layout.axis_y + 0.3 * m.size + (row + 0.5) * step for row in range(self.k)]
        x = [self.at(rank, bars_width, layout.plot) for rank in self.ranks]
        for i in range(self.k):
            self._add_label(layout, i, y[i], "left", values)
        layout.leaders = [
            Leader(name, ((0.0, y[i]), (x[i], y[i]))) for i, name in enumerate(self.names)
        ]
        across = [(column + 0.5) * pitch for column in columns]
        layout.bars = group_bars(self.names, self.groups, y, across, dots=True, vertical=True)
        layout.marks = layout.targets = list(zip(self.names, x, y, strict=True))
        layout.height = y[-1] + step / 2 + 2
        return layout


def cd_layout(
    average_ranks: pd.Series,
    groups: Sequence[Sequence[str]],
    *,
    style: Style,
    form: Form = "automatic",
    **options: Any,
) -> DiagramLayout:
    """Return the layout of a critical-difference diagram; raise ValueError for fewer than two algorithms.

    `options` are further arguments of `RankAxis`.
    """
    if len(average_ranks) < 2:
        raise ValueError(f"too few algorithms: {len(average_ranks)}")
    ranks = average_ranks.sort_values(kind="stable")
    if form == "list" or (form == "automatic" and len(ranks) > MOST_IN_DIAGRAM):
        # names on one line if there are many, so that a column is no longer than a page
        return RankAxis(
            ranks, groups, style, lines=1 + (len(ranks) <= MOST_IN_DIAGRAM), **options
        ).list_form()
    sizes = _sizes(style)
    for size, lines in product(
        sizes, (1, 2) if max(map(len, map(str, ranks.index))) > _UNBROKEN else (1,)
    ):
        layout = RankAxis(ranks, groups, style, most=size, lines=lines, **options).classic_form()
        if layout is not None:
            return layout
    if form == "automatic":
        return RankAxis(ranks, groups, style, **options).list_form()
    return RankAxis(ranks, groups, style, most=sizes[-1], **options).diagram()


_UNBROKEN = 16  # names of so many letters stay on one line


def _sizes(style: Style) -> list[float]:
    """Return text sizes to try in px, largest first."""
    least = min(LEAST_POINTS * PX_PER_POINT, style.size)
    half_point = 0.5 * PX_PER_POINT
    smaller = (
        range(1, math.ceil((style.size - least) / half_point - 1e-9) + 1) if style.printed else ()
    )
    return [style.size, *(max(style.size - i * half_point, least) for i in smaller)]


class TraceList:
    """Plotly traces as plain dictionaries, which avoids the cost of validation."""

    def __init__(self) -> None:
        self.traces: dict[str, dict[str, Any]] = {}

    def add_scatter(self, **trace: Any) -> None:
        """Store a scatter trace."""
        self._keep("scatter", trace)

    def add_bar(self, **trace: Any) -> None:
        """Store a bar trace."""
        self._keep("bar", trace)

    def _keep(self, kind: str, trace: dict[str, Any]) -> None:
        key = (
            trace["name"]
            if trace["name"] not in self.traces
            else f"{trace['name']} {len(self.traces)}"
        )
        self.traces[key] = {"type": kind} | {
            name: value for name, value in trace.items() if value is not None
        }


class DiagramPainter:
    """Painter of a layout, with colours and opacities."""

    def __init__(
        self,
        style: Style,
        layout: DiagramLayout,
        algorithms: list[str],
        selected: Collection[str],
        highlight: Collection[str],
        colours: Mapping[str, str] | None = None,
    ) -> None:
        """Set layout, selection and the colours of algorithms that have one of their own."""
        self.style, self.layout, self.m = style, layout, layout.measures
        self.selected = frozenset(selected)
        self.highlight = frozenset(highlight)
        palette = colours or theme.colours(algorithms, highlight, style.dark)
        coloured = style.colour or not style.printed
        with_own_colour = [
            name
            for name in algorithms
            if name in self.highlight or (colours or {}).get(name, theme.GREY) != theme.GREY
        ]
        hues = {name: palette.get(name, theme.GREY) for name in with_own_colour if coloured}
        self.colour = {name: hue for name, hue in hues.items() if hue != theme.GREY}

    def fades(self, members: Iterable[str]) -> bool:
        """Return whether an element for `members` fades: it neither contains the selection nor is part of it."""
        member_set = set(members)
        return bool(self.selected) and not (
            self.selected <= member_set or member_set <= self.selected
        )

    def opacity(self, members: Iterable[str]) -> float:
        """Return the opacity of an element for `members`."""
        return FADED if self.fades(members) else 1.0

    def new_figure(self) -> go.Figure:
        """Return an empty figure with axes in px of the layout, y downwards."""
        layout, style = self.layout, self.style
        hidden = {"visible": False, "fixedrange": True}
        # In print the plot area is the whole page; on the screen the labels are in margins of a
        # fixed width, and only the area between them stretches.
        bleed = (layout.left, layout.right) if style.printed else (_BLEED, _BLEED)
        margins = {"l": layout.left - bleed[0], "r": layout.right - bleed[1], "t": 0, "b": 0}
        return theme.new_figure(
            style,
            layout.height,
            margin={**margins, "autoexpand": False},
            xaxis={"range": [-bleed[0], layout.plot + bleed[1]], **hidden},
            yaxis={"range": [round(layout.height), 0], **hidden},
            bargap=0,
        )

    def draw_axis(self, fig: go.Figure | TraceList) -> None:
        """Draw the rank axis with its ticks."""
        layout, m, y = self.layout, self.m, self.layout.axis_y
        options = (self.style.ink, m.axis)
        traces.add_paths(fig, [((layout.axis_start, y), (layout.plot, y))], "axis", *options)
        # Extended by half a line width, so that the end ticks are flush with the axis.
        ticks = [((x, y + m.axis / 2), (x, y - m.tick)) for x in layout.ticks]
        ticks += [((x, y), (x, y - 0.6 * m.tick)) for x in layout.minor]
        traces.add_paths(fig, ticks, "ticks", *options)

    def draw_ruler(self, fig: go.Figure | TraceList) -> None:
        """Draw the critical difference as a line with end caps, if there is one."""
        ruler, cap = self.layout.ruler, self.style.px(4, 3)
        if ruler:
            ends = [ruler.start] if ruler.open_end else [ruler.start, ruler.end]
            paths = [((ruler.start, ruler.y), (ruler.end, ruler.y))]
            paths += [((x, ruler.y - cap), (x, ruler.y + cap)) for x in ends]
            traces.add_paths(fig, paths, "critical difference", self.style.ink, 1.2 * self.m.axis)

    def draw_leaders(self, fig: go.Figure | TraceList) -> None:
        """Draw the leader lines from ranks to labels."""
        layout, m, style = self.layout, self.m, self.style
        colour = style.hairline if layout.form == "list" else style.leader
        plain = [leader for leader in layout.leaders if leader.name not in self.highlight]
        for opacity in (FADED, 1.0):
            paths = [leader.points for leader in plain if self.opacity([leader.name]) == opacity]
            traces.add_paths(fig, paths, "leaders", colour, m.thin, opacity=opacity)
        for leader in layout.leaders:
            if leader.name in self.highlight:
                own_colour = self.colour.get(leader.name, style.ink)
                opacity = self.opacity([leader.name])
                traces.add_paths(
                    fig, [leader.points], "leaders", own_colour, 1.8 * m.thin, opacity=opacity
                )

    def draw_bars(self, fig: go.Figure | TraceList, *, round_ends: bool = True) -> None:
        """Draw the group bars, faded ones first, so that the selected group lies on top."""
        layout, ink = self.layout, self.style.ink
        for opacity, suffix in ((FADED, " behind"), (1.0, "")):
            bars = [bar for bar in layout.bars if self.opacity(bar.members) == opacity]
            dotted = [segment for bar in bars for segment in bar.dotted]
            solid = [segment for bar in bars for segment in bar.solid]
            traces.add_paths(
                fig, dotted, f"passed over{suffix}", ink, self.m.thin, dash="dot", opacity=opacity
            )
            traces.add_paths(fig, solid, f"groups{suffix}", ink, layout.bar_width, opacity=opacity)
            # Round caps, except on faded bars, where the overlap would be visible.
            if round_ends and opacity == 1.0 and not any(bar.dots for bar in bars):
                caps = [end for path in solid for end in path]
                _add_dots(fig, caps, "caps", layout.bar_width, ink)
            members = [dot for bar in bars for dot in bar.dots]
            hues = [self.colour.get(name, ink) for bar in bars for name in bar.members if bar.dots]
            _add_dots(fig, members, f"members{suffix}", layout.dot_width, hues, opacity)

    def draw_marks(self, fig: go.Figure | TraceList) -> None:
        """Draw the average ranks of the list form as marks."""
        for opacity in (FADED, 1.0):
            marks = [mark for mark in self.layout.marks if self.opacity([mark[0]]) == opacity]
            colours = [self.colour.get(name, self.style.ink) for name, _, _ in marks]
            points = [(x, y) for _, x, y in marks]
            _add_dots(fig, points, "ranks", self.style.px(7, 4.6), colours, opacity)

    def draw_texts(self, fig: go.Figure) -> None:
        """Draw all text: annotations on the screen, a text trace in print.

        Annotations keep their distance from the axis when the window stretches the figure, but
        snap to whole pixels; print does not stretch, and a text trace aligns exactly.
        """
        if not self.style.printed:
            fig.update_layout(annotations=self.annotations())
            return
        texts, m = self.layout.texts, self.m
        text_positions = {"left": "middle right", "center": "middle center", "right": "middle left"}
        traces.add_cell_text(
            fig,
            [t.x + (self.layout.plot if t.edge == "right" else 0.0) for t in texts],
            # Plotly centres the line of text; the offset centres its digits.
            [t.y + 0.07 * m.size for t in texts],
            "text",
            [self.markup(t) for t in texts],
            [m.tick_size if t.role == "tick" else m.size for t in texts],
            [self._text_colour(t) for t in texts],
            textposition=[text_positions[t.anchor] for t in texts],
        )

    def markup(self, item: Text) -> str:
        """Return a text as Plotly markup, with highlighted algorithms in bold."""
        string = text.shortened_markup(item.string)
        bold = item.role == "name" and item.name in self.highlight
        return f"<b>{string}</b>" if bold else string

    def _text_colour(self, item: Text) -> str:
        style = self.style
        if item.role == "name" and item.name in self.colour:
            return self.colour[item.name]
        if style.printed and item.name and self.fades([item.name]):
            return style.leader
        return style.second if item.role in ("value", "note") else style.ink

    def annotations(self) -> list[dict[str, Any]]:
        """Return all text as Plotly annotations."""
        return [self._annotation(item) for item in self.layout.texts]

    def _annotation(self, item: Text) -> dict[str, Any]:
        """Return a text as a Plotly annotation."""
        m, side = self.m, (1, -_BLEED) if item.edge == "right" else (0, _BLEED)
        across = {"xref": "paper", "x": side[0], "xshift": item.x + side[1]}
        if item.role in ("tick", "ruler", "note") and 0 <= item.x <= self.layout.plot:
            across = {"xref": "x", "x": item.x}
        return {
            "text": self.markup(item),
            "yref": "y",
            "y": item.y,
            **across,
            "xanchor": item.anchor,
            "yanchor": "middle",
            "showarrow": False,
            "borderpad": 0,
            "borderwidth": 0,
            "font": {
                "size": m.tick_size if item.role == "tick" else m.size,
                "color": self._text_colour(item),
            },
            "opacity": self.opacity([item.name]) if item.name else 1.0,
        }

    def draw_targets(
        self, fig: go.Figure | TraceList, hover: Hover, *, labels: bool = True
    ) -> None:
        """Add invisible hover targets for bars, members and, if `labels`, for names."""
        layout, pitch = self.layout, self.m.pitch
        self._draw_bar_targets(fig, hover)
        members = [
            (self._member_position(bar, name), hover.member(name, bar.members), list(bar.members))
            for bar in layout.bars
            for name in bar.members
        ]
        targets = [
            ((x, y), hover.algorithm(name), name)
            for name, x, y in (layout.targets if labels else [])
        ]
        shown = {item.name: self.markup(item) for item in layout.texts if item.role == "name"}
        for name, size, items in (
            ("member targets", pitch - 1, members),
            ("label targets", 16, targets),
        ):
            points, hover_texts, data = zip(*items, strict=True) if items else ((), (), ())
            # a click on the printed name is one on its target
            printed = (
                {"text": [shown.get(algorithm, algorithm) for algorithm in data]}
                if items is targets
                else {}
            )
            traces.add_targets(
                fig,
                points,
                name,
                hover_texts,
                size,
                customdata=_column(data),
                meta="group",
                **printed,
            )

    def _member_position(self, bar: GroupBar, name: str) -> Point:
        """Return the position of an algorithm on a group bar."""
        x, y = (bar.solid or bar.dotted)[0][0]
        leader = next(leader for leader in self.layout.leaders if leader.name == name)
        return (x, leader.points[0][1]) if self.layout.form == "list" else (leader.points[1][0], y)

    def _draw_bar_targets(self, fig: go.Figure | TraceList, hover: Hover) -> None:
        """Add a transparent, thicker bar over each visible bar as hover target."""
        stretches = [
            (segment, bar) for bar in self.layout.bars for segment in (*bar.solid, *bar.dotted)
        ]
        if not stretches:
            return
        horizontal = self.layout.form == "diagram"
        along = 0 if horizontal else 1
        length = [abs(end[along] - start[along]) for (start, end), _ in stretches]
        centre = [start[1 - along] for (start, _), _ in stretches]
        traces.add_areas(
            fig,
            length if horizontal else centre,
            centre if horizontal else length,
            "group targets",
            "rgba(0,0,0,0)",
            [hover.group(bar) for _, bar in stretches],
            base=[min(start[along], end[along]) for (start, end), _ in stretches],
            orientation="h" if horizontal else "v",
            width=[0.9 * self.m.pitch] * len(stretches),
            customdata=_column([list(bar.members) for _, bar in stretches]),
            meta="group",
        )


def _add_dots(
    fig: go.Figure | TraceList,
    points: Sequence[Point],
    name: str,
    size: float,
    colour: Any,
    opacity: float = 1.0,
) -> None:
    if points:
        x, y = map(list, zip(*points, strict=True))
        marker = {"opacity": opacity, "line": {"width": 0}, "size": size, "color": colour}
        options = {
            "unselected": {"marker": {"opacity": opacity}},
            "hoverinfo": "skip",
            "cliponaxis": False,
        }
        fig.add_scatter(x=x, y=y, name=name, mode="markers", marker=marker, **options)


def _column(values: Sequence[object]) -> np.ndarray:
    """Return `values`, whose entries may be lists, as a one-dimensional object array."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


_SELECT_GROUP = traces.click_hint("group")


class Hover:
    """Hover texts of algorithms and group bars, at most five lines each."""

    def __init__(
        self, average_ranks: pd.Series, bars: Sequence[GroupBar], pvalues: pd.DataFrame | None
    ) -> None:
        self.ranks = {str(name): float(rank) for name, rank in average_ranks.items()}
        self.bars = bars
        self.pvalues = None
        if pvalues is not None:
            self.pvalues = pvalues.to_numpy(dtype=float)  # an array, since many pairs are looked up
            self.index_of = {str(name): index for index, name in enumerate(pvalues.index.tolist())}

    def title(self, name: str) -> str:
        """Return the first line of a hover text: name and rank in bold."""
        return f"<b>{text.escape(name)} {self.ranks[name]:.2f}</b>"

    def algorithm(self, name: str) -> str:
        """Return the hover text of an algorithm: rank, groups, and its nearest group member."""
        groups = [bar for bar in self.bars if name in bar.members]
        lines = [self.title(name)]
        if not groups:
            lines.append(figure_text("cd_layout.alone"))
        elif len(groups) == 1:
            lines.append(f"Group: {list_members(groups[0].members)}")
        else:
            lines.append(f"in {len(groups)} groups")
        others = {member for bar in groups for member in bar.members} - {name}
        if others:
            nearest = min(
                sorted(others), key=lambda other: abs(self.ranks[other] - self.ranks[name])
            )
            lines.append(
                figure_text(
                    "cd_layout.nearest", name=text.escape(nearest), p=self._p(name, nearest)
                )
            )
        return "<br>".join([*lines, traces.click_hint("algorithm")])

    def member(self, name: str, members: Sequence[str]) -> str:
        """Return the hover text of an algorithm on a group bar, with the two largest p-values if known."""
        others = [other for other in members if other != name]
        if self.pvalues is None:
            return "<br>".join([self.title(name), f"Group: {list_members(members)}", _SELECT_GROUP])
        others.sort(key=lambda other: -self._pvalue(name, other))
        pairs = [f"{text.escape(other)}{self._p(name, other)}" for other in others[:2]]
        if len(others) > 2:
            pairs.append(figure_text("cd_layout.others", n=len(others) - 2))
        return "<br>".join([self.title(name), *pairs, _SELECT_GROUP])

    def group(self, bar: GroupBar) -> str:
        """Return the hover text of a group bar."""
        return "<br>".join(
            [f"<b>{list_members(bar.members)}</b>", "no significant difference", _SELECT_GROUP]
        )

    def _p(self, first: str, second: str) -> str:
        return (
            ""
            if self.pvalues is None
            else f", {p_phrase(self._pvalue(first, second), name='adjusted p')}"
        )

    def _pvalue(self, first: str, second: str) -> float:
        return float(self.pvalues[self.index_of[second], self.index_of[first]])


def list_members(members: Sequence[str]) -> str:
    """Return up to four members of a group as escaped text, with the number of others."""
    short = text.shorten(list(members), 160, 13)
    return text.join_escaped((text.escape(short[member]) for member in members), 4)
