"""Instance predictions: compact columns, ROC and precision-recall curves, results per fold, tables by instance."""

import itertools
import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pandas.api.types import union_categoricals

from stats_core.core.messages import Message, message
from stats_core.core.result_types import cached
from stats_core.core.validation import check_one_of
from stats_core.data import measures, row_checks
from stats_core.data.measures import FROM_SCORES

if TYPE_CHECKING:
    from stats_core.data.results import Results

FOLD = ["dataset", "algorithm", "repetition", "fold"]
TEST_SET = ["dataset", "repetition", "fold"]
TEXTS = (*FOLD, "true", "predicted", "file")
_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_DENSE = 1_000_000  # most combinations that are counted in a dense array


def as_categories(rows: pd.DataFrame) -> pd.DataFrame:
    """Return predictions with texts as categoricals, indexed by `line`; without `line`, change and return `rows`."""
    table = rows.set_index("line") if "line" in rows else rows
    for name in TEXTS:
        if name in table and not isinstance(table[name].dtype, pd.CategoricalDtype):
            table[name] = to_category(*pd.factorize(table[name]))
    if "text" in table:
        table["text"] = table["text"].astype("category")
    if "instance" in table and pd.api.types.is_string_dtype(table["instance"]):
        table["instance"] = _case_names(table["instance"])
    return table


def to_category(codes: np.ndarray, names: Sequence[str] | np.ndarray) -> pd.Categorical:
    """Return codes as a categorical with distinct, naturally ordered names; code -1 is missing."""
    ordered = row_checks.natural_order(names)
    code_of = {name: code for code, name in enumerate(ordered)}
    positions = [code_of[str(name)] for name in names]
    if positions == list(range(len(names))):
        return pd.Categorical.from_codes(codes, list(ordered))
    new_codes = np.array([*positions, -1], dtype=code_kind(len(ordered)))
    return pd.Categorical.from_codes(new_codes[codes], list(ordered))


def code_kind(n: int) -> type[np.signedinteger]:
    """Return the smallest integer dtype for category codes of n names."""
    if n < 2**7:
        return np.int8
    return np.int16 if n < 2**15 else np.int32


def fill_keys(table: pd.DataFrame) -> None:
    """Add each absent column of `FOLD` with the value "1", in place."""
    for name in FOLD:
        if name not in table:
            table[name] = same("1", len(table))


def same(text: str, n: int) -> pd.Categorical:
    """Return a categorical column of length n with one value."""
    return pd.Categorical.from_codes(np.zeros(n, dtype=np.int8), [text])


def distinct_names(column: pd.Series) -> list:
    """Return the distinct values of a column; for a categorical, its categories, of which each must occur."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.categories.tolist()
    return column.unique().tolist()


def rename_categories(column: pd.Series, rename: Callable[[str], str]) -> pd.Series:
    """Return a column with renamed categories, merging equal new names; the same object if no name changes."""
    old = [str(name) for name in column.cat.categories]
    new = [rename(name) for name in old]
    if new == old:
        return column
    return pd.Series(to_category(column.cat.codes.to_numpy(), new), index=column.index)


def group_numbers(table: pd.DataFrame, columns: Sequence[str]) -> tuple[np.ndarray, pd.DataFrame]:
    """Return the group index of each row by its values in categorical `columns`, and those values of each group."""
    sizes = [len(table[name].cat.categories) for name in columns]
    n_combinations = np.prod(sizes, dtype=float)
    varying = []  # number of categories and codes of columns with several categories
    begins = np.zeros(len(table), dtype=bool)  # whether a run of rows of one group begins
    begins[:1] = True
    for name, size in zip(columns, sizes, strict=True):
        if size > 1:
            codes = table[name].cat.codes.to_numpy()
            begins[1:] |= codes[1:] != codes[:-1]
            varying.append((size, codes))
    in_runs = begins.mean() < 0.5
    starts = np.flatnonzero(begins)
    n_numbers = len(starts) if in_runs else len(table)
    dtype = np.int32 if n_combinations < 2**31 else np.int64
    number: np.ndarray = np.zeros(n_numbers, dtype=dtype)
    for size, codes in varying:
        number *= dtype(size)
        number += codes[starts] if in_runs else codes
    if n_combinations <= max(_DENSE, len(table)):
        used, number = _renumbered(number)
    else:
        used, number = np.unique(number, return_inverse=True)
    if in_runs:
        run_lengths = np.diff(starts, append=len(table))
        number = np.repeat(number, run_lengths)
    names = {}
    for name, codes in zip(columns, np.unravel_index(used, sizes), strict=True):
        categories = table[name].cat.categories.to_numpy(dtype=object)
        names[name] = categories[codes]
    return number, pd.DataFrame(names)


def _renumbered(number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct numbers, sorted, and each number's position among them, by counting."""
    used = np.flatnonzero(np.bincount(number))
    largest = int(used[-1])
    position = np.zeros(largest + 1, dtype=code_kind(len(used)))
    position[used] = np.arange(len(used))
    return used, position[number]


def case_numbers(instance: pd.Series) -> tuple[np.ndarray, int]:
    """Return instances as integers, starting at 0, and an upper bound on the number of distinct instances."""
    if isinstance(instance.dtype, pd.CategoricalDtype):
        codes = instance.cat.codes.to_numpy()
        return codes.astype(np.int64), len(instance.cat.categories)
    values = instance.to_numpy(dtype=np.int64)
    low = int(values.min())
    high = int(values.max())
    if high - low >= 2**30:  # identifiers rather than consecutive numbers
        values, names = pd.factorize(values)
        return values, len(names)
    return values - low, high - low + 1


def _case_names(texts: pd.Series) -> pd.Series:
    codes, names = pd.factorize(texts)
    if all(_WHOLE_NUMBER.fullmatch(name) for name in names):
        numbers = np.array(names, dtype=np.int32)
        return pd.Series(numbers[codes], index=texts.index)
    order = np.argsort(np.array(names, dtype=object))
    rank = np.empty(len(names), dtype=np.int32)
    rank[order] = np.arange(len(names))
    return pd.Series(pd.Categorical.from_codes(rank[codes], names[order]), index=texts.index)


def first_places(group: np.ndarray) -> np.ndarray:
    """Return for each group number 0, 1, ... the position of its first occurrence."""
    changes = np.concatenate([[0], np.flatnonzero(group[1:] != group[:-1]) + 1])
    backwards = changes[::-1]  # so that the first occurrence is written last
    positions = np.empty(int(group.max()) + 1, dtype=np.int64)
    positions[group[backwards]] = backwards
    return positions


