"""Where labels stand: beside what they name, clear of lines, marks and each other.

Everything is in px, x from the left edge of the plot and y up from its lower edge. A figure says
where a label may stand and how much it likes each place; the board knows what is in the way.
"""

from __future__ import annotations

import html
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from scipy.optimize import isotonic_regression

from foldwise.figures import text
from foldwise.figures.theme import Style

#: Where a label may stand, seen from what it names: above first.
SIDES = ((0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (0, -1))
#: Points of a line that leads to a label, and how far from its start it may touch what it names.
_LED, _START = 25, 6.0

#: The share of its width that a narrow window leaves of a plot laid out for the screen.
NARROWEST = 0.54


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: Box, gap: float = 0.0) -> bool:
        """Whether two boxes come closer than `gap`."""
        return bool(_meet(self.array, other.array + np.array([-gap, -gap, gap, gap])))

    def distances(self, points: np.ndarray) -> np.ndarray:
        """Return how far points are from the box, 0 inside it."""
        away = np.maximum(self.array[:2] - points, points - self.array[2:])
        return np.hypot(*np.maximum(away, 0).T)

    @property
    def array(self) -> np.ndarray:
        """Its left, lower, right and upper edge."""
        return np.array([self.left, self.bottom, self.right, self.top])


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """A plot: the ends of its axes, and its size."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: float
    height: float

    def px(self, points: np.ndarray) -> np.ndarray:
        """Return values as places."""
        low, high = np.array([self.x, self.y], dtype=float).T
        return (np.asarray(points, dtype=float) - low) / (high - low) * (self.width, self.height)

    def values(self, places: np.ndarray) -> np.ndarray:
        """Return places as values."""
        low, high = np.array([self.x, self.y], dtype=float).T
        return np.asarray(places) / (self.width, self.height) * (high - low) + low


def width_scales(style: Style) -> tuple[float, ...]:
    """Return the shares of its width at which labels must be clear; print has one width."""
    return (1.0,) if style.printed else (1.0, NARROWEST)


def text_size(words: str, style: Style, size: float | None = None) -> tuple[float, float]:
    """Return width and height of a line of text with a little air around it."""
    size = style.size if size is None else size
    return text.text_width(text.plain_text(words), size, style.serif) + 4, 1.15 * size


def annotation_box(note: go.layout.Annotation, plane: Plane, style: Style) -> Box:
    """Return what an annotation of one line covers that stands at values of both axes."""
    size = np.array(text_size(html.unescape(note.text), style, note.font.size))
    across = {"left": 0.5, "right": -0.5}.get(note.xanchor, 0.0)
    up = {"bottom": 0.5, "top": -0.5}.get(note.yanchor, 0.0)
    shift = np.array([note.xshift or 0.0, note.yshift or 0.0])
    middle = plane.px(np.array([note.x, note.y])) + shift + size * (across, up)
    return Box(*(middle - size / 2).tolist(), *(middle + size / 2).tolist())


def points_along(points: np.ndarray, step: float = 2.0) -> np.ndarray:
    """Return points every `step` px along a line given by its corners; holes are left out."""
    points = np.asarray(points, dtype=float)
    points = points[np.isfinite(points).all(axis=1)]
    length = np.hypot(*np.diff(points, axis=0).T).sum() if len(points) > 1 else 0.0
    return even_path(points, int(length / step) + 2)


def even_path(points: np.ndarray, count: int) -> np.ndarray:
    """Return `count` points evenly spaced along a line given by its corners."""
    steps = np.hypot(*np.diff(points, axis=0).T) if len(points) > 1 else np.zeros(0)
    at = np.concatenate([[0.0], np.cumsum(steps)])
    if at[-1] == 0:
        return points[:1]
    even = np.linspace(0, at[-1], count)
    return np.column_stack([np.interp(even, at, points[:, i]) for i in (0, 1)])


def join_points(lines: Iterable[np.ndarray]) -> np.ndarray:
    """Return the points of several lines, of none as well."""
    return np.concatenate([np.empty((0, 2)), *lines])


def spread_apart(
    positions: Sequence[float], separation: float, low: float = -math.inf, high: float = math.inf
) -> list[float]:
    """Move ascending positions apart, as little as possible in the sense of least squares.

    Notes
    -----
    With ``z_i = x_i - i * separation`` the constraint is that z never falls: isotonic
    regression, clipped to the interval that keeps all of them inside.

    Examples
    --------
    >>> spread_apart([1, 1, 9], 2, 0, 10)
    [0.0, 2.0, 9.0]
    """
    count = len(positions)
    if count < 2:
        return list(positions)
    step = min(separation, (high - low) / (count - 1))
    offsets = step * np.arange(count)
    pooled = isotonic_regression(np.asarray(positions, dtype=float) - offsets).x
    return (np.clip(pooled, low, max(high - offsets[-1], low)) + offsets).tolist()


def pack_rows(intervals: Sequence[tuple[float, float]], apart: float) -> list[int]:
    """Return a row for each interval; two in one row are at least `apart` from each other."""
    ends: list[float] = []
    rows: list[int] = []
    for start, end in intervals:
        free = (row for row, last in enumerate(ends) if start - last >= apart)
        row = next(free, len(ends))
        ends[row : row + 1] = [end]
        rows.append(row)
    return rows


@dataclass(frozen=True, slots=True)
class Label:
    """A label that has its place."""

    at: np.ndarray  # what it names
    # from there to the middle of the label; it stays when a window squeezes the plot
    offset: np.ndarray
    size: tuple[float, float]  # width and height
    led: bool = False  # whether a line leads to the label

    @property
    def middle(self) -> np.ndarray:
        """The middle of the label."""
        return self.at + self.offset

    @property
    def box(self) -> Box:
        """The label."""
        half = np.array(self.size) / 2
        return Box(*(self.middle - half).tolist(), *(self.middle + half).tolist())


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The places one label may have, as arrays with a row or number for each."""

    at: np.ndarray  # at, offset, size, led: as of `Label`
    offset: np.ndarray
    size: tuple[float, float]
    cost: np.ndarray  # how little a place is liked, in the unit of what `Board.draw` charges
    led: np.ndarray

    @classmethod
    def of(
        cls,
        at: np.ndarray,
        offset: np.ndarray,
        size: tuple[float, float],
        cost: np.ndarray | float = 0.0,
        led: np.ndarray | bool = False,
    ) -> Candidates:
        """Return candidates; what all have in common may be given once."""
        at, offset = np.broadcast_arrays(*(np.asarray(each, dtype=float) for each in (at, offset)))
        at, offset = at.reshape(-1, 2), offset.reshape(-1, 2)
        every = (len(at),)
        cost = np.broadcast_to(np.asarray(cost, dtype=float).ravel(), every)
        led = np.broadcast_to(np.asarray(led, dtype=bool).ravel(), every)
        return cls(at=at, offset=offset, size=size, cost=cost, led=led)

    def boxes(self, squeeze: float = 1.0) -> np.ndarray:
        """Return left, lower, right and upper edge of each in a plot of a share of its width."""
        middle, half = self.at * (squeeze, 1) + self.offset, np.array(self.size) / 2
        return np.hstack([middle - half, middle + half])

    def leaders(self, squeeze: float) -> np.ndarray:
        """Return points on the lines that lead to labels, as boxes of a px.

        Those beside what it names, those below the label, and those of labels without a line
        lie nowhere.
        """
        start, offset = (self.at * (squeeze, 1))[:, None], self.offset[:, None]
        ways = np.linspace(0, 1, _LED)[:, None] * offset
        free = (np.abs(ways - offset) > np.array(self.size) / 2).any(axis=2)
        free &= (np.hypot(*ways.transpose(2, 0, 1)) > _START) & self.led[:, None]
        points = np.where(free[..., None], start + ways, np.nan)
        return np.concatenate([points - 0.5, points + 0.5], axis=2)

    def take(self, place: int) -> Label:
        """Return one of them."""
        return Label(self.at[place], self.offset[place], self.size, bool(self.led[place]))


