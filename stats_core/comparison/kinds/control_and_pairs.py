"""Comparisons over data sets with a control, of two algorithms, and with missing results."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isnan, nan, sqrt
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.kinds.datasets import (
    OnDatasets,
    RankedOnDatasets,
    by_rank,
    check_missing,
    correction_with_source,
    not_symmetric,
    other_corrections,
    other_sources,
    ranks_and_pairs,
    symmetry_of,
)
from stats_core.comparison.result import (
    Comparison,
    Inputs,
    OmnibusTest,
    PairComparison,
    Shape,
    SmallestPValue,
    Standing,
    Units,
    mostly_equal_note,
    ordered_pairs,
    pair_values,
    pairs_frame,
    same_notes,
)
from stats_core.core.errors import DesignError, MissingCells
from stats_core.core.formatting import join_names
from stats_core.core.messages import Message, message
from stats_core.core.result_cache import cached
from stats_core.core.result_types import PairwiseResult, labeled_matrix
from stats_core.core.significance import significant
from stats_core.core.validation import check_probability, check_sizes
from stats_core.data.missing import count_missing
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, Settings, Source
from stats_core.inference.bayesian import SignedRankResult, bayesian_signed_rank
from stats_core.inference.multiplicity.adjust import adjust_control, adjust_pairs
from stats_core.inference.multiplicity.corrections import CONTROL_CORRECTIONS, CORRECTIONS
from stats_core.inference.omnibus import (
    IncompleteBlocksResult,
    IncompletePairsResult,
    present_pairs,
    present_ranks,
    skillings_mack,
)
from stats_core.inference.pair_intervals import error_rates
from stats_core.inference.paired import (
    SignTestResult,
    WilcoxonResult,
    hodges_lehmann_interval,
    sign_interval,
    sign_test,
    wilcoxon,
)
from stats_core.inference.paired.signed_ranks import mostly_equal
from stats_core.inference.pairwise import smallest_control_pvalue


@dataclass(frozen=True, kw_only=True, eq=False)
class ControlComparison(RankedOnDatasets):
    """Two or more algorithms against a control, over two or more data sets.

    Attributes
    ----------
    control : str
        The algorithm with which all other algorithms are compared.
    statistics : Series by algorithm
        The statistic of each comparison. If p comes from ranks, it is positive if the average rank of
        the algorithm is larger (worse) than the control's.
    raw, adjusted : Series by algorithm
        p-values before and after the correction over the k - 1 comparisons.
    wins, ties, losses : Series by algorithm
        Numbers of data sets on which the algorithm beats, ties with, or loses to the control.
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
        """Return the algorithms better than the control, worse, and not significantly different from it."""
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

    @cached
    def tested(self) -> pd.DataFrame:
        """Return one row per algorithm but the control with its test; estimate and interval are NaN."""
        better, worse, _ = self.sides()
        names, ranks = self.others, self.friedman.average_ranks
        verdicts = {**dict.fromkeys(better, "better"), **dict.fromkeys(worse, "worse")}
        values = {"statistic": self.statistics, "p": self.raw, "p adjusted": self.adjusted}
        values |= {"rank gap": ranks[self.control] - ranks, "wins": self.wins, "ties": self.ties, "losses": self.losses}
        columns = {name: column[names].to_numpy() for name, column in values.items()}
        columns |= {"first": names, "second": self.control}
        columns |= {"verdict": [verdicts.get(name, "not separated") for name in names]}
        return pairs_frame(names, columns, self.settings.alpha)

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

    def attainable(self, n: int) -> float:
        """Return the smallest adjusted p-value attainable on n data sets."""
        return smallest_control_pvalue(len(self.order), n, self.settings)

    @property
    def extreme_case(self) -> str:
        """The most extreme result."""
        return f"one differed from {self.control} as much as it can"

    @property
    def n_comparisons(self) -> int:
        """Number of other algorithms."""
        return len(self.adjusted)

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return settings with other corrections and other sources of the p-values."""
        now = self.settings
        return other_corrections(now, CONTROL_CORRECTIONS) + other_sources(now, self.scores)

    def compared_pairs(self) -> Iterable[tuple[str, str]]:
        """Return every other algorithm with the control."""
        return [(name, self.control) for name in self.adjusted.index]

    def n_separated_by(self, raw: PairwiseResult, settings: Settings) -> tuple[int, int]:
        """Return how many comparisons are significant by another test, and the number of comparisons."""
        adjusted = adjust_control(raw.pvalues.loc[self.control, self.raw.index], settings.correction)
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
            np.delete(matrix.to_numpy()[:, control_position], control_position), index=others, name=control
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
    )


def dunn_difference(k: int, n: int, alpha: float) -> float:
    """Return the Bonferroni-Dunn critical difference of average ranks from the control's.

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


