"""Which rows and repetitions count, told by the values and not by a column's name alone."""

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.numbers import NumericTable
from stats_core.data.row_checks import distinct_rows
from stats_core.io.vocabulary import normalized_name

# columns that number repetitions in some files and mean nothing for pairing in others
RUNS = ("run", "runid", "seed", "randomstate", "randomseed", "iteration", "iter", "trial")
LOOSE = (*RUNS, "split")

# columns that tell results on test data from those on training data
_KINDS = {"train", "training", "test", "validation", "valid", "val", "dev"}
PARTS = ("split", "subset", "part", "set", "phase")


def settle_repetition(
    frame: pd.DataFrame, roles: dict[str, str], said: Mapping[str, str]
) -> tuple[dict[str, str], list[Message]]:
    """Use a column such as "seed" or "run" where rows need it, drop it where it parts them.

    Parameters
    ----------
    frame : DataFrame of str
        The rows.
    roles : dict of column to role
        As names tell.
    said : mapping of column to role
        As the user says; never changed.

    Returns
    -------
    (roles, notes)
    """
    algorithm = [name for name, role in roles.items() if role == "algorithm"]
    if not algorithm or {"repetition", "true"} & set(said.values()) or "true" in roles.values():
        return roles, []
    given = [n for n, r in roles.items() if r == "repetition" and normalized_name(n) in LOOSE]
    if given:
        without = {name: role for name, role in roles.items() if name != given[0]}
        if _unique(frame, without) and not _shared(frame, without, algorithm[0], given[0]):
            return without, [message("column parts algorithms", column=given[0])]
        return roles, []
    if "repetition" in roles.values() or _unique(frame, roles):
        return roles, []
    for name in frame.columns:
        if name in roles or name in said or normalized_name(name) not in LOOSE:
            continue
        with_it = {**roles, name: "repetition"}
        if _unique(frame, with_it) and _shared(frame, roles, algorithm[0], name):
            return with_it, [message("column numbers repetitions", column=name)]
    return roles, []


@message_text("column parts algorithms")
def _parts_algorithms(voice: Audience, column: str) -> str:
    return (
        f'"{column}" is another one in the rows of every algorithm; it was left out, '
        "and results are paired by what else names them."
    )


@message_text("column numbers repetitions")
def _numbers_repetitions(voice: Audience, column: str) -> str:
    return f'"{column}" numbers the repetitions.'


def _keys(roles: Mapping[str, str], *, algorithms: bool) -> list[str]:
    wanted = ["dataset", "part of dataset", "repetition", "fold"]
    wanted += ["algorithm", "part of algorithm"] if algorithms else []
    return [name for name, role in roles.items() if role in wanted]


def _unique(frame: pd.DataFrame, roles: Mapping[str, str]) -> bool:
    keys = _keys(roles, algorithms=True)
    return distinct_rows(frame, keys) == len(frame)


def _shared(frame: pd.DataFrame, roles: Mapping[str, str], algorithm: str, column: str) -> bool:
    """Tell whether two algorithms ever have the same value of a column."""
    keys = [*_keys(roles, algorithms=False), column]
    pairs = frame[[*keys, algorithm]].drop_duplicates()
    return bool(pairs.duplicated(keys).any())


def test_rows(table: NumericTable) -> tuple[NumericTable, list[Message]]:
    """Keep the results on test data where a column tells them from those on training data."""
    for name in table.frame.columns:
        cells = table.frame[name].to_list()
        found = {cell.lower() for cell in set(cells)}
        if (
            "test" in found
            and found <= _KINDS
            and (len(found) > 1 or normalized_name(name) in PARTS)
        ):
            frame = table.frame[[cell.lower() == "test" for cell in cells]].drop(columns=name)
            left = len(table.frame) - len(frame)
            said = [message("only test rows", column=name, left=left)] if left else []
            return replace(table, frame=frame), said
    return table, []


@message_text("only test rows")
def _only_test_rows(voice: Audience, column: str, left: int) -> str:
    others = "other was" if left == 1 else "others were"
    return f'Only rows with "{column}" = test were read; {left:,} {others} left out.'
