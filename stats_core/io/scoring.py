"""Evidence for layout hypotheses, and the choice of the best one."""

from collections.abc import Callable
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stats_core.core.messages import Message, message
from stats_core.data.published import Published
from stats_core.io.problems import NotResults, Question, question_of
from stats_core.io.profile import Profile
from stats_core.io.vocabulary import direction_of, is_rate, measure_in_name, measure_in_text, split_declared_role

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


def told_measure(profile: Profile, results: list[str]) -> str:
    """Return the measure in the file name or the table title, "" if there is none.

    Contradicting names, and a rate outside the range of the numbers, count as none.
    """
    by_file, by_title = measure_in_name(profile.stem), measure_in_text(profile.table.title)
    if by_title and not _may_be(by_title, profile.matrix(results)):
        by_title = ""
    if by_file and by_title and direction_of(by_file) != direction_of(by_title):
        return ""
    return by_file or by_title


def _may_be(measure: str, numbers: np.ndarray) -> bool:
    """Return whether the numbers lie in the range of the measure, as fractions or percentages."""
    low, high = np.nanmin(numbers), np.nanmax(numbers)
    return not is_rate(measure) or bool(low >= 0 and high <= 100 * (1 + 1e-9))


def one_measure(profile: Profile, told: str) -> tuple[str, str]:
    """Return name and direction of a table's only measure, each "" if unknown.

    The user's settings take precedence over the table and are not respelled.
    """
    mapping = profile.mapping
    name = mapping.measure_name or told
    if not name and len(mapping.directions) == 1:
        name = next(iter(mapping.directions))
    direction = mapping.direction_of(name)
    bare_name, declared = split_declared_role(name)
    return (bare_name if declared in ("lower", "higher") else name), direction


def measure_fields(
    profile: Profile, columns: list[str], told: str, finding: Callable[[str], str], *, likely: str = ""
) -> dict[str, Any]:
    """Return the measure in some columns, its direction, the question about it, and notes.

    Without a direction it is guessed from the scale, else as `likely`; `finding` words what the
    table shows, given the name of the measure.
    """
    name, direction = one_measure(profile, told)
    asks: tuple[Question, ...] = ()
    if not direction:
        direction = "higher" if upper_bound(profile.matrix(columns)) else likely
        values = {"name": name, "found": finding(name)}
        asks = (question_of("direction", **values) if name else question_of("measure", **values),)
    measure = name or UNNAMED
    title = profile.table.title
    is_in_title = bool(name) and not profile.mapping.measure_name and not measure_in_name(profile.stem)
    notes = is_in_title and measure_in_text(title) == name
    return {
        "measure": measure,
        "directions": {measure: direction} if direction else {},
        "asks": asks,
        "notes": (message("measure in title", title=title, measure=name),) if notes else (),
    }
