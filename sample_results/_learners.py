"""The algorithms of the experiments, three of them implemented here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier

BITS_PER_SPLIT = 3
"""A split of a tree has to save this many bits of training entropy."""


@dataclass(frozen=True)
class FeatureShape:
    """Shape of an encoded training set, and the random seed: all that a classifier is created from."""

    rows: int
    inputs: int
    classes: int
    seed: int


Maker = Callable[[FeatureShape], ClassifierMixin]


def _entropy_bits(counts: np.ndarray) -> np.ndarray:
    """Return n times the entropy of each row of class counts, in bits."""
    totals = counts.sum(axis=1, keepdims=True)
    safe = np.where(counts > 0, counts, 1)
    return np.where(counts > 0, counts * np.log2(np.maximum(totals, 1) / safe), 0).sum(axis=1)


@dataclass
class _Node:
    """A leaf with its class, or a linear split with two children."""

    label: int
    weights: np.ndarray | None = None
    threshold: float = 0.0
    left: _Node | None = None
    right: _Node | None = None


class LinearDiscriminantTree(ClassifierMixin, BaseEstimator):
    """Multivariate tree: every node splits on Fisher's linear discriminant.

    At a node the classes form two groups (two-means on the class means, starting
    from the two means farthest apart), the discriminant of the two groups is the
    direction, and the threshold on it is the one that saves most entropy.
    """

    def __init__(self, bits: float = 2 * BITS_PER_SPLIT, smallest: int = 5, ridge: float = 0.1):
        self.bits = bits
        self.smallest = smallest
        self.ridge = ridge

    def fit(self, X: np.ndarray, y: np.ndarray) -> LinearDiscriminantTree:
        """Grow the tree and return this classifier."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_leaves_ = 0
        self.root_ = self._grow(X, codes)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the class of the leaf that each row reaches."""
        codes = np.empty(len(X), dtype=int)
        waiting = [(self.root_, np.arange(len(X)))]
        while waiting:
            node, rows = waiting.pop()
            if node.weights is None:
                codes[rows] = node.label
                continue
            goes_left = X[rows] @ node.weights <= node.threshold
            waiting.append((node.left, rows[goes_left]))
            waiting.append((node.right, rows[~goes_left]))
        return self.classes_[codes]

    def _grow(self, X: np.ndarray, codes: np.ndarray) -> _Node:
        """Return the root of a tree grown on rows and their class codes."""
        counts = np.bincount(codes, minlength=len(self.classes_))
        node = _Node(int(counts.argmax()))
        split = None
        if len(codes) >= self.smallest and counts.max() < len(codes):
            weights = self._direction(X, codes)
            split = self._threshold(X @ weights, codes)
        if split is None:
            self.n_leaves_ += 1
            return node
        goes_left = X @ weights <= split
        node.weights, node.threshold = weights, split
        node.left = self._grow(X[goes_left], codes[goes_left])
        node.right = self._grow(X[~goes_left], codes[~goes_left])
        return node

    def _direction(self, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return the weights of Fisher's discriminant between two groups of classes."""
        second = _two_groups(X, codes)
        first_rows, second_rows = X[~second], X[second]
        difference = second_rows.mean(axis=0) - first_rows.mean(axis=0)
        centred = np.vstack([rows - rows.mean(axis=0) for rows in (first_rows, second_rows)])
        within = centred.T @ centred / len(X)
        ridge = self.ridge * (np.trace(within) / len(within)) + 1e-9
        return np.linalg.solve(within + ridge * np.eye(len(within)), difference)

    def _threshold(self, projected: np.ndarray, codes: np.ndarray) -> float | None:
        """Return the cut that reduces the entropy most, None if none reduces it enough."""
        order = np.argsort(projected, kind="stable")
        values = projected[order]
        below = np.cumsum(np.eye(len(self.classes_))[codes[order]], axis=0)
        total = below[-1:]
        below = below[:-1]
        saved = _entropy_bits(total) - _entropy_bits(below) - _entropy_bits(total - below)
        middles = (values[:-1] + values[1:]) / 2
        saved[(middles >= values[1:]) | (middles < values[:-1])] = -np.inf
        best = int(saved.argmax())
        return float(middles[best]) if saved[best] > self.bits else None


