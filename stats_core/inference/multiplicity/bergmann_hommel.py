"""Bergmann-Hommel adjusted p-values of all pairs, and exhaustive sets of hypotheses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, groupby
from math import isqrt
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, DesignError
from stats_core.core.result_types import labeled_matrix, square_matrix
from stats_core.core.validation import check_probability, check_pvalues, significant

TIE = 1e-9  # relative


def tie_levels(pvalues: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each p-value the index of its tie group, and the largest value of each group, in ascending order.

    Examples
    --------
    >>> import numpy as np
    >>> levels, values = tie_levels(np.array([0.5, 0.1 + 0.2, 0.3]))
    >>> levels.tolist(), values.round(3).tolist()
    ([1, 0, 0], [0.3, 0.5])
    """
    order = np.argsort(pvalues, kind="stable")
    ordered = pvalues[order]
    starts = np.ones(len(ordered), dtype=bool)  # whether a tie group starts
    starts[1:] = np.diff(ordered) > TIE * ordered[1:]
    levels = np.empty(len(ordered), dtype=int)
    levels[order] = starts.cumsum() - 1
    values = np.zeros(starts.sum())
    np.maximum.at(values, levels, pvalues)
    return levels, values


LARGEST_LISTED = 6  # algorithms: 202 sets, still readable

