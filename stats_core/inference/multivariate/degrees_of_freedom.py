"""How many degrees of freedom vectors of measures leave, and what makes an F of Hotelling's T2."""

from scipy import stats

from stats_core.core.errors import DesignError
from stats_core.inference.paired import at_most


def spread_df(n: int, p: int, max_df: int | None) -> int:
    """Return the degrees of freedom of a covariance of `n` results in `p` dimensions.

    Raises
    ------
    DesignError
        Measures are too many for the results.

    Examples
    --------
    >>> spread_df(100, 2, 8), spread_df(100, 2, None)
    (8, 99)
    """
    spread = at_most(n - 1, max_df)
    if p and n < p + 1:
        raise DesignError(too_few(n, p, n - 1))
    if spread < p:
        raise DesignError(too_many(p, spread))
    return spread


def f_scale(df: tuple[int, int]) -> float:
    """Return what makes an F of T2, whose covariance has df[0] + df[1] - 1 degrees of freedom."""
    return df[1] / (df[0] * (sum(df) - 1)) if df[0] else 0.0


def region_scale(df: tuple[int, int], n: int, factor: float, confidence: float) -> float:
    """Return by what a covariance of `n` results is multiplied for the region of their mean.

    Examples
    --------
    >>> round(region_scale((2, 8), 10, 1.0, 0.95), 4)
    1.0033
    """
    return factor / n / f_scale(df) * float(stats.f.isf(1 - confidence, *df))


def too_many(p: int, max_df: int) -> str:
    """Say that `max_df` leaves too few degrees of freedom for so many measures."""
    return (
        f"With at most {max_df} degrees of freedom a test allows at most {max_df} measures. There "
        f"are {p}. Use fewer measures, or the published degrees of freedom."
    )


def too_few(n: int, p: int, most: int) -> str:
    """Say that so many measures need more folds than there are."""
    advice = (
        f"With {n} folds use at most {most} measures."
        if most >= 2
        else "Test the measures one by one."
    )
    return f"A test on {p} measures needs at least {p + 1} folds. There are {n}. {advice}"
