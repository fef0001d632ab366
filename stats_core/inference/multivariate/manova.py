"""MANOVA of several algorithms on several measures, blocked by fold or not, and permutation tests."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import factorial, log, sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import linalg, special, stats

from stats_core.core.errors import DegenerateError, DesignError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import Method, Rng, TestResult
from stats_core.core.validation import align, batches, check_draws, check_probability, significant
from stats_core.inference import distributions, inference_text
from stats_core.inference.multivariate import hotelling
from stats_core.inference.multivariate.hotelling import EffectiveSpace
from stats_core.inference.paired import at_most, overlap_factor

_IDENTICAL = message("nothing to test", same="all measures")
_DIMENSIONS = ("point", "line", "plane")


def _chi2_tail(statistic: float, df: float) -> float:
    """Return P(chi-square > statistic).

    Examples
    --------
    >>> round(_chi2_tail(4.0, 2), 4)
    0.1353
    """
    return float(special.chdtrc(df, statistic))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ManovaResult(TestResult):
    """A multivariate analysis of variance; `statistic` and `pvalue` are Rao's F for Wilks' lambda, and its p-value.

    Attributes
    ----------
    table : DataFrame
        One row per statistic: value, F or chi2, df1, df2, p, plain p (without overlap factor)
        and, with fewer df due to `max_df`, published p (with all degrees of freedom).
    eigenvalues : array
        Eigenvalues of E^-1 H, largest first, divided by the overlap factor, with E scaled to the df
        used.
    df : tuple of float
        Degrees of freedom of Rao's F; NaN if all results are equal.
    scatter_df : tuple of int
        v_H and v_E, the latter at most `max_df`.
    factor : float
        The overlap factor, 1 if none.
    plain_pvalue : float
        p-value of Wilks' test as if no training sets overlapped.
    published_pvalue : float
        p-value of Wilks' test with all degrees of freedom, as published; the same if `max_df`
        changes nothing.
    h, e : array, dimension x dimension
        Scatter of algorithms and of residuals in the coordinates of `space`.
    space : EffectiveSpace
        Effective space of the measures, without collinear directions.
    """

    table: pd.DataFrame
    eigenvalues: np.ndarray
    df: tuple[float, float]
    scatter_df: tuple[int, int]
    factor: float
    plain_pvalue: float
    published_pvalue: float
    h: np.ndarray
    e: np.ndarray
    space: EffectiveSpace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DimensionResult(TestResult):
    """Estimated dimension of the space spanned by the algorithms' means.

    Attributes
    ----------
    dimension : int
        0 a point, 1 a line, 2 a plane ...
    largest : int
        The largest possible dimension, min(p, algorithms - 1).
    tests : DataFrame
        One row per r = 0, 1, ...: chi2, df, p of "r dimensions are enough".
    """

    dimension: int
    largest: int
    tests: pd.DataFrame

    @property
    def label(self) -> str:
        """Dimension in words, for example "1 (line)"."""
        if self.dimension >= len(_DIMENSIONS):
            return str(self.dimension)
        return f"{self.dimension} ({_DIMENSIONS[self.dimension]})"

    def at_level(self, alpha: float) -> "DimensionResult":
        """Return the result of the same tests at another level."""
        is_rejected = significant(self.tests["p"], alpha)
        not_rejected = self.tests.index[~is_rejected]
        return replace(
            self,
            method=Method("tests of dimension", ("chi-square", f"each at {alpha:g}")),
            dimension=int(not_rejected[0]) if len(not_rejected) else len(self.tests),
        )


def manova(
    vectors: ArrayLike,
    *,
    blocked: bool = True,
    test_fraction: float | None = None,
    max_df: int | None = None,
    names: Sequence[str] = (),
) -> ManovaResult:
    """Multivariate analysis of variance of several algorithms on several measures.

    Parameters
    ----------
    vectors : array, algorithm x fold x measure
        Results on the same folds.
    blocked : bool
        Whether fold effects are removed from the residuals.
    test_fraction : float, optional
        n_test / (n_train + n_test) if training sets overlap; None for no correction.
    max_df : int, optional
        Upper bound on the degrees of freedom of the residuals: 8 for the conservative test, which
        comparisons of more than ten overlapping results use. None for no bound.
    names : sequence of str, optional
        The measures.

    Returns
    -------
    ManovaResult
        Wilks' test by Rao's F; the other statistics are in `table`.

    Raises
    ------
    DataError, DesignError, DegenerateError, SettingError
        Another shape, not finite; too few folds for the dimension, or more dimensions than
        `max_df`; residuals vary in fewer directions than the algorithms differ; `test_fraction`
        outside (0, 1); `max_df` below 1.

    Notes
    -----
    H = J sum (m_i - m)(m_i - m)' for the means m_i of a algorithms over J folds and the mean m of all, with v_H = a -
    1 df. E is the residual scatter with v_E = (a - 1)(J - 1) df, a (J - 1) if not `blocked`, at most `max_df`; p is
    the effective dimension. If training sets overlap, eigenvalues of E^-1 H are divided by `overlap_factor`. Wilks'
    lambda by Rao's F (exact for p or v_H up to 2) and by Bartlett's chi-square; Pillai's trace; Hotelling-Lawley by
    Pillai's and McKeon's F; Roy's F is an upper bound, so its p is a lower bound. McKeon's F needs v_E above p + 3;
    otherwise its p is NaN, with a warning. For two algorithms this is the paired or two-sample Hotelling test. If all
    results are equal, p = 1.

    References
    ----------
    Rencher, Methods of Multivariate Analysis, chapter 6; Yildiz and Alpaydin, multivariate
    comparison, section 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.random.default_rng(1).normal(size=(3, 10, 2))
    >>> manova(runs).table.index.tolist()
    ['Wilks', 'Wilks (Bartlett)', 'Pillai', 'Hotelling-Lawley', 'Hotelling-Lawley (McKeon)', 'Roy']
    """
    values = hotelling.check_vectors(vectors)
    a, n, _ = values.shape
    space = hotelling.effective_space(values, names)
    points = space.coordinates(values)
    p = space.dimension
    v_h = a - 1
    plain_df = (v_h, (a - 1) * (n - 1) if blocked else a * (n - 1))
    df = (v_h, at_most(plain_df[1], max_df))
    is_limited = df != plain_df
    factor = overlap_factor(n, test_fraction)
    h, e = _scatters(points, blocked=blocked)
    plain = _eigenvalues(h, e, p, plain_df, n, a, blocked)
    if df[1] < p:
        raise DesignError.of("There are more measures than degrees of freedom", max_df=df[1], p=p)
    eigenvalues = plain / factor * (plain_df[1] / df[1])
    table = _statistics(eigenvalues, p, df)
    table["plain p"] = _statistics(plain, p, plain_df)["p"]
    if is_limited:
        table["published p"] = _statistics(plain / factor, p, plain_df)["p"]
    design = "folds as blocks" if blocked else "one-way"
    parts = [design, inference_text("method.rao"), f"{p} effective dimensions"]
    if is_limited:
        parts.append(f"{df[1]} residual df")
    return ManovaResult(
        about=inference_text("about.manova", n=n, k=a, p=values.shape[2]),
        statistic=float(table.loc["Wilks", "F or chi2"]),
        pvalue=float(table.loc["Wilks", "p"]),
        method=Method("MANOVA", tuple(parts), overlap=factor),
        n=n,
        warnings=_without_p(table, p, df[1]) if p > 0 else (_IDENTICAL,),
        table=table,
        eigenvalues=eigenvalues,
        df=(float(table.loc["Wilks", "df1"]), float(table.loc["Wilks", "df2"])),
        scatter_df=df,
        factor=factor,
        plain_pvalue=float(table.loc["Wilks", "plain p"]),
        published_pvalue=float(table.loc["Wilks", "published p" if is_limited else "p"]),
        h=h,
        e=e,
        space=space,
    )


def manova_dimension(
    vectors: ArrayLike,
    *,
    blocked: bool = True,
    test_fraction: float | None = None,
    max_df: int | None = None,
    alpha: float = 0.05,
    names: Sequence[str] = (),
) -> DimensionResult:
    """Bartlett's sequential test of the dimension of the means of several algorithms.

    Parameters
    ----------
    vectors, blocked, test_fraction, max_df, names
        As `manova`.
    alpha : float
        Level of each test.

    Returns
    -------
    DimensionResult
        The first r for which "r dimensions are enough" is not rejected. `statistic` and `pvalue`
        are those of r = 0, Bartlett's test that all means are equal.

    Raises
    ------
    DataError, DesignError, DegenerateError, SettingError
        As `manova`; `alpha` outside (0, 1).

    Notes
    -----
    D_r^2 = (v_E - (p - v_H + 1)/2) sum over j > r of ln(1 + lambda_j), chi-square with (p - r)(v_H - r) df, where
    lambda_j are the eigenvalues of E^-1 H, and p, v_H and v_E as in `manova`. Never above the effective dimension.

    References
    ----------
    Mardia, Kent and Bibby 1979, section 12.5; Aslan's thesis 2009, Tables 7.1 and 7.6.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.random.default_rng(1).normal(size=(3, 10, 2))
    >>> manova_dimension(runs).label
    '0 (point)'
    """
    check_probability(alpha, "alpha")
    model = manova(
        vectors, blocked=blocked, test_fraction=test_fraction, max_df=max_df, names=names
    )
    return dimension_after(model, alpha)


def dimension_after(model: ManovaResult, alpha: float) -> DimensionResult:
    """Return `manova_dimension` from a fitted MANOVA."""
    p = model.space.dimension
    v_h, v_e = model.scatter_df
    scale = v_e - (p - v_h + 1) / 2
    rows = []
    for r in range(len(model.eigenvalues)):
        chi2 = scale * float(np.log1p(model.eigenvalues[r:]).sum())
        df = (p - r) * (v_h - r)
        rows.append((r, chi2, df, _chi2_tail(chi2, df)))
    tests = pd.DataFrame(rows, columns=["r", "chi2", "df", "p"]).set_index("r")
    first = tests.iloc[0] if len(tests) else pd.Series({"chi2": 0.0, "p": 1.0})
    result = DimensionResult(
        about=model.about,
        statistic=float(first["chi2"]),
        pvalue=float(first["p"]),
        method=model.method,
        n=model.n,
        warnings=() if p > 0 else (_IDENTICAL,),
        dimension=0,
        largest=len(tests),
        tests=tests,
    )
    return result.at_level(alpha)


def _scatters(points: np.ndarray, *, blocked: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return hypothesis and error scatter matrices H and E of points, algorithm x fold x coordinate."""
    n = points.shape[1]
    means = points.mean(axis=1, keepdims=True)
    grand = points.mean(axis=(0, 1))
    effect = (means - grand)[:, 0]
    residuals = points - means
    if blocked:
        residuals = residuals - (points.mean(axis=0) - grand)
    flat = residuals.reshape(residuals.shape[0] * n, points.shape[2])
    return n * effect.T @ effect, flat.T @ flat


