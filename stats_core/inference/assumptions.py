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
    p = a - 1
    df = n - 1
    eigenvalues = np.linalg.eigvalsh(np.cov(contrasts, rowvar=False))
    smallest = eigenvalues[0]
    largest = eigenvalues[-1]
    if smallest <= 1e-12 * max(largest, 1e-300):
        raise DegenerateError.of("Mauchly's test needs differences that are not determined")
    log_determinant = np.log(eigenvalues).sum()
    w = float(np.exp(log_determinant - p * log(eigenvalues.mean())))
    chi2, pvalue = _box(w, p, df)
    epsilon_gg = float(eigenvalues.sum() ** 2 / (p * (eigenvalues**2).sum()))
    epsilon_hf = 1.0
    if df > p * epsilon_gg:
        epsilon_hf = (n * p * epsilon_gg - 2) / (p * (df - p * epsilon_gg))
    return SphericityResult(
        about=f"{a} algorithms on {n} folds",
        statistic=w,
        pvalue=pvalue,
        method=Method(inference_text("method.mauchly"), ("Box's approximation",)),
        n=n,
        chi2=chi2,
        df=_box_df(p),
        epsilon_gg=epsilon_gg,
        epsilon_hf=epsilon_hf,
    )


def _box_df(p: int) -> int:
    return p * (p + 1) // 2 - 1


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
    affordable = 2_000_000 // int(np.prod(shape))
    n_tables = max(39, min(_ENVELOPES, affordable))
    return np.random.default_rng(rng).standard_normal((n_tables, *shape))


def _qq(observed: pd.Series, simulated: np.ndarray) -> pd.DataFrame:
    """Return normal quantiles, sorted values scaled to variance 1, and the central 95% of the simulated values.

    The simulated values are overwritten.
    """
    scaled = (observed / observed.std(ddof=0)).sort_values(kind="stable")
    simulated = simulated.reshape(len(simulated), -1)
    simulated.sort(axis=1)
    simulated /= simulated.std(axis=1, keepdims=True)
    low, high = np.quantile(simulated, [0.025, 0.975], axis=0, overwrite_input=True)
    n = len(scaled)
    plotting_positions = (np.arange(1, n + 1) - 0.375) / (n + 0.25)
    expected = stats.norm.ppf(plotting_positions)
    columns = {"expected": expected, "observed": scaled, "low": low, "high": high}
    return pd.DataFrame(columns, index=scaled.index)


def _normality(values: np.ndarray, what: str, *parts: str) -> TestResult:
    """Return the Shapiro-Wilk test, or D'Agostino and Pearson's K2 for more than 5000 values."""
    values = values / validation.unit_of(values)
    if len(values) > _SHAPIRO_LIMIT:
        test = stats.normaltest(values)
        name = "D'Agostino and Pearson's K2"
    else:
        test = stats.shapiro(values)
        name = "Shapiro-Wilk"
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
    is_perfect = model.mean_square_error == 0
    if model.residuals.size < 3 or is_perfect or model.nothing_to_test:
        raise DegenerateError.of("A check of residuals needs some that vary")
    return model.residuals


def _box(w: float, p: int, df: int) -> tuple[float, float]:
    """Return the chi-square statistic of Mauchly's W and its p-value by Box's second-order approximation."""
    rho = 1 - (2 * p**2 + p + 2) / (6 * p * df)
    second: float = (p + 2) * (p - 1) * (p - 2) * (2 * p**3 + 6 * p**2 + 3 * p + 2)
    second /= 288 * (df * p * rho) ** 2
    chi2 = -df * rho * log(w)
    df_chi2 = _box_df(p)
    first_order = stats.chi2.sf(chi2, df_chi2)
    correction = second * (stats.chi2.sf(chi2, df_chi2 + 4) - first_order)
    return chi2, float(np.clip(first_order + correction, 0, 1))


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
    n = len(x)
    if n < LEAST:
        raise DesignError.of("A test of symmetry needs more pairs", least=LEAST, n_x=n)
    differences = x - y
    if not validation.differences_vary(differences, x, y):
        raise DegenerateError.of("A test of symmetry needs differences that vary")
    largest = np.abs(differences).max()
    z = _triples(differences / largest)
    return TestResult(
        about=f"{n} paired differences",
        statistic=z,
        pvalue=float(2 * special.stdtr(n / 2, -abs(z))),
        method=Method(inference_text("method.triples"), ("t approximation",)),
        n=n,
    )


