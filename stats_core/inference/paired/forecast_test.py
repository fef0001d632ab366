"""Diebold-Mariano test of the losses of two models on instances in the order of time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft, stats

from stats_core.core.errors import DesignError, SettingError
from stats_core.core.result_types import Alternative, Method
from stats_core.core.validation import (
    IDENTICAL,
    ROUNDING,
    all_within_rounding,
    check_paired,
    check_probability,
    differences_vary,
    rounding_error,
    unit_of,
)
from stats_core.inference import inference_text
from stats_core.inference.paired import t_tests
from stats_core.inference.paired.instance_tests import InstancePermutationResult


def diebold_mariano(
    first: ArrayLike,
    second: ArrayLike,
    *,
    horizon: int | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> InstancePermutationResult:
    """Diebold-Mariano test of whether two models have the same expected loss on instances ordered in time.

    Parameters
    ----------
    first, second : array, one value per instance
        Losses (or other values) of both models, in the order of time.
    horizon : int, optional
        None for a variance that allows for any correlation of loss differences that fades with
        time. A number of steps h for the test of Harvey, Leybourne and Newbold, which assumes that
        loss differences h or more steps apart are uncorrelated.
    alternative : {"two-sided", "greater", "less"}
        "greater" tests whether the expected loss of the first model is larger, "less" whether that
        of the second is.
    confidence_level : float
        Coverage of the interval, which is two-sided for any alternative.

    Returns
    -------
    InstancePermutationResult
        The difference of the mean losses, its standard error, interval and t statistic.

    Raises
    ------
    DataError
        Lengths differ or values are not finite.
    DesignError
        Fewer than two instances, or fewer than two for each step of the horizon.
    DegenerateError
        All loss differences are equal, but not zero.
    SettingError
        `horizon` is not a positive whole number, `alternative` is unknown, or `confidence_level` is
        outside (0, 1).

    Notes
    -----
    Without a horizon, the long-run variance of the n differences is the mean square of their first
    v cosine coefficients sqrt(2 / n) sum_t d_t cos(pi j (t - 1/2) / n), where v is the whole part
    of 0.4 n^(2/3), at least 1. The t statistic has v df: these are fixed-b critical values, under
    which the variance is not treated as known. If all coefficients are 0, the variance of the
    differences replaces their mean square.

    With a horizon, the variance of the mean difference is (g_0 + 2 g_1 + ... + 2 g_(h-1)) / n with
    autocovariances g_k (divisor n). If this is not positive, g_k has the weight 1 - k/h (Newey and
    West). The statistic is multiplied by sqrt((n + 1 - 2h + h(h - 1)/n) / n) and compared with t
    with n - 1 df. For h = 1, it is the paired t test. If the difference is correlated over h or
    more steps, the type I error rate is inflated.

    The difference is assumed stationary. If all differences are 0, p = 1, with a warning.

    References
    ----------
    Diebold and Mariano, J. Bus. Econ. Stat. 13 (1995) 253; Lazarus, Lewis, Stock and Watson, J.
    Bus. Econ. Stat. 36 (2018) 541; Harvey, Leybourne and Newbold, Int. J. Forecast. 13 (1997) 281;
    Newey and West, Econometrica 55 (1987) 703.

    Examples
    --------
    >>> a, b = [1, 2, 4, 3, 5, 2, 3, 4, 2, 3, 5, 6], [0, 2, 2, 2, 4, 2, 1, 2, 2, 1, 5, 4]
    >>> found = diebold_mariano(a, b)
    >>> round(found.estimate, 3), round(found.statistic, 3), round(found.pvalue, 4)
    (1.083, 11.882, 0.007)
    >>> round(diebold_mariano(a, b, horizon=2).pvalue, 4)
    0.0001
    """
    check_probability(confidence_level, "confidence_level")
    losses = check_paired(first, second)
    n = len(losses[0])
    if horizon is not None:
        check_horizon(horizon)
    if n < 2 or (horizon is not None and n < 2 * horizon):
        used = 1 if horizon is None else horizon
        raise DesignError.of("horizon too long", n=n, horizon=used)
    difference = losses[0] - losses[1]
    varies = differences_vary(difference, *losses)
    unit = unit_of(difference)
    scaled = difference / unit
    estimated = _by_cosines(scaled) if horizon is None else _within_horizon(scaled, horizon)
    mean = float(scaled.mean())
    df = estimated.df
    t = mean / estimated.error if varies else 0.0
    reach = (
        float(stats.t.isf((1 - confidence_level) / 2, df)) * estimated.error if varies else np.nan
    )
    return InstancePermutationResult(
        about=inference_text("about.losses", n=n),
        statistic=t,
        **t_tests.t_pvalues(t, df, identical=not varies),
        method=Method(
            inference_text("method.diebold_mariano"), ("two-sided", f"{df} df", *estimated.how)
        ),
        n=n,
        warnings=() if varies else (IDENTICAL,),
        estimate=mean * unit,
        low=(mean - reach) * unit,
        high=(mean + reach) * unit,
        error=estimated.error * unit if varies else 0.0,
        values=(float(losses[0].mean()), float(losses[1].mean())),
        draws=None,
    ).at_alternative(alternative)


class _Error(NamedTuple):
    """Standard error of a mean over time, its degrees of freedom, and how it was estimated."""

    error: float
    df: int
    how: tuple[str, ...]


def _by_cosines(difference: np.ndarray) -> _Error:
    """Return the standard error of the mean by equally weighted cosine coefficients."""
    n = len(difference)
    df = cosine_df(n)
    centred = difference - difference.mean()
    coefficients = fft.dct(centred, type=2, norm="ortho")[1 : df + 1]
    variance = float((coefficients**2).mean())
    if all_within_rounding(coefficients, np.abs(difference).sum()):
        variance = float(centred @ centred) / (n - 1)
    return _Error(float(np.sqrt(variance / n)), df, (inference_text("method.cosines"),))


def cosine_df(n: int) -> int:
    """Return the number of cosine coefficients of n values: the whole part of 0.4 n^(2/3), at least 1.

    Examples
    --------
    >>> cosine_df(30), cosine_df(100), cosine_df(1000)
    (3, 8, 40)
    """
    return max(1, int(0.4 * n ** (2 / 3) * (1 + ROUNDING)))


def _within_horizon(difference: np.ndarray, horizon: int) -> _Error:
    """Return the standard error of the mean by Harvey, Leybourne and Newbold."""
    n = len(difference)
    covariances = autocovariances(difference, horizon)
    variance = float(covariances[0] + 2 * covariances[1:].sum())
    kernel = "rectangular"
    if variance <= rounding_error(covariances) and horizon > 1:
        weights = 1 - np.arange(1, horizon) / horizon
        variance = float(covariances[0] + 2 * weights @ covariances[1:])
        kernel = "Newey-West"
    factor = (n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n
    how = (f"horizon {horizon}", *([f"{kernel} kernel"] if horizon > 1 else []))
    return _Error(float(np.sqrt(max(variance, 0.0) / n / factor)), n - 1, how)


def check_horizon(horizon: int) -> None:
    """Raise SettingError for a horizon that is not a positive whole number."""
    if not isinstance(horizon, (int, np.integer)) or horizon < 1:
        raise SettingError.of("horizon invalid", horizon=horizon)


def autocovariances(values: np.ndarray, n_lags: int) -> np.ndarray:
    """Return the autocovariances of lags 0 to `n_lags` - 1, with divisor n.

    Examples
    --------
    >>> autocovariances(np.array([1.0, 2.0, 4.0, 1.0]), 2).tolist()
    [1.5, -0.5]
    """
    centred = values - values.mean()
    return np.array([centred[lag:] @ centred[: len(centred) - lag] for lag in range(n_lags)]) / len(
        centred
    )
