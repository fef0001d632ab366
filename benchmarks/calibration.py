"""How often do the tests on folds name a difference between equally good learners?

Run with ``python -m benchmarks.calibration --data FOLDER [--samples 500] [--keep FOLDER]
[--only-kept]``. The features of a real data set are divided into four blocks, which are assigned to
the four algorithms at random, anew for every instance. All four are the same learner, each on its
own block; as the assignment is random, none can be better than another on new data, however much
they differ on one sample. Samples are resampled by every design, and judged at 0.05 by the default tests for two and for four algorithms, and by others beside them. All
samples are judged at once; on the first few of every design the decisions of the defaults are
compared with those of `stats_core`. What is drawn is kept in chunks of a hundred samples, so the
script can be run in pieces.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import exp, sqrt
from operator import methodcaller
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

from benchmarks.benchmark_row import markdown
from stats_core.comparison.analyse import analyse
from stats_core.core.significance import significant
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.distributions import studentized_range_isf
from stats_core.inference.paired import overlap_factor

ALGORITHMS = 4
SIZE = 200  # instances of one sample
_CLASSES = 3  # largest number of classes; with more, the blocks alone leave little to learn
_COMMON_TESTED = 100  # further instances of a common test set
Wrong = Callable[[np.ndarray, np.ndarray], np.ndarray]  # training, test -> algorithm x instance

sklearn.set_config(assume_finite=True, skip_parameter_validation=True)


def nearest(features: np.ndarray, labels: np.ndarray) -> Wrong:
    """Return the errors of 1-nearest neighbour."""
    squares = (features**2).sum(axis=2)
    away = squares[:, :, None] + squares[:, None, :] - 2 * features @ features.swapaxes(1, 2)

    def wrong(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        return labels[train[away[:, test][:, :, train].argmin(axis=2)]] != labels[test]

    return wrong


def naive_bayes(features: np.ndarray, labels: np.ndarray) -> Wrong:
    """Return the errors of Gaussian naive Bayes with variances smoothed by 0.01."""
    classes = np.arange(labels.max() + 1)

    def wrong(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        member = (labels[train] == classes[:, None]).astype(float)
        size = member.sum(axis=1)
        weights = member / np.maximum(size, 1)[:, None]
        means = weights @ features[:, train]
        spread = np.maximum(weights @ features[:, train] ** 2 - means**2, 0) + 0.01
        away = (features[:, test, None] - means[:, None]) ** 2 / spread[:, None]
        prior = np.where(size > 0, -2 * np.log(np.maximum(size, 1)), np.inf)
        loss = (away + np.log(spread)[:, None]).sum(axis=3) + prior
        return classes[loss.argmin(axis=2)] != labels[test]

    return wrong


def discriminant(features: np.ndarray, labels: np.ndarray) -> Wrong:
    """Return the errors of linear discriminants with a slightly shrunk covariance."""
    classes = np.arange(labels.max() + 1)

    def wrong(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        member = (labels[train] == classes[:, None]).astype(float)
        size = np.maximum(member.sum(axis=1), 1)
        means = (member / size[:, None]) @ features[:, train]
        apart = features[:, train] - member.T @ means
        scatter = apart.swapaxes(1, 2) @ apart / len(train)
        slopes = np.linalg.solve(scatter + 0.01 * np.eye(scatter.shape[1]), means.swapaxes(1, 2))
        level = (means.swapaxes(1, 2) * slopes).sum(axis=1) / 2 - np.log(size / len(train))
        scores = features[:, test] @ slopes - level[:, None]
        return classes[scores.argmax(axis=2)] != labels[test]

    return wrong


def tree(features: np.ndarray, labels: np.ndarray) -> Wrong:
    """Return the errors of decision trees of depth 6."""

    def wrong(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        grown = (
            DecisionTreeClassifier(random_state=1, max_depth=6).fit(inputs[train], labels[train]) for inputs in features
        )
        predictions = [model.predict(inputs[test]) for model, inputs in zip(grown, features, strict=True)]
        return np.array(predictions) != labels[test]

    return wrong


@dataclass(frozen=True)
class Population:
    """Instances to draw samples from, and the learner trained on them."""

    name: str
    features: np.ndarray  # instance x algorithm x feature
    labels: np.ndarray
    learner: Callable[[np.ndarray, np.ndarray], Wrong]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return features, algorithm x instance x feature, and labels of n instances."""
        rows = rng.choice(len(self.labels), n, replace=False)
        dealt = rng.permuted(np.tile(np.arange(ALGORITHMS), (n, 1)), axis=1)
        return self.features[rows[:, None], dealt].swapaxes(0, 1), self.labels[rows]