Pair = tuple


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _ExhaustiveSets:
    """All exhaustive sets of pairwise hypotheses, with those that Bergmann-Hommel retains.

    Attributes
    ----------
    alpha : float
        Level for the whole family.
    table : DataFrame, one row per exhaustive set, by size
        `size`: number of hypotheses. `blocks`: the groups of equal algorithms. `pairs`: the
        hypotheses. `smallest_p` among them, and `bound`, alpha / size. `accepted`: whether
        smallest_p > bound, so that all of them may be true.
    retained, rejected : tuple of pairs
        The acceptance set, which is the union of the accepted sets, and all other pairs.
    """

    alpha: float
    table: pd.DataFrame
    retained: tuple[Pair, ...]
    rejected: tuple[Pair, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per exhaustive set."""
        return self.table


def count_exhaustive_sets(k: int) -> int:
    """Return the number of non-empty exhaustive sets of pairwise hypotheses about k >= 1 algorithms, else DesignError.

    References
    ----------
    Garcia and Herrera, JMLR 9 (2008), Table 1.

    Examples
    --------
    >>> [count_exhaustive_sets(k) for k in range(4, 10)]
    [14, 51, 202, 876, 4139, 21146]
    """
    if k < 1:
        raise DesignError.of("too few algorithms", k=k, least=1)
    row = [1]  # of the Bell triangle: each row starts with the end of the last
    for _ in range(k - 1):
        following = [row[-1]]
        for value in row:
            following.append(following[-1] + value)
        row = following
    return row[-1] - 1


def exhaustive_sets(names: Sequence, pvalues: pd.DataFrame, alpha: float) -> _ExhaustiveSets:
    """Return the exhaustive sets of pairwise hypotheses about 2 to 6 algorithms, and whether each is retained.

    Raises DesignError for other numbers of algorithms, DataError if `names` are not the algorithms
    of `pvalues`, SettingError for `alpha` outside (0, 1).

    Notes
    -----
    The rejected pairs are those with `adjust_pairs(pvalues, "bergmann_hommel_plain")` <= alpha.

    References
    ----------
    Bergmann and Hommel 1988; Garcia and Herrera, JMLR 9 (2008), section 2.1, Tables 1 and 4.

    Examples
    --------
    >>> import pandas as pd
    >>> p = pd.DataFrame([[1, 0.01, 0.02], [0.01, 1, 0.3], [0.02, 0.3, 1]],
    ...                  index=list("abc"), columns=list("abc"))
    >>> found = exhaustive_sets("abc", p, 0.05)
    >>> found.table[["pairs", "accepted"]].to_records(index=False).tolist()[1:3]
    [((('a', 'c'),), False), ((('b', 'c'),), True)]
    >>> found.rejected
    (('a', 'b'), ('a', 'c'))
    """
    check_probability(alpha, "alpha")
    table = _check_names(list(names), check_pvalues(pvalues))
    rows = []
    for blocks in _partitions(list(table.index)):
        row = _describe(blocks, table, alpha)
        if row["size"] > 0:
            rows.append(row)
    rows.sort(key=lambda row: row.pop("order"))
    sets = pd.DataFrame(rows)
    accepted = sets.loc[sets["accepted"], "pairs"]
    may_hold = {pair for pairs in accepted for pair in pairs}
    pairs = list(combinations(table.index, 2))
    return _ExhaustiveSets(
        alpha=alpha,
        table=sets,
        retained=tuple(pair for pair in pairs if pair in may_hold),
        rejected=tuple(pair for pair in pairs if pair not in may_hold),
    )


def _partitions(items: list) -> Iterator[list[tuple]]:
    """Yield every partition of the items into blocks; blocks preserve the order of the items."""
    if not items:
        yield []
        return
    *others, last = items
    for blocks in _partitions(others):
        for i, block in enumerate(blocks):
            yield [*blocks[:i], (*block, last), *blocks[i + 1 :]]
        yield [*blocks, (last,)]


def _describe(blocks: list[tuple], table: pd.DataFrame, alpha: float) -> dict:
    """Return the row of `_ExhaustiveSets.table` for a partition, with its sort key under `order`."""
    position = {name: i for i, name in enumerate(table.index)}
    inside = []
    for block in blocks:
        for first, second in combinations(block, 2):
            inside.append((position[first], position[second]))
    inside.sort()
    pairs = tuple((table.index[first], table.index[second]) for first, second in inside)
    smallest = min((table.loc[pair] for pair in pairs), default=1.0)
    size = len(pairs)
    return {
        "order": (size, inside),
        "size": size,
        "blocks": tuple(blocks),
        "pairs": pairs,
        "smallest_p": float(smallest),
        "bound": alpha / max(size, 1),
        "accepted": not significant(size * smallest, alpha),
    }


def _check_names(names: list, table: pd.DataFrame) -> pd.DataFrame:
    if not 2 <= len(names) <= LARGEST_LISTED:
        raise DesignError.of(
            "Exhaustive sets are listed for few algorithms", most=LARGEST_LISTED, n_names=len(names)
        )
    if set(names) != set(table.index) or len(set(names)) != len(names):
        raise DataError.of(
            "names must be the algorithms of pvalues", names=", ".join(map(str, names))
        )
    return _level_ties(table.loc[names, names])


def _level_ties(table: pd.DataFrame) -> pd.DataFrame:
    """Return p-values in which values equal up to rounding are replaced by the largest of them."""
    k = len(table)
    levels, values = tie_levels(table.to_numpy()[np.triu_indices(k, 1)])
    return labeled_matrix(square_matrix(k, values[levels], diagonal=1.0), table.index)


_NEVER = -(10**6)  # far below any number of pairs, so that sums with it stay negative
AT_ONCE = 200  # pairs per batch; more would need memory without saving time


def choose_two(n: Any) -> Any:
    """Return the number of pairs among n points."""
    return n * (n - 1) >> 1  # whole, since one of the two is even, and faster than a division


def falls_along(levels: np.ndarray) -> bool:
    """Return whether p-values never increase with the distance of two algorithms in the given order.

    Examples
    --------
    >>> import numpy as np
    >>> falls_along(np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]]))
    True
    >>> falls_along(np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]]))
    False
    """
    upper = np.triu(np.ones(levels.shape, dtype=bool), 1)
    wider = levels[:, 1:] <= levels[:, :-1]
    longer = levels[:-1] <= levels[1:]
    return bool(wider[upper[:, :-1]].all() and longer[upper[1:]].all())


def largest_products(levels: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return for each pair u < v the maximum of (smallest p) x (number of pairs) over partitions, at most 1.

    The partitions are those with u and v in one block. The p-values must satisfy `falls_along`; the
    lower triangle is 0.

    Notes
    -----
    If the block of u and v is an interval (shape 1), the products are computed for all p-values at once.
    Shapes 2 to 4 (`_with_neighbours`) are computed only where the maximum over all partitions exceeds a
    pair's current product, largest first. The work grows with k^4:
    ten times as many algorithms take some 10,000 times as long.

    Examples
    --------
    >>> import numpy as np
    >>> largest_products(np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]]), np.array([0.1, 0.2, 0.3]))
    array([[0. , 0.3, 0.3],
           [0. , 0. , 0.3],
           [0. , 0. , 0. ]])
    """
    last = len(levels) - 1
    reach = _reaches(levels, len(values))
    first = _firsts(levels, len(values))
    before = _chains(first)
    after = _chains(last - reach[::-1])[::-1]
    best = _interval_products(levels, before, after, values)
    bound = np.minimum(values * before[-1], 1)
    for batch in _open_pairs(levels, best, bound):
        is_improvable = best[batch[1], batch[2]] < bound[batch[0]]
        level, u, v = batch[:, is_improvable]
        if len(level):
            line = [table[:, level] for table in (reach, first, before, after)]
            products = values[level] * _with_neighbours(line, u, v)
            np.maximum.at(best, (u, v), np.minimum(products, 1))
    return best


