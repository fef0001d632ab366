"""Bergmann-Hommel for p-values of any kind: the best partition, by branch and bound.

At a given p-value t the algorithms are points, joined where a pair has p >= t. A block of equal
algorithms is a clique: all its points are joined. What is sought are the partitions into cliques
with the most pairs inside blocks, C(n, 2) for a block of n. Three facts keep the search short:

* The largest block of a best partition is a clique that nothing can be added to: a point from a
  smaller block would gain there. So blocks are tried from the largest down, and only such cliques.
* Points that are joined to each other and to the same others share a block, for the same reason.
  They become one point of their joint weight, and so do two algorithms that have to share one.
* If no block weighs more than q, and w(x) is the heaviest clique with x, a point x adds at most
  (min(q, w(x)) - 1) / 2 pairs for each unit of its weight.

A set of points is an integer whose bit i says whether it holds point i.
"""

from collections.abc import Iterator

import numpy as np

LARGEST_ANY = 30  # algorithms; Wilcoxon p-values of 30 took up to 3 seconds in simulations
MOST_STEPS = 4_000_000  # of the search, about 10 seconds; counted, so that it ends alike everywhere


class SearchEnded(Exception):
    """Raised when the step limit is reached before all adjusted p-values are known."""


def products_by_search(levels: np.ndarray, values: np.ndarray, *, monotone: bool) -> np.ndarray:
    """Return for every pair the largest product of p_min and the number of true equalities.

    Notes
    -----
    Each pair is tried first at its own p-value, then at smaller ones where what is known of the
    partitions there allows a larger product. To find the most pairs is NP-hard, so no number of
    steps is enough for every table.

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
    best, floor = np.zeros(levels.shape), 0.0
    for index in np.argsort(levels[rows, columns], kind="stable"):
        u, v = int(rows[index]), int(columns[index])
        floor = search.product(u, v, floor if monotone else 0.0)
        best[u, v] = floor
    return best


def choose_two(n: int) -> int:
    """Return the number of pairs among n points."""
    return n * (n - 1) // 2


def _points(chosen: int) -> Iterator[int]:
    """Yield the points of a set."""
    while chosen:
        lowest = chosen & -chosen
        yield lowest.bit_length() - 1
        chosen ^= lowest


class _Search:
    """Search over p-values, for one pair after the other."""

    def __init__(self, levels: np.ndarray, values: np.ndarray) -> None:
        self.levels, self.values = levels, values
        self.all_pairs = choose_two(len(levels))
        self.without: dict[int, int] = {}  # level: the most pairs without any condition
        self.steps = _SearchSteps()

    def product(self, u: int, v: int, floor: float) -> float:
        """Return the largest product with u and v in one block, or `floor` if that is larger."""
        own, most = int(self.levels[u, v]), self.all_pairs
        floor = max(floor, self._together(own, u, v, floor) * self.values[own])
        level = 0
        while floor < 1:
            level = max(level, int(np.searchsorted(self.values, floor / most, side="right")))
            if level >= own:
                break
            most = min(most, self._without(level))
            if most * self.values[level] > floor:
                most = self._together(level, u, v, floor)
            floor = max(floor, most * self.values[level])
            most, level = max(most, 1), level + 1
        return min(1.0, floor)

    def _without(self, level: int) -> int:
        """Return the most pairs inside blocks at this p-value, without a condition on blocks."""
        if level not in self.without:
            self.without[level] = _Graph(self.levels >= level, self.steps).most_pairs(0)
        return self.without[level]

    def _together(self, level: int, u: int, v: int, floor: float) -> int:
        """Return the most pairs inside blocks with u and v in one, or a value not above the floor.

        Fewer than the most are returned if they are enough for a product of 1.
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
        """Count one step."""
        self.left -= 1
        if self.left < 0:
            raise SearchEnded


