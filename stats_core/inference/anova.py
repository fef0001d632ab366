"""Analysis of variance of several algorithms over the folds of one data set, and Tukey's test."""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import pandas as pd

from stats_core.core.errors import DegenerateError
from stats_core.core.messages import message
from stats_core.core.result_types import Method, PairwiseResult, TestResult, labeled_matrix
from stats_core.core.validation import all_within_rounding, check_matrix, check_probability
from stats_core.inference import distributions, inference_text
from stats_core.inference.paired import at_most, overlap_factor

_IDENTICAL = message("nothing to test", same="all results")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnovaResult(TestResult):
    """Result of an analysis of variance.

    Attributes
    ----------
    df : tuple of int
        Degrees of freedom of algorithms and of residuals, the latter at most `max_df`.
    factor : float
        The overlap factor that `statistic` was divided by, 1 if none.
    plain_statistic, plain_pvalue : float
        F and p without that factor.
    published_pvalue : float
        p with all degrees of freedom, as published; the same where `max_df` changes nothing.
    epsilon : float
        Greenhouse-Geisser's epsilon, 1 under sphericity; 1 if not blocked.
    pvalue_gg : float
        p of `statistic` with both degrees of freedom times `epsilon`, those of residuals at most
        `max_df`.
    table : DataFrame
        Rows algorithms, folds (if blocked), residual, total; columns SS, df, MS, F, p; with a
        factor or fewer df due to `max_df` also F corrected and p corrected, with fewer df also p
        published.
    means : Series by algorithm
        Means over folds.
    residuals : DataFrame, fold x algorithm
        Residuals of the model.
    """

    df: tuple[int, int]
    factor: float
    plain_statistic: float
    plain_pvalue: float
    published_pvalue: float
    epsilon: float
    pvalue_gg: float
    table: pd.DataFrame
    means: pd.Series
    residuals: pd.DataFrame

    @property
    def mean_square_error(self) -> float:
        """Residual mean square."""
        return float(self.table.loc["residual", "MS"])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TukeyResult(PairwiseResult):
    """Result of Tukey's test of all pairs.

    Attributes
    ----------
    differences : DataFrame, algorithm x algorithm
        Mean of the row minus mean of the column.
    half_width : float
        Half-width of the simultaneous intervals around `differences`.
    df : int
        Degrees of freedom of the error term.
    factor : float
        The overlap factor used, 1 if none.
    """

    differences: pd.DataFrame
    half_width: float
    df: int
    factor: float


