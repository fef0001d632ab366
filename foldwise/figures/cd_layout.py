"""Layout of critical-difference diagrams: axis, labels, leaders, group bars and list form."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from itertools import product
from typing import Literal

import pandas as pd

from foldwise.figures import text
from foldwise.figures.cd_parts import (
    DiagramLayout,
    GroupBar,
    Leader,
    Measures,
    Ruler,
    Segment,
    Text,
    axis_range,
    consecutive_runs,
    drawn_groups,
    tick_values,
)
from foldwise.figures.label_placement import pack_rows, spread_apart
from foldwise.figures.theme import LEAST_POINTS, PX_PER_POINT, Style

Side = Literal["left", "right"]

#: Layout width of screen figures in px, which stretch in wider windows.
REFERENCE_WIDTH = 820
#: Width in px of the narrowest page beside an open sidebar, where tick labels must not touch.
NARROWEST = 560


class RankAxis:
    """Data shared by both forms: sorted ranks, sizes, and the strings to print."""

    lines = 2  # largest number of lines of a name

    def __init__(
        self,
        ranks: pd.Series,
        groups: Sequence[Sequence[str]],
        style: Style,
        critical_difference: tuple[float, str] | None,
        best: Side,
        note: str | None,
        most: float = math.inf,
    ) -> None:
        self.names = [str(name) for name in ranks.index]
        self.ranks = [float(rank) for rank in ranks]
        self.groups = drawn_groups(self.names, groups)
        self.style = style
        self.dot_row = False
        self.least_rows = 0
        self.beyond = 0.0  # px kept free at the right of the list form
        self.bold: frozenset[str] = frozenset()
        self.cd = critical_difference
        self.best = best
        self.k = len(self.names)
        pairs = self.k * (self.k - 1) // 2
        all_differ = "The pair differs." if pairs == 1 else f"All {pairs} pairs differ."
        self.note = ("" if self.groups else all_differ) if note is None else note
        self.measures = Measures.of(style, self.k, most)
        self.total = style.width if style.printed else min(style.width, REFERENCE_WIDTH)
        self.low, self.high = axis_range(self.ranks)
        self.values = [f"{rank:.2f}" for rank in self.ranks]

    def at(self, rank: float, start: float, end: float) -> float:
        """Return the x of `rank` on an axis from `start` to `end` px."""
        share = (rank - self.low) / (self.high - self.low)
        return end - share * (end - start) if self.best == "right" else start + share * (end - start)

    def squeezed(self, plot: float, left: float, right: float) -> float:
        """Return the factor by which the plot area shrinks on the narrowest page, 1 in print."""
        if self.style.printed or self.style.width < NARROWEST:
            return 1.0
        return min(max(NARROWEST - left - right, 0.1 * plot) / plot, 1.0)

    def shorten(self, indices: Sequence[int], room: float) -> dict[str, str]:
        """Return the strings to print for the names at `indices`."""
        m, any_bold = self.measures, bool(self.bold)
        names = [self.names[i] for i in indices]
        return text.shorten(names, room, m.size, serif=m.serif, bold=any_bold, lines=self.lines)

    def wide(self, i: int, string: str) -> float:
        """Return the width of `string` when printed as the name of algorithm `i`."""
        return self.measures.wide(string, self.names[i] in self.bold)


class Head:
    """The top of the figure: note, ruler, tick labels and axis."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self.ruler: Ruler | None = None
        self.ticks: tuple[float, ...] = ()
        self.minor: tuple[float, ...] = ()
        self.axis_y = 0.0


