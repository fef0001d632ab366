"""Read results files in the layouts people have; the only module that touches the disk."""

import hashlib
from collections.abc import Mapping as Dictionary
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import pandas as pd

from stats_core._columns import (
    ROLES,
    guess_roles,
    known_cost,
    known_measure,
    measure_in_name,
    plain,
)
from stats_core._join import join
from stats_core._layouts import (
    RESERVED,
    Piece,
    by_role,
    layout_of,
    read_grid_search,
    read_long,
    read_predictions,
    read_wide,
    read_wide_predictions,
)
from stats_core._melted import spread_measures
from stats_core._numbers import Table, is_numeric
from stats_core._runs import settle_repetition
from stats_core._tables import read_table
from stats_core.errors import DataError, NeedsMapping, Problem, SettingError
from stats_core.measures import COUNTS
from stats_core.results import Results
from stats_core.wording import listed

PREVIEW_ROWS = 8
# designs a file can declare in a column named "design"; the others are told by the keys
DESIGNS = ("holdout", "bootstrap", "common test set")


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """What the user says about columns that names do not tell.

    Attributes
    ----------
    roles : dict of column to role
        One of dataset, algorithm, repetition, fold, instance, true, predicted, score, tp, fp,
        tn, fn, n_train, n_test, measure, cost, design, "part of dataset", "part of algorithm",
        ignore.
        Columns not named keep the role their name tells.
    directions : dict of measure to "lower" or "higher"
        For measures not known by name, and for tables of one measure under `measure_name`.
    positive : str
        The positive class of predictions; "" to infer it.
    measure_name : str
        What the numbers of a wide table are, for example "accuracy".
    """

    roles: Dictionary[str, str] = field(default_factory=dict)
    directions: Dictionary[str, str] = field(default_factory=dict)
    positive: str = ""
    measure_name: str = ""

    def __post_init__(self) -> None:
        """Refuse roles and directions that do not exist."""
        for value in self.roles.values():
            if value not in ROLES:
                raise SettingError(f'A role must be one of {", ".join(ROLES)}. It is "{value}".')
        for value in self.directions.values():
            if value not in ("lower", "higher"):
                raise SettingError(f'A direction must be lower or higher. It is "{value}".')

    def __hash__(self) -> int:
        """Hash by content, so that a mapping can be part of a cache's key."""
        pairs = (tuple(sorted(d.items())) for d in (self.roles, self.directions))
        return hash((*pairs, self.positive, self.measure_name))

    def to_dict(self) -> dict:
        """Return the mapping as plain data for JSON."""
        return asdict(self)


def read_results(*sources, mapping: Mapping | None = None) -> Results:
    r"""Which results do these files hold?

    Parameters
    ----------
    *sources : path, bytes, open file, or (name, bytes)
        One or more files: CSV with comma, semicolon or tab, plain or gzip.
    mapping : Mapping, optional
        What column names do not tell.

    Returns
    -------
    Results
        Validated; pairing is by data set, repetition and fold, never by the order of rows.

    Raises
    ------
    DataError
        With every problem found: file, row, column, what must hold, what to do.
    NeedsMapping
        A column must be named first; carries a guess and a preview.

    Notes
    -----
    Layouts are told by the columns: fold scores, confusion counts, predictions, a wide table of
    averages, wide folds; also scikit-learn's cross_validate and cv_results_, Weka's experimenter,
    the OpenML AutoML benchmark and aeon or tsml results. See docs/formats.md.

    Examples
    --------
    >>> results = read_results(b"dataset,model,fold,acc\niris,rf,1,0.9\niris,svm,1,0.8\n")
    >>> results.algorithms, results.measures, results.direction("accuracy")
    (('rf', 'svm'), ('accuracy',), 'higher')
    """
    if not sources:
        raise DataError([_problem("", "needs at least one file", "None was given", "Choose one")])
    mapping = mapping or Mapping()
    contents = [_load(source, i) for i, source in enumerate(sources)]
    pieces, problems = [], []
    for name, content in contents:
        try:
            table = read_table(name, content)
            pieces.append(_read_piece(table, mapping, several=len(sources) > 1))
        except NeedsMapping:
            raise
        except DataError as error:
            problems += error.problems
    if problems:
        raise DataError([*problems, *(p for piece in pieces for p in piece.problems)])
    digest = hashlib.sha256(b"\0".join(content for _, content in contents)).hexdigest()
    try:
        return join(pieces, positive=mapping.positive, digest=digest)
    except DataError as error:
        raise _ask_about_copies(error, contents, mapping) from None


