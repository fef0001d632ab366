"""Shaffer's static procedure: Holm with the number of hypotheses that can be true together."""

import numpy as np

from stats_core.core.errors import DesignError


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


TIE = 1e-9  # relative


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
    starts = np.concatenate([[True], np.diff(ordered) > TIE * ordered[1:]])[: len(ordered)]
    levels = np.empty(len(ordered), dtype=int)
    levels[order] = starts.cumsum() - 1
    values = np.zeros(starts.sum())
    np.maximum.at(values, levels, pvalues)
    return levels, values
