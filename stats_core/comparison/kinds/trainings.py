"""Comparison of algorithms trained several times and tested on one common test set."""

from dataclasses import dataclass
from typing import ClassVar

from stats_core.comparison.cards.method_card import method_card, reference_of
from stats_core.comparison.cited_text import CitedText, ending_sentence
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.plan_steps import Step, groups
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

    def origin(self) -> CitedText:
        """Return the sentence on how the results were obtained."""
        return ending_sentence(
            f"Each was trained {self.n_trainings} times and each time gave a prediction for every "
            "case of one common test set"
        )

    def steps(self) -> list[Step]:
        """Return the analysis steps for several trainings on one test set."""
        unit = Step(
            question="What is one result?",
            test=f"one case after one training ({format_count(self.n_cases, 'case')}, "
            f"{format_count(self.n_trainings, 'training')})",
            why=self.advice.because[1],
            reference=reference_of("two_way_test"),
            papers="The thesis tests over trainings and speaks of its test set.",
        )
        pairs = Step(
            question=f"Which algorithms differ in {self.settings.measure}?",
            test=self.post,
            why=method_card("two_way_test").why,
            reference=reference_of("two_way_test"),
            advised=True,
        )
        return [unit, pairs, *([groups()] if len(self.tests) > 1 else [])]

    @property
    def speaks(self) -> str:
        """Sentence on the population the conclusion generalizes to."""
        return (
            "This speaks of the algorithms on other cases of this population, trained anew on data "
            "that vary as theirs did"
        )

    @property
    def notes(self) -> tuple[Message, ...]:
        """Population of the conclusion, instances left out, choices."""
        n_left_out = self.cases.left_out
        left_out = (message("cases left out", n=n_left_out),) if n_left_out else ()
        population = message("cases and trainings", cases=self.n_cases, trainings=self.n_trainings)
        return (population, *left_out, *self.results.choices)

    def told(self, claim: str, separated: int) -> tuple[str, str, str] | None:
        """Return the headline for two algorithms that differ."""
        if claim != "leads" or len(self.tests) > 1:
            return None
        best, last = self.order
        headline = f"{best} has a better {self.settings.measure} than {last} on {self.dataset}."
        return headline, self.sizes([best]), ""


@message_text("cases and trainings")
def _both(voice: Audience, cases: int, trainings: int) -> str:
    return (
        f"All {trainings} trainings were tested on the same {format_count(cases, 'case')}: this speaks of "
        "other cases and other trainings. A test over trainings alone speaks of this test set only; "
        "its p stands beside each pair."
    )
