"""`Entry`: a table, figure or tab, what it needs, and where it is offered; and shared needs."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, TypeVar

from stats_core.comparison.result import Comparison

Subject = TypeVar("Subject")
Made = TypeVar("Made")


class Place(Enum):
    """Where tables, figures and tabs are offered."""

    RESULTS = auto()  # the page Results
    EXPLORE = auto()  # the page Explore
    COMPARE = auto()  # the page Compare
    ARTICLE = auto()  # the article of the page Export, for which one table is chosen
    REPORT = auto()  # reports, their files and the page Export
    SUMMARY = auto()  # the text that `foldwise analyse` prints
    COMMAND = auto()  # `foldwise analyse --table`
    PLOT = auto()  # `compare(...).plot`


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Generic[Subject, Made]):
    """A table, a figure, or a tab of a page.

    Attributes
    ----------
    name : str
        Name by which it is requested; distinct among those that one comparison offers.
    make : callable
        Function of the subject that returns it: one, several, or none if there is nothing to show.
    needs : callable
        Function of the subject that returns why the subject has none, as a phrase; None if it may
        have one.
    where : frozenset of Place
        Places that offer it.
    """

    name: str
    make: Callable[[Subject], Made]
    needs: Callable[[Subject], str | None]
    where: frozenset[Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Generic[Subject]):
    """What entries are made from, such as results per fold.

    Attributes
    ----------
    name : str
        Name of the entries that need it, in a list of what is unavailable.
    lacking : callable
        Function of the subject that returns why it is lacking, None if it is not.
    """

    name: str
    lacking: Callable[[Subject], str | None]


@dataclass(frozen=True, slots=True)
class Needs(Generic[Subject]):
    """Evidence whose lack is named to users, and a condition; an entry needs both."""

    evidence: Evidence[Subject]
    condition: Callable[[Subject], str | None]

    def __call__(self, subject: Subject) -> str | None:
        """Return why one of them is lacking, None if none is."""
        why = self.evidence.lacking(subject)
        return self.condition(subject) if why is None else why


def lacking(
    entries: Iterable[Entry[Subject, Made]], subject: Subject, where: Place
) -> dict[str, str]:
    """Return why evidence of the entries of a place is lacking, by its name."""
    reasons = {}
    for entry in entries:
        if where in entry.where and isinstance(entry.needs, Needs):
            evidence = entry.needs.evidence
            reasons[evidence.name] = evidence.lacking(subject)
    return {name: reason for name, reason in reasons.items() if reason is not None}


def offered(
    entries: Iterable[Entry[Subject, Made]], subject: Subject, where: Place
) -> Iterator[Entry[Subject, Made]]:
    """Yield the entries of a place whose needs a subject meets."""
    for entry in entries:
        if where in entry.where and entry.needs(subject) is None:
            yield entry


# What a comparison may lack: a function that returns why it lacks what the docstring names, as a
# phrase such as "two algorithms", or None if it does not.
Need = Callable[[Comparison], str | None]


def every(*needs: Need) -> Need:
    """Return the need that is met if all are, and otherwise has the first reason."""

    def reason(comparison: Comparison) -> str | None:
        reasons = (need(comparison) for need in needs)
        return next((reason for reason in reasons if reason is not None), None)

    return reason


def any_of(*needs: Need) -> Need:
    """Return the need that is met if one of them is, and otherwise has the first reason."""

    def reason(comparison: Comparison) -> str | None:
        reasons = [need(comparison) for need in needs]
        return None if None in reasons else reasons[0]

    return reason


def averages(comparison: Comparison) -> str | None:
    """Averages on each data set, by one measure."""
    published = comparison.results.published
    if published is not None:
        return published.label
    if comparison.shape.wins:
        return "several measures"
    return _over(comparison, "data sets")


def folds(comparison: Comparison) -> str | None:
    """Results of the folds of one data set."""
    return _over(comparison, "folds")


def instances(comparison: Comparison) -> str | None:
    """Instances of one test set."""
    return _over(comparison, "cases")


def benchmarks(comparison: Comparison) -> str | None:
    """Instances of few test sets."""
    return _over(comparison, "benchmarks")


def _over(comparison: Comparison, units: str) -> str | None:
    """Return the units of a comparison as a phrase if they are not these; None if they are."""
    over = comparison.shape.over
    if over == units:
        return None
    if over == "nothing":
        return "one algorithm" if len(comparison.results.algorithms) < 2 else "no test"
    return _UNITS[over]


_UNITS = {
    "data sets": "several data sets",
    "folds": "one data set",
    "cases": "one test set",
    "benchmarks": "few data sets",
}


def complete(comparison: Comparison) -> str | None:
    """Results of all algorithms on all data sets."""
    return "missing results" if comparison.shape.incomplete else None


def incomplete(comparison: Comparison) -> str | None:
    """Missing results that are left out pair by pair."""
    return None if comparison.shape.incomplete else "no missing results"


def models(comparison: Comparison) -> str | None:
    """Instances of one or few test sets, on which models are compared."""
    return None if benchmarks(comparison) is None else instances(comparison)


def ranked(comparison: Comparison) -> str | None:
    """Ranks of several algorithms on every data set."""
    return every(averages, complete, several_algorithms)(comparison)


def several_algorithms(comparison: Comparison) -> str | None:
    """Tests of more than two algorithms."""
    return "two algorithms" if comparison.shape.two else None


def two_algorithms(comparison: Comparison) -> str | None:
    """Tests of two algorithms."""
    return None if comparison.shape.two else "several algorithms"


def all_pairs(comparison: Comparison) -> str | None:
    """Comparisons of all pairs."""
    return "comparisons with a control" if comparison.shape.control else None


def control(comparison: Comparison) -> str | None:
    """Comparisons with a control."""
    return None if comparison.shape.control else "no control"


def one_measure(comparison: Comparison) -> str | None:
    """Tests of one measure."""
    return "several measures" if comparison.shape.several_measures else None


def several_measures(comparison: Comparison) -> str | None:
    """Tests of several measures together."""
    return None if comparison.shape.several_measures else "one measure"


def average_ranks(comparison: Comparison) -> str | None:
    """Average ranks over data sets, computed or published."""
    shape = comparison.shape
    if shape.ranks:
        return None
    if comparison.results.n_datasets == 1:
        return "one data set"
    if shape.published:
        return "wins only" if shape.wins else "decisions only"
    return averages(comparison) or complete(comparison) or "two algorithms"


def wins(comparison: Comparison) -> str | None:
    """Wins on each data set by tests of its folds."""
    published = comparison.results.published
    if published is not None:
        return published.label
    return None if comparison.shape.wins else "no wins counted"


def untested(comparison: Comparison) -> str | None:
    """No test."""
    return None if comparison.shape.untested else "a test"


def published_ranks(comparison: Comparison) -> str | None:
    """Published average ranks."""
    return None if comparison.shape.published and comparison.shape.ranks else "no published ranks"


def published_wins(comparison: Comparison) -> str | None:
    """Published counts of wins."""
    return None if comparison.shape.published and comparison.shape.wins else "no published wins"


def published_decisions(comparison: Comparison) -> str | None:
    """Published decisions on pairs."""
    shape = comparison.shape
    is_met = shape.published and shape.over == "nothing"
    return None if is_met else "no published decisions"