def make_head(frame: RankAxis, start: float, end: float, left: float, right: float) -> Head:
    """Lay out everything down to the axis, which runs from `start` to `end` of the plot area.

    `left` and `right` are the free px to the left of 0 and to the right of `end`.
    """
    m, head = frame.measures, Head()
    y = 2.0
    if frame.cd is not None:
        y = _ruler(frame, head, y, start, end, left, right)
    if frame.note:
        y = _note(frame, head, y, start, end, right)
    head.axis_y = y + 1.25 * m.tick_size + m.tick
    least_width = (end - start) * frame.squeezed(end, left, right)
    values = tick_values(frame.low, frame.high, least_width, 2.2 * m.tick_size)
    head.ticks = tuple(frame.at(rank, start, end) for rank in values)
    if (end - start) / (frame.high - frame.low) >= 4:
        minor = [rank for rank in range(frame.low, frame.high + 1) if rank not in values]
        head.minor = tuple(frame.at(rank, start, end) for rank in minor)
    for value, x in zip(values, head.ticks, strict=True):
        string = str(value)
        width = text.text_width(string, m.tick_size, m.serif)
        head.texts.append(Text(string, x, y + 0.65 * m.tick_size, "center", "tick", width))
    return head


def _note(frame: RankAxis, head: Head, y: float, start: float, end: float, right: float) -> float:
    """Add the note, beside the label of the ruler if it fits; return the y below it."""
    m = frame.measures
    width = m.wide(frame.note)
    if head.ruler:
        ruler_label = head.texts[-1]
        x = max(ruler_label.x + ruler_label.width, head.ruler.end) + 2 * m.size
        if x + width <= end + right - m.pad:
            head.texts.append(Text(frame.note, x, ruler_label.y, "left", "note", width))
            return y
    x = max(min(start, end + right - m.pad - width), 0.0)
    head.texts.append(Text(frame.note, x, y + 0.75 * m.size, "left", "note", width))
    return y + 1.7 * m.size


def _ruler(frame: RankAxis, head: Head, y: float, start: float, end: float, left: float, right: float) -> float:
    """Add the ruler at the best end of the axis, with its label; return the y below it."""
    m = frame.measures
    value, origin = frame.cd or (0.0, "")
    unit = (end - start) / (frame.high - frame.low)
    length = min(value * unit, end - start)
    open_end = value * unit > end - start + 1e-9
    ruler_start, ruler_end = (start, start + length) if frame.best == "left" else (end - length, end)
    string = f"CD = {value:.3f}"
    if origin and not frame.style.printed:
        string += f" ({origin})"
    if open_end:
        string += ", longer than the axis"
    width = m.wide(string)
    gap = m.gap + 2
    if ruler_end + gap + width <= end + right - 2:
        x, ruler_y = ruler_end + gap, y + m.size
        text_y = ruler_y
    elif ruler_start - gap - width >= -left + 2:
        x, ruler_y = ruler_start - gap - width, y + m.size
        text_y = ruler_y
    else:
        x = min(max((ruler_start + ruler_end - width) / 2, -left + 2), max(end + right - width - 2, -left + 2))
        text_y, ruler_y = y + 0.65 * m.size, y + 1.9 * m.size
    head.ruler = Ruler(ruler_start, ruler_end, ruler_y, open_end)
    head.texts.append(Text(string, x, text_y, "left", "ruler", width))
    return ruler_y + m.size


Form = Literal["automatic", "diagram", "list"]

#: With more algorithms the list form is used.
MOST_IN_DIAGRAM = 24
#: Spare px for renderers that set names wider than measured.
_SPARE = 4


def cd_layout(
    average_ranks: pd.Series,
    groups: Sequence[Sequence[str]],
    *,
    style: Style,
    critical_difference: tuple[float, str] | None = None,
    best: Side = "left",
    form: Form = "automatic",
    note: str | None = None,
    dot_row: bool = False,
    least_rows: int = 0,
    bold: Collection[str] = (),
) -> DiagramLayout:
    """Return the layout of a critical-difference diagram."""
    if len(average_ranks) < 2:
        raise ValueError(f"a critical-difference diagram needs two algorithms; got {len(average_ranks)}")
    ranks = average_ranks.sort_values(kind="stable")

    def framed(size: float = math.inf, lines: int = 2) -> RankAxis:
        frame = RankAxis(ranks, groups, style, critical_difference, best, note, size)
        frame.dot_row, frame.least_rows, frame.lines = dot_row, least_rows, lines
        frame.bold = frozenset(bold)
        return frame

    if form == "list" or (form == "automatic" and len(ranks) > MOST_IN_DIAGRAM):
        return list_form(framed())
    for size, lines in product(_sizes(style), (1, 2)):
        layout = _diagram_form(framed(size, lines))
        if layout is not None:
            return layout
    if form == "automatic":
        return list_form(framed())
    return _diagram(framed(_sizes(style)[-1]))[0]


