"""The symbols of points, with the sizes that Plotly gives them."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin, sqrt

import numpy as np

Rings = list[list[tuple[float, float]]]


def _star(r: float) -> Rings:
    r *= 1.4
    ring = []
    for i in range(10):
        reach, angle = r * (1 if i % 2 == 0 else 0.382), pi * i / 5
        ring.append((reach * sin(angle), -reach * cos(angle)))
    return [ring]


def _cross(r: float) -> Rings:
    a, b = 0.4 * r, 1.2 * r
    return [
        [(b, a), (a, a), (a, b), (-a, b), (-a, a), (-b, a)]
        + [(-b, -a), (-a, -a), (-a, -b), (a, -b), (a, -a), (b, -a)]
    ]


def _x(r: float) -> Rings:
    a = 0.8 * r / sqrt(2)
    corners = [(0, 1), (1, 2), (2, 1), (1, 0), (2, -1), (1, -2), (0, -1), (-1, -2), (-2, -1)]
    return [[(a * x, a * y) for x, y in [*corners, (-1, 0), (-2, 1), (-1, 2)]]]


def _polygon(corners: int) -> Callable[[float], Rings]:
    def ring(r: float) -> Rings:
        angles = [2 * pi * i / corners for i in range(corners)]
        return [[(r * sin(angle), -r * cos(angle)) for angle in angles]]

    return ring


def _up(r: float) -> Rings:
    t = 2 * r / sqrt(3)
    return [[(-t, r / 2), (t, r / 2), (0, -r)]]


def _arrow(r: float) -> Rings:
    x, y = 2 * r * cos(pi / 2.5), 2 * r * sin(pi / 2.5)
    return [[(0, 0), (-x, y), (x, y)]]


_CLOSED: dict[str, Callable[[float], Rings]] = {
    "square": lambda r: [[(r, r), (-r, r), (-r, -r), (r, -r)]],
    "diamond": lambda r: [[(1.3 * r, 0), (0, 1.3 * r), (-1.3 * r, 0), (0, -1.3 * r)]],
    "diamond-tall": lambda r: [[(0, 1.4 * r), (0.7 * r, 0), (0, -1.4 * r), (-0.7 * r, 0)]],
    "diamond-wide": lambda r: [[(0, 0.7 * r), (1.4 * r, 0), (0, -0.7 * r), (-1.4 * r, 0)]],
    "cross": _cross,
    "x": _x,
    "triangle-up": _up,
    "triangle-down": lambda r: [[(x, -y) for x, y in _up(r)[0]]],
    "triangle-left": lambda r: [[(y, x) for x, y in _up(r)[0]]],
    "triangle-right": lambda r: [[(-y, x) for x, y in _up(r)[0]]],
    "hexagon": _polygon(6),
    "pentagon": _polygon(5),
    "star": _star,
    "arrow": _arrow,
}
_OPEN: dict[str, Callable[[float], Rings]] = {
    "cross-thin": lambda r: [[(0, 1.4 * r), (0, -1.4 * r)], [(1.4 * r, 0), (-1.4 * r, 0)]],
    "x-thin": lambda r: [[(r, r), (-r, -r)], [(r, -r), (-r, r)]],
    "line-ew": lambda r: [[(1.4 * r, 0), (-1.4 * r, 0)]],
    "line-ns": lambda r: [[(0, 1.4 * r), (0, -1.4 * r)]],
}


def is_line(symbol: str) -> bool:
    """Tell whether a symbol is made of lines only."""
    return symbol in _OPEN


def symbol_outline(symbol: str, radius: float, angle: float = 0.0) -> tuple[np.ndarray, ...]:
    """Return the lines of a symbol around the origin, in px and turned clockwise by degrees.

    A circle has none.

    Raises
    ------
    ValueError
        For a symbol that no figure uses.
    """
    made = {**_CLOSED, **_OPEN}.get(symbol)
    if made is None:
        raise ValueError(f"`symbol` must be one of {', '.join([*_CLOSED, *_OPEN])}; got {symbol!r}")
    c, s = cos(angle * pi / 180), sin(angle * pi / 180)
    return tuple(np.array(ring, float) @ np.array([[c, s], [-s, c]]) for ring in made(radius))
