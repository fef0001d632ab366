"""Scatter plots of folds on several measures, with Gaussian contours per algorithm."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, TypedDict, Unpack

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import value_axis
from foldwise.figures.label_placement import (
    Candidates,
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    annotation_box,
    join_points,
    points_along,
    text_size,
    width_scales,
)
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
_ISO: dict[tuple[str, ...], Iso] = {
    ("fpr", "tpr"): "error",
    ("recall", "precision"): "F",
    ("tpr", "precision"): "F",
}
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


class Subplot(TypedDict, total=False):
    """Row and column of a subplot; empty in a figure without subplots."""

    row: int
    col: int


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
        names = list(self.algorithms) or list(self.folds)
        hues = self.colours or theme.colours(names, self.highlight)
        return [name for name in self.folds if hues[name] != GREY]

    @cached_property
    def contoured(self) -> list[str]:
        """The algorithms that have contours: all with a panel of their own, else those with a colour."""
        return list(self.folds) if self.apart else self.coloured

    @property
    def drawn_levels(self) -> list[float]:
        """Ascending shares of folds inside the contours that are drawn."""
        levels = sorted(self.levels)
        return levels[-1:] if len(self.measures) > 2 else levels

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
        least = points.min(axis=(0, 1))
        most = points.max(axis=(0, 1))
        pad = np.where(most > least, 0.07 * (most - least), 0.05 * np.maximum(np.abs(most), 1e-3))
        # Rates end near 0 and 1.
        starts = np.maximum(least - pad, low - 0.02).tolist()
        ends = np.minimum(most + pad, high + 0.02).tolist()
        return tuple(zip(starts, ends, strict=True))

    @cached_property
    def ranges(self) -> Window:
        """Axis ranges for all algorithms except those in `stretching`, as returned by `window`."""
        stretching = self.stretching
        return self.window([name for name in self.folds if name not in stretching])

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        window = self.ranges
        panel = _CloudPanel(
            spec=self,
            style=style,
            pens=tuple(self._pens(style)),
            window=window,
            cells=number_distinct_values(self.folds, window),
            fig=go.Figure(),
        )
        if len(window) > 2:
            return _draw_matrix(panel)
        return _draw_apart(panel) if self.apart else _draw_together(panel)

    def _pens(self, style: Style) -> Iterator[NamedStyle]:
        """Yield the style of each algorithm; those not in `lit` fade if any is."""
        every = list(self.algorithms) or list(self.folds)
        hues = self.colours or theme.colours(every, self.highlight, dark=style.dark)
        for i, name in enumerate(self.folds):
            own = name in self.coloured
            without_colour = style.ink if own else style.leader
            colour = hues[name] if style.colour else without_colour
            is_dashed = own and not style.colour
            yield NamedStyle(
                name=name,
                colour=colour,
                fill=colour,
                symbol=MARKERS[i % len(MARKERS)] if own else MARKERS[0],
                dash=DASHES[i % len(DASHES)] if is_dashed else DASHES[0],
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
        columns = next(iter(self.folds.values())).columns
        alt = figure_text(
            "clouds.alt",
            means=text.join_escaped(means, 8),
            unit=self.unit.capitalize(),
            measures=[measure_name(text.plain_text(name)) for name in columns],
            n=len(self.folds),
        )
        return text.truncate_text(alt)


class CloudOptions(TypedDict, total=False):
    """Fields of `Contours` that a page or a report sets."""

    levels: Sequence[float]
    form: Form
    highlight: Collection[str]
    colours: Colours
    selected: Collection[str]
    lit: Collection[str]


@cached_figure
def clouds_drawing(
    analysis: OnMeasures,
    *,
    regions: bool = False,
    pooled: bool = False,
    **options: Unpack[CloudOptions],
) -> Contours:
    """Return the figure of folds on several measures with contours and, if `regions`, confidence regions of means."""
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
def contours_drawing(
    analysis: OnMeasures, *, pooled: bool = False, **options: Unpack[CloudOptions]
) -> Contours:
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
    folds = {}
    for name, scores in zip(analysis.names, model.scores, strict=True):
        table = pd.DataFrame(scores[:, : len(columns)], index=analysis.folds, columns=columns)
        folds[name] = fold_labels(table)
    return folds


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
    np.fill_diagonal(inside, False)
    n_inside_others = int(inside.any(axis=1).sum())
    return n_inside_others > len(names) / 2


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
    outer = traces.gaussian_radius(max(levels, default=0.0)) ** 2
    ends = {}
    for name, table in folds.items():
        values = table.to_numpy(dtype=float)[:, :_MOST_PANELS]
        n_measures = values.shape[1]
        squares = [np.zeros(n_measures)]
        if name in covariances:
            squares.append(outer * np.diag(covariances[name])[:n_measures])
        if name in regions:
            squares.append(np.diag(regions[name])[:n_measures])
        half_widths = np.sqrt(np.max(squares, axis=0))
        mean = values.mean(axis=0)
        least = np.minimum(values.min(axis=0), mean - half_widths)
        most = np.maximum(values.max(axis=0), mean + half_widths)
        ends[name] = np.array([least, most])
    return ends


def stretching(ends: Mapping[str, np.ndarray]) -> list[str]:
    """Return the algorithms, at most a third, without which a common axis is less than half as long."""

    def lengths(names: Collection[str]) -> np.ndarray:
        return np.ptp(np.concatenate([ends[name] for name in names]), axis=0)

    remaining = list(ends)
    apart: list[str] = []
    while len(remaining) > 2 and 3 * (len(apart) + 1) <= len(ends):
        whole = np.maximum(lengths(remaining), 1 / _FAR)
        shares = {}  # of the axes that remain without an algorithm
        for name in remaining:
            others = [each for each in remaining if each != name]
            shares[name] = (lengths(others) / whole).min()
        name = min(shares, key=shares.__getitem__)
        if shares[name] >= _STRETCHED:
            break
        remaining.remove(name)
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
    low, high = ends
    width = _SAME * (high - low)
    cells = np.zeros(len(values), dtype=int)
    start = -math.inf
    cell = -1
    for index in np.argsort(values, kind="stable"):
        if values[index] > start + width:
            start = values[index]
            cell = cell + 1
        cells[index] = cell
    return cells


def largest_place(folds: Mapping[str, pd.DataFrame], window: Window) -> int:
    """Return the largest number of folds of one algorithm at one position."""
    cells = number_distinct_values(folds, window).values()
    counts = (np.unique(numbers, axis=0, return_counts=True)[1] for numbers in cells)
    return max(int(counted.max()) for counted in counts)


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
    subplot: Subplot = field(default_factory=Subplot)
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
        groups: dict[tuple[object, ...], list[NamedStyle]] = {}
        for pen in self.pens:
            appearance = (pen.own, pen.colour, pen.symbol, pen.dash, pen.strength)
            groups.setdefault(appearance, []).append(pen)
        return sorted(groups.values(), key=lambda group: group[0].own)

    def rings(self, pen: NamedStyle) -> Iterator[tuple[str, float, list[np.ndarray], str]]:
        """Yield name, width, points and hover text of the contours and the region, cut at limits of the measures."""
        spec, style = self.spec, self.style
        regions = spec.regions or {}
        levels = spec.drawn_levels
        thin = style.px(1.2, 0.6)
        for level in levels:
            share = format_percent(level)
            is_thin = regions or level == levels[-1]
            shape = traces.gaussian_radius(level) ** 2 * spec.covariances[pen.name]
            hover = f"contains {share} of {spec.unit}s"
            yield share, thin if is_thin else style.px(1.8, 0.9), self._pieces(pen, shape), hover
        if pen.name in regions:
            hover = figure_text("clouds.hover_region", level=spec.level)
            pieces = self._pieces(pen, regions[pen.name])
            yield "region", style.px(2.6, 1.4), pieces, hover

    def _pieces(self, pen: NamedStyle, shape: np.ndarray) -> list[np.ndarray]:
        """Return the pieces of an ellipse around the mean within the limits of the measures."""
        x_and_y = list(self.measures)
        low, high = limits(self.spec.measures)
        ring = traces.ellipse(self.mean(pen.name), shape[np.ix_(x_and_y, x_and_y)])
        return traces.cut_ring(_rounded(ring), low[x_and_y], high[x_and_y])

    def draw_iso(self) -> None:
        """Draw lines of equal error or of equal F."""
        style = self.style
        for name, x, y, label in _iso_lines(self.spec.iso, self.window, self.spec.positive_share):
            traces.add_line(self.fig, x, y, name, style.leader, style.px(0.8, 0.5))
            if label is not None:
                traces.add_text(
                    self.fig,
                    label.words,
                    label.x,
                    label.y,
                    0.9 * style.tick_size,
                    style.second,
                    anchor=label.anchor,
                    shift=label.shift,
                )

    def draw_folds(self) -> None:
        """Draw the folds, then contours and regions; with a selection, other folds are faded, selected ones on top.

        Algorithms that share a position are drawn as nested marks, whose visible areas are
        proportional to their numbers of folds.
        """
        groups = self.folds_by_position()
        style = self.style
        is_strong = groups["strong"]
        usual = style.px(5, 3) if self.small else style.px(8, 4.5)
        largest = style.px(18, 10) if self.small else style.px(26, 15)
        if len(self.values(self.names[0])) > _MANY_FOLDS:
            usual *= 0.7
        size = min(usual, largest / groups["within"].max() ** 0.5)
        if is_strong.all():
            self._marks(groups, size, 1.0)
            self.draw_rings()
        else:
            self._marks(groups[~is_strong], size, FADED)
            self.draw_rings()
            self._marks(groups[is_strong], style.px(9, 5), 1.0, selected=True)

    def draw_rings(self) -> None:
        """Draw the contours of the folds and the regions of the means, a trace for each."""
        contoured = set(self.spec.contoured)
        for pen in self.pens:
            if pen.name not in contoured:
                continue
            for name, width, pieces, hover in self.rings(pen):
                points: list[tuple[float | None, float | None]] = []
                for piece in pieces:
                    points += [*piece.tolist(), (None, None)]
                points = points[:-1]
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
        style = self.style
        scale = 0.7 if small else 1.0
        size = scale * style.px(13, 8)
        line = style.px(1.8, 1)
        halo_size = size + scale * style.px(3, 1.8)
        halo_line = line + scale * style.px(4, 2.4)
        named = (set(self.spec.contoured) or set(self.names)) & set(self.names)
        others = [name for name in self.spec.folds if name not in named]
        if others:
            self.draw_crosses(
                others, style.px(8, 5), style.px(1.2, 0.7), style.leader, name="other means"
            )
        for strength in (FADED, 1.0):
            names = [
                pen.name for pen in self.pens if pen.strength == strength and pen.name in named
            ]
            if names:
                self._crosses(
                    names,
                    halo_size,
                    halo_line,
                    style.page,
                    name="halo",
                    opacity=strength,
                    hoverinfo="skip",
                )
                self.draw_crosses(names, size, line, style.ink, name="means", opacity=strength)

    def draw_crosses(
        self,
        names: Sequence[str],
        size: float,
        width: float,
        colour: str,
        *,
        name: str,
        opacity: float | None = None,
    ) -> None:
        """Draw a thin clickable cross at the mean of each algorithm in `names`."""
        hint = traces.click_hint("algorithm")
        hover_text = [
            f"<b>{text.escape(algorithm)}, mean</b><br>{x:.4g}, {y:.4g}<br>{hint}"
            for algorithm, (x, y) in zip(names, map(self.mean, names), strict=True)
        ]
        self._crosses(
            names,
            size,
            width,
            colour,
            name=name,
            opacity=opacity,
            hovertext=hover_text,
            hoverinfo="text",
            customdata=[[algorithm] for algorithm in names],
            meta="algorithm",
        )

    def _crosses(
        self, names: Sequence[str], size: float, width: float, colour: str, **options: Any
    ) -> None:
        """Draw a thin cross at the mean of each algorithm; `options` are those of Plotly."""
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
        self, rows: pd.DataFrame, size: float, strength: float, *, selected: bool = False
    ) -> None:
        """Draw marks of folds: light with a coloured edge, or coloured if `selected`."""
        style = self.style
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
            light = theme.light_fill(colour, style) if style.colour else style.blank
            edge = (style.px(1, 0.6), style.ink) if selected else (style.px(0.8, 0.5), colour)
            traces.add_points(
                self.fig,
                part["x"].to_list(),
                part["y"].to_list(),
                text.escape(pens[0].name) if len(pens) == 1 else "others",
                (size * np.sqrt(part["within"])).round(2).to_list(),
                pens[0].symbol,
                colour if selected else light,
                edge,
                opacity=min(strength, pens[0].strength),
                **self._hover_options(part, pens, bool(single)),
                **self.subplot,
            )

    def _hover_options(
        self, rows: pd.DataFrame, pens: Sequence[NamedStyle], single: bool
    ) -> dict[str, Any]:
        """Return hover text, customdata and meta of marks for single folds or for algorithms."""
        kind = "fold" if single else "algorithm"
        unit = self.spec.unit
        hint = traces.click_hint(kind, noun=unit if single else "")
        x_name, y_name = (text.escape(measure_name(self.spec.measures[i])) for i in self.measures)
        heads = []
        full = []
        for row in rows.itertuples():
            name = text.escape(row.owner)
            values = f"{x_name} {row.x:.4g}, {y_name} {row.y:.4g}"
            if single:
                heads.append(f"{name}, {unit} {text.escape(row.labels[0])}")
            else:
                heads.append(f"{format_count(row.n, unit)} of {name} here")
                values += f"<br>{text.escape(text.join_escaped(row.labels, _MOST_LISTED))}"
            full.append(f"<b>{heads[-1]}</b><br>{values}<br>{hint}")
        options: dict[str, Any] = {"hover_text": full, "meta": kind}
        if single:
            options["customdata"] = [labels[0] for labels in rows["labels"]]
        else:
            options["customdata"] = [[owner] for owner in rows["owner"]]
        if len(pens) > 1:
            values = "%{x:.4~g}, %{y:.4~g}"
            options["hover_text"] = heads
            options["hovertemplate"] = f"<b>%{{hovertext}}</b><br>{values}<br>{hint}<extra></extra>"
        return options


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
    style = panel.style
    n_columns = len(panel.window) - 1
    axes = [value_axis(*ends, 3) for ends in panel.window]
    side = style.px(220, max(90, style.width / n_columns))
    fig = theme.new_figure(
        style, side * n_columns + 60, margin={"l": 58, "r": 20, "t": 30, "b": 46}
    )
    fig.set_subplots(
        n_columns,
        n_columns,
        shared_xaxes=True,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        vertical_spacing=0.03,
    )
    titles = [text.escape(measure_name(name)) for name in panel.spec.measures]
    for row in range(1, n_columns + 1):
        for column in range(n_columns):
            subplot: Subplot = {"row": row, "col": column + 1}
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
        mark = f'<span style="color:{pen.colour}">{signs[pen.symbol]}</span>'
        traces.add_text(
            fig,
            f"{text.escape(pen.name)} {mark}",
            1,
            1,
            style.size,
            refs="paper, paper",
            anchor="right, top",
            shift=(0, -1.5 * style.size * position),
        )
    return fig


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grid:
    """Subplots for a number of panels, in rows as even as possible."""

    count: int
    columns: int
    rows: int

    @classmethod
    def of(cls, count: int, style: Style) -> _Grid:
        """Return the grid that fits into the width of a style."""
        most_columns = max(2, int(style.width // style.px(300, 156)))
        fewest_rows = math.ceil(count / most_columns)
        columns = math.ceil(count / fewest_rows)
        return cls(count=count, columns=columns, rows=math.ceil(count / columns))

    def subplot(self, position: int) -> Subplot:
        """Return the subplot of a panel."""
        row, column = divmod(position, self.columns)
        return {"row": row + 1, "col": column + 1}

    def is_lowest(self, position: int) -> bool:
        """Return whether no panel is below a panel."""
        return position + self.columns >= self.count

    def is_leftmost(self, position: int) -> bool:
        """Return whether a panel is the first of its row."""
        return position % self.columns == 0


def _draw_apart(panel: _CloudPanel) -> go.Figure:
    """Return the figure with a panel for each algorithm, and the means of the others in grey.

    Algorithms that would stretch common axes too far (`Contours.stretching`) have their own axes.
    """
    style = panel.style
    stretching = panel.spec.stretching
    grid = _Grid.of(len(panel.pens), style)
    fig, panel_width = _empty_grid(grid, style, numbers_everywhere=bool(stretching))
    suffix = {
        name: figure_text("clouds.own_axes") if name in stretching else "" for name in panel.names
    }
    room = panel_width - 2 * style.size - text.widest(suffix.values(), style.size, style.serif)
    short = text.shorten(panel.names, room, style.size, serif=style.serif)
    for position, pen in enumerate(panel.pens):
        single = replace(
            panel,
            pens=(replace(pen, dash=DASHES[0]),),
            fig=fig,
            subplot=grid.subplot(position),
            small=True,
        )
        single.draw_folds()
        single.draw_means(small=True)
        _set_axes(single, position, grid)
        traces.add_text(
            fig,
            text.escape(short[pen.name] + suffix[pen.name]),
            0,
            1,
            style.size,
            pen.colour if pen.own else style.ink,
            refs="x domain, y domain",
            anchor="left, bottom",
            shift=(0, style.px(2, 1)),
            opacity=pen.strength,
            **single.subplot,
        )
    for position in range(grid.count, grid.rows * grid.columns):
        unused = grid.subplot(position)
        fig.update_xaxes(visible=False, **unused).update_yaxes(visible=False, **unused)
    return fig


def _empty_grid(grid: _Grid, style: Style, *, numbers_everywhere: bool) -> tuple[go.Figure, float]:
    """Return an empty figure with subplots, and the width of one in px."""
    margin = {
        "l": style.px(58, 42),
        "r": style.px(20, 10),
        "t": style.px(30, 18),
        "b": style.px(46, 32),
    }
    side = style.px(230, 112)
    row_gap = style.px(32, 18)
    column_gap = style.px(16, 10)
    if numbers_everywhere:
        row_gap += 1.5 * style.tick_size
        column_gap += 2.2 * style.tick_size
    height = grid.rows * side + (grid.rows - 1) * row_gap
    width = style.width - margin["l"] - margin["r"]
    fig = theme.new_figure(style, height + margin["t"] + margin["b"], margin=margin)
    fig.set_subplots(
        grid.rows,
        grid.columns,
        horizontal_spacing=column_gap / width,
        vertical_spacing=row_gap / height,
    )
    return fig, (width - (grid.columns - 1) * column_gap) / grid.columns


def _set_axes(panel: _CloudPanel, position: int, grid: _Grid) -> None:
    """Set the axes of one algorithm: common ones unless it stretches them."""
    spec = panel.spec
    stretching = panel.spec.stretching
    (name,) = panel.names
    common = next(i for i, each in enumerate(spec.folds) if each not in stretching)
    has_own_axes = name in stretching
    x_span, y_span = spec.window([name]) if has_own_axes else panel.window
    x_title, y_title = (text.escape(measure_name(measure)) for measure in spec.measures)
    for update, letter, span, title, is_outer in (
        (panel.fig.update_xaxes, "x", x_span, x_title, grid.is_lowest(position)),
        (panel.fig.update_yaxes, "y", y_span, y_title, grid.is_leftmost(position)),
    ):
        update(
            title=title if is_outer else None,
            showticklabels=is_outer or bool(stretching),
            **value_axis(*span, panel.style.px(5, 4)),
            **panel.subplot,
        )
        if not has_own_axes and position != common:
            update(matches=f"{letter}{common + 1 if common else ''}", **panel.subplot)


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
    style, fig = panel.style, panel.fig
    with_colour = [pen for pen in panel.pens if pen.own]
    pens = {pen.name: pen for pen in with_colour or panel.pens[:_MOST_NAMED]}
    margin = fig.layout.margin
    plane = Plane(
        x=panel.window[0],
        y=panel.window[1],
        width=style.width - margin.l - margin.r,
        height=fig.layout.height - margin.t - margin.b,
    )
    outlines = {name: _outlines(panel, pen, plane) for name, pen in pens.items()}
    board = _board_of_marks(panel, list(pens), plane)
    lines = {
        name: join_points(points_along(piece) for piece in pieces)
        for name, pieces in outlines.items()
    }
    board.draw(lines, cost=_RING, clearance=style.px(12, 7))
    board.draw(join_points(lines.values()), cost=_RING)
    for annotation in fig.layout.annotations:
        board.take(annotation_box(annotation, plane, style))
    shown = text.shorten(list(pens), 0.35 * style.width, style.size, serif=style.serif)
    annotations = []
    for name, pen in pens.items():
        outline = max(outlines[name], key=np.ptp)
        label = board.put(_around(outline, text_size(shown[name], style)), name)
        if label is not None:
            annotation = annotation_at(shown[name], label, plane, style)
            annotation["font"] = {"size": style.size, "color": pen.colour if pen.own else style.ink}
            annotations.append(annotation)
    add_annotations(fig, annotations)


def _outlines(panel: _CloudPanel, pen: NamedStyle, plane: Plane) -> list[np.ndarray]:
    """Return the contours of an algorithm in px, or a circle around its mean without contours."""
    spec = panel.spec
    if spec.levels and spec.contoured:
        return [plane.px(piece) for _, _, pieces, _ in panel.rings(pen) for piece in pieces]
    angles = 2 * np.pi * np.arange(24) / 24
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    return [plane.px(panel.mean(pen.name)[None]) + panel.style.px(11, 6) * circle]


def _board_of_marks(panel: _CloudPanel, names: Sequence[str], plane: Plane) -> PlacementBoard:
    """Return a board with the marks that names must not cover; in a crowded panel, all marks."""
    style = panel.style
    crowded = panel.spec.crowded
    clearance = style.px(4, 2.5)
    board = PlacementBoard(
        plane.width,
        plane.height,
        clearance=clearance,
        squeezes=width_scales(style),
        outside=math.inf if crowded else _OUTSIDE,
        touching=math.inf if crowded else _TOUCHING,
    )
    folds = [panel.values(name) for name in (panel.names if crowded else names)]
    means = [panel.mean(name)[None] for name in names]
    marks = plane.px(np.concatenate([*folds, *means]))
    board.draw(marks, cost=math.inf if crowded else _MARK, clearance=clearance)
    return board


def _around(ring: np.ndarray, size: tuple[float, float]) -> Candidates:
    """Return candidate positions of a name around a contour."""
    low = ring.min(axis=0)
    high = ring.max(axis=0)
    centre = (low + high) / 2
    half = np.maximum((high - low) / 2, 1e-12)
    indices = np.unique(np.linspace(0, len(ring) - 1, _DIRECTIONS).astype(int))
    factors = np.repeat(_OUT, len(indices))
    points = np.tile(ring[indices], (len(_OUT), 1))
    from_centre = points - centre
    is_far = np.abs(from_centre / half) > _OFF_CENTRE
    offset = np.sign(from_centre) * is_far * (np.array(size) / 2)
    offset[:, 1][(offset == 0).all(axis=1)] = size[1] / 2
    offset += (factors - 1)[:, None] * from_centre
    return Candidates.of(points, offset, size, 8 * (factors - 1), factors > _OUT[1])


def _iso_values(iso: Iso, window: Window, share: float | None) -> list[float]:
    """Return the values of error or F whose lines are drawn, at most eight; [] for none, or error without `share`."""
    left, right = window[0]
    bottom, top = window[1]
    match iso:
        case "error" if share:
            corners = [
                share * (1 - y) + (1 - share) * x for x in (left, right) for y in (bottom, top)
            ]
        case "F":
            recalls = (max(left, 0.01), right)
            precisions = (max(bottom, 0.01), top)
            corners = [2 * x * y / (x + y) for x in recalls for y in precisions]
        case _:
            return []
    low = max(min(corners), 0)
    high = max(corners)
    span = high - low
    if span <= 0:
        return []
    power = 10 ** np.floor(np.log10(span))
    steps = [power * factor / 10 for factor in (1, 2, 2.5, 5, 10, 20, 25, 50)]
    step = next(step for step in steps if span / step <= 7)
    multiples = np.arange(np.ceil(low / step), np.floor(high / step) + 1)
    return [float(multiple * step) for multiple in multiples if multiple > 0]


class _IsoLabel(NamedTuple):
    """Label of a line of equal error or F: text, position, anchor and shift in px."""

    words: str
    x: float
    y: float
    anchor: str
    shift: tuple[float, float]


class _IsoLine(NamedTuple):
    """Line of equal error or F, with its label if there is room."""

    name: str
    x: list[float]
    y: list[float]
    label: _IsoLabel | None


def _iso_lines(iso: Iso, window: Window, share: float | None) -> Iterator[_IsoLine]:
    """Yield the lines of equal error or F."""
    for position, value in enumerate(_iso_values(iso, window, share)):
        if iso == "error" and share is not None:
            yield _error_line(value, window, share, is_first=position == 0)
        else:
            line = _f_line(value, window)
            if line is not None:
                yield line


def _error_line(value: float, window: Window, share: float, *, is_first: bool) -> _IsoLine:
    """Return the line on which the error, share (1 - tpr) + (1 - share) fpr, has a value."""
    left, right = window[0]
    bottom, top = window[1]
    start, end = (1 - (value - (1 - share) * x) / share for x in (left, right))
    words = f"{'error ' if is_first else ''}{100 * value:.3g}%"
    x_at_top = ((top - 1) * share + value) / (1 - share)
    label = None
    if bottom <= end <= top:
        label = _IsoLabel(words, right, end, "left, middle", (4, 0))
    elif end > top and left <= x_at_top <= right:
        label = _IsoLabel(words, x_at_top, top, "center, bottom", (0, 3))
    return _IsoLine("iso-error", [left, right], [start, end], label)


def _f_line(value: float, window: Window) -> _IsoLine | None:
    """Return the line on which F has a value, None if it is not in the window."""
    left, right = window[0]
    bottom, top = window[1]
    recall = np.linspace(max(left, value / 2 + 1e-3), right, 60)
    precision = value * recall / (2 * recall - value)
    inside = (precision >= bottom) & (precision <= top)
    if inside.sum() < 2:
        return None
    x = recall[inside].tolist()
    y = precision[inside].tolist()
    label = _IsoLabel(f"F {value:.3g}", x[-1], y[-1], "right, bottom", (0, 0))
    return _IsoLine("iso-F", x, y, label)


def _rounded(ring: np.ndarray) -> np.ndarray:
    """Return points rounded to 1e-4 of their extent, which halves the size of the JSON."""
    extent = float(np.ptp(ring, axis=0).max())
    return ring.round(4 - math.floor(math.log10(extent))) if extent > 0 else ring