class _Graph:
    """Graph of points that may be equal, and its best partition into cliques."""

    def __init__(self, joined: np.ndarray, steps: _SearchSteps) -> None:
        packed = np.packbits(joined & ~np.eye(len(joined), dtype=bool), axis=1, bitorder="little")
        self.joined = [int.from_bytes(row.tobytes(), "little") for row in packed]
        self.weights = [1] * len(joined)
        self.heaviest = [1] * len(joined)
        self.all = (1 << len(joined)) - 1
        self.steps = steps
        self.known: dict[int, tuple[int, bool]] = {}  # set: most pairs, or at most; whether exact

    def merge(self, u: int, v: int) -> None:
        """Merge two points that share a block into one."""
        self.joined[u] &= self.joined[v]
        self.weights[u] += self.weights[v]
        self.all ^= 1 << v
        for x in _points(self.all ^ 1 << u):
            away = 1 << v if self.joined[u] >> x & 1 else 1 << v | 1 << u
            self.joined[x] &= ~away

    def merge_alike(self) -> None:
        """Merge points that are adjacent to each other and have the same other neighbours."""
        first: dict[int, int] = {}
        for x in _points(self.all):
            with_x = self.joined[x] | 1 << x
            if with_x in first:
                self.merge(first[with_x], x)
                return self.merge_alike()
            first[with_x] = x
        return None

    def most_pairs(self, needed: int) -> int:
        """Return the most pairs inside blocks, or `needed` if there are not more."""
        self.merge_alike()
        for x in _points(self.all):
            self.heaviest[x] = self.heaviest_with(x)
        return self._most(self.all, self._weight(self.all), needed)

    def heaviest_with(self, x: int) -> int:
        """Return the weight of the heaviest clique with x."""
        best = 0

        def extend(weight: int, left: int) -> None:
            nonlocal best
            self.steps.take()
            best = max(best, weight)
            while left and weight + self._weight(left) > best:
                y = left.bit_length() - 1
                left ^= 1 << y
                extend(weight + self.weights[y], left & self.joined[y])

        extend(self.weights[x], self.joined[x])
        return best

    def _most(self, chosen: int, heaviest: int, needed: int) -> int:
        """Return the most pairs of these points, or `needed` if it cannot be exceeded."""
        if not chosen:
            return 0
        value, exact = self.known.get(chosen, (self._bound(chosen, heaviest), False))
        if exact or value <= needed:
            return value if exact else needed
        best = needed
        lightest = 2 * needed // self._weight(chosen) + 2  # lighter blocks have no more than needed
        for weight, block in self._cliques(chosen, lightest):
            remaining, pairs = chosen & ~block, choose_two(weight)
            if pairs + self._bound(remaining, weight) > best:
                best = max(best, pairs + self._most(remaining, weight, best - pairs))
        self.known[chosen] = best, best > needed
        return best

    def _bound(self, chosen: int, heaviest: int) -> int:
        """Return an upper bound of the pairs inside blocks up to this weight."""
        return sum(self.weights[x] * (min(heaviest, self.heaviest[x]) - 1) for x in _points(chosen)) // 2

    def _weight(self, chosen: int) -> int:
        return sum(self.weights[x] for x in _points(chosen))

    def _cliques(self, chosen: int, lightest: int) -> list[tuple[int, int]]:
        """Return weight and points of the maximal cliques, heaviest first.

        By Bron and Kerbosch with pivots, where networkx would list the light ones, too.
        """
        weighted_cliques = []

        def extend(block: int, weight: int, left: int, passed: int) -> None:
            self.steps.take()
            if weight + self._weight(left) < lightest:
                return
            if not left | passed:
                weighted_cliques.append((weight, block))
            if not left:
                return
            pivot = max(_points(left | passed), key=lambda x: (left & self.joined[x]).bit_count())
            for x in _points(left & ~self.joined[pivot]):
                near = self.joined[x]
                extend(block | 1 << x, weight + self.weights[x], left & near, passed & near)
                left ^= 1 << x
                passed |= 1 << x

        extend(0, 0, chosen, 0)
        return sorted(weighted_cliques, reverse=True)
