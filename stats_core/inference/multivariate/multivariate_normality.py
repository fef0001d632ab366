"""Multivariate normality: Mardia's tests, Mahalanobis distances, Box's M."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DataError, DegenerateError, DesignError
from stats_core.core.result_types import Method, TestResult
from stats_core.core.validation import as_numbers

_ENVELOPES = 999


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MardiaResult(TestResult):
    """Mardia's tests; `statistic` and `pvalue` are those of skewness, small-sample factor used.

    Attributes
    ----------
    skewness, kurtosis : float
        b1 and b2.
    kurtosis_z, kurtosis_pvalue : float
        With the exact mean and variance of b2 under normality.
    asymptotic : DataFrame
        Rows skewness, kurtosis; columns statistic, p: without those corrections.
    dimension : int
        The effective number of measures.
    """

    skewness: float
    kurtosis: float
    kurtosis_z: float
    kurtosis_pvalue: float
    asymptotic: pd.DataFrame
    dimension: int


def mardia(x: ArrayLike) -> MardiaResult:
    """Are the results of one algorithm, or paired differences, jointly normal?

    Parameters
    ----------
    x : array, fold x measure
        None missing; collinear measures count once.

    Returns
    -------
    MardiaResult

    Raises
    ------
    DataError, DesignError, DegenerateError
        Another shape or not finite; fewer than p + 2 folds; nothing varies.

    Notes
    -----
    Skewness is tested with Mardia's small-sample factor, kurtosis with its exact moments: at 10
    folds and two measures their levels are .053 and .044, while the asymptotic forms reject .004
    and .000 of normal samples. Ten folds show gross departures only.

    References
    ----------
    Mardia, Biometrika 57 (1970) 519; Sankhya B 36 (1974) 115.

    Examples
    --------
    >>> import numpy as np
    >>> round(mardia(np.random.default_rng(1).normal(size=(20, 2))).skewness, 3)
    2.851
    """
    values = _check(x)
    n = len(values)
    standard = _standardised(values)
    p = standard.shape[1]
    least = max(p + 2, 4)
    if n < least:
        raise DesignError(
            f"Mardia's tests on {p} measures need at least {least} folds. There are {n}. Use fewer measures."
        )
    products = standard @ standard.T  # g_ij, covariance with divisor n
    b1, b2 = float((products**3).mean()), float((np.diag(products) ** 2).mean())
    df = p * (p + 1) * (p + 2) / 6
    factor = (p + 1) * (n + 1) * (n + 3) / (n * ((n + 1) * (p + 1) - 6))
    plain = n * b1 / 6
    mean = p * (p + 2) * (n - 1) / (n + 1)
    spread = 8 * p * (p + 2) * (n - 3) * (n - p - 1) * (n - p + 1)
    spread /= (n + 1) ** 2 * (n + 3) * (n + 5)
    z = (b2 - mean) / sqrt(spread)
    z_plain = (b2 - p * (p + 2)) / sqrt(8 * p * (p + 2) / n)
    return MardiaResult(
        about=f"{n} folds, {p} effective measures",
        statistic=plain * factor,
        pvalue=float(stats.chi2.sf(plain * factor, df)),
        method=Method("Mardia's skewness with small-sample factor", ("chi-square", f"{df:g} df")),
        n=n,
        skewness=b1,
        kurtosis=b2,
        kurtosis_z=z,
        kurtosis_pvalue=float(2 * stats.norm.sf(abs(z))),
        asymptotic=pd.DataFrame(
            {
                "statistic": [plain, z_plain],
                "p": [float(stats.chi2.sf(plain, df)), float(2 * stats.norm.sf(abs(z_plain)))],
            },
            index=["skewness", "kurtosis"],
        ),
        dimension=p,
    )


def distances_qq(x: ArrayLike, labels: Sequence[str] = (), *, seed: int = 0) -> pd.DataFrame:
    """Return the Q-Q plot of the Mahalanobis distances of folds from their mean.

    Examples
    --------
    >>> import numpy as np
    >>> distances_qq(np.random.default_rng(1).normal(size=(12, 2))).shape
    (12, 4)
    """
    values = _check(x)
    standard = _standardised(values)
    n, p = standard.shape
    if n < p + 2:
        raise DesignError(f"Distances in {p} dimensions need {p + 2} folds. There are {n}.")
    index = list(labels) or [str(i + 1) for i in range(n)]
    observed = pd.Series((standard**2).sum(axis=1), index=index).sort_values(kind="stable")
    draws = max(99, min(_ENVELOPES, 2_000_000 // (n * p)))
    noise = np.random.default_rng(seed).standard_normal((draws, n, p))
    noise -= noise.mean(axis=1, keepdims=True)
    scatter = np.einsum("dni,dnj->dij", noise, noise) / n
    solved = np.linalg.solve(scatter, noise.transpose(0, 2, 1)).transpose(0, 2, 1)
    simulated = np.sort((noise * solved).sum(axis=2), axis=1)
    low, high = np.quantile(simulated, [0.025, 0.975], axis=0)
    plotting_positions = (np.arange(1, n + 1) - 0.5) / n
    expected = (n - 1) * stats.beta.ppf(plotting_positions, p / 2, (n - p - 1) / 2)
    return pd.DataFrame({"expected": expected, "observed": observed, "low": low, "high": high}, index=observed.index)


def box_m(groups: Sequence) -> TestResult:
    """Do independent groups have the same covariance of several measures?

    Notes
    -----
    Only for unpaired data: with shared folds its level falls to almost zero (.0003 in
    simulation), so no page offers it for cross-validation.

    References
    ----------
    Box 1949; Rencher, Methods of Multivariate Analysis, section 7.3.2.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> 0 < box_m([rng.normal(size=(20, 2)), rng.normal(size=(20, 2))]).pvalue < 1
    True
    """
    samples = [_check(group) for group in groups] if np.iterable(groups) else []
    g, p = len(samples), samples[0].shape[1] if samples else 0
    if g < 2 or any(sample.shape[1] != p for sample in samples):
        arrived = ", ".join(f"{len(x)} x {x.shape[1]}" for x in samples[:6]) or "none"
        raise DesignError(
            "Box's M needs at least 2 groups with the same measures. Fold x measure, they are: "
            f"{arrived}. Add another, or the measures that are missing."
        )
    v = np.array([len(sample) - 1 for sample in samples], dtype=float)
    if (v < p).any():
        raise DesignError(f"Box's M on {p} measures needs more than {p} folds in every group.")
    covariances = [np.cov(sample, rowvar=False).reshape(p, p) for sample in samples]
    pooled = sum(d * s for d, s in zip(v, covariances, strict=True)) / v.sum()
    signs, logs = np.linalg.slogdet(np.stack([*covariances, pooled]))
    if (signs <= 0).any() or not np.isfinite(logs).all():
        raise DegenerateError("Box's M needs measures that are not collinear. Some are. Drop one.")
    m = float(v.sum() * logs[-1] - (v * logs[:-1]).sum())
    f, a1, a2 = _box_f(m, v, g, p)
    return TestResult(
        about=f"{g} independent groups, {p} measures",
        statistic=f,
        pvalue=float(stats.f.sf(f, a1, a2)),
        method=Method("Box's M", (f"F with ({a1:g}, {a2:.4g}) df",)),
        n=int(v.sum() + g),
    )


def _box_f(m: float, v: np.ndarray, g: int, p: int) -> tuple[float, float, float]:
    c1 = ((1 / v).sum() - 1 / v.sum()) * (2 * p**2 + 3 * p - 1) / (6 * (p + 1) * (g - 1))
    c2 = ((1 / v**2).sum() - 1 / v.sum() ** 2) * (p - 1) * (p + 2) / (6 * (g - 1))
    a1 = (g - 1) * p * (p + 1) / 2
    a2 = (a1 + 2) / abs(c2 - c1**2)
    if c2 > c1**2:
        return (1 - c1 - a1 / a2) / a1 * m, a1, a2
    b = (1 - c1 + 2 / a2) / a2
    return a2 * b * m / (a1 * (1 - b * m)), a1, a2


def _check(x: ArrayLike) -> np.ndarray:
    values = as_numbers(x, "results")
    if values.ndim != 2 or not values.size or not np.isfinite(values).all():
        raise DataError([f"Results must be fold x measure and finite. Their shape is {values.shape}. Clean them."])
    return values


def _standardised(values: np.ndarray) -> np.ndarray:
    """Return centred values with unit covariance (divisor n), in as many directions as vary."""
    centred = values - values.mean(axis=0)
    scale = np.sqrt((centred**2).mean(axis=0))
    varies = scale > 1e-12 * np.maximum(1.0, np.abs(values).max(axis=0))
    if not varies.any():
        raise DegenerateError(
            "Normality can be checked only where results vary. They are the same in every fold. Look at other measures."
        )
    left, singular, _ = np.linalg.svd(centred[:, varies] / scale[varies], full_matrices=False)
    varying = singular > 1e-8 * singular[0]
    return left[:, varying] * sqrt(len(values))
