"""Intervals of the compared pairs, and their results against a region of equivalence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from stats_core.inference import pair_intervals
from stats_core.inference.pair_intervals import Ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """Confidence intervals of the rows of `Comparison.pairs`.

    Attributes
    ----------
    ends : sequence of (float, float)
        Low and high end for the first minus the second algorithm; NaN if there is no interval.
    by : str
        Name of the intervals in a sentence: "the intervals of Hodges and Lehmann".
    together : bool
        Whether they are simultaneous by construction, as Tukey's are.
    """

    ends: Sequence[Ends]
    by: str
    together: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Equivalence:
    """Results of the compared pairs against a region of equivalence around zero.

    The first algorithm of a pair is "better" or "worse" by more than the region, "equivalent", or
    the result is "not known"; a pair without a significant difference is never "better" or "worse".

    Attributes
    ----------
    margin : float or None
        Half-width of the region in the settings, in the measure's units; None if none is set.
    alpha : float
        Significance level.
    higher_is_better : bool
        Direction of the measure.
    separated : Series of bool
        Whether each pair differs significantly.
    intervals : callable
        Function from an error rate to the intervals of the pairs; None without any in the measure's
        units. They are computed when they are needed.

    Examples
    --------
    >>> ends = Intervals(ends=[(0.02, 0.05), (-0.01, 0.01)], by="")
    >>> found = Equivalence(margin=0.015, alpha=0.05, higher_is_better=False, intervals=lambda rate: ends,
    ...                     separated=pd.Series([True, False]))
    >>> found.results, found.results_at(0.1), found.turning_widths(slice(None))
    (('worse', 'equivalent'), ('equivalent', 'equivalent'), [0.0101, 0.0201, 0.0501])
    """

    margin: float | None
    alpha: float
    higher_is_better: bool
    separated: pd.Series
    intervals: Callable[[float], Intervals | None]

    @cached_property
    def ends(self) -> list[tuple[Ends, Ends]] | None:
        """Intervals of each pair at error rates alpha and 2 alpha; None without intervals."""
        wide, narrow = self.intervals(self.alpha), self.intervals(min(2 * self.alpha, 1 - 1e-9))
        if wide is None or narrow is None:
            return None
        return list(zip(wide.ends, narrow.ends, strict=True))

    @cached_property
    def results(self) -> tuple[str, ...]:
        """Result of each pair; () without margin or intervals."""
        return () if self.margin is None else self.results_at(self.margin)

    def results_at(self, margin: float) -> tuple[str, ...]:
        """Return the results for another margin; () without intervals."""
        if self.ends is None:
            return ()
        sides = {"above": "better", "below": "worse"}
        if not self.higher_is_better:
            sides = {"above": "worse", "below": "better"}
        results = [
            pair_intervals.against_region(wide, narrow, margin) for wide, narrow in self.ends
        ]
        return tuple(
            ("not known" if not differs else sides[result]) if result in sides else result
            for result, differs in zip(results, self.separated, strict=True)
        )

    def turning_widths(self, rows: pd.Index | slice) -> list[float]:
        """Return the margins at which results in these rows change; needs intervals."""
        ends = pd.Series(self.ends)[rows]
        return pair_intervals.turning_widths(ends, self.separated.loc[ends.index])