def _eigenvalues(
    h: np.ndarray, e: np.ndarray, p: int, df: tuple[int, int], n: int, a: int, blocked: bool
) -> np.ndarray:
    """Return the min(p, v_H) largest eigenvalues of E^-1 H; DesignError if v_E < p, DegenerateError for singular E."""
    if p == 0:
        return np.zeros(0)
    v_h, v_e = df
    if v_e < p:
        raise DesignError.of(
            "A test on p measures needs more folds",
            p=p,
            a=a,
            n=n,
            df=v_e,
            blocked=blocked,
            most=v_e,
        )
    of_errors = np.linalg.eigvalsh(e)
    if of_errors[0] <= max(1e-10 * of_errors[-1], 1e-20):
        raise DegenerateError.of("Residuals must vary, look at fewer measures")
    values = linalg.eigh(h, e, eigvals_only=True)[::-1]
    return np.clip(values[: min(p, v_h)], 0, None)


def _without_p(table: pd.DataFrame, p: int, v_e: int) -> tuple[Message, ...]:
    """Return a tuple with a warning that names the statistics without a p-value, () if all have one."""
    lacking = tuple(table.index[table["p"].isna()])
    if not lacking:
        return ()
    return (message("no p", statistics=lacking, dimensions=p, df=v_e),)


