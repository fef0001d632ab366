"""Scatter plots of folds in two or more measures, with Gaussian contours for each algorithm."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import value_axis
from foldwise.figures.label_placement import (
    Box,
    Candidates,
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    join_points,
    points_along,
    text_size,
    width_scales,
)
from foldwise.figures.spec import Colours, FigureSpec, cached_figure, coverage_text, figure_text, fold_labels
from foldwise.figures.theme import DASHES, FADED, GREY, MARKERS, Style
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.core.formatting import format_count, format_percent
from stats_core.data.measures import MEASURES, known_name
from stats_core.inference.multivariate.learned_measures import LearnedMeasures

Iso = Literal["none", "error", "F"]
Form = Literal["automatic", "together", "apart"]
Window = tuple[tuple[float, float], ...]
LEVELS = (0.5, 0.9)  # shares of folds inside the contours
_ISO = {("fpr", "tpr"): "error", ("recall", "precision"): "F", ("tpr", "precision"): "F"}
#: Largest number of measures in a matrix; more would make its panels too small.
_MOST_PANELS = 5
#: Largest number of algorithms drawn in one panel by default, and largest number of separate panels.
_MOST_TOGETHER, MOST_APART = 5, 16
#: Largest number of names in the key of a matrix.
_MOST_IN_KEY = 12
#: Folds closer than this share of an axis are indistinguishable.
_SAME = 0.004
#: Opacity of the fill of a region, with and without colour.
_SHADE, _GREY_SHADE = 0.35, 0.2
#: With more folds their marks are smaller.
_MANY_FOLDS = 40
#: Largest number of folds listed in the hover text of a mark.
_MOST_LISTED = 6
_POINTS = 97  # of an ellipse


def _annotation_box(note: go.layout.Annotation, plane: Plane, style: Style) -> Box:
    """Return the box of a one-line annotation positioned in values of both axes."""
    size = np.array(text_size(html.unescape(note.text), style, note.font.size))
    across = {"left": 0.5, "right": -0.5}.get(note.xanchor, 0.0)
    up = {"bottom": 0.5, "top": -0.5}.get(note.yanchor, 0.0)
    shift = np.array([note.xshift or 0.0, note.yshift or 0.0])
    middle = plane.px(np.array([note.x, note.y])) + shift + size * (across, up)
    return Box(*(middle - size / 2).tolist(), *(middle + size / 2).tolist())


@dataclass(frozen=True, kw_only=True, eq=False)
class Contours(FigureSpec):
    """Each algorithm's folds, their mean and contours that contain a given share of them.

    Folds at the same position share a mark, whose area is proportional to their number. The customdata
    of a mark of one fold is its label, that of larger marks, contours, regions and means ``[algorithm]``.
    Three to five measures are drawn as the lower triangle of a scatter plot matrix.

    Attributes
    ----------
    folds : mapping of algorithm to DataFrame
        One row per fold (the index its label), a column per measure; of two measures x, then y.
    covariances : mapping of algorithm to array, measure x measure
        Of the folds; a singular one is drawn as a segment.
    levels : sequence of float
        Shares of folds that the contours contain.
    regions : mapping of algorithm to array, measure x measure, optional
        A of the region (mu - mean)' A^-1 (mu - mean) <= 1 of each mean, which is shaded; from
        `mean_region`.
    level : str
        Confidence level of the regions, as shown on hover.
    form : {"automatic", "together", "apart"}
        All algorithms in one panel, or one panel each on common axes; by default as decided by
        :func:`foldwise.figures.clouds.is_apart`.
    iso : {"none", "error", "F"}
        Lines of equal error over (fpr, tpr), or of equal F over (recall, precision).
    positive_share : float, optional
        Share of positive instances, for lines of equal error.
    unit : str
        Source of one result per algorithm: "fold" or "run".
    colours : mapping, optional
        Colour per algorithm; by default by position in `algorithms`, or in `folds`.
    algorithms, highlight : collection of str
        All algorithms, and those that have colours if they are many.
    selected : collection of str
        Folds that keep full opacity while the others fade.
    lit : collection of str
        Algorithms that keep full opacity while the others fade; all if empty.
    window : sequence of (float, float), optional
        The axis ranges; by default they contain everything drawn.
    cells : mapping of algorithm to array, fold x measure, optional
        From `number_distinct_values`, which folds share a mark; by default indistinguishable ones.
    base : function of a style, optional
        Returns the same figure with other regions, which takes most of the time to draw: a copy of
        it gets these regions and axis ranges.
    widened : bool
        Whether regions allow for training sets that overlap.
    how : str
        Key of how to read the figure.
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
    colours: Colours = None
    algorithms: Sequence[str] = ()
    highlight: Collection[str] = ()
    selected: Collection[str] = ()
    lit: Collection[str] = ()
    window: Window | None = None
    cells: Mapping[str, np.ndarray] | None = None
    base: Callable[[Style], go.Figure] | None = None
    widened: bool = False
    how: str = "folds"

    def without_selection(self) -> Contours:
        """Return the figure without emphasis on selected folds and algorithms."""
        return replace(self, selected=(), lit=())

    @property
    def measures(self) -> list[str]:
        """Names of the measures that are drawn, not escaped."""
        return [str(name) for name in next(iter(self.folds.values())).columns[:_MOST_PANELS]]

    @property
    def apart(self) -> bool:
        """Whether each algorithm has a panel of its own."""
        if len(self.measures) > 2 or self.form == "together":
            return False
        return self.form == "apart" or is_apart(self.folds, self.covariances)

    @property
    def ranges(self) -> Window:
        """Axis ranges with all folds, contours and regions plus 7%; rates end near 0 and 1."""
        if self.window is not None:
            return self.window
        outer = gaussian_radius(max(self.levels)) if self.levels else 0.0
        n_measures, extremes = len(self.measures), []
        for name, table in self.folds.items():
            values = table.to_numpy(dtype=float)[:, :n_measures]
            shapes = [
                outer**2 * self.covariances[name],
                *([self.regions[name]] if name in (self.regions or ()) else []),
            ]
            half = np.sqrt(np.clip([np.diag(shape)[:n_measures] for shape in shapes], 0, None)).max(axis=0)
            extremes += [values, values.mean(axis=0) - half, values.mean(axis=0) + half]
        points = np.vstack(extremes)
        low, high = points.min(axis=0), points.max(axis=0)
        rates = [_is_rate(name) for name in self.measures]
        low, high = np.where(rates, [np.maximum(low, 0), np.minimum(high, 1)], [low, high])
        pad = np.where(high > low, 0.07 * (high - low), 0.05 * np.maximum(np.abs(high), 1e-3))
        ends = zip((low - pad).tolist(), (high + pad).tolist(), strict=True)
        return tuple(
            (max(a, -0.02), min(b, 1.02)) if rate else (a, b) for (a, b), rate in zip(ends, rates, strict=True)
        )

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        window = self.ranges
        cells = self.cells or number_distinct_values(self.folds, window)
        pens = tuple(self._pens(style))
        panel = _CloudPanel(spec=self, style=style, pens=pens, window=window, cells=cells, fig=go.Figure())
        matrix = len(window) > 2
        axes = [value_axis(*ends, 3 if matrix else style.px(5, 3) if self.apart else 7) for ends in window]
        if self.base is not None:
            return panel.shaded(self.base(style), axes)
        draw = _draw_matrix if matrix else _draw_apart if self.apart else _draw_together
        return draw(panel, axes)

    def _pens(self, style: Style) -> Iterator[CloudStyle]:
        """Yield the style of each algorithm; those not in `lit` fade if any is."""
        names = list(self.folds)
        hues = self.colours or theme.colours(list(self.algorithms) or names, self.highlight, dark=style.dark)
        for i, name in enumerate(names):
            own = hues[name] != GREY
            yield CloudStyle(
                name=name,
                colour=hues[name] if style.colour else style.ink,
                symbol=MARKERS[i % 8 if own else 0],
                dash=DASHES[i % 6 if own and not style.colour else 0],
                strength=FADED if self.lit and name not in self.lit else 1.0,
                own=own,
            )

    def caption(self, style: Style) -> str:
        """Return the sentences under the figure.

        Examples
        --------
        >>> folds = {"rf": pd.DataFrame({"fpr": [0.1, 0.1, 0.1], "tpr": [0.9, 0.9, 0.9]})}
        >>> Contours(folds=folds, covariances={"rf": np.zeros((2, 2))}, unit="run").caption(theme.screen())[-71:]
        ' The area of a mark is the number of runs at the same point, at most 3.'
        """
        shares = [format_percent(share) for share in sorted(self.levels)]
        if self.regions and shares[1:]:
            shares[0] += " (dotted)"
        most = largest_place(self.folds, self.ranges) if len(self.measures) == 2 else 0
        return figure_text(
            "clouds.caption",
            n=len(next(iter(self.folds.values()))),
            unit=self.unit,
            shares=shares,
            level=self.level if self.regions else "",
            corrected=self.widened,
            most=most if most > 1 else 0,
            lines=iso_words(self.iso, self.ranges, self.positive_share) if self.apart else "",
        )

    @property
    def data(self) -> pd.DataFrame:
        """The folds of all algorithms."""
        return pd.concat(self.folds, names=["algorithm", self.unit])

    @property
    def how_to_read(self) -> str:
        """Text on how to read the figure."""
        return figure_text(f"clouds.how_to_read_{self.how}", unit=self.unit)

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        means = [
            f"{text.plain_text(name)} ({', '.join(map(_three_digits, table.mean()))})"
            for name, table in self.folds.items()
        ]
        measures = list(map(text.plain_text, next(iter(self.folds.values())).columns))
        values = {"unit": self.unit.capitalize(), "measures": measures, "n": len(self.folds)}
        return text.truncate_text(figure_text("clouds.alt", means=text.join_escaped(means, 8), **values))


