"""Evidence for layout hypotheses, and the choice of the best one."""

from collections.abc import Mapping as Dictionary
from dataclasses import dataclass, field

import numpy as np

from stats_core.core.messages import Message, message
from stats_core.data.published import Published
from stats_core.io.problems import NotResults, Question

UNNAMED = "score"  # name of a measure without a known name


# weights of evidence
NAME, FAIR, STRONG = 1, 2, 3
# lead in weight that makes a hypothesis the clear winner
LEAD = 2
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
    """Return an observation with its weight as evidence; its lists become tuples."""
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
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


def upper_bound(numbers: np.ndarray) -> float:
    """Return 1 or 100 if numbers lie in that range, many in its upper half, else 0.

    Rates for which higher is better fill the upper half of the scale; errors seldom do.
    """
    present = numbers[~np.isnan(numbers)]
    for scale in (1.0, 100.0):
        if len(present) and present.min() >= 0 and present.max() <= scale * (1 + 1e-9):
            return scale if np.mean(present > scale / 2) >= 0.25 else 0.0
    return 0.0
