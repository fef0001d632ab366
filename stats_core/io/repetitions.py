"""Detection of columns that number folds, repetitions or test rows."""

from collections.abc import Iterable, Mapping

import pandas as pd

from stats_core.core.messages import Message, message
from stats_core.data.row_checks import distinct_rows
from stats_core.io import vocabulary
from stats_core.io.profile import Profile
from stats_core.io.vocabulary import mentions, with_role

_FOLDS = (3, 1000)  # fewest and most folds; two values may be yes and no


def counter_of_folds(profile: Profile, named: dict[str, str], keys: Iterable[str]) -> str:
    """Return the column that counts from 0 or 1 within each group, "" if none."""
    keys = list(keys)
    if keys and profile.unique(keys):
        return ""
    likely = [n for n in profile.numbers if n not in named and not _means_another_thing(n)]
    return next((n for n in likely if _counts_within(profile, n, keys)), "")


def _counts_within(profile: Profile, name: str, keys: list[str]) -> bool:
    """Return whether a column counts from 0 or 1 without gaps in each group of rows."""
    column = profile[name]
    fewest, most = _FOLDS
    if column.numbers is None or not column.is_whole or not fewest <= column.distinct <= most:
        return False
    low = column.limits[0]
    if low not in (0, 1) or column.numbers.isna().any() or not profile.unique([*keys, name]):
        return False
    groups = column.numbers.groupby([profile.frame[key] for key in keys] or column.numbers * 0)
    size, first, last = groups.size(), groups.min(), groups.max()
    return bool((first == low).all() and (last - first + 1 == size).all() and (size >= fewest).all())


def _means_another_thing(name: str) -> bool:
    """Return whether a name denotes a level, size, setting, measure or another key."""
    role = vocabulary.role_in_name(name)
    if role not in ("", "instance", "fold", "repetition"):
        return True
    is_other = vocabulary.names_measure(name) or vocabulary.known_cost(name) or vocabulary.is_setting(name)
    return bool(is_other) or mentions(name, "levels")


def counted(column: str) -> Message:
    """Return the note that a column counts the folds."""
    return message("column counts folds", column=column)


def settle_repetition(
    frame: pd.DataFrame, roles: dict[str, str], said: Mapping[str, str]
) -> tuple[dict[str, str], list[Message]]:
    """Use a column such as "seed" as repetition if rows need it; drop it if it is unpaired."""
    algorithm = with_role(roles, "algorithm")
    if not algorithm or {"repetition", "true"} & set(said.values()) or "true" in roles.values():
        return roles, []
    loose = [n for n, r in roles.items() if r == "repetition" and _is_loose(n)]
    if loose:
        roles_without = {name: role for name, role in roles.items() if name != loose[0]}
        if _unique(frame, roles_without) and not _shared(frame, roles_without, algorithm[0], loose[0]):
            return roles_without, [message("column parts algorithms", column=loose[0])]
        return roles, []
    if "repetition" in roles.values() or _unique(frame, roles):
        return roles, []
    for name in frame.columns:
        if name in roles or name in said or not _is_loose(name):
            continue
        roles_with = {**roles, name: "repetition"}
        if _unique(frame, roles_with) and _shared(frame, roles, algorithm[0], name):
            return roles_with, [message("column numbers repetitions", column=name)]
    return roles, []


def _keys(roles: Mapping[str, str], *, algorithms: bool) -> list[str]:
    key_roles = ["dataset", "part of dataset", "repetition", "fold"]
    key_roles += ["algorithm", "part of algorithm"] if algorithms else []
    return [name for name, role in roles.items() if role in key_roles]


def _unique(frame: pd.DataFrame, roles: Mapping[str, str]) -> bool:
    keys = _keys(roles, algorithms=True)
    return distinct_rows(frame, keys) == len(frame)


def _shared(frame: pd.DataFrame, roles: Mapping[str, str], algorithm: str, column: str) -> bool:
    """Return whether two algorithms share any value of a column within a fold."""
    keys = [*_keys(roles, algorithms=False), column]
    pairs = frame[[*keys, algorithm]].drop_duplicates()
    return bool(pairs.duplicated(keys).any())


def _is_loose(name: str) -> bool:
    """Return whether a column may number repetitions, or be irrelevant for pairing."""
    text = vocabulary.normalized_name(name)
    return text in vocabulary.WORDS["runs"] or text == "split"