class _Unshaded(Contours):
    """The part of the figure that is the same at every level; zoom is added to its copies."""

    zoom: ClassVar[str] = ""


@cached_figure
def clouds_drawing(
    analysis: OnMeasures,
    *,
    levels: Sequence[float] = LEVELS,
    pooled: bool = False,
    form: Form = "automatic",
    **styling: Any,
) -> Contours:
    """Return the folds in some measures with contours; `styling` are fields of `Contours`, such as `lit`."""
    shapes = {name: analysis.mean_region(name, pooled=pooled) for name in analysis.names}
    spec = replace(
        _contours_of(Contours, analysis, levels=levels, pooled=pooled, form=form, **styling),
        regions={name: shape for name, shape in shapes.items() if shape is not None},
        level=coverage_text(analysis),
        widened=analysis.test_fraction is not None,
    )
    if spec.apart:
        spec = replace(spec, name=f"{spec.name}_panels")
    if not spec.regions:
        return spec
    # In such panels no position depends on the ends of the axes.
    free = len(analysis.measures) > 2 or (spec.apart and spec.iso == "none")
    extent = {"cells": number_distinct_values(spec.folds, spec.ranges)} if free else {"window": spec.ranges}
    unshaded = unshaded_drawing(analysis, levels=levels, pooled=pooled, form=form, **extent, **styling)
    return replace(spec, base=unshaded.figure)


