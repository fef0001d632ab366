"""Null models of results, and the error rates of procedures under them."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.significance import significant
from stats_core.core.validation import tie_groups, ties_mask
from stats_core.data.settings import TUKEY
from stats_core.inference.distributions import studentized_range_isf, studentized_range_sf
from stats_core.inference.fold_tests import CORRECTED, redundant
from stats_core.inference.multiplicity.corrections import CORRECTIONS, corrections_for
from stats_core.inference.multiplicity.step_procedures import (
    LARGEST_LISTED,
    adjust_rows,
    bergmann_hommel_rows,
)
from stats_core.inference.paired import corrected_df, overlap_factor
from stats_core.inference.paired.t_tests import CONSERVATIVE, PUBLISHED
from stats_core.power.order_error_rates import wilcoxon_two_sided
from stats_core.power.simulated_procedures import sign_pvalues
from stats_core.power.simulation import Simulation, Sums

# key of a null model -> sentence that describes it
WORLDS = {
    "labels": "The names of all algorithms are dealt anew on every data set, so that none differ.",
    "pair": "The names of one pair, each in turn, are swapped on every data set or not, by chance; the "
    "others stay as they are, so that this pair alone is known not to differ.",
    "folds": "Normal folds are drawn that vary, and vary together, as these do, with one mean for all "
    "algorithms and a part that all folds share, so that folds are correlated as their training sets overlap.",
}
RATES = ("family", "pair")  # family-wise and per-comparison error rate
_SURE = 0.01  # probability that any valid procedure is flagged


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelOnDesign:
    """Error rates of procedures under null models of the results.

    Attributes
    ----------
    frame : DataFrame
        One row per world and procedure: ``world``, ``procedure``; ``pair``, the share of true
        hypotheses rejected, and ``family``, the share of draws in which any is, each with its
        standard error ("pair se") and whether it is higher than alpha by more than chance explains
        ("pair above"). ``bounds`` says which of the two the procedure controls ("pair" if nothing is
        adjusted, else "family"); ``level``, ``se`` and ``above`` repeat that one. ``chosen``.
    chosen : str
        The procedure that an analysis with these settings takes.
    draws, seed, n : int
        Draws of each world; what gives the random numbers; data sets, or folds.
    noun : {"data set", "fold"}
    correlation : float or None
        Of two folds; None over data sets.
    dataset, measure : str
        The one data set whose folds these are, or "".
    alpha : float
    """

    frame: pd.DataFrame
    chosen: str
    draws: int
    seed: int
    n: int
    noun: str
    correlation: float | None
    dataset: str
    measure: str
    alpha: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Worlds(Simulation):
    """Base class of simulations under null models, over data sets and over folds."""

    chosen: str
    alpha: float
    measure: str

    def result(self, sums: Sums, n: int) -> LevelOnDesign:
        """Return the error rates with their standard errors."""
        frames = [self.levels(sums, world, n) for world in self.worlds()]
        frame = pd.concat(frames, ignore_index=True)
        for rate in RATES:
            excess = (frame[rate] - self.alpha) / frame[f"{rate} se"].clip(lower=1e-12)
            frame[f"{rate} above"] = excess > stats.norm.isf(_SURE / len(frame))
        of_family = frame["bounds"] == "family"
        for position, (name, kind) in enumerate(
            (("level", ""), ("se", " se"), ("above", " above")), 3
        ):
            own = np.where(of_family, frame[f"family{kind}"], frame[f"pair{kind}"])
            frame.insert(position, name, own)
        frame["chosen"] = frame["procedure"] == self.chosen
        return LevelOnDesign(
            frame=frame,
            chosen=self.chosen,
            draws=n,
            seed=self.seed,
            alpha=self.alpha,
            measure=self.measure,
            **self.about(),
        )

    def worlds(self) -> tuple[str, ...]:
        """Return the null models that are simulated, keys of `WORLDS`."""
        raise NotImplementedError

    def names(self) -> list[tuple[str, bool]]:
        """Return each procedure, and whether it adjusts for a family."""
        raise NotImplementedError

    def about(self) -> dict:
        """Return the fields of `LevelOnDesign` that describe the results."""
        raise NotImplementedError

    def levels(self, sums: Sums, world: str, n: int) -> pd.DataFrame:
        """Return the error rates under one null model, one row per procedure."""
        names, adjusts = zip(*self.names(), strict=True)
        pair, family = sums[f"{world} pair"] / n, sums[f"{world} family"] / n
        spread = np.maximum(sums[f"{world} squares"] / n - pair**2, 0)
        # a rate of 0 gets the standard error of the rate alpha: no estimate is without error
        least = sqrt(self.alpha * (1 - self.alpha) / n)
        errors = (np.sqrt(spread / n), np.sqrt(family * (1 - family) / n))
        pair_se, family_se = (np.where(error > 0, error, least) for error in errors)
        return pd.DataFrame(
            {
                "world": world,
                "procedure": names,
                "bounds": np.where(adjusts, "family", "pair"),
                "pair": pair,
                "pair se": pair_se,
                "family": family,
                "family se": family_se,
            }
        )


def add_wrong(found: Sums, world: str, wrong: np.ndarray, true: np.ndarray) -> None:
    """Add false rejections, procedure x draw x comparison, to the running sums."""
    share = wrong.sum(axis=2) / true.sum(axis=1)
    for name, values in (("pair", share), ("squares", share**2), ("family", wrong.any(axis=2))):
        key = f"{world} {name}"
        found[key] = found.get(key, np.zeros(len(wrong))) + values.sum(axis=1)


IGNORED = "Tukey, overlap ignored"
_OWN = (PUBLISHED, CONSERVATIVE, "paired t", "5x2 cv F", "Wilcoxon", "sign test")
_AGAIN = 25  # inner simulations per draw, which estimate the bias due to few folds
_CELLS = 2_000_000  # cells of one inner batch, to bound memory


@dataclass(frozen=True, slots=True)
class FoldTest:
    """A test of pairs on folds with its correction; Tukey's tests take no correction.

    Attributes
    ----------
    test : str
        A key of `PAIR_TESTS` or "Tukey", or "Tukey, overlap ignored".
    correction : str
        One of `CORRECTIONS`, "" of Tukey's.
    test_fraction : float or None
        The share tested; None where it is unknown.
    df : {"conservative", "published"}
        Of Tukey's test, as in `Settings`.
    """

    test: str
    correction: str
    test_fraction: float | None
    df: str = "conservative"

    @property
    def name(self) -> str:
        """Display name, such as "Holm on corrected t"."""
        if not self.correction:
            return self.test
        if self.correction == "none":
            return f"unadjusted, {self.test}"
        return f"{CORRECTIONS[self.correction]} on {self.test}"

    def adjusted(self, values: np.ndarray, kept: dict[str, np.ndarray]) -> np.ndarray:
        """Return adjusted p-values, draw x pair, of values, draw x fold x algorithm.

        `kept` caches the unadjusted p-values by test.
        """
        if self.test not in kept:
            kept[self.test] = _pvalues(values, self)
        if self.correction == "bergmann_hommel":
            return bergmann_hommel_rows(kept[self.test])
        return adjust_rows(kept[self.test], self.correction or "none")


def fold_tests_of(
    k: int,
    test_fraction: float | None,
    n_results: int,
    *,
    five_by_two: bool,
    df: str = "conservative",
) -> tuple[FoldTest, ...]:
    """Return every combination of test and correction that the folds of k algorithms allow.

    `df` is that of `Settings`, for Tukey's test.

    Examples
    --------
    >>> [one.name for one in fold_tests_of(2, 0.1, 10, five_by_two=False)][:2]
    ['Tukey', 'Tukey, overlap ignored']
    """
    tests = [
        test
        for test in _OWN
        if (test not in CORRECTED or test_fraction) and (test != "5x2 cv F" or five_by_two)
        if not redundant(test, n_results)
    ]

    def corrections(test: str) -> list[str]:
        allowed = ["none"] if k == 2 else [*corrections_for(test)]
        return [name for name in allowed if name != "bergmann_hommel" or k <= LARGEST_LISTED]

    pooling_tests = (TUKEY, IGNORED) if test_fraction else (TUKEY,)
    return (
        *(FoldTest(test, "", test_fraction, df) for test in pooling_tests),
        *(FoldTest(test, name, test_fraction) for test in tests for name in corrections(test)),
    )


def null_folds(
    rng: np.random.Generator, tables: np.ndarray, correlation: float, n: int
) -> np.ndarray:
    """Return simulated folds with no difference between algorithms, (..., draw, fold, algorithm).

    Notes
    -----
    Changing the signs of the deviations seen would keep the spread of every draw nearly the same, where
    that of new folds varies: with a part that all folds share, a corrected t test would then reject 0.03
    on 5 x 2 folds and 0.04 on ten, where its true level is 0.05.
    """
    folds = tables.shape[-2]
    parts = tables - tables.mean(axis=-2, keepdims=True)
    triangle = np.asarray(np.linalg.qr(parts, mode="r")) / np.sqrt(folds - 1)
    root = np.expand_dims(triangle, -3)
    shape = (*tables.shape[:-2], n)
    own = rng.normal(size=(*shape, folds, root.shape[-2]))
    shared = rng.normal(size=(*shape, 1, root.shape[-2]))
    return (own + np.sqrt(correlation / (1 - correlation)) * shared) @ root


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldWorlds(Worlds):
    """Null model of the folds of one data set, with every test on folds."""

    matrix: np.ndarray
    tests: tuple[FoldTest, ...]
    correlation: float
    dataset: str

    def worlds(self) -> tuple[str, ...]:
        """Return the null models that are simulated, keys of `WORLDS`."""
        return ("folds",)

    def names(self) -> list[tuple[str, bool]]:
        """Return each procedure, and whether it adjusts for a family."""
        return [(test.name, test.correction != "none") for test in self.tests]

    def about(self) -> dict:
        """Return the fields of `LevelOnDesign` that describe the results."""
        return {
            "n": len(self.matrix),
            "noun": "fold",
            "correlation": self.correlation,
            "dataset": self.dataset,
        }

    def draw(self, rng: np.random.Generator, n: int) -> Sums:
        """Return the numbers of rejected hypotheses and families, by test.

        "again" is the rejection rate of the pooling tests in simulations based on each draw, "twice" the
        rate of rejecting in two of these.
        """
        values = null_folds(rng, self.matrix, self.correlation, n)
        raw_pvalues: dict[str, np.ndarray] = {}
        rejects = np.stack(
            [significant(test.adjusted(values, raw_pvalues), self.alpha) for test in self.tests]
        )
        sums: Sums = {}
        add_wrong(sums, "folds", rejects, np.ones(rejects.shape[1:], dtype=bool))
        size = min(_AGAIN, max(2, _CELLS // values.size))
        inner = null_folds(rng, values, self.correlation, size)
        share = np.stack(
            [_any_by_tukey(inner, test, self.alpha).mean(axis=1) for test in self._pool]
        )
        both = share * (share * size - 1) / (size - 1)
        return sums | {"again": share.sum(axis=1), "twice": both.sum(axis=1)}

    @property
    def _pool(self) -> list[FoldTest]:
        """The tests that pool the variance over all pairs; they come first."""
        return [test for test in self.tests if test.test in (TUKEY, IGNORED)]

    def levels(self, sums: Sums, world: str, n: int) -> pd.DataFrame:
        """Return the error rates, those of pooling tests corrected for the small number of folds.

        Only the family-wise error is corrected; the share of rejected pairs is as simulated.
        """
        frame, pooled = super().levels(sums, world, n), range(len(self._pool))
        again = sums["again"] / n
        of_folds = np.maximum(sums["twice"] / n - again**2, 0)  # variance between draws
        family, error = frame.loc[pooled, "family"], frame.loc[pooled, "family se"]
        frame.loc[pooled, "family"] = (2 * family - again).clip(0, 1)
        # the standard error of the corrected rate is at most twice that of the simulated one
        frame.loc[pooled, "family se"] = np.sqrt(4 * error**2 + 4 * of_folds)
        return frame


def _pvalues(values: np.ndarray, fold_test: FoldTest) -> np.ndarray:
    """Return unadjusted p-values (Tukey's are adjusted), draw x pair."""
    draws, n, k = values.shape
    test, fraction = fold_test.test, fold_test.test_fraction
    if test in (TUKEY, IGNORED):
        return _tukey(values, fold_test)
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
            factor = overlap_factor(n, fraction if test in CORRECTED else None)
            df = corrected_df(n, n - 1) if test == CONSERVATIVE else n - 1
            error = differences.std(axis=1, ddof=1) * np.sqrt(factor / n)
            p = 2 * stats.t.sf(np.abs(differences.mean(axis=1)) / error, df)
    return np.where(np.isnan(p), 1.0, p)  # the two algorithms are identical


def _steps(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return signed dense ranks of the absolute differences, draw x pair x fold."""
    x, y = (side.swapaxes(1, 2).reshape(-1, side.shape[1]) for side in (first, second))
    signs = np.where(ties_mask(x, y), 0, np.sign(x - y)).astype(int)
    sizes = np.where(signs == 0, 0.0, np.abs(x - y))
    groups = tie_groups(sizes, np.maximum(np.abs(x), np.abs(y)).max(axis=1))
    return (signs * (groups + 1)).reshape(len(first), first.shape[2], first.shape[1])


def _tukey(values: np.ndarray, test: FoldTest) -> np.ndarray:
    n, k = values.shape[-2:]
    rows, columns = np.triu_indices(k, 1)
    means, unit, df = _pooled(values, test)
    q = np.abs(means[:, rows] - means[:, columns]) / unit[:, None]
    return studentized_range_sf(q.ravel(), k, df).reshape(q.shape)


def _any_by_tukey(values: np.ndarray, test: FoldTest, alpha: float) -> np.ndarray:
    """Return whether Tukey's test rejects for any pair, for values (..., fold, algorithm)."""
    means, unit, df = _pooled(values, test)
    return np.ptp(means, axis=-1) >= studentized_range_isf(alpha, values.shape[-1], df) * unit


def _pooled(values: np.ndarray, test: FoldTest) -> tuple[np.ndarray, np.ndarray, int]:
    """Return means (..., algorithm), their pooled standard error, and the degrees of freedom."""
    n, k = values.shape[-2:]
    means = values.mean(axis=-2)
    residuals = values - means[..., None, :] - values.mean(axis=-1, keepdims=True)
    residuals += means.mean(axis=-1)[..., None, None]
    df = (k - 1) * (n - 1)
    error = np.einsum("...ij,...ij->...", residuals, residuals) / df
    fraction = test.test_fraction if test.test == TUKEY else None
    published = fraction is None or test.df == "published"
    used = df if published else corrected_df(n, df)
    return means, np.sqrt(error / n * overlap_factor(n, fraction)), used
