"""Error rates of confidence intervals shown beside adjusted decisions about many pairs."""

import numpy as np
from numpy.typing import ArrayLike

from stats_core.core.significance import significant


def error_rates(
    p: ArrayLike, adjusted: ArrayLike, alpha: float, *, family: int = 0, selected: int = -1
) -> np.ndarray:
    """Return 1 - confidence of the interval of each pair, so that it agrees with its decision.

    Parameters
    ----------
    p, adjusted : array, one per pair
        p-values before and after the adjustment; NaN for pairs without a test.
    alpha : float
        Significance level of the family.
    family : int
        How many pairs were tested together; 0 for the number of those with a test.
    selected : int
        How many of these are significant; -1 to count them here.

    Returns
    -------
    array, one per pair
        At most alpha; NaN where p is. Of m pairs R are significant: alpha R / m for these, more
        where p needs more; alpha p / adjusted for the others.

    Notes
    -----
    An interval with this error rate that inverts the test of p excludes zero exactly where
    adjusted <= alpha, since alpha p / adjusted >= p means just that. Intervals at alpha R / m for
    R selected pairs have a false coverage rate of at most alpha (Benjamini and Yekutieli 2005).
    Shaffer's and Bergmann and Hommel's procedures can reject beyond alpha R / m; there the error
    rate is alpha p / adjusted, which is the smallest one that excludes zero.

    References
    ----------
    Benjamini and Yekutieli 2005, JASP 100, 71-81, doi:10.1198/016214504000001907.

    Examples
    --------
    Holm, two of four significant:

    >>> error_rates([0.001, 0.01, 0.1, 0.6], [0.004, 0.03, 0.2, 0.6], 0.05).round(4).tolist()
    [0.025, 0.025, 0.025, 0.05]
    """
    p, adjusted = np.asarray(p, dtype=float), np.asarray(adjusted, dtype=float)
    share = np.zeros_like(p)  # both 0 where adjusted is
    np.divide(p, adjusted, out=share, where=~(adjusted == 0))
    rates = alpha * np.minimum(share, 1)
    chosen = significant(adjusted, alpha)
    tested = family or int(np.count_nonzero(~np.isnan(adjusted)))
    share_selected = (chosen.sum() if selected < 0 else selected) / max(tested, 1)
    return np.where(chosen, np.maximum(rates, alpha * share_selected), rates)
