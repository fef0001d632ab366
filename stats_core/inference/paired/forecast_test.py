"""Diebold-Mariano test of the losses of two models on instances in the order of time."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DesignError, SettingError
from stats_core.core.result_types import Method
from stats_core.core.validation import IDENTICAL, check_paired, check_probability
from stats_core.inference import inference_text
from stats_core.inference.paired import t_tests
from stats_core.inference.paired.instance_tests import InstancePermutationResult


def diebold_mariano(
    first: ArrayLike, second: ArrayLike, *, horizon: int = 1, confidence_level: float = 0.95
) -> InstancePermutationResult:
    """Diebold-Mariano test of whether two models have the same expected loss on instances ordered in time.

    Parameters
    ----------
    first, second : array, one value per instance
        Losses (or other values) of both models, in the order of time.
    horizon : int
        Number of steps h that the predictions look ahead: loss differences h or more steps apart
        are assumed uncorrelated.
    confidence_level : float
        Coverage of the interval.

    Returns
    -------
    InstancePermutationResult
        The difference of the mean losses, its standard error, interval and t statistic with n - 1
        df.

    Raises
    ------
    DataError
        Lengths differ or values are not finite.
    DesignError
        Fewer than two instances, or fewer than two for each step of the horizon.
    SettingError
        `horizon` is not a positive whole number, or `confidence_level` is outside (0, 1).

    Notes
    -----
    The variance of the mean difference is (g_0 + 2 g_1 + ... + 2 g_(h-1)) / n with autocovariances g_k (divisor n).
    If this is not positive, g_k has the weight 1 - k/h (Newey and West). The statistic is multiplied by
    sqrt((n + 1 - 2h + h(h - 1)/n) / n) and compared with t with n - 1 df (Harvey, Leybourne and Newbold). For h = 1,
    the test is the paired t test. The difference is assumed stationary. If it is correlated over h or more steps,
    the type I error rate is inflated.

    References
    ----------
    Diebold and Mariano, J. Bus. Econ. Stat. 13 (1995) 253; Harvey, Leybourne and Newbold, Int. J. Forecast. 13
    (1997) 281; Newey and West, Econometrica 55 (1987) 703.

    Examples
    --------
    >>> found = diebold_mariano([1, 2, 4, 3, 5, 2, 3, 4], [0, 2, 2, 2, 4, 2, 1, 2], horizon=2)
    >>> round(found.estimate, 3), round(found.statistic, 3), round(found.pvalue, 4)
    (1.125, 4.323, 0.0035)
    """
    check_probability(confidence_level, "confidence_level")
    losses = check_paired(first, second)
    check_horizon(horizon)
    n = len(losses[0])
    if n < 2 or n < 2 * horizon:
        raise DesignError.of("horizon too long", n=n, horizon=horizon)
    difference = losses[0] - losses[1]
    mean = float(difference.mean())
    covariances = autocovariances(difference, horizon)
    variance, kernel = float(covariances[0] + 2 * covariances[1:].sum()), "rectangular"
    if variance <= 0 and horizon > 1:
        weights = 1 - np.arange(1, horizon) / horizon
        variance, kernel = float(covariances[0] + 2 * weights @ covariances[1:]), "Newey-West"
    factor = (n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n
    scale = float(np.abs(difference).max())
    error = np.sqrt(max(variance, 0.0) / n / factor) if variance > 1e-24 * scale**2 else 0.0
    same = scale == 0
    t = 0.0 if same else float(mean / error) if error else float(np.copysign(np.inf, mean))
    reach = np.nan if same else float(stats.t.isf((1 - confidence_level) / 2, n - 1)) * error
    return InstancePermutationResult(
        about=inference_text("about.losses", n=n),
        statistic=t,
        **t_tests.t_pvalues(t, n - 1, identical=same),
        method=Method(
            inference_text("method.diebold_mariano"),
            (
                "two-sided",
                f"{n - 1} df",
                f"horizon {horizon}",
                *([f"{kernel} kernel"] if horizon > 1 else []),
            ),
        ),
        n=n,
        warnings=(IDENTICAL,) if same else (),
        estimate=mean,
        low=mean - reach,
        high=mean + reach,
        error=float(error),
        values=(float(losses[0].mean()), float(losses[1].mean())),
    )


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
