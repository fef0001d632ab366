"""Bergmann-Hommel for p-values that fall with the distance of average ranks: polynomial.

The algorithms stand in the order of their ranks as points 0, 1, ..., k - 1. At a given p-value
t, "equality has p >= t" means "not too far apart": a block of equal algorithms is any set of
points whose first and last may be equal. `reach[x]` is the last point that may equal point x.

Without further conditions the best partition is a chain of stretches of neighbours, because
C(n, 2) is convex: of two interleaved blocks the larger gains by taking every point that both
could hold. `before[x]` is the best for the points 0..x-1 and `after[x]` for the points x..k-1.
If points u < v must share a block C, then (by the same argument) no other block lies inside C's
span or crosses both its ends, and at most one crosses each end. That leaves four shapes:

1. C is a stretch of neighbours.
2. A block L that starts before u and ends before v takes all it can reach except u, C the rest.
   (If L reached v, then L joined by u and v, or C joined by all that L has after u, would be a
   stretch with at least as many pairs: whichever of L and C is larger gains.)
3. The mirror image: a block R to the right of v.
4. L and R both. Either they do not meet, and C = {u, v} and what lies between them (4a); or both
   reach some of the same points, then C = {u, v} and L (4b) or R (4c) takes all of those.
"""

from dataclasses import dataclass

import numpy as np

NEVER = -(10**6)  # far below any number of pairs, so that sums with it stay negative


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """The points at one p-value, for every shape that has a left neighbour.

    Attributes
    ----------
    reach : array of int, k
        The last point that may equal each point.
    before, after : array of int, k + 1
        The most pairs inside blocks of the points before each point, and from it on.
    """

    reach: np.ndarray
    before: np.ndarray
    after: np.ndarray

    def mirrored(self) -> "Line":
        """Return the same points counted from the other end."""
        k = len(self.reach)
        first = np.searchsorted(self.reach, np.arange(k))  # the first that may equal each point
        return Line(reach=k - 1 - first[::-1], before=self.after[::-1], after=self.before[::-1])


def choose_two(n: np.ndarray | int) -> np.ndarray:
    """Return the number of pairs among n points, `NEVER` for negative n."""
    return np.where(n >= 0, n * (n - 1) // 2, NEVER)


def falls_along(levels: np.ndarray) -> bool:
    """Tell whether p-values never rise as two points of the line move apart.

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
    """What is the largest p_min times number of true equalities, for every pair?

    Parameters
    ----------
    levels : array of int, k x k
        The place of each pair's p-value among the distinct ones, points in the order of their
        ranks; must pass `falls_along`.
    values : array
        The distinct p-values, ascending.

    Returns
    -------
    array, k x k
        The adjusted p-values above the diagonal, at most 1; 0 elsewhere.

    Notes
    -----
    The first shape is done for all p-values at once. The others follow only where the best
    without any condition still beats what a pair has, the most promising p-values first.

    Examples
    --------
    >>> import numpy as np
    >>> largest_products(np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]]), np.array([0.1, 0.2, 0.3]))
    array([[0. , 0.3, 0.3],
           [0. , 0. , 0.3],
           [0. , 0. , 0. ]])
    """
    reach = _reaches(levels, len(values))
    before, after = _stretches(reach)
    best = _alone(reach, before, after, values)
    bound = values * before[:, -1]
    for level in np.argsort(-bound, kind="stable"):
        line = Line(reach=reach[level], before=before[level], after=after[level])
        open_pairs = (levels >= level) & (best < min(1, bound[level]))
        u, v = np.nonzero(np.triu(open_pairs, 1))
        if len(u):
            found = values[level] * _with_neighbours(line, u, v)
            best[u, v] = np.maximum(best[u, v], np.minimum(found, 1))
    return best


def _reaches(levels: np.ndarray, n_levels: int) -> np.ndarray:
    """Return, for every level and point, the last point that may equal it."""
    points = np.arange(len(levels))
    further = points > points[:, None]
    return np.stack(
        [points + (further & (levels >= level)).sum(axis=1) for level in range(n_levels)]
    )


def _stretches(reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the best chains of stretches before and after every point, for every level."""
    n_levels, k = reach.shape
    before = np.zeros((n_levels, k + 1), dtype=int)
    after = np.zeros((n_levels, k + 1), dtype=int)
    for end in range(1, k + 1):
        for start in range(end):
            chain = before[:, start] + choose_two(end - start)
            allowed = reach[:, start] >= end - 1
            before[:, end] = np.where(allowed, np.maximum(before[:, end], chain), before[:, end])
    for start in range(k - 1, -1, -1):
        for end in range(start + 1, k + 1):
            chain = choose_two(end - start) + after[:, end]
            allowed = reach[:, start] >= end - 1
            after[:, start] = np.where(allowed, np.maximum(after[:, start], chain), after[:, start])
    return before, after


