"""Simulated type I error rates of all tests at level 0.05.

Run with ``python -m benchmarks.simulated_error_rates folds|variances|datasets|times|discoveries
[repetitions]``; each takes a few minutes.

* ``folds``: results of one algorithm are x_j = sqrt(f) g + sqrt(1 - f) e_j, g and e_j standard normal, f the share of instances that
  is tested, so that any two folds correlate by f. Covers every test on folds, and McNemar's.
* ``variances``: the same where one algorithm varies more, for the default test (the conservative corrected t test of each pair with
  Bergmann and Hommel's procedure), for the published degrees of freedom, and for Tukey's test. In
  the second half another algorithm is far better, so that the procedure can use that its pairs
  differ.
* ``datasets``: results are independent and normal, with the same mean and variance for all algorithms, except for
  those that the name of a simulation mentions.
* ``times``: the errors of two models on instances in the order of time are independent moving averages of h normal numbers, as those
  of optimal predictions h steps ahead, or autoregressive. Squared errors are compared by the
  Diebold-Mariano test and by permutations.
* ``discoveries``: the false discovery rate of Benjamini and Hochberg's procedure over data sets, on folds and on
  instances. The last algorithms are better than the others by `SHIFT` standard errors of a
  difference, or by 100.

On the first samples p-values and decisions are compared with those of `stats_core`.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats
from scipy.signal import lfilter

from benchmarks import vectorized_tests as vectorized
from benchmarks.benchmark_row import print_rates, results_of
from stats_core.comparison.analyse import analyse
from stats_core.core.validation import significant
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference import paired
from stats_core.inference.anova import anova, tukey
from stats_core.inference.assumptions import LEAST, symmetric_differences
from stats_core.inference.multiplicity.adjust import FALSE_DISCOVERY, adjust_rows
from stats_core.inference.multiplicity.bergmann_hommel import bergmann_hommel_rows
from stats_core.inference.multivariate.hotelling import hotelling_paired
from stats_core.inference.multivariate.manova import manova
from stats_core.inference.paired.forecast_test import diebold_mariano
from stats_core.inference.paired.instance_tests import swap_test
from stats_core.power.simulated_power import Experiments, Procedure, compared_pairs

N_CHECKED, BATCH = 2, 500  # samples compared with `analyse`, and simulated at once
FAR = 100.0  # difference that is always detected
Rows = Iterator[tuple[str, str, float]]  # design, test, share of samples that reject


# ---- tests on folds


@dataclass(frozen=True)
class ResamplingDesign:
    """Resampling design: n results with pairwise correlation `fraction`."""

    name: str
    n: int
    fraction: float
    hint: str | None = None  # design that a file declares

    @property
    def factor(self) -> float:
        """Factor by which overlap inflates the variance of a mean."""
        return paired.overlap_factor(self.n, self.fraction)

    def draw(self, repetitions: int, algorithms: int, rng: np.random.Generator) -> np.ndarray:
        """Return results of identical algorithms, repetition x fold x algorithm."""
        shared = rng.standard_normal((repetitions, 1, algorithms))
        independent = rng.standard_normal((repetitions, self.n, algorithms))
        return np.sqrt(self.fraction) * shared + np.sqrt(1 - self.fraction) * independent

    def variants(self) -> tuple[tuple[str, float, float | None], ...]:
        """Return (label, variance factor, test fraction or None) without and with the correction for overlap."""
        return ("independent folds", 1.0, None), ("corrected", self.factor, self.fraction)


TEN_FOLD = ResamplingDesign("10-fold", 10, 0.1)
TEN_BY_TEN = ResamplingDesign("10 x 10-fold", 100, 0.1)
THIRDS = ResamplingDesign("30 partitions, 1/3 tested", 30, 1 / 3)
FIVE_BY_TWO = ResamplingDesign("5x2", 10, 0.5)
PARTITIONS = ResamplingDesign("30 partitions, 10% tested", 30, 0.1, "holdout")


def _rejects(test: str, p: np.ndarray, library: Callable[[int], float], n: int = 100) -> float:
    """Return the rejection rate, after checking that the first n p-values equal the library's."""
    vectorized.check(test, p[:n], [library(i) for i in range(min(n, len(p)))])
    return float((p <= vectorized.ALPHA).mean())