# data set and learner of each population
PAIRINGS = (
    ("optdigits", naive_bayes),
    ("pendigits", discriminant),
    ("satimage", nearest),
    ("waveform", discriminant),
    ("spambase", naive_bayes),
    ("twonorm", nearest),
    ("segment", discriminant),
    ("letter", nearest),
    ("ringnorm", naive_bayes),
    ("spambase", tree),
)


def populations(folder: Path) -> Iterator[Population]:
    """Yield the populations of numeric data sets with the class in the last column."""
    for name, learner in PAIRINGS:
        frame = pd.read_csv(folder / f"{name}.csv")
        frame = frame[frame.iloc[:, -1].isin(np.unique(frame.iloc[:, -1])[:_CLASSES])]
        values = frame.iloc[:, :-1].to_numpy(float)
        scale = values.std(axis=0)
        values = (values - values.mean(axis=0)) / np.where(scale > 0, scale, 1)
        order = np.random.default_rng(7).permutation(values.shape[1])
        width = values.shape[1] // ALGORITHMS
        blocks = values[:, order[: width * ALGORITHMS]].reshape(len(values), ALGORITHMS, width)
        labels = np.unique(frame.iloc[:, -1].astype(str), return_inverse=True)[1]
        yield Population(f"{name}, {learner.__name__.replace('_', ' ')}", blocks, labels, learner)


