"""The paired difference in two measures, with the region the test does not rule out."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import difference_axis_title, tick_axis
from foldwise.figures.cloud_parts import ellipse
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
from foldwise.figures.theme import FADED, Style

#: A region that reaches farther beyond folds and origin than this many of their spans is cut off.
_MOST_SPANS = 3.0
_SAME_ERROR = ["fpr", "tpr"]

#: Where words may stand around a mark, the best first.
_SIDES = [(1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1)]
_SIDES += [(0.5, 1), (-0.5, 1), (0.5, -1), (-0.5, -1)]

#: What words cost that leave the plot, touch others, cover a fold, a px or two of rim or line.
_OUTSIDE, _TOUCHING, _FOLD, _RIM, _LINE = 1000.0, 100.0, 3.0, 1.0, 0.2


def difference_ellipse(
    differences: pd.DataFrame,
    shape: np.ndarray,
    *,
    first: str,
    second: str,
    rejects: bool,
    style: Style,
    level: str = "95 %",
    positive_share: float | None = None,
    unit: str = "fold",
    selected: Collection[str] = (),
) -> go.Figure:
    """Draw each fold's difference, their mean and its confidence ellipse, and the origin.

    Parameters
    ----------
    differences : DataFrame
        `first` minus `second` per fold (the index its label), two measures: x, then y.
    shape : array, 2 x 2
        A of the region (mu - mean)' A^-1 (mu - mean) <= 1. A singular one is drawn as the segment
        it is, all zeros as nothing but the mean.
    first, second : str
        The two algorithms.
    rejects : bool
        Whether the test rejects: then the origin lies outside.
    style : Style
        Surface and width.
    level : str
        Confidence of the region, as printed at its rim.
    positive_share : float, optional
        Over (fpr, tpr), draws the line on which the two have the same error.
    unit : str
        What one result of each algorithm comes from: "fold", "run".
    selected : collection of str
        Folds that keep full strength while the others fade.

    Returns
    -------
    Figure
        Fold marks carry their label.
    """
    values = differences.to_numpy(dtype=float)
    mean = values.mean(axis=0)
    rim = _rim(mean, np.asarray(shape, dtype=float))
    spans = _window(values, rim)
    height = style.px(440, 262)
    ticks = [_ticks(*spans[0], style.px(6, 5)), _ticks(*spans[1], style.px(8, 7))]
    below, beside = (
        max(text.text_width(label, style.tick_size, style.serif) for label in shown)
        for _, shown in ticks
    )
    margin = {
        "l": math.ceil(beside + style.px(12, 9) + 1.5 * style.size),
        "r": max(style.px(18, 10), math.ceil(below / 2)),
        "t": style.px(38, 27),
        "b": style.px(46, 34),
    }
    fig = theme.new_figure(style, height, margin=margin)
    plane = Plane(
        x=spans[0],
        y=spans[1],
        width=style.width - margin["l"] - margin["r"],
        height=height - margin["t"] - margin["b"],
    )
    _zero(fig, spans, style)
    share = positive_share if list(map(str, differences.columns)) == _SAME_ERROR else None
    same = _same_error(share, spans)
    if same is not None:
        _line(fig, same, "same error", style.second, style, dash="dash")
    if np.ptp(rim, axis=0).any():
        _region(fig, rim, level, rejects, style)
    _folds(fig, differences, selected, unit, style)
    places = _places(values)
    _mark(fig, mean, "mean", _said("mean difference", differences, mean, places), style)
    _mark(fig, np.zeros(2), "no difference", "<b>no difference</b>", style)
    room = (  # titles stand at the middle of their axes, which is not that of the figure
        plane.width + 2 * min(margin["l"], margin["r"]),
        plane.height + 2 * min(margin["t"], margin["b"]),
    )
    titles = [
        difference_axis_title(name, ", ", first, second, most - 6, 0.45, style)
        for name, most in zip(differences.columns, room, strict=True)
    ]
    for update, span, (at, shown), said in zip(
        (fig.update_xaxes, fig.update_yaxes), spans, ticks, titles, strict=True
    ):
        update(**tick_axis(at, shown, list(span)))
        update(title={"text": said, "standoff": 5})
    _chip(fig, rejects, style)
    _labels(fig, plane, np.vstack([values, mean]), rim, same, level, style)
    return fig


def _rim(mean: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """Return the rim of the region; in units of each measure, so that their scales do not matter."""
    scale = np.sqrt(np.clip(np.diag(shape), 0, None))
    if not (np.isfinite(shape).all() and scale.any()):
        return mean[None, :]
    unit = np.where(scale > 0, scale, 1.0)
    return mean + unit * ellipse(np.zeros(2), shape / np.outer(unit, unit))


def _window(values: np.ndarray, rim: np.ndarray) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of both axes: folds and origin, and the region as far as they stay readable."""
    inner = np.concatenate([values, np.zeros((1, 2))])
    low, high = inner.min(axis=0), inner.max(axis=0)
    reach = _MOST_SPANS * (high - low)
    reach[reach == 0] = np.inf
    low = np.minimum(low, np.maximum(rim.min(axis=0), low - reach))
    high = np.maximum(high, np.minimum(rim.max(axis=0), high + reach))
    pad = np.where(high > low, 0.08 * (high - low), 0.055)
    return tuple(zip((low - pad).tolist(), (high + pad).tolist(), strict=True))


