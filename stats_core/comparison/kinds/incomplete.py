"""Comparison of three or more algorithms over data sets with missing results."""

from dataclasses import dataclass, replace
from math import nan
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.detectable_inputs import (
    AverageDetectableInput,
    DetectableInput,
    UnknownDetectableInput,
    all_pairs,
)
from stats_core.comparison.identical_pairs import mostly_equal_note, same_notes
from stats_core.comparison.kinds.datasets_base import (
    OnDatasets,
    by_rank,
    correction_with_source,
    other_corrections,
)
from stats_core.comparison.pairs_frame import (
    Intervals,
    hodges_lehmann_intervals,
    ordered_pairs,
    pair_values,
    pairs_frame,
)
from stats_core.comparison.result import (
    Comparison,
    Inputs,
    OmnibusTest,
    Shape,
    SmallestPValue,
    Standing,
    Units,
    cached_method,
)
from stats_core.core.errors import DesignError, MissingCells
from stats_core.core.formatting import join_names
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.significance import significant
from stats_core.data.missing import count_holes
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, Settings, Source
from stats_core.inference.incomplete_blocks import (
    IncompleteBlocksResult,
    IncompletePairsResult,
    present_pairs,
    present_ranks,
    skillings_mack,
)
from stats_core.inference.multiplicity.adjust import adjust_pairs
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.inference.pair_intervals import error_rates
from stats_core.inference.paired import hodges_lehmann_interval, sign_interval
from stats_core.inference.paired.paired_intervals import mostly_equal

# corrections that assume no logical relations between pairs
SUITABLE = ("holm", "hommel", "hochberg", "bonferroni", "none")


