"""Scatter plots of folds on several measures, with Gaussian contours per algorithm."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import label_placement, text, theme, traces
from foldwise.figures.axis_parts import value_axis
from foldwise.figures.spec import (
    Colours,
    FigureSpec,
    cached_figure,
    coverage_text,
    figure_text,
    fold_labels,
)
from foldwise.figures.theme import DASHES, FADED, GREY, MARKERS, Style
from foldwise.figures.traces import NamedStyle
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.core.formatting import format_count, format_percent, measure_name
from stats_core.data.measures import MEASURES, known_name

Iso = Literal["none", "error", "F"]
Form = Literal["automatic", "together", "apart"]
Window = tuple[tuple[float, float], ...]
LEVELS = (0.5, 0.9)  # shares of folds inside the contours
_ISO = {("fpr", "tpr"): "error", ("recall", "precision"): "F", ("tpr", "precision"): "F"}
#: Largest number of measures in a matrix; more would make its panels too small.
_MOST_PANELS = 5
#: Largest number of algorithms drawn in one panel by default, and largest number of separate
#: panels.
_MOST_TOGETHER, MOST_APART = 5, 16
#: Largest number of names in the key of a matrix.
_MOST_IN_KEY = 12
#: Folds closer than this share of an axis are indistinguishable.
_SAME = 0.004
#: With more folds their marks are smaller.
_MANY_FOLDS = 40
#: Largest number of folds listed in the hover text of a mark.
_MOST_LISTED = 6
#: An algorithm stretches axes that are less than this share as long without it.
_STRETCHED = 0.5
_FAR = 1e9  # an end of the range of a measure without limits


@dataclass(frozen=True, kw_only=True, eq=False)
class Contours(FigureSpec):
    """Folds of each algorithm on several measures, their mean, and contours that contain given shares of the folds.

    Folds at the same position share a mark, whose area is proportional to their number. The
    customdata of a mark of one fold is its label, that of larger marks, contours, regions and means
    ``[algorithm]``. If too many algorithms share a panel for a colour each, only those with a
    colour have contours. From three measures on, the first five are drawn as the lower triangle of
    a scatter plot matrix, with the largest contour.

    Attributes
    ----------
    folds : mapping of algorithm to DataFrame
        One row per fold (the index its label), a column per measure; of two measures x, then y.
    covariances : mapping of algorithm to array, measure x measure
        Covariance of the folds; a singular one is drawn as a segment.
    levels : sequence of float
        Shares of folds that the contours contain.
    regions : mapping of algorithm to array, measure x measure, optional
        Matrix A of the region (mu - mean)' A^-1 (mu - mean) <= 1 of each mean, drawn as a thick
        outline, as returned by `OnMeasures.mean_region`.
    level : str
        Confidence level of the regions, as shown on hover.
    form : {"automatic", "together", "apart"}
        All algorithms in one panel, or one panel each, on common axes unless few algorithms stretch
        them; by default as decided by :func:`foldwise.figures.clouds.is_apart`.
    iso : {"none", "error", "F"}
        Lines of equal error over (fpr, tpr), or of equal F over (recall, precision).
    positive_share : float, optional
        Share of positive instances, for lines of equal error.
    unit : str
        Source of one result per algorithm: "fold" or "run".
    colours : mapping, optional
        Colour per algorithm; by default by position in `algorithms`, or in `folds`.
    algorithms, highlight : collection of str
        All algorithms, and those with a colour if there are many.
    selected : collection of str
        Folds that keep full opacity while the others fade.
    lit : collection of str
        Algorithms that keep full opacity while the others fade; all if empty.
    widened : bool
        Whether regions allow for training sets that overlap.
    how : str
        Key of the text on how to read the figure.
    """

    zoom: ClassVar[str] = "xy"
    folds: Mapping[str, pd.DataFrame]
    covariances: Mapping[str, np.ndarray]
    levels: Sequence[float] = LEVELS
    regions: Mapping[str, np.ndarray] | None = None
    level: str = "95%"
    form: Form = "automatic"
    iso: Iso = "none"
    positive_share: float | None = None
    unit: str = "fold"
    algorithms: Sequence[str] = ()
    highlight: Collection[str] = ()
    selected: Collection[str] = ()
    lit: Collection[str] = ()
    widened: bool = False
    how: str = "folds"

    def without_selection(self) -> Contours:
        """Return the figure without emphasis on selected folds and algorithms."""
        return replace(self, selected=(), lit=())

    @property
    def measures(self) -> list[str]:
        """Names of the measures drawn, not escaped."""
        return [str(name) for name in next(iter(self.folds.values())).columns[:_MOST_PANELS]]

    @cached_property
    def apart(self) -> bool:
        """Whether each algorithm has its own panel."""
        if len(self.measures) > 2 or self.form == "together":
            return False
        return self.form == "apart" or is_apart(self.folds, self.covariances)

    @property
    def crowded(self) -> bool:
        """Whether names without room are left out."""
        return not self.apart and len(self.folds) > MOST_APART

    @cached_property
    def coloured(self) -> list[str]:
        """The algorithms that have a colour of their own."""
        hues = self.colours or theme.colours(
            list(self.algorithms) or list(self.folds), self.highlight
        )
        return [name for name in self.folds if hues[name] != GREY]

    @cached_property
    def contoured(self) -> list[str]:
        """The algorithms that have contours: all with a panel of their own, else those with a colour."""
        return list(self.folds) if self.apart else self.coloured

    @property
    def drawn_levels(self) -> list[float]:
        """Ascending shares of folds inside the contours that are drawn."""
        return sorted(self.levels)[-1 if len(self.measures) > 2 else 0 :]

    @cached_property
    def stretching(self) -> list[str]:
        """Algorithms with their own axes, because on common axes all other algorithms would be small."""
        return stretching(self._extents) if self.apart else []

    @cached_property
    def _extents(self) -> dict[str, np.ndarray]:
        """Least and largest values of the folds, contours and regions of each algorithm, end x measure."""
        covariances = {name: self.covariances[name] for name in self.contoured}
        return extents(self.folds, covariances, self.levels, self.regions or {})

    @property
    def is_cut(self) -> bool:
        """Whether a contour or a region extends beyond a limit of a measure."""
        low, high = limits(self.measures)
        return any(
            (least < low).any() or (most > high).any() for least, most in self._extents.values()
        )

    def window(self, names: Collection[str]) -> Window:
        """Return padded axis ranges around folds, contours and regions of `names`, cut at limits of the measures."""
        low, high = limits(self.measures)
        points = np.clip([self._extents[name] for name in names], low, high)
        least, most = points.min(axis=(0, 1)), points.max(axis=(0, 1))
        pad = np.where(most > least, 0.07 * (most - least), 0.05 * np.maximum(np.abs(most), 1e-3))
        # Rates end near 0 and 1.
        ends = (
            np.maximum(least - pad, low - 0.02).tolist(),
            np.minimum(most + pad, high + 0.02).tolist(),
        )
        return tuple(zip(*ends, strict=True))

    @cached_property
    def ranges(self) -> Window:
        """Axis ranges for all algorithms except those in `stretching`, as returned by `window`."""
        stretching = self.stretching
        return self.window([name for name in self.folds if name not in stretching])

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        window = self.ranges
        cells = number_distinct_values(self.folds, window)
        panel = _CloudPanel(
            spec=self,
            style=style,
            pens=tuple(self._pens(style)),
            window=window,
            cells=cells,
            fig=go.Figure(),
        )
        return (_draw_matrix if len(window) > 2 else _draw_apart if self.apart else _draw_together)(
            panel
        )

    def _pens(self, style: Style) -> Iterator[NamedStyle]:
        """Yield the style of each algorithm; those not in `lit` fade if any is."""
        names, coloured = list(self.folds), self.coloured
        hues = self.colours or theme.colours(
            list(self.algorithms) or names, self.highlight, dark=style.dark
        )
        for i, name in enumerate(names):
            own = name in coloured
            colour = hues[name] if style.colour else style.ink if own else style.leader
            yield NamedStyle(
                name=name,
                colour=colour,
                fill=colour,
                symbol=MARKERS[i % 8 if own else 0],
                dash=DASHES[i % 6 if own and not style.colour else 0],
                strength=FADED if self.lit and name not in self.lit else 1.0,
                own=own,
            )

    def caption(self, style: Style) -> str:
        """Return the caption.

        Examples
        --------
        >>> folds = {"rf": pd.DataFrame({"fpr": [0.1, 0.1, 0.1], "tpr": [0.9, 0.9, 0.9]})}
        >>> Contours(folds=folds, covariances={"rf": np.zeros((2, 2))}, unit="run").caption(theme.screen())[-52:]
        'to the number of runs at the same point (at most 3).'
        """
        most = largest_place(self.folds, self.ranges) if len(self.measures) == 2 else 0
        contoured = self.contoured if self.levels else []
        is_part = len(contoured) < len(self.folds)
        has_lines = not self.apart and _iso_values(self.iso, self.ranges, self.positive_share)
        return self.describe(
            "clouds.caption",
            n=len(next(iter(self.folds.values()))),
            shares=[format_percent(share) for share in self.drawn_levels] if contoured else [],
            highlighted=is_part,
            cut=self.is_cut,
            level=self.level if self.regions else "",
            corrected=self.widened,
            most=most if most > 1 else 0,
            own=list(map(text.plain_text, self.stretching)),
            others=self.apart or bool(contoured and is_part),
            crowded=self.crowded,
            iso=self.iso if has_lines else "",
        )

    @property
    def data(self) -> pd.DataFrame:
        """The folds of all algorithms."""
        return pd.concat(self.folds, names=["algorithm", self.unit])

    @property
    def how_to_read(self) -> str:
        """Text on how to read the figure."""
        return self.describe(f"clouds.how_to_read_{self.how}")

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        means = [
            f"{text.plain_text(name)} ({', '.join(map(_three_digits, table.mean()))})"
            for name, table in self.folds.items()
        ]
        measures = [
            measure_name(text.plain_text(name)) for name in next(iter(self.folds.values())).columns
        ]
        values = {"unit": self.unit.capitalize(), "measures": measures, "n": len(self.folds)}
        return text.truncate_text(
            figure_text("clouds.alt", means=text.join_escaped(means, 8), **values)
        )


@cached_figure
def clouds_drawing(
    analysis: OnMeasures, *, regions: bool = False, pooled: bool = False, **options: Any
) -> Contours:
    """Return the figure of folds on several measures with contours and, if `regions`, confidence regions of means.

    `options` are fields of `Contours`, such as `levels` and `lit`.
    """
    spec = contours_drawing(analysis, pooled=pooled, **options)
    if not regions:
        return spec
    shapes = {name: analysis.mean_region(name, pooled=pooled) for name in spec.contoured}
    return replace(
        spec,
        regions={name: shape for name, shape in shapes.items() if shape is not None},
        level=coverage_text(analysis),
        widened=analysis.test_fraction is not None,
    )


@cached_figure(at_every_level=True)
def contours_drawing(analysis: OnMeasures, *, pooled: bool = False, **options: Any) -> Contours:
    """Return the figure of folds with contours of each algorithm's covariance, or of the pooled one if `pooled`."""
    iso = _ISO.get(analysis.measures, "none")
    spec = Contours(
        name=f"contours_{analysis.dataset}_{'_'.join(analysis.measures)}",
        title=f"{analysis.unit.capitalize()}s of {analysis.dataset} in {analysis.label}",
        folds={name: fold_labels(analysis.cloud(name)) for name in analysis.names},
        covariances={
            name: analysis.pooled if pooled else analysis.covariance(name)
            for name in analysis.names
        },
        iso=iso,
        positive_share=analysis.positive_share if iso == "error" else None,
        unit=analysis.unit,
        algorithms=analysis.results.algorithms,
        **options,
    )
    return replace(spec, name=f"{spec.name}_panels") if spec.apart else spec