def _triples(d: np.ndarray) -> float:
    """Return the standardized triples statistic, 0 if its variance is not positive."""
    d = np.sort(d)  # sorted values are found faster
    n = len(d)
    by_point = np.zeros(n)
    sum_of_squares = 0.0
    for part in validation.batches(n, n):
        n_firsts = part.stop - part.start
        i, j = part.start + np.array(np.triu_indices(n_firsts, 1, n - part.start))
        a = d[i]
        b = d[j]
        # for each pair the sum over all third differences; those of the pair itself cancel
        by_pair = _signs(d, (a + b) / 2) - _signs(d, 2 * b - a) - _signs(d, 2 * a - b)
        by_point += (np.bincount(i, by_pair, n) + np.bincount(j, by_pair, n)) / 2
        sum_of_squares += float(np.square(by_pair, dtype=float).sum())
    total = by_point.sum() / 3
    triple_ratio = (n - 3) * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2))
    variance = (
        (n - 3) * (n - 4) / ((n - 1) * (n - 2)) * (by_point**2).sum()
        + (n - 3) / (n - 4) * sum_of_squares
        + n * (n - 1) * (n - 2) / 6
        - (1 - triple_ratio) * total**2
    )
    return float(total / np.sqrt(variance)) if variance > 0 else 0.0


