"""Layout and drawing of rank diagrams: axis, labels, leader lines, group bars, list form.

Positions are in px: x from the left edge of the plot area, y down from the top of the figure.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal, NamedTuple, TypedDict, Unpack

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
Anchor = Literal["left", "center", "right"]
Role = Literal["name", "value", "tick", "ruler", "note"]
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
    anchor: Anchor
    role: Role
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
    round_steps = (factor * 10**power for power in range(6) for factor in (1, 2, 5))
    step = next(each for each in round_steps if each * unit >= least or each > high - low)
    inner = [rank for rank in range(low, high + 1) if rank % step == 0]
    least_gap = least / unit
    first = [low] if not inner or inner[0] - low >= least_gap else []
    last = [high] if not inner or high - inner[-1] >= least_gap else []
    if first and last and high - low < least_gap:
        last = []
    return first + inner + last


def consecutive_runs(indices: Iterable[int]) -> list[tuple[int, int]]:
    """Return runs of consecutive integers in ascending `indices` as (first, last)."""
    runs: list[tuple[int, int]] = []
    for index in indices:
        if runs and index == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], index)
        else:
            runs.append((index, index))
    return runs


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
        spans = [_span(at, first, last) for first, last in consecutive_runs(group)]
        spans.sort()
        is_point = spans[0][0] == spans[-1][1]
        beyond = max(half, least) if is_point else half
        ends = [(low - beyond, high + beyond) for low, high in spans]
        between = [(before[1], after[0]) for before, after in itertools.pairwise(ends)]
        points = [(at[i], line) for i in group] if dots else []
        bar = GroupBar(
            members=tuple(names[i] for i in group),
            solid=tuple(((a, line), (b, line)) for a, b in ends if b > a),
            dotted=tuple(((a, line), (b, line)) for a, b in between),
            dots=tuple(points),
        )
        bars.append(_transposed(bar) if vertical else bar)
    return bars


def _span(at: Sequence[float] | Mapping[int, float], first: int, last: int) -> tuple[float, float]:
    """Return the ascending positions of two algorithms."""
    return min(at[first], at[last]), max(at[first], at[last])


def _transposed(bar: GroupBar) -> GroupBar:
    """Return a bar with x and y swapped."""
    return GroupBar(
        members=bar.members,
        solid=tuple(((y, x), (v, u)) for (x, y), (u, v) in bar.solid),
        dotted=tuple(((y, x), (v, u)) for (x, y), (u, v) in bar.dotted),
        dots=tuple((y, x) for x, y in bar.dots),
    )


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
    bars = group_bars(names, groups, x, y, half=half, dots=skips(groups))
    return bars, max(rows, default=-1) + 1


class RankAxisOptions(TypedDict, total=False):
    """Options of a rank diagram.

    `critical_difference` is its value and origin, `best` the side of the best rank, and `bold` the
    algorithms with bold names. `note` is a line above the axis; if it is None, as by default, and
    there is no group to draw, the line states that all pairs differ. `dot_row` adds a mark per
    algorithm below the axis, and `least_rows` is the least number of rows of bars that there is
    room for.
    """

    critical_difference: tuple[float, str] | None
    best: Side
    note: str | None
    bold: Collection[str]
    dot_row: bool
    least_rows: int


class LayoutOptions(RankAxisOptions, total=False):
    """Options of a rank diagram and its form, which is chosen by default."""

    form: Form


_SIDES: tuple[Side, Side] = ("left", "right")


class RankAxis:
    """Sorted ranks with sizes and printed names, from which both forms of the diagram are laid out."""

    beyond = 0.0  # px kept free at the right of the list form

    def __init__(
        self,
        ranks: pd.Series,
        groups: Sequence[Sequence[str]],
        style: Style,
        *,
        most: float = math.inf,
        lines: int = 2,
        **options: Unpack[RankAxisOptions],
    ) -> None:
        """Set ranks, groups and options; `most` is the largest text size in px."""
        self.names = [str(name) for name in ranks.index]
        self.ranks = [float(rank) for rank in ranks]
        self.groups = drawn_groups(self.names, groups)
        self.k = len(self.names)
        self.style, self.lines = style, lines
        self.best = options.get("best", "left")
        self.cd = options.get("critical_difference")
        self.dot_row = options.get("dot_row", False)
        self.least_rows = options.get("least_rows", 0)
        self.bold = frozenset(options.get("bold", ()))
        note = options.get("note")
        self.note = self._usual_note() if note is None else note
        self.measures = Measures(style, self.k, most)
        self.total = style.width if style.printed else min(style.width, REFERENCE_WIDTH)
        self.share = style.px(0.4, 0.3)  # least share of the width that the axis takes
        self.low: float
        self.high: float
        self.low, self.high = axis_range(self.ranks)
        self.values = [f"{rank:.2f}" for rank in self.ranks]

    def _usual_note(self) -> str:
        """Return the sentence that all pairs differ, "" if there are groups."""
        n_pairs = self.k * (self.k - 1) // 2
        return "" if self.groups else figure_text("cd_layout.all_differ", pairs=n_pairs)

    def at(self, rank: float, start: float, end: float) -> float:
        """Return the x in px of a rank on an axis from `start` to `end`."""
        share = (rank - self.low) / (self.high - self.low)
        offset = share * (end - start)
        return end - offset if self.best == "right" else start + offset

    def least_length(self, layout: DiagramLayout) -> float:
        """Return the axis length in px in the narrowest window; in print its only length."""
        length, plot = layout.plot - layout.axis_start, layout.plot
        if self.style.printed or self.style.width < NARROWEST:
            return length
        narrowest_plot = max(NARROWEST - layout.left - layout.right, 0.1 * plot)
        return length * min(narrowest_plot / plot, 1.0)

    def shorten(self, room: float) -> dict[str, str]:
        """Return the printed form of each name, at most `room` px wide."""
        m = self.measures
        return text.shorten(
            self.names, room, m.size, serif=m.serif, bold=bool(self.bold), lines=self.lines
        )

    def wide(self, name: str, string: str) -> float:
        """Return the width in px of an algorithm's printed name."""
        return self.measures.wide(string, name in self.bold)

    def new_layout(
        self, form: Literal["diagram", "list"], left: float, right: float, shown: dict[str, str]
    ) -> DiagramLayout:
        """Return an empty layout of the given form, with margins and printed names."""
        m = self.measures
        return DiagramLayout(
            form=form,
            measures=m,
            left=left,
            right=right,
            plot=self.total - left - right,
            bar_width=m.bar,
            dot_width=m.dot,
            shown=shown,
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
        low, high = round(self.low), round(self.high)
        values = tick_values(low, high, self.least_length(layout), 2.2 * m.tick_size)
        layout.ticks = tuple(self.at(rank, start, end) for rank in values)
        px_per_rank = (end - start) / (high - low)
        if px_per_rank >= 4:
            minor = [rank for rank in range(low, high + 1) if rank not in values]
            layout.minor = tuple(self.at(rank, start, end) for rank in minor)
        self.add_ticks(layout, [str(value) for value in values], y)

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
        m, start, end = self.measures, layout.axis_start, layout.plot
        value, origin = self.cd or (0.0, "")
        px_per_rank = (end - start) / (self.high - self.low)
        wanted = value * px_per_rank
        length = min(wanted, end - start)
        open_end = wanted > end - start + 1e-9
        ruler_start = start if self.best == "left" else end - length
        ruler_end = start + length if self.best == "left" else end
        string = f"CD = {value:.3f}"
        if origin and not self.style.printed:
            string += f" ({origin})"
        if open_end:
            string += figure_text("cd_layout.longer")
        width = m.wide(string)
        spacing = m.spacing + 2
        leftmost, rightmost = 2 - layout.left, end + layout.right - width - 2  # of the label
        ruler_y = text_y = y + m.size
        if ruler_end + spacing <= rightmost:
            x = ruler_end + spacing
        elif ruler_start - spacing - width >= leftmost:
            x = ruler_start - spacing - width
        else:
            centred = (ruler_start + ruler_end - width) / 2
            x = min(max(centred, leftmost), max(rightmost, leftmost))
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
        anchor: Anchor
        if edge == "left":
            x_value, x_name, anchor = -m.spacing, -offset, "right"
        else:
            x_value, x_name, anchor = m.spacing + values, offset, "left"
        string = layout.shown[name]
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
            names = [self.names[i] for i in side]
            name_width = max((self.wide(name, shown[name]) for name in names), default=0.0)
            widths.append(m.spacing + values + m.between + name_width + _SPARE + m.pad)
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
        without_names = sum(self._side_widths(dict.fromkeys(self.names, "")))
        available = (1 - self.share) * self.total - without_names
        if sum(full_widths) <= available:
            return self.shorten(max(full_widths) + 1)
        # The side with the shorter names gets its full width, up to one half.
        other_side = min(*full_widths, available / 2)
        return self.shorten(max(available - other_side, self.measures.size * 2))

    def classic_form(self) -> DiagramLayout | None:
        """Return the classic layout (labels on both sides), None if it would be illegible."""
        if self._cramped():
            return None
        layout, separation = self.diagram(), self.measures.separation
        ranks = sorted(leader.points[0][0] for leader in layout.leaders)
        apart = spread_apart(ranks, separation, 0.0, layout.plot)
        farthest = float(np.abs(np.subtract(apart, ranks)).max())
        crowded = farthest > 2 * separation + 1e-6
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
        apart = [
            distance if before != after else 0.0
            for before, after in itertools.pairwise(memberships)
        ]
        from_left = spread_apart([rank_x[i] for i in order], apart, 0.0, plot)
        stem_of = dict(zip(order, from_left, strict=True))
        return [stem_of[i] for i in range(self.k)]

    def diagram(self) -> DiagramLayout:
        """Return the classic layout."""
        m, shown, halves = self.measures, self._side_names(), self._halves()
        left, right = self._side_widths(shown)
        pitch = text.row_height(shown.values(), m.size, m.row)
        layout = self.new_layout("diagram", left, right, shown)
        plot = layout.plot
        self.add_head(layout)
        rank_x = [self.at(rank, 0.0, plot) for rank in self.ranks]
        order, dots = halves[0] + halves[1][::-1], skips(self.groups)
        stems = self._stems(rank_x, plot, dots)
        top = layout.axis_y + m.shoulder
        # Group bars are packed from left to right.
        from_left = {i: position for position, i in enumerate(order)}
        groups = sorted(self.groups, key=lambda group: sorted(from_left[i] for i in group))
        spans = [_span(stems, group[0], group[-1]) for group in groups]
        rows = pack_rows(spans, m.apart)
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
        n_rows = max(layout.rows, self.least_rows, marks)
        first_label = top + n_rows * m.pitch + 0.4 * m.size + pitch / 2
        for edge, side in zip(_SIDES, halves, strict=True):
            values = m.column([self.values[i] for i in side])
            x_label, x_target = (0.0, 8.0) if edge == "left" else (plot, plot - 8.0)
            for row, i in enumerate(side):
                y_label, name = first_label + row * pitch, self.names[i]
                on_axis, below = (rank_x[i], layout.axis_y), (stems[i], top)
                points = (on_axis, below, (stems[i], y_label), (x_label, y_label))
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
        spans = [(float(group[0]), float(group[-1])) for group in self.groups]
        columns = pack_rows(spans, 2.0)
        n_columns = max(columns, default=-1) + 1
        count = max(n_columns, self.least_rows)
        values = m.column(self.values)
        right = m.pad + m.tick_size + self.beyond
        fixed_width = m.spacing + values + m.between + _SPARE + m.pad + right
        room = self.total - fixed_width
        pitch = min(m.pitch, 0.4 * room / max(count, 1))
        bars_width = count * pitch + (m.pitch if count else 0.0)
        name_room = min(0.45 * self.total, room - bars_width - 0.28 * self.total)
        shown = self.shorten(max(name_room, 3 * m.size))
        name_width = max(self.wide(name, shown[name]) for name in self.names)
        layout = self.new_layout("list", fixed_width - right + name_width, right, shown)
        layout.axis_start = bars_width
        layout.rows = n_columns
        layout.bar_width = min(m.bar, 0.5 * pitch)
        layout.dot_width = min(m.dot, 0.85 * pitch)
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
    **options: Unpack[RankAxisOptions],
) -> DiagramLayout:
    """Return the layout of a critical-difference diagram; raise ValueError for fewer than two algorithms.

    `options` are further arguments of `RankAxis`.
    """
    if len(average_ranks) < 2:
        raise ValueError(f"too few algorithms: {len(average_ranks)}")
    ranks = average_ranks.sort_values(kind="stable")
    if form == "list" or (form == "automatic" and len(ranks) > MOST_IN_DIAGRAM):
        # names on one line if there are many, so that a column is no longer than a page
        lines = 2 if len(ranks) <= MOST_IN_DIAGRAM else 1
        return RankAxis(ranks, groups, style, lines=lines, **options).list_form()
    longest = max(len(str(name)) for name in ranks.index)
    sizes = _sizes(style)
    for size, lines in product(sizes, (1, 2) if longest > _UNBROKEN else (1,)):
        layout = RankAxis(ranks, groups, style, most=size, lines=lines, **options).classic_form()
        if layout is not None:
            return layout
    if form == "automatic":
        return RankAxis(ranks, groups, style, **options).list_form()
    return RankAxis(ranks, groups, style, most=sizes[-1], **options).diagram()


