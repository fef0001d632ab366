"""Step-up and step-down adjustments of p-values: Holm, Hochberg, Hommel, Shaffer, Rom and others."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby

import numpy as np
from scipy.special import comb

from stats_core.core.errors import DesignError
from stats_core.core.validation import check_one_of


def true_counts(k: int) -> tuple[int, ...]:
    """Return the possible numbers of true equalities between k algorithms.

    Notes
    -----
    If j of the algorithms are equal, that makes C(j, 2) true equalities, and the other k - j
    add any number possible among themselves: S(0) = S(1) = {0},
    S(k) = union over j = 1..k of {C(j, 2) + x : x in S(k - j)}.

    References
    ----------
    Shaffer, J. Am. Stat. Assoc. 81 (1986) 826; Garcia and Herrera, JMLR 9 (2008), section 2.1.

    Examples
    --------
    >>> true_counts(4)
    (0, 1, 2, 3, 6)
    """
    if k < 0:
        raise DesignError(f"`k` must be a number of algorithms. It is {k}. Count them.")
    counts = [1]  # bit x says whether x is possible
    for size in range(1, k + 1):
        bits = 0
        for j in range(1, size + 1):
            bits |= counts[size - j] << j * (j - 1) // 2
        counts.append(bits)
    return tuple(x for x, possible in enumerate(reversed(f"{counts[k]:b}")) if possible == "1")


def shaffer_factors(k: int) -> np.ndarray:
    """Return the factors by which Shaffer multiplies the sorted p-values.

    References
    ----------
    Shaffer 1986; Garcia and Herrera 2008, section 2.1.

    Examples
    --------
    >>> shaffer_factors(5).tolist()
    [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]
    """
    possible = np.array(true_counts(k))
    left = np.arange(k * (k - 1) // 2, 0, -1)
    return possible[np.searchsorted(possible, left, side="right") - 1]


_TIE = 1e-9  # relative


def tie_levels(pvalues: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct p-values, smallest first.

    Examples
    --------
    >>> import numpy as np
    >>> levels, values = tie_levels(np.array([0.5, 0.1 + 0.2, 0.3]))
    >>> levels.tolist(), values.round(3).tolist()
    ([1, 0, 0], [0.3, 0.5])
    """
    order = np.argsort(pvalues, kind="stable")
    ordered = pvalues[order]
    starts = np.concatenate([[True], np.diff(ordered) > _TIE * ordered[1:]])[: len(ordered)]
    levels = np.empty(len(ordered), dtype=int)
    levels[order] = starts.cumsum() - 1
    values = np.zeros(starts.sum())
    np.maximum.at(values, levels, pvalues)
    return levels, values


def rom_constants(m: int, alpha: float) -> np.ndarray:
    """Return the constants that Rom's procedure compares with the sorted p-values.

    Notes
    -----
    c_i = (sum over j = 1..i-1 of alpha^j - sum over j = 1..i-2 of C(i, j) c_(j+1)^(i-j)) / i.

    References
    ----------
    Rom, Biometrika 77 (1990) 663.

    Examples
    --------
    >>> rom_constants(5, 0.05).round(6).tolist()
    [0.05, 0.025, 0.016875, 0.012713, 0.010193]
    """
    return _constants(m, np.array([alpha]))[0]


def rom_levels(ordered: np.ndarray) -> np.ndarray:
    """Return the level at which each p-value equals its constant.

    Examples
    --------
    >>> rom_levels(np.array([0.025, 0.2])).round(6).tolist()
    [0.05, 0.2]
    """
    m = ordered.shape[-1]
    steps = np.arange(m, 0, -1)  # of each p-value from the largest
    targets, index = ordered.ravel(), np.broadcast_to(steps - 1, ordered.shape).ravel()
    low, high = targets.copy(), np.minimum(steps * ordered, 1).ravel()
    for _ in range(60):
        middle = (low + high) / 2
        enough = _constants(m, middle)[np.arange(len(index)), index] >= targets
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high.reshape(ordered.shape)


def _constants(m: int, alpha: np.ndarray) -> np.ndarray:
    """Return Rom's constants c_1..c_m for many levels, level x constant."""
    c = np.zeros((len(alpha), m))
    c[:, 0] = alpha
    powers = np.zeros(len(alpha))  # alpha + alpha^2 + ... + alpha^(i-1)
    for i in range(2, m + 1):
        powers += alpha ** (i - 1)
        j = np.arange(1, i - 1)
        c[:, i - 1] = (powers - (comb(i, j) * c[:, j] ** (i - j)).sum(axis=1)) / i
    return c


LARGEST_LISTED = 10  # algorithms: 115,975 partitions
_TOGETHER = 4096  # rows per batch, to fit the CPU cache

Blocks = tuple[int, ...]  # the blocks of two and more algorithms, each a subset as bits


