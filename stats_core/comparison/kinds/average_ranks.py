"""Comparison of three or more algorithms over data sets by average ranks and pairwise tests."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from stats_core.comparison.advice import Advice
from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.cited_text import (
    CitedText,
    adjustment_text,
    cite_source,
    cite_test,
    critical,
    error_control_text,
    ranking_text,
)
from stats_core.comparison.detectable_inputs import DetectableInput, RankDetectableInput, all_pairs
from stats_core.comparison.effect_text import interval_methods
from stats_core.comparison.identical_pairs import instead_of_interval, mostly_equal_note, same_notes
from stats_core.comparison.intervals import Intervals, hodges_lehmann_intervals
from stats_core.comparison.kinds.ranks_base import (
    by_rank,
    correction_with_source,
    difference_label,
    gap_by_source,
    guaranteed,
    intervals_by_source,
    more_needed,
    other_corrections,
    other_sources,
    other_test_messages,
    own_tests,
    rank_tests,
    weak_control,
)
from stats_core.comparison.kinds.symmetry_checks import not_symmetric, symmetry_of
from stats_core.comparison.performance_values import Standing
from stats_core.comparison.plan_steps import IRSOY, Step, all_ranks, averages, groups, joined
from stats_core.comparison.resample_datasets import resampled_scores
from stats_core.comparison.result import (
    AT_EVERY_LEVEL,
    Comparison,
    ErrorControl,
    OmnibusTest,
    SmallestPValue,
    Units,
    cached_method,
)
from stats_core.core.errors import MissingCells
from stats_core.core.formatting import format_count
from stats_core.core.messages import Message, message
from stats_core.core.result_types import PairwiseResult, labeled_matrix
from stats_core.core.significance import significant
from stats_core.data.missing import LEAVE_HOLES
from stats_core.data.missing_counts import count_holes
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.corrections import (
    CORRECTIONS,
    adjust_by_nearest,
    fallback_message,
    usable_correction,
)
from stats_core.inference.pair_intervals import SIMULTANEOUS
from stats_core.inference.pairwise import count_wins, smallest_pvalue
from stats_core.inference.ranks import (
    RankTestResult,
    as_iman_davenport,
    critical_difference,
    friedman,
    nemenyi,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class RanksComparison(Comparison):
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
    ordered_by_ranks: ClassVar[bool] = True
    friedman: RankTestResult
    omnibus: RankTestResult
    raw: PairwiseResult
    adjusted: pd.DataFrame
    wins: pd.DataFrame
    ties: pd.DataFrame
    critical_difference: float | None
    smallest_pvalue: float

    @property
    @cached_method
    def order(self) -> list[str]:
        """Algorithms from best to worst average rank."""
        return list(self.friedman.average_ranks.sort_values(kind="stable").index)

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
        """Return one row per pair with its test, without estimate and interval."""
        labels, ranks = pd.Index(self.order), self.friedman.average_ranks
        rows, columns = np.triu_indices(len(labels), 1)

        def upper(matrix: pd.DataFrame) -> np.ndarray:
            places = matrix.index.get_indexer(labels)
            return matrix.to_numpy()[places[rows], places[columns]]

        sorted_ranks = ranks[labels].to_numpy()
        names, adjusted = labels.to_numpy(dtype=object), upper(self.adjusted)
        table = pd.DataFrame(
            {
                "first": names[rows],
                "second": names[columns],
                "statistic": upper(self.raw.statistics),
                "p": upper(self.raw.pvalues),
                "p adjusted": adjusted,
                "separated": significant(adjusted, self.settings.alpha),
                "rank gap": sorted_ranks[columns] - sorted_ranks[rows],
                "wins": upper(self.wins),
                "ties": upper(self.ties),
                "losses": upper(self.wins.T),
            }
        )
        return table.sort_values(["p adjusted", "p"], kind="stable", ignore_index=True)

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
        """Return rows of `tested` with the estimate and interval of each pair added."""
        intervals = intervals_by_source(
            self,
            pairs=list(zip(rows["first"], rows["second"], strict=True)),
            p=rows["p"].to_numpy(),
            adjusted=rows["p adjusted"].to_numpy(),
            statistics=rows["statistic"].to_numpy(),
            family=len(self.tested()),
            selected=int(self.tested()["separated"].sum()),
        ).set_axis(rows.index)
        return pd.concat([rows.iloc[:, :2], intervals, rows.iloc[:, 2:]], axis=1)

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
            critical_difference=cd and critical_difference(*self._sizes, alpha),
        )
        comparison.__dict__[AT_EVERY_LEVEL] = self.__dict__.setdefault(AT_EVERY_LEVEL, {})
        return comparison

    @property
    def _sizes(self) -> tuple[int, int]:
        return len(self.order), self.friedman.n

    def intervals(self, alpha: float) -> Intervals:
        """Return the Hodges-Lehmann intervals, whichever test decides."""
        return hodges_lehmann_intervals(self.scores, self.details(), self.each(alpha))

    def differing(self) -> list[tuple[str, str]]:
        """Return the pairs that differ, without building `details`, so that it is fast."""
        order, limit = self.order, self.settings.alpha
        position_of = {name: i for i, name in enumerate(self.adjusted.index)}
        positions = [position_of[name] for name in order]
        adjusted = np.triu(self.adjusted.to_numpy()[np.ix_(positions, positions)], 1)
        adjusted[np.tril_indices(len(order))] = np.inf
        raw = self.raw.pvalues.to_numpy()[np.ix_(positions, positions)]
        first, second = np.nonzero(significant(adjusted, limit))
        by_size = np.lexsort((raw[first, second], adjusted[first, second]))
        return [(order[i], order[j]) for i, j in zip(first[by_size], second[by_size], strict=True)]

    @property
    def paired_results(self) -> pd.DataFrame:
        """Averages over runs, data set x algorithm."""
        return self.scores

    def unsized(self, first: str, second: str) -> str:
        """Return why a pair has no interval: identical results or mostly zero differences."""
        return instead_of_interval(self, first, second)

    @property
    def counted(self) -> Units:
        """Number of data sets."""
        return Units(n=self.friedman.n, noun="data set")

    @property
    def scope(self) -> str:
        """Population the conclusion generalizes to: other data sets."""
        return "data sets"

    @property
    def first_test(self) -> OmnibusTest:
        """The Iman-Davenport F test of all algorithms at once."""
        return OmnibusTest(name="Iman-Davenport", outcome=self.omnibus)

    @property
    def least(self) -> SmallestPValue:
        """Smallest p-value attainable by an algorithm that wins on every data set."""
        n, k, settings = self.friedman.n, len(self.order), self.settings
        sizes = range(n + 1, 1000)
        enough = (
            size
            for size in sizes
            if significant(smallest_pvalue(k, size, settings), settings.alpha)
        )
        return SmallestPValue(
            pvalue=self.smallest_pvalue,
            counted=self.counted,
            needed=next(enough, None)
            if not significant(self.smallest_pvalue, settings.alpha)
            else None,
            extreme=f"Even if {self.order[0]} won every one",
            test=self.post,
        )

    @property
    def guarantee(self) -> ErrorControl:
        """Error rate that alpha bounds over all pairs; see `guaranteed`."""
        return guaranteed(self.settings, len(self.order) * (len(self.order) - 1) // 2)

    @property
    def first_said(self) -> str:
        """Number of data sets that pairwise tests would need, if there are fewer."""
        return more_needed(self.settings, len(self.order), self.friedman.n)

    @property
    def where(self) -> str:
        """Phrase that names the measure."""
        return f"on {self.settings.measure}"

    @property
    def post(self) -> str:
        """Name of the correction and of the source of the p-values."""
        return correction_with_source(CORRECTIONS, self.settings)

    @property
    def tops(self) -> str:
        """Predicate of the headline for the algorithm with the best average rank."""
        return "has the best average rank"

    @property
    def simultaneous(self) -> bool:
        """Whether the intervals are simultaneous, as those of Nemenyi and Bonferroni are."""
        return self.settings.correction in SIMULTANEOUS

    @property
    def effect(self) -> str:
        """Label of the estimate that matches the pairwise test, in the units of the measure."""
        return difference_label(self.settings)

    @property
    def units(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(map(str, self.scores.index))

    def resampled(self, places: np.ndarray, columns: np.ndarray | None = None) -> Comparison:
        """Return the comparison on resampled data sets, ranked and tested again."""
        return resampled_scores(self, compare_ranks, places, columns)

    @property
    def ordered_by(self) -> Standing:
        """Average ranks, which order the algorithms."""
        return by_rank(self.friedman.average_ranks, self.settings.measure)

    def sizes(self, near: Sequence[str]) -> str:
        """Return a sentence with the range of average ranks."""
        return f"Average ranks from {self.ordered_by.range} over {self.counted}."

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

    def steps(self) -> list[Step]:
        """Return the analysis steps for algorithms over data sets (scenario 4, Irsoy et al.)."""
        card = method_card(self.settings.correction)
        papers = (
            "The thesis takes the sign test of wins with Bonferroni, with Nemenyi's test beside it."
        )
        if self.settings.correction != "nemenyi":
            papers = f"{IRSOY} take Nemenyi's test, which finds less. {papers}"
        pairs = Step(
            question="Which pairs differ?",
            test=self.post,
            why=card.why,
            reference=card.reference,
            papers=papers,
            fails=self.cannot() or joined(not_symmetric(self.symmetry())),
            advised=True,
        )
        first = all_ranks(joined(self.omnibus.warnings))
        return [averages(self.results), first, pairs, groups()]

    def methods(self) -> Iterable[CitedText]:
        """Yield the text that describes ranks, omnibus test and pairwise tests."""
        settings, pairs = self.settings, format_count(self.guarantee.comparisons, "pair")
        yield from ranking_text()
        if settings.correction == "nemenyi":
            yield cite_test(f" The {pairs} of algorithms were then compared by", "nemenyi")
            yield critical(self.critical_difference or 0.0)
            yield error_control_text(settings.alpha, self.guarantee.bounds)
            return
        yield cite_source(f" The {pairs} of algorithms were then compared", settings.source)
        yield from adjustment_text(
            settings.correction, settings.alpha, self.guarantee.bounds, source=settings.source
        )
        yield from interval_methods(self)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Warnings of the omnibus test, pairs tested against their ranks, choices."""
        return (
            *weak_control(self.guarantee),
            *self.omnibus.warnings,
            *not_symmetric(self.symmetry()),
            *same_notes(self),
            *mostly_equal_note(self),
            *self._against_ranks(),
            *self._beside,
            *self.results.choices,
        )

    @cached_method
    def symmetry(self) -> pd.DataFrame | None:
        """Return symmetry checks of the paired differences; None unless Wilcoxon tests are used."""
        if self.settings.source != "wilcoxon":
            return None
        return symmetry_of(self.scores, combinations(self.order, 2))

    @property
    @cached_method
    def _beside(self) -> tuple[Message, ...]:
        return other_test_messages(self, CORRECTIONS, self._separated_by)

    def _separated_by(self, raw: PairwiseResult, settings: Settings) -> tuple[int, int]:
        """Return the number of pairs that another test separates, and the number of pairs."""
        adjusted = adjust_ranks(self.friedman, raw, settings).to_numpy()
        rows, columns = np.triu_indices(len(adjusted), 1)
        return int(significant(adjusted[rows, columns], settings.alpha).sum()), len(rows)

    def _against_ranks(self) -> list[Message]:
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


