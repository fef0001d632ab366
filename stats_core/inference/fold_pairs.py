"""All pairs of algorithms on the folds of one data set: test inputs and results."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import assert_never

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special, stats

from stats_core.core import validation
from stats_core.core.errors import DegenerateError, MissingCells
from stats_core.core.result_types import (
    Method,
    PairedResult,
    PairwiseResult,
    labeled_matrix,
    square_matrix,
)
from stats_core.data import predictions
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select, tested_share
from stats_core.inference import fold_tests, inference_text, paired
from stats_core.inference.methods import PAIR_TESTS, FoldPair, Statistic


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _PairsByT:
    """t tests of every pair of columns, in the order of `np.triu_indices(k, 1)`.

    Attributes
    ----------
    estimate, error : array
        Mean differences, first minus second, and their standard errors; 0 where two columns are
        the same.
    df : int
        Degrees of freedom.
    """

    estimate: np.ndarray
    error: np.ndarray
    df: int

    @property
    def statistic(self) -> np.ndarray:
        """Statistics of the t tests; 0 if two columns are identical."""
        size = np.zeros_like(self.estimate)
        return np.divide(self.estimate, self.error, out=size, where=self.error > 0)

    @property
    def pvalue(self) -> np.ndarray:
        """Two-sided p-values; 1 if two columns are identical."""
        return 2 * special.stdtr(self.df, -np.abs(self.statistic))  # t.sf, ten times as fast

    def interval(self, confidence_level: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper ends of the intervals; `confidence_level` may be an array, one per pair."""
        reach = (
            np.abs(special.stdtrit(self.df, (1 - np.asarray(confidence_level)) / 2)) * self.error
        )
        return self.estimate - reach, self.estimate + reach


def pairs_by_t(matrix: np.ndarray, test: str, test_fraction: float | None) -> _PairsByT | None:
    """Return a t test of every pair; None if the differences of a pair are constant but not zero."""
    method, pairs = PAIR_TESTS[test], FoldDifferences.of(matrix)
    assert method.statistic is Statistic.MEAN_T
    n, means = pairs.values.shape[-2], pairs.values.mean(axis=-2)
    deviations = pairs.values - means[..., None, :]
    if pairs.constant(deviations).any():
        return None
    factor = paired.overlap_factor(n, test_fraction if method.corrects_overlap else None)
    unit = validation.unit_of(deviations, axis=-2)
    scaled = deviations / unit[..., None, :]
    error = unit * np.sqrt(np.einsum("...ij,...ij->...j", scaled, scaled) / (n - 1) * (factor / n))
    return _PairsByT(
        estimate=np.where(pairs.identical, 0.0, means),
        error=np.where(pairs.identical, 0.0, error),
        df=paired.corrected_df(n, n - 1) if method.bounded_df else n - 1,
    )


@dataclass(frozen=True, slots=True, eq=False)
class FoldDifferences:
    """Differences of all pairs of columns (..., fold, pair), rounding errors, and pairs identical up to rounding."""

    values: np.ndarray
    noise: np.ndarray
    identical: np.ndarray

    @classmethod
    def of(cls, matrix: np.ndarray) -> "FoldDifferences":
        """Return the differences of `matrix` (..., fold, algorithm)."""
        matrix = np.asarray(matrix, dtype=float)
        rows, columns = np.triu_indices(matrix.shape[-1], 1)
        sizes = validation.rounding_error(matrix, axis=-2)
        noise = np.maximum(sizes[..., rows], sizes[..., columns])
        values = matrix[..., rows] - matrix[..., columns]
        return cls(values, noise, _within(values, noise))

    def constant(self, deviations: np.ndarray) -> np.ndarray:
        """Return a mask of pairs that differ but whose differences do not vary."""
        return _within(deviations, self.noise) & ~self.identical


