"""Hotelling's T2 tests and confidence regions of means, in the effective dimensions of the measures."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DataError, DegenerateError, DesignError
from stats_core.core.formatting import measure_name
from stats_core.core.messages import Message, message
from stats_core.core.result_types import Method, PairwiseResult, TestResult, square_matrix
from stats_core.core.validation import (
    align,
    as_numbers,
    check_probability,
    check_results,
    check_squares,
    rounding_error,
)
from stats_core.inference import inference_text
from stats_core.inference.paired import at_most, overlap_factor


def spread_df(n: int, p: int, max_df: int | None) -> int:
    """Return the df of the covariance of `n` results, at most `max_df`; raise DesignError if below `p`.

    Examples
    --------
    >>> spread_df(100, 2, 8), spread_df(100, 2, None)
    (8, 99)
    """
    spread = at_most(n - 1, max_df)
    if p and n < p + 1:
        raise DesignError.of("measures need folds", n=n, p=p, most=n - 1)
    if spread < p:
        raise DesignError.of("There are more measures than degrees of freedom", max_df=spread, p=p)
    return spread


def f_scale(df: tuple[int, int]) -> float:
    """Return the factor that converts T2 to F with these degrees of freedom, 0 without dimensions."""
    df1, df2 = df
    if df1 == 0:
        return 0.0
    return df2 / (df1 * (df1 + df2 - 1))


def region_scale(df: tuple[int, int], n: int, factor: float, confidence_level: float) -> float:
    """Return the factor that scales a covariance to the confidence region of the mean.

    Parameters
    ----------
    df : (int, int)
        Degrees of freedom of the F test of T2.
    n : int
        Number of results.
    factor : float
        Correction for the overlap of training sets, 1 for independent results.
    confidence_level : float
        Coverage of the region.

    Examples
    --------
    >>> round(region_scale((2, 8), 10, 1.0, 0.95), 4)
    1.0033
    """
    return factor / n / f_scale(df) * float(stats.f.isf(1 - confidence_level, *df))


_RANK_TOLERANCE = 1e-8  # of singular values, relative to the largest
_LARGEST_DENOMINATOR = 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EffectiveSpace:
    """Linear subspace of the measures in which algorithms can differ within a fold.

    Attributes
    ----------
    names : tuple of str
        The measures, in order.
    basis : array, measure x dimension
        Multiply vectors of measures by it to get coordinates of full rank.
    constant : tuple of str
        Combinations of measures that are the same for every algorithm within every fold, each as
        text such as "tp + fn".
    """

    names: tuple[str, ...]
    basis: np.ndarray
    constant: tuple[str, ...]

    @property
    def dimension(self) -> int:
        """Number of effective dimensions, p in the degrees of freedom."""
        return self.basis.shape[1]

    @property
    def note(self) -> Message | None:
        """Message on redundant measures, None if every measure adds a dimension."""
        if not self.constant:
            return None
        sizes = {"measures": len(self.names), "dimensions": self.dimension}
        constant = tuple(" ".join(map(measure_name, each.split(" "))) for each in self.constant)
        return message("effective dimensions", constant=constant, **sizes)

    def coordinates(self, values: np.ndarray) -> np.ndarray:
        """Return vectors of measures (last axis) in coordinates of the effective space."""
        return values @ self.basis


def effective_space(vectors: ArrayLike, names: Sequence[str] = ()) -> EffectiveSpace:
    """Return the subspace of the measures in which algorithms can differ within a fold.

    `vectors` are algorithm x fold x measure; without `names`, measures are called "measure 1" and
    so on. Raises DataError for another shape, values that are not finite or another number of
    names, DesignError for fewer than two algorithms or folds.

    Notes
    -----
    Measures are centred by fold over the algorithms and scaled by their root mean square; the
    dimension is the number of singular values above 1e-8 times the largest. Four counts of a
    confusion matrix have two dimensions, because positives and negatives of a fold are fixed.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[[8, 1, 9, 2], [7, 2, 8, 3]], [[9, 3, 7, 1], [6, 1, 9, 4]]])  # tp fp tn fn
    >>> space = effective_space(counts, ["tp", "fp", "tn", "fn"])
    >>> space.dimension, space.constant
    (2, ('tp + fn', 'fp + tn'))
    """
    values = check_vectors(vectors)
    p = values.shape[2]
    labels = tuple(names) or tuple(f"measure {i + 1}" for i in range(p))
    if len(labels) != p:
        raise DataError.of("names of measures", p=p, n=len(labels))
    within = (values - values.mean(axis=0)).reshape(-1, p)
    scale = np.sqrt((within**2).mean(axis=0))
    noise = rounding_error(values.reshape(-1, p), axis=0)
    is_constant = np.abs(within).max(axis=0) <= noise
    scale[is_constant] = 1.0
    within[:, is_constant] = 0.0
    # every direction is wanted, of the rows (algorithms times folds) none
    _, singular, right = np.linalg.svd(within / scale, full_matrices=len(within) < p)
    rank = 0
    if not is_constant.all():
        smallest = _RANK_TOLERANCE * max(singular[0], 1e-300)
        rank = int((singular > smallest).sum())
    basis = right[:rank].T / scale[:, None]
    constant = _combinations(right[rank:] / scale, labels)
    return EffectiveSpace(names=labels, basis=basis, constant=constant)


def check_vectors(vectors: ArrayLike, *, algorithms: int = 2) -> np.ndarray:
    """Return vectors as a float array, algorithm x fold x measure; raise DataError or DesignError if unsuitable."""
    values = as_numbers(vectors, "vectors")
    if values.ndim != 3 or not values.size:
        raise DataError.of("vectors must be algorithm x fold x measure", shape=values.shape)
    if not np.isfinite(values).all():
        raise DataError.of("vectors not finite")
    if len(values) < algorithms:
        raise DesignError.of("vectors of few", least=algorithms, n=len(values))
    check_results(values.shape[1])
    check_squares(*values.reshape(-1, values.shape[2]).T)
    return values


def _combinations(directions: np.ndarray, names: Sequence[str]) -> tuple[str, ...]:
    """Return the constant linear combinations of measures (row-reduced) as text."""
    rows = _row_reduced(directions)
    return tuple(_written(row, names) for row in rows)


def _row_reduced(rows: np.ndarray) -> np.ndarray:
    """Return the reduced row echelon form of the rows."""
    rows = rows.copy()
    pivot = 0
    for column in range(rows.shape[1]):
        if pivot == len(rows):
            break
        best = pivot + int(np.abs(rows[pivot:, column]).argmax())
        if abs(rows[best, column]) < 1e-9 * max(np.abs(rows).max(), 1e-300):
            continue
        rows[[pivot, best]] = rows[[best, pivot]]
        rows[pivot] /= rows[pivot, column]
        others = np.arange(len(rows)) != pivot
        rows[others] -= np.outer(rows[others, column], rows[pivot])
        pivot += 1
    return rows


def _written(row: np.ndarray, names: Sequence[str]) -> str:
    """Return a linear combination of measures as text, such as "tp + fn"."""
    text = ""
    for value, name in zip(row, names, strict=True):
        if abs(value) < 1e-7:
            continue
        sign = "\N{MINUS SIGN}" if value < 0 else "+"
        term = f"{_coefficient(abs(value))} {name}".strip()
        text += f" {sign} {term}"
    return text.strip().removeprefix("+ ")


def _coefficient(size: float) -> str:
    fraction = Fraction(size).limit_denominator(_LARGEST_DENOMINATOR)
    if abs(float(fraction) - size) > 1e-6 * max(size, 1):
        return f"{size:.3g}"
    return "" if fraction == 1 else str(fraction)


_EIGENVALUE_TOLERANCE = 1e-10  # of eigenvalues of the correlation, relative to the largest


def mean_region(
    covariance: ArrayLike,
    n_results: int,
    *,
    test_fraction: float | None = None,
    max_df: int | None = None,
    confidence_level: float = 0.95,
    dimension: int | None = None,
) -> np.ndarray:
    """Return the confidence ellipsoid of one algorithm's mean on several measures, as a matrix.

    The matrix is A in (mu - m)' A^-1 (mu - m) <= 1, measure x measure, where mu is the true mean
    and m the mean of `n_results` results; 0 if no measure varies. `dimension` is the largest
    possible rank of the covariance, the number of measures by default. Raises DesignError unless
    there are more results than that and `max_df` is at least the rank, DataError for a `covariance`
    that is not square or not finite, SettingError for `confidence_level` or `test_fraction` outside
    (0, 1) or `max_df` below 1.

    Notes
    -----
    Assumes multivariate normal results. It is a region for one mean, not a test of a pair: results of
    two algorithms are paired, so regions of algorithms that differ can overlap. If regions of full
    rank do not overlap, the paired Hotelling test rejects at 1 - confidence_level without adjustment, since
    in no direction do the differences vary more than both algorithms together. With a covariance
    pooled over algorithms on the same J folds, J - 1 degrees of freedom still apply, because the folds
    are shared. With v = min(J - 1, `max_df`) and rank p, the region is based on F with p and v + 1 - p df.

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
    check_probability(confidence_level, "confidence_level")
    if spread.ndim != 2 or spread.shape[0] != spread.shape[1] or not np.isfinite(spread).all():
        raise DataError.of("covariance must be measure x measure and finite", shape=spread.shape)
    factor = overlap_factor(n_results, test_fraction)
    most = len(spread) if dimension is None else min(dimension, len(spread))
    if n_results < most + 1:
        raise DesignError.of("measures need folds", n=n_results, p=most, most=n_results - 1)
    p = min(_rank(spread), most)
    if p == 0:
        return np.zeros_like(spread)
    df = (p, spread_df(n_results, p, max_df) + 1 - p)
    return spread * region_scale(df, n_results, factor, confidence_level)


