"""Tests of models on the same instances: permutation, two-way."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special, stats

from stats_core.core.errors import DataError, DesignError
from stats_core.core.result_types import Alternative, Method, PairedResult, Rng
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
    LARGEST_DIFFERENCES,
    MEAN,
    MEANS,
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
    values = np.array([moved.value for moved in moves])
    by_case = np.mean([moved.by_case for moved in moves], axis=0)
    n = len(group)
    n_runs = len(moves)
    value = float(values.mean())
    over_cases = cr2_error(by_case, group, values / n)
    over_runs = float(values.std(ddof=1) / np.sqrt(n_runs)) if n_runs > 1 else 0.0
    error = float(np.hypot(over_cases.for_intervals, over_runs))
    sizes = np.bincount(group)
    tail = (1 - confidence_level) / 2
    variances = (1.0, 0.0) if error == 0 else (over_cases.for_intervals**2, over_runs**2)
    df = (over_cases.df, max(n_runs - 1, 1))
    t = distributions.summed_t_isf(tail, variances, df)
    if measure == MEAN:
        low = value - t * error
        high = value + t * error
    else:
        effective = float(n)
        quantile = t
        if n_runs == 1 and len(sizes) == n:
            quantile = float(-special.ndtri(tail))
        elif error == 0:
            effective = effective_number(sizes)
        else:
            effective = value * (1 - value) / error**2
        low, high = proportions.score_interval(value * effective, effective, quantile)
    return {
        "value": value,
        "standard error": error,
        "low": low,
        "high": high,
        "design effect": over_cases.design_effect,
    }


MAX_ALL_SWAPS = 14  # clusters up to which all ways to swap are tried
# ways to swap, counted by what they change, that are all tried; numbers held at once
_LARGEST_GRID = 1_000_000
# largest difference of two values of a measure; infinite for all others
_LARGEST_DIFFERENCE = {**LARGEST_DIFFERENCES, "brier": 1.0}
WORK = 20_000_000  # draws times clusters; above it fewer are drawn, but at least `FEWEST`
FEWEST = 1999
# draws for measures that need a new sort in each draw
MOST_RANKED = 1999
FEWEST_RANKED = 499


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
        first = case_moves(self.measure, self.truth, self.first)
        second = case_moves(self.measure, self.truth, self.second)
        check_defined(self.measure, (first.value, second.value))
        return first, second


def _permuted_statistics(models: _TwoModels, draws: int, rng: Rng) -> _Swapped:
    """Return the distribution of the statistic over all swaps of predictions, or over random swaps if too many."""
    n = models.n
    measure = models.measure
    generator = np.random.default_rng(rng)
    are_classes = measure in BY_CLASSES and models.truth.dtype != bool
    is_of_counts = measure in BY_COUNTS
    has_clusters = n < len(models.truth)
    if are_classes and not has_clusters:
        return _swapped_classes(models, draws, generator)
    if is_of_counts and not has_clusters:
        return _swapped_cells(models, draws, generator)
    n_draws = min(draws, max(FEWEST, WORK // n))
    has_sums = measure in MEANS or measure in OF_NUMBERS or (is_of_counts and not are_classes)
    if not has_sums:
        affordable = WORK // 20 // models.first.size
        n_draws = min(draws, MOST_RANKED, max(FEWEST_RANKED, affordable))
    signs, weights = _swap_masks(n, n_draws, generator)
    flips = _flipped_sums(models, signs, listed=weights is not None)
    if measure in MEANS:
        statistics = flips.statistics(0.0)
    elif has_sums:
        statistics = _swapped_counts(models, signs)
    else:
        statistics = _swapped_ranks(models, signs)
    return _Swapped(statistics, weights, 0, _ways_to_swap(signs, weights), flips)


def _flipped_sums(models: _TwoModels, signs: np.ndarray, *, listed: bool) -> FlippedSums:
    """Return the flipped sums of the differences of instances: their own, or those by their influences."""
    if models.measure in MEANS:
        first, second = _values_of_means(models)
        differences = paired_differences(first, second)
    else:
        first_moves, second_moves = models.moves()
        estimate = first_moves.value - second_moves.value
        by_case = (first_moves.by_case - second_moves.by_case) * len(models.group)
        differences = by_case + estimate
    sums = np.bincount(models.group, weights=differences)
    sizes = np.bincount(models.group).astype(float)
    return FlippedSums.of(sums, sizes, signs, listed=listed)


def _values_of_means(models: _TwoModels) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of both models by instance whose means are the measure."""
    if models.measure == MEAN:
        return models.first, models.second
    first = measures.case_losses(models.measure, models.truth, models.first)
    second = measures.case_losses(models.measure, models.truth, models.second)
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
        swaps = np.arange(2**n)[:, None] >> np.arange(n) & 1
        return np.packbits(swaps.astype(np.uint8), axis=1), np.full(2**n, 0.5**n)
    masks = [np.zeros((1, math.ceil(n / 8)), dtype=np.uint8)]
    for part in batches(draws, n):
        swaps = rng.integers(0, 2, (part.stop - part.start, n), dtype=np.int8)
        masks.append(np.packbits(swaps, axis=1))
    return np.concatenate(masks), None


