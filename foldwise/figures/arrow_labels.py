"""Labels on the arrows of a graph, where they have room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from foldwise.figures import graph_parts, text
from foldwise.figures.graph_layout import Arc, Edge, Layout
from foldwise.figures.theme import Style

#: Points along an arc that are tried for its label, as shares of its length; the top first.
_LABEL_SPOTS = (0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7)
#: Among more arrows than this hardly any label has room, and one alone would mislead.
_MOST_ARROWS = 40


def write_labels(
    fig: go.Figure, arcs: Sequence[Arc], layout: Layout, labels: Mapping[Edge, str], style: Style
) -> None:
    """Write labels on their arrows, near the top, where nothing else is.

    Parameters
    ----------
    fig : Figure
    arcs : sequence of Arc
        Every arrow that is drawn; labels stand clear of the others.
    layout : Layout
    labels : mapping of (cheaper, better) to str
        Plain texts; those without room are left out, and all with more arrows than 40.
    style : Style
    """
    if len(arcs) > _MOST_ARROWS:
        return
    size = style.px(11, 9.33)
    words = [
        {
            "text": text.escape(labels[arc.edge]),
            "name": f"label {text.plain(arc.edge[0])} to {text.plain(arc.edge[1])}",
            "x": x,
            "y": y,
            "xanchor": "center",
            "yanchor": "middle",
            "bgcolor": graph_parts.page(style),
            "font": {"size": size, "color": style.ink},
        }
        for arc, x, y in _label_places(arcs, layout, labels, size, style)
    ]
    graph_parts.annotate(fig, words)


def _label_places(
    arcs: Sequence[Arc], layout: Layout, labels: Mapping[Edge, str], size: float, style: Style
) -> list[tuple[Arc, float, float]]:
    """Return the arcs whose labels have room, and where; the highest arcs choose first."""
    ways = {arc.edge: _dense(arc.points) for arc in arcs}
    boxes: list[tuple[float, float, float, float]] = []
    found = []
    for arc in sorted(arcs, key=lambda arc: -arc.points[:, 1].max()):
        if arc.edge not in labels:
            continue
        half = np.array([text.width(labels[arc.edge], size, style.serif) / 2 + 3, 0.7 * size])
        others = [way for edge, way in ways.items() if edge != arc.edge]
        crowd = np.vstack(others) if others else np.empty((0, 2))
        way = ways[arc.edge]
        for share in _LABEL_SPOTS:
            spot = way[round(share * (len(way) - 1))]
            box = (*(spot - half), *(spot + half))
            within = box[0] >= 0 and box[2] <= layout.width and box[1] > layout.radius
            free = within and box[3] <= layout.above
            if free and not _meets(box, boxes) and not (abs(crowd - spot) < half).all(1).any():
                boxes.append(box)
                found.append((arc, float(spot[0]), float(spot[1])))
                break
    return found


def _dense(points: np.ndarray) -> np.ndarray:
    """Return a curve with points close enough for none of it to slip through a label."""
    at = np.linspace(0, len(points) - 1, 8 * len(points))
    every = np.arange(len(points))
    return np.column_stack([np.interp(at, every, points[:, i]) for i in (0, 1)])


def _meets(
    box: tuple[float, float, float, float], others: Sequence[tuple[float, float, float, float]]
) -> bool:
    return any(
        box[0] < x1 and x0 < box[2] and box[1] < y1 and y0 < box[3] for x0, y0, x1, y1 in others
    )
