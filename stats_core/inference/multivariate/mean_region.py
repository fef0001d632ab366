"""The region of the mean of one algorithm on several measures."""

import numpy as np
from numpy.typing import ArrayLike

from stats_core.core.errors import DataError, DesignError
from stats_core.core.validation import as_numbers, check_probability
from stats_core.inference.multivariate.degrees_of_freedom import (
    region_scale,
    spread_df,
    too_few,
)
from stats_core.inference.paired import overlap_factor

_RANK_TOLERANCE = 1e-10  # of eigenvalues of the correlation, relative to the largest


def mean_region(
    covariance: ArrayLike,
    n_results: int,
    *,
    test_fraction: float | None = None,
    max_df: int | None = None,
    confidence: float = 0.95,
    dimension: int | None = None,
) -> np.ndarray:
    """Where may the mean of one algorithm lie when several measures count together?

    Parameters
    ----------
    covariance : array or DataFrame, measure x measure
        Of the results of the algorithm, with divisor J - 1, in the products of the measures' units.
    n_results : int
        Number of results J.
    test_fraction : float, optional
        n_test / (n_train + n_test) if training sets overlap; None for no correction.
    max_df : int, optional
        Use at most so many degrees of freedom, as `hotelling_paired`.
    confidence : float
        Coverage of the region, such as 0.95.
    dimension : int, optional
        In how many directions algorithms can differ (`effective_space`), if fewer than those in
        which results vary. Then any so many combinations of the measures have this coverage.

    Returns
    -------
    array, measure x measure
        A of the region (mu - m)' A^-1 (mu - m) <= 1 around the mean m, in the units of the
        covariance: A = S c/J p v/(v + 1 - p) F, F the quantile with p and v + 1 - p df, c the
        `overlap_factor`, v = J - 1 or `max_df`, the smaller. Factor and df are those of `hotelling_paired`. p is the rank of the
        covariance or `dimension`, the smaller: where measures follow from one another the region
        is flat, as is A, and where nothing varies it is the mean.

    Raises
    ------
    DataError, DesignError, SettingError
        No covariance, or not finite; fewer results than measures and one more; p above
        `max_df`; `test_fraction` or `confidence` outside (0, 1).

    Notes
    -----
    Assumes results that are normal together. It says where one mean may lie and is no test of a
    pair: results of two algorithms are paired, so regions that overlap can belong to two that
    differ. Regions of full rank that do not meet belong to two whose paired Hotelling test
    rejects at 1 - confidence before any adjustment, since in no direction do differences vary
    more than the two together. One whose covariance is pooled over algorithms on the same folds
    is as wide as J - 1 degrees of freedom make it: the folds are no others.

    References
    ----------
    Hotelling, Ann. Math. Stat. 2 (1931) 360; Nadeau and Bengio, Mach. Learn. 52 (2003) 239;
    Rencher, Methods of Multivariate Analysis, section 5.3.

    Examples
    --------
    Of ten folds, whose training sets overlap:

    >>> mean_region([[4.0, 1.0], [1.0, 1.0]], 10, test_fraction=0.1).round(3).tolist()
    [[8.472, 2.118], [2.118, 2.118]]
    """
    spread = as_numbers(covariance, "covariance")
    check_probability(confidence, "confidence")
    if spread.ndim != 2 or spread.shape[0] != spread.shape[1] or not np.isfinite(spread).all():
        raise DataError(
            [
                "`covariance` must be measure x measure and finite. "
                f"Its shape is {spread.shape}. Take the covariance of the results."
            ]
        )
    factor = overlap_factor(n_results, test_fraction)
    most = len(spread) if dimension is None else min(dimension, len(spread))
    if n_results < most + 1:
        raise DesignError(too_few(n_results, most, n_results - 1))
    p = min(_rank(spread), most)
    if not p:
        return np.zeros_like(spread)
    df = (p, spread_df(n_results, p, max_df) + 1 - p)
    return spread * region_scale(df, n_results, factor, confidence)


def _rank(spread: np.ndarray) -> int:
    """Return in how many directions results vary, whatever the units of the measures."""
    scale = np.sqrt(np.clip(np.diag(spread), 0, None))
    varies = scale > 0
    unit = np.where(varies, scale, 1.0)
    eigenvalues = np.linalg.eigvalsh(spread / np.outer(unit, unit))
    return int((eigenvalues > _RANK_TOLERANCE * max(eigenvalues[-1], 1.0)).sum())