def _swapped_cells(models: _TwoModels, draws: int, rng: np.random.Generator) -> _Swapped:
    """Return the distribution for swaps of single instances, from counts of discordant instances."""
    cell = 4 * models.truth + 2 * models.first + models.second
    cells = np.bincount(cell, minlength=8).astype(float)
    negatives = cells[:4]
    positives = cells[4:]
    # discordant instances of each class, and those that only the first model calls positive
    n_discordant = [int(counts[1] + counts[2]) for counts in (negatives, positives)]
    n_only_first = [int(counts[2]) for counts in (negatives, positives)]
    shape = [n + 1 for n in n_discordant]
    if math.prod(shape) <= _LARGEST_GRID:
        chances = [_binomial_half(n) for n in n_discordant]
        weights = np.outer(*chances).ravel()
        only_first = [index.ravel() for index in np.indices(shape)]
        observed = int(np.ravel_multi_index(n_only_first, shape))
        how = inference_text("method.all_swaps", n=sum(n_discordant))
    else:
        only_first = []
        for own, n in zip(n_only_first, n_discordant, strict=True):
            only_first.append(np.append(own, rng.binomial(n, 0.5, size=draws)))
        weights = None
        observed = 0
        how = inference_text("method.some_swaps", draws=draws)
    ways = np.broadcast_to(cells, (len(only_first[0]), 8)).copy()
    for first_cell, n, counts in zip((0, 4), n_discordant, only_first, strict=True):
        ways[:, first_cell + 2] = counts
        ways[:, first_cell + 1] = n - counts  # only the second
    return _Swapped(_of_cells(models.measure, ways), weights, observed, how)


def _binomial_half(n: int) -> np.ndarray:
    """Return the binomial probabilities of 0, 1, ..., n for probability 1/2."""
    return stats.binom.pmf(np.arange(n + 1), n, 0.5) if n > 0 else np.ones(1)


