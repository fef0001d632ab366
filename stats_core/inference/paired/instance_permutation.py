"""Permutation tests of two algorithms on the same instances, exact and by moments."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.core.result_types import Method, PairedResult
from stats_core.core.significance import significant
from stats_core.core.validation import IDENTICAL, check_probability
from stats_core.data.measures import LOSSES, case_losses
from stats_core.inference.paired.instance_influence import (
    BY_COUNTS,
    Moves,
    case_moves,
    cluster_error,
    confusion_cell,
    measure_and_gradient,
)

EXACT_LIMIT = 14  # clusters up to which all ways to swap are tried
_LARGEST_GRID = 1_000_000  # ways to swap, counted by what they change, that are all tried
WORK = 20_000_000  # draws times clusters; above it fewer are drawn, but at least `FEWEST`
FEWEST = 1999
_AT_ONCE = 200_000  # signs that are numbers at once
MOST_RANKED, FEWEST_RANKED = 1999, 499  # of measures whose every draw must be sorted anew


@dataclass(frozen=True, slots=True, eq=False)
class _Swapped:
    """Distribution of the statistic under swapped answers.

    Attributes
    ----------
    statistics : array
        Statistic of every swap, or of the drawn ones.
    weights : array or None
        Probability of each swap if all are listed; None if they were drawn.
    how : str
        Description in words.
    """

    statistics: np.ndarray
    weights: np.ndarray | None
    how: str


def _studentize(difference: ArrayLike, error: ArrayLike) -> np.ndarray:
    """Divide by the error; 0 without a difference, infinite if undefined."""
    difference, error = np.asarray(difference, dtype=float), np.asarray(error, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(np.abs(difference) < 1e-12, 0.0, difference / error)
    return np.where(np.isnan(ratio), np.inf, ratio)


def _permuted_statistics(
    measure: str, truth: np.ndarray, one: np.ndarray, other: np.ndarray, group: np.ndarray, draws: int, seed: int
) -> _Swapped:
    """Return the statistic under all swaps, or under random ones."""
    n, rng = int(group.max()) + 1, np.random.default_rng(seed)
    if measure in BY_COUNTS and n == len(truth):
        return _swapped_cells(measure, truth, one, other, draws, rng)
    if measure in (*BY_COUNTS, *LOSSES):
        signs, weights = _ways(n, min(draws, max(FEWEST, WORK // n)), rng)
        if measure in LOSSES:
            d = case_losses(measure, truth, one) - case_losses(measure, truth, other)
            statistics = _swapped_sums(d, group, signs)
        else:
            statistics = _swapped_counts(measure, truth, one, other, group, signs)
        return _Swapped(statistics, weights, _how(signs, weights))
    fewer = min(draws, MOST_RANKED, max(FEWEST_RANKED, WORK // 20 // len(truth)))
    signs, weights = _ways(n, fewer, rng)
    return _Swapped(_swapped_ranks(measure, truth, one, other, group, signs), weights, _how(signs, weights))


def _how(signs: np.ndarray, weights: np.ndarray | None) -> str:
    return f"{'all' if weights is not None else 'drawn'} {len(signs):,} ways to swap"


def _ways(n: int, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
    """Return swaps, way x cluster, 1 where swapped, and their probabilities if all are listed."""
    if n <= EXACT_LIMIT:
        ways = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        return ways.astype(np.int8), np.full(2**n, 0.5**n)
    return rng.integers(0, 2, size=(draws, n), dtype=np.int8), None


def _summed(signs: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return `signs @ columns`, computed in batches to bound memory."""
    step = max(1, _AT_ONCE // signs.shape[1])
    starts = range(0, len(signs), step)
    return np.concatenate([signs[start : start + step].astype(float) @ columns for start in starts])


def _swapped_cells(
    measure: str,
    truth: np.ndarray,
    first_calls: np.ndarray,
    second_calls: np.ndarray,
    draws: int,
    rng: np.random.Generator,
) -> _Swapped:
    """Swap single instances; only the counts of swapped discordant instances matter."""
    cells = np.bincount(4 * truth + 2 * first_calls + second_calls, minlength=8).astype(float)
    differ = [int(cells[base + 1] + cells[base + 2]) for base in (0, 4)]  # negatives, positives
    grid = (differ[0] + 1) * (differ[1] + 1)
    weights, description = None, f"drawn {draws:,} ways to swap"
    if grid <= _LARGEST_GRID:
        chances = [stats.binom.pmf(np.arange(d + 1), d, 0.5) for d in differ]
        weights = np.outer(*chances).ravel()
        first = [index.ravel() for index in np.indices([d + 1 for d in differ])]
        description = f"all 2^{sum(differ)} ways to swap"
    else:
        first = [rng.binomial(d, 0.5, size=draws) for d in differ]
    ways = np.broadcast_to(cells, (len(first[0]), 8)).copy()
    for base, total, calls in zip((0, 4), differ, first, strict=True):
        ways[:, base + 2], ways[:, base + 1] = calls, total - calls  # only one, only the other
    return _Swapped(_of_cells(measure, ways), weights, description)


def _of_cells(measure: str, ways: np.ndarray) -> np.ndarray:
    """Return the statistic for counts of instances by truth and by both calls."""
    cell = np.arange(8)
    truth, first_calls, second_calls = cell >> 2 == 1, cell >> 1 & 1 == 1, cell & 1 == 1
    cell_one, cell_other = confusion_cell(truth, first_calls), confusion_cell(truth, second_calls)
    value_one, slope_one = measure_and_gradient(measure, ways @ np.eye(4)[cell_one])
    value_other, slope_other = measure_and_gradient(measure, ways @ np.eye(4)[cell_other])
    moved = slope_one[:, cell_one] - slope_other[:, cell_other]
    n = ways[0].sum()
    error = np.sqrt(np.einsum("wc,wc->w", ways, moved**2) * n / (n - 1))
    return _studentize(value_one - value_other, error)


def _swapped_counts(
    measure: str,
    truth: np.ndarray,
    first_calls: np.ndarray,
    second_calls: np.ndarray,
    group: np.ndarray,
    signs: np.ndarray,
) -> np.ndarray:
    """Swap clusters: swap their counts, and the squares and products of these."""
    n = int(group.max()) + 1
    counts = [
        np.bincount(4 * group + confusion_cell(truth, calls), minlength=4 * n).reshape(n, 4).astype(float)
        for calls in (first_calls, second_calls)
    ]
    squares = [np.einsum("gi,gj->gij", a, b).reshape(n, 16) for a, b in _both(counts)]

    def under(plain: np.ndarray, turned: np.ndarray) -> np.ndarray:
        return plain.sum(axis=0) + _summed(signs, turned - plain)

    value_one, slope_one = measure_and_gradient(measure, under(counts[0], counts[1]))
    value_other, slope_other = measure_and_gradient(measure, under(counts[1], counts[0]))
    both = [under(squares[a], squares[b]).reshape(-1, 4, 4) for a, b in ((0, 1), (1, 0), (2, 3))]
    square = np.einsum("wi,wij,wj->w", slope_one, both[0], slope_one)
    square += np.einsum("wi,wij,wj->w", slope_other, both[1], slope_other)
    square -= 2 * np.einsum("wi,wij,wj->w", slope_one, both[2], slope_other)
    error = np.sqrt(np.maximum(square, 0) * n / (n - 1))
    return _studentize(value_one - value_other, error)


def _both(own: list[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(own[0], own[0]), (own[1], own[1]), (own[0], own[1]), (own[1], own[0])]


def _swapped_sums(by_case: np.ndarray, group: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """Swap clusters for a mean over instances: the signs of cluster sums flip."""
    n, total = int(group.max()) + 1, len(by_case)
    sums, sizes = np.bincount(group, weights=by_case), np.bincount(group)
    both = np.stack([sums, sums * sizes], axis=1)
    mean, weighted = (both.sum(axis=0) - 2 * _summed(signs, both)).T
    mean = mean / total
    square = (sums**2).sum() - 2 * mean * weighted + mean**2 * (sizes**2).sum()
    return _studentize(mean, np.sqrt(np.maximum(square, 0) * n / (n - 1)) / total)


def _swapped_ranks(
    measure: str,
    truth: np.ndarray,
    first_scores: np.ndarray,
    second_scores: np.ndarray,
    group: np.ndarray,
    signs: np.ndarray,
) -> np.ndarray:
    """Swap ranks, since the scores of two models are on different scales."""
    ranks = [stats.rankdata(scores) for scores in (first_scores, second_scores)]
    moments = np.empty((len(signs), 2))
    for index, way in enumerate(signs):
        swap = way[group] > 0
        values = tuple(
            case_moves(measure, truth, np.where(swap, a, b)) for a, b in ((ranks[1], ranks[0]), (ranks[0], ranks[1]))
        )
        by_case = values[0].by_case - values[1].by_case
        moments[index] = values[0].value - values[1].value, cluster_error(by_case, group)
    return _studentize(moments[:, 0], moments[:, 1])


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
    truth, answers, other_answers, group = check_instances(measure, positive, first, second, clusters)
    values = tuple(case_moves(measure, truth, labels) for labels in (answers, other_answers))
    check_defined(measure, [value.value for value in values])
    difference, error = _difference(values, group)
    n = int(group.max()) + 1
    permuted = _permuted_statistics(measure, truth, answers, other_answers, group, draws, seed)
    same = bool((answers == other_answers).all()) or (error == 0 and abs(difference) < 1e-12)
    observed = 0.0 if same else float(_studentize(difference, error))
    shares = _shares(permuted, observed) if not same else (1.0, 1.0, 1.0)
    reach = np.nan if same else _critical_value(permuted, 1 - confidence) * error
    unit = "case" if n == len(truth) else "cluster"
    return InstancePermutationResult(
        about=f"{measure} of two trained models on {len(truth)} cases",
        statistic=observed,
        pvalue=shares[0],
        pvalue_greater=shares[1],
        pvalue_less=shares[2],
        method=Method(f"test of swapped {unit}s", ("two-sided", permuted.how), exact=permuted.weights is not None),
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


def _critical_value(swapped: _Swapped, alpha: float) -> float:
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


def _shares(swapped: _Swapped, observed: float) -> tuple[float, float, float]:
    """Return the two-sided and both one-sided p-values."""
    slack = float(_slack(np.array([abs(observed)]))[0])
    statistics = swapped.statistics
    hits = (np.abs(statistics) >= abs(observed) - slack, statistics >= observed - slack, statistics <= observed + slack)
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
    measure: str, positive: ArrayLike, first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None
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
        raise DataError(["Truth and calls must be 0 or 1, and scores finite. Some are not. Leave those out."])
    if measure in LOSSES and not all(((values >= 0) & (values <= 1)).all() for values in answers):
        raise DataError([f"{measure} needs probabilities in [0, 1]. Some are not. Rescale the scores."])
    _, group = np.unique(group, return_inverse=True)
    if len(truth) < 2 or group.max() < 1:
        raise DesignError("A test over cases needs two cases, or two clusters. There is one.")
    return truth == 1, answers[0].astype(kind), answers[1].astype(kind), group
