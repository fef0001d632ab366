"""Known performance measures: formulas, directions, synonyms, and their computation from counts or probabilities."""

import math
import re
import tomllib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError
from stats_core.core.validation import check_one_of

COUNTS = ("tp", "fp", "tn", "fn")
_COARSE = 2.0**-19  # see `_loss_sums`
_FINE = 2.0**-49
_FEW = 20  # cells that are counted one by one
_ROWS = 2**17  # processed at once, so that they fit into the processor's cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure of a classifier or regressor.

    Attributes
    ----------
    name : str
        The name used everywhere.
    formula : str
        In terms of tp, fp, tn, fn, or a description.
    direction : {"lower", "higher"}
        Which values are better.
    rate : bool
        Whether it lies in [0, 1], so that values in percent can be recognised.
    aliases : tuple of str
        Other spellings, without blanks, hyphens, underscores or apostrophes, in lower case.
    same_as : str
        The measure of which this one is a synonym, "" if none.
    """

    name: str
    formula: str
    direction: str
    rate: bool = True
    aliases: tuple[str, ...] = ()
    same_as: str = ""


def _measures() -> dict[str, Measure]:
    text = files(__package__).joinpath("measures.toml").read_text(encoding="utf-8")
    measure_of = {}
    for name, entry in tomllib.loads(text).items():
        aliases = tuple(entry.pop("aliases", "").split())
        measure_of[name] = Measure(name=name, aliases=aliases, **entry)
    return measure_of


MEASURES: Mapping[str, Measure] = MappingProxyType(_measures())
_NAME_OF = {
    alias: name
    for name, measure in MEASURES.items()
    for alias in (name.replace("_", ""), *measure.aliases)
}
# measures from scores, and measures from probabilities
AREAS = ("auc", "auc_pr")
LOSSES = ("brier", "logloss")
MACRO_AUC = "macro_auc"
TOP = {f"top{k}_accuracy": k for k in (2, 3, 5)}  # measure -> number of highest scores
FROM_SCORES = (*AREAS, *LOSSES, MACRO_AUC, *TOP)
# measures from counts, without synonyms
_LAST_DERIVED = list(MEASURES).index("mcc")
DERIVED = tuple(
    name
    for position, (name, measure) in enumerate(MEASURES.items())
    if position <= _LAST_DERIVED and not measure.same_as
)


def confusion_measures(counts: pd.DataFrame, *, undefined: float | None = None) -> pd.DataFrame:
    """Return the measures derived from counts of true and false positives and negatives.

    Parameters
    ----------
    counts : DataFrame
        Columns tp, fp, tn, fn, nonnegative; one row per fold and algorithm.
    undefined : {None, 0, 1}
        The value of a measure with 0/0, including a balanced accuracy with one such rate; NaN if
        None.

    Returns
    -------
    DataFrame
        One column per measure from counts in `MEASURES`, including the synonyms recall, sensitivity
        and specificity, with the index of `counts`.

    Raises
    ------
    DataError
        A column is missing or a count is negative or not finite.
    SettingError
        `undefined` is something else.

    References
    ----------
    Irsoy, Yildiz and Alpaydin 2012, Table I; Matthews 1975.

    Examples
    --------
    >>> import pandas as pd
    >>> counts = pd.DataFrame({"tp": [8], "fp": [2], "tn": [88], "fn": [2]})
    >>> confusion_measures(counts)[["error", "tpr", "precision"]].round(3).iloc[0].tolist()
    [0.04, 0.8, 0.8]
    """
    check_one_of(undefined, (None, 0, 1), "undefined")
    tp, fp, tn, fn = _check_counts(counts)
    n = tp + fp + tn + fn
    positives = tp + fn
    negatives = fp + tn
    tpr = _ratio(tp, positives)
    tnr = _ratio(tn, negatives)
    mcc_denominator = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    values = {
        "error": _ratio(fp + fn, n),
        "accuracy": _ratio(tp + tn, n),
        "tpr": tpr,
        "fpr": _ratio(fp, negatives),
        "tnr": tnr,
        "fnr": _ratio(fn, positives),
        "precision": _ratio(tp, tp + fp),
        "recall": tpr,
        "sensitivity": tpr,
        "specificity": tnr,
        "f": _ratio(2 * tp, 2 * tp + fp + fn),
        "balanced_accuracy": (tpr + tnr) / 2,
        "mcc": _ratio(tp * tn - fp * fn, mcc_denominator),
    }
    table = pd.DataFrame(values, index=counts.index)
    return table if undefined is None else table.fillna(float(undefined))


def case_losses(measure: str, positive: np.ndarray, probability: np.ndarray) -> np.ndarray:
    """Return the Brier score or log loss of each instance; log loss is inf for a true class of probability 0.

    Examples
    --------
    >>> case_losses("brier", np.array([True, False]), np.array([0.9, 0.2])).round(2).tolist()
    [0.01, 0.04]
    """
    if measure == "brier":
        return (probability - positive) ** 2
    of_true_class = np.where(positive, probability, 1 - probability)
    with np.errstate(divide="ignore"):
        return -np.log(of_true_class)


def cell_counts(shape: tuple[int, ...], *codes: np.ndarray) -> np.ndarray:
    """Return how often each combination of codes occurs.

    Examples
    --------
    >>> cell_counts((2, 2), np.array([0, 1, 1]), np.array([1, 0, 0])).tolist()
    [[0, 1], [2, 0]]
    """
    n_cells = math.prod(shape)
    counts = np.zeros(n_cells, dtype=np.intp)
    are_few = n_cells <= _FEW
    for start in range(0, len(codes[0]), _ROWS):
        part = slice(start, start + _ROWS)
        cells: np.ndarray = codes[0][part].astype(np.int8 if are_few else np.intp)
        for n, column in zip(shape[1:], codes[1:], strict=True):
            cells *= n
            cells += column[part].astype(cells.dtype, copy=False)
        if are_few:
            for cell in range(n_cells):
                counts[cell] += np.count_nonzero(cells == cell)
        else:
            counts += np.bincount(cells, minlength=n_cells)
    return counts.reshape(shape)


def group_sizes(group: np.ndarray) -> np.ndarray:
    """Return the number of rows of each group 0, 1, ..., which is fast if most neighbours belong to the same group.

    Examples
    --------
    >>> group_sizes(np.array([0, 0, 1, 0])).tolist()
    [3, 1]
    """
    changes = np.flatnonzero(group[1:] != group[:-1]) + 1
    starts = np.concatenate([[0], changes])
    run_lengths = np.diff(starts, append=len(group))
    return np.bincount(group[starts], run_lengths).astype(np.intp)


def fold_losses(group: np.ndarray, positive: np.ndarray, score: np.ndarray) -> pd.DataFrame:
    """Return the mean losses of each test set, NaN if a score is missing, as a table of test set x loss.

    The table has no columns if scores are not probabilities, and no log loss if a true class has
    probability 0.

    Examples
    --------
    >>> fold_losses(np.array([0, 0]), np.array([True, False]), np.array([0.9, 0.2])).round(3).iloc[0].to_dict()
    {'brier': 0.025, 'logloss': 0.164}
    """
    sizes = group_sizes(group)
    low = np.fmin.reduce(score)
    high = np.fmax.reduce(score)
    if not (low >= 0 and high <= 1):  # NaN, if no score is known, fails both comparisons
        return pd.DataFrame(index=range(len(sizes)))
    has_extreme = low == 0 or high == 1
    is_infinite = has_extreme and bool((score == ~positive).any())
    names = [name for name in LOSSES if name != "logloss" or not is_infinite]
    with ThreadPoolExecutor() as pool:  # numpy releases the GIL
        sums = pool.map(lambda name: _loss_sums(name, group, positive, score), names)
        means = {name: total / sizes for name, total in zip(names, sums, strict=True)}
    return pd.DataFrame(means)


def _loss_sums(
    name: str, group: np.ndarray, positive: np.ndarray, probability: np.ndarray
) -> np.ndarray:
    """Return the sum of losses per group, bit-identical for any row order; losses must be finite or NaN.

    Each loss is rounded to the sum of a multiple of 2**-19 and a multiple of 2**-49. Each part adds
    up exactly, in any order, as long as its sum is below 2**53 multiples. This holds for up to
    2**23 losses of at most 745, the largest finite log loss (-log(5e-324)).
    """
    n_groups = int(group.max()) + 1
    sums = np.zeros((2, n_groups))
    for start in range(0, len(group), _ROWS):
        part = slice(start, start + _ROWS)
        values = case_losses(name, positive[part], probability[part])
        coarse = np.rint(values / _COARSE) * _COARSE
        fine = np.rint((values - coarse) / _FINE) * _FINE
        # starts of consecutive rows of a group
        starts = np.flatnonzero(np.diff(group[part], prepend=-1))
        group_of_run = group[part][starts]
        for total, losses in zip(sums, (coarse, fine), strict=True):
            sum_of_run = np.add.reduceat(losses, starts)
            total += np.bincount(group_of_run, sum_of_run, minlength=n_groups)
    return sums.sum(axis=0)


def known_name(text: str) -> str:
    """Return the name in `MEASURES` of a measure in any of its spellings, "" if unknown.

    Examples
    --------
    >>> known_name("ROC AUC"), known_name("speed")
    ('auc', '')
    """
    letters = re.sub(r"[\s_\-.'\u2019]+", "", text)
    return _NAME_OF.get(letters.lower(), "")


def _check_counts(counts: pd.DataFrame) -> tuple[np.ndarray, ...]:
    absent = [name for name in COUNTS if name not in counts]
    if absent:
        raise DataError.of("counts absent", columns=absent)
    values = tuple(counts[name].to_numpy(dtype=float) for name in COUNTS)
    for column in values:
        is_valid = np.isfinite(column) & (column >= 0)
        if not is_valid.all():
            raise DataError.of("counts negative")
    return values


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Return the elementwise ratio, NaN where the denominator is zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(denominator == 0, np.nan, numerator / denominator)
