"""Automatic placement of labels in a plot, avoiding lines, marks and each other.

Positions are in px, x from the left edge of the plot and y up from its lower edge. A figure
proposes candidate positions with costs; the board adds the costs of overlaps and chooses the
cheapest.
"""

from __future__ import annotations

import html
import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from scipy.optimize import isotonic_regression

from foldwise.figures import text
from foldwise.figures.theme import Style

#: Directions from the labelled point to its label, in order of preference.
SIDES = ((0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (0, -1))
#: Points along a leader line, and px at its start that may touch the labelled object.
_LED, _START = 25, 6.0

#: Width of a plot in a narrow window, as a share of its full width on the screen.
NARROWEST = 0.54


@dataclass(frozen=True, slots=True)
class Box:
    """Axis-aligned rectangle in px."""

    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: Box, clearance: float = 0.0) -> bool:
        """Return whether two boxes are closer than `clearance` px."""
        widened = other.array + np.array([-clearance, -clearance, clearance, clearance])
        return bool(_meet(self.array, widened))

    @property
    def array(self) -> np.ndarray:
        """Edges as an array: left, bottom, right, top."""
        return np.array([self.left, self.bottom, self.right, self.top])


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """Plot area: axis ranges, and size in px."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: float
    height: float

    def px(self, points: np.ndarray) -> np.ndarray:
        """Return data coordinates in px."""
        low, high = np.array([self.x, self.y], dtype=float).T
        shares = (np.asarray(points, dtype=float) - low) / (high - low)
        return shares * (self.width, self.height)

    def values(self, places: np.ndarray) -> np.ndarray:
        """Return positions in px as data coordinates."""
        low, high = np.array([self.x, self.y], dtype=float).T
        shares = np.asarray(places) / (self.width, self.height)
        return shares * (high - low) + low


def width_scales(style: Style) -> tuple[float, ...]:
    """Return the relative plot widths at which labels must be legible; only 1 in print."""
    return (1.0,) if style.printed else (1.0, NARROWEST)


def text_size(words: str, style: Style, size: float | None = None) -> tuple[float, float]:
    """Return width and height in px of a line of text with padding."""
    size = style.size if size is None else size
    return text.text_width(text.plain_text(words), size, style.serif) + 4, 1.15 * size


def points_along(points: np.ndarray, step: float = 2.0) -> np.ndarray:
    """Return evenly spaced points, at most `step` px apart, along a polyline, which is interrupted at NaN vertices."""
    points = np.asarray(points, dtype=float)
    defined = np.isfinite(points).all(axis=1)
    pieces = np.split(np.arange(len(points)), np.flatnonzero(~defined))
    runs = (points[piece][defined[piece]] for piece in pieces)
    return join_points(even_path(run, int(_length(run) / step) + 2) for run in runs)


def _length(points: np.ndarray) -> float:
    """Return the length of a polyline."""
    return float(np.hypot(*np.diff(points, axis=0).T).sum())


def even_path(points: np.ndarray, count: int) -> np.ndarray:
    """Return `count` evenly spaced points along a polyline; only the first point, if any, of one without length."""
    if len(points) < 2:
        return points[:1]
    steps = np.hypot(*np.diff(points, axis=0).T)
    distance = np.concatenate([[0.0], np.cumsum(steps)])
    if distance[-1] == 0:
        return points[:1]
    positions = np.linspace(0, distance[-1], count)
    return np.column_stack([np.interp(positions, distance, points[:, i]) for i in (0, 1)])


def join_points(lines: Iterable[np.ndarray]) -> np.ndarray:
    """Return the points of several lines as one array."""
    return np.concatenate([np.empty((0, 2)), *lines])


def spread_apart(
    positions: Sequence[float],
    separation: float | Sequence[float],
    low: float = -math.inf,
    high: float = math.inf,
) -> list[float]:
    """Return ascending positions moved by least squares to a minimum distance, common or of each pair of neighbours.

    Notes
    -----
    With ``z_i = x_i - i * separation`` the constraint is that z is non-decreasing: isotonic
    regression, clipped so that all positions stay inside the interval. Distances shrink if the interval
    is too short. A single position is returned unchanged, even if it lies outside.

    Examples
    --------
    >>> spread_apart([1, 1, 9], 2, 0, 10)
    [0.0, 2.0, 9.0]
    """
    count = len(positions)
    if count < 2:
        return list(positions)
    offsets = np.append(0.0, np.cumsum(np.broadcast_to(separation, count - 1)))
    if offsets[-1] > high - low:
        offsets *= (high - low) / offsets[-1]
    pooled = isotonic_regression(np.asarray(positions, dtype=float) - offsets).x
    inside = np.clip(pooled, low, max(high - offsets[-1], low))
    return (inside + offsets).tolist()


def pack_rows(intervals: Sequence[tuple[float, float]], apart: float) -> list[int]:
    """Return the lowest row for each interval, given by start, where it is at least `apart` from the previous one."""
    ends: list[float] = []
    rows: list[int] = []
    for start, end in intervals:
        free = (row for row, row_end in enumerate(ends) if start - row_end >= apart)
        row = next(free, len(ends))
        ends[row : row + 1] = [end]
        rows.append(row)
    return rows


@dataclass(frozen=True, slots=True)
class Label:
    """Label at its chosen position."""

    at: np.ndarray  # position of the labelled point
    # from there to the centre of the label, in px; unchanged if a narrow window shrinks the plot
    offset: np.ndarray
    size: tuple[float, float]  # width and height
    led: bool = False  # whether the label has a leader line

    @property
    def middle(self) -> np.ndarray:
        """Centre of the label."""
        return self.at + self.offset

    @property
    def box(self) -> Box:
        """Bounding box of the label."""
        x, y = self.middle.tolist()
        width, height = self.size
        return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Candidate positions of one label, one row per candidate."""

    at: np.ndarray  # at, offset, size, led: as in `Label`
    offset: np.ndarray
    size: tuple[float, float]
    cost: np.ndarray  # preference cost, in the unit of the costs of `PlacementBoard.draw`
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
        """Return candidates from arrays or scalars, which are broadcast."""
        points = np.asarray(at, dtype=float)
        points, offsets = np.broadcast_arrays(points, np.asarray(offset, dtype=float))
        points = points.reshape(-1, 2)
        costs = np.asarray(cost, dtype=float).ravel()
        leads = np.asarray(led, dtype=bool).ravel()
        shape = (len(points),)
        return cls(
            at=points,
            offset=offsets.reshape(-1, 2),
            size=size,
            cost=np.broadcast_to(costs, shape),
            led=np.broadcast_to(leads, shape),
        )

    def boxes(self, squeeze: float = 1.0) -> np.ndarray:
        """Return the candidates' boxes in a plot whose width is scaled by `squeeze`."""
        middle = self.at * (squeeze, 1) + self.offset
        half = np.array(self.size) / 2
        return np.hstack([middle - half, middle + half])

    def leaders(self, squeeze: float) -> np.ndarray:
        """Return points along each candidate's leader line, as boxes of one px.

        Points close to the labelled object, points under the label, and those of labels without a
        leader line are NaN.
        """
        start = (self.at * (squeeze, 1))[:, None]
        offset = self.offset[:, None]
        steps = np.linspace(0, 1, _LED)[:, None] * offset
        half = np.array(self.size) / 2
        is_off_label = (np.abs(steps - offset) > half).any(axis=2)
        is_off_object = np.hypot(*steps.transpose(2, 0, 1)) > _START
        is_drawn = is_off_label & is_off_object & self.led[:, None]
        points = np.where(is_drawn[..., None], start + steps, np.nan)
        return np.concatenate([points - 0.5, points + 0.5], axis=2)

    def take(self, index: int) -> Label:
        """Return one candidate as a label."""
        return Label(self.at[index], self.offset[index], self.size, bool(self.led[index]))


