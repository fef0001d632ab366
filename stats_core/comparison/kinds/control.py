"""Comparison of each algorithm with a control over data sets."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.kinds import datasets
from stats_core.comparison.kinds.datasets import RankedOnDatasets
from stats_core.comparison.pairs import Pairs, pairs_frame
from stats_core.comparison.result import Comparison, Inputs, Shape
from stats_core.core.errors import DesignError
from stats_core.core.result_types import PairwiseResult, cached, labeled_matrix
from stats_core.core.validation import check_probability, check_sizes, significant
from stats_core.data.settings import Settings
from stats_core.inference import pairwise
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.adjust import CONTROL_CORRECTIONS
from stats_core.inference.ranks import as_iman_davenport


@dataclass(frozen=True, kw_only=True, eq=False)
class ControlComparison(RankedOnDatasets):
    """Each algorithm compared with a control, over two or more data sets.

    Attributes
    ----------
    control : str
        The algorithm with which all other algorithms are compared.
    statistics : Series by algorithm
        The statistic of each comparison. If p comes from ranks, it is positive if the average rank
        of the algorithm is larger (worse) than the control's.
    raw, adjusted : Series by algorithm
        p-values before and after the correction over the k - 1 comparisons.
    wins, ties, losses : Series by algorithm
        Numbers of data sets on which the algorithm beats, ties with, or loses to the control.
    """

    kind: ClassVar[str] = "control"
    shape = Shape(ranks=True, control=True)
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
        """Return the algorithms better than the control, worse, and not significantly different, best rank first."""
        ahead, differs = self._ahead() > 0, significant(self.adjusted, self.settings.alpha)
        others = self.others
        better = [name for name in others if differs[name] and ahead[name]]
        worse = [name for name in others if differs[name] and not ahead[name]]
        return better, worse, [name for name in others if not differs[name]]

    def _ahead(self) -> pd.Series:
        """Return the effect of each algorithm relative to the control, positive if better than the control."""
        if self.settings.source == "ranks":
            return self.friedman.average_ranks[self.control] - self.friedman.average_ranks
        return self.statistics * (1 if self.higher_is_better else -1)

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row per algorithm but the control, which is second, smallest adjusted p on top.

        Columns as of `RanksComparison.pairs`, then the verdict on the first algorithm.
        """
        better, worse, _ = self.sides()
        names, ranks = self.others, self.friedman.average_ranks
        verdicts = {**dict.fromkeys(better, "better"), **dict.fromkeys(worse, "worse")}
        values = {"statistic": self.statistics, "p": self.raw, "p adjusted": self.adjusted}
        values |= {
            "rank gap": ranks[self.control] - ranks,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
        }
        columns = {name: column[names].to_numpy() for name, column in values.items()}
        columns |= {"first": names, "second": self.control}
        columns |= {"verdict": [verdicts.get(name, "no significant difference") for name in names]}
        rows = pairs_frame(names, columns, self.settings.alpha)
        return self._pairs_of(rows, measure_rows=self._with_intervals)

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm is significantly better than the column; False unless one is the control."""
        better, worse, _ = self.sides()
        control = np.array([name == self.control for name in self.order])
        beaten = np.outer([name in better for name in self.order], control)
        beaten |= np.outer(control, [name in worse for name in self.order])
        return labeled_matrix(beaten, self.order)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """No groups, (), since the other algorithms are not compared with each other."""
        return ()

    def attainable(self, n: int) -> float:
        """Return the smallest adjusted p-value attainable on n data sets."""
        return pairwise.smallest_control_pvalue(len(self.order), n, self.settings)

    @property
    def _n_comparisons(self) -> int:
        """Number of comparisons with the control."""
        return len(self.adjusted)

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return labelled settings: one per other correction, and one per other source of the p-values."""
        now = self.settings
        return datasets.other_corrections(now, CONTROL_CORRECTIONS) + datasets.other_sources(
            now, self.scores
        )

    def compared_pairs(self) -> Iterable[tuple[str, str]]:
        """Return the pairs of each other algorithm with the control, the control second."""
        return [(name, self.control) for name in self.adjusted.index]

    def _n_separated_by(self, raw: PairwiseResult, settings: Settings) -> tuple[int, int]:
        """Return how many comparisons are significant by other raw p-values, and the number of comparisons."""
        adjusted = adjust.adjust_control(
            raw.pvalues.loc[self.control, self.raw.index], settings.correction
        )
        return int(significant(adjusted, settings.alpha).sum()), len(adjusted)

    def again(self, inputs: Inputs) -> Comparison:
        """Return the comparison recomputed from other inputs."""
        return compare_control(inputs)


def compare_control(inputs: Inputs) -> ControlComparison:
    """Return the comparison of each algorithm with the control; DesignError if the control was left out."""
    settings = inputs.settings
    control = settings.control
    if control not in inputs.results.algorithms:
        raise DesignError.of("control excluded", control=control)
    rank_test, pair_tests = datasets.ranks_and_pairs(inputs)
    wins, ties = pairwise.count_wins(inputs.scores, higher_is_better=inputs.higher_is_better)
    names = pair_tests.pvalues.index
    control_position, others = names.get_loc(control), names[names != control]

    def against(matrix: pd.DataFrame) -> pd.Series:
        """Return the control's column of a matrix, without the control's own entry."""
        return pd.Series(
            np.delete(matrix.to_numpy()[:, control_position], control_position),
            index=others,
            name=control,
        )

    raw = against(pair_tests.pvalues)
    n, k = rank_test.ranks.shape
    dunn = settings.correction == "bonferroni_dunn" and settings.source == "ranks"
    return ControlComparison(
        inputs=inputs,
        control=control,
        friedman=rank_test,
        omnibus=as_iman_davenport(rank_test),
        statistics=against(pair_tests.statistics),
        raw=raw,
        adjusted=adjust.adjust_control(raw, settings.correction),
        wins=against(wins),
        ties=against(ties),
        losses=against(wins.T),
        critical_difference=dunn_difference(k, n, settings.alpha) if dunn else None,
    )


def dunn_difference(k: int, n: int, alpha: float) -> float:
    """Return the Bonferroni-Dunn critical difference of average ranks, for a control and k - 1 others on n data sets.

    It is z sqrt(k (k + 1) / (6 n)), z the upper alpha / (2 (k - 1)) point of the normal
    distribution. Raises SettingError for `alpha` outside (0, 1) or numbers that are not whole,
    DesignError for k < 2 or no data set.

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
