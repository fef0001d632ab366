"""What the forms of the fold histogram in PGFPlots share: the axis of values, bricks and marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.figures.bricks_bins import Bins, Numbers
from foldwise.figures.bricks_folds import GREY_FILL, MOST_BRICKS, edge_of
from foldwise.figures.theme import Style
from foldwise.figures.tikz.letters import latex
from foldwise.figures.tikz.parts import axis_options, below, bp, number, text_style
from foldwise.figures.tikz.scales import Scale, Ticks, plot
from foldwise.figures.tikz.words import Face, remark, shortened

DIRECTIONS = {None: "", True: ", higher is better", False: ", lower is better"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Folds:
    """What is drawn.

    Attributes
    ----------
    names : list of str
        Algorithms as they are printed.
    values : ndarray, fold x algorithm
    measure : str
        What was measured, as it is printed.
    higher_is_better : bool or None
    numbers : Numbers
        How values are written.
    style : Style
    hues : dict of str
        Colours of the algorithms; empty without colour.
    """

    names: list[str]
    values: np.ndarray
    measure: str
    higher_is_better: bool | None
    numbers: Numbers
    style: Style
    hues: dict[str, str]

    @property
    def single(self) -> bool:
        """Whether every fold has a brick of its own."""
        return len(self.values) <= MOST_BRICKS

    @property
    def means(self) -> list[str]:
        """The mean of every algorithm as it is written."""
        return [self.numbers.say(float(mean)) for mean in self.values.mean(axis=0)]

    @property
    def equal_words(self) -> str:
        """What is written where all values are equal."""
        count = len(self.values)
        which = "the only fold" if count == 1 else f"all {count} folds"
        return f"{which} {self.numbers.say(float(self.values.flat[0]))}"


class Histogram:
    """One figure: places are px from the lower left of the plot, whose size forms decide."""

    left: float
    right: float
    above: float
    plot: float
    height: float
    unit: float  # px of a brick

    def __init__(self, folds: Folds) -> None:
        self.folds, self.style = folds, folds.style
        self.face = Face.of(folds.style)
        self.below = below(self.face)
        self.bins = Bins.of(folds.values)
        low, high = float(self.bins.edges[0]), float(self.bins.edges[-1])
        pad = 6.5 * self.bins.width if self.bins.constant else 0.035 * (high - low)
        self.low, self.high = low - pad, high + pad
        self.scale = Scale.of(self.low, self.high)

    def tallest(self, j: int) -> int:
        """Return the height of the highest stack of an algorithm in folds."""
        return int(np.bincount(self.bins.index(self.folds.values[:, j])).max())

    def share(self, value: float) -> float:
        """Return where a value lies between the ends of the axis, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The area of the figure: left, bottom, right, top."""
        return (-self.left, -self.below, self.plot + self.right, self.height + self.above)

    @property
    def title(self) -> str:
        """The measure and its direction; a measure too long comes without."""
        room = self.plot + 2 * (min(self.left, self.right) - 3)
        whole = self.folds.measure + DIRECTIONS[self.folds.higher_is_better]
        if self.face.wide(whole) <= room:
            return whole
        return self.face.shorten([self.folds.measure], room)[self.folds.measure]

    def about(self) -> str:
        """Return the comment that says what a brick is."""
        what = "One brick per fold" if self.folds.single else "Bars count folds"
        bins = "one bin" if self.bins.constant else f"bins of {self.bins.width:g}"
        return f"% {what}; {bins}; y is in px of 1/96 inch."

    def remarks(self, shown: dict[str, str]) -> list[str]:
        """Return what the caption has to say for want of room."""
        whole = self.folds.measure + DIRECTIONS[self.folds.higher_is_better]
        axis = [] if self.title == whole else [remark(f"Along the axis: {whole}.")]
        return [*shortened(shown), *axis]

    def styles(self, face: Face, tick: float, mean: float, edge: float) -> list[str]:
        """Return the styles of the picture: face of names, px of ticks, means and edges."""
        grey = number(100 * (1 - int(GREY_FILL[1:3], 16) / 255), 0)
        marks = f"mark=|, mark size={bp(tick / 2)}, mark options={{line width={bp(0.8)}}}"
        return [
            f"fw text/.style={{{text_style(self.face)}}}",
            f"fw name/.style={{{text_style(face)}}}",
            f"fw brick/.style={{draw=black, fill=black!{grey}, line width={bp(edge)}}}",
            f"fw base/.style={{black, line width={bp(0.7)}}}",
            f"fw folds/.style={{only marks, black, {marks}}}",
            f"fw mean/.style={{only marks, black, mark=triangle*, mark size={bp(0.58 * mean)}}}",
        ]

    def axis(self) -> list[str]:
        """Return the options of the axis."""
        if self.bins.constant:
            value = float(self.folds.values.flat[0])
            ticks = Ticks((value,), (self.folds.numbers.say(value),))
        else:
            beyond, unit = min(self.left, self.right), self.bins.width
            ticks = Ticks.along(self.low, self.high, self.plot, self.face, unit, beyond)
        return [
            f"width={bp(self.plot)}, height={bp(self.height)}",
            f"xmin={self.scale.write(self.low)}, xmax={self.scale.write(self.high)}",
            f"ymin=0, ymax={number(self.height)}",
            *axis_options(self.style),
            "axis x line*=bottom, axis y line=none",
            *ticks.options("x", self.scale),
        ]

    def edge_of_brick(self, j: int) -> str:
        """Return the option that gives bricks too dark for an edge of ink a white one."""
        hue = self.folds.hues.get(self.folds.names[j])
        white = hue is not None and edge_of(hue, self.style) != self.style.ink
        return ", draw=white" if white else ""

    def bricks(self, j: int, y: float, unit: float, look: str) -> list[str]:
        """Return bricks on the baseline `y`, downwards for a negative `unit`."""
        lines = []
        for block in self._blocks(self.folds.values[:, j]):
            low, high = (self.scale.write(float(self.bins.edges[block.place + i])) for i in (0, 1))
            bottom, top = (number(y + (block.level + i) * unit) for i in (0, block.count))
            corners = f"(axis cs:{low},{bottom}) rectangle (axis cs:{high},{top})"
            lines.append(rf"\draw[fw brick{look}] {corners};")
        return lines

    def base(self, y: float, look: str = "") -> str:
        """Return a line across the plot."""
        ends = [f"(axis cs:{self.scale.write(x)},{number(y)})" for x in (self.low, self.high)]
        return rf"\draw[fw base{look}] {' -- '.join(ends)};"

    def marks(self, look: str, values: Sequence[float], y: float) -> str:
        """Return a mark at every value."""
        return plot(look, (self.scale, Scale(digits=2)), values, [y] * len(values))

    def _blocks(self, column: np.ndarray) -> list[_Block]:
        """Return one block per fold, or per bin where there are too many folds."""
        counts = np.bincount(self.bins.index(column))
        if not self.folds.single:
            return [_Block(place, 0, int(n)) for place, n in enumerate(counts) if n]
        return [_Block(place, level, 1) for place, n in enumerate(counts) for level in range(n)]


@dataclass(frozen=True, slots=True)
class _Block:
    """A brick or bar: its bin, the folds below it, the folds in it."""

    place: int
    level: int
    count: int


def node(anchor: str, x: float, y: float, words: str, style: str = "fw text") -> str:
    """Return words at a place."""
    return rf"\node[{style}, anchor={anchor}] at ({number(x)},{number(y)}) {{{latex(words)}}};"
