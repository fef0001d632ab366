"""Swapped predictions of several classes, counted by kinds of instances."""

import numpy as np
from scipy import stats

from stats_core.data import class_measures

_MOST_WAYS = 1_000_000  # numbers held at once, and ways to swap that are all tried
_WORK, _FEWEST = 20_000_000, 1999  # draws times kinds of instances, and fewest draws


def value_and_moves(
    measure: str, ways: np.ndarray, true: np.ndarray, predicted: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return a measure of several classes by way, and the influence of one instance of each kind, way x kind.

    `ways` holds the numbers of instances of each kind, way x kind. `true` and `predicted` are the class codes of each
    kind.

    Examples
    --------
    >>> value, moved = value_and_moves("kappa", np.ones((1, 3)), np.array([0, 1, 2]), np.array([0, 1, 1]))
    >>> value.round(3).tolist(), bool(abs(moved.sum()) < 1e-12)
    ([0.5], True)
    """
    hit = true == predicted
    members = [np.eye(int(max(true.max(), predicted.max())) + 1)[labels] for labels in (true, true, predicted)]
    members[0] = members[0] * hit[:, None]
    value, slopes = class_measures.class_measure_and_gradient(measure, *(ways @ member for member in members))
    moved = slopes[0][:, true] * hit + slopes[1][:, true] + slopes[2][:, predicted]
    return value[:, 0], moved


def swapped_moments(
    measure: str, labels: np.ndarray, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the permutation distribution of the difference of a measure of two models, and its probabilities.

    `labels` holds the true class and both predictions of each instance. The distribution is permutation x 2: the
    difference and its standard error. All permutations are counted if they are few. Otherwise at most `draws` are drawn
    with `rng`, and the probabilities are None.
    Only the numbers of swapped instances of each kind (true class and both predictions) matter.
    """
    labels = np.concatenate([labels, labels[:, [0, 2, 1]]])
    kinds, kind_of = np.unique(labels, axis=0, return_inverse=True)
    sizes = np.bincount(kind_of[: len(labels) // 2], minlength=len(kinds)).astype(float)
    partner = np.empty(len(kinds), dtype=np.int64)  # the same kind with swapped predictions
    partner[kind_of[: len(labels) // 2]] = kind_of[len(labels) // 2 :]
    partner[kind_of[len(labels) // 2 :]] = kind_of[: len(labels) // 2]
    pairs = np.flatnonzero(kinds[:, 1] < kinds[:, 2])
    differ = (sizes[pairs] + sizes[partner[pairs]]).astype(int)
    weights = None
    if np.prod(differ + 1.0) <= _MOST_WAYS / len(kinds):
        of_first = np.indices(differ + 1).reshape(len(differ), int(np.prod(differ + 1))).T
        weights = np.prod(stats.binom.pmf(of_first, differ, 0.5), axis=1)
    else:
        draws = min(draws, max(_FEWEST, _WORK // len(kinds)))
        of_first = rng.binomial(differ, 0.5, size=(draws, len(differ)))
    moments = []
    for part in np.array_split(of_first, -(-of_first.shape[0] * len(kinds) // _MOST_WAYS)):
        ways = np.broadcast_to(sizes, (len(part), len(kinds))).copy()
        ways[:, pairs], ways[:, partner[pairs]] = part, differ - part
        (value, moved), (other, moved_other) = (
            value_and_moves(measure, ways, kinds[:, 0], kinds[:, i]) for i in (1, 2)
        )
        n = sizes.sum()
        square = np.einsum("wk,wk->w", ways, (moved - moved_other) ** 2)
        moments.append(np.stack([value - other, np.sqrt(square * n / (n - 1))], axis=1))
    return np.concatenate(moments), weights
