"""Columns of whole numbers that count the folds, told by how they repeat and not by their names."""

from collections.abc import Iterable

from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.io.experiment_trackers import is_setting
from stats_core.io.profile import Profile, names_measure
from stats_core.io.vocabulary import known_cost, role_in_name, words_of

# words for levels of something that was varied on purpose, and for the course of training
_FOLDS = (3, 1000)  # two values are a yes and a no
_LEVELS = frozenset(
    "level levels severity noise depth degree degrees size sizes k n layer layers shot shots "
    "budget horizon window lag order rank epoch epochs step steps iter iteration iterations "
    "generation round rounds year month day hour batch width height dim dims dimension features "
    "class classes rate ratio count version scale strength threads workers cores nodes "
    # of what results are on, and of variants of an algorithm
    "set sets data dataset problem task subject participant patient person user function func "
    "benchmark scenario station site sensor series group variant config configuration condition "
    "arm code type kind".split()
)


def counter_of_folds(profile: Profile, named: dict[str, str], keys: Iterable[str]) -> str:
    """Return the column that counts from 0 or 1 on within each group of rows, "" if there is none.

    Parameters
    ----------
    profile : Profile
    named : dict of column to role
        What is known already.
    keys : iterable of str
        Columns that name the algorithm and the data set. Each of their combinations must have
        every number once.
    """
    keys = list(keys)
    if keys and profile.unique(keys):
        return ""
    likely = [n for n in profile.numbers if n not in named and not _means_another_thing(n)]
    return next((n for n in likely if _counts_within(profile, n, keys)), "")


def _counts_within(profile: Profile, name: str, keys: list[str]) -> bool:
    """Tell whether a column counts from 0 or 1 on, without a gap, in each group of rows."""
    column = profile[name]
    few, many = _FOLDS
    if column.numbers is None or not column.is_whole or not few <= column.distinct <= many:
        return False
    low = column.limits[0]
    if low not in (0, 1) or column.numbers.isna().any() or not profile.unique([*keys, name]):
        return False
    groups = column.numbers.groupby([profile.frame[key] for key in keys] or column.numbers * 0)
    size, first, last = groups.size(), groups.min(), groups.max()
    return bool((first == low).all() and (last - first + 1 == size).all() and (size >= few).all())


def _means_another_thing(name: str) -> bool:
    """Tell whether a name is that of a level, a size, a setting, a measure or another key."""
    role = role_in_name(name)
    if role not in ("", "instance", "fold", "repetition"):
        return True
    others = names_measure(name) or known_cost(name) or is_setting(name)
    return bool(others) or bool(_LEVELS & set(words_of(name)))


def counted(column: str) -> Message:
    """Return the note that a column counts the folds."""
    return message("column counts folds", column=column)


@message_text("column counts folds")
def _column_counts_folds(voice: Audience, column: str) -> str:
    return f'"{column}" has every number once for each algorithm, so it numbers the folds.'
