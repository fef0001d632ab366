"""ROC and precision-recall curves of many test sets in one pass."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from stats_core.core.validation import check_one_of

_PR_STARTS = ("one", "first precision")
_BLOCK = 2**18  # instances whose areas are computed at once
_WORKERS = min(os.cpu_count() or 1, 4)  # sorting releases the GIL


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoldCurves:
    """ROC and precision-recall curves of many test sets, one point per distinct score.

    Made by `fold_curves`. Points run from the highest score down; the origin is not stored.

    Attributes
    ----------
    start : array of int, one entry more than curves
        First point of each curve; the last entry is the number of points.
    threshold : array of float
        An instance counts as positive if it scores at least this.
    tp, fp : arrays of int
        Positive and negative instances that score at least as high.
    positives, negatives : arrays of int, one per curve
    """

    start: np.ndarray
    threshold: np.ndarray
    tp: np.ndarray
    fp: np.ndarray
    positives: np.ndarray
    negatives: np.ndarray

    def __len__(self) -> int:
        """Return the number of curves."""
        return len(self.positives)

    def points(self, i: int) -> pd.DataFrame:
        """Return the points of one curve, the origin first: threshold, tp, fp."""
        part = slice(self.start[i], self.start[i + 1])
        return pd.DataFrame(
            {
                "threshold": np.concatenate([[np.inf], self.threshold[part]]),
                "tp": np.concatenate([[0], self.tp[part]]),
                "fp": np.concatenate([[0], self.fp[part]]),
            }
        )

    def roc(self, i: int) -> pd.DataFrame:
        """Return one ROC curve: fpr, tpr, threshold, from (0, 0) to (1, 1)."""
        points = self.points(i)
        with np.errstate(invalid="ignore"):  # a class without instances has no rate
            fpr, tpr = points["fp"] / self.negatives[i], points["tp"] / self.positives[i]
        return pd.DataFrame({"fpr": fpr, "tpr": tpr, "threshold": points["threshold"]})

    def pr(self, i: int, start: str = "one") -> pd.DataFrame:
        """Return one precision-recall curve: recall, precision, threshold."""
        check_one_of(start, _PR_STARTS, "start")
        points = self.points(i)
        precision = (points["tp"] / (points["tp"] + points["fp"])).to_numpy(copy=True)
        precision[0] = 1.0 if start == "one" else precision[1]
        with np.errstate(invalid="ignore"):
            recall = points["tp"] / self.positives[i]
        return pd.DataFrame({"recall": recall, "precision": precision, "threshold": points["threshold"]})

    def areas(self, start: str = "one") -> pd.DataFrame:
        """Return the areas under all curves: auc, auc_pr and average precision."""
        check_one_of(start, _PR_STARTS, "start")
        origin = self.start[:-1]
        tp0, fp0 = _previous(self.tp, origin, 0), _previous(self.fp, origin, 0)
        precision, gain = self.tp / (self.tp + self.fp), self.tp - tp0
        initial = 1.0 if start == "one" else precision[origin]
        table = pd.DataFrame(
            {
                "auc": np.add.reduceat((self.fp - fp0) * (self.tp + tp0.astype(float)), origin),
                "auc_pr": np.add.reduceat(gain * (precision + _previous(precision, origin, initial)), origin),
                "average precision": np.add.reduceat(gain * precision, origin),
            }
        )
        table[["auc", "auc_pr"]] /= 2
        table["auc"] /= np.maximum(self.negatives, 1)
        return table.div(self._both_classes(), axis=0)

    def davis_goadrich(self) -> np.ndarray:
        """Return areas under the precision-recall curves, interpolated by Davis and Goadrich."""
        origin = self.start[:-1]
        tp, fp = self.tp.astype(float), self.fp.astype(float)
        parts = _davis_goadrich(_previous(tp, origin, 0), _previous(fp, origin, 0), tp, fp)
        return np.add.reduceat(parts, origin) / self._both_classes()

    def _both_classes(self) -> np.ndarray:
        """Return the positives of each curve, NaN if a class is absent."""
        return np.where((self.positives > 0) & (self.negatives > 0), self.positives, np.nan)

    def counts_at(self, thresholds: ArrayLike) -> np.ndarray:
        """Return (tp, fp, tn, fn) of every curve at each threshold."""
        negated = -np.asarray(thresholds, dtype=float)
        counts = np.empty((len(negated), len(self), 4), dtype=np.int64)
        for i in range(len(self)):
            part = slice(self.start[i], self.start[i + 1])
            n_points = np.searchsorted(-self.threshold[part], negated, side="right")
            for j, column in enumerate((self.tp, self.fp)):
                counts[:, i, j] = np.concatenate([[0], column[part]])[n_points]
        counts[:, :, 2] = self.negatives - counts[:, :, 1]
        counts[:, :, 3] = self.positives - counts[:, :, 0]
        return counts


def fold_curves(group: np.ndarray, positive: np.ndarray, score: np.ndarray) -> FoldCurves:
    """Return the curves of many test sets in one pass.

    Notes
    -----
    Instances of equal score enter together, so that their order does not matter (Fawcett 2006,
    algorithm 1). The cost is that of sorting the scores of each test set.

    References
    ----------
    Fawcett, Pattern Recognit. Lett. 27 (2006) 861.

    Examples
    --------
    >>> curves = fold_curves(np.array([0, 0, 1, 1]), np.array([1, 0, 1, 0]), np.array([2, 1, 1, 1]))
    >>> curves.areas()["auc"].tolist()
    [1.0, 0.5]
    """
    begin, positive, score, _ = _runs(group, positive, score)
    return _curves(begin, positive, score)


def _curves(begin: np.ndarray, positive: np.ndarray, score: np.ndarray) -> FoldCurves:
    """Return the curves of consecutive test sets that start at `begin`."""
    order = np.empty(len(score), dtype=np.int32 if len(score) < 2**31 else np.int64)
    negated = -score
    for low, high in zip(begin[:-1], begin[1:], strict=True):
        order[low:high] = negated[low:high].argsort() + low
    score = score[order]
    last = np.empty(len(score), dtype=bool)
    np.not_equal(score[1:], score[:-1], out=last[:-1])
    last[begin[1:] - 1] = True
    last_positions = np.flatnonzero(last)
    tp = np.cumsum(positive[order], dtype=np.int32)[last_positions]
    del order
    start = np.searchsorted(last_positions, begin)
    tp_before = np.concatenate([[0], tp[start[1:] - 1]])
    sizes = np.diff(start)
    tp = tp - np.repeat(tp_before[:-1], sizes)
    fp = (last_positions + 1 - np.repeat(begin[:-1], sizes)).astype(np.int32) - tp
    positives = tp[start[1:] - 1]
    return FoldCurves(
        start=start,
        threshold=score[last_positions],
        tp=tp,
        fp=fp,
        positives=positives,
        negatives=np.diff(begin) - positives,
    )


def fold_areas(group: np.ndarray, positive: np.ndarray, score: np.ndarray) -> pd.DataFrame:
    """Return the areas of many test sets in one pass, without keeping their curves.

    Examples
    --------
    >>> fold_areas([0, 0, 1, 1], [True, False, True, False], [0, 1, 2, 3])["auc"].tolist()
    [0.0, 0.0]
    """
    begin, positive, score, position = _runs(group, positive, score, any_order=True)
    blocks, first = [], 0
    while first < len(begin) - 1:  # blocks of test sets fit into the processor's cache
        last = int(np.searchsorted(begin, begin[first] + _BLOCK, side="right")) - 1
        blocks.append((first, max(last, first + 1)))
        first = blocks[-1][1]

    def areas(block: tuple[int, int]) -> pd.DataFrame:
        first, last = block
        part = slice(begin[first], begin[last])
        return _curves(begin[first : last + 1] - begin[first], positive[part], score[part]).areas()

    if len(blocks) == 1:
        return areas(blocks[0]).iloc[position].reset_index(drop=True)
    with ThreadPoolExecutor(min(len(blocks), _WORKERS)) as pool:
        tables = list(pool.map(areas, blocks))
    return pd.concat(tables, ignore_index=True).iloc[position].reset_index(drop=True)


def _runs(
    group: ArrayLike, positive: ArrayLike, score: ArrayLike, *, any_order: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the start of each test set, instances sorted by test set, and each set's position."""
    group = np.asarray(group)
    positive, score = np.asarray(positive, dtype=bool), np.asarray(score, dtype=float)
    begin = np.concatenate([[0], np.flatnonzero(group[1:] != group[:-1]) + 1, [len(group)]])
    group_ids = group[begin[:-1]]
    n = int(group_ids.max()) + 1
    if (group_ids[1:] < group_ids[:-1]).any() and not (any_order and len(group_ids) == n):
        dtype = np.uint16 if n <= 2**16 else np.int64  # numpy sorts 16-bit integers in linear time
        order = np.argsort(group.astype(dtype), kind="stable")
        return _runs(group[order], positive[order], score[order])
    position = np.empty(n, dtype=np.int64)
    position[group_ids] = np.arange(len(group_ids))
    return begin, positive, score, position


def _previous(values: np.ndarray, origin: np.ndarray, initial: float) -> np.ndarray:
    """Return the preceding value of each point, `initial` at the start of a curve."""
    preceding = np.empty_like(values)
    preceding[1:] = values[:-1]
    preceding[origin] = initial
    return preceding


def _davis_goadrich(tp0: np.ndarray, fp0: np.ndarray, tp: np.ndarray, fp: np.ndarray) -> np.ndarray:
    """Integrate precision over tp between neighboring points, fp linear in tp.

    The precision at t true positives is t / (a t + b) with a = 1 + slope.
    """
    gain = tp - tp0
    with np.errstate(divide="ignore", invalid="ignore"):
        a = 1 + (fp - fp0) / gain
        b = fp0 - (a - 1) * tp0
        bend = np.where(b == 0, 0.0, b / a * np.log((a * tp + b) / (a * tp0 + b)))
    return np.where(gain > 0, (gain - bend) / a, 0.0)
