"""Comparison of two algorithms over data sets by the Wilcoxon signed-rank test."""

from dataclasses import dataclass, replace
from math import isnan, nan
from typing import ClassVar

import pandas as pd

from stats_core.comparison.detectable_inputs import AverageDetectableInput, DetectableInput
from stats_core.comparison.detectable_inputs import one_pair as one_pair_family
from stats_core.comparison.identical_pairs import same_notes
from stats_core.comparison.kinds.average_ranks import check_holes
from stats_core.comparison.kinds.datasets_base import OnDatasets, not_symmetric, symmetry_of
from stats_core.comparison.result import (
    Comparison,
    ErrorControl,
    Inputs,
    Shape,
    SmallestPValue,
    Units,
    cached_method,
    one_beats,
    one_pair,
)
from stats_core.core.errors import MissingCells
from stats_core.core.messages import Message
from stats_core.core.significance import significant
from stats_core.data.missing import count_holes
from stats_core.inference.paired import (
    SignTestResult,
    WilcoxonResult,
    hodges_lehmann_interval,
    sign_test,
    wilcoxon,
)
from stats_core.inference.paired.paired_intervals import mostly_equal


@dataclass(frozen=True, kw_only=True, eq=False)
class TwoComparison(OnDatasets):
    """Two algorithms over two or more data sets.

    Attributes
    ----------
    first, second : str
        The two; differences are first minus second in the measure's own direction.
    wilcoxon : WilcoxonResult
        The test that decides.
    sign : SignTestResult
        The sign test, for comparison.
    interval : tuple of float
        Hodges-Lehmann interval of the median difference at 1 - alpha; NaN where more than half of
        the differences are zero.
    """

    kind: ClassVar[str] = "two"
    shape = Shape(two=True)
    derived: ClassVar[tuple[str, ...]] = ("better", "worse", "differences")
    claim: ClassVar[str] = "better"
    first: str
    second: str
    wilcoxon: WilcoxonResult
    sign: SignTestResult
    interval: tuple[float, float]

    @property
    def better(self) -> str:
        """Algorithm favoured by the estimate; if zero by the test, then the first."""
        test = self.wilcoxon
        favoured = test.estimate or test.w_plus - test.w_minus
        return (
            self.first if favoured == 0 or (favoured > 0) == self.higher_is_better else self.second
        )

    @property
    def worse(self) -> str:
        """Name of the algorithm that is not `better`."""
        return self.second if self.better == self.first else self.first

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

    @property
    def order(self) -> list[str]:
        """The two algorithms, the better one first."""
        return [self.better, self.worse]

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return one row: the pair with the Hodges-Lehmann estimate."""
        test, (wins, ties, losses) = self.wilcoxon, self.record(self.first)
        return one_pair(
            self,
            estimate=nan if isnan(self.interval[0]) else test.estimate,
            low=self.interval[0],
            high=self.interval[1],
            statistic=test.statistic,
            p=test.pvalue,
            wins=wins,
            ties=ties,
            losses=losses,
        )

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm is significantly better than the column."""
        return one_beats(self)

    @property
    def least(self) -> SmallestPValue:
        """Smallest p-value attainable by an algorithm that wins every data set without a tie."""
        n = self.wilcoxon.n - self.wilcoxon.n_zero
        counted = self.counted
        if self.wilcoxon.n_zero:
            counted = Units(n=n, noun="data set that differs", plural="data sets that differ")
        enough = (m for m in range(n, 100) if significant(2.0 ** (1 - m), self.settings.alpha))
        return SmallestPValue(
            pvalue=min(1.0, 2.0 ** (1 - n)),
            counted=counted,
            needed=next(enough, None),
            extreme=f"Even if {self.better} won every one",
            test="the Wilcoxon test",
        )

    @property
    def guarantee(self) -> ErrorControl:
        """Error rate that alpha bounds: that of the one comparison."""
        return ErrorControl(bounds="one", comparisons=1)

    @property
    def where(self) -> str:
        """Phrase that names the number of data sets."""
        return f"over {self.counted}"

    @property
    def post(self) -> str:
        """Name of the test."""
        return "Wilcoxon"

    @property
    def effect(self) -> str:
        """Label of the Hodges-Lehmann estimate."""
        return f"median difference (Hodges-Lehmann) in {self.settings.measure}"

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

    def gap(self) -> DetectableInput:
        """Return the input for the smallest shift that the Wilcoxon test can detect."""
        pair = (self.scores[self.first].to_numpy(), self.scores[self.second].to_numpy())
        family = one_pair_family(self.settings.alpha)
        return AverageDetectableInput(family=family, pairs=[pair], unit=self.settings.measure)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Zero or asymmetric differences, choices."""
        skewed = not_symmetric(self.symmetry())
        return (*same_notes(self), *skewed, *self.results.choices)

    @cached_method
    def symmetry(self) -> pd.DataFrame | None:
        """Return the symmetry check of the differences."""
        return symmetry_of(self.scores, [(self.first, self.second)])


def compare_averages(inputs: Inputs) -> TwoComparison:
    """Compare the averages of two algorithms over data sets."""
    results, settings = inputs.results, inputs.settings
    check_holes(results, inputs.scores, settings.measure)
    if results.failures == "present" and inputs.scores.isna().to_numpy().any():
        inputs = _where_both_are(inputs)
    if inputs.scores.isna().to_numpy().any():
        raise MissingCells(
            "The Wilcoxon test needs a number for both algorithms on every data set. "
            f"{count_holes(results, settings.measure)}.",
            "leave out those data sets instead of ranking them worst",
        )
    first, second = settings.pair or inputs.scores.columns
    x, y = inputs.scores[first], inputs.scores[second]
    return TwoComparison(
        **vars(inputs),
        first=first,
        second=second,
        wilcoxon=wilcoxon(x, y),
        sign=sign_test(x, y),
        interval=_interval(x, y, settings.alpha),
    )


def _interval(x: pd.Series, y: pd.Series, alpha: float) -> tuple[float, float]:
    if mostly_equal(x.to_numpy(), y.to_numpy()):
        return nan, nan
    return hodges_lehmann_interval(x, y, confidence=1 - alpha)


def _where_both_are(inputs: Inputs) -> Inputs:
    """Leave out data sets with a missing result; choices about them stay undecided."""
    scores, results = inputs.scores.dropna(), inputs.results
    complete = results.select(datasets=list(scores.index))
    return replace(inputs, scores=scores, results=replace(complete, undecided=results.undecided))
