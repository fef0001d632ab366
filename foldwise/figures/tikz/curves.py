"""ROC and precision-recall curves as PGFPlots: one line per algorithm, told apart by dashes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd

from foldwise.figures import text, theme
from foldwise.figures.placing import even_path
from foldwise.figures.roc_words import TITLES
from foldwise.figures.theme import DASHES
from foldwise.figures.tikz.letters import comment, latex, name_comments, printable
from foldwise.figures.tikz.parts import (
    PGFPLOTS,
    axis_options,
    below,
    bp,
    number,
    picture,
    text_style,
    titles,
)
from foldwise.figures.tikz.pens import Pen, hues_of, pens
from foldwise.figures.tikz.scales import Scale, plot
from foldwise.figures.tikz.words import Face, remark, shortened
from stats_core.core.errors import SettingError

Kind = Literal["roc", "pr"]

#: Margins in px: right, top.
_RIGHT, _TOP = 12.0, 12.0
_LINE = 1.2
#: Width in px of the piece of a curve in the legend: 0.6 cm.
_SAMPLE = 22.7
_UNIT = (Scale(), Scale())
_DOTS = "black!60, dash pattern=on 1.1bp off 1.9bp"
#: Share of the height that the legend may take, and its distance from the sides.
_MOST, _INSET = 0.55, 0.03
#: Heights that are tried for the legend, and points that stand for a line of guessing.
_HEIGHTS, _POINTS = 25, 25


def curves_tikz(
    curves: Mapping[str, pd.DataFrame],
    *,
    kind: Kind = "roc",
    baseline: float | None = None,
    width_in: float = 3.25,
    serif: bool = True,
    colour: bool = False,
    points: float = 8,
    title: str = "",
    colours: Mapping[str, str] | None = None,
) -> str:
    r"""Return average curves in the unit square, as PGFPlots.

    Parameters
    ----------
    curves : mapping of algorithm to DataFrame
        Columns x and y, in drawing order, already thinned (:func:`foldwise.figures.decimate.thinned`).
        Rows with holes are left out, and so are algorithms without rows.
    kind : {"roc", "pr"}
        What x and y are; "roc" has the diagonal of guessing.
    baseline : float, optional
        Share of positive cases, the precision of guessing; only for "pr".
    width_in, serif, colour, points
        As :func:`foldwise.figures.theme.paper`.
    title : str
        Written above.
    colours : mapping of str, optional
        Colour per algorithm, by default :func:`foldwise.figures.theme.colours`. Dashes tell algorithms
        apart in any case.

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
    style = theme.paper(width_in, serif=serif, colour=colour, points=points)
    face = Face.of(style)
    margin = (1.3 * face.px + face.wide("0.0") + 8, below(face))
    across = style.width - margin[0] - _RIGHT
    side = min(across, min(300 / 312 * style.width, 420) - _TOP - margin[1])
    legend = _Legend(paths, side, face, _reference(kind, baseline, side, face))
    looks, definitions = pens(list(paths), hues_of(shown, colours, colour))
    left = (across - side) / 2
    return picture(
        PGFPLOTS,
        [*name_comments(shown), *legend.remarks()],
        [f"fw text/.style={{{text_style(face)}}}"],
        (-margin[0] - left, -margin[1], side + _RIGHT + across - side - left, side + _TOP),
        [
            *definitions,
            r"\begin{axis}[",
            f"  width={bp(side)}, height={bp(side)}, xmin=0, xmax=1, ymin=0, ymax=1,",
            *(f"  {option}," for option in [*axis_options(style), *_ticks(), *legend.options()]),
            "  axis x line*=bottom, axis y line*=left,",
            "]",
            *_guessing(kind, baseline),
            *(line for i, name in enumerate(paths) for line in legend.curve(i, looks[name])),
            *legend.rest(),
            r"\end{axis}",
            *_baseline_words(kind, baseline, side),
            *titles(*TITLES[kind], (side, side), margin, face),
        ],
        face=face,
        title=title,
    )


def caption_curves(kind: Kind, average: str, n_folds: int) -> str:
    """Return the sentence under the figure, which has neither single folds nor bands.

    Examples
    --------
    >>> caption_curves("roc", "threshold average", 10)
    'Curves: threshold average of the ROC curves of 10 folds. Dotted: guessing.'
    """
    what = "ROC" if kind == "roc" else "precision-recall"
    curves = f"{what} curve of one fold" if n_folds == 1 else f"{what} curves of {n_folds} folds"
    return f"Curves: {text.plain(average)} of the {curves}. Dotted: guessing."


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