def _two_algorithms(design: ResamplingDesign, repetitions: int, rng: np.random.Generator) -> Rows:
    """Yield the rates of the tests of two algorithms."""
    x = design.draw(repetitions, 2, rng)
    d, n = x[:, :, 0] - x[:, :, 1], design.n
    corrected = partial(paired.corrected_t, test_fraction=design.fraction)
    conservative = partial(corrected, max_df=paired.conservative_df(n))
    tests = {
        "paired t": (vectorized.t_pvalues(d, n - 1), paired.paired_t),
        "corrected t": (vectorized.t_pvalues(d, n - 1, design.factor), corrected),
        "corrected t, conservative": (
            vectorized.t_pvalues(d, paired.corrected_df(n, n - 1), design.factor),
            conservative,
        ),
        "sign test": (vectorized.sign_pvalues(d), paired.sign_test),
    }
    if n <= 60:
        tests["Wilcoxon"] = (vectorized.wilcoxon_pvalues(d), paired.wilcoxon)
    if n <= 14:
        tests["sign flips"] = (vectorized.sign_flip_pvalues(d), paired.sign_flip_test)
    for test, (p, function) in tests.items():
        yield (
            design.name,
            test,
            _rejects(test, p, lambda i, f=function: f(d[i], np.zeros(n)).pvalue),
        )
    if design is FIVE_BY_TWO:
        library = (paired.cv52_t, paired.cv52_f, paired.cv52_combined_t)
        for (test, p), function in zip(vectorized.five_by_two(d).items(), library, strict=True):
            yield (
                design.name,
                test,
                _rejects(test, p, lambda i, f=function: f(d[i].reshape(5, 2)).pvalue),
            )


def _several_algorithms(
    design: ResamplingDesign, algorithms: int, repetitions: int, rng: np.random.Generator
) -> Rows:
    """Yield the rates of ANOVA and Tukey's test, with and without the overlap factor."""
    x = design.draw(repetitions, algorithms, rng)
    f, _, (df1, df2) = vectorized.anova_f(x)
    for label, factor, fraction in design.variants():
        df = df2 if fraction is None else paired.corrected_df(design.n, df2)
        options = {
            "test_fraction": fraction,
            "max_df": fraction and paired.conservative_df(design.n),
        }
        p = stats.f.sf(f / factor, df1, df)
        share = _rejects("ANOVA", p, lambda i, o=options: anova(pd.DataFrame(x[i]), **o).pvalue)
        yield design.name, f"blocked ANOVA of {algorithms}, {label}", share
        rejects = vectorized.tukey_rejects(x, df, factor)
        vectorized.check(
            "Tukey",
            rejects[:20],
            [
                tukey(pd.DataFrame(sample), **options).pvalue <= vectorized.ALPHA
                for sample in x[:20]
            ],
        )
        yield design.name, f"Tukey of {algorithms}, {label}", rejects.mean()


def _several_measures(
    design: ResamplingDesign, measures: int, repetitions: int, rng: np.random.Generator
) -> Rows:
    """Yield the rates of Hotelling's test of two algorithms, with and without the overlap factor."""
    x = np.stack([design.draw(repetitions, 2, rng) for _ in range(measures)], axis=-1)
    d = x[:, :, 0] - x[:, :, 1]
    for label, factor, fraction in design.variants():
        df = (
            design.n - 1
            if fraction is None
            else paired.corrected_df(design.n, design.n - 1, measures)
        )
        test = partial(hotelling_paired, y=np.zeros(d.shape[1:]), test_fraction=fraction, max_df=df)
        share = _rejects(
            "Hotelling",
            vectorized.hotelling_pvalues(d, df, factor),
            lambda i, test=test: test(d[i]).pvalue,
        )
        yield design.name, f"Hotelling of {measures} measures, {label}", share


def _manovas(
    design: ResamplingDesign, algorithms: int, repetitions: int, rng: np.random.Generator
) -> Rows:
    """Yield the rates of blocked MANOVA on two measures, with and without the overlap factor."""
    x = np.stack([design.draw(repetitions, algorithms, rng) for _ in range(2)], axis=-1)
    for label, factor, fraction in design.variants():
        p = vectorized.manova_pvalues(x, (algorithms - 1) * (design.n - 1), factor)
        share = _rejects(
            "MANOVA", p, lambda i, f=fraction: manova(x[i].swapaxes(0, 1), test_fraction=f).pvalue
        )
        yield design.name, f"MANOVA of {algorithms}, {label}", share


