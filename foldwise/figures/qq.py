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
from stats_core.comparison.kinds.fold_pair import OnFolds
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_number, p_phrase
from stats_core.core.result_types import TestResult

_SIDE = 300  # px of one panel on the screen
_MOST_NAMED, _MOST_RINGED = 8, 24
_BAND = "rgba(140,140,140,0.28)"
_NEAR = (
    0.12,
    0.24,
)  # share of an axis within which names of two points overlap, on the screen and in print


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
        panels, unit, titled = self.panels, self.unit, len(self.panels) > 1
        height = style.px(_SIDE, 150 if titled else min(style.width, 312))
        titles = list(panels) if titled else ()
        fig, subplots, _ = add_panels(len(panels), titles, style, left=3.6, height=height)
        if not style.printed and len({subplot["col"] for subplot in subplots}) == 1:
            fig.update_layout(width=min(style.width, _SIDE + 60), autosize=False)
        for subplot, (title, table) in zip(subplots, panels.items(), strict=True):
            _draw_panel(fig, table, subplot, style)
            note, at = (
                text.escape(self.notes.get(title, "")),
                {"refs": "x domain, y domain", "anchor": "left, top"},
            )
            traces.add_text(fig, note, 0.03, 0.98, style.tick_size, style.second, **at, **subplot)
        fig.update_xaxes(title="expected" if titled else f"expected ({unit})", fixedrange=True)
        fig.update_yaxes(title=f"observed ({unit})" if titled else "observed", col=1)
        return fig.update_yaxes(fixedrange=True)

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        outside = [_is_outside(table) for table in self.panels.values()]
        total, n_outside = sum(map(len, outside)), sum(int(column.sum()) for column in outside)
        titles = text.join_escaped([text.plain_text(title) for title in self.panels], 4)
        titles = text.truncate_text(titles, 180)
        return figure_text(
            "qq.alt", points=self.points_are, titles=titles, outside=n_outside, total=total
        )


def _is_outside(table: pd.DataFrame) -> pd.Series:
    """Return a mask of points outside the envelope."""
    return (table["observed"] < table["low"]) | (table["observed"] > table["high"])


def _drawn(table: pd.DataFrame) -> pd.DataFrame:
    """Return the points to draw: all, or of many those evenly spaced on the axis and those to be ringed."""
    if len(table) <= traces.most_marks():
        return table
    expected, ringed = table["expected"].to_numpy(dtype=float), np.flatnonzero(_is_outside(table))
    even = np.searchsorted(expected, np.linspace(expected[0], expected[-1], traces.most_marks()))
    return table.iloc[np.union1d(even, ringed if len(ringed) <= _MOST_RINGED else ringed[:0])]


def _caption(key: str, table: pd.DataFrame, **values: Any) -> str:
    """Return a caption, with the number of points drawn if they are not all."""
    thinned = figure_text("spec.thinned", drawn=len(_drawn(table)), n=len(table), noun="point")
    return figure_text(key, **values) + (f" {thinned}" if len(table) > traces.most_marks() else "")


@cached_figure(at_every_level=True)
def qq_drawing(analysis: OnFolds) -> NormalQQ:
    """Return the normal Q-Q plot of residuals, or of the differences of two algorithms."""
    two = analysis.shape.folds and analysis.shape.two
    check = analysis.normality if two else analysis.checks["normality"]
    note = ""
    if isinstance(check, TestResult):
        note = f"W {format_number(check.statistic, 3)}, {p_phrase(check.pvalue)}"
    title = f"{analysis.measure_name} on {analysis.dataset_label}"
    points, kind = (
        (fold_labels(analysis.quantiles()), "differences")
        if two
        else (_residuals(analysis), "residuals")
    )
    return NormalQQ(
        name=f"qq_{analysis.dataset}_{analysis.settings.measure}",
        title=figure_text("qq.title", points=kind, of=title),
        points_are=kind,
        panels={title: points},
        data=points,
        notes={title: note},
        how_to_read=figure_text("qq.how_to_read", unit=analysis.unit),
        text_below=_caption("qq.caption", points, n=len(points), point=kind.removesuffix("s")),
    )


def _residuals(analysis: FoldsComparison) -> pd.DataFrame:
    points = analysis.quantiles()
    folds = fold_labels(points.droplevel(-1)).index
    names = points.index.get_level_values(-1).to_numpy(dtype=object)
    labels = [
        f"{name}, {fold}" for name, fold in zip(names, folds.to_numpy(dtype=object), strict=True)
    ]
    return points.set_axis(pd.Index(labels, name="residual"))


