"""How often do the tests on folds reject when nothing differs? Simulated type I error at 0.05.

Run with ``python -m benchmarks.simulated_folds [repetitions]``; 10,000 repetitions take well under
a minute. Results of one algorithm are x_j = sqrt(f) g + sqrt(1 - f) e_j, g and e_j standard normal,
f the share of cases that is tested: so any two folds correlate by f. Every test is computed for all
repetitions at once; on the first hundred its p-values are compared with those of `stats_core`.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.inference.anova import anova, tukey
from stats_core.inference.distributions import studentized_range_isf
from stats_core.inference.multivariate.hotelling import hotelling_paired
from stats_core.inference.multivariate.manova import manova
from stats_core.inference.paired import (
    conservative_df,
    corrected_df,
    corrected_t,
    cv52_combined_t,
    cv52_f,
    cv52_t,
    mcnemar,
    overlap_factor,
    paired_t,
    sign_flip_test,
    sign_test,
    wilcoxon,
)

ALPHA = 0.05
CHECKED = 100


@dataclass(frozen=True)
class ResamplingDesign:
    """A resampling design: J results of which any two correlate by `fraction`."""

    name: str
    n: int
    fraction: float

    @property
    def factor(self) -> float:
        """Factor by which overlap inflates the variance of a mean."""
        return overlap_factor(self.n, self.fraction)


TEN_FOLD = ResamplingDesign("10-fold", 10, 0.1)
TEN_BY_TEN = ResamplingDesign("10 x 10-fold", 100, 0.1)
THIRDS = ResamplingDesign("30 partitions, 1/3 tested", 30, 1 / 3)
FIVE_BY_TWO = ResamplingDesign("5x2", 10, 0.5)


def simulate(design: ResamplingDesign, repetitions: int, algorithms: int, rng) -> np.ndarray:
    """Return results, repetition x fold x algorithm, of algorithms that do not differ."""
    shared = rng.standard_normal((repetitions, 1, algorithms))
    independent = rng.standard_normal((repetitions, design.n, algorithms))
    return np.sqrt(design.fraction) * shared + np.sqrt(1 - design.fraction) * independent


def t_pvalues(d: np.ndarray, factor: float = 1.0, *, conservative: bool = False) -> np.ndarray:
    """Return two-sided p-values of the (corrected) paired t test; d is repetition x fold."""
    n = d.shape[1]
    df = corrected_df(n, n - 1) if conservative else n - 1
    t = d.mean(axis=1) / (d.std(axis=1, ddof=1) * np.sqrt(factor / n))
    return 2 * stats.t.sf(np.abs(t), df)


def flip_pvalues(d: np.ndarray) -> np.ndarray:
    """Return two-sided p-values of the sign-flip test over all sign choices."""
    choices = np.arange(2 ** d.shape[1])[:, None] >> np.arange(d.shape[1]) & 1
    sums = np.abs(d @ (2.0 * choices - 1).T)
    return (sums >= np.abs(d.sum(axis=1))[:, None] - 1e-9).mean(axis=1)


def wilcoxon_pvalues(d: np.ndarray) -> np.ndarray:
    """Return two-sided exact p-values of the signed-rank test, without ties."""
    n = d.shape[1]
    ranks = np.abs(d).argsort(axis=1).argsort(axis=1) + 1
    w = np.where(d > 0, ranks, 0).sum(axis=1)
    law = np.ones(1)
    for rank in range(1, n + 1):
        law = np.convolve(law, np.r_[0.5, np.zeros(rank - 1), 0.5])
    below, above = law.cumsum(), law[::-1].cumsum()[::-1]
    return np.minimum(1, 2 * np.minimum(below[w], above[w]))


def sign_pvalues(d: np.ndarray) -> np.ndarray:
    """Return two-sided p-values of the sign test, without ties."""
    wins = (d > 0).sum(axis=1)
    most = np.maximum(wins, d.shape[1] - wins)
    return np.minimum(1, 2 * stats.binom.sf(most - 1, d.shape[1], 0.5))


def five_by_two(d: np.ndarray) -> dict[str, np.ndarray]:
    """Return the p-values of the three 5x2 tests; d is repetition x 10."""
    pairs = d.reshape(-1, 5, 2)
    variances = pairs.var(axis=2) * 2
    scale = np.sqrt(variances.mean(axis=1))
    f = (d**2).sum(axis=1) / (2 * variances.sum(axis=1))
    return {
        "5x2 cv t": 2 * stats.t.sf(np.abs(d[:, 0]) / scale, 5),
        "5x2 cv F": stats.f.sf(f, 10, 5),
        "combined 5x2 cv t": 2 * stats.t.sf(np.abs(d.mean(axis=1)) * np.sqrt(10) / scale, 5),
    }


def anova_f(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Return blocked F, mean square error and df; x is repetition x fold x algorithm."""
    _, n, a = x.shape
    means, folds = x.mean(axis=1, keepdims=True), x.mean(axis=2, keepdims=True)
    grand = x.mean(axis=(1, 2), keepdims=True)
    error = ((x - means - folds + grand) ** 2).sum(axis=(1, 2)) / ((a - 1) * (n - 1))
    effect = n * ((means - grand) ** 2).sum(axis=(1, 2)) / (a - 1)
    return effect / error, error, (a - 1, (a - 1) * (n - 1))