_UNBROKEN = 16  # names of so many letters stay on one line


def _sizes(style: Style) -> list[float]:
    """Return text sizes to try in px, largest first."""
    if not style.printed:
        return [style.size]
    least = min(LEAST_POINTS * PX_PER_POINT, style.size)
    half_point = 0.5 * PX_PER_POINT
    n_smaller = math.ceil((style.size - least) / half_point - 1e-9)
    smaller = [max(style.size - i * half_point, least) for i in range(1, n_smaller + 1)]
    return [style.size, *smaller]


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
        name = trace["name"]
        key = f"{name} {len(self.traces)}" if name in self.traces else name
        properties = {name: value for name, value in trace.items() if value is not None}
        self.traces[key] = {"type": kind, **properties}


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
        own = {name for name, colour in (colours or {}).items() if colour != theme.GREY}
        shown_in_colour = [name for name in algorithms if name in self.highlight or name in own]
        hues = {name: palette.get(name, theme.GREY) for name in shown_in_colour if coloured}
        self.colour = {name: hue for name, hue in hues.items() if hue != theme.GREY}

    def fades(self, members: Iterable[str]) -> bool:
        """Return whether an element for `members` fades: it neither contains the selection nor is part of it."""
        member_set = set(members)
        is_selected = self.selected <= member_set or member_set <= self.selected
        return bool(self.selected) and not is_selected

    def opacity(self, members: Iterable[str]) -> float:
        """Return the opacity of an element for `members`."""
        return FADED if self.fades(members) else 1.0

    def opacity_of(self, item: Text) -> float:
        """Return the opacity of a text, which may belong to an algorithm."""
        return self.opacity([item.name]) if item.name else 1.0

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
        ink = self.style.ink
        ends = ((layout.axis_start, y), (layout.plot, y))
        traces.add_paths(fig, [ends], "axis", ink, m.axis)
        # Extended by half a line width, so that the end ticks are flush with the axis.
        ticks = [((x, y + m.axis / 2), (x, y - m.tick)) for x in layout.ticks]
        ticks += [((x, y), (x, y - 0.6 * m.tick)) for x in layout.minor]
        traces.add_paths(fig, ticks, "ticks", ink, m.axis)

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
        for opacity, suffix in ((FADED, " behind"), (1.0, "")):
            bars = [bar for bar in self.layout.bars if self.opacity(bar.members) == opacity]
            self._draw_lines_of_bars(fig, bars, suffix, opacity)
            # Round caps, except on faded bars, where the overlap would be visible.
            if round_ends and opacity == 1.0 and not any(bar.dots for bar in bars):
                self._draw_caps(fig, bars)
            self._draw_members(fig, bars, suffix, opacity)

    def _draw_lines_of_bars(
        self, fig: go.Figure | TraceList, bars: Sequence[GroupBar], suffix: str, opacity: float
    ) -> None:
        dotted = [segment for bar in bars for segment in bar.dotted]
        solid = [segment for bar in bars for segment in bar.solid]
        ink, thin = self.style.ink, self.m.thin
        traces.add_paths(
            fig, dotted, f"passed over{suffix}", ink, thin, dash="dot", opacity=opacity
        )
        width = self.layout.bar_width
        traces.add_paths(fig, solid, f"groups{suffix}", ink, width, opacity=opacity)

    def _draw_caps(self, fig: go.Figure | TraceList, bars: Sequence[GroupBar]) -> None:
        caps = [end for bar in bars for segment in bar.solid for end in segment]
        _add_dots(fig, caps, "caps", self.layout.bar_width, self.style.ink)

    def _draw_members(
        self, fig: go.Figure | TraceList, bars: Sequence[GroupBar], suffix: str, opacity: float
    ) -> None:
        """Draw the dots of bars that skip algorithms."""
        dots = [dot for bar in bars for dot in bar.dots]
        names = [name for bar in bars if bar.dots for name in bar.members]
        hues = [self.colour.get(name, self.style.ink) for name in names]
        _add_dots(fig, dots, f"members{suffix}", self.layout.dot_width, hues, opacity)

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
        m = self.m
        across: dict[str, Any]
        if item.role in ("tick", "ruler", "note") and 0 <= item.x <= self.layout.plot:
            across = {"xref": "x", "x": item.x}
        elif item.edge == "right":
            across = {"xref": "paper", "x": 1, "xshift": item.x - _BLEED}
        else:
            across = {"xref": "paper", "x": 0, "xshift": item.x + _BLEED}
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
            "opacity": self.opacity_of(item),
        }

    def draw_targets(
        self, fig: go.Figure | TraceList, hover: Hover, *, labels: bool = True
    ) -> None:
        """Add invisible hover targets for bars, members and, if `labels`, for names."""
        self._draw_bar_targets(fig, hover)
        members = [(bar, name) for bar in self.layout.bars for name in bar.members]
        traces.add_targets(
            fig,
            [self._member_position(bar, name) for bar, name in members],
            "member targets",
            [hover.member(name, bar.members) for bar, name in members],
            self.m.pitch - 1,
            customdata=_column([list(bar.members) for bar, _ in members]),
            meta="group",
        )
        if labels:
            self._draw_label_targets(fig, hover)

    def _draw_label_targets(self, fig: go.Figure | TraceList, hover: Hover) -> None:
        """Add a hover target per name; a click on the printed name is one on its target."""
        layout = self.layout
        shown = {item.name: self.markup(item) for item in layout.texts if item.role == "name"}
        names = [name for name, _, _ in layout.targets]
        traces.add_targets(
            fig,
            [(x, y) for _, x, y in layout.targets],
            "label targets",
            [hover.algorithm(name) for name in names],
            16,
            customdata=_column(names),
            meta="group",
            text=[shown.get(name, name) for name in names],
        )

    def _member_position(self, bar: GroupBar, name: str) -> Point:
        """Return the position of an algorithm on a group bar."""
        x, y = (bar.solid or bar.dotted)[0][0]
        leader = next(leader for leader in self.layout.leaders if leader.name == name)
        on_axis, below = leader.points[:2]
        return (x, on_axis[1]) if self.layout.form == "list" else (below[0], y)

    def _draw_bar_targets(self, fig: go.Figure | TraceList, hover: Hover) -> None:
        """Add a transparent, thicker bar over each visible bar as hover target."""
        horizontal = self.layout.form == "diagram"
        stretches = [
            _stretch(segment, bar, horizontal)
            for bar in self.layout.bars
            for segment in (*bar.solid, *bar.dotted)
        ]
        if not stretches:
            return
        lengths = [abs(each.end - each.start) for each in stretches]
        lines = [each.line for each in stretches]
        traces.add_areas(
            fig,
            lengths if horizontal else lines,
            lines if horizontal else lengths,
            "group targets",
            "rgba(0,0,0,0)",
            [hover.group(each.bar) for each in stretches],
            base=[min(each.start, each.end) for each in stretches],
            orientation="h" if horizontal else "v",
            width=[0.9 * self.m.pitch] * len(stretches),
            customdata=_column([list(each.bar.members) for each in stretches]),
            meta="group",
        )


