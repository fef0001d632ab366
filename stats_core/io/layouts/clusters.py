"""Columns of instances that belong together: clusters by their name, or possible clusters."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum

import pandas as pd

from stats_core.core.messages import Message, message
from stats_core.io import vocabulary
from stats_core.io.problems import role_reason
from stats_core.io.profile import ColumnProfile, LayoutHypothesis, Profile

_LAYOUTS = ("predictions", "wide predictions", "items", "wide items")
_MOST_NAMED, _MOST_OTHERS = 1 / 1.2, 1 / 2  # clusters per instance, by their column's name
_MOST_NUMBERS = 1 / 10  # of whole numbers in a column of any name
_MOST_BLANK = 1 / 2  # of the cells of a column of possible clusters
_FEWEST = 10  # clusters in a column whose name may also denote a category
_MOST_NOTES = 4  # on one column each
_KEYS = ("dataset", "algorithm", "repetition", "fold", "answer")


class Likelihood(IntEnum):
    """What the name of a column tells about the instances that share a value."""

    UNITS = 0  # documents or patients
    UNITS_OR_CATEGORIES = 1  # subjects or groups
    UNKNOWN = 2
    CATEGORIES = 3  # levels of difficulty or languages


@dataclass(frozen=True, slots=True, kw_only=True)
class _Units:
    """A column of possible clusters, with its numbers of values, and of clusters and instances of all data sets."""

    column: str
    values: int
    n: int
    cases: int
    likelihood: Likelihood
    are_sure: bool

    def note_with(self, used: str) -> Message:
        """Return the note on this column, which is not used; another used column may be ""."""
        is_category = self.likelihood is Likelihood.CATEGORIES
        code = "categories" if is_category else "clusters suggested"
        if used:
            return message("other clusters", column=self.column, n=self.values, used=used)
        return message(code, column=self.column, n=self.values, cases=self.cases)


def with_clusters(profile: Profile, hypothesis: LayoutHypothesis) -> LayoutHypothesis:
    """Return the hypothesis with a column of clusters and notes on all other possible ones.

    The surest column named like documents or patients has the role "cluster", unless the file or
    the user gives one. Every other column whose few values are each shared by several instances is
    noted, whatever its name.
    """
    scores_items = hypothesis.layout == "wide table" and hypothesis.rows == "cases"
    if hypothesis.layout not in _LAYOUTS and not scores_items:
        return hypothesis
    hypothesis = _without_categories_as_sets(profile, hypothesis)
    hypothesis = _without_categories_as_folds(profile, hypothesis)
    likely = _candidates(profile, hypothesis)
    if not likely:
        return hypothesis
    first, roles, notes = likely[0], dict(hypothesis.roles), [*hypothesis.notes]
    reasons = dict(hypothesis.reasons)
    if first.are_sure and "cluster" not in roles.values():
        roles[first.column] = "cluster"
        reasons[first.column] = role_reason("cluster of items")
        notes.append(message("items of clusters", column=first.column, n=first.values))
        likely = likely[1:]
    used = vocabulary.first_with_role(roles, "cluster")
    notes += [units.note_with(used) for units in likely[:_MOST_NOTES]]
    if more := tuple(units.column for units in likely[_MOST_NOTES:]):
        notes.append(message("more possible clusters", columns=more))
    return replace(hypothesis, roles=roles, reasons=reasons, notes=tuple(notes))


def numbering_units(profile: Profile, named: dict[str, str]) -> list[str]:
    """Return columns of units such as documents within which items are numbered, also ignored ones.

    Only such a column and those of the keys in `named` together identify the rows.
    """
    keys = [n for n, role in named.items() if role not in ("cluster", "text", "ignore")]
    if profile.unique(keys):
        return []
    free = [n for n in profile.columns if named.get(n, "ignore") == "ignore"]
    free = [n for n in free if profile.declared.get(n, "ignore") == "ignore"]
    return [n for n in free if vocabulary.names_units(n) and profile.unique([*keys, n])]


def ignored_units(profile: Profile, units: Iterable[str]) -> tuple[Message, ...]:
    """Return the note on units that the user said to ignore, but that number the items."""
    ignored = [n for n in units if profile.declared.get(n) == "ignore"]
    return tuple(message("items within units", column=n) for n in ignored[:1])


def _without_categories_as_sets(profile: Profile, hypothesis: LayoutHypothesis) -> LayoutHypothesis:
    """Return the hypothesis without data sets that only a name such as domain suggests.

    Instances that are named without the column may be of one test set with several domains.
    """
    roles = dict(hypothesis.roles)
    sets = vocabulary.with_role(roles, "dataset")
    identifying = [n for n, role in roles.items() if role in (*_KEYS, "instance") and n not in sets]
    is_category = (
        len(sets) == 1
        and sets[0] not in profile.declared
        and vocabulary.is_listed(sets[0], "categories or data sets")
        and profile[sets[0]].distinct > 1
    )
    has_items = "instance" in roles.values() and profile.unique(identifying)
    if not is_category or not (has_items or hypothesis.layout.startswith("wide")):
        return hypothesis
    reasons = {**hypothesis.reasons, sets[0]: role_reason("category of items")}
    return replace(hypothesis, roles=roles | {sets[0]: "ignore"}, reasons=reasons)


def _without_categories_as_folds(
    profile: Profile, hypothesis: LayoutHypothesis
) -> LayoutHypothesis:
    """Return the hypothesis without folds that only a name such as split suggests.

    Words such as easy and hard are categories of the instances. A note states other values, such as
    numbers, to be folds.
    """
    roles = dict(hypothesis.roles)
    folds = vocabulary.with_role(roles, "fold")
    if len(folds) != 1 or folds[0] in profile.declared or not vocabulary.may_name_fold(folds[0]):
        return hypothesis
    (fold,) = folds
    if profile[fold].is_constant:
        return hypothesis
    identifying = [n for n, role in roles.items() if role in (*_KEYS, "instance") and n != fold]
    has_items = "instance" in roles.values() and profile.unique(identifying)
    are_words = profile[fold].is_text and not vocabulary.names_folds(profile.frame[fold])
    if are_words and (has_items or hypothesis.layout.startswith("wide")):
        reasons = {**hypothesis.reasons, fold: role_reason("category of items")}
        return replace(hypothesis, roles=roles | {fold: "ignore"}, reasons=reasons)
    note = message("column splits instances", column=fold, n=profile[fold].distinct)
    return replace(hypothesis, notes=(*hypothesis.notes, note))


def may_be_shared(profile: Profile, name: str) -> bool:
    """Return whether a column of whole numbers has the name of units or categories of instances."""
    column = profile[name]
    likelihood = likelihood_of(name)
    return likelihood is not Likelihood.UNKNOWN and _names_units(
        column, likelihood, len(column.texts)
    )


def likelihood_of(name: str) -> Likelihood:
    """Return what the name of a column tells about the instances that share a value."""
    if vocabulary.names_units(name):
        return Likelihood.UNITS
    last = name.rpartition(".")[2]  # "doc.subject"
    if vocabulary.names_clusters(name) or vocabulary.is_listed(last, "clusters of items"):
        return Likelihood.UNITS_OR_CATEGORIES
    is_category = vocabulary.mentions(name, "traits of instances", "answers of instances")
    return Likelihood.CATEGORIES if is_category else Likelihood.UNKNOWN


def _candidates(profile: Profile, hypothesis: LayoutHypothesis) -> list[_Units]:
    """Return the columns of possible clusters, the surest first, then those of most clusters.

    Of columns that group the instances alike, only the first is returned.
    """
    roles, frame = hypothesis.roles, profile.frame
    sets, items = (vocabulary.with_role(roles, role) for role in ("dataset", "instance"))
    if len(items) > 1 or (not items and not hypothesis.layout.startswith("wide")):
        return []
    keys = [*sets, *items]
    identifying = [n for n, role in roles.items() if role in (*_KEYS, "instance")]
    if items and not profile.unique(identifying):  # items are numbered within clusters
        ignored = [note["column"] for note in hypothesis.notes if note.code == "items within units"]
        keys += [*vocabulary.with_role(roles, "cluster"), *ignored]
    cases = profile.distinct_rows(keys) if items else len(frame)
    likely = []
    for name in vocabulary.with_role(dict(roles), "ignore"):
        likelihood = likelihood_of(name)
        if name in profile.declared or not _names_units(profile[name], likelihood, cases):
            continue
        if items and profile.distinct_rows([*keys, name]) > cases:
            continue  # it varies within an instance
        n = profile.distinct_rows([*sets, name])
        fewest = min(_by_dataset(frame, sets, name))
        most = _MOST_OTHERS if likelihood >= Likelihood.UNKNOWN else _MOST_NAMED
        if fewest < 2 or n > cases * most:
            continue
        are_sure = likelihood is Likelihood.UNITS or (
            likelihood is Likelihood.UNITS_OR_CATEGORIES and fewest >= _FEWEST
        )
        are_sure &= not profile[name].share_of_blanks
        values = profile[name].distinct
        likely.append(
            _Units(
                column=name,
                values=values,
                n=n,
                cases=cases,
                likelihood=likelihood,
                are_sure=are_sure,
            )
        )
    likely.sort(key=lambda units: (not units.are_sure, units.likelihood, -units.n))
    return _distinct(profile, sets, likely)


def _distinct(profile: Profile, sets: list[str], likely: list[_Units]) -> list[_Units]:
    """Return the columns that group the instances in different ways."""
    different: list[_Units] = []
    for units in likely:
        alike = (
            other.n == units.n == profile.distinct_rows([*sets, other.column, units.column])
            for other in different
        )
        if not any(alike):
            different.append(units)
    return different


def _by_dataset(frame: pd.DataFrame, sets: list[str], name: str) -> list[int]:
    """Return the number of values of a column in each data set."""
    return list(frame.groupby(sets)[name].nunique()) if sets else [frame[name].nunique()]


def _names_units(column: ColumnProfile, likelihood: Likelihood, cases: int) -> bool:
    """Return whether a column may name clusters: texts, consecutive numbers or few numbers."""
    if not 2 <= column.distinct <= cases * _MOST_NAMED or column.share_of_blanks > _MOST_BLANK:
        return False
    if likelihood < Likelihood.UNKNOWN or not column.is_number:
        return True
    low, high = column.limits
    counts_units = low in (0, 1) and high - low + 1 == column.distinct
    is_shared = low >= 0 and column.distinct <= cases * _MOST_NUMBERS
    return column.is_whole and (counts_units or is_shared)