def candidate_positions(
    points: np.ndarray,
    size: tuple[float, float],
    distances: Sequence[float],
    *,
    sides: Sequence[tuple[float, float]] = SIDES,
    led: float = math.inf,
) -> tuple[Candidates, np.ndarray]:
    """Return candidates at all distances and sides of points, and the indices of point, distance and side of each."""
    half = np.array(size) / 2
    grid = np.indices((len(points), len(distances), len(sides)))
    order = grid.reshape(3, -1).T
    of_point, of_distance, of_side = order.T
    distance = np.array(distances)[of_distance]
    directions = np.array(sides, dtype=float)[of_side]
    offset = directions * (half + distance[:, None])
    at = np.asarray(points)[of_point]
    return Candidates.of(at, offset, size, 0.0, distance > led), order


class _Ink:
    """Summed-area table of drawn points, for counting the points in boxes."""

    def __init__(self, points: np.ndarray, width: float, height: float) -> None:
        self.size = np.array([math.ceil(width) + 1, math.ceil(height) + 1])
        cells = np.floor(points[np.isfinite(points).all(axis=1)]).astype(int)
        cells = cells[((cells >= 0) & (cells < self.size)).all(axis=1)]
        self.sums = np.zeros(self.size + 1, dtype=np.int32)
        np.add.at(self.sums, tuple(cells.T + 1), 1)
        for axis in (0, 1):
            np.cumsum(self.sums, axis=axis, out=self.sums)

    def count(self, boxes: np.ndarray, clearance: np.ndarray | float) -> np.ndarray:
        """Return the number of points within `clearance` of each box, 0 for boxes with NaN."""
        clearance = np.asarray(clearance, dtype=float)[..., None]
        is_finite = np.isfinite(boxes).all(axis=-1)
        boxes = np.where(is_finite[..., None], boxes, 0.0)
        first = np.floor(boxes[..., :2] - clearance)
        last = np.floor(boxes[..., 2:] + clearance) + 1
        left, bottom = np.moveaxis(np.clip(first, 0, self.size).astype(int), -1, 0)
        right, top = np.moveaxis(np.clip(last, 0, self.size).astype(int), -1, 0)
        up_to_top = self.sums[right, top] - self.sums[left, top]
        below = self.sums[right, bottom] - self.sums[left, bottom]
        return np.where(is_finite, up_to_top - below, 0)