def no_room(taken: Form, count: int, form: Form, style: Style) -> str:
    """Return the note that explains the list form if it was chosen for lack of width, else ""."""
    if not style.printed or form != "automatic" or taken == "diagram" or count > MOST_IN_DIAGRAM:
        return ""
    return f"In rows, as a diagram of this width has no room for names of {LEAST_POINTS:g} points."


def _sizes(style: Style) -> list[float]:
    """Return candidate text sizes in px: in print names shrink before the form changes."""
    least = min(LEAST_POINTS * PX_PER_POINT, style.size)
    half_point = 0.5 * PX_PER_POINT
    smaller = range(1, math.ceil((style.size - least) / half_point - 1e-9) + 1) if style.printed else ()
    return [style.size, *(max(style.size - i * half_point, least) for i in smaller)]


def _diagram_form(frame: RankAxis) -> DiagramLayout | None:
    """Return the layout of the classic form, None if it would be illegible."""
    if _cramped(frame):
        return None
    layout, displacement = _diagram(frame)
    return None if displacement > 2 * frame.measures.separation + 1e-6 else layout


def _halves(frame: RankAxis) -> tuple[list[int], list[int]]:
    """Return the indices of the left and of the right labels, each from top to bottom."""
    order = list(range(frame.k))
    if frame.best == "right":
        order.reverse()
    half = (frame.k + 1) // 2
    return order[:half], order[half:][::-1]


def _side_width(frame: RankAxis, indices: Sequence[int], names: Sequence[str]) -> float:
    """Return the margin that values, names and the gaps between them need."""
    m = frame.measures
    values = m.column([frame.values[i] for i in indices])
    widest = max((frame.wide(i, string) for i, string in zip(indices, names, strict=True)), default=0.0)
    return m.gap + values + m.gap + widest + _SPARE + m.pad


def _cramped(frame: RankAxis) -> bool:
    """Return whether full names leave under 0.4 of the width, or stems do not fit on the axis."""
    shown = _side_names(frame)
    if not all(text.is_whole(string, name) for name, string in shown.items()):
        return True
    widths = (_side_width(frame, side, [shown[frame.names[i]] for i in side]) for side in _halves(frame))
    plot = frame.total - sum(widths)
    return plot < 0.4 * frame.total or frame.k * frame.measures.separation > 0.9 * plot


def _side_names(frame: RankAxis) -> dict[str, str]:
    """Return the printed names of the classic form; the axis keeps 0.4 of the width."""
    halves = _halves(frame)
    room = 0.6 * frame.total
    fixed = [_side_width(frame, side, [""] * len(side)) for side in halves]
    any_bold = bool(frame.bold)
    full_widths = [max(frame.measures.wide(frame.names[i], any_bold) for i in side) for side in halves]
    available = room - sum(fixed)
    least = frame.measures.size * 2
    if sum(full_widths) <= available:
        return frame.shorten(range(frame.k), max(full_widths) + 1)
    # The side with the shorter names gets its full width, up to one half.
    cap = max(available - min(*full_widths, available / 2), least)
    return frame.shorten(range(frame.k), cap)