@cached_figure(at_every_level=True)
def unshaded_drawing(analysis: OnMeasures, **options: Any) -> Contours:
    """Return the part of `clouds_drawing` that is the same at every level.

    Covariances replace the regions of the means; `Contours` puts the regions into a copy.
    """
    spec = _contours_of(_Unshaded, analysis, **options)
    return replace(spec, regions=spec.covariances)


def _contours_of(kind: type[Contours], analysis: OnMeasures, *, pooled: bool = False, **options: Any) -> Contours:
    """Return the folds of each algorithm with their own or the pooled covariances, without regions."""
    iso = _ISO.get(analysis.measures, "none")
    return kind(
        name=f"contours_{analysis.dataset}_{'_'.join(analysis.measures)}",
        title=f"{analysis.unit.capitalize()}s of {analysis.dataset} in {analysis.label}",
        folds={name: fold_labels(analysis.cloud(name)) for name in analysis.names},
        covariances={name: analysis.pooled if pooled else analysis.covariance(name) for name in analysis.names},
        iso=iso,
        positive_share=analysis.positive_share if iso == "error" else None,
        unit=analysis.unit,
        algorithms=analysis.results.algorithms,
        **options,
    )


def learned_folds(analysis: OnMeasures, model: LearnedMeasures) -> dict[str, pd.DataFrame]:
    """Return the scores of each algorithm on the first two learned measures, by fold."""
    columns = list(model.loadings.columns[:2])
    return {
        name: fold_labels(pd.DataFrame(model.scores[i][:, : len(columns)], index=analysis.folds, columns=columns))
        for i, name in enumerate(analysis.names)
    }


@cached_figure(at_every_level=True)
def learned_drawing(analysis: OnMeasures, model: LearnedMeasures, *, colours: Colours = None) -> Contours | None:
    """Return the folds on two learned measures with contours; None with only one."""
    if model.loadings.shape[1] < 2:
        return None
    folds = learned_folds(analysis, model)
    return Contours(
        name=f"learned_{analysis.dataset}",
        title=figure_text("clouds.title_learned", unit=analysis.unit.capitalize(), dataset=analysis.dataset),
        folds=folds,
        covariances={name: np.cov(table.to_numpy(), rowvar=False) for name, table in folds.items()},
        unit=analysis.unit,
        colours=colours,
        algorithms=analysis.results.algorithms,
        how="learned",
    )


def is_apart(folds: Mapping[str, pd.DataFrame], covariances: Mapping[str, np.ndarray]) -> bool:
    """Return whether each algorithm gets a panel of its own by default.

    True for six to sixteen algorithms, and for three to five if the means of most lie inside the
    50% contour of another algorithm.
    """
    names = list(folds)
    if not 2 < len(names) <= MOST_APART:
        return False
    if len(names) > _MOST_TOGETHER:
        return True
    centres = np.array([table.to_numpy(dtype=float).mean(axis=0) for table in folds.values()])
    inverse = np.array([np.linalg.pinv(covariances[name], hermitian=True) for name in names])
    offsets = centres[:, None] - centres
    distances = (offsets[:, :, None] @ inverse @ offsets[..., None])[..., 0, 0]
    inside = distances < gaussian_radius(0.5) ** 2
    return int((inside & ~np.eye(len(names), dtype=bool)).any(axis=1).sum()) > len(names) / 2


