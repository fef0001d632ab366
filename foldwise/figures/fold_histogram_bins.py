"""Bins that all algorithms share, and numbers with the digits the folds can carry."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from foldwise.figures import text

MOST_BINS = 14
_STEPS = (1.0, 2.0, 2.5, 5.0)


@dataclass(frozen=True, slots=True)
class Bins:
    """Bins of one width whose edges are multiples of it, closed below and open above.

    No share is larger than 1: where the largest value is 1 the last bin is closed above, too.
    """

    edges: np.ndarray  # ascending, rounded to `places` decimals
    width: float  # of one bin
    places: int  # decimals an edge needs
    # whether all values are equal: then there is one bin, with the value in its middle
    constant: bool = False

    @classmethod
    def of(cls, values: np.ndarray) -> Bins:
        """Return the narrowest bins of which at most 14 cover all `values`."""
        low, high = float(np.min(values)), float(np.max(values))
        size = max(abs(low), abs(high))
        if high - low <= 1e-12 * size:
            width = 0.1 * size or 0.1
            edges = np.array([low - width / 2, low + width / 2])
            return cls(edges, width, max(0, 1 - math.floor(math.log10(width))), True)
        power = math.floor(math.log10((high - low) / MOST_BINS)) - 1
        while True:
            for step in _STEPS:
                places = max(0, (step == 2.5) - power)
                width = float(f"{step}e{power}")
                first, last = _multiple(np.array([low, high]), width)
                if last - first < MOST_BINS:
                    ends = last if low >= 0 and high == 1 else last + 1
                    edges = np.round(np.arange(first, ends + 1) * width, places)
                    return cls(edges, width, places)
            power += 1

    def index(self, values: np.ndarray) -> np.ndarray:
        """Return the bin of every value, counted from 0."""
        if self.constant:
            return np.zeros(len(values), dtype=int)
        first = round(self.edges[0] / self.width)
        return np.clip(_multiple(values, self.width) - first, 0, len(self.edges) - 2)

    def middle(self, index: int) -> float:
        """Return the middle of a bin."""
        return float(self.edges[index] + self.edges[index + 1]) / 2

    def name(self, index: int) -> str:
        """Return the two edges of a bin in words."""
        low, high = (text.format_minus(float(self.edges[index + i]), self.places) for i in (0, 1))
        negative = self.edges[index] < 0
        return f"{low} to {high}" if negative else f"{low}\N{EN DASH}{high}"


def bin_edges(values: np.ndarray) -> np.ndarray:
    """Return the edges of the bins of `values`.

    The width is the smallest of 1, 2, 2.5 and 5 times a power of ten that needs at most 14
    bins; edges are multiples of it. A value on an edge belongs to the bin above it, also if its
    last binary digit says otherwise; only where 1 is the largest it belongs to the last bin.

    Examples
    --------
    >>> bin_edges(np.array([0.1, 0.3, 1.1]))
    array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1. , 1.1, 1.2])
    >>> bin_edges(np.array([0.55, 0.9, 1.0]))
    array([0.55, 0.6 , 0.65, 0.7 , 0.75, 0.8 , 0.85, 0.9 , 0.95, 1.  ])
    """
    return Bins.of(np.asarray(values, dtype=float).ravel()).edges


def _multiple(values: np.ndarray, width: float) -> np.ndarray:
    """Return the multiples of `width` that the values reach, a hair below counting as reached."""
    quotient = np.asarray(values, dtype=float) / width
    nearest = np.round(quotient)
    slack = 1e-9 + 8 * np.finfo(float).eps * np.abs(quotient)
    near = np.abs(quotient - nearest) <= slack
    return np.where(near, nearest, np.floor(quotient)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Numbers:
    """How the values of one table are printed: so that a standard error keeps two digits."""

    places: int | None  # None: three significant digits
    unit: str

    @classmethod
    def of(cls, values: pd.DataFrame, measure: str) -> Numbers:
        """Return the format that belongs to `values`."""
        percent = measure.rstrip().endswith("(%)") or measure.strip() == "%"
        unit = " %" if percent else ""
        data = values.to_numpy(dtype=float)
        size = float(np.abs(data).max())
        if size and not 1e-3 <= size < 1e9:
            return cls(None, unit)
        spread = [float(np.ptp(data))]
        if len(data) > 1:
            errors = data.std(axis=0, ddof=1) / math.sqrt(len(data))
            spread = [float(e) for e in errors if e > 1e-9 * size] or spread
        if max(spread) <= 1e-9 * size:
            fitting = (p for p in (2, 3) if math.isclose(round(data.flat[0], p), data.flat[0]))
            return cls(next(fitting, 4), unit)
        places = text.decimals_for(spread)
        return cls(min(max(places, 1), 3) if percent else places, unit)

    def say(self, value: float) -> str:
        """Return a number, minus as U+2212, without its unit."""
        if self.places is None:
            return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")
        size = f"{abs(value):,.{self.places}f}"
        negative = value < 0 and any(c in "123456789" for c in size)
        return f"\N{MINUS SIGN}{size}" if negative else size

    def full(self, value: float) -> str:
        """Return a number with its unit."""
        return self.say(value) + self.unit
