"""The curves of one data set, algorithm by algorithm and fold by fold."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from stats_core.core.errors import DesignError, FoldwiseError, MissingCells
from stats_core.curves.auc_intervals import auc_interval, auc_interval_from_errors
from stats_core.curves.delong import DeLongResult, delong
from stats_core.curves.roc_pr import FoldCurves, fold_curves
from stats_core.curves.thresholds import needs_scores, raw_thresholds
from stats_core.data.predictions import group_numbers
from stats_core.data.results import Results
from stats_core.data.row_checks import fold_key
from stats_core.inference.fold_pairs import resampling_unit


@dataclass(frozen=True, kw_only=True, eq=False)
class DataCurves:
    """The curves of every algorithm on every fold of one data set.

    Attributes
    ----------
    dataset : str
        Its name.
    names : tuple of str
        The algorithms.
    folds : DataFrame
        repetition and fold of each curve, the same for all algorithms.
    curves : dict of algorithm to FoldCurves
        In the order of `folds`.
    scores : dict of algorithm to array
        All scores of each algorithm, sorted.
    one_class : tuple of str
        Folds, in words, that lack a class and so have no curve.
    left_out : dict of str to str
        Algorithms without curves, and why.
    different : tuple of int
        Different positive and negative cases: one that several folds test counts once.
    unit : str
        What one curve of each algorithm comes from, such as "fold".
    """

    dataset: str
    names: tuple[str, ...]
    folds: pd.DataFrame
    curves: dict[str, FoldCurves]
    scores: dict[str, np.ndarray]
    one_class: tuple[str, ...]
    left_out: dict[str, str]
    different: tuple[int, int]
    unit: str

    @property
    def positives(self) -> np.ndarray:
        """Positive cases of each fold."""
        return next(iter(self.curves.values())).positives

    @property
    def negatives(self) -> np.ndarray:
        """Negative cases of each fold."""
        return next(iter(self.curves.values())).negatives

    @property
    def rarer_class(self) -> int:
        """How many different cases the class with fewer of them has."""
        return min(self.different)

    @property
    def positive_share(self) -> float:
        """Share of positive cases over all folds."""
        return float(self.positives.sum() / (self.positives.sum() + self.negatives.sum()))

    @property
    def probabilities(self) -> bool:
        """Whether all scores lie within [0, 1]."""
        return all(0 <= s[0] and s[-1] <= 1 for s in self.scores.values() if len(s))

    def counts(self, thetas: Sequence[float] | np.ndarray, scale: str = "logistic") -> np.ndarray:
        """Return (tp, fp, tn, fn) at each theta.

        Parameters
        ----------
        thetas : sequence of float
            In [0, 1]; see `raw_thresholds` for scores on other scales.
        scale : str
            How such scores become probabilities.

        Returns
        -------
        array of int, theta x algorithm x fold x 4
        """
        parts = [
            self.curves[name].counts_at(raw_thresholds(self.scores[name], thetas, scale))
            for name in self.names
        ]
        return np.stack(parts, axis=1)

    def areas(self) -> dict[str, pd.DataFrame]:
        """Return the areas of each algorithm, one row per fold."""
        return {
            name: curves.areas().assign(**{"davis-goadrich": curves.davis_goadrich()})
            for name, curves in self.curves.items()
        }


def curves_of_folds(results: Results, dataset: str) -> DataCurves:
    r"""What are the curves of all algorithms on all folds of a data set?

    Parameters
    ----------
    results : Results
        With a score per instance.
    dataset : str
        Its name.

    Returns
    -------
    DataCurves

    Raises
    ------
    DesignError
        There are no scores, or no fold that every algorithm finished.

    Examples
    --------
    >>> from stats_core.io.read import read_results
    >>> text = b"algorithm,fold,true,score\na,1,1,0.6\na,1,0,0.3\na,2,1,0.9\na,2,0,0.7\n"
    >>> curves_of_folds(read_results(text), "results").counts([0.8])[0, 0].tolist()
    [[0, 0, 1, 1], [1, 0, 1, 0]]
    """
    if reason := needs_scores(results):
        raise DesignError(
            f"Curves need a score for each instance. {results.source} {reason}. "
            "Upload predictions with scores."
        )
    cases = results.predictions
    assert cases is not None  # or `needs_scores` has a reason
    cases = cases[(cases["dataset"] == dataset).to_numpy()]
    group, keys = group_numbers(cases, ["algorithm", "repetition", "fold"])
    score, positive = cases["score"].to_numpy(), cases["positive"].to_numpy()
    failed = sorted(set(keys["algorithm"].iloc[group[np.isnan(score)]]))
    left_out = dict.fromkeys(failed, "a fold of it failed")
    known = set(keys["algorithm"])
    names = tuple(n for n in results.algorithms if n in known and n not in left_out)
    folds = _shared_folds(keys, names)
    if not names or not len(folds):
        raise MissingCells(
            f"Curves need a fold that every algorithm finished. {dataset} has none.",
            "leave out the algorithms that failed",
        )
    place = pd.MultiIndex.from_frame(folds).get_indexer(
        pd.MultiIndex.from_frame(keys[["repetition", "fold"]])
    )
    curves, scores = {}, {}
    for name in names:
        own = np.where(keys["algorithm"] == name, place, -1)[group]
        kept = own >= 0
        curves[name] = fold_curves(own[kept], positive[kept], score[kept])
        scores[name] = np.sort(score[kept])
    first = curves[names[0]]
    lacking = np.flatnonzero((first.positives == 0) | (first.negatives == 0))
    return DataCurves(
        dataset=dataset,
        names=names,
        folds=folds,
        curves=curves,
        scores=scores,
        one_class=tuple(
            f"Fold {folds['fold'].iloc[i]} of {dataset} has no "
            f"{'positive' if first.positives[i] == 0 else 'negative'} case, so it has no curve."
            for i in lacking
        ),
        left_out=left_out,
        different=_different(results, dataset, cases, first, folds),
        unit=resampling_unit(results.design_of(dataset)),
    )


def _different(
    results: Results, dataset: str, cases: pd.DataFrame, first: FoldCurves, folds: pd.DataFrame
) -> tuple[int, int]:
    """Count positive and negative cases, those that several folds test once.

    Without names of the cases: those of one fold where all share a test set, of one repetition
    elsewhere, and of the largest fold where partitions are random.
    """
    if "instance" in cases:
        once = cases.drop_duplicates("instance")
        positive = int(once["positive"].sum())
        return positive, len(once) - positive
    if results.design_of(dataset) in ("k-fold", "r x k-fold", "5x2", "leave-one-out"):
        here = (folds["repetition"] == folds["repetition"].iloc[0]).to_numpy()
        return int(first.positives[here].sum()), int(first.negatives[here].sum())
    return int(first.positives.max()), int(first.negatives.max())


def one_fold_intervals(data: DataCurves, place: int, *, level: float = 0.95) -> dict:
    """What would one fold alone say about the area of each algorithm?

    Parameters
    ----------
    data : DataCurves
    place : int
        The fold, by its place in `data.folds`.
    level : float
        Coverage of the intervals.

    Returns
    -------
    dict of algorithm to DataFrame
        The index names the method: Hanley-McNeil, DeLong, Agarwal, and Cortes-Mohri from the
        number of errors at theta = 1/2. Columns low, high, clipped_low, clipped_high.

    References
    ----------
    Hanley and McNeil 1982; DeLong et al. 1988; Agarwal et al. 2005; Cortes and Mohri 2004; Aslan's
    thesis 2009, figures 3.5 and 3.6.
    """
    counts = data.counts([0.5])[0]
    tables = {}
    for i, name in enumerate(data.names):
        labels, scores = _cases_of(data.curves[name], place)
        errors = int(counts[i, place, 1] + counts[i, place, 3])
        sizes = int(data.positives[place]), int(data.negatives[place])
        found = {}
        for method, label in (
            ("hanley-mcneil", "Hanley-McNeil"),
            ("delong", "DeLong"),
            ("agarwal", "Agarwal"),
        ):
            try:
                found[label] = auc_interval(labels, scores, method, level=level)
            except FoldwiseError:
                continue
        found["Cortes-Mohri"] = auc_interval_from_errors(errors, *sizes, level=level)
        columns = ["low", "high", "clipped_low", "clipped_high"]
        rows = {label: [getattr(each, c) for c in columns] for label, each in found.items()}
        tables[name] = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return tables


def _cases_of(curves: FoldCurves, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels and scores behind one curve, in the order of scores."""
    points = curves.points(i)
    tp, fp = (np.diff(points[name].to_numpy()) for name in ("tp", "fp"))
    scores = points["threshold"].to_numpy()[1:]
    labels = np.concatenate([np.ones(tp.sum(), dtype=int), np.zeros(fp.sum(), dtype=int)])
    return labels, np.concatenate([np.repeat(scores, tp), np.repeat(scores, fp)])


