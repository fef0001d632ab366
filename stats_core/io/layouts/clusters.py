"""Columns of instances that belong together: clusters by their name, or possible clusters."""

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd

from stats_core.core.messages import Message, message
from stats_core.data.predictions import EMPTY
from stats_core.io import vocabulary
from stats_core.io.problems import role_reason
from stats_core.io.profile import LayoutHypothesis, Profile

_LAYOUTS = ("predictions", "wide predictions", "items", "wide items")
_MOST_NAMED, _MOST_OTHERS = 1 / 1.2, 1 / 2  # clusters per instance, by their column's name
_MOST_NUMBERS = 1 / 10  # of whole numbers in a column of any name
_FEWEST = 10  # clusters in a column whose name may also denote a category


def with_clusters(profile: Profile, hypothesis: LayoutHypothesis) -> LayoutHypothesis:
    """Return the hypothesis with a column of clusters or a note on a possible one.

    A column named like documents or patients has the role "cluster". A column of other names, whose
    few values are each shared by several instances, is only noted.
    """
    if hypothesis.layout not in _LAYOUTS or "cluster" in hypothesis.roles.values():
        return hypothesis
    likely = _candidates(profile, hypothesis)
    if not likely:
        return hypothesis
    name, (n, cases, is_cluster) = next(iter(likely.items()))
    if not is_cluster:
        note = message("clusters suggested", column=name, n=n, cases=cases)
        return replace(hypothesis, notes=(*hypothesis.notes, note))
    return replace(
        hypothesis,
        roles=dict(hypothesis.roles) | {name: "cluster"},
        reasons={**hypothesis.reasons, name: role_reason("cluster of items")},
        notes=(*hypothesis.notes, message("items of clusters", column=name, n=n)),
    )


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


def _candidates(profile: Profile, hypothesis: LayoutHypothesis) -> dict[str, tuple[int, int, bool]]:
    """Return numbers of clusters and instances, and whether clusters are sure, by column.

    The surest columns come first, then those of most clusters.
    """
    roles, frame = hypothesis.roles, profile.frame
    sets, items = (vocabulary.with_role(roles, role) for role in ("dataset", "instance"))
    if len(items) > 1 or (not items and not hypothesis.layout.startswith("wide")):
        return {}
    keys = [*sets, *items]
    cases = profile.distinct_rows(keys) if items else len(frame)
    likely: dict[str, tuple[int, int, bool]] = {}
    for name in vocabulary.with_role(dict(roles), "ignore"):
        if name in profile.declared or not _names_units(profile, name, cases):
            continue
        if items and profile.distinct_rows([*keys, name]) > cases:
            continue  # it varies within an instance
        n = profile.distinct_rows([*sets, name])
        fewest = min(_by_dataset(frame, sets, name))
        rank = _rank(name)
        if fewest < 2 or n > cases * (_MOST_OTHERS if rank == 2 else _MOST_NAMED):
            continue
        likely[name] = (n, cases, rank == 0 or (rank == 1 and fewest >= _FEWEST))

    def order(name: str) -> tuple[bool, int, int]:
        n, _, is_cluster = likely[name]
        return not is_cluster, _rank(name), -n

    return {name: likely[name] for name in sorted(likely, key=order)}


def _rank(name: str) -> int:
    """Return 0 for a name of clusters, 1 for one that may also denote a category, 2 for others."""
    if vocabulary.names_units(name):
        return 0
    last = name.rpartition(".")[2]  # "doc.subject"
    may_be = vocabulary.names_clusters(name) or vocabulary.is_listed(last, "clusters of items")
    return 1 if may_be else 2


def _by_dataset(frame: pd.DataFrame, sets: list[str], name: str) -> list[int]:
    """Return the number of values of a column in each data set."""
    return list(frame.groupby(sets)[name].nunique()) if sets else [frame[name].nunique()]


def _names_units(profile: Profile, name: str, cases: int) -> bool:
    """Return whether a column may name clusters: texts, consecutive numbers or few numbers, no trait."""
    column, rank = profile[name], _rank(name)
    if not 2 <= column.distinct <= cases * _MOST_NAMED or column.has_blanks:
        return False
    if any(text.lower() in EMPTY for text in column.coded[1]):
        return False
    if rank < 2:
        return True
    if vocabulary.mentions(name, "traits of instances") or vocabulary.is_bookkeeping(name):
        return False
    if not column.is_number:
        return True
    low, high = column.limits
    counts_units = low in (0, 1) and high - low + 1 == column.distinct
    is_shared = low >= 0 and column.distinct <= cases * _MOST_NUMBERS
    return column.is_whole and (counts_units or is_shared)
