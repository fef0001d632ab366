"""Measured type I error rates of tests on folds, for equally good learners on real data.

Run with ``python -m benchmarks.calibration --data FOLDER [--measures] [--samples 500] [--keep
FOLDER] [--only-stored]``. The features of a real data set are divided into four blocks, which are
randomly assigned to the four algorithms, separately for every instance. All four are the same
learner, each on its own block; as the assignment is random, none can be better than another on new
data, however much they differ on one sample. Samples are resampled by every design and tested at
0.05 by the default tests for two and for four algorithms, and by other tests. With ``--measures``,
two measures are tested together, the errors on the first class and on all others, with the degrees
of freedom of the default and of independent results. On the first samples of every design the
decisions of the defaults are compared with those of `stats_core`. Results are stored in chunks of a
hundred samples, so a stopped run can be resumed.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import exp, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from sklearn.tree import DecisionTreeClassifier

from benchmarks import vectorized_tests as vectorized
from benchmarks.benchmark_row import markdown
from benchmarks.simulated_error_rates import ResamplingDesign, fold_results
from stats_core.comparison.analyse import analyse
from stats_core.core.validation import significant
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.paired import corrected_df, overlap_factor

ALGORITHMS = 4
SIZE = 200  # instances of one sample
_CLASSES = 3  # largest number of classes; with more, the blocks alone leave little to learn
_COMMON_TESTED = 100  # further instances of a common test set
Wrong = Callable[[np.ndarray, np.ndarray], np.ndarray]  # training, test -> algorithm x instance

sklearn.set_config(assume_finite=True, skip_parameter_validation=True)


def nearest(features: np.ndarray, labels: np.ndarray) -> Wrong:
    """Return a function that gives the errors of 1-nearest neighbour for a training and a test set."""
    squares = (features**2).sum(axis=2)
    away = squares[:, :, None] + squares[:, None, :] - 2 * features @ features.swapaxes(1, 2)

    def wrong(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        return labels[train[away[:, test][:, :, train].argmin(axis=2)]] != labels[test]

    return wrong


def naive_bayes(features: np.ndarray, labels: np.ndarray) -> Wrong:
    """Return a function that gives the errors of Gaussian naive Bayes, with variances smoothed by 0.01."""
    classes = np.arange(labels.max() + 1)

    def wrong(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        """Return whether each prediction is wrong, algorithm x test instance."""
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
    """Return a function that gives the errors of linear discriminants with a slightly shrunk covariance."""
    classes = np.arange(labels.max() + 1)

    def wrong(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        """Return whether each prediction is wrong, algorithm x test instance."""
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
    """Return a function that gives the errors of decision trees of depth 6."""

    def wrong(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        grown = (
            DecisionTreeClassifier(random_state=1, max_depth=6).fit(inputs[train], labels[train])
            for inputs in features
        )
        predictions = [
            model.predict(inputs[test]) for model, inputs in zip(grown, features, strict=True)
        ]
        return np.array(predictions) != labels[test]

    return wrong


@dataclass(frozen=True)
class Population:
    """Instances to sample from, and the learner trained on them."""

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
    """Yield training and test instances: a bootstrap sample, and the instances that it does not contain."""
    for _ in range(times):
        drawn = rng.integers(0, n, n)
        yield drawn, np.setdiff1d(np.arange(n), drawn)


def repeated(times: int, folds: int) -> Callable:
    """Return a design of `times` cross-validations: a function that yields training and test instances."""
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
    """Return the results of one simulated sample, result x algorithm x class, determined by the seed.

    Each is the share of the test instances that belong to the class and are misclassified; the sum
    over classes is the error rate.
    """
    written = design.replace("%", " %")  # as when the published samples were drawn
    rng = np.random.default_rng([seed, *written.encode(), *population.name.encode()])
    cases = SIZE + _COMMON_TESTED if design == COMMON else SIZE
    features, labels = population.draw(cases, rng)
    wrong = population.learner(features, labels)
    if design == COMMON:
        splits = ((train, np.arange(SIZE, cases)) for train, _ in bootstrap(SIZE, 20, rng))
    else:
        splits = DESIGNS[design](SIZE, rng)
    of_class = (labels[:, None] == np.arange(_CLASSES)).astype(float)
    return np.array([wrong(train, test) @ of_class[test] / len(test) for train, test in splits])


N_CHUNK, N_CHECKED = 100, 3
CONSERVATIVE = f"corrected t, conservative (at most {vectorized.MAX_DF} df)"
PUBLISHED = "corrected t (Nadeau-Bengio, df = J - 1)"
WEAK = "spambase, naive bayes"  # far worse than all others by any test
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
Decisions = dict[str, np.ndarray]  # "a pair", ... -> share of rejections per sample
Rates = dict[str, Decisions]  # procedure -> decisions, the default first


def file_of(folder: Path, population: str, design: str, start: int) -> Path:
    """Return the path of the file of a chunk of samples."""
    name = (
        f"{population.replace(', ', '-')},_{design.replace('/', '-').replace('%', ' pc')}_{start}"
    )
    return folder / f"{name.replace(' ', '_')}.npy"


def drawn(
    population: Population, design: str, samples: int, folder: Path, *, only_stored: bool
) -> np.ndarray | None:
    """Return results, sample x result x algorithm x class; None if none are stored and none may be drawn."""
    chunks = []
    for start in range(0, samples, N_CHUNK):
        file = file_of(folder, population.name, design, start)
        if not file.exists():
            if only_stored:
                continue
            seeds = range(start, start + N_CHUNK)
            np.save(file, np.array([sample(population, design, seed) for seed in seeds]))
        chunks.append(np.load(file))
    return np.concatenate(chunks)[:samples] if chunks else None


def _by_bergmann_hommel(p: np.ndarray) -> Decisions:
    """Return decisions: pairs by unadjusted tests, the family by Bergmann-Hommel.

    If no algorithm differs, it rejects if the smallest p is at most alpha divided by the number of
    pairs.
    """
    pairs, family = (
        significant(p, vectorized.ALPHA),
        significant(p.min(axis=1), vectorized.ALPHA / p.shape[1]),
    )
    return {"a pair": pairs.mean(axis=1), "any of six pairs": family}


def one_measure(x: np.ndarray, design: str) -> Rates:
    """Return the decisions of the default tests, and of other tests: as published, Tukey's, uncorrected."""
    fraction, n = TESTED[design][0], x.shape[1]
    d, factor = vectorized.pair_differences(x), overlap_factor(n, fraction)
    plain = {"paired t, Bergmann-Hommel": _by_bergmann_hommel(vectorized.t_pvalues(d, n - 1))}
    published = {
        f"{PUBLISHED}, Bergmann-Hommel": _by_bergmann_hommel(vectorized.t_pvalues(d, n - 1, factor))
    }
    capped = fraction is not None and n - 1 > vectorized.MAX_DF
    if fraction is None:
        rates = plain
    elif capped:
        rates = {
            f"{CONSERVATIVE}, Bergmann-Hommel": _by_bergmann_hommel(
                vectorized.t_pvalues(d, vectorized.MAX_DF, factor)
            ),
            **published,
        }
    else:
        rates = published
    df = vectorized.MAX_DF if capped else (ALGORITHMS - 1) * (n - 1)
    rates |= {f"Tukey, {df} df": {"any of six pairs": vectorized.tukey_rejects(x, df, factor)}}
    if design == "5x2":
        rates["5x2 cv F, Bergmann-Hommel"] = _by_bergmann_hommel(
            vectorized.five_by_two(d)["5x2 cv F"]
        )
    return rates | (plain if design.startswith("bootstrap") else {})


