"""Positions on a critical-difference diagram: algorithms, labels, group lines and the axis."""

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

#: Screen figures stretch; they are laid out for the narrowest window they should hold in.
REFERENCE_WIDTH = 820
#: The narrowest page beside an open sidebar: the labels of ticks must not touch there either.
NARROWEST = 560


class RankAxis:
    """What both forms share: ranks in order, sizes, the strings to print."""

    lines = 2  # that a name may take

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
        return (
            end - share * (end - start) if self.best == "right" else start + share * (end - start)
        )

    def squeezed(self, plot: float, left: float, right: float) -> float:
        """Return by how much the plot area shrinks on the narrowest page, 1 on paper."""
        if self.style.printed or self.style.width < NARROWEST:
            return 1.0
        return min(max(NARROWEST - left - right, 0.1 * plot) / plot, 1.0)

    def shorten(self, indices: Sequence[int], room: float) -> dict[str, str]:
        """Return what to print for the names at `indices`."""
        m, heavy = self.measures, bool(self.bold)
        names = [self.names[i] for i in indices]
        return text.shorten(names, room, m.size, serif=m.serif, bold=heavy, lines=self.lines)

    def wide(self, i: int, string: str) -> float:
        """Return the width of `string`, printed as the name of algorithm `i`."""
        return self.measures.wide(string, self.names[i] in self.bold)


