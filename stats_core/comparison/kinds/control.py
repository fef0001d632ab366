"""Comparison of all algorithms with a control, over data sets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.detectable_inputs import (
    DetectableInput,
    RankDetectableInput,
    UnknownDetectableInput,
    against_control,
)
from stats_core.comparison.kinds.average_ranks import ranks_and_pairs
from stats_core.comparison.kinds.datasets_base import (
    RankedOnDatasets,
    gap_by_source,
    guaranteed,
    intervals_by_source,
    other_corrections,
    other_sources,
)
from stats_core.comparison.pairs_frame import differing_pairs, pairs_frame
from stats_core.comparison.result import (
    Comparison,
    ErrorControl,
    Inputs,
    Shape,
    SmallestPValue,
    cached_method,
)
from stats_core.core.errors import DesignError
from stats_core.core.result_types import PairwiseResult, labeled_matrix
from stats_core.core.significance import significant
from stats_core.core.validation import check_probability, check_sizes
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.adjust import adjust_control
from stats_core.inference.multiplicity.corrections import CONTROL_CORRECTIONS
from stats_core.inference.pairwise import smallest_control_pvalue

_LI_IN_STEPS = (
    "By Li's procedure the level of one comparison depends on the largest p-value, which goes in "
    "steps by this test and is often 1, so that nothing can be found."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class ControlComparison(RankedOnDatasets):
    """Two or more algorithms against a control, over two or more data sets.

    Attributes
    ----------
    control : str
        The algorithm all others are compared with.
    statistics : Series by algorithm
        The statistic of each comparison; positive where the average rank of the other is larger
        (worse), where p comes from ranks.
    raw, adjusted : Series by algorithm
        p-values before and after the correction over the k - 1 comparisons.
    wins, ties, losses : Series by algorithm
        Data sets on which the other beats, ties with, or loses to the control.
    """

    kind: ClassVar[str] = "control"
    shape = Shape(ranks=True, control=True)
    claim: ClassVar[str] = "sides"
    corrections: ClassVar[Mapping[str, str]] = CONTROL_CORRECTIONS
    control: str
    statistics: pd.Series
    raw: pd.Series
    adjusted: pd.Series
    wins: pd.Series
    ties: pd.Series
    losses: pd.Series

    @property
    def others(self) -> list[str]:
        """All algorithms but the control, best rank first."""
        return [name for name in self.order if name != self.control]

    def sides(self) -> tuple[list[str], list[str], list[str]]:
        """Return the algorithms better than the control, worse, and not separated from it."""
        ahead, differs = self._ahead() > 0, significant(self.adjusted, self.settings.alpha)
        others = self.others
        better = [name for name in others if differs[name] and ahead[name]]
        worse = [name for name in others if differs[name] and not ahead[name]]
        return better, worse, [name for name in others if not differs[name]]

    def _ahead(self) -> pd.Series:
        """Return a value per algorithm that is positive where it is ahead of the control."""
        if self.settings.source == "ranks":
            return self.friedman.average_ranks[self.control] - self.friedman.average_ranks
        return self.statistics * (1 if self.higher_is_better else -1)

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return one row per algorithm but the control, smallest adjusted p on top.

        Columns: those of `pairs`, where the second is the control and the estimate the median
        difference of the measure, other minus control, with the interval of the test that decides
        (`pair_intervals`); then the difference of average ranks, control minus other, so positive
        where the other is better, wins, ties, losses (of the other), verdict.
        """
        better, worse, _ = self.sides()
        names, ranks = self.others, self.friedman.average_ranks
        statistics, p, adjusted = (
            values[names].to_numpy() for values in (self.statistics, self.raw, self.adjusted)
        )
        pairs = [(name, self.control) for name in names]
        intervals = intervals_by_source(
            self, pairs=pairs, p=p, adjusted=adjusted, statistics=statistics
        )
        verdicts = {**dict.fromkeys(better, "better"), **dict.fromkeys(worse, "worse")}
        columns = {
            **{name: intervals[name].to_numpy() for name in intervals},
            "statistic": statistics,
            "p": p,
            "p adjusted": adjusted,
            "rank gap": (ranks[self.control] - ranks[names]).to_numpy(),
            "wins": self.wins[names].to_numpy(),
            "ties": self.ties[names].to_numpy(),
            "losses": self.losses[names].to_numpy(),
            "verdict": [verdicts.get(name, "not separated") for name in names],
        }
        return pairs_frame(names, [self.control] * len(names), columns, self.settings.alpha)

    def differing(self) -> list[tuple[str, str]]:
        """Return the pairs that differ, without building `details`, so that it is fast."""
        first, second = np.array([(name, self.control) for name in self.others], dtype=object).T
        adjusted, p = (values[first].to_numpy() for values in (self.adjusted, self.raw))
        return differing_pairs(first, second, adjusted, p, self.settings.alpha)

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row is significantly better than the column; one of them is the control."""
        better, worse, _ = self.sides()
        control = np.array([name == self.control for name in self.order])
        beaten = np.outer([name in better for name in self.order], control)
        beaten |= np.outer(control, [name in worse for name in self.order])
        return labeled_matrix(beaten, self.order)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """No groups, since the others are not compared with each other."""
        return ()

    @property
    def least(self) -> SmallestPValue:
        """Smallest p-value attainable if one algorithm always differs from the control."""
        k = len(self.order)
        return self.least_by(
            self.smallest_pvalue,
            lambda n: smallest_control_pvalue(k, n, self.settings),
            f"one differed from {self.control} as much as it can",
        )

    @property
    def guarantee(self) -> ErrorControl:
        """Error rate that alpha bounds over the comparisons with the control; see `guaranteed`."""
        return guaranteed(self.settings, len(self.adjusted))

    @property
    def where(self) -> str:
        """Phrase that names the control."""
        return f"against {self.control}"

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return settings with other corrections and other sources of the p-values."""
        now = self.settings
        return other_corrections(now, CONTROL_CORRECTIONS) + other_sources(now, self.scores)

    def gap(self) -> DetectableInput:
        """Return the input for the smallest detectable difference of ranks or of the measure."""
        k, settings = len(self.order), self.settings
        family = against_control(self.control, k, settings.alpha, settings.correction)
        if settings.source == "ranks":
            exact = settings.correction != "bonferroni_dunn"
            return RankDetectableInput(
                family=family, k=k, n=self.friedman.n, alpha=settings.alpha, exact=exact
            )
        if settings.correction == "li":
            return UnknownDetectableInput(family=family, reason=_LI_IN_STEPS)
        return gap_by_source(self, family, self.compared_pairs())

    def compared_pairs(self) -> Iterable[tuple[str, str]]:
        """Return every other algorithm with the control."""
        return [(name, self.control) for name in self.adjusted.index]

    def n_separated_by(self, raw: PairwiseResult, settings: Settings) -> tuple[int, int]:
        """Return the number of comparisons that another test separates, and their number."""
        adjusted = adjust_control(
            raw.pvalues.loc[self.control, self.raw.index], settings.correction
        )
        return int(significant(adjusted, settings.alpha).sum()), len(adjusted)

    def again(self, inputs: Inputs) -> Comparison:
        """Return the comparison of other inputs, ranked and tested again."""
        return compare_control(inputs)


