"""Axes of values in TeX, whose numbers have five digits: coordinates, ticks and their labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.figures import text
from foldwise.figures.tikz.letters import latex
from foldwise.figures.tikz.parts import number
from foldwise.figures.tikz.words import Face


@dataclass(frozen=True, slots=True)
class Scale:
    """How values are counted along an axis.

    A coordinate is ``(value - offset) * factor``, printed with `digits` decimals.
    """

    offset: float = 0.0
    factor: float = 1.0
    digits: int = 4

    @classmethod
    def of(cls, low: float, high: float) -> Scale:
        """Return the scale of values from `low` to `high`: themselves if TeX can hold them.

        Examples
        --------
        >>> Scale.of(0.82, 0.95)
        Scale(offset=0.0, factor=1.0, digits=5)
        >>> Scale.of(20000000.0, 20000500.0).at(20000250.0)
        25.0
        """
        size, reach = max(abs(low), abs(high)), high - low
        power = math.floor(math.log10(reach))
        if 0.01 <= size <= 5000 and reach >= 0.02 * size:
            return cls(digits=max(4 - power, 1))
        factor = 10.0 ** (1 - power)
        return cls(math.floor(low * factor) / factor, factor, 3)

    def at(self, values: float | np.ndarray) -> float | np.ndarray:
        """Return the coordinates of `values`."""
        return (values - self.offset) * self.factor

    def write(self, value: float) -> str:
        """Return the coordinate of a value as TeX reads it."""
        return number(float(self.at(value)), self.digits)

    def words(self, axis: str) -> list[str]:
        """Return the comment that explains coordinates which are not the values."""
        if (self.offset, self.factor) == (0.0, 1.0):
            return []
        return [f"% {axis} counts units of {1 / self.factor:g} from {self.offset:.12g}."]


@dataclass(frozen=True, slots=True)
class Ticks:
    """Round values on an axis and what is written at them, not yet LaTeX."""

    values: tuple[float, ...]
    labels: tuple[str, ...]
    exponent: int | None = None

    @classmethod
    def along(
        cls, low: float, high: float, room: float, face: Face, unit: float, beyond: float
    ) -> Ticks:
        """Return ticks of a horizontal axis `room` px long, as many as find room for labels.

        Parameters
        ----------
        low, high : float
            Ends of the axis.
        room : float
            Its length.
        face : Face
            Of its labels.
        unit : float
            Ticks are at multiples of it if that leaves two or more; 0 for any round values.
        beyond : float
            How far the labels may reach past the ends.
        """
        for step, places in _steps((high - low) / 8, unit):
            ticks = cls._at(low, high, step, places)
            widest = max((ticks.wide(label, face) for label in ticks.labels), default=0.0)
            if widest + face.px <= step / (high - low) * room:
                break
        if len(ticks.values) < 2 and unit:
            return cls.along(low, high, room, face, 0.0, beyond)
        return ticks._within(low, high, room, face, beyond)

    @classmethod
    def upwards(cls, low: float, high: float, room: float, face: Face) -> Ticks:
        """Return ticks of a vertical axis `room` px long, four times their height apart."""
        least = max(4 * face.px * (high - low) / room, (high - low) / 8)
        return cls._at(low, high, *next(_steps(least, 0.0)))

    @classmethod
    def _at(cls, low: float, high: float, step: float, places: int) -> Ticks:
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        values = tuple(float(f"{k * step:.12g}") for k in range(first, last + 1))
        size = max((abs(value) for value in values), default=0.0)
        if not size or 1e-3 <= size < 1e9:
            return cls(values, tuple(_grouped(value, max(places, 0)) for value in values))
        power = math.floor(math.log10(size))
        small = tuple(text.minus(value / 10.0**power, max(places + power, 0)) for value in values)
        return cls(values, small, power)

    def _within(self, low: float, high: float, room: float, face: Face, beyond: float) -> Ticks:
        """Leave out ticks whose label would be cut."""
        kept = []
        for value, label in zip(self.values, self.labels, strict=True):
            x, half = (value - low) / (high - low) * room, self.wide(label, face) / 2
            if x - half >= -beyond and x + half <= room + beyond:
                kept.append((value, label))
        values, labels = zip(*kept, strict=True) if kept else ((), ())
        return Ticks(values, labels, self.exponent)

    def wide(self, label: str, face: Face) -> float:
        """Return the width of a label in px."""
        power = "" if self.exponent is None or _zero(label) else f"·10{self.exponent}"
        return face.wide(label + power)

    @property
    def written(self) -> list[str]:
        """The labels as LaTeX."""
        if self.exponent is None:
            return [latex(label) for label in self.labels]
        tail = rf"$\cdot10^{{{self.exponent}}}$"
        return [latex(x) + ("" if _zero(x) else tail) for x in self.labels]

    def options(self, axis: str, scale: Scale) -> list[str]:
        """Return the options of a pgfplots axis for these ticks."""
        at = ",".join(scale.write(value) for value in self.values)
        labels = ",".join(f"{{{label}}}" for label in self.written)
        return [f"{axis}tick={{{at}}}", f"{axis}ticklabels={{{labels}}}"]


def plot(options: str, scales: tuple[Scale, Scale], x: Sequence[float], y: Sequence[float]) -> str:
    r"""Return an ``\addplot`` through the points of `x` and `y`."""
    places = (f"({scales[0].write(a)},{scales[1].write(b)})" for a, b in zip(x, y, strict=True))
    return rf"\addplot[{options}] coordinates {{{' '.join(places)}}};"


def _grouped(value: float, places: int) -> str:
    """Return a number with a comma between thousands."""
    sign = text.minus(value, places)[0]
    return (sign if not sign.isdigit() else "") + f"{abs(value):,.{places}f}"


def _zero(label: str) -> bool:
    """Whether a label shows nothing but zeros."""
    return not any(digit in "123456789" for digit in label)


def _steps(least: float, unit: float) -> Iterator[tuple[float, int]]:
    """Yield 1, 2, 2.5 and 5 times powers of ten from `least` up, with the decimals they need.

    With `unit` only its multiples, and 4 times powers of ten as well. Minus one decimal means that tens suffice.
    """
    power = math.floor(math.log10(max(least, unit))) - 1
    while True:
        for factor in (1.0, 2.0, 2.5, 4.0, 5.0) if unit else (1.0, 2.0, 2.5, 5.0):
            step = float(f"{factor}e{power}")
            if step >= max(least, 0.99 * unit) and (not unit or _multiple(step, unit)):
                yield step, (factor == 2.5) - power
        power += 1


def _multiple(step: float, unit: float) -> bool:
    return abs(step / unit - round(step / unit)) < 1e-9