def pairwise_delong(
    results: Results, dataset: str, fold: tuple[str, str]
) -> dict[tuple[str, str], DeLongResult]:
    """Which areas differ on the cases that all algorithms were tested on in one fold?

    Parameters
    ----------
    results : Results
        With a score per instance; cases are paired by their name.
    dataset : str
    fold : (repetition, fold)

    Returns
    -------
    dict of (first, second) to DeLongOutcome
        Pairs whose test refuses are absent.

    Raises
    ------
    DesignError
        The predictions do not name their cases.
    """
    cases = results.predictions
    if cases is None or "instance" not in cases:
        raise DesignError(
            "DeLong's test needs predictions that name their cases. "
            f'{results.source} has no column "instance". Add one, the same for all algorithms.'
        )
    here = (cases["dataset"] == dataset) & (cases["repetition"] == fold[0])
    cases = cases[here & (cases["fold"] == fold[1])]
    scores = cases.pivot(index="instance", columns="algorithm", values="score")
    labels = cases.drop_duplicates("instance").set_index("instance")["positive"]
    labels = labels.reindex(scores.index)
    found = {}
    for a, b in combinations([n for n in results.algorithms if n in scores], 2):
        try:
            found[a, b] = delong(labels, scores[a], scores[b])
        except FoldwiseError:
            continue
    return found


def _shared_folds(keys: pd.DataFrame, names: tuple[str, ...]) -> pd.DataFrame:
    """Return the folds that every algorithm has, in natural order."""
    keys = keys[keys["algorithm"].isin(names)]
    sizes = keys.groupby(["repetition", "fold"])["algorithm"].count()
    whole = sorted(sizes.index[sizes == len(names)], key=fold_key)
    return pd.DataFrame(list(whole), columns=["repetition", "fold"])
