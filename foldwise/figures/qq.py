"""Normal Q-Q plots of residuals, with a simulated envelope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.axis_parts import add_panels, padded_range, value_axis
from foldwise.figures.spec import FigureSpec, cached_figure, figure_text, fold_labels
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.measure_vectors import OnMeasures, PairOnMeasures
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_number, p_phrase
from stats_core.core.result_types import TestResult

_SIDE = 300  # px of one panel on the screen
_MOST_NAMED, _MOST_RINGED = 8, 24
_BAND = "rgba(140,140,140,0.28)"
# share of an axis within which names of two points overlap, on the screen and in print
_NEAR = (0.12, 0.24)

_MOST_DISTANCES = 6  # largest number of panels of distances


@dataclass(frozen=True, kw_only=True, eq=False)
class NormalQQ(FigureSpec):
    """Normal Q-Q plots with reference line and simulated envelope, one per table.

    If at most 24 points lie outside the band, they are ringed, and up to eight of the farthest are
    named. The customdata of a point is its label.

    Attributes
    ----------
    panels : mapping of title to DataFrame
        Index the labels of the points; columns expected, observed, low, high.
    notes : mapping of title to str
        The result of a check, written into the corner of its panel.
    unit : str
        Unit of the axes.
    points_are : str
        Noun for the points, for the alternative text.
    data, how_to_read, text_below
        Table of the points, how to read them, and the caption.
    """

    zoom: ClassVar[str] = "xy"
    panels: Mapping[str, pd.DataFrame]
    notes: Mapping[str, str] = field(default_factory=dict)
    unit: str = "standard deviations"
    points_are: str = "residuals"
    data: pd.DataFrame | None = None
    how_to_read: str = ""

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        panels, unit = self.panels, self.unit
        titled = len(panels) > 1
        titles = list(panels) if titled else ()
        height = style.px(_SIDE, 150 if titled else min(style.width, 312))
        fig, subplots, _ = add_panels(len(panels), titles, style, left=3.6, height=height)
        cells = [(subplot["row"], subplot["col"]) for subplot in subplots]
        if not style.printed and all(column == 1 for _, column in cells):
            fig.update_layout(width=min(style.width, _SIDE + 60), autosize=False)
        for (row, column), (title, table) in zip(cells, panels.items(), strict=True):
            _draw_panel(fig, table, row, column, style)
            traces.add_text(
                fig,
                text.escape(self.notes.get(title, "")),
                0.03,
                0.98,
                style.tick_size,
                style.second,
                refs="x domain, y domain",
                anchor="left, top",
                row=row,
                col=column,
            )
        fig.update_xaxes(title="expected" if titled else f"expected ({unit})", fixedrange=True)
        fig.update_yaxes(title=f"observed ({unit})" if titled else "observed", col=1)
        return fig.update_yaxes(fixedrange=True)

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        titles = text.join_escaped([text.plain_text(title) for title in self.panels], 4)
        return figure_text(
            "qq.alt",
            points=self.points_are,
            titles=text.truncate_text(titles, 180),
            outside=sum(int(_is_outside(table).sum()) for table in self.panels.values()),
            total=sum(len(table) for table in self.panels.values()),
        )


def _is_outside(table: pd.DataFrame) -> pd.Series:
    """Return a mask of points outside the envelope."""
    return (table["observed"] < table["low"]) | (table["observed"] > table["high"])


def _drawn(table: pd.DataFrame) -> pd.DataFrame:
    """Return the points to draw: all, or of many those evenly spaced on the axis and those to be ringed."""
    most = traces.most_marks()
    if len(table) <= most:
        return table
    expected = table["expected"].to_numpy(dtype=float)
    evenly_spaced = np.linspace(expected[0], expected[-1], most)
    drawn = np.searchsorted(expected, evenly_spaced)
    outside = np.flatnonzero(_is_outside(table))
    if len(outside) <= _MOST_RINGED:
        drawn = np.union1d(drawn, outside)
    return table.iloc[np.unique(drawn)]


def _caption(key: str, table: pd.DataFrame, **values: Any) -> str:
    """Return a caption, with the number of points drawn if they are not all."""
    caption = figure_text(key, **values)
    if len(table) <= traces.most_marks():
        return caption
    thinned = figure_text("spec.thinned", drawn=len(_drawn(table)), n=len(table), noun="point")
    return f"{caption} {thinned}"


@cached_figure(at_every_level=True)
def qq_drawing(analysis: FoldsComparison | FoldPairComparison) -> NormalQQ:
    """Return the normal Q-Q plot of residuals, or of the differences of two algorithms."""
    check: TestResult | str | None
    match analysis:
        case FoldPairComparison():
            points = fold_labels(analysis.quantiles())
            noun = "difference"
            check = analysis.normality
        case FoldsComparison():
            points = _residuals(analysis)
            noun = "residual"
            check = analysis.checks["normality"]
        case _:
            raise NotImplementedError(type(analysis).__name__)
    note = ""
    if isinstance(check, TestResult):
        name = "W" if check.method.name.startswith("Shapiro") else "K²"
        note = f"{name} {format_number(check.statistic, 3)}, {p_phrase(check.pvalue)}"
    title = f"{analysis.measure_name} on {analysis.dataset_label}"
    return NormalQQ(
        name=f"qq_{analysis.dataset}_{analysis.settings.measure}",
        title=figure_text("qq.title", points=f"{noun}s", of=title),
        points_are=f"{noun}s",
        panels={title: points},
        data=points,
        notes={title: note},
        how_to_read=figure_text("qq.how_to_read", unit=analysis.unit, point=noun),
        text_below=_caption("qq.caption", points, n=len(points), point=noun),
    )


def _residuals(analysis: FoldsComparison) -> pd.DataFrame:
    points = analysis.quantiles()
    names = points.index.get_level_values(-1).to_list()
    folds = fold_labels(points.droplevel(-1)).index.to_list()
    labels = [f"{name}, {fold}" for name, fold in zip(names, folds, strict=True)]
    return points.set_axis(pd.Index(labels, name="residual"))


@cached_figure(at_every_level=True)
def distances_drawing(analysis: OnMeasures) -> NormalQQ | None:
    """Return the Q-Q plots of Mahalanobis distances of at most six algorithms, or of the differences of two.

    Plots with a singular covariance are left out; None if no plot remains.
    """
    if isinstance(analysis, PairOnMeasures):
        clouds = {"differences": analysis.differences}
        n_clouds = 1
    else:
        clouds = {name: analysis.cloud(name) for name in analysis.names[:_MOST_DISTANCES]}
        n_clouds = len(analysis.names)
    panels = {}
    for name, cloud in clouds.items():
        with suppress(FoldwiseError):
            panels[name] = fold_labels(analysis.distance_quantiles(cloud))
    if not panels:
        return None
    return NormalQQ(
        name=f"distances_{analysis.dataset}",
        title=figure_text("qq.title_distances", dataset=analysis.dataset),
        panels=panels,
        data=pd.concat(panels, names=["of", "fold"]),
        unit="squared distance",
        points_are="squared Mahalanobis distances",
        how_to_read=figure_text("qq.how_to_read_distances", unit=analysis.unit),
        text_below=_caption(
            "qq.caption_distances",
            next(iter(panels.values())),
            unit=analysis.unit,
            drawn=len(clouds),
            n=n_clouds,
            points=analysis.counted.n,
            two=isinstance(analysis, PairOnMeasures),
        ),
    )


def _draw_panel(fig: go.Figure, table: pd.DataFrame, row: int, column: int, style: Style) -> None:
    """Draw envelope, reference line and points; ring and name points outside the envelope, unless they are many."""
    n_outside = int(_is_outside(table).sum())
    table = _drawn(table)
    x_axis = _axis_of(table[["expected"]])
    y_axis = _axis_of(table[["low", "high", "observed"]])
    fig.update_xaxes(**x_axis, row=row, col=column)
    fig.update_yaxes(**y_axis, row=row, col=column)
    expected = table["expected"].to_list()
    observed = table["observed"].to_list()
    traces.add_line(fig, expected, table["low"].to_list(), "low", None, 0, row=row, col=column)
    traces.add_line(
        fig,
        expected,
        table["high"].to_list(),
        "95% envelope",
        None,
        0,
        fill="tonexty",
        fillcolor=_BAND,
        row=row,
        col=column,
    )
    ends = [min(expected), max(expected)]
    traces.add_line(
        fig, ends, ends, "normal", style.leader, style.px(1.2, 0.7), row=row, col=column
    )
    is_outside = _is_outside(table)
    labels = [str(label) for label in table.index]
    hover_text = [
        f"<b>{text.escape(label)}</b><br>expected {text.format_minus(x, 2)}, "
        f"observed {text.format_minus(y, 2)}{', outside' if outside else ''}"
        for label, x, y, outside in zip(labels, expected, observed, is_outside, strict=True)
    ]
    traces.add_points(
        fig,
        expected,
        observed,
        "residuals",
        style.px(6, 3.4),
        None,
        [style.accent if outside else style.ink for outside in is_outside],
        hover_text=hover_text,
        customdata=labels,
        unselected=None,
        row=row,
        col=column,
    )
    if 0 < n_outside <= _MOST_RINGED:
        named = _named(table, is_outside, style.px(*_NEAR))
        shown = _short_labels(labels, named, style)
        x_middle = sum(x_axis["range"]) / 2
        _ring(fig, table[is_outside], shown, x_middle, row, column, style)


def _axis_of(table: pd.DataFrame) -> dict[str, Any]:
    """Return the properties of an axis of values."""
    values = table.to_numpy(dtype=float)
    low, high = padded_range(float(np.nanmin(values)), float(np.nanmax(values)))
    return {**value_axis(low, high, 5)}


def _named(table: pd.DataFrame, is_outside: pd.Series, near: float) -> set[str]:
    """Return the labels of points to name: up to eight of the farthest outside, none close to another."""
    outside = table[is_outside]
    middle = (outside["low"] + outside["high"]) / 2
    distances = (outside["observed"] - middle).abs().to_numpy()
    points = table[["expected", "observed"]]
    shares = (points - points.min()) / (points.max() - points.min())  # of the axes
    positions = shares[is_outside].to_numpy()
    named: list[int] = []
    for index in np.argsort(-distances):
        apart = np.abs(positions[named] - positions[index]).max(axis=1, initial=0)
        if (apart >= near).all():
            named.append(index)
    return set(outside.index[named[:_MOST_NAMED]])


def _short_labels(labels: Sequence[str], named: set[str], style: Style) -> dict[str, str]:
    """Return the printed labels of the points to name; the algorithms in them differ from those of all other points."""
    size = 0.9 * style.tick_size
    names = {label: label.rpartition(", ")[0] or label for label in labels}
    folds = {label: label.removeprefix(names[label]) for label in labels}
    room = 0.4 * style.px(_SIDE, min(style.width, 312))
    room -= text.widest(folds.values(), size, style.serif)
    short = text.shorten(list(dict.fromkeys(names.values())), room, size, serif=style.serif)
    return {label: short[names[label]] + folds[label] for label in named}


def _ring(
    fig: go.Figure,
    table: pd.DataFrame,
    shown: Mapping[str, str],
    x_middle: float,
    row: int,
    column: int,
    style: Style,
) -> None:
    """Draw rings around points, and write labels at those in `shown`, towards `x_middle`."""
    traces.add_points(
        fig,
        table["expected"].to_list(),
        table["observed"].to_list(),
        "outside",
        style.px(12, 7),
        "circle-open",
        style.accent,
        edge=(style.px(1.6, 0.9), style.accent),
        mode="markers+text",
        text=[text.escape(shown.get(str(label), "")) for label in table.index],
        textposition=["bottom right" if x < x_middle else "middle left" for x in table["expected"]],
        textfont={"size": 0.9 * style.tick_size, "color": style.ink},
        row=row,
        col=column,
    )
