"""Comparison of three or more algorithms over data sets by average ranks and pairwise tests."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from stats_core.comparison.advice import Advice
from stats_core.comparison.detectable_inputs import DetectableInput, RankDetectableInput, all_pairs
from stats_core.comparison.kinds.datasets_base import (
    RankedOnDatasets,
    gap_by_source,
    intervals_by_source,
    other_corrections,
    other_sources,
    own_tests,
    rank_tests,
)
from stats_core.comparison.pairs_frame import (
    differing_pairs,
    ordered_pairs,
    pair_values,
    pairs_frame,
)
from stats_core.comparison.result import (
    AT_EVERY_LEVEL,
    Comparison,
    Inputs,
    Shape,
    SmallestPValue,
    cached_method,
)
from stats_core.core.errors import MissingCells
from stats_core.core.messages import Message, message
from stats_core.core.result_types import PairwiseResult, labeled_matrix
from stats_core.core.significance import significant
from stats_core.data.missing import LEAVE_HOLES, count_holes
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.corrections import (
    CORRECTIONS,
    adjust_by_nearest,
    fallback_message,
    usable_correction,
)
from stats_core.inference.pairwise import count_wins, smallest_pvalue
from stats_core.inference.ranks import (
    RankTestResult,
    as_iman_davenport,
    critical_difference,
    friedman,
    nemenyi,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class RanksComparison(RankedOnDatasets):
    """Three or more algorithms over two or more data sets.

    Attributes
    ----------
    friedman, omnibus : RankTestResult
        Friedman's chi-square and the Iman-Davenport F that decides.
    raw : PairwiseResult
        The tests of all pairs, unadjusted.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    wins, ties : DataFrame, algorithm x algorithm
        Data sets on which the row beats, or ties with, the column.
    critical_difference : float or None
        The one gap that separates two average ranks; only Nemenyi has one.
    smallest_pvalue : float
        The smallest adjusted p-value any pair could reach with this many data sets.
    """

    kind: ClassVar[str] = "ranks"
    shape = Shape(ranks=True)
    raw: PairwiseResult
    adjusted: pd.DataFrame
    wins: pd.DataFrame
    ties: pd.DataFrame

    def separated(self, first: str, second: str) -> bool:
        """Return whether two algorithms differ at the chosen significance level."""
        return significant(self.adjusted.loc[first, second], self.settings.alpha)

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm is significantly better than the column, by their test.

        With Wilcoxon and sign tests, the better algorithm can have the worse average rank.
        """
        if self.settings.source == "ranks":
            ranks = self.friedman.average_ranks[self.adjusted.index].to_numpy()
            ahead = ranks[None, :] - ranks[:, None]
        else:
            names, sign = self.adjusted.index, 1 if self.higher_is_better else -1
            statistics = self.raw.statistics
            statistics = (
                statistics if statistics.index.equals(names) else statistics.loc[names, names]
            )
            ahead = sign * statistics.to_numpy()
        better = significant(self.adjusted.to_numpy(), self.settings.alpha) & (ahead > 0)
        return labeled_matrix(better, self.adjusted.index)

    @cached_method
    def tested(self) -> pd.DataFrame:
        """Return one row per pair with its test; estimate and interval are NaN."""
        order, ranks = self.order, self.friedman.average_ranks
        first, second = ordered_pairs(order)
        columns = {
            "statistic": pair_values(self.raw.statistics, order),
            "p": pair_values(self.raw.pvalues, order),
            "p adjusted": pair_values(self.adjusted, order),
            "rank gap": ranks[second].to_numpy() - ranks[first].to_numpy(),
            "wins": pair_values(self.wins, order),
            "ties": pair_values(self.ties, order),
            "losses": pair_values(self.wins.T, order),
        }
        return pairs_frame(first, second, columns, self.settings.alpha)

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return one row per pair, the better ranked first, smallest adjusted p on top.

        Columns: those of `pairs`, where the estimate is the median difference of the measure,
        first minus second, with the interval of the test that decides (`pair_intervals`); then
        the difference of average ranks, second minus first, so at least 0, and wins, ties, losses
        (of the first).
        """
        return self._with_intervals(self.tested())

    def detailed(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of `details` for some rows of `tested`, computing no other intervals."""
        if "kept details" in self.__dict__ or len(rows) == len(self.tested()):
            return self.details().loc[rows.index]
        return self._with_intervals(rows)

    def _with_intervals(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows of `tested` with the estimate and interval of each pair."""
        intervals = intervals_by_source(
            self,
            pairs=list(zip(rows["first"], rows["second"], strict=True)),
            p=rows["p"].to_numpy(),
            adjusted=rows["p adjusted"].to_numpy(),
            statistics=rows["statistic"].to_numpy(),
            family=len(self.tested()),
            selected=int(self.tested()["separated"].sum()),
        )
        return rows.assign(**{name: intervals[name].to_numpy() for name in intervals})

    def sized(self, first: str, second: str) -> pd.Series:
        """Return the row of one pair, computing no other intervals."""
        rows = self.tested()
        row = rows[rows["first"].isin((first, second)) & rows["second"].isin((first, second))]
        return self.detailed(row).iloc[0]

    def at_level(self, alpha: float, advice: Advice) -> "RanksComparison":
        """Return the same comparison at another significance level."""
        cd = self.critical_difference
        comparison = replace(
            self,
            settings=replace(self.settings, alpha=alpha),
            advice=advice,
            critical_difference=cd and critical_difference(len(self.order), self.friedman.n, alpha),
        )
        comparison.__dict__[AT_EVERY_LEVEL] = self.__dict__.setdefault(AT_EVERY_LEVEL, {})
        return comparison

    def differing(self) -> list[tuple[str, str]]:
        """Return the pairs that differ, without building `details`, so that it is fast."""
        order = self.order
        adjusted, p = pair_values(self.adjusted, order), pair_values(self.raw.pvalues, order)
        return differing_pairs(*ordered_pairs(order), adjusted, p, self.settings.alpha)

    @property
    def least(self) -> SmallestPValue:
        """Smallest p-value attainable by an algorithm that wins on every data set."""
        k = len(self.order)
        return self.least_by(
            self.smallest_pvalue,
            lambda n: smallest_pvalue(k, n, self.settings),
            f"{self.order[0]} won every one",
        )

    def again(self, inputs: Inputs) -> Comparison:
        """Return the comparison of other inputs, ranked and tested again."""
        return compare_ranks(inputs)

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return settings with other corrections and other sources of the p-values."""
        now = self.settings
        base_settings = replace(now, correction="holm") if now.correction == "nemenyi" else now
        return other_corrections(now, CORRECTIONS) + other_sources(base_settings, self.scores)

    def gap(self) -> DetectableInput:
        """Return the input for the smallest detectable difference of ranks or of the measure."""
        settings = self.settings
        family = all_pairs(len(self.order), settings.alpha, settings.correction)
        if settings.source != "ranks":
            return gap_by_source(self, family, combinations(self.scores.columns, 2))
        return RankDetectableInput(
            family=family,
            k=len(self.order),
            n=self.friedman.n,
            alpha=settings.alpha,
            critical=self.critical_difference,
        )

    def compared_pairs(self) -> Iterable[tuple[str, str]]:
        """Return all pairs."""
        return combinations(self.order, 2)

    def n_separated_by(self, raw: PairwiseResult, settings: Settings) -> tuple[int, int]:
        """Return the number of pairs that another test separates, and the number of pairs."""
        adjusted = pair_values(adjust_ranks(self.friedman, raw, settings), self.order)
        return int(significant(adjusted, settings.alpha).sum()), len(adjusted)

    def against_ranks(self) -> list[Message]:
        """Return a note on pairs whose test puts the worse ranked first."""
        names = list(self.order)
        ranks = self.friedman.average_ranks[names].to_numpy()
        positions = self.adjusted.index.get_indexer(names)
        beats = self.beats.to_numpy()[np.ix_(positions, positions)]
        against = [
            f"{names[first]} before {names[second]}"
            for first, second in np.argwhere(beats & (ranks[:, None] >= ranks))
        ]
        if not against:
            return []
        return [message("against the ranks", source=self.settings.source, pairs=tuple(against))]


def check_holes(results: Results, scores: pd.DataFrame, measure: str) -> None:
    """Raise MissingCells if averages are missing and no choice about them was made."""
    if scores.isna().to_numpy().any() and results.failures not in LEAVE_HOLES:
        raise MissingCells(
            f"Every algorithm needs a result on every data set. {count_holes(results, measure)}.",
            "choose what to do with the missing cells first",
        )


def ranks_and_pairs(inputs: Inputs, raw: PairwiseResult | None = None) -> dict[str, Any]:
    """Return omnibus tests, unadjusted pairwise tests, wins and ties as keyword arguments."""
    settings, scores, results = inputs.settings, inputs.scores, inputs.results
    check_holes(results, scores, settings.measure)
    missing: Literal["worst", "refuse"] = "worst" if results.failures == "worst rank" else "refuse"
    rank_test = friedman(scores, missing=missing, higher_is_better=inputs.higher_is_better)
    wins, ties = count_wins(scores, higher_is_better=inputs.higher_is_better)
    if raw is None and settings.source == "ranks":
        raw = rank_tests(rank_test, settings.correction)
    return {
        "friedman": rank_test,
        "omnibus": as_iman_davenport(rank_test),
        "raw": raw or own_tests(inputs),
        "wins": wins,
        "ties": ties,
    }


def compare_ranks(inputs: Inputs, raw: PairwiseResult | None = None) -> RanksComparison:
    """Rank algorithms over data sets and test all pairs; `raw` if already computed."""
    inputs = with_usable_correction(inputs)
    tests = ranks_and_pairs(inputs, raw)
    adjusted = adjust_ranks(tests["friedman"], tests["raw"], inputs.settings)
    inputs = with_usable_correction(inputs, adjusted)
    n, k = tests["friedman"].ranks.shape
    return RanksComparison(
        **vars(inputs),
        **tests,
        adjusted=adjusted,
        critical_difference=nemenyi_difference(k, n, inputs.settings),
        smallest_pvalue=smallest_pvalue(k, n, inputs.settings),
    )


def nemenyi_difference(k: int, n: int, settings: Settings) -> float | None:
    """Return the critical difference of average ranks; None unless Nemenyi's test decides."""
    return critical_difference(k, n, settings.alpha) if settings.correction == "nemenyi" else None


def with_usable_correction(inputs: Inputs, adjusted: pd.DataFrame | None = None) -> Inputs:
    """Replace a correction that is not possible here by the nearest one, with a note.

    Only the adjusted p-values show whether the search of Bergmann-Hommel was finished.
    """
    settings, results = inputs.settings, inputs.results
    k, requested = len(results.algorithms), settings.correction
    used = usable_correction(requested, k, source=settings.source)
    if adjusted is not None:
        used = adjusted.attrs.get("correction", used)
    note = fallback_message(requested, k, source=settings.source, used=used)
    if note is None:
        return inputs
    return replace(
        inputs,
        settings=replace(settings, correction=used),
        results=replace(results, choices=(*results.choices, note)),
    )


def adjust_ranks(
    rank_test: RankTestResult, raw: PairwiseResult, settings: Settings
) -> pd.DataFrame:
    """Return the p-values of all pairs, adjusted by the correction of the settings."""
    if settings.correction == "nemenyi":
        return nemenyi(rank_test.average_ranks, rank_test.n).pvalues
    ranks = rank_test.average_ranks if settings.source == "ranks" else None
    return adjust_by_nearest(raw.pvalues, settings.correction, average_ranks=ranks)