def anova(
    matrix: pd.DataFrame,
    *,
    blocked: bool = True,
    test_fraction: float | None = None,
    max_df: int | None = None,
) -> AnovaResult:
    """Analysis of variance of several algorithms over folds, blocked by fold by default.

    Parameters
    ----------
    matrix : DataFrame, fold x algorithm
        One result per cell, none missing.
    blocked : bool
        Whether all algorithms ran on the same folds, so that fold effects are removed.
    test_fraction : float, optional
        n_test / (n_train + n_test) if training sets overlap; None for no correction.
    max_df : int, optional
        Upper bound on the degrees of freedom of the residuals: 9 for the conservative test, which
        comparisons of more than ten overlapping results use. None for no bound.

    Returns
    -------
    AnovaResult
        F = MS algorithms / MS residual, divided by `overlap_factor` if there is one. For a
        algorithms and J folds it has a - 1 and (a - 1)(J - 1) df, a (J - 1) if not `blocked`; the
        latter at most `max_df`.

    Raises
    ------
    DataError, DesignError, DegenerateError, SettingError
        A cell is missing, infinite or above 1e70, or a name is repeated; fewer than 2 algorithms or
        folds; algorithms differ while nothing varies within them; `test_fraction` outside (0, 1);
        `max_df` below 1.

    Notes
    -----
    Assumes normal residuals of equal variance and, if blocked, equal correlations between algorithms,
    which `pvalue_gg` does not require. With eight algorithms on ten folds, overlapping training sets
    inflate a nominal 5% level to about 42%. If all results are equal, F = 0 and p = 1.

    References
    ----------
    Irsoy, Yildiz and Alpaydin, IEEE/ACM TCBB 9 (2012), section IV.B; Greenhouse and Geisser 1959.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"a": [5.0, 6, 8, 7], "b": [6.0, 7, 9, 9], "c": [9.0, 8, 9, 10]})
    >>> round(anova(runs).statistic, 2), round(anova(runs, test_fraction=0.25).statistic, 2)
    (10.71, 4.59)
    """
    table = check_matrix(matrix)
    values = table.to_numpy()
    n, a = values.shape
    means = values.mean(axis=0)
    effect = means - values.mean()
    folds = values.mean(axis=1, keepdims=True) - values.mean() if blocked else np.zeros((n, 1))
    residuals = values - means - folds
    df = (a - 1, (a - 1) * (n - 1) if blocked else a * (n - 1))
    used = (df[0], at_most(df[1], max_df))
    explained = n * float((effect**2).sum())
    error = float((residuals**2).sum())
    identical = _all_identical(effect, residuals, values)
    plain = 0.0 if identical else (explained / df[0]) / (error / df[1])
    factor = overlap_factor(n, test_fraction)
    epsilon = _epsilon(values) if blocked else 1.0
    squares = {"algorithms": explained, "folds": a * float((folds**2).sum()), "residual": error}
    if not blocked:
        squares.pop("folds")
    design = "folds as blocks" if blocked else "one-way"
    return AnovaResult(
        about=f"{a} algorithms on {n} folds",
        statistic=plain / factor,
        pvalue=distributions.f_tail(plain / factor, *used),
        method=Method("analysis of variance", (design, f"{used} df"), overlap=factor),
        n=n,
        warnings=(_IDENTICAL,) if identical else (),
        df=used,
        factor=factor,
        plain_statistic=plain,
        plain_pvalue=distributions.f_tail(plain, *df),
        published_pvalue=distributions.f_tail(plain / factor, *df),
        epsilon=epsilon,
        pvalue_gg=distributions.f_tail(
            plain / factor, df[0] * epsilon, min(used[1], df[1] * epsilon)
        ),
        table=_table(squares, df, used, plain, factor),
        means=pd.Series(means, index=table.columns),
        residuals=pd.DataFrame(residuals, index=table.index, columns=table.columns),
    )


def tukey(
    matrix: pd.DataFrame,
    *,
    blocked: bool = True,
    test_fraction: float | None = None,
    confidence_level: float = 0.95,
    max_df: int | None = None,
) -> TukeyResult:
    """Tukey's test of all pairs of algorithms on their means over folds.

    Parameters
    ----------
    matrix : DataFrame, fold x algorithm
        One result per cell, none missing.
    blocked : bool
        Whether all algorithms ran on the same folds; the error term and its degrees of freedom
        are those of the same analysis of variance.
    test_fraction : float, optional
        n_test / (n_train + n_test) if training sets overlap; None for no correction.
    confidence_level : float
        Simultaneous coverage of all intervals.
    max_df : int, optional
        Upper bound on the degrees of freedom of the residuals: 9 for the conservative test, which
        comparisons of more than ten overlapping results use. None for no bound.

    Returns
    -------
    TukeyResult
        q = difference / sqrt(MSE / J) per pair, divided by the root of `overlap_factor`, where MSE
        is the residual mean square and J the number of folds. p is from the studentized range of as
        many means as algorithms with the residual df of `anova`; p-values are already adjusted for
        all pairs.

    Raises
    ------
    DataError, DesignError, DegenerateError, SettingError
        As `anova`; `confidence_level` outside (0, 1).

    Notes
    -----
    p-values below 1e-8 are numerical error of the integration. For two algorithms q is the paired t
    times the root of 2, and p is the same.

    References
    ----------
    Tukey 1953; Aslan's thesis 2009, section 4.2.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"a": [5.0, 6, 8, 7], "b": [6.0, 7, 9, 9], "c": [9.0, 8, 9, 10]})
    >>> round(float(tukey(runs).pvalues.loc["a", "c"]), 4)
    0.0085
    """
    check_probability(confidence_level, "confidence_level")
    model = anova(matrix, blocked=blocked, test_fraction=test_fraction, max_df=max_df)
    return tukey_after(model, confidence_level)


