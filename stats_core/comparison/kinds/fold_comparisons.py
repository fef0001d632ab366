"""Comparison of three or more algorithms on the folds of one data set."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from math import comb
from typing import ClassVar, assert_never

import numpy as np
import pandas as pd

from stats_core.comparison import plan, result
from stats_core.comparison.equivalence import Intervals
from stats_core.comparison.kinds import fold_pair
from stats_core.comparison.kinds.fold_pair import CHECK_LEVEL, OnFolds
from stats_core.comparison.pairs import Pairs, names_of_pairs, pair_values, pairs_frame
from stats_core.comparison.plan import FailedAssumption, PlannedTest, Role
from stats_core.core.messages import Message, message
from stats_core.core.result_types import PairwiseResult, TestResult, cached, labeled_matrix
from stats_core.core.validation import significant
from stats_core.data import predictions
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference import (
    assumptions,
    fold_pairs,
    fold_tests,
    pair_intervals,
    pairwise,
    ranks,
)
from stats_core.inference.anova import (
    AnovaResult,
    TukeyResult,
    anova,
    half_width_after,
    tukey_after,
)
from stats_core.inference.fold_pairs import FoldPairTests
from stats_core.inference.methods import (
    CORRECTED_T,
    CV52_F,
    PAIR_TESTS,
    PAIRED_T,
    Assumption,
    Scale,
    Unit,
)
from stats_core.inference.multiplicity import adjust, cliques
from stats_core.inference.multiplicity.adjust import STEP_DOWN
from stats_core.inference.paired import CochranQResult, cochran_q, t_tests
from stats_core.inference.ranks import RankTestResult


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldsComparison(OnFolds):
    """Three or more algorithms on the folds of one data set.

    Attributes
    ----------
    anova, one_way : AnovaResult
        Analysis of variance with folds as blocks (the basis of Tukey's test), and the one without
        blocks.
    friedman : RankTestResult
        Friedman's test over folds.
    cochran : CochranQResult or None
        Cochran's Q on instances; None without predictions of instances, or if the measure is
        neither error nor accuracy.
    raw : PairwiseResult
        The chosen test of all pairs, unadjusted (Tukey's is adjusted by nature).
    estimates : DataFrame, algorithm x algorithm
        What the test estimates of each pair, row minus column.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    uncorrected, published : DataFrame or None
        `adjusted` by tests without correction for overlapping training sets, and by tests with the
        published degrees of freedom; each None if nothing changes.
    wins, ties : DataFrame, algorithm x algorithm
        Numbers of folds in which the row beats, or ties with, the column.
    checks : dict of str to TestResult or str
        Checks of the assumptions of the analysis of variance, or why one is not possible.
    """

    kind: ClassVar[str] = "folds"
    shape = result.Shape(over="folds")
    derived: ClassVar[tuple[str, ...]] = (
        *OnFolds.derived,
        "low",
        "high",
        "underlined",
        "smallest_pvalue",
        "letters",
    )
    anova: AnovaResult
    one_way: AnovaResult
    friedman: RankTestResult
    cochran: CochranQResult | None
    raw: PairwiseResult
    estimates: pd.DataFrame = field(metadata=result.NOT_IN_JSON)
    adjusted: pd.DataFrame
    uncorrected: pd.DataFrame | None
    published: pd.DataFrame | None
    wins: pd.DataFrame
    ties: pd.DataFrame
    checks: dict[str, TestResult | str]

    @property
    def order(self) -> list[str]:
        """Algorithms from best to worst mean."""
        return list(self.means.index)

    @property
    def letters(self) -> pd.Series:
        """Compact letter display: two algorithms share a letter exactly if they do not differ significantly."""
        return cliques.compact_letters(self.groups)[self.order]

    @property
    @cached
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """The omnibus test that matches the pairwise test, if there is one, and the pairwise test.

        An analysis of variance is added if there is no omnibus test and it alone is significant.
        """
        non_normal = fold_pair.non_normal(
            "normality", self.checks["normality"], self.settings.alpha
        )
        if self.method is None:
            failed = self._failed_of_anova(non_normal)
            return (
                plan.of_all("anova", Role.OMNIBUS, Unit.RESULT, self.scope, failed),
                plan.of_all("tukey", Role.PAIRWISE, Unit.RESULT, self.scope),
            )
        overlaps = self.test_fraction is not None
        pairs = plan.of_pairs(
            self.method,
            correction=self.correction,
            population=self.scope,
            overlaps=overlaps,
            non_normal=non_normal,
        )
        match self.method.scale:
            case Scale.INTERVAL:
                return (pairs, *self._variance_alone())
            case Scale.ORDINAL:
                return (plan.of_all("friedman", Role.OMNIBUS, Unit.RESULT, self.scope), pairs)
            case Scale.NOMINAL:
                return (plan.of_all("cochran_q", Role.OMNIBUS, Unit.INSTANCE, self.scope), pairs)
            case _:
                assert_never(self.method.scale)

    @property
    def tested_units(self) -> result.Units:
        """Number of folds, or of instances for tests on instances."""
        if self.method is None or not self.method.on_instances or self.cochran is None:
            return self.counted
        return result.Units(n=self.cochran.n, noun="instance")

    @property
    def omnibus(self) -> TestResult | None:
        """Omnibus test that matches the pairwise test; None if there is none."""
        planned = self.tests_of_design.omnibus
        if planned is None:
            return None
        outcomes = {"anova": self.anova, "friedman": self.friedman, "cochran_q": self.cochran}
        return outcomes[planned.card]

    @property
    def low(self) -> pd.DataFrame:
        """Lower ends of the intervals of row minus column; NaN if the test has none.

        Intervals exclude 0 exactly where the pair is significant. They are at the error rate of
        `error_rates`; Tukey's are simultaneous.
        """
        return self._ends()[0]

    @property
    def high(self) -> pd.DataFrame:
        """Upper ends of the intervals of row minus column; NaN if the test has none."""
        return self._ends()[1]

    @cached
    def _ends(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return lower and upper ends of the intervals, algorithm x algorithm."""
        raw = self.raw
        if isinstance(raw, TukeyResult):
            return raw.differences - raw.half_width, raw.differences + raw.half_width
        rows, columns = np.triu_indices(len(self.adjusted), 1)
        p, adjusted = (matrix.to_numpy()[rows, columns] for matrix in (raw.pvalues, self.adjusted))
        rates = pair_intervals.error_rates(
            p, adjusted, self.settings.alpha, correction=self.correction, family=self._n_comparisons
        )
        confidence_level = np.ones(self.adjusted.shape)
        confidence_level[rows, columns] = confidence_level[columns, rows] = 1 - rates
        tests = self._tests_of_pairs(labeled_matrix(confidence_level, self.adjusted.index))
        return tests.low, tests.high

    def _tests_of_pairs(self, confidence_level: float | pd.DataFrame) -> FoldPairTests:
        """Return `run_fold_pair_tests` of all pairs."""
        names = combinations(self.matrix.columns, 2)
        pairs = fold_pairs.fold_pairs(self.results, self.fold_data, self.settings.measure, names)
        return fold_pairs.run_fold_pair_tests(pairs, self.test, confidence_level)

    @property
    @cached
    def underlined(self) -> tuple[tuple[str, ...], ...]:
        """Groups that the published procedure underlines, each of neighbours in `order`."""
        return tuple(
            cliques.underlines(
                self.order, self.adjusted.loc[self.order, self.order], self.settings.alpha
            )
        )

    @property
    def notations_disagree(self) -> bool:
        """Whether underlines and maximal groups differ."""
        return set(self.underlined) != {group for group in self.groups if len(group) > 1}

    @property
    def disagreement(self) -> Message:
        """Note on the difference between underlines and maximal groups."""
        drawn, complete = len(self.underlined), sum(len(group) > 1 for group in self.groups)
        return message("underlines", drawn=drawn, whole=complete)

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row per pair, smallest adjusted p on top.

        The algorithm with the better mean is first; in a significant pair the one that the test
        favours.

        Columns: `PAIR_COLUMNS`, where the estimate is that of the test, first minus second; then p
        uncorrected and p published (if available), wins, ties, losses (of the first).

        Every statistic is of first against second. Those of the Wilcoxon, sign and 5x2 cv t tests
        are based on ranks, folds won and the first difference, so their sign can contradict the
        estimate; F has no sign.
        """
        columns = {
            "estimate": self.estimates,
            "statistic": self.raw.statistics,
            "p": self.raw.pvalues,
            "p adjusted": self.adjusted,
            "p uncorrected": self.uncorrected,
            "p published": self.published,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.wins.T,
        }
        rows = self._turned(pairs_frame(self.order, columns, self.settings.alpha))
        return self._pairs_of(rows, measure_rows=self._with_intervals)

    def _with_intervals(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows of `pairs` with the ends of their intervals; NaN for identical results."""
        low, high = self._ends()
        first, second = (low.index.get_indexer(rows[name]) for name in ("first", "second"))
        identical = {frozenset(pair) for pair in self.identical}
        untested = [frozenset(pair) in identical for pair in names_of_pairs(rows)]
        return rows.assign(
            low=np.where(untested, np.nan, low.to_numpy()[first, second]),
            high=np.where(untested, np.nan, high.to_numpy()[first, second]),
        )

    def quantiles(self) -> pd.DataFrame:
        """Return the points of the normal Q-Q plot of the residuals of the analysis of variance."""
        return assumptions.normal_qq(self.matrix)

    def at_level(self, alpha: float) -> "FoldsComparison":
        """Return the same comparison at another significance level."""
        raw = self.raw
        if isinstance(raw, TukeyResult):
            raw = replace(raw, half_width=half_width_after(self.anova, 1 - alpha))
        return replace(self, inputs=self.inputs.at_level(alpha), raw=raw)

    def intervals(self, alpha: float) -> Intervals | None:
        """Return the test's intervals, at error rate `guarantee.each(alpha)`, Tukey's jointly at `alpha`; None if it has none."""
        if isinstance(self.raw, TukeyResult):
            reach = half_width_after(self.anova, 1 - alpha)
            low, high = (self.raw.differences + side * reach for side in (-1, 1))
        else:
            tests = self._tests_of_pairs(1 - self.guarantee.each(alpha))
            low, high = tests.low, tests.high
        rows = names_of_pairs(self.pairs.decisions)
        ends = [(float(low.loc[a, b]), float(high.loc[a, b])) for a, b in rows]
        if np.isnan(ends).all():
            return None
        return Intervals(
            ends=ends, by=f"the intervals of {self._interval_name}", together=self.method is None
        )

    def _turned(self, table: pd.DataFrame) -> pd.DataFrame:
        """Turn significant pairs of `table` so that a directed test favours the first algorithm, and return it."""
        sign = 1 if self.higher_is_better else -1
        turn = table["separated"] & (sign * table["statistic"] < 0)
        if self.method is None or not self.method.signed or not turn.any():
            return table
        for column, opposite, factor in (("first", "second", None), ("wins", "losses", None)):
            both = table.loc[turn, [opposite, column]].to_numpy()
            table.loc[turn, [column, opposite]] = both if factor is None else factor * both
        table.loc[turn, ["estimate", "statistic"]] *= -1
        return table

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm is significantly better than the column algorithm, by the test used.

        With tests based on signs, ranks or single folds, the better algorithm can have the worse
        mean. The 5x2 cv F test has no direction, so that of the means is used; equal means have
        none.
        """
        names, decided = pd.Index(self.order), self._decided()
        beaten = np.zeros((len(names), len(names)), dtype=bool)
        beaten[names.get_indexer(decided["first"]), names.get_indexer(decided["second"])] = True
        return labeled_matrix(beaten, names)

    def _decided(self) -> pd.DataFrame:
        pairs = self.pairs.decisions
        if self.method is None or self.method.signed:
            return pairs[pairs["separated"]]
        return pairs[pairs["separated"] & (pairs["estimate"] != 0)]

    @property
    def first_test(self) -> result.OmnibusTest | None:
        """Omnibus test that matches the pairwise test; None if there is none."""
        planned = self.tests_of_design.omnibus
        if planned is None or self.omnibus is None:
            return None
        return result.OmnibusTest(name=planned.name, outcome=self.omnibus)

    @property
    def correction(self) -> str:
        """Correction of the pairwise p-values; for Tukey's test, which needs none, the one in the settings."""
        return adjust.used_correction(self.settings.correction, self.adjusted, source=self.test)

    @property
    def _pvalue_factor(self) -> int:
        """Smallest factor by which the correction multiplies the smallest p-value.

        It is 1 for step-up corrections, which keep a p-value that all pairs share.
        """
        return comb(len(self.order), 2) if self.settings.correction in STEP_DOWN else 1

    @property
    def ordered_by(self) -> result.Standing:
        """Means over folds, by which the algorithms are ordered."""
        return result.Standing(
            values=self.means,
            name=f"mean {self.measure_name}",
            lowest=not self.higher_is_better,
            digits=self.digits,
        )

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return labelled settings with Tukey's, the recommended or the 5x2 cv F test, or ignored overlap corrected."""
        current = replace(self.settings, test=self.test)
        keys = [TUKEY]
        if self.test_fraction is not None:
            keys.append(fold_tests.advised_test(self.test_fraction, self.n_folds))
        keys += [CV52_F.key] if self.design == "5x2" else []
        options = [
            (f"pairs by {key}", replace(current, test=key)) for key in keys if key != self.test
        ]
        requested = self.settings
        ignored = requested.test in ("", TUKEY) and requested.overlap == "ignored"
        if ignored and self.test_fraction is not None:
            options.append(("overlap corrected", replace(requested, overlap="corrected")))
        return options

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on identical results and choices; if tests can decide, also on design, assumptions and pairs."""
        if self.obstacle or not significant(self.least.pvalue, self.settings.alpha):
            return (*result.same_notes(self), *self.results.choices)
        notes = [*self.design_notes(), *result.same_notes(self)]
        notes += [failed.note for planned in self.plan for failed in planned.failed]
        notes += [
            *fold_pair.published_notes(self),
            *self._variance_notes(),
            *self._by_overlap(),
            *self._mean_contradictions(),
        ]
        if self.notations_disagree:
            notes.append(self.disagreement)
        requested, k = self.settings.correction, len(self.adjusted)
        if self.method is not None and (
            fallback := adjust.fallback_message(
                requested, k, source=self.test, used=self.correction
            )
        ):
            notes.append(fallback)
        return (*notes, *self.results.choices)

    def design_notes(self) -> list[Message]:
        """Return a note on overlap if settings and test ignore it, otherwise notes on limits of the design."""
        ignored = self.test_fraction is not None and self.settings.overlap == "ignored"
        ignored = ignored and not (self.method is not None and self.method.corrects_overlap)
        return [message("overlap ignored")] if ignored else OnFolds.design_notes(self)

    def _variance_alone(self) -> list[PlannedTest]:
        """Return the analysis of variance if it rejects but no pair differs, else []."""
        if self.pairs.differing or not significant(self.anova.pvalue, self.settings.alpha):
            return []
        return [plan.of_all("anova", Role.ADDITIONAL, Unit.RESULT, self.scope)]

    def _variance_notes(self) -> list[Message]:
        """Return a note if an analysis of variance is planned as an addition, else []."""
        if all(planned.decides for planned in self.plan):
            return []
        return [message("variance only", p=self.anova.pvalue, alpha=self.settings.alpha)]

    def _by_overlap(self) -> list[Message]:
        if self.uncorrected is None:
            return []
        n_plain, n_corrected = (
            int(significant(pair_values(matrix, self.order), self.settings.alpha).sum())
            for matrix in (self.uncorrected, self.adjusted)
        )
        return (
            [message("overlap counted", plain=n_plain, corrected=n_corrected)]
            if n_plain != n_corrected
            else []
        )

    def _failed_of_anova(self, non_normal: FailedAssumption | None) -> tuple[FailedAssumption, ...]:
        """Return the failed assumptions of the analysis of variance: pooled variance, sphericity, normality."""
        alpha = self.settings.alpha
        failed = list[FailedAssumption]()
        sphericity_check = self.checks["sphericity"]
        if not self.overlap_ignored:
            failed += plan.fails(Assumption.SPHERICITY, [message("pooled variance")])
        if isinstance(sphericity_check, TestResult) and significant(
            sphericity_check.pvalue, CHECK_LEVEL
        ):
            p = self.anova.pvalue_gg
            same = significant(p, alpha) == significant(self.anova.pvalue, alpha)
            overlap_corrected = self.anova.factor != 1
            note = message(
                "unequal pairs",
                doubt=sphericity_check.pvalue,
                p=p,
                same=same,
                kept=overlap_corrected,
                alpha=alpha,
            )
            failed += plan.fails(Assumption.SPHERICITY, [note], check="sphericity")
        if non_normal is not None:
            failed.append(non_normal)
        return tuple(failed)

    def _mean_contradictions(self) -> list[Message]:
        """Return a note on significant pairs whose better algorithm has the worse mean; [] if there are none."""
        position_of = {name: position for position, name in enumerate(self.order)}
        against = tuple(
            f"{first} vs. {second}"
            for first, second in self._decided()[["first", "second"]].itertuples(index=False)
            if position_of[first] > position_of[second]
        )
        if not against or self.method is None:
            return []
        name = "McNemar's test" if self.method.on_instances else f"the {self.method.name}"
        return [message("against the means", test=self.test, name=name, pairs=against)]


def compare_on_folds(inputs: result.Inputs) -> FoldsComparison:
    """Return the comparison of several algorithms on folds; DesignError if the chosen test does not apply."""
    results, settings = inputs.results, inputs.settings
    data = fold_pairs.fold_data(results, results.datasets[0], settings)
    matrix, fraction = data.matrix, data.test_fraction if settings.overlap == "corrected" else None
    n = len(matrix)
    test = settings.test or fold_tests.advised_test(fraction, n, settings.df)
    cases = (
        predictions.correct_cases(results, data.dataset)
        if settings.measure in ("error", "accuracy")
        else None
    )
    analyse_variance = partial(
        anova, matrix, test_fraction=fraction, max_df=fold_pairs.max_df(settings, n, fraction)
    )
    model = analyse_variance(blocked=True)
    pairs = fold_pairs.fold_pairs(results, data, settings.measure, combinations(matrix.columns, 2))

    def run_tests(test: str) -> FoldPairTests:
        fold_pair.check_applies(next(iter(pairs.values())), test)
        run = partial(fold_pairs.run_fold_pair_tests, pairs, test, 1 - settings.alpha)
        return inputs.test_cache.recall(
            (test, settings.measure, data.test_fraction, settings.alpha), run
        )

    def test_pairs(test: str, model: AnovaResult) -> PairwiseResult:
        if test == TUKEY:
            return tukey_after(model, 1 - settings.alpha)
        return run_tests(test).outcome

    raw = test_pairs(test, model)
    adjusted = _adjust(raw, test, settings)
    wins, ties = pairwise.count_wins(matrix, higher_is_better=inputs.higher_is_better)
    return FoldsComparison(
        inputs=inputs,
        fold_data=data,
        test=test,
        anova=model,
        one_way=analyse_variance(blocked=False),
        friedman=ranks.friedman(
            matrix.set_axis(range(n)), higher_is_better=inputs.higher_is_better
        ),
        cochran=cochran_q(cases) if cases is not None and len(cases) else None,
        raw=raw,
        estimates=raw.differences if isinstance(raw, TukeyResult) else run_tests(test).estimate,
        adjusted=adjusted,
        uncorrected=_uncorrected(test_pairs, matrix, test, settings, fraction),
        published=_published(test_pairs, matrix, test, settings, fraction),
        wins=wins,
        ties=ties,
        checks={
            "normality": fold_pair.or_reason(assumptions.normality, matrix),
            "equal variances": fold_pair.or_reason(assumptions.equal_variances, matrix),
            "sphericity": fold_pair.or_reason(assumptions.sphericity, matrix),
        },
    )


def possible_post_hocs(results: Results, dataset: str, settings: Settings) -> tuple[str, ...]:
    """Return the possible pairwise tests, the recommended first; uses `measure`, `test_fraction` and `df` only."""
    first, *others = fold_pairs.possible_tests(results, dataset, settings)
    return (first, TUKEY, *others)


def _adjust(raw: PairwiseResult, test: str, settings: Settings) -> pd.DataFrame:
    if isinstance(raw, TukeyResult) or test == TUKEY:
        return raw.pvalues
    correction = adjust.usable_correction(settings.correction, len(raw.pvalues), source=test)
    return adjust.adjust_by_nearest(raw.pvalues, correction)


def _uncorrected(
    test_pairs: Callable,
    matrix: pd.DataFrame,
    test: str,
    settings: Settings,
    fraction: float | None,
) -> pd.DataFrame | None:
    if fraction is None or not (test == TUKEY or PAIR_TESTS[test].corrects_overlap):
        return None
    plain = TUKEY if test == TUKEY else PAIRED_T.key
    return _adjust(test_pairs(plain, anova(matrix)), plain, settings)


def _published(
    test_pairs: Callable,
    matrix: pd.DataFrame,
    test: str,
    settings: Settings,
    fraction: float | None,
) -> pd.DataFrame | None:
    """Return adjusted p-values with the published degrees of freedom; None if they are identical."""
    n = len(matrix)
    if test == TUKEY:
        bounded = fold_pairs.max_df(settings, n, fraction) is not None
    else:
        bounded = PAIR_TESTS[test].bounded_df and t_tests.conservative_df(n) is not None
    if not bounded:
        return None
    other = TUKEY if test == TUKEY else CORRECTED_T.key
    model = anova(matrix, test_fraction=fraction)
    return _adjust(test_pairs(other, model), other, settings)