@dataclass(frozen=True, kw_only=True, eq=False)
class TwoComparison(PairComparison, OnDatasets):
    """Two algorithms over two or more data sets.

    Attributes
    ----------
    wilcoxon : WilcoxonResult
        The test that decides.
    sign : SignTestResult
        The sign test, for comparison.
    """

    kind: ClassVar[str] = "two"
    shape = Shape(two=True)
    derived: ClassVar[tuple[str, ...]] = ("interval", "better", "worse", "differences")
    wilcoxon: WilcoxonResult
    sign: SignTestResult

    @property
    @cached
    def interval(self) -> tuple[float, float]:
        """Hodges-Lehmann interval at 1 - alpha; NaN where more than half of the differences are zero."""
        x, y = self.scores[self.first], self.scores[self.second]
        if mostly_equal(x.to_numpy(), y.to_numpy()):
            return nan, nan
        return hodges_lehmann_interval(x, y, confidence=1 - self.settings.alpha)

    @property
    def better(self) -> str:
        """Algorithm favoured by the estimate; if zero by the test, then the first."""
        test = self.wilcoxon
        favoured = test.estimate or test.w_plus - test.w_minus
        return self.first if favoured == 0 or (favoured > 0) == self.higher_is_better else self.second

    def posterior(self, region: float, *, published: bool = False) -> SignedRankResult:
        """Return the Bayesian signed-rank test of the differences over data sets."""
        paired = self.scores[[self.first, self.second]].dropna()
        return bayesian_signed_rank(paired[self.first] - paired[self.second], rope=region)

    def record(self, name: str) -> tuple[int, int, int]:
        """Return the numbers of data sets that one algorithm wins, ties and loses."""
        larger = (self.sign.wins, self.sign.ties, self.sign.losses)
        return larger if (name == self.first) == self.higher_is_better else larger[::-1]

    def differences(self) -> pd.DataFrame:
        """Return scores, difference and its rank by size per data set, sorted by difference."""
        table = self.scores[[self.first, self.second]].copy()
        table["difference"] = table[self.first] - table[self.second]
        size = table["difference"].abs().round(12).rank()
        table["rank of size"] = size
        return table.sort_values("difference", kind="stable")

    @cached
    def details(self) -> pd.DataFrame:
        """Return one row: the pair with the Hodges-Lehmann estimate."""
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
        return pairs_frame([self.first, self.second], columns, self.settings.alpha)

    def attainable(self, n: int) -> float:
        """Return the p-value of an algorithm that wins all of n data sets."""
        return min(1.0, 2.0 ** (1 - n))

    @property
    def bounding_units(self) -> Units:
        """Data sets on which the two differ."""
        n_zero = self.wilcoxon.n_zero
        if not n_zero:
            return self.counted
        return Units(n=self.wilcoxon.n - n_zero, noun="data set that differs", plural="data sets that differ")

    bounding_test = "the Wilcoxon test"

    @property
    def least(self) -> SmallestPValue:
        """Smallest attainable p-value, and the number of differing data sets from which it is significant."""
        least = super().least
        enough = significant(least.pvalue, self.settings.alpha)
        return replace(least, needed=self.bounding_units.n if enough else least.needed)

    @property
    def test_name(self) -> str:
        """Name of the test."""
        return "Wilcoxon"

    def again(self, inputs: Inputs) -> Comparison:
        """Return the comparison of other inputs, tested again."""
        return compare_averages(inputs)

    @property
    def top(self) -> tuple[str, ...]:
        """The better algorithm, or both if the estimate is zero."""
        return tuple(self.order) if self.wilcoxon.estimate == 0 else (self.better,)

    def table(self) -> pd.DataFrame:
        """Return both tests, one row each."""
        low, high = self.interval
        rows = [
            {"test": name, "n": test.n, "statistic": test.statistic, "p": test.pvalue}
            for name, test in (("Wilcoxon", self.wilcoxon), ("sign test", self.sign))
        ]
        rows[0] |= {"difference": self.details()["estimate"].iloc[0], "low": low, "high": high}
        if self.regions():
            rows[0]["region"] = self.regions()[0]
        return pd.DataFrame(rows)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Zero or asymmetric differences, choices."""
        skewed = not_symmetric(self.symmetry())
        return (*same_notes(self), *skewed, *self.results.choices)

    @cached
    def symmetry(self) -> pd.DataFrame | None:
        """Return the symmetry check of the differences."""
        return symmetry_of(self.scores, [(self.first, self.second)])


def compare_averages(inputs: Inputs) -> TwoComparison:
    """Compare the averages of two algorithms over data sets."""
    results, settings = inputs.results, inputs.settings
    check_missing(results, inputs.scores, settings.measure)
    if results.failures == "present" and inputs.scores.isna().to_numpy().any():
        inputs = _where_both_are(inputs)
    if inputs.scores.isna().to_numpy().any():
        raise MissingCells(
            "The Wilcoxon test needs a number for both algorithms on every data set. "
            f"{count_missing(results, settings.measure)}.",
            "leave out those data sets instead of ranking them worst",
        )
    first, second = settings.pair or inputs.scores.columns
    x, y = inputs.scores[first], inputs.scores[second]
    return TwoComparison(**vars(inputs), first=first, second=second, wilcoxon=wilcoxon(x, y), sign=sign_test(x, y))


def _where_both_are(inputs: Inputs) -> Inputs:
    """Leave out data sets with a missing result; choices about them stay undecided."""
    scores, results = inputs.scores.dropna(), inputs.results
    complete = results.select(datasets=list(scores.index))
    return replace(inputs, scores=scores, results=replace(complete, undecided=results.undecided))


# corrections that assume no logical relations between pairs
_SUITABLE = ("holm", "hommel", "hochberg", "bonferroni", "none")


@dataclass(frozen=True, kw_only=True, eq=False)
class PresentComparison(OnDatasets):
    """Three or more algorithms over data sets, with missing results.

    Attributes
    ----------
    omnibus : IncompleteBlocksResult
        The Skillings-Mack test.
    standing : DataFrame by algorithm
        Average rank among the algorithms present, and the number of its data sets; best first.
    raw : IncompletePairsResult
        The tests of all pairs on shared data sets, unadjusted.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    """

    kind: ClassVar[str] = "present"
    shape = Shape(incomplete=True)
    derived: ClassVar[tuple[str, ...]] = ("smallest_pvalue",)
    ordered_by_ranks: ClassVar[bool] = True
    omnibus: IncompleteBlocksResult
    standing: pd.DataFrame
    raw: IncompletePairsResult
    adjusted: pd.DataFrame

    @property
    def order(self) -> list[str]:
        """Algorithms from best to worst average rank among those present."""
        return list(self.standing.index)

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm is significantly better than the column, by their test."""
        sign = 1 if self.higher_is_better else -1
        return significant(self.adjusted, self.settings.alpha) & (sign * self.raw.statistics > 0)

    @cached
    def details(self) -> pd.DataFrame:
        """Return one row per pair, the better ranked first, smallest adjusted p on top.

        Columns: those of `pairs`, where the estimate is the median difference of the averages on
        shared data sets, first minus second, with its interval by Hodges and Lehmann or by signs
        at the error rate of `error_rates`; then data sets (shared), wins, ties, losses.
        """
        order, tests, alpha = self.order, self.raw, self.settings.alpha
        first, second = ordered_pairs(order)
        rates = np.full(len(first), self.each(alpha))
        if not self.simultaneous:
            rates = error_rates(pair_values(tests.pvalues, order), pair_values(self.adjusted, order), alpha)
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
        return pairs_frame(order, columns, alpha)

    def _interval(self, first: str, second: str, rate: float) -> tuple[float, float, float]:
        """Return estimate and interval of one pair; NaN if they are not defined."""
        x, y = self.shared_results(first, second)
        if len(x) < 2 or mostly_equal(x, y):
            return nan, nan, nan
        by_signs = self.settings.source == "sign"
        interval = sign_interval if by_signs else hodges_lehmann_interval
        estimate = float(self.raw.estimates.loc[first, second])
        return estimate, *interval(x, y, confidence=1 - rate)

    def shared_results(self, first: str, second: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the averages of two algorithms on the data sets of both."""
        both = self.scores[[first, second]].dropna()
        return both[first].to_numpy(), both[second].to_numpy()

    @property
    def counted(self) -> Units:
        """Number of data sets with at least two results."""
        return Units(n=self.omnibus.n, noun="data set")

    @property
    def first_test(self) -> OmnibusTest:
        """The Skillings-Mack test of all algorithms at once."""
        return OmnibusTest(name="Skillings-Mack", outcome=self.omnibus)

    def attainable(self, n: int) -> float:
        """Return the smallest adjusted p-value attainable by a pair that shares n data sets."""
        pairs = 1 if self.settings.correction == "none" else self.n_pairs
        return min(1.0, pairs * 2.0 ** (1 - n))

    @property
    def bounding_units(self) -> Units:
        """Data sets that the pair with most of them shares."""
        return Units(n=self.raw.n, noun="shared data set")

    def again(self, inputs: Inputs) -> Comparison:
        """Return the comparison of other inputs, ranked and tested again."""
        return compare_present(inputs)

    @property
    def test_name(self) -> str:
        """Name of the correction and of the source of the p-values."""
        return f"{correction_with_source(CORRECTIONS, self.settings)} on shared data sets"

    @property
    def ordered_by(self) -> Standing:
        """Average ranks among the algorithms present, which order the algorithms."""
        return by_rank(self.standing["average rank"], self.settings.measure)

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return settings with other applicable corrections and with the other pairwise test."""
        current = self.settings
        applicable = {key: name for key, name in CORRECTIONS.items() if key in _SUITABLE}
        other: Source = "sign" if current.source == "wilcoxon" else "wilcoxon"
        other_source = (f"p from {SOURCES[other]}", replace(current, source=other))
        return [*other_corrections(current, applicable), other_source]

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
    )


