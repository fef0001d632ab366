"""Where the ticks of an axis stand, and what they print: the same number of decimals at each."""

from __future__ import annotations

import math
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


def value_axis(low: float, high: float, most: float) -> dict[str, Any]:
    """Return the range and the ticks of a Plotly axis of values.

    Parameters
    ----------
    low, high : float
        Its ends.
    most : float
        Ticks at most, less one.
    """
    places, words = ticks(low, high, most)
    return {
        "range": [low, high],
        "tickmode": "array",
        "tickvals": places,
        "ticktext": words,
    }


def step_format(step: float) -> str:
    """Return Plotly's format with as many decimals as a distance between ticks needs.

    Examples
    --------
    >>> step_format(0.025), step_format(0.5), step_format(2000.0)
    (',.3f', ',.1f', ',.0f')
    """
    places = next((p for p in range(12) if math.isclose(round(step, p), step)), 12)
    return f",.{places}f"
