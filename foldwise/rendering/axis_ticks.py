"""The ticks of an axis: where they stand and what they say."""

from __future__ import annotations

import math

from foldwise.rendering.axis_geometry import Axis

_SIGNS = {ord("-"): "\N{MINUS SIGN}"}
_ROOM = {True: 80, False: 40}  # px that a label of its own finding takes, across and up


def axis_tick_labels(axis: Axis) -> list[tuple[float, str]]:
    """Return values and words of the ticks in the range of an axis."""
    if axis.of("tickmode") == "array" or axis.said.tickvals is not None:
        words = axis.said.ticktext
        values = [float(value) for value in axis.said.tickvals or ()]
        if words is None:
            words = [_number(value, axis, _decimals(values)) for value in values]
        return [pair for pair in zip(values, words, strict=False) if axis.within(pair[0], 1e-4)]
    step = axis.of("dtick") or _step(axis)
    first = axis.of("tick0") or 0.0
    low, high = sorted((axis.low, axis.high))
    at = range(math.ceil((low - first) / step - 1e-4), math.floor((high - first) / step + 1e-4) + 1)
    values = [first + i * step for i in at]
    return [(value, _number(value, axis, _decimals([step]))) for value in values]


def _step(axis: Axis) -> float:
    """Return 1, 2 or 5 times a power of ten, as Plotly finds it."""
    most = axis.of("nticks") or min(max(axis.length / _ROOM[axis.across], 4), 9) + 1
    rough = abs(axis.high - axis.low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    return next(n for n in (1, 2, 5, 10) if n * power >= rough * (1 - 1e-9)) * power


def _decimals(values: list[float]) -> int:
    found = (f"{value:.6f}".rstrip("0").partition(".")[2] for value in values)
    return max(map(len, found), default=0)


def _number(value: float, axis: Axis, places: int) -> str:
    """Return a number as it stands at a tick."""
    code = axis.of("tickformat")
    value = 0.0 if abs(value) < 1e-12 else value
    said = format(value, code if code else f".{places}f")
    return said.translate(_SIGNS)
