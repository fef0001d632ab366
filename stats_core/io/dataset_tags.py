"""Tags of data sets: detection of tag columns and the value of each data set."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from stats_core.core.errors import Problem
from stats_core.core.formatting import join_names
from stats_core.core.messages import Message, message
from stats_core.data.row_checks import distinct_rows
from stats_core.io.parse_layout import FileTable, dataset_names
from stats_core.io.problems import problem_of, role_reason
from stats_core.io.profile import FEW, Profile
from stats_core.io.scoring import LayoutHypothesis
from stats_core.io.text_cells import TextTable, numbers_of
from stats_core.io.vocabulary import is_descriptive, is_spread, split_declared_role, with_role, words_of

# layouts whose rows belong to data sets; only the first rows of predictions may be known
_LAYOUTS = (*("fold scores", "confusion counts", "wide table", "wide folds"), *("resamples", "crossed headers"))


def with_tags(profile: Profile, hypothesis: LayoutHypothesis) -> LayoutHypothesis:
    """Make unused columns tags of the data sets if each data set has one value."""
    keys = with_role(hypothesis.roles, "dataset") + with_role(hypothesis.roles, "part of dataset")
    if hypothesis.layout not in _LAYOUTS or not keys:
        return hypothesis
    n = distinct_rows(profile.frame, keys)
    roles, reasons = dict(hypothesis.roles), dict(hypothesis.reasons)
    for name, role in hypothesis.roles.items():
        if name in profile.declared or n < 2:
            continue
        tags = role == "ignore" or (role == "cost" and _is_size(name))
        if role == "group" and profile[name].distinct >= n and not _is_size(name):
            if split_declared_role(name)[1] != "group":
                roles[name], reasons[name] = "ignore", role_reason("no group")
        elif tags and _may_tag(profile, name, n):
            if distinct_rows(profile.frame, [*keys, name]) == n:
                roles[name] = "group"
                reasons[name] = role_reason("tags" if profile[name].distinct < n else "size")
            elif role == "ignore" and profile[name].is_text:
                reasons[name] = role_reason("varies")
    return replace(hypothesis, roles=roles, reasons=reasons)


def _may_tag(profile: Profile, name: str, n: int) -> bool:
    """Return whether a column may define groups: few values shared by data sets, or a size."""
    column = profile[name]
    if column.distinct < 2 or is_spread(name) or column.counts_up:
        return False
    if column.is_number and _is_size(name):
        return True
    shared = column.distinct < n and column.distinct <= FEW
    repeated = len(profile.frame) > n
    return shared and (column.is_text or repeated and column.is_whole)


def _is_size(name: str) -> bool:
    return is_descriptive(name) and not {"id", "model", "time", "cost"} & set(words_of(name))


def tags_of(table: TextTable, roles: dict[str, str], layout: str) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the tags of each data set in a table, and problems of tag columns.

    The index holds the data sets; "" is the file itself if no column names data sets.
    """
    columns = [name for name in table.frame if roles.get(name) == "group"]
    if columns and layout == "transposed table":
        return pd.DataFrame(), [problem_of("nothing to tag", table.name, None, name) for name in columns]
    names = dataset_names(table, roles) if columns else None
    tags, problems = {}, []
    for column in columns:
        pairs = pd.DataFrame({"value": _texts(table, column)}).assign(name="" if names is None else names)
        pairs = pairs[pairs["value"] != ""].drop_duplicates()
        repeated = pairs[pairs.duplicated("name", keep=False)]
        if len(repeated):
            name = repeated["name"].iloc[0]
            values = join_names(list(repeated.loc[repeated["name"] == name, "value"]), 3)
            name = name or "The file, which is one data set,"
            problems.append(problem_of("tag varies", table.name, None, column, name=name, values=values))
            continue
        tags[split_declared_role(column)[0]] = pairs.set_index("name")["value"]
    return pd.DataFrame(tags), problems


def tags_together(pieces: Sequence[FileTable]) -> tuple[pd.DataFrame, list[Message]]:
    """Combine the tags of several files; contradictory tags are dropped with a note."""
    tables = [piece.tags for piece in pieces if len(piece.tags.columns)]
    if not tables:
        return pd.DataFrame(), []
    combined = pd.concat(tables)
    consistent, notes = {}, []
    for tag in combined:
        pairs = combined[tag].dropna().rename_axis("name").reset_index().drop_duplicates()
        if contradicted := sorted(pairs.loc[pairs["name"].duplicated(), "name"].unique()):
            notes.append(message("tag contradicted", tag=tag, datasets=tuple(contradicted)))
        else:
            consistent[tag] = pairs.set_index("name")[tag]
    if consistent:
        notes.append(message("tagged", tags=tuple(consistent)))
    return pd.DataFrame(consistent), notes


def _texts(table: TextTable, column: str) -> pd.Series:
    """Return the values of a column as texts, numbers in a common format."""
    numbers = numbers_of(table, column)
    return table.frame[column] if numbers is None else numbers.map(lambda x: f"{x:.12g}" if x == x else "")
