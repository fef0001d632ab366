"""Curves of all folds of a data set: averages, areas, rates at a threshold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from stats_core.core.errors import DesignError, FoldwiseError, MissingCells
from stats_core.curves.auc_intervals import auc_interval, auc_interval_from_errors
from stats_core.curves.curve_shapes import (
    describe_crossings,
    dominates,
    hull_in_pr,
    roc_hull,
    threshold_average,
    usable,
    vertical_average,
)
from stats_core.curves.delong import DeLongResult, delong
from stats_core.curves.roc_pr import partial_area
from stats_core.curves.thresholds import needs_scores, raw_thresholds, risk
from stats_core.data.measures import COUNTS, confusion_measures
from stats_core.data.predictions import FoldCurves, fold_curves, group_numbers
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
        Labels of folds with one class only, which have no curve.
    left_out : dict of str to str
        Algorithms without curves, with the reason.
    different : tuple of int
        Numbers of distinct positive and negative cases; a case tested in several folds counts once.
    unit : str
        Source of one curve per algorithm, such as "fold".
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
        """Number of positive instances in each fold."""
        return next(iter(self.curves.values())).positives

    @property
    def negatives(self) -> np.ndarray:
        """Number of negative instances in each fold."""
        return next(iter(self.curves.values())).negatives

    @property
    def rarer_class(self) -> int:
        """Number of different instances of the rarer class."""
        return min(self.different)

    @property
    def positive_share(self) -> float:
        """Share of positive instances over all folds."""
        return float(self.positives.sum() / (self.positives.sum() + self.negatives.sum()))

    @property
    def probabilities(self) -> bool:
        """Whether all scores lie within [0, 1]."""
        return all(0 <= s[0] and s[-1] <= 1 for s in self.scores.values() if len(s))

    def counts(self, thetas: Sequence[float] | np.ndarray, scale: str = "logistic") -> np.ndarray:
        """Return (tp, fp, tn, fn) at each theta."""
        parts = [self.curves[name].counts_at(raw_thresholds(self.scores[name], thetas, scale)) for name in self.names]
        return np.stack(parts, axis=1)

    def areas(self) -> dict[str, pd.DataFrame]:
        """Return the areas of each algorithm, one row per fold."""
        return {
            name: curves.areas().assign(**{"davis-goadrich": curves.davis_goadrich()})
            for name, curves in self.curves.items()
        }


def curves_of_folds(results: Results, dataset: str) -> DataCurves:
    r"""Return the curves of all algorithms on all folds of a data set.

    Examples
    --------
    >>> from stats_core.io.read import read_results
    >>> text = b"algorithm,fold,true,score\na,1,1,0.6\na,1,0,0.3\na,2,1,0.9\na,2,0,0.7\n"
    >>> curves_of_folds(read_results(text), "results").counts([0.8])[0, 0].tolist()
    [[0, 0, 1, 1], [1, 0, 1, 0]]
    """
    if reason := needs_scores(results):
        raise DesignError.of("Curves need a score for each instance", source=results.source, reason=reason)
    cases = results.predictions
    assert cases is not None  # or `needs_scores` has a reason
    cases = cases[(cases["dataset"] == dataset).to_numpy()]
    group, keys = group_numbers(cases, ["algorithm", "repetition", "fold"])
    score, positive = cases["score"].to_numpy(), cases["positive"].to_numpy()
    failed = sorted(set(keys["algorithm"].iloc[group[np.isnan(score)]]))
    left_out = dict.fromkeys(failed, "a fold of it failed")
    present = set(keys["algorithm"])
    names = tuple(n for n in results.algorithms if n in present and n not in left_out)
    folds = _shared_folds(keys, names)
    if not names or not len(folds):
        raise MissingCells(
            f"Curves need a fold that every algorithm finished. {dataset} has none.",
            "leave out the algorithms that failed",
        )
    position = pd.MultiIndex.from_frame(folds).get_indexer(pd.MultiIndex.from_frame(keys[["repetition", "fold"]]))
    curves, scores = {}, {}
    for name in names:
        fold_positions = np.where(keys["algorithm"] == name, position, -1)[group]
        selected = fold_positions >= 0
        curves[name] = fold_curves(fold_positions[selected], positive[selected], score[selected])
        scores[name] = np.sort(score[selected])
    first = curves[names[0]]
    one_class_folds = np.flatnonzero((first.positives == 0) | (first.negatives == 0))
    return DataCurves(
        dataset=dataset,
        names=names,
        folds=folds,
        curves=curves,
        scores=scores,
        one_class=tuple(
            f"Fold {folds['fold'].iloc[i]} of {dataset} has no "
            f"{'positive' if first.positives[i] == 0 else 'negative'} instance, so it has no curve."
            for i in one_class_folds
        ),
        left_out=left_out,
        different=_different(results, dataset, cases, first, folds),
        unit=resampling_unit(results.design_of(dataset)),
    )


def _different(
    results: Results, dataset: str, cases: pd.DataFrame, first: FoldCurves, folds: pd.DataFrame
) -> tuple[int, int]:
    """Count different positive and negative instances, each once.

    Without names of the cases, they are counted on one fold if all share a test set, on the largest
    fold if partitions are random, otherwise on one repetition.
    """
    if "instance" in cases:
        distinct = cases.drop_duplicates("instance")
        positive = int(distinct["positive"].sum())
        return positive, len(distinct) - positive
    if results.design_of(dataset) in ("k-fold", "r x k-fold", "5x2", "leave-one-out"):
        first_repetition = (folds["repetition"] == folds["repetition"].iloc[0]).to_numpy()
        return int(first.positives[first_repetition].sum()), int(first.negatives[first_repetition].sum())
    return int(first.positives.max()), int(first.negatives.max())


def one_fold_intervals(data: DataCurves, index: int, *, level: float = 0.95) -> dict:
    """Return intervals of the area of each algorithm from one fold alone.

    References
    ----------
    Hanley and McNeil 1982; DeLong et al. 1988; Agarwal et al. 2005; Cortes and Mohri 2004; Aslan's
    thesis 2009, figures 3.5 and 3.6.
    """
    counts = data.counts([0.5])[0]
    tables = {}
    for i, name in enumerate(data.names):
        labels, scores = _cases_of(data.curves[name], index)
        errors = int(counts[i, index, 1] + counts[i, index, 3])
        sizes = int(data.positives[index]), int(data.negatives[index])
        intervals = {}
        for method, label in (("hanley-mcneil", "Hanley-McNeil"), ("delong", "DeLong"), ("agarwal", "Agarwal")):
            try:
                intervals[label] = auc_interval(labels, scores, method, level=level)
            except FoldwiseError:
                continue
        intervals["Cortes-Mohri"] = auc_interval_from_errors(errors, *sizes, level=level)
        columns = ["low", "high", "clipped_low", "clipped_high"]
        rows = {label: [getattr(interval, c) for c in columns] for label, interval in intervals.items()}
        tables[name] = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return tables


def _cases_of(curves: FoldCurves, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels and scores behind one curve, in the order of scores."""
    points = curves.points(i)
    tp, fp = (np.diff(points[name].to_numpy()) for name in ("tp", "fp"))
    scores = points["threshold"].to_numpy()[1:]
    labels = np.concatenate([np.ones(tp.sum(), dtype=int), np.zeros(fp.sum(), dtype=int)])
    return labels, np.concatenate([np.repeat(scores, tp), np.repeat(scores, fp)])


