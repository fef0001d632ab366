"""All there is where nothing can be tested: one algorithm, or one number for each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from stats_core.comparison.cited_text import CitedText, ending_sentence
from stats_core.comparison.detectable_inputs import DetectableInput, UnknownDetectableInput
from stats_core.comparison.plan_steps import IRSOY, Step
from stats_core.comparison.result import (
    PAIR_COLUMNS,
    Comparison,
    ErrorControl,
    SmallestPValue,
    Units,
)
from stats_core.core.formatting import format_number
from stats_core.core.messages import Message
from stats_core.data.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class UntestedComparison(Comparison):
    """Averages without a test."""

    kind: ClassVar[str] = "untested"

    @property
    def order(self) -> list[str]:
        """The algorithms by their average over data sets."""
        means = self.scores.mean().sort_values(
            ascending=not self.higher_is_better, kind="stable", na_position="last"
        )
        return list(means.index)

    def details(self) -> pd.DataFrame:
        """Return no row."""
        return pd.DataFrame(columns=list(PAIR_COLUMNS))

    @property
    def beats(self) -> pd.DataFrame:
        """Nobody beats anybody."""
        return pd.DataFrame(False, index=self.order, columns=self.order)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """None."""
        return ()

    @property
    def counted(self) -> Units:
        """Number of data sets."""
        return Units(n=len(self.results.datasets), noun="data set")

    @property
    def scope(self) -> str:
        """These numbers only."""
        return "none"

    @property
    def obstacle(self) -> str:
        """One algorithm, one number for each, or predictions that name no cases."""
        if len(self.results.algorithms) < 2:
            return "one algorithm"
        cases = self.results.predictions
        return "one number" if cases is None or "instance" in cases else "unnamed cases"

    @property
    def least(self) -> SmallestPValue:
        """There is no test."""
        return SmallestPValue(pvalue=1.0, counted=self.counted)

    @property
    def guarantee(self) -> ErrorControl:
        """There is no test."""
        return ErrorControl(bounds="nothing", comparisons=0)

    def table(self) -> pd.DataFrame:
        """Return the averages, one row per data set."""
        return self.scores.rename_axis("dataset").reset_index()

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return no alternatives."""
        return []

    def gap(self) -> DetectableInput:
        """There is none."""
        return UnknownDetectableInput(
            reason="There is no test, so no difference could be found, however large."
        )

    def steps(self) -> list[Step]:
        """Say why there is no test."""
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
        """Say that there is no test."""
        yield ending_sentence("Nothing was tested")

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on choices made about the results."""
        return tuple(self.results.choices)

    @property
    def where(self) -> str:
        """Phrase that names the measure."""
        return f"on {self.settings.measure}"

    @property
    def post(self) -> str:
        """Nothing is tested."""
        return "no test"

    def sizes(self, near: Sequence[str]) -> str:
        """Name the best average."""
        averages = self.scores.iloc[0].dropna() if len(self.scores) else pd.Series(dtype=float)
        if averages.empty:
            return "No algorithm has a complete result."
        name = averages.idxmax() if self.higher_is_better else averages.idxmin()
        return (
            f"{name} has the best average {self.settings.measure}, "
            f"{format_number(averages[name], self.digits)}."
        )