def describe_columns(source, mapping: Mapping | None = None) -> pd.DataFrame:
    r"""What does each column of a file mean, as it is understood?

    Parameters
    ----------
    source : path, bytes, open file, or (name, bytes)
        One file.
    mapping : Mapping, optional
        What the user said already.

    Returns
    -------
    DataFrame
        column, meaning (a role, "algorithm's results" for a column of a wide table, "ignore"),
        direction of measures, and an example, in the order of the file.

    Raises
    ------
    DataError
        The file is no table.

    Examples
    --------
    >>> describe_columns(b"model,acc\nrf,0.9\n")["meaning"].tolist()
    ['algorithm', 'measure']
    """
    table, _ = _test_rows(read_table(*_load(source, 0)))
    mapping = mapping or Mapping()
    roles, _ = settle_repetition(table.frame, _roles(table, mapping), mapping.roles)
    wide = layout_of(table, roles).startswith("wide")
    rows = []
    for place, name in enumerate(table.frame.columns):
        meaning = roles.get(name, "")
        direction = mapping.directions.get(name, "")
        known = known_measure(name)
        if not meaning and wide:
            first = place == 0 and "dataset" not in roles.values()
            meaning = "dataset" if first else "results of one algorithm"
        elif not meaning and known_cost(name):
            meaning = "cost"
        elif not meaning and known and is_numeric(table, name):
            meaning = "measure"
        if meaning == "measure" and not direction:
            direction = known[1] if known else "higher"
        example = next((text for text in table.frame[name] if text), "")
        rows.append((name, meaning or "ignore", direction, example))
    return pd.DataFrame(rows, columns=["column", "meaning", "direction", "example"])


def _roles(table: Table, mapping: Mapping) -> dict[str, str]:
    """Return the roles that names tell, corrected by what the user said."""
    columns = list(table.frame.columns)
    said = {name: role for name, role in mapping.roles.items() if name in columns}
    taken = set(said.values()) - {"measure", "cost", "ignore"}
    guessed = {n: r for n, r in guess_roles(columns).items() if n not in said and r not in taken}
    return {**guessed, **said}


def _load(source, place: int) -> tuple[str, bytes]:
    """Return the name and the bytes of a source."""
    if isinstance(source, tuple):
        name, content = source
        return str(name), bytes(content)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return f"results{place + 1 if place else ''}", bytes(source)
    if hasattr(source, "read"):
        content = source.read()
        name = Path(str(getattr(source, "name", "results"))).name
        return name, content.encode() if isinstance(content, str) else content
    path = Path(source)
    try:
        return path.name, path.read_bytes()
    except (OSError, ValueError) as error:
        raise DataError(
            [
                _problem(
                    path.name,
                    "needs a file that can be read",
                    getattr(error, "strerror", None) or str(error),
                    "Check the path",
                )
            ]
        ) from None


def _read_piece(table: Table, mapping: Mapping, *, several: bool) -> Piece:
    """Read one table in the layout its columns speak for."""
    table, notes = _test_rows(table)
    table, more = spread_measures(table, _roles(table, mapping))
    roles, settled = settle_repetition(table.frame, _roles(table, mapping), mapping.roles)
    layout = layout_of(table, roles)
    notes += [*table.notes, *more, *settled]
    if layout == "wide table":
        _check_names_data_sets(table, roles)
    if layout in ("fold scores", "confusion counts", "predictions"):
        notes += _name_the_algorithm(table, roles, several=several)
    piece = _read_layout(table, layout, roles, mapping)
    silent = piece is None or not (piece.directions or set(COUNTS) <= set(piece.rows))
    if silent and not (piece and (piece.layout == "predictions" or (several and piece.costs))):
        raise _ask(table, roles, layout)
    piece.notes = notes + piece.notes
    piece.design = _declared_design(table, roles) or _design_of_names(roles)
    if "dataset" not in piece.rows:
        name = _stem(table.name)
        piece.rows["dataset"] = name
        piece.notes.append(f"No column names the data set; all rows count as one, {name}.")
    if "algorithm" not in piece.rows:
        piece.rows["algorithm"] = _stem(table.name)
    return piece


def _test_rows(table: Table) -> tuple[Table, list[str]]:
    """Keep the results on test data where a column tells them from those on training data."""
    for name in table.frame.columns:
        if plain(name) not in ("split", "subset", "part", "set", "phase"):
            continue
        kinds = table.frame[name].str.lower()
        if "test" in set(kinds) and set(kinds) <= {"train", "training", "test", "validation"}:
            frame = table.frame[kinds == "test"].drop(columns=name)
            left = len(table.frame) - len(frame)
            return replace(table, frame=frame), (
                [f'Only rows with "{name}" = test were read; {left} others were left out.']
                if left
                else []
            )
    return table, []


def _check_names_data_sets(table: Table, roles: dict) -> None:
    """Refuse a table of numbers only: its first column is an algorithm or a number of the row."""
    first = next(name for name in table.frame.columns if name not in roles)
    if "dataset" in roles.values() or not is_numeric(table, first):
        return
    problem = _problem(
        table.name,
        "needs a column that names the data set or the fold",
        f"Found numbers only: {listed(list(table.frame.columns), 5)}",
        'Add a column "dataset" with a name in every row',
    )
    numbers = table.frame[first]
    if not (numbers.str.fullmatch(r"\d+").all() and numbers.is_unique):
        raise DataError([problem])
    raise NeedsMapping(
        [problem],
        guess=Mapping(roles={**roles, first: "dataset"}),
        preview=table.frame.head(PREVIEW_ROWS),
        question=f'Which column names the data set? Guess: "{first}".',
    )


