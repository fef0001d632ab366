"""Wilcoxon signed-rank, sign and sign-flip tests of paired differences, with intervals and effect sizes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from math import inf, nan, sqrt
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special, stats

from stats_core.core import validation
from stats_core.core.formatting import ABOVE_ZERO, format_count
from stats_core.core.result_types import Alternative, Method, PairedResult, Rng
from stats_core.core.significance import P_ROUNDING
from stats_core.inference import inference_text
from stats_core.inference.paired import t_tests
from stats_core.inference.paired.t_tests import TTestResult

EXACT_LIMIT = 60  # pairs up to which the exact distribution is used
# values whose sums of pairs are all formed, which is faster and needs little memory
_ALL_SUMS = 400
_FEW_RANKS = 20  # up to this many ranks the full distribution is cached, also with ties

Zeros = Literal["pratt", "wilcox", "split"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WilcoxonResult(PairedResult):
    """Result of the signed-rank test.

    Attributes
    ----------
    w_plus, w_minus : float
        Rank sums of the differences above and below zero.
    n_zero : int
        Number of tied pairs.
    rank_biserial : float
        (W+ - W-) / (W+ + W-): 1 if every difference is positive, -1 if every one is negative, 0 if
        all pairs tie.
    estimate : float
        Hodges-Lehmann estimate of the difference, the median of all pairwise means.
    """

    w_plus: float
    w_minus: float
    n_zero: int
    rank_biserial: float
    estimate: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SignTestResult(PairedResult):
    """Result of the sign test.

    Attributes
    ----------
    wins, losses, ties : int
        Numbers of pairs in which the first is larger, smaller, or equal up to rounding.
    """

    wins: int
    losses: int
    ties: int


def wilcoxon(
    x: ArrayLike,
    y: ArrayLike,
    *,
    zero_method: Zeros = "pratt",
    alternative: Alternative = "two-sided",
) -> WilcoxonResult:
    """Wilcoxon's signed-rank test of paired results.

    Parameters
    ----------
    x, y : array or Series, one value per data set or fold
        Two Series are paired by label.
    zero_method : {"pratt", "wilcox", "split"}
        Ties between x and y: ranked with the rest and their ranks dropped (Pratt), dropped
        first (Wilcoxon), or their ranks shared equally by both sides, one dropped if their
        number is odd (Demsar).
    alternative : {"two-sided", "greater", "less"}
        "greater" tests whether x is larger, "less" whether y is.

    Returns
    -------
    WilcoxonResult
        `statistic` is min(W+, W-), the smaller of the sums of the ranks of positive and of negative
        differences, or W+ if one-sided.

    Raises
    ------
    DataError, SettingError
        Lengths or labels differ, or a value is not finite; unknown `zero_method` or
        `alternative`.

    Notes
    -----
    Up to 60 non-zero differences, the distribution of W+ is exact over all sign flips of the observed
    ranks, ties included: p = min(1, 2 min(P(W+ <= w), P(W+ >= w))), w the observed value. Above that the normal
    approximation with variance sum r^2 / 4, which already allows for ties, without continuity
    correction. With n non-zero pairs p is never below 2^(1 - n): five pairs cannot reach 0.05.
    If all pairs tie, p = 1.

    References
    ----------
    Wilcoxon 1945; Pratt 1959; Demsar, JMLR 7 (2006), section 3.1.3.

    Examples
    --------
    >>> wilcoxon([3.0, 4.0, 6.0, 9.0, 8.0], [1.0, 1.0, 2.0, 4.0, 9.0]).pvalue
    0.125
    >>> statistic, pvalue = wilcoxon([3.0, 4.0, 6.0, 9.0], [1.0, 1.0, 2.0, 4.0], alternative="greater")
    >>> statistic, pvalue
    (10.0, 0.0625)
    """
    validation.check_one_of(zero_method, ("pratt", "wilcox", "split"), "zero_method")
    x, y = validation.check_paired(x, y)
    differences = _differences(x, y)
    n_zero = int((differences == 0).sum())
    ranks, shared = _signed_ranks(differences, zero_method, _scale(x, y))
    w_plus = float(ranks[ranks > 0].sum() + shared / 2)
    w_minus = float(-ranks[ranks < 0].sum() + shared / 2)
    total = w_plus + w_minus
    greater, less = _signed_rank_tails(ranks)
    is_exact = len(ranks) <= EXACT_LIMIT
    treatments = {
        "pratt": "Pratt",
        "wilcox": "dropped",
        "split": inference_text("method.split_zeros"),
    }
    details = (
        "two-sided",
        "exact" if is_exact else "normal approximation",
        f"{format_count(n_zero, 'zero')} ({treatments[zero_method]})",
    )
    result = WilcoxonResult(
        about="paired differences",
        statistic=min(w_plus, w_minus) if alternative == "two-sided" else w_plus,
        pvalue=min(1.0, 2 * min(greater, less)),
        pvalue_greater=greater,
        pvalue_less=less,
        method=Method("Wilcoxon signed-rank test", details, exact=is_exact),
        n=len(x),
        warnings=(validation.IDENTICAL,) if n_zero == len(x) else (),
        w_plus=w_plus,
        w_minus=w_minus,
        n_zero=n_zero,
        rank_biserial=(w_plus - w_minus) / total if total else 0.0,
        estimate=_median_difference(differences),
    )
    return result.at_alternative(alternative)


def signed_rank_pairs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two-sided p and rank-biserial correlation of the Wilcoxon test of each pair of columns, vectorized.

    Examples
    --------
    >>> pvalues, _ = signed_rank_pairs(np.array([[3.0, 1], [4, 1], [6, 2], [9, 4], [8, 9]]))
    >>> pvalues.tolist()
    [0.125]
    """
    rows, columns = np.triu_indices(values.shape[1], 1)
    return signed_rank_rows(values.T[rows], values.T[columns])


