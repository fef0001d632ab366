"""Friedman's test by the exact distribution, for few data sets or many ties."""

from collections import Counter
from dataclasses import replace
from functools import cache
from math import factorial, prod

import numpy as np
import pandas as pd

from stats_core.core.errors import DesignError
from stats_core.core.messages import message
from stats_core.core.result_types import Method
from stats_core.inference.ranks import Missing, RankTestResult, friedman

STATE_LIMIT = 2_000_000  # sorted rank sums kept at a time
STEP_LIMIT = 100_000_000  # rank sums formed in all, five to ten seconds
_BLOCK = 100_000  # rank sums formed at a time, to bound memory
_KEY_LIMIT = 2**62  # numbers of sums must fit 64 bits


def exact_friedman(scores: pd.DataFrame, *, higher_is_better: bool, missing: Missing = "refuse") -> RankTestResult:
    """Do the average ranks differ, by the exact distribution of Friedman's statistic?

    Notes
    -----
    p is the probability of a statistic at least as large if each data set puts its own
    mid-ranks, ties included, in random order. The rank sums are followed from data set to data
    set, sorted, since the order of the algorithms does not matter; those that must end above
    or below the observed statistic are settled at once. Goes up to about 200 data sets for
    three algorithms, 80 for four, 20 for five, 8 for six and 4 for seven, fewer with many ties;
    the largest take seconds, and so may a refusal. Two algorithms: the sign test, ties dropped.
    The same order everywhere: one in the number of orders to the power N - 1. All ties: p = 1.

    References
    ----------
    Friedman 1937; Conover 1999, 5.8.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame([[1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]], columns=list("abc"))
    >>> outcome = exact_friedman(scores, higher_is_better=False)
    >>> outcome.statistic, round(outcome.pvalue, 4)
    (6.5, 0.0417)
    """
    base = friedman(scores, higher_is_better=higher_is_better, missing=missing)
    n, k = base.ranks.shape
    pvalue = _exact_tail(base.ranks.to_numpy())
    sign = message("two algorithms", so="this is the sign test; the Wilcoxon test sees more")
    return replace(
        base,
        pvalue=pvalue,
        uncorrected_pvalue=pvalue,
        method=Method("Friedman test", ("exact for the ranks and ties at hand",), exact=True),
        warnings=(sign,) if k == 2 else (),
    )


def _exact_tail(ranks: np.ndarray) -> float:
    """Return P(sum of squared deviations of the rank sums >= observed) over orders within rows."""
    doubled = np.rint(2 * ranks).astype(np.int64) - (ranks.shape[1] + 1)  # rows sum to 0
    observed = int((doubled.sum(axis=0) ** 2).sum())
    if observed == 0:
        return 1.0
    rows = [tuple(int(value) for value in row) for row in np.sort(doubled, axis=1)]
    rows = sorted((row for row in rows if any(row)), key=_count_arrangements, reverse=True)
    _check_arrangements(rows[0], len(ranks))
    remaining = np.sum(rows, axis=0)  # the largest sums the remaining rows can add
    states, weights, above, steps = (np.zeros((1, len(remaining)), dtype=np.int32), np.ones(1), 0.0, 0)
    for number, row in enumerate(rows):
        # the first row may stay sorted: its order only names the algorithms
        orders = _arrangements(row) if number else np.array([row], dtype=np.int32)
        steps += len(states) * len(orders)
        if steps > STEP_LIMIT:
            raise _too_large(ranks.shape)
        states, weights = _add_row(states, weights, orders)
        remaining = remaining - row
        settled, lost = _settle(states, remaining, observed)
        above += float(weights[settled].sum())
        states, weights = states[~(settled | lost)], weights[~(settled | lost)]
        if len(states) > STATE_LIMIT:
            raise _too_large(ranks.shape)
        if not len(states):
            break
    return min(1.0, above)


def _add_row(states: np.ndarray, weights: np.ndarray, orders: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Add every order of a row to every state, sort, and merge equal states."""
    size = max(1, _BLOCK // len(orders))
    parts = []
    for start in range(0, len(states), size):
        block = states[start : start + size]
        sums = (block[:, None, :] + orders).reshape(-1, states.shape[1])
        shares = np.repeat(weights[start : start + size] / len(orders), len(orders))
        parts.append(_merge(np.sort(sums, axis=1), shares))
    if len(parts) == 1:
        return parts[0]
    return _merge(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _merge(states: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows and the sum of the weights of each."""
    key, size = np.zeros(len(states), dtype=np.int64), 1
    for column in states.T[:-1]:  # the last follows from the others
        low = int(column.min())
        span = int(column.max() - low) + 1
        if size * span > _KEY_LIMIT:
            key, distinct = pd.factorize(key)
            size = len(distinct)
        key = key * span + (column - low)
        size *= span
    codes, distinct = pd.factorize(key)
    first = np.empty(len(distinct), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return states[first], np.bincount(codes, weights)


def _settle(states: np.ndarray, remaining: np.ndarray, observed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which states surely end at or above the observed sum of squares, and which below.

    The other rows add at most `remaining` in the order of the state, and at least `remaining` against
    it, which bounds the final sums along the direction of the state.
    """
    states = states.astype(np.int64)
    square = (states**2).sum(axis=1)
    along = square + states @ remaining[::-1]
    settled = (along > 0) & (along**2 >= observed * square)
    lost = ((states + remaining) ** 2).sum(axis=1) < observed
    return settled, lost


@cache
def _arrangements(row: tuple[int, ...]) -> np.ndarray:
    """Return the distinct permutations of a row, one per row."""
    if not row:
        return np.zeros((1, 0), dtype=np.int32)
    parts = []
    for value in sorted(set(row)):
        position = row.index(value)
        others = _arrangements(row[:position] + row[position + 1 :])
        parts.append(np.insert(others, 0, value, axis=1))
    return np.concatenate(parts)


def _count_arrangements(row: tuple[int, ...]) -> int:
    return factorial(len(row)) // prod(factorial(count) for count in Counter(row).values())


def _check_arrangements(row: tuple[int, ...], n: int) -> None:
    if _count_arrangements(row) > STATE_LIMIT:
        raise _too_large((n, len(row)))


def _too_large(shape: tuple[int, int]) -> DesignError:
    n, k = shape
    return DesignError(
        f"The exact distribution must stay below {STATE_LIMIT:,} different rank sums and "
        f"{STEP_LIMIT:,} steps. {k} algorithms on {n} data sets need more. Use "
        "`iman_davenport` or the chi-square of `friedman`."
    )
