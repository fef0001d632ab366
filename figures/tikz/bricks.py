"""The fold histogram as PGFPlots: one brick per fold, one row per algorithm, shared bins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from figures import theme
from figures.bricks import MOST_ROWS
from figures.bricks_bins import Bins, Numbers
from figures.bricks_folds import GREY_FILL, MOST_BRICKS, edge_of
from figures.theme import Style
from figures.tikz.letters import comment, kept, latex, name_comments, printable
from figures.tikz.parts import (
    PGFPLOTS,
    Pen,
    axis_options,
    bp,
    number,
    pens,
    picture,
    shorten,
    text_style,
    titles,
    wide,
)
from figures.tikz.scales import Scale, Ticks, plot
from stats_core.errors import SettingError

#: Heights in px, as in print: of a row, of its bricks together, of the tallest brick.
_PITCH, _ROOM, _TALLEST = 41.0, 26.0, 7.0
#: Ticks of single folds, the gap below a baseline, the width of a mean.
_TICK, _GAP, _MEAN = 5.5, 1.5, 6.0
_DIRECTIONS = {None: "", True: ", higher is better", False: ", lower is better"}


def bricks_tikz(
    values: pd.DataFrame,
    *,
    measure: str,
    higher_is_better: bool | None = None,
    width_in: float = 3.25,
    colour: bool = False,
) -> str:
    r"""Return the values of all folds as bricks in bins all algorithms share, as PGFPlots.

    Parameters
    ----------
    values : DataFrame
        One row per fold, one column per algorithm. No holes.
    measure : str
        What was measured, for the axis.
    higher_is_better : bool, optional
        Its direction, written behind it.
    width_in : float
        Width in inches.
    colour : bool
        Whether bricks have the colour of their algorithm instead of grey.

    Returns
    -------
    str
        A ``tikzpicture``; it needs the package pgfplots. With more than 60 folds a bin is one
        bar; more than eight algorithms are rows of ticks without bricks.

    Raises
    ------
    SettingError
        If there is no value or one that is not finite.

    Examples
    --------
    >>> folds = pd.DataFrame({"svm": [0.9, 0.92], "knn": [0.9, 0.95]})
    >>> bricks_tikz(folds, measure="accuracy").splitlines()[0]
    '% Needs \\usepackage{pgfplots}\\pgfplotsset{compat=1.16}'
    """
    data = values.to_numpy(dtype=float)
    if not data.size or not np.isfinite(data).all():
        raise SettingError(
            "`values` must hold at least one fold and one algorithm, all values finite. "
            f"A table of {data.shape[0]} x {data.shape[1]} arrived, "
            f"{int((~np.isfinite(data)).sum())} of its values missing or infinite. "
            "Drop or fill the holes first."
        )
    shown = printable(values.columns)
    rows = _Rows(list(shown.values()), data, Numbers.of(values, measure), theme.paper(width_in))
    title = rows.title(kept(measure), _DIRECTIONS[higher_is_better])
    hues, colours = pens(rows.names, colour)
    return picture(
        PGFPLOTS,
        [*name_comments({**shown, measure: kept(measure)}), rows.about(), *rows.scale.words("x")],
        rows.styles(),
        (-rows.left, -rows.below, rows.plot + rows.right, rows.height + rows.above),
        [
            *colours,
            r"\begin{axis}[",
            *(f"  {option}," for option in rows.axis()),
            "]",
            *(line for j in range(len(rows.names)) for line in rows.row(j, hues, colour)),
            r"\end{axis}",
            *rows.words(),
            *titles(title, "", (rows.plot, rows.height), (rows.left, rows.below), rows.style.size),
        ],
    )


class _Rows:
    """The rows of one figure: where everything is, in px from the lower left of the plot."""

    def __init__(
        self, names: list[str], values: np.ndarray, numbers: Numbers, style: Style
    ) -> None:
        self.names, self.values, self.numbers, self.style = names, values, numbers, style
        self.bins = Bins.of(values)
        self.strips = len(names) > MOST_ROWS
        size = style.size
        self.size = size * 7 / 8 if len(names) > 12 else size
        hues = theme.colours(names)
        self.black = [edge_of(hues[name], style) != style.ink for name in names]
        self.pitch = 1.4 * self.size if self.strips else _PITCH
        self.short = shorten(names, 0.32 * style.width, self.size)
        self.means = [numbers.say(float(mean)) for mean in values.mean(axis=0)]
        self.left = max(wide(name, self.size) for name in self.short.values()) + 12
        self.right = max(wide(mean, self.size) for mean in [*self.means, "mean"]) + 13
        self.above, self.below = 13.0, 3 + 1.3 * size + 1.6 * size
        self.plot = style.width - self.left - self.right
        self.height = len(names) * self.pitch + 3
        tallest = max(np.bincount(self.bins.index(column)).max() for column in values.T)
        self.unit = min(_TALLEST, _ROOM / tallest)
        # Edges of low bricks are thinner, so that their grey is seen between them.
        self.edge = min(max(self.unit / 6, 0.25), 0.7) if self.single else 0.7
        low, high = float(self.bins.edges[0]), float(self.bins.edges[-1])
        pad = 6.5 * self.bins.width if self.bins.constant else 0.035 * (high - low)
        self.low, self.high = low - pad, high + pad
        self.scale = Scale.of(self.low, self.high)

    def baseline(self, j: int) -> float:
        """Return the height of the baseline of row `j`."""
        return self.height - j * self.pitch - (0.5 * self.pitch if self.strips else _ROOM)

    def about(self) -> str:
        """Return the comment that says what a brick is."""
        if self.strips:
            return "% One tick per fold; y is in px of 1/96 inch."
        what = "One brick per fold" if self.single else "Bars count folds"
        bins = "one bin" if self.bins.constant else f"bins of {self.bins.width:g}"
        return f"% {what}; {bins}; y is in px of 1/96 inch."

    @property
    def single(self) -> bool:
        """Whether every fold has a brick of its own."""
        return len(self.values) <= MOST_BRICKS

    def title(self, measure: str, direction: str) -> str:
        """Return the measure and its direction; a measure too long comes without."""
        room = self.plot + 2 * (min(self.left, self.right) - 3)
        if wide(measure + direction, self.style.size) <= room:
            return measure + direction
        return shorten([measure], room, self.style.size)[measure]

    def styles(self) -> list[str]:
        """Return the styles of the picture."""
        grey = GREY_FILL[1:3]
        share = number(100 * (1 - int(grey, 16) / 255), 0)
        tick = f"mark=|, mark size={bp(_TICK / 2)}"
        return [
            f"fw text/.style={{{text_style(self.size)}}}",
            f"fw brick/.style={{draw=black, fill=black!{share}, line width={bp(self.edge)}}}",
            f"fw base/.style={{black, line width={bp(0.7)}}}",
            f"fw folds/.style={{only marks, black, {tick}, mark options={{line width={bp(0.8)}}}}}",
            f"fw mean/.style={{only marks, black, mark=triangle*, mark size={bp(0.58 * _MEAN)}}}",
        ]

    def axis(self) -> list[str]:
        """Return the options of the axis."""
        if self.bins.constant:
            value = float(self.values.flat[0])
            ticks = Ticks((value,), (self.numbers.say(value),))
        else:
            beyond, size = min(self.left, self.right), self.style.size
            ticks = Ticks.along(self.low, self.high, self.plot, size, self.bins.width, beyond)
        return [
            f"width={bp(self.plot)}, height={bp(self.height)}",
            f"xmin={self.scale.write(self.low)}, xmax={self.scale.write(self.high)}",
            f"ymin=0, ymax={number(self.height)}",
            *axis_options(self.style),
            "axis x line*=bottom, axis y line=none",
            *ticks.options("x", self.scale),
        ]

    def row(self, j: int, hues: Mapping[str, Pen], colour: bool) -> list[str]:
        """Return the bricks, ticks and mean of one algorithm."""
        y, column = self.baseline(j), self.values[:, j]
        fill = f", fill={hues[self.names[j]].hue}" if colour else ""
        edge = ", draw=white" if colour and self.black[j] else ""
        lines = [comment(self.names[j])]
        if not self.strips:
            lines += [self._brick(block, y, fill + edge) for block in self._blocks(column)]
        ends = [f"(axis cs:{self.scale.write(x)},{number(y)})" for x in (self.low, self.high)]
        base = "fw base, black!23" if self.strips else "fw base"
        lines.append(rf"\draw[{base}] {' -- '.join(ends)};")
        tick = y + _TICK / 4 if self.strips else y - _GAP / 2 - _TICK / 2
        lines.append(self._marks("fw folds", np.sort(column), tick))
        mean = (y - _TICK / 4 if self.strips else y - _GAP - _TICK) - 0.6 * _MEAN
        # In rows the bricks have the colour.
        look = f"fw mean{fill}" if self.strips else "fw mean"
        lines.append(self._marks(look, [column.mean()], mean))
        return lines

    def _marks(self, look: str, values: Sequence[float], y: float) -> str:
        return plot(look, (self.scale, Scale(digits=2)), values, [y] * len(values))

    def _blocks(self, column: np.ndarray) -> list[_Block]:
        """Return one block per fold, or per bin where there are too many folds."""
        counts = np.bincount(self.bins.index(column))
        if not self.single:
            return [_Block(place, 0, int(n)) for place, n in enumerate(counts) if n]
        return [_Block(place, level, 1) for place, n in enumerate(counts) for level in range(n)]

    def _brick(self, block: _Block, y: float, fill: str) -> str:
        low, high = (self.scale.write(float(self.bins.edges[block.place + i])) for i in (0, 1))
        bottom, top = (number(y + (block.level + i) * self.unit) for i in (0, block.count))
        corners = f"(axis cs:{low},{bottom}) rectangle (axis cs:{high},{top})"
        return rf"\draw[fw brick{fill}] {corners};"

    def words(self) -> list[str]:
        """Return names to the left of the rows, means to the right."""
        lines = []
        lift = 0.0 if self.strips else _ROOM / 2
        for j, (name, mean) in enumerate(zip(self.names, self.means, strict=True)):
            y = self.baseline(j) + lift
            lines.append(_node("base east", -6, y, self.short[name]))
            lines.append(_node("base east", self.plot + self.right - 5, y, mean))
        lines.append(_node("base east", self.plot + self.right - 5, self.height + 6, "mean"))
        if self.bins.constant:
            lines += self._equal(lift)
        return lines

    def _equal(self, lift: float) -> list[str]:
        """Write beside the only column that all values are equal."""
        count = len(self.values)
        which = "the only fold" if count == 1 else f"all {count} folds"
        words = f"{which} {self.numbers.say(float(self.values.flat[0]))}"
        share = (float(self.bins.edges[1]) - self.low) / (self.high - self.low)
        x = share * self.plot + 5
        if self.strips:
            return [_node("base", self.plot / 2, self.height + 6, words)]
        return [
            _node("base west", x, self.baseline(j) + lift, words) for j in range(len(self.names))
        ]


@dataclass(frozen=True, slots=True)
class _Block:
    """A brick or bar: its bin, the folds below it, the folds in it."""

    place: int
    level: int
    count: int


def _node(anchor: str, x: float, y: float, words: str) -> str:
    return rf"\node[fw text, anchor={anchor}] at ({number(x)},{number(y)}) {{{latex(words)}}};"