def _diagram(frame: RankAxis) -> tuple[DiagramLayout, float]:
    """Return the classic form, and the largest distance of a stem from its rank."""
    m = frame.measures
    shown = _side_names(frame)
    halves = _halves(frame)
    left, right = (_side_width(frame, shown_name, [shown[frame.names[i]] for i in shown_name]) for shown_name in halves)
    plot, pitch = frame.total - left - right, text.row_height(shown.values(), m.size, m.row)
    head = make_head(frame, 0.0, plot, left, right)
    axis_y = head.axis_y

    rank_x = [frame.at(rank, 0.0, plot) for rank in frame.ranks]
    order = halves[0] + halves[1][::-1]
    stems = dict(zip(order, spread_apart([rank_x[i] for i in order], m.separation, 0.0, plot), strict=True))
    top = axis_y + m.shoulder
    bars, rows = _horizontal_bars(frame, order, stems, top + 0.6 * m.pitch)
    first_label = top + max(rows, frame.least_rows, frame.dot_row) * m.pitch + 0.4 * m.size + pitch / 2

    texts, leaders, targets = list(head.texts), [], []
    for edge, side in zip(("left", "right"), halves, strict=True):
        values = m.column([frame.values[i] for i in side])
        for row, i in enumerate(side):
            y = first_label + row * pitch
            leaders.append(_leader(frame.names[i], rank_x[i], stems[i], axis_y, top, y, edge, plot))
            texts += _label(frame, i, shown, y, edge, values)
            targets.append((frame.names[i], 8.0 if edge == "left" else plot - 8.0, y))
    layout = DiagramLayout(
        form="diagram",
        measures=m,
        left=left,
        right=right,
        plot=plot,
        height=first_label + (len(halves[0]) - 0.5) * pitch + 2,
        axis=(0.0, axis_y, plot, axis_y),
        ticks=head.ticks,
        minor=head.minor,
        texts=tuple(texts),
        leaders=tuple(leaders),
        bars=tuple(bars),
        marks=(),
        targets=tuple(targets),
        ruler=head.ruler,
        rows=rows,
        bar_width=m.bar,
        dot_width=m.dot,
        shortened={name: shown_name for name, shown_name in shown.items() if not text.is_whole(shown_name, name)},
    )
    return layout, max(abs(stems[i] - rank_x[i]) for i in order)


def _leader(name: str, true: float, stem: float, axis_y: float, top: float, y: float, edge: str, plot: float) -> Leader:
    x_label = 0.0 if edge == "left" else plot
    return Leader(name, ((true, axis_y), (stem, top), (stem, y), (x_label, y)))


def _label(frame: RankAxis, i: int, shown: dict[str, str], y: float, edge: str, values: float) -> list[Text]:
    """Return value and name beside the axis, with right-aligned values."""
    m = frame.measures
    name, value = frame.names[i], frame.values[i]
    name_offset = m.gap + values + m.gap
    string, width = shown[name], frame.wide(i, shown[name])
    if edge == "left":
        return [
            Text(value, -m.gap, y, "right", "value", m.wide(value), "left", name),
            Text(string, -name_offset, y, "right", "name", width, "left", name),
        ]
    return [
        Text(value, m.gap + values, y, "right", "value", m.wide(value), "right", name),
        Text(string, name_offset, y, "left", "name", width, "right", name),
    ]


def _horizontal_bars(
    frame: RankAxis, order: Sequence[int], stems: dict[int, float], first: float
) -> tuple[list[GroupBar], int]:
    """Return one bar per group, and the number of rows they need."""
    m = frame.measures
    position_of = {i: position for position, i in enumerate(order)}
    cliques = sorted(sorted(position_of[i] for i in group) for group in frame.groups)
    x = [stems[i] for i in order]
    rows = pack_rows([(x[c[0]], x[c[-1]]) for c in cliques], m.apart)
    has_gaps = any(len(consecutive_runs(c)) > 1 for c in cliques)
    extension = 0.0 if has_gaps else m.bar / 2
    bars = []
    for clique, row in zip(cliques, rows, strict=True):
        y = first + row * m.pitch
        parts = consecutive_runs(clique)
        solid: list[Segment] = [(x[a] - extension, y, x[b] + extension, y) for a, b in parts if b > a]
        dotted = [(x[a[1]], y, x[b[0]], y) for a, b in zip(parts, parts[1:], strict=False)]
        members = tuple(sorted(order[c] for c in clique))
        dots = tuple((x[c], y) for c in sorted(clique, key=lambda c: order[c])) if has_gaps else ()
        names = tuple(frame.names[i] for i in members)
        bars.append(GroupBar(names, tuple(solid), tuple(dotted), dots))
    return bars, max(rows, default=-1) + 1