def _declared_design(table: Table, roles: dict) -> str:
    """Return the design a file declares in a column of that name."""
    for column in by_role(roles, "design"):
        values = table.frame[column].unique()
        if len(values) == 1 and values[0] in DESIGNS:
            return values[0]
        raise DataError(
            [
                Problem(
                    file=table.name,
                    column=column,
                    must=f"needs one of {', '.join(DESIGNS)}",
                    found=f'Found "{values[0]}"' + (" and others" if len(values) > 1 else ""),
                    do="Use one of these in every row, or remove the column",
                )
            ]
        )
    return ""


def _design_of_names(roles: dict) -> str:
    """Resamples are partitions of their own, even if their cases carry the same numbers."""
    names = by_role(roles, "repetition")
    resampled = any(plain(name).startswith("resample") for name in names)
    return "holdout" if resampled and "fold" not in roles.values() else ""


def _read_layout(table: Table, layout: str, roles: dict, mapping: Mapping) -> Piece | None:
    match layout:
        case "fold scores" | "confusion counts":
            return read_long(table, roles, mapping.directions)
        case "predictions":
            return read_predictions(table, roles)
        case "wide predictions":
            return read_wide_predictions(table, roles)
        case "grid search":
            return read_grid_search(table, roles)
        case "wide table" | "wide folds":
            return _read_wide(table, roles, mapping)
    return None


def _read_wide(table: Table, roles: dict, mapping: Mapping) -> Piece:
    measure = mapping.measure_name or measure_in_name(_stem(table.name)) or "score"
    if measure in RESERVED:
        raise SettingError(f'A measure cannot be called "{measure}". Choose another name.')
    known = known_measure(measure)
    measure, direction = known or (measure, "higher")
    direction = mapping.directions.get(measure, direction)
    piece = read_wide(table, roles, measure, direction)
    if not known and measure not in mapping.directions:
        piece.notes.append("It is assumed that a higher number is better; say so if it is not.")
    return piece


def _name_the_algorithm(table: Table, roles: dict, *, several: bool) -> list[str]:
    """Find who was measured: a column, or the file itself if nothing else can tell."""
    if "algorithm" in roles.values():
        return []
    texts = _text_columns(table, roles)
    if texts and not several:
        raise _ask(table, roles, "fold scores", texts[0])
    name = _stem(table.name)
    return [f"No column names the algorithm; the file counts as one, {name}."]


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


def _ask(table: Table, roles: dict, layout: str, guess: str = "") -> NeedsMapping:
    """Say which column must be named, with a guess."""
    columns = list(table.frame.columns)
    shown = ", ".join(columns[:8]) + (" ..." if len(columns) > 8 else "")
    roles = dict(roles)
    if layout == "fold scores" and guess:
        roles[guess] = "algorithm"
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
    question = f"Which column {what}?" + (f' Guess: "{guess}".' if guess else "")
    return NeedsMapping(
        [
            _problem(
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


def _looks_transposed(table: Table, roles: dict) -> bool:
    """Tell whether algorithms stand in rows and data sets in columns."""
    named = by_role(roles, "algorithm")
    free = [c for c in table.frame.columns if c not in by_role(roles, "algorithm")]
    alone = bool(named) and table.frame[named[0]].is_unique
    return alone and len(free) > 2 and all(is_numeric(table, c) for c in free[:50])


def _guess_directions(roles: dict) -> dict[str, str]:
    return {
        name: (known_measure(name) or (name, "higher"))[1]
        for name, role in roles.items()
        if role == "measure"
    }


def _ask_about_copies(error: DataError, contents: list, mapping: Mapping) -> DataError:
    """If another column tells rows with the same key apart, ask whether it belongs to a name."""
    if len(contents) != 1 or "one row per" not in str(error):
        return error
    table, _ = _test_rows(read_table(*contents[0]))
    roles = {**guess_roles(table.frame.columns), **mapping.roles}
    keys = [
        c for role in ("dataset", "algorithm", "repetition", "fold") for c in by_role(roles, role)
    ]
    keys += [c for c, role in roles.items() if role.startswith("part of")]
    for column in table.frame.columns:
        free = column not in roles and 1 < table.frame[column].nunique() <= 50
        if free and not table.frame.duplicated([*keys, column]).any():
            role = _which_name(table.frame, roles, column)
            return NeedsMapping(
                error.problems,
                guess=Mapping(
                    roles={**roles, column: role},
                    directions=mapping.directions,
                    positive=mapping.positive,
                    measure_name=mapping.measure_name,
                ),
                preview=table.frame.head(PREVIEW_ROWS),
                question=f'Rows with the same key differ in "{column}". '
                f"Is it a {role.replace('dataset', 'data set')}?",
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


def _stem(name: str) -> str:
    return Path(name).name.removesuffix(".gz").rsplit(".", 1)[0] or "results"


def _problem(file: str, must: str, found: str, do: str) -> Problem:
    return Problem(file=file, must=must, found=found, do=do)
