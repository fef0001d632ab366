"""Correctness and scores of every algorithm on every instance."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from stats_core.data.predictions import case_numbers, group_numbers
from stats_core.data.results import Results

_CLUSTER = "cluster"  # the column of predictions with the cluster of each instance
_ONE_SET = ("single", "common test set")


@dataclass(frozen=True, kw_only=True, eq=False)
class CaseTable:
    """Predictions of all algorithms on one test set, by instance.

    Attributes
    ----------
    dataset : str
        Its name.
    names : tuple of str
        The algorithms.
    trainings : tuple of (str, str)
        Repetition and fold of each training run; a single one if each algorithm was trained once.
    cases : array
        The names of the instances.
    positive : array of bool or None
        Whether the true label is the positive class; None with more than two classes.
    correct : array of bool, training x case x algorithm
        Whether each prediction was correct.
    score : array of float or None, training x case x algorithm
        Higher means more positive.
    cluster : array of int or None
        The cluster of each instance, numbered from 0.
    left_out : int
        Number of instances without a prediction of some algorithm.
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

    @property
    def probabilities(self) -> bool:
        """Whether all scores lie within [0, 1]."""
        if self.score is None or self.positive is None:
            return False
        return bool(((self.score >= 0) & (self.score <= 1)).all())

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
        """Whether each was predicted positive; with more than two classes, whether correctly."""
        return self.truth[None, :, None] == self.correct


def case_table(results: Results, dataset: str) -> CaseTable | None:
    r"""Return the predictions on one test set, None without instances or with several test sets.

    Examples
    --------
    >>> from stats_core.io.read import read_results
    >>> text = b"instance,y,a,b\n1,1,1,0\n2,1,1,0\n3,1,1,0\n4,1,1,1\n5,0,0,0\n6,0,0,0\n"
    >>> table = case_table(read_results(("d.csv", text)), "d")
    >>> table.names, table.correct[0].sum(axis=0).tolist()
    (('a', 'b'), [6, 3])
    """
    predictions = results.predictions
    if predictions is None or "instance" not in predictions:
        return None
    if results.design_of(dataset) not in _ONE_SET:
        return None
    block = predictions[(predictions["dataset"] == dataset).to_numpy()]
    names = tuple(results.algorithms)
    column = pd.Index(names).get_indexer(block["algorithm"].cat.categories.astype(str))
    algorithm_index = column[block["algorithm"].cat.codes.to_numpy()]
    block, algorithm_index = block[algorithm_index >= 0], algorithm_index[algorithm_index >= 0]
    if block.empty:
        return None
    training, sets = group_numbers(block, ["repetition", "fold"])
    number, _ = case_numbers(block["instance"])
    instance_ids, first_rows, instance_index = np.unique(number, return_index=True, return_inverse=True)
    shape = (len(sets), len(instance_ids), len(names))
    cell = (training, instance_index, algorithm_index)
    correct = np.full(shape, -1, dtype=np.int8)
    correct[cell] = block["correct"].to_numpy(dtype=np.float32, na_value=-1).astype(np.int8)
    complete = (correct >= 0).all(axis=(0, 2))
    score = None
    if "score" in block and "positive" in block:
        score = np.full(shape, np.nan)
        score[cell] = block["score"].to_numpy(dtype=float)
        complete &= np.isfinite(score).all(axis=(0, 2))
        score = score[:, complete]
    cluster = None
    if _CLUSTER in block:
        cluster = np.unique(block[_CLUSTER].to_numpy()[first_rows][complete], return_inverse=True)[1]
    return CaseTable(
        dataset=dataset,
        names=names,
        trainings=tuple(sets[["repetition", "fold"]].astype(str).itertuples(index=False, name=None)),
        cases=block["instance"].to_numpy()[first_rows][complete],
        positive=block["positive"].to_numpy()[first_rows][complete] if "positive" in block else None,
        correct=correct[:, complete] == 1,
        score=score,
        cluster=cluster,
        left_out=int((~complete).sum()),
    )


def correct_cases(results: Results, dataset: str) -> pd.DataFrame | None:
    """Return whether each algorithm classified each instance correctly, None without instances."""
    predictions = results.predictions
    if predictions is None or "instance" not in predictions:
        return None
    cache = vars(results).setdefault("_correct_cases", {})
    if dataset not in cache:
        cache[dataset] = _correct_cases(results, predictions, dataset)
    return cache[dataset]


def _correct_cases(results: Results, predictions: pd.DataFrame, dataset: str) -> pd.DataFrame:
    block = predictions[(predictions["dataset"] == dataset).to_numpy()]
    names = list(results.algorithms)
    test_set, sets = group_numbers(block, ["repetition", "fold"])
    instance, n_cases = case_numbers(block["instance"])
    tested, first, row = np.unique(test_set * np.int64(n_cases) + instance, return_index=True, return_inverse=True)
    correctness = np.full((len(tested), len(names)), -1, dtype=np.int8)  # -1 if a run failed
    column = pd.Index(names).get_indexer(block["algorithm"].cat.categories.astype(str))
    correct = block["correct"].to_numpy(dtype=np.float32, na_value=-1).astype(np.int8)
    correctness[row, column[block["algorithm"].cat.codes.to_numpy()]] = correct
    test_set, instance = np.divmod(tested, n_cases)  # in the order of repetitions and folds
    complete = np.all(correctness >= 0, axis=1)
    repetition = sets["repetition"].to_numpy()[test_set]
    kept_rows = _once(test_set, instance, repetition, complete, results.design_of(dataset))
    index = pd.MultiIndex.from_arrays(
        [
            repetition[kept_rows],
            sets["fold"].to_numpy()[test_set[kept_rows]],
            block["instance"].to_numpy()[first[kept_rows]],
        ],
        names=["repetition", "fold", "instance"],
    )
    return pd.DataFrame(correctness[kept_rows] == 1, index=index, columns=pd.Index(names, name="algorithm"))


def _once(
    test_set: np.ndarray, instance: np.ndarray, repetition: np.ndarray, complete: np.ndarray, design: str
) -> np.ndarray:
    """Return complete rows such that every instance occurs once."""
    rows = np.flatnonzero(complete)
    if not len(rows):
        return rows
    repeated = pd.factorize(repetition[rows])[0] * (int(instance.max()) + 1) + instance[rows]
    restarts = len(np.unique(repeated)) < len(rows)
    if restarts and design != "common test set":
        return rows[repetition[rows] == repetition[rows[0]]]
    _, first = np.unique(instance[rows], return_index=True)
    return rows[np.sort(first)]