def pairwise_delong(results: Results, dataset: str, fold: tuple[str, str]) -> dict[tuple[str, str], DeLongResult]:
    """Return DeLong's test of every pair of algorithms on the instances of one fold."""
    cases = results.predictions
    if cases is None or "instance" not in cases:
        raise DesignError.of("DeLong's test needs predictions that name their instances", source=results.source)
    in_repetition = (cases["dataset"] == dataset) & (cases["repetition"] == fold[0])
    cases = cases[in_repetition & (cases["fold"] == fold[1])]
    scores = cases.pivot(index="instance", columns="algorithm", values="score")
    labels = cases.drop_duplicates("instance").set_index("instance")["positive"]
    labels = labels.reindex(scores.index)
    tests = {}
    for a, b in combinations([n for n in results.algorithms if n in scores], 2):
        try:
            tests[a, b] = delong(labels, scores[a], scores[b])
        except FoldwiseError:
            continue
    return tests


def _shared_folds(keys: pd.DataFrame, names: tuple[str, ...]) -> pd.DataFrame:
    """Return the folds that every algorithm has, in natural order."""
    keys = keys[keys["algorithm"].isin(names)]
    sizes = keys.groupby(["repetition", "fold"])["algorithm"].count()
    complete = sorted(sizes.index[sizes == len(names)], key=fold_key)
    return pd.DataFrame(list(complete), columns=["repetition", "fold"])


AVERAGES = ("vertical average", "threshold average", "hull of all folds")
_AREAS = ("auc", "auc_pr", "average precision", "davis-goadrich")
_AT_THETA = ("error", "tpr", "fpr", "precision")