def check(name: str, pvalues: np.ndarray, one: Callable[[int], float]) -> None:
    """Exit if the vectorised p-values are not those of the library."""
    theirs = np.array([one(i) for i in range(min(CHECKED, len(pvalues)))])
    if not np.allclose(theirs, pvalues[: len(theirs)], atol=1e-6):
        raise SystemExit(f"{name}: the simulation and stats_core disagree")


def two_samples(design: ResamplingDesign, repetitions: int, rng) -> list[tuple]:
    """Simulate the tests of two algorithms on one design."""
    x = simulate(design, repetitions, 2, rng)
    d, zero = x[:, :, 0] - x[:, :, 1], np.zeros(design.n)
    most = conservative_df(design.n)
    corrected = partial(corrected_t, test_fraction=design.fraction)
    tests = {
        "paired t": (t_pvalues(d), lambda i: paired_t(d[i], zero).pvalue),
        "corrected t": (t_pvalues(d, design.factor), lambda i: corrected(d[i], zero).pvalue),
        "corrected t, conservative": (
            t_pvalues(d, design.factor, conservative=True),
            lambda i: corrected(d[i], zero, max_df=most).pvalue,
        ),
        "sign test": (sign_pvalues(d), lambda i: sign_test(d[i], zero).pvalue),
    }
    if design.n <= 60:
        tests["Wilcoxon"] = (wilcoxon_pvalues(d), lambda i: wilcoxon(d[i], zero).pvalue)
    if design.n <= 14:
        tests["sign flips"] = (flip_pvalues(d), lambda i: sign_flip_test(d[i], zero).pvalue)
    if design is FIVE_BY_TWO:
        library = {"5x2 cv t": cv52_t, "5x2 cv F": cv52_f, "combined 5x2 cv t": cv52_combined_t}
        for name, p in five_by_two(d).items():
            tests[name] = (p, lambda i, name=name: library[name](d[i].reshape(5, 2)).pvalue)
    rows = []
    for name, (pvalues, library_pvalue) in tests.items():
        check(name, pvalues, library_pvalue)
        rows.append((design.name, name, (pvalues <= ALPHA).mean()))
    return rows


def independent_halves(repetitions: int, rng) -> list[tuple]:
    """Simulate the 5x2 tests on independent differences, as their authors assume."""
    d = rng.standard_normal((repetitions, 10))
    return [("5x2, independent", name, (p <= ALPHA).mean()) for name, p in five_by_two(d).items()]


def several(design: ResamplingDesign, algorithms: int, repetitions: int, rng) -> list[tuple]:
    """Simulate ANOVA and Tukey's test, with and without the overlap factor."""
    x = simulate(design, repetitions, algorithms, rng)
    f, error, df = anova_f(x)
    means = x.mean(axis=1)
    reach = means.max(axis=1) - means.min(axis=1)
    rows = []
    for factor, fraction, label in ((1.0, None, "independent folds"), (design.factor, design.fraction, "corrected")):
        error_df = df[1] if fraction is None else corrected_df(design.n, df[1])
        critical = studentized_range_isf(ALPHA, algorithms, error_df)
        p = stats.f.sf(f / factor, df[0], error_df)
        rejects = reach > critical * np.sqrt(error / design.n * factor)

        def table(i: int) -> pd.DataFrame:
            return pd.DataFrame(x[i])

        most = None if fraction is None else conservative_df(design.n)
        options = {"test_fraction": fraction, "max_df": most}
        check("ANOVA", p, lambda i, o=options: anova(table(i), **o).pvalue)
        library = [tukey(table(i), **options).pvalue <= ALPHA for i in range(20)]
        if library != rejects[:20].tolist():
            raise SystemExit("Tukey: the simulation and stats_core disagree")
        rows.append((design.name, f"blocked ANOVA of {algorithms}, {label}", (p <= ALPHA).mean()))
        rows.append((design.name, f"Tukey of {algorithms}, {label}", rejects.mean()))
    return rows


