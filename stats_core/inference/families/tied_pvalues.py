"""Equal p-values: floating point noise must not decide which comes first."""

import numpy as np

TIE = 1e-9  # relative


def tie_levels(pvalues: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct p-values, smallest first.

    Parameters
    ----------
    pvalues : array, m
        Neighbours in sorted order are the same value if they differ by at most 1e-9, relative.

    Returns
    -------
    levels : array of int, m
        The number of each p-value's group of equals, from 0.
    values : array, one per group
        The largest p-value of the group, ascending.

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
