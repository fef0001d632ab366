"""One row per compared pair, the same columns for every kind of comparison, and intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.significance import significant
from stats_core.inference.paired import hodges_lehmann_interval
from stats_core.inference.paired.signed_ranks import mostly_equal

# columns of every kind; NaN if a test has no interval or no unadjusted p-value
PAIR_COLUMNS = ("first", "second", "estimate", "low", "high", "statistic", "p", "p adjusted", "separated")
_BY_P = ("p adjusted", "p")
Names = Sequence[str] | np.ndarray


def pairs_frame(
    first: Names, second: Names, columns: Mapping[str, Any], alpha: float, *, by: Sequence[str] = _BY_P
) -> pd.DataFrame:
    """Return one row per pair, smallest adjusted p on top: `PAIR_COLUMNS`, then other columns.

    Examples
    --------
    >>> pairs_frame(["a", "a"], ["b", "c"], {"p adjusted": [0.2, 0.01]}, 0.05)[["second", "separated"]]
      second  separated
    0      c       True
    1      b      False
    """
    names = {"first": first, "second": second}
    table = pd.DataFrame({**names, **dict.fromkeys(PAIR_COLUMNS[2:], nan), **columns})
    if "separated" not in columns:
        table["separated"] = significant(table["p adjusted"].to_numpy(), alpha)
    return table.sort_values(list(by), kind="stable", ignore_index=True)


def ordered_pairs(order: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the earlier and the later algorithm of all pairs, the first in order first."""
    rows, columns = np.triu_indices(len(order), 1)
    names = np.array(order, dtype=object)
    return names[rows], names[columns]


def pair_values(matrix: pd.DataFrame, order: Sequence[str]) -> np.ndarray:
    """Return the values of a matrix for `ordered_pairs`."""
    rows, columns = np.triu_indices(len(order), 1)
    positions = matrix.index.get_indexer(pd.Index(order))
    return matrix.to_numpy()[positions[rows], positions[columns]]


def differing_pairs(
    first: np.ndarray, second: np.ndarray, adjusted: np.ndarray, p: np.ndarray, alpha: float
) -> list[tuple[str, str]]:
    """Return the pairs that differ, smallest adjusted p on top, without building a table."""
    differs = np.flatnonzero(significant(adjusted, alpha))
    by_size = differs[np.lexsort((p[differs], adjusted[differs]))]
    return list(zip(first[by_size], second[by_size], strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """An interval for every row of `Comparison.pairs`.

    Attributes
    ----------
    ends : sequence of (float, float)
        Low and high of the first less the second; NaN where the results allow none.
    by : str
        Name of the intervals in a sentence: "the intervals of Hodges and Lehmann".
    together : bool
        Whether they are simultaneous, as Tukey's are; others are adjusted by Bonferroni.
    """

    ends: Sequence[tuple[float, float]]
    by: str
    together: bool = False


def hodges_lehmann_intervals(
    scores: pd.DataFrame, pairs: pd.DataFrame, level: float, *, shared: bool = False
) -> Intervals:
    """Return the Hodges-Lehmann intervals of pairs over data sets."""
    names = pairs[["first", "second"]].itertuples(index=False)
    ends = [_of_pair(scores[[first, second]], level, shared=shared) for first, second in names]
    return Intervals(ends=ends, by="the intervals of Hodges and Lehmann")


def _of_pair(paired: pd.DataFrame, level: float, *, shared: bool) -> tuple[float, float]:
    complete = paired.dropna()
    x, y = (complete.iloc[:, column].to_numpy() for column in (0, 1))
    if len(complete) < 2 or (len(complete) < len(paired) and not shared) or mostly_equal(x, y):
        return nan, nan
    return hodges_lehmann_interval(x, y, confidence=1 - level)
