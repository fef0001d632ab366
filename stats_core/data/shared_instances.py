"""Instances that every algorithm classified, each counted once."""

import numpy as np
import pandas as pd

from stats_core.data.predictions import case_numbers, group_numbers
from stats_core.data.results import Results


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
    tested, first, row = np.unique(
        test_set * np.int64(n_cases) + instance, return_index=True, return_inverse=True
    )
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
    return pd.DataFrame(
        correctness[kept_rows] == 1, index=index, columns=pd.Index(names, name="algorithm")
    )


def _once(
    test_set: np.ndarray,
    instance: np.ndarray,
    repetition: np.ndarray,
    complete: np.ndarray,
    design: str,
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