def several_measures(design: ResamplingDesign, p: int, repetitions: int, rng) -> list[tuple]:
    """Simulate Hotelling's test of two algorithms on p measures, with and without the factor."""
    x = np.stack([simulate(design, repetitions, 2, rng) for _ in range(p)], axis=-1)
    d = x[:, :, 0] - x[:, :, 1]
    n, mean = design.n, d.mean(axis=1)
    centred = d - mean[:, None]
    scatter = np.einsum("rni,rnj->rij", centred, centred) / (n - 1)
    t2 = n * np.einsum("ri,ri->r", mean, np.linalg.solve(scatter, mean[:, :, None])[:, :, 0])
    rows = []
    for factor, fraction, label in ((1.0, None, "independent folds"), (design.factor, design.fraction, "corrected")):
        spread = n - 1 if fraction is None else corrected_df(n, n - 1, p)
        error_df = spread + 1 - p
        pvalues = stats.f.sf(error_df / (p * spread) * t2 / factor, p, error_df)
        check(
            "Hotelling",
            pvalues,
            lambda i, t=fraction, v=spread: hotelling_paired(d[i], 0 * d[i], test_fraction=t, max_df=v).pvalue,
        )
        rows.append((design.name, f"Hotelling of {p} measures, {label}", (pvalues <= ALPHA).mean()))
    return rows


def manovas(design: ResamplingDesign, algorithms: int, repetitions: int, rng) -> list[tuple]:
    """Simulate blocked MANOVA on two measures (Wilks, exact F), with and without the factor."""
    x = np.stack([simulate(design, repetitions, algorithms, rng) for _ in range(2)], axis=-1)
    means, folds = x.mean(axis=1, keepdims=True), x.mean(axis=2, keepdims=True)
    grand = x.mean(axis=(1, 2), keepdims=True)
    residuals = (x - means - folds + grand).reshape(repetitions, -1, 2)
    effect = (means - grand)[:, 0]
    e = np.einsum("rni,rnj->rij", residuals, residuals)
    h = design.n * np.einsum("rai,raj->rij", effect, effect)
    roots = np.clip(np.linalg.eigvals(np.linalg.solve(e, h)).real, 0, None)
    v_h, v_e = algorithms - 1, (algorithms - 1) * (design.n - 1)
    rows = []
    for factor, fraction, label in ((1.0, None, "independent folds"), (design.factor, design.fraction, "corrected")):
        root = np.sqrt(1 / (1 + roots / factor).prod(axis=1))
        df1, df2 = 2 * v_h, 2 * (v_e - 1)
        pvalues = stats.f.sf((1 - root) / root * df2 / df1, df1, df2)
        check("MANOVA", pvalues, lambda i, t=fraction: manova(x[i].transpose(1, 0, 2), test_fraction=t).pvalue)
        rows.append((design.name, f"MANOVA of {algorithms}, {label}", (pvalues <= ALPHA).mean()))
    return rows


def cases(repetitions: int, rng) -> list[tuple]:
    """Simulate McNemar's exact test on 500 instances, both classifiers with error 0.1."""
    hard = rng.random((repetitions, 500)) < 0.05
    first_wrong, second_wrong = (hard | (rng.random((repetitions, 500)) < 0.05) for _ in range(2))
    b, c = (first_wrong & ~second_wrong).sum(axis=1), (~first_wrong & second_wrong).sum(axis=1)
    p = np.minimum(1, 2 * stats.binom.cdf(np.minimum(b, c), b + c, 0.5))
    check("McNemar", p, lambda i: mcnemar(first_wrong[i], second_wrong[i]).pvalue)
    return [("500 cases", "McNemar, exact", (p <= ALPHA).mean())]


def main(repetitions: int = 10_000) -> pd.DataFrame:
    """Print and return the share of rejections of every test on every design."""
    rng, start = np.random.default_rng(20061), time.perf_counter()
    rows = []
    for design in (TEN_FOLD, TEN_BY_TEN, THIRDS, FIVE_BY_TWO):
        rows += two_samples(design, repetitions, rng)
    rows += independent_halves(repetitions, rng)
    for algorithms in (3, 8):
        rows += several(TEN_FOLD, algorithms, repetitions, rng)
    rows += several(TEN_BY_TEN, 8, repetitions, rng)
    for measures in (2, 4):
        rows += several_measures(TEN_FOLD, measures, repetitions, rng)
    rows += several_measures(TEN_BY_TEN, 2, repetitions, rng)
    rows += manovas(TEN_FOLD, 8, repetitions, rng)
    rows += cases(repetitions, rng)
    table = pd.DataFrame(rows, columns=["design", "test", "rejects"])
    error = 2 * np.sqrt(ALPHA * (1 - ALPHA) / repetitions)
    print(table.to_string(index=False, float_format="{:.3f}".format))
    print(
        f"{repetitions:,} repetitions at {ALPHA}, two standard errors {error:.3f}, {time.perf_counter() - start:.0f} s"
    )
    return table


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