def _reaches(levels: np.ndarray, n_levels: int) -> np.ndarray:
    """Return for each algorithm and level the last algorithm in the order that may be equal to it."""
    last = len(levels) - 1
    all_levels = np.arange(n_levels)
    reaches = []
    for i, row in enumerate(levels):
        from_last = row[:i:-1]
        n_below = np.searchsorted(from_last, all_levels)
        reaches.append(last - n_below)
    return np.array(reaches, dtype=np.int32)


def _firsts(levels: np.ndarray, n_levels: int) -> np.ndarray:
    """Return for each algorithm and level the first algorithm in the order that may be equal to it."""
    last = len(levels) - 1
    reversed_levels = levels[::-1, ::-1]
    return last - _reaches(reversed_levels, n_levels)[::-1]


def _chains(first: np.ndarray) -> np.ndarray:
    """Return the maximum number of pairs in blocks among the algorithms before each position, position x level."""
    k, n_levels = first.shape
    starts = np.arange(k, dtype=np.int32)[:, None]
    before = np.zeros((k + 1, n_levels), dtype=np.int32)
    for end in range(1, k + 1):
        chain = before[:end] + choose_two(end - starts[:end])
        before[end] = np.where(starts[:end] >= first[end - 1], chain, 0).max(axis=0)
    return before


def _interval_products(
    levels: np.ndarray, before: np.ndarray, after: np.ndarray, values: np.ndarray
) -> np.ndarray:
    """Return the largest products for partitions whose block with u and v is an interval (shape 1)."""
    k = len(levels)
    best = np.zeros((k, k))
    for start, end in combinations(range(k), 2):
        n_levels = levels[start, end] + 1
        inside = choose_two(end - start + 1)
        pairs = before[start, :n_levels] + after[end + 1, :n_levels] + inside
        best[start, end] = (values[:n_levels] * pairs).max()
    # a pair is also in every wider interval
    outwards = np.maximum.accumulate(best, axis=0)
    outwards = np.maximum.accumulate(outwards[:, ::-1], axis=1)[:, ::-1]
    return np.triu(np.minimum(outwards, 1), 1)


def _open_pairs(levels: np.ndarray, best: np.ndarray, bound: np.ndarray) -> Iterator[np.ndarray]:
    """Yield batches of (level, u, v) whose bound exceeds the current product, largest bound first."""
    rows, columns = np.triu_indices(len(levels), 1)
    level_of_pair = levels[rows, columns]
    waiting = []
    n_waiting = 0
    for level in np.argsort(-bound, kind="stable"):
        is_open = (level_of_pair >= level) & (best[rows, columns] < bound[level])
        pairs = np.flatnonzero(is_open)
        waiting.append(np.stack([np.full(len(pairs), level), rows[pairs], columns[pairs]]))
        n_waiting += len(pairs)
        if n_waiting >= AT_ONCE:
            yield np.concatenate(waiting, axis=1)
            waiting = []
            n_waiting = 0
    yield np.concatenate([*waiting, np.empty((3, 0), dtype=int)], axis=1)


