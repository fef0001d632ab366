"""Where a difference lies against the region of differences that do not matter."""

from math import inf
from numbers import Real
from typing import Literal

from stats_core.core.errors import SettingError

Place = Literal["above", "below", "equivalent", "not known"]


def check_region(region: float) -> float:
    """Return the half-width of a region, or say that it cannot be one.

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


def against_region(
    decides: tuple[float, float], narrow: tuple[float, float], region: float
) -> Place:
    """Is a difference larger than what matters, practically none, or is neither known?

    Parameters
    ----------
    decides : (low, high)
        Interval of the difference at 1 - alpha.
    narrow : (low, high)
        Interval by the same test at 1 - 2 alpha.
    region : float
        Differences from minus to plus this do not matter.

    Returns
    -------
    {"above", "below", "equivalent", "not known"}
        "above" or "below" where the first interval lies beyond the region, "equivalent" where the
        second lies inside; "not known" otherwise, and where an end is missing.

    Raises
    ------
    SettingError
        `region` negative or not finite.

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