@dataclass(frozen=True, kw_only=True, eq=False)
class PresentComparison(OnDatasets):
    """Three or more algorithms over data sets that not all of them have.

    Attributes
    ----------
    omnibus : IncompleteBlocksResult
        The Skillings-Mack test.
    standing : DataFrame by algorithm
        Average rank among those present, and the data sets it is taken over; best first.
    raw : IncompletePairsResult
        The tests of all pairs on shared data sets, unadjusted.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    smallest_pvalue : float
        The smallest adjusted p-value that the pair with most shared data sets could reach.
    """

    kind: ClassVar[str] = "present"
    shape = Shape(incomplete=True)
    ordered_by_ranks: ClassVar[bool] = True
    omnibus: IncompleteBlocksResult
    standing: pd.DataFrame
    raw: IncompletePairsResult
    adjusted: pd.DataFrame
    smallest_pvalue: float

    @property
    def order(self) -> list[str]:
        """Algorithms from best to worst average rank among those present."""
        return list(self.standing.index)

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm is significantly better than the column, by their test."""
        sign = 1 if self.higher_is_better else -1
        return significant(self.adjusted, self.settings.alpha) & (sign * self.raw.statistics > 0)

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return one row per pair, the better ranked first, smallest adjusted p on top.

        Columns: those of `pairs`, where the estimate is the median difference of the averages on
        shared data sets, first minus second, with its interval by Hodges and Lehmann or by signs
        at the error rate of `error_rates`; then data sets (shared), wins, ties, losses.
        """
        order, tests, alpha = self.order, self.raw, self.settings.alpha
        first, second = ordered_pairs(order)
        p, adjusted = pair_values(tests.pvalues, order), pair_values(self.adjusted, order)
        rates = np.full(len(first), self.each(alpha))
        if not self.simultaneous:
            rates = error_rates(p, adjusted, alpha)
        intervals = np.reshape([*map(self._interval, first, second, rates)], (-1, 3))
        columns = {
            **dict(zip(("estimate", "low", "high"), intervals.T, strict=True)),
            "statistic": pair_values(tests.statistics, order),
            "p": p,
            "p adjusted": adjusted,
            "data sets": pair_values(tests.shared, order),
            "wins": pair_values(tests.wins, order),
            "ties": pair_values(tests.ties, order),
            "losses": pair_values(tests.wins.T, order),
        }
        return pairs_frame(first, second, columns, alpha)

    def _interval(self, first: str, second: str, rate: float) -> tuple[float, float, float]:
        """Return estimate and interval of one pair; NaN if they are not defined."""
        x, y = self._shared(first, second)
        if len(x) < 2 or mostly_equal(x, y):
            return nan, nan, nan
        by_signs = self.settings.source == "sign"
        interval = sign_interval if by_signs else hodges_lehmann_interval
        estimate = float(self.raw.estimates.loc[first, second])
        return estimate, *interval(x, y, confidence=1 - rate)

    def _shared(self, first: str, second: str) -> tuple[np.ndarray, np.ndarray]:
        both = self.scores[[first, second]].dropna()
        return both[first].to_numpy(), both[second].to_numpy()

    def intervals(self, alpha: float) -> Intervals:
        """Return the Hodges-Lehmann intervals, whichever test decides."""
        return hodges_lehmann_intervals(self.scores, self.details(), self.each(alpha), shared=True)

    @property
    def counted(self) -> Units:
        """Number of data sets with at least two results."""
        return Units(n=self.omnibus.n, noun="data set")

    @property
    def first_test(self) -> OmnibusTest:
        """The Skillings-Mack test of all algorithms at once."""
        return OmnibusTest(name="Skillings-Mack", outcome=self.omnibus)

    @property
    def least(self) -> SmallestPValue:
        """Smallest p-value attainable by an algorithm that wins on every shared data set."""
        k = len(self.order)
        return self.least_by(
            self.smallest_pvalue,
            lambda n: smallest_present_pvalue(k, n, self.settings),
            f"{self.order[0]} won every one",
            counted=Units(n=self.raw.n, noun="shared data set"),
        )

    def again(self, inputs: Inputs) -> Comparison:
        """Return the comparison of other inputs, ranked and tested again."""
        return compare_present(inputs)

    @property
    def post(self) -> str:
        """Name of the correction and of the source of the p-values."""
        return f"{correction_with_source(CORRECTIONS, self.settings)} on shared data sets"

    @property
    def ordered_by(self) -> Standing:
        """Average ranks among the algorithms present, which order the algorithms."""
        return by_rank(self.standing["average rank"], self.settings.measure)

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return settings with other applicable corrections and with the other pairwise test."""
        current = self.settings
        applicable = {key: name for key, name in CORRECTIONS.items() if key in SUITABLE}
        other: Source = "sign" if current.source == "wilcoxon" else "wilcoxon"
        other_source = (f"p from {SOURCES[other]}", replace(current, source=other))
        return [*other_corrections(current, applicable), other_source]

    def gap(self) -> DetectableInput:
        """Return the input for the smallest difference that a Wilcoxon test can detect."""
        settings = self.settings
        family = all_pairs(len(self.order), settings.alpha, settings.correction)
        if settings.source == "sign":
            reason = "Pairs share different numbers of data sets, so no one share of wins holds."
            return UnknownDetectableInput(family=family, reason=reason)
        rows = self.details()[["first", "second"]].itertuples(index=False)
        pairs = [pair for pair in (self._shared(*names) for names in rows) if len(pair[0]) > 1]
        return AverageDetectableInput(family=family, pairs=pairs, unit=settings.measure)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Warnings of the omnibus test, pairs that share no data set, choices."""
        names = self.order
        strangers = tuple(
            f"{first} and {second}"
            for i, first in enumerate(names)
            for second in names[i + 1 :]
            if not self.raw.shared.loc[first, second]
        )
        not_shared = [message("pairs share nothing", pairs=strangers)] if strangers else []
        identical = (*same_notes(self), *mostly_equal_note(self))
        return (*self.omnibus.warnings, *not_shared, *identical, *self.results.choices)


