"""The difference of two shares of the same cases, by an interval that holds for few disagreements."""

from math import sqrt

from scipy import stats

from stats_core.core.validation import check_probability


def share_interval(
    only_first: int, only_second: int, n: int, *, confidence: float = 0.95
) -> tuple[float, float]:
    """Which differences of two shares of the same cases do the counts not rule out?

    Parameters
    ----------
    only_first, only_second : int
        Cases that count for the first, or for the second, alone.
    n : int
        All cases.
    confidence : float
        Coverage, nearly this much also where few cases count for one alone.

    Returns
    -------
    (low, high) : tuple of float
        Of the share of the first less that of the second.

    Raises
    ------
    SettingError
        `confidence` outside (0, 1).

    Notes
    -----
    The normal interval after half a case is added to each of the four counts. Without that, two
    that never disagree would have an interval of no width, as if nothing could be unseen.

    References
    ----------
    Agresti and Min, Stat. Med. 24 (2005) 729.

    Examples
    --------
    >>> [round(end, 4) for end in share_interval(0, 0, 98)]
    [-0.0196, 0.0196]
    """
    b, c, total = only_first + 0.5, only_second + 0.5, n + 2
    z = float(stats.norm.isf((1 - check_probability(confidence, "confidence")) / 2))
    difference = (b - c) / total
    margin = z * sqrt(b + c - (b - c) ** 2 / total) / total
    return difference - margin, difference + margin
