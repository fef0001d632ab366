"""How long the curves of 5 million scores in 500 test sets take, against sorting and scikit-learn.

``python -m benchmarks.curves`` prints seconds, and each as a ratio to `numpy.sort` and
`numpy.argsort` of the same scores, test set by test set: what any program must do at least. Then
how many times longer a loop over scikit-learn takes for the same areas.
"""

import numpy as np
from sklearn.metrics import auc, average_precision_score, roc_curve

from benchmarks.multivariate import seconds
from stats_core.curves.curves import fold_areas, fold_curves

GROUPS, CASES = 500, 10_000


def main() -> None:
    """Print the tables."""
    rng = np.random.default_rng(1)
    positive = rng.random(GROUPS * CASES) < 0.3
    # scores are as fine as they come, or rounded as many programs write them
    fine = rng.beta(2 + positive, 3 - positive)
    for label, score in (("distinct scores", fine), ("scores of 3 digits", fine.round(3))):
        print(f"{GROUPS * CASES:,} {label} in {GROUPS} test sets, best of 3")
        compare(np.repeat(np.arange(GROUPS), CASES), positive, score)


def compare(group: np.ndarray, positive: np.ndarray, score: np.ndarray) -> None:
    """Print the ratios for one kind of scores."""
    table, labels = score.reshape(GROUPS, CASES), positive.reshape(GROUPS, CASES)
    sort = seconds(lambda: np.sort(table, axis=1))
    argsort = seconds(lambda: np.argsort(table, axis=1))
    print(f"  numpy: sort {sort:.2f} s, argsort {argsort:.2f} s")
    mixed = np.random.default_rng(2).permutation(len(score))
    shuffled = [array[mixed] for array in (group, positive, score)]
    works = {
        "fold_curves": lambda: fold_curves(group, positive, score),
        "fold_areas": lambda: fold_areas(group, positive, score),
        "fold_areas, rows shuffled": lambda: fold_areas(*shuffled),
    }
    took = {name: seconds(work) for name, work in works.items()}
    for name, time in took.items():
        print(f"  {name}: {time:.2f} s, sort x {time / sort:.2f}, argsort x {time / argsort:.2f}")
    loops = {
        "roc_curve and auc": lambda: [areas(*pair) for pair in zip(labels, table, strict=True)],
        "average_precision_score": lambda: [
            average_precision_score(*pair) for pair in zip(labels, table, strict=True)
        ],
    }
    alone = {name: seconds(loop) for name, loop in loops.items()}
    alone["both"] = sum(alone.values())  # what fold_areas gives in one pass
    for name, time in alone.items():
        ratio = time / took["fold_areas"]
        print(f"  scikit-learn, {name}: {time:.2f} s, fold_areas x {ratio:.1f}")


def areas(labels: np.ndarray, scores: np.ndarray) -> float:
    """Return the area under one ROC curve as scikit-learn's two functions give it."""
    fpr, tpr, _ = roc_curve(labels, scores)
    return auc(fpr, tpr)


if __name__ == "__main__":
    main()