def _statistics(eigenvalues: np.ndarray, p: int, df: tuple[int, int]) -> pd.DataFrame:
    """Return value, F or chi-square, df and p (NaN if undefined) of each test; p = 1 without effective dimensions."""
    columns = ["value", "F or chi2", "df1", "df2", "p"]
    rows = {
        "Wilks": _wilks_rao,
        "Wilks (Bartlett)": _wilks_bartlett,
        "Pillai": _pillai,
        "Hotelling-Lawley": _lawley,
        "Hotelling-Lawley (McKeon)": _mckeon,
        "Roy": _roy,
    }
    if not len(eigenvalues):
        nothing = [0.0, 0.0, np.nan, np.nan, 1.0]
        return pd.DataFrame(dict.fromkeys(rows, nothing), index=columns).T
    table_rows = {name: row(eigenvalues, p, *df) for name, row in rows.items()}
    return pd.DataFrame(table_rows, index=columns).T


def _f(value: float, f: float, df1: float, df2: float) -> list[float]:
    if df2 <= 0:
        return [value, np.nan, df1, df2, np.nan]
    return [value, f, df1, df2, distributions.f_tail(f, df1, df2)]


def _wilks(eigenvalues: np.ndarray) -> float:
    return float(np.exp(-np.log1p(eigenvalues).sum()))


