"""Planned tests of a comparison: by which test, on which units, for which reason, which assumptions fail."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from stats_core.comparison import comparison_text
from stats_core.core.messages import Message, message
from stats_core.data.settings import CONTROL_CORRECTIONS
from stats_core.inference.methods import Assumption, PairMethod, Unit
from stats_core.inference.multiplicity.adjust import CORRECTIONS, FALSE_DISCOVERY


class Role(Enum):
    """Use of a test: on all algorithms, to decide on pairs or on a win, or in addition."""

    OMNIBUS = "omnibus"
    WIN = "win"
    PAIRWISE = "pairwise"
    ADDITIONAL = "additional"


class Reason(Enum):
    """Reason for a test, which texts put into words.

    It suits the design, as its card explains; it was requested; over data sets, tests that do not
    depend on other algorithms can be significant, or cannot, or failed runs have no values, or
    algorithms have results on different data sets. On instances, it is what a measure, clusters,
    repeated answers, several runs or the order of time require.
    """

    SUITED = "suited"
    REQUESTED = "requested"
    OWN_TESTS_CAN_DECIDE = "own tests"
    FEW_DATA_SETS = "few data sets"
    FAILED_RUNS = "failed runs"
    SHARED_DATA_SETS = "shared data sets"
    FEW_BENCHMARKS = "few benchmarks"
    DISAGREEMENTS = "disagreements"
    CORRELATED_AREAS = "correlated areas"
    CONSTANT_AREAS = "constant areas"
    EXCHANGEABLE = "exchangeable"
    TIME_ORDER = "time order"
    CLUSTERS = "clusters"
    AREAS_OF_CLUSTERS = "areas of clusters"
    ANSWERS = "repeated answers"
    INSTANCES_AND_RUNS = "instances and runs"
    CLUSTERS_AND_RUNS = "clusters and runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAssumption:
    """Assumption of a test that does not hold or is doubtful.

    Attributes
    ----------
    assumption : Assumption
        The assumption.
    note : Message
        The note on it.
    check : str or None
        Key of the card of the test that rejects it; None if it follows from the design.
    """

    assumption: Assumption
    note: Message
    check: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Permutations:
    """Permutations that the tests of a comparison used.

    Attributes
    ----------
    listed : bool
        Whether a test counted all permutations, so that it is exact.
    drawn : tuple of int
        Numbers of random permutations of the other tests, each once, in ascending order.
    """

    listed: bool
    drawn: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlannedTest:
    """A test of a comparison.

    Attributes
    ----------
    role : Role
        Use of the test.
    card : str
        Key of its method card.
    label : str or None
        Key of its name in `[tests]` of texts.toml; None for the name of `method`.
    method : PairMethod or None
        The test of two algorithms; None for any other test.
    correction : str or None
        Key of the correction for multiple comparisons; None for a single test, and for a test that
        adjusts by itself.
    unit : Unit
        Unit of analysis.
    population : str
        Population to which the test generalizes, one of `SCOPES`.
    reason : Reason
        Reason for this test.
    failed : tuple of FailedAssumption
        Assumptions that do not hold or are doubtful.
    corrects_overlap : bool
        Whether a test that is no `method` corrects for overlapping training sets.
    permutations : Permutations or None
        What a permutation test permuted; None for any other test.
    """

    role: Role
    card: str
    label: str | None
    method: PairMethod | None
    correction: str | None
    unit: Unit
    population: str
    reason: Reason
    failed: tuple[FailedAssumption, ...] = ()
    corrects_overlap: bool = False
    permutations: Permutations | None = None

    def notes_on(self, assumption: Assumption) -> list[Message]:
        """Return the notes on an assumption that fails."""
        return [failed.note for failed in self.failed if failed.assumption is assumption]

    @property
    def decides(self) -> bool:
        """Whether the comparison follows from this test, so that it is not an additional one."""
        return self.role is not Role.ADDITIONAL

    @property
    def name(self) -> str:
        """Name of the test, in the plural if it is adjusted for multiple comparisons."""
        if self.label is None:
            assert self.method is not None  # or `label` names the test
            return self.method.name
        return comparison_text(f"tests.{self.label}", plural=self.correction is not None)

    @property
    def name_of_one(self) -> str:
        """Name of the test in the singular."""
        return replace(self, correction=None).name

    @property
    def description(self) -> str:
        """Name of the test and its correction: "sign tests with Holm adjustment"."""
        if self.correction is None:
            return self.name
        return adjusted_tests(self.name, (CORRECTIONS | CONTROL_CORRECTIONS)[self.correction])


class Plan(tuple[PlannedTest, ...]):
    """Planned tests of a comparison, in their order.

    Examples
    --------
    >>> plan = Plan([of_all("friedman", Role.OMNIBUS, Unit.DATA_SET, "data sets")])
    >>> plan.omnibus.card, Plan().omnibus
    ('friedman', None)
    """

    __slots__ = ()

    @property
    def omnibus(self) -> PlannedTest | None:
        """The omnibus test; None if there is none."""
        return next((planned for planned in self if planned.role is Role.OMNIBUS), None)

    @property
    def pairwise(self) -> PlannedTest:
        """The pairwise test, which decides; there is always one if anything is tested."""
        return next(planned for planned in self if planned.role is Role.PAIRWISE)


def adjusted_tests(test: str, correction: str) -> str:
    """Return "sign tests with Holm adjustment" for "sign tests" and "Holm"; "unadjusted sign tests" for "none"."""
    form = {"none": "none", CORRECTIONS[FALSE_DISCOVERY]: "discoveries"}.get(correction, "by")
    return comparison_text(f"adjusted.{form}", test=test, by=correction)


def fails(
    assumption: Assumption, notes: Iterable[Message], *, check: str | None = None
) -> tuple[FailedAssumption, ...]:
    """Return an assumption that fails, once for each note on it."""
    return tuple(FailedAssumption(assumption=assumption, note=note, check=check) for note in notes)


def of_pairs(
    method: PairMethod,
    *,
    correction: str | None,
    population: str,
    overlaps: bool,
    non_normal: FailedAssumption | None,
) -> PlannedTest:
    """Return the planned pairwise test on folds; `non_normal` is None if normality is not doubtful."""
    failed: list[FailedAssumption] = []
    if overlaps and method.assumes_that(Assumption.INDEPENDENT_RESULTS):
        note = message("as if independent", test=method.key, name=method.name)
        failed += fails(Assumption.INDEPENDENT_RESULTS, [note])
    if non_normal is not None and method.assumes_that(non_normal.assumption):
        failed.append(non_normal)
    return PlannedTest(
        role=Role.PAIRWISE,
        card=method.card,
        label=None,
        method=method,
        correction=correction,
        unit=method.unit,
        population=population,
        reason=Reason.REQUESTED if method.on_request else Reason.SUITED,
        failed=tuple(failed),
    )


def of_all(
    card: str, role: Role, unit: Unit, population: str, failed: tuple[FailedAssumption, ...] = ()
) -> PlannedTest:
    """Return a planned test of all algorithms together, which suits the design."""
    return PlannedTest(
        role=role,
        card=card,
        label=card,
        method=None,
        correction=None,
        unit=unit,
        population=population,
        reason=Reason.SUITED,
        failed=failed,
    )