def bergmann_hommel_rows(pvalues: np.ndarray) -> np.ndarray:
    """Return the Bergmann-Hommel adjusted p-values of each row.

    Notes
    -----
    The adjusted value at p is the largest product of a partition's number of pairs and its smallest
    p-value, over all partitions whose smallest is at most p. So it is enough to know, for
    each place in the order of p-values, the largest partition that has its smallest there. A pair
    is the bit of its place, a partition all bits of its pairs; its smallest is the lowest bit.

    References
    ----------
    Bergmann and Hommel 1988; Garcia and Herrera, JMLR 9 (2008), section 2.1.

    Examples
    --------
    >>> bergmann_hommel_rows(np.array([[0.01, 0.02, 0.04], [0.5, 0.01, 0.5]])).tolist()
    [[0.03, 0.03, 0.04], [0.5, 0.03, 0.5]]
    """
    k = round((1 + (1 + 8 * pvalues.shape[1]) ** 0.5) / 2)
    if k > LARGEST_LISTED:
        raise DesignError(
            f"Many families at once are adjusted by Bergmann-Hommel up to {LARGEST_LISTED} "
            f"algorithms. There are {k}. Use Shaffer, the nearest, or fewer algorithms."
        )
    parts = [_adjust(pvalues[start : start + _TOGETHER], k) for start in range(0, len(pvalues), _TOGETHER)]
    return np.concatenate(parts) if parts else pvalues.copy()


def _adjust(pvalues: np.ndarray, k: int) -> np.ndarray:
    order = np.argsort(pvalues, axis=1, kind="stable")
    ordered = np.take_along_axis(pvalues, order, 1)
    new: np.ndarray = np.ones(ordered.shape, dtype=bool)
    new[:, 1:] = np.diff(ordered, axis=1) > _TIE * ordered[:, 1:]
    ranks = new.cumsum(axis=1) - 1  # equal p-values share a level
    levels = np.empty_like(ranks)
    np.put_along_axis(levels, order, ranks, 1)
    most = _most_pairs(levels, k)
    # the last of equal p-values is the largest, and stands for them
    ends = np.where(np.roll(new, -1, axis=1) | (np.arange(new.shape[1]) == new.shape[1] - 1), 1, 0)
    products = np.where(ends, np.take_along_axis(most, ranks, 1) * ordered, 0)
    reached = np.maximum.accumulate(products, axis=1)
    last = np.where(ends, np.arange(new.shape[1]), new.shape[1])[:, ::-1]
    products_of_ties = np.take_along_axis(reached, np.minimum.accumulate(last, axis=1)[:, ::-1], 1)
    adjusted = np.empty_like(products_of_ties)
    np.put_along_axis(adjusted, order, np.minimum(products_of_ties, 1), 1)
    return adjusted


def _most_pairs(levels: np.ndarray, k: int) -> np.ndarray:
    """Return the pairs of the largest partition whose smallest p is at each level, row x level."""
    word = np.dtype(np.uint32 if levels.shape[1] <= 32 else np.uint64)
    positions = np.arange(levels.shape[1], dtype=word)
    subsets = _bits_of_subsets(np.left_shift(word.type(1), levels.T.astype(word)), k)
    most = np.zeros(levels.shape)
    seen: np.ndarray = np.zeros(len(levels), dtype=word)
    for pairs, group in _partitions(k):
        lowest: np.ndarray = np.zeros(len(levels), dtype=word)
        for blocks in group:
            joined = subsets[blocks[0]]
            for block in blocks[1:]:
                joined = joined | subsets[block]
            lowest |= joined & -joined
        fresh = lowest & ~seen  # larger partitions come first
        most += pairs * ((fresh[:, None] >> positions) & word.type(1))
        seen |= lowest
    return most


def _bits_of_subsets(bits: np.ndarray, k: int) -> np.ndarray:
    """Return the bits of all pairs inside each subset of the algorithms, subset x row."""
    pair = np.full((k, k), -1)
    pair[np.triu_indices(k, 1)] = np.arange(len(bits))
    subsets = np.zeros((2**k, bits.shape[1]), dtype=bits.dtype)
    for high in range(1, k):
        to_high = np.zeros((2**high, bits.shape[1]), dtype=bits.dtype)
        for low in range(high):
            to_high[2**low : 2 ** (low + 1)] = to_high[: 2**low] | bits[pair[low, high]]
        subsets[2**high : 2 ** (high + 1)] = subsets[: 2**high] | to_high
    return subsets