def learned_folds(analysis: OnMeasures) -> dict[str, pd.DataFrame]:
    """Return the folds of each algorithm, projected on the first two discriminant measures."""
    model = analysis.learned
    columns = list(model.loadings.columns[:2])
    return {
        name: fold_labels(
            pd.DataFrame(model.scores[i][:, : len(columns)], index=analysis.folds, columns=columns)
        )
        for i, name in enumerate(analysis.names)
    }


@cached_figure(at_every_level=True)
def learned_drawing(analysis: OnMeasures, *, colours: Colours = None) -> Contours | None:
    """Return the scatter plot of folds on two discriminant measures; None if there is only one."""
    if analysis.learned.loadings.shape[1] < 2:
        return None
    folds = learned_folds(analysis)
    return Contours(
        name=f"learned_{analysis.dataset}",
        title=figure_text(
            "clouds.title_learned", unit=analysis.unit.capitalize(), dataset=analysis.dataset
        ),
        folds=folds,
        covariances={name: np.cov(table.to_numpy(), rowvar=False) for name, table in folds.items()},
        unit=analysis.unit,
        colours=colours,
        algorithms=analysis.results.algorithms,
        how="learned",
    )


def is_apart(folds: Mapping[str, pd.DataFrame], covariances: Mapping[str, np.ndarray]) -> bool:
    """Return whether each algorithm gets its own panel by default.

    True for six to sixteen algorithms, and for three to five if the means of most lie inside the
    50% contour of another algorithm, or if one algorithm stretches common axes.
    """
    names = list(folds)
    if not 2 < len(names) <= MOST_APART:
        return False
    if len(names) > _MOST_TOGETHER or stretching(extents(folds, covariances, LEVELS, {})):
        return True
    centres = np.array([table.to_numpy(dtype=float).mean(axis=0) for table in folds.values()])
    inverse = np.array([np.linalg.pinv(covariances[name], hermitian=True) for name in names])
    offsets = centres[:, None] - centres
    distances = (offsets[:, :, None] @ inverse @ offsets[..., None])[..., 0, 0]
    inside = distances < traces.gaussian_radius(0.5) ** 2
    return int((inside & ~np.eye(len(names), dtype=bool)).any(axis=1).sum()) > len(names) / 2