def _with_neighbours(line: list[np.ndarray], u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return for each u < v the largest number of pairs in blocks over partitions of shapes 2 to 4.

    In these, the block of u and v is no interval. Negative if there is no such partition. `line`
    holds reach, first, before and after at the level of each pair. C is the block of u and v, with
    ends s and e. L and R are neighbouring blocks: L runs from `left` to a without u, R from b to
    `right` without v. L may start at u, and R may end at v: the rest of that block then lies
    between u and v. Axes: pair, left or s, right or e.
    """
    reach, first, before, after = line
    case = np.arange(len(u))
    lowest = first[[u, v], case]
    highest = reach[[u, v], case]
    left, s = _from_to(lowest, u)[..., None]
    e, right = _from_to(v, highest)[:, :, None]
    u = u[:, None, None]
    v = v[:, None, None]
    case = case[:, None, None]
    a = reach[left, case]
    b = first[right, case]
    # numbers of pairs before and inside L, and inside and after R
    outside_l = before[left, case]
    outside_r = after[right + 1, case]
    of_l = outside_l + choose_two(a - left)
    of_r = choose_two(right - b) + outside_r

    def most(allowed: np.ndarray, *pairs: np.ndarray) -> np.ndarray:
        return np.where(allowed, sum(pairs), _NEVER).max(axis=(1, 2))

    only_l = most(a < v, of_l, choose_two(1 + e - a), after[e + 1, case])
    only_r = most(b > u, before[s, case], choose_two(1 + b - s), of_r)
    apart = most(a < b, of_l, choose_two(b - a + 1), of_r)
    overlap = b <= a
    l_takes = most(overlap & (a < v), of_l, choose_two(right - a - 1), outside_r + 1)
    r_takes = most(overlap & (u < b), outside_l, choose_two(b - 1 - left), of_r + 1)
    # shapes 2, 3, 4a, 4b and 4c
    return np.maximum.reduce([only_l, only_r, apart, l_takes, r_takes])


def _from_to(start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Return index ranges from start to stop along a new last axis, padded with the last index."""
    longest = int((stop - start).max()) + 1
    indices = start[..., None] + np.arange(longest)
    return np.minimum(indices, stop[..., None])


def bergmann_hommel(
    pvalues: pd.DataFrame, *, average_ranks: pd.Series | None = None, monotone: bool = True
) -> pd.DataFrame:
    """Return the Bergmann-Hommel adjusted p-values of all pairs.

    `pvalues` are algorithm x algorithm, `average_ranks` those from which they were computed, if
    any. Raises DataError unless `pvalues` are symmetric and in [0, 1], and `average_ranks` finite
    and of the same algorithms. Unless the p-values follow `average_ranks`, DesignError is raised
    for more than 30 algorithms, or after 4,000,000 steps.

    Notes
    -----
    A set of pairwise hypotheses is exhaustive (exactly its hypotheses can be true) if and only if it
    consists of all pairs inside the blocks of a partition of the algorithms. The adjusted p-value of
    a pair is therefore the maximum, over the partitions with both algorithms in one block, of (number
    of pairs inside blocks) x (smallest p-value inside a block): the closed test with Bonferroni in
    each intersection. For every distinct p-value t, the largest number of pairs among partitions
    without a pair below t is computed without listing the partitions. Valid under any dependence of
    the tests, if each test controls its type I error rate. For every pair
    raw <= Bergmann-Hommel <= Shaffer. In the monotone form equal p-values (to 1e-9, relative) share
    one adjusted value, the largest, and a larger p-value never gets a smaller adjusted one.

    References
    ----------
    Bergmann and Hommel 1988; Hommel and Bernhard, J. Stat. Plan. Inference 82 (1999) 119;
    Garcia and Herrera, JMLR 9 (2008), sections 2.1 and 3, Table 5.

    Examples
    --------
    >>> import pandas as pd
    >>> p = pd.DataFrame([[1, 0.01, 0.02], [0.01, 1, 0.04], [0.02, 0.04, 1]])
    >>> bergmann_hommel(p).iloc[0].tolist()
    [1.0, 0.03, 0.03]
    >>> bergmann_hommel(p, monotone=False).iloc[0].tolist()
    [1.0, 0.03, 0.03]
    """
    table = check_pvalues(pvalues)
    k = len(table)
    if k < 2:
        return labeled_matrix(np.ones((k, k)), table.index)
    rows, columns = np.triu_indices(k, 1)
    family, values = tie_levels(table.to_numpy()[rows, columns])
    levels = square_matrix(k, family, diagonal=0)
    order = _line_up(average_ranks, table)
    adjusted = _adjust(levels, values, order, monotone)[rows, columns]
    if monotone:
        adjusted = _running_maximum(family, adjusted)
    return labeled_matrix(square_matrix(k, adjusted, diagonal=1.0), table.index)


def _adjust(
    levels: np.ndarray, values: np.ndarray, order: np.ndarray | None, monotone: bool
) -> np.ndarray:
    """Return the adjusted p-values in the upper triangle before monotonicity is enforced, or raise DesignError."""
    if order is not None:
        ordered = levels[np.ix_(order, order)]
        if falls_along(ordered):
            upper = largest_products(ordered, values)
            position = np.argsort(order)
            return (upper + upper.T)[np.ix_(position, position)]
    if len(levels) > LARGEST_ANY:
        raise DesignError.of(
            "Exact Bergmann-Hommel reaches fewer algorithms", most=LARGEST_ANY, n_levels=len(levels)
        )
    try:
        return _searched(levels.tobytes(), values.tobytes(), monotone)
    except SearchEnded:
        raise DesignError.of(
            "Exact Bergmann-Hommel takes too many steps", steps=MOST_STEPS, n_levels=len(levels)
        ) from None


@lru_cache(maxsize=512)  # the same arrays recur at other levels and in leave-one-out runs
def _searched(levels: bytes, values: bytes, monotone: bool) -> np.ndarray:
    """Return `products_by_search`, cached; arrays are passed as bytes to be hashable."""
    cells = np.frombuffer(levels, dtype=int)
    k = isqrt(len(cells))
    products = products_by_search(cells.reshape(k, k), np.frombuffer(values), monotone=monotone)
    products.flags.writeable = False
    return products


def _line_up(average_ranks: pd.Series | None, table: pd.DataFrame) -> np.ndarray | None:
    """Return algorithm indices from best to worst average rank, None without ranks; raise DataError for wrong ranks."""
    if average_ranks is None:
        return None
    ranks = pd.Series(average_ranks, dtype=float)
    if set(ranks.index) != set(table.index) or ranks.index.has_duplicates:
        raise DataError.of(
            "average_ranks must name the algorithms of pvalues",
            n_ranks=len(ranks),
            n_shared=len(set(ranks.index) & set(table.index)),
            n_table=len(table),
        )
    if not np.isfinite(ranks).all():
        raise DataError.of("average ranks not finite")
    return np.argsort(ranks.loc[table.index].to_numpy(), kind="stable")


def _running_maximum(levels: np.ndarray, adjusted: np.ndarray) -> np.ndarray:
    largest = np.zeros(levels.max() + 1)
    np.maximum.at(largest, levels, adjusted)
    return np.maximum.accumulate(largest)[levels]


LARGEST_ANY = 30  # algorithms; Wilcoxon p-values of 30 took up to 3 seconds in simulations
MOST_STEPS = 4_000_000  # of the search, about 10 seconds; not timed, so that results are the same on every machine


class SearchEnded(Exception):
    """Raised when the search reaches its step limit."""


def products_by_search(levels: np.ndarray, values: np.ndarray, *, monotone: bool) -> np.ndarray:
    """Return for each pair u < v the maximum of (smallest p) x (number of pairs) over partitions, at most 1.

    The partitions are those with u and v in one block. If `monotone`, a pair gets at least the
    product of any pair with a smaller p-value. `SearchEnded` is raised after `MOST_STEPS` steps.

    Notes
    -----
    Each pair is searched first at its own p-value, then at smaller p-values whose upper bound allows a
    larger product. Finding the most pairs is NP-hard, so no number of steps is enough for every table.

    Examples
    --------
    Of three algorithms only the first and last differ at the second level.

    >>> import numpy as np
    >>> levels = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> products_by_search(levels, np.array([0.01, 0.02]), monotone=False)
    array([[0.  , 0.03, 0.03],
           [0.  , 0.  , 0.03],
           [0.  , 0.  , 0.  ]])
    """
    search = _Search(levels, values)
    rows, columns = np.triu_indices(len(levels), 1)
    best = np.zeros(levels.shape)
    floor = 0.0
    for index in np.argsort(levels[rows, columns], kind="stable"):
        u = int(rows[index])
        v = int(columns[index])
        if monotone:
            # a partition with a smaller p-value was found with the pair of that p-value
            floor = search.at_own_level(u, v, floor)
            best[u, v] = floor
        else:
            best[u, v] = search.product(u, v)
    return best


def _points(subset: int) -> Iterator[int]:
    """Yield the vertices in a bit set."""
    while subset:
        lowest = subset & -subset
        yield lowest.bit_length() - 1
        subset ^= lowest


class _Search:
    """Branch-and-bound search for the largest product, pair by pair and level by level.

    At a given p-value t, the algorithms are vertices, with an edge for each pair with p >= t. A
    block of equal algorithms is a clique. The search finds the partition into cliques with the most
    pairs inside blocks, C(n, 2) for a block of n. Three facts reduce the search:

    * The largest block of an optimal partition is a maximal clique: moving a vertex from a smaller
      block into it would add pairs. So only maximal cliques are tried, the largest first.
    * Adjacent vertices with the same neighbours share a block, for the same reason. They are merged
      into one vertex of their total weight, as are two algorithms required to share a block.
    * If no block weighs more than q, and w(x) is the weight of the heaviest clique with x, vertex x adds
      at most (min(q, w(x)) - 1) / 2 pairs per unit of its weight.

    A set of vertices is an integer whose bit i is set if it contains vertex i.
    """

    def __init__(self, levels: np.ndarray, values: np.ndarray) -> None:
        self.levels = levels
        self.values = values
        self.all_pairs = choose_two(len(levels))
        self.without: dict[int, int] = {}  # level: the most pairs without any condition
        self.steps = _SearchSteps()

    def at_own_level(self, u: int, v: int, floor: float) -> float:
        """Return the larger of `floor` and the largest product with u and v in one block and no smaller p, at most 1."""
        own = int(self.levels[u, v])
        product = self._together(own, u, v, floor) * self.values[own]
        return min(1.0, max(floor, product))

    def product(self, u: int, v: int) -> float:
        """Return the largest product with u and v in one block, at most 1."""
        own = int(self.levels[u, v])
        floor = self.at_own_level(u, v, 0.0)
        most = self.all_pairs  # an upper bound on the number of pairs
        level = 0
        while floor < 1:
            # at lower levels, even `most` pairs have no larger product
            first_useful = int(np.searchsorted(self.values, floor / most, side="right"))
            level = max(level, first_useful)
            if level >= own:
                break
            most = min(most, self._without(level))
            if most * self.values[level] > floor:
                most = self._together(level, u, v, floor)
            floor = max(floor, most * self.values[level])
            most = max(most, 1)
            level += 1
        return min(1.0, floor)

    def _without(self, level: int) -> int:
        """Return the maximum number of pairs within blocks at this level."""
        if level not in self.without:
            self.without[level] = _Graph(self.levels >= level, self.steps).most_pairs(0)
        return self.without[level]

    def _together(self, level: int, u: int, v: int, floor: float) -> int:
        """Return the maximum number of pairs in blocks with u and v in one block, or fewer if their product reaches 1.

        If no partition exceeds the product `floor`, its number of pairs is returned; 0 if `floor`
        is 1 or p is 0.
        """
        value = self.values[level]
        if floor >= 1 or not value:
            return 0
        graph = _Graph(self.levels >= level, self.steps)
        graph.merge(u, v)
        largest = choose_two(graph.heaviest_with(u))
        if largest * value >= 1:
            return largest
        return graph.most_pairs(int(min(floor / value, self.all_pairs)))


class _SearchSteps:
    """Counter of search steps; raises `SearchEnded` at the limit."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def take(self) -> None:
        """Count one step; raise `SearchEnded` at the limit."""
        self.left -= 1
        if self.left < 0:
            raise SearchEnded


class _Graph:
    """Graph of algorithms that may be equal (edges), and its best partition into cliques.

    Merged vertices keep their bits, so that the weight of a set is the number of its bits.
    """

    def __init__(self, joined: np.ndarray, steps: _SearchSteps) -> None:
        k = len(joined)
        packed = np.packbits(joined & ~np.eye(k, dtype=bool), axis=1, bitorder="little")
        self.joined = [int.from_bytes(row.tobytes(), "little") for row in packed]
        # the vertices merged with each, and itself
        self.merged = [1 << x for x in range(k)]
        self.heavy: list[int] = []  # the vertices in cliques of at least weight 2, 3, ...
        self.all = (1 << k) - 1
        self.steps = steps
        self.bounds: dict[int, tuple[int, bool]] = {}  # set: most pairs, or at most; whether exact

    def merge(self, u: int, v: int) -> None:
        """Merge v and its neighbour u, which must share a block."""
        merged = self.merged[u] | self.merged[v]
        joined = self.joined[u] & self.joined[v]
        for x in _points(self.all):
            if merged >> x & 1:
                self.merged[x] = merged
                self.joined[x] = joined
            elif not joined >> x & 1:
                self.joined[x] &= ~merged

    def merge_alike(self) -> None:
        """Merge vertices with identical closed neighbourhoods."""
        closed = [near | own for near, own in zip(self.joined, self.merged, strict=True)]
        alike: dict[int, int] = {}
        for x, around in enumerate(closed):
            alike[around] = alike.get(around, 0) | 1 << x
        self.merged = [alike[around] for around in closed]
        self.joined = [around ^ alike[around] for around in closed]

    def most_pairs(self, needed: int) -> int:
        """Return the larger of `needed` and the maximum number of pairs within blocks."""
        self.merge_alike()
        weight_of = {
            block: self.heaviest_with(block.bit_length() - 1) for block in set(self.merged)
        }
        heaviest = [weight_of[block] for block in self.merged]
        for weight in range(2, max(heaviest) + 1):
            vertices = [1 << x for x in _points(self.all) if heaviest[x] >= weight]
            self.heavy.append(sum(vertices))
        return self._most(self.all, self.all.bit_count(), needed)

    def heaviest_with(self, x: int) -> int:
        """Return the weight of the heaviest clique that contains vertex x."""
        best = 0

        def extend(weight: int, left: int) -> None:
            nonlocal best
            self.steps.take()
            best = max(best, weight)
            while left and weight + left.bit_count() > best:
                y = left.bit_length() - 1
                left &= ~self.merged[y]
                extend(weight + self.merged[y].bit_count(), left & self.joined[y])

        extend(self.merged[x].bit_count(), self.joined[x])
        return best

    def _most(self, subset: int, heaviest: int, needed: int) -> int:
        """Return the larger of `needed` and the maximum number of pairs within blocks of a subset; 0 if it is empty."""
        if not subset:
            return 0
        if subset in self.bounds:
            value, is_exact = self.bounds[subset]
        else:
            value = self._bound(subset, heaviest)
            is_exact = False
        if is_exact:
            return value
        if value <= needed:
            return needed
        best = needed
        lightest = 2 * needed // subset.bit_count() + 2  # lighter blocks have no more than needed
        for weight, block in self._cliques(subset, lightest):
            remaining = subset & ~block
            pairs = choose_two(weight)
            if pairs + self._bound(remaining, weight) > best:
                best = max(best, pairs + self._most(remaining, weight, best - pairs))
        self.bounds[subset] = (best, best > needed)
        return best

    def _bound(self, subset: int, heaviest: int) -> int:
        """Return an upper bound on the number of pairs within blocks of weight at most `heaviest`."""
        sizes = [(subset & heavy).bit_count() for heavy in self.heavy[: heaviest - 1]]
        return sum(sizes) // 2

    def _cliques(self, subset: int, lightest: int) -> list[tuple[int, int]]:
        """Return (weight, vertices) of the maximal cliques of at least a given weight, heaviest first.

        Uses the Bron-Kerbosch algorithm with pivots; networkx would also list cliques of small
        weight.
        """
        weighted_cliques = []

        def extend(block: int, left: int, passed: int) -> None:
            """Append the maximal cliques that consist of `block` and vertices of `left`, without any of `passed`."""
            self.steps.take()
            if (block | left).bit_count() < lightest:
                return
            if not left | passed:
                weighted_cliques.append((block.bit_count(), block))
            if not left:
                return
            candidates = self._candidates(left, passed)
            while candidates:
                lowest = candidates & -candidates
                x = lowest.bit_length() - 1
                own = self.merged[x]
                near = self.joined[x]
                extend(block | own, left & near, passed & near)
                candidates &= ~own
                left &= ~own
                passed |= own

        extend(0, subset, 0)
        return sorted(weighted_cliques, reverse=True)

    def _candidates(self, left: int, passed: int) -> int:
        """Return the vertices of `left` not joined to the pivot, the vertex with the fewest."""
        candidates = left
        for x in _points(left | passed):
            apart = left & ~self.joined[x]
            if apart.bit_count() < candidates.bit_count():
                candidates = apart
                if not apart or apart == self.merged[x]:
                    break
        return candidates


MAX_ALGORITHMS_OF_ROWS = 10  # algorithms: 115,975 partitions
_ROWS_PER_BATCH = 4096  # rows per batch, to fit the CPU cache

Blocks = tuple[int, ...]  # the blocks of two and more algorithms, each a subset as bits


def bergmann_hommel_rows(pvalues: np.ndarray) -> np.ndarray:
    """Return the Bergmann-Hommel adjusted p-values of each row, all pairs of k algorithms in `np.triu_indices` order.

    Raises DesignError for more than 10 algorithms.

    Notes
    -----
    The adjusted value at p is the largest product of a partition's number of pairs and its smallest
    p-value, over all partitions whose smallest is at most p. So it is enough to know, for each rank
    among the p-values, the largest partition whose smallest p-value has that rank. A pair is the bit
    at its rank, a partition the bits of all its pairs; its smallest p-value is the lowest bit.

    References
    ----------
    Bergmann and Hommel 1988; Garcia and Herrera, JMLR 9 (2008), section 2.1.

    Examples
    --------
    >>> bergmann_hommel_rows(np.array([[0.01, 0.02, 0.04], [0.5, 0.01, 0.5]])).tolist()
    [[0.03, 0.03, 0.04], [0.5, 0.03, 0.5]]
    """
    k = round((1 + (1 + 8 * pvalues.shape[1]) ** 0.5) / 2)
    if k > MAX_ALGORITHMS_OF_ROWS:
        raise DesignError.of(
            "Many families at once are adjusted by Bergmann-Hommel",
            most=MAX_ALGORITHMS_OF_ROWS,
            k=k,
        )
    parts = []
    for start in range(0, len(pvalues), _ROWS_PER_BATCH):
        batch = pvalues[start : start + _ROWS_PER_BATCH]
        parts.append(_adjust_rows(batch, k))
    return np.concatenate(parts) if parts else pvalues.copy()


def _adjust_rows(pvalues: np.ndarray, k: int) -> np.ndarray:
    """Return the adjusted p-values of a batch of rows, each a family of all pairs of k algorithms."""
    n_pairs = pvalues.shape[1]
    order = np.argsort(pvalues, axis=1, kind="stable")
    ordered = np.take_along_axis(pvalues, order, 1)
    starts: np.ndarray = np.ones(ordered.shape, dtype=bool)  # whether a tie group starts
    starts[:, 1:] = np.diff(ordered, axis=1) > TIE * ordered[:, 1:]
    ranks = starts.cumsum(axis=1) - 1  # equal p-values share a level
    levels = np.empty_like(ranks)
    np.put_along_axis(levels, order, ranks, 1)
    most = np.take_along_axis(_most_pairs(levels, k), ranks, 1)
    # the last of equal p-values is the largest, and replaces them
    ends: np.ndarray = np.ones(ordered.shape, dtype=bool)
    ends[:, :-1] = starts[:, 1:]
    products = np.where(ends, most * ordered, 0)
    largest_so_far = np.maximum.accumulate(products, axis=1)
    position_of_end = np.where(ends, np.arange(n_pairs), n_pairs)
    next_end = np.minimum.accumulate(position_of_end[:, ::-1], axis=1)[:, ::-1]
    products_of_ties = np.take_along_axis(largest_so_far, next_end, 1)
    adjusted = np.empty_like(products_of_ties)
    np.put_along_axis(adjusted, order, np.minimum(products_of_ties, 1), 1)
    return adjusted


def _most_pairs(levels: np.ndarray, k: int) -> np.ndarray:
    """Return, row x level, the number of pairs of the largest partition whose smallest p-value is there, 0 if none."""
    word = np.dtype(np.uint32 if levels.shape[1] <= 32 else np.uint64)
    one = word.type(1)
    positions = np.arange(levels.shape[1], dtype=word)
    bits = np.left_shift(one, levels.T.astype(word))
    subsets = _bits_of_subsets(bits, k)
    most = np.zeros(levels.shape)
    seen: np.ndarray = np.zeros(len(levels), dtype=word)
    for n_pairs, partitions in _partitions_by_pairs(k):
        lowest: np.ndarray = np.zeros(len(levels), dtype=word)
        for blocks in partitions:
            joined = subsets[blocks[0]]
            for block in blocks[1:]:
                joined = joined | subsets[block]
            lowest |= joined & -joined
        unseen = lowest & ~seen  # larger partitions come first
        most += n_pairs * ((unseen[:, None] >> positions) & one)
        seen |= lowest
    return most


def _bits_of_subsets(bits: np.ndarray, k: int) -> np.ndarray:
    """Return for each subset of algorithms the combined bit mask of its pairs, subset x row."""
    n_rows = bits.shape[1]
    pair_index = np.full((k, k), -1)
    pair_index[np.triu_indices(k, 1)] = np.arange(len(bits))
    subsets = np.zeros((2**k, n_rows), dtype=bits.dtype)
    for high in range(1, k):
        to_high = np.zeros((2**high, n_rows), dtype=bits.dtype)
        for low in range(high):
            bits_of_pair = bits[pair_index[low, high]]
            to_high[2**low : 2 ** (low + 1)] = to_high[: 2**low] | bits_of_pair
        subsets[2**high : 2 ** (high + 1)] = subsets[: 2**high] | to_high
    return subsets


@lru_cache(maxsize=MAX_ALGORITHMS_OF_ROWS)
def _partitions_by_pairs(k: int) -> tuple[tuple[int, tuple[Blocks, ...]], ...]:
    """Return the partitions with at least one pair, grouped by number of pairs, largest first."""

    def n_pairs(blocks: Blocks) -> int:
        return sum(choose_two(block.bit_count()) for block in blocks)

    partitions = [blocks for blocks in _all_partitions(2**k - 1) if blocks]
    partitions.sort(key=n_pairs, reverse=True)
    return tuple((size, tuple(group)) for size, group in groupby(partitions, key=n_pairs))


def _all_partitions(items: int) -> Iterator[Blocks]:
    """Yield all partitions of the set with bit mask `items`, each as its blocks of two or more algorithms."""
    if not items:
        yield ()
        return
    first = items & -items
    subset = others = items ^ first
    while True:  # every subset of the rest joins the first
        block = (first | others,) if others else ()
        for more in _all_partitions(subset ^ others):
            yield block + more
        if not others:
            return
        others = (others - 1) & subset