@lru_cache(maxsize=LARGEST_LISTED)
def _partitions(k: int) -> tuple[tuple[int, tuple[Blocks, ...]], ...]:
    """Return the partitions that join some algorithms by their numbers of pairs, largest first."""

    def pairs(blocks: Blocks) -> int:
        return sum(block.bit_count() * (block.bit_count() - 1) // 2 for block in blocks)

    partitions = sorted(filter(None, _all_partitions(2**k - 1)), key=pairs, reverse=True)
    return tuple((size, tuple(group)) for size, group in groupby(partitions, key=pairs))


def _all_partitions(items: int) -> Iterator[Blocks]:
    """Yield the partitions of a subset, each without its blocks of one."""
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


Steps = Callable[[np.ndarray], np.ndarray]  # p-values ascending in each row -> adjusted, ascending


def adjust_rows(pvalues: np.ndarray, method: str) -> np.ndarray:
    """Return the adjusted p-values of each row.

    Notes
    -----
    Shaffer: the i-th smallest becomes the maximum over j <= i of t_j p_(j), `shaffer_factors`;
    never larger than Holm, whatever the dependence of the tests. The other formulas stand with `adjust_pairs` and `adjust_control`, which adjust one family by this.

    References
    ----------
    Holm 1979; Hochberg 1988; Hommel 1988; Shaffer 1986; Finner 1993; Li 2008; Rom 1990.

    Examples
    --------
    >>> adjust_rows(np.array([[0.01, 0.04], [0.5, 0.2]]), "holm").tolist()
    [[0.02, 0.04], [0.5, 0.4]]
    """
    check_one_of(method, STEPS, "method")
    if method == "none" or not pvalues.size:
        return pvalues.copy()
    order = np.argsort(pvalues, axis=-1, kind="stable")
    ordered = np.take_along_axis(pvalues, order, -1)
    adjusted_sorted = np.minimum(_share_ties(ordered, STEPS[method](ordered)), 1)
    adjusted = np.empty_like(adjusted_sorted)
    np.put_along_axis(adjusted, order, adjusted_sorted, -1)
    return adjusted


def _share_ties(ordered: np.ndarray, adjusted: np.ndarray) -> np.ndarray:
    """Give equal p-values the adjusted value of the last of them, the largest."""
    positions = np.arange(ordered.shape[-1])
    last = np.ones(ordered.shape, dtype=bool)
    last[..., :-1] = np.diff(ordered, axis=-1) > _TIE * ordered[..., 1:]
    ends = np.where(last, positions, positions[-1])[..., ::-1]
    return np.take_along_axis(adjusted, np.minimum.accumulate(ends, axis=-1)[..., ::-1], -1)


def _step_down(ordered: np.ndarray, factors: np.ndarray) -> np.ndarray:
    return np.maximum.accumulate(factors * ordered, axis=-1)


def _left(ordered: np.ndarray) -> np.ndarray:
    """Return how many hypotheses are left at each step: m, m - 1, ..., 1."""
    return np.arange(ordered.shape[-1], 0, -1)


def _holm(ordered: np.ndarray) -> np.ndarray:
    return _step_down(ordered, _left(ordered))


def _shaffer(ordered: np.ndarray) -> np.ndarray:
    m = ordered.shape[-1]
    factors = shaffer_factors(round((1 + (1 + 8 * m) ** 0.5) / 2))
    if len(factors) != m:
        raise DesignError(
            "Shaffer needs the p-values of all pairs, 3 for 3 algorithms, 6 for 4. "
            f"There are {m}. Test every pair, or use Holm."
        )
    return _step_down(ordered, factors)


def _from_largest(values: np.ndarray) -> np.ndarray:
    return np.minimum.accumulate(values[..., ::-1], axis=-1)[..., ::-1]


def _hochberg(ordered: np.ndarray) -> np.ndarray:
    return _from_largest(_left(ordered) * ordered)


def _hommel(ordered: np.ndarray) -> np.ndarray:
    """Follow Wright's steps: for the j largest, the least of j p_(i) / (their place)."""
    adjusted = ordered.copy()
    for j in range(ordered.shape[-1], 1, -1):
        largest, others = ordered[..., -j:], ordered[..., :-j]
        least = (j * largest / np.arange(1, j + 1)).min(axis=-1, keepdims=True)
        adjusted[..., -j:] = np.maximum(adjusted[..., -j:], least)
        adjusted[..., :-j] = np.maximum(adjusted[..., :-j], np.minimum(j * others, least))
    return adjusted


def _finner(ordered: np.ndarray) -> np.ndarray:
    m = ordered.shape[-1]
    with np.errstate(divide="ignore"):  # p = 1 gives log 0: its adjusted value is 1
        steps = -np.expm1(np.log1p(-ordered) * m / np.arange(1, m + 1))
    return np.maximum.accumulate(steps, axis=-1)


def _li(ordered: np.ndarray) -> np.ndarray:
    # p = 0 next to a largest p of 1 is 0 / 0: rejected at every level
    return ordered / np.where(ordered > 0, ordered + (1 - ordered[..., -1:]), 1)


def _rom(ordered: np.ndarray) -> np.ndarray:
    return _from_largest(rom_levels(ordered))


STEPS: dict[str, Steps] = {
    "none": np.copy,
    "bonferroni": lambda ordered: ordered.shape[-1] * ordered,
    "holm": _holm,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "shaffer": _shaffer,
    "finner": _finner,
    "li": _li,
    "rom": _rom,
}