class _Stretch(NamedTuple):
    """A segment of a bar: its ends along the bar, and the position of the bar across."""

    start: float
    end: float
    line: float
    bar: GroupBar


def _stretch(segment: Segment, bar: GroupBar, horizontal: bool) -> _Stretch:
    (start_x, start_y), (end_x, end_y) = segment
    if horizontal:
        return _Stretch(start_x, end_x, start_y, bar)
    return _Stretch(start_y, end_y, start_x, bar)


def _add_dots(
    fig: go.Figure | TraceList,
    points: Sequence[Point],
    name: str,
    size: float,
    colour: traces.MarkColours,
    opacity: float = 1.0,
) -> None:
    if not points:
        return
    x, y = traces.coordinates(points)
    fig.add_scatter(
        x=x,
        y=y,
        name=name,
        mode="markers",
        marker={"opacity": opacity, "line": {"width": 0}, "size": size, "color": colour},
        unselected={"marker": {"opacity": opacity}},
        hoverinfo="skip",
        cliponaxis=False,
    )


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
        self.pvalues: np.ndarray | None = None
        self.index_of: dict[str, int] = {}
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
            rank = self.ranks[name]
            nearest = min(sorted(others), key=lambda other: abs(self.ranks[other] - rank))
            p = self._p(name, nearest)
            lines.append(figure_text("cd_layout.nearest", name=text.escape(nearest), p=p))
        return "<br>".join([*lines, traces.click_hint("algorithm")])

    def member(self, name: str, members: Sequence[str]) -> str:
        """Return the hover text of an algorithm on a group bar, with the two largest p-values if known."""
        others = [other for other in members if other != name]
        if self.pvalues is None:
            return "<br>".join([self.title(name), f"Group: {list_members(members)}", _SELECT_GROUP])
        column = self.pvalues[:, self.index_of[name]]
        others.sort(key=lambda other: -column[self.index_of[other]])
        pairs = [f"{text.escape(other)}{self._p(name, other)}" for other in others[:2]]
        if len(others) > 2:
            pairs.append(figure_text("cd_layout.others", n=len(others) - 2))
        return "<br>".join([self.title(name), *pairs, _SELECT_GROUP])

    def group(self, bar: GroupBar) -> str:
        """Return the hover text of a group bar."""
        title = f"<b>{list_members(bar.members)}</b>"
        return "<br>".join([title, "no significant difference", _SELECT_GROUP])

    def _p(self, first: str, second: str) -> str:
        p = self._pvalue(first, second)
        return "" if p is None else f", {p_phrase(p, name='adjusted p')}"

    def _pvalue(self, first: str, second: str) -> float | None:
        if self.pvalues is None:
            return None
        return float(self.pvalues[self.index_of[second], self.index_of[first]])


def list_members(members: Sequence[str]) -> str:
    """Return up to four members of a group as escaped text, with the number of others."""
    short = text.shorten(list(members), 160, 13)
    return text.join_escaped((text.escape(short[member]) for member in members), 4)