def _within(values: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Return a mask of pairs whose values (..., fold, pair) are all within `noise`; two folds rule out most pairs."""
    mask = (np.abs(values[..., :2, :]) <= noise[..., None, :]).all(axis=-2)
    return (np.abs(values) <= noise[..., None, :]).all(axis=-2) if mask.any() else mask


def quick_pvalues(matrix: np.ndarray, test: str, test_fraction: float | None) -> np.ndarray | None:
    """Return p-values, algorithm x algorithm; None if the test must run pair by pair.

    None also for t or F tests of constant, nonzero differences.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.array([[6.0, 5], [7, 5], [9, 6], [8, 7]])
    >>> round(float(quick_pvalues(runs, "corrected t", 0.25)[0, 1]), 4)
    0.0965
    """
    pairs = combinations(np.asarray(matrix, dtype=float).T, 2)
    statistic = PAIR_TESTS[test].statistic
    upper: ArrayLike | None
    match statistic:
        case Statistic.MEAN_T | Statistic.CV52_F:
            upper = pvalues_of_pairs(matrix, test, test_fraction)
        case Statistic.SIGNED_RANKS:
            upper = [paired.wilcoxon(x, y).pvalue for x, y in pairs]
        case Statistic.SIGNS:
            upper = [paired.sign_test(x, y).pvalue for x, y in pairs]
        case Statistic.SIGN_FLIPS:
            upper = [paired.sign_flip_test(x, y).pvalue for x, y in pairs]
        case Statistic.CV52_FIRST_T | Statistic.CV52_MEAN_T:
            upper = None
        case Statistic.DISAGREEMENTS | Statistic.DISAGREEMENTS_CHI_SQUARE:
            upper = None
        case _:
            assert_never(statistic)
    return None if upper is None else square_matrix(matrix.shape[1], upper, diagonal=1.0)


def pvalues_of_pairs(
    values: np.ndarray, test: str, test_fraction: float | None
) -> np.ndarray | None:
    """Return p-values (..., pair) of a t test or the 5x2 cv F test of values (..., fold, algorithm).

    None if the test is undefined for a pair that differs: its differences do not vary.
    """
    if PAIR_TESTS[test].statistic is not Statistic.CV52_F:
        by_t = pairs_by_t(values, test, test_fraction)
        return None if by_t is None else by_t.pvalue
    pairs = FoldDifferences.of(values)
    varying = pairs.values[..., ::2, :] - pairs.values[..., 1::2, :]
    if pairs.constant(varying).any():
        return None
    unit = validation.unit_of(pairs.values, axis=-2)[..., None, :]
    with np.errstate(invalid="ignore", divide="ignore"):  # identical columns
        f = ((pairs.values / unit) ** 2).sum(axis=-2) / ((varying / unit) ** 2).sum(axis=-2)
        return np.where(pairs.identical, 1.0, stats.f.sf(f, 10, 5))


def fold_matrix(results: Results, dataset: str, measure: str) -> pd.DataFrame:
    """Return one measure on one data set, fold x algorithm; raise MissingCells for missing results."""
    matrix = results.matrix(dataset, measure)
    missing = matrix.isna()
    if missing.to_numpy().any():
        repetition, fold = matrix.index[missing.any(axis=1)][0]
        n = int(missing.to_numpy().sum())
        where = {"dataset": dataset, "measure": measure, "repetition": repetition, "fold": fold}
        raise MissingCells.of("folds missing", n=n, size=matrix.size, **where)
    return matrix


def resampling_unit(design: str) -> str:
    """Return the noun for the resampling unit of a design, such as "fold".

    Examples
    --------
    >>> resampling_unit("5x2"), resampling_unit("common test set")
    ('fold', 'run')
    """
    return {
        "common test set": "run",
        "bootstrap": "bootstrap sample",
        "holdout": "partition",
        "seeds": "run",
    }.get(design, "fold")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoldData:
    """Results of all algorithms on the folds of one data set.

    Attributes
    ----------
    dataset : str
        Name of the data set.
    matrix : DataFrame, (repetition, fold) x algorithm
        Values of one measure, none missing.
    design, design_label : str
        The resampling design, and its label with numbers, such as "10-fold cross-validation".
    test_fraction : float or None
        n_test / (n_train + n_test); None where no correction for overlap is defined.
    """

    dataset: str
    matrix: pd.DataFrame
    design: str
    design_label: str
    test_fraction: float | None


def fold_data(results: Results, dataset: str, settings: Settings) -> FoldData:
    """Return the results of one data set by one measure, with resampling design and test fraction.

    Uses only the settings `measure`, which must not be empty, `test_fraction`, and those that
    select data sets and algorithms.
    """
    results = select(results, settings)
    return FoldData(
        dataset=dataset,
        matrix=fold_matrix(results, dataset, settings.measure),
        design=results.design_of(dataset),
        design_label=results.label_of(dataset),
        test_fraction=tested_share(results, dataset, settings),
    )


def possible_tests(results: Results, dataset: str, settings: Settings) -> tuple[str, ...]:
    """Return the keys of the pairwise tests that apply to a data set, the recommended one first.

    Examples
    --------
    >>> table = pd.DataFrame({"algorithm": list("aabb"), "fold": list("1212"), "error": 0.1})
    >>> possible_tests(Results.from_frame(table), "results", Settings())[:2]
    ('corrected t', 'paired t')
    """
    measure = settings.measure or results.measures[0]
    scores = results.matrix(dataset, measure).iloc[:, 0]
    cases = results.predictions
    pair = FoldPair(
        x=scores,
        y=scores,
        measure=measure,
        design=results.design_of(dataset),
        label=results.label_of(dataset),
        test_fraction=tested_share(results, dataset, settings),
        correct=cases if cases is not None and "instance" in cases else None,
    )
    n = len(scores)
    advised = fold_tests.advised_test(pair.test_fraction, n, settings.df)
    others = (
        key
        for key, test in PAIR_TESTS.items()
        if key != advised and not fold_tests.redundant(key, n) and not test.refuses(pair)
    )
    return (advised, *others)


def max_df(
    settings: Settings, n_results: int, test_fraction: float | None, measures: int = 1
) -> int | None:
    """Return the limit on degrees of freedom of tests that correct for overlap; None if there is no limit.

    Uses only the setting `df`.

    Examples
    --------
    >>> max_df(Settings(), 100, 0.1), max_df(Settings(df="published"), 100, 0.1)
    (9, None)
    """
    if test_fraction is None or settings.df == "published":
        return None
    return paired.conservative_df(n_results, measures)


def fold_pairs(
    results: Results, data: FoldData, measure: str, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], FoldPair]:
    """Return the test inputs (`FoldPair`) of these pairs of algorithms."""
    cases = predictions.correct_cases(results, data.dataset)
    if cases is not None and cases.empty:
        cases = None
    columns, position = (
        dict(data.matrix.items()),
        {name: i for i, name in enumerate([] if cases is None else cases)},
    )
    return {
        (a, b): FoldPair(
            x=columns[a],
            y=columns[b],
            correct=None if cases is None else cases.take([position[a], position[b]], axis=1),
            measure=measure,
            design=data.design,
            label=data.design_label,
            test_fraction=data.test_fraction,
        )
        for a, b in pairs
    }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoldPairTests:
    """One unadjusted test of every pair.

    Attributes
    ----------
    outcome : PairwiseResult
        Statistics and p-values.
    estimate, low, high : DataFrame, algorithm x algorithm
        Estimates of the differences, row minus column, and the ends of their intervals; NaN where
        there are none.
    """

    outcome: PairwiseResult
    estimate: pd.DataFrame
    low: pd.DataFrame
    high: pd.DataFrame


def run_fold_pair_tests(
    pairs: dict[tuple[str, str], FoldPair], key: str, confidence_level: float | pd.DataFrame
) -> FoldPairTests:
    """Return one unadjusted test of every pair, with estimates and intervals.

    `confidence_level` is one number, or one for each pair, algorithm x algorithm. DegenerateError
    is raised if the test does not apply to a pair.
    """
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    k = len(names)
    if isinstance(confidence_level, pd.DataFrame):
        levels = confidence_level.loc[names, names].to_numpy()
    else:
        levels = np.full((k, k), confidence_level)
    first_pair = next(iter(pairs.values()))
    matrix = np.column_stack([_column(pairs, name) for name in names])
    i, j = np.triu_indices(k, 1)
    method = PAIR_TESTS[key]
    vectorized = method.statistic is Statistic.MEAN_T and len(matrix) > 1 and len(pairs) == len(i)
    vectorized = vectorized and not method.refuses(first_pair)
    by_t = pairs_by_t(matrix, key, first_pair.test_fraction) if vectorized else None
    if by_t is not None:
        n = len(matrix)
        columns = np.array(
            [
                by_t.statistic,
                -by_t.statistic,
                by_t.pvalue,
                by_t.estimate,
                *by_t.interval(levels[i, j]),
            ]
        )
    else:
        rows, position = [], {name: index for index, name in enumerate(names)}
        i, j = np.array([[position[a], position[b]] for a, b in pairs]).T
        for (a, b), pair in pairs.items():
            answer = fold_tests.run_pair_test(
                pair, key, confidence_level=levels[position[a], position[b]]
            )
            if answer.outcome is None:
                raise DegenerateError.of("pair refused", reason=answer.reason, first=a, second=b)
            n = answer.outcome.n
            rows.append(
                (
                    *_both_ways(answer.outcome, method.signed),
                    answer.outcome.pvalue,
                    answer.estimate,
                    answer.low,
                    answer.high,
                )
            )
        columns = np.array(rows).T
    statistics, pvalues = np.zeros((k, k)), np.ones((k, k))
    estimate, (low, high) = np.zeros((k, k)), np.full((2, k, k), np.nan)
    statistics[i, j], statistics[j, i], pvalues[i, j] = columns[:3]
    estimate[i, j], low[i, j], high[i, j] = columns[3:]
    pvalues[j, i], estimate[j, i] = pvalues[i, j], -estimate[i, j]
    low[j, i], high[j, i] = -high[i, j], -low[i, j]
    about, variant = inference_text("about.pairs", k=k), Method(method.name, ("unadjusted",))
    outcome = PairwiseResult.of(statistics, pvalues, names, about=about, method=variant, n=n)
    return FoldPairTests(
        outcome=outcome,
        estimate=labeled_matrix(estimate, names),
        low=labeled_matrix(low, names),
        high=labeled_matrix(high, names),
    )


def _column(pairs: dict[tuple[str, str], FoldPair], name: str) -> np.ndarray:
    """Return the results of one algorithm from the first pair that contains it."""
    match = next((a, pair) for (a, b), pair in pairs.items() if name in (a, b))
    first, pair = match
    return (pair.x if first == name else pair.y).to_numpy(dtype=float)


def _both_ways(outcome: PairedResult, signed: bool) -> tuple[float, float]:
    """Return the statistic or effect of a pair, and of the reversed pair."""
    match outcome:
        case paired.WilcoxonResult():
            size = outcome.rank_biserial
        case paired.SignTestResult():
            size = outcome.wins - outcome.losses
        case paired.McNemarResult():
            size = outcome.only_first - outcome.only_second
        case _:
            size = outcome.statistic
    return (size, -size) if signed else (size, size)
