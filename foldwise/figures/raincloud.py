"""Rainclouds of results per fold: density, box and points, one row per algorithm."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import plotly.graph_objects as go
from scipy import stats

from foldwise.figures import fold_histogram, text, traces
from foldwise.figures.fold_rows import FoldRows, Place, RowsPlot, fill_and_edge
from foldwise.figures.spec import cached_figure
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
    analysis: OnFolds, *, highlight: Collection[str] = (), **styling: Any
) -> Raincloud:
    """Return the raincloud of at most `MOST_CLOUDS` algorithms; `styling` are fields of `Raincloud`."""
    name = f"raincloud_{analysis.dataset}_{analysis.settings.measure}"
    fields = fold_histogram.fold_fields(analysis, highlight, MOST_CLOUDS)
    return Raincloud(name=name, title=fold_histogram.title_of(analysis), **fields, **styling)


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
    return x, stats.gaussian_kde((edges[:-1] + edges[1:]) / 2, len(values) ** -0.2, weights=counts)(
        x
    )


def _draw(plot: RowsPlot) -> None:
    """Draw a row per algorithm, with the name at the left and the mean at the right."""
    style, many = plot.style, len(plot.names) > fold_histogram.MOST_ROWS
    has_clouds = len(plot.labels) >= _LEAST_FOLDS
    cloud = (style.px(12, 8) if many else style.px(24, 15)) if has_clouds else style.px(4, 3)
    box = (style.px(5, 3.4) if many else style.px(7, 4.5)) if has_clouds else 0
    drops = style.px(8, 5) if many else style.px(13, 8)
    space = style.px(2, 1) if many else style.px(3, 1.8)
    pitch = max(cloud + box + drops + 4 * space, 1.25 * plot.size)
    short = plot.short_names(min(0.36 * style.width, 200), pitch)
    means = {row: plot.numbers.say(mean) for row, mean in enumerate(plot.means)}
    widest = text.widest(short.values(), plot.size, style.serif)
    right = text.widest((*means.values(), "mean"), plot.size, style.serif)
    plot.start(pitch, widest + style.px(14, 9), right + style.px(16, 10), 1.35 * style.tick_size)
    for row in plot.places:
        name, colour = plot.names[row.algorithm], plot.fills[row.algorithm]
        middle = row.bottom + space + drops + space + box / 2
        _draw_cloud(plot, row, middle + box / 2 + space, cloud)
        spread = (np.arange(len(plot.labels)) * _GOLDEN + 0.5) % 1 - 0.5
        heights = row.bottom + space + drops / 2 + spread * (drops - style.px(3, 2))
        mark = colour if style.colour else style.faint
        plot.draw_folds(
            row,
            heights,
            style.px(4.5, 2.2),
            "circle",
            colour=mark,
            edge=(style.px(0.4, 0.2), style.page),
        )
        at = {"xanchor": "right", "align": "right", "xshift": -style.px(8, 5)}
        plot.write(text.shortened_markup(short[name]), row, 0, pitch / 2, **at)
        at = {"xanchor": "right", "xshift": right + style.px(8, 5)}
        plot.write(means[row.algorithm], row, 1, pitch / 2, **at)
    lower = 2 * space + drops + box / 2
    if has_clouds:
        _draw_boxes(plot, lower, box)
    size = style.px(6, 4) if many else style.px(8, 5.5)
    plot.draw_means(lower if has_clouds else space + drops + size / 2, size, "diamond", style.page)
    at = {"yanchor": "bottom", "colour": style.second}
    plot.write(
        "mean", plot.places[0], 1, pitch, xanchor="center", xshift=right / 2 + style.px(8, 5), **at
    )
    if plot.spec.zero:
        plot.draw_zeros()
        plot.write(plot.spec.zero, plot.places[0], 0.5, pitch, xanchor="center", **at)
    plot.finish(short)


def _draw_cloud(plot: RowsPlot, row: Place, baseline: float, height: float) -> None:
    """Draw the density of an algorithm, if it has one, `height` px high at its maximum."""
    style, outline = plot.style, density(plot.values[:, row.algorithm])
    if outline is None:
        return
    x, y = outline
    x, y = [x[0], *x, x[-1]], baseline + height * np.array([0, *(y / y.max()), 0])
    fill, edge = fill_and_edge(plot.fills[row.algorithm], style)
    name = f"density of {text.escape(plot.names[row.algorithm])}"
    options = {"fill": "toself", "fillcolor": fill, **row.on}
    traces.add_line(plot.fig, [*x, x[0]], [*y, y[0]], name, edge, style.px(1, 0.6), **options)


def _draw_boxes(plot: RowsPlot, lower: float, height: float) -> None:
    """Draw quartiles, medians and whiskers, `lower` px above the lower ends of the rows."""
    style, say = plot.style, plot.numbers.say
    pen, bold = (style.ink, style.px(1.2, 0.7)), (style.ink, style.px(2.2, 1.3))
    for rows in plot.panels():
        whiskers, boxes, medians, points, hovers = [], [], [], [], []
        for row in rows:
            values, y = plot.values[:, row.algorithm], row.bottom + lower
            low, median, high = np.percentile(values, [25, 50, 75]).tolist()
            reach = _WHISKER * (high - low)
            ends = values[(values >= low - reach) & (values <= high + reach)]
            whiskers += [[(float(ends.min()), y), (low, y)], [(high, y), (float(ends.max()), y)]]
            bottom, top = y - height / 2, y + height / 2
            boxes.append([(low, bottom), (high, bottom), (high, top), (low, top), (low, bottom)])
            medians.append([(median, bottom), (median, top)])
            points.append((median, y))
            name = text.escape(plot.names[row.algorithm])
            hovers.append(
                f"<b>{name}</b><br>median {say(median)}<br>quartiles {say(low)} and {say(high)}"
            )
        on = rows[0].on
        traces.add_paths(plot.fig, whiskers, "whiskers", *pen, **on)
        traces.add_paths(plot.fig, boxes, "boxes", *pen, fill="toself", fillcolor=style.page, **on)
        traces.add_paths(plot.fig, medians, "medians", *bold, **on)
        traces.add_targets(plot.fig, points, "box", hovers, **on)
