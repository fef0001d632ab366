"""Other names for algorithms and data sets, as they are shown."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from stats_core.core.errors import SettingError
from stats_core.core.formatting import format_count, join_names
from stats_core.core.messages import Audience, message, message_text
from stats_core.data.predictions import rename_categories as with_categories
from stats_core.data.row_checks import natural_order, sort_rows

if TYPE_CHECKING:
    from stats_core.data.results import Results

_NOUNS = {"algorithm": "algorithm", "dataset": "data set"}
_TOLD = 6  # names told one by one


def rename(
    results: "Results", algorithms: Mapping[str, str], datasets: Mapping[str, str]
) -> "Results":
    """Give algorithms and data sets other names; see `Results.rename`."""
    names = {
        "algorithm": checked_names(results.algorithms, algorithms, "algorithm"),
        "dataset": checked_names(results.datasets, datasets, "dataset"),
    }
    if not any(names.values()):
        return results
    said = {f"{key}s": tuple(changed.items()) for key, changed in names.items()}
    grids: dict[str, Any] = {
        name: None if table is None else _renamed(table, names)
        for name, table in results.beside.items()
    }
    predictions, published = results.predictions, results.published
    return replace(
        results,
        published=None if published is None else published.renamed(names["algorithm"]),
        _rows=sort_rows(_renamed(results.frame, names)),
        _tags=results.tags.rename(index=names["dataset"]),
        _algorithms=natural_order(names["algorithm"].get(n, n) for n in results.algorithms),
        predictions=None if predictions is None else _renamed(predictions, names),
        notes=(*results.notes, message("renamed", **said)),
        undecided=None,
        **grids,
    )


def checked_names(known: tuple[str, ...], names: Mapping[str, str], key: str) -> dict[str, str]:
    """Return the names that change, or say why they cannot.

    Parameters
    ----------
    known : tuple of str
        The names there are.
    names : mapping of old to new name
    key : {"algorithm", "dataset"}

    Raises
    ------
    SettingError
        An old name is unknown; a new one is blank or takes more than one line; two become alike.
    """
    noun = _NOUNS[key]
    if unknown := [name for name in names if name not in set(known)]:
        raise SettingError(
            f"Only {noun}s that are there can get another name. There is no "
            f'"{join_names(unknown, 4)}"; there are {join_names(known, 8)}. Check the spelling.'
        )
    changed = {old: str(new).strip() for old, new in names.items()}
    changed = {old: new for old, new in changed.items() if new != old}
    for old, new in changed.items():
        if not new or len(new.splitlines()) > 1:
            raise SettingError(
                f"A name of {_a(noun)} needs letters, on one line. "
                f'"{old}" would become "{" ".join(new.split())}". Choose another.'
            )
    taken: dict[str, str] = {}
    for old in known:
        new = changed.get(old, old)
        if new in taken:
            raise SettingError(
                f'Two {noun}s must not have one name. "{taken[new]}" and "{old}" would both be '
                f'called "{new}". Choose another name for one of them.'
            )
        taken[new] = old
    return changed


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _renamed(table: pd.DataFrame, names: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Return a table with the names in its columns changed."""
    changed = {key: new for key, new in names.items() if new and key in table}
    return table.assign(**{key: _called(table[key], new) for key, new in changed.items()})


def _called(column: pd.Series, names: Mapping[str, str]) -> pd.Series:
    """Return a column of texts or categories with other names."""

    def name(old: str) -> str:
        return names.get(old, old)

    if isinstance(column.dtype, pd.CategoricalDtype):
        return with_categories(column, name)
    return column.map(name)


@message_text("renamed")
def _renamed_said(voice: Audience, algorithms: tuple, datasets: tuple) -> str:
    parts = []
    for pairs, noun in ((algorithms, "algorithm"), (datasets, "data set")):
        if not pairs:
            continue
        told = join_names([f"{new} for {old}" for old, new in pairs], _TOLD)
        parts.append(f"{format_count(len(pairs), noun)} ({told})")
    n = len(algorithms) + len(datasets)
    verb = "is" if n == 1 else "are"
    return (
        f"{' and '.join(parts)} {verb} called otherwise than in the files, by {voice.your} choice."
    )