def average_curves(
    data: DataCurves, kind: str, average: str, band: str, fraction: float | None
) -> dict[str, pd.DataFrame]:
    """Return the average curve of each algorithm over the folds."""
    return {name: _average(curves, kind, average, band, fraction) for name, curves in data.curves.items()}


def _average(curves: FoldCurves, kind: str, average: str, band: str, fraction: float | None) -> pd.DataFrame:
    curve = "pr" if kind == "pr" else "roc"
    if average == "hull of all folds":
        table = _hull(curves, curve)
    else:
        average_of = threshold_average if average == "threshold average" else vertical_average
        table = average_of(curves, curve, band=band, test_fraction=fraction)
    if kind == "sensitivity":
        table = table.assign(x=1 - table["x"]).iloc[::-1].reset_index(drop=True)
    return table


def _hull(curves: FoldCurves, of: str) -> pd.DataFrame:
    hull = roc_hull(pd.concat([curves.roc(i) for i in usable(curves)], ignore_index=True))
    if of == "pr":
        share = curves.positives.sum() / (curves.positives.sum() + curves.negatives.sum())
        hull = hull_in_pr(hull, float(share))
    table = hull.iloc[:, :2].set_axis(["x", "y"], axis=1)
    return table.assign(low=np.nan, high=np.nan)


def mean_areas(areas: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the mean areas of each algorithm over the folds, largest AUC first.

    Examples
    --------
    >>> one, other = pd.DataFrame({"auc": [0.5, 0.6]}), pd.DataFrame({"auc": [0.8, None]})
    >>> mean_areas({"a": one, "b": other})["auc"].round(2).to_dict()
    {'b': 0.8, 'a': 0.55}
    """
    rows = {name: {**table.mean(), "sd": table["auc"].std()} for name, table in areas.items()}
    return pd.DataFrame(rows, index=[*_AREAS, "sd"]).T.sort_values("auc", ascending=False, kind="stable")


def hull_area(curves: FoldCurves) -> float:
    """Return the mean area under the convex hulls of the ROC curves of all folds."""
    hulls = [roc_hull(curves.roc(i)) for i in usable(curves)]
    return float(np.mean([np.trapezoid(hull["tpr"], hull["fpr"]) for hull in hulls]))


def partial_areas(curves: FoldCurves, over: str, low: float, high: float) -> tuple[float, float]:
    """Return the mean partial area over all folds, raw and scaled; see `partial_area`."""
    parts = [
        [partial_area(curves.roc(i), over=over, low=low, high=high, scaled=scaled) for scaled in (False, True)]
        for i in usable(curves)
    ]
    raw, scaled = np.mean(parts, axis=0)
    return float(raw), float(scaled)


def errors_at(data: DataCurves, names: Sequence[str], theta: float, scale: str = "logistic") -> pd.DataFrame:
    """Return the error of each algorithm on each fold at a threshold, fold x algorithm."""
    counts = data.counts([theta], scale)[0]
    wrong = counts[:, :, COUNTS.index("fp")] + counts[:, :, COUNTS.index("fn")]
    errors = pd.DataFrame((wrong / counts.sum(axis=2)).T, columns=list(data.names))
    return errors[list(names)]


def rates_at_threshold(data: DataCurves, names: Sequence[str], theta: float, scale: str = "logistic") -> pd.DataFrame:
    """Return error, rates and risk of each algorithm at a threshold, smallest risk first."""
    counts = dict(zip(data.names, data.counts([theta], scale)[0], strict=True))
    rows = {}
    for name in names:
        folds = pd.DataFrame(counts[name], columns=list(COUNTS))
        means = confusion_measures(folds)[list(_AT_THETA)].mean()
        per_case = risk(counts[name], theta) / folds.sum(axis=1)
        rows[name] = {**means, "risk": float(per_case.mean())}
    return pd.DataFrame(rows).T.sort_values("risk", kind="stable")


def dominance(averages: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return for every pair of average ROC curves which one dominates, and where they cross."""
    lines = {name: table.rename(columns={"x": "fpr", "y": "tpr"}) for name, table in averages.items()}
    rows = []
    for a, b in combinations(lines, 2):
        winner = dominates(lines[a], lines[b])
        above = {"first": a, "second": b}.get(winner, winner)
        rows.append((a, b, above, describe_crossings(lines[a], lines[b])))
    return pd.DataFrame(rows, columns=["first", "second", "nowhere below the other", "curves cross at fpr"])
