"""Comparison of models over all instances of benchmarks too few for a test over them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison import comparison_text, plan, result
from stats_core.comparison.equivalence import Intervals
from stats_core.comparison.kinds import strata
from stats_core.comparison.kinds.instances import CasesComparison, PairsOfModels
from stats_core.comparison.kinds.strata import AdjustedTests, StratifiedDifference
from stats_core.comparison.pairs import Pairs, names_of_pairs
from stats_core.comparison.plan import PlannedTest, Reason, Role
from stats_core.core.errors import DegenerateError, DesignError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import cached
from stats_core.core.validation import significant
from stats_core.data.predictions import CaseTable
from stats_core.data.settings import Settings
from stats_core.inference import pairwise
from stats_core.inference.methods import Unit
from stats_core.inference.multiplicity import adjust
from stats_core.inference.rank_intervals import RankIntervalsResult

_MOST_PAIRS_TRIED = 50  # with other units


@dataclass(frozen=True, kw_only=True, eq=False)
class BenchmarksComparison(PairsOfModels):
    """Models compared over all instances of several benchmarks, by tests stratified by benchmark.

    Attributes
    ----------
    parts : tuple of CasesComparison
        The comparison on the instances of each benchmark.
    tests : AdjustedTests
        p-values of all pairs, or of all pairs with the control.
    values : Series by algorithm
        Value of the measure over all instances.
    """

    kind: ClassVar[str] = "benchmarks"
    derived: ClassVar[tuple[str, ...]] = (
        "n_cases",
        "correction",
        "adjusted",
        "benchmarks",
        "rank_intervals",
    )
    scope = "benchmarks"
    parts: tuple[CasesComparison, ...] = field(metadata=result.NOT_IN_JSON)
    tests: AdjustedTests = field(metadata=result.NOT_IN_JSON)
    values: pd.Series

    @property
    def shape(self) -> result.Shape:
        """Properties of this kind of comparison."""
        return result.Shape(over="benchmarks", control=bool(self.control))

    @property
    @cached(across_alpha=True)
    def order(self) -> list[str]:
        """Algorithms from best to worst over all instances; ties in the order of the data."""
        return list(
            self.values.sort_values(ascending=not self.higher_is_better, kind="stable").index
        )

    @property
    def n_cases(self) -> int:
        """Number of instances of all benchmarks, those left out not counted."""
        return sum(comparison.n_cases for comparison in self.parts)

    @property
    def counted(self) -> result.Units:
        """Number of independent units of all benchmarks: clusters, or else instances."""
        units = [comparison.counted for comparison in self.parts]
        return replace(units[0], n=sum(each.n for each in units))

    @property
    def where(self) -> str:
        """Phrase for the instances compared: "all 610 instances of these 2 benchmarks"."""
        return comparison_text(
            "comparison.instances_of_benchmarks", n=self.n_cases, sets=len(self.parts)
        )

    @property
    def n_trainings(self) -> int:
        """Largest number of runs of each algorithm on a benchmark."""
        return max(len(part.cases.trainings) for part in self.parts)

    @property
    def exact(self) -> bool:
        """Whether the test is the exact McNemar test."""
        return all(comparison.way == "mcnemar" for comparison in self.parts)

    @property
    def adjusted(self) -> pd.DataFrame:
        """Adjusted p-values, algorithm x algorithm; 1 for pairs that were not compared."""
        return self.tests.adjusted

    @property
    def _n_comparisons(self) -> int:
        """Number of pairs compared."""
        return len(self.compared_pairs())

    @property
    @cached(across_alpha=True)
    def identical(self) -> tuple[tuple[str, str], ...]:
        """Pairs, as ordered in `order`, whose answers are identical on all instances."""
        same = [set(map(frozenset, comparison.identical)) for comparison in self.parts]
        common = set.intersection(*same)
        return tuple(pair for pair in self.compared_pairs() if frozenset(pair) in common)

    @property
    def correction(self) -> str:
        """Correction applied to the pairwise p-values."""
        return adjust.used_correction(self.settings.correction, self.adjusted)

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row per pair, the better algorithm first or the control second.

        Columns: `PAIR_COLUMNS`, where the estimate is the difference over all instances; then
        "df" of the t test, "macro", "macro low", "macro high" and "macro p" of the mean of the
        benchmarks (p adjusted), "heterogeneity p", the p-value of Welch's test of equal differences
        on all benchmarks, "weights decide", whether the mean of the benchmarks leads to another
        decision because the benchmarks differ in size, and with a control "verdict".
        """
        pairs = self.compared_pairs()
        rows = strata.pair_rows(self.parts, self.tests, pairs, self.settings.alpha)
        table = pd.DataFrame(rows)
        if self.control:
            sides = [
                "no significant difference"
                if not row["separated"]
                else "better"
                if self.beats.loc[row["first"], row["second"]]
                else "worse"
                for row in rows
            ]
            table["verdict"] = sides
        table = table.sort_values(["p adjusted", "p"], kind="stable", ignore_index=True)
        return self._pairs_of(table)

    @cached
    def _stratified(self, first: str, second: str) -> StratifiedDifference:
        """Return the unadjusted stratified difference of two models."""
        return strata.combined(self.parts, first, second, self.settings.alpha)

    def benchmarks(self) -> pd.DataFrame:
        """Return the difference of the first of `compared_pairs` on each benchmark."""
        return self._stratified(*self.compared_pairs()[0]).frame

    def weights_decide(self) -> list[tuple[str, str]]:
        """Return the pairs for which the sizes of the benchmarks decide."""
        rows = self.pairs.frame
        return names_of_pairs(rows[rows["weights decide"].astype(bool)])

    def intervals(self, alpha: float) -> Intervals:
        """Return stratified intervals of the rows of `pairs` at error rate `guarantee.each(alpha)`."""
        rows, rate = self.pairs.decisions, self.guarantee.each(alpha)
        ends = []
        for first, second in names_of_pairs(rows):
            pooled = strata.combined(self.parts, first, second, rate, framed=False).pooled
            ends.append((float(pooled["low"]), float(pooled["high"])))
        return Intervals(ends=ends, by=comparison_text("comparison.same_test"))

    def attainable(self, n: int) -> float:
        """Return the smallest adjusted p-value attainable with n units; 0 for the exact test."""
        if self.exact:
            return 0.0
        settings, k = replace(self.settings, source="wilcoxon"), len(self.order)
        least = pairwise.smallest_control_pvalue if self.control else pairwise.smallest_pvalue
        return least(k, n, settings)

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row model is significantly better than the column model."""
        differs = significant(self.adjusted.loc[self.order, self.order], self.settings.alpha)
        return differs & np.triu(np.ones(differs.shape, dtype=bool), 1)

    @cached
    def rank_intervals(self) -> RankIntervalsResult | None:
        """Return the intervals for the ranks of all models; None for two models or time order."""
        has_ranks = all(comparison.has_rank_intervals for comparison in self.parts)
        return strata.stratified_ranks(self) if has_ranks else None

    @cached
    def _by_other_units(self) -> tuple[Message, ...]:
        """Return a note on the result without clusters, and with each column of possible ones."""
        if self.obstacle or self._n_comparisons > _MOST_PAIRS_TRIED:
            return ()
        units = [part.in_other_units() for part in self.parts]
        columns = [name for name in units[0] if all(name in tables for tables in units)]
        return tuple(self._in_units(name, [tables[name] for tables in units]) for name in columns)

    def _in_units(self, column: str, tables: Sequence[CaseTable]) -> Message:
        """Return the note on the result if the instances of each benchmark are in other units."""
        pairs, alpha = self.compared_pairs(), self.settings.alpha
        pvalue, n_significant = None, None
        try:
            parts = [part.tested_on(table) for part, table in zip(self.parts, tables, strict=True)]
            tests = strata.adjusted_tests(parts, list(self.values.index), self.settings)
        except (DesignError, DegenerateError):
            pass
        else:
            pvalue = float(tests.p.loc[pairs[0]]) if len(pairs) == 1 else None
            adjusted = [tests.adjusted.loc[pair] for pair in pairs]
            n_significant = sum(bool(significant(p, alpha)) for p in adjusted)
        return message(
            "other units",
            column=column,
            used=sum(part.n_clusters for part in self.parts),
            clusters=sum(table.n_clusters for table in tables),
            cases=self.n_cases,
            p=pvalue,
            alpha=alpha,
            n=n_significant,
            pairs=len(pairs),
        )

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on population, sizes that decide, identical pairs, correction, and choices."""
        few = message("these benchmarks", n=len(self.parts))
        decided = self.weights_decide()
        sizes = (message("sizes decide", pairs=tuple(f"{a} vs. {b}" for a, b in decided)),)
        fallback = adjust.fallback_message(
            self.settings.correction, len(self.order), used=self.correction
        )
        fallbacks = (fallback,) if fallback and self._n_comparisons > 1 and not self.control else ()
        return (
            few,
            *(sizes if decided and self._n_comparisons > 1 else ()),
            *self._by_other_units(),
            *result.same_notes(self),
            *fallbacks,
            *self.results.choices,
        )

    @property
    @cached
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """The stratified test, and as additions the mean of the benchmarks and the Welch test."""
        several = self._n_comparisons > 1
        unit = Unit.CLUSTER if any(part.how.of_clusters for part in self.parts) else Unit.INSTANCE
        if self.n_trainings > 1:
            unit = Unit.CLUSTER_AND_RUN if unit is Unit.CLUSTER else Unit.INSTANCE_AND_RUN
        pairs = PlannedTest(
            role=Role.PAIRWISE,
            card="stratified_difference",
            label="stratified_exact" if self.exact else "stratified_t",
            method=None,
            correction=self.correction if several else None,
            unit=unit,
            population=self.scope,
            reason=Reason.FEW_BENCHMARKS,
        )
        welch = plan.of_all("welch_test", Role.ADDITIONAL, unit, self.scope)
        mean = replace(pairs, role=Role.ADDITIONAL, label="mean_of_benchmarks")
        return (pairs, mean, welch)

    @property
    def ordered_by(self) -> result.Standing:
        """Values of the measure over all instances, by which the models are ordered."""
        return result.Standing(
            values=self.values,
            name=self.measure_name,
            lowest=not self.higher_is_better,
            digits=self.digits,
        )


def compare_over_instances(
    comparison: result.Comparison, requested: Settings
) -> BenchmarksComparison | None:
    """Return the comparison over all instances; None if the benchmarks can decide.

    They can if the Wilcoxon test of a pair can be significant without adjustment, and the
    comparison can find a difference. None is also returned without named instances whose mean is
    the measure, and if `requested` settings name the source of p-values or a correction for
    average ranks.
    """
    is_requested = bool(requested.source) or requested.correction == "nemenyi"
    least = max(comparison.least.pvalue, 2.0 ** (1 - len(comparison.results.datasets)))
    if is_requested or significant(least, comparison.settings.alpha):
        return None
    settings = replace(comparison.settings, source="")
    parts = strata.on_benchmarks(comparison.results, strata.needed_settings(settings))
    if not parts:
        return None
    names = list(settings.pair or comparison.results.algorithms)
    sizes = np.array([part.n_cases for part in parts], dtype=float)
    values = np.array([part.values[names].to_numpy(dtype=float) for part in parts])
    return BenchmarksComparison(
        inputs=replace(comparison.inputs, settings=settings),
        parts=parts,
        tests=strata.adjusted_tests(parts, names, settings),
        values=pd.Series(sizes @ values / sizes.sum(), index=names),
    )