def _instances(repetitions: int, rng: np.random.Generator) -> Rows:
    """Yield the rate of McNemar's exact test on 500 instances, both classifiers with error 0.1."""
    hard = rng.random((repetitions, 500)) < 0.05
    first_wrong, second_wrong = (hard | (rng.random((repetitions, 500)) < 0.05) for _ in range(2))
    b, c = (first_wrong & ~second_wrong).sum(axis=1), (~first_wrong & second_wrong).sum(axis=1)
    p = np.minimum(1, 2 * stats.binom.cdf(np.minimum(b, c), b + c, 0.5))
    share = _rejects("McNemar", p, lambda i: paired.mcnemar(first_wrong[i], second_wrong[i]).pvalue)
    yield "500 cases", "McNemar, exact", share


def fold_rates(repetitions: int = 10_000) -> pd.DataFrame:
    """Print and return the rejection rate of every test on every design."""
    rng, start = np.random.default_rng(20061), time.perf_counter()
    rows = [
        row
        for design in (TEN_FOLD, TEN_BY_TEN, THIRDS, FIVE_BY_TWO)
        for row in _two_algorithms(design, repetitions, rng)
    ]
    independent = vectorized.five_by_two(
        rng.standard_normal((repetitions, 10))
    )  # as the authors of the 5x2 tests assume
    rows += [
        ("5x2, independent", test, (p <= vectorized.ALPHA).mean())
        for test, p in independent.items()
    ]
    for design, algorithms in ((TEN_FOLD, 3), (TEN_FOLD, 8), (TEN_BY_TEN, 8)):
        rows += _several_algorithms(design, algorithms, repetitions, rng)
    for design, measures in ((TEN_FOLD, 2), (TEN_FOLD, 4), (TEN_BY_TEN, 2)):
        rows += _several_measures(design, measures, repetitions, rng)
    rows += _manovas(TEN_FOLD, 8, repetitions, rng)
    rows += _instances(repetitions, rng)
    table = pd.DataFrame(rows, columns=["design", "test", "rejects"])
    print_rates(
        ["design", "test", "rejects"], table.set_index(["design", "test"]), repetitions, start
    )
    return table


# ---- unequal variances on folds


def check_decisions(
    what: str, results: Results, settings: Settings, true: np.ndarray, rejects: bool
) -> None:
    """Exit if `analyse` disagrees on whether any true hypothesis is rejected."""
    names = list(results.algorithms)
    p = (
        analyse(results, settings)
        .adjusted.loc[names, names]
        .to_numpy()[np.triu_indices(len(names), 1)]
    )
    vectorized.check(what, [rejects], [significant(p[true], vectorized.ALPHA).any()])


def fold_results(sample: np.ndarray, design: ResamplingDesign) -> Results:
    """Return one sample as results read from a file."""
    n_folds = {"5x2": 2, "10-fold": 10, "10 x 10-fold": 10}.get(design.name, len(sample))
    table = pd.DataFrame(sample, columns=[f"a{i}" for i in range(sample.shape[1])])
    numbers = np.arange(len(sample))
    table = table.assign(
        dataset="sample", repetition=numbers // n_folds + 1, fold=numbers % n_folds + 1
    )
    if design.hint == "holdout":
        tested = round(200 * design.fraction)
        table = table.assign(n_train=200 - tested, n_test=tested)
    keys = [name for name in table if not name.startswith("a")]
    long = table.melt(keys, var_name="algorithm", value_name="error")
    return Results.from_frame(long, directions={"error": "lower"}, design_hint=design.hint)


def variance_decisions(
    x: np.ndarray, design: ResamplingDesign, true: np.ndarray
) -> dict[str, np.ndarray]:
    """Return whether each procedure rejects any true hypothesis, per repetition; the default first."""

    def corrected_t(df: int) -> np.ndarray:
        p = bergmann_hommel_rows(
            vectorized.t_pvalues(vectorized.pair_differences(x), df, design.factor)
        )
        return significant(p[:, true], vectorized.ALPHA).any(axis=1)

    df = paired.corrected_df(design.n, design.n - 1)
    decisions = {"corrected t, conservative": corrected_t(df)} if df < design.n - 1 else {}
    tukey_df = paired.corrected_df(design.n, (x.shape[2] - 1) * (design.n - 1))
    decisions["corrected t"] = corrected_t(design.n - 1)
    return decisions | {"Tukey": vectorized.tukey_rejects(x, tukey_df, design.factor, true)}