def candidate_positions(
    points: np.ndarray,
    size: tuple[float, float],
    gaps: Sequence[float],
    *,
    sides: Sequence[tuple[float, float]] = SIDES,
    led: float = math.inf,
) -> tuple[Candidates, np.ndarray]:
    """Return all places of a label at some distances on some sides of some points."""
    half = np.array(size) / 2
    order = np.indices((len(points), len(gaps), len(sides))).reshape(3, -1).T
    ways, far = np.array(sides, dtype=float)[order[:, 2]], np.array(gaps)[order[:, 1]]
    offset = ways * (half + far[:, None])
    return Candidates.of(np.asarray(points)[order[:, 0]], offset, size, 0.0, far > led), order


class _Ink:
    """Points on a plot, counted in any number of boxes at once: four look-ups for each box."""

    def __init__(self, points: np.ndarray, width: float, height: float) -> None:
        self.size = np.array([math.ceil(width) + 1, math.ceil(height) + 1])
        cells = np.floor(points[np.isfinite(points).all(axis=1)]).astype(int)
        cells = cells[((cells >= 0) & (cells < self.size)).all(axis=1)]
        self.sums = np.zeros(self.size + 1, dtype=np.int32)
        np.add.at(self.sums, tuple(cells.T + 1), 1)
        for axis in (0, 1):
            np.cumsum(self.sums, axis=axis, out=self.sums)

    def count(self, boxes: np.ndarray, gap: np.ndarray | float) -> np.ndarray:
        """Return how many points lie in each box or less than `gap` beside it."""
        gap = np.asarray(gap, dtype=float)[..., None]
        known = np.isfinite(boxes).all(axis=-1)
        boxes = np.where(known[..., None], boxes, 0.0)
        low = np.clip(np.floor(boxes[..., :2] - gap), 0, self.size).astype(int)
        high = np.clip(np.floor(boxes[..., 2:] + gap) + 1, 0, self.size).astype(int)
        (x0, y0), (x1, y1) = np.moveaxis(low, -1, 0), np.moveaxis(high, -1, 0)
        found = self.sums[x1, y1] - self.sums[x0, y1] - self.sums[x1, y0] + self.sums[x0, y0]
        return np.where(known, found, 0)


