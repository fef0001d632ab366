"""Folds without differences, and the tests of folds applied to many of them at once."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import stats

from stats_core.core.checks import near_nothing, near_zero, tie_groups
from stats_core.core.errors import DegenerateError
from stats_core.data.settings import TUKEY
from stats_core.inference.families.corrections import CORRECTIONS
from stats_core.inference.families.partition_rows import LARGEST_LISTED, bergmann_hommel_rows
from stats_core.inference.families.rows import adjust_rows
from stats_core.inference.paired import corrected_df, overlap_factor
from stats_core.inference.studentized import studentized_range_sf
from stats_core.power.order_wilcoxon import wilcoxon_two_sided
from stats_core.power.procedures import sign_pvalues

IGNORED = "Tukey, overlap ignored"
_OWN = ("corrected t", "paired t", "5x2 cv F", "Wilcoxon", "sign test")


@dataclass(frozen=True, slots=True)
class FoldTest:
    """A test of pairs on folds with its correction; Tukey's tests need none.

    Attributes
    ----------
    test : str
        A key of `PAIR_TESTS` or "Tukey", or "Tukey, overlap ignored".
    correction : str
        One of `CORRECTIONS`, "" of Tukey's.
    test_fraction : float or None
        The share tested; None where it is unknown.
    """

    test: str
    correction: str
    test_fraction: float | None

    @property
    def name(self) -> str:
        """Such as "Holm on corrected t"."""
        if not self.correction:
            return self.test
        if self.correction == "none":
            return f"unadjusted, {self.test}"
        return f"{CORRECTIONS[self.correction]} on {self.test}"

    def adjusted(self, values: np.ndarray, kept: dict[str, np.ndarray]) -> np.ndarray:
        """Return adjusted p-values, draw x pair, of values, draw x fold x algorithm.

        `kept` holds the unadjusted ones of tests that were asked before.
        """
        if self.test not in kept:
            kept[self.test] = _pvalues(values, self.test, self.test_fraction)
        if self.correction == "bergmann_hommel":
            return bergmann_hommel_rows(kept[self.test])
        return adjust_rows(kept[self.test], self.correction or "none")


def fold_tests_of(
    k: int, test_fraction: float | None, *, five_by_two: bool
) -> tuple[FoldTest, ...]:
    """Return the tests that the folds of k algorithms allow, with every correction on offer.

    Examples
    --------
    >>> [one.name for one in fold_tests_of(2, 0.1, five_by_two=False)][:2]
    ['Tukey', 'Tukey, overlap ignored']
    """
    tests = [
        test
        for test in _OWN
        if (test != "corrected t" or test_fraction) and (test != "5x2 cv F" or five_by_two)
    ]
    corrections = [
        name
        for name in CORRECTIONS
        if name != "nemenyi" and (name != "bergmann_hommel" or k <= LARGEST_LISTED)
    ]
    if k == 2:
        corrections = ["none"]
    tukeys = (TUKEY, IGNORED) if test_fraction else (TUKEY,)
    return (
        *(FoldTest(test, "", test_fraction) for test in tukeys),
        *(FoldTest(test, name, test_fraction) for test, name in product(tests, corrections)),
    )


def null_folds(
    rng: np.random.Generator, matrix: np.ndarray, correlation: float, n: int
) -> np.ndarray:
    """Return worlds in which no algorithm differs, draw x fold x algorithm.

    Parameters
    ----------
    rng : Generator
    matrix : array, fold x algorithm
        The results; how their deviations from the means vary, and vary together, is kept.
    correlation : float
        Of two folds: the share that is tested, where training sets overlap.
    n : int
        Draws.

    Raises
    ------
    DegenerateError
        All algorithms keep their distances in all folds.
    """
    folds = len(matrix)
    parts = matrix - matrix.mean(axis=0)
    apart = parts - parts.mean(axis=1, keepdims=True)
    if near_nothing(apart, matrix, matrix):
        raise DegenerateError(
            "Results need to vary from fold to fold. All algorithms keep their distances in all "
            "folds. Take another data set, or more folds."
        )
    parts = parts / np.sqrt((folds - 1) / folds)
    signs = rng.choice([-1.0, 1.0], size=(n, folds, 1))
    weights = rng.normal(size=(n, folds)) * np.sqrt(correlation / (1 - correlation) / folds)
    return signs * parts + (weights @ parts)[:, None, :]


def normal_folds(
    rng: np.random.Generator, shape: tuple[int, int], correlation: float, n: int
) -> np.ndarray:
    """Return normal folds of algorithms that do not differ and are alike, draw x fold x algorithm."""
    shared = rng.normal(size=(n, 1, shape[1])) * np.sqrt(correlation / (1 - correlation))
    return rng.normal(size=(n, *shape)) + shared


def _pvalues(values: np.ndarray, test: str, fraction: float | None) -> np.ndarray:
    """Return unadjusted p-values (Tukey's are adjusted), draw x pair."""
    draws, n, k = values.shape
    if test in (TUKEY, IGNORED):
        return _tukey(values, fraction if test == TUKEY else None)
    rows, columns = np.triu_indices(k, 1)
    first, second = values[..., rows], values[..., columns]
    if test in ("sign test", "Wilcoxon"):
        steps = _steps(first, second)
        return sign_pvalues(steps) if test == "sign test" else wilcoxon_two_sided(steps)
    differences = first - second
    with np.errstate(invalid="ignore", divide="ignore"):
        if test == "5x2 cv F":
            halves = differences[:, ::2] - differences[:, 1::2]
            p = stats.f.sf((differences**2).sum(axis=1) / (halves**2).sum(axis=1), 10, 5)
        else:
            factor = overlap_factor(n, fraction if test == "corrected t" else None)
            df = corrected_df(n, n - 1) if test == "corrected t" else n - 1
            error = differences.std(axis=1, ddof=1) * np.sqrt(factor / n)
            p = 2 * stats.t.sf(np.abs(differences.mean(axis=1)) / error, df)
    return np.where(np.isnan(p), 1.0, p)  # two that are identical


def _steps(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the places of the sizes of differences with their signs, draw x pair x fold."""
    x, y = (side.swapaxes(1, 2).reshape(-1, side.shape[1]) for side in (first, second))
    signs = np.where(near_zero(x, y), 0, np.sign(x - y)).astype(int)
    sizes = np.where(signs == 0, 0.0, np.abs(x - y))
    groups = tie_groups(sizes, np.maximum(np.abs(x), np.abs(y)).max(axis=1))
    return (signs * (groups + 1)).reshape(len(first), first.shape[2], first.shape[1])


def _tukey(values: np.ndarray, fraction: float | None) -> np.ndarray:
    draws, n, k = values.shape
    means = values.mean(axis=1)
    residuals = values - means[:, None] - values.mean(axis=2, keepdims=True)
    residuals += values.mean(axis=(1, 2))[:, None, None]
    df = (k - 1) * (n - 1)
    error = (residuals**2).sum(axis=(1, 2)) / df
    df = df if fraction is None else corrected_df(n, df)
    rows, columns = np.triu_indices(k, 1)
    unit = np.sqrt(error / n * overlap_factor(n, fraction))[:, None]
    q = np.abs(means[:, rows] - means[:, columns]) / unit
    return studentized_range_sf(q.ravel(), k, df).reshape(q.shape)
