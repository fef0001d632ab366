"""Bergmann and Hommel's procedure, exact for many algorithms."""

from functools import lru_cache
from math import isqrt

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, DesignError
from stats_core.core.result_types import labeled_matrix
from stats_core.core.validation import check_pvalues
from stats_core.inference.multiplicity.bergmann_hommel_ranks import (
    falls_along,
    largest_products,
)
from stats_core.inference.multiplicity.bergmann_hommel_search import (
    LARGEST_ANY,
    MOST_STEPS,
    SearchEnded,
    products_by_search,
)
from stats_core.inference.multiplicity.shaffer import tie_levels


def bergmann_hommel(
    pvalues: pd.DataFrame, *, average_ranks: pd.Series | None = None, monotone: bool = True
) -> pd.DataFrame:
    """What does each pair's p-value become, counting only equalities that can hold together?

    Parameters
    ----------
    pvalues : DataFrame, algorithm x algorithm
        Symmetric, two-sided, one family: all k (k - 1) / 2 pairs.
    average_ranks : Series by algorithm, optional
        The ranks behind `pvalues`. If the p-values fall as the ranks move apart, any number of
        algorithms is exact; otherwise at most 30.
    monotone : bool
        Whether a larger p-value may not get a smaller adjusted one, as in the published table;
        False gives the procedure as printed, which is slightly sharper.

    Returns
    -------
    DataFrame, algorithm x algorithm
        Adjusted p-values, at most 1; 1 on the diagonal.

    Raises
    ------
    DataError
        The matrix is not square, symmetric and within [0, 1]; ranks of other
        algorithms, or not finite.
    DesignError
        More than 30 algorithms whose p-values do not follow average ranks, or p-values among
        which the search for partitions takes more than `MOST_STEPS` steps.

    Notes
    -----
    A set of pairwise hypotheses is exhaustive, all of it can be true and the rest false, exactly
    if it is "all pairs inside the blocks of some partition of the algorithms". So the adjusted
    p-value of a pair is the maximum, over the partitions that keep the two together, of (number
    of pairs inside blocks) x (smallest p-value inside a block): the closed test with Bonferroni
    in each intersection. For every distinct p-value t the largest number of pairs, among
    partitions that join no pair below t, is found without listing the partitions. Valid whatever
    the dependence of the tests, if each holds its level where its own pair is equal. For every pair raw <= Bergmann-Hommel <= Shaffer. In the
    monotone form equal p-values (to 1e-9, relative) share one adjusted value, the largest.

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
    levels = np.zeros((k, k), dtype=int)
    levels[rows, columns] = levels[columns, rows] = family
    adjusted = _adjust(levels, values, _line_up(average_ranks, table), monotone)[rows, columns]
    if monotone:
        adjusted = _running_maximum(family, adjusted)
    matrix = np.ones((k, k))
    matrix[rows, columns] = matrix[columns, rows] = adjusted
    return labeled_matrix(matrix, table.index)


def _adjust(
    levels: np.ndarray, values: np.ndarray, order: np.ndarray | None, monotone: bool
) -> np.ndarray:
    """Return the adjusted p-values above the diagonal, to be made monotone where asked."""
    if order is not None and falls_along(levels[np.ix_(order, order)]):
        upper = largest_products(levels[np.ix_(order, order)], values)
        place = np.argsort(order)
        return (upper + upper.T)[np.ix_(place, place)]
    if len(levels) > LARGEST_ANY:
        raise DesignError(
            f"Exact Bergmann-Hommel reaches {LARGEST_ANY} algorithms unless the p-values follow "
            f"average ranks. There are {len(levels)}. Use Shaffer, the nearest, or p-values from "
            "ranks together with the average ranks."
        )
    try:
        return _searched(levels.tobytes(), values.tobytes(), monotone)
    except SearchEnded:
        raise DesignError(
            f"Exact Bergmann-Hommel must be done in {MOST_STEPS:,} steps. It is not for these "
            f"{len(levels)} algorithms. Use Shaffer, the nearest: no pair gets a smaller p-value by it."
        ) from None


@lru_cache(maxsize=512)  # at another level, and where one is left out in turn, they come again
def _searched(levels: bytes, values: bytes, monotone: bool) -> np.ndarray:
    """Return `products_by_search` of arrays that are told by their bytes."""
    places = np.frombuffer(levels, dtype=int)
    k = isqrt(len(places))
    found = products_by_search(places.reshape(k, k), np.frombuffer(values), monotone=monotone)
    found.flags.writeable = False
    return found


def _line_up(average_ranks: pd.Series | None, table: pd.DataFrame) -> np.ndarray | None:
    """Return the places of the algorithms from best to worst rank."""
    if average_ranks is None:
        return None
    ranks = pd.Series(average_ranks, dtype=float)
    if set(ranks.index) != set(table.index) or ranks.index.has_duplicates:
        raise DataError(
            [
                "`average_ranks` must name the algorithms of `pvalues`. It has "
                f"{len(ranks)} names, {len(set(ranks.index) & set(table.index))} of the "
                f"{len(table)}. Pass the ranks behind the p-values, every name once."
            ]
        )
    if not np.isfinite(ranks).all():
        raise DataError(
            ["`average_ranks` must be finite. Some are not. Rank the scores without holes first."]
        )
    return np.argsort(ranks.loc[table.index].to_numpy(), kind="stable")


def _running_maximum(levels: np.ndarray, adjusted: np.ndarray) -> np.ndarray:
    largest = np.zeros(levels.max() + 1)
    np.maximum.at(largest, levels, adjusted)
    return np.maximum.accumulate(largest)[levels]