class _Layer:
    """Things of one kind that labels should keep clear of, by whom they belong to."""

    def __init__(self, board: PlacementBoard, points: dict[Hashable, np.ndarray]) -> None:
        self.board, self.points = board, points
        self.inks = {
            squeeze: self._ink(join_points(points.values()), squeeze) for squeeze in board.squeezes
        }
        self.latest: tuple[Hashable, dict[float, _Ink]] = (None, {})

    def _ink(self, points: np.ndarray, squeeze: float) -> _Ink:
        return _Ink(points * (squeeze, 1), squeeze * self.board.width, self.board.height)

    def count(
        self, boxes: np.ndarray, squeeze: float, of: Hashable, gap: np.ndarray | float
    ) -> np.ndarray:
        """Return how many points of others than `of` lie in each box or less than `gap` beside it."""
        every = self.inks[squeeze].count(boxes, gap)
        if of is None or of not in self.points:
            return every
        if self.latest[0] != of:
            own = self.points[of]
            self.latest = (of, {each: self._ink(own, each) for each in self.inks})
        return every - self.latest[1][squeeze].count(boxes, gap)


class PlacementBoard:
    """A plot with all that is in the way of labels, which find their places one by one."""

    def __init__(
        self,
        width: float,
        height: float,
        *,
        gap: float = 0.0,
        inset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0),
        squeezes: Sequence[float] = (1.0,),
        outside: float = math.inf,
        touching: float = math.inf,
    ) -> None:
        self.width, self.height, self.gap = width, height, gap
        self.squeezes = tuple(squeezes)
        self._inset = np.array(inset)
        self._outside, self._touching = outside, touching
        self._layers: list[tuple[_Layer, float, float]] = []
        # of each label, its box and the points of its line, by the share of the width
        self._labels: dict[float, list[tuple[np.ndarray, np.ndarray]]] = {s: [] for s in squeezes}

    def draw(
        self,
        points: np.ndarray | Mapping[Any, np.ndarray],
        *,
        cost: float = math.inf,
        gap: float = 0.0,
    ) -> None:
        """Keep labels `gap` px clear of points, or let them pay `cost` for each they are not.

        Points by name are in the way of the labels of others only.
        """
        named = dict(points) if isinstance(points, Mapping) else {None: points}
        self._layers.append((_Layer(self, named), cost, gap))

    def take(self, box: Box) -> None:
        """Let no label stand where words are already."""
        size = (box.right - box.left, box.top - box.bottom)
        at = np.array([box.left, box.bottom]), np.array(size) / 2
        self._keep(Candidates.of(*at, size))

    def _keep(self, label: Candidates) -> None:
        for squeeze, kept in self._labels.items():
            kept.append((label.boxes(squeeze), label.leaders(squeeze)[0]))

    def room(self, candidates: Candidates, most: float, of: Hashable = None) -> np.ndarray:
        """Return the px around each place in which nothing is drawn, at most `most`."""
        room = np.full(len(candidates.at), float(most))
        for squeeze in self.squeezes:
            boxes = candidates.boxes(squeeze)
            for layer, _, _ in self._layers:
                low, high = np.full(len(room), -1.0), np.floor(room) + 1
                while (high - low > 1).any():
                    middle = np.floor((low + high) / 2)
                    free = layer.count(boxes, squeeze, of, middle) == 0
                    low, high = np.where(free, middle, low), np.where(free, high, middle)
                room = np.clip(low, 0, room)
        return room

    def put(self, candidates: Candidates, of: Hashable = None) -> Label | None:
        """Give the label of `of` the cheapest place, the first of several; None if there is none."""
        cost = candidates.cost.astype(float)
        for squeeze in self.squeezes:
            if not (open_ := np.isfinite(cost)).any():
                return None
            cost[open_] += self._costs(_only(candidates, open_), squeeze, of)
        if not np.isfinite(cost).any():
            return None
        best = _only(candidates, np.arange(len(cost)) == np.argmin(cost))
        self._keep(best)
        return best.take(0)

    def _costs(self, candidates: Candidates, squeeze: float, of: Hashable) -> np.ndarray:
        """Return what is in the way of each place."""
        boxes = candidates.boxes(squeeze)
        ends = np.array([0.0, 0.0, self.width * squeeze, self.height])
        inside = (boxes[:, :2] >= (ends + self._inset)[:2]) & (
            boxes[:, 2:] <= (ends - self._inset)[2:]
        )
        cost = _charged(~inside.all(axis=1), self._outside)
        lines = candidates.leaders(squeeze) if candidates.led.any() else boxes[:, None] * np.nan
        reach = np.array([-1, -1, 1, 1])
        for layer, each, gap in self._layers:
            covered = layer.count(boxes, squeeze, of, gap)
            crossed = layer.count(lines + gap * reach, squeeze, of, 0.0) > 0
            cost += _charged(covered + crossed.sum(axis=1), each)
        if self._labels[squeeze]:
            words, leads = (np.vstack(each) for each in zip(*self._labels[squeeze], strict=True))
            words = _near(words + self.gap * reach, boxes, lines)
            leads = _near(leads + self.gap * reach, boxes)
            touched = _meet(boxes[:, None], words)
            drawn = np.isfinite(lines).all(axis=2)
            crossed = np.zeros((*drawn.shape, len(words)), dtype=bool)
            crossed[drawn] = _meet(lines[drawn][:, None], words)
            touched |= crossed.any(axis=1)
            count = touched.sum(axis=1) + _meet(boxes[:, None], leads).any(axis=1)
            cost += _charged(count, self._touching)
        return cost