def _swapped_classes(models: _TwoModels, draws: int, rng: np.random.Generator) -> _Swapped:
    """Return the distribution for swaps of single instances of several classes."""
    labels = np.stack([models.truth, models.first, models.second], axis=1)
    moments, weights, observed = _swapped_moments(models.measure, labels, draws, rng)
    if weights is None:
        how = inference_text("method.some_swaps", draws=len(moments) - 1)
    else:
        n_discordant = int((models.first != models.second).sum())
        how = inference_text("method.all_swaps", n=n_discordant)
    return _Swapped(bounded(*moments.T), weights, observed, how)


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
    n = len(labels)
    swapped_labels = labels[:, [0, 2, 1]]
    kinds, kind = np.unique(np.concatenate([labels, swapped_labels]), axis=0, return_inverse=True)
    own_kind = kind[:n]
    swapped_kind = kind[n:]
    sizes = np.bincount(own_kind, minlength=len(kinds)).astype(float)
    partner = np.empty(len(kinds), dtype=np.int64)  # the same kind with swapped predictions
    partner[own_kind] = swapped_kind
    partner[swapped_kind] = own_kind
    discordant = np.flatnonzero(kinds[:, 1] < kinds[:, 2])  # one of each two partners
    own_sizes = sizes[discordant].astype(int)
    pair_sizes = (sizes[discordant] + sizes[partner[discordant]]).astype(int)
    weights = None
    observed = 0
    if np.prod(pair_sizes + 1.0) <= _LARGEST_GRID / len(kinds):
        shape = tuple(pair_sizes + 1)
        of_first = np.indices(shape).reshape(len(shape), math.prod(shape)).T
        weights = np.prod(stats.binom.pmf(of_first, pair_sizes, 0.5), axis=1)
        if shape:
            observed = int(np.ravel_multi_index(tuple(own_sizes), shape))
    else:
        n_draws = min(draws, max(FEWEST, WORK // len(kinds)))
        drawn = rng.binomial(pair_sizes, 0.5, size=(n_draws, len(pair_sizes)))
        of_first = np.vstack([own_sizes, drawn])
    n_parts = math.ceil(len(of_first) * len(kinds) / _LARGEST_GRID)
    moments = []
    for part in np.array_split(of_first, n_parts):
        ways = np.broadcast_to(sizes, (len(part), len(kinds))).copy()
        ways[:, discordant] = part
        ways[:, partner[discordant]] = pair_sizes - part
        moments.append(_moments_of_kinds(measure, ways, kinds))
    return np.concatenate(moments), weights, observed


def _moments_of_kinds(measure: str, ways: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Return the difference of two models and its error, given numbers of instances, way x kind."""
    true, first, second = kinds.T
    first_value, first_moved = class_value_and_moves(measure, ways, true, first)
    second_value, second_moved = class_value_and_moves(measure, ways, true, second)
    error = _error_of_kinds(ways, first_moved - second_moved)
    return np.stack([first_value - second_value, error], axis=1)


def _error_of_kinds(ways: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Return the standard error of each way from influences of one instance, both way x kind."""
    n = ways[0].sum()
    sum_of_squares = np.einsum("wk,wk->w", ways, moved**2)
    return np.sqrt(sum_of_squares * n / (n - 1))


def _of_cells(measure: str, ways: np.ndarray) -> np.ndarray:
    """Return the statistic by swap, given instance counts, swap x cell (combination of label and both predictions)."""
    cell = np.arange(8)
    truth = (cell >> 2) % 2 == 1
    first_calls = (cell >> 1) % 2 == 1
    second_calls = cell % 2 == 1
    first_cell = confusion_cell(truth, first_calls)
    second_cell = confusion_cell(truth, second_calls)
    is_cell = np.eye(4)
    first_value, first_slope = measure_and_gradient(measure, ways @ is_cell[first_cell])
    second_value, second_slope = measure_and_gradient(measure, ways @ is_cell[second_cell])
    moved = first_slope[:, first_cell] - second_slope[:, second_cell]
    return bounded(first_value - second_value, _error_of_kinds(ways, moved))


def _swapped_counts(models: _TwoModels, signs: np.ndarray) -> np.ndarray:
    """Return the statistics for swaps of clusters, for measures of confusion counts."""
    n = models.n
    measure = models.measure
    is_of_numbers = measure in OF_NUMBERS
    gradient = class_measures.number_measure_and_gradient if is_of_numbers else measure_and_gradient
    first = _sums_of_clusters(models, models.first)
    second = _sums_of_clusters(models, models.second)
    d = first.shape[1]

    def under(plain: np.ndarray, turned: np.ndarray) -> np.ndarray:
        """Return the sums over clusters in each swap, `turned` in swapped clusters."""
        return plain.sum(axis=0) + masked_sums(signs, turned - plain)

    def products(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return np.einsum("gi,gj->gij", left, right).reshape(n, d * d)

    def variance(left: np.ndarray, squares: np.ndarray, right: np.ndarray) -> np.ndarray:
        return np.einsum("wi,wij,wj->w", left, squares.reshape(-1, d, d), right)

    first_value, first_slope = gradient(measure, under(first, second))
    second_value, second_slope = gradient(measure, under(second, first))
    of_first = products(first, first)
    of_second = products(second, second)
    crossed = under(products(first, second), products(second, first))
    square = variance(first_slope, under(of_first, of_second), first_slope)
    square += variance(second_slope, under(of_second, of_first), second_slope)
    square -= 2 * variance(first_slope, crossed, second_slope)
    error = np.sqrt(np.maximum(square, 0) * n / (n - 1))
    return bounded(first_value - second_value, error)


def _sums_of_clusters(models: _TwoModels, predicted: np.ndarray) -> np.ndarray:
    """Return counts of tp, fp, tn and fn, or sums of predicted numbers: cluster x count or sum."""
    if models.measure not in OF_NUMBERS:
        cell = 4 * models.group + confusion_cell(models.truth, predicted)
        return np.bincount(cell, minlength=4 * models.n).reshape(models.n, 4).astype(float)
    sums = class_measures.number_sums(models.measure, models.truth, predicted)
    return np.stack([np.bincount(models.group, weights=column) for column in sums.T], axis=1)


def _swapped_ranks(models: _TwoModels, signs: np.ndarray) -> np.ndarray:
    """Return the statistics for swaps of class codes, or of ranks instead of scores, as the score scales differ."""
    first = models.first
    second = models.second
    if models.measure in BY_RANKS:
        first = double_ranks(first)
        second = double_ranks(second)
    differences = np.empty(len(signs))
    errors = np.empty(len(signs))
    for index, bits in enumerate(signs):
        is_swapped = np.unpackbits(bits, count=models.n)[models.group] > 0
        if first.ndim > 1:  # scores of all classes are swapped together
            is_swapped = is_swapped[:, None]
        swapped = replace(
            models,
            first=np.where(is_swapped, second, first),
            second=np.where(is_swapped, first, second),
        )
        differences[index], errors[index] = _difference(swapped.moves(), models.group)
    return bounded(differences, errors)


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
    checked = {}
    for name in names:
        checked[name] = _check_instances(
            measure, positive, predicted[name], predicted[name], clusters
        )
    template = checked[names[0]]
    values = [_values_to_average(checked[name]) for name in names]
    sizes = np.bincount(template.group).astype(float)
    sums = np.array([np.bincount(template.group, weights=column) for column in values]).T
    n_draws = min(draws, max(FEWEST, WORK // template.n))
    signs, weights = _swap_masks(template.n, n_draws, np.random.default_rng(0))
    columns = np.column_stack([sums, sums * sizes[:, None], sizes, sizes**2])
    flipped = columns.sum(axis=0) - 2 * masked_sums(signs, columns)
    # sums and sums times sizes of each model, then both for the sizes alone
    by_model = flipped[:, :-2].reshape(len(signs), 2, len(names))
    of_sizes = flipped[:, -2:]
    how = _ways_to_swap(signs, weights)

    def tested(pair: tuple[str, str], level: float) -> InstancePermutationResult:
        first, second = pair
        i = names.index(first)
        j = names.index(second)
        models = replace(template, first=checked[first].first, second=checked[second].first)
        moved = by_model[:, :, i] - by_model[:, :, j]
        by_swap = np.stack([moved[:, 0], of_sizes[:, 0], moved[:, 1], of_sizes[:, 1]], axis=1)
        flips = FlippedSums(sums[:, i] - sums[:, j], sizes, by_swap, listed=weights is not None)
        permuted = _Swapped(flips.statistics(0.0), weights, 0, how, flips)
        return _swap_result(models, permuted, level)

    def test_pairs(
        confidence_level: Mapping[tuple[str, str], float],
    ) -> dict[tuple[str, str], InstancePermutationResult]:
        return {pair: tested(pair, level) for pair, level in confidence_level.items()}

    return test_pairs


def _values_to_average(models: _TwoModels) -> np.ndarray:
    """Return values of the first model by instance, whose mean is the measure up to a constant."""
    if models.measure in BY_COUNTS:
        is_error = models.first != models.truth
        return -is_error.astype(float) if models.measure == "accuracy" else is_error
    first, _ = _values_of_means(models)
    return first


def mcnemar_tests(
    measure: str,
    counted: Mapping[str, np.ndarray],
    confidence_level: Mapping[tuple[str, str], float],
) -> dict[tuple[str, str], InstancePermutationResult]:
    """Return `swap_test` of each pair in `confidence_level` for error or accuracy, which is McNemar's exact test.

    `counted` holds by model whether each instance counts towards the measure. The intervals are
    Newcombe's, changed so that they exclude 0 exactly if the test rejects.
    """
    names = list(counted)
    marks = np.array(list(counted.values()), dtype=float)
    n = marks.shape[1]
    both = marks @ marks.T
    position = {name: index for index, name in enumerate(names)}
    i = [position[first] for first, _ in confidence_level]
    j = [position[second] for _, second in confidence_level]
    n_both = both[i, j]
    only_first = both[i, i] - n_both
    only_second = both[j, j] - n_both
    n_neither = n - (n_both + only_first + only_second)
    tables = np.stack([n_both, only_first, only_second, n_neither], axis=1).astype(int)
    discordant = only_first + only_second
    estimates = (only_first - only_second) / n
    variances = discordant - (only_first - only_second) ** 2 / n
    errors = np.sqrt(np.maximum(variances, 0) / (n * (n - 1)))
    statistics = np.divide(estimates, errors, out=np.copysign(np.inf, estimates), where=errors > 0)
    statistics = np.where(discordant > 0, statistics, 0.0)
    greater = stats.binom.sf(only_first - 1, discordant, 0.5)
    less = stats.binom.sf(only_second - 1, discordant, 0.5)
    two_sided = np.minimum(2 * np.minimum(greater, less), 1)
    about = inference_text("about.two_models", measure=measure, n=n)
    name = inference_text("method.swaps", unit="case")
    tests = {}
    for row, (pair, level) in enumerate(confidence_level.items()):
        pvalue = float(two_sided[row])
        estimate = float(estimates[row])
        how = inference_text("method.all_swaps", n=int(discordant[row]))
        low, high = signed_ranks.consistent_interval(
            proportions.newcombe_interval(*tables[row].tolist(), confidence_level=level),
            rejects=bool(significant(pvalue, 1 - level)),
            ahead=estimate,
            scale=1.0,
        )
        tests[pair] = InstancePermutationResult(
            about=about,
            statistic=float(statistics[row]),
            pvalue=pvalue,
            pvalue_greater=float(greater[row]),
            pvalue_less=float(less[row]),
            method=Method(name, ("two-sided", how), exact=True),
            n=n,
            warnings=(IDENTICAL,) if discordant[row] == 0 else (),
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
    first, second = models.moves()
    values = np.array([first.value, second.value])
    n_cases = len(models.truth)
    difference = float(values[0] - values[1])
    by_case = first.by_case - second.by_case
    over = cr2_error(by_case, models.group, first.by_case, second.by_case, values / n_cases)
    is_constant = over.error == 0
    same = models.same or (is_constant and all_within_rounding(difference, values))
    two_sided, greater, less = (1.0, 1.0, 1.0) if same else _shares(permuted)
    statistic = 0.0
    low = high = nan
    if not same:
        statistic = _studentized(difference, by_case, models.group, over)
        low, high = _interval(models, permuted, (difference, over), two_sided, confidence_level)
    unit = "case" if models.n == n_cases else "cluster"
    return InstancePermutationResult(
        about=inference_text("about.two_models", measure=models.measure, n=n_cases),
        statistic=statistic,
        pvalue=two_sided,
        pvalue_greater=greater,
        pvalue_less=less,
        method=Method(
            inference_text("method.swaps", unit=unit),
            ("two-sided", permuted.how),
            exact=permuted.weights is not None,
        ),
        n=models.n,
        warnings=(IDENTICAL,) if same else (),
        estimate=difference,
        low=low,
        high=high,
        error=_error_for_intervals(difference, over),
        values=(first.value, second.value),
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
    difference, over = estimated
    alpha = 1 - confidence_level
    span = _LARGEST_DIFFERENCE.get(models.measure, np.inf)
    if permuted.flips is not None:
        low, high = permuted.flips.interval(alpha, (-span, span))
    else:
        reach = _critical_value(permuted, alpha) * over.error
        low = difference - reach
        high = difference + reach
    has_clusters = models.n < len(models.group)
    if has_clusters or over.error == 0:
        reach = float(stats.t.isf(alpha / 2, over.df)) * _error_for_intervals(difference, over)
        low = min(low, difference - reach)
        high = max(high, difference + reach)
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
    n = len(swapped.statistics)
    weights = np.full(n, 1 / n) if swapped.weights is None else swapped.weights
    sizes = np.abs(swapped.statistics)
    order = np.argsort(-sizes, kind="stable")
    sizes = sizes[order]
    tail = np.cumsum(weights[order])
    is_last = np.append(sizes[1:] < sizes[:-1] - TIES, True)  # of its run of ties
    rejects = is_last & significant(tail, alpha)
    if not rejects.any():
        return np.inf
    smallest_rejecting = int(np.flatnonzero(rejects)[-1])
    following = smallest_rejecting + 1
    if following == n:
        return 0.0
    if swapped.weights is None:
        return _unbounded(sizes[following]) * (1 + TIES)
    return (_unbounded(sizes[smallest_rejecting]) + _unbounded(sizes[following])) / 2


def _unbounded(size: float) -> float:
    """Return the statistic of a bounded one."""
    return float(size / np.sqrt(1 - size**2)) if size < 1 else np.inf


def _shares(swapped: _Swapped) -> tuple[float, float, float]:
    """Return the two-sided and both one-sided p-values of the observed arrangement, which counts."""
    statistics = swapped.statistics
    observed = statistics[swapped.observed]

    def share(hits: np.ndarray) -> float:
        if swapped.weights is None:
            return float(hits.mean())
        return min(1.0, float(swapped.weights[hits].sum()))

    two_sided = share(np.abs(statistics) >= abs(observed) - TIES)
    greater = share(statistics >= observed - TIES)
    less = share(statistics <= observed + TIES)
    return two_sided, greater, less


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
    answers = [np.asarray(first), np.asarray(second)]
    group = np.arange(len(truth)) if clusters is None else np.asarray(clusters)
    _check_rows(measure, truth, answers, group)
    if not _has_two_classes(measure, truth, answers):
        return _several_values(measure, [truth, *answers], group)
    _check_two_classes(measure, truth, answers)
    if clusters is not None:
        _, group = np.unique(group, return_inverse=True)
    _check_units(group)
    dtype: type = bool if measure in BY_COUNTS else float
    return _TwoModels(
        measure, truth == 1, answers[0].astype(dtype), answers[1].astype(dtype), group
    )


def _check_rows(
    measure: str, truth: np.ndarray, answers: list[np.ndarray], group: np.ndarray
) -> None:
    """Raise DataError unless truth, answers and clusters have one entry for each instance."""
    if group.ndim == 1:
        is_missing = pd.isna(group)
        if is_missing.any():
            n_present = int((~is_missing).sum())
            raise DataError.of("clusters of other items", n=n_present, items=len(group))
    shapes = [values.shape for values in answers]
    if measure == MACRO_AUC:  # scores are instance x class
        are_tables = len(shapes[0]) == 2 and shapes[1] == shapes[0]
        shapes = [shape[:1] if are_tables else () for shape in shapes]
    if truth.ndim != 1 or any(shape != truth.shape for shape in (*shapes, group.shape)):
        texts = ", ".join(str(values.shape) for values in (truth, *answers, group))
        raise DataError.of("Truth, answers and clusters must be rows", shapes=texts)


def _has_two_classes(measure: str, truth: np.ndarray, answers: list[np.ndarray]) -> bool:
    """Return whether the measure is one of two classes here, not of several or of numbers."""
    if measure in (*OF_NUMBERS, MACRO_AUC):
        return False
    if measure not in BY_CLASSES:
        return True
    if measure not in BY_COUNTS:
        return False
    return all(_is_binary(values) for values in (truth, *answers))


def _is_binary(values: np.ndarray) -> bool:
    return values.dtype == bool or bool(np.isin(values, (0, 1)).all())


def _check_two_classes(measure: str, truth: np.ndarray, answers: list[np.ndarray]) -> None:
    """Raise DataError unless labels are 0 or 1, scores finite, and probabilities in [0, 1]."""
    labels = [truth, *answers] if measure in BY_COUNTS else [truth]
    if not all(_is_binary(values) for values in labels):
        raise DataError.of("labels or scores invalid")
    for values in answers:
        if values.dtype != bool and not np.isfinite(values.astype(float)).all():
            raise DataError.of("labels or scores invalid")
    if measure in LOSSES:
        for values in answers:
            if not ((values >= 0) & (values <= 1)).all():
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
        for column in numbers:
            is_code = (column >= 0) & (column == column.round())
            if not is_code.all():
                raise DataError.of("labels or scores invalid")
        numbers = [column.astype(np.int64) for column in numbers]
    if measure == MACRO_AUC:
        n_classes = numbers[1].shape[1]
        if not np.isin(numbers[0], range(n_classes)).all():
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
    n_runs = len(first)
    if len(second) != n_runs or n_runs == 0:
        raise DataError.of("Both need the same trainings", n_first=n_runs, n_second=len(second))
    positive, clusters, *answers = align(positive, clusters, *first, *second)
    models = [
        _check_instances(measure, positive, of_first, of_second, clusters)
        for of_first, of_second in zip(answers[:n_runs], answers[n_runs:], strict=True)
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
    n = int(group.max()) + 1
    n_runs = len(both)
    values = np.array([[moves.value, other.value] for moves, other in both])
    difference = float((values[:, 0] - values[:, 1]).mean())
    over = _error_over_cases(both, group, values)
    over_cases = over.for_intervals
    over_runs = _error_over_trainings(values)
    same = all_within_rounding(difference, values)
    is_constant = not same and over_cases == 0 and over_runs == 0
    if is_constant:
        over_cases = _error_for_intervals(difference, over)
    error = float(np.hypot(over_cases, over_runs))
    df: tuple[float, ...] = (over.df,)
    variances: tuple[float, ...] = (over_cases**2,)
    if n_runs > 1:
        df = (over.df, n_runs - 1.0)
        variances = (over_cases**2, over_runs**2)
    t = 0.0
    tail = 0.5
    if error > 0:
        t = difference / error
        tail = distributions.summed_t_sf(abs(t), variances, df)
    least = 2.0**-n  # of sign flips
    tail = min(max(tail, least), 0.5)
    reach = _two_way_reach(error, variances, df, n, confidence_level)
    low = difference - reach
    high = difference + reach
    if is_constant:
        tail = least
        low, high = signed_ranks.consistent_interval(
            (low, high),
            rejects=bool(significant(2 * tail, 1 - confidence_level)),
            ahead=difference,
            scale=abs(difference),
        )
    greater, less = (1.0, 1.0) if error == 0 else _one_sided(t, tail)
    df_text = " and ".join(f"{number:.4g}" for number in df)
    return InstancesAndTrainingsResult(
        about=inference_text("about.training_runs", measure=measure, n=len(group), runs=n_runs),
        statistic=float(np.copysign(np.inf, difference)) if is_constant else t,
        pvalue=2 * tail,
        pvalue_greater=greater,
        pvalue_less=less,
        method=Method(inference_text("method.two_way_t"), ("two-sided", f"{df_text} df")),
        n=n,
        warnings=() if error > 0 else (IDENTICAL,),
        estimate=difference,
        low=low,
        high=high,
        error=error,
        values=(float(values[:, 0].mean()), float(values[:, 1].mean())),
        df=df,
        over_cases=over_cases,
        over_trainings=over_runs,
        p_trainings=1.0 if same else _trainings_pvalue(difference, over_runs, n_runs),
    )


def _one_sided(t: float, tail: float) -> tuple[float, float]:
    """Return the one-sided p-values for greater and for less, given the tail beyond |t|."""
    return (tail, 1 - tail) if t >= 0 else (1 - tail, tail)


def _two_way_reach(
    error: float,
    variances: tuple[float, ...],
    df: tuple[float, ...],
    n: int,
    confidence_level: float,
) -> float:
    """Return half the width of the interval, infinite if no p-value of n clusters is small enough."""
    if error == 0:
        return nan
    alpha = 1 - confidence_level
    smallest_pvalue = 2.0 ** (1 - n)
    if not significant(smallest_pvalue, alpha):
        return np.inf  # no value can be rejected
    return distributions.summed_t_isf(alpha / 2, variances, df) * error


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
    variance_of_means = float(table.mean(axis=0).var(ddof=1))
    between = variance_of_means - within / len(table)
    return max(between, 0.0), within


def _trainings_pvalue(difference: float, error: float, trainings: int) -> float:
    """Return p of a t test over runs only; NaN for one run, or runs that do not vary."""
    if trainings < 2 or not error:
        return np.nan
    return float(2 * special.stdtr(trainings - 1, -abs(difference) / error))
