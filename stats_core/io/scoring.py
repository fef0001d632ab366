"""What speaks for and against a way to read a table, and which way is taken."""

from collections.abc import Mapping as Dictionary
from collections.abc import Sequence
from dataclasses import dataclass, field

from stats_core.core.messages import Message
from stats_core.data.published import Published

# how much a piece of evidence weighs
NAME, FAIR, STRONG = 1, 2, 3
# a way is taken if it is this far ahead of any other way to read the same table
AHEAD = 2
LEAST = 2  # a way for which less speaks is none


@dataclass(frozen=True, slots=True)
class LayoutEvidence:
    """One observation.

    Attributes
    ----------
    weight : int
        Above 0 if it speaks for the hypothesis, below if against.
    note : Note
        What was seen.
    """

    weight: int
    note: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What has to be asked before a table can be read in a way that fits otherwise.

    Attributes
    ----------
    about : {"direction", "columns", "rows", "class", "published"}
    question : str
        What to ask, with the consequence of the guess.
    must, found, do : str
        The same as a problem of the file.
    field : str
        Which field of the mapping answers, "" where it is the columns.
    """

    about: str
    question: str
    must: str
    found: str
    do: str
    field: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotResults:
    """Why a table holds nothing that can be compared: what must hold, what arrived, what to do."""

    must: str
    found: str
    do: str


@dataclass(frozen=True, kw_only=True)
class LayoutHypothesis:
    """One way to read a table.

    Attributes
    ----------
    layout : str
        How the table is laid out, "no results" where nothing in it can be compared.
    roles : dict of column to role
        Of every column.
    reasons : dict of column to Note
        Why a column has its role.
    evidence : tuple of Evidence
    measure : str
        What the numbers of a table of one measure are, "" if nobody told.
    directions : dict of measure to "lower" or "higher"
        What is known, or with a question about it what is guessed.
    rows : {"", "folds"}
        Whether rows that share all keys are the folds, in the order of the file.
    asks : tuple of Asks
        What must be asked first.
    refusal : Refusal or None
    notes : tuple of Note
        What to say of it once it is taken.
    published : Published or None
        What it holds instead of results.
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
        """How much speaks for it, all in all."""
        return sum(one.weight for one in self.evidence)


def best_hypothesis(
    hypotheses: Sequence[LayoutHypothesis],
) -> tuple[LayoutHypothesis, tuple[LayoutHypothesis, ...]]:
    """Return the hypothesis most speaks for, and those that are not clearly behind it."""
    ordered = sorted(hypotheses, key=lambda one: -one.weight)
    first, *others = ordered
    near = tuple(one for one in others if one.weight > first.weight - AHEAD)
    return first, near
