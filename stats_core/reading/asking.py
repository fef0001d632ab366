"""Questions about columns: what must be named first, with a guess."""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from stats_core.core.errors import DataError, NeedsMapping, Problem
from stats_core.core.notes import Note, Voice, note, worded
from stats_core.core.numbers import Table, is_numeric
from stats_core.core.words import listed
from stats_core.reading.columns import direction_of, guess_roles, known_cost, known_measure
from stats_core.reading.layouts import by_role
from stats_core.reading.mapping import Mapping

PREVIEW_ROWS = 8


def check_names_data_sets(table: Table, roles: dict) -> None:
    """Refuse a table of numbers only: its first column is an algorithm or a number of the row."""
    first = next(name for name in table.frame.columns if name not in roles)
    if "dataset" in roles.values() or not is_numeric(table, first):
        return
    wrong = problem(
        table.name,
        "needs a column that names the data set or the fold",
        f"Found numbers only: {listed(list(table.frame.columns), 5)}",
        'Add a column "dataset" with a name in every row',
    )
    numbers = table.frame[first]
    if not (numbers.str.fullmatch(r"\d+").all() and numbers.is_unique):
        raise DataError([wrong])
    raise NeedsMapping(
        [wrong],
        guess=Mapping(roles={**roles, first: "dataset"}),
        preview=table.frame.head(PREVIEW_ROWS),
        question=f'Which column names the data set? Guess: "{first}".',
    )


def name_the_algorithm(table: Table, roles: dict, *, several: bool) -> list[Note]:
    """Find who was measured: a column, or the file itself if nothing else can tell."""
    if "algorithm" in roles.values():
        return []
    texts = _text_columns(table, roles)
    if texts and not several:
        raise ask(table, roles, "fold scores", texts[0])
    return [note("named after file", what="algorithm", name=stem(table.name))]


@worded("named after file")
def _named_after_file(voice: Voice, what: str, name: str) -> str:
    whole = "the file counts" if what == "algorithm" else "all rows count"
    return f"No column names the {what}; {whole} as one, {name}."


def _text_columns(table: Table, roles: dict) -> list[str]:
    """Return columns of repeated texts that could name algorithms."""
    return [
        name
        for name in table.frame.columns
        if name not in roles
        and not known_measure(name)
        and not is_numeric(table, name)
        and table.frame[name].nunique() > 1
    ]


def ask(table: Table, roles: dict, layout: str, guess: str = "") -> NeedsMapping:
    """Say which column must be named, with a guess."""
    columns = list(table.frame.columns)
    shown = ", ".join(columns[:8]) + (" ..." if len(columns) > 8 else "")
    names = _guess_names(table, roles)
    roles = {**roles, **names}
    if layout == "fold scores" and guess:
        guess = next((name for name, role in names.items() if role == "algorithm"), guess)
        roles[guess] = "algorithm"
        names.pop(guess, None)
        what, remedy = "names the algorithm", 'rename it to "algorithm"'
    else:
        free = [c for c in columns if c not in roles and is_numeric(table, c)]
        guess = free[0] if free else ""
        roles.update(dict.fromkeys(free[:1], "measure"))
        what, remedy = "holds a measure", 'rename it, for example to "error"'
    found = f"Found: {shown}"
    if _looks_transposed(table, roles):
        found = "One row per algorithm, one column of numbers per data set: the table is transposed"
        remedy = "swap its rows and columns"
    question = _question(names, what, guess)
    return NeedsMapping(
        [
            problem(
                table.name,
                f"needs a column that {what}",
                found,
                f"Choose it below, or {remedy}",
            )
        ],
        guess=Mapping(roles=roles, directions=_guess_directions(roles)),
        preview=table.frame.head(PREVIEW_ROWS),
        question=question,
    )


def _guess_names(table: Table, roles: dict) -> dict[str, str]:
    """Guess which columns of few, repeated texts name the data set and the algorithm."""
    if "true" in roles.values():
        return {}
    missing = [role for role in ("dataset", "algorithm") if role not in roles.values()]
    texts = [
        name
        for name in _text_columns(table, roles)
        if 2 * table.frame[name].nunique() <= len(table.frame)
    ]
    if len(texts) == 1 and "algorithm" in missing:
        missing = ["algorithm"]  # a file of one data set need not name it
    return dict(zip(texts, missing, strict=False))