def _rank(spread: np.ndarray) -> int:
    """Return the numerical rank of a covariance matrix, independent of the measures' units."""
    variances = np.clip(np.diag(spread), 0, None)
    unit = np.where(variances > 0, np.sqrt(variances), 1.0)
    eigenvalues = np.linalg.eigvalsh(spread / np.outer(unit, unit))
    smallest = _EIGENVALUE_TOLERANCE * max(eigenvalues[-1], 1.0)
    return int((eigenvalues > smallest).sum())


_IDENTICAL = message("nothing to test", same="two measures")
_NO_VARIANCE = 1e-20  # where differences are of size 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HotellingResult(TestResult):
    """Result of Hotelling's test.

    Attributes
    ----------
    t2 : float
        T2, divided by `factor`; `statistic` is its F.
    df : tuple of int
        Degrees of freedom of F.
    factor : float
        The overlap factor used, 1 if none.
    plain_statistic, plain_pvalue : float
        F and p as if no training sets overlapped.
    plain_df : tuple of int
        Degrees of freedom of that F.
    published_pvalue : float
        p with all degrees of freedom, as published; the same where `max_df` changes nothing.
    difference : Series by measure
        Mean of the first minus mean of the second.
    direction : Series by measure
        S^-1 dbar: the linear combination of measures along which the two differ most.
    covariance : DataFrame, measure x measure
        Covariance of the paired differences, or pooled over the two samples.
    space : EffectiveSpace
        Effective space of the measures, without collinear directions.
    """

    t2: float
    df: tuple[int, int]
    factor: float
    plain_statistic: float
    plain_pvalue: float
    plain_df: tuple[int, int]
    published_pvalue: float
    difference: pd.Series
    direction: pd.Series
    covariance: pd.DataFrame
    space: EffectiveSpace

    def region(self, confidence_level: float = 0.95) -> np.ndarray:
        """Return the confidence region of the mean difference.

        Parameters
        ----------
        confidence_level : float
            Coverage of the region.

        Returns
        -------
        array, measure x measure
            Matrix A of the ellipsoid (mu - dbar)' A^-1 (mu - dbar) <= 1, dbar the observed mean
            difference; 0 if the effective space has no dimension.
        """
        check_probability(confidence_level, "confidence_level")
        if not self.df[0]:
            return np.zeros_like(self.covariance.to_numpy())
        scale = region_scale(self.df, self.n, self.factor, confidence_level)
        return self.covariance.to_numpy() * scale