def k_fold(n: int, folds: int, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield training and test instances of every fold."""
    order = rng.permutation(n)
    for test in np.array_split(order, folds):
        yield np.setdiff1d(order, test), test


def partitions(n: int, times: int, share: float, rng: np.random.Generator) -> Iterator:
    """Yield training and test instances of random partitions."""
    for _ in range(times):
        order = rng.permutation(n)
        at = round(n * share)
        yield order[at:], order[:at]


def bootstrap(n: int, times: int, rng: np.random.Generator) -> Iterator:
    """Yield bootstrap samples, and the instances not drawn as test sets."""
    for _ in range(times):
        drawn = rng.integers(0, n, n)
        yield drawn, np.setdiff1d(np.arange(n), drawn)


def repeated(times: int, folds: int) -> Callable:
    """Return a design of several cross-validations."""
    return lambda n, rng: (split for _ in range(times) for split in k_fold(n, folds, rng))


# design -> function of (n instances, rng) that yields training and test instances
DESIGNS: dict[str, Callable] = {
    "5x2": repeated(5, 2),
    "10-fold": repeated(1, 10),
    "10 x 10-fold": repeated(10, 10),
    "30 partitions, 10% tested": lambda n, rng: partitions(n, 30, 0.1, rng),
    "30 partitions, 1/3 tested": lambda n, rng: partitions(n, 30, 1 / 3, rng),
    "bootstrap x 30": lambda n, rng: bootstrap(n, 30, rng),
    "bootstrap x 10": lambda n, rng: bootstrap(n, 10, rng),
}
COMMON = "20 trainings, one test set"


def sample(population: Population, design: str, seed: int) -> np.ndarray:
    """Return results of one sample, result x algorithm x class, determined by the seed.

    Each is the share of the test instances that belong to the class and are misclassified; the sum
    over classes is the error rate.
    """
    rng = np.random.default_rng([seed, *design.encode(), *population.name.encode()])
    cases = SIZE + _COMMON_TESTED if design == COMMON else SIZE
    features, labels = population.draw(cases, rng)
    wrong = population.learner(features, labels)
    if design == COMMON:
        splits = ((train, np.arange(SIZE, cases)) for train, _ in bootstrap(SIZE, 20, rng))
    else:
        splits = DESIGNS[design](SIZE, rng)
    of_class = (labels[:, None] == np.arange(_CLASSES)).astype(float)
    return np.array([wrong(train, test) @ of_class[test] / len(test) for train, test in splits])


ALPHA, CHUNK, CHECKED = 0.05, 100, 3
MOST_DF = 9  # largest degrees of freedom of the conservative tests
CONSERVATIVE = f"corrected t, conservative (at most {MOST_DF} df)"
PUBLISHED = "corrected t (Nadeau-Bengio, df = J - 1)"
APART = "spambase, naive bayes"  # far worse than all others by any test
PAIRS = tuple(combinations(range(ALGORITHMS), 2))
# design -> test fraction, and the hint that a file gives about the design
TESTED: dict[str, tuple[float | None, str]] = {
    "5x2": (1 / 2, ""),
    "10-fold": (1 / 10, ""),
    "10 x 10-fold": (1 / 10, ""),
    "30 partitions, 10% tested": (1 / 10, "holdout"),
    "30 partitions, 1/3 tested": (67 / 200, "holdout"),
    "bootstrap x 30": (exp(-1), "bootstrap"),
    "bootstrap x 10": (exp(-1), "bootstrap"),
    COMMON: (None, "common test set"),
}


@dataclass(frozen=True)
class PairCoverage:
    """Decisions of a procedure: sample x pair, and per sample for the family."""

    procedure: str
    pairs: np.ndarray
    family: np.ndarray


def file_of(folder: Path, population: str, design: str, start: int) -> Path:
    """Return the path of the file of a chunk of samples."""
    name = f"{population.replace(', ', '-')},_{design.replace('/', '-').replace('%', 'pc')}_{start}"
    return folder / f"{name.replace(' ', '_')}.npy"


def drawn(population: Population, design: str, samples: int, folder: Path, *, only_kept: bool) -> np.ndarray | None:
    """Return results, sample x result x algorithm x class, None if none exist or may be drawn."""
    chunks = []
    for start in range(0, samples, CHUNK):
        file = file_of(folder, population.name, design, start)
        if not file.exists():
            if only_kept:
                continue
            seeds = range(start, start + CHUNK)
            np.save(file, np.array([sample(population, design, seed) for seed in seeds]))
        chunks.append(np.load(file))
    return np.concatenate(chunks)[:samples] if chunks else None


def differences(x: np.ndarray) -> np.ndarray:
    """Return the pairwise differences, sample x pair x result."""
    return np.stack([x[:, :, a] - x[:, :, b] for a, b in PAIRS], axis=1)


def pair_pvalues(x: np.ndarray, fraction: float | None, df: int) -> np.ndarray:
    """Return the p-values of the (corrected) t test, sample x pair."""
    d = differences(x)
    n, spread = d.shape[2], d.std(axis=2, ddof=1)
    varies = spread > 1e-12
    error = np.where(varies, spread, 1.0) * sqrt(overlap_factor(n, fraction) / n)
    return np.where(varies, 2 * stats.t.sf(np.abs(d.mean(axis=2)) / error, df), 1.0)


def by_bergmann_hommel(procedure: str, p: np.ndarray) -> PairCoverage:
    """Decide pairs by their own tests, and the family by Bergmann and Hommel's procedure.

    If no algorithm differs, it rejects if the smallest p is at most alpha divided by the number of
    pairs.
    """
    family = significant(p.min(axis=1), ALPHA / p.shape[1])
    return PairCoverage(f"{procedure}, Bergmann-Hommel", significant(p, ALPHA), family)


def five_by_two_pvalues(x: np.ndarray) -> np.ndarray:
    """Return the p-values of Alpaydin's F test, sample x pair."""
    d = differences(x)
    halves = d.reshape(*d.shape[:2], 5, 2)
    within = 4 * halves.var(axis=3).sum(axis=2)
    f = (d**2).sum(axis=2) / np.where(within > 0, within, 1)
    return np.where(within > 0, stats.f.sf(f, 10, 5), 1.0)


def tukey_rejects(x: np.ndarray, fraction: float | None, df: int) -> np.ndarray:
    """Return whether Tukey's test separates any pair, per sample."""
    _, n, a = x.shape
    means, folds = x.mean(axis=1, keepdims=True), x.mean(axis=2, keepdims=True)
    residuals = x - means - folds + x.mean(axis=(1, 2), keepdims=True)
    error = (residuals**2).sum(axis=(1, 2)) / ((a - 1) * (n - 1))
    reach = np.ptp(x.mean(axis=1), axis=1)
    critical = studentized_range_isf(ALPHA, a, df)
    return reach > critical * np.sqrt(error / n * overlap_factor(n, fraction))


def default(x: np.ndarray, design: str) -> PairCoverage:
    """Return the decisions of the default tests."""
    fraction, n = TESTED[design][0], x.shape[1]
    if fraction is None:
        return by_bergmann_hommel("paired t", pair_pvalues(x, None, n - 1))
    p = pair_pvalues(x, fraction, min(n - 1, MOST_DF))
    return by_bergmann_hommel(CONSERVATIVE if n - 1 > MOST_DF else PUBLISHED, p)


def others(x: np.ndarray, design: str) -> Iterator[PairCoverage]:
    """Yield the decisions of other tests: as published, Tukey's, uncorrected."""
    fraction, n = TESTED[design][0], x.shape[1]
    if fraction is not None and n - 1 > MOST_DF:
        yield by_bergmann_hommel(PUBLISHED, pair_pvalues(x, fraction, n - 1))
    error = (ALGORITHMS - 1) * (n - 1)
    df = MOST_DF if fraction is not None and n - 1 > MOST_DF else error
    tukey = tukey_rejects(x, fraction, df)
    yield PairCoverage(f"Tukey, {df} df", np.full((len(x), 0), np.nan), tukey)
    if design == "5x2":
        yield by_bergmann_hommel("5x2 cv F", five_by_two_pvalues(x))
    if design.startswith("bootstrap"):
        yield by_bergmann_hommel("paired t", pair_pvalues(x, None, n - 1))


def as_results(one: np.ndarray, design: str) -> Results:
    """Return one sample as results read from a file."""
    folds = {"5x2": 2, "10-fold": 10, "10 x 10-fold": 10}.get(design, len(one))
    share, hint = TESTED[design]
    tested = SIZE * (share or 0)
    rows = [
        {
            "dataset": "sample",
            "algorithm": f"a{algorithm}",
            "repetition": position // folds + 1,
            "fold": position % folds + 1,
            "error": value,
        }
        | ({"n_train": round(SIZE - tested), "n_test": round(tested)} if hint == "holdout" else {})
        for position, results in enumerate(one)
        for algorithm, value in enumerate(results)
    ]
    return Results.from_frame(pd.DataFrame(rows), directions={"error": "lower"}, design_hint=hint or None)


def check(x: np.ndarray, design: str) -> None:
    """Exit if the library decides differently on the first samples."""
    ours = default(x[:CHECKED], design)
    for number in range(min(CHECKED, len(x))):
        results = as_results(x[number], design)
        several = analyse(results, Settings(measure="error"))
        decided = [bool(several.pairs()["separated"].any())]
        for a, b in PAIRS:
            pair = Settings(measure="error", pair=(f"a{a}", f"a{b}"))
            decided.append(bool(analyse(results, pair).pairs()["separated"].any()))
        if decided != [ours.family[number], *ours.pairs[number]]:
            raise SystemExit(f"{design}: the calibration and stats_core disagree")


def rows_of(design: str, every: dict[str, np.ndarray]) -> Iterator[dict]:
    """Yield the rates of the procedures of a design over populations, the default first."""
    by_population = {name: [default(x, design), *others(x, design)] for name, x in every.items()}
    for number, example in enumerate(next(iter(by_population.values()))):
        judged = {name: several[number] for name, several in by_population.items()}
        single = dict.fromkeys(_heads("a pair"), "")
        if example.pairs.size:  # Tukey's test has no decisions on single pairs
            single = levels("a pair", {name: decisions.pairs.mean(axis=1) for name, decisions in judged.items()})
        yield {
            "design": design,
            "procedure": example.procedure + (" (default)" if not number else ""),
            **single,
            **levels("any of six pairs", {name: decisions.family for name, decisions in judged.items()}),
        }


def _heads(what: str) -> tuple[str, str, str]:
    return what, f"{what}, worst of the others", f"{what}, {APART}"


def levels(what: str, rates: dict[str, np.ndarray]) -> dict[str, str]:
    """Return the mean rate with standard error, the worst, and that of `APART`, as text.

    The pairs of a sample are dependent, so `rates` has one number per sample.
    """
    means = {name: rate.mean() for name, rate in rates.items() if name != APART}
    squares = [np.var(rates[name], ddof=1) / len(rates[name]) for name in means]
    worst = max(means, key=means.__getitem__)
    error = sqrt(np.var(rates[worst], ddof=1) / len(rates[worst]))
    texts = (
        f"{np.mean(list(means.values())):.3f} ± {sqrt(sum(squares)) / len(means):.3f}",
        f"{means[worst]:.3f} ± {error:.3f} {worst}",
        f"{rates[APART].mean():.3f}" if APART in rates else "",
    )
    return dict(zip(_heads(what), texts, strict=True))


def arguments(about: str | None) -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(description=(about or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--keep", type=Path, default=Path("calibration"), help="folder of samples")
    parser.add_argument("--only-kept", action="store_true", help="draw nothing")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    return options


def samples_of(design: str, asked: argparse.Namespace) -> dict[str, np.ndarray]:
    """Return the samples of every population that has some or may draw them."""
    by_population = {
        population.name: drawn(population, design, asked.samples, asked.keep, only_kept=asked.only_kept)
        for population in populations(asked.data)
    }
    return {name: x for name, x in by_population.items() if x is not None}


def print_rates_by_design(
    about: str | None, designs: Iterable[str], of_measure: Callable, check: Callable, rows_of: Callable
) -> None:
    """Print the rows of every design that has samples, once they agree with the library."""
    options = arguments(about)
    rows: list[dict] = []
    for design in designs:
        samples = {name: of_measure(x) for name, x in samples_of(design, options).items()}
        if not samples:
            continue
        for x in samples.values():
            check(x, design)
        rows += rows_of(design, samples)
        print(design, {name: len(x) for name, x in samples.items()}, flush=True)
    print(markdown(list(rows[0]), (row.values() for row in rows), 2))


if __name__ == "__main__":
    print_rates_by_design(__doc__, (*DESIGNS, COMMON), methodcaller("sum", axis=3), check, rows_of)