@message_text("pairs share nothing")
def _share_nothing(voice: Audience, pairs: tuple[str, ...]) -> str:
    return f"No data set has results of both, so nothing is said of {join_names(pairs, 3)}."


@message_text("tests of those present")
def _tests_of_those_present(voice: Audience, asked: str, used: str, **_: object) -> str:
    return (
        f"{used} on shared data sets is used; {asked} would need every algorithm on every data set."
    )


def smallest_present_pvalue(k: int, n: int, settings: Settings) -> float:
    """Return the smallest adjusted p-value attainable by a pair that shares n data sets.

    Examples
    --------
    >>> smallest_present_pvalue(4, 10, Settings(correction="holm"))
    0.01171875
    """
    pairs = 1 if settings.correction == "none" else k * (k - 1) // 2
    return min(1.0, pairs * 2.0 ** (1 - n))


def compare_present(inputs: Inputs) -> PresentComparison:
    """Rank the algorithms present on each data set and test all pairs on shared data sets."""
    inputs = _with_tests_that_apply(inputs)
    settings, scores = inputs.settings, inputs.scores
    direction = {"higher_is_better": inputs.higher_is_better}
    omnibus = skillings_mack(scores, **direction)
    standing = present_ranks(omnibus.ranks, scores)
    if unmatched := list(standing.index[standing["average rank"].isna()]):
        verb = "does" if len(unmatched) == 1 else "do"
        raise MissingCells(
            "Every algorithm needs a data set on which another one has a result, too. "
            f"{join_names(unmatched, 3)} {verb} not have one.",
            "leave it out, or choose another way with the missing cells",
        )
    raw = present_pairs(scores, settings.source, **direction)
    return PresentComparison(
        **vars(inputs),
        omnibus=omnibus,
        standing=standing,
        raw=raw,
        adjusted=adjust_pairs(raw.pvalues, settings.correction),
        smallest_pvalue=smallest_present_pvalue(len(standing), raw.n, settings),
    )


def _with_tests_that_apply(inputs: Inputs) -> Inputs:
    """Replace source and correction that need complete data, with a note."""
    settings, results = inputs.settings, inputs.results
    used = replace(
        settings,
        source="wilcoxon" if settings.source == "ranks" else settings.source,
        correction=settings.correction if settings.correction in SUITABLE else "holm",
    )
    if used == settings:
        return inputs
    names = {
        "asked": correction_with_source(CORRECTIONS, settings),
        "used": correction_with_source(CORRECTIONS, used),
    }
    requested = {"source": settings.source, "correction": settings.correction}
    note = message("tests of those present", **names, **requested)
    results = replace(results, choices=(*results.choices, note))
    return replace(inputs, settings=used, results=results)


def check_present(kept: Results, settings: Settings) -> None:
    """Raise an error if a comparison with missing results is not possible."""
    measures = settings.measures or (settings.measure,)
    missing = next(filter(None, (count_holes(kept, name) for name in measures)), None)
    folds = len(kept.datasets) == 1
    if missing is None or (folds and len(kept.algorithms) < 3 and not settings.measures):
        return
    remedy = "leave out data sets, algorithms or folds, or take the value of a baseline"
    if settings.control:
        reason = f"Comparisons with {settings.control} need every cell."
        raise MissingCells(f"{reason} {missing}.", f"compare all pairs, or {remedy}")
    if settings.measures or settings.thresholds:
        raise MissingCells(f"Several measures together need every run. {missing}.", remedy)
    if folds:
        raise MissingCells(
            f"Several algorithms on the folds of one data set need every run. {missing}.",
            "leave out those folds, or look at two algorithms",
        )
    if len(kept.algorithms) == 2 and len(kept.datasets) - missing.datasets < 2:
        raise DesignError(
            "Two algorithms need at least 2 data sets that both have. "
            f"{missing}. Choose another way with the missing cells."
        )
