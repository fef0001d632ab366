"""The corner where good curves crowd, drawn larger inside the same square."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from shapely import LineString, clip_by_rect, get_coordinates, get_parts

from foldwise.figures import text, traces
from foldwise.figures.label_placement import (
    Box,
    Candidates,
    PlacementBoard,
    even_path,
    join_points,
)
from foldwise.figures.roc_traces import CurveStyle, average_width
from foldwise.figures.theme import Style

#: From this area on under a curve, of the two best ones, the corner is shown larger.
CROWDED = 0.95
#: Sides of the corner to choose from, as shares of the square, and of the inset, the larger first.
_CORNERS, _SIDES = (0.02, 0.05, 0.1, 0.2, 0.25), (0.5, 0.44, 0.38, 0.32)
#: The corner reaches so many times as far as the worst curve's nearest point lies from it.
_REACH = 1.7
_STEPS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Inset:
    """Where the corner lies, and where it is drawn larger; all in the unit of the square.

    Attributes
    ----------
    corner : (float, float)
        Left and lower end of the corner.
    size : float
        Its side.
    at : (float, float)
        Left and lower end of the inset.
    side : float
        Its side.
    taken : Box
        What the inset takes in px, with the words at its ends.
    """

    corner: tuple[float, float]
    size: float
    at: tuple[float, float]
    side: float
    taken: Box

    @property
    def frame(self) -> np.ndarray:
        """The edges of the corner, as points."""
        (left, low), size = self.corner, self.size
        right, top = left + size, low + size
        return np.array([(left, low), (right, low), (right, top), (left, top), (left, low)])

    def larger(self, points: np.ndarray) -> np.ndarray:
        """Return where points of the corner lie in the inset."""
        return np.array(self.at) + (points - np.array(self.corner)) * self.side / self.size


def find_inset(
    averages: Mapping[str, pd.DataFrame],
    at_left: bool,
    side: float,
    marks: Sequence[np.ndarray],
    taken: Sequence[Box],
    room: tuple[float, float],
    style: Style,
) -> Inset | None:
    """Find a place for the corner where areas are so large that curves crowd there; else None.

    Parameters
    ----------
    averages : mapping of algorithm to DataFrame
        Columns x and y, ascending in x.
    at_left : bool
        Whether the best corner is the upper left one, not the upper right one.
    side : float
        Of the square in px.
    marks : sequence of arrays, points x 2
        What else stays clear.
    taken : sequence of Box
        Words that are there already, in px.
    room : (float, float)
        Width and height in px that the key still needs.
    style : Style
    """
    areas = sorted(float(np.trapezoid(t["y"], t["x"])) for t in averages.values() if len(t) > 1)
    if not areas or areas[-min(2, len(areas))] <= CROWDED:
        return None
    best = np.array([0.0 if at_left else 1.0, 1.0])
    paths = [even_path(t[["x", "y"]].to_numpy(dtype=float), 400) for t in averages.values()]
    nearest = max(np.abs(path - best).max(axis=1).min() for path in paths)
    size = next((c for c in _CORNERS if c >= _REACH * nearest), _CORNERS[-1])
    corner = (0.0 if at_left else 1 - size, 1 - size)
    found = _place(paths, at_left, side, marks, taken, room, style)
    return None if found is None else Inset(corner=corner, size=size, **found)


def _place(paths, at_left, side, marks, taken, room, style) -> dict | None:
    """Return the largest place clear of curves, marks and words that leaves room for the key.

    Of places of one size first the one farthest from the corner, then the nearest.
    """
    solid = join_points([*paths, *marks]) * side
    left, low = 2.9 * style.tick_size, 1.5 * style.tick_size
    steps = np.linspace(0, side, _STEPS)
    grid = np.array([(x, y) for x in steps for y in steps])
    away = np.array([side if at_left else 0.0, 0.0])
    for share, liked in product(_SIDES, (1, -1)):
        wide = share * side
        board = PlacementBoard(side, side, gap=style.px(8, 5), inset=(style.px(6, 4),) * 4)
        board.draw(solid, gap=style.px(8, 5))
        for box in taken:
            board.take(box)
        far = liked * np.hypot(*(grid - away).T)
        label = board.put(Candidates.of(grid, (0, 0), (wide + left, wide + low), far))
        if label is not None and board.put(Candidates.of(grid, (0, 0), room)) is not None:
            at = ((label.box.left + left) / side, (label.box.bottom + low) / side)
            return {"at": at, "side": share, "taken": label.box}
    return None


def draw_inset(
    fig: go.Figure,
    inset: Inset,
    averages: Mapping[str, pd.DataFrame],
    pens: Mapping[str, CurveStyle],
    style: Style,
) -> None:
    """Draw the frame around the corner, the inset with its ends in numbers, and the curves in it."""
    thin = {"color": style.leader, "width": style.px(1, 0.6)}
    traces.add_line(fig, *inset.frame.T, "corner", thin["color"], thin["width"], cliponaxis=False)
    x, y = inset.larger(inset.frame).T
    more = {"fill": "toself", "fillcolor": style.page}
    traces.add_line(fig, x, y, "inset", thin["color"], thin["width"], **more)
    for name, table in averages.items():
        _curve(fig, inset, table[["x", "y"]].to_numpy(dtype=float), pens[name], style)
    _ends(fig, inset, style)


def _curve(fig: go.Figure, inset: Inset, points: np.ndarray, pen: CurveStyle, style: Style) -> None:
    """Draw the part of a curve that lies in the corner."""
    if len(points) < 2:
        return
    (left, low), size = inset.corner, inset.size
    inside = clip_by_rect(LineString(points), left, low, left + size, low + size)
    for part in get_parts(inside):
        drawn = inset.larger(get_coordinates(part))
        if len(drawn) < 2:
            continue
        fig.add_scatter(
            x=drawn[:, 0],
            y=drawn[:, 1],
            mode="lines",
            name=f"{text.escape(pen.name)} inset",
            opacity=pen.strength,
            line={"color": pen.colour, "width": average_width(style), "dash": pen.dash},
            hovertext=f"<b>{text.escape(pen.name)}</b>, the corner enlarged",
            hoverinfo="text",
            cliponaxis=False,
        )


def _ends(fig: go.Figure, inset: Inset, style: Style) -> None:
    """Print the ends of the corner beside and below the inset, with equal decimals."""
    (x, y), side, gap = inset.at, inset.side, style.px(4, 2)
    (left, low), size = inset.corner, inset.size
    look = {"size": style.tick_size, "colour": style.second}
    for share, ends in ((0.0, "left"), (1.0, "right")):
        said = f"{left + share * size:.2f}"
        traces.add_text(
            fig, said, x + share * side, y, **look, anchor=f"{ends}, top", shift=(0, -gap)
        )
    for share, ends in ((0.0, "bottom"), (1.0, "top")):
        said = f"{low + share * size:.2f}"
        traces.add_text(
            fig, said, x, y + share * side, **look, anchor=f"right, {ends}", shift=(-gap, 0)
        )