def _wilks_rao(eigenvalues: np.ndarray, p: int, v_h: int, v_e: int) -> list[float]:
    """Return value, F, df1, df2 and p of Wilks' lambda by Rao's approximation."""
    value = _wilks(eigenvalues)
    small = p**2 + v_h**2 <= 5
    t = 1.0 if small else sqrt((p**2 * v_h**2 - 4) / (p**2 + v_h**2 - 5))
    df1 = p * v_h
    df2 = (v_e + v_h - (p + v_h + 1) / 2) * t - (df1 - 2) / 2
    root = value ** (1 / t)
    return _f(value, (1 - root) / root * df2 / df1, df1, df2)


def _wilks_bartlett(eigenvalues: np.ndarray, p: int, v_h: int, v_e: int) -> list[float]:
    value = _wilks(eigenvalues)
    chi2 = -(v_e - (p - v_h + 1) / 2) * log(value)
    return [value, chi2, p * v_h, np.nan, _chi2_tail(chi2, p * v_h)]


def _half_sizes(p: int, v_h: int, v_e: int) -> tuple[int, float, float]:
    """Return s, m and n, the parameters of the distributions of the statistics."""
    s = min(p, v_h)
    m = (abs(v_h - p) - 1) / 2
    n = (v_e - p - 1) / 2
    return s, m, n


def _pillai(eigenvalues: np.ndarray, p: int, v_h: int, v_e: int) -> list[float]:
    s, m, n = _half_sizes(p, v_h, v_e)
    value = float((eigenvalues / (1 + eigenvalues)).sum())
    df1 = s * (2 * m + s + 1)
    df2 = s * (2 * n + s + 1)
    return _f(value, df2 / df1 * value / (s - value), df1, df2)


def _lawley(eigenvalues: np.ndarray, p: int, v_h: int, v_e: int) -> list[float]:
    s, m, n = _half_sizes(p, v_h, v_e)
    value = float(eigenvalues.sum())
    df1 = s * (2 * m + s + 1)
    df2 = 2 * (s * n + 1)
    return _f(value, df2 * value / (s * df1), df1, df2)


