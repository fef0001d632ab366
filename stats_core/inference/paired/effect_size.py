"""How large the difference of two algorithms is, apart from how sure."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special, stats

from stats_core.inference.paired.signed_ranks import wilcoxon
from stats_core.inference.paired.t_tests import TTestResult, corrected_t, paired_t

_LARGE_T = 1e4


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSizes:
    """Effect sizes of paired differences, first minus second.

    Attributes
    ----------
    mean, mean_low, mean_high : float
        Mean difference with its t interval.
    standardised, standardised_low, standardised_high : float
        Mean difference in standard deviations of the folds' differences (d_z).
    rank_biserial : float
        Matched rank-biserial correlation, from -1 to 1.
    """

    mean: float
    mean_low: float
    mean_high: float
    standardised: float
    standardised_low: float
    standardised_high: float
    rank_biserial: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per effect size: estimate, low, high."""
        return pd.DataFrame(
            [
                [self.mean, self.mean_low, self.mean_high],
                [self.standardised, self.standardised_low, self.standardised_high],
                [self.rank_biserial, np.nan, np.nan],
            ],
            index=["mean difference", "standardised difference", "rank-biserial"],
            columns=["estimate", "low", "high"],
        )


def effect_sizes(
    x: ArrayLike,
    y: ArrayLike,
    *,
    test_fraction: float | None = None,
    confidence: float = 0.95,
    max_df: int | None = None,
) -> EffectSizes:
    """How large is the difference of two algorithms on the same folds?

    Notes
    -----
    t is d_z sqrt(J / c) with c the overlap factor, so the interval of d_z holds the
    noncentralities that leave (1 - confidence)/2 on either side of the observed t. The
    rank-biserial correlation has none.

    References
    ----------
    Cumming and Finch, Educ. Psychol. Meas. 61 (2001) 532; Kerby, Innov. Teach. 3 (2014).

    Examples
    --------
    >>> sizes = effect_sizes([6.0, 7, 9, 8], [5.0, 5, 6, 7])
    >>> round(sizes.standardised, 3), sizes.rank_biserial
    (1.828, 1.0)
    """
    if test_fraction is None:
        test = paired_t(x, y, confidence=confidence)
    else:
        test = corrected_t(x, y, test_fraction=test_fraction, confidence=confidence, max_df=max_df)
    low, high = _noncentralities(test, confidence)
    scale = sqrt(test.factor / test.n)
    return EffectSizes(
        mean=test.estimate,
        mean_low=test.low,
        mean_high=test.high,
        standardised=test.statistic * scale,
        standardised_low=low * scale,
        standardised_high=high * scale,
        rank_biserial=wilcoxon(x, y).rank_biserial,
    )


def _noncentralities(test: TTestResult, confidence: float) -> tuple[float, float]:
    tail = (1 - confidence) / 2
    if abs(test.statistic) > _LARGE_T:  # the noncentral t is then t times a chi, and slow to invert
        ends = np.sqrt(stats.chi2.ppf([tail, 1 - tail], test.df) / test.df) * test.statistic
        return float(ends.min()), float(ends.max())
    low, high = (special.nctdtrinc(test.df, share, test.statistic) for share in (1 - tail, tail))
    return float(low), float(high)
