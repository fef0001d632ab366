"""The single cases that every algorithm classified, each once."""

import numpy as np
import pandas as pd

from stats_core.data.predictions import case_numbers, group_numbers
from stats_core.data.results import Results


def correct_cases(results: Results, dataset: str) -> pd.DataFrame | None:
    """Return whether each algorithm classified each case of a data set correctly."""
    predictions = results.predictions
    if predictions is None or "instance" not in predictions:
        return None
    known = vars(results).setdefault("_correct_cases", {})
    if dataset not in known:
        known[dataset] = _correct_cases(results, predictions, dataset)
    return known[dataset]


def _correct_cases(results: Results, predictions: pd.DataFrame, dataset: str) -> pd.DataFrame:
    block = predictions[(predictions["dataset"] == dataset).to_numpy()]
    names = list(results.algorithms)
    test_set, sets = group_numbers(block, ["repetition", "fold"])
    case, n_cases = case_numbers(block["instance"])
    tested, first, row = np.unique(
        test_set * np.int64(n_cases) + case, return_index=True, return_inverse=True
    )
    right = np.full((len(tested), len(names)), -1, dtype=np.int8)  # -1 where a run failed
    column = pd.Index(names).get_indexer(block["algorithm"].cat.categories.astype(str))
    correct = block["correct"].to_numpy(dtype=np.float32, na_value=-1).astype(np.int8)
    right[row, column[block["algorithm"].cat.codes.to_numpy()]] = correct
    test_set, case = np.divmod(tested, n_cases)  # in the order of repetitions and folds
    complete = np.all(right >= 0, axis=1)
    repetition = sets["repetition"].to_numpy()[test_set]
    once = _once(test_set, case, repetition, complete, results.design_of(dataset))
    index = pd.MultiIndex.from_arrays(
        [
            repetition[once],
            sets["fold"].to_numpy()[test_set[once]],
            block["instance"].to_numpy()[first[once]],
        ],
        names=["repetition", "fold", "instance"],
    )
    return pd.DataFrame(right[once] == 1, index=index, columns=pd.Index(names, name="algorithm"))


def _once(
    test_set: np.ndarray,
    case: np.ndarray,
    repetition: np.ndarray,
    complete: np.ndarray,
    design: str,
) -> np.ndarray:
    """Return the rows that take every case once."""
    rows = np.flatnonzero(complete)
    if not len(rows):
        return rows
    repeated = pd.factorize(repetition[rows])[0] * (int(case.max()) + 1) + case[rows]
    restarts = len(np.unique(repeated)) < len(rows)
    if restarts and design != "common test set":
        return rows[repetition[rows] == repetition[rows[0]]]
    _, first = np.unique(case[rows], return_index=True)
    return rows[np.sort(first)]
