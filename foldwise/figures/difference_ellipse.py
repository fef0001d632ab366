"""Paired differences in two measures, with the confidence region of their mean."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import difference_axis_title, tick_axis, ticks
from foldwise.figures.label_placement import (
    Box,
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    candidate_positions,
    join_points,
    points_along,
    text_size,
    width_scales,
)
from foldwise.figures.spec import FigureSpec, cached_figure, coverage_text, figure_text, fold_labels
from foldwise.figures.theme import FADED, Style
from stats_core.comparison.kinds.measure_vectors import PairOnMeasures
from stats_core.core.formatting import measure_name
from stats_core.core.validation import significant

#: The region is cut off where it extends beyond folds and origin by this multiple of their range.
_MOST_SPANS = 3.0
_SAME_ERROR = ["fpr", "tpr"]

#: Directions of a label from its mark, in order of preference.
_SIDES: list[tuple[float, float]] = [
    (1, 1),
    (1, -1),
    (-1, 1),
    (-1, -1),
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
]
_SIDES += [(0.5, 1), (-0.5, 1), (0.5, -1), (-0.5, -1)]

#: Costs of a label that leaves the plot, touches another, covers a fold, the rim, or a line.
_OUTSIDE, _TOUCHING, _FOLD, _RIM, _LINE = 1000.0, 100.0, 3.0, 1.0, 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class DifferenceEllipse(FigureSpec):
    """Scatter plot of paired differences on two measures, with the confidence ellipse of their mean.

    Attributes
    ----------
    differences : DataFrame
        `first` minus `second` per fold (the index its label), two measures: x, then y.
    shape : array, 2 x 2
        A of the region (mu - mean)' A^-1 (mu - mean) <= 1. A singular matrix is drawn as a segment,
        a zero matrix as the mean only.
    first, second : str
        The two algorithms.
    rejects : bool
        Whether the test rejects, so that the origin lies outside.
    level : str
        Confidence level of the region, as printed at its rim.
    positive_share : float, optional
        Share of positive instances; with measures (fpr, tpr), the line on which both algorithms
        have the same error is drawn.
    unit : str
        Source of one result per algorithm: "fold" or "run".
    selected : collection of str
        Folds that keep full opacity while the others fade.
    """

    zoom: ClassVar[str] = "xy"
    differences: pd.DataFrame
    shape: np.ndarray
    first: str
    second: str
    rejects: bool
    level: str = "95%"
    positive_share: float | None = None
    unit: str = "fold"
    selected: Collection[str] = ()
    how_to_read: ClassVar[str] = figure_text("difference_ellipse.how_to_read")

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        values = self.differences.to_numpy(dtype=float)
        mean = values.mean(axis=0)
        rim = _rim(mean, np.asarray(self.shape, dtype=float))
        x_span, y_span = _window(values, rim)
        x_ticks = ticks(*x_span, style.px(6, 5))
        y_ticks = ticks(*y_span, style.px(8, 7))
        margin = _margin(x_ticks[1], y_ticks[1], style)
        height = style.px(440, 262)
        fig = theme.new_figure(style, height, margin=margin)
        plane = Plane(
            x=x_span,
            y=y_span,
            width=style.width - margin["l"] - margin["r"],
            height=height - margin["t"] - margin["b"],
        )
        same_error = self.same_error(x_span, y_span)
        _draw_lines(fig, plane, same_error, style)
        if np.ptp(rim, axis=0).any():
            self._draw_region(fig, rim, style)
        self._draw_folds(fig, values, style)
        self._draw_mean_and_origin(fig, mean, style)
        first, second = self.differences.columns
        # Titles are centred on their axes, not on the figure.
        x_room = plane.width + 2 * min(margin["l"], margin["r"])
        y_room = plane.height + 2 * min(margin["t"], margin["b"])
        fig.update_xaxes(
            title=self._axis_title(first, x_room, style), **tick_axis(*x_ticks, list(x_span))
        )
        fig.update_yaxes(
            title=self._axis_title(second, y_room, style), **tick_axis(*y_ticks, list(y_span))
        )
        self._write_conclusion(fig, style)
        _write_labels(fig, plane, np.vstack([values, mean]), rim, same_error, self.level, style)
        return fig

    def _axis_title(self, measure: object, room: float, style: Style) -> dict[str, Any]:
        """Return the Plotly title of the axis of a measure, shortened to `room` px."""
        name = measure_name(str(measure))
        share = 0.45
        title = difference_axis_title(name, ", ", self.first, self.second, room - 6, share, style)
        return {"text": title, "standoff": 5}

    def _draw_mean_and_origin(self, fig: go.Figure, mean: np.ndarray, style: Style) -> None:
        """Draw a cross at the mean, and a ring at the origin."""
        x, y = mean.tolist()
        thick = style.px(2.4, 1.3)
        traces.add_points(
            fig,
            [x],
            [y],
            "mean",
            style.px(15, 9),
            "cross-thin",
            style.ink,
            (thick, style.ink),
            hover_text=self.hover("mean difference", mean),
            unselected=None,
        )
        traces.add_points(
            fig,
            [0.0],
            [0.0],
            "no difference",
            style.px(13, 8),
            "circle-open",
            style.accent,
            (thick, style.accent),
            hover_text="<b>no difference</b>",
            unselected=None,
        )

    def _draw_region(self, fig: go.Figure, rim: np.ndarray, style: Style) -> None:
        """Draw the confidence region; its hover text states whether the origin lies inside."""
        x, y = rim.T.tolist()
        traces.add_line(
            fig,
            x,
            y,
            "region",
            style.ink,
            style.px(1.8, 0.9),
            hover_text=figure_text(
                "difference_ellipse.region",
                level=text.escape(self.level),
                side=self._side_of_origin,
            ),
            line_simplify=False,
            fill="toself",
            fillcolor=theme.transparent(style.ink, style.px(0.12, 0.1)),
            hoveron="points",
        )

    def _draw_folds(self, fig: go.Figure, values: np.ndarray, style: Style) -> None:
        """Draw the difference of each fold; those not selected fade if any is."""
        labels = [str(label) for label in self.differences.index]
        hint = traces.click_hint("fold", noun=self.unit)
        for is_emphasised, indices in traces.split_by_selection(labels, self.selected):
            x, y = values[indices].T.tolist()
            traces.add_points(
                fig,
                x,
                y,
                "folds" if is_emphasised else "other folds",
                style.px(8, 4.6),
                "circle-open",
                style.ink,
                (style.px(1.2, 0.7), style.ink),
                hover_text=[
                    f"{self.hover(f'{self.unit} {labels[i]}', values[i])}<br>{hint}"
                    for i in indices
                ],
                opacity=1.0 if is_emphasised else FADED,
                customdata=[labels[i] for i in indices],
                meta="fold",
            )

    def _write_conclusion(self, fig: go.Figure, style: Style) -> None:
        """Write above the plot whether the origin is inside the confidence region."""
        traces.add_text(
            fig,
            figure_text(f"difference_ellipse.{self._side_of_origin}"),
            0,
            1,
            style.size,
            style.ink,
            refs="paper, paper",
            anchor="left, bottom",
            shift=(style.px(2, 1), style.px(8, 5)),
            borderwidth=style.px(1.2, 0.7),
            borderpad=style.px(4, 2.5),
            bordercolor=style.ink if self.rejects else style.leader,
        )

    @property
    def _side_of_origin(self) -> str:
        """Whether the origin is "outside" or "inside" the confidence region."""
        return "outside" if self.rejects else "inside"

    @property
    def data(self) -> pd.DataFrame:
        """The difference in each fold."""
        return self.differences

    def caption(self, style: Style) -> str:
        """Return the caption."""
        x, y = (measure_name(text.plain_text(name)) for name in self.differences.columns)
        same_error = self._shares_error and self.positive_share is not None
        return self.describe(
            "difference_ellipse.caption", x=x, y=y, n=len(self.differences), same_error=same_error
        )

    @property
    def _shares_error(self) -> bool:
        """Whether the two measures determine the error rate."""
        return list(map(str, self.differences.columns)) == _SAME_ERROR

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        end = figure_text("difference_ellipse.alt_end", side=self._side_of_origin)
        names = [measure_name(text.plain_text(name)) for name in self.differences.columns]
        values = self.differences.to_numpy(dtype=float).mean(axis=0).tolist()
        means = ", ".join(
            f"{name} {text.format_signed(value, places)}"
            for name, value, places in zip(names, values, self.decimals, strict=True)
        )
        body = self.describe("difference_ellipse.alt", means=means, n=len(self.differences))
        return text.truncate_text(body, 300 - len(end)) + end

    @property
    def decimals(self) -> list[int]:
        """Decimals of the differences in each measure."""
        columns = self.differences.to_numpy(dtype=float).T
        return [text.decimals_for(column.tolist()) + 1 for column in columns]

    def hover(self, subject: str, point: np.ndarray) -> str:
        """Return the hover text of a fold or of the mean."""
        values = zip(self.differences.columns, point, self.decimals, strict=True)
        value_texts = ", ".join(
            f"{text.escape(measure_name(name))} {text.format_signed(float(value), digits)}"
            for name, value, digits in values
        )
        return f"<b>{text.escape(subject)}</b><br>{value_texts}"

    def same_error(
        self, x_span: tuple[float, float], y_span: tuple[float, float]
    ) -> np.ndarray | None:
        """Return the ends of the line of equal error within the axis ranges, None if it does not apply."""
        share = self.positive_share
        if share is None or not self._shares_error or not 0 < share < 1:
            return None
        slope = (1 - share) / share
        (left, right), (bottom, top) = x_span, y_span
        x = np.array([max(left, bottom / slope), min(right, top / slope)])
        return np.column_stack([x, slope * x])


@cached_figure
def ellipse_drawing(
    analysis: PairOnMeasures, *, selected: Collection[str] = ()
) -> DifferenceEllipse | None:
    """Return the paired differences of two measures with their confidence region; None unless there are two."""
    if len(analysis.measures) != 2:
        return None
    alpha = analysis.settings.alpha
    return DifferenceEllipse(
        name=f"difference_{analysis.dataset}_{'_'.join(analysis.measures)}",
        title=figure_text("difference_ellipse.title", dataset=analysis.dataset),
        differences=fold_labels(analysis.differences),
        shape=analysis.hotelling.region(1 - alpha),
        first=analysis.first,
        second=analysis.second,
        rejects=significant(analysis.hotelling.pvalue, alpha),
        level=coverage_text(analysis),
        positive_share=analysis.positive_share if analysis.measures == ("fpr", "tpr") else None,
        unit=analysis.unit,
        selected=selected,
    )


def _margin(x_labels: Sequence[str], y_labels: Sequence[str], style: Style) -> dict[str, float]:
    """Return margins in px that fit the widest tick labels."""
    x_label_width = text.widest(x_labels, style.tick_size, style.serif)
    y_label_width = text.widest(y_labels, style.tick_size, style.serif)
    return {
        "l": math.ceil(y_label_width + style.px(12, 9) + 1.5 * style.size),
        "r": max(style.px(18, 10), math.ceil(x_label_width / 2)),
        "t": style.px(38, 27),
        "b": style.px(46, 34),
    }


def _draw_lines(fig: go.Figure, plane: Plane, same_error: np.ndarray | None, style: Style) -> None:
    """Draw the lines of zero and, if it applies, the line of equal error."""
    thin = style.px(1.2, 0.7)
    traces.add_line(fig, plane.x, (0.0, 0.0), "zero", style.leader, thin, dash="solid")
    traces.add_line(fig, (0.0, 0.0), plane.y, "zero", style.leader, thin, dash="solid")
    if same_error is not None:
        x, y = same_error.T.tolist()
        traces.add_line(fig, x, y, "same error", style.second, thin, dash="dash")


def _rim(mean: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """Return points on the boundary of the confidence region; the mean alone if the region is a point or unbounded."""
    scale = np.sqrt(np.clip(np.diag(shape), 0, None))
    if not (np.isfinite(shape).all() and scale.any()):
        return mean[None, :]
    unit = np.where(scale > 0, scale, 1.0)
    return mean + unit * traces.ellipse(np.zeros(2), shape / np.outer(unit, unit))


def _window(values: np.ndarray, rim: np.ndarray) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return both axis ranges, which contain folds, origin and the region, of which a very large one is cut off."""
    core = np.concatenate([values, np.zeros((1, 2))])
    low = core.min(axis=0)
    high = core.max(axis=0)
    largest_overhang = _MOST_SPANS * (high - low)
    largest_overhang[largest_overhang == 0] = np.inf
    low = np.minimum(low, np.maximum(rim.min(axis=0), low - largest_overhang))
    high = np.maximum(high, np.minimum(rim.max(axis=0), high + largest_overhang))
    pad = np.where(high > low, 0.08 * (high - low), 0.055)
    (left, bottom), (right, top) = (low - pad).tolist(), (high + pad).tolist()
    return (left, right), (bottom, top)