def check_one_measure(x: np.ndarray, design: str) -> None:
    """Exit if the library's decisions on the first samples differ."""
    x, (fraction, hint) = x[:N_CHECKED], TESTED[design]
    rates = next(iter(one_measure(x, design).values()))
    for number, results_of_sample in enumerate(x):
        results = fold_results(
            results_of_sample,
            ResamplingDesign(design, len(results_of_sample), fraction or 0, hint or None),
        )
        pairs = [Settings(measure="error", pair=(f"a{a}", f"a{b}")) for a, b in PAIRS]
        several, *single = (
            analyse(results, settings).pairs.decisions["separated"].any()
            for settings in (Settings(measure="error"), *pairs)
        )
        vectorized.check(
            design,
            [rates["any of six pairs"][number], rates["a pair"][number]],
            [several, np.mean(single)],
        )


def two_errors(x: np.ndarray) -> np.ndarray:
    """Return the errors on the first class and on all others, sample x result x algorithm x 2."""
    return np.stack([x[..., 0], x[..., 1:].sum(axis=-1)], axis=-1)


def _measure_pvalues(x: np.ndarray, design: str, *, capped: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the p-values of Hotelling's T2, sample x pair, and of MANOVA, both with overlap factor."""
    n, factor = x.shape[1], overlap_factor(x.shape[1], TESTED[design][0])
    df, error = (
        corrected_df(n, df, 2) if capped else df for df in (n - 1, (ALGORITHMS - 1) * (n - 1))
    )
    pairs = [vectorized.hotelling_pvalues(x[:, :, a] - x[:, :, b], df, factor) for a, b in PAIRS]
    return np.array(pairs).T, vectorized.manova_pvalues(x, error, factor)


def two_measures(x: np.ndarray, design: str) -> Rates:
    """Return the decisions with capped degrees of freedom (the default) and, above ten results, without a cap."""
    rates = {}
    for capped in (True, False) if x.shape[1] > 10 else (True,):
        pairs, manova = _measure_pvalues(x, design, capped=capped)
        df = corrected_df(x.shape[1], x.shape[1] - 1, 2) if capped else x.shape[1] - 1
        # Holm rejects if the smallest p is at most alpha divided by the number of pairs
        family = pairs.min(axis=1) <= vectorized.ALPHA / len(PAIRS)
        decisions = {
            "a pair": (pairs <= vectorized.ALPHA).mean(axis=1),
            "one of six pairs": family,
            "MANOVA": manova <= vectorized.ALPHA,
        }
        rates[f"residual df {df}"] = decisions
    return rates


def check_two_measures(x: np.ndarray, design: str) -> None:
    """Exit if the library's p-values on the first samples differ."""
    pairs, manova = _measure_pvalues(x[:N_CHECKED], design, capped=True)
    settings = Settings(
        measure="first",
        measures=("first", "others"),
        test_fraction=TESTED[design][0],
        correction="none",
    )
    for number, results_of_sample in enumerate(x[:N_CHECKED]):
        table = pd.DataFrame(results_of_sample.reshape(-1, 2), columns=["first", "others"])
        fold, algorithm = np.divmod(np.arange(len(table)), ALGORITHMS)
        table = table.assign(dataset="sample", fold=fold, algorithm=[f"a{i}" for i in algorithm])
        directions = {"first": "lower", "others": "lower"}
        result = analyse(
            Results.from_frame(table, directions=directions, design_hint="holdout"), settings
        )
        p = result.raw.pvalues.to_numpy()[np.triu_indices(ALGORITHMS, 1)]
        vectorized.check(design, [manova[number], *pairs[number]], [result.manova.pvalue, *p])


def rows_of(design: str, rates: dict[str, Rates]) -> Iterator[dict]:
    """Yield the rates of the procedures of a design over populations, the default first."""
    example = next(iter(rates.values()))
    questions = next(iter(example.values()))  # the default answers all
    for number, (procedure, decisions) in enumerate(example.items()):
        row = {"design": design, "procedure": procedure + (" (default)" if not number else "")}
        for question in questions:
            texts = dict.fromkeys(levels(question, {}), "")
            if question in decisions:  # Tukey's test has no decisions on single pairs
                texts = levels(
                    question, {name: by[procedure][question] for name, by in rates.items()}
                )
            row |= texts
        yield row


def levels(what: str, rates: Decisions) -> dict[str, str]:
    """Return mean rate with standard error, worst rate, and the rate of `WEAK`, as text.

    The pairs of a sample are dependent, so `rates` has one number per sample.
    """
    means = {name: rate.mean() for name, rate in rates.items() if name != WEAK}
    errors = {name: sqrt(np.var(rates[name], ddof=1) / len(rates[name])) for name in means}
    worst = max(means, key=means.__getitem__, default="")
    mean_error = sqrt(sum(error**2 for error in errors.values())) / max(len(means), 1)
    return {
        what: f"{np.mean(list(means.values())):.3f} ± {mean_error:.3f}" if means else "",
        f"{what}, worst of the others": f"{means[worst]:.3f} ± {errors[worst]:.3f} {worst}"
        if means
        else "",
        f"{what}, {WEAK}": f"{rates[WEAK].mean():.3f}" if WEAK in rates else "",
    }


def main() -> None:
    """Print the rates of every design that has samples, after checking its first samples against the library."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--measures", action="store_true", help="judge the tests of two measures")
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--keep", type=Path, default=Path("calibration"), help="folder of samples")
    parser.add_argument("--only-stored", action="store_true", help="draw nothing")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    designs, judge, compare = (*DESIGNS, COMMON), one_measure, check_one_measure
    if options.measures:
        designs, judge, compare = tuple(DESIGNS), two_measures, check_two_measures
    rows: list[dict] = []
    for design in designs:
        rates = {}
        for population in populations(options.data):
            samples = drawn(
                population, design, options.samples, options.keep, only_stored=options.only_stored
            )
            if samples is not None:
                x = two_errors(samples) if options.measures else samples.sum(axis=3)
                compare(x, design)
                rates[population.name] = judge(x, design)
        rows += rows_of(design, rates) if rates else []
        print(design, list(rates), flush=True)
    print(markdown(list(rows[0]), (row.values() for row in rows), 2))


if __name__ == "__main__":
    main()
