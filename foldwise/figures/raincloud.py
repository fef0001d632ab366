"""Rainclouds of results per fold: density, box and points, one row per algorithm."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import plotly.graph_objects as go
from scipy import stats

from foldwise.figures import fold_histogram, text, traces
from foldwise.figures.fold_rows import FoldRows, Place, RowsPlot, fill_and_edge
from foldwise.figures.spec import Colours, cached_figure
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.fold_pair import OnFolds

#: With fewer folds neither densities nor boxes are drawn.
_LEAST_FOLDS = 8
#: Largest number of algorithms in the raincloud of an analysis.
MOST_CLOUDS = 40
_POINTS = 120  # of the outline of a density
_MOST_EXACT = 2_000  # results whose density is exact; more are counted in as many bins first
_GOLDEN = 0.618034  # fraction that spreads a sequence of points evenly
_WHISKER = 1.5  # longest whisker, in interquartile ranges


@dataclass(frozen=True, kw_only=True, eq=False)
class Raincloud(FoldRows):
    """Density, box plot and single results of all folds, one row per algorithm.

    Densities are Gaussian kernel estimates with Scott's bandwidth. They end at the smallest and the
    largest result, so they do not exceed the bounds of a measure, and they have equal heights.
    Boxes show the quartiles and the median, whiskers reach at most 1.5 interquartile ranges, and
    diamonds mark the means. With fewer than eight folds, only results and means are drawn, and
    equal results have no density.

    References
    ----------
    Allen et al., Wellcome Open Research 4 (2019) 63; Scott, Multivariate Density Estimation (1992).

    Examples
    --------
    >>> import pandas as pd
    >>> from foldwise.figures import theme
    >>> values = pd.DataFrame({"rf": [0.90, 0.95, 1.0], "knn": [0.88, 0.90, 0.91]})
    >>> figure = Raincloud(values=values, measure="accuracy").draw(theme.paper())
    >>> [list(trace.x) for trace in figure.data if trace.name == "folds"]
    [[0.9, 0.95, 1.0], [0.88, 0.9, 0.91]]
    """

    kind: ClassVar[str] = "raincloud"

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure; raise ValueError without values, or if any is not finite."""
        plot = self.plot(style)
        _draw(plot)
        return plot.fig


@cached_figure(at_every_level=True)
def raincloud_drawing(
    analysis: OnFolds,
    *,
    highlight: Collection[str] = (),
    colours: Colours = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
) -> Raincloud:
    """Return the raincloud of at most `MOST_CLOUDS` algorithms."""
    return Raincloud(
        name=f"raincloud_{analysis.dataset}_{analysis.settings.measure}",
        **fold_histogram.fold_fields(analysis, highlight, MOST_CLOUDS),
        colours=colours,
        selected=selected,
        lit=lit,
    )


