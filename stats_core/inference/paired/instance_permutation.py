"""Studentized permutation test of any measure of two trained models on the same instances."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.core.result_types import Method, PairedResult
from stats_core.core.significance import significant
from stats_core.core.validation import IDENTICAL, check_probability
from stats_core.data.measures import LOSSES
from stats_core.inference.paired.instance_influence import (
    BY_COUNTS,
    Moves,
    case_moves,
    cluster_error,
)
from stats_core.inference.paired.permutation_moments import Swapped, permuted_statistics, studentize


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InstancePermutationResult(PairedResult):
    """Result of a permutation test of two trained models on the same instances.

    Attributes
    ----------
    estimate : float
        The measure of the first minus that of the second.
    low, high : float
        Interval for it that leaves out 0 exactly where p is at most 1 - confidence; NaN where
        the two gave every case the same answer.
    error : float
        Standard error of the estimate over cases, or over clusters of them.
    values : (float, float)
        The measure of each.
    """

    estimate: float
    low: float
    high: float
    error: float
    values: tuple[float, float]


def swap_test(
    measure: str,
    positive: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
    draws: int = 9999,
    seed: int = 0,
) -> InstancePermutationResult:
    """Do two trained models differ in a measure by more than swapping answers explains?

    Notes
    -----
    Where both models are exchangeable the test is exact. Where they are only equal in the
    measure (one calls fewer cases positive at the same precision) it holds for many cases, as
    the difference is divided by its standard error from the moves of single cases. For the error
    it is McNemar's exact test. The interval is estimate +- q times the standard error, q from the
    same swaps, so that it never contradicts the decision.

    References
    ----------
    Konietschke and Pauly, Stat. Comput. 24 (2014) 283; Phipson and Smyth, Stat. Appl. Genet. Mol.
    Biol. 9 (2010) 39.

    Examples
    --------
    >>> truth = np.array([1, 1, 1, 1, 1, 1, 1, 1, 0, 0])
    >>> a, b = np.array([1] * 8 + [0, 0]), np.array([0] * 7 + [1] + [0, 1])
    >>> round(swap_test("error", truth, a, b).pvalue, 6)  # eight cases against none
    0.007812
    """
    check_probability(confidence, "confidence")
    if draws < 1:
        raise SettingError(f"`draws` must be at least 1. It is {draws!r}. Try 9999.")
    truth, answers, other_answers, group = check_instances(
        measure, positive, first, second, clusters
    )
    values = tuple(case_moves(measure, truth, labels) for labels in (answers, other_answers))
    check_defined(measure, [value.value for value in values])
    difference, error = _difference(values, group)
    n = int(group.max()) + 1
    permuted = permuted_statistics(measure, truth, answers, other_answers, group, draws, seed)
    same = bool((answers == other_answers).all()) or (error == 0 and abs(difference) < 1e-12)
    observed = 0.0 if same else float(studentize(difference, error))
    shares = _shares(permuted, observed) if not same else (1.0, 1.0, 1.0)
    reach = np.nan if same else critical_value(permuted, 1 - confidence) * error
    unit = "case" if n == len(truth) else "cluster"
    return InstancePermutationResult(
        about=f"{measure} of two trained models on {len(truth)} cases",
        statistic=observed,
        pvalue=shares[0],
        pvalue_greater=shares[1],
        pvalue_less=shares[2],
        method=Method(
            f"test of swapped {unit}s",
            ("two-sided", permuted.how),
            exact=permuted.weights is not None,
        ),
        n=n,
        warnings=(IDENTICAL,) if same else (),
        estimate=difference,
        low=difference - reach,
        high=difference + reach,
        error=error,
        values=(values[0].value, values[1].value),
    )


def check_defined(measure: str, values: Sequence[float]) -> None:
    """Refuse a measure that is undefined, or infinite, for a model."""
    if np.isinf(values).any():
        raise DesignError(
            f"{measure} is infinite for a model that is sure and wrong on a case: probabilities of 0 "
            "and 1 leave no room for error. Use the Brier score."
        )
    if np.isnan(values).any():
        raise DesignError(
            f"{measure} is undefined for a model on these cases: a class, or a case called "
            "positive, is missing. Use more cases, or another measure."
        )


def critical_value(swapped: Swapped, alpha: float) -> float:
    """Return the q for which |statistic| > q exactly where p is at most alpha.

    Between two values that the statistic can take the middle is taken; where no way to swap
    would reject, the largest of them.
    """
    size = np.sort(np.abs(swapped.statistics))[::-1]
    if swapped.weights is None:
        allowed = int(np.floor(alpha * (len(size) + 1) + 1e-9)) - 1  # that may lie as far out
        if allowed < 0:
            return _largest(size, alpha)
        return float(size[min(allowed, len(size) - 1)]) * (1 + 1e-9)
    order = np.argsort(-np.abs(swapped.statistics), kind="stable")
    size = np.abs(swapped.statistics)[order]
    tail = np.cumsum(swapped.weights[order])
    last = np.append(size[1:] < size[:-1] - _slack(size[:-1]), True)  # of its run of ties
    rejecting = last & significant(tail, alpha)
    if not rejecting.any():
        return _largest(size, alpha)
    index = int(np.flatnonzero(rejecting)[-1])
    return float((size[index] + size[index + 1]) / 2) if index + 1 < len(size) else 0.0


def _largest(size: np.ndarray, alpha: float) -> float:
    finite = size[np.isfinite(size)]
    return max(float(finite[0]) * (1 + 1e-9) if len(finite) else 0.0, stats.norm.isf(alpha / 2))


def _slack(size: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(size), 1e-9 * np.maximum(size, 1), 0.0)


def _shares(swapped: Swapped, observed: float) -> tuple[float, float, float]:
    """Return the two-sided and both one-sided p-values."""
    slack = float(_slack(np.array([abs(observed)]))[0])
    statistics = swapped.statistics
    hits = (
        np.abs(statistics) >= abs(observed) - slack,
        statistics >= observed - slack,
        statistics <= observed + slack,
    )
    if swapped.weights is None:
        two, greater, less = ((int(hit.sum()) + 1) / (len(statistics) + 1) for hit in hits)
    else:
        two, greater, less = (min(1.0, float(swapped.weights[hit].sum())) for hit in hits)
    return two, greater, less


def _difference(values: tuple[Moves, ...], group: np.ndarray) -> tuple[float, float]:
    """Return the difference and its standard error over clusters."""
    by_case = values[0].by_case - values[1].by_case
    return values[0].value - values[1].value, cluster_error(by_case, group)


def check_instances(
    measure: str,
    positive: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return checked truth, answers and cluster numbers."""
    truth = np.asarray(positive)
    kind = bool if measure in BY_COUNTS else float
    answers = [np.asarray(labels) for labels in (first, second)]
    group = np.arange(len(truth)) if clusters is None else np.asarray(clusters)
    if truth.ndim != 1 or any(values.shape != truth.shape for values in (*answers, group)):
        shapes = ", ".join(str(values.shape) for values in (truth, *answers, group))
        raise DataError(
            [
                "Truth, answers and clusters must be rows of the same length. Their shapes are "
                f"{shapes}. Pair them by case."
            ]
        )
    yes_no = [truth, *(answers if kind is bool else [])]
    if not all(np.isin(values, (0, 1)).all() for values in yes_no) or not all(
        np.isfinite(values.astype(float)).all() for values in answers
    ):
        raise DataError(
            ["Truth and calls must be 0 or 1, and scores finite. Some are not. Leave those out."]
        )
    if measure in LOSSES and not all(((values >= 0) & (values <= 1)).all() for values in answers):
        raise DataError(
            [f"{measure} needs probabilities in [0, 1]. Some are not. Rescale the scores."]
        )
    _, group = np.unique(group, return_inverse=True)
    if len(truth) < 2 or group.max() < 1:
        raise DesignError("A test over cases needs two cases, or two clusters. There is one.")
    return truth == 1, answers[0].astype(kind), answers[1].astype(kind), group
