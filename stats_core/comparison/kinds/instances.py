"""Comparison of trained models on the instances of one test set."""

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.detectable_inputs import DetectableInput, UnknownDetectableInput
from stats_core.comparison.kinds.instance_notes import (
    calibration_rows,
    losses_tested,
    thresholds_wished,
)
from stats_core.comparison.kinds.instances_base import ERRORS, WAYS, Way, pair_tests
from stats_core.comparison.pairs_frame import Intervals
from stats_core.comparison.result import (
    Comparison,
    ErrorControl,
    OmnibusTest,
    Shape,
    SmallestPValue,
    Standing,
    Units,
    cached_method,
)
from stats_core.core.formatting import format_count
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.result_types import TestResult
from stats_core.core.significance import significant
from stats_core.curves.risk_difference_bands import RiskBands, risk_bands
from stats_core.data.instance_table import CaseTable
from stats_core.inference.multiplicity.corrections import (
    CORRECTIONS,
    fallback_message,
    used_correction,
)
from stats_core.inference.pair_intervals import error_rates
from stats_core.inference.paired.instance_permutation import InstancePermutationResult
from stats_core.inference.paired.instances_and_trainings import InstancesAndTrainingsResult
from stats_core.inference.paired.paired_intervals import share_interval

OMNIBUS_NAMES = {"cochran_q": "Cochran's Q", "delong": "DeLong's test of all areas"}