def _said(baseline: float) -> str:
    return f"share of positives {baseline:.2g}"


def _height(baseline: float, side: float) -> float:
    """Return the px from below to the middle of the words at the baseline."""
    return baseline * side + (-8 if baseline > 0.9 else 7)


def _baseline_words(kind: str, baseline: float | None, side: float) -> list[str]:
    if kind != "pr" or baseline is None:
        return []
    place = f"(4,{number(_height(baseline, side))})"
    return [rf"\node[fw text, anchor=base west] at {place} {{{latex(_said(baseline))}}};"]


def _reference(kind: str, baseline: float | None, side: float, face: Face) -> np.ndarray:
    """Return points on the line of guessing and on its words, in the unit square."""
    at = np.linspace(0, 1, _POINTS)
    if kind == "roc":
        return np.column_stack([at, at])
    if baseline is None:
        return np.empty((0, 2))
    rise = np.array([-0.6, 0.0, 0.6]) * face.px
    words = [
        np.column_stack([at * face.wide(_said(baseline)), np.full(_POINTS, y)]) / side
        for y in _height(baseline, side) + rise
    ]
    return np.concatenate([np.column_stack([at, np.full(_POINTS, baseline)]), *words])


class _Legend:
    """The curves with their names, which stand where the least is: in a corner if they can."""

    def __init__(
        self, paths: Mapping[str, np.ndarray], side: float, face: Face, reference: np.ndarray
    ) -> None:
        self.names, self.paths, self.reference = list(paths), list(paths.values()), reference
        crowded = 1.35 * face.px * len(paths) > _MOST * side
        self.face = face.smaller if crowded else face
        self.row = 1.35 * self.face.px
        most = int(_MOST * side // self.row)
        self.count = len(paths) if len(paths) <= most else most - 1
        self.short = self.face.shorten(self.names, 0.4 * side)
        self.words = [self.short[name] for name in self.names]
        widest = max(self.face.wide(words) for words in self.words)
        self.extent = ((widest + _SAMPLE + 10) / side, self.row * min(len(paths), most) / side)

    def remarks(self) -> list[str]:
        """Return what the caption has to say: short names, and curves without an entry."""
        entries = dict(list(self.short.items())[: self.count])
        without = ", ".join(text.plain(name) for name in self.names[self.count :])
        left_out = [remark(f"Not named for want of room: {without}.")] if without else []
        return [*shortened(entries), *left_out]

    def options(self) -> list[str]:
        """Return the options of the axis for the legend."""
        place, anchor = self._spot()
        at = f"({number(place[0])},{number(place[1])})"
        gap = bp(self.row - 1.2 * self.face.px)
        return [
            f"legend style={{at={{{at}}}, anchor={anchor}, draw=none, fill=none, "
            f"font={self.face.command}, inner sep=0pt, row sep={gap}, nodes={{inner ysep=0pt}}}}",
            "legend cell align=left",
        ]

    def _spot(self) -> tuple[tuple[float, float], str]:
        """Return the emptiest place at the left or right, and which corner of the names it is."""
        every = np.concatenate([*(even_path(path, 240) for path in self.paths), self.reference])
        width, height = self.extent
        heights = np.linspace(_INSET, 1 - _INSET - height, _HEIGHTS)
        places = [(right, low) for low in heights[[0, -1]] for right in (True, False)]
        places += [(right, low) for low in heights[1:-1] for right in (True, False)]

        def load(place: tuple[bool, float]) -> int:
            left = 1 - _INSET - width if place[0] else _INSET
            x, y = every[:, 0] - left, every[:, 1] - place[1]
            near = (x > -_INSET) & (x < width + _INSET) & (y > -_INSET) & (y < height + _INSET)
            return int(near.sum())

        right, low = min(places, key=load)
        top = low == heights[-1]
        corner = f"{'north' if top else 'south'} {'east' if right else 'west'}"
        return (1 - _INSET if right else _INSET, low + height if top else low), corner

    def curve(self, place: int, pen: Pen) -> list[str]:
        """Return the curve of one algorithm and its entry."""
        name, path = self.names[place], self.paths[place]
        line = pen.line(_LINE, DASHES[place % len(DASHES)])
        entry = (
            [rf"\addlegendentry{{{latex(self.words[place])}\strut}}"] if place < self.count else []
        )
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
        return [r"\addlegendimage{empty legend}", rf"\addlegendentry{{and {left} more\strut}}"]

    def _plot(self, options: str, path: np.ndarray) -> str:
        return plot(options, _UNIT, path[:, 0], path[:, 1])
