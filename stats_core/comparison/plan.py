"""Planned tests of a comparison on folds: by which test, for which reason, and which assumptions fail."""

from dataclasses import dataclass
from enum import Enum

from stats_core.core.messages import Message, message
from stats_core.inference.methods import Assumption, PairMethod, Unit


class Role(Enum):
    """Question that a test answers: whether any algorithms differ, or which pairs do."""

    OMNIBUS = "omnibus"
    PAIRWISE = "pairwise"


class Reason(Enum):
    """Reason for a test: it suits the design, as its card explains, or it was requested."""

    SUITED = "suited"
    REQUESTED = "requested"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAssumption:
    """Assumption of a test that does not hold, with the note on it."""

    assumption: Assumption
    note: Message


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlannedTest:
    """A test of a comparison.

    Attributes
    ----------
    role : Role
        Question that the test answers.
    card : str
        Key of its method card.
    method : PairMethod or None
        The test of two algorithms; None for a test of all algorithms together.
    unit : Unit
        Unit of analysis.
    reason : Reason
        Reason for this test.
    failed : tuple of FailedAssumption
        Assumptions that do not hold or are doubtful.
    """

    role: Role
    card: str
    method: PairMethod | None
    unit: Unit
    reason: Reason
    failed: tuple[FailedAssumption, ...]

    def notes_on(self, assumption: Assumption) -> list[Message]:
        """Return the notes on an assumption that fails."""
        return [failed.note for failed in self.failed if failed.assumption is assumption]


def of_pairs(method: PairMethod, *, overlaps: bool, non_normal: Message | None) -> PlannedTest:
    """Return the planned pairwise test, given whether training sets overlap and the note on normality."""
    failed = []
    if overlaps and method.assumes_that(Assumption.INDEPENDENT_RESULTS):
        note = message("as if independent", test=method.key, name=method.name)
        failed.append(FailedAssumption(assumption=Assumption.INDEPENDENT_RESULTS, note=note))
    if non_normal is not None and method.assumes_that(Assumption.NORMAL_DIFFERENCES):
        failed.append(FailedAssumption(assumption=Assumption.NORMAL_DIFFERENCES, note=non_normal))
    return PlannedTest(
        role=Role.PAIRWISE,
        card=method.card,
        method=method,
        unit=method.unit,
        reason=Reason.REQUESTED if method.on_request else Reason.SUITED,
        failed=tuple(failed),
    )


def of_all(
    card: str, role: Role, unit: Unit, failed: tuple[FailedAssumption, ...] = ()
) -> PlannedTest:
    """Return a planned test of all algorithms together."""
    return PlannedTest(
        role=role, card=card, method=None, unit=unit, reason=Reason.SUITED, failed=failed
    )
