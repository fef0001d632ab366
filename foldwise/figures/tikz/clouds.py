"""Folds in two measures with Gaussian contours, as PGFPlots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from foldwise.figures import text, theme
from foldwise.figures.ellipses import ellipse, gaussian_radius
from foldwise.figures.theme import DASHES, Style
from foldwise.figures.tikz.letters import comment, kept, latex, name_comments, printable
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
from foldwise.figures.tikz.scales import Scale, Ticks, plot
from foldwise.figures.tikz.words import Face, remark, shortened
from stats_core.core.errors import SettingError

#: Margins in px: right, top.
_RIGHT, _TOP = 12.0, 16.0
#: Between a contour and its name.
_GAP = 3.0


def clouds_tikz(
    clouds: Mapping[str, np.ndarray],
    *,
    x_title: str,
    y_title: str,
    levels: Sequence[float] = (0.5, 0.9),
    covariances: Mapping[str, np.ndarray] | None = None,
    width_in: float = 3.25,
    serif: bool = True,
    colour: bool = False,
    points: float = 8,
    title: str = "",
    colours: Mapping[str, str] | None = None,
) -> str:
    r"""Return each algorithm's folds, their mean and Gaussian contours, as PGFPlots.

    Parameters
    ----------
    clouds : mapping of algorithm to array, folds x 2
        Two measures per fold: x, then y.
    x_title, y_title : str
        Their names.
    levels : sequence of float
        Shares of folds that the contours hold.
    covariances : mapping of algorithm to 2 x 2 array, optional
        For the contours, such as a pooled one; by default each algorithm's own.
    width_in, serif, colour, points
        As :func:`foldwise.figures.theme.paper`.
    title : str
        Written above.
    colours : mapping of str, optional
        Colour per algorithm, by default :func:`foldwise.figures.theme.colours`. Marks tell algorithms
        apart in any case; without `colour` contours are dashed as well.

    Returns
    -------
    str
        A ``tikzpicture``; it needs the package pgfplots.

    Raises
    ------
    SettingError
        If there is no fold, a value that is not finite, or a share that is not between 0 and 1.

    Examples
    --------
    >>> folds = {"svm": np.array([[0.1, 0.8], [0.2, 0.9], [0.1, 0.9]])}
    >>> source = clouds_tikz(folds, x_title="fpr", y_title="tpr")
    >>> source.count("% contour of 90 %")
    1
    """
    _check(clouds, levels)
    shown = printable(clouds)
    tables = {shown[str(name)]: np.asarray(table, float) for name, table in clouds.items()}
    given = {shown[str(name)]: matrix for name, matrix in (covariances or {}).items()}
    rings = {name: _rings(table, given.get(name), levels) for name, table in tables.items()}
    style = theme.paper(width_in, serif=serif, colour=colour, points=points)
    view = _View(tables, rings, style)
    looks, definitions = pens(list(tables), hues_of(shown, colours, colour))
    wrote = {words: kept(words) for words in (x_title, y_title)}
    side, margin = (view.plot, view.height), (view.left, view.bottom)
    whole = [wrote[x_title], wrote[y_title]]
    axes = [
        view.face.shorten([words], room)[words] for words, room in zip(whole, side, strict=True)
    ]
    return picture(
        PGFPLOTS,
        [
            *name_comments({**shown, **wrote}),
            *view.scales[0].words("x"),
            *view.scales[1].words("y"),
            *shortened(view.short),
            *(
                remark(f"Along {axis}: {words}.")
                for axis, words, now in zip("xy", whole, axes, strict=True)
                if now != words
            ),
        ],
        [
            f"fw text/.style={{{text_style(view.face)}}}",
            "fw name/.style={fw text, inner sep=0.8bp, fill=white, fill opacity=0.75,"
            " text opacity=1}",
        ],
        (-view.left, -view.bottom, view.plot + _RIGHT, view.height + _TOP),
        [
            *definitions,
            r"\begin{axis}[",
            *(f"  {option}," for option in view.axis()),
            "]",
            *(line for i, name in enumerate(tables) for line in view.cloud(i, name, looks[name])),
            r"\end{axis}",
            *view.names(),
            *titles(*axes, side, margin, view.face),
        ],
        face=view.face,
        title=title,
    )


def _check(clouds: Mapping[str, np.ndarray], levels: Sequence[float]) -> None:
    """Refuse what cannot be drawn."""
    tables = [np.asarray(table, dtype=float) for table in clouds.values()]
    shapes = [table.shape for table in tables]
    if not shapes or any(len(s) != 2 or s[0] < 1 or s[1] != 2 for s in shapes):
        raise SettingError(
            "`clouds` must give every algorithm an array of one row per fold and two columns. "
            f"Shapes {text.listed(map(str, shapes), 4) or 'of none'} arrived. "
            "Choose two measures and at least one fold."
        )
    if not all(np.isfinite(table).all() for table in tables):
        raise SettingError(
            "`clouds` must hold finite values only. Some are missing or infinite. "
            "Drop those folds first."
        )
    if not all(0 < level < 1 for level in levels):
        raise SettingError(
            f"`levels` must be shares between 0 and 1. {list(levels)} arrived. Write 90 % as 0.9."
        )


def _rings(
    table: np.ndarray, covariance: np.ndarray | None, levels: Sequence[float]
) -> dict[float, np.ndarray]:
    """Return the contour of every level, innermost first."""
    if covariance is None:
        covariance = np.cov(table, rowvar=False) if len(table) > 1 else np.zeros((2, 2))
    centre = table.mean(axis=0)
    return {
        level: ellipse(centre, covariance, gaussian_radius(level)) for level in sorted(set(levels))
    }


class _View:
    """The window on two measures: the outer contours, all folds, and 7 % more."""

    def __init__(
        self,
        tables: Mapping[str, np.ndarray],
        rings: Mapping[str, Mapping[float, np.ndarray]],
        style: Style,
    ) -> None:
        self.tables, self.rings, self.style = tables, rings, style
        self.face = Face.of(style)
        every = [*tables.values(), *(ring for each in rings.values() for ring in each.values())]
        joined = np.concatenate(every)
        low, high = joined.min(axis=0), joined.max(axis=0)
        size = np.maximum(np.abs(high), 1e-3)
        pad = np.where(high - low > 1e-12 * size, 0.07 * (high - low), 0.05 * size)
        self.low, self.high = low - pad, high + pad
        self.scales = (Scale.of(self.low[0], self.high[0]), Scale.of(self.low[1], self.high[1]))
        self.bottom = below(self.face)
        self.height = (262 if len(tables) < 4 else 300) - _TOP - self.bottom
        self.y_ticks = Ticks.upwards(self.low[1], self.high[1], self.height, self.face)
        labels = (self.y_ticks.wide(label, self.face) for label in self.y_ticks.labels)
        self.left = 1.3 * self.face.px + max(labels, default=0) + 8
        self.plot = self.style.width - self.left - _RIGHT
        self.x_ticks = Ticks.along(self.low[0], self.high[0], self.plot, self.face, 0.0, _RIGHT)
        self.short = self.face.shorten(list(tables), 0.35 * self.style.width)

    def axis(self) -> list[str]:
        """Return the options of the axis."""
        ends = [
            f"{name}{end}={scale.write(side[i])}"
            for i, (name, scale) in enumerate(zip("xy", self.scales, strict=True))
            for end, side in (("min", self.low), ("max", self.high))
        ]
        return [
            f"width={bp(self.plot)}, height={bp(self.height)}",
            ", ".join(ends),
            *axis_options(self.style),
            "axis x line*=bottom, axis y line*=left",
            *self.x_ticks.options("x", self.scales[0]),
            *self.y_ticks.options("y", self.scales[1]),
        ]

    def cloud(self, place: int, name: str, pen: Pen) -> list[str]:
        """Return folds, contours and mean of one algorithm."""
        table, rings = self.tables[name], self.rings[name]
        dashes = "solid" if self.style.colour else DASHES[place % len(DASHES)]
        lines = [comment(name), self._plot(f"only marks, {pen.mark(place, 2.2)}", table)]
        for level, ring in rings.items():
            width = 0.9 if len(rings) > 1 and level == min(rings) else 0.6
            lines.append(f"% contour of {100 * level:g} %")
            lines.append(self._plot(f"no marks, {pen.line(width, dashes, edged=False)}", ring))
        cross = f"mark=+, mark size={bp(4)}, mark options={{draw=black, line width={bp(1)}}}"
        mean = table.mean(axis=0, keepdims=True)
        return [*lines, self._plot(f"only marks, {cross}", mean)]

    def _plot(self, options: str, table: np.ndarray) -> str:
        return plot(options, self.scales, table[:, 0], table[:, 1])

    def _px(self, table: np.ndarray) -> np.ndarray:
        """Return places in px from the lower left corner of the plot."""
        return (table - self.low) / (self.high - self.low) * (self.plot, self.height)

    def names(self) -> list[str]:
        """Write each name beside its outer contour, where it is farthest from everything else."""
        folds = {name: self._px(table) for name, table in self.tables.items()}
        outer = {
            name: self._px(rings[max(rings)]) if rings else folds[name]
            for name, rings in self.rings.items()
        }
        lines, placed = [], []
        for name, ring in outer.items():
            half = np.array([self.face.wide(self.short[name]), 1.1 * self.face.px]) / 2
            others = [every[n] for every in (outer, folds) for n in every if n != name] + placed
            middle = self._widest(ring, half, np.concatenate([folds[name], *others]))
            placed.append(_outline(middle, half))
            at = f"({number(middle[0])},{number(middle[1])})"
            lines.append(rf"\node[fw name, anchor=base] at {at} {{{latex(self.short[name])}}};")
        return lines

    def _widest(self, ring: np.ndarray, half: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Return the middle of a text beside `ring` with the widest gap to `others`.

        Texts lie on the outer side of the tangent, so that they do not cross their own contour.
        """
        edges = np.array([[0, 0], [self.plot, self.height]])
        best, widest = ring[0], -np.inf
        for point, outwards in zip(ring, _normals(ring), strict=True):
            middle = point + outwards * (np.abs(outwards) @ half + _GAP)
            inside = np.clip(middle, edges[0] + half, edges[1] + [_RIGHT, _TOP] - half)
            gap = np.hypot(*np.maximum(np.abs(others - inside) - half, 0).T).min()
            gap = min(gap, 3 * half[1]) - 2 * np.abs(inside - middle).sum()
            if gap > widest:
                best, widest = inside, gap
        return best


def _normals(ring: np.ndarray) -> np.ndarray:
    """Return the unit vectors that point outwards from a closed contour, or from single folds."""
    away = ring - ring.mean(axis=0)
    along = np.roll(ring, -1, axis=0) - np.roll(ring, 1, axis=0)
    normal = np.column_stack([along[:, 1], -along[:, 0]])
    normal = np.where((normal * away).sum(axis=1, keepdims=True) < 0, -normal, normal)
    normal = np.where(np.hypot(*normal.T)[:, None] > 1e-6, normal, away)
    length = np.hypot(*normal.T)[:, None]
    return np.where(length > 1e-6, normal / np.maximum(length, 1e-6), [0.0, 1.0])


def _outline(middle: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Return points that stand for a text: its corners and a line through it."""
    steps = np.linspace(-1, 1, 9)
    return np.array([middle + half * (x, y) for x in steps for y in (-1, 0, 1)])
