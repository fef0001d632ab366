"""The fold histogram of two algorithms face to face, as PGFPlots: bricks and their pairing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from foldwise.figures.tikz.brick_parts import Folds, Histogram, node
from foldwise.figures.tikz.letters import comment
from foldwise.figures.tikz.parts import bp, number
from foldwise.figures.tikz.pens import Pen

#: Height in px of the whole figure in 8 points, and what more every px of text needs.
_TOTAL, _USUAL, _MORE = 176.0, 32 / 3, 5.4
#: Px between the baselines, below the lower mean, of a tick, of a mean and the gap beside it.
_GUTTER, _FOOT, _TICK, _MEAN, _GAP = 26.0, 4.0, 3.0, 6.5, 2.0
#: The tallest brick, and the tallest stack.
_TALLEST, _STACK = 8.0, 36.0
#: With more folds the links are finer and fainter.
_MOST_PLAIN = 30
_LINKS = {
    "solid": "solid",
    "dashed": f"dash pattern=on {bp(3)} off {bp(2)}",
    "dotted": f"dash pattern=on {bp(0.8)} off {bp(2)}",
}


class Facing(Histogram):
    """The first algorithm upwards, the second downwards, and a line for every fold.

    The line joins the two values of the fold: solid where the first algorithm is better, dashed
    where the second is, dotted where they are equal.
    """

    def __init__(self, folds: Folds) -> None:
        super().__init__(folds)
        size = self.face.px
        self.short = self.face.shorten(folds.names, 0.3 * self.style.width)
        self.left = max(self.face.wide(name) for name in self.short.values()) + 12
        self.right, self.above = max(8.0, 0.55 * self.face.wide("0.0000")), 2.0
        self.plot = self.style.width - self.left - self.right
        total = _TOTAL + _MORE * max(size - _USUAL, 0)
        self.height = total - self.above - self.below
        tallest = (self.tallest(0), self.tallest(1))
        block = 1.25 * size + _MEAN + 2 * _GAP  # the mean and its number, above and below
        free = self.height - 2 * block - _GUTTER - _FOOT
        self.unit = min(_TALLEST, _STACK / max(tallest), free / sum(tallest))
        gutter = _GUTTER + min(free - self.unit * sum(tallest), _GUTTER)
        slack = max(0.0, free + _GUTTER - self.unit * sum(tallest) - gutter)
        self.upper = self.height - slack / 2 - block - self.unit * tallest[0]
        self.lower = self.upper - gutter
        self.top = self.upper + self.unit * tallest[0] + _GAP
        self.bottom = self.lower - self.unit * tallest[1] - _GAP

    def look(self) -> list[str]:
        """Return the styles of the picture."""
        many = len(self.folds.values) > _MOST_PLAIN
        ink = f"black!73, line width={bp(0.4)}" if many else f"black, line width={bp(0.8)}"
        edge = min(max(self.unit / 6, 0.25), 0.7) if self.folds.single else 0.7
        return [
            *self.styles(self.face, _TICK, _MEAN, edge),
            *(f"fw {name}/.style={{{ink}, {dashes}}}" for name, dashes in _LINKS.items()),
        ]

    def drawing(self, looks: Mapping[str, Pen]) -> list[str]:
        """Return what stands in the axis."""
        sides = ((self.upper, 1), (self.lower, -1))
        lines = []
        for j, (name, (y, way)) in enumerate(zip(self.folds.names, sides, strict=True)):
            lines += [comment(name), *self.bricks(j, y, way * self.unit, self._fill(j, looks))]
        lines += [self.base(y) for y, _ in sides]
        lines += self._links()
        for j, (y, way) in enumerate(sides):
            column = self.folds.values[:, j]
            lines.append(self.marks("fw folds", np.sort(column), y - way * _TICK / 2))
            middle = (self.top if way > 0 else self.bottom) + way * _MEAN / 2
            turn = ", mark options={rotate=180}" if way > 0 else ""
            lines.append(self.marks(f"fw mean{turn}", [column.mean()], middle))
        return lines

    def _fill(self, j: int, looks: Mapping[str, Pen]) -> str:
        """Return the fill of an algorithm: its colour, or black for the first, white else."""
        if self.folds.hues:
            return f", fill={looks[self.folds.names[j]].hue}{self.edge_of_brick(j)}"
        if j:
            return ", fill=white"
        return ", fill=black, draw=white" if self.folds.single else ", fill=black"

    def _links(self) -> list[str]:
        """Return the lines that join the two values of every fold."""
        first, second = self.folds.values.T
        ahead = first - second if self.folds.higher_is_better else second - first
        kinds = np.where(ahead > 0, "solid", np.where(ahead < 0, "dashed", "dotted"))
        lines = ["% one line per fold"]
        for kind in _LINKS:
            ways = [
                f"{self._at(a, self.upper - _TICK)} -- {self._at(b, self.lower + _TICK)}"
                for a, b in zip(first[kinds == kind], second[kinds == kind], strict=True)
            ]
            if ways:
                lines.append(rf"\draw[fw {kind}] {' '.join(ways)};")
        return lines

    def _at(self, value: float, y: float) -> str:
        return f"(axis cs:{self.scale.write(value)},{number(y)})"

    def words(self) -> list[str]:
        """Return the names beside the stacks and the means at their triangles."""
        middles = ((self.upper + self.top) / 2, (self.lower + self.bottom) / 2)
        lines = [
            node("base east", -6, y, self.short[name])
            for name, y in zip(self.folds.names, middles, strict=True)
        ]
        away = _MEAN + _GAP / 2 + 0.625 * self.face.px
        for j, y in enumerate((self.top + away, self.bottom - away)):
            lines.append(self._mean(j, y))
        if self.bins.constant:
            x = self.share(float(self.bins.edges[1])) * self.plot + 5
            lines.append(
                node("base west", x, (self.upper + self.lower) / 2, self.folds.equal_words)
            )
        return lines

    def _mean(self, j: int, y: float) -> str:
        """Write a mean at its triangle, turned inwards where it would leave the plot."""
        words = f"mean {self.folds.means[j]}"
        x = self.share(float(self.folds.values[:, j].mean())) * self.plot
        half = self.face.wide(words) / 2
        side = " west" if x < half else " east" if x > self.plot - half else ""
        return node(f"base{side}", x, y, words)