def _alone(
    reach: np.ndarray, before: np.ndarray, after: np.ndarray, values: np.ndarray
) -> np.ndarray:
    """Shape 1: the block is a stretch from s <= u to e >= v."""
    k = reach.shape[1]
    s, e = np.arange(k)[:, None], np.arange(k)
    best = np.zeros((k, k))
    for level, value in enumerate(values):
        total = before[level, :-1, None] + choose_two(e - s + 1) + after[level, 1:]
        total = np.where((s <= e) & (e <= reach[level][:, None]), total, NEVER)
        total = _from_above(_from_right(total))
        best = np.maximum(best, value * total)
    return np.triu(np.minimum(best, 1), 1)


def _with_neighbours(line: Line, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Shapes 2 to 4: the most pairs inside blocks for each of the pairs u < v."""
    k, mirror = len(line.reach), line.mirrored()
    return np.maximum.reduce(
        [
            _one_neighbour(line, u, v),
            _one_neighbour(mirror, k - 1 - v, k - 1 - u),
            _two_neighbours(line, mirror, u, v),
        ]
    )


def _one_neighbour(line: Line, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Shape 2: L takes all up to its reach a but u, C = {u} and a + 1..e, v <= e <= reach[u]."""
    a, e = _rows_and_columns(len(line.reach))
    rest = np.where(e > a, choose_two(1 + e - a) + line.after[1:], NEVER)
    ends, which = np.unique(line.reach[u], return_inverse=True)
    upto = np.where(e <= ends[:, None, None], rest, NEVER)
    upto = np.where(e > a, _from_right(upto), NEVER)  # upto[end, a, v]: the best with e >= v
    return (_left_block(line)[u] + upto[which, :, v]).max(axis=1)


def _two_neighbours(line: Line, mirror: Line, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Shape 4: L reaches up to a, R down to b, C = {u, v} and what lies strictly between."""
    a, b = _rows_and_columns(len(line.reach))
    left, left_shares = _left_block(line), _left_block_before(line)
    right, right_shares = (
        table[::-1, ::-1] for table in (_left_block(mirror), _left_block_before(mirror))
    )
    starts, which = np.unique(u, return_inverse=True)
    between = np.where(a < b, choose_two(b - a + 1), NEVER)
    apart = (left[starts, :, None] + between).max(axis=1)[which]
    return np.maximum.reduce(
        [
            (apart + right[v]).max(axis=1),  # 4a
            (left[u] + right_shares[v]).max(axis=1) + 1,  # 4b
            (left_shares[u] + right[v]).max(axis=1) + 1,  # 4c
        ]
    )


def _left_block(line: Line) -> np.ndarray:
    """Return, for all u and a, the most pairs before C if L starts before u and reaches a >= u.

    L holds all points from its start to a except u.
    """
    k = len(line.reach)
    start = np.arange(k)
    best = np.full((k + 1, k), NEVER)
    best[start + 1, line.reach] = line.before[:-1] + choose_two(line.reach - start)
    u, a = _rows_and_columns(k)
    return np.where(a >= u, _from_above(best)[:-1], NEVER)


def _left_block_before(line: Line) -> np.ndarray:
    """Return, for all u and b > u, the most pairs before C if L ends before b without u.

    L could reach b or beyond, but R takes what both could hold.
    """
    k = len(line.reach)
    start, b = _rows_and_columns(k)
    best = np.full((k + 1, k), NEVER)
    pairs = line.before[:-1, None] + choose_two(b - 1 - start)
    best[1:] = np.where(line.reach[:, None] >= b, pairs, NEVER)
    return np.where(b > start, _from_above(best)[:-1], NEVER)


def _rows_and_columns(k: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(k)[:, None], np.arange(k)


def _from_above(table: np.ndarray) -> np.ndarray:
    """Return the running maximum down each column."""
    return np.maximum.accumulate(table, axis=-2)


def _from_right(table: np.ndarray) -> np.ndarray:
    """Return the running maximum from the end of each row."""
    return np.maximum.accumulate(table[..., ::-1], axis=-1)[..., ::-1]