def _question(names: dict[str, str], what: str, guess: str) -> str:
    """Ask for every column that could not be placed, each with its guess."""
    named = {"dataset": "names the data set", "algorithm": "names the algorithm"}
    asked = {named[role]: name for name, role in names.items()} | {what: guess}
    if len(asked) == 1:
        return f"Which column {what}?" + (f' Guess: "{guess}".' if guess else "")
    first, *others = asked
    which = listed([first, *(f"which {text}" for text in others)])
    guesses = listed([f'"{name}"' for name in asked.values() if name])
    return f"Which column {which}?" + (f" Guess: {guesses}." if guesses else "")


def _looks_transposed(table: Table, roles: dict) -> bool:
    """Tell whether algorithms stand in rows and data sets in columns."""
    named = by_role(roles, "algorithm")
    free = [c for c in table.frame.columns if c not in by_role(roles, "algorithm")]
    alone = bool(named) and table.frame[named[0]].is_unique
    return alone and len(free) > 2 and all(is_numeric(table, c) for c in free[:50])


def _guess_directions(roles: dict) -> dict[str, str]:
    """Return the directions that names tell; the others are asked for."""
    measures = [name for name, role in roles.items() if role == "measure"]
    told = {name: direction_of(name) for name in measures}
    return {name: direction for name, direction in told.items() if direction}


def ask_about_copies(error: DataError, table: Table, mapping: Mapping) -> DataError:
    """If another column tells rows with the same key apart, ask whether it belongs to a name."""
    if not any(wrong.repeats for wrong in error.problems):
        return error
    roles = {**guess_roles(table.frame.columns), **mapping.roles}
    keys = [
        c for role in ("dataset", "algorithm", "repetition", "fold") for c in by_role(roles, role)
    ]
    keys += [c for c, role in roles.items() if role.startswith("part of")]
    for column in table.frame.columns:
        if column in roles or known_measure(column) or known_cost(column):
            continue
        few = 1 < table.frame[column].nunique() <= 50
        if few and not table.frame.duplicated([*keys, column]).any():
            role = _which_name(table.frame, roles, column)
            whose = "data set" if role == "part of dataset" else "algorithm"
            remedy = f'Choose below what "{column}" means, or keep the rows of one value of it'
            return NeedsMapping(
                [replace(wrong, do=remedy) for wrong in error.problems],
                guess=Mapping(
                    roles={**roles, column: role},
                    directions=mapping.directions,
                    positive=mapping.positive,
                    score_direction=mapping.score_direction,
                    measure_name=mapping.measure_name,
                ),
                preview=table.frame.head(PREVIEW_ROWS),
                question=f'Rows with the same key differ in "{column}". '
                f"Is it part of the {whose}'s name?",
            )
    return error


def _which_name(frame: pd.DataFrame, roles: dict, column: str) -> str:
    """Join a column to the name that leaves fewer combinations empty."""
    dataset, algorithm = by_role(roles, "dataset")[:1], by_role(roles, "algorithm")[:1]
    if not dataset or not algorithm:
        return "part of algorithm"

    def holes(first: list[str], second: list[str]) -> int:
        sizes = [len(frame[names].drop_duplicates()) for names in (first, second)]
        return sizes[0] * sizes[1] - len(frame[first + second].drop_duplicates())

    as_algorithm = holes(dataset, [*algorithm, column])
    as_dataset = holes([*dataset, column], algorithm)
    return "part of algorithm" if as_algorithm <= as_dataset else "part of dataset"


def stem(name: str) -> str:
    """Return the name of a file without folder and ending."""
    return Path(name).name.removesuffix(".gz").rsplit(".", 1)[0] or "results"


def problem(file: str, must: str, found: str, do: str) -> Problem:
    """Return a problem of a whole file."""
    return Problem(file=file, must=must, found=found, do=do)
