"""Comparison without a test: one algorithm, or one number per algorithm."""

from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from stats_core.comparison.detectable_inputs import DetectableInput, UnknownDetectableInput
from stats_core.comparison.pairs_frame import PAIR_COLUMNS
from stats_core.comparison.result import Comparison, ErrorControl, Shape, SmallestPValue, Units


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
