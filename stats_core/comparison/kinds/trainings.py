"""Comparison of algorithms trained several times and tested on one common test set."""

from dataclasses import dataclass
from typing import ClassVar

from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.core.formatting import format_count
from stats_core.core.messages import Audience, Message, message, message_text


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainingsComparison(CasesComparison):
    """Algorithms compared on the instances of one test set after several trainings.

    The test includes the variance over instances and over trainings. The p-value over trainings
    alone, which holds for this test set only, is also in `details`.
    """

    kind: ClassVar[str] = "trainings"
    derived: ClassVar[tuple[str, ...]] = (*CasesComparison.derived, "n_trainings")
    noun: ClassVar[str] = "algorithm"
    scope = "cases and trainings"

    @property
    def n_trainings(self) -> int:
        """Number of trainings of each algorithm."""
        return len(self.cases.trainings)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Population of the conclusion, instances left out, choices."""
        n_left_out = self.cases.left_out
        left_out = (message("cases left out", n=n_left_out),) if n_left_out else ()
        population = message("cases and trainings", cases=self.n_cases, trainings=self.n_trainings)
        return (population, *left_out, *self.results.choices)


@message_text("cases and trainings")
def _both(voice: Audience, cases: int, trainings: int) -> str:
    return (
        f"All {trainings} trainings were tested on the same {format_count(cases, 'case')}: this speaks of "
        "other cases and other trainings. A test over trainings alone speaks of this test set only; "
        "its p stands beside each pair."
    )
