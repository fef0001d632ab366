"""ROC and precision-recall curves as PGFPlots: one line per algorithm, told apart by dashes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd

from figures import theme
from figures.roc_labels import even_path
from figures.roc_words import TITLES
from figures.theme import DASHES
from figures.tikz.letters import comment, latex, name_comments, printable
from figures.tikz.parts import (
    PGFPLOTS,
    Pen,
    axis_options,
    bp,
    font,
    number,
    pens,
    picture,
    shorten,
    text_style,
    titles,
    wide,
)
from figures.tikz.scales import Scale, plot
from stats_core.errors import SettingError

Kind = Literal["roc", "pr"]

#: Margins in px: left, right, top, bottom.
_LEFT, _RIGHT, _TOP, _BOTTOM = 38.0, 12.0, 12.0, 34.0
_LINE = 1.2
#: Width in px of the piece of a curve in the legend: 0.6 cm.
_SAMPLE = 22.7
_UNIT = (Scale(), Scale())
_DOTS = "black!60, dash pattern=on 1.1bp off 1.9bp"
#: Share of the height that the legend may take, and its distance from the sides.
_MOST, _INSET = 0.66, 0.03


def curves_tikz(
    curves: Mapping[str, pd.DataFrame],
    *,
    kind: Kind = "roc",
    baseline: float | None = None,
    width_in: float = 3.25,
    colour: bool = False,
) -> str:
    r"""Return average curves in the unit square, as PGFPlots.

    Parameters
    ----------
    curves : mapping of algorithm to DataFrame
        Columns x and y, in drawing order, already thinned (:func:`figures.decimate.thinned`).
        Rows with holes are left out, and so are algorithms without rows.
    kind : {"roc", "pr"}
        What x and y are; "roc" has the diagonal of guessing.
    baseline : float, optional
        Share of positive cases, the precision of guessing; only for "pr".
    width_in : float
        Width in inches.
    colour : bool
        Whether algorithms have colours as well as dashes.

    Returns
    -------
    str
        A ``tikzpicture``; it needs the package pgfplots. With more than six algorithms curves
        have marks too.

    Raises
    ------
    SettingError
        If `kind` is neither, or there is no curve.

    Examples
    --------
    >>> step = pd.DataFrame({"x": [0, 0.25, 1], "y": [0, 2 / 3, 1]})
    >>> [line for line in curves_tikz({"svm": step}).splitlines() if "(0.25" in line]
    ['\\addplot[black, line width=0.9bp, solid] coordinates {(0,0) (0.25,0.6667) (1,1)};']
    """
    shown = printable(curves)
    paths = {shown[str(name)]: _path(table) for name, table in curves.items()}
    paths = {name: path for name, path in paths.items() if len(path)}
    _check(kind, paths)
    style = theme.paper(width_in)
    across = style.width - _LEFT - _RIGHT
    side = min(across, min(300 / 312 * style.width, 420) - _TOP - _BOTTOM)
    legend = _Legend(paths, side, style.size)
    hues, definitions = pens(list(paths), colour)
    margin = (_LEFT, _BOTTOM)
    left = (across - side) / 2
    return picture(
        PGFPLOTS,
        name_comments(shown),
        [f"fw text/.style={{{text_style(style.size)}}}"],
        (-_LEFT - left, -_BOTTOM, side + _RIGHT + across - side - left, side + _TOP),
        [
            *definitions,
            r"\begin{axis}[",
            f"  width={bp(side)}, height={bp(side)}, xmin=0, xmax=1, ymin=0, ymax=1,",
            *(f"  {option}," for option in [*axis_options(style), *_ticks(), *legend.options()]),
            "  axis x line*=bottom, axis y line*=left,",
            "]",
            *_guessing(kind, baseline),
            *(line for i, name in enumerate(paths) for line in legend.curve(i, hues[name])),
            *legend.rest(),
            r"\end{axis}",
            *_baseline_words(kind, baseline, side),
            *titles(*TITLES[kind], (side, side), margin, style.size),
        ],
    )


def _check(kind: str, paths: Mapping[str, np.ndarray]) -> None:
    """Refuse other kinds of curves, and no curve at all."""
    if kind not in ("roc", "pr"):
        raise SettingError(f'`kind` must be "roc" or "pr". {kind!r} arrived. Choose one of them.')
    if not paths:
        raise SettingError(
            "`curves` must hold at least one algorithm with points. None arrived. "
            "Choose an algorithm whose curve is defined."
        )


def _path(table: pd.DataFrame) -> np.ndarray:
    """Return the points of a curve to four digits, each once in a row."""
    path = table[["x", "y"]].dropna().to_numpy(dtype=float).round(4)
    if not len(path):
        return path
    moved = np.any(np.diff(path, axis=0) != 0, axis=1)
    return path[np.concatenate([[True], moved])]


def _ticks() -> list[str]:
    values = "0,0.2,0.4,0.6,0.8,1"
    labels = "0.0,0.2,0.4,0.6,0.8,1.0"
    return [f"{axis}tick={{{values}}}, {axis}ticklabels={{{labels}}}" for axis in "xy"]


def _guessing(kind: str, baseline: float | None) -> list[str]:
    """Return the line of what guessing gives."""
    if kind == "pr" and baseline is None:
        return []
    ends = [0, 1] if kind == "roc" else [baseline, baseline]
    line = f"forget plot, no marks, {_DOTS}, line width={bp(0.7)}"
    return ["% guessing", plot(line, _UNIT, [0, 1], ends)]


def _baseline_words(kind: str, baseline: float | None, side: float) -> list[str]:
    if kind != "pr" or baseline is None:
        return []
    words = latex(f"share of positives {baseline:.2g}")
    y = baseline * side + (-8 if baseline > 0.9 else 7)
    return [rf"\node[fw text, anchor=base west] at (4,{number(y)}) {{{words}}};"]


class _Legend:
    """The curves with their names, which stand in the corner with the least in it."""

    def __init__(self, paths: Mapping[str, np.ndarray], side: float, size: float) -> None:
        self.names, self.paths, self.side = list(paths), list(paths.values()), side
        self.size = size
        if 1.35 * size * len(paths) > _MOST * side:
            self.size = 7 / 8 * size
        self.row = 1.35 * self.size
        most = int(_MOST * side // self.row)
        self.count = len(paths) if len(paths) <= most else most - 1
        short = shorten(self.names, 0.4 * side, self.size)
        self.words = [short[name] for name in self.names]
        widest = max(wide(words, self.size) for words in self.words)
        self.extent = ((widest + _SAMPLE + 10) / side, self.row * min(len(paths), most) / side)

    def options(self) -> list[str]:
        """Return the options of the axis for the legend."""
        right, top = self._corner()
        at = f"({number(1 - _INSET if right else _INSET)},{number(1 - _INSET if top else _INSET)})"
        anchor = f"{'north' if top else 'south'} {'east' if right else 'west'}"
        gap = bp(self.row - 1.2 * self.size)
        return [
            f"legend style={{at={{{at}}}, anchor={anchor}, draw=none, fill=none, "
            f"font={font(self.size)}, inner sep=0pt, row sep={gap}, nodes={{inner ysep=0pt}}}}",
            "legend cell align=left",
        ]

    def _corner(self) -> tuple[bool, bool]:
        """Return whether the emptiest corner is at the right, and at the top."""
        every = np.concatenate([even_path(path) for path in self.paths])
        width, height = (side + 2 * _INSET for side in self.extent)

        def load(corner: tuple[bool, bool]) -> int:
            x = 1 - every[:, 0] if corner[0] else every[:, 0]
            y = 1 - every[:, 1] if corner[1] else every[:, 1]
            return int(((x < width) & (y < height)).sum())

        return min([(True, False), (False, False), (True, True), (False, True)], key=load)

    def curve(self, place: int, pen: Pen) -> list[str]:
        """Return the curve of one algorithm and its entry."""
        name, path = self.names[place], self.paths[place]
        line = pen.line(_LINE, DASHES[place % len(DASHES)])
        entry = [rf"\addlegendentry{{{latex(self.words[place])}}}"] if place < self.count else []
        if len(self.names) <= len(DASHES):
            return [comment(name), self._plot(line, path), *entry]
        symbol = pen.mark(place, 2.2)
        even = even_path(path, 121)[10 + 5 * (place % 8) : 112 : 40]
        sample = [rf"\addlegendimage{{{line}, {symbol}}}"] if entry else []
        return [
            comment(name),
            self._plot(f"forget plot, {line}", path),
            self._plot(f"forget plot, only marks, {symbol}", even),
            *sample,
            *entry,
        ]

    def rest(self) -> list[str]:
        """Return the entry that counts the algorithms without one."""
        left = len(self.names) - self.count
        if not left:
            return []
        return [r"\addlegendimage{empty legend}", rf"\addlegendentry{{and {left} more}}"]

    def _plot(self, options: str, path: np.ndarray) -> str:
        return plot(options, _UNIT, path[:, 0], path[:, 1])
