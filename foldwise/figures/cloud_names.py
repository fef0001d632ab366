"""Where the names of clouds of folds stand: beside their contour, free of marks and other names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.figures import text
from foldwise.figures.theme import Style

#: How far out a name may stand, in radii of its contour; beyond the second a line leads to it.
_OUT = (1.0, 1.12, 1.3, 1.55, 1.85, 2.2)
_DIRECTIONS = 24
#: What a name costs that leaves the plot, covers another name, covers a mark, or a contour point.
_OUTSIDE, _NAME, _MARK, _RING = 1000.0, 60.0, 12.0, 0.4


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a name stands, in values of the axes.

    Attributes
    ----------
    point : (float, float)
        The middle of the name.
    anchors : (str, str)
        ``xanchor`` and ``yanchor`` of Plotly at that point.
    leads_to : (float, float) or None
        The point of the contour a line comes from, where the name stands apart.
    """

    point: tuple[float, float]
    anchors: tuple[str, str]
    leads_to: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Plot:
    """The window of values and its size in px; names must be free at every width given."""

    window: tuple[tuple[float, float], tuple[float, float]]
    widths: tuple[float, ...]
    height: float

    def px(self, points: np.ndarray, width: float) -> np.ndarray:
        """Return points in px from the lower left corner."""
        low, high = np.array(self.window).T
        return (np.asarray(points, dtype=float) - low) / (high - low) * (width, self.height)


def place_names(
    words: Mapping[str, str],
    rings: Mapping[str, np.ndarray],
    marks: np.ndarray,
    plot: Plot,
    style: Style,
    *,
    notes: Sequence[tuple[Spot, str]] = (),
) -> dict[str, Spot]:
    """Return a place for every name.

    Parameters
    ----------
    words : mapping of algorithm to str
        What is printed.
    rings : mapping of algorithm to array, points x 2
        Its outer contour.
    marks : array, points x 2
        All that names must not cover.
    plot : Plot
    style : Style
    notes : sequence of (Spot, str)
        Words that stand already.

    Returns
    -------
    dict of algorithm to Spot
        Crowded names are placed greedily, in the order given.
    """
    every = np.concatenate(list(rings.values()))
    around = {width: (plot.px(marks, width), plot.px(every, width)) for width in plot.widths}
    taken: dict[float, list[np.ndarray]] = {
        width: [_box(spot, _wide(word, style), width, plot, style) for spot, word in notes]
        for width in plot.widths
    }
    found = {}
    for name, word in words.items():
        wide = _wide(word, style)
        best = min(
            _candidates(rings[name]),
            key=lambda spot, wide=wide: _cost(spot[0], spot[1], wide, around, taken, plot, style),
        )
        spot = best[0]
        for width in plot.widths:
            taken[width].append(_box(spot, wide, width, plot, style))
        found[name] = spot
    return found


def _wide(word: str, style: Style) -> float:
    return text.width(text.plain(word), style.size, style.serif) + 4


def _candidates(ring: np.ndarray) -> list[tuple[Spot, float]]:
    """Return places around a contour with the share by which they stand off it."""
    centre = (ring.max(axis=0) + ring.min(axis=0)) / 2
    steps = np.unique(np.linspace(0, len(ring) - 1, _DIRECTIONS).astype(int))
    half = np.maximum((ring.max(axis=0) - ring.min(axis=0)) / 2, 1e-12)
    spots = []
    for place, out in enumerate(_OUT):
        for point in ring[steps]:
            at = centre + out * (point - centre)
            across, up = (point - centre) / half
            anchors = (
                "left" if across > 0.35 else "right" if across < -0.35 else "center",
                "bottom" if up > 0.35 else "top" if up < -0.35 else "middle",
            )
            if anchors == ("center", "middle"):
                anchors = ("center", "bottom")
            origin = tuple(map(float, point)) if place > 1 else None
            spots.append((Spot(tuple(map(float, at)), anchors, origin), out - 1))
    return spots


def _box(spot: Spot, wide: float, width: float, plot: Plot, style: Style) -> np.ndarray:
    """Return the lower left and the upper right corner of a name in px."""
    x, y = plot.px(np.array(spot.point), width)
    tall = 1.25 * style.size
    left = {"left": x, "center": x - wide / 2, "right": x - wide}[spot.anchors[0]]
    low = {"bottom": y, "middle": y - tall / 2, "top": y - tall}[spot.anchors[1]]
    return np.array([[left, low], [left + wide, low + tall]])


def _cost(spot: Spot, apart: float, wide: float, around, taken, plot: Plot, style: Style) -> float:
    """Return how bad a place is, over all widths of the plot."""
    total = 8 * apart
    pad = style.px(4, 2.5)
    for width in plot.widths:
        low, high = _box(spot, wide, width, plot, style)
        ends = np.array([width, plot.height])
        total += _OUTSIDE * bool((low < 0).any() or (high > ends).any())
        marks, rings = around[width]
        inside = ((marks > low - pad) & (marks < high + pad)).all(axis=1)
        total += _MARK * inside.sum()
        total += _RING * ((rings > low) & (rings < high)).all(axis=1).sum()
        for box in taken[width]:
            total += _NAME * bool((low < box[1] + 1).all() and (box[0] < high + 1).all())
    return total