def tukey_after(model: AnovaResult, confidence_level: float) -> TukeyResult:
    """Return Tukey's test of all pairs from the error mean square of an analysis of variance."""
    n = model.n
    a = len(model.means)
    error_df = model.df[1]
    unit = _error_of_mean(model)
    means = model.means.to_numpy()
    differences = means[:, None] - means
    q = np.zeros((a, a)) if model.nothing_to_test else differences / unit
    sizes, indices = np.unique(np.abs(q).round(12), return_inverse=True)
    pvalues = distributions.studentized_range_sf(sizes, a, error_df)[indices].reshape(a, a)
    np.fill_diagonal(pvalues, 1.0)
    return TukeyResult.of(
        q,
        pvalues,
        model.means.index,
        by_statistic=True,
        about=inference_text("about.pairs_on_folds", n=n, k=a),
        method=replace(model.method, name=inference_text("method.tukey", anova=model.method.name)),
        n=n,
        warnings=model.warnings,
        differences=labeled_matrix(differences, model.means.index),
        half_width=half_width_after(model, confidence_level),
        df=error_df,
        factor=model.factor,
    )


def half_width_after(model: AnovaResult, confidence_level: float) -> float:
    """Return the half-width of Tukey's simultaneous intervals, given an analysis of variance."""
    p = round(1 - confidence_level, 12)
    return distributions.studentized_range_isf(p, len(model.means), model.df[1]) * _error_of_mean(
        model
    )


def _error_of_mean(model: AnovaResult) -> float:
    return sqrt(model.mean_square_error / model.n * model.factor)


def _all_identical(effect: np.ndarray, residuals: np.ndarray, values: np.ndarray) -> bool:
    """Return whether all algorithms have identical results; DegenerateError for constant nonzero differences."""
    if not all_within_rounding(residuals, values):
        return False
    if all_within_rounding(effect, values):
        return True
    raise DegenerateError.of("Results must vary beyond what the folds share")


def _epsilon(values: np.ndarray) -> float:
    """Return the Greenhouse-Geisser epsilon, 1 if the results do not vary."""
    contrasts = values @ helmert(values.shape[1]).T
    if all_within_rounding(contrasts - contrasts.mean(axis=0), values):
        return 1.0
    covariance = np.atleast_2d(np.cov(contrasts, rowvar=False))
    return float(np.trace(covariance) ** 2 / (len(covariance) * (covariance**2).sum()))


def helmert(a: int) -> np.ndarray:
    """Return the a - 1 orthonormal Helmert contrasts of `a` means, one per row."""
    rows = np.tril(np.ones((a, a)), -1)[1:] - np.diag(np.arange(a, dtype=float))[1:]
    return rows / np.sqrt((rows**2).sum(axis=1, keepdims=True))


def _table(
    squares: dict[str, float],
    df: tuple[int, int],
    used: tuple[int, int],
    plain: float,
    factor: float,
) -> pd.DataFrame:
    """Return the table of the analysis, NaN in empty cells; `used` are the degrees of freedom limited by `max_df`."""
    freedom = {"algorithms": df[0], "folds": df[1] // df[0], "residual": df[1]}
    sums = list(squares.values())
    free = [freedom[name] for name in squares]
    columns = {
        "SS": [*sums, np.sum(sums)],
        "df": [*free, sum(free)],
        "MS": [*np.divide(sums, free), np.nan],
    }
    tests = {"F": plain, "p": distributions.f_tail(plain, *df)}
    corrected = plain / factor
    if factor != 1 or used != df:
        tests |= {"F corrected": corrected, "p corrected": distributions.f_tail(corrected, *used)}
    if used != df:
        tests["p published"] = distributions.f_tail(corrected, *df)
    columns |= {name: [value, *[np.nan] * len(sums)] for name, value in tests.items()}
    return pd.DataFrame(columns, index=pd.Index([*squares, "total"], name="source"))
