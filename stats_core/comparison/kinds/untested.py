"""Comparison without a test: one algorithm, or one number per algorithm."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from stats_core.comparison.cited_text import CitedText, ending_sentence
from stats_core.comparison.detectable_inputs import DetectableInput, UnknownDetectableInput
from stats_core.comparison.pairs_frame import PAIR_COLUMNS
from stats_core.comparison.plan_steps import IRSOY, Step
from stats_core.comparison.result import Comparison, ErrorControl, Shape, SmallestPValue, Units
from stats_core.core.formatting import format_number


@dataclass(frozen=True, kw_only=True, eq=False)
class UntestedComparison(Comparison):
    """Averages without a test."""

    kind: ClassVar[str] = "untested"
    shape = Shape(over="nothing")
    groups = ()
    scope = "none"  # nothing is inferred
    post = "no test"

    @property
    def order(self) -> list[str]:
        """Algorithms from best to worst average over data sets."""
        means = self.scores.mean().sort_values(
            ascending=not self.higher_is_better, kind="stable", na_position="last"
        )
        return list(means.index)

    def details(self) -> pd.DataFrame:
        """Return an empty table of pairs."""
        return pd.DataFrame(columns=list(PAIR_COLUMNS))

    @property
    def beats(self) -> pd.DataFrame:
        """All False, since nothing is tested."""
        return pd.DataFrame(False, index=self.order, columns=self.order)

    @property
    def counted(self) -> Units:
        """Number of data sets."""
        return Units(n=len(self.results.datasets), noun="data set")

    @property
    def obstacle(self) -> str:
        """Key of the reason why there is no test."""
        if len(self.results.algorithms) < 2:
            return "one algorithm"
        cases = self.results.predictions
        return "one number" if cases is None or "instance" in cases else "unnamed cases"

    @property
    def least(self) -> SmallestPValue:
        """A bound of 1, since there is no test."""
        return SmallestPValue(pvalue=1.0, counted=self.counted)

    @property
    def guarantee(self) -> ErrorControl:
        """No guarantee, since there is no test."""
        return ErrorControl(bounds="nothing", comparisons=0)

    def table(self) -> pd.DataFrame:
        """Return the averages, one row per data set."""
        return self.scores.rename_axis("dataset").reset_index()

    def gap(self) -> DetectableInput:
        """Return the reason why no difference can be detected."""
        return UnknownDetectableInput(
            reason="There is no test, so no difference could be found, however large."
        )

    def steps(self) -> list[Step]:
        """Return the step that explains why there is no test."""
        return [
            Step(
                question="Which algorithms differ on this data set?",
                test=self.advice.test,
                why=self.advice.because[0],
                reference=f"{IRSOY}, section III",
                papers="Every scenario and case of the papers starts from several results of each "
                "algorithm.",
                advised=True,
            )
        ]

    def methods(self) -> Iterable[CitedText]:
        """Yield the sentence that nothing was tested."""
        yield ending_sentence("Nothing was tested")

    def sizes(self, near: Sequence[str]) -> str:
        """Return a sentence that names the algorithm with the best average."""
        averages = self.scores.iloc[0].dropna() if len(self.scores) else pd.Series(dtype=float)
        if averages.empty:
            return "No algorithm has a complete result."
        name = averages.idxmax() if self.higher_is_better else averages.idxmin()
        return (
            f"{name} has the best average {self.settings.measure}, "
            f"{format_number(averages[name], self.digits)}."
        )