class Head:
    """The top of the figure: note, ruler, tick labels and the axis."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self.ruler: Ruler | None = None
        self.ticks: tuple[float, ...] = ()
        self.minor: tuple[float, ...] = ()
        self.axis_y = 0.0


def make_head(frame: RankAxis, start: float, end: float, left: float, right: float) -> Head:
    """Lay out everything down to the axis, which runs from `start` to `end` of the plot area.

    `left` and `right` are the px free to the left of 0 and to the right of `end`.
    """
    m, head = frame.measures, Head()
    y = 2.0
    if frame.cd is not None:
        y = _ruler(frame, head, y, start, end, left, right)
    if frame.note:
        y = _note(frame, head, y, start, end, right)
    head.axis_y = y + 1.25 * m.tick_size + m.tick
    narrow = (end - start) * frame.squeezed(end, left, right)
    values = tick_values(frame.low, frame.high, narrow, 2.2 * m.tick_size)
    head.ticks = tuple(frame.at(v, start, end) for v in values)
    if (end - start) / (frame.high - frame.low) >= 4:
        others = [v for v in range(frame.low, frame.high + 1) if v not in values]
        head.minor = tuple(frame.at(v, start, end) for v in others)
    for value, x in zip(values, head.ticks, strict=True):
        string = str(value)
        wide = text.text_width(string, m.tick_size, m.serif)
        head.texts.append(Text(string, x, y + 0.65 * m.tick_size, "center", "tick", wide))
    return head


def _note(frame: RankAxis, head: Head, y: float, start: float, end: float, right: float) -> float:
    """Add the note, behind the words of the ruler if it fits there; return the y below it."""
    m = frame.measures
    wide = m.wide(frame.note)
    if head.ruler:
        words = head.texts[-1]
        x = max(words.x + words.width, head.ruler.end) + 2 * m.size
        if x + wide <= end + right - m.pad:
            head.texts.append(Text(frame.note, x, words.y, "left", "note", wide))
            return y
    x = max(min(start, end + right - m.pad - wide), 0.0)
    head.texts.append(Text(frame.note, x, y + 0.75 * m.size, "left", "note", wide))
    return y + 1.7 * m.size


def _ruler(
    frame: RankAxis, head: Head, y: float, start: float, end: float, left: float, right: float
) -> float:
    """Add the ruler at the best end of the axis, its words where there is room for them."""
    m = frame.measures
    value, words = frame.cd or (0.0, "")
    unit = (end - start) / (frame.high - frame.low)
    length = min(value * unit, end - start)
    open_end = value * unit > end - start + 1e-9
    a, b = (start, start + length) if frame.best == "left" else (end - length, end)
    string = f"CD = {value:.3f}"
    if words and not frame.style.printed:
        string += f" ({words})"
    if open_end:
        string += ", longer than the axis"
    wide = m.wide(string)
    gap = m.gap + 2
    if b + gap + wide <= end + right - 2:
        x, ruler_y = b + gap, y + m.size
        text_y = ruler_y
    elif a - gap - wide >= -left + 2:
        x, ruler_y = a - gap - wide, y + m.size
        text_y = ruler_y
    else:
        x = min(max((a + b - wide) / 2, -left + 2), max(end + right - wide - 2, -left + 2))
        text_y, ruler_y = y + 0.65 * m.size, y + 1.9 * m.size
    head.ruler = Ruler(a, b, ruler_y, open_end)
    head.texts.append(Text(string, x, text_y, "left", "ruler", wide))
    return ruler_y + m.size


Form = Literal["automatic", "diagram", "list"]

#: With more algorithms there is a row for each.
MOST_IN_DIAGRAM = 24
#: Room for names that another renderer sets wider than measured.
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
    """Lay out a critical-difference diagram."""
    if len(average_ranks) < 2:
        raise ValueError(
            f"a critical-difference diagram needs two algorithms; got {len(average_ranks)}"
        )
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
    """Say why a page shows a row for each of so many algorithms, where nobody asked for rows."""
    if not style.printed or form != "automatic" or taken == "diagram" or count > MOST_IN_DIAGRAM:
        return ""
    return f"In rows, as a diagram of this width has no room for names of {LEAST_POINTS:g} points."


def _sizes(style: Style) -> list[float]:
    """Return heights of letters in px to try: in print names shrink before the form changes."""
    least = min(LEAST_POINTS * PX_PER_POINT, style.size)
    half = 0.5 * PX_PER_POINT
    smaller = range(1, math.ceil((style.size - least) / half - 1e-9) + 1) if style.printed else ()
    return [style.size, *(max(style.size - i * half, least) for i in smaller)]


def _diagram_form(frame: RankAxis) -> DiagramLayout | None:
    """Return the classic form, None where it would not be readable."""
    if _cramped(frame):
        return None
    layout, moved = _diagram(frame)
    return None if moved > 2 * frame.measures.separation + 1e-6 else layout


def _halves(frame: RankAxis) -> tuple[list[int], list[int]]:
    """Return indices of the left labels and of the right ones, each from the top down."""
    order = list(range(frame.k))
    if frame.best == "right":
        order.reverse()
    half = (frame.k + 1) // 2
    return order[:half], order[half:][::-1]


def _side_width(frame: RankAxis, indices: Sequence[int], names: Sequence[str]) -> float:
    """Return the margin that value, name and the blanks between them need."""
    m = frame.measures
    values = m.column([frame.values[i] for i in indices])
    widest = max((frame.wide(i, s) for i, s in zip(indices, names, strict=True)), default=0.0)
    return m.gap + values + m.gap + widest + _SPARE + m.pad


def _cramped(frame: RankAxis) -> bool:
    """Whether full names leave less than 0.4 of the width, or stems no room on the axis."""
    shown = _side_names(frame)
    if not all(text.is_whole(string, name) for name, string in shown.items()):
        return True
    sides = (_side_width(frame, s, [shown[frame.names[i]] for i in s]) for s in _halves(frame))
    plot = frame.total - sum(sides)
    return plot < 0.4 * frame.total or frame.k * frame.measures.separation > 0.9 * plot


def _side_names(frame: RankAxis) -> dict[str, str]:
    """Return the printed names of the classic form; the axis keeps 0.4 of the width."""
    halves = _halves(frame)
    room = 0.6 * frame.total
    fixed = [_side_width(frame, side, [""] * len(side)) for side in halves]
    heavy = bool(frame.bold)
    wanted = [max(frame.measures.wide(frame.names[i], heavy) for i in side) for side in halves]
    left_over = room - sum(fixed)
    least = frame.measures.size * 2
    if sum(wanted) <= left_over:
        return frame.shorten(range(frame.k), max(wanted) + 1)
    # The side with the shorter names takes what it needs, up to one half.
    cap = max(left_over - min(*wanted, left_over / 2), least)
    return frame.shorten(range(frame.k), cap)


def _diagram(frame: RankAxis) -> tuple[DiagramLayout, float]:
    """Return the classic form, and how far the stem farthest from its rank has moved."""
    m = frame.measures
    shown = _side_names(frame)
    halves = _halves(frame)
    left, right = (_side_width(frame, s, [shown[frame.names[i]] for i in s]) for s in halves)
    plot, pitch = frame.total - left - right, text.row_height(shown.values(), m.size, m.row)
    head = make_head(frame, 0.0, plot, left, right)
    axis_y = head.axis_y

    true = [frame.at(rank, 0.0, plot) for rank in frame.ranks]
    order = halves[0] + halves[1][::-1]
    stems = dict(
        zip(order, spread_apart([true[i] for i in order], m.separation, 0.0, plot), strict=True)
    )
    top = axis_y + m.shoulder
    bars, rows = _horizontal_bars(frame, order, stems, top + 0.6 * m.pitch)
    first_label = (
        top + max(rows, frame.least_rows, frame.dot_row) * m.pitch + 0.4 * m.size + pitch / 2
    )

    texts, leaders, targets = list(head.texts), [], []
    for edge, side in zip(("left", "right"), halves, strict=True):
        values = m.column([frame.values[i] for i in side])
        for row, i in enumerate(side):
            y = first_label + row * pitch
            leaders.append(_leader(frame.names[i], true[i], stems[i], axis_y, top, y, edge, plot))
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
        shortened={name: s for name, s in shown.items() if not text.is_whole(s, name)},
    )
    return layout, max(abs(stems[i] - true[i]) for i in order)


def _leader(
    name: str, true: float, stem: float, axis_y: float, top: float, y: float, edge: str, plot: float
) -> Leader:
    end = 0.0 if edge == "left" else plot
    return Leader(name, ((true, axis_y), (stem, top), (stem, y), (end, y)))


def _label(
    frame: RankAxis, i: int, shown: dict[str, str], y: float, edge: str, values: float
) -> list[Text]:
    """Return value and name beside the axis, values set flush right."""
    m = frame.measures
    name, value = frame.names[i], frame.values[i]
    outer = m.gap + values + m.gap
    string, wide = shown[name], frame.wide(i, shown[name])
    if edge == "left":
        return [
            Text(value, -m.gap, y, "right", "value", m.wide(value), "left", name),
            Text(string, -outer, y, "right", "name", wide, "left", name),
        ]
    return [
        Text(value, m.gap + values, y, "right", "value", m.wide(value), "right", name),
        Text(string, outer, y, "left", "name", wide, "right", name),
    ]


def _horizontal_bars(
    frame: RankAxis, order: Sequence[int], stems: dict[int, float], first: float
) -> tuple[list[GroupBar], int]:
    """Return one bar per group and the number of rows they take."""
    m = frame.measures
    place = {i: position for position, i in enumerate(order)}
    cliques = sorted(sorted(place[i] for i in group) for group in frame.groups)
    x = [stems[i] for i in order]
    rows = pack_rows([(x[c[0]], x[c[-1]]) for c in cliques], m.apart)
    gaps = any(len(consecutive_runs(c)) > 1 for c in cliques)
    over = 0.0 if gaps else m.bar / 2
    bars = []
    for clique, row in zip(cliques, rows, strict=True):
        y = first + row * m.pitch
        parts = consecutive_runs(clique)
        solid: list[Segment] = [(x[a] - over, y, x[b] + over, y) for a, b in parts if b > a]
        dotted = [(x[a[1]], y, x[b[0]], y) for a, b in zip(parts, parts[1:], strict=False)]
        members = tuple(sorted(order[c] for c in clique))
        dots = tuple((x[c], y) for c in sorted(clique, key=lambda c: order[c])) if gaps else ()
        names = tuple(frame.names[i] for i in members)
        bars.append(GroupBar(names, tuple(solid), tuple(dotted), dots))
    return bars, max(rows, default=-1) + 1


def list_form(frame: RankAxis, head_of: Callable[..., Head] = make_head) -> DiagramLayout:
    """Return the list form: one row per algorithm, one column per group, then the axis.

    `head_of` lays out everything above the rows, as :func:`foldwise.figures.cd_layout.make_head` does.
    """
    m = frame.measures
    columns = pack_rows([(float(g[0]), float(g[-1])) for g in frame.groups], 2.0)
    rows = max(columns, default=-1) + 1
    count = max(rows, frame.least_rows)
    values = m.column(frame.values)
    right = m.pad + m.tick_size + frame.beyond
    beside = m.gap + values + m.gap + _SPARE + m.pad + right
    room = frame.total - beside
    pitch = min(m.pitch, 0.4 * room / max(count, 1))
    lane = count * pitch + (m.pitch if count else 0.0)
    names = max(min(0.45 * frame.total, room - lane - 0.28 * frame.total), 3 * m.size)
    shown = frame.shorten(range(frame.k), names)
    left = beside - right + max(frame.wide(i, shown[n]) for i, n in enumerate(frame.names))
    plot = frame.total - left - right
    head = head_of(frame, lane, plot, left, right)
    step = text.row_height(shown.values(), m.size, m.list_row)
    y = [head.axis_y + 0.3 * m.size + (row + 0.5) * step for row in range(frame.k)]
    x = [frame.at(rank, lane, plot) for rank in frame.ranks]
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
        axis=(lane, head.axis_y, plot, head.axis_y),
        ticks=head.ticks,
        minor=head.minor,
        texts=tuple(texts),
        leaders=tuple(
            Leader(name, ((0.0, y[i]), (x[i], y[i]))) for i, name in enumerate(frame.names)
        ),
        bars=tuple(_vertical_bars(frame, columns, pitch, y)),
        marks=tuple((name, x[i], y[i]) for i, name in enumerate(frame.names)),
        targets=tuple((name, x[i], y[i]) for i, name in enumerate(frame.names)),
        ruler=head.ruler,
        rows=rows,
        bar_width=min(m.bar, 0.5 * pitch),
        dot_width=min(m.dot, 0.85 * pitch),
        shortened={name: s for name, s in shown.items() if not text.is_whole(s, name)},
    )


def _vertical_bars(
    frame: RankAxis, columns: Sequence[int], pitch: float, y: Sequence[float]
) -> list[GroupBar]:
    bars = []
    for group, column in zip(frame.groups, columns, strict=True):
        x = (column + 0.5) * pitch
        parts = consecutive_runs(group)
        solid: list[Segment] = [(x, y[a], x, y[b]) for a, b in parts if b > a]
        dotted = [(x, y[a[1]], x, y[b[0]]) for a, b in zip(parts, parts[1:], strict=False)]
        names = tuple(frame.names[i] for i in group)
        bars.append(GroupBar(names, tuple(solid), tuple(dotted), tuple((x, y[i]) for i in group)))
    return bars
