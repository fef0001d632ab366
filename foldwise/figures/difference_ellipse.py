"""Paired differences in two measures, with the confidence region of their mean."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import ClassVar

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
_SIDES = [(1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1)]
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
        spans = _window(values, rim)
        numbers = [ticks(*spans[0], style.px(6, 5)), ticks(*spans[1], style.px(8, 7))]
        height, margin = style.px(440, 262), _margin(numbers, style)
        fig = theme.new_figure(style, height, margin=margin)
        width, height = style.width - margin["l"] - margin["r"], height - margin["t"] - margin["b"]
        plane = Plane(x=spans[0], y=spans[1], width=width, height=height)
        thin = style.px(1.2, 0.7)
        for x, y in ((spans[0], (0.0, 0.0)), ((0.0, 0.0), spans[1])):
            traces.add_line(fig, x, y, "zero", style.leader, thin, dash="solid")
        same_error = self.same_error(spans)
        if same_error is not None:
            traces.add_line(
                fig, *same_error.T.tolist(), "same error", style.second, thin, dash="dash"
            )
        if np.ptp(rim, axis=0).any():
            self._draw_region(fig, rim, style)
        self._draw_folds(fig, values, style)
        edge = style.px(2.4, 1.3)
        hover = self.hover("mean difference", mean)
        for name, (x, y), symbol, size, colour, hover_text in (
            ("mean", mean.tolist(), "cross-thin", style.px(15, 9), style.ink, hover),
            (
                "no difference",
                (0.0, 0.0),
                "circle-open",
                style.px(13, 8),
                style.accent,
                "<b>no difference</b>",
            ),
        ):
            traces.add_points(
                fig,
                [x],
                [y],
                name,
                size,
                symbol,
                colour,
                (edge, colour),
                hover_text=hover_text,
                unselected=None,
            )
        # Titles are centred on their axes, not on the figure.
        lengths = (
            width + 2 * min(margin["l"], margin["r"]),
            height + 2 * min(margin["t"], margin["b"]),
        )
        for update, span, axis, name, length in zip(
            (fig.update_xaxes, fig.update_yaxes),
            spans,
            numbers,
            self.differences.columns,
            lengths,
            strict=True,
        ):
            title = difference_axis_title(
                measure_name(name), ", ", self.first, self.second, length - 6, 0.45, style
            )
            update(title={"text": title, "standoff": 5}, **tick_axis(*axis, list(span)))
        self._write_conclusion(fig, style)
        _write_labels(fig, plane, np.vstack([values, mean]), rim, same_error, self.level, style)
        return fig

    def _draw_region(self, fig: go.Figure, rim: np.ndarray, style: Style) -> None:
        """Draw the confidence region; its hover text states whether the origin lies inside."""
        side = "outside" if self.rejects else "inside"
        traces.add_line(
            fig,
            *rim.T.tolist(),
            "region",
            style.ink,
            style.px(1.8, 0.9),
            hover_text=figure_text(
                "difference_ellipse.region", level=text.escape(self.level), side=side
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
        marker = (style.px(8, 4.6), "circle-open", style.ink, (style.px(1.2, 0.7), style.ink))
        for is_emphasised, indices in traces.split_by_selection(labels, self.selected):
            traces.add_points(
                fig,
                *values[indices].T.tolist(),
                "folds" if is_emphasised else "other folds",
                *marker,
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
        words = figure_text(f"difference_ellipse.{'outside' if self.rejects else 'inside'}")
        border = {"borderwidth": style.px(1.2, 0.7), "borderpad": style.px(4, 2.5)}
        border["bordercolor"] = style.ink if self.rejects else style.leader
        at = {
            "refs": "paper, paper",
            "anchor": "left, bottom",
            "shift": (style.px(2, 1), style.px(8, 5)),
        }
        traces.add_text(fig, words, 0, 1, style.size, style.ink, **at, **border)

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
        end = figure_text(
            "difference_ellipse.alt_end", side="outside" if self.rejects else "inside"
        )
        means = ", ".join(
            f"{measure_name(text.plain_text(name))} {text.format_signed(float(value), places)}"
            for name, value, places in zip(
                self.differences.columns,
                self.differences.to_numpy(dtype=float).mean(axis=0),
                self.decimals,
                strict=True,
            )
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

    def same_error(self, spans: tuple) -> np.ndarray | None:
        """Return the ends of the line of equal error within the axis ranges, None if it does not apply."""
        share = self.positive_share
        if share is None or not self._shares_error or not 0 < share < 1:
            return None
        slope = (1 - share) / share
        (x0, x1), (y0, y1) = spans
        x = np.array([max(x0, y0 / slope), min(x1, y1 / slope)])
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


def _margin(numbers: list[tuple[list[float], list[str]]], style: Style) -> dict[str, float]:
    """Return margins in px that fit the widest tick labels."""
    x_label_width, y_label_width = (
        text.widest(shown, style.tick_size, style.serif) for _, shown in numbers
    )
    return {
        "l": math.ceil(y_label_width + style.px(12, 9) + 1.5 * style.size),
        "r": max(style.px(18, 10), math.ceil(x_label_width / 2)),
        "t": style.px(38, 27),
        "b": style.px(46, 34),
    }


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
    low, high = core.min(axis=0), core.max(axis=0)
    largest_overhang = _MOST_SPANS * (high - low)
    largest_overhang[largest_overhang == 0] = np.inf
    low = np.minimum(low, np.maximum(rim.min(axis=0), low - largest_overhang))
    high = np.maximum(high, np.minimum(rim.max(axis=0), high + largest_overhang))
    pad = np.where(high > low, 0.08 * (high - low), 0.055)
    return tuple(zip((low - pad).tolist(), (high + pad).tolist(), strict=True))


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
    edge, origin = plane.px(rim), plane.px(np.zeros((1, 2)))
    line = points_along(plane.px(np.empty((0, 2)) if same is None else same))
    (x, y), ring = origin[0], style.px(8, 5)
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
    zero_lines = [np.array([[0, y], [plane.width, y]]), np.array([[x, 0], [x, plane.height]])]
    board.draw(join_points([line, *map(points_along, zero_lines)]), cost=_LINE, clearance=3)

    new_annotations = []

    def put(words: str, points: np.ndarray, colour: str, distances: np.ndarray) -> None:
        """Place a label near one of the points if there is room; short distances and earlier points are preferred."""
        size = text_size(words, style, style.tick_size)
        candidates, order = candidate_positions(
            points, size, distances, sides=_SIDES, led=2 * distances[0]
        )
        label = board.put(replace(candidates, cost=order @ [0.01, 1, 0.001]))
        if label is not None:
            font = {"size": style.tick_size, "color": colour}
            leader_options = {"standoff": ring, "arrowcolor": style.second} if label.led else {}
            new_annotations.append(
                annotation_at(words, label, plane, style, font=font, **leader_options)
            )

    put("no difference", origin, style.ink, ring * np.array([1.1, 3, 5, 8, 12]))
    close_gaps = np.array([0.6 * ring])
    if len(line):
        ends = [round(share * (len(line) - 1)) for share in np.linspace(0.02, 0.22, 7)]
        put("same error", np.concatenate([line[ends], line[::-1][ends]]), style.second, close_gaps)
    if len(np.unique(edge, axis=0)) > 1:
        by_distance = np.argsort(-np.abs(edge - origin).sum(axis=1), kind="stable")
        put(level, edge[by_distance], style.second, close_gaps)
    add_annotations(fig, new_annotations)
