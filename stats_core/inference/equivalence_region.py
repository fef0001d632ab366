"""Decisions about a difference against an equivalence region."""

from collections.abc import Iterable
from math import ceil, floor, inf, log10
from numbers import Real
from typing import Literal

from stats_core.core.errors import SettingError
from stats_core.core.formatting import ABOVE_ZERO

Place = Literal["above", "below", "equivalent", "not known"]
Ends = tuple[float, float]  # low and high of an interval


def check_region(region: float) -> float:
    """Return the half-width of an equivalence region as a checked float.

    Examples
    --------
    >>> check_region(0.01)
    0.01
    """
    if isinstance(region, bool) or not (isinstance(region, Real) and 0 <= region < inf):
        raise SettingError(
            f"`region` must be 0 or a positive number, in the units of the measure. It is {region!r}. "
            "Try 0.01 for an accuracy."
        )
    return float(region)


def against_region(decides: Ends, narrow: Ends, region: float) -> Place:
    """Is a difference larger than the equivalence region, inside it, or undecided?

    Notes
    -----
    An interval at 1 - 2 alpha inside the region is two one-sided tests, each at alpha, that the
    difference is not as low as minus and not as high as plus the region. The ends are outside, so
    with a region of 0 nothing is equivalent. "Not known" is no evidence for either.

    References
    ----------
    Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987) 657.

    Examples
    --------
    >>> against_region((0.02, 0.05), (0.022, 0.048), 0.01)
    'above'
    >>> against_region((-0.012, 0.006), (-0.009, 0.004), 0.01)
    'equivalent'
    >>> against_region((-0.02, 0.05), (-0.01, 0.04), 0.01)
    'not known'
    """
    check_region(region)
    if decides[0] > region:
        return "above"
    if decides[1] < -region:
        return "below"
    return "equivalent" if -region < narrow[0] and narrow[1] < region else "not known"


def turning_widths(intervals: Iterable[tuple[Ends, Ends]], *, digits: int = 3) -> list[float]:
    """Return the half-widths of the region at which the decision about a difference changes.

    Examples
    --------
    >>> turning_widths([((0.0204, 0.05), (0.022, 0.04802)), ((-0.012, 0.006), (-0.009, 0.004))])
    [0.00901, 0.0205, 0.0481]
    """
    widths = set()
    for (low, high), narrow in intervals:
        nearer, farther = max(low, -high), max(-narrow[0], narrow[1])
        widths |= {_beyond(end, digits) for end in (nearer, farther) if ABOVE_ZERO < end < inf}
    return sorted(widths)


def _beyond(width: float, digits: int) -> float:
    """Return the next larger number with this many digits."""
    decimals = digits - 1 - floor(log10(width))
    rounded = round(ceil(width * 10.0**decimals) * 10.0**-decimals, decimals)
    return rounded if rounded > width else round(rounded + 10.0**-decimals, decimals)
