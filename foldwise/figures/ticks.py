"""Where the ticks of an axis stand, and what they print: the same number of decimals at each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def ticks(low: float, high: float, most: float) -> tuple[list[float], list[str]]:
    """Return at most `most` + 1 round places between `low` and `high`, and what to print there.

    Examples
    --------
    >>> ticks(0.175, 0.215, 4)[1]
    ['0.18', '0.19', '0.20', '0.21']
    """
    least = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= 0.999 * least)
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    every = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [i * step for i in every], [_tick(i * step, places, step) for i in every]


def log_ticks(low: float, high: float, most: float) -> tuple[list[float], list[str]]:
    """Return the places of 1, 2 and 5 times powers of ten, or of fewer powers, and what they print.

    Ends and places are logarithms to base ten, at least one apart; so many labels fit.

    Examples
    --------
    >>> log_ticks(-1.4, -0.2, 20)[1], log_ticks(-1.4, 4.2, 4)[1]
    (['0.05', '0.1', '0.2', '0.5'], ['0.1', '10', '1000'])
    """
    closest = math.log10(2) / (high - low)  # of 1 and 2, as a share of the axis
    powers = range(math.floor(low), math.ceil(high) + 1)
    if closest * most >= 1:
        values = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
    else:
        inside = [power for power in powers if low <= power <= high]
        values = [10.0**power for power in inside[:: math.ceil(len(inside) / most)]]
    shown = [value for value in values if low <= math.log10(value) <= high]
    return [math.log10(value) for value in shown], [f"{value:g}" for value in shown]


def _tick(value: float, places: int, step: float) -> str:
    if places <= 4 and step < 1e5:
        sign = "\N{MINUS SIGN}" if round(value, places) < 0 else ""
        return f"{sign}{abs(value):,.{places}f}"
    if abs(value) < step / 2:
        return "0"
    # One digit beyond the step tells neighbours apart.
    digits = max(math.floor(math.log10(abs(value)) - math.log10(step) + 1e-9), 0)
    mantissa, power = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(power)}".replace("-", "\N{MINUS SIGN}")


def padded_range(low: float, high: float) -> tuple[float, float]:
    """Return the ends of an axis of values: 6 % more on either side, and more than nothing."""
    pad = 0.06 * (high - low) or 0.05 * abs(high) or 0.5
    return low - pad, high + pad


def tick_step(reach: float, most: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that gives at most `most` ticks."""
    power = 10.0 ** math.floor(math.log10(reach / most))
    return next(power * f for f in (1, 2, 5, 10) if reach / (power * f) <= most)


def tick_axis(
    at: Sequence[float], words: Sequence[str], span: Sequence[float] | None = None
) -> dict[str, Any]:
    """Return a Plotly axis with these ticks that stays as it is, from end to end if they are given."""
    axis = {"tickmode": "array", "tickvals": at, "ticktext": words, "fixedrange": True}
    return axis if span is None else {"range": span, **axis}


def names_axis(
    at: Sequence[float], words: Sequence[str], span: Sequence[float] | None = None
) -> dict[str, Any]:
    """Return an axis with names in place of a line and ticks."""
    return {"showline": False, "ticks": "", **tick_axis(at, words, span)}


def value_axis(low: float, high: float, most: float) -> dict[str, Any]:
    """Return an axis of values from `low` to `high` with at most `most` + 1 ticks."""
    return tick_axis(*ticks(low, high, most), [low, high])


def step_format(step: float) -> str:
    """Return Plotly's format with as many decimals as a distance between ticks needs.

    Examples
    --------
    >>> step_format(0.025), step_format(0.5), step_format(2000.0)
    (',.3f', ',.1f', ',.0f')
    """
    places = next((p for p in range(12) if math.isclose(round(step, p), step)), 12)
    return f",.{places}f"