def _only(candidates: Candidates, kept: np.ndarray) -> Candidates:
    c = candidates
    return Candidates(
        at=c.at[kept], offset=c.offset[kept], size=c.size, cost=c.cost[kept], led=c.led[kept]
    )


def _charged(count: np.ndarray, each: float) -> np.ndarray:
    return np.where(count > 0, np.where(count > 0, count, 1) * each, 0.0)


def _near(others: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """Return the boxes that reach into the rectangle around all places; the rest meet none."""
    every = np.vstack([boxes.reshape(-1, 4) for boxes in places])
    low, high = np.nanmin(every[:, :2], axis=0), np.nanmax(every[:, 2:], axis=0)
    return others[_meet(np.concatenate([low, high]), others)]


def _meet(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return which boxes overlap the others; one without a place never does."""
    low, high = (
        np.maximum(boxes[..., :2], others[..., :2]),
        np.minimum(boxes[..., 2:], others[..., 2:]),
    )
    return (low < high).all(axis=-1)


def annotation_at(
    words: str, label: Label, plane: Plane, style: Style, **more: Any
) -> dict[str, Any]:
    """Return the annotation that writes words where their label has its place."""
    (x, y), (right, up) = plane.values(label.at).tolist(), label.offset.tolist()
    return {
        "text": text.escape(words),
        "x": x,
        "y": y,
        "xanchor": "center",
        "yanchor": "middle",
        "showarrow": True,  # also without a line: then ax and ay are px from what is named
        "arrowhead": 0,
        "arrowwidth": style.px(1, 0.6),
        "arrowcolor": style.leader if label.led else "rgba(0,0,0,0)",
        "ax": right,
        "ay": -up,
        "font": {"size": style.size},
        **more,
    }


def add_annotations(fig: go.Figure, notes: Iterable[dict[str, Any]]) -> None:
    """Add annotations at once; one by one, or by an update, many take seconds."""
    fig.layout.annotations = [*fig.layout.annotations, *notes]


# what a name pays for leaving the plot, touching another, lying on a mark or on a px of a line
_OUTSIDE, _TOUCHING, _MARK, _LINE = 2000.0, 1000.0, 200.0, 2.0


def name_marks(
    fig: go.Figure,
    marks: Mapping[str, np.ndarray],
    lines: Sequence[np.ndarray],
    plane: Plane,
    style: Style,
) -> None:
    """Write each name beside its mark, off the lines where that is possible."""
    shown = text.shorten(list(marks), 0.3 * style.width, style.size, serif=style.serif)
    board = PlacementBoard(
        plane.width,
        plane.height,
        gap=style.px(3, 2),
        squeezes=width_scales(style),
        outside=_OUTSIDE,
        touching=_TOUCHING,
    )
    board.draw({name: mark[None] for name, mark in marks.items()}, cost=_MARK, gap=style.px(7, 4))
    for line in lines:
        board.draw(points_along(line), cost=_LINE)
    gaps, led = (style.px(7, 4), style.px(28, 15)), style.px(16, 9)
    notes = []
    for name, mark in marks.items():
        places, _ = candidate_positions(mark[None], text_size(shown[name], style), gaps, led=led)
        notes.append(annotation_at(shown[name], board.put(places, name), plane, style))
    add_annotations(fig, notes)