def _mckeon(eigenvalues: np.ndarray, p: int, v_h: int, v_e: int) -> list[float]:
    value = float(eigenvalues.sum())
    df1 = p * v_h
    if v_e <= p + 3:
        return [value, np.nan, df1, np.nan, np.nan]
    b = (v_e + v_h - p - 1) * (v_e - 1) / ((v_e - p - 3) * (v_e - p))
    df2 = 4 + (df1 + 2) / (b - 1)
    return _f(value, value * df2 * (v_e - p - 1) / (df1 * (df2 - 2)), df1, df2)


def _roy(eigenvalues: np.ndarray, p: int, v_h: int, v_e: int) -> list[float]:
    value = float(eigenvalues[0])
    df1 = max(p, v_h)
    df2 = v_e - df1 + v_h
    return _f(value, value * df2 / df1, df1, df2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PermutationResult(TestResult):
    """Result of a permutation test.

    Attributes
    ----------
    arrangements : int
        Number of permutations computed, the observed one included.
    exact : bool
        Whether all permutations were computed.
    low, high : float
        95% Clopper-Pearson interval of the p-value over all permutations; both `pvalue` if exact.
    """

    arrangements: int
    exact: bool
    low: float
    high: float


def shuffled_hotelling(
    x: ArrayLike, y: ArrayLike, *, draws: int = 9999, rng: Rng = 0, names: Sequence[str] = ()
) -> PermutationResult:
    """Permutation test of two algorithms on several measures, by sign flips of paired differences.

    `x` and `y` are fold x measure, of the same shape. Raises SettingError for `draws` below 1,
    DataError for values that are not finite, DesignError for fewer than two folds.

    Notes
    -----
    Does not assume normality, but independent folds: overlapping training sets inflate its type I
    error rate, as that of T2. The statistic orders sign choices as T2 does. The test is exact if there are at most
    `draws` + 1 sign choices. If all differences are zero, p = 1.

    References
    ----------
    Pesarin and Salmaso, Permutation Tests for Complex Data, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(8, 2))
    >>> shuffled_hotelling(x + 2, np.zeros((8, 2))).pvalue
    0.0078125
    """
    check_draws(draws)
    x, y = align(x, y)
    first = np.asarray(x, dtype=float)
    second = np.asarray(y, dtype=float)
    values = hotelling.check_vectors(np.stack([first, second]))
    space = hotelling.effective_space(values, names)
    d = space.coordinates(values[0] - values[1])
    n = len(d)
    is_exact = 2**n <= draws + 1
    if space.dimension == 0:
        return shuffle_outcome(
            0.0, np.zeros(1), exact=True, about="paired differences", n=n, kind=""
        )
    inverse = np.linalg.pinv(d.T @ d)

    def statistic(signs: np.ndarray) -> np.ndarray:
        means = signs @ d / n
        return (means @ inverse * means).sum(axis=1)

    observed = float(statistic(np.ones((1, n)))[0])
    if is_exact:
        is_positive = np.arange(2**n)[:, None] >> np.arange(n) & 1
        permuted = statistic(2.0 * is_positive - 1)
    else:
        generator = np.random.default_rng(rng)
        parts = []
        for part in batches(draws, n):
            is_positive = generator.integers(0, 2, (part.stop - part.start, n), dtype=np.int8)
            parts.append(statistic(2.0 * is_positive - 1))
        permuted = np.concatenate(parts)
    about = f"{n} paired differences"
    return shuffle_outcome(
        observed, permuted, exact=is_exact, about=about, n=n, kind="sign choices"
    )


def shuffled_manova(
    vectors: ArrayLike, *, draws: int = 9999, rng: Rng = 0, names: Sequence[str] = ()
) -> PermutationResult:
    """Permutation test of several algorithms on several measures, permuting algorithms within folds.

    `vectors` are algorithm x fold x measure. Raises SettingError for `draws` below 1, DataError for
    another shape or values that are not finite, DesignError for fewer than two algorithms or folds.

    Notes
    -----
    The statistic is -ln of Wilks' lambda, with the folds as blocks. Tests that algorithms are exchangeable within
    folds, not only that means are equal. Does not assume normality, but independent folds. The test is exact if
    there are at most `draws` + 1 permutations. If all algorithms have equal results, p = 1.

    References
    ----------
    Anderson, Austral Ecol. 26 (2001) 32.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.random.default_rng(1).normal(size=(3, 8, 2))
    >>> shuffled_manova(runs, draws=199).arrangements
    200
    """
    check_draws(draws)
    values = hotelling.check_vectors(vectors)
    space = hotelling.effective_space(values, names)
    a, n, _ = values.shape
    about = f"{a} algorithms on {n} folds"
    if space.dimension == 0:
        return shuffle_outcome(0.0, np.zeros(1), exact=True, about=about, n=n, kind="")
    points = space.coordinates(values - values.mean(axis=0)).transpose(1, 0, 2)  # fold, alg, p
    scatter = permuted_scatter(points)
    identity = np.eye(space.dimension)

    def statistic(orders: np.ndarray) -> np.ndarray:  # -ln of Wilks' lambda
        eigenvalues = np.linalg.eigvalsh(identity - scatter(orders))
        return -np.log(np.clip(eigenvalues, 1e-300, None)).sum(axis=1)

    observed_order = np.arange(a)[None, None, :].repeat(n, axis=1)
    observed = float(statistic(observed_order)[0])
    is_exact = factorial(a) ** n <= draws + 1
    orders = shuffle_orders(a, n, draws, rng, exact=is_exact)
    permuted = np.concatenate([statistic(order) for order in orders])
    return shuffle_outcome(
        observed, permuted, exact=is_exact, about=about, n=n, kind="permutations within folds"
    )


def permuted_scatter(points: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from permutations (draw x fold x algorithm) to H, scaled so that H + E = I.

    `points` are fold x algorithm x coordinate, centred within folds.
    """
    n, a, p = points.shape
    flat = points.reshape(n * a, p)
    eigenvalues, axes = np.linalg.eigh(flat.T @ flat)
    whitened = (points @ (axes / np.sqrt(eigenvalues))).reshape(n * a, p)
    first_row = (np.arange(n) * a)[None, :, None]

    def scatter(orders: np.ndarray) -> np.ndarray:
        means = whitened[orders + first_row].mean(axis=1)
        return n * np.einsum("dap,daq->dpq", means, means)

    return scatter


def shuffle_orders(a: int, n: int, draws: int, rng: Rng, *, exact: bool) -> Iterator[np.ndarray]:
    """Yield batches of permutations of algorithms within folds, draw x fold x algorithm; all of them if `exact`."""
    if exact:
        all_orders = np.array(list(permutations(range(a))))
        indices = np.indices((len(all_orders),) * n).reshape(n, -1).T
        yield all_orders[indices]
        return
    rng = np.random.default_rng(rng)
    for part in batches(draws, n * a):
        yield rng.random((part.stop - part.start, n, a)).argsort(axis=2)


def shuffle_outcome(
    observed: float, statistics: np.ndarray, *, exact: bool, about: str, n: int, kind: str
) -> PermutationResult:
    """Return the test of a statistic against its permutation distribution; `kind` is "" for identical results."""
    hits = int((statistics >= observed - 1e-9 * max(1.0, abs(observed))).sum())
    total = len(statistics) if exact else len(statistics) + 1
    hits = hits if exact else hits + 1
    pvalue = hits / total
    low = high = pvalue
    if not exact:
        low = float(stats.beta.ppf(0.025, hits, total - hits + 1))
        high = float(stats.beta.ppf(0.975, hits + 1, total - hits)) if hits < total else 1.0
    how = f"{'all ' if exact else ''}{total:,} {'' if exact else 'random '}{kind or 'arrangements'}"
    return PermutationResult(
        about=about,
        statistic=observed,
        pvalue=pvalue,
        method=Method("permutation test", (how,), exact=exact),
        n=n,
        warnings=() if kind else (_IDENTICAL,),
        arrangements=total,
        exact=exact,
        low=low,
        high=high,
    )
