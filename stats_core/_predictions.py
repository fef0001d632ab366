"""From instances to folds: counts and error of each algorithm on each fold."""

import numpy as np
import pandas as pd

from stats_core._cases import FOLD, blank, check_instances, check_labels, plain_labels
from stats_core._rows import natural_order
from stats_core.errors import DataError, Problem
from stats_core.wording import listed

_POSITIVE = ("1", "1.0", "+1", "pos", "positive", "yes", "true", "t", "y", "case", "+")


def fold_rows(
    instances: pd.DataFrame, positive: str, file: str
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return counts (two classes) or error (more) per fold, the measures, and notes.

    Parameters
    ----------
    instances : DataFrame
        dataset, algorithm, repetition, fold, true, and predicted or score.
    positive : str
        The positive class, "" to infer it.
    file : str
        Name of the file, for messages.

    Returns
    -------
    (rows, measures, notes)
        `measures` is empty if the rows carry counts.
    """
    check_instances(instances)
    true = plain_labels(instances["true"])
    check_labels(instances, true)
    pairs = pd.DataFrame({"dataset": instances["dataset"], "true": true}).drop_duplicates()
    classes = pairs.groupby("dataset")["true"].agg(natural_order)
    most = int(classes.map(len).max())
    if most > 2:
        rows, notes = _errors(instances, true, most, file)
        return rows, ["error"], notes
    blocks, positives, thresholds, shares = [], set(), set(), []
    for name, names in classes.items():
        block = instances[instances["dataset"] == name]
        labels = true[block.index]
        chosen = _positive_class(labels, names, positive, file)
        predicted, threshold = _predicted(block, chosen)
        blocks.append(_counts(block, labels == chosen, predicted == chosen))
        positives.add(chosen)
        thresholds.add(threshold)
        shares.append((labels == chosen).mean())
    notes = [_positive_note(positives, shares), *_threshold_notes(thresholds)]
    return pd.concat(blocks, ignore_index=True), [], notes


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


def _predicted(instances: pd.DataFrame, positive: str) -> tuple[pd.Series, float | None]:
    """Return predicted labels, from the scores where there are none, and the threshold used."""
    if "predicted" in instances:
        return plain_labels(instances["predicted"]), None
    scores = instances["score"]
    threshold = 0.5 if scores.dropna().between(0, 1).all() else 0.0
    labels = np.where(scores >= threshold, positive, "")
    return pd.Series(labels, index=scores.index, dtype=str), threshold


def _positive_note(positives: set[str], shares: list[float]) -> str:
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


def _errors(
    instances: pd.DataFrame, true: pd.Series, classes: int, file: str
) -> tuple[pd.DataFrame, list[str]]:
    if "predicted" not in instances:
        raise _refuse(
            file,
            f"{classes} classes need a predicted label for each case",
            "There are only scores",
        )
    predicted = plain_labels(instances["predicted"])
    wrong = (true != predicted).astype(float).mask(blank(instances))
    rows = (
        instances[FOLD]
        .assign(error=wrong)
        .groupby(FOLD, sort=False)["error"]
        .agg(lambda values: values.mean(skipna=False))
        .reset_index()
    )
    return rows, [f"Up to {classes} classes: the error is the share of wrong labels."]


def _refuse(file: str, must: str, found: str) -> DataError:
    return DataError(
        [Problem(file=file, must=must, found=found, do="Add or choose another column")]
    )
