"""Comparisons over data sets: base classes, and comparisons of all pairs and of two algorithms."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, repeat
from itertools import count as count_from
from math import isnan, nan
from typing import ClassVar, Literal, get_args

import numpy as np
import pandas as pd

from stats_core.comparison import comparison_text, plan
from stats_core.comparison.equivalence import Intervals
from stats_core.comparison.kinds.fold_pair import CHECK_LEVEL
from stats_core.comparison.pairs import Pairs, names_of_pairs, pair_values, pairs_frame
from stats_core.comparison.plan import FailedAssumption, PlannedTest, Reason, Role, fails
from stats_core.comparison.result import (
    Comparison,
    ErrorControl,
    Inputs,
    OmnibusTest,
    PairComparison,
    Shape,
    SmallestPValue,
    Standing,
    Units,
    mostly_equal_note,
    same_notes,
)
from stats_core.core.errors import DegenerateError, MissingCells
from stats_core.core.formatting import measure_name
from stats_core.core.messages import Message, message
from stats_core.core.result_types import PairwiseResult, cached, labeled_matrix
from stats_core.core.validation import significant
from stats_core.data.missing import LEAVE_HOLES, count_missing
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, Settings, Source
from stats_core.inference import assumptions, bayesian, pair_intervals, pairwise
from stats_core.inference.assumptions import LEAST
from stats_core.inference.bayesian import SignedRankResult
from stats_core.inference.methods import WILCOXON, Assumption, Estimate, Unit, pair_method
from stats_core.inference.multiplicity import adjust, cliques
from stats_core.inference.multiplicity.adjust import CORRECTIONS, FALSE_DISCOVERY, LOGICAL
from stats_core.inference.pair_intervals import Compared
from stats_core.inference.paired import (
    SignTestResult,
    WilcoxonResult,
    hodges_lehmann_interval,
    sign_test,
    signed_ranks,
    wilcoxon,
)
from stats_core.inference.ranks import (
    LARGEST_EXACT,
    RankTestResult,
    as_iman_davenport,
    critical_difference,
    exact_rank_pairs,
    friedman_of_rows,
    nemenyi,
    post_hoc_z,
    rank_rows,
)

_MAX_WORK = 10_000_000  # limit of algorithm pairs x squared data sets, about two seconds
# notes on omnibus tests -> what does not hold
_NOTED = {
    "few data sets": Assumption.LARGE_SAMPLE,
    "few data sets, with holes": Assumption.LARGE_SAMPLE,
    "ties not seen": Assumption.NO_TIES,
    "groups not linked": Assumption.SHARED_UNITS,
    "data sets without two results": Assumption.SHARED_UNITS,
}
# pairwise tests, which do not depend on the other algorithms
OWN = {"wilcoxon": "Wilcoxon", "sign": "sign"}


@dataclass(frozen=True, kw_only=True, eq=False)
class OnDatasets(Comparison):
    """Algorithms compared by their averages on data sets."""

    def again(self, inputs: Inputs) -> Comparison:
        """Return the same kind of comparison recomputed from other inputs; subclasses implement it."""
        raise NotImplementedError

    @property
    def counted(self) -> Units:
        """Number of data sets."""
        return Units(n=len(self.scores), noun="data set")

    @property
    def estimate(self) -> Estimate:
        """What the test of a pair estimates; by average ranks, contrasts of medians."""
        method = pair_method(self.settings.source)
        if self.shape.two:
            return WILCOXON.estimate
        return Estimate.CONTRAST if method is None else method.estimate

    @property
    def paired_results(self) -> pd.DataFrame:
        """Averages over runs, data set x algorithm."""
        return self.scores

    def intervals(self, alpha: float) -> Intervals:
        """Return Hodges-Lehmann intervals of the rows of `pairs` at error rate `guarantee.each(alpha)`, whatever the test."""
        pairs, level = names_of_pairs(self.pairs.decisions), self.guarantee.each(alpha)
        ends = [self._hodges_lehmann(self.scores[list(pair)], level) for pair in pairs]
        return Intervals(ends=ends, by=comparison_text("comparison.hodges_lehmann"))

    def _hodges_lehmann(self, paired: pd.DataFrame, level: float) -> tuple[float, float]:
        """Return a pair's interval.

        NaN with fewer than two data sets, mostly zero differences, or missing results where these
        are not allowed.
        """
        complete = paired.dropna()
        x, y = complete.to_numpy().T
        incomplete = len(complete) < len(paired) and not self.shape.incomplete
        if len(complete) < 2 or incomplete or signed_ranks.mostly_equal(x, y):
            return nan, nan
        return hodges_lehmann_interval(x, y, confidence_level=1 - level)

    @property
    def units(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(map(str, self.scores.index))

    def resampled(self, places: np.ndarray, columns: np.ndarray | None = None) -> Comparison:
        """Return the comparison recomputed on resampled data sets; parameters as in `Comparison.resampled`."""
        scores = self.scores.iloc[places]
        if columns is not None:
            values = np.take_along_axis(scores.to_numpy(), columns, axis=1)
            scores = pd.DataFrame(values, scores.index, scores.columns)
        if scores.index.has_duplicates:
            names = [f"{name} {position}" for position, name in enumerate(scores.index)]
            scores = scores.set_axis(names)
        return self.again(self.inputs.varied(scores=scores))


@dataclass(frozen=True, kw_only=True, eq=False)
class ByAverageRanks(Comparison):
    """Algorithms compared by their average ranks, from results or as published.

    Attributes
    ----------
    friedman, omnibus : RankTestResult
        Friedman's chi-square test and the Iman-Davenport F test; the latter is reported.
    critical_difference : float or None
        Critical difference of average ranks; None unless the correction is Nemenyi or
        Bonferroni-Dunn.
    adjusted : DataFrame, algorithm x algorithm, or Series by algorithm
        Adjusted p-values of all pairs, or of the comparisons with the control.
    """

    derived: ClassVar[tuple[str, ...]] = ("smallest_pvalue",)
    friedman: RankTestResult
    omnibus: RankTestResult
    critical_difference: float | None
    adjusted: pd.DataFrame | pd.Series

    @property
    @cached(across_alpha=True)
    def order(self) -> list[str]:
        """Algorithms from best to worst average rank."""
        return list(self.friedman.average_ranks.sort_values(kind="stable").index)

    @property
    def counted(self) -> Units:
        """Number of data sets."""
        return Units(n=self.friedman.n, noun="data set")

    @property
    def rank_test(self) -> RankTestResult:
        """Friedman's test."""
        return self.friedman

    @property
    def first_test(self) -> OmnibusTest:
        """Iman-Davenport F test of all algorithms."""
        return OmnibusTest(name="Iman-Davenport", outcome=self.omnibus)

    @property
    def _test_of_pairs(self) -> PlannedTest:
        """The pairwise test, without a check of its assumptions."""
        return pairwise_test(self.inputs, self.counted.n, len(self.order))

    @property
    def test_name(self) -> str:
        """Name of the pairwise tests and of their correction."""
        return self._test_of_pairs.description

    @property
    @cached
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """The Iman-Davenport test and the pairwise tests."""
        return (omnibus_test("iman_davenport", self.omnibus.warnings), self._test_of_pairs)

    def groups_at(self, level: float, names: list[str]) -> list[tuple[str, ...]]:
        """Return the maximal groups of these algorithms without a significant difference at a level."""
        return cliques.cliques(self.adjusted.loc[names, names], level)

    def split_levels(self, names: list[str]) -> list[float]:
        """Return the levels at which groups of these algorithms, or their differences from the control, change."""
        adjusted = self.adjusted.loc[names]
        return cliques.split_levels(adjusted if adjusted.ndim == 1 else adjusted[names])


