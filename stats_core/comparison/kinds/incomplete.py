"""Comparison of three or more algorithms over data sets with missing results."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.cards.method_card import method_card, reference_of
from stats_core.comparison.cited_text import (
    CitedText,
    adjustment_text,
    cite_source,
    cite_test,
    ending_sentence,
)
from stats_core.comparison.detectable_inputs import (
    AverageDetectableInput,
    DetectableInput,
    UnknownDetectableInput,
    all_pairs,
)
from stats_core.comparison.effect_text import interval_methods
from stats_core.comparison.identical_pairs import instead_of_interval, mostly_equal_note, same_notes
from stats_core.comparison.intervals import Intervals, hodges_lehmann_intervals
from stats_core.comparison.kinds.ranks_base import (
    by_rank,
    correction_with_source,
    difference_label,
    other_corrections,
)
from stats_core.comparison.performance_values import Standing
from stats_core.comparison.plan_steps import DEMSAR, Step, averages, groups, joined
from stats_core.comparison.resample_datasets import resampled_scores
from stats_core.comparison.result import (
    Comparison,
    ErrorControl,
    OmnibusTest,
    SmallestPValue,
    Units,
    cached_method,
)
from stats_core.core.errors import DesignError, MissingCells
from stats_core.core.formatting import format_count, join_names
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.significance import significant
from stats_core.data.missing_counts import count_holes
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
from stats_core.inference.pair_intervals import SIMULTANEOUS, error_rates
from stats_core.inference.paired import hodges_lehmann_interval, sign_interval
from stats_core.inference.paired.paired_intervals import mostly_equal

# corrections that assume no logical relations between pairs
SUITABLE = ("holm", "hommel", "hochberg", "bonferroni", "none")


@dataclass(frozen=True, kw_only=True, eq=False)
class PresentComparison(Comparison):
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
        order, tests = self.order, self.raw
        rows, columns = np.triu_indices(len(order), 1)

        def upper(matrix: pd.DataFrame) -> np.ndarray:
            return matrix.loc[order, order].to_numpy()[rows, columns]

        names = np.array(order, dtype=object)
        p, adjusted, alpha = upper(tests.pvalues), upper(self.adjusted), self.settings.alpha
        rates = np.full(len(rows), self.each(alpha))
        if not self.simultaneous:
            rates = error_rates(p, adjusted, alpha)
        sizes = [
            self._interval(*pair) for pair in zip(names[rows], names[columns], rates, strict=True)
        ]
        table = pd.DataFrame(
            {
                "first": names[rows],
                "second": names[columns],
                "estimate": [estimate for estimate, _, _ in sizes],
                "low": [low for _, low, _ in sizes],
                "high": [high for _, _, high in sizes],
                "statistic": upper(tests.statistics),
                "p": p,
                "p adjusted": adjusted,
                "separated": significant(adjusted, self.settings.alpha),
                "data sets": upper(tests.shared),
                "wins": upper(tests.wins),
                "ties": upper(tests.ties),
                "losses": upper(tests.wins.T),
            }
        )
        return table.sort_values(["p adjusted", "p"], kind="stable", ignore_index=True)

    def _interval(self, first: str, second: str, rate: float) -> tuple[float, float, float]:
        """Return estimate and interval of one pair; NaN if they are not defined."""
        x, y = self._shared(first, second)
        if len(x) < 2 or mostly_equal(x, y):
            return nan, nan, nan
        by_signs = self.settings.source == "sign"
        interval = sign_interval if by_signs else hodges_lehmann_interval
        estimate = float(self.raw.estimates.loc[first, second])
        return estimate, *interval(x, y, confidence=1 - rate)

    @property
    def simultaneous(self) -> bool:
        """Whether the intervals are simultaneous, as those of Bonferroni are."""
        return self.settings.correction in SIMULTANEOUS

    def _shared(self, first: str, second: str) -> tuple[np.ndarray, np.ndarray]:
        both = self.scores[[first, second]].dropna()
        return both[first].to_numpy(), both[second].to_numpy()

    def intervals(self, alpha: float) -> Intervals:
        """Return the Hodges-Lehmann intervals, whichever test decides."""
        return hodges_lehmann_intervals(self.scores, self.details(), self.each(alpha), shared=True)

    @property
    def paired_results(self) -> pd.DataFrame:
        """Averages over runs, data set x algorithm."""
        return self.scores

    def unsized(self, first: str, second: str) -> str:
        """Return why a pair has no interval: identical results or mostly zero differences."""
        return instead_of_interval(self, first, second)

    @property
    def counted(self) -> Units:
        """Number of data sets with at least two results."""
        return Units(n=self.omnibus.n, noun="data set")

    @property
    def scope(self) -> str:
        """Population the conclusion generalizes to: other data sets."""
        return "data sets"

    @property
    def first_test(self) -> OmnibusTest:
        """The Skillings-Mack test of all algorithms at once."""
        return OmnibusTest(name="Skillings-Mack", outcome=self.omnibus)

    @property
    def least(self) -> SmallestPValue:
        """Smallest p-value attainable by an algorithm that wins on every shared data set."""
        n, alpha = self.raw.n, self.settings.alpha
        enough = (size for size in range(n, 1000) if significant(self._reach(size), alpha))
        return SmallestPValue(
            pvalue=self.smallest_pvalue,
            counted=Units(n=n, noun="shared data set"),
            needed=next(enough, None) if not significant(self.smallest_pvalue, alpha) else None,
            extreme=f"Even if {self.order[0]} won every one",
            test=self.post,
        )

    def _reach(self, n: int) -> float:
        return smallest_present_pvalue(len(self.order), n, self.settings)

    @property
    def guarantee(self) -> ErrorControl:
        """Error rate that alpha bounds: family-wise over all pairs if p-values are adjusted."""
        bounds = "each" if self.settings.correction == "none" else "family"
        pairs = len(self.order) * (len(self.order) - 1) // 2
        return ErrorControl(bounds=bounds, comparisons=pairs, adjusted=bounds == "family")

    @property
    def units(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(map(str, self.scores.index))

    def resampled(self, places: np.ndarray, columns: np.ndarray | None = None) -> Comparison:
        """Return the comparison on resampled data sets, ranked and tested again."""
        return resampled_scores(self, compare_present, places, columns)

    @property
    def where(self) -> str:
        """Phrase that names the measure."""
        return f"on {self.settings.measure}"

    @property
    def post(self) -> str:
        """Name of the correction and of the source of the p-values."""
        return f"{correction_with_source(CORRECTIONS, self.settings)} on shared data sets"

    @property
    def effect(self) -> str:
        """Label of the estimate that matches the pairwise test, in the units of the measure."""
        return difference_label(self.settings)

    @property
    def ordered_by(self) -> Standing:
        """Average ranks among the algorithms present, which order the algorithms."""
        return by_rank(self.standing["average rank"], self.settings.measure)

    def sizes(self, near: Sequence[str]) -> str:
        """Return a sentence with the range of average ranks and the numbers of data sets."""
        sets = self.standing["data sets"]
        over = format_count(int(sets.max()), "data set")
        if sets.min() < sets.max():
            over = f"{sets.min():,} to {over}"
        return f"Average ranks among those present from {self.ordered_by.range}, over {over} each."

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

    def steps(self) -> list[Step]:
        """Return the analysis steps for several algorithms with missing results."""
        first = Step(
            question="Do the algorithms differ at all?",
            test="Skillings-Mack",
            why="It is Friedman's test for tables with holes: ranks among those present, weighted "
            "by how many there are.",
            reference=reference_of("skillings_mack"),
            papers="Most leave out data sets or algorithms until no cell is missing.",
            fails=joined(self.omnibus.warnings),
            advised=True,
        )
        pairs = Step(
            question="Which pairs differ?",
            test=self.post,
            why="Average ranks of algorithms that met different rivals are not comparable; two "
            "algorithms on the data sets that both have are.",
            reference=f"{DEMSAR}, section 3.1.3; {method_card(self.settings.correction).reference}",
            fails=self.cannot(),
            advised=True,
        )
        return [averages(self.results), first, pairs, groups()]

    def methods(self) -> Iterable[CitedText]:
        """Yield the text that describes ranks, omnibus test and pairwise tests."""
        yield ending_sentence(
            "On each data set the algorithms that have a result there were ranked"
        )
        yield cite_test(" The", "skillings_mack")
        yield ending_sentence(" asked whether they differ by more than chance")
        pairs = format_count(self.guarantee.comparisons, "pair")
        opening = f" The {pairs} were then compared, each on the data sets that both have,"
        yield cite_source(opening, self.settings.source)
        yield from adjustment_text(
            self.settings.correction, self.settings.alpha, self.guarantee.bounds
        )
        yield from interval_methods(self)

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


def compare_present(common: dict) -> PresentComparison:
    """Rank the algorithms present on each data set and test all pairs on shared data sets."""
    common = _with_tests_that_apply(common)
    settings, scores = common["settings"], common["scores"]
    direction = {"higher_is_better": common["higher_is_better"]}
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
        **common,
        omnibus=omnibus,
        standing=standing,
        raw=raw,
        adjusted=adjust_pairs(raw.pvalues, settings.correction),
        smallest_pvalue=smallest_present_pvalue(len(standing), raw.n, settings),
    )


def _with_tests_that_apply(common: dict) -> dict:
    """Replace source and correction that need complete data, with a note."""
    settings, results = common["settings"], common["results"]
    used = replace(
        settings,
        source="wilcoxon" if settings.source == "ranks" else settings.source,
        correction=settings.correction if settings.correction in SUITABLE else "holm",
    )
    if used == settings:
        return common
    names = {
        "asked": correction_with_source(CORRECTIONS, settings),
        "used": correction_with_source(CORRECTIONS, used),
    }
    requested = {"source": settings.source, "correction": settings.correction}
    note = message("tests of those present", **names, **requested)
    results = replace(results, choices=(*results.choices, note))
    return {**common, "settings": used, "results": results}


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
