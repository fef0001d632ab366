"""Columns and rows that experiment trackers add to results."""

import re
from dataclasses import replace

from stats_core.core.messages import Message, message
from stats_core.io.cell_numbers import TextTable
from stats_core.io.vocabulary import FOLD_NAMES, WORDS, normalized_name, words_of

_SETTING = re.compile(
    r"(?:params?|hp|hparams?|hyper_?param(?:eter)?s?|config|cfg|args|settings?)(?:[._/:\s]|__).+",
    re.IGNORECASE,
)
_KEPT_ELSEWHERE = ("tags.", "tags/", "user_attrs", "system_attrs")


def is_setting(name: str) -> bool:
    """Return whether a column is named as a setting of an algorithm.

    Examples
    --------
    >>> is_setting("params.max_depth"), is_setting("Learning Rate"), is_setting("accuracy")
    (True, True, False)
    """
    return bool(_SETTING.fullmatch(name)) or normalized_name(name) in WORDS["settings"]


def is_bookkeeping(name: str) -> bool:
    """Return whether a column is named as metadata of runs: times, states, users.

    Examples
    --------
    >>> is_bookkeeping("Start Time"), is_bookkeeping("tags.mlflow.user"), is_bookkeeping("model")
    (True, True, False)
    """
    return normalized_name(name) in WORDS["bookkeeping"] or name.lower().startswith(_KEPT_ELSEWHERE)


def names_variants(name: str) -> bool:
    """Return whether a column name denotes compared variants: "condition", "config".

    Examples
    --------
    >>> names_variants("condition"), names_variants("teacher")
    (True, False)
    """
    return not WORDS["variants"].isdisjoint(words_of(name))


def nested_runs(table: TextTable) -> tuple[TextTable, list[Message]]:
    """Read child runs as folds of their parent runs, and drop the parents' averages."""
    columns = {normalized_name(name): name for name in table.frame}
    id_column, parent_column = columns.get("runid"), _ending(columns, "parentrunid")
    name_column = _ending(columns, "runname") or columns.get("name")
    if not id_column or not parent_column or not name_column or "algorithm" in columns:
        return table, []
    frame = table.frame
    is_child = frame[parent_column].ne("") & frame[name_column].str.fullmatch(
        FOLD_NAMES, case=False
    )
    if not is_child.any() or (frame[parent_column].ne("") & ~is_child).any():
        return table, []
    names = frame.set_index(id_column)[name_column]
    names = names[~names.index.duplicated()]
    parents = frame.loc[is_child, parent_column]
    children = frame[is_child].assign(algorithm=parents.map(names).fillna(parents))
    children = children.assign(fold=children[name_column]).drop(
        columns=[name_column, parent_column]
    )
    note = message("nested runs", runs=len(children), groups=int(parents.nunique()))
    return replace(table, frame=children), [note]


def _ending(columns: dict[str, str], end: str) -> str:
    return next((name for text, name in columns.items() if text.endswith(end)), "")