def hotelling_paired(
    x: ArrayLike,
    y: ArrayLike,
    *,
    test_fraction: float | None = None,
    max_df: int | None = None,
    names: Sequence[str] = (),
) -> HotellingResult:
    """Paired Hotelling's T2 test of two algorithms on several measures.

    Parameters
    ----------
    x, y : array or DataFrame, fold x measure
        Results on the same folds, in the same order; two DataFrames are paired by the labels of
        measures and folds.
    test_fraction : float, optional
        n_test / (n_train + n_test) if training sets overlap; None for no correction.
    max_df : int, optional
        Upper bound on the degrees of freedom of the covariance: 8 for the conservative test, which
        comparisons of more than ten overlapping results use. None for no bound.
    names : sequence of str, optional
        The measures; the columns of `x` by default.

    Returns
    -------
    HotellingResult
        T2 = J dbar' S^-1 dbar, with dbar the mean and S the covariance of the J differences; F = (v
        + 1 - p) / (p v) T2 with p and v + 1 - p df, p the effective dimension, v = J - 1 or
        `max_df`, the smaller; with `test_fraction` T2 is divided by `overlap_factor`.

    Raises
    ------
    DataError, DesignError, DegenerateError, SettingError
        Shapes differ or a value is not finite; fewer than p + 1 folds, or p above `max_df`;
        differences do not vary in every effective direction; `test_fraction` outside (0, 1);
        `max_df` below 1.

    Notes
    -----
    Assumes multivariate normal differences. Combinations of measures that are constant within every
    fold are projected out and named (`space.note`). For one measure T2 is the square of the paired t.
    If all differences are zero, T2 = 0 and p = 1.

    References
    ----------
    Yildiz and Alpaydin, multivariate comparison, equation 1; Rencher, Methods of Multivariate
    Analysis, section 5.7.

    Examples
    --------
    >>> x = [[0.9, 0.1], [0.8, 0.2], [0.85, 0.2], [0.7, 0.1], [0.9, 0.3]]
    >>> y = [[0.8, 0.2], [0.75, 0.1], [0.7, 0.25], [0.7, 0.2], [0.7, 0.3]]
    >>> round(hotelling_paired(x, y).t2, 3)
    9.153
    """
    first, second, labels = _two_samples(x, y, names, paired=True)
    space = effective_space(np.stack([first, second]), labels)
    differences = first - second
    n = len(differences)
    p = space.dimension
    spread = spread_df(n, p, max_df)
    return _outcome(
        "paired Hotelling T\N{SUPERSCRIPT TWO}",
        inference_text("about.difference_vectors", n=n, p=len(labels)),
        space,
        differences.mean(axis=0),
        np.cov(differences, rowvar=False).reshape(len(labels), -1),
        _Scale(
            units=n,
            n=n,
            df=(p, spread + 1 - p),
            plain_df=(p, n - p),
            factor=overlap_factor(n, test_fraction),
        ),
    )


