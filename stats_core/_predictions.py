"""From instances to folds: counts and error of each algorithm on each fold."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from stats_core._cases import FOLD, blank, check_instances, check_labels, plain_labels
from stats_core._rows import natural_order
from stats_core.curves import fold_areas
from stats_core.errors import DataError, Problem
from stats_core.wording import listed

_POSITIVE = ("1", "1.0", "+1", "pos", "positive", "yes", "true", "t", "y", "case", "+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Folds:
    """What the instances say about each fold.

    Attributes
    ----------
    rows : DataFrame
        One row per fold: counts, or error where there are more than two classes, and areas.
    measures : list of str
        The measures among its columns.
    notes : list of str
        What was inferred.
    correct : Series
        Whether each instance was classified correctly, missing where the run failed.
    """

    rows: pd.DataFrame
    measures: list[str]
    notes: list[str]
    correct: pd.Series


def fold_rows(instances: pd.DataFrame, positive: str, file: str) -> Folds:
    """Return counts and areas (two classes) or error (more) per fold.

    Parameters
    ----------
    instances : DataFrame
        dataset, algorithm, repetition, fold, true, and predicted or score.
    positive : str
        The positive class, "" to infer it.
    file : str
        Name of the file, for messages.
    """
    check_instances(instances)
    true = plain_labels(instances["true"])
    check_labels(instances, true)
    pairs = pd.DataFrame({"dataset": instances["dataset"], "true": true}).drop_duplicates()
    classes = pairs.groupby("dataset")["true"].agg(natural_order)
    most = int(classes.map(len).max())
    if most > 2:
        return _several_classes(instances, true, most, file)
    chosen = {
        name: _positive_class(true[instances["dataset"] == name], names, positive, file)
        for name, names in classes.items()
    }
    actual = true == instances["dataset"].astype(str).map(chosen)
    called, thresholds = _called(instances, chosen)
    rows = _counts(instances, actual, called)
    if "score" in instances:
        rows = rows.merge(_areas(instances, actual), on=FOLD)
    shares = actual.groupby(instances["dataset"], sort=False).mean()
    return Folds(
        rows=rows,
        measures=["auc", "auc_pr"] if "score" in instances else [],
        notes=[_positive_note(set(chosen.values()), shares), *_threshold_notes(thresholds)],
        correct=(actual == called).astype("boolean").mask(blank(instances)),
    )


def common_test_set(instances: pd.DataFrame) -> bool:
    """Tell whether every fold of a data set has the same instances with the same labels."""
    if "instance" not in instances:
        return False
    case, fold = ["dataset", "instance"], ["dataset", "repetition", "fold"]
    tested = instances[[*fold, "instance", "true"]].drop_duplicates()
    if tested[[*case, "true"]].drop_duplicates().duplicated(case).any():
        return False
    options = {"sort": False, "observed": True}
    folds = tested[fold].drop_duplicates().groupby("dataset", **options).size()
    times = tested.groupby(case, **options).size().reset_index(name="n")
    everywhere = times["n"].to_numpy() == times["dataset"].astype(str).map(folds).to_numpy()
    return bool(everywhere.all() and (folds > 1).all())


def _positive_class(true: pd.Series, classes: tuple[str, ...], positive: str, file: str) -> str:
    """Return the class called positive: as said, by a usual name, or the rarer one."""
    if positive:
        if positive not in classes:
            raise _refuse(
                file, f"the positive class must be one of {listed(classes)}", f'It is "{positive}"'
            )
        return positive
    named = [name for name in classes if name.lower() in _POSITIVE]
    counts = true.value_counts()
    rarest = min(classes, key=lambda name: (counts[name], -classes.index(name)))
    return named[0] if len(named) == 1 else rarest


def _called(
    instances: pd.DataFrame, positive: dict[str, str]
) -> tuple[pd.Series, set[float | None]]:
    """Return which instances were called positive, and the thresholds used on scores."""
    if "predicted" in instances:
        labels = plain_labels(instances["predicted"])
        return labels == instances["dataset"].astype(str).map(positive), {None}
    scores = instances["score"]
    inside = scores.isna() | scores.between(0, 1)
    probabilities = inside.groupby(instances["dataset"], sort=False).transform("all")
    threshold = np.where(probabilities, 0.5, 0.0)
    return scores >= threshold, set(threshold.tolist())


def _areas(instances: pd.DataFrame, actual: pd.Series) -> pd.DataFrame:
    """Return the areas under the curves of every fold, missing where the run failed."""
    keys = instances[FOLD]
    group = keys.groupby(FOLD, sort=False).ngroup().to_numpy()
    scores = instances["score"].to_numpy(dtype=float)
    areas = fold_areas(group, actual.to_numpy(), np.nan_to_num(scores))[["auc", "auc_pr"]]
    failed = pd.Series(np.isnan(scores)).groupby(group).any()
    folds = keys.drop_duplicates().reset_index(drop=True)
    return pd.concat([folds, areas.mask(failed)], axis=1)


def _positive_note(positives: set[str], shares: pd.Series) -> str:
    low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
    span = low if low == high else f"{low} to {high}"
    return f"Positive class: {listed(sorted(positives))} ({span} of the rows of a data set)."


def _threshold_notes(thresholds: set[float | None]) -> list[str]:
    used = sorted(value for value in thresholds if value is not None)
    values = listed([f"{value:g}" for value in used])
    return [f"A case counts as positive from a score of {values} on."] if used else []


def _counts(instances: pd.DataFrame, actual: pd.Series, called: pd.Series) -> pd.DataFrame:
    table = instances[FOLD].assign(
        tp=actual & called, fp=~actual & called, tn=~actual & ~called, fn=actual & ~called
    )
    sums = table.groupby(FOLD, sort=False).sum().astype(float)
    failed = blank(instances).groupby([instances[key] for key in FOLD], sort=False).any()
    return sums.mask(failed.reindex(sums.index)).reset_index()


def _several_classes(instances: pd.DataFrame, true: pd.Series, classes: int, file: str) -> Folds:
    if "predicted" not in instances:
        raise _refuse(
            file,
            f"{classes} classes need a predicted label for each case",
            "There are only scores",
        )
    correct = (true == plain_labels(instances["predicted"])).astype("boolean")
    correct = correct.mask(blank(instances))
    wrong = (~correct).astype("Float64").astype(float)
    rows = (
        instances[FOLD]
        .assign(error=wrong)
        .groupby(FOLD, sort=False)["error"]
        .agg(lambda values: values.mean(skipna=False))
        .reset_index()
    )
    notes = [f"Up to {classes} classes: the error is the share of wrong labels."]
    return Folds(rows=rows, measures=["error"], notes=notes, correct=correct)


def _refuse(file: str, must: str, found: str) -> DataError:
    return DataError(
        [Problem(file=file, must=must, found=found, do="Add or choose another column")]
    )