@dataclass(frozen=True, kw_only=True, eq=False)
class RankedOnDatasets(ByAverageRanks, OnDatasets):
    """Algorithms ranked on every data set, compared in all pairs or with a control."""

    @property
    @cached
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """The Iman-Davenport test and the pairwise tests, with pairs of asymmetric differences."""
        omnibus, pairs = super()._planned_tests
        return (omnibus, replace(pairs, failed=_asymmetric(self.symmetry())))

    @property
    def ordered_by(self) -> Standing:
        """Average ranks, which order the algorithms."""
        return by_rank(self.friedman.average_ranks, self.settings.measure)

    def estimates(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return some rows of `pairs` with the estimate filled in; for Wilcoxon tests without computing intervals."""
        if self.settings.source != "wilcoxon":
            return self.pairs.with_intervals(rows)
        return rows.assign(estimate=pair_intervals.median_differences(self._compared(rows)))

    def _with_intervals(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows with estimate and interval filled in; `Pairs.with_intervals` avoids computing them again."""
        intervals = pair_intervals.pair_intervals(self._compared(rows))
        return rows.assign(**{name: intervals[name].to_numpy() for name in intervals})

    @cached(across_alpha=True)
    def _medians(self) -> dict[tuple[str, str], float]:
        """Return the cache of estimates by pair, which all significance levels share."""
        return {}

    def _compared(self, rows: pd.DataFrame) -> Compared:
        """Return the averages and tests of some rows of `pairs`, with the cache of estimates."""
        by_ranks, statistics = self.settings.source == "ranks", rows["statistic"].to_numpy()
        return Compared(
            scores=self.scores,
            ranks=self.friedman.ranks,
            settings=self.settings,
            higher_is_better=self.higher_is_better,
            pairs=list(zip(rows["first"], rows["second"], strict=True)),
            p=rows["p"].to_numpy(),
            adjusted=rows["p adjusted"].to_numpy(),
            ahead=-statistics
            if by_ranks and self.higher_is_better
            else statistics,  # small ranks are better
            family=len(self.pairs),
            selected=int(self.pairs.decisions["separated"].sum()),
            medians=self._medians(),
        )

    def compared_pairs(self) -> Iterable[tuple[str, str]]:
        """Return the pairs of algorithms that are compared; subclasses implement it."""
        raise NotImplementedError

    def _n_separated_by(self, raw: PairwiseResult, settings: Settings) -> tuple[int, int]:
        """Return the numbers of significant and of all comparisons by other raw p-values; subclasses implement it."""
        raise NotImplementedError

    @cached(across_alpha=True)
    def symmetry(self) -> pd.DataFrame | None:
        """Return tests of symmetry of the compared pairs; None if none is possible or Wilcoxon tests are not used."""
        if self.settings.source != "wilcoxon":
            return None
        pairs, recall = tuple(self.compared_pairs()), self.inputs.test_cache.recall
        return recall(
            ("symmetry", self.settings.measure, pairs), lambda: symmetry_of(self.scores, pairs)
        )

    @cached
    def _other_test_notes(self) -> tuple[Message, ...]:
        """Return the note of `_other_test_messages`; () if there is none."""
        return _other_test_messages(self)

    def _rank_contradictions(self) -> list[Message]:
        """Return [], no notes; subclasses may note pairs whose better algorithm has no better average rank."""
        return []

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on error control, assumptions, identical pairs, contradicting ranks or other tests, and choices."""
        return (
            *weak_control(self.guarantee),
            *self.omnibus.warnings,
            *not_symmetric(self.symmetry()),
            *same_notes(self),
            *mostly_equal_note(self),
            *self._rank_contradictions(),
            *self._other_test_notes(),
            *self.results.choices,
        )


def data_sets_needed(c: Comparison) -> int | None:
    """Return the least number of data sets for significant Wilcoxon tests, if ranks are used and there are fewer, else None."""
    settings, k = c.settings, len(c.order)
    if not (c.shape.averages and c.shape.ranks and settings.source == "ranks"):
        return None
    other_settings = _other_source(settings, k)
    least = pairwise.smallest_control_pvalue if settings.control else pairwise.smallest_pvalue
    needed = next(
        size
        for size in count_from(2)
        if significant(least(k, size, other_settings), settings.alpha)
    )
    return needed if c.counted.n < needed else None


def by_rank(ranks: pd.Series, measure: str = "") -> Standing:
    """Return average ranks as the `Standing` by which algorithms are ordered."""
    name = f"average rank for {measure_name(measure)}" if measure else "average rank"
    return Standing(values=ranks, name=name, lowest=True)


def weak_control(guarantee: ErrorControl) -> tuple[Message, ...]:
    """Return a note if the family-wise error rate is controlled only under the global null hypothesis, else ()."""
    return (message("weak control"),) if guarantee.bounds == "global null" else ()


def other_corrections(now: Settings, names: Mapping[str, str]) -> list[tuple[str, Settings]]:
    """Return labelled settings by other corrections of the family-wise error rate that are usable with the source of p."""
    left_out = (now.correction, "none", FALSE_DISCOVERY)
    return [
        (f"correction {name}", _with(now, key))
        for key, name in names.items()
        if key not in left_out and not (key in LOGICAL and not adjust.is_transitive(now.source))
    ]


def _with(settings: Settings, correction: str) -> Settings:
    """Return settings with another correction; for Nemenyi also with average ranks as source."""
    source = "ranks" if correction == "nemenyi" else settings.source
    return replace(settings, correction=correction, source=source)


def other_sources(now: Settings, scores: pd.DataFrame) -> list[tuple[str, Settings]]:
    """Return labelled settings with each other source of p and a usable correction; [] if results are missing."""
    if scores.isna().to_numpy().any():
        return []
    k, others = (
        scores.shape[1],
        [source_key for source_key in get_args(Source) if source_key != now.source],
    )
    options = []
    for source in others:
        usable = adjust.usable_correction(now.correction, k, source=source)
        by = "" if usable == now.correction else f", {CORRECTIONS[usable]}"
        options.append(
            (f"p from {SOURCES[source]}{by}", replace(now, source=source, correction=usable))
        )
    return options


def omnibus_test(card: str, warnings: Iterable[Message]) -> PlannedTest:
    """Return the planned omnibus test over data sets, with the warnings of its result."""
    failed = [part for note in warnings for part in fails(_NOTED[note.code], [note])]
    return plan.of_all(card, Role.OMNIBUS, Unit.DATA_SET, "data sets", tuple(failed))


def pairwise_test(inputs: Inputs, n: int, k: int) -> PlannedTest:
    """Return the planned pairwise test of k algorithms with complete results on n data sets."""
    settings = inputs.settings
    method = pair_method(settings.source)
    correction: str | None = settings.correction
    if settings.correction == "nemenyi":
        card, label, correction = "nemenyi", "nemenyi", None
    elif method is not None:
        card, label = method.card, settings.source
    else:
        is_normal = settings.correction == "bonferroni_dunn" or n * k > LARGEST_EXACT
        is_normal |= inputs.results.published is not None
        card, label = ("post_hoc_z", "z") if is_normal else ("exact_rank_pairs", "ranks")
    return PlannedTest(
        role=Role.PAIRWISE,
        card=card,
        label=label,
        method=method,
        correction=correction,
        unit=Unit.DATA_SET,
        population="data sets",
        reason=_reason_for_source(inputs),
    )


def _reason_for_source(inputs: Inputs) -> Reason:
    """Return the reason for the pairwise test over data sets."""
    settings, results = inputs.settings, inputs.results
    if results.published is not None:
        return Reason.SUITED
    by_name = settings.correction in ("nemenyi", "bonferroni_dunn") and settings.source == "ranks"
    if by_name or settings.source != pairwise.pvalue_source(results, replace(settings, source="")):
        return Reason.REQUESTED
    if settings.source == "wilcoxon":
        return Reason.OWN_TESTS_CAN_DECIDE
    failed = pairwise.has_failed_runs(results, settings.measure)
    return Reason.FAILED_RUNS if failed else Reason.FEW_DATA_SETS


def _asymmetric(checks: pd.DataFrame | None) -> tuple[FailedAssumption, ...]:
    """Return the symmetry of differences as a failed assumption if some are asymmetric, else ()."""
    notes = not_symmetric(checks)
    return fails(Assumption.SYMMETRIC_DIFFERENCES, notes, check="symmetric_differences")


def _rank_tests(rank_test: RankTestResult, correction: str) -> PairwiseResult:
    """Return unadjusted pairwise tests of average ranks: exact, but normal approximations for Bonferroni-Dunn."""
    if correction == "bonferroni_dunn":
        return post_hoc_z(rank_test.average_ranks, rank_test.n)
    return exact_rank_pairs(rank_test.ranks)


def _own_tests(inputs: Inputs) -> PairwiseResult:
    """Return unadjusted Wilcoxon or sign tests of all pairs; raise MissingCells if an average is missing."""
    scores, settings = inputs.scores, inputs.settings
    if scores.isna().to_numpy().any():
        missing = count_missing(inputs.results, settings.measure)
        raise MissingCells.of(
            "pairwise test incomplete", test=OWN[settings.source], missing=missing
        )
    return inputs.test_cache.recall(
        (settings.measure, settings.source), lambda: pairwise.pairwise(scores, settings.source)
    )


def _other_test_messages(comparison: RankedOnDatasets) -> tuple[Message, ...]:
    """Return a note with the numbers of comparisons significant by each source of p; () if one source cannot decide."""
    settings, scores = comparison.settings, comparison.scores
    # pairwise tests need complete results
    if comparison.obstacle or scores.isna().to_numpy().any():
        return ()
    other_settings = _other_source(settings, scores.shape[1])
    least = pairwise.smallest_control_pvalue if settings.control else pairwise.smallest_pvalue
    smallest = least(scores.shape[1], len(scores), other_settings)
    if not significant(smallest, settings.alpha):
        return ()  # reported by `data_sets_needed`
    by_ranks = other_settings.source == "ranks"
    other = replace(comparison.inputs, settings=other_settings)
    raw = _rank_tests(comparison.friedman, "") if by_ranks else _own_tests(other)
    would, total = comparison._n_separated_by(raw, other_settings)
    separated = int(comparison.pairs.decisions["separated"].sum())
    names = {
        "there": pairwise_test(other, len(scores), scores.shape[1]).description,
        "here": comparison.test_name,
        "by_ranks": by_ranks,
    }
    return (message("beside", **names, separated=separated, would=would, total=total),)


def _other_source(settings: Settings, k: int) -> Settings:
    """Return settings by average ranks (by Wilcoxon tests if these are used already), with a usable correction."""
    source: Source = "wilcoxon" if settings.source == "ranks" else "ranks"
    if settings.control:
        return replace(settings, source=source)
    requested = (
        "bergmann_hommel" if settings.correction in ("nemenyi", "shaffer") else settings.correction
    )
    usable = adjust.usable_correction(requested, k, source=source)
    return replace(settings, source=source, correction=usable)


def symmetry_of(scores: pd.DataFrame, pairs: Iterable[Sequence[str]]) -> pd.DataFrame | None:
    """Return tests of whether the differences of each pair over data sets are symmetric, one row per pair.

    Columns: first, second, statistic, p, p adjusted (by Holm), asymmetric. Pairs that cannot be
    tested are left out; None with too few data sets, too many pairs, or no testable pair.

    Examples
    --------
    >>> import numpy as np
    >>> skewed = np.arange(20.0) ** 3
    >>> table = pd.DataFrame({"a": skewed, "b": np.zeros(20), "c": np.arange(20.0)})
    >>> symmetry_of(table, [("a", "b"), ("b", "c")])["asymmetric"].tolist()
    [True, False]
    """
    all_pairs, n = list(pairs), len(scores)
    if n < LEAST or len(all_pairs) * n**2 > _MAX_WORK:
        return None
    rows, values = [], dict(zip(scores.columns, scores.to_numpy(dtype=float).T, strict=True))
    for first, second in all_pairs:
        try:
            check = assumptions.symmetric_differences(values[first], values[second])
        except DegenerateError:
            continue
        rows.append((first, second, check.statistic, check.pvalue))
    table = pd.DataFrame(rows, columns=["first", "second", "statistic", "p"])
    if table.empty:
        return None
    adjusted = adjust.adjust_family(table["p"].to_numpy(), "holm")
    return table.assign(
        **{"p adjusted": adjusted, "asymmetric": significant(adjusted, CHECK_LEVEL)}
    )


def not_symmetric(checks: pd.DataFrame | None) -> tuple[Message, ...]:
    """Return a note on pairs whose differences are significantly asymmetric; () if there are none."""
    if checks is None or not checks["asymmetric"].any():
        return ()
    asymmetric_pairs = checks.loc[checks["asymmetric"], ["first", "second"]].itertuples(
        index=False, name=None
    )
    return (
        message("not symmetric", pairs=tuple(asymmetric_pairs), of=len(checks), level=CHECK_LEVEL),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class RanksComparison(RankedOnDatasets):
    """Three or more algorithms over two or more data sets.

    Attributes
    ----------
    friedman, omnibus : RankTestResult
        Friedman's chi-square test and the Iman-Davenport F test; the latter is reported.
    raw : PairwiseResult
        The tests of all pairs, unadjusted.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    wins, ties : DataFrame, algorithm x algorithm
        Numbers of data sets on which the row beats, or ties with, the column.
    critical_difference : float or None
        Critical difference of average ranks; None unless the correction is Nemenyi.
    """

    kind: ClassVar[str] = "ranks"
    shape = Shape(ranks=True)
    raw: PairwiseResult
    adjusted: pd.DataFrame
    wins: pd.DataFrame
    ties: pd.DataFrame

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm is significantly better than the column algorithm, by the pairwise test.

        With Wilcoxon and sign tests, the better algorithm can have the worse average rank.
        """
        better = (
            significant(self.adjusted.to_numpy(), self.settings.alpha) & self.in_favour.to_numpy()
        )
        return labeled_matrix(better, self.adjusted.index)

    @property
    def in_favour(self) -> pd.DataFrame:
        """Whether the test of a pair favours the row algorithm, significantly or not."""
        if self.settings.source == "ranks":
            ranks = self.friedman.average_ranks[self.adjusted.index].to_numpy()
            return labeled_matrix(ranks[None, :] > ranks[:, None], self.adjusted.index)
        names, sign = self.adjusted.index, 1 if self.higher_is_better else -1
        statistics = self.raw.statistics
        statistics = statistics if statistics.index.equals(names) else statistics.loc[names, names]
        return labeled_matrix(sign * statistics.to_numpy() > 0, names)

    @property
    def adjusted_pvalues(self) -> pd.DataFrame:
        """Adjusted p-values, algorithm x algorithm."""
        return self.adjusted

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row per pair, the better ranked algorithm first, smallest adjusted p on top.

        Columns: `PAIR_COLUMNS`, where the estimate is the median difference of the measure, first
        minus second, with the interval of the test that decides (`pair_intervals`); then rank gap
        (difference of average ranks, second minus first), wins, ties and losses (of the first).
        """
        ranks = self.friedman.average_ranks
        columns = {
            "statistic": self.raw.statistics,
            "p": self.raw.pvalues,
            "p adjusted": self.adjusted,
            "rank gap": labeled_matrix(ranks.to_numpy() - ranks.to_numpy()[:, None], ranks.index),
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.wins.T,
        }
        rows = pairs_frame(self.order, columns, self.settings.alpha)
        return self._pairs_of(rows, measure_rows=self._with_intervals)

    def at_level(self, alpha: float) -> "RanksComparison":
        """Return the same comparison at another significance level."""
        cd = self.critical_difference
        return replace(
            self,
            inputs=self.inputs.at_level(alpha),
            critical_difference=cd and critical_difference(len(self.order), self.friedman.n, alpha),
        )

    def attainable(self, n: int) -> float:
        """Return the smallest adjusted p-value attainable by an algorithm that wins on all n data sets."""
        return pairwise.smallest_pvalue(len(self.order), n, self.settings)

    def again(self, inputs: Inputs) -> Comparison:
        """Return the comparison recomputed from other inputs."""
        return compare_ranks(inputs)

    def without_each_unit(self) -> Iterator[Callable[[], Comparison]]:
        """Yield a function per data set that returns the comparison without it."""
        scores, source = self.scores[self.order], self.settings.source
        tests: Iterable = repeat(None, len(scores))
        if source != "ranks":
            results = pairwise.pairs_without_each(scores.to_numpy(), source)
            tests = (
                pairwise.pairwise_result(source, scores.columns, len(scores) - 1, *result)
                for result in results
            )
        ranks = self.friedman.ranks[self.order]
        wins, ties = (table.loc[self.order, self.order] for table in (self.wins, self.ties))
        won = pairwise.wins_without_each(wins, ties, scores, higher_is_better=self.higher_is_better)
        for name, raw, records in zip(scores.index, tests, won, strict=True):
            inputs = self.inputs.varied(scores=scores.drop(index=name))
            yield partial(compare_ranks, inputs, raw, ranks.drop(index=name), records)

    def restricted(self, algorithms: list[str]) -> Comparison:
        """Return the comparison restricted to some algorithms; it reuses Wilcoxon and sign tests, but not ranks."""
        raw = None
        if self.settings.source != "ranks":
            tables = {
                name: getattr(self.raw, name).loc[algorithms, algorithms]
                for name in ("statistics", "pvalues")
            }
            raw = replace(self.raw, **tables)
        return compare_ranks(self.inputs.varied(scores=self.scores[algorithms]), raw)

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return labelled settings: one per other correction, and one per other source of the p-values."""
        now = self.settings
        base_settings = replace(now, correction="holm") if now.correction == "nemenyi" else now
        return other_corrections(now, CORRECTIONS) + other_sources(base_settings, self.scores)

    def compared_pairs(self) -> Iterable[tuple[str, str]]:
        """Return all pairs of algorithms."""
        return combinations(self.order, 2)

    def _n_separated_by(self, raw: PairwiseResult, settings: Settings) -> tuple[int, int]:
        """Return how many pairs are significant by other raw p-values, and the number of pairs."""
        adjusted = pair_values(adjust_ranks(self.friedman, raw, settings), self.order)
        return int(significant(adjusted, settings.alpha).sum()), len(adjusted)

    def _rank_contradictions(self) -> list[Message]:
        """Return a note on significant pairs whose better algorithm has no better average rank, else []."""
        names = list(self.order)
        ranks = self.friedman.average_ranks[names].to_numpy()
        positions = self.adjusted.index.get_indexer(names)
        beats = self.beats.to_numpy()[np.ix_(positions, positions)]
        against = [
            f"{names[first]} vs. {names[second]}"
            for first, second in np.argwhere(beats & (ranks[:, None] >= ranks))
        ]
        if not against:
            return []
        return [message("against the ranks", source=self.settings.source, pairs=tuple(against))]


def check_missing(results: Results, scores: pd.DataFrame, measure: str) -> None:
    """Raise MissingCells if averages are missing and no treatment was chosen."""
    if scores.isna().to_numpy().any() and results.failures not in LEAVE_HOLES:
        raise MissingCells.of("treatment needed", missing=count_missing(results, measure))


def ranks_and_pairs(
    inputs: Inputs, raw: PairwiseResult | None = None, ranks: pd.DataFrame | None = None
) -> tuple[RankTestResult, PairwiseResult]:
    """Return Friedman's test (of `ranks` if given) and unadjusted tests of all pairs (or `raw`).

    MissingCells is raised without the averages needed.
    """
    settings, scores, results = inputs.settings, inputs.scores, inputs.results
    check_missing(results, scores, settings.measure)
    missing: Literal["worst", "refuse"] = "worst" if results.failures == "worst rank" else "refuse"
    if ranks is None:
        ranks = rank_rows(scores, missing=missing, higher_is_better=inputs.higher_is_better)
    rank_test = friedman_of_rows(ranks)
    if raw is None and settings.source == "ranks":
        raw = _rank_tests(rank_test, settings.correction)
    return rank_test, _own_tests(inputs) if raw is None else raw


def compare_ranks(
    inputs: Inputs,
    raw: PairwiseResult | None = None,
    ranks: pd.DataFrame | None = None,
    records: tuple[pd.DataFrame, pd.DataFrame] | None = None,
) -> RanksComparison:
    """Return the comparison of all pairs over data sets, reusing unadjusted tests, ranks, and wins and ties if given."""
    inputs = with_usable_correction(inputs)
    rank_test, raw = ranks_and_pairs(inputs, raw, ranks)
    adjusted = adjust_ranks(rank_test, raw, inputs.settings)
    inputs = with_usable_correction(inputs, adjusted)
    n, k = rank_test.ranks.shape
    if records is None:
        records = pairwise.count_wins(inputs.scores, higher_is_better=inputs.higher_is_better)
    wins, ties = records
    return RanksComparison(
        inputs=inputs,
        friedman=rank_test,
        omnibus=as_iman_davenport(rank_test),
        raw=raw,
        adjusted=adjusted,
        critical_difference=nemenyi_difference(k, n, inputs.settings),
        wins=wins,
        ties=ties,
    )


def nemenyi_difference(k: int, n: int, settings: Settings) -> float | None:
    """Return the critical difference of average ranks; None unless the correction is Nemenyi."""
    return critical_difference(k, n, settings.alpha) if settings.correction == "nemenyi" else None


def with_usable_correction(inputs: Inputs, adjusted: pd.DataFrame | None = None) -> Inputs:
    """Return inputs with an unusable correction replaced and a note on it; the inputs themselves if it is usable.

    `adjusted`, if given, shows whether the search of Bergmann-Hommel was finished.
    """
    settings, results = inputs.settings, inputs.results
    k, requested = len(results.algorithms), settings.correction
    used = adjust.usable_correction(requested, k, source=settings.source)
    if adjusted is not None:
        used = adjusted.attrs.get("correction", used)
    note = adjust.fallback_message(requested, k, source=settings.source, used=used)
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
    return adjust.adjust_by_nearest(raw.pvalues, settings.correction, average_ranks=ranks)


@dataclass(frozen=True, kw_only=True, eq=False)
class TwoComparison(PairComparison, OnDatasets):
    """Two algorithms over two or more data sets.

    Attributes
    ----------
    wilcoxon : WilcoxonResult
        The Wilcoxon test, which is reported.
    sign : SignTestResult
        The sign test, shown for comparison only.
    """

    kind: ClassVar[str] = "two"
    shape = Shape(two=True)
    derived: ClassVar[tuple[str, ...]] = ("interval", "better", "worse", "differences")
    wilcoxon: WilcoxonResult
    sign: SignTestResult

    @property
    @cached
    def interval(self) -> tuple[float, float]:
        """Hodges-Lehmann interval at 1 - alpha; NaN if more than half of the differences are zero."""
        x, y = self.scores[self.first], self.scores[self.second]
        if signed_ranks.mostly_equal(x.to_numpy(), y.to_numpy()):
            return nan, nan
        return hodges_lehmann_interval(x, y, confidence_level=1 - self.settings.alpha)

    @property
    def better(self) -> str:
        """Algorithm favoured by the estimate; if that is zero, by the rank sums; if these are equal, the first."""
        test = self.wilcoxon
        favoured = test.estimate or test.w_plus - test.w_minus
        return (
            self.first if favoured == 0 or (favoured > 0) == self.higher_is_better else self.second
        )

    def posterior(self, region: float, *, published: bool = False) -> SignedRankResult:
        """Return the Bayesian signed-rank test of the differences over data sets; `published` has no effect."""
        paired = self.scores[[self.first, self.second]].dropna()
        return bayesian.bayesian_signed_rank(paired[self.first] - paired[self.second], rope=region)

    def record(self, name: str) -> tuple[int, int, int]:
        """Return the numbers of data sets on which an algorithm wins, ties and loses."""
        larger = (self.sign.wins, self.sign.ties, self.sign.losses)
        return larger if (name == self.first) == self.higher_is_better else larger[::-1]

    def differences(self) -> pd.DataFrame:
        """Return both scores, their difference and the rank of its absolute value per data set, by difference."""
        table = self.scores[[self.first, self.second]].copy()
        table["difference"] = table[self.first] - table[self.second]
        size = table["difference"].abs().round(12).rank()
        table["rank of size"] = size
        return table.sort_values("difference", kind="stable")

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row: the pair with Hodges-Lehmann estimate and interval (NaN if most differences are zero)."""
        test, (wins, ties, losses) = self.wilcoxon, self.record(self.first)
        columns = {
            "estimate": nan if isnan(self.interval[0]) else test.estimate,
            "low": self.interval[0],
            "high": self.interval[1],
            "statistic": test.statistic,
            "p": test.pvalue,
            "p adjusted": test.pvalue,
            "wins": wins,
            "ties": ties,
            "losses": losses,
        }
        rows = pairs_frame([self.first, self.second], columns, self.settings.alpha)
        return self._pairs_of(rows)

    def attainable(self, n: int) -> float:
        """Return the smallest p-value attainable: one algorithm wins on all n data sets."""
        return min(1.0, 2.0 ** (1 - n))

    @property
    def _bounding_units(self) -> Units:
        """Number of data sets on which the two algorithms differ."""
        n_zero = self.wilcoxon.n_zero
        return (
            self.counted
            if not n_zero
            else Units(n=self.wilcoxon.n - n_zero, noun="differing data set")
        )

    @property
    def least(self) -> SmallestPValue:
        """Smallest attainable p-value, and the number of differing data sets needed (the present one if enough)."""
        least = super().least
        enough = significant(least.pvalue, self.settings.alpha)
        return replace(least, needed=self._bounding_units.n if enough else least.needed)

    @property
    def _test_of_pair(self) -> PlannedTest:
        """The Wilcoxon test, without a check of its assumptions."""
        return PlannedTest(
            role=Role.PAIRWISE,
            card="wilcoxon",
            label="wilcoxon",
            method=WILCOXON,
            correction=None,
            unit=Unit.DATA_SET,
            population="data sets",
            reason=Reason.SUITED,
        )

    @property
    def test_name(self) -> str:
        """Name of the test."""
        return self._test_of_pair.description

    @property
    @cached
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """The Wilcoxon test, with a note if the differences are asymmetric."""
        return (replace(self._test_of_pair, failed=_asymmetric(self.symmetry())),)

    def again(self, inputs: Inputs) -> Comparison:
        """Return the comparison recomputed from other inputs."""
        return compare_averages(inputs)

    @property
    def top(self) -> tuple[str, ...]:
        """The better algorithm, or both if the estimate is zero."""
        return tuple(self.order) if self.wilcoxon.estimate == 0 else (self.better,)

    def table(self) -> pd.DataFrame:
        """Return one row for the Wilcoxon test, with estimate, interval and equivalence, and one for the sign test."""
        low, high = self.interval
        rows = [
            {"test": name, "n": test.n, "statistic": test.statistic, "p": test.pvalue}
            for name, test in (("Wilcoxon", self.wilcoxon), ("sign test", self.sign))
        ]
        rows[0] |= {"difference": self.pairs.frame["estimate"].iloc[0], "low": low, "high": high}
        if self.equivalence.results:
            rows[0]["region"] = self.equivalence.results[0]
        return pd.DataFrame(rows)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on identical results, asymmetric differences, and choices."""
        skewed = not_symmetric(self.symmetry())
        return (*same_notes(self), *skewed, *self.results.choices)

    @cached(across_alpha=True)
    def symmetry(self) -> pd.DataFrame | None:
        """Return the test of symmetry of the two algorithms; None if it is not possible."""
        return symmetry_of(self.scores, [(self.first, self.second)])


def compare_averages(inputs: Inputs) -> TwoComparison:
    """Return the comparison of two algorithms by averages; MissingCells if some lack and may not be left out."""
    results, settings = inputs.results, inputs.settings
    check_missing(results, inputs.scores, settings.measure)
    if results.failures == "present" and inputs.scores.isna().to_numpy().any():
        inputs = _where_both_are(inputs)
    if inputs.scores.isna().to_numpy().any():
        raise MissingCells.of("pair incomplete", missing=count_missing(results, settings.measure))
    first, second = settings.pair or inputs.scores.columns
    x, y = inputs.scores[first], inputs.scores[second]
    return TwoComparison(
        inputs=inputs, first=first, second=second, wilcoxon=wilcoxon(x, y), sign=sign_test(x, y)
    )


def _where_both_are(inputs: Inputs) -> Inputs:
    """Return inputs without data sets that miss a result; `results.undecided` keeps these data sets."""
    scores, results = inputs.scores.dropna(), inputs.results
    complete = results.select(datasets=list(scores.index))
    return replace(inputs, scores=scores, results=replace(complete, undecided=results.undecided))
