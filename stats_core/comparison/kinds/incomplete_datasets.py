"""Comparison of all pairs when some averages are missing, and checks of missing results."""

from dataclasses import dataclass, replace
from math import comb, nan
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison import result
from stats_core.comparison.kinds import datasets
from stats_core.comparison.kinds.datasets import OnDatasets
from stats_core.comparison.pairs import Pairs, ordered_pairs, pair_values, pairs_frame
from stats_core.comparison.plan import PlannedTest, Reason, Role
from stats_core.core.errors import DesignError, MissingCells
from stats_core.core.messages import Message, message
from stats_core.core.result_types import cached
from stats_core.core.validation import significant
from stats_core.data.missing import count_missing
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, Settings, Source
from stats_core.inference import pair_intervals
from stats_core.inference.methods import Unit, pair_method
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.inference.omnibus import (
    IncompleteBlocksResult,
    IncompletePairsResult,
    present_pairs,
    present_ranks,
    skillings_mack,
)
from stats_core.inference.paired import hodges_lehmann_interval, sign_interval, signed_ranks

# corrections that assume no logical relations between pairs
_SUITABLE = ("holm", "hommel", "hochberg", "bonferroni", "benjamini_hochberg", "none")


@dataclass(frozen=True, kw_only=True, eq=False)
class PresentComparison(OnDatasets):
    """Three or more algorithms over data sets, with missing results.

    Attributes
    ----------
    omnibus : IncompleteBlocksResult
        The Skillings-Mack test.
    standing : DataFrame by algorithm
        Columns "average rank" (among the algorithms present) and "data sets" (with a result); best
        first.
    raw : IncompletePairsResult
        The tests of all pairs on shared data sets, unadjusted.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    """

    kind: ClassVar[str] = "present"
    shape = result.Shape(incomplete=True)
    derived: ClassVar[tuple[str, ...]] = ("smallest_pvalue",)
    omnibus: IncompleteBlocksResult
    standing: pd.DataFrame
    raw: IncompletePairsResult
    adjusted: pd.DataFrame

    @property
    def order(self) -> list[str]:
        """Algorithms from best to worst average rank, each over the data sets where it has a result."""
        return list(self.standing.index)

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm is significantly better than the column algorithm on their shared data sets."""
        sign = 1 if self.higher_is_better else -1
        return significant(self.adjusted, self.settings.alpha) & (sign * self.raw.statistics > 0)

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row per pair, the better ranked first, smallest adjusted p on top.

        Columns: `PAIR_COLUMNS`, where the estimate is the median difference of the averages on
        shared data sets, first minus second, with its interval by Hodges and Lehmann or by signs at
        the error rate of `error_rates`; then data sets (shared), wins,
        ties and losses (of the first).
        """
        order, tests, alpha = self.order, self.raw, self.settings.alpha
        first, second = ordered_pairs(order)
        rates = pair_intervals.error_rates(
            pair_values(tests.pvalues, order),
            pair_values(self.adjusted, order),
            alpha,
            correction=self.settings.correction,
            family=self._n_comparisons,
        )
        intervals = np.reshape([*map(self._interval, first, second, rates)], (-1, 3))
        columns = {
            **dict(zip(("estimate", "low", "high"), intervals.T, strict=True)),
            "statistic": tests.statistics,
            "p": tests.pvalues,
            "p adjusted": self.adjusted,
            "data sets": tests.shared,
            "wins": tests.wins,
            "ties": tests.ties,
            "losses": tests.wins.T,
        }
        return self._pairs_of(pairs_frame(order, columns, alpha))

    def _interval(self, first: str, second: str, rate: float) -> tuple[float, float, float]:
        """Return estimate and interval of a pair; NaN for one or no shared data set, or mostly zero differences."""
        x, y = self.shared_results(first, second)
        if len(x) < 2 or signed_ranks.mostly_equal(x, y):
            return nan, nan, nan
        by_signs = self.settings.source == "sign"
        interval = sign_interval if by_signs else hodges_lehmann_interval
        estimate = float(self.raw.estimates.loc[first, second])
        return estimate, *interval(x, y, confidence_level=1 - rate)

    def shared_results(self, first: str, second: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the averages of two algorithms on the data sets where both have results."""
        x, y = self.scores[first].to_numpy(), self.scores[second].to_numpy()
        shared = ~(np.isnan(x) | np.isnan(y))
        return x[shared], y[shared]

    @property
    def counted(self) -> result.Units:
        """Number of data sets with at least two results."""
        return result.Units(n=self.omnibus.n, noun="data set")

    @property
    def first_test(self) -> result.OmnibusTest:
        """Skillings-Mack test of all algorithms."""
        return result.OmnibusTest(name="Skillings-Mack", outcome=self.omnibus)

    def attainable(self, n: int) -> float:
        """Return the smallest adjusted p-value attainable by a pair that shares n data sets."""
        pairs = 1 if self.settings.correction == "none" else comb(len(self.order), 2)
        return min(1.0, pairs * 2.0 ** (1 - n))

    @property
    def _bounding_units(self) -> result.Units:
        """Largest number of data sets shared by a pair."""
        return result.Units(n=self.raw.n, noun="shared data set")

    def again(self, inputs: result.Inputs) -> result.Comparison:
        """Return the comparison recomputed from other inputs."""
        return compare_present(inputs)

    @property
    def test_name(self) -> str:
        """Name of the pairwise tests and of their correction."""
        return shared_test(self.settings, Reason.SHARED_DATA_SETS).description

    @property
    @cached
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """The Skillings-Mack test and the pairwise tests on shared data sets."""
        omnibus = datasets.omnibus_test("skillings_mack", self.omnibus.warnings)
        is_default = self.settings.source == "wilcoxon"
        reason = Reason.SHARED_DATA_SETS if is_default else Reason.REQUESTED
        return (omnibus, shared_test(self.settings, reason))

    @property
    def ordered_by(self) -> result.Standing:
        """Average ranks among the algorithms present, by which the algorithms are ordered."""
        return datasets.by_rank(self.standing["average rank"], self.settings.measure)

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return labelled settings: one per other applicable correction, and one with the other pairwise test."""
        current = self.settings
        applicable = {key: name for key, name in CORRECTIONS.items() if key in _SUITABLE}
        other: Source = "sign" if current.source == "wilcoxon" else "wilcoxon"
        other_source = (f"p from {SOURCES[other]}", replace(current, source=other))
        return [*datasets.other_corrections(current, applicable), other_source]

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on the omnibus test, pairs without shared data sets, identical or mostly equal pairs, and choices."""
        names = self.order
        strangers = tuple(
            f"{first} and {second}"
            for i, first in enumerate(names)
            for second in names[i + 1 :]
            if not self.raw.shared.loc[first, second]
        )
        not_shared = [message("pairs share nothing", pairs=strangers)] if strangers else []
        identical = (*result.same_notes(self), *result.mostly_equal_note(self))
        return (*self.omnibus.warnings, *not_shared, *identical, *self.results.choices)


def compare_present(inputs: result.Inputs) -> PresentComparison:
    """Return the comparison of all pairs on their shared data sets; MissingCells if an algorithm shares none."""
    inputs = _with_tests_that_apply(inputs)
    settings, scores = inputs.settings, inputs.scores
    direction = {"higher_is_better": inputs.higher_is_better}
    omnibus = skillings_mack(scores, **direction)
    standing = present_ranks(omnibus.ranks, scores)
    if unmatched := list(standing.index[standing["average rank"].isna()]):
        raise MissingCells.of("nothing shared", names=unmatched)
    raw = present_pairs(scores, settings.source, **direction)
    return PresentComparison(
        inputs=inputs,
        omnibus=omnibus,
        standing=standing,
        raw=raw,
        adjusted=adjust.adjust_pairs(raw.pvalues, settings.correction),
    )


def _with_tests_that_apply(inputs: result.Inputs) -> result.Inputs:
    """Return the inputs; a source or correction unusable with missing results is replaced, with a note."""
    settings, results = inputs.settings, inputs.results
    used = replace(
        settings,
        source="wilcoxon" if settings.source == "ranks" else settings.source,
        correction=settings.correction if settings.correction in _SUITABLE else "holm",
    )
    if used == settings:
        return inputs
    complete = datasets.pairwise_test(inputs, *inputs.scores.shape)
    names = {
        "asked": complete.description,
        "used": shared_test(used, Reason.SHARED_DATA_SETS).description,
    }
    requested = {"source": settings.source, "correction": settings.correction}
    note = message("tests of those present", **names, **requested)
    results = replace(results, choices=(*results.choices, note))
    return replace(inputs, settings=used, results=results)


def shared_test(settings: Settings, reason: Reason) -> PlannedTest:
    """Return the planned pairwise test on shared data sets."""
    method = pair_method(settings.source)
    assert method is not None  # ranks on different data sets are not compared
    return PlannedTest(
        role=Role.PAIRWISE,
        card=method.card,
        label=f"shared_{settings.source}",
        method=method,
        correction=settings.correction,
        unit=Unit.DATA_SET,
        population="data sets",
        reason=reason,
    )


def check_present(results: Results, settings: Settings) -> None:
    """Raise MissingCells or DesignError if missing results rule out the comparison requested by the settings."""
    measures = settings.measures or (settings.measure,)
    missing = next(filter(None, (count_missing(results, name) for name in measures)), None)
    folds = len(results.datasets) == 1
    if missing is None or (folds and len(results.algorithms) < 3 and not settings.measures):
        return
    if settings.control:
        raise MissingCells.of("control incomplete", control=settings.control, missing=missing)
    if settings.measures or settings.thresholds:
        raise MissingCells.of("measures incomplete", missing=missing)
    if folds:
        raise MissingCells.of("several on folds incomplete", missing=missing)
    if len(results.algorithms) == 2 and len(results.datasets) - missing.datasets < 2:
        raise DesignError.of("few shared data sets", missing=missing)
