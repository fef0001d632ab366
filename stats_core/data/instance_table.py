"""What every algorithm said of every case of one test set, after each training."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from stats_core.data.predictions import case_numbers, group_numbers
from stats_core.data.results import Results

CLUSTER = "cluster"  # the column of predictions that says which cases belong together
ONE_SET = ("single", "common test set")


@dataclass(frozen=True, kw_only=True, eq=False)
class CaseTable:
    """One test set, case by case.

    Attributes
    ----------
    dataset : str
        Its name.
    names : tuple of str
        The algorithms.
    trainings : tuple of (str, str)
        Repetition and fold of each training; one where each was trained once.
    cases : array
        The names of the cases.
    positive : array of bool or None
        The truth; None with more than two classes.
    correct : array of bool, training x case x algorithm
        Whether each was right.
    score : array of float or None, training x case x algorithm
        Higher means more positive.
    cluster : array of int or None
        What each case belongs to, numbered from 0.
    left_out : int
        Cases that some algorithm failed on.
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
        """How many clusters there are; 0 where cases stand alone."""
        return 0 if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def truth(self) -> np.ndarray:
        """Whether each case is positive; with more than two classes all count as that."""
        return np.ones(len(self.cases), dtype=bool) if self.positive is None else self.positive

    @property
    def called(self) -> np.ndarray:
        """Whether each was called positive; with more than two classes, called correctly."""
        return self.truth[None, :, None] == self.correct


def case_table(results: Results, dataset: str) -> CaseTable | None:
    r"""What did every algorithm say of every case?

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
    if results.design_of(dataset) not in ONE_SET:
        return None
    block = predictions[(predictions["dataset"] == dataset).to_numpy()]
    names = tuple(results.algorithms)
    column = pd.Index(names).get_indexer(block["algorithm"].cat.categories.astype(str))
    who = column[block["algorithm"].cat.codes.to_numpy()]
    block, who = block[who >= 0], who[who >= 0]
    if block.empty:
        return None
    training, sets = group_numbers(block, ["repetition", "fold"])
    number, _ = case_numbers(block["instance"])
    used, first, case = np.unique(number, return_index=True, return_inverse=True)
    shape = (len(sets), len(used), len(names))
    place = (training, case, who)
    right = np.full(shape, -1, dtype=np.int8)
    right[place] = block["correct"].to_numpy(dtype=np.float32, na_value=-1).astype(np.int8)
    whole = (right >= 0).all(axis=(0, 2))
    score = None
    if "score" in block and "positive" in block:
        score = np.full(shape, np.nan)
        score[place] = block["score"].to_numpy(dtype=float)
        whole &= np.isfinite(score).all(axis=(0, 2))
        score = score[:, whole]
    cluster = None
    if CLUSTER in block:
        cluster = np.unique(block[CLUSTER].to_numpy()[first][whole], return_inverse=True)[1]
    return CaseTable(
        dataset=dataset,
        names=names,
        trainings=tuple(
            sets[["repetition", "fold"]].astype(str).itertuples(index=False, name=None)
        ),
        cases=block["instance"].to_numpy()[first][whole],
        positive=block["positive"].to_numpy()[first][whole] if "positive" in block else None,
        correct=right[:, whole] == 1,
        score=score,
        cluster=cluster,
        left_out=int((~whole).sum()),
    )