def variance_row(
    design: ResamplingDesign,
    k: int,
    variance: int,
    far: bool,
    repetitions: int,
    rng: np.random.Generator,
) -> dict:
    """Return false rejection rates by procedure if one algorithm has another variance."""
    true, sums = np.triu_indices(k, 1)[1] < k - far, dict[str, float]()
    for start in range(0, repetitions, BATCH):
        x = design.draw(min(BATCH, repetitions - start), k, rng)
        x[..., 0] *= sqrt(variance)
        x[..., -1] -= FAR * far
        decisions = variance_decisions(x, design, true)
        if not start:
            for sample, rejects in zip(x[:N_CHECKED], next(iter(decisions.values())), strict=False):
                results = fold_results(sample, design)
                check_decisions(
                    f"{design.name}, {k} algorithms",
                    results,
                    Settings(measure="error"),
                    true,
                    rejects,
                )
        for procedure, rejected in decisions.items():
            sums[procedure] = sums.get(procedure, 0.0) + rejected.sum() / repetitions
    return {"design": design.name, "algorithms": k, "variance": variance, "far": far, **sums}


def variance_rates(repetitions: int = 10_000) -> pd.DataFrame:
    """Print and return the family-wise error rates where one algorithm varies more."""
    rng, start = np.random.default_rng(20063), time.perf_counter()
    cases = product(
        (TEN_FOLD, TEN_BY_TEN, FIVE_BY_TWO, PARTITIONS), (3, 5, 8), (False, True), (1, 4, 10)
    )
    table = pd.DataFrame(
        [variance_row(d, k, variance, far, repetitions, rng) for d, k, far, variance in cases]
    )
    long = table.melt(["design", "algorithms", "variance", "far"], var_name="test").dropna()
    wide = long.pivot_table(
        "value", ["design", "algorithms", "test"], ["far", "variance"], sort=False
    )
    columns = [f"{'one far, ' if far else ''}variance {variance}" for far, variance in wide.columns]
    print_rates(["design", "algorithms", "test", *columns], wide, repetitions, start)
    return table


# ---- tests over data sets

PROCEDURES = (
    Procedure("wilcoxon", "bergmann_hommel"),
    Procedure("ranks", "bergmann_hommel"),
    Procedure("sign", "holm"),
)
NOISE = 10  # ratio of the larger to the other standard deviations
N_SYMMETRY = 200  # number of experiments tested for symmetry
# the median of an exponential minus a normal variable: P(E - c > Z) = 1/2, by quadrature
CENTRE = {1: 0.87580, 3: 0.74542}
Draw = Callable[[np.random.Generator, int, int, int], np.ndarray]


def equal(rng: np.random.Generator, runs: int, n: int, k: int) -> np.ndarray:
    """Return results of identical algorithms, repetition x data set x algorithm."""
    return rng.standard_normal((runs, n, k))


def half_noisy(rng: np.random.Generator, runs: int, n: int, k: int) -> np.ndarray:
    """Return results with a larger variance for every second algorithm."""
    x = equal(rng, runs, n, k)
    x[..., ::2] *= NOISE
    return x


def skewed(times: int) -> Draw:
    """Return a function that draws results, one algorithm's exponential of scale `times`; median differences are 0."""

    def draw(rng: np.random.Generator, runs: int, n: int, k: int) -> np.ndarray:
        x = equal(rng, runs, n, k)
        x[..., 0] = times * (rng.standard_exponential((runs, n)) - CENTRE[times])
        return x

    return draw


def one_far(rng: np.random.Generator, runs: int, n: int, k: int) -> np.ndarray:
    """Return results in which one algorithm is much better and half of the others are noisy."""
    x = half_noisy(rng, runs, n, k)
    x[..., -1] -= FAR
    return x


# name -> how results are drawn, and how many algorithms, the last ones, differ from all others
POPULATIONS: dict[str, tuple[Draw, int]] = {
    "all equal": (equal, 0),
    f"half of them with {NOISE} times the spread": (half_noisy, 0),
    "one skewed, of the same spread": (skewed(1), 0),
    "one skewed, 3 times the spread": (skewed(3), 0),
    f"one better, half of the others with {NOISE} times the spread": (one_far, 1),
}