@cached_figure(at_every_level=True)
def distances_drawing(analysis: OnMeasures) -> NormalQQ | None:
    """Return the Q-Q plots of Mahalanobis distances of at most six algorithms, or of the differences of two.

    Plots with a singular covariance are left out; None if no plot remains.
    """
    clouds = {name: analysis.cloud(name) for name in analysis.names[:_MOST_DISTANCES]}
    two = analysis.shape.two
    if two:
        clouds = {"differences": analysis.differences}
    panels = {}
    for name, cloud in clouds.items():
        with suppress(FoldwiseError):
            panels[name] = fold_labels(analysis.distance_quantiles(cloud))
    if not panels:
        return None
    n_algorithms = len(clouds) if two else len(analysis.names)
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
            n=n_algorithms,
            points=analysis.counted.n,
            two=two,
        ),
    )


def _draw_panel(fig: go.Figure, table: pd.DataFrame, subplot: dict[str, int], style: Style) -> None:
    """Draw envelope, reference line and points; ring and name points outside the envelope, unless they are many."""
    n_outside, table = _is_outside(table).sum(), _drawn(table)
    for update, columns in (
        (fig.update_xaxes, ["expected"]),
        (fig.update_yaxes, ["low", "high", "observed"]),
    ):
        values = table[columns].to_numpy(dtype=float)
        update(
            **value_axis(*padded_range(float(np.nanmin(values)), float(np.nanmax(values))), 5),
            **subplot,
        )
    expected, observed = table["expected"].to_list(), table["observed"].to_list()
    band, fill = {"colour": None, "width": 0, **subplot}, {"fill": "tonexty", "fillcolor": _BAND}
    traces.add_line(fig, expected, table["low"].to_list(), "low", **band)
    traces.add_line(fig, expected, table["high"].to_list(), "95% envelope", **fill, **band)
    ends = [min(expected), max(expected)]
    traces.add_line(fig, ends, ends, "normal", style.leader, style.px(1.2, 0.7), **subplot)
    is_outside, labels = _is_outside(table), list(map(str, table.index))
    hover_text = [
        f"<b>{text.escape(label)}</b><br>expected {text.format_minus(x, 2)}, observed "
        f"{text.format_minus(y, 2)}{', outside' if outside else ''}"
        for label, x, y, outside in zip(labels, expected, observed, is_outside, strict=True)
    ]
    colours = [style.accent if outside else style.ink for outside in is_outside]
    options = {"hover_text": hover_text, "customdata": labels, "unselected": None, **subplot}
    traces.add_points(
        fig, expected, observed, "residuals", style.px(6, 3.4), None, colours, **options
    )
    if 0 < n_outside <= _MOST_RINGED:
        named = _named(table, is_outside, style.px(*_NEAR))
        _ring(fig, table[is_outside], _short_labels(labels, named, style), subplot, style)


def _named(table: pd.DataFrame, is_outside: pd.Series, near: float) -> set[str]:
    """Return the labels of points to name: up to eight of the farthest outside, none close to another."""
    distances = (
        (table["observed"] - (table["low"] + table["high"]) / 2).abs()[is_outside].to_numpy()
    )
    positions = table[["expected", "observed"]]
    positions = ((positions - positions.min()) / (positions.max() - positions.min()))[
        is_outside
    ].to_numpy()
    named: list[int] = []
    for index in np.argsort(-distances):
        if (np.abs(positions[named] - positions[index]).max(axis=1, initial=0) >= near).all():
            named.append(index)
    return set(table.index[is_outside][named[:_MOST_NAMED]])


def _short_labels(labels: Sequence[str], named: set[str], style: Style) -> dict[str, str]:
    """Return the printed labels of the points to name; the algorithms in them differ from those of all other points."""
    room, size = 0.4 * style.px(_SIDE, min(style.width, 312)), 0.9 * style.tick_size
    names = {label: label.rpartition(", ")[0] or label for label in labels}
    room -= max(
        text.text_width(label[len(name) :], size, style.serif) for label, name in names.items()
    )
    short = text.shorten(list(dict.fromkeys(names.values())), room, size, serif=style.serif)
    return {label: short[names[label]] + label[len(names[label]) :] for label in named}


def _ring(
    fig: go.Figure,
    table: pd.DataFrame,
    shown: dict[str, str],
    subplot: dict[str, int],
    style: Style,
) -> None:
    """Draw rings around points outside the envelope, and write labels at those in `shown`."""
    size = 0.9 * style.tick_size
    left, right = next(fig.select_xaxes(**subplot)).range
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
        text=[text.escape(shown.get(label, "")) for label in map(str, table.index)],
        textposition=[
            "bottom right" if x < (left + right) / 2 else "middle left" for x in table["expected"]
        ],
        textfont={"size": size, "color": style.ink},
        **subplot,
    )