def distinct_numbers(numbers: np.ndarray) -> np.ndarray:
    """Return the sorted distinct numbers; sorting is faster than hashing here."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), dtype=bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def case_counts(group: np.ndarray, actual: np.ndarray, called: np.ndarray) -> dict[str, np.ndarray]:
    """Return tp, fp, tn and fn of each group."""
    n_groups = int(group.max()) + 1
    outcome = actual * np.int8(2) + called
    counts = measures.cell_counts((n_groups, 4), group, outcome).astype(float)
    return {"tp": counts[:, 3], "fp": counts[:, 1], "tn": counts[:, 0], "fn": counts[:, 2]}


def is_common_test_set(instances: pd.DataFrame) -> bool:
    """Return whether every data set has several folds with the same instances and labels; False without instances."""
    if "instance" not in instances:
        return False
    instance, n_instances = case_numbers(instances["instance"])
    fold, folds = group_numbers(instances, TEST_SET)
    label = instances["true"].cat
    n_labels = len(label.categories)
    instance_of_fold = fold * np.int64(n_instances) + instance
    tested = distinct_numbers(instance_of_fold * n_labels + label.codes.to_numpy())
    fold, instance = np.divmod(tested // n_labels, n_instances)
    _, dataset_of_fold = row_checks.number_labels(folds, ["dataset"])
    instance_of_dataset = dataset_of_fold[fold] * np.int64(n_instances) + instance
    distinct, n_occurrences = np.unique(instance_of_dataset, return_counts=True)
    labelled = distinct_numbers(instance_of_dataset * n_labels + tested % n_labels)
    if len(labelled) != len(distinct):  # an instance has two labels
        return False
    n_folds = np.bincount(dataset_of_fold)
    in_all_folds = n_occurrences == n_folds[distinct // n_instances]
    return bool(in_all_folds.all() and (n_folds > 1).all())


def stack_predictions(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the instance predictions of several files as one table; values of absent columns are missing."""
    if len(tables) == 1:
        return tables[0].reset_index(drop=True)
    columns = {}
    names = dict.fromkeys(name for table in tables for name in table)
    for name in names:
        parts = [table.get(name, pd.Series(pd.NA, index=table.index)) for table in tables]
        if any(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
            texts = [part.astype("str").astype("category") for part in parts]
            combined = union_categoricals(texts)
            columns[name] = pd.Series(to_category(combined.codes, list(combined.categories)))
        else:
            columns[name] = pd.concat(parts, ignore_index=True)
    return pd.DataFrame(columns)


_PR_STARTS = ("one", "first precision")
_AREAS = ["auc", "auc_pr", "average precision"]
_BLOCK = 2**16  # instances whose areas are computed at once
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
        Numbers of positive and negative instances that score at least the threshold.
    positives, negatives : arrays of int, one per curve
        Numbers of instances of each class in the test set.
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
        """Return the points of curve `i`, from the origin at threshold inf; columns threshold, tp, fp."""
        part = slice(self.start[i], self.start[i + 1])
        columns = {
            "threshold": np.concatenate([[np.inf], self.threshold[part]]),
            "tp": np.concatenate([[0], self.tp[part]]),
            "fp": np.concatenate([[0], self.fp[part]]),
        }
        return pd.DataFrame(columns)

    def roc(self, i: int) -> pd.DataFrame:
        """Return ROC curve `i` from (0, 0) to (1, 1); columns fpr, tpr (each NaN without its class), threshold."""
        points = self.points(i)
        with np.errstate(invalid="ignore"):  # a class without instances has no rate
            fpr = points["fp"] / self.negatives[i]
            tpr = points["tp"] / self.positives[i]
        return pd.DataFrame({"fpr": fpr, "tpr": tpr, "threshold": points["threshold"]})

    def pr(self, i: int, start: str = "one") -> pd.DataFrame:
        """Return precision-recall curve `i`; columns recall (NaN without positives), precision, threshold.

        `start` is as in `pr_curve`.
        """
        check_one_of(start, _PR_STARTS, "start")
        points = self.points(i)
        n_called = points["tp"] + points["fp"]
        precision = (points["tp"] / n_called).to_numpy(copy=True)
        precision[0] = 1.0 if start == "one" else precision[1]
        with np.errstate(invalid="ignore"):
            recall = points["tp"] / self.positives[i]
        return pd.DataFrame(
            {"recall": recall, "precision": precision, "threshold": points["threshold"]}
        )

    def areas(self, start: str = "one") -> pd.DataFrame:
        """Return auc, auc_pr and average precision, one row per curve; NaN if a class is absent.

        `start` is as in `pr_curve`.
        """
        check_one_of(start, _PR_STARTS, "start")
        return pd.DataFrame(self.area_rows(start), columns=_AREAS)

    def area_rows(self, start: str = "one") -> np.ndarray:
        """Return the columns of `areas`, one row per curve."""
        origin = self.start[:-1]
        tp_before = _previous(self.tp, origin, 0)
        fp_before = _previous(self.fp, origin, 0)
        gain = self.tp - tp_before
        precision = self.tp / (self.tp + self.fp)
        initial = 1.0 if start == "one" else precision[origin]
        precision_before = _previous(precision, origin, initial)
        # sums of trapezoids, which are twice the areas
        width = self.fp - fp_before
        doubled_roc = np.add.reduceat(width * (self.tp + tp_before.astype(float)), origin)
        doubled_pr = np.add.reduceat(gain * (precision + precision_before), origin)
        roc = doubled_roc / 2 / np.maximum(self.negatives, 1)
        average_precision = np.add.reduceat(gain * precision, origin)
        areas = np.stack([roc, doubled_pr / 2, average_precision], axis=1)
        return areas / self._both_classes()[:, np.newaxis]

    def davis_goadrich(self) -> np.ndarray:
        """Return areas under the precision-recall curves by Davis and Goadrich, NaN if a class is absent."""
        origin = self.start[:-1]
        tp = self.tp.astype(float)
        fp = self.fp.astype(float)
        tp_before = _previous(tp, origin, 0)
        fp_before = _previous(fp, origin, 0)
        parts = _davis_goadrich(tp_before, fp_before, tp, fp)
        return np.add.reduceat(parts, origin) / self._both_classes()

    def _both_classes(self) -> np.ndarray:
        """Return the number of positives of each curve, NaN if either class is absent."""
        has_both = (self.positives > 0) & (self.negatives > 0)
        return np.where(has_both, self.positives, np.nan)

    def counts_at(self, thresholds: ArrayLike) -> np.ndarray:
        """Return (tp, fp, tn, fn) of every curve at each threshold, threshold x curve x 4."""
        negated = -np.asarray(thresholds, dtype=float)
        counts = np.empty((len(negated), len(self), 4), dtype=np.int64)
        for i in range(len(self)):
            part = slice(self.start[i], self.start[i + 1])
            n_points = np.searchsorted(-self.threshold[part], negated, side="right")
            tp = np.concatenate([[0], self.tp[part]])
            fp = np.concatenate([[0], self.fp[part]])
            counts[:, i, 0] = tp[n_points]
            counts[:, i, 1] = fp[n_points]
        counts[:, :, 2] = self.negatives - counts[:, :, 1]
        counts[:, :, 3] = self.positives - counts[:, :, 0]
        return counts


def fold_curves(group: np.ndarray, positive: np.ndarray, score: np.ndarray) -> FoldCurves:
    """Return the ROC and precision-recall curves of many test sets, computed in one pass.

    `group` is the number 0, 1, ... of each instance's test set, and of its curve. `positive` says
    whether each instance is positive; a higher `score` means more positive. The arrays are not
    checked.

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
    """Return the curves of consecutive test sets; `begin` are their start positions and the last end."""
    score, positive = _ranked(begin, positive, score)
    is_last = np.empty(len(score), dtype=bool)  # of the instances with this score
    np.not_equal(score[1:], score[:-1], out=is_last[:-1])
    is_last[begin[1:] - 1] = True
    last = np.flatnonzero(is_last)
    positives = np.add.reduceat(positive, begin[:-1], dtype=np.int32)
    negatives = np.diff(begin) - positives
    tp = positive.astype(np.int32)
    fp = 1 - tp
    for counts, totals in ((tp, positives), (fp, negatives)):
        counts[begin[1:-1]] -= totals[:-1]  # so that the sum starts at 0 in each test set
        np.cumsum(counts, out=counts)
    return FoldCurves(
        start=np.searchsorted(last, begin),
        threshold=score[last],
        tp=tp[last],
        fp=fp[last],
        positives=positives,
        negatives=negatives,
    )


def _ranked(
    begin: np.ndarray, positive: np.ndarray, score: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of consecutive test sets, from the highest to the lowest of each, and the labels."""
    parts = [slice(first, end) for first, end in itertools.pairwise(begin)]
    if score.min() >= 0 and score.max() < 2:
        return _ranked_with_labels(parts, positive, score)
    order = np.concatenate([(-score[part]).argsort() + part.start for part in parts])
    return score[order], positive[order]


def _ranked_with_labels(
    parts: list[slice], positive: np.ndarray, score: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `_ranked` returns, by sorting scores and labels as one integer.

    Numbers from 0 up to 2 use 62 bits, so that the label fits in as the last one.
    """
    bits = ~((score + 0.0).view(np.int64) << 1 | positive)
    for part in parts:
        bits[part].sort()
    np.invert(bits, out=bits)
    labels = (bits & 1).astype(np.int32)
    bits >>= 1
    return bits.view(float), labels


def fold_areas(group: np.ndarray, positive: np.ndarray, score: np.ndarray) -> pd.DataFrame:
    """Return `FoldCurves.areas` of the curves that `fold_curves` would return, without storing the curves.

    Examples
    --------
    >>> fold_areas([0, 0, 1, 1], [True, False, True, False], [0, 1, 2, 3])["auc"].tolist()
    [0.0, 0.0]
    """
    begin, positive, score, position = _runs(group, positive, score, any_order=True)
    blocks = _cache_blocks(begin)

    def areas(block: tuple[int, int]) -> np.ndarray:
        first, last = block
        part = slice(begin[first], begin[last])
        begin_in_block = begin[first : last + 1] - begin[first]
        return _curves(begin_in_block, positive[part], score[part]).area_rows()

    with ThreadPoolExecutor(min(len(blocks), _WORKERS)) as pool:
        rows = np.concatenate([*pool.map(areas, blocks)])
    return pd.DataFrame(rows[position], columns=_AREAS)


def _cache_blocks(begin: np.ndarray) -> list[tuple[int, int]]:
    """Return the bounds of blocks of test sets that fit into the processor's cache."""
    blocks = []
    first = 0
    while first < len(begin) - 1:
        in_cache = int(np.searchsorted(begin, begin[first] + _BLOCK, side="right")) - 1
        last = max(in_cache, first + 1)
        blocks.append((first, last))
        first = last
    return blocks


def _runs(
    group: ArrayLike, positive: ArrayLike, score: ArrayLike, *, any_order: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the starts of test sets with the last end, labels, scores, and each test set's place in their order.

    Test sets are sorted by number; with `any_order`, contiguous ones keep their order.
    """
    group = np.asarray(group)
    positive = np.asarray(positive, dtype=bool)
    score = np.asarray(score, dtype=float)
    changes = np.flatnonzero(group[1:] != group[:-1]) + 1
    begin = np.concatenate([[0], changes, [len(group)]])
    group_ids = group[begin[:-1]]
    n_groups = int(group_ids.max()) + 1
    is_sorted = (group_ids[1:] >= group_ids[:-1]).all()
    is_contiguous = len(group_ids) == n_groups
    if not is_sorted and not (any_order and is_contiguous):
        # numpy sorts 16-bit integers in linear time
        dtype = np.uint16 if n_groups <= 2**16 else np.int64
        order = np.argsort(group.astype(dtype), kind="stable")
        return _runs(group[order], positive[order], score[order])
    position = np.empty(n_groups, dtype=np.int64)
    position[group_ids] = np.arange(len(group_ids))
    return begin, positive, score, position


def _previous(values: np.ndarray, origin: np.ndarray, initial: float) -> np.ndarray:
    """Return the value at the preceding point of the same curve, `initial` at the first point."""
    preceding = np.empty_like(values)
    preceding[1:] = values[:-1]
    preceding[origin] = initial
    return preceding


def _davis_goadrich(tp0: np.ndarray, fp0: np.ndarray, tp: np.ndarray, fp: np.ndarray) -> np.ndarray:
    """Return the integral of precision over tp between neighbouring points, with fp linear in tp.

    The precision at t true positives is t / (a t + b) with a = 1 + slope.
    """
    gain = tp - tp0
    with np.errstate(divide="ignore", invalid="ignore"):
        a = 1 + (fp - fp0) / gain
        b = fp0 - (a - 1) * tp0
        log_ratio = np.log((a * tp + b) / (a * tp0 + b))
        bend = np.where(b == 0, 0.0, b / a * log_ratio)
    return np.where(gain > 0, (gain - bend) / a, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The cell of each row of predictions in an array of run x instance x algorithm."""

    shape: tuple[int, int, int]
    index: tuple[np.ndarray, np.ndarray, np.ndarray]

    def filled(self, values: np.ndarray, empty: float = np.nan) -> np.ndarray:
        """Return values in their cells, and `empty` in cells without a row."""
        array = np.full(self.shape + values.shape[1:], empty, dtype=values.dtype)
        array[self.index] = values
        return array

    def column(self, block: pd.DataFrame, name: str) -> np.ndarray | None:
        """Return a column of numbers in their cells, NaN where absent; None without it."""
        if name not in block:
            return None
        return self.filled(block[name].to_numpy(dtype=float, na_value=np.nan))


TIME = "order in time"  # the column of predictions with the time of each instance, as a number
_CLUSTER = "cluster"  # the column of predictions with the cluster of each instance
POSSIBLE_CLUSTER = "possible cluster "  # likewise, before the name of a column that is not used
_ONE_SET = ("single", "common test set")


@dataclass(frozen=True, kw_only=True, eq=False)
class CaseTable:
    """Predictions of all algorithms on one test set, by instance.

    Attributes
    ----------
    dataset : str
        Name of the data set.
    names : tuple of str
        The algorithms.
    trainings : tuple of (str, str)
        Repetition and fold of each run; a single one if each algorithm has one answer per instance,
        or its answers are averaged.
    cases : array
        The names of the instances.
    positive : array of bool or None
        Whether the true label is the positive class; None with more than two classes.
    correct : array of bool, run x case x algorithm
        Whether each prediction was correct.
    score : array of float or None, run x case x algorithm
        Higher means more positive; None without scores, or with more than two classes.
    cluster : array of int or None
        The cluster of each instance, numbered from 0; None without clusters.
    value : array of float or None, run x case x algorithm
        The graded score of each answer; None for predictions, and for answers that are correct or
        not.
    target : array or None
        The class code of each instance with more than two classes, or its true number; None
        otherwise.
    predicted : array or None, run x case x algorithm
        Predictions of `target`; None without it.
    time : array of float or None
        The time of each instance; None unless all times are known and differ.
    class_scores : array of float or None, run x case x algorithm x class
        Scores of all classes in the order of their codes, NaN for classes without scores; None
        without them.
    cluster_names : array or None
        The name of each cluster; None without clusters.
    left_out : int
        Number of instances left out, because a prediction (or, for a measure of scores, a score) is
        missing.
    dataset_label : str
        The data set as named in sentences.
    answers : int
        Number of answers of each algorithm to an instance, if these are no runs that instances
        share. Answers are averaged in `value`, or are the runs of a measure that is no mean.
    runs_averaged : bool
        Whether these answers are runs that not every algorithm has.
    fewest_answers : int
        Smallest number of answers of an algorithm to an instance. Of a measure that is no mean,
        the number of runs in which every algorithm answers.
    n_fewer : int
        Number of instances to which some algorithm has fewer than `answers`.
    possible_clusters : dict of str to array of int
        As `cluster`, but of columns that only may hold clusters, so that they are not used.
    """

    dataset: str
    names: tuple[str, ...]
    trainings: tuple[tuple[str, str], ...]
    cases: np.ndarray
    positive: np.ndarray | None
    correct: np.ndarray
    score: np.ndarray | None
    cluster: np.ndarray | None
    left_out: int
    value: np.ndarray | None = None
    target: np.ndarray | None = None
    predicted: np.ndarray | None = None
    class_scores: np.ndarray | None = None
    time: np.ndarray | None = None
    cluster_names: np.ndarray | None = None
    dataset_label: str = "the test set"
    answers: int = 1
    runs_averaged: bool = False
    fewest_answers: int = 1
    n_fewer: int = 0
    possible_clusters: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def n_runs(self) -> int:
        """Number of runs that all instances share; 1 for repeated answers to each instance."""
        return 1 if self.answers > 1 else len(self.trainings)

    @property
    def probabilities(self) -> bool:
        """Whether there are scores of two classes, all within [0, 1]."""
        if self.score is None or self.positive is None:
            return False
        return bool(((self.score >= 0) & (self.score <= 1)).all())

    @property
    def are_marks(self) -> bool:
        """Whether there are only marks of right and wrong answers."""
        return self.positive is None and self.target is None and self.value is None

    @property
    def has_one_answer(self) -> bool:
        """Whether each algorithm has one answer per instance, which is right or wrong."""
        numbers = self.target is not None and self.target.dtype.kind == "f"
        return self.value is None and not numbers and len(self.trainings) == 1

    @property
    def n_clusters(self) -> int:
        """Number of clusters, 0 without clusters."""
        return 0 if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def truth(self) -> np.ndarray:
        """Whether each instance is positive; all True with more than two classes."""
        return np.ones(len(self.cases), dtype=bool) if self.positive is None else self.positive

    @property
    def called(self) -> np.ndarray:
        """Whether each instance was predicted positive; with more than two classes, whether classified correctly."""
        return self.truth[None, :, None] == self.correct


@cached
def case_table(results: "Results", dataset: str, measure: str = "") -> CaseTable | None:
    r"""Return the predictions on a data set's only test set; None without named instances or with several test sets.

    Of answers with several measures, the values of `measure` are returned. Instances are left out if
    they lack what `measure` needs: a label, or for a measure of scores also a score.

    Examples
    --------
    >>> from stats_core.io.read import read_results
    >>> text = b"instance,y,a,b\n1,1,1,0\n2,1,1,0\n3,1,1,0\n4,1,1,1\n5,0,0,0\n6,0,0,0\n"
    >>> table = case_table(read_results(("d.csv", text)), "d")
    >>> table.names, table.correct[0].sum(axis=0).tolist()
    (('a', 'b'), [6, 3])
    """
    if not _has_one_test_set(results, dataset):
        return None
    names = tuple(results.algorithms)
    block, algorithm_index = _rows_of_algorithms(results, dataset, measure)
    if block.empty:
        return None
    is_mean = _is_mean(block, measure)
    n_answers = 1
    if results.repeated_answers:
        _, runs = group_numbers(block, ["repetition", "fold"])
        n_answers = len(runs)
        if not is_mean:
            is_usable = _in_runs_of_all(block, algorithm_index, len(names))
            block = block[is_usable]
            algorithm_index = algorithm_index[is_usable]
        if block.empty:
            return None
    run, runs = group_numbers(block, ["repetition", "fold"])
    number, _ = case_numbers(block["instance"])
    instance_ids, first_rows, instance_index = np.unique(
        number, return_index=True, return_inverse=True
    )
    cells = _Cells(
        shape=(len(runs), len(instance_ids), len(names)),
        index=(run, instance_index, algorithm_index),
    )
    correct = cells.filled(_marks(block["correct"]), empty=-1)
    answered = np.asarray(correct >= 0)
    score = cells.column(block, "score") if "positive" in block else None
    value = cells.column(block, "value")
    if value is not None:
        answered &= np.isfinite(value)
    target, predicted, class_scores = _classes_or_numbers(block, cells, first_rows)
    if results.repeated_answers and is_mean:
        complete = np.all(np.any(answered, axis=0), axis=1)
    else:
        complete = np.asarray(answered.all(axis=(0, 2)))
        scores = (score, class_scores, target)
        score, class_scores, complete = _with_scores(measure, scores, complete)
    complete_rows = first_rows[complete]
    cluster_names, cluster = _cluster_numbers(block, _CLUSTER, complete_rows)
    run_names = runs[["repetition", "fold"]].astype(str).itertuples(index=False, name=None)
    table = CaseTable(
        dataset=dataset,
        names=names,
        trainings=tuple(run_names),
        cases=block["instance"].to_numpy()[complete_rows],
        positive=_column_at(block, "positive", complete_rows),
        correct=correct[:, complete] == 1,
        score=_of_complete(score, complete),
        cluster=cluster,
        left_out=int((~complete).sum()),
        value=_of_complete(value, complete),
        target=None if target is None else target[complete],
        predicted=_of_complete(predicted, complete),
        class_scores=_of_complete(class_scores, complete),
        time=_distinct_times(block, complete_rows),
        dataset_label=results.dataset_label(dataset),
        cluster_names=cluster_names,
        possible_clusters=_possible_clusters(block, complete_rows),
        answers=n_answers,
        runs_averaged=results.runs_averaged,
        fewest_answers=len(runs) if results.repeated_answers else 1,
    )
    if not is_mean or not measure or n_answers < 2:
        return table
    return _averaged(table, measure, answered[:, complete])


def _has_one_test_set(results: "Results", dataset: str) -> bool:
    """Return whether named instances of a data set were predicted on one test set."""
    predictions = results.predictions
    if predictions is None or "instance" not in predictions:
        return False
    return results.design_of(dataset) in _ONE_SET


def _marks(correct: pd.Series) -> np.ndarray:
    """Return 1 for correct, 0 for wrong, and -1 for missing predictions."""
    return correct.to_numpy(dtype=np.float32, na_value=-1).astype(np.int8)


def _rows_of_algorithms(
    results: "Results", dataset: str, measure: str
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the predictions on a data set, and the position of the algorithm of each row."""
    predictions = results.predictions
    assert predictions is not None
    block = predictions[(predictions["dataset"] == dataset).to_numpy()]
    if VALUE + measure in block:
        is_higher_better = results.direction(measure) == "higher"
        block = _of_measure(block, measure, higher=is_higher_better)
    algorithm_index = _algorithm_positions(block, results.algorithms)
    is_compared = algorithm_index >= 0
    return block[is_compared], algorithm_index[is_compared]


def _algorithm_positions(block: pd.DataFrame, names: Sequence[str]) -> np.ndarray:
    """Return the position of the algorithm of each row among names, -1 if it is none of them."""
    algorithm = block["algorithm"].cat
    position_of_code = pd.Index(names).get_indexer(algorithm.categories.astype(str))
    return position_of_code[algorithm.codes.to_numpy()]


def _classes_or_numbers(
    block: pd.DataFrame, cells: _Cells, first_rows: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
    """Return true values, predicted values and class scores; None for two classes."""
    if "predicted" not in block or {"positive", "value"} & {*block}:
        return None, None, None
    true, predicted = _targets(block["true"], block["predicted"])
    return true[first_rows], cells.filled(predicted, empty=0), _class_scores(block, cells)


def _column_at(block: pd.DataFrame, name: str, rows: np.ndarray) -> np.ndarray | None:
    """Return a column at some rows; None without it."""
    return block[name].to_numpy()[rows] if name in block else None


def _of_complete(values: np.ndarray | None, complete: np.ndarray) -> np.ndarray | None:
    """Return the values of complete instances, from an array of run x instance."""
    return None if values is None else values[:, complete]


def _distinct_times(block: pd.DataFrame, rows: np.ndarray) -> np.ndarray | None:
    """Return the times of these rows; None if one is missing or repeated."""
    if TIME not in block:
        return None
    time = block[TIME].to_numpy(dtype=float, na_value=np.nan)[rows]
    has_missing = np.isnan(time).any()
    has_repeated = len(np.unique(time)) < len(time)
    return None if has_missing or has_repeated else time


def _cluster_numbers(
    block: pd.DataFrame, column: str, rows: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return names of clusters and the cluster number of each row; None if one has none."""
    if column not in block or block[column].isna().any():
        return None, None
    names, number = np.unique(block[column].to_numpy()[rows], return_inverse=True)
    return names, number


def _possible_clusters(block: pd.DataFrame, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the cluster number of each row by column that may hold clusters."""
    numbers = {}
    for column in block:
        if not str(column).startswith(POSSIBLE_CLUSTER):
            continue
        _, number = _cluster_numbers(block, column, rows)
        if number is not None:
            numbers[column.removeprefix(POSSIBLE_CLUSTER)] = number
    return numbers


def _is_mean(block: pd.DataFrame, measure: str) -> bool:
    """Return whether a measure is a mean over instances, as accuracy and graded scores are."""
    if measure in ("error", "accuracy") or "value" in block:
        return True
    return bool(measure) and not {"positive", "predicted"} & {*block}


def _in_runs_of_all(
    block: pd.DataFrame, algorithm_index: np.ndarray, n_algorithms: int
) -> np.ndarray:
    """Return which rows belong to a run in which every algorithm answers."""
    run, _ = group_numbers(block, ["repetition", "fold"])
    answering = pd.Series(algorithm_index).groupby(run).nunique().to_numpy()
    return answering[run] == n_algorithms


def _averaged(table: CaseTable, measure: str, answered: np.ndarray) -> CaseTable:
    """Return a table with the mean of the answers to each instance as its only answer."""
    if table.value is None:
        is_wrong = measure == "error"
        values = table.correct != is_wrong  # the error of each answer, or its correctness
    else:
        values = table.value
    n_answers = answered.sum(axis=0)
    total = np.where(answered, values, 0.0).sum(axis=0)
    value = (total / n_answers)[None]
    has_counts = n_answers.size > 0
    most = int(n_answers.max()) if table.runs_averaged and has_counts else table.answers
    return replace(
        table,
        answers=max(most, 2),
        trainings=table.trainings[:1],
        positive=None,
        correct=value == 1,
        score=None,
        value=value,
        target=None,
        predicted=None,
        class_scores=None,
        fewest_answers=int(n_answers.min()) if has_counts else table.answers,
        n_fewer=int((n_answers < most).any(axis=1).sum()),
    )


def _class_scores(block: pd.DataFrame, cells: _Cells) -> np.ndarray | None:
    """Return scores with the classes as last axis; None unless each class has a column."""
    of_true = [CLASS_SCORE + str(label) for label in block["true"].cat.categories]
    columns = [name for name in block if str(name).startswith(CLASS_SCORE)]
    of_class = list(dict.fromkeys([*of_true, *columns]))
    if not set(of_class) <= set(block):
        return None
    return cells.filled(block[of_class].to_numpy(dtype=float, na_value=np.nan))


def _with_scores(
    measure: str,
    scores: tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None],
    complete: np.ndarray,
) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray]:
    """Return scores of two and of several classes, and which instances are complete.

    `scores` are both of these and the true classes.

    Measures of labels need no scores: they keep all labelled instances, and scores only if none of
    these lacks one. Measures of scores, and "", keep the instances with all scores, if there are any.
    """
    score, class_scores, target = scores
    is_of_scores = measure in FROM_SCORES
    if score is not None:
        scored = complete & np.isfinite(score).all(axis=(0, 2))
        if (is_of_scores or not measure) and (scored.any() or measure):
            complete = scored
        elif not scored[complete].all():
            score = None
    if class_scores is not None and target is not None:
        of_true_class = np.take_along_axis(class_scores, target[None, :, None, None], axis=3)
        scored = complete & ~np.isnan(of_true_class).any(axis=(0, 2, 3))
        if is_of_scores:
            complete = scored
        elif not scored[complete].all():
            class_scores = None
    return score, class_scores, complete


def _of_measure(block: pd.DataFrame, measure: str, *, higher: bool) -> pd.DataFrame:
    """Return instances with one of several measures as `correct` and, unless 1 means right and 0 wrong, `value`."""
    value = block[VALUE + measure].to_numpy(dtype=float)
    correct, graded = _marks_or_values(value)
    block = block.drop(columns="value", errors="ignore")
    block = block.assign(correct=_nullable(correct, missing=np.isnan(value)))
    return block if higher and graded is None else block.assign(value=value)


def _nullable(marks: np.ndarray, *, missing: np.ndarray) -> pd.arrays.BooleanArray:
    """Return marks that are NA where `missing`."""
    return pd.arrays.BooleanArray(marks.astype(bool), missing.copy())


def _targets(true: pd.Series, predicted: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Return true and predicted values as numbers, or as codes of classes if the predictions are labels."""
    if pd.api.types.is_float_dtype(predicted):
        texts = true.cat.categories.astype(str).str.replace(",", ".")
        numbers = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=float)
        return numbers[true.cat.codes.to_numpy()], predicted.to_numpy()
    true_labels = true.cat.categories.astype(str)
    predicted_labels = predicted.cat.categories.astype(str)
    classes = pd.Index(dict.fromkeys([*true_labels, *predicted_labels]))
    true_codes = classes.get_indexer(true_labels)
    predicted_codes = classes.get_indexer(predicted_labels)
    return true_codes[true.cat.codes], predicted_codes[predicted.cat.codes]


@cached
def correct_cases(results: "Results", dataset: str) -> pd.DataFrame | None:
    """Return whether each prediction is correct, instance x algorithm; None without named instances, or for scores.

    Predicted numbers are not correct or wrong, so they also give None. Only instances that all
    algorithms predicted are included, each at its first test. If names repeat in different test
    sets of a repetition, all instances of the first repetition are included.
    """
    predictions = results.predictions
    if predictions is None or "instance" not in predictions or "value" in predictions:
        return None
    if pd.api.types.is_float_dtype(predictions.get("predicted")):
        return None
    block = predictions[(predictions["dataset"] == dataset).to_numpy()]
    names = list(results.algorithms)
    test_set, test_sets = group_numbers(block, ["repetition", "fold"])
    instance, n_instances = case_numbers(block["instance"])
    tested, first_rows, row = np.unique(
        test_set * np.int64(n_instances) + instance, return_index=True, return_inverse=True
    )
    marks = np.full((len(tested), len(names)), -1, dtype=np.int8)  # -1 if a run failed
    marks[row, _algorithm_positions(block, names)] = _marks(block["correct"])
    # in the order of repetitions and folds
    test_set, instance = np.divmod(tested, n_instances)
    is_complete = np.all(marks >= 0, axis=1)
    repetition = test_sets["repetition"].to_numpy()[test_set]
    rows = _unique_instances(
        test_set, instance, repetition, is_complete, results.design_of(dataset)
    )
    levels = {
        "repetition": repetition[rows],
        "fold": test_sets["fold"].to_numpy()[test_set[rows]],
        "instance": block["instance"].to_numpy()[first_rows[rows]],
    }
    index = pd.MultiIndex.from_arrays(list(levels.values()), names=list(levels))
    return pd.DataFrame(marks[rows] == 1, index=index, columns=pd.Index(names, name="algorithm"))


def _unique_instances(
    test_set: np.ndarray,
    instance: np.ndarray,
    repetition: np.ndarray,
    complete: np.ndarray,
    design: str,
) -> np.ndarray:
    """Return positions of complete rows, the first of each instance.

    If names repeat in different test sets of a repetition, return all complete rows of the first
    repetition.
    """
    rows = np.flatnonzero(complete)
    if not len(rows):
        return rows
    repetition_codes, _ = pd.factorize(repetition[rows])
    largest = int(instance.max())
    instance_of_repetition = repetition_codes * (largest + 1) + instance[rows]
    names_repeat = len(np.unique(instance_of_repetition)) < len(rows)
    if names_repeat and design != "common test set":
        first_repetition = repetition[rows[0]]
        return rows[repetition[rows] == first_repetition]
    _, first = np.unique(instance[rows], return_index=True)
    return rows[np.sort(first)]


EMPTY = ("", "na", "nan", "none", "null")  # texts of missing labels, in lower case
VALUE = "value of "  # columns that hold one of several measures of items
CLASS_SCORE = "score of "  # columns that hold the probability of one class each
_WHOLE_LABEL = re.compile(r"^([+-]?\d+)\.0+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredFolds:
    """Fold results computed from predictions."""

    rows: pd.DataFrame  # one per algorithm and fold: the measures
    measures: list[str]
    notes: list[Message]
    # with `correct`, missing if the run failed, and for two classes `positive`
    instances: pd.DataFrame


def score_folds(
    instances: pd.DataFrame,
    keys: pd.DataFrame,
    group: np.ndarray,
    positives: dict[str, str],
    direction: str,
) -> ScoredFolds:
    """Return `ScoredFolds` with counts, areas and losses, NaN if the run failed; `positives` is by data set."""
    actual = _is_class(instances, positives)
    instances, notes = _one_score(instances, positives, direction)
    with ThreadPoolExecutor(1) as pool:
        areas_and_losses = pool.submit(_areas_and_losses, instances, group, actual)
        predicted_positive, thresholds = _called(instances, positives)
        unknown = _unknown_labels(instances)
        predicted_positive[unknown] = ~actual[unknown]  # an error in either class
        counts = case_counts(group, actual, predicted_positive)
        is_correct = actual == predicted_positive
        rows, instances = without_failed(instances, keys, group, counts, is_correct)
        of_scores, score_notes = areas_and_losses.result()
    if thresholds:
        notes.append(message("score counts as positive", thresholds=tuple(sorted(thresholds))))
    return ScoredFolds(
        rows=rows.assign(**of_scores),
        measures=list(of_scores),
        notes=[*notes, *score_notes],
        instances=instances.assign(positive=actual),
    )


def average_items(
    instances: pd.DataFrame, keys: pd.DataFrame, group: np.ndarray, measures: Sequence[str]
) -> ScoredFolds:
    """Return the mean of each value per instance for each fold, NaN if a value is missing.

    The instances get `correct` and, unless the values of the main measure are 0 and 1, its `value`;
    of several measures, also the values of each.
    """
    of_measures = {name: instances[name].to_numpy(dtype=float) for name in measures}
    n_instances = np.bincount(group)
    for name, value in of_measures.items():
        missing = np.isnan(value)
        means = np.bincount(group, np.where(missing, 0.0, value)) / n_instances
        n_missing = np.bincount(group, missing)
        means[n_missing > 0] = np.nan
        keys = keys.assign(**{name: means})
    main_value = of_measures.get("accuracy", of_measures[measures[0]])
    correct, graded = _marks_or_values(main_value)
    instances = instances.drop(columns=list(measures))
    instances = instances.assign(correct=_nullable(correct, missing=np.isnan(main_value)))
    if graded is not None:
        instances = instances.assign(value=graded)
    if len(measures) > 1:
        instances = instances.assign(**{VALUE + name: value for name, value in of_measures.items()})
    return ScoredFolds(rows=keys, measures=list(measures), notes=[], instances=instances)


def _marks_or_values(value: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Return whether values are 1, and the values; None instead of values that are 0 and 1 only."""
    distinct = set(np.unique(value[~np.isnan(value)]))
    are_marks = distinct <= {0.0, 1.0}
    return value == 1, None if are_marks else value


def without_failed(
    instances: pd.DataFrame,
    keys: pd.DataFrame,
    group: np.ndarray,
    numbers: dict[str, np.ndarray],
    correct: np.ndarray,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return fold results (NaN if the run failed), and instances with `correct` (missing without a prediction)."""
    failed = missing_predictions(instances)
    n_failed = np.bincount(group[failed], minlength=len(keys))
    columns = {}
    for name, values in numbers.items():
        columns[name] = np.where(n_failed > 0, np.nan, values)
    is_correct = _nullable(correct, missing=failed)
    return keys.assign(**columns), instances.assign(correct=is_correct)


def _areas_and_losses(
    instances: pd.DataFrame, group: np.ndarray, actual: np.ndarray
) -> tuple[dict[str, np.ndarray], list[Message]]:
    """Return areas and losses of the scores of each fold by name, and notes; nothing without scores."""
    if "score" not in instances:
        return {}, []
    notes = []
    score = instances["score"].to_numpy()
    failed = np.isnan(score)
    known_score = np.where(failed, 0.0, score) if failed.any() else score
    areas = fold_areas(group, actual, known_score)[["auc", "auc_pr"]]
    n_failed = np.bincount(group[failed], minlength=len(areas))
    areas[n_failed > 0] = np.nan
    losses = measures.fold_losses(group, actual, score)
    mean_area = float(areas["auc"].mean())
    if mean_area < 0.5:
        notes.append(message("areas below chance", mean=mean_area, where="below"))
    if "brier" in losses and "logloss" not in losses:
        is_impossible = score == ~actual
        names = sorted(instances["algorithm"][is_impossible].astype(str).unique())
        notes.append(message("no log loss", names=tuple(names), n=int(is_impossible.sum())))
    columns = pd.concat([areas, losses], axis=1)
    return {name: columns[name].to_numpy() for name in columns}, notes


def label_counts(instances: pd.DataFrame) -> pd.DataFrame:
    """Return the number of each label per data set: data set x label in natural order."""
    dataset = instances["dataset"].cat
    label = instances["true"].cat
    names = list(dataset.categories)
    labels = list(label.categories)
    shape = (len(names), len(labels))
    counts = measures.cell_counts(shape, dataset.codes.to_numpy(), label.codes.to_numpy())
    table = pd.DataFrame(counts, index=names, columns=labels)
    has_instances = table.sum(axis=1) > 0
    return table.loc[has_instances, list(row_checks.natural_order(labels))]


def _unknown_labels(instances: pd.DataFrame) -> np.ndarray:
    """Return a mask of predicted labels that are no true label of their data set."""
    if "predicted" not in instances:
        return np.zeros(len(instances), dtype=bool)
    counts = label_counts(instances)
    dataset = instances["dataset"].cat
    label = instances["predicted"].cat
    labels = [str(name) for name in label.categories]
    is_unknown = np.zeros((len(dataset.categories), len(labels) + 1), dtype=bool)
    for row, name in enumerate(dataset.categories):
        true_labels: set[str] = set()
        if name in counts.index:
            occurring = counts.columns[counts.loc[name] > 0]
            true_labels = {str(text) for text in occurring}
        is_unknown[row, :-1] = [text not in true_labels for text in labels]
    # the last column is that of code -1, a missing label
    return is_unknown[dataset.codes.to_numpy(), label.codes.to_numpy()]


def _is_class(
    instances: pd.DataFrame, positives: dict[str, str], column: str = "true"
) -> np.ndarray:
    """Return a mask of instances whose label in `column` is the positive class of their data set."""
    dataset = instances["dataset"].cat
    label = instances[column].cat
    code_of = {str(name): code for code, name in enumerate(label.categories)}
    positive_codes = []
    for name in dataset.categories:
        positive = positives.get(str(name), "")
        positive_codes.append(code_of.get(positive, -2))  # -1 is a missing label
    codes = label.codes.to_numpy()
    if len(set(positive_codes)) == 1:
        return codes == positive_codes[0]
    code_of_dataset = np.array(positive_codes, dtype=codes.dtype)
    return codes == code_of_dataset[dataset.codes.to_numpy()]


def _one_score(
    instances: pd.DataFrame, positives: dict[str, str], direction: str
) -> tuple[pd.DataFrame, list[Message]]:
    """Return instances with one score, higher for positives (no score if there are only labels), and notes."""
    of_class = [name for name in instances if str(name).startswith(CLASS_SCORE)]
    class_scores = instances[of_class]
    instances = instances.drop(columns=of_class)
    notes: list[Message] = []
    score = np.full(len(instances), np.nan)
    if "score" in instances:
        instances, notes = _higher_positive(instances, positives, direction)
        score = instances["score"].to_numpy()
    if not of_class:
        return instances, notes
    positive_label = instances["dataset"].astype(str).map(positives).to_numpy()
    for name in of_class:
        label = plain_label(name.removeprefix(CLASS_SCORE))  # labels are normalized already
        is_needed = np.isnan(score) & (positive_label == label)
        score = np.where(is_needed, class_scores[name], score)
    return instances.assign(score=score), [*notes, message("score is probability")]


def _higher_positive(
    instances: pd.DataFrame, positives: dict[str, str], direction: str
) -> tuple[pd.DataFrame, list[Message]]:
    """Return instances with scores oriented so that higher means positive, and notes."""
    inferred = direction or _direction_of_labels(instances, positives)
    if inferred != "lower":
        return instances, [message("higher scores positive")]
    score = instances["score"]
    is_probability = score.min() >= 0 and score.max() <= 1
    flipped = 1 - score if is_probability else -score
    formula = "1 - score" if flipped.min() >= 0 else "-score"
    note = message("lower scores positive", told=bool(direction), now=formula)
    return instances.assign(score=flipped), [note]


def _direction_of_labels(instances: pd.DataFrame, positives: dict[str, str]) -> str:
    """Return whether predicted positives have "higher" or "lower" scores, "" unless both labels are predicted."""
    if "predicted" not in instances:
        return ""
    score = instances["score"].to_numpy()
    has_both = ~np.isnan(score) & ~lacks_label(instances)
    score = score[has_both]
    predicted_positive = _is_class(instances, positives, "predicted")[has_both]
    if predicted_positive.all() or not predicted_positive.any():
        return ""
    mean_of_positive = score[predicted_positive].mean()
    mean_of_negative = score[~predicted_positive].mean()
    return "higher" if mean_of_positive >= mean_of_negative else "lower"


def _called(instances: pd.DataFrame, positives: dict[str, str]) -> tuple[np.ndarray, set[float]]:
    """Return a mask of instances predicted positive, and the score thresholds used for instances without a label."""
    scores_only = lacks_label(instances)
    if scores_only.all():
        return _called_by_score(instances)
    called = _is_class(instances, positives, "predicted")
    if not scores_only.any():
        return called, set()
    called[scores_only], thresholds = _called_by_score(instances[scores_only])
    return called, thresholds


def _called_by_score(instances: pd.DataFrame) -> tuple[np.ndarray, set[float]]:
    """Return a mask of instances predicted positive by score, and the thresholds used."""
    scores = instances["score"]
    if scores.min() >= 0 and scores.max() <= 1:
        return scores.to_numpy() >= 0.5, {0.5}
    # each algorithm may have its own scale
    block, _ = group_numbers(instances, ["dataset", "algorithm"])
    is_outside = (scores < 0) | (scores > 1)
    are_probabilities = np.bincount(block, weights=is_outside) == 0
    threshold = np.where(are_probabilities, 0.5, 0.0)[block]
    return scores.to_numpy() >= threshold, set(np.unique(threshold).tolist())


def missing_predictions(instances: pd.DataFrame) -> np.ndarray:
    """Return a mask of instances without a prediction."""
    scores_only = lacks_label(instances)
    if scores_only.all():
        return instances["score"].isna().to_numpy()
    label = instances["predicted"].cat
    is_empty = [str(name).lower() in EMPTY for name in label.categories]
    missing = np.array([*is_empty, False])[label.codes.to_numpy()]  # code -1 takes the last
    if not scores_only.any():
        return missing
    return missing | scores_only & instances["score"].isna().to_numpy()


def lacks_label(instances: pd.DataFrame) -> np.ndarray:
    """Return a mask of instances whose algorithm gives scores but no labels."""
    if "predicted" not in instances:
        return np.ones(len(instances), dtype=bool)
    return instances["predicted"].cat.codes.to_numpy() < 0


def plain_label(text: str) -> str:
    """Return a label with integers in a uniform format: "1.0" becomes "1"."""
    return _WHOLE_LABEL.sub(r"\1", text)
