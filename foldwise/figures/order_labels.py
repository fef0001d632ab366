"""Labels of order curves: names beside lines, and flags of vertical lines above the plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text
from foldwise.figures.label_placement import (
    Candidates,
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
from foldwise.figures.theme import PX_PER_POINT, Style

#: Distances of a name from its line, in heights of the text; all but the nearest with a leader.
_AWAY = (0.35, 1.0, 1.8, 2.8, 4.0, 5.5)
#: Names are placed where a line exceeds this share of its maximum, since lines meet near zero.
_NEAR_TOP = 0.55


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """The label of a vertical line, right of its upper end, `row` rows above the plot."""

    words: str
    x: float
    row: int


def small_text(style: Style) -> float:
    """Return the text size of flags in px: 7 points in print."""
    return style.px(style.tick_size - 1, 7 * PX_PER_POINT)


def place_flags(places: pd.Series, reach: tuple[float, float], room: float, style: Style) -> list[Flag]:
    """Return a flag for every vertical line, none over another flag or line.

    Of lines whose labels would touch, the leftmost has the highest label, so that every line
    ends below the labels that extend over it.
    """
    inside = places[places.between(*reach)].sort_values(kind="stable")
    labels = [_pair(pair) for pair in inside.index]
    short = text.shorten(labels, 0.32 * room, small_text(style), serif=style.serif)
    flags: list[Flag] = []
    cluster: list[tuple[str, float]] = []
    end = -np.inf
    for label, x in zip([short[name] for name in labels], inside, strict=True):
        start = (x - reach[0]) / (reach[1] - reach[0]) * room * width_scales(style)[-1]
        if start > end:
            flags += _stacked(cluster)
            cluster = []
        cluster.append((label, float(x)))
        end = max(end, start + flag_width(label, style) + style.px(6, 3))
    return flags + _stacked(cluster)


def _stacked(cluster: Sequence[tuple[str, float]]) -> list[Flag]:
    top = len(cluster) - 1
    return [Flag(words=label, x=x, row=top - i) for i, (label, x) in enumerate(cluster)]


def _pair(pair: object) -> str:
    """Return the label of a pair (cheaper, costlier) or of a string."""
    if isinstance(pair, tuple) and len(pair) == 2:
        return f"{text.plain_text(pair[1])} over {text.plain_text(pair[0])}"
    return text.plain_text(pair)


def flag_width(words: str, style: Style) -> float:
    """Return the width in px of a flag to the right of its line."""
    return text.text_width(words, small_text(style), style.serif) + style.px(8, 5)


def flag_room(flags: Sequence[Flag], style: Style) -> float:
    """Return the height in px that flags need above the plot."""
    return max((flag.row + 1 for flag in flags), default=0) * 1.2 * small_text(style)


def write_flag(fig: go.Figure, flag: Flag, style: Style) -> None:
    """Draw a thin line from the axis up to its flag, and the label."""
    rise = flag.row * 1.2 * small_text(style) + style.px(3, 2)
    line = {
        "type": "line",
        "name": "half power",
        "x0": flag.x,
        "x1": flag.x,
        "yref": "paper",
        "layer": "below",
        "line": {"color": style.leader, "width": style.px(1, 0.5), "dash": style.px("dot", "1px,2px")},
    }
    fig.add_shape(**line, y0=0, y1=1)
    fig.add_shape(**line, ysizemode="pixel", yanchor=1, y0=0, y1=rise + 0.9 * small_text(style))
    fig.add_annotation(
        text=text.escape(flag.words),
        name="half power",
        x=flag.x,
        xanchor="left",
        xshift=style.px(4, 3),
        yref="paper",
        y=1,
        yanchor="middle",
        yshift=rise + 0.5 * small_text(style),
        font={"size": small_text(style), "color": style.second},
    )


def write_names(
    fig: go.Figure,
    lines: Mapping[str, pd.Series],
    colours: Mapping[str, str],
    flags: Sequence[Flag],
    plane: Plane,
    style: Style,
) -> None:
    """Write every name near the maximum of its line, where it overlaps least.

    A figure on the screen shrinks with its window, but its text does not: a position must be clear
    both at full width and in the narrowest window.
    """
    short = text.shorten(list(lines), 0.35 * plane.width, style.size, serif=style.serif)
    paths = {name: _path(values, plane) for name, values in lines.items()}
    paths = {name: path for name, path in paths.items() if len(path)}
    board = PlacementBoard(
        plane.width, plane.height, gap=style.px(5, 3), inset=(2, 2, 0, -1), squeezes=width_scales(style)
    )
    line_points = join_points(paths.values())
    board.draw(line_points, cost=6, gap=style.px(4, 2.5))
    verticals = [plane.px(np.array([[flag.x, end] for end in plane.y])) for flag in flags]
    board.draw(join_points(points_along(line, 4) for line in verticals), cost=2, gap=1)
    zero, new_annotations = plane.px(np.zeros(2))[1], []
    for name in sorted(paths, key=lambda name: -paths[name][:, 1].max()):
        label = board.put(_candidates(paths[name], zero, text_size(short[name], style)))
        if label is not None:
            covers = (label.box.distances(line_points) == 0).any()
            options = {"name": "order", "bgcolor": style.veil if covers else None}
            font = {"size": style.size, "color": colours[name]}
            new_annotations.append(annotation_at(short[name], label, plane, style, font=font, **options))
    add_annotations(fig, new_annotations)


def _path(values: pd.Series, plane: Plane) -> np.ndarray:
    """Return points along a line in px."""
    finite = values.dropna()
    return points_along(plane.px(np.column_stack([finite.index, finite])))


def _candidates(path: np.ndarray, zero: float, size: tuple[float, float]) -> Candidates:
    """Return candidate positions of a name around the upper part of its line."""
    top = path[:, 1].max()
    peak_x = path[path[:, 1] >= top - 2, 0]
    high = path[path[:, 1] >= zero + _NEAR_TOP * (top - zero)]
    points = np.concatenate([path[[path[:, 1].argmax()]], high[::10]])
    candidates, order = candidate_positions(points, size, np.array(_AWAY) * size[1], led=_AWAY[0] * size[1])
    below = top - points[:, 1]
    aside = np.abs(peak_x - points[:, [0]]).min(axis=1)
    point, distance, side = order.T
    cost = (1.5 * below + 0.5 * aside)[point] * (1 + distance) + 2 * side + 10 * distance
    return replace(candidates, cost=cost)