class _Layer:
    """Drawn points of one kind that labels should avoid, by owner."""

    def __init__(
        self,
        board: PlacementBoard,
        points: dict[Hashable, np.ndarray],
        cost: float,
        clearance: float,
    ) -> None:
        self.board = board
        self.points = points
        self.cost = cost
        self.clearance = clearance
        self.inks = {
            squeeze: self._ink(join_points(points.values()), squeeze) for squeeze in board.squeezes
        }
        self.latest: tuple[Hashable, dict[float, _Ink]] = (None, {})

    def _ink(self, points: np.ndarray, squeeze: float) -> _Ink:
        return _Ink(points * (squeeze, 1), squeeze * self.board.width, self.board.height)

    def count(
        self, boxes: np.ndarray, squeeze: float, of: Hashable, clearance: np.ndarray | float
    ) -> np.ndarray:
        """Return the number of points within `clearance` of each box, except those owned by `of`."""
        total = self.inks[squeeze].count(boxes, clearance)
        if of is None or of not in self.points:
            return total
        if self.latest[0] != of:
            owned = self.points[of]
            self.latest = (of, {scale: self._ink(owned, scale) for scale in self.inks})
        return total - self.latest[1][squeeze].count(boxes, clearance)


class PlacementBoard:
    """Plot area in which labels are placed one by one, without overlap unless `touching` is finite."""

    def __init__(
        self,
        width: float,
        height: float,
        *,
        clearance: float = 0.0,
        inset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0),
        squeezes: Sequence[float] = (1.0,),
        outside: float = math.inf,
        touching: float = math.inf,
    ) -> None:
        """Create an empty board.

        `clearance` is the distance between labels in px, `inset` the margins inside the plot (left,
        top, right, bottom) that labels keep free. `squeezes` are relative widths of the plot at
        which positions must also be suitable. `outside` and `touching` are the costs of leaving the
        plot and of touching a label; infinite costs forbid it.
        """
        self.width = width
        self.height = height
        self.clearance = clearance
        self.squeezes = tuple(squeezes)
        self._inset = np.array(inset)
        self._outside = outside
        self._touching = touching
        self._layers: list[_Layer] = []
        # box and leader points of each label, by relative width of the plot
        self._labels: dict[float, list[tuple[np.ndarray, np.ndarray]]] = {s: [] for s in squeezes}

    def draw(
        self,
        points: np.ndarray | Mapping[Any, np.ndarray],
        *,
        cost: float = math.inf,
        clearance: float = 0.0,
    ) -> None:
        """Register drawn points that labels must avoid, or may cover at `cost` per point.

        Points given by name do not affect the label of that name.
        """
        named = dict(points) if isinstance(points, Mapping) else {None: points}
        self._layers.append(_Layer(self, named, cost, clearance))

    def take(self, box: Box) -> None:
        """Register a box as occupied."""
        size = (box.right - box.left, box.top - box.bottom)
        self._keep(Candidates.of(box.array[:2], np.array(size) / 2, size))

    def _keep(self, label: Candidates) -> None:
        for squeeze, entries in self._labels.items():
            entries.append((label.boxes(squeeze), label.leaders(squeeze)[0]))

    def room(self, candidates: Candidates, most: float, of: Hashable = None) -> np.ndarray:
        """Return the free distance in px around each candidate, at most `most`."""
        room = np.full(len(candidates.at), float(most))
        for squeeze in self.squeezes:
            boxes = candidates.boxes(squeeze)
            for layer in self._layers:
                low = np.full(len(room), -1.0)
                high = np.floor(room) + 1
                while (high - low > 1).any():
                    distance = np.floor((low + high) / 2)
                    free = layer.count(boxes, squeeze, of, distance) == 0
                    low = np.where(free, distance, low)
                    high = np.where(free, high, distance)
                room = np.clip(low, 0, room)
        return room

    def put(self, candidates: Candidates, of: Hashable = None) -> Label | None:
        """Place a label at its cheapest candidate and return it; None if all are blocked."""
        cost = candidates.cost.astype(float)
        for squeeze in self.squeezes:
            if not (possible := np.isfinite(cost)).any():
                return None
            cost[possible] += self._costs(_only(candidates, possible), squeeze, of)
        if not np.isfinite(cost).any():
            return None
        best = _only(candidates, np.arange(len(cost)) == np.argmin(cost))
        self._keep(best)
        return best.take(0)

    def _costs(self, candidates: Candidates, squeeze: float, of: Hashable) -> np.ndarray:
        """Return the cost of each candidate, from overlaps and from leaving the plot."""
        boxes = candidates.boxes(squeeze)
        ends = np.array([0.0, 0.0, self.width * squeeze, self.height])
        is_after_start = boxes[:, :2] >= (ends + self._inset)[:2]
        is_before_end = boxes[:, 2:] <= (ends - self._inset)[2:]
        is_inside = (is_after_start & is_before_end).all(axis=1)
        cost = _charged(~is_inside, self._outside)
        lines = candidates.leaders(squeeze) if candidates.led.any() else boxes[:, None] * np.nan
        outwards = np.array([-1, -1, 1, 1])
        for layer in self._layers:
            covered = layer.count(boxes, squeeze, of, layer.clearance)
            crossed = layer.count(lines + layer.clearance * outwards, squeeze, of, 0.0) > 0
            cost += _charged(covered + crossed.sum(axis=1), layer.cost)
        if self._labels[squeeze]:
            cost += _charged(self._touched(boxes, lines, squeeze), self._touching)
        return cost

    def _touched(self, boxes: np.ndarray, lines: np.ndarray, squeeze: float) -> np.ndarray:
        """Return the number of placed labels that each box or its leader line touches."""
        clearance = self.clearance * np.array([-1, -1, 1, 1])
        label_boxes = np.vstack([label for label, _ in self._labels[squeeze]])
        leader_points = np.vstack([leader for _, leader in self._labels[squeeze]])
        label_boxes = _near(label_boxes + clearance, boxes, lines)
        leader_points = _near(leader_points + clearance, boxes)
        is_touched = _meet(boxes[:, None], label_boxes)
        is_drawn = np.isfinite(lines).all(axis=2)
        is_crossed = np.zeros((*is_drawn.shape, len(label_boxes)), dtype=bool)
        is_crossed[is_drawn] = _meet(lines[is_drawn][:, None], label_boxes)
        is_touched |= is_crossed.any(axis=1)
        meets_leader = _meet(boxes[:, None], leader_points).any(axis=1)
        return is_touched.sum(axis=1) + meets_leader