def _write_labels(
    fig: go.Figure,
    plane: Plane,
    marks: np.ndarray,
    rim: np.ndarray,
    same: np.ndarray | None,
    level: str,
    style: Style,
) -> None:
    """Write the labels of origin, line and region where they overlap least."""
    edge = plane.px(rim)
    origin = plane.px(np.zeros((1, 2)))
    line = points_along(plane.px(np.empty((0, 2)) if same is None else same))
    x, y = origin[0]
    ring = style.px(8, 5)
    board = PlacementBoard(
        plane.width,
        plane.height,
        squeezes=width_scales(style),
        outside=_OUTSIDE,
        touching=_TOUCHING,
    )
    board.take(Box(x - ring, y - ring, x + ring, y + ring))
    board.draw(plane.px(marks), cost=_FOLD, clearance=3)
    board.draw(points_along(edge), cost=_RIM, clearance=3)
    horizontal = points_along(np.array([[0, y], [plane.width, y]]))
    vertical = points_along(np.array([[x, 0], [x, plane.height]]))
    board.draw(join_points([line, horizontal, vertical]), cost=_LINE, clearance=3)

    annotations: list[dict[str, Any]] = []

    def put(words: str, points: np.ndarray, colour: str, distances: np.ndarray) -> None:
        """Place a label near one of the points if there is room; short distances and earlier points are preferred."""
        size = text_size(words, style, style.tick_size)
        candidates, order = candidate_positions(
            points, size, distances.tolist(), sides=_SIDES, led=2 * distances[0]
        )
        label = board.put(replace(candidates, cost=order @ [0.01, 1, 0.001]))
        if label is None:
            return
        annotation = annotation_at(words, label, plane, style)
        annotation["font"] = {"size": style.tick_size, "color": colour}
        if label.led:
            annotation |= {"standoff": ring, "arrowcolor": style.second}
        annotations.append(annotation)

    put("no difference", origin, style.ink, ring * np.array([1.1, 3, 5, 8, 12]))
    close = np.array([0.6 * ring])
    if len(line):
        indices = [round(share * (len(line) - 1)) for share in np.linspace(0.02, 0.22, 7)]
        near_both_ends = np.concatenate([line[indices], line[::-1][indices]])
        put("same error", near_both_ends, style.second, close)
    if len(np.unique(edge, axis=0)) > 1:
        by_distance = np.argsort(-np.abs(edge - origin).sum(axis=1), kind="stable")
        put(level, edge[by_distance], style.second, close)
    add_annotations(fig, annotations)
