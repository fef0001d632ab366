"""The fold histogram as PGFPlots: one brick per fold, in bins that all algorithms share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd

from foldwise.figures import theme
from foldwise.figures.bricks import MOST_ROWS, Form, form_of
from foldwise.figures.bricks_bins import Numbers
from foldwise.figures.tikz.brick_parts import Folds, Histogram, node
from foldwise.figures.tikz.facing import Facing
from foldwise.figures.tikz.letters import comment, kept, name_comments, printable
from foldwise.figures.tikz.parts import PGFPLOTS, picture, titles
from foldwise.figures.tikz.pens import Pen, hues_of, pens
from stats_core.core.errors import SettingError

#: Heights in px, as in print: of a row, of its bricks together, of the tallest brick.
_PITCH, _ROOM, _TALLEST = 41.0, 26.0, 7.0
#: Ticks of single folds, the gap below a baseline, the width of a mean.
_TICK, _GAP, _MEAN = 5.5, 1.5, 6.0
#: Height of a row of ticks at least.
_STRIP = 13.0
#: With more rows names are seven eighths of the size.
_MOST_LARGE = 12


def bricks_tikz(
    values: pd.DataFrame,
    *,
    measure: str,
    higher_is_better: bool | None = None,
    form: Form = "automatic",
    width_in: float = 3.25,
    serif: bool = True,
    colour: bool = False,
    points: float = 8,
    title: str = "",
    colours: Mapping[str, str] | None = None,
) -> str:
    r"""Return the values of all folds as bricks in bins all algorithms share, as PGFPlots.

    Parameters
    ----------
    values : DataFrame
        One row per fold, one column per algorithm. No holes.
    measure : str
        What was measured, for the axis.
    higher_is_better : bool, optional
        Its direction, written behind it; it decides which links are solid.
    form : {"automatic", "facing", "rows", "overlaid"}
        As :func:`foldwise.figures.bricks.bricks`, but two algorithms face each other where they would be
        overlaid: see :func:`tikz_form`.
    width_in, serif, colour, points
        As :func:`foldwise.figures.theme.paper`.
    title : str
        Written above.
    colours : mapping of str, optional
        Colour per algorithm, by default :func:`foldwise.figures.theme.colours` of the columns. Without
        `colour` bricks are grey, those of two that face each other black and white.

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
    folds = Folds(
        names=list(shown.values()),
        values=data,
        measure=kept(measure),
        higher_is_better=higher_is_better,
        numbers=Numbers.of(values, measure),
        style=theme.paper(width_in, serif=serif, colour=colour, points=points),
        hues=hues_of(shown, colours, colour),
    )
    drawn = Facing(folds) if tikz_form(values, form) == "facing" else _Rows(folds)
    looks, definitions = pens(folds.names, folds.hues)
    side, margin = (drawn.plot, drawn.height), (drawn.left, drawn.below)
    return picture(
        PGFPLOTS,
        [
            *name_comments({**shown, measure: kept(measure)}),
            drawn.about(),
            *drawn.scale.words("x"),
            *drawn.remarks(drawn.short),
        ],
        drawn.look(),
        drawn.box,
        [
            *definitions,
            r"\begin{axis}[",
            *(f"  {option}," for option in drawn.axis()),
            "]",
            *drawn.drawing(looks),
            r"\end{axis}",
            *drawn.words(),
            *titles(drawn.title, "", side, margin, drawn.face),
        ],
        face=drawn.face,
        title=title,
    )


def tikz_form(values: pd.DataFrame, form: Form = "automatic") -> Literal["facing", "rows"]:
    """Return the form in which `values` are drawn when `form` is asked for."""
    return "facing" if form_of(values, form) in ("facing", "overlaid") else "rows"


class _Rows(Histogram):
    """One row per algorithm: bricks, or only ticks where there are many."""

    def __init__(self, folds: Folds) -> None:
        super().__init__(folds)
        self.strips = len(folds.names) > MOST_ROWS
        self.name_face = self.face.smaller if len(folds.names) > _MOST_LARGE else self.face
        wide = self.name_face.wide
        self.pitch = max(1.4 * self.name_face.px, _STRIP) if self.strips else _PITCH
        self.short = self.name_face.shorten(folds.names, 0.32 * self.style.width)
        self.left = max(wide(name) for name in self.short.values()) + 12
        self.right = max(self.face.wide("mean"), *map(wide, folds.means)) + 13
        self.above = 6 + 0.7 * self.face.px
        self.plot = self.style.width - self.left - self.right
        self.height = len(folds.names) * self.pitch + 3
        tallest = max(self.tallest(j) for j in range(len(folds.names)))
        self.unit = min(_TALLEST, _ROOM / tallest)

    def about(self) -> str:
        """Return the comment that says what a mark is."""
        return "% One tick per fold; y is in px of 1/96 inch." if self.strips else super().about()

    def look(self) -> list[str]:
        """Return the styles of the picture."""
        # Edges of low bricks are thinner, so that their grey is seen between them.
        edge = min(max(self.unit / 6, 0.25), 0.7) if self.folds.single else 0.7
        return self.styles(self.name_face, _TICK, _MEAN, edge)

    def drawing(self, looks: Mapping[str, Pen]) -> list[str]:
        """Return what stands in the axis."""
        lines = []
        for j, name in enumerate(self.folds.names):
            lines += [comment(name), *self._row(j, looks[name])]
        return lines

    def _baseline(self, j: int) -> float:
        return self.height - j * self.pitch - (0.5 * self.pitch if self.strips else _ROOM)

    def _row(self, j: int, pen: Pen) -> list[str]:
        """Return the bricks, ticks and mean of one algorithm."""
        y, column = self._baseline(j), self.folds.values[:, j]
        fill = f", fill={pen.hue}" if self.folds.hues else ""
        if self.strips:
            return [
                self.base(y, ", black!23"),
                self.marks("fw folds", np.sort(column), y + _TICK / 4),
                self.marks(f"fw mean{fill}", [column.mean()], y - _TICK / 4 - 0.6 * _MEAN),
            ]
        return [
            *self.bricks(j, y, self.unit, fill + self.edge_of_brick(j)),
            self.base(y),
            self.marks("fw folds", np.sort(column), y - _GAP / 2 - _TICK / 2),
            self.marks("fw mean", [column.mean()], y - _GAP - _TICK - 0.6 * _MEAN),
        ]

    def words(self) -> list[str]:
        """Return names to the left of the rows, means to the right."""
        lines = []
        lift = 0.0 if self.strips else _ROOM / 2
        end = self.plot + self.right - 5
        for j, (name, mean) in enumerate(zip(self.folds.names, self.folds.means, strict=True)):
            y = self._baseline(j) + lift
            lines.append(node("base east", -6, y, self.short[name], "fw name"))
            lines.append(node("base east", end, y, mean, "fw name"))
        lines.append(node("base east", end, self.height + 6, "mean"))
        if self.bins.constant:
            lines += self._equal(lift)
        return lines

    def _equal(self, lift: float) -> list[str]:
        """Write beside the only column that all values are equal."""
        words = self.folds.equal_words
        if self.strips:
            return [node("base", self.plot / 2, self.height + 6, words)]
        x = self.share(float(self.bins.edges[1])) * self.plot + 5
        rows = range(len(self.folds.names))
        return [node("base west", x, self._baseline(j) + lift, words) for j in rows]
