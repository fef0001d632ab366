"""Intervals of pairwise differences in units of the measure, at any level."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import pandas as pd

from stats_core.inference.paired import hodges_lehmann_interval
from stats_core.inference.paired.paired_intervals import mostly_equal

HODGES_LEHMANN = "the intervals of Hodges and Lehmann"


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
    return Intervals(ends=ends, by=HODGES_LEHMANN)


def _of_pair(paired: pd.DataFrame, level: float, *, shared: bool) -> tuple[float, float]:
    complete = paired.dropna()
    x, y = (complete.iloc[:, column].to_numpy() for column in (0, 1))
    if len(complete) < 2 or (len(complete) < len(paired) and not shared) or mostly_equal(x, y):
        return nan, nan
    return hodges_lehmann_interval(x, y, confidence=1 - level)