def ranks_and_pairs(common: dict, raw: PairwiseResult | None = None) -> dict:
    """Return omnibus tests, unadjusted pairwise tests, wins and ties as keyword arguments."""
    settings, scores = common["settings"], common["scores"]
    check_holes(common["results"], scores, settings.measure)
    direction = {"higher_is_better": common["higher_is_better"]}
    missing: Literal["worst", "refuse"] = (
        "worst" if common["results"].failures == "worst rank" else "refuse"
    )
    rank_test = friedman(scores, missing=missing, **direction)
    wins, ties = count_wins(scores, **direction)
    return {
        "friedman": rank_test,
        "omnibus": as_iman_davenport(rank_test),
        "raw": raw
        or (
            rank_tests(rank_test, settings.correction)
            if settings.source == "ranks"
            else own_tests(common)
        ),
        "wins": wins,
        "ties": ties,
    }


def compare_ranks(common: dict, raw: PairwiseResult | None = None) -> RanksComparison:
    """Rank algorithms over data sets and test all pairs; `raw` if already computed."""
    common = with_usable_correction(common)
    settings = common["settings"]
    tests = ranks_and_pairs(common, raw)
    adjusted = adjust_ranks(tests["friedman"], tests["raw"], settings)
    common = with_usable_correction(common, adjusted)
    settings = common["settings"]
    n, k = tests["friedman"].ranks.shape
    return RanksComparison(
        **common,
        **tests,
        adjusted=adjusted,
        critical_difference=(
            critical_difference(k, n, settings.alpha) if settings.correction == "nemenyi" else None
        ),
        smallest_pvalue=smallest_pvalue(k, n, settings),
    )


def with_usable_correction(common: dict, adjusted: pd.DataFrame | None = None) -> dict:
    """Replace a correction that is not possible here by the nearest one, with a note.

    Only the adjusted p-values show whether the search of Bergmann-Hommel was finished.
    """
    settings, results = common["settings"], common["results"]
    options = {"k": len(results.algorithms), "source": settings.source}
    used = usable_correction(settings.correction, **options)
    if adjusted is not None:
        used = adjusted.attrs.get("correction", used)
    note = fallback_message(settings.correction, **options, used=used)
    if note is None:
        return common
    return {
        **common,
        "settings": replace(settings, correction=used),
        "results": replace(results, choices=(*results.choices, note)),
    }


def adjust_ranks(
    rank_test: RankTestResult, raw: PairwiseResult, settings: Settings
) -> pd.DataFrame:
    """Return the p-values of all pairs, adjusted by the correction of the settings."""
    if settings.correction == "nemenyi":
        return nemenyi(rank_test.average_ranks, rank_test.n).pvalues
    ranks = rank_test.average_ranks if settings.source == "ranks" else None
    return adjust_by_nearest(raw.pvalues, settings.correction, average_ranks=ranks)
