"""Time of the areas under the curves of a million scores in 100 test sets, against scikit-learn."""

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import auc, average_precision_score, roc_curve

from benchmarks.benchmark_row import Row, seconds
from stats_core.curves.roc_pr import fold_areas

GROUPS, CASES = 100, 10_000


def rows() -> Iterator[Row]:
    """Yield the times of both areas of all test sets, compared with a loop over scikit-learn."""
    rng = np.random.default_rng(1)
    positive = rng.random(GROUPS * CASES) < 0.3
    # distinct scores, or rounded ones, as many programs write them
    fine, group = rng.beta(2 + positive, 3 - positive), np.repeat(np.arange(GROUPS), CASES)
    labels = positive.reshape(GROUPS, CASES)
    for label, score in (("distinct scores", fine), ("scores of 3 digits", fine.round(3))):
        pairs = list(zip(labels, score.reshape(GROUPS, CASES), strict=True))
        took = seconds(lambda score=score: fold_areas(group, positive, score))
        peer = seconds(lambda pairs=pairs: [areas(*pair) for pair in pairs], 1)
        label = f"ROC and PR areas, 1 M {label}"
        yield Row(label, took, 1, peer, "scikit-learn", of_peer=True)


def areas(labels: np.ndarray, scores: np.ndarray) -> tuple[float, float]:
    """Return ROC AUC and average precision of one test set by scikit-learn."""
    fpr, tpr, _ = roc_curve(labels, scores)
    return auc(fpr, tpr), average_precision_score(labels, scores)