def density(values: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return positions from the smallest to the largest value and densities there, None with few or equal values.

    Examples
    --------
    >>> x, y = density(np.arange(10.0))
    >>> float(x[0]), float(x[-1]), round(float(y.max()), 2)
    (0.0, 9.0, 0.1)
    """
    spread = float(np.std(values, ddof=1)) if len(values) >= _LEAST_FOLDS else 0.0
    if spread <= 1e-9 * float(np.abs(values).max()):
        return None
    x = np.linspace(values.min(), values.max(), _POINTS)
    if len(values) <= _MOST_EXACT:
        return x, stats.gaussian_kde(values, "scott")(x)
    counts, edges = np.histogram(values, _MOST_EXACT)
    middles = (edges[:-1] + edges[1:]) / 2
    scotts_factor = len(values) ** -0.2
    return x, stats.gaussian_kde(middles, scotts_factor, weights=counts)(x)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RowHeights:
    """Heights in px of the parts of a row; few folds have no cloud and no box."""

    cloud: float
    box: float
    points: float
    space: float  # between the parts, and above and below them

    @classmethod
    def of(cls, style: Style, *, many: bool, has_clouds: bool) -> _RowHeights:
        """Return the heights in a style, smaller for `many` algorithms."""
        cloud = style.px(12, 8) if many else style.px(24, 15)
        box = style.px(5, 3.4) if many else style.px(7, 4.5)
        return cls(
            cloud=cloud if has_clouds else style.px(4, 3),
            box=box if has_clouds else 0,
            points=style.px(8, 5) if many else style.px(13, 8),
            space=style.px(2, 1) if many else style.px(3, 1.8),
        )

    @property
    def row(self) -> float:
        """Height of the row."""
        return self.cloud + self.box + self.points + 4 * self.space

    @property
    def box_middle(self) -> float:
        """Height of the middle of the box."""
        return 2 * self.space + self.points + self.box / 2

    @property
    def cloud_baseline(self) -> float:
        """Height of the lower end of the cloud."""
        return self.box_middle + self.box / 2 + self.space


def _draw(plot: RowsPlot) -> None:
    """Draw a row per algorithm, with the name at the left and the mean at the right."""
    style = plot.style
    many = len(plot.names) > fold_histogram.MOST_ROWS
    has_clouds = len(plot.labels) >= _LEAST_FOLDS
    heights = _RowHeights.of(style, many=many, has_clouds=has_clouds)
    pitch = max(heights.row, 1.25 * plot.size)
    short = plot.short_names(min(0.36 * style.width, 200), pitch)
    means = [plot.numbers.say(mean) for mean in plot.means]
    names_width = text.widest(short.values(), plot.size, style.serif)
    means_width = text.widest([*means, "mean"], plot.size, style.serif)
    left = names_width + style.px(14, 9)
    right = means_width + style.px(16, 10)
    plot.start(pitch, left, right, 1.35 * style.tick_size)
    distance = style.px(8, 5)  # between the rows and the texts next to them
    for row in plot.places:
        _draw_cloud(plot, row, row.bottom + heights.cloud_baseline, heights.cloud)
        _draw_points(plot, row, heights)
        name = short[plot.names[row.algorithm]]
        mean = means[row.algorithm]
        markup = text.shortened_markup(name)
        plot.write(
            markup, row, (0, pitch / 2), anchor="right, middle", align="right", shift=-distance
        )
        plot.write(mean, row, (1, pitch / 2), anchor="right, middle", shift=means_width + distance)
    if has_clouds:
        _draw_boxes(plot, heights.box_middle, heights.box)
    size = style.px(6, 4) if many else style.px(8, 5.5)
    at_means = heights.box_middle if has_clouds else heights.space + heights.points + size / 2
    plot.draw_means(at_means, size, "diamond", style.page)
    _write_heads(plot, pitch, means_width / 2 + distance)
    plot.finish(short)


def _draw_points(plot: RowsPlot, row: Place, heights: _RowHeights) -> None:
    """Draw the results of an algorithm, spread over the height of the points."""
    style = plot.style
    spread = (np.arange(len(plot.labels)) * _GOLDEN + 0.5) % 1 - 0.5
    middle = row.bottom + heights.space + heights.points / 2
    plot.draw_folds(
        row,
        middle + spread * (heights.points - style.px(3, 2)),
        style.px(4.5, 2.2),
        "circle",
        colour=plot.fills[row.algorithm] if style.colour else style.faint,
        edge=(style.px(0.4, 0.2), style.page),
    )


def _write_heads(plot: RowsPlot, pitch: float, shift: float) -> None:
    """Write "mean" above the means, `shift` px from the rows, and the label of zero."""
    above = "center, bottom"
    second = plot.style.second
    plot.write("mean", plot.places[0], (1, pitch), anchor=above, shift=shift, colour=second)
    if plot.spec.zero:
        plot.draw_zeros()
        plot.write(plot.spec.zero, plot.places[0], (0.5, pitch), anchor=above, colour=second)


def _draw_cloud(plot: RowsPlot, row: Place, baseline: float, height: float) -> None:
    """Draw the density of an algorithm, if it has one, `height` px high at its maximum."""
    style = plot.style
    outline = density(plot.values[:, row.algorithm])
    if outline is None:
        return
    positions, densities = outline
    upper = baseline + height * (densities / densities.max())
    fill, edge = fill_and_edge(plot.fills[row.algorithm], style)
    traces.add_line(
        plot.fig,
        [positions[0], *positions, positions[-1], positions[0]],
        [baseline, *upper, baseline, baseline],
        f"density of {text.escape(plot.names[row.algorithm])}",
        edge,
        style.px(1, 0.6),
        fill="toself",
        fillcolor=fill,
        **row.on,
    )


Path = list[tuple[float, float]]


def _draw_boxes(plot: RowsPlot, lower: float, height: float) -> None:
    """Draw quartiles, medians and whiskers, `lower` px above the lower ends of the rows."""
    style = plot.style
    say = plot.numbers.say
    thin = style.px(1.2, 0.7)
    bold = style.px(2.2, 1.3)
    for rows in plot.panels():
        whiskers: list[Path] = []
        boxes: list[Path] = []
        medians: list[Path] = []
        targets: Path = []
        hovers: list[str] = []
        for row in rows:
            values = plot.values[:, row.algorithm]
            y = row.bottom + lower
            low, median, high = np.percentile(values, [25, 50, 75]).tolist()
            reach = _WHISKER * (high - low)
            inside = values[(values >= low - reach) & (values <= high + reach)]
            whiskers.append([(float(inside.min()), y), (low, y)])
            whiskers.append([(high, y), (float(inside.max()), y)])
            bottom = y - height / 2
            top = y + height / 2
            boxes.append([(low, bottom), (high, bottom), (high, top), (low, top), (low, bottom)])
            medians.append([(median, bottom), (median, top)])
            targets.append((median, y))
            name = text.escape(plot.names[row.algorithm])
            quartiles = f"quartiles {say(low)} and {say(high)}"
            hovers.append(f"<b>{name}</b><br>median {say(median)}<br>{quartiles}")
        fig = plot.fig
        on = rows[0].on
        traces.add_paths(fig, whiskers, "whiskers", style.ink, thin, **on)
        traces.add_paths(
            fig, boxes, "boxes", style.ink, thin, fill="toself", fillcolor=style.page, **on
        )
        traces.add_paths(fig, medians, "medians", style.ink, bold, **on)
        traces.add_targets(fig, targets, "box", hovers, **on)
