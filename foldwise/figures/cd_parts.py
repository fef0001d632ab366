"""Elements of critical-difference diagrams, and computations of axis ranges, ticks and groups.

Positions are in pixels: x from the left edge of the plot area, y down from the top of the
figure. Nothing here depends on Plotly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from foldwise.figures import text
from foldwise.figures.theme import Style

Point = tuple[float, float]
Segment = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Measures:
    """Sizes in px for a given style and number of algorithms."""

    size: float
    tick_size: float
    serif: bool
    tick: float
    shoulder: float
    pitch: float
    bar: float
    dot: float
    separation: float
    apart: float
    row: float
    list_row: float
    gap: float
    pad: float
    axis: float
    thin: float

    @staticmethod
    def of(style: Style, k: int, most: float = math.inf) -> Measures:
        """Return the sizes for `k` algorithms; print uses 7 points for more than 12.

        Text is at most `most` px in size, for names that would otherwise leave no room.
        """
        scale = 7 / 8 if style.printed and k > 12 else 1.0
        scale = min(scale, most / style.size)
        size = style.size * scale
        return Measures(
            size=size,
            tick_size=style.tick_size * scale,
            serif=style.serif,
            tick=style.px(5, 3),
            shoulder=style.px(12, 8),
            pitch=style.px(10, 6),
            bar=style.px(3, 1.8),
            dot=style.px(7, 4.6),
            separation=style.px(9, 6),
            apart=style.px(27, 18),
            row=1.5 * size,
            list_row=(1.22 if style.printed and k > 40 else 1.45) * size,
            gap=style.px(6, 5),
            pad=style.px(8, 6),
            axis=style.px(1.2, 0.8),
            thin=style.px(1, 0.6),
        )

    def wide(self, string: str, bold: bool = False) -> float:
        """Return the width of `string` at text size."""
        return text.text_width(string, self.size, self.serif, bold)

    def column(self, strings: Sequence[str]) -> float:
        """Return the width of the widest of `strings`."""
        return max((self.wide(string) for string in strings), default=0.0)


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text, vertically centred at `y`.

    `x` is measured from the edge of the plot area given by `edge`; `name` is the algorithm it
    belongs to, if any.
    """

    string: str
    x: float
    y: float
    anchor: Literal["left", "center", "right"]
    role: Literal["name", "value", "tick", "ruler", "note"]
    width: float
    edge: Literal["left", "right"] = "left"
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Leader:
    """The line from an algorithm's position on the axis to its label."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class GroupBar:
    """The bar of a group: solid over members adjacent in rank, dotted past other algorithms."""

    members: tuple[str, ...]
    solid: tuple[Segment, ...]
    dotted: tuple[Segment, ...]
    dots: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Ruler:
    """The critical difference as a line; `open_end` if it is longer than the axis."""

    start: float
    end: float
    y: float
    open_end: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagramLayout:
    """A laid-out diagram; margins `left` and `right` surround a plot area `plot` px wide.

    `rows` is the number of rows of bars, in the list form the number of columns.
    """

    form: Literal["diagram", "list"]
    measures: Measures
    left: float
    right: float
    plot: float
    height: float
    axis: Segment
    ticks: tuple[float, ...]
    minor: tuple[float, ...]
    texts: tuple[Text, ...]
    leaders: tuple[Leader, ...]
    bars: tuple[GroupBar, ...]
    marks: tuple[tuple[str, float, float], ...]
    targets: tuple[tuple[str, float, float], ...]
    ruler: Ruler | None
    rows: int
    bar_width: float
    dot_width: float
    shortened: dict[str, str]

    @property
    def width(self) -> float:
        """Width of the whole figure."""
        return self.left + self.plot + self.right

    @property
    def dotted(self) -> bool:
        """Whether any group skips an algorithm between its members."""
        return any(bar.dotted for bar in self.bars)


def axis_range(ranks: Sequence[float]) -> tuple[int, int]:
    """Return the ends of the rank axis: 1 to k for up to ten algorithms, else trimmed."""
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
    step = next(candidate for candidate in steps if candidate * unit >= least or candidate > high - low)
    inner = [rank for rank in range(low, high + 1) if rank % step == 0]
    least_gap = least / unit
    first = [low] if not inner or inner[0] - low >= least_gap else []
    last = [high] if not inner or high - inner[-1] >= least_gap else []
    if first and last and high - low < least_gap:
        last = []
    return first + inner + last


def consecutive_runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    """Return the runs of consecutive integers in ascending `indices` as (first, last)."""
    result: list[tuple[int, int]] = []
    for index in indices:
        if result and index == result[-1][1] + 1:
            result[-1] = (result[-1][0], index)
        else:
            result.append((index, index))
    return result


def drawn_groups(names: Sequence[str], groups: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
    """Return the distinct groups of two or more as sorted tuples of indices into `names`."""
    index_of = {name: index for index, name in enumerate(names)}
    distinct = {tuple(sorted({index_of[member] for member in group})) for group in groups}
    return sorted(group for group in distinct if len(group) > 1)
