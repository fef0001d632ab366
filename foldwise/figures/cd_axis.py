"""What all forms of critical-difference diagrams share: their input, and the head with the axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import pandas as pd

from foldwise.figures import text
from foldwise.figures.cd_parts import (
    Measures,
    Ruler,
    Text,
    axis_range,
    drawn_groups,
    tick_values,
)
from foldwise.figures.theme import Style

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