def signed_rank_rows(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two-sided Wilcoxon p and rank-biserial correlation of each row of x against the same row of y."""
    steps = signed_steps(x, y)
    groups = np.maximum(np.abs(steps) - 1, 0)  # zeros are a group of their own
    signed = np.sign(steps) * validation.mid_ranks(groups)
    total = np.abs(signed).sum(axis=1)
    effects = np.divide(signed.sum(axis=1), total, out=np.zeros(len(total)), where=total > 0)
    return wilcoxon_two_sided(steps), effects


def signed_steps(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the signed dense ranks of the differences within each row, 0 for ties of x and y."""
    signs = np.where(validation.ties_mask(x, y), 0, np.sign(x - y)).astype(int)
    # zeros come first, as a group of their own
    sizes = np.where(signs == 0, -np.inf, np.abs(x - y))
    scales = np.maximum(np.abs(x), np.abs(y)).max(axis=1)
    dense_ranks = validation.tie_groups(sizes, scales) + 1
    return signs * dense_ranks


def sign_test(
    x: ArrayLike, y: ArrayLike, *, alternative: Alternative = "two-sided"
) -> SignTestResult:
    """Sign test of whether x exceeds y more often than y exceeds x.

    Parameters
    ----------
    x, y : array or Series, one value per data set or fold
        Two Series are paired by label.
    alternative : {"two-sided", "greater", "less"}
        "greater" tests whether x is larger more often, "less" whether y is.

    Returns
    -------
    SignTestResult
        `statistic` is the number of wins of x, ties split equally.

    Raises
    ------
    DataError, SettingError
        Lengths or labels differ, or a value is not finite; unknown `alternative`.

    Notes
    -----
    Ties are split equally, an odd one is dropped. With w wins and l losses of x after that, and n = w + l,
    p = min(1, 2 P(Bin(n, 1/2) >= max(w, l))), or P(Bin(n, 1/2) >= w) for "greater", P(Bin(n, 1/2) >= l) for
    "less". If no pair is left, p = 1.

    References
    ----------
    Demsar, JMLR 7 (2006), section 3.1.4.

    Examples
    --------
    >>> round(sign_test([2] * 8 + [1] * 2, [1] * 8 + [2] * 2).pvalue, 4)
    0.1094
    """
    x, y = validation.check_paired(x, y)
    is_tied = validation.ties_mask(x, y)
    wins = int(((x > y) & ~is_tied).sum())
    losses = int(((x < y) & ~is_tied).sum())
    ties = int(is_tied.sum())
    half = ties // 2
    n = wins + losses + 2 * half
    greater = 1.0
    less = 1.0
    if n > 0:
        greater = float(stats.binom.sf(wins + half - 1, n, 0.5))
        less = float(stats.binom.sf(losses + half - 1, n, 0.5))
    details = ["exact", "two-sided", "ties split"]
    if ties % 2 == 1:
        details.append("one tie dropped")
    result = SignTestResult(
        about="paired differences",
        statistic=float(wins + half),
        pvalue=min(1.0, 2 * min(greater, less)),
        pvalue_greater=greater,
        pvalue_less=less,
        method=Method("sign test", tuple(details), exact=True),
        n=len(x),
        warnings=(validation.IDENTICAL,) if ties == len(x) else (),
        wins=wins,
        losses=losses,
        ties=ties,
    )
    return result.at_alternative(alternative)


def sign_pairs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two-sided p, and wins minus losses, of the sign test of each pair of columns, vectorized.

    Examples
    --------
    >>> pvalues, balance = sign_pairs(np.array([[3.0, 1], [4, 1], [6, 2], [9, 4], [8, 9]]))
    >>> pvalues.tolist(), balance.tolist()
    ([0.375], [3])
    """
    rows, columns = np.triu_indices(values.shape[1], 1)
    x = values.T[rows]
    y = values.T[columns]
    is_tied = validation.ties_mask(x, y)
    wins = ((x > y) & ~is_tied).sum(axis=1)
    losses = ((x < y) & ~is_tied).sum(axis=1)
    return sign_pvalues(wins, losses, x.shape[1], two_sided=True), wins - losses


def sign_pvalues(wins: ArrayLike, losses: ArrayLike, n: int, *, two_sided: bool) -> np.ndarray:
    """Return sign-test p-values from numbers of wins and losses on n pairs, two-sided or for more wins.

    Ties are split equally; an odd one is dropped.

    Examples
    --------
    >>> float(sign_pvalues([8], [2], 10, two_sided=True)[0])
    0.109375
    """
    wins = np.asarray(wins)
    losses = np.asarray(losses)
    ties = n - wins - losses
    extreme = np.maximum(wins, losses) if two_sided else wins
    tail = stats.binom.sf(extreme + ties // 2 - 1, n - ties % 2, 0.5)
    return np.minimum(1.0, 2 * tail if two_sided else tail)


def _signed_ranks(
    differences: np.ndarray, zero_method: Zeros, scale: float
) -> tuple[np.ndarray, float]:
    """Return signed ranks of the nonzero differences, and the rank sum of split zeros, 0 for other methods."""
    nonzero = differences[differences != 0]
    n_zero = len(differences) - len(nonzero)
    if zero_method == "wilcox":
        n_zero = 0
    if zero_method == "split":
        n_zero -= n_zero % 2
    if not len(nonzero):
        ranks = np.zeros(0)
    else:
        groups = validation.tie_groups(np.abs(nonzero)[None, :], np.array([scale]))[0]
        ranks = stats.rankdata(groups) + n_zero
    shared = n_zero * (n_zero + 1) / 2 if zero_method == "split" else 0.0
    return np.sign(nonzero) * ranks, shared


def _signed_rank_tails(ranks: np.ndarray) -> tuple[float, float]:
    """Return P(W+ >= w) and P(W+ <= w) from signed ranks without zeros."""
    if not len(ranks):
        return 1.0, 1.0
    doubled = np.sort(np.rint(2 * np.abs(ranks)).astype(int))
    above = round(2 * ranks[ranks > 0].sum())
    below = doubled.sum() - above
    greater, less = _upper_tail(doubled, np.array([above, below]))  # symmetric
    return float(greater), float(less)


def sign_flip_distribution(ranks: np.ndarray, most: int | None = None) -> np.ndarray:
    """Return P(2 W+ = s) for s = 0..most (default: the largest sum), each rank included with probability 1/2."""
    steps = np.rint(2 * ranks).astype(int).tolist()
    last = sum(steps)
    if most is not None:
        last = min(last, most)
    chances = np.zeros(1 + last)
    chances[0] = 0.5 ** len(steps)
    top = 1
    for step in steps:
        reach = min(top + step, len(chances))
        if step < reach:
            chances[step:reach] += chances[: reach - step]
            top = reach
    return chances


def sign_two_sided(differences: np.ndarray) -> np.ndarray:
    """Return the two-sided p-values of sign tests of differences (..., data set)."""
    wins = (differences > 0).sum(axis=-1)
    losses = (differences < 0).sum(axis=-1)
    return sign_pvalues(wins, losses, differences.shape[-1], two_sided=True)


def wilcoxon_greater(differences: np.ndarray) -> np.ndarray:
    """Return signed-rank p-values (alternative: differences above 0) of rows of integer differences (`signed_steps`).

    Notes
    -----
    The distribution of the rank sum under the null hypothesis depends on which ranks are tied and
    how many differences are zero, not on the differences themselves. Rows with the same pattern
    share one.

    References
    ----------
    Wilcoxon 1945; Pratt 1959.

    Examples
    --------
    >>> import numpy as np
    >>> wilcoxon_greater(np.array([[2, 3, 4, 5, -1], [0, 0, 0, 0, 0]])).tolist()
    [0.0625, 1.0]
    """
    return _by_pattern(differences, _upper_tail)


def wilcoxon_two_sided(differences: np.ndarray) -> np.ndarray:
    """Return two-sided signed-rank p-values, one per row of integer differences (`signed_steps`).

    Examples
    --------
    >>> import numpy as np
    >>> wilcoxon_two_sided(np.array([[2, 3, 4, 5, -1], [0, 0, 0, 0, 0]])).tolist()
    [0.125, 1.0]
    """

    def tail(ranks: np.ndarray, sums: np.ndarray) -> np.ndarray:
        extreme = np.maximum(sums, ranks.sum() - sums)
        return np.minimum(1.0, 2 * _upper_tail(ranks, extreme))

    return _by_pattern(differences, tail)


def _by_pattern(
    differences: np.ndarray, tail: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return `tail` of doubled ranks and rank sums for each row, with the ranks of a pattern of ties computed once."""
    rows = differences.reshape(-1, differences.shape[-1])
    # sizes in order, with the last bit for differences above zero
    signed = np.sort(2 * np.abs(rows) + (rows > 0), axis=1)
    sizes = signed >> 1
    above = signed & 1
    first, pattern = _patterns(sizes)
    ranks = np.where(sizes[first] > 0, 2 * stats.rankdata(sizes[first], axis=1), 0).astype(int)
    sums = (ranks[pattern] * above).sum(axis=1)
    pvalues = np.empty(len(rows))
    ends = np.bincount(pattern).cumsum()
    rows_of_pattern = np.split(np.argsort(pattern, kind="stable"), ends[:-1])
    for own, members in zip(ranks, rows_of_pattern, strict=True):
        pvalues[members] = tail(own[own > 0], sums[members])
    return pvalues.reshape(differences.shape[:-1])


def _patterns(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of the first row with each pattern of ties and zeros, and the pattern index of each row."""
    rises = np.diff(sizes, axis=1, prepend=0) > 0  # no rise: tied, or zero
    packed = np.packbits(rises, axis=1)
    n_padding = -packed.shape[1] % 8
    numbers = np.pad(packed, ((0, 0), (0, n_padding))).view(np.uint64)
    if numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    _, first, pattern = np.unique(numbers, axis=0, return_index=True, return_inverse=True)
    return first, pattern.ravel()


def _upper_tail(ranks: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Return P(2 W+ >= sum) for each sum, given twice the ranks of the nonzero differences; normal above 60 ranks."""
    total = ranks.sum()
    if len(ranks) > EXACT_LIMIT:
        variance = (ranks.astype(float) ** 2).sum() / 4
        return special.ndtr((total / 2 - sums) / np.sqrt(variance))
    lower = total - sums  # as likely to be reached from above, by symmetry
    # without ties all pairs have the same ranks, so that the whole distribution is cached
    recurs = len(ranks) <= _FEW_RANKS or (np.diff(ranks) == 2).all()
    most = total if recurs else lower.max()
    return _lower_tail(tuple(ranks.tolist()), int(most))[lower]


@lru_cache(maxsize=1024)  # ten differences have so many patterns of ties and zeros
def _lower_tail(ranks: tuple[int, ...], most: int) -> np.ndarray:
    return np.minimum(1.0, sign_flip_distribution(np.array(ranks) / 2, most).cumsum())


def signed_rank_quantiles(n: int, tails: np.ndarray) -> np.ndarray:
    """Return for each tail the largest c with P(W+ <= c) <= tail, -1 if none (ranks 1..n, no ties)."""
    if n > EXACT_LIMIT:
        mean = n * (n + 1) / 4
        variance = n * (n + 1) * (2 * n + 1) / 24
        quantiles = np.ceil(mean + stats.norm.ppf(tails) * sqrt(variance)) - 1
        return np.maximum(quantiles, -1).astype(int)
    cumulative = sign_flip_distribution(np.arange(1, n + 1) / 2).cumsum()
    return np.searchsorted(cumulative, tails * (1 + P_ROUNDING), side="right") - 1


@dataclass(frozen=True, slots=True, eq=False)
class _SumRange:
    """Sums of each value in `first` and the values from index `low` to `high`, with some positions.

    `own` are the indices of these positions, `n_below` is the number of smaller sums.
    """

    own: np.ndarray
    first: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_below: int


def ordered_sums(values: np.ndarray, positions: list[int]) -> np.ndarray:
    """Return the sums at some positions among all n (n + 1) / 2 sums of two values, or of a value and itself, in order.

    Notes
    -----
    Half of a sum is a Walsh average (pairwise mean). Many sums are not all formed: those of a value are ordered like
    the values, and each turn keeps the range of every value that can contain the positions. Before that, each position
    is searched between two sums of evenly chosen values, as in Floyd and Rivest's selection.

    References
    ----------
    Johnson and Mizoguchi, SIAM J. Comput. 7 (1978) 147; Floyd and Rivest, Commun. ACM 18 (1975) 165.

    Examples
    --------
    >>> ordered_sums(np.array([1.0, 5.0, 2.0]), [0, 3, 5]).tolist()
    [2.0, 6.0, 10.0]
    """
    n = len(values)
    if n <= _ALL_SUMS:
        sums = np.add.outer(values, values).take(_pair_indices(n))
        sums.partition(positions)  # puts these in their places, faster than sorting
        return sums[positions]
    ordered = np.sort(values)
    wanted = np.array(positions)
    answers = _sums_between(ordered, wanted)
    own = np.flatnonzero(np.isnan(answers))
    pending = []
    if len(own):
        pending.append(_SumRange(own, ordered, np.arange(n), np.full(n, n), 0))
    while pending:
        part = pending.pop()
        is_open = part.high > part.low
        first = part.first[is_open]
        low = part.low[is_open]
        high = part.high[is_open]
        places = wanted[part.own] - part.n_below
        if (high - low).sum() <= _ALL_SUMS**2 // 2:
            sums = _sums_in_ranges(ordered, first, low, high)
            sums.partition(places)
            answers[part.own] = sums[places]
            continue
        pivot = _weighted_median(first + ordered[(low + high) // 2], weights=high - low)
        start = _first_column(ordered, first, low, high, partial(np.less_equal, pivot))
        stop = _first_column(ordered, first, low, high, partial(np.less, pivot))
        n_less = (start - low).sum()
        n_up_to = (stop - low).sum()
        is_less = places < n_less
        is_more = places >= n_up_to
        answers[part.own[~is_less & ~is_more]] = pivot
        if is_less.any():
            pending.append(_SumRange(part.own[is_less], first, low, start, part.n_below))
        if is_more.any():
            n_below = part.n_below + n_up_to
            pending.append(_SumRange(part.own[is_more], first, stop, high, n_below))
    return answers


def _sums_in_ranges(
    ordered: np.ndarray, first: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Return the sums of each value in `first` and the ordered values from `low` to `high`."""
    widths = high - low
    starts = widths.cumsum() - widths
    columns = np.arange(widths.sum()) + np.repeat(low - starts, widths)
    return np.repeat(first, widths) + ordered[columns]


def _weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    order = np.argsort(values)
    cumulated = weights[order].cumsum()
    return values[order[np.searchsorted(cumulated, weights.sum() / 2)]]


def _sums_between(ordered: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return the sums at some positions, each searched between two sums of evenly chosen values; NaN if it is not there.

    The answers are exact, although the ends are estimated: they are compared with all sums of pairs
    outside the ends.
    """
    n = len(ordered)
    index = np.arange(n)
    answers = np.full(len(positions), nan)
    m = int((2 * n) ** (4 / 7))  # then about as many sums are chosen as remain between the ends
    sample = ordered[((np.arange(m) + 0.5) * (n / m)).astype(int)]
    sums = np.add.outer(sample, sample).ravel()
    last = m * m - 1
    margin = 2 * sqrt(2 * m)
    # a sum of two values occurs twice among the chosen ones
    places = positions * (2 * n / (n + 1)) * (m / n) ** 2
    ends = np.clip([places - margin, places + margin], 0, last).astype(int)
    sums.partition(sorted(set(ends.ravel().tolist())))
    for low_end, high_end in sorted(set(zip(*ends.tolist(), strict=True))):
        own = np.flatnonzero((ends[0] == low_end) & (ends[1] == high_end))
        low = index
        if low_end > 0:
            reached = np.searchsorted(ordered, sums[low_end] - ordered)
            low = np.maximum(reached, index)
        high = np.full(n, n)
        if high_end < last:
            passed = np.searchsorted(ordered, sums[high_end] - ordered, side="right")
            high = np.maximum(passed, index)
        n_between = (high - low).sum()
        wanted = positions[own] - (low - index).sum()
        if wanted.min() < 0 or wanted.max() >= n_between:
            continue
        if sums[low_end] == sums[high_end]:
            sums_there = np.full(len(own), sums[low_end])
        elif n_between <= max(20 * n, _ALL_SUMS**2 // 2):
            between = _sums_in_ranges(ordered, ordered, low, high)
            between.partition(wanted)
            sums_there = between[wanted]
        else:
            continue
        below = low > index
        above = high < n
        largest_below = (ordered[below] + ordered[low[below] - 1]).max(initial=-inf)
        smallest_above = (ordered[above] + ordered[high[above]]).min(initial=inf)
        if largest_below <= sums_there.min() and smallest_above >= sums_there.max():
            answers[own] = sums_there
    return answers


def _centre(n: int) -> list[int]:
    """Return the positions of the median among the sums of pairs of n values, twice the same if it is a single one."""
    last = n * (n + 1) // 2 - 1
    return [last // 2, (last + 1) // 2]


def _ends(n: int, skip: int) -> list[int]:
    """Return the positions of the ends of an interval that leaves out `skip` sums of pairs of n values on each side."""
    first = max(skip, 0)
    last = n * (n + 1) // 2 - 1
    return [first, last - first]


def _first_column(
    ordered: np.ndarray,
    first: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    reached: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """Return for each value in `first` the index from low to high of the first value with which the sum is reached."""
    while (low < high).any():
        middle = (low + high) // 2
        sums = first + ordered.take(middle, mode="clip")
        above = reached(sums) | (low == high)
        low = np.where(above, low, middle + 1)
        high = np.where(above, middle, high)
    return low


@lru_cache(maxsize=16)
def _pair_indices(n: int) -> np.ndarray:
    """Return the indices of the diagonal and upper triangle in a flat n x n matrix."""
    return np.flatnonzero(np.triu(np.ones((n, n), dtype=bool)))


MAX_ALL_FLIPS = 14  # pairs up to which all 2^J sign choices are tried


def sign_flip_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    draws: int = 9999,
    rng: Rng = 0,
) -> PairedResult:
    """Permutation test of the mean difference by sign flips.

    The statistic is the mean difference. Two Series `x` and `y` are paired by label. `alternative`
    is "two-sided", "greater" (`x` is larger) or "less". Raises DataError if lengths or labels
    differ or a value is not finite, SettingError for `draws` below 1 or an unknown alternative.

    Notes
    -----
    Assumes that differences are independent and symmetric about 0, not that they are normal; it does
    not correct for overlapping training sets. The mean orders sign flips as t does. All sign choices
    are tried for up to 14 pairs, `draws` random ones for more. With J pairs p is never below 2^(1 - J),
    with B draws never below 1 / (B + 1). If all differences are zero, p = 1.

    References
    ----------
    Fisher 1935, section 21; Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39.

    Examples
    --------
    >>> sign_flip_test([6.0, 7, 9, 8], [5.0, 5, 6, 7]).pvalue
    0.125
    """
    validation.check_draws(draws)
    x, y = validation.check_paired(x, y)
    differences = x - y
    n = len(x)
    is_exact = n <= MAX_ALL_FLIPS
    are_identical = validation.all_within_rounding(differences, x, y)
    observed = 0.0 if are_identical else float(differences.sum())
    slack = 1e-9 * np.abs(differences).sum()
    if is_exact:
        sums = _all_sums(differences)
        n_added = 0
        how = f"all {len(sums):,} sign choices"
    else:
        sums = _random_sums(differences, draws, rng)
        n_added = 1  # the observed signs
        how = f"{draws:,} random sign choices"
    total = len(sums) + n_added

    def share(hits: np.ndarray) -> float:
        return 1.0 if are_identical else (int(hits.sum()) + n_added) / total

    return PairedResult(
        about="paired differences",
        statistic=observed / n,
        pvalue=share(np.abs(sums) >= abs(observed) - slack),
        pvalue_greater=share(sums >= observed - slack),
        pvalue_less=share(sums <= observed + slack),
        method=Method("sign-flip permutation test", ("two-sided", how), exact=is_exact),
        n=n,
        warnings=(validation.IDENTICAL,) if are_identical else (),
    ).at_alternative(alternative)


def _all_sums(differences: np.ndarray) -> np.ndarray:
    """Return the sums under all 2^n sign assignments."""
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    return sums


def _random_sums(differences: np.ndarray, draws: int, rng: Rng) -> np.ndarray:
    """Return the sums under random sign assignments, drawn for eight differences at a time."""
    generator = np.random.default_rng(rng)
    sums = np.zeros(draws)
    for start in range(0, len(differences), 8):
        parts = _all_sums(differences[start : start + 8])
        sums += parts[generator.integers(0, len(parts), size=draws, dtype=np.uint8)]
    return sums


_LARGE_T = 1e4


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSizes:
    """Effect sizes of paired differences, first minus second.

    Attributes
    ----------
    mean, mean_low, mean_high : float
        Mean difference with its t interval.
    standardised, standardised_low, standardised_high : float
        Mean difference in standard deviations of the folds' differences (d_z), with its interval.
    rank_biserial : float
        Matched rank-biserial correlation, from -1 to 1.
    """

    mean: float
    mean_low: float
    mean_high: float
    standardised: float
    standardised_low: float
    standardised_high: float
    rank_biserial: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per effect size: estimate, low, high; the rank-biserial correlation has NaN ends."""
        rows = {
            "mean difference": [self.mean, self.mean_low, self.mean_high],
            "standardised difference": [
                self.standardised,
                self.standardised_low,
                self.standardised_high,
            ],
            "rank-biserial": [self.rank_biserial, nan, nan],
        }
        return pd.DataFrame.from_dict(rows, orient="index", columns=["estimate", "low", "high"])


def effect_sizes(
    x: ArrayLike,
    y: ArrayLike,
    *,
    test_fraction: float | None = None,
    confidence_level: float = 0.95,
    max_df: int | None = None,
) -> EffectSizes:
    """Return effect sizes of the difference of two algorithms on the same folds.

    Arguments and errors are those of `corrected_t`; without `test_fraction` those of `paired_t`,
    and `max_df` is ignored.

    Notes
    -----
    The standardised difference d_z is the mean of the J differences divided by their standard deviation.
    t is d_z sqrt(J / c) with c the overlap factor, so the interval of d_z holds the noncentralities, divided by
    sqrt(J / c), that leave (1 - confidence_level)/2 on either side of the observed t. The rank-biserial correlation has
    no interval.

    References
    ----------
    Cumming and Finch, Educ. Psychol. Meas. 61 (2001) 532; Kerby, Innov. Teach. 3 (2014).

    Examples
    --------
    >>> sizes = effect_sizes([6.0, 7, 9, 8], [5.0, 5, 6, 7])
    >>> round(sizes.standardised, 3), sizes.rank_biserial
    (1.828, 1.0)
    """
    if test_fraction is None:
        test = t_tests.paired_t(x, y, confidence_level=confidence_level)
    else:
        test = t_tests.corrected_t(
            x, y, test_fraction=test_fraction, confidence_level=confidence_level, max_df=max_df
        )
    low, high = _noncentralities(test, confidence_level)
    scale = sqrt(test.factor / test.n)
    return EffectSizes(
        mean=test.estimate,
        mean_low=test.low,
        mean_high=test.high,
        standardised=test.statistic * scale,
        standardised_low=low * scale,
        standardised_high=high * scale,
        rank_biserial=wilcoxon(x, y).rank_biserial,
    )


def _noncentralities(test: TTestResult, confidence_level: float) -> tuple[float, float]:
    tail = (1 - confidence_level) / 2
    if abs(test.statistic) > _LARGE_T:  # the noncentral t is then t times a chi, and slow to invert
        ratios = np.sqrt(stats.chi2.ppf([tail, 1 - tail], test.df) / test.df)
        ends = ratios * test.statistic
        return float(ends.min()), float(ends.max())
    low = special.nctdtrinc(test.df, 1 - tail, test.statistic)
    high = special.nctdtrinc(test.df, tail, test.statistic)
    return float(low), float(high)


def hodges_lehmann_interval(
    x: ArrayLike, y: ArrayLike, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Return the signed-rank confidence interval for the median difference x - y.

    Two Series `x` and `y` are paired by label. Raises DataError if lengths or labels differ or a
    value is not finite, SettingError for `confidence_level` outside (0, 1).

    Notes
    -----
    The interval belongs to the Wilcoxon test of a symmetric difference: the (c+1)-th smallest
    and largest of the n(n+1)/2 pairwise means of n differences, c the largest integer with
    P(W+ <= c) <= (1 - confidence_level)/2 for ranks without ties. Ties and differences of zero change
    the distribution of the test; zero is outside exactly if `wilcoxon` rejects it. With too few pairs
    for this confidence, the interval is (-inf, inf).

    References
    ----------
    Hodges and Lehmann 1963; Hollander and Wolfe 1999, section 3.3.

    Examples
    --------
    >>> hodges_lehmann_interval([1, 2, 3, 4, 5, 6.5], [0] * 6)
    (1.0, 6.5)
    """
    validation.check_probability(confidence_level, "confidence_level")
    x, y = validation.check_paired(x, y)
    skip = int(signed_rank_quantiles(len(x), np.array((1 - confidence_level) / 2)))
    sums = ordered_sums(_differences(x, y), _ends(len(x), skip))
    test = wilcoxon(x, y)
    return consistent_interval(
        _inner(sums / 2, min(skip, 0)),
        rejects=validation.significant(test.pvalue, 1 - confidence_level),
        ahead=test.w_plus - test.w_minus,
        scale=_scale(x, y),
    )


def typical_differences(
    x: np.ndarray,
    y: np.ndarray,
    *,
    confidence_level: ArrayLike,
    estimates: np.ndarray | None = None,
) -> np.ndarray:
    """Return Hodges-Lehmann estimates of x - y with signed-rank intervals, row x (estimate, low, high).

    Estimates that are known, and not NaN, are not computed again.

    Examples
    --------
    >>> typical_differences(np.array([[1, 2, 3, 4, 5, 6.5]]), np.zeros((1, 6)), confidence_level=0.95)
    array([[3.5, 1. , 6.5]])
    """
    n = x.shape[1]
    levels = np.broadcast_to(np.asarray(confidence_level, dtype=float), len(x))
    skips = signed_rank_quantiles(n, (1 - levels) / 2).tolist()
    intervals = np.full((len(x), 3), nan)
    if estimates is not None:
        intervals[:, 0] = estimates
    for part in validation.batches(len(x), n):
        differences = zip(x[part] - y[part], _differences(x[part], y[part]), strict=True)
        for pair, (exact, rounded) in enumerate(differences, part.start):
            ends = _ends(n, skips[pair])
            if not np.isnan(intervals[pair, 0]):
                sums = ordered_sums(rounded, ends)
            elif np.array_equal(exact, rounded):  # estimate and interval have the same sums
                sums = ordered_sums(rounded, [*ends, *_centre(n)])
                intervals[pair, 0] = sums[2:].sum() / 4
            else:
                sums = ordered_sums(rounded, ends)
                intervals[pair, 0] = _median_difference(exact)
            intervals[pair, 1:] = _inner(sums[:2] / 2, min(skips[pair], 0))
    return intervals


def median_differences(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the Hodges-Lehmann estimate of x - y of each row.

    Examples
    --------
    >>> median_differences(np.array([[1, 2, 3, 4, 5, 6.5]]), np.zeros((1, 6)))
    array([3.5])
    """
    return np.array([_median_difference(row) for row in x - y])


def _median_difference(differences: np.ndarray) -> float:
    """Return half the median of all sums of two differences."""
    return float(ordered_sums(differences, _centre(len(differences))).sum() / 4)


def sign_interval(
    x: ArrayLike, y: ArrayLike, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Return the sign-test confidence interval for the median difference x - y.

    Two Series `x` and `y` are paired by label. Raises DataError if lengths or labels differ or a
    value is not finite, SettingError for `confidence_level` outside (0, 1).

    Notes
    -----
    The (c+1)-th smallest and largest of n differences, c the largest integer with
    P(Bin(n, 1/2) <= c) <= (1 - confidence_level)/2; zero is outside exactly if `sign_test` rejects it. With too
    few pairs for this confidence, the interval is (-inf, inf).

    References
    ----------
    Hollander and Wolfe 1999, section 3.6.

    Examples
    --------
    >>> sign_interval([1, 2, 3, 4, 5, 6, 7, 8, 9], [0] * 9)
    (2.0, 8.0)
    """
    validation.check_probability(confidence_level, "confidence_level")
    x, y = validation.check_paired(x, y)
    n = len(x)
    cumulative = stats.binom.cdf(np.arange(n + 1), n, 0.5)
    is_outside = validation.significant(cumulative, (1 - confidence_level) / 2)
    skip = int(is_outside.sum()) - 1
    test = sign_test(x, y)
    return consistent_interval(
        _inner(np.sort(_differences(x, y)), skip),
        rejects=validation.significant(test.pvalue, 1 - confidence_level),
        ahead=test.wins - test.losses,
        scale=_scale(x, y),
    )


def consistent_interval(
    interval: tuple[float, float], *, rejects: bool, ahead: float, scale: float
) -> tuple[float, float]:
    """Return the interval, adjusted to exclude zero if and only if the test rejects.

    The sign of `ahead` is the direction of the difference; ends within rounding of zero, relative
    to `scale`, are zero. An end on the wrong side of zero becomes infinite or the smallest number
    beyond zero.

    Examples
    --------
    >>> consistent_interval((0.0, 2.0), rejects=True, ahead=1, scale=1.0)
    (5e-324, 2.0)
    >>> consistent_interval((0.5, 2.0), rejects=False, ahead=1, scale=1.0)
    (0.0, 2.0)
    """
    tolerance = validation.TIE_TOLERANCE * scale
    low, high = (0.0 if abs(end) <= tolerance else end for end in interval)
    if not rejects:
        return min(low, 0.0), max(high, 0.0)
    if ahead > 0:
        return max(low, ABOVE_ZERO), high if high > 0 else np.inf
    return low if low < 0 else -np.inf, min(high, -ABOVE_ZERO)


def mostly_equal(x: np.ndarray, y: np.ndarray) -> bool:
    """Return whether more than half of the differences are zero.

    The median difference is then zero, regardless of the nonzero differences.

    Examples
    --------
    >>> mostly_equal(np.array([1.0, 1.0, 2.0]), np.array([1.0, 1.0, 9.0]))
    True
    """
    n_ties = int(validation.ties_mask(x, y).sum())
    return 2 * n_ties > len(x)


def _inner(values: np.ndarray, skip: int) -> tuple[float, float]:
    if skip < 0:
        return -np.inf, np.inf
    return float(values[skip]), float(values[-1 - skip])


def _differences(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(validation.ties_mask(x, y), 0.0, x - y)


def _scale(x: np.ndarray, y: np.ndarray) -> float:
    return float(max(np.abs(x).max(), np.abs(y).max()))