def experiments(x: np.ndarray) -> Experiments:
    """Return the ranks and signed ranks of results without ties."""
    first, second = compared_pairs(x.shape[2], None)
    d = x[..., first] - x[..., second]
    sizes = np.abs(d).argsort(axis=1).argsort(axis=1) + 1
    return Experiments(
        ranks=2 * (x.argsort(axis=2).argsort(axis=2) + 1),
        steps=(np.sign(d) * sizes).astype(int),
        patterns=np.zeros(x.shape[:2], dtype=int),
        first=first,
        second=second,
    )


def dataset_decisions(x: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return whether any true hypothesis is rejected, procedure x experiment."""
    tests, m = experiments(x), len(true)
    if true.all():  # each procedure rejects if the smallest p is at most alpha / m
        return np.stack(
            [
                significant(tests.pvalues(p.test).min(axis=1), vectorized.ALPHA / m)
                for p in PROCEDURES
            ]
        )
    adjusted = tests.adjusted(PROCEDURES)
    return np.stack(
        [
            significant(adjusted[procedure][:, true], vectorized.ALPHA).any(axis=1)
            for procedure in PROCEDURES
        ]
    )


def check_datasets(x: np.ndarray, true: np.ndarray) -> None:
    """Exit if the decisions of `analyse` differ."""
    for sample, decisions in zip(x, dataset_decisions(x, true).T, strict=True):
        results = results_of(pd.DataFrame(sample).add_prefix("a"))
        for procedure, rejects in zip(PROCEDURES, decisions, strict=True):
            settings = Settings(source=procedure.source, correction=procedure.correction)
            check_decisions(procedure.name, results, settings, true, rejects)


def asymmetry(x: np.ndarray) -> float:
    """Return the share of experiments in which the symmetry test rejects for any pair."""
    pairs = list(zip(*compared_pairs(x.shape[2], None), strict=True))
    smallest = [
        min(symmetric_differences(scores[:, i], scores[:, j]).pvalue for i, j in pairs)
        for scores in x
    ]
    return float(np.mean(np.array(smallest) <= vectorized.ALPHA / len(pairs)))


def dataset_row(
    population: str, k: int, n: int, repetitions: int, rng: np.random.Generator
) -> dict:
    """Return the error rates of one population and table size."""
    draw, differing = POPULATIONS[population]
    true, rates, asymmetric = compared_pairs(k, None)[1] < k - differing, [], float("nan")
    for start in range(0, repetitions, BATCH):
        x = draw(rng, min(BATCH, repetitions - start), n, k)
        if not start:
            check_datasets(x[:N_CHECKED], true)
            if n >= LEAST and not differing:
                asymmetric = asymmetry(x[:N_SYMMETRY] if k <= 5 else x[: N_SYMMETRY // 4])
        rates.append(dataset_decisions(x, true).mean(axis=1) * len(x))
    row = {"population": population, "algorithms": k, "data sets": n}
    row |= zip(
        (procedure.name for procedure in PROCEDURES),
        np.sum(rates, axis=0) / repetitions,
        strict=True,
    )
    return row | {"asymmetry detected": asymmetric}


def dataset_rates(repetitions: int = 5000) -> pd.DataFrame:
    """Print and return the family-wise error rate of every procedure in every population."""
    rng, start = np.random.default_rng(20062), time.perf_counter()
    cases = product(POPULATIONS, (3, 5, 10), (8, 10, 20, 40))
    table = pd.DataFrame(
        [dataset_row(population, k, n, repetitions, rng) for population, k, n in cases]
    )
    wide = table.pivot_table(
        list(table.columns[3:]), ["population", "algorithms"], "data sets", sort=False
    )
    columns = [f"{name}, {n} data sets" for name, n in wide.columns]
    print_rates(["population", "algorithms", *columns], wide, repetitions, start)
    return table


# ---- instances in the order of time


def time_rejections(
    filters: tuple[list[float], list[float]], n: int, rng: np.random.Generator
) -> list[bool]:
    """Return whether the tests reject for n errors of two models: horizons 1, 2, 4 and 8, then permutations."""
    losses = lfilter(*filters, rng.normal(size=(2, n + 200)))[:, 200:] ** 2
    tests = [diebold_mariano(*losses, horizon=horizon) for horizon in (1, 2, 4, 8)]
    tests.append(
        swap_test("mean", np.ones(n, dtype=bool), *losses, draws=499, rng=int(rng.integers(2**31)))
    )
    return [test.pvalue <= vectorized.ALPHA for test in tests]


def time_rates(repetitions: int = 2000) -> pd.DataFrame:
    """Print and return the type I error rates for errors correlated in time."""
    rng, start, rows = np.random.default_rng(20262), time.perf_counter(), {}
    filters = {f"moving average of {h}": ([1.0] * h, [1.0]) for h in (1, 2, 4)}
    filters |= {f"autoregressive, {rho}": ([1.0], [1.0, -rho]) for rho in (0.3, 0.6, 0.9)}
    for (name, filter_), n in product(filters.items(), (50, 200)):
        rows[name, n] = np.mean(
            [time_rejections(filter_, n, rng) for _ in range(repetitions)], axis=0
        )
    columns = [*(f"horizon {horizon}" for horizon in (1, 2, 4, 8)), "permutations"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    print_rates(["errors", "instances", *columns], table, repetitions, start)
    return table


# ---- false discovery rate

SHIFT = 3  # standard errors of the difference of two algorithms
CORRECT = 0.7  # accuracy of the worse models on instances
Means = tuple[
    int, float, bool
]  # number of better algorithms, standard errors by which they are, every second one noisy
MEANS: dict[str, Callable[[int], Means]] = {
    "no difference": lambda k: (0, 0, False),
    "one better": lambda k: (1, SHIFT, False),
    "half better": lambda k: (k // 2, SHIFT, False),
    "half much better": lambda k: (k // 2, FAR, False),
    f"half of them with {NOISE} times the spread": lambda k: (0, 0, True),
    f"half of them better, half with {NOISE} times the spread": lambda k: (k // 2, SHIFT, True),
}


def shifted(x: np.ndarray, means: Means, error: float) -> np.ndarray:
    """Return results in which the last algorithms have smaller values, by a number of errors, and some larger spread."""
    better, shift, noisy = means
    x = x * np.where(noisy & (np.arange(x.shape[2]) % 2 == 0), NOISE, 1)
    return x - shift * error * (np.arange(x.shape[2]) >= x.shape[2] - better)


def correct_answers(
    rng: np.random.Generator, runs: int, n: int, k: int, means: Means
) -> np.ndarray:
    """Return whether models classify instances correctly; noisy models do so independently of the instance."""
    better, shift, noisy = means
    error = sqrt(CORRECT * (1 - CORRECT) / n) / stats.norm.pdf(stats.norm.isf(CORRECT))
    own = rng.standard_normal((runs, n, k))
    share = np.where(
        noisy & (np.arange(k) % 2 == 0), 0.0, 0.5
    )  # of the variance common to all models
    latent = np.sqrt(share) * rng.standard_normal((runs, n, 1)) + np.sqrt(1 - share) * own
    return latent + shift * error * (np.arange(k) >= k - better) > stats.norm.isf(CORRECT)


def mcnemar_pvalues(right: np.ndarray) -> np.ndarray:
    """Return the p-values of McNemar's exact test, sample x pair."""
    d = vectorized.pair_differences(right.astype(np.int8))
    b, c = (d > 0).sum(axis=2), (d < 0).sum(axis=2)
    return np.where(b == c, 1, np.minimum(1, 2 * stats.binom.cdf(np.minimum(b, c), b + c, 0.5)))


def discovery_pvalues(
    design: str, n: int, k: int, means: Means, runs: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Return the unadjusted p-values of each test of a design, sample x pair, and check them on the first samples."""
    if design == "data sets":
        x = shifted(equal(rng, runs, n, k), means, sqrt(2 / n))
        pvalues = {test: experiments(x).pvalues(test) for test in ("wilcoxon", "ranks")}
        settings, tables = (
            Settings(source="wilcoxon"),
            [results_of(pd.DataFrame(sample).add_prefix("a")) for sample in x[:N_CHECKED]],
        )
    elif design == "folds":
        x = shifted(
            TEN_FOLD.draw(runs, k, rng),
            means,
            sqrt(2 / n * TEN_FOLD.factor * (1 - TEN_FOLD.fraction)),
        )
        pvalues = {
            "corrected t": vectorized.t_pvalues(
                vectorized.pair_differences(x), n - 1, TEN_FOLD.factor
            )
        }
        settings, tables = Settings(), [fold_results(sample, TEN_FOLD) for sample in x[:N_CHECKED]]
    else:
        right = correct_answers(rng, runs, n, k, means)
        pvalues, settings, tables = {"McNemar": mcnemar_pvalues(right)}, Settings(), []
        for sample, p in zip(right[:N_CHECKED], pvalues["McNemar"], strict=False):
            pairs = zip(*np.triu_indices(k, 1), strict=True)
            vectorized.check(
                "McNemar", p, [paired.mcnemar(sample[:, i], sample[:, j]).pvalue for i, j in pairs]
            )
    for results, p in zip(tables, next(iter(pvalues.values())), strict=False):
        names = list(results.algorithms)
        library = (
            analyse(results, replace(settings, correction=FALSE_DISCOVERY))
            .adjusted.loc[names, names]
            .to_numpy()[np.triu_indices(k, 1)]
        )
        vectorized.check(design, adjust_rows(p[None], FALSE_DISCOVERY)[0], library)
    return pvalues


def discoveries(p: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return per sample the false share of the rejections, whether any is false, and the power of two procedures."""
    rejects, holm = (
        significant(adjust_rows(p, name), vectorized.ALPHA) for name in (FALSE_DISCOVERY, "holm")
    )
    false = rejects & true
    power = [
        decisions[:, ~true].sum(axis=1) / max((~true).sum(), 1) for decisions in (rejects, holm)
    ]
    return np.column_stack(
        [false.sum(axis=1) / np.maximum(rejects.sum(axis=1), 1), false.any(axis=1), *power]
    )


def discovery_rates(repetitions: int = 4000) -> pd.DataFrame:
    """Print the highest false discovery rate of each test over `MEANS`, and return all rates with standard errors."""
    rng, start, rows = np.random.default_rng(20064), time.perf_counter(), []
    sizes = (
        ("data sets", 10),
        ("data sets", 30),
        ("folds", 10),
        ("instances", 100),
        ("instances", 500),
    )
    for (design, n), k, (population, means) in product(sizes, (3, 5, 10), MEANS.items()):
        better, shift, noisy = means(k)
        first, second = np.triu_indices(k, 1)
        true, against_first = (first >= k - better) == (second >= k - better), first == 0
        parts: dict[tuple[str, str], list[np.ndarray]] = {}
        for done in range(0, repetitions, BATCH):
            runs = min(BATCH, repetitions - done)
            for test, p in discovery_pvalues(
                design, n, k, (better, shift, noisy), runs, rng
            ).items():
                parts.setdefault((test, "all pairs"), []).append(discoveries(p, true))
                parts.setdefault((test, "control"), []).append(
                    discoveries(p[:, against_first], true[against_first])
                )
        for key, values in parts.items():
            samples = np.concatenate(values)
            error = samples[:, 0].std() / sqrt(len(samples))
            rows.append(
                (f"{n} {design}", key[0], k, key[1], population, error, *samples.mean(axis=0))
            )
    names = [
        "size",
        "test",
        "algorithms",
        "compared",
        "population",
        "error",
        "FDR",
        "FWER",
        "power",
        "power of Holm",
    ]
    table = pd.DataFrame(rows, columns=names)
    by = ["size", "test", "algorithms"]
    highest = table.pivot_table(["FDR", "FWER"], by, "compared", aggfunc="max", sort=False)
    highest.columns = [f"{rate}, {compared}" for rate, compared in highest.columns]
    half = table[
        (table["population"] == "half better") & (table["compared"] == "all pairs")
    ].set_index(by)
    wide = highest.join(half[["power", "power of Holm"]])
    print_rates([*by, *wide], wide, repetitions, start)
    print("largest standard error of a false discovery rate:", round(table["error"].max(), 4))
    return table


SIMULATIONS = {
    "folds": fold_rates,
    "variances": variance_rates,
    "datasets": dataset_rates,
    "times": time_rates,
    "discoveries": discovery_rates,
}

if __name__ == "__main__":
    if sys.argv[1:2] == [] or sys.argv[1] not in SIMULATIONS:
        sys.exit(__doc__)
    SIMULATIONS[sys.argv[1]](*map(int, sys.argv[2:3]))