def _with_tests_that_apply(inputs: Inputs) -> Inputs:
    """Replace source and correction that need complete data, with a note."""
    settings, results = inputs.settings, inputs.results
    used = replace(
        settings,
        source="wilcoxon" if settings.source == "ranks" else settings.source,
        correction=settings.correction if settings.correction in _SUITABLE else "holm",
    )
    if used == settings:
        return inputs
    names = {"asked": correction_with_source(CORRECTIONS, settings), "used": correction_with_source(CORRECTIONS, used)}
    requested = {"source": settings.source, "correction": settings.correction}
    note = message("tests of those present", **names, **requested)
    results = replace(results, choices=(*results.choices, note))
    return replace(inputs, settings=used, results=results)


def check_present(results: Results, settings: Settings) -> None:
    """Raise an error if a comparison with missing results is not possible."""
    measures = settings.measures or (settings.measure,)
    missing = next(filter(None, (count_missing(results, name) for name in measures)), None)
    folds = len(results.datasets) == 1
    if missing is None or (folds and len(results.algorithms) < 3 and not settings.measures):
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
    if len(results.algorithms) == 2 and len(results.datasets) - missing.datasets < 2:
        raise DesignError(
            "Two algorithms need at least 2 data sets that both have. "
            f"{missing}. Choose another way with the missing cells."
        )
