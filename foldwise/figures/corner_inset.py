"""The inset of a plot of curves in the unit square: an enlargement of its best corner, with everything drawn there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import plotly.graph_objects as go
import shapely

from foldwise.figures import text, traces
from foldwise.figures.label_placement import Box, Candidates, PlacementBoard, even_path, join_points
from foldwise.figures.theme import Style

#: The inset is drawn if the two largest areas under curves exceed this value.
_CROWDED = 0.95
#: Candidate sides of the corner, ascending, and of the inset, descending, as shares of the square.
_CORNERS, _SIDES = (0.02, 0.05, 0.1, 0.2, 0.25), (0.5, 0.44, 0.38, 0.32)
#: Least side of the corner as a multiple of the largest distance of a curve from it.
_REACH = 1.7
_STEPS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Inset:
    """The enlarged corner of a plot and the position of its inset, in units of the unit square.

    Attributes
    ----------
    corner : (float, float)
        Left and lower edge of the corner.
    size : float
        Side of the corner.
    at : (float, float)
        Left and lower edge of the inset.
    side : float
        Side of the inset.
    occupied : Box
        Area of the inset in px, including its tick labels.
    """

    corner: tuple[float, float]
    size: float
    at: tuple[float, float]
    side: float
    occupied: Box

    @property
    def frame(self) -> np.ndarray:
        """The outline of the corner as a closed path, points x 2."""
        (left, low), size = self.corner, self.size
        right, top = left + size, low + size
        return np.array([(left, low), (right, low), (right, top), (left, top), (left, low)])

    def larger(self, points: np.ndarray) -> np.ndarray:
        """Return the positions in the inset of points of the corner."""
        return np.array(self.at) + (points - np.array(self.corner)) * self.side / self.size

    def pieces(self, points: np.ndarray, *, area: bool = False) -> list[np.ndarray]:
        """Return the enlarged parts inside the corner of lines or areas that are separated by missing points.

        The list is empty if nothing lies in the corner.
        """
        defined = np.isfinite(points).all(axis=1)
        points, owner = points[defined], np.cumsum(~defined)[defined]
        fewest_points = 4 if area else 2
        is_long = np.bincount(owner)[owner] >= fewest_points
        if not is_long.any():
            return []
        points = points[is_long]
        _, owner = np.unique(owner[is_long], return_inverse=True)
        if area:
            rings = shapely.linearrings(points, indices=owner)
            shapes = shapely.make_valid(shapely.polygons(rings))
        else:
            shapes = shapely.linestrings(points, indices=owner)
        left, low = self.corner
        clipped = shapely.clip_by_rect(shapes, left, low, left + self.size, low + self.size)
        parts = shapely.get_parts(shapely.get_parts(clipped))
        of_kind = [part for part in parts if (part.geom_type == "Polygon") == area]
        outlines = [part.exterior if area else part for part in of_kind]
        enlarged = [self.larger(shapely.get_coordinates(outline)) for outline in outlines]
        return [piece for piece in enlarged if len(piece) > 1]


def find_inset(
    curves: Collection[np.ndarray],
    *,
    at_left: bool,
    side: float,
    style: Style,
    points: Sequence[np.ndarray] = (),
    occupied: Sequence[Box] = (),
    key_size: tuple[float, float] = (0.0, 0.0),
) -> Inset | None:
    """Return an inset of the best corner; None unless the two largest areas exceed 0.95 and it fits.

    The largest inset clear of curves, `points`, boxes in px and a legend is chosen; among positions
    of one size the farthest from the corner, then the nearest.
    """
    if not _is_crowded(curves):
        return None
    best_corner = np.array([0.0 if at_left else 1.0, 1.0])
    paths = [even_path(curve, 400) for curve in curves]
    nearest = max(np.abs(path - best_corner).max(axis=1).min() for path in paths)
    wide_enough = [corner_size for corner_size in _CORNERS if corner_size >= _REACH * nearest]
    size = wide_enough[0] if wide_enough else _CORNERS[-1]
    corner = (0.0 if at_left else 1 - size, 1 - size)
    drawn = join_points([*paths, *points]) * side
    label_width, label_height = 2.9 * style.tick_size, 1.5 * style.tick_size
    clearance = style.px(8, 5)
    origin = np.zeros(2)
    grid = np.array(list(product(np.linspace(0, side, _STEPS), repeat=2)))
    far_corner = np.array([side if at_left else 0.0, 0.0])
    distance = np.hypot(*(grid - far_corner).T)
    for side_share, sign in product(_SIDES, (1, -1)):
        side_px = side_share * side
        board = PlacementBoard(side, side, clearance=clearance, inset=(style.px(6, 4),) * 4)
        board.draw(drawn, clearance=clearance)
        for box in occupied:
            board.take(box)
        with_labels = (side_px + label_width, side_px + label_height)
        label = board.put(Candidates.of(grid, origin, with_labels, sign * distance))
        if label is not None and board.put(Candidates.of(grid, origin, key_size)) is not None:
            left = (label.box.left + label_width) / side
            low = (label.box.bottom + label_height) / side
            return Inset(
                corner=corner, size=size, at=(left, low), side=side_share, occupied=label.box
            )
    return None


def _is_crowded(curves: Collection[np.ndarray]) -> bool:
    """Return whether the two largest areas under curves (or the only one) exceed `_CROWDED`."""
    lines = [curve for curve in curves if len(curve) > 1]
    areas = sorted(float(np.trapezoid(line[:, 1], line[:, 0])) for line in lines)
    if not areas:
        return False
    second_largest = areas[-min(2, len(areas))]
    return second_largest > _CROWDED


def draw_inset(
    fig: go.Figure, inset: Inset, drawn: Sequence[Any], style: Style, refs: str = "x, y"
) -> None:
    """Draw a frame around the corner, and an inset with the parts of the traces `drawn` that lie in the corner."""
    x_axis, y_axis = refs.split(", ")
    axes: traces.Axes = {"xaxis": x_axis, "yaxis": y_axis}
    colour, width = style.leader, style.px(1, 0.6)
    frame_x, frame_y = inset.frame.T
    traces.add_line(fig, frame_x, frame_y, "corner", colour, width, cliponaxis=False, **axes)
    outline_x, outline_y = inset.larger(inset.frame).T
    traces.add_line(
        fig,
        outline_x,
        outline_y,
        "inset",
        colour,
        width,
        fill="toself",
        fillcolor=style.page,
        meta="inset",
        **axes,
    )
    for trace in drawn:
        _enlarge(fig, trace, inset)
    _write_ticks(fig, inset, style, refs)


def _write_ticks(fig: go.Figure, inset: Inset, style: Style, refs: str) -> None:
    """Write the values at both ends of the x and y axis of an inset."""
    (left, low), (x, y), spacing = inset.corner, inset.at, style.px(4, 2)
    size, colour = style.tick_size, style.second
    for share, edge in ((0.0, "left"), (1.0, "right")):
        below: traces.TextOptions = {"refs": refs, "anchor": f"{edge}, top", "shift": (0, -spacing)}
        label = f"{left + share * inset.size:.2f}"
        traces.add_text(fig, label, x + share * inset.side, y, size, colour, **below)
    for share, edge in ((0.0, "bottom"), (1.0, "top")):
        at_left: traces.TextOptions = {
            "refs": refs,
            "anchor": f"right, {edge}",
            "shift": (-spacing, 0),
        }
        label = f"{low + share * inset.size:.2f}"
        traces.add_text(fig, label, x, y + share * inset.side, size, colour, **at_left)


def _enlarge(fig: go.Figure, trace: go.Scatter, inset: Inset) -> None:
    """Draw the part of a trace that lies in the corner a second time, in the inset."""
    shared = ("opacity", "marker", "meta", "xaxis", "yaxis", "unselected")
    options = {key: trace[key] for key in shared if trace[key] is not None}
    options |= {"name": f"{trace.name} inset", "cliponaxis": False, "mode": trace.mode}
    points = np.column_stack([np.array(trace[axis], dtype=float) for axis in "xy"])
    if trace.mode == "markers":
        _enlarge_marks(fig, trace, points, inset, options)
    else:
        _enlarge_line(fig, trace, points, inset, options)


def _enlarge_marks(
    fig: go.Figure, trace: go.Scatter, points: np.ndarray, inset: Inset, options: dict[str, Any]
) -> None:
    (left, low), (right, top) = inset.frame[0], inset.frame[2]
    x, y = points.T
    inside = np.flatnonzero((x >= left) & (x <= right) & (y >= low) & (y <= top))
    if not len(inside):
        return
    for key in ("customdata", "hovertext"):
        value = trace[key]
        is_common = value is None or isinstance(value, str)
        options[key] = value if is_common else [value[i] for i in inside]
    enlarged_x, enlarged_y = inset.larger(points[inside]).T.tolist()
    fig.add_scatter(x=enlarged_x, y=enlarged_y, hoverinfo=trace.hoverinfo, **options)


def _enlarge_line(
    fig: go.Figure, trace: go.Scatter, points: np.ndarray, inset: Inset, options: dict[str, Any]
) -> None:
    is_area = trace.fill == "toself"
    pieces = inset.pieces(points, area=is_area)
    if not pieces:
        return
    separator = np.full((1, 2), np.nan)
    separated = [part for piece in pieces for part in (piece, separator)]
    x, y = np.concatenate(separated[:-1]).T
    options["hoverinfo"] = "skip"
    if trace.meta == "algorithm":  # an average, which reports clicks
        name = trace.customdata[0][0]
        options |= {
            "customdata": [[name]] * len(x),
            "hovertext": f"<b>{text.escape(name)}</b><br>{traces.click_hint('algorithm')}",
            "hoverinfo": "text",
        }
    if is_area:
        options |= {"fill": "toself", "fillcolor": trace.fillcolor}
    fig.add_scatter(x=traces.with_gaps(x), y=traces.with_gaps(y), line=trace.line, **options)
