"""Evidence for layout hypotheses, and the choice of the best one."""

from collections.abc import Mapping as Dictionary
from collections.abc import Sequence
from dataclasses import dataclass, field

from stats_core.core.messages import Message, message
from stats_core.data.published import Published
from stats_core.io.problems import NotResults, Question

# weights of evidence
NAME, FAIR, STRONG = 1, 2, 3
# lead in weight that makes a hypothesis the clear winner
AHEAD = 2
LEAST = 2  # least weight of a hypothesis


@dataclass(frozen=True, slots=True)
class LayoutEvidence:
    """One weighted observation about a table.

    Attributes
    ----------
    weight : int
        Positive if it supports the hypothesis, negative if it contradicts it.
    note : Message
        The observation.
    """

    weight: int
    note: Message


def observed(weight: int, code: str, **values: object) -> LayoutEvidence:
    """Return an observation with its weight as evidence."""
    return LayoutEvidence(weight, message(f"seen: {code}", **values))


@dataclass(frozen=True, kw_only=True)
class LayoutHypothesis:
    """A possible layout of a table.

    Attributes
    ----------
    layout : str
        Name of the layout, "no results" if there is nothing to compare.
    roles : dict of column to role
        Role of every column.
    reasons : dict of column to Message
        Why a column has its role.
    evidence : tuple of LayoutEvidence
    measure : str
        The measure in a table of one measure, "" if unknown.
    directions : dict of measure to "lower" or "higher"
        Known directions, or guesses if there is a question about them.
    rows : {"", "folds"}
        Whether rows that share all keys are the folds, in the order of the file.
    asks : tuple of Question
        Questions to ask first.
    refusal : NotResults or None
    notes : tuple of Message
        Messages to show if the hypothesis is accepted.
    published : Published or None
        The published summary that the table holds instead of results.
    """

    layout: str
    roles: Dictionary[str, str] = field(default_factory=dict)
    reasons: Dictionary[str, Message] = field(default_factory=dict)
    evidence: tuple[LayoutEvidence, ...] = ()
    measure: str = ""
    directions: Dictionary[str, str] = field(default_factory=dict)
    rows: str = ""
    asks: tuple[Question, ...] = ()
    refusal: NotResults | None = None
    notes: tuple[Message, ...] = ()
    published: Published | None = None

    @property
    def weight(self) -> int:
        """Sum of the weights of the evidence."""
        return sum(observation.weight for observation in self.evidence)


def best_hypothesis(
    hypotheses: Sequence[LayoutHypothesis],
) -> tuple[LayoutHypothesis, tuple[LayoutHypothesis, ...]]:
    """Return the hypothesis with the largest weight, and its close rivals."""
    ordered = sorted(hypotheses, key=lambda hypothesis: -hypothesis.weight)
    first, *others = ordered
    rivals = tuple(hypothesis for hypothesis in others if hypothesis.weight > first.weight - AHEAD)
    return first, rivals
