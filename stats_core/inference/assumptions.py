"""Checks of assumptions: normality of one or several measures, equal (co)variances, sphericity, symmetry."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special, stats

from stats_core.core import validation
from stats_core.core.errors import DataError, DegenerateError, DesignError
from stats_core.core.result_types import Method, Rng, TestResult
from stats_core.inference import inference_text
from stats_core.inference.anova import anova, helmert

_SHAPIRO_LIMIT = 5000  # beyond it the approximation of its p-value is not known to hold
_ENVELOPES = 999


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SphericityResult(TestResult):
    """Result of Mauchly's test; `statistic` is W.

    Attributes
    ----------
    chi2, df : float, int
        The chi-square approximation of W and its degrees of freedom.
    epsilon_gg, epsilon_hf : float
        Greenhouse-Geisser's and Huynh-Feldt's epsilon, the second not capped at 1.
    """

    chi2: float
    df: int
    epsilon_gg: float
    epsilon_hf: float


def normality(matrix: pd.DataFrame) -> TestResult:
    """Shapiro-Wilk test of the residuals of the blocked analysis of variance of a table, fold x algorithm.

    Notes
    -----
    With ten folds only gross departures can be detected; a large p is not evidence of normality. More than
    5000 residuals are tested by D'Agostino and Pearson's K2. Raises DegenerateError if residuals do not vary,
    DataError or DesignError for tables that `anova` does not accept.

    References
    ----------
    Shapiro and Wilk 1965; Royston 1995.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"a": [5.0, 6, 8, 7], "b": [6.0, 7, 9, 9], "c": [9.0, 8, 9, 10]})
    >>> round(normality(runs).statistic, 3)
    0.982
    """
    return _normality(_varying_residuals(matrix).to_numpy().ravel(), "residuals", "folds as blocks")


def normal_differences(x: ArrayLike, y: ArrayLike) -> TestResult:
    """Shapiro-Wilk test of the paired differences of two algorithms, three or more.

    Two Series `x` and `y` are paired by label. More than 5000 differences are tested by D'Agostino
    and Pearson's K2. Raises DataError if lengths or labels differ or a value is not finite,
    DesignError for fewer than three pairs, DegenerateError if differences do not vary.

    References
    ----------
    Shapiro and Wilk 1965; Royston 1995.

    Examples
    --------
    >>> round(normal_differences([6.0, 7, 9, 8], [5.0, 5, 6, 7]).statistic, 3)
    0.863
    """
    return _normality(_varying_differences(x, y), "paired differences")


def equal_variances(matrix: pd.DataFrame) -> TestResult:
    """Brown-Forsythe test of equal variances over folds of the algorithms in a table, fold x algorithm.

    The statistic is F of a one-way analysis of variance of the distances from each algorithm's
    median. Raises DegenerateError if these do not vary within any algorithm, DataError or
    DesignError for tables that `anova` does not accept.

    References
    ----------
    Brown and Forsythe 1974.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"a": [5.0, 6, 8, 7], "b": [6.0, 7, 9, 9], "c": [9.0, 8, 9, 10]})
    >>> round(equal_variances(runs).pvalue, 3)
    0.204
    """
    table = validation.check_matrix(matrix)
    deviations = np.abs(table - table.median()).to_numpy()
    if validation.all_within_rounding(deviations - deviations.mean(axis=0), table.to_numpy()):
        raise DegenerateError.of("A check of residuals needs some that vary")
    test = stats.levene(*table.to_numpy().T, center="median")
    return TestResult(
        about=f"{table.shape[1]} algorithms on {len(table)} folds",
        statistic=float(test.statistic),
        pvalue=float(test.pvalue),
        method=Method(inference_text("method.levene")),
        n=len(table),
    )


def sphericity(matrix: pd.DataFrame) -> SphericityResult:
    """Mauchly's test that the differences of all pairs of algorithms have equal variances over folds.

    The statistic is Mauchly's W, with p by Box's approximation. `matrix` is fold x algorithm, with
    three or more algorithms and at least as many folds, otherwise DesignError is raised; DataError
    for missing or infinite results, DegenerateError if the differences are linearly dependent.

    References
    ----------
    Mauchly 1940; Anderson, Introduction to Multivariate Statistical Analysis, section 10.7.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"a": [5.0, 6, 8, 7], "b": [6.0, 7, 9, 9], "c": [9.0, 8, 9, 10]})
    >>> round(sphericity(runs).statistic, 3)
    0.381
    """
    table = validation.check_matrix(matrix)
    n, a = table.shape
    if a < 3 or n < a:
        raise DesignError.of("Mauchly's test needs 3 algorithms or more", a=a, n=n)
    contrasts = table.to_numpy() @ helmert(a).T
    p, df = a - 1, n - 1
    eigenvalues = np.linalg.eigvalsh(np.cov(contrasts, rowvar=False))
    if eigenvalues[0] <= 1e-12 * max(eigenvalues[-1], 1e-300):
        raise DegenerateError.of("Mauchly's test needs differences that are not determined")
    w = float(np.exp(np.log(eigenvalues).sum() - p * log(eigenvalues.mean())))
    gg = float(eigenvalues.sum() ** 2 / (p * (eigenvalues**2).sum()))
    chi2, pvalue = _box(w, p, df)
    return SphericityResult(
        about=f"{a} algorithms on {n} folds",
        statistic=w,
        pvalue=pvalue,
        method=Method(inference_text("method.mauchly"), ("Box's approximation",)),
        n=n,
        chi2=chi2,
        df=p * (p + 1) // 2 - 1,
        epsilon_gg=gg,
        epsilon_hf=(n * p * gg - 2) / (p * (df - p * gg)) if df > p * gg else 1.0,
    )


def normal_qq(matrix: pd.DataFrame, *, rng: Rng = 0) -> pd.DataFrame:
    """Return normal Q-Q plot data of the residuals of the blocked analysis of variance, with a simulated envelope.

    The table has a row per residual, sorted and indexed by fold and algorithm. Columns: expected,
    observed, low and high (ends of the pointwise 95% envelope).

    Raises DegenerateError if residuals do not vary, DataError or DesignError for tables that
    `anova` does not accept.

    Notes
    -----
    The envelope is computed from the residuals of 999 simulated tables of the same size, fewer if large, so
    it allows for their dependence. About one point in twenty lies outside even under normality.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"a": [5.0, 6, 8, 7], "b": [6.0, 7, 9, 9], "c": [9.0, 8, 9, 10]})
    >>> normal_qq(runs).columns.tolist()
    ['expected', 'observed', 'low', 'high']
    """
    residuals = _varying_residuals(matrix)
    noise = _noise(residuals.shape, rng)
    noise -= noise.mean(axis=1, keepdims=True)
    noise -= noise.mean(axis=2, keepdims=True)
    return _qq(residuals.stack(), noise)


def differences_qq(x: pd.Series, y: pd.Series, *, rng: Rng = 0) -> pd.DataFrame:
    """Return normal Q-Q plot data of the centred paired differences, with a simulated envelope, in `normal_qq` columns.

    Two Series `x` and `y` are paired by label. Raises DataError if lengths or labels differ or a
    value is not finite, DesignError for fewer than three pairs, DegenerateError if the differences
    do not vary.

    Examples
    --------
    >>> import pandas as pd
    >>> differences_qq(pd.Series([6.0, 7, 9, 8]), pd.Series([5.0, 5, 6, 7])).shape
    (4, 4)
    """
    differences = pd.Series(_varying_differences(x, y), index=pd.Series(x).index)
    noise = _noise((len(differences),), rng)
    noise -= noise.mean(axis=1, keepdims=True)
    return _qq(differences - differences.mean(), noise)


def _noise(shape: tuple[int, ...], rng: Rng) -> np.ndarray:
    """Return simulated tables of standard normal values, fewer for large tables."""
    draws = max(39, min(_ENVELOPES, 2_000_000 // int(np.prod(shape))))
    return np.random.default_rng(rng).standard_normal((draws, *shape))


def _qq(observed: pd.Series, simulated: np.ndarray) -> pd.DataFrame:
    """Return normal quantiles, sorted values scaled to variance 1, and the central 95% of the simulated values.

    The simulated values are overwritten.
    """
    observed = (observed / observed.std(ddof=0)).sort_values(kind="stable")
    simulated = simulated.reshape(len(simulated), -1)
    simulated.sort(axis=1)
    simulated /= simulated.std(axis=1, keepdims=True)
    low, high = np.quantile(simulated, [0.025, 0.975], axis=0, overwrite_input=True)
    n = len(observed)
    plotting_positions = (np.arange(1, n + 1) - 0.375) / (n + 0.25)
    return pd.DataFrame(
        {
            "expected": stats.norm.ppf(plotting_positions),
            "observed": observed,
            "low": low,
            "high": high,
        },
        index=observed.index,
    )


def _normality(values: np.ndarray, what: str, *parts: str) -> TestResult:
    """Return the Shapiro-Wilk test, or D'Agostino and Pearson's K2 for more than 5000 values."""
    values = values / validation.unit_of(values)
    if len(values) > _SHAPIRO_LIMIT:
        test, name = stats.normaltest(values), "D'Agostino and Pearson's K2"
    else:
        test, name = stats.shapiro(values), "Shapiro-Wilk"
    return TestResult(
        about=f"{len(values)} {what}",
        statistic=float(test.statistic),
        pvalue=float(test.pvalue),
        method=Method(f"{name} on the {what}", parts),
        n=len(values),
    )


def _varying_differences(x: ArrayLike, y: ArrayLike) -> np.ndarray:
    x, y = validation.check_paired(x, y)
    validation.check_results(len(x), least=3)
    if not validation.differences_vary(x - y, x, y):
        raise DegenerateError.of("A check of residuals needs some that vary")
    return x - y


def _varying_residuals(matrix: pd.DataFrame) -> pd.DataFrame:
    model = anova(matrix, blocked=True)
    if model.residuals.size < 3 or not model.mean_square_error or model.nothing_to_test:
        raise DegenerateError.of("A check of residuals needs some that vary")
    return model.residuals


def _box(w: float, p: int, df: int) -> tuple[float, float]:
    """Return the chi-square statistic of Mauchly's W and its p-value by Box's second-order approximation."""
    rho = 1 - (2 * p**2 + p + 2) / (6 * p * df)
    second: float = (p + 2) * (p - 1) * (p - 2) * (2 * p**3 + 6 * p**2 + 3 * p + 2)
    second /= 288 * (df * p * rho) ** 2
    chi2, freedom = -df * rho * log(w), p * (p + 1) // 2 - 1
    tail = stats.chi2.sf(chi2, freedom)
    more = stats.chi2.sf(chi2, freedom + 4) - tail
    return chi2, float(np.clip(tail + second * more, 0, 1))


LEAST = 10  # differences, below which the test rejects almost nothing
_EQUAL = 1e-9  # of the largest difference: sums that close are equal but for rounding


def symmetric_differences(x: ArrayLike, y: ArrayLike) -> TestResult:
    """Triples test of symmetry of the paired differences of two algorithms about their median.

    Raises DataError if lengths or labels differ or a value is not finite, DesignError for fewer
    than ten differences, DegenerateError if they do not vary.

    Notes
    -----
    Every triple of differences counts as right (left) skewed if its middle value is
    nearer to the smallest (largest). The statistic is asymptotically normal; with few data sets the
    normal distribution is liberal in the tails, so it is compared with t with n / 2 degrees of
    freedom. In simulations at 0.05 (0.005), symmetric differences were rejected in 0.02 (0.001) of
    samples of 20 if normal, in 0.06 (0.007) if normal with lognormal standard deviations; in 0.04
    (0.004) and 0.06 (0.011) of samples of 40. With few data sets only strong skewness is detected.

    References
    ----------
    Randles, Fligner, Policello and Wolfe, J. Am. Stat. Assoc. 75 (1980) 168; Hollander and Wolfe
    1999, section 3.9.

    Examples
    --------
    >>> rights = [0.0, 1, 1.1, 1.3, 1.6, 2, 2.6, 3.5, 5, 7.5, 11, 18]
    >>> round(symmetric_differences(rights, [0.0] * 12).pvalue, 3)
    0.027
    """
    x, y = validation.check_paired(x, y)
    if len(x) < LEAST:
        raise DesignError.of("A test of symmetry needs more pairs", least=LEAST, n_x=len(x))
    d = x - y
    if not validation.differences_vary(d, x, y):
        raise DegenerateError.of("A test of symmetry needs differences that vary")
    z = _triples(d / np.abs(d).max())
    return TestResult(
        about=f"{len(d)} paired differences",
        statistic=z,
        pvalue=float(2 * special.stdtr(len(d) / 2, -abs(z))),
        method=Method(inference_text("method.triples"), ("t approximation",)),
        n=len(d),
    )


def _triples(d: np.ndarray) -> float:
    """Return the standardized triples statistic, 0 if its variance is not positive."""
    d = np.sort(d)  # sorted values are found faster
    n, by_point, squares = len(d), np.zeros(len(d)), 0.0
    for part in validation.batches(n, n):
        i, j = part.start + np.array(np.triu_indices(part.stop - part.start, 1, n - part.start))
        a, b = d[i], d[j]
        # for each pair the sum over all third differences; those of the pair itself cancel
        both = _signs(d, (a + b) / 2) - _signs(d, 2 * b - a) - _signs(d, 2 * a - b)
        by_point += (np.bincount(i, both, n) + np.bincount(j, both, n)) / 2
        squares += float(np.square(both, dtype=float).sum())
    total = by_point.sum() / 3
    variance = (
        (n - 3) * (n - 4) / ((n - 1) * (n - 2)) * (by_point**2).sum()
        + (n - 3) / (n - 4) * squares
        + n * (n - 1) * (n - 2) / 6
        - (1 - (n - 3) * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2))) * total**2
    )
    return float(total / np.sqrt(variance)) if variance > 0 else 0.0


def _signs(ordered: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return for each point the number of values below it minus the number of values above it."""
    below = np.searchsorted(ordered, points - _EQUAL, side="left")
    return below + np.searchsorted(ordered, points + _EQUAL, side="right") - len(ordered)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MardiaResult(TestResult):
    """Mardia's tests; `statistic` and `pvalue` are those of skewness with the small-sample factor.

    Attributes
    ----------
    skewness, kurtosis : float
        Mardia's b1 and b2.
    kurtosis_z, kurtosis_pvalue : float
        z and p of kurtosis, by the exact mean and variance of b2 under normality.
    asymptotic : DataFrame
        Tests without those corrections: rows skewness, kurtosis; columns statistic, p.
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
    """Mardia's tests of multivariate normality, of one algorithm's results or of paired differences.

    Parameters
    ----------
    x : array, fold x measure
        Without missing values; collinear measures count once.

    Returns
    -------
    MardiaResult
        Skewness and kurtosis of the standardized vectors, each with statistic and p.

    Raises
    ------
    DataError, DesignError, DegenerateError
        Another shape or not finite; fewer than p + 2 or 4 folds; nothing varies.

    Notes
    -----
    Skewness is tested with Mardia's small-sample factor, kurtosis with its exact moments: with 10
    folds and two measures their type I error rates are 0.053 and 0.044, those of the asymptotic forms
    0.004 and 0.000. With ten folds only gross departures can be detected.

    References
    ----------
    Mardia, Biometrika 57 (1970) 519; Sankhya B 36 (1974) 115.

    Examples
    --------
    >>> import numpy as np
    >>> round(mardia(np.random.default_rng(1).normal(size=(20, 2))).skewness, 3)
    2.851
    """
    values = _check_vectors_of_one(x)
    n = len(values)
    standard = _standardised(values)
    p = standard.shape[1]
    least = max(p + 2, 4)
    if n < least:
        raise DesignError.of("Mardia's tests need more folds", p=p, least=least, n=n)
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
        method=Method(inference_text("method.mardia"), ("chi-square", f"{df:g} df")),
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


def distances_qq(
    x: ArrayLike, labels: Sequence[str] | pd.Index = (), *, rng: Rng = 0
) -> pd.DataFrame:
    """Return Q-Q plot data of squared Mahalanobis distances of folds from their mean, with a simulated envelope.

    `x` is fold x measure, with p + 2 or more folds for p effective measures, otherwise DesignError
    is raised; DataError for another shape or values that are not finite, DegenerateError if nothing
    varies. Rows are sorted by distance and labelled by `labels`, or by 1, 2, ... without labels.
    Columns are those of `normal_qq`.

    Examples
    --------
    >>> import numpy as np
    >>> distances_qq(np.random.default_rng(1).normal(size=(12, 2))).shape
    (12, 4)
    """
    values = _check_vectors_of_one(x)
    standard = _standardised(values)
    n, p = standard.shape
    if n < p + 2:
        raise DesignError.of("distances need folds", p=p, n=n, least=p + 2)
    index = labels if len(labels) else [str(i + 1) for i in range(n)]
    observed = pd.Series((standard**2).sum(axis=1), index=index).sort_values(kind="stable")
    draws = max(99, min(_ENVELOPES, 2_000_000 // (n * p)))
    noise = np.random.default_rng(rng).standard_normal((draws, n, p))
    noise -= noise.mean(axis=1, keepdims=True)
    scatter = np.einsum("dni,dnj->dij", noise, noise) / n
    solved = np.linalg.solve(scatter, noise.transpose(0, 2, 1)).transpose(0, 2, 1)
    simulated = np.sort((noise * solved).sum(axis=2), axis=1)
    low, high = np.quantile(simulated, [0.025, 0.975], axis=0)
    plotting_positions = (np.arange(1, n + 1) - 0.5) / n
    expected = (n - 1) * stats.beta.ppf(plotting_positions, p / 2, (n - p - 1) / 2)
    return pd.DataFrame(
        {"expected": expected, "observed": observed, "low": low, "high": high}, index=observed.index
    )


def box_m(groups: Sequence) -> TestResult:
    """Return Box's M test, in its F form, of equal covariance matrices in independent groups.

    `groups` holds one array per group, result x measure, with the same measures and more results
    than measures in each, otherwise DesignError is raised; DataError for values that are not
    finite, DegenerateError if measures are collinear in a group.

    Notes
    -----
    Only for unpaired data: with shared folds its type I error rate is almost zero (0.0003 in
    simulations), so it is not offered for cross-validation.

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
    samples = [_check_vectors_of_one(group) for group in groups] if np.iterable(groups) else []
    g, p = len(samples), samples[0].shape[1] if samples else 0
    if g < 2 or any(sample.shape[1] != p for sample in samples):
        shapes = ", ".join(f"{len(x)} × {x.shape[1]}" for x in samples[:6])
        raise DesignError.of("Box's M needs at least 2 groups", shapes=shapes)
    v = np.array([len(sample) - 1 for sample in samples], dtype=float)
    if (v < p).any():
        raise DesignError.of("Box needs folds", p=p)
    covariances = [np.cov(sample, rowvar=False).reshape(p, p) for sample in samples]
    pooled = sum(d * s for d, s in zip(v, covariances, strict=True)) / v.sum()
    signs, logs = np.linalg.slogdet(np.stack([*covariances, pooled]))
    if (signs <= 0).any() or not np.isfinite(logs).all():
        raise DegenerateError.of("collinear measures")
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
    """Return F and its degrees of freedom for Box's M of g groups on p measures."""
    c1 = ((1 / v).sum() - 1 / v.sum()) * (2 * p**2 + 3 * p - 1) / (6 * (p + 1) * (g - 1))
    c2 = ((1 / v**2).sum() - 1 / v.sum() ** 2) * (p - 1) * (p + 2) / (6 * (g - 1))
    a1 = (g - 1) * p * (p + 1) / 2
    a2 = (a1 + 2) / abs(c2 - c1**2)
    if c2 > c1**2:
        return (1 - c1 - a1 / a2) / a1 * m, a1, a2
    b = (1 - c1 + 2 / a2) / a2
    return a2 * b * m / (a1 * (1 - b * m)), a1, a2


def _check_vectors_of_one(x: ArrayLike) -> np.ndarray:
    values = validation.as_numbers(x, "results")
    if values.ndim != 2 or not values.size or not np.isfinite(values).all():
        raise DataError.of("results not finite", shape=values.shape)
    validation.check_squares(*values.T)
    return values


def _standardised(values: np.ndarray) -> np.ndarray:
    """Return centred values, white in their effective dimensions (divisor n); raise DegenerateError if none vary."""
    centred = values - values.mean(axis=0)
    scale = np.sqrt((centred**2).mean(axis=0))
    varies = np.abs(centred).max(axis=0) > validation.rounding_error(values, axis=0)
    if not varies.any():
        raise DegenerateError.of("Normality can be checked only where results vary")
    left, singular, _ = np.linalg.svd(centred[:, varies] / scale[varies], full_matrices=False)
    varying = singular > 1e-8 * singular[0]
    return left[:, varying] * sqrt(len(values))