def number_distinct_values(folds: Mapping[str, pd.DataFrame], window: Window) -> dict[str, np.ndarray]:
    """Return cell numbers per measure, equal for values too close to be distinguished."""
    values = np.concatenate([table.to_numpy(dtype=float) for table in folds.values()])
    cells = np.column_stack([_cells(values[:, i], ends) for i, ends in enumerate(window)])
    ends = np.cumsum([len(table) for table in folds.values()])[:-1]
    return dict(zip(folds, np.split(cells, ends), strict=True))


def _cells(values: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    """Return cell numbers of values; a cell has a fixed width from its smallest value."""
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
    """Return whether a measure lies in [0, 1] by definition."""
    measure = MEASURES.get(known_name(name))
    return measure is not None and measure.rate


def _three_digits(value: float) -> str:
    """Return a number with three significant digits and U+2212 as minus sign."""
    return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudStyle:
    """Colour, symbol, dash and opacity of one algorithm."""

    name: str
    colour: str
    symbol: str
    dash: str
    strength: float
    own: bool  # whether the algorithm has a colour of its own


def _group_name(pens: Sequence[CloudStyle]) -> str:
    """Return the trace name of algorithms drawn alike."""
    return text.escape(pens[0].name) if len(pens) == 1 else "others"


def _shared_hover(pens: Sequence[CloudStyle], template: str) -> dict[str, str]:
    """Return the hover template shared by the marks of several algorithms; empty for one."""
    return {"hovertemplate": f"<b>%{{hovertext}}</b><br>{template}<extra></extra>"} if len(pens) > 1 else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class _CloudPanel:
    """Some algorithms in two measures, and the subplot of the figure into which they are drawn."""

    spec: Contours
    style: Style
    pens: tuple[CloudStyle, ...]
    window: Window  # of all measures
    cells: Mapping[str, np.ndarray]
    fig: go.Figure
    measures: tuple[int, int] = (0, 1)  # positions of x and y
    subplot: Mapping[str, int] = field(default_factory=dict)
    small: bool = False  # whether marks are small
    outer_only: bool = False  # whether only the outer contour is drawn

    @property
    def names(self) -> list[str]:
        """The algorithms."""
        return [pen.name for pen in self.pens]

    def values(self, name: str) -> np.ndarray:
        """Return the folds of an algorithm in both measures."""
        return self.spec.folds[name].to_numpy(dtype=float)[:, self.measures]

    def mean(self, name: str) -> np.ndarray:
        """Return the mean of an algorithm's folds in both measures."""
        return self.values(name).mean(axis=0)

    def by_appearance(self) -> list[list[CloudStyle]]:
        """Return styles grouped by appearance, those without a colour of their own first."""
        groups: dict[tuple, list[CloudStyle]] = {}
        for pen in self.pens:
            groups.setdefault((pen.own, pen.colour, pen.symbol, pen.dash, pen.strength), []).append(pen)
        return sorted(groups.values(), key=lambda group: group[0].own)

    def ellipses(
        self, pens: Sequence[CloudStyle], shapes: Mapping[str, np.ndarray], radius: float, hover: str
    ) -> dict[str, Any]:
        """Return the ellipses of algorithms drawn alike as one line with breaks, with hover text."""
        step = 1 if len(pens) == 1 else 2  # half the points are enough where many contours are drawn
        block = np.ix_(self.measures, self.measures)
        points, owners = [], []
        for pen in pens:
            ring = ellipse(self.mean(pen.name), shapes[pen.name][block], radius)[::step]
            points += [*_rounded(ring).tolist(), (None, None)]
            owners += [*[[pen.name]] * len(ring), None]
        names = [owner and text.escape(owner[0]) for owner in owners[:-1]]
        return {
            "x": [x for x, _ in points[:-1]],
            "y": [y for _, y in points[:-1]],
            "opacity": pens[0].strength,
            "customdata": owners[:-1],
            "meta": "algorithm",
            "hovertext": f"<b>{names[0]}</b><br>{hover}" if len(pens) == 1 else names,
            "hoverinfo": "text",
            **_shared_hover(pens, hover),
        }

    def regions(self, pens: Sequence[CloudStyle]) -> dict[str, Any]:
        """Return outlines and hover text of the regions: everything that depends on the level."""
        region = figure_text("clouds.hover_region", level=self.spec.level)
        hover = f"{region}<br>{traces.click_hint('algorithm')}"
        return self.ellipses(pens, self.spec.regions, 1.0, hover)

    def shaded(self, base: go.Figure, axes: Sequence[dict]) -> go.Figure:
        """Return a copy of a figure of the same folds with other regions and axis ranges."""
        figure, n_columns = base.to_plotly_json(), len(axes) - 1

        def measures_of(axis: str) -> tuple[int, int]:
            row, column = divmod(int(axis[1:] or 1) - 1, n_columns)
            return (column, row + 1) if n_columns > 1 else (0, 1)

        for trace in figure["data"]:
            if trace.get("fill") == "toself":
                owners = {owner[0] for owner in trace["customdata"] if owner}
                panel = replace(self, measures=measures_of(trace.get("xaxis", "x")))
                trace.update(panel.regions([pen for pen in self.pens if pen.name in owners]))
        for name, axis in figure["layout"].items():
            if name[1:5] == "axis" and "range" in axis:
                axis.update(axes[measures_of(name[0] + name[5:])[name[0] == "y"]])
        return go.Figure(figure)

    def draw_iso(self, *, faint: bool = False) -> None:
        """Draw lines of equal error or of equal F; faint ones have no labels."""
        style = self.style
        colour, width = style.hairline if faint else style.leader, style.px(0.8, 0.5)
        for name, x, y, label in _iso_lines(self.spec.iso, self.window, self.spec.positive_share):
            traces.add_line(self.fig, x, y, name, colour, width, **self.subplot)
            if label and not faint:
                words, *position, anchor, shift = label
                font = (0.9 * style.tick_size, style.second)
                traces.add_text(self.fig, words, *position, *font, anchor=anchor, shift=shift)

    def draw_folds(self) -> None:
        """Draw the folds lightly, then regions and contours, then the selected folds at full opacity.

        Algorithms that share a position are drawn as nested marks, whose visible areas are
        proportional to their numbers of folds.
        """
        groups, style = self.folds_by_position(), self.style
        is_strong = groups["strong"]
        largest, usual = (style.px(18, 10), style.px(5, 3)) if self.small else (style.px(26, 15), style.px(8, 4.5))
        scale = 1.0 if len(self.values(self.names[0])) <= _MANY_FOLDS else 0.7
        size = min(scale * usual, largest / groups["within"].max() ** 0.5)
        edge = (style.px(0.7, 0.4), "" if style.colour else style.leader)
        fill = "light" if style.colour else style.blank
        if is_strong.all():
            self._marks(groups, size, fill, edge, 1.0)
            self.draw_rings()
        else:
            self._marks(groups[~is_strong], size, fill, edge, FADED)
            self.draw_rings()
            self._marks(groups[is_strong], style.px(9, 5), "", (style.px(1, 0.6), style.ink), 1.0)

    def draw_rings(self) -> None:
        """Draw the regions of the means, then the contours of the folds, a trace for each level."""
        style, spec, groups = self.style, self.spec, self.by_appearance()
        levels = sorted(spec.levels)
        for pens in groups if spec.regions else ():
            fill = theme.transparent(pens[0].colour, _SHADE if style.colour else _GREY_SHADE)
            options = {"fill": "toself", "fillcolor": fill, "line": {"width": 0}, "hoveron": "points"}
            self._rings(f"{_group_name(pens)} region", self.regions(pens), **options)
        for pens in groups:
            for level in levels[-1:] if self.outer_only or len(pens) > 1 else levels:
                inner = len(levels) > 1 and level == levels[0]
                share = format_percent(level)
                hover = f"contains {share} of {spec.unit}s<br>{traces.click_hint('algorithm')}"
                line = {
                    "color": pens[0].colour,
                    "width": style.px(1.8, 0.9) if inner and not spec.regions else style.px(1.2, 0.6),
                    # A dotted contour is distinguished from the edge of the region.
                    "dash": "dot" if inner and spec.regions else pens[0].dash,
                }
                rings = self.ellipses(pens, spec.covariances, gaussian_radius(level), hover)
                self._rings(f"{_group_name(pens)} {share}", rings, line=line)

    def _rings(self, name: str, rings: dict[str, Any], **options: Any) -> None:
        self.fig.add_scatter(name=name, **rings, **traces.line_click_mode(self.style), **options, **self.subplot)

    def draw_means(self, *, small: bool = False) -> None:
        """Draw crosses at the means, with an edge in the page colour that sets them off from marks."""
        style, scale = self.style, 0.7 if small else 1.0
        size, line = scale * style.px(13, 8), style.px(1.8, 1)
        halo = (size + scale * style.px(3, 1.8), line + scale * style.px(4, 2.4), style.page)
        for strength in (FADED, 1.0):
            names = [pen.name for pen in self.pens if pen.strength == strength]
            if names:
                self._crosses(names, *halo, name="halo", opacity=strength, hoverinfo="skip")
                self.draw_crosses(names, size, line, style.ink, name="means", opacity=strength)

    def draw_crosses(self, names: Sequence[str], size: float, width: float, colour: str, **options: Any) -> None:
        """Draw a thin clickable cross at each mean."""
        hint = traces.click_hint("algorithm")
        hover_text = [
            f"<b>{text.escape(name)}, mean</b><br>{x:.4g}, {y:.4g}<br>{hint}"
            for name, (x, y) in zip(names, map(self.mean, names), strict=True)
        ]
        clicks = {"customdata": [[name] for name in names], "meta": "algorithm"}
        self._crosses(names, size, width, colour, hovertext=hover_text, hoverinfo="text", **clicks, **options)

    def _crosses(self, names: Sequence[str], size: float, width: float, colour: str, **options: Any) -> None:
        x, y = np.array([self.mean(name) for name in names]).T.tolist()
        marker = {"symbol": "cross-thin", "opacity": 1, "size": size, "line": {"width": width, "color": colour}}
        self.fig.add_scatter(x=x, y=y, mode="markers", marker=marker, **options, **self.subplot)

    def folds_by_position(self) -> pd.DataFrame:
        """Return one row per algorithm and position, with the folds that lie there."""
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

    def _marks(self, rows: pd.DataFrame, size: float, fill: str, edge: tuple[float, str], strength: float) -> None:
        """Draw marks; `size` is that of one fold, "" as colour means the algorithm's own."""
        styles = self.by_appearance()
        index_of = {pen.name: index for index, pens in enumerate(styles) for pen in pens}
        keys = ["layer", rows["owner"].map(index_of).rename("look"), (rows["n"] == 1).rename("single")]
        for (_, index, single), part in rows.groupby(keys):
            pens = styles[index]
            colour = pens[0].colour
            traces.add_points(
                self.fig,
                part["x"].to_list(),
                part["y"].to_list(),
                _group_name(pens),
                (size * np.sqrt(part["within"])).round(2).to_list(),
                pens[0].symbol,
                theme.light_fill(colour, self.style) if fill == "light" else fill or colour,
                edge=(edge[0], edge[1] or colour),
                opacity=min(strength, pens[0].strength),
                **self._hover_options(part, pens, bool(single)),
                **self.subplot,
            )

    def _hover_options(self, rows: pd.DataFrame, pens: Sequence[CloudStyle], single: bool) -> dict[str, Any]:
        """Return hover text, customdata and meta of marks: of a single fold, or of the algorithm."""
        kind, unit = "fold" if single else "algorithm", self.spec.unit
        hint = traces.click_hint(kind, noun=unit if single else "")
        x_name, y_name = (text.escape(self.spec.measures[i]) for i in self.measures)
        heads, full = [], []
        for owner, x, y, labels, n in rows[["owner", "x", "y", "labels", "n"]].itertuples(index=False):
            name, tail = text.escape(owner), f"{x_name} {x:.4g}, {y_name} {y:.4g}"
            if single:
                heads.append(f"{name}, {unit} {text.escape(labels[0])}")
            else:
                heads.append(f"{format_count(n, unit)} of {name} here")
                tail += f"<br>{text.escape(text.join_escaped(labels, _MOST_LISTED))}"
            full.append(f"<b>{heads[-1]}</b><br>{tail}<br>{hint}")
        short = _shared_hover(pens, f"%{{x:.4~g}}, %{{y:.4~g}}<br>{hint}")
        return {
            "hover_text": heads if short else full,
            "customdata": rows["labels"].str[0].to_list() if single else [[owner] for owner in rows["owner"]],
            "meta": kind,
            **short,
        }


def _draw_together(panel: _CloudPanel, axes: Sequence[dict]) -> go.Figure:
    """Draw all algorithms in one panel, with their names next to their contours."""
    style, spec = panel.style, panel.spec
    right = style.px(64, 44) if spec.iso == "error" else style.px(20, 12)
    margin = {"l": style.px(58, 38), "r": right, "t": style.px(26, 16), "b": style.px(46, 32)}
    height = style.px(440, 262) if len(spec.folds) < 4 else style.px(520, 300)
    panel = replace(panel, fig=theme.new_figure(style, height, margin=margin))
    panel.draw_iso()
    panel.draw_folds()
    panel.draw_means()
    _write_names(panel)
    x_name, y_name = map(text.escape, spec.measures)
    panel.fig.update_xaxes(title=x_name, **axes[0])
    panel.fig.update_yaxes(title=y_name, **axes[1])
    return panel.fig


def _draw_matrix(panel: _CloudPanel, axes: Sequence[dict]) -> go.Figure:
    """Draw every pair of measures, in the lower triangle of a matrix of panels."""
    style, n_columns = panel.style, len(axes) - 1
    side = style.px(220, max(90, style.width / n_columns))
    fig = theme.new_figure(style, side * n_columns + 60, margin={"l": 58, "r": 20, "t": 30, "b": 46})
    spacing = {"horizontal_spacing": 0.03, "vertical_spacing": 0.03}
    fig.set_subplots(n_columns, n_columns, shared_xaxes=True, shared_yaxes=True, **spacing)
    titles = [text.escape(name) for name in panel.spec.measures]
    for row in range(1, n_columns + 1):
        for column in range(n_columns):
            subplot = {"row": row, "col": column + 1}
            if column >= row:
                _hide(fig, subplot)
                continue
            plane = replace(panel, fig=fig, measures=(column, row), subplot=subplot, small=True, outer_only=True)
            plane.draw_folds()
            plane.draw_means()
            fig.update_xaxes(title=titles[column] if row == n_columns else None, **axes[column], **subplot)
            fig.update_yaxes(title=titles[row] if column == 0 else None, **axes[row], **subplot)
    signs = dict(zip(MARKERS, "●■◆✚✖▲★⬢", strict=True))
    for position, pen in enumerate(panel.pens[:_MOST_IN_KEY]):
        # The mark comes last because its font may be wider than measured.
        words = f'{text.escape(pen.name)} <span style="color:{pen.colour}">{signs[pen.symbol]}</span>'
        at = {"refs": "paper, paper", "anchor": "right, top", "shift": (0, -1.5 * style.size * position)}
        traces.add_text(fig, words, 1, 1, style.size, **at)
    return fig


def _draw_apart(panel: _CloudPanel, axes: Sequence[dict]) -> go.Figure:
    """Draw a panel for each algorithm on common axes, with the means of the others in grey."""
    style, pens = panel.style, panel.pens
    count, most = len(pens), max(2, int(style.width // style.px(300, 156)))
    columns = -(-count // -(-count // most))  # such that rows are as even as possible
    rows = -(-count // columns)
    margin = {"l": style.px(58, 42), "r": style.px(20, 10), "t": style.px(30, 18), "b": style.px(46, 32)}
    side, row_gap, column_gap = style.px(230, 112), style.px(32, 18), style.px(16, 10)
    height = rows * side + (rows - 1) * row_gap
    width = style.width - margin["l"] - margin["r"]
    fig = theme.new_figure(style, height + margin["t"] + margin["b"], margin=margin)
    fig.set_subplots(rows, columns, horizontal_spacing=column_gap / width, vertical_spacing=row_gap / height)
    panel_width = (width - (columns - 1) * column_gap) / columns
    titles = [text.escape(name) for name in panel.spec.measures]
    short = text.shorten(panel.names, panel_width - 2 * style.size, style.size, serif=style.serif)
    for position, pen in enumerate(pens):
        subplot = {"row": position // columns + 1, "col": position % columns + 1}
        single = replace(panel, pens=(replace(pen, dash=DASHES[0]),), fig=fig, subplot=subplot, small=True)
        single.draw_iso(faint=True)
        single.draw_folds()
        if others := [name for name in panel.names if name != pen.name]:
            single.draw_crosses(others, style.px(8, 5), style.px(1.2, 0.7), style.leader, name="other means")
        single.draw_means(small=True)
        for update, axis, title, letter, shown in (
            (fig.update_xaxes, axes[0], titles[0], "x", position + columns >= count),
            (fig.update_yaxes, axes[1], titles[1], "y", position % columns == 0),
        ):
            match = {"matches": letter} if position else {}
            update(title=title if shown else None, showticklabels=shown, **axis, **match, **subplot)
        at = {"refs": "x domain, y domain", "anchor": "left, bottom", "shift": (None, style.px(2, 1)), **subplot}
        traces.add_text(fig, text.escape(short[pen.name]), 0, 1, style.size, pen.colour, opacity=pen.strength, **at)
    for position in range(count, rows * columns):
        _hide(fig, {"row": position // columns + 1, "col": position % columns + 1})
    return fig


def _hide(fig: go.Figure, subplot: Mapping[str, int]) -> None:
    """Hide the axes of an empty panel."""
    fig.update_xaxes(visible=False, **subplot)
    fig.update_yaxes(visible=False, **subplot)


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
    """Write each name next to its outer contour, clear of marks, with a leader line if far away."""
    style, fig, levels = panel.style, panel.fig, panel.spec.levels
    names = ([pen.name for pen in panel.pens if pen.own] or panel.names)[:_MOST_NAMED]
    radius = gaussian_radius(max(levels)) if levels else 1.0
    margin = fig.layout.margin
    plane = Plane(
        x=panel.window[0],
        y=panel.window[1],
        width=style.width - margin.l - margin.r,
        height=fig.layout.height - margin.t - margin.b,
    )
    rings = {name: plane.px(ellipse(panel.mean(name), panel.spec.covariances[name], radius)) for name in names}
    means = [panel.mean(name)[None] for name in names]
    clearance = style.px(4, 2.5)
    costs = {"outside": _OUTSIDE, "touching": _TOUCHING}
    board = PlacementBoard(plane.width, plane.height, clearance=clearance, squeezes=width_scales(style), **costs)
    board.draw(plane.px(np.concatenate([*map(panel.values, names), *means])), cost=_MARK, clearance=clearance)
    lines = {name: points_along(ring) for name, ring in rings.items()}
    board.draw(lines, cost=_RING, clearance=style.px(12, 7))
    board.draw(join_points(lines.values()), cost=_RING)
    for annotation in fig.layout.annotations:
        board.take(_annotation_box(annotation, plane, style))
    shown = text.shorten(names, 0.35 * style.width, style.size, serif=style.serif)
    labels = {name: board.put(_around(rings[name], text_size(words, style)), name) for name, words in shown.items()}
    add_annotations(fig, [annotation_at(shown[name], label, plane, style) for name, label in labels.items()])


def _around(ring: np.ndarray, size: tuple[float, float]) -> Candidates:
    """Return candidate positions of a name around a contour; distant ones have a leader line."""
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
    return Candidates.of(points, offset, size, 8 * (factors - 1), factors > _OUT[1])


def iso_words(iso: str, window: Window, share: float | None) -> str:
    """Return the caption sentence that names the levels of the lines, or "" without lines."""
    factor, unit = (100, "%") if iso == "error" else (1, "")
    values = [f"{factor * value:.3g}" for value in _iso_values(iso, window, share)]
    return figure_text("clouds.lines", name=iso, values=values, unit=unit) if values else ""


def _iso_values(iso: str, window: Window, share: float | None) -> list[float]:
    """Return four to seven round errors or values of F within the window; none if they are not drawn."""
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


def _iso_lines(iso: str, window: Window, share: float | None) -> Iterator[tuple[str, list, list, tuple | None]]:
    """Yield name, x and y of each line, and text, x, y, anchor and shift of its label.

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
            yield "iso-F", x, y, (f"F {value:.3g}", x[-1], y[-1], "right, bottom", None)


def _rounded(ring: np.ndarray) -> np.ndarray:
    """Return points rounded to a ten-thousandth of their extent, to halve the size of the JSON."""
    extent = float(np.ptp(ring, axis=0).max())
    return ring.round(4 - math.floor(math.log10(extent))) if extent > 0 else ring


def ellipse(centre: np.ndarray, matrix: np.ndarray, radius: float = 1.0) -> np.ndarray:
    """Return points x with (x - centre)' matrix^-1 (x - centre) = radius^2, closed.

    Examples
    --------
    >>> import numpy as np
    >>> ellipse(np.zeros(2), np.eye(2), 2.0)[0].tolist()
    [2.0, 0.0]
    """
    values, axes = np.linalg.eigh(np.asarray(matrix, dtype=float))
    half = np.sqrt(np.clip(values, 0, None))
    angle = np.linspace(0, 2 * np.pi, _POINTS)
    unit = np.column_stack([np.cos(angle), np.sin(angle)])
    if np.allclose(axes, np.eye(2)):
        return np.asarray(centre) + radius * unit * half
    return np.asarray(centre) + radius * (unit * half) @ axes.T


def gaussian_radius(level: float) -> float:
    """Return the Mahalanobis radius inside which a share `level` of a plane Gaussian lies.

    Examples
    --------
    >>> round(gaussian_radius(0.5) ** 2, 3), round(gaussian_radius(0.9) ** 2, 3)
    (1.386, 4.605)
    """
    return float(np.sqrt(-2 * np.log(1 - level)))


def gaussian_ellipse(points: pd.DataFrame, level: float = 0.5) -> pd.DataFrame | None:
    """Return the ellipse that contains this share of a fitted Gaussian; None without spread.

    Examples
    --------
    >>> gaussian_ellipse(pd.DataFrame({"x": [0.0, 1, 2], "y": [0.0, 2, 1]})).shape[1]
    2
    >>> gaussian_ellipse(pd.DataFrame({"x": [0.0, 0, 0], "y": [1.0, 1, 1]}))
    """
    spread = np.cov(points.to_numpy().T)
    if len(points) < 3 or np.linalg.eigvalsh(spread)[-1] <= 0:
        return None
    ring = ellipse(points.mean().to_numpy(), spread, gaussian_radius(level))
    return pd.DataFrame(ring, columns=["x", "y"])