def hotelling_two_sample(
    x: ArrayLike, y: ArrayLike, *, names: Sequence[str] = ()
) -> HotellingResult:
    """Two-sample Hotelling's T2 test of two algorithms on several measures, for unpaired runs.

    Parameters
    ----------
    x, y : array or DataFrame, fold x measure
        Results of each algorithm; their numbers of folds may differ. The measures of two DataFrames
        are paired by label.
    names : sequence of str, optional
        The measures; the columns of `x` by default.

    Returns
    -------
    HotellingResult
        T2 = n1 n2 / n (m1 - m2)' S^-1 (m1 - m2) with means m1 and m2 of n1 and n2 results, n = n1 +
        n2, and the pooled covariance S; F = (n - p - 1) / ((n - 2) p) T2 with p and n - p - 1 df, p
        the effective dimension.

    Raises
    ------
    DataError, DesignError, DegenerateError
        As `hotelling_paired`.

    Notes
    -----
    The test of Aslan's thesis. On shared folds it ignores the pairing and is less powerful; use
    `hotelling_paired` there.

    References
    ----------
    Aslan's thesis 2009, equations 4.82 to 4.84; Rencher, section 5.4.

    Examples
    --------
    >>> x = [[0.9, 0.1], [0.8, 0.2], [0.85, 0.2], [0.7, 0.1], [0.9, 0.3]]
    >>> y = [[0.8, 0.2], [0.75, 0.1], [0.7, 0.25], [0.7, 0.2], [0.7, 0.3]]
    >>> hotelling_two_sample(x, y).df
    (2, 7)
    """
    first, second, labels = _two_samples(x, y, names, paired=False)
    n1 = len(first)
    n2 = len(second)
    n = n1 + n2
    centred = np.concatenate([first - first.mean(axis=0), second - second.mean(axis=0)])
    within = np.stack([first, second]) if first.shape == second.shape else centred[:, None, :]
    if within.shape[1] == 1:  # a space needs two folds
        within = within.repeat(2, axis=1)
    space = effective_space(within, labels)
    p = space.dimension
    if p > 0 and n < p + 2:
        raise DesignError.of("measures need folds", n=n, p=p, most=n - 2)
    df = (p, n - p - 1)
    return _outcome(
        "two-sample Hotelling T\N{SUPERSCRIPT TWO}",
        inference_text("about.two_samples", n1=n1, n2=n2, p=len(labels)),
        space,
        first.mean(axis=0) - second.mean(axis=0),
        centred.T @ centred / (n - 2),
        _Scale(units=n1 * n2 / n, n=n, df=df, plain_df=df, factor=1.0),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    """Scale of a T^2 statistic.

    Attributes
    ----------
    units : float
        Number by which the covariance of a difference is divided for that of the mean.
    n : int
        Number of vectors.
    df, plain_df : tuple of int
        Degrees of freedom of F, and those without a correction for overlap.
    factor : float
        Factor on the variance that corrects for overlap.
    """

    units: float
    n: int
    df: tuple[int, int]
    plain_df: tuple[int, int]
    factor: float


def _outcome(
    name: str,
    about: str,
    space: EffectiveSpace,
    mean: np.ndarray,
    covariance: np.ndarray,
    scale: _Scale,
) -> HotellingResult:
    """Return the Hotelling test of a mean difference with covariance `covariance` / `scale.units`."""
    labels = list(space.names)
    weights = np.zeros(0)
    t2 = 0.0
    statistic = plain = 0.0
    pvalue = plain_pvalue = published_pvalue = 1.0
    are_identical = scale.df[0] == 0
    if not are_identical:
        weights = _solve(space, covariance, mean)
        t2 = float(scale.units * (mean @ space.basis) @ weights)
        statistic = f_scale(scale.df) * t2 / scale.factor
        plain = f_scale(scale.plain_df) * t2
        pvalue = float(stats.f.sf(statistic, *scale.df))
        plain_pvalue = float(stats.f.sf(plain, *scale.plain_df))
        published_pvalue = float(stats.f.sf(plain / scale.factor, *scale.plain_df))
    return HotellingResult(
        about=about,
        statistic=statistic,
        pvalue=pvalue,
        method=Method(name, (f"F with {scale.df} df",), overlap=scale.factor),
        n=scale.n,
        warnings=(_IDENTICAL,) if are_identical else (),
        t2=t2 / scale.factor,
        df=scale.df,
        factor=scale.factor,
        plain_statistic=plain,
        plain_pvalue=plain_pvalue,
        plain_df=scale.plain_df,
        published_pvalue=published_pvalue,
        difference=pd.Series(mean, index=labels),
        direction=pd.Series(space.basis @ weights, index=labels),
        covariance=pd.DataFrame(covariance, index=labels, columns=labels),
        space=space,
    )


def _two_samples(
    x: Any, y: Any, names: Sequence[str], *, paired: bool
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return both samples, `y` aligned with `x` by labels, and names of measures; DataError, DesignError if invalid."""
    labels = list(names)
    if not labels and isinstance(x, pd.DataFrame):
        labels = [str(name) for name in x.columns]
    if isinstance(x, pd.DataFrame) and isinstance(y, pd.DataFrame):
        _, aligned = align(x.T, y.T)
        y = aligned.T
        if paired:
            x, y = align(x, y)
    first = np.atleast_2d(np.asarray(x, dtype=float))
    second = np.atleast_2d(np.asarray(y, dtype=float))
    if first.shape[1] != second.shape[1] or (paired and first.shape != second.shape):
        raise DataError.of(
            "measures not paired", paired=paired, first=first.shape, second=second.shape
        )
    for part in (first, second):
        check_vectors(part[None], algorithms=1)
    return first, second, labels or [f"measure {i + 1}" for i in range(first.shape[1])]


def _solve(space: EffectiveSpace, covariance: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return S^-1 dbar in coordinates of the effective space; raise DegenerateError if S is singular there."""
    inner = space.basis.T @ covariance @ space.basis
    eigenvalues = np.linalg.eigvalsh(inner)
    if eigenvalues[0] <= max(1e-10 * eigenvalues[-1], _NO_VARIANCE):
        raise DegenerateError.of("The differences must vary in every direction")
    return np.linalg.solve(inner, space.basis.T @ mean)


def pairwise_hotelling(
    vectors: ArrayLike,
    algorithms: Sequence[str],
    *,
    test_fraction: float | None = None,
    max_df: int | None = None,
    names: Sequence[str] = (),
) -> PairwiseResult:
    """Return Hotelling's T2 test of every pair of algorithms on several measures, unadjusted.

    `vectors` are algorithm x fold x measure; statistic, df, `test_fraction`, `max_df` and errors
    are as in `hotelling_paired`. A pair with equal results has T2 = 0 and p = 1.

    Notes
    -----
    All pairs are computed at once in the effective space of all algorithms; a pair that differs in
    fewer directions is tested separately in its own effective space.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.random.default_rng(1).normal(size=(3, 10, 2))
    >>> pairwise_hotelling(runs, ["a", "b", "c"]).pvalues.shape
    (3, 3)
    """
    values = check_vectors(vectors)
    a, n, _ = values.shape
    space = effective_space(values, names)
    p = space.dimension
    factor = overlap_factor(n, test_fraction)
    df = (p, spread_df(n, p, max_df) + 1 - p)
    rows, columns = np.triu_indices(a, 1)
    points = space.coordinates(values)
    differences = points[rows] - points[columns]
    means = differences.mean(axis=1)
    centred = differences - means[:, None]
    covariances = np.einsum("ijk,ijl->ikl", centred, centred) / (n - 1)
    eigenvalues = np.linalg.eigvalsh(covariances) if p > 0 else np.zeros((len(rows), 1))
    smallest = np.maximum(1e-10 * eigenvalues[:, -1], _NO_VARIANCE)
    has_full_rank = eigenvalues[:, 0] > smallest
    t2 = np.zeros(len(rows))
    pvalues = np.ones(len(rows))
    if has_full_rank.any():
        means_of_full = means[has_full_rank]
        weights = np.linalg.solve(covariances[has_full_rank], means_of_full[:, :, None])[:, :, 0]
        t2_of_full = n * (means_of_full * weights).sum(axis=1) / factor
        t2[has_full_rank] = t2_of_full
        pvalues[has_full_rank] = stats.f.sf(f_scale(df) * t2_of_full, *df)
    for pair in np.flatnonzero(~has_full_rank):
        x = values[rows[pair]]
        y = values[columns[pair]]
        single = hotelling_paired(x, y, test_fraction=test_fraction, max_df=max_df, names=names)
        t2[pair] = single.t2
        pvalues[pair] = single.pvalue
    return PairwiseResult.of(
        square_matrix(a, t2),
        square_matrix(a, pvalues, diagonal=1.0),
        algorithms,
        about=inference_text("about.pairs_on_measures", k=a, p=values.shape[2]),
        method=Method("paired Hotelling T\N{SUPERSCRIPT TWO}", ("unadjusted",), overlap=factor),
        n=n,
    )
