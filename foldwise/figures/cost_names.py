"""Names at curves: where along a curve its name stands clear of everything else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.figures import text
from foldwise.figures.theme import Style

#: Distance in px between a name and its curve, and the least to any other.
_GAP, _CLEAR = 3.0, 5.0
#: More than this much room in px does not make a place better.
_ENOUGH = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """A plot: the ends of its axes, and its size in px."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: float
    height: float

    def px(self, points: np.ndarray) -> np.ndarray:
        """Return points in px from the lower left corner."""
        low = np.array([self.x[0], self.y[0]])
        reach = np.array([self.x[1] - self.x[0], self.y[1] - self.y[0]])
        return (np.asarray(points, dtype=float) - low) / reach * [self.width, self.height]

    def data(self, x: float, y: float) -> tuple[float, float]:
        """Return the values at a place given in px."""
        reach_x, reach_y = self.x[1] - self.x[0], self.y[1] - self.y[0]
        return self.x[0] + x / self.width * reach_x, self.y[0] + y / self.height * reach_y


#: Left, lower, right and upper edge in px.
Box = tuple[float, float, float, float]


def place_names(
    curves: Mapping[str, np.ndarray],
    others: Sequence[np.ndarray],
    words: Mapping[str, str],
    plane: Plane,
    style: Style,
) -> dict[str, tuple[float, float]] | None:
    """Return where the name of every curve stands beside it, or None if one finds no place.

    Parameters
    ----------
    curves : mapping of algorithm to array, points x 2
        Curves to name.
    others : sequence of array, points x 2
        All lines that names must not touch; those of `curves` may be among them.
    words : mapping
        What is printed for each algorithm.
    plane : Plane
        The plot.
    style : Style
        Surface.

    Returns
    -------
    dict or None
        Middle of each name, in values.
    """
    paths = {name: _dense(plane.px(curve)) for name, curve in curves.items()}
    obstacles = [_dense(plane.px(curve)) for curve in others]
    placed: dict[str, Box] = {}
    for name, path in paths.items():
        if not len(path):
            continue
        foreign = [o for o in obstacles if not np.array_equal(o, path)]
        best, most = None, _CLEAR
        for box in _candidates(path, text.width(words[name], style.size, style.serif), style.size):
            if not _inside(box, plane):
                continue
            boxes = (_apart(box, other) for other in placed.values())
            room = min(_ENOUGH, _distance(box, foreign), min(boxes, default=_ENOUGH))
            if room > most:
                best, most = box, room
        if best is None:
            return None
        placed[name] = best
    return {
        name: plane.data((left + right) / 2, (low + high) / 2)
        for name, (left, low, right, high) in placed.items()
    }


def _dense(points: np.ndarray) -> np.ndarray:
    """Return points every few px along a curve, without what is not finite."""
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) < 2:
        return points
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    at = np.linspace(0.0, along[-1], max(int(along[-1] / 3), 2))
    return np.column_stack([np.interp(at, along, points[:, i]) for i in (0, 1)])


def _candidates(path: np.ndarray, width: float, size: float) -> Iterable[Box]:
    """Return the places of a text above and below a curve, the middle of the curve first."""
    height = 1.05 * size
    shares = sorted(np.linspace(0.12, 0.88, 39).tolist(), key=lambda s: abs(s - 0.5))
    for share in shares:
        middle = float(np.interp(share, np.linspace(0, 1, len(path)), path[:, 0]))
        left, right = middle - width / 2, middle + width / 2
        near = path[(path[:, 0] >= left - _GAP) & (path[:, 0] <= right + _GAP), 1]
        if len(near):
            above, below = float(near.max()) + _GAP, float(near.min()) - _GAP
            yield left, above, right, above + height
            yield left, below - height, right, below


def _inside(box: Box, plane: Plane) -> bool:
    left, low, right, high = box
    return left >= 2 and low >= 2 and right <= plane.width - 2 and high <= plane.height


def _distance(box: Box, curves: Iterable[np.ndarray]) -> float:
    """Return how far the nearest point of `curves` is from the box."""
    left, low, right, high = box
    nearest = _ENOUGH
    for points in curves:
        if len(points):
            x = np.maximum(np.maximum(left - points[:, 0], points[:, 0] - right), 0.0)
            y = np.maximum(np.maximum(low - points[:, 1], points[:, 1] - high), 0.0)
            nearest = min(nearest, float(np.hypot(x, y).min()))
    return nearest


def _apart(first: Box, second: Box) -> float:
    """Return the distance between two boxes."""
    x = max(first[0] - second[2], second[0] - first[2], 0.0)
    y = max(first[1] - second[3], second[1] - first[3], 0.0)
    return float(np.hypot(x, y))