def _two_groups(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return a mask of the rows in the second of two groups of classes."""
    present, codes = np.unique(codes, return_inverse=True)
    sizes = np.bincount(codes)
    means = np.array([X[codes == code].mean(axis=0) for code in range(len(present))])
    distance = ((means[:, None] - means[None]) ** 2).sum(axis=2)
    first, second = np.unravel_index(distance.argmax(), distance.shape)
    centres = means[[first, second]] if first != second else means[[0, 1]]
    for _ in range(10):
        nearer = ((means[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
        if nearer.min() == nearer.max():
            nearer = (np.arange(len(present)) > 0).astype(int)
        moved = np.array(
            [np.average(means[nearer == g], axis=0, weights=sizes[nearer == g]) for g in (0, 1)]
        )
        if np.allclose(moved, centres):
            break
        centres = moved
    return nearer[codes] == 1


class RuleList(ClassifierMixin, BaseEstimator):
    """Ordered rules for two classes by separate and conquer, each from a small tree.

    A shallow tree is grown on the rows not yet covered, its purest leaf (by
    Laplace's estimate, then by size) becomes the next rule, and the rows it
    covers are removed. The last rule covers all remaining rows.
    """

    def __init__(self, conditions: int = 4, smallest: int = 5, rules: int = 30):
        self.conditions = conditions
        self.smallest = smallest
        self.rules = rules

    def fit(self, X: np.ndarray, y: np.ndarray) -> RuleList:
        """Learn the rules one after the other; return this classifier."""
        self.classes_ = np.unique(y)
        self.rules_ = []
        while len(self.rules_) < self.rules and len(np.unique(y)) == 2:
            tree = DecisionTreeClassifier(
                criterion="entropy",
                max_depth=self.conditions,
                min_samples_leaf=self.smallest,
                random_state=0,
            ).fit(X, y)
            leaves = tree.apply(X)
            if tree.get_n_leaves() == 1:
                break
            leaf = max(np.unique(leaves), key=lambda leaf: _worth(y[leaves == leaf]))
            covered = leaves == leaf
            self.rules_.append((tree, leaf, _laplace(y[covered])))
            X, y = X[~covered], y[~covered]
        self.default_ = _laplace(y)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return Laplace's estimates of the first rule that covers each row, with one column per class."""
        positive = np.full(len(X), self.default_)
        open_rows = np.arange(len(X))
        for tree, leaf, estimate in self.rules_:
            if len(open_rows) == 0:
                break
            covered = tree.apply(X[open_rows]) == leaf
            positive[open_rows[covered]] = estimate
            open_rows = open_rows[~covered]
        return np.column_stack([1 - positive, positive])

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the more probable class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _laplace(y: np.ndarray) -> float:
    """Return Laplace's estimate that a row is of class 1."""
    return float((np.sum(y == 1) + 1) / (len(y) + 2))


def _worth(y: np.ndarray) -> tuple[float, int]:
    """Return the sort key of a leaf: purer first, then larger."""
    return max(_laplace(y), 1 - _laplace(y)), len(y)


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):
    """Naive Bayes: columns with two values are Bernoulli, the others Gaussian."""

    def __init__(self, smoothing: float = 1e-3):
        self.smoothing = smoothing

    def fit(self, X: np.ndarray, y: np.ndarray) -> MixedNaiveBayes:
        """Estimate the priors and the distribution of each column in each class; return this classifier."""
        self.classes_, sizes = np.unique(y, return_counts=True)
        self.log_prior_ = np.log(sizes / len(y))
        self.low_, self.high_ = X.min(axis=0), X.max(axis=0)
        self.binary_ = np.all((X == self.low_) | (X == self.high_), axis=0)
        floor = self.smoothing * X.var(axis=0).max()
        groups = [X[y == label] for label in self.classes_]
        self.means_ = np.array([rows.mean(axis=0) for rows in groups])
        self.variances_ = np.array([rows.var(axis=0) + floor for rows in groups])
        highs = np.array([self._is_high(rows).sum(axis=0) for rows in groups])
        self.share_high_ = (highs + 1) / (sizes[:, None] + 2)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the posterior probabilities, with one column per class."""
        high = self._is_high(X)
        joint = np.empty((len(X), len(self.classes_)))
        for code in range(len(self.classes_)):
            variance = self.variances_[code]
            gaussian = -0.5 * (np.log(variance) + (X - self.means_[code]) ** 2 / variance)
            share = self.share_high_[code]
            bernoulli = np.where(high, np.log(share), np.log1p(-share))
            joint[:, code] = np.where(self.binary_, bernoulli, gaussian).sum(axis=1)
        return softmax(joint + self.log_prior_, axis=1)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the most probable class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _is_high(self, X: np.ndarray) -> np.ndarray:
        return X > (self.low_ + self.high_) / 2


def _tree(shape: FeatureShape) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(
        criterion="entropy",
        min_samples_leaf=2,
        ccp_alpha=BITS_PER_SPLIT / shape.rows,
        random_state=shape.seed,
    )


def _perceptron(shape: FeatureShape) -> LogisticRegression:
    return LogisticRegression(C=1000.0, max_iter=5000, random_state=shape.seed)


def _mlp(shape: FeatureShape) -> MLPClassifier:
    """Return a network with one hidden layer, half as many units as inputs and classes together."""
    return MLPClassifier(
        hidden_layer_sizes=((shape.inputs + shape.classes) // 2,),
        alpha=0.001,
        batch_size=min(50, shape.rows),
        learning_rate_init=0.01,
        max_iter=200,
        random_state=shape.seed,
    )


def _svm(**kernel) -> Maker:
    return lambda shape: SVC(C=1.0, cache_size=500, **kernel)


EIGHT: dict[str, Maker] = {
    "c45": _tree,
    "mdt": lambda shape: LinearDiscriminantTree(),
    "mlp": _mlp,
    "lnp": _perceptron,
    "svl": _svm(kernel="linear"),
    "sv2": _svm(kernel="poly", degree=2, coef0=1.0, gamma="scale"),
    "svr": _svm(kernel="rbf", gamma="scale"),
    "5nn": lambda shape: KNeighborsClassifier(5),
}
"""The roles of Ulas, Yildiz and Alpaydin 2012."""

SEVEN: dict[str, Maker] = {
    "lda": lambda shape: LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    "qda": lambda shape: QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
    "10nn": lambda shape: KNeighborsClassifier(10),
    "tree": _tree,
    "rf": lambda shape: RandomForestClassifier(100, random_state=shape.seed),
    "svm1": _svm(kernel="linear"),
    "svm2": _svm(kernel="poly", degree=2, coef0=1.0, gamma="scale"),
}
"""The roles of the two-class comparisons on (tpr, fpr) and (precision, recall)."""

FIVE: dict[str, Maker] = {
    "tree": _tree,
    "lp": _perceptron,
    "knn": lambda shape: KNeighborsClassifier(1),
    "nb": lambda shape: MixedNaiveBayes(),
    "rip": lambda shape: RuleList(),
}
"""The roles of the 30 training sets with a common test set; k of knn is tuned per fold."""

SCORED: dict[str, Maker] = {
    "lp": _perceptron,
    "nb": lambda shape: MixedNaiveBayes(),
    "10nn": lambda shape: KNeighborsClassifier(10),
    "tree": _tree,
    "stump": lambda shape: DecisionTreeClassifier(
        criterion="entropy", max_depth=1, random_state=shape.seed
    ),
    "rf": lambda shape: RandomForestClassifier(100, random_state=shape.seed),
    "boost": lambda shape: GradientBoostingClassifier(random_state=shape.seed),
}
"""Classifiers whose scores are probabilities, so that thresholds mean the same on every set."""

GRADED: dict[str, Maker] = {name: SCORED[name] for name in ("stump", "nb", "lp", "tree", "rf")}
"""Of these, five from small models to large ones."""

SEVERAL: dict[str, Maker] = {
    "Logistic regression": lambda shape: LogisticRegression(max_iter=5000, random_state=shape.seed),
    "Discriminant analysis": lambda shape: LinearDiscriminantAnalysis(
        solver="lsqr", shrinkage="auto"
    ),
    "Random forest": lambda shape: RandomForestClassifier(
        100, min_samples_leaf=3, random_state=shape.seed
    ),
    "Gradient boosting": lambda shape: GradientBoostingClassifier(random_state=shape.seed),
    "Neural network": _mlp,
}
"""Classifiers of several classes with probabilities above 0."""

REGRESSORS: dict[str, Maker] = {
    "Training mean": lambda shape: DummyRegressor(),
    "Linear regression": lambda shape: LinearRegression(),
    "10-NN": lambda shape: KNeighborsRegressor(10),
    "SVM (RBF)": lambda shape: SVR(C=10.0),
    "Random forest": lambda shape: RandomForestRegressor(100, random_state=shape.seed),
    "Gradient boosting": lambda shape: GradientBoostingRegressor(random_state=shape.seed),
}
"""Regressors, and the mean of the training rows as a baseline."""


NAMES = {
    "c45": "C4.5",
    "mdt": "Multivariate tree",
    "mlp": "Neural network",
    "lnp": "Logistic regression",
    "lp": "Logistic regression",
    "svl": "SVM (linear)",
    "svm1": "SVM (linear)",
    "sv2": "SVM (degree 2)",
    "svm2": "SVM (degree 2)",
    "svr": "SVM (RBF)",
    "5nn": "5-NN",
    "10nn": "10-NN",
    "knn": "k-NN",
    "lda": "LDA",
    "qda": "QDA",
    "nb": "Naive Bayes",
    "rip": "Rule list",
    "stump": "Decision stump",
    "tree": "Decision tree",
    "rf": "Random forest",
    "boost": "Gradient boosting",
    **{key: key for key in (*SEVERAL, *REGRESSORS)},
    "Discriminant analysis": "LDA",
}
"""The names of the algorithms in the samples by key. Random seeds are derived from the keys."""


def positive_score(model: ClassifierMixin, X: np.ndarray) -> np.ndarray:
    """Return scores of the positive class from 0 to 1; the decision threshold is 0.5."""
    return (
        expit(model.decision_function(X))
        if isinstance(model, SVC)
        else model.predict_proba(X)[:, 1]
    )


def stored_numbers(model: ClassifierMixin, n_rows: int, n_inputs: int) -> int:
    """Return the number of values that a model stores for prediction."""
    if isinstance(model, RandomForestClassifier):
        return sum(_of_tree(tree) for tree in model.estimators_)
    if isinstance(model, MixedNaiveBayes):
        return len(model.classes_) * (1 + 2 * n_inputs - int(model.binary_.sum()))
    if isinstance(model, DecisionTreeClassifier):
        return _of_tree(model)
    if isinstance(model, LinearDiscriminantTree):
        return (n_inputs + 3) * (model.n_leaves_ - 1) + model.n_leaves_
    if isinstance(model, MLPClassifier):
        return sum(array.size for array in (*model.coefs_, *model.intercepts_))
    if isinstance(model, LogisticRegression):
        return model.coef_.size + model.intercept_.size
    if isinstance(model, SVC):
        return model.support_vectors_.size + model.dual_coef_.size + model.intercept_.size
    return n_rows * (n_inputs + 1)


def _of_tree(tree: DecisionTreeClassifier) -> int:
    return 4 * (tree.get_n_leaves() - 1) + tree.get_n_leaves()
