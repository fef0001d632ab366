"""Bergmann-Hommel for p-values of any kind: the best partition, by subsets of the algorithms.

A subset is an integer whose bit i says whether it holds algorithm i.
"""

import numpy as np

NONE = -1  # more pairs than none, fewer than any partition has


def most_pairs_by_subsets(levels: np.ndarray) -> np.ndarray:
    """How many equalities can be true at most, if all have at least this p-value?

    Parameters
    ----------
    levels : array of int, algorithm x algorithm
        The place of each pair's p-value among the distinct ones, 0 the smallest; symmetric.

    Returns
    -------
    array of int, algorithm x algorithm x level
        For each pair u, v and each level: the most pairs inside the blocks of a partition that
        keeps u and v together and joins no pair below that level; -1 if there is none.

    Notes
    -----
    f(S), the most pairs inside a partition of the subset S, is the maximum over the block that
    holds the first algorithm of S: C(|block|, 2) + f(rest). The answer for u, v is the maximum
    over blocks that hold both of C(|block|, 2) + f(all others). All levels at once: a block may
    be used at every level up to that of its smallest p-value. About T 3^k operations for T
    levels.

    Examples
    --------
    Of three algorithms only the first and last differ at the second level.

    >>> import numpy as np
    >>> most_pairs_by_subsets(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))[0].tolist()
    [[-1, -1], [3, 1], [3, -1]]
    """
    k = len(levels)
    top = _smallest_level(levels)
    n_levels = levels[np.triu_indices(k, 1)].max() + 1
    sizes = np.bitwise_count(np.arange(2**k)).astype(int)
    pairs = (sizes * (sizes - 1) // 2).astype(np.int16)
    best = _best_partitions(top, pairs, n_levels)
    with_block = pairs[:, None] + best[::-1]  # the complement of subset S is 2^k - 1 - S
    with_block[np.arange(n_levels) > top[:, None]] = NONE
    return _over_blocks_with_both(with_block, k)


def _smallest_level(levels: np.ndarray) -> np.ndarray:
    """Return, for every subset, the smallest level of a pair inside it."""
    k = len(levels)
    subsets = np.arange(2**k)
    smallest = np.full(2**k, levels.max())
    for u, v in zip(*np.triu_indices(k, 1), strict=True):
        both = 1 << u | 1 << v
        inside = subsets & both == both
        smallest[inside] = np.minimum(smallest[inside], levels[u, v])
    return smallest


def _best_partitions(top: np.ndarray, pairs: np.ndarray, n_levels: int) -> np.ndarray:
    """Return, for every subset and level, the most pairs inside the blocks of a partition.

    Subsets are reached by their highest algorithm: those of the lower ones are ready by then.
    """
    best = np.zeros((len(top), n_levels), dtype=np.int16)
    added = 1
    while added < len(top):
        lower = np.arange(added)
        for others in range(added):
            block = added | others
            rest = lower[lower & others == 0]
            upto = top[block] + 1
            found = pairs[block] + best[rest, :upto]
            whole = block | rest
            best[whole, :upto] = np.maximum(best[whole, :upto], found)
        added *= 2
    return best


def _over_blocks_with_both(with_block: np.ndarray, k: int) -> np.ndarray:
    subsets = np.arange(2**k)
    most = np.full((k, k, with_block.shape[1]), NONE)
    for u, v in zip(*np.triu_indices(k, 1), strict=True):
        both = 1 << u | 1 << v
        most[u, v] = most[v, u] = with_block[subsets & both == both].max(axis=0)
    return most