def _ticks(low: float, high: float, most: float) -> tuple[list[float], list[str]]:
    """Return round places within the span, zero among them, and what to print there."""
    least = (high - low) / most
    power = 10.0 ** math.floor(math.log10(least))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= 0.999 * least)
    every = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    at = [i * step for i in every]
    if places > 5 or step >= 1e6:
        return at, [_power(value) for value in at]
    return at, [
        ("\N{MINUS SIGN}" if value < 0 else "") + f"{abs(value):,.{places}f}" for value in at
    ]


def _power(value: float) -> str:
    """Return a number such as 1.5e-7."""
    if not value:
        return "0"
    digits, power = f"{abs(value):.2e}".split("e")
    return ("\N{MINUS SIGN}" if value < 0 else "") + f"{float(digits):g}e{int(power)}".replace(
        "-", "\N{MINUS SIGN}"
    )


def _line(
    fig: go.Figure, ends: np.ndarray, name: str, colour: str, style: Style, dash: str = "solid"
) -> None:
    traces.add_line(
        fig, ends[:, 0].tolist(), ends[:, 1].tolist(), name, colour, style.px(1.2, 0.7), dash=dash
    )


def _zero(fig: go.Figure, spans: tuple, style: Style) -> None:
    for axis in (0, 1):
        ends = np.zeros((2, 2))
        ends[:, axis] = spans[axis]
        _line(fig, ends, "zero", style.leader, style)


def _same_error(share: float | None, spans: tuple) -> np.ndarray | None:
    """Return the ends, within the window, of share * dy = (1 - share) * dx."""
    if share is None or not 0 < share < 1:
        return None
    slope = (1 - share) / share
    (x0, x1), (y0, y1) = spans
    x = np.array([max(x0, y0 / slope), min(x1, y1 / slope)])
    return np.column_stack([x, slope * x])


def _region(fig: go.Figure, rim: np.ndarray, level: str, rejects: bool, style: Style) -> None:
    red, green, blue = (int(style.ink[i : i + 2], 16) for i in (1, 3, 5))
    verdict = "outside" if rejects else "inside"
    fig.add_scatter(
        x=rim[:, 0].tolist(),
        y=rim[:, 1].tolist(),
        mode="lines",
        name="region",
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},{style.px(0.12, 0.1):g})",
        line={"color": style.ink, "width": style.px(1.8, 0.9), "simplify": False},
        hovertext=f"<b>{text.escape(level)} region of the mean difference</b><br>origin {verdict}",
        hoverinfo="text",
        hoveron="points",
    )


def _places(values: np.ndarray) -> list[int]:
    return [text.decimals_for(column.tolist()) + 1 for column in values.T]


def _said(subject: str, differences: pd.DataFrame, point: np.ndarray, places: Iterable[int]) -> str:
    told = ", ".join(
        f"{text.escape(name)} {text.format_signed(float(value), digits)}"
        for name, value, digits in zip(differences.columns, point, places, strict=True)
    )
    return f"<b>{text.escape(subject)}</b><br>{told}"


