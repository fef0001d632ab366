"""Bins of histograms, with a width that follows the spread within algorithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.figures import text

_STEPS = (1.0, 2.0, 2.5, 5.0)
#: Smallest and largest number of bins in the range of an algorithm, and smallest number on an axis.
_LEAST_WITHIN, _MOST_WITHIN, _LEAST = 5.0, 20.0, 8
#: With more bins on an axis, an algorithm far from the others gets an axis of its own.
_MOST_SHARED = 40
#: With more bins on an axis, any gap between algorithms divides it. Without distances, bins are
#: wider.
_MOST_DIVIDED, _MOST = 50, 100
#: About the range of 100 normal results, in interquartile ranges: outliers do not widen bins.
_RANGE_OF_QUARTILES = 4.0


@dataclass(frozen=True, slots=True)
class Bins:
    """Bins of equal width whose edges are multiples of it, closed below and open above.

    If values lie in [0, 1] and the largest is 1, the last bin is also closed above, since shares
    cannot exceed 1. Equal values have one bin, which is centred at the value.
    """

    edges: np.ndarray  # ascending, rounded to `places` decimals
    width: float  # of one bin
    places: int  # number of decimals of an edge
    # whether all values are equal; there is then one bin, centred at the value
    constant: bool = False

    @classmethod
    def of(cls, columns: Sequence[np.ndarray]) -> Bins:
        """Return bins for the values of all algorithms, one array each.

        The median range of an algorithm has about 2 n^(1/3) bins (Rice's rule), at least 5 and at
        most 20, and all values together at least 8, unless ties allow only fewer, and at most about
        100. The width is 1, 2, 2.5 or 5 times a power of ten. A value on an edge belongs to the bin
        above it, regardless of rounding errors.

        Examples
        --------
        >>> Bins.of([np.array([0.1, 0.3, 1.1])]).edges
        array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1. , 1.1, 1.2])
        >>> Bins.of([np.array([0.55, 0.9, 1.0])]).edges
        array([0.55, 0.6 , 0.65, 0.7 , 0.75, 0.8 , 0.85, 0.9 , 0.95, 1.  ])
        """
        values = np.concatenate(columns)
        low = float(np.min(values))
        high = float(np.max(values))
        if _are_equal(low, high):
            size = max(abs(low), abs(high))
            width = 0.1 * size or 0.1
            edges = np.array([low - width / 2, low + width / 2])
            return cls(edges, width, max(0, 1 - math.floor(math.log10(width))), True)
        least = max(_resolution(values), (high - low) / (_MOST - 1))
        wanted = min(_wanted_width(columns), (high - low) / (_LEAST - 1))
        width, places = _round_width(least, max(least, wanted))
        first, last = _multiple(np.array([low, high]), width)
        is_closed_at_one = low >= 0 and high == 1 and last > first
        last_edge = last if is_closed_at_one else last + 1
        edges = np.round(np.arange(first, last_edge + 1) * width, places)
        return cls(edges, width, places)

    def index(self, values: np.ndarray) -> np.ndarray:
        """Return the index of the bin of every value; values outside all bins have the index of the nearest bin."""
        if self.constant:
            return np.zeros(len(values), dtype=int)
        first = round(self.edges[0] / self.width)
        return np.clip(_multiple(values, self.width) - first, 0, len(self.edges) - 2)

    def middle(self, index: int) -> float:
        """Return the middle of a bin."""
        return float(self.edges[index] + self.edges[index + 1]) / 2

    def name(self, index: int) -> str:
        """Return the range of a bin as text."""
        low, high = (text.format_minus(float(self.edges[index + i]), self.places) for i in (0, 1))
        return f"{low} to {high}" if self.edges[index] < 0 else f"{low}\N{EN DASH}{high}"


def shared_axes(columns: Sequence[np.ndarray]) -> list[list[int]]:
    """Return the positions of the algorithms on each axis: one axis, unless some are far from the others.

    Examples
    --------
    >>> near, far = np.linspace(0, 1, 10), np.linspace(20, 21, 10)
    >>> shared_axes([near, far, near]), shared_axes([near, near + 1])
    ([[0, 2], [1]], [[0, 1]])
    """
    everyone = list(range(len(columns)))
    values = np.concatenate(columns)
    extent = float(np.ptp(values))
    if len(columns) < 2 or _are_equal(float(values.min()), float(values.max())):
        return [everyone]
    n_bins = extent / max(_wanted_width(columns), _resolution(values))
    if n_bins <= _MOST_SHARED:
        return [everyone]
    order = sorted(everyone, key=lambda i: float(np.mean(columns[i])))
    highest_so_far = np.maximum.accumulate([columns[i].max() for i in order])
    lowest_from_here = np.minimum.accumulate([columns[i].min() for i in order[::-1]])[::-1]
    distances = np.maximum(lowest_from_here[1:] - highest_so_far[:-1], 0)
    is_dense = n_bins <= _MOST_DIVIDED and distances.sum() <= extent / 2
    if distances.max() == 0 or is_dense:
        return [everyone]
    cut = int(np.argmax(distances))
    axes = []
    for part in (sorted(order[: cut + 1]), sorted(order[cut + 1 :])):
        axes_of_part = shared_axes([columns[i] for i in part])
        axes += [[part[i] for i in axis] for axis in axes_of_part]
    return sorted(axes)


def _are_equal(low: float, high: float) -> bool:
    """Return whether two values differ by rounding errors only."""
    return high - low <= 1e-12 * max(abs(low), abs(high))


def _wanted_width(columns: Sequence[np.ndarray]) -> float:
    """Return the width of bins that the spread within algorithms calls for."""
    values = np.concatenate(columns)
    rounding_error = 1e-12 * float(np.abs(values).max())
    spreads = [_spread(column) for column in columns]
    varying = [spread for spread in spreads if spread > rounding_error]
    spread = float(np.median(varying)) if varying else float(np.ptp(values))
    by_rice = 2 * max(map(len, columns)) ** (1 / 3)
    return spread / min(max(by_rice, _LEAST_WITHIN), _MOST_WITHIN)


def _spread(column: np.ndarray) -> float:
    """Return the range of values without outliers."""
    extent = float(np.ptp(column))
    lower, upper = np.percentile(column, [25, 75])
    quartiles = float(upper - lower)
    return min(extent, _RANGE_OF_QUARTILES * quartiles) if quartiles > 0 else extent


def _resolution(values: np.ndarray) -> float:
    """Return the smallest distance between different values if most are ties, else 0."""
    distances = np.diff(np.sort(values))
    apart = distances[distances > 1e-9 * np.abs(values).max()]
    return float(apart.min()) * (1 - 1e-9) if 0 < len(apart) < len(values) / 2 else 0.0


def _round_width(least: float, most: float) -> tuple[float, int]:
    """Return the largest round width in [`least`, `most`], or else the smallest above `least`, and its decimals."""
    power = math.floor(math.log10(least)) - 1
    widths = [
        (float(f"{step}e{exponent}"), max(0, (step == 2.5) - exponent))
        for exponent in range(power, math.ceil(math.log10(most)) + 2)
        for step in _STEPS
    ]
    fitting = [pair for pair in widths if least <= pair[0] <= most]
    return fitting[-1] if fitting else next(pair for pair in widths if pair[0] >= least)


def _multiple(values: np.ndarray, width: float) -> np.ndarray:
    """Return floor(values / width), tolerating rounding errors just below a multiple."""
    quotient = np.asarray(values, dtype=float) / width
    nearest = np.round(quotient)
    slack = 1e-9 + 8 * np.finfo(float).eps * np.abs(quotient)
    near = np.abs(quotient - nearest) <= slack
    return np.where(near, nearest, np.floor(quotient)).astype(np.int64)