def _signs(ordered: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return for each point the number of values below it minus the number of values above it."""
    n_below = np.searchsorted(ordered, points - _EQUAL, side="left")
    n_up_to = np.searchsorted(ordered, points + _EQUAL, side="right")
    return n_below + n_up_to - len(ordered)


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
    standard = _standardised(_check_vectors_of_one(x))
    n, p = standard.shape
    least = max(p + 2, 4)
    if n < least:
        raise DesignError.of("Mardia's tests need more folds", p=p, least=least, n=n)
    products = standard @ standard.T  # g_ij, covariance with divisor n
    skewness = float((products**3).mean())
    kurtosis = float((np.diag(products) ** 2).mean())
    df = p * (p + 1) * (p + 2) / 6
    plain = n * skewness / 6
    factor = (p + 1) * (n + 1) * (n + 3) / (n * ((n + 1) * (p + 1) - 6))
    statistic = plain * factor
    mean = p * (p + 2) * (n - 1) / (n + 1)
    variance = 8 * p * (p + 2) * (n - 3) * (n - p - 1) * (n - p + 1)
    variance /= (n + 1) ** 2 * (n + 3) * (n + 5)
    z = (kurtosis - mean) / sqrt(variance)
    z_plain = (kurtosis - p * (p + 2)) / sqrt(8 * p * (p + 2) / n)
    asymptotic = {
        "statistic": [plain, z_plain],
        "p": [float(stats.chi2.sf(plain, df)), float(2 * stats.norm.sf(abs(z_plain)))],
    }
    return MardiaResult(
        about=f"{n} folds, {p} effective measures",
        statistic=statistic,
        pvalue=float(stats.chi2.sf(statistic, df)),
        method=Method(inference_text("method.mardia"), ("chi-square", f"{df:g} df")),
        n=n,
        skewness=skewness,
        kurtosis=kurtosis,
        kurtosis_z=z,
        kurtosis_pvalue=float(2 * stats.norm.sf(abs(z))),
        asymptotic=pd.DataFrame(asymptotic, index=["skewness", "kurtosis"]),
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
    standard = _standardised(_check_vectors_of_one(x))
    n, p = standard.shape
    if n < p + 2:
        raise DesignError.of("distances need folds", p=p, n=n, least=p + 2)
    index = labels if len(labels) else [str(i + 1) for i in range(n)]
    distances = pd.Series((standard**2).sum(axis=1), index=index)
    observed = distances.sort_values(kind="stable")
    simulated = np.sort(_simulated_distances(n, p, rng), axis=1)
    low, high = np.quantile(simulated, [0.025, 0.975], axis=0)
    plotting_positions = (np.arange(1, n + 1) - 0.5) / n
    expected = (n - 1) * stats.beta.ppf(plotting_positions, p / 2, (n - p - 1) / 2)
    columns = {"expected": expected, "observed": observed, "low": low, "high": high}
    return pd.DataFrame(columns, index=observed.index)


def _simulated_distances(n: int, p: int, rng: Rng) -> np.ndarray:
    """Return squared Mahalanobis distances of simulated normal samples, sample x fold."""
    n_samples = max(99, min(_ENVELOPES, 2_000_000 // (n * p)))
    noise = np.random.default_rng(rng).standard_normal((n_samples, n, p))
    noise -= noise.mean(axis=1, keepdims=True)
    covariance = np.einsum("dni,dnj->dij", noise, noise) / n
    solved = np.linalg.solve(covariance, noise.transpose(0, 2, 1)).transpose(0, 2, 1)
    return (noise * solved).sum(axis=2)


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
    n_measures = {sample.shape[1] for sample in samples}
    g = len(samples)
    if g < 2 or len(n_measures) > 1:
        shapes = ", ".join(f"{len(x)} × {x.shape[1]}" for x in samples[:6])
        raise DesignError.of("Box's M needs at least 2 groups", shapes=shapes)
    (p,) = n_measures
    df = np.array([len(sample) - 1 for sample in samples], dtype=float)
    if (df < p).any():
        raise DesignError.of("Box needs folds", p=p)
    covariances = [np.cov(sample, rowvar=False).reshape(p, p) for sample in samples]
    weighted = [weight * matrix for weight, matrix in zip(df, covariances, strict=True)]
    pooled = sum(weighted) / df.sum()
    signs, log_determinants = np.linalg.slogdet(np.stack([*covariances, pooled]))
    if (signs <= 0).any() or not np.isfinite(log_determinants).all():
        raise DegenerateError.of("collinear measures")
    m = float(df.sum() * log_determinants[-1] - (df * log_determinants[:-1]).sum())
    f, df1, df2 = _box_f(m, df, g, p)
    return TestResult(
        about=f"{g} independent groups, {p} measures",
        statistic=f,
        pvalue=float(stats.f.sf(f, df1, df2)),
        method=Method("Box's M", (f"F with ({df1:g}, {df2:.4g}) df",)),
        n=int(df.sum() + g),
    )


def _box_f(m: float, v: np.ndarray, g: int, p: int) -> tuple[float, float, float]:
    """Return F and its degrees of freedom for Box's M of g groups on p measures."""
    total = v.sum()
    c1 = ((1 / v).sum() - 1 / total) * (2 * p**2 + 3 * p - 1) / (6 * (p + 1) * (g - 1))
    c2 = ((1 / v**2).sum() - 1 / total**2) * (p - 1) * (p + 2) / (6 * (g - 1))
    df1 = (g - 1) * p * (p + 1) / 2
    df2 = (df1 + 2) / abs(c2 - c1**2)
    if c2 > c1**2:
        return (1 - c1 - df1 / df2) / df1 * m, df1, df2
    b = (1 - c1 + 2 / df2) / df2
    return df2 * b * m / (df1 * (1 - b * m)), df1, df2


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
    is_effective = singular > 1e-8 * singular[0]
    return left[:, is_effective] * sqrt(len(values))
