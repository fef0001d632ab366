"""Results of real learners that are equally good by construction, for every design.

The features of a real data set are divided into four blocks, which are assigned to the four
algorithms at random, anew for every instance. All four are the same learner, each on its own block;
as the assignment is random, none can be better than another on new data, however much they differ
on one sample.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from sklearn.tree import DecisionTreeClassifier

ALGORITHMS = 4
SIZE = 200  # instances of one sample
CLASSES = 3  # largest number of classes; with more, the blocks alone leave little to learn
TESTED = 100  # further instances of a common test set
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
        frame = frame[frame.iloc[:, -1].isin(np.unique(frame.iloc[:, -1])[:CLASSES])]
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
    "30 partitions, 10 % tested": lambda n, rng: partitions(n, 30, 0.1, rng),
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
    cases = SIZE + TESTED if design == COMMON else SIZE
    features, labels = population.draw(cases, rng)
    wrong = population.learner(features, labels)
    if design == COMMON:
        splits = ((train, np.arange(SIZE, cases)) for train, _ in bootstrap(SIZE, 20, rng))
    else:
        splits = DESIGNS[design](SIZE, rng)
    of_class = (labels[:, None] == np.arange(CLASSES)).astype(float)
    return np.array([wrong(train, test) @ of_class[test] / len(test) for train, test in splits])