@dataclass(frozen=True, kw_only=True, eq=False)
class CasesComparison(Comparison):
    """Trained models compared on the instances of one test set.

    Attributes
    ----------
    dataset : str
        Name of the data set.
    cases : CaseTable
        Predictions of all models for every instance.
    way : str
        The test of pairs, a key of `WAYS`.
    values : Series by algorithm
        The measure of each.
    omnibus : TestResult or None
        Omnibus test: Cochran's Q or DeLong's test of all areas; None if there is none.
    tests : dict of (str, str) to InstancePermutationResult
        Test of every pair.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    """

    kind: ClassVar[str] = "cases"
    shape = Shape(over="cases")
    derived: ClassVar[tuple[str, ...]] = (
        *("n_cases", "n_clusters", "correction"),
        *("best_thresholds", "calibration", "losses"),
    )
    noun: ClassVar[str] = "trained model"
    scope = "cases"
    kept_out: ClassVar[tuple[str, ...]] = ("cases", "tests")
    dataset: str
    cases: CaseTable
    way: str
    values: pd.Series
    omnibus: TestResult | None
    tests: dict[tuple[str, str], InstancePermutationResult]
    adjusted: pd.DataFrame

    @property
    def names(self) -> list[str]:
        """Names of the algorithms, in the order of the data."""
        return list(self.values.index)

    @property
    def how(self) -> Way:
        """Description of the pairwise test."""
        return WAYS[self.way]

    @property
    def correct(self) -> pd.DataFrame:
        """Whether each prediction is correct, instance x algorithm."""
        positions = [self.cases.names.index(name) for name in self.names]
        return pd.DataFrame(
            self.cases.correct[0][:, positions],
            index=pd.Index(self.cases.cases, name="instance"),
            columns=pd.Index(self.names, name="algorithm"),
        )

    @property
    def n_cases(self) -> int:
        """Number of instances in the test set."""
        return len(self.cases.cases)

    @property
    def n_clusters(self) -> int:
        """Number of clusters of instances; 0 if instances are not clustered."""
        return self.cases.n_clusters

    @property
    def order(self) -> list[str]:
        """Algorithms from best to worst; ties in the order of the data."""
        return list(
            self.values.sort_values(ascending=not self.higher_is_better, kind="stable").index
        )

    @property
    def correction(self) -> str:
        """Correction actually used over the pairs."""
        return used_correction(self.settings.correction, self.adjusted)

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return one row per pair, the better one first, smallest p on top.

        Columns: those of `pairs`, where the estimate is the difference of the measure, first minus
        second, in its own units, with the interval of the same test at the error rate of
        `error_rates`; for errors also only first, only second (instances that it alone classified
        correctly).
        """
        rows = []
        correct = self.correct
        rates = self._rates()
        for first, second in combinations(self.order, 2):
            sign, test = self._turned(self.tests, first, second)
            low, high = self._interval(first, second, rates[first, second])
            p = float(self.adjusted.loc[first, second])
            row = {
                "first": first,
                "second": second,
                "estimate": sign * test.estimate,
                "low": low,
                "high": high,
                "statistic": sign * test.statistic,
                "p": test.pvalue,
                "p adjusted": p,
                "separated": significant(p, self.settings.alpha),
            }
            if isinstance(test, InstancesAndTrainingsResult) and len(self.cases.trainings) > 1:
                row["p this test set"] = test.p_trainings
            if self.way == "mcnemar":
                row["only first"] = int((correct[first] & ~correct[second]).sum())
                row["only second"] = int((~correct[first] & correct[second]).sum())
            rows.append(row)
        table = pd.DataFrame(rows)
        return table.sort_values(["p adjusted", "p"], kind="stable", ignore_index=True)

    def _rates(self) -> dict[tuple[str, str], float]:
        """Return the error rate of the interval of each pair."""
        pairs = list(combinations(self.order, 2))
        p = [self._turned(self.tests, *pair)[1].pvalue for pair in pairs]
        adjusted = [self.adjusted.loc[pair] for pair in pairs]
        return dict(zip(pairs, error_rates(p, adjusted, self.settings.alpha), strict=True))

    def _interval(self, first: str, second: str, rate: float) -> tuple[float, float]:
        tests = self.tests
        if rate != self.settings.alpha:
            tests = pair_tests(self.cases, self.settings.measure, (first, second), 1 - rate)
        return self._ends(*self._turned(tests, first, second), rate)

    def intervals(self, alpha: float) -> Intervals:
        """Return the intervals of the pairwise test; Agresti-Min if two models never disagree."""
        level = self.each(alpha)
        tests = pair_tests(self.cases, self.settings.measure, self.order, 1 - level)
        rows = self.details()[["first", "second"]].itertuples(index=False)
        ends = [self._ends(*self._turned(tests, *row), level) for row in rows]
        return Intervals(ends=ends, by="the intervals of the same test")

    @staticmethod
    def _turned(
        tests: dict[tuple[str, str], InstancePermutationResult], first: str, second: str
    ) -> tuple[int, InstancePermutationResult]:
        """Return the sign (-1 if stored as second minus first) and the test of a pair."""
        if (first, second) in tests:
            return 1, tests[first, second]
        return -1, tests[second, first]

    def _ends(
        self, sign: int, test: InstancePermutationResult, level: float
    ) -> tuple[float, float]:
        """Return the interval of a test, negated if it is of second minus first."""
        if self.way == "mcnemar" and np.isnan(test.low):
            return share_interval(0, 0, self.n_cases, confidence=1 - level)
        return (test.low, test.high) if sign > 0 else (-test.high, -test.low)

    @cached_method
    def risk_bands(self) -> RiskBands:
        """Return bands of the risk differences as functions of theta."""
        return risk_bands(self.cases, level=1 - self.settings.alpha)

    @cached_method
    def best_thresholds(self) -> pd.DataFrame | None:
        """Return the best threshold of each model, see `thresholds_wished`."""
        return thresholds_wished(self.cases, self.settings.wish, self.settings.alpha)

    @cached_method
    def calibration(self) -> pd.DataFrame | None:
        """Return the calibration of each model, see `calibration_rows`."""
        return calibration_rows(self.cases)

    @cached_method
    def losses(self) -> pd.DataFrame | None:
        """Return the tests of Brier score and log loss, see `losses_tested`."""
        return losses_tested(self.cases, self.names, self.settings.alpha, self.settings.correction)

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row model is significantly better than the column."""
        differs = significant(self.adjusted.loc[self.order, self.order], self.settings.alpha)
        return differs & np.triu(np.ones(differs.shape, dtype=bool), 1)

    @property
    def counted(self) -> Units:
        """Number of instances, or of clusters of them."""
        if self.how.unit == "cluster":
            return Units(n=self.n_clusters, noun="cluster of cases", plural="clusters of cases")
        return Units(n=self.n_cases, noun="case")

    @property
    def first_test(self) -> OmnibusTest | None:
        """Cochran's Q or DeLong's test of all models; None for two models."""
        if self.omnibus is None:
            return None
        return OmnibusTest(name=OMNIBUS_NAMES[self.how.first], outcome=self.omnibus)

    @property
    def least(self) -> SmallestPValue:
        """No bound: it depends on how often models disagree, not on the test set size."""
        return SmallestPValue()

    @property
    def guarantee(self) -> ErrorControl:
        """Error rate that alpha bounds: family-wise over all pairs if p-values are adjusted."""
        if len(self.tests) == 1:
            return ErrorControl(bounds="one", comparisons=1)
        bounds = "each" if self.correction == "none" else "family"
        return ErrorControl(bounds=bounds, comparisons=len(self.tests), adjusted=bounds == "family")

    def gap(self) -> DetectableInput:
        """Return the reason why no detectable difference is known in advance."""
        return UnknownDetectableInput(
            reason="Which difference a test on cases can find hangs on how often two models "
            "disagree, which no size of the test set tells."
        )

    @property
    def notes(self) -> tuple[Message, ...]:
        """Limits of one test set, instances left out, choices."""
        n_left_out = self.cases.left_out
        left_out = (message("cases left out", n=n_left_out),) if n_left_out else ()
        paired = (note for note in self.results.notes if note.code == "cases in order")
        fallback = fallback_message(self.settings.correction, len(self.names), used=self.correction)
        fallbacks = (fallback,) if fallback and len(self.tests) > 1 else ()
        return (message("trained models"), *left_out, *fallbacks, *paired, *self.results.choices)

    @property
    def where(self) -> str:
        """Phrase that names the data set, and the measure unless it counts errors."""
        measure = self.settings.measure
        return f"on {self.dataset}" if measure in ERRORS else f"in {measure} on {self.dataset}"

    @property
    def post(self) -> str:
        """Name of the pairwise test and of its correction."""
        if len(self.tests) == 1:
            return self.how.short
        if self.correction == "none":
            return f"{self.how.on}, unadjusted"
        return f"{CORRECTIONS[self.correction]} on {self.how.on}"

    @property
    def tops(self) -> str:
        """Predicate of the headline for the best model."""
        return "errs least" if self.settings.measure in ERRORS else "is best"

    @property
    def effect(self) -> str:
        """Label of the estimate: a difference in the measure."""
        return f"difference in {self.settings.measure}"

    @property
    def ordered_by(self) -> Standing:
        """Values of the measure on the test set, which order the models."""
        return Standing(
            values=self.values,
            name=self.settings.measure,
            lowest=not self.higher_is_better,
            digits=self.digits,
        )


@message_text("trained models")
def _trained(voice: Audience) -> str:
    return (
        "One test set: this speaks of these trained models on this population of cases, not of the "
        "learning algorithms; how results vary with training is not seen."
    )


@message_text("cases left out")
def _left_out(voice: Audience, n: int) -> str:
    return f"{format_count(n, 'case')} that some algorithm failed on {'is' if n == 1 else 'are'} left out."