def _folds(
    fig: go.Figure, differences: pd.DataFrame, selected: Collection[str], unit: str, style: Style
) -> None:
    labels = [str(label) for label in differences.index]
    values = differences.to_numpy(dtype=float)
    places = _places(values)
    for lit, part in traces.split_by_selection(labels, selected):
        traces.add_points(
            fig,
            values[part, 0].tolist(),
            values[part, 1].tolist(),
            "folds" if lit else "other folds",
            style.px(8, 4.6),
            "circle-open",
            style.ink,
            edge=(style.px(1.2, 0.7), style.ink),
            said=[
                _said(f"{unit} {labels[i]}", differences, values[i], places)
                + f"<br>{traces.click_hint('fold', noun=unit)}"
                for i in part
            ],
            opacity=1.0 if lit else FADED,
            customdata=[labels[i] for i in part],
            meta="fold",
        )


def _mark(fig: go.Figure, point: np.ndarray, name: str, said: str, style: Style) -> None:
    """Draw the mean as a cross or the origin as a ring."""
    origin = name == "no difference"
    colour = style.accent if origin else style.ink
    fig.add_scatter(
        x=[float(point[0])],
        y=[float(point[1])],
        mode="markers",
        name=name,
        hovertext=said,
        hoverinfo="text",
        marker={
            "symbol": "circle-open" if origin else "cross-thin",
            "size": style.px(13, 8) if origin else style.px(15, 9),
            "opacity": 1,
            "color": colour,
            "line": {"width": style.px(2.4, 1.3), "color": colour},
        },
        cliponaxis=False,
    )


def _chip(fig: go.Figure, rejects: bool, style: Style) -> None:
    words = "origin outside: differs" if rejects else "origin inside: not separated"
    fig.add_annotation(
        text=words,
        xref="paper",
        yref="paper",
        x=0,
        y=1,
        xanchor="left",
        yanchor="bottom",
        xshift=style.px(2, 1),
        yshift=style.px(8, 5),
        font={"size": style.size, "color": style.ink},
        bordercolor=style.ink if rejects else style.leader,
        borderwidth=style.px(1.2, 0.7),
        borderpad=style.px(4, 2.5),
    )


def _labels(
    fig: go.Figure,
    plane: Plane,
    marks: np.ndarray,
    rim: np.ndarray,
    same: np.ndarray | None,
    level: str,
    style: Style,
) -> None:
    """Name origin, line and region where the words hide least."""
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
    board.draw(plane.px(marks), cost=_FOLD, gap=3)
    board.draw(points_along(edge), cost=_RIM, gap=3)
    zero = [np.array([[0, y], [plane.width, y]]), np.array([[x, 0], [x, plane.height]])]
    board.draw(join_points([line, *map(points_along, zero)]), cost=_LINE, gap=3)

    notes = []

    def put(words: str, points: np.ndarray, colour: str, gaps: np.ndarray) -> None:
        """Write beside one of the points; near ones and earlier ones win ties."""
        size = text_size(words, style, style.tick_size)
        spots, order = candidate_positions(points, size, gaps, sides=_SIDES, led=2 * gaps[0])
        label = board.put(replace(spots, cost=order @ [0.01, 1, 0.001]))
        if label is not None:
            font = {"size": style.tick_size, "color": colour}
            start = {"standoff": ring, "arrowcolor": style.second} if label.led else {}
            notes.append(annotation_at(words, label, plane, style, font=font, **start))

    put("no difference", origin, style.ink, ring * np.array([1.1, 3, 5, 8, 12]))
    near = np.array([0.6 * ring])
    if len(line):
        ends = [round(share * (len(line) - 1)) for share in np.linspace(0.02, 0.22, 7)]
        put("same error", np.concatenate([line[ends], line[::-1][ends]]), style.second, near)
    if len(np.unique(edge, axis=0)) > 1:
        outer = np.argsort(-np.abs(edge - origin).sum(axis=1), kind="stable")
        put(level, edge[outer], style.second, near)
    add_annotations(fig, notes)


def alt_difference_ellipse(
    differences: pd.DataFrame, *, first: str, second: str, rejects: bool, unit: str = "fold"
) -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    end = f" Origin lies {'outside' if rejects else 'inside'} the ellipse."
    values = differences.to_numpy(dtype=float)
    means = ", ".join(
        f"{text.plain_text(name)} {text.format_signed(float(value), places)}"
        for name, value, places in zip(
            differences.columns, values.mean(axis=0), _places(values), strict=True
        )
    )
    body = (
        f"Paired differences, {text.plain_text(first)} minus {text.plain_text(second)}, in "
        f"{len(differences)} {unit}s with the region of their mean: {means}."
    )
    return text.truncate_text(body, 300 - len(end)) + end