def _only(candidates: Candidates, mask: np.ndarray) -> Candidates:
    c = candidates
    return Candidates(
        at=c.at[mask], offset=c.offset[mask], size=c.size, cost=c.cost[mask], led=c.led[mask]
    )


def _charged(count: np.ndarray, each: float) -> np.ndarray:
    return np.where(count > 0, np.where(count > 0, count, 1) * each, 0.0)


def _near(others: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """Return the boxes in `others` that overlap the common bounding box of all `places`."""
    corners = np.vstack([boxes.reshape(-1, 4) for boxes in places])
    low = np.nanmin(corners[:, :2], axis=0)
    high = np.nanmax(corners[:, 2:], axis=0)
    return others[_meet(np.concatenate([low, high]), others)]


def _meet(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return whether boxes overlap, elementwise; NaN boxes never do."""
    low = np.maximum(boxes[..., :2], others[..., :2])
    high = np.minimum(boxes[..., 2:], others[..., 2:])
    return (low < high).all(axis=-1)


def annotation_at(
    words: str, label: Label, plane: Plane, style: Style, **options: Any
) -> dict[str, Any]:
    """Return the Plotly annotation of a placed label."""
    x, y = plane.values(label.at).tolist()
    right, up = label.offset.tolist()
    return {
        "text": text.escape(words),
        "x": x,
        "y": y,
        "xanchor": "center",
        "yanchor": "middle",
        "showarrow": True,  # also without a leader line, so that ax and ay are offsets in px
        "arrowhead": 0,
        "arrowwidth": style.px(1, 0.6),
        "arrowcolor": style.leader if label.led else "rgba(0,0,0,0)",
        "ax": right,
        "ay": -up,
        "font": {"size": style.size},
        "bgcolor": style.veil,
        **options,
    }


def annotation_box(note: go.layout.Annotation, plane: Plane, style: Style) -> Box:
    """Return the box of a one-line annotation positioned in values of both axes."""
    size = np.array(text_size(html.unescape(note.text), style, note.font.size))
    across = {"left": 0.5, "right": -0.5}.get(note.xanchor, 0.0)
    up = {"bottom": 0.5, "top": -0.5}.get(note.yanchor, 0.0)
    shift = np.array([note.xshift or 0.0, note.yshift or 0.0])
    at = plane.px(np.array([note.x, note.y])) + shift
    left, bottom = (at + size * (across - 0.5, up - 0.5)).tolist()
    width, height = size.tolist()
    return Box(left, bottom, left + width, bottom + height)


def add_annotations(fig: go.Figure, notes: Iterable[dict[str, Any]]) -> None:
    """Add many annotations in one assignment, because adding them singly takes seconds."""
    fig.layout.annotations = [*fig.layout.annotations, *notes]


_AROUND = (*SIDES, (0.5, 1), (-0.5, 1), (0.5, -1), (-0.5, -1))
_OVER = 1_000.0  # cost of a number per mark or label that it covers
_LINE = 2.0  # cost of a name per px of a line that it covers


ALL_NAMED = 15  # marks that are all named, if need be by a number


def name_marks(
    fig: go.Figure,
    marks: Mapping[str, np.ndarray],
    lines: Sequence[np.ndarray],
    plane: Plane,
    style: Style,
    named: Collection[str] = (),
    *,
    numbers: bool = True,
) -> None:
    """Write names next to the marks in `named` (by default all), avoiding lines, other marks and names.

    Of at most `ALL_NAMED` of them, those without room for a name get a number, if `numbers`: see
    `numbered_marks`.
    """
    naming = _Naming(marks, lines, plane, style)
    names = [name for name in marks if not named or name in named]
    few = len(names) <= ALL_NAMED
    unnamed = [name for name in names if not naming.write_name(name, also_far=few)]
    if few and numbers:
        for number, name in enumerate(unnamed, 1):
            naming.write_number(name, number)
    add_annotations(fig, naming.annotations)


class _Naming:
    """Names next to marks, and numbers of marks without room for a name."""

    def __init__(
        self,
        marks: Mapping[str, np.ndarray],
        lines: Sequence[np.ndarray],
        plane: Plane,
        style: Style,
    ) -> None:
        """Register marks and lines, and shorten the names."""
        self.marks = marks
        self.plane = plane
        self.style = style
        self.annotations: list[dict[str, Any]] = []
        # A name that does not fit is tried once more, shorter.
        self.long, self.short = (
            text.shorten(list(marks), share * style.width, style.size, serif=style.serif)
            for share in (0.3, 0.13)
        )
        self.near: tuple[float, ...] = (4, 15, 34, 60) if style.printed else (7, 28, 64, 110)
        self.far = tuple(distance * factor for factor in (1, 2, 3) for distance in self.near[-2:])
        squeezes = width_scales(style)
        self.board = PlacementBoard(
            plane.width, plane.height, clearance=style.px(3, 2), squeezes=squeezes
        )
        # Numbers may cover marks, names and each other.
        self.loose = PlacementBoard(
            plane.width, plane.height, touching=500 * _OVER, squeezes=squeezes
        )
        points = {name: mark[None] for name, mark in marks.items()}
        self.board.draw(points, clearance=style.px(7, 4))
        self.loose.draw(points, clearance=style.px(4, 2), cost=_OVER)
        for line in lines:
            self.board.draw(points_along(line), cost=_LINE)

    def write_name(self, name: str, *, also_far: bool) -> bool:
        """Write a name next to its mark, or `also_far` from it; return whether there is room."""
        tries = [(self.long[name], self.near), (self.short[name], self.near)]
        if also_far:
            tries.append((self.short[name], self.far))
        for words, distances in tries:
            label = self._put(self.board, name, words, distances)
            if label is not None:
                self.loose.take(label.box)
                return True
        return False

    def write_number(self, name: str, number: int) -> None:
        """Write a number next to a mark."""
        self._put(self.loose, name, str(number), (*self.near, *self.far))

    def _put(
        self, board: PlacementBoard, name: str, words: str, distances: Sequence[float]
    ) -> Label | None:
        """Write a text next to a mark, and return its label; None without room."""
        candidates, _ = candidate_positions(
            self.marks[name][None],
            text_size(words, self.style),
            distances,
            sides=_AROUND,
            led=self.style.px(16, 9),
        )
        label = board.put(candidates, name)
        if label is not None:
            annotation = annotation_at(words, label, self.plane, self.style, name=name)
            self.annotations.append(annotation)
        return label


def numbered_marks(fig: go.Figure) -> dict[str, str]:
    """Return the names of the marks to which `name_marks` gave numbers, by number."""
    notes = fig.layout.annotations
    return {
        note.text: note.name for note in notes if note.text.isdigit() and note.name != note.text
    }