def compare_control(inputs: Inputs) -> ControlComparison:
    """Rank several algorithms over data sets and test each against the control."""
    settings = inputs.settings
    control = settings.control
    if control not in inputs.results.algorithms:
        raise DesignError(
            f'The control must be among the algorithms compared. "{control}" is left out. '
            "Take it back in, or choose another control."
        )
    tests = ranks_and_pairs(inputs)
    names = tests["raw"].pvalues.index
    control_position, others = names.get_loc(control), names[names != control]

    def against(matrix: pd.DataFrame) -> pd.Series:
        """Return the column of the control without the control itself."""
        return pd.Series(
            np.delete(matrix.to_numpy()[:, control_position], control_position),
            index=others,
            name=control,
        )

    raw = against(tests["raw"].pvalues)
    n, k = tests["friedman"].ranks.shape
    dunn = settings.correction == "bonferroni_dunn" and settings.source == "ranks"
    return ControlComparison(
        **vars(inputs),
        control=control,
        friedman=tests["friedman"],
        omnibus=tests["omnibus"],
        statistics=against(tests["raw"].statistics),
        raw=raw,
        adjusted=adjust_control(raw, settings.correction),
        wins=against(tests["wins"]),
        ties=against(tests["ties"]),
        losses=against(tests["wins"].T),
        critical_difference=dunn_difference(k, n, settings.alpha) if dunn else None,
        smallest_pvalue=smallest_control_pvalue(k, n, settings),
    )


def dunn_difference(k: int, n: int, alpha: float) -> float:
    """By how much must an average rank differ from the control's (Bonferroni-Dunn)?

    References
    ----------
    Dunn 1961; Demsar, JMLR 7 (2006), section 3.2.2 and Table 5(b).

    Examples
    --------
    Demsar's example, 4 algorithms on 14 data sets at 0.10 ("2.128 ... = 1.04" in section 3.2.2):

    >>> round(dunn_difference(4, 14, 0.10), 2)
    1.04
    """
    check_probability(alpha, "alpha")
    check_sizes(k, n)
    z = float(stats.norm.isf(alpha / (2 * (k - 1))))
    return z * sqrt(k * (k + 1) / (6 * n))