def limits(measures: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the largest possible value of each measure: 0 and 1 for rates, else -1e9 and 1e9."""
    rates = np.array([_is_rate(name) for name in measures])
    return np.where(rates, 0.0, -_FAR), np.where(rates, 1.0, _FAR)


def extents(
    folds: Mapping[str, pd.DataFrame],
    covariances: Mapping[str, np.ndarray],
    levels: Sequence[float],
    regions: Mapping[str, np.ndarray],
) -> dict[str, np.ndarray]:
    """Return the ends of each algorithm's folds, contours (of given covariances) and region, end x measure."""
    outer, ends = traces.gaussian_radius(max(levels, default=0.0)) ** 2, {}
    for name, table in folds.items():
        values = table.to_numpy(dtype=float)[:, :_MOST_PANELS]
        shapes = [outer * covariances[name]] if name in covariances else []
        shapes += [regions[name]] if name in regions else []
        squares = [
            np.zeros(values.shape[1]),
            *(np.diag(shape)[: values.shape[1]] for shape in shapes),
        ]
        half, mean = np.sqrt(np.max(squares, axis=0)), values.mean(axis=0)
        least, most = (
            np.minimum(values.min(axis=0), mean - half),
            np.maximum(values.max(axis=0), mean + half),
        )
        ends[name] = np.array([least, most])
    return ends


def stretching(ends: Mapping[str, np.ndarray]) -> list[str]:
    """Return the algorithms, at most a third, without which a common axis is less than half as long."""

    def lengths(names: Collection[str]) -> np.ndarray:
        return np.ptp(np.concatenate([ends[name] for name in names]), axis=0)

    left, apart = list(ends), []
    while len(left) > 2 and 3 * (len(apart) + 1) <= len(ends):
        whole = np.maximum(lengths(left), 1 / _FAR)
        shares = {name: (lengths([n for n in left if n != name]) / whole).min() for name in left}
        name = min(shares, key=shares.__getitem__)
        if shares[name] >= _STRETCHED:
            break
        left.remove(name)
        apart.append(name)
    return apart


def number_distinct_values(
    folds: Mapping[str, pd.DataFrame], window: Window
) -> dict[str, np.ndarray]:
    """Return cell numbers by algorithm, fold x measure; values too close to be distinguished share a cell."""
    values = np.concatenate([table.to_numpy(dtype=float) for table in folds.values()])
    cells = np.column_stack([_cells(values[:, i], ends) for i, ends in enumerate(window)])
    ends = np.cumsum([len(table) for table in folds.values()])[:-1]
    return dict(zip(folds, np.split(cells, ends), strict=True))


def _cells(values: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    """Return the cell number of each value."""
    width, cells = _SAME * (ends[1] - ends[0]), np.zeros(len(values), dtype=int)
    start, cell = -math.inf, -1
    for index in np.argsort(values, kind="stable"):
        if values[index] > start + width:
            start, cell = values[index], cell + 1
        cells[index] = cell
    return cells


def largest_place(folds: Mapping[str, pd.DataFrame], window: Window) -> int:
    """Return the largest number of folds of one algorithm at one position."""
    cells = number_distinct_values(folds, window).values()
    return max(int(np.unique(numbers, axis=0, return_counts=True)[1].max()) for numbers in cells)


def _is_rate(name: str) -> bool:
    """Return whether a measure lies in [0, 1] by definition; False for an unknown one."""
    measure = MEASURES.get(known_name(name))
    return measure is not None and measure.rate


def _three_digits(value: float) -> str:
    """Return a number with three significant digits and U+2212 as minus sign."""
    return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _CloudPanel:
    """Scatter plot of two measures in one subplot."""

    spec: Contours
    style: Style
    pens: tuple[NamedStyle, ...]
    window: Window  # of all measures
    cells: Mapping[str, np.ndarray]
    fig: go.Figure
    measures: tuple[int, int] = (0, 1)  # positions of x and y
    subplot: Mapping[str, int] = field(default_factory=dict)
    small: bool = False  # whether marks are small

    @property
    def names(self) -> list[str]:
        """Names of the algorithms drawn."""
        return [pen.name for pen in self.pens]

    def values(self, name: str) -> np.ndarray:
        """Return the folds of an algorithm on both measures, fold x measure."""
        return self.spec.folds[name].to_numpy(dtype=float)[:, self.measures]

    def mean(self, name: str) -> np.ndarray:
        """Return the mean of an algorithm's folds on both measures."""
        return self.values(name).mean(axis=0)

    def by_appearance(self) -> list[list[NamedStyle]]:
        """Return the styles grouped by appearance, grey ones first."""
        groups: dict[tuple, list[NamedStyle]] = {}
        for pen in self.pens:
            groups.setdefault((pen.own, pen.colour, pen.symbol, pen.dash, pen.strength), []).append(
                pen
            )
        return sorted(groups.values(), key=lambda group: group[0].own)

    def rings(self, pen: NamedStyle) -> Iterator[tuple[str, float, list[np.ndarray], str]]:
        """Yield name, width, points and hover text of the contours and the region, cut at limits of the measures."""
        spec, style, levels = self.spec, self.style, self.spec.drawn_levels
        usual, thick = (
            style.px(1.2, 0.6),
            style.px(2.6, 1.4) if spec.regions else style.px(1.8, 0.9),
        )
        drawn = [
            (
                format_percent(level),
                usual if spec.regions or level == levels[-1] else thick,
                traces.gaussian_radius(level) ** 2 * spec.covariances[pen.name],
                f"contains {format_percent(level)} of {spec.unit}s",
            )
            for level in levels
        ]
        if pen.name in (spec.regions or ()):
            hover = figure_text("clouds.hover_region", level=spec.level)
            drawn.append(("region", thick, spec.regions[pen.name], hover))
        bounds = [ends[list(self.measures)] for ends in limits(spec.measures)]
        for name, width, shape, hover in drawn:
            ring = traces.ellipse(self.mean(pen.name), shape[np.ix_(self.measures, self.measures)])
            yield name, width, traces.cut_ring(_rounded(ring), *bounds), hover

    def draw_iso(self) -> None:
        """Draw lines of equal error or of equal F."""
        style = self.style
        for name, x, y, label in _iso_lines(self.spec.iso, self.window, self.spec.positive_share):
            traces.add_line(self.fig, x, y, name, style.leader, style.px(0.8, 0.5))
            if label:
                words, *position, anchor, shift = label
                font = (0.9 * style.tick_size, style.second)
                traces.add_text(self.fig, words, *position, *font, anchor=anchor, shift=shift)

    def draw_folds(self) -> None:
        """Draw the folds, then contours and regions; with a selection, other folds are faded, selected ones on top.

        Algorithms that share a position are drawn as nested marks, whose visible areas are
        proportional to their numbers of folds.
        """
        groups, style = self.folds_by_position(), self.style
        is_strong = groups["strong"]
        largest, usual = (
            (style.px(18, 10), style.px(5, 3))
            if self.small
            else (style.px(26, 15), style.px(8, 4.5))
        )
        scale = 1.0 if len(self.values(self.names[0])) <= _MANY_FOLDS else 0.7
        size = min(scale * usual, largest / groups["within"].max() ** 0.5)
        edge = (style.px(0.8, 0.5), "")
        fill = "light" if style.colour else style.blank
        if is_strong.all():
            self._marks(groups, size, fill, edge, 1.0)
            self.draw_rings()
        else:
            self._marks(groups[~is_strong], size, fill, edge, FADED)
            self.draw_rings()
            self._marks(groups[is_strong], style.px(9, 5), "", (style.px(1, 0.6), style.ink), 1.0)

    def draw_rings(self) -> None:
        """Draw the contours of the folds and the regions of the means, a trace for each."""
        contoured = set(self.spec.contoured)
        for pen in self.pens:
            for name, width, pieces, hover in self.rings(pen) if pen.name in contoured else ():
                points = [point for piece in pieces for point in (*piece.tolist(), (None, None))][
                    :-1
                ]
                self.fig.add_scatter(
                    name=f"{text.escape(pen.name)} {name}",
                    x=[x for x, _ in points],
                    y=[y for _, y in points],
                    opacity=pen.strength,
                    customdata=[[pen.name]] * len(points),
                    meta="algorithm",
                    hovertext=f"<b>{text.escape(pen.name)}</b><br>{hover}<br>{traces.click_hint('algorithm')}",
                    hoverinfo="text",
                    line={"color": pen.colour, "width": width, "dash": pen.dash},
                    **traces.line_click_mode(self.style),
                    **self.subplot,
                )

    def draw_means(self, *, small: bool = False) -> None:
        """Draw outlined crosses at the means of the panel's algorithms with contours, thin ones at the other means."""
        style, scale = self.style, 0.7 if small else 1.0
        size, line = scale * style.px(13, 8), style.px(1.8, 1)
        halo = (size + scale * style.px(3, 1.8), line + scale * style.px(4, 2.4), style.page)
        named = (set(self.spec.contoured) or set(self.names)) & set(self.names)
        if others := [name for name in self.spec.folds if name not in named]:
            self.draw_crosses(
                others, style.px(8, 5), style.px(1.2, 0.7), style.leader, name="other means"
            )
        for strength in (FADED, 1.0):
            names = [
                pen.name for pen in self.pens if pen.strength == strength and pen.name in named
            ]
            if names:
                self._crosses(names, *halo, name="halo", opacity=strength, hoverinfo="skip")
                self.draw_crosses(names, size, line, style.ink, name="means", opacity=strength)

    def draw_crosses(
        self, names: Sequence[str], size: float, width: float, colour: str, **options: Any
    ) -> None:
        """Draw a thin clickable cross at the mean of each algorithm in `names`."""
        hint = traces.click_hint("algorithm")
        hover_text = [
            f"<b>{text.escape(name)}, mean</b><br>{x:.4g}, {y:.4g}<br>{hint}"
            for name, (x, y) in zip(names, map(self.mean, names), strict=True)
        ]
        clicks = {"customdata": [[name] for name in names], "meta": "algorithm"}
        self._crosses(
            names, size, width, colour, hovertext=hover_text, hoverinfo="text", **clicks, **options
        )

    def _crosses(
        self, names: Sequence[str], size: float, width: float, colour: str, **options: Any
    ) -> None:
        x, y = np.array([self.mean(name) for name in names]).T.tolist()
        marker = {
            "symbol": "cross-thin",
            "opacity": 1,
            "size": size,
            "line": {"width": width, "color": colour},
        }
        self.fig.add_scatter(x=x, y=y, mode="markers", marker=marker, **options, **self.subplot)

    def folds_by_position(self) -> pd.DataFrame:
        """Return a row per emphasis, position and algorithm, with the folds there, in the order of drawing."""
        labels = [str(label) for name in self.names for label in self.spec.folds[name].index]
        selected = {str(label) for label in self.spec.selected} & set(labels)
        x, y = np.concatenate([self.values(name) for name in self.names]).T
        column, row = np.concatenate([self.cells[name][:, self.measures] for name in self.names]).T
        rows = pd.DataFrame(
            {
                "owner": [name for name in self.names for _ in self.spec.folds[name].index],
                "label": labels,
                "x": x,
                "y": y,
                "column": column,
                "row": row,
                "strong": [not selected or label in selected for label in labels],
            }
        )
        position = ["strong", "column", "row"]
        centre = rows.groupby(position)[["x", "y"]].transform("mean")
        rows[["x", "y"]] = centre.where(rows.duplicated(position, keep=False), rows[["x", "y"]])
        groups = rows.groupby([*position, "owner"], sort=False, as_index=False).agg(
            x=("x", "first"), y=("y", "first"), labels=("label", list), n=("label", "size")
        )
        groups = groups.sort_values("n", kind="stable")
        groups["within"] = groups.groupby(position)["n"].cumsum()
        groups["layer"] = groups.groupby(position).cumcount(ascending=False)
        return groups.sort_values(["strong", "layer"], kind="stable")

    def _marks(
        self, rows: pd.DataFrame, size: float, fill: str, edge: tuple[float, str], strength: float
    ) -> None:
        """Draw marks of folds; "" as fill or edge colour means the colour of the algorithm, "light" a paler one."""
        styles = self.by_appearance()
        index_of = {pen.name: index for index, pens in enumerate(styles) for pen in pens}
        keys = [
            "layer",
            rows["owner"].map(index_of).rename("look"),
            (rows["n"] == 1).rename("single"),
        ]
        for (_, index, single), part in rows.groupby(keys):
            pens = styles[index]
            colour = pens[0].colour
            traces.add_points(
                self.fig,
                part["x"].to_list(),
                part["y"].to_list(),
                text.escape(pens[0].name) if len(pens) == 1 else "others",
                (size * np.sqrt(part["within"])).round(2).to_list(),
                pens[0].symbol,
                theme.light_fill(colour, self.style) if fill == "light" else fill or colour,
                edge=(edge[0], edge[1] or colour),
                opacity=min(strength, pens[0].strength),
                **self._hover_options(part, pens, bool(single)),
                **self.subplot,
            )

    def _hover_options(
        self, rows: pd.DataFrame, pens: Sequence[NamedStyle], single: bool
    ) -> dict[str, Any]:
        """Return hover text, customdata and meta of marks for single folds or for algorithms."""
        kind, unit = "fold" if single else "algorithm", self.spec.unit
        hint = traces.click_hint(kind, noun=unit if single else "")
        x_name, y_name = (text.escape(measure_name(self.spec.measures[i])) for i in self.measures)
        heads, full = [], []
        for owner, x, y, labels, n in rows[["owner", "x", "y", "labels", "n"]].itertuples(
            index=False
        ):
            name, tail = text.escape(owner), f"{x_name} {x:.4g}, {y_name} {y:.4g}"
            if single:
                heads.append(f"{name}, {unit} {text.escape(labels[0])}")
            else:
                heads.append(f"{format_count(n, unit)} of {name} here")
                tail += f"<br>{text.escape(text.join_escaped(labels, _MOST_LISTED))}"
            full.append(f"<b>{heads[-1]}</b><br>{tail}<br>{hint}")
        shared = f"<b>%{{hovertext}}</b><br>%{{x:.4~g}}, %{{y:.4~g}}<br>{hint}<extra></extra>"
        short = {"hovertemplate": shared} if len(pens) > 1 else {}
        return {
            "hover_text": heads if short else full,
            "customdata": rows["labels"].str[0].to_list()
            if single
            else [[owner] for owner in rows["owner"]],
            "meta": kind,
            **short,
        }


def _draw_together(panel: _CloudPanel) -> go.Figure:
    """Return the figure with all algorithms in one panel, their names next to their contours."""
    style, spec = panel.style, panel.spec
    right = style.px(64, 44) if spec.iso == "error" else style.px(20, 12)
    margin = {"l": style.px(58, 38), "r": right, "t": style.px(26, 16), "b": style.px(46, 32)}
    height = style.px(440, 262) if len(spec.folds) < 4 else style.px(520, 300)
    panel = replace(panel, fig=theme.new_figure(style, height, margin=margin))
    panel.draw_iso()
    panel.draw_folds()
    panel.draw_means()
    _write_names(panel)
    x_name, y_name = (text.escape(measure_name(name)) for name in spec.measures)
    panel.fig.update_xaxes(title=x_name, **value_axis(*panel.window[0], 7))
    panel.fig.update_yaxes(title=y_name, **value_axis(*panel.window[1], 7))
    return panel.fig


def _draw_matrix(panel: _CloudPanel) -> go.Figure:
    """Return the figure with every pair of measures, in the lower triangle of a matrix of panels.

    The key in the corner holds the first `_MOST_IN_KEY` algorithms.
    """
    style, n_columns = panel.style, len(panel.window) - 1
    axes = [value_axis(*ends, 3) for ends in panel.window]
    side = style.px(220, max(90, style.width / n_columns))
    fig = theme.new_figure(
        style, side * n_columns + 60, margin={"l": 58, "r": 20, "t": 30, "b": 46}
    )
    spacing = {"horizontal_spacing": 0.03, "vertical_spacing": 0.03}
    fig.set_subplots(n_columns, n_columns, shared_xaxes=True, shared_yaxes=True, **spacing)
    titles = [text.escape(measure_name(name)) for name in panel.spec.measures]
    for row in range(1, n_columns + 1):
        for column in range(n_columns):
            subplot = {"row": row, "col": column + 1}
            if column >= row:
                fig.update_xaxes(visible=False, **subplot).update_yaxes(visible=False, **subplot)
                continue
            plane = replace(panel, fig=fig, measures=(column, row), subplot=subplot, small=True)
            plane.draw_folds()
            plane.draw_means()
            fig.update_xaxes(
                title=titles[column] if row == n_columns else None, **axes[column], **subplot
            )
            fig.update_yaxes(title=titles[row] if column == 0 else None, **axes[row], **subplot)
    signs = dict(zip(MARKERS, "●■◆✚✖▲★⬢", strict=True))
    for position, pen in enumerate(panel.pens[:_MOST_IN_KEY]):
        # The mark comes last because its font may be wider than measured.
        words = (
            f'{text.escape(pen.name)} <span style="color:{pen.colour}">{signs[pen.symbol]}</span>'
        )
        at = {
            "refs": "paper, paper",
            "anchor": "right, top",
            "shift": (0, -1.5 * style.size * position),
        }
        traces.add_text(fig, words, 1, 1, style.size, **at)
    return fig


def _draw_apart(panel: _CloudPanel) -> go.Figure:
    """Return the figure with a panel for each algorithm, and the means of the others in grey.

    Algorithms that would stretch common axes too far (`Contours.stretching`) have their own axes.
    """
    style, pens, stretching = panel.style, panel.pens, panel.spec.stretching
    count, most = len(pens), max(2, int(style.width // style.px(300, 156)))
    columns = -(-count // -(-count // most))  # such that rows are as even as possible
    rows = -(-count // columns)
    margin = {
        "l": style.px(58, 42),
        "r": style.px(20, 10),
        "t": style.px(30, 18),
        "b": style.px(46, 32),
    }
    side, row_gap, column_gap = style.px(230, 112), style.px(32, 18), style.px(16, 10)
    if stretching:  # numbers at every panel
        row_gap, column_gap = row_gap + 1.5 * style.tick_size, column_gap + 2.2 * style.tick_size
    height = rows * side + (rows - 1) * row_gap
    width = style.width - margin["l"] - margin["r"]
    fig = theme.new_figure(style, height + margin["t"] + margin["b"], margin=margin)
    fig.set_subplots(
        rows, columns, horizontal_spacing=column_gap / width, vertical_spacing=row_gap / height
    )
    panel_width = (width - (columns - 1) * column_gap) / columns
    titles = [text.escape(measure_name(name)) for name in panel.spec.measures]
    suffix = {
        name: figure_text("clouds.own_axes") if name in stretching else "" for name in panel.names
    }
    widest = text.widest(suffix.values(), style.size, style.serif)
    short = text.shorten(
        panel.names, panel_width - 2 * style.size - widest, style.size, serif=style.serif
    )
    common = next(i for i, name in enumerate(panel.names) if name not in stretching)
    for position, pen in enumerate(pens):
        subplot = {"row": position // columns + 1, "col": position % columns + 1}
        single = replace(
            panel, pens=(replace(pen, dash=DASHES[0]),), fig=fig, subplot=subplot, small=True
        )
        single.draw_folds()
        single.draw_means(small=True)
        own = pen.name in stretching
        for update, ends, title, letter, is_outer in zip(
            (fig.update_xaxes, fig.update_yaxes),
            panel.spec.window([pen.name]) if own else panel.window,
            titles,
            "xy",
            (position + columns >= count, position % columns == 0),
            strict=True,
        ):
            match = (
                {}
                if own or position == common
                else {"matches": f"{letter}{common + 1 if common else ''}"}
            )
            shown = {
                "title": title if is_outer else None,
                "showticklabels": is_outer or bool(stretching),
            }
            update(**shown, **value_axis(*ends, style.px(5, 4)), **match, **subplot)
        at = {
            "refs": "x domain, y domain",
            "anchor": "left, bottom",
            "shift": (None, style.px(2, 1)),
            **subplot,
        }
        words = text.escape(short[pen.name] + suffix[pen.name])
        traces.add_text(
            fig,
            words,
            0,
            1,
            style.size,
            pen.colour if pen.own else style.ink,
            opacity=pen.strength,
            **at,
        )
    for position in range(count, rows * columns):
        unused = {"row": position // columns + 1, "col": position % columns + 1}
        fig.update_xaxes(visible=False, **unused).update_yaxes(visible=False, **unused)
    return fig


#: Distances of a name from the mean, in radii of its contour; beyond the second with a leader line.
_OUT = np.array((1.0, 1.12, 1.3, 1.55, 1.85, 2.2))
_DIRECTIONS = 24
#: Offset from the centre from which a name is placed to the side of its contour, in half widths.
_OFF_CENTRE = 0.35
#: Costs of a name that leaves the plot, covers another name, covers a mark, or a contour point.
_OUTSIDE, _TOUCHING, _MARK, _RING = 1000.0, 60.0, 12.0, 0.4
#: Largest number of names beside contours; the others appear on hover only.
_MOST_NAMED = 20


def _write_names(panel: _CloudPanel) -> None:
    """Write names next to contours or means, of coloured algorithms or, if none is, of the first `_MOST_NAMED`.

    Far names get leader lines. In a crowded panel, names without room are left out.
    """
    style, fig, margin = panel.style, panel.fig, panel.fig.layout.margin
    pens = {
        pen.name: pen for pen in [pen for pen in panel.pens if pen.own] or panel.pens[:_MOST_NAMED]
    }
    names = list(pens)
    plane = label_placement.Plane(
        x=panel.window[0],
        y=panel.window[1],
        width=style.width - margin.l - margin.r,
        height=fig.layout.height - margin.t - margin.b,
    )
    circle = style.px(11, 6) * np.exp(2j * np.pi * np.arange(24) / 24).view(float).reshape(-1, 2)
    drawn = {name: [plane.px(panel.mean(name)[None]) + circle] for name in names}
    for name in names if panel.spec.levels and panel.spec.contoured else ():
        drawn[name] = [
            plane.px(piece) for _, _, pieces, _ in panel.rings(pens[name]) for piece in pieces
        ]
    rings = {name: max(pieces, key=np.ptp) for name, pieces in drawn.items()}
    means = [panel.mean(name)[None] for name in names]
    clearance = style.px(4, 2.5)
    # names without room are left out if there are many algorithms
    costs = {} if panel.spec.crowded else {"outside": _OUTSIDE, "touching": _TOUCHING}
    board = label_placement.PlacementBoard(
        plane.width,
        plane.height,
        clearance=clearance,
        squeezes=label_placement.width_scales(style),
        **costs,
    )
    marked = panel.names if panel.spec.crowded else names
    marks = plane.px(np.concatenate([*map(panel.values, marked), *means]))
    board.draw(marks, cost=math.inf if panel.spec.crowded else _MARK, clearance=clearance)
    lines = {
        name: label_placement.join_points(map(label_placement.points_along, pieces))
        for name, pieces in drawn.items()
    }
    board.draw(lines, cost=_RING, clearance=style.px(12, 7))
    board.draw(label_placement.join_points(lines.values()), cost=_RING)
    for annotation in fig.layout.annotations:
        board.take(label_placement.annotation_box(annotation, plane, style))
    shown = text.shorten(names, 0.35 * style.width, style.size, serif=style.serif)
    labels = {
        name: board.put(_around(rings[name], label_placement.text_size(words, style)), name)
        for name, words in shown.items()
    }
    for name, label in labels.items():
        if label is None:
            continue
        font = {"size": style.size, "color": pens[name].colour if pens[name].own else style.ink}
        label_placement.add_annotations(
            fig, [label_placement.annotation_at(shown[name], label, plane, style, font=font)]
        )


def _around(ring: np.ndarray, size: tuple[float, float]) -> label_placement.Candidates:
    """Return candidate positions of a name around a contour."""
    low, high = ring.min(axis=0), ring.max(axis=0)
    centre, half = (low + high) / 2, np.maximum((high - low) / 2, 1e-12)
    indices = np.unique(np.linspace(0, len(ring) - 1, _DIRECTIONS).astype(int))
    factors = np.repeat(_OUT, len(indices))
    points = np.tile(ring[indices], (len(_OUT), 1))
    from_centre = points - centre
    is_far = np.abs(from_centre / half) > _OFF_CENTRE
    offset = np.sign(from_centre) * is_far * (np.array(size) / 2)
    offset[:, 1][(offset == 0).all(axis=1)] = size[1] / 2
    offset += (factors - 1)[:, None] * from_centre
    return label_placement.Candidates.of(points, offset, size, 8 * (factors - 1), factors > _OUT[1])


def _iso_values(iso: str, window: Window, share: float | None) -> list[float]:
    """Return the values of error or F whose lines are drawn, at most eight; [] for none, or error without `share`."""
    if iso not in ("error", "F") or (iso == "error" and not share):
        return []
    (x0, x1), (y0, y1) = window
    if iso == "error":
        corners = [share * (1 - y) + (1 - share) * x for x in (x0, x1) for y in (y0, y1)]
    else:
        corners = [2 * x * y / (x + y) for x in (max(x0, 0.01), x1) for y in (max(y0, 0.01), y1)]
    low, high = max(min(corners), 0), max(corners)
    span = high - low
    if span <= 0:
        return []
    power = 10 ** np.floor(np.log10(span))
    steps = [power * factor / 10 for factor in (1, 2, 2.5, 5, 10, 20, 25, 50)]
    step = next(step for step in steps if span / step <= 7)
    first = np.ceil(low / step)
    return [float(k * step) for k in np.arange(first, np.floor(high / step) + 1) if k > 0]


def _iso_lines(
    iso: str, window: Window, share: float | None
) -> Iterator[tuple[str, list, list, tuple | None]]:
    """Yield name, x, y and label of each line; a label is text, x, y, anchor and shift, or None without room.

    On a line of equal error, share (1 - tpr) + (1 - share) fpr is constant.
    """
    (x0, x1), (y0, y1) = window[:2]
    for position, value in enumerate(_iso_values(iso, window, share)):
        if iso == "error":
            ends = [1 - (value - (1 - share) * x) / share for x in (x0, x1)]
            words = f"{'' if position else 'error '}{100 * value:.3g}%"
            top_x = ((y1 - 1) * share + value) / (1 - share)
            label = None
            if y0 <= ends[1] <= y1:
                label = (words, x1, ends[1], "left, middle", (4, 0))
            elif ends[1] > y1 and x0 <= top_x <= x1:
                label = (words, top_x, y1, "center, bottom", (0, 3))
            yield "iso-error", [x0, x1], ends, label
            continue
        x = np.linspace(max(x0, value / 2 + 1e-3), x1, 60)
        y = value * x / (2 * x - value)
        inside = (y >= y0) & (y <= y1)
        if inside.sum() > 1:
            x, y = x[inside].tolist(), y[inside].tolist()
            yield "iso-F", x, y, (f"F {value:.3g}", x[-1], y[-1], "right, bottom", (None, None))


def _rounded(ring: np.ndarray) -> np.ndarray:
    """Return points rounded to 1e-4 of their extent, which halves the size of the JSON."""
    extent = float(np.ptp(ring, axis=0).max())
    return ring.round(4 - math.floor(math.log10(extent))) if extent > 0 else ring