def list_form(frame: RankAxis, head_of: Callable[..., Head] = make_head) -> DiagramLayout:
    """Return the list form: one row per algorithm, one column per group, then the axis.

    `head_of` lays out everything above the rows, like :func:`foldwise.figures.cd_layout.make_head`.
    """
    m = frame.measures
    columns = pack_rows([(float(group[0]), float(group[-1])) for group in frame.groups], 2.0)
    rows = max(columns, default=-1) + 1
    count = max(rows, frame.least_rows)
    values = m.column(frame.values)
    right = m.pad + m.tick_size + frame.beyond
    fixed_width = m.gap + values + m.gap + _SPARE + m.pad + right
    room = frame.total - fixed_width
    pitch = min(m.pitch, 0.4 * room / max(count, 1))
    bars_width = count * pitch + (m.pitch if count else 0.0)
    name_room = max(min(0.45 * frame.total, room - bars_width - 0.28 * frame.total), 3 * m.size)
    shown = frame.shorten(range(frame.k), name_room)
    left = fixed_width - right + max(frame.wide(i, shown[name_of]) for i, name_of in enumerate(frame.names))
    plot = frame.total - left - right
    head = head_of(frame, bars_width, plot, left, right)
    step = text.row_height(shown.values(), m.size, m.list_row)
    y = [head.axis_y + 0.3 * m.size + (row + 0.5) * step for row in range(frame.k)]
    x = [frame.at(rank, bars_width, plot) for rank in frame.ranks]
    texts = list(head.texts)
    for i in range(frame.k):
        texts += _label(frame, i, shown, y[i], "left", values)
    return DiagramLayout(
        form="list",
        measures=m,
        left=left,
        right=right,
        plot=plot,
        height=y[-1] + step / 2 + 2,
        axis=(bars_width, head.axis_y, plot, head.axis_y),
        ticks=head.ticks,
        minor=head.minor,
        texts=tuple(texts),
        leaders=tuple(Leader(name, ((0.0, y[i]), (x[i], y[i]))) for i, name in enumerate(frame.names)),
        bars=tuple(_vertical_bars(frame, columns, pitch, y)),
        marks=tuple((name, x[i], y[i]) for i, name in enumerate(frame.names)),
        targets=tuple((name, x[i], y[i]) for i, name in enumerate(frame.names)),
        ruler=head.ruler,
        rows=rows,
        bar_width=min(m.bar, 0.5 * pitch),
        dot_width=min(m.dot, 0.85 * pitch),
        shortened={name: s for name, s in shown.items() if not text.is_whole(s, name)},
    )


def _vertical_bars(frame: RankAxis, columns: Sequence[int], pitch: float, y: Sequence[float]) -> list[GroupBar]:
    bars = []
    for group, column in zip(frame.groups, columns, strict=True):
        x = (column + 0.5) * pitch
        parts = consecutive_runs(group)
        solid: list[Segment] = [(x, y[a], x, y[b]) for a, b in parts if b > a]
        dotted = [(x, y[a[1]], x, y[b[0]]) for a, b in zip(parts, parts[1:], strict=False)]
        names = tuple(frame.names[i] for i in group)
        bars.append(GroupBar(names, tuple(solid), tuple(dotted), tuple((x, y[i]) for i in group)))
    return bars
