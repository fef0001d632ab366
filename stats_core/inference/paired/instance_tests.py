"""Tests of models on the same instances: permutation, two-way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special, stats

from stats_core.core.errors import DataError, DesignError
from stats_core.core.result_types import Alternative, Method, PairedResult, Rng
from stats_core.core.significance import P_ROUNDING
from stats_core.core.validation import (
    IDENTICAL,
    align,
    all_within_rounding,
    batches,
    check_draws,
    check_probability,
    paired_differences,
    significant,
)
from stats_core.data import class_measures, measures
from stats_core.data.class_measures import BY_CLASSES, MACRO_AUC, OF_NUMBERS
from stats_core.data.measures import LOSSES
from stats_core.inference import distributions, inference_text
from stats_core.inference.clusters import (
    TIES,
    ClusterError,
    FlippedSums,
    bounded,
    cr2_error,
    effective_number,
    masked_sums,
)
from stats_core.inference.paired import proportions, signed_ranks
from stats_core.inference.paired.influences import (
    BY_COUNTS,
    BY_RANKS,
    MEAN,
    MEANS,
    SHARES,
    Moves,
    case_moves,
    class_value_and_moves,
    cluster_error,
    confusion_cell,
    double_ranks,
    measure_and_gradient,
)


def mean_of_instances(
    measure: str,
    positive: np.ndarray,
    predicted: Sequence[np.ndarray],
    group: np.ndarray,
    *,
    confidence_level: float = 0.95,
) -> dict[str, float]:
    """Return value, standard error, low, high and design effect of a mean over instances, for one model.

    `predicted` holds the predictions of each run, `group` the cluster 0, 1, ... of each
    instance. The design effect is the ratio of the variances over clusters and over instances, at
    least 1.

    Notes
    -----
    The standard error over clusters is that of `clusters.cr2_error` (CR2), but at least that of
    independent instances. With several runs, their variance is added. The interval of a
    share is Wilson's for the effective number of instances p (1 - p) / error^2, with a t quantile
    if there are clusters or runs. If no instance varies, Kish's effective number of clusters is
    used. Other means have a t interval. The degrees of freedom over clusters are those of Bell and
    McCaffrey.

    References
    ----------
    Bell and McCaffrey, Surv. Methodol. 28 (2002) 169; Korn and Graubard, Surv. Methodol. 24 (1998)
    193.

    Examples
    --------
    >>> right, all_true = np.array([True, True, True, False, False, False, True, True]), np.ones(8, dtype=bool)
    >>> found = mean_of_instances("accuracy", all_true, [right], np.arange(8) // 2)
    >>> {name: round(value, 4) for name, value in found.items()}
    {'value': 0.625, 'standard error': 0.2394, 'low': 0.1178, 'high': 0.9541, 'design effect': 1.7111}
    """
    moves = [case_moves(measure, positive, labels) for labels in predicted]
    values = np.array([each.value for each in moves])
    by_case, runs, n = np.mean([each.by_case for each in moves], axis=0), len(moves), len(group)
    value = float(values.mean())
    over_cases = cr2_error(by_case, group, values / n)
    over_runs = float(values.std(ddof=1) / np.sqrt(runs)) if runs > 1 else 0.0
    error = float(np.hypot(over_cases.for_intervals, over_runs))
    sizes = np.bincount(group)
    is_plain = runs == 1 and len(sizes) == n
    tail, variances = (1 - confidence_level) / 2, (over_cases.for_intervals**2, over_runs**2)
    df = (over_cases.df, max(runs - 1, 1))
    t = distributions.summed_t_isf(tail, variances if error else (1.0, 0.0), df)
    if measure == MEAN:
        low, high = value - t * error, value + t * error
    else:
        z = float(-special.ndtri(tail)) if is_plain else t
        effective = float(n)
        if not is_plain:
            share = value * (1 - value)
            effective = share / error**2 if error else effective_number(sizes)
        low, high = proportions.score_interval(value * effective, effective, z)
    return {
        "value": value,
        "standard error": error,
        "low": low,
        "high": high,
        "design effect": over_cases.design_effect,
    }


MAX_ALL_SWAPS = 14  # clusters up to which all ways to swap are tried
_LARGEST_GRID = (
    1_000_000  # ways to swap, counted by what they change, that are all tried; numbers held at once
)
# largest difference of two values of a measure; infinite for all others
_LARGEST_DIFFERENCE = dict.fromkeys(
    (*SHARES, "balanced_accuracy", "macro_f1", "weighted_f1", *BY_RANKS, "brier"), 1.0
) | dict.fromkeys(("mcc", "kappa"), 2.0)
WORK = 20_000_000  # draws times clusters; above it fewer are drawn, but at least `FEWEST`
FEWEST = 1999
MOST_RANKED, FEWEST_RANKED = 1999, 499  # draws for measures that need a new sort in each draw


@dataclass(frozen=True, slots=True, eq=False)
class _Swapped:
    """Permutation distribution of the statistic under swapped predictions.

    Attributes
    ----------
    statistics : array
        Bounded statistic t / sqrt(1 + t^2) of every swap, or of the observed arrangement and the
        drawn swaps.
    weights : array or None
        Probability of each swap if all are listed; None if they were drawn.
    observed : int
        Position of the observed arrangement.
    how : str
        Description of the permutations as text.
    flips : FlippedSums or None
        Sums by unit under the same swaps, for intervals; None for swaps of kinds of instances.
    """

    statistics: np.ndarray
    weights: np.ndarray | None
    observed: int
    how: str
    flips: FlippedSums | None = None

    @property
    def draws(self) -> int | None:
        """Number of random permutations; None if all are listed."""
        return None if self.weights is not None else len(self.statistics) - 1


@dataclass(frozen=True, slots=True, eq=False)
class _TwoModels:
    """Predictions of two models on the same instances, with labels and cluster numbers."""

    measure: str
    truth: np.ndarray
    first: np.ndarray
    second: np.ndarray
    group: np.ndarray

    @property
    def n(self) -> int:
        """Number of clusters."""
        return int(self.group.max()) + 1

    @property
    def same(self) -> bool:
        """Whether both models predict the same for every instance."""
        return bool((self.first == self.second).all())

    def moves(self) -> tuple[Moves, Moves]:
        """Return value and influences of each model; raise DesignError if a value is undefined or infinite."""
        first, second = (
            case_moves(self.measure, self.truth, labels) for labels in (self.first, self.second)
        )
        check_defined(self.measure, (first.value, second.value))
        return first, second


def _permuted_statistics(models: _TwoModels, draws: int, rng: Rng) -> _Swapped:
    """Return the distribution of the statistic over all swaps of predictions, or over random swaps if too many."""
    n, measure, rng = models.n, models.measure, np.random.default_rng(rng)
    are_classes = measure in BY_CLASSES and models.truth.dtype != bool
    if (are_classes or measure in BY_COUNTS) and n == len(models.truth):
        return (
            _swapped_classes(models, draws, rng)
            if are_classes
            else _swapped_cells(models, draws, rng)
        )
    fewer, statistics_of = min(draws, max(FEWEST, WORK // n)), _swapped_counts
    if measure not in MEANS and (are_classes or measure not in (*BY_COUNTS, *OF_NUMBERS)):
        statistics_of = _swapped_ranks
        fewer = min(draws, MOST_RANKED, max(FEWEST_RANKED, WORK // 20 // models.first.size))
    signs, weights = _swap_masks(n, fewer, rng)
    flips = _flipped_sums(models, signs, listed=weights is not None)
    statistics = flips.statistics(0.0) if measure in MEANS else statistics_of(models, signs)
    return _Swapped(statistics, weights, 0, _ways_to_swap(signs, weights), flips)


def _flipped_sums(models: _TwoModels, signs: np.ndarray, *, listed: bool) -> FlippedSums:
    """Return the flipped sums of the differences of instances: their own, or those by their influences."""
    if models.measure in MEANS:
        first, second = _values_of_means(models)
        differences = paired_differences(first, second)
    else:
        moves = models.moves()
        estimate = moves[0].value - moves[1].value
        by_case = (moves[0].by_case - moves[1].by_case) * len(models.group)
        differences = by_case + estimate
    sums = np.bincount(models.group, weights=differences)
    return FlippedSums.of(sums, np.bincount(models.group).astype(float), signs, listed=listed)


def _values_of_means(models: _TwoModels) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of both models by instance whose means are the measure."""
    if models.measure == MEAN:
        return models.first, models.second
    first, second = (
        measures.case_losses(models.measure, models.truth, values)
        for values in (models.first, models.second)
    )
    return first, second


def _ways_to_swap(signs: np.ndarray, weights: np.ndarray | None) -> str:
    if weights is not None:
        return f"all {len(signs):,} permutations"
    return inference_text("method.some_swaps", draws=len(signs) - 1)  # without the observed one


def _swap_masks(
    n: int, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return swap masks, swap x bits of clusters, and the probabilities of the swaps, or None if swaps are drawn.

    The first mask swaps nothing.
    """
    if n <= MAX_ALL_SWAPS:
        ways = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        return np.packbits(ways.astype(np.uint8), axis=1), np.full(2**n, 0.5**n)
    sizes = ((part.stop - part.start, n) for part in batches(draws, n))
    drawn = [np.packbits(rng.integers(0, 2, size, dtype=np.int8), axis=1) for size in sizes]
    return np.concatenate([np.zeros((1, -(-n // 8)), dtype=np.uint8), *drawn]), None


def _swapped_cells(models: _TwoModels, draws: int, rng: np.random.Generator) -> _Swapped:
    """Return the distribution for swaps of single instances, from counts of discordant instances."""
    cells = np.bincount(4 * models.truth + 2 * models.first + models.second, minlength=8).astype(
        float
    )
    differ = [int(cells[base + 1] + cells[base + 2]) for base in (0, 4)]  # negatives, positives
    grid = (differ[0] + 1) * (differ[1] + 1)
    weights, description = None, inference_text("method.some_swaps", draws=draws)
    only_first, observed = [int(cells[2]), int(cells[6])], 0
    if grid <= _LARGEST_GRID:
        chances = [stats.binom.pmf(np.arange(d + 1), d, 0.5) if d else np.ones(1) for d in differ]
        weights = np.outer(*chances).ravel()
        first = [index.ravel() for index in np.indices([d + 1 for d in differ])]
        description = inference_text("method.all_swaps", n=sum(differ))
        observed = int(np.ravel_multi_index(only_first, [d + 1 for d in differ]))
    else:
        first = [
            np.append(own, rng.binomial(d, 0.5, size=draws))
            for own, d in zip(only_first, differ, strict=True)
        ]
    ways = np.broadcast_to(cells, (len(first[0]), 8)).copy()
    for base, total, calls in zip((0, 4), differ, first, strict=True):
        ways[:, base + 2], ways[:, base + 1] = calls, total - calls  # only one, only the other
    return _Swapped(_of_cells(models.measure, ways), weights, observed, description)


def _swapped_classes(models: _TwoModels, draws: int, rng: np.random.Generator) -> _Swapped:
    """Return the distribution for swaps of single instances of several classes."""
    labels = np.stack([models.truth, models.first, models.second], axis=1)
    moments, weights, observed = _swapped_moments(models.measure, labels, draws, rng)
    n = int((models.first != models.second).sum())
    how = (
        ("method.some_swaps", {"draws": len(moments) - 1})
        if weights is None
        else ("method.all_swaps", {"n": n})
    )
    return _Swapped(bounded(*moments.T), weights, observed, inference_text(how[0], **how[1]))


def _swapped_moments(
    measure: str, labels: np.ndarray, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray | None, int]:
    """Return the permutation distribution of the difference of a measure of two models, and its probabilities.

    The last number is the position of the observed arrangement.

    `labels` holds the true class and both predictions of each instance. The distribution is
    permutation x 2: the difference and its standard error. All permutations are counted if they are
    few. Otherwise at most `draws` are drawn with `rng`, and the probabilities are None. Only the
    numbers of swapped instances of each kind (true class and both predictions) matter.
    """
    labels = np.concatenate([labels, labels[:, [0, 2, 1]]])
    kinds, kind_of = np.unique(labels, axis=0, return_inverse=True)
    sizes = np.bincount(kind_of[: len(labels) // 2], minlength=len(kinds)).astype(float)
    partner = np.empty(len(kinds), dtype=np.int64)  # the same kind with swapped predictions
    partner[kind_of[: len(labels) // 2]] = kind_of[len(labels) // 2 :]
    partner[kind_of[len(labels) // 2 :]] = kind_of[: len(labels) // 2]
    pairs = np.flatnonzero(kinds[:, 1] < kinds[:, 2])
    differ = (sizes[pairs] + sizes[partner[pairs]]).astype(int)
    own, weights, observed = sizes[pairs].astype(int), None, 0
    if np.prod(differ + 1.0) <= _LARGEST_GRID / len(kinds):
        of_first = np.indices(differ + 1).reshape(len(differ), int(np.prod(differ + 1))).T
        weights = np.prod(stats.binom.pmf(of_first, differ, 0.5), axis=1)
        observed = int(np.ravel_multi_index(tuple(own), tuple(differ + 1))) if len(own) else 0
    else:
        draws = min(draws, max(FEWEST, WORK // len(kinds)))
        of_first = np.vstack([own, rng.binomial(differ, 0.5, size=(draws, len(differ)))])
    moments = []
    for part in np.array_split(of_first, -(-of_first.shape[0] * len(kinds) // _LARGEST_GRID)):
        ways = np.broadcast_to(sizes, (len(part), len(kinds))).copy()
        ways[:, pairs], ways[:, partner[pairs]] = part, differ - part
        (value, moved), (other, moved_other) = (
            class_value_and_moves(measure, ways, kinds[:, 0], kinds[:, i]) for i in (1, 2)
        )
        n = sizes.sum()
        square = np.einsum("wk,wk->w", ways, (moved - moved_other) ** 2)
        moments.append(np.stack([value - other, np.sqrt(square * n / (n - 1))], axis=1))
    return np.concatenate(moments), weights, observed


def _of_cells(measure: str, ways: np.ndarray) -> np.ndarray:
    """Return the statistic by swap, given instance counts, swap x cell (combination of label and both predictions)."""
    cell = np.arange(8)
    truth, first_calls, second_calls = cell >> 2 == 1, cell >> 1 & 1 == 1, cell & 1 == 1
    cell_one, cell_other = confusion_cell(truth, first_calls), confusion_cell(truth, second_calls)
    value_one, slope_one = measure_and_gradient(measure, ways @ np.eye(4)[cell_one])
    value_other, slope_other = measure_and_gradient(measure, ways @ np.eye(4)[cell_other])
    moved = slope_one[:, cell_one] - slope_other[:, cell_other]
    n = ways[0].sum()
    error = np.sqrt(np.einsum("wc,wc->w", ways, moved**2) * n / (n - 1))
    return bounded(value_one - value_other, error)


def _swapped_counts(models: _TwoModels, signs: np.ndarray) -> np.ndarray:
    """Return the statistics for swaps of clusters, for measures of confusion counts."""
    n, measure = models.n, models.measure
    gradient = (
        class_measures.number_measure_and_gradient
        if measure in OF_NUMBERS
        else measure_and_gradient
    )
    counts = [_sums_of_clusters(models, predicted) for predicted in (models.first, models.second)]
    d = counts[0].shape[1]
    pairs = ((0, 0), (1, 1), (0, 1), (1, 0))
    squares = [np.einsum("gi,gj->gij", counts[a], counts[b]).reshape(n, d * d) for a, b in pairs]

    def under(plain: np.ndarray, turned: np.ndarray) -> np.ndarray:
        return plain.sum(axis=0) + masked_sums(signs, turned - plain)

    value_one, slope_one = gradient(measure, under(counts[0], counts[1]))
    value_other, slope_other = gradient(measure, under(counts[1], counts[0]))
    both = [under(squares[a], squares[b]).reshape(-1, d, d) for a, b in ((0, 1), (1, 0), (2, 3))]
    square = np.einsum("wi,wij,wj->w", slope_one, both[0], slope_one)
    square += np.einsum("wi,wij,wj->w", slope_other, both[1], slope_other)
    square -= 2 * np.einsum("wi,wij,wj->w", slope_one, both[2], slope_other)
    error = np.sqrt(np.maximum(square, 0) * n / (n - 1))
    return bounded(value_one - value_other, error)


def _sums_of_clusters(models: _TwoModels, predicted: np.ndarray) -> np.ndarray:
    """Return counts of tp, fp, tn and fn, or sums of predicted numbers: cluster x count or sum."""
    if models.measure not in OF_NUMBERS:
        cell = 4 * models.group + confusion_cell(models.truth, predicted)
        return np.bincount(cell, minlength=4 * models.n).reshape(models.n, 4).astype(float)
    sums = class_measures.number_sums(models.measure, models.truth, predicted)
    return np.stack([np.bincount(models.group, weights=column) for column in sums.T], axis=1)


def _swapped_ranks(models: _TwoModels, signs: np.ndarray) -> np.ndarray:
    """Return the statistics for swaps of class codes, or of ranks instead of scores, as the score scales differ."""
    first, second = models.first, models.second
    if models.measure in BY_RANKS:
        first, second = double_ranks(first), double_ranks(second)
    moments = np.empty((len(signs), 2))
    for index, way in enumerate(signs):
        swap = (np.unpackbits(way, count=models.n)[models.group] > 0).reshape(
            -1, *[1] * (first.ndim - 1)
        )  # of all classes together
        swapped = replace(
            models, first=np.where(swap, second, first), second=np.where(swap, first, second)
        )
        moments[index] = _difference(swapped.moves(), models.group)
    return bounded(moments[:, 0], moments[:, 1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InstancePermutationResult(PairedResult):
    """Result of a permutation test of two models on the same instances.

    Attributes
    ----------
    estimate : float
        The measure of the first minus that of the second.
    low, high : float
        Interval for the difference that excludes 0 exactly if p is at most 1 - confidence_level;
        NaN if both give the same prediction on every case, or if the variance of DeLong's test is
        0.
    error : float
        Standard error of the estimate over cases, or over clusters of them. Over clusters, it is at
        least that over cases. A difference that is the same on all cases has the error it would
        have if it were 0 on one of them.
    values : (float, float)
        The measure of each.
    draws : int or None
        Number of random permutations; None if all were counted, or if the test permutes nothing.
    """

    estimate: float
    low: float
    high: float
    error: float
    values: tuple[float, float]
    draws: int | None = None


def swap_test(  # noqa: PLR0913
    measure: str,
    positive: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    draws: int = 9999,
    rng: Rng = 0,
) -> InstancePermutationResult:
    """Permutation test of a measure of two models, swapping their predictions per instance or cluster.

    `first` and `second` are predictions of 0 and 1 for measures of counts, else scores; `positive`
    and `clusters` have one entry per instance. `alternative` is "two-sided", "greater" or "less":
    "greater" tests whether the measure of the first model is larger. The interval is two-sided for
    any alternative. Raises DataError if lengths differ or values are
    invalid, DesignError if the measure is undefined or infinite for a model or there are too few
    instances or clusters, SettingError for an unknown measure or alternative, `confidence_level`
    outside (0, 1) or `draws` below 1.

    Notes
    -----
    The statistic is the difference of the two values of the measure, divided by its standard error. The test is exact
    if both models are exchangeable. If they are only equal in the measure (one predicts fewer positives at the same
    precision) it is asymptotically valid, since the statistic is studentized. For the error rate it equals McNemar's
    exact test. The observed arrangement is one of the permutations, so p is never below its probability.

    The interval holds the differences that the test does not reject: they are subtracted from the
    differences of the instances, or from the influences on other measures than means, and the signs
    of units are flipped again. Without clusters, the interval of measures of classes is estimate +-
    q times the standard error, with q the critical value of |statistic|. An interval never
    contradicts the decision, and ends at the largest possible difference. With clusters, and for a
    difference that does not vary, it is at least as wide as a t interval of independent instances.

    Fewer than `draws` permutations are drawn for many clusters, and for measures of ranks. All are
    listed for up to 14 clusters, and for measures of counts without clusters if these have at most
    1,000,000 different outcomes.

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
    check_probability(confidence_level, "confidence_level")
    check_draws(draws)
    models = _check_instances(measure, positive, first, second, clusters)
    models.moves()  # refuses undefined measures
    permuted = _permuted_statistics(models, draws, rng)
    return _swap_result(models, permuted, confidence_level).at_alternative(alternative)


def swap_tests_of_means(
    measure: str,
    positive: np.ndarray,
    predicted: Mapping[str, np.ndarray],
    *,
    clusters: np.ndarray | None = None,
    draws: int = 9999,
) -> Callable[[Mapping[tuple[str, str], float]], dict[tuple[str, str], InstancePermutationResult]]:
    """Return a function from the confidence level of each pair to its `swap_test` for a mean over instances.

    Each drawn permutation is applied to all models at once, so the time hardly depends on the
    number of pairs.
    """
    names = list(predicted)
    checked = {
        name: _check_instances(measure, positive, predicted[name], predicted[name], clusters)
        for name in names
    }
    template = checked[names[0]]
    losses = [checked[name].first for name in names]
    if measure != MEAN:
        losses = (
            [values != template.truth for values in losses]
            if measure in BY_COUNTS
            else [measures.case_losses(measure, template.truth, values) for values in losses]
        )
    turn = -1 if measure == "accuracy" else 1
    sizes = np.bincount(template.group).astype(float)
    sums = turn * np.array([np.bincount(template.group, weights=loss) for loss in losses]).T
    signs, weights = _swap_masks(
        template.n, min(draws, max(FEWEST, WORK // template.n)), np.random.default_rng(0)
    )
    columns = np.column_stack([sums, sums * sizes[:, None], sizes, sizes**2])
    flipped = columns.sum(axis=0) - 2 * masked_sums(signs, columns)
    by_model, of_sizes = flipped[:, :-2].reshape(len(signs), 2, len(names)), flipped[:, -2:]
    how = _ways_to_swap(signs, weights)

    def tested(pair: tuple[str, str], level: float) -> InstancePermutationResult:
        i, j = (names.index(name) for name in pair)
        models = replace(template, first=checked[pair[0]].first, second=checked[pair[1]].first)
        moved = by_model[:, :, i] - by_model[:, :, j]
        each = np.stack([moved[:, 0], of_sizes[:, 0], moved[:, 1], of_sizes[:, 1]], axis=1)
        flips = FlippedSums(sums[:, i] - sums[:, j], sizes, each, listed=weights is not None)
        return _swap_result(models, _Swapped(flips.statistics(0.0), weights, 0, how, flips), level)

    return lambda confidence_level: {
        pair: tested(pair, level) for pair, level in confidence_level.items()
    }


def mcnemar_tests(
    measure: str,
    counted: Mapping[str, np.ndarray],
    confidence_level: Mapping[tuple[str, str], float],
) -> dict[tuple[str, str], InstancePermutationResult]:
    """Return `swap_test` of each pair in `confidence_level` for error or accuracy, which is McNemar's exact test.

    `counted` holds by model whether each instance counts towards the measure. The intervals are
    Newcombe's, changed so that they exclude 0 exactly if the test rejects.
    """
    names, marks = list(counted), np.array(list(counted.values()), dtype=float)
    n, both = marks.shape[1], marks @ marks.T
    i, j = np.array([[names.index(name) for name in pair] for pair in confidence_level]).T
    counts = np.stack([both[i, j], both[i, i] - both[i, j], both[j, j] - both[i, j]])
    counts = np.vstack([counts, n - counts.sum(axis=0)])
    only, other = counts[1:3]
    discordant, estimates = only + other, (only - other) / n
    errors = np.sqrt(np.maximum(discordant - (only - other) ** 2 / n, 0) / (n * (n - 1)))
    statistics = np.divide(estimates, errors, out=np.copysign(np.inf, estimates), where=errors > 0)
    statistics = np.where(discordant > 0, statistics, 0.0)
    greater, less = (stats.binom.sf(wins - 1, discordant, 0.5) for wins in (only, other))
    two_sided, tests = np.minimum(2 * np.minimum(greater, less), 1), {}
    about = inference_text("about.two_models", measure=measure, n=n)
    for row, (pair, level) in enumerate(confidence_level.items()):
        p, estimate, same = float(two_sided[row]), float(estimates[row]), not discordant[row]
        how = inference_text("method.all_swaps", n=int(discordant[row]))
        low, high = signed_ranks.consistent_interval(
            proportions.newcombe_interval(*map(int, counts[:, row]), confidence_level=level),
            rejects=bool(significant(p, 1 - level)),
            ahead=estimate,
            scale=1.0,
        )
        tests[pair] = InstancePermutationResult(
            about=about,
            statistic=float(statistics[row]),
            pvalue=p,
            pvalue_greater=float(greater[row]),
            pvalue_less=float(less[row]),
            method=Method(
                inference_text("method.swaps", unit="case"), ("two-sided", how), exact=True
            ),
            n=n,
            warnings=(IDENTICAL,) if same else (),
            estimate=estimate,
            low=low,
            high=high,
            error=float(errors[row]),
            values=(float(marks[i[row]].mean()), float(marks[j[row]].mean())),
        )
    return tests


def _swap_result(
    models: _TwoModels, permuted: _Swapped, confidence_level: float
) -> InstancePermutationResult:
    """Return the result of the permutation test from its permutation distribution."""
    values, measure = models.moves(), models.measure
    n, cases = models.n, len(models.truth)
    each = np.array([moves.value for moves in values])
    difference, by_case = float(each[0] - each[1]), values[0].by_case - values[1].by_case
    over = cr2_error(by_case, models.group, *(moves.by_case for moves in values), each / cases)
    same = models.same or (not over.error and all_within_rounding(difference, each))
    shares = (1.0, 1.0, 1.0) if same else _shares(permuted)
    low, high = np.nan, np.nan
    if not same:
        low, high = _interval(models, permuted, (difference, over), shares[0], confidence_level)
    return InstancePermutationResult(
        about=inference_text("about.two_models", measure=measure, n=cases),
        statistic=0.0 if same else _studentized(difference, by_case, models.group, over),
        pvalue=shares[0],
        pvalue_greater=shares[1],
        pvalue_less=shares[2],
        method=Method(
            inference_text("method.swaps", unit="case" if n == cases else "cluster"),
            ("two-sided", permuted.how),
            exact=permuted.weights is not None,
        ),
        n=n,
        warnings=(IDENTICAL,) if same else (),
        estimate=difference,
        low=low,
        high=high,
        error=_error_for_intervals(difference, over),
        values=(values[0].value, values[1].value),
        draws=permuted.draws,
    )


def _studentized(
    difference: float, by_case: np.ndarray, group: np.ndarray, over: ClusterError
) -> float:
    """Return the statistic of the permutation test, infinite for a difference that does not vary."""
    if not over.error:
        return float(np.copysign(np.inf, difference))
    return difference / cluster_error(by_case, group)


def _error_for_intervals(difference: float, over: ClusterError) -> float:
    """Return the standard error for intervals; for a difference that does not vary, as if it were 0 in one unit."""
    return over.for_intervals or abs(difference) / over.df


def _interval(
    models: _TwoModels,
    permuted: _Swapped,
    estimated: tuple[float, ClusterError],
    pvalue: float,
    confidence_level: float,
) -> tuple[float, float]:
    """Return the interval of the differences that the permutation test does not reject.

    With clusters, and for a difference that does not vary, it is at least as wide as a t interval
    of independent instances.
    """
    (difference, over), alpha = estimated, 1 - confidence_level
    span = _LARGEST_DIFFERENCE.get(models.measure, np.inf)
    if permuted.flips is not None:
        low, high = permuted.flips.interval(alpha, (-span, span))
    else:
        reach = _critical_value(permuted, alpha) * over.error
        low, high = difference - reach, difference + reach
    if models.n < len(models.group) or not over.error:
        reach = float(stats.t.isf(alpha / 2, over.df)) * _error_for_intervals(difference, over)
        low, high = min(low, difference - reach), max(high, difference + reach)
    low, high = signed_ranks.consistent_interval(
        (low, high),
        rejects=bool(significant(pvalue, alpha)),
        ahead=difference,
        scale=abs(difference),
    )
    return max(low, -span), min(high, span)


def check_defined(measure: str, values: Sequence[float]) -> None:
    """Raise DesignError for a measure that is undefined or infinite for a model."""
    if np.isinf(values).any():
        raise DesignError.of("measure is infinite for a model", measure=measure)
    if np.isnan(values).any():
        raise DesignError.of("measure is undefined for a model", measure=measure)


def _critical_value(swapped: _Swapped, alpha: float) -> float:
    """Return the q such that |statistic| > q if and only if p is at most alpha.

    If all swaps are listed, it is the middle of two adjacent values of the statistic, or 0 if all
    reject. If none can reject, it is infinite.
    """
    size = np.abs(swapped.statistics)
    weights = np.full(len(size), 1 / len(size)) if swapped.weights is None else swapped.weights
    order = np.argsort(-size, kind="stable")
    size, tail = size[order], np.cumsum(weights[order])
    last = np.append(size[1:] < size[:-1] - TIES, True)  # of its run of ties
    rejecting = last & significant(tail, alpha)
    if not rejecting.any():
        return np.inf
    index = int(np.flatnonzero(rejecting)[-1])
    if index + 1 == len(size):
        return 0.0
    if swapped.weights is None:
        return _unbounded(size[index + 1]) * (1 + TIES)
    return (_unbounded(size[index]) + _unbounded(size[index + 1])) / 2


def _unbounded(size: float) -> float:
    """Return the statistic of a bounded one."""
    return float(size / np.sqrt(1 - size**2)) if size < 1 else np.inf


def _shares(swapped: _Swapped) -> tuple[float, float, float]:
    """Return the two-sided and both one-sided p-values of the observed arrangement, which counts."""
    statistics, observed = swapped.statistics, swapped.statistics[swapped.observed]
    hits = (
        np.abs(statistics) >= abs(observed) - TIES,
        statistics >= observed - TIES,
        statistics <= observed + TIES,
    )
    if swapped.weights is None:
        two, greater, less = (float(hit.mean()) for hit in hits)
    else:
        two, greater, less = (min(1.0, float(swapped.weights[hit].sum())) for hit in hits)
    return two, greater, less


def _difference(values: tuple[Moves, ...], group: np.ndarray) -> tuple[float, float]:
    """Return the difference of a measure and its standard error over clusters."""
    by_case = values[0].by_case - values[1].by_case
    return values[0].value - values[1].value, cluster_error(by_case, group)


def _check_instances(
    measure: str,
    positive: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | None,
) -> _TwoModels:
    """Return checked labels, predictions and cluster numbers, or raise DataError or DesignError."""
    positive, first, second, clusters = align(positive, first, second, clusters)
    truth = np.asarray(positive)
    answers = [np.asarray(labels) for labels in (first, second)]
    group = np.arange(len(truth)) if clusters is None else np.asarray(clusters)
    _check_rows(measure, truth, answers, group)
    if not _has_two_classes(measure, truth, answers):
        return _several_values(measure, [truth, *answers], group)
    _check_two_classes(measure, truth, answers)
    if clusters is not None:
        group = np.unique(group, return_inverse=True)[1]
    _check_units(group)
    kind: type = bool if measure in BY_COUNTS else float
    return _TwoModels(measure, truth == 1, answers[0].astype(kind), answers[1].astype(kind), group)


def _check_rows(
    measure: str, truth: np.ndarray, answers: list[np.ndarray], group: np.ndarray
) -> None:
    """Raise DataError unless truth, answers and clusters have one entry for each instance."""
    if group.ndim == 1 and pd.isna(group).any():
        raise DataError.of(
            "clusters of other items", n=int((~pd.isna(group)).sum()), items=len(group)
        )
    shapes = [values.shape for values in answers]
    if measure == MACRO_AUC:  # scores are instance x class
        shapes = [shape[:1] if len(shape) == 2 and shape == shapes[0] else () for shape in shapes]
    if truth.ndim != 1 or any(shape != truth.shape for shape in (*shapes, group.shape)):
        texts = ", ".join(str(values.shape) for values in (truth, *answers, group))
        raise DataError.of("Truth, answers and clusters must be rows", shapes=texts)


def _has_two_classes(measure: str, truth: np.ndarray, answers: list[np.ndarray]) -> bool:
    """Return whether the measure is one of two classes here, not of several or of numbers."""
    if measure in (*OF_NUMBERS, MACRO_AUC):
        return False
    if measure not in BY_CLASSES:
        return True
    return measure in BY_COUNTS and all(
        np.isin(values, (0, 1)).all() for values in (truth, *answers)
    )


def _check_two_classes(measure: str, truth: np.ndarray, answers: list[np.ndarray]) -> None:
    """Raise DataError unless labels are 0 or 1, scores finite, and probabilities in [0, 1]."""
    labels = [truth, *answers] if measure in BY_COUNTS else [truth]
    if not all(values.dtype == bool or np.isin(values, (0, 1)).all() for values in labels):
        raise DataError.of("labels or scores invalid")
    if not all(
        values.dtype == bool or np.isfinite(values.astype(float)).all() for values in answers
    ):
        raise DataError.of("labels or scores invalid")
    if measure in LOSSES and not all(((values >= 0) & (values <= 1)).all() for values in answers):
        raise DataError.of("no probabilities", measure=measure)


def _check_units(group: np.ndarray) -> None:
    """Raise DesignError for fewer than two clusters."""
    if len(group) < 2 or group.max() < 1:
        raise DesignError.of("too few instances")


def _several_values(measure: str, values: list[np.ndarray], group: np.ndarray) -> _TwoModels:
    """Return checked class codes or numbers with cluster numbers, or raise DataError or DesignError."""
    numbers = [column.astype(float) for column in values]
    if not all(np.isfinite(column).all() for column in numbers):
        raise DataError.of("labels or scores invalid")
    if measure in BY_CLASSES:
        if not all(((column >= 0) & (column == column.round())).all() for column in numbers):
            raise DataError.of("labels or scores invalid")
        numbers = [column.astype(np.int64) for column in numbers]
    if measure == MACRO_AUC:
        if not np.isin(numbers[0], range(numbers[1].shape[1])).all():
            raise DataError.of("labels or scores invalid")
        numbers[0] = numbers[0].astype(np.int64)
    _, group = np.unique(group, return_inverse=True)
    _check_units(group)
    return _TwoModels(measure, numbers[0], numbers[1], numbers[2], group)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InstancesAndTrainingsResult(InstancePermutationResult):
    """Result of a t test with variance components of instances and of runs.

    Attributes
    ----------
    df : tuple of float
        Degrees of freedom of the variance over instances and, if there are several runs,
        of the variance over these.
    over_cases, over_trainings : float
        The two components of the standard error; 0 between runs if there is only one.
    p_trainings : float
        p of a t test over runs alone, which is valid for this test set only; NaN with one
        run.
    """

    df: tuple[float, ...]
    over_cases: float
    over_trainings: float
    p_trainings: float


def two_way_test(
    measure: str,
    positive: ArrayLike,
    first: Sequence[ArrayLike],
    second: Sequence[ArrayLike],
    *,
    clusters: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> InstancesAndTrainingsResult:
    """Two-way t test of two algorithms: the variances over instances and over runs are added.

    `first` and `second` contain the predictions of each run for all instances.
    `alternative` is "two-sided", "greater" or "less": "greater" tests whether the measure of the
    first algorithm is larger. The interval is two-sided for any alternative. Raises DataError for
    different numbers of runs or instances or invalid values, DesignError if the measure is
    undefined or infinite in a run or there are too few instances or clusters, SettingError for an
    unknown measure or alternative or `confidence_level` outside (0, 1).

    Notes
    -----
    The statistic is the mean difference over runs, divided by the root of the sum of both
    variances. Its squared critical value is the mean of the squared t quantiles of n - 1 and R - 1
    df for n instances (or clusters) and R runs, weighted by the two variances (Banerjee). For
    normal differences, this holds the level for any number of runs and any ratio of the variances;
    Satterthwaite's df do not with few runs. The interaction of instances and runs counts
    in both variances, so the test is conservative. With two or three runs, a difference can hardly
    be significant if runs vary much, since their variance is unknown: t with 1 or 2 df.
    No p-value is below 2 / 2^n, that of sign flips of n instances or clusters. Few instances whose
    differences are nearly the same are no evidence. For a difference that varies neither over
    instances nor over runs, p is 2 / 2^n.

    With clusters of different sizes, the variance over clusters is CR2, and its df are those of
    Bell and McCaffrey. The standard error is at least that of independent instances.

    A t test over runs alone treats the test set as the population and usually rejects even
    for equal algorithms. With one run the test of areas is nearly DeLong's, with clusters
    Obuchowski's.

    References
    ----------
    Banerjee, Sankhya 22 (1960) 357; Obuchowski, Biometrics 53 (1997) 567.

    Examples
    --------
    >>> truth = np.array([1, 1, 1, 0, 0, 0])
    >>> a = [np.array([1, 1, 1, 0, 0, 0]), np.array([1, 1, 1, 0, 0, 1])]
    >>> b = [np.array([1, 1, 0, 0, 1, 1]), np.array([1, 0, 0, 0, 0, 1])]
    >>> found = two_way_test("error", truth, a, b)
    >>> round(found.estimate, 4), round(found.pvalue, 4)
    (-0.4167, 0.1577)
    """
    check_probability(confidence_level, "confidence_level")
    if len(first) != len(second) or not len(first):
        raise DataError.of("Both need the same trainings", n_first=len(first), n_second=len(second))
    positive, clusters, *answers = align(positive, clusters, *first, *second)
    models = [
        _check_instances(measure, positive, of_first, of_second, clusters)
        for of_first, of_second in zip(answers[: len(first)], answers[len(first) :], strict=True)
    ]
    return two_way_of_moves(
        measure,
        [pair.moves() for pair in models],
        models[0].group,
        confidence_level=confidence_level,
    ).at_alternative(alternative)


def two_way_of_moves(
    measure: str, both: Sequence[tuple[Moves, Moves]], group: np.ndarray, *, confidence_level: float
) -> InstancesAndTrainingsResult:
    """Return the result of `two_way_test` for `case_moves` of both algorithms by run; `group` numbers the clusters.

    Raises DesignError as `two_way_test` does.
    """
    for pair in both:
        check_defined(measure, [moves.value for moves in pair])
    _check_units(group)
    n, trainings, cases = int(group.max()) + 1, len(both), len(group)
    values = np.array([[moves.value, other.value] for moves, other in both])
    over = _error_over_cases(both, group, values)
    over_cases, over_trainings = over.for_intervals, _error_over_trainings(values)
    difference = float((values[:, 0] - values[:, 1]).mean())
    same = all_within_rounding(difference, values)
    constant = not (same or over_cases or over_trainings)
    if constant:
        over_cases = _error_for_intervals(difference, over)
    error = float(np.hypot(over_cases, over_trainings))
    df = (over.df, trainings - 1.0)[: 1 + (trainings > 1)]
    variances = (over_cases**2, over_trainings**2)[: len(df)]
    t, tail = 0.0, 0.5
    if error:
        t = difference / error
        tail = distributions.summed_t_sf(abs(t), variances, df)
    tail = min(max(tail, 2.0**-n), 0.5)  # of sign flips
    reach = _two_way_reach(error, variances, df, n, confidence_level)
    low, high = difference - reach, difference + reach
    if constant:
        tail = 2.0**-n
        low, high = signed_ranks.consistent_interval(
            (low, high),
            rejects=bool(significant(2 * tail, 1 - confidence_level)),
            ahead=difference,
            scale=abs(difference),
        )
    greater, less = (tail, 1 - tail) if t >= 0 else (1 - tail, tail)
    if not error:
        greater = less = 1.0
    of_df = " and ".join(f"{each:.4g}" for each in df)
    return InstancesAndTrainingsResult(
        about=inference_text("about.training_runs", measure=measure, n=cases, runs=trainings),
        statistic=float(np.copysign(np.inf, difference)) if constant else t,
        pvalue=2 * tail,
        pvalue_greater=greater,
        pvalue_less=less,
        method=Method(inference_text("method.two_way_t"), ("two-sided", f"{of_df} df")),
        n=n,
        warnings=() if error else (IDENTICAL,),
        estimate=difference,
        low=low,
        high=high,
        error=error,
        values=(float(values[:, 0].mean()), float(values[:, 1].mean())),
        df=df,
        over_cases=over_cases,
        over_trainings=over_trainings,
        p_trainings=1.0 if same else _trainings_pvalue(difference, over_trainings, trainings),
    )


def _two_way_reach(
    error: float,
    variances: tuple[float, ...],
    df: tuple[float, ...],
    n: int,
    confidence_level: float,
) -> float:
    """Return half the width of the interval, infinite if no p-value of n clusters is small enough."""
    if not error:
        return nan
    if 2.0 ** (1 - n) > (1 - confidence_level) * (1 + P_ROUNDING):
        return np.inf  # no value can be rejected
    return distributions.summed_t_isf((1 - confidence_level) / 2, variances, df) * error


def _error_over_cases(
    both: Sequence[tuple[Moves, Moves]], group: np.ndarray, values: np.ndarray
) -> ClusterError:
    """Return the error of the mean difference over instances; `values` is run x algorithm."""
    moved = np.mean([moves.by_case - other.by_case for moves, other in both], axis=0)
    influences = [moves.by_case for pair in both for moves in pair]
    return cr2_error(moved, group, *influences, values / len(group))


def _error_over_trainings(values: np.ndarray) -> float:
    """Return the error of the mean difference over runs; `values` is run x algorithm."""
    differences = values[:, 0] - values[:, 1]
    if all_within_rounding(differences - differences.mean(), values):
        return 0.0
    return float(differences.std(ddof=1) / np.sqrt(len(differences)))


def variance_components(values: ArrayLike) -> tuple[float, float]:
    """Return the variance between instances, and between the runs of an instance.

    Parameters
    ----------
    values : array, run x instance
        Result of each run on each instance, in units of the measure.

    Returns
    -------
    tuple of float
        Variance between instances and variance between runs, in squared units.

    Raises
    ------
    DesignError
        There are fewer than two runs or two instances.

    Notes
    -----
    The components of the one-way random effects model, by the mean squares of the analysis of variance:
    (MS_between - MS_within) / R, at least 0, and MS_within, for R runs.

    References
    ----------
    Searle, Casella and McCulloch, Variance Components (1992), section 3.5.

    Examples
    --------
    >>> variance_components([[0.0, 1.0, 1.0], [0.0, 1.0, 0.0]])
    (0.16666666666666669, 0.16666666666666666)
    """
    table = np.asarray(values, dtype=float)
    if table.ndim != 2 or min(table.shape) < 2:
        raise DesignError.of("too few instances")
    within = float(table.var(axis=0, ddof=1).mean())
    between = float(table.mean(axis=0).var(ddof=1)) - within / len(table)
    return max(between, 0.0), within


def _trainings_pvalue(difference: float, error: float, trainings: int) -> float:
    """Return p of a t test over runs only; NaN for one run, or runs that do not vary."""
    if trainings < 2 or not error:
        return np.nan
    return float(2 * special.stdtr(trainings - 1, -abs(difference) / error))
