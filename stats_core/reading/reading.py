"""Read results files in the layouts people have; the only module that touches the disk."""

import hashlib
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from stats_core.core.errors import DataError, NeedsMapping, Problem, SettingError
from stats_core.core.notes import note
from stats_core.core.numbers import Table, is_numeric
from stats_core.core.words import listed
from stats_core.data.instances import same
from stats_core.data.measures import COUNTS
from stats_core.data.results import Results
from stats_core.reading.asking import (
    ask,
    ask_about_copies,
    check_names_data_sets,
    name_the_algorithm,
    problem,
    stem,
)
from stats_core.reading.columns import (
    ROLES,
    direction_of,
    guess_roles,
    known_cost,
    known_measure,
    measure_in_name,
    plain,
)
from stats_core.reading.join import join
from stats_core.reading.layouts import (
    RESERVED,
    Piece,
    assumed,
    by_role,
    layout_of,
    read_grid_search,
    read_long,
    read_predictions,
    read_wide,
    read_wide_predictions,
)
from stats_core.reading.mapping import Mapping
from stats_core.reading.melted import spread_measures
from stats_core.reading.quick import Progress, quick_predictions
from stats_core.reading.runs import settle_repetition, test_rows
from stats_core.reading.tables import read_table

__all__ = ["ROLES", "Mapping", "describe_columns", "read_results"]

# designs a file can declare in a column named "design"; the others are told by the keys
DESIGNS = ("holdout", "bootstrap", "common test set")


def read_results(
    *sources: Any, mapping: Mapping | None = None, progress: Progress | None = None
) -> Results:
    r"""Which results do these files hold?

    Parameters
    ----------
    *sources : path, bytes, open file, or (name, bytes)
        One or more files: CSV with comma, semicolon or tab, plain or gzip.
    mapping : Mapping, optional
        What column names do not tell.
    progress : callable, optional
        Called with the rows read so far and the rows expected, while a large file of
        predictions is read.

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
        raise DataError([problem("", "needs at least one file", "None was given", "Choose one")])
    mapping = mapping or Mapping()
    contents = [_load(source, i) for i, source in enumerate(sources)]
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(_digest, contents)  # beside the parsing, not after it
        quick = [quick_predictions(name, content, mapping, progress) for name, content in contents]
        if any(piece is not None for piece in quick):
            try:
                return _read_all(contents, quick, mapping, digest)
            except NeedsMapping:
                raise
            except DataError:
                pass  # the careful reader finds the words
        return _read_all(contents, [None] * len(contents), mapping, digest)


def _digest(contents: Sequence[tuple[str, bytes]]) -> str:
    """Return the sha256 of the files' content."""
    whole = hashlib.sha256()
    for i, (_, content) in enumerate(contents):
        whole.update(b"\0" * (i > 0))
        whole.update(content)
    return whole.hexdigest()


def _read_all(
    contents: Sequence[tuple[str, bytes]],
    quick: Sequence[Piece | None],
    mapping: Mapping,
    digest: Future,
) -> Results:
    """Read the files that were not read the quick way, and put all together."""
    pieces, table, columns = [], None, set()
    problems: list = []
    for (name, content), piece in zip(contents, quick, strict=True):
        if piece is not None:
            pieces.append(_with_names(piece, name))
            continue
        try:
            table = read_table(name, content)
            columns |= set(table.frame.columns)
            pieces.append(_read_piece(table, mapping, several=len(contents) > 1))
        except NeedsMapping:
            raise
        except DataError as error:
            problems += error.problems
    if problems:
        raise DataError([*problems, *(p for piece in pieces for p in piece.problems)])
    try:
        results = join(pieces, mapping=mapping, digest=digest.result())
    except DataError as error:
        if len(contents) > 1 or table is None:
            raise
        raise ask_about_copies(error, test_rows(table)[0], mapping) from None
    if columns:  # files read the quick way do not tell theirs
        _check_said(mapping, columns, results)
    return results


def _check_said(mapping: Mapping, columns: set[str], results: Results) -> None:
    """Refuse what was said of a column that is in no file: most likely a slip of the pen."""
    known = {*columns, *results.measures, *results.costs}
    for name in (*mapping.roles, *mapping.directions):
        if name not in known:
            raise SettingError(
                f'What is said of a column must name one that is there. There is no "{name}"; '
                f"found {listed(sorted(known), 12)}. Check the spelling."
            )


def describe_columns(source: Any, mapping: Mapping | None = None) -> pd.DataFrame:
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
        direction of measures ("" if nobody told), and an example, in the order of the file.

    Raises
    ------
    DataError
        The file is no table.

    Examples
    --------
    >>> describe_columns(b"model,acc\nrf,0.9\n")["meaning"].tolist()
    ['algorithm', 'measure']
    """
    table, _ = test_rows(read_table(*_load(source, 0)))
    mapping = mapping or Mapping()
    roles, _ = settle_repetition(table.frame, _roles(table, mapping), mapping.roles)
    wide = layout_of(table, roles) in ("wide table", "wide folds", "wide predictions")
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
            direction = direction_of(name)
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


def _load(source: Any, place: int) -> tuple[str, bytes]:
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
                problem(
                    path.name,
                    "needs a file that can be read",
                    getattr(error, "strerror", None) or str(error),
                    "Check the path",
                )
            ]
        ) from None


def _read_piece(table: Table, mapping: Mapping, *, several: bool) -> Piece:
    """Read one table in the layout its columns speak for."""
    table, notes = test_rows(table)
    table, more = spread_measures(table, _roles(table, mapping))
    roles, settled = settle_repetition(table.frame, _roles(table, mapping), mapping.roles)
    layout = layout_of(table, roles)
    notes += [*table.notes, *more, *settled]
    if layout == "wide table":
        check_names_data_sets(table, roles)
    if layout in ("fold scores", "confusion counts", "predictions"):
        notes += name_the_algorithm(table, roles, several=several)
    piece = _read_layout(table, layout, roles, mapping)
    if piece is None or not (
        piece.directions
        or set(COUNTS) <= set(piece.rows)
        or piece.layout == "predictions"
        or (several and piece.costs)
    ):
        raise ask(table, roles, layout)
    piece.notes = notes + piece.notes
    piece.design = _declared_design(table, roles) or _design_of_names(roles)
    return _with_names(piece, table.name)


def _with_names(piece: Piece, file: str) -> Piece:
    """Name the data set and the algorithm after the file where no column does."""
    name = stem(file)
    if "dataset" not in piece.rows:
        piece.rows["dataset"] = (
            same(name, len(piece.rows)) if piece.layout == "predictions" else name
        )
        piece.notes.append(note("named after file", what="data set", name=name))
    if "algorithm" not in piece.rows:
        piece.rows["algorithm"] = name
    return piece


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
    measure = mapping.measure_name or measure_in_name(stem(table.name)) or "score"
    if measure in RESERVED:
        raise SettingError(f'A measure cannot be called "{measure}". Choose another name.')
    told = direction_of(measure)
    measure = (known_measure(measure) or (measure, ""))[0]
    told = mapping.directions.get(measure, told)
    piece = read_wide(table, roles, measure, told or "higher")
    if not told:
        piece.notes.append(assumed(measure))
    return piece
